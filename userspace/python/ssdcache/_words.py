# SPDX-License-Identifier: GPL-2.0
"""Keyword arguments as words of a command line."""
from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Mapping, Union

Value = Union[str, int, float, bool, None, Any]
FileName = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def own(value: Any) -> Value:
    """A value of numpy, which may be an array without dimensions, as Python's own."""
    if type(value).__module__ != "numpy" or getattr(value, "ndim", None) != 0:
        return value
    # As float32 prints it: 0.1, not 0.10000000149011612.
    return float(str(value)) if value.dtype.kind == "f" else value.item()


def text_of(value: Value) -> str:
    """A value as a command line has it. The simulator reads exponents in some options only, and no fraction of a whole number."""
    value = own(value)
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, float) and math.isfinite(value):
        return f"{int(value)}" if value.is_integer() else f"{Decimal(repr(value)):f}"
    return f"{value}"


def word(name: str, value: Value) -> str:
    return f"--{name}={text_of(value)}"


def plural(number: int) -> str:
    """The end of a noun after a number: "1 request", "2 requests"."""
    return "" if number == 1 else "s"


def utf8(text: str) -> str:
    """A text with names of files, of which some bytes may be no character, to be printed or written."""
    return text.encode(errors="replace").decode()


def skipped_text(lines: int) -> str:
    """What a page says of --skip-bad."""
    return f"{lines:,} bad line{plural(lines)} {'was' if lines == 1 else 'were'} skipped (--skip-bad)."


def meant(word: str, words: Iterable[str]) -> str:
    """The end of a message that refuses a word: which of the words was probably meant."""
    near = difflib.get_close_matches(word, list(words), 1)
    return f": did you mean '{near[0]}'?" if near else ""


def wrong(name: str, value: object, accepted: str) -> TypeError:
    """The error for an argument of a wrong type. Several packages have a DataFrame."""
    package = type(value).__module__.partition(".")[0]
    kind = type(value).__name__ if package == "builtins" else f"{package}.{type(value).__name__}"
    return TypeError(f"{name}: expected {accepted}, not {'None' if value is None else kind}")


def file_name(name: str, value: object, accepted: str = "the name of a file") -> str:
    """An argument that names a file."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise wrong(name, value, accepted)
    return os.fsdecode(value)


def option_name(name: str) -> str:
    """Options have dashes, the cache's tunables have underscores."""
    from .plugins import tunables

    return name if name in tunables else name.replace("_", "-")


#: Options of which a sweep takes several values, besides the tunables.
SWEPT = ("dram", "page", "replacement", "admission", "prefetch", "flash", "shards", "depth")


def _values(name: str, value: Value, swept: bool) -> Iterable[Value]:
    from .plugins import tunables

    value = own(value)
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        return [value]
    value = [own(one) for one in value]
    if name != "plugin" and not swept:
        raise TypeError(f"{name}: one value, not a list; sweep() takes lists")
    if name != "plugin" and name not in SWEPT and name not in tunables:
        guess = meant(name, [*SWEPT, *tunables])
        raise TypeError(f"{name}: one value, not a list; a sweep varies {', '.join(SWEPT)} and the tunables{guess}")
    if not value and name != "plugin":
        raise TypeError(f"{name}: the list is empty")
    for one in value:
        if one is None or isinstance(one, bool):
            raise TypeError(f"{name}: {one} in a list is not a value")
    return value


def words_of(options: Mapping[str, Value], *, swept: bool = False) -> list[str]:
    """``{"dram": "1m", "fold": True}`` -> ``["--dram=1m", "--fold"]``. False and None leave an option out. ``swept``: lists are
    values of a sweep."""
    words = []
    for name, value in options.items():
        for one in _values(name, value, swept):
            if one is True:
                words.append(f"--{option_name(name)}")
            elif one is not None and one is not False:
                words.append(word(option_name(name), one))
    return words
