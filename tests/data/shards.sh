#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: shards: fio verifies data while policies, DRAM, tables and the number of shards change
# lane: uml
# long: uml-debug vm-6.1 vm-6.12 vm-kcsan
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SSDC_LONG:+120}
seconds=${seconds:-8}
# Number of shards and size of DRAM of the tables that follow each other.
tables=("shards 4 dram 2m" "shards 2 dram 1m" "shards 4 dram 1300k" "shards 7 dram 4m page 8k")
admissions=(read-write write-buffer)

# change_things PID: until the process ends; the number of rounds is in $ROUNDS
change_things() {
	ROUNDS=0
	while kill -0 "$1" 2>/dev/null; do
		message c0 replacement "${NAMES[ROUNDS % ${#NAMES[@]}]}"
		expect_value c0 replacement "${NAMES[ROUNDS % ${#NAMES[@]}]}"
		message c0 admission "${admissions[ROUNDS % 2]}"
		message c0 set idle_us $((ROUNDS % 3 * 500))
		case $((ROUNDS % 5)) in
		0) message c0 drop_clean ;;
		1)
			dmsetup suspend c0
			dmsetup resume c0
			;;
		2) message c0 flush ;;
		3)
			# shellcheck disable=SC2086 # a list of words
			reload_cache c0 "$NULLB" ${tables[ROUNDS / 5 % ${#tables[@]}]} admission read-write
			;;
		4) blkio discard /dev/mapper/c0 60m $((ROUNDS % 2 ? 52 : 4))m ;;
		esac
		ROUNDS=$((ROUNDS + 1))
		echo "$ROUNDS" >"$scratch/rounds"
		pause 0.2
	done
}

# write_discarded: write where discards are, until $scratch/stop exists
write_discarded() {
	local i

	for ((i = 1; ; i++)); do
		blkio write /dev/mapper/c0 $((64 + i % 5 * 8))m 8m "$i" 60k
		[ ! -e "$scratch/stop" ] || return 0
	done
}

# verify: until each kind of change, discards of many regions included, has come, however slow the guest is
verify() {
	echo 0 >"$scratch/rounds"
	until [ "$(<"$scratch/rounds")" -ge 10 ]; do
		fio_verify "$seconds" 8 \
			--name=small --filename=/dev/mapper/c0 --offset=0 --size=24m --rw=randrw --bsrange=512-64k --bs_unaligned=0 \
			--name=large --filename=/dev/mapper/c0 --offset=24m --size=24m --rw=randrw --bssplit=4k/40:128k/40:1m/20 \
			--name=sync --filename=/dev/mapper/c0 --offset=48m --size=8m --rw=randwrite --bs=8k --fsync=16
	done
}

# The origin has 28 regions. Discards have one of them, or 13, which reach the origin as one.
verified() {
	local load fio writer

	make_nullb 112 discard=1
	make_cache c0 "$NULLB" dram 2m shards 4 admission read-write
	names_of c0 replacement
	write_and_check /dev/mapper/c0 56m &
	load=$!
	write_discarded &
	writer=$!
	verify &
	fio=$!
	change_things $fio
	wait $fio || { cat "$scratch/fio.txt"; fail "fio found wrong data, or a request failed"; }
	expect "rounds" "$ROUNDS" -ge 10
	all_end "$load" "$writer"
	blkio discard /dev/mapper/c0 60m 52m
	wait_quiescent c0
	expect_value c0 state ok
	expect_stat c0 failed_requests -eq 0
	dmsetup remove c0
	blkio check "$NULLB" 56m 512k "$(<"$scratch/tag")" 3584k 0 52m 0
	echo "$ROUNDS rounds in $seconds s"
}

run_test "fio verify, four shards, under live changes" verified
