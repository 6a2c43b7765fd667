#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: bad sectors of a disk (scsi_debug, dm-dust), an origin that comes and goes, or refuses read-ahead: who is told, and nothing is lost
# lane: uml-debug vm-6.12
# long: vm-6.1

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ENODATA=61

# Reads of these sectors fail on the disk: 4 of page 2, pages 3 and 4, and 4 sectors of page 5. Some of page 2 are dirty.
# The next good and dirty data are adjacent to them.
setup() {
	blkio write "$DISK" 0 64k 9
	make_cache c0 "$ORIGIN" dram 256k retry_ms 20 "$@"
	blkio write /dev/mapper/c0 4k 4k 1
	blkio write /dev/mapper/c0 8k 1k 2
	expect_stat c0 dirty -eq 2
}

# Only readers of bad sectors see the error.
expect_errors_of_reads() {
	local error=$1

	blkio check /dev/mapper/c0 0 4k 9 4k 1 1k 2 1k 9
	expect_fail blkio check /dev/mapper/c0 10k 512 9
	expect_match "failure" "$OUTPUT" "$error"
	expect_fail blkio check /dev/mapper/c0 22016 512 9
	expect_match "failure" "$OUTPUT" "$error"
	expect_fail blkio check /dev/mapper/c0 0 4k 9 4k 1 1k 2 55k 9 64k
	blkio check /dev/mapper/c0 22k 42k 9
	expect_stat c0 failed_requests -eq 3
	expect_stat c0 dirty -eq 2
	# It is no write error. The dirty sectors of page 2 can be written.
	expect_value c0 state ok
	blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 0
	blkio check "$ORIGIN" 4k 4k 1 1k 2 1k 9
	expect_fail blkio check /dev/mapper/c0 10k 512 9
	expect_stat c0 failed_requests -eq 4
}

medium_errors_of_reads() {
	make_scsi 16 medium_error_start=20 medium_error_count=24
	ORIGIN=$DISK
	setup "$@"
	echo 2 >/sys/bus/pseudo/drivers/scsi_debug/opts
	expect_errors_of_reads "No data available"
	echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
	blkio check /dev/mapper/c0 0 4k 9 4k 1 1k 2 55k 9
	expect_value c0 state ok
	dmsetup remove c0
}

# A bad sector of dm-dust becomes good when it is written.
dust() {
	local sector

	need_driver dust
	make_nullb 16
	DISK=$NULLB ORIGIN=/dev/mapper/origin
	dmsetup create origin --table "0 32768 dust $NULLB 0 512"
	for ((sector = 20; sector < 44; sector++)); do
		dmsetup message origin 0 addbadblock "$sector"
	done
	setup "$@"
	dmsetup message origin 0 enable
	expect_errors_of_reads "Input/output error"
	blkio write /dev/mapper/c0 10k 12k 3
	blkio check /dev/mapper/c0 0 4k 9 4k 1 1k 2 1k 9 12k 3 42k 9
	blkio flush /dev/mapper/c0
	blkio check "$ORIGIN" 0 4k 9 4k 1 1k 2 1k 9 12k 3 42k 9
	dmsetup remove c0
}

# The disk refuses all writes. It reads, and FLUSHes, so only the pages tell that data are not there.
medium_errors_of_writes() {
	local dir errors=

	make_scsi 16
	for dir in /sys/kernel/debug/scsi_debug/*/error; do
		errors=$dir
	done
	[ -w "$errors" ] || skip "scsi_debug cannot fail single commands"
	ORIGIN=$DISK
	setup "$@"
	blkio write /dev/mapper/c0 128k 64k 3
	echo "2 1 0x2a 0 0 0x2 0x3 0x11 0" >"$errors"
	expect_fail blkio flush /dev/mapper/c0
	expect_value c0 state "error:$ENODATA"
	expect_value c0 first_error "-$ENODATA"
	expect_stat c0 dirty -eq 18
	# Each page is tried again.
	wait_stat c0 write_errors -ge 36
	expect_stat c0 dirty -eq 18
	expect_fail blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 4k 9 4k 1 1k 2 55k 9
	blkio check /dev/mapper/c0 128k 64k 3
	blkio write /dev/mapper/c0 128k 4k 4
	echo "- 2 0x2a" >"$errors"
	wait_stat c0 dirty -eq 0
	blkio flush /dev/mapper/c0
	expect_value c0 state "error:$ENODATA"
	blkio check "$DISK" 0 4k 9 4k 1 1k 2 55k 9
	blkio check "$DISK" 128k 4k 4 60k 3
	dmsetup remove c0
}

# The origin's writes fail every other second, while the host writes, and flushes.
flapping() {
	local writer good=0 bad=0

	need_driver flakey
	make_nullb 16
	dmsetup create origin --table "0 32768 flakey $NULLB 0 1 1 1 error_writes"
	make_cache c0 /dev/mapper/origin dram 1m retry_ms 20 "$@"
	write_and_check /dev/mapper/c0 64k &
	writer=$!
	while [ "$good" -lt 3 ] || [ "$bad" -lt 3 ]; do
		if message c0 flush 2>/dev/null; then
			good=$((good + 1))
		else
			bad=$((bad + 1))
		fi
		[ "$SECONDS" -le 300 ] || fail "flushes: $good succeeded, $bad failed"
	done
	all_end $writer
	swap_table origin "0 32768 linear $NULLB 0"
	expect_stat c0 failed_requests -eq 0
	# An error that no FLUSH of the host has reported is reported once.
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 0
	blkio check "$NULLB" 64k 512k "$(<"$scratch/tag")"
	blkio check /dev/mapper/c0 64k 512k "$(<"$scratch/tag")"
}

# A mirror that synchronizes refuses read-ahead with EIO. The reader reads again, and sees no error, so none is counted.
read_ahead_refused() {
	local first

	need_driver mirror
	make_nullb 16
	first=$NULLB
	blkio write "$first" 0 1m 9
	make_nullb 16
	make_linear second "$NULLB"
	hold second
	dmsetup create origin --table "0 32768 mirror core 1 1024 2 $first 0 /dev/mapper/second 0 1 handle_errors"
	make_cache c0 /dev/mapper/origin dram 256k "$@"
	dd if=/dev/mapper/c0 bs=64k count=16 of="$scratch/read" status=none
	release second
	cmp -n 1048576 "$first" "$scratch/read"
	get c0 stats/reads
	expect "reads, some of which are repeated" "$VALUE" -gt 2
	expect_stat c0 read_errors -eq 0
	expect_stat c0 failed_requests -eq 0
	dmsetup remove c0
}

# User-Mode Linux has dm-dust, and Debian's kernels have scsi_debug.
for admission in write-buffer read-write; do
	case $SSDCACHE_LANE$admission${SSDC_LONG-} in
	uml*)
		run_test "$admission: dm-dust: bad sectors until they are written" dust admission $admission
		;;
	vm-*read-write) ;;
	*)
		run_test "$admission: medium errors of reads reach the readers of bad sectors only" medium_errors_of_reads \
			admission $admission
		run_test "$admission: medium errors of writes: pages stay, are tried again, and are written after a repair" \
			medium_errors_of_writes admission $admission
		;;
	esac
done
[[ $SSDCACHE_LANE = vm-* && -z ${SSDC_LONG-} ]] || run_test "the origin fails every other second" flapping
[[ $SSDCACHE_LANE != vm-* ]] || run_test "read-ahead that the origin refuses is no error" read_ahead_refused
