# SPDX-License-Identifier: GPL-2.0
"""The headlines: what a paper reports, and how it is measured here."""

from dataclasses import dataclass

# Less than this apart counts as equal.
EQUAL = 0.0005


@dataclass
class Row:
    """
    A line of the table. @sign and @order are "yes", "no", "equal" or "-" (nothing to compare).
    """
    key: str
    paper: str
    ours: str
    sign: str
    order: str
    note: str


def percent(value):
    return f"{100 * value:+.1f} %"


def order_of(paper, ours):
    if not paper or not ours:
        return "-"
    return "yes" if 0.1 <= abs(ours / paper) <= 10 else "no"


def compared(key, what, paper, ours, note):
    """Changes, as parts of 1."""
    if abs(ours) < EQUAL:
        sign = "equal"
    else:
        sign = "yes" if (paper > 0) == (ours > 0) else "no"
    return Row(key, f"{what}: {percent(paper)}", percent(ours), sign, order_of(paper, ours), note)


def missing(key, paper, names):
    return Row(key, paper, "missing", "-", "-", "the program has no " + ", ".join(names))


class Table:
    """Rows of one study."""

    def __init__(self, study):
        self.study = study
        self.rows = []

    def of(self, study):
        """An empty table of another study."""
        return Table(study)

    def note(self, text=""):
        study = self.study
        cells = f"{study.label}: {len(study.cells)} of {len(study.all_cells)} cells {'evict' if study.paper.evicts else 'count'}"
        return f"{cells}; {text}" if text else cells

    def lacks(self, key, paper, *names):
        names = self.study.missing(*names)
        if names:
            self.rows.append(missing(key, paper, names))
        return bool(names)

    def change(self, key, what, paper, name, other, metric):
        """Change of the average over all cells, as in [Sha23]."""
        text = f"{what} vs {other}"
        if self.lacks(key, f"{text}: {percent(paper)}", name, other):
            return
        base = self.study.mean(other, metric)
        if not base:
            self.rows.append(Row(key, f"{text}: {percent(paper)}", "-", "-", "-", self.note(f"{other} has none")))
            return
        self.rows.append(compared(key, text, paper, self.study.mean(name, metric) / base - 1,
                                  self.note(f"{self.study.mean(name, metric):.4g} against {base:.4g}")))

    def bound(self, key, what, paper, name, other, metric):
        """A change of at most @paper."""
        self.change(key, what, paper, name, other, metric)
        row = self.rows[-1]
        if row.sign != "-":
            row.sign = "yes" if self.study.mean(name, metric) <= (1 + paper) * self.study.mean(other, metric) else "no"
            row.order = "-"

    def mean_change(self, key, what, paper, name, other, metric):
        """Average of the changes in all cells."""
        text = f"{what} vs {other}"
        if self.lacks(key, f"{text}: {percent(paper)}", name, other):
            return
        changes = self.study.changes(name, other, metric)
        if not changes:
            self.rows.append(Row(key, f"{text}: {percent(paper)}", "-", "-", "-", self.note(f"{other} has none")))
            return
        ours = sum(changes) / len(changes)
        self.rows.append(compared(key, text, paper, ours,
                                  self.note(f"{percent(min(changes))} … {percent(max(changes))}")))

    def ranged(self, key, what, low, high, name, other, metric, *options):
        """For a ratio whose range the paper gives: compare the middle of that range with our mean."""
        text = f"{what}, {name} / {other}: {low:.2f} … {high:.2f}"
        if self.lacks(key, text, name, other):
            return
        ratios = self.study.ratios(name, other, metric, *options)
        if not ratios:
            self.rows.append(Row(key, text, "-", "-", "-", self.note(f"{other} has none")))
            return
        row = compared(key, "", (low + high) / 2 - 1, sum(ratios) / len(ratios) - 1, self.note())
        row.paper = text
        row.ours = f"{min(ratios):.2f} … {max(ratios):.2f}, mean {sum(ratios) / len(ratios):.2f}"
        self.rows.append(row)

    def value(self, key, what, paper, name, metric, unit="", scale=1.0):
        text = f"{what}, {name}: {paper:g}{unit}"
        if self.lacks(key, text, name):
            return
        ours = self.study.mean(name, metric) * scale
        self.rows.append(Row(key, text, f"{ours:.4g}{unit}", "-", order_of(paper, ours), self.note()))

    def ordered(self, key, what, names, metric):
        """@names in the paper's ascending order of a metric."""
        text = f"{what}: {' < '.join(names)}"
        if self.lacks(key, text, *names):
            return
        means = {name: self.study.mean(name, metric) for name in names}
        ours = sorted(names, key=means.get)
        self.rows.append(Row(key, text, " < ".join(f"{name} {means[name]:.4g}" for name in ours),
                             "yes" if ours == list(names) else "no", "-", self.note()))


# A hit of [Sha23], a write "absorbed without flushing", grows with batch size alone; overwrite hits do not. Compare both.
def sha23(table):
    study = table.study
    shares, events = study.values("LRU", "thrash_share"), study.values("LRU", "thrash")
    table.rows.append(Row("sha23-1", "thrash events of LRU: 1279 … 25544; up to 24.1 % of evictions",
                          f"{min(events)} … {max(events)}; up to {100 * max(shares):.1f} %", "-",
                          order_of(0.241, max(shares)), table.note("neighbours only")))
    for oracle in ("OPT", "OPT*"):
        table.change("sha23-2", f"thrash events, {oracle}", -0.183, oracle, "LRU", "thrash")
        table.change("sha23-3", f"writes absorbed, {oracle}", 0.260, oracle, "LRU", "absorbed")
        table.change("sha23-3", f"overwrite hits, {oracle}", 0.260, oracle, "LRU", "overwrites")
    rebuilds(table)
    adjusted(table)
    table.value("sha23-6", "pages per eviction", 4.1, "VS-Batch+", "batch")
    table.ordered("sha23-7", "blocked reads not higher than others", ("VS-Batch+", "LRU"), "blocked")
    for key, paper in (("sha23-8", "LUN0, LUN1: -63.9 %"), ("sha23-9", "write-intensive traces: +43.6 %")):
        if not table.lacks(key, f"graph rebuilds vs VS-Batch, {paper}", "VS-Batch+", "VS-Batch"):
            ours = {name: sum(study.get(name, cell).policy["rebuilds"] for cell in study.cells)
                    for name in ("VS-Batch+", "VS-Batch")}
            change = ours["VS-Batch+"] / ours["VS-Batch"] - 1 if ours["VS-Batch"] else 0
            table.rows.append(Row(key, f"graph rebuilds vs VS-Batch, {paper}", percent(change), "-", "-",
                                  table.note("all traces: the paper's are not available")))
    for name, hits, events in (("LRU", 49.5, 8700.6), ("VBBMS", 58.1, 11349.0), ("BPLRU", 51.6, 86.2),
                               ("Co-Active", 56.6, 8697.4), ("VS-Batch", 58.8, 8357.2), ("VS-Batch+", 59.3, 7255.0)):
        table.value("sha23-10", "writes absorbed", hits, name, "absorbed", " %", 100)
        table.value("sha23-10", "overwrite hits", hits, name, "overwrites", " %", 100)
        table.value("sha23-12", "thrash events", events, name, "thrash")
    for name, hits, events, latency in (("LRU", 0.198, 7255.0 / 8700.6 - 1, -0.386),
                                        ("VBBMS", 0.021, 7255.0 / 11349.0 - 1, -0.194),
                                        ("BPLRU", 0.150, 7255.0 / 86.2 - 1, -0.339),
                                        ("Co-Active", 0.047, 7255.0 / 8697.4 - 1, -0.229),
                                        ("VS-Batch", 0.008, -0.132, -0.130)):
        table.change("sha23-11", "writes absorbed, VS-Batch+", hits, "VS-Batch+", name, "absorbed")
        table.change("sha23-11", "overwrite hits, VS-Batch+", hits, "VS-Batch+", name, "overwrites")
        table.change("sha23-13", "thrash events, VS-Batch+", events, "VS-Batch+", name, "thrash")
        table.change("sha23-15", "overall latency, VS-Batch+", latency, "VS-Batch+", name, "total")
    # The baselines against LRU, which the paper only lists, so that they can be judged by themselves.
    for name, hits, events, latency in (("VBBMS", 58.1 / 49.5 - 1, 11349.0 / 8700.6 - 1, 3.2 / 4.2 - 1),
                                        ("BPLRU", 51.6 / 49.5 - 1, 86.2 / 8700.6 - 1, 3.9 / 4.2 - 1),
                                        ("Co-Active", 56.6 / 49.5 - 1, 8697.4 / 8700.6 - 1, 3.3 / 4.2 - 1),
                                        ("VS-Batch", 58.8 / 49.5 - 1, 8357.2 / 8700.6 - 1, 3.0 / 4.2 - 1)):
        table.change("sha23-10", f"writes absorbed, {name}", hits, name, "LRU", "absorbed")
        table.change("sha23-10", f"overwrite hits, {name}", hits, name, "LRU", "overwrites")
        table.change("sha23-12", f"thrash events, {name}", events, name, "LRU", "thrash")
        table.change("sha23-14", f"overall latency, {name}", latency, name, "LRU", "total")
    table.change("sha23-17", "mean of the slowest 0.1 % of requests, VS-Batch+", -0.015, "VS-Batch+", "LRU",
                 "worst_permille")
    for name in ("LRU", "Co-Active", "VS-Batch"):
        table.bound("sha23-18", "GC runs, VS-Batch+, at most", 0.0, "VS-Batch+", name, "gc")
    table.bound("sha23-19", "GC runs, VS-Batch+, at most", 0.052, "VS-Batch+", "VBBMS", "gc")


def rebuilds(table):
    """sha23-4: latency by rebuild threshold, and how often the graph is built."""
    study, text = table.study, "best rebuild threshold of VS-Batch+: 0.2; 0.05 builds several times as often"
    if table.lacks("sha23-4", text, "VS-Batch+"):
        return
    steps = (50, 100, 150, 200, 250, 293)
    for step in steps:
        study.prepare("VS-Batch+", rebuild=step)
    totals = {step: study.mean("VS-Batch+", "total", rebuild=step) for step in steps}
    builds = {step: sum(study.get("VS-Batch+", cell, rebuild=step).policy["rebuilds"] for cell in study.cells)
              for step in steps}
    best = min(steps, key=totals.get)
    spread = max(totals.values()) / min(totals.values()) - 1
    table.rows.append(Row("sha23-4", text, f"{best / 1000:g}; {builds[50] / max(1, builds[200]):.1f} times as often",
                          "yes" if builds[50] > builds[200] else "no", order_of(0.2, best / 1000),
                          table.note(f"latencies of all thresholds within {100 * spread:.1f} %")))


def adjusted(table):
    study, text = table.study, "per move to the Hit list of VS-Batch+: 1.6 to Hot, 1.1 to Adjacent"
    if table.lacks("sha23-5", text, "VS-Batch+"):
        return
    moves = {name: sum(study.get("VS-Batch+", cell).policy[f"{name}_moves"] for cell in study.cells)
             for name in ("hit", "hot", "adjacent")}
    hits = max(1, moves["hit"])
    table.rows.append(Row("sha23-5", text, f"{moves['hot'] / hits:.2f}, {moves['adjacent'] / hits:.2f}", "-",
                          order_of(1.6, moves["hot"] / hits), table.note()))


def shin23(table):
    study = table.study
    web = Table(study.only("web0"))
    if web.study.cells:
        web.ranged("shin23-1", "response, web_0", 0.70, 0.94, "EF-SC", "CFLRU", "response")
        web.ranged("shin23-2", "response, web_0", 1 - 0.084, 1.016, "EF-SC", "EF", "response")
        web.ranged("shin23-3", "mean of worst 1 %, web_0", 0.15, 0.59, "EF-SC", "CFLRU", "worst_percent")
        web.ranged("shin23-5", "NAND writes, web_0", 1 - 0.043, 1.0, "EF-SC", "EF", "flushed")
        web.ranged("shin23-6", "NAND writes, web_0", 0.93, 0.99, "EF-SC", "CFLRU", "flushed")
        table.rows += web.rows
    table.ranged("shin23-1", "response, mix", 0.15, 0.22, "EF-SC", "CFLRU", "response")
    table.ranged("shin23-2", "response, mix", 1 - 0.133, 1 - 0.061, "EF-SC", "EF", "response")
    table.ranged("shin23-3", "mean of worst 1 %, mix", 0.26, 0.77, "EF-SC", "CFLRU", "worst_percent")
    table.ranged("shin23-4", "mean of worst 1 %, mix: at best 32.0 % less", 1 - 0.320, 1, "EF-SC", "EF", "worst_percent")
    table.ranged("shin23-5", "NAND writes, mix", 1 - 0.180, 1 - 0.042, "EF-SC", "EF", "flushed")
    table.ranged("shin23-6", "NAND writes, mix", 0.83, 0.96, "EF-SC", "CFLRU", "flushed")
    table.ranged("shin23-8", "hit ratio, proj0 and prxy0 at 64 MB", 1.176, 1.587, "EF-SC", "CFLRU", "hits")
    table.ranged("shin23-9", "misses, proj0 and prxy0 at 64 MB", 0.465, 0.795, "EF-SC", "CFLRU", "misses")
    table.ranged("shin23-14", "NAND writes, mix", 1.0, 1.022, "EF", "CFLRU", "flushed")
    flush = (("flush_interval_s", 30),)
    for name in ("CFLRU", "EF", "EF-SC"):
        study.prepare(name, *flush)
    table.ranged("shin23-15", "30-s flush: response, mix at 32 MB", 0.27, 0.27, "EF-SC", "CFLRU", "response", *flush)
    table.ranged("shin23-17", "30-s flush: mean of worst 1 %, mix at 256 MB", 0.17, 0.17, "EF-SC", "CFLRU",
                 "worst_percent", *flush)
    table.ranged("shin23-18", "30-s flush: NAND writes", 1.0, 1.01, "EF", "CFLRU", "flushed", *flush)
    table.ranged("shin23-18", "30-s flush: NAND writes", 0.98, 1.0, "EF-SC", "EF", "flushed", *flush)
    table.ranged("shin23-19", "30-s flush: hit ratio, nearly equal", 1.0, 1.02, "EF-SC", "CFLRU", "hits", *flush)


def zhou23(table):
    study = table.study
    rivals = [name for name in ("MQ-SSD", "CFLRU", "LCR", "ECR", "Co-Active") if not study.missing(name)]
    best = sum(all(study.get("L-CoRW", cell).response <= study.get(name, cell).response for name in rivals)
               for cell in study.cells)
    part = best / len(study.cells)
    table.rows.append(Row("zhou23-5", "L-CoRW has the best mean latency: 87 / 83 % of traces", f"{100 * part:.0f} % of cells",
                          "yes" if part > 0.5 else "no", order_of(0.85, part), table.note("of " + ", ".join(rivals))))
    table.ranged("zhou23-6", "mean latency in those", 0.5, 0.9, "L-CoRW", "MQ-SSD", "response")
    for name, change in (("CFLRU", -0.486), ("ECR", -0.345), ("Co-Active", -0.258)):
        table.mean_change("zhou23-7", "mean latency, L-CoRW", change, "L-CoRW", name, "response")
    table.mean_change("zhou23-8", "mean latency, CFLRU, worse in some traces", 0.01, "CFLRU", "MQ-SSD", "response")
    for name in ("CFLRU", "LCR", "ECR", "Co-Active"):
        table.mean_change("zhou23-9", "P99, L-CoRW", -0.30, "L-CoRW", name, "p99")
    table.mean_change("zhou23-10", "pages programmed per page written, L-CoRW", -0.243, "L-CoRW", "MQ-SSD", "waf")
    for name in ("CFLRU", "LCR", "ECR", "Co-Active"):
        table.mean_change("zhou23-10", "pages programmed per page written, L-CoRW", -0.17, "L-CoRW", name, "waf")
    for i in range(1, 9):
        table.mean_change("zhou23-19", f"mean latency, L-CoRW, all CoRW fall short (CoRW {i})", -0.01, "L-CoRW",
                          f"CoRW{i}", "response")


def lin22(table):
    study = table.study
    small = {delta: None for delta in range(1, 10)}
    if not table.lacks("lin22-3", "best delta of Req-block: 5", "Req-block"):
        for delta in small:
            study.prepare("Req-block", delta=delta)
        hits = {delta: study.mean("Req-block", "absorbed", delta=delta) for delta in small}
        best = max(hits, key=hits.get)
        table.rows.append(Row("lin22-3", "best delta of Req-block: 5", str(best), "-", order_of(5, best), table.note(
            "hits over delta 1: " + " ".join(f"{delta}:{hits[delta] / hits[1]:.3f}" for delta in hits))))
    for name, latency, hits, writes in (("LRU", -0.238, 0.429, -0.086), ("BPLRU", -0.113, 0.236, -0.043),
                                        ("VBBMS", -0.077, 0.041, -0.011)):
        table.mean_change("lin22-4", "I/O response, Req-block", latency, "Req-block", name, "response")
        table.mean_change("lin22-8", "page hits, Req-block", hits, "Req-block", name, "overwrites")
        table.mean_change("lin22-13", "pages written to flash, Req-block", writes, "Req-block", name, "flushed")
    best_cell(table, "lin22-6", "I/O response of Req-block vs LRU, best cell", -0.739, "response", min)
    best_cell(table, "lin22-10", "page hits of Req-block vs LRU, best cell", 1.0, "overwrites", max)
    table.ordered("lin22-12", "pages per eviction", ("VBBMS", "Req-block", "BPLRU"), "batch")
    if not table.lacks("lin22-16", "pages of Req-block's lists: SRL most, DRL few", "Req-block"):
        pages = {name: sum(study.get("Req-block", cell).policy[f"{name.lower()}_pages"] for cell in study.cells)
                 for name in ("DRL", "IRL", "SRL")}
        ours = sorted(pages, key=pages.get)
        table.rows.append(Row("lin22-16", "pages of Req-block's lists: DRL < IRL < SRL",
                              " < ".join(f"{name} {pages[name] / max(1, sum(pages.values())):.2f}" for name in ours),
                              "yes" if ours == ["DRL", "IRL", "SRL"] else "no", "-", table.note("at the end of the runs")))


def best_cell(table, key, what, paper, metric, best):
    if table.lacks(key, what, "Req-block", "LRU"):
        return
    changes = table.study.changes("Req-block", "LRU", metric)
    if changes:
        table.rows.append(compared(key, what, paper, best(changes), table.note()))


TABLES = {"sha23": sha23, "shin23": shin23, "zhou23": zhou23, "lin22": lin22}

# Headlines that these runs cannot measure, or that are measured elsewhere.
ELSEWHERE = {
    "li22-2": "the range of li22-1",
    "li22-14": "CPU time: ssdcache-sim --speed --time-steps, see Documentation/policies/pattern.md",
    "li22-15": "metadata: the statistic matrix_bytes",
    "sha23-16": "the mean of sha23-15",
    "sha23-20 … sha23-24": "metadata: make bench",
    "sha23-25, sha23-26": "CPU time: make bench, in instructions",
    "sha23-27": "another mean of sha23-11",
    "shin23-7, shin23-10 … shin23-13, shin23-16, shin23-21":
        "traces that are not available (prn_0, proj_0, prxy_0, hm_0 beyond its first 1000 requests, the mixture)",
    "shin23-20": "metadata: the policy's page",
    "zhou23-1 … zhou23-4": "properties of the Alibaba and Tencent traces",
    "zhou23-11": "Alibaba against Tencent volumes",
    "zhou23-12 … zhou23-14": "sweeps of L-CoRW's thresholds and period on Alibaba volumes",
    "zhou23-15": "cache sizes: see zhou23-7 at both kinds of sizes",
    "zhou23-16 … zhou23-18": "size and time of the Q-table: the scheme's page",
    "lin22-1, lin22-2": "properties of the paper's traces under LRU, by request size",
    "lin22-5, lin22-9": "means of lin22-4, lin22-8",
    "lin22-7, lin22-11": "traces that are not available (hm_1, ts_0)",
    "lin22-14, lin22-15": "metadata: make bench",
    "lin22-17": "complexity: see the policy's page",
}
