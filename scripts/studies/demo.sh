#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make demo": captures the requests of real applications to an ssdcache device, replays them with every policy, on the real
# target and in the simulator, and writes a report. Runs in a virtual machine; results in results/demo.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

kernel=6.1
results=$SSDCACHE_TREE/results/demo
demo=$SSDCACHE_TREE/scripts/studies/demo
report=$SSDCACHE_TREE/scripts/studies/report
python=$SSDCACHE_CACHE/venv/bin/python3
began=$SECONDS

# Policies with the admission scheme that they were published with. The simulator's sweep has the other schemes.
runs="fifo/write-buffer lru/write-buffer lfu/write-buffer cflru/read-write cflru-ef/read-write cflru-ef-sc/read-write"
runs+=" fab/write-buffer bplru/write-buffer vbbms/write-buffer req-block/write-buffer"
runs+=" vs-batch/write-buffer vs-batch-plus/write-buffer"
runs+=" co-active/write-buffer ecr/write-buffer lcr/write-buffer mq-ssd/write-buffer"
# Time that a hit saves, in µs: the latency of the flash device.
hit_us=75
# Seconds of guest time that a replay takes, whatever machine captured the requests.
replay_s=40

part() {
	printf '\n== %s  [%d min %02d s]\n' "$*" $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
}

[ $# = 0 ] || die "takes no arguments"
part "Packages, kernel, module, tools"
"$SSDCACHE_LAB/deps.sh" build vm demo python
need git git
headers=$("$SSDCACHE_LAB/kernel.sh" headers "$kernel")
"$SSDCACHE_LAB/kernel.sh" image "$kernel" >/dev/null
hint="the module could not be built: see the lines above" step "build of the module for Linux $kernel" \
	make -C "$SSDCACHE_TREE" module KDIR="$headers"
hint="the tools could not be built: see the lines above" step "build of the tools" \
	make -C "$SSDCACHE_TREE" userspace
module=$SSDCACHE_TREE/build/$(basename "$headers")/dm-ssdcache/dm-ssdcache.ko
tools=$SSDCACHE_TREE/userspace/build/bin
export DEMO_TRACE=$tools/ssdcache-trace DEMO_CTL=$tools/ssdcachectl
rm -rf "$results"
mkdir -p "$results/replay"

part "Capture: applications on ext4 on ssdcache in a guest with Linux $kernel"
"$SSDCACHE_LAB/vm.sh" --kernel "$kernel" --module "$module" --timeout 900 --out "$results" -- \
	"$demo/guest-capture.sh"
capture=$results/capture.csv.zst
"$DEMO_TRACE" info --json "$capture" >"$results/info.json"
"$DEMO_TRACE" info "$capture" | sed 's/^/  /'

part "Replay: the capture on the real target, in guests that count instructions as time"
read -r -a plan <<<"$("$python" "$report/plan.py" "$results" "$replay_s")"
export DEMO_CAPTURE=$capture DEMO_SPEED=${plan[0]} DEMO_SERIES_SIZE=${plan[1]} DEMO_SAMPLE_S=0.1
export DEMO_HIT_US=$hit_us
export DEMO_EXACT_SIZE=${plan[2]} DEMO_EXACT_CAPTURE=$results/exact.csv.zst DEMO_SIZES=${plan[*]:4}
# The start of the capture, for a comparison request by request; cut to sizes that the block layer does not split.
"$DEMO_TRACE" convert --limit 3000 --cut 2048 "$capture" -o "$DEMO_EXACT_CAPTURE"

# replay_half FOLDER PREFETCHER RUN...: replays in one guest. Such a guest has one CPU, so two of them run half of the
# policies each. The second also runs a prefetcher.
replay_half() {
	mkdir "$results/$1"
	DEMO_PREFETCH=$2 DEMO_RUNS=${*:3} "$SSDCACHE_LAB/vm.sh" --kernel "$kernel" --module "$module" --icount \
		--timeout 1200 --out "$results/$1" -- "$demo/guest-replay.sh"
}
read -ra all <<<"$runs"
half=$(((${#all[@]} + 1) / 2))
start_group replay_half replay.1 "" "${all[@]:0:half}"
status=0
replay_half replay.2 "${plan[3]}" "${all[@]:half}" || status=$?
wait "${groups[0]}" || status=$?
[ $status = 0 ] || exit $status
mv "$results"/replay.[12]/*.{json,csv} "$results/replay/"

part "Sweep: the same requests in the simulator, all policies and admissions, many sizes"
"$SSDCACHE_LAB/python.sh" "$report/sweep.py" "$results" "$hit_us"

part "Report"
"$python" "$report/report.py" "$results" "$DEMO_TRACE"
printf '\n== Done in %d min %02d s: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$results/report.html"
