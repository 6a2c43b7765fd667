#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: memory is interleaved over NUMA nodes, or of one node for each shard
# lane: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

share=32768	# pages of 4 KiB that each node has of a tier

# taken_from NODE: kernel pages that were allocated from a node as intended, since the boot, as $PAGES. (Free memory does not
# tell: freed pages may stay with a CPU.)
taken_from() {
	local key value

	while read -r key value; do
		[ "$key" != numa_hit ] || PAGES=$value
	done <"/sys/devices/system/node/node$1/numastat"
}

# need_nodes: what follows needs several; $before is what each of $nodes has given so far
need_nodes() {
	local node

	nodes=(/sys/devices/system/node/node[0-9]*)
	[ ${#nodes[@]} -ge 2 ] || skip "this guest has one node"
	before=()
	for node in "${!nodes[@]}"; do
		taken_from "$node"
		before[node]=$PAGES
	done
}

# frames_on NODE: pages of c0's frames, as $FRAMES
frames_on() {
	local row

	get c0 node_bytes
	read -ra row <<<"$VALUE"
	FRAMES=$((row[$1] / 4096))
}

# on_node NODE COMMAND...: runs a program on a CPU of a node
on_node() {
	taskset -c "$(<"/sys/devices/system/node/node$1/cpulist")" "${@:2}"
}

# make_cache_on NODE WORD...
make_cache_on() {
	table "$NULLB" "${@:2}"
	on_node "$1" dmsetup create c0 --table "$TABLE"
}

interleaved() {
	local node

	make_nullb 16
	need_nodes
	make_cache c0 "$NULLB" dram $((${#nodes[@]} * share * 4))k page "$1"
	expect_value c0 numa interleave
	for node in "${!nodes[@]}"; do
		taken_from "$node"
		expect "pages from node $node" $((PAGES - before[node])) -ge "$share"
		expect "pages from node $node" $((PAGES - before[node])) -le $((share + share / 4))
		frames_on "$node"
		expect "frames on node $node" "$FRAMES" -ge "$share"
		expect "frames on node $node" "$FRAMES" -le $((share + share / 8))
	done
	blkio write /dev/mapper/c0 0 1m 1
	blkio check /dev/mapper/c0 0 1m 1
}

# local_to NODE: with one shard
local_to() {
	local node

	make_nullb 16
	need_nodes
	make_cache_on "$1" dram $((share * 4))k numa local
	expect_value c0 numa local
	for node in "${!nodes[@]}"; do
		taken_from "$node"
		frames_on "$node"
		if [ "$node" = "$1" ]; then
			expect "pages from node $node" $((PAGES - before[node])) -ge "$share"
			expect "frames on node $node" "$FRAMES" -ge "$share"
		else
			expect "pages from node $node" $((PAGES - before[node])) -le $((share / 4))
			expect "frames on node $node" "$FRAMES" -eq 0
		fi
	done
	blkio write /dev/mapper/c0 0 1m 1
	blkio check /dev/mapper/c0 0 1m 1
}

# The second of three shards is on the other node, with its engine and its policy.
shard_by_shard() {
	local bytes metadata

	make_nullb 16
	need_nodes
	[ ${#nodes[@]} -eq 2 ] || skip "this guest has ${#nodes[@]} nodes"
	make_cache_on 1 dram $((3 * share * 4))k shards 3 numa local
	get c0 page_overhead_bytes
	# Besides the list of frames, which is where the caller runs.
	bytes=$VALUE
	metadata=$(((bytes - 8) * share / 4096))
	frames_on 1
	expect "frames on node 1" "$FRAMES" -ge $((2 * share))
	frames_on 0
	expect "frames on node 0" "$FRAMES" -ge "$share"
	expect "frames on node 0" "$FRAMES" -le $((share + share / 8))
	taken_from 0
	expect "pages from node 0" $((PAGES - before[0] - FRAMES)) -ge "$metadata"
	before[0]=$PAGES
	# So is a policy that replaces it: this one has an array.
	on_node 1 dmsetup message c0 0 replacement req-block
	get c0 page_overhead_bytes
	expect "bytes per page of the policy" $((VALUE - bytes)) -ge 8
	taken_from 0
	expect "pages from node 0" $((PAGES - before[0])) -ge $(((VALUE - bytes - 1) * share / 4096))
	blkio write /dev/mapper/c0 0 16m 1
	blkio check /dev/mapper/c0 0 16m 1
	dmsetup table c0 >"$scratch/table"
	expect_match "table" "$(<"$scratch/table")" ' shards 3 numa local '
}

# The only CPU of a node goes offline: its latencies stay, and can be reset; policies and caches come from the other node.
cpu_goes() {
	local online=/sys/devices/system/cpu/cpu1/online count

	make_nullb 16
	need_nodes
	[ "$(<"/sys/devices/system/node/node1/cpulist")" = 1 ] || skip "node 1 has other CPUs than CPU 1"
	make_cache_on 1 dram 4m numa local
	on_node 1 blkio write /dev/mapper/c0 0 1m 1
	get c0 stats/latency/write
	count=$VALUE
	trap 'echo 1 >/sys/devices/system/cpu/cpu1/online' EXIT
	echo 0 >"$online"
	get c0 stats/latency/write
	expect_eq "latencies with CPU 1 offline" "$VALUE" "$count"
	message c0 replacement req-block
	message c0 reset_stats
	expect_value c0 stats/latency/write "count 0"
	make_cache c1 /dev/mapper/c0 dram 4m shards 2 numa local
	get c1 node_bytes
	expect_match "bytes on each node" "$VALUE" '^[1-9][0-9]* 0$'
	echo 1 >"$online"
	expect_value c0 stats/latency/write "count 0"
	on_node 1 blkio check /dev/mapper/c1 0 1m 1
}

run_test "frames of 4k are interleaved over NUMA nodes" interleaved 4k
run_test "frames of 64k are interleaved over NUMA nodes" interleaved 64k
run_test "a cache is local to the first node" local_to 0
run_test "a cache is local to the second node" local_to 1
run_test "each shard is on one node, engine included" shard_by_shard
run_test "the CPU of a node goes offline" cpu_goes
