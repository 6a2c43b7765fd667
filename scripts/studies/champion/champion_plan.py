# SPDX-License-Identifier: GPL-2.0
"""Five headlines, and the schemes that are compared by each. The papers' setups are those of the study of their headlines."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "headlines"))

from claims import MIN_HOT
from plan import BOTH_CLOSED, LARGEST_REQUEST, MAIN, PAPERS as HEADLINE_PAPERS, Policy

#: L-CoRW is compared above MQ-SSD's early writes, the faster of its two readings: name here -> name in the study of headlines.
READINGS = {"L-CoRW": "L-CoRW on MQ-SSD", "L-CoRW on LRU": "L-CoRW"} | {f"CoRW {i}": f"CoRW {i} on MQ-SSD" for i in range(1, 9)}
PAPERS = {key: replace(paper, policies={name: policy for name, policy in paper.policies.items() if name not in READINGS.values()}
                       | ({name: paper.policies[of] for name, of in READINGS.items()} if key == "zhou23" else {}))
          for key, paper in HEADLINE_PAPERS.items()}
# Without early writes MQSim's cache decides as LRU.
PAPERS["zhou23"].policies["L-CoRW on LRU"] = Policy("lru", "l-corw")

#: freeboard was made, and its parameters chosen, with these traces alone.
DEVELOPMENT = ("alibaba_cut719_replayed", "blk_java_btrfs", "blk_java_ext4", "disksim_iozone100k", "disksim_pcmark", "fiu_mail_10k",
               "heimdall_msr_rw40_60", "ms_tpcc_small", "msr_web0_100k", "umass_websearch1_24k", "ycsb_a_rocksdb_opencas_1")
#: These were named before any of them was run with it.
HELD_OUT = ("blk_java_f2fs", "ms_dtrs", "msr_hm0_1000", "msr_src1_10k", "systor17_additional", "systor17_traces", "tencent_cbs_sample50k",
            "umass_financial1_10k")

#: Settings of the papers' schemes for single figures and causes.
VARIANTS = ("OPT*", "EF-SC no early flush", "L-CoRW on CFLRU-EF", *(f"CoRW {i}" for i in range(1, 9)))

#: In place of a paper's replacement policy, with the paper's admission and prefetching.
ALONE = "freeboard"
#: The same settings for all papers.
TOGETHER = "freeboard, l-corw, rop"


@dataclass(frozen=True)
class Headline:
    """
    @paper: key of PAPERS
    @metric: of verdicts.Data
    @own: the paper's scheme
    @words: the headline
    @only: key of claims.FILTERS
    @more: whether a larger value is the better one
    """
    paper: str
    metric: str
    own: str
    words: str
    only: str = ""
    more: bool = False


HEADLINES = (
    Headline("sha23", "response", "VS-Batch+", "mean latency, write buffer"),
    Headline("li22", "read", "Pattern+", "read latency, traces with hot reads", only="hot"),
    Headline("shin23", "response", "EF-SC", "mean latency, reads and writes"),
    Headline("zhou23", "response", "L-CoRW", "mean latency"),
    Headline("lin22", "absorbed", "Req-block", "writes absorbed", more=True),
)


def with_learning(policy):
    """The same replacement policy, with the admission and prefetching of TOGETHER."""
    return replace(policy, admission="l-corw", prefetch="rop", stand_in=False)


def schemes(headline, names):
    """
    @names: of all replacement policies. Those of the paper run as the paper sets them, and in all kinds of run; all others in place of the
    paper's, and in closed runs.
    """
    paper = PAPERS[headline.paper]
    own = paper.policies[headline.own]
    found = {name: policy for name, policy in paper.policies.items() if "=" not in name and name not in VARIANTS}
    known = {policy.replacement.partition(":")[0] for policy in found.values() if (policy.admission, policy.prefetch) == (own.admission, own.prefetch)}
    found = {name: replace(policy, kinds=None) for name, policy in found.items()}
    found |= {name: replace(own, replacement=name, kinds=BOTH_CLOSED) for name in names if name not in known | {"opt", ALONE}}
    found.setdefault("OPT", Policy("opt", "read-write"))
    found[ALONE] = replace(own, replacement=ALONE)
    found[f"{headline.own}, l-corw, rop"] = with_learning(own)
    found[TOGETHER] = with_learning(found[ALONE])
    return found


def papers(names):
    return {headline.paper: replace(PAPERS[headline.paper], policies=schemes(headline, names), kinds=MAIN) for headline in HEADLINES}


def fits(paper, trace):
    """Is a trace like those of the paper? By the rules of the study of headlines."""
    if trace.why_not(paper):
        return False
    if paper.key == "li22":
        return trace.mean[0] <= LARGEST_REQUEST and trace.hot >= MIN_HOT
    return trace.mean[1] <= LARGEST_REQUEST


def belongs(part, name):
    """Is a trace in the part, "development" or "held-out"? A trace that neither list names is held out."""
    base = name.removesuffix("_as_bytes")
    return (base in DEVELOPMENT) == (part == "development")
