# SPDX-License-Identifier: GPL-2.0
"""Rows of sweeps: what is read from cells.csv and cells.jsonl, and what can be drawn of them."""
from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional

import pandas as pd

#: Numbers as they are in the file, which pandas before 3 reads so only on request.
EXACT: "dict[str, Any]" = {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}

UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def size_bytes(text: str) -> Optional[int]:
    """``"16m"`` -> 16777216; None: not a size."""
    match = re.fullmatch(r"(\d+)([kmgt]?)", text)
    return int(match[1]) << UNITS[match[2]] if match else None


def size_name(size: float) -> str:
    """16777216 -> ``"16 MiB"``"""
    names = ("B", "KiB", "MiB", "GiB", "TiB")
    unit = 0
    while size >= 1024 and unit < len(names) - 1:
        size /= 1024
        unit += 1
    return f"{size:.4g} {names[unit]}"


@dataclass(frozen=True)
class Metric:
    """A figure of a cell. ``value`` gets the row and returns None if the run had no such figure."""

    key: str
    title: str
    value: Callable[[Mapping[str, Any]], Optional[float]]
    ratio: bool = False


def _number(row: Mapping[str, Any], *columns: str) -> Optional[float]:
    for column in columns:
        value = row.get(column)
        if value is not None and not pd.isna(value):
            return float(value)
    return None


def _latency(op: str, figure: str) -> Callable[[Mapping[str, Any]], Optional[float]]:
    """In µs; without a cache, that of the flash device."""

    def value(row: Mapping[str, Any]) -> Optional[float]:
        for prefix in ("latency", "flash.latency"):
            if _number(row, f"{prefix}.{op}.count"):
                nanoseconds = _number(row, f"{prefix}.{op}.{figure}")
                return None if nanoseconds is None else nanoseconds / 1e3
        return None

    return value


def _mean(row: Mapping[str, Any]) -> Optional[float]:
    """Of reads and writes."""
    for prefix in ("latency", "flash.latency"):
        counts = [_number(row, f"{prefix}.{op}.count") or 0 for op in ("read", "write")]
        means = [_number(row, f"{prefix}.{op}.mean_ns") or 0 for op in ("read", "write")]
        if sum(counts):
            return sum(count * mean for count, mean in zip(counts, means)) / sum(counts) / 1e3
    return None


def _flash_writes(row: Mapping[str, Any]) -> Optional[float]:
    """In MiB, with those of GC and of the map."""
    pages = [_number(row, f"flash.stats.{name}") for name in ("host_programs", "gc_programs", "map_writes")]
    page_bytes = _number(row, "flash.params.page_bytes")
    if pages[0] is None or page_bytes is None:
        return None
    return sum(number or 0 for number in pages) * page_bytes / 2**20


METRICS = {
    metric.key: metric
    for metric in (
        Metric("hit", "hit ratio", lambda row: _number(row, "ratios.hit"), ratio=True),
        Metric("mean", "mean latency of reads and writes, µs", _mean),
        Metric("read-mean", "mean read latency, µs", _latency("read", "mean_ns")),
        Metric("write-mean", "mean write latency, µs", _latency("write", "mean_ns")),
        Metric("read-p99", "99th percentile of read latency, µs", _latency("read", "p99_ns")),
        Metric("write-p99", "99th percentile of write latency, µs", _latency("write", "p99_ns")),
        Metric("flash-writes", "written to flash, MiB", _flash_writes),
        Metric("flushed", "pages flushed per page written", lambda row: _number(row, "ratios.flushed_per_written")),
    )
}


@dataclass
class Cell:
    """A row. ``options``: the options it was run with, without dashes; "trace" names its requests."""

    options: "dict[str, str]"
    row: Mapping[str, Any]


def _options(text: str) -> "dict[str, str]":
    pairs = (word.removeprefix("--").partition("=") for word in shlex.split(text))
    return {name: value if equals else "yes" for name, equals, value in pairs}


def _trace(row: Mapping[str, Any]) -> str:
    """The names of the traces with the options that they were read with, or the hash of requests that come from no file."""
    command = row.get("command")
    words = shlex.split(command) if isinstance(command, str) else []
    if "--" not in words:
        return str(row.get("workload", ""))
    at = words.index("--")
    known = set(shlex.split(row["options"]))
    read = [word.lstrip("-").replace("=", " ") for word in words[1:at] if word not in known]
    names = ", ".join(os.path.basename(name) for name in words[at + 1:])
    return f"{names} ({', '.join(read)})" if read else names


def cells_of(frame: pd.DataFrame) -> "list[Cell]":
    """The rows of a frame that :func:`ssdcache.sweep` has returned, or of several, concatenated."""
    if "options" not in frame:
        raise ValueError("no column 'options': not rows of a sweep")
    records: Any = frame.to_dict("records")
    return [Cell({"trace": _trace(row), **_options(row["options"])}, row) for row in records]


def _flat(value: Mapping[str, Any], prefix: str = "") -> "Iterator[tuple[str, Any]]":
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{prefix}{key}.")
        elif not isinstance(inner, list):
            yield prefix + key, inner


def flat_row(row: Mapping[str, Any]) -> "dict[str, Any]":
    """A row of cells.jsonl as one of cells.csv: names joined by points, without arrays."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        flat.update(_flat(value) if isinstance(value, Mapping) else [(key, value)])
    return flat


def read(*names: "str | os.PathLike[str]") -> pd.DataFrame:
    """The rows of cells.csv or cells.jsonl, of several sweeps if several files are named.

    cells.jsonl keeps the rows of former builds of the simulator: of the rows of a cell, the last one counts.
    """
    frames = []
    for path in names:
        name = os.fspath(path)
        if not name.endswith(".jsonl"):
            frames.append(pd.read_csv(name, **EXACT))
            continue
        with open(name, encoding="utf-8") as lines:
            rows = [flat_row(json.loads(line)) for line in lines if line.endswith("\n")]
        frames.append(pd.DataFrame(rows))
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    if not len(frame):
        raise ValueError(f"{', '.join(map(str, names))}: no rows")
    if {"workload", "options"} <= set(frame):
        frame = frame.drop_duplicates(["workload", "options"], keep="last", ignore_index=True)
    return frame
