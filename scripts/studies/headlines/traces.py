# SPDX-License-Identifier: GPL-2.0
"""
Prepare traces for the simulator: convert them to the project's format, cut them to a number of page accesses, and compact their
addresses, so that a flash device only slightly larger than the trace collects garbage as the papers' full devices do.
"""

import sys
from collections import Counter
from pathlib import Path

import ssdcache
from plan import PAPERS

CHUNK_SECTORS = 8192    # compaction keeps the order of addresses and their place in aligned chunks of 4 MiB
MIN_ACCESSES = 5000
MIN_REUSE = 0.05


def lines_of(source):
    """The fields of the lines that a trace has in the project's format."""
    try:
        records = ssdcache.Trace(source).records
    except ssdcache.SimulatorError as error:
        sys.exit(f"headlines: {error}")
    for record in records:
        yield (str(record["time_ns"]), "RWFD"[record["op"]], int(record["sector"]), int(record["nr_sectors"]),
               "F" if record["fua"] else "")


class Trace:
    """
    A trace on disk.

    @path: file in the project's format
    @sectors: size of an origin that holds all of it
    @cut: requests were cut off
    @facts: page size -> (page accesses, pages, page writes, pages written)
    @reads: number of read requests
    @hot: share of the 8 KiB pages read that are read at least three times ([Li22] Table 2)
    @first: share of page reads that read their page for the first time
    @only: the one paper it is for; None: all
    """

    def __init__(self, path, only=None):
        self.name, self.path, self.only = path.stem, path, only
        self.requests, self.cut = [], False

    def finish(self):
        """Collect the facts about the requests and write them to the file."""
        self.sectors = self.move_together()
        self.facts = {page: self.count(page // 512) for page in (4096, 8192)}
        self.reads = sum(request[1] == "R" for request in self.requests)
        self.hot, self.first = self.look_at_reads(16)
        self.write()
        return self

    def read(self, source, limit, divide=1):
        """Read at most @limit accesses of 4 KiB pages, addresses divided by @divide."""
        accesses = 0
        for time, op, sector, length, flags in lines_of(source):
            sector //= divide
            if op in "RW":
                accesses += (sector + length - 1) // 8 - sector // 8 + 1
            if accesses > limit:
                self.cut = True
                break
            self.requests.append((time, op, sector, length, flags))
        return self.finish()

    def join(self, parts):
        """Concatenate traces of one address space, one second apart."""
        start = 0
        for part in parts:
            with open(part.path, encoding="ascii") as lines:
                requests = [line.rstrip("\n").split(",") for line in lines if not line.startswith("#")]
            first = int(requests[0][0])
            self.requests += [(str(start + int(time) - first), op, int(sector), int(length), flags)
                              for time, op, sector, length, flags in requests]
            start = int(self.requests[-1][0]) + 1_000_000_000
        return self.finish()

    def move_together(self):
        chunks = set()
        for _, op, sector, length, _ in self.requests:
            if op in "RW":
                chunks.update(range(sector // CHUNK_SECTORS, (sector + length - 1) // CHUNK_SECTORS + 1))
        place = {chunk: i for i, chunk in enumerate(sorted(chunks))}
        moved = []
        for time, op, sector, length, flags in self.requests:
            if op in "RW" or not length:
                moved.append((time, op, place.get(sector // CHUNK_SECTORS, 0) * CHUNK_SECTORS + sector % CHUNK_SECTORS
                              if length else 0, length, flags))
                continue
            # A discard may span unused chunks: keep its parts in used ones.
            for chunk in range(sector // CHUNK_SECTORS, (sector + length - 1) // CHUNK_SECTORS + 1):
                if chunk in place:
                    first = max(sector, chunk * CHUNK_SECTORS)
                    end = min(sector + length, (chunk + 1) * CHUNK_SECTORS)
                    moved.append((time, op, first + (place[chunk] - chunk) * CHUNK_SECTORS, end - first, flags))
        self.requests = moved
        return len(place) * CHUNK_SECTORS

    def look_at_reads(self, page_sectors):
        pages = Counter(page for _, op, sector, length, _ in self.requests if op == "R" for page in
                        range(sector // page_sectors, (sector + length - 1) // page_sectors + 1))
        return (sum(times >= 3 for times in pages.values()) / max(1, len(pages)),
                len(pages) / max(1, pages.total()))

    def count(self, page_sectors):
        accesses = writes = 0
        pages, written = set(), set()
        for _, op, sector, length, _ in self.requests:
            if op not in "RW":
                continue
            touched = range(sector // page_sectors, (sector + length - 1) // page_sectors + 1)
            accesses += len(touched)
            pages.update(touched)
            if op == "W":
                writes += len(touched)
                written.update(touched)
        return accesses, len(pages), writes, len(written)

    def write(self):
        with open(self.path, "w", encoding="ascii") as out:
            out.write("# ssdcache-trace 1\n")
            for time, op, sector, length, flags in self.requests:
                out.write(f"{time},{op},{sector},{length},{flags}\n")
        self.nr = len(self.requests)
        self.requests = None

    def cached(self, paper):
        """Number of page accesses that enter the paper's cache, and of their pages."""
        accesses, pages, writes, written = self.facts[paper.page]
        return (accesses, pages) if paper.reads else (writes, written)

    def why_not(self, paper):
        """Why the trace is unfit for a paper; None if it fits."""
        if self.only not in (None, paper):
            return "made for another paper"
        accesses, pages = self.cached(paper)
        what = "page accesses" if paper.reads else "page writes"
        if accesses < MIN_ACCESSES:
            return f"{accesses} {what}, fewer than {MIN_ACCESSES}"
        if 1 - pages / accesses < MIN_REUSE:
            return f"{100 * (1 - pages / accesses):.1f} % of {what} are to pages seen before, less than {100 * MIN_REUSE:.0f} %"
        return None


def load(folder, scratch, limit):
    """All traces of a folder, in order of their names."""
    scratch.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in Path(folder).iterdir() if ".csv" in path.name)
    if not sources:
        sys.exit(f"headlines: {folder}: no *.csv, *.csv.gz or *.csv.zst")
    traces = []
    for source in sources:
        name = source.name.split(".")[0]
        traces.append(Trace(scratch / f"{name}.csv").read(source, limit))
        traces += [Trace(scratch / f"{name}_as_bytes.csv", paper).read(source, limit, 512)
                   for paper in PAPERS.values() if name.startswith(paper.bytes)]
    return traces


def hybrids(paper, traces, scratch):
    """Mixtures as in [Li22] Table 4, of the traces at hand: mostly reads, balanced, mostly writes, each pair, and all."""
    kinds = {"reads": [], "balance": [], "writes": []}
    for trace in traces:
        share = trace.reads / trace.nr
        kinds["reads" if share >= 0.85 else "balance" if share > 0.45 else "writes"].append(trace)
    mixes = [("reads",), ("balance",), ("writes",), ("reads", "balance"), ("reads", "writes"), ("balance", "writes"),
             tuple(kinds)]
    return [Trace(scratch / f"hybrid_{'_'.join(mix)}.csv", paper).join([trace for kind in mix for trace in kinds[kind]])
            for mix in mixes if all(kinds[kind] for kind in mix)]
