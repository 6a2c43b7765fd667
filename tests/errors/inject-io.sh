#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: allocations of requests fail, in the host's process and in kernel workers: what succeeds is right, and nothing hangs
# lane: uml-debug
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# workers_fail 1|0: whether allocations of kernel workers fail, too. Those of high priority serve the RAM disk.
workers_fail() {
	local dir name

	for dir in /proc/[0-9]*; do
		read -r name 2>/dev/null <"$dir/comm" || continue
		case $name in
		kworker*H*) ;;
		kworker* | ssdcache* | ssdflash*) { echo "$1" >"$dir/make-it-fail"; } 2>/dev/null || : ;;
		esac
	done
}

# requests NAME PERCENT: 3000 requests to a device, of which some fail
requests() {
	local status=0

	need_faults
	faults_on "$2"
	workers_fail "${workers-1}"
	io-faults run "/dev/mapper/$1" "$scratch/model" 3000 >"$scratch/succeeded" || status=$?
	workers_fail 0
	faults_off
	cat "$scratch/succeeded"
	expect "status of io-faults" "$status" -eq 0
	read -r status _ <"$scratch/succeeded"
	expect "requests that succeeded" "$status" -ge 500
	expect "requests that succeeded" "$status" -lt 3000
}

# in_cache PERCENT WORD...: the memory of the RAM disk is allocated now. What was discarded needs memory again: without it, writes fail
in_cache() {
	make_nullb 32 discard=1
	dd if=/dev/zero of="$NULLB" bs=1M count=32 oflag=direct status=none
	make_cache c0 "$NULLB" "${@:2}"
	requests c0 "$1"
	get c0 stats/failed_requests
	expect "failed requests" "$VALUE" -ge 1
	wait_quiescent c0
	# It reports the last error that no FLUSH has reported.
	message c0 flush || message c0 flush
	dmsetup remove c0
	io-faults check "$NULLB" "$scratch/model" 0
}

on_flash() {
	local words=(profile s002 blocks 0)

	make_nullb 32 discard=1
	dd if=/dev/zero of="$NULLB" bs=1M count=32 oflag=direct status=none
	make_flash f0 "$NULLB" 57344 "${words[@]}"
	requests f0 20
	dmsetup remove f0
	make_flash f0 "$NULLB" 57344 "${words[@]}"
	io-faults check /dev/mapper/f0 "$scratch/model" 0
}

# A write of the medium that fails ends the device, so only the host's process lacks memory.
on_zones() {
	local workers=0
	local words=(channels 2 chips 1 dies 1 planes 2 page_bytes 4096 read_ns 2000 program_ns 10000 erase_ns 50000
		over_provisioning 40 gc_threshold 20)

	make_nullb 64 zoned=1 zone_size=1 zone_max_active=10 irqmode=0
	make_flash f0 "$NULLB" 57344 "${words[@]}"
	requests f0 20
	dmsetup remove f0
	make_flash f0 "$NULLB" 57344 "${words[@]}"
	io-faults check /dev/mapper/f0 "$scratch/model" 0
}

run_test "a fifth of the allocations fails" in_cache 20 dram 1m
run_test "a fifth, reads enter, early flushes and prefetching" in_cache 20 dram 1m replacement cflru-ef-sc admission read-write \
	prefetch rop
run_test "a fifth, shards" in_cache 20 dram 2m shards 5
run_test "most fail, shards, large pages, reads enter" in_cache 60 dram 2m page 16k shards 5 admission read-write
run_test "ssdflash, a fifth" on_flash
run_test "ssdflash on zones, a fifth" on_zones
