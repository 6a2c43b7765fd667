#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What does flushing early cost where FLUSH comes often?

    flush-early.py [--seed N] SSDCACHE-SIM

Writes random pages of 4 KiB out of a set for a minute, several at a time and with 5 ms in between, with 4 MiB on shin23. Prints the rows of
the table in Documentation/policies/freeboard.md: lru and freeboard.
"""

import argparse
import json
import random
import subprocess
import tempfile
from typing import TextIO, Tuple

#: Pages in the set, pages written at a time, seconds between FLUSHes.
WORKLOADS = ((900, 10, 5.0), (900, 20, 1.0), (300, 10, 1.0), (300, 10, 0.2))
GAP_NS = 5_000_000
END_NS = 60 * 1_000_000_000


def write_trace(out: TextIO, pages: int, together: int, every_s: float, seed: int) -> None:
    dice = random.Random(seed)
    next_flush_ns = every_ns = int(every_s * 1e9)
    out.write("# ssdcache-trace 1\n")
    for time_ns in range(0, END_NS, GAP_NS):
        if time_ns >= next_flush_ns:
            out.write(f"{time_ns},F,0,0,\n")
            next_flush_ns += every_ns
        for _ in range(together):
            out.write(f"{time_ns},W,{dice.randrange(pages) * 8},8,\n")
    out.flush()


def run(simulator: str, policy: str, trace: str) -> Tuple[int, float, float]:
    """Pages flushed, mean write in us, mean FLUSH in ms."""
    done = subprocess.run([simulator, "--json", "--dram", "4m", "--flash", "shin23", "--replacement", policy, trace], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    report = json.loads(done.stdout)
    flushed = sum(value for name, value in report["stats"].items() if name.endswith("_flushed"))
    latency = report["latency"]
    return flushed, latency["write"]["mean_ns"] / 1e3, latency["flush"]["mean_ns"] / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the workloads")
    parser.add_argument("simulator")
    options = parser.parse_args()
    for pages, together, every_s in WORKLOADS:
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as trace:
            write_trace(trace, pages, together, every_s, options.seed)
            lru, freeboard = (run(options.simulator, policy, trace.name) for policy in ("lru", "freeboard"))
        print(f"| {pages}, {together} | {every_s:g} s | {lru[0]:,}, {freeboard[0]:,} | {lru[1]:.0f}, {freeboard[1]:.0f} "
              f"| {lru[2]:.1f}, {freeboard[2]:.1f} |")


main()
