#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the replacement policy changes every second under load: no request fails, no page is lost
# lane: uml
# long: uml-debug vm-6.1 vm-kcsan
# timeout: 900
# kmemleak: yes
#
# kmemleak looks for leaks (with SSDC_LONG, in uml-debug): at 4 MiB of DRAM and a change a second, they are too small to
# show in the sums of the kernel's memory.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SSDC_LONG:+180}
seconds=${seconds:-20}

# writes_since NUMBER PID: has the cache taken writes since it had so many, or has the process that writes ended?
writes_since() {
	get c0 stats/writes
	[ "$VALUE" -gt "$1" ] || ! kill -0 "$2" 2>/dev/null
}

# change_policy PID: all policies in turn, until the process ends; the number of changes is in $CHANGES
change_policy() {
	local before

	CHANGES=0
	while kill -0 "$1" 2>/dev/null; do
		get c0 stats/writes
		before=$VALUE
		message c0 replacement "${NAMES[CHANGES % ${#NAMES[@]}]}"
		expect_value c0 replacement "${NAMES[CHANGES % ${#NAMES[@]}]}"
		CHANGES=$((CHANGES + 1))
		pause 1
		poll 60 "writes after the change" writes_since "$before" "$1"
	done
}

every_second() {
	local load fio

	make_nullb 64
	make_cache c0 "$NULLB" dram 4m admission read-write
	names_of c0 replacement
	write_and_check /dev/mapper/c0 48m &
	load=$!
	fio --name=small --filename=/dev/mapper/c0 --offset=0 --size=40m --rw=randrw --bsrange=512-64k --bs_unaligned=0 \
		--name=sync --filename=/dev/mapper/c0 --offset=40m --size=8m --rw=randwrite --bs=8k --fsync=16 \
		--ioengine=libaio --iodepth=8 --direct=1 --verify=crc32c --verify_backlog=64 --verify_fatal=1 --verify_state_save=0 \
		--time_based --runtime="$seconds" --group_reporting --output="$scratch/fio.txt" &
	fio=$!
	change_policy $fio
	wait $fio || { cat "$scratch/fio.txt"; fail "fio found wrong data, or a request failed"; }
	expect "changes" "$CHANGES" -ge $((seconds / 2))
	all_end "$load"
	wait_quiescent c0
	expect_value c0 state ok
	expect_stat c0 failed_requests -eq 0
	dmsetup remove c0
	blkio check "$NULLB" 48m 512k "$(<"$scratch/tag")"
	echo "$CHANGES changes in $seconds s"
}

run_test "a policy a second, while fio verifies its data" every_second
