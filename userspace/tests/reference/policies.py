# SPDX-License-Identifier: GPL-2.0
"""Literal, slow implementations of the replacement policies.

Written from the papers' rules, with plain Python lists and whole scans, and
nothing shared with the C code, to compare decisions with it. Position 0 of a
list is the most recent page. Ambiguities are resolved as the comments of
dm-ssdcache/replacement/*.c say.

A policy is told insert(page, dirty), hit(page, write), clean(page, early) and
request(write); it answers victim() and early(dirty pages). The cache model in
cache.py keeps which pages are dirty.
"""


class Policy:
    """What all have in common. `dirty` is the cache's set of dirty pages."""

    def __init__(self, frames, dirty, params):
        self.frames = frames
        self.dirty = dirty

    def request(self, write):
        pass

    def clean(self, page, early):
        pass

    def early(self):
        return []


class Fifo(Policy):
    def __init__(self, *args):
        super().__init__(*args)
        self.pages = []

    def insert(self, page, dirty):
        self.pages.insert(0, page)

    def hit(self, page, write):
        pass

    def victim(self):
        return self.pages.pop()


class Lru(Fifo):
    def hit(self, page, write):
        self.pages.remove(page)
        self.pages.insert(0, page)


class Lfu(Policy):
    """Least count first; of equal counts the one that was used longest ago."""

    def __init__(self, *args):
        super().__init__(*args)
        self.count = {}
        self.used = {}
        self.clock = 0

    def touch(self, page, count):
        self.clock += 1
        self.count[page] = min(count, 255)
        self.used[page] = self.clock

    def insert(self, page, dirty):
        self.touch(page, 1)

    def hit(self, page, write):
        self.touch(page, self.count[page] + 1)

    def victim(self):
        page = min(self.count, key=lambda p: (self.count[p], self.used[p]))
        del self.count[page], self.used[page]
        return page


class Cflru(Lru):
    """Within the last `window` pages the least recent clean one, else the last."""

    def __init__(self, frames, dirty, params):
        super().__init__(frames, dirty, params)
        self.window = frames * params.get("window", 50) // 100

    def victim(self):
        for i in range(len(self.pages) - 1, len(self.pages) - 1 - self.window, -1):
            if self.pages[i] not in self.dirty:
                return self.pages.pop(i)
        return self.pages.pop()


class EarlyFlush(Policy):
    """The threshold of cflru-ef and cflru-ef-sc (the adaption is the stand-in)."""

    def __init__(self, frames, dirty, params):
        super().__init__(frames, dirty, params)
        self.percent = params.get("threshold", 80)
        self.adapt = params.get("adapt", "on") == "on"
        self.period = params.get("period", 1000)
        self.step = params.get("step", 5)
        self.batch = params.get("ef_batch", 0) or 4 * 2  # channels x dies
        self.writes = self.dirty_victims = self.rewrites = 0
        self.flushed_early = set()

    def request(self, write):
        self.writes += write
        if self.writes < self.period:
            return
        if self.adapt and self.dirty_victims > self.rewrites:
            self.percent = min(self.percent, max(self.percent - self.step, 10))
        if self.adapt and self.rewrites > self.dirty_victims:
            self.percent = max(self.percent, min(self.percent + self.step, 95))
        self.writes = self.dirty_victims = self.rewrites = 0

    def too_dirty(self, flushing):
        return len(self.dirty) - flushing > self.frames * self.percent // 100

    def note_write(self, page):
        if page in self.flushed_early:
            self.flushed_early.remove(page)
            self.rewrites += 1

    def note_clean(self, page, early):
        self.flushed_early.discard(page)
        if early:
            self.flushed_early.add(page)

    def note_victim(self, page):
        self.flushed_early.discard(page)
        self.dirty_victims += page in self.dirty


class CflruEf(EarlyFlush):
    def __init__(self, *args):
        super().__init__(*args)
        self.clean_list = []
        self.dirty_list = []

    def list_of(self, page):
        return self.clean_list if page in self.clean_list else self.dirty_list

    def insert(self, page, dirty):
        (self.dirty_list if dirty else self.clean_list).insert(0, page)

    def hit(self, page, write):
        where = self.list_of(page)
        where.remove(page)
        if write:
            self.note_write(page)
            where = self.dirty_list
        where.insert(0, page)

    def clean(self, page, early):
        self.note_clean(page, early)
        if page not in self.clean_list:
            self.dirty_list.remove(page)
            self.clean_list.insert(0, page)

    def victim(self):
        page = (self.clean_list or self.dirty_list).pop()
        self.note_victim(page)
        return page

    def early(self):
        flushed = []
        while self.too_dirty(len(flushed)) and len(flushed) < self.batch and self.dirty_list:
            page = self.dirty_list.pop()
            self.clean_list.insert(0, page)
            flushed.append(page)
        return flushed


class CflruEfSc(EarlyFlush):
    def __init__(self, *args):
        super().__init__(*args)
        self.lists = {"clean": [], "dirty": [], "second": []}
        self.count = {}

    def list_of(self, page):
        return next(name for name in self.lists if page in self.lists[name])

    def insert(self, page, dirty):
        self.count[page] = 1 if dirty else 0
        self.lists["dirty" if dirty else "clean"].insert(0, page)

    def hit(self, page, write):
        where = self.list_of(page)
        self.lists[where].remove(page)
        if write:
            self.note_write(page)
            self.count[page] += 1
            if where == "clean":
                where = "dirty"
        self.lists[where].insert(0, page)

    def clean(self, page, early):
        self.note_clean(page, early)
        where = self.list_of(page)
        if where != "clean":
            self.lists[where].remove(page)
            self.lists["clean"].insert(0, page)

    def victim(self):
        for name in ("clean", "dirty", "second"):
            if self.lists[name]:
                page = self.lists[name].pop()
                self.note_victim(page)
                return page

    def rebalance(self):
        while len(self.lists["dirty"]) < len(self.lists["second"]):
            self.lists["dirty"].insert(0, self.lists["second"].pop())

    def early(self):
        flushed = []
        while self.too_dirty(len(flushed)) and len(flushed) < self.batch:
            if not self.lists["dirty"]:
                self.rebalance()
            if not self.lists["dirty"]:
                break
            page = self.lists["dirty"].pop()
            if self.count[page] > 1:
                self.count[page] = 1
                self.lists["second"].insert(0, page)
            else:
                self.lists["clean"].insert(0, page)
                flushed.append(page)
            self.rebalance()
        return flushed


POLICIES = {
    "fifo": Fifo,
    "lru": Lru,
    "lfu": Lfu,
    "cflru": Cflru,
    "cflru-ef": CflruEf,
    "cflru-ef-sc": CflruEfSc,
}
