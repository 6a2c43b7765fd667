#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: FLUSHes of the origin that fail while its writes succeed
# lane: vm-6.12

# Only scsi_debug can fail a single kind of command, from Linux 6.7 on.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ENODATA=61

# make_scsi: an emulated disk with a volatile cache, as $DISK
make_scsi() {
	local dir

	# A guest is booted for all scripts of its lane, so another one may have loaded the module.
	modprobe -r scsi_debug || :
	modprobe sd_mod
	modprobe scsi_debug dev_size_mb=16 delay=0 || skip "this kernel has no scsi_debug"
	poll 60 "emulated disk" scsi_found
	for dir in /sys/kernel/debug/scsi_debug/*/error; do
		ERRORS=$dir
	done
	[ -w "${ERRORS-}" ] || skip "scsi_debug cannot fail single commands"
}

scsi_found() {
	local dir

	for dir in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
		DISK=/dev/${dir##*/}
	done
	[ -b "${DISK-}" ]
}

# fail_flushes COUNT: the next COUNT commands SYNCHRONIZE CACHE end with a medium error (of a read: others are tried again)
fail_flushes() {
	echo "2 -$1 0x35 0 0 0x2 0x3 0x11 0" >"$ERRORS"
}

mend_flushes() {
	echo "- 2 0x35" >"$ERRORS" 2>/dev/null || :
}

setup() {
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
	make_scsi
	expect_eq "write cache" "$(<"/sys/block/${DISK#/dev/}/queue/write_cache")" "write back"
	make_cache c0 "$DISK" dram 1m
	blkio write /dev/mapper/c0 0 64k 1
}

done_with_it() {
	dmsetup remove c0
	modprobe -r scsi_debug
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
	done_with_it
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
	done_with_it
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
	done_with_it
}

fua_is_remembered() {
	setup
	fail_flushes 1
	expect_fail blkio fua /dev/mapper/c0 1m 4k 2
	mend_flushes
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 1m 4k 2
	done_with_it
}

host_is_told_once() {
	setup
	fail_flushes 1
	expect_fail blkio flush /dev/mapper/c0
	mend_flushes
	blkio flush /dev/mapper/c0
	blkio check "$DISK" 0 64k 1
	done_with_it
}

run_test "a failed FLUSH of the message flush is reported by the next host FLUSH" message_is_remembered
run_test "a failed FLUSH of a suspend is reported by the next host FLUSH" suspend_is_remembered
run_test "a failed FLUSH of a reload is reported by the next host FLUSH" reload_is_remembered
run_test "a failed FLUSH of a FUA write is reported by the next host FLUSH" fua_is_remembered
run_test "a failed host FLUSH is reported once" host_is_told_once
