# SPDX-License-Identifier: GPL-2.0
"""SSD buffer-cache policies over block traces: the simulator of dm-ssdcache.

>>> import ssdcache
>>> trace = ssdcache.Trace("demo-ext4.csv.zst")
>>> ssdcache.simulate(trace, dram="16m", replacement="req-block").ratios["hit"]
>>> frame = ssdcache.sweep(trace, replacement=["lru", "cflru", "req-block"], dram="1m..128m")
>>> ssdcache.plot(frame)
"""
import importlib
from typing import TYPE_CHECKING, Any

from ._library import SimulatorError
from .plugins import admission, flash, prefetch, replacement, statistics, tunables

if TYPE_CHECKING:
    from .plots import plot
    from .runs import CellFailed, Result, simulate, sweep
    from .trace import Trace

    __version__: str

#: Imported when they are used: the command and the workers of a cluster start in a third of the time without pandas.
_LATER = {"CellFailed": "runs", "plot": "plots", "Result": "runs", "simulate": "runs", "sweep": "runs", "Trace": "trace"}

__all__ = [
    "CellFailed",
    "Result",
    "SimulatorError",
    "Trace",
    "__version__",
    "admission",
    "flash",
    "plot",
    "prefetch",
    "replacement",
    "simulate",
    "statistics",
    "sweep",
    "tunables",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version(__name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
