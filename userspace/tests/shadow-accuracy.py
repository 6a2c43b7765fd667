#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How near is the hit ratio of a shadow (ssdcache-sim --shadow) to that of a full run?

    shadow-accuracy.py [--exact|--table|--sizes N,...|--samples] [--all] [--limit N] [--dram SIZE,...] [--rate PERCENT] [--region SIZE,...] SSDCACHE-SIM TRACE...

Runs each replacement policy over each trace, and all of them as shadows beside lru. Prints TAP:

* with --exact, in closed order and with all addresses sampled, the shadows count what full runs count, to the last page;
* otherwise, with a sample, the policies that scale are within 2 points of their full runs, on traces of 100000 requests or more.

The policies that scale are those that were found to: SCALE. The others, OTHERS, miss by up to 6 points on some of these traces
(Documentation/shadows.md); --all shows their errors, too, but does not judge them.

--table prints a row of Markdown for each trace, size and region instead: the mean and the largest error in points, all policies
within 2 points, Kendall's tau of the ranking, and tau of the pairs that differ by a point or more.

--sizes prints a row of Markdown for each trace and size of DRAM, about shadows of these sizes, in percent of it: for the estimates that
ssdcache-sim calls certain and for the others, their number, the mean error without the correction, the mean error and the largest. Sizes
whose shadows sample all addresses are left out; DRAM in MiB. The last row has all traces.

--samples shows what a sample can know, whoever makes use of it: the trace is cut into as many disjoint samples of regions of 1 MiB as
--rate says, each is run in full with its share of the DRAM, and its ranking is compared with that of the whole trace. A row of Markdown
has the number of samples, tau at least, in the median and at most, samples with tau of 0.9 or more, tau of the mean of all samples, and
samples with all policies within 2 points after the correction by lru.
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Sequence

SCALE = ("fifo", "lru", "cflru", "cflru-ef", "cflru-ef-sc", "req-block", "vs-batch", "vs-batch-plus", "ecr", "lcr")
OTHERS = ("lfu", "fab", "bplru", "vbbms", "co-active", "mq-ssd")
COUNTS = ("read_pages", "read_hits", "write_pages", "write_hits")
POINTS = 2.0
LONG = 100000
TAU = 0.9
PAGE_BYTES = 8192
LEAST_PAGES = 256
REGION_SECTORS = 2048

Json = Dict[str, Any]


class Tap:
    """Results as TAP."""

    def __init__(self) -> None:
        self.number = 0
        self.failed = 0

    def result(self, good: bool, name: str, detail: str = "") -> None:
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}", flush=True)
        if detail:
            print(f"# {detail}", flush=True)

    def finish(self) -> int:
        print(f"1..{self.number}")
        return 1 if self.failed else 0


class Bench:
    """Runs of one trace with one size of DRAM."""

    def __init__(self, options: argparse.Namespace, trace: str, dram: str) -> None:
        self.options = options
        self.trace = trace
        self.dram = dram

    def run(self, *words: str) -> Json:
        limit = ["--limit", str(self.options.limit)] if self.options.limit else []
        command = [self.options.simulator, "--json", "--page", "8k", "--dram", self.dram, "--admission", "read-write",
                   *limit, *words, self.trace]
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        report: Json = json.loads(out)
        return report

    def full(self, policies: Sequence[str], *words: str) -> Dict[str, List[int]]:
        """The counts of a run of each policy."""
        def counts(policy: str) -> List[int]:
            report = self.run("--replacement", policy, *words)
            return [report["stats"][name] for name in COUNTS]

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(policies, pool.map(counts, policies)))

    def sizes(self, policies: Sequence[str], sizes: str) -> List[Json]:
        """The statistics of shadows of all sizes that are samples, each with the hit ratio of the full run."""
        report = self.run("--shadow", ",".join(policies), "--shadow-sizes", sizes, "--shadow-rate", self.options.rate)
        rows: List[Json] = [{**size, "replacement": each["replacement"]} for each in report["shadow"]["candidates"]
                            for size in each["sizes"] if size["rate_ppm"] < 1000000]

        def full(row: Json) -> float:
            dram = str(int(self.dram.rstrip("m")) * 2 ** 20 * row["size_percent"] // 100)
            stats = Bench(self.options, self.trace, dram).run("--replacement", row["replacement"])["stats"]
            return percent([stats[name] for name in COUNTS])

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for row, right in zip(rows, pool.map(full, rows)):
                row["full"] = right
        return rows

    def shadows(self, policies: Sequence[str], rate: str, region: str, *words: str) -> Json:
        """The report of a run with shadows, and the statistics of each."""
        report = self.run("--shadow", ",".join(policies), "--shadow-sizes", "100", "--shadow-rate", rate,
                          "--shadow-region", region, *words)
        report["by"] = {each["replacement"]: each["sizes"][0] for each in report["shadow"]["candidates"]}
        return report


def percent(counts: Sequence[int]) -> float:
    return 100 * (counts[1] + counts[3]) / max(1, counts[0] + counts[2])


def tau(found: Sequence[float], right: Sequence[float], least: float = 0) -> float:
    """Kendall's tau-b of the pairs that differ by @least or more in @right; 1 if there are none."""
    pairs = [(found[i] - found[j], right[i] - right[j]) for i in range(len(right)) for j in range(i)
             if abs(right[i] - right[j]) >= least]
    score = sum((x > 0) - (x < 0) if y > 0 else (x < 0) - (x > 0) if y < 0 else 0 for x, y in pairs)
    scale = sum(1 for x, _ in pairs if x) * sum(1 for _, y in pairs if y)
    return float(score / scale ** 0.5) if scale else 1.0


def check_exact(tap: Tap, bench: Bench, name: str) -> None:
    policies = SCALE + OTHERS
    shadows = bench.shadows(policies, "100", "1m", "--closed")["by"]
    full = bench.full(policies, "--closed")
    wrong = [f"{policy}: {[shadows[policy][count] for count in COUNTS]}, not {full[policy]}" for policy in policies
             if [shadows[policy][count] for count in COUNTS] != full[policy]]
    tap.result(not wrong, f"{name}, {bench.dram}: shadows of all addresses count what full runs count", "; ".join(wrong))


def check_sample(tap: Tap, bench: Bench, name: str, policies: Sequence[str]) -> None:
    options = bench.options
    report = bench.shadows(policies, options.rate, options.region[0])
    full = bench.full(policies)
    errors = {policy: report["by"][policy]["hit_ppm"] / 1e4 - percent(full[policy]) for policy in policies}
    far = [policy for policy in policies if abs(errors[policy]) > POINTS]
    requests = report["run"]["requests"]
    judged = [policy for policy in far if policy in SCALE] if requests >= LONG else []
    title = f"{name}, {bench.dram}: policies that scale are within {POINTS:g} points"
    if requests < LONG:
        title += " # SKIP fewer than 100000 requests"
    tap.result(not judged, title, " ".join(f"{policy} {errors[policy]:+.2f}" for policy in policies))


def table_row(bench: Bench, name: str, full: Dict[str, List[int]], region: str) -> str:
    policies = SCALE + OTHERS
    report = bench.shadows(policies, bench.options.rate, region)
    right = [percent(full[policy]) for policy in policies]
    found = [report["by"][policy]["hit_ppm"] / 1e4 for policy in policies]
    plain = [abs(report["by"][policy]["sampled_ppm"] / 1e4 - x) for policy, x in zip(policies, right)]
    errors = [abs(x - y) for x, y in zip(found, right)]
    far = [policy for policy, error in zip(policies, errors) if error > POINTS]
    return (f"| {name} | {bench.dram} | {region} | {report['by']['lru']['rate_ppm'] / 1e4:.1f} % | "
            f"{sum(plain) / len(plain):.2f} | {sum(errors) / len(errors):.2f} | {max(errors):.2f} | "
            f"{len(policies) - len(far)}/{len(policies)} | {tau(found, right):.2f} | {tau(found, right, 1):.2f} | "
            f"{' '.join(f'`{policy}`' for policy in far)} |")


def sizes_row(name: str, dram: str, rows: Sequence[Json]) -> str:
    cells = []
    for uncertain in False, True:
        some = [row for row in rows if row["uncertain"] == uncertain]
        plain = [abs(row["sampled_ppm"] / 1e4 - row["full"]) for row in some]
        errors = [abs(row["hit_ppm"] / 1e4 - row["full"]) for row in some]
        cells += [str(len(some)), *(f"{x:.2f}" for x in (statistics.mean(plain), statistics.mean(errors), max(errors)))] if some else \
            ["0", "", "", ""]
    return f"| {name} | {dram} | {' | '.join(cells)} |"


def cut(lines: Sequence[str], number: int) -> List[List[str]]:
    """The requests of a capture as so many disjoint samples of regions; a request is cut where its regions end."""
    samples: List[List[str]] = [[] for _ in range(number)]
    for line in lines:
        time, kind, sector, sectors = line.split(",")[:4]
        at, left = int(sector), int(sectors)
        while left:
            region = at // REGION_SECTORS
            part = min(left, (region + 1) * REGION_SECTORS - at)
            place = int.from_bytes(hashlib.blake2b(str(region).encode(), digest_size=8).digest(), "big") % number
            samples[place].append(f"{time},{kind},{at},{part},\n")
            at += part
            left -= part
    return samples


def samples_row(bench: Bench, name: str, full: Dict[str, List[int]]) -> str:
    policies = SCALE + OTHERS
    right = [percent(full[policy]) for policy in policies]
    pages = int(bench.dram.rstrip("m")) * 2 ** 20 // PAGE_BYTES
    number = max(1, min(int(100 / float(bench.options.rate)), pages // LEAST_PAGES))
    convert = os.path.join(os.path.dirname(bench.options.simulator), "ssdcache-trace")
    text = subprocess.run([convert, "convert", "-o", "-", bench.trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample")
        for sample in cut([line for line in text.splitlines() if line[:1].isdigit()], number):
            with open(path, "w", encoding="ascii") as out:
                out.write("# ssdcache-trace 1\n")
                out.writelines(sample)
            counts = Bench(bench.options, path, str(pages // number * PAGE_BYTES)).full(policies)
            found.append([percent(counts[policy]) for policy in policies])
    live = policies.index("lru")
    near = sum(all(abs(x - sample[live] + right[live] - y) <= POINTS for x, y in zip(sample, right)) for sample in found)
    taus = [tau(sample, right) for sample in found]
    mean = [statistics.mean(each) for each in zip(*found)]
    return (f"| {name} | {bench.dram} | {number} | {min(taus):.2f} | {statistics.median(taus):.2f} | {max(taus):.2f} | "
            f"{sum(x >= TAU for x in taus)} | {tau(mean, right):.2f} | {near} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--limit", type=int, help="only the first N requests")
    parser.add_argument("--dram", default="32m", help="sizes of DRAM")
    parser.add_argument("--rate", default="5", help="part of the addresses")
    parser.add_argument("--region", default="1m", help="sizes of regions; only --table uses more than one")
    parser.add_argument("--exact", action="store_true", help="only compare shadows of all addresses with full runs")
    parser.add_argument("--table", action="store_true", help="print rows of a table")
    parser.add_argument("--samples", action="store_true", help="print rows of what disjoint samples know; DRAM in MiB")
    parser.add_argument("--sizes", metavar="N,...", help="print rows of a table about shadows of these sizes, in percent")
    parser.add_argument("--all", action="store_true", help="also show the policies that do not scale")
    parser.add_argument("simulator")
    parser.add_argument("traces", nargs="*", metavar="trace")
    options = parser.parse_args()
    options.region = options.region.split(",")
    tap = Tap()
    everything: List[Json] = []
    for trace in options.traces:
        name = os.path.basename(trace).split(".")[0]
        for dram in options.dram.split(","):
            bench = Bench(options, trace, dram)
            if options.table:
                full = bench.full(SCALE + OTHERS)
                for region in options.region:
                    print(table_row(bench, name, full, region), flush=True)
            elif options.sizes:
                rows = bench.sizes(SCALE + OTHERS, options.sizes)
                everything += rows
                print(sizes_row(name, dram, rows), flush=True)
            elif options.samples:
                print(samples_row(bench, name, bench.full(SCALE + OTHERS)), flush=True)
            elif options.exact:
                check_exact(tap, bench, name)
            else:
                check_sample(tap, bench, name, SCALE + OTHERS if options.all else SCALE)
    if everything:
        print(sizes_row("all", "", everything))
    if not options.traces:
        tap.result(True, "accuracy of shadows # SKIP no traces given")
    return 0 if options.table or options.sizes or options.samples else tap.finish()


sys.exit(main())
