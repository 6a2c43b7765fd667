# SPDX-License-Identifier: GPL-2.0
"""The page of a report: the verdict, then the evidence."""
from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from . import plots, verdict
from ._words import plural, skipped_text
from .cells import METRICS, Cell, round_time_text, size_name, time_text, value_of
from .page import Page

if TYPE_CHECKING:
    import numpy as np

    from .report import Report

OPS = {"read": "#1f77b4", "write": "#e6862e", "flush": "#2a9d4a"}
#: Points of the map of requests, and steps of the rates.
MAX_DOTS, STEPS = 12000, 120
#: Latencies at which shares are shown: 12 for each power of ten, from 1 µs to 100 s.
GRID_US = [0.0, *(10 ** (k / 12) for k in range(12 * 8 + 1))]
#: Longer means are those of a queue that grows.
OVERLOADED_US = 50e3
#: The number of the operation in a trace, and the share of the requests that "few slow requests" is about.
FLUSH, SLOWEST = 2, 0.01
#: Discards in the table of the workload: --compact shortens and drops them, and no other requests.
DISCARDS = "discard, after --compact"
TRUST = {"sure": "sure", "close": "close", "alone": "nothing to compare with"}
MARGIN = {"l": 64, "r": 12, "t": 12, "b": 56}


def _verdict_rows(report: "Report") -> "list[list[str]]":
    rows = []
    for found in report.verdicts:
        metric = verdict.FIGURES[found.goal]
        for choice in found.answers:
            why = [name for name, size in (("knee", found.knee), ("within 5 % of the best", found.least)) if size == choice.dram_bytes]
            rival = f"; next: {verdict.policies_of(choice.rival)}" if choice.rival else ""
            rows.append([verdict.GOALS[found.goal][0], choice.policies, size_name(choice.dram_bytes), " and ".join(why), metric.name, choice.text,
                         verdict.times(choice), f"{TRUST[choice.trust]}{rival}"])
    return rows


def _curve(found: verdict.Verdict) -> "dict[str, Any]":
    """The best of each size, with the size that is chosen and the knee."""
    metric, choices = verdict.FIGURES[found.goal], found.choices
    values = [choice.value for choice in choices]
    low, high = min(values), max(values)
    axis: "dict[str, Any]" = {"title": {"text": metric.title, "standoff": 10}, "exponentformat": "none", "separatethousands": True, "rangemode": "tozero",
                              "automargin": True}
    if low > 0 and high / low > plots.LOGARITHMIC:
        axis.update(type="log", dtick=1 if high / low > 100 else "D2")
        del axis["rangemode"]
    data: "list[dict[str, Any]]" = [{
        "type": "scatter", "mode": "lines+markers", "x": [choice.dram_bytes for choice in choices], "y": values, "showlegend": False,
        "text": [f"{size_name(choice.dram_bytes)}: {plots.label(choice.policies)}" for choice in choices],
        "hovertemplate": f"%{{text}}<br>{metric.hover}<extra></extra>", "line": {"color": "#1f77b4"},
    }]
    marks = [(found.least, "#2a9d4a", "star")] + ([(found.knee, "#d62728", "diamond-open")] if found.knee else [])
    for size, colour, symbol in marks:
        data.append({"type": "scatter", "mode": "markers", "x": [size], "y": [found.at(size).value], "hoverinfo": "skip", "showlegend": False, "cliponaxis": False,
                     "marker": {"color": colour, "symbol": symbol, "size": 14, "line": {"width": 2}}})
    return {"title": verdict.GOALS[found.goal][0], "data": data, "layout": {"yaxis": axis}}


def flushes_note(ops: "np.ndarray[Any, Any]") -> str:
    """What to know of the slowest 1 % of the requests with these operations; empty: nothing."""
    share = float((ops == FLUSH).mean())
    if share < SLOWEST:
        return ""
    return (f"Few slow requests: of all requests, of which {100 * share:.1f} % are FLUSHes. These wait until all dirty pages are on flash, so the "
            "slowest 1 % may be FLUSHes alone, whatever the policy. The percentiles of reads and of writes are below.")


def overload_note(times: "np.ndarray[Any, Any]", in_flight: bool) -> str:
    """Why requests wait so long, and what to change. ``times``: of the requests. ``in_flight``: a number of requests is kept in flight, which
    ignores the times."""
    waits = "Even with the most DRAM requests wait for longer than 50 ms on average"
    if in_flight:
        return f"{waits}. Keep fewer requests in flight (--depth), or choose a faster device (--flash)."
    if len(times) > 1 and times[0] == times[-1]:
        return (f"{waits}: all requests of the trace have one time, so each waits for those before it. Keep a number of them in flight "
                "instead (--depth 16).")
    return (f"{waits}: the flash device cannot keep up with the trace. What is best then depends on the length of the trace. Choose a faster "
            "device (--flash) or a slower clock (--time-scale 4).")


def _verdict(page: Page, report: "Report") -> None:
    for found in report.verdicts:
        page.verdict(verdict.sentence(found))
    if report.failed:
        page.warning("Some runs have failed. The answers rest on the others, and may be wrong.")
        page.table(["run", "reason"], report.failed, left=["reason"])
    overloaded = [found for found in report.verdicts if found.goal in ("reads", "writes") and min(
        choice.value for choice in found.choices) > OVERLOADED_US]
    if overloaded:
        page.text(overload_note(report.trace.records["time_ns"], "depth" in report.settings.run))
    if flushes := flushes_note(report.trace.records["op"]):
        page.text(flushes)
    sizes = sorted({choice.dram_bytes for found in report.verdicts for choice in found.choices})
    page.chart({
        "panels": [_curve(found) for found in report.verdicts],
        "layout": {"margin": {**MARGIN, "b": 76}, "hovermode": "closest",
                   "xaxis": {"type": "log", "title": {"text": "DRAM"}, "tickvals": sizes, "ticktext": [size_name(size) for size in sizes],
                             "tickangle": -45}},
    }, "The best policies at each size of DRAM; point at a dot for their names. Star: the least DRAM within 5 % of the best. Diamond: the knee, "
       "after which more DRAM gains less.")
    page.table(["goal", "policies", "DRAM", "why so much", "figure", "value", "compared with lru", "how sure"], _verdict_rows(report),
               left=["policies", "why so much", "figure", "compared with lru", "how sure"])
    if any(found.chance for found in report.verdicts):
        page.text("All figures are with the given state of the aged drive. Other states, equally aged, have other figures by chance. The search compares "
                  "the best policies with several states; a choice is sure only if it is better with these, too.", note=True)
    page.section("Apply it")
    commands: "dict[str, list[str]]" = {}
    for found in report.verdicts:
        for choice in found.answers:
            commands.setdefault(found.command(choice), []).append(f"{verdict.GOALS[found.goal][0]} with {size_name(choice.dram_bytes)}")
    for command, goals in commands.items():
        page.text(f"For {', '.join(goals)}:", note=True)
        page.command(command)
    page.text("To change the policies of a device in use: ssdcachectl set NAME replacement SPEC. Prefetchers, other page sizes and other devices: "
              "ssdcache-sim advise.", note=True)


def _ranks(report: "Report") -> "np.ndarray[Any, Any]":
    """MiB from the start of the device, without what nothing touches."""
    mib: "np.ndarray[Any, Any]" = report.trace.records["sector"] / 2048
    return mib


def _map(page: Page, report: "Report", phases: "Sequence[Mapping[str, Any]]") -> None:
    import numpy as np

    records = report.trace.records
    seconds, place, op = records["time_ns"] / 1e9, _ranks(report), records["op"]
    end = float(seconds.max()) or 1.0
    dots = []
    for number, name in ((1, "write"), (0, "read")):
        chosen = np.flatnonzero(op == number)
        step = max(1, -(-len(chosen) * 2 // MAX_DOTS))
        chosen = chosen[::step]
        dots.append({"type": "scattergl", "mode": "markers", "name": name + (f", one of {step}" if step > 1 else ""), "hoverinfo": "skip",
                     "x": np.round(seconds[chosen], 3).tolist(), "y": np.round(place[chosen], 2).tolist(),
                     "marker": {"color": OPS[name], "size": 3, "opacity": 0.6}})
    bounds = np.linspace(0, end, STEPS + 1)
    rates = []
    for number, name in ((0, "read"), (1, "write"), (2, "flush")):
        counts, _ = np.histogram(seconds[op == number], bounds)
        if counts.any():
            rates.append({"type": "scatter", "mode": "lines", "name": name, "x": np.round((bounds[1:] + bounds[:-1]) / 2, 3).tolist(),
                          "y": np.round(counts * STEPS / end, 3).tolist(), "line": {"color": OPS[name], "width": 1.3},
                          "hovertemplate": f"{name}: %{{y:,.4~r}} per s<extra></extra>"})
    bands = [{"type": "rect", "xref": "x", "yref": "paper", "x0": phase["start"], "x1": phase["end"], "y0": 0, "y1": 1, "line": {"width": 0},
              "fillcolor": "rgba(128,128,128,0.12)", "layer": "below"} for phase in phases]
    names = [{"xref": "x", "yref": "paper", "x": (phase["start"] + phase["end"]) / 2, "y": 1, "yanchor": "top", "showarrow": False,
              "text": plots.label(phase["name"])} for phase in phases]
    shared = {"margin": MARGIN, "xaxis": {"title": {"text": "seconds"}, "range": [0, end]}, "shapes": bands, "annotations": names,
              "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "itemsizing": "constant"}}
    page.chart({"layout": shared, "panels": [
        {"title": "requests by time and address", "data": dots, "layout": {"yaxis": {"title": {"text": "MiB of the device"}}}},
        {"title": "rates", "data": rates, "layout": {"yaxis": {"title": {"text": "requests per second"}, "rangemode": "tozero", "separatethousands": True}}},
    ]}, "Each dot is a request. Dots in a horizontal line, or in slanted lines that repeat, such as those of a journal, are pages touched again "
        "and again: a cache gains from these.")


def _workload(page: Page, report: "Report", phases: "Sequence[Mapping[str, Any]]") -> None:
    import numpy as np

    records, found = report.trace.records, report.workload
    page.section("The workload")
    rows = []
    for number, name in enumerate(("read", "write", "flush", DISCARDS)):
        chosen = records[records["op"] == number]
        if not len(chosen):
            continue
        sectors = chosen["nr_sectors"]
        rows.append([name, f"{len(chosen):,}", f"{100 * len(chosen) / len(records):.1f} %", f"{int(sectors.sum()) / 2048:,.1f}",
                     f"{float(np.percentile(sectors, 50)) / 2:g}", f"{float(np.percentile(sectors, 90)) / 2:g}"])
    page.table(["", "requests", "share", "MiB", "median KiB", "90th percentile KiB"], rows)
    if skipped := found.get("skipped_lines"):
        page.text(skipped_text(skipped))
    page.text(f"{len(records):,} request{plural(len(records))} in {float(records['time_ns'].max()) / 1e9:,.1f} s; they touch {size_name(found['footprint_bytes'])}. The "
              f"flash device has {size_name(report.trace.sectors * 512)}: parts of 1 MiB that nothing reads or writes are left out (--compact), "
              "so that it is as full as a drive in use. Discards lose these parts, too; 'ssdcache-trace info' shows them whole.", note=True)
    _map(page, report, phases)


def _evidence(page: Page, report: "Report") -> None:
    page.section("Every policy, scheme and size")
    cells = [cell for cell in report.cells if value_of(cell, "admission") in ("write-buffer", "read-write")]
    chart = plots.chart_of(cells)
    drawn = chart.page_chart()
    about = ("Each panel is about one policy with one admission scheme; the other policies are grey." if any(panel.focus for panel in chart.panels) else
             "Each panel is about one admission scheme.")
    page.chart(drawn, f"{about} Choose the figure above. opt knows the future and evicts what is used last: a yardstick, not a policy to use." +
               (f" Lines have one of {drawn['step']} points." if drawn["step"] > 1 else ""))


def shares(histogram: "Sequence[Sequence[int]]") -> "list[float]":
    """Which part of the requests took no longer than each latency of GRID_US. Buckets are (from, to, count), in ns."""
    total = sum(bucket[2] for bucket in histogram)
    ends = [bucket[1] / 1e3 for bucket in histogram]
    sums = [0]
    for bucket in histogram:
        sums.append(sums[-1] + bucket[2])
    return [sums[bisect.bisect_right(ends, at)] / total if total else 0.0 for at in GRID_US]


def distribution_chart(of: "Mapping[str, Mapping[str, Any]]", ops: "Sequence[str]") -> "dict[str, Any]":
    """Shares by latency, a panel for each name. ``of``: "latency" of reports, with histograms."""
    styles = plots.styles(of)
    drawn = {name: [shares(latency[f"{op}_histogram"]) for op in ops] for name, latency in of.items()}
    shown = [k for k in range(len(GRID_US)) if k == 0 or any(1e-9 < lines[i][k] and lines[i][k - 1] < 1 for lines in drawn.values()
                                                             for i in range(len(ops)))]
    # A logarithmic axis has no 0: what takes no time is drawn at 1 µs.
    places = [max(GRID_US[k], 1.0) if k else 0.8 for k in shown]
    names = sorted(of, key=plots.order)
    lines = [{"type": "scatter", "name": plots.label(name), "mode": "lines", "x": places, "line": {"color": styles[name].colour, "width": 2},
              "y": [[plots.significant(line[k]) for k in shown] for line in drawn[name]]} for name in names]
    ticks = [10.0 ** k for k in range(9) if 10.0 ** k <= max(places)]
    return {
        "choices": [{"title": f"{op}s", "yaxis": {"title": {"text": f"share of {op}s"}, "range": [0, 1.02], "tickformat": ".0%"},
                     "hover": "%{y:.2%}"} for op in ops],
        "layout": {"margin": {**MARGIN, "b": 76}, "hovermode": "closest", "xaxis": {
            "type": "log", "title": {"text": "latency at most"}, "tickvals": ticks, "ticktext": [round_time_text(at) for at in ticks]}},
        "lines": lines, "places": places, "names": ["0 µs" if not k else time_text(GRID_US[k]) for k in shown], "faint": plots.FAINT,
        "panels": [{"title": name, "lines": [0, len(names)], "focus": k} for k, name in enumerate(names)],
    }


def _distributions(page: Page, report: "Report") -> None:
    page.section("How latencies are spread")
    ops = [op for op in ("write", "read") if any(found["latency"][op]["count"] for found in report.spread.values())]
    best = report.best_cells(report.shown_bytes)
    page.text(f"With {size_name(report.shown_bytes)} of DRAM; each policy with the admission scheme that has the smaller mean latency.", note=True)
    page.chart(distribution_chart({name: found["latency"] for name, found in report.spread.items()}, ops),
               "How many requests took no longer than a latency: the higher and the farther left, the better. What takes no time is at the left "
               "end. The other policies are grey.")
    heads, rows = ["policy", "admission"], []
    for op in ops:
        heads += [f"{op} {figure}" for figure in ("mean", "p50", "p90", "p99", "p99.9", "max")]
    for name in sorted(report.spread, key=plots.order):
        row = [name, value_of(best[name], "admission")]
        for op in ops:
            latency = report.spread[name]["latency"][op]
            row += [time_text(latency[key] / 1e3) for key in ("mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")]
        rows.append(row)
    page.table(heads, rows, left=["admission"])


def _numbers(page: Page, report: "Report") -> None:
    page.section("All runs")
    cells: "list[Cell]" = sorted(report.cells, key=lambda cell: (plots.order(value_of(cell, "replacement")), value_of(cell, "admission"),
                                                                 cell.row["config.dram_bytes"]))
    metrics = [metric for metric in METRICS.values() if any(metric.value(cell.row) is not None for cell in cells)]
    page.table(["policy", "admission", "DRAM", *(metric.title for metric in metrics), "command"], (
        [value_of(cell, "replacement"), value_of(cell, "admission"), size_name(cell.row["config.dram_bytes"]),
         *(metric.text(metric.value(cell.row)) for metric in metrics), cell.row["command"]] for cell in cells), left=["admission", "command"])


def page_of(report: "Report", title: str, *, phases: "Sequence[Mapping[str, Any]]" = (), introduction: str = "",
            more: "Callable[[Page], None]" = lambda page: None) -> Page:
    """``more`` adds sections before the table of all runs."""
    page = Page(title, introduction or f"Which policies, and how much DRAM, for {', '.join(report.settings.traces)} on {report.settings.flash}?")
    _verdict(page, report)
    _workload(page, report, phases)
    _evidence(page, report)
    _distributions(page, report)
    more(page)
    _numbers(page, report)
    return page
