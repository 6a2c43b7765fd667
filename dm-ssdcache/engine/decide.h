/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions for the decisions about pages, both of reads (read.c) and of writes (write.c). They
 * deal with the part of a request within a page, with pages that enter, and with the steps of the
 * policy that a decision causes.
 */
#ifndef SSDC_DECIDE_H
#define SSDC_DECIDE_H

#include <linux/kernel.h>
#include "directory.h"
#include "switch.h"
#include "thrash.h"

/* A policy that works on all pages does at least this many per step; see SSDC_STEP_FRAMES. */
#define SSDC_PAGES_PER_STEP (SSDC_STEP_FRAMES / 4)

/* The part of a request within one page. */
struct ssdc_piece {
	ssdc_page_t page;
	u32 from;		/* first sector, counted from the page's start */
	u32 nr;
};

/* The piece of @rq that begins at its sector @pos. */
static inline struct ssdc_piece ssdc_piece_at(const struct ssdc_engine *e,
					      const struct ssdc_request *rq, u64 pos)
{
	u64 sector = rq->host.sector + pos;
	struct ssdc_piece piece = {
		.page = ssdc_page_of(e, sector),
		.from = sector & (e->tier.page_sectors - 1),
	};

	piece.nr = min_t(u64, e->tier.page_sectors - piece.from, rq->host.nr_sectors - pos);
	return piece;
}

/* The end of a step that begins at @pos of the request. */
static inline u64 ssdc_step_end(const struct ssdc_request *rq, u64 pos)
{
	return min(pos + SSDC_STEP_SECTORS, rq->host.nr_sectors);
}

/*
 * A page of @rq is not cached. If its victims cause steps of the policy, the steps come before the
 * page enters. Earlier calls may have evicted some of the victims.
 */
static inline void ssdc_note_miss(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (!rq->batches)
		rq->calm = !e->replacement->plugin.wants_step;
}

/*
 * If the latest decision of @rq has made the policy want steps, @rq runs these steps before its
 * next decision, because the papers' policies have no steps. Other requests do not wait. As their
 * decisions may cause more and more steps, @rq runs at most the number that work on all pages
 * takes.
 * @wanted: the policy wanted steps before the decision.
 */
static inline bool ssdc_note_steps(const struct ssdc_engine *e, struct ssdc_request *rq,
				   bool wanted)
{
	if (likely(!e->replacement->plugin.wants_step) || wanted)
		return false;
	rq->steps = 16 + e->tier.nr_frames / SSDC_PAGES_PER_STEP;
	return true;
}

/* The work that a hit may take, in looks at a page. */
static inline unsigned int ssdc_hit_work(const struct ssdc_engine *e)
{
	const struct ssdc_replacement_type *ops = ssdc_replacement_ops(e->replacement);

	return max(ops->work, ops->hit_work);
}

/* A page enters the policy, written by @host or, if that is NULL, read. */
static inline void ssdc_enter_policy(struct ssdc_engine *e, ssdc_frame_t frame,
				     const struct ssdc_host_request *host, bool dirty)
{
	ssdc_policy_insert(e, frame, host, dirty);
	ssdc_thrash_entered(e, frame, ssdc_entry_at(e, frame)->page);
}

#endif /* SSDC_DECIDE_H */
