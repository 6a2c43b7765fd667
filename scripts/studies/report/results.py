# SPDX-License-Identifier: GPL-2.0
"""The contents of the demo's results directory as plain Python values."""

import csv
import json
import re
from pathlib import Path

# Windows as short as the part of the capture in which reads recur.
PREFETCHERS = {"none": "none", "c-miner": "c-miner:window=256", "rop": "rop", "pattern": "pattern:window=256,mined=128",
               "pattern-plus": "pattern-plus:window=256,mined=128"}
# Runs on the real target, too.
REAL_PREFETCHER = "pattern-plus"
ADMISSIONS = ["write-buffer", "read-write"]
MIB = 1 << 20
# These depend on how long each step takes, or are the state of the device at the end; policies alone decide all other statistics.
TIMED_STATS = {"frame_waits", "page_waits", "moved_writes", "plugin_step_ns", "idle_channels", "queued", "utilisation"}


def load_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def size_bytes(word):
    units = {"k": 10, "m": 20, "g": 30}
    return int(word[:-1]) << units[word[-1]] if word[-1] in units else int(word)


def size_word(size):
    return f"{size // MIB}m" if size % MIB == 0 else f"{size // 1024}k"


def hit_ratio(stats):
    pages = stats["read_pages"] + stats["write_pages"]
    return (stats["read_hits"] + stats["write_hits"]) / pages if pages else 0.0


def flushed_pages(stats):
    return sum(stats[name] for name in stats if name.endswith("_flushed"))


def facts(stats, latency, flash):
    """The figures of a run that are compared; latencies in µs."""
    return {
        "hit": hit_ratio(stats),
        "write": latency["write"]["mean_ns"] / 1e3, "write_p99": latency["write"]["p99_ns"] / 1e3,
        "read": latency["read"]["mean_ns"] / 1e3, "read_p99": latency["read"]["p99_ns"] / 1e3,
        "amplification": flash["write_amplification"] / 1e3, "erases": flash["erases"], "programs": flash["host_programs"],
    }


def decisions(stats, replacement):
    """Decisions of a run, for a comparison counter by counter."""
    core = {name: value for name, value in stats.items() if isinstance(value, int) and name not in TIMED_STATS}
    return core | {f"{name} (policy)": value for name, value in replacement.items()}


def prefetch_facts(stats, prefetcher, latency):
    """Figures of a run with a prefetcher; ratios are None without mining or prefetched pages."""
    pages, windows = stats["prefetched_pages"], prefetcher.get("mined_windows", 0)
    hits = stats["prefetch_hits"] + stats["prefetch_late_hits"]
    return {
        "pages": pages, "hits": hits, "unused": stats["prefetch_unused"],
        "hits_per_page": hits / pages if pages else None,
        "patterns_per_window": prefetcher["mined_patterns"] / windows if windows and "mined_patterns" in prefetcher else None,
        "closed_windows": prefetcher.get("closed_windows"), "windows": prefetcher.get("windows"),
        "saved_us": stats["saved_us"], "step_ns": stats["plugin_step_ns"],
        "mining_bytes": prefetcher.get("mining_bytes"), "read_ns": latency["read"]["mean_ns"],
        "write_ns": latency["write"]["mean_ns"],
    }


def parse_name(path):
    """replay-cflru-ef-sc-read-write-8m.stats.json -> policy, admission, size"""
    _, _, rest = path.name.split(".")[0].partition("-")
    rest, _, size = rest.rpartition("-")
    for admission in ADMISSIONS:
        if rest.endswith("-" + admission):
            return rest[: -len(admission) - 1], admission, size
    raise ValueError(f"{path}: unexpected name")


def real_runs(results, kind):
    """Runs on the real target: (policy, admission, size) -> statistics of the cache, of the flash device."""
    return {parse_name(path): (load_json(path), load_json(path.with_name(path.name.replace(".stats.", ".flash."))))
            for path in sorted(Path(results, "replay").glob(f"{kind}-*.stats.json"))}


def series(path):
    """Columns of a CSV of values over time; seconds from its start."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    # The simulator leaves a ratio empty until its divisor is not 0.
    columns = {name: [float(row[i] or "nan") for row in rows[1:] if len(row) == len(rows[0])]
               for i, name in enumerate(rows[0])}
    name = rows[0][0]
    scale = {"time_us": 1e-6, "time_ms": 1e-3}[name]
    start = columns[name][0] if name == "time_us" else 0
    columns["seconds"] = [(value - start) * scale for value in columns.pop(name)]
    return columns


def read_phases(results, scale):
    """Phases in seconds of the replay, whose first request is the mount's."""
    start = float((results / "start.txt").read_text(encoding="utf-8").split()[1])
    lines = (results / "phases.txt").read_text(encoding="utf-8").split("\n")
    return [{"name": name, "start": (float(begin) - start) * scale, "end": (float(end) - start) * scale}
            for name, begin, end in (line.split() for line in lines if line)]


def read_kernel(results):
    found = re.search(r"Linux version (\S+)", (results / "console.txt").read_text(encoding="utf-8", errors="replace"))
    return found[1] if found else "unknown"
