# SPDX-License-Identifier: GPL-2.0
"""Jobs of libssdcache-sim: each runs in a process forked from this one."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import resource
import signal
import sys
import sysconfig
import warnings
from typing import Any, Optional, Sequence

import cffi

LOAD, RUN, SWEEP, DESCRIBE, CELLS, PROGRAM = range(6)

#: Of <linux/prctl.h>.
PR_SET_PDEATHSIG = 1

#: Exit code of a sweep of which some cells failed.
SOME_FAILED = 3

_ffi = cffi.FFI()
_ffi.cdef(
    """
    int ssdcache_sim_start(int job, int argc, char **argv, const void *records, size_t nr, uint64_t sectors,
                           const char *loaded, int out, int err, int *pid);
    int prctl(int option, ...);
    """
)
# Plug-ins loaded by --plugin need the library's symbols.
_lib = _ffi.dlopen(str(pathlib.Path(__file__).parent / "libssdcache-sim.so"), _ffi.RTLD_NOW | _ffi.RTLD_GLOBAL)


# A program inherits an ignored SIGCHLD from its parent. The kernel then reaps children itself, and their exit codes are lost. Python sets
# signals in the main thread only; elsewhere, the first wait reports the problem.
if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


class SimulatorError(Exception):
    """The simulator failed, or refused a trace or an option. The text is the simulator's message."""


def contents(fd: int) -> bytes:
    """All of a file in memory. pread() takes as much memory as it may read."""
    parts = []
    at = 0
    while part := os.pread(fd, min(os.fstat(fd).st_size - at, 1 << 30), at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _message(err: int) -> str:
    text = contents(err).decode(errors="replace").strip()
    return "\n".join(plain(line) for line in text.split("\n"))


def plain(line: str) -> str:
    """A message without the name of the program."""
    return line[len("ssdcache-sim: "):] if line.startswith("ssdcache-sim: ") else line


def messages(lines: bytes) -> "tuple[list[str], list[tuple[str, str]]]":
    """What the cells of a sweep have said: warnings, and the options of the cells that failed with the reasons."""
    said, failed = [], []
    # str.splitlines() also splits at characters that JSON strings may hold, such as U+2028.
    for line in lines.decode().split("\n")[:-1]:
        message = json.loads(line)
        if "warning" in message:
            said.append(plain(message["warning"]))
        else:
            reason = " ".join(plain(part) for part in message["reason"].splitlines())
            failed.append((message["failed"], reason))
    return said, failed


def _wait(pid: int) -> int:
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        raise SimulatorError("the simulator's exit code is lost: this program ignores SIGCHLD, or waits for any process; "
                             "signal.signal(signal.SIGCHLD, signal.SIG_DFL) ends the first") from None
    return os.waitstatus_to_exitcode(status)


def _end(pid: int) -> None:
    """End a process that may have been waited for. The first two interruptions do not stop the wait, the third one kills."""
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGKILL):
        try:
            if os.waitpid(pid, os.WNOHANG) == (0, 0):
                os.kill(pid, number)
                os.waitpid(pid, 0)
            return
        except ChildProcessError:
            return
        except KeyboardInterrupt:
            continue


def start(
    job: int,
    words: Sequence[str],
    records: Any,
    nr: int,
    sectors: int,
    out: int,
    err: int,
    *,
    loaded: Optional[str] = None,
    own_err: bool = True,
) -> int:
    """Run a job and return its exit code, 0 or SOME_FAILED. Raises SimulatorError if the job fails; a signal that ends the wait
    ends the job, too.

    ``records`` is a buffer; ``out`` and ``err`` are file descriptors. ``own_err``: ``err`` is a file of the caller, which has the
    text of the error; otherwise the user has seen the text.
    """
    for word in words:
        if "\0" in word:
            raise ValueError(f"{word!r}: embedded null byte")
    texts = [_ffi.new("char[]", os.fsencode(word)) for word in ("ssdcache-sim", *words)]
    argv = _ffi.new("char *[]", texts + [_ffi.NULL])
    data = _ffi.from_buffer(records) if nr else _ffi.NULL
    options = _ffi.NULL if loaded is None else _ffi.new("char[]", os.fsencode(loaded))
    pid = _ffi.new("int *")
    # The library sets pid before Python sees a signal.
    try:
        error = _lib.ssdcache_sim_start(job, len(texts), argv, data, nr, sectors, options, out, err, pid)
        if error:
            raise OSError(-error, os.strerror(-error))
        code = _wait(pid[0])
    except BaseException:
        if pid[0]:
            _end(pid[0])
        raise
    if code < 0:
        raise SimulatorError(f"the simulator was ended by {signal.Signals(-code).name}")
    if code and code != SOME_FAILED:
        raise SimulatorError((_message(err) if own_err else "") or f"exit code {code}")
    return code


def _warn(text: str) -> None:
    """A warning about the line of the user's that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def call(job: int, words: Sequence[str], records: Any = None, nr: int = 0, sectors: int = 0, loaded: Optional[str] = None,
         said: "Optional[list[str]]" = None) -> int:
    """Run a job. Returns a file in memory with the output, to be closed. ``said``: gets the simulator's warnings, which otherwise are
    warnings in Python."""
    out = os.memfd_create("ssdcache-out")
    err = os.memfd_create("ssdcache-err")
    try:
        start(job, words, records, nr, sectors, out, err, loaded=loaded)
        for line in filter(None, _message(err).split("\n")):
            if said is None:
                _warn(line)
            else:
                said.append(line)
    except BaseException:
        os.close(out)
        raise
    finally:
        os.close(err)
    return out


def output(job: int, words: Sequence[str], records: Any = None, nr: int = 0, sectors: int = 0, loaded: Optional[str] = None) -> bytes:
    """Run a job. Returns the output."""
    out = call(job, words, records, nr, sectors, loaded)
    try:
        return contents(out)
    finally:
        os.close(out)


def _name_page_tool() -> None:
    """The program would look for ssdcache-page beside the interpreter. It is beside the command, or among the scripts of Python."""
    for folder in (os.path.dirname(sys.argv[0]), sysconfig.get_path("scripts")):
        tool = os.path.join(folder, "ssdcache-page")
        if folder and os.access(tool, os.X_OK):
            os.environ.setdefault("SSDCACHE_PAGE", tool)


def _end_by(number: int) -> None:
    """End as the simulator has ended: shells and callers say so. If there is a core, it stays that of the simulator."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # SIGKILL has no other action.
    with contextlib.suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def end_with(parent: int) -> None:
    """Have this process end with its parent, whose number is ``parent``, however that ends."""
    _ffi.dlopen(None).prctl(PR_SET_PDEATHSIG, _ffi.cast("unsigned long", int(signal.SIGKILL)))
    if os.getppid() != parent:
        sys.exit(1)


def program(words: Sequence[str]) -> int:
    """Be the program ``ssdcache-sim``: its input and output are those of this process, it gets the signals that end this process, and a
    signal that ends it ends this process, too. Returns the exit code."""
    _name_page_tool()
    texts = [_ffi.new("char[]", os.fsencode(word)) for word in ("ssdcache-sim", *words)]
    argv = _ffi.new("char *[]", texts + [_ffi.NULL])
    pid = _ffi.new("int *")
    early = []

    def forward(number: int, _: Any) -> None:
        if not pid[0]:
            early.append(number)
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid[0], number)

    # A handler, unlike SIG_IGN, is not inherited.
    for caught in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(caught) != signal.SIG_IGN:
            signal.signal(caught, forward)
    error = _lib.ssdcache_sim_start(PROGRAM, len(texts), argv, _ffi.NULL, 0, 0, _ffi.NULL, 1, 2, pid)
    if error:
        raise OSError(-error, os.strerror(-error))
    for number in early:
        forward(number, None)
    code = _wait(pid[0])
    if code < 0:
        _end_by(-code)
    return code if code >= 0 else 128 - code
