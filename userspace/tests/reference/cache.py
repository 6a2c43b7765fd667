# SPDX-License-Identifier: GPL-2.0
"""A cache around a reference policy, for requests of one whole page each that
come one after the other (ssdcache-sim --closed).

run() yields the decisions as ssdcache-sim --log-decisions writes them: I
(insert), H (hit), E (evict), F (early flush).
"""

from policies import POLICIES


def run(policy_name, params, frames, admit_reads, requests):
    """Requests are (op, page) with op R, W or F (FLUSH, page ignored)."""
    dirty = set()
    frame_of = {}
    policy = POLICIES[policy_name](frames, dirty, params)

    for op, page in requests:
        policy.request(op == "W")
        if op == "F":
            # Pages are written in order of their frames.
            for flushed in sorted(dirty, key=frame_of.get):
                dirty.remove(flushed)
                policy.clean(flushed, False)
        elif page in frame_of:
            yield f"H {page}"
            policy.hit(page, op == "W")
        elif op == "W" or admit_reads:
            frame = len(frame_of)
            if frame == frames:
                victim = policy.victim()
                yield f"E {victim}"
                dirty.discard(victim)
                frame = frame_of.pop(victim)
            frame_of[page] = frame
            yield f"I {page}"
            policy.insert(page, op == "W")
        if op == "W":
            dirty.add(page)

        # The device is idle now.
        while True:
            flushed = policy.early()
            if not flushed:
                break
            for page in flushed:
                yield f"F {page}"
            for page in flushed:
                dirty.remove(page)
                policy.clean(page, True)
