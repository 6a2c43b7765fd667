# SPDX-License-Identifier: GPL-2.0
"""Sweeps on two workers of a Dask cluster: the same results as on this machine alone, also if a worker is killed."""
import collections
import contextlib
import csv
import errno
import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
from concurrent.futures import CancelledError

import dask
import pytest
from distributed import Client, Future, LocalCluster
from distributed.comm.core import CommClosedError

import ssdcache
from ssdcache import _library, cells_page, cluster, program, report
from ssdcache.cells import RESULTS, cells_of, read
from ssdcache.journal import Journal

TREE = pathlib.Path(__file__).resolve().parents[3]
DEMO = TREE / "traces" / "demo-ext4.csv.zst"


@pytest.fixture(scope="module")
def client():
    """One cluster for all tests. Its workers are forked from a process that has loaded Dask: to load it takes a second."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver", "distributed.worker.profile.enabled": False}), \
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=cluster.LOOPBACK) as workers, Client(workers) as client:
        yield client


def lines(directory):
    path = pathlib.Path(directory) / "cells.jsonl"
    return path.read_text().splitlines() if path.exists() else []


def results(directory):
    """By options and requests; each may be there once."""
    rows = [json.loads(line) for line in lines(directory)]
    found = {(row["workload"], row["options"]): row["result"] for row in rows}
    assert len(found) == len(rows)
    return found


def local(directory, *words):
    """The same sweep, by the ssdcache-sim of the package."""
    subprocess.run([sys.executable, "-m", "ssdcache.program", "sweep", *words, "--output", str(directory)], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)


SMALL = ["--replacement", "lru,cflru:window=30", "--dram", "1m..4m", "--limit", "500", str(DEMO)]


def test_a_killed_worker_loses_no_cell(client, tmp_path, monkeypatch):
    words = ["--replacement", "lru,fifo,lfu,vs-batch-plus", "--dram", "1m..8m", "--limit", "1000", str(DEMO)]
    directory = tmp_path / "out"
    before = client.run(os.getpid)
    add = Journal.add

    # 11 cells are left, and not more than AHEAD for each worker are on their way.
    def add_and_kill(journal, line):
        if len(journal.rows) == 4:
            os.kill(next(iter(before.values())), signal.SIGKILL)
        return add(journal, line)

    monkeypatch.setattr(Journal, "add", add_and_kill)
    assert cluster.sweep(client, [*words, "--output", str(directory)])
    found = results(directory)
    assert len(found) == 16
    client.wait_for_workers(2)
    assert client.run(os.getpid) != before
    local(tmp_path / "alone", *words)
    assert results(tmp_path / "alone") == found
    # A local sweep goes on where the cluster has ended: it runs nothing, and writes the same table.
    table = (directory / "cells.csv").read_bytes()
    rows = lines(directory)
    local(directory, *words)
    assert lines(directory) == rows and (directory / "cells.csv").read_bytes() == table


def test_a_cluster_goes_on_where_a_local_sweep_has_ended(client, tmp_path):
    local(tmp_path, "--replacement", "lru", *SMALL[2:])
    rows = lines(tmp_path)
    # A row that was cut, and one of another build, which does not count but stays.
    with open(tmp_path / "cells.jsonl", "a", encoding="utf-8") as file:
        other = json.loads(rows[0])
        other.update(code="0", options="--dram=2m --replacement=cflru:window=30")
        file.write(json.dumps(other) + "\n" + '{"version":"')
    assert cluster.sweep(client, [*SMALL, "--output", str(tmp_path)])
    assert lines(tmp_path)[:3] == rows and len(lines(tmp_path)) == 3 + 1 + 3
    assert len((tmp_path / "cells.csv").read_text().splitlines()) == 7
    again = lines(tmp_path)
    assert cluster.sweep(client, [*SMALL, "--output", str(tmp_path)])
    assert lines(tmp_path) == again


def test_each_trace_by_itself(client, tmp_path):
    names = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for i, name in enumerate(names):
        pathlib.Path(name).write_text("# ssdcache-trace 1\n" + "".join(f"{k}000,W,{8 * (k * (i + 2) % 50)},8,\n" for k in range(90)))
    assert cluster.sweep(client, ["--dram", "64k,128k", "--output", str(tmp_path / "each"), *names], each=True)
    for name in names:
        local(tmp_path / "alone", "--dram", "64k,128k", name)
    assert results(tmp_path / "each") == results(tmp_path / "alone") and len(results(tmp_path / "each")) == 4
    table = list(csv.DictReader((tmp_path / "each" / "cells.csv").read_text().splitlines()))
    assert [(row["trace"], row["dram"]) for row in table] == [(name, dram) for name in names for dram in ("64k", "128k")]
    assert {row["trace"] for row in table if row["command"].endswith(names[0])} == {names[0]}
    # Pages take the names of traces from the command, as without the column.
    assert {cell.options["trace"] for cell in cells_of(read(tmp_path / "each" / "cells.csv"))} == {"a.csv", "b.csv"}
    assert cluster.sweep(client, ["--dram", "64k,128k", "--output", str(tmp_path / "merged"), *names])
    assert len(results(tmp_path / "merged")) == 2
    assert "trace" not in (tmp_path / "merged" / "cells.csv").read_text().splitlines()[0].split(",")


def test_cells_and_traces_that_fail_do_not_stop_the_others(client, tmp_path, capsys):
    words = ["--dram", "64k,1m", "--page", "4k,64k", "--limit", "50", "--output", str(tmp_path), str(DEMO), str(tmp_path / "none")]
    assert not cluster.sweep(client, words, each=True)
    error = capsys.readouterr().err
    assert "--dram=64k --page=64k: dram: 64k is not from" in error and "No such file" in error
    assert len(results(tmp_path)) == 3 and "3 of 8 cells" in error


def test_an_error_names_a_trace_once(client, tmp_path, capsys):
    empty, none = tmp_path / "empty.csv", tmp_path / "none.csv"
    empty.write_text("")
    for each in (False, True):
        assert not cluster.sweep(client, ["--dram", "64k,1m", "--output", str(tmp_path / "out"), str(empty), str(none)], each=each)
        error = capsys.readouterr().err
        assert error.count(str(none)) == 1
        assert f"ssdcache-cluster: {none}: No such file or directory\n" in error
    assert f"ssdcache-cluster: {empty}: no requests\n" in error


def test_what_is_said_of_traces_reaches_the_client(client, tmp_path, capsys):
    """A worker may run elsewhere, so nobody sees what it prints."""
    names = [str(tmp_path / name) for name in ("joined.csv", "bad.csv")]
    requests = "# ssdcache-trace 1\n9000000000,W,0,8,\n"
    pathlib.Path(names[0]).write_text(requests + "0,W,8,8,\n")
    pathlib.Path(names[1]).write_text(requests + "?\n")
    words = ["--dram", "64k", "--skip-bad", "--output", str(tmp_path)]
    assert cluster.sweep(client, [*words, names[0]])
    assert "ssdcache-cluster: time goes back before 1 request, by up to 9.000 s: " in capsys.readouterr().err
    assert cluster.sweep(client, [*words, *names], each=True)
    error = capsys.readouterr().err
    assert f"ssdcache-cluster: {names[0]}: time goes back before 1 request" in error
    assert f"ssdcache-cluster: {names[1]}: 1 bad line skipped, the first: {names[1]}:3: " in error


def test_workers_of_another_build_are_refused(client, tmp_path):
    plan = cluster.Plan.of([*SMALL, "--output", str(tmp_path / "out")])
    plan.code = "0" * 40
    with pytest.raises(ssdcache.SimulatorError, match="tcp://.* has another build of the simulator"):
        cluster.Sweep(client, plan).run()
    assert not (tmp_path / "out").exists()
    with Journal(str(tmp_path), plan.code) as journal, pytest.raises(ssdcache.SimulatorError, match="another build"):
        journal.add(b'{"code":"1","workload":"","options":""}')
    assert not lines(tmp_path)


def test_a_plugin_that_is_built_again_between_two_sweeps(client, tmp_path):
    subprocess.run(["make", "-s", "-C", str(TREE / "samples/policy"), f"BUILD={tmp_path}"], check=True)
    plugin = tmp_path / "ssdcache-mru.so"
    words = ["--plugin", str(plugin), "--replacement", "mru", "--dram", "1m..4m", "--limit", "50", "--output", str(tmp_path / "out"), str(DEMO)]
    for more in (b"", b"\0"):
        (tmp_path / "new").write_bytes(plugin.read_bytes() + more)
        os.replace(tmp_path / "new", plugin)
        # On each worker, before a sweep would end those that fail.
        client.run(cluster.check_build, cluster.Sweep(client, cluster.Plan.of(words)).code)
        assert cluster.sweep(client, words)
    codes = collections.Counter(json.loads(line)["code"] for line in lines(tmp_path / "out"))
    assert sorted(codes.values()) == [3, 3]


def test_a_trace_whose_name_has_ends_of_lines(client, tmp_path):
    """Of those, Python knows more than JSON."""
    name = written(tmp_path / "a\u2028b\x85c.csv", 2)
    assert cluster.sweep(client, ["--dram", "64k", "--output", str(tmp_path / "out"), name])
    (row,) = map(json.loads, (tmp_path / "out/cells.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n"))
    assert row["command"].endswith(name)


def test_a_sweep_waits_a_moment_for_the_lock(tmp_path, monkeypatch):
    """A cell that a sweep has just started when it is killed keeps the lock for a moment."""
    with open(tmp_path / "cells.jsonl", "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr("time.sleep", lambda seconds: fcntl.flock(held, fcntl.LOCK_UN))
        with Journal(str(tmp_path), "code") as rows:
            assert not rows.rows


@pytest.mark.parametrize("line", ["[]", "null", "1"])
def test_a_line_that_is_no_row(tmp_path, line):
    (tmp_path / "cells.jsonl").write_text(f"{line}\n")
    with pytest.raises(ssdcache.SimulatorError, match="cells.jsonl:1: not a row of a sweep"):
        Journal(str(tmp_path), "code")


def test_two_sweeps_do_not_share_a_directory(client, tmp_path):
    plan = cluster.Plan.of([*SMALL, "--output", str(tmp_path)])
    with Journal(str(tmp_path), plan.code):
        with pytest.raises(ssdcache.SimulatorError, match="another sweep is writing"):
            cluster.Sweep(client, plan).run()
        run = subprocess.run([sys.executable, "-m", "ssdcache.program", "sweep", *SMALL, "--output", str(tmp_path)], stderr=subprocess.PIPE,
                             text=True, check=False)
        assert run.returncode == 1 and "another sweep is writing" in run.stderr


@pytest.mark.parametrize("words, code, message", [
    (["--workers", "2", "sweep", "--dram", "1x", "trace"], 2, "'1x' is not a size"),
    (["--workers", "2", "sweep", "--dram", "1m"], 2, "no trace given"),
    (["--workers", "2", "sweep", "trace"], 2, "no option that takes several values"),
    (["sweep", "--dram", "1m", "trace"], 2, "--scheduler"),
    (["--workers", "2", "run", "trace"], 2, "invalid choice"),
    (["--workers", "0", "sweep", "--dram", "1m", "trace"], 2, "'0' is not a number from 1 to"),
    (["--workers", "-1", "sweep", "--dram", "1m", "trace"], 2, "--workers"),
    (["--scheduler", "", "sweep", "--dram", "1m", "trace"], 2, "no address"),
    (["--workers", "2", "sweep", "--dram", "1m", "--jobs", "2", "trace"], 2, "--jobs: the workers"),
    (["--workers", "2", "sweep", "--dram", "1m", "--plot", "none/p.html", "trace"], 2, "--plot: none/p.html: No such file"),
    (["--workers", "2", "sweep", "--dram", "1m", "--plot", ".", "trace"], 2, "--plot: .: Is a directory"),
    (["--scheduler", "nonsense://x", "sweep", "--dram", "1m", "trace"], 1, "--scheduler: nonsense://x: unknown address scheme"),
    (["--workers", "2", "sweep", "--help"], 0, ""),
])
def test_the_command_line_is_checked_before_a_cluster_starts(tmp_path, monkeypatch, capsys, words, code, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cluster.Sweep, "run", None)
    try:
        got = cluster.main(words)
    except SystemExit as end:
        got = end.code
    captured = capsys.readouterr()
    assert got == code and message in captured.err
    assert code or "ssdcache-sim sweep" in captured.out


def test_the_command_of_the_package_is_the_program(tmp_path):
    words = [sys.executable, "-m", "ssdcache.program"]
    version = subprocess.run([*words, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert version.startswith("ssdcache-sim 1.")
    bad = subprocess.run([*words, "--dram", "1x", str(DEMO)], stderr=subprocess.PIPE, text=True, check=False)
    assert bad.returncode == 2 and "'1x' is not a size" in bad.stderr
    report = subprocess.run([*words, "--json", "--limit", "50", str(DEMO)], stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(report) == ssdcache.simulate(ssdcache.Trace(DEMO, limit=50)).report


def limited(size):
    """For a new process: memory."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def test_the_command_takes_no_memory_that_it_does_not_need():
    words = [sys.executable, "-m", "ssdcache.program", "--limit", "50", str(DEMO)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=limited(600 << 20))
    assert done.returncode == 0 and "replacement lru" in done.stdout, done.stderr


@pytest.mark.parametrize("error, text", [(MemoryError(), "no memory"), (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "Resource temporarily")])
def test_the_command_says_that_it_cannot_start(monkeypatch, capsys, error, text):
    def fail(_):
        raise error

    monkeypatch.setattr(_library, "program", fail)
    assert program.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("ssdcache-sim: ") and text in said and said.count("\n") == 1


def test_without_dask_the_command_names_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert cluster.main(["--workers", "1", "sweep", "--output", str(tmp_path / "sweep"), *SMALL]) == 1
    said = capsys.readouterr().err
    assert said.startswith("ssdcache-cluster: ") and said.endswith(": pip install distributed\n") and said.count("\n") == 1


def written(path, step):
    path.write_text("# ssdcache-trace 1\n" + "".join(f"{k}000,W,{8 * (k * step % 50)},8,\n" for k in range(90)))
    return str(path)


def table_of(directory):
    """Workloads by the number of their rows in cells.csv."""
    text = (pathlib.Path(directory) / "cells.csv").read_text()
    return collections.Counter(row["workload"] for row in csv.DictReader(text.splitlines()))


def test_a_sweep_that_is_interrupted_again_keeps_the_table(client, tmp_path, capsys, monkeypatch):
    names = [written(tmp_path / f"{i}.csv", i) for i in (2, 3, 4)]
    words = ["--dram", "64k,128k", "--limit", "80", "--output", str(tmp_path / "out"), *names]
    assert cluster.sweep(client, words, each=True)
    table = (tmp_path / "out" / "cells.csv").read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cluster.Sweep, "_run", interrupted)
    capsys.readouterr()
    with pytest.raises(KeyboardInterrupt):
        cluster.sweep(client, words, each=True)
    assert (tmp_path / "out" / "cells.csv").read_bytes() == table
    assert "6 of 6 cells in" in (error := capsys.readouterr().err) and "6 of them from before" in error
    # Other options read other requests.
    with pytest.raises(KeyboardInterrupt):
        cluster.sweep(client, ["--dram", "64k,128k", "--output", str(tmp_path / "out"), *names], each=True)
    assert "/cells.csv; cells.jsonl keeps 6 rows of other cells\n" in (error := capsys.readouterr().err) and "0 of 6 cells in" in error
    assert not table_of(tmp_path / "out")


def test_the_same_requests_are_one_workload(client, tmp_path, capsys):
    names = [written(tmp_path / f"{i}.csv", step) for i, step in enumerate((2, 2, 3))]
    words = ["--dram", "64k,128k", "--output", str(tmp_path / "out"), *names, names[0]]
    assert cluster.sweep(client, words, each=True)
    error = capsys.readouterr().err
    assert "the same requests as" in error and "4 of 4 cells in" in error
    assert sorted(table_of(tmp_path / "out").values()) == [2, 2] and len(lines(tmp_path / "out")) == 4
    assert cluster.sweep(client, words, each=True)
    assert "4 of 4 cells in" in (error := capsys.readouterr().err) and "4 of them from before" in error
    assert sorted(table_of(tmp_path / "out").values()) == [2, 2]


def program_of(*words):
    """The exit code of the ssdcache-sim of the package, and what it says."""
    done = subprocess.run([sys.executable, "-m", "ssdcache.program", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def row_of(options, code="1"):
    return json.dumps({"code": code, "workload": "a", "options": options, "command": f"ssdcache-sim {options} --limit=5 -- t.csv"}).encode()


@pytest.mark.parametrize("target", ["/dev/full", "/dev/null", "fifo", "."])
@pytest.mark.parametrize("name", RESULTS)
def test_results_are_regular_files(tmp_path, name, target):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / name).symlink_to(target)
    with pytest.raises(ssdcache.SimulatorError, match=f"{name}: not a regular file"):
        Journal(str(tmp_path), "1")
    assert sorted(os.listdir(tmp_path)) == sorted(["fifo", name])


def test_a_table_can_be_replaced(tmp_path):
    """A link may lead to a folder that is not there."""
    (tmp_path / "cells.csv").symlink_to("none/table")
    with pytest.raises(FileNotFoundError, match="cells.csv"):
        Journal(str(tmp_path), "1")
    assert os.listdir(tmp_path) == ["cells.csv"]


@pytest.mark.parametrize("place", ["file", "file/a/b", "", "dangling/a"])
def test_where_no_results_can_be_is_refused_before_workers_start(tmp_path, monkeypatch, capfd, place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cluster, "_client", None)
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    words = ["sweep", "--dram=1m,2m", f"--output={place}", str(DEMO)]
    said = f"--output: {place}: Not a directory" if place else "sweep: --output: the name is empty: --output DIRECTORY"
    assert cluster.main(["--workers=1", *words]) == 2
    assert capfd.readouterr().err == f"ssdcache-cluster: {said}\n"
    assert program_of(*words) == (2, f"ssdcache-sim: {said}\n")
    assert sorted(os.listdir(tmp_path)) == ["dangling", "file"]


def test_a_journal_counts_the_rows_of_other_cells(tmp_path):
    with Journal(str(tmp_path), "2") as journal:
        journal.add(row_of("--dram=1m", code="2"))
        assert not journal.others([("a", "--dram=1m")]) and journal.others([("a", "--dram=2m"), ("b", "--dram=1m")]) == 1
    with Journal(str(tmp_path), "1") as journal:
        journal.add(row_of("--dram=1m"))
        journal.add(row_of("--dram=2m"))
        assert journal.others([("a", "--dram=2m"), ("a", "--dram=4m")]) == 2


def test_a_journal_takes_a_cell_once(tmp_path):
    with Journal(str(tmp_path), "1") as journal:
        for line in (row_of("--dram=1m"), row_of("--dram=2m"), row_of("--dram=1m")):
            journal.add(line)
        assert journal.workload_of(["t.csv"], ["--limit=5"]) == ""
    assert len(lines(tmp_path)) == 2
    with Journal(str(tmp_path), "1") as journal:
        journal.add(row_of("--dram=2m"))
        assert journal.workload_of(["t.csv"], ["--limit=5"]) == "a" and journal.workload_of(["t.csv"], []) == ""
    assert len(lines(tmp_path)) == 2


@contextlib.contextmanager
def room(size):
    """As on a disk that is full when a file has this size: a part of what is written goes through. Python ignores SIGXFSZ."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_row_that_cannot_be_written_is_not_there(tmp_path):
    first, second = row_of("--dram=1m"), row_of("--dram=2m")
    cells = [(("a", options), [options]) for options in ("--dram=1m", "--dram=2m")]
    with Journal(str(tmp_path), "1") as journal:
        journal.add(first)
        with room(len(first) + 1 + len(second) // 2), pytest.raises(OSError, match="File too large: '.*cells.jsonl'"):
            journal.add(second)
        # What went through of the row does not stay, and the others are in the table.
        assert list(journal.rows) == [("a", "--dram=1m")] and lines(tmp_path) == [first.decode()]
        journal.write_table(["dram"], cells)
        assert table_of(tmp_path) == {"a": 1}
        journal.add(second)
        journal.write_table(["dram"], cells)
    assert lines(tmp_path) == [first.decode(), second.decode()] and table_of(tmp_path) == {"a": 2}


def test_a_full_disk_leaves_the_table(client, tmp_path, capsys):
    words = ["--dram", "64k,128k,256k", "--output", str(tmp_path / "out"), written(tmp_path / "t.csv", 2)]
    assert cluster.sweep(client, words)
    rows = (tmp_path / "out" / "cells.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "out" / "cells.jsonl").write_bytes(b"".join(rows[:2]) + rows[2][:100])
    capsys.readouterr()
    with room(sum(map(len, rows[:2])) + 200), pytest.raises(OSError, match="File too large: '.*cells.jsonl'"):
        cluster.sweep(client, words)
    assert "2 of 3 cells in" in capsys.readouterr().err
    assert list(table_of(tmp_path / "out").values()) == [2] and len(lines(tmp_path / "out")) == 2
    assert cluster.sweep(client, words) and len(results(tmp_path / "out")) == 3


@pytest.fixture
def late(client):
    """A third worker, of another build, which the check at the start has not seen."""
    before = set(client.nthreads())
    client.cluster.scale(3)
    client.wait_for_workers(3)
    (address,) = set(client.nthreads()) - before
    client.run(pretend_another_build, workers=[address])
    yield client, address
    client.cluster.scale(2)


def pretend_another_build():
    cluster.build_of = lambda words: "0" * 40


def test_a_late_worker_of_another_build_does_not_end_the_sweep(late, tmp_path, capsys, monkeypatch):
    client, address = late
    monkeypatch.setattr(cluster.Sweep, "_check_builds", lambda self: None)
    names = [written(tmp_path / f"{i}.csv", i) for i in (2, 3, 4, 5)]
    assert cluster.sweep(client, ["--dram", "64k..1m", "--output", str(tmp_path / "out"), *names], each=True)
    assert len(results(tmp_path / "out")) == 20
    error = capsys.readouterr().err
    assert error.count(f"the worker {address} has another build") == 1 and address not in client.nthreads()


def fails():
    raise ModuleNotFoundError("No module named 'ssdcache'")


def test_a_worker_without_the_package_is_named(client, tmp_path, monkeypatch):
    monkeypatch.setattr(client, "run", lambda *_, on_error: Client.run(client, fails, on_error=on_error))
    with pytest.raises(ssdcache.SimulatorError, match="the worker tcp://.* cannot run cells: ModuleNotFoundError: No module"):
        cluster.sweep(client, [*SMALL, "--output", str(tmp_path / "out")])


def test_a_sweep_says_that_it_waits_for_workers(client, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(client, "nthreads", lambda: {})
    cluster.Sweep(client, cluster.Plan.of([*SMALL, "--output", str(tmp_path / "out")]))._check_builds()
    assert capsys.readouterr().err == f"ssdcache-cluster: waiting for a worker of {client.scheduler.address}\n"


COMMANDS = [("ssdcache-cluster", cluster._parser), ("ssdcache-page", cells_page.parser), ("ssdcache-report", report.parser)]


@pytest.mark.parametrize("command, parser", COMMANDS)
def test_the_manual_has_each_option(command, parser):
    manual = (TREE / "userspace/python" / f"{command}.1").read_text().replace("\\-", "-")
    there = {word for tag in re.findall(r"^\.TP\n(.*)$", manual, re.MULTILINE) for word in re.findall(r"(?<!\w)--?[a-z][a-z_-]*", tag)}
    assert there == {word for action in parser()._actions for word in action.option_strings}


def test_the_manual_of_reports_has_the_defaults():
    manual = (TREE / "userspace/python/ssdcache-report.1").read_text().replace("\\-", "-")
    entries = re.split(r"^\.TP\n", manual, flags=re.MULTILINE)
    defaults = {action.option_strings[-1]: action.default for action in report.parser()._actions if action.option_strings and action.default}
    del defaults["--help"]
    assert len(defaults) == 4
    for option, default in defaults.items():
        (entry,) = (text for text in entries if re.search(rf"{option}\b", text.split("\n", 1)[0]))
        assert default in re.findall(r"[^\s,;]*=[^\s;]*\w|[\w.]*\w", entry.split("\n", 1)[1])


@pytest.mark.parametrize("kind, redrawn", [("xterm", True), ("dumb", False), ("", False), (None, False)])
def test_a_line_is_redrawn_only_where_that_works(monkeypatch, capsys, kind, redrawn):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.delenv("TERM", raising=False)
    if kind is not None:
        monkeypatch.setenv("TERM", kind)
    progress = cluster.Progress(10)
    progress.ended = 1
    progress.show()
    progress.say("a message")
    error = capsys.readouterr().err
    assert ("\x1b" in error) == redrawn and "1 of 10 cells" in error and "ssdcache-cluster: a message\n" in error


def test_a_scheduler_that_ends_is_no_traceback(tmp_path):
    """After one row, the scheduler is killed."""
    file = tmp_path / "scheduler.json"
    words = [sys.executable, "-c", SCHEDULER, str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as scheduler:
        try:
            assert scheduler.stdout.readline() == "ready\n"
            run = subprocess.run([sys.executable, "-c", KILLING, "--scheduler-file", str(file), "sweep", *SMALL, "--output",
                                  str(tmp_path / "out")], env={**os.environ, "SCHEDULER": str(scheduler.pid)}, stderr=subprocess.PIPE,
                                 text=True, check=False, timeout=100)
        finally:
            scheduler.kill()
    assert run.returncode == 1 and "the same command goes on" in run.stderr and "Traceback" not in run.stderr
    assert len(table_of(tmp_path / "out")) == 1


def test_a_scheduler_that_does_not_answer_has_ended(client, tmp_path, monkeypatch):
    """The sweep may notice in a call of its own, before any cell is cancelled."""
    def nthreads():
        raise CommClosedError("Connection reset by peer")

    monkeypatch.setattr(cluster.Sweep, "_check_builds", lambda self: None)
    monkeypatch.setattr(client, "nthreads", nthreads)
    with pytest.raises(ssdcache.SimulatorError, match="the scheduler has ended; the same command goes on"):
        cluster.sweep(client, [*SMALL, "--output", str(tmp_path)])
    assert not table_of(tmp_path)


def test_a_cell_that_is_cancelled_as_its_result_is_asked_for(client, tmp_path, monkeypatch):
    """The scheduler ends after the sweep has looked at the state of the cell."""
    def result(self):
        raise CancelledError("run_cell")

    monkeypatch.setattr(Future, "result", result)
    with pytest.raises(ssdcache.SimulatorError, match="the scheduler has ended; the same command goes on"):
        cluster.sweep(client, [*SMALL, "--output", str(tmp_path)])
    assert not table_of(tmp_path)


SCHEDULER = """
import json, sys
from distributed import LocalCluster
cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", protocol="tcp")
with open(sys.argv[1], "w") as file:
    json.dump({"address": cluster.scheduler_address, "workers": {}, "type": "Scheduler", "id": "x", "services": {}}, file)
print("ready", flush=True)
sys.stdin.read()
"""
KILLING = """
import os, signal, sys
import dask
from ssdcache import cluster, journal
dask.config.set({"distributed.comm.timeouts.connect": "1s"})
add = journal.Journal.add

def add_and_kill(self, line):
    os.kill(int(os.environ["SCHEDULER"]), signal.SIGKILL)
    return add(self, line)

journal.Journal.add = add_and_kill
sys.exit(cluster.main())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_table(client, tmp_path, capsys, monkeypatch, number):
    add = Journal.add

    def add_and_signal(journal, line):
        key = add(journal, line)
        if len(journal.rows) == 2:
            os.kill(os.getpid(), number)
        return key

    monkeypatch.setattr(Journal, "add", add_and_signal)
    monkeypatch.setattr(cluster, "_client", lambda *_: client)
    handlers = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)]
    assert cluster.main(["--workers", "2", "sweep", *SMALL, "--output", str(tmp_path)]) == 1
    assert "interrupted; the same command goes on" in capsys.readouterr().err
    assert list(table_of(tmp_path).values()) == [2]
    assert handlers == [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)]


@pytest.mark.parametrize("words, message", [
    (["--plot", "page.html"], "--plot: make the page"),
    (["--jobs", "2"], "--jobs: the workers"),
])
def test_options_that_a_function_would_ignore_are_refused(client, tmp_path, words, message):
    with pytest.raises(ssdcache.SimulatorError, match=message):
        cluster.sweep(client, [*words, *SMALL, "--output", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def listening():
    """The addresses at which this process waits for connections: those of 127.0.0.1 have its bytes in reverse."""
    inodes = {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")}
    found = set()
    for name in ("tcp", "tcp6"):
        path = pathlib.Path("/proc/self/net") / name
        for words in map(str.split, path.read_text().splitlines()[1:] if path.exists() else []):
            if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                found.add(words[1].split(":")[0])
    return found


def test_local_workers_listen_on_this_machine_only():
    arguments = cluster._parser().parse_args(["--workers", "1", "sweep"])
    with contextlib.ExitStack() as stack:
        client = cluster._client(arguments, stack)
        assert listening() | set.union(*client.run(listening).values()) | client.run_on_scheduler(listening) == {"0100007F"}
