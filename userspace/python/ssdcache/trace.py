# SPDX-License-Identifier: GPL-2.0
"""Traces of block requests."""
from __future__ import annotations

import mmap
import os
import struct
from typing import Any, Mapping

import numpy as np
import pandas as pd

from . import _library
from ._words import Value, words_of

#: A request as the simulator keeps it (struct sim_record).
RECORD = np.dtype(
    {
        "names": ["time_ns", "sector", "nr_sectors", "disk", "op", "fua"],
        "formats": ["<u8", "<u8", "<u4", "<u2", "u1", "?"],
        "offsets": [0, 8, 16, 20, 22, 23],
        "itemsize": 24,
    }
)

#: Kinds of requests, in the order of the simulator's numbers.
OPS = ("read", "write", "flush", "discard")


class Trace:
    """Requests of one or more trace files, merged by time, or of a frame.

    >>> trace = Trace("demo-ext4.csv.zst")
    >>> trace.requests.groupby("op").nr_sectors.describe()

    All runs and sweeps share the requests in memory.
    """

    def __init__(self, *names: "str | os.PathLike[str]", **options: Value) -> None:
        """Read files. ``options`` are those of ssdcache-sim that change how traces are read, such as ``limit=1000`` or
        ``time_scale=0.5``."""
        self.names = [os.fspath(name) for name in names]
        if not names:
            raise TypeError("Trace() needs the name of a file")
        fd = _library.call(_library.LOAD, [*words_of(options), "--", *self.names])
        try:
            self._map(fd)
        finally:
            os.close(fd)

    def _map(self, fd: int) -> None:
        nr, self.sectors = struct.unpack("=QQ", os.pread(fd, 16, 0))
        memory = mmap.mmap(fd, 16 + RECORD.itemsize * nr, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        self.records: np.ndarray[Any, Any] = np.frombuffer(memory, RECORD, nr, 16)
        self.records.flags.writeable = False

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, name: str = "frame") -> "Trace":
        """Make a trace of a frame as ``requests`` returns it: ``time_ns``, ``op``, ``sector``, ``nr_sectors``, and, if they
        are there, ``fua`` and ``disk``. Requests are sorted by time; times count from the first one."""
        trace = cls.__new__(cls)
        trace.names = [name]
        frame = frame.sort_values("time_ns", kind="stable")
        records = np.zeros(len(frame), RECORD)
        op = frame["op"].astype(str)
        unknown = set(op) - set(OPS)
        if unknown:
            raise ValueError(f"op: {sorted(unknown)[0]!r} is not one of {', '.join(OPS)}")
        for column in ("time_ns", "sector", "nr_sectors"):
            if len(frame) and (frame[column].min() < 0 or frame[column].max() >= 2**54):
                raise ValueError(f"{column}: values must be from 0 to 2^54 - 1")
        if (frame["nr_sectors"] >= 2**32).any():
            raise ValueError("nr_sectors: values must be from 0 to 2^32 - 1")
        if ((frame["nr_sectors"] == 0) & (op != "flush")).any():
            raise ValueError("nr_sectors: only a flush may have no sectors")
        records["op"] = op.map({name: number for number, name in enumerate(OPS)})
        records["time_ns"] = frame["time_ns"] - (frame["time_ns"].iloc[0] if len(frame) else 0)
        for column in ("sector", "nr_sectors", "fua", "disk"):
            if column in frame:
                records[column] = frame[column]
        end = int((records["sector"] + records["nr_sectors"]).max()) if len(frame) else 0
        trace.sectors = max(-(-end // 2048) * 2048, 2048)
        trace.records = records
        trace.records.flags.writeable = False
        return trace

    @property
    def requests(self) -> pd.DataFrame:
        """The requests as a frame."""
        frame = pd.DataFrame({name: self.records[name] for name in ("time_ns", "op", "sector", "nr_sectors", "fua", "disk")})
        frame["op"] = pd.Series(np.array(OPS)[self.records["op"]], dtype=pd.CategoricalDtype(list(OPS)))
        return frame

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"<Trace {', '.join(self.names)}: {len(self)} requests>"

    def _call(self, job: int, options: Mapping[str, Value]) -> bytes:
        return _library.output(
            job, [*words_of(options), "--", *self.names], self.records, len(self), self.sectors
        )
