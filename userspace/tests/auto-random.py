#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How does ssdcache-sim --replacement auto fare on workloads that are harsher than most traces?

    auto-random.py [--number N] [--dram SIZE] [--spec SPEC] SSDCACHE-SIM

Makes N random workloads, numbered from 1: a hot set of about the size of the tier, random accesses beyond it, streams of writes, and
bursts of up to 400 requests, 2 us apart. Prints those on which auto has more than 1.02 times the mean response of lru, with what makes
them, and a summary. Means below a microsecond count as one.
"""

import argparse
import math
import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Tuple

from mean_response import mean_response

REQUESTS = 6000
PAGE_SECTORS = 16
TIER_PAGES = 512

Workload = Dict[str, Any]


def workload(seed: int) -> Workload:
    rng = random.Random(seed)
    return {"seed": seed, "hot_pages": int(TIER_PAGES * rng.choice([.3, .6, .9, 1.1, 1.5, 2.5])), "hot_share": rng.choice([.5, .8, .95]),
            "cold_pages": TIER_PAGES * rng.choice([8, 40]), "reads": rng.choice([0, .1, .3, .5, .7, .9]),
            "gap_ns": rng.choice([100000, 300000, 1000000, 5000000]), "burst": rng.choice([1, 1, 20, 100, 400]),
            "streams": rng.choice([False, True]), "pages": rng.choice([1, 2, 8])}


def write_trace(of: Workload, path: str) -> None:
    rng = random.Random(-of["seed"])
    now = left = position = 0
    streaming = False
    with open(path, "w", encoding="ascii") as out:
        out.write("# ssdcache-trace 1\n")
        for _ in range(REQUESTS):
            if not left:
                now += int(rng.expovariate(1 / (of["gap_ns"] * of["burst"])))
                left = max(1, int(rng.expovariate(1 / of["burst"])))
                streaming = of["streams"] and rng.random() < .2
            elif of["burst"] > 1:
                now += int(rng.expovariate(1 / 2000))
            left -= 1
            kind, pages = "W", of["pages"]
            if streaming:
                page = of["hot_pages"] + position
                position = (position + pages) % of["cold_pages"]
            else:
                kind = "R" if rng.random() < of["reads"] else "W"
                pages = rng.randint(1, pages)
                hot = rng.random() < of["hot_share"]
                page = int(of["hot_pages"] * rng.random() ** 1.5) if hot else of["hot_pages"] + rng.randrange(of["cold_pages"])
            out.write(f"{now},{kind},{page * PAGE_SECTORS},{pages * PAGE_SECTORS},\n")


def response(options: argparse.Namespace, trace: str, policy: str) -> float:
    """The mean of reads and writes, in ns."""
    return mean_response([options.simulator, "--json", "--page", "8k", "--fold", "--flash", "shin23", "--dram", options.dram,
                          "--admission", "read-write", "--replacement", policy, trace])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--number", type=int, default=240, metavar="N", help="workloads")
    parser.add_argument("--dram", default="4m", metavar="SIZE", help="the workloads are made for 4m")
    parser.add_argument("--spec", default="auto", help="what is compared with lru")
    parser.add_argument("simulator")
    options = parser.parse_args()
    if options.number < 1:
        parser.error("--number: at least 1")

    def run(seed: int) -> Tuple[Workload, float]:
        of = workload(seed)
        trace = os.path.join(folder, f"{seed}.csv")
        write_trace(of, trace)
        return of, response(options, trace, options.spec) / response(options, trace, "lru")

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        found: List[Tuple[Workload, float]] = list(pool.map(run, range(1, options.number + 1)))
    slower = sorted((each for each in found if each[1] > 1.02), key=lambda each: -each[1])
    for of, ratio in slower:
        print(f"{ratio:.2f}  " + " ".join(f"{name}={value}" for name, value in of.items()))
    mean = math.exp(sum(math.log(ratio) for _, ratio in found) / len(found))
    print(f"{len(found)} workloads: {options.spec} / lru {mean:.3f} in the geometric mean, at most {max(ratio for _, ratio in found):.2f}; "
          f"more than 2 % slower in {len(slower)}")
    return 0


sys.exit(main())
