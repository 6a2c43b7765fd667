#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
The page of the comparison, and the table in the main README, from the cells alone.

usage: peers_page.py --publish CELLS TREE      copies CELLS into TREE/Documentation/results, writes the page and the table
       peers_page.py TREE                      writes them again from the data in the tree
       peers_page.py --check TREE              do they say what the data say? Prints what differs
"""

import argparse
import csv
import shutil
import sys
from pathlib import Path

import peers_plan as plan

DATA = Path("Documentation/results/peers.csv")
PAGE = Path("Documentation/peers.md")
README = Path("README.md")
HERE = Path(__file__).parent
BEGIN, END = "<!-- peers: made by scripts/studies/peers.sh -->", "<!-- peers: end -->"
#: The README's table: workload, MiB, stacks.
SHORT = ("demo-ext4", 16, ("none", "dm-cache", "dm-cache-tuned", "dm-writecache", "dm-writecache-tuned", "bcache", "bcache-tuned",
                           "bcache-eager", "lru", "lin22", "shin23", "co-active", "freeboard"))
#: What is compared: column, whether a time in ns, head.
MEASURES = (("second_write_mean", True, "mean write"), ("second_read_mean", True, "mean read"), ("all_programs", False, "pages programmed"))
#: Differences below this share, or below this time, say nothing.
EQUAL_SHARE, EQUAL_NS = 0.01, 1000
#: With volatile DRAM a FLUSH empties the cache; the peers take their cache to be persistent, and so do not.
UNEQUAL = ("lru-volatile",)


class Data:
    """@cells: (workload, stack, MiB) -> columns as integers, None where a workload has no such requests."""

    def __init__(self, path):
        with open(path, encoding="ascii", newline="") as file:
            rows = list(csv.DictReader(file))
        self.cells = {(row["workload"], row["stack"], int(row["mib"])):
                      {key: int(value) if value else None for key, value in row.items() if key not in ("workload", "stack")}
                      for row in rows}

    def missing(self):
        return [cell for cell in ((workload.name, stack.name, mib) for workload, stack, mib in plan.cells()) if cell not in self.cells]

    def of(self, workload, stack, mib):
        return self.cells[workload, stack, 0 if stack == "none" else mib]


def us(value):
    """A time in us with three digits."""
    if value is None:
        return "–"
    value /= 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value else "0"


def table(heads, rows):
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, ["---"] * len(heads), *rows))


def amplification(cell):
    return f"{cell['all_programs'] / cell['programs']:.2f}" if cell["programs"] else "–"


def is_equal(one, other, is_time):
    return abs(one - other) <= max(EQUAL_SHARE * max(one, other), EQUAL_NS if is_time else 0)


def best(data, workload, mib, column, stacks):
    """The stacks with the least of @column, and how much that is."""
    values = {stack: data.of(workload.name, stack.name, mib)[column] for stack in stacks}
    least = min(values.values())
    return [stack for stack in stacks if values[stack] == least], least


def groups():
    peers = [stack for stack in plan.STACKS if stack.is_peer]
    own = [stack for stack in plan.STACKS if stack.make == "ssdcache" and stack.name not in UNEQUAL]
    return peers, own


def verdicts(data):
    """(workload, MiB) -> for each measure the best of the peers, the best of ssdcache, and who is better; None where there is nothing."""
    peers, own = groups()
    found = {}
    for workload in plan.WORKLOADS:
        for mib in workload.sizes:
            line = []
            for column, is_time, _ in MEASURES:
                if data.of(workload.name, "none", mib)[column] is None:
                    line.append(None)
                    continue
                theirs, ours = (best(data, workload, mib, column, stacks) for stacks in (peers, own))
                who = "equal" if is_equal(theirs[1], ours[1], is_time) else "peer" if theirs[1] < ours[1] else "ssdcache"
                line.append((theirs, ours, who))
            found[workload.name, mib] = line
    return found


def short_label(stack):
    return stack.label.removeprefix("ssdcache ")


def summary(data):
    rows = []
    for (workload, mib), line in verdicts(data).items():
        row = [f"{workload}, {mib} MiB"]
        for (_, is_time, _), found in zip(MEASURES, line):
            if not found:
                row += ["–", "–"]
                continue
            theirs, ours, who = found
            for side, (stacks, value) in (("peer", theirs), ("ssdcache", ours)):
                text = f"{us(value) if is_time else f'{value:,}'} {short_label(stacks[0])}" + (" …" if len(stacks) > 1 else "")
                row.append(f"**{text}**" if who == side else text)
        rows.append(row)
    heads = ["workload, cache"]
    for _, is_time, head in MEASURES:
        heads += [f"{head}{', µs' if is_time else ''}: peers", f"{head}: ssdcache"]
    return table(heads, rows)


def score(data):
    """For each measure, in how many workloads and sizes either side is better."""
    rows = []
    found = verdicts(data).values()
    for i, (_, _, head) in enumerate(MEASURES):
        who = [line[i][2] for line in found if line[i]]
        rows.append([head, *(str(who.count(side)) for side in ("ssdcache", "peer", "equal")), str(len(who))])
    return table(["", "ssdcache is better", "a peer is better", "equal", "all"], rows)


def cell_table(data, workload, mib):
    """All stacks with one workload and size; the best of each column is bold."""
    columns = [f"second_{op}_{what}" for op in ("read", "write") for what in ("mean", "p99", "p999")]
    columns += ["first_read_mean", "first_write_mean", "second_flush_mean"]
    cells = {stack: data.of(workload.name, stack.name, mib) for stack in plan.STACKS}
    columns = [column for column in columns if any(cell[column] is not None for cell in cells.values())]
    names = {"mean": "mean", "p99": "p99", "p999": "p99.9"}
    heads = ["stack"] + [f"{column.split('_')[1]} {names[column.split('_')[2]]}" + (", cold" if column.startswith("first") else "")
                         for column in columns] + ["programmed by the stack", "with GC", "amplification", "dirty at the end"]
    least = {column: min(cell[column] for stack, cell in cells.items()) for column in (*columns, "programs", "all_programs")}
    rows = []
    for stack, cell in cells.items():
        def bold(column, text, cell=cell):
            return f"**{text}**" if cell[column] == least[column] else text
        rows.append([stack.label, *(bold(column, us(cell[column])) for column in columns),
                     bold("programs", f"{cell['programs']:,}"), bold("all_programs", f"{cell['all_programs']:,}"), amplification(cell),
                     f"{cell['dirty']:,}"])
    return table(heads, rows)


def settings():
    rows = []
    for stack in plan.STACKS:
        if stack.make == "none":
            continue
        words = stack.words
        if stack.make == "dm_cache":
            block, _, rest = words.partition(" ")
            words = f"block of {int(block) // 2} KiB" + (f", {rest}" if rest else "")
        rows.append([stack.label, f"`{words}`" if words and stack.make != "dm_cache" else words or "defaults"])
    return table(["stack", "settings"], rows)


def late_text(data):
    late = [cell["first_late"] + cell["second_late"] for (_, stack, _), cell in data.cells.items() if stack != plan.SIMULATOR]
    some = [number for number in late if number]
    return f"at most {max(some)} in a cell, in {len(some)} cells" if some else "none"


def wins(data):
    """In how many workloads and sizes each configuration is the best of all, or equal to the best."""
    peers, own = groups()
    count = {stack: [0] * len(MEASURES) for stack in (*peers, *own)}
    for workload in plan.WORKLOADS:
        for mib in workload.sizes:
            for i, (column, is_time, _) in enumerate(MEASURES):
                if data.of(workload.name, "none", mib)[column] is None:
                    continue
                least = best(data, workload, mib, column, (*peers, *own))[1]
                for stack in count:
                    count[stack][i] += is_equal(data.of(workload.name, stack.name, mib)[column], least, is_time)
    return table(["", *(head for _, _, head in MEASURES)], [[stack.label, *map(str, found)] for stack, found in count.items()])


def trust(data):
    """Whether the simulator, which is tested apart, has the latencies of the bare flash device."""
    traces = [workload for workload in plan.WORKLOADS if not workload.is_job]
    apart = []
    for workload in traces:
        bare, simulated = (data.cells[workload.name, stack, 0] for stack in ("none", plan.SIMULATOR))
        apart += [f"{op}s of {workload.name}: {us(bare[key])} µs, in the simulator {us(simulated[key])}" for op in ("read", "write")
                  for key in (f"first_{op}_mean",) if bare[key] != simulated[key]]
    says = f"Without a cache, the mean latencies of reads and of writes of the {len(traces)} traces are those of `ssdcache-sim --no-cache`"
    return says + (f", except {'; '.join(apart)}." if apart else ", to the nanosecond.")


def page(data):
    parts = ["<!-- Made by scripts/studies/peers.sh from results/peers.csv; do not edit. -->"]
    text = (HERE / "page.md").read_text(encoding="utf-8")
    tables = []
    for workload in plan.WORKLOADS:
        tables.append(f"## {workload.name}\n\n{workload.says[0].upper()}{workload.says[1:]}; "
                      f"{data.of(workload.name, 'none', 0)['requests']:,} requests.")
        for mib in workload.sizes:
            tables.append(f"Cache of {mib} MiB; latencies in µs:\n\n{cell_table(data, workload, mib)}")
    words = {"SCORE": score(data), "SUMMARY": summary(data), "WINS": wins(data), "SETTINGS": settings(), "LATE": late_text(data), "TRUST": trust(data), "TABLES": "\n\n".join(tables),
             "DEVICE": str(plan.DEVICE_MIB), "FLASH": " ".join(f"{key} {value}" for key, value in plan.FLASH.items())}
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return "\n\n".join([*parts, text.rstrip("\n")]) + "\n"


def short_table(data):
    workload, mib, names = SHORT
    rows = []
    for stack in plan.STACKS:
        if stack.name in names:
            cell = data.of(workload, stack.name, mib)
            rows.append([stack.label, us(cell["second_write_mean"]), us(cell["second_write_p99"]), us(cell["second_read_mean"]),
                         us(cell["second_read_p99"]), f"{cell['programs']:,}", amplification(cell)])
    return table(["", "mean write, µs", "p99", "mean read, µs", "p99", "pages programmed", "write amplification"], rows)


def readme(data, text):
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{short_table(data)}\n{END}{after}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--publish", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("tree", type=Path)
    args = parser.parse_args()
    data = Data(args.publish or args.tree / DATA)
    if data.missing():
        sys.exit(f"peers_page.py: no cells of {', '.join('.'.join(map(str, cell)) for cell in data.missing())}")
    if args.publish:
        shutil.copyfile(args.publish, args.tree / DATA)
    wanted = {PAGE: page(data), README: readme(data, (args.tree / README).read_text(encoding="utf-8"))}
    differ = [str(path) for path, text in wanted.items() if not (args.tree / path).exists() or
              (args.tree / path).read_text(encoding="utf-8") != text]
    if args.check:
        if differ:
            sys.exit(f"peers_page.py: {' and '.join(differ)} do not say what {DATA} says: run scripts/studies/peers.sh --page")
        return
    for path, text in wanted.items():
        (args.tree / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
