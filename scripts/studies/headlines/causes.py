# SPDX-License-Identifier: GPL-2.0
"""
Why headlines differ. A cause has a number, the headlines that it may apply to, and experiments: comparisons of cells.csv that
isolate it. The page prints a cause's number only beside headlines that differ.
"""

from dataclasses import dataclass

from plan import BOTH_CLOSED, MAIN


@dataclass(frozen=True)
class Experiment:
    """Changes of @metrics between the policies of each of @pairs, over the cells of a paper in @kinds."""
    paper: str
    pairs: tuple
    metrics: tuple = ("response",)
    kinds: tuple = MAIN
    only: str = ""


@dataclass(frozen=True)
class Cause:
    """@kind: implementation, stand-in, metric or trace; @headlines: ids, or what ids begin with."""
    number: int
    kind: str
    title: str
    headlines: tuple
    text: str
    experiments: tuple


CAUSES = ()


def applies(cause, claim):
    return any(claim.id == key or claim.id.startswith(key + "/") for key in cause.headlines)
