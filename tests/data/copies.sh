#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: requests that had to wait are copied by several threads, and get the right data
# lane: vm-6.1
# long: vm-6.12 vm-kcsan

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Many fills end at once, so many requests are ready at once. fio verifies what it reads.
copied_side_by_side() {
	make_nullb 64 irqmode=2 completion_nsec=1000000
	make_cache c0 "$NULLB" dram 4m admission read-write
	fio --name=fill --filename=/dev/mapper/c0 --rw=write --bs=64k --size=32m --direct=1 --ioengine=libaio --iodepth=16 \
		--verify=crc32c --do_verify=0 >"$scratch/fio"
	trace_start workqueue:workqueue_execute_start
	fio --name=check --filename=/dev/mapper/c0 --rw=read --bs=64k --size=32m --direct=1 --ioengine=libaio --iodepth=32 \
		--verify=crc32c >>"$scratch/fio"
	trace_stop >"$scratch/trace"
	grep copy_and_go_on "$scratch/trace" >"$scratch/copies" || fail "one thread has copied for all requests"
	dmsetup remove c0
}

run_test "requests that waited are copied side by side" copied_side_by_side
