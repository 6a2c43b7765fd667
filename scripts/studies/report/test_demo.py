# SPDX-License-Identifier: GPL-2.0
"""What the demo's page says of the policies that count differently in the kernel and in the simulator."""
import sys
from pathlib import Path

import pytest

import ssdcache

sys.path.insert(0, str(Path(__file__).parent))
demo = pytest.importorskip("demo")


def found(**counters):
    """As from different_decisions()."""
    return {(name.replace("_", "-"), "write-buffer", "1m"): names for name, names in counters.items()}


def test_all_the_same():
    text, wrong = demo.agreement(found(lru=[], fifo=[]))
    assert text == "2 of 2 policies count the same in the kernel and in the simulator."
    assert not wrong


def test_policies_that_look_at_the_flash_are_named_with_the_reason():
    text, wrong = demo.agreement(found(lru=[], vs_batch_plus=["evictions"], mq_ssd=["read_hits"], co_active=["early_flushes"]))
    assert text.startswith("1 of 4 policies count the same")
    assert text.endswith("3 decide by time or by the state of the flash, and computing takes time in the kernel only: co-active flushes pages while "
                         "their chip is idle, mq-ssd keeps pages that are written twice within a second and vs-batch-plus evicts as many pages at "
                         "once as channels are idle.")
    assert not wrong


def test_others_are_a_defect():
    text, wrong = demo.agreement(found(lru=["evictions"], co_active=["early_flushes"], fifo=[]))
    assert text.startswith("1 of 3 policies count the same") and "lru" not in text
    assert wrong == ["lru"]
    assert "lru" in demo.defect(wrong) and "defect" in demo.defect(wrong)


def test_reasons_are_of_policies():
    assert set(demo.TIMED) <= set(ssdcache.replacement)
