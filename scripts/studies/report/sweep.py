# SPDX-License-Identifier: GPL-2.0
"""
Run the capture in the simulator: every policy with both admission schemes, both DRAM modes and many sizes; values over time;
all prefetchers at one size; and the start of the capture one request at a time. Writes simulator.json and series-*.csv.

HIT-US: time that a hit saves.

usage: sweep.py RESULTS HIT-US
"""

import functools
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import ssdcache
from results import (ADMISSIONS, MIB, MODES, NATURAL, POLICIES, PREFETCHERS, decisions, facts, load_json, prefetch_facts,
                     real_runs, size_bytes)

SIZES = [MIB * n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
SERIES_MS = 100


@functools.cache
def requests(path, scale):
    """The requests of a capture, times multiplied by @scale. All runs share them."""
    return ssdcache.Trace(path, time_scale=scale)


class Sweep:
    def __init__(self, results):
        self.results = results
        self.replays = real_runs(results, "replay")
        if not self.replays:
            sys.exit(f"sweep.py: no replays in {results}")
        stats, replay = next(iter(self.replays.values()))
        self.speed = replay["speed"]
        self.page_bytes = stats["page_bytes"]

    def run(self, trace, policy, admission, dram, **options):
        try:
            return ssdcache.simulate(trace, replacement=policy, admission=admission, dram=dram, page=self.page_bytes, **options).report
        except ssdcache.SimulatorError as error:
            sys.exit(f"sweep.py: {policy} {admission} {dram} {options}: {error}")

    def timed(self, policy, admission, dram, mode, **options):
        trace = requests(self.results / "capture.csv.zst", 1 / self.speed)
        return self.run(trace, policy, admission, dram, dram_mode=mode, **options)

    def cell(self, policy, admission, dram, mode):
        result = self.timed(policy, admission, dram, mode)
        return {"policy": policy, "admission": admission, "dram": dram, "mode": mode,
                **facts(result["stats"], result["latency"])}

    def over_time(self, policy, admission, dram):
        path = self.results / f"series-{policy}-{admission}.csv"
        self.timed(policy, admission, dram, "protected", series=path, series_interval_ms=SERIES_MS)

    def prefetch(self, prefetcher, dram, hit_us):
        """time_steps times passes with mining, by the host's clock."""
        path = self.results / f"series-prefetch-{prefetcher}.csv"
        result = self.timed("lru", "write-buffer", dram, "protected", prefetch=PREFETCHERS[prefetcher], alpha_us=hit_us,
                            beta_us=hit_us, time_steps=True, series=path, series_interval_ms=SERIES_MS)
        return prefetch_facts(result["stats"], result["prefetch"]["stats"], result["latency"])

    def exact(self, key):
        policy, admission, size = key
        result = self.run(requests(self.results / "exact.csv.zst", 1), policy, admission, size_bytes(size), dram_mode="protected",
                          closed=True)
        return decisions(result["stats"], result["replacement"]["stats"])


def progress(jobs, text):
    """Results of all jobs; prints progress."""
    step = max(1, len(jobs) // 8)
    for count, job in enumerate(as_completed(jobs), 1):
        job.result()
        if count % step == 0 or count == len(jobs):
            print(f"  {text}: {count} of {len(jobs)}", flush=True)
    return [job.result() for job in jobs]


def main():
    results, hit_us = Path(sys.argv[1]), sys.argv[2]
    sweep = Sweep(results)
    sizes = sorted(set(SIZES) | {size_bytes(size) for _, _, size in sweep.replays})
    series_size = size_bytes(next(results.glob("replay/replay-*.samples.csv")).name.split(".")[0].rpartition("-")[2])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cells = [pool.submit(sweep.cell, policy, admission, dram, mode) for mode in MODES for dram in sizes
                 for admission in ADMISSIONS for policy in POLICIES]
        series = [pool.submit(sweep.over_time, policy, NATURAL[policy], series_size) for policy in POLICIES]
        prefetch = {name: pool.submit(sweep.prefetch, name, series_size, hit_us) for name in PREFETCHERS}
        exact = {key: pool.submit(sweep.exact, key) for key in real_runs(results, "exact")}
        cells = progress(cells, "simulations")
        for job in series:
            job.result()
        exact = [{"policy": key[0], "admission": key[1], "size": key[2], "decisions": job.result()}
                 for key, job in exact.items()]
        prefetch = {name: job.result() for name, job in prefetch.items()}
    output = {"speed": sweep.speed, "series_size": series_size, "cells": cells, "exact": exact, "prefetch": prefetch,
              "hit_us": int(hit_us)}
    (results / "simulator.json").write_text(json.dumps(output), encoding="utf-8")


if __name__ == "__main__":
    main()
