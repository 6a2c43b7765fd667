#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Verify that calls and includes only go down the floors that SOURCES/FLOORS lists.

usage: floors.py SOURCES OBJECTS

SOURCES has .c and .h files, or folders of them; OBJECTS has their objects under the same names.
SOURCES/FLOORS has one line per floor, top first: names of files without suffix, or of folders.
A file may use symbols and headers of floors further down, not of its own floor. A header need not
be listed; one that is not can be included from everywhere. Two more kinds of lines:

    # a comment
    up: CALLER -> CALLEE     an upward call or include that is allowed, and has to exist; a file of
                             a folder is named FOLDER/FILE
    call: CALLER -> CALLEE   an upward call that is allowed, and has to exist; CALLER includes no
                             header of CALLEE

Prints a line per offence. Exit status: 0 none, 1 some, 2 bad usage.
"""

import os
import re
import subprocess
import sys


class Tree:
    """The floors, sources and objects of one folder, and what is wrong with them."""

    def __init__(self, sources, objects):
        self.sources, self.objects = sources, objects
        self.list = os.path.join(sources, "FLOORS")
        self.floor, self.up, self.used, self.offences = {}, [], set(), []
        self.read_floors()
        self.files = sorted(os.path.relpath(os.path.join(folder, name), sources)
                            for folder, _, names in os.walk(sources) for name in names
                            if name.endswith((".c", ".h")))

    def offend(self, what):
        self.offences.append(f"{self.sources}: {what}")

    def read_floors(self):
        with open(self.list, encoding="utf-8") as lines:
            for nr, line in enumerate(lines):
                line = line.split("#")[0].strip()
                if line.startswith(("up:", "call:")):
                    kind, _, pair = line.partition(":")
                    caller, arrow, callee = pair.partition("->")
                    if not arrow:
                        self.offend(f"FLOORS: \"{line}\" is not {kind}: CALLER -> CALLEE")
                    self.up.append((kind, caller.strip(), callee.strip()))
                    continue
                for name in line.split():
                    if name in self.floor:
                        self.offend(f"FLOORS names {name} twice")
                    self.floor[name] = nr

    @staticmethod
    def unit(file):
        """What FLOORS names: the folder of a file, or the file without suffix."""
        return file.split("/")[0] if "/" in file else os.path.splitext(file)[0]

    def check_names(self):
        units = {self.unit(file) for file in self.files}
        for unit in sorted({self.unit(file) for file in self.files if file.endswith(".c") or "/" in file}):
            if unit not in self.floor:
                self.offend(f"{unit} is not in FLOORS")
        for name in self.floor:
            if name not in units:
                self.offend(f"FLOORS names {name}, which does not exist")

    def allowed(self, caller, callee, kinds):
        """The line of one of the @kinds that allows @caller, a file, to use @callee."""
        names = [{os.path.splitext(file)[0], self.unit(file)} for file in (caller, callee)]
        return next((line for line in self.up
                     if line[0] in kinds and line[1] in names[0] and line[2] in names[1]), None)

    def goes_down(self, caller, callee):
        caller, callee = self.unit(caller), self.unit(callee)
        if caller == callee or caller not in self.floor or callee not in self.floor:
            return True     # what is not listed has been reported, or is a header
        return self.floor[caller] < self.floor[callee]

    def symbols(self, file, *options):
        path = os.path.join(self.objects, file[:-2] + ".o")
        out = subprocess.run(["nm", "-g", *options, path], check=True, text=True, stdout=subprocess.PIPE)
        return [line.split()[-1] for line in out.stdout.splitlines() if line.split()]

    def check_calls(self):
        built = []
        for file in (file for file in self.files if file.endswith(".c")):
            path = os.path.join(self.objects, file[:-2] + ".o")
            if os.path.exists(path):
                built.append(file)
            elif os.path.isdir(os.path.dirname(path)) or "/" not in file:
                self.offend(f"{file} has no object {path}")
        if not built:
            self.offend("no file has an object")
        defined = {symbol: file for file in built for symbol in self.symbols(file, "--defined-only")}
        for caller in built:
            for symbol in self.symbols(caller, "--undefined-only"):
                callee = defined.get(symbol, caller)
                if self.goes_down(caller, callee):
                    continue
                up = self.allowed(caller, callee, ("up", "call"))
                self.used.add(up)
                if not up:
                    self.offend(f"{caller} uses {symbol} of {callee}, which is not below it")

    def check_includes(self):
        for file in self.files:
            with open(os.path.join(self.sources, file), encoding="utf-8") as text:
                headers = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text.read(), re.M)
            for header in headers:
                header = os.path.normpath(os.path.join(os.path.dirname(file), header))
                if header.startswith("..") or header not in self.files or self.goes_down(file, header):
                    continue
                up = self.allowed(file, header, ("up",))
                self.used.add(up)
                if not up:
                    self.offend(f"{file} includes {header}, which is not below it")

    def check_allowed(self):
        for line in self.up:
            if line not in self.used:
                self.offend(f"FLOORS allows {line[1]} -> {line[2]}, which no longer happens")


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    tree = Tree(sys.argv[1], sys.argv[2])
    tree.check_names()
    tree.check_calls()
    tree.check_includes()
    tree.check_allowed()
    print("\n".join(tree.offences), end="\n" if tree.offences else "")
    return 1 if tree.offences else 0


sys.exit(main())
