#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the stacks of scripts/studies/peers.sh: they assemble, cache, and write everything in the end; without a cache, times are the simulator's
# lane: uml-time
# extra: scripts/lab/feeder
# timeout: 3600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "$0")/../.." && pwd -P)
study=$tree/scripts/studies/peers
sim=$tree/userspace/build/bin/ssdcache-sim
distinct=64 times=4
# Without GC, which the write-backs of a cache of blocks would start on so small a device.
flash=(profile lin22 blocks 0 gc_threshold 8)
device_mib=256

# Each of $distinct pages is written $times times, and read after each time; requests arrive at odd times.
make_trace() {
	awk -v distinct="$distinct" -v times="$times" 'BEGIN {
		print "# ssdcache-trace 1"
		for (i = 0; i < distinct * times; i++) {
			sector = i * 7 % distinct * 24
			printf "%d,W,%d,8,\n%d,R,%d,8,\n", i * 5100003, sector, i * 5100003 + 2600001, sector
		}
	}' >"$scratch/trace.csv"
}

# run_stack STACK WORDS: the facts of the cell are in $scratch/STACK
run_stack() {
	local out=$scratch/result.$1

	make_nullb $((device_mib + 1)) discard=1 irqmode=0 max_sectors=2048
	make_flash flash "$NULLB" $(((device_mib + 1) * 2048)) "${flash[@]}"
	mkdir "$out"
	DEV=/dev/mapper/flash STACK=$1 WORDS=$2 MIB=16 SECTORS=$((device_mib * 2048)) TRACE=$scratch/trace.csv RESULT=$out \
		TOOLS=$tree/userspace/build/bin "$study/guest.sh"
	python3 "$study/peers_study.py" --facts "$out" >"$scratch/$1"
	expect_eq "devices left over" "$(dmsetup ls | cut -f1)" flash
}

fact() { # fact STACK KEY
	jq -r ".$2" "$scratch/$1"
}

like_the_simulator() {
	local spec="${flash[1]}" i op

	run_stack none ""
	for ((i = 2; i < ${#flash[@]}; i += 2)); do
		spec+=$([ $i = 2 ] && echo : || echo ,)${flash[i]}=${flash[i + 1]}
	done
	"$sim" --no-cache --json --flash "$spec" --origin-sectors $(((device_mib + 1) * 2048)) "$scratch/trace.csv" >"$scratch/sim"
	for op in read write; do
		expect_eq "mean $op" "$(fact none "first_${op}_mean")" "$(jq ".flash.latency.$op.mean_ns" "$scratch/sim")"
	done
	expect_eq "pages programmed" "$(fact none programs)" $((2 * distinct * times))
}

# caches STACK WORDS: the stack is faster than the flash, and what it holds back gets there in the end
caches() {
	local mean bare programs

	run_stack "$@"
	mean=$(fact "$1" second_write_mean) bare=$(fact none second_write_mean) programs=$(fact "$1" programs)
	expect_eq "requests" "$(fact "$1" requests)" $((2 * distinct * times))
	[ $((mean * 2)) -lt "$bare" ] || fail "a write takes $mean ns, $bare ns without a cache"
	[ "$programs" -ge "$distinct" ] || fail "only $programs of $distinct pages were written in the end"
}

make_trace
insmod "$SSDCACHE_EXTRA/ssdcache-feeder.ko"
run_test "no cache: the simulator has the same latencies" like_the_simulator
run_test "ssdcache" caches ssdcache "replacement lru admission read-write dram_mode protected"
run_test "dm-cache" caches dm_cache "64"
run_test "dm-writecache" caches dm_writecache "autocommit_blocks 1024"
run_test "bcache" caches bcache "sequential_cutoff=0"
rmmod ssdcache_feeder
