#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: advice of ssdcache-sim holds in the kernel, in virtual time: the mean response, the gain over lru, the order of choice and rivals
# lane: uml-time
# extra: scripts/lab/feeder
# timeout: 43200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$here/../.." && pwd -P)
sim=$tree/userspace/build/bin/ssdcache-sim
trace_tool=$tree/userspace/build/bin/ssdcache-trace
ctl=$tree/userspace/build/bin/ssdcachectl
# Means are rounded to ns.
tolerance_ns=2
# The choice may be so many percent behind the best of those that are replayed.
within=5
# Real traces, MSR CSV, if they are there: only with SSDC_LONG=1.
traces=${TRACES:-$tree/../shared/traces/msr-csv}
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
	[ $(($2 > $3 ? $2 - $3 : $3 - $2)) -le $tolerance_ns ] || fail "$1: $2 ns, promised $3"
}

# advise: about $scratch/trace.csv, to $scratch/advice.json
advise() {
	local spec

	printf -v spec '%s=%s,' "${geometry[@]}"
	"$sim" advise --json --dram 512k --page 4k --origin-sectors 32768 --flash "custom:${spec%,}" --prefetch none \
		--replacement lru,fifo,cflru,cflru-ef,cflru-ef-sc,req-block,vs-batch-plus,co-active,freeboard \
		--admission write-buffer,read-write "$scratch/trace.csv" >"$scratch/advice.json" 2>"$scratch/messages" ||
		fail "$(cat "$scratch/messages")"
}

holds() {
	local promised lru table

	advise
	promised=$(jq '.advice.choice.value | floor' "$scratch/advice.json")
	lru=$(jq '.advice.choice.lru | floor' "$scratch/advice.json")
	[ $((100 * lru)) -gt $((110 * promised)) ] || fail "the workload tells nothing: lru $lru ns, the choice $promised ns"
	table=$(jq -r '.advice.table' "$scratch/advice.json")
	kernel_mean "${table#*ssdcache /dev/ORIGIN }"
	near "the choice (${table#*ssdcache /dev/ORIGIN })" "$MEAN" "$promised"
	kernel_mean "6 dram 512k page 4k replacement lru"
	near lru "$MEAN" "$lru"
}

# rivals: lines REPLACEMENT ADMISSION NS: the choice, lru, and the best of two other policies, as simulated
rivals() {
	jq -r '.advice.choice as $choice | [.cells[] | select(.whole)] | sort_by(.mean_ns) as $all |
		([$all[] | select(.replacement == "lru" and .admission == "write-buffer")][:1] as $lru |
		[$all[] | select(.replacement != $choice.replacement and .replacement != "lru")] |
		(.[0].replacement) as $second | [$choice] + $lru + [.[0]] + [.[] | select(.replacement != $second)][:1]) |
		.[] | "\(.replacement) \(.admission) \(.mean_ns | floor)"' "$scratch/advice.json"
}

# is_best NAME: the choice, replayed in the kernel, is within $within percent of the best of its rivals. A row of the table is added.
is_best() {
	local replacement admission promised best=0 chosen=0 row="| $1 |"

	advise
	while read -r replacement admission promised; do
		kernel_mean "8 dram 512k page 4k replacement $replacement admission $admission"
		[ "$chosen" != 0 ] || chosen=$MEAN
		[ "$best" != 0 ] && [ "$best" -le "$MEAN" ] || best=$MEAN
		near "$replacement $admission" "$MEAN" "$promised"
		row+=" \`$replacement\`, \`$admission\`: $(us "$promised") / $(us "$MEAN") |"
	done < <(rivals)
	echo "$row" | tee -a "$scratch/table"
	[ "$chosen" != 0 ] || fail "no choice in $(cat "$scratch/advice.json")"
	[ $((100 * chosen)) -le $(((100 + within) * best)) ] ||
		fail "the choice takes $chosen ns in the kernel, the best of the others $best ns"
}

us() {
	printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100))
}

# part FILE NR SCALE: the first requests of a trace, on a device of 16 MiB, in $scratch/trace.csv
part() {
	# The block layer cuts discards and large requests, which would count as several.
	"$trace_tool" convert --limit "$2" --time-scale "$3" --fold --origin-sectors 32768 --cut 2048 "$1" -o - 2>"$scratch/messages" |
		grep -v ',[DF],' >"$scratch/trace.csv" || fail "$(cat "$scratch/messages")"
}

# of_trace FILE NR SCALE
of_trace() {
	[ -e "$1" ] || skip "$1 is missing"
	part "$@"
	is_best "${1##*/}, $2 requests"
}

need_tool jq
for tool in "$sim" "$trace_tool" "$ctl"; do
	[ -x "$tool" ] || fail "$tool is missing: make userspace"
done
insmod "$SSDCACHE_EXTRA/ssdcache-feeder.ko"
# Reads and writes only: the block layer cuts discards, which would count as several requests.
python3 "$here/make-trace.py" 9 4000 100003 5 | grep -v ',[DF],' >"$scratch/trace.csv"
run_test "the choice and lru respond as promised" holds
run_test "the choice is within $within % of the best of choice, lru and two rivals: the demo's capture" \
	of_trace "$tree/traces/demo-ext4.csv.zst" 5000 1
if [ -n "${SSDC_LONG-}" ]; then
	# Where requests are rare, times are scaled, so that the drive has something to do.
	for words in "msr_web0_100k 5000 0.02" "umass_financial1_10k 8000 0.1" "heimdall_msr_rw40_60 8000 0.2" "fiu_mail_10k 8000 1" \
		"ms_tpcc_small 5000 100" "msr_hm0_1000 1000 1" "msr_src1_10k 3000 0.1" "systor17_traces 999 10" \
		"systor17_additional 999 10" "alibaba_cut719_replayed 4000 1" "umass_websearch1_24k 4000 1" "ms_dtrs 3000 5" \
		"blk_java_ext4 1000 1" "blk_java_f2fs 1000 5" "blk_java_btrfs 400 5" \
		"disksim_iozone100k 1000 50" "disksim_pcmark 2000 20" "tencent_cbs_sample50k 1000 2000" "ycsb_a_rocksdb_opencas_1 1000 200"; do
		read -r name nr scale <<<"$words"
		run_test "likewise: $name" of_trace "$traces/$name.csv.gz" "$nr" "$scale"
	done
	echo "Mean response, us, as simulated / in the kernel:"
	echo "| trace | choice | lru | rival | rival |"
	echo "|---|---|---|---|---|"
	cat "$scratch/table"
fi
rmmod ssdcache_feeder
