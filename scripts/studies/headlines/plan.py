# SPDX-License-Identifier: GPL-2.0
"""What the papers ran: device, page, cache sizes, and this program's name of each of their policies."""

from dataclasses import dataclass, replace

MIB = 1 << 20


@dataclass(frozen=True)
class Policy:
    """A policy of a paper; @replacement, @admission and @prefetch are SPECs of ssdcache-sim."""
    replacement: str
    admission: str
    prefetch: str = "none"

    def names(self):
        return {(kind, getattr(self, kind).split(":")[0]) for kind in ("replacement", "admission", "prefetch")}

    def tuned(self, tunables):
        """The same with tunables of the plug-in under study."""
        kind = "replacement" if self.prefetch == "none" else "prefetch"
        spec, words = getattr(self, kind), ",".join(f"{key}={value}" for key, value in tunables.items())
        return replace(self, **{kind: spec + (":" if ":" not in spec else ",") + words}) if words else self


@dataclass(frozen=True)
class Paper:
    """
    The setup of a paper.

    @profile: of the flash device
    @page: bytes of a cache page
    @sizes: of the cache, bytes
    @reads: reads enter the cache, and so count in the footprint of a trace
    @dram_ns: time of a copy from or to a page of the cache
    @policies: the paper's name -> the program's
    @evicts: only cells with evictions count
    @hybrids: the paper also runs workloads made of several traces
    @bytes: prefixes of the names of traces that are also run with sector numbers read as byte offsets
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
    # [Sha23] Table 1 and section 4.1. OPT* is the OPT of its Fig. 1.
    "sha23": Paper("sha23", 8192, (32 * MIB, 64 * MIB, 128 * MIB), False, 1000,
                write_buffer(LRU="lru", VBBMS="vbbms:profile=sha23", BPLRU="bplru:block=256")
                | {"Co-Active": Policy("co-active", "write-buffer"), "VS-Batch": Policy("vs-batch", "write-buffer"),
                   "VS-Batch+": Policy("vs-batch-plus", "write-buffer"),
                   "OPT": Policy("opt", "write-buffer"),
                   "OPT*": Policy("opt:avoid_thrashing=64", "write-buffer")}),
    # [Li22] Table 1, section 4.5.2. Its Table 2 has 0.02 GB for websearch_1: sector numbers read as bytes.
    "li22": Paper("li22", 8192, (32 * MIB,), True, 1000,
                {"Baseline": Policy("lru", "write-buffer"), "Baseline-RB": Policy("lru", "read-write"),
                 "C-Miner": Policy("lru", "write-buffer", "c-miner"), "ROP": Policy("lru", "write-buffer", "rop"),
                 "Pattern": Policy("lru", "write-buffer", "pattern"),
                 "Pattern+": Policy("lru", "write-buffer", "pattern-plus")},
                evicts=False, hybrids=True, bytes=("umass_websearch",)),
    # [Shin23] section 4. 15 ns per word of 4 bytes.
    "shin23": Paper("shin23", 8192, tuple(size * MIB for size in (32, 64, 128, 256, 512, 1024)), True, 15 * 2048,
                read_write(CFLRU="cflru", EF="cflru-ef") | {"EF-SC": Policy("cflru-ef-sc", "read-write")}),
    # [Zhou23] Table IV. MQ-SSD is its conventional SSD. LRU is not in the paper.
    "zhou23": Paper("zhou23", 8192, (128 * MIB,), True, 1000,
                {"MQ-SSD": Policy("mq-ssd", "write-buffer"), "LRU": Policy("lru", "write-buffer"),
                 "L-CoRW": Policy("lru", "l-corw"), "Co-Active": Policy("co-active", "read-write")}
                | read_write(CFLRU="cflru", LCR="lcr", ECR="ecr")
                | {f"CoRW{i}": Policy("lru", f"corw-{i}") for i in range(1, 9)}),
    # [Lin22] Table 1.
    "lin22": Paper("lin22", 4096, (16 * MIB, 32 * MIB, 64 * MIB), False, 1000,
                write_buffer(LRU="lru", BPLRU="bplru:block=64", VBBMS="vbbms:profile=lin22")
                | {"Req-block": Policy("req-block", "write-buffer")}),
}

# Sizes in proportion: the footprint of a trace divided by these.
PARTS = (32, 16, 8)
MIN_FRAMES = 256
