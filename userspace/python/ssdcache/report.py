# SPDX-License-Identifier: GPL-2.0
"""ssdcache-report: a page about a trace: which policies, how much DRAM, and why."""
from __future__ import annotations

import argparse
import importlib
import os
import pathlib
import re
import shlex
import stat
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from . import files, verdict
from ._library import SOME_FAILED, SimulatorError
from ._words import plural, utf8
from .cells import METRICS, Cell, cells_of, value_of
from .interrupts import ended_in_order
from .messages import reason, warnings_as_lines
from .page import plotly_script
from .version import add_version

if TYPE_CHECKING:
    import pandas as pd

    from .trace import Trace

#: The drive of [Lin22], with as many blocks as the trace needs, in the steady state of random writes. Of the profiles it has the
#: smallest blocks, so that a small footprint fills enough of them for garbage collection. Its gc_threshold of 10 contradicts its 10 % of spare.
FLASH = "lin22:blocks=0,aged=steady,gc_threshold=8"
ADMISSIONS = ("write-buffer", "read-write")
PAGE = "4k"
#: Options that are passed on as they are: those of the requests, and those of runs.
LOAD = ("limit", "skip", "after", "before", "repeat", "time-scale", "format")
#: Likewise, options of the requests without a value.
LOAD_FLAGS = ("skip-bad", "align")
RUN = ("dram_mode", "depth")


@dataclass
class Settings:
    """What a report is about."""

    traces: "list[str]"
    flash: str = FLASH
    page: str = PAGE
    dram: str = ""
    replacement: "list[str]" = field(default_factory=lambda: ["usual"])
    plugins: "list[str]" = field(default_factory=list)
    load: "dict[str, str]" = field(default_factory=dict)
    load_flags: "list[str]" = field(default_factory=list)
    run: "dict[str, str]" = field(default_factory=dict)
    effort: str = ""
    output: str = ""

    def common(self) -> "list[str]":
        """Words of all command lines."""
        words = [f"--page={self.page}", f"--flash={self.flash}", *(f"--{name}={value}" for name, value in self.run.items())]
        return [*words, *(f"--plugin={name}" for name in self.plugins)]

    def loading(self) -> "list[str]":
        return [*(f"--{name}={value}" for name, value in self.load.items()), *(f"--{name}" for name in self.load_flags), "--compact"]

    def options(self) -> "dict[str, Any]":
        """The same as :meth:`common`, for :func:`ssdcache.sweep`."""
        plugins = {"plugin": self.plugins} if self.plugins else {}
        return {"page": self.page, "flash": self.flash, **self.run, **plugins}


@dataclass
class Report:
    """What was found. ``spread``: of each replacement policy, the report of the run whose latencies are shown. ``failed``: runs that the
    answers had to do without, and why."""

    settings: Settings
    trace: "Trace"
    workload: "dict[str, Any]"
    verdicts: "list[verdict.Verdict]"
    cells: "list[Cell]"
    shown_bytes: int
    spread: "dict[str, dict[str, Any]]"
    failed: "list[tuple[str, str]]" = field(default_factory=list)

    @property
    def sizes(self) -> "list[int]":
        return sorted({int(cell.row["config.dram_bytes"]) for cell in self.cells})

    def best_cells(self, size: int) -> "dict[str, Cell]":
        """Of each replacement policy, the cell of this size with the smallest mean latency."""
        best: "dict[str, Cell]" = {}
        for cell in self.cells:
            if int(cell.row["config.dram_bytes"]) != size:
                continue
            name = value_of(cell, "replacement")
            if name not in best or mean(cell) < mean(best[name]):
                best[name] = cell
        return best


def mean(cell: Cell) -> float:
    value = METRICS["mean"].value(cell.row)
    return float("inf") if value is None else value


def say(text: str) -> None:
    print(f"ssdcache-report: {text}", file=sys.stderr, flush=True)


def _search_words(settings: Settings) -> "list[str]":
    words = [f"--replacement={','.join(settings.replacement)}", "--prefetch=none", *settings.common()]
    if settings.dram:
        words.append(f"--dram={settings.dram}")
    if settings.effort:
        words.append(f"--effort={settings.effort}")
    return words


def _advise(settings: Settings, goals: "Sequence[str]") -> "list[dict[str, Any]]":
    found = []
    for goal in goals:
        say(f"searching: {verdict.GOALS[goal][0]}")
        found.append(verdict.ask(goal, [*_search_words(settings), *settings.loading()], settings.traces, quiet=bool(found)))
    return found


def _check_options(settings: Settings) -> None:
    """Before anything is read. Raises OptionsWrong. Searches and sweeps take several values of some options; the runs for the page do not."""
    # First the values: what is said of their number is so only if sweeps take each of them.
    verdict.check([*_search_words(settings), *settings.loading()], settings.traces)
    for name, value in {"page": settings.page, "flash": settings.flash, **settings.run}.items():
        # Only sizes have ranges.
        if len(specs_of(value)) > 1 or (name == "page" and ".." in value):
            raise verdict.OptionsWrong(f"--{name}: '{value}' is more than one value: 'ssdcache-sim sweep' takes them")


def _rows(settings: Settings, trace: "Trace", sizes: "Sequence[int]", verdicts: "Sequence[verdict.Verdict]",
          ) -> "tuple[pd.DataFrame, list[tuple[str, str]]]":
    """All policies with the usual schemes, and what was chosen with others. Then what has failed, and why."""
    import pandas as pd

    from .runs import CellFailed, sweep

    shared: "dict[str, Any]" = {**settings.options(), "dram": [str(size) for size in sizes]}
    others = {(choice.names["replacement"], choice.names["admission"]) for found in verdicts for choice in found.choices}
    others = {names for names in others if names[1] not in ADMISSIONS}
    with tempfile.TemporaryDirectory(prefix="ssdcache-report-") as scratch, warnings.catch_warnings(record=True) as said:
        # Others are what the searches have said of the same policies and device.
        warnings.simplefilter("always")
        output = settings.output or scratch
        frames = [sweep(trace, output=os.path.join(output, "all"), replacement=settings.replacement, admission=list(ADMISSIONS), **shared)]
        for admission in sorted({names[1] for names in others}):
            policies = sorted(names[0] for names in others if names[1] == admission)
            frames.append(sweep(trace, output=os.path.join(output, admission), replacement=policies, admission=admission, **shared))
    failed = [(warning.message.options, warning.message.reason) for warning in said if isinstance(warning.message, CellFailed)]
    return pd.concat(frames, ignore_index=True), failed


def _compare(settings: Settings, verdicts: "Sequence[verdict.Verdict]", cells: "Sequence[Cell]") -> None:
    """Find the figures of lru that are missing: a search runs it at the size that it advises, not at the knee, and rows do not have the
    figures of all goals."""
    lru = {int(cell.row["config.dram_bytes"]) for cell in cells
           if (value_of(cell, "replacement"), value_of(cell, "admission")) == ("lru", "write-buffer")}
    for found in verdicts:
        for choice in found.answers:
            if choice.lru is None and choice.dram_bytes in lru:
                choice.lru = verdict.lru_of(found.goal, choice.dram_bytes, [*settings.common(), *settings.loading()], settings.traces)


def _failed_searches(advices: "Sequence[Mapping[str, Any]]") -> "list[tuple[str, str]]":
    """What the searches for the goals could not run, by goal."""
    failed = []
    for advice in advices:
        nr, first = advice["search"]["failed_runs"], advice["search"]["first_failure"]
        if nr:
            failed.append((f"search for {verdict.GOALS[advice['goal']][0]}: {nr} {'run' if nr == 1 else 'runs'}", f"the first one: {first}"))
    return failed


def _spread(settings: Settings, trace: "Trace", cells: "Mapping[str, Cell]") -> "dict[str, dict[str, Any]]":
    from .runs import simulate

    def run(cell: Cell) -> "dict[str, Any]":
        names = {name: value_of(cell, name) for name in ("replacement", "admission")}
        return simulate(trace, dram=cell.row["config.dram_bytes"], **names, **settings.options()).report

    # What the searches have said of the same policies and device.
    with warnings.catch_warnings(record=True), ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(zip(cells, pool.map(run, cells.values())))


def gather(settings: Settings) -> Report:
    """Run all that the page shows."""
    from .trace import Trace

    with warnings.catch_warnings():
        # The first search makes the same remarks.
        warnings.simplefilter("ignore")
        trace = Trace.from_words(settings.loading(), settings.traces)
    if settings.output:
        os.makedirs(settings.output, exist_ok=True)
    ops = trace.records["op"]
    goals = [goal for goal in verdict.GOALS if (ops == (0 if goal == "reads" else 1)).any() or goal == "p99"]
    advices = _advise(settings, goals)
    verdicts = [verdict.verdict_of(advice) for advice in advices]
    sizes = sorted({choice.dram_bytes for found in verdicts for choice in found.choices})
    say(f"running all policies with {len(sizes)} size{plural(len(sizes))} of DRAM")
    rows, failed = _rows(settings, trace, sizes, verdicts)
    cells = cells_of(rows)
    for found in verdicts:
        verdict.correct(found, cells)
    _compare(settings, verdicts, cells)
    shown = sorted(found.knee or found.least for found in verdicts)[len(verdicts) // 2]
    report = Report(settings, trace, advices[0]["workload"], verdicts, cells, shown, {}, [*_failed_searches(advices), *failed])
    say("running for the spread of latencies")
    report.spread = _spread(settings, trace, report.best_cells(shown))
    return report


def parser() -> argparse.ArgumentParser:
    """Of the command line."""
    reader = argparse.ArgumentParser(
        prog="ssdcache-report", allow_abbrev=False,
        description="Makes a page about traces: which policies and how much DRAM suit them, and the evidence. The page needs no other "
                    "file and no network.",
        epilog="With 30,000 requests a report takes about a minute on two CPUs; the time grows with the requests.",
    )
    add_version(reader)
    reader.add_argument("traces", metavar="TRACE", nargs="+", help="block traces of any format that ssdcache-sim reads")
    reader.add_argument("-o", "--output", metavar="FILE.html", default="report.html", help="the page; default: report.html")
    reader.add_argument("--title", help="of the page")
    reader.add_argument("--flash", default=FLASH, metavar="SPEC",
                        help=f"the flash device; default: {FLASH}, with as many blocks as the trace needs")
    reader.add_argument("--page", default=PAGE, metavar="SIZE", help=f"page size of the cache; default: {PAGE}")
    reader.add_argument("--dram", default="", metavar="SIZES", help="such as 1m..64m; default: up to what the requests touch")
    reader.add_argument("--replacement", default="usual", metavar="SPECS",
                        help="policies to compare, with commas between them; all: also those that ssdcache-sim advise compares on request only")
    reader.add_argument("--plugin", action="append", default=[], metavar="FILE", help="a policy of your own, as for ssdcache-sim")
    reader.add_argument("--effort", default="", metavar="PERCENT", help="of the search, as for ssdcache-sim advise; 100: of all schemes")
    reader.add_argument("--keep", default="", metavar="DIRECTORY", help="keep the runs there; the same command goes on after an interruption")
    reader.add_argument("--commit", default="", help="what was built, for the end of the page")
    for name in LOAD:
        reader.add_argument(f"--{name}", metavar="VALUE", help="as for ssdcache-sim" if name != "limit" else "only the first requests")
    for name in LOAD_FLAGS:
        reader.add_argument(f"--{name}", action="store_true", help="as for ssdcache-sim")
    for name in RUN:
        reader.add_argument(f"--{name}", metavar="VALUE", help="as for ssdcache-sim")
    return reader


def specs_of(text: str) -> "list[str]":
    """``"lru,cflru:window=5,clean=on"`` -> two: commas stand between policies and between the parameters of one."""
    return re.split(r",(?![\w-]+=)", text)


def settings_of(arguments: argparse.Namespace) -> Settings:
    given = vars(arguments)

    def values(names: "Sequence[str]") -> "dict[str, str]":
        found = {name: given[name.replace("-", "_")] for name in names}
        return {name: value for name, value in found.items() if value is not None}

    return Settings(arguments.traces, arguments.flash, arguments.page, arguments.dram, specs_of(arguments.replacement), arguments.plugin,
                    values(LOAD), [name for name in LOAD_FLAGS if given[name.replace("-", "_")]], values(RUN), arguments.effort, arguments.keep)


def footer(report: Report, command: str, commit: str) -> str:
    versions = sorted({str(cell.row["version"]) for cell in report.cells})
    settings = report.settings
    shared = shlex.join([*settings.common(), *settings.loading()])
    return (f"dm-ssdcache {', '.join(versions)}{f', commit {commit}' if commit else ''}. All runs with {shared}. "
            f"The command of each run is in the last table. Made by: {command}")


def _check_traces(names: "Sequence[str]") -> None:
    """Each search reads them. Raises OptionsWrong."""
    for name in names:
        # What cannot be read at all, the simulator says.
        mode = os.stat(name).st_mode if os.path.exists(name) else 0
        if name == "-" or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            raise verdict.OptionsWrong(f"{name}: a report reads its traces several times: write this one to a file first")


def _check_files(arguments: argparse.Namespace) -> None:
    """Before anything runs. Raises InputLost, OptionsWrong or OSError."""
    _check_traces(arguments.traces)
    read = [*arguments.traces, *arguments.plugin]
    kept = sorted(pathlib.Path(arguments.keep).glob("*/cells.*")) if arguments.keep else []
    files.refuse_inputs("--output", [arguments.output], [*read, *kept])
    files.refuse_inputs("--keep", kept, read)
    files.check(arguments.output)
    if arguments.keep:
        files.check_directory(arguments.keep)


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command. Returns its exit code: 0 done, 1 no page, 2 wrong command line or bad trace, 3 a page without the runs that have failed,
    130 interrupted by SIGINT (Ctrl-C), SIGTERM or SIGHUP."""
    words = sys.argv[1:] if words is None else words
    arguments = parser().parse_args(words)
    with warnings_as_lines("ssdcache-report"):
        try:
            # What an exception ends here, a signal would leave behind: searches and scratch directories.
            with ended_in_order():
                return _run(words, arguments)
        except KeyboardInterrupt:
            again = "; the same command goes on" if arguments.keep else ""
            print(f"ssdcache-report: interrupted{again}", file=sys.stderr)
            return 130


def _run(words: "Sequence[str]", arguments: argparse.Namespace) -> int:
    try:
        # What is missing shows before the searches.
        for name in ("numpy", "pandas"):
            importlib.import_module(name)
        from .report_page import page_of

        plotly_script()
        _check_files(arguments)
        settings = settings_of(arguments)
        _check_options(settings)
        report = gather(settings)
        page = page_of(report, arguments.title or f"ssdcache: {', '.join(os.path.basename(name) for name in arguments.traces)}")
        page.write(arguments.output, footer(report, shlex.join(["ssdcache-report", *words]), arguments.commit))
    except ModuleNotFoundError as error:
        print(f"ssdcache-report: {error}: pip install {error.name}", file=sys.stderr)
        return 1
    except (ImportError, MemoryError, OSError, SimulatorError, ValueError, verdict.OptionsWrong, verdict.SearchFailed) as error:
        print(f"ssdcache-report: {reason(error)}", file=sys.stderr)
        return error.code if isinstance(error, verdict.SearchFailed) else 2 if isinstance(error, (SimulatorError, files.InputLost, verdict.OptionsWrong)) else 1
    for found in report.verdicts:
        print(verdict.sentence(found))
        for answer in found.answers:
            print(f"    {found.command(answer)}")
    print(f"The page: {utf8(arguments.output)}")
    if report.failed:
        say(f"runs have failed, and the answers rest on the others: {report.failed[-1][0]}: {report.failed[-1][1]}")
        return SOME_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
