#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Writes files like blktrace's, DIR/dm-0.blktrace.0 and .1, with all kinds of events that convert must distinguish.

usage: make-blktrace.py DIR [--other-device] [--swapped] [--cut]
"""

import struct
import sys
from pathlib import Path

MAGIC = 0x65617407
READ, WRITE, FLUSH, SYNC, QUEUE, COMPLETE, NOTIFY, META, DISCARD = (1 << n for n in (0, 1, 2, 3, 4, 7, 10, 12, 13))
FUA = 1 << 15
Q, M, S, C, SPLIT, REMAP = 1, 2, 5, 8, 13, 15
CGROUP = 1 << 8
DEVICE = (253 << 20) | 0


def record(time, sector, size, category, act, cpu=0, sequence=0, device=DEVICE, data=b"", order="<"):
    return struct.pack(order + "IIQQIIIIIHH", MAGIC, sequence, time, sector, size, category << 16 | act, 99, device,
                       cpu, 0, len(data)) + data


def main():
    where, options = Path(sys.argv[1]), sys.argv[2:]
    order = ">" if "--swapped" in options else "<"
    first = [
        record(900, 0, 0, NOTIFY, 0, data=b"fio\0", order=order),           # a process
        record(1000, 64, 4096, READ | QUEUE | META, Q, sequence=1, order=order),
        record(1000, 64, 4096, READ, REMAP, sequence=2, data=bytes(16), order=order),
        record(3000, 128, 8192, WRITE | SYNC | QUEUE, Q | CGROUP, sequence=3, data=bytes(8), order=order),
        record(3000, 128, 4096, WRITE, SPLIT, sequence=4, data=bytes(8), order=order),
        record(3500, 128, 8192, WRITE | COMPLETE, C, sequence=5, order=order),
        record(7000, 256, 1 << 20, DISCARD | WRITE | QUEUE, Q, sequence=6, order=order),
    ]
    second = [
        record(2000, 0, 0, FLUSH | WRITE | SYNC | QUEUE, Q, cpu=1, sequence=1, order=order),
        record(5000, 512, 4096, FUA | FLUSH | WRITE | QUEUE, Q, cpu=1, sequence=2, order=order),
        record(6000, 520, 512, FUA | WRITE | QUEUE, Q, cpu=1, sequence=3, order=order),
        record(6500, 520, 512, WRITE | QUEUE, M, cpu=1, sequence=4, order=order),
    ]
    if "--other-device" in options:
        second.append(record(8000, 0, 512, WRITE | QUEUE, Q, cpu=1, sequence=5, device=(8 << 20) | 1))
    if "--cut" in options:
        second[-1] = second[-1][:20]
    (where / "dm-0.blktrace.0").write_bytes(b"".join(first))
    (where / "dm-0.blktrace.1").write_bytes(b"".join(second))


if __name__ == "__main__":
    main()
