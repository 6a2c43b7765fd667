#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make bench": the cost of a hit in instructions, waits for locks and where each cache saturates with many CPUs, metadata per page, and the
# throughput of the simulator, alone and beside MQSim, of the readers of traces and of replays in virtual time. With QEMU's icount a
# nanosecond of guest time is one instruction, so costs and metadata do not depend on the machine or its load.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
takes_no_words "$@"
cd "$SSDCACHE_TREE"

out=$PWD/results/bench
mkdir -p "$out"
scripts/lab/deps.sh build vm uml bench
headers=$(scripts/lab/kernel.sh headers 6.1)
make -s module KDIR="$headers" >"$out/build.log" 2>&1 ||
	die "the module does not build: $out/build.log"
make -s -C userspace all >"$out/build.log" 2>&1 || die "the tools do not build: $out/build.log"
ko=$PWD/build/$(basename "$headers")/dm-ssdcache/dm-ssdcache.ko

step "cost of a hit, in the VM" scripts/lab/vm.sh --icount --timeout 1500 --out "$out" --module "$ko" -- \
	bash scripts/studies/bench/guest.sh
export OPEN_CAS		# the guest sees it
OPEN_CAS=$(scripts/studies/many-cpus/open-cas.sh "$headers") || OPEN_CAS=''
modules=(--module "$ko")
[ -z "$OPEN_CAS" ] || modules+=(--module "$OPEN_CAS/modules/cas_cache/cas_cache.ko")
step "cost of a hit by jobs and depth, in the VM" scripts/lab/vm.sh --icount --timeout 1500 --out "$out" "${modules[@]}" -- \
	bash scripts/studies/bench/depth.sh
scripts/studies/many-cpus.sh --out "$out" >"$out/many-cpus.txt"
scripts/studies/many-cpus.sh --out "$out" --two-jobs 5 >"$out/two-jobs.txt"
step "cost of auto, in the VM" scripts/lab/vm.sh --icount --timeout 1500 --out "$out" --module "$ko" -- \
	bash scripts/studies/bench/auto.sh

echo
echo "Cost of a 4 KiB hit, depth 1, kernel 6.1, in instructions (fio included):"
awk -F'\t' '
	$1 == "brd" || $1 == "null_blk" { base = $1; bw = $2; br = $3 }
	$1 ~ /^dm-cache/ { base = "brd"; bw = brd_w; br = brd_r }
	$1 == "brd" { brd_w = $2; brd_r = $3 }
	{ printf "  %-24s write %6d (%.2f x %s)   read %6d (%.2f x %s)   hits: %s\n", $1, $2, $2 / bw, base, $3, $3 / br, base, $4 }
' "$out/cost.tsv"
echo
echo "Cost of a 4 KiB hit, half of them reads, by jobs x depth, in the same unit:"
awk -F'\t' '{ printf "  %-24s", $1; for (i = 2; i <= NF; i++) printf " %7s", $i; print "" }' "$out/depth.tsv"
echo
echo "A model of N CPUs, hits of 4 KiB; then waits for locks with two CPUs, per 1000 requests, and ns per request (Documentation/many-cpus.md):"
cat "$out/many-cpus.txt"
echo
echo "Requests per second of two jobs over one, with two CPUs, medians of 5 rounds:"
cat "$out/two-jobs.txt"
echo
echo "Cost of a 4 KiB hit without and with auto, and of the shadows besides, in the same unit:"
awk -F'\t' '{ printf "  %-5s %-9s %6d %6d (+%.1f %%)   shadows %5d   sampled %s   %d bytes\n", $1, $2, $3, $4, ($4 / $3 - 1) * 100, $5, $6, $7 }' \
	"$out/auto.tsv"
echo
echo "Cost of a 4 KiB read that bypasses DRAM (lru, admission write-buffer), in the same unit:"
awk -F'\t' '{ printf "  %-24s dm-linear %6d   ssdcache %6d (%.2f x dm-linear)\n", $1, $2, $3, $3 / $2 }' "$out/miss.tsv"
echo
echo "An ssdflash of 128 GB with pages of 8 KiB (profile li22):"
awk -F'\t' '{ printf "  %.0f million instructions to load it, %.0f MB of memory\n", $1 / 1e6, $2 * 1024 / 1e6 }' "$out/load.tsv"
echo
echo "Metadata per 4 KiB page, in bytes:"
for file in "$out"/overhead.*; do
	printf '  %-24s %s\n' "${file##*.}" "$(cat "$file")"
done
echo
shopt -s nullglob
python3 scripts/studies/bench/metadata.py userspace/build/bin/ssdcache-sim traces/*.csv.zst "${TRACES:-../shared/traces/msr-csv}"/*.csv.gz
echo
scripts/studies/bench/simulator.sh
echo
scripts/studies/bench/traces.sh
echo
scripts/studies/bench/mqsim.sh
echo
scripts/studies/bench/virtual.sh
