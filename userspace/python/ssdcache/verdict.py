# SPDX-License-Identifier: GPL-2.0
"""The answer of a report: for each goal the best policies, the least DRAM within 5 % of the best, and the knee, as "ssdcache-sim advise"
finds them; corrected by whole runs that are better than what a search of a part has found."""
from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

from .cells import METRICS, Cell, Metric, figure_text, size_name, size_word, time_text, value_of
from .messages import ending

#: By the name of the goal: what it is called, and the figure of the rows of a sweep that says the same. There is none for the responses of
#: reads and writes together, and an advice adds to the bytes written what garbage collection still owes.
GOALS = {
    "reads": ("fast reads", "read-mean"),
    "writes": ("fast writes", "write-mean"),
    "p99": ("few slow requests", None),
    "flash-writes": ("few flash writes", None),
}
#: Figures of an advice are in ns and bytes.
FIGURES = {
    "reads": Metric("reads", "mean read latency", "µs"),
    "writes": Metric("writes", "mean write latency", "µs"),
    "p99": Metric("p99", "99th percentile of latency of all requests, FLUSHes included", "µs"),
    "flash-writes": Metric("flash-writes", "written to flash", "MiB"),
}
SCALES = {"flash-writes": 2.0**20}
#: Whole runs must be so many times as good to correct a search.
BETTER = 1.01
#: As in ssdcache-sim/advise-verdict.c: more DRAM must gain more than this, and shorter differences are none.
WORTH = 1.05
LEAST_US = 1.0
#: The figures of a rival that have the unit of a goal's.
RIVALS = {"reads": "read_mean_ns", "writes": "write_mean_ns"}
NAMES = ("replacement", "admission", "prefetch")


def figure_of(goal: str, value: float) -> str:
    """A figure with its unit."""
    return time_text(value) if FIGURES[goal].unit == "µs" else f"{figure_text(value)} {FIGURES[goal].unit}"


@dataclass
class Choice:
    """What is best for a goal with a size of DRAM. ``value`` is in the unit of the goal's figure."""

    goal: str
    dram_bytes: int
    value: float
    names: "dict[str, str]"
    trust: str
    lru: Optional[float] = None
    rival: "Optional[dict[str, str]]" = None
    rival_value: Optional[float] = None

    @property
    def text(self) -> str:
        """A figure with its unit."""
        return figure_of(self.goal, self.value)

    @property
    def policies(self) -> str:
        return policies_of(self.names)


def policies_of(names: "Mapping[str, str]") -> str:
    """``lru, read-write``"""
    return ", ".join(names[name] for name in NAMES if names.get(name, "none") != "none")


@dataclass
class Verdict:
    """The answer for a goal. ``choices``: the best of each size. ``knee``: the size from which on more DRAM gains least. ``chance``: the drive
    is aged, so figures depend on its state."""

    goal: str
    choices: "list[Choice]"
    least: int
    knee: Optional[int]
    create: str
    chance: bool = False

    def at(self, size: int) -> Choice:
        return next(choice for choice in self.choices if choice.dram_bytes == size)

    @property
    def answers(self) -> "list[Choice]":
        """What is worth a thought: the choice at the knee, and the one with the least DRAM within 5 % of the best."""
        return [self.at(size) for size in dict.fromkeys(size for size in (self.knee, self.least) if size)]

    def command(self, choice: Choice) -> str:
        """Makes a cache of the choice."""
        command = _with_word(self.create, "dram", size_word(choice.dram_bytes))
        for name in NAMES:
            command = _with_word(command, name, choice.names[name])
        return command

    @property
    def best(self) -> Choice:
        return min(self.choices, key=lambda choice: choice.value)


class SearchFailed(Exception):
    """The simulator has said why, unless a signal has ended it. ``code``: for the command to end with."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


class OptionsWrong(Exception):
    """Options of the command line."""


#: The command ssdcache-sim, which ends with the process of the first word: a search goes on for hours.
SEARCH = "import sys; from ssdcache import _library, program; _library.end_with(int(sys.argv.pop(1))); sys.exit(program.main())"


def _output_of(search: "subprocess.Popen[Any]") -> "tuple[Any, Any]":
    """Wait for a search, and look for signals once a second: Python handles a signal that came just before a read when that has ended, which
    would be the end of the search."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return search.communicate(timeout=1)


def _run(words: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
    """Run an advice. Raises SearchFailed if a signal ends it."""
    with subprocess.Popen([sys.executable, "-c", SEARCH, str(os.getpid()), "advise", *words], **options) as search:
        try:
            out, err = _output_of(search)
        except BaseException:
            search.kill()
            raise
    done = subprocess.CompletedProcess(search.args, search.returncode, out, err)
    if done.returncode < 0:
        # Why, perhaps. What was not kept has been said already.
        if done.stderr:
            print(done.stderr.rstrip("\n"), file=sys.stderr)
        raise SearchFailed(f"ssdcache-sim advise {words[0]}: {ending(done.returncode)}", 1)
    return done


def ask(goal: str, words: Sequence[str], traces: Sequence[str], *, quiet: bool = False) -> "dict[str, Any]":
    """The advice of the simulator. ``quiet``: without remarks, which a search of the same traces has made. Raises SearchFailed."""
    done = _run([f"--goal={goal}", "--json", *(["--quiet"] if quiet else []), *words, "--", *traces], stdout=subprocess.PIPE)
    if done.returncode:
        raise SearchFailed(f"the search for {GOALS[goal][0]} has failed", done.returncode)
    advice: "dict[str, Any]" = json.loads(done.stdout)
    return advice


def check(words: Sequence[str], traces: Sequence[str]) -> None:
    """Are these options of an advice? Reads no trace. Raises OptionsWrong with the reason, or SearchFailed."""
    done = _run(["--check", *words, "--", *traces], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        raise OptionsWrong(done.stderr.strip().rpartition("\n")[2].replace("ssdcache-sim: ", "", 1))


def _in_unit(goal: str, value: float) -> float:
    """Of an advice, in the unit of the goal's figure. Times are whole nanoseconds, as in the rows of sweeps: else the same run might be
    rounded in two ways."""
    return value / SCALES[goal] if goal in SCALES else math.floor(value) / 1e3


def lru_of(goal: str, size: int, words: Sequence[str], traces: Sequence[str]) -> float:
    """The figure of lru, and the defaults of all else. Raises SearchFailed."""
    advice = ask(goal, [*words, f"--dram={size}", "--replacement=lru", "--admission=write-buffer", "--prefetch=none"], traces,
                 quiet=True)
    (choice,) = advice["choices"]
    return _in_unit(goal, choice["value"])


def _choice(goal: str, found: "Mapping[str, Any]") -> Choice:
    rival = found.get("rival")
    lru = found.get("lru")
    return Choice(goal, found["dram_bytes"], _in_unit(goal, found["value"]), {name: found[name] for name in (*NAMES, "page")}, found["trust"],
                  None if lru is None else _in_unit(goal, lru), rival and {name: rival[name] for name in NAMES},
                  _in_unit(goal, rival[RIVALS[goal]]) if rival and goal in RIVALS else None)


def verdict_of(advice: "Mapping[str, Any]") -> Verdict:
    """What an advice says."""
    goal, said = advice["goal"], advice["advice"]
    choices = [_choice(goal, found) for found in advice["choices"] if found]
    return Verdict(goal, choices, said["choice"]["dram_bytes"], said["knee_dram_bytes"], said["create"],
                   advice["device"]["state_is_chance"])


def _trust(value: float, other: float, chance: bool) -> str:
    """How sure a choice is by runs with one state of the drive; the search has compared several states where these are ``chance``."""
    return "sure" if _apart(value, other) > BETTER and not chance else "close"


def _correct_choice(choice: Choice, runs: "Mapping[tuple[str, ...], float]", chance: bool) -> bool:
    """Take the best of ``runs``, which are figures of names, if it is better. Returns whether it is."""
    own = tuple(choice.names[name] for name in NAMES)
    figures = [*runs.items(), (own, choice.value)]
    if choice.rival and choice.rival_value is not None:
        figures.append((tuple(choice.rival[name] for name in NAMES), choice.rival_value))
    best: "dict[tuple[str, ...], float]" = {}
    for names, value in figures:
        best[names] = min(value, best.get(names, value))
    # In an order that is not that of the rows.
    ranked = sorted(best, key=lambda names: (best[names], names))
    value = best[ranked[0]]
    if choice.value <= value * BETTER:
        return False
    choice.names = {**choice.names, **dict(zip(NAMES, ranked[0]))}
    choice.value, choice.trust, choice.rival, choice.rival_value = value, "alone", None, None
    if len(ranked) > 1:
        choice.rival, choice.rival_value = dict(zip(NAMES, ranked[1])), best[ranked[1]]
        choice.trust = _trust(value, choice.rival_value, chance)
    return True


def _compare_choice(choice: Choice, runs: "Mapping[tuple[str, ...], float]", chance: bool) -> None:
    """Runs that the search did not make whole may be nearer to a choice that stays than its rival is, or be all that there is to compare with.
    As in the search, a run that is as good as the choice takes no rival's place."""
    own = tuple(choice.names[name] for name in NAMES)
    others = sorted((value, names) for names, value in runs.items() if names != own)
    if choice.trust == "alone":
        choice.trust = _trust(choice.value, others[0][0], chance) if others else "alone"
    elif choice.rival_value is None:
        return
    else:
        behind = choice.rival_value
        others = [(value, names) for value, names in others if value < behind and _apart(choice.value, value) > BETTER]
    if others:
        choice.rival_value, choice.rival = others[0][0], dict(zip(NAMES, others[0][1]))


def _apart(smaller: float, larger: float) -> float:
    """How many times as long a time is as another one."""
    return (larger + LEAST_US) / (smaller + LEAST_US)


def _knee(choices: "Sequence[Choice]") -> Optional[int]:
    """The size from which on more DRAM gains least: where the curve, by the logarithm of the size, is farthest below the line between its
    ends."""
    first, last = choices[0], choices[-1]
    if len(choices) < 3 or _apart(last.value, first.value) < WORTH:
        return None
    width = math.log(last.dram_bytes / first.dram_bytes)

    def below(choice: Choice) -> float:
        return first.value + (last.value - first.value) * math.log(choice.dram_bytes / first.dram_bytes) / width - choice.value

    knee = max(choices[1:-1], key=below)
    return knee.dram_bytes if below(knee) > 0 else None


def correct(verdict: Verdict, cells: "Sequence[Cell]") -> None:
    """Take the better ones of ``cells``, which were run whole, and the figures of lru. Then find the sizes anew, by the rules of the search."""
    key = GOALS[verdict.goal][1]
    if key is None:
        return
    runs: "dict[int, dict[tuple[str, ...], float]]" = {}
    for cell in cells:
        value = METRICS[key].value(cell.row)
        if value is not None and value_of(cell, "replacement") != "opt":
            runs.setdefault(int(cell.row["config.dram_bytes"]), {})[tuple(value_of(cell, name) for name in NAMES)] = value
    changed = False
    for choice in verdict.choices:
        found = runs.get(choice.dram_bytes, {})
        choice.lru = found.get(("lru", "write-buffer", "none"), choice.lru)
        if _correct_choice(choice, found, verdict.chance):
            changed = True
        else:
            _compare_choice(choice, found, verdict.chance)
    if changed:
        best = verdict.best.value
        verdict.choices.sort(key=lambda choice: choice.dram_bytes)
        verdict.least = next(choice.dram_bytes for choice in verdict.choices if _apart(best, choice.value) <= WORTH)
        verdict.knee = _knee(verdict.choices)


def _with_word(command: str, name: str, value: str) -> str:
    words = command.split()
    option = f"--{name}"
    if option in words:
        at = words.index(option)
        words[at:at + 2] = [option, value] if value != "none" else []
    elif value != "none":
        words += [option, value]
    return " ".join(words)


#: What choices are compared with.
REFERENCE = {"replacement": "lru", "admission": "write-buffer", "prefetch": "none"}


def times(choice: Choice) -> str:
    """How a choice compares with lru and the defaults of all else; empty: it is that, or the figure is missing. If a choice
    differs in more than the replacement policy, the text names the scheme of lru, too: the gain may be that of the choice's scheme."""
    others = [name for name, value in REFERENCE.items() if choice.names.get(name, value) != value]
    if choice.lru is None or not others:
        return ""
    lru = "lru" if others == ["replacement"] else policies_of(REFERENCE)
    if choice.value <= 0:
        return f"{lru}: the same" if choice.lru <= 0 else f"{lru}: {figure_of(choice.goal, choice.lru)}"
    ratio = choice.lru / choice.value
    if ratio < 1.05:
        return f"{lru}: about the same" if ratio > 1 / 1.05 else f"{lru}: {figure_of(choice.goal, choice.lru)}"
    return f"{ratio:.1f} times better than {lru}" if ratio < 100 else f"{ratio:,.0f} times better than {lru}"


def _phrase(choice: Choice, where: str) -> str:
    compared = times(choice)
    return f"{choice.policies} {where}: {choice.text}{f' ({compared})' if compared else ''}"


def sentence(verdict: Verdict) -> str:
    """The answer in words."""
    size = size_name(verdict.least)
    parts = [] if verdict.knee in (None, verdict.least) else [
        _phrase(verdict.at(verdict.knee or 0), f"at the knee of {size_name(verdict.knee or 0)} of DRAM")]
    parts.append(_phrase(verdict.at(verdict.least), f"with {size}, the least DRAM within 5 % of the best" if parts else
                         f"with {size} of DRAM, {'the knee and ' if verdict.knee else ''}the least within 5 % of the best"))
    return f"{GOALS[verdict.goal][0].capitalize()}: {'; '.join(parts)}."
