#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a write completes in DRAM; if all frames are dirty it waits for a flush
# lane: uml-debug
# long: uml vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# 16 frames, on an origin that can be held up.
setup() {
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k
}

acknowledged_in_dram() {
	setup
	hold origin
	blkio write /dev/mapper/c0 1m 64k 1
	expect_stat c0 dirty -eq 16
	expect_stat c0 write_absorbed -eq 16
	blkio check /dev/mapper/c0 1m 64k 1
	expect_stat c0 read_hits -eq 16
	blkio check "$NULLB" 1m 64k 0
	release origin
}

waits_when_all_is_dirty() {
	local writer

	setup
	hold origin
	blkio write /dev/mapper/c0 1m 64k 1
	blkio write /dev/mapper/c0 2m 8k 2 &
	writer=$!
	wait_stat c0 frame_waits -ge 1
	sleep 0.3
	kill -0 "$writer"
	expect_stat c0 waiting -eq 1
	expect_stat c0 writes -eq 2
	release origin
	wait "$writer"
	expect_stat c0 batch_flushed -ge 2
	blkio check /dev/mapper/c0 1m 64k 1
	blkio check /dev/mapper/c0 2m 8k 2
}

# A request that needs more frames than there are.
larger_than_dram() {
	setup
	blkio write /dev/mapper/c0 512 1m 1
	blkio check /dev/mapper/c0 512 1m 1
	dmsetup remove c0
	blkio check "$NULLB" 0 512 0 1m 1 4k 0
}

# Device-mapper cuts nothing: policies, statistics and latencies see the host's request.
across_a_mib() {
	setup
	blkio write /dev/mapper/c0 1008k 32k 1
	expect_stat c0 writes -eq 1
	expect_stat c0 write_pages -eq 8
	blkio check /dev/mapper/c0 1008k 32k 1
	expect_stat c0 reads -eq 1
	expect_value c0 stats/latency/write "count 1"
}

many_wait() {
	local i writers=()

	setup
	hold origin
	blkio write /dev/mapper/c0 0 64k 1
	for i in 1 2 3 4 5 6 7 8; do
		blkio write /dev/mapper/c0 "${i}m" 64k "$i" &
		writers+=($!)
	done
	wait_stat c0 waiting -eq 8
	release origin
	for i in "${writers[@]}"; do
		wait "$i"
	done
	expect_stat c0 waiting -eq 0
	for i in 1 2 3 4 5 6 7 8; do
		blkio check /dev/mapper/c0 "${i}m" 64k "$i"
	done
}

# rewrite_during_flush PAGE BEFORE LENGTH AFTER: with a flush of 4 pages in flight, write LENGTH bytes at BEFORE. The write
# goes to other frames. What it does not cover is copied from the data in flight, which do not change.
rewrite_during_flush() {
	local flush data=("$2" 1 "$3" 2 "$4" 1) total=$(($2 + $3 + $4))

	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m page "$1"
	blkio write /dev/mapper/c0 0 "$total" 1
	hold origin
	message c0 flush &
	flush=$!
	wait_stat c0 flushing -eq 4
	blkio write /dev/mapper/c0 "$2" "$3" 2
	expect_stat c0 moved_writes -gt 0
	expect_stat c0 page_waits -eq 0
	blkio check /dev/mapper/c0 0 "${data[@]}"
	release origin
	wait "$flush"
	blkio check "$NULLB" 0 "$total" 1
	blkio check /dev/mapper/c0 0 "${data[@]}"
	message c0 flush
	expect_stat c0 dirty -eq 0
	blkio check "$NULLB" 0 "${data[@]}"
}

# A write with FUA waits for the flush of its page, and the next write waits behind it.
rewrite_behind_fua() {
	local fua writer

	setup
	hold origin
	blkio fua /dev/mapper/c0 0 4k 1 &
	fua=$!
	wait_stat c0 page_waits -eq 1
	blkio write /dev/mapper/c0 0 4k 2 &
	writer=$!
	wait_stat c0 page_waits -eq 2
	kill -0 "$writer"
	expect_stat c0 moved_writes -eq 0
	release origin
	wait "$fua"
	wait "$writer"
	blkio check /dev/mapper/c0 0 4k 2
	message c0 flush
	blkio check "$NULLB" 0 4k 2
}

# A partly written page is completed with sectors of the origin before it is flushed.
parts_of_pages() {
	make_nullb 16
	blkio write "$NULLB" 0 256k 1
	make_cache c0 "$NULLB" dram 1m page "$1"
	blkio write /dev/mapper/c0 1536 512 2
	blkio write /dev/mapper/c0 3584 1k 3
	blkio write /dev/mapper/c0 130560 1k 4
	expect_stat c0 fills -eq 0
	message c0 flush
	expect_stat c0 fills -gt 0
	dmsetup remove c0
	blkio check "$NULLB" 0 1536 1 512 2 1536 1 1k 3 125952 1 1k 4 130560 1
}

run_test "a write completes once it is in DRAM" acknowledged_in_dram
run_test "a write waits while all frames are dirty and the origin is held up" waits_when_all_is_dirty
run_test "a write larger than DRAM" larger_than_dram
run_test "a request of 32k across a boundary of 1 MiB is one request" across_a_mib
run_test "many waiting writes all complete" many_wait
for page in 4k 16k 64k; do
	bytes=$((${page%k} * 1024))
	run_test "a write to pages of $page whose flush is in flight goes on, and the data in flight stay" \
		rewrite_during_flush "$page" 0 "$((4 * bytes))" 0
	run_test "so does a write to parts of pages of $page" rewrite_during_flush "$page" 1536 "$((3 * bytes))" "$((bytes - 1536))"
done
run_test "a write waits behind a FUA write of the page" rewrite_behind_fua
for page in 4k 16k 64k; do
	run_test "partly written pages of $page" parts_of_pages "$page"
done
