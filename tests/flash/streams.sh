#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: pages with different write hints go to different open blocks of ssdflash
# lane: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# write HINT NR: so many pages of 4 KiB, with F_SET_RW_HINT. fio's write_hint fails with direct I/O since Linux 5.18
write() {
	blkio --hint "$1" write /dev/mapper/f0 0 $(($2 * 4))k 1 4k
}

# pages STREAMS NUMBER...: so many pages per stream
pages() {
	make_nullb 32 irqmode=0
	make_flash f0 "$NULLB" 32768 channels 1 chips 1 dies 1 planes 2 blocks 200 pages 32 page_bytes 4096 over_provisioning 10 \
		streams "$1"
	target_dir f0
	# none, short, long, extreme
	write 1 64
	write 2 48
	write 4 32
	write 5 16
	get f0 stats/stream_programs
	expect_eq "pages by stream" "$VALUE" "$2"
	get f0 stats/host_programs
	expect "pages" "$VALUE" -eq 160
	remove_all
}

run_test "one stream takes all pages" pages 1 "160 0 0 0 0 0 0 0"
run_test "a stream for each hint" pages 5 "64 48 0 32 16 0 0 0"
run_test "hints beyond the last stream mean the last" pages 3 "64 48 48 0 0 0 0 0"
