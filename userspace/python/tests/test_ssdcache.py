# SPDX-License-Identifier: GPL-2.0
import ast
import copy
import json
import mmap
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
import pytest

import ssdcache
from ssdcache import _words
from ssdcache.cluster import OtherBuild
from ssdcache.files import InputLost
from ssdcache.page import PlotlyMissing
from ssdcache.runs import CellFailed
from ssdcache.serve import Failed
from ssdcache.verdict import OptionsWrong, SearchFailed

TREE = pathlib.Path(__file__).resolve().parents[3]
DEMO = TREE / "traces" / "demo-ext4.csv.zst"
SIM = os.environ.get("SSDCACHE_SIM", str(TREE / "userspace/build/bin/ssdcache-sim"))


@pytest.fixture(scope="module")
def demo():
    return ssdcache.Trace(DEMO)


@pytest.fixture(scope="module")
def small():
    return ssdcache.Trace(DEMO, limit=50)


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


# As the documentation of large sweeps says.
def test_a_request_takes_24_bytes(demo):
    assert demo.records.nbytes == 24 * len(demo)
    assert 24 * len(demo) < len(pickle.dumps(demo)) < 24 * len(demo) + 2000


def test_a_frame_is_a_trace(demo):
    again = ssdcache.Trace.from_frame(demo.requests.sample(frac=1, random_state=1).sort_index())
    assert len(again) == len(demo)
    assert ssdcache.simulate(again, dram="2m").report["stats"] == ssdcache.simulate(demo, dram="2m").report["stats"]
    with pytest.raises(ValueError, match="'erase' is not one of"):
        ssdcache.Trace.from_frame(pd.DataFrame({"time_ns": [0], "op": ["erase"], "sector": [0], "nr_sectors": [8]}))
    with pytest.raises(ValueError, match="sector: values"):
        ssdcache.Trace.from_frame(pd.DataFrame({"time_ns": [0], "op": ["read"], "sector": [-1], "nr_sectors": [8]}))


@pytest.mark.parametrize("take", [lambda requests: requests, lambda requests: requests[requests["op"] == "flush"], lambda requests: requests[:0]])
def test_a_saved_trace_is_a_capture(demo, tmp_path, take):
    trace = ssdcache.Trace.from_frame(take(demo.requests))
    trace.save(tmp_path / "saved.csv")
    if not len(trace):
        assert (tmp_path / "saved.csv").read_text() == "# ssdcache-trace 1\n"
        return
    again = ssdcache.Trace(tmp_path / "saved.csv", format="capture")
    assert again.requests.equals(trace.requests)
    assert ssdcache.simulate(again, dram="2m").report["stats"] == ssdcache.simulate(trace, dram="2m").report["stats"]


def test_a_trace_is_saved_with_care(demo, tmp_path):
    trace = ssdcache.Trace.from_frame(demo.requests[:9])
    trace.save(tmp_path / "saved.csv")
    saved = ssdcache.Trace(tmp_path / "saved.csv")
    with pytest.raises(InputLost, match="saved.csv"):
        saved.save(tmp_path / "saved.csv")
    with pytest.raises(ValueError, match="saved.csv.zst: save\\(\\) writes plain text: ssdcache-trace convert -o"):
        trace.save(tmp_path / "saved.csv.zst")
    with pytest.raises(IsADirectoryError):
        trace.save(tmp_path)
    assert len(saved) == 9


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


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda t: ssdcache.simulate(t, limit=5), ssdcache.SimulatorError, "--limit is for reading a trace"),
        (lambda t: ssdcache.sweep(t, dram="1m", time_scale=2), ssdcache.SimulatorError, "--time-scale is for reading a trace"),
        (lambda t: ssdcache.sweep(t, dram="1m", version=True), ssdcache.SimulatorError, "--version is for the command line"),
        (lambda t: ssdcache.sweep(t, dram="1m", help=True), ssdcache.SimulatorError, "--help is for the command line"),
        (lambda t: ssdcache.sweep(t, dram="1m", json=True), ssdcache.SimulatorError, "--json"),
        (lambda t: ssdcache.simulate(t, version=True), ssdcache.SimulatorError, "--version is for the command line"),
        (lambda t: ssdcache.simulate(t, vers=True), ssdcache.SimulatorError, "--version is for the command line"),
        (lambda t: ssdcache.simulate(t, help=True), ssdcache.SimulatorError, "--help is for the command line"),
        (lambda t: ssdcache.simulate(t, describe=True), ssdcache.SimulatorError, "--describe is for the command line"),
        (lambda t: ssdcache.simulate(t, json=True), ssdcache.SimulatorError, "--json is for the command line"),
        (lambda t: ssdcache.simulate(t, speed=True), ssdcache.SimulatorError, "--speed is for the command line"),
        (lambda t: ssdcache.Trace(DEMO, dram="1m"), ssdcache.SimulatorError, "--dram is for runs and sweeps"),
        (lambda t: ssdcache.Trace(DEMO, fold=True), ssdcache.SimulatorError, "--fold is for runs and sweeps"),
        (lambda t: ssdcache.simulate(t, dram=["1m", "2m"]), TypeError, "dram: one value, not a list"),
        (lambda t: ssdcache.sweep(t, dram="1m", read_us=[1, 2]), TypeError, "read_us: one value, not a list"),
        (lambda t: ssdcache.sweep(t, dram="1m", replacment=["lru"]), TypeError, "did you mean 'replacement'"),
        (lambda t: ssdcache.replacement.cflur, AttributeError, "did you mean 'cflru'"),
        (lambda t: ssdcache.replacement.cflru(windw=3), TypeError, "did you mean 'window'"),
        (lambda t: ssdcache.plot(ssdcache.sweep(t, dram="1m"), "hitt"), ValueError, "did you mean 'hit'"),
        (lambda t: ssdcache.sweep(t, dram=[]), TypeError, "dram: the list is empty"),
        (lambda t: ssdcache.sweep(t, dram=range(0)), TypeError, "dram: the list is empty"),
        (lambda t: ssdcache.simulate(t, depth=range(2)), TypeError, "depth: one value, not a list"),
        (lambda t: ssdcache.sweep(t, dram=["1m", None]), TypeError, "dram: None in a list"),
    ],
)
def test_options_that_would_do_nothing_are_refused(small, call, error, message):
    with pytest.raises(error, match=message):
        call(small)


def test_a_failed_cell_is_a_warning(small, tmp_path):
    with pytest.warns(UserWarning) as record:
        frame = ssdcache.sweep(small, dram=["64k", "1m"], page=["4k", "64k"], admission="read-write")
    texts = [str(warning.message) for warning in record]
    assert len(frame) == 3 and len(texts) == 1
    assert "--dram=64k --page=64k" in texts[0] and "dram: 64k is not from" in texts[0]
    assert "cells.csv" not in texts[0]
    with pytest.warns(UserWarning), pytest.raises(ssdcache.SimulatorError, match="all cells failed; the last one: dram: 64k"):
        ssdcache.sweep(small, dram="64k", page="64k")


def test_a_warning_of_cells_is_shown_once(small):
    with pytest.warns(UserWarning) as record:
        frame = ssdcache.sweep(small, dram=["1m", "2m", "3m"], flash="s002:blocks=40", fold=True, admission="read-write")
    assert len(frame) == 3
    assert [str(warning.message)[:7] for warning in record] == ["--flash"]


def test_a_trace_without_writes_is_a_warning(small):
    for run, sizes in ((ssdcache.simulate, "1m"), (ssdcache.sweep, ["1m", "2m"])):
        with pytest.warns(UserWarning, match="lets only writes enter the DRAM, and the trace has none") as record:
            run(small, dram=sizes)
        assert len(record) == 1


def test_commands_of_a_sweep(tmp_path):
    trace = ssdcache.Trace(DEMO, limit=300, time_scale=0.5)
    row = ssdcache.sweep(trace, dram="1m", output=tmp_path / "out").iloc[0]
    assert row["command"] == f"ssdcache-sim --dram=1m --limit=300 --time-scale=0.5 -- {DEMO}"
    # A closed run ignores times.
    for options in ({"limit": 300, "time_scale": 0.5}, {"time_scale": 0.5}):
        row = ssdcache.sweep(ssdcache.Trace(DEMO, **options), dram="1m", closed=True).iloc[0]
        words = ["ssdcache-sim", "--dram=1m", "--closed", *(["--limit=300"] if "limit" in options else []), "--", str(DEMO)]
        assert row["command"] == " ".join(words)
    frame = ssdcache.sweep(ssdcache.Trace.from_frame(trace.requests), dram="1m")
    assert frame["command"].isna().all()


def test_the_report_names_release_and_command():
    trace = ssdcache.Trace(DEMO, limit=300, time_scale=0.5)
    report = ssdcache.simulate(trace, dram="1024k").report
    assert report["command"] == f"ssdcache-sim --dram=1m --limit=300 --time-scale=0.5 -- {DEMO}"
    row = ssdcache.sweep(trace, dram="1m").iloc[0]
    assert (report["version"], report["command"]) == (row["version"], row["command"])
    assert ssdcache.simulate(ssdcache.Trace.from_frame(trace.requests), dram="1m").report["command"] == ""


# Before Python 3.10 an index that is an assignment needs parentheses, and so does a member of a set.
def test_python_3_9_can_read_the_package():
    for name in pathlib.Path(ssdcache.__file__).parent.glob("*.py"):
        text = name.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text, feature_version=(3, 9))):
            for inner in [node.slice] if isinstance(node, ast.Subscript) else node.elts if isinstance(node, ast.Set) else []:
                before = lines[inner.lineno - 1].encode()[:inner.col_offset]
                assert not isinstance(inner, ast.NamedExpr) or before.endswith(b"("), f"{name.name}:{inner.lineno}"


# They are most of the time that the command takes to start.
def test_the_command_does_without_pandas():
    script = "import sys\nfrom ssdcache import cluster, program\nprint({'numpy', 'pandas', 'plotly', 'distributed'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout == "{'numpy'}\n"


def test_names_of_the_package():
    assert set(ssdcache.__all__) <= set(dir(ssdcache))
    # What the documentation of the package refers to.
    texts = "".join(getattr(ssdcache, name).__doc__ or "" for name in ssdcache.__all__)
    assert set(re.findall(r":(?:class|func|exc):`(\w+)`", texts)) <= set(ssdcache.__all__)
    assert all(getattr(ssdcache, name) is not None for name in ssdcache.__all__)
    with pytest.raises(AttributeError, match="module 'ssdcache' has no attribute 'simulated'"):
        ssdcache.simulated


def test_progress_to_a_file(tmp_path):
    script = (
        f"import ssdcache\ntrace = ssdcache.Trace({str(DEMO)!r}, limit=50)\n"
        "try: ssdcache.sweep(trace, dram='8m..1m', progress=True)\n"
        "except ssdcache.SimulatorError as e: print('refused', e)\n"
    )
    with open(tmp_path / "err", "w") as err:
        run = subprocess.run([sys.executable, "-c", script], stderr=err, stdout=subprocess.PIPE, text=True, check=False)
    assert run.stdout.startswith("refused")
    assert "ends before its start" in (tmp_path / "err").read_text()


@pytest.mark.parametrize(
    "column, values, message",
    [
        ("sector", [0.5], "integers"),
        ("sector", [float("nan")], "missing"),
        ("sector", ["8"], "integers"),
        ("sector", [2**54], "sector: values"),
        ("sector", [2**54 - 4], "a request ends at sector"),
        ("time_ns", [-1], "time_ns: values"),
        ("time_ns", [None], "missing"),
        ("nr_sectors", [2**32], "nr_sectors: values"),
        ("disk", [65536], "disk: values"),
        ("disk", [-1], "disk: values"),
        ("fua", [2], "fua: values"),
        ("nr_sectors", [0], "only a flush"),
        ("fua", [True], "^fua: only a write may have FUA$"),
    ],
)
def test_frames_are_checked(column, values, message):
    frame = pd.DataFrame({"time_ns": [0], "op": ["read"], "sector": [0], "nr_sectors": [8], "fua": [False], "disk": [0]})
    frame[column] = values
    with pytest.raises(ValueError, match=message):
        ssdcache.Trace.from_frame(frame)


def test_a_flush_of_a_frame_has_no_address(tmp_path):
    frame = pd.DataFrame({"time_ns": [0, 1], "op": ["write", "flush"], "sector": [0, 2**40], "nr_sectors": 8})
    trace = ssdcache.Trace.from_frame(frame)
    assert trace.sectors == 2048
    trace.save(tmp_path / "saved.csv")
    assert ssdcache.Trace(tmp_path / "saved.csv").requests.equals(trace.requests)


@pytest.mark.parametrize("column", ["time_ns", "op", "sector", "nr_sectors"])
def test_frames_need_their_columns(column):
    frame = pd.DataFrame({"time_ns": [0], "op": ["read"], "sector": [0], "nr_sectors": [8]})
    with pytest.raises(ValueError, match=f"no column '{column}'"):
        ssdcache.Trace.from_frame(frame.drop(columns=column))


def test_a_frame_of_other_integers():
    frame = pd.DataFrame({"time_ns": np.array([5, 3], "f8"), "op": "read", "sector": pd.array([8, 0], "Int64"), "nr_sectors": 8})
    trace = ssdcache.Trace.from_frame(frame)
    assert list(trace.records["time_ns"]) == [0, 2] and list(trace.records["sector"]) == [0, 8]
    empty = ssdcache.Trace.from_frame(frame[:0], name="nothing")
    assert len(empty) == 0
    for refused in (ssdcache.simulate, ssdcache.sweep):
        with pytest.raises(ssdcache.SimulatorError, match="^nothing: no requests$"):
            refused(empty, dram="1m")


@pytest.mark.parametrize("kind", ["bool", "object", "boolean", "uint8", "bool[pyarrow]"])
def test_switches_of_a_frame_may_have_any_type_of_booleans(kind):
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"time_ns": [0, 1], "op": "write", "sector": [0, 8], "nr_sectors": 8})
    switches = pd.Series([True, False], dtype=kind)
    assert ssdcache.Trace.from_frame(frame.assign(fua=switches)).records["fua"].tolist() == [True, False]
    with pytest.raises(ValueError, match="^nr_sectors: "):
        ssdcache.Trace.from_frame(frame.assign(nr_sectors=switches))


def test_a_frame_with_a_column_twice_is_refused():
    frame = pd.DataFrame([[0, 0, "read", 0, 8]], columns=["time_ns", "time_ns", "op", "sector", "nr_sectors"])
    with pytest.raises(ValueError, match="^'time_ns' names 2 columns$"):
        ssdcache.Trace.from_frame(frame)


def test_a_run_without_a_cache_has_no_figures_of_one(small):
    result = ssdcache.simulate(small, no_cache=True, flash="lin22")
    for name in ("ratios", "stats"):
        with pytest.raises(AttributeError, match=f"^{name}: the run had no cache; latency and flash have the figures of the device$"):
            getattr(result, name)
    assert result.latency["count"].sum() == len(small) and result.flash["host_reads"] > 0


def test_sweeps_vary_what_the_command_varies(small, tmp_path):
    """It says of every option that takes several values that a run takes one."""
    help_text = subprocess.run([SIM, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    options = re.findall(r"^ +--([a-z_-]+) [A-Z]+$", re.sub(r"( [A-Z]+) .*", r"\1", help_text), re.MULTILINE)
    # Outputs may have such names.
    said = {name: subprocess.run([SIM, "--json", f"--{name}=1,2", str(DEMO)], capture_output=True, text=True, check=False, cwd=tmp_path).stderr
            for name in options}
    swept = {name for name, text in said.items() if "is more than one value: 'ssdcache-sim sweep' takes them" in text}
    assert {"dram", "shards", "depth"} <= swept and swept - set(ssdcache.tunables) == set(_words.SWEPT)
    assert list(ssdcache.sweep(small, dram="4m", shards=[1, 2])["shards"]) == [1, 2]


def test_a_trace_holds_no_descriptor():
    before = len(os.listdir("/proc/self/fd"))
    traces = [ssdcache.Trace(DEMO, limit=10) for _ in range(5)]
    assert len(traces) == 5 and len(os.listdir("/proc/self/fd")) == before


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


@pytest.mark.parametrize("error", [
    CellFailed("--dram=1m", "why"), OtherBuild("tcp://host:1", "a"), PlotlyMissing(" of another version than 1"), Failed("why"),
    ssdcache.SimulatorError("why"), OptionsWrong("why"), SearchFailed("why", 2), InputLost("why")])
def test_errors_pass_between_processes(error):
    """A pool of processes that cannot read the error of a job is broken, and its other jobs are lost."""
    same = pickle.loads(pickle.dumps(error))
    assert (type(same), str(same), vars(same)) == (type(error), str(error), vars(error))


def test_a_failed_cell_is_an_error_of_a_job(tmp_path):
    """With warnings as errors."""
    trace = tmp_path / "one.csv"
    trace.write_text("# ssdcache-trace 1\n0,R,0,8,\n")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for _ in range(2):
            with pytest.raises(CellFailed) as failed:
                pool.submit(sweep_strictly, str(trace)).result()
            assert failed.value.options == "--dram=64k --page=64k" and failed.value.reason.startswith("dram: 64k is not from ")


def sweep_strictly(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error", CellFailed)
        ssdcache.sweep(name, dram="64k", page=["4k", "64k"])


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


# The terminal sends its signals to all processes. The program ends in order, and this one waits for it.
def test_the_program_ends_in_order_when_the_terminal_interrupts_it(tmp_path):
    words = [sys.executable, "-m", "ssdcache.program", "sweep", "--dram=1m..1g", "--replacement=all", f"--output={tmp_path}", str(DEMO)]
    process = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    rows = tmp_path / "cells.jsonl"
    while not rows.exists() or not rows.stat().st_size:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 1 and "the same command goes on" in err
    assert (tmp_path / "cells.csv").exists()


def test_values_of_a_sweep_may_come_from_any_iterable(small):
    options = {"replacement": (name for name in ("lru", "cflru")), "dram": np.array([1 << 20, 2 << 20]), "depth": range(1, 3)}
    frame = ssdcache.sweep(small, **options)
    assert frame[["replacement", "dram", "depth"]].values.tolist() == [
        [name, dram, depth] for name in ("lru", "cflru") for dram in ("1m", "2m") for depth in (1, 2)]


@pytest.mark.parametrize("closed, code, out, err", [
    ("2>&-", 0, "ssdcache-sim ", ""),
    (">&-", 1, "", "ssdcache-sim: cannot write the output: "),
])
def test_the_command_without_standard_files(closed, code, out, err):
    run = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', sys.executable, "-m", "ssdcache.program", "--version"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == code and run.stdout.startswith(out) and run.stderr.startswith(err) and len(run.stderr.splitlines()) == bool(err)


def test_messages_without_standard_files():
    """Where input and output are closed, the files for output and messages of a run are these."""
    code = "import ssdcache\ntry:\n    ssdcache.Trace('none.csv')\nexcept ssdcache.SimulatorError as error:\n    raise SystemExit(str(error))"
    run = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&- >&-', sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "none.csv: No such file or directory\n")


def test_a_sweep_without_standard_error():
    code = f"import ssdcache; print(len(ssdcache.sweep(ssdcache.Trace({str(DEMO)!r}, limit=50), dram='1m,2m')))"
    run = subprocess.run(["sh", "-c", 'exec "$0" "$@" 2>&-', sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "2\n")


def test_true_and_false_are_on_and_off_in_a_policy(small):
    specs = [ssdcache.replacement.cflru_ef_sc(adapt=adapt) for adapt in (True, False)]
    frame = ssdcache.sweep(small, replacement=specs, dram="1m")
    assert frame["replacement"].tolist() == ["cflru-ef-sc:adapt=on", "cflru-ef-sc:adapt=off"]


def test_switches_of_numpy_are_switches(small):
    report = ssdcache.simulate(small, flush_at_end=np.True_, closed=np.False_, replacement=ssdcache.replacement.cflru_ef_sc(adapt=np.False_)).report
    assert report["command"].count("--flush-at-end ") == 1 and "--closed" not in report["command"] and "adapt=off" in report["command"]
    with pytest.raises(TypeError, match="^dram: True in a list is not a value$"):
        ssdcache.sweep(small, dram=[np.True_])


@pytest.mark.parametrize("number, text", [
    (1e-05, "0.00001"), (1e6, "1000000"), (2.0, "2"), (0.1, "0.1"), (1 / 3, "0.3333333333333333"), (np.float64(1e-7), "0.0000001"), (np.float32(0.1), "0.1"), (np.int64(7), "7"),
    (np.array(1 << 20), "1048576"), (1e22, "10000000000000000000000"), (float("nan"), "nan"), (float("inf"), "inf"), (True, "True")])
def test_numbers_are_words_without_an_exponent(number, text):
    assert _words.word("name", number) == f"--name={text}"


def test_numbers_of_other_types_are_those_of_the_command_line(small):
    """The simulator reads no exponents where it counts in nanoseconds, and no fractions where it counts."""
    assert len(ssdcache.Trace(DEMO, limit=1e2, before=1e3, after=1e-6)) == 100
    frame = ssdcache.sweep(small, dram=np.array(1 << 20), depth=[1.0, np.float64(2)], replacement=ssdcache.replacement.cflru(window=20.0))
    assert frame[["dram", "depth", "replacement"]].values.tolist() == [["1m", 1, "cflru:window=20"], ["1m", 2, "cflru:window=20"]]
    with pytest.raises(ssdcache.SimulatorError, match="'1.5' is not a size"):
        ssdcache.simulate(small, dram=1.5)


# A parent may have ignored SIGCHLD, and programs inherit that. Then the system keeps no exit code.
def test_a_parent_that_ignores_sigchld():
    code = f"import ssdcache; print(len(ssdcache.Trace({str(DEMO)!r}, limit=7)))"
    for words, text in ((["-c", code], "7\n"), (["-m", "ssdcache.program", "--version"], "ssdcache-sim ")):
        run = subprocess.run(["env", "--ignore-signal=CHLD", sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             check=False)
        assert (run.returncode, run.stderr) == (0, "") and run.stdout.startswith(text)


def test_a_program_that_ignores_sigchld_is_told(small):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(ssdcache.SimulatorError, match="this program ignores SIGCHLD"):
            ssdcache.simulate(small, dram="1m")
    finally:
        signal.signal(signal.SIGCHLD, before)


# From a signal at each moment of the start of a job, no process is left.
def test_an_interruption_at_any_time_leaves_no_process(small, monkeypatch):
    library = ssdcache._library
    before = children(os.getpid())

    def interrupted(pid):
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ssdcache.simulate(small, dram="1m")
    assert children(os.getpid()) == before


def test_a_second_interruption_does_not_stop_the_wait(small, monkeypatch):
    library, real, calls = ssdcache._library, os.waitpid, []
    before = children(os.getpid())

    def waitpid(pid, flags):
        calls.append(flags)
        if len(calls) in (1, 3):
            raise KeyboardInterrupt
        return real(pid, flags)

    monkeypatch.setattr(os, "waitpid", waitpid)
    with pytest.raises(KeyboardInterrupt):
        ssdcache.simulate(small, dram="1m")
    monkeypatch.undo()
    assert children(os.getpid()) == before


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


def test_plugins_can_be_copied_and_passed_to_processes():
    plugins = ssdcache.replacement
    for other in (copy.copy(plugins), copy.deepcopy(plugins), pickle.loads(pickle.dumps(plugins))):
        assert list(other) == list(plugins) and str(other.cflru(window=3)) == "cflru:window=3"


def test_a_plugin_of_samples(tmp_path, small):
    subprocess.run(["make", "-s", "-C", str(TREE / "samples/policy"), f"BUILD={tmp_path}"], check=True)
    files = [tmp_path / f"ssdcache-{name}.so" for name in ("mru", "slru")]
    assert ssdcache.simulate(small, plugin=files, replacement="mru").report["config"]["replacement"] == "mru"
    frame = ssdcache.sweep(small, plugin=files, replacement=["mru", "slru"])
    assert list(frame["replacement"]) == ["mru", "slru"]


def test_there_is_no_source_distribution():
    setup = TREE / "userspace/python/setup.py"
    pytest.importorskip("wheel")
    run = subprocess.run([sys.executable, "setup.py", "-q", "sdist"], cwd=setup.parent, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode and "build a wheel" in run.stderr


def test_plugins_of_shared_objects_are_found(tmp_path, demo):
    missing = tmp_path / "none.so"
    with pytest.raises(ssdcache.SimulatorError, match="--plugin"):
        ssdcache.simulate(demo, plugin=str(missing))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_signal_to_the_command_alone_ends_the_sweep(tmp_path, number):
    words = ["sweep", "--jobs", "1", "--limit", "2000", "--dram", "1m,2m", "--idle_us", ",".join(map(str, range(100000, 102000))),
             "--output", str(tmp_path), str(DEMO)]
    with subprocess.Popen([sys.executable, "-m", "ssdcache.program", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as run:
        while run.poll() is None and not ((tmp_path / "cells.jsonl").exists() and (tmp_path / "cells.jsonl").stat().st_size):
            time.sleep(0.01)
        run.send_signal(number)
        assert "the same command goes on" in run.stderr.read()
    assert run.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_the_command_ends_as_its_simulator(tmp_path, number):
    trace = tmp_path / "trace"
    os.mkfifo(trace)
    # The FIFO opens when the simulator reads.
    with subprocess.Popen([sys.executable, "-m", "ssdcache.program", "--dram", "1m", trace]) as run, open(trace, "wb"):
        os.kill(int(pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text(encoding="utf-8")), number)
        assert run.wait() == -number


def test_folding_does_not_copy_the_requests(tmp_path):
    trace, options = ssdcache.Trace(DEMO, limit=2000), {"fold": True, "flash": "s002:blocks=40", "dram": "1m"}
    folded = ssdcache.simulate(trace, **options).report
    path = tmp_path / "records"
    path.write_bytes(trace.records.tobytes())
    with open(path, "rb") as file:
        # A write to this mapping would end the simulator with SIGSEGV.
        trace.records = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), trace.records.dtype)
    assert ssdcache.simulate(trace, **options).report == folded


FILE = "trace: expected a Trace or the name of a file, not "
METRIC = "metric: expected one of hit, mean, read-mean, .*, not "


def frame_of_another_library():
    """With the methods that polars shares with pandas, and its name."""
    return type("DataFrame", (), {"__module__": "polars.dataframe.frame", "columns": ["options"], "to_dict": dict})()


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda trace: ssdcache.Trace(None), r"Trace\(\): expected names of files, not None"),
        (lambda trace: ssdcache.Trace(DEMO, [DEMO]), r"Trace\(\): expected names of files, not list"),
        (lambda trace: ssdcache.Trace.from_frame(None), "frame: expected a DataFrame of pandas such as Trace.requests, not None"),
        (lambda trace: ssdcache.Trace.from_frame(trace), "frame: expected a DataFrame of pandas such as Trace.requests, not ssdcache.Trace"),
        (lambda trace: ssdcache.Trace.from_frame(trace.requests, 3), "name: expected a str, not int"),
        (lambda trace: ssdcache.simulate(None, dram="1m"), f"{FILE}None"),
        (lambda trace: ssdcache.simulate(trace.requests, dram="1m"), f"{FILE}pandas.DataFrame"),
        (lambda trace: ssdcache.sweep([trace, trace], dram="1m"), f"{FILE}list"),
        (lambda trace: ssdcache.simulate(trace, dram="1m", series=3), "series: expected the name of a file, not int"),
        (lambda trace: ssdcache.simulate(trace, dram="1m", log_decisions=True), "log_decisions: expected the name of a file, not bool"),
        (lambda trace: ssdcache.sweep(trace, dram="1m", output=3), "output: expected the name of a directory, not int"),
        (lambda trace: ssdcache.plot(None), r"frame: expected a DataFrame of pandas that sweep\(\) has returned, not None"),
        (lambda trace: ssdcache.plot([]), r"frame: expected a DataFrame of pandas that sweep\(\) has returned, not list"),
        (lambda trace: ssdcache.plot(frame_of_another_library()), r"frame: expected a DataFrame of pandas that .* not polars.DataFrame"),
        (lambda trace: ssdcache.Trace.from_frame(frame_of_another_library()), "frame: expected a DataFrame of pandas .* not polars.DataFrame"),
        (lambda trace: ssdcache.plot(pd.DataFrame(), None), f"{METRIC}None"),
        (lambda trace: ssdcache.plot(pd.DataFrame(), ["hit"]), f"{METRIC}list"),
        (lambda trace: ssdcache.plot(pd.DataFrame(), where="dram"), "where: expected a function that chooses rows, not str"),
    ],
)
def test_arguments_of_wrong_types_are_named(small, call, error):
    with pytest.raises(TypeError, match=f"^{error}$"):
        call(small)


def test_names_of_files_may_be_bytes(small, tmp_path):
    assert len(ssdcache.Trace(os.fsencode(DEMO), limit=5)) == 5
    ssdcache.simulate(small, dram="1m", series=os.fsencode(tmp_path / "series"), log_decisions=os.fsencode(tmp_path / "log"))
    ssdcache.sweep(small, dram="1m", output=os.fsencode(tmp_path / "results"))
    assert sorted(os.listdir(tmp_path)) == ["log", "results", "series"]
    trace = tmp_path / "trace.csv"
    trace.write_text("# ssdcache-trace 1\n0,W,0,8,\n")
    with pytest.raises(InputLost, match="trace.csv is the same file"):
        ssdcache.simulate(trace, dram="1m", series=os.fsencode(trace))


def test_names_with_a_null_byte_are_refused(small, tmp_path):
    """The simulator would read or write the file whose name ends at that byte."""
    with pytest.raises(ValueError, match="null byte"):
        ssdcache.Trace(f"{DEMO}\0x", limit=5)
    with pytest.raises(ValueError, match="null byte"):
        ssdcache.simulate(small, dram="1m", series=f"{tmp_path}/a\0b")
    assert os.listdir(tmp_path) == []
