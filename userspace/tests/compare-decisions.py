#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the decisions of ssdcache-sim with the reference implementations,
one by one, on random traces and on real ones where there are some.

    compare-decisions.py SSDCACHE-SIM [TRACE-FOLDER]

Real traces are cut into requests of one page: what is compared are the
policies, the way of longer requests through the engine is for other tests.
"""

import gzip
import itertools
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference"))
from cache import run  # noqa: E402
from policies import POLICIES  # noqa: E402

PAGE = 4096
SECTORS = PAGE // 512
REAL_ACCESSES = 30000
REAL_TRACES = ["msr_web0_100k", "ms_tpcc_small", "systor17_additional", "umass_financial1_10k",
               "ycsb_a_rocksdb_opencas_1"]
EARLY = {
    "threshold": [0, 30, 80, 100],
    "adapt": ["on", "off"],
    "ef_batch": [0, 1, 3],
    "period": [1, 50, 1000],
    "step": [1, 5, 50],
}
PARAMS = {"cflru": {"window": [1, 20, 50, 100]}, "cflru-ef": EARLY, "cflru-ef-sc": EARLY}


def random_requests(rng, frames):
    """A mixture of hot pages, runs and strays, with some FLUSH."""
    universe = rng.choice([frames // 2, 2 * frames, 6 * frames])
    write_share = rng.choice([0.3, 0.7, 1.0])
    flush_share = rng.choice([0, 0.01])
    at = 0
    requests = []
    for _ in range(3000):
        if rng.random() < flush_share:
            requests.append(("F", 0))
            continue
        kind = rng.random()
        if kind < 0.4:
            page = int(rng.paretovariate(1)) % universe
        elif kind < 0.7:
            at = page = (at + 1) % universe
        else:
            page = rng.randrange(universe)
        requests.append(("W" if rng.random() < write_share else "R", page))
    return requests


def random_params(rng, policy):
    return {key: rng.choice(values) for key, values in PARAMS.get(policy, {}).items()}


def real_requests(path):
    """The page accesses of an MSR Cambridge CSV, pages renumbered from 0."""
    pages = {}
    requests = []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            fields = line.split(",")
            offset, size = int(fields[4]), int(fields[5])
            for page in range(offset // PAGE, (offset + size - 1) // PAGE + 1):
                number = pages.setdefault((fields[1], fields[2], page), len(pages))
                requests.append((fields[3][0], number))
            if len(requests) >= REAL_ACCESSES:
                break
    return requests


def sim_decisions(sim, folder, policy, params, frames, admission, requests):
    trace = os.path.join(folder, "trace")
    log = os.path.join(folder, "log")
    with open(trace, "w") as out:
        out.write("# ssdcache-trace 1\n")
        for op, page in requests:
            out.write(f"0,{op},0,0,\n" if op == "F" else
                      f"0,{op},{page * SECTORS},{SECTORS},\n")
    spec = policy
    if params:
        spec += ":" + ",".join(f"{key}={value}" for key, value in params.items())
    subprocess.run([sim, "--closed", "--dram", str(frames * PAGE), "--replacement", spec,
                    "--admission", admission, "--log-decisions", log, trace], check=True,
                   stdout=subprocess.DEVNULL)
    with open(log) as lines:
        return [line for line in lines.read().splitlines() if line[0] in "IHEF"]


def compare(sim, folder, policy, params, frames, admission, requests):
    """None, or where the two differ."""
    ours = sim_decisions(sim, folder, policy, params, frames, admission, requests)
    reference = run(policy, params, frames, admission == "read-write", requests)
    for i, (a, b) in enumerate(itertools.zip_longest(ours, reference)):
        if a != b:
            before = " ".join(ours[max(0, i - 6):i])
            return f"decision {i}: sim {a!r}, reference {b!r}, after: {before}"
    return None


def main():
    sim = sys.argv[1]
    traces = sys.argv[2] if len(sys.argv) > 2 else None
    number = 0
    failed = False

    def report(name, difference):
        nonlocal number, failed
        number += 1
        if difference:
            failed = True
            print(f"# {difference}\nnot ok {number} - {name}", flush=True)
        else:
            print(f"ok {number} - {name}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for policy in POLICIES:
            rng = random.Random(f"{policy} 1")
            difference = None
            for _ in range(24):
                params = random_params(rng, policy)
                frames = rng.choice([16, 23, 64])
                admission = rng.choice(["write-buffer", "read-write"])
                requests = random_requests(rng, frames)
                difference = compare(sim, folder, policy, params, frames, admission, requests)
                if difference:
                    difference = f"{params} {frames} frames {admission}: {difference}"
                    break
            report(f"{policy}: 24 random traces, decision by decision", difference)

        paths = [os.path.join(traces, name + ".csv.gz") for name in REAL_TRACES] if traces else []
        paths = [path for path in paths if os.path.exists(path)]
        if not paths:
            number += 1
            print(f"ok {number} - real traces # SKIP there are none here")
        for path in paths:
            requests = real_requests(path)
            difference = None
            for policy in POLICIES:
                difference = compare(sim, folder, policy, {}, 64, "read-write", requests)
                if difference:
                    difference = f"{policy}: {difference}"
                    break
            report(f"{os.path.basename(path)}: {len(requests)} accesses, all policies",
                   difference)
    print(f"1..{number}")
    sys.exit(failed)


main()
