/* SPDX-License-Identifier: GPL-2.0 */
/* switch.c: the replacement policy of a page, also while the policy changes. */
#ifndef SSDC_SWITCH_H
#define SSDC_SWITCH_H

#include "view.h"

void ssdc_policy_insert(struct ssdc_engine *e, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty);
void ssdc_policy_adopt_old(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_policy_clean(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason);
void ssdc_policy_remove(struct ssdc_engine *e, ssdc_frame_t frame);
void ssdc_plugins_changed(struct ssdc_engine *e);

/* Does the entry still belong to the policy that is being replaced? */
static inline bool ssdc_entry_is_old(const struct ssdc_engine *e, const struct ssdc_entry *entry)
{
	return (entry->flags & SSDC_E_GENERATION) != e->generation;
}

/* @rq uses a page of a policy again: notify the policy. Inline: every hit runs this. */
static inline void ssdc_policy_hit(struct ssdc_engine *e, ssdc_frame_t frame,
				   const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->stamp = ++e->stamp;
	if (ssdc_entry_is_old(e, entry))
		ssdc_policy_adopt_old(e, frame);
	if (ssdc_replacement_ops(e->replacement)->hit)
		ssdc_replacement_ops(e->replacement)->hit(e->replacement, frame, rq, write);
}

/*
 * Ask for a batch of victims. Pages of a policy -> pages of no policy. The batch is empty if no
 * policy holds a page.
 */
static inline void ssdc_policy_victims(struct ssdc_engine *e, struct ssdc_batch *batch)
{
	struct ssdc_replacement *r = e->draining && e->draining->pages ? e->draining :
									 e->replacement;
	const struct ssdc_replacement_type *ops = ssdc_replacement_ops(r);
	unsigned int i;

	ops->victims(r, ssdc_victims_view(e, !ops->no_view), batch, SSDC_BATCH_FRAMES);
	r->pages -= batch->nr;
	for (i = 0; i < batch->nr; i++)
		ssdc_entry_at(e, batch->frames[i])->flags &= ~SSDC_E_POLICY;
}

#endif /* SSDC_SWITCH_H */
