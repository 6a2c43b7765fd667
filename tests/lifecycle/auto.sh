#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a cache chooses its policies while fio verifies its data, with suspends, reloads and a removal
# lane: uml-debug
# long: vm-6.12 vm-newest vm-kcsan

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SSDC_LONG:+60}
seconds=${seconds:-5}
# Decides, and mostly changes, every ten requests.
spec=auto:candidates=lru+lfu/write-buffer+cflru-ef-sc:threshold=10+fab+mq-ssd/l-corw:period_ms=1,period=10,memory=10,hysteresis=0,region=64

# count: add the changes since the choice began, before another one begins
count() {
	CHANGES=$((CHANGES + $(show c0 stats/auto/switches)))
}

# changed: has the choice changed the policies since it began, or has the load ended?
changed() {
	[ -e "$scratch/stop" ] || [ "$(show c0 stats/auto/switches)" -gt 0 ]
}

disturb() {
	local i

	for ((i = 0; ; i++)); do
		[ ! -e "$scratch/stop" ] || break
		poll 60 "a change" changed
		dmsetup suspend c0
		dmsetup resume c0
		# Only that readers do no harm: files may go away with a change, and then cannot be read.
		cat "$DM_DIR"/ssdcache/stats/{auto,shadow}/* >/dev/null 2>&1 || true
		pause 0.2
		count
		case $((i % 4)) in
		0) message c0 replacement "$spec" ;;
		1) message c0 admission l-corw:period_ms=1 ;;
		3) message c0 admission auto:candidates=read-write+write-buffer ;;
		2) reload_cache c0 "$NULLB" dram $((256 + i / 4 % 2 * 256))k admission read-write replacement "$spec" ;;
		esac
	done
	count
	echo "$CHANGES" >"$scratch/changes"
}

verified() {
	local disturber fio

	CHANGES=0
	make_nullb 32
	make_cache c0 "$NULLB" dram 256k admission read-write replacement "$spec"
	dm_dir c0
	disturb &
	disturber=$!
	fio_verify "$seconds" 8 \
		--name=random --filename=/dev/mapper/c0 --size=8m --rw=randrw --bsrange=512-32k --bs_unaligned=0 \
		--name=loop --filename=/dev/mapper/c0 --offset=8m --size=512k --rw=randrw --bs=4k --fsync=64 &
	fio=$!
	wait $fio || { cat "$scratch/fio.txt"; fail "fio found wrong data, or a request failed"; }
	all_end $disturber
	wait_quiescent c0
	expect_value c0 state ok
	expect_stat c0 failed_requests -eq 0
	expect "changes by auto" "$(<"$scratch/changes")" -ge 2
	echo "$(<"$scratch/changes") changes"
}

# A removal ends a choice that decides all the time.
removed() {
	local i

	make_nullb 32
	for ((i = 0; i < 5; i++)); do
		make_cache c0 "$NULLB" dram 128k admission read-write replacement "$spec"
		blkio write /dev/mapper/c0 0 4m $((i + 1)) 4k
		dmsetup remove c0
		blkio check "$NULLB" 0 4m $((i + 1))
	done
}

load() {
	fio --name=load --filename=/dev/mapper/c0 --size=16m --rw=randrw --bsrange=4k-16k --numjobs=4 --number_ios=1500 --norandommap \
		--ioengine=libaio --iodepth=8 --direct=1 --group_reporting --output="$scratch/fio.txt" ||
		{ touch "$scratch/counted"; fail "$(<"$scratch/fio.txt")"; }
}

# Requests that are not in the sample are counted without a lock, while policies change and files are read.
counted() {
	local rounds reader requests live sum=0 each reads writes flushes discards name

	make_nullb 32
	make_cache c0 "$NULLB" dram 1m admission read-write \
		replacement "$spec,rate=100000,pages=16"
	dm_dir c0
	while [ ! -e "$scratch/counted" ]; do
		cat "$DM_DIR"/ssdcache/stats/auto/* >/dev/null
		echo read >>"$scratch/reads"
		pause 0.01
	done &
	reader=$!
	for ((rounds = 0; rounds < 50; rounds++)); do
		load
		[ "$(show c0 stats/auto/switches)" -eq 0 ] || break
	done
	load
	touch "$scratch/counted"
	wait $reader
	wait_quiescent c0
	for name in reads writes flushes discards; do
		printf -v $name %s "$(show c0 stats/$name)"
	done
	requests=$(show c0 stats/auto/requests)
	read -ra live <<<"$(show c0 stats/auto/live_requests)"
	expect "requests" "$requests" -eq $((reads + writes + flushes + discards))
	expect "requests" "$requests" -ge 6000
	for each in "${live[@]}"; do
		sum=$((sum + each))
	done
	expect "requests by candidate" $sum -eq "$requests"
	expect "requests while the first one was live" "${live[0]}" -lt "$requests"
	expect "switches" "$(show c0 stats/auto/switches)" -ge 1
	expect "records" "$(show c0 stats/auto/records)" -lt $((requests / 2))
	expect "periods" "$(show c0 stats/auto/periods)" -eq $((requests / 10))
	expect "reads of the statistics" "$(wc -l <"$scratch/reads")" -ge 3
}

run_test "fio verifies its data while policies change" verified
run_test "removal while policies change" removed
run_test "every request is counted once" counted
