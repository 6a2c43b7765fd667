# SPDX-License-Identifier: GPL-2.0
"""
Prepare traces for the simulator: convert them to the project's format, cut them to a number of page accesses, and compact their
addresses, so that a flash device only slightly larger than the trace collects garbage as the papers' full devices do.
"""

import copy
import functools
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import ssdcache
from generator import described, generate
from plan import CHUNK_SECTORS, FITTED_REQUESTS, GENERATED_REQUESTS, MIN_ACCESSES, MIN_REUSE, MIN_TIMES, PAPERS, ROOM

READ, WRITE = 0, 1      # ssdcache.trace.OPS


def expanded(first, last):
    """All numbers of the ranges [@first, @last], and the index of the range of each."""
    lengths = last - first + 1
    index = np.repeat(np.arange(len(first)), lengths)
    return np.arange(len(index)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[index], index


def distinct(values):
    """As np.unique(), whose hash table takes ten times as long on page numbers."""
    values = np.sort(values)
    return values[np.append(True, values[1:] != values[:-1])] if len(values) else values


class Trace:
    """
    A trace on disk.

    @path: file in the project's format
    @only: the one paper it is for; None: all
    @sectors: size of an origin that holds all of it
    @nr, @cut: number of requests; some were cut off
    @timed: the trace has times, not the same one for nearly all requests
    @facts: page size -> (page accesses, pages, page writes, pages written)
    @reading: share of read requests
    @hot: share of the 8 KiB pages read that are read at least three times ([Li22] Table 2)
    @first: share of page reads that read their page for the first time
    @mean: READ or WRITE -> bytes of the mean request
    """

    def __init__(self, path, records, only=None, cut=False):
        self.name, self.path, self.only, self.cut = path.stem, path, only, cut
        records = self.move_together(records.copy())
        self.nr = len(records)
        self.timed = len(distinct(records["time_ns"])) > MIN_TIMES * self.nr
        self.reading = float(np.mean(records["op"] == READ))
        self.facts = {page: self.count(records, page // 512) for page in (4096, 8192)}
        self.hot, self.first = self.look_at_reads(records, 16)
        self.mean = {op: self.mean_bytes(records, op) for op in (READ, WRITE)}
        self.write(records)

    def move_together(self, records):
        """Close the gaps between the chunks in use; chunks keep their order, addresses their place in a chunk."""
        data = records["op"] <= WRITE
        first, end = records["sector"].astype(np.int64), (records["sector"] + records["nr_sectors"]).astype(np.int64)
        chunks = distinct(expanded(first[data] // CHUNK_SECTORS, (end[data] - 1) // CHUNK_SECTORS)[0])
        self.sectors = len(chunks) * CHUNK_SECTORS
        place = np.searchsorted(chunks, first // CHUNK_SECTORS)
        records["sector"][data] = (place * CHUNK_SECTORS + first % CHUNK_SECTORS)[data]
        if data.all():
            return records
        parts = []
        for record, start, stop, plain in zip(records, first, end, data):
            if plain or start == stop:
                parts.append(record.copy())
                continue
            # A discard may span unused chunks: keep its parts in used ones.
            for at in range(np.searchsorted(chunks, start // CHUNK_SECTORS),
                            np.searchsorted(chunks, (stop - 1) // CHUNK_SECTORS, side="right")):
                part, base = record.copy(), chunks[at] * CHUNK_SECTORS
                begin, finish = max(start, base), min(stop, base + CHUNK_SECTORS)
                part["sector"], part["nr_sectors"] = begin + (at - chunks[at]) * CHUNK_SECTORS, finish - begin
                parts.append(part)
        return np.array(parts, records.dtype)

    @staticmethod
    def look_at_reads(records, page_sectors):
        pages = page_accesses(records[records["op"] == READ], page_sectors)[0]
        _, times = np.unique(pages, return_counts=True)
        return float(np.mean(times >= 3)) if len(times) else 0.0, len(times) / max(1, len(pages))

    @staticmethod
    def mean_bytes(records, op):
        sectors = records["nr_sectors"][records["op"] == op]
        return 512 * float(np.mean(sectors)) if len(sectors) else 0.0

    @staticmethod
    def count(records, page_sectors):
        pages, index = page_accesses(records, page_sectors)
        written = pages[records["op"][records["op"] <= WRITE][index] == WRITE]
        return len(pages), len(distinct(pages)), len(written), len(distinct(written))

    def write(self, records):
        frame = pd.DataFrame({"time": records["time_ns"], "op": np.array(list("RWFD"))[records["op"]], "sector": records["sector"],
                              "length": records["nr_sectors"], "fua": np.where(records["fua"], "F", "")})
        new = self.path.with_suffix(".new")
        with open(new, "w", encoding="ascii", newline="") as out:
            out.write("# ssdcache-trace 1\n")
            frame.to_csv(out, header=False, index=False, lineterminator="\n")
        new.replace(self.path)

    def cached(self, paper):
        """Number of page accesses that enter the paper's cache, and of their pages."""
        accesses, pages, writes, written = self.facts[paper.page]
        return (accesses, pages) if paper.reads else (writes, written)

    def why_not(self, paper):
        """Why the trace is unfit for a paper; "" if it fits."""
        if self.only not in (None, paper):
            return "made for another paper"
        accesses, pages = self.cached(paper)
        what = "page accesses" if paper.reads else "page writes"
        if accesses < MIN_ACCESSES:
            return f"{accesses} {what}, fewer than {MIN_ACCESSES}"
        if 1 - pages / accesses < MIN_REUSE:
            return f"{100 * (1 - pages / accesses):.1f} % of {what} are to pages seen before, less than {100 * MIN_REUSE:.0f} %"
        return ""


def page_accesses(records, page_sectors):
    """The pages of all reads and writes, and of each the index of its request among these."""
    data = records[records["op"] <= WRITE]
    sector = data["sector"].astype(np.int64)
    return expanded(sector // page_sectors, (sector + data["nr_sectors"] - 1) // page_sectors)


def cut_to(records, limit):
    """The requests before the one that goes beyond @limit accesses of 4 KiB pages."""
    first, last = records["sector"] // 8, (records["sector"] + np.maximum(records["nr_sectors"], 1) - 1) // 8
    accesses = np.cumsum(np.where(records["op"] <= WRITE, last - first + 1, 0))
    return records[:np.searchsorted(accesses, limit, side="right")]


def joined(parts, name, only):
    """Concatenate prepared traces of one address space, one second apart."""
    start, all_records = 0, []
    for part in parts:
        records = ssdcache.Trace(part.path).records.copy()
        records["time_ns"] += start
        start = int(records["time_ns"][-1]) + 1_000_000_000
        all_records.append(records)
    return Trace(parts[0].path.with_name(f"{name}.csv"), np.concatenate(all_records), only)


def repeated(trace, times, only):
    return joined([trace] * times, f"{trace.name}_{times}_times", only)


def whole_pages(records, page_bytes):
    """Writes begin and end at pages, so that no page is partly valid."""
    page, write = page_bytes // 512, records["op"] == WRITE
    first = records["sector"] // page * page
    end = (records["sector"] + records["nr_sectors"] + page - 1) // page * page
    records["sector"][write], records["nr_sectors"][write] = first[write], (end - first)[write]
    return records


def reads_apart(records):
    """Reads come at random times, and so not close to writes."""
    read = records["op"] == READ
    records["time_ns"][read] = np.random.default_rng(1).integers(0, int(records["time_ns"][-1]) + 1, int(read.sum()))
    return records[np.argsort(records["time_ns"], kind="stable")]


@functools.cache
def changed(path, change, page_bytes):
    records = whole_pages(ssdcache.Trace(path).records.copy(), page_bytes)
    if change == "apart":
        records = reads_apart(records)
    return Trace(path.with_name(f"{path.stem}_{change}_{page_bytes >> 10}k.csv"), records)


def isolated(paper, key, trace):
    """The trace of one of ISOLATING, for a flash with more room."""
    change = key.rpartition("-")[2]
    made = copy.copy(trace if change == "roomy" else changed(trace.path, change, paper.page))
    made.sectors *= ROOM
    return made


def half_of(records):
    """The request up to which half of the pages are written: web_0 writes nine tenths of them in the first half of its requests."""
    pages = np.where(records["op"] == WRITE, (records["nr_sectors"] + 7) // 8, 0)
    return int(np.searchsorted(np.cumsum(pages), pages.sum() / 2))


@functools.cache
def made_of(path, key):
    """What the generator is tested with: the second half of a trace, or as much made from the first half; or what it is for."""
    records = ssdcache.Trace(path).records
    half = half_of(records)
    if key == "half":
        records = records[half:].copy()
        records["time_ns"] -= records["time_ns"][0]
    elif key == "half-generated":
        records = generate(described(records[:half]), len(records) - half, 1, records.dtype)
    else:
        records = generate(described(records), GENERATED_REQUESTS, 1, records.dtype)
    return Trace(path.with_name(f"{path.stem}_{key.replace('-', '_')}.csv"), records)


def generated(paper, key, trace):
    if trace.nr < FITTED_REQUESTS or trace.cut:
        return []
    made = made_of(trace.path, key)
    return [] if made.why_not(paper) else [made]


def name_of(path):
    """The name of a trace: that of its file, up to .csv."""
    return path.name.partition(".csv")[0]


def check_names(sources):
    """Of traces of the same name, the last one would be run for all."""
    known = {}
    for source in sources:
        other = known.setdefault(name_of(source), source)
        if other is not source:
            sys.exit(f"headlines: {source.parent}: {other.name} and {source.name} have the same name, {name_of(source)}: remove or rename one")


def load(folder, scratch, limit, wanted=None):
    """The traces of a folder, in order of their names. @wanted: parts of names; None: all."""
    scratch.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in Path(folder).iterdir() if ".csv" in path.name)
    sources = [path for path in sources if wanted is None or any(part in path.name for part in wanted)]
    if not sources:
        sys.exit(f"headlines: {folder}: no *.csv, *.csv.gz or *.csv.zst")
    check_names(sources)
    traces = []
    for source in sources:
        name = name_of(source)
        try:
            whole = ssdcache.Trace(source).records
        except ssdcache.SimulatorError as error:
            sys.exit(f"headlines: {error}")
        records = cut_to(whole, limit)
        traces.append(Trace(scratch / f"{name}.csv", records, cut=len(records) < len(whole)))
        for paper in PAPERS.values():
            if name.startswith(paper.bytes):
                as_bytes = records.copy()
                as_bytes["sector"] //= 512
                traces.append(Trace(scratch / f"{name}_as_bytes.csv", as_bytes, paper, len(records) < len(whole)))
    return traces


def hybrids(paper, traces, scratch):
    """Mixtures as in [Li22] Table 4, of the traces at hand: mostly reads, balanced, mostly writes, each pair, and all."""
    kinds = {"reads": [], "balance": [], "writes": []}
    for trace in traces:
        kinds["reads" if trace.reading >= 0.85 else "balance" if trace.reading > 0.45 else "writes"].append(trace)
    mixes = [("reads",), ("balance",), ("writes",), ("reads", "balance"), ("reads", "writes"), ("balance", "writes"),
             tuple(kinds)]
    return [joined([trace for kind in mix for trace in kinds[kind]], f"hybrid_{'_'.join(mix)}", paper)
            for mix in mixes if all(kinds[kind] for kind in mix)]
