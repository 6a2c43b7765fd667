# SPDX-License-Identifier: GPL-2.0
"""
Metadata of the policies, in KiB, beside what S000 (Table 4) and S004 (Fig. 12) print. Ours is the program's own account:
metadata per page of the engine and the policy, and the policy's instance. A paper's numbers are for its policy alone; how
it counts is said in Documentation/results.md.

usage: metadata.py SSDCACHE-SIM
"""

import json
import subprocess
import sys
import tempfile

MIB = 1 << 20
# id, policy, page, cache sizes, what the paper prints for each
ROWS = [
    ("H0-20", "lru", 8192, (32, 64, 128), (224, 448, 896)),
    ("H0-21", "vbbms:profile=s000", 8192, (32, 64, 128), (62, 124, 248)),
    ("H0-22", "bplru:block=256", 8192, (32, 64, 128), (0.9, 1.8, 3.5)),
    ("H0-23", "co-active", 8192, (32, 64, 128), (228, 456, 912)),
    ("H0-24", "vs-batch", 8192, (32, 64, 128), (356, 712, 1424)),
    ("H0-24", "vs-batch-plus", 8192, (32, 64, 128), (356, 712, 1424)),
    ("H4-14", "req-block", 4096, (16, 32, 64), (67.6, 133.6, 271.6)),
    # Shares of the cache: 0.29, 0.32, 0.53 %.
    ("H4-15", "lru", 4096, (16, 32, 64), tuple(0.0029 * size * 1024 for size in (16, 32, 64))),
    ("H4-15", "bplru:block=64", 4096, (16, 32, 64), tuple(0.0032 * size * 1024 for size in (16, 32, 64))),
    ("H4-15", "vbbms:profile=s004", 4096, (16, 32, 64), tuple(0.0053 * size * 1024 for size in (16, 32, 64))),
]


def ours(sim, trace, policy, page, size, described):
    """(all, of it the policy's own) in KiB."""
    command = [sim, "--json", "--dram", f"{size}m", "--page", str(page), "--replacement", policy, trace]
    config = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["config"]
    plugin = described[policy.split(":")[0]]
    own = config["frames"] * plugin["page_bytes"] + plugin["instance_bytes"]
    return (config["frames"] * config["page_overhead_bytes"] + plugin["instance_bytes"]) / 1024, own / 1024


def numbers(values):
    return " / ".join(f"{value:.1f}" if value < 100 else f"{value:.0f}" for value in values)


def main():
    sim = sys.argv[1]
    describe = subprocess.run([sim, "--describe"], capture_output=True, check=True).stdout
    described = {plugin["name"]: plugin for plugin in json.loads(describe)["replacement"]}
    print("Metadata in KiB at the papers' settings:")
    print(f"  {'id':6} {'policy':19} {'page':5} {'cache MiB':13} {'paper':22} {'ours, all of it':22} the policy's own")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as trace:
        trace.write("# ssdcache-trace 1\n0,W,0,8,\n")
        trace.flush()
        for key, policy, page, sizes, paper in ROWS:
            head = f"  {key:6} {policy:19} {page // 1024:2} k  {'/'.join(map(str, sizes)):13} {numbers(paper):22}"
            if policy.split(":")[0] not in described:
                print(head, "missing")
                continue
            found = [ours(sim, trace.name, policy, page, size, described) for size in sizes]
            print(head, f"{numbers([all_of_it for all_of_it, _ in found]):22} {numbers([own for _, own in found])}")


if __name__ == "__main__":
    main()
