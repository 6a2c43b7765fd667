# SPDX-License-Identifier: GPL-2.0
"""
Why headlines differ. A cause has a number, the headlines that it may apply to, and experiments: comparisons of cells.csv that
isolate it. The page prints a cause's number only beside headlines that differ.
"""

from dataclasses import dataclass

from plan import APART, BOTH_CLOSED, MAIN, ROOMY, TARGET, WHOLE


@dataclass(frozen=True)
class Experiment:
    """Changes of @metrics between the policies of each of @pairs, over the cells of a paper in @kinds. A pair with None: the mean."""
    paper: str
    pairs: tuple
    metrics: tuple = ("response",)
    kinds: tuple = MAIN
    only: str = ""


@dataclass(frozen=True)
class Cause:
    """
    @kind: implementation, stand-in, metric or trace
    @headlines: ids, or what ids begin with
    @text: its figures are those of the data: see page.filled()
    """
    number: int
    kind: str
    title: str
    headlines: tuple
    text: str
    experiments: tuple


TIMED_ROOMY, TIMED_WHOLE = (tuple(kind for kind in kinds if "closed" not in kind) for kinds in (ROOMY, WHOLE))

CAUSES = (
    Cause(1, "metric", "Writes absorbed grow with the batch, not with what stays",
          ("sha23-11/VBBMS", "sha23-11/BPLRU", "lin22-8/BPLRU", "lin22-9"),
          """A write is absorbed if no page has to leave for it, so a batch of N pages lets N - 1 writes pass, whatever they write.
VBBMS evicts virtual blocks of 6 and 8 pages, BPLRU evicts blocks of up to 256 ([Sha23]) or 64 ([Lin22]). In overwrite hits VS-Batch+ is close to both:
{change:sha23,MAIN,VS-Batch+,VBBMS,overwrites} against VBBMS, {change:sha23,MAIN,VS-Batch+,BPLRU,overwrites} against BPLRU. With virtual
blocks of two pages VBBMS's batches are smaller than VS-Batch+'s, and the direction is the paper's: VS-Batch+ absorbs
{change:sha23,MAIN,VS-Batch+,VBBMS blocks=2,absorbed} (the paper, with larger blocks: +2.1 %). With blocks of 4 pages BPLRU's batches are still the
larger ones; VS-Batch+'s difference to BPLRU shrinks from {change:sha23,MAIN,VS-Batch+,BPLRU,absorbed} to {change:sha23,MAIN,VS-Batch+,BPLRU block=4,absorbed}. With
blocks of 2 pages the difference is {change:sha23,MAIN,VS-Batch+,BPLRU block=2,absorbed,web_0} on web_0, where VS-Batch+'s batches are then the larger ones, and
{change:sha23,paper-closed/scaled-closed,VS-Batch+,BPLRU block=2,absorbed,tencent} on tencent, where VS-Batch+'s batches still are a little smaller.

In [Lin22]'s runs of web_0, batches of BPLRU with blocks of 4 pages are smaller than Req-block's, and Req-block absorbs
{change:lin22,MAIN,Req-block,BPLRU block=4,absorbed,web_0} against BPLRU instead of {change:lin22,MAIN,Req-block,BPLRU,absorbed,web_0}. There smaller blocks also
cost BPLRU overwrite hits, so the batch does not explain the whole difference. On src1_0 [C15](#c15) adds to the difference.

[Sha23]'s figures cannot be of the metric that the paper defines. In its VBBMS "each virtual block unconditionally has more than 6 pages" (4.3.1), so at most
one write in six ejects data, and at least 83 % of the writes are absorbed; Fig. 10 has 58.1 %. BPLRU's 0.9 KB of metadata (Table 4) are sixteen full
blocks, which absorb 99 %; Fig. 10 has 51.6 %. As overwrite hits all figures of the paper are possible: they lie between LRU's 49.5 % and OPT's 62.4 %
(Fig. 1b: 26 % more). The summary has a row with that reading.""",
          (Experiment("sha23", (("VS-Batch+", "VBBMS"), ("VS-Batch+", "VBBMS blocks=2"), ("VS-Batch+", "BPLRU"), ("VS-Batch+", "BPLRU block=4"),
                                ("VS-Batch+", "BPLRU block=2")), ("absorbed", "overwrites", "batch")),
           Experiment("sha23", (("VS-Batch+", "BPLRU block=2"),), ("absorbed", "overwrites", "batch"), MAIN, "web_0"),
           Experiment("sha23", (("VS-Batch+", "BPLRU block=2"),), ("absorbed", "overwrites", "batch"), BOTH_CLOSED, "tencent"),
           Experiment("lin22", (("Req-block", "BPLRU"), ("Req-block", "BPLRU block=4")), ("absorbed", "overwrites", "batch"), MAIN, "web_0"),
           Experiment("lin22", (("Req-block", "BPLRU"), ("Req-block", "BPLRU block=4")), ("absorbed", "overwrites", "batch"), MAIN, "src1_0"))),
    Cause(2, "implementation", "How much of a BPLRU block is written at a time",
          ("sha23-14/BPLRU", "sha23-15/BPLRU", "sha23-16", "lin22-4/BPLRU", "lin22-5"),
          """[Sha23] and [Lin22] write BPLRU's block to one flash block, "which fails to utilize access parallelism across multiple channels" [Lin22]. Page by
page (`width=1`) BPLRU is slower than LRU: its latency is {change:sha23,MAIN,BPLRU width=1,LRU,response,web_0} against LRU's on web_0 with [Sha23]'s device. No paper
reports that. So the study takes the width with which BPLRU is nearest to its published distance to LRU. For [Sha23] that width is `width=4`, the number
of planes of its chips. On web_0, a trace of that paper, BPLRU then has {change:sha23,MAIN,BPLRU,LRU,response,web_0}; the paper has −7.1 %. On tencent, which
runs closed only, BPLRU has {change:sha23,paper-closed/scaled-closed,BPLRU,LRU,response,tencent}, and with eight pages at a time
{change:sha23,paper-closed/scaled-closed,BPLRU width=8,LRU,response,tencent}. With all pages at once
VS-Batch+ is slower than BPLRU on web_0 ({change:sha23,MAIN,VS-Batch+,BPLRU width=0,response,web_0}), which no paper reports either.

By [Lin22]'s ratios to Req-block, BPLRU takes 14 % less time than LRU in that paper. No width gives that figure in every kind of run. In the mean of the
four kinds `width=2`, the number of chips of a channel, is nearest ([bplru](policies/bplru.md)). Against LRU, BPLRU has
{change:lin22,MAIN,BPLRU,LRU,response} with `width=2`, {change:lin22,MAIN,BPLRU width=1,LRU,response} with `width=1`, and
{change:lin22,MAIN,BPLRU width=4,LRU,response} with `width=4`. The headline depends on this choice: Req-block has a latency of
{change:lin22,MAIN,Req-block,BPLRU,response} against BPLRU with `width=2` (the paper: −11.3 %), {change:lin22,MAIN,Req-block,BPLRU width=1,response} with
`width=1`, and {change:lin22,MAIN,Req-block,BPLRU width=4,response} with `width=4`; the summary has a row with `width=4`. The policy's default is `width=4`.""",
          (Experiment("sha23", (("BPLRU", "LRU"), ("BPLRU width=1", "LRU"), ("BPLRU width=8", "LRU"), ("BPLRU width=0", "LRU"),
                                ("VS-Batch+", "BPLRU width=0")), ("response",), MAIN + TARGET, "web_0"),
           Experiment("sha23", (("BPLRU", "LRU"), ("BPLRU width=8", "LRU")), ("response",), BOTH_CLOSED, "tencent"),
           Experiment("lin22", (("BPLRU", "LRU"), ("BPLRU width=1", "LRU"), ("BPLRU width=4", "LRU"), ("BPLRU width=8", "LRU"),
                                ("BPLRU width=16", "LRU"), ("BPLRU width=0", "LRU"), ("Req-block", "BPLRU"), ("Req-block", "BPLRU width=1"),
                                ("Req-block", "BPLRU width=4"), ("Req-block", "BPLRU width=0")), kinds=MAIN + TARGET))),
    Cause(3, "trace", "The initialization stage fills most of a short run",
          ("sha23-12/VS-Batch", "sha23-13/LRU", "sha23-13/VS-Batch", "sha23-13/VBBMS"),
          """Until DRAM has been full once, [Sha23] lets new pages enter the Eviction list, and only pages that are hit leave it. So
recent pages that were written once leave DRAM before pages that were hit long ago, and their neighbours soon return. This stage is
negligible in [Sha23]'s traces of millions of requests, but it is much of a run of a prefix. With `first=hit` new pages enter the Hit list from the
start. VS-Batch then has {change:sha23,MAIN,VS-Batch first=hit,LRU,thrash} thrash events against LRU instead of {change:sha23,MAIN,VS-Batch,LRU,thrash}, and VS-Batch+ has
{change:sha23,MAIN,VS-Batch+ first=hit,LRU,thrash} instead of {change:sha23,MAIN,VS-Batch+,LRU,thrash}. These events do not fall below LRU's, as they do in
[Sha23], and LRU itself has at most {most:sha23,MAIN,LRU,thrash} events. One benchmark here has as many events as the paper's traces, disksim_iozone100k
with 12 cells, but its writes are larger. There (column *all traces*) the directions are the paper's, except that of VS-Batch against LRU
(sha23-12/VS-Batch).""",
          (Experiment("sha23", (("VS-Batch", "LRU"), ("VS-Batch first=hit", "LRU"), ("VS-Batch+", "LRU"), ("VS-Batch+ first=hit", "LRU"),
                                ("VS-Batch+", "VS-Batch"), ("VS-Batch+ first=hit", "VS-Batch first=hit")), ("thrash",)),)),
    Cause(4, "trace", "Blocks thrash at their edges only",
          ("sha23-12/VBBMS", "sha23-13/VBBMS"),
          """A thrash event is an evicted page that returns while a neighbour is still in DRAM. A policy that evicts blocks has such events at the edges
of blocks only, so on web_0 their number falls with the size of blocks: with virtual blocks of 2 pages VBBMS thrashes more than LRU, and so does BPLRU
with blocks of 4 pages. The fixed shares of VBBMS's regions hardly matter there (`borrow=on`). Where a prefix repeats, the regions do matter, and the
order is the paper's, but the events are few.""",
          (Experiment("sha23", (("VBBMS", "LRU"), ("VBBMS blocks=2", "LRU"), ("VBBMS borrow=on", "LRU"), ("BPLRU", "LRU"), ("BPLRU block=4", "LRU")),
                      ("thrash", "overwrites"), MAIN, "web_0"),
           Experiment("sha23", (("VBBMS", "LRU"), ("VS-Batch+", "VBBMS")), ("thrash",), ("paper-closed", "repeated")))),
    Cause(5, "stand-in", "Co-Active writes back early, and what is clean leaves first",
          ("sha23-7/Co-Active", "sha23-10/Co-Active", "sha23-12/Co-Active", "sha23-15/Co-Active", "sha23-16", "sha23-17/Co-Active",
           "zhou23-5", "zhou23-7/Co-Active", "zhou23-9/Co-Active", "zhou23-10/Co-Active"),
          """Co-Active's full text was not available; how much it writes back early is our choice. Pages written back are clean and leave first,
even if they are recent: overwrite hits change by {change:sha23,MAIN,Co-Active,LRU,overwrites} against LRU, and neighbours return. In exchange a write finds a frame at once:
latencies change by {change:sha23,MAIN,Co-Active,LRU,response}, and VS-Batch+'s latency is {change:sha23,MAIN,VS-Batch+,Co-Active,response} against Co-Active's. With `clean_max=0`
Co-Active writes nothing back early. It then equals LRU to the last digit, and VS-Batch+'s latency is {change:sha23,MAIN,VS-Batch+,Co-Active clean_max=0,response} against
Co-Active's. In [Zhou23]'s runs Co-Active's latency is {change:zhou23,MAIN,Co-Active,CFLRU,response} against CFLRU's, for {change:zhou23,MAIN,Co-Active,CFLRU,waf}
programs.""",
          (Experiment("sha23", (("Co-Active", "LRU"), ("Co-Active clean_max=0", "LRU"), ("VS-Batch+", "Co-Active"),
                                ("VS-Batch+", "Co-Active clean_max=0")), ("absorbed", "overwrites", "thrash", "response", "worst_permille")),
           Experiment("zhou23", (("Co-Active", "CFLRU"), ("L-CoRW", "Co-Active")), ("response", "p99", "waf")))),
    Cause(6, "implementation", "MQ-SSD writes each cold page at once",
          ("zhou23-6", "zhou23-8", "zhou23-9/MQ-SSD", "zhou23-10/MQ-SSD", "zhou23-10/CFLRU", "zhou23-10/LCR", "zhou23-10/ECR", "zhou23-10/Co-Active"),
          """MQSim's cache, [Zhou23]'s conventional SSD, writes a page through if the page was not written within the last second, and then drops it.
Dropped pages leave free frames, so latencies are short, {change:zhou23,MAIN,MQ-SSD,CFLRU,response} against CFLRU, for
{change:zhou23,MAIN,MQ-SSD,CFLRU,waf} programs. L-CoRW writes a page back unless Algorithm 1 has it written through (lines 11 to 14): the page "only needs to
be written to the cache", and is flushed when it is replaced; "writing cold data … in advance" is for times of little traffic (VI-B). So here L-CoRW runs
on MQSim's cache without the early writes, which is an LRU list. It keeps pages that it has written through, as the clean ratio counts them. L-CoRW programs
{change:zhou23,MAIN,L-CoRW,MQ-SSD,waf} against MQ-SSD (the paper: −24.3 %), and waits for flash where MQ-SSD does not.

On MQSim's cache with its early writes (rows *on MQ-SSD*) L-CoRW has MQ-SSD's latency, {change:zhou23,MAIN,L-CoRW on MQ-SSD,MQ-SSD,response}, but not fewer
programs, {change:zhou23,MAIN,L-CoRW on MQ-SSD,MQ-SSD,waf}, because its own rules can only add to what MQ-SSD writes. No reading of the paper that was
tried has both of its figures. Without early writes MQ-SSD itself has {change:zhou23,MAIN,LRU,CFLRU,response} in latency and
{change:zhou23,MAIN,LRU,CFLRU,waf} in programs against CFLRU.""",
          (Experiment("zhou23", (("MQ-SSD", "CFLRU"), ("LRU", "CFLRU"), ("L-CoRW", "CFLRU"), ("L-CoRW", "MQ-SSD"), ("L-CoRW on MQ-SSD", "CFLRU"),
                                 ("L-CoRW on MQ-SSD", "MQ-SSD"), ("L-CoRW on MQ-SSD keep_clean=on", "MQ-SSD")), ("waf", "response", "p99")),)),
    Cause(7, "trace", "L-CoRW's rules hardly ever apply",
          ("zhou23-5", "zhou23-6", "zhou23-7/CFLRU", "zhou23-9/MQ-SSD", "zhou23-10/CFLRU", "zhou23-19/L-CoRW", "zhou23-19/MQ-SSD"),
          """L-CoRW caches reads only while reads prevail and recur more than writes, and writes through only while hardly any written page recurs
(Ra_w < 0.01). Both conditions rarely hold on these traces: against `write-buffer` admission
L-CoRW's latency is {change:zhou23,MAIN,L-CoRW,LRU,response}, and the CoRW schemes mostly make the same decisions. Without the bound on Ra_w (`cold=1000`) L-CoRW acts: programs change by
{change:zhou23,MAIN,L-CoRW cold=1000,LRU,waf}, mean latency by {change:zhou23,MAIN,L-CoRW cold=1000,LRU,response}, P99 by
{change:zhou23,MAIN,L-CoRW cold=1000,LRU,p99}. The paper does not say over which time Ra is taken. If that time is the interval of 0.2 s
(`rar_window=0`), hardly any write recurs and both rules apply. Reads then push writes out of small caches: latency changes by
{change:zhou23,MAIN,L-CoRW rar_window=0,LRU,response}, programs by {change:zhou23,MAIN,L-CoRW rar_window=0,LRU,waf}.""",
          (Experiment("zhou23", (("L-CoRW", "LRU"), ("L-CoRW cold=1000", "LRU"), ("L-CoRW rar_window=0", "LRU"), ("CoRW 1", "LRU"), ("CoRW 2", "LRU"),
                                 ("CoRW 5", "LRU"), ("L-CoRW on MQ-SSD", "MQ-SSD")), ("response", "p99", "waf")),)),
    Cause(8, "stand-in", "ROP's stand-in reads pages ahead that were never read before",
          ("li22-1/ROP", "li22-6/ROP", "li22-9/ROP", "li22-9/RB", "li22-18/ROP", "li22-22/ROP", "li22-12/ROP"),
          """ROP's stand-in learns distances, so it reads ahead in sequential streams from the first request on. A pattern of Pattern+ contains only pages
that were read before; the ROP of [Li22] probably also reads only such pages, judging by its "Markov chains". On websearch, whose reads lie far apart, ROP's
read latency is {change:li22,paper/paper-closed,ROP,Baseline,read,bytes} against Baseline's, and Pattern+ overtakes ROP once the prefix repeats
({change:li22,repeated,Pattern+,ROP,read,bytes}). On traces with sequential streams ROP stays ahead, and also saves more than Baseline-RB.""",
          (Experiment("li22", (("ROP", "Baseline"), ("Pattern+", "Baseline"), ("Pattern+", "ROP"), ("Baseline-RB", "ROP")), ("read", "saved"),
                      ("paper", "paper-closed", "repeated"), "hot not bytes"),
           Experiment("li22", (("ROP", "Baseline"), ("Pattern+", "Baseline"), ("Pattern+", "ROP"), ("Baseline-RB", "ROP")), ("read", "saved"),
                      ("paper", "paper-closed", "repeated"), "bytes"))),
    Cause(9, "trace", "Short traces, and support: C-Miner and Pattern use patterns sooner",
          ("li22-1/C-Miner", "li22-6/C-Miner", "li22-8/C-Miner", "li22-18/C-Miner", "li22-1/Pattern", "li22-6/Pattern", "li22-9/Pattern",
           "li22-18/Pattern", "li22-21/hits", "li22-21/time", "li22-20/latency", "li22-22/Baseline", "li22-1/Baseline", "li22-6/Baseline",
           "li22-18/Baseline", "li22-20/hits"),
          """C-Miner's stand-in uses a rule that it has seen twice, Pattern+ uses a pattern that it has seen three times; no paper states its
support. Pattern+ starts with nothing, and each window of 1024 requests brings in at most the 128 pages of its matrix; the paper's shortest trace has 600 windows, a prefix
has 10 to 100. With `min_support=2` Pattern+'s read latency is {change:li22,paper/paper-closed,Pattern+ min_support=2,C-Miner,read,hot} against C-Miner's at
the paper's size instead of {change:li22,paper/paper-closed,Pattern+,C-Miner,read,hot}, and on websearch, the paper's web1, it overtakes C-Miner once the prefix repeats.
Where frames are not scarce, Pattern+'s caution gains nothing against Pattern.

A quarter of each window is mined. The window of 1024 requests has the shortest latency, as the paper reports; against it the others take
{change:li22,paper-closed/repeated,Pattern+ window=256,Pattern+,response,hot}, {change:li22,paper-closed/repeated,Pattern+ window=512,Pattern+,response,hot} and
{change:li22,paper-closed/repeated,Pattern+ window=2048,Pattern+,response,hot} (256, 512, 2048). Hits per prefetched page do not grow with the window: shorter
windows find fewer patterns, and prefetch {change:li22,paper-closed/repeated,Pattern+ window=256,Pattern+,prefetched,bytes} and
{change:li22,paper-closed/repeated,Pattern+ window=512,Pattern+,prefetched,bytes} pages on websearch (256, 512), which are the most read ones. On
Financial1 repeated, where all windows prefetch about as many pages, 1024 has the most hits per page. On web_0 1024 prefetches five pages, too few to compare.""",
          (Experiment("li22", (("Pattern+", "C-Miner"), ("Pattern+ min_support=2", "C-Miner"), ("Pattern+", "Pattern"), ("Pattern+", "Baseline"),
                               ("Pattern+ hits=fire", "Pattern+")), ("read", "per_prefetch"), MAIN, "hot"),
           Experiment("li22", (("Pattern+", "C-Miner"), ("Pattern+", "Pattern"), ("Pattern+", "Baseline")), ("read",), ("paper-closed", "repeated"),
                      "bytes"),
           Experiment("li22", (("Pattern+", "Pattern+ window=256"), ("Pattern+", "Pattern+ window=512"), ("Pattern+", "Pattern+ window=2048")),
                      ("per_prefetch", "prefetched", "response"), BOTH_CLOSED + ("repeated",), "hot"),
           Experiment("li22", (("Pattern+", "Baseline"), ("Pattern+", "C-Miner"), ("Pattern+", "Pattern")), ("response",), ("hybrid", "hybrid-closed")))),
    Cause(10, "trace", "A second chance gains little where pages are not written again and again",
          ("shin23-2/web_0", "shin23-2/mix", "shin23-4/web_0", "shin23-4/mix", "shin23-5/web_0", "shin23-5/mix", "shin23-6/web_0", "shin23-6/mix",
           "shin23-18/EF-SC"),
          """EF-SC keeps pages that were written more than once. proj_0 and prxy_0, for which [Shin23] reports its gains in hits, write 44 and 56 times
their logical space, the mixture 12 times, web_0 1.6 times (Table 1). The prefixes here write less than they touch: web_0's
{trace:msr_web0_100k,times}, tencent's {trace:tencent_cbs_sample50k,times}, alibaba_cut719's {trace:alibaba_cut719_replayed,times} times. EF differs from EF-SC only in the second chance. Against EF, EF-SC
has {change:shin23,MAIN,EF-SC,EF,response} in latency, and its hits change by {change:shin23,MAIN,EF-SC,EF,hits}. Its lead over CFLRU comes from early flushing: EF alone has
{change:shin23,MAIN,EF,CFLRU,response} against CFLRU, and EF-SC without early flushing (`threshold=100,adapt=off`)
{change:shin23,MAIN,EF-SC no early flush,CFLRU,response}. In closed runs most of the changes come from tencent, where EF has fewer hits than CFLRU and less
latency; without tencent closed runs are close to runs at recorded times. In pages written to flash no policy can gain more than the bound beside
each headline.""",
          (Experiment("shin23", (("EF-SC", "CFLRU"), ("EF-SC no early flush", "CFLRU"), ("EF", "CFLRU"), ("EF-SC", "EF"),
                                 ("EF-SC ef_dies=device", "EF ef_dies=device")), ("response", "worst_percent", "hits", "flushed")),
           Experiment("shin23", (("EF-SC", "CFLRU"), ("EF-SC", "EF")), ("response", "hits"), MAIN, "not tencent"),
           Experiment("shin23", (("EF-SC", "CFLRU"), ("EF-SC", "EF")), ("response", "hits"), BOTH_CLOSED, "tencent"),
           Experiment("shin23", (("EF-SC", "EF"),), ("flushed", "hits"), ("flush", "flush-scaled")))),
    Cause(11, "trace", "Frames for prefetched pages cost writes in steady state",
          ("li22-12/ROP", "li22-12/C-Miner", "li22-12/Pattern", "li22-12/Pattern+", "li22-4", "li22-7", "li22-17", "li22-19"),
          """DRAM sizes in proportion leave few frames, so pages are flushed sooner, and a device in steady state turns these flushes into erases. With the
paper's 32 MiB the traces write too little for any erases. ROP's additional erases come with additional pages flushed. Where a prefetcher flushes as
many pages as Baseline, its erases differ because the same pages are programmed in another order, and so lie in other blocks.""",
          (Experiment("li22", (("ROP", "Baseline"), ("C-Miner", "Baseline"), ("Pattern", "Baseline"), ("Pattern+", "Baseline")),
                      ("erases", "overwrites", "flushed"), ("steady",)),)),
    Cause(12, "trace", "Rebuilds follow the pages evicted per page written",
          ("sha23-8", "sha23-9"),
          """VS-Batch rebuilds its graph whenever as much data was written as DRAM holds ([Sha23] 3.2.2), VS-Batch+ whenever a fifth of DRAM was evicted
(4.2.3). So VS-Batch+ rebuilds less often only where fewer than one page leaves for five pages of data written. The number of pages that leave has a
proven bound. web_0 is the only trace of few writes. Even with the fewest evictions that are possible, web_0's evictions make VS-Batch+ rebuild
{bound:sha23,MAIN,VS-Batch,rebuilds,few writes} as often as VS-Batch, so web_0 cannot show [Sha23]'s −63.9 %. [Sha23] explains its figure by LUN traces
that "do not have intensive cache evictions".

In the runs web_0 evicts {mean:sha23,MAIN,VS-Batch+,evicted_share,web_0} pages per page written; tencent, where small writes take whole pages, evicts
{mean:sha23,paper-closed/scaled-closed,VS-Batch+,evicted_share,tencent}. With another threshold than a fifth of DRAM the number of rebuilds changes:
{change:sha23,paper-closed/scaled-closed,VS-Batch+ rebuild=293,VS-Batch,rebuilds} at 0.293,
{change:sha23,paper-closed/scaled-closed,VS-Batch+ rebuild=50,VS-Batch,rebuilds} at 0.05.""",
          (Experiment("sha23", (("VS-Batch+", None), ("VS-Batch+", "VS-Batch")), ("evicted_share", "rebuilds"), MAIN, "web_0"),
           Experiment("sha23", (("VS-Batch+", None), ("VS-Batch+", "VS-Batch")), ("evicted_share", "rebuilds"), BOTH_CLOSED, "tencent"),
           Experiment("sha23", (("VS-Batch+ rebuild=293", "VS-Batch"), ("VS-Batch+ rebuild=50", "VS-Batch")), ("rebuilds",), BOTH_CLOSED))),
    Cause(13, "implementation", "VS-Batch as [Sha23] describes it evicts one page",
          ("sha23-10/VS-Batch", "sha23-14/VS-Batch"),
          """[Sha23] says that VS-Batch has no batch evictions, and reports absorbed writes and latencies of VS-Batch close to those of VS-Batch+.
With one page per eviction VS-Batch differs from LRU in the order of victims only. With `evict=idle`, as the abstract of VS-Batch suggests, it evicts as many
pages as channels are idle. It then absorbs {change:sha23,MAIN,VS-Batch evict=idle,LRU,absorbed} writes against LRU ([Sha23]: +18.8 %), with a latency of
{change:sha23,MAIN,VS-Batch evict=idle,LRU,response} ([Sha23]: −28.6 %); but VS-Batch+'s latency is then {change:sha23,MAIN,VS-Batch+,VS-Batch evict=idle,response} against VS-Batch's.""",
          (Experiment("sha23", (("VS-Batch", "LRU"), ("VS-Batch evict=idle", "LRU"), ("VS-Batch+", "VS-Batch"), ("VS-Batch+", "VS-Batch evict=idle")),
                      ("absorbed", "response", "batch")),)),
    Cause(14, "implementation", "Fills of partly valid victims wait behind programs",
          ("sha23-7/LRU", "sha23-7/VBBMS", "sha23-7/BPLRU", "sha23-17/VBBMS"),
          """Writes of these traces seldom begin and end at a page of 8 KiB, and [Sha23] does not say what becomes of a victim that is partly valid. Here
such a victim is filled before its flush: its other sectors are read from flash. This read counts as blocked if its chip already programs another page, and
the request then waits for one program after the other. VS-Batch+ and VBBMS fill about as many pages, but fewer of VBBMS's fills meet a program, because
its victims leave by blocks.

In the kinds *nothing erased* the flash is four times as large, which avoids erases ([C19](#c19)). In *whole pages written* each write is also extended to
whole pages, and nothing is filled. In closed runs VS-Batch+'s slowest 0.1 % are then
{change:sha23,paper-closed-whole/scaled-closed-whole,VS-Batch+,VBBMS,worst_permille,web_0} against VBBMS's on web_0, where nearly all of both take one program, instead of
{change:sha23,paper-closed-roomy/scaled-closed-roomy,VS-Batch+,VBBMS,worst_permille,web_0}, and
{change:sha23,paper-closed-whole/scaled-closed-whole,VS-Batch+,VBBMS,worst_permille,tencent} instead of
{change:sha23,paper-closed-roomy/scaled-closed-roomy,VS-Batch+,VBBMS,worst_permille,tencent} on tencent. At recorded times, with web_0 alone, they are
{change:sha23,paper-whole/scaled-whole,VS-Batch+,VBBMS,worst_permille} instead of {change:sha23,paper-roomy/scaled-roomy,VS-Batch+,VBBMS,worst_permille}; [Sha23]
has 1.5 % less.

At recorded times most of the reads that VS-Batch+ blocks are fills, and nearly half of VBBMS's: without fills {mean:sha23,paper-whole/scaled-whole,VS-Batch+,blocked} reads
instead of {mean:sha23,paper-roomy/scaled-roomy,VS-Batch+,blocked} are blocked with VS-Batch+, with VBBMS {mean:sha23,paper-whole/scaled-whole,VBBMS,blocked} instead of
{mean:sha23,paper-roomy/scaled-roomy,VBBMS,blocked}, with BPLRU {mean:sha23,paper-whole/scaled-whole,BPLRU,blocked} instead of
{mean:sha23,paper-roomy/scaled-roomy,BPLRU,blocked}. The other blocked reads are reads of the host that closely follow a write which evicts: VS-Batch+ has
{change:sha23,paper-whole/scaled-whole,VS-Batch+,VBBMS,blocked} against VBBMS and {change:sha23,paper-whole/scaled-whole,VS-Batch+,BPLRU,blocked} against BPLRU. In
the kinds *reads at any time* reads seldom follow such a write: {mean:sha23,paper-apart/scaled-apart,VS-Batch+,blocked} are blocked with VS-Batch+,
{mean:sha23,paper-apart/scaled-apart,VBBMS,blocked} with VBBMS, {mean:sha23,paper-apart/scaled-apart,BPLRU,blocked} with BPLRU, too few to compare.""",
          (Experiment("sha23", (("VS-Batch+", "VBBMS"),), ("worst_permille",), ROOMY + WHOLE, "web_0"),
           Experiment("sha23", (("VS-Batch+", "VBBMS"),), ("worst_permille",), tuple(kind for kind in ROOMY + WHOLE if "closed" in kind), "tencent"),
           Experiment("sha23", (("VS-Batch+", "VBBMS"), ("VS-Batch+", "BPLRU"), ("VS-Batch+", "LRU")), ("blocked",), TIMED_ROOMY + TIMED_WHOLE),
           Experiment("sha23", tuple((name, None) for name in ("VS-Batch+", "VBBMS", "BPLRU", "LRU")), ("blocked", "fills"),
                      TIMED_ROOMY + TIMED_WHOLE + APART))),
    Cause(15, "trace", "Req-block favours small requests and used pages, which do not return on src1_0",
          ("lin22-4/VBBMS", "lin22-8/VBBMS", "lin22-13/LRU", "lin22-13/BPLRU", "lin22-13/VBBMS", "lin22-8/LRU", "lin22-16", "lin22-12"),
          """Req-block keeps pages that small requests wrote, and pages that were hit. On src1_0 pages are written twice and then no more.
`reuse.py --page 4096 --writes 4096` prints the share of accesses that are followed by another one within as many pages as 16 MiB hold: on src1_0 24.4 % of
first accesses and 0.7 % of second ones, on web_0 92.0 % of fourth and later ones. So on src1_0 pages that were hit hold frames in vain:
Req-block writes {change:lin22,MAIN,Req-block,BPLRU,flushed,src1_0} pages there against BPLRU and {change:lin22,MAIN,Req-block,VBBMS,flushed,src1_0} against VBBMS.

BPLRU shows the effect of the opposite order: it first evicts blocks that were written completely. With blocks of 4 pages BPLRU writes
{change:lin22,MAIN,BPLRU block=4,LRU,flushed,src1_0} pages against LRU on src1_0, and {change:lin22,MAIN,BPLRU block=4,LRU,flushed,web_0} on web_0, where complete
blocks do return. VBBMS, whose blocks are as small and stay in LRU order, has {change:lin22,MAIN,VBBMS,LRU,flushed,src1_0} and
{change:lin22,MAIN,VBBMS,LRU,flushed,web_0}.

On web_0 Req-block writes {change:lin22,MAIN,Req-block,VBBMS,flushed,web_0} pages against VBBMS and {change:lin22,MAIN,Req-block,LRU,flushed,web_0} against LRU, in
the paper's directions. Against BPLRU it writes {change:lin22,paper/paper-closed,Req-block,BPLRU,flushed,web_0} at the paper's sizes, but
{change:lin22,scaled/scaled-closed,Req-block,BPLRU,flushed,web_0} in proportion, where BPLRU also has more overwrite hits. Writes absorbed against VBBMS are
{change:lin22,MAIN,Req-block,VBBMS,absorbed,web_0} on web_0 (the paper: +4.1 %) and {change:lin22,MAIN,Req-block,VBBMS,absorbed,src1_0} on src1_0.""",
          (Experiment("lin22", (("Req-block", "LRU"), ("Req-block", "BPLRU"), ("Req-block", "VBBMS"), ("BPLRU block=4", "LRU"), ("VBBMS", "LRU")),
                      ("absorbed", "overwrites", "flushed"), MAIN, "web_0"),
           Experiment("lin22", (("Req-block", "LRU"), ("Req-block", "BPLRU"), ("Req-block", "VBBMS"), ("BPLRU block=4", "LRU"), ("VBBMS", "LRU")),
                      ("absorbed", "overwrites", "flushed"), MAIN, "src1_0"),
           Experiment("lin22", (("Req-block delta=1", "Req-block"), ("Req-block delta=9", "Req-block")), ("overwrites", "flushed", "response"), BOTH_CLOSED))),
    Cause(16, "trace", "All pages of some prefixes fit into 32 MiB, or nearly",
          ("li22-3/worst", "li22-9/RB", "li22-13"),
          """A read that enters full DRAM makes a page leave, and waits for its flush if the page is dirty. Where all pages of a prefix fit into the paper's
32 MiB, or nearly (Financial1, fiu_mail), reads seldom wait so, and Baseline-RB gains: {change:li22,paper/paper-closed,Baseline-RB,Baseline,read,hot fits} in read latency. Where a
prefix has more pages (web_0, and tencent closed), Baseline-RB has {change:li22,paper/paper-closed,Baseline-RB,Baseline,read,hot too large}. In proportion it is the worst, as [Li22]
reports, with {change:li22,scaled/scaled-closed,Baseline-RB,Baseline,read,hot not bytes}. In saved time ROP alone is ahead of it at the paper's size: [C8](#c8).""",
          (Experiment("li22", (("Baseline-RB", "Baseline"), ("Baseline-RB", "Pattern+"), ("Baseline-RB", "C-Miner"), ("Baseline-RB", "ROP")),
                      ("read", "saved"), ("paper", "paper-closed"), "hot fits"),
           Experiment("li22", (("Baseline-RB", "Baseline"), ("Baseline-RB", "Pattern+"), ("Baseline-RB", "C-Miner"), ("Baseline-RB", "ROP")),
                      ("read", "saved"), ("paper", "paper-closed"), "hot too large"),
           Experiment("li22", (("Baseline-RB", "Baseline"), ("Baseline-RB", "Pattern+"), ("Baseline-RB", "C-Miner"), ("Baseline-RB", "ROP")),
                      ("read", "saved"), ("scaled", "scaled-closed"), "hot not bytes"))),
    Cause(17, "trace", "Early flushing gains where much is written",
          ("shin23-1/mix", "shin23-15", "shin23-17"),
          """Early flushing spares a write the wait for a dirty page to be programmed. [Shin23]'s mixture of four traces has 89 % writes, 43 requests a second.
Here alibaba_cut719 has {trace:alibaba_cut719_replayed,writing} writes, and EF-SC has a latency of {change:shin23,MAIN,EF-SC,CFLRU,response,alibaba} against CFLRU;
web_0 has {trace:msr_web0_100k,writing} writes and {change:shin23,MAIN,EF-SC,CFLRU,response,web_0}, where the paper has −6 … −30 %; tencent has
{trace:tencent_cbs_sample50k,writing} writes and {change:shin23,paper-closed/scaled-closed,EF-SC,CFLRU,response,tencent}. At such rates of requests a flush each 30 s leaves few
dirty pages to any policy, and EF-SC and CFLRU come close to each other: {change:shin23,flush/flush-scaled,EF-SC,CFLRU,response}.""",
          (Experiment("shin23", (("EF-SC", "CFLRU"),), ("response", "worst_percent"), MAIN, "alibaba"),
           Experiment("shin23", (("EF-SC", "CFLRU"),), ("response", "worst_percent"), MAIN, "web_0"),
           Experiment("shin23", (("EF-SC", "CFLRU"),), ("response", "worst_percent"), BOTH_CLOSED, "tencent"),
           Experiment("shin23", (("EF-SC", "CFLRU"),), ("response", "worst_percent"), ("paper", "flush", "scaled", "flush-scaled")))),
    Cause(18, "trace", "Batches of VS-Batch+ shrink while channels are busy",
          ("sha23-15/VBBMS", "sha23-15/VS-Batch", "sha23-15/LRU"),
          """VS-Batch+ evicts no more pages than channels are idle. In bursts no channel is idle, and VS-Batch+ evicts one page at a time, while VBBMS goes on
evicting whole virtual blocks. So in runs a hundred times as fast VS-Batch+'s batches have {mean:sha23,fast,VS-Batch+,batch} pages, VBBMS's have
{mean:sha23,fast,VBBMS,batch}, and VBBMS is ahead. In closed runs, in which a request finds the buffer as it does in SSDsim, VS-Batch+ is ahead, though its
batches are the smaller ones there, too.""",
          (Experiment("sha23", (("VS-Batch+", "VBBMS"), ("VS-Batch+", "LRU"), ("VBBMS", "LRU")), ("batch", "response"), MAIN + ("fast",)),)),
    Cause(19, "trace", "Erases decide the slowest requests in proportion, and a few blocked reads",
          ("sha23-17/LRU", "sha23-17/VS-Batch", "sha23-17/VBBMS", "sha23-7/VS-Batch"),
          """The flash has no more blocks than the trace needs. In proportion web_0 writes enough for {mean:sha23,scaled/scaled-closed,VS-Batch+,erases,web_0}
erases in a run, of 10 ms each, and 0.1 % of its requests are 100 requests, among which are all that wait for an erase. With four times the flash nothing is
erased, and in closed runs VS-Batch+'s slowest 0.1 % are {change:sha23,scaled-closed-roomy,VS-Batch+,LRU,worst_permille,web_0} against LRU's instead of
{change:sha23,scaled-closed,VS-Batch+,LRU,worst_permille,web_0}, and {change:sha23,scaled-closed-roomy,VS-Batch+,VS-Batch,worst_permille,web_0} against VS-Batch's instead of
{change:sha23,scaled-closed,VS-Batch+,VS-Batch,worst_permille,web_0}; [Sha23] has 1.0 … 2.1 % less. At recorded times, where requests wait for each other, the difference is small
with and without erases. [C14](#c14) explains the remaining difference to VBBMS.

At the paper's sizes there are few erases, but they decide which of VS-Batch+ and VS-Batch blocks fewer reads: without erases VS-Batch+ blocks
{change:sha23,paper-roomy,VS-Batch+,VS-Batch,blocked} reads against VS-Batch instead of {change:sha23,paper,VS-Batch+,VS-Batch,blocked}.""",
          (Experiment("sha23", (("VS-Batch+", "LRU"), ("VS-Batch+", "VS-Batch"), ("VS-Batch+", "VBBMS")), ("worst_permille",), MAIN + ROOMY, "web_0"),
           Experiment("sha23", (("VS-Batch+", "VS-Batch"),), ("blocked",), MAIN + ROOMY, "web_0"),
           Experiment("sha23", (("VS-Batch+", None), ("VS-Batch", None), ("LRU", None)), ("erases",), MAIN + ROOMY, "web_0"))),
)


def applies(cause, claim):
    """Another reading of a headline has the headline's causes."""
    of = claim.id.partition(",")[0]
    return any(of == key or of.startswith(key + "/") for key in cause.headlines)
