# SPDX-License-Identifier: GPL-2.0
"""The advice of "ssdcache-sim advise --json" as a page: curves by DRAM size, the choice of each size, the commands."""
from __future__ import annotations

import contextlib
import json
import os
import stat
from typing import Any, Mapping, Optional

from . import plots
from ._words import plural, skipped_text
from .cells import Metric, figure_text, size_name
from .page import Page

GOALS = {
    "latency": "Mean response of all requests",
    "reads": "Mean response of reads",
    "writes": "Mean response of writes",
    "p99": "Response that 1 % of the requests exceed",
    "flash-writes": "Bytes programmed",
    "hits": "Page accesses that find the page in DRAM",
}
SCALES = {"flash-writes": (2.0**20, "MiB"), "hits": (0.01, "%")}
TRUST = {"sure": "sure", "close": "close to the next best one", "alone": "nothing to compare with"}
NAMES = ("replacement", "admission", "prefetch")


def read(*names: "str | os.PathLike[str]") -> "Optional[dict[str, Any]]":
    """The advice in a file; ``None`` if it is something else, which can be read again. Raises ValueError if it cannot."""
    advice: "dict[str, Any]" = {}
    for name in names:
        regular = stat.S_ISREG(os.stat(name).st_mode)
        # One of several files is of a sweep, and a pipe can be read only once.
        if len(names) > 1 and not regular:
            continue
        with open(name, "rb") as file:
            if file.read(1) == b"{":
                with contextlib.suppress(ValueError):
                    advice = json.loads(b"{" + file.read())
        if "advice" not in advice and not regular:
            raise ValueError(f"{os.fspath(name)}: no output of advise --json, and rows of a sweep are read from a regular file")
        if "advice" in advice and len(names) > 1:
            raise ValueError(f"{os.fspath(name)}: the output of advise --json has a page of its own")
    return advice if "advice" in advice else None


def _name(cell: "Mapping[str, Any]") -> str:
    return ", ".join(cell[name] for name in NAMES if cell[name] != "none")


def _scale(advice: "Mapping[str, Any]") -> "tuple[float, str]":
    return SCALES.get(advice["goal"], (1e3, "µs"))


def _is_better(advice: "Mapping[str, Any]", one: "Mapping[str, Any]", other: "Mapping[str, Any]") -> bool:
    more: bool = one["estimate"] > other["estimate"]
    return more if advice["goal"] == "hits" else one["estimate"] < other["estimate"]


def curves(advice: "Mapping[str, Any]") -> "dict[str, dict[int, dict[str, Any]]]":
    """The best cell of each replacement policy and size, by estimate."""
    best: "dict[str, dict[int, dict[str, Any]]]" = {}
    for cell in advice["cells"]:
        of = best.setdefault(cell["replacement"], {})
        other = of.get(cell["dram_bytes"])
        if other is None or _is_better(advice, cell, other):
            of[cell["dram_bytes"]] = cell
    return best


def _decides(cell: "Mapping[str, Any]") -> float:
    """The figure of a choice: the mean of the states of the drive with which it was run."""
    value: float = cell.get("mean", cell["value"])
    return value


def _figure(advice: "Mapping[str, Any]", metric: Metric, scale: float) -> "dict[str, Any]":
    """``metric.key``: the name of the figure in the cells."""
    best = curves(advice)
    styles = plots.styles(best)
    sizes = sorted({size for of in best.values() for size in of})
    data = [
        {
            "type": "scatter", "mode": "lines+markers", "name": plots.label(name),
            "x": sorted(of), "y": [of[size][metric.key] / scale for size in sorted(of)],
            "line": {"color": styles[name].colour, "dash": styles[name].dash},
            "marker": {"symbol": [styles[name].marker + ("" if of[size]["whole"] else "-open") for size in sorted(of)], "size": 8},
            "text": [f"{plots.label(_name(of[size]))}{'' if of[size]['whole'] else ' (estimated)'}" for size in sorted(of)],
            "hovertemplate": f"%{{text}}<br>{metric.hover}<extra></extra>",
        }
        for name, of in sorted(best.items(), key=lambda item: plots.order(item[0]))
    ]
    return {
        "data": data,
        "layout": {
            "xaxis": {"type": "log", "title": {"text": "DRAM"}, "tickvals": sizes, "ticktext": [size_name(size) for size in sizes]},
            "yaxis": {"title": {"text": metric.title}, "rangemode": "tozero", "exponentformat": "none", "separatethousands": True,
                      **({"tickformat": ".0%"} if metric.ratio else {})},
            "margin": {"t": 20},
        },
    }


def checked_page_of(advice: "Mapping[str, Any]", name: str) -> Page:
    """Raises ValueError if it is no advice as this version prints it. ``name``: of the file."""
    try:
        return page_of(advice)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise ValueError(f"{name}: not the output of advise --json of this version of ssdcache-sim") from None


def page_of(advice: "Mapping[str, Any]") -> Page:
    """A page of the advice: what is chosen, plots, commands, what was left out."""
    scale, unit = _scale(advice)
    goal = GOALS[advice["goal"]]
    workload, found, choice = advice["workload"], advice["advice"], advice["advice"]["choice"]
    page = Page("ssdcache: advice", f"{workload['requests']:,} request{plural(workload['requests'])} of {', '.join(workload['traces'])}")
    if skipped := workload.get("skipped_lines"):
        page.text(skipped_text(skipped))
    page.text(f"With {size_name(choice['dram_bytes'])} of DRAM: {_name(choice)}, {figure_text(_decides(choice) / scale)} {unit}; "
              f"{TRUST[choice['trust']]}. Goal: {goal[0].lower()}{goal[1:]}.")
    device = advice["device"]
    page.text(f"Device: {device['flash'] or 'constant times'}{' (assumed)' if device['assumed'] else ''}.", note=True)
    choices = [found for found in advice["choices"] if found]
    states = max((len(found.get("in_states", ())) for found in choices), default=0)
    given = " With the given state of the drive." if states else ""
    if states:
        page.text(f"Figures of choices are means of {states} states of the drive, equally aged; the states differ by chance. Those with * are with "
                  "the given state alone.", note=True)
    metric = Metric("estimate", goal, unit)
    # Plotly makes percents of shares itself.
    page.figure(_figure(advice, metric, 1 if metric.ratio else scale),
                "Each replacement policy with its best companions. Open markers: estimated from samples." + given)
    page.figure(_figure(advice, Metric("hit_ratio", "Hit ratio", "%"), 1), "The hit ratios of the same runs." + given)
    page.section("Choices")
    heads = ["DRAM", "policies", f"{advice['goal']}, {unit}", *(["with each state"] if states else []), "hit ratio", "trust"]
    rows = []
    for one in choices:
        alone = " *" if states and "in_states" not in one else ""
        each = ["; ".join(figure_text(value / scale) for value in one.get("in_states", ()))] if states else []
        rows.append([size_name(one["dram_bytes"]), _name(one), figure_text(_decides(one) / scale) + alone, *each,
                     f"{100 * one['hit_ratio']:.2f} %", one["trust"]])
    page.table(heads, rows)
    page.section("Commands")
    page.table(["", "command"], [["apply", found["create"]], ["apply", f"dmsetup create NAME --table \"{found['table']}\""],
                                 ["simulate", found["simulate"]]])
    search = advice["search"]
    page.text(f"{search['whole_runs']} of {search['cells']} combination{plural(search['cells'])} were run whole, "
              f"{search['stopped_runs']} until they fell behind; {search['sampled_runs']} sample{plural(search['sampled_runs'])}; cost {100 * search['cost']:.1f} % of a full search.", note=True)
    return page
