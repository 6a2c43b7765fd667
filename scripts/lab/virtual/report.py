#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the files of virtual/guest.sh as one JSON object with sorted keys.

report.py DIRECTORY
"""

import json
import pathlib
import sys


def device(out, name):
    """The table line of a device, and its statistics by ssdcachectl."""
    stats = json.loads((out / f"{name}.json").read_text())
    # The host's clock: the only value that differs from run to run.
    stats.pop("time", None)
    return (out / f"{name}.table").read_text().strip(), stats


def cache(out):
    table, stats = device(out, "cache")
    return {"table": table, "stats": stats}


def flash(out):
    """In the form of the simulator's "flash"."""
    table, said = device(out, "flash")
    busy = said["stats"].pop("channel_busy_ns")
    return {
        "table": table,
        "params": said["params"],
        "stats": said["stats"],
        "latency": said["latency"],
        "channel_busy_ns": list(busy.values()),
    }


def main():
    out = pathlib.Path(sys.argv[1])
    report = {"schema": 1}
    for name, part in ("flash", flash), ("cache", cache):
        if (out / f"{name}.json").exists():
            report[name] = part(out)
    if (out / "replay.json").exists():
        report["replay"] = json.loads((out / "replay.json").read_text())
    json.dump(report, sys.stdout, indent=2, sort_keys=True)
    print()


main()
