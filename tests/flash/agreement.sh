#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: simulator and kernel agree on the flash, also below a cache, in virtual time: statistics, latencies, channel times, to the ns
# lane: uml-time
# extra: scripts/lab/feeder
# timeout: 21600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$here/../.." && pwd -P)
sim=$tree/userspace/build/bin/ssdcache-sim
trace_tool=$tree/userspace/build/bin/ssdcache-trace
# Small enough for garbage collection.
geometry=(channels 2 chips 1 dies 2 planes 2 blocks 40 pages 16 page_bytes 4096 read_ns 50000 program_ns 500000
	erase_ns 2000000 transfer_ps 10000 command_ns 300 over_provisioning 15 gc_threshold 10 aged_invalid 70)
cells=(read2_ns 70000 read3_ns 90000 program2_ns 900000 program3_ns 2000000)

# What must agree: not what is of a moment, nor the number of discards, which the block layer cuts at multiples of a page.
counters() {
	# The simulator has no sums of latencies.
	sed '/^cache .* sum_ns /d; s/ sum_ns [0-9]*$//' |
		grep -Ev '^(utilisation|inflight|discard|(discard|flush|read|write)_histogram) '
}

# Words of the table line of a cache above the flash, if there is one.
cache=()

# kernel_says TRACE MODE WORD...: replay on an ssdflash, or a cache above it; what the flash counted is in $scratch/kernel
kernel_says() {
	local trace=$1 how=(--depth 1024) device=f0

	make_nullb 16 discard=1 irqmode=0 max_sectors=2048
	make_flash f0 "$NULLB" 32768 "${@:3}"
	if [ ${#cache[@]} -gt 0 ]; then
		make_cache c0 /dev/mapper/f0 "${cache[@]}"
		device=c0
	fi
	target_dir $device
	[ "$2" = open ] || how=(--closed --settle "$TARGET_DIR/quiescent")
	"$trace_tool" replay --feeder "${how[@]}" --device /dev/mapper/$device "$trace" >"$scratch/replay.json"
	wait_quiescent $device
	{
		if [ $device = c0 ]; then
			for name in read write; do
				sed "s/^/cache $name /" "$TARGET_DIR/stats/latency/$name"
			done
		fi
		dmsetup status f0 | sed 's/.* stats //' | tr ' ' '\n' | paste -d' ' - -
		dmsetup message f0 0 latency
		dmsetup message f0 0 channels
	} | counters >"$scratch/kernel"
	remove_all
}

# sim_says TRACE MODE SPEC: the same in the simulator, in $scratch/sim
sim_says() {
	local trace=$1 how=() spec=$3 i

	[ "$2" = open ] || how=(--closed)
	if [ ${#cache[@]} -gt 0 ]; then
		how+=(--origin-sectors 32768)
		for ((i = 0; i < ${#cache[@]}; i += 2)); do
			how+=("--${cache[i]}" "${cache[i + 1]}")
		done
	else
		how+=(--no-cache)
	fi
	"$sim" --json "${how[@]}" --flash "$spec" "$trace" 2>"$scratch/doubts" >"$scratch/sim.json"
	{
		if [ ${#cache[@]} -gt 0 ]; then
			jq -r '.latency | {read, write} | to_entries[] | .key as $op | .value | to_entries[] |
				select(.value | numbers) | "cache \($op) \(.key) \(.value)"' "$scratch/sim.json"
		fi
		# The numbers of a row have commas between them.
		jq -r '.flash.stats | to_entries[] | "\(.key) \([.value] | flatten | map(tostring) | join(","))"' "$scratch/sim.json"
		jq -r '.flash.latency | to_entries[] | "\(.key) \([.value | to_entries[] | "\(.key) \(.value)"] | join(" "))"' \
			"$scratch/sim.json"
		jq -r '.flash.channel_busy_ns | to_entries[] | "\(.key) busy_ns \(.value)"' "$scratch/sim.json"
	} | counters >"$scratch/sim"
}

# agree MODE GROWN WORD...: simulator and kernel say the same with these words of a table line; the statistics GROWN are above 0
agree() {
	local mode=$1 grown=$2 base=custom spec name

	shift 2
	kernel_says "$scratch/trace.csv" "$mode" "$@"
	if [ "$1" = profile ]; then
		base=$2
		shift 2
	fi
	printf -v spec '%s=%s,' "$@"
	sim_says "$scratch/trace.csv" "$mode" "$base${*:+:${spec%,}}"
	diff "$scratch/sim" "$scratch/kernel" || fail "simulator (<) and kernel (>) differ"
	for name in host_reads host_programs $grown; do
		grep -q "^$name [1-9]" "$scratch/kernel" || fail "$name is 0"
	done
}

need_tool jq
for tool in "$sim" "$trace_tool"; do
	[ -x "$tool" ] || fail "$tool is missing: make userspace"
done
insmod "$SSDCACHE_EXTRA/ssdcache-feeder.ko"
python3 "$tree/tests/agreement/make-trace.py" 7 4000 0 2 >"$scratch/trace.csv"

gc="gc_programs erases"
run_test "one request after the other" agree closed "$gc" "${geometry[@]}" "${cells[@]}"
run_test "no options" agree open "$gc" "${geometry[@]}"
run_test "page types" agree open "$gc" "${geometry[@]}" "${cells[@]}"
run_test "suspension of programs and erases" agree open "$gc suspended_programs suspended_erases" "${geometry[@]}" \
	suspend both suspend_ns 20000 resume_ns 5000
run_test "suspension of erases only, at most once" agree open "$gc suspended_erases" "${geometry[@]}" \
	suspend erase suspend_min_ns 700000 suspend_max 1
run_test "cache read and cache program" agree open "$gc cached_reads" "${geometry[@]}" cache_read on cache_program on
run_test "commands wait, writes have the channel first, partial transfers" agree open "$gc" "${geometry[@]}" \
	command_wait on channel_first writes partial_transfer on
run_test "copyback" agree open "$gc" "${geometry[@]}" copyback on
run_test "all of these" agree open "$gc cached_reads suspended_programs" "${geometry[@]}" "${cells[@]}" \
	cache_read on cache_program on copyback on suspend both suspend_ns 20000 resume_ns 5000 allocation static
wear=(aged_erases 20 pe_cycles 100)
run_test "victims by cost and benefit, in the steady state" agree open "$gc" "${geometry[@]}" gc_victim cost-benefit aged steady
run_test "victims among a few" agree open "$gc" "${geometry[@]}" gc_victim d-choices gc_choices 3 aged steady aged_hot 20
run_test "victims in turn" agree open "$gc wear lifetime_bytes" "${geometry[@]}" "${wear[@]}" gc_victim fifo
run_test "wear levelling" agree open "$gc wear_runs" "${geometry[@]}" wear_threshold 1
run_test "hot and cold pages" agree open "$gc hot_programs" "${geometry[@]}" hot_cold on
run_test "bad blocks and reads that are repeated" agree open "$gc read_retries" "${geometry[@]}" "${wear[@]}" \
	bad_blocks 50 read_retry 400 suspend both
run_test "a cached map" agree open "$gc map_hits map_misses map_reads map_writes" "${geometry[@]}" over_provisioning 18 map_cache 1280
run_test "a cached map with other options" agree open "$gc map_writes suspended_erases" "${geometry[@]}" blocks 48 over_provisioning 21 \
	map_cache 1280 suspend erase hot_cold on copyback on aged steady
run_test "odd numbers of channels, dies and planes" agree open "$gc map_writes read_retries suspended_programs" "${geometry[@]}" \
	"${cells[@]}" channels 3 dies 3 planes 3 blocks 27 pages 12 page_bytes 16384 over_provisioning 40 aged_invalid 0 aged steady \
	map_cache 3000 bad_blocks 50 read_retry 30 aged_erases 100 pe_cycles 300 streams 2 suspend both
for profile in $("$sim" --describe | jq -r ".flash.profiles[].name"); do
	run_test "profile $profile" agree open "" profile "$profile" channels 2 chips 1 blocks 64
done
# Requests arrive at odd times. The block layer cuts discards.
python3 "$tree/tests/agreement/make-trace.py" 9 7000 100003 5 | grep -v ',D,' >"$scratch/trace.csv"
for policy in lru cflru-ef-sc req-block vs-batch-plus co-active; do
	cache=(dram 512k replacement "$policy" admission read-write)
	run_test "below a cache with $policy" agree open "$gc" "${geometry[@]}"
done
# Policies that decide by the state of the device. Without GC, which goes on until the next request in the kernel, where the replay looks
# from time to time whether the cache is quiescent; and with one period for all requests, for the same reason.
for policy in vs-batch-plus co-active mq-ssd:period_ms=3600000; do
	cache=(dram 512k replacement "$policy" admission read-write)
	run_test "one request after the other, below a cache with $policy" agree closed "" "${geometry[@]}" blocks 400 aged_invalid 0
done
# All times are multiples of 10 us: many requests arrive at one moment, at which I/O ends, too. A long request has more pages than the
# tier, and waits while the policy does steps. The last request comes when garbage collection is over, and starts no I/O.
python3 "$tree/tests/agreement/make-trace.py" 10 2000 0 5 2048 | grep -v ',D,' >"$scratch/trace.csv"
printf '%s\n' 60000000000,W,0,8, 90000000000,W,0,8, >>"$scratch/trace.csv"
policies="lru cflru-ef vs-batch-plus"
[ -z "${SSDC_LONG-}" ] || policies=$("$sim" --describe=names | sed -n 's/^replacement \([^ ]*\)$/\1/p')
for policy in $policies; do
	for admission in write-buffer read-write; do
		cache=(dram 512k replacement "$policy" admission "$admission")
		run_test "at the same moments, below a cache with $policy, $admission" agree open "$gc" "${geometry[@]}" transfer_ps 0 command_ns 0
	done
done
rmmod ssdcache_feeder
