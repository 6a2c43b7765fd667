#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: ssdcachectl create --profile builds the whole stack in one line, and remove takes it down
# lane: uml

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "$0")/../.." && pwd -P)
ctl=$tree/userspace/build/bin/ssdcachectl
[ -x "$ctl" ] || fail "$ctl is missing: make userspace"

nothing_left() {
	expect "devices" "$(dmsetup ls)" = "No devices found"
	dirs=("$NULLB_CONFIG"/ssdc-*)
	[ ! -e "${dirs[0]}" ] || fail "${dirs[0]} is left"
}

on_memory() {
	need_driver null_blk
	"$ctl" create c0 --profile "$@" --dram 1m --replacement cflru-ef-sc >"$scratch/out"
	expect "output" "$(cat "$scratch/out")" = /dev/mapper/c0
	blkio write /dev/mapper/c0 0 4m 1
	blkio check /dev/mapper/c0 0 4m 1
	"$ctl" list
	dmsetup table
	! "$ctl" create c0 --profile s002 2>"$scratch/errors" || fail "there is one of that name"
	grep -q 'there is a device c0 already' "$scratch/errors"
	"$ctl" remove c0
	nothing_left
}

on_a_device() {
	make_nullb 32
	"$ctl" create c0 --origin "$NULLB" --profile s002:blocks=0 --dram 1m
	blkio write /dev/mapper/c0 0 4m 1
	"$ctl" remove c0
	expect "devices" "$(dmsetup ls)" = "No devices found"
	blkio check "$NULLB" 0 4m 1
}

# What fails leaves nothing behind, whichever step it is.
fails() {
	need_driver null_blk
	mkdir "$NULLB_CONFIG/ssdc-c0"
	! "$ctl" create c0 --profile s002 --size 1g || fail "the null_blk is somebody else's"
	[ -d "$NULLB_CONFIG/ssdc-c0" ] || fail "it was removed"
	rmdir "$NULLB_CONFIG/ssdc-c0"
	dmsetup create c0-flash --notable
	! "$ctl" create c0 --profile s002 --size 1g || fail "the name of the flash is taken"
	dmsetup remove c0-flash
	nothing_left
	# The kernel has no memory for that.
	! "$ctl" create c0 --profile s002 --size 1g --dram 512g || fail "it has the memory"
	nothing_left
	# A flash device of that name that was not made by create stays.
	make_nullb 32
	make_flash c0-flash "$NULLB" 65536
	make_cache c0 /dev/mapper/c0-flash dram 1m
	"$ctl" remove c0
	dmsetup status c0-flash
}

# What policies go by: a flash below is asked; any other device is estimated.
view_below() {
	make_nullb 32
	make_flash f0 "$NULLB" 32768 profile s002 blocks 0 allocation static
	make_cache c0 /dev/mapper/f0 dram 1m page 8k replacement ecr
	blkio write /dev/mapper/c0 0 4m 1
	expect_stat c0 exact_views -ge 384
	expect_stat c0 estimated_views -eq 0
	expect_stat c0 exact_view -eq 1
	expect_stat c0 replacement/dirty_victims -ge 384
	# At rest all is idle, as many channels as the flash has.
	message c0 flush
	wait_quiescent c0
	expect_stat c0 idle_channels -eq 4
	expect_stat c0 utilisation -eq 0
	blkio check /dev/mapper/c0 0 4m 1
	dmsetup remove c0
	dmsetup remove f0
	make_cache c0 "$NULLB" dram 1m page 8k replacement ecr channels 3
	blkio write /dev/mapper/c0 0 4m 2
	expect_stat c0 exact_views -eq 0
	expect_stat c0 estimated_views -ge 384
	expect_stat c0 exact_view -eq 0
	message c0 flush
	wait_quiescent c0
	expect_stat c0 idle_channels -eq 3
	blkio check /dev/mapper/c0 0 4m 2
}

run_test "s002, 8 GiB of memory that is not taken" on_memory s002 --size 8g
run_test "s000, as large as the paper's" on_memory s000
run_test "a geometry of one's own" on_memory custom:channels=2,blocks=200
run_test "on a device" on_a_device
run_test "what policies know of it" view_below
run_test "what fails leaves nothing behind" fails
