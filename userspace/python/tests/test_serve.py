# SPDX-License-Identifier: GPL-2.0
"""The live page, over HTTP and in a browser."""
import http.client
import json
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import threading

import pytest

import browser
from ssdcache import serve

# A stand-in for ssdcachectl: each look finds 100 more reads, of which 75 hit, that took 200 µs, and 20 more dirty pages. Before, 1e9 reads took
# 1 µs and a part of a ns, which the mean does not have.
TOOL = r'''#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
if words[0] == "list":
    print(json.dumps({"devices": [{"name": "fast", "target": "ssdcache"}, {"name": "flash", "target": "ssdflash"},
                                  {"name": "slow", "target": "ssdcache"}]}))
    sys.exit()
assert words[:2] == ["stats", "fast"] and "--json" in words, words
path = os.path.join(os.path.dirname(sys.argv[0]), "looks")
looks = (int(open(path).read()) if os.path.exists(path) else 0) + 1
with open(path, "w") as file:
    file.write(str(looks))
if os.path.exists(path + ".broken"):
    sys.exit("ssdcachectl: stats: fast is gone")
stats = {"read_pages": 100 * looks, "read_hits": 75 * looks, "write_pages": 0, "write_hits": 0, "used": 50 * looks, "dirty": 20 * looks,
         "reads": 100 * looks, "writes": 0, "replacement": {"clean_list": 30 * looks, "dirty_list": 20 * looks, "window_hits": 5}}
print(json.dumps({"name": "fast", "frames": 1000, "replacement": "cflru", "admission": "read-write", "prefetch": "none", "stats": stats, "latency": {
    op: {"count": 10**9 + 100 * looks if op == "read" else 0, "mean_ns": 1000, "histogram": [[900, 1100, 10**9], [199000, 201000, 100 * looks]]
         if op == "read" else []} for op in ("read", "write", "flush", "discard")}}))
'''


@pytest.fixture
def served(tmp_path):
    tool = tmp_path / "ssdcachectl"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    http_server = serve.server(serve.Source(str(tool)), "fast", 0, 0.1)
    thread = threading.Thread(target=http_server.serve_forever)
    thread.start()
    yield http_server.server_address, tmp_path
    http_server.shutdown()
    thread.join()
    http_server.server_close()


def get(address, path, host=None):
    connection = http.client.HTTPConnection(*address, timeout=30)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{address[1]}"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_only_this_machine_is_served(served):
    address, _ = served
    assert address[0] == "127.0.0.1"
    for host in (f"evil.example:{address[1]}", "evil.example", "127.0.0.1.evil.example", "localhost.evil:80"):
        assert get(address, "/stats", host)[0] == 403
    for host in ("localhost", f"localhost:{address[1]}", f"[::1]:{address[1]}", "[::1]"):
        assert get(address, "/stats", host)[0] == 200


def test_statistics_and_what_is_not_there(served):
    address, folder = served
    status, text = get(address, "/stats?name=fast")
    assert status == 200 and json.loads(text)["stats"]["read_pages"] == 100
    assert get(address, "/stats?name=../fast")[0] == 404 and get(address, "/stats?name=flash")[0] == 404
    assert get(address, "/etc/passwd")[0] == 404
    (folder / "looks.broken").touch()
    status, text = get(address, "/stats")
    assert status == 502 and "fast is gone" in text


def test_names_are_only_text(served):
    address, folder = served
    tool = folder / "ssdcachectl"
    tool.write_text(TOOL.replace('"slow"', '"<b>slow</b>"'))
    status, text = get(address, "/")
    assert status == 200 and "<b>slow" not in text and "&lt;b&gt;slow" in text


def test_a_cache_that_is_not_there_is_an_error(tmp_path, monkeypatch, capsys):
    tool = tmp_path / "ssdcachectl"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    monkeypatch.setenv("SSDCACHECTL", str(tool))
    assert serve.main(["quick"]) == 1
    assert capsys.readouterr().err == "ssdcache-serve: there is no cache quick: there are fast, slow\n"
    with pytest.raises(SystemExit):
        serve.main(["--port", "99999"])


def test_an_answer_that_is_not_json(served):
    address, folder = served
    (folder / "ssdcachectl").write_text("#!/bin/sh\necho nothing\n")
    status, text = get(address, "/stats")
    assert status == 502 and "does not answer in JSON" in text


def test_a_tool_that_a_signal_ends(served):
    address, folder = served
    (folder / "ssdcachectl").write_text("#!/bin/sh\nkill -KILL $$\n")
    status, text = get(address, "/stats")
    assert status == 502 and "ssdcachectl: ended by signal 9 (Killed)" in text


def test_what_a_tool_said_before_a_signal_ended_it(served):
    address, folder = served
    tool = folder / "ssdcachectl"
    tool.write_text("#!/bin/sh\nulimit -c 0\nprintf 'assertion failed: x, and no character: \\377\\n' >&2\nkill -ABRT $$\n")
    status, text = get(address, "/stats")
    assert status == 502 and text == f"assertion failed: x, and no character: \ufffd; {tool}: ended by signal 6 (Aborted)\n"


def test_addresses_that_are_none(served):
    address, _ = served
    with socket.create_connection(address) as client:
        client.sendall(f"GET http://[::1 HTTP/1.0\r\nHost: 127.0.0.1:{address[1]}\r\n\r\n".encode())
        assert client.makefile("rb").readline().split()[1] == b"400"


def test_clients_that_leave(served, capfd):
    address, _ = served
    assert serve.Handler.timeout == 10
    for _ in range(3):
        with socket.create_connection(address) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(f"GET / HTTP/1.0\r\nHost: 127.0.0.1:{address[1]}\r\n".encode())
    for _ in range(3):
        with socket.create_connection(address) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(f"GET / HTTP/1.0\r\nHost: 127.0.0.1:{address[1]}\r\n\r\n".encode())
    # After those, whose threads run meanwhile.
    for _ in range(3):
        assert get(address, "/stats")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_port_in_use(served, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SSDCACHECTL", str(tmp_path / "ssdcachectl"))
    port = served[0][1]
    assert serve.main(["--port", str(port)]) == 1
    assert capsys.readouterr().err == f"ssdcache-serve: port {port}: Address already in use; --port 0 takes a free one\n"


def interval_mean(now, then):
    """What the page's script computes."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no Node.js")
    start = serve.SCRIPT.index("  const meanSince")
    function = serve.SCRIPT[start:serve.SCRIPT.index("  const take", start)]
    done = subprocess.run([node, "-e", f"{function}; console.log(JSON.stringify(meanSince({json.dumps(now)}, {json.dumps(then)})))"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_latency_of_an_interval():
    old = {"count": 10**9, "mean_ns": 1000, "histogram": [[900, 1100, 10**9]]}
    new = {"count": 10**9 + 10, "mean_ns": 1000, "histogram": [[900, 1100, 10**9 + 5], [2_990_000, 3_010_000, 5]]}
    assert interval_mean(new, old) == pytest.approx((1 + 3000) / 2)
    assert interval_mean(old, old) is None
    # Statistics were reset: all is new.
    assert interval_mean({"count": 1, "mean_ns": 2000, "histogram": [[1900, 2100, 1]]}, old) == 2


def test_a_browser_draws_curves(served):
    address, folder = served
    dom = browser.dom_of(f"http://127.0.0.1:{address[1]}/", folder)
    assert "cflru, read-write: hit ratio 75.0 %, dirty " in dom
    for key, names in (("hits", ["reads"]), ("pages", ["used", "dirty"]), ("lists", ["clean_list", "dirty_list"]), ("latency", ["read"])):
        plot = dom[dom.index(f'id="plot-{key}"'):]
        plot = plot[:plot.index('<div><h3>') if '<div><h3>' in plot else len(plot)]
        assert "main-svg" in plot and 'class="js-line"' in plot
        for name in names:
            assert f">{name}</text>" in plot
        # Each look lengthens the curve.
        curve = re.search(r'class="js-line" d="([^"]*)"', plot)
        assert curve and len(re.findall(r"[\d.]+,[\d.]+", curve[1])) >= 2, curve
    # Not 0, and not a multiple of what the mean of 1e9 requests lacks: the axis reaches from a tenth of 200 µs to ten times that.
    plot = dom[dom.index('id="plot-latency"'):]
    assert re.findall(r'class="ytick"><text[^>]*>([^<]*)<', plot) == ["100", "1,000"]
    assert int((folder / "looks").read_text()) >= 3


@pytest.mark.parametrize(("width", "dark"), [(400, True), (1280, False)])
def test_the_page_fits_into_a_window(served, monkeypatch, width, dark):
    address, folder = served
    tool = folder / "ssdcachectl"
    lists = ", ".join(f'"{name}_list": {number} * looks' for number, name in enumerate(("hit", "hot", "cold", "graph", "adjacent", "eviction", "ghost")))
    tool.write_text(TOOL.replace('"window_hits": 5', lists))
    page = serve.page
    # The other cache's page is a frame with this one's.
    monkeypatch.setattr(serve, "page", lambda source, name, interval: page(source, name, interval) if name == "fast" else browser.frame_of("/", width, 4))
    found = browser.measured(f"http://127.0.0.1:{address[1]}/?name=slow", folder, dark)
    browser.check_layout(found, width, 4)
    ink, paper = found["colours"]
    assert browser.is_dark(paper) == dark and browser.is_dark(ink) != dark


def test_curves_of_many_lists_differ(served):
    address, folder = served
    tool = folder / "ssdcachectl"
    names = [f"l{number}_list" for number in range(9)]
    tool.write_text(TOOL.replace('"window_hits": 5', ", ".join(f'"{name}": {number} * looks' for number, name in enumerate(names))))
    dom = browser.dom_of(f"http://127.0.0.1:{address[1]}/", folder)
    plot = dom[dom.index('id="plot-lists"'):dom.index('id="plot-latency"')]
    # Of curves; the lines of the legend have no vector-effect.
    styles = re.findall(r'class="js-line" d="[^"]*" style="(vector-effect[^"]*)"', plot)
    assert len(styles) == 11 and len(set(styles)) == len(styles), styles


def test_ssdcachectl_completes_all_options(capsys):
    tool = pathlib.Path(__file__).resolve().parents[3] / "userspace/build/bin/ssdcachectl"
    offered = subprocess.run([tool, "--complete", "serve", "--"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    with pytest.raises(SystemExit):
        serve.main(["--help"])
    assert sorted(offered) == sorted(set(re.findall(r"--[a-z-]+", capsys.readouterr().out)))
