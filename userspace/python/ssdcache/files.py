# SPDX-License-Identifier: GPL-2.0
"""Files that programs write for their users: nothing that is there is lost by an error or by a slip."""
from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from typing import Iterable, Iterator, Optional, TextIO, Union

Name = Union[str, "os.PathLike[str]"]


class InputLost(ValueError):
    """A file that is to be written is also read."""


@contextlib.contextmanager
def naming(name: Name) -> "Iterator[None]":
    """Errors name the file that they are about."""
    path = os.fspath(name)
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path or "''") from None


def _replaced(path: str) -> Optional[str]:
    """The regular file that a name stands for, behind symbolic links, whether it is there or not. None: something else that can be written
    to. Raises OSError."""
    if not path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode) or path.endswith("/"):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    # The first bytes of a disk are a file system or partitions.
    if stat.S_ISBLK(mode):
        raise OSError(errno.EINVAL, "Is a block device")
    if stat.S_ISSOCK(mode):
        raise OSError(errno.ENXIO, "Is a socket")
    return os.path.realpath(path) if stat.S_ISREG(mode) else None


def _create_beside(target: str) -> "tuple[int, str]":
    """A new file that may replace another one, whose permissions it has."""
    new = os.path.join(os.path.dirname(target), f".ssdcache-{secrets.token_hex(8)}.new")
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with contextlib.suppress(OSError):
        os.fchmod(fd, os.stat(target).st_mode & 0o777)
    return fd, new


@contextlib.contextmanager
def written(name: Name, *, newline: Optional[str] = None) -> "Iterator[TextIO]":
    """A text file that replaces the one of this name when it is whole; an error leaves that as it was. A symbolic link stays one: what it
    names is replaced. A device or a FIFO is written to. Raises OSError with the name."""
    path = os.fspath(name)
    with naming(path):
        target = _replaced(path)
        if target is None:
            with open(path, "w", encoding="utf-8", newline=newline) as file:
                yield file
            return
        fd, new = _create_beside(target)
        try:
            with open(fd, "w", encoding="utf-8", newline=newline) as file:
                yield file
            os.replace(new, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise


def check(name: Name) -> None:
    """Raises OSError if :func:`written` would: before the work for it is done."""
    path = os.fspath(name)
    with naming(path):
        target = _replaced(path)
        if target is not None:
            fd, new = _create_beside(target)
            os.close(fd)
            os.unlink(new)
        # Whoever reads a FIFO would take a look at it for the end of the file.
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def check_directory(name: Name) -> None:
    """Raises OSError if no files can be written in a directory, which need not be there yet."""
    path = os.fspath(name)
    with naming(path):
        if not path:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        there = os.path.abspath(path)
        while True:
            try:
                os.lstat(there)
                break
            except FileNotFoundError:
                there = os.path.dirname(there)
        if not os.path.isdir(there):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def refuse_inputs(option: str, outputs: "Iterable[Name]", inputs: "Iterable[Name]") -> None:
    """Raises InputLost if an output is the same file as an input, under whatever names. ``option``: which has named the outputs."""
    read = list(inputs)
    for output in outputs:
        for name in read:
            same = os.path.realpath(output) == os.path.realpath(name)
            with contextlib.suppress(OSError):
                same = same or os.path.samefile(output, name)
            if same:
                raise InputLost(f"{option}: {os.fspath(output)} is the same file as the input {os.fspath(name)}")
