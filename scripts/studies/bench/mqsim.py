# SPDX-License-Identifier: GPL-2.0
"""
The speed of ssdcache-sim beside MQSim [Tavakkol18], on the same traces and the same flash device, in CPU time.

Times are those of whole processes, so all read the trace and create the device. The programs take turns; a rate is that of
the fastest of the runs, a ratio the median of the pairs. Each run is of a copy of its program: where the page cache has the pages of
a program changes its time by up to 4 %, and a copy has others. MQSim has one cache, an LRU list of flash pages, so the rows of both
replacement policies compare with that.

usage: mqsim.py SSDCACHE-SIM PROFILED TRACE-FOLDER [MQSIM]
    PROFILED       ssdcache-sim of "make PGO=1", as in the packages; "-" leaves it out
    TRACE-FOLDER   has msr_web0_100k.csv.gz; without it, the rows of web_0 are left out
    MQSIM          a built checkout of MQSim; without it, only ssdcache-sim runs
    environment    KEEP=FOLDER: traces and configurations stay there, to run the programs by hand
"""

import contextlib
import gzip
import importlib.util
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
TESTS = os.path.join(TREE, "userspace", "tests", "mqsim")
sys.path.insert(0, TESTS)
from cases import DEVICE, READ, WRITE, flash_spec  # noqa: E402

RUNS = 5
REQUESTS = 300000
CACHE = 64 << 20
# 8 GiB: the timing of the comparison of results, on 32 dies, and no garbage collection.
BIG = dict(DEVICE, channels=8, chips=4, blocks=128, pages=128)
SECTORS = 800000 * 16


def module(name):
    """A Python file of the tests, whatever its name."""
    spec = importlib.util.spec_from_file_location("module", os.path.join(TESTS, name))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def skewed(rng, nr):
    return int(nr * rng.random() ** 4)


def op(rng):
    return WRITE if rng.random() < 0.3 else READ


def one_page():
    """Pages of the flash device; its dies are half busy without a cache."""
    rng, now = random.Random(1), 0
    for _ in range(REQUESTS):
        now += int(rng.expovariate(1 / 20000))
        yield now, op(rng), skewed(rng, SECTORS // 16) * 16, 16


def many_pages():
    """4 to 64 KiB, at multiples of 4 KiB."""
    rng, now = random.Random(2), 0
    for _ in range(REQUESTS):
        now += int(rng.expovariate(1 / 100000))
        length = rng.randrange(1, 17)
        yield now, op(rng), skewed(rng, SECTORS // 8 - 16) * 8, length * 8


def web_0(path):
    start, now = None, 0
    with gzip.open(path, "rt") as lines:
        for line in lines:
            time, _host, _disk, kind, offset, size = line.split(",")[:6]
            start = int(time) if start is None else start
            now = max(now, (int(time) - start) * 100)
            length = max(1, (int(size) + 511) // 512)
            yield now, kind[0].upper(), int(offset) // 512 % (SECTORS - length), length


def hits():
    """4 KiB; nearly all pages are in DRAM."""
    rng = random.Random(3)
    for i in range(1000000):
        yield i * 1000, op(rng), skewed(rng, 12000) * 8, 8


def long_hits():
    """64 KiB, of 900 MiB; nearly all pages are in DRAM."""
    rng = random.Random(4)
    for i in range(400000):
        yield i * 1000, op(rng), rng.randrange(900 << 4) * 128, 128


def write_traces(name, requests, folder):
    """Writes the trace for both programs; returns the path without its ending, and the number of requests."""
    base, count = os.path.join(folder, name), 0
    with open(base + ".csv", "w", encoding="ascii") as ours, open(base + ".mqsim", "w", encoding="ascii") as theirs:
        ours.write("# ssdcache-trace 1\n")
        for at, kind, sector, length in requests:
            ours.write(f"{at},{kind},{sector},{length},\n")
            theirs.write(f"{at} 0 {sector} {length} {int(kind == READ)}\n")
            count += 1
    return base, count


def cpu_seconds(command, copies):
    """CPU time of a copy of a program, and what it printed. Copies of a row stay, so that each is in other pages of memory."""
    copy = shutil.copy(command[0], os.path.join(tempfile.mkdtemp(dir=copies), "program"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([copy, *command[1:]], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout + done.stderr


class MQSim:
    def __init__(self, folder, scratch):
        self.program = os.path.join(folder, "MQSim")
        self.scratch = scratch
        self.reference = module("record-reference.py")

    def command(self, base, cached):
        reference = self.reference
        settings = reference.settings(BIG)
        workload = reference.workload(BIG, base + ".mqsim")
        settings["Host_Parameter_Set"]["Enable_ResponseTime_Logging"] = "false"
        if cached:
            settings["Device_Parameter_Set"]["Caching_Mechanism"] = "ADVANCED"
            settings["Device_Parameter_Set"]["Data_Cache_Capacity"] = CACHE
            workload["IO_Scenario"]["IO_Flow_Parameter_Set_Trace_Based"]["Device_Level_Data_Caching_Mode"] = "WRITE_READ_CACHE"
        run = os.path.join(self.scratch, os.path.basename(base) + ("-cached" if cached else "-direct"))
        reference.write(run + ".config", reference.xml("Execution_Parameter_Set", settings))
        reference.write(run + ".xml", reference.xml("MQSim_IO_Scenarios", workload))
        return [self.program, "-i", run + ".config", "-w", run + ".xml"]

    def seconds(self, base, cached, count, copies):
        seconds, text = cpu_seconds(self.command(base, cached), copies)
        served = int(re.search(r"total requests serviced:(\d+)", text).group(1))
        if served != count:
            sys.exit(f"MQSim served {served} of {count} requests")
        return seconds


def loaded_and_run(text):
    found = re.search(r"loaded in ([\d.]+) s, run in ([\d.]+) s", text)
    return float(found.group(1)), float(found.group(2))


def million(requests, seconds):
    return f"{requests / seconds / 1e6:.2f}"


def ratio(ours, theirs):
    pairs = [b / a for a, b in zip(ours, theirs)]
    return f"{statistics.median(pairs):.1f}" if pairs else "-"


def rate(count, seconds):
    return million(count, min(seconds)) if seconds else "-"


def main():
    sim, profiled, traces = sys.argv[1:4]
    web = os.path.join(traces, "msr_web0_100k.csv.gz")
    loads = [("one page", one_page()), ("4 to 64 KiB", many_pages())]
    if os.path.exists(web):
        loads.append(("web_0", web_0(web)))
    with contextlib.nullcontext(os.environ["KEEP"]) if "KEEP" in os.environ else tempfile.TemporaryDirectory() as scratch:
        os.makedirs(scratch, exist_ok=True)
        mqsim = MQSim(sys.argv[4], scratch) if len(sys.argv) > 4 else None
        files = {name: write_traces(name.replace(" ", "-"), requests, scratch) for name, requests in loads}
        print("Million requests per second of CPU time, reading the trace included; 64 MiB of DRAM in pages of 8 KiB. PGO: the build of")
        print("the packages; ratios to MQSim as its Makefile builds it:")
        print(f"  {'requests':12} {'cache':14} {'ssdcache-sim':>13} {'run alone':>10} {'PGO':>6} {'MQSim':>7} {'ratio':>6} {'PGO':>6}")
        for policy in ("none", "lru", "vs-batch-plus"):
            cache = ["--no-cache"] if policy == "none" else \
                ["--dram", str(CACHE), "--page", "8k", "--admission", "read-write", "--replacement", policy]
            for name, (base, count) in files.items():
                ours, alone, fast, theirs = [], [], [], []
                with tempfile.TemporaryDirectory(dir=scratch) as copies:
                    for _ in range(RUNS):
                        run = ["--speed", "--flash", flash_spec(BIG), *cache, base + ".csv"]
                        seconds, text = cpu_seconds([sim, *run], copies)
                        ours.append(seconds)
                        alone.append(loaded_and_run(text)[1])
                        if profiled != "-":
                            fast.append(cpu_seconds([profiled, *run], copies)[0])
                        if mqsim:
                            theirs.append(mqsim.seconds(base, policy != "none", count, copies))
                print(f"  {name:12} {policy:14} {rate(count, ours):>13} {rate(count, alone):>10} {rate(count, fast):>6}"
                      f" {rate(count, theirs):>7} {ratio(ours, theirs):>6} {ratio(fast, theirs):>6}", flush=True)
        if not os.path.exists(web):
            print(f"  web_0: skipped, there is no {web}")
        if not mqsim:
            print("  MQSim: skipped, it could not be fetched or built")
        for size, dram, requests in (("4 KiB", CACHE, hits()), ("64 KiB", 1 << 30, long_hits())):
            base, count = write_traces(f"hits-{size}".replace(" ", "-"), requests, scratch)
            hit_run = [sim, "--speed", "--dram", str(dram), "--admission", "read-write", base + ".csv"]
            runs = [loaded_and_run(cpu_seconds(hit_run, scratch)[1]) for _ in range(RUNS)]
            print(f"Hits only, lru, requests of {size}, {dram >> 20} MiB of DRAM, no flash device: {million(count, min(run for _, run in runs))}"
                  " million per second, reading the trace not included")


if __name__ == "__main__":
    main()
