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
        """The numbers of the prefetcher that ran on the real target, and values over time."""
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
    """Phases in seconds of the capture, whose first request comes with the mount."""
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
    page.text("SQLite transactions with fsync, a git repository that is committed to, checked out, repacked and "
              "checked, a tree of files that is unpacked, rewritten, packed and removed, and a query of the database that is "
              "repeated: all on ext4 on an ssdcache device, which blktrace recorded.")
    ops = info["ops"]
    rows = [(op, f'{of["requests"]:,}', percent(of["requests"] / info["requests"]), mib(of["bytes"]),
             percent(of["sequential"] / of["requests"]) if of["requests"] else "", f'{of["p50_bytes"] / 1024:g}',
             f'{of["p90_bytes"] / 1024:g}') for op, of in ops.items()]
    reused = sum(info["reused_pages"][op] for op in ("read", "write"))
    accesses = sum(info["page_accesses"].values())
    more = [("requests", f'{info["requests"]:,}'), ("of them FUA writes", f'{info["fua_writes"]:,}'),
            ("seconds", f'{info["duration_ns"] / 1e9:,.1f}'),
            ("footprint, MiB", mib(info["footprint_bytes"]["all"])),
            ("page accesses", f"{accesses:,}"), ("to pages touched before", percent(reused / max(accesses, 1))),
            ("page writes that overwrite", percent(info["reused_pages"]["overwritten"] /
                                                   max(info["page_accesses"]["write"], 1)))]
    page.columns((["", "requests", "share", "MiB", "sequential", "median KiB", "p90 KiB"], rows),
                 (["fact", "value"], more))
    page.figure(plots.workload(demo.requests, demo.phases),
                "How to read it: a dot is a request, at its time and place; places that nobody touched are left out of the "
                "scale. Bands are the parts of the workload. Lines of dots at one height, or slanted lines that come again "
                "(the journal), are what is touched again and again: that is what a cache can gain from. Below, how many "
                "requests of each kind came per second.")


def hit_section(page, demo):
    page.section("Hit ratio, by policy and size")
    page.figure(plots.hit_ratios(demo.cells, demo.real),
                "How to read it: a line is a policy in the simulator, a circle the same capture replayed on the real "
                "target in the kernel; circles should sit on their lines. Higher is better. A steep part shows a set of "
                "pages that is used in a circle, such as the file system's journal: it hits only from the size on at "
                "which it fits as a whole.")
    page.figure(plots.real_hits(demo.real, demo.simulated),
                "How to read it: bars are the real target, one for each policy with the admission it is known with; the "
                "black tick on a bar is what the simulator says for it.")


def latency_section(page, demo):
    page.section("Latency, by policy and size")
    page.text("Latencies are those of the target: from the request's arrival at it until it is complete. A command of the "
              "flash below takes 75 µs. DRAM is “protected” here (as with power-loss protection: FLUSH costs nothing), as "
              "the papers assume.")
    page.figure(plots.latencies(demo.cells, demo.real),
                "How to read it: as above, but lower is better, on a logarithmic scale. A write is slow when no frame is "
                "free of dirty pages and it has to wait for a flush: the early-flush policies avoid that by flushing when "
                "the device is idle. The simulator knows no time of the CPU, so where nothing waits for flash it lies far "
                "below the real target (values under 0.1 µs are drawn at 0.1).")
    for op in ("write", "read"):
        page.figure(plots.real_latencies(demo.real, demo.simulated, op),
                    f"How to read it: mean {op} latency on the real target; the black tick is the simulator's. What the "
                    "bar has more is what a kernel adds: CPU time, the scheduling of work, the block layer. No tick: under "
                    "0.1 µs.")


def series_section(page, demo):
    size = f"{demo.series_size / MIB:g} MiB"
    page.section(f"Over time, with {size} of DRAM")
    real, simulated = demo.series_real(), demo.series_simulated()
    page.figure(plots.dirty_over_time(real, simulated, demo.series_size // demo.page_bytes),
                "How to read it: the part of DRAM that holds dirty pages, sampled ten times a second. Write-back policies "
                "without early flush fill up and stay full; those with it fall to their threshold whenever the device "
                "has a moment to spare. A fall of all lines is the removal of files: what is discarded need not be flushed.")
    page.figure(plots.lists_over_time(real, simulated, LIST_POLICIES),
                "How to read it: the lengths of the policies' lists on top of each other. Pages go from dirty to clean when "
                "they are flushed early; a page that was rewritten since moves to the second-chance list instead. The "
                "left and the right side come from the same requests and the same code, with and without a kernel.")


def prefetch_section(page, demo):
    size = f"{demo.series_size / MIB:g} MiB"
    name, (facts_real, columns) = REAL_PREFETCHER, demo.prefetch_real()
    page.section(f"Prefetching, with {size} of DRAM")
    page.figure(plots.prefetch_over_time(columns, name, {scheme: series(demo.results / f"series-prefetch-{scheme}.csv")
                                                         for scheme in PREFETCHERS}, demo.series_size // demo.page_bytes),
                f"How to read it: lines are the simulator with lru and each prefetcher, dotted is {name} on the real target; the "
                "grey area is what its model grants. c-miner and the patterns bring in what was read before, and until the "
                "reports, the query that is repeated at the end, little is; rop reads ahead. Saved time counts "
                f"{demo.hit_us} µs for each page access that hits, what a command of the flash takes; without "
                "prefetching, by lru alone, that is the line at 0 (simulator only: the clocks of two runs on the target are not "
                "the same). Mining has its own time on the target, between requests; what else the worker's passes with mining "
                "did is in it.")
    rows = []
    for label, of in [(scheme, demo.prefetch[scheme]) for scheme in PREFETCHERS] + [(f"{name}, real target", facts_real)]:
        rows.append((label, f'{of["pages"]:,}', f'{of["hits"]:,}', optional(of["hits_per_page"], ".2f"), f'{of["unused"]:,}',
                     optional(of["patterns_per_window"], ".1f"), optional(of["closed_windows"], ","),
                     optional(of["windows"], ","), f'{of["saved_us"] / 1e6:.3f}', f'{of["step_ns"] / 1e6:.2f}',
                     optional(of["mining_bytes"], ","), micro(of["read_ns"]), micro(of["write_ns"])))
    page.table(["prefetcher", "pages", "hits", "per page", "unused", "patterns / window", "closed", "windows", "saved, s",
                "at most ms", "bytes", "read", "write"], rows,
               [("", 1), ("prefetched", 4), ("mining", 3), ("", 3), ("mean, µs", 2)])
    page.text("closed: windows after which the gate stops prefetching, as there are too many writes. Mining: the time of "
              "background passes in which it was done, other work in them included, so at most that; CPU time of the host in the "
              "simulator, and instructions of the guest, one nanosecond each, on the real target.", note=True)


def optional(value, form):
    return "" if value is None else format(value, form)


def agreement_section(page, demo):
    different = demo.same_decisions()
    some = next(iter(demo.exact_real.values()))[1]
    page.section("The same decisions?")
    page.text(f'The first {some["requests"]:,} requests one at a time, each after the cache has come to rest: then the real '
              "target and the simulator must agree on every counter, not just nearly (but for those that count "
              "waits, which are a matter of time; and requests that the device mapper would cut in two are cut before). "
              "A policy that differs decides by the clock, by the device's queues, or when writes to flash end: on the real "
              "target computing takes time, in the simulator none. In virtual time (tests/agreement) all agree.")
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
                "writes all dirty pages to flash, as in a drive without power-loss protection) and protected. An application "
                "that calls fsync all the time makes a volatile write buffer write nearly every page.")


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
    page.text("hit: of all page accesses. overwrite: of page writes, those that found the page. absorbed: page writes that did "
              "not have to wait for an eviction. flushed / written: pages written to flash per page written by the host.",
              note=True)


def method_section(page, demo):
    page.section("How this was made")
    page.text(f"Linux {demo.kernel} in a virtual machine; below ssdcache a RAM disk (null_blk) that takes 75 µs for each "
              f"command. The capture ran at the machine's own speed. The replays ran at {demo.speed:.3g} times the recorded "
              "speed in a guest that counts instructions as time, one nanosecond each: its clock does not depend on how "
              "busy the host is, so latencies can be compared with each other and from run to run. They are those of a "
              "CPU that executes 10^9 instructions a second, not of any real one. The simulator drives the same policy "
              "code with an event queue in place of the kernel; its flash takes any number of commands at a time.")


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
    print(f"\n  real target, mean latencies in µs; the simulator's hit ratios are within {100 * max(errors):.1f} points of these")
    print(f"  one request at a time, {len(demo.exact_real) - len(different)} of {len(demo.exact_real)} policies make the same decisions "
          "on the real target and in the simulator")
    if different:
        print(f"  different, by what depends on time (see the report): {', '.join(different)}")


def main():
    results, trace_tool = Path(sys.argv[1]), sys.argv[2]
    demo = Demo(results, trace_tool)
    page = Page("dm-ssdcache: SSD buffer policies under a real workload",
                f"{len(POLICIES)} policies, {len(ADMISSIONS)} admissions: a real workload, captured once, replayed on the "
                "kernel target and in the simulator.")
    for section in (workload_section, hit_section, latency_section, series_section, prefetch_section, agreement_section,
                    durability_section, table_section, method_section):
        section(page, demo)
    (results / "report.html").write_text(page.html(), encoding="utf-8")
    print_table(demo)


if __name__ == "__main__":
    main()
