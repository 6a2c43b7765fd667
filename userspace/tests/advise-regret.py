#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is the advice of "ssdcache-sim advise" as good as that of a full search, at a fifth of the cost?

    advise-regret.py [--limit N] [--goals GOAL,...] [--states N] [--confirm N] [--full FOLDER] [--table FILE]
                     SSDCACHE-SIM TRACE... [-- OPTION...]

Runs the full search (--effort 100) once for each trace, and the search for each goal. For each size of DRAM, the choice of the
search must be within 5 % of the best of the full search, and the search may cost 20 % of its requests. Prints TAP, a line for each
trace and goal, with the CPU time of the search as part of the full search's; fails if any test does. With --table, a row of CSV for
each trace, goal and size goes to FILE.

What a drive does depends on which blocks were full of outdated pages, which is chance: its seed. With --states, that many full
searches run, with seeds that the advice does not use, and choices are judged by the means of all. Besides, the best of each single
full search are judged by these means. The choice for a size must be within 5 % of the best mean, or no worse than the worst of
these: a full search of one drive, which costs five times as much, may choose as badly. This must hold where the advice is sure; one that is
close says that it may be wrong. How many hold at all is printed. For the assumed device only.

The best of a full search is partly luck, too: of many combinations, one had a lucky state. With --confirm, an answer more than 5 %
behind is compared with the best again, in N states that no search has seen: by chance it was behind if it is not by more than 5 % on
average of these, and missed if it is, and by more than twice the standard error.

With --full, the full searches are kept in FOLDER, and taken from there when they are.

advise-traces.py makes workloads of several kinds to measure with.
"""

import argparse
import csv
import json
import math
import os
import resource
import shlex
import statistics
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
FIRST_SEED = 11
FIRST_FRESH_SEED = 101
AXES = ("dram", "page", "replacement", "admission", "prefetch")
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


def full_search(sim: str, folder: str, name: str, words: "List[str]") -> "Tuple[Advice, float]":
    """A full search, with the CPU time that it took, from the folder if it is there"""
    path = os.path.join(folder, name + ".json") if folder else ""
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        return kept["found"], kept["cpu_s"]
    found, used_s = advise(sim, ["--effort", "100", *words])
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"found": found, "cpu_s": used_s}, file)
    return found, used_s


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


def with_seed(found: Advice, seed: int) -> "List[str]":
    """Options for the device of a search, with another seed"""
    words = shlex.split(found["advice"]["simulate"])
    flash = next(word for word in words if word.startswith("--flash="))
    return [f"{flash},seed={seed}", *(word for word in words if word == "--fold")]


def mean_of(searches: "List[Advice]") -> Advice:
    """A full search whose figures are the means of several ones"""
    figures = [{row_of(cell): cell for cell in search["cells"]} for search in searches]
    cells = [
        {**cell, **{name: sum(of[row][name] for of in figures) / len(figures) for name in GOALS.values()}}
        for row, cell in figures[0].items()
        if all(row in of for of in figures)
    ]
    return {**searches[0], "cells": cells}


def chances(searches: "List[Advice]", full: Advice, goal: str) -> "List[float]":
    """Of each size: the worst of the best of single full searches, judged by their means"""
    figures = {row_of(cell): cell[GOALS[goal]] for cell in full["cells"]}
    found = []
    for size in sorted({cell["dram_bytes"] for cell in full["cells"]}):
        tops = []
        for search in searches:
            cells = [cell for cell in search["cells"] if cell["dram_bytes"] == size and row_of(cell) in figures]
            tops.append((max if goal == "hits" else min)(cells, key=lambda cell: cell[GOALS[goal]]))
        found.append(max(behind(goal, best(full, goal, size), figures[row_of(top)]) for top in tops))
    return found


def without_axes(options: "List[str]") -> "List[str]":
    """Options but those that say what is compared"""
    left, skip = [], False
    for word in options:
        is_axis = word.split("=")[0] in [f"--{axis}" for axis in AXES]
        if not skip and not is_axis:
            left.append(word)
        skip = is_axis and "=" not in word
    return left


def confirm(sim: str, states: int, goal: str, full: Advice, words: "List[str]", choice: Advice, rival: Advice) -> "Tuple[float, float]":
    """How far the choice is behind a rival in fresh states, and the standard error: logarithms"""
    ratios = []
    for seed in range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + states):
        figures = []
        for cell in (rival, choice):
            axes = [f"--{axis}={cell['dram_bytes'] if axis == 'dram' else cell[axis]}" for axis in AXES]
            found, _ = advise(sim, ["--effort", "100", *axes, *with_seed(full, seed), *words])
            figures.append(found["cells"][0][GOALS[goal]])
        ratios.append(math.log(1 + behind(goal, figures[0], figures[1])))
    return statistics.mean(ratios), statistics.stdev(ratios) / math.sqrt(states)


def has_goal(full: Advice, goal: str) -> bool:
    reads = full["workload"]["reads"]
    if goal == "reads":
        return bool(reads)
    return goal not in ("writes", "flash-writes") or bool(full["workload"]["writes"])


def regrets(found: Advice, full: Advice, goal: str) -> "List[Tuple[int, float]]":
    figures = {row_of(cell): cell[GOALS[goal]] for cell in full["cells"]}
    return [
        (choice["dram_bytes"], behind(goal, best(full, goal, choice["dram_bytes"]), figures[row_of(choice)]))
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
    parser.add_argument("--states", type=int, default=0)
    parser.add_argument("--confirm", type=int, default=0)
    parser.add_argument("--full", default="")
    parser.add_argument("--table", type=argparse.FileType("w"))
    parser.add_argument("sim")
    parser.add_argument("traces", nargs="+")
    args = parser.parse_args(argv[: argv.index("--")] if "--" in argv else argv)
    table = csv.writer(args.table) if args.table else None
    if table:
        table.writerow(["trace", "goal", "dram_bytes", "behind", "cost", "cpu_cost", "chance"])
    number = failed = within = near = sizes = answers = sures = luck = 0
    if args.full:
        os.makedirs(args.full, exist_ok=True)
    for trace in args.traces:
        words = ["--limit", args.limit, *options, trace]
        name = os.path.basename(trace)
        full, full_s = full_search(args.sim, args.full, name, words)
        searches = [
            full_search(args.sim, args.full, f"{name}.{seed}", [*with_seed(full, seed), *words])[0]
            for seed in range(FIRST_SEED, FIRST_SEED + args.states)
        ]
        full = mean_of(searches or [full])
        for goal in args.goals.split(","):
            if not has_goal(full, goal):
                continue
            found, found_s = advise(args.sim, ["--goal", goal, *words])
            regret = regrets(found, full, goal)
            cost, small = found["search"]["cost"], found["search"]["sampled_runs"] == 0
            chance = chances(searches, full, goal) if searches else [0.0] * len(regret)
            answer = found["advice"]["choice"]["dram_bytes"]
            sure = found["advice"]["choice"]["trust"] == "sure"
            regret_of = dict(regret)
            missed = regret_of[answer]
            judged = [(r, c) for (size, r), c in zip(regret, chance) if size == answer or not (searches or args.confirm)]
            right = all(r <= max(WITHIN, c) for r, c in judged)
            answers += right
            sures += sure
            lucky, claimed = False, ""
            if missed > WITHIN and args.confirm:
                rival = next(
                    cell for cell in full["cells"]
                    if cell["dram_bytes"] == answer and cell[GOALS[goal]] == best(full, goal, answer)
                )
                left = ["--limit", args.limit, *without_axes(options), trace]
                mean, error = confirm(args.sim, args.confirm, goal, full, left, found["advice"]["choice"], rival)
                lucky = mean <= math.log(1 + WITHIN)
                verdict = "chance" if lucky else "missed" if mean > 2 * error else "too few states to tell"
                luck += lucky
                claimed = (
                    f"# {100 * missed:.1f} % behind {rival['replacement']}, {rival['admission']}; in {args.confirm} fresh states "
                    f"{100 * (math.exp(mean) - 1):+.1f} %, from {100 * (math.exp(mean - 2 * error) - 1):+.1f} to "
                    f"{100 * (math.exp(mean + 2 * error) - 1):+.1f} %: {verdict}"
                )
            good = (right or lucky or (searches and not sure)) and (small or cost <= COST)
            if searches:
                good = good and all(
                    r <= max(WITHIN, c) for choice, (_, r), c in zip(found["choices"], regret, chance) if choice["trust"] == "sure"
                )
            within += sum(r <= WITHIN for _, r in regret)
            near += sum(r <= max(WITHIN, c) for (_, r), c in zip(regret, chance))
            sizes += len(regret)
            number += 1
            failed += not good
            text = "all run whole, as it is small" if small else f"cost {100 * cost:.1f} %, CPU {100 * found_s / full_s:.0f} %"
            claim = f", chance {100 * judged[0][1]:.1f} %, {'sure' if sure else 'close'}" if searches else ""
            of = f"{answer >> 10}k" if searches else f"{answer >> 10}k {100 * missed:.1f} %, worst of {len(regret)} sizes"
            print(
                f"{'' if good else 'not '}ok {number} - advice: {os.path.basename(trace)}: {goal}: {of} "
                f"{100 * max(r for r, _ in (judged if searches else zip(regret_of.values(), chance))):.1f} %{claim}, {text}"
            )
            if claimed:
                print(claimed)
            if not good or searches:
                print("# behind the best by size:", " ".join(f"{size >> 10}k {100 * r:.1f} %," for size, r in regret))
            if searches:
                print("# full searches of one state, at worst:",
                      " ".join(f"{size >> 10}k {100 * c:.1f} %," for (size, _), c in zip(regret, chance)))
            said, true = found["advice"]["least_dram_bytes"], least_dram(full, goal)
            if said != true:
                print(f"# least DRAM within 5 %: {said >> 10}k, by the full search {true >> 10}k")
            sys.stdout.flush()
            for i, (size, r) in enumerate(regret if table else []):
                table.writerow([trace, goal, size, f"{r:.4f}", f"{cost:.4f}", f"{found_s / full_s:.4f}", f"{chance[i]:.4f}"])
    if args.confirm:
        print(f"# of the answers that are more than 5 % behind, {luck} are so by chance")
    if args.states:
        print(f"# {answers} of {number} answers are within 5 % or chance, {sures} are sure of themselves")
    print(f"# of all sizes, {within} of {sizes} choices are within {100 * WITHIN:.0f} % of the best, {near} within that or chance")
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
