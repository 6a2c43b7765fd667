#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a thin pool below the cache runs out of space and is extended: everything acknowledged is written
# lane: uml-debug
# long: vm-6.1 vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ENOSPC=28

# setup FEATURE: a thin device of 16 MiB whose pool has space for 4 MiB; nothing is queued longer than $timeout seconds
timeout=0
setup() {
	need_driver thin-pool
	echo "$timeout" >/sys/module/dm_thin_pool/parameters/no_space_timeout
	make_nullb 4
	META=$NULLB
	make_nullb 32
	dmsetup create data --table "0 8192 linear $NULLB 0"
	FEATURES=$1
	dmsetup create pool --table "0 8192 thin-pool $META /dev/mapper/data 128 0 $FEATURES"
	dmsetup message pool 0 "create_thin 0"
	dmsetup create thin --table "0 32768 thin /dev/mapper/pool 0"
	make_cache c0 /dev/mapper/thin dram 1m retry_ms 20
}

extend_pool() {
	swap_table data "0 65536 linear $NULLB 0"
	swap_table pool "0 65536 thin-pool $META /dev/mapper/data 128 0 $FEATURES"
}

pool_is_full() {
	grep -q out_of_data_space <<<"$(dmsetup status pool)"
}

has_failed() {
	get c0 state
	[[ $VALUE = error:* ]]
}

# All is there, through the cache and without it. The data are of tag 1 up to the length $1.
expect_all() {
	expect_stat c0 dirty -eq 0
	blkio check /dev/mapper/c0 0 "$1" 1
	dmsetup remove c0
	blkio check /dev/mapper/thin 0 "$1" 1
}

errors() {
	local mib=0

	setup "1 error_if_no_space"
	while blkio write /dev/mapper/c0 "${mib}m" 1m 1 64k; do
		mib=$((mib + 1))
		expect "MiB written" "$mib" -lt 8
	done
	# What the pool has no space for is in DRAM.
	expect "MiB written" "$mib" -ge 4
	pool_is_full
	expect_value c0 state "error:$ENOSPC"
	expect_stat c0 dirty -ge 1
	expect_fail blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 "${mib}m" 1
	extend_pool
	wait_stat c0 dirty -eq 0
	blkio flush /dev/mapper/c0
	expect_value c0 state "error:$ENOSPC"
	blkio write /dev/mapper/c0 "${mib}m" 1m 1
	blkio flush /dev/mapper/c0
	expect_all "$((mib + 1))m"
}

# The pool holds up writes until it is extended. So does the cache once DRAM is full, and it is no error.
queues() {
	local writer flusher

	setup "0"
	blkio write /dev/mapper/c0 0 8m 1 64k &
	writer=$!
	poll 120 "pool is full" pool_is_full
	wait_stat c0 waiting -ge 1
	blkio flush /dev/mapper/c0 &
	flusher=$!
	expect_value c0 state ok
	# The file system's other requests go on, and so does administration.
	blkio check /dev/mapper/c0 0 1m 1
	dmsetup status c0
	message c0 replacement cflru
	kill -0 $writer
	extend_pool
	wait $writer
	wait $flusher
	expect_value c0 state ok
	blkio flush /dev/mapper/c0
	expect_all 8m
}

# The pool holds up writes for a second, and then fails them.
queues_for_a_while() {
	local mib=0

	timeout=1 setup "0"
	while blkio write /dev/mapper/c0 "${mib}m" 1m 1 64k; do
		mib=$((mib + 1))
		expect "MiB written" "$mib" -lt 8
	done
	expect "MiB written" "$mib" -ge 4
	poll 120 "error" has_failed
	expect_value c0 state "error:$ENOSPC"
	extend_pool
	wait_stat c0 failed -eq 0
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	expect_all "${mib}m"
}

run_test "error_if_no_space: pages stay, and are written when the pool is extended" errors
run_test "queue_if_no_space: requests wait until the pool is extended" queues
[ -z "${SSDC_LONG-}" ] ||
	run_test "queue_if_no_space, timeout: pages stay, and are written when the pool is extended" queues_for_a_while
