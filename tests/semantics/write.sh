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

# The origin gets the data of the first write, and DRAM has those of the second one, which does not wait.
rewrite_during_flush() {
	local flush

	setup
	blkio write /dev/mapper/c0 0 4k 1
	hold origin
	message c0 flush &
	flush=$!
	wait_stat c0 flushing -eq 1
	blkio write /dev/mapper/c0 0 4k 2
	expect_stat c0 moved_writes -eq 1
	expect_stat c0 page_waits -eq 0
	blkio check /dev/mapper/c0 0 4k 2
	release origin
	wait "$flush"
	blkio check "$NULLB" 0 4k 1
	blkio check /dev/mapper/c0 0 4k 2
	expect_stat c0 dirty -eq 1
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
run_test "a write to a page that is being flushed goes on, and its data stay" rewrite_during_flush
for page in 4k 16k 64k; do
	run_test "partly written pages of $page" parts_of_pages "$page"
done
