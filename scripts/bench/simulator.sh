#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Requests per second of ssdcache-sim on one core, per policy, over a made-up
# trace of a million requests (a quarter reads, Zipf-like addresses, fixed seed).

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.."

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

echo "Simulator, a million requests, 64 MiB of DRAM, one core:"
sim=userspace/build/bin/ssdcache-sim
for policy in $("$sim" --describe=names | awk '$1 == "replacement" { print $2 }'); do
	start=$(date +%s%N)
	"$sim" --dram 64m --replacement "$policy" --admission read-write "$trace" > /dev/null
	end=$(date +%s%N)
	awk -v name="$policy" -v ns=$((end - start)) 'BEGIN { printf "  %-24s %.2f million requests/s\n", name, 1000 / (ns / 1e6) }'
done
