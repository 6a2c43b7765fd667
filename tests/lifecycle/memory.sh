#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a cache or flash device that needs too much memory is refused, with the amount needed; nothing leaks
# lane: uml-debug
# long: vm-6.1

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# available: free and reclaimable memory in MiB, as $MIB
available() {
	local key value

	while read -r key value _; do
		[ "$key" != MemAvailable: ] || MIB=$((value / 1024))
	done </proc/meminfo
}

refused() {
	local size=$1 least=$2 before needed

	shift 2
	make_nullb 16
	available
	before=$MIB
	log_mark
	expect_fail make_cache c0 "$NULLB" dram "$size" "$@"
	expect_log 'ssdcache: dram: [0-9]+ MiB are needed, [0-9]+ MiB of memory are available'
	needed=$(log_since | sed -n 's/.* dram: \([0-9]*\) MiB are needed.*/\1/p')
	expect "MiB needed, by the message" "$needed" -ge "$least"
	expect "MiB needed, by the message" "$needed" -le $((least + least / 16))
	expect_fail dmsetup info c0
	available
	expect "MiB available after the refusal" "$MIB" -ge $((before - 8))
	# The origin has been closed.
	blkio write "$NULLB" 0 4k 1
	make_cache c0 "$NULLB" dram 1m
	blkio check /dev/mapper/c0 0 4k 1
}

# needed_by SHARDS: MiB that 2 TiB need, by the message, as $NEEDED. Their pages are large: they need few records.
needed_by() {
	log_mark
	expect_fail make_cache c0 "$NULLB" dram 2t page 64k shards "$1"
	NEEDED=$(log_since | sed -n 's/.* dram: \([0-9]*\) MiB are needed.*/\1/p')
}

# Each of 63 more shards has a reserve of 16 MiB and 350 KiB of records for I/O.
records_counted() {
	local before

	make_nullb 16
	needed_by 1
	before=$NEEDED
	needed_by 64
	expect "MiB needed by 63 shards" $((NEEDED - before)) -ge $((63 * 16 + 63 * 350 / 1024))
	expect "MiB needed by 63 shards" $((NEEDED - before)) -le $((63 * 17))
}

# A reload that needs too much memory leaves the cache as it is.
reload_refused() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 512k 1
	table "$NULLB" dram 64g
	expect_fail dmsetup reload c0 --table "$TABLE"
	dmsetup suspend c0
	dmsetup resume c0
	expect_value c0 dram_bytes 1048576
	blkio check /dev/mapper/c0 0 512k 1
}

# The map of an ssdflash is too large. (The origin uses no memory until it is written.)
flash_refused() {
	local gib=2048

	make_nullb $((gib * 1024))
	log_mark
	expect_fail make_flash f0 "$NULLB" $((gib * 2097152 / 2)) profile s002 blocks 0 page_bytes 4096
	expect_log 'ssdflash: the map needs [0-9]+ MiB, but only [0-9]+ MiB of memory are available'
	expect_fail dmsetup info f0
	make_flash f0 "$NULLB" 16384 profile s002
	blkio write /dev/mapper/f0 0 64k 1
	blkio check /dev/mapper/f0 0 64k 1
}

# On a zoned origin each command has a page of data: here 2.6 GiB. Nothing is allocated, so nobody is killed for it.
zoned_refused() {
	local geometry="channels 64 chips 16 dies 1 planes 1 page_bytes 65536 over_provisioning 50" before

	make_nullb 12288 zoned=1 zone_size=1
	available
	before=$MIB
	expect "MiB available" "$before" -le 2100
	log_mark
	# shellcheck disable=SC2086 # words
	expect_fail make_flash f0 "$NULLB" 1048576 $geometry
	expect_log 'ssdflash: the map and the pages in flight need 26[0-9]{2} MiB, but only [0-9]+ MiB of memory are available'
	if log_since | grep -iE 'oom|out of memory'; then
		fail "memory ran out"
	fi
	expect_fail dmsetup info f0
	available
	expect "MiB available after the refusal" "$MIB" -ge $((before - 32))
	make_flash f0 "$NULLB" 1048576 channels 2 chips 1 dies 1 over_provisioning 50
	blkio write /dev/mapper/f0 0 64k 1
	blkio check /dev/mapper/f0 0 64k 1
}

# What is counted is what is allocated: 1026 pages, and the rest. A page of data has at least 4 KiB of memory.
zoned_counted() {
	local page

	for page in 512 4096 16384; do
		make_nullb 64 zoned=1 zone_size=1
		make_flash f0 "$NULLB" 65536 channels 2 chips 1 dies 1 page_bytes $page over_provisioning 40
		get f0 memory_bytes
		expect "memory_bytes with pages of $page bytes" "$VALUE" -ge $((1026 * (page < 4096 ? 4096 : page)))
		dmsetup remove f0
	done
}

logged() {
	grep -qE "$1" <<<"$(log_since)"
}

# A signal ends a load that takes long: here the ageing of 60 million pages.
flash_killed() {
	local loader status=0

	make_nullb 65536
	log_mark
	dmsetup create f0 --table "0 100000000 ssdflash $NULLB 8 page_bytes 512 blocks 0 aged_valid 40 aged_invalid 40" &
	loader=$!
	poll 60 "the start of the load" logged 'ssdflash: .* KiB of memory for the map'
	kill -KILL $loader
	wait $loader || status=$?
	expect_eq "status" $status 137
	poll 20 "the end of the load" logged 'ssdflash: interrupted by a signal'
	# The device that the process has made before has no table, so /sys/block does not show what is left.
	expect_eq "table" "$(dmsetup table f0)" ""
	dmsetup remove f0
}

# All memory is freed. The available memory is an estimate of the kernel and varies by some MiB.
comes_back() {
	local before i

	make_nullb 16
	available
	before=$MIB
	expect "MiB available" "$before" -ge 400
	for i in 1 2 3; do
		make_cache c0 "$NULLB" dram 256m
		available
		expect "MiB available with 256 MiB in use" "$MIB" -le $((before - 224))
		dmsetup remove c0
	done
	available
	expect "MiB available at the end" "$MIB" -ge $((before - 32))
}

# Loading a large tier ends when it is killed, and frees what it has allocated so far.
killed() {
	local before after pid

	make_nullb 16
	available
	before=$MIB
	table "$NULLB" dram $((before * 3 / 4))m
	for _ in 1 2 3 4 5; do
		log_mark
		dmsetup create big --table "$TABLE" &
		pid=$!
		available
		while [ "$MIB" -gt $((before - 64)) ] && kill -0 "$pid"; do
			available
		done
		kill -KILL "$pid" || :
		wait "$pid" || :
		available
		after=$MIB
		if [ -z "$(dmsetup table --inactive big)" ]; then
			expect_log 'ssdcache: dram: interrupted after [0-9]+ of [0-9]+ MiB'
			expect "MiB available after the kill" "$after" -ge $((before - 32))
			return
		fi
		# It was loaded before it was killed.
		dmsetup remove big
	done
	fail "loading a tier of $((before * 3 / 4)) MiB was killed five times, but went on to its end"
}

run_test "an ssdflash whose map is larger than memory is refused" flash_refused
run_test "an ssdflash on zones whose pages in flight are larger than memory is refused" zoned_refused
run_test "an ssdflash on zones counts the memory of the pages in flight" zoned_counted
run_test "a signal ends the creation of a large ssdflash" flash_killed
run_test "64 GiB" refused 64g 65536
run_test "127 GiB" refused 127g 130048
run_test "2 TiB in pages of 64k" refused 2t 2097152 page 64k
run_test "records of all shards are counted" records_counted
run_test "reload with 64 GiB" reload_refused
run_test "removing a cache frees its memory" comes_back
run_test "loading ends when it is killed, and frees its memory" killed
