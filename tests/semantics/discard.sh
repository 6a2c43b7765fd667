#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: DISCARD, WRITE_ZEROES and secure erase drop pages from DRAM and go to the origin; old data never come back
# lane: uml-debug
# long: uml vm-6.1 vm-6.12

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

# limit FILE: a limit of the cache's queue, as $VALUE
limit() {
	dm_dir c0
	read -r VALUE <"$DM_DIR/queue/$1"
}

# Dirty pages go without a write, the origin is told.
drops_and_passes_down() {
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
	drops_and_passes_down loop zero '[NW][^ ]*'
}

# Without WRITE_ZEROES below the kernel writes zeroes; these enter DRAM like any write.
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

# parts_of_granules SECTOR FROM BYTES TAG [OPTION-OF-NULL_BLK]: a discard of less than its granule, here a flash page of 8 KiB, an
# origin may ignore, and show what was written before. The cache begins at SECTOR of it; of 32k from 4k on only BYTES from FROM on
# are discarded (the block layer cuts at multiples of 8k, wherever granules begin), and then read as TAG.
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

# No device here can erase securely: the cache must not claim that it can.
secure_erase() {
	setup null_blk
	blkio write /dev/mapper/c0 0 4k 1
	expect_fail blkio erase /dev/mapper/c0 0 4k
	expect_match "error" "$OUTPUT" "not supported"
	blkio check /dev/mapper/c0 0 4k 1
}

# Sectors 3..4 of page 0, from the end of page 1 to the start of page 4, and a page of which only some sectors are cached.
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
	dd if="$origin" iflag=direct bs=128k count=1 of="$scratch/below" status=none
	cmp "$scratch/cached" "$scratch/below"
	blkio check "$origin" 0 1536 1 1k 0 4608 1 10k 0 23k 1 60k 9 1536 0 512 2 26k 9
}

# More pages than DRAM has frames: the other way to walk.
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

# A flush of the page is on its way: the discard comes after it.
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

# A read brings the page in: what it brings must not stay.
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

# The discard is below when a read comes: what it reads may be old, but must not stay.
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

# A read waits for a frame, with a grant, when the discard comes.
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

# Written after the discard was sent but before it ended: either is right, but DRAM and origin must agree in the end.
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

run_test "DISCARD drops dirty pages unwritten and is passed down" drops_and_passes_down null_blk discard 'D[^ ]*'
run_test "WRITE_ZEROES drops dirty pages unwritten and is passed down" write_zeroes
run_test "zeroing an origin without WRITE_ZEROES" zeroes_as_writes
run_test "secure erase is refused where the origin has none" secure_erase
for page in 4k 8k 32k; do
	run_test "DISCARD of parts of pages of $page" parts_of_pages null_blk page "$page"
done
run_test "DISCARD of parts of pages, read-write admission" parts_of_pages null_blk admission read-write
run_test "DISCARD of parts of the origin's granules" parts_of_granules 0 8192 24576 0 discard=1
run_test "DISCARD of parts of granules that begin at sector 13" parts_of_granules 3 14848 16384 0 discard=1
run_test "DISCARD of parts of granules of a flash device that keeps its data" parts_of_granules 0 8192 24576 1
run_test "DISCARD of the whole device" whole_device
run_test "DISCARD of pages that are being flushed" during_flush null_blk
run_test "DISCARD of pages that are being read in" during_fill null_blk
run_test "a read during a DISCARD leaves nothing old in DRAM" read_during_discard null_blk
run_test "a read that waits for a frame during a DISCARD leaves nothing old in DRAM" read_granted_during_discard
run_test "a write during a DISCARD" write_during_discard null_blk
