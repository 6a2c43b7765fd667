# SPDX-License-Identifier: GPL-2.0
"""
The most hits that any policy can have, clairvoyant or not: an upper bound that is proven, unlike the hits of the policy `opt`.

A page that is hit has held a frame since its previous access. So hits are intervals from one access of a page to the next, and a
cache of N frames can serve a set of them only if nowhere more than N overlap. The largest such set is found by going through the
requests in order, and dropping the interval that ends last whenever more than N are open (Belady's rule, with pages that need not
enter). All pages of a request count as one instant, so the order in which a policy takes the pages of a request does not matter.
It holds for decisions in the order of arrival; pages that are being flushed hold frames, too.
"""

import heapq

import numpy as np
import ssdcache
from traces import WRITE, page_accesses


def max_hits(pages, index, frames, wanted=None):
    """@pages: of all accesses; @index: the request of each, ascending; @wanted: which accesses count as hits, None: all."""
    nr = len(pages)
    order = np.lexsort((np.arange(nr), pages))
    same = pages[order][1:] == pages[order][:-1]
    previous, following = np.full(nr, -1), np.full(nr, -1)
    previous[order[1:][same]] = order[:-1][same]
    following[order[:-1][same]] = order[1:][same]
    if wanted is not None:
        following[(following >= 0) & ~wanted[following]] = -1
        previous[~wanted] = -1
    # An access whose page returns: what the heap sorts by, the request of the return before the access itself.
    ends = np.where(following >= 0, index[np.maximum(following, 0)], -1)
    keys = (-(ends << 32) - np.arange(nr)).tolist()
    ends, previous, index = ends.tolist(), previous.tolist(), index.tolist()
    kept, heap, held, hits = bytearray(nr), [], 0, 0
    last = -1
    for access in range(nr):
        if index[access] != last:
            held = drop(heap, kept, held, frames)
            last = index[access]
        if previous[access] >= 0 and kept[previous[access]]:
            kept[previous[access]] = 0
            held -= 1
            hits += 1
        if ends[access] >= 0:
            kept[access] = 1
            held += 1
            heapq.heappush(heap, keys[access])
    return hits


def drop(heap, kept, held, frames):
    while held > frames:
        access = -heapq.heappop(heap) & 0xFFFFFFFF
        # Intervals that have ended are still in the heap, behind all that are open.
        if kept[access]:
            kept[access] = 0
            held -= 1
    return held


def bounds(path, page, frames, reads):
    """
    What no policy can beat on a trace: "overwrites", at most; "flushed" pages, at least, as each write that is no overwrite of a
    dirty page makes one; with @reads, which enter, too, also "hits" of reads and writes, at most.
    """
    records = ssdcache.Trace(path).records
    records = records[records["op"] <= WRITE]
    pages, index = page_accesses(records, page // 512)
    writes = records["op"][index] == WRITE
    nr = int(writes.sum())
    dirty = max_hits(pages[writes], index[writes], frames)
    found = {"overwrites": dirty / max(1, nr), "flushed": nr - dirty}
    if reads:
        found["overwrites"] = max_hits(pages, index, frames, writes) / max(1, nr)
        found["hits"] = max_hits(pages, index, frames) / max(1, len(pages))
    return found
