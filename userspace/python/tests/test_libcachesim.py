# SPDX-License-Identifier: GPL-2.0
"""Hits of general policies are those of libCacheSim; some are written out here, too, which needs no package."""
import functools
import heapq
import pathlib
from collections import OrderedDict, deque

import numpy as np
import pandas as pd
import pytest

import ssdcache

TREE = pathlib.Path(__file__).resolve().parents[3]
FRAMES = (16, 100, 1000, 4000)


def real_pages():
    """The page accesses of the trace in this tree."""
    requests = ssdcache.Trace(TREE / "traces" / "demo-ext4.csv.zst").requests
    requests = requests[requests["op"].isin(["read", "write"])]
    first = requests["sector"] // 8
    last = (requests["sector"] + requests["nr_sectors"] - 1) // 8
    pages = np.concatenate([np.arange(a, b + 1) for a, b in zip(first, last)])
    return pages, np.repeat(requests["op"].astype(str).to_numpy(), last - first + 1)


def skewed_pages():
    """Zipf accesses to a set that moves, and scans, a third of them writes."""
    random = np.random.default_rng(7)
    hot = (random.zipf(1.2, 60000) % 20000 + np.arange(60000) // 10000 * 500).astype(np.uint64)
    for start in range(5000, 60000, 15000):
        hot[start:start + 2000] = np.arange(2000) + 50000 + start % 4000
    return hot, np.where(random.random(60000) < 1 / 3, "write", "read")


@functools.lru_cache(maxsize=None)
def pages_of(source):
    return source()


@pytest.fixture(scope="module", params=[real_pages, skewed_pages], ids=["demo", "skewed"])
def source(request):
    return request.param


@functools.lru_cache(maxsize=None)
def trace_of(source):
    pages, ops = pages_of(source)
    return ssdcache.Trace.from_frame(
        pd.DataFrame({"time_ns": np.arange(len(pages)) * 10**6, "op": ops, "sector": pages * 8, "nr_sectors": 8}))


@functools.lru_cache(maxsize=None)
def simulated_hits(source, policy, sizes=FRAMES):
    """For each number of frames."""
    runs = [ssdcache.simulate(trace_of(source), dram=frames * 4096, replacement=policy, admission="read-write", closed=True).stats
            for frames in sizes]
    assert all(stats["reads"] + stats["writes"] == len(pages_of(source)[0]) for stats in runs)
    return [stats["read_hits"] + stats["write_hits"] for stats in runs]


def lru(pages, frames):
    cache, hits = OrderedDict(), 0
    for page in pages:
        if page in cache:
            hits += 1
            cache.move_to_end(page)
            continue
        if len(cache) == frames:
            cache.popitem(last=False)
        cache[page] = True
    return hits


def fifo(pages, frames):
    cache, queue, hits = set(), deque(), 0
    for page in pages:
        if page in cache:
            hits += 1
            continue
        if len(cache) == frames:
            cache.remove(queue.popleft())
        cache.add(page)
        queue.append(page)
    return hits


def lfu(pages, frames):
    """Of equally frequent pages, the one that has not been used for longest leaves. A page that left has no history."""
    cache, heap, hits = {}, [], 0
    for now, page in enumerate(pages):
        times = cache[page][0] + 1 if page in cache else 1
        hits += times > 1
        if times == 1 and len(cache) == frames:
            while cache.get(heap[0][2]) != heap[0][:2]:
                heapq.heappop(heap)
            del cache[heapq.heappop(heap)[2]]
        cache[page] = (times, now)
        heapq.heappush(heap, (times, now, page))
    return hits


def lirs(pages, frames):
    """Section 3.3 of the paper: a stack of LIR pages, of the others used since the oldest of these, and of pages that have left, of which
    there are at most twice as many as frames; a queue of the other pages, the next victim first."""
    most_lir = frames - max(frames // 100, 1)
    stack, lir, queue, left, hits = OrderedDict(), OrderedDict(), OrderedDict(), OrderedDict(), 0
    for page in pages:
        hits += page in lir or page in queue
        if page not in lir and page not in queue and len(lir) + len(queue) == frames:
            victim, _ = queue.popitem(last=False)
            if victim in stack:
                left[victim] = True
        is_lir = page in lir or page in stack or len(lir) < most_lir
        for where in (stack, lir, queue, left):
            where.pop(page, None)
        stack[page] = True
        (lir if is_lir else queue)[page] = True
        if len(lir) > most_lir:
            bottom, _ = lir.popitem(last=False)
            del stack[bottom]
            queue[bottom] = True
        while next(iter(stack)) not in lir:
            left.pop(stack.popitem(last=False)[0], None)
        if len(left) > 2 * frames:
            del stack[left.popitem(last=False)[0]]
    return hits


def arc(pages, frames, one=2**32):
    """Figure 4 of the paper, with p in units of 1 / one pages."""
    once, again, left_once, left_again, p, hits = OrderedDict(), OrderedDict(), OrderedDict(), OrderedDict(), 0, 0

    def replace(was_again):
        longer = len(once) * one > p or was_again and len(once) * one == p
        source, left = (once, left_once) if once and longer or not again else (again, left_again)
        left[source.popitem(last=False)[0]] = True

    def ratio(a, b):
        return max((a * one + b // 2) // b, one)

    for page in pages:
        is_full = len(once) + len(again) == frames
        if page in once or page in again:
            hits += 1
            once.pop(page, None)
            again.pop(page, None)
        elif page in left_once or page in left_again:
            was_again = page in left_again
            if was_again:
                p = max(p - ratio(len(left_once), len(left_again)), 0)
            else:
                p = min(p + ratio(len(left_again), len(left_once)), frames * one)
            if is_full:
                replace(was_again)
            (left_again if was_again else left_once).pop(page)
        else:
            if is_full and len(once) == frames:
                once.popitem(last=False)
            elif is_full:
                if len(once) + len(left_once) == frames:
                    left_once.popitem(last=False)
                elif len(left_once) + len(left_again) == frames:
                    left_again.popitem(last=False)
                replace(False)
            once[page] = True
            continue
        again[page] = True
    return hits


LITERAL = {"arc": arc, "lru": lru, "fifo": fifo, "lfu": lfu, "lirs": lirs}

#: Each policy here: the class, and the numbers of frames. S3FIFO keeps nothing whose share for the small queue is one page.
LIBCACHESIM = {
    "lru": ("LRU", FRAMES), "fifo": ("FIFO", FRAMES), "lfu": ("LFU", FRAMES), "clock:looks=4096": ("Clock", FRAMES),
    "clock:bits=2,looks=4096": ("Clock", (16, 1000)), "sieve:looks=4096": ("Sieve", FRAMES), "2q": ("TwoQ", FRAMES), "arc": ("ARC", FRAMES),
    "mq": ("MQ", FRAMES), "mq:queues=3,lifetime=500,ghosts=100": ("MQ", (16, 1000)), "s3-fifo:looks=4096": ("S3FIFO", FRAMES[1:]),
    "2q:in=10,out=80": ("TwoQ", (16, 1000)), "s3-fifo:small=30,ghosts=50,promote_hits=1,looks=4096": ("S3FIFO", (16, 1000)),
}
#: What is not the default there.
SETTINGS = {
    "clock:bits=2,looks=4096": {"n_bit_counter": 2},
    "2q:in=10,out=80": {"a_in_size_ratio": 0.1, "a_out_size_ratio": 0.8},
    "s3-fifo:small=30,ghosts=50,promote_hits=1,looks=4096": {
        "small_size_ratio": 0.3, "ghost_size_ratio": 0.5, "move_to_main_threshold": 1},
    "mq:queues=3,lifetime=500,ghosts=100": {"n_queue": 3, "lifetime": 500, "qout_size_ratio": 1.0},
}


@pytest.mark.parametrize("policy", LITERAL)
def test_hits_are_those_of_the_literal_policy(source, policy):
    pages = pages_of(source)[0].tolist()
    hits = [LITERAL[policy](pages, frames) for frames in FRAMES]
    assert simulated_hits(source, policy) == hits
    assert len(set(hits)) == len(FRAMES)


@pytest.mark.parametrize("policy", LIBCACHESIM)
def test_hits_are_those_of_libcachesim(source, policy):
    libcachesim = pytest.importorskip(
        "libcachesim", reason="no wheel of libcachesim could be installed; the literal policies are compared instead")
    request = libcachesim.Request()
    request.obj_size = 1
    name, sizes = LIBCACHESIM[policy]
    hits = []
    for frames in sizes:
        cache = getattr(libcachesim, name)(cache_size=frames, hashpower=14, **SETTINGS.get(policy, {}))
        found = 0
        for page in pages_of(source)[0].tolist():
            request.obj_id = page
            found += cache.get(request)
        hits.append(found)
    assert simulated_hits(source, policy, sizes) == hits
