// SPDX-License-Identifier: GPL-2.0
/*
 * The replacement policy, and its change while requests go on.
 *
 * During a change two policies hold pages. The new one takes what is written,
 * read or used again; the rest moves over from the old one's most recent page
 * to its least recent, in bounded steps, each behind all that the new policy
 * has. Recency is kept, and until the last page has moved, victims come from
 * the old policy, which holds the least recent pages.
 *
 * Floor of wait.c, switch.c and thrash.c: calls the plug-ins, and view.c.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "switch.h"

static struct ssdc_replacement *owner(const struct ssdc_engine *e, const struct ssdc_entry *entry)
{
	return ssdc_entry_is_old(e, entry) ? e->draining : e->replacement;
}

/* Page in the directory -> most recent page of the current policy. */
void ssdc_policy_insert(struct ssdc_engine *e, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags &= ~SSDC_E_GENERATION;
	entry->flags |= SSDC_E_POLICY | e->generation;
	entry->stamp = ++e->stamp;
	entry->list = 0;
	entry->weight = 0;
	e->replacement->pages++;
	ssdc_replacement_type(e->replacement)->insert(e->replacement, frame, rq, dirty);
}

/* Page of any policy -> page of none. */
void ssdc_policy_remove(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);
	struct ssdc_replacement *r = owner(e, entry);

	ssdc_replacement_type(r)->remove(r, frame);
	r->pages--;
	entry->flags &= ~SSDC_E_POLICY;
}

static void adopt(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry(e, frame);

	entry->flags ^= SSDC_E_GENERATION;
	entry->flags |= SSDC_E_POLICY;
	entry->list = 0;
	entry->weight = 0;
	e->replacement->pages++;
	ssdc_replacement_type(e->replacement)->adopt(e->replacement, frame);
}

/* A page of the old policy is used: it moves over out of turn. */
void ssdc_policy_adopt_old(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_policy_remove(e, frame);
	adopt(e, frame);
}

void ssdc_policy_clean(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason)
{
	struct ssdc_replacement *r = owner(e, ssdc_entry(e, frame));

	if (ssdc_replacement_type(r)->clean)
		ssdc_replacement_type(r)->clean(r, frame, reason);
}

/* Victims leave their policy. */
void ssdc_policy_victims(struct ssdc_engine *e, struct ssdc_batch *batch)
{
	struct ssdc_replacement *r = e->draining && e->draining->pages ? e->draining :
									 e->replacement;
	unsigned int i;

	ssdc_replacement_type(r)->victims(r, ssdc_device_view(e), batch, SSDC_BATCH_FRAMES);
	r->pages -= batch->nr;
	for (i = 0; i < batch->nr; i++)
		ssdc_entry(e, batch->frames[i])->flags &= ~SSDC_E_POLICY;
}

/**
 * ssdc_switch_begin() - change the replacement policy
 * @e: engine
 * @next: new instance, owned by the engine from now on
 *
 * To be followed by ssdc_switch_step() until that returns the old instance.
 *
 * Return: 0, or -EBUSY while an earlier change is not over.
 */
int ssdc_switch_begin(struct ssdc_engine *e, struct ssdc_replacement *next)
{
	if (e->draining)
		return -EBUSY;
	e->draining = e->replacement;
	e->replacement = next;
	e->generation ^= SSDC_E_GENERATION;
	return 0;
}

/**
 * ssdc_switch_step() - move a bounded number of pages to the new policy
 * @e: engine
 *
 * Return: NULL as long as there are more; then the old instance, which the
 * caller destroys after dropping the lock.
 */
struct ssdc_replacement *ssdc_switch_step(struct ssdc_engine *e)
{
	struct ssdc_replacement *old = e->draining;
	unsigned int i;

	for (i = 0; i < SSDC_STEP_FRAMES && old->pages; i++) {
		ssdc_frame_t frame = ssdc_replacement_type(old)->pop_hottest(old);

		old->pages--;
		adopt(e, frame);
	}
	if (old->pages)
		return NULL;
	e->draining = NULL;
	e->early_declined = false;
	return old;
}
