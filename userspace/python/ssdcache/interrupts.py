# SPDX-License-Identifier: GPL-2.0
"""Signals that ask a command to end."""
from __future__ import annotations

import contextlib
import signal
from typing import Any, Iterator


@contextlib.contextmanager
def ended_in_order() -> "Iterator[None]":
    """SIGTERM and SIGHUP are KeyboardInterrupt, once: what runs for the command is ended, and what is done is written. A signal that is
    ignored stays so."""
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]

    def end(*_: Any) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = [signal.signal(number, end) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)
