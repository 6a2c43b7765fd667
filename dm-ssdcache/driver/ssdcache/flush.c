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
	struct dmsc_shard *s;
	u32 pages = 0;

	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		pages += s->engine->tier.dirty_pages;
		spin_unlock_irq(&s->lock);
	}
	return pages;
}

static bool is_rewriting(struct dmsc_shard *s)
{
	bool rewriting;

	spin_lock_irq(&s->lock);
	rewriting = s->engine->stability.rewriting;
	spin_unlock_irq(&s->lock);
	return rewriting;
}

/**
 * dmsc_is_rewriting() - after a failed FLUSH of the origin, are clean pages still becoming dirty?
 * @c: cache
 *
 * Requests that fail with the FLUSH end before that is over. Until then, the number of dirty pages
 * is too low.
 *
 * Context: any task; see @shards of the cache.
 */
bool dmsc_is_rewriting(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		if (is_rewriting(s))
			return true;
	return false;
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

/* A part has ended with @error, or did not begin. The last one ends the flush. */
static void part_ended(struct dmsc_flush *flush, int error)
{
	if (error)
		cmpxchg(&flush->error, 0, error);
	if (!atomic_dec_and_test(&flush->parts))
		return;
	complete(&flush->completion);
	dmsc_flush_put(flush);
}

/**
 * dmsc_flush_part_ended() - a shard's part of an internal flush has ended
 * @part: the part; freed
 *
 * Context: any task.
 */
void dmsc_flush_part_ended(struct dmsc_bio *part)
{
	part_ended(part->flush, part->rq.error);
	kfree(part);
}

/* Have the part wait for the next sync pass. A suspended device refuses it. */
static int start_part(struct dmsc_shard *s, struct dmsc_bio *part)
{
	enum ssdc_action action;
	int r = 0;

	dmsc_lock(s);
	if (s->engine->frozen) {
		r = -EBUSY;
	} else {
		action = ssdc_step(s->engine, &part->rq, ktime_get_ns(), &part->seg);
		WARN_ON_ONCE(action != SSDC_WAIT);
	}
	dmsc_unlock(s, (enum ssdc_holder)SSDC_FLUSH);
	return r;
}

static int begin_part(struct dmsc_shard *s, struct dmsc_flush *flush)
{
	struct dmsc_bio *part = kzalloc(sizeof(*part), GFP_NOIO | __GFP_NOFAIL);
	int r;

	ssdc_request_init(&part->rq, SSDC_FLUSH, 0, 0, ktime_get_ns());
	part->rq.force = true;
	part->flush = flush;
	r = start_part(s, part);
	if (r)
		kfree(part);
	else
		dmsc_worker_kick(s);
	return r;
}

/**
 * dmsc_flush_begin() - start to write all dirty pages to the origin and flush the origin
 * @c: cache
 *
 * The flush completes @completion of the result and sets its @error. The device is not
 * suspended before that.
 *
 * Context: any task; may sleep; see @shards of the cache.
 * Return: the flush, to be released with dmsc_flush_put(); -EBUSY as an ERR_PTR if the
 *	device is suspended.
 */
struct dmsc_flush *dmsc_flush_begin(struct dmsc_cache *c)
{
	struct dmsc_flush *flush = kzalloc(sizeof(*flush), GFP_NOIO | __GFP_NOFAIL);
	struct dmsc_shard *s;
	int r;

	init_completion(&flush->completion);
	refcount_set(&flush->refs, 2);
	atomic_set(&flush->parts, c->nr_shards);
	dmsc_for_each_shard(s, c) {
		r = begin_part(s, flush);
		if (r && s == c->shards) {
			kfree(flush);
			return ERR_PTR(r);
		}
		if (r)
			part_ended(flush, r);
	}
	return flush;
}

/**
 * dmsc_flush_end() - wait for the end of an internal flush, and release it
 * @flush: result of dmsc_flush_begin()
 * @suspending: wait until the flush ends. Otherwise a fatal signal ends the wait, and
 *	the flush continues
 *
 * Context: any task; may sleep.
 * Return: as dmsc_flush_all().
 */
int dmsc_flush_end(struct dmsc_flush *flush, bool suspending)
{
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

/**
 * dmsc_flush_all() - write all dirty pages to the origin and flush the origin
 * @c: cache
 * @suspending: as for dmsc_flush_end()
 *
 * Context: suspend, during which the cache is not replaced; may sleep.
 * Return: 0; -errno of the first page that could not be written; -EINTR after a signal;
 * -EBUSY if the device is suspended.
 */
int dmsc_flush_all(struct dmsc_cache *c, bool suspending)
{
	return dmsc_flush_end(dmsc_flush_begin(c), suspending);
}
