# SPDX-License-Identifier: GPL-2.0
"""Tests of the study of freeboard: its split of the traces, its schemes, its arithmetic, and the page that is committed."""

import csv
import sys
from pathlib import Path

import pytest
import ssdcache

sys.path.insert(0, str(Path(__file__).parent))

import champion_page as page
import champion_plan as plan
from study import write_csv

TREE = Path(__file__).parents[3]
SHA23 = plan.HEADLINES[0]
LIN22 = plan.HEADLINES[-1]


def test_each_published_trace_is_in_one_part():
    with open(TREE / "Documentation/results/traces.csv", encoding="utf-8", newline="") as file:
        described = {row["trace"].removesuffix("_as_bytes") for row in csv.DictReader(file)}
    named = plan.DEVELOPMENT + plan.HELD_OUT
    assert len(set(named)) == len(named) and set(named) <= described
    assert all(plan.belongs("development", name) for name in plan.DEVELOPMENT)
    assert all(plan.belongs("held-out", name) for name in (*plan.HELD_OUT, "a_new_trace"))
    assert not any(plan.belongs("held-out", name) for name in (*plan.DEVELOPMENT, "umass_websearch1_24k_as_bytes"))


@pytest.mark.parametrize("headline", plan.HEADLINES, ids=lambda headline: headline.paper)
def test_every_replacement_policy_is_compared_as_the_paper_sets_its_own(headline):
    schemes = plan.schemes(headline, list(ssdcache.replacement))
    own = schemes[headline.own]
    alike = [policy.replacement.partition(":")[0] for policy in schemes.values()
             if (policy.admission, policy.prefetch) == (own.admission, own.prefetch)]
    assert set(alike) >= set(ssdcache.replacement) - {"opt"} and len(set(alike)) == len(alike)
    assert (schemes[plan.ALONE].admission, schemes[plan.ALONE].prefetch) == (own.admission, own.prefetch)
    assert schemes[plan.TOGETHER].words() == {"replacement": "freeboard", "admission": "l-corw", "prefetch": "rop"}


def part_of(tmp_path, headline, values):
    """Cells of web0 by DRAM size: scheme -> value of the headline's metric."""
    write_csv(tmp_path / "cells.csv", ("paper", "kind", "trace", "bytes", "policy", headline.metric, "evicted"),
              [(headline.paper, "paper-closed", "msr_web0_100k", size, name, value, 1000)
               for size, found in values.items() for name, value in found.items()])
    return page.Part(tmp_path / "cells.csv", TREE / "Documentation/results/traces.csv")


def test_changes_and_counts(tmp_path):
    part = part_of(tmp_path, SHA23, {1: {"LRU": 400, "VS-Batch+": 200, plan.ALONE: 100, plan.TOGETHER: 210},
                                     2: {"LRU": 100, "VS-Batch+": 100, plan.ALONE: 200, plan.TOGETHER: 100}})
    assert part.change(SHA23, plan.ALONE) == pytest.approx(0)
    assert part.change(SHA23, "lru") == pytest.approx(2 ** 0.5 - 1)
    assert part.counts(SHA23, plan.ALONE) == (1, 0, 1)
    assert part.counts(SHA23, plan.TOGETHER) == (0, 1, 1)
    assert part.others(SHA23) == ["lru"]
    text = page.lost(part)
    assert "+100.0 %" in text and "+5.0 %" in text
    assert part.change(SHA23, "cflru") is None


def test_more_writes_absorbed_are_better(tmp_path):
    part = part_of(tmp_path, LIN22, {1: {"LRU": 0.5, "BPLRU": 0.9, "Req-block": 0.8, plan.ALONE: 0.88, plan.TOGETHER: 0.4}})
    assert part.counts(LIN22, plan.ALONE) == (1, 0, 0) and part.counts(LIN22, plan.TOGETHER) == (0, 0, 1)
    assert part.others(LIN22) == ["bplru", "lru"]


def test_schemes_are_compared_over_the_same_cells(tmp_path):
    """Policies that no paper names run in closed runs alone. Recorded times favour freeboard here, closed runs do not."""
    write_csv(tmp_path / "cells.csv", ("paper", "kind", "trace", "bytes", "policy", SHA23.metric, "evicted", "flushed"),
              [("sha23", kind, "msr_web0_100k", 1, name, value, 1000, value) for kind, found in {
                  "paper": {"LRU": 400, "VS-Batch+": 200, plan.ALONE: 50},
                  "paper-closed": {"LRU": 400, "VS-Batch+": 200, plan.ALONE: 180, "mq-ssd": 160}}.items() for name, value in found.items()])
    part = page.Part(tmp_path / "cells.csv", TREE / "Documentation/results/traces.csv")
    assert part.change(SHA23, "mq-ssd") is None and part.change(SHA23, "mq-ssd", closed=True) == pytest.approx(-0.2)
    assert part.others(SHA23) == ["mq-ssd", "lru"]
    first = next(line for line in page.headlines(part).splitlines() if "VS-Batch+" in line)
    assert first.endswith("| `mq-ssd` −20.0 % | −10.0 % |") and "| 2 | web0 | −52.6 %; 2/0/0 |" in first
    lines = page.everything(part).splitlines()
    assert f"| `{plan.ALONE}` | −10.0 % | – | – | – | – |" in lines and "| `mq-ssd` | −20.0 % | – | – | – | – |" in lines
    assert "| VS-Batch+ | −52.6 % | – | – | −10.0 % | −20.0 % | – | – | – |" in page.writes(part).splitlines()


def test_main_readme_counts_what_the_data_have():
    """The combination wins each comparison."""
    words = {1: "one trace", 2: "two traces", 3: "three traces"}
    found = []
    for name in page.PARTS:
        part = page.Part(page.published(TREE, name), TREE / "Documentation/results/traces.csv")
        won, equal, lost = (sum(counts) for counts in zip(*(part.counts(headline, plan.TOGETHER) for headline in plan.HEADLINES)))
        assert not equal and not lost
        found += [won, words[len({trace for headline in plan.HEADLINES for trace in part.traces(headline)})]]
        assert all(1 <= len(part.traces(headline)) <= 2 for headline in plan.HEADLINES)
    text = " ".join((TREE / "README.md").read_text(encoding="utf-8").split())
    assert "in all {} comparisons on {} used for its design, and in all {} on {} that were held out".format(*found) in text
    assert "A paper is judged by one or two of these traces" in text


def test_page_says_what_its_data_say():
    assert page.written(TREE) == (TREE / page.PAGE).read_text(encoding="utf-8"), "scripts/studies/champion.sh --page writes it again"
