# SPDX-License-Identifier: GPL-2.0
"""Policies, schemes, prefetchers, flash profiles and their parameters, from the simulator's descriptor tables."""
from __future__ import annotations

import json
from typing import Any, Iterator, Mapping

from . import _library
from ._words import meant, own, text_of


#: What True and False are in the text of a plug-in.
SWITCH = {True: "on", False: "off"}


class Spec:
    """A plug-in with parameters, such as ``cflru:window=30``."""

    def __init__(self, name: str, params: Mapping[str, Any]) -> None:
        self.name = name
        self.params = dict(params)

    def __str__(self) -> str:
        values = {key: own(value) for key, value in self.params.items()}
        params = ",".join(f"{key}={SWITCH[value] if isinstance(value, bool) else text_of(value)}" for key, value in values.items())
        return f"{self.name}:{params}" if params else self.name

    def __repr__(self) -> str:
        return f"<{self}>"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def _range(tunable: Mapping[str, Any]) -> str:
    if "words" in tunable:
        return ", ".join(tunable["words"])
    unit = f" {tunable['unit']}" if tunable.get("unit") else ""
    return f"{tunable['min']} to {tunable['max']}{unit}"


def _tunable_doc(tunable: Mapping[str, Any]) -> str:
    return f"    {tunable['name']}: {tunable['doc']} ({_range(tunable)}; default {tunable['default']})"


class Plugin:
    """A plug-in. Call it with parameters: ``replacement.cflru(window=30)``. True and False stand for on and off."""

    def __init__(self, info: Mapping[str, Any], tunables: "list[Mapping[str, Any]]") -> None:
        self.name: str = info["name"]
        self.info = info
        self.tunables = {tunable["name"]: tunable for tunable in tunables}
        params = "\n".join(_tunable_doc(tunable) for tunable in tunables)
        self.__doc__ = f"{info['doc']}\n\nSource: {info['source']}" + (f"\n\nParameters:\n{params}" if params else "")

    def __call__(self, **params: Any) -> Spec:
        for name in params:
            if name not in self.tunables:
                known = ", ".join(self.tunables) or "none"
                raise TypeError(f"{self.name}: no parameter {name!r}; there are: {known}{meant(name, self.tunables)}")
        return Spec(self.name, params)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self.name}: {self.info['doc']}>"


class Plugins(Mapping[str, Plugin]):
    """All plug-ins of a kind, by name; also as attributes, with underscores in place of dashes."""

    def __init__(self, plugins: "list[Plugin]") -> None:
        self._plugins = {plugin.name: plugin for plugin in plugins}

    def __getitem__(self, name: str) -> Plugin:
        return self._plugins[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)

    def __getattr__(self, name: str) -> Plugin:
        # A copy is asked for methods before it has its plug-ins.
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._plugins[name.replace("_", "-")]
        except KeyError:
            raise AttributeError(f"no plug-in {name!r}; there are: {', '.join(self)}{meant(name, self)}") from None

    def __dir__(self) -> "list[str]":
        return [*super().__dir__(), *(name.replace("-", "_") for name in self)]


_tables: "dict[str, Any]" = json.loads(_library.output(_library.DESCRIBE, []))


def _plugins(kind: str) -> Plugins:
    return Plugins([Plugin(info, info["tunables"]) for info in _tables[kind]])


replacement = _plugins("replacement")
admission = _plugins("admission")
prefetch = _plugins("prefetch")
#: Profiles of flash devices.
flash = Plugins([Plugin(info, _tables["flash"]["tunables"]) for info in _tables["flash"]["profiles"]])
#: Tunables of the cache itself, by name.
tunables: "dict[str, Mapping[str, Any]]" = {tunable["name"]: tunable for tunable in _tables["tunables"]}
#: Statistics of the cache, by name.
statistics: "dict[str, Mapping[str, Any]]" = {stat["name"]: stat for stat in _tables["stats"]}
