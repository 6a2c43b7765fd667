#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How good is a choice of ssdcache-sim --replacement auto, and the ranking that it rests on?

    auto-table.py [--rank [--rate PERCENT] | --oracle | --schemes] [--flash PROFILE,...] [--page SIZE] [--dram SIZE,...]
        [--admission SCHEME,...] [--policies POLICY,...] [--goal GOAL] [--spec SPEC] SSDCACHE-SIM TRACE...

Runs each replacement policy over each trace, with recorded times, and prints rows of Markdown for Documentation/auto.md: the mean
response of reads and writes with auto, as a multiple of that of the best of these policies, of that of lru, and of that of the best
candidate. The last line is the geometric mean, also of each policy that never changes.

--goal compares something else than the mean response: p99, the 99th percentile of reads and writes, or flash-writes, the pages flushed
per page that the host writes. The choice then has this goal, unless --spec says otherwise.

A TRACE of the form A:20000+B joins traces one after the other, 1 ms apart, here the first 20 000 requests of A and all of B.

--rank instead compares the mean response of each policy in a full run with that of its shadow: rank correlations (Spearman's, and
Kendall's tau-b of the pairs that differ by 2 % or more), and what the policy costs that the shadows find best.

--oracle instead bounds what any choice can gain on joined traces: the response if in each part that policy were live which has the
least there in its own full run, and if changes were free, as a multiple of that of the best fixed policy; for several sets of policies.

--schemes instead chooses the admission scheme (--admission auto, or --spec) of lru, of freeboard, and of the choice between these, and
prints the response with read-write and with auto as a multiple of that with write-buffer.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, TextIO, Tuple

POLICIES = ("lru", "fifo", "cflru-ef", "cflru-ef-sc", "mq-ssd", "req-block", "vs-batch-plus", "co-active", "bplru", "ecr", "arc",
            "sieve", "pud-lru", "wow", "freeboard")
APART = 0.02
LEAST_NS = 1000
LEAST_FLUSHED = 0.01
SCHEMES = ("write-buffer", "read-write")
CHOOSERS = ("lru", "freeboard", "auto")
ORACLES = (("freeboard", "lru"), ("cflru-ef-sc", "lru", "mq-ssd"), POLICIES)
GAP_NS = 1000000
REST_NS = 10 ** 12

Json = Dict[str, Any]


class Bench:
    """Runs of one trace."""

    def __init__(self, simulator: str, trace: str, flash: str, dram: str, admission: str, page: str = "8k") -> None:
        self.command = [simulator, "--json", "--page", page, "--fold", "--flash", flash, "--dram", dram, "--admission", admission]
        self.trace = trace

    def run(self, *words: str) -> Json:
        out = subprocess.run([*self.command, *words, self.trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        report: Json = json.loads(out)
        return report

    def fixed(self, policies: Sequence[str], cost: "Callable[[Json], float]") -> List[float]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda policy: cost(self.run("--replacement", policy)), policies))

    def total(self, policy: str) -> float:
        """The sum of all responses, in ns."""
        of = [self.run("--replacement", policy)["latency"][name] for name in ("read", "write")]
        return float(sum(each["count"] * each["mean_ns"] for each in of))

    def shadows(self, rate: str) -> List[float]:
        report = self.run("--shadow", ",".join(POLICIES), "--shadow-sizes", "100", "--shadow-rate", rate)
        return [each["sizes"][0]["response_ns"] for each in report["shadow"]["candidates"]]


def response(report: Json) -> float:
    """The mean of reads and writes, in ns."""
    of = [report["latency"][name] for name in ("read", "write")]
    return float(sum(each["count"] * each["mean_ns"] for each in of) / max(1, sum(each["count"] for each in of)))


def p99(report: Json) -> float:
    """The 99th percentile of reads and writes, in ns: the end of the bucket that it is in."""
    buckets = sorted((each[1], each[2]) for name in ("read", "write") for each in report["latency"].get(f"{name}_histogram", []))
    beyond = sum(nr for _, nr in buckets) // 100
    for end, nr in reversed(buckets):
        if nr > beyond:
            return float(end)
        beyond -= nr
    return 0.0


def flushed(report: Json) -> float:
    """Pages flushed per page that the host writes."""
    return float(report["ratios"]["flushed_per_written"] or 0)


class Goal(NamedTuple):
    """What is compared. Values below the least one count as equal; text prints a value."""

    cost: Callable[[Json], float]
    least: float
    text: Callable[[float], str]


def microseconds(ns: float) -> str:
    return f"{ns / 1e3:.1f}"


GOALS = {"latency": Goal(response, LEAST_NS, microseconds), "p99": Goal(p99, LEAST_NS, microseconds),
         "flash-writes": Goal(flushed, LEAST_FLUSHED, "{:.3f}".format)}


def ranks(values: Sequence[float]) -> List[float]:
    return [sum(x < value for x in values) + (sum(x == value for x in values) - 1) / 2 for value in values]


def spearman(found: Sequence[float], right: Sequence[float]) -> float:
    a, b = ranks(found), ranks(right)
    mean = (len(a) - 1) / 2
    scale = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / scale if scale else 1.0


def tau(found: Sequence[float], right: Sequence[float]) -> float:
    """Kendall's tau-b of the pairs that are apart; 1 if there are none."""
    pairs = [(found[i] - found[j], right[i] - right[j]) for i in range(len(right)) for j in range(i)
             if abs(right[i] - right[j]) > APART * min(right[i], right[j])]
    score = sum((x > 0) - (x < 0) if y > 0 else (x < 0) - (x > 0) for x, y in pairs)
    scale = sum(1 for x, _ in pairs if x) * len(pairs)
    return score / math.sqrt(scale) if scale else 1.0


def ratio(value: float, to: float, least: float = LEAST_NS) -> float:
    """Means below a microsecond, of runs in which hardly anything waits, count as one."""
    return max(value, least) / max(to, least)


def geometric(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def rank_row(bench: Bench, fixed: List[float], rate: str) -> Tuple[str, List[float]]:
    found = bench.shadows(rate)
    chosen = fixed[found.index(min(found))]
    row = [spearman(found, fixed), tau(found, fixed), ratio(chosen, min(fixed)), ratio(found[0], fixed[0])]
    return (f"{row[0]:.2f} | {row[1]:.2f} | `{POLICIES[fixed.index(min(fixed))]}` | `{POLICIES[found.index(min(found))]}` | "
            f"{row[2]:.2f} | {row[3]:.2f}"), row


def auto_row(bench: Bench, policies: Sequence[str], fixed: List[float], spec: str, goal: Goal) -> Tuple[str, List[float]]:
    report = bench.run("--replacement", spec)
    cost = goal.cost(report)
    names = list(dict.fromkeys(each["replacement"] for each in report["auto"]["candidates"]))
    known = dict(zip(policies, fixed))
    others = [name for name in names if name not in known]
    known.update(zip(others, bench.fixed(others, goal.cost)))
    row = [ratio(cost, best, goal.least) for best in (min(fixed), fixed[0], min(known[name] for name in names))]
    return (f"{goal.text(fixed[0])} | `{policies[fixed.index(min(fixed))]}` {goal.text(min(fixed))} | {goal.text(cost)} | {row[0]:.2f} | "
            f"{row[1]:.2f} | {row[2]:.2f} | {report['auto']['stats']['switches']}"), row


def append(simulator: str, trace: str, limit: str, start_ns: int, out: TextIO) -> int:
    """Append a trace, or its first requests, to a capture. Returns the time of its end."""
    convert = os.path.join(os.path.dirname(simulator), "ssdcache-trace")
    text = subprocess.run([convert, "convert", "-o", "-", trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.split(",", maxsplit=1) for line in text.splitlines() if line[:1].isdigit()]
    lines = lines[:int(limit) if limit else None]
    if not lines:
        sys.exit(f"{trace}: no requests")
    shift = start_ns - int(lines[0][0])
    out.writelines(f"{int(time) + shift},{rest}\n" for time, rest in lines)
    return max(int(time) for time, _ in lines) + shift


def joined(simulator: str, word: str, folder: str, end: bool) -> str:
    """
    The path of a trace that is joined of parts, in a folder of its own, or of one that is not.

    With an end: shadows go on only as requests arrive, so a FLUSH follows when all others are long over.
    """
    if os.path.exists(word) and not end:
        return word
    parts = [(word, "")] if os.path.exists(word) else [part.partition(":")[::2] for part in word.split("+")]
    names = [os.path.basename(trace).split(".")[0] + limit for trace, limit in parts]
    path = os.path.join(tempfile.mkdtemp(dir=folder), "+".join(names))
    with open(path, "w", encoding="ascii") as out:
        out.write("# ssdcache-trace 1\n")
        start_ns = 0
        for trace, limit in parts:
            start_ns = append(simulator, trace, limit, start_ns, out) + GAP_NS
        if end:
            out.write(f"{start_ns + REST_NS},F,0,0,\n")
    return path


def oracle(parts: Sequence[Bench]) -> str:
    """@parts: runs of the first part of a joined trace, of the first two, and so on."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = {policy: list(pool.map(Bench.total, parts, [policy] * len(parts))) for policy in POLICIES}
    of_part = {policy: [a - b for a, b in zip(sums, [0.0, *sums])] for policy, sums in ends.items()}
    found = [sum(map(min, zip(*(of_part[policy] for policy in those)))) / min(ends[policy][-1] for policy in those) for those in ORACLES]
    return " | ".join(f"{each:.3f}" for each in found)


def oracles(options: argparse.Namespace, folder: str) -> int:
    print("| trace | flash | DRAM | admission | " + " | ".join("+".join(those) for those in ORACLES) + " |")
    for word in options.traces:
        parts = word.split("+")
        prefixes = [joined(options.simulator, "+".join(parts[:nr + 1]), folder, False) for nr in range(len(parts))]
        for flash, dram, admission in ((f, d, a) for f in options.flash.split(",") for d in options.dram.split(",")
                                       for a in options.admission.split(",")):
            benches = [Bench(options.simulator, prefix, flash, dram, admission) for prefix in prefixes]
            print(f"| {os.path.basename(prefixes[-1])} | {flash} | {dram} | {admission} | {oracle(benches)} |", flush=True)
    return 0


def scheme_row(simulator: str, trace: str, flash: str, dram: str, spec: str) -> List[List[float]]:
    """For each policy: the response with each scheme, and with the choice."""
    def one(cell: Tuple[str, str]) -> float:
        return response(Bench(simulator, trace, flash, dram, cell[1]).run("--replacement", cell[0]))

    cells = [(policy, scheme) for policy in CHOOSERS for scheme in (*SCHEMES, spec)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(one, cells))
    width = len(SCHEMES) + 1
    return [found[at:at + width] for at in range(0, len(found), width)]


def schemes(options: argparse.Namespace, folder: str) -> int:
    rows: List[List[List[float]]] = []
    print("| trace | flash | DRAM | " + " | ".join(f"`{policy}`: read-write | auto" for policy in CHOOSERS) + " |")
    for trace in [joined(options.simulator, word, folder, False) for word in options.traces]:
        for flash, dram in ((f, d) for f in options.flash.split(",") for d in options.dram.split(",")):
            row = scheme_row(options.simulator, trace, flash, dram, options.spec)
            cells = " | ".join(f"{ratio(reads, writes):.2f} | {ratio(chosen, writes):.2f}" for writes, reads, chosen in row)
            print(f"| {os.path.basename(trace).split('.')[0]} | {flash} | {dram} | {cells} |", flush=True)
            rows.append(row)
    for policy, column in zip(CHOOSERS, zip(*rows)):
        best = [ratio(chosen, min(fixed)) for *fixed, chosen in column]
        print(f"{policy}, {len(best)} rows: auto / better scheme {geometric(best):.3f}, at most {max(best):.2f}, "
              f"within 2 % in {sum(x <= 1.02 for x in best)}; auto / "
              + ", ".join(f"{scheme} {geometric([ratio(cell[-1], cell[at]) for cell in column]):.3f}" for at, scheme in enumerate(SCHEMES)))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rank", action="store_true", help="compare shadows with full runs")
    parser.add_argument("--oracle", action="store_true", help="bound what a choice can gain on joined traces")
    parser.add_argument("--schemes", action="store_true", help="choose the admission scheme")
    parser.add_argument("--rate", default="5", help="with --rank: addresses in the sample, in percent")
    parser.add_argument("--flash", default="shin23", help="flash devices")
    parser.add_argument("--dram", default="4m,32m", help="sizes of DRAM")
    parser.add_argument("--admission", default="read-write,write-buffer", help="admission schemes")
    parser.add_argument("--page", default="8k", help="size of a page")
    parser.add_argument("--policies", default=",".join(POLICIES), help="policies to compare with")
    parser.add_argument("--goal", default="latency", choices=GOALS, help="what to compare")
    parser.add_argument("--spec", help="the choice; default: auto with the goal")
    parser.add_argument("simulator")
    parser.add_argument("traces", nargs="+", metavar="trace")
    options = parser.parse_args()
    policies = options.policies.split(",")
    if options.rank + options.oracle + options.schemes and (options.goal != "latency" or policies != list(POLICIES)):
        parser.error("--goal and --policies have no meaning with --rank, --oracle and --schemes")
    if policies[0] != "lru":
        parser.error("--policies: the first one must be lru")
    options.spec = options.spec or ("auto" if options.goal == "latency" else f"auto:goal={options.goal}")
    with tempfile.TemporaryDirectory() as folder:
        if options.oracle:
            return oracles(options, folder)
        if options.schemes:
            return schemes(options, folder)
        return run([joined(options.simulator, word, folder, options.rank) for word in options.traces], options)


def run(traces: Sequence[str], options: argparse.Namespace) -> int:
    policies, goal = options.policies.split(","), GOALS[options.goal]
    rows: List[List[float]] = []
    regrets: List[List[float]] = []
    for trace in traces:
        name = os.path.basename(trace).split(".")[0]
        for flash, dram, admission in ((f, d, a) for f in options.flash.split(",") for d in options.dram.split(",")
                                       for a in options.admission.split(",")):
            bench = Bench(options.simulator, trace, flash, dram, admission, options.page)
            fixed = bench.fixed(policies, goal.cost)
            text, row = rank_row(bench, fixed, options.rate) if options.rank else auto_row(bench, policies, fixed, options.spec, goal)
            print(f"| {name} | {flash} | {dram} | {admission} | {text} |", flush=True)
            rows.append(row)
            regrets.append([ratio(each, min(fixed), goal.least) for each in fixed])
    columns = list(zip(*rows))
    if options.rank:
        print(f"mean rank correlation {sum(columns[0]) / len(rows):.2f}, tau {sum(columns[1]) / len(rows):.2f}; "
              f"policy chosen / best {geometric(columns[2]):.3f}, at most {max(columns[2]):.2f}")
        return 0
    print(f"{len(rows)} rows: auto / best {geometric(columns[0]):.3f}, at most {max(columns[0]):.2f}, within 2 % in "
          f"{sum(x <= 1.02 for x in columns[0])}; auto / lru {geometric(columns[1]):.3f}, at most {max(columns[1]):.3f}; "
          f"auto / best candidate {geometric(columns[2]):.3f}, within 2 % in {sum(x <= 1.02 for x in columns[2])}")
    print("each policy / best: " + ", ".join(f"{policy} {geometric(each):.3f}" for policy, each in zip(policies, zip(*regrets))))
    return 0


sys.exit(main())
