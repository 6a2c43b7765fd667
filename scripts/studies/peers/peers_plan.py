# SPDX-License-Identifier: GPL-2.0
"""What runs: flash device, workloads, stacks, sizes."""

from dataclasses import dataclass

MIB = 1 << 20

#: Of the stacks' device. The flash device has a MiB more: bcache puts a superblock in front of the data.
DEVICE_MIB = 1024
FLASH_MIB = DEVICE_MIB + 1
#: 128 GiB in [Lin22], here with as many blocks as the device needs, in the steady state of random writes.
FLASH = {"profile": "lin22", "blocks": "0", "aged": "steady", "gc_threshold": "8"}


#: Among the stacks in cells.csv: the simulator without a cache.
SIMULATOR = "simulator"


@dataclass(frozen=True)
class Workload:
    """
    @name: in cells.csv
    @source: name of a trace below the folder of traces, without its suffix, "demo" or a job file of fio
    @limit: requests taken of a trace
    @sizes: of the cache, MiB
    @says: what it is
    """
    name: str
    source: str
    limit: int
    sizes: tuple
    says: str

    @property
    def is_job(self):
        return self.source.endswith(".fio")


@dataclass(frozen=True)
class Stack:
    """
    @name: in cells.csv
    @make: function make_... of stacks.sh, and @words its arguments
    @label: in the page
    @tuned: the best known settings of a peer that also runs with its defaults
    """
    name: str
    make: str
    words: str
    label: str
    tuned: bool = False

    @property
    def is_peer(self):
        return self.make not in ("none", "ssdcache")


WORKLOADS = (
    Workload("demo-ext4", "demo", 30000, (16, 64),
             "SQLite, git and a file tree on ext4, the capture of `make demo`; the only one with FLUSHes, FUA writes and discards"),
    Workload("web_0", "msr_web0_100k", 20000, (16, 64), "MSR Cambridge, a web server"),
    Workload("financial1", "umass_financial1_10k", 10000, (16, 64), "UMass, OLTP of a bank"),
    Workload("msr-rw40-60", "heimdall_msr_rw40_60", 10000, (16, 64), "a window of an MSR Cambridge volume, cut by Heimdall's authors"),
    Workload("fio-random", "random.fio", 0, (16,), "fio: 4 KiB, 70 % reads, Zipf, 128 MiB, four at a time"),
)


def ssdcache(name, replacement, admission, label, prefetch="none", dram_mode="protected"):
    words = f"replacement {replacement} admission {admission}"
    if prefetch != "none":
        words += f" prefetch {prefetch}"
    return Stack(name, "ssdcache", f"{words} dram_mode {dram_mode}", label)


#: By default dm-writecache commits after a second or 65536 blocks. A cache with fewer blocks can be full of what is not committed; then
#: writing back may crash Linux 6.1.
COMMITS = "autocommit_blocks 1024"
#: Everything is cached, however long the requests and busy the cache. Writing back starts at once, at a rate of no less than the minimum,
#: in sectors per second.
BCACHE = "sequential_cutoff=0 cache/congested_read_threshold_us=0 cache/congested_write_threshold_us=0 writeback_delay=0"
STACKS = (
    Stack("none", "none", "", "no cache"),
    Stack("dm-cache", "dm_cache", "128", "dm-cache"),
    Stack("dm-cache-tuned", "dm_cache", "64 migration_threshold 32768", "dm-cache, tuned", True),
    Stack("dm-writecache", "dm_writecache", COMMITS, "dm-writecache"),
    Stack("dm-writecache-tuned", "dm_writecache", f"high_watermark 90 low_watermark 85 pause_writeback 0 {COMMITS}", "dm-writecache, tuned",
          True),
    Stack("bcache", "bcache", "", "bcache"),
    Stack("bcache-tuned", "bcache", f"{BCACHE} writeback_rate_minimum=2048", "bcache, tuned", True),
    Stack("bcache-eager", "bcache", f"{BCACHE} writeback_rate_minimum=8192", "bcache, eager", True),
    ssdcache("lru", "lru", "write-buffer", "ssdcache `lru`"),
    ssdcache("lru-reads", "lru", "read-write", "ssdcache `lru`, `read-write`"),
    ssdcache("sha23", "vs-batch-plus", "write-buffer", "ssdcache `vs-batch-plus` [Sha23]"),
    ssdcache("li22", "lru", "write-buffer", "ssdcache `lru`, `pattern-plus` [Li22]", prefetch="pattern-plus"),
    ssdcache("shin23", "cflru-ef-sc", "read-write", "ssdcache `cflru-ef-sc`, `read-write` [Shin23]"),
    ssdcache("zhou23", "mq-ssd", "l-corw", "ssdcache `mq-ssd`, `l-corw` [Zhou23]"),
    ssdcache("lin22", "req-block", "write-buffer", "ssdcache `req-block` [Lin22]"),
    ssdcache("co-active", "co-active", "write-buffer", "ssdcache `co-active`"),
    ssdcache("freeboard", "freeboard", "write-buffer", "ssdcache `freeboard`"),
    ssdcache("freeboard-reads", "freeboard", "read-write", "ssdcache `freeboard`, `read-write`"),
    ssdcache("lru-volatile", "lru", "read-write", "ssdcache `lru`, `read-write`, `volatile`", dram_mode="volatile"),
)


def cells():
    """(workload, stack, MiB) of all cells. Without a cache there is one size, and it is 0."""
    return [(workload, stack, size) for workload in WORKLOADS for stack in STACKS
            for size in ((0,) if stack.make == "none" else workload.sizes)]
