# SPDX-License-Identifier: GPL-2.0
"""Traces of block requests."""
from __future__ import annotations

import os
import shlex
import struct
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, TypeVar

import numpy as np

from . import _library, files
from ._words import FileName, Value, file_name, plural, words_of, wrong

if TYPE_CHECKING:
    import pandas as pd

AnyTrace = TypeVar("AnyTrace", bound="Trace")

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

#: Ends of the names of compressed files.
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")

MAX_SECTORS = 2**54

#: The columns of numbers, and the numbers that are too large.
LIMITS = {"time_ns": 2**63, "sector": MAX_SECTORS, "nr_sectors": 2**32, "disk": 2**16, "fua": 2}


def _integers(frame: pd.DataFrame, column: str, limit: int) -> "np.ndarray[Any, Any]":
    import pandas as pd

    if column not in frame:
        raise ValueError(f"no column {column!r}")
    values = frame[column]
    if isinstance(values, pd.DataFrame):
        raise ValueError(f"{column!r} names {values.shape[1]} columns")
    if values.isna().any():
        raise ValueError(f"{column}: a value is missing")
    if values.dtype == object:
        values = values.infer_objects()
    # Booleans of pyarrow are no numbers for pandas, others are.
    if not (column == "fua" if pd.api.types.is_bool_dtype(values) else pd.api.types.is_numeric_dtype(values)):
        raise ValueError(f"{column}: values must be integers")
    if len(values) and (values.min() < 0 or values.max() >= limit):
        raise ValueError(f"{column}: values must be from 0 to {limit - 1}")
    numbers = values.to_numpy(dtype=np.uint64)
    if (numbers != values.to_numpy()).any():
        raise ValueError(f"{column}: values must be integers")
    return numbers


class Trace:
    """Requests of one or more trace files, merged by time, or of a frame.

    >>> trace = Trace("demo-ext4.csv.zst")
    >>> trace.requests.groupby("op").nr_sectors.describe()

    All runs and sweeps share the requests in memory.
    """

    def __init__(self, *names: FileName, **options: Value) -> None:
        """Read files. ``options`` are those of ssdcache-sim that change how traces are read, such as ``limit=1000`` or
        ``time_scale=0.5``."""
        self.names = [file_name("Trace()", name, "names of files") for name in names]
        if not names:
            raise TypeError("Trace() needs the name of a file")
        self._load(words_of(options))

    @classmethod
    def from_words(cls: "type[AnyTrace]", words: Sequence[str], names: Sequence[str], said: "Optional[list[str]]" = None) -> "AnyTrace":
        """Read files. ``words``: options as on a command line. ``said``: gets the simulator's warnings, which otherwise are warnings in
        Python."""
        trace = cls.__new__(cls)
        trace.names = list(names)
        trace._load(words, said)
        return trace

    def _load(self, words: Sequence[str], said: "Optional[list[str]]" = None) -> None:
        #: The options of a command line that reads the same requests; None: they come from no files.
        self.loaded: Optional[str] = shlex.join(words)
        fd = _library.call(_library.LOAD, [*words, "--", *self.names], said=said)
        try:
            self._read(fd)
        finally:
            os.close(fd)

    def _read(self, fd: int) -> None:
        nr, self.sectors, workload = struct.unpack("=QQQ", os.pread(fd, 24, 0))
        #: The hash of the requests, as rows of sweeps have it; None: not known.
        self.workload: Optional[str] = f"{workload:016x}"
        self.records: np.ndarray[Any, Any] = np.empty(nr, RECORD)
        left = self.records.view(np.uint8).data if nr else memoryview(b"")
        at = 24
        while left:
            part = os.preadv(fd, [left[: 1 << 30]], at)
            if not part:
                raise _library.SimulatorError("the simulator has written less than it promised")
            left = left[part:]
            at += part
        self.records.flags.writeable = False

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, name: str = "frame") -> "Trace":
        """Make a trace of a frame as ``requests`` returns it: ``time_ns``, ``op``, ``sector``, ``nr_sectors``, and, if they
        are there, ``fua`` and ``disk``. Requests are sorted by time; times count from the first one. A flush has no address: its ``sector``
        and ``nr_sectors`` do not count."""
        import pandas as pd

        if not isinstance(frame, pd.DataFrame):
            raise wrong("frame", frame, "a DataFrame of pandas such as Trace.requests")
        if not isinstance(name, str):
            raise wrong("name", name, "a str")
        trace = cls.__new__(cls)
        trace.names = [name]
        trace.loaded = None
        trace.workload = None
        records = np.zeros(len(frame), RECORD)
        for column, limit in LIMITS.items():
            if column in frame or column not in ("fua", "disk"):
                records[column] = _integers(frame, column, limit)
        if "op" not in frame:
            raise ValueError("no column 'op'")
        if isinstance(frame["op"], pd.DataFrame):
            raise ValueError(f"'op' names {frame['op'].shape[1]} columns")
        op = frame["op"].astype(str)
        unknown = set(op) - set(OPS)
        if unknown:
            raise ValueError(f"op: {sorted(unknown)[0]!r} is not one of {', '.join(OPS)}")
        records["op"] = op.map({name: number for number, name in enumerate(OPS)})
        flush, write = ((op == name).to_numpy() for name in ("flush", "write"))
        if ((records["nr_sectors"] == 0) & ~flush).any():
            raise ValueError("nr_sectors: only a flush may have no sectors")
        if (records["fua"] & ~write).any():
            raise ValueError("fua: only a write may have FUA")
        # As in a capture.
        records["sector"][flush] = records["nr_sectors"][flush] = 0
        end = int((records["sector"] + records["nr_sectors"]).max()) if len(frame) else 0
        if end > MAX_SECTORS:
            raise ValueError(f"a request ends at sector {end}, after 2^54")
        records = records[np.argsort(records["time_ns"], kind="stable")]
        records["time_ns"] -= records["time_ns"].min(initial=2**64 - 1) if len(frame) else 0
        trace.sectors = max(-(-end // 2048) * 2048, 2048)
        trace.records = records
        trace.records.flags.writeable = False
        return trace

    @property
    def requests(self) -> pd.DataFrame:
        """The requests as a frame."""
        import pandas as pd

        frame = pd.DataFrame({name: self.records[name] for name in ("time_ns", "op", "sector", "nr_sectors", "fua", "disk")})
        frame["op"] = pd.Series(np.array(OPS)[self.records["op"]], dtype=pd.CategoricalDtype(list(OPS)))
        return frame

    def save(self, name: FileName) -> None:
        """Write the requests as a capture, for ``ssdcache-trace replay``, ``ssdcachectl report`` and others. The capture is plain text;
        ``ssdcache-trace convert`` compresses it. Disks stay one after the other, and their numbers are lost."""
        name = file_name("save()", name, "the name of a file")
        if name.endswith(COMPRESSED):
            raise ValueError(f"{name}: save() writes plain text: ssdcache-trace convert -o {shlex.quote(name)} compresses it")
        if self.loaded is not None:
            files.refuse_inputs("save()", [name], self.names)
        frame = self.requests
        flush = (frame["op"] == "flush").to_numpy()
        frame["op"] = frame["op"].cat.rename_categories(dict(zip(OPS, "RWFD")))
        frame.loc[flush, ["sector", "nr_sectors"]] = 0
        frame["fua"] = np.where(frame["fua"], "F", "")
        with files.written(name, newline="") as file:
            file.write("# ssdcache-trace 1\n")
            frame.drop(columns="disk").to_csv(file, header=False, index=False, lineterminator="\n")

    def __len__(self) -> int:
        return len(self.records)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.records.nbytes

    def __repr__(self) -> str:
        return f"<Trace {', '.join(self.names)}: {len(self)} request{plural(len(self))}>"

    def _call(self, job: int, options: Mapping[str, Value]) -> bytes:
        return _library.output(
            job, [*words_of(options), "--", *self.names], self.records, len(self), self.sectors, self.loaded
        )
