# SPDX-License-Identifier: GPL-2.0
"""
The runs: cells.csv has the metrics of each scheme in each cell, traces.csv describes the traces.

usage: champion_study.py RESULTS --part development|held-out --traces FOLDER [--limit N] [--jobs N] [--scheduler ADDRESS] 
                         [--known CELLS] [--core] [--dry-run]
"""

import argparse
import csv
import os
import sys
import tempfile
import time
from pathlib import Path

import champion_plan as plan
import ssdcache
from runs import Failed, Simulator
from study import CELL, LIMIT, Study, figure, write_csv, write_traces
from traces import load, name_of
from verdicts import opened

#: What is kept of a run.
KEPT = ("response", "read", "write", "absorbed", "overwrites", "hits", "evicted", "flushed")


def arguments():
    parser = argparse.ArgumentParser(prog="champion")
    parser.add_argument("results", type=Path)
    parser.add_argument("--part", choices=("development", "held-out"), required=True)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--scheduler", metavar="ADDRESS")
    parser.add_argument("--known", type=Path, metavar="CELLS", help="of the study of headlines, of the same traces: not run again")
    parser.add_argument("--core", action="store_true", help="without the policies that the papers do not compare")
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args()


def chosen(args):
    """The traces of the part, in a folder of links, as the study of headlines takes folders."""
    found = [path for path in sorted(args.traces.iterdir()) if ".csv" in path.name and plan.belongs(args.part, name_of(path))]
    if not found:
        sys.exit(f"champion: {args.traces} has no traces of the {args.part} part")
    with tempfile.TemporaryDirectory() as links:
        for path in found:
            (Path(links) / path.name).symlink_to(path.resolve())
        return load(links, args.results / f"traces-{args.limit}", args.limit)


def known(path):
    """Rows of the study of headlines."""
    here = {of: name for name, of in plan.READINGS.items()}
    with opened(path) as file:
        return {(row["paper"], row["kind"], row["trace"], int(row["bytes"]), here.get(row["policy"], row["policy"])):
                {name: float(row[name]) for name in KEPT if row[name]} for row in csv.DictReader(file)}


def main():
    args, began = arguments(), time.monotonic()
    traces = chosen(args)
    names = [] if args.core else list(ssdcache.replacement)
    study = Study(traces, args.results, plan.papers(names), fits=plan.fits, known=known(args.known) if args.known else None)
    study.announce()
    if args.dry_run:
        return
    write_traces(args.results, traces, study)
    try:
        simulator = Simulator(args.jobs, args.results / "runs.jsonl", args.scheduler)
        try:
            rows = [(*cell, *(figure(found.get(name)) for name in KEPT)) for *cell, found in study.run(simulator)]
        finally:
            simulator.close()
    except Failed as error:
        sys.exit(f"champion: {error}")
    write_csv(args.results / "cells.csv", CELL + KEPT, rows)
    print(f"champion: {len(rows)} rows, {simulator.new} new runs; {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
