# SPDX-License-Identifier: GPL-2.0
"""
The demo's report: a page of HTML with plots, and a table on the terminal.

usage: report.py RESULTS SSDCACHE-TRACE
"""

import re
import subprocess
import sys
from pathlib import Path

import plots
from page import Page
from results import (ADMISSIONS, MIB, NATURAL, POLICIES, PREFETCHERS, REAL_PREFETCHER, decisions, facts, load_json, prefetch_facts,
                     real_runs, series, size_bytes, size_word)

LIST_POLICIES = ["cflru-ef", "cflru-ef-sc"]


class Demo:
    """Everything that was measured."""

    def __init__(self, results, trace_tool):
        self.results = results
        self.info = load_json(results / "info.json")
        simulator = load_json(results / "simulator.json")
        self.speed = simulator["speed"]
        self.cells = simulator["cells"]
        self.series_size = simulator["series_size"]
        self.exact_simulated = {(run["policy"], run["admission"], run["size"]): run["decisions"]
                                for run in simulator["exact"]}
        self.exact_real = real_runs(results, "exact")
        self.prefetch, self.hit_us = simulator["prefetch"], simulator["hit_us"]
        self.replays = real_runs(results, "replay")
        self.real = [{"policy": policy, "admission": admission, "dram": size_bytes(size),
                      **facts(stats["stats"], stats["latency"])}
                     for (policy, admission, size), (stats, _) in self.replays.items()]
        self.sizes = sorted({run["dram"] for run in self.real})
        self.page_bytes = next(iter(self.replays.values()))[0]["page_bytes"]
        self.requests = read_capture(results / "capture.csv.zst", trace_tool)
        self.phases = read_phases(results)
        self.kernel = read_kernel(results)

    def simulated(self, policy, admission, dram, mode="protected"):
        return next(cell for cell in self.cells if cell["policy"] == policy and cell["admission"] == admission and
                    cell["dram"] == dram and cell["mode"] == mode)

    def run(self, policy, dram):
        return next(run for run in self.real if run["policy"] == policy and run["dram"] == dram)

    def series_real(self):
        size = size_word(self.series_size)
        return {policy: series(self.results / "replay" / f"replay-{policy}-{NATURAL[policy]}-{size}.samples.csv")
                for policy in POLICIES}

    def series_simulated(self):
        return {policy: series(self.results / f"series-{policy}-{NATURAL[policy]}.csv") for policy in POLICIES}

    def prefetch_real(self):
        """Figures of the prefetcher on the real target, and values over time."""
        replay = self.results / "replay"
        run = load_json(replay / "prefetch.stats.json")
        return prefetch_facts(run["stats"], run["stats"]["prefetch"], run["latency"]), series(replay / "prefetch.samples.csv")

    def same_decisions(self):
        """(policy, admission, size) -> names of the counters that differ"""
        different = {}
        for key, (stats, _) in self.exact_real.items():
            real = decisions(stats["stats"], stats["stats"]["replacement"])
            simulated = self.exact_simulated[key]
            different[key] = sorted(name for name in real.keys() & simulated.keys() if real[name] != simulated[name])
        return different


def read_capture(path, trace_tool):
    done = subprocess.run([trace_tool, "convert", str(path), "-o", "-"], capture_output=True, text=True, check=True)
    requests = []
    for line in done.stdout.splitlines():
        if not line.startswith("#"):
            time, op, sector, sectors, _ = line.split(",")
            requests.append((int(time), op, int(sector), int(sectors)))
    return requests


def read_phases(results):
    """Phases in seconds of the capture, whose first request is the mount's."""
    start = float((results / "start.txt").read_text(encoding="utf-8").split()[1])
    lines = (results / "phases.txt").read_text(encoding="utf-8").split("\n")
    return [{"name": name, "start": float(begin) - start, "end": float(end) - start}
            for name, begin, end in (line.split() for line in lines if line)]


def read_kernel(results):
    found = re.search(r"Linux version (\S+)", (results / "console.txt").read_text(encoding="utf-8", errors="replace"))
    return found[1] if found else "unknown"


def percent(value):
    return f"{100 * value:.1f} %"


def micro(ns):
    return f"{ns / 1e3:,.1f}"


def mib(value):
    return f"{value / MIB:,.1f}"


def workload_section(page, demo):
    info = demo.info
    page.section("The workload")
    page.text("SQLite transactions with fsync; commits, a checkout, a repack and a check of a git repository; a tree of files "
              "unpacked, rewritten, packed and removed; and a repeated query of the database. All of it ran on ext4 on an "
              "ssdcache device, and blktrace recorded it.")
    ops = info["ops"]
    rows = [(op, f'{of["requests"]:,}', percent(of["requests"] / info["requests"]), mib(of["bytes"]),
             percent(of["sequential"] / of["requests"]) if of["requests"] else "", f'{of["p50_bytes"] / 1024:g}',
             f'{of["p90_bytes"] / 1024:g}') for op, of in ops.items()]
    reused = sum(info["reused_pages"][op] for op in ("read", "write"))
    accesses = sum(info["page_accesses"].values())
    more = [("requests", f'{info["requests"]:,}'), ("FUA writes among them", f'{info["fua_writes"]:,}'),
            ("seconds", f'{info["duration_ns"] / 1e9:,.1f}'),
            ("footprint, MiB", mib(info["footprint_bytes"]["all"])),
            ("page accesses", f"{accesses:,}"), ("accesses to pages touched before", percent(reused / max(accesses, 1))),
            ("page writes that overwrite a page", percent(info["reused_pages"]["overwritten"] /
                                                   max(info["page_accesses"]["write"], 1)))]
    page.columns((["", "requests", "share", "MiB", "sequential", "median KiB", "p90 KiB"], rows),
                 (["fact", "value"], more))
    page.figure(plots.workload(demo.requests, demo.phases),
                "How to read it: each dot is a request, at its time and address; the scale leaves out addresses that are never "
                "touched. Bands are the parts of the workload. Dots in horizontal lines, or in slanted lines that repeat (the "
                "journal), are pages touched again and again: a cache gains from these. Below: requests of each kind per "
                "second.")


def hit_section(page, demo):
    page.section("Hit ratio, by policy and size")
    page.figure(plots.hit_ratios(demo.cells, demo.real),
                "How to read it: a line is a policy in the simulator, a circle the same capture replayed on the real "
                "target in the kernel; circles should sit on their lines. Higher is better. A steep part shows a set of "
                "pages used in a loop, such as the file system's journal: it hits only once DRAM is large enough for all "
                "of it.")
    page.figure(plots.real_hits(demo.real, demo.simulated),
                "How to read it: each bar is a policy on the real target, with its usual admission scheme; the black tick on "
                "the bar is the simulator's value.")


def latency_section(page, demo):
    page.section("Latency, by policy and size")
    page.text("Latencies are measured at the target, from the arrival of a request to its completion. Each command of the origin "
              "takes 75 µs. DRAM is “protected” here, as the papers assume: with power-loss protection, FLUSH costs nothing.")
    page.figure(plots.latencies(demo.cells, demo.real),
                "How to read it: as above, but lower is better, on a logarithmic scale. A write is slow when every frame holds "
                "a dirty page and it must wait for a flush; policies with early flush avoid that by flushing while the "
                "device is idle. The simulator counts no CPU time, so where nothing waits for flash its values are far below "
                "the real target's (values under 0.1 µs are drawn at 0.1).")
    for op in ("write", "read"):
        page.figure(plots.real_latencies(demo.real, demo.simulated, op),
                    f"How to read it: mean {op} latency on the real target; the black tick is the simulator's. The kernel adds "
                    "the difference: CPU time, the scheduling of work, the block layer. No tick: under 0.1 µs.")


def series_section(page, demo):
    size = f"{demo.series_size / MIB:g} MiB"
    page.section(f"Over time, with {size} of DRAM")
    real, simulated = demo.series_real(), demo.series_simulated()
    page.figure(plots.dirty_over_time(real, simulated, demo.series_size // demo.page_bytes),
                "How to read it: the share of DRAM that holds dirty pages, sampled ten times a second. Policies without early "
                "flush fill up and stay full; policies with it drop to their threshold whenever the device is idle. All "
                "lines drop when files are removed: discarded pages need no flush.")
    page.figure(plots.lists_over_time(real, simulated, LIST_POLICIES),
                "How to read it: the lengths of the policies' lists, stacked. An early flush moves a page from the dirty to the "
                "clean list; a page that was rewritten moves to the second-chance list instead. Left and right come from "
                "the same requests and the same code, with and without a kernel.")


def prefetch_section(page, demo):
    size = f"{demo.series_size / MIB:g} MiB"
    name, (facts_real, columns) = REAL_PREFETCHER, demo.prefetch_real()
    page.section(f"Prefetching, with {size} of DRAM")
    page.figure(plots.prefetch_over_time(columns, name, {scheme: series(demo.results / f"series-prefetch-{scheme}.csv")
                                                         for scheme in PREFETCHERS}, demo.series_size // demo.page_bytes),
                f"How to read it: lines are the simulator with lru and each prefetcher, the dotted line is {name} on the real target; "
                "the grey area is the share that its model grants. c-miner and the two pattern prefetchers fetch pages that "
                "were read before, and few pages are read twice until the query that repeats at the end; rop reads ahead. "
                f"Saved time counts {demo.hit_us} µs, the time of one command of the origin, for each page access that hits, "
                "relative to lru alone, the line at 0 (simulator only, because the clocks of two runs on the target differ). On "
                "the target, mining takes time between requests; its figure includes the rest of the worker's passes with mining.")
    rows = []
    for label, of in [(scheme, demo.prefetch[scheme]) for scheme in PREFETCHERS] + [(f"{name}, real target", facts_real)]:
        rows.append((label, f'{of["pages"]:,}', f'{of["hits"]:,}', optional(of["hits_per_page"], ".2f"), f'{of["unused"]:,}',
                     optional(of["patterns_per_window"], ".1f"), optional(of["closed_windows"], ","),
                     optional(of["windows"], ","), f'{of["saved_us"] / 1e6:.3f}', f'{of["step_ns"] / 1e6:.2f}',
                     optional(of["mining_bytes"], ","), micro(of["read_ns"]), micro(of["write_ns"])))
    page.table(["prefetcher", "pages", "hits", "per page", "unused", "patterns / window", "closed", "windows", "saved, s",
                "mining, ms", "bytes", "read", "write"], rows,
               [("", 1), ("prefetched", 4), ("mining", 3), ("", 3), ("mean, µs", 2)])
    page.text("closed: windows after which the gate stops prefetching because there are too many writes. mining, ms: the time of "
              "background passes with mining, other work included, so an upper bound; CPU time of the host in the simulator, "
              "instructions of the guest, one nanosecond each, on the real target.", note=True)


def optional(value, form):
    return "" if value is None else format(value, form)


def agreement_section(page, demo):
    different = demo.same_decisions()
    some = next(iter(demo.exact_real.values()))[1]
    page.section("The same decisions?")
    page.text(f'The first {some["requests"]:,} requests run one at a time, each after the cache has come to rest. Then the real '
              "target and the simulator must agree exactly on every counter, except counts of waits, which depend on time. "
              "(Requests that the device mapper would split are split beforehand.) A policy that differs decides by the "
              "clock, by the device's queues, or by when writes to flash end: computing takes time on the real target and "
              "none in the simulator. In virtual time (tests/agreement) all agree.")
    rows = [(policy, admission, size, len(demo.exact_simulated[policy, admission, size]),
             f'{demo.exact_simulated[policy, admission, size]["evicted_pages"]:,}', not names, ", ".join(names))
            for (policy, admission, size), names in
            sorted(different.items(), key=lambda item: POLICIES.index(item[0][0]))]
    page.table(["policy", "admission", "DRAM", "counters", "pages evicted", "real and simulated", "differ in"], rows)


def durability_section(page, demo):
    page.section("What durability costs")
    size = demo.sizes[len(demo.sizes) // 2]
    page.figure(plots.durability(demo.cells, size),
                f"How to read it: the same capture in the simulator with {size / MIB:g} MiB of DRAM, volatile (each FLUSH "
                "writes all dirty pages to flash, as in a drive without power-loss protection) and protected. Frequent calls of "
                "fsync make a volatile write buffer write nearly every page.")


def table_section(page, demo):
    page.section("All numbers of the real target")
    heads = ["policy", "admission", "DRAM", "hit", "read hit", "overwrite", "absorbed", "flushed / written", "mean", "p99",
             "mean", "p99", "hit", "write mean", "read mean"]
    rows = []
    for dram in demo.sizes:
        for policy in POLICIES:
            run = demo.run(policy, dram)
            sim = demo.simulated(policy, NATURAL[policy], dram)
            write, read = run["latency"]["write"], run["latency"]["read"]
            rows.append((policy, NATURAL[policy], size_word(dram), percent(run["hit"]), percent(run["read_hit"]),
                         percent(run["overwrite_hit"]), percent(run["absorbed"]),
                         f'{run["flushed_per_written"]:.3f}', micro(write["mean_ns"]), micro(write["p99_ns"]),
                         micro(read["mean_ns"]), micro(read["p99_ns"]), percent(sim["hit"]),
                         micro(sim["latency"]["write"]["mean_ns"]), micro(sim["latency"]["read"]["mean_ns"])))
    page.table(heads, rows, [("", 8), ("writes, µs", 2), ("reads, µs", 2), ("simulator", 3)])
    page.text("hit: share of all page accesses. overwrite: share of page writes that found their page. absorbed: share of page "
              "writes that needed no eviction. flushed / written: pages written to flash per page written by the host.",
              note=True)


def method_section(page, demo):
    page.section("How this was made")
    page.text(f"Linux {demo.kernel} in a virtual machine; the origin is a RAM disk (null_blk) that takes 75 µs per command. The "
              f"capture ran at the machine's own speed. The replays ran at {demo.speed:.3g} times the recorded speed in a "
              "guest whose clock counts instructions, one nanosecond each, and so does not depend on how busy the host is: "
              "latencies are comparable with each other and from run to run. They are those of a CPU that executes 10^9 "
              "instructions a second, not of a real one. The simulator drives the same policy code with an event queue in "
              "place of the kernel; its flash takes any number of commands at a time.")


def print_table(demo):
    print(f'\n  {"":<15}{"":<14}' + "".join(f"{size / MIB:>7g} MiB of DRAM {'':<12}" for size in demo.sizes))
    print(f'  {"policy":<15}{"admission":<14}' + f'{"hit":>7} {"write":>8} {"read":>8}       ' * len(demo.sizes))
    for policy in POLICIES:
        line = f"  {policy:<15}{NATURAL[policy]:<14}"
        for dram in demo.sizes:
            run = demo.run(policy, dram)
            line += (f'{100 * run["hit"]:>6.1f}% {micro(run["latency"]["write"]["mean_ns"]):>8} '
                     f'{micro(run["latency"]["read"]["mean_ns"]):>8}       ')
        print(line.rstrip())
    errors = [abs(run["hit"] - demo.simulated(run["policy"], run["admission"], run["dram"])["hit"]) for run in demo.real]
    different = sorted(key[0] for key, names in demo.same_decisions().items() if names)
    print(f"\n  real target, mean latencies in µs; the simulator's hit ratios differ by at most {100 * max(errors):.1f} points")
    print(f"  one request at a time, {len(demo.exact_real) - len(different)} of {len(demo.exact_real)} policies make the same decisions "
          "on the real target and in the simulator")
    if different:
        print(f"  different, because they depend on time (see the report): {', '.join(different)}")


def main():
    results, trace_tool = Path(sys.argv[1]), sys.argv[2]
    demo = Demo(results, trace_tool)
    page = Page("dm-ssdcache: SSD buffer policies under a real workload",
                f"{len(POLICIES)} replacement policies and {len(ADMISSIONS)} admission schemes: a real workload, captured once, replayed "
                "on the kernel target and in the simulator.")
    for section in (workload_section, hit_section, latency_section, series_section, prefetch_section, agreement_section,
                    durability_section, table_section, method_section):
        section(page, demo)
    (results / "report.html").write_text(page.html(), encoding="utf-8")
    print_table(demo)


if __name__ == "__main__":
    main()
