# SPDX-License-Identifier: GPL-2.0
"""The report's plots, each a string of SVG."""

import io
import re

import matplotlib
import numpy as np

matplotlib.use("svg")
# pylint: disable=wrong-import-position
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

from results import ADMISSIONS, MIB, NATURAL, POLICIES, PREFETCHERS

COLORS = dict(zip(POLICIES, ["#7f7f7f", "#0072b2", "#56b4e9", "#e69f00", "#d55e00", "#009e73", "#999933", "#882255",
                             "#cc79a7", "#332288", "#ddcc77", "#000000", "#117733", "#aa4499", "#661100", "#888888"]))
MARKERS = dict(zip(POLICIES, "os^DvPX<>*hdp8H1"))
PREFETCH_COLORS = dict(zip(PREFETCHERS, ["#7f7f7f", "#e69f00", "#cc79a7", "#56b4e9", "#d55e00"]))
LISTS = {"clean_list": ("clean", "#a6cee3"), "dirty_list": ("dirty", "#e69f00"),
         "second_chance_list": ("second chance", "#d55e00")}
OPS = {"R": ("read", "#0072b2"), "W": ("write", "#d55e00"), "F": ("FLUSH", "#009e73")}

plt.rcParams.update({
    "svg.hashsalt": "ssdcache", "font.size": 9, "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "axes.titlesize": 10, "figure.constrained_layout.use": True, "legend.fontsize": 8.5,
})


def to_svg(figure, name):
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg"):]
    # All plots share a page, so prefix ids with the name of the plot.
    svg = re.sub(r'(id="|xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
    # Inline SVG needs no namespaces, and a page without any address is easier to check.
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg)
    return re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)


def size_axis(axes, sizes):
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("DRAM, MiB")


def two_rows(entries):
    """Columns of a legend with two rows."""
    return (entries + 1) // 2


def policy_legend(figure, extra=()):
    handles = [Line2D([], [], color=COLORS[policy], marker=MARKERS[policy], markersize=5, label=policy)
               for policy in POLICIES]
    figure.legend(handles=[*handles, *extra], loc="outside lower center", ncols=two_rows(len(handles) + len(extra)),
                  handlelength=1.6, columnspacing=1.2)


REAL = Line2D([], [], color="black", marker="o", linestyle="none", markerfacecolor="none", markersize=8,
              label="circled: real target")


def sweep_panel(axes, cells, real, admission, value):
    """Lines from the simulator, circles for runs on the real target."""
    sizes = sorted({cell["dram"] for cell in cells})
    for policy in POLICIES:
        line = {cell["dram"]: value(cell) for cell in cells
                if cell["policy"] == policy and cell["admission"] == admission and cell["mode"] == "protected"}
        axes.plot([size / MIB for size in sizes], [line[size] for size in sizes], color=COLORS[policy],
                  marker=MARKERS[policy], markersize=3.5, linewidth=1.3)
    for run in real:
        if run["admission"] == admission:
            axes.plot(run["dram"] / MIB, value(run), marker="o", markersize=9, markerfacecolor="none",
                      markeredgewidth=1.4, color=COLORS[run["policy"]], linestyle="none")
    size_axis(axes, [size / MIB for size in sizes])


def hit_ratios(cells, real):
    figure, rows = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for axes, admission in zip(rows, ADMISSIONS):
        sweep_panel(axes, cells, real, admission, lambda run: run["hit"])
        axes.set_title(f"admission {admission}")
    rows[0].yaxis.set_major_formatter(PercentFormatter(1))
    rows[0].set_ylabel("page accesses that hit")
    rows[0].set_ylim(0)
    policy_legend(figure, [REAL])
    return to_svg(figure, "hit")


def latencies(cells, real):
    figure, grid = plt.subplots(2, 2, figsize=(10, 6.8), sharex=True, sharey="row")
    for row, op in zip(grid, ("write", "read")):
        for axes, admission in zip(row, ADMISSIONS):
            sweep_panel(axes, cells, real, admission,
                        lambda run, op=op: max(run["latency"][op]["mean_ns"] / 1e3, 0.1))
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.set_title(f"{op}s, admission {admission}")
        row[0].set_ylabel(f"mean {op} latency, µs")
    for axes in grid[0]:
        axes.set_xlabel("")
    policy_legend(figure, [REAL])
    return to_svg(figure, "latency")


def real_bars(real, sim_of, title, value):
    """Bars of the policies side by side at each size, with a tick for the simulator's value."""
    sizes = sorted({run["dram"] for run in real})
    figure, axes = plt.subplots(figsize=(10, 3.4))
    width = 0.8 / len(POLICIES)
    for i, policy in enumerate(POLICIES):
        at = [k - 0.4 + width * (i + 0.5) for k in range(len(sizes))]
        heights = [next(value(run) for run in real if run["policy"] == policy and run["dram"] == size)
                   for size in sizes]
        axes.bar(at, heights, width * 0.92, color=COLORS[policy], label=f"{policy} ({NATURAL[policy]})")
        for x, size in zip(at, sizes):
            y = value(sim_of(policy, NATURAL[policy], size))
            axes.plot([x - width * 0.46, x + width * 0.46], [y, y], color="black", linewidth=1.6)
    axes.set_xticks(range(len(sizes)), [f"{size / MIB:g} MiB" for size in sizes])
    axes.grid(axis="x", visible=False)
    axes.set_ylabel(title)
    tick = Line2D([], [], color="black", linewidth=1.6, label="simulator")
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(handles=[*handles, tick], loc="outside lower center", ncols=4)
    return figure, axes


def real_hits(real, sim_of):
    figure, axes = real_bars(real, sim_of, "page accesses that hit", lambda run: run["hit"])
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    return to_svg(figure, "realhit")


def real_latencies(real, sim_of, op):
    figure, axes = real_bars(real, sim_of, f"mean {op} latency, µs",
                             lambda run: max(run["latency"][op]["mean_ns"] / 1e3, 0.1))
    axes.set_yscale("log")
    axes.set_ylim(0.1)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    return to_svg(figure, f"real{op}")


def end_of(runs):
    """Last time in all series; the sampler of the real target may run longer."""
    return max(columns["seconds"][-1] for columns in runs.values())


def list_lengths(columns, policy, axes):
    names = [name for name in LISTS if f"{policy}.{name}" in columns]
    if names:
        axes.stackplot(columns["seconds"], [columns[f"{policy}.{name}"] for name in names],
                       colors=[LISTS[name][1] for name in names], labels=[LISTS[name][0] for name in names])
    else:
        axes.stackplot(columns["seconds"], [columns["used"]], colors=["#a6cee3"], labels=["single list"])


def lists_over_time(real, simulated, policies):
    figure, grid = plt.subplots(len(policies), 2, figsize=(10, 2.2 * len(policies) + 0.5), sharex=True, sharey=True,
                                squeeze=False)
    for row, policy in zip(grid, policies):
        for axes, columns, where in zip(row, (real[policy], simulated[policy]), ("real target", "simulator")):
            list_lengths(columns, policy, axes)
            axes.set_title(f"{policy}, {where}")
        row[0].set_ylabel("pages")
    handles, labels = grid[-1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    for axes in grid[-1]:
        axes.set_xlabel("seconds")
        axes.set_xlim(0, end_of(simulated))
    return to_svg(figure, "lists")


def dirty_over_time(real, simulated, frames):
    figure, row = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True, sharex=True)
    for axes, runs, where in zip(row, (real, simulated), ("real target", "simulator")):
        for policy in POLICIES:
            columns = runs[policy]
            axes.plot(columns["seconds"], [value / frames for value in columns["dirty"]], color=COLORS[policy],
                      linewidth=1.1)
        axes.set_title(where)
        axes.set_xlabel("seconds")
        axes.set_xlim(0, end_of(simulated))
    row[0].set_ylim(0, 1.02)
    row[0].yaxis.set_major_formatter(PercentFormatter(1))
    row[0].set_ylabel("dirty share of frames")
    handles = [Line2D([], [], color=COLORS[policy], label=policy) for policy in POLICIES]
    figure.legend(handles=handles, loc="outside lower center", ncols=two_rows(len(handles)))
    return to_svg(figure, "dirty")


def prefetch_panel(axes, columns, values, prefetcher, real):
    axes.plot(columns["seconds"], values, color="black" if real else PREFETCH_COLORS[prefetcher],
              linestyle=":" if real else "-", linewidth=1.6 if real else 1.1)


def saved_beyond(columns, none):
    """Time that hits have saved so far, minus that without prefetching; ms."""
    base = np.interp(columns["seconds"], none["seconds"], none["saved_us"])
    return [(ours - theirs) / 1e3 for ours, theirs in zip(columns["saved_us"], base)]


def prefetch_over_time(real, real_name, simulated, frames):
    """@real: columns of @real_name on the target; @simulated: prefetcher -> columns"""
    figure, grid = plt.subplots(2, 2, figsize=(10, 6), sharex=True)
    (share, saved), (patterns, mining) = grid
    for name, columns, is_real in [*((name, columns, False) for name, columns in simulated.items()), (real_name, real, True)]:
        prefetch_panel(share, columns, [value / frames for value in columns["prefetched"]], name, is_real)
        if not is_real:
            prefetch_panel(saved, columns, saved_beyond(columns, simulated["none"]), name, False)
        if f"{name}.rows" in columns:
            prefetch_panel(patterns, columns, columns[f"{name}.rows"], name, is_real)
    prefetch_panel(mining, real, [value / 1e6 for value in real["plugin_step_ns"]], real_name, True)
    if f"{real_name}.pages_max" in real:
        share.fill_between(real["seconds"], [value / frames for value in real[f"{real_name}.pages_max"]], color="#eeeeee",
                           step="post", linewidth=0)
    share.yaxis.set_major_formatter(PercentFormatter(1))
    for axes, title in ((share, "share of DRAM that prefetched pages hold"), (saved, "time saved by hits so far, ms beyond lru alone"),
                        (patterns, "patterns matched against"), (mining, "time of passes with mining so far, ms (real target)")):
        axes.set_title(title)
        axes.set_xlim(0, end_of(simulated))
    for axes in (share, patterns, mining):
        axes.set_ylim(0)
    for axes in grid[-1]:
        axes.set_xlabel("seconds")
    handles = [Line2D([], [], color=PREFETCH_COLORS[name], label=name) for name in PREFETCHERS]
    handles.append(Line2D([], [], color="black", linestyle=":", linewidth=1.6, label=f"{real_name}, real target"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return to_svg(figure, "prefetch")


def durability(cells, size):
    """The cost of FLUSH: volatile against protected DRAM."""
    figure, row = plt.subplots(1, 2, figsize=(10, 3.2))
    width = 0.38
    modes = (("protected", "#56b4e9"), ("volatile", "#d55e00"))
    for k, (mode, color) in enumerate(modes):
        chosen = [next(cell for cell in cells if cell["policy"] == policy and cell["admission"] == NATURAL[policy] and
                       cell["mode"] == mode and cell["dram"] == size) for policy in POLICIES]
        at = [i + (k - 0.5) * width for i in range(len(POLICIES))]
        row[0].bar(at, [cell["flushed_per_written"] for cell in chosen], width * 0.95, color=color, label=mode)
        row[1].bar(at, [cell["latency"]["flush"]["mean_ns"] / 1e3 for cell in chosen], width * 0.95, color=color)
    for axes, label in zip(row, ("pages written to flash per page written by the host", "mean FLUSH latency, µs")):
        axes.set_xticks(range(len(POLICIES)), POLICIES, rotation=30, ha="right")
        axes.set_title(label)
        axes.grid(axis="x", visible=False)
    figure.legend(loc="outside lower center", ncols=2, title="DRAM")
    return to_svg(figure, "durability")


def page_ranks(requests):
    """Pages touched by reads and writes: page number -> place in order of address, in MiB."""
    pages = sorted({request[2] // 8 for request in requests if request[1] in "RW"})
    return {page: rank * 4096 / MIB for rank, page in enumerate(pages)}


def workload(requests, phases):
    """Requests by time and address, and their rate."""
    ranks = page_ranks(requests)
    figure, (map_axes, rate_axes) = plt.subplots(2, 1, figsize=(10, 5.6), sharex=True, height_ratios=[2, 1])
    end = max(request[0] for request in requests) / 1e9
    for op in ("W", "R"):
        chosen = [request for request in requests if request[1] == op]
        map_axes.scatter([request[0] / 1e9 for request in chosen], [ranks[request[2] // 8] for request in chosen],
                         s=2, color=OPS[op][1], linewidths=0, alpha=0.6, label=OPS[op][0], rasterized=True)
    map_axes.set_ylabel("pages touched, by address (MiB)")
    map_axes.legend(loc="upper left", markerscale=5, framealpha=0.9, frameon=True, edgecolor="none")
    bins = 120
    step = end / bins or 1
    for op in ("W", "R", "F"):
        counts = [0] * bins
        for request in requests:
            if request[1] == op:
                counts[min(int(request[0] / 1e9 / step), bins - 1)] += 1
        rate_axes.plot([(i + 0.5) * step for i in range(bins)], [count / step for count in counts],
                       color=OPS[op][1], linewidth=1.1, label=OPS[op][0])
    rate_axes.set_ylabel("requests per second")
    rate_axes.set_xlabel("seconds of the capture")
    rate_axes.legend(loc="upper left", framealpha=0.9, frameon=True, edgecolor="none")
    rate_axes.set_ylim(0)
    rate_axes.set_xlim(0, end)
    for phase in phases:
        for axes in (map_axes, rate_axes):
            axes.axvspan(phase["start"], phase["end"], color="#f4f1e8", zorder=0)
        map_axes.annotate(phase["name"], ((phase["start"] + phase["end"]) / 2, 1.01), xycoords=("data", "axes fraction"),
                          ha="center", va="bottom", fontsize=9)
    return to_svg(figure, "workload")
