#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The speed of a replay in virtual time, in requests per second of real time on one core, without the boot of the guest:
# ssdcache on ssdflash in User-Mode Linux, a synthetic trace of 200 000 requests over four days (a third reads, 4 to 64 KiB,
# Zipf-like addresses in bursts, fixed seed), at recorded times and in closed loop.

# shellcheck source-path=SCRIPTDIR source=../../lab/lib.sh
. "$(dirname "$0")/../../lab/lib.sh"
cd "$SSDCACHE_TREE"

trace=results/bench/four-days.csv
mkdir -p results/bench
python3 - "$trace" <<'PYTHON'
import random, sys

random.seed(2)
with open(sys.argv[1], "w") as out:
    out.write("# ssdcache-trace 1\n")
    time_ns = 0
    for i in range(200000):
        # One request of a hundred arrives after minutes, the others after milliseconds.
        time_ns += int(random.expovariate(1) * (170e9 if random.random() < 0.01 else 4e6))
        page = int(400000 * random.random() ** 4)
        out.write(f"{time_ns},{'R' if random.random() < 1 / 3 else 'W'},{page * 8},{random.choice((8, 8, 8, 16, 32, 128))},\n")
PYTHON

# replay LABEL OPTION...: options of virtual-time.sh
replay() {
	local label=$1 log=results/bench/virtual.log

	shift
	scripts/lab/virtual-time.sh --flash "profile shin23" --cache "dram 32m page 8k replacement cflru-ef-sc" --size 8g "$@" \
		--output results/bench/virtual.json --replay "$trace" 2>"$log" || { cat "$log" >&2; exit 1; }
	awk -v label="$label" '/ of real time, / { printf "  %-24s %d requests/s of wall time\n", label, $NF }' "$log"
}

echo "Replay in virtual time, ssdcache (cflru-ef-sc, 32 MiB) on ssdflash (shin23), one core:"
replay "at recorded times"
replay "closed loop" --closed
