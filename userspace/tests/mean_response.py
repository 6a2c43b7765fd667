# SPDX-License-Identifier: GPL-2.0
"""The mean response of a run of ssdcache-sim, for scripts that compare policies."""

import json
import subprocess
from typing import Sequence

#: Means below this, of runs in which hardly anything waits, count as this.
LEAST_NS = 1000


def mean_response(command: Sequence[str]) -> float:
    """Of reads and writes, in ns. @command: with --json."""
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    of = [json.loads(out)["latency"][name] for name in ("read", "write")]
    return max(LEAST_NS, float(sum(each["count"] * each["mean_ns"] for each in of) / sum(each["count"] for each in of)))
