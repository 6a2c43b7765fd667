# SPDX-License-Identifier: GPL-2.0
"""Runs of the simulator, each done once: what is done is kept on disk, by the simulator's build, the requests and the options."""

import csv
import functools
import hashlib
import json
import math
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import ssdcache
from bounds import bounds
from plan import DECISIONS

# Of the options of a run, those that change how its trace is read.
LOAD = ("time_scale", "repeat")
# What a worker of a cluster needs, each after what it imports.
MODULES = ("plan.py", "generator.py", "traces.py", "bounds.py", "runs.py")
# Runs on their way for each thread of a cluster.
AHEAD = 3

#: What a run is asked for, in the order of the columns of cells.csv. Times in ns.
FACTS = ("absorbed", "overwrites", "hits", "evicted", "batch", "thrash", "flushed", "waf", "gc", "erases", "blocked", "fills", "response",
         "p99", "worst_percent", "worst_permille", "read", "write", "prefetched", "per_prefetch", "saved", "held", "rebuilds",
         "hot_moves", "adjacent_moves", "irl", "srl", "drl")


class Failed(Exception):
    """A run, or the cluster."""


class Simulator:
    """@jobs: runs at a time; @journal: the file of what is done; @scheduler: the address of a Dask cluster that does the runs."""

    def __init__(self, jobs, journal, scheduler=None):
        self.profiles = {profile.name: profile.info["params"] for profile in ssdcache.flash.values()}
        self.code = build()
        self.client = connected(scheduler, self.code) if scheduler else None
        # Threads wait: for the process of a run, or for a worker of the cluster, which always has a few runs ahead.
        self.pool = ThreadPoolExecutor(AHEAD * sum(self.client.nthreads().values()) if scheduler else jobs)
        self.processes = self.client.get_executor() if scheduler else ProcessPoolExecutor(jobs)
        self.journal, self.done = journal, {}
        if journal.exists():
            for line in journal.read_bytes().splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue        # cut off when a study was interrupted
                self.done[entry["key"]] = entry["facts"]
        self.file = open(journal, "a", encoding="ascii")
        self.runs, self.new = {}, 0

    def flash(self, profile, sectors, aged):
        """The paper's flash with just enough blocks for the trace and garbage collection (3 spare ones per plane)."""
        params = self.profiles[profile]
        block = params["pages"] * params["page_bytes"] // 512
        planes = params["channels"] * params["chips"] * params["dies"] * params["planes"]
        blocks = math.ceil(sectors / (1 - params["over_provisioning"] / 100) / block / planes) + 2
        blocks = max(blocks, math.ceil(300 / params["over_provisioning"]) + 1)
        return f"{profile}:blocks={blocks}" + (",aged=steady" if aged else "")

    def options(self, paper, policy, cell):
        options = policy.words() | {"dram": cell.size, "page": paper.page, "dram_mode": "protected", "dram_ns": paper.dram_ns,
                                    "thrash_span": 16} | dict(cell.options)
        return options | {"flash": self.flash(paper.profile, cell.trace.sectors, cell.aged)}

    def start(self, paper, policy, cell):
        """Start a run unless it was started before; its result() has the facts."""
        options = self.options(paper, policy, cell)
        key = self.key(cell.trace.path, options)
        if key not in self.runs:
            self.runs[key] = self.pool.submit(self.look_up, key, lambda: self.elsewhere(run, cell.trace.path, options)
                                              if self.client else run(cell.trace.path, options))
        return self.runs[key]

    def start_decisions(self, paper, policy, cell):
        """The same run again; its result() has a digest of the decisions."""
        options = self.options(paper, policy, cell)
        key = self.key(cell.trace.path, {DECISIONS: options})
        if key not in self.runs:
            self.runs[key] = self.pool.submit(self.look_up, key, lambda: self.elsewhere(decisions, cell.trace.path, options))
        return self.runs[key]

    def start_bounds(self, paper, cell):
        question = {"bound": paper.page, "frames": cell.size // paper.page, "reads": paper.reads}
        key = self.key(cell.trace.path, question, Path(__file__).with_name("bounds.py").read_bytes())
        if key not in self.runs:
            self.runs[key] = self.pool.submit(self.look_up, key, lambda: self.elsewhere(
                bounds, cell.trace.path, *question.values()))
        return self.runs[key]

    def key(self, path, options, code=None):
        text = json.dumps([hashlib.sha256(code).hexdigest() if code else self.code, content(path), options], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def elsewhere(self, function, *arguments):
        return self.processes.submit(function, *arguments).result()

    def close(self):
        """After an interrupt the runs that wait are not begun."""
        self.pool.shutdown(cancel_futures=True)
        if self.client:
            self.client.close()
        else:
            self.processes.shutdown(cancel_futures=True)
        self.file.close()

    def look_up(self, key, compute):
        if key not in self.done:
            self.done[key] = compute()
            self.file.write(json.dumps({"key": key, "facts": self.done[key]}) + "\n")
            self.file.flush()
            self.new += 1
        return self.done[key]


def connected(scheduler, code):
    """A client of a Dask cluster whose workers have this package, the same build, and the folder of the traces."""
    from distributed import Client

    client = Client(scheduler)
    for name in MODULES:
        client.upload_file(str(Path(__file__).with_name(name)))
    others = [address for address, found in client.run(build).items() if found != code]
    if others or not client.nthreads():
        raise Failed(f"{scheduler}: " + (f"another build of the simulator on {others[0]}" if others else "no workers"))
    return client


def build():
    """What the results depend on, besides the requests and the options: the code of the simulator, and this file."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(Path(ssdcache.__file__).parent.glob("*.so")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def content(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@functools.lru_cache(8)
def requests(path, options):
    """The requests of a trace, which runs share."""
    return ssdcache.Trace(path, **dict(options))


def simulated(path, options, **more):
    """The report of a run."""
    load = tuple((name, options[name]) for name in LOAD if name in options)
    given = {name: value for name, value in options.items() if name not in LOAD}
    try:
        return ssdcache.simulate(requests(path, load), **given, **more).report
    except ssdcache.SimulatorError as error:
        raise Failed(f"{path} {options}: {error}") from None


def run(path, options):
    with tempfile.NamedTemporaryFile() as series:
        more = {"series": series.name, "series_interval_ms": 1000} if options["prefetch"] != "none" else {}
        report = simulated(path, options, **more)
        return facts(report, held(series.name))


def decisions(path, options):
    """A digest of the requests, of what they hit, of what enters, is flushed and leaves, in the order in which it is decided."""
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile() as log:
        simulated(path, options, log_decisions=log.name)
        while part := log.read(1 << 20):
            digest.update(part)
    return {DECISIONS: f"d{digest.hexdigest()[:16]}"}


def held(series):
    """Average over time of prefetched pages in DRAM."""
    with open(series, encoding="ascii", newline="") as file:
        pages = [int(row["prefetched"]) for row in csv.DictReader(file)]
    return sum(pages) / max(1, len(pages))


def facts(report, pages_held):
    """See FACTS. Those of plug-ins are there only if the plug-in has them."""
    stats, latency, flash = report["stats"], report["latency"], report["flash"]["stats"]
    policy = report["replacement"]["stats"]
    buckets = sorted(latency["read_histogram"] + latency["write_histogram"])
    count = latency["read"]["count"] + latency["write"]["count"]
    found = {
        "absorbed": share(stats["write_absorbed"], stats["write_pages"]),
        "overwrites": share(stats["write_hits"], stats["write_pages"]),
        "hits": share(stats["read_hits"] + stats["write_hits"], stats["read_pages"] + stats["write_pages"]),
        "evicted": stats["evicted_pages"],
        "batch": share(stats["evicted_pages"], stats["evictions"]),
        "thrash": stats["thrash_events"],
        # Pages dirty at the end count as written, here and in waf: a short run ends with DRAM full of them.
        "flushed": sum(value for name, value in stats.items() if name.endswith("_flushed")) + stats["dirty"],
        "waf": share(flash["host_programs"] + flash["gc_programs"] + stats["dirty"], stats["write_pages"]),
        "gc": flash["gc_runs"],
        "erases": flash["erases"],
        "blocked": flash["blocked_reads"],
        "fills": stats["fills"],
        "response": share(sum(latency[op]["count"] * latency[op]["mean_ns"] for op in ("read", "write")), count),
        "p99": percentile(buckets, 0.99),
        "worst_percent": worst(buckets, 0.01),
        "worst_permille": worst(buckets, 0.001),
        "prefetched": stats["prefetched_pages"],
        "per_prefetch": share(stats["prefetch_hits"] + stats["prefetch_late_hits"], stats["prefetched_pages"]),
        "saved": stats["saved_us"],
        "held": pages_held / report["config"]["frames"],
    }
    found |= {op: latency[op]["mean_ns"] for op in ("read", "write") if latency[op]["count"]}
    found |= {name: policy[name] for name in ("rebuilds",) if name in policy}
    if policy.get("hit_moves"):
        found |= {name: policy[name] / policy["hit_moves"] for name in ("hot_moves", "adjacent_moves")}
    found |= {name: policy[f"{name}_pages"] for name in ("irl", "srl", "drl") if f"{name}_pages" in policy}
    return found


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
