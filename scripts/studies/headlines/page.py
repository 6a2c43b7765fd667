# SPDX-License-Identifier: GPL-2.0
"""
The page of results: from cells.csv and traces.csv to results.md, plots as SVG, and results.html, which has plots to point at.

usage: page.py [--published] DATA OUTPUT         DATA has cells.csv or cells.csv.xz, and traces.csv. --published: as in the published study
       page.py --publish DATA DOCUMENTATION      also packs the data into DOCUMENTATION/results
       page.py --html DATA OUTPUT                results.html alone
       page.py --check DOCUMENTATION             do its page and plots say what its data say? Prints what differs
"""

import argparse
import importlib.util
import itertools
import lzma
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import svg
from causes import CAUSES, applies
from claims import CLAIMS, COUNTS, ELSEWHERE, FILTERS, HIT_RATIOS, METRICS, UNBOUNDED, WHERE
from plan import EXTRAS, ISOLATING, KINDS, MAIN, MIB, PAPERS
from verdicts import (AGREE, BOUNDED, DIFFER, FAINT, GROUPS, SAME, UNSHOWN, Data, bound_change, change, counts, deciding, group, in_few_cells, judged, log_mean, near,
                      of_kinds, ratio, shown, stand_in, traces_behind, verdicts, weak, with_bplru, with_fast,
                      with_mq_ssd, with_overwrites)

#: A figure of a text that was written for other traces.
MISSING = "(no such run here)"
#: Share of the directions that should agree.
AIM = 0.8
TEXTS = Path(__file__).with_name("texts")
HEADS = {"paper": "paper's sizes", "paper-closed": "paper's sizes, closed", "scaled": "in proportion", "scaled-closed": "in proportion, closed"}


@dataclass
class Plot:
    """Bars: @values[series][group], None where there is none; relative to @reference, which is one of the series."""
    name: str
    title: str
    groups: list
    series: list
    values: dict
    reference: str
    top: float = 2.0
    ticks: tuple = (0, 0.5, 1, 1.5, 2)


# What each paper's own figure shows: metric, kinds of run, policies, reference, part of the names of traces.
FIGURES = {
    "sha23": ("response", ("paper-closed", "scaled-closed"), ("LRU", "VBBMS", "BPLRU", "Co-Active", "VS-Batch", "VS-Batch+"), "LRU",
              "", "mean latency by trace and DRAM size (Fig. 12)"),
    "li22": ("read", ("paper",), ("Baseline", "Baseline-RB", "C-Miner", "ROP", "Pattern", "Pattern+"), "Baseline", "hot",
             "read latency by trace, 32 MiB (Fig. 7)"),
    "shin23": ("response", ("paper", "scaled"), ("CFLRU", "EF", "EF-SC"), "CFLRU", "web_0",
               "mean latency by DRAM size, web_0 (Fig. 4)"),
    "zhou23": ("response", ("paper", "scaled"), ("MQ-SSD", "CFLRU", "LCR", "ECR", "Co-Active", "L-CoRW"), "MQ-SSD", "",
               "mean latency by trace (Fig. 8)"),
    "lin22": ("absorbed", ("paper-closed", "scaled-closed"), ("LRU", "BPLRU", "VBBMS", "Req-block"), "Req-block", "",
              "pages absorbed by trace and DRAM size (Fig. 9)"),
}


def size_name(size):
    return f"{size // MIB} MiB" if size % MIB == 0 else f"{size / MIB:.1f} MiB"


def short(trace):
    """web0 of msr_web0_100k."""
    for word in ("msr_", "disksim_", "umass_", "heimdall_", "_opencas_1", "_sample50k", "_100k", "_10k", "_24k", "100k", "_replayed"):
        trace = trace.replace(word, "")
    return trace


def percent(value, digits=1):
    return f"{100 * value:+.{digits}f} %".replace("-", "−")


def plural(nr, what):
    return f"{nr} {what}" if nr == 1 else f"{nr} {what}s"


def plot_of(data, paper):
    """Of the traces that count."""
    metric, kinds, names, reference, only, title = FIGURES[paper]
    cells = {}
    for kind in kinds:
        cells |= data.of(paper, kind, only, metric)[0]
    cells = {where: cells[where] for where in sorted(cells)}
    values = {name: [ratio(found, name, reference, metric) for found in cells.values()] for name in names}
    return Plot(paper, f"{PAPERS[paper].name}: {title}, relative to {reference}",
                [f"{short(trace)} {size_name(size)}" for trace, size in cells], list(names), values, reference)


class Markdown:
    """Parts of the page."""

    def __init__(self):
        self.parts = []

    def add(self, text):
        self.parts.append(text.rstrip("\n"))

    def table(self, heads, rows):
        lines = [heads, ["---"] * len(heads), *rows]
        self.add("\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines))

    def text(self):
        return "\n\n".join(self.parts) + "\n"


def figure_text(outcome):
    """Our figure, and in how many cells the direction is the paper's."""
    if outcome.words:
        return outcome.words
    return percent(outcome.ours) + (f" ({outcome.parts[0]}/{outcome.parts[1]})" if outcome.parts else "")


def outcome_text(outcome):
    """A cell of a paper's table: bold if the direction is not the paper's."""
    if outcome is None:
        return ""
    if outcome.state == UNSHOWN:
        figure = "" if outcome.ours is None else f": {figure_text(outcome)}"
        return f"– ({outcome.why}{figure})"
    text = figure_text(outcome)
    return f"**{text}**" if outcome.state == DIFFER else text


def claim_text(claim):
    """What the paper reports."""
    what, only = METRICS[claim.metric], FILTERS[claim.only][0]
    others = ", ".join(claim.others) if claim.other else ""
    if claim.how in ("change", "each"):
        if isinstance(claim.other, tuple):
            others = f"{'each' if claim.how == 'each' else 'mean'} of {len(claim.other)}"
        figure = percent(claim.value) if claim.figure else f"{'more' if claim.value > 0 else 'less'} (no figure)"
        text = f"{what}, {claim.name} vs {others}: {figure}"
    elif claim.how in ("at most", "about"):
        text = f"{what}, {claim.name} vs {others}: {'within' if claim.how == 'about' else 'at most'} {percent(claim.value)}"
    elif claim.how in ("lowest", "highest"):
        text = f"{what}: {claim.name} {claim.how} of {len(claim.other) + 1} in most cells"
    elif claim.how == "best":
        text = f"{what}: best with {claim.value}"
    elif claim.how in ("order", "lists"):
        text = " < ".join(name.upper() if claim.how == "lists" else name for name in claim.other) + f" in {what}"
        text = " < ".join(name.upper() for name in claim.other) if claim.how == "lists" else text
    elif claim.how == "some":
        text = f"{what}: {claim.name} above {others} in some traces"
    else:
        text = f"{what}, {claim.name}: {100 * claim.value:.1f} %" if claim.value < 1 else f"{what}, {claim.name}: {claim.value}"
    notes = "; ".join(part for part in (claim.words, only) if part)
    return f"{claim.where}: {text}" + (f" ({notes})" if notes else "")


def bound_text(verdict):
    """
    The largest change that any policy can have, over the kinds that decide; if none can show the headline, over those that cannot. Or why
    there is none.
    """
    claim, found = verdict.claim, deciding(verdict) or deciding(verdict, UNSHOWN)
    limits = [outcome.bound for outcome in found if outcome.bound is not None]
    if claim.metric not in BOUNDED:
        return f"none: {UNBOUNDED[claim.metric]}"
    if claim.how == "best" or "rebuild=" in claim.name:
        return "none: compares settings"
    if not limits:
        return "none: no cell counts"
    # The paper reports more of what has a least number.
    words = "at least " if claim.how == "change" and BOUNDED[claim.metric] is min and claim.value > 0 else ""
    if len(limits) > 1 and percent(min(limits), 0) != percent(max(limits), 0):
        return f"{words}{percent(min(limits), 0)[:-2]} … {percent(max(limits), 0)}"
    return words + percent(limits[0])


def causes_of(verdict):
    """Numbers of the causes, for a headline that does not agree, agrees weakly, or not in all kinds of run."""
    claim = verdict.claim
    wrong = verdict.state in (DIFFER, SAME) or weak(verdict) or in_few_cells(verdict) or any(
        outcome.state == DIFFER or outcome.state == UNSHOWN and outcome.ours and outcome.ours * claim.value < 0
        for kind, outcome in verdict.outcomes.items() if kind in claim.kinds)
    found = [cause for cause in CAUSES if applies(cause, verdict.claim)] if wrong else []
    if not found:
        return "open" if verdict.state in (DIFFER, SAME) else ""
    return ", ".join(f"[C{cause.number}](#c{cause.number})" for cause in found)


def state_text(verdict):
    state = {DIFFER: f"**{DIFFER}**", "value": "–"}.get(verdict.state, verdict.state)
    state += (", weakly" if weak(verdict) else "") + (", in few cells" if in_few_cells(verdict) else "")
    state += " (stand-in)" if stand_in(verdict.claim) and verdict.state != "value" else ""
    return state + ("" if verdict.claim.counted else " (not counted)")


def readings_text(verdict, reading):
    """Ours and the bound, in a second metric of hits, over the kinds."""
    texts = []
    for kind in MAIN:
        outcome = verdict.outcomes.get(kind)
        ours, bound = (outcome.readings.get(reading) or (None, None)) if outcome else (None, None)
        texts.append("" if ours is None else percent(ours) + (f" (≤ {percent(bound)})" if bound is not None else ""))
    return texts


def slug(text):
    """The anchor of a headline."""
    return re.sub("[^a-z0-9]+", "-", text.lower().replace("+", " plus")).strip("-")


def named(claim):
    """The id of a headline, to which links lead."""
    return f'<a id="{slug(claim.id)}"></a>{claim.id}'


def link(key):
    return f"[{key}](#{slug(key)})"


def places_of(where):
    """ "Fig. 5" and "Fig. 6" of "Figs. 5, 6": who looks for one of them finds it."""
    word, _, numbers = where.partition("s. ")
    return [f"{word}. {number}" for number in numbers.split(", ")] if numbers else [where]


def in_order(place):
    """Figures by their numbers, then tables, then sections and other parts."""
    kind, number, letter = re.match(r"(Fig\.|Table)? ?(\d*)(.*)", place[0]).groups()
    return ["Fig.", "Table", None].index(kind), int(number or 0), letter


def bounds_of(values):
    """ "a … b %" of several changes, or "a %" of equal ones."""
    low, high = percent(min(values)), percent(max(values))
    return low if low == high else f"{low[:-2]} … {high}"


#: What the page of other runs says first.
OWN = ("**These are results of your own runs.** The verdicts are of these, and so are the tables of headlines, causes, traces and cells. All other "
       "texts and tables were written for the published study, `Documentation/results.md`, and may not fit.")


class Report:
    """@published: the page is that of the published study, whose texts say more of its runs."""

    def __init__(self, data, published=True):
        self.data, self.every, self.published = data, data.by(all_traces=True), published
        self.found = verdicts(data, CLAIMS)
        self.on_all = verdicts(self.every, CLAIMS)
        self.plots = {paper: plot_of(data, paper) for paper in PAPERS if any(key == paper for key, _ in data.cells)}

    def markdown(self):
        out = Markdown()
        out.add("<!-- Made by scripts/studies/headlines.sh from results/cells.csv.xz; do not edit. -->")
        out.add("# The papers' headlines on real traces")
        if not self.published:
            out.add(OWN)
        self.answer(out)
        out.add((TEXTS / "words.md").read_text(encoding="utf-8"))
        self.summary(out)
        self.index(out)
        self.main_claims(out)
        run = (TEXTS / "run.md").read_text(encoding="utf-8").rstrip("\n") if self.published else ""
        method = (TEXTS / "method.md").read_text(encoding="utf-8").replace("@RUN@\n\n", f"{run}\n\n" if run else "")
        out.add(filled(self.data, method))
        self.kinds(out)
        for paper in self.plots:
            self.paper(out, paper)
        self.causes(out)
        self.longer(out)
        self.elsewhere(out)
        out.add("# Appendices")
        self.traces(out)
        self.cells(out)
        out.add((TEXTS / "appendix.md").read_text(encoding="utf-8"))
        return out.text()

    def answer(self, out):
        """README.md has these lines, too; readme.sh compares."""
        states = counts(self.found)[GROUPS[0]]
        nr, part = shown(states), states[AGREE] / max(1, shown(states))
        out.add(f"Of {nr} directions that five papers report and the traces here can show, {states[AGREE]} agree ({100 * part:.0f} %), "
                f"{states[DIFFER]} differ, and in {states[SAME]} two policies come out equal."
                + (f" That is below the {100 * AIM:.0f} % that was aimed at." if part < AIM else "")
                + (" Each that does not agree has an experiment on its cause." if self.published else ""))

    def summary(self, out):
        table = counts(self.found)
        direct = table[GROUPS[0]]
        behind = [len(traces_behind(self.found, paper)) for paper in self.plots]
        close = [near(verdict) for verdict in self.found if group(verdict.claim) == GROUPS[0] and near(verdict) is not None]
        out.add(f"Of the {direct[AGREE]} that agree, {direct[AGREE] - direct[FAINT]} agree clearly and in many cells "
                f"({100 * (direct[AGREE] - direct[FAINT]) / max(1, shown(direct)):.0f} % of {shown(direct)}). "
                f"These traces can show directions, but not sizes of effects: {sum(close)} of {len(close)} figures are within a factor "
                f"of 2 of the paper's. Each paper is judged by {min(behind)} to {max(behind)} of the traces.")
        claims = [verdict.claim for verdict in self.found]
        rules = {"all traces here": verdicts(self.every, claims), "however few the thrash events": verdicts(self.data.by(few_events=True), claims),
                 "web_0 alone": verdicts(self.data.by(part="web_0"), claims),
                 "closed runs alone": verdicts(self.data, of_kinds(claims, True)),
                 "recorded times alone": verdicts(self.data, of_kinds(claims, False)),
                 "[Sha23]'s MSR traces 100 times as fast": verdicts(self.data, with_fast(claims)),
                 "hits as overwrites": verdicts(self.data, with_overwrites(claims)),
                 "L-CoRW over MQ-SSD's early writes": verdicts(self.data, with_mq_ssd(claims)),
                 "[Lin22]'s BPLRU with four pages at a time": verdicts(self.data, with_bplru(claims))}
        ladder = {GROUPS[0]: direct} | {f"{GROUPS[0]}, {name}": counts(found)[GROUPS[0]] for name, found in rules.items()}
        ladder |= {f"{GROUPS[0]}, stand-ins included": table[GROUPS[0]] + table[GROUPS[1]], GROUPS[1]: table[GROUPS[1]], GROUPS[2]: table[GROUPS[2]]}
        out.table(["", "agree", f"of these {FAINT}", "differ", "equal", "cannot be shown", "agree, of all that can be shown"],
                  [[name, *(states[state] for state in (AGREE, FAINT, DIFFER, SAME, UNSHOWN)),
                    f"{states[AGREE]} of {shown(states)}: {100 * states[AGREE] / max(1, shown(states)):.0f} %"] for name, states in ladder.items()])
        out.add(f"Each headline counts once. The numbers by paper are agree ({FAINT})/differ/equal/cannot be shown; the last column has the traces behind "
                "the directions:")
        rows = []
        for paper in self.plots:
            part = counts(self.found, paper)
            behind = traces_behind(self.found, paper)
            rows.append([f"[[{paper.capitalize()}]](papers.md#{paper}) [{PAPERS[paper].name}](#{anchor(paper)})",
                         *(f"{part[name][AGREE]} ({part[name][FAINT]})/" + "/".join(str(part[name][state]) for state in (DIFFER, SAME, UNSHOWN))
                           for name in GROUPS),
                         f"{len(behind)}: {', '.join(map(short, behind))}"])
        out.table(["paper", *GROUPS, "traces"], rows)

    def index(self, out):
        """Paper, figure, headline."""
        out.add("## Find a headline")
        rows = []
        for paper in self.plots:
            first, places = {}, {}
            for verdict in self.found:
                first.setdefault(verdict.claim.number, verdict.claim.id)
            for number, where in WHERE.items():
                if number.startswith(f"{paper}-"):
                    for place in places_of(where):
                        places.setdefault(place, {})[number] = first.get(number, number)
            rows.append([f"[[{paper.capitalize()}]](#{anchor(paper)})",
                         "; ".join(f"{where} " + ", ".join(f"[{number}](#{slug(key)})" for number, key in found.items())
                                   for where, found in sorted(places.items(), key=in_order))])
        out.table(["paper", "figure or table, and what is reported there"], rows)

    def main_claims(self, out):
        out.add("## Five main claims")
        claims = [verdict for verdict in self.found if verdict.claim.main and verdict.claim.paper in self.plots]
        agree = [verdict for verdict in claims if verdict.state == AGREE]
        faint = sum(weak(verdict) or in_few_cells(verdict) for verdict in agree)
        out.add(f"Of {len(claims)} main claims, {len(agree)} agree, {faint} of them {FAINT} and "
                f"{sum(stand_in(verdict.claim) for verdict in agree)} with a stand-in among the rivals: "
                + "; ".join(self.in_short(verdict) for verdict in claims) + ".")
        rows = []
        for verdict in self.found:
            claim = verdict.claim
            if not claim.main or claim.paper not in self.plots:
                continue
            bound = "none: latency"
            if claim.metric == "absorbed":
                limits = [outcome.readings["overwrites"][1] for kind, outcome in verdict.outcomes.items()
                          if kind in MAIN and outcome.readings.get("overwrites", (None, None))[1] is not None]
                bound = f"overwrites at most {percent(log_mean([1 + limit for limit in limits]) - 1)}" if limits else "none: no cell counts"
            rows.append([link(claim.id), claim_text(claim), state_text(verdict), causes_of(verdict),
                         *(outcome_text(verdict.outcomes.get(kind)) for kind in MAIN), bound])
        out.table(["headline", "paper", "verdict", "cause", *(HEADS[kind] for kind in MAIN), "bound"], rows)

    @staticmethod
    def in_short(verdict):
        claim, ours = verdict.claim, [outcome.ours for outcome in deciding(verdict)]
        other = f"the mean of {len(claim.other)} rivals" if isinstance(claim.other, tuple) else claim.other
        return (f"{claim.name} against {other}, {METRICS[claim.metric]} {bounds_of(ours)} (the paper: {percent(claim.value)})" if ours
                else f"{claim.name}: cannot be shown")

    def kinds(self, out):
        out.add("### Kinds of run")
        rows = []
        for kind, of in KINDS.items():
            cells = [len(self.data.of(paper, kind)[0]) for paper in PAPERS if (paper, kind) in self.data.cells]
            if cells:
                rows.append([of.name, of.says, "all" if of.main else "none" if kind in (*EXTRAS, *ISOLATING) else "headlines that name it",
                             f"{sum(cells)}"])
        out.table(["kind", "what is different", "headlines that it decides", "cells that count"], rows)

    def paper(self, out, paper):
        found = [verdict for verdict in self.found if verdict.claim.paper == paper]
        out.add(f"## {PAPERS[paper].name} [{paper.capitalize()}]")
        table = counts(self.found, paper)
        out.add("; ".join(f"{name}: {table[name][AGREE]} agree, {table[name][DIFFER]} differ, {table[name][SAME]} equal, "
                          f"{table[name][UNSHOWN]} cannot be shown" for name in GROUPS if sum(table[name].values())) + ".")
        out.add(f"![{self.plots[paper].title}](results/{paper}.svg)")
        rows, on_all = [], {verdict.claim.id: verdict for verdict in self.on_all}
        for verdict in found:
            claim = verdict.claim
            others = [f"{KINDS[kind].name}: {outcome_text(outcome)}" for kind, outcome in verdict.outcomes.items()
                      if kind not in MAIN and outcome.state != UNSHOWN or kind in claim.kinds and kind not in MAIN]
            rows.append([named(claim), claim_text(claim), state_text(verdict), state_text(on_all[claim.id]), causes_of(verdict),
                         *(outcome_text(verdict.outcomes.get(kind)) for kind in MAIN), "; ".join(others), bound_text(verdict)])
        out.table(["headline", "paper", "verdict", "all traces", "cause", *(HEADS[kind] for kind in MAIN), "other kinds", "bound"], rows)
        rows = [[link(verdict.claim.id), METRICS[reading], *readings_text(verdict, reading)] for verdict in found
                for reading in ("overwrites", "hits") if any(readings_text(verdict, reading))]
        if rows:
            out.add("The same headlines by two other readings of a hit; parentheses have the most that any policy can gain:")
            out.table(["headline", "metric", *(HEADS[kind] for kind in MAIN)], rows)

    def causes(self, out):
        out.add("## Causes")
        out.add((TEXTS / "causes.md").read_text(encoding="utf-8"))
        for cause in CAUSES:
            hit = [link(verdict.claim.id) for verdict in self.found if applies(cause, verdict.claim) and f"(#c{cause.number})" in causes_of(verdict)]
            text = filled(self.data, cause.text)
            out.add(f"### C{cause.number}\n\n**{cause.title}** ({cause.kind}). Headlines: {', '.join(hit) or 'none'}.\n\n{text}")
            for experiment in cause.experiments:
                self.experiment(out, experiment)

    def experiment(self, out, experiment):
        rows, kinds = [], [kind for kind in experiment.kinds if any(self.data.of(experiment.paper, kind, experiment.only, metric)[0]
                                                                    for metric in experiment.metrics)]
        for name, other in experiment.pairs:
            for metric in experiment.metrics:
                row = []
                for kind in kinds:
                    cells = self.data.of(experiment.paper, kind, experiment.only, metric)[0]
                    if other is None:
                        values = [found[name][metric] for found in cells.values() if metric in found.get(name, {})]
                        row.append(f"{plain([sum(values) / len(values)], metric)} ({plural(len(values), 'cell')})" if values else "")
                        continue
                    ours, changes = change(cells, name, other, metric)
                    row.append("" if ours is None else f"{percent(ours)} ({plural(len(changes), 'cell')})")
                if any(row):
                    rows.append([f"{name} vs {other}" if other else name, METRICS[metric], *row])
        only = FILTERS[experiment.only][0]
        out.add(f"{PAPERS[experiment.paper].name}'s runs{', ' + only if only else ''}:")
        out.table(["", "metric", *(KINDS[kind].name for kind in kinds)], rows)

    def longer(self, out):
        out.add((TEXTS / "longer.md").read_text(encoding="utf-8"))
        rows, passed = [], 0
        for verdict in self.found:
            claim = verdict.claim
            halves = [judged(self.data, claim, kind).ours for kind in ("half", "half-generated")]
            if claim.how != "change" or not claim.counted or not claim.figure or claim.metric in HIT_RATIOS or None in halves:
                continue
            shown = verdict.outcomes["generated"]
            fits = "the generator" not in shown.why
            passed += fits
            rows.append([link(claim.id), f"{METRICS[claim.metric]}: {percent(claim.value)}", *(percent(half) for half in halves),
                         "passes" if fits else "**fails**", outcome_text(shown) if fits else "not shown"])
        if rows:
            out.add(f"Of {len(rows)} comparisons {passed} pass the test:")
            out.table(["headline", "paper", "second half", "generated from the first", "test", "generated, paper's sizes, closed"], rows)
        else:
            out.add("No trace of this study is long enough for it.")

    def elsewhere(self, out):
        out.add("## Headlines without a direction, or measured elsewhere")
        out.table(["headline", "in the paper", "where it is, or why it is left out"], [[f'<a id="{slug(key)}"></a>{key}', WHERE[key], text] for key, text in ELSEWHERE.items()])

    def traces(self, out):
        out.add("## Traces")
        out.add("Column *cut*: the study takes a prefix only. *Hot*: share of the pages of 8 KiB read that are read at least three times. *Times*: "
                "whether the requests have recorded times.")
        rows = [[short(trace), row["requests"], "prefix" if row["cut"] == "1" else "", percent(float(row["reading"]), 0)[1:],
                 percent(float(row["hot"]))[1:], *(f"{float(row[name]) / 1024:.1f}" for name in ("mean_read", "mean_write")), row["accesses"], row["pages"],
                 "" if row["timed"] == "1" else "no times", row["unfit"]]
                for trace, row in sorted(self.data.traces.items()) if not re.search("_times|_whole_|_apart_", trace)]
        out.table(["trace", "requests", "cut", "reads", "hot", "mean read, KiB", "mean write, KiB", "accesses of 8 KiB", "pages", "times", "papers that leave it out"], rows)

    def cells(self, out):
        out.add("## Cells by trace")
        out.add("The tables have the main metric of each paper's plot, relative to its reference: the geometric mean of the sizes. "
                "Traces that do not count have larger requests than the papers' traces. [cells.csv.xz](results/cells.csv.xz) has every number.")
        for paper in self.plots:
            metric, _, names, reference, only, _ = FIGURES[paper]
            rows = []
            for kind in MAIN:
                cells = self.every.of(paper, kind, only, metric)[0]
                for trace in sorted({trace for trace, _ in cells}):
                    part = {where: found for where, found in cells.items() if where[0] == trace}
                    row = [change(part, name, reference, metric)[0] for name in names if name != reference]
                    counts_here = "" if self.data.like_the_papers(paper, metric, trace) else "no"
                    rows.append([short(trace), counts_here, HEADS[kind], *("" if value is None else percent(value) for value in row)])
            out.add(f"### {PAPERS[paper].name}: {METRICS[metric]} vs {reference}")
            out.table(["trace", "counts", "kind", *(name for name in names if name != reference)], rows)

    def files(self):
        """Path -> text, of what the data determine."""
        return {"results.md": self.markdown()} | {f"results/{paper}.svg": svg.bars(plot) for paper, plot in self.plots.items()}



def filled(data, text):
    """
    A text whose figures are those of the data, or MISSING. KINDS are separated by "/", or MAIN; several make a range.

    {change:PAPER,KINDS,POLICY,POLICY,METRIC[,ONLY]}: as in the tables
    {mean:PAPER,KINDS,POLICY,METRIC[,ONLY]}: of the cells
    {most:PAPER,KINDS,POLICY,METRIC[,ONLY]}: of all cells
    {bound:PAPER,KINDS,POLICY,METRIC[,ONLY]}: the least, or the most, that is possible, as a multiple of the policy's, over all cells
    {trace:NAME,reading|writing|times}: of a trace: share of requests that read, that write; page writes by pages touched
    """
    def figure(match):
        if match[1] == "trace":
            name, fact = match[2].split(",")
            if name not in data.traces:
                return MISSING
            reading, writes, pages = (float(data.traces[name][key]) for key in ("reading", "writes", "pages"))
            return f"{writes / pages:.1f}" if fact == "times" else f"{100 * (reading if fact == 'reading' else 1 - reading):.0f} %"
        what, (paper, kinds, *names) = match[1], match[2].split(",")
        others, metric, only = names[:1 + (what == "change")], names[1 + (what == "change")], (names[2 + (what == "change"):] or [""])[0]
        cells = [data.of(paper, kind, only, metric)[0] for kind in (MAIN if kinds == "MAIN" else kinds.split("/"))]
        if what == "change":
            found = [change(part, *others, metric)[0] for part in cells]
            return MISSING if None in found else bounds_of(found)
        found = [[part[others[0]][metric] for part in parts.values() if metric in part.get(others[0], {})] for parts in cells]
        if what == "bound":
            limits = [limit for part in cells for one in part.values() if (limit := bound_change(one, others[0], metric)) is not None]
            return f"{1 + min(limits):.1f} … {1 + max(limits):.1f} times" if limits else MISSING
        if what == "most":
            found = [[max(part)] for part in [list(itertools.chain.from_iterable(found))] if part]
        return plain([sum(part) / len(part) for part in found], metric) if found and all(found) else MISSING

    return re.sub(r"\{(change|mean|most|bound|trace):([^}]*)\}", figure, text)


def plain(values, metric):
    """Values of a metric, or their range."""
    texts = [f"{100 * value:.1f} %" if metric == "thrash_share" else f"{value:.0f}" if metric in COUNTS else f"{value:.2f}"
             for value in (min(values), max(values))]
    return texts[0] if texts[0] == texts[1] else " … ".join(texts)


def anchor(paper):
    """As GitHub makes it of a heading."""
    return f"{PAPERS[paper].name} {paper}".lower().replace("+", "").replace(" ", "-")


# The long texts of tables: the second column of most, and what other kinds of run show.
STYLE = """<style>td, th { white-space: normal; vertical-align: top; min-width: 4.5rem; } td:first-child { white-space: nowrap; }
td:nth-child(2), th:nth-child(2) { text-align: left; min-width: 14rem; } td:nth-child(9) { min-width: 12rem; }</style>"""


def html(report, path):
    """The page in one file; plots of Plotly stand where the page has pictures."""
    import markdown
    from ssdcache.page import Page

    page = Page("The papers' headlines")
    page.parts[:] = [STYLE]
    text = report.markdown()
    for link in ("papers.md", "policies/", "results/cells"):
        text = text.replace(f"]({link}", f"](../../Documentation/{link}")
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc"])
    body = body.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    for paper, plot in report.plots.items():
        before, _, rest = body.partition(f'src="results/{paper}.svg"')
        before, after = before[:before.rindex("<p>")], rest.partition("</p>")[2]
        page.parts.append(before)
        page.figure({"data": [{"type": "bar", "name": name, "x": plot.groups, "y": plot.values[name]} for name in plot.series],
                     "layout": {"barmode": "group", "yaxis": {"title": f"relative to {plot.reference}", "range": [0, 3]},
                                "legend": {"orientation": "h", "y": 1.15}}}, plot.title)
        body = after
    page.parts.append(body)
    page.write(path, "Made by scripts/studies/headlines.sh of dm-ssdcache from cells.csv.")


def data_of(folder):
    cells = next((path for name in ("cells.csv", "cells.csv.xz") if (path := folder / name).exists()), None)
    if not cells:
        sys.exit(f"headlines: {folder}: neither cells.csv nor cells.csv.xz")
    return Data(cells, folder / "traces.csv")


def check(documents):
    """Prints the files that do not say what the data say. Returns their number."""
    report = Report(data_of(documents / "results"))
    wrong = [name for name, text in report.files().items()
             if not (documents / name).exists() or (documents / name).read_text(encoding="utf-8") != text]
    for name in wrong:
        print(f"{documents / name} does not follow from {documents}/results/cells.csv.xz: scripts/studies/headlines.sh --page")
    return len(wrong)


def write(report, out):
    for name, text in report.files().items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")


def pack(data, out):
    """The data as they are committed, the same bytes for the same data."""
    out.mkdir(parents=True, exist_ok=True)
    cells = (data / "cells.csv").read_bytes()
    (out / "cells.csv.xz").write_bytes(lzma.compress(cells, preset=9 | lzma.PRESET_EXTREME))
    (out / "traces.csv").write_bytes((data / "traces.csv").read_bytes())


def main():
    parser = argparse.ArgumentParser(prog="page")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--html", action="store_true")
    parser.add_argument("folders", nargs="+", type=Path)
    args = parser.parse_args()
    if args.check:
        return 1 if check(args.folders[0]) else 0
    data, out = args.folders[0], args.folders[-1]
    report = Report(data_of(data), args.publish or args.published or args.html)
    if args.html:
        html(report, out / "results.html")
        return 0
    write(report, out)
    if args.publish and (data / "cells.csv").exists():
        pack(data, out / "results")
    table = counts(report.found)
    for name in GROUPS:
        print(f"headlines: {name}: " + ", ".join(f"{table[name][state]} {state}" for state in (AGREE, DIFFER, SAME, UNSHOWN)))
    if not args.publish and all(importlib.util.find_spec(name) for name in ("markdown", "plotly")):
        html(report, out / "results.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
