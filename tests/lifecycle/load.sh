#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: load the module; create, write, read and remove a cache; unload the module
# lane: uml-debug vm-6.1 vm-6.12
# timeout: 120

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

write_and_read() {
	make_nullb 64
	make_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 4m 1 64k
	blkio check /dev/mapper/c0 0 4m 1
	wait_quiescent c0
	expect_stat c0 writes -eq 64
	expect_stat c0 write_bytes -eq $((4 << 20))
	expect_stat c0 dirty -le 256
	dmsetup remove c0
	blkio check "$NULLB" 0 4m 1
}

run_test "data get through a cache to its origin" write_and_read
