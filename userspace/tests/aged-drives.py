#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How do replacement policies fare on a drive that collects garbage from the first write on?

    aged-drives.py [--seeds N,...] [--flash PROFILE,...] [--dram SIZE,...] [--policies SPEC,...] [--limit N] SSDCACHE-SIM TRACE...

Runs the first requests of each trace on drives in the steady state of random writes, with pages of 8 KiB, admission read-write and
recorded times. A seed decides which pages of the drive are outdated. Prints the mean response of reads and writes of lru and, as a
multiple of that, of each policy; then a summary of each policy. Means below a microsecond count as one.
"""

import argparse
import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import List, Tuple

from mean_response import mean_response


def response(options: argparse.Namespace, flash: str, dram: str, trace: str, policy: str) -> float:
    """The mean of reads and writes, in ns."""
    return mean_response([options.simulator, "--json", "--page", "8k", "--fold", "--flash", flash, "--dram", dram, "--limit", options.limit,
                          "--admission", "read-write", "--replacement", policy, trace])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seeds", default="1,2", metavar="N,...", help="states of the drive")
    parser.add_argument("--flash", default="s002", metavar="PROFILE,...", help="drives")
    parser.add_argument("--dram", default="4m,32m", metavar="SIZE,...", help="sizes of DRAM")
    parser.add_argument("--policies", default="freeboard", metavar="SPEC,...", help="what is compared with lru")
    parser.add_argument("--limit", default="20000", metavar="N", help="requests")
    parser.add_argument("simulator")
    parser.add_argument("traces", nargs="+", metavar="trace")
    options = parser.parse_args()
    policies = options.policies.split(",")
    cells = [(f"{flash}:aged=steady,seed={seed}", dram, trace) for trace in options.traces for flash in options.flash.split(",")
             for dram in options.dram.split(",") for seed in options.seeds.split(",")]

    def run(of: Tuple[str, str, str]) -> List[float]:
        found = [response(options, *of, policy) for policy in ["lru", *policies]]
        print(f"| {os.path.basename(of[2]).split('.')[0]} | {of[0]} | {of[1]} | {found[0] / 1e3:.1f} | "
              + " | ".join(f"{each / found[0]:.2f}" for each in found[1:]) + " |", flush=True)
        return [each / found[0] for each in found[1:]]

    print("| trace | flash | DRAM | lru, us | " + " | ".join(policies) + " |")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        columns = list(zip(*pool.map(run, cells)))
    for policy, ratios in zip(policies, columns):
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{policy}: {len(ratios)} runs, {mean:.3f} of lru in the geometric mean, at most {max(ratios):.2f}; "
              f"more than 2 % slower in {sum(ratio > 1.02 for ratio in ratios)}")
    return 0


sys.exit(main())
