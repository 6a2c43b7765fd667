# SPDX-License-Identifier: GPL-2.0
"""
Verdicts, from cells.csv and traces.csv alone.

In a kind of run a headline agrees, differs, is equal (within 0.05 %), or cannot be shown: no cell evicts what its DRAM holds, the
proven bound leaves less than half of what the paper reports, too few events, settings that hardly differ. Over the kinds that can
show it, a headline agrees if more agree than differ; a tie differs. Every tie counts against the program.
"""

import csv
import gzip
import io
import lzma
import math
import statistics
from collections import Counter, defaultdict
from copy import copy
from dataclasses import dataclass, field, replace

from claims import BOUNDED, COUNTS, EVENTS, FILTERS, HIT_RATIOS, LEAST_EVENTS, READINGS, on_mq_ssd
from plan import DECISIONS, EXTRAS, KINDS, LARGEST_REQUEST, OF_WRITES, OVERLOAD, PAPERS, REBUILD

EQUAL = 0.0005
#: Fewer events than this, of both policies together, are chance.
MIN_EVENTS = 100
#: Settings of a sweep whose latencies or hits are all this close have no best one.
FLAT = 0.01

AGREE, DIFFER, SAME, UNSHOWN = "agrees", "differs", "equal", "cannot be shown"
ALIKE = "both decide alike"


def opened(path):
    """A CSV file, plain, gzip or xz."""
    if path.suffix == ".xz":
        return io.TextIOWrapper(lzma.open(path), encoding="utf-8", newline="")
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8", newline="")
    return open(path, encoding="utf-8", newline="")


class Data:
    """
    cells[paper, kind][trace, bytes][policy][metric], and traces[name][column].

    @all_traces: those that are not like the papers' count, too
    @few_events: cells with fewer events than LEAST_EVENTS count, too
    @part: key of FILTERS: only these traces count
    """

    def __init__(self, cells, traces):
        self.cells = defaultdict(lambda: defaultdict(dict))
        self.all_traces = self.few_events = False
        self.part = ""
        with opened(traces) as file:
            self.traces = {row["trace"]: row for row in csv.DictReader(file)}
        with opened(cells) as file:
            for row in csv.DictReader(file):
                where = row.pop("trace"), int(row.pop("bytes"))
                paper = row.pop("paper")
                found = self.cells[paper, row.pop("kind")][where]
                policy, decisions = row.pop("policy"), row.pop(DECISIONS, "")
                facts = {name: float(value) for name, value in row.items() if value}
                found[policy] = complete(facts, self.traces[where[0]], PAPERS[paper].page)
                if policy == "bound" and "flushed" in facts:
                    found[policy] |= derived(found[policy]["flushed"], where[1], self.traces[where[0]], PAPERS[paper])
                if decisions:
                    found[policy][DECISIONS] = decisions

    def of(self, paper, kind, only="", metric=""):
        """The cells that count for a metric, and how many there are in all."""
        everything = {where: found for where, found in self.cells.get((paper, kind), {}).items()
                      if all(FILTERS[key][1](where[0], self.traces[where[0]]) for key in (only, self.part))
                      and (self.all_traces or self.like_the_papers(paper, metric, where[0]))}
        base = PAPERS[paper].base
        return {where: found for where, found in everything.items() if (not base or len(found) > 1)
                and not self.overloaded(paper, kind, where)}, len(everything)

    def by(self, **rules):
        """The same data by other rules: @all_traces, @few_events, @part."""
        other = copy(self)
        vars(other).update(rules)
        return other

    def eventful(self, claim, cells):
        """The cells whose base policy has as many of the events as the paper's traces have."""
        least, base = LEAST_EVENTS.get(claim.metric, 0), PAPERS[claim.paper].base
        if self.few_events or not least:
            return cells
        return {where: found for where, found in cells.items() if found.get(base, {}).get(claim.metric, 0) >= least}

    def like_the_papers(self, paper, metric, trace):
        """By the mean request of the kind that the paper's table lists, and that decides the metric."""
        reads = paper == "li22" and metric not in OF_WRITES
        return float(self.traces[trace]["mean_read" if reads else "mean_write"]) <= LARGEST_REQUEST

    def overloaded(self, paper, kind, where):
        """Does the base policy's mean request take more than OVERLOAD times as long as one request after the other?"""
        name = PAPERS[paper].base or "Baseline"
        alone = self.cells.get((paper, KINDS[kind].twin), {}).get(where, {}).get(name, {}).get("response")
        taken = self.cells[paper, kind][where].get(name, {}).get("response")
        return bool(alone and taken and taken > OVERLOAD * alone)


def derived(flushed, size, trace, paper):
    """
    What follows from the least number of pages flushed. Each of them, and each page that is written through, is a program or dirty at the end.
    traces.csv has the page writes of 8 KiB.
    """
    found = {"waf": flushed / float(trace["writes"])} if paper.page == 8192 and float(trace["writes"]) else {}
    return found | ({"rebuilds": least_rebuilds(flushed, size // paper.page)} if paper.key == "sha23" else {})


def least_rebuilds(flushed, frames):
    """How often VS-Batch+ rebuilds at least, whatever leaves: of the pages flushed those that are dirty at the end were not evicted."""
    return max(0, flushed - frames) // (int(REBUILD * frames) + 1)


def complete(facts, trace, page):
    if "hits" in facts:
        facts["misses"] = 1 - facts["hits"]
    if "evicted" in facts and float(trace["mean_write"]):
        written = float(trace["requests"]) * (1 - float(trace["reading"])) * float(trace["mean_write"])
        facts["evicted_share"] = facts["evicted"] * page / written
    if facts.get("evicted"):
        facts["thrash_share"] = facts.get("thrash", 0) / facts["evicted"]
    return facts


@dataclass
class Outcome:
    """
    Of a headline in a kind of run.

    @ours: our figure, if there is one: a change as a part of 1
    @words: our figure as a text, if it is no change
    @why: it cannot be shown; @ours may tell what it would be
    @parts: cells in which the direction is the paper's, and all cells
    @bound: the largest change that any policy can have, in the cells that count; if none counts: in all
    @cells: that count
    """
    state: str
    ours: float = None
    words: str = ""
    why: str = ""
    parts: tuple = ()
    bound: float = None
    readings: dict = field(default_factory=dict)
    cells: frozenset = frozenset()


@dataclass
class Verdict:
    claim: object
    outcomes: dict
    state: str


def ratio(found, name, other, metric):
    """@name / @other; None if there is none to compare."""
    a, b = found.get(name, {}).get(metric), found.get(other, {}).get(metric)
    return a / b if a and b else None


def log_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def change(cells, name, other, metric):
    """The change of a metric over cells, as a part of 1, and the cells' own changes. Events are summed; others are ratios."""
    pairs = [(found[name].get(metric), found[other].get(metric)) for found in cells.values() if name in found and other in found]
    pairs = [(a, b) for a, b in pairs if a is not None and b is not None]
    if metric in COUNTS:
        total = sum(b for _, b in pairs)
        return (sum(a for a, _ in pairs) / total - 1 if total else None), [a - b for a, b in pairs]
    ratios = [a / b for a, b in pairs if a and b]
    return (log_mean(ratios) - 1 if ratios else None), [value - 1 for value in ratios]


def bound_change(found, other, metric):
    """The largest change against @other that the bound allows in a cell; None: there is no bound."""
    bound = found.get("bound", {})
    if metric not in BOUNDED or not found.get(other, {}).get(metric):
        return None
    limit = 1 if metric == "absorbed" else bound.get(metric)
    if limit is None and metric == "misses" and "hits" in bound:
        limit = 1 - bound["hits"]
    return None if limit is None else limit / found[other][metric] - 1


def showable(cells, claim, other):
    """The cells whose bound leaves at least half of what the paper reports, and their mean bound; that of all cells if none is left."""
    bounds = {where: bound_change(found, other, claim.metric) for where, found in cells.items()}
    left = cells
    better = 1 if BOUNDED.get(claim.metric) is max else -1
    if claim.how == "change" and any(value is not None for value in bounds.values()) and claim.value * better > 0:
        left = {where: found for where, found in cells.items()
                if bounds[where] is None or abs(bounds[where]) >= abs(claim.value) / 2 and bounds[where] * better > 0}
    known = [1 + bounds[where] for where in left or cells if bounds[where] is not None and bounds[where] > -1]
    return left, log_mean(known) - 1 if known else None


def alike(cells, name, other):
    """Do two policies make the same decisions in all cells?"""
    return all(DECISIONS in found.get(name, {}) and found[name][DECISIONS] == found.get(other, {}).get(DECISIONS) for found in cells.values())


def direction(ours, paper):
    if abs(ours) < EQUAL:
        return SAME
    return AGREE if (ours > 0) == (paper > 0) else DIFFER


def compare(claim, cells):
    """ "change", "at most", "about": the mean over the others. """
    found, every, bound, reasons, used = [], [], None, [], set()
    for other in claim.others:
        left, limit = showable(cells, claim, other)
        bound = limit if bound is None else bound
        if not left:
            reasons.append(f"bound {100 * limit:+.1f} %".replace("-", "−"))
            continue
        if alike(left, claim.name, other):
            reasons.append(ALIKE)
            continue
        if claim.metric in EVENTS:
            events = sum(part.get(policy, {}).get(claim.metric, 0) for part in left.values() for policy in (claim.name, other))
            if events < MIN_EVENTS:
                reasons.append(f"{events:.0f} events")
                continue
        ours, changes = change(left, claim.name, other, claim.metric)
        if ours is None:
            reasons.append("nothing to compare")
            continue
        found.append(ours)
        every += changes
        used |= set(left)
    if not found:
        # What the table shows all the same.
        ours, every = change(cells, claim.name, claim.others[0], claim.metric) if len(claim.others) == 1 else (None, [])
        parts = sum(value != 0 and (value > 0) == (claim.value > 0) for value in every), len(every)
        return Outcome(UNSHOWN, ours, why=reasons[0], parts=parts if claim.how == "change" else (), bound=bound)
    ours = log_mean([1 + value for value in found]) - 1 if min(found) > -1 else sum(found) / len(found)
    if claim.how == "change":
        state = direction(ours, claim.value)
        parts = sum(value != 0 and (value > 0) == (claim.value > 0) for value in every), len(every)
    else:
        limit = max(claim.value, EQUAL)
        within = ours <= limit if claim.how == "at most" else abs(ours) <= limit
        state, parts = (AGREE if within else DIFFER), ()
    return Outcome(state, ours, parts=parts, bound=bound, cells=frozenset(used))


def each(claim, cells):
    """ "each": is the direction the paper's against every other? Our figure is the least. """
    found, every = [], []
    for other in claim.others:
        if alike(cells, claim.name, other):
            continue
        ours, changes = change(cells, claim.name, other, claim.metric)
        if ours is None:
            return Outcome(UNSHOWN, why="nothing to compare")
        found.append(ours)
        every += changes
    if not found:
        return Outcome(UNSHOWN, why=ALIKE)
    least = (min if claim.value > 0 else max)(found)
    parts = sum(value != 0 and (value > 0) == (claim.value > 0) for value in every), len(every)
    return Outcome(direction(least, claim.value), least, parts=parts)


def extreme(claim, cells):
    """ "lowest", "highest": in how many cells, alone? """
    names, times, nr = (claim.name, *claim.others), 0, 0
    sign = 1 if claim.how == "lowest" else -1
    for found in cells.values():
        values = {name: found[name][claim.metric] for name in names if claim.metric in found.get(name, {})}
        if len(values) == len(names):
            nr += 1
            times += all(sign * values[claim.name] < sign * values[other] for other in claim.others)
    if not nr:
        return Outcome(UNSHOWN, why="nothing to compare")
    return Outcome(AGREE if 2 * times > nr else DIFFER, words=f"in {times} of {nr} cells", parts=(times, nr))


def best(claim, cells):
    """Which setting has the lowest metric, or the highest share absorbed?"""
    changes = {other: change(cells, other, claim.name, claim.metric)[0] for other in claim.others}
    # Of equal ones, the first wins.
    changes = {name: value for name, value in changes.items() if value is not None} | {claim.name: 0.0}
    if len(changes) == 1:
        return Outcome(UNSHOWN, why="nothing to compare")
    values = [1 + value for value in changes.values()]
    if max(values) / min(values) - 1 < FLAT:
        return Outcome(UNSHOWN, why=f"all within {100 * (max(values) / min(values) - 1):.1f} %")
    winner = (max if claim.metric in READINGS else min)(changes, key=changes.get)
    setting = winner.partition("=")[2] or str(claim.value)
    return Outcome(AGREE if winner == claim.name else DIFFER, words=f"{setting} ({100 * changes[winner]:+.1f} %)")


def ordered(claim, cells):
    """Policies by one metric, or metrics of one policy."""
    means = {}
    for name in claim.other:
        values = [found.get(claim.name if claim.how == "lists" else name, {}).get(name if claim.how == "lists" else claim.metric)
                  for found in cells.values()]
        values = [value for value in values if value is not None]
        if not values:
            return Outcome(UNSHOWN, why="nothing to compare")
        means[name] = sum(values) / len(values)
    total = sum(means.values()) if claim.how == "lists" else 1
    ours = sorted(claim.other, key=means.get)
    return Outcome(AGREE if all(means[a] < means[b] for a, b in zip(claim.other, claim.other[1:])) else DIFFER,
                   words=" < ".join(f"{name.upper() if claim.how == 'lists' else name} {means[name] / (total or 1):.3g}" for name in ours))


def some(claim, cells):
    ratios = [ratio(found, claim.name, claim.other, claim.metric) for found in cells.values()]
    ratios = [value for value in ratios if value]
    if not ratios:
        return Outcome(UNSHOWN, why="nothing to compare")
    more = sum(value > 1 + EQUAL for value in ratios)
    return Outcome(AGREE if more else DIFFER, words=f"in {more} of {len(ratios)} cells", parts=(more, len(ratios)))


def value(claim, cells):
    values = [found[claim.name][claim.metric] for found in cells.values() if claim.metric in found.get(claim.name, {})]
    if not values:
        return Outcome(UNSHOWN, why="nothing to compare")
    mean = sum(values) / len(values)
    return Outcome("value", words=f"{100 * mean:.1f} %" if claim.value < 1 else f"{mean:.2f}")


HOW = {"change": compare, "at most": compare, "about": compare, "each": each, "lowest": extreme, "highest": extreme, "best": best,
       "order": ordered, "lists": ordered, "some": some, "value": value}


def judged(data, claim, kind):
    """The outcome of a claim in a kind of run."""
    cells, nr = data.of(claim.paper, kind, claim.only, claim.metric)
    if claim.metric == "per_prefetch":
        names = (claim.name, *claim.others)
        cells = {where: found for where, found in cells.items() if all(found.get(name, {}).get("prefetched") for name in names)}
    if not cells:
        return Outcome(UNSHOWN, why="nothing is evicted, or overload" if nr and PAPERS[claim.paper].base else "no cell")
    left = data.eventful(claim, cells)
    outcome = HOW[claim.how](claim, left or cells)
    if not left:
        outcome = replace(outcome, state=UNSHOWN, why="few events")
    if outcome.state != UNSHOWN and not outcome.cells:
        outcome.cells = frozenset(left)
    for reading in READINGS.get(claim.metric, ()) if claim.how == "change" and not isinstance(claim.other, tuple) else ():
        limits = [bound_change(found, claim.other, reading) for found in cells.values()]
        limits = [1 + limit for limit in limits if limit is not None]
        outcome.readings[reading] = change(cells, claim.name, claim.other, reading)[0], log_mean(limits) - 1 if limits else None
    return outcome


def generated(data, claim, outcome):
    """
    What a generated trace shows is shown only where the generator passes its test: fitted to one half of a prefix, our figure is within
    half of the headline of that on the other half. It is not for hit ratios.
    """
    if claim.metric in HIT_RATIOS:
        return Outcome(UNSHOWN, why="the generator is not for hit ratios")
    real, made = (judged(data, claim, kind).ours for kind in ("half", "half-generated"))
    if claim.how != "change" or not claim.figure or real is None or made is None:
        return Outcome(UNSHOWN, why="the generator cannot be tested")
    if abs(made - real) > abs(claim.value) / 2:
        return Outcome(UNSHOWN, why=f"the generator fails its test: {100 * made:+.1f} for {100 * real:+.1f} %")
    return outcome


def overall(claim, outcomes):
    """Over the kinds that decide."""
    states = Counter(outcomes[kind].state for kind in claim.kinds if kind in outcomes)
    if claim.how == "value":
        return "value"
    if not states[AGREE] and not states[DIFFER]:
        return SAME if states[SAME] else UNSHOWN
    return AGREE if states[AGREE] > states[DIFFER] else DIFFER


def deciding(verdict, *states):
    """The outcomes of the kinds that decide, of some states."""
    return [verdict.outcomes[kind] for kind in verdict.claim.kinds
            if kind in verdict.outcomes and verdict.outcomes[kind].state in (states or (AGREE, DIFFER, SAME))]


def weak(verdict):
    """The direction is the paper's, but our figures are less than a tenth of the paper's in half of the kinds that agree, or more."""
    claim = verdict.claim
    if verdict.state != AGREE or claim.how != "change" or not claim.figure:
        return False
    figures = [abs(outcome.ours) for outcome in deciding(verdict, AGREE)]
    return 2 * sum(figure < abs(claim.value) / 10 for figure in figures) >= len(figures)


def in_few_cells(verdict):
    """The direction is the paper's in the mean, but in half of the cells of the kinds that decide, or fewer."""
    parts = [outcome.parts for outcome in deciding(verdict) if outcome.parts]
    return verdict.state == AGREE and bool(parts) and 2 * sum(part for part, _ in parts) <= sum(nr for _, nr in parts)


def near(verdict):
    """Is the median of our figures within a factor of 2 of the paper's? None: it has no figure, or it cannot be shown."""
    claim, figures = verdict.claim, [outcome.ours for outcome in deciding(verdict) if outcome.ours is not None]
    if claim.how != "change" or not claim.figure or not figures:
        return None
    return 0.5 <= statistics.median(figures) / claim.value <= 2


def verdicts(data, claims):
    found = []
    for claim in claims:
        kinds = [kind for kind in (*claim.kinds, *(kind for kind in EXTRAS if kind not in ("half", "half-generated")))
                 if (claim.paper, kind) in data.cells]
        outcomes = {kind: judged(data, claim, kind) for kind in kinds}
        if "generated" in outcomes:
            outcomes["generated"] = generated(data, claim, outcomes["generated"])
        found.append(Verdict(claim, outcomes, overall(claim, outcomes)))
    return found


def stand_in(claim):
    """Does the comparison depend on a policy whose full text was not available?"""
    policies = PAPERS[claim.paper].policies
    names = () if claim.how in ("order", "lists") else claim.others
    return claim.stand_in or any(policies[name].stand_in for name in (claim.name, *names) if name in policies)


GROUPS = ("directions", "directions with a stand-in", "bounds on a cost")


def group(claim):
    """Headlines are counted in these groups; None: not counted."""
    if claim.how == "value" or not claim.counted:
        return None
    if claim.how in ("at most", "about"):
        return GROUPS[2]
    return GROUPS[1] if stand_in(claim) else GROUPS[0]


FAINT = "weakly or in few cells"


def counts(found, paper=None):
    """group -> Counter of states, and of FAINT: those that agree, but weakly or in few cells."""
    table = {name: Counter() for name in GROUPS}
    for verdict in found:
        if group(verdict.claim) and paper in (None, verdict.claim.paper):
            table[group(verdict.claim)][verdict.state] += 1
            table[group(verdict.claim)][FAINT] += weak(verdict) or in_few_cells(verdict)
    return table


def shown(states):
    """How many can be shown: an equal one does not agree."""
    return states[AGREE] + states[DIFFER] + states[SAME]


def of_kinds(claims, closed):
    """The same headlines, decided by their closed kinds of run alone, or by the others alone."""
    return [replace(claim, kinds=tuple(kind for kind in claim.kinds if KINDS[kind].closed == closed)) for claim in claims]


def with_mq_ssd(claims):
    """The same headlines with another reading of L-CoRW."""
    other = {claim.id: replace(on_mq_ssd(claim), counted=claim.counted) for claim in claims if claim.counted and on_mq_ssd(claim)}
    return [other.get(claim.id, claim) for claim in claims]


def with_fast(claims):
    """The same headlines, [Sha23]'s at recorded times by its MSR traces 100 times as fast."""
    return [replace(claim, kinds=("fast", *(kind for kind in claim.kinds if KINDS[kind].closed)))
            if claim.paper == "sha23" and "paper" in claim.kinds else claim for claim in claims]


def with_bplru(claims):
    """The same headlines, those of [Lin22] on latency with another reading of BPLRU."""
    return [replace(claim, other="BPLRU width=4") if (claim.paper, claim.metric, claim.other) == ("lin22", "response", "BPLRU") else claim
            for claim in claims]


def with_overwrites(claims):
    """The same headlines with another reading of a hit."""
    return [replace(claim, metric="overwrites") if claim.metric == "absorbed" else claim for claim in claims]


def traces_behind(found, paper):
    """Names of the traces that decide a paper's directions."""
    return sorted({trace for verdict in found if verdict.claim.paper == paper and group(verdict.claim) == GROUPS[0]
                   for outcome in deciding(verdict) for trace, _ in outcome.cells})
