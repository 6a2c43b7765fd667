# SPDX-License-Identifier: GPL-2.0
"""The command ssdcache-sim, from the library of this package: its sweeps go on with rows that the package has made."""
import sys

from . import _library
from .messages import reason


def main() -> int:
    """The command. Returns its exit code."""
    try:
        return _library.program(sys.argv[1:])
    except (MemoryError, OSError) as error:
        print(f"ssdcache-sim: {reason(error)}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
