#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: DISCARD, WRITE_ZEROES and secure erase drop pages from DRAM and are forwarded; old data never return
# lane: uml-debug
# long: uml vm-6.1 vm-6.12 vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

dram=256k

# null_blk can discard but not write zeroes; a loop device on tmpfs does both.
setup() {
	local kind=$1

	shift
	if [ "$kind" = loop ]; then
		need_driver loop
		truncate -s 16m "$scratch/file"
		origin=$(losetup --show -f "$scratch/file")
	else
		make_nullb 16 discard=1
		origin=$NULLB
	fi
	blkio write "$origin" 0 1m 9
	make_linear origin "$origin"
	make_cache c0 /dev/mapper/origin dram "$dram" "$@"
}

# limit FILE: a queue limit of the cache, as $VALUE
limit() {
	dm_dir c0
	read -r VALUE <"$DM_DIR/queue/$1"
}

# Dirty pages are dropped without a flush, and the request is forwarded.
drops_and_forwards() {
	setup "$1"
	blkio write /dev/mapper/c0 0 64k 1
	blkio write /dev/mapper/c0 128k 16k 2
	trace_start ssdcache:ssdcache_io_start block:block_bio_queue
	blkio "$2" /dev/mapper/c0 0 64k
	trace_stop >"$scratch/trace"
	expect_stat c0 discards -eq 1
	expect_stat c0 dropped_pages -eq 16
	expect_stat c0 dirty -eq 4
	expect_stat c0 used -eq 4
	expect_fail grep ssdcache_io_start "$scratch/trace"
	grep -E "block_bio_queue: $(stat -c %Hr,%Lr "$origin") $3 0 \\+ 128 " "$scratch/trace"
	blkio check /dev/mapper/c0 0 64k 0
	blkio check "$origin" 0 64k 0
	blkio check /dev/mapper/c0 64k 64k 9
	blkio check /dev/mapper/c0 128k 16k 2
}

write_zeroes() {
	setup loop
	limit write_zeroes_max_bytes
	[ "$VALUE" != 0 ] || skip "the loop device of this kernel has no WRITE_ZEROES"
	dmsetup remove c0
	dmsetup remove origin
	losetup -d "$origin"
	drops_and_forwards loop zero '[NW][^ ]*'
}

# If the origin has no WRITE_ZEROES, the kernel writes zeroes, and these enter DRAM like any write.
zeroes_as_writes() {
	setup null_blk
	limit write_zeroes_max_bytes
	[ "$VALUE" = 0 ] || skip "null_blk of this kernel writes zeroes"
	blkio write /dev/mapper/c0 0 64k 1
	blkdiscard -z -o 4096 -l 8192 /dev/mapper/c0
	blkio check /dev/mapper/c0 0 4k 1
	blkio check /dev/mapper/c0 4k 8k 0
	blkio check /dev/mapper/c0 12k 52k 1
	dmsetup remove c0
	blkio check "$origin" 4k 8k 0
}

# parts_of_granules SECTOR FROM BYTES TAG [NULL_BLK-OPTION]: an origin may ignore a discard of less than a granule, here a
# flash page of 8 KiB, and then shows old data. The cache begins at SECTOR of the origin. Of a discard of 32k from 4k on, only
# BYTES from FROM on happen, and then read as TAG. (The block layer splits at multiples of 8k, wherever granules begin.)
parts_of_granules() {
	local first=$1 from=$2 bytes=$3 tag=$4 end=$(($2 + $3))

	make_nullb 17 "${@:5}"
	make_flash f0 "$NULLB" 32784 profile s002 page_bytes 8192 blocks 0
	dmsetup create origin --table "0 32768 linear /dev/mapper/f0 $first"
	make_cache c0 /dev/mapper/origin dram "$dram"
	limit discard_granularity
	expect "discard_granularity" "$VALUE" -eq 8192
	blkio write /dev/mapper/c0 0 64k 1
	blkio flush /dev/mapper/c0
	blkio write /dev/mapper/c0 0 64k 2
	blkio discard /dev/mapper/c0 0 4k
	blkio check /dev/mapper/c0 0 64k 2
	expect_stat c0 discards -eq 0
	blkio discard /dev/mapper/c0 4k 32k
	blkio check /dev/mapper/c0 0 "$from" 2
	blkio check /dev/mapper/c0 "$from" "$bytes" "$tag"
	blkio check /dev/mapper/c0 "$end" $((65536 - end)) 2
	expect_stat c0 discards -eq 1
}

# No device here has secure erase, so the cache must not claim it.
secure_erase() {
	setup null_blk
	blkio write /dev/mapper/c0 0 4k 1
	expect_fail blkio erase /dev/mapper/c0 0 4k
	expect_match "error" "$OUTPUT" "not supported"
	blkio check /dev/mapper/c0 0 4k 1
}

# Sectors 3 and 4 of page 0; the end of page 1 to the start of page 4; and part of a page with few cached sectors.
parts_of_pages() {
	dram=1m
	setup "$@"
	blkio write /dev/mapper/c0 0 40k 1
	blkio write /dev/mapper/c0 101k 1k 2
	blkio discard /dev/mapper/c0 1536 1k
	blkio discard /dev/mapper/c0 7k 10k
	blkio discard /dev/mapper/c0 100k 1536
	dd if=/dev/mapper/c0 iflag=direct bs=128k count=1 of="$scratch/cached" status=none
	dmsetup remove c0
	dd if="$origin" iflag=direct bs=128k count=1 of="$scratch/on-origin" status=none
	cmp "$scratch/cached" "$scratch/on-origin"
	blkio check "$origin" 0 1536 1 1k 0 4608 1 10k 0 23k 1 60k 9 1536 0 512 2 26k 9
}

# A discard of more pages than there are frames goes through the frames, not through the pages.
whole_device() {
	setup loop
	blkio write /dev/mapper/c0 900k 256k 1
	blkdiscard /dev/mapper/c0
	expect_stat c0 used -eq 0
	expect_stat c0 dropped_pages -eq 64
	blkio check /dev/mapper/c0 0 2m 0
	dmsetup remove c0
	blkio check "$origin" 0 2m 0
}

# The discard waits for the flush of the page.
during_flush() {
	local flush discard

	setup "$1"
	blkio write /dev/mapper/c0 0 64k 1
	hold origin
	message c0 flush &
	flush=$!
	wait_stat c0 flushing -eq 16
	blkio discard /dev/mapper/c0 0 32k &
	discard=$!
	wait_stat c0 discards -eq 1
	release origin
	wait "$flush"
	wait "$discard"
	blkio check /dev/mapper/c0 0 32k 0
	blkio check /dev/mapper/c0 32k 32k 1
	dmsetup remove c0
	blkio check "$origin" 0 32k 0
	blkio check "$origin" 32k 32k 1
}

# A fill of the page is in flight: its data must not stay.
during_fill() {
	local reader discard

	setup "$1" admission read-write
	hold origin
	blkio tag /dev/mapper/c0 0 >"$scratch/tag" &
	reader=$!
	wait_stat c0 device_inflight -ge 1
	blkio discard /dev/mapper/c0 0 32k &
	discard=$!
	wait_stat c0 discards -eq 1
	release origin
	wait "$reader"
	wait "$discard"
	blkio check /dev/mapper/c0 0 32k 0
	blkio check "$origin" 0 32k 0
	blkio check /dev/mapper/c0 32k 32k 9
}

# The discard is at the origin when a read arrives: the read may return old data, but these must not stay in DRAM.
read_during_discard() {
	local reader discard

	setup "$1" admission read-write
	hold origin
	blkio discard /dev/mapper/c0 0 32k &
	discard=$!
	wait_stat c0 device_inflight -ge 1
	blkio tag /dev/mapper/c0 4k >"$scratch/tag" &
	reader=$!
	wait_stat c0 reads -ge 1
	sleep 0.1
	release origin
	wait "$discard"
	wait "$reader"
	blkio check /dev/mapper/c0 0 32k 0
	wait_quiescent c0
	blkio check /dev/mapper/c0 0 32k 0
}

# A read waits for a frame when the discard arrives.
read_granted_during_discard() {
	local reader discard i

	make_nullb 16 discard=1
	blkio write "$NULLB" 0 1m 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k admission read-write
	for i in 1 2 3 4 5; do
		blkio write /dev/mapper/c0 2m 64k "$i"
		hold origin
		blkio tag /dev/mapper/c0 4k >"$scratch/tag" &
		reader=$!
		wait_stat c0 waiting -ge 1
		blkio discard /dev/mapper/c0 4k 4k &
		discard=$!
		sleep 0.1
		release origin
		wait "$reader"
		wait "$discard"
		blkio check /dev/mapper/c0 4k 4k 0
		wait_quiescent c0
		blkio check /dev/mapper/c0 4k 4k 0
	done
}

# A write before the discard has completed: either result is right, but DRAM and origin must agree in the end.
write_during_discard() {
	local writer discard tag

	setup "$1"
	hold origin
	blkio discard /dev/mapper/c0 0 4k &
	discard=$!
	wait_stat c0 device_inflight -ge 1
	blkio write /dev/mapper/c0 0 4k 1 &
	writer=$!
	sleep 0.1
	release origin
	wait "$discard"
	wait "$writer"
	tag=$(blkio tag /dev/mapper/c0 0)
	dmsetup remove c0
	blkio check "$origin" 0 4k "$tag"
	[ "$tag" != 9 ] || fail "data from before the discard"
}

run_test "DISCARD drops dirty pages unwritten and is forwarded" drops_and_forwards null_blk discard 'D[^ ]*'
run_test "WRITE_ZEROES drops dirty pages unwritten and is forwarded" write_zeroes
run_test "zeroing an origin without WRITE_ZEROES" zeroes_as_writes
run_test "secure erase is refused if the origin has none" secure_erase
for page in 4k 8k 32k; do
	run_test "DISCARD of parts of pages of $page" parts_of_pages null_blk page "$page"
done
run_test "DISCARD of parts of pages, read-write admission" parts_of_pages null_blk admission read-write
run_test "DISCARD of parts of the origin's granules" parts_of_granules 0 8192 24576 0 discard=1
run_test "DISCARD of parts of granules that begin at sector 13" parts_of_granules 3 14848 16384 0 discard=1
run_test "DISCARD of parts of granules of a flash device that keeps its data" parts_of_granules 0 8192 24576 1
run_test "DISCARD of the whole device" whole_device
run_test "DISCARD of pages that are being flushed" during_flush null_blk
run_test "DISCARD of pages that are being filled" during_fill null_blk
run_test "a read during a DISCARD leaves nothing old in DRAM" read_during_discard null_blk
run_test "a read that waits for a frame during a DISCARD leaves nothing old in DRAM" read_granted_during_discard
run_test "a write during a DISCARD" write_during_discard null_blk
