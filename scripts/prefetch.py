#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The comparison of S001 on traces: read and write latency, hits per prefetched page, saved time, DRAM held.

    scripts/prefetch.py [--scale X] [--lba-as-bytes] [--limit N] TRACE...     a table on standard output

Runs ssdcache-sim with the profile s001, 8 KiB pages, 32 MiB of DRAM. "none" is the paper's Baseline, "none, read-write" its
Baseline-RB. With --lba-as-bytes offsets are divided by 512 first: the footprint that the paper has for websearch_1 (0.02 GB,
Table 2) is that of the trace with its sector numbers taken for bytes.
"""
import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIM = os.path.join(TREE, "userspace/build/bin/ssdcache-sim")
ALPHA_US, BETA_US = 74, 1999
SCHEMES = (("none", "write-buffer"), ("none", "read-write"), ("c-miner", "write-buffer"), ("rop", "write-buffer"),
           ("pattern", "write-buffer"), ("pattern-plus", "write-buffer"))


class Refused(Exception):
    pass


def run(trace, scheme, options):
    with tempfile.NamedTemporaryFile() as series:
        command = [SIM, "--json", "--page", "8k", "--dram", "32m", "--flash", "s001", "--dram-ns", "1000",
                   "--series", series.name, "--series-interval-ms", "1000", "--time-scale", str(options.scale),
                   "--prefetch", scheme[0], "--admission", scheme[1]]
        if options.limit:
            command += ["--limit", str(options.limit)]
        done = subprocess.run(command + [trace], capture_output=True, text=True)
        if done.returncode:
            raise Refused(done.stderr.strip().removeprefix("ssdcache-sim: "))
        with open(series.name, newline="") as file:
            held = [int(row["prefetched"]) for row in csv.DictReader(file)]
    return json.loads(done.stdout), sum(held) / len(held) if held else 0


def rows(trace, options):
    base = None
    for scheme in SCHEMES:
        result, held = run(trace, scheme, options)
        stats, latency = result["stats"], result["latency"]
        read, write = latency["read"]["mean_ns"] / 1000, latency["write"]["mean_ns"] / 1000
        total = read * latency["read"]["count"] + write * latency["write"]["count"]
        base = base or (read, write, total)
        # Without prefetching there is nothing to divide by.
        per_page = stats["prefetch_hits"] / stats["prefetched_pages"] if stats["prefetched_pages"] else None
        yield (", ".join(scheme) if scheme[1] == "read-write" else scheme[0], read, change(read, base[0]), write,
               change(write, base[1]), change(total, base[2]), stats["prefetched_pages"],
               "" if per_page is None else f"{per_page:.2f}",
               (ALPHA_US * stats["read_hits"] + BETA_US * stats["write_hits"]) / 1e6,
               100 * held / result["config"]["frames"], result["prefetch"]["stats"].get("closed_windows", ""))


def change(value, base):
    return f"{100 * (value - base) / base:+.2f} %" if base else ""


def as_bytes(trace, folder):
    """The trace with sector numbers in the place of byte offsets."""
    name = os.path.join(folder, os.path.basename(trace).replace(".csv.gz", "") + "-lba-as-bytes.csv")
    with gzip.open(trace, "rt") as source, open(name, "w") as to:
        for line in source:
            words = line.rstrip("\n").split(",")
            words[4] = str(int(words[4]) // 512)
            to.write(",".join(words) + "\n")
    return name


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scale", type=float, default=1, help="multiply times of arrival")
    parser.add_argument("--lba-as-bytes", action="store_true", help="as the paper has its web search traces")
    parser.add_argument("--limit", type=int, help="only the first requests")
    parser.add_argument("trace", nargs="+", help="MSR Cambridge CSV")
    options = parser.parse_args()
    print(f"alpha {ALPHA_US} us, beta {BETA_US} us; changes against none; DRAM: mean share that prefetched pages held\n")
    with tempfile.TemporaryDirectory() as folder:
        for trace in options.trace:
            if options.lba_as_bytes:
                trace = as_bytes(trace, folder)
            print(f"{os.path.basename(trace)}\n\n"
                  "| | read us | | write us | | I/O time | pages prefetched | hits per page | saved s | DRAM % | closed |\n"
                  "|---|---|---|---|---|---|---|---|---|---|---|")
            try:
                for row in rows(trace, options):
                    print("| " + " | ".join(f"{word:.2f}" if isinstance(word, float) else str(word) for word in row) + " |",
                          flush=True)
            except Refused as why:
                print(f"left out: {why}")
            print()


if __name__ == "__main__":
    main()
