# SPDX-License-Identifier: GPL-2.0
"""Runs and sweeps."""
from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from typing import Any, Optional, Union

import pandas as pd

from . import _library, files
from ._words import FileName, Value, file_name, words_of
from .cells import RESULTS, exact
from .trace import Trace

TraceLike = Union[Trace, FileName]


#: Options that name files to write.
WRITTEN = ("series", "log_decisions")


def _trace(trace: TraceLike) -> Trace:
    """Of requests; a frame may have had none. Files are refused when they are read."""
    trace = trace if isinstance(trace, Trace) else Trace(file_name("trace", trace, "a Trace or the name of a file"))
    if not len(trace):
        raise _library.SimulatorError(f"{', '.join(trace.names)}: no requests")
    return trace


class Result:
    """What a run found. ``report`` is the report of ``ssdcache-sim --json``."""

    def __init__(self, report: "dict[str, Any]") -> None:
        self.report = report

    def _of_cache(self, name: str) -> Any:
        if name not in self.report:
            raise AttributeError(f"{name}: the run had no cache; latency and flash have the figures of the device")
        return self.report[name]

    @property
    def ratios(self) -> "pd.Series[float]":
        """Ratios, such as ``hit``."""
        return pd.Series(self._of_cache("ratios"), dtype=float)

    @property
    def stats(self) -> "pd.Series[Any]":
        """Statistics of the cache."""
        return pd.Series(self._of_cache("stats"), dtype=object)

    @property
    def flash(self) -> "pd.Series[Any]":
        """Statistics of the flash device. Shares and means, such as ``write_amplification``, are in thousandths;
        ``report["flash"]["ratios"]`` has them as numbers."""
        if "flash" not in self.report:
            raise AttributeError("the run had no flash device: simulate(..., flash=...)")
        return pd.Series(self.report["flash"]["stats"], dtype=object)

    @property
    def latency(self) -> pd.DataFrame:
        """Latencies of the host's requests in nanoseconds, a row for each kind of request."""
        rows = self.report["latency"] if "latency" in self.report else self.report["flash"]["latency"]
        return pd.DataFrame({name: row for name, row in rows.items() if isinstance(row, dict)}).T

    def __repr__(self) -> str:
        if "ratios" not in self.report:
            return "<Result without a cache>"
        return f"<Result: {self.report['config']['replacement']}, hit ratio {self.ratios['hit']:.4f}>"


def simulate(trace: TraceLike, **options: Value) -> Result:
    """Run a trace.

    ``options`` are those of ``ssdcache-sim``: ``simulate(trace, dram="16m", replacement="cflru:window=30", fold=True)``. A policy
    may also be given as ``ssdcache.replacement.cflru(window=30)``. Options that only print are refused; ``series`` and
    ``log_decisions`` write the files that they name.
    """
    trace = _trace(trace)
    files.refuse_inputs("simulate()", [file_name(name, options[name]) for name in WRITTEN if options.get(name)], trace.names)
    return Result(json.loads(trace._call(_library.RUN, options)))


class CellFailed(UserWarning):
    """A combination of a sweep that could not run. ``options`` say which, ``reason`` why."""

    def __init__(self, options: str, reason: str) -> None:
        # A copy in another process is made of these.
        super().__init__(options, reason)
        self.options, self.reason = options, reason

    def __str__(self) -> str:
        return f"a cell failed: {self.options}: {self.reason}"


def _warn(lines: bytes) -> str:
    """Warn of what the cells of a sweep have said. Returns the last reason of a failure."""
    said, failed = _library.messages(lines)
    for text in said:
        warnings.warn(text, stacklevel=3)
    for options, reason in failed:
        warnings.warn(CellFailed(options, reason), stacklevel=3)
    return failed[-1][1] if failed else ""


def sweep(
    trace: TraceLike, *, output: Optional[FileName] = None, progress: "bool | None" = None, **options: Value
) -> pd.DataFrame:
    """Run a trace with each combination of the values given as lists or other iterables, on all CPUs.

    ``sweep(trace, replacement=["lru", "cflru"], dram="1m..128m")`` returns a frame with a row for each combination. With
    ``output``, the rows are kept in that directory, and the same call goes on after an interruption. ``progress``: show a bar on
    standard error; default: if that is a terminal. A combination that cannot run is a warning,
    :class:`CellFailed`, and has no row.
    """
    trace = _trace(trace)
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if output is not None:
        output = file_name("output", output, "the name of a directory")
        files.refuse_inputs("output", [os.path.join(output, name) for name in RESULTS], trace.names)
    with tempfile.TemporaryDirectory(prefix="ssdcache-") as scratch:
        directory = output if output is not None else scratch
        words = [f"--output={directory}", *words_of(options, swept=True), "--", *trace.names]
        out = os.memfd_create("ssdcache-out")
        err = os.dup(2) if progress else os.memfd_create("ssdcache-err")
        try:
            code = _library.start(
                _library.SWEEP, words, trace.records, len(trace), trace.sectors, out, err,
                loaded=trace.loaded, own_err=not progress,
            )
            reason = _warn(_library.contents(out))
        finally:
            os.close(err)
            os.close(out)
        table = os.path.join(directory, "cells.csv")
        with open(table, "rb") as file:
            empty = not file.readline().strip()
        if empty:
            raise _library.SimulatorError(f"all cells failed; the last one: {reason}")
        frame: pd.DataFrame = pd.read_csv(table, **exact())
        return frame
