#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: simulator and kernel, in virtual time, decide the same when they choose policies: line by line, with the same costs
# lane: uml-time
# extra: scripts/lab/feeder

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$here/../.." && pwd -P)
sim=$tree/userspace/build/bin/ssdcache-sim
trace_tool=$tree/userspace/build/bin/ssdcache-trace
sectors=65536

# phases PERIODS: phases of 1000 requests, in turn: pages used twice and then pages used once, which lfu tells apart; and pages used
# again after eight others. Every fifth request writes.
phases() {
	awk -v nr="$(($1 * 1000))" 'BEGIN {
		print "# ssdcache-trace 1"
		for (i = 0; i < nr; i++) {
			if (int(i / 1000) % 2 == 0)
				page = i % 36 < 24 ? int(i % 36 / 2) : 1000 + i % 900
			else
				page = 2000 + int(i / 2) % 1800 - (i % 2) * 4
			printf "%.0f,%s,%d,16,\n", i * 1000003, i % 5 ? "R" : "W", page * 16
		}
	}'
}

# kernel_decides TRACE SPEC WORD...: the decisions of a cache on $ORIGIN, and how long each candidate was live, are in $scratch/kernel
kernel_decides() {
	local trace=$1 spec=$2

	shift 2
	make_cache c0 "$ORIGIN" "$@" replacement "$spec"
	"$trace_tool" replay --feeder --depth 1024 --device /dev/mapper/c0 "$trace" >"$scratch/replay.json"
	wait_quiescent c0
	expect_stat c0 auto/late -eq 0
	expect_stat c0 auto/dropped -eq 0
	{
		show c0 stats/auto/decisions
		show c0 stats/auto/live_requests
		show c0 stats/auto/live
	} >"$scratch/kernel"
	get c0 stats/auto/switches
	CHANGES=$VALUE
	remove_all
}

# sim_decides TRACE SPEC OPTION...
sim_decides() {
	local trace=$1 spec=$2

	shift 2
	"$sim" --json --origin-sectors $sectors --replacement "$spec" "$@" "$trace" | jq -r '.auto |
		(.decisions[] | [.request, .patience, .from, .to, .costs[]] | map(tostring) | join(" ")),
		([.candidates[].requests | tostring] | join(" ")),
		([.candidates[]][.decisions[-1].to] | .replacement + "/" + .admission)' >"$scratch/sim"
}

# decide_alike TRACE SPEC FLASH CHANGES WORD...: FLASH is the profile of an ssdflash below, or "-"; CHANGES at least
decide_alike() {
	local trace=$1 spec=$2 flash=$3 changes=$4 options=() i

	shift 4
	if [ "$flash" = - ]; then
		make_nullb $((sectors / 2048)) discard=1 irqmode=2 completion_nsec=75000 hw_queue_depth=1024
		ORIGIN=$NULLB
	else
		make_nullb $((sectors / 2048))
		make_flash f0 "$NULLB" $sectors profile "$flash" blocks 0
		ORIGIN=/dev/mapper/f0
		options=(--flash "$flash")
	fi
	kernel_decides "$trace" "$spec" "$@"
	for ((i = 1; i < $#; i += 2)); do
		options+=("--${!i}" "${@:i+1:1}")
	done
	sim_decides "$trace" "$spec" "${options[@]}"
	expect "decisions" "$(wc -l <"$scratch/sim")" -ge 6
	expect "changes" "$CHANGES" -ge "$changes"
	diff "$scratch/sim" "$scratch/kernel"
}

need_tool jq
for tool in "$sim" "$trace_tool"; do
	[ -x "$tool" ] || fail "$tool is missing: make userspace"
done
insmod "$SSDCACHE_EXTRA/ssdcache-feeder.ko"
phases 6 >"$scratch/phases.csv"
run_test "two phases in turn" decide_alike "$scratch/phases.csv" auto:candidates=lru+lfu,period=100,memory=100 - 4 \
	dram 128k page 8k admission read-write
run_test "two phases in turn, on an ssdflash" decide_alike "$scratch/phases.csv" auto:candidates=lfu+lru+fifo,period=100,memory=300 s002 4 \
	dram 128k page 8k admission read-write
run_test "admission schemes" decide_alike "$scratch/phases.csv" lru - 1 \
	dram 128k page 8k admission auto:candidates=write-buffer+read-write,period=100,memory=100
run_test "policies and schemes, on an ssdflash" decide_alike "$scratch/phases.csv" auto:candidates=lru+lfu s002 3 \
	dram 128k page 8k admission auto:candidates=write-buffer+read-write,period=100,memory=100
# A tier of more than 256 pages, so that shadows have a part of the addresses; FLUSHes, FUA and discards.
python3 "$here/make-trace.py" 2 12000 100003 5 >"$scratch/mixed.csv"
for goal in latency p99 flash-writes; do
	run_test "all operations, $goal, some of the addresses" decide_alike "$scratch/mixed.csv" \
		"auto:period=500,memory=500,hysteresis=0,goal=$goal,pages=128,region=64,candidates=fab+lru+cflru-ef-sc:threshold=20+mq-ssd/l-corw" - 1 \
		dram 4m admission read-write
done
rmmod ssdcache_feeder
