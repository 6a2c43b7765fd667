# SPDX-License-Identifier: GPL-2.0
"""The results of a sweep in its directory, as ``ssdcache-sim sweep`` writes them: cells.jsonl, with a line for each cell as soon as the
cell is done, and the table cells.csv. One process at a time writes there."""
from __future__ import annotations

import contextlib
import csv
import fcntl
import json
import os
import stat
import time
from typing import Any, BinaryIO, Iterable, Iterator, Mapping, Sequence

from . import files
from ._library import SimulatorError
from .cells import RESULTS, flat_row, source_of

#: How often to try to lock the results, and the seconds between two attempts.
LOCK_TRIES, LOCK_S = 250, 0.02


def check(directory: files.Name) -> None:
    """Before traces are read. Raises OSError, or SimulatorError for what is no file: a device has no end, so reading the rows of former runs
    would have none; nor can it keep rows. The table is read by the programs that make pages, and opening a FIFO would wait for them."""
    files.check_directory(directory)
    for name in RESULTS:
        path = os.path.join(directory, name)
        with files.naming(path), contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise SimulatorError(f"{path}: not a regular file")
    # The table is replaced, and a link may lead to another folder.
    table = os.path.join(directory, "cells.csv")
    if os.path.islink(table):
        files.check(table)


class Journal:
    """Rows of one build of the simulator. Others stay in the file."""

    def __init__(self, directory: str, code: str) -> None:
        check(directory)
        os.makedirs(directory, exist_ok=True)
        self.directory = directory
        self.code = code
        #: Where the row of a cell is, by workload and options.
        self.rows: dict[tuple[str, str], int] = {}
        self._foreign = self._end = 0
        self._sources: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
        self.path = os.path.join(directory, "cells.jsonl")
        # Without a buffer: what a full disk leaves in one would be written later.
        self._file = open(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), "r+b", buffering=0)
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _lock(self) -> None:
        """If a sweep is killed just after it has started a cell, the cell keeps the lock until the cell runs, notices that, and ends."""
        for left in range(LOCK_TRIES, -1, -1):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if left:
                    time.sleep(LOCK_S)
        raise SimulatorError(f"{self.path}: another sweep is writing to this directory")

    def _read(self) -> None:
        """A last line that was cut is removed."""
        end = 0
        seen: "set[tuple[str, ...]]" = set()
        with self._reader() as reader:
            for number, line in enumerate(reader, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise ValueError("no object")
                    self._take(row, end, seen)
                except ValueError as error:
                    raise SimulatorError(f"{self.path}:{number}: not a row of a sweep: {error}") from None
                end += len(line)
        self._file.truncate(end)
        self._end = end

    def _reader(self) -> BinaryIO:
        """From the start of the file."""
        self._file.seek(0)
        return open(os.dup(self._file.fileno()), "rb")

    def _take(self, row: Mapping[str, Any], at: int, seen: "set[tuple[str, ...]]") -> None:
        if row.get("code") != self.code:
            self._foreign += 1
            return
        workload, options, command = str(row.get("workload")), str(row.get("options")), str(row.get("command"))
        self.rows[workload, options] = at
        # Most rows differ only in their options, and are not parsed.
        known = set(options.split(" "))
        rest = (workload, *(word for word in command.split(" ") if word not in known))
        if rest not in seen:
            seen.add(rest)
            names, load = source_of(command, options)
            self._sources[names, tuple(sorted(load))] = workload

    def others(self, cells: "Iterable[tuple[str, str]]") -> int:
        """How many rows are not of these cells, each named once by workload and options."""
        return self._foreign + len(self.rows) - sum(cell in self.rows for cell in cells)

    def workload_of(self, names: Sequence[str], load: Sequence[str]) -> str:
        """The workload that these files had in the last row of them; empty: there is none. ``load``: options that they are read with."""
        return self._sources.get((tuple(names), tuple(sorted(load))), "")

    def add(self, line: bytes) -> "tuple[str, str]":
        """Add a row that a cell has written, without the end of the line. Of a cell that has a row, nothing is added."""
        row = json.loads(line)
        if row["code"] != self.code:
            raise SimulatorError(f"a worker has another build of the simulator: {row['code']}, not {self.code}")
        key = (str(row["workload"]), str(row["options"]))
        if key not in self.rows:
            with files.naming(self.path):
                self._append(line + b"\n")
            self.rows[key] = self._end
            self._end += len(line) + 1
        return key

    def _append(self, line: bytes) -> None:
        """Write the whole of a line, or nothing of it."""
        self._file.seek(self._end)
        left = memoryview(line)
        try:
            while left:
                left = left[self._file.write(left):]
        except BaseException:
            self._file.truncate(self._end)
            raise

    def _flat_rows(self, axes: Sequence[str], cells: "Sequence[tuple[tuple[str, str], Sequence[str]]]") -> "Iterator[dict[str, Any]]":
        with self._reader() as reader:
            for key, values in cells:
                if key not in self.rows:
                    continue
                reader.seek(self.rows[key])
                yield {**dict(zip(axes, values)), **flat_row(json.loads(reader.readline()))}

    def write_table(self, axes: Sequence[str], cells: "Sequence[tuple[tuple[str, str], Sequence[str]]]") -> None:
        """Write cells.csv. ``cells``: the key of each cell, and the values of its axes. The rows are read twice, not kept."""
        columns: dict[str, None] = {}
        for row in self._flat_rows(axes, cells):
            columns.update(dict.fromkeys(row))
        with files.written(os.path.join(self.directory, "cells.csv"), newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(columns)
            for row in self._flat_rows(axes, cells):
                table.writerow([_text(row.get(name)) for name in columns])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{value:.17g}" if isinstance(value, float) else str(value)
