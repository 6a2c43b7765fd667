# SPDX-License-Identifier: GPL-2.0
"""Pages as a browser lays them out: Chromium, if there is one."""
import html
import json
import re
import shutil
import subprocess

import pytest

#: What a page looks like in a frame. Windows of Chromium are at least 500 pixels wide, frames are not. "hidden": parts that reach
#: out of the page or out of their boxes, where nothing can be scrolled; "clipped": text of plots outside its plot; "overlaps": names of legends
#: and axes that cover other text, without the slanted tick labels of the x axis; "colours": those of each text and of its background.
MEASURE = """
const frame = document.querySelector("iframe"), page = frame.contentDocument, root = page.documentElement;
const name = element => element.tagName + " " + element.textContent.trim().slice(0, 40);
const scrolls = element => element.closest(".scroll");
const all = [...page.body.querySelectorAll("*")].filter(element => !element.closest("script, style, svg") && !scrolls(element));
const texts = [...page.querySelectorAll(".plot")].flatMap(plot => {
  const box = plot.getBoundingClientRect();
  return [...plot.querySelectorAll("svg text")].filter(text => text.textContent && text.getBoundingClientRect().width)
    .map(text => ({plot, box, text, at: text.getBoundingClientRect()}));
});
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
const titles = texts.filter(one => one.text.matches(".xtitle, .ytitle, .legendtext"));
const style = frame.contentWindow.getComputedStyle(page.body);
document.querySelector("pre").textContent = JSON.stringify({
  width: root.scrollWidth,
  plots: page.querySelectorAll(".plot .main-svg").length,
  hidden: all.filter(element => element.scrollWidth > element.clientWidth + 1 && element.clientWidth).map(name),
  clipped: texts.filter(one => one.at.left < one.box.left - 1 || one.at.right > one.box.right + 1 || one.at.bottom > one.box.bottom + 1)
    .map(one => one.text.textContent),
  overlaps: titles.filter(one => texts.some(other => other.plot === one.plot && other.text !== one.text && !other.text.matches(".xtick *") &&
    meet(one.at, other.at))).map(one => one.text.textContent),
  colours: [style.color, style.backgroundColor],
});
"""


def chromium():
    """Its program; skips the test if there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        pytest.skip("no Chromium")
    return found


def dom_of(url, folder, *options, budget_ms=4000):
    """The document after its scripts have run for so much virtual time. A busy machine takes a minute to start the browser."""
    done = subprocess.run([chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                           f"--user-data-dir={folder / 'profile'}", *options, f"--virtual-time-budget={budget_ms}", "--timeout=200000", "--dump-dom", url],
                          capture_output=True, text=True, check=True, timeout=300)
    return done.stdout


def frame_of(url, width, plots):
    """A page that measures another, of the same origin, in a frame of ``width`` pixels; for :func:`measured`. It waits for so many
    plots, which come late on a busy machine, and a second more."""
    return (f'<!DOCTYPE html><meta charset="utf-8"><iframe width="{width}" height="900" style="border: 0" src="{html.escape(url)}"></iframe>'
            f'<pre></pre><script>let looks = 0; const measure = () => {{ {MEASURE} }}; const look = () => {{'
            'const drawn = document.querySelector("iframe").contentDocument.querySelectorAll(".plot .main-svg").length;'
            f'if (drawn < {plots} && ++looks < 30) setTimeout(look, 200); else setTimeout(measure, 1000);'
            '}; setTimeout(look, 2000);</script>')


def measured(url, folder, dark):
    """What the page of :func:`frame_of` at ``url`` finds."""
    dom = dom_of(url, folder, "--window-size=1400,1000", "--allow-file-access-from-files", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
                 budget_ms=10000)
    return json.loads(html.unescape(re.search("<pre>(.*?)</pre>", dom, re.S)[1]))


def check_layout(found, width, plots):
    """A page of ``plots`` plots in a frame of ``width`` pixels can be read."""
    assert found["plots"] >= plots
    assert found["width"] <= width and not found["hidden"] and not found["clipped"] and not found["overlaps"], found


def is_dark(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) < 3 * 128
