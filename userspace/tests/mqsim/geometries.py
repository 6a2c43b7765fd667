#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the flash model with MQSim on devices and at loads that cases.py does not use.

    geometries.py SSDCACHE-SIM MQSIM

MQSIM: a checkout of https://github.com/CMU-SAFARI/MQSim, built as its README says. With
commands-first.patch, its channels serve commands before data, as the flash model's do.

Prints a table for Documentation/ssdflash.md. Each row has page requests at random that arrive
as a Poisson process; the load is that of the busier of dies and channels. The last two columns
are of the flash model with its parameters that follow MQSim's rules for channels: commands wait
for the transfer in progress, pages to program go before data that were read, and of partly
written pages only the new sectors are transferred (no request here is a part of a page).
"""

import importlib
import sys
import tempfile

from cases import READ, RULES, SECTOR, WRITE, Case, arrivals, planes_of
from compare import comparisons, deviation, simulate

record = importlib.import_module("record-reference").record

REQUESTS = 6000
DEVICES = [
    ("2 channels of 1 die, 4 KiB, 25 us",
     {"channels": 2, "chips": 1, "planes": 1, "pages": 128, "page_bytes": 4096,
      "read_ns": 25000, "program_ns": 200000, "erase_ns": 1500000}),
    ("8 channels of 4 dies, 8 KiB, 75 us", {"channels": 8, "chips": 4, "planes": 1, "blocks": 64}),
    ("2 channels of 4 dies of 4 planes, 16 KiB, 50 us",
     {"channels": 2, "chips": 4, "planes": 4, "page_bytes": 16384, "read_ns": 50000,
      "program_ns": 650000}),
    ("4 channels of 4 dies of 2 planes, 200 MT/s, 16 KiB, 75 us",
     {"channels": 4, "chips": 4, "planes": 2, "page_bytes": 16384, "mega_transfers": 200}),
]
WRITE_PERCENTS = (0, 30, 100)
LOADS = (0.2, 0.5, 0.8)


def mean_gap_ns(device, write_percent, load):
    transfer = device["page_bytes"] * (1000 // device["mega_transfers"])
    array = (write_percent * device["program_ns"] + (100 - write_percent) * device["read_ns"]) / 100
    dies = device["channels"] * device["chips"] * device["dies"]
    return round(max((array + transfer) / dies, transfer / device["channels"]) / load)


def case_of(name, changes, write_percent, load):
    case = Case(f"{name} {write_percent} {load}", "", None, device=changes, single_pages=True)
    device = case.device
    planes = planes_of(device)
    space = min(16384, device["blocks"] * device["pages"] * planes // 2) // planes * planes
    # MQSim cannot read pages that were never written among writes.
    case.fill = space if 0 < write_percent < 100 else 0
    size = device["page_bytes"] // SECTOR

    def requests(rng):
        for at in arrivals(rng, REQUESTS, mean_gap_ns(device, write_percent, load)):
            op = WRITE if rng.randrange(100) < write_percent else READ
            yield at, op, rng.randrange(space) * size, size
    case.load = requests
    return case


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sim, mqsim = sys.argv[1:]
    print("| device | writes | load | MQSim: mean us | ssdflash: mean us | deviation "
          "| with MQSim's rules: mean us | deviation |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, changes in DEVICES:
            for write_percent in WRITE_PERCENTS:
                for load in LOADS:
                    case = case_of(name, changes, write_percent, load)
                    theirs = record(mqsim, case, folder)
                    print(f"| {name} | {write_percent} % | {load} | {theirs['mean_us']:.0f} |",
                          end="")
                    for device in case.device, dict(case.device, **RULES):
                        results = simulate(sim, device, case, folder)
                        _what, ours, mean = next(comparisons(results, theirs))
                        print(f" {ours:.0f} | {deviation(ours, mean):+.1f} % |", end="")
                    print(flush=True)


if __name__ == "__main__":
    main()
