# SPDX-License-Identifier: GPL-2.0
"""
The demo's page: that of ssdcache-report about the capture, and what the real target in the kernel made of the same requests.

usage: demo.py RESULTS FLASH TIME-SCALE COMMIT
"""

import bisect
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ssdcache
from results import (PREFETCHERS, REAL_PREFETCHER, decisions, facts, flushed_pages, load_json, prefetch_facts, read_kernel, read_phases,
                     real_runs, series, size_bytes)
from ssdcache import plots, report, report_page, verdict
from ssdcache.cells import Metric, size_name, time_text

SERIES_MS = 200
# What a hit saves, as the guest sets it: the times of the flash.
HIT_US = {"alpha_us": 75, "beta_us": 2000}
# Points of a line over time.
STEPS = 200
LISTS = {"clean_list": ("clean", "#5ba3d9"), "dirty_list": ("dirty", "#e6862e"), "second_chance_list": ("second chance", "#d62728")}
# Policies that decide by time or by the state of the flash, and how. tests/flash/agreement.sh shows that they do the same as the simulator's
# where computing takes no time.
TIMED = {
    "cflru-ef": "flushes pages early while the flash is idle",
    "cflru-ef-sc": "flushes pages early while the flash is idle",
    "co-active": "flushes pages while their chip is idle",
    "ecr": "evicts the page whose chip has least to do",
    "lcr": "keeps pages whose chip has much to do",
    "mq-ssd": "keeps pages that are written twice within a second",
    "vs-batch-plus": "evicts as many pages at once as channels are idle",
}
COMPARED = {
    "hit": Metric("hit", "hit ratio", "%"), "write": Metric("write", "mean write latency", "µs"),
    "write_p99": Metric("write_p99", "99th percentile of write latency", "µs"), "read": Metric("read", "mean read latency", "µs"),
    "read_p99": Metric("read_p99", "99th percentile of read latency", "µs"),
    "amplification": Metric("amplification", "write amplification", ""), "erases": Metric("erases", "flash blocks erased", ""),
    "programs": Metric("programs", "pages that the cache wrote to flash", ""),
}


def percent(value):
    return f"{100 * value:.1f} %"


class Demo:
    """What was measured on the real target, and the same runs in the simulator."""

    def __init__(self, results, flash, page_bytes):
        self.results = results
        self.real = real_runs(results, "replay")
        self.exact = real_runs(results, "exact")
        if not self.real:
            sys.exit(f"demo.py: no replays in {results}")
        self.options = {"flash": flash, "dram_mode": "protected", "page": page_bytes}
        self.trace = ssdcache.Trace(results / "fitted.csv.zst")
        self.exact_trace = ssdcache.Trace(results / "exact.csv.zst")
        self.series_size = next(results.glob("replay/replay-*.samples.csv")).name.split(".")[0].rpartition("-")[2]
        self.policies = sorted({key[0] for key in self.real}, key=plots.order)
        self.natural = {key[0]: key[1] for key in self.real}
        self.sizes = sorted({key[2] for key in self.real}, key=size_bytes)

    def run(self, trace, key, **options):
        policy, admission, size = key
        return ssdcache.simulate(trace, replacement=policy, admission=admission, dram=size, **{**self.options, **options}).report

    def simulate(self):
        """All runs that are compared with the real target."""
        def over_time(policy):
            path = self.results / f"series-{policy}.csv"
            self.run(self.trace, (policy, self.natural[policy], self.series_size), series=path, series_interval_ms=SERIES_MS)
            return series(path)

        def prefetch(name):
            path = self.results / f"series-prefetch-{name}.csv"
            found = self.run(self.trace, ("lru", "write-buffer", self.series_size), prefetch=PREFETCHERS[name], time_steps=True, series=path,
                             series_interval_ms=SERIES_MS, **HIT_US)
            return prefetch_facts(found["stats"], found["prefetch"]["stats"], found["latency"]), series(path)

        def jobs(pool, function, keys):
            return {key: pool.submit(function, key) for key in keys}

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            parts = [
                jobs(pool, lambda key: self.run(self.trace, key), self.real),
                jobs(pool, lambda key: self.run(self.exact_trace, key, closed=True), self.exact),
                jobs(pool, over_time, self.policies),
                jobs(pool, prefetch, PREFETCHERS),
                jobs(pool, lambda policy: self.run(self.trace, (policy, self.natural[policy], self.series_size), dram_mode="volatile"),
                     self.policies),
            ]
            self.simulated, self.exact_simulated, self.over_time, self.prefetch, self.volatile = (
                {key: job.result() for key, job in part.items()} for part in parts)

    def pair(self, key):
        """The figures of a run on the real target, and in the simulator."""
        stats, flash = self.real[key]
        found = self.simulated[key]
        return facts(stats["stats"], stats["latency"], flash["stats"]), facts(found["stats"], found["latency"], found["flash"]["stats"])

    def samples(self, policy):
        return series(self.results / "replay" / f"replay-{policy}-{self.natural[policy]}-{self.series_size}.samples.csv")


def differences(demo):
    """Median and largest relative difference of each figure between real target and simulator."""
    found = {}
    for name in COMPARED:
        apart = []
        for key in demo.real:
            real, simulated = (figures[name] for figures in demo.pair(key))
            apart.append(abs(real - simulated) / max(abs(simulated), 1e-9) if name != "hit" else abs(real - simulated))
        found[name] = statistics.median(apart), max(apart)
    return found


def axis_of(metric, values):
    axis = {"title": {"text": metric.title}, "exponentformat": "none", "separatethousands": True, "automargin": True, "rangemode": "tozero"}
    low, high = min(values, default=0), max(values, default=0)
    if metric.ratio:
        axis["tickformat"] = ".0%"
    elif low > 0 and high / low > plots.LOGARITHMIC:
        axis.update(type="log", dtick=1)
        del axis["rangemode"]
    return axis


def agreement_section(page, demo):
    page.section("The kernel beside the simulator")
    apart = differences(demo)
    page.text(f"The same requests on the real target in the kernel, on the same flash device. Between kernel and simulator, hit ratios differ by "
              f"{100 * apart['hit'][0]:.2f} points in the median, and by {100 * apart['hit'][1]:.1f} at most; mean write latencies by "
              f"{percent(apart['write'][0])} in the median; write amplification by {percent(apart['amplification'][0])}; erases by "
              f"{percent(apart['erases'][0])}. The simulator counts no CPU time. In the guest an instruction takes a nanosecond: a request starts "
              "some microseconds later, so it may meet another command of the flash, and policies that look at the device or at the time "
              "decide otherwise now and then. Where requests queue, small differences add up.")
    panels = []
    for size in demo.sizes:
        pairs = [demo.pair((policy, demo.natural[policy], size)) for policy in demo.policies]
        shared = {"type": "scatter", "mode": "markers", "x": demo.policies}
        panels.append({
            "title": f"{size_name(size_bytes(size))} of DRAM",
            "data": [{**shared, "name": "simulator", "marker": {"symbol": "line-ew-open", "size": 16, "color": "#e6862e", "line": {"width": 3}}},
                     {**shared, "name": "kernel", "marker": {"symbol": "circle", "size": 8, "color": "#1f77b4"}}],
            "y": [[[plots.significant(simulated[name]) for _, simulated in pairs], [plots.significant(real[name]) for real, _ in pairs]]
                  for name in COMPARED],
        })
    choices = []
    for at, (name, metric) in enumerate(COMPARED.items()):
        values = [value for panel in panels for line in panel["y"][at] for value in line]
        choices.append({"title": metric.title, "yaxis": axis_of(metric, values), "hover": metric.hover})
    page.chart({"choices": choices, "panels": panels, "layout": {
        "margin": {"l": 64, "r": 12, "t": 12, "b": 90}, "xaxis": {"type": "category", "tickangle": -60}, "hovermode": "closest",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"}}}, "Dots: the kernel. Bars: the simulator. Choose the figure above.")
    rows = []
    for size in demo.sizes:
        for policy in demo.policies:
            key = policy, demo.natural[policy], size
            real, simulated = demo.pair(key)
            rows.append([policy, key[1], size_name(size_bytes(size)), percent(real["hit"]), percent(simulated["hit"]),
                         *(time_text(of[name]) for name in ("write", "write_p99", "read", "read_p99") for of in (real, simulated)),
                         f"{real['amplification']:.2f}", f"{simulated['amplification']:.2f}", f"{real['erases']:,}", f"{simulated['erases']:,}"])
    page.table(["policy", "admission", "DRAM", "hits", "simulator", "write mean", "simulator", "write p99", "simulator", "read mean", "simulator",
                "read p99", "simulator", "amplification", "simulator", "erases", "simulator"], rows, left=["admission"])


def different_decisions(demo):
    """(policy, admission, size) -> names of the counters that differ"""
    different = {}
    for key, (stats, _) in demo.exact.items():
        real = decisions(stats["stats"], stats["stats"]["replacement"])
        simulated = decisions(demo.exact_simulated[key]["stats"], demo.exact_simulated[key]["replacement"]["stats"])
        different[key] = sorted(name for name in real.keys() & simulated.keys() if real[name] != simulated[name])
    return different


def agreement(different):
    """Of what different_decisions() has found: a sentence, and the policies that differ without a reason."""
    names = sorted(key[0] for key, counters in different.items() if counters)
    timed = [f"{name} {TIMED[name]}" for name in names if name in TIMED]
    text = f"{len(different) - len(names)} of {len(different)} policies count the same in the kernel and in the simulator"
    if timed:
        listed = f"{', '.join(timed[:-1])} and {timed[-1]}" if len(timed) > 1 else timed[0]
        text += f"; {len(timed)} decide by time or by the state of the flash, and computing takes time in the kernel only: {listed}"
    return f"{text}.", [name for name in names if name not in TIMED]


def defect(names):
    """What is said of policies that differ without a reason."""
    return f"{', '.join(names)}: kernel and simulator should count the same, and do not. This is a defect of one of them."


def exact_section(page, demo):
    page.section("One request at a time")
    different = different_decisions(demo)
    sentence, wrong = agreement(different)
    page.text(f"The first requests of the capture, each after the one before. {sentence}")
    if wrong:
        page.warning(defect(wrong))
    rows = []
    for key, names in sorted(different.items(), key=lambda item: plots.order(item[0][0])):
        stats, _ = demo.exact[key]
        real, simulated = stats["latency"], demo.exact_simulated[key]["latency"]
        rows.append([key[0], key[1], size_name(size_bytes(key[2])), f'{stats["stats"]["evicted_pages"]:,}', not names,
                     *(time_text(of[op]["p50_ns"] / 1e3) for op in ("write", "read") for of in (real, simulated)), ", ".join(names)])
    page.table(["policy", "admission", "DRAM", "pages evicted", "counters", "write median", "simulator", "read median", "simulator", "differ in"],
               rows, left=["admission", "counters", "differ in"])


def at_steps(columns, names, end):
    """Values at STEPS times from 0 to the end; those before the first sample are 0."""
    seconds = columns["seconds"]
    places = [end * k / STEPS for k in range(STEPS + 1)]
    return places, {name: [round(columns[name][at - 1], 4) if (at := bisect.bisect_right(seconds, place)) else 0.0 for place in places]
                    for name in names}


def series_section(page, demo):
    page.section("Over time")
    end = max(columns["seconds"][-1] for columns in demo.over_time.values())
    frames = size_bytes(demo.series_size) // 4096
    styles = plots.styles(demo.policies)
    lines, places = [], []
    for policy in demo.policies:
        drawn = []
        for columns in (demo.samples(policy), demo.over_time[policy]):
            places, values = at_steps(columns, ["dirty"], end)
            drawn.append([plots.significant(value / frames) for value in values["dirty"]])
        lines.append({"type": "scatter", "name": policy, "mode": "lines", "line": {"color": styles[policy].colour, "width": 2}, "x": places,
                      "y": drawn})
    axis = {"title": {"text": "dirty share of DRAM"}, "range": [0, 1.02], "tickformat": ".0%"}
    page.chart({
        "choices": [{"title": f"dirty pages, {where}", "yaxis": axis, "hover": "%{y:.1%}"} for where in ("kernel", "simulator")],
        "layout": {"margin": report_page.MARGIN, "hovermode": "closest", "xaxis": {"title": {"text": "seconds"}, "range": [0, end]}},
        "lines": lines, "places": places, "names": [f"{place:.1f} s" for place in places], "faint": plots.FAINT,
        "panels": [{"title": policy, "lines": [0, len(lines)], "focus": k} for k, policy in enumerate(demo.policies)],
    }, f"With {size_name(size_bytes(demo.series_size))} of DRAM. A write is slow when every frame holds a dirty page and it must wait for a flush.")
    panels = []
    for policy in demo.policies:
        for where, columns in (("kernel", demo.samples(policy)), ("simulator", demo.over_time[policy])):
            names = [name for name in LISTS if f"{policy}.{name}" in columns]
            if not names:
                continue
            places, values = at_steps(columns, [f"{policy}.{name}" for name in names], end)
            panels.append({"title": f"{policy}, {where}", "data": [
                {"type": "scatter", "mode": "lines", "stackgroup": "lists", "name": LISTS[name][0], "x": places, "y": values[f"{policy}.{name}"],
                 "line": {"width": 0}, "fillcolor": LISTS[name][1], "hovertemplate": f"{LISTS[name][0]}: %{{y:,}} pages<extra></extra>"}
                for name in names]})
    if panels:
        page.chart({"panels": panels, "layout": {
            "margin": report_page.MARGIN, "xaxis": {"title": {"text": "seconds"}, "range": [0, end]},
            "yaxis": {"title": {"text": "pages"}, "rangemode": "tozero"}, "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"}}},
            "The lists of the policies that have several.")


def prefetch_section(page, demo):
    page.section("Prefetching")
    real = load_json(demo.results / "replay" / "prefetch.stats.json")
    rows = []
    runs = [*((name, found) for name, (found, _) in demo.prefetch.items()),
            (f"{REAL_PREFETCHER}, kernel", prefetch_facts(real["stats"], real["stats"]["prefetch"], real["latency"]))]
    for name, found in runs:
        rows.append([name, f'{found["pages"]:,}', f'{found["hits"]:,}', f'{found["unused"]:,}',
                     "" if found["hits_per_page"] is None else f'{found["hits_per_page"]:.2f}',
                     "" if found["patterns_per_window"] is None else f'{found["patterns_per_window"]:.1f}',
                     time_text(found["read_ns"] / 1e3), time_text(found["write_ns"] / 1e3), time_text(found["saved_us"]),
                     time_text(found["step_ns"] / 1e3) if found["step_ns"] else ""])
    page.text(f"lru with {size_name(size_bytes(demo.series_size))} of DRAM and each prefetcher. Saved: what reads that hit would have waited for "
              "the flash, in all.", note=True)
    page.table(["prefetcher", "pages", "hits", "unused", "hits per page", "patterns per window", "read mean", "write mean", "saved", "mining"], rows)
    end = max(columns["seconds"][-1] for _, columns in demo.prefetch.values())
    frames = size_bytes(demo.series_size) // 4096
    samples = series(demo.results / "replay" / "prefetch.samples.csv")
    curves = [*((name, columns, name) for name, (_, columns) in demo.prefetch.items() if name != "none"),
              (f"{REAL_PREFETCHER}, kernel", samples, REAL_PREFETCHER)]
    styles = plots.styles([name for name, _, _ in curves])
    _, base = at_steps(demo.prefetch["none"][1], ["saved_us"], end)
    share, saved, patterns = [], [], []
    for name, columns, prefetcher in curves:
        shared = {"type": "scatter", "mode": "lines", "name": name, "line": {
            "color": styles[name].colour, "dash": "dot" if name.endswith(", kernel") else "solid"}}
        places, values = at_steps(columns, ["prefetched", "saved_us"], end)
        share.append({**shared, "x": places, "y": [value / frames for value in values["prefetched"]]})
        saved.append({**shared, "showlegend": False, "x": places,
                      "y": [round((ours - none) / 1e3, 2) for ours, none in zip(values["saved_us"], base["saved_us"])]})
        if f"{prefetcher}.rows" in columns:
            _, values = at_steps(columns, [f"{prefetcher}.rows"], end)
            patterns.append({**shared, "showlegend": False, "x": places, "y": values[f"{prefetcher}.rows"]})
    page.chart({"layout": {"margin": report_page.MARGIN, "xaxis": {"title": {"text": "seconds"}, "range": [0, end]},
                           "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": {"size": 10}}},
                "panels": [
        {"title": "share of DRAM that prefetched pages hold", "data": share, "layout": {"yaxis": {"tickformat": ".0%", "rangemode": "tozero"}}},
        {"title": "time saved so far beyond lru alone, ms", "data": saved},
        {"title": "patterns matched against", "data": patterns, "layout": {"yaxis": {"rangemode": "tozero"}}},
    ]}, "Dotted: the kernel.")


def durability_section(page, demo):
    page.section("What durability costs")
    page.text(f"{size_name(size_bytes(demo.series_size))} of DRAM in the simulator: volatile, where each FLUSH writes all dirty pages to flash, "
              "as in a drive without power-loss protection; and protected, where it writes none, as the papers assume.")
    rows = []
    for policy in demo.policies:
        row = [policy, demo.natural[policy]]
        for found in (demo.volatile[policy], demo.simulated[policy, demo.natural[policy], demo.series_size]):
            stats = found["stats"]
            row += [f"{flushed_pages(stats) / stats['write_pages']:.2f}", time_text(found["latency"]["flush"]["mean_ns"] / 1e3),
                    time_text(found["latency"]["write"]["mean_ns"] / 1e3)]
        rows.append(row)
    page.table(["policy", "admission", "flushed per written, volatile", "FLUSH mean", "write mean", "flushed per written, protected", "FLUSH mean",
                "write mean"], rows, left=["admission"])


def method_section(page, demo, scale):
    page.section("How this was made")
    page.text(f"Linux {read_kernel(demo.results)} in a virtual machine. The capture ran at the machine's own speed, on ssdcache on an ssdflash of "
              f"1 GiB. The replays ran with the recorded times multiplied by {scale:.3g}, in a guest whose clock counts instructions, one "
              "nanosecond each, and so does not depend on how busy the host is. The flash device is as large as what the requests touch, and "
              "starts in the steady state of random writes, in the kernel and in the simulator alike: with the same seed it is the same device.")


def print_table(demo, found):
    print(f'\n  {"":<15}{"":<14}' + "".join(f"{size:>9} of DRAM{'':<14}" for size in demo.sizes))
    print(f'  {"policy":<15}{"admission":<14}' + f'{"hits":>8} {"write":>9} {"read":>9}    ' * len(demo.sizes))
    for policy in demo.policies:
        line = f"  {policy:<15}{demo.natural[policy]:<14}"
        for size in demo.sizes:
            real, _ = demo.pair((policy, demo.natural[policy], size))
            line += f'{percent(real["hit"]):>8} {time_text(real["write"]):>9} {time_text(real["read"]):>9}    '
        print(line.rstrip())
    apart = differences(demo)
    sentence, wrong = agreement(different_decisions(demo))
    print(f"\n  Kernel, mean latencies. Of the simulator, hit ratios differ by {100 * apart['hit'][1]:.1f} points at most, mean write latencies by "
          f"{percent(apart['write'][0])} in the median.")
    print(f"  One request at a time: {sentence}")
    if wrong:
        print(f"  {defect(wrong)}")
    print()
    for answer in found.verdicts:
        print(f"  {verdict.sentence(answer)}")


def main():
    results, flash, scale, commit = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    os.chdir(results.parents[1])
    name = os.path.relpath(results / "fitted.csv.zst")
    settings = report.Settings([name], flash=flash, run={"dram_mode": "protected"})
    found = report.gather(settings)
    demo = Demo(results, flash, settings.page)
    report.say("running what is compared with the kernel")
    demo.simulate()

    def more(page):
        for section in (agreement_section, exact_section, series_section, prefetch_section, durability_section):
            section(page, demo)
        method_section(page, demo, scale)

    page = report_page.page_of(
        found, "dm-ssdcache: SSD buffer policies under a real workload", phases=read_phases(results, scale), more=more,
        introduction="SQLite transactions with fsync; commits, a checkout, a repack and a check of a git repository; a tree of files unpacked, "
                     "rewritten, packed and removed; a repeated query of the database. All of it ran on ext4 on ssdcache. Which policies, and "
                     "how much DRAM, suit that?")
    page.write(results / "report.html", report.footer(found, "make demo", commit))
    print_table(demo, found)
    return report.SOME_FAILED if found.failed else 0


if __name__ == "__main__":
    sys.exit(main())
