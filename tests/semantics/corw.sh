#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: l-corw and corw-N: intervals end on time, pages are written through, reads are admitted, the Q-table is visible
# lane: uml-debug uml-time
# long: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# A busy interval and the idle one after it end without further requests; then no timer runs until the next request.
ticks() {
	local before

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m admission "$1:period_ms=20"
	expect_stat c0 admission/ticks -eq 0
	blkio write /dev/mapper/c0 0 64k 1
	wait_stat c0 admission/ticks -ge 2
	# There is a third tick if the write arrived in one interval and ended in the next.
	pause 0.2
	expect_stat c0 admission/write_traffic -eq 0
	get c0 stats/admission/ticks
	before=$VALUE
	pause 0.3
	expect_stat c0 admission/ticks -eq "$before"
	blkio write /dev/mapper/c0 0 64k 1
	wait_stat c0 admission/ticks -gt "$before"
}

# quiet SPEC [WORD...]: 16 dirty pages and an idle interval. Single writes are now written through until two thirds of the
# pages are clean.
quiet() {
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m admission "corw-1:period_ms=20$1" "${@:2}"
	expect_stat c0 admission/ct -eq 66
	blkio write /dev/mapper/c0 0 64k 1
	wait_stat c0 admission/quiet_writes -eq 1
	expect_stat c0 dirty -eq 16
	expect_stat c0 through_flushed -eq 0
}

writes_go_through() {
	quiet ""
	blkio write /dev/mapper/c0 1m 4k 2
	wait_stat c0 through_flushed -eq 1
	wait_quiescent c0
	expect_stat c0 dirty -eq 16
	expect_stat c0 used -eq 17
	expect_stat c0 admission/through_writes -eq 1
	blkio check "$NULLB" 1m 4k 2
	# After the next idle interval, writing to a dirty page makes it clean.
	wait_stat c0 admission/quiet_writes -eq 1
	blkio write /dev/mapper/c0 0 4k 3
	wait_stat c0 through_flushed -eq 2
	wait_stat c0 dirty -eq 15
	blkio check "$NULLB" 0 4k 3
}

# While the origin does not answer, a write completes in DRAM; with wt_sync it does not.
held_origin() {
	local writer

	quiet "$1"
	hold origin
	blkio write /dev/mapper/c0 1m 8k 2 &
	writer=$!
	wait_stat c0 flushing -eq 2
	if [ -z "$1" ]; then
		wait $writer
		expect_stat c0 host_inflight -eq 0
	else
		expect_stat c0 host_inflight -eq 1
		expect_stat c0 waiting -eq 1
	fi
	release origin
	wait_stat c0 through_flushed -eq 2
	wait_quiescent c0
	[ -z "$1" ] || wait $writer
	blkio check "$NULLB" 1m 8k 2
}

# If writing through fails, the write still succeeds; the page stays dirty and is retried.
failing_origin() {
	quiet "$1" retry_ms 20
	nullb_set "$NULLB" badblocks=+2048-2055
	blkio write /dev/mapper/c0 1m 4k 2
	wait_stat c0 write_errors -ge 1
	expect_stat c0 dirty -eq 17
	expect_stat c0 failed_requests -eq 0
	nullb_set "$NULLB" badblocks=-2048-2055
	wait_stat c0 retry_flushed -ge 1
	wait_stat c0 failed -eq 0
	blkio check "$NULLB" 1m 4k 2
}

# Only reads, of the same pages: they are admitted after the first interval.
reads_enter() {
	make_nullb 16
	# A minute: no interval ends before the first look, however slow the machine is.
	make_cache c0 "$NULLB" dram 1m admission corw-8:period_ms=60000
	blkio check /dev/mapper/c0 0 32k 0 4k
	blkio check /dev/mapper/c0 0 32k 0 4k
	expect_stat c0 admitted_reads -eq 0
	reload_cache c0 "$NULLB" dram 1m admission corw-8:period_ms=100
	until stat_is c0 admission/caching_reads -eq 1; do
		blkio check /dev/mapper/c0 0 32k 0 4k
		pause 0.01
	done
	until stat_is c0 used -eq 8; do
		blkio check /dev/mapper/c0 0 32k 0 4k
		pause 0.01
	done
	expect_stat c0 admission/caching_ticks -ge 1
	# An idle interval has no traffic to compare.
	wait_stat c0 admission/caching_reads -eq 0
	expect_stat c0 used -eq 8
}

# numbers FILE: the numbers in a row, as $NUMBERS
numbers() {
	get c0 "stats/admission/$1"
	read -ra NUMBERS <<<"$VALUE"
}

q_table() {
	local t r c i sum=0 tried=0

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m admission l-corw:period_ms=20
	# An untried action has cost 0, so the actions are tried one after the other.
	until stat_is c0 admission/updates -ge 9; do
		blkio write /dev/mapper/c0 0 64k 1 4k
		pause 0.01
	done
	message c0 admission l-corw:period_ms=20
	expect_stat c0 admission/updates -eq 0
	until stat_is c0 admission/updates -ge 4; do
		blkio write /dev/mapper/c0 0 64k 1 4k
		pause 0.01
	done
	wait_quiescent c0
	for t in 0 1 2; do
		for r in 0 1 2; do
			for c in 0 1 2; do
				numbers "q_$t$r$c"
				expect_eq "actions of state $t$r$c" ${#NUMBERS[@]} 8
				for i in "${NUMBERS[@]}"; do
					tried=$((tried + (i > 0)))
				done
			done
		done
	done
	# A write to DRAM takes no virtual time.
	[ "$SSDCACHE_LANE" = uml-time ] || expect "entries of the table that were learned" $tried -ge 4
	numbers visits
	expect_eq "states" ${#NUMBERS[@]} 27
	for i in "${NUMBERS[@]}"; do
		sum=$((sum + i))
	done
	numbers chosen
	expect_eq "actions" ${#NUMBERS[@]} 8
	for i in "${NUMBERS[@]}"; do
		sum=$((sum - i))
	done
	expect "difference of intervals by state and by action" $sum -eq 0
	message c0 reset_stats
	numbers chosen
	expect_eq "counters after reset_stats" "${NUMBERS[*]}" "0 0 0 0 0 0 0 0"
	numbers q_000
	[ "$SSDCACHE_LANE" = uml-time ] || expect_ne "what was learned" "${NUMBERS[*]}" "0 0 0 0 0 0 0 0"
}

# No interval ends while the device is suspended; the current one ends after the resume.
suspended() {
	local before

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m admission l-corw:period_ms=2000
	blkio write /dev/mapper/c0 0 64k 1
	dmsetup suspend c0
	get c0 stats/admission/ticks
	before=$VALUE
	pause 2.5
	expect_stat c0 admission/ticks -eq "$before"
	dmsetup resume c0
	wait_stat c0 admission/ticks -gt "$before"
	wait_quiescent c0
}

# Changing the scheme cancels the timer of the old one.
changed() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m admission l-corw:period_ms=60000
	blkio write /dev/mapper/c0 0 64k 1
	message c0 admission corw-3:period_ms=20
	wait_quiescent c0
	expect_stat c0 admission/ticks -eq 0
	blkio write /dev/mapper/c0 0 64k 1
	wait_stat c0 admission/ticks -ge 2
	message c0 admission write-buffer
	wait_quiescent c0
	blkio check /dev/mapper/c0 0 64k 1
}

run_test "l-corw: intervals end on time, and the timer stops when idle" ticks l-corw
run_test "corw-5: intervals end on time, and the timer stops when idle" ticks corw-5
run_test "single writes are written through, their pages stay clean" writes_go_through
run_test "a write that is written through does not wait for the origin" held_origin ""
run_test "with wt_sync it waits" held_origin ,wt_sync=on
run_test "a write that is written through succeeds though the origin fails" failing_origin ""
run_test "with wt_sync, too, it succeeds though the origin fails" failing_origin ,wt_sync=on
run_test "reads are admitted while they prevail" reads_enter
run_test "the Q-table is visible and survives reset_stats" q_table
run_test "suspend and resume" suspended
run_test "change to another scheme" changed
