# SPDX-License-Identifier: GPL-2.0
"""
The headlines as data: what each paper reports, in which metric, of which policies, and how it is compared. A headline is one
published figure; ids are those of results.md.
"""

from dataclasses import dataclass, replace

from plan import MAIN

# The lowest share of hot reads in a trace of [Li22] (Table 2, lun1: 1.1 %).
MIN_HOT = 0.01


def is_hot(name, trace):
    return float(trace["hot"]) >= MIN_HOT and "as_bytes" not in name


#: What is compared of each trace: its name, or its row of traces.csv, must fit.
FILTERS = {
    "": ("", lambda name, trace: True),
    "web_0": ("web_0", lambda name, trace: "web0" in name or "web_0" in name),
    "hot": ("traces with hot reads", lambda name, trace: float(trace["hot"]) >= MIN_HOT),
    "some writes": ("traces of at most 45 % reads", lambda name, trace: float(trace["reading"]) <= 0.45),
    "bytes": ("websearch, sector numbers as bytes", lambda name, trace: "as_bytes" in name),
    "hot not bytes": ("others with hot reads", lambda name, trace: is_hot(name, trace)),
    "hot fits": ("others with hot reads, of at most 40 MiB", lambda name, trace: is_hot(name, trace) and float(trace["pages"]) <= 5120),
    "hot too large": ("others with hot reads, of more than 40 MiB", lambda name, trace: is_hot(name, trace) and float(trace["pages"]) > 5120),
    "few writes": ("less than half writes", lambda name, trace: float(trace["reading"]) > 0.5),
    "many writes": ("more than half writes", lambda name, trace: float(trace["reading"]) <= 0.5),
    "src1_0": ("src1_0", lambda name, trace: "src1" in name),
    "alibaba": ("alibaba_cut719", lambda name, trace: "alibaba" in name),
    "tencent": ("tencent", lambda name, trace: "tencent" in name),
    "not tencent": ("without tencent", lambda name, trace: "tencent" not in name),
}

#: Metrics: words, and whether a smaller value is the better one. Those that count events are summed over the cells, others
#: are averaged as ratios.
METRICS = {
    "absorbed": "writes absorbed", "overwrites": "overwrite hits", "hits": "hits of reads and writes", "misses": "misses",
    "batch": "pages per eviction", "thrash": "thrash events", "flushed": "pages written to flash",
    "waf": "programs per page written", "gc": "GC runs", "erases": "erases", "blocked": "blocked reads", "fills": "fills of victims",
    "response": "mean latency", "p99": "P99 latency", "worst_percent": "mean of the slowest 1 %",
    "worst_permille": "mean of the slowest 0.1 %", "read": "read latency", "write": "write latency",
    "per_prefetch": "hits per prefetched page", "prefetched": "pages prefetched", "saved": "saved time", "held": "DRAM held by prefetched pages",
    "rebuilds": "graph rebuilds", "hot_moves": "moves to Hot per hit", "adjacent_moves": "moves to Adjacent per hit",
    "thrash_share": "thrash events per evicted page", "evicted_share": "pages evicted per page of data written",
    "irl": "pages in IRL", "srl": "pages in SRL", "drl": "pages in DRL",
}
COUNTS = {"thrash", "gc", "erases", "blocked", "fills", "rebuilds", "irl", "srl", "drl"}
#: Events that are rare enough to be chance when few.
EVENTS = {"thrash", "gc", "erases", "blocked"}
#: A cell needs so many events of its base policy: as many as the trace that has the fewest in the paper. [Sha23] section 2.3:
#: LRU has 1279 to 25544 thrash events, in up to 24.1 % of its evictions.
LEAST_EVENTS = {"thrash": 1279}
#: What longer, generated input is not for.
HIT_RATIOS = {"absorbed", "overwrites", "hits", "misses", "flushed"}
#: Metrics that no policy can have more of, or less of, than the proven bound. No more than all writes can be absorbed.
BOUNDED = {"absorbed": max, "overwrites": max, "hits": max, "misses": min, "flushed": min, "waf": min, "rebuilds": min}
#: Why the other metrics have no bound.
UNBOUNDED = {
    **dict.fromkeys(("response", "p99", "worst_percent", "worst_permille", "read", "write"), "latency"),
    **dict.fromkeys(("batch", "hot_moves", "adjacent_moves", "irl", "srl", "drl"), "the policy's own count"),
    **dict.fromkeys(("thrash", "thrash_share"), "depends on victims"),
    **dict.fromkeys(("gc", "erases"), "depends on blocks"),
    **dict.fromkeys(("per_prefetch", "prefetched", "saved", "held"), "prefetching"),
    "blocked": "depends on time", "evicted_share": "no comparison",
}
#: How headlines compare policies two by two. See Claim.
COMPARED = ("change", "at most", "about", "each")


@dataclass(frozen=True)
class Claim:
    """
    @id: paper, number, and the other policy or what else tells figures of one number apart
    @metric: see METRICS
    @name, @other: the policies compared; several others: the mean of the comparisons
    @value: the paper's figure; for a change: a part of 1
    @figure: False: the paper states a direction only, and @value has its sign
    @how: "change": the direction of @value; "each": the same, against each of @other; "at most": no more than @value; "about": within @value either way;
          "lowest", "highest": @name, among @other, in most cells; "best": the setting @name, of itself and @other, has the lowest
          @metric; "order": @other in ascending order of @metric; "lists": the metrics @other in ascending order; "some": a cell
          in which @name has more than @other; "value": no direction
    @words: the paper's, or where they come from
    @kinds: of run that decide
    @only: key of FILTERS
    @main: one of the five main claims
    @stand_in: what is compared of the policies is our choice, as their full texts were not available
    @counted: False: follows from other headlines, is another reading of one, or the same cells decide it
    """
    id: str
    metric: str
    name: str
    other: object
    value: object
    how: str = "change"
    words: str = ""
    kinds: tuple = MAIN
    only: str = ""
    main: bool = False
    stand_in: bool = False
    counted: bool = True
    figure: bool = True

    @property
    def number(self):
        """Of the published figure: the id without the policy."""
        return self.id.partition(",")[0].partition("/")[0]

    @property
    def where(self):
        """In the paper."""
        return WHERE[self.number]

    @property
    def paper(self):
        return self.id.partition("-")[0]

    @property
    def others(self):
        return self.other if isinstance(self.other, tuple) else (self.other,)


def rivals(number, metric, name, figures, **more):
    """A headline for each rival."""
    return [Claim(f"{number}/{other}", metric, name, other, value, **more) for other, value in figures.items()]


def baselines(number, metric, base, figures, **more):
    """The paper lists the rivals' own figures, so that they can be judged against its baseline."""
    return [Claim(f"{number}/{name}", metric, name, base, value, **more) for name, value in figures.items()]


#: Where a headline is in its paper; those of ELSEWHERE, too.
WHERE = {
    f"{paper}-{number}": where for paper, places in {
        "sha23": {"Fig. 1a": (1, 2), "Fig. 1b": (3,), "Figs. 5, 6": (4,), "Fig. 7a": (5,), "Fig. 7b": (6,), "Fig. 8": (7,), "Fig. 9": (8, 9),
                  "Fig. 10": (10, 11), "Fig. 11": (12, 13), "Fig. 12": (14, 15), "abstract": (16,), "Fig. 13": (17,), "Fig. 14": (18, 19),
                  "Table 4": (20, 21, 22, 23, 24), "Fig. 15": (25, 26), "conclusion": (27,)},
        "li22": {"Fig. 7": (1, 3), "Fig. 8": (4, 5), "Fig. 9": (6, 7), "Fig. 10": (8,), "Fig. 11": (9,), "Fig. 12": (10, 11), "Fig. 13": (12, 13),
                 "Fig. 15b": (17,), "Fig. 15c": (18,), "Fig. 15d": (19,), "Fig. 16": (20,), "Fig. 17": (21,), "Fig. 18": (22,),
                 "abstract": (2,), "Fig. 14": (14,), "section 4.3.3": (15, 16)},
        "shin23": {"Fig. 4": (1, 2), "Fig. 5": (3, 4), "Fig. 6": (5, 6, 11, 12, 13, 14), "Fig. 7": (7, 8, 9, 10), "Fig. 8a": (15, 16),
                   "Fig. 8b": (17,), "Fig. 8c": (18,), "Fig. 8d": (19,), "sections 3.4, 5": (20,), "conclusion": (21,)},
        "zhou23": {"Fig. 8": (5, 6, 7, 8), "Fig. 9": (9,), "Fig. 12": (10, 11), "Fig. 6": (19,), "Figs. 2, 3": (1, 2), "Fig. 5": (3, 4),
                   "Figs. 13a, 13b": (12,), "Figs. 13c, 14": (13,), "Fig. 15": (14,), "Fig. 16": (15,), "section VI-F": (16, 17, 18)},
        "lin22": {"Fig. 7": (3,), "Fig. 8": (4, 7), "abstract": (5,), "Fig. 9": (8, 10, 11), "introduction": (6, 9), "Fig. 10": (12,),
                  "Fig. 11": (13,), "Fig. 13": (16,), "Fig. 2": (1,), "Fig. 3": (2,), "Fig. 12": (14, 15), "section 4.2.5": (17,)},
    }.items() for where, numbers in places.items() for number in numbers
}

STEADY = ("steady",)
FLUSHES = ("flush", "flush-scaled")
HYBRIDS = ("hybrid", "hybrid-closed")
SWEEPS = ("paper-closed", "scaled-closed")
RIVALS = ("LRU", "VBBMS", "BPLRU", "Co-Active", "VS-Batch")
CORW = tuple(f"CoRW {i}" for i in range(1, 9))
COLUMNS = ("MQ-SSD", "CFLRU", "LCR", "ECR", "Co-Active")

CLAIMS = [
    # [Sha23]: averages over six traces and three sizes.
    Claim("sha23-1", "thrash_share", "LRU", None, 0.241, "value", "at most 24.1 % of evictions thrash"),
    Claim("sha23-2", "thrash", "OPT*", "LRU", -0.183, words="a modified OPT"),
    Claim("sha23-3", "absorbed", "OPT*", "LRU", 0.260, words="hits; the same OPT"),
    Claim("sha23-4/latency", "response", "VS-Batch+", tuple(f"VS-Batch+ rebuild={value}" for value in (50, 100, 150, 250, 293)),
          200, "best", "rebuild threshold 0.2 has the best latency in most traces", SWEEPS),
    Claim("sha23-4/rebuilds", "rebuilds", "VS-Batch+ rebuild=50", "VS-Batch+", 1.0, words="0.05 rebuilds several times as often",
          kinds=SWEEPS, figure=False),
    Claim("sha23-5/Hot", "hot_moves", "VS-Batch+", None, 1.6, "value"),
    Claim("sha23-5/Adjacent", "adjacent_moves", "VS-Batch+", None, 1.1, "value"),
    Claim("sha23-6", "batch", "VS-Batch+", None, 4.1, "value", "fewer than the 8 channels"),
    *rivals("sha23-7", "blocked", "VS-Batch+", dict.fromkeys(RIVALS, 0.0), how="at most", words="not higher than others"),
    Claim("sha23-8", "rebuilds", "VS-Batch+", "VS-Batch", -0.639, words="LUN0, LUN1: 33 and 49 % writes", only="few writes"),
    Claim("sha23-9", "rebuilds", "VS-Batch+", "VS-Batch", 0.436, words="write-intensive traces", only="many writes"),
    *baselines("sha23-10", "absorbed", "LRU", {"VBBMS": 0.174, "BPLRU": 0.042, "Co-Active": 0.143, "VS-Batch": 0.188}),
    *rivals("sha23-11", "absorbed", "VS-Batch+", dict(zip(RIVALS, (0.198, 0.021, 0.150, 0.047, 0.008))),
            words="hits: writes saved without ejecting other data"),
    *baselines("sha23-12", "thrash", "LRU", {"VBBMS": 0.304, "BPLRU": -0.990, "VS-Batch": -0.039}),
    Claim("sha23-12/Co-Active", "thrash", "Co-Active", "LRU", 0.10, "about", "as many as LRU; the bound is ours"),
    *rivals("sha23-13", "thrash", "VS-Batch+", {"LRU": -0.166, "VBBMS": -0.361, "BPLRU": 83.2, "Co-Active": -0.166,
                                                "VS-Batch": -0.132}),
    *baselines("sha23-14", "response", "LRU", {"VBBMS": -0.238, "BPLRU": -0.071, "Co-Active": -0.214, "VS-Batch": -0.286}),
    *rivals("sha23-15", "response", "VS-Batch+", dict(zip(RIVALS, (-0.386, -0.194, -0.339, -0.229, -0.130)))),
    Claim("sha23-16", "response", "VS-Batch+", RIVALS, -0.256, words="the mean of sha23-15", main=True, counted=False),
    *rivals("sha23-17", "worst_permille", "VS-Batch+", dict.fromkeys(RIVALS, -0.015), words="1.0 … 2.1 % better"),
    *rivals("sha23-18", "gc", "VS-Batch+", dict.fromkeys(("LRU", "Co-Active", "VS-Batch"), 0.0), how="at most", kinds=STEADY),
    Claim("sha23-19", "gc", "VS-Batch+", "VBBMS", 0.052, "at most", kinds=STEADY),

    # [Li22]: nine traces, 32 MB.
    Claim("li22-1/Baseline", "read", "Pattern+", "Baseline", -0.338, only="hot", main=True),
    *rivals("li22-1", "read", "Pattern+", {"C-Miner": -0.088, "ROP": -0.135, "Pattern": -0.043}, only="hot"),
    Claim("li22-3/best", "read", "Baseline-RB", ("Baseline", "C-Miner", "ROP", "Pattern", "Pattern+"), None, "lowest",
          "best on web1 and web2", only="bytes"),
    Claim("li22-3/worst", "read", "Baseline-RB", ("Baseline", "C-Miner", "ROP", "Pattern", "Pattern+"), None, "highest",
          "worst on the other seven", only="hot not bytes"),
    Claim("li22-4", "write", "Pattern+", "Baseline", 0.0022, "at most"),
    *rivals("li22-6", "response", "Pattern+", {"Baseline": -0.185, "C-Miner": -0.051, "ROP": -0.090, "Pattern": -0.033},
            only="hot"),
    Claim("li22-7", "response", "Pattern+", "Baseline", 0.01, "about", "hm0, src1_2, wdev0: about equal; the bound is ours",
          only="some writes"),
    *rivals("li22-8", "per_prefetch", "Pattern+", {"C-Miner": 0.44, "ROP": 2.67}, only="hot"),
    Claim("li22-8/Pattern", "per_prefetch", "Pattern+", "Pattern", -1.0, words="below Pattern", only="hot", figure=False),
    *rivals("li22-9", "saved", "Pattern+", {"ROP": 0.29, "Pattern": 0.04}, only="hot"),
    Claim("li22-9/RB", "saved", "Baseline-RB", ("Baseline", "C-Miner", "ROP", "Pattern", "Pattern+"), None, "highest",
          "highest in most traces", only="hot"),
    Claim("li22-10", "held", "Pattern+", None, 0.16, "value", "web1, web2, hm1: at the cap of 16 % most of the time", only="bytes"),
    *baselines("li22-12", "erases", "Baseline", {"ROP": 0.0099, "C-Miner": 0.01, "Pattern": 0.0092, "Pattern+": 0.0083},
               how="at most", words="an increase; judged as a bound on it", kinds=STEADY),
    Claim("li22-13", "erases", "Baseline-RB", "Baseline", 1.19, kinds=STEADY),
    Claim("li22-17", "write", "Pattern+", "Baseline", 0.0051, "at most", "mixtures", HYBRIDS),
    *rivals("li22-18", "response", "Pattern+", {"Baseline": -0.0871, "C-Miner": -0.0324, "ROP": -0.0509, "Pattern": -0.0146},
            words="mixtures", kinds=HYBRIDS),
    Claim("li22-19", "erases", "Pattern+", "Baseline", 0.0123, "at most", "mixtures", HYBRIDS),
    Claim("li22-20/hits", "per_prefetch", "Pattern+ threshold=90", "Pattern+", 1.0, words="rise slightly from 50 to 90 %",
          kinds=SWEEPS, only="hot", figure=False),
    Claim("li22-20/latency", "read", "Pattern+", tuple(f"Pattern+ threshold={value}" for value in (60, 70, 80, 90)), 50, "best",
          "threshold of 50 %", SWEEPS, "hot"),
    Claim("li22-21/hits", "per_prefetch", "Pattern+", ("Pattern+ window=256", "Pattern+ window=512"), 1.0,
          words="good with windows of 1024 and 2048", kinds=SWEEPS, only="hot", figure=False),
    Claim("li22-21/time", "response", "Pattern+", tuple(f"Pattern+ window={value}" for value in (256, 512, 2048)), 1024, "best",
          "window of 1024", SWEEPS, "hot"),
    *rivals("li22-22", "response", "Pattern+", dict.fromkeys(("Baseline", "ROP"), -1.0), words="better with 4 … 64 MB",
            kinds=("sizes",), only="hot", figure=False),

    # [Shin23]: ranges over 32 MB to 1 GB become their middle.
    Claim("shin23-1/web_0", "response", "EF-SC", "CFLRU", -0.18, words="0.70 … 0.94", only="web_0"),
    Claim("shin23-1/mix", "response", "EF-SC", "CFLRU", -0.815, words="0.15 … 0.22", main=True),
    Claim("shin23-2/web_0", "response", "EF-SC", "EF", -0.034, words="+1.6 … −8.4 %", only="web_0"),
    Claim("shin23-2/mix", "response", "EF-SC", "EF", -0.097, words="−6.1 … −13.3 %"),
    Claim("shin23-3/web_0", "worst_percent", "EF-SC", "CFLRU", -0.63, words="0.15 … 0.59", only="web_0"),
    Claim("shin23-3/mix", "worst_percent", "EF-SC", "CFLRU", -0.485, words="0.26 … 0.77"),
    Claim("shin23-4/web_0", "worst_percent", "EF-SC", "EF", -0.201, words="at best", only="web_0"),
    Claim("shin23-4/mix", "worst_percent", "EF-SC", "EF", -0.320, words="at best"),
    Claim("shin23-5/web_0", "flushed", "EF-SC", "EF", -0.0215, words="0.0 … −4.3 %", only="web_0"),
    Claim("shin23-5/mix", "flushed", "EF-SC", "EF", -0.111, words="−4.2 … −18.0 %; only web_0 can show it, see shin23-5/web_0", counted=False),
    Claim("shin23-6/web_0", "flushed", "EF-SC", "CFLRU", -0.04, words="0.93 … 0.99", only="web_0"),
    Claim("shin23-6/mix", "flushed", "EF-SC", "CFLRU", -0.105, words="0.83 … 0.96; only web_0 can show it, see shin23-6/web_0", counted=False),
    Claim("shin23-14", "flushed", "EF", "CFLRU", 0.022, "at most", "mix; an increase, judged as a bound on it"),
    Claim("shin23-15", "response", "EF-SC", "CFLRU", -0.73, words="flush each 30 s, mix, 32 MB: 0.27", kinds=FLUSHES),
    Claim("shin23-17", "worst_percent", "EF-SC", "CFLRU", -0.83, words="flush each 30 s, mix, 256 MB: 0.17", kinds=FLUSHES),
    Claim("shin23-18/EF", "flushed", "EF", "CFLRU", 0.01, "at most", "flush each 30 s", FLUSHES),
    Claim("shin23-18/EF-SC", "flushed", "EF-SC", "EF", 0.0, "at most", "flush each 30 s", FLUSHES),
    Claim("shin23-19", "hits", "EF-SC", "CFLRU", 0.02, "about", "flush each 30 s: nearly equal; the bound is ours", FLUSHES),

    # [Zhou23]: volumes of Alibaba and Tencent, 128 MB.
    Claim("zhou23-5", "response", "L-CoRW", COLUMNS, None, "lowest", "best in 87 and 83 % of traces"),
    Claim("zhou23-6", "response", "L-CoRW", "MQ-SSD", -0.30, words="0.5 … 0.9, where L-CoRW is best"),
    Claim("zhou23-7/CFLRU", "response", "L-CoRW", "CFLRU", -0.486, main=True),
    *rivals("zhou23-7", "response", "L-CoRW", {"ECR": -0.345, "Co-Active": -0.258}),
    Claim("zhou23-8", "response", "CFLRU", "MQ-SSD", 0.0, "some", "worse in some traces"),
    *rivals("zhou23-9", "p99", "L-CoRW", dict.fromkeys(COLUMNS, -0.30), words="−22.6 … −36.7 %"),
    Claim("zhou23-10/MQ-SSD", "waf", "L-CoRW", "MQ-SSD", -0.243),
    *rivals("zhou23-10", "waf", "L-CoRW", dict.fromkeys(COLUMNS[1:], -0.17), words="−9.6 … −24.7 %"),
    Claim("zhou23-19/L-CoRW", "response", "L-CoRW", CORW, -1.0, "each", "all CoRW fall short", figure=False),
    Claim("zhou23-19/MQ-SSD", "response", "MQ-SSD", CORW, 1.0, "each", "all CoRW are better", figure=False),

    # [Lin22]: averages over six traces and three sizes.
    Claim("lin22-3", "absorbed", "Req-block", tuple(f"Req-block delta={value}" for value in (1, 2, 3, 4, 6, 7, 8, 9)), 5, "best",
          "delta of 5 best for most traces", SWEEPS),
    *rivals("lin22-4", "response", "Req-block", {"LRU": -0.238, "BPLRU": -0.113, "VBBMS": -0.077}),
    Claim("lin22-5", "response", "Req-block", ("LRU", "BPLRU", "VBBMS"), -0.143, words="the mean of lin22-4", counted=False),
    Claim("lin22-8/LRU", "absorbed", "Req-block", "LRU", 0.429, words="pages absorbed by the cache, without accessing flash",
          main=True),
    *rivals("lin22-8", "absorbed", "Req-block", {"BPLRU": 0.236, "VBBMS": 0.041},
            words="pages absorbed by the cache, without accessing flash"),
    Claim("lin22-9", "absorbed", "Req-block", ("LRU", "BPLRU", "VBBMS"), 0.235, words="the mean of lin22-8", counted=False),
    Claim("lin22-12", "batch", "Req-block", ("VBBMS", "Req-block", "BPLRU"), None, "order"),
    *rivals("lin22-13", "flushed", "Req-block", {"LRU": -0.086, "BPLRU": -0.043, "VBBMS": -0.011}),
    Claim("lin22-16", "srl", "Req-block", ("drl", "irl", "srl"), None, "lists", "SRL holds most pages, DRL few"),
]

def on_mq_ssd(claim):
    """The headline with MQ-SSD's early writes below L-CoRW and CoRW; None: it names neither."""
    other = {name: f"{name} on MQ-SSD" for name in ("L-CoRW", *CORW)}
    name, others = other.get(claim.name, claim.name), tuple(other.get(name, name) for name in claim.others)
    if claim.how not in COMPARED or (name, others) == (claim.name, claim.others):
        return None
    return replace(claim, id=f"{claim.id}, on MQ-SSD", name=name, other=others if isinstance(claim.other, tuple) else others[0],
                   main=False, counted=False)


# Another reading, which does not count.
CLAIMS += filter(None, [on_mq_ssd(claim) for claim in CLAIMS])

#: The other reading of a hit: [Sha23] and [Lin22] both count what the cache absorbs without a flush.
READINGS = {"absorbed": ("overwrites", "hits")}

#: Published figures without a direction, or measured elsewhere: id -> what there is instead.
ELSEWHERE = {
    f"{paper}-{number}": text for paper, numbers, text in (
        ("sha23", (20, 21, 22, 23, 24), "[metadata](#metadata)"),
        ("sha23", (25, 26), "[CPU time](#speed)"),
        ("sha23", (27,), "a mean of other headlines"),
        ("li22", (2,), "the range of other headlines"),
        ("li22", (5,), "the worst of nine traces, which is hm1; not available"),
        ("li22", (11,), "a single trace (hm0); [pattern.md](policies/pattern.md)"),
        ("li22", (14,), "CPU time: [pattern.md](policies/pattern.md)"),
        ("li22", (15,), "3088 bytes for 5.625 KB: the statistic `matrix_bytes`"),
        ("li22", (16,), "patterns of a window: [pattern.md](policies/pattern.md)"),
        ("shin23", (7,), "plateaus of hits on single traces, of which all but web_0 are not available"),
        ("shin23", (8, 9), "hits and misses of proj0 and prxy0 at 64 MB, the two best cells of the paper, which are not available; "
                           "elsewhere \"the difference in hit ratio between the policies is generally small\""),
        ("shin23", (10,), "what shin23-8 and shin23-9 imply"),
        ("shin23", (11,), "a single cell of the mixture, which is not available"),
        ("shin23", (12, 13), "single cells of prxy_0, which is not available"),
        ("shin23", (16,), "a single cell of the mixture, which is not available"),
        ("shin23", (20,), "complexity and cost: the policy's page, and [speed](#speed)"),
        ("shin23", (21,), "the best cells of shin23-1/mix and shin23-15"),
        ("zhou23", (1, 2, 3, 4), "properties of the Alibaba and Tencent traces"),
        ("zhou23", (11,), "Alibaba against Tencent volumes"),
        ("zhou23", (12, 13), "sweeps of thresholds on Alibaba and Tencent volumes"),
        ("zhou23", (14,), "a sweep of the time between updates of the Q-table, on the same volumes"),
        ("zhou23", (15,), "DRAM sizes: see zhou23-7 at both kinds of sizes"),
        ("zhou23", (16, 17, 18), "complexity and cost: the policy's page, and [speed](#speed)"),
        ("lin22", (1, 2), "properties of the paper's traces"),
        ("lin22", (6,), "the best cell of lin22-4: −73.9 %"),
        ("lin22", (7,), "a single trace that is not available (hm_1)"),
        ("lin22", (10,), "the best cells of lin22-8: +100 %"),
        ("lin22", (11,), "a single trace that is not available (ts_0)"),
        ("lin22", (14, 15), "[metadata](#metadata)"),
        ("lin22", (17,), "complexity and cost: the policy's page, and [speed](#speed)"),
    ) for number in numbers
}


def keys():
    """Each id is there once."""
    found = [claim.id for claim in CLAIMS]
    assert len(set(found)) == len(found), sorted(key for key in found if found.count(key) > 1)
    return found
