# SPDX-License-Identifier: GPL-2.0
"""Plots of sweeps, and pages that need no network."""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys

import pandas as pd
import pytest

import ssdcache
from ssdcache import cells, cells_page, page, plots

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
    assert [trace["name"] for trace in panel["data"]] == SIX[:3] + ["cflru", "req-block", "vs-batch-plus"]
    axis = chart["layout"]["xaxis"]
    assert axis["type"] == "log" and axis["ticktext"][0] == "256 KiB" and axis["ticktext"][-1] == "32 MiB" and len(axis["tickvals"]) == 8
    titles = [choice["title"] for choice in chart["choices"]]
    assert titles[0] == "hit ratio" and "99th percentile of write latency, µs" in titles and "written to flash, MiB" not in titles
    frame = pd.read_csv(swept / "cells.csv")
    lru = frame[frame["replacement"] == "lru"].sort_values("config.dram_bytes")
    assert panel["data"][0]["x"] == list(lru["config.dram_bytes"])
    assert panel["y"][0][0] == pytest.approx(list(lru["ratios.hit"]))
    assert any("ssdcache-page" in text and "cells.csv" in text for text in reader.text)


def test_rows_of_both_files_make_the_same_page(swept, tmp_path):
    for name in ("cells.csv", "cells.jsonl"):
        frame = cells.read(swept / name)
        chart = plots.chart_of(cells.cells_of(frame))
        # Cells end in any order.
        panel = chart.page_chart()["panels"][0]
        (tmp_path / name).write_text(json.dumps(panel, sort_keys=True))
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


def test_more_lines_than_can_be_told_apart_get_panels(tmp_path):
    frame = ssdcache.sweep(ssdcache.Trace(DEMO, limit=50), replacement="all", admission=["write-buffer", "read-write"], dram="1m,2m")
    chart = plots.chart_of(cells.cells_of(frame))
    policies = len(ssdcache.replacement)
    assert len(chart.panels) == 2 * policies
    for panel in chart.panels:
        traces = chart.traces(panel)
        assert len(traces) == policies and traces[-1]["name"] == panel.focus
        assert sum(trace["mode"] == "lines+markers" for trace in traces) == 1
    assert chart.panels[0].title == "lru, write-buffer"
    # All panels have the same axes.
    assert len(chart.page_chart()["choices"]) == len(chart.metrics())


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
    (["other.csv"], 2, "needs FILE and --output"),
    (["--check"], 0, ""),
])
def test_the_command_says_what_is_wrong(tmp_path, monkeypatch, capsys, words, code, message):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("empty.csv").write_text("options,workload\n")
    pathlib.Path("other.csv").write_text("a,b\n1,2\n")
    try:
        got = cells_page.main(words)
    except SystemExit as end:
        got = end.code
    error = capsys.readouterr().err
    assert got == code and message in error and not pathlib.Path("page.html").exists()


def test_without_plotly_the_command_names_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    assert cells_page.main(["--check"]) == 1
    assert "pip install 'plotly<5.19'" in capsys.readouterr().err


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
    assert len(reader.charts[0]["panels"][0]["data"]) == 6
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
    assert "With 1 MiB of DRAM: lfu, read-write, 2.0 µs; sure." in text
    assert "ssdcachectl create NAME" in text


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
