# SPDX-License-Identifier: GPL-2.0
"""
Longer traces with the locality of a genuine one: a two-level stack model, of regions of 4 MiB, and of the places in a region at which
requests begin. Reads and writes have stacks and regions of their own.

Each request of the genuine trace becomes: read or write, how many other regions were used since its region was, how many other
places of the region since this place was, its length, and the time since the request before. A place that is new follows the end
of the last request of the region, or lies anywhere. The generator draws short runs of such descriptions at random, with a seed, and
follows them; a distance beyond the stack as it is means its last entry. What is lost is everything that depends on addresses across
regions, on reads of what was written, or on more than a run of requests; so the generator must pass a test before its results are
shown (see verdicts.py).
"""

import numpy as np

WRITE = 1      # ssdcache.trace.OPS; reads are 0
PAGE_SECTORS = 8
REGION_PAGES = 1024
#: Requests that are drawn together, on average.
RUN = 50
NEW, NEXT = -1, -2


class Region:
    """@places: at which requests began, last used first; @end: of the last request."""

    def __init__(self):
        self.places, self.end = [], 0


def described(records):
    """An array of (op, distance of the region, distance of the place or NEW or NEXT, pages, ns since the request before)."""
    records = records[records["op"] <= WRITE]
    first = (records["sector"] // PAGE_SECTORS).astype(int)
    pages = ((records["sector"] + records["nr_sectors"] - 1) // PAGE_SECTORS).astype(int) - first + 1
    waits = np.diff(records["time_ns"].astype(np.int64), prepend=records["time_ns"][:1].astype(np.int64))
    stacks, all_regions, found = ([], []), ({}, {}), np.empty((len(records), 5), np.int64)
    for at, (op, start, length) in enumerate(zip(records["op"].tolist(), first.tolist(), pages.tolist())):
        number, place = divmod(start, REGION_PAGES)
        stack, regions = stacks[op], all_regions[op]
        far = stack.index(number) if number in regions else NEW
        if far >= 0:
            del stack[far]
        stack.insert(0, number)
        region = regions.setdefault(number, Region())
        if place in region.places:
            near = region.places.index(place)
            del region.places[near]
        else:
            near = NEXT if place == region.end and region.places else NEW
        region.places.insert(0, place)
        region.end = place + length
        found[at] = op, far, near, length, waits[at]
    return found


def generate(descriptions, nr, seed, dtype):
    """@nr records that follow runs of @descriptions."""
    chance = np.random.default_rng(seed)
    records, at, time = np.zeros(nr, dtype), 0, 0
    stacks, made = ([], []), 0
    while at < nr:
        start = int(chance.integers(len(descriptions)))
        run = descriptions[start:start + int(chance.geometric(1 / RUN))].tolist()
        for op, far, near, length, wait in run[:nr - at]:
            stack = stacks[op]
            if far >= 0 and stack:
                region = stack.pop(min(far, len(stack) - 1))
            else:
                region, made = (made, Region()), made + 1
            stack.insert(0, region)
            number, of = region
            if near >= 0 and of.places:
                place = of.places.pop(min(near, len(of.places) - 1))
            elif near == NEXT and of.end < REGION_PAGES:
                place = of.end
            else:
                place = int(chance.integers(REGION_PAGES))
            if place in of.places:
                of.places.remove(place)
            of.places.insert(0, place)
            of.end = place + length
            time += wait
            records[at] = (time, (number * REGION_PAGES + place) * PAGE_SECTORS, length * PAGE_SECTORS, 0, op, False)
            at += 1
    return records

