# SPDX-License-Identifier: GPL-2.0
"""Builds libssdcache-sim.so with make, and packs it with the Python files.

The library does not depend on the version of Python: one wheel serves all.
"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
USERSPACE = HERE.parent
LIBRARY = "libssdcache-sim.so"


def release() -> str:
    text = (USERSPACE / "../dm-ssdcache/version.h").read_text()
    numbers = re.findall(r"^#define SSDC_VERSION_[MP]\w*\t(\d+)$", text, re.MULTILINE)
    return ".".join(numbers)


class Build(build_py):
    def run(self) -> None:
        super().run()
        build = USERSPACE / "build" / "python"
        jobs = str(len(os.sched_getaffinity(0)))
        subprocess.run(
            ["make", "-s", "-C", str(USERSPACE), "-j", jobs, f"BUILD={build}", "CFLAGS=-O3 -flto=auto -fPIC", "library"],
            check=True,
        )
        # An editable installation uses the source directory.
        target = HERE / "ssdcache" if self.editable_mode else pathlib.Path(self.build_lib) / "ssdcache"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "lib" / LIBRARY, target / LIBRARY)


class Wheel(bdist_wheel):
    def get_tag(self) -> "tuple[str, str, str]":
        return "py3", "none", super().get_tag()[2]


class NoSource(sdist):
    def run(self) -> None:
        raise SystemExit("no source distribution: the library is built from the whole tree; build a wheel (python -m build --wheel)")


class Binary(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(version=release(), cmdclass={"build_py": Build, "bdist_wheel": Wheel, "sdist": NoSource}, distclass=Binary)
