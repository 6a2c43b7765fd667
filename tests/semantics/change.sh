#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: plug-ins and tunables change while in use; cached pages stay, in order of use
# lane: uml
# long: uml-debug

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Clean and dirty pages survive changes to all policies and back.
pages_stay() {
	local name way=$1

	make_nullb 16
	blkio write "$NULLB" 0 1m 9
	make_cache c0 "$NULLB" dram 1m admission read-write
	blkio write /dev/mapper/c0 0 128k 1
	blkio check /dev/mapper/c0 128k 128k 9
	wait_quiescent c0
	names_of c0 replacement
	for name in "${NAMES[@]}" lru; do
		case $way in
		message) message c0 replacement "$name" ;;
		sysfs) put c0 replacement "$name" ;;
		esac
		expect_value c0 replacement "$name"
		expect_stat c0 used -eq 64
		expect_stat c0 dirty -eq 32
	done
	message c0 reset_stats
	blkio check /dev/mapper/c0 0 128k 1 128k 9
	get c0 stats/read_pages
	expect_stat c0 read_hits -eq "$VALUE"
	dmsetup remove c0
	blkio check "$NULLB" 0 128k 1 128k 9
}

# Page 0 of 16 was used again, so page 1 is the least recently used. It still is after a change to another policy and back.
order_stays() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 64k 1 4k
	blkio check /dev/mapper/c0 0 4k 1
	message c0 replacement "$1"
	message c0 replacement lru
	trace_start ssdcache:ssdcache_io_start
	blkio write /dev/mapper/c0 1m 12k 2 4k
	wait_quiescent c0
	trace_stop >"$scratch/trace"
	sed -n 's/.*flush evict frame [0-9]*, \([0-9]*\) .*/\1/p' "$scratch/trace" >"$scratch/victims"
	mapfile -t victims <"$scratch/victims"
	expect_eq "first sectors of the victims" "${victims[*]}" "8 16 24"
}

# Plug-ins change all the time: no request fails, no data are lost.
under_io() {
	local i name workers=() changes=0

	make_nullb 16
	make_cache c0 "$NULLB" dram 256k
	for i in 0 4 8; do
		{
			until [ -e "$scratch/stop" ]; do
				blkio write /dev/mapper/c0 "${i}m" 384k "$((++round))" 16k
				blkio check /dev/mapper/c0 "${i}m" 384k "$round"
			done
		} &
		workers+=($!)
	done
	names_of c0 replacement
	for i in 1 2 3; do
		for name in "${NAMES[@]}"; do
			put c0 replacement "$name"
			put c0 admission read-write
			put c0 prefetch pattern-plus:window=64
			put c0 prefetch rop
			put c0 prefetch c-miner:window=64
			put c0 prefetch pattern:window=64
			put c0 prefetch none
			put c0 admission l-corw:period_ms=1,cold=1000
			put c0 admission corw-8:period_ms=1,cold=1000,wt_sync=on
			put c0 admission write-buffer
			changes=$((changes + 1))
		done
	done
	touch "$scratch/stop"
	for i in "${workers[@]}"; do
		wait "$i"
	done
	expect "changes" "$changes" -ge 9
	expect_stat c0 failed_requests -eq 0
	expect_stat c0 evictions -gt 0
	wait_quiescent c0
}

# set_and_see WAY KEY VALUE FILE
set_and_see() {
	case $1 in
	message) message c0 set "$2" "$3" ;;
	sysfs) put c0 "$4" "$3" ;;
	esac
	expect_value c0 "$4" "$3"
}

tunables() {
	local line

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement cflru-ef:threshold=70 admission l-corw
	blkio write /dev/mapper/c0 0 128k 1
	set_and_see "$1" dram_mode protected params/dram_mode
	set_and_see "$1" idle_us 5000 params/idle_us
	set_and_see "$1" flush_interval_s 3600 params/flush_interval_s
	set_and_see "$1" retry_ms 7 params/retry_ms
	set_and_see "$1" channels 8 params/channels
	set_and_see "$1" dies 1 params/dies
	set_and_see "$1" threshold 60 params/replacement/threshold
	set_and_see "$1" replacement.adapt off params/replacement/adapt
	set_and_see "$1" ef_batch 3 params/replacement/ef_batch
	set_and_see "$1" epsilon 50 params/admission/epsilon
	set_and_see "$1" admission.period_ms 300 params/admission/period_ms
	set_and_see "$1" wt_sync on params/admission/wt_sync
	line=$(dmsetup table c0)
	expect_match "table" "$line" ' replacement cflru-ef:threshold=60,adapt=off,ef_batch=3 '
	expect_match "table" "$line" ' admission l-corw:period_ms=300,wt_sync=on,epsilon=50 '
	for word in 'dram_mode protected' 'idle_us 5000' 'flush_interval_s 3600' 'retry_ms 7' 'channels 8' 'dies 1'; do
		expect_match "table" "$line" " $word"
	done
	expect_stat c0 used -eq 32
	# At its default, a tunable is not printed in the table line.
	set_and_see "$1" dram_mode volatile params/dram_mode
	set_and_see "$1" threshold 80 params/replacement/threshold
	line=$(dmsetup table c0)
	expect_match "table" "$line" ' replacement cflru-ef:adapt=off,ef_batch=3 '
	if [[ $line = *dram_mode* ]]; then
		fail "dram_mode at its default: $line"
	fi
	blkio check /dev/mapper/c0 0 128k 1
}

# A spec sets the tunables it names, and all others to their defaults, even if the plug-in stays the same.
spec_sets_tunables() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement cflru:window=30
	expect_value c0 params/replacement/window 30
	message c0 replacement cflru:window=20
	expect_value c0 params/replacement/window 20
	message c0 replacement cflru
	expect_value c0 params/replacement/window 50
	put c0 replacement cflru-ef-sc:period=10,step=2
	expect_value c0 replacement cflru-ef-sc:period=10,step=2
	expect_value c0 params/replacement/period 10
	dm_dir c0
	[ ! -e "$DM_DIR/ssdcache/params/replacement/window" ] || fail "files of the old plug-in are left"
}

# Reads are cached from the change to read-write until the change back to write-buffer.
admission() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	blkio check /dev/mapper/c0 0 64k 0
	expect_stat c0 used -eq 0
	message c0 admission read-write
	blkio check /dev/mapper/c0 0 64k 0
	expect_stat c0 used -eq 16
	message c0 admission write-buffer
	blkio check /dev/mapper/c0 64k 64k 0
	expect_stat c0 used -eq 16
	message c0 reset_stats
	blkio check /dev/mapper/c0 0 64k 0
	expect_stat c0 read_hits -eq 16
}

# Plug-ins change while the origin is held up, so that no flush ends.
while_held() {
	local flush name

	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 256k
	blkio write /dev/mapper/c0 0 256k 1
	hold origin
	message c0 flush &
	flush=$!
	wait_stat c0 flushing -eq 64
	blkio write /dev/mapper/c0 1m 64k 2 &
	wait_stat c0 waiting -ge 1
	for name in cflru lfu cflru-ef-sc fifo cflru-ef lru; do
		timeout 10 dmsetup message c0 0 replacement "$name"
	done
	timeout 10 dmsetup message c0 0 set idle_us 100
	release origin
	wait "$flush"
	wait $!
	blkio check /dev/mapper/c0 0 256k 1
	blkio check /dev/mapper/c0 1m 64k 2
}

# drop_clean leaves dirty pages.
drop_clean() {
	make_nullb 16
	blkio write "$NULLB" 0 1m 9
	make_cache c0 "$NULLB" dram 1m admission read-write
	blkio check /dev/mapper/c0 0 64k 9
	blkio write /dev/mapper/c0 32k 64k 1
	wait_quiescent c0
	case $1 in
	message) message c0 drop_clean ;;
	sysfs) put c0 actions drop_clean ;;
	esac
	expect_stat c0 used -eq 16
	expect_stat c0 dirty -eq 16
	expect_stat c0 dropped_pages -eq 8
	blkio check /dev/mapper/c0 0 32k 9 64k 1
}

round=0
run_test "the replacement policy changes by message, pages stay" pages_stay message
run_test "the replacement policy changes by sysfs, pages stay" pages_stay sysfs
# With a threshold of 100 % nothing is flushed early, so all victims are dirty.
for policy in fifo lfu cflru cflru-ef:threshold=100,adapt=off cflru-ef-sc:threshold=100,adapt=off; do
	run_test "pages stay in order of use from lru to ${policy%%:*} and back" order_stays "$policy"
done
run_test "plug-ins change under I/O, no request fails" under_io
run_test "plug-ins change while the origin does not answer" while_held
run_test "tunables change by message" tunables message
run_test "tunables change by sysfs" tunables sysfs
run_test "a spec sets the tunables it names, and the others to their defaults" spec_sets_tunables
run_test "admission changes from the next read on" admission
run_test "drop_clean by message drops clean pages only" drop_clean message
run_test "drop_clean by sysfs drops clean pages only" drop_clean sysfs
