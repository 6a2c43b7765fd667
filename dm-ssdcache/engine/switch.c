// SPDX-License-Identifier: GPL-2.0
/*
 * The replacement policy, and its change while requests continue.
 *
 * During a change two policies hold pages. Pages that are inserted or used go to the hot end of the
 * new policy. The others move over in bounded steps, from the old policy's most recent page to its
 * least recent, each to the cold end of the new policy. Victims come from the old policy until it
 * is empty. So the pages keep their order of recency, and no request waits for the change.
 */
#include <linux/errno.h>
#include "engine.h"
#include "switch.h"

/* The policy that holds the page. */
static struct ssdc_replacement *owner(const struct ssdc_engine *e, const struct ssdc_entry *entry)
{
	return ssdc_entry_is_old(e, entry) ? e->draining : e->replacement;
}

/*
 * Page of no policy -> most recent page of the current policy. @rq and @dirty as in insert() of
 * struct ssdc_replacement_type.
 */
void ssdc_policy_insert(struct ssdc_engine *e, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags &= ~SSDC_E_GENERATION;
	entry->flags |= SSDC_E_POLICY | e->generation;
	entry->stamp = ++e->stamp;
	entry->list = 0;
	entry->weight = 0;
	e->replacement->pages++;
	ssdc_replacement_ops(e->replacement)->insert(e->replacement, frame, rq, dirty);
}

/* Page of the old or the current policy -> page of no policy. */
void ssdc_policy_remove(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	struct ssdc_replacement *r = owner(e, entry);

	ssdc_replacement_ops(r)->remove(r, frame);
	r->pages--;
	entry->flags &= ~SSDC_E_POLICY;
}

/* Page that left the old policy -> least recent page of the current policy. */
static void adopt(struct ssdc_engine *e, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->flags ^= SSDC_E_GENERATION;
	entry->flags |= SSDC_E_POLICY;
	entry->list = 0;
	entry->weight = 0;
	e->replacement->pages++;
	ssdc_replacement_ops(e->replacement)->adopt(e->replacement, frame);
}

/* Page of the old policy -> page of the current policy, because it is used. A hit follows. */
void ssdc_policy_adopt_old(struct ssdc_engine *e, ssdc_frame_t frame)
{
	ssdc_policy_remove(e, frame);
	adopt(e, frame);
}

/* Notify the page's policy that the page was flushed and stays. */
void ssdc_policy_clean(struct ssdc_engine *e, ssdc_frame_t frame, enum ssdc_flush_reason reason)
{
	struct ssdc_replacement *r = owner(e, ssdc_entry_at(e, frame));

	if (ssdc_replacement_ops(r)->clean)
		ssdc_replacement_ops(r)->clean(r, frame, reason);
}

/*
 * A current plug-in has changed: find out which plug-ins may act on a request that uses no page.
 * Such a request concerns plug-ins that observe requests, learn of their ends, flush early or
 * prefetch. It also concerns an admission scheme that wants ticks or steps, since it is asked about
 * the pages of the request.
 */
void ssdc_plugins_changed(struct ssdc_engine *e)
{
	const struct ssdc_replacement_type *r = ssdc_replacement_ops(e->replacement);
	const struct ssdc_admission_type *a = ssdc_admission_ops(e->admission);
	const struct ssdc_prefetch_type *p = ssdc_prefetch_ops(e->prefetch);

	e->watched = r->request || r->early || a->observe || a->ended || a->tick ||
		a->plugin.step || p->observe || p->observe_pages || p->loaded || p->hit ||
		p->left || p->plugin.step;
	ssdc_renew_quick(e);
}

/**
 * ssdc_switch_other() - replace the admission scheme or the prefetcher
 * @e: engine
 * @next: new instance; the engine owns it
 *
 * Return: the old instance, which the caller destroys after it drops the lock.
 */
struct ssdc_plugin *ssdc_switch_other(struct ssdc_engine *e, struct ssdc_plugin *next)
{
	struct ssdc_plugin *old = ssdc_current_plugin(e, next->type->kind);

	if (next->type->kind == SSDC_ADMISSION)
		e->admission = (struct ssdc_admission *)next;
	else
		e->prefetch = (struct ssdc_prefetch *)next;
	ssdc_plugins_changed(e);
	return old;
}

/**
 * ssdc_switch_begin() - start a change of the replacement policy
 * @e: engine
 * @next: new instance; the engine owns it on success
 *
 * Call ssdc_switch_step() next, until it returns the old instance.
 *
 * Return: 0, or -EBUSY while an earlier change is in progress.
 */
int ssdc_switch_begin(struct ssdc_engine *e, struct ssdc_replacement *next)
{
	if (e->draining)
		return -EBUSY;
	e->draining = e->replacement;
	e->replacement = next;
	e->generation ^= SSDC_E_GENERATION;
	e->early_pages = 0;
	e->early_timed = false;
	ssdc_plugins_changed(e);
	return 0;
}

/**
 * ssdc_switch_step() - move a bounded number of pages to the new policy
 * @e: engine in which a change of policy is in progress
 *
 * Return: NULL while pages are left; then the old instance, which the caller destroys after it
 * drops the lock.
 */
struct ssdc_replacement *ssdc_switch_step(struct ssdc_engine *e)
{
	struct ssdc_replacement *old = e->draining;
	unsigned int i;

	for (i = 0; i < SSDC_STEP_FRAMES / 4 && old->pages; i++) {
		ssdc_frame_t frame = ssdc_replacement_ops(old)->pop_hottest(old);

		old->pages--;
		adopt(e, frame);
	}
	if (old->pages)
		return NULL;
	e->draining = NULL;
	e->early_declined = false;
	return old;
}
