#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Workloads of several kinds, to compare advice with full searches.

    advise-traces.py [--requests N] [--only KIND] FOLDER

Writes a capture of each kind into FOLDER and prints their names: FOLDER/KIND.csv. The same command writes the same captures.
"""

import argparse
import bisect
import itertools
import os
import random
from typing import Callable, Iterator, List, Tuple

# Operation, page of 4 KiB, number of pages, ns since the request before
Request = Tuple[str, int, int, float]
Kind = Callable[[random.Random, int], Iterator[Request]]

SPAN = 16384  # pages: 64 MiB
KINDS: "List[Kind]" = []


def kind(function: Kind) -> Kind:
    KINDS.append(function)
    return function


def some(draw: random.Random, *weighted: "Tuple[float, str]") -> str:
    return draw.choices([word for _, word in weighted], [weight for weight, _ in weighted])[0]


class Zipf:
    """Pages of a zipf distribution, scattered over the span in runs of 8."""

    def __init__(self, draw: random.Random, nr: int, skew: float) -> None:
        self.sums = list(itertools.accumulate((rank + 1) ** -skew for rank in range(nr)))
        self.places = [place * 8 for place in range(nr)]
        draw.shuffle(self.places)

    def page(self, draw: random.Random) -> int:
        rank = bisect.bisect_left(self.sums, draw.random() * self.sums[-1])
        return self.places[min(rank, len(self.places) - 1)] + draw.randrange(8)


@kind
def uniform(draw: random.Random, nr: int) -> "Iterator[Request]":
    for _ in range(nr):
        yield some(draw, (0.6, "W"), (0.4, "R")), draw.randrange(SPAN), 1, draw.expovariate(1 / 150e3)


@kind
def zipf(draw: random.Random, nr: int) -> "Iterator[Request]":
    pages = Zipf(draw, SPAN // 8, 0.9)
    for _ in range(nr):
        yield some(draw, (0.5, "W"), (0.5, "R")), pages.page(draw), draw.choice((1, 1, 2, 4)), draw.expovariate(1 / 200e3)


@kind
def readmost(draw: random.Random, nr: int) -> "Iterator[Request]":
    pages = Zipf(draw, SPAN // 8, 1.1)
    for _ in range(nr):
        yield some(draw, (0.08, "W"), (0.92, "R")), pages.page(draw), draw.choice((1, 1, 1, 8)), draw.expovariate(1 / 100e3)


@kind
def phases(draw: random.Random, nr: int) -> "Iterator[Request]":
    """Large sequential writes, random reads, sequential reads and small random writes take turns."""
    at = 0
    for i in range(nr):
        phase = i * 12 // nr % 4
        if phase == 0:
            yield "W", at % SPAN, 16, draw.expovariate(1 / 2e6)
            at += 16
        elif phase == 1:
            yield "R", draw.randrange(SPAN // 4), 1, draw.expovariate(1 / 100e3)
        elif phase == 2:
            yield "R", at % SPAN, 8, draw.expovariate(1 / 400e3)
            at += 8
        else:
            yield "W", draw.randrange(SPAN // 8), 1, draw.expovariate(1 / 200e3)


@kind
def bursts(draw: random.Random, nr: int) -> "Iterator[Request]":
    """Writes in bursts, on which reads have to wait, and idle time between."""
    pages = Zipf(draw, SPAN // 8, 0.8)
    for i in range(nr):
        gap = draw.expovariate(1 / 20e3) if i % 300 else 150e6
        yield some(draw, (0.75, "W"), (0.25, "R")), pages.page(draw), draw.choice((1, 1, 2)), gap


@kind
def shift(draw: random.Random, nr: int) -> "Iterator[Request]":
    """The hot pages move on, and a scan goes through all."""
    pages = Zipf(draw, SPAN // 32, 0.7)
    scan = 0
    for i in range(nr):
        if draw.random() < 0.15:
            yield "R", scan % SPAN, 4, draw.expovariate(1 / 150e3)
            scan += 4
            continue
        hot = (pages.page(draw) + i * 6 // nr * (SPAN // 6)) % SPAN
        yield some(draw, (0.6, "W"), (0.4, "R")), hot, 1, draw.expovariate(1 / 150e3)


@kind
def overload(draw: random.Random, nr: int) -> "Iterator[Request]":
    """More than the flash can do: queues grow until the end."""
    pages = Zipf(draw, SPAN // 8, 0.6)
    for _ in range(nr):
        yield some(draw, (0.8, "W"), (0.2, "R")), pages.page(draw), draw.choice((1, 2, 4)), draw.expovariate(1 / 15e3)


@kind
def seconds(draw: random.Random, nr: int) -> "Iterator[Request]":
    """Times in whole seconds: the requests of a second come all at once."""
    pages = Zipf(draw, SPAN // 8, 0.9)
    for i in range(nr):
        yield some(draw, (0.5, "W"), (0.5, "R")), pages.page(draw), draw.choice((1, 2, 8)), 0 if i % 2000 else 1e9


def write(folder: str, make: Kind, nr: int) -> str:
    name = os.path.join(folder, make.__name__ + ".csv")
    draw = random.Random(make.__name__)
    at_ns = 0.0
    with open(name, "w", encoding="ascii") as file:
        file.write("# ssdcache-trace 1\n")
        for operation, page, pages, gap_ns in make(draw, nr):
            at_ns += gap_ns
            file.write(f"{int(at_ns)},{operation},{page * 8},{pages * 8},\n")
    return name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--only", choices=[make.__name__ for make in KINDS])
    parser.add_argument("folder")
    args = parser.parse_args()
    for make in KINDS:
        if args.only in (None, make.__name__):
            print(write(args.folder, make, args.requests))


if __name__ == "__main__":
    main()
