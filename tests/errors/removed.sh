#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the origin is deleted under load: requests end, DRAM stays readable, and the disk's return saves all pages
# lane: vm-6.12
# long: vm-6.1

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

PIECE=65536

# write_pieces COUNT: write pieces with tag 1 until one fails; $scratch/written has a line for each good one
write_pieces() {
	local i

	for ((i = 0; i < $1; i++)); do
		blkio write /dev/mapper/c0 $((i * PIECE)) 64k 1 4k || break
		echo "$i" >>"$scratch/written"
	done
}

# read_until_error: read from the origin until that fails
read_until_error() {
	while blkio check /dev/mapper/c0 12m 2m 9 16k; do
		echo read >>"$scratch/passes"
	done 2>"$scratch/reader"
}

has_lines() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

is_gone() {
	[ ! -e "/sys/block/${DISK#/dev/}" ]
}

# delete_under_load [WORD...]: delete the disk of a cache while the host reads and writes, and wait until that has ended
delete_under_load() {
	local writer reader

	make_scsi 16
	blkio write "$DISK" 0 16m 9
	make_cache c0 "$DISK" dram 1m retry_ms 20 "$@"
	: >"$scratch/written"
	: >"$scratch/passes"
	write_pieces 192 2>"$scratch/writer" &
	writer=$!
	read_until_error &
	reader=$!
	poll 120 "load" has_lines "$scratch/passes" 1
	# More than DRAM holds: evictions are under way.
	poll 120 "writes" has_lines "$scratch/written" 20
	echo 1 >"/sys/block/${DISK#/dev/}/device/delete"
	poll 120 "the disk is gone" is_gone
	wait $writer $reader
	grep . "$scratch/writer" "$scratch/reader"
	expect "pieces written" "$(wc -l <"$scratch/written")" -lt 192
	get c0 state
	expect_match "state" "$VALUE" "^error:"
	expect_stat c0 waiting -eq 0
	expect_stat c0 dirty -ge 1
}

# The disk is found again, as another device. A reload with it saves everything that was acknowledged.
comes_back() {
	local host old written dirty

	delete_under_load "$@"
	written=$(wc -l <"$scratch/written")
	get c0 stats/dirty
	dirty=$VALUE
	old=$DISK
	for host in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/scsi_host/host*/scan; do
		echo "- - -" >"$host"
	done
	DISK=
	poll 60 "disk" find_scsi
	expect_ne "disk" "$DISK" "$old"
	reload_cache c0 "$DISK" dram 1m retry_ms 20 "$@"
	wait_stat c0 dirty -eq 0
	# The error is reported once.
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 $((written * PIECE)) 1
	blkio check "$DISK" 0 $((written * PIECE)) 1
	blkio check "$DISK" 12m 4m 9
	dmsetup remove c0
	echo "$written pieces and $dirty dirty pages survived"
}

# It stays away: suspend and removal end, and the log says what is lost. Nothing keeps the disk.
stays_away() {
	delete_under_load
	get c0 stats/dirty
	log_mark
	timeout 60 dmsetup suspend c0
	dmsetup resume c0
	expect_stat c0 dirty -eq "$VALUE"
	timeout 60 dmsetup remove c0
	expect_log "$VALUE dirty pages could not be written and are lost"
	modprobe -r scsi_debug
}

under_ssdflash() {
	local reader

	make_scsi 16
	blkio write "$DISK" 0 8m 9
	: >"$scratch/passes"
	make_flash f0 "$DISK" 16384 profile s002 blocks 0
	while blkio check /dev/mapper/f0 0 8m 9 16k; do
		echo read >>"$scratch/passes"
	done 2>"$scratch/reader" &
	reader=$!
	poll 120 "load" has_lines "$scratch/passes" 1
	echo 1 >"/sys/block/${DISK#/dev/}/device/delete"
	wait $reader
	grep . "$scratch/reader"
	expect_fail blkio write /dev/mapper/f0 0 4k 1
	timeout 60 dmsetup remove f0
	modprobe -r scsi_debug
}

run_test "deleted under load and found again: a reload saves all acknowledged data" comes_back
[ -z "${SSDC_LONG-}" ] || run_test "the same with admission read-write" comes_back admission read-write
run_test "deleted under load for good: suspend and removal end, and the log says what is lost" stays_away
run_test "ssdflash: deleted under load: requests fail, removal ends" under_ssdflash
