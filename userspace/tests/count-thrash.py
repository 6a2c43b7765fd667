# SPDX-License-Identifier: GPL-2.0
"""
Counts thrashing (see dm-ssdcache/engine/thrash.c) in a log of decisions, literally: of each page that enters, has it been
among the last FRAMES evictions, and which page near it has been cached since?

usage: count-thrash.py FRAMES LOG
"""

import sys

NEAR = [nr for nr in range(-4, 5) if nr]


def main():
    frames = int(sys.argv[1])
    entered = {}    # cached page -> evictions before it entered
    evicted = []
    events = 0
    with open(sys.argv[2], encoding="ascii") as log:
        for line in log:
            what, page = line[0], int(line[1:])
            if what == "E":
                evicted.append(page)
                del entered[page]
            elif what == "R":
                del entered[page]
            elif what == "I":
                entered[page] = len(evicted)
                last = evicted[-frames:]
                if page in last:
                    before = len(evicted) - 1 - last[::-1].index(page)
                    events += any(entered.get(page + nr, before + 1) <= before for nr in NEAR)
    print(events)


if __name__ == "__main__":
    main()
