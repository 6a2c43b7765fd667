#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: an orderly restart, power-off or kexec flushes all caches first, whatever dram_mode says
# lane: uml-debug
# long: vm-6.1 vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The origins are loop devices over files that the next guest sees, too.

# file_of NAME: the file of an origin, as $FILE
file_of() {
	FILE=$SSDCACHE_OUT/reboot.$1.img
}

# make_origin NAME: a new origin, as $ORIGIN
make_origin() {
	need_driver loop
	file_of "$1"
	rm -f "$FILE"
	truncate -s 8m "$FILE"
	sync "$FILE"
	ORIGIN=$(losetup --show -f "$FILE")
}

# check_origin NAME WORD...: what the origin holds
check_origin() {
	local device

	need_driver loop
	file_of "$1"
	shift
	device=$(losetup --show -f "$FILE")
	blkio check "$device" "$@"
}

# Caches of either mode, and one on top of another.
prepare_caches() {
	make_origin volatile
	make_cache volatile "$ORIGIN" dram 1m
	blkio write /dev/mapper/volatile 0 256k 1
	make_origin protected
	make_cache protected "$ORIGIN" dram 1m dram_mode protected
	blkio write /dev/mapper/protected 0 256k 2
	blkio flush /dev/mapper/protected
	make_origin stack
	make_cache lower "$ORIGIN" dram 1m dram_mode protected
	make_cache upper /dev/mapper/lower dram 512k dram_mode protected
	blkio write /dev/mapper/upper 0 256k 3
	blkio flush /dev/mapper/upper
}

# One write after the other, each followed by a FLUSH, until the guest ends. Each that was acknowledged appends a line to
# $SSDCACHE_OUT/acknowledged: replacing a number there would leave an empty file if the guest ended in between.
keep_writing() {
	local i count=$SSDCACHE_OUT/acknowledged

	for ((i = 0; i < 2000; i++)); do
		blkio write "$1" $((4096 * i)) 4k 1
		blkio flush "$1"
		echo >>"$count"
		sync "$count"
	done
}

acknowledged() {
	test "$(wc -l <"$SSDCACHE_OUT/acknowledged")" "$@"
}

# mend_flaky DEVICE: let the origin work again when a flush of its cache has failed
mend_flaky() {
	poll 60 "a failed write" stat_is flaky-cache write_errors -ge 1
	swap_table flaky "0 16384 linear $1 0"
}

write_to() {
	echo "$2" >"$1"
}

# An origin whose FLUSHes fail: they go to both halves, and only the first one is written. All 51200 pages become dirty again.
prepare_failing_flushes() {
	need_driver flakey
	make_nullb 320 cache_size=1
	printf '%s\n' "0 524288 linear $NULLB 0" "524288 131072 linear $NULLB 524288" | dmsetup create flushes
	make_cache flushes-cache /dev/mapper/flushes dram 224m
	blkio write /dev/mapper/flushes-cache 0 200m 1
	dmsetup reload flushes <<-TABLE
		0 524288 linear $NULLB 0
		524288 131072 flakey $NULLB 524288 0 600 1 error_writes
	TABLE
	hold flushes
	release flushes
}

# An origin that does not answer, one that fails, one whose FLUSHes fail, one that fails at first, and a good one that is being
# written.
prepare_dead() {
	expect_fail write_to /sys/module/dm_ssdcache/parameters/reboot_patience_s 0
	write_to /sys/module/dm_ssdcache/parameters/reboot_patience_s 10
	make_nullb 16
	make_linear stuck "$NULLB"
	make_cache stuck-cache /dev/mapper/stuck dram 64k dram_mode protected
	blkio write /dev/mapper/stuck-cache 0 32k 1
	hold stuck
	make_nullb 16
	make_linear bad "$NULLB"
	make_cache bad-cache /dev/mapper/bad dram 64k dram_mode protected
	blkio write /dev/mapper/bad-cache 0 20k 1
	swap_table bad "0 32768 error"
	prepare_failing_flushes
	make_origin flaky
	make_linear flaky "$ORIGIN"
	# Only a FLUSH tries again before the guest has ended.
	make_cache flaky-cache /dev/mapper/flaky dram 64k dram_mode protected retry_ms 60000
	blkio write /dev/mapper/flaky-cache 0 48k 4
	swap_table flaky "0 16384 error"
	mend_flaky "$ORIGIN" &
	make_origin good
	make_cache good "$ORIGIN" dram 1m dram_mode protected
	: >"$SSDCACHE_OUT/acknowledged"
	keep_writing /dev/mapper/good 2>/dev/null &
	poll 20 "a write is acknowledged" acknowledged -ge 1
	cp "$SSDCACHE_OUT/acknowledged" "$SSDCACHE_OUT/before"
	sync "$SSDCACHE_OUT/before"
}

# expect_earlier_log REGEX: a line of an earlier guest's kernel log matches
expect_earlier_log() {
	{ cat "$SSDCACHE_OUT"/{dmesg,console}.txt.* 2>/dev/null || :; } | grep -aE -- "$1" || fail "log of the earlier guest: no line matches '$1'"
}

log_tells() {
	expect_earlier_log "ssdcache: [0-9:]+: reboot: 8 dirty pages are left"
	expect_earlier_log "ssdcache: [0-9:]+: reboot: 5 dirty pages are left"
	expect_earlier_log "ssdcache: [0-9:]+: reboot: 51200 dirty pages are left"
}

written_until_the_end() {
	local count before

	count=$(wc -l <"$SSDCACHE_OUT/acknowledged")
	before=$(wc -l <"$SSDCACHE_OUT/before")
	expect "writes acknowledged while the guest ends" $((count - before)) -ge 2
	check_origin good 0 $((4096 * count)) 1
}

check_caches() {
	run_test "$1 flushes volatile DRAM" check_origin volatile 0 256k 1
	run_test "$1 flushes protected DRAM" check_origin protected 0 256k 2
	run_test "$1 flushes a cache on top of a cache" check_origin stack 0 256k 3
}

# The steps of a kind of guest: how to end it.
case $SSDCACHE_LANE in
uml*) ends=(poweroff restart) ;;
vm*) ends=(restart kexec) ;;
esac

case $BOOT in
1)
	prepare_caches
	end_guest "${ends[0]}"
	;;
2)
	check_caches "${ends[0]}"
	prepare_caches
	end_guest "${ends[1]}"
	;;
3)
	check_caches "${ends[1]}"
	prepare_dead
	end_guest "${ends[0]}"
	;;
esac
run_test "${ends[0]} with dead origins ends, and the log says what is left" log_tells
run_test "an origin that fails at first, beside dead ones, gets its data" check_origin flaky 0 48k 4
run_test "FLUSHes that are acknowledged while the guest ends reach the origin" written_until_the_end
