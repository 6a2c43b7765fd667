# SPDX-License-Identifier: GPL-2.0
"""
Count thrash events (see dm-ssdcache/engine/thrash.c) in a log of decisions, in the most direct way. A page that enters
counts if its last eviction is among the last SLOTS evictions, and among the last WAYS of its set, and if a page near it
has been cached ever since.

usage: count-thrash.py SLOTS LOG
"""

import sys

NEAR = [nr for nr in range(-4, 5) if nr]
WAYS = 8
MAX_TICKS = 16384    # one tick is as many evictions as needed to remember SLOTS of them


def main():
    slots, tick = int(sys.argv[1]), 1
    while slots // tick > MAX_TICKS:
        tick *= 2
    entered = {}    # cached page -> ticks before it entered
    sets = [[] for _ in range(slots // WAYS)]   # evicted pages and their times, oldest first
    evictions = events = 0
    with open(sys.argv[2], encoding="ascii") as log:
        for line in log:
            what, page = line[0], int(line.split()[1])
            if what in "QBP":
                continue
            now = evictions // tick
            mine = sets[(page * 0x9E3779B9 % 2**32) * len(sets) >> 32]
            last = next((when for evicted, when in mine if evicted == page and now - when <= slots // tick), None)
            if what == "E":
                if last is not None:
                    mine.remove((page, last))
                mine.append((page, now))
                del mine[:-WAYS]
                evictions += 1
                del entered[page]
            elif what == "R":
                del entered[page]
            elif what == "I":
                entered[page] = now
                if last is not None:
                    events += any(entered.get(page + nr, last + 1) <= last for nr in NEAR)
    print(events)


if __name__ == "__main__":
    main()
