#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: ssdflash keeps data: fio verify, ext4, remove and create again, suspend and reload under I/O, under ssdcache
# lane: uml-debug
# long: vm-newest vm-kcsan
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Small and fast, and busy with garbage collection.
geometry=(channels 2 chips 1 dies 1 planes 2 pages 16 page_bytes 4096 read_ns 2000 program_ns 10000 erase_ns 50000
	transfer_ps 100 over_provisioning 15 gc_threshold 5)

sectors=16384

setup() {
	make_nullb $((sectors / 2048)) irqmode=0 discard=1
	make_flash f0 "$NULLB" $sectors "${geometry[@]}" "$@"
}

verify() {
	fio --name=v --filename="$1" --rw=randwrite --bsrange=512-128k --blockalign=512 --size=7m --loops=3 --direct=1 \
		--ioengine=libaio --iodepth=16 --verify=crc32c --verify_backlog=256 --verify_state_save=0 --output="$scratch/fio" ||
		{ cat "$scratch/fio"; fail "fio fails"; }
}

flash_stat() {
	VALUE=$(dmsetup status "$1" | sed -n "s/.* $2 \([0-9]*\).*/\1/p")
}

fio_verify() {
	setup "$@"
	verify /dev/mapper/f0
	flash_stat f0 gc_runs
	expect "gc_runs" "$VALUE" -gt 0
	flash_stat f0 inflight
	expect "inflight" "$VALUE" -eq 0
}

file_system() {
	sectors=49152
	setup
	mkfs.ext4 -q /dev/mapper/f0
	mkdir "$scratch/m"
	mount -o discard /dev/mapper/f0 "$scratch/m"
	cp -r /usr/include/linux "$scratch/m"
	rm -r "$scratch/m/linux/netfilter"
	sync
	umount "$scratch/m"
	dmsetup remove f0
	# The data stay in place: the same with another geometry, and without ssdflash.
	make_flash f0 "$NULLB" $sectors profile s002 blocks 0
	e2fsck -fn /dev/mapper/f0
	mount -o ro /dev/mapper/f0 "$scratch/m"
	cmp /usr/include/linux/fs.h "$scratch/m/linux/fs.h"
	umount "$scratch/m"
	dmsetup remove f0
	e2fsck -fn "$NULLB"
	flash_table=$(make_flash f0 "$NULLB" $sectors "${geometry[@]}" && dmsetup table f0)
	dmsetup remove f0
	dmsetup create f0 --table "$flash_table"
	expect "table" "$(dmsetup table f0)" = "$flash_table"
}

suspend_under_io() {
	setup
	verify /dev/mapper/f0 &
	job=$!
	for _ in 1 2 3; do
		sleep 0.2
		dmsetup suspend f0
		dmsetup reload f0 --table "0 $sectors ssdflash $NULLB 4 profile s003 blocks 0"
		dmsetup resume f0
		dmsetup reload f0 --table "0 $sectors ssdflash $NULLB ${#geometry[@]} ${geometry[*]}"
		dmsetup suspend f0
		dmsetup resume f0
	done
	wait $job
}

under_ssdcache() {
	setup
	make_cache c0 /dev/mapper/f0 dram 1m replacement "$@"
	blkio write /dev/mapper/c0 0 1m 1
	# Replace the flash device under the running cache.
	dmsetup suspend f0
	dmsetup reload f0 --table "0 $sectors ssdflash $NULLB 4 profile s001 blocks 0"
	dmsetup resume f0
	verify /dev/mapper/c0
}

discards() {
	make_nullb 8 irqmode=0 discard="$1"
	make_flash f0 "$NULLB" $sectors "${geometry[@]}"
	blkio write /dev/mapper/f0 0 1m 1
	blkdiscard /dev/mapper/f0
	flash_stat f0 trimmed_pages
	expect "trimmed_pages" "$VALUE" -eq 256
	flash_stat f0 valid_pages
	expect "valid_pages" "$VALUE" -eq 0
}

origin_errors() {
	setup
	nullb_set "$NULLB" badblocks=+80-87
	blkio write /dev/mapper/f0 0 32k 1
	! blkio write /dev/mapper/f0 32k 32k 1 || fail "writing a bad block succeeds"
	! dd if=/dev/mapper/f0 of=/dev/null bs=4k skip=10 count=1 iflag=direct || fail "reading a bad block succeeds"
	blkio check /dev/mapper/f0 0 32k 1
}

# io_uring first asks the origin not to wait, and the origin refuses what it must split. io_uring repeats such a request if it is
# refused at once, but not if it ends after the time that the flash takes.
split_by_the_origin() {
	make_nullb $((sectors / 2048)) irqmode=0 max_sectors=8
	expect_fail blkio nowait "$NULLB" 0 64k
	make_flash f0 "$NULLB" $sectors
	blkio nowait /dev/mapper/f0 0 64k
	fio --name=v --filename=/dev/mapper/f0 --rw=write --bs=64k --size=1m --direct=1 --ioengine=io_uring --iodepth=4 \
		--verify=crc32c --verify_state_save=0 --output="$scratch/fio" || { cat "$scratch/fio"; fail "fio fails"; }
}

refused() {
	setup
	dmsetup remove f0
	while IFS='|' read -r words reason; do
		dmesg -C
		! dmsetup create f0 --table "0 $sectors ssdflash $NULLB $words" 2>/dev/null || fail "$words: accepted"
		grep -qF "$reason" <<<"$(dmesg)" || { dmesg; fail "$words: missing reason: $reason"; }
	done <<-END
		0 profile|is not the even number of words
		2 profile s009|s009: no such profile; there are custom sha23
		2 profile s002:x=1|must be a name alone
		4 channels 4 profile s002|must be the first key
		2 channels 0|"0" is not a number from 1 to 64
		2 colour red|colour: ssdflash has no such parameter
		2 blocks 4|garbage collection needs
		10 channels 1 chips 1 dies 1 blocks 45 pages 8|are needed
	END
	! dmsetup create f0 --table "0 $((sectors + 1)) ssdflash $NULLB 0" || fail "longer than its origin, but accepted"
	blockdev --setro "$NULLB"
	! dmsetup create f0 --table "0 $sectors ssdflash $NULLB 0" || fail "read-only origin accepted"
	grep -q "is read-only: make it writable" <<<"$(dmesg)"
	blockdev --setrw "$NULLB"
	! dmsetup create f0 --table "0 $sectors ssdflash /dev/nothing 0" || fail "missing origin accepted"
	make_flash f0 "$NULLB" $sectors
	! dmsetup message f0 0 reset_stats now || fail "message with too many words accepted"
	! dmsetup message f0 0 colour || fail "unknown message accepted"
}

run_test "fio verify" fio_verify
run_test "fio verify, static allocation, cache program" fio_verify allocation static cache_program on
run_test "fio verify, aged, copyback" fio_verify aged_valid 50 aged_invalid 30 copyback on
run_test "ext4; remove, create with another geometry" file_system
run_test "suspend and reload under I/O" suspend_under_io
run_test "under ssdcache: cflru-ef-sc" under_ssdcache cflru-ef-sc:threshold=20 admission read-write
run_test "under ssdcache: lru" under_ssdcache lru
run_test "discards, origin with discards" discards 1
run_test "discards, origin without discards" discards 0
run_test "errors of the origin reach the host" origin_errors
run_test "requests that the origin splits, by io_uring" split_by_the_origin
run_test "wrong table lines are refused with the reason" refused
