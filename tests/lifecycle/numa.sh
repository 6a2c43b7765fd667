#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: frames are interleaved over NUMA nodes
# lane: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# taken_from NODE: kernel pages that were allocated from a node as intended, since the boot, as $PAGES. (Free memory does not
# tell: freed pages may stay with a CPU.)
taken_from() {
	local key value

	while read -r key value; do
		[ "$key" != numa_hit ] || PAGES=$value
	done <"/sys/devices/system/node/node$1/numastat"
}

interleaved() {
	local nodes=(/sys/devices/system/node/node[0-9]*) before=() node share=32768

	[ ${#nodes[@]} -ge 2 ] || skip "this guest has one node"
	make_nullb 16
	for node in "${!nodes[@]}"; do
		taken_from "$node"
		before[node]=$PAGES
	done
	make_cache c0 "$NULLB" dram $((${#nodes[@]} * share * 4))k page "$1"
	for node in "${!nodes[@]}"; do
		taken_from "$node"
		expect "pages from node $node" $((PAGES - before[node])) -ge "$share"
		expect "pages from node $node" $((PAGES - before[node])) -le $((share + share / 4))
	done
	blkio write /dev/mapper/c0 0 1m 1
	blkio check /dev/mapper/c0 0 1m 1
}

run_test "frames of 4k are interleaved over NUMA nodes" interleaved 4k
run_test "frames of 64k are interleaved over NUMA nodes" interleaved 64k
