#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: FLUSHes of the origin that fail while its writes succeed
# lane: vm-6.12
# long: vm-newest

# Only scsi_debug can fail a single kind of command, from Linux 6.7 on.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ENODATA=61

# fail_flushes COUNT: the next COUNT commands SYNCHRONIZE CACHE end with a medium error (of a read: others are tried again)
fail_flushes() {
	echo "2 -$1 0x35 0 0 0x2 0x3 0x11 0" >"$ERRORS"
}

mend_flushes() {
	echo "- 2 0x35" >"$ERRORS" 2>/dev/null || :
}

setup() {
	local dir

	make_scsi 16
	for dir in /sys/kernel/debug/scsi_debug/*/error; do
		ERRORS=$dir
	done
	[ -w "${ERRORS-}" ] || skip "scsi_debug cannot fail single commands"
	expect_eq "write cache" "$(<"/sys/block/${DISK#/dev/}/queue/write_cache")" "write back"
	make_cache c0 "$DISK" dram 1m "$@"
	blkio write /dev/mapper/c0 0 64k 1
}

# A retry of the flush finds only clean pages, and its FLUSH succeeds: the error must stay visible.
message_is_remembered() {
	setup
	fail_flushes 1
	expect_fail message c0 flush
	mend_flushes
	expect_value c0 state "error:$ENODATA"
	expect_stat c0 flush_errors -eq 1
	# All pages are written again.
	message c0 flush
	expect_stat c0 forced_flushed -eq 32
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	expect_value c0 state "error:$ENODATA"
	blkio check "$DISK" 0 64k 1
	dmsetup remove c0
}

suspend_is_remembered() {
	setup
	fail_flushes 1
	dmsetup suspend c0
	mend_flushes
	dmsetup resume c0
	expect_stat c0 flush_errors -eq 1
	expect_stat c0 dirty -eq 0
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	dmsetup remove c0
}

# The new table knows what the old one has not reported.
reload_is_remembered() {
	setup
	fail_flushes 1
	reload_cache c0 "$DISK" dram 2m
	mend_flushes
	expect_value c0 state "error:$ENODATA"
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 64k 1
	dmsetup remove c0
}

fua_is_remembered() {
	setup
	fail_flushes 1
	expect_fail blkio fua /dev/mapper/c0 1m 4k 2
	mend_flushes
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 1m 4k 2
	dmsetup remove c0
}

host_is_told_once() {
	setup "$@"
	fail_flushes 1
	expect_fail blkio flush /dev/mapper/c0
	mend_flushes
	blkio flush /dev/mapper/c0
	blkio check "$DISK" 0 64k 1
	dmsetup remove c0
}

# The FLUSH of one shard's write may have lost what another shard has written.
other_shards_write_again() {
	setup shards 4
	blkio write /dev/mapper/c0 4m 64k 2
	message c0 set flush_interval_s 1
	wait_stat c0 dirty -eq 0
	message c0 set flush_interval_s 0
	wait_quiescent c0
	expect_stat c0 periodic_flushed -eq 32
	fail_flushes 1
	expect_fail blkio fua /dev/mapper/c0 1m 4k 3
	mend_flushes
	expect_stat c0 flush_errors -eq 1
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	# The 32 pages, and that of the FUA write.
	expect_stat c0 dirty -eq 0
	expect_stat c0 forced_flushed -ge 33
	blkio check "$DISK" 0 64k 1
	blkio check "$DISK" 4m 64k 2
	dmsetup remove c0
}

# commit_fails DEVICE: a FLUSH fails that is part of the write with which ext4 commits. Device-mapper forgets its error.
commit_fails() {
	local status=0

	modprobe -q ext4 || :
	mkfs.ext4 -q "$1"
	mkdir -p "$scratch/mnt"
	mount "$1" "$scratch/mnt"
	dd if=/dev/zero of="$scratch/mnt/file" bs=4k count=1 conv=fsync status=none
	fail_flushes 1
	dd if=/dev/urandom of="$scratch/mnt/file" bs=4k count=1 conv=notrunc,fsync || status=$?
	mend_flushes
	umount "$scratch/mnt"
	expect_ne "exit status of dd" "$status" 0
}

commit_fails_on_cache() {
	setup "$@"
	commit_fails /dev/mapper/c0
	dmsetup remove c0
}

# dm-linear may send the FLUSH with the sector of the volume.
commit_fails_on_linear() {
	setup
	dmsetup create volume --table "0 30720 linear /dev/mapper/c0 2048"
	commit_fails /dev/mapper/volume
	dmsetup remove volume
	dmsetup remove c0
}

commit_fails_on_flash() {
	setup
	dmsetup remove c0
	make_flash f0 "$DISK" 16384
	commit_fails /dev/mapper/f0
	dmsetup remove f0
}

run_test "a failed FLUSH of the message flush is reported by the next host FLUSH" message_is_remembered
run_test "a failed FLUSH of a suspend is reported by the next host FLUSH" suspend_is_remembered
run_test "a failed FLUSH of a reload is reported by the next host FLUSH" reload_is_remembered
run_test "a failed FLUSH of a FUA write is reported by the next host FLUSH" fua_is_remembered
run_test "a failed host FLUSH is reported once" host_is_told_once
run_test "a failed host FLUSH is reported once, with shards" host_is_told_once shards 4
run_test "a failed FLUSH of one shard's makes the others write again" other_shards_write_again
run_test "a failed FLUSH that is part of a commit of a journal fails fsync" commit_fails_on_cache
run_test "a failed FLUSH that is part of a commit of a journal fails fsync, shards" commit_fails_on_cache shards 4
run_test "a failed FLUSH that is part of a commit of a journal fails fsync, ssdflash" commit_fails_on_flash
run_test "a failed FLUSH that is part of a commit of a journal fails fsync, dm-linear on top" commit_fails_on_linear
