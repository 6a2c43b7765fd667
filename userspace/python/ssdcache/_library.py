# SPDX-License-Identifier: GPL-2.0
"""Jobs of libssdcache-sim: each runs in a process forked from this one."""
from __future__ import annotations

import os
import pathlib
import signal
import stat
from typing import Any, Sequence

import cffi

LOAD, RUN, SWEEP, DESCRIBE = range(4)

_ffi = cffi.FFI()
_ffi.cdef(
    """
    int ssdcache_sim_start(int job, int argc, char **argv, const void *records, size_t nr, uint64_t sectors,
                           int out, int err);
    """
)
# Plug-ins loaded by --plugin need the library's symbols.
_lib = _ffi.dlopen(str(pathlib.Path(__file__).parent / "libssdcache-sim.so"), _ffi.RTLD_NOW | _ffi.RTLD_GLOBAL)


class SimulatorError(Exception):
    """The simulator failed, or refused a trace or an option. The text is the simulator's message."""


def _contents(fd: int) -> bytes:
    parts = []
    at = 0
    while part := os.pread(fd, 1 << 30, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _message(err: int) -> str:
    if not stat.S_ISREG(os.fstat(err).st_mode):
        return ""
    text = _contents(err).decode(errors="replace").strip()
    return "\n".join(line[len("ssdcache-sim: "):] if line.startswith("ssdcache-sim: ") else line for line in text.split("\n"))


def start(
    job: int, words: Sequence[str], records: Any, nr: int, sectors: int, out: int, err: int
) -> None:
    """Run a job. Raises SimulatorError if the job fails; a signal that ends the wait ends the job, too.

    ``records`` is a buffer; ``out`` and ``err`` are file descriptors. The text of the error is what is in ``err``, if that is a
    file; otherwise the user has seen it.
    """
    texts = [_ffi.new("char[]", os.fsencode(word)) for word in ("ssdcache-sim", *words)]
    argv = _ffi.new("char *[]", texts + [_ffi.NULL])
    data = _ffi.from_buffer(records) if nr else _ffi.NULL
    pid = _lib.ssdcache_sim_start(job, len(texts), argv, data, nr, sectors, out, err)
    if pid < 0:
        raise OSError(-pid, os.strerror(-pid))
    try:
        _, status = os.waitpid(pid, 0)
    except BaseException:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
        raise
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        raise SimulatorError(f"the simulator was ended by {signal.Signals(-code).name}")
    if code:
        raise SimulatorError(_message(err) or f"exit code {code}")


def call(job: int, words: Sequence[str], records: Any = None, nr: int = 0, sectors: int = 0) -> int:
    """Run a job. Returns a file in memory with the output, to be closed."""
    out = os.memfd_create("ssdcache-out")
    err = os.memfd_create("ssdcache-err")
    try:
        start(job, words, records, nr, sectors, out, err)
    except BaseException:
        os.close(out)
        raise
    finally:
        os.close(err)
    return out


def output(job: int, words: Sequence[str], records: Any = None, nr: int = 0, sectors: int = 0) -> bytes:
    """Run a job. Returns the output."""
    out = call(job, words, records, nr, sectors)
    try:
        return _contents(out)
    finally:
        os.close(out)
