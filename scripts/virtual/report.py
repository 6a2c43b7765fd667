#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What virtual/guest.sh left, as JSON with sorted keys.

report.py DIRECTORY
"""

import json
import pathlib
import sys


def pairs(words):
    """["name", "1", …] -> {"name": 1, …}"""
    return {name: int(value) if value.isdigit() else value for name, value in zip(words[::2], words[1::2])}


def flash(out):
    status = (out / "flash.status").read_text().split()
    latency = {}
    for line in (out / "flash.latency").read_text().splitlines():
        words = line.split()
        latency[words[0]] = pairs(words[1:])
    return {
        "table": (out / "flash.table").read_text().strip(),
        "stats": pairs(status[status.index("stats") + 1 :]),
        "latency": latency,
        "channel_busy_ns": [int(line.split()[2]) for line in (out / "flash.channels").read_text().splitlines()],
    }


def main():
    out = pathlib.Path(sys.argv[1])
    report = {"schema": 1}
    if (out / "flash.status").exists():
        report["flash"] = flash(out)
    if (out / "cache.json").exists():
        stats = json.loads((out / "cache.json").read_text())
        # The host's clock is the one thing that the guest did not make up.
        stats.pop("time", None)
        report["cache"] = {"table": (out / "cache.table").read_text().strip(), "stats": stats}
    if (out / "replay.json").exists():
        report["replay"] = json.loads((out / "replay.json").read_text())
    json.dump(report, sys.stdout, indent=2, sort_keys=True)
    print()


main()
