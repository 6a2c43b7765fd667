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

changes=${SSDC_LONG:+150}
changes=${changes:-20}

# writes_since NUMBER PID: has the cache taken writes since it had so many, or has the process that writes ended?
writes_since() {
	get c0 stats/writes
	[ "$VALUE" -gt "$1" ] || ! kill -0 "$2" 2>/dev/null
}

# change_policy PID: all policies in turn, $changes times, unless the process ends before
change_policy() {
	local before i name

	for ((i = 0; i < changes; i++)); do
		kill -0 "$1" 2>/dev/null || break
		name=${NAMES[i % ${#NAMES[@]}]}
		get c0 stats/writes
		before=$VALUE
		message c0 replacement "$name"
		expect_value c0 replacement "$name"
		pause 1
		poll 60 "writes after the change" writes_since "$before" "$1"
	done
}

# verify: fio verifies its data, again and again until $scratch/stop exists, so that a slow guest changes policies as often as a fast one
verify() {
	until [ -e "$scratch/stop" ]; do
		fio_verify 10 8 \
			--name=small --filename=/dev/mapper/c0 --offset=0 --size=40m --rw=randrw --bsrange=512-64k --bs_unaligned=0 \
			--name=sync --filename=/dev/mapper/c0 --offset=40m --size=8m --rw=randwrite --bs=8k --fsync=16 ||
			fail "fio found wrong data, or a request failed: $(<"$scratch/fio.txt")"
	done
}

every_second() {
	local load fio

	make_nullb 64
	make_cache c0 "$NULLB" dram 4m admission read-write
	names_of c0 replacement
	write_and_check /dev/mapper/c0 48m &
	load=$!
	verify &
	fio=$!
	change_policy $fio
	all_end "$fio" "$load"
	wait_quiescent c0
	expect_value c0 state ok
	expect_stat c0 failed_requests -eq 0
	dmsetup remove c0
	blkio check "$NULLB" 48m 512k "$(<"$scratch/tag")"
}

run_test "a policy a second, while fio verifies its data" every_second
