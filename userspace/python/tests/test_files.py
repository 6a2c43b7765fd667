# SPDX-License-Identifier: GPL-2.0
"""Files that programs write: what is there is not lost."""
import os
import pathlib
import stat
import threading

import pytest

import ssdcache
from ssdcache import cells_page, cluster, files, journal, report
from ssdcache.page import Page

DEMO = pathlib.Path(__file__).resolve().parents[3] / "traces" / "demo-ext4.csv.zst"
ROW = ('{"code":"c","workload":"w","options":"--dram=1m","command":"ssdcache-sim --dram=1m -- t","config":{"dram_bytes":1048576},'
       '"ratios":{"hit":0.5}}\n')


def write(path):
    Page("new").write(path, "by hand")


def node(path, mode, device=0):
    try:
        os.mknod(path, mode, device)
    except PermissionError:
        pytest.skip("needs the right to make devices")
    return path


def test_a_page_goes_through_a_symbolic_link(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "page.html"
    target.write_text("old")
    target.chmod(0o640)
    link, second = tmp_path / "link.html", tmp_path / "second.html"
    link.symlink_to("real/page.html")
    second.symlink_to(link)
    for name in (link, second):
        target.write_text("old")
        files.check(name)
        assert target.read_text() == "old"
        write(name)
        assert name.is_symlink() and "<h1>new</h1>" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.html", "real", "second.html"] and os.listdir(tmp_path / "real") == ["page.html"]


def test_a_link_to_nothing_makes_the_file(tmp_path):
    link = tmp_path / "link.html"
    link.symlink_to("page.html")
    files.check(link)
    assert os.listdir(tmp_path) == ["link.html"]
    write(link)
    assert link.is_symlink() and "<h1>new</h1>" in (tmp_path / "page.html").read_text()


def test_a_device_is_written_to(tmp_path):
    null = node(tmp_path / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    full = node(tmp_path / "full", stat.S_IFCHR | 0o666, os.makedev(1, 7))
    files.check(null)
    write(null)
    with pytest.raises(OSError, match="No space left on device: .*full"):
        write(full)
    assert all(stat.S_ISCHR(path.stat().st_mode) for path in (null, full)) and sorted(os.listdir(tmp_path)) == ["full", "null"]


def test_a_reader_of_a_fifo_gets_the_page(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text(encoding="utf-8")))
    reader.start()
    files.check(fifo)
    write(fifo)
    reader.join()
    assert "<h1>new</h1>" in got[0] and stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("make, message", [
    (lambda path: path.mkdir(), "Is a directory"),
    (lambda path: path.symlink_to("."), "Is a directory"),
    (lambda path: path.symlink_to("page.html"), "Too many levels of symbolic links"),
    (lambda path: path.symlink_to("none/page.html"), "No such file or directory"),
    (lambda path: node(path, stat.S_IFBLK | 0o666, os.makedev(1, 0)), "Is a block device"),
    (lambda path: node(path, stat.S_IFSOCK | 0o666), "Is a socket"),
])
def test_other_files_are_refused(tmp_path, make, message):
    path = tmp_path / "page.html"
    make(path)
    kind = stat.S_IFMT(path.lstat().st_mode)
    for attempt in (files.check, write):
        with pytest.raises(OSError, match=f"{message}: '{path}'"):
            attempt(path)
    assert stat.S_IFMT(path.lstat().st_mode) == kind and os.listdir(tmp_path) == ["page.html"]


@pytest.mark.parametrize("name, message", [("", "No such file"), ("page.html/", "Is a directory")])
def test_names_of_no_file_are_refused(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    for attempt in (files.check, write):
        with pytest.raises(OSError, match=message):
            attempt(name)
    assert not os.listdir(tmp_path)


def test_a_neighbour_is_not_touched(tmp_path):
    (tmp_path / "page.html.new").write_text("mine")
    write(tmp_path / "page.html")
    assert (tmp_path / "page.html.new").read_text() == "mine" and len(os.listdir(tmp_path)) == 2


def test_a_long_name(tmp_path):
    write(tmp_path / ("ä" * 125 + ".html"))
    assert len(os.listdir(tmp_path)) == 1


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError):
        with files.written(path) as file:
            file.write("half of it")
            raise ZeroDivisionError
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["page.html"]


def test_the_table_of_a_sweep_goes_through_a_link(tmp_path):
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "cells.csv").symlink_to("../table.csv")
    (tmp_path / "table.csv").write_text("old")
    with journal.Journal(str(tmp_path / "sweep"), "c") as rows:
        key = rows.add(ROW.rstrip().encode())
        rows.write_table(["dram"], [(key, ["1m"])])
    assert (tmp_path / "sweep" / "cells.csv").is_symlink() and "0.5" in (tmp_path / "table.csv").read_text()
    assert sorted(os.listdir(tmp_path / "sweep")) == ["cells.csv", "cells.jsonl"]


def names_of(path):
    """The file itself, and other names of it."""
    link, hard = path.with_name("link"), path.with_name("hard")
    link.symlink_to(path)
    os.link(path, hard)
    return path, link, hard, path.parent / "." / path.name


def test_an_input_is_not_an_output(tmp_path, capfd):
    trace, rows, plugin = tmp_path / "t.zst", tmp_path / "rows" / "cells.jsonl", tmp_path / "plugin" / "x.so"
    rows.parent.mkdir()
    plugin.parent.mkdir()
    trace.write_bytes(DEMO.read_bytes())
    rows.write_text(ROW)
    plugin.write_text("plug-in")
    before = [path.read_bytes() for path in (trace, rows, plugin)]
    for name in names_of(trace):
        assert report.main(["-o", str(name), "--limit=10", str(trace)]) == 2
        assert capfd.readouterr().err == f"ssdcache-report: --output: {name} is the same file as the input {trace}\n"
    for name in names_of(rows):
        assert cells_page.main(["-o", str(name), str(rows)]) == 2
        assert capfd.readouterr().err == f"ssdcache-page: --output: {name} is the same file as the input {rows}\n"
    for name in names_of(plugin):
        assert report.main(["-o", str(name), "--limit=10", f"--plugin={plugin}", str(trace)]) == 2
        assert f"{name} is the same file as the input {plugin}\n" in capfd.readouterr().err
    assert [path.read_bytes() for path in (trace, rows, plugin)] == before


@pytest.mark.parametrize("plot", ["t.zst", "out/cells.csv", "out/cells.jsonl"])
def test_the_page_of_a_cluster_replaces_no_input(tmp_path, monkeypatch, capfd, plot):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.zst").write_bytes(DEMO.read_bytes())
    (tmp_path / "out").mkdir()
    assert cluster.main(["--workers=1", "sweep", "--dram=1m", "--output=out", f"--plot={plot}", "t.zst"]) == 2
    err = capfd.readouterr().err
    assert err.startswith("ssdcache-cluster: --plot: ") and plot in err and len(err.splitlines()) == 1
    assert (tmp_path / "t.zst").read_bytes() == DEMO.read_bytes() and not os.listdir(tmp_path / "out")


@pytest.mark.parametrize("option", ["series", "log_decisions"])
def test_a_run_writes_what_it_is_told_to_and_not_to_its_trace(tmp_path, option):
    copy = tmp_path / "t.zst"
    copy.write_bytes(DEMO.read_bytes())
    trace = ssdcache.Trace(copy, limit=100)
    ssdcache.simulate(trace, dram="1m", **{option: tmp_path / "out"})
    assert (tmp_path / "out").stat().st_size > 100
    for name in names_of(copy):
        with pytest.raises(ValueError, match=f"{name} is the same file as the input"):
            ssdcache.simulate(trace, dram="1m", **{option: str(name)})
    assert copy.read_bytes() == DEMO.read_bytes()
    # What only prints has no place here, and cells would write over each other's files.
    for call, options in ((ssdcache.simulate, {"json": True}), (ssdcache.simulate, {"describe": True}), (ssdcache.sweep, {option: "x", "depth": [1, 2]})):
        with pytest.raises(ssdcache.SimulatorError, match="for the command line only|unknown option"):
            call(trace, dram="1m", **options)


@pytest.mark.parametrize("name", ["cells.csv", "cells.jsonl"])
def test_a_sweep_does_not_write_to_its_trace(tmp_path, name):
    trace = tmp_path / name
    trace.write_text("# ssdcache-trace 1\n0,W,0,8,\n10,R,0,8,\n")
    before = trace.read_text()
    with pytest.raises(ValueError, match=f"output: .*{name} is the same file as the input"):
        ssdcache.sweep(ssdcache.Trace(trace), dram="1m", output=tmp_path)
    assert trace.read_text() == before and os.listdir(tmp_path) == [name]


def test_runs_that_are_kept_are_not_the_trace(tmp_path, capfd):
    trace = tmp_path / "all" / "cells.csv"
    trace.parent.mkdir()
    trace.write_text("# ssdcache-trace 1\n0,W,0,8,\n10,R,0,8,\n")
    assert report.main(["-o", str(tmp_path / "x.html"), f"--keep={tmp_path}", str(trace)]) == 2
    said = capfd.readouterr().err
    assert "--keep: " in said and "is the same file as the input" in said and "searching" not in said
    # Nor are they the page.
    assert report.main(["-o", str(trace), f"--keep={tmp_path}", str(DEMO)]) == 2
    assert "--output: " in capfd.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["all"] and os.listdir(tmp_path / "all") == ["cells.csv"]
