#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: writes to pages whose flush is in flight go on at once; the origin gets the older data, then the newer
# lane: uml-debug
# long: vm-6.12 vm-newest vm-kcsan

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# setup [WORD...]: 64 KiB of tag 1 are dirty
setup() {
	make_nullb 16 discard=1
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m "$@"
	blkio write /dev/mapper/c0 0 64k 1
}

# start_flush: send a FLUSH, whose page writes the origin holds up
start_flush() {
	get c0 stats/dirty
	hold origin
	blkio flush /dev/mapper/c0 &
	flush=$!
	wait_stat c0 device_inflight -eq "$VALUE"
}

end_flush() {
	release origin
	wait "$flush"
}

# Parts of kernel pages, whole ones, and parts that cross the border of two. "$2" pages of the cache are written.
parts_of_pages() {
	local moved=(512 1 1k 2 9728 1 2k 3 3k 1 4k 4 44544 1 512 5)

	setup page "$1"
	start_flush
	blkio write /dev/mapper/c0 512 1k 2
	blkio write /dev/mapper/c0 11k 2k 3
	blkio write /dev/mapper/c0 16k 4k 4
	blkio write /dev/mapper/c0 65024 512 5
	expect_stat c0 moved_writes -eq "$2"
	expect_stat c0 page_waits -eq 0
	blkio check /dev/mapper/c0 0 "${moved[@]}"
	end_flush
	# The FLUSH covers what was there when it began.
	blkio check "$NULLB" 0 64k 1
	expect_stat c0 dirty -eq "$2"
	blkio check /dev/mapper/c0 0 "${moved[@]}"
	message c0 flush
	blkio check "$NULLB" 0 "${moved[@]}"
	message c0 drop_clean
	expect_stat c0 used -eq 0
	blkio check /dev/mapper/c0 0 "${moved[@]}"
}

# A discard comes after both the older and the newer data.
discarded() {
	local discard

	setup page 16k
	start_flush
	blkio write /dev/mapper/c0 4k 16k 2
	expect_stat c0 moved_writes -eq 2
	blkio discard /dev/mapper/c0 8k 32k &
	discard=$!
	wait_stat c0 page_waits -ge 1
	end_flush
	wait "$discard"
	blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 4k 1 4k 2 32k 0 24k 1
	dmsetup remove c0
	blkio check "$NULLB" 0 4k 1 4k 2 32k 0 24k 1
}

# A FUA write is on the origin when it ends, whatever else is in flight.
fua() {
	local write

	setup page 16k
	start_flush
	blkio fua /dev/mapper/c0 4k 512 2 &
	write=$!
	wait_stat c0 moved_writes -eq 1
	end_flush
	wait "$write"
	blkio check "$NULLB" 0 4k 1 512 2 59k 1
}

fio=(fio --direct=1 --ioengine=libaio --bs=512 --verify=crc32c --verify_state_save=0)

# fio writes single sectors and sends FLUSHes, side by side, so pages are written while they are flushed. The data are read back
# from DRAM, after a reload, and from the origin alone.
verified() {
	local origin=$1 jobs

	shift
	make_nullb 64 irqmode=2 completion_nsec=1000000
	if [ "$origin" = ssdflash ]; then
		make_flash f0 "$NULLB" 98304 profile s002 blocks 0
		NULLB=/dev/mapper/f0
	fi
	make_cache c0 "$NULLB" dram 2m admission read-write "$@"
	jobs=(--name=write --offset=0 --size=96k --rw=write --iodepth=4 --thinktime=400us
		--name=fua --offset=1m --size=16k --rw=randwrite --iodepth=4 --sync=dsync
		--name=flush --offset=2m --size=32k --rw=write --fsync=1)
	"${fio[@]}" --filename=/dev/mapper/c0 --do_verify=0 "${jobs[@]}" >"$scratch/fio.txt"
	expect_stat c0 moved_writes -ge 5
	fio_check /dev/mapper/c0
	reload_cache c0 "$NULLB" dram 1m "$@"
	fio_check /dev/mapper/c0
	expect_value c0 state ok
	dmsetup remove c0
	fio_check "$NULLB"
}

# fio_check DEVICE: in the function that sets jobs. fio applies an option to the job before it, so common options come first.
fio_check() {
	"${fio[@]}" --filename="$1" --verify_only "${jobs[@]}" >>"$scratch/fio.txt" || {
		cat "$scratch/fio.txt"
		fail "fio found wrong data"
	}
}

run_test "parts of pages of 4k" parts_of_pages 4k 5
run_test "parts of pages of 16k" parts_of_pages 16k 3
run_test "parts of a page of 64k" parts_of_pages 64k 1
run_test "a discard" discarded
run_test "a FUA write" fua
run_test "fio verifies, pages of 4k, shards" verified null_blk shards 2
run_test "fio verifies, pages of 16k on ssdflash" verified ssdflash page 16k
run_test "fio verifies, pages of 64k" verified null_blk page 64k
