#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: caches are created and removed, several at once, stacked, with the module: nothing is left behind
# lane: uml-debug
# long: vm-newest
# kmemleak: yes

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

hundreds_of_times() {
	local before i

	make_nullb 16
	make_cache c0 "$NULLB" dram 256k
	names_of c0 replacement
	dmsetup remove c0
	for ((i = 0; i < 400; i++)); do
		echo "try c0 0 32768 ssdcache $NULLB 4 dram 256k replacement ${NAMES[i % ${#NAMES[@]}]}"
	done >"$scratch/batch"
	# The first ones fill caches of the kernel, and KASAN's quarantine: freed memory counts until that is full.
	head -n 100 "$scratch/batch" | dm-batch >"$scratch/answers"
	unreclaimable
	before=$KIB
	tail -n +101 "$scratch/batch" | dm-batch >>"$scratch/answers"
	expect_eq "tables that were made" "$(grep -c '^ok' "$scratch/answers")" 400
	unreclaimable
	expect "KiB that cannot be reclaimed, after 300 caches" "$KIB" -le $((before + 300 * 5))
}

# Caches are removed with dirty pages.
dirty_times() {
	local i

	make_nullb 16
	for ((i = 1; i <= 12; i++)); do
		make_cache c0 "$NULLB" dram 64k
		blkio write /dev/mapper/c0 $((i * 12))k 60k "$i"
		dmsetup remove c0
		blkio check "$NULLB" $((i * 12))k 60k "$i"
	done
}

two_at_once() {
	local first pids=()

	make_nullb 16
	first=$NULLB
	make_nullb 16
	make_cache c0 "$first" dram 64k
	make_cache c1 "$NULLB" dram 128k replacement cflru admission read-write
	{
		blkio write /dev/mapper/c0 0 2m 1 32k
		blkio check /dev/mapper/c0 0 2m 1
	} &
	pids+=($!)
	{
		blkio write /dev/mapper/c1 0 2m 2 32k
		blkio check /dev/mapper/c1 0 2m 2
	} &
	pids+=($!)
	message c0 replacement lfu
	message c1 replacement fifo
	wait "${pids[0]}"
	wait "${pids[1]}"
	expect_value c0 replacement lfu
	dmsetup remove c0
	blkio check "$first" 0 2m 1
	blkio check /dev/mapper/c1 0 2m 2
	dmsetup remove c1
	blkio check "$NULLB" 0 2m 2
}

# A cache on a cache: each has its own work queue, and both flush.
stacked() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 128k
	make_cache c1 /dev/mapper/c0 dram 64k admission read-write
	blkio write /dev/mapper/c1 0 1m 1 64k
	blkio check /dev/mapper/c1 0 1m 1
	blkio flush /dev/mapper/c1
	blkio check "$NULLB" 0 1m 1
	blkio write /dev/mapper/c1 0 64k 2
	dmsetup remove c1
	blkio check /dev/mapper/c0 0 64k 2 960k 1
	dmsetup remove c0
	blkio check "$NULLB" 0 64k 2 960k 1
}

# Device-mapper allows two caches on one origin. Each has its own DRAM.
same_origin() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 64k
	make_cache c1 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 32k 1
	blkio write /dev/mapper/c1 1m 32k 2
	dmsetup remove c0
	dmsetup remove c1
	blkio check "$NULLB" 0 32k 1
	blkio check "$NULLB" 1m 32k 2
}

# The module can be unloaded only without caches.
module_goes_and_comes() {
	local i

	make_nullb 16
	for i in 1 2 3; do
		make_cache c0 "$NULLB" dram 64k
		expect_fail rmmod dm_ssdcache
		blkio write /dev/mapper/c0 0 32k "$i"
		dmsetup remove c0
		rmmod dm_ssdcache
		table "$NULLB" dram 64k
		expect_eq "unknown target" "$(dm-batch <<<"try c0 $TABLE" | cut -f 1)" EINVAL
		insmod "$SSDCACHE_KO"
		make_cache c0 "$NULLB" dram 64k
		blkio check /dev/mapper/c0 0 32k "$i"
		dmsetup remove c0
	done
}

# An open device is removed when it is closed.
deferred_remove() {
	local holder

	make_nullb 16
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 32k 1
	exec {holder}</dev/mapper/c0
	expect_fail dmsetup remove c0
	dmsetup remove --deferred c0
	expect_stat c0 dirty -eq 8
	exec {holder}<&-
	poll 10 "c0 gone" gone c0
	blkio check "$NULLB" 0 32k 1
}

gone() {
	local name

	for name in /sys/block/dm-*/dm/name; do
		[ -e "$name" ] || return 0
		[ "$(<"$name")" != "$1" ] || return 1
	done
}

# After renaming, sysfs and messages still work.
renamed() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 32k 1
	dmsetup rename c0 c9
	expect_stat c9 dirty -eq 8
	message c9 flush
	expect_stat c9 dirty -eq 0
	dmsetup remove c9
}

run_test "hundreds of caches, one after the other" hundreds_of_times
run_test "caches with dirty pages, one after the other" dirty_times
run_test "two at once" two_at_once
run_test "a cache on a cache" stacked
run_test "two caches on the same origin" same_origin
run_test "the module cannot be unloaded while in use, and can afterwards" module_goes_and_comes
run_test "deferred removal" deferred_remove
run_test "renaming" renamed
