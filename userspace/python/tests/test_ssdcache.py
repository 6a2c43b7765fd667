# SPDX-License-Identifier: GPL-2.0
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

import ssdcache

TREE = pathlib.Path(__file__).resolve().parents[3]
DEMO = TREE / "traces" / "demo-ext4.csv.zst"
SIM = os.environ.get("SSDCACHE_SIM", str(TREE / "userspace/build/bin/ssdcache-sim"))


@pytest.fixture(scope="module")
def demo():
    return ssdcache.Trace(DEMO)


def command_line(*words):
    return json.loads(subprocess.run([SIM, "--json", *words, str(DEMO)], stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, []),
        ({"dram": "2m", "replacement": "cflru:window=30"}, ["--dram", "2m", "--replacement", "cflru:window=30"]),
        ({"replacement": ssdcache.replacement.cflru_ef_sc(threshold=20), "idle_us": 500, "flush_at_end": True},
         ["--replacement", "cflru-ef-sc:threshold=20", "--idle_us", "500", "--flush-at-end"]),
        ({"dram": "4m", "flash": ssdcache.flash.lin22, "admission": ssdcache.admission.l_corw},
         ["--dram", "4m", "--flash", "lin22", "--admission", "l-corw"]),
        ({"no_cache": True, "flash": "lin22"}, ["--no-cache", "--flash", "lin22"]),
    ],
)
def test_a_run_is_that_of_the_command_line(demo, options, words):
    assert ssdcache.simulate(demo, **options).report == command_line(*words)


# The engine counts the parts of a split request, so take requests of one page at most.
def test_requests_are_those_counted(demo):
    requests = demo.requests
    requests = requests[requests["sector"] % 8 + requests["nr_sectors"] <= 8]
    assert len(requests) > 10000
    stats = ssdcache.simulate(ssdcache.Trace.from_frame(requests), dram="2m").stats
    kinds = requests["op"].value_counts()
    assert (kinds["read"], kinds["write"]) == (stats["reads"], stats["writes"])
    assert (kinds["flush"], kinds["discard"]) == (stats["flushes"], stats["discards"])


def test_a_frame_is_a_trace(demo):
    again = ssdcache.Trace.from_frame(demo.requests.sample(frac=1, random_state=1).sort_index())
    assert len(again) == len(demo)
    assert ssdcache.simulate(again, dram="2m").report["stats"] == ssdcache.simulate(demo, dram="2m").report["stats"]
    with pytest.raises(ValueError, match="'erase' is not one of"):
        ssdcache.Trace.from_frame(pd.DataFrame({"time_ns": [0], "op": ["erase"], "sector": [0], "nr_sectors": [8]}))
    with pytest.raises(ValueError, match="sector: values"):
        ssdcache.Trace.from_frame(pd.DataFrame({"time_ns": [0], "op": ["read"], "sector": [-1], "nr_sectors": [8]}))


# Counts worked out by hand, with 16 frames: pages 0 to 15 fill them, 0 is hit, 16 evicts 0 (fifo) or another, and 0 is read again.
@pytest.mark.parametrize("policy, hits", [("fifo", 1), ("lru", 2), ("opt", 2)])
def test_hits_by_hand(policy, hits):
    pages = [*range(16), 0, 16, 0]
    times = [i * 10**6 for i in range(len(pages))]
    frame = pd.DataFrame({"time_ns": times, "op": "read", "sector": [8 * page for page in pages], "nr_sectors": 8})
    result = ssdcache.simulate(ssdcache.Trace.from_frame(frame), dram="64k", admission="read-write", replacement=policy)
    assert result.stats["read_hits"] == hits


def test_a_folded_run_leaves_the_trace_alone(demo):
    before = demo.records.copy()
    ssdcache.simulate(demo, fold=True, origin_sectors=4096, dram="1m")
    assert (demo.records == before).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"dram": "1x"}, "'1x' is not a size"),
        ({"drm": "1m"}, "did you mean '--dram'"),
        ({"replacement": "lrv"}, "lrv"),
        ({"idle_us": "many"}, "idle_us"),
    ],
)
def test_errors_are_those_of_the_simulator(demo, options, message):
    with pytest.raises(ssdcache.SimulatorError, match=message):
        ssdcache.simulate(demo, **options)


def test_errors_of_traces(tmp_path):
    with pytest.raises(ssdcache.SimulatorError, match="No such file"):
        ssdcache.Trace(tmp_path / "none")
    with pytest.raises(TypeError):
        ssdcache.Trace()
    bad = tmp_path / "bad.csv"
    bad.write_text("# ssdcache-trace 1\n0,R,0,8,\n1,X,0,8,\n")
    with pytest.raises(ssdcache.SimulatorError, match="bad.csv:3"):
        ssdcache.Trace(bad)


def test_a_sweep_is_its_runs(demo, tmp_path):
    options = {"replacement": ["lru", ssdcache.replacement.cflru(window=30)], "dram": "1m..2m"}
    frame = ssdcache.sweep(demo, output=tmp_path / "out", **options)
    assert list(frame["dram"]) == ["1m", "2m"] * 2
    for _, row in frame.iterrows():
        run = ssdcache.simulate(demo, dram=row["dram"], replacement=row["replacement"])
        assert row["ratios.hit"] == pytest.approx(run.ratios["hit"])
        assert row["latency.read.mean_ns"] == run.latency.loc["read", "mean_ns"]
    lines = (tmp_path / "out" / "cells.jsonl").read_text()
    ssdcache.sweep(demo, output=tmp_path / "out", **options)
    assert (tmp_path / "out" / "cells.jsonl").read_text() == lines
    with pytest.raises(ssdcache.SimulatorError, match="ends before its start"):
        ssdcache.sweep(demo, dram="8m..1m")


def test_runs_in_threads(demo):
    hits = {}

    def run(dram):
        hits[dram] = ssdcache.simulate(demo, dram=dram).ratios["hit"]

    threads = [threading.Thread(target=run, args=(f"{size}m",)) for size in (1, 2, 4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hits == {dram: ssdcache.simulate(demo, dram=dram).ratios["hit"] for dram in hits}


def children(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_an_interrupted_sweep_leaves_no_process(tmp_path):
    script = f"import ssdcache; ssdcache.sweep({str(DEMO)!r}, output={str(tmp_path / 'out')!r}, dram='1m..1g', replacement='all')"
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    rows = tmp_path / "out" / "cells.jsonl"
    while not rows.exists() or not rows.stat().st_size:
        assert process.poll() is None
        time.sleep(0.01)
    sweeper, = children(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert not pathlib.Path(f"/proc/{sweeper}").exists()


def test_plugins_have_docstrings():
    assert "Park et al." in ssdcache.replacement.cflru.__doc__
    assert "window: " in ssdcache.replacement.cflru.__doc__
    assert str(ssdcache.replacement["vs-batch-plus"]()) == "vs-batch-plus"
    assert "cflru_ef_sc" in dir(ssdcache.replacement)
    with pytest.raises(TypeError, match="no parameter 'windw'; there are: window"):
        ssdcache.replacement.cflru(windw=3)
    with pytest.raises(AttributeError, match="no plug-in 'lrv'"):
        ssdcache.replacement.lrv
    assert ssdcache.tunables["idle_us"]["unit"] == "us"


def test_plugins_of_shared_objects_are_found(tmp_path, demo):
    missing = tmp_path / "none.so"
    with pytest.raises(ssdcache.SimulatorError, match="--plugin"):
        ssdcache.simulate(demo, plugin=str(missing))
