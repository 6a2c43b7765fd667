# SPDX-License-Identifier: GPL-2.0
"""
The runs of the study: cells.csv has every number, by paper, kind of run, trace, size and policy; traces.csv describes the traces.

usage: study.py RESULTS --traces FOLDER [--paper KEY] [--quick] [--limit N] [--jobs N] [--only PART,PART...]
                [--scheduler ADDRESS] [--dry-run] [--describe]
"""

import argparse
import csv
import fcntl
import math
import os
import signal
import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from claims import BOUNDED, CLAIMS, COMPARED, MIN_HOT
from plan import (DECISIONS, GENERATED, ISOLATING, KINDS, LARGEST_REQUEST, MAX_REPEATS, MIB, MIN_DEVICE_WRITES, MIN_FRAMES, PAPERS, PARTS,
                  REPEATED_ACCESSES)
from runs import FACTS, Failed, Simulator
from traces import READ, WRITE, generated, hybrids, isolated, load, repeated

CELL = ("paper", "kind", "trace", "bytes", "policy")
TRACE = ("trace", "requests", "cut", "timed", "reading", "hot", "first", "accesses", "pages", "writes", "written", "mean_read",
         "mean_write", "unfit")
# Accesses of 4 KiB pages taken of a trace.
LIMIT, QUICK_LIMIT = 2_500_000, 100_000
# CPU seconds of a run: for the process and its report, and per page access.
RUN_SECONDS, ACCESS_SECONDS = 0.03, 0.4e-6


@dataclass(frozen=True)
class Cell:
    """A trace, a cache size, and options for the run: pairs of name and value."""
    trace: object
    size: int
    options: tuple
    aged: bool


def arguments():
    parser = argparse.ArgumentParser(prog="headlines")
    parser.add_argument("results", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--paper", choices=PAPERS)
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", help="parts of the names of traces, separated by commas")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster whose workers have this package and this folder")
    parser.add_argument("--dry-run", action="store_true", help="print how many runs there are")
    parser.add_argument("--describe", action="store_true", help="write traces.csv, without a run")
    args = parser.parse_args()
    # Workers of a cluster have other working directories.
    args.results = args.results.resolve()
    return args


def traces_of(paper, key, traces, scratch):
    """The traces that a kind of run takes."""
    if key.startswith("hybrid"):
        return hybrids(paper, [trace for trace in traces if max(trace.mean.values()) <= LARGEST_REQUEST], scratch)
    if key == "fast":
        return [trace for trace in traces if trace.name.startswith("msr_")]
    if key == "repeated":
        times = [(trace, min(20, REPEATED_ACCESSES // trace.facts[4096][0])) for trace in traces
                 if paper.key != "li22" or trace.hot >= MIN_HOT]
        return [repeated(trace, many, paper) for trace, many in times if many >= 2]
    if key in ISOLATING:
        alike = [trace for trace in traces if trace.mean[WRITE] <= LARGEST_REQUEST and (trace.timed or KINDS[key].closed)]
        return [isolated(paper, key, trace) for trace in alike]
    if key in GENERATED:
        return [made for trace in traces for made in generated(paper, key, trace)]
    if KINDS[key].closed or key == "sizes":
        return traces
    return [trace for trace in traces if trace.timed]


def sizes_of(paper, kind, trace, quick):
    if kind.sizes == "paper":
        return paper.sizes
    if kind.sizes == "sweep":
        return [size * MIB for size in (4, 8, 16, 64)]
    pages = trace.cached(paper)[1]
    if pages // max(PARTS) < MIN_FRAMES:
        return []
    return [pages // part * paper.page for part in (PARTS[1:2] if quick or kind.aged else PARTS)]


def cells_of(paper, key, traces, quick, scratch):
    """Cells whose DRAM holds all pages of the trace are left out, unless the paper is about prefetching."""
    kind, cells = KINDS[key], []
    for trace in traces_of(paper, key, traces, scratch):
        options = tuple(option for option in kind.options if option[0] != "reserve" or not paper.limit)
        accesses, _, writes, _ = trace.facts[8192]
        if kind.aged:
            if not writes:
                continue
            times = min(MAX_REPEATS, math.ceil(MIN_DEVICE_WRITES * trace.sectors / 16 / writes))
            options += (("repeat", times),) if times > 1 else ()
        cells += [Cell(trace, size, options, kind.aged) for size in sizes_of(paper, kind, trace, quick)
                  if not paper.base or size < trace.cached(paper)[1] * paper.page]
    return cells


def policies_of(paper, key, trace):
    """The sweeps of [Li22] are about reads that recur."""
    return {name: policy for name, policy in paper.policies.items()
            if (policy.kinds is None or key in policy.kinds)
            and not (policy.prefetch != "none" and "=" in name and trace.hot < MIN_HOT)}


def seconds(cell):
    return RUN_SECONDS + ACCESS_SECONDS * cell.trace.facts[8192][0] * dict(cell.options).get("repeat", 1)


class Study:
    """
    The cells of papers and kinds.

    @scratch: folder of traces that are made of others
    @fits: whether a trace is for a paper; None: those with enough accesses
    @known: results that are at hand: (paper, kind, trace, bytes, policy) -> facts
    """

    def __init__(self, traces, scratch, papers, quick=False, fits=None, known=None):
        self.cells, self.known = [], known or {}
        for paper in papers.values():
            fit = [trace for trace in traces if (fits(paper, trace) if fits else not trace.why_not(paper))]
            kinds = [key for key in paper.kinds if not quick or KINDS[key].main and KINDS[key].sizes == "scaled"
                     or paper.key == "li22" and key == "paper-closed"]
            self.cells += [(paper, key, cell) for key in kinds for cell in cells_of(paper, key, fit, quick, scratch)]

    def announce(self):
        runs = [(paper, cell, name) for paper, key, cell in self.cells for name in policies_of(paper, key, cell.trace)]
        print(f"headlines: {len(self.cells)} cells, at most {len(runs)} runs, "
              f"about {sum(seconds(cell) for _, cell, _ in runs):.0f} s of CPU time", flush=True)

    def start(self, simulator, paper, key, cell, name):
        facts = self.known.get((paper.key, key, cell.trace.name, cell.size, name))
        if facts:
            future = Future()
            future.set_result(facts)
            return future
        return simulator.start_bounds(paper, cell) if name == "bound" else simulator.start(paper, paper.policies[name], cell)

    def run(self, simulator, compared=None, limited=None):
        """
        Rows of cells.csv. A cell in which the base policy does not evict what its DRAM holds gets no other policy.

        @compared: (paper, kind) -> pairs of policies. Where the facts of two are all the same, rows have DECISIONS, too.
        @limited: (paper, kind) which have bounds, besides the main kinds; a bound knows a trace, and no options of a run
        """
        base = [self.start(simulator, paper, key, cell, paper.base) if paper.base else None for paper, key, cell in self.cells]
        runs = []
        for (paper, key, cell), first in zip(self.cells, base):
            full = not first or first.result()["evicted"] >= cell.size // paper.page
            names = list(policies_of(paper, key, cell.trace)) if full else [paper.base]
            if full and paper.base and (KINDS[key].main or (paper.key, key) in (limited or ())):
                names.append("bound")
            runs.append((paper, key, cell, [(name, self.start(simulator, paper, key, cell, name)) for name in names]))
        done = []
        for at, (paper, key, cell, started) in enumerate(runs):
            found = {name: future.result() for name, future in started}
            alike = {name for pair in (compared or {}).get((paper.key, key), ()) if found.get(pair[0]) == found.get(pair[1]) is not None
                     for name in pair}
            done.append((paper, key, cell, found, {name: simulator.start_decisions(paper, paper.policies[name], cell) for name in sorted(alike)}))
            if at % 100 == 99:
                print(f"headlines: {at + 1} of {len(runs)} cells", flush=True)
        for paper, key, cell, found, decisions in done:
            for name, facts in found.items():
                yield paper.key, key, cell.trace.name, cell.size, name, facts | (decisions[name].result() if name in decisions else {})


def compared():
    """What the headlines compare, as Study.run() takes it."""
    pairs = {}
    for claim in CLAIMS:
        if claim.how in COMPARED:
            for key in claim.kinds:
                pairs.setdefault((claim.paper, key), set()).update((claim.name, other) for other in claim.others)
    return pairs


def limited():
    """The kinds of run that decide headlines on what has a bound, as Study.run() takes them."""
    return {(claim.paper, key) for claim in CLAIMS if claim.metric in BOUNDED for key in claim.kinds}


def figure(value):
    return value if isinstance(value, str) else "" if value is None else f"{value:.5g}"


def write_csv(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        out.writerows(rows)


def describe(trace):
    """A row of traces.csv; pages of 8 KiB."""
    reasons = [f"{paper.key}: {trace.why_not(paper)}" for paper in PAPERS.values() if trace.why_not(paper)]
    return (trace.name, trace.nr, int(trace.cut), int(trace.timed), figure(trace.reading), figure(trace.hot), figure(trace.first),
            *trace.facts[8192], figure(trace.mean[READ]), figure(trace.mean[WRITE]), "; ".join(reasons))


def write_traces(results, traces, study):
    known = {trace.name: trace for trace in (*traces, *(cell.trace for _, _, cell in study.cells))}
    write_csv(results / "traces.csv", TRACE, [describe(trace) for trace in known.values()])


def interrupted(number, _):
    """What runs is still waited for: a moment."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("headlines: interrupted; what is done is kept, and the same command goes on", file=sys.stderr, flush=True)
    sys.exit(128 + number)


def main():
    args = arguments()
    began = time.monotonic()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    signal.signal(signal.SIGINT, interrupted)
    # Ctrl-C reaches the processes of bounds, too. They end with this one.
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    with open(args.results / "lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"headlines: another study is running in {args.results}")
        try:
            work(args, began)
        except Failed as error:
            sys.exit(f"headlines: {error}")


def work(args, began):
    limit = min(args.limit, QUICK_LIMIT) if args.quick else args.limit
    scratch = args.results / ("traces" if limit == LIMIT else f"traces-{limit}")
    traces = load(args.traces, scratch, limit, args.only and args.only.split(","))
    papers = {key: paper for key, paper in PAPERS.items() if args.paper in (None, key)}
    study = Study(traces, scratch, papers, args.quick)
    study.announce()
    if not args.dry_run:
        write_traces(args.results, traces, study)
    if args.dry_run or args.describe:
        return
    simulator = Simulator(args.jobs, args.results / "runs.jsonl", args.scheduler)
    try:
        rows = [(*cell, *(figure(found.get(name)) for name in (*FACTS, DECISIONS))) for *cell, found in study.run(simulator, compared(), limited())]
    finally:
        simulator.close()
    write_csv(args.results / "cells.csv", (*CELL, *FACTS, DECISIONS), rows)
    usage = os.times()
    print(f"headlines: {len(rows)} rows, {simulator.new} new runs; {time.monotonic() - began:.0f} s, "
          f"{sum(usage[:4]):.0f} s of CPU time", flush=True)


if __name__ == "__main__":
    sys.exit(main())
