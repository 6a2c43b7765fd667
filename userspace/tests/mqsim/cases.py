# SPDX-License-Identifier: GPL-2.0
"""Devices and traces on which the flash model is compared with MQSim.

A synthetic trace follows from a seed and integer arithmetic alone, so that it is the same on
every machine. Arrivals are uniform over the duration of the trace, as those of a Poisson
process with a known number of arrivals.
"""

import gzip
import hashlib
import os
import random

READ, WRITE = "R", "W"
SECTOR = 512
US = 1000
MS = 1000 * US

# The timing of MQSim's shipped configuration, with a small geometry.
DEVICE = {
    "channels": 4, "chips": 2, "dies": 1, "planes": 2, "blocks": 128, "pages": 64,
    "page_bytes": 8192, "read_ns": 75000, "program_ns": 750000, "erase_ns": 3800000,
    "mega_transfers": 333, "over_provisioning": 10, "gc_threshold": 10, "gc_urgent": 8,
}
PAGE = DEVICE["page_bytes"] // SECTOR
# Pages that the traces use.
SPACE = 32768

# Parameters of ssdflash with which its channels do as MQSim's with commands-first.patch.
RULES = {"command_wait": "on", "channel_first": "writes", "partial_transfer": "on"}

# A single plane per die, and half of the pages spare: ssdflash.md explains why.
GC_DEVICE = {"channels": 2, "chips": 1, "planes": 1, "pages": 32, "over_provisioning": 50}
GC_SPACE = 4000


def planes_of(device):
    return device["channels"] * device["chips"] * device["dies"] * device["planes"]


def flash_spec(device):
    """The device in the words of ssdcache-sim --flash."""
    words = {key: value for key, value in device.items() if key != "mega_transfers"}
    # Per byte; the constructor of MQSim's channel rounds down to whole ns.
    words["transfer_ps"] = 1000 // device["mega_transfers"] * 1000
    # ONFI's command and address cycles of a read, with MQSim's numbers: tCS + 6 tWC + tWB + tRR.
    words["command_ns"] = 20 + 6 * 25 + 100 + 20
    words.update(allocation="static", multi_plane="on")
    return "custom:" + ",".join(f"{key}={value}" for key, value in words.items())


class Case:
    """A trace in two parts: requests that fill the device and, after a pause, measured requests.

    name, doc       for reports
    load            function of a random.Random: (ns, op, sector, sectors) in order of time
    fill            number of pages that the first part writes, in order
    device          differences from DEVICE
    single_pages    every request is a whole page
    alike           changes that make our device behave like MQSim's; the documentation says why
    differs         deviation in percent that the documentation explains
    """

    def __init__(self, name, doc, load, fill=0, device=None, single_pages=False, alike=None,
                 differs=None):
        self.name = name
        self.doc = doc
        self.load = load
        self.fill = fill
        self.device = dict(DEVICE, **(device or {}))
        self.single_pages = single_pages
        self.alike = dict(self.device, **alike) if alike else None
        self.differs = differs

    def missing(self):
        """The missing file that the trace needs, or None."""
        return None

    def filling(self):
        stripe = planes_of(self.device)
        size = self.device["page_bytes"] // SECTOR
        return [(page // stripe * 4 * MS, WRITE, page * size, stripe * size)
                for page in range(0, self.fill, stripe)]

    def measured(self):
        filling = self.filling()
        start = filling[-1][0] + 100 * MS if filling else 0
        rng = random.Random(f"mqsim {self.name} 1")
        return [(start + at, op, sector, nr) for at, op, sector, nr in self.load(rng)]

    def digest(self):
        """Identifies the device and the trace of a record."""
        text = [flash_spec(self.device)]
        text += [" ".join(map(str, request)) for request in self.filling() + self.measured()]
        return hashlib.sha256("\n".join(text).encode()).hexdigest()[:16]


class RealCase(Case):
    """Requests of an MSR Cambridge CSV trace, folded into SPACE."""

    folder = None

    def __init__(self, trace, doc, **more):
        super().__init__(trace, doc, self.read, **more)

    def path(self):
        return os.path.join(self.folder or "", self.name + ".csv.gz")

    def missing(self):
        return None if self.folder and os.path.exists(self.path()) else f"{self.name}.csv.gz"

    def read(self, _rng):
        now = start = None
        disks = {}
        with gzip.open(self.path(), "rt") as lines:
            for line in lines:
                time, host, disk, kind, offset, size = line.split(",")[:6]
                if start is None:
                    start = int(time)
                now = max(now or 0, (int(time) - start) * 100)
                # Disks start a prime number of sectors apart.
                disk = disks.setdefault((host, disk), len(disks)) * 104729
                nr = max(1, (int(size) + SECTOR - 1) // SECTOR)
                sector = (int(offset) // SECTOR + disk) % (SPACE * PAGE - nr)
                yield now, kind[0].upper(), sector, nr


def arrivals(rng, nr, gap_ns):
    return sorted(rng.randrange(nr * gap_ns) for _ in range(nr))


def requests(nr, gap_us, write_percent, place):
    """@nr requests with a mean gap of @gap_us; place(rng) gives sector and length."""
    def load(rng):
        for at in arrivals(rng, nr, gap_us * US):
            op = WRITE if rng.randrange(100) < write_percent else READ
            yield (at, op, *place(rng))
    return load


def page(rng, space=SPACE):
    return rng.randrange(space) * PAGE, PAGE


def gc_page(rng):
    return page(rng, GC_SPACE)


def pages(rng):
    """Two to 16 pages."""
    length = 2 + rng.randrange(15)
    return rng.randrange(SPACE - length) * PAGE, length * PAGE


def part(rng):
    """At most half a page."""
    length = 1 + rng.randrange(PAGE // 2)
    return rng.randrange(SPACE) * PAGE + rng.randrange(PAGE - length + 1), length


# Load of the dies: 100 us per page read, 775 us per page written.
CASES = [
    Case("read-idle", "page reads, one at a time", requests(2000, 2000, 0, page),
         single_pages=True),
    Case("read-third", "page reads, dies busy for a third of the time",
         requests(8000, 37, 0, page), single_pages=True),
    Case("read-half", "page reads, dies busy for half of the time",
         requests(8000, 25, 0, page), single_pages=True),
    Case("read-most", "page reads, dies busy for 0.7 of the time",
         requests(8000, 18, 0, page), single_pages=True, differs=-26),
    Case("write-idle", "page writes, one at a time", requests(2000, 4000, 100, page),
         single_pages=True),
    Case("write-half", "page writes, dies busy for half of the time",
         requests(8000, 194, 100, page), single_pages=True),
    Case("write-most", "page writes, dies busy for 0.8 of the time",
         requests(8000, 120, 100, page), single_pages=True),
    Case("mixed-half", "pages, 70 % reads, dies busy for half of the time",
         requests(8000, 75, 30, page), fill=SPACE, single_pages=True),
    Case("mixed-most", "pages, 70 % reads, dies busy for 0.7 of the time",
         requests(8000, 55, 30, page), fill=SPACE, single_pages=True),
    Case("part-mixed", "parts of pages, 70 % reads", requests(6000, 100, 30, part), fill=SPACE),
    Case("long-read", "reads of 2 to 16 pages", requests(4000, 500, 0, pages), fill=SPACE,
         differs=-11),
    Case("long-read-most", "reads of 2 to 16 pages, dies busy for half of the time",
         requests(4000, 200, 0, pages), fill=SPACE, differs=-30),
    Case("long-read-one", "one read of 17 pages", lambda _rng: [(0, READ, 0, 17 * PAGE)],
         differs=-18),
    Case("long-write", "writes of 2 to 16 pages", requests(4000, 1600, 100, pages), fill=SPACE),
    Case("long-mixed", "2 to 16 pages, 70 % reads", requests(4000, 700, 30, pages), fill=SPACE),
    Case("gc-write", "page writes at random, half of the device spare",
         requests(12000, 1200, 100, gc_page), fill=GC_SPACE, device=GC_DEVICE, single_pages=True),
    Case("gc-mixed", "the same with half reads", requests(12000, 600, 50, gc_page),
         fill=GC_SPACE, device=GC_DEVICE, single_pages=True),
    Case("two-dies", "page reads, chips of two dies", requests(8000, 37, 0, page),
         device={"chips": 1, "dies": 2}, single_pages=True,
         alike={"dies": 1, "blocks": 256}, differs=-35),
    RealCase("umass_financial1_10k", "a real trace: UMass Financial1, its first 10,000 requests",
             fill=SPACE),
]
