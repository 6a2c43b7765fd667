# SPDX-License-Identifier: GPL-2.0
"""Rows of sweeps: what is read from cells.csv and cells.jsonl, and what can be drawn of them."""
from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence

if TYPE_CHECKING:
    import pandas as pd

#: Options that are sizes.
SIZES = ("dram", "page")
#: The files of a sweep's directory.
RESULTS = ("cells.csv", "cells.jsonl")
UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
#: What a row can differ in without a cache; all other options are the cache's. They are those that --no-cache accepts.
WITHOUT_CACHE = ("trace", "flash", "origin-sectors", "fold", "closed", "depth")
#: The value of the cache's options in a row of --no-cache.
NO_CACHE = "no cache"


#: Columns of texts that may look like numbers: one hash in 800 has no letter at all, or only an e.
TEXTS = ("version", "code", "workload")


def exact() -> "dict[str, Any]":
    """For read_csv(): hashes as texts, and numbers as they are in the file, which pandas before 3 reads so only on request."""
    import pandas as pd

    precision = {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}
    return {"dtype": dict.fromkeys(TEXTS, str), **precision}


def size_bytes(text: str) -> Optional[int]:
    """``"16m"`` -> 16777216; None: not a size."""
    match = re.fullmatch(r"(\d+)([kmgt]?)", text)
    return int(match[1]) << UNITS[match[2]] if match else None


def size_word(size: int) -> str:
    """16777216 -> ``"16m"``, as options of rows have it."""
    for unit, bits in reversed(UNITS.items()):
        if size and size % (1 << bits) == 0:
            return f"{size >> bits}{unit}"
    return str(size)


def size_name(size: float) -> str:
    """16777216 -> ``"16 MiB"``"""
    names = ("B", "KiB", "MiB", "GiB", "TiB")
    unit = 0
    while size >= 1024 and unit < len(names) - 1:
        size /= 1024
        unit += 1
    return f"{size:.4g} {names[unit]}"


def figure_text(value: float) -> str:
    """A number to read: 12345.6 -> ``"12,346"``, 12.345 -> ``"12.3"``, 0.012345 -> ``"0.0123"``; never with an exponent. Halves of the decimal
    number are rounded up, so that a mean in whole nanoseconds, which are cut off, and the exact one are the same text from 1 µs on."""
    if not value or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) >= 1e15:
        return f"{value:,.0f}"
    digits = min(max(2 - math.floor(math.log10(abs(value))), 0), 12)
    return f"{Decimal(str(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"


def time_text(microseconds: float) -> str:
    """12345.6 -> ``"12.3 ms"``"""
    for unit, worth in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= worth:
            return f"{figure_text(microseconds / worth)} {unit}"
    return f"{figure_text(microseconds)} µs"


def round_time_text(microseconds: float) -> str:
    """As :func:`time_text`, without the digits that a power of ten does not need: 10000 -> ``"10 ms"``"""
    return re.sub(r"\.0+ ", " ", time_text(microseconds))


@dataclass(frozen=True)
class Metric:
    """A figure of a cell. ``value`` gets the row of a sweep and returns None if the run had no such figure. A ratio has the unit ``"%"``."""

    key: str
    name: str
    unit: str
    value: Callable[[Mapping[str, Any]], Optional[float]] = lambda row: None

    @property
    def ratio(self) -> bool:
        return self.unit == "%"

    @property
    def title(self) -> str:
        return f"{self.name}, {self.unit}" if self.unit and not self.ratio else self.name

    def text(self, value: Optional[float]) -> str:
        """For a table whose head has the title."""
        if value is None:
            return ""
        return f"{100 * value:.2f} %" if self.ratio else figure_text(value)

    @property
    def hover(self) -> str:
        """The value, for Plotly."""
        unit = f" {self.unit}" if self.unit and not self.ratio else ""
        return ("%{y:.2%}" if self.ratio else "%{y:,.4~r}") + unit


def _number(row: Mapping[str, Any], *columns: str) -> Optional[float]:
    for column in columns:
        value = row.get(column)
        if isinstance(value, (int, float)):
            if not math.isnan(value):
                return float(value)
        elif value is not None and not _missing(value):
            return float(value)
    return None


def _missing(value: Any) -> bool:
    """Of a frame: the types that only pandas knows, too."""
    import pandas as pd

    return bool(pd.isna(value))


def _host_latency(row: Mapping[str, Any]) -> str:
    """Start of the columns with the latency of the host's requests, which go to the flash device only without a cache."""
    return "flash.latency" if _number(row, "latency.read.count") is None else "latency"


def _latency(op: str, figure: str) -> Callable[[Mapping[str, Any]], Optional[float]]:
    """In µs; none if the host made no such requests."""

    def value(row: Mapping[str, Any]) -> Optional[float]:
        prefix = _host_latency(row)
        nanoseconds = _number(row, f"{prefix}.{op}.{figure}") if _number(row, f"{prefix}.{op}.count") else None
        return None if nanoseconds is None else nanoseconds / 1e3

    return value


def _mean(row: Mapping[str, Any]) -> Optional[float]:
    """Of reads and writes."""
    prefix = _host_latency(row)
    counts = [_number(row, f"{prefix}.{op}.count") or 0 for op in ("read", "write")]
    means = [_number(row, f"{prefix}.{op}.mean_ns") or 0 for op in ("read", "write")]
    if not sum(counts):
        return None
    return sum(count * mean for count, mean in zip(counts, means)) / sum(counts) / 1e3


def _flash_writes(row: Mapping[str, Any]) -> Optional[float]:
    """In MiB, with those of GC and of the map."""
    pages = [_number(row, f"flash.stats.{name}") for name in ("host_programs", "gc_programs", "map_writes")]
    page_bytes = _number(row, "flash.params.page_bytes")
    if pages[0] is None or page_bytes is None:
        return None
    return sum(number or 0 for number in pages) * page_bytes / 2**20


def _amplification(row: Mapping[str, Any]) -> Optional[float]:
    """Pages programmed per page that the host wrote; 1 if it wrote none."""
    written = _number(row, "flash.stats.host_programs")
    if written is None:
        return None
    moved = sum(_number(row, f"flash.stats.{name}") or 0 for name in ("gc_programs", "map_writes"))
    return (written + moved) / written if written else 1.0


METRICS = {
    metric.key: metric
    for metric in (
        Metric("hit", "hit ratio", "%", lambda row: _number(row, "ratios.hit")),
        Metric("mean", "mean latency of reads and writes", "µs", _mean),
        Metric("read-mean", "mean read latency", "µs", _latency("read", "mean_ns")),
        Metric("write-mean", "mean write latency", "µs", _latency("write", "mean_ns")),
        Metric("read-p99", "99th percentile of read latency", "µs", _latency("read", "p99_ns")),
        Metric("write-p99", "99th percentile of write latency", "µs", _latency("write", "p99_ns")),
        Metric("flash-writes", "written to flash", "MiB", _flash_writes),
        Metric("amplification", "write amplification", "", _amplification),
        Metric("erases", "flash blocks erased", "", lambda row: _number(row, "flash.stats.erases")),
        Metric("flushed", "pages flushed per page written", "", lambda row: _number(row, "ratios.flushed_per_written")),
    )
}


@dataclass
class Cell:
    """A row. ``options``: the options it was run with, without dashes; "trace" names its requests."""

    options: "dict[str, str]"
    row: Mapping[str, Any]


def _options(text: str) -> "dict[str, str]":
    try:
        words = shlex.split(text)
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"not rows of a sweep: '{text}' in the column 'options'") from None
    pairs = (word.removeprefix("--").partition("=") for word in words)
    return {name: value if equals else "yes" for name, equals, value in pairs}


@dataclass(frozen=True)
class _Source:
    """Where requests come from: files, the options that they were read with, and the hash of the requests."""

    names: "tuple[str, ...]"
    load: "tuple[str, ...]"
    workload: str


def source_of(command: Any, options: str) -> "tuple[tuple[str, ...], tuple[str, ...]]":
    """The files that a row's command reads, and the options that it reads them with; none if the requests come from no files."""
    words = shlex.split(command) if isinstance(command, str) else []
    if "--" not in words:
        return (), ()
    at = words.index("--")
    known = set(shlex.split(options))
    return tuple(words[at + 1:]), tuple(word for word in words[1:at] if word not in known)


def _short_names(names: Iterable[str]) -> "dict[str, str]":
    """Of each path, as many of its last parts as tell it from the others."""
    parts = {name: os.path.normpath(name).split(os.sep) for name in names}
    ends = Counter("/".join(path[-length:]) for path in parts.values() for length in range(1, len(path) + 1))
    return {name: next((end for length in range(1, len(path) + 1) if ends[(end := "/".join(path[-length:]))] == 1), name)
            for name, path in parts.items()}


def _trace_names(sources: "Iterable[_Source]") -> "dict[_Source, str]":
    """A name for each source: its files, the options that they were read with, and the hash if the files have changed."""
    sources = list(dict.fromkeys(sources))
    short = _short_names(dict.fromkeys(name for source in sources for name in source.names))

    def name_of(source: _Source) -> str:
        load = [word.lstrip("-").replace("=", " ") for word in source.load]
        names = ", ".join(short[name] for name in source.names) or source.workload
        return f"{names} ({', '.join(load)})" if load else names

    names = {source: name_of(source) for source in sources}
    counts = Counter(names.values())
    return {source: name if counts[name] == 1 else f"{name} [{source.workload}]" for source, name in names.items()}


def cells_of(frame: pd.DataFrame) -> "list[Cell]":
    """The rows of a frame that :func:`ssdcache.sweep` has returned, or of several, concatenated.

    Requests are named by their files. Of rows of the same requests and options, the last one counts.
    """
    if "options" not in frame:
        raise ValueError("not rows of a sweep: no column 'options'")
    if "workload" in frame:
        frame = frame.drop_duplicates(["workload", "options"], keep="last")
    records: Any = frame.to_dict("records")
    sources = [_Source(*source_of(row.get("command"), row["options"]), str(row.get("workload", ""))) for row in records]
    first: "dict[str, _Source]" = {}
    # The same requests have one name, whatever files they came from.
    sources = [first.setdefault(source.workload, source) if source.workload else source for source in sources]
    names = _trace_names(sources)
    return [Cell({"trace": names[source], **_options(row["options"])}, row) for source, row in zip(sources, records)]


def varying(cells: "Sequence[Cell]") -> "list[str]":
    """The options of which the cells have different values."""
    names = dict.fromkeys(name for cell in cells for name in cell.options)
    return [name for name in names if len({value_of(cell, name) for cell in cells}) > 1]


def has_cache(cell: Cell) -> bool:
    """Whether the row is of a run with a cache."""
    return "no-cache" not in cell.options


def _first(row: Mapping[str, Any], *columns: str) -> Any:
    """The first value that is there; None: there is none. A table has cells without values where other rows have some."""
    return next((row[column] for column in columns if column in row and not _missing(row[column])), None)


def value_of(cell: Cell, name: str) -> str:
    """The value of an option, whether given or not."""
    value = cell.options.get(name)
    if value is None and not has_cache(cell) and name not in WITHOUT_CACHE:
        return NO_CACHE
    if value is None and name in SIZES:
        size = _first(cell.row, f"config.{name}_bytes")
        value = None if size is None else size_word(int(size))
    elif value is None:
        value = _first(cell.row, f"config.{name}", f"params.{name}")
    return "default" if value is None else str(value)


def shown_value(cell: Cell, name: str) -> str:
    """The value of an option, to read: sizes with their units."""
    value = value_of(cell, name)
    size = size_bytes(value) if name in SIZES else None
    return value if size is None else size_name(size)


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


def _lines(name: str) -> "Iterator[dict[str, Any]]":
    """Of cells.jsonl. A last line that is cut is left out."""
    with open(name, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith("\n"):
                return
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError(f"line {number} is no object")
            yield flat_row(row)


def _frame_of(name: str) -> pd.DataFrame:
    """The rows of a file. Raises OSError, or ValueError with the name."""
    import pandas as pd

    try:
        return pd.DataFrame(_lines(name)) if name.endswith(".jsonl") else pd.read_csv(name, **exact())
    except (MemoryError, FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    # pandas takes the ends of names for compressions, and each of these has errors of its own.
    except Exception as error:  # pylint: disable=broad-exception-caught
        raise ValueError(f"{name}: not rows of a sweep: {error}") from None


def read(*names: "str | os.PathLike[str]") -> pd.DataFrame:
    """The rows of cells.csv or cells.jsonl, of several sweeps if several files are named.

    cells.jsonl keeps the rows of former builds of the simulator: of the rows of a cell, the last one counts.
    """
    import pandas as pd

    frames = [_frame_of(os.fspath(name)) for name in names]
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    if not len(frame):
        raise ValueError(f"{', '.join(map(str, names))}: no rows")
    if {"workload", "options"} <= set(frame):
        frame = frame.drop_duplicates(["workload", "options"], keep="last", ignore_index=True)
    return frame
