# SPDX-License-Identifier: GPL-2.0
"""
Prints one line for each part of a fio job and each direction.

usage: summary.py --heads | JOB OUTPUT
"""

import json
import sys

LINE = "{:<18}{:<16}{:<7}{:>10}{:>9}{:>11}{:>11}{:>11}"
DIRECTIONS = ("read", "write", "sync")


def main():
    if sys.argv[1] == "--heads":
        print(LINE.format("job", "part", "", "IOPS", "MiB/s", "mean us", "p99 us", "max us"))
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    if "{" not in text:
        sys.exit(f"summary.py: {sys.argv[1]}: fio wrote no result: {text.strip()}")
    for part in json.loads(text[text.index("{"):])["jobs"]:
        if part["error"]:
            sys.exit(f"summary.py: {sys.argv[1]}: {part['jobname']}: error {part['error']}")
        if not any(part[direction]["total_ios"] for direction in DIRECTIONS):
            sys.exit(f"summary.py: {sys.argv[1]}: {part['jobname']}: no requests")
        for direction in DIRECTIONS:
            of = part[direction]
            if not of["total_ios"]:
                continue
            latency = of.get("clat_ns", of["lat_ns"])
            seconds = max(part["job_runtime"] / 1000, 0.001)
            print(LINE.format(sys.argv[1], part["jobname"], direction, f"{of['total_ios'] / seconds:,.0f}",
                              f"{of.get('io_bytes', 0) / seconds / (1 << 20):,.1f}", f"{latency['mean'] / 1e3:,.1f}",
                              f"{latency.get('percentile', {}).get('99.000000', 0) / 1e3:,.1f}",
                              f"{latency['max'] / 1e3:,.1f}"))


if __name__ == "__main__":
    main()
