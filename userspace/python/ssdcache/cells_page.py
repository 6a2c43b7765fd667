# SPDX-License-Identifier: GPL-2.0
"""ssdcache-page: the rows of sweeps as a page with plots."""
from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import Optional, Sequence

from . import advice_page, cells, files, plots
from ._words import plural
from .messages import reason, warnings_as_lines
from .page import Page, PlotlyMissing, plotly_script
from .version import add_version

#: Of the table: rows, and bytes. A page has 5 MB at most.
MAX_ROWS = 1000
MAX_TABLE = 400_000


def _table(page: Page, chart: plots.Chart, rows: "list[cells.Cell]", names: "list[str]") -> None:
    metrics = chart.metrics()
    shown: list[list[str]] = []
    left = MAX_TABLE
    for cell in rows[:MAX_ROWS]:
        row = [*(cells.shown_value(cell, name) for name in names), *(metric.text(metric.value(cell.row)) for metric in metrics)]
        left -= sum(len(text.encode()) + len("<td></td>") for text in row)
        if left < 0:
            break
        shown.append(row)
    page.table([*names, *(metric.title for metric in metrics)], shown, left=[name for name in names if name in plots.LINES])
    if len(shown) < len(rows):
        page.text(f"The first {len(shown):,} of {len(rows):,} cells; the others are in the plots.", note=True)


def _plots(page: Page, chart: plots.Chart) -> None:
    drawn = chart.page_chart()
    page.chart(drawn, "Point at a line for its values; click a name to hide its line, twice to see it alone." if
               all(panel.focus is None for panel in chart.panels) else "In each panel, the other lines are grey.")
    if drawn["step"] > 1:
        page.text(f"Lines have one of {drawn['step']} points, and the last one; all points are in the table of the sweep.", note=True)


def page_of(rows: "list[cells.Cell]", title: str) -> Page:
    """A page of the cells of sweeps: plots, and a table."""
    chart = plots.chart_of(rows)
    # Of rows without a cache, the values of the cache's options say so.
    names = [name for name in cells.varying(rows) if name != "no-cache"]
    traces = list(dict.fromkeys(cell.options["trace"] for cell in rows))
    page = Page(title, f"{len(rows):,} run{plural(len(rows))} of {', '.join(traces[:5])}{' and others' if len(traces) > 5 else ''}")
    shared = {name: value for name, value in rows[0].options.items()
              if name not in (*names, "trace") and all(cell.options.get(name) == value for cell in rows)}
    if shared:
        page.text("All with " + ", ".join(f"{name} {value}" for name, value in shared.items()) + ".", note=True)
    # A chart without anything to choose would stop the script of the page.
    if chart.metrics():
        _plots(page, chart)
    else:
        page.text("There is nothing to draw: the requests are neither reads nor writes.", note=True)
    page.section("Figures")
    _table(page, chart, rows, names)
    return page


def _footer(rows: "list[cells.Cell]", command: str) -> str:
    versions = sorted({str(cell.row["version"]) for cell in rows if "version" in cell.row})
    builds = {cell.row["code"] for cell in rows if "code" in cell.row}
    several = f", {len(builds)} different builds" if len(builds) > 1 else ""
    return f"dm-ssdcache {', '.join(versions)}{several}. Made by: {command}"


def check(name: str, output: str) -> bool:
    """Say why no page ``name`` can be made of a sweep that writes to the directory ``output``, which is made. Returns whether so."""
    try:
        plotly_script()
        os.makedirs(output, exist_ok=True)
        files.check(name)
    except PlotlyMissing as error:
        print(f"ssdcache-page: {reason(error)}", file=sys.stderr)
        return True
    except OSError as error:
        print(f"ssdcache-page: --plot: {reason(error)}", file=sys.stderr)
        return True
    return False


def _rows(names: "list[str]") -> "list[cells.Cell]":
    frame = cells.read(*names)
    try:
        return cells.cells_of(frame)
    except ValueError as error:
        raise ValueError(f"{', '.join(names)}: {error}") from None


def parser() -> argparse.ArgumentParser:
    """Of the command line."""
    parser = argparse.ArgumentParser(
        prog="ssdcache-page", allow_abbrev=False,
        description="Makes a page with plots of the results of 'ssdcache-sim sweep'. The page needs no other file and no network.",
    )
    parser.add_argument("files", metavar="FILE", nargs="*", help="cells.csv or cells.jsonl, of one or more sweeps; or the output of advise --json")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="the page")
    parser.add_argument("--title", default="ssdcache: a sweep", help="of the page")
    parser.add_argument("--command", default="", help="what has made the rows, for the end of the page")
    parser.add_argument("--check", action="store_true", help="make no page, but say whether pages can be made")
    add_version(parser)
    return parser


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    reader = parser()
    arguments = reader.parse_args(words)
    if not arguments.check and not (arguments.files and arguments.output):
        reader.error("needs FILE and --output FILE.html")
    return arguments


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command. Returns its exit code: 0 done, 1 no page, 2 wrong command line."""
    words = sys.argv[1:] if words is None else words
    arguments = _arguments(words)
    with warnings_as_lines("ssdcache-page"):
        return _run(words, arguments)


def _run(words: "Sequence[str]", arguments: argparse.Namespace) -> int:
    try:
        plotly_script()
        if arguments.check:
            return 0
        files.refuse_inputs("--output", [arguments.output], arguments.files)
        advice = advice_page.read(*arguments.files)
        command = arguments.command or shlex.join(["ssdcache-page", *words])
        if advice is not None:
            advice_page.checked_page_of(advice, arguments.files[0]).write(arguments.output, f"Made by: {command}")
            return 0
        rows = _rows(arguments.files)
        page_of(rows, arguments.title).write(arguments.output, _footer(rows, command))
    except (ImportError, MemoryError, OSError, ValueError) as error:
        print(f"ssdcache-page: {reason(error)}", file=sys.stderr)
        return 2 if isinstance(error, files.InputLost) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
