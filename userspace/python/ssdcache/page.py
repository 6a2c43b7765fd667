# SPDX-License-Identifier: GPL-2.0
"""Pages of HTML that need no other file and no network: text, tables, and plots drawn by Plotly.

>>> page = Page("Hit ratios")
>>> page.figure({"data": [{"type": "scatter", "y": [1, 3, 2]}], "layout": {}}, "Three points")
>>> page.write("page.html", "made by hand")
"""
from __future__ import annotations

import json
import pathlib
import re
from html import escape
from typing import Any, Iterable, Mapping, Sequence

from . import files
from ._words import utf8

STYLE = """
html { overflow-y: scroll; }
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --faint: #666; --rule: #ddd; --bad: #d62728; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e4e4e4; --faint: #a0a0a0; --rule: #3a3d42; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem; margin: 1.5rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--rule); padding-bottom: .2rem; }
h3 { font-size: .95rem; margin: .6rem 0 0; }
h1, h2, h3, p, figcaption, footer { overflow-wrap: anywhere; }
figure { margin: 1rem 0; }
figcaption, footer, .note { color: var(--faint); font-size: .9rem; }
footer { margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: .5rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: .5rem 1rem; }
.panels.pairs { grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); }
.panels > div { min-width: 0; }
.panels.one { grid-template-columns: 1fr; }
.plot { height: 20rem; } .panels.one .plot { height: 32rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem; margin: .6rem 0; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
td:first-child, th:first-child, .left { text-align: left; }
th[aria-sort] { cursor: pointer; } th[aria-sort]::after { content: "\\a0\\2195"; color: var(--faint); }
th[aria-sort=ascending]::after { content: "\\a0\\2191"; } th[aria-sort=descending]::after { content: "\\a0\\2193"; }
.tall { max-height: 32rem; overflow-y: auto; } .tall th { position: sticky; top: 0; background: var(--paper); }
.verdict { border-left: .3rem solid #2a9d4a; padding: .1rem 0 .1rem .8rem; font-size: 1.05rem; }
.bad { color: var(--bad); font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: color-mix(in srgb, var(--ink) 7%, transparent); padding: .5rem .7rem; border-radius: .3rem; font-size: .85rem; }
select { font: inherit; }
"""

# A chart's JSON: {choices: [{title, yaxis, hover}], layout, panels}. A panel is {title, data, layout, y: [choice][trace]}, where y, layout and choices
# may be missing, or {title, lines: [first, end], focus}: which of the chart's lines it shows, and which of these in colour. Lines are
# {..., x, y: [choice]}; each of the places on the x axis has a name in names.
SCRIPT = """
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const themed = layout => {
    const out = structuredClone(layout);
    Object.assign(out, {paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)"});
    out.font = Object.assign({}, out.font, {color: colour("--ink")});
    for (const key of new Set(["xaxis", "yaxis", ...Object.keys(out).filter(key => /^[xy]axis\\d*$/.test(key))]))
      out[key] = Object.assign({}, out[key], {gridcolor: colour("--rule"), zerolinecolor: colour("--rule"), linecolor: colour("--rule")});
    return out;
  };
  const redraws = [];
  for (const source of document.querySelectorAll("script.chart")) {
    const chart = JSON.parse(source.textContent), box = source.parentElement;
    const select = box.querySelector("select"), plots = box.querySelectorAll(".plot");
    const whole = (line, at, choice, legend) => Object.assign({}, line, {y: line.y[at], text: line.x.map(x => chart.names[chart.places.indexOf(x)]),
      hovertemplate: "%{fullData.name}<br>%{text}: " + choice.hover + "<extra></extra>", showlegend: legend});
    const grey = (lines, at) => ({type: "scatter", mode: "lines", line: {color: chart.faint, width: 1}, hoverinfo: "skip", showlegend: false,
      x: lines.flatMap(line => [...line.x, null]), y: lines.flatMap(line => [...line.y[at], null])});
    const traces = (panel, at, choice) => {
      if (!panel.lines)
        return panel.data.map((trace, k) => panel.y ? Object.assign({}, trace, {y: panel.y[at][k],
          hovertemplate: "%{x}: " + choice.hover + "<extra></extra>"}) : trace);
      const lines = chart.lines.slice(...panel.lines), focus = chart.lines[panel.focus];
      return focus ? [grey(lines.filter(line => line !== focus), at), whole(focus, at, choice, false)] :
        lines.map(line => whole(line, at, choice, true));
    };
    const draw = () => {
      const at = select ? select.selectedIndex : 0, choice = (chart.choices || [])[at];
      chart.panels.forEach((panel, i) => {
        const data = traces(panel, at, choice);
        const layout = Object.assign({}, chart.layout, choice ? {yaxis: choice.yaxis} : {}, panel.layout || {});
        Plotly.react(plots[i], data, themed(layout), {responsive: true, displayModeBar: false});
      });
    };
    if (select) select.addEventListener("change", draw);
    redraws.push(draw);
    draw();
  }
  const units = {"": 1, "*": 1, "%": 1, "µs": 1, "ms": 1e3, "s": 1e6, "B": 1, "KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30, "TiB": 2 ** 40};
  const worth = text => {
    const parts = /^(-?[\\d,]+(?:\\.\\d+)?)\\s?(\\D*)$/.exec(text.trim());
    return parts && parts[2] in units ? Number(parts[1].replaceAll(",", "")) * units[parts[2]] : NaN;
  };
  for (const head of document.querySelectorAll("th[aria-sort]")) {
    const sort = () => {
      const body = head.closest("table").tBodies[0], up = head.ariaSort !== "ascending", at = head.cellIndex;
      for (const other of head.parentElement.cells) other.ariaSort = "none";
      head.ariaSort = up ? "ascending" : "descending";
      const keyed = [...body.rows].map(row => [row.cells[at].textContent, row]);
      keyed.sort(([a], [b]) => {
        const [x, y] = [worth(a), worth(b)];
        const by = isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) || a.localeCompare(b) : x - y;
        return up ? by : -by;
      });
      body.append(...keyed.map(([, row]) => row));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sort();
    });
  }
  dark.addEventListener("change", () => redraws.forEach(draw => draw()));
})();
"""


#: As in pyproject.toml. Later ones have a script of 4.5 MB and more instead of 3.6 MB.
PLOTLY = "plotly>=5.4,<5.19"
#: The script of a distribution's package may be larger, since it is not minified.
MAX_SCRIPT = 4_000_000
#: Packages of a distribution have the script here, and need no Plotly.
SHIPPED = pathlib.Path(__file__).parent / "plotly.min.js"


#: Classes of figures with few panels: three in a row would leave a gap.
FEW = {1: " one", 2: " pairs", 4: " pairs"}
#: Longer tables scroll.
MAX_SHORT = 20


class PlotlyMissing(ImportError):
    """Plotly, which has the plots' script, is not installed, or is one that cannot be used."""

    def __init__(self, found: str = "") -> None:
        super().__init__(found)

    def __str__(self) -> str:
        return f"plots need Plotly{self.args[0]}: pip install '{PLOTLY}'"


def check_plotly() -> None:
    """Raises PlotlyMissing."""
    try:
        import plotly.offline
        import plotly.subplots
    except ImportError:
        raise PlotlyMissing from None
    if not (5, 4) <= tuple(int(number) for number in re.findall(r"\d+", plotly.__version__)[:2]) < (5, 19):
        raise PlotlyMissing(f" of another version than {plotly.__version__}")


def plotly_script() -> str:
    """The text of plotly.min.js. Raises PlotlyMissing."""
    try:
        return SHIPPED.read_text(encoding="utf-8")
    except FileNotFoundError:
        check_plotly()
    from plotly.offline import get_plotlyjs

    script = str(get_plotlyjs())
    if len(script.encode()) > MAX_SCRIPT:
        raise PlotlyMissing(f" with a smaller script; the one that is installed has {len(script.encode()) / 1e6:.1f} MB")
    return script


def script_json(value: Any) -> str:
    """JSON that may stand between tags of HTML."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _plain(figure: Any) -> "Mapping[str, Any]":
    """A figure of Plotly as what its JSON means."""
    if isinstance(figure, Mapping):
        return figure
    parsed: "Mapping[str, Any]" = json.loads(figure.to_json())
    return parsed


def _table_cell(value: Any, kind: str) -> str:
    if isinstance(value, bool):
        return f"<td{kind}>same</td>" if value else f'<td class="{"left " if kind else ""}bad">different</td>'
    return f"<td{kind}>{escape(str(value))}</td>"


class Page:
    """Parts are added from top to bottom."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        self.title = title
        self.parts = [f"<h1>{escape(title)}</h1>"]
        if subtitle:
            self.text(subtitle)
        self._plots = self._sorted = False

    def section(self, title: str) -> None:
        self.parts.append(f"<h2>{escape(title)}</h2>")

    def text(self, text: str, *, note: bool = False) -> None:
        self.parts.append(f"<p{' class=note' if note else ''}>{escape(text)}</p>")

    def verdict(self, text: str) -> None:
        """What the reader came for."""
        self.parts.append(f'<p class="verdict">{escape(text)}</p>')

    def warning(self, text: str) -> None:
        """What the reader must know before believing the rest."""
        self.parts.append(f'<p class="bad">{escape(text)}</p>')

    def command(self, text: str) -> None:
        """To be copied."""
        self.parts.append(f"<pre><code>{escape(text)}</code></pre>")

    def table(self, heads: Sequence[str], rows: "Iterable[Sequence[Any]]", *, left: "Sequence[str]" = ()) -> None:
        """It scrolls if it is wider than the page or long, and is sorted by the column whose head is clicked. ``left``: heads of columns
        with words. ``True`` and ``False`` are shown as "same" and "different"."""
        rows = list(rows)
        aligned = [' class="left"' if text in left else "" for text in heads]
        sort = ' aria-sort="none" tabindex="0"' if len(rows) > 1 else ""
        head = "".join(f'<th scope="col"{kind}{sort}>{escape(text)}</th>' for kind, text in zip(aligned, heads))
        body = "".join("<tr>" + "".join(_table_cell(value, kind) for kind, value in zip(aligned, row)) + "</tr>" for row in rows)
        tall = " tall" if len(rows) > MAX_SHORT else ""
        self._sorted |= len(rows) > 1
        self.parts.append(f'<div class="scroll{tall}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')

    def figure(self, figure: Any, caption: str = "") -> None:
        """A figure of Plotly, or its data and layout."""
        figure = _plain(figure)
        layout = {key: value for key, value in figure.get("layout", {}).items() if key != "template"}
        self.chart({"layout": layout, "panels": [{"title": "", "data": figure["data"]}]}, caption)

    def chart(self, chart: "Mapping[str, Any]", caption: str = "") -> None:
        """Several panels side by side, of which the reader may choose what they show; see :meth:`ssdcache.plots.Chart.page_chart`."""
        self._plots = True
        choices = chart.get("choices", [])
        select = ""
        if len(choices) > 1:
            options = "".join(f"<option>{escape(choice['title'])}</option>" for choice in choices)
            select = f"<label>Show <select>{options}</select></label>"
        panels = "".join(
            "<div>" + (f"<h3>{escape(panel['title'])}</h3>" if panel["title"] else "") +
            f'<div class="plot" role="img" aria-label="Plot: {escape(panel["title"] or caption or self.title)}"></div></div>'
            for panel in chart["panels"]
        )
        self.parts.append(
            f'<figure>{select}<div class="panels{FEW.get(len(chart["panels"]), "")}">{panels}</div>'
            f'<figcaption>{escape(caption)}</figcaption><script type="application/json" class="chart">{script_json(chart)}</script></figure>'
        )

    def html(self, footer: str) -> str:
        """``footer`` says what made the page: version and command."""
        head = f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(self.title)}</title>\n'
        head += f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{STYLE}</style>\n'
        script = ""
        if self._plots:
            head += f'<script>window.PlotlyConfig = {{MathJaxConfig: "local"}};</script>\n<script>{plotly_script()}</script>\n'
        if self._plots or self._sorted:
            script = f"<script>{SCRIPT}</script>\n"
        body = "\n".join(self.parts)
        return utf8(f"{head}</head>\n<body>\n{body}\n<footer>{escape(footer)}</footer>\n{script}</body>\n</html>\n")

    def write(self, name: files.Name, footer: str) -> None:
        """A page that is there is replaced only by a whole one; see :func:`ssdcache.files.written`."""
        text = self.html(footer)
        with files.written(name) as file:
            file.write(text)
