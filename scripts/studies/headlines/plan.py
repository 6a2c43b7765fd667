# SPDX-License-Identifier: GPL-2.0
"""What the papers ran: device, page, cache sizes, and the name of each of their policies in this program."""

from dataclasses import dataclass, replace

MIB = 1 << 20


@dataclass(frozen=True)
class Policy:
    """A policy of a paper. @replacement, @admission and @prefetch are specs of ssdcache-sim."""
    replacement: str
    admission: str
    prefetch: str = "none"

    def names(self):
        return {(kind, getattr(self, kind).split(":")[0]) for kind in ("replacement", "admission", "prefetch")}

    def tuned(self, tunables):
        """With tunables of the plug-in that the paper is about."""
        kind = "replacement" if self.prefetch == "none" else "prefetch"
        spec, words = getattr(self, kind), ",".join(f"{key}={value}" for key, value in tunables.items())
        return replace(self, **{kind: spec + (":" if ":" not in spec else ",") + words}) if words else self


@dataclass(frozen=True)
class Paper:
    """
    The setting of a paper.

    @profile: of the flash device
    @page: bytes of a cache page
    @sizes: of the cache, bytes
    @reads: do reads enter the cache? Then they count in the footprint of a trace
    @dram_ns: time of a copy from or to a page of the cache
    @policies: the paper's name -> the program's
    @evicts: cells in which nothing has to be evicted say nothing
    @hybrids: are there workloads made of several traces?
    @bytes: of these traces there is a second one, with sector numbers in the place of byte offsets
    """
    profile: str
    page: int
    sizes: tuple
    reads: bool
    dram_ns: int
    policies: dict
    evicts: bool = True
    hybrids: bool = False
    bytes: tuple = ()


def write_buffer(**specs):
    return {name: Policy(spec, "write-buffer") for name, spec in specs.items()}


def read_write(**specs):
    return {name: Policy(spec, "read-write") for name, spec in specs.items()}


PAPERS = {
    # S000 Table 1 and section 4.1. OPT* is what it calls OPT in Fig. 1.
    "H0": Paper("s000", 8192, (32 * MIB, 64 * MIB, 128 * MIB), False, 1000,
                write_buffer(LRU="lru", VBBMS="vbbms:profile=s000", BPLRU="bplru:block=256")
                | {"Co-Active": Policy("co-active", "write-buffer"), "VS-Batch": Policy("vs-batch", "write-buffer"),
                   "VS-Batch+": Policy("vs-batch-plus", "write-buffer"),
                   "OPT": Policy("opt", "write-buffer"),
                   "OPT*": Policy("opt:avoid_thrashing=64", "write-buffer")}),
    # S001 Table 1, section 4.5.2. Table 2 has 0.02 GB for websearch_1: its sector numbers, taken for bytes.
    "H1": Paper("s001", 8192, (32 * MIB,), True, 1000,
                {"Baseline": Policy("lru", "write-buffer"), "Baseline-RB": Policy("lru", "read-write"),
                 "C-Miner": Policy("lru", "write-buffer", "c-miner"), "ROP": Policy("lru", "write-buffer", "rop"),
                 "Pattern": Policy("lru", "write-buffer", "pattern"),
                 "Pattern+": Policy("lru", "write-buffer", "pattern-plus")},
                evicts=False, hybrids=True, bytes=("umass_websearch",)),
    # S002 section 4. 15 ns per word of 4 bytes.
    "H2": Paper("s002", 8192, tuple(size * MIB for size in (32, 64, 128, 256, 512, 1024)), True, 15 * 2048,
                read_write(CFLRU="cflru", EF="cflru-ef") | {"EF-SC": Policy("cflru-ef-sc", "read-write")}),
    # S003 Table IV. MQ-SSD is its conventional SSD. LRU is not in the paper.
    "H3": Paper("s003", 8192, (128 * MIB,), True, 1000,
                {"MQ-SSD": Policy("mq-ssd", "write-buffer"), "LRU": Policy("lru", "write-buffer"),
                 "L-CoRW": Policy("lru", "l-corw"), "Co-Active": Policy("co-active", "read-write")}
                | read_write(CFLRU="cflru", LCR="lcr", ECR="ecr")
                | {f"CoRW{i}": Policy("lru", f"corw-{i}") for i in range(1, 9)}),
    # S004 Table 1.
    "H4": Paper("s004", 4096, (16 * MIB, 32 * MIB, 64 * MIB), False, 1000,
                write_buffer(LRU="lru", BPLRU="bplru:block=64", VBBMS="vbbms:profile=s004")
                | {"Req-block": Policy("req-block", "write-buffer")}),
}

# Sizes that are in proportion to what a trace touches: these parts of its footprint.
PARTS = (32, 16, 8)
MIN_FRAMES = 256
