# SPDX-License-Identifier: GPL-2.0
"""ssdcache-cluster: a sweep on the workers of a Dask cluster.

The client lists the cells, sends them to workers, and is the only one that writes results, into the directory that
``ssdcache-sim sweep`` uses. A trace is read by one worker; Dask keeps the requests in the workers' memory, copies them to workers that
run cells of the trace, and has them read again if a worker dies. A cell whose worker dies runs on another one.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import shlex
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Sequence

from . import _library
from ._library import SimulatorError
from .journal import Journal
from .simulate import messages
from .trace import Trace

#: Cells on their way for each thread of the cluster: one runs, the others wait at the worker.
AHEAD = 3
#: Seconds between two looks at the size of the cluster.
LOOK_S = 5


@dataclass
class Plan:
    """What the command line of a sweep means."""

    code: str
    load: "list[str]"
    traces: "list[str]"
    axes: "list[str]"
    output: str
    plot: Optional[str]
    options: "list[str]"
    values: "list[list[str]]"

    @classmethod
    def of(cls, words: Sequence[str]) -> "Plan":
        """``words``: those after "ssdcache-sim sweep"."""
        lines = _library.output(_library.CELLS, words).decode().splitlines()
        if not lines or not lines[0].startswith("{"):
            raise PrintedText("\n".join(lines))
        head = json.loads(lines[0])
        cells = [json.loads(line) for line in lines[1:]]
        return cls(head["code"], head["load"], head["traces"], head["axes"], head["output"], head["plot"],
                   [cell["options"] for cell in cells], [cell["values"] for cell in cells])


class PrintedText(Exception):
    """The command line asks for a text, such as --help."""


# On the workers.


def build_of(words: Sequence[str]) -> str:
    """The build of simulator and plug-ins that a worker has."""
    return Plan.of(words).code


def load(words: Sequence[str], names: Sequence[str]) -> Trace:
    return Trace.from_words(words, names)


def workload_of(trace: Trace) -> str:
    return str(trace.workload)


@dataclass
class Outcome:
    """Of a cell: its row, or why it failed."""

    row: bytes = b""
    failure: str = ""
    warnings: "list[str]" = field(default_factory=list)


def run_cell(trace: Trace, options: str) -> Outcome:
    """A sweep of one cell."""
    out = os.memfd_create("ssdcache-out")
    err = os.memfd_create("ssdcache-err")
    try:
        with tempfile.TemporaryDirectory(prefix="ssdcache-") as scratch:
            words = [f"--output={scratch}", "--jobs=1", *shlex.split(options), "--", *trace.names]
            _library.start(_library.SWEEP, words, trace.records, len(trace), trace.sectors, out, err, loaded=trace.loaded)
            said, failed = messages(_library.contents(out))
            if failed:
                return Outcome(failure=failed[0][1], warnings=said)
            with open(os.path.join(scratch, "cells.jsonl"), "rb") as file:
                return Outcome(row=file.read().rstrip(b"\n"), warnings=said)
    except SimulatorError as error:
        return Outcome(failure=str(error))
    finally:
        os.close(err)
        os.close(out)


# On the client.


@dataclass(eq=False)
class Work:
    """A workload: ``left`` cells of it are not done. Until the trace is ``read``, ``workload`` is that of earlier rows of the files."""

    names: "list[str]"
    trace: Any = None
    workload: str = ""
    left: int = 0
    read: bool = False


class Progress:
    """On standard error: a bar on a terminal, otherwise a line for each tenth of the work."""

    def __init__(self, cells: int) -> None:
        self.cells, self.before, self.ended, self.failed = cells, 0, 0, 0
        self.start_s, self.tenths, self.terminal = time.monotonic(), 0, sys.stderr.isatty()

    def show(self) -> None:
        tenths = self.ended * 10 // max(self.cells, 1)
        if not self.terminal and tenths == self.tenths:
            return
        self.tenths = tenths
        spent_s = time.monotonic() - self.start_s
        left_s = spent_s / max(self.ended - self.before, 1) * (self.cells - self.ended)
        text = f"{self.ended} of {self.cells} cells, {spent_s:.0f} s, {left_s:.0f} s left"
        if self.failed:
            text += f", {self.failed} failed"
        self.say(text if not self.terminal else "", text)

    def say(self, line: str, after: str = "") -> None:
        """A line; ``after`` stays on a terminal until the next call."""
        clear = "\r\033[K" if self.terminal else ""
        print(clear + (f"ssdcache-cluster: {line}\n" if line else "") + (after if self.terminal else ""), end="", file=sys.stderr,
              flush=True)


class Sweep:
    """A sweep on a cluster. ``each``: each trace is a workload of its own; otherwise all traces are merged into one."""

    def __init__(self, client: Any, plan: Plan, *, each: bool = False) -> None:
        self.client, self.plan = client, plan
        names = [[name] for name in dict.fromkeys(plan.traces)] if each else [plan.traces]
        self.works = [Work(one) for one in names]
        self.progress = Progress(len(self.works) * len(plan.options))
        self._said: set[str] = set()
        self._jobs: dict[Any, tuple[Work, Optional[str]]] = {}
        self._ready: deque[tuple[Work, str]] = deque()
        self._held = 0
        self._looked_s = 0.0
        self._threads = self._workers = 1

    def run(self) -> bool:
        """Returns whether all cells are done. What is done is kept, however the sweep ends."""
        self._check_builds()
        with Journal(self.plan.output, self.plan.code) as journal:
            for work in self.works:
                work.workload = journal.workload_of(work.names, self.plan.load)
            there = len(journal.rows)
            try:
                self._run(journal)
            finally:
                new = len(journal.rows) - there
                # Files of the same requests are one workload.
                workloads = list(dict.fromkeys(work.workload or work.names[0] for work in self.works))
                cells = [(workload, options) for workload in workloads for options in self.plan.options]
                done = sum(cell in journal.rows for cell in cells)
                journal.write_table(self.plan.axes, list(zip(cells, self.plan.values * len(workloads))))
                before = f", {done - new} of them from before" if done > new else ""
                self.progress.say(f"{done} of {len(cells)} cells in {self.plan.output}/cells.csv{before}")
            return done == len(cells) and not self.progress.failed

    def _check_builds(self) -> None:
        self.client.wait_for_workers(1)
        one_cell = [*shlex.split(self.plan.options[0]), "--", *self.plan.traces]
        for address, build in self.client.run(build_of, one_cell).items():
            if build != self.plan.code:
                raise SimulatorError(f"the worker {address} has another build of the simulator: {build}, not {self.plan.code}")

    def _look(self) -> None:
        now_s = time.monotonic()
        if now_s < self._looked_s + LOOK_S and self._looked_s:
            return
        self._looked_s = now_s
        threads = self.client.nthreads().values()
        self._workers, self._threads = max(len(threads), 1), max(sum(threads), 1)

    def _run(self, journal: Journal) -> None:
        from distributed import as_completed

        ended = as_completed()
        waiting = deque(self.works)
        self._fill(ended, waiting)
        for future in ended:
            work, options = self._jobs.pop(future)
            if options is None:
                self._loaded(journal, work, future)
            else:
                self._cell_ended(journal, work, options, future)
            # What the cluster keeps for a future, it keeps as long as there is one.
            future.release()
            self._fill(ended, waiting)
            self.progress.show()

    def _fill(self, ended: Any, waiting: "deque[Work]") -> None:
        """Send cells, and have traces read: those whose cells run, and one more for each worker."""
        self._look()
        while len(self._jobs) < AHEAD * self._threads:
            if self._ready:
                work, options = self._ready.popleft()
                future = self.client.submit(run_cell, work.trace, options, pure=False)
                self._jobs[future] = work, options
            elif waiting and self._held <= self._workers:
                work = waiting.popleft()
                self._held += 1
                work.trace = self.client.submit(load, self.plan.load, work.names, pure=False)
                future = self.client.submit(workload_of, work.trace, pure=False)
                self._jobs[future] = work, None
            else:
                return
            ended.add(future)

    def _loaded(self, journal: Journal, work: Work, future: Any) -> None:
        error = future.exception()
        if error is not None:
            self._failed(len(self.plan.options), f"{', '.join(work.names)}: {error}")
            self._forget(work)
            return
        work.workload, work.read = future.result(), True
        same = next((other for other in self.works if other.read and other is not work and other.workload == work.workload), None)
        if same is not None:
            self.progress.cells -= len(self.plan.options)
            self.progress.say(f"{', '.join(work.names)}: the same requests as {', '.join(same.names)}")
            self._forget(work)
            return
        cells = [options for options in self.plan.options if (work.workload, options) not in journal.rows]
        self.progress.before += len(self.plan.options) - len(cells)
        self.progress.ended += len(self.plan.options) - len(cells)
        work.left = len(cells)
        if not cells:
            self._forget(work)
        self._ready.extend((work, options) for options in cells)

    def _cell_ended(self, journal: Journal, work: Work, options: str, future: Any) -> None:
        error = future.exception()
        outcome = Outcome(failure=f"{type(error).__name__}: {error}") if error is not None else future.result()
        for text in outcome.warnings:
            if text not in self._said:
                self.progress.say(text)
                self._said.add(text)
        if outcome.failure:
            self._failed(1, f"a cell failed: {', '.join(work.names)}: {options}: {outcome.failure}")
        else:
            journal.add(outcome.row)
            self.progress.ended += 1
        work.left -= 1
        if not work.left:
            self._forget(work)

    def _forget(self, work: Work) -> None:
        """The cluster frees the requests."""
        work.trace = None
        self._held -= 1

    def _failed(self, cells: int, text: str) -> None:
        self.progress.ended += cells
        self.progress.failed += cells
        self.progress.say(text)


def sweep(client: Any, words: Iterable[str], *, each: bool = False) -> bool:
    """Run the sweep ``ssdcache-sim sweep WORDS`` on the cluster of a ``distributed.Client``. Returns whether all cells are done; the
    results are in the directory that the words name."""
    return Sweep(client, Plan.of(list(words)), each=each).run()


def _client(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> Any:
    """A client that ends with ``stack``."""
    import dask
    from distributed import Client, LocalCluster

    # A worker may be busy for minutes while it forks cells or reads a trace.
    dask.config.set({"distributed.comm.timeouts.connect": "60s", "distributed.comm.timeouts.tcp": "120s"})
    if arguments.workers:
        cluster = stack.enter_context(LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None,
                                                   silence_logs=logging.CRITICAL))
        return stack.enter_context(Client(cluster))
    if arguments.scheduler_file:
        return stack.enter_context(Client(scheduler_file=arguments.scheduler_file))
    return stack.enter_context(Client(arguments.scheduler))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ssdcache-cluster", allow_abbrev=False, usage="%(prog)s [OPTION]... sweep WORD...",
        description="Runs 'ssdcache-sim sweep WORD...' on the workers of a Dask cluster. The results are those of a local sweep, in the "
        "same files; either goes on where the other has ended, if both are of this package. Workers need this package, and the traces "
        "under the same names.",
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--scheduler", metavar="ADDRESS", help="of the cluster, such as tcp://host:8786")
    where.add_argument("--scheduler-file", metavar="FILE", help="that 'dask scheduler --scheduler-file' has written")
    where.add_argument("--workers", metavar="N", type=int, help="start N workers on this machine, of one thread each")
    parser.add_argument("--each", action="store_true", help="run each trace by itself, instead of all merged into one workload")
    parser.add_argument("verb", choices=["sweep"], help=argparse.SUPPRESS)
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="WORD", help="as of ssdcache-sim sweep")
    return parser


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command. Returns its exit code: 0 done, 1 cells failed or the sweep was interrupted, 2 wrong command line."""
    words = list(sys.argv[1:] if words is None else words)
    arguments = _parser().parse_args(words)
    try:
        plan = Plan.of(arguments.words)
    except PrintedText as text:
        print(text)
        return 0
    except SimulatorError as error:
        print(f"ssdcache-cluster: {error}", file=sys.stderr)
        return 2
    try:
        with contextlib.ExitStack() as stack:
            whole = Sweep(_client(arguments, stack), plan, each=arguments.each).run()
    except (ImportError, OSError, SimulatorError) as error:
        print(f"ssdcache-cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ssdcache-cluster: interrupted; the same command goes on", file=sys.stderr)
        return 1
    if plan.plot:
        from . import cells_page

        command = shlex.join(["ssdcache-cluster", *words])
        return max(cells_page.main([os.path.join(plan.output, "cells.csv"), "-o", plan.plot, "--command", command]), not whole)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
