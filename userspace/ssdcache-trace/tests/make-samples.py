#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Writes the same requests as a trace of each format, FOLDER/FORMAT.sample, and what
"ssdcache-trace convert" has to make of it, FOLDER/FORMAT.expected.

usage: make-samples.py [--in-order] FOLDER [REQUESTS]

--in-order: no request is recorded late.
"""
import random
import struct
import sys

SECTOR = 512
MIB = 2048


def requests(nr):
    rng = random.Random(7)
    now = 1_300_000_000_123_456_700
    for _ in range(nr):
        yield now, rng.choice([3, 3, 3, 0, 11]), rng.choice("RRW"), rng.randrange(0, 1 << 21), rng.choice([1, 7, 8, 64, 256])
        # Now and then a request is recorded late.
        now += rng.choice([0, 100, 12_300, 5_000_000, 1_700_000_000, -40_000])


def le(layout, *values):
    return struct.pack("<" + layout, *values)


def blktrace(nr, time, _disk, op, sector, sectors):
    # BLK_TC_QUEUE is bit 1, reads are bit 0 and writes bit 1 of the categories
    action = 1 | (1 << 1 if op == "W" else 1 << 0) << 16 | 1 << 20
    return le("IIQQIIIIIHH", 0x65617407, nr, time, sector, sectors * SECTOR, action, 1, 8 << 20, 0, 0, 0)


# name: resolution of times in ns, disks are kept, header, line
FORMATS = {
    "capture": (1, False, "# ssdcache-trace 1\n", lambda n, t, d, o, s, c: f"{t},{o},{s},{c},\n"),
    "msr": (100, True, "", lambda n, t, d, o, s, c:
            f"{t // 100},host,{d},{'Read' if o == 'R' else 'Write'},{s * SECTOR},{c * SECTOR},{n}\n"),
    "alibaba": (1000, True, "", lambda n, t, d, o, s, c: f"{d},{o},{s * SECTOR},{c * SECTOR},{t // 1000}\n"),
    "tencent": (10**9, True, "", lambda n, t, d, o, s, c: f"{t // 10**9},{s},{c},{'RW'.index(o)},{d}\n"),
    "systor": (1, True, "Timestamp,Response,IOType,LUN,Offset,Size\n", lambda n, t, d, o, s, c:
               f"{t // 10**9}.{t % 10**9:09d},{'0.0012' if n % 3 else ''},{o},{d},{s * SECTOR},{c * SECTOR}\n"),
    "spc": (1000, True, "", lambda n, t, d, o, s, c: f"{d},{s},{c * SECTOR},{o.lower()},{t // 10**9}.{t // 1000 % 10**6:06d}\n"),
    "ssdsim": (1, True, "", lambda n, t, d, o, s, c: f"{t} {d} {s} {c} {'WR'.index(o)}\n"),
    "fiu": (1, True, "", lambda n, t, d, o, s, c: f"{t} 4253 nfsd {s} {c} {o} 6 {d} {n:032x}\n"),
    "fio": (1000, True, "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n", lambda n, t, d, o, s, c:
            f"{t // 1000} /dev/sd{d} {'read' if o == 'R' else 'write'} {s * SECTOR} {c * SECTOR}\n"),
    "blktrace": (1, False, b"", blktrace),
    "blkparse": (1, True, "", lambda n, t, d, o, s, c:
                 f"  8,{d:<4} 1 {n:8d} {t // 10**9:5d}.{t % 10**9:09d}  3645  Q  {o}S {s} + {c} [java]\n"
                 f"  8,{d:<4} 1 {n:8d} {t // 10**9:5d}.{t % 10**9:09d}  3645  D  {o}S {s} + {c} [java]\n"),
    "oracleGeneral": (10**9, False, b"", lambda n, t, d, o, s, c: le("IQIq", t // 10**9, s, c * SECTOR, -1)),
    "libcachesim-csv": (10**9, False, "version,time,op,size,lbn\n", lambda n, t, d, o, s, c:
                        f"1,{t // 10**9},{'28' if o == 'R' else '2a'},{c * SECTOR},{s}\n"),
    "vscsi": (1000, False, b"", lambda n, t, d, o, s, c:
              le("IIIHHQQ", n, c * SECTOR, 1, 0x28 if o == "R" else 0x2a, 0x100, s, t // 1000)),
}


def expected(all_requests, name, tick, has_disks):
    """The trace as a capture: disks side by side, no time before the previous one."""
    rows, ends, now = [], {}, 0
    if name == "blktrace":
        all_requests = sorted(all_requests, key=lambda row: row[0])
    for time, disk, op, sector, sectors in all_requests:
        disk = disk if has_disks else 0
        now = max(now, time // tick * tick)
        ends[disk] = max(ends.get(disk, 0), sector + sectors)
        rows.append((now, disk, "R" if name == "oracleGeneral" else op, sector, sectors))
    starts, at = {}, 0
    for disk, end in ends.items():
        starts[disk] = at
        at += -(-end // MIB) * MIB
    yield "# ssdcache-trace 1\n"
    for time, disk, op, sector, sectors in rows:
        yield f"{time - rows[0][0]},{op},{starts[disk] + sector},{sectors},\n"


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--in-order"]
    folder, nr = args[0], int(args[1]) if len(args) > 1 else 300
    rows = list(requests(nr))
    if "--in-order" in sys.argv:
        rows.sort(key=lambda row: row[0])
    for name, (tick, has_disks, header, line) in FORMATS.items():
        kept = rows
        if name in ("oracleGeneral", "capture"):
            # The one has no times that go back, the other would be another trace.
            kept = sorted(rows, key=lambda row: row[0])
        with open(f"{folder}/{name}.sample", "wb") as out:
            out.write(header if isinstance(header, bytes) else header.encode())
            for n, row in enumerate(kept):
                text = line(n, *row)
                out.write(text if isinstance(text, bytes) else text.encode())
        with open(f"{folder}/{name}.expected", "w", encoding="ascii") as out:
            out.writelines(expected(kept, name, tick, has_disks))


if __name__ == "__main__":
    main()
