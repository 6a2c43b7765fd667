#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: shards: long discards, writes, reads and FLUSHes of several threads, while things change and the origin fails
# lane: uml-debug
# long: vm-6.1 vm-6.12 vm-newest vm-kcsan
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

rounds=${SSDC_LONG:+12}
rounds=${rounds:-2}
ms=1000

# race GRANULE: until it is over; with $changes, a list of words for reloads
race() {
	local pid i=0 words=("$@")

	names_of c0 replacement
	make_linear other /dev/mapper/c0
	make_linear third /dev/mapper/c0
	discard-race "$rounds" "$ms" "$RANDOM" "$1" /dev/mapper/c0 /dev/mapper/other /dev/mapper/third >"$scratch/race" 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		i=$((i + 1))
		case $((i % 4)) in
		0)
			message c0 replacement "${NAMES[i / 4 % ${#NAMES[@]}]}"
			message c0 drop_clean
			;;
		1)
			dmsetup suspend c0
			dmsetup resume c0
			;;
		2) message c0 flush 2>/dev/null || : ;;
		3) [ ${#words[@]} -lt 2 ] || reload_cache c0 "$ORIGIN" dram 3m shards "${words[i % (${#words[@]} - 1) + 1]}" retry_ms 20 ;;
		esac
		pause 0.1
	done
	cat "$scratch/race" >&2
	wait "$pid" || fail "wrong data: $(head -20 "$scratch/race")"
	dmsetup remove other
	dmsetup remove third
	wait_quiescent c0
}

over_null() {
	make_nullb 64 discard=1
	ORIGIN=$NULLB
	make_cache c0 "$NULLB" retry_ms 20 "$@"
}

plain() {
	over_null dram "$2" shards "$1"
	race 1
}

protected() {
	over_null dram 16m shards "$1" dram_mode protected
	race 1
}

reloads() {
	over_null dram 3m shards 4
	race 1 2 16 1 4
}

over_thin() {
	make_thin 128
	ORIGIN=/dev/mapper/thin
	make_cache c0 /dev/mapper/thin dram 3m shards "$1"
	race 128 16 2 4
}

failing() {
	need_driver flakey
	make_nullb 64 discard=1
	dmsetup create flaky --table "0 131072 flakey $NULLB 0 1 1 1 error_writes"
	ORIGIN=/dev/mapper/flaky
	make_cache c0 /dev/mapper/flaky dram 8m shards "$1" retry_ms 20 "${@:2}"
	race 1
	dmsetup suspend flaky
	dmsetup reload flaky --table "0 131072 linear $NULLB 0"
	dmsetup resume flaky
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
}

run_test "16 shards" plain 16 4m
run_test "protected DRAM" protected 4
run_test "reloads" reloads
run_test "reloads above a thin device" over_thin 4
run_test "an origin that fails now and then" failing 4
run_test "an origin that fails now and then, protected DRAM" failing 16 dram_mode protected
