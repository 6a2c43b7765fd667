#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is the advice of "ssdcache-sim advise" as good as that of a full search, at a fifth of the cost?

    advise-regret.py [--limit N] [--goals GOAL,...] [--again] [--table FILE] SSDCACHE-SIM TRACE... [-- OPTION...]

Runs the full search (--effort 100) once for each trace, and the search for each goal. For each size of DRAM, the choice of the
search must be within 5 % of the best of the full search, and the search may cost 20 % of its requests. Prints TAP, a line for each
trace and goal, with the CPU time of the search as part of the full search's; fails if any test does. With --table, a row of CSV for
each trace, goal and size goes to FILE.

With --again, a second full search starts from another random state of the same flash device, and its best are judged by the
first: what they miss depends on that state, which is chance. For the assumed device only.

advise-traces.py makes workloads of several kinds to measure with.
"""

import argparse
import csv
import json
import os
import resource
import shlex
import subprocess
import sys
from typing import Any, Dict, List, Tuple

GOALS = {
    "latency": "mean_ns",
    "reads": "read_mean_ns",
    "writes": "write_mean_ns",
    "p99": "p99_ns",
    "flash-writes": "flash_bytes_written",
    "hits": "hit_ratio",
}
# Smaller differences are none: a hit may take no time.
LEAST = {"flash-writes": 65536.0, "hits": 0.01}
LEAST_NS = 1000.0
WITHIN = 0.05
COST = 0.2

Advice = Dict[str, Any]


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def advise(sim: str, words: "List[str]") -> "Tuple[Advice, float]":
    before = cpu_s()
    command = [sim, "advise", "--json", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    found: Advice = json.loads(done.stdout)
    return found, cpu_s() - before


def behind(goal: str, best: float, value: float) -> float:
    """0.05: 5 % worse than the best"""
    least = LEAST.get(goal, LEAST_NS)
    if goal == "hits":
        best, value = value, best
    return (value + least) / (best + least) - 1


def best(full: Advice, goal: str, size: int) -> float:
    figures = [cell[GOALS[goal]] for cell in full["cells"] if cell["dram_bytes"] == size]
    return max(figures) if goal == "hits" else min(figures)


def row_of(cell: Advice) -> "Tuple[Any, ...]":
    return tuple(cell[name] for name in ("dram_bytes", "replacement", "admission", "prefetch", "page"))


def another_state(full: Advice) -> "List[str]":
    """Options for the device of a search, with another seed"""
    words = shlex.split(full["advice"]["simulate"])
    flash = next(word for word in words if word.startswith("--flash="))
    return [flash + ",seed=2", *(word for word in words if word == "--fold")]


def chances(again: Advice, full: Advice, goal: str) -> "List[float]":
    """Of each size: the best of another full search, judged by this one"""
    figures = {row_of(cell): cell[GOALS[goal]] for cell in full["cells"]}
    found = []
    for size in sorted({cell["dram_bytes"] for cell in full["cells"]}):
        cells = [cell for cell in again["cells"] if cell["dram_bytes"] == size]
        top = (max if goal == "hits" else min)(cells, key=lambda cell: cell[GOALS[goal]])
        found.append(behind(goal, best(full, goal, size), figures[row_of(top)]))
    return found


def has_goal(full: Advice, goal: str) -> bool:
    reads = full["workload"]["reads"]
    if goal == "reads":
        return bool(reads)
    return goal not in ("writes", "flash-writes") or bool(full["workload"]["writes"])


def regrets(found: Advice, full: Advice, goal: str) -> "List[Tuple[int, float]]":
    return [
        (choice["dram_bytes"], behind(goal, best(full, goal, choice["dram_bytes"]), choice[GOALS[goal]]))
        for choice in found["choices"]
    ]


def least_dram(full: Advice, goal: str) -> int:
    """The least DRAM within 5 % of the best of all sizes"""
    sizes = sorted({cell["dram_bytes"] for cell in full["cells"]})
    figures = [best(full, goal, size) for size in sizes]
    top = max(figures) if goal == "hits" else min(figures)
    return next(size for size, figure in zip(sizes, figures) if behind(goal, top, figure) <= WITHIN)


def main() -> int:
    argv = sys.argv[1:]
    options = argv[argv.index("--") + 1 :] if "--" in argv else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", default="100000")
    parser.add_argument("--goals", default="latency")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", type=argparse.FileType("w"))
    parser.add_argument("sim")
    parser.add_argument("traces", nargs="+")
    args = parser.parse_args(argv[: argv.index("--")] if "--" in argv else argv)
    table = csv.writer(args.table) if args.table else None
    if table:
        table.writerow(["trace", "goal", "dram_bytes", "behind", "cost", "cpu_cost", "again"])
    number = failed = 0
    for trace in args.traces:
        words = ["--limit", args.limit, *options, trace]
        full, full_s = advise(args.sim, ["--effort", "100", *words])
        again = advise(args.sim, ["--effort", "100", *another_state(full), *words])[0] if args.again else None
        for goal in args.goals.split(","):
            if not has_goal(full, goal):
                continue
            found, found_s = advise(args.sim, ["--goal", goal, *words])
            regret = regrets(found, full, goal)
            cost, small = found["search"]["cost"], found["search"]["sampled_runs"] == 0
            good = max(r for _, r in regret) <= WITHIN and (small or cost <= COST)
            number += 1
            failed += not good
            text = "all run whole, as it is small" if small else f"cost {100 * cost:.1f} %, CPU {100 * found_s / full_s:.0f} %"
            print(
                f"{'' if good else 'not '}ok {number} - advice: {os.path.basename(trace)}: {goal}: worst of {len(regret)} sizes "
                f"{100 * max(r for _, r in regret):.1f} %, {text}"
            )
            if not good:
                print("# behind the best by size:", " ".join(f"{size >> 10}k {100 * r:.1f} %," for size, r in regret))
            chance = chances(again, full, goal) if again else []
            if chance:
                print(
                    f"# another full search: worst {100 * max(chance):.1f} %, more than {100 * WITHIN:.0f} % at "
                    f"{sum(c > WITHIN for c in chance)} of {len(chance)} sizes"
                )
            said, true = found["advice"]["least_dram_bytes"], least_dram(full, goal)
            if said != true:
                print(f"# least DRAM within 5 %: {said >> 10}k, by the full search {true >> 10}k")
            sys.stdout.flush()
            for i, (size, r) in enumerate(regret if table else []):
                chance_of_size = f"{chance[i]:.4f}" if chance else ""
                table.writerow([trace, goal, size, f"{r:.4f}", f"{cost:.4f}", f"{found_s / full_s:.4f}", chance_of_size])
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
