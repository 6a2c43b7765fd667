#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: simulator and kernel, in virtual time, count the same hits, evictions and flushes
# lane: uml-time
# extra: scripts/lab/feeder
# timeout: 2000

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$here/../.." && pwd -P)
sim=$tree/userspace/build/bin/ssdcache-sim
trace_tool=$tree/userspace/build/bin/ssdcache-trace
# Constant latency of the origin, in the kernel and in the simulator.
latency_us=75
# The latency decides which fills and flushes end together, and so what waits for what. The counts must not depend on it.
other_latencies=(30 ${SSDC_LONG:+73})

# Counts that must agree. Waits may differ.
counts=(reads writes flushes discards read_pages read_hits write_pages write_hits write_absorbed evictions evicted_pages
	evicted_clean early_flushes batch_flushed early_flushed forced_flushed through_flushed pad_flushed padded_pages
	fills admitted_reads dropped_pages prefetched_pages prefetch_hits prefetch_late_hits prefetch_unused)

# kernel_counts TRACE MODE WORD...: replay on the target; the counts are in $scratch/kernel
kernel_counts() {
	local trace=$1 mode=$2 name

	shift 2
	make_nullb 16 discard=1 irqmode=2 completion_nsec=$((latency_us * 1000)) hw_queue_depth=1024
	make_cache c0 "$NULLB" "$@"
	dm_dir c0
	case $mode in
	closed) "$trace_tool" replay --feeder --closed --settle "$DM_DIR/ssdcache/quiescent" --device /dev/mapper/c0 "$trace" ;;
	open) "$trace_tool" replay --feeder --depth 1024 --device /dev/mapper/c0 "$trace" ;;
	esac >"$scratch/replay.json"
	wait_quiescent c0
	for name in "${counts[@]}"; do
		get c0 "stats/$name"
		echo "$name $VALUE"
	done >"$scratch/kernel"
	remove_all
}

# sim_counts TRACE MODE OPTION...: replay in the simulator; the counts are in $scratch/sim
sim_counts() {
	local trace=$1 mode=$2 name

	shift 2
	[ "$mode" = open ] || set -- --closed "$@"
	"$sim" --json --origin-sectors 32768 --read-us "$latency_us" --write-us "$latency_us" "$@" "$trace" |
		jq -r '.stats as $stats | $ARGS.positional[] | "\(.) \($stats[.] // error("no " + .))"' --args "${counts[@]}" >"$scratch/sim"
}

# agree TRACE MODE WORD...: simulator and kernel count the same with these words of a table line
agree() {
	local trace=$1 mode=$2 options=() i

	shift 2
	kernel_counts "$trace" "$mode" "$@"
	for ((i = 1; i < $#; i += 2)); do
		options+=("--${!i}" "${@:i+1:1}")
	done
	sim_counts "$trace" "$mode" "${options[@]}"
	paste -d' ' "$scratch/sim" "$scratch/kernel"
	paste -d' ' "$scratch/sim" "$scratch/kernel" |
		awk '$2 != $4 { print "differs: " $1 ": simulator " $2 ", kernel " $4; bad = 1 } END { exit bad }'
}

need_tool jq
for tool in "$sim" "$trace_tool"; do
	[ -x "$tool" ] || fail "$tool is missing: make userspace"
done
insmod "$SSDCACHE_EXTRA/ssdcache-feeder.ko"
python3 "$here/make-trace.py" 1 800 >"$scratch/made-up.csv"
# For replay at recorded times: most requests overlap with flushes of many pages, but none arrives at the very moment at which I/O
# ends, as their distance and the latencies have no common multiple. Chance would decide which comes first.
python3 "$here/make-trace.py" 2 6000 100003 5 >"$scratch/spaced.csv"

# The longest requests that null_blk takes in one piece.
python3 "$here/make-trace.py" 3 600 0 3 248 >"$scratch/large.csv"

# Requests that the engine takes in several steps, and one that is larger than the DRAM tier.
python3 "$here/make-trace.py" 8 120 0 3 6000 >"$scratch/long.csv"
for policy in lru req-block; do
	run_test "closed: $policy, requests of up to 3 MiB" agree "$scratch/long.csv" closed \
		dram 8m replacement "$policy" admission read-write
	run_test "closed: $policy, requests of up to 3 MiB, write-buffer" agree "$scratch/long.csv" closed \
		dram 2m replacement "$policy"
done

for policy in $("$sim" --describe=names | sed -n 's/^replacement \([^ ]*\)$/\1/p'); do
	run_test "closed: $policy" agree "$scratch/made-up.csv" closed dram 1m replacement "$policy" admission read-write
	# Without SSDC_LONG, one policy of each kind is enough.
	[[ -n ${SSDC_LONG-} || " lru cflru-ef-sc req-block vs-batch-plus co-active " = *" $policy "* ]] || continue
	run_test "closed: $policy, 8k pages" agree "$scratch/made-up.csv" closed \
		dram 512k page 8k replacement "$policy" admission read-write
	# With so many FLUSHes, dirty pages rarely reach 80 %.
	spec=$policy
	[[ $policy != *-ef* ]] || spec+=:threshold=20
	run_test "recorded times: $spec" agree "$scratch/spaced.csv" open \
		dram 1m replacement "$spec" admission read-write
done

for policy in lru cflru-ef-sc bplru:block=8,padding=on vbbms:borrow=on req-block:literal=on \
	vs-batch:rebuild=50,evict=idle vs-batch-plus:lower=near,literal=on; do
	run_test "closed: $policy, write-buffer" agree "$scratch/made-up.csv" closed dram 1m replacement $policy
done

# The origin has four regions, of three shards.
for spec in lru cflru-ef-sc:threshold=20 req-block vs-batch-plus co-active; do
	run_test "closed, 4 shards: $spec" agree "$scratch/made-up.csv" closed \
		dram 1m shards 4 replacement "$spec" admission read-write
	run_test "recorded times, 4 shards: $spec" agree "$scratch/spaced.csv" open \
		dram 1m shards 4 replacement "$spec" admission read-write
done
run_test "closed, 2 shards: requests of up to 3 MiB" agree "$scratch/long.csv" closed \
	dram 2m shards 2 replacement bplru:block=8,padding=on

# Patterns are mined in the background, which takes no time in virtual time or in the simulator.
python3 "$here/make-trace.py" 4 2000 0 3 64 60 >"$scratch/loops.csv"
python3 "$here/make-trace.py" 5 4000 100003 5 64 60 >"$scratch/spaced-loops.csv"
for spec in c-miner:window=64,segment=8 rop pattern:window=64,transaction=8,min_support=2 \
	pattern-plus:window=64,transaction=8,min_support=2 pattern-plus:window=64,transaction=8,min_support=2,literal=on; do
	run_test "closed: $spec" agree "$scratch/loops.csv" closed dram 1m prefetch "$spec"
	run_test "closed: $spec, read-write" agree "$scratch/loops.csv" closed \
		dram 1m replacement cflru admission read-write prefetch "$spec"
	run_test "recorded times: $spec" agree "$scratch/spaced-loops.csv" open dram 1m prefetch "$spec"
done
run_test "recorded times, 3 shards: rop" agree "$scratch/spaced-loops.csv" open dram 1m shards 3 prefetch rop

# Intervals end at the same times in both, and no request arrives at the very end of one.
python3 "$here/make-trace.py" 6 6000 100003 5 >"$scratch/uneven.csv"
for scheme in corw-1 corw-8 l-corw ${SSDC_LONG:+corw-2 corw-3 corw-4 corw-5 corw-6 corw-7}; do
	run_test "recorded times: $scheme" agree "$scratch/uneven.csv" open \
		dram 1m admission "$scheme:period_ms=20,rar_window=20,cold=1000"
done

for latency_us in "${other_latencies[@]}"; do
	for policy in lru cflru-ef cflru-ef-sc; do
		run_test "closed, $latency_us us: $policy" agree "$scratch/made-up.csv" closed \
			dram 1m replacement "$policy" admission read-write
	done
	run_test "closed, $latency_us us: 8k pages" agree "$scratch/made-up.csv" closed \
		dram 512k page 8k replacement cflru-ef admission read-write
	run_test "closed, $latency_us us: requests of many pages" agree "$scratch/large.csv" closed \
		dram 2m replacement cflru-ef-sc admission read-write
done
rmmod ssdcache_feeder
