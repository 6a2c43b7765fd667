# SPDX-License-Identifier: GPL-2.0
"""
The tables of Documentation/policies/freeboard.md, from cells.csv and traces.csv alone.

usage: champion_page.py --publish PART RESULTS TREE   copies the cells into TREE/Documentation/results, and writes the page
       champion_page.py --show PART RESULTS TREE      writes RESULTS/tables.md
       champion_page.py TREE                          writes the page again from its data
       champion_page.py --check TREE                  does the page say what its data say? Prints what differs
"""

import argparse
import difflib
import lzma
import re
import sys
from pathlib import Path

import champion_plan as plan
from page import percent, short, size_name
from plan import KINDS, MAIN
from verdicts import EQUAL, Data, log_mean

PARTS = ("development", "held-out")
PAGE = Path("Documentation/policies/freeboard.md")
DATA = Path("Documentation/results")
#: Where the tables of a part begin and end.
MARKS = "<!-- freeboard {part}: made by scripts/studies/champion.sh -->\n", "<!-- freeboard {part}: end -->\n"
LEARNED = "the paper's, l-corw, rop"


class Part:
    """
    What the cells of a part say.

    cells[headline]: (kind, trace, bytes) -> row -> metric -> value. Rows are named by the replacement policy where the paper's admission and
    prefetching are in use, and as the paper's plan names them otherwise.
    """

    def __init__(self, cells, traces):
        data = Data(cells, traces)
        self.cells = {headline: {(kind, *where): self.rows(headline, found) for kind in MAIN
                                 for where, found in data.of(headline.paper, kind, headline.only, headline.metric)[0].items()}
                      for headline in plan.HEADLINES}

    @staticmethod
    def rows(headline, found):
        policies, named = plan.PAPERS[headline.paper].policies, {}
        own = policies[headline.own]
        for name, facts in found.items():
            policy = policies.get(name)
            if name in plan.VARIANTS:
                continue
            if policy and name not in (headline.own, "OPT") and (policy.admission, policy.prefetch) == (own.admission, own.prefetch):
                name = policy.replacement.partition(":")[0]
            elif name.startswith(f"{headline.own}, "):
                name = LEARNED
            named[name] = facts
        return named

    def traces(self, headline):
        """That have cells."""
        return sorted({short(trace) for _, trace, _ in self.cells[headline]})

    def ratios(self, headline, row, metric="", closed=False):
        """The row's value against that of the paper's scheme, in each cell that has both. @closed: in closed runs alone."""
        metric = metric or headline.metric
        pairs = [(found[row].get(metric), found[headline.own].get(metric)) for (kind, *_), found in self.cells[headline].items()
                 if row in found and (KINDS[kind].closed or not closed)]
        return [a / b for a, b in pairs if a and b]

    def change(self, headline, row, metric="", closed=False):
        """As a part of 1; None: a cell is missing. Changes of two rows are comparable only over the same cells."""
        ratios = self.ratios(headline, row, metric, closed)
        full = len(ratios) == sum(KINDS[kind].closed or not closed for kind, *_ in self.cells[headline])
        return log_mean(ratios) - 1 if ratios and full else None

    def counts(self, headline, row):
        """Cells that the row wins, has equal, and loses against the paper's scheme."""
        gains = [(ratio - 1) * (1 if headline.more else -1) for ratio in self.ratios(headline, row)]
        return (sum(gain > EQUAL for gain in gains), sum(abs(gain) <= EQUAL for gain in gains), sum(gain < -EQUAL for gain in gains))

    def others(self, headline):
        """Rows without freeboard, best first, of those that ran in all closed cells."""
        rows = {row for found in self.cells[headline].values() for row in found}
        rows -= {plan.ALONE, plan.TOGETHER, LEARNED, "OPT", "bound", headline.own}
        known = {row: self.change(headline, row, closed=True) for row in rows}
        return sorted((row for row in rows if known[row] is not None), key=known.get, reverse=headline.more)


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def changed(value):
    return "–" if value is None else percent(value)


def beside(part, headline, row):
    won, same, lost = part.counts(headline, row)
    return f"{changed(part.change(headline, row))}; {won}/{same}/{lost}"


def link(headline):
    return f"[[{headline.paper.capitalize()}]](../papers.md#{headline.paper}) {headline.own}: {headline.words}"


def headlines(part):
    """The five headlines."""
    rows = []
    for headline in plan.HEADLINES:
        if not part.cells[headline]:
            rows.append([link(headline), "0", *["–"] * 7])
            continue
        best = part.others(headline)[0]
        rows.append([link(headline), str(len(part.cells[headline])), ", ".join(part.traces(headline)), beside(part, headline, plan.ALONE),
                     beside(part, headline, plan.TOGETHER), beside(part, headline, LEARNED), changed(part.change(headline, "OPT")),
                     f"`{best}` {changed(part.change(headline, best, closed=True))}", changed(part.change(headline, plan.ALONE, closed=True))])
    return table(["headline", "cells", "traces", f"`{plan.ALONE}`", f"`{plan.TOGETHER}`", "the paper's replacement, `l-corw`, `rop`", "OPT",
                  "closed runs: best other scheme", f"closed runs: `{plan.ALONE}`"], rows)


def everything(part):
    """Every scheme by each headline, in closed runs, which all schemes have."""
    others = {row for headline in plan.HEADLINES for row in part.others(headline)}
    rows = [[f"`{name}`", *(changed(part.change(headline, name, closed=True)) for headline in plan.HEADLINES)]
            for name in (plan.ALONE, plan.TOGETHER, LEARNED, *sorted(others), "OPT")]
    return table(["scheme", *(f"{headline.own}, {headline.metric}" for headline in plan.HEADLINES)], rows)


def writes(part):
    """What it costs: pages written to flash, and overwrites, beside the proven bounds."""
    rows = []
    for headline in plan.HEADLINES:
        if headline.paper == "li22" or not part.cells[headline]:
            continue
        rows.append([headline.own, *(changed(part.change(headline, row, "flushed")) for row in (plan.ALONE, plan.TOGETHER, "bound")),
                     *(changed(part.change(headline, row, "flushed", closed=True)) for row in (plan.ALONE, "mq-ssd")),
                     *(changed(part.change(headline, row, "overwrites")) for row in (plan.ALONE, plan.TOGETHER, "bound"))])
    return table(["beside", f"pages written: `{plan.ALONE}`", f"`{plan.TOGETHER}`", "least possible", f"closed runs: `{plan.ALONE}`",
                  "closed runs: `mq-ssd`", f"overwrites: `{plan.ALONE}`", f"`{plan.TOGETHER}`", "most possible"], rows)


def lost(part):
    """Cells in which a scheme of freeboard is worse than the paper's."""
    rows = []
    for headline in plan.HEADLINES:
        sign = 1 if headline.more else -1
        for (kind, trace, size), found in sorted(part.cells[headline].items()):
            values = {row: found[row][headline.metric] / found[headline.own][headline.metric] - 1
                      for row in (plan.ALONE, plan.TOGETHER) if row in found}
            if min(sign * value for value in values.values()) < -EQUAL:
                rows.append([headline.own, KINDS[kind].name, short(trace), size_name(size), *(percent(value) for value in values.values())])
    return table(["beside", "kind of run", "trace", "DRAM", f"`{plan.ALONE}`", f"`{plan.TOGETHER}`"], rows) if rows else "No cell is lost.\n"


def tables(part):
    traces = sorted({short(trace) for cells in part.cells.values() for _, trace, _ in cells})
    return (f"Traces with cells that count: {', '.join(traces)}.\n\n{headlines(part)}\nCells in which `freeboard` or the combination is worse "
            f"than the paper's scheme:\n\n{lost(part)}\nFlash writes, beside the paper's scheme:\n\n{writes(part)}\n"
            f"All schemes in closed runs, beside the paper's scheme:\n\n{everything(part)}")


def published(tree, part):
    return tree / DATA / f"freeboard-{part}.csv.xz"


def written(tree):
    """The page with the tables of its data."""
    text = (tree / PAGE).read_text(encoding="utf-8")
    for part in PARTS:
        begin, end = (mark.format(part=part) for mark in MARKS)
        if published(tree, part).exists():
            found = tables(Part(published(tree, part), tree / DATA / "traces.csv"))
            pattern = re.escape(begin) + ".*?" + re.escape(end)
            text, nr = re.subn(pattern, lambda _: f"{begin}\n{found}\n{end}", text, flags=re.DOTALL)
            assert nr == 1, f"{PAGE} has no place for the {part} part"
    return text


def main():
    parser = argparse.ArgumentParser(prog="champion_page")
    parser.add_argument("--publish", nargs=2, metavar=("PART", "RESULTS"))
    parser.add_argument("--show", nargs=2, metavar=("PART", "RESULTS"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("tree", type=Path)
    args = parser.parse_args()
    if args.show:
        results = Path(args.show[1])
        (results / "tables.md").write_text(tables(Part(results / "cells.csv", results / "traces.csv")), encoding="utf-8")
        print(results / "tables.md")
        return 0
    if args.publish:
        part, results = args.publish
        published(args.tree, part).write_bytes(lzma.compress((Path(results) / "cells.csv").read_bytes()))
    text, page = written(args.tree), args.tree / PAGE
    if args.check:
        found = difflib.unified_diff(page.read_text(encoding="utf-8").splitlines(), text.splitlines(), "page", "data", lineterm="")
        return print("\n".join(list(found)[:40])) or 1 if page.read_text(encoding="utf-8") != text else 0
    page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
