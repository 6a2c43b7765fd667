# SPDX-License-Identifier: GPL-2.0
"""Tests of the study: bounds, verdicts, and the page that is committed."""

import dataclasses
import itertools
import lzma
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import ssdcache

sys.path.insert(0, str(Path(__file__).parent))

import bounds
import claims
import generator
import page
import plan
import runs
import study
import svg
import traces
import verdicts

DOCUMENTS = Path(__file__).parents[3] / "Documentation"


def most_hits(requests, frames):
    """The same by trying all sets of intervals."""
    last, intervals = {}, []
    for at, pages in enumerate(requests):
        intervals += [(last[page], at) for page in pages if page in last]
        last |= dict.fromkeys(pages, at)
    return max(len(chosen) for size in range(len(intervals) + 1) for chosen in itertools.combinations(intervals, size)
               if all(sum(start <= at < end for start, end in chosen) <= frames for at in range(len(requests))))


def test_bound_is_the_best_choice_of_intervals():
    chance = random.Random(1)
    for _ in range(150):
        requests = [range(first, first + chance.randint(1, 3)) for first in (chance.randint(0, 5) for _ in range(6))]
        pages = np.array([page for request in requests for page in request])
        index = np.array([at for at, request in enumerate(requests) for _ in request])
        for frames in (1, 2, 3):
            assert bounds.max_hits(pages, index, frames) == most_hits(requests, frames), (requests, frames)


def folder_of(path, *names):
    """A folder of traces that differ in their lengths."""
    path.mkdir()
    for nr, name in enumerate(names, 1):
        (path / name).write_text("# ssdcache-trace 1\n" + "".join(f"{at},W,{8 * at},8,\n" for at in range(10 * nr)))
    return path


def test_names_of_traces_may_have_dots(tmp_path):
    folder = folder_of(tmp_path / "in", "msr.web_0.csv", "msr.web_1.csv", "v1.csv")
    found = traces.load(folder, tmp_path / "prepared", 1000)
    assert {trace.name: (trace.nr, len(ssdcache.Trace(trace.path))) for trace in found} == {"msr.web_0": (10, 10), "msr.web_1": (20, 20), "v1": (30, 30)}


def test_two_traces_of_one_name_are_refused(tmp_path):
    folder = folder_of(tmp_path / "in", "web_0.csv", "web_0.csv.bak")
    with pytest.raises(SystemExit, match="web_0.csv and web_0.csv.bak have the same name, web_0"):
        traces.load(folder, tmp_path / "prepared", 1000)


@pytest.mark.parametrize("admission", ["write-buffer", "read-write"])
def test_no_policy_beats_the_bound(tmp_path, admission):
    chance = np.random.default_rng(2)
    nr = 4000
    frame = pd.DataFrame({"time_ns": np.arange(nr) * 100_000, "op": np.where(chance.random(nr) < 0.3, "read", "write"),
                          "sector": (chance.zipf(1.3, nr) % 2000) * 8, "nr_sectors": 8 * chance.integers(1, 6, nr)})
    path = tmp_path / "trace.csv"
    records = ssdcache.Trace.from_frame(frame).records
    path.write_text("# ssdcache-trace 1\n" + "".join(f"{r['time_ns']},{'RW'[r['op']]},{r['sector']},{r['nr_sectors']},\n" for r in records))
    limit = bounds.bounds(path, 4096, 256, admission == "read-write")
    for policy in ("lru", "cflru-ef-sc", "req-block", "vs-batch-plus", "opt"):
        stats = ssdcache.simulate(path, dram="1m", replacement=policy, admission=admission, closed=True, dram_mode="protected").stats
        assert stats["write_hits"] <= limit["overwrites"] * stats["write_pages"] + 1e-6
        flushed = sum(value for name, value in stats.items() if name.endswith("_flushed")) + stats["dirty"]
        assert flushed >= limit["flushed"]
        if admission == "read-write":
            assert stats["read_hits"] + stats["write_hits"] <= limit["hits"] * (stats["read_pages"] + stats["write_pages"]) + 1e-6
    # The bound is close: OPT gets most of it.
    opt = ssdcache.simulate(path, dram="1m", replacement="opt", admission=admission, closed=True, dram_mode="protected").stats
    assert opt["write_hits"] >= 0.8 * limit["overwrites"] * opt["write_pages"]


def made(tmp_path, rows, head, mean_write=8192, mean_read=8192, paper="lin22"):
    """Data of cells.csv's rows: kind, trace, bytes, policy, and the metrics of @head."""
    (tmp_path / "cells.csv").write_text("\n".join([",".join(("paper", "kind", "trace", "bytes", "policy", *head)),
                                                   *(",".join(map(str, (paper, *row))) for row in rows)]) + "\n")
    traces = {row[1] for row in rows}
    (tmp_path / "traces.csv").write_text("\n".join([",".join(study.TRACE), *(
        f"{name},100,0,1,0.1,0.5,0.5,200,100,150,80,{mean_read},{mean_write}," for name in traces)]) + "\n")
    return verdicts.Data(tmp_path / "cells.csv", tmp_path / "traces.csv")


def claim(**more):
    return claims.Claim("lin22-99", **({"metric": "response", "name": "Req-block", "other": "LRU", "value": -0.2} | more))


def pair(kind, a, b, trace="t"):
    return [(kind, trace, 1 << 20, "LRU", b), (kind, trace, 1 << 20, "Req-block", a)]


def test_majority_of_kinds_decides_and_a_tie_differs(tmp_path):
    rows = pair("paper", 90, 100) + pair("paper-closed", 110, 100) + pair("scaled", 80, 100) + pair("scaled-closed", 100, 100)
    data = made(tmp_path, rows, ("response",))
    found = verdicts.verdicts(data, [claim()])[0]
    assert [found.outcomes[kind].state for kind in plan.MAIN] == [verdicts.AGREE, verdicts.DIFFER, verdicts.AGREE, verdicts.SAME]
    assert found.state == verdicts.AGREE
    assert verdicts.verdicts(data, [claim(kinds=("paper", "paper-closed"))])[0].state == verdicts.DIFFER
    assert verdicts.verdicts(data, [claim(kinds=("scaled-closed",))])[0].state == verdicts.SAME
    assert verdicts.verdicts(data, [claim(value=0.2, kinds=("paper", "scaled"))])[0].state == verdicts.DIFFER


@pytest.mark.parametrize("how, better, worse", [("lowest", 100, 110), ("highest", 100, 90)])
def test_a_policy_that_another_one_equals_is_not_the_lowest_or_the_highest(tmp_path, how, better, worse):
    of = claim(how=how, other=("LRU", "BPLRU"), value=None)
    for other, state in ((worse, verdicts.AGREE), (better, verdicts.DIFFER)):
        data = made(tmp_path, [*pair("paper", better, worse), ("paper", "t", 1 << 20, "BPLRU", other)], ("response",))
        outcome = verdicts.judged(data, of, "paper")
        assert (outcome.state, outcome.parts) == (state, (int(state == verdicts.AGREE), 1)), other


@pytest.mark.parametrize("metric", ["response", "absorbed"])
def test_a_setting_that_another_one_equals_is_not_the_best(tmp_path, metric):
    of = claim(how="best", metric=metric, other=("Req-block delta=4", "Req-block delta=6"), value=5)
    best, worse = (0.5, 0.6) if metric == "response" else (0.6, 0.5)
    for other, state in ((worse, verdicts.AGREE), (best, verdicts.DIFFER)):
        rows = zip(("LRU", "Req-block", "Req-block delta=4", "Req-block delta=6"), (worse, best, worse, other))
        data = made(tmp_path, [("paper", "t", 1 << 20, *row) for row in rows], (metric,))
        assert verdicts.judged(data, of, "paper").state == state, other


def test_equal_policies_are_in_no_order(tmp_path):
    of = claim(how="order", metric="batch", other=("LRU", "Req-block", "BPLRU"), value=None)
    for middle, state in ((2, verdicts.AGREE), (3, verdicts.DIFFER), (1, verdicts.DIFFER)):
        data = made(tmp_path, [*pair("paper", middle, 1), ("paper", "t", 1 << 20, "BPLRU", 3)], ("batch",))
        assert verdicts.judged(data, of, "paper").state == state, middle


def test_cells_without_evictions_do_not_count(tmp_path):
    data = made(tmp_path, pair("paper", 90, 100) + [("paper", "u", 1 << 20, "LRU", 100)], ("response",))
    outcome = verdicts.judged(data, claim(), "paper")
    assert outcome.parts == (1, 1)
    data = made(tmp_path, [("paper", "u", 1 << 20, "LRU", 100)], ("response",))
    assert verdicts.judged(data, claim(), "paper").state == verdicts.UNSHOWN


def test_traces_with_larger_writes_than_the_papers_do_not_count(tmp_path):
    data = made(tmp_path, pair("paper", 90, 100), ("response",), plan.LARGEST_REQUEST + 1, 1 << 20)
    assert verdicts.judged(data, claim(), "paper").state == verdicts.UNSHOWN
    assert verdicts.judged(data.by(all_traces=True), claim(), "paper").state == verdicts.AGREE
    data = made(tmp_path, pair("paper", 90, 100), ("response",), plan.LARGEST_REQUEST, 1 << 20)
    assert verdicts.judged(data, claim(), "paper").state == verdicts.AGREE


@pytest.mark.parametrize("metric, large", [("read", "mean_read"), ("response", "mean_read"), ("write", "mean_write"), ("erases", "mean_write")])
def test_headlines_of_li22_on_reads_count_traces_with_reads_like_its_own(tmp_path, metric, large):
    rows = [("paper", "t", 1 << 20, "Baseline", 1000), ("paper", "t", 1 << 20, "Pattern+", 900)]
    of = claims.Claim("li22-99", metric, "Pattern+", "Baseline", -0.2)
    for name in ("mean_read", "mean_write"):
        data = made(tmp_path, rows, (metric,), **{name: plan.LARGEST_REQUEST + 1}, paper="li22")
        assert verdicts.judged(data, of, "paper").state == (verdicts.UNSHOWN if name == large else verdicts.AGREE)


def test_a_mean_request_is_in_bytes(tmp_path):
    records = np.zeros(3, ssdcache.Trace.from_frame(pd.DataFrame({"time_ns": [0], "op": ["write"], "sector": [0], "nr_sectors": [8]})).records.dtype)
    records["time_ns"], records["sector"] = [0, 1, 2], [1, 30, 100]
    records["op"], records["nr_sectors"] = [1, 1, 0], [1, 2, 40]
    assert traces.Trace(tmp_path / "t.csv", records).mean == {traces.READ: 20480.0, traces.WRITE: 768.0}


def test_each_kind_for_causes_changes_one_thing_more(tmp_path):
    paper, chance = plan.PAPERS["sha23"], np.random.default_rng(2)
    frame = pd.DataFrame({"time_ns": np.arange(4000) * 1000, "op": np.where(chance.random(4000) < 0.5, "read", "write"),
                          "sector": chance.integers(0, 4000, 4000), "nr_sectors": chance.integers(1, 40, 4000)})
    source = traces.Trace(tmp_path / "t.csv", ssdcache.Trace.from_frame(frame).records)
    roomy, whole, apart = (traces.isolated(paper, f"paper-{change}", source) for change in ("roomy", "whole", "apart"))
    before, made, moved = (ssdcache.Trace(trace.path).records for trace in (source, whole, apart))
    assert (roomy.path, roomy.sectors) == (source.path, plan.ROOM * source.sectors) and whole.sectors == apart.sectors == roomy.sectors
    read = before["op"] == traces.READ
    assert (made[read] == before[read]).all() and (made["time_ns"] == before["time_ns"]).all()
    end, made_end = (records["sector"] + records["nr_sectors"] for records in (before, made))
    assert (made["sector"][~read] == before["sector"][~read] // 16 * 16).all() and (made_end[~read] == (end[~read] + 15) // 16 * 16).all()
    write = moved["op"] == traces.WRITE
    # A trace begins at time 0.
    assert len(set(moved["time_ns"][write].astype(np.int64) - made["time_ns"][~read])) == 1
    assert (moved["sector"][write] == made["sector"][~read]).all() and (np.diff(moved["time_ns"].astype(np.int64)) >= 0).all()
    assert sorted(moved["sector"][~write]) == sorted(before["sector"][read]) and (moved["sector"][~write] != before["sector"][read]).any()


def test_an_overloaded_device_does_not_count(tmp_path):
    for taken, state in ((1001, verdicts.UNSHOWN), (1000, verdicts.AGREE)):
        data = made(tmp_path, pair("paper", 900, taken) + pair("paper-closed", 100, 100), ("response",))
        assert verdicts.judged(data, claim(), "paper").state == state, taken


def test_a_bound_that_forbids_half_of_the_figure_leaves_the_cell_out(tmp_path):
    def rows(limit):
        return [("paper", "t", 1 << 20, "LRU", 0.5), ("paper", "t", 1 << 20, "Req-block", 0.4), ("paper", "t", 1 << 20, "bound", limit)]

    gain = claim(metric="overwrites", value=0.4)
    assert verdicts.judged(made(tmp_path, rows(0.59), ("overwrites",)), gain, "paper").state == verdicts.UNSHOWN
    assert verdicts.judged(made(tmp_path, rows(0.61), ("overwrites",)), gain, "paper").state == verdicts.DIFFER
    # The same for a headline that would agree.
    rows_of_gain = [(*row[:3], name, value) for row, name, value in zip(rows(0), ("LRU", "Req-block", "bound"), (0.5, 0.55, 0.59))]
    assert verdicts.judged(made(tmp_path, rows_of_gain, ("overwrites",)), gain, "paper").state == verdicts.UNSHOWN


def test_no_more_than_all_writes_are_absorbed(tmp_path):
    for base, state in ((0.85, verdicts.UNSHOWN), (0.8, verdicts.DIFFER)):
        data = made(tmp_path, pair("paper", base - 0.1, base), ("absorbed",))
        assert verdicts.judged(data, claim(metric="absorbed", value=0.4), "paper").state == state


def test_a_graph_is_rebuilt_for_each_fifth_that_leaves(tmp_path):
    def rows(flushed):
        return [("paper", "t", 100 * 8192, name, nr, "") for name, nr in (("LRU", ""), ("VS-Batch", 10), ("VS-Batch+", 30))] + \
               [("paper", "t", 100 * 8192, "bound", "", flushed)]

    fewer = claims.Claim("sha23-99", "rebuilds", "VS-Batch+", "VS-Batch", -0.6)
    # 100 pages are dirty at the end; the others make at least one rebuild for 21 of them.
    for flushed, state in ((100 + 8 * 21, verdicts.UNSHOWN), (100 + 8 * 21 - 1, verdicts.DIFFER)):
        data = made(tmp_path, rows(flushed), ("rebuilds", "flushed"), paper="sha23")
        assert verdicts.judged(data, fewer, "paper").state == state, flushed


def test_policies_that_decide_alike_show_nothing(tmp_path):
    def rows(*digests):
        return [("paper", f"t{at}", 1 << 20, name, value, digest) for at, pair_of in enumerate(digests)
                for name, value, digest in zip(("LRU", "Req-block"), (100, 90), pair_of)]

    for digests, state in (((("d1", "d1"), ("d2", "d2")), verdicts.UNSHOWN), ((("d1", "d1"), ("d2", "d3")), verdicts.AGREE),
                           ((("d1", "d1"), ("", "")), verdicts.AGREE)):
        data = made(tmp_path, rows(*digests), ("response", "decisions"))
        assert verdicts.judged(data, claim(), "paper").state == state, digests
    three = [("paper", "t", 1 << 20, name, value, digest) for name, value, digest in
             (("LRU", 100, "d1"), ("BPLRU", 100, "d1"), ("VBBMS", 110, "d2"))]
    each = claims.Claim("lin22-99", "response", "LRU", ("BPLRU", "VBBMS"), -1.0, "each", figure=False)
    assert verdicts.judged(made(tmp_path, three, ("response", "decisions")), each, "paper").state == verdicts.AGREE
    both = [(*row[:5], "d1") for row in three]
    assert verdicts.judged(made(tmp_path, both, ("response", "decisions")), each, "paper").state == verdicts.UNSHOWN


def test_few_events_show_nothing(tmp_path):
    assert verdicts.judged(made(tmp_path, pair("paper", 30, 60), ("thrash",)), claim(metric="thrash"), "paper").state == verdicts.UNSHOWN
    assert verdicts.judged(made(tmp_path, pair("paper", 30, 60), ("gc",)), claim(metric="gc"), "paper").state == verdicts.UNSHOWN
    found = verdicts.judged(made(tmp_path, pair("paper", 300, 600), ("gc",)), claim(metric="gc"), "paper")
    assert (found.state, found.ours) == (verdicts.AGREE, -0.5)


@pytest.mark.parametrize("value", [-0.2, 0.2])
def test_fewer_thrash_events_than_the_papers_traces_have_show_nothing(tmp_path, value):
    least = claims.LEAST_EVENTS["thrash"]
    thrash = claim(metric="thrash", value=value)
    few = made(tmp_path, pair("paper", least, least - 1), ("thrash",))
    found = verdicts.judged(few, thrash, "paper")
    assert found.state == verdicts.UNSHOWN and found.ours is not None
    assert verdicts.judged(few.by(few_events=True), thrash, "paper").state in (verdicts.AGREE, verdicts.DIFFER)
    # One cell with few events is left out, another one is not.
    both = made(tmp_path, pair("paper", 0, least - 1) + pair("paper", 2 * least, least, "u"), ("thrash",))
    found = verdicts.judged(both, thrash, "paper")
    assert (found.state, found.ours, found.parts[1]) == (verdicts.AGREE if value > 0 else verdicts.DIFFER, 1.0, 1)


def verdict_of(tmp_path, of, *figures, kinds=plan.MAIN):
    rows = [row for kind, part in zip(kinds, figures) for at, ours in enumerate(part) for row in pair(kind, ours, 1000, f"t{at}")]
    return verdicts.verdicts(made(tmp_path, rows, ("response",)), [of])[0]


def test_an_equal_one_does_not_agree(tmp_path):
    found = verdict_of(tmp_path, claim(), *[(1000,)] * 4)
    states = verdicts.counts([found])["directions"]
    assert found.state == verdicts.SAME and (states[verdicts.AGREE], verdicts.shown(states)) == (0, 1)


def test_less_than_a_tenth_in_half_of_the_kinds_is_weak(tmp_path):
    for small, weak in ((1, False), (2, True), (3, True)):
        assert verdicts.weak(verdict_of(tmp_path, claim(), *[(990,)] * small, *[(800,)] * (4 - small))) == weak
    found = verdict_of(tmp_path, claim(value=-1.0, figure=False), *[(990,)] * 4)
    assert found.state == verdicts.AGREE and not verdicts.weak(found) and verdicts.near(found) is None


def test_a_mean_that_half_of_the_cells_contradict_agrees_in_few_cells(tmp_path):
    for cells, few in (((500, 1010), True), ((500, 1010, 1010), True), ((500, 900, 1010), False)):
        found = verdict_of(tmp_path, claim(), cells)
        assert (found.state, verdicts.in_few_cells(found)) == (verdicts.AGREE, few), cells
        assert verdicts.counts([found])["directions"][verdicts.FAINT] == few
    # All kinds that decide, those that do not agree, too.
    assert verdicts.in_few_cells(verdict_of(tmp_path, claim(), (500, 900, 1010), (500, 900, 1010), (1000, 1000, 1000)))


def test_a_figure_is_near_within_a_factor_of_two(tmp_path):
    for ours, near in ((905, False), (895, True), (605, True), (595, False), (1200, False)):
        assert verdicts.near(verdict_of(tmp_path, claim(), (ours,))) == near, ours


def test_each_means_against_every_one(tmp_path):
    of = claims.Claim("lin22-99", "response", "LRU", ("BPLRU", "VBBMS"), -1.0, "each", figure=False)
    for rivals, state in (((900, 800), verdicts.DIFFER), ((1100, 900), verdicts.DIFFER), ((1100, 1000), verdicts.SAME), ((1100, 1200), verdicts.AGREE)):
        rows = [("paper", "t", 1 << 20, name, value) for name, value in zip(("LRU", "BPLRU", "VBBMS"), (1000, *rivals))]
        assert verdicts.judged(made(tmp_path, rows, ("response",)), of, "paper").state == state, rivals


def test_the_bound_shown_is_that_of_the_cells_that_count(tmp_path):
    rows = [("paper", trace, 1 << 20, name, value) for trace, limit in (("t", 0.8), ("u", 0.45))
            for name, value in (("LRU", 0.4), ("Req-block", 0.44), ("bound", limit))]
    gain = claim(metric="overwrites", value=0.4)
    outcome = verdicts.judged(made(tmp_path, rows, ("overwrites",)), gain, "paper")
    assert (outcome.cells, round(outcome.bound, 6)) == ({("t", 1 << 20)}, 1.0)
    page_text = page.bound_text(verdicts.Verdict(gain, {"paper": outcome}, outcome.state))
    assert page_text == "+100.0 %"


def test_generated_traces_show_no_hit_ratios(tmp_path):
    rows = [row for kind in ("half", "half-generated", "generated") for row in pair(kind, 800, 1000)]
    for metric, shown in (("response", True), ("absorbed", False), ("flushed", False)):
        found = verdicts.verdicts(made(tmp_path, rows, (metric,)), [claim(metric=metric)])[0]
        assert (found.outcomes["generated"].state != verdicts.UNSHOWN) == shown, metric


def test_texts_have_the_figures_of_the_data(tmp_path):
    data = made(tmp_path, pair("paper", 900, 1000) + pair("scaled", 1200, 1000), ("response",))
    assert page.filled(data, "a {change:lin22,paper,Req-block,LRU,response} b") == "a −10.0 % b"
    assert page.filled(data, "{change:lin22,paper/scaled,Req-block,LRU,response}") == "−10.0 … +20.0 %"
    assert page.filled(data, "{mean:lin22,paper/scaled,Req-block,response}") == "900.00 … 1200.00"
    assert page.filled(data, "{most:lin22,paper/scaled,Req-block,response}") == "1200.00"
    assert page.filled(data, "{trace:t,reading}") == "10 %"
    for text in ("change:lin22,paper-closed,Req-block,LRU,response", "mean:lin22,paper,OPT,response", "most:sha23,MAIN,LRU,thrash", "trace:u,reading"):
        assert page.filled(data, "{" + text + "}") == page.MISSING, text


def test_the_page_without_a_run_is_html_too(tmp_path, monkeypatch):
    for name in ("markdown", "plotly"):
        pytest.importorskip(name)
    made(tmp_path, pair("paper", 900, 1000), ("response",))
    monkeypatch.setattr(sys, "argv", ["page.py", "--html", str(tmp_path), str(tmp_path)])
    assert page.main() == 0
    text = (tmp_path / "results.html").read_text(encoding="utf-8")
    assert "Find a headline" in text and '<a id="lin22-4-lru">' in text and "<img" not in text
    assert not (tmp_path / "results.md").exists()


def test_a_study_of_other_traces_has_a_page(tmp_path, monkeypatch):
    made(tmp_path, pair("paper", 900, 1000), ("response",))
    monkeypatch.setattr(sys, "argv", ["page.py", str(tmp_path), str(tmp_path / "own")])
    assert page.main() == 0
    text = (tmp_path / "own" / "results.md").read_text(encoding="utf-8")
    assert "lin22-4" in text and page.MISSING in text and "{" not in text
    # What is said of the published runs, and of their causes, is not said of others.
    said = ("The whole study was run at commit", "Each that does not agree has an experiment on its cause.")
    published = (DOCUMENTS / "results.md").read_text(encoding="utf-8")
    assert [part in text for part in said] == [False, False] and [part in published for part in said] == [True, True]
    assert page.OWN in text and page.OWN not in published
    monkeypatch.setattr(sys, "argv", ["page.py", "--published", str(tmp_path), str(tmp_path / "published")])
    assert page.main() == 0
    text = (tmp_path / "published" / "results.md").read_text(encoding="utf-8")
    assert all(part in text for part in said) and page.OWN not in text


def small_trace(tmp_path, interval_ns=1000):
    records = np.zeros(3000, ssdcache.Trace.from_frame(pd.DataFrame({"time_ns": [0], "op": ["write"], "sector": [0], "nr_sectors": [8]}))
                       .records.dtype)
    chance = np.random.default_rng(3)
    records["time_ns"] = np.arange(3000) * interval_ns
    records["op"], records["nr_sectors"], records["sector"] = 1, 8, chance.integers(0, 1500, 3000) * 8
    return traces.Trace(tmp_path / "t.csv", records)


def test_a_run_is_done_once(tmp_path):
    cell = study.Cell(small_trace(tmp_path), 1 << 20, plan.CLOSED, False)
    paper = plan.PAPERS["lin22"]
    found = []
    for name, new in (("LRU", 1), ("LRU", 0), ("Req-block", 1)):
        simulator = runs.Simulator(1, tmp_path / "runs.jsonl")
        found.append(simulator.start(paper, paper.policies[name], cell).result())
        assert simulator.new == new
        simulator.close()
    assert found[0] == found[1] != found[2]
    assert set(found[0]) <= set(runs.FACTS)


def test_decisions_are_compared_where_all_else_is_the_same(tmp_path):
    paper = plan.PAPERS["lin22"]
    same = plan.Policy("mq-ssd:budget=0,keep_clean=on", "write-buffer")
    found = study.Study([small_trace(tmp_path)], tmp_path, {}, fits=lambda *_: True)
    found.cells = [(dataclasses.replace(paper, policies={name: paper.policies[name] for name in ("LRU", "VBBMS")} | {"same": same}),
                    "paper-closed", study.Cell(small_trace(tmp_path), 1 << 20, plan.CLOSED, False))]
    simulator = runs.Simulator(1, tmp_path / "runs.jsonl")
    rows = {row[4]: row[5] for row in found.run(simulator, {("lin22", "paper-closed"): {("LRU", "same"), ("VBBMS", "LRU")}})}
    simulator.close()
    assert rows["LRU"]["decisions"] == rows["same"]["decisions"] and "decisions" not in rows["VBBMS"]


def test_kinds_of_run_that_headlines_name_have_bounds(tmp_path):
    trace, paper = small_trace(tmp_path, 40_000_000), plan.PAPERS["shin23"]
    found = study.Study([trace], tmp_path, {}, fits=lambda *_: True)
    few = dataclasses.replace(paper, policies={name: paper.policies[name] for name in ("CFLRU", "EF-SC")})
    found.cells = [(few, key, study.Cell(trace, 1 << 20, plan.KINDS[key].options, False)) for key in ("paper", "flush", "target")]
    simulator = runs.Simulator(1, tmp_path / "runs.jsonl")
    rows = {(row[1], row[4]): row[5] for row in found.run(simulator, limited=study.limited())}
    simulator.close()
    assert {kind for kind, name in rows if name == "bound"} == {"paper", "flush"}
    assert rows["flush", "bound"] == rows["paper", "bound"]
    for (kind, name), facts in rows.items():
        if kind != "target" and name != "bound":
            assert within(facts, rows[kind, "bound"], 0.001, name), (kind, name)
    assert rows["flush", "CFLRU"]["flushed"] > rows["paper", "CFLRU"]["flushed"]


def test_no_cell_of_the_column_of_bounds_is_empty():
    report = page.Report(page.data_of(DOCUMENTS / "results"))
    texts = {verdict.claim.id: page.bound_text(verdict) for verdict in report.found}
    assert all(re.match("none: .|(at least )?[+−]", text) for text in texts.values()), texts
    assert texts["sha23-9"].startswith("at least +") and texts["sha23-8"].startswith("+") and texts["sha23-15/LRU"] == "none: latency"
    # How many of those on a metric that has a bound have none: sweeps, and what no cell can show.
    assert sum("none" in texts[of.id] for of in claims.CLAIMS if of.metric in claims.BOUNDED) < 8


def test_an_interrupt_is_one_line_and_loses_nothing(tmp_path):
    folder, results = tmp_path / "traces", tmp_path / "results"
    folder.mkdir()
    results.mkdir()
    chance = np.random.default_rng(5)
    (folder / "t.csv").write_text("# ssdcache-trace 1\n" + "".join(
        f"{at * 40_000_000},W,{8 * sector},{length},\n" for at, (sector, length) in enumerate(zip(chance.integers(0, 12000, 8000),
                                                                                              8 * chance.integers(1, 9, 8000)))))
    command = [sys.executable, str(Path(study.__file__)), str(results), "--traces", str(folder), "--paper", "lin22", "--quick", "--jobs", "1"]
    journal = results / "runs.jsonl"

    def lines():
        return len(journal.read_text().splitlines()) if journal.exists() else 0

    def workers(pid):
        """Its children that run the same program: processes of bounds, or those of the simulator before they have begun."""
        try:
            children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")).split()
            return {child for child in children if Path(f"/proc/{child}/cmdline").read_bytes() == Path(f"/proc/{pid}/cmdline").read_bytes()}
        except OSError:
            return set()        # one has ended meanwhile

    # Ctrl-C reaches all processes of a terminal.
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    before = found = set()
    while not (lines() >= 4 and before & found) and running.poll() is None:
        time.sleep(0.05)
        before, found = found, workers(running.pid)
    os.killpg(running.pid, signal.SIGINT)
    errors = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and errors.count("interrupted") == 1 and "Traceback" not in errors, errors
    done = lines()
    assert done >= 4 and not (results / "cells.csv").exists()
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    new = int(re.search(r"rows, (\d+) new runs", again.stdout)[1])
    assert new == lines() - done and (results / "cells.csv").exists()


def test_a_cluster_does_the_same_runs(tmp_path):
    distributed = pytest.importorskip("distributed")
    cell = study.Cell(small_trace(tmp_path), 1 << 20, plan.CLOSED, False)
    paper = plan.PAPERS["lin22"]
    found = []
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        for scheduler in (None, cluster.scheduler_address):
            simulator = runs.Simulator(1, tmp_path / f"runs-{bool(scheduler)}.jsonl", scheduler)
            started = simulator.start(paper, paper.policies["LRU"], cell), simulator.start_bounds(paper, cell)
            found.append([future.result() for future in started])
            simulator.close()
    assert found[0] == found[1]


def test_generated_traces_repeat_and_resemble(tmp_path):
    chance = np.random.default_rng(4)
    records = np.zeros(5000, np.dtype([("time_ns", "<u8"), ("sector", "<u8"), ("nr_sectors", "<u4"), ("disk", "<u2"), ("op", "u1"), ("fua", "?")]))
    records["time_ns"] = np.cumsum(chance.exponential(1000, 5000)).astype(int)
    records["sector"], records["nr_sectors"] = (chance.zipf(1.2, 5000) % 40000) * 8, 8 * chance.integers(1, 9, 5000)
    records["op"] = chance.random(5000) < 0.7
    descriptions = generator.described(records)
    made = generator.generate(descriptions, 20000, 1, records.dtype)
    assert (made == generator.generate(descriptions, 20000, 1, records.dtype)).all()
    assert (made != generator.generate(descriptions, 20000, 2, records.dtype)).any()
    assert abs(made["op"].mean() - records["op"].mean()) < 0.05
    assert abs(made["nr_sectors"].mean() / records["nr_sectors"].mean() - 1) < 0.05
    assert abs(made["time_ns"][-1] / records["time_ns"][-1] / 4 - 1) < 0.1
    again = generator.described(made)
    # Places of the same region that return, by recency: the two levels of the model.
    for column in (1, 2):
        near, of = (np.mean((rows[:, column] >= 0) & (rows[:, column] < 8)) for rows in (again, descriptions))
        assert abs(near - of) < 0.1, (column, near, of)


def test_headlines_name_known_policies_metrics_and_kinds():
    claims.keys()
    for headline in claims.CLAIMS:
        policies = plan.PAPERS[headline.paper].policies
        names = (headline.name,) if headline.how in ("value", "lists") else (headline.name, *headline.others)
        assert all(name in policies for name in names), headline.id
        assert headline.metric in claims.METRICS and headline.only in claims.FILTERS, headline.id
        assert set(headline.kinds) <= set(plan.PAPERS[headline.paper].kinds), headline.id
    assert sum(headline.main for headline in claims.CLAIMS) == len(plan.PAPERS)


def test_causes_are_numbered_and_their_experiments_have_runs():
    assert [cause.number for cause in page.CAUSES] == list(range(1, len(page.CAUSES) + 1))
    known = {headline.id for headline in claims.CLAIMS} | {headline.id.partition("/")[0] for headline in claims.CLAIMS}
    for cause in page.CAUSES:
        assert cause.experiments and set(cause.headlines) <= known, cause.number
        for experiment in cause.experiments:
            policies = plan.PAPERS[experiment.paper].policies
            for name in filter(None, itertools.chain.from_iterable(experiment.pairs)):
                assert name in policies, (cause.number, name)
                assert policies[name].kinds is None or set(experiment.kinds) <= set(policies[name].kinds), (cause.number, name)


def within(facts, limit, slack, name):
    return (all(facts[metric] <= limit[metric] * (1 + slack) for metric in ("overwrites", "hits") if metric in limit)
            and all(facts[metric] >= limit[metric] * (1 - slack) for metric in ("flushed", "waf") if metric in limit)
            and (name != "VS-Batch+" or facts["rebuilds"] >= limit.get("rebuilds", 0) * (1 - slack)))


def test_no_run_of_the_study_beats_the_bound():
    data = page.data_of(DOCUMENTS / "results")
    checked = set()
    for (paper, kind), cells in data.cells.items():
        closed = plan.KINDS[kind].closed
        # Figures have five digits. At recorded times a request that waits may be overtaken.
        slack = 0.0002 if closed else 0.001
        for where, found in cells.items():
            limit = found.get("bound", {})
            if data.overloaded(paper, kind, where):
                continue
            for name, facts in found.items():
                checked.add((bool(limit), closed, name))
                assert within(facts, limit, slack, name), (paper, kind, where, name)
    assert {(True, True, "OPT"), (True, True, "LRU"), (True, False, "LRU")} <= checked


def test_no_two_headlines_that_count_have_the_same_cells():
    seen = {}
    for verdict in verdicts.verdicts(page.data_of(DOCUMENTS / "results"), claims.CLAIMS):
        of = verdict.claim
        cells = frozenset((kind, where) for kind in of.kinds if kind in verdict.outcomes for where in verdict.outcomes[kind].cells)
        if cells and verdicts.group(of) and of.how in ("change", "each", "at most", "about"):
            key = of.paper, frozenset((of.name, *of.others)), of.metric, cells
            assert key not in seen, (of.id, seen[key])
            seen[key] = of.id
    assert len(seen) > 50


def test_what_does_not_agree_has_a_cause():
    report = page.Report(page.data_of(DOCUMENTS / "results"))
    missing = [verdict.claim.id for verdict in report.found if verdicts.group(verdict.claim) and "open" in page.causes_of(verdict)]
    assert not missing
    missing = [verdict.claim.id for verdict in report.found if verdicts.weak(verdict) and verdicts.group(verdict.claim) and not page.causes_of(verdict)]
    assert not missing


def test_links_on_the_page_lead_somewhere():
    text = (DOCUMENTS / "results.md").read_text(encoding="utf-8")
    names = set(re.findall(r'<a id="([^"]*)">', text))
    names |= {re.sub("[^a-z0-9 _-]", "", head.lower()).replace(" ", "-") for head in re.findall("(?m)^#+ (.*)$", text)}
    assert len(names) > 100
    assert not set(re.findall(r"\]\(#([^)]*)\)", text)) - names


def test_the_page_of_bplru_has_the_figures_of_the_data():
    data, rows = page.data_of(DOCUMENTS / "results"), 0
    for line in (DOCUMENTS / "policies" / "bplru.md").read_text(encoding="utf-8").splitlines():
        found = re.match(r"\| \[(Sha23|Lin22)\], blocks of \d+ \| (all|web_0) \| (\**)(\d+)\** \| (.*) \|$", line)
        if not found:
            continue
        rows += 1
        paper, only, own, width, figures = found.groups()
        name = "BPLRU" if own else f"BPLRU width={width}"
        for kind, figure in zip(("paper", "scaled", *plan.TARGET), figures.split(" | ")):
            cells = data.of(paper.lower(), kind, only.replace("all", ""), "response")[0]
            ours = verdicts.change(cells, name, "LRU", "response")[0]
            assert figure == (f"× {1 + ours:.0f}" if "×" in figure else page.percent(ours, 0)), (line, kind, ours)
    assert rows > 10


#: How many headlines each paper has, and where its figures with results are.
PUBLISHED = {"sha23": (27, "Table 4, 1a, 1b, 5, 6, 7a, 7b, 8, 9, 10, 11, 12, 13, 14, 15"),
             "li22": (22, "7, 8, 9, 10, 11, 12, 13, 14, 15b, 15c, 15d, 16, 17, 18"),
             "shin23": (21, "4, 5, 6, 7, 8a, 8b, 8c, 8d"),
             "zhou23": (19, "2, 3, 5, 6, 8, 9, 12, 13a, 13b, 13c, 14, 15, 16"),
             "lin22": (17, "2, 3, 7, 8, 9, 10, 11, 12, 13")}


def test_each_figure_and_headline_of_the_papers_is_found():
    text = page.Report(page.data_of(DOCUMENTS / "results")).markdown()
    index = text.partition("## Find a headline")[2].partition("## Five main claims")[0]
    anchors = re.findall('<a id="([^"]*)">', text)
    assert len(anchors) == len(set(anchors))
    for paper, (nr, figures) in PUBLISHED.items():
        row = next(line for line in index.splitlines() if line.startswith(f"| [[{paper.capitalize()}]]"))
        found = dict(re.findall(r"\[([a-z0-9]+-\d+)\]\(#([^)]*)\)", row))
        assert list(sorted(found, key=lambda key: int(key.partition("-")[2]))) == [f"{paper}-{number}" for number in range(1, nr + 1)]
        assert set(found.values()) <= set(anchors), paper
        places = [part.partition(" [")[0].strip() for part in row.split(" | ")[1].split(";")]
        assert [place for place in places if "Fig" in place] == [f"Fig. {figure}" for figure in figures.split(", ") if "Table" not in figure], paper
        assert all(place in places for place in figures.split(", ") if "Table" in place), paper
    # A headline has a row of its own that names it, not a range that it is in.
    rows = {re.sub("<[^>]*>", "", line.split(" | ")[0][2:]) for line in text.splitlines() if line.startswith("| <a id")}
    assert {row.partition(",")[0].partition("/")[0] for row in rows} == {f"{paper}-{number}" for paper, (nr, _) in PUBLISHED.items()
                                                                         for number in range(1, nr + 1)}


def test_plots_fit_a_page():
    for path in (DOCUMENTS / "results").glob("*.svg"):
        assert int(re.search('width="([0-9]+)"', path.read_text(encoding="utf-8"))[1]) <= 900, path
    plot = page.Plot("t", "t", [str(nr) for nr in range(40)], ["a", "b"], {"a": [1.0] * 40, "b": [1.0] * 40}, "a")
    assert int(re.search('width="([0-9]+)"', svg.bars(plot))[1]) <= 900


def test_the_texts_of_the_page_have_their_figures():
    text = (DOCUMENTS / "results.md").read_text(encoding="utf-8")
    assert page.MISSING not in text and "{" not in text


def test_the_page_says_what_its_data_say(capsys):
    assert page.check(DOCUMENTS) == 0, capsys.readouterr().out


def test_the_check_notices_another_number(tmp_path, capsys):
    shutil.copytree(DOCUMENTS / "results", tmp_path / "results")
    shutil.copy(DOCUMENTS / "results.md", tmp_path)
    cells = tmp_path / "results" / "cells.csv.xz"
    lines = lzma.decompress(cells.read_bytes()).decode().splitlines()
    # The mean latency of one run of Req-block.
    at, line = next((at, line) for at, line in enumerate(lines) if line.startswith("lin22,paper-closed,msr_web0_100k,") and ",Req-block," in line)
    column = lines[0].split(",").index("response")
    fields = line.split(",")
    fields[column] = str(10 * float(fields[column]))
    lines[at] = ",".join(fields)
    cells.write_bytes(lzma.compress("\n".join(lines).encode()))
    assert page.check(tmp_path) > 0
    assert "results.md" in capsys.readouterr().out
