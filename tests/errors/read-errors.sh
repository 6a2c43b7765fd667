#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a read error fails that request and no other; the page is not cached
# lane: uml-debug

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

setup() {
	make_nullb 16
	blkio write "$NULLB" 0 2m 9
	make_cache c0 "$NULLB" dram "${dram:-256k}" "$@"
}

fails_and_does_not_enter() {
	setup "$@"
	blkio write /dev/mapper/c0 32k 4k 1
	nullb_set "$NULLB" badblocks=+0-127
	expect_fail blkio check /dev/mapper/c0 0 4k 9
	expect_match "failure" "$OUTPUT" "Input/output error"
	expect_stat c0 used -eq 1
	expect_stat c0 read_errors -ge 1
	expect_stat c0 failed_requests -eq 1
	# Hits, other misses and writes succeed.
	blkio check /dev/mapper/c0 32k 4k 1
	blkio check /dev/mapper/c0 64k 64k 9
	blkio write /dev/mapper/c0 4k 4k 2
	blkio check /dev/mapper/c0 4k 4k 2
	# It is no write error.
	expect_value c0 first_error 0
	expect_value c0 state ok
	nullb_set "$NULLB" badblocks=-0-127
	blkio check /dev/mapper/c0 0 4k 9 4k 2 24k 9 4k 1 4k 9
}

# A request of many pages: one is bad, some are cached.
part_of_a_request() {
	setup "$@"
	blkio write /dev/mapper/c0 8k 4k 1
	nullb_set "$NULLB" badblocks=+40-40
	expect_fail blkio check /dev/mapper/c0 0 8k 9 4k 1 116k 9 128k
	wait_quiescent c0
	expect_stat c0 waiting -eq 0
	nullb_set "$NULLB" badblocks=-40-40
	blkio check /dev/mapper/c0 0 8k 9 4k 1 116k 9
}

# Of a partly cached page, the sectors in DRAM can be read; the others fail.
part_of_a_page() {
	setup "$@"
	blkio write /dev/mapper/c0 1k 1k 1
	nullb_set "$NULLB" badblocks=+0-7
	blkio check /dev/mapper/c0 1k 1k 1
	expect_fail blkio check /dev/mapper/c0 0 1k 9
	expect_fail dd if=/dev/mapper/c0 iflag=direct bs=4k count=1 of=/dev/null status=none
	blkio check /dev/mapper/c0 1k 1k 1
	nullb_set "$NULLB" badblocks=-0-7
	blkio check /dev/mapper/c0 0 1k 9 1k 1 2k 9
}

# Several readers wait for the fill that fails, and a writer of the same page, which succeeds.
several_wait() {
	local readers=() writer i

	make_nullb 16
	blkio write "$NULLB" 0 2m 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 256k admission read-write
	hold origin
	for i in 1 2 3; do
		blkio check /dev/mapper/c0 0 4k 9 2>"$scratch/reader$i" &
		readers+=($!)
	done
	wait_stat c0 reads -eq 3
	blkio write /dev/mapper/c0 0 4k 1 &
	writer=$!
	wait_stat c0 waiting -ge 4
	dmsetup reload origin --table "0 32768 error"
	release origin
	for i in "${readers[@]}"; do
		if wait "$i"; then
			fail "a read succeeds"
		fi
	done
	grep -q "Input/output error" "$scratch/reader1" "$scratch/reader2" "$scratch/reader3"
	wait "$writer"
	blkio check /dev/mapper/c0 0 4k 1
	expect_stat c0 used -eq 1
}

# A page with a bad sector is not cached; its other sectors can be read.
rest_of_a_page() {
	dram=1m setup page 64k admission read-write
	nullb_set "$NULLB" badblocks=+64-64
	blkio check /dev/mapper/c0 0 32k 9
	blkio check /dev/mapper/c0 33k 31k 9
	expect_fail blkio check /dev/mapper/c0 32k 1k 9
	expect_stat c0 failed_requests -eq 1
	expect_stat c0 used -eq 0
	nullb_set "$NULLB" badblocks=-64-64
	blkio check /dev/mapper/c0 0 64k 9
	expect_stat c0 used -eq 1
}

# A read that must not wait, of an origin that would make it wait, is no read error: the host repeats it.
would_wait() {
	make_nullb 16
	blkio write "$NULLB" 0 64k 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 256k
	blkio write /dev/mapper/c0 32k 4k 1
	blkio nowait /dev/mapper/c0 0 4k
	hold origin
	expect_fail blkio nowait /dev/mapper/c0 0 4k
	expect_match "failure" "$OUTPUT" "Resource temporarily unavailable"
	# A hit does not wait.
	blkio nowait /dev/mapper/c0 32k 4k
	release origin
	blkio nowait /dev/mapper/c0 0 4k
	expect_stat c0 read_errors -eq 0
	expect_stat c0 failed_requests -eq 0
	expect_stat c0 reads -eq 4
}

# The same, but the read waits in DRAM for a frame, and bypasses DRAM because none becomes free. The origin must split it, which
# it refuses to do for those who must not wait. The host cannot repeat a read that fails so late, and sees no such failure.
waits_in_dram() {
	make_nullb 16 max_sectors=8
	blkio write "$NULLB" 8m 64k 9
	expect_fail blkio nowait "$NULLB" 8m 64k
	make_cache c0 "$NULLB" dram 64k admission read-write
	nullb_set "$NULLB" badblocks=+0-255
	blkio write /dev/mapper/c0 0 128k 1
	blkio nowait /dev/mapper/c0 8m 64k
	expect_stat c0 bypassed_reads -eq 1
	expect_stat c0 failed_requests -eq 0
	nullb_set "$NULLB" badblocks=-0-255
}

# A request of two shards is cut in two. The origin delays the first part, and refuses the second one, which it must split, at once. The
# request ends with the first part: too late for io_uring to repeat it.
of_two_shards() {
	make_nullb 16 max_sectors=8 irqmode=2 completion_nsec=20000000
	blkio write "$NULLB" 4092k 64k 9
	make_cache c0 "$NULLB" dram 1m shards 4
	# The last read of one shard, and the first one of another
	for offset in 4092k 4032k 4m; do
		fio --name=v --filename=/dev/mapper/c0 --rw=read --bs=64k --offset=$offset --size=64k --direct=1 --ioengine=io_uring \
			--output="$scratch/fio" || { cat "$scratch/fio"; fail "fio fails at $offset"; }
	done
	blkio nowait /dev/mapper/c0 4092k 64k
	# What one shard serves may still be refused.
	expect_fail blkio nowait /dev/mapper/c0 8k 64k
	expect_stat c0 failed_requests -eq 0
}

run_test "write-buffer: a read error fails the request, others go on" fails_and_does_not_enter
run_test "read-write: a read error fails the request, the page is not cached" fails_and_does_not_enter admission read-write
run_test "write-buffer: one bad page of a large read" part_of_a_request
run_test "read-write: one bad page of a large read" part_of_a_request admission read-write
run_test "write-buffer: a partly cached page" part_of_a_page
run_test "read-write: a partly cached page" part_of_a_page admission read-write
run_test "the good sectors of a page with a bad sector" rest_of_a_page
run_test "several requests wait for a page that cannot be read" several_wait
run_test "a read that must not wait, of an origin that would, is no read error" would_wait
run_test "a read that must not wait, and bypasses DRAM after a wait" waits_in_dram
run_test "a read that must not wait, of two shards" of_two_shards
