# SPDX-License-Identifier: GPL-2.0
"""Plots of sweeps, and pages that need no network."""
import csv
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys

import pandas as pd
import pytest

import browser
import ssdcache
from ssdcache import advice_page, cells, cells_page, page, plots, report_page

TREE = pathlib.Path(__file__).resolve().parents[3]
DEMO = TREE / "traces" / "demo-ext4.csv.zst"
SIM = os.environ.get("SSDCACHE_SIM", str(TREE / "userspace/build/bin/ssdcache-sim"))
SIX = ["lru", "fifo", "lfu", "cflru", "req-block", "vs-batch-plus"]


class Reader(html.parser.HTMLParser):
    """What a browser would load, and the charts."""

    def __init__(self, text):
        super().__init__()
        self.urls, self.charts, self.text, self.viewport, self.open = [], [], [], False, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.urls += [attrs[name] for name in ("src", "href", "data", "poster", "action") if attrs.get(name)]
        self.viewport |= attrs.get("name") == "viewport"
        if tag not in ("meta", "link", "input", "br"):
            self.open.append((tag, attrs.get("class")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, kind = self.open[-1] if self.open else ("", None)
        if (tag, kind) == ("script", "chart"):
            self.charts.append(json.loads(data))
        elif tag == "style" or (tag == "script" and len(data) < 100000):
            self.urls += re.findall(r"@import.*|url\(.*?\)|https?:[^\"' )]*", data)
        elif tag != "script":
            self.text.append(data)


def read_page(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    assert len(text.encode()) <= 5 << 20
    reader = Reader(text)
    assert not reader.open and reader.viewport and not reader.urls
    # Plotly's script itself is there once.
    assert text.count("* plotly.js v") == 1 and "prefers-color-scheme: dark" in text
    return reader


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Six policies, eight sizes."""
    directory = tmp_path_factory.mktemp("sweep")
    ssdcache.sweep(ssdcache.Trace(DEMO, limit=400), replacement=SIX, dram="256k..32m", output=directory)
    return directory


def test_a_page_of_six_policies_and_eight_sizes(swept, tmp_path):
    assert cells_page.main([str(swept / "cells.csv"), "-o", str(tmp_path / "page.html")]) == 0
    reader = read_page(tmp_path / "page.html")
    (chart,) = reader.charts
    (panel,) = chart["panels"]
    assert panel["lines"] == [0, 6] and [line["name"] for line in chart["lines"]] == SIX
    axis = chart["layout"]["xaxis"]
    assert axis["type"] == "log" and axis["ticktext"][0] == "256 KiB" and axis["ticktext"][-1] == "32 MiB" and len(axis["tickvals"]) == 8
    titles = [choice["title"] for choice in chart["choices"]]
    assert titles[0] == "hit ratio" and "99th percentile of write latency, µs" in titles and "written to flash, MiB" not in titles
    frame = pd.read_csv(swept / "cells.csv")
    lru = frame[frame["replacement"] == "lru"].sort_values("config.dram_bytes")
    assert chart["lines"][0]["x"] == list(lru["config.dram_bytes"])
    assert chart["lines"][0]["y"][0] == pytest.approx(list(lru["ratios.hit"]), rel=1e-4)
    assert any("ssdcache-page" in text and "cells.csv" in text for text in reader.text)


def test_a_page_of_flushes_has_a_table(tmp_path):
    """There are no figures to choose from. A chart without any stops the script of the page, so that its table is not sorted."""
    trace = tmp_path / "trace.csv"
    trace.write_text("# ssdcache-trace 1\n" + "".join(f"{at * 1000000},F,0,0,\n" for at in range(20)))
    frame = ssdcache.sweep(trace, replacement=["lru", "cflru"], dram="256k..1m", output=tmp_path / "sweep")
    assert cells_page.main([str(tmp_path / "sweep" / "cells.csv"), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    reader = Reader(text)
    assert not reader.charts and any("nothing to draw" in part for part in reader.text)
    assert text.count("<tr>") == 1 + len(frame) == 7 and text.count('aria-sort="none"') >= 2 and page.SCRIPT in text


def test_rows_of_both_files_make_the_same_page(swept, tmp_path):
    for name in ("cells.csv", "cells.jsonl"):
        frame = cells.read(swept / name)
        chart = plots.chart_of(cells.cells_of(frame))
        # Cells end in any order.
        (tmp_path / name).write_text(json.dumps(chart.page_chart(), sort_keys=True))
    assert (tmp_path / "cells.csv").read_text() == (tmp_path / "cells.jsonl").read_text()


def test_lines_differ_and_a_policy_keeps_its_style():
    all_policies = plots.styles(ssdcache.replacement)
    for names in (ssdcache.replacement, SIX, [f"cflru:window={i}" for i in range(50)] + ["cflru", "lru", "mine"]):
        found = plots.styles(names)
        assert len({(style.marker, style.dash) for style in found.values()}) == len(found)
        for name in set(names) & set(plots.KNOWN):
            assert found[name] == all_policies[name]
    assert len({style.colour for style in all_policies.values()}) == len(all_policies)
    assert set(ssdcache.replacement) <= set(plots.KNOWN)


def test_lines_are_ordered_by_their_numbers():
    trace = ssdcache.Trace(DEMO, limit=20)
    for options, names in (
            ({"page": "16k,64k,4k,8k"}, ["4k", "8k", "16k", "64k"]),
            ({"depth": [16, 1, 2]}, ["1", "2", "16"]),
            ({"replacement": ["cflru:window=30", "lru", "cflru:window=5", "cflru"]}, ["lru", "cflru", "cflru:window=5", "cflru:window=30"])):
        (panel,) = plots.chart_of(cells.cells_of(ssdcache.sweep(trace, dram="1m,2m", **options))).panels
        assert list(panel.lines) == names
    names = ["lru", "2q", "s3-fifo", "mine:size=512k", "mine:size=4m", "mine:size=32m", "mine:x=0.5", "mine:x=12", "mine-2", "mine-10", "10", "9k1", "\u0661"]
    ordered = sorted(reversed(names), key=plots.order)
    assert ordered[:3] == ["lru", "2q", "s3-fifo"]
    assert [name for name in ordered if name.startswith("mine:size")] == ["mine:size=512k", "mine:size=4m", "mine:size=32m"]
    assert ordered.index("mine-2") < ordered.index("mine-10") and ordered.index("mine:x=0.5") < ordered.index("mine:x=12")


def test_a_default_size_is_the_same_as_the_size_given(tmp_path):
    """Rows of several sweeps, of which one names what the other has by default."""
    trace = ssdcache.Trace(DEMO, limit=20)
    for name, options in (("one", {"page": "4k,8k", "dram": "64m"}), ("two", {"replacement": "lru"})):
        ssdcache.sweep(trace, output=tmp_path / name, **options)
    rows = cells.cells_of(cells.read(tmp_path / "one" / "cells.csv", tmp_path / "two" / "cells.csv"))
    assert [(cells.value_of(cell, "page"), cells.value_of(cell, "dram")) for cell in rows] == [("4k", "64m"), ("8k", "64m"), ("4k", "64m")]
    assert [cells.shown_value(cell, "page") for cell in rows] == ["4 KiB", "8 KiB", "4 KiB"]
    chart = plots.chart_of(rows)
    assert (chart.x, len(chart.places())) == ("page", 2)


def test_more_lines_than_can_be_told_apart_get_panels(tmp_path):
    frame = ssdcache.sweep(ssdcache.Trace(DEMO, limit=50), replacement="all", admission=["write-buffer", "read-write"], dram="1m,2m")
    chart = plots.chart_of(cells.cells_of(frame))
    policies = len(ssdcache.replacement)
    assert len(chart.panels) == 2 * policies
    for panel in chart.panels:
        grey, line = chart.traces(panel, cells.METRICS["hit"])
        assert line["name"] == panel.focus and line["mode"] == "lines+markers"
        assert grey["mode"] == "lines" and grey["y"].count(None) == policies - 1
    assert chart.panels[0].title == "lru, write-buffer"
    # All panels have the same axes, and the same lines.
    drawn = chart.page_chart()
    assert len(drawn["choices"]) == len(chart.metrics()) and len(drawn["lines"]) == 2 * policies
    assert [(panel["lines"], panel["focus"]) for panel in drawn["panels"]] == [
        ([start, start + policies], start + i) for start in (0, policies) for i in range(policies)]


def test_traces_and_admissions_become_panels():
    trace, other = ssdcache.Trace(DEMO, limit=50), ssdcache.Trace(DEMO, limit=70)
    options = {"replacement": ["lru", "fifo"], "admission": ["write-buffer", "read-write"], "dram": "1m,2m"}
    frame = pd.concat([ssdcache.sweep(trace, **options), ssdcache.sweep(other, **options)])
    chart = plots.chart_of(cells.cells_of(frame))
    assert sorted(panel.title for panel in chart.panels) == [
        f"{DEMO.name} (limit {limit}), {admission}" for limit in (50, 70) for admission in ("read-write", "write-buffer")]
    figure = ssdcache.plot(frame, "write-mean")
    assert len(figure.data) == 8 and sum(trace.showlegend for trace in figure.data) == 2


def test_other_numbers_are_an_axis_and_words_are_bars():
    trace = ssdcache.Trace(DEMO, limit=50)
    chart = plots.chart_of(cells.cells_of(ssdcache.sweep(trace, dram="1m", replacement=["lru", "fifo"], depth=[1, 4, 16])))
    assert (chart.x, chart.line, chart.places()) == ("depth", "replacement", [1, 4, 16])
    chart = plots.chart_of(cells.cells_of(ssdcache.sweep(trace, dram="1m", replacement=["lru", "fifo"])))
    (panel,) = chart.page_chart()["panels"]
    assert panel["data"][0]["type"] == "bar" and panel["data"][0]["x"] == ["lru", "fifo"]


def test_flash_writes_and_no_cache():
    trace = ssdcache.Trace(DEMO, limit=300)
    frame = ssdcache.sweep(trace, fold=True, flash="s002:blocks=40", dram="1m,2m")
    (panel,) = plots.chart_of(cells.cells_of(frame)).panels
    metric = cells.METRICS["flash-writes"]
    for cell in panel.lines["lru"].values():
        stats = {name: cell.row[f"flash.stats.{name}"] for name in ("host_programs", "gc_programs", "map_writes")}
        assert metric.value(cell.row) == sum(stats.values()) * cell.row["flash.params.page_bytes"] / 2**20 > 0
    frame = ssdcache.sweep(trace, fold=True, no_cache=True, flash=["s002:blocks=40", "s001:blocks=40"])
    chart = plots.chart_of(cells.cells_of(frame))
    assert {"write-mean", "flash-writes"} <= {metric.key for metric in chart.metrics()} and chart.line == "flash"
    assert "hit" not in {metric.key for metric in chart.metrics()}


def test_requests_of_a_kind_that_the_host_never_makes_have_no_latency():
    """The flash device is read for parts of pages: these reads are not the host's."""
    requests = [{"time_ns": number * 10**6, "op": "write", "sector": number % 200 * 8, "nr_sectors": 1} for number in range(400)]
    trace = ssdcache.Trace.from_frame(pd.DataFrame(requests))
    frame = ssdcache.sweep(trace, dram="64k,128k", admission="read-write", flash="s002:blocks=40,aged=steady", fold=True)
    bare = ssdcache.sweep(trace, no_cache=True, flash="s002:blocks=40", fold=True)
    both = pd.concat([frame, bare], ignore_index=True)
    assert (frame["flash.latency.read.count"] > 0).all() and (frame["latency.read.count"] == 0).all()
    for rows in (frame, both):
        for cell in cells.cells_of(rows):
            assert cells.METRICS["write-mean"].value(cell.row) is not None
            if cells.has_cache(cell):
                assert cells.METRICS["read-mean"].value(cell.row) is None and cells.METRICS["read-p99"].value(cell.row) is None
                assert cells.METRICS["mean"].value(cell.row) == cells.METRICS["write-mean"].value(cell.row)


BARE = ["s002:blocks=40", "s001:blocks=40"]


@pytest.fixture(scope="module", name="bare")
def bare_rows():
    """Rows without a cache."""
    return ssdcache.sweep(ssdcache.Trace(DEMO, limit=300), fold=True, no_cache=True, flash=BARE)


@pytest.mark.parametrize("options, panels", [
    # One line of a policy; its device is that of the first row without a cache.
    ({"dram": "1m,2m", "flash": BARE[0]}, {"": [BARE[0], f"{BARE[0]}, no cache", f"{BARE[1]}, no cache"]}),
    ({"dram": "1m,2m", "flash": BARE[0], "replacement": ["lru", "fifo"]}, {BARE[0]: ["lru", "fifo", "no cache"], BARE[1]: ["no cache"]}),
    ({"dram": "1m,2m", "flash": BARE, "replacement": ["lru", "fifo"], "admission": ["write-buffer", "read-write"]},
     {f"{flash}, {admission}": ["lru", "fifo", "no cache"] for flash in BARE for admission in ("write-buffer", "read-write")}),
    ({"dram": "1m", "flash": BARE, "replacement": ["lru", "fifo"]}, {flash: ["lru", "fifo", "no cache"] for flash in BARE}),
])
def test_rows_without_a_cache_are_level_lines_beside_rows_with_one(tmp_path, bare, options, panels):
    trace = ssdcache.Trace(DEMO, limit=300)
    ssdcache.sweep(trace, fold=True, output=tmp_path / "cached", **options)
    bare.to_csv(tmp_path / "bare.csv", index=False)
    names = [str(tmp_path / "cached" / "cells.csv"), str(tmp_path / "bare.csv")]
    for files in (names, names[::-1]):
        assert cells_page.main([*files, "-o", str(tmp_path / "page.html")]) == 0
        (drawn,) = read_page(tmp_path / "page.html").charts
        chart = plots.chart_of(cells.cells_of(cells.read(*files)))
        # The order of words in a title is that of the options in the rows.
        assert {frozenset(panel.title.split(", ")): set(panel.lines) for panel in chart.panels} == {
            frozenset(title.split(", ")): set(lines) for title, lines in panels.items()}
        assert [panel["title"] for panel in drawn["panels"]] == [panel.title for panel in chart.panels]
        sizes = [0.0] if options["dram"] == "1m" else [1 << 20, 2 << 20]
        assert chart.places() == sizes
        for panel in chart.panels:
            for name, line in panel.lines.items():
                assert sorted(line) == sizes
                if name.endswith("no cache"):
                    assert len({id(cell) for cell in line.values()}) == 1 and cells.METRICS["write-mean"].value(line[sizes[0]].row) > 0
        assert ssdcache.plot(cells.read(*files), "write-mean").data
    table = "".join(cells_page.page_of(cells.cells_of(cells.read(*names)), "Both").parts)
    assert "<td>no cache</td>" in table or '<td class="left">no cache</td>' in table
    assert "nan" not in table and "no-cache" not in table and "All with fold yes." in table


def test_a_value_that_is_missing_is_no_number():
    rows = [cells.Cell({"trace": "t"}, {"config.dram_bytes": float("nan"), "config.depth": float("nan"), "params.depth": 4.0})]
    assert cells.value_of(rows[0], "dram") == "default" and cells.value_of(rows[0], "depth") == "4.0"
    assert [plots._as_number(text) for text in ("nan", "inf", "-inf", "x", "3", "1k")] == [None, None, None, None, 3, 1024]  # pylint: disable=protected-access


def test_names_cannot_leave_their_places(tmp_path):
    one = page.Page("</title><script src=x>", "<img src=http://x>")
    one.table(["<b>"], [["<iframe src=x>"]])
    one.figure({"data": [{"type": "scatter", "name": "</script><img src=x>", "y": [1]}], "layout": {}}, "<link href=x>")
    one.write(tmp_path / "page.html", "<script src=x></script>")
    reader = read_page(tmp_path / "page.html")
    assert reader.charts[0]["panels"][0]["data"][0]["name"] == "</script><img src=x>"


def test_a_figure_of_plotly_becomes_part_of_a_page(swept, tmp_path):
    one = page.Page("One figure")
    one.figure(ssdcache.plot(pd.read_csv(swept / "cells.csv")), "Hits")
    one.write(tmp_path / "page.html", "by hand")
    assert len(read_page(tmp_path / "page.html").charts[0]["panels"][0]["data"]) == 6
    assert not (tmp_path / "page.html.new").exists()


@pytest.mark.parametrize("words, code, message", [
    (["none.csv", "-o", "page.html"], 1, "none.csv"),
    (["empty.csv", "-o", "page.html"], 1, "no rows"),
    (["other.csv", "-o", "page.html"], 1, "not rows of a sweep"),
    (["other.csv", "-o", "no/page.html"], 1, "rows of a sweep"),
    (["nothing", "-o", "page.html"], 1, "nothing: not rows of a sweep: No columns to parse from file"),
    (["binary.csv", "-o", "page.html"], 1, "binary.csv: not rows of a sweep: 'utf-8' codec can't decode"),
    (["binary.jsonl", "-o", "page.html"], 1, "binary.jsonl: not rows of a sweep: 'utf-8' codec can't decode"),
    (["trace.zst", "-o", "page.html"], 1, "trace.zst: not rows of a sweep: "),
    (["trace.gz", "-o", "page.html"], 1, "trace.gz: not rows of a sweep: "),
    (["trace.xz", "-o", "page.html"], 1, "trace.xz: not rows of a sweep: "),
    (["trace.zip", "-o", "page.html"], 1, "trace.zip: not rows of a sweep: "),
    (["number.jsonl", "-o", "page.html"], 1, "number.jsonl: not rows of a sweep: line 1 is no object"),
    (["text.jsonl", "-o", "page.html"], 1, "text.jsonl: not rows of a sweep: "),
    (["numbers.csv", "-o", "page.html"], 1, "numbers.csv: not rows of a sweep"),
    (["quotes.csv", "-o", "page.html"], 1, "quotes.csv: not rows of a sweep"),
    (["advice.json", "-o", "page.html"], 1, "advice.json: not the output of advise --json of this version"),
    (["other.csv", "advice.json", "-o", "page.html"], 1, "advice.json: the output of advise --json has a page of its own"),
    (["advice.json", "advice.json", "-o", "page.html"], 1, "advice.json: the output of advise --json has a page of its own"),
    ([".", "-o", "page.html"], 1, ".: Is a directory"),
    (["other.csv"], 2, "needs FILE and --output"),
    (["--check"], 0, ""),
])
def test_the_command_says_what_is_wrong(tmp_path, monkeypatch, capsys, words, code, message):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("empty.csv").write_text("options,workload\n")
    pathlib.Path("other.csv").write_text("a,b\n1,2\n")
    for name in ("nothing", "binary.csv", "binary.jsonl", "trace.zst", "trace.gz", "trace.xz", "trace.zip"):
        pathlib.Path(name).write_bytes(b"" if name == "nothing" else DEMO.read_bytes()[:5000])
    pathlib.Path("number.jsonl").write_text("5\n")
    pathlib.Path("text.jsonl").write_text("text\n")
    pathlib.Path("numbers.csv").write_text("options,workload\n1,2\n")
    pathlib.Path("quotes.csv").write_text("options,workload\n--dram='1m,2\n")
    pathlib.Path("advice.json").write_text('{"advice": 1}')
    try:
        got = cells_page.main(words)
    except SystemExit as end:
        got = end.code
    error = capsys.readouterr().err
    assert got == code and message in error and not pathlib.Path("page.html").exists()
    assert code != 1 or error.count("\n") == 1


def test_rows_of_a_pipe_are_refused(swept, tmp_path, capsys):
    """A pipe has been read when it turns out to be no advice."""
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as pipe:
        pipe.write((swept / "cells.csv").read_bytes()[:4096])
    name = f"/dev/fd/{read_end}"
    assert cells_page.main([name, "-o", str(tmp_path / "page.html")]) == 1
    os.close(read_end)
    assert capsys.readouterr().err == f"ssdcache-page: {name}: no output of advise --json, and rows of a sweep are read from a regular file\n"


def test_rows_of_several_pipes_are_read(swept, tmp_path):
    pipes = [os.pipe(), os.pipe()]
    for _, write_end in pipes:
        with open(write_end, "wb") as pipe:
            pipe.write((swept / "cells.csv").read_bytes()[:60000].rpartition(b"\n")[0] + b"\n")
    assert cells_page.main([*(f"/dev/fd/{read_end}" for read_end, _ in pipes), "-o", str(tmp_path / "page.html")]) == 0
    for read_end, _ in pipes:
        os.close(read_end)


def test_without_plotly_the_command_names_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    assert cells_page.main(["--check"]) == 1
    assert f"pip install '{page.PLOTLY}'" in capsys.readouterr().err


def test_a_script_of_the_package_needs_no_plotly(monkeypatch, tmp_path):
    (tmp_path / "plotly.min.js").write_text("shipped")
    monkeypatch.setattr(page, "SHIPPED", tmp_path / "plotly.min.js")
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    assert page.plotly_script() == "shipped"


@pytest.mark.parametrize("version, script, reason", [
    ("5.3.1", "", "another version than 5.3.1"),
    ("5.19.0", "", "another version than 5.19.0"),
    ("6.0.0rc0", "", "another version than 6.0.0rc0"),
    ("5.4.0+dfsg", "x" * 8_100_000, "a smaller script; the one that is installed has 8.1 MB"),
])
def test_a_plotly_that_makes_pages_too_large_is_refused(monkeypatch, capsys, swept, tmp_path, version, script, reason):
    monkeypatch.setattr("plotly.__version__", version)
    if script:
        monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: script)
    for words in (["--check"], [str(swept / "cells.csv"), "-o", str(tmp_path / "page.html")]):
        assert cells_page.main(words) == 1
        error = capsys.readouterr().err
        assert reason in error and f"pip install '{page.PLOTLY}'" in error
    assert not list(tmp_path.iterdir())


def test_the_bounds_of_plotly_are_those_of_the_package():
    """deps.sh takes them from pyproject.toml, too."""
    assert f'plot = ["{page.PLOTLY}"]' in (TREE / "userspace/python/pyproject.toml").read_text()


def generated(policies, sizes, traces=1, digits=0.123456789):
    """Rows as of a sweep, of which all figures have many digits."""
    return pd.DataFrame([
        {"version": "1", "code": "a", "workload": f"{trace:016x}", "options": f"--dram={1 + size}m --replacement={policy}",
         "command": f"ssdcache-sim --dram={1 + size}m --replacement={policy} -- traces/{trace:03}.csv.zst",
         "config.dram_bytes": (1 + size) << 20, "ratios.hit": digits / (2 + i + size), "ratios.flushed_per_written": digits * 7,
         **{f"latency.{op}.{name}": (digits + i + size + trace) * 1e6 for op in ("read", "write") for name in ("mean_ns", "p99_ns")},
         "latency.read.count": 5, "latency.write.count": 5, "flash.params.page_bytes": 4096, "flash.stats.host_programs": 123456789}
        for trace in range(traces) for i, policy in enumerate(policies) for size in range(sizes)])


@pytest.mark.parametrize("policies, sizes, traces, step", [(100, 48, 1, 1), (3, 8, 30, 1), (4, 3000, 1, 2)])
def test_a_page_of_many_policies_and_cells_stays_small(tmp_path, policies, sizes, traces, step):
    names = [f"cflru:window={i}" for i in range(policies)]
    one = cells_page.page_of(cells.cells_of(generated(names, sizes, traces)), "Many")
    one.write(tmp_path / "page.html", "generated")
    reader = read_page(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 5_000_000
    (chart,) = reader.charts
    assert len(chart["lines"]) == policies * traces and chart["step"] == step
    assert {line["x"][-1] for line in chart["lines"]} == {sizes << 20}
    assert any(f"one of {step} points" in text for text in reader.text) == (step > 1)
    assert any("the others are in the plots" in text for text in reader.text) == (policies * sizes * traces > 1000)


def test_lines_keep_their_ends_where_points_are_left_out():
    line = {"x": list(range(10)), "y": [[i / 3 for i in range(10)]]}
    panels, step = plots._fitting({"lines": [line] * 10000})
    assert step == 4 and panels["lines"][0] == {"x": [0, 4, 8, 9], "y": [[0, 4 / 3, 8 / 3, 3]]}


def test_names_in_plots_are_as_they_were_given():
    chart = plots.chart_of(cells.cells_of(generated(["'a&b\"c'", "'<b>x'"], 3)))
    names = [line["name"] for line in chart.page_chart()["lines"]]
    assert sorted(names) == ["&lt;b&gt;x", 'a&amp;b"c']
    assert {trace["name"] for trace in chart.traces(chart.panels[0], cells.METRICS["hit"])} == set(names)


@pytest.mark.parametrize("value, text", [
    (12345.678, "12,346"), (123456789, "123,456,789"), (1234.4, "1,234"), (12.345, "12.3"), (1.2345, "1.23"), (0.012345, "0.0123"),
    (0, "0"), (0.0000012345, "0.00000123"), (-12345.6, "-12,346"), (99.96, "100.0"),
    (7.755, "7.76"), (7.745, "7.75"), (7.7549, "7.75"), (-7.755, "-7.76"), (1e15, "1,000,000,000,000,000"), (1e30, f"{10**30 + 19884624838656:,}"), (0.5e-12, "0.000000000001"), (1234.5, "1,235"),
])
def test_figures_are_readable(value, text):
    assert cells.figure_text(value) == text


def test_a_table_is_readable():
    rows = cells.cells_of(generated(["lru", "fifo"], 2, digits=0.81345678))
    text = "".join(cells_page.page_of(rows, "Two").parts)
    table = text[text.index("<table>"):text.index("</table>")]
    assert "<td>1 MiB</td>" in table and "<td>40.67 %</td>" in table and "<td>1,813</td>" in table and "<td>482,253</td>" in table
    assert not re.search(r"\de[+-]\d", table) and ">mean read latency, µs</th>" in table
    chart = plots.chart_of(rows)
    hovers = {choice["title"]: choice["hover"] for choice in chart.page_chart()["choices"]}
    assert hovers["hit ratio"] == "%{y:.2%}" and hovers["mean read latency, µs"] == "%{y:,.4~r} µs"


def contrast(one, other):
    """As the Web Content Accessibility Guidelines define it: from 1 to 21."""
    def luminance(colour):
        parts = [int(part * (3 - len(part)), 16) / 255 for part in re.findall("." if len(colour) == 4 else "..", colour[1:])]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_text_can_be_told_from_the_paper():
    """4.5 is the least contrast of level AA."""
    themes = [dict(re.findall(r"--(\w+): (#\w+);", rules)) for rules in re.findall(r":root \{(.*?)\}", page.STYLE)]
    assert len(themes) == 2 and all(set(theme) == {"paper", "ink", "faint", "rule", "bad"} for theme in themes)
    assert all(contrast(theme[name], theme["paper"]) >= 4.5 for theme in themes for name in ("ink", "faint", "bad"))
    assert set(re.findall(r"[{;]\s*color: ([^;}]+)", page.STYLE)) <= {"var(--ink)", "var(--faint)", "var(--bad)"}


def test_a_page_can_be_read_aloud():
    made = page.Page("a page")
    made.table(["policy", "hits"], [["lru", "1"]])
    made.figure({"data": [{"type": "scatter", "y": [1, 2]}]}, "Two \"points\"")
    made.chart(plots.chart_of(cells.cells_of(generated(["lru"], 2, traces=2))).page_chart(), "Curves")
    text = "".join(made.parts)
    assert re.findall(r"<th\b[^>]*>", text) == ['<th scope="col">'] * 2
    labels = re.findall(r'class="plot" role="img" aria-label="(.*?)"', text)
    assert labels[0] == "Plot: Two &quot;points&quot;" and len(labels) == text.count('class="plot"') == 2
    assert all(label.startswith("Plot: ") and len(label) > 6 for label in labels)


def test_a_metric_that_is_not_there_is_refused(swept):
    frame = pd.read_csv(swept / "cells.csv")
    with pytest.raises(ValueError, match="'hits' is not one of hit, mean"):
        ssdcache.plot(frame, "hits")
    with pytest.raises(ValueError, match="no row has 'flash-writes'; there are: hit"):
        ssdcache.plot(frame, "flash-writes")
    with pytest.raises(ValueError, match="no column 'options'"):
        ssdcache.plot(frame.drop(columns="options"))


# From a trace to a page in one command, and the page is that of the table.
def test_a_sweep_of_the_command_line_makes_the_page(tmp_path):
    tool = tmp_path / "ssdcache-page"
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m ssdcache.cells_page "$@"\n')
    tool.chmod(0o755)
    subprocess.run([SIM, "sweep", "--replacement", ",".join(SIX), "--dram", "256k..32m", "--limit", "200", "--plot", "page.html", str(DEMO)],
                   cwd=tmp_path, env={**os.environ, "SSDCACHE_PAGE": str(tool)}, stdout=subprocess.DEVNULL, check=True)
    reader = read_page(tmp_path / "page.html")
    assert len(reader.charts[0]["lines"]) == 6
    assert any(text.endswith(f"--limit 200 --plot page.html {DEMO}") for text in reader.text)


def test_advice(tmp_path: pathlib.Path) -> None:
    """An advice becomes a page: a line for each policy, the choice, the commands."""
    def cell(name: str, dram: int, whole: bool) -> "dict[str, object]":
        return {"replacement": name, "admission": "read-write", "prefetch": "none", "dram_bytes": dram, "whole": whole,
                "estimate": 2e3, "value": 2e3, "hit_ratio": 0.5, "trust": "sure"}

    cells = [cell(name, dram, name == "lfu") for name in ("lru", "lfu") for dram in (1 << 20, 2 << 20)]
    advice = {
        "goal": "latency", "workload": {"requests": 5, "traces": ["a.csv"]}, "device": {"flash": None, "assumed": False},
        "search": {"whole_runs": 2, "cells": 4, "stopped_runs": 0, "sampled_runs": 2, "cost": 0.2}, "cells": cells, "choices": cells[2:],
        "advice": {"choice": cells[2], "create": "ssdcachectl create NAME", "table": "T", "simulate": "ssdcache-sim X"},
    }
    source, made = tmp_path / "advice.json", tmp_path / "page.html"
    source.write_text(json.dumps(advice))
    assert cells_page.main(["-o", str(made), str(source)]) == 0
    text = made.read_text(encoding="utf-8")
    charts = [json.loads(found) for found in re.findall(r'<script type="application/json" class="chart">(.*?)</script>', text)]
    assert [line["name"] for line in charts[0]["panels"][0]["data"]] == ["lru", "lfu"]
    assert all(symbol.endswith("-open") for symbol in charts[0]["panels"][0]["data"][0]["marker"]["symbol"])
    assert "With 1 MiB of DRAM: lfu, read-write, 2.00 µs; sure." in text and "<td>50.00 %</td>" in text
    assert "ssdcachectl create NAME" in text


def test_advice_of_hits_has_the_same_ratios_in_text_table_and_plots() -> None:
    """Plotly makes percents of shares: 0.25 is 25 %."""
    cell = {"replacement": "lru", "admission": "read-write", "prefetch": "none", "dram_bytes": 1 << 20, "whole": True, "estimate": 0.25,
            "value": 0.25, "hit_ratio": 0.25, "trust": "sure"}
    made = advice_page.page_of({
        "goal": "hits", "workload": {"requests": 5, "traces": ["a.csv"]}, "device": {"flash": None, "assumed": False},
        "search": {"whole_runs": 1, "cells": 1, "stopped_runs": 0, "sampled_runs": 0, "cost": 1}, "cells": [cell], "choices": [cell],
        "advice": {"choice": cell, "create": "", "table": "", "simulate": ""},
    })
    text = "".join(made.parts)
    assert "lru, read-write, 25.0 %; sure. Goal: page accesses that find the page in DRAM." in text and "<td>25.0</td><td>25.00 %</td>" in text
    charts = [json.loads(found) for found in re.findall(r'class="chart">(.*?)</script>', text)]
    assert [chart["panels"][0]["data"][0]["y"] for chart in charts] == [[0.25], [0.25]]
    for chart in charts:
        assert chart["layout"]["yaxis"]["tickformat"] == ".0%" and "%{y:.2%}" in chart["panels"][0]["data"][0]["hovertemplate"]


def test_advice_about_an_aged_drive_shows_the_means_that_decide() -> None:
    """What the text of the command prints; the figure with the given state of the drive may be twice as good by chance."""
    cells = [{"replacement": "lru", "admission": "read-write", "prefetch": "none", "dram_bytes": 1 << size, "whole": True, "estimate": 2e6,
              "value": 2e6, "hit_ratio": 0.25, "trust": "close"} for size in (20, 21)]
    cells[0].update(in_states=[2e6, 4e6, 9e6], mean=5e6)
    advice = {
        "goal": "latency", "workload": {"requests": 5, "traces": ["a.csv"]}, "device": {"flash": "shin23:aged=steady", "assumed": True},
        "search": {"whole_runs": 2, "cells": 2, "stopped_runs": 0, "sampled_runs": 0, "cost": 1}, "cells": cells, "choices": cells,
        "advice": {"choice": cells[0], "create": "", "table": "", "simulate": ""},
    }
    text = "".join(advice_page.page_of(advice).parts)
    assert "With 1 MiB of DRAM: lru, read-write, 5,000 µs; close" in text
    assert "<td>5,000</td>" in text and "<td>2,000; 4,000; 9,000</td>" in text and "<td>2,000 *</td>" in text
    assert "means of 3 states of the drive" in text and text.count("With the given state of the drive.</figcaption>") == 2
    del cells[0]["in_states"], cells[0]["mean"]
    text = "".join(advice_page.page_of(advice).parts)
    assert "2,000 µs" in text and "of the drive" not in text and "*" not in text


def test_advice_of_hits_shows_the_combination_with_most() -> None:
    cells = [{"replacement": "lru", "admission": admission, "dram_bytes": 1 << 20, "estimate": hits}
             for admission, hits in (("write-buffer", 0.4), ("read-write", 0.6), ("l-corw", 0.5))]
    for goal, best in (("hits", "read-write"), ("latency", "write-buffer")):
        assert advice_page.curves({"goal": goal, "cells": cells})["lru"][1 << 20]["admission"] == best


def written(path, step):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# ssdcache-trace 1\n" + "".join(f"{k}000,W,{8 * (k * step % 50)},8,\n" for k in range(90)))
    return path


def test_traces_of_the_same_name_are_different_curves(tmp_path):
    names = [written(tmp_path / folder / "src" / "web.csv", step) for folder, step in (("a", 2), ("b", 5))]
    frame = pd.concat([ssdcache.sweep(ssdcache.Trace(name), dram="64k,128k") for name in names])
    chart = plots.chart_of(cells.cells_of(frame))
    (panel,) = chart.panels
    assert sorted(panel.lines) == ["a/src/web.csv", "b/src/web.csv"] and all(len(line) == 2 for line in panel.lines.values())
    one = cells_page.page_of(cells.cells_of(frame), "Two")
    assert all(f"<td>{name}/src/web.csv</td>" in "".join(one.parts) for name in "ab")
    # A file that has changed between two sweeps.
    before = ssdcache.sweep(ssdcache.Trace(names[0]), dram="64k,128k")
    written(names[0], 7)
    frame = pd.concat([before, ssdcache.sweep(ssdcache.Trace(names[0]), dram="64k,128k")])
    (panel,) = plots.chart_of(cells.cells_of(frame)).panels
    assert sorted(panel.lines) == sorted(f"web.csv [{workload}]" for workload in set(frame["workload"]))


def test_a_hash_is_no_number(swept, tmp_path):
    """Hashes of digits alone, or with an e among them, are those of other requests, not numbers that are the same."""
    hashes = ["24e5607925240652", "5e73444786927233", "0214651890023855", "1516789310424087"]
    names = []
    for workload in hashes:
        names.append(tmp_path / f"{workload}.csv")
        with open(swept / "cells.csv", encoding="utf-8", newline="") as old, open(names[-1], "w", encoding="utf-8", newline="") as new:
            rows = list(csv.DictReader(old))
            table = csv.DictWriter(new, rows[0])
            table.writeheader()
            table.writerows({**row, "workload": workload} for row in rows)
    frame = cells.read(*names)
    assert frame["workload"].value_counts().to_dict() == {workload: 48 for workload in hashes}
    assert len(plots.chart_of(cells.cells_of(frame)).panels) == 4


def test_two_rows_are_not_drawn_at_one_place(swept):
    frame = pd.read_csv(swept / "cells.csv")
    other = frame.assign(options=frame["options"] + " --admission=" + frame["config.admission"])
    assert len(plots.chart_of(cells.cells_of(pd.concat([frame, other]))).cells()) == len(frame)
    other["ratios.hit"] += 0.1
    with pytest.raises(ValueError, match="two rows have the same place in the plot: .* and .* --admission=.*, both of demo"):
        plots.chart_of(cells.cells_of(pd.concat([frame, other])))


def test_the_command_of_the_package_finds_its_page_tool(tmp_path):
    tool = tmp_path / "ssdcache-page"
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m ssdcache.cells_page "$@"\n')
    tool.chmod(0o755)
    code = f"import sys; sys.argv[0] = {str(tmp_path / 'ssdcache-sim')!r}; from ssdcache import program; sys.exit(program.main())"
    environment = {name: value for name, value in os.environ.items() if name != "SSDCACHE_PAGE"}
    subprocess.run([sys.executable, "-c", code, "sweep", "--dram", "1m,2m", "--limit", "50", "--plot", "page.html", str(DEMO)], cwd=tmp_path,
                   env={**environment, "PATH": "/usr/bin:/bin"}, stdout=subprocess.DEVNULL, check=True)
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize(("width", "dark"), [(400, True), (1280, False)])
def test_pages_fit_into_a_window(tmp_path, swept, width, dark):
    made = cells_page.page_of(cells.cells_of(cells.read(str(swept / "cells.csv"))), "a sweep of umass_financial1_10k_of_a_long_name.csv.gz")
    made.text(f"Which policies for /{'folder_' * 20}trace.csv?")
    made.command("ssdcachectl create NAME --origin /dev/ORIGIN --dram 16m --page 4k --replacement cflru-ef-sc --admission read-write")
    made.verdict("Fast reads: fifo, read-write at the knee of 16 MiB of DRAM: 3.32 µs (10.3 times better than lru)")
    made.table(["policy", "trace"], [["lru", "x" * 300], ["fifo", "y"]])
    styles = plots.styles(SIX)
    rows = [[1000 * k, 1000 * k + 900, 3 + k] for k in range(20)]
    made.chart(report_page.distribution_chart({name: {"write_histogram": rows} for name in styles}, ["write"]), "a caption")
    made.write(tmp_path / "page.html", "made by a test, " + "of a long command " * 20)
    (tmp_path / "frame.html").write_text(browser.frame_of("page.html", width, 7), encoding="utf-8")
    found = browser.measured((tmp_path / "frame.html").as_uri(), tmp_path, dark)
    browser.check_layout(found, width, 7)
    ink, paper = found["colours"]
    assert browser.is_dark(paper) == dark and browser.is_dark(ink) != dark


def test_ticks_of_latencies_are_short():
    rows = [[10 ** k, 2 * 10 ** k, 1] for k in range(2, 10)]
    chart = report_page.distribution_chart({"lru": {"read_histogram": rows}}, ["read"])
    assert chart["layout"]["xaxis"]["ticktext"] == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]
