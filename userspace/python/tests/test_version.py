# SPDX-License-Identifier: GPL-2.0
"""All commands say which release they are of."""
import pathlib
import re

import pytest

from ssdcache import cells_page, cluster, report, serve

TREE = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("command, name", [(cells_page, "page"), (cluster, "cluster"), (report, "report"), (serve, "serve")])
def test_version(command, name, capsys):
    release = ".".join(re.findall(r"define SSDC_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", (TREE / "dm-ssdcache/version.h").read_text()))
    with pytest.raises(SystemExit) as ended:
        command.main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out == f"ssdcache-{name} {release}\n"
