#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints a synthetic trace with sub-page and page-crossing requests, bursts, idle gaps, FLUSH, FUA and discards.

make-trace.py SEED REQUESTS [SHORTEST_GAP_NS [SKEW [LONGEST [LOOPS]]]]

SHORTEST_GAP_NS: shortest time between requests (0). SKEW: the larger, the more often the same pages are used (3).
LONGEST: longest request in sectors (64). LOOPS: percentage of reads that repeat lists of pages in random order (0).
"""

import random
import sys


def main():
    seed, requests = int(sys.argv[1]), int(sys.argv[2])
    shortest = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    skew = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    longest = int(sys.argv[5]) if len(sys.argv) > 5 else 64
    loops = int(sys.argv[6]) if len(sys.argv) > 6 else 0
    sectors = 32768
    rng = random.Random(seed)
    lists = [[rng.randrange(sectors // 8) for _ in range(6)] for _ in range(5)] if loops else []
    rest = []
    now = 0
    print("# ssdcache-trace 1")
    for _ in range(requests):
        now += max(shortest, rng.choice([0, 20_000, 100_000, 1_000_000, 1_000_000, 40_000_000]))
        if loops and rng.random() * 100 < loops:
            rest = rest or list(rng.choice(lists))
            print(f"{now},R,{8 * rest.pop(0)},8,")
            continue
        op = rng.choices("RWDF", [40, 55, 2, 3])[0]
        length = rng.choice([1, 8, 8, 8, 16, 24, longest])
        start = int((sectors - length) * rng.random() ** skew)
        if rng.random() < 0.8:
            start -= start % 8
        if op == "F":
            start = length = 0
        flags = "F" if op == "W" and rng.random() < 0.02 else ""
        print(f"{now},{op},{start},{length},{flags}")


main()
