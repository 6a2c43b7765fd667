#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: periodic, early, forced and eviction flushes: when they happen, and how they are counted
# lane: uml
# long: uml-debug vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# expect_flushed EVICT EARLY FORCED PERIODIC RETRY: flushed pages by reason
expect_flushed() {
	expect_stat c0 batch_flushed -eq "$1"
	expect_stat c0 early_flushed -eq "$2"
	expect_stat c0 forced_flushed -eq "$3"
	expect_stat c0 periodic_flushed -eq "$4"
	expect_stat c0 retry_flushed -eq "$5"
}

nothing_by_itself() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 128k 1
	pause 1.5
	expect_stat c0 dirty -eq 32
	expect_flushed 0 0 0 0 0
}

periodic() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m "$@"
	[ $# -gt 0 ] || message c0 set flush_interval_s 1
	blkio write /dev/mapper/c0 0 128k 1
	wait_stat c0 dirty -eq 0
	expect_flushed 0 0 0 32 0
	blkio check "$NULLB" 0 128k 1
	expect_stat c0 used -eq 32
	# The next interval.
	blkio write /dev/mapper/c0 0 64k 2
	wait_stat c0 dirty -eq 0
	expect_flushed 0 0 0 48 0
	blkio check "$NULLB" 0 64k 2 64k 1
	# Turned off.
	message c0 set flush_interval_s 0
	blkio write /dev/mapper/c0 0 64k 3
	pause 1.5
	expect_flushed 0 0 0 48 0
	expect_stat c0 dirty -eq 16
}

# More than 50 % of 64 frames are dirty: flush down to 32 and no further.
early() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 256k replacement "$1:threshold=50,adapt=off,ef_batch=4"
	blkio write /dev/mapper/c0 0 128k 1
	wait_quiescent c0
	pause 0.2
	expect_stat c0 early_flushed -eq 0
	blkio write /dev/mapper/c0 128k 80k 1
	wait_stat c0 dirty -eq 32
	wait_quiescent c0
	pause 0.2
	expect_flushed 0 20 0 0 0
	expect_stat c0 used -eq 52
	get c0 stats/early_flushes
	expect "batches of 4" "$VALUE" -ge 5
	blkio check /dev/mapper/c0 0 208k 1
	# Lowering the threshold flushes more at once, without a request.
	message c0 set threshold 25
	wait_stat c0 dirty -eq 16
	expect_flushed 0 36 0 0 0
	# An early flush evicts nothing.
	expect_stat c0 evictions -eq 0
}

# Idle means: no request for idle_us.
early_waits_for_idle() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 256k replacement cflru-ef:threshold=50,adapt=off idle_us 1000000
	blkio write /dev/mapper/c0 0 256k 1
	pause 0.3
	expect_stat c0 early_flushed -eq 0
	wait_stat c0 dirty -eq 32
	expect_flushed 0 32 0 0 0
}

forced() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 32k 1
	case $1 in
	message) message c0 flush ;;
	sysfs) put c0 actions flush ;;
	FLUSH) blkio flush /dev/mapper/c0 ;;
	FUA) blkio fua /dev/mapper/c0 0 32k 2 ;;
	esac
	expect_flushed 0 0 8 0 0
	expect_stat c0 dirty -eq 0
	expect_stat c0 used -eq 8
	if [ "$1" = FUA ]; then
		blkio check "$NULLB" 0 32k 2
	else
		blkio check "$NULLB" 0 32k 1
	fi
}

evict() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 64k 1
	expect_stat c0 evictions -eq 0
	blkio write /dev/mapper/c0 1m 32k 1 4k
	expect_stat c0 evictions -eq 8
	expect_stat c0 evicted_pages -eq 8
	expect_flushed 8 0 0 0 0
	expect_stat c0 dirty -eq 16
	# Clean victims need no flush.
	message c0 flush
	blkio write /dev/mapper/c0 2m 16k 1 4k
	expect_stat c0 evicted_pages -eq 12
	expect_stat c0 evicted_clean -eq 4
	expect_flushed 8 0 16 0 0
}

run_test "nothing is flushed without a reason" nothing_by_itself
run_test "periodic flush, set by the table" periodic flush_interval_s 1
run_test "periodic flush, set and unset by message" periodic
run_test "early flush to the threshold, cflru-ef" early cflru-ef
run_test "early flush to the threshold, cflru-ef-sc" early cflru-ef-sc
run_test "early flush waits for idle_us" early_waits_for_idle
for way in message sysfs FLUSH FUA; do
	run_test "forced flush by $way" forced "$way"
done
run_test "flushes and clean victims of evictions" evict
