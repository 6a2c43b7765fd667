# SPDX-License-Identifier: GPL-2.0
"""The option --version of the package's commands."""
from __future__ import annotations

import argparse
from typing import Any


class _Version(argparse.Action):
    """Prints the command and the release, and ends it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version  # pylint: disable=import-outside-toplevel # most runs do not need it

        print(parser.prog, version("ssdcache"))
        parser.exit()


def add_version(parser: argparse.ArgumentParser) -> None:
    """The option, for the parser of a command."""
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
