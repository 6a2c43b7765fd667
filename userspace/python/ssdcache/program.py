# SPDX-License-Identifier: GPL-2.0
"""The command ssdcache-sim, from the library of this package: its sweeps go on with rows that the package has made."""
import sys

from . import _library


def main() -> int:
    """The command. Returns its exit code."""
    return _library.program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
