#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Compares a log of ssdcache-sim --closed --admission read-write --log-decisions with the loop that papers on buffers have in mind. For
each page of a request, in order: cached, a hit; not cached, victims leave until there is room, and the page enters. Only the requests
(Q) and the pages that a FLUSH has cleaned (C) are taken from the log; its other lines must be what the loop does, in the same order.

usage: page-loop.py POLICY FRAMES LOG [PAGE_SECTORS]

POLICY is lru, fifo, lfu, cflru, bplru, vbbms or req-block, as in the paper, with its default parameters here. Prints "N requests, H hits,
E evicted pages in B batches: the same", or the first difference, with exit code 1.
"""

import sys
from collections import OrderedDict
from fractions import Fraction


class Fifo:
    """First in, first out."""

    def __init__(self, frames):
        self.frames = frames
        self.pages = OrderedDict()      # from the next victim on; the value says whether the page is dirty

    def __contains__(self, page):
        return page in self.pages

    def __len__(self):
        return len(self.pages)

    def request(self, nr, length):
        """Request number NR of LENGTH pages begins."""

    def hit(self, page, write):
        self.pages[page] |= write

    def clean(self, page):
        self.pages[page] = False

    def insert(self, page, write):
        self.pages[page] = write

    def full(self, write):
        """Is the part full that the next page enters?"""
        return len(self) >= self.frames

    def victims(self):
        return [self.pages.popitem(last=False)[0]]


class Lru(Fifo):
    """The least recently used page leaves."""

    def hit(self, page, write):
        super().hit(page, write)
        self.pages.move_to_end(page)


class Cflru(Lru):
    """[Park06]: of the last third of the list, the least recently used clean page leaves, else the last page."""

    WINDOW = 33

    def victims(self):
        last = list(self.pages)[:self.frames * self.WINDOW // 100]
        victim = next((page for page in last if not self.pages[page]), next(iter(self.pages)))
        del self.pages[victim]
        return [victim]


class Lfu(Lru):
    """The least often used page leaves; of these, the one that has had its count longest. Counts stop at 255."""

    def __init__(self, frames):
        super().__init__(frames)
        self.counts = {}

    def hit(self, page, write):
        super().hit(page, write)
        self.counts[page] = min(self.counts[page] + 1, 255)

    def insert(self, page, write):
        super().insert(page, write)
        self.counts[page] = 1

    def victims(self):
        victim = min(self.pages, key=self.counts.__getitem__)      # the first of equals
        del self.pages[victim]
        return [victim]


class Block:
    """Req-block's: the pages of a request."""

    def __init__(self, request, now):
        self.request = request
        self.born = now
        self.accesses = 1
        self.hit_by = request
        self.small = False
        self.original = None
        self.pages = []                 # most recent first
        self.where = None


class ReqBlock:
    """[Lin22], Algorithm 1; DELTA is its delta."""

    DELTA = 5

    def __init__(self, frames):
        self.frames = frames
        self.now = 0
        self.newest = None
        self.irl, self.drl, self.srl = [], [], []       # blocks, most recent first
        self.block = {}                                 # of a page

    def __contains__(self, page):
        return page in self.block

    def __len__(self):
        return len(self.block)

    def full(self, write):
        return len(self) >= self.frames

    def request(self, nr, length):
        self.now += 1
        self.newest = nr

    def own(self, blocks):
        """The block of the newest request on a list, at its head if it is new."""
        for block in blocks:
            if block.request == self.newest and len(block.pages) < min(256, self.frames // 2):
                return block
        block = Block(self.newest, self.now)
        self.put(block, blocks)
        return block

    @staticmethod
    def put(block, blocks):
        if block.where is not None:
            block.where.remove(block)
        blocks.insert(0, block)
        block.where = blocks

    def drop(self, page):
        block = self.block.pop(page)
        block.pages.remove(page)
        if not block.pages:
            block.where.remove(block)
        return block

    def enter(self, page, block):
        block.pages.insert(0, page)
        self.block[page] = block

    def hit(self, page, write):
        block = self.block[page]
        if block.hit_by != self.newest:
            block.accesses = min(block.accesses + 1, 65535)
            block.small = len(block.pages) <= self.DELTA
            block.hit_by = self.newest
        if block.small:
            block.pages.remove(page)
            block.pages.insert(0, page)
            self.put(block, self.srl)
            return
        self.drop(page)
        split = self.own(self.drl)
        if not split.pages and block.pages:
            split.original = block
        self.enter(page, split)

    def insert(self, page, write):
        if write:
            block = self.own(self.irl)
        else:                           # a page that was read is a block of its own
            block = Block(None, self.now)
            self.put(block, self.irl)
        self.enter(page, block)

    def frequency(self, block):
        return Fraction(block.accesses, len(block.pages) * max(self.now - block.born, 1))

    def victims(self):
        tails = [blocks[-1] for blocks in (self.irl, self.drl, self.srl) if blocks]
        older = [block for block in tails if block.request != self.newest]
        block = min(older or tails, key=self.frequency)  # the first of equals
        leave = block.pages[::-1]
        if block.original and block.original.pages and block.original.where is self.irl:
            leave += block.original.pages[::-1]
        for page in leave:
            self.drop(page)
        return leave


class Bplru:
    """[Kim08]: the pages of a block of 64 leave together, least recently written block first, sequentially written ones before."""

    BLOCK = 64

    def __init__(self, frames):
        self.frames = frames
        self.blocks = OrderedDict()     # from the next victim on
        self.next = {}                  # of a block: the next page of a sequential write
        self.nr = 0

    def __contains__(self, page):
        return page in self.blocks.get(page // self.BLOCK, ())

    def __len__(self):
        return self.nr

    def full(self, write):
        return len(self) >= self.frames

    def request(self, nr, length):
        """A request is nothing to this policy."""

    def hit(self, page, write):
        block, offset = divmod(page, self.BLOCK)
        if not write:
            return
        if offset in (self.next[block], self.next[block] - 1):
            self.next[block] = offset + 1
        else:
            self.next[block] = int(offset == 0)
        sequential = self.next[block] == self.BLOCK == len(self.blocks[block])
        self.blocks.move_to_end(block, last=not sequential)

    def insert(self, page, write):
        block = page // self.BLOCK
        if block not in self.blocks:
            self.next[block] = 0
        self.blocks.setdefault(block, set()).add(page)
        self.blocks.move_to_end(block)
        self.hit(page, write)
        self.nr += 1

    def victims(self):
        pages = sorted(self.blocks.popitem(last=False)[1])
        self.nr -= len(pages)
        return pages


class Vbbms:
    """
    [Du19]: three parts for the blocks of 3 pages of random requests, least recently used first, two for the blocks of 4 pages of
    sequential ones, first in first out. Pages that are read are random.
    """

    SPAN = (3, 4)                       # RANDOM, SEQUENTIAL
    RANDOM, SEQUENTIAL = range(2)

    def __init__(self, frames):
        self.frames = frames
        self.room = (frames * 60 // 100, frames - frames * 60 // 100)
        self.blocks = (OrderedDict(), OrderedDict())    # from the next victim on
        self.region = {}                                # of a page
        self.writes = self.RANDOM                       # where the request's writes go
        self.enters = self.RANDOM

    def __contains__(self, page):
        return page in self.region

    def request(self, nr, length):
        self.writes = self.SEQUENTIAL if length > self.SPAN[self.SEQUENTIAL] else self.RANDOM

    def full(self, write):
        self.enters = self.writes if write else self.RANDOM
        return sum(map(len, self.blocks[self.enters].values())) >= self.room[self.enters]

    def hit(self, page, write):
        if self.region[page] == self.RANDOM:
            self.blocks[self.RANDOM].move_to_end(page // self.SPAN[self.RANDOM])

    def insert(self, page, write):
        block = page // self.SPAN[self.enters]
        self.blocks[self.enters].setdefault(block, set()).add(page)
        self.region[page] = self.enters
        self.hit(page, write)

    def victims(self):
        pages = sorted(self.blocks[self.enters].popitem(last=False)[1])
        for page in pages:
            del self.region[page]
        return pages


POLICIES = {"lru": Lru, "fifo": Fifo, "lfu": Lfu, "cflru": Cflru, "bplru": Bplru, "vbbms": Vbbms, "req-block": ReqBlock}


def loop(policy, nr, write, pages):
    """What a request does, as lines of the log."""
    policy.request(nr, len(pages))
    for page in pages:
        if page in policy:
            yield f"H {page} {nr}"
            policy.hit(page, write)
            continue
        while policy.full(write):
            victims = policy.victims()
            yield f"B {len(victims)}"
            for victim in victims:
                yield f"E {victim}"
        yield f"I {page} {nr if write else '-'}"
        policy.insert(page, write)


def main():
    name, frames, log = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    sectors = int(sys.argv[4]) if len(sys.argv) > 4 else 8
    policy = POLICIES[name](frames)
    expected = iter(())
    requests = 0
    counts = {"H": 0, "E": 0, "B": 0}
    with open(log, encoding="ascii") as lines:
        for at, line in enumerate(lines, 1):
            what, *words = line.split()
            if what == "C":
                if hasattr(policy, "clean"):
                    policy.clean(int(words[0]))
                continue
            if what == "Q":
                wants = next(expected, None)
                if wants is None:
                    nr, start, length = int(words[0]), int(words[2]), int(words[3])
                    pages = range(start // sectors, (start + length - 1) // sectors + 1)
                    expected = loop(policy, nr, words[1] == "W", pages)
                    requests += 1
                    continue
            else:
                wants = next(expected, "a request")
            if wants != line.strip():
                print(f"line {at}: the log has '{line.strip()}', the loop has '{wants}'")
                return 1
            counts[what] = counts.get(what, 0) + 1
    wants = next(expected, None)
    if wants is not None:
        print(f"the log ends, the loop has '{wants}'")
        return 1
    print(f"{requests} requests, {counts['H']} hits, {counts['E']} evicted pages in {counts['B']} batches: the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
