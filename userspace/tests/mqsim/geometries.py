#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the flash model with MQSim on devices and at loads that cases.py does not use.

    geometries.py SSDCACHE-SIM MQSIM
    geometries.py --random N [--seed S] SSDCACHE-SIM MQSIM

MQSIM: a checkout of https://github.com/CMU-SAFARI/MQSim, built as its README says. With
commands-first.patch, its channels serve commands before data, as the flash model's do.

Prints a table for Documentation/ssdflash.md. Each row has page requests at random that arrive
as a Poisson process; the load is that of the busier of dies and channels. The last two columns
are of the flash model with its parameters that follow MQSim's rules for channels: commands wait
for the transfer in progress, pages to program go before data that were read, and of partly
written pages only the new sectors are transferred (no request here is a part of a page).

With --random, the devices and loads are drawn from a seed, the flash model follows MQSim's rules,
MQSIM should have the patch, and the last line names the largest deviation.
"""

import argparse
import importlib
import random
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


def case_of(name, changes, write_percent, load, filled=None):
    """@filled: None: if there are reads and writes"""
    case = Case(f"{name} {write_percent} {load}", "", None, device=changes, single_pages=True)
    device = case.device
    planes = planes_of(device)
    space = min(16384, device["blocks"] * device["pages"] * planes // 2) // planes * planes
    # MQSim cannot read pages that were never written among writes.
    case.fill = space if filled or (filled is None and 0 < write_percent < 100) else 0
    size = device["page_bytes"] // SECTOR

    def requests(rng):
        for at in arrivals(rng, REQUESTS, mean_gap_ns(device, write_percent, load)):
            op = WRITE if rng.randrange(100) < write_percent else READ
            yield at, op, rng.randrange(space) * size, size
    case.load = requests
    return case


# Times of a read, a program and an erase, in us.
CELLS = {"SLC": (25, 200, 1500), "MLC": (50, 650, 2500), "TLC": (75, 1100, 3800), "QLC": (140, 2200, 10000)}


def random_case(number, rng):
    """(columns of a table, case)"""
    cell = rng.choice(sorted(CELLS))
    read, program, erase = (1000 * us for us in CELLS[cell])
    device = {"channels": rng.choice((1, 2, 4, 8, 16)), "chips": rng.choice((1, 2, 4, 8)), "dies": 1,
              "planes": rng.choice((1, 2, 4)), "page_bytes": rng.choice((4096, 8192, 16384)), "pages": 64,
              "mega_transfers": rng.choice((100, 200, 333, 500, 1000)),
              "read_ns": read, "program_ns": program, "erase_ns": erase}
    # Enough for all pages that are filled and written: no garbage collection.
    device["blocks"] = max(64, 1 << (45000 // (planes_of(device) * device["pages"])).bit_length())
    writes, load = rng.randrange(0, 101, 10), rng.randrange(20, 86) / 100
    case = case_of(f"random {number}", device, writes, load, filled=writes < 100)
    words = [number, device["channels"], device["chips"], device["planes"], device["page_bytes"] >> 10, cell,
             device["mega_transfers"], f"{writes} %", load]
    return words, case


def compare_random(nr, seed, sim, mqsim):
    rng = random.Random(f"mqsim devices {seed}")
    all_percents = []
    print("| | channels | chips | planes | page, KiB | cells | MT/s | writes | load | MQSim: mean us | ssdflash: mean us | deviation |")
    print("|---" * 12 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, nr + 1):
            words, case = random_case(number, rng)
            results, theirs = simulate(sim, dict(case.device, **RULES), case, folder), record(mqsim, case, folder)
            _what, ours, mean = next(comparisons(results, theirs))
            all_percents.append(deviation(ours, mean))
            row = [*words, f"{mean:.1f}", f"{ours:.1f}", f"{all_percents[-1]:+.1f} %"]
            print("| " + " | ".join(map(str, row)) + " |", flush=True)
    worst = max(all_percents, key=abs)
    print(f"{nr} devices of seed {seed}: {sum(abs(percent) <= 2 for percent in all_percents)} within 2 %, "
          f"{sum(abs(percent) <= 6 for percent in all_percents)} within 6 %; "
          f"the largest deviation is {worst:+.1f} %, of device {all_percents.index(worst) + 1}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, metavar="N", help="compare N devices that are drawn")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of --random; default: 1")
    parser.add_argument("sim", metavar="SSDCACHE-SIM")
    parser.add_argument("mqsim", metavar="MQSIM")
    arguments = parser.parse_args()
    if arguments.random is not None and arguments.random < 1:
        parser.error("--random: a number of devices, at least 1")
    sim, mqsim = arguments.sim, arguments.mqsim
    if arguments.random:
        compare_random(arguments.random, arguments.seed, sim, mqsim)
        return
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
