#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a read returns the newest acknowledged data, whatever I/O is in flight
# lane: uml
# long: uml-debug vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

setup() {
	make_nullb 16
	blkio write "$NULLB" 0 1m 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 256k "$@"
}

during_flush() {
	local flush

	setup
	blkio write /dev/mapper/c0 0 64k 1
	hold origin
	message c0 flush &
	flush=$!
	wait_stat c0 flushing -eq 16
	timeout 5 blkio check /dev/mapper/c0 0 64k 1
	release origin
	wait "$flush"
	blkio check /dev/mapper/c0 0 64k 1
}

# A victim has left the policy, but stays in the page directory until its flush ends.
during_eviction() {
	local writer

	setup
	blkio write /dev/mapper/c0 0 256k 1
	hold origin
	blkio write /dev/mapper/c0 512k 64k 2 &
	writer=$!
	wait_stat c0 flushing -ge 1
	timeout 5 blkio check /dev/mapper/c0 0 256k 1
	release origin
	wait "$writer"
	blkio check /dev/mapper/c0 0 256k 1
	blkio check /dev/mapper/c0 512k 64k 2
}

# The page is written while its fill is in flight. The read has not ended, so it may return the old data or the new.
write_during_fill() {
	local reader writer

	setup admission read-write
	hold origin
	blkio tag /dev/mapper/c0 0 >"$scratch/tag" &
	reader=$!
	wait_stat c0 device_inflight -ge 1
	blkio write /dev/mapper/c0 0 4k 1 &
	writer=$!
	wait_stat c0 waiting -eq 2
	release origin
	wait "$reader"
	wait "$writer"
	grep -qx '[19]' "$scratch/tag"
	blkio check /dev/mapper/c0 0 4k 1
	message c0 flush
	blkio check "$NULLB" 0 4k 1
}

# The page is written while a read that bypasses DRAM is in flight: later reads return the new data.
write_during_bypass() {
	local reader

	setup
	hold origin
	blkio tag /dev/mapper/c0 0 >"$scratch/tag" &
	reader=$!
	wait_stat c0 device_inflight -ge 1
	blkio write /dev/mapper/c0 0 4k 1
	timeout 5 blkio check /dev/mapper/c0 0 4k 1
	release origin
	wait "$reader"
	expect_eq "tag of the read that came first" "$(<"$scratch/tag")" 9
	blkio check /dev/mapper/c0 0 4k 1
}

# One request over cached, partly cached and missing pages.
mixed() {
	setup "$@"
	blkio write /dev/mapper/c0 8k 4k 1
	blkio write /dev/mapper/c0 13k 1k 2
	blkio write /dev/mapper/c0 23k 2k 3
	blkio write /dev/mapper/c0 48k 512 4
	# Read all of it in one request, and compare with the origin.
	dd if=/dev/mapper/c0 iflag=direct bs=64k count=1 of="$scratch/whole" status=none
	dmsetup remove c0
	dd if="$NULLB" iflag=direct bs=64k count=1 of="$scratch/on-origin" status=none
	cmp "$scratch/whole" "$scratch/on-origin"
	blkio check "$NULLB" 0 8k 9 4k 1 1k 9 1k 2 9k 9 2k 3 23k 9 512 4 15872 9
}

write_buffer_does_not_cache_reads() {
	setup
	blkio check /dev/mapper/c0 0 64k 9
	expect_stat c0 used -eq 0
	expect_stat c0 bypassed_reads -eq 1
	expect_stat c0 read_hits -eq 0
}

read_write_caches_reads() {
	setup admission read-write
	blkio check /dev/mapper/c0 0 64k 9
	expect_stat c0 used -eq 16
	expect_stat c0 admitted_reads -eq 16
	expect_stat c0 read_hits -eq 0
	wait_quiescent c0
	hold origin
	timeout 5 blkio check /dev/mapper/c0 0 64k 9
	release origin
	expect_stat c0 read_hits -eq 16
}

# The origin is slow: pages are read throughout their flushes.
slow_origin() {
	local i writer

	make_nullb 16 irqmode=2 completion_nsec=3000000
	make_cache c0 "$NULLB" dram 64k "$@"
	for i in 1 2 3 4 5; do
		blkio write /dev/mapper/c0 0 32k "$i"
		blkio write /dev/mapper/c0 "$((i + 1))m" 256k "$i" &
		writer=$!
		while kill -0 "$writer" 2>/dev/null; do
			blkio check /dev/mapper/c0 0 32k "$i" 8k
		done
		wait "$writer"
		blkio check /dev/mapper/c0 0 32k "$i" 4k
		blkio check /dev/mapper/c0 "$((i + 1))m" 256k "$i"
	done
}

run_test "a page that is being flushed is read from DRAM" during_flush
run_test "a page that is being evicted is read from DRAM" during_eviction
run_test "a write during the fill of its page stays" write_during_fill
run_test "a write during a read that bypasses DRAM is seen by the next read" write_during_bypass
run_test "one read over cached, partly cached and missing pages, write-buffer" mixed
run_test "one read over cached, partly cached and missing pages, read-write" mixed admission read-write
run_test "one read over cached, partly cached and missing pages, pages of 16k" mixed page 16k admission read-write
run_test "write-buffer: a read that misses is not cached" write_buffer_does_not_cache_reads
run_test "read-write: a read that misses is cached, the next one hits" read_write_caches_reads
run_test "reads under eviction on a slow origin, write-buffer" slow_origin
run_test "reads under eviction on a slow origin, read-write" slow_origin admission read-write replacement cflru
