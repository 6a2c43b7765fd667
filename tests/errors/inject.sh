#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: each allocation of create, resume, reload, message and suspend fails once: a reason is given, nothing leaks
# lane: uml-debug
# kmemleak: yes

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Let all allocations fail, whether they may sleep or not.
setup_faults() {
	local kind

	for kind in failslab fail_page_alloc; do
		[ -d "/sys/kernel/debug/$kind" ] || skip "this kernel has no fault injection"
		echo 0 >"/sys/kernel/debug/$kind/verbose"
		echo N >"/sys/kernel/debug/$kind/ignore-gfp-wait"
	done
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
	# Linux 6.1 leaks a name when it cannot show a new slab in sysfs, so create the slab of bios first.
	make_nullb 16
	make_cache other "$NULLB" dram 64k
	make_nullb 16
}

# faults REQUEST: repeat the request with each of its allocations failing; the answers are in $scratch/failed
faults() {
	dm-batch <<<"fail $*" >"$scratch/failed"
	expect "requests" "$(wc -l <"$scratch/failed")" -ge 3
	if grep '^-E' "$scratch/failed"; then
		fail "the request failed, but no allocation did"
	fi
}

# refusals TARGET: print how many requests the target refused
refusals() {
	grep -cE "^\+E.*$1: " "$scratch/failed" || :
}

# reasons LEAST [TARGET]: the target (ssdcache) refused at least LEAST requests, each with a reason
reasons() {
	local target=${2-ssdcache}

	sort "$scratch/failed" | uniq -c | sort -rn
	if grep -E "$target: *(\(|\$)|Unknown error|$target: [0-9]+:[0-9]+: *\$" "$scratch/failed"; then
		fail "no reason is given"
	fi
	expect "requests that $target refused" "$(refusals "$target")" -ge "$1"
	if grep -E '^\+E' "$scratch/failed" | grep -vE '^\+E(NOMEM|INVAL|BUSY)'; then
		fail "an odd error"
	fi
}

creates() {
	setup_faults
	faults "try c0 0 32768 ssdcache $NULLB $*"
	reasons 25
	expect_fail dmsetup info c0
	blkio write "$NULLB" 0 4k 1
	make_cache c0 "$NULLB" dram 64k
}

reloads() {
	setup_faults
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 64k 1
	faults "load c0 0 32768 ssdcache $NULLB 2 dram 128k"
	reasons 25
	expect_stat c0 dirty -eq 16
	expect_value c0 frames 16
	blkio check /dev/mapper/c0 0 64k 1
}

# Allocations of the first resume. After a failure the next try succeeds.
resumes() {
	setup_faults
	table "$NULLB" dram 64k replacement cflru
	dm-batch <<<"prepare c0 $TABLE"
	faults "resume c0 (resume c0;status c0;remove c0;prepare c0 $TABLE)"
	expect "resumes that failed" "$(grep -c '^+E' "$scratch/failed")" -ge 10
}

# Create and first resume of ssdflash.
flash() {
	local table

	setup_faults
	table="0 16384 ssdflash $NULLB 4 profile s002 blocks 0"
	faults "try f0 $table"
	# It has few allocations, and one may not get its turn, as in messages().
	[ "$(refusals ssdflash)" -ge 5 ] || faults "try f0 $table"
	reasons 5 ssdflash
	dm-batch <<<"prepare f0 $table"
	faults "resume f0 (resume f0;status f0;remove f0;prepare f0 $table)"
	expect "resumes that failed" "$(grep -c '^+E' "$scratch/failed")" -ge 10
	dmsetup resume f0
	expect_value f0 profile s002
	expect_value f0 stats/channel_busy_ns/3 0
}

# Create and first resume of ssdflash on a zoned origin, whose first resume also starts the log.
zoned() {
	local table

	setup_faults
	make_nullb 64 zoned=1 zone_size=1
	table="0 65536 ssdflash $NULLB 10 channels 2 chips 1 dies 1 page_bytes 4096 over_provisioning 40"
	# A thousand pages are allocated each time. Not each of them fails.
	if [ -n "${SSDC_LONG-}" ]; then
		echo 1 >/sys/kernel/debug/fail_page_alloc/min-order
		faults "try f0 $table"
		reasons 5 ssdflash
		echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	fi
	dm-batch <<<"prepare f0 $table"
	faults "resume f0 (resume f0;status f0;remove f0;prepare f0 $table)"
	expect "resumes that failed" "$(grep -c '^+E' "$scratch/failed")" -ge 10
	dmsetup resume f0
	blkio write /dev/mapper/f0 0 64k 1
	blkio check /dev/mapper/f0 0 64k 1
}

messages() {
	setup_faults
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 64k 1
	# The policy makes two allocations. If the slab allocator needs a new slab just then, that allocation fails instead, and
	# one of the two is left out: try again.
	for _ in 1 2 3 4; do
		faults "message c0 replacement cflru (message c0 replacement cflru;message c0 replacement lru)"
		! grep -E '^\+E.*ssdcache: .*no memory' "$scratch/failed" || break
	done
	grep -qE '^\+E.*ssdcache: .*no memory' "$scratch/failed"
	# The pages stay, and the files are back.
	expect_stat c0 dirty -eq 16
	message c0 replacement cflru
	expect_value c0 params/replacement/window 50
	blkio check /dev/mapper/c0 0 64k 1
}

# A suspend that lacks memory flushes all dirty pages, at the latest on the next try.
suspends() {
	local n

	setup_faults
	make_cache c0 "$NULLB" dram 64k dram_mode protected
	for n in 1 2 3; do
		blkio write /dev/mapper/c0 0 64k "$n"
		faults "suspend c0 (suspend c0;resume c0)"
		blkio check "$NULLB" 0 64k "$n"
	done
}

# Several faults: every N-th allocation fails.
shaky() {
	local kind interval

	setup_faults
	for kind in failslab fail_page_alloc; do
		echo Y >"/sys/kernel/debug/$kind/task-filter"
		echo 100 >"/sys/kernel/debug/$kind/probability"
		echo -1 >"/sys/kernel/debug/$kind/times"
	done
	for interval in 1 2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97; do
		for kind in failslab fail_page_alloc; do
			echo "$interval" >"/sys/kernel/debug/$kind/interval"
		done
		dm-batch <<<"shaky try c0 0 32768 ssdcache $NULLB 4 dram 64k replacement lfu"
	done >"$scratch/failed"
	sort "$scratch/failed" | uniq -c
	expect "tables that failed" "$(grep -c '^E' "$scratch/failed")" -ge 10
	if grep -E 'ssdcache: *(\(|$)|Unknown error' "$scratch/failed"; then
		fail "no reason is given"
	fi
	for kind in failslab fail_page_alloc; do
		echo 0 >"/sys/kernel/debug/$kind/probability"
		echo N >"/sys/kernel/debug/$kind/task-filter"
	done
	make_cache c0 "$NULLB" dram 64k
}

run_test "create, lru" creates "2 dram 64k"
run_test "create, other plug-ins, pages of 8k" creates "8 dram 128k page 8k replacement cflru-ef-sc:threshold=5 admission read-write"
run_test "create, a policy that allocates memory" creates "4 dram 128k replacement req-block"
run_test "create, a policy with a graph" creates "4 dram 128k replacement vs-batch-plus"
run_test "create, an admission scheme that allocates memory" creates "4 dram 128k admission l-corw"
run_test "reload" reloads
run_test "the first resume" resumes
run_test "create and first resume of ssdflash" flash
run_test "create and first resume of ssdflash on zones" zoned
run_test "change of the replacement policy" messages
run_test "suspend" suspends
run_test "create, many faults" shaky
