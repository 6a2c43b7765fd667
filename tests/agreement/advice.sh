#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: advice of ssdcache-sim holds in the kernel, in virtual time: the mean response, and the gain over lru
# lane: uml-time
# extra: scripts/lab/feeder
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$here/../.." && pwd -P)
sim=$tree/userspace/build/bin/ssdcache-sim
trace_tool=$tree/userspace/build/bin/ssdcache-trace
ctl=$tree/userspace/build/bin/ssdcachectl
# Percent that a mean response in the kernel may be off what the advice says: a request that arrives at the very moment at which
# I/O ends is served before or after that.
tolerance=1
# Small enough for garbage collection.
geometry=(channels 2 chips 1 dies 2 planes 2 blocks 40 pages 16 page_bytes 4096 read_ns 50000 program_ns 500000
	erase_ns 2000000 transfer_ps 10000 over_provisioning 15 gc_threshold 10)

# kernel_mean WORDS: replay on a cache with these words of a table line; the mean response in ns is $MEAN
kernel_mean() {
	make_nullb 16 discard=1 irqmode=0 max_sectors=2048
	make_flash f0 "$NULLB" 32768 "${geometry[@]}"
	dmsetup create c0 --table "0 32768 ssdcache /dev/mapper/f0 $1"
	"$trace_tool" replay --feeder --depth 1024 --device /dev/mapper/c0 "$scratch/trace.csv" >"$scratch/replay.json"
	wait_quiescent c0
	"$ctl" stats c0 --json >"$scratch/stats.json"
	MEAN=$(jq '[.latency | .read, .write | select(.count > 0)] |
		(map(.count * .mean_ns) | add) / (map(.count) | add) | floor' "$scratch/stats.json")
	remove_all
}

# near WHAT NS PROMISED
near() {
	echo "$1: $2 ns, promised $3"
	[ $((100 * ($2 > $3 ? $2 - $3 : $3 - $2))) -le $((tolerance * $3)) ] || fail "$1: $2 ns, promised $3"
}

holds() {
	local spec promised lru table advised

	printf -v spec '%s=%s,' "${geometry[@]}"
	"$sim" advise --json --dram 512k --page 4k --origin-sectors 32768 --flash "custom:${spec%,}" --prefetch none \
		--replacement lru,fifo,cflru,cflru-ef,cflru-ef-sc,req-block,vs-batch-plus,co-active \
		--admission write-buffer,read-write "$@" "$scratch/trace.csv" >"$scratch/advice.json" 2>"$scratch/messages" ||
		fail "$(cat "$scratch/messages")"
	promised=$(jq '.advice.choice.value | floor' "$scratch/advice.json")
	lru=$(jq '.advice.choice.lru | floor' "$scratch/advice.json")
	[ $((100 * lru)) -gt $((110 * promised)) ] || fail "the workload tells nothing: lru $lru ns, the choice $promised ns"
	table=$(jq -r '.advice.table' "$scratch/advice.json")
	kernel_mean "${table#*ssdcache /dev/ORIGIN }"
	advised=$MEAN
	near "the choice (${table#*ssdcache /dev/ORIGIN })" "$advised" "$promised"
	kernel_mean "6 dram 512k page 4k replacement lru"
	near lru "$MEAN" "$lru"
	[ $((MEAN * promised * 100)) -ge $((lru * advised * (100 - tolerance))) ] ||
		fail "$MEAN ns with lru, $advised ns with the choice: less is gained than from $lru to $promised"
}

need_tool jq
for tool in "$sim" "$trace_tool" "$ctl"; do
	[ -x "$tool" ] || fail "$tool is missing: make userspace"
done
insmod "$SSDCACHE_EXTRA/ssdcache-feeder.ko"
# Reads and writes only: the block layer cuts discards, which would count as several requests.
python3 "$here/make-trace.py" 9 4000 100003 5 | grep -v ',[DF],' >"$scratch/trace.csv"
run_test "the choice and lru respond as promised" holds
rmmod ssdcache_feeder
