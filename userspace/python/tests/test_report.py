# SPDX-License-Identifier: GPL-2.0
"""Reports: a page that answers."""
import contextlib
import copy
import dataclasses
import itertools
import json
import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
import sys

import pytest

from ssdcache import _library, cells, report, report_page, verdict
from ssdcache.page import Page

from test_page import read_page

TREE = pathlib.Path(__file__).resolve().parents[3]
DEMO = TREE / "traces" / "demo-ext4.csv.zst"
lru_of = verdict.lru_of
CTL = TREE / "userspace/build/bin/ssdcachectl"
SIM = TREE / "userspace/build/bin/ssdcache-sim"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A page of a short trace, and what the command printed."""
    output = tmp_path_factory.mktemp("report") / "page.html"
    words = ["--limit=600", "--replacement=lru,fifo,cflru-ef-sc,req-block", "--dram=256k..2m", "--commit=1234abc", "-o", str(output), str(DEMO)]
    reader = report.parser()
    found = report.gather(report.settings_of(reader.parse_args(words)))
    page = report_page.page_of(found, "A title")
    page.write(output, report.footer(found, "the command", "1234abc"))
    return found, read_page(output), output


def test_the_page_has_an_answer_for_each_goal(made):
    found, page, _ = made
    text = " ".join(page.text)
    assert [one.goal for one in found.verdicts] == ["reads", "writes", "p99", "flash-writes"]
    for one in found.verdicts:
        assert verdict.sentence(one) in text and one.least in [256 << 10 << k for k in range(4)]
        for choice in one.answers:
            assert one.command(choice) in text
    assert "commit 1234abc" in text and "Made by: the command" in text and "lin22:blocks=0,aged=steady" in text
    assert text.index("Fast reads") < text.index("The workload") < text.index("All runs")
    # Four policies have their colours in a panel for each scheme.
    assert "Each panel is about one admission scheme. Choose" in text


def test_the_page_says_of_which_discards_its_table_is(made):
    found, _, output = made
    discards = found.trace.records[found.trace.records["op"] == 3]
    text = output.read_text(encoding="utf-8")
    (row,) = re.findall(r"<tr><td>(discard[^<]*)</td><td>([^<]*)</td><td>[^<]*</td><td>([^<]*)</td>", text)
    assert row == ("discard, after --compact", f"{len(discards):,}", f"{discards['nr_sectors'].sum() / 2048:,.1f}")
    assert "Discards lose these parts, too" in text


def test_a_trace_of_discards_is_refused(tmp_path, capsys):
    trace = tmp_path / "discards.csv"
    trace.write_text("# ssdcache-trace 1\n0,D,0,8,\n1000,D,4096,8,\n")
    assert report.main([str(trace), "-o", str(tmp_path / "page.html")]) == 2
    assert capsys.readouterr().err == f"ssdcache-report: {trace}: only discards, of which --compact leaves none\n"
    assert not (tmp_path / "page.html").exists()


def test_the_page_says_that_flushes_count_as_slow_requests(made):
    found, page, _ = made
    ops = found.trace.records["op"]
    share = f"{100 * (ops == 2).mean():.1f} % are FLUSHes"
    assert share in report_page.flushes_note(ops) and share in " ".join(page.text)
    assert report_page.flushes_note(ops[ops != 2]) == ""
    assert [one.goal for one in found.verdicts if "FLUSHes included" in verdict.FIGURES[one.goal].name] == ["p99"]


def test_the_page_says_what_to_do_if_requests_wait_too_long(tmp_path):
    # Without times, requests wait for each other whatever the device and the clock.
    trace = tmp_path / "fio.log"
    trace.write_text("\n".join(["fio version 2 iolog", *(f"/dev/sdb read {65536 * k} 65536" for k in range(1000))]) + "\n")
    words = ["--replacement=lru", "--dram=256k", "--flash=lin22:channels=1,chips=1,blocks=2048,gc_threshold=8", str(trace)]
    found = report.gather(report.settings_of(report.parser().parse_args(words)))
    output = tmp_path / "x.html"
    report_page.page_of(found, "A title").write(output, "")
    assert "one time, so each waits for those before it. Keep a number of them in flight instead (--depth 16)." in " ".join(read_page(output).text)
    times = found.trace.records["time_ns"].copy()
    times[-1] += 1
    assert "--time-scale 4" in report_page.overload_note(times, False)
    assert "--time-scale" not in report_page.overload_note(times, True)


def test_bad_lines_are_skipped_and_traces_aligned(capfd, tmp_path):
    early, late = tmp_path / "early.csv", tmp_path / "late.csv"
    early.write_text("# ssdcache-trace 1\n0,W,0,8,\nbad\n1000,W,8,8,\n")
    late.write_text("# ssdcache-trace 1\n5000000000,W,0,8,\n")
    words = ["--replacement=lru", "--dram=256k", str(early), str(late)]
    reader = report.parser()
    with pytest.raises(_library.SimulatorError, match="early.csv:3: expected a time"):
        report.gather(report.settings_of(reader.parse_args(words)))
    for options, last_ns in ((["--skip-bad"], 5000000000), (["--skip-bad", "--align"], 1000)):
        found = report.gather(report.settings_of(reader.parse_args([*options, *words])))
        assert "1 bad line skipped" in capfd.readouterr().err
        assert list(found.trace.records["time_ns"][[0, -1]]) == [0, last_ns] and found.workload["requests"] == 3
        report_page.page_of(found, "A title").write(tmp_path / "x.html", "")
        assert "1 bad line was skipped (--skip-bad)." in " ".join(read_page(tmp_path / "x.html").text)
        assert f"{' '.join(options)} --compact" in report.footer(found, "", "")


def test_the_answer_is_the_best_of_all_runs(made):
    found, _, _ = made
    for goal, key in (("reads", "read-mean"), ("writes", "write-mean")):
        (one,) = (one for one in found.verdicts if one.goal == goal)
        for choice in one.choices:
            figures = [cells.METRICS[key].value(cell.row) for cell in found.cells if cell.row["config.dram_bytes"] == choice.dram_bytes]
            assert choice.value <= min(figures) * verdict.BETTER
            lru = [cells.METRICS[key].value(cell.row) for cell in found.cells if cell.row["config.dram_bytes"] == choice.dram_bytes and
                   cells.value_of(cell, "replacement") == "lru" and cells.value_of(cell, "admission") == "write-buffer"]
            assert choice.lru == lru[0]
        best = min(choice.value for choice in one.choices)
        assert one.at(one.least).value <= best * 1.05 + 1.1
        assert all(choice.value > best * 1.05 for choice in one.choices if choice.dram_bytes < one.least)


def synthetic(size, replacement, microseconds):
    """A cell that was run whole."""
    row = {"config.dram_bytes": size, "latency.read.count": 1, "latency.read.mean_ns": microseconds * 1e3}
    return cells.Cell({"replacement": replacement, "admission": "write-buffer", "prefetch": "none"}, row)


def searched(*values):
    """What a search has found with 1, 2, 4 … MiB."""
    choices = [verdict.Choice("reads", 1 << 20 + k, value, {"replacement": "fab", "admission": "write-buffer", "prefetch": "none"}, "sure")
               for k, value in enumerate(values)]
    return verdict.Verdict("reads", choices, 1 << 20, None, "ssdcachectl create NAME")


def test_whole_runs_correct_sizes_and_rivals():
    runs = [synthetic(2 << 20, "lru", 60), synthetic(2 << 20, "vbbms", 90), synthetic(2 << 20, "bplru", 60.3), synthetic(4 << 20, "lru", 30)]
    for order in itertools.permutations(runs):
        found = searched(100, 98, 97)
        verdict.correct(found, order)
        assert [choice.value for choice in found.choices] == [100, 60, 30]
        assert found.least == 4 << 20 and found.knee == 2 << 20
        middle, last = found.choices[1:]
        assert (middle.names["replacement"], middle.rival["replacement"], middle.trust, middle.lru) == ("lru", "bplru", "close", 60)
        assert (last.names["replacement"], last.rival["replacement"], last.trust) == ("lru", "fab", "sure")
        assert "with 4 MiB, the least DRAM within 5 %" in verdict.sentence(found)


def test_one_state_of_an_aged_drive_makes_no_choice_sure(made):
    """Whether blocks are full of outdated pages is chance: the search compares several states, rows of a sweep have one."""
    found = dataclasses.replace(searched(100, 98, 97), chance=True)
    verdict.correct(found, [synthetic(2 << 20, "lru", 60), synthetic(2 << 20, "vbbms", 90), synthetic(4 << 20, "lru", 120)])
    assert [(choice.value, choice.trust) for choice in found.choices] == [(100, "sure"), (60, "close"), (97, "sure")]
    alone = dataclasses.replace(searched(100), chance=True)
    alone.choices[0].trust = "alone"
    verdict.correct(alone, [synthetic(1 << 20, "lru", 150)])
    assert alone.choices[0].trust == "close"
    assert all(one.chance for one in made[0].verdicts) and "the given state of the aged drive" in " ".join(made[1].text)


@pytest.mark.parametrize("flash, chance", [
    ("shin23:aged=steady", True), ("sha23", True), ("sha23:aged_invalid=0", False), ("lin22", False), ("lin22:aged_erases=100", False)])
def test_which_states_are_chance_is_up_to_the_simulator(flash, chance):
    """Profiles may be aged, and ageing need not be random."""
    words = [f"--flash={flash}", "--limit=20", "--dram=1m", "--replacement=lru", "--admission=write-buffer", "--prefetch=none"]
    assert verdict.verdict_of(verdict.ask("reads", words, [str(DEMO)])).chance == chance


def test_whole_runs_that_are_no_better_change_nothing():
    found = searched(100, 98, 97)
    verdict.correct(found, [synthetic(1 << 20, "lru", 99.5), synthetic(2 << 20, "lru", 120)])
    assert found == dataclasses.replace(searched(100, 98, 97), choices=found.choices)
    assert [(choice.value, choice.trust, choice.lru) for choice in found.choices] == [(100, "sure", 99.5), (98, "sure", 120), (97, "sure", None)]


def test_whole_runs_are_compared_with_a_choice_that_stays():
    """What an answer is compared with is not contradicted by the tables below it."""
    fifo = {"replacement": "fifo", "admission": "write-buffer", "prefetch": "none"}
    names = ("replacement", "admission", "prefetch")
    for order in itertools.permutations([synthetic(1 << 20, "lru", 100.5), synthetic(1 << 20, "vbbms", 110), synthetic(1 << 20, "bplru", 120),
                                         synthetic(1 << 20, "fab", 100), synthetic(2 << 20, "lru", 115), synthetic(4 << 20, "fab", 97)]):
        found = searched(100, 98, 97, 96)
        first, second, third, last = found.choices
        first.rival, first.rival_value = fifo, 130
        for choice in (second, third, last):
            choice.trust = "alone"
        verdict.correct(found, order)
        assert [(choice.names["replacement"], choice.value) for choice in found.choices] == [("fab", 100), ("fab", 98), ("fab", 97), ("fab", 96)]
        # lru is as good as the choice; next comes the first that is not.
        assert (first.trust, first.rival_value, [first.rival[name] for name in names]) == ("sure", 110, ["vbbms", "write-buffer", "none"])
        assert (second.trust, second.rival_value, [second.rival[name] for name in names]) == ("sure", 115, ["lru", "write-buffer", "none"])
        # Nothing else was run there.
        assert [(choice.trust, choice.rival) for choice in (third, last)] == [("alone", None)] * 2
    found = searched(100)
    found.choices[0].trust = "alone"
    verdict.correct(found, [synthetic(1 << 20, "lru", 100.5)])
    assert (found.choices[0].trust, found.choices[0].rival["replacement"]) == ("close", "lru")
    # A run that is farther behind than the rival changes nothing.
    found = searched(100)
    found.choices[0].rival, found.choices[0].rival_value = fifo, 130
    verdict.correct(found, [synthetic(1 << 20, "lru", 140)])
    assert (found.choices[0].trust, found.choices[0].rival) == ("sure", fifo)


def test_sizes_are_found_as_the_search_finds_them(made):
    found, _, _ = made
    for one in found.verdicts[:2]:
        advice = verdict.ask(one.goal, [*found.settings.common(), *found.settings.loading(), "--replacement=lru,fifo,cflru-ef-sc,req-block",
                                        "--prefetch=none", "--dram=256k..2m"], found.settings.traces)
        said = verdict.verdict_of(advice)
        values = [choice.value for choice in said.choices]
        apart = [verdict._apart(min(values), value) for value in values]  # pylint: disable=protected-access
        assert said.knee == verdict._knee(said.choices)  # pylint: disable=protected-access
        assert said.least == next(choice.dram_bytes for choice, times in zip(said.choices, apart) if times <= verdict.WORTH)


def test_each_answer_is_compared_with_lru(made, monkeypatch):
    found, _, _ = made
    answers = [choice for one in found.verdicts for choice in one.answers]
    assert all(choice.lru is not None for choice in answers)
    searched_for = []
    monkeypatch.setattr(verdict, "lru_of", lambda *arguments: searched_for.append(arguments[:2]) or lru_of(*arguments))
    missing = copy.deepcopy(found.verdicts)
    for one in missing:
        for choice in one.answers:
            choice.lru = None
    report._compare(found.settings, missing, found.cells)  # pylint: disable=protected-access
    assert [choice.lru for one in missing for choice in one.answers] == [choice.lru for choice in answers]
    assert searched_for == [(choice.goal, choice.dram_bytes) for choice in answers]
    # Whoever does not name lru does not ask for it.
    missing[0].answers[0].lru = None
    report._compare(found.settings, missing, [cell for cell in found.cells if cells.value_of(cell, "replacement") != "lru"])  # pylint: disable=protected-access
    assert missing[0].answers[0].lru is None


@pytest.mark.parametrize("names, value, lru, text", [
    (("fifo", "write-buffer"), 10.0, 19.0, "1.9 times better than lru"),
    (("fifo", "write-buffer"), 10.0, 10.4, "lru: about the same"),
    (("lru", "read-write"), 10.0, 27.0, "2.7 times better than lru, write-buffer"),
    (("fifo", "read-write"), 10.0, 40.0, "4.0 times better than lru, write-buffer"),
    (("fifo", "read-write"), 10.0, 10.0, "lru, write-buffer: about the same"),
    (("lru", "read-write"), 10.0, 10.0, "lru, write-buffer: about the same"),
    (("lru", "read-write"), 0.0, 0.0, "lru, write-buffer: the same"),
    (("lru", "write-buffer"), 10.0, 10.0, ""),
    (("fifo", "write-buffer"), 10.0, 5.0, "lru: 5.00 µs"),
    (("fifo", "write-buffer"), 10.0, None, ""),
])
def test_lru_is_not_compared_with_itself(names, value, lru, text):
    choice = verdict.Choice("reads", 1 << 20, value, {"replacement": names[0], "admission": names[1], "prefetch": "none"}, "sure", lru)
    assert verdict.times(choice) == text


def test_the_same_run_is_rounded_in_one_way(made):
    found, _, _ = made
    said = {"dram_bytes": 1 << 20, "value": 7755.875, "lru": 7755.25, "trust": "sure", "replacement": "lru", "admission": "write-buffer",
            "prefetch": "none", "page": "4k"}
    choice = verdict._choice("reads", said)  # pylint: disable=protected-access
    assert choice.value == choice.lru == 7.755 and choice.text == cells.time_text(7755 / 1e3) == "7.76 µs"
    assert verdict._choice("flash-writes", said).value == 7755.875 / 2**20  # pylint: disable=protected-access
    # So what an answer says is what the tables say.
    for one in found.verdicts[:2]:
        metric = cells.METRICS[verdict.GOALS[one.goal][1]]
        for choice in one.choices:
            runs = [metric.value(cell.row) for cell in found.cells if cell.row["config.dram_bytes"] == choice.dram_bytes and
                    all(cells.value_of(cell, name) == choice.names[name] for name in verdict.NAMES)]
            assert runs == [choice.value]


def test_the_flash_collects_garbage(made):
    found, _, _ = made
    assert all(cells.METRICS["erases"].value(cell.row) is not None for cell in found.cells)
    assert max(cells.METRICS["amplification"].value(cell.row) for cell in found.cells) > 1
    assert found.trace.sectors * 512 <= 2 * found.workload["footprint_bytes"] + (8 << 20)


def test_a_command_of_the_page_repeats_its_run(made):
    found, page, _ = made
    cell = found.cells[-1]
    words = shlex.split(cell.row["command"])
    assert cell.row["command"] in " ".join(page.text)
    done = subprocess.run([str(TREE / "userspace/build/bin/ssdcache-sim"), "--json", *words[1:]], capture_output=True, check=True)
    assert json.loads(done.stdout)["latency"]["write"]["mean_ns"] == cell.row["latency.write.mean_ns"]


def test_a_command_that_applies_is_understood(made):
    found, _, _ = made
    for one in found.verdicts:
        for choice in one.answers:
            words = shlex.split(one.command(choice).replace("/dev/ORIGIN", "/dev/null").replace("NAME", "fast"))
            done = subprocess.run([str(CTL), *words[1:], "--size", "1g", "--dry-run"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert f"replacement {choice.names['replacement']}" in done.stdout


def test_shares_of_a_histogram():
    histogram = [[0, 0, 5], [2000, 2999, 3], [90_000, 99_999, 2]]
    found = dict(zip(report_page.GRID_US, report_page.shares(histogram)))
    assert found[0.0] == 0.5 and found[1.0] == 0.5
    assert found[next(at for at in report_page.GRID_US if at >= 3)] == 0.8
    assert found[next(at for at in report_page.GRID_US if at >= 100)] == 1.0
    assert report_page.shares([])[-1] == 0.0


def test_each_policy_has_its_distribution_and_its_colour(made):
    _, page, _ = made
    (chart,) = (chart for chart in page.charts if chart["layout"]["xaxis"].get("title", {}).get("text") == "latency at most")
    assert [panel["title"] for panel in chart["panels"]] == ["lru", "fifo", "cflru-ef-sc", "req-block"]
    assert len({line["line"]["color"] for line in chart["lines"]}) == 4
    for line in chart["lines"]:
        for shares in line["y"]:
            assert shares == sorted(shares) and shares[-1] == pytest.approx(1)


def test_no_bars_on_a_logarithmic_axis(made):
    _, page, _ = made
    for chart in page.charts:
        for panel in chart["panels"]:
            bars = any(trace["type"] == "bar" for trace in panel.get("data", []))
            axes = [chart["layout"].get("yaxis", {}), panel.get("layout", {}).get("yaxis", {}), *(one["yaxis"] for one in chart.get("choices", []))]
            assert not bars or all(axis.get("type") != "log" for axis in axes)


FIGURE = TREE / "scripts/studies/report/figure.py"


def test_the_figure_of_a_page_is_the_same_each_time(made, tmp_path):
    for name in ("one.svg", "two.svg"):
        subprocess.run([sys.executable, FIGURE, made[2], tmp_path / name], check=True)
    figure = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert figure == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert figure.count("<polyline") == 3 * 4 and "<title>req-block</title>" in figure and "mean read latency" in figure


def test_the_figure_and_the_answer_of_the_readme(capsys, tmp_path):
    assert report.main(["--dram_mode=protected", "-o", str(tmp_path / "page.html"), str(DEMO)]) == 0
    answer = capsys.readouterr().out
    quoted = [line[4:].removesuffix(" ...") for line in (TREE / "README.md").read_text(encoding="utf-8").splitlines()
              if line.startswith("    Fast ")]
    assert len(quoted) == 2 and all(line in answer for line in quoted)
    subprocess.run([sys.executable, FIGURE, tmp_path / "page.html", tmp_path / "demo.svg"], check=True)
    assert (tmp_path / "demo.svg").read_bytes() == (TREE / "Documentation/images/demo.svg").read_bytes()


def test_tables_are_sorted_by_their_heads(made):
    text = made[2].read_text(encoding="utf-8")
    assert text.count('aria-sort="none"') > 20 and "addEventListener(\"click\", sort)" in text


@pytest.mark.parametrize("sizes, text", [("256k", "with 1 size of DRAM"), ("256k,512k", "with 2 sizes of DRAM")])
def test_the_command_counts_sizes(capfd, sizes, text):
    words = ["--limit=100", "--replacement=lru,fifo", f"--dram={sizes}", str(DEMO)]
    report.gather(report.settings_of(report.parser().parse_args(words)))
    assert f"running all policies {text}\n" in capfd.readouterr().err


def test_a_policy_of_ones_own(tmp_path):
    subprocess.run(["make", "-s", "-C", str(TREE / "samples/policy"), f"BUILD={tmp_path}"], check=True)
    plugin = str(tmp_path / "ssdcache-mru.so")
    reader = report.parser()
    words = ["--limit=300", "--replacement=lru,mru", f"--plugin={plugin}", "--dram=256k,512k", str(DEMO)]
    found = report.gather(report.settings_of(reader.parse_args(words)))
    assert set(found.spread) == {"lru", "mru"} and plugin in report.footer(found, "", "")
    chart = report_page.distribution_chart({name: one["latency"] for name, one in found.spread.items()}, ["write"])
    assert [line["name"] for line in chart["lines"]] == ["lru", "mru"]


def test_runs_that_fail_are_on_the_page_and_in_the_exit_code(capfd, tmp_path):
    for name in ("Makefile", "Kbuild", "ssdcache-mru.c"):
        text = (TREE / "samples/policy" / name).read_text(encoding="utf-8")
        few = ("\tif (r->nr_frames > 200) {\n\t\tscnprintf(error->text, sizeof(error->text), \"too large for mru\");\n"
               "\t\treturn -EINVAL;\n\t}\n")
        (tmp_path / name).write_text(text.replace("\tssdc_list_init(", f"{few}\tssdc_list_init(", 1), encoding="utf-8")
    subprocess.run(["make", "-s", "-C", str(tmp_path), f"SSDCACHE={TREE}"], check=True)
    output = tmp_path / "x.html"
    words = ["--limit=300", "--replacement=lru,mru", f"--plugin={tmp_path / 'ssdcache-mru.so'}", "--dram=256k,1m", "-o", str(output), str(DEMO)]
    assert report.main(words) == 3
    said = capfd.readouterr()
    assert "runs have failed, and the answers rest on the others" in said.err and "The page: " in said.out
    text = " ".join(read_page(output).text)
    assert "Some runs have failed" in text and "search for fast reads: " in text
    for admission in ("write-buffer", "read-write"):
        assert f"--dram=1m --page=4k --replacement=mru --admission={admission}" in text
    assert text.count("too large for mru") >= 3


@pytest.mark.parametrize("words, code, message", [
    (["nothing.csv"], 2, "nothing.csv"),
    (["--flash=none", str(DEMO)], 2, "no such profile"),
    (["--dram=1q", "--limit=10", str(DEMO)], 2, "1q"),
    (["--limit=10", "-o", "nodir/x.html", str(DEMO)], 1, "ssdcache-report: nodir/x.html: No such file or directory"),
    (["--limit=10", "-o", "/", str(DEMO)], 1, "ssdcache-report: /: Is a directory"),
    (["--limit=10", "--keep=/dev/null/x", str(DEMO)], 1, "ssdcache-report: /dev/null/x: Not a directory"),
])
def test_the_command_says_what_is_wrong(capfd, tmp_path, words, code, message):
    assert report.main(["-o", str(tmp_path / "x.html"), *words]) == code
    said = capfd.readouterr().err
    assert message in said and (code == 2 or "searching" not in said)
    assert not os.listdir(tmp_path)


def test_a_trace_that_can_be_read_only_once_is_refused(capfd, tmp_path):
    """The simulator would read its end."""
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as pipe:
        pipe.write(b"# ssdcache-trace 1\n0,W,0,8,\n")
    os.mkfifo(tmp_path / "fifo")
    for name in ("-", f"/dev/fd/{read_end}", str(tmp_path / "fifo")):
        assert report.main(["-o", str(tmp_path / "x.html"), str(DEMO), name]) == 2
        assert capfd.readouterr().err == f"ssdcache-report: {name}: a report reads its traces several times: write this one to a file first\n"
    os.close(read_end)
    assert os.listdir(tmp_path) == ["fifo"]


@pytest.mark.parametrize("words, message", [
    (["--dram=0"], "dram: 0 is not from 64k (16 pages) to 128g"),
    (["--page=5k"], "page: 5k is not a power of two from 4k to 64k"),
    (["--depth=0"], "--depth: '0' is not a number from 1 to 65536"),
    (["--flash=none"], "--flash: none: no such profile; "),
    (["--flash=a,b"], "--flash: a: no such profile; there are custom "),
    (["--replacement=lru,nosuch"], 'replacement: "nosuch" is not one of '),
    (["--effort=0"], "--effort: '0' is not a number from 1 to 100"),
    (["--limit=0"], "--limit: '0' is not a number from 1 "),
    (["--plugin=/nosuch.so"], "--plugin: /nosuch.so: "),
])
def test_options_are_checked_before_a_trace_is_read(capfd, tmp_path, monkeypatch, words, message):
    monkeypatch.setattr(report, "gather", None)
    assert report.main(["-o", str(tmp_path / "x.html"), "--keep", str(tmp_path / "keep"), *words, str(DEMO)]) == 2
    said = capfd.readouterr().err
    assert said.startswith(f"ssdcache-report: {message}") and said.count("\n") == 1
    assert not os.listdir(tmp_path)


GOOD_VALUES = [("page", "4k"), ("page", "8k"), ("page", "65536"), ("dram_mode", "volatile"), ("dram_mode", "protected"), ("depth", "1"),
               ("depth", "65536"), ("flash", "lin22"), ("flash", "lin22:gc_threshold=8,blocks=2000")]
SEVERAL_VALUES = [("page", "4k,8k"), ("page", "4k..8k"), ("page", "4k..8k,64k"), ("page", "4k,4k"), ("page", "4k..4k"),
                  ("dram_mode", "volatile,protected"), ("dram_mode", "protected,protected"), ("depth", "1,2,4"), ("depth", "1,1"),
                  ("flash", "lin22,zhou23,shin23"), ("flash", "lin22:gc_threshold=8,blocks=2000,zhou23"), ("flash", "lin22,lin22")]
PAGE_RANGE = "is not a power of two from 4k to 64k"
NO_SIZE = "is not a size (bytes, or with suffix k, m, g or t, such as 64m)"
MODES = "is not one of volatile, protected"
DEPTHS = "is not a number from 1 to 65536"
BAD_VALUES = [
    ("page", "", "--page: '' has an empty value"),
    ("page", ",", "--page: ',' has an empty value"),
    ("page", "4k,", "--page: '4k,' has an empty value"),
    ("page", "..", f"--page: '' {NO_SIZE}"),
    ("page", "4k..", f"--page: '' {NO_SIZE}"),
    ("page", "4k..8q", f"--page: '8q' {NO_SIZE}"),
    ("page", "8k..4k", "--page: the range '8k..4k' ends before its start"),
    ("page", "4k,5k", f"page: 5k {PAGE_RANGE}"),
    ("page", "4k..128k", f"page: 128k {PAGE_RANGE}"),
    ("dram_mode", "", "--dram_mode: '' has an empty value"),
    ("dram_mode", ",", "--dram_mode: ',' has an empty value"),
    ("dram_mode", "..", f'dram_mode: ".." {MODES}'),
    ("dram_mode", "a..b", f'dram_mode: "a..b" {MODES}'),
    ("dram_mode", "volatile..protected", f'dram_mode: "volatile..protected" {MODES}'),
    ("dram_mode", "nosuch,volatile", f'dram_mode: "nosuch" {MODES}'),
    ("depth", "", "--depth: '' has an empty value"),
    ("depth", ",", "--depth: ',' has an empty value"),
    ("depth", "..", f"--depth: '..' {DEPTHS}"),
    ("depth", "1..4", f"--depth: '1..4' {DEPTHS}"),
    ("depth", "1,65537", f"--depth: '65537' {DEPTHS}"),
    ("flash", "lin22,nosuch", "--flash: nosuch: no such profile; "),
    ("flash", "lin22..zhou23", "--flash: lin22..zhou23: no such profile; "),
]


@pytest.mark.parametrize("name, value", GOOD_VALUES)
def test_a_value_that_a_report_takes(name, value):
    settings = report.settings_of(report.parser().parse_args([f"--{name}={value}", str(DEMO)]))
    report._check_options(settings)  # pylint: disable=protected-access


@pytest.mark.parametrize("name, value, message", [
    *((name, value, f"--{name}: '{value}' is more than one value: 'ssdcache-sim sweep' takes them") for name, value in SEVERAL_VALUES), *BAD_VALUES])
def test_values_that_a_report_refuses(capfd, tmp_path, monkeypatch, name, value, message):
    """What is said of them is so: there are sweeps of those that sweeps are said to take, and of no others."""
    monkeypatch.setattr(report, "gather", None)
    assert report.main(["-o", str(tmp_path / "x.html"), f"--{name}={value}", str(DEMO)]) == 2
    said = capfd.readouterr().err
    assert said.startswith(f"ssdcache-report: {message}") and said.count("\n") == 1
    words = ["--dram=1m", "--replacement=lru", "--flash=lin22", f"--{name}={value}"]
    swept = subprocess.run([SIM, "sweep", "--limit=1", f"--output={tmp_path / 'rows'}", *words, DEMO], capture_output=True, text=True, check=False)
    assert (swept.returncode == 0) == ((name, value) in SEVERAL_VALUES), swept.stderr
    assert swept.returncode == 0 or message in swept.stderr


def test_where_runs_are_kept_is_checked_before_a_trace_is_read(capfd, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "gather", None)
    (tmp_path / "file").touch()
    assert report.main(["-o", str(tmp_path / "x.html"), f"--keep={tmp_path}/file/a/b", str(DEMO)]) == 1
    assert capfd.readouterr().err == f"ssdcache-report: {tmp_path}/file/a/b: Not a directory\n"


def test_what_is_missing_is_said_before_the_searches(capfd, tmp_path, monkeypatch):
    for name in ("numpy", "pandas"):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, name, None)
            assert report.main(["--limit=10", "-o", str(tmp_path / "x.html"), str(DEMO)]) == 1
        said = capfd.readouterr().err
        assert said.startswith("ssdcache-report: ") and said.endswith(f": pip install {name}\n") and said.count("\n") == 1


def killed(folder, name, said="", by="KILL"):
    """A program that a signal ends, after it has said something. ``said``: as for printf."""
    tool = folder / name
    tool.write_text(f"#!/bin/sh\nulimit -c 0\nprintf '{said}' >&2\nkill -{by} $$\n")
    tool.chmod(0o755)
    return str(tool)


def test_a_simulator_that_a_signal_ends(capfd, tmp_path, monkeypatch):
    output = tmp_path / "x.html"
    monkeypatch.setattr(sys, "executable", killed(tmp_path, "python"))
    assert report.main(["--limit=10", "-o", str(output), str(DEMO)]) == 1
    assert capfd.readouterr().err == "ssdcache-report: ssdcache-sim advise --check: ended by signal 9 (Killed)\n"
    monkeypatch.setattr(verdict, "check", lambda *_: None)
    assert report.main(["--limit=10", "-o", str(output), str(DEMO)]) == 1
    assert capfd.readouterr().err.splitlines()[1:] == ["ssdcache-report: ssdcache-sim advise --goal=reads: ended by signal 9 (Killed)"]
    assert not output.exists()


@pytest.mark.parametrize("said, lines", [
    ("ssdcache-sim: assertion failed: x\\n", ["ssdcache-sim: assertion failed: x"]),
    ("one\\n  two, cut off", ["one", "  two, cut off"]),
    ("no character: \\377\\n", ["no character: \ufffd"]),
])
def test_what_a_simulator_said_before_a_signal_ended_it(capfd, tmp_path, monkeypatch, said, lines):
    monkeypatch.setattr(sys, "executable", killed(tmp_path, "python", said, "ABRT"))
    assert report.main(["--limit=10", "-o", str(tmp_path / "x.html"), str(DEMO)]) == 1
    assert capfd.readouterr().err.splitlines() == [*lines, "ssdcache-report: ssdcache-sim advise --check: ended by signal 6 (Aborted)"]


def test_an_interrupted_report(capfd, tmp_path, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "gather", interrupt)
    assert report.main(["--keep", str(tmp_path), "-o", str(tmp_path / "x.html"), str(DEMO)]) == 130
    assert capfd.readouterr().err == "ssdcache-report: interrupted; the same command goes on\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_search_of_a_report(tmp_path, number):
    """Whoever writes to the standard error of the report has ended when that has its end."""
    tool = tmp_path / "python"
    # A pipe holds less: when all is written, the report reads, and no longer starts the search.
    tool.write_text("#!/bin/sh\nhead -c 1000000 /dev/zero\necho started >&2\nexec sleep 600\n")
    tool.chmod(0o755)
    code = "import sys; from ssdcache import report, verdict; sys.executable = sys.argv.pop(1); verdict.check = lambda *_: None; sys.exit(report.main())"
    words = [sys.executable, "-c", code, str(tool), "--limit=10", "-o", str(tmp_path / "x.html"), str(DEMO)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        try:
            while "started" not in run.stderr.readline():
                assert run.poll() is None
            run.send_signal(number)
            _, said = run.communicate(timeout=60)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
    assert run.returncode == 130 and said == "ssdcache-report: interrupted\n"
    assert not (tmp_path / "x.html").exists()


def test_a_search_ends_with_its_report(tmp_path):
    """SIGKILL leaves no time to end the search. The trace is a FIFO, of which this test would see that nobody reads it any more."""
    trace = tmp_path / "trace"
    os.mkfifo(trace)
    code = "import sys; from ssdcache import verdict; verdict.ask('p99', ['--replacement=lru'], sys.argv[1:])"
    with subprocess.Popen([sys.executable, "-c", code, str(trace)]) as run, open(trace, "wb") as writer:
        run.kill()
        run.wait()
        readers = select.poll()
        readers.register(writer, select.POLLERR)
        assert readers.poll(60000), "the search goes on"


def test_parameters_of_policies_and_a_new_directory(capfd, tmp_path):
    keep = tmp_path / "new" / "nested"
    output = tmp_path / "x.html"
    assert report.main(["--limit=100", "--replacement=lru,cflru-ef-sc:threshold=50,step=10", "--dram=256k", f"--keep={keep}", "-o", str(output),
                        str(DEMO)]) == 0
    assert os.listdir(keep) and "cflru-ef-sc:threshold=50,step=10" in output.read_text(encoding="utf-8")
    assert report.specs_of("lru,a:b=1,c=2,d_e=3,fifo,x:y=1") == ["lru", "a:b=1,c=2,d_e=3", "fifo", "x:y=1"]


def test_a_page_whose_name_is_not_utf8(capfd, tmp_path):
    """The name is bytes for the system, and the page, which has the command at its end, is UTF-8."""
    output = os.fsdecode(os.fsencode(tmp_path) + b"/page\xe9.html")
    assert report.main(["--limit=50", "--replacement=lru", "--dram=256k", "-o", output, str(DEMO)]) == 0
    assert capfd.readouterr().out.endswith(f"The page: {tmp_path}/page?.html\n")
    assert "page?.html" in " ".join(read_page(output).text)


def test_a_page_that_fails_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(Page, "html", lambda *_: "\ud800")
    with pytest.raises(UnicodeEncodeError):
        Page("x").write(tmp_path / "x.html", "")
    assert not os.listdir(tmp_path)


def test_ssdcachectl_completes_all_options():
    offered = subprocess.run([CTL, "--complete", "report", "--"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    options = [name for action in report.parser()._actions for name in action.option_strings]  # pylint: disable=protected-access
    assert sorted(offered) == sorted(name for name in options if name.startswith("--"))


def test_warnings_are_lines_of_the_command(tmp_path):
    trace = tmp_path / "one.csv"
    trace.write_text("# ssdcache-trace 1\n0,R,0,8,\n")
    output = tmp_path / "x.html"
    words = [sys.executable, "-m", "ssdcache.report", "--replacement=lru", "--dram=256k", "-o", output, trace]
    said = subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    assert "running for the spread" in said and not [line for line in said.splitlines() if not re.match(r"ssdcache-(report|sim): \S", line)]


def test_remarks_are_made_once(tmp_path):
    """Each search reads the traces, and makes the device, again."""
    trace = tmp_path / "back.csv"
    trace.write_text("# ssdcache-trace 1\n9000000000,W,0,8,\nbad\n6500000000,R,8,8,\n9500000000,R,16,8,\n")
    words = [sys.executable, "-m", "ssdcache.report", "--skip-bad", "--replacement=lru", "--dram=256k", "--flash=lin22", "-o", tmp_path / "x.html",
             trace]
    said = subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    for remark in ("time goes back before 1 request", "1 bad line skipped", "gc_threshold"):
        assert said.count(remark) == 1, said


def test_a_warning_is_said_once(capfd, monkeypatch, tmp_path):
    def warn(_):
        for text in ("one", "two", "one"):
            _library._warn(text)  # pylint: disable=protected-access
        raise ValueError("the end")

    monkeypatch.setattr(report, "gather", warn)
    assert report.main(["-o", str(tmp_path / "x.html"), str(DEMO)]) == 1
    assert capfd.readouterr().err == "ssdcache-report: one\nssdcache-report: two\nssdcache-report: the end\n"


@pytest.mark.parametrize("error, text", [(MemoryError(), "no memory"), (MemoryError("Unable to allocate 9 GiB"), "no memory: Unable to allocate 9 GiB")])
def test_no_memory(capfd, monkeypatch, tmp_path, error, text):
    def fail(*_):
        raise error

    monkeypatch.setattr(report, "gather", fail)
    assert report.main(["-o", str(tmp_path / "x.html"), str(DEMO)]) == 1
    assert capfd.readouterr().err == f"ssdcache-report: {text}\n"
