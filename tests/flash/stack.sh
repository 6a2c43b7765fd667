#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: ssdcachectl create --profile builds the whole stack with one command, and remove removes it
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
	! "$ctl" create c0 --profile s002 2>"$scratch/errors" || fail "a name in use was accepted"
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

# A failure at any step leaves nothing behind.
fails() {
	need_driver null_blk
	mkdir "$NULLB_CONFIG/ssdc-c0"
	! "$ctl" create c0 --profile s002 --size 1g || fail "somebody else's null_blk was accepted"
	[ -d "$NULLB_CONFIG/ssdc-c0" ] || fail "it was removed"
	rmdir "$NULLB_CONFIG/ssdc-c0"
	dmsetup create c0-flash --notable
	! "$ctl" create c0 --profile s002 --size 1g || fail "a flash name in use was accepted"
	dmsetup remove c0-flash
	nothing_left
	# Too large for the kernel's memory.
	! "$ctl" create c0 --profile s002 --size 1g --dram 512g || fail "512 GiB of DRAM were accepted"
	nothing_left
	# A flash device of that name that create did not make stays.
	make_nullb 32
	make_flash c0-flash "$NULLB" 65536
	make_cache c0 /dev/mapper/c0-flash dram 1m
	"$ctl" remove c0
	dmsetup status c0-flash
}

# The view of policies: exact on ssdflash, estimated on any other origin.
device_view() {
	make_nullb 32
	make_flash f0 "$NULLB" 32768 profile s002 blocks 0 allocation static
	make_cache c0 /dev/mapper/f0 dram 1m page 8k replacement ecr
	blkio write /dev/mapper/c0 0 4m 1
	expect_stat c0 exact_views -ge 384
	expect_stat c0 estimated_views -eq 0
	expect_stat c0 exact_view -eq 1
	expect_stat c0 replacement/dirty_victims -ge 384
	# At rest, all channels of the flash are idle.
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

run_test "shin23, 8 GiB, allocated on write" on_memory shin23 --size 8g
run_test "s000, an alias, as large as in the paper" on_memory s000
run_test "a custom geometry" on_memory custom:channels=2,blocks=200
run_test "on a device" on_a_device
run_test "the device view of policies" device_view
run_test "a failure leaves nothing behind" fails
