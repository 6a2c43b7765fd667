# SPDX-License-Identifier: GPL-2.0
"""
Why headlines differ. A cause has a number, the headlines that it may apply to, and experiments: comparisons of cells.csv that
isolate it. The page prints a cause's number only beside headlines that differ.
"""

from dataclasses import dataclass

from plan import BOTH_CLOSED, MAIN, TARGET


@dataclass(frozen=True)
class Experiment:
    """Changes of @metrics between the policies of each of @pairs, over the cells of a paper in @kinds."""
    paper: str
    pairs: tuple
    metrics: tuple = ("response",)
    kinds: tuple = MAIN
    only: str = ""


@dataclass(frozen=True)
class Cause:
    """@kind: implementation, stand-in, metric or trace; @headlines: ids, or what ids begin with."""
    number: int
    kind: str
    title: str
    headlines: tuple
    text: str
    experiments: tuple


CAUSES = (
    Cause(1, "metric", "Writes absorbed grow with the batch, not with what stays",
          ("sha23-11/VBBMS", "sha23-11/BPLRU", "lin22-8/BPLRU", "lin22-8/VBBMS", "lin22-9"),
          """A write is absorbed if nothing has to leave for it, so a batch of N pages lets N - 1 writes pass whatever is in them.
BPLRU evicts blocks of up to 256 ([Sha23]) or 64 ([Lin22]) pages, and VBBMS more pages than Req-block where requests are small. By overwrites
the policies are close at the paper's sizes, and no policy can gain more than the bound. With blocks of 4 pages BPLRU keeps nearly the same
pages in much smaller batches, and most of its lead in writes absorbed is gone. What remains in proportion is in overwrites, too: cause 15.""",
          (Experiment("sha23", (("BPLRU", "LRU"), ("BPLRU block=4", "LRU"), ("VS-Batch+", "BPLRU"), ("VS-Batch+", "BPLRU block=4")),
                      ("absorbed", "overwrites", "batch")),
           Experiment("lin22", (("BPLRU", "LRU"), ("BPLRU block=4", "LRU"), ("Req-block", "BPLRU"), ("Req-block", "BPLRU block=4")),
                      ("absorbed", "overwrites", "batch")))),
    Cause(2, "implementation", "How much of a BPLRU block is written at a time",
          ("sha23-14/BPLRU", "sha23-15/BPLRU", "sha23-16", "sha23-7/BPLRU", "lin22-4/BPLRU", "lin22-5"),
          """[Sha23] and [Lin22] write BPLRU's block to one flash block, "which fails to utilize access parallelism across multiple channels" [Lin22]. Here
that is as many pages at a time as a chip has planes: 4 for [Sha23] (`width=4`), 1 for [Lin22] (`width=1`). At recorded times, as the papers ran, BPLRU
then takes 6 to 9 % longer than LRU on [Sha23]'s device, and from 32 % longer to 28 % shorter on [Lin22]'s; the papers report 7 and 14 % less. With all
pages at once (`width=0`) BPLRU is faster than VS-Batch+ and Req-block, which no paper reports. Closed, a request waits for a whole block
while nothing else runs. With the kernel's limit to pages on their way requests wait for frames: the two last columns.""",
          (Experiment("sha23", (("BPLRU", "LRU"), ("BPLRU width=1", "LRU"), ("BPLRU width=8", "LRU"), ("BPLRU width=16", "LRU"),
                                ("BPLRU width=0", "LRU"), ("VS-Batch+", "BPLRU"), ("VS-Batch+", "BPLRU width=0")), kinds=MAIN + TARGET),
           Experiment("lin22", (("BPLRU", "LRU"), ("BPLRU width=4", "LRU"), ("BPLRU width=8", "LRU"), ("BPLRU width=16", "LRU"),
                                ("BPLRU width=0", "LRU"), ("Req-block", "BPLRU"), ("Req-block", "BPLRU width=0")), kinds=MAIN + TARGET))),
    Cause(3, "trace", "The initialization stage fills most of a short run",
          ("sha23-12/VS-Batch", "sha23-13/LRU", "sha23-13/VS-Batch", "sha23-13/VBBMS"),
          """Until DRAM has been full once, [Sha23] lets new pages enter the Eviction list, and only hit pages leave it. So pages written once
leave first, however recent, before any page that was hit, however long ago, and their neighbours soon return. In [Sha23]'s traces of
millions of requests that stage is nothing; in a prefix it is much of the run, and LRU has less than half of the events that it has in any trace
of the paper. Where it has as many, in traces with larger writes, the directions are mostly the paper's (column *all traces*). With `first=hit` new pages enter the Hit list from the start, and
most of the additional events are gone. They do not fall below LRU's, as [Sha23]'s do: few pages move along with hit pages here, a fraction of
the paper's (sha23-5), because most access counts of a short trace are equal.""",
          (Experiment("sha23", (("VS-Batch", "LRU"), ("VS-Batch first=hit", "LRU"), ("VS-Batch+", "LRU"), ("VS-Batch+ first=hit", "LRU"),
                                ("VS-Batch+ first=hit", "VS-Batch first=hit")), ("thrash", "overwrites")),)),
    Cause(4, "trace", "Blocks thrash at their edges only",
          ("sha23-12/VBBMS", "sha23-13/VBBMS"),
          """A thrash event is an evicted page that returns while a neighbour is still in DRAM. A policy that evicts blocks has such events at the edges
of blocks only, so on web_0 their number falls with the size of blocks: with virtual blocks of 2 pages VBBMS thrashes more, and BPLRU with blocks
of 4 pages thrashes more than LRU. That the regions have fixed shares hardly matters there (`borrow=on`). Where large requests recur, as in
PCMark or in a prefix repeated, the regions do matter, and the order is the paper's.""",
          (Experiment("sha23", (("VBBMS", "LRU"), ("VBBMS blocks=2", "LRU"), ("VBBMS borrow=on", "LRU"), ("BPLRU", "LRU"), ("BPLRU block=4", "LRU")),
                      ("thrash", "overwrites"), MAIN, "web_0"),
           Experiment("sha23", (("VBBMS", "LRU"), ("VS-Batch+", "VBBMS")), ("thrash",), ("paper-closed", "repeated")))),
    Cause(5, "stand-in", "Co-Active writes back early, and what is clean leaves first",
          ("sha23-7/Co-Active", "sha23-10/Co-Active", "sha23-12/Co-Active", "sha23-15/Co-Active", "sha23-16", "sha23-17/Co-Active",
           "zhou23-5", "zhou23-7/Co-Active", "zhou23-9/Co-Active", "zhou23-10/Co-Active"),
          """Co-Active's full text was not available; how much it writes back is ours. Pages written back are clean and leave first, however
recent: overwrites fall and neighbours return. In return a write finds a frame at once, so latencies are the lowest of all. With
`clean_max=0`, which writes nothing back early, Co-Active is LRU to the last digit, and VS-Batch+ is ahead of it as of LRU.""",
          (Experiment("sha23", (("Co-Active", "LRU"), ("Co-Active clean_max=0", "LRU"), ("VS-Batch+", "Co-Active"),
                                ("VS-Batch+", "Co-Active clean_max=0")), ("absorbed", "thrash", "response")),)),
    Cause(6, "implementation", "MQ-SSD writes each cold page at once",
          ("zhou23-10/MQ-SSD", "zhou23-10/CFLRU", "zhou23-10/LCR", "zhou23-10/ECR", "zhou23-10/Co-Active", "zhou23-6", "zhou23-8", "zhou23-9/MQ-SSD"),
          """MQSim's cache, over which [Zhou23] runs, writes a page through that was not written within the last second, and drops it then.
That makes frames free and latencies short, and programs more pages than policies that wait for an eviction. With `budget=0` the separation of
hot and cold pages stays and nothing is written early: most of the additional programs are gone, and most of the gain in latency with them. The
second reading, L-CoRW over LRU, programs hardly fewer pages than CFLRU, and is slower than MQ-SSD.""",
          (Experiment("zhou23", (("MQ-SSD", "CFLRU"), ("MQ-SSD budget=0", "CFLRU"), ("L-CoRW", "CFLRU"), ("L-CoRW on MQ-SSD budget=0", "CFLRU"),
                                 ("L-CoRW on LRU", "CFLRU"), ("L-CoRW on CFLRU-EF", "CFLRU")), ("waf", "response")),)),
    Cause(7, "trace", "L-CoRW's rules hardly ever apply",
          ("zhou23-5", "zhou23-6", "zhou23-9/MQ-SSD", "zhou23-10/MQ-SSD", "zhou23-19/L-CoRW", "zhou23-19/MQ-SSD"),
          """L-CoRW caches reads only while reads prevail and recur more than writes, and writes through only while hardly any written page recurs
(Ra_w < 0.01). On these traces that is rarely so: over LRU, too, L-CoRW is within a few per cent of `write-buffer` admission, and the CoRW schemes hardly
differ from each other.
Without the bound on Ra_w (`cold=1000`) L-CoRW acts; it then programs more pages, and gains nothing at recorded times.""",
          (Experiment("zhou23", (("L-CoRW", "MQ-SSD"), ("L-CoRW cold=1000", "MQ-SSD"), ("CoRW 1", "MQ-SSD"), ("CoRW 2", "MQ-SSD"),
                                 ("L-CoRW on MQ-SSD budget=0", "MQ-SSD budget=0"), ("L-CoRW on LRU", "LRU")), ("response", "p99", "waf")),)),
    Cause(8, "stand-in", "ROP's stand-in reads pages ahead that were never read before",
          ("li22-1/ROP", "li22-6/ROP", "li22-9/ROP", "li22-18/ROP", "li22-22/ROP", "li22-12/ROP"),
          """ROP's stand-in learns distances, so it reads ahead in sequential streams from the first request on. A pattern contains only pages that
were read before; the ROP of [Li22] probably does too, judging by its "Markov chains". On websearch, whose reads lie far apart, ROP gains little,
and Pattern+ overtakes it once the prefix repeats; on traces with sequential streams ROP stays ahead.""",
          (Experiment("li22", (("ROP", "Baseline"), ("Pattern+", "Baseline"), ("Pattern+", "ROP")), ("read",), ("paper", "repeated"), "hot"),
           Experiment("li22", (("ROP", "Baseline"), ("Pattern+", "Baseline"), ("Pattern+", "ROP")), ("read",), ("paper", "repeated"), "bytes"))),
    Cause(9, "stand-in", "Short traces, and support: C-Miner and Pattern believe sooner",
          ("li22-1/C-Miner", "li22-6/C-Miner", "li22-8/C-Miner", "li22-18/C-Miner", "li22-1/Pattern", "li22-6/Pattern", "li22-9/Pattern",
           "li22-18/Pattern", "li22-21/hits", "li22-21/time", "li22-20/latency", "li22-22/Baseline", "li22-1/Baseline", "li22-6/Baseline", "li22-18/Baseline", "li22-20/hits"),
          """C-Miner's stand-in believes a rule seen twice, Pattern+ a pattern seen three times; no paper states its support. Pattern+ starts with
nothing, and each window of 1024 requests brings in at most the 128 pages of its matrix; the paper's shortest trace has 600 windows, a prefix
here 10 to 100, so short windows win, too. With `min_support=2` Pattern+ comes closer to C-Miner, and on websearch, the paper's web1, it overtakes
C-Miner once the prefix repeats. Where no frames are scarce, Pattern+'s caution gains nothing against Pattern.""",
          (Experiment("li22", (("Pattern+", "C-Miner"), ("Pattern+ min_support=2", "C-Miner"), ("Pattern+", "Pattern"), ("Pattern+", "Baseline"),
                               ("Pattern+ hits=fire", "Pattern+")), ("read", "per_prefetch"), MAIN, "hot"),
           Experiment("li22", (("Pattern+", "C-Miner"), ("Pattern+", "Pattern"), ("Pattern+", "Baseline")), ("read",), ("paper-closed", "repeated"),
                      "bytes"))),
    Cause(10, "trace", "A second chance gains little where pages are not written again and again",
          ("shin23-2/web_0", "shin23-2/mix", "shin23-4/web_0", "shin23-4/mix", "shin23-5/web_0", "shin23-5/mix", "shin23-6/web_0", "shin23-6/mix",
           "shin23-1/mix", "shin23-15", "shin23-17", "shin23-18/EF-SC"),
          """EF-SC keeps pages that were written more than once. proj_0 and prxy_0, for which [Shin23] reports its gains in hits, write 95 and 97 %
of their traffic over and over; the prefixes here do not, and the bound says how much could be gained at all. EF-SC's lead over CFLRU in
latency is early flushing's: without it (`threshold=100,adapt=off`) most of that lead is gone, and against EF little remains.""",
          (Experiment("shin23", (("EF-SC", "CFLRU"), ("EF-SC no early flush", "CFLRU"), ("EF", "CFLRU"), ("EF-SC", "EF"),
                                 ("EF-SC ef_dies=device", "EF ef_dies=device")), ("response", "hits", "flushed")),)),
    Cause(11, "trace", "Frames for prefetched pages cost writes in steady state",
          ("li22-12/ROP", "li22-12/C-Miner", "li22-12/Pattern", "li22-12/Pattern+", "li22-4", "li22-7", "li22-17", "li22-19"),
          """Sizes in proportion leave few frames, and a device in steady state turns each page flushed sooner into erases; with the paper's 32 MiB
the traces write too little for erases at all. ROP's additional erases come with additional pages flushed. Where a prefetcher flushes as
many pages as Baseline, its erases differ because the same pages are programmed in another order, and so lie in other blocks.""",
          (Experiment("li22", (("ROP", "Baseline"), ("C-Miner", "Baseline"), ("Pattern", "Baseline"), ("Pattern+", "Baseline")),
                      ("erases", "overwrites", "flushed"), ("steady",)),)),
    Cause(12, "stand-in", "When VS-Batch rebuilds its graph is ours",
          ("sha23-8", "sha23-9"),
          """VS-Batch rebuilds here each time as much was written as DRAM holds ("periodically", by its abstract); VS-Batch+ when a fifth of the
graph's pages have left. In a run in which hardly more leaves than DRAM holds the second rule fires several times as often as the first. With
a threshold of 0.293 instead of 0.2 it fires less often in proportion.""",
          (Experiment("sha23", (("VS-Batch+", "VS-Batch"), ("VS-Batch+ rebuild=293", "VS-Batch"), ("VS-Batch+ rebuild=50", "VS-Batch")),
                      ("rebuilds",), BOTH_CLOSED),)),
    Cause(13, "implementation", "VS-Batch as [Sha23] describes it evicts one page",
          ("sha23-10/VS-Batch", "sha23-14/VS-Batch", "sha23-17/VS-Batch"),
          """[Sha23] says that VS-Batch has no batch evictions, and reports absorbed writes and latencies of VS-Batch close to those of VS-Batch+.
With one page per eviction VS-Batch differs from LRU in the order of victims only. With `evict=idle`, as the abstract of VS-Batch suggests, it takes as many
pages as channels are idle, and is ahead of LRU as [Sha23] reports; then it is also ahead of VS-Batch+.""",
          (Experiment("sha23", (("VS-Batch", "LRU"), ("VS-Batch evict=idle", "LRU"), ("VS-Batch+", "VS-Batch"), ("VS-Batch+", "VS-Batch evict=idle")),
                      ("absorbed", "response", "batch")),)),
    Cause(14, "trace", "Large batches are rarely in flight",
          ("sha23-7/LRU", "sha23-7/VBBMS", "sha23-7/BPLRU", "sha23-7/VS-Batch", "sha23-17/LRU", "sha23-17/VBBMS"),
          """A read that arrives while pages of a batch are programmed waits for its chip. The larger batches are, the more rarely one is in flight: on
web_0 at recorded times policies with batches block fewer reads than LRU, and VBBMS and BPLRU, whose batches are larger, fewer than VS-Batch+.
BPLRU with blocks of 4 pages loses that lead in proportion. Differences to LRU and VS-Batch elsewhere are a few per cent either way.""",
          (Experiment("sha23", (("VS-Batch+", "LRU"), ("VBBMS", "LRU"), ("BPLRU", "LRU"), ("BPLRU block=4", "LRU")), ("blocked", "batch"),
                      ("paper", "scaled"), "web_0"),
           Experiment("sha23", (("VS-Batch+", "LRU"), ("VS-Batch+", "VS-Batch")), ("blocked",)))),
    Cause(15, "trace", "Req-block favours small requests, which return no sooner on some traces",
          ("lin22-4/VBBMS", "lin22-8/VBBMS", "lin22-13/LRU", "lin22-13/BPLRU", "lin22-13/VBBMS", "lin22-8/LRU", "lin22-16", "lin22-12"),
          """Req-block keeps what small requests wrote, and pages that were hit. On web_0 that is right; on src1_0 pages are written twice and then no
more, so pages that were hit hold frames in vain, and every policy that favours used pages loses (`reuse.py` counts returns by access number).
With the same flash and requests, the comparison by trace is in [cells by trace](#cells-by-trace).""",
          (Experiment("lin22", (("Req-block", "LRU"), ("Req-block", "VBBMS"), ("Req-block delta=1", "Req-block"), ("Req-block delta=9", "Req-block")),
                      ("overwrites", "flushed", "response"), BOTH_CLOSED),
           Experiment("lin22", (("Req-block", "LRU"), ("Req-block", "VBBMS")), ("overwrites", "flushed", "response"), BOTH_CLOSED, "web_0"))),
    Cause(16, "trace", "All pages of some prefixes fit into 32 MiB",
          ("li22-3/worst", "li22-9/RB", "li22-13"),
          """Reads that enter DRAM cost latency where they make writes leave. Where all pages of a prefix fit into the paper's 32 MiB, or nearly, they do not,
and Baseline-RB gains; in proportion it is the worst, as [Li22] reports.""",
          (Experiment("li22", (("Baseline-RB", "Baseline"), ("Baseline-RB", "Pattern+")), ("read", "overwrites"), MAIN, "hot not bytes"),)),
    Cause(17, "trace", "Pages that leave together lie together",
          ("sha23-18", "sha23-19"),
          """GC runs follow the pages flushed, and VS-Batch+ flushes about as many as LRU and VS-Batch. What is left, a per cent or so of the runs, comes from
the order: a batch lies in other blocks than pages evicted one by one, and these blocks hold more or fewer valid pages when their turn
comes. [Sha23]'s devices write for days, and show no difference.""",
          (Experiment("sha23", (("VS-Batch+", "LRU"), ("VS-Batch+", "VS-Batch"), ("VS-Batch+", "VBBMS"), ("VS-Batch+", "Co-Active")),
                      ("gc", "erases", "flushed"), ("steady",)),)),
    Cause(18, "trace", "A flush each 30 s takes the work of early flushing away",
          ("shin23-15", "shin23-17"),
          """At recorded times hours of little traffic pass, and a flush each 30 s leaves few dirty pages to any policy, so EF-SC and CFLRU come close
to each other. [Shin23]'s mixture of four traces has 43 requests a second, and dirties far more pages in 30 s than web_0 alone.""",
          (Experiment("shin23", (("EF-SC", "CFLRU"),), ("response", "worst_percent"), ("paper", "flush", "scaled", "flush-scaled")),)),
    Cause(19, "trace", "OPT thrashes where files are rewritten in the same order",
          ("sha23-2",),
          """PCMark and IOzone rewrite files in the same order. OPT keeps a part of a file, and each page that returns beside that part counts as an event; LRU
has lost the neighbours, too, and counts none. On web_0, a trace of [Sha23], the direction is the paper's. `avoid_thrashing`, the stand-in for
[Sha23]'s change to OPT, spares few events.""",
          (Experiment("sha23", (("OPT", "LRU"), ("OPT*", "LRU"), ("OPT*", "OPT")), ("thrash", "overwrites")),
           Experiment("sha23", (("OPT", "LRU"), ("OPT*", "LRU")), ("thrash",), MAIN, "web_0"))),
    Cause(20, "trace", "Batches of VS-Batch+ shrink while channels are busy",
          ("sha23-15/VBBMS", "sha23-15/VS-Batch", "sha23-15/LRU"),
          """VS-Batch+ evicts no more pages than channels are idle. In bursts no channel is, and it evicts one page at a time, while VBBMS goes on evicting
whole virtual blocks. So at recorded times, and more so a hundred times as fast, VS-Batch+'s batches are the smaller ones, and VBBMS is ahead;
one request after the other, as a request finds the buffer in SSDsim, VS-Batch+'s are the larger ones, and the order of latencies is the paper's.""",
          (Experiment("sha23", (("VS-Batch+", "VBBMS"), ("VS-Batch+", "LRU"), ("VBBMS", "LRU")), ("batch", "response"), MAIN + ("fast",)),)),
)


def applies(cause, claim):
    """Another reading of a headline has the headline's causes."""
    of = claim.id.partition(",")[0]
    return any(of == key or of.startswith(key + "/") for key in cause.headlines)
