#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the flash model with MQSim [Tavakkol18]: mean response times of the same traces on
the same device. record-reference.py has recorded MQSim's results in reference.json.

    compare.py SSDCACHE-SIM [TRACE-FOLDER]
    compare.py --table SSDCACHE-SIM [TRACE-FOLDER]    as in Documentation/ssdflash.md

Prints TAP. Means may differ by 10 %. Where the documentation explains a larger difference,
the difference must match the documented one within two percentage points. The rows of the
documented table must be those of --table.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

from cases import CASES, RealCase, flash_spec

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENT = os.path.join(HERE, "../../../Documentation/ssdflash.md")
TOLERANCE = 10
TOLERANCE_OF_DIFFERENCE = 2


class Results:
    """Response times of reads and writes, in ns, and the number of erases."""

    def __init__(self, flash):
        latency = flash["latency"]
        self.erases = flash["stats"]["erases"]
        self.nr = collections.Counter()
        self.sum = collections.Counter()
        self.buckets = collections.Counter()
        for op in ("read", "write"):
            self.nr[op] = latency[op]["count"]
            self.sum[op] = latency[op]["count"] * latency[op]["mean_ns"]
            for _low, high, count in latency[op + "_histogram"]:
                self.buckets[high] += count

    def without(self, before):
        for counter in ("nr", "sum", "buckets"):
            getattr(self, counter).subtract(getattr(before, counter))

    def mean_us(self, *ops):
        return sum(self.sum[op] for op in ops) / sum(self.nr[op] for op in ops) / 1000

    def p99_us(self):
        left = sum(self.buckets.values()) * 0.99
        for high in sorted(self.buckets):
            left -= self.buckets[high]
            if left <= 0:
                return high / 1000
        return None


def simulate(sim, device, case, folder):
    path = os.path.join(folder, "trace")
    filling = case.filling()
    with open(path, "w", encoding="ascii") as out:
        out.write("# ssdcache-trace 1\n")
        for at, op, sector, nr in filling + case.measured():
            out.write(f"{at},{op},{sector},{nr},\n")

    def run(*options):
        command = [sim, "--no-cache", "--json", "--flash", flash_spec(device), *options, path]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        return Results(json.loads(out)["flash"])

    results = run()
    if filling:
        results.without(run("--limit", str(len(filling))))
    return results


def deviation(ours, theirs):
    return 100 * (ours / theirs - 1)


def comparisons(results, record):
    """(what, ours, MQSim's) for each figure that MQSim reports."""
    yield "mean us", results.mean_us("read", "write"), record["mean_us"]
    if "read_us" in record:
        yield "reads us", results.mean_us("read"), record["read_us"]
        yield "writes us", results.mean_us("write"), record["write_us"]
    if record["erases"]:
        yield "erases", results.erases, record["erases"]


def check(results, record, differs):
    """(good, text): is the difference acceptable, and the figures."""
    good = True
    found = []
    for what, ours, theirs in comparisons(results, record):
        percent = deviation(ours, theirs)
        found.append(f"{what} {ours:.1f}, MQSim {theirs:.1f} ({percent:+.1f} %)")
        if differs is None:
            good &= abs(percent) <= TOLERANCE
        else:
            good &= abs(percent - differs) <= TOLERANCE_OF_DIFFERENCE
    return good, ", ".join(found)


def tests_of(case):
    """(name, device, documented deviation)"""
    if case.alike:
        yield f"{case.name} as MQSim does it", case.alike, None
    yield case.name, case.device, case.differs


def row(case, record, results):
    """The row of the documented table."""
    ours = results.mean_us("read", "write")
    return (f"| {case.name} | {case.doc} | {record['mean_us']:.0f} ({record['p99_us']}) "
            f"| {ours:.0f} ({results.p99_us():.0f}) "
            f"| {deviation(ours, record['mean_us']):+.1f} % |")


def documented_as(case, device, record, results):
    """What the document says of these results."""
    if device is case.device:
        return row(case, record, results)
    ours = results.mean_us("read", "write")
    return f"{ours:.0f} us ({deviation(ours, record['mean_us']):+.1f} %)"


def run_tests(sim, reference):
    with open(DOCUMENT, encoding="utf-8") as text:
        document = " ".join(text.read().split())
    number = 0
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            record = reference["cases"].get(case.name)
            for name, device, differs in tests_of(case):
                number += 1
                if case.missing():
                    print(f"ok {number} - MQSim: {name} # SKIP no {case.missing()}")
                    continue
                if not record or record["digest"] != case.digest():
                    good, found = False, "no record, or one of another trace or device"
                else:
                    results = simulate(sim, device, case, folder)
                    good, found = check(results, record, differs)
                    expected = documented_as(case, device, record, results)
                    if expected not in document:
                        good = False
                        found += f"; Documentation/ssdflash.md lacks: {expected}"
                failed |= not good
                documented = f"; documented: {differs} %" if differs else ""
                print(f"{'ok' if good else 'not ok'} {number} - MQSim: {name}: {found}{documented}",
                      flush=True)
    print(f"1..{number}")
    return failed


def print_table(sim, reference):
    print("| trace | requests | MQSim: mean (p99) us | ssdflash: mean (p99) us | deviation of the mean |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if case.missing():
                continue
            record = reference["cases"][case.name]
            print(row(case, record, simulate(sim, case.device, case, folder)))


def main():
    arguments = sys.argv[1:]
    table = arguments[:1] == ["--table"]
    if table:
        arguments.pop(0)
    if len(arguments) not in (1, 2):
        sys.exit("usage: compare.py [--table] SSDCACHE-SIM [TRACE-FOLDER]")
    RealCase.folder = arguments[1] if len(arguments) == 2 else None
    with open(os.path.join(HERE, "reference.json"), encoding="ascii") as record:
        reference = json.load(record)
    if table:
        print_table(arguments[0], reference)
        return 0
    return run_tests(arguments[0], reference)


if __name__ == "__main__":
    sys.exit(main())
