# SPDX-License-Identifier: GPL-2.0
"""All commands say which release they are of."""
import pathlib
import re

import pytest

import ssdcache
from ssdcache import cells_page, cluster, report, serve

TREE = pathlib.Path(__file__).resolve().parents[3]
RELEASE = ".".join(re.findall(r"define SSDC_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", (TREE / "dm-ssdcache/version.h").read_text()))


@pytest.mark.parametrize("command, name", [(cells_page, "page"), (cluster, "cluster"), (report, "report"), (serve, "serve")])
def test_version(command, name, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out == f"ssdcache-{name} {RELEASE}\n"


def test_version_of_the_package():
    assert ssdcache.__version__ == RELEASE
    assert "__version__" in dir(ssdcache)
