# SPDX-License-Identifier: GPL-2.0
"""The headlines of [Li22]: prefetching."""

from rows import Row, compared, order_of, percent

# [Li22] section 4.2: the rivals of Pattern+.
RIVALS = ("Baseline", "C-Miner", "ROP", "Pattern")
# The lowest share of hot reads in a trace of [Li22] (Table 2, lun1: 1.1 %).
MIN_HOT = 0.01
CAP = 0.16
# For costs that the paper does not bound.
OUR_BOUND = 0.01


def reads_of(cell):
    """Share of reads among the requests."""
    return cell.trace.reads / cell.trace.nr


def li22(table):
    study = table.study
    if not study.cells[0].options:
        table_2(table)
    table.study = study.where("hot reads", lambda cell: cell.trace.hot >= MIN_HOT)
    if table.study.cells:
        latencies(table)
        baseline_rb(table)
        prefetches(table)
        same_support(table)
        literal(table)
        sweeps(table)
    table.study = study
    writes(table)


def again(table):
    """The same in longer traces: evidence, not a comparison with the paper."""
    study = table.study
    latencies(table)
    table.study = study.only("as_bytes")
    if table.study.cells:
        latencies(table)
        sweeps(table)
    for row in table.rows:
        row.key, row.sign, row.order = f"{row.key} longer", "-", "-"


def table_2(table):
    """Describe our traces as [Li22] describes its own."""
    seen = {}
    for cell in table.study.cells:
        trace = cell.trace
        seen[trace.name] = (f"{trace.name}: {trace.nr} requests, {100 * trace.reads / trace.nr:.1f} % reads, hot "
                            f"{100 * trace.hot:.1f} %, read for the first time {100 * trace.first:.1f} %")
    table.rows += [Row("li22-0", "Table 2: reads 20.1 … 99.9 %, hot read 1.1 … 98.4 %", text, "-", "-", table.study.label)
                   for text in seen.values()]


def latencies(table):
    for name, read, total in zip(RIVALS, (-0.338, -0.088, -0.135, -0.043), (-0.185, -0.051, -0.090, -0.033)):
        table.mean_change("li22-1", "read latency, Pattern+", read, "Pattern+", name, "read")
        table.mean_change("li22-6", "total I/O time, Pattern+", total, "Pattern+", name, "response")


def lower(table, key, what, name, metric):
    """Lower than with @name; the paper gives no number."""
    table.mean_change(key, what, -1, "Pattern+", name, metric)
    table.rows[-1].paper, table.rows[-1].order = f"{what} vs {name}: lower", "-"


def baseline_rb(table):
    study = table.study
    for what, key, ends, high in (("best on web1 and web2", "best", lambda c: "bytes" in c.trace.name, False),
                                  ("worst on the other seven", "worst", lambda c: "bytes" not in c.trace.name, True)):
        part = study.where(key, ends)
        if not part.cells:
            continue
        others = [name for name in study.paper.policies if name != "Baseline-RB"]
        extreme = max if high else min
        hits = sum(part.get("Baseline-RB", cell).read == extreme(part.get(name, cell).read for name in
                                                                [*others, "Baseline-RB"]) for cell in part.cells)
        table.rows.append(Row("li22-3", f"read latency of Baseline-RB: {what}", f"in {hits} of {len(part.cells)} cells",
                              "yes" if 2 * hits > len(part.cells) else "no", "-", table.note()))


def prefetches(table):
    study = table.study
    for name, paper in (("C-Miner", 0.44), ("ROP", 2.67), ("Pattern", None)):
        table.study = study.where("both prefetch", lambda cell, name=name: study.get("Pattern+", cell).prefetched and
                                  study.get(name, cell).prefetched)
        if table.study.cells and paper:
            table.mean_change("li22-8", "hits per prefetched page, Pattern+", paper, "Pattern+", name, "per_prefetch")
        elif table.study.cells:
            lower(table, "li22-8", "hits per prefetched page, Pattern+", name, "per_prefetch")
    table.study = study
    for name, paper in (("ROP", 0.29), ("Pattern", 0.04)):
        table.mean_change("li22-9", "saved time, Pattern+", paper, "Pattern+", name, "saved")
    for names, note in ((RIVALS + ("Pattern+",), ""), ([*RIVALS[:2], *RIVALS[3:], "Pattern+"], "without ROP")):
        most = sum(study.get("Baseline-RB", cell).saved >= max(study.get(name, cell).saved for name in names)
                   for cell in study.cells)
        table.rows.append(Row("li22-9", "saved time: Baseline-RB highest in most traces",
                              f"in {most} of {len(study.cells)} cells",
                              ("yes" if 2 * most > len(study.cells) else "no") if not note else "-", "-", table.note(note)))
    reading = study.where("nine of ten requests read", lambda cell: reads_of(cell) >= 0.85)
    if reading.cells:
        shares = [reading.get("Pattern+", cell).held for cell in reading.cells]
        table.rows.append(Row("li22-10", "DRAM held by Pattern+ on web1, web2, hm1: 16 %",
                              " ".join(f"{cell.trace.name} {100 * share:.1f} %" for cell, share in
                                       zip(reading.cells, shares)), "-", order_of(CAP, max(shares)), table.note()))
    mined = sum(study.get("Pattern+", cell).prefetcher["mined_windows"] for cell in study.cells)
    found = sum(study.get("Pattern+", cell).prefetcher["mined_patterns"] for cell in study.cells)
    table.rows.append(Row("li22-16", "patterns of a window: not reported", f"{found / max(1, mined):.1f}", "-", "-", table.note()))
    many = {what: (sum(study.get("Pattern+", cell).prefetcher[f"many_{what}"] for cell in study.cells),
                   sum(study.get("Pattern+", cell).prefetcher["mined_windows"] for cell in study.cells))
            for what in ("patterns", "pages")}
    for what, paper, text in (("patterns", 0.025, "more than 32 patterns"), ("pages", 0.037, "more than 128 addresses")):
        ours = many[what][0] / max(1, many[what][1])
        table.rows.append(Row("li22-16", f"windows with {text}: {100 * paper:.1f} %", f"{100 * ours:.1f} %", "-",
                              order_of(paper, ours), table.note(f"of {many[what][1]} windows")))


def same_support(table):
    """Equal support for both: by default a rule of C-Miner needs two occurrences, a pattern three; no paper says."""
    study = table.study
    for name in ("C-Miner", "Pattern+"):
        for support in (2, 3):
            study.prepare(name, min_support=support)
    for cell in study.cells:
        reads = [f"{study.get(name, cell, min_support=support).read / 1e3:.2f}" for support in (2, 3)
                 for name in ("C-Miner", "Pattern+")]
        table.rows.append(Row("li22-1 support", f"read latency, C-Miner and Pattern+: {cell}",
                              f"support 2: {', '.join(reads[:2])}; 3: {', '.join(reads[2:])} µs", "-", "-", study.label))


def literal(table):
    """Algorithm 1 as printed against the corrected one, with the gate open. The paper makes no such comparison."""
    study, printed = table.study, {"literal": "on", "tau_max": 100000}
    corrected = {"literal": "off", "tau_max": 100000}
    for tunables in (printed, corrected):
        study.prepare("Pattern+", **tunables)
    for cell in study.cells:
        a, b = study.get("Pattern+", cell, **printed), study.get("Pattern+", cell, **corrected)
        table.rows.append(Row("li22 Algorithm 1", f"as printed, corrected: {cell}, gate open",
                              f"granted {100 * a.granted:.1f}, {100 * b.granted:.1f} %; prefetched {a.prefetched}, "
                              f"{b.prefetched}; read {a.read / 1e3:.2f}, {b.read / 1e3:.2f} µs; write {a.write / 1e3:.2f}, "
                              f"{b.write / 1e3:.2f} µs", "-", "-", study.label))


def writes(table):
    """The cost of prefetching, also in traces without repeated reads."""
    study = table.study
    for name, paper in (("C-Miner", 0.063), ("ROP", 0.065), ("Pattern", 0.076), ("Pattern+", 0.044)):
        changes = study.changes(name, "Baseline", "write")
        if not changes:
            return
        table.rows.append(compared("li22-5", f"write latency, worst case, {name} vs Baseline", paper, max(changes), table.note()))
    at_most(table, "li22-4", "write latency, Pattern+, at most", 0.0022, "write", study)
    writing = study.where("traces of writes", lambda cell: reads_of(cell) <= 0.45)
    if writing.cells:
        at_most(table, "li22-4", "write latency, write-heavy traces, Pattern+", None, "write", writing)
        at_most(table, "li22-7", "total I/O time, write-heavy traces (paper: about equal), Pattern+", None, "response", writing)
        windows = [(writing.get("Pattern+", cell).prefetcher[key] for cell in writing.cells)
                   for key in ("closed_windows", "windows")]
        closed, windows = (sum(values) for values in windows)
        table.rows.append(Row("li22-11", "windows in which the gate is closed: on hm0 all but three",
                              f"{closed} of {windows} on write-heavy traces", "-", "-", table.note()))
    for name, paper in (("ROP", 0.0099), ("C-Miner", 0.01), ("Pattern", 0.0092), ("Pattern+", 0.0083)):
        table.change("li22-12", f"erases, {name}", paper, name, "Baseline", "erases")
    table.change("li22-13", "erases, Baseline-RB", 1.19, "Baseline-RB", "Baseline", "erases")


def at_most(table, key, what, paper, metric, study):
    """
    A bound on the average cost over the cells; a negative cost agrees. @paper None: the paper gives no bound, so the row uses
    ours and counts for no direction.
    """
    changes = study.changes("Pattern+", "Baseline", metric)
    if not changes:
        return
    ours, bound = sum(changes) / len(changes), OUR_BOUND if paper is None else paper
    within = ours <= bound
    table.rows.append(Row(key, f"{what} vs Baseline: {'our bound ' if paper is None else ''}{percent(bound)}",
                          f"{100 * ours:+.2f} %" + (f", {'within' if within else 'beyond'}" if paper is None else ""),
                          "-" if paper is None else "yes" if within else "no", "-",
                          f"{study.label}; {len(changes)} cells, {percent(min(changes))} … {percent(max(changes))}"))


def hybrids(table):
    for name, total in zip(RIVALS, (-0.0871, -0.0324, -0.0509, -0.0146)):
        table.mean_change("li22-18", "hybrids: total I/O time, Pattern+", total, "Pattern+", name, "response")
    at_most(table, "li22-17", "hybrids: write latency, Pattern+, at most", 0.0051, "write", table.study)
    table.bound("li22-19", "hybrids: erases, Pattern+, at most", 0.0123, "Pattern+", "Baseline", "erases")


def swept(table, tunable, values, metric):
    """Mean over the cells for each value of a tunable of Pattern+, relative to its default."""
    study = table.study
    for value in values:
        study.prepare("Pattern+", **{tunable: value})
    base = study.values("Pattern+", metric)
    means = {}
    for value in values:
        ratios = [ours / default for ours, default in
                  zip(study.values("Pattern+", metric, **{tunable: value}), base) if default]
        means[value] = sum(ratios) / len(ratios) if ratios else 0.0
    return means


def listed(values):
    return " ".join(f"{key}:{value:.4g}" for key, value in values.items())


def sweeps(table):
    if not table.study.mean("Pattern+", "prefetched"):
        table.rows.append(Row("li22-20, li22-21", "thresholds, windows", "nothing is prefetched", "-", "-", table.note()))
        return
    thresholds, windows = (50, 60, 70, 80, 90), (256, 512, 1024, 2048)
    hits, reads, pages = (swept(table, "threshold", thresholds, metric) for metric in ("per_prefetch", "read", "prefetched"))
    table.rows.append(Row("li22-20", "hits per prefetch rise slightly from a threshold of 50 to 90 %", listed(hits),
                          "yes" if hits[90] > hits[50] else "no", "-", table.note(f"pages prefetched: {listed(pages)}")))
    table.rows.append(Row("li22-20", "best read latency with a threshold of 50 %", listed(reads),
                          "yes" if reads[50] <= min(reads.values()) else "no", "-", table.note()))
    hits, total = (swept(table, "window", windows, metric) for metric in ("per_prefetch", "response"))
    table.rows.append(Row("li22-21", "hits per prefetch best with windows of 1024 and 2048", listed(hits),
                          "yes" if min(hits[1024], hits[2048]) >= max(hits[256], hits[512]) else "no", "-", table.note()))
    table.rows.append(Row("li22-21", "best I/O time with windows of 1024", listed(total),
                          "yes" if total[1024] <= min(total.values()) else "no", "-", table.note()))
    for tunable, values in (("mined", (128, 256, 512, 1024)), ("min_support", (2, 3, 4)), ("transaction", (8, 16, 32))):
        table.rows.append(Row(f"li22-21 {tunable}", "read latency: no sweep", listed(swept(table, tunable, values, "read")), "-",
                              "-", table.note()))


def sizes(table):
    """li22-22: the sweep of sizes."""
    for size in sorted({cell.size for cell in table.study.cells}):
        table_of_size = table.of(table.study.where(f"{size >> 20} MiB", lambda cell, size=size: cell.size == size))
        for name in ("Baseline", "ROP"):
            lower(table_of_size, "li22-22", f"total I/O time with {size >> 20} MiB, Pattern+", name, "response")
        table.rows += table_of_size.rows
    writing = table.study.where("traces of writes", lambda cell: reads_of(cell) <= 0.45)
    if writing.cells:
        at_most(table, "li22-4", "write latency, write-heavy traces, Pattern+", None, "write", writing)
