# SPDX-License-Identifier: GPL-2.0
"""What the package's commands say on standard error: lines that begin with the name of the command."""
from __future__ import annotations

import contextlib
import signal
import sys
import warnings
from typing import Iterator, TextIO


def reason(error: BaseException) -> str:
    """What went wrong, as a message says it: of a file, its name and why."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"no memory: {error}" if str(error) else "no memory"
    return str(error)


def ending(code: int) -> str:
    """How a program has ended that has not said why. ``code``: of :mod:`subprocess`."""
    return f"ended by signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"exit code {code}"


@contextlib.contextmanager
def warnings_as_lines(command: str) -> "Iterator[None]":
    """Warnings of the simulator are lines without the place in the code, which is none of the user's. Each is said once."""
    said: "set[str]" = set()

    def show(message: "Warning | str", category: "type[Warning]", filename: str, lineno: int, file: "TextIO | None" = None,
             line: "str | None" = None) -> None:  # pylint: disable=unused-argument,too-many-arguments,too-many-positional-arguments
        text = str(message)
        if text not in said:
            said.add(text)
            print(f"{command}: {text}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
