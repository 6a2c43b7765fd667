#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Runs the cells in virtual time, each in a guest of its own, and collects them.

usage: peers_study.py TREE RESULTS TRACES [--only WORD,...] [--list]
       peers_study.py --facts DIRECTORY      of guest.sh: prints what cells.csv has of it, as JSON

RESULTS/cells has a JSON for each cell; a cell that is there, made by the same scripts from the same requests, does not run again: after an
interruption, or a change of the plan, the same command goes on. RESULTS/cells.csv has a row for each cell. --only: the cells whose names have one of these words. --list prints names instead.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import peers_plan as plan

#: Columns of cells.csv. Latencies in ns, of the first and of the second pass; the rest counts from the first request to the end of the
#: final flush, in pages of the flash, except @dirty, which is what the final flush programmed.
OPS = ("read", "write", "flush")
LATENCIES = [f"{op}_{what}" for op in OPS for what in ("mean", "p99", "p999")]
PASSES = ("first", "second")
COUNTS = ("programs", "all_programs", "erases", "flash_reads", "dirty")
COLUMNS = ["workload", "stack", "mib", *(f"{of}_{what}" for of in PASSES for what in (*LATENCIES, "late")), "requests", *COUNTS]
PAGE_SECTORS = 8
HERE = Path(__file__).parent


class Failed(Exception):
    """A cell."""


def cell_name(workload, stack, mib):
    return f"{workload.name}.{stack.name}.{mib}m"


def widen(source, limit, tool, target):
    """
    The first requests of a trace as a capture: parts that nothing touches left out, requests widened to whole pages, which is what
    dm-writecache accepts.
    """
    text = subprocess.run([tool, "convert", "--compact", f"--limit={limit}", "-o", "-", source], check=True, capture_output=True,
                          text=True).stdout
    with open(target, "w", encoding="ascii") as out:
        for line in text.splitlines():
            if line.startswith("#"):
                out.write(f"{line}\n")
                continue
            time_ns, op, sector, nr, flags = line.split(",")
            begin = int(sector) // PAGE_SECTORS * PAGE_SECTORS
            end = -(-(int(sector) + int(nr)) // PAGE_SECTORS) * PAGE_SECTORS
            if end > begin or op == "F":
                out.write(f"{time_ns},{op},{begin},{end - begin},{flags}\n")


def trace_of(workload, folder, tree):
    """The file of a workload, or None if there is none."""
    if workload.is_job:
        return HERE / workload.source
    if workload.source == "demo":
        return tree / "traces" / "demo-ext4.csv.zst"
    found = sorted(folder.glob(f"{workload.source}.csv*"))
    return found[0] if found else None


def latencies_of_replay(path):
    replay = json.loads(path.read_text())
    if replay["errors"]:
        raise Failed(f"{path.name}: {replay['errors']} requests failed")
    # A request that is late waited outside of the stack; its latency counts from its recorded time all the same.
    facts = {"late": replay["late"]}
    for op in OPS:
        found = replay["latency"][op]
        for what in ("mean", "p99", "p999"):
            facts[f"{op}_{what}"] = round(found[f"{what}_ns"]) if found["count"] else None
    return facts, replay["requests"]


def latencies_of_fio(path):
    # fio prints notes in front of its JSON.
    text = path.read_text()
    job = json.loads(text[text.index("{"):])["jobs"][0]
    facts = {f"flush_{what}": None for what in ("mean", "p99", "p999")} | {"late": 0}
    for op in ("read", "write"):
        found, some = job[op]["lat_ns"], job[op]["total_ios"]
        facts[f"{op}_mean"] = round(found["mean"]) if some else None
        for what, key in (("p99", "99.000000"), ("p999", "99.900000")):
            facts[f"{op}_{what}"] = found["percentile"][key] if some else None
        if job["error"]:
            raise Failed(f"{path.name}: error {job['error']}")
    return facts, job["read"]["total_ios"] + job["write"]["total_ios"]


def collect(out):
    """The facts of a cell from the files of guest.sh."""
    facts, states = {}, {}
    for of in PASSES:
        path = out / f"{of}.replay.json"
        found, requests = latencies_of_replay(path) if path.exists() else latencies_of_fio(out / f"{of}.fio.json")
        facts |= {f"{of}_{what}": value for what, value in found.items()} | {"requests": requests}
    stats = {of: json.loads((out / f"{of}.flash.json").read_text())["stats"] for of in (*PASSES, "idle", "flushed")}
    end = stats["flushed"]
    if end["inflight"]:
        raise Failed("the flash is not at rest at the end")
    facts |= {
        "programs": end["host_programs"], "all_programs": end["host_programs"] + end["gc_programs"], "erases": end["erases"],
        "flash_reads": end["host_reads"], "dirty": end["host_programs"] - stats["idle"]["host_programs"],
    }
    for of in stats:
        states[of] = (out / f"{of}.state").read_text()
    return facts, states, {of: (out / f"{of}.table").read_text().strip() for of in ("flash", "top")}


def flash_words():
    return " ".join(f"{key} {value}" for key, value in plan.FLASH.items())


def key_of(stack, mib, trace):
    """What decides the facts of a cell, besides kernel and module."""
    parts = [flash_words(), str(plan.FLASH_MIB), str(plan.DEVICE_MIB), stack.make, stack.words, str(mib)]
    parts.append(trace.read_text())
    # Without comments, so that rewording one runs no cell again.
    parts += [re.sub(r"(?m)^\s*#.*\n", "", (HERE / name).read_text()) for name in ("guest.sh", "stacks.sh")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def is_done(path, key):
    return path.exists() and json.loads(path.read_text())["key"] == key


def run(workload, stack, mib, trace, tree):
    (tree / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tree / "build", prefix="peers.") as folder:
        environment = {"STACK": stack.make, "WORDS": stack.words, "MIB": str(mib), "SECTORS": str(plan.DEVICE_MIB * 2048),
                       "TRACE": str(trace), "RESULT": folder}
        command = [tree / "scripts/lab/virtual-time.sh", "--no-build", "--keep-data", "--memory", "2G", "--size", f"{plan.FLASH_MIB}m",
                   "--flash", flash_words(), "--output", "/dev/null", "--", HERE / "guest.sh"]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
        if done.returncode:
            raise Failed(done.stderr)
        facts, states, tables = collect(Path(folder))
    return {"workload": workload.name, "stack": stack.name, "key": key_of(stack, mib, trace), "mib": mib, "words": stack.words, "facts": facts, "states": states,
            "tables": tables}


def simulate(capture, tool):
    """What the simulator says of a capture without a cache, as far as it has the facts of a cell."""
    spec = ",".join(f"{key}={value}" for key, value in plan.FLASH.items() if key != "profile")
    command = [tool, "--no-cache", "--json", "--flash", f"{plan.FLASH['profile']}:{spec}", "--origin-sectors", str(plan.FLASH_MIB * 2048),
               capture]
    flash = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["flash"]
    return {f"first_{op}_mean": flash["latency"][op]["mean_ns"] for op in OPS if flash["latency"][op]["count"]}


def write_rows(results, captures, tool):
    """cells.csv from the JSON of all cells, in the order of the plan; then what the simulator says of the captures without a cache."""
    with open(results / "cells.csv", "w", encoding="ascii", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for cell in plan.cells():
            path = results / "cells" / f"{cell_name(*cell)}.json"
            if path.exists():
                done = json.loads(path.read_text())
                row = done["facts"] | {key: done[key] for key in ("workload", "stack", "mib")}
                out.writerow(["" if row[column] is None else row[column] for column in COLUMNS])
        for workload, capture in captures.items():
            if not workload.is_job:
                row = simulate(capture, tool) | {"workload": workload.name, "stack": plan.SIMULATOR, "mib": 0}
                out.writerow([row.get(column, "") for column in COLUMNS])


def main():
    if sys.argv[1:2] == ["--facts"]:
        json.dump(collect(Path(sys.argv[2]))[0], sys.stdout, indent=2)
        return 0
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    chosen = [cell for cell in plan.cells() if any(word in cell_name(*cell) for word in args.only.split(","))]
    if args.list:
        print("\n".join(cell_name(*cell) for cell in chosen))
        return 0
    (args.results / "cells").mkdir(parents=True, exist_ok=True)
    captures, failed = {}, 0
    for workload in plan.WORKLOADS:
        source = trace_of(workload, args.traces, args.tree)
        if source and not workload.is_job:
            captures[workload] = args.results / f"{workload.name}.csv"
            widen(source, workload.limit, args.tree / "userspace/build/bin/ssdcache-trace", captures[workload])
        elif source:
            captures[workload] = source
        else:
            print(f"peers_study.py: no trace {workload.source} in {args.traces}: left out", file=sys.stderr)
    for workload, stack, mib in chosen:
        name = cell_name(workload, stack, mib)
        path = args.results / "cells" / f"{name}.json"
        if workload not in captures or is_done(path, key_of(stack, mib, captures[workload])):
            continue
        try:
            done = run(workload, stack, mib, captures[workload], args.tree)
        except Failed as failure:
            print(f"peers_study.py: {name}: {failure}", file=sys.stderr)
            failed += 1
            continue
        path.with_suffix(".new").write_text(json.dumps(done, indent=2) + "\n")
        path.with_suffix(".new").rename(path)
        print(f"peers_study.py: {name}", file=sys.stderr)
    write_rows(args.results, captures, args.tree / "userspace/build/bin/ssdcache-sim")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
