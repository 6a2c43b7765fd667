#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The speed of the readers of traces on one core: lines or records per second of CPU time, per format, the best of three
# runs; and what compression costs. Reading is what ssdcache-sim --speed counts as loading, with all requests kept in
# memory; converting also writes a capture. The memory is that of converting a trace of a gigabyte.

# shellcheck source-path=SCRIPTDIR source=../../lab/lib.sh
. "$(dirname "$0")/../../lab/lib.sh"
cd "$SSDCACHE_TREE"

out=$PWD/results/bench/traces
requests=300000
rm -rf "$out"
mkdir -p "$out"
make -s -C userspace ssdcache-sim ssdcache-trace >results/bench/build.log 2>&1 ||
	die "the tools do not build: results/bench/build.log"
sim=userspace/build/bin/ssdcache-sim convert=userspace/build/bin/ssdcache-trace
python3 userspace/ssdcache-trace/tests/make-samples.py --in-order "$out" $requests
rm -f "$out"/*.expected

# load FILE: the least CPU time in seconds to load a trace
load() {
	for _ in 1 2 3; do
		"$sim" --speed --no-cache --flash zhou23:blocks=64 --fold --depth 64 "$1" 2>&1 >/dev/null
	done | awk '{ for (i = 1; i < NF; i++) if ($i == "loaded") { s = $(i + 2); if (!best || s < best) best = s } } END { print best }'
}

# usage FILE: CPU time in seconds and peak memory in MiB of converting a trace
usage() {
	python3 - "$convert" convert "$1" -o /dev/null <<-'PYTHON'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], check=True)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)
	PYTHON
}

echo "Readers of traces, one core, $requests requests:"
echo "  format                      read        convert"
echo "                      million lines or records/s"
for sample in "$out"/*.sample; do
	format=$(basename "$sample" .sample)
	case $format in
	blktrace | oracleGeneral | vscsi) nr=$requests ;;
	*) nr=$(wc -l <"$sample") ;;
	esac
	read -r cpu_s _ < <(usage "$sample")
	awk -v format="$format" -v nr="$nr" -v read_s="$(load "$sample")" -v cpu_s="$cpu_s" \
		'BEGIN { printf "  %-22s %9.1f %14.1f\n", format, nr / read_s / 1e6, nr / cpu_s / 1e6 }'
done
for suffix in gz zst xz bz2; do
	case $suffix in
	gz) program=gzip ;;
	zst) program=zstd ;;
	xz) program=xz ;;
	bz2) program=bzip2 ;;
	esac
	[ -n "$(type -P "$program")" ] || continue
	$program -c "$out/msr.sample" >"$out/msr.$suffix"
	read -r cpu_s _ < <(usage "$out/msr.$suffix")
	awk -v format="msr, $suffix" -v nr=$requests -v read_s="$(load "$out/msr.$suffix")" -v cpu_s="$cpu_s" \
		'BEGIN { printf "  %-22s %9.1f %14.1f\n", format, nr / read_s / 1e6, nr / cpu_s / 1e6 }'
done
for ((i = 0; i < 67; i++)); do cat "$out/msr.sample"; done >"$out/long.csv"
read -r cpu_s mib < <(usage "$out/long.csv")
awk -v bytes="$(stat -c %s "$out/long.csv")" -v mib="$mib" -v cpu_s="$cpu_s" \
	'BEGIN { printf "  a trace of %.2f GB is converted with %d MiB of memory, in %.1f s of CPU time (it is read twice)\n", bytes / 1e9, mib, cpu_s }'
rm -rf "$out"
