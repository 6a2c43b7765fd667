# SPDX-License-Identifier: GPL-2.0
"""
Metadata of the policies, in KiB, beside the figures of [Sha23] Table 4 and [Lin22] Fig. 12.

The papers count different things. [Sha23] counts the whole record of a page for LRU, Co-Active and VS-Batch, but only the existing
blocks for VBBMS and BPLRU. [Lin22] counts one list node per page (LRU) or per existing block. "Ours, as it counts" follows the
paper: everything allocated, or the links of a list, or the blocks at the end of a run, averaged over the traces. "Ours, allocated"
is everything, with one block per page, the worst case. The policy's instance is left out.

usage: metadata.py SSDCACHE-SIM TRACE...
"""

import json
import subprocess
import sys

MIB = 1 << 20
LIMIT = 100000      # requests of a trace
LINKS = 8           # bytes per page on a list
ALL = ()

# id, policy, page, cache sizes, the paper's figure for each, and what counts: everything (ALL), the links of a list (LINKS), or
# the blocks that these statistics show
ROWS = [
    ("sha23-20", "lru", 8192, (32, 64, 128), (224, 448, 896), ALL),
    ("sha23-21", "vbbms:profile=sha23", 8192, (32, 64, 128), (62, 124, 248), ("random_blocks", "sequential_blocks")),
    ("sha23-22", "bplru:block=256", 8192, (32, 64, 128), (0.9, 1.8, 3.5), ("blocks",)),
    ("sha23-23", "co-active", 8192, (32, 64, 128), (228, 456, 912), ALL),
    ("sha23-24", "vs-batch", 8192, (32, 64, 128), (356, 712, 1424), ALL),
    ("sha23-24", "vs-batch-plus", 8192, (32, 64, 128), (356, 712, 1424), ALL),
    ("lin22-14", "req-block", 4096, (16, 32, 64), (67.6, 133.6, 271.6), ("irl_blocks", "drl_blocks", "srl_blocks")),
    # Shares of the cache: 0.29, 0.32, 0.53 %.
    ("lin22-15", "lru", 4096, (16, 32, 64), tuple(0.0029 * size * 1024 for size in (16, 32, 64)), LINKS),
    ("lin22-15", "bplru:block=64", 4096, (16, 32, 64), tuple(0.0032 * size * 1024 for size in (16, 32, 64)), ("blocks",)),
    ("lin22-15", "vbbms:profile=lin22", 4096, (16, 32, 64), tuple(0.0053 * size * 1024 for size in (16, 32, 64)),
     ("random_blocks", "sequential_blocks")),
]


def run(sim, policy, page, size, trace):
    command = [sim, "--json", "--limit", str(LIMIT), "--dram", f"{size}m", "--page", str(page), "--replacement", policy, trace]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def ours(reports, block_bytes, counted):
    """(as the paper counts, allocated) in KiB; the former is None if no run evicted anything."""
    config = reports[0]["config"]
    allocated = config["metadata_bytes"] / 1024
    if counted == ALL:
        return allocated, allocated
    if counted == LINKS:
        return config["frames"] * LINKS / 1024, allocated
    blocks = [sum(report["replacement"]["stats"][name] for name in counted)
              for report in reports if report["stats"]["evictions"]]
    return (sum(blocks) / len(blocks) * block_bytes / 1024 if blocks else None), allocated


def numbers(values):
    return " / ".join("-" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}" for value in values)


def main():
    sim, traces = sys.argv[1], sys.argv[2:]
    describe = subprocess.run([sim, "--describe"], capture_output=True, check=True).stdout
    block_bytes = {plugin["name"]: plugin["page_bytes"] for plugin in json.loads(describe)["replacement"]}
    print(f"Metadata in KiB at the papers' settings, blocks as after {len(traces)} trace(s):")
    print(f"  {'id':8} {'policy':19} {'page':5} {'cache MiB':13} {'paper':22} {'ours, as it counts':22} ours, allocated")
    for key, policy, page, sizes, paper, counted in ROWS:
        # Counts that do not depend on the trace need only one.
        used = traces[:1] if counted in (ALL, LINKS) else traces
        found = [ours([run(sim, policy, page, size, trace) for trace in used], block_bytes[policy.split(":")[0]], counted)
                 for size in sizes]
        print(f"  {key:8} {policy:19} {page // 1024:2} k  {'/'.join(map(str, sizes)):13} {numbers(paper):22}"
              f" {numbers([counts for counts, _ in found]):22} {numbers([allocated for _, allocated in found])}")


if __name__ == "__main__":
    main()
