#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
What the guests of "make bench" measured of many CPUs, from their traces into one file.

usage: many_cpus_data.py [--keep JSON] BENCH JSON   BENCH has locks.tsv and contention.tsv, and the traces that these name;
                                                    what they do not have is as in the first JSON
       many_cpus_data.py --two-jobs TSV             medians of two-jobs.sh
"""

import argparse
import collections
import csv
import json
import random
import re
import statistics
from pathlib import Path

#: TASK-PID [CPU] FLAGS TIME: EVENT: REST
EVENT = re.compile(r"^\s*(?P<task>.+)-(?P<pid>\d+)\s+\[\d+\]\s+\S+\s+(?P<time>[\d.]+): (?P<event>[^: ]+): ?(?P<rest>.*)$")
FRAME = re.compile(r"^ => (?P<function>\S+)")
LOCK = re.compile(r"lock=(?P<lock>\S+)(?: caller=(?P<function>[^+ ]+)\S*(?: \[(?P<module>\S+)\])?)?")
#: Frames of a stack that say how a lock is taken, not for what.
PLUMBING = re.compile(r"^(\[?0x|_raw_|__raw_|(native_|__pv_|pv_)?_*queued_|.*kprobe|aggr_pre_handler|.*ftrace|.*trampoline|.*(mutex|rwsem)|down_|up_|__down|rt_|"
                      r"trace_|.*stack_?trace|.*contention)")
#: Frames of a stack that show a request, or a worker of a cache; and those of the guest's file system.
REQUEST = re.compile(r"^(submit_bio|bio_endio|.*io_submit|.*io_getevents|read_events|aio_complete|process_one_work|"
                     r"_cas_io_queue_thread)")
FOREIGN = re.compile(r"^(p9_|v9fs_|vring_)")
#: Modules of the stacks: the guest's file system and the RAM disk below take locks, too.
OURS = ("dm_", "bcache", "cas_cache")
#: What lets readers in side by side.
READERS = ("down_read", "_raw_read_lock")
#: Who takes a lock of which each CPU has its own: pools of memory and queues of Open CAS, whose threads are bound to their CPUs. The guest's
#: only CPU cannot tell.
PER_CPU = re.compile(r"^cas_cache: (cas_rpool_try_|ocf_queue_push_|ocf_queue_run)")
#: Threads that work for all jobs.
WORKERS = ("kworker", "cas_")
#: Locks that fewer requests take than this share say nothing about requests.
FEW = 0.02


def read_tsv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))


def per_cpu(lock):
    return all(PER_CPU.match(caller) for caller in lock["callers"])


def locks_of(lines, requests):
    """
    The locks that several threads take for requests, on one CPU whose time is a count of instructions. A hold is as long as its thread
    runs (a mutex may be held by one that waits), less the probes in it, each of which costs what the shortest hold of the trace takes.

    Returns a list, longest per request first: callers, takes per request, instructions per request; what mostly readers take, or one CPU, is not "serial".
    """
    held, holds, before = {}, [], 0
    ran, probed = collections.Counter(), collections.Counter()      # by thread: ns, events
    for line in lines:
        event = EVENT.match(line)
        if not event:
            continue
        # Switches between threads are events, too: what is between two events belongs to the thread of the second.
        pid, time = event["pid"], int(event["time"])
        ran[pid] += time - before
        probed[pid] += 1
        before = time
        lock = LOCK.search(event["rest"])
        if not lock or lock["lock"] == "0x0":
            continue
        address = lock["lock"]
        if lock["function"]:
            held[address] = (pid, ran[pid], probed[pid], event["task"], lock["function"], lock["module"], event["event"])
        elif address in held and held[address][0] == pid:
            _, begin, first, task, function, module, taker = held.pop(address)
            holds.append((address, ran[pid] - begin, probed[pid] - first, task, pid, function, module, taker))
    probe = min((ns for _, ns, probes, *_ in holds if probes == 1), default=0)

    locks = collections.defaultdict(lambda: {"takes": 0, "instructions": 0, "callers": collections.Counter(), "tasks": set(),
                                             "reads": 0})
    for address, ns, probes, task, pid, function, module, taker in holds:
        if not module or not module.startswith(OURS):
            continue
        lock = locks[address]
        lock["takes"] += 1
        lock["reads"] += taker in READERS
        lock["instructions"] += max(ns - probes * probe, 0)
        lock["callers"][f"{module}: {function}"] += 1
        lock["tasks"].add("worker" if task.startswith(WORKERS) else pid)
    result = [{"callers": [name for name, _ in lock["callers"].most_common(3)],
               "takes": round(lock["takes"] / requests, 3),
               "instructions": round(lock["instructions"] / requests),
               "serial": lock["reads"] * 2 < lock["takes"] and not per_cpu(lock), **({"per_cpu": True} if per_cpu(lock) else {})}
              for lock in locks.values()
              if lock["takes"] >= FEW * requests and (len(lock["tasks"]) > 1 or "worker" in lock["tasks"])]
    return sorted(result, key=lambda lock: -lock["instructions"])


def waits_of(lines, requests):
    """
    How often and how long requests wait for locks; fio's own start and end do not count. Returns waits per 1000 requests, ns of waiting
    per request, and the shares of that time by the functions that wait.
    """
    waiting = collections.defaultdict(list)     # by thread: what it waits for; the innermost last
    by_function, count = collections.Counter(), 0
    wait = None                                 # the one whose stack the next lines show
    for line in lines:
        frame = FRAME.match(line)
        if frame:
            function = frame["function"].split("+")[0]
            if wait and not wait["function"] and not PLUMBING.match(function):
                wait["function"] = function
            if wait:
                wait["request"] |= bool(REQUEST.match(function))
                wait["foreign"] |= bool(FOREIGN.match(function))
            continue
        event = EVENT.match(line)
        if not event:
            continue
        name, pid = event["event"], event["pid"]
        if name in ("wait", "contention_begin"):
            # The tracepoint shows spin locks, too, but not all of them.
            wait = {"time": float(event["time"]), "function": None, "request": False, "foreign": False,
                    "lock": name == "wait" or "(flags=SPIN)" not in event["rest"]}
            waiting[pid].append(wait)
        elif name in ("waited", "contention_end") and waiting[pid]:
            ended = waiting[pid].pop()
            if ended["lock"] and ended["request"] and not ended["foreign"]:
                count += 1
                by_function[ended["function"] or "unknown"] += round((float(event["time"]) - ended["time"]) * 1e9)
    total = sum(by_function.values())
    return {"waits": round(count * 1000 / requests, 1), "wait_ns": round(total / requests),
            "by": [[name, round(ns / total, 2)] for name, ns in by_function.most_common(3)] if total else []}


def open_trace(path):
    return open(path, encoding="utf-8", errors="replace")


def collect(bench, kept=None):
    """@bench: folder of the results; @kept: earlier data, for what was not measured. Returns what the page needs."""
    stacks = dict(kept or {})
    for label, cost, requests, name in read_tsv(bench / "locks.tsv"):
        with open_trace(bench / name) as lines:
            stacks[label] = {**stacks.get(label, {}), "cost": int(cost), "locks": locks_of(lines, int(requests))}
    waits = bench / "contention.tsv"
    for label, jobs, deep, requests, ns, name in read_tsv(waits) if waits.exists() or kept is None else ():
        with open_trace(bench / name) as lines:
            cell = waits_of(lines, int(requests))
        cell["ns"], cell["requests"] = int(ns), int(requests)
        stacks[label].setdefault("contention", {})[f"{jobs}x{deep}"] = cell
    return stacks


TwoJobs = collections.namedtuple("TwoJobs", "one two ratio relative low high")


def interval(values, resamples=2000):
    """The 95 % interval of the median, by bootstrap with a fixed seed."""
    values, rng = list(values), random.Random(1)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(resamples))
    return medians[resamples // 40], medians[-resamples // 40 - 1]


def two_jobs(rows):
    """
    @rows: of two-jobs.tsv. Returns (case, device) -> medians: requests per second with one job, with two, the ratio by round, that ratio over
    dm-linear's in the same round, and the interval of the last.
    """
    runs = collections.defaultdict(dict)
    for number, case, device, jobs, iops in rows:
        runs[case, device].setdefault(int(number), {})[int(jobs)] = int(iops)
    ratios = {key: {number: pair[2] / pair[1] for number, pair in rounds.items() if len(pair) == 2} for key, rounds in runs.items()}
    linear = {case: by_round for (case, device), by_round in ratios.items() if device.startswith("linear")}
    found = {}
    for (case, device), rounds in runs.items():
        relative = [ratio / linear[case][number] for number, ratio in ratios[case, device].items() if number in linear[case]]
        found[case, device] = TwoJobs(*(statistics.median(values) for values in (
            [pair[1] for pair in rounds.values() if 1 in pair], [pair[2] for pair in rounds.values() if 2 in pair],
            ratios[case, device].values(), relative)), *interval(relative))
    return found


def print_two_jobs(rows):
    for (case, device), jobs in two_jobs(rows).items():
        print(f"  {case:<20} {device:<20} one job {jobs.one:>8.0f}   two {jobs.two:>8.0f}   two over one {jobs.ratio:.2f}"
              f" ({jobs.relative * 100:.0f} % of dm-linear's, {jobs.low * 100:.0f} to {jobs.high * 100:.0f} %)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--two-jobs", type=Path, metavar="TSV")
    parser.add_argument("--keep", type=Path, metavar="JSON")
    parser.add_argument("bench", type=Path, nargs="?")
    parser.add_argument("json", type=Path, nargs="?")
    given = parser.parse_args()
    if given.two_jobs:
        print_two_jobs(read_tsv(given.two_jobs))
        return
    kept = json.loads(given.keep.read_text(encoding="utf-8")) if given.keep else None
    given.json.write_text(json.dumps(collect(given.bench, kept), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
