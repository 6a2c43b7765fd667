#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Writes a trace of another format as MSR Cambridge CSV: a second opinion on the readers.

usage: to-msr.py FORMAT FILE
"""
import bz2
import gzip
import lzma
import sys
from decimal import Decimal

OPENERS = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}


def lines(name):
    with open(name, "rb") as raw:
        start = raw.read(2)
    with OPENERS.get(start, open)(name, "rb") as data:
        for line in data:
            yield line.decode("latin-1").rstrip("\r\n")


def ticks(seconds):
    return int(Decimal(seconds) * 10**7)


def alibaba(f):
    return int(f[4]) * 10, f[0], f[1] == "R", int(f[2]), int(f[3])


def tencent(f):
    return ticks(f[0]), f[4], f[3] == "0", int(f[1]) * 512, int(f[2]) * 512


def systor(f):
    return ticks(f[0]), f[3], f[2] == "R", int(f[4]), int(f[5])


def spc(f):
    return ticks(f[4]), f[0], f[3] in "rR", int(f[1]) * 512, int(f[2])


def ssdsim(f):
    return int(f[0]) // 100, f[1], f[4] == "1", int(f[2]) * 512, int(f[3]) * 512


def fiu(f):
    return int(f[0]) // 100, f[7], f[5] == "R", int(f[3]) * 512, int(f[4]) * 512


def blkparse(f):
    """Of this capture only D events are known; a request has ten or more words."""
    if len(f) < 10 or f[5] != "D" or f[8] != "+":
        raise ValueError
    return ticks(f[3]), f[0].split(",")[1], f[6].startswith("R"), int(f[7]) * 512, int(f[9]) * 512


READERS = {"alibaba": (alibaba, ","), "tencent": (tencent, ","), "systor": (systor, ","), "spc": (spc, ","),
           "ssdsim": (ssdsim, None), "fiu": (fiu, None), "blkparse": (blkparse, None)}


def main():
    read, separator = READERS[sys.argv[1]]
    for line in lines(sys.argv[2]):
        try:
            time, disk, is_read, offset, size = read(line.split(separator))
        except (ValueError, IndexError, ArithmeticError):
            continue
        print(f"{time},host,{disk},{'Read' if is_read else 'Write'},{offset},{size},0")


if __name__ == "__main__":
    main()
