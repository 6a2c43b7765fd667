#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is the advice of "ssdcache-sim advise" as good as that of a full search, at a fifth of the cost?

    advise-regret.py [--limit N] [--within PERCENT] SSDCACHE-SIM TRACE... [-- OPTION...]

Runs the search and the full search (--effort 100) of the same grid for each trace. For each size of DRAM, the best choice of the
search must be within 5 % of the best of the full search, and the search may cost 20 % of it. Prints TAP; fails if any test does.
"""

import argparse
import json
import os
import subprocess
import sys
from typing import Any

# Smaller differences are none: a hit may take no time.
LEAST_NS = 1000


def advise(sim: str, words: "list[str]") -> "dict[str, Any]":
    command = [sim, "advise", "--json", *words]
    result: "dict[str, Any]" = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    return result


def best(cells: "list[dict[str, Any]]", size: int) -> float:
    return min(cell["mean_ns"] for cell in cells if cell["whole"] and cell["dram_bytes"] == size)


def main() -> int:
    argv = sys.argv[1:]
    options = argv[argv.index("--") + 1 :] if "--" in argv else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", default="100000")
    parser.add_argument("sim")
    parser.add_argument("traces", nargs="+")
    args = parser.parse_args(argv[: argv.index("--")] if "--" in argv else argv)
    failed = 0
    for number, trace in enumerate(args.traces, 1):
        words = ["--limit", args.limit, *options, trace]
        found, full = advise(args.sim, words), advise(args.sim, ["--effort", "100", *words])
        sizes = sorted({cell["dram_bytes"] for cell in full["cells"]})
        regret = [
            (best(found["cells"], size) + LEAST_NS) / (best(full["cells"], size) + LEAST_NS) - 1 for size in sizes
        ]
        cost = found["search"]["cost"]
        small = found["search"]["sampled_runs"] == 0
        good = max(regret) <= 0.05 and (small or cost <= 0.2)
        failed += not good
        text = "all run whole, as it is small" if small else f"cost {100 * cost:.1f} %"
        print(
            f"{'' if good else 'not '}ok {number} - advice: {os.path.basename(trace)}: worst of {len(sizes)} sizes "
            f"{100 * max(regret):.1f} %, {text}",
            flush=True,
        )
        if not good:
            print("# behind the best by size:", " ".join(f"{size >> 10}k {100 * r:.1f} %," for size, r in zip(sizes, regret)))
    print(f"1..{len(args.traces)}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
