# SPDX-License-Identifier: GPL-2.0
"""Runs of the simulator, each done once, and the numbers that headlines are computed from."""

import copy
import csv
import functools
import math
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import ssdcache
from plan import MIN_FRAMES, MIB, PARTS


# Of the options of a cell, those that change how its trace is read.
LOAD = ("time_scale",)


@functools.cache
def requests(path, options):
    """The requests of a trace. All runs share them."""
    return ssdcache.Trace(path, **dict(options))


class Simulator:
    def __init__(self, jobs):
        self.profiles = {name: profile.info["params"] for profile in ssdcache.flash.values()
                         for name in (profile.name, profile.info["alias"])}
        self.pool = ThreadPoolExecutor(jobs)
        self.runs = {}

    def has(self, policy):
        return all(name in getattr(ssdcache, kind) for kind, name in policy.names())

    def flash(self, profile, sectors):
        """The paper's flash with just enough blocks for the trace and garbage collection (3 spare ones per plane)."""
        params = self.profiles[profile]
        block = params["pages"] * params["page_bytes"] // 512
        planes = params["channels"] * params["chips"] * params["dies"] * params["planes"]
        blocks = math.ceil(sectors / (1 - params["over_provisioning"] / 100) / block / planes) + 2
        return f"{profile}:blocks={max(blocks, math.ceil(300 / params['over_provisioning']) + 1)}"

    def start(self, paper, policy, cell, options=()):
        """Start a run unless it was started before."""
        key = (paper.profile, policy, cell, tuple(options))
        if key not in self.runs:
            self.runs[key] = self.pool.submit(self.run, paper, policy, cell, options)
        return self.runs[key]

    def run(self, paper, policy, cell, options):
        given = dict([*cell.options, *options])
        load = tuple((name, given.pop(name)) for name in LOAD if name in given)
        with tempfile.NamedTemporaryFile() as series:
            if policy.prefetch != "none":
                given |= {"series": series.name, "series_interval_ms": 100}
            try:
                result = ssdcache.simulate(
                    requests(cell.trace.path, load), dram=cell.size, page=paper.page, replacement=policy.replacement,
                    admission=policy.admission, prefetch=policy.prefetch, dram_mode="protected", dram_ns=paper.dram_ns,
                    thrash_span=16, flash=self.flash(paper.profile, cell.trace.sectors), **given)
            except ssdcache.SimulatorError as error:
                sys.exit(f"headlines: {policy} {cell} {given}: {error}")
            return Result(result.report, held(series.name))


def held(series):
    """Average over time of prefetched pages in DRAM, and of the frames granted to them."""
    with open(series, encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    granted = next((name for name in (rows[0] if rows else ()) if name.endswith(".pages_max")), "prefetched")
    return [sum(int(row[name]) for row in rows) / max(1, len(rows)) for name in ("prefetched", granted)]


class Result:
    """What a run measured; times in ns. @pages: see held()"""

    def __init__(self, report, pages):
        stats, latency = report["stats"], report["latency"]
        flash = report["flash"]["stats"]
        buckets = sorted(latency["read_histogram"] + latency["write_histogram"])
        self.absorbed = share(stats["write_absorbed"], stats["write_pages"])
        self.overwrites = share(stats["write_hits"], stats["write_pages"])
        self.hits = share(stats["read_hits"] + stats["write_hits"], stats["read_pages"] + stats["write_pages"])
        self.misses = 1 - self.hits
        self.evicted = stats["evicted_pages"]
        self.batch = share(stats["evicted_pages"], stats["evictions"])
        self.thrash = stats["thrash_events"]
        self.thrash_share = share(stats["thrash_events"], stats["evicted_pages"])
        # Pages dirty at the end count as written.
        self.flushed = sum(value for name, value in stats.items() if name.endswith("_flushed")) + stats["dirty"]
        self.waf = share(flash["host_programs"] + flash["gc_programs"], stats["write_pages"])
        self.gc = flash["gc_runs"]
        self.blocked = flash["blocked_reads"]
        self.total = sum(latency[op]["count"] * latency[op]["mean_ns"] for op in ("read", "write"))
        self.response = share(self.total, sum(latency[op]["count"] for op in ("read", "write")))
        self.worst_percent = worst(buckets, 0.01)
        self.worst_permille = worst(buckets, 0.001)
        self.p99 = percentile(buckets, 0.99)
        self.policy = report["replacement"]["stats"]
        self.read, self.write = (latency[op]["mean_ns"] if latency[op]["count"] else 0.0 for op in ("read", "write"))
        self.erases = flash["erases"]
        self.prefetched = stats["prefetched_pages"]
        self.per_prefetch = share(stats["prefetch_hits"] + stats["prefetch_late_hits"], stats["prefetched_pages"])
        self.saved = stats["saved_us"]
        self.held, self.granted = (nr / report["config"]["frames"] for nr in pages)
        self.prefetcher = report["prefetch"]["stats"]


def share(part, whole):
    return part / whole if whole else 0.0


def worst(buckets, part):
    """Mean latency of the slowest @part of all requests, from a histogram."""
    left = wanted = max(1, round(part * sum(count for _, _, count in buckets)))
    total = 0
    for low, high, count in reversed(buckets):
        taken = min(count, left)
        total += taken * (low + high) / 2
        left -= taken
    return total / wanted


def percentile(buckets, part):
    left = part * sum(count for _, _, count in buckets)
    for _, high, count in buckets:
        left -= count
        if left <= 0:
            return high
    return 0


class Cell:
    """A trace, a cache size, and options for the run: pairs of name and value."""

    def __init__(self, trace, size, options):
        self.trace, self.size, self.options = trace, size, options

    def __eq__(self, other):
        return (self.trace, self.size, self.options) == (other.trace, other.size, other.options)

    def __hash__(self):
        return hash((self.trace, self.size, self.options))

    def words(self):
        """The options as on a command line."""
        return " ".join(f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}") for name, value in self.options)

    def __str__(self):
        size = f"{self.size // MIB} MiB" if self.size % MIB == 0 else f"{self.size / MIB:.1f} MiB"
        return f"{self.trace.name} {size}"


class Study:
    """
    A paper's comparison on some cells. Unless the paper is about prefetching, a cell counts only if its first policy
    evicts in it; cells whose DRAM holds all pages of the trace are not run at all.
    """

    def __init__(self, simulator, paper, label, cells):
        self.simulator, self.paper, self.label = simulator, paper, label
        self.all_cells = cells
        self.run_cells = [cell for cell in cells
                          if not paper.evicts or cell.size < cell.trace.cached(paper)[1] * paper.page]
        self.base = next(name for name, policy in paper.policies.items() if simulator.has(policy))
        for name in paper.policies:
            if simulator.has(paper.policies[name]):
                for cell in self.run_cells:
                    simulator.start(paper, paper.policies[name], cell)

    @property
    def cells(self):
        return [cell for cell in self.run_cells if not self.paper.evicts or self.get(self.base, cell).evicted >= 100]

    def only(self, part):
        """The same study on the traces whose names contain @part."""
        return self.where(f"{part} only", lambda cell: part in cell.trace.name)

    def where(self, label, counts):
        """The same study on the cells for which @counts is true."""
        other = copy.copy(self)
        other.label = f"{self.label}, {label}"
        other.all_cells = [cell for cell in self.all_cells if counts(cell)]
        other.run_cells = [cell for cell in self.run_cells if counts(cell)]
        return other

    def missing(self, *names):
        return [name for name in names if not self.simulator.has(self.paper.policies[name])]

    def policy(self, name, tunables):
        return self.paper.policies[name].tuned(tunables)

    def get(self, name, cell, *options, **tunables):
        return self.simulator.start(self.paper, self.policy(name, tunables), cell, options).result()

    def prepare(self, name, *options, **tunables):
        """Start the runs of later get() calls, so that they run side by side."""
        for cell in self.cells:
            self.simulator.start(self.paper, self.policy(name, tunables), cell, options)

    def values(self, name, metric, *options, **tunables):
        return [getattr(self.get(name, cell, *options, **tunables), metric) for cell in self.cells]

    def mean(self, name, metric, *options, **tunables):
        values = self.values(name, metric, *options, **tunables)
        return sum(values) / len(values)

    def ratios(self, name, other, metric, *options):
        """Ratios cell by cell; cells in which @other is 0 are left out."""
        pairs = zip(self.values(name, metric, *options), self.values(other, metric, *options))
        return [a / b for a, b in pairs if b]

    def changes(self, name, other, metric):
        return [ratio - 1 for ratio in self.ratios(name, other, metric)]


def paper_cells(paper, traces, options=()):
    return [Cell(trace, size, options) for trace in traces for size in paper.sizes]


def scaled_cells(paper, traces, parts=PARTS, options=()):
    """Cells with sizes in proportion, for traces whose smallest cache has enough frames."""
    cells = []
    for trace in traces:
        _, pages = trace.cached(paper)
        if pages // max(parts) >= MIN_FRAMES:
            cells += [Cell(trace, pages // part * paper.page, options) for part in parts]
    return cells
