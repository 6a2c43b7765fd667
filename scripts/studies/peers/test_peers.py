# SPDX-License-Identifier: GPL-2.0
"""Tests of the comparison with other caches: facts of a cell, verdicts, and the page that is committed."""

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import peers_page
import peers_plan
import peers_study

TREE = Path(__file__).parents[3]


def test_names_are_unique_and_a_tuned_stack_is_a_peer():
    names = [stack.name for stack in peers_plan.STACKS]
    assert len(set(names)) == len(names)
    assert all(stack.is_peer for stack in peers_plan.STACKS if stack.tuned)
    assert set(peers_page.SHORT[2]) <= set(names) and set(peers_page.UNEQUAL) <= set(names)


def replay_of(reads, errors=0):
    latency = {op: {"count": count, "mean_ns": 1000, "p99_ns": 2000, "p999_ns": 3000} for op, count in
               (("read", reads), ("write", 5), ("flush", 0))}
    return {"errors": errors, "late": 2, "requests": reads + 5, "latency": latency}


def test_facts_of_a_replay(tmp_path):
    path = tmp_path / "first.replay.json"
    path.write_text(json.dumps(replay_of(0)))
    facts, requests = peers_study.latencies_of_replay(path)
    assert (requests, facts["late"], facts["write_p999"], facts["read_mean"]) == (5, 2, 3000, None)
    path.write_text(json.dumps(replay_of(1, errors=1)))
    with pytest.raises(peers_study.Failed):
        peers_study.latencies_of_replay(path)


def test_facts_of_fio(tmp_path):
    def job(reads, error):
        side = {"total_ios": 7, "lat_ns": {"mean": 1234.6, "percentile": {"99.000000": 2000, "99.900000": 3000}}}
        return "fio: a note\n" + json.dumps({"jobs": [{"error": error, "read": side | {"total_ios": reads}, "write": side}]})

    path = tmp_path / "first.fio.json"
    path.write_text(job(0, 0))
    facts, requests = peers_study.latencies_of_fio(path)
    assert (requests, facts["write_mean"], facts["write_p999"], facts["read_p99"], facts["flush_mean"]) == (7, 1235, 3000, None, None)
    path.write_text(job(1, 5))
    with pytest.raises(peers_study.Failed):
        peers_study.latencies_of_fio(path)


def test_a_cell_changes_with_its_words_and_its_requests(tmp_path):
    trace, stack = tmp_path / "trace.csv", peers_plan.STACKS[0]
    keys = []
    for text in ("one", "other"):
        trace.write_text(text)
        keys += [peers_study.key_of(stack, mib, trace) for mib in (16, 64)]
    assert len(set(keys)) == 4


@pytest.mark.parametrize("theirs, ours, who", [(5000, 9000, "peer"), (9000, 5000, "ssdcache"), (100, 900, "equal"),
                                               (1_000_000, 1_005_000, "equal"), (1_000_000, 1_020_000, "peer")])
def test_verdict(theirs, ours, who):
    data = peers_page.Data(TREE / peers_page.DATA)
    workload, mib = peers_plan.WORKLOADS[0], peers_plan.WORKLOADS[0].sizes[0]
    for stack in peers_plan.STACKS:
        if stack.make != "none":
            data.cells[workload.name, stack.name, mib]["second_write_mean"] = theirs if stack.is_peer else ours
    assert peers_page.verdicts(data)[workload.name, mib][0][2] == who


def test_page_and_table_say_what_the_data_say(tmp_path, monkeypatch):
    for path in (peers_page.DATA, peers_page.PAGE, peers_page.README):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TREE / path, tmp_path / path)
    monkeypatch.setattr(sys, "argv", ["peers_page.py", "--check", str(tmp_path)])
    peers_page.main()
    data = tmp_path / peers_page.DATA
    lines = data.read_text().splitlines()
    bcache = next(at for at, line in enumerate(lines) if line.startswith("demo-ext4,bcache,16,"))
    lines[bcache] = lines[bcache].replace(",16,", ",16,7", 1)
    lines[bcache] = lines[bcache].rsplit(",", 5)[0] + ",12345,23456,1,1,0"
    data.write_text("\n".join(lines) + "\n")
    with pytest.raises(SystemExit, match="peers.md and README.md"):
        peers_page.main()
    data.write_text("\n".join(lines[:-9]) + "\n")
    with pytest.raises(SystemExit, match="no cells of"):
        peers_page.main()
