# SPDX-License-Identifier: GPL-2.0
"""
Reuse by access number: how many first, second, third and later accesses to a page are followed by another one to that page
within a given number of page accesses? Small requests (at most 5 pages) and larger ones are counted apart.

usage: reuse.py [--page BYTES] [--writes] WITHIN TRACE    a trace in this project's format, as in results/headlines/traces
"""

import argparse
from collections import Counter

LATER = 4
SMALL = 5       # delta of [Lin22]


def accesses(path, page_sectors, ops):
    """(page, pages of the request) of each access."""
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            _, op, sector, length, _ = line.split(",")
            if op not in ops:
                continue
            pages = range(int(sector) // page_sectors, (int(sector) + int(length) - 1) // page_sectors + 1)
            for page in pages:
                yield page, len(pages)


def main():
    parser = argparse.ArgumentParser(prog="reuse")
    parser.add_argument("--page", type=int, default=8192)
    parser.add_argument("--writes", action="store_true", help="count writes only")
    parser.add_argument("within", type=int)
    parser.add_argument("trace")
    args = parser.parse_args()
    last, times, seen, followed = {}, Counter(), Counter(), Counter()
    for now, (page, pages) in enumerate(accesses(args.trace, args.page // 512, "W" if args.writes else "RW")):
        if page in last:
            before, kind = last[page]
            followed[kind] += now - before <= args.within
        times[page] += 1
        kind = (min(times[page], LATER), "small" if pages <= SMALL else "large")
        seen[kind] += 1
        last[page] = now, kind
    for name, sizes in (("small", ("small",)), ("large", ("large",)), ("any", ("small", "large"))):
        for nr in range(1, LATER + 1):
            total = sum(seen[nr, size] for size in sizes)
            share = 100 * sum(followed[nr, size] for size in sizes) / max(1, total)
            print(f"{name} request, access {nr}{' and later' if nr == LATER else ''}: {total}, followed {share:.1f} %")


if __name__ == "__main__":
    main()
