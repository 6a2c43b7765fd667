# SPDX-License-Identifier: GPL-2.0
"""
Plan the replays of a capture: print MiB of the device, the DRAM sizes of the series and of the exact comparison, a prefetcher, and the
sizes of the replays. Sizes follow from the footprint of the capture, so that some are too small for it and some are not.
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
    middle = power_of_two(info["footprint_bytes"]["all"] / 5)
    sizes = [middle // 2, middle, 2 * middle]
    print(-(-info["span_bytes"] // MIB), size_word(middle), size_word(MIB), PREFETCHERS[REAL_PREFETCHER], *map(size_word, sizes))


if __name__ == "__main__":
    main()
