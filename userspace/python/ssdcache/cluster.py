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
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Sequence

from . import _library, cells_page, files
from ._library import SimulatorError
from ._words import plural
from .cells import RESULTS
from .interrupts import ended_in_order
from .journal import Journal
from .messages import reason, warnings_as_lines
from .trace import Trace
from .version import add_version

#: Cells on their way for each thread of the cluster: one runs, the others wait at the worker.
AHEAD = 3
MAX_WORKERS = 4096
#: For the HTTP servers that Dask always starts, by default for all the world.
LOOPBACK = "127.0.0.1:0"
SCHEDULER_ENDED = "the scheduler has ended; the same command goes on"
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
    jobs: Optional[int]
    options: "list[str]"
    values: "list[list[str]]"

    @classmethod
    def of(cls, words: Sequence[str]) -> "Plan":
        """``words``: those after "ssdcache-sim sweep"."""
        # str.splitlines() also splits at characters that JSON strings may hold, such as U+2028.
        lines = _library.output(_library.CELLS, words).decode().rstrip("\n").split("\n")
        if not lines[0].startswith("{"):
            raise PrintedText("\n".join(lines))
        head = json.loads(lines[0])
        cells = [json.loads(line) for line in lines[1:]]
        return cls(head["code"], head["load"], head["traces"], head["axes"], head["output"], head["plot"], head["jobs"],
                   [cell["options"] for cell in cells], [cell["values"] for cell in cells])


class PrintedText(Exception):
    """The command line asks for a text, such as --help."""


class OtherBuild(Exception):
    """A worker has another build of simulator or plug-ins."""

    def __init__(self, address: str, build: str) -> None:
        super().__init__(address, build)
        self.address, self.build = address, build


@dataclass(frozen=True)
class Code:
    """The build that all workers must have. ``probe``: a command line that loads the plug-ins."""

    id: str
    probe: "tuple[str, ...]"


# On the workers.


def build_of(words: Sequence[str]) -> str:
    """The build of simulator and plug-ins that a worker has."""
    return Plan.of(words).code


#: The build of this worker, by probe.
_builds: "dict[tuple[str, ...], str]" = {}


def check_build(code: Code) -> None:
    """Raises OtherBuild."""
    from distributed import get_worker

    # A plug-in may have been built again since an earlier sweep.
    if _builds.get(code.probe) != code.id:
        _builds[code.probe] = build_of(code.probe)
    if _builds[code.probe] != code.id:
        raise OtherBuild(get_worker().address, _builds[code.probe])


class Loaded(Trace):
    """A trace, and what the simulator has said of its files: the client says that, as what a worker prints may be seen by nobody."""

    said: "list[str]"


def load(words: Sequence[str], names: Sequence[str], code: Code) -> Loaded:
    check_build(code)
    said: "list[str]" = []
    trace = Loaded.from_words(words, names, said)
    trace.said = said
    return trace


def facts_of(trace: Loaded) -> "tuple[str, list[str]]":
    """The workload, and what was said of its files."""
    return str(trace.workload), trace.said


@dataclass
class Outcome:
    """Of a cell: its row, or why it failed."""

    row: bytes = b""
    failure: str = ""
    warnings: "list[str]" = field(default_factory=list)


def run_cell(trace: Trace, options: str, code: Code) -> Outcome:
    """A sweep of one cell."""
    check_build(code)
    out = os.memfd_create("ssdcache-out")
    err = os.memfd_create("ssdcache-err")
    try:
        with tempfile.TemporaryDirectory(prefix="ssdcache-") as scratch:
            words = [f"--output={scratch}", "--jobs=1", *shlex.split(options), "--", *trace.names]
            _library.start(_library.SWEEP, words, trace.records, len(trace), trace.sectors, out, err, loaded=trace.loaded)
            said, failed = _library.messages(_library.contents(out))
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
    """On standard error: a line that is redrawn on a terminal that can, otherwise a line for each tenth of the work."""

    def __init__(self, cells: int) -> None:
        self.cells, self.before, self.ended, self.failed = cells, 0, 0, 0
        self.start_s, self.tenths = time.monotonic(), 0
        self.terminal = sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb")

    def show(self) -> None:
        tenths = self.ended * 10 // max(self.cells, 1)
        if not self.terminal and tenths == self.tenths:
            return
        self.tenths = tenths
        spent_s = time.monotonic() - self.start_s
        left_s = spent_s / max(self.ended - self.before, 1) * (self.cells - self.ended)
        text = f"{self.ended} of {self.cells} cell{plural(self.cells)}, {spent_s:.0f} s, {left_s:.0f} s left"
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
        self.client, self.plan, self.each = client, plan, each
        self.code = Code(plan.code, (*shlex.split(plan.options[0]), "--", *plan.traces))
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
        from distributed.comm.core import CommClosedError

        self._check_builds()
        with Journal(self.plan.output, self.plan.code) as journal:
            for work in self.works:
                work.workload = journal.workload_of(work.names, self.plan.load)
            there = len(journal.rows)
            try:
                self._run(journal)
            # A future may be cancelled after its status was looked at.
            except (CommClosedError, CancelledError):
                raise SimulatorError(SCHEDULER_ENDED) from None
            finally:
                new = len(journal.rows) - there
                # Files of the same requests are one workload, with the name of the first.
                workloads: "dict[str, str]" = {}
                for work in self.works:
                    workloads.setdefault(work.workload or work.names[0], work.names[0])
                cells = [(workload, options) for workload in workloads for options in self.plan.options]
                done = sum(cell in journal.rows for cell in cells)
                values = [[name, *row] if self.each else row for name in workloads.values() for row in self.plan.values]
                journal.write_table(["trace", *self.plan.axes] if self.each else self.plan.axes, list(zip(cells, values)))
                before = f", {done - new} of them from before" if done > new else ""
                others = journal.others(cells)
                kept = f"; cells.jsonl keeps {others} row{plural(others)} of other cells" if others else ""
                self.progress.say(f"{done} of {len(cells)} cell{plural(len(cells))} in {self.plan.output}/cells.csv{before}{kept}")
            return done == len(cells) and not self.progress.failed

    def _check_builds(self) -> None:
        self._wait_for_a_worker()
        for address, build in self.client.run(build_of, self.code.probe, on_error="return").items():
            if isinstance(build, BaseException):
                raise SimulatorError(f"the worker {address} cannot run cells: {type(build).__name__}: {build}")
            if build != self.plan.code:
                raise SimulatorError(f"the worker {address} has another build of the simulator: {build}, not {self.plan.code}")

    def _wait_for_a_worker(self) -> None:
        if not self.client.nthreads():
            self.progress.say(f"waiting for a worker of {self.client.scheduler.address}")
        self.client.wait_for_workers(1)

    def _retire(self, other: OtherBuild) -> None:
        """End a worker that has joined later, of another build. What was sent there runs elsewhere."""
        if other.address in self.client.nthreads():
            self.progress.say(f"the worker {other.address} has another build of the simulator: {other.build}, not {self.plan.code}; "
                              "it is ended")
            self.client.retire_workers([other.address], close_workers=True)
            self._wait_for_a_worker()

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
            if future.status == "cancelled":
                raise SimulatorError(SCHEDULER_ENDED)
            error = future.exception()
            if isinstance(error, OtherBuild):
                self._retire(error)
                self._again(work, options, waiting)
            elif options is None:
                self._loaded(journal, work, future)
            else:
                self._cell_ended(journal, work, options, future)
            # What the cluster keeps for a future, it keeps as long as there is one.
            future.release()
            self._fill(ended, waiting)
            self.progress.show()

    def _again(self, work: Work, options: Optional[str], waiting: "deque[Work]") -> None:
        if options is not None:
            self._ready.appendleft((work, options))
        else:
            self._forget(work)
            waiting.appendleft(work)

    def _fill(self, ended: Any, waiting: "deque[Work]") -> None:
        """Send cells, and have traces read: those whose cells run, and one more for each worker."""
        self._look()
        while len(self._jobs) < AHEAD * self._threads:
            if self._ready:
                work, options = self._ready.popleft()
                future = self.client.submit(run_cell, work.trace, options, self.code, pure=False)
                self._jobs[future] = work, options
            elif waiting and self._held <= self._workers:
                work = waiting.popleft()
                self._held += 1
                work.trace = self.client.submit(load, self.plan.load, work.names, self.code, pure=False)
                future = self.client.submit(facts_of, work.trace, pure=False)
                self._jobs[future] = work, None
            else:
                return
            ended.add(future)

    def _loaded(self, journal: Journal, work: Work, future: Any) -> None:
        error = future.exception()
        if error is not None:
            # The simulator's errors name the file.
            named = any(str(error).startswith(name) for name in work.names)
            self._failed(len(self.plan.options), str(error) if named else f"{', '.join(work.names)}: {error}")
            self._forget(work)
            return
        (work.workload, said), work.read = future.result(), True
        for text in said:
            self.progress.say(text if len(self.works) == 1 else f"{work.names[0]}: {text}")
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
    plan = Plan.of(list(words))
    refuse_jobs(plan)
    refuse_inputs(plan)
    if plan.plot is not None:
        raise SimulatorError("--plot: make the page of cells.csv, with ssdcache-page")
    return Sweep(client, plan, each=each).run()


def refuse_inputs(plan: Plan) -> None:
    """Raises InputLost if the sweep would write to a file that it reads, or its page to one of both kinds."""
    results = [os.path.join(plan.output, name) for name in RESULTS]
    files.refuse_inputs("--output", results, plan.traces)
    if plan.plot is not None:
        files.refuse_inputs("--plot", [plan.plot], [*plan.traces, *results])


def refuse_jobs(plan: Plan) -> None:
    if plan.jobs is not None:
        raise SimulatorError("--jobs: the workers have as many cells at a time as they have threads")


def _client(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> Any:
    """A client that ends with ``stack``."""
    import dask
    from distributed import Client, LocalCluster

    # A worker may be busy for minutes while it forks cells or reads a trace.
    dask.config.set({"distributed.comm.timeouts.connect": "60s", "distributed.comm.timeouts.tcp": "120s"})
    # What matters of the errors of connections, the sweep says.
    for handler in logging.getLogger("distributed").handlers:
        handler.setLevel(logging.CRITICAL)
    if arguments.workers is not None:
        cluster = stack.enter_context(LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=LOOPBACK,
                                                   worker_dashboard_address=LOOPBACK, silence_logs=logging.CRITICAL))
        return stack.enter_context(Client(cluster))
    if arguments.scheduler_file:
        return stack.enter_context(Client(scheduler_file=arguments.scheduler_file))
    try:
        return stack.enter_context(Client(arguments.scheduler))
    except ValueError as error:
        raise SimulatorError(f"--scheduler: {arguments.scheduler}: {error}") from None


def _workers(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MAX_WORKERS}")
    return int(text)


def _address(text: str) -> str:
    # Without an address, Dask would start a cluster of its own.
    if not text:
        raise argparse.ArgumentTypeError("no address")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ssdcache-cluster", allow_abbrev=False, usage="%(prog)s [OPTION]... sweep WORD...",
        description="Runs 'ssdcache-sim sweep WORD...' on the workers of a Dask cluster. The results are those of a local sweep, in the "
        "same files; either goes on where the other has ended, if both are of this package. Workers need this package, and the traces "
        "under the same names.",
    )
    add_version(parser)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--scheduler", metavar="ADDRESS", type=_address, help="of the cluster, such as tcp://host:8786")
    where.add_argument("--scheduler-file", metavar="FILE", type=_address, help="that 'dask scheduler --scheduler-file' has written")
    where.add_argument("--workers", metavar="N", type=_workers, help="start N workers on this machine, of one thread each")
    parser.add_argument("--each", action="store_true", help="run each trace by itself, instead of all merged into one workload")
    parser.add_argument("verb", choices=["sweep"], help=argparse.SUPPRESS)
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="WORD", help="as of ssdcache-sim sweep")
    return parser


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command. Returns its exit code: 0 done, 1 cells failed or the sweep was interrupted, 2 wrong command line."""
    words = list(sys.argv[1:] if words is None else words)
    arguments = _parser().parse_args(words)
    with warnings_as_lines("ssdcache-cluster"):
        return _run(words, arguments)


def _run(words: "list[str]", arguments: argparse.Namespace) -> int:
    try:
        plan = Plan.of(arguments.words)
        refuse_jobs(plan)
        refuse_inputs(plan)
    except PrintedText as text:
        print(text)
        return 0
    except (SimulatorError, files.InputLost) as error:
        print(f"ssdcache-cluster: {error}", file=sys.stderr)
        return 2
    if plan.plot is not None and cells_page.check(plan.plot, plan.output):
        return 2
    try:
        with ended_in_order(), contextlib.ExitStack() as stack:
            whole = Sweep(_client(arguments, stack), plan, each=arguments.each).run()
    except ModuleNotFoundError as error:
        print(f"ssdcache-cluster: {error}: pip install distributed", file=sys.stderr)
        return 1
    except (ImportError, MemoryError, OSError, SimulatorError, CancelledError) as error:
        print(f"ssdcache-cluster: {reason(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ssdcache-cluster: interrupted; the same command goes on", file=sys.stderr)
        return 1
    if plan.plot is not None:
        command = shlex.join(["ssdcache-cluster", *words])
        return max(cells_page.main([os.path.join(plan.output, "cells.csv"), "-o", plan.plot, "--command", command]), not whole)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
