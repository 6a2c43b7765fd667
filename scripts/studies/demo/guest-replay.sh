#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: replays a capture on the real target with every policy at several sizes of DRAM. At one size it samples the
# target's state over time. Then it replays the start of the capture one request at a time, which the simulator can repeat
# exactly.
#
# The guest's time is a count of instructions (vm.sh --icount), and its clock advances while it waits for the host. Therefore
# the files of a replay are in the guest's memory, and results are copied to the host between replays.
#
# From the environment: DEMO_CAPTURE, DEMO_MIB (what it needs), DEMO_SIZES, DEMO_SERIES_SIZE, DEMO_SAMPLE_S, DEMO_EXACT_CAPTURE,
# DEMO_EXACT_SIZE; DEMO_RUNS, words REPLACEMENT/ADMISSION; DEMO_PREFETCH, a prefetcher or nothing.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=guest-lib.sh
. "$here/guest-lib.sh"

work=/dev/shm/demo
mkdir "$work"
cp "$DEMO_TRACE" "$work/ssdcache-trace"
cp "$DEMO_CAPTURE" "$work/capture"
cp "$DEMO_EXACT_CAPTURE" "$work/exact"
export LD_BIND_NOW=1

# collect NAME: moves the results of a replay to the host
collect() {
	"$DEMO_CTL" stats demo --json >"$work/$1.stats.json"
	"$DEMO_CTL" stats demo-flash --json >"$work/$1.flash.json"
	mv "$work/$1".* "$SSDCACHE_OUT/"
}

# replay NAME CAPTURE OPTION...
replay() {
	local name=$1 capture=$work/$2

	shift 2
	"$work/ssdcache-trace" replay --device "$device" "$@" "$capture" >"$work/$name.replay.json"
}

# find_samples REPLACEMENT [PREFETCHER]: sets the files to sample, and their names in the simulator's series
find_samples() {
	local file name

	sample_files=("$sysfs/stats/used" "$sysfs/stats/dirty")
	sample_names=(used dirty)
	for file in "$sysfs"/stats/replacement/*_list; do
		[ -e "$file" ] || continue
		sample_files+=("$file")
		sample_names+=("$1.${file##*/}")
	done
	[ $# -gt 1 ] || return 0
	for name in prefetched saved_us plugin_step_ns prefetch/{pages_max,rows}; do
		sample_files+=("$sysfs/stats/$name")
		sample_names+=("${name/prefetch\//$2.}")
	done
}

# sample FILE: samples until it is killed. It starts no process, which would cost more than the replay.
sample() {
	local never values value file

	exec {never}<> <(:)
	{
		printf 'time_us'
		printf ',%s' "${sample_names[@]}"
		echo
		while :; do
			values=${EPOCHREALTIME/[.,]/}
			for file in "${sample_files[@]}"; do
				read -r value <"$file"
				values+=,$value
			done
			echo "$values"
			read -rt "$DEMO_SAMPLE_S" -u "$never" || continue
		done
	} >"$1"
}

# replay_sampled NAME REPLACEMENT [PREFETCHER]
replay_sampled() {
	local sampler

	find_samples "${@:2}"
	sample "$work/$1.samples.csv" &
	sampler=$!
	replay "$1" capture --depth "$depth"
	kill "$sampler"
	wait "$sampler" || [ $? = 143 ]
}

make_disk "$DEMO_MIB" 0
depth=1024
read -ra all <<<"$DEMO_RUNS"
read -ra sizes <<<"$DEMO_SIZES"

# Bring the programs into memory.
make_cache "$DEMO_FLASH" --dram "${sizes[0]}" --set dram_mode=protected
replay warm-up capture --speed max --limit 500
collect warm-up
rm "$SSDCACHE_OUT"/warm-up.*
remove_cache

for run in "${all[@]}"; do
	for dram in "${sizes[@]}"; do
		name=replay-${run%/*}-${run#*/}-$dram
		make_cache "$DEMO_FLASH" --dram "$dram" --replacement "${run%/*}" --admission "${run#*/}" --set dram_mode=protected
		if [ "$dram" = "$DEMO_SERIES_SIZE" ]; then
			replay_sampled "$name" "${run%/*}"
		else
			replay "$name" capture --depth "$depth"
		fi
		collect "$name"
		remove_cache
		echo "  replayed: ${run%/*}, $dram of DRAM"
	done
done

# Prefetching, with a prefetcher that mines.
if [ -n "$DEMO_PREFETCH" ]; then
	make_cache "$DEMO_FLASH" --dram "$DEMO_SERIES_SIZE" --prefetch "$DEMO_PREFETCH" --set dram_mode=protected \
		--set alpha_us=75 --set beta_us=2000
	replay_sampled prefetch lru "${DEMO_PREFETCH%%:*}"
	collect prefetch
	remove_cache
	echo "  replayed: $DEMO_PREFETCH, $DEMO_SERIES_SIZE of DRAM"
fi

for run in "${all[@]}"; do
	name=exact-${run%/*}-${run#*/}-$DEMO_EXACT_SIZE
	make_cache "$DEMO_FLASH" --dram "$DEMO_EXACT_SIZE" --replacement "${run%/*}" --admission "${run#*/}" \
		--set dram_mode=protected
	replay "$name" exact --closed --settle "$sysfs/quiescent"
	collect "$name"
	remove_cache
done
echo "  replayed: the first requests one at a time, with each of these policies"
