#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How do replacement policies fare on a drive that collects garbage from the first write on?

    aged-drives.py [--seeds N,...] [--flash PROFILE,...] [--dram SIZE,...] [--policies SPEC,...] [--limit N] SSDCACHE-SIM TRACE...

Runs the first requests of each trace on drives in the steady state of random writes, with pages of 8 KiB, admission read-write and
recorded times. A seed decides which pages of the drive are outdated. Prints the mean response of reads and writes of lru and, as a
multiple of that, of each policy; then a summary of each policy, and of each other policy beside the first. Means below a microsecond
count as one. A few waits of seconds for garbage collections decide a mean, so a summary has a standard error, too: how far it varies
with the state of the drive, on the same traces.
"""

import argparse
import math
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import List, Sequence, Tuple

from mean_response import mean_response


def response(options: argparse.Namespace, flash: str, dram: str, trace: str, policy: str) -> float:
    """The mean of reads and writes, in ns."""
    return mean_response([options.simulator, "--json", "--page", "8k", "--fold", "--flash", flash, "--dram", dram, "--limit", options.limit,
                          "--admission", "read-write", "--replacement", policy, trace])


def mean_and_error(ratios: Sequence[float], seeds: int) -> str:
    """The geometric mean of runs and, with more than one seed, its standard error. Runs that differ in the seed only are neighbours."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = f"{math.exp(statistics.mean(logs)):.3f}"
    if seeds < 2:
        return mean
    groups = [logs[first:first + seeds] for first in range(0, len(logs), seeds)]
    error = math.sqrt(statistics.mean(map(statistics.variance, groups)) / len(logs))
    return f"{mean} (standard error {math.expm1(error):.0%})"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seeds", default="1,2", metavar="N,...", help="states of the drive")
    parser.add_argument("--flash", default="shin23", metavar="PROFILE,...", help="drives")
    parser.add_argument("--dram", default="4m,32m", metavar="SIZE,...", help="sizes of DRAM")
    parser.add_argument("--policies", default="freeboard", metavar="SPEC,...", help="what is compared with lru")
    parser.add_argument("--limit", default="20000", metavar="N", help="requests")
    parser.add_argument("simulator")
    parser.add_argument("traces", nargs="+", metavar="trace")
    options = parser.parse_args()
    policies = options.policies.split(",")
    seeds = options.seeds.split(",")
    cells = [(f"{flash}:aged=steady,seed={seed}", dram, trace) for trace in options.traces for flash in options.flash.split(",")
             for dram in options.dram.split(",") for seed in seeds]

    def run(of: Tuple[str, str, str]) -> List[float]:
        found = [response(options, *of, policy) for policy in ["lru", *policies]]
        print(f"| {os.path.basename(of[2]).split('.')[0]} | {of[0]} | {of[1]} | {found[0] / 1e3:.1f} | "
              + " | ".join(f"{each / found[0]:.2f}" for each in found[1:]) + " |", flush=True)
        return [each / found[0] for each in found[1:]]

    print("| trace | flash | DRAM | lru, us | " + " | ".join(policies) + " |")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        columns = list(zip(*pool.map(run, cells)))
    for policy, ratios in zip(policies, columns):
        print(f"{policy}: {len(ratios)} runs, {mean_and_error(ratios, len(seeds))} of lru in the geometric mean, at most {max(ratios):.2f}; "
              f"more than 2 % slower in {sum(ratio > 1.02 for ratio in ratios)}")
    for policy, ratios in list(zip(policies, columns))[1:]:
        beside = [ratio / first for ratio, first in zip(ratios, columns[0])]
        print(f"{policy}: {mean_and_error(beside, len(seeds))} of {policies[0]}")
    return 0


sys.exit(main())
