# SPDX-License-Identifier: GPL-2.0
"""
The papers' headlines on real traces: do direction and order of magnitude agree?

usage: headlines.py RESULTS --traces FOLDER [--paper sha23|li22|shin23|zhou23|lin22] [--quick] [--limit N] [--jobs N]
"""

import argparse
import csv
import json
import time
from dataclasses import asdict
from pathlib import Path

import li22
import rows
from plan import MIB, PAPERS
from study import Cell, Simulator, Study, paper_cells, scaled_cells
from traces import Trace, hybrids, load

COLUMNS = ("id", "paper value", "our value", "same sign?", "same order of magnitude?", "note")
# [Sha23] replayed the MSR traces a hundred times as fast, by its Table 3.
FAST = (("time_scale", 0.01),)
# As in SSDsim, whose buffer takes in a whole request on arrival, however many others wait for the flash.
CLOSED = (("closed", True),)


def arguments():
    parser = argparse.ArgumentParser(prog="headlines")
    parser.add_argument("results", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--paper", choices=PAPERS)
    parser.add_argument("--limit", type=int, default=500_000)
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def prefetch_groups(paper, traces, scratch):
    """The same as for the other papers, plus hybrids and the sizes of [Li22] Fig. 18, which have rows of their own."""
    sizes = [Cell(trace, size * MIB, ()) for trace in traces for size in (4, 8, 16, 32, 64)]
    return [("paper's sizes", paper_cells(paper, traces)),
            ("paper's sizes, one request after the other", paper_cells(paper, traces, CLOSED)),
            ("sizes scaled to footprint", scaled_cells(paper, traces)),
            ("traces with hot reads ten times over", paper_cells(paper, [
                Trace(scratch / f"{trace.name}_ten_times.csv", paper).join([trace] * 10) for trace in traces
                if trace.hot >= li22.MIN_HOT])),
            ("hybrids", paper_cells(paper, hybrids(paper, traces, scratch))),
            ("4 to 64 MiB", sizes)]


def groups(key, paper, traces, quick, scratch):
    """The studies of a paper: labels and their cells."""
    if quick:
        return [("sizes scaled to footprint", scaled_cells(paper, traces, (16,)))]
    if key == "li22":
        return prefetch_groups(paper, traces, scratch)
    found = [("paper's sizes", paper_cells(paper, traces)), ("sizes scaled to footprint", scaled_cells(paper, traces))]
    found.append(("scaled sizes, one request after the other", scaled_cells(paper, traces, options=CLOSED)))
    if key == "sha23":
        msr = [trace for trace in traces if trace.name.startswith("msr_")]
        found.append(("scaled sizes, MSR times / 100", scaled_cells(paper, msr, options=FAST)))
    return found


FACTS = ("absorbed", "overwrites", "hits", "evicted", "batch", "thrash", "flushed", "waf", "gc", "blocked", "response", "p99",
         "worst_percent", "read", "write", "prefetched", "per_prefetch", "saved", "held", "erases")

# Studies with rows of their own.
TABLES = {"traces with hot reads ten times over": li22.again, "hybrids": li22.hybrids, "4 to 64 MiB": li22.sizes}


def write_cells(path, studies):
    """Write every number that the table is computed from, cell by cell."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(("paper", "sizes", "trace", "bytes", "options", "policy", *FACTS))
        for key, study in studies:
            for cell in study.run_cells:
                for name in study.paper.policies:
                    if not study.missing(name):
                        result = study.get(name, cell)
                        out.writerow((key, study.label, cell.trace.name, cell.size, cell.words(), name,
                                      *(f"{getattr(result, fact):.6g}" for fact in FACTS)))


def measure(simulator, traces, keys, quick, results):
    """All rows, in order of their ids, and the traces left out."""
    studies, left_out = [], []
    for key in keys:
        paper = PAPERS[key]
        fit = [trace for trace in traces if not trace.why_not(paper)]
        left_out += [(key, trace.name, trace.why_not(paper)) for trace in traces if trace.why_not(paper)]
        left_out += [(key, trace.name, "too few pages for sizes in proportion to them") for trace in fit
                     if not scaled_cells(paper, [trace])]
        studies += [(key, Study(simulator, paper, label, cells)) for label, cells in
                    groups(key, paper, fit, quick, results / "traces") if cells]
    table = []
    for key, study in studies:
        if not study.cells:
            table.append(rows.Row(key, "all", "-", "-", "-", f"{study.label}: nothing is evicted in any cell"))
            continue
        part = rows.Table(study)
        TABLES.get(study.label, rows.TABLES.get(key, li22.li22))(part)
        table += [row for row in part.rows if row.ours != "missing" or row not in table]
        print(f"headlines: {key}, {study.label}: {len(part.rows)} rows", flush=True)
    write_cells(results / (f"cells-{keys[0]}.csv" if len(keys) == 1 else "cells.csv"), studies)
    table += [rows.Row(key, "-", "not measured here", "-", "-", why) for key, why in rows.ELSEWHERE.items()
              if key.partition("-")[0] in keys]
    return sorted(table, key=number), left_out


def number(row):
    """In order of papers, then of numbers: sha23-2, sha23-15, li22-1."""
    paper, _, rest = row.key.partition("-")
    words = paper.split()
    digits = rest.split()[0].rstrip(",") if rest else "0"
    return list(PAPERS).index(words[0]), len(words), int(digits)


def cells_of(row):
    return [row.key, row.paper, row.ours, row.sign, row.order, row.note]


def text(table):
    lines = [COLUMNS] + [cells_of(row) for row in table]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS) - 1)]
    return "\n".join("  ".join([cell.ljust(width) for cell, width in zip(line, widths)] + [line[-1]]) for line in lines)


def markdown(table):
    lines = [COLUMNS, ["---"] * len(COLUMNS)] + [cells_of(row) for row in table]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main():
    args = arguments()
    began = time.monotonic()
    suffix = f"-{args.paper}" if args.paper else ""
    traces = load(args.traces, args.results / "traces", args.limit)
    simulator = Simulator(args.jobs)
    table, left_out = measure(simulator, traces, [args.paper] if args.paper else list(PAPERS), args.quick, args.results)
    compared = [row for row in table if row.sign in ("yes", "no", "equal")]
    wrong = [row for row in compared if row.sign == "no"]
    notes = [f"- {key}: {name} left out: {why}" for key, name, why in left_out]
    notes += [f"- {trace.name}: only the first {trace.nr} requests" for trace in traces if trace.cut]
    notes.append(f"- {len(simulator.runs)} runs; {len(compared)} directions compared, {len(wrong)} wrong, "
                 f"{sum(row.sign == 'equal' for row in compared)} equal")
    (args.results / f"headlines{suffix}.json").write_text(json.dumps([asdict(row) for row in table], indent=1), encoding="utf-8")
    (args.results / f"headlines{suffix}.md").write_text(markdown(table) + "\n\n" + "\n".join(notes) + "\n", encoding="utf-8")
    print(text(table))
    print("\n".join(notes))
    print(f"headlines: {time.monotonic() - began:.0f} s; also in {args.results}: headlines{suffix}.md, .json, cells{suffix}.csv")


if __name__ == "__main__":
    main()
