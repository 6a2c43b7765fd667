# SPDX-License-Identifier: GPL-2.0
"""
The README's figure, from the data of a page of ssdcache-report: curves by DRAM size, light or dark as the reader's system is. The same
page gives the same bytes.

usage: figure.py PAGE.html OUT.svg

Documentation/images/demo.svg is of "ssdcache-report --dram_mode protected traces/demo-ext4.csv.zst"; a test makes it anew.
"""

import json
import math
import re
import sys
from html import escape
from pathlib import Path

SHOWN = {"lru": "#1f77b4", "cflru": "#e6862e", "vs-batch-plus": "#2a9d4a", "req-block": "#d62728", "cflru-ef-sc": "#a0459b",
         "freeboard": "#00838f"}
ADMISSION = "read-write"
METRICS = ("mean write latency", "mean read latency", "written to flash")
WIDTH, HEIGHT, GAP, LEFT, TOP, BOTTOM = 250, 210, 70, 64, 64, 56
DECADES = 1000
STYLE = """text { font: 12px system-ui, sans-serif; fill: #222; } .small { font-size: 11px; } .back { fill: #fff; } .rule { stroke: #ddd; }
.line { fill: none; stroke-width: 2; } .other { fill: none; stroke: #bbb; }
@media (prefers-color-scheme: dark) { text { fill: #e4e4e4; } .back { fill: #16181b; } .rule { stroke: #3a3d42; } .other { stroke: #555; } }"""


def charts(page):
    """What the page's script draws."""
    return [json.loads(text) for text in re.findall(r'<script type="application/json" class="chart">(.*?)</script>', page, re.DOTALL)]


def curves(page):
    """{metric: (axis title, {policy: [(bytes, value)]})} of the chart with every policy, scheme and size, with one scheme."""
    (chart,) = (chart for chart in charts(page) if "lines" in chart and len(chart["choices"]) > 3)
    titles = [choice["title"] for choice in chart["choices"]]
    found = {metric: {} for metric in METRICS}
    for panel in chart["panels"]:
        if ADMISSION not in re.split(r"[, ]+", panel["title"]):
            continue
        shown = [panel["focus"]] if "focus" in panel else range(*panel["lines"])
        for metric in METRICS:
            at = next(k for k, title in enumerate(titles) if title.startswith(metric))
            found[metric]["title"] = titles[at]
            for line in (chart["lines"][k] for k in shown):
                found[metric][line["name"]] = [(x, y) for x, y in zip(line["x"], line["y"][at]) if y is not None]
    return found


def size_name(size):
    return f"{size / 2 ** 20:g} MiB" if size >= 2 ** 20 else f"{size / 2 ** 10:g} KiB"


def ticks(low, high):
    """Powers of ten, or 1, 2 and 5 times these if they are few, from below the values."""
    steps = [m * 10.0 ** e for e in range(-3, 9) for m in ((1,) if high / low > 50 else (1, 2, 5))]
    return [step for step in steps if max(s for s in steps if s <= low) <= step <= high]


def panel(out, left, metric, lines):
    title = lines.pop("title")
    points = [point for line in lines.values() for point in line]
    sizes = sorted({x for x, _ in points})
    high = max(y for _, y in points)
    # Less is drawn at the lower edge.
    marks = ticks(max(min(y for _, y in points), high / DECADES), high)
    x0, x1, y0, y1 = math.log(sizes[0]), math.log(sizes[-1]), math.log(marks[0]), math.log(high * 1.15)

    def place(x, y):
        return (f"{left + (math.log(x) - x0) / (x1 - x0) * WIDTH:.1f},"
                f"{TOP + HEIGHT - (math.log(max(y, marks[0])) - y0) / (y1 - y0) * HEIGHT:.1f}")

    out.append(f'<text x="{left}" y="{TOP - 12}">{escape(title)}</text>')
    for mark in marks:
        y = place(sizes[0], mark).split(",")[1]
        out.append(f'<line class="rule" x1="{left}" x2="{left + WIDTH}" y1="{y}" y2="{y}"/>'
                   f'<text class="small" x="{left - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{"≤ " if mark == marks[0] else ""}{mark if mark < 1 else int(mark):,}</text>')
    for size in sizes:
        x = float(place(size, marks[0]).split(",")[0])
        out.append(f'<text class="small" text-anchor="end" transform="translate({x + 4:.1f},{TOP + HEIGHT + 16}) rotate(-30)">'
                   f"{size_name(size)}</text>")
    for name, line in sorted(lines.items(), key=lambda item: (item[0] in SHOWN, list(SHOWN).index(item[0]) if item[0] in SHOWN else 0, item[0])):
        style = f'class="line" stroke="{SHOWN[name]}"' if name in SHOWN else 'class="other"'
        out.append(f'<polyline {style} points="{" ".join(place(x, y) for x, y in line)}"><title>{escape(name)}</title></polyline>')


def draw(page):
    found = curves(page)
    width, height = LEFT + len(METRICS) * WIDTH + (len(METRICS) - 1) * GAP + 24, TOP + HEIGHT + BOTTOM
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           f"<title>Policies by size of DRAM, with admission {ADMISSION}</title><style>{STYLE}</style>",
           f'<rect class="back" width="{width}" height="{height}"/>']
    x = LEFT
    for name, colour in [*SHOWN.items(), ("others", None)]:
        mark = f'stroke="{colour}" stroke-width="3"' if colour else 'class="other"'
        out.append(f'<line {mark} x1="{x}" x2="{x + 18}" y1="18" y2="18"/><text x="{x + 24}" y="22">{name}</text>')
        x += 50 + 8 * len(name)
    for nr, metric in enumerate(METRICS):
        panel(out, LEFT + nr * (WIDTH + GAP), metric, found[metric])
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    page, output = sys.argv[1:]
    Path(output).write_text(draw(Path(page).read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
