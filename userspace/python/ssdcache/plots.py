# SPDX-License-Identifier: GPL-2.0
"""Plots of sweeps: curves by DRAM size, a line for each policy."""
from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence

from ._words import meant, wrong
from .cells import METRICS, NO_CACHE, SIZES, WITHOUT_CACHE, Cell, Metric, cells_of, has_cache, size_bytes, size_name, value_of, varying
from .page import check_plotly, script_json

if TYPE_CHECKING:
    import pandas as pd

#: They have the same colour in all plots.
KNOWN = ("lru", "fifo", "lfu", "cflru", "cflru-ef", "cflru-ef-sc", "fab", "bplru", "vbbms", "req-block", "vs-batch", "vs-batch-plus",
         "co-active", "ecr", "lcr", "mq-ssd", "opt", "clock", "sieve", "2q", "s3-fifo", "arc", "lirs", "mq", "w-tinylfu", "ccf-lru", "ad-lru",
         "gcar", "pud-lru", "wow", "pr-lru", "dulo", "freeboard")
#: Legible on white and on black; none is grey, as lines are that a panel is not about.
COLOURS = ("#1f77b4", "#7cb518", "#5ba3d9", "#e6862e", "#d62728", "#2a9d4a", "#b5a100", "#a0459b", "#e377c2", "#17a2b8", "#6a6fdb", "#c0587e",
           "#5f9e6e", "#b07a4f", "#a0522d", "#4db6ac", "#8c8c2b", "#9467bd", "#d4a017", "#3f7d6e", "#c94f7c", "#3a86c8",
           "#8f6fd1", "#52a352", "#c27c0e", "#2fa8a0", "#d1605e", "#7a9a01", "#a86fb5", "#4c8c4a", "#b8860b", "#5c7cfa", "#c2399b")
MARKERS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "triangle-down", "star", "hexagon", "pentagon", "triangle-left",
           "triangle-right")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
FAINT = "rgba(128,128,128,0.35)"

#: More lines in a panel cannot be told apart: each then gets a panel of its own, with the others in grey.
MAX_LINES = 8
MAX_PANELS = 120
MAX_TICKS = 10
#: What is drawn as lines, if it varies: the first of these, or another option.
LINES = ("replacement", "admission", "prefetch", "flash")
#: Bytes of JSON that the lines of a page may take: Plotly's script takes 3.6 MB, and a page 5 MB at most.
MAX_JSON = 900_000
#: In a name. Longer ones are no quantities.
NUMBER = re.compile(r"(?<![\w.])([0-9]{1,18}\.[0-9]{1,18}|[0-9]{1,18}[kmgt]?)(?![\w.])")
#: A logarithmic axis if the largest value is so many times the smallest.
LOGARITHMIC = 20


def _as_number(text: str) -> Optional[float]:
    """None: no number that has a place on an axis."""
    size = size_bytes(text)
    if size is not None:
        return float(size)
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def label(text: str) -> str:
    """A text as Plotly takes it: with tags and entities, of which it knows few."""
    return escape(text, quote=False)


def significant(value: Optional[float]) -> Optional[float]:
    """As many digits as are shown when the reader points at a line."""
    return None if value is None else float(f"{value:.5g}")


def thinned(values: "list[Any]", step: int) -> "list[Any]":
    """Each ``step``-th value, and the last one."""
    return values if step == 1 else [*values[:-1:step], values[-1]]


@dataclass
class Style:
    colour: str
    marker: str
    dash: str


def styles(names: Iterable[str]) -> "dict[str, Style]":
    """Of lines that share a figure: no two look alike, and a policy without parameters has the same style in all figures."""
    found: dict[str, Style] = {}
    taken: set[int] = set()
    for name in sorted(names, key=lambda name: (name not in KNOWN, order(name))):
        base = name.split(":")[0]
        first = KNOWN.index(base) if base in KNOWN else zlib.crc32(base.encode()) % len(COLOURS)
        slots = [(first + step) % len(COLOURS) for step in range(len(COLOURS))]
        slots += range(len(COLOURS), len(MARKERS) * len(DASHES))
        slot = next((slot for slot in slots if slot not in taken), first)
        taken.add(slot)
        found[name] = Style(COLOURS[slot % len(COLOURS)], MARKERS[slot % len(MARKERS)], DASHES[slot % len(DASHES)])
    return found


def order(name: str) -> "tuple[Any, ...]":
    """Policies in the order of KNOWN; then by name, and numbers in names by their values, sizes too."""
    base = name.split(":")[0]
    texts = NUMBER.split(name)
    # Texts and numbers take turns, so that like is compared with like.
    return (KNOWN.index(base) if base in KNOWN else len(KNOWN), *(_as_number(text) if i % 2 else text for i, text in enumerate(texts)))


@dataclass
class Panel:
    """Lines by their names, each a cell for each place on the x axis. ``focus``: the line that the panel is about."""

    title: str
    lines: "dict[str, dict[float, Cell]]"
    focus: Optional[str] = None


@dataclass
class Chart:
    """What is drawn of a sweep.

    x: option on the x axis, None: bars, one for each line
    """

    x: Optional[str]
    line: Optional[str]
    panels: "list[Panel]" = field(default_factory=list)

    def __post_init__(self) -> None:
        self.styles: dict[str, Style] = {}

    @property
    def is_size(self) -> bool:
        return self.x in SIZES

    def cells(self) -> "list[Cell]":
        """Each once, however many panels show it."""
        lines = {id(panel.lines): panel.lines for panel in self.panels}
        return [cell for of in lines.values() for cells in of.values() for cell in cells.values()]

    def metrics(self) -> "list[Metric]":
        """Those that some cell has."""
        cells = self.cells()
        return [metric for metric in METRICS.values() if any(metric.value(cell.row) is not None for cell in cells)]

    def places(self) -> "list[float]":
        lines = {id(panel.lines): panel.lines for panel in self.panels}
        return sorted({place for of in lines.values() for cells in of.values() for place in cells})

    def place_name(self, place: float) -> str:
        return size_name(place) if self.is_size else f"{place:g}"

    def x_axis(self) -> "dict[str, Any]":
        places = self.places()
        if self.x is None:
            return {"type": "category"}
        axis: dict[str, Any] = {"title": {"text": "DRAM" if self.x == "dram" else label(self.x)}, "showline": True}
        if self.is_size:
            step = math.ceil(len(places) / MAX_TICKS)
            shown = places[::step]
            axis.update(type="log", tickvals=shown, ticktext=[size_name(place) for place in shown], tickangle=-45)
        return axis

    def y_axis(self, metric: Metric) -> "dict[str, Any]":
        """The same in all panels."""
        values = [value for cell in self.cells() if (value := metric.value(cell.row)) is not None]
        axis: dict[str, Any] = {"title": {"text": metric.title}, "showline": True, "exponentformat": "none", "separatethousands": True}
        low, high = min(values, default=0.0), max(values, default=0.0)
        if metric.ratio:
            axis["tickformat"] = ".0%" if high > 0.1 else ".1%"
        if self.x is not None and not metric.ratio and low > 0 and high / low > LOGARITHMIC:
            axis.update(type="log", range=[math.log10(low) - 0.05, math.log10(high) + 0.05], dtick=1 if high / low > 100 else "D2")
        else:
            axis.update(range=[0, high * 1.05 or 1])
        return axis

    def _bars(self, panel: Panel) -> "dict[str, Any]":
        names = list(panel.lines)
        return {"type": "bar", "x": [label(name) for name in names], "showlegend": False, "name": label(panel.title),
                "marker": {"color": [self.styles[name].colour for name in names]}}

    def _line(self, name: str, places: "list[float]") -> "dict[str, Any]":
        style = self.styles[name]
        return {"type": "scatter", "name": label(name), "x": places, "mode": "lines+markers",
                "line": {"color": style.colour, "dash": style.dash, "width": 2},
                "marker": {"color": style.colour, "symbol": style.marker, "size": 7}}

    def traces(self, panel: Panel, metric: Metric) -> "list[dict[str, Any]]":
        """Traces of Plotly. In a panel that is about one line, the others are one grey trace, with a gap after each."""
        if self.x is None:
            values = [metric.value(cell.row) for cells in panel.lines.values() for cell in cells.values()]
            return [{**self._bars(panel), "y": values, "hovertemplate": f"%{{x}}: {metric.hover}<extra></extra>"}]
        traces: list[dict[str, Any]] = []
        grey: dict[str, Any] = {"type": "scatter", "mode": "lines", "line": {"color": FAINT, "width": 1}, "hoverinfo": "skip",
                                "showlegend": False, "x": [], "y": []}
        for name, cells in panel.lines.items():
            places = sorted(cells)
            values = [metric.value(cells[place].row) for place in places]
            if panel.focus not in (None, name):
                grey["x"] += [*places, None]
                grey["y"] += [*values, None]
                continue
            traces.append({**self._line(name, places), "y": values, "text": [self.place_name(place) for place in places],
                           "hovertemplate": f"%{{fullData.name}}<br>%{{text}}: {metric.hover}<extra></extra>",
                           "showlegend": panel.focus is None})
        return [grey, *traces] if panel.focus is not None else traces

    def _lines(self, metrics: "list[Metric]") -> "tuple[list[dict[str, Any]], dict[int, int]]":
        """Each line once, however many panels show it, with the values of all metrics; and where the lines of a panel start."""
        lines: list[dict[str, Any]] = []
        starts: dict[int, int] = {}
        for panel in self.panels:
            if id(panel.lines) in starts:
                continue
            starts[id(panel.lines)] = len(lines)
            for name, cells in panel.lines.items():
                places = sorted(cells)
                lines.append({**self._line(name, places), "y": [
                    [significant(metric.value(cells[place].row)) for place in places] for metric in metrics]})
        return lines, starts

    def _page_panels(self, metrics: "list[Metric]") -> "dict[str, Any]":
        if self.x is None:
            return {"panels": [
                {"title": panel.title, "data": [self._bars(panel)], "y": [
                    [[significant(metric.value(cell.row)) for cells in panel.lines.values() for cell in cells.values()]]
                    for metric in metrics]} for panel in self.panels]}
        lines, starts = self._lines(metrics)
        panels = []
        for panel in self.panels:
            start, names = starts[id(panel.lines)], list(panel.lines)
            about = {} if panel.focus is None else {"focus": start + names.index(panel.focus)}
            panels.append({"title": panel.title, "lines": [start, start + len(names)], **about})
        return {"lines": lines, "places": self.places(), "names": [self.place_name(place) for place in self.places()], "faint": FAINT,
                "panels": panels}

    def page_chart(self) -> "dict[str, Any]":
        """For :meth:`ssdcache.page.Page.chart`: all metrics to choose from. Of very many points, a part is left out: ``step``."""
        metrics = self.metrics()
        layout = {"margin": {"l": 64, "r": 12, "t": 12, "b": 76}, "xaxis": self.x_axis(), "hovermode": "closest",
                  "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "font": {"size": 11}}}
        panels, step = _fitting(self._page_panels(metrics))
        return {
            "choices": [{"title": metric.title, "yaxis": self.y_axis(metric), "hover": metric.hover} for metric in metrics],
            "layout": layout, "step": step, **panels,
        }


def _fitting(panels: "dict[str, Any]") -> "tuple[dict[str, Any], int]":
    """Panels whose lines have so few points that they take no more than MAX_JSON bytes: one of ``step``."""
    lines: list[dict[str, Any]] = panels.get("lines", [])
    step = 1
    # Names and styles alone may take more.
    while len(script_json(panels).encode()) > MAX_JSON and step < max((len(line["x"]) for line in lines), default=0):
        step *= 2
        panels = {**panels, "lines": [
            {**line, "x": thinned(line["x"], step), "y": [thinned(values, step) for values in line["y"]]} for line in lines]}
    return panels, step


def _has(cell: Cell, name: str) -> bool:
    """Can the row have a value of the option?"""
    return has_cache(cell) or name in WITHOUT_CACHE


def _axis_of(cells: Sequence[Cell], names: Sequence[str]) -> Optional[str]:
    """The option for the x axis: DRAM, or the first one whose values are all numbers."""
    for name in sorted(names, key=lambda name: name != "dram"):
        if name not in ("trace", *LINES) and all(_as_number(value_of(cell, name)) is not None for cell in cells if _has(cell, name)):
            return name
    return None


def _split(panels: "list[Panel]") -> "list[Panel]":
    """A panel for each line, where there are too many lines."""
    return [one for panel in panels for one in (
        [panel] if len(panel.lines) <= MAX_LINES else
        [Panel(f"{name}, {panel.title}" if panel.title else name, panel.lines, name) for name in panel.lines])]


def _put(line: "dict[float, Cell]", place: float, cell: Cell) -> None:
    other = line.setdefault(place, cell)
    # An option that is given with its default value makes another row of the same figures.
    if any(metric.value(other.row) != metric.value(cell.row) for metric in METRICS.values()):
        raise ValueError(f"two rows have the same place in the plot: {other.row['options']} and {cell.row['options']}, "
                         f"both of {cell.options['trace']}")


def _varying(cells: Sequence[Cell]) -> "list[str]":
    """The options of which the rows that can have them have different values."""
    names = [name for name in varying(cells) if name != "no-cache"]
    return [name for name in names if len({value_of(cell, name) for cell in cells if _has(cell, name)}) > 1]


@dataclass
class _Layout:
    """Which option becomes the x axis, which one the lines, and which ones panels (``apart``)."""

    x: Optional[str]
    line: Optional[str]
    apart: "list[str]"

    def key(self, cell: Cell) -> "tuple[Optional[str], ...]":
        """Of the panel; None where the row can have no value."""
        return tuple(value_of(cell, name) if _has(cell, name) else None for name in self.apart)

    def title(self, key: "tuple[Optional[str], ...]") -> str:
        return ", ".join(value if name in ("trace", *LINES) else f"{name} {value}"
                         for name, value in zip(self.apart, key) if value is not None)

    def name(self, cell: Cell) -> str:
        """Of the line."""
        line = "replacement" if self.line is None else self.line
        value = value_of(cell, line)
        return value if has_cache(cell) or not _has(cell, line) else f"{value}, {NO_CACHE}"

    def place(self, cell: Cell) -> Optional[float]:
        """On the x axis; None where the row can have no value."""
        return 0.0 if self.x is None else _as_number(value_of(cell, self.x)) if _has(cell, self.x) else None


def _layout_of(cells: Sequence[Cell]) -> _Layout:
    names = _varying(cells)
    x = _axis_of(cells, names)
    rest = [name for name in names if name != x]
    line = next((name for name in LINES if name in rest), rest[0] if rest else None)
    return _Layout(x, line, [name for name in rest if name != line])


def _panels_of(cells: Sequence[Cell], layout: _Layout) -> "list[Panel]":
    """Rows without a cache are for comparison: a level line in each panel that they belong to, and a panel of their own if there is none."""
    panels: dict[tuple[Optional[str], ...], Panel] = {}
    places = sorted({place for cell in cells if (place := layout.place(cell)) is not None})
    for cell in sorted(cells, key=lambda cell: not has_cache(cell)):
        key, place = layout.key(cell), layout.place(cell)
        fitting = [panel for other, panel in panels.items() if all(one in (None, two) for one, two in zip(key, other))]
        for panel in fitting or [panels.setdefault(key, Panel(layout.title(key), {}))]:
            line = panel.lines.setdefault(layout.name(cell), {})
            for at in places if place is None else [place]:
                _put(line, at, cell)
    for panel in panels.values():
        panel.lines = dict(sorted(panel.lines.items(), key=lambda item: order(item[0])))
    return list(panels.values())


def chart_of(cells: Sequence[Cell]) -> Chart:
    """A chart of all rows."""
    layout = _layout_of(cells)
    panels = _panels_of(cells, layout)
    chart = Chart(layout.x, layout.line, panels if layout.x is None else _split(panels))
    if len(chart.panels) > MAX_PANELS:
        apart = [name for name in (layout.line, *layout.apart) if name is not None]
        raise ValueError(f"{len(chart.panels)} panels, more than {MAX_PANELS}, of {', '.join(apart)}: choose rows of the sweep")
    chart.styles = styles({name for panel in chart.panels for name in panel.lines})
    for name in {layout.name(cell) for cell in cells if not has_cache(cell)}:
        chart.styles[name].dash = "dash"
    return chart


def plot(frame: pd.DataFrame, metric: str = "hit", *, where: "Optional[Callable[[Mapping[str, Any]], bool]]" = None) -> Any:
    """Draw the rows of a sweep. Returns a figure of Plotly, which a notebook shows.

    Curves by DRAM size (or by another option with numbers), a line for each policy; a panel for each value of all other options. Rows
    without a cache beside rows with one are level lines. ``metric``: hit, mean, read-mean, write-mean, read-p99, write-p99, flash-writes, amplification, erases or flushed. ``where`` chooses rows.
    """
    if not hasattr(frame, "drop_duplicates") or not hasattr(frame, "columns"):
        raise wrong("frame", frame, "a DataFrame of pandas that sweep() has returned")
    if not isinstance(metric, str):
        raise wrong("metric", metric, f"one of {', '.join(METRICS)}")
    if where is not None and not callable(where):
        raise wrong("where", where, "a function that chooses rows")
    if metric not in METRICS:
        raise ValueError(f"metric: {metric!r} is not one of {', '.join(METRICS)}{meant(metric, METRICS)}")
    check_plotly()
    from plotly.subplots import make_subplots

    cells = [cell for cell in cells_of(frame) if where is None or where(cell.row)]
    if not cells:
        raise ValueError("no rows to draw")
    chart = chart_of(cells)
    if METRICS[metric] not in chart.metrics():
        raise ValueError(f"metric: no row has {metric!r}; there are: {', '.join(one.key for one in chart.metrics())}")
    columns = min(len(chart.panels), 3)
    rows = math.ceil(len(chart.panels) / columns)
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=[label(panel.title) for panel in chart.panels])
    shown: set[str] = set()
    for i, panel in enumerate(chart.panels):
        at = {"row": i // columns + 1, "col": i % columns + 1}
        for trace in chart.traces(panel, METRICS[metric]):
            # One legend for all panels.
            name = trace.get("name", "")
            figure.add_trace({**trace, "legendgroup": name, "showlegend": trace["showlegend"] and name not in shown}, **at)
            shown.add(name)
        figure.update_xaxes(chart.x_axis(), **at)
        figure.update_yaxes(chart.y_axis(METRICS[metric]), **at)
    figure.update_layout(height=max(420, 300 * rows), hovermode="closest", margin={"t": 40})
    return figure
