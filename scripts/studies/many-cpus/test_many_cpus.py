# SPDX-License-Identifier: GPL-2.0
"""Tests of the study of many CPUs: what traces say, the model, and the page that is committed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import many_cpus_data as data
import many_cpus_model as model
import many_cpus_page as page

TREE = Path(__file__).parents[3]


def line(pid, time, event, rest, task="fio"):
    return f"  {task}-{pid}  [000] d..1. {time}: {event}: ({event}+0x0/0x20) {rest}\n"


def take(pid, time, lock, caller, event="_raw_spin_lock_irq", **more):
    return line(pid, time, event, f"lock={lock} caller={caller}", **more)


def give(pid, time, lock, event="_raw_spin_unlock_irq", **more):
    return line(pid, time, event, f"lock={lock}", **more)


OURS = "dmsc_map_bio+0x10/0x20 [dm_ssdcache]"


def test_holds_are_without_the_probes_in_them():
    lines = [take(1, 1000, "0xb", "foo+0x1/0x2"), give(1, 1500, "0xb"),       # the shortest: a probe costs 500
             take(1, 2000, "0xa", OURS), take(1, 2600, "0xb", "foo+0x1/0x2"), give(1, 3100, "0xb"), give(1, 3800, "0xa"),
             take(2, 5000, "0xa", OURS), give(2, 5700, "0xa")]
    lock, = data.locks_of(lines, 2)
    # 1800 less three probes, and 700 less one; the lock of the kernel's own code does not count.
    assert lock == {"callers": ["dm_ssdcache: dmsc_map_bio"], "takes": 1.0, "instructions": 250, "serial": True}


def test_a_hold_is_as_long_as_its_thread_runs():
    switch = "  fio-1  [000] d..2. 1300: sched_switch: prev_comm=fio prev_pid=1 ==> next_comm=fio next_pid=2\n"
    back = "  fio-2  [000] d..2. 9300: sched_switch: prev_comm=fio prev_pid=2 ==> next_comm=fio next_pid=1\n"
    lines = [take(1, 1000, "0xa", OURS, "mutex_lock"), switch, back, give(1, 9900, "0xa", "mutex_unlock"),
             take(2, 20000, "0xa", OURS, "mutex_lock"), give(2, 20100, "0xa", "mutex_unlock")]
    lock, = data.locks_of(lines, 1)
    assert lock["instructions"] == (300 + 600 - 2 * 100) + 0


def test_locks_of_one_thread_and_of_other_modules_do_not_count():
    lines = [take(1, 1000, "0xa", OURS), give(1, 1100, "0xa"),
             take(1, 2000, "0xc", "p9_x+0x1/0x2 [9pnet]"), give(1, 2100, "0xc"),
             take(2, 3000, "0xc", "p9_x+0x1/0x2 [9pnet]"), give(2, 3100, "0xc")]
    assert data.locks_of(lines, 1) == []


@pytest.mark.parametrize("taker, giver, serial", [("down_read", "up_read", False), ("_raw_read_lock", "_raw_read_unlock", False),
                                                  ("down_write", "up_write", True), ("_raw_write_lock", "_raw_write_unlock", True)])
def test_readers_are_not_serial(taker, giver, serial):
    lines = [line for pid in (1, 2) for line in (take(pid, pid * 1000, "0xa", "x+0x1/0x2 [cas_cache]", taker),
                                                 give(pid, pid * 1000 + 50, "0xa", giver))]
    assert [lock["serial"] for lock in data.locks_of(lines, 2)] == [serial]


def wait(pid, time, *frames):
    return [f"  fio-{pid}  [001] d..1. {time:.6f}: wait: (native_queued_spin_lock_slowpath+0x0/0x2) lock=0xa\n",
            f"  fio-{pid}  [001] d..1. {time:.6f}: <stack trace>\n", *(f" => {frame}\n" for frame in frames)]


def waited(pid, time):
    return [f"  fio-{pid}  [001] d..1. {time:.6f}: waited: (_raw_spin_lock+0x1/0x2 <- native_queued_spin_lock_slowpath)\n"]


def test_waits_have_the_function_that_wants_the_lock():
    lines = [*wait(1, 1.0, "native_queued_spin_lock_slowpath", "_raw_spin_lock_irq", "dmsc_map_bio", "submit_bio"),
             "  fio-1  [001] d..1. 1.000000: contention_begin: 00000000aa (flags=SPIN)\n",
             "  fio-1  [001] d..1. 1.000002: contention_end: 00000000aa (ret=0)\n", *waited(1, 1.000003),
             "  fio-2  [000] d..1. 2.000000: contention_begin: 00000000bb (flags=MUTEX)\n",
             "  fio-2  [000] d..1. 2.000000: <stack trace>\n", " => trace_event_raw_event_contention_begin\n",
             " => __mutex_lock.constprop.0\n", " => writecache_map\n", " => submit_bio_noacct_nocheck\n",
             "  fio-2  [000] d..1. 2.000001: contention_end: 00000000bb (ret=0)\n",
             # While fio starts; and an interrupt of the guest's file system during a request.
             *wait(1, 3.0, "_raw_spin_lock", "do_wait"), *waited(1, 3.5),
             *wait(1, 4.0, "_raw_spin_lock_irqsave", "req_done", "vring_interrupt", "submit_bio"), *waited(1, 4.5)]
    assert data.waits_of(lines, 1000) == {"waits": 2.0, "wait_ns": 4, "by": [["dmsc_map_bio", 0.75], ["writecache_map", 0.25]]}


def test_waits_of_open_cas_in_its_thread_count():
    lines = [*wait(1, 1.0, "_raw_spin_lock", "ocf_queue_run", "_cas_io_queue_thread", "kthread"), *waited(1, 1.000001)]
    assert data.waits_of(lines, 1000)["by"] == [["ocf_queue_run", 1.0]]


def test_what_is_not_measured_is_as_before(tmp_path):
    before = {"a": {"cost": 1, "locks": [], "contention": {"1x1": {}}}, "b": {"cost": 2, "locks": [], "contention": {}}}
    (tmp_path / "locks.tsv").write_text("a\t5\t1\ttrace\nc\t6\t1\ttrace\n", encoding="utf-8")
    (tmp_path / "trace").write_text("", encoding="utf-8")
    assert data.collect(tmp_path, before) == {"a": {**before["a"], "cost": 5}, "b": before["b"], "c": {"cost": 6, "locks": []}}
    with pytest.raises(FileNotFoundError):
        data.collect(tmp_path)


def test_a_lock_of_each_cpu_is_not_serial_and_one_of_its_thread_is():
    lines = [line for caller, lock in (("cas_rpool_try_get", "0xa"), ("alru_set_hot", "0xb"))
             for line in (take(1, 1000, lock, f"{caller}+0x1/0x2 [cas_cache]", task="cas_io_1_0"), give(1, 1050, lock, task="cas_io_1_0"))]
    assert {lock["callers"][0]: (lock["serial"], "per_cpu" in lock) for lock in data.locks_of(lines, 1)} == {
        "cas_cache: cas_rpool_try_get": (False, True), "cas_cache: alru_set_hot": (True, False)}


def test_two_jobs_are_compared_round_by_round():
    rows = [(str(number), "hits", device, str(jobs), str(speed * factor * jobs ** power))
            for number, factor in ((0, 100), (1, 50), (2, 10)) for device, speed, power in (("linear-hits", 2, 1), ("ssdcache-hits", 1, 0))
            for jobs in (1, 2)]
    medians = data.two_jobs(rows)
    assert medians["hits", "linear-hits"] == (100, 200, 2, 1, 1, 1)
    assert medians["hits", "ssdcache-hits"] == (50, 50, 1, 0.5, 0.5, 0.5)


def test_the_interval_of_a_median_is_narrower_than_its_values():
    low, high = data.interval([90, *[99, 100, 101] * 8, 110])
    assert 99 <= low <= 100 <= high <= 101


def test_the_model_of_one_cpu_is_the_measurement():
    assert model.Design(4000, [(500, 2)]).throughput(1) == pytest.approx(model.RATE / 4000)


def test_the_model_never_exceeds_its_bounds_and_comes_near_them():
    design = model.Design(4000, [(500, 2), (100, 1)])
    for cpus in model.CPUS[1:]:
        most = min(cpus / (design.rest() + sum(design.demands(100))), design.bound(100))
        assert most * 0.6 < design.throughput(cpus, 100) <= most * 1.000001
    assert design.throughput(128, 100) == pytest.approx(design.bound(100), rel=1e-3)
    assert design.bound(0) == pytest.approx(model.RATE / 500)


def test_shards_divide_the_demand_of_a_lock():
    one, four = model.Design(4000, [(500, 2)]), model.Design(4000, [(500, 2)], shards=4)
    assert four.bound() == pytest.approx(4 * one.bound())
    assert four.saturates_at() > 3 * one.saturates_at()
    assert four.throughput(1) == pytest.approx(one.throughput(1))


def test_without_locks_nothing_saturates():
    design = model.Design(4000, [])
    assert design.bound() is None and design.saturates_at() is None
    assert design.throughput(64) == pytest.approx(64 * model.RATE / 4000)


@pytest.mark.parametrize("instructions, words", [(420, "below one shard"), (402, "like one shard"), (400, "like one shard"), (398, "like one shard"),
                                                 (380, "above one shard")])
def test_a_peer_whose_figure_reads_as_that_of_a_shard_is_neither_above_nor_below(instructions, words):
    """A lock of 400 instructions and no takes: 5.0 million requests per second."""
    stacks = {"ssdcache lru": 400, "dm-cache smq writeback": instructions}
    found = {label: {"cost": 4000, "locks": [{"instructions": stacks.get(label, 0), "takes": 0, "serial": label in stacks}]}
             for _, label, _ in page.DESIGNS}
    assert f"dm-cache at {page.in_millions(model.RATE / instructions)}, {words}" in page.ranking(found)


def test_the_page_says_whether_open_cas_was_measured():
    without = {label: stack for label, stack in page.read(TREE / page.DATA).items() if label != page.OPTIONAL}
    locks = {**without, page.OPTIONAL: {"cost": 20000, "locks": without["ssdcache lru"]["locks"]}}
    waits = {**without, page.OPTIONAL: {**locks[page.OPTIONAL], "contention": without["ssdcache lru"]["contention"]}}
    for measured, rows, texts in ((without, 0, (page.SKIPPED,)), (locks, 3, (page.NO_WAITS,)), (waits, 5, ())):
        text = page.page(measured, data.read_tsv(TREE / page.TWO_JOBS))
        assert len([line for line in text.splitlines() if line.startswith("| Open CAS")]) == rows
        assert [said for said in (page.SKIPPED, page.NO_WAITS) if said in text] == list(texts)


def test_the_page_is_what_the_data_say():
    written = page.page(page.read(TREE / page.DATA), data.read_tsv(TREE / page.TWO_JOBS))
    assert written == (TREE / page.PAGE).read_text(encoding="utf-8"), \
        "scripts/studies/many-cpus.sh --page writes it again"
