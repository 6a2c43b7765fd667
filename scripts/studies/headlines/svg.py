# SPDX-License-Identifier: GPL-2.0
"""Grouped bars as SVG, the same bytes wherever they are drawn, so that a check can compare them; no library promises that."""

from html import escape

COLOURS = ("#5ba3d9", "#e6862e", "#2a9d4a", "#a0459b", "#b5a100", "#d62728", "#17a2b8", "#8c8c2b")
STYLE = """text { font: 11px system-ui, sans-serif; fill: #222; } .rule { stroke: #ddd; } .one { stroke: #888; }
.small { font-size: 9px; } @media (prefers-color-scheme: dark) { text { fill: #e4e4e4; } .rule { stroke: #3a3d42; } }"""
HEIGHT, BAR, GAP, LEFT, TOP, LEGEND = 180, 9, 12, 40, 14, 22
#: What a page of GitHub shows without making it smaller.
WIDEST = 900


def bars(plot):
    """@plot: see page.Plot. Bars beyond the axis are cut and have their value above them."""
    bar = min(BAR, ((WIDEST - LEFT - 10) // max(1, len(plot.groups)) - GAP) // len(plot.series))
    wide = bar * len(plot.series) + GAP
    width = LEFT + wide * len(plot.groups) + 10
    rows = -(-sum(40 + 7 * len(name) for name in plot.series) // max(1, width - LEFT))
    head = TOP + LEGEND * rows
    total = head + HEIGHT + 70
    scale = HEIGHT / plot.top
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{total}" viewBox="0 0 {width} {total}" role="img">',
           f"<title>{escape(plot.title)}</title><style>{STYLE}</style>"]
    x, y = LEFT, 12
    for name, colour in zip(plot.series, COLOURS):
        if x + 40 + 7 * len(name) > width and x > LEFT:
            x, y = LEFT, y + LEGEND
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/><text x="{x + 14}" y="{y}">{escape(name)}</text>')
        x += 40 + 7 * len(name)
    for tick in plot.ticks:
        at = head + HEIGHT - tick * scale
        out.append(f'<line class="{"one" if tick == 1 else "rule"}" x1="{LEFT}" x2="{width - 5}" y1="{at:.1f}" y2="{at:.1f}"/>'
                   f'<text x="{LEFT - 5}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for nr, group in enumerate(plot.groups):
        left = LEFT + GAP // 2 + nr * wide
        for at, (name, colour) in enumerate(zip(plot.series, COLOURS)):
            value = plot.values[name][nr]
            if value is None:
                continue
            high = min(value, plot.top) * scale
            out.append(f'<rect x="{left + at * bar}" y="{head + HEIGHT - high:.1f}" width="{bar - 1}" height="{high:.1f}" '
                       f'fill="{colour}"><title>{escape(group)}, {escape(name)}: {value:.3g}</title></rect>')
            if value > plot.top:
                out.append(f'<text class="small" transform="translate({left + at * bar + 7},{head - 2}) rotate(-50)">{value:.2g}</text>')
        middle = left + bar * len(plot.series) // 2
        out.append(f'<text class="small" text-anchor="end" transform="translate({middle},{head + HEIGHT + 12}) rotate(-25)">'
                   f"{escape(group)}</text>")
    return "\n".join([*out, "</svg>"]) + "\n"
