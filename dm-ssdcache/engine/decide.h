/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the decisions about the pages of reads (read.c) and of writes (write.c) have in common: the
 * part of a request within a page, pages that enter, steps of the policy that a decision causes.
 */
#ifndef SSDC_DECIDE_H
#define SSDC_DECIDE_H

#include <linux/kernel.h>
#include "directory.h"
#include "switch.h"
#include "thrash.h"

/* Pages per step of a policy that works on all pages, at least; see SSDC_STEP_FRAMES. */
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

/* Where a step that begins at @pos of the request ends. */
static inline u64 ssdc_step_end(const struct ssdc_request *rq, u64 pos)
{
	return min(pos + SSDC_STEP_SECTORS, rq->host.nr_sectors);
}

/*
 * A page of @rq is not cached: the steps that its victims cause come before it enters. Of these
 * some may have been evicted in earlier calls.
 */
static inline void ssdc_note_miss(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (!rq->batches)
		rq->calm = !e->replacement->plugin.wants_step;
}

/*
 * If the decision of @rq that has just been taken has made the policy want steps, @rq does these
 * before its next decision: the papers' policies have no steps. Other requests do not wait; as
 * theirs may cause more and more steps, the number is limited to what work on all pages takes.
 * @wanted: the policy wanted steps before.
 */
static inline bool ssdc_note_steps(const struct ssdc_engine *e, struct ssdc_request *rq,
				   bool wanted)
{
	if (likely(!e->replacement->plugin.wants_step) || wanted)
		return false;
	rq->steps = 16 + e->tier.nr_frames / SSDC_PAGES_PER_STEP;
	return true;
}

/* How long a hit may take, in looks at another page. */
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
