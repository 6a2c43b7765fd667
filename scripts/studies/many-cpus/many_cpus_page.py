#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
The page of many CPUs, from the data alone.

usage: many_cpus_page.py --publish JSON TREE   copies JSON into TREE/Documentation/results, and writes the page
       many_cpus_page.py --two-jobs TSV TREE   the same for what two-jobs.sh measured
       many_cpus_page.py TREE                  writes it again from the data in the tree
       many_cpus_page.py --check TREE          does it say what the data say?
       many_cpus_page.py --print JSON          the tables of the model and of the waits, as text
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

import many_cpus_data
import many_cpus_model as model

DATA = Path("Documentation/results/many-cpus.json")
TWO_JOBS = Path("Documentation/results/two-jobs.tsv")
PAGE = Path("Documentation/many-cpus.md")
HERE = Path(__file__).parent
#: Rows of the model: name, label in the data, shards.
DESIGNS = (("dm-linear", "dm-linear", 1), ("ssdcache, 1 shard", "ssdcache lru", 1), ("ssdcache, 4 shards", "ssdcache lru, 4 shards", 4),
           ("ssdcache, 16 shards", "ssdcache lru, 4 shards", 16), ("dm-cache", "dm-cache smq writeback", 1),
           ("dm-writecache", "dm-writecache", 1), ("bcache", "bcache writeback", 1), ("Open CAS", "Open CAS writeback", 1))
WAITS = ("1x1", "1x8", "1x32", "2x1", "2x8", "2x32", "4x1", "4x8", "4x32")
COUNTERS = ("the engine's counters that a hit changes are in two cache lines, together with the numbers of requests in progress. A hit also "
            "changes the lines of the lock, of the page's entry, and of the page's neighbours in the policy's list, so counters per CPU would "
            "save two lines of these at most; N shards have N copies already")
#: Devices of two-jobs.sh, as the page calls them.
DEVICES = {"linear-hits": "dm-linear", "linear-misses": "dm-linear", "ssdcache-hits": "ssdcache", "ssdcache-misses": "ssdcache, reads bypass DRAM",
           "ssdcache-entering": "ssdcache, reads enter DRAM"}
#: The stack that is there only if it can be fetched and built.
OPTIONAL = "Open CAS writeback"
CAS = ("Open CAS is v26.03.2, a module from outside the kernel: `many-cpus.sh` takes the built checkout in `$OPEN_CAS`, or fetches and builds "
       "one, or leaves Open CAS out and says so. Its cache has lines of 4 KiB, and no limit for sequential requests.")
SKIPPED = " The tables above were measured without it."
NO_WAITS = " Its locks were counted in a guest of their own; its waits have not been measured yet."
#: Locks of a stack that the page shows.
MOST_LOCKS = 5


def table(heads, rows):
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, ["---"] * len(heads), *rows))


def thousands(rate):
    return "–" if rate is None else f"{rate / 1000:,.0f}"


def in_millions(rate):
    return f"{rate / 1e6:.1f} million"


def designs(data):
    """Rows of the model: name, design."""
    return [(name, design_of(data, label, shards)) for name, label, shards in DESIGNS if label in data or label != OPTIONAL]


def design_of(data, label, shards):
    stack = data[label]
    # Data of a cache with shards are those of each lock, one after the other: together they are one lock of one engine.
    return model.Design(stack["cost"], merged(stack["locks"], shards), shards)


def merged(locks, shards):
    """(instructions, takes) of the locks that a model needs; those of shards, which the same code takes, as one."""
    serial = [lock for lock in locks if lock["serial"]]
    if shards == 1:
        return [(lock["instructions"], lock["takes"]) for lock in serial]
    return [(sum(lock["instructions"] for lock in serial), sum(lock["takes"] for lock in serial))] if serial else []


def model_rows(data):
    rows = []
    for name, design in designs(data):
        cpus = design.saturates_at()
        rows.append([name, f"{design.total:,}", f"{sum(i for i, _ in design.locks):,}",
                     *(thousands(design.throughput(number)) for number in model.CPUS),
                     thousands(design.bound()), "–" if cpus is None else f"{cpus:.0f}"])
    return rows


def model_table(data):
    return table(["1/s in thousands", "W", "s", *(f"N={number}" for number in model.CPUS), "at most", "CPUs"],
                 model_rows(data))


def bounds_table(data):
    return table(["1/s in thousands", "at most", "CPUs"],
                 [[name, thousands(design.bound(0)), "–" if design.saturates_at(0) is None else f"{design.saturates_at(0):.0f}"]
                  for name, design in designs(data)])


def locks_table(data):
    rows = []
    for label, stack in data.items():
        rows += [[label, ", ".join(f"`{caller}`" for caller in lock["callers"]), f"{lock['takes']:.2f}", f"{lock['instructions']:,}",
                  "" if lock["serial"] else "one per CPU" if lock.get("per_cpu") else "read side"] for lock in stack["locks"][:MOST_LOCKS]]
        rest = stack["locks"][MOST_LOCKS:]
        if rest:
            rows.append([label, f"{len(rest)} more", f"{sum(lock['takes'] for lock in rest):.2f}",
                         f"{sum(lock['instructions'] for lock in rest):,}", ""])
        if not stack["locks"]:
            rows.append([label, "none", "–", "–", ""])
    return table(["stack", "taken by", "takes per request", "instructions per request", "remark"], rows)


def waited(data):
    """Stacks whose waits were measured."""
    return {label: stack for label, stack in data.items() if "contention" in stack or label != OPTIONAL}


def cas(data):
    if OPTIONAL not in data:
        return CAS + SKIPPED
    return CAS + ("" if OPTIONAL in waited(data) else NO_WAITS)


def waits_table(data):
    return table(["jobs x depth", *WAITS], [[label, *(f"{cell['waits']:.1f}; {cell['wait_ns']:,}" for cell in
                                              (stack["contention"][key] for key in WAITS))] for label, stack in waited(data).items()])


def waiters_table(data):
    return table(["stack", "functions, with their shares of the time"],
                 [[label, ", ".join(f"`{name}` {share * 100:.0f} %" for name, share in stack["contention"]["4x32"]["by"]) or "none"]
                  for label, stack in waited(data).items()])


def stack_of(data):
    return next(iter(data.values()))


def beside(bound, other):
    """Figures that read alike are alike: a model is no more exact."""
    if in_millions(bound) == in_millions(other):
        return "like"
    return "above" if bound > other else "below"


def ranking(data):
    bounds = {name: design.bound() for name, design in designs(data)}
    peers = sorted((bound, name) for name, bound in bounds.items() if bound and not name.startswith("ssdcache"))
    one = bounds["ssdcache, 1 shard"]
    parts = [f"{name} at {in_millions(bound)}, {beside(bound, one)} one shard" for bound, name in peers]
    return "The peers saturate as well: " + "; ".join(parts) + ". dm-linear takes no lock of its own." if parts else ""


def two_jobs_table(rows):
    return table(["requests", "device", "one job, 1/s", "two jobs, 1/s", "two over one", "of dm-linear's", "95 % interval"],
                 [[case, DEVICES.get(device, device), f"{jobs.one:,.0f}", f"{jobs.two:,.0f}", f"{jobs.ratio:.2f}",
                   f"{jobs.relative * 100:.0f} %", f"{jobs.low * 100:.0f} to {jobs.high * 100:.0f} %"]
                  for (case, device), jobs in many_cpus_data.two_jobs(rows).items()])


def page(data, two_jobs):
    values = {
        "ONE": in_millions(design_of(data, "ssdcache lru", 1).bound()),
        "SIXTEEN": in_millions(design_of(data, "ssdcache lru, 4 shards", 16).bound()),
        "RANKING": ranking(data),
        "RATE": f"{model.RATE / 1e9:.0f}", "HANDOVER": str(model.HANDOVER_NS),
        "MODEL": model_table(data), "BOUNDS": bounds_table(data), "LOCKS": locks_table(data),
        "WAITS": waits_table(data), "WAITERS": waiters_table(data), "COUNTERS": COUNTERS,
        "REQUESTS": f"{stack_of(data)['contention'][WAITS[0]]['requests']:,}",
        "TWO_JOBS": two_jobs_table(two_jobs), "ROUNDS": str(len({row[0] for row in two_jobs})),
        "STACKS": ", ".join(label for label in data), "CAS": cas(data),
    }
    text = (HERE / "page.md").read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--publish", type=Path, metavar="JSON")
    parser.add_argument("--two-jobs", type=Path, metavar="TSV")
    parser.add_argument("--print", type=Path, metavar="JSON")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("tree", type=Path, nargs="?")
    given = parser.parse_args()
    if given.print:
        data = read(given.print)
        print(f"{model_table(data)}\n\n{waits_table(data)}")
        return 0
    if given.publish:
        shutil.copy(given.publish, given.tree / DATA)
    if given.two_jobs:
        shutil.copy(given.two_jobs, given.tree / TWO_JOBS)
    text = page(read(given.tree / DATA), many_cpus_data.read_tsv(given.tree / TWO_JOBS))
    if given.check:
        if text == (given.tree / PAGE).read_text(encoding="utf-8"):
            return 0
        print(f"{PAGE} is not what {DATA} and {TWO_JOBS} say: scripts/studies/many-cpus.sh --page writes it again")
        return 1
    (given.tree / PAGE).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
