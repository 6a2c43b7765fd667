#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The speed of ssdcache-sim on one core, per policy, on a synthetic trace of a million requests of 4 KiB (a quarter reads,
# Zipf-like addresses, fixed seed), with flat latencies and with a flash device (profile zhou23 with fewer blocks, pages of
# 8 KiB):
# - requests per second of CPU time, without the time to read the trace;
# - instructions per request, by callgrind; they do not depend on the machine;
# - basic blocks of the longest call into the engine, during which the kernel's target holds its lock. This is measured on
#   traces/demo-ext4.csv.zst, which has FLUSH, discards and requests of up to 1 MiB, with DRAM small enough to evict.

# shellcheck source-path=SCRIPTDIR source=../../lab/lib.sh
. "$(dirname "$0")/../../lab/lib.sh"
cd "$SSDCACHE_TREE"

trace=results/bench/million.csv
mkdir -p results/bench
python3 - "$trace" <<'PYTHON'
import random, sys

random.seed(1)
with open(sys.argv[1], "w") as out:
    out.write("# ssdcache-trace 1\n")
    for i in range(1000000):
        page = int(200000 * random.random() ** 4)
        out.write(f"{i * 20000},{'R' if random.random() < 0.25 else 'W'},{page * 8},8,\n")
PYTHON

make -s -C userspace ssdcache-sim longest-call >results/bench/build.log 2>&1 ||
	die "the simulator does not build: results/bench/build.log"
sim=userspace/build/bin/ssdcache-sim
settings=(--dram 64m --admission read-write)
flash=(--page 8k --flash zhou23:blocks=64)

# rate OPTION...: thousands of requests per second of CPU time, the best of three runs
rate() {
	for _ in 1 2 3; do
		"$sim" --speed "${settings[@]}" "$@" "$trace" 2>&1 >/dev/null
	done | awk '{ for (i = 1; i < NF; i++) if ($i == "run") { s = $(i + 2); if (!best || s < best) best = s } }
		END { printf "%.0f\n", 1000000 / best / 1000 }'
}

# instructions OPTION...: per request, without those that read the trace
instructions() {
	local requests=50000

	valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=sim_drive "$sim" "${settings[@]}" \
		--limit $requests "$@" "$trace" 2>&1 >/dev/null |
		awk -v nr=$requests '/Collected/ { printf "%.0f\n", $NF / nr; found = 1 } END { exit !found }'
}

# longest POLICY: prints "BLOCKS FUNCTION"
longest() {
	"$sim-calls" --dram 8m --admission read-write --replacement "$1" traces/demo-ext4.csv.zst 2>&1 >/dev/null |
		awk '$1 == "longest-call" && $4 > most { most = $4; name = $2 } END { print most, name }'
}

read_s=$("$sim" --speed "${settings[@]}" "$trace" 2>&1 >/dev/null | awk '{ for (i = 1; i < NF; i++) if ($i == "loaded") print $(i + 2) }')
echo "Simulator, a million requests of 4 KiB, 64 MiB of DRAM, one core ($read_s s to read the trace are not counted):"
echo "                     thousand requests/s    instructions/request    longest engine call"
echo "  policy              plain   with flash      plain   with flash    basic blocks"
for policy in $("$sim" --describe=names | awk '$1 == "replacement" { print $2 }'); do
	printf '  %-18s %6d %12d   %8d %12d    %s\n' "$policy" "$(rate --replacement "$policy")" \
		"$(rate --replacement "$policy" "${flash[@]}")" "$(instructions --replacement "$policy")" \
		"$(instructions --replacement "$policy" "${flash[@]}")" "$(longest "$policy")"
done
