# SPDX-License-Identifier: GPL-2.0
"""What the papers ran: device, page, cache sizes, policies; and in which kinds of run this study repeats it."""

from dataclasses import dataclass, field, replace

MIB = 1 << 20

#: Compaction moves aligned chunks of 4 MiB.
CHUNK_SECTORS = 8192
#: A trace with fewer accesses, or a smaller share of accesses to pages seen before, says nothing about a cache.
MIN_ACCESSES = 5000
MIN_REUSE = 0.05
#: A trace has times if there are more different ones than this share of its requests.
MIN_TIMES = 0.01
#: Sizes in proportion: the footprint of a trace divided by these.
PARTS = (32, 16, 8)
MIN_FRAMES = 256
#: Writes that a run in steady state needs, in pages of the device.
MIN_DEVICE_WRITES = 1.0
MAX_REPEATS = 8
#: Longer input: the prefix is repeated until it has so many page accesses.
REPEATED_ACCESSES = 1_000_000
#: The generator is fitted to traces of so many requests, and makes so many.
FITTED_REQUESTS = 80_000
#: A trace is like those of the papers if its mean request has at most so many bytes. It is the largest mean write in the papers'
#: tables, proj_0: 81.8 sectors ([Shin23] Table 1), 40.9 KB ([Lin22] Table 2). [Li22] Table 2 lists reads; the largest mean one, of
#: usr_0, happens to have 40.9 KB, too.
LARGEST_REQUEST = 41_882
#: What the writes of a trace decide in [Li22]; its other headlines are about reads.
OF_WRITES = {"write", "erases", "gc", "absorbed", "overwrites", "flushed", "waf"}
#: No trace has so many pages on their way to flash that it would matter.
NO_LIMIT = 1024 * MIB
#: Where a request takes more than so many times as long as alone, the device is overloaded (a queue of M/M/1: 90 % busy).
OVERLOAD = 10
GENERATED_REQUESTS = 400_000
#: VS-Batch+ rebuilds its graph when more than this share of DRAM was evicted ([Sha23] 4.1, 4.2.3).
REBUILD = 0.2
#: A column of cells.csv: a digest of all decisions, of runs whose other facts are the same as those of a policy that they are compared with.
DECISIONS = "decisions"


@dataclass(frozen=True)
class Kind:
    """
    A kind of run.

    @name: as heads of columns have it
    @sizes: "paper", "scaled" (to the footprint) or "sweep" (the sizes of [Li22] Fig. 18)
    @options: of ssdcache-sim
    @main: counts for the verdicts of all headlines; others count only for headlines that name them
    @twin: the kind without queues, by which an overload is told
    """
    name: str
    sizes: str
    options: tuple = ()
    main: bool = False
    aged: bool = False
    says: str = ""
    twin: str = ""

    @property
    def closed(self):
        return ("closed", True) in self.options


CLOSED = (("closed", True),)
# Recorded times.
TIMED = (("reserve", NO_LIMIT),)
FLUSH = TIMED + (("flush_interval_s", 30),)
KINDS = {
    "paper": Kind("paper's sizes, recorded times", "paper", TIMED, main=True, twin="paper-closed"),
    "paper-closed": Kind("paper's sizes, closed", "paper", CLOSED, main=True),
    "scaled": Kind("in proportion, recorded times", "scaled", TIMED, main=True, twin="scaled-closed"),
    "scaled-closed": Kind("in proportion, closed", "scaled", CLOSED, main=True),
    "steady": Kind("steady state", "scaled", CLOSED, aged=True,
                   says="in proportion, closed; the device starts in the steady state of random writes, and the prefix is repeated "
                        "until it has written as much as the device holds"),
    "flush": Kind("flush each 30 s, paper's sizes", "paper", FLUSH, says="recorded times", twin="paper-closed"),
    "flush-scaled": Kind("flush each 30 s, in proportion", "scaled", FLUSH, says="recorded times", twin="scaled-closed"),
    "hybrid": Kind("mixtures", "paper", TIMED, says="recorded times; [Li22] Table 4, of the traces at hand", twin="hybrid-closed"),
    "hybrid-closed": Kind("mixtures, closed", "paper", CLOSED),
    "sizes": Kind("4 to 64 MiB", "sweep", TIMED, says="recorded times; [Li22] Fig. 18"),
    "fast": Kind("100 times as fast", "paper", TIMED + (("time_scale", 0.01),),
                 says="paper's sizes; MSR traces, as [Sha23] Table 3 suggests", twin="paper-closed"),
    "target": Kind("paper's sizes, as in the kernel", "paper",
                   says="recorded times; pages on their way to flash have a sixteenth of the DRAM, 1 to 16 MiB"),
    "target-scaled": Kind("in proportion, as in the kernel", "scaled", says="recorded times; the same limit"),
    "repeated": Kind("prefix repeated", "paper", CLOSED, says="paper's sizes, closed; cyclic reuse punishes LRU"),
    "half": Kind("second half", "scaled", CLOSED, says="in proportion, closed: the test of the generator"),
    "half-generated": Kind("generated, first half", "scaled", CLOSED,
                           says="in proportion, closed: as many requests as the second half, fitted to the first"),
    "generated": Kind("generated", "paper", CLOSED, says="paper's sizes, closed; fitted to the whole prefix"),
}


# Kinds of run for causes. Each has what the one before has, and one thing more: a larger flash, so that nothing is erased; writes
# that begin and end at pages of the cache; reads at random times.
ROOM = 4
ROOMY = tuple(f"{key}-roomy" for key, kind in KINDS.items() if kind.main)
WHOLE = tuple(f"{key}-whole" for key, kind in KINDS.items() if kind.main)
APART = tuple(f"{key}-apart" for key, kind in KINDS.items() if kind.main and not kind.closed)
ISOLATING = (*ROOMY, *WHOLE, *APART)
SAYS = {"roomy": ("nothing erased", f"{ROOM} times the flash"),
        "whole": ("whole pages written", f"{ROOM} times the flash; writes begin and end at pages of the cache"),
        "apart": ("reads at any time", f"{ROOM} times the flash; writes begin and end at pages of the cache; reads at random times")}


def isolating(key):
    """A main kind of run, changed as ISOLATING says."""
    main, _, change = key.rpartition("-")
    name, says = SAYS[change]
    # Closed runs have no times, and so no reads at other times.
    twin = f"{KINDS[main].twin}-{change}" if KINDS[main].twin and change != "apart" else ""
    return replace(KINDS[main], name=f"{name}, {KINDS[main].name}", says=says, main=False, twin=twin)


KINDS |= {key: isolating(key) for key in ISOLATING}


@dataclass(frozen=True)
class Policy:
    """@replacement, @admission and @prefetch are SPECs of ssdcache-sim; @stand_in: its full text was not available."""
    replacement: str
    admission: str
    prefetch: str = "none"
    stand_in: bool = False
    #: Kinds in which it runs; None: all of its paper's.
    kinds: tuple = None

    def words(self):
        return {"replacement": self.replacement, "admission": self.admission, "prefetch": self.prefetch}


@dataclass(frozen=True)
class Paper:
    """
    The setup of a paper.

    @key: as in Documentation/papers.md; @name: its policy
    @profile: of the flash device
    @page: bytes of a cache page
    @sizes: of the cache, bytes
    @reads: reads enter the cache, and so count in the footprint of a trace
    @dram_ns: time of a copy from or to a page of the cache
    @policies: the paper's name -> the program's
    @base: the policy that must evict as many pages as DRAM holds, or the cell does not count; None: all cells count
    @kinds: of run
    @limit: the simulator limits the pages on their way to flash; here as the kernel does
    @bytes: prefixes of the names of traces that are also run with sector numbers read as byte offsets
    """
    key: str
    name: str
    profile: str
    page: int
    sizes: tuple
    reads: bool
    dram_ns: int
    policies: dict = field(hash=False)
    base: str
    kinds: tuple
    bytes: tuple = ()
    limit: bool = False


MAIN = tuple(key for key, kind in KINDS.items() if kind.main)
GENERATED = ("half", "half-generated", "generated")
TARGET = ("target", "target-scaled")
#: Kinds of run that decide no headline.
EXTRAS = ("fast", "repeated", *TARGET, *GENERATED)
BOTH_CLOSED = ("paper-closed", "scaled-closed")


def write_buffer(**specs):
    return {name: Policy(spec, "write-buffer") for name, spec in specs.items()}


def swept(name, replacement, parameter, values, kinds=BOTH_CLOSED, admission="write-buffer", **more):
    """Variants of a policy: "NAME PARAMETER=VALUE"."""
    join = "," if ":" in replacement else ":"
    return {f"{name} {parameter}={value}": Policy(f"{replacement}{join}{parameter}={value}", admission, kinds=kinds, **more)
            for value in values}


def fetched(name, prefetch, parameter, values, kinds):
    return {f"{name} {parameter}={value}": Policy("lru", "write-buffer", f"{prefetch}:{parameter}={value}", kinds=kinds)
            for value in values}


PAPERS = {
    # [Sha23] Table 1 and section 4.1. OPT* stands for its OPT of Fig. 1, modified to avoid thrashing.
    "sha23": Paper(
        "sha23", "VS-Batch+", "sha23", 8192, (32 * MIB, 64 * MIB, 128 * MIB), False, 1000,
        write_buffer(LRU="lru", VBBMS="vbbms:profile=sha23", BPLRU="bplru:block=256,width=4")
        | {"Co-Active": Policy("co-active", "write-buffer", stand_in=True), "VS-Batch": Policy("vs-batch", "write-buffer"),
           "VS-Batch+": Policy("vs-batch-plus", "write-buffer"),
           "OPT": Policy("opt", "write-buffer"),
           "OPT*": Policy("opt:avoid_thrashing=64", "write-buffer", stand_in=True, kinds=MAIN)}
        | swept("VS-Batch+", "vs-batch-plus", "rebuild", (50, 100, 150, 250, 293))
        | swept("VS-Batch+", "vs-batch-plus", "first", ("hit",), MAIN)
        | swept("VS-Batch", "vs-batch", "evict", ("idle",), MAIN)
        | swept("VS-Batch", "vs-batch", "first", ("hit",), MAIN)
        | swept("VBBMS", "vbbms:profile=sha23", "borrow", ("on",), MAIN)
        | {"VBBMS blocks=2": Policy("vbbms:profile=sha23,random_block=2,sequential_block=2", "write-buffer", kinds=MAIN)}
        | swept("BPLRU", "bplru:block=256", "width", (0, 1, 8, 16), MAIN + TARGET)
        | swept("BPLRU", "bplru:width=0", "block", (2, 4), MAIN)
        | swept("Co-Active", "co-active", "clean_max", (0,), MAIN, stand_in=True),
        "LRU", MAIN + ("steady", "fast", "repeated") + GENERATED + TARGET + ISOLATING),
    # [Li22] Table 1, section 4.5.2. Its Table 2 has 0.02 GB for websearch_1: sector numbers read as bytes.
    "li22": Paper(
        "li22", "Pattern+", "li22", 8192, (32 * MIB,), True, 1000,
        {"Baseline": Policy("lru", "write-buffer"), "Baseline-RB": Policy("lru", "read-write"),
         "C-Miner": Policy("lru", "write-buffer", "c-miner", stand_in=True),
         "ROP": Policy("lru", "write-buffer", "rop", stand_in=True),
         "Pattern": Policy("lru", "write-buffer", "pattern", stand_in=True),
         "Pattern+": Policy("lru", "write-buffer", "pattern-plus")}
        | fetched("Pattern+", "pattern-plus", "threshold", (60, 70, 80, 90), BOTH_CLOSED + ("repeated",))
        | {f"Pattern+ window={window}": Policy("lru", "write-buffer", f"pattern-plus:window={window},mined={window // 4}",
                                               kinds=BOTH_CLOSED + ("repeated",)) for window in (256, 512, 2048)}
        | fetched("Pattern+", "pattern-plus", "min_support", (2,), MAIN)
        | fetched("Pattern+", "pattern-plus", "hits", ("fire",), MAIN),
        None, MAIN + ("steady", "hybrid", "hybrid-closed", "sizes", "repeated"), ("umass_websearch",)),
    # [Shin23] section 4. 15 ns per word of 4 bytes.
    "shin23": Paper(
        "shin23", "CFLRU-EF-SC", "shin23", 8192, tuple(size * MIB for size in (32, 64, 128, 256, 512, 1024)), True, 15 * 2048,
        {"CFLRU": Policy("cflru", "read-write"), "EF": Policy("cflru-ef", "read-write"),
         "EF-SC": Policy("cflru-ef-sc:charge=4", "read-write"), "OPT": Policy("opt", "read-write", kinds=MAIN)}
        | swept("EF-SC", "cflru-ef-sc:charge=4", "ef_dies", ("device",), MAIN, "read-write")
        | swept("EF", "cflru-ef", "ef_dies", ("device",), MAIN, "read-write")
        | {"EF-SC no early flush": Policy("cflru-ef-sc:threshold=100,adapt=off,charge=4", "read-write", kinds=MAIN)},
        "CFLRU", MAIN + ("flush", "flush-scaled", "repeated") + TARGET),
    # [Zhou23] Table IV. MQ-SSD is its conventional SSD. L-CoRW and CoRW build on its cache, without the early writes: policies/l-corw.md.
    "zhou23": Paper(
        "zhou23", "L-CoRW", "zhou23", 8192, (128 * MIB,), True, 1000,
        {"MQ-SSD": Policy("mq-ssd", "write-buffer"), "L-CoRW": Policy("mq-ssd:budget=0,keep_clean=on", "l-corw"),
         "L-CoRW on MQ-SSD": Policy("mq-ssd", "l-corw"), "LRU": Policy("lru", "write-buffer"),
         "CFLRU": Policy("cflru", "read-write"), "LCR": Policy("lcr", "read-write", stand_in=True),
         "ECR": Policy("ecr", "read-write", stand_in=True), "Co-Active": Policy("co-active", "read-write", stand_in=True)}
        | {f"CoRW {i}": Policy("mq-ssd:budget=0,keep_clean=on", f"corw-{i}", kinds=MAIN) for i in range(1, 9)}
        | {f"CoRW {i} on MQ-SSD": Policy("mq-ssd", f"corw-{i}", kinds=MAIN) for i in range(1, 9)}
        | {"L-CoRW rar_window=0": Policy("mq-ssd:budget=0,keep_clean=on", "l-corw:rar_window=0", kinds=MAIN),
           "L-CoRW on MQ-SSD keep_clean=on": Policy("mq-ssd:keep_clean=on", "l-corw", kinds=MAIN),
           "L-CoRW cold=1000": Policy("mq-ssd:budget=0,keep_clean=on", "l-corw:cold=1000", kinds=MAIN),
           "OPT": Policy("opt", "read-write", kinds=BOTH_CLOSED)},
        "CFLRU", MAIN + ("steady", "repeated"), limit=True),
    # [Lin22] Table 1.
    "lin22": Paper(
        "lin22", "Req-block", "lin22", 4096, (16 * MIB, 32 * MIB, 64 * MIB), False, 1000,
        write_buffer(LRU="lru", BPLRU="bplru:block=64,width=2", VBBMS="vbbms:profile=lin22")
        | {"Req-block": Policy("req-block", "write-buffer"), "OPT": Policy("opt", "write-buffer")}
        | swept("Req-block", "req-block", "delta", (1, 2, 3, 4, 6, 7, 8, 9))
        | swept("BPLRU", "bplru:block=64", "width", (0, 1, 4, 8, 16), MAIN + TARGET)
        | swept("BPLRU", "bplru:width=0", "block", (4,), MAIN),
        "LRU", MAIN + ("steady", "repeated") + GENERATED + TARGET),
}
