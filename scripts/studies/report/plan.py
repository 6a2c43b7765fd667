# SPDX-License-Identifier: GPL-2.0
"""
Plan the replays of a capture: print MiB of the device, the DRAM sizes of the series and of the exact comparison, a prefetcher, and the
sizes of the replays. These follow from the footprint of the capture: a fifth of it, at most, and twice as much. A third size would take
the demo beyond ten minutes on a slow machine without KVM; the simulator runs the others.
"""

import sys
from pathlib import Path

from results import MIB, PREFETCHERS, REAL_PREFETCHER, load_json, size_word


def power_of_two(size):
    return 1 << max(20, round(size).bit_length() - 1)


def main():
    info = load_json(Path(sys.argv[1]))
    if not info["requests"]:
        sys.exit("plan.py: the capture is empty")
    smaller = power_of_two(info["footprint_bytes"]["all"] / 5)
    print(-(-info["span_bytes"] // MIB), size_word(smaller), size_word(MIB), PREFETCHERS[REAL_PREFETCHER], size_word(smaller),
          size_word(2 * smaller))


if __name__ == "__main__":
    main()
