# SPDX-License-Identifier: GPL-2.0
"""Keyword arguments as words of a command line."""
from __future__ import annotations

from typing import Any, Iterable, Mapping, Union

Value = Union[str, int, float, bool, None, Any]


def word(name: str, value: Value) -> str:
    return f"--{name}={value}"


def option_name(name: str) -> str:
    """Options have dashes, the cache's tunables have underscores."""
    from .plugins import tunables

    return name if name in tunables else name.replace("_", "-")


def words_of(options: Mapping[str, Value]) -> list[str]:
    """``{"dram": "1m", "fold": True}`` -> ``["--dram=1m", "--fold"]``. False and None leave an option out."""
    words = []
    for name, value in options.items():
        values: Iterable[Value] = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is True:
                words.append(f"--{option_name(name)}")
            elif one is not None and one is not False:
                words.append(word(option_name(name), one))
    return words
