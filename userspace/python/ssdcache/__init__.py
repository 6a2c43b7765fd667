# SPDX-License-Identifier: GPL-2.0
"""SSD buffer-cache policies over block traces: the simulator of dm-ssdcache.

>>> import ssdcache
>>> trace = ssdcache.Trace("demo-ext4.csv.zst")
>>> ssdcache.simulate(trace, dram="16m", replacement="req-block").ratios["hit"]
>>> frame = ssdcache.sweep(trace, replacement=["lru", "cflru", "req-block"], dram="1m..128m")
>>> ssdcache.plot(frame)
"""
from ._library import SimulatorError
from .plots import plot
from .plugins import admission, flash, prefetch, replacement, statistics, tunables
from .simulate import Result, simulate, sweep
from .trace import Trace

__all__ = [
    "Result",
    "SimulatorError",
    "Trace",
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
