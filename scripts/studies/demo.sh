#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make demo": captures the requests of real applications to an ssdcache device, replays them with every policy, on the real
# target and in the simulator, and makes a page that says which policies suit them. Runs in a virtual machine; results in results/demo.
#
#	demo.sh [TRACE...]
#
# With traces, makes the same page of them, in the simulator alone and without a virtual machine: results/report/NAME.html.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

kernel=6.1
results=$SSDCACHE_TREE/results/demo
demo=$SSDCACHE_TREE/scripts/studies/demo
report=$SSDCACHE_TREE/scripts/studies/report
python=$SSDCACHE_CACHE/venv-python/bin/python3
began=$SECONDS

# Seconds of guest time that a replay takes, whatever machine captured the requests: fewer, and the flash cannot keep up.
replay_s=90

part() {
	printf '\n== %s  [%d min %02d s]\n' "$*" $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
}

build_tools() {
	hint="the tools could not be built: see the lines above" step "build of the tools" make -C "$SSDCACHE_TREE" userspace
	hint="the Python package could not be built: see the lines above" step "build of the Python package" "$SSDCACHE_LAB/wheel.sh"
	export PYTHONPATH=$SSDCACHE_TREE/build/python/site
	commit=$(git -C "$SSDCACHE_TREE" describe --always --dirty 2>&-) || commit=''
}

# report_traces TRACE...
report_traces() {
	local trace page=$SSDCACHE_TREE/results/report/${1##*/}.html

	for trace; do
		[ -r "$trace" ] || die "$trace: cannot be read"
	done
	echo "A page about $*: about a minute for 30,000 requests on two CPUs. The first time, tools and libraries take some minutes and 400 MB."
	"$SSDCACHE_LAB/deps.sh" build demo
	build_tools
	mkdir -p "${page%/*}"
	"$python" -m ssdcache.report --commit "$commit" -o "$page" "$@"
}

case ${1-} in
--help)
	sed -n '4,9s/^#[ 	]\{0,1\}//p' "$0"
	exit
	;;
-*) wrong "'$1': no such option" ;;
esac
if [ $# -gt 0 ]; then
	report_traces "$@"
	exit
fi

if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
	echo "There is no KVM here: the demo takes 6 to 10 minutes on two CPUs"
else
	echo "The demo takes about 5 minutes on two CPUs if KVM works, and 6 to 10 if it does not"
fi
echo "The first time, packages and a kernel take some more minutes. What it downloads stays in $SSDCACHE_CACHE (0.8 GB);"
echo "'make distclean-cache' removes that. Results: $results (20 MB)."

part "Packages, kernel, module, tools"
"$SSDCACHE_LAB/deps.sh" build vm demo
need git git
headers=$("$SSDCACHE_LAB/kernel.sh" headers "$kernel")
"$SSDCACHE_LAB/kernel.sh" image "$kernel" >/dev/null
hint="the module could not be built: see the lines above" step "build of the module for Linux $kernel" \
	make -C "$SSDCACHE_TREE" module KDIR="$headers"
build_tools
module=$SSDCACHE_TREE/build/$(basename "$headers")/dm-ssdcache/dm-ssdcache.ko
tools=$SSDCACHE_TREE/userspace/build/bin
export DEMO_TRACE=$tools/ssdcache-trace DEMO_CTL=$tools/ssdcachectl
rm -rf "$results"
mkdir -p "$results/replay"
flash=$("$python" -c 'from ssdcache import report; print(report.FLASH)')

part "Capture: applications on ext4 on ssdcache in a guest with Linux $kernel"
DEMO_FLASH=${flash/aged=steady,/} in_group "$SSDCACHE_LAB/vm.sh" --kernel "$kernel" --module "$module" --timeout 1800 --out "$results" -- \
	"$demo/guest-capture.sh"
capture=$results/capture.csv.zst
scale=$("$DEMO_TRACE" info --json "$capture" | jq "$replay_s / (.duration_ns / 1e9)")
# A device that is as large as what the requests touch: a larger one is mostly empty, and never collects garbage.
"$DEMO_TRACE" convert --compact --time-scale "$scale" "$capture" -o "$results/fitted.csv.zst"
"$DEMO_TRACE" info --json "$results/fitted.csv.zst" >"$results/info.json"
"$DEMO_TRACE" info "$capture" | sed 's/^/  /'

part "Replay: the capture on the real target, in guests that count instructions as time"
read -r -a plan <<<"$("$python" "$report/plan.py" "$results/info.json")"
export DEMO_CAPTURE=$results/fitted.csv.zst DEMO_FLASH=$flash DEMO_MIB=${plan[0]} DEMO_SERIES_SIZE=${plan[1]} DEMO_SAMPLE_S=0.2
export DEMO_EXACT_SIZE=${plan[2]} DEMO_EXACT_CAPTURE=$results/exact.csv.zst DEMO_SIZES=${plan[*]:4}
# The start of the capture, for a comparison request by request; cut to sizes that the block layer does not split.
"$DEMO_TRACE" convert --limit 3000 --cut 2048 "$DEMO_CAPTURE" -o "$DEMO_EXACT_CAPTURE"

# All policies but those on request, with the admission scheme that they were published with; the simulator has the other schemes, too.
runs=$("$tools/ssdcache-sim" --describe | jq -r '.replacement[] | select(.name != "opt" and (.on_request | not)) | .name +
	if .name | startswith("cflru") then "/read-write" else "/write-buffer" end')

# replay_half FOLDER PREFETCHER RUN...: replays in one guest. Such a guest has one CPU, so two of them run half of the
# policies each. The second also runs a prefetcher.
replay_half() {
	mkdir "$results/$1"
	DEMO_PREFETCH=$2 DEMO_RUNS=${*:3} "$SSDCACHE_LAB/vm.sh" --kernel "$kernel" --module "$module" --icount \
		--timeout 7200 --out "$results/$1" -- "$demo/guest-replay.sh"
}
mapfile -t all <<<"$runs"
half=$(((${#all[@]} + 1) / 2))
start_group replay_half replay.1 "" "${all[@]:0:half}"
status=0
in_group replay_half replay.2 "${plan[3]}" "${all[@]:half}" || status=$?
wait "${groups[0]}" || status=$?
[ $status = 0 ] || exit $status
mv "$results"/replay.[12]/*.{json,csv} "$results/replay/"

part "Simulation and page"
"$python" "$report/demo.py" "$results" "$flash" "$scale" "$commit"
printf '\n== Done in %d min %02d s: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$results/report.html"
