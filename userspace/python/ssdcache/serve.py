# SPDX-License-Identifier: GPL-2.0
"""ssdcache-serve: a live page about a cache, for browsers on this machine: hit ratio, dirty pages, lengths of lists, latencies."""
from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Optional, Sequence
from urllib.parse import parse_qs, quote, urlsplit

from .messages import ending, reason
from .page import STYLE, PlotlyMissing, plotly_script, script_json
from .version import add_version

#: Names that a browser on this machine may use. Others would let a page of the network read what is served here.
HOSTS = ("localhost", "127.0.0.1", "[::1]")
#: Points of a curve.
POINTS = 300

PLOTS = (("hits", "Hit ratio"), ("pages", "Pages in DRAM"), ("lists", "Lists of the policy"), ("latency", "Latency since the last look, µs"))

SCRIPT = """
(() => {
  const setup = JSON.parse(document.getElementById("setup").textContent);
  const colours = ["#1f77b4", "#e6862e", "#2a9d4a", "#d62728", "#a0459b", "#17a2b8"];
  const dashes = ["solid", "dash", "dot", "dashdot"];
  const curves = {}, start = performance.now();
  let before = null, looks = 0;
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const add = (plot, name, x, y) => {
    const of = curves[plot] = curves[plot] || {};
    const nr = Object.keys(of).length, dash = dashes[Math.floor(nr / colours.length) % dashes.length];
    const line = of[name] = of[name] || {type: "scatter", mode: "lines", name, x: [], y: [],
      line: {color: colours[nr % colours.length], dash, width: 2}};
    line.x.push(x);
    line.y.push(y);
    if (line.x.length > setup.points) { line.x.shift(); line.y.shift(); }
  };
  const draw = () => {
    for (const plot of setup.plots) {
      const axis = {gridcolor: colour("--rule"), zerolinecolor: colour("--rule"), rangemode: "tozero", separatethousands: true, ticks: "outside", ticklen: 6,
        tickcolor: "rgba(0,0,0,0)"};
      Plotly.react("plot-" + plot, Object.values(curves[plot] || {}), {
        // Plotly looks for changes in the same arrays only if this one changes.
        datarevision: looks,
        margin: {l: 56, r: 20, t: 30, b: 36}, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: {color: colour("--ink")},
        xaxis: Object.assign({}, axis, {ticksuffix: " s", rangemode: "nonnegative"}), showlegend: true, uirevision: "same",
        yaxis: Object.assign({}, axis, plot === "hits" ? {tickformat: ".0%", range: [0, 1.02]} :
          // A write into DRAM takes a thousandth of a FLUSH.
          plot === "latency" ? {type: "log", dtick: 1, exponentformat: "none"} : {}),
        legend: {orientation: "h", y: 1.02, yanchor: "bottom"},
      }, {responsive: true, displayModeBar: false});
    }
  };
  const grown = (now, then, name) => now.stats[name] - (then && then.stats[name] <= now.stats[name] ? then.stats[name] : 0);
  const share = (part, whole) => whole > 0 ? part / whole : null;
  // In µs, from the middles of the buckets: the mean is cut to whole ns, which after 1e9 requests is more than an interval's latencies.
  const meanSince = (now, then) => {
    const old = now.count < then.count ? new Map() : new Map(then.histogram.map(([low, , count]) => [low, count]));
    let more = 0, time = 0;
    for (const [low, high, count] of now.histogram) {
      const grown = Math.max(0, count - (old.get(low) || 0));
      more += grown;
      // The last bucket has no end.
      time += grown * (low + Math.min(high, 2 * low || high)) / 2;
    }
    return more ? time / more / 1000 : null;
  };
  const take = now => {
    const at = (performance.now() - start) / 1000;
    if (before) {
      add("hits", "reads", at, share(grown(now, before, "read_hits"), grown(now, before, "read_pages")));
      add("hits", "writes", at, share(grown(now, before, "write_hits"), grown(now, before, "write_pages")));
    }
    add("pages", "used", at, now.stats.used);
    add("pages", "dirty", at, now.stats.dirty);
    for (const [name, value] of Object.entries(now.stats.replacement || {}))
      if (name.endsWith("_list")) add("lists", name, at, value);
    for (const op of ["read", "write", "flush"]) {
      if (before) add("latency", op, at, meanSince(now.latency[op], before.latency[op]));
    }
    const all = now.stats.read_pages + now.stats.write_pages;
    document.getElementById("now").textContent = [now.replacement, now.admission, now.prefetch].filter(name => name !== "none").join(", ") + ": hit ratio " +
      (all ? (100 * (now.stats.read_hits + now.stats.write_hits) / all).toFixed(1) + " %" : "–") + ", dirty " +
      (100 * now.stats.dirty / (now.frames || 1)).toFixed(1) + " %, " + (now.stats.reads + now.stats.writes).toLocaleString("en") + " requests";
    before = now;
    looks++;
    draw();
  };
  const look = async () => {
    try {
      const answer = await fetch("/stats?name=" + encodeURIComponent(setup.name));
      if (!answer.ok) throw new Error(await answer.text());
      take(await answer.json());
      document.getElementById("trouble").textContent = "";
    } catch (error) {
      document.getElementById("trouble").textContent = String(error.message || error);
    }
    setTimeout(look, setup.interval * 1000);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  look();
})();
"""


class Failed(Exception):
    """ssdcachectl has failed; with its message."""


class Source:
    """Where statistics come from: the program ssdcachectl."""

    def __init__(self, tool: str, sysfs: str = "") -> None:
        self.tool = tool
        self.more = [f"--sysfs={sysfs}"] if sysfs else []

    def _ask(self, *words: str) -> "dict[str, Any]":
        try:
            done = subprocess.run([self.tool, *words, "--json", *self.more], capture_output=True, text=True, errors="replace", check=False,
                                  timeout=30)
        except OSError as error:
            raise Failed(f"{self.tool}: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{self.tool} does not answer") from error
        if done.returncode:
            said = done.stderr.strip()
            # Of a signal, the tool has said nothing.
            how = f"{self.tool}: {ending(done.returncode)}" if done.returncode < 0 or not said else ""
            raise Failed("; ".join(text for text in (said, how) if text))
        try:
            answer: "dict[str, Any]" = json.loads(done.stdout)
        except ValueError as error:
            raise Failed(f"{self.tool} does not answer in JSON") from error
        return answer

    def caches(self) -> "list[str]":
        return [device["name"] for device in self._ask("list")["devices"] if device["target"] == "ssdcache"]

    def stats(self, name: str) -> "dict[str, Any]":
        return self._ask("stats", name)


def page(source: Source, name: str, interval: float) -> str:
    """The page about a cache. Raises PlotlyMissing."""
    others = [other for other in source.caches() if other != name]
    names = ", ".join(f'<a href="/?name={quote(other)}">{escape(other)}</a>' for other in others)
    links = f"<p>Others: {names}</p>" if names else ""
    plots = "".join(f'<div><h3>{escape(title)}</h3><div class="plot" id="plot-{key}" role="img" aria-label="Plot: {escape(title)}"></div></div>'
                    for key, title in PLOTS)
    setup = script_json({"name": name, "interval": interval, "points": POINTS, "plots": [key for key, _ in PLOTS]})
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>ssdcache: {escape(name)}</title>\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{STYLE}</style>\n'
            f'<script>window.PlotlyConfig = {{MathJaxConfig: "local"}};</script>\n<script>{plotly_script()}</script>\n</head>\n<body>\n'
            f'<h1>{escape(name)}</h1>\n{links}<p class="verdict" id="now"></p>\n<p class="bad" id="trouble" role="alert"></p>\n'
            f'<div class="panels pairs">{plots}</div>\n'
            f'<script type="application/json" id="setup">{setup}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n')


class Handler(BaseHTTPRequestHandler):
    """Answers GET of / and /stats, with ?name=NAME."""

    source: Source
    name: str
    interval: float
    #: Seconds: a client that sends no request would keep a thread.
    timeout = 10

    def _send(self, code: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        """The only method."""
        host = self.headers.get("Host", "")
        if (host if host.endswith("]") else host.rpartition(":")[0] or host) not in HOSTS:
            self._send(403, "text/plain", "only for browsers on this machine\n")
            return
        try:
            url = urlsplit(self.path)
        except ValueError:
            self._send(400, "text/plain", "not an address\n")
            return
        try:
            name = parse_qs(url.query).get("name", [self.name])[0]
            if url.path not in ("/", "/stats"):
                self._send(404, "text/plain", "there are / and /stats\n")
            elif name not in self.source.caches():
                self._send(404, "text/plain", f"there is no cache {name}\n")
            elif url.path == "/":
                self._send(200, "text/html", page(self.source, name, self.interval))
            else:
                self._send(200, "application/json", json.dumps(self.source.stats(name)))
        except Failed as error:
            self._send(502, "text/plain", f"{error}\n")

    def log_message(self, format: str, *args: Any) -> None:  # pylint: disable=redefined-builtin
        """Nothing: a request comes each second."""


class Server(ThreadingHTTPServer):
    """For clients that may leave at any time."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says what went wrong, in one line."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            print(f"ssdcache-serve: {type(error).__name__}: {error}", file=sys.stderr)


def server(source: Source, name: str, port: int, interval: float) -> Server:
    """A server for this machine only. Port 0: any that is free. Raises Failed if there is none."""
    kind = type("BoundHandler", (Handler,), {"source": source, "name": name, "interval": interval})
    try:
        return Server(("127.0.0.1", port), kind)
    except OSError as error:
        free = "; --port 0 takes a free one" if port else ""
        raise Failed(f"port {port}: {error.strerror}{free}") from error


def find_tool() -> str:
    """ssdcachectl: the one that has started this program, else beside it, else in PATH."""
    named = os.environ.get("SSDCACHECTL")
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "ssdcachectl")
    return named or (beside if os.access(beside, os.X_OK) else shutil.which("ssdcachectl") or "ssdcachectl")


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command. Returns its exit code: 0 ended by Ctrl-C, 1 failed, 2 wrong command line."""
    reader = argparse.ArgumentParser(prog="ssdcache-serve", allow_abbrev=False,
                                     description="Serves a live page about a cache to browsers on this machine.")
    add_version(reader)
    reader.add_argument("name", metavar="NAME", nargs="?", default="", help="of the cache; default: the only one, or the first")
    reader.add_argument("--port", type=int, default=8765, metavar="N", help="8765; 0: any that is free")
    reader.add_argument("--interval", type=float, default=1.0, metavar="SECONDS", help="between two looks (1)")
    reader.add_argument("--sysfs", default="", metavar="ROOT", help="as for ssdcachectl")
    arguments = reader.parse_args(words)
    if not 0 <= arguments.port <= 65535:
        reader.error(f"--port: {arguments.port} is not a number from 0 to 65535")
    if not 0.1 <= arguments.interval <= 3600:
        reader.error(f"--interval: {arguments.interval} is not a number of seconds from 0.1 to 3600")
    source = Source(find_tool(), arguments.sysfs)
    try:
        plotly_script()
        caches = source.caches()
        if not caches or (arguments.name and arguments.name not in caches):
            raise Failed(f"there is no cache {arguments.name}".strip() + (f": there are {', '.join(caches)}" if caches else ""))
        with server(source, arguments.name or caches[0], arguments.port, arguments.interval) as http:
            print(f"http://127.0.0.1:{http.server_address[1]}/ shows {arguments.name or caches[0]}; Ctrl-C ends", flush=True)
            http.serve_forever()
    except KeyboardInterrupt:
        return 0
    except (Failed, MemoryError, OSError, PlotlyMissing) as error:
        print(f"ssdcache-serve: {reason(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
