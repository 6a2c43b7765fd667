// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's own flushes of all dirty pages: for suspend, messages, sysfs and reboot.
 */
#include <linux/slab.h>

#include "cache.h"
#include "holds.h"

/**
 * dmsc_dirty_pages() - number of dirty pages
 * @c: cache
 *
 * Context: any task.
 */
u32 dmsc_dirty_pages(struct dmsc_cache *c)
{
	u32 pages;

	spin_lock_irq(&c->lock);
	pages = c->engine->tier.dirty_pages;
	spin_unlock_irq(&c->lock);
	return pages;
}

/**
 * dmsc_flush_put() - drop a reference to an internal flush
 * @flush: flush, which continues if it has not ended
 *
 * Context: any.
 */
void dmsc_flush_put(struct dmsc_flush *flush)
{
	if (refcount_dec_and_test(&flush->refs))
		kfree(flush);
}

/* Have the flush wait for the next sync pass. A suspended device refuses it. */
static int start_flush_all(struct dmsc_cache *c, struct dmsc_flush *flush)
{
	enum ssdc_action action;
	int r = 0;

	dmsc_lock(c);
	if (c->engine->frozen) {
		r = -EBUSY;
	} else {
		action = ssdc_step(c->engine, &flush->bio.rq, ktime_get_ns(), &flush->bio.seg);
		WARN_ON_ONCE(action != SSDC_WAIT);
	}
	dmsc_unlock(c, (enum ssdc_holder)SSDC_FLUSH);
	return r;
}

/**
 * dmsc_flush_begin() - start to write all dirty pages to the origin and flush the origin
 * @c: cache
 *
 * The flush completes @completion of the result and sets its @error. The device is not
 * suspended before that.
 *
 * Context: any task; may sleep.
 * Return: the flush, to be released with dmsc_flush_put(); -EBUSY as an ERR_PTR if the
 *	device is suspended.
 */
struct dmsc_flush *dmsc_flush_begin(struct dmsc_cache *c)
{
	struct dmsc_flush *flush = kzalloc(sizeof(*flush), GFP_NOIO | __GFP_NOFAIL);
	int r;

	ssdc_request_init(&flush->bio.rq, SSDC_FLUSH, 0, 0, ktime_get_ns());
	flush->bio.rq.force = true;
	flush->bio.flush = flush;
	init_completion(&flush->completion);
	refcount_set(&flush->refs, 2);

	r = start_flush_all(c, flush);
	if (r) {
		kfree(flush);
		return ERR_PTR(r);
	}
	dmsc_worker_kick(c);
	return flush;
}

/**
 * dmsc_flush_all() - write all dirty pages to the origin and flush the origin
 * @c: cache
 * @suspending: wait until the flush ends. Otherwise a fatal signal ends the wait, and
 *	the flush continues
 *
 * Context: any task; may sleep.
 * Return: 0; -errno of the first page that could not be written; -EINTR after a signal;
 * -EBUSY if the device is suspended.
 */
int dmsc_flush_all(struct dmsc_cache *c, bool suspending)
{
	struct dmsc_flush *flush = dmsc_flush_begin(c);
	int r = 0;

	if (IS_ERR(flush))
		return PTR_ERR(flush);
	if (suspending)
		wait_for_completion(&flush->completion);
	else
		r = wait_for_completion_killable(&flush->completion);
	if (!r)
		r = flush->error;
	dmsc_flush_put(flush);
	return r;
}
