// SPDX-License-Identifier: GPL-2.0
/*
 * The work item that does what the submitters of host bios do not; see cache.h.
 */
#include <linux/delay.h>

#include "cache.h"
#include "holds.h"
#include "../../compat/compat.h"

/* Passes after which the worker yields the CPU. */
#define MAX_PASSES 16

/* Do background work for one hold of the lock. Returns as ssdc_background(). */
static u64 background_hold(struct dmsc_shard *s, bool *frozen)
{
	struct ssdc_core_stats *stats;
	u64 now_ns, next_ns, steps;

	dmsc_lock(s);
	stats = &s->engine->stats;
	now_ns = ktime_get_ns();
	steps = stats->plugin_steps;
	next_ns = ssdc_background(s->engine, now_ns);
	if (stats->plugin_steps != steps)
		stats->plugin_step_ns += ktime_get_ns() - now_ns;
	*frozen = s->engine->frozen;
	dmsc_unlock(s, SSDC_HELD_BY_BACKGROUND);
	return next_ns;
}

/* Do all background work: see ssdc_background(). Returns whether more is to be done at once. */
static bool background(struct dmsc_shard *s)
{
	u64 next_ns;
	bool frozen;

	do {
		next_ns = background_hold(s, &frozen);
	} while (next_ns == SSDC_GO_ON);

	if (next_ns && next_ns != SSDC_NEVER && !frozen)
		hrtimer_start(&s->timer, ns_to_ktime(next_ns), HRTIMER_MODE_ABS);
	if (!next_ns)
		cond_resched();
	return !next_ns;
}

static int first_error(struct dmsc_shard *s)
{
	int error;

	spin_lock_irq(&s->lock);
	error = s->engine->first_error;
	spin_unlock_irq(&s->lock);
	return error;
}

/* The first error of any shard becomes that of the cache. */
static int latch_error(struct dmsc_cache *c, int error)
{
	int before = atomic_cmpxchg(&c->first_error, 0, error);

	return before ? before : error;
}

/**
 * dmsc_first_error() - the first write or FLUSH error of the origin
 * @c: cache
 *
 * Context: any task; @control.
 * Return: -errno; 0 if there was none.
 */
int dmsc_first_error(struct dmsc_cache *c)
{
	int error = atomic_read(&c->first_error);
	struct dmsc_shard *s;

	/* The workers may not have looked yet. */
	dmsc_for_each_shard(s, c)
		error = error ? error : latch_error(c, first_error(s));
	return error;
}

/* Only the first error of a table is reported; write_errors and flush_errors count all. */
static void report_first_error(struct dmsc_shard *s)
{
	struct dm_table *table = s->cache->ti->table;
	const char *name = dm_device_name(dm_table_get_md(table));
	int error = first_error(s);

	if (!error)
		return;
	latch_error(s->cache, error);
	if (atomic_xchg(&s->cache->errors_reported, 1))
		return;
	if (s->error_sector != DMSC_NO_SECTOR)
		DMERR("%s: write error of the origin at sector %llu (%d): %s", name,
		      s->error_sector, error, "dirty pages stay in DRAM, repair the origin");
	else
		DMERR("%s: FLUSH error of the origin (%d): %s", name, error,
		      "cached pages are written again, repair the origin");
	dm_table_event(table);
}

static bool start_work(struct dmsc_shard *s)
{
	bool any = dmsc_run_ready(s);

	return dmsc_start_ios(s) || any;
}

static void do_work(struct work_struct *work)
{
	struct dmsc_shard *s = container_of(work, struct dmsc_shard, work);
	unsigned int pass;

	for (pass = 0; pass < MAX_PASSES; pass++) {
		bool more = dmsc_finish_ios(s);

		if (!atomic_read(&s->cache->errors_reported))
			report_first_error(s);
		more |= dmsc_finish_bios(s);
		more |= start_work(s);
		/*
		 * A policy that flushes early has to find the device busy with all I/O that is due.
		 * Submission stops for completions, but a stream of completions must not keep
		 * retries and ticks waiting.
		 */
		if (dmsc_has_staged(s) && pass < MAX_PASSES - 1)
			continue;
		more |= background(s);
		more |= start_work(s);
		if (!more)
			return;
	}
	queue_work(s->wq, &s->work);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct dmsc_shard *s = container_of(timer, struct dmsc_shard, timer);

	queue_work(s->wq, &s->work);
	return HRTIMER_NORESTART;
}

/**
 * dmsc_worker_kick() - have the worker look at the engine
 * @s: shard
 *
 * Context: any; takes no lock.
 */
void dmsc_worker_kick(struct dmsc_shard *s)
{
	queue_work(s->wq, &s->work);
}

static bool io_pending(struct dmsc_shard *s)
{
	bool pending;

	spin_lock_irq(&s->lock);
	pending = ssdc_io_pending(s->engine);
	spin_unlock_irq(&s->lock);
	return pending;
}

/*
 * Is I/O pending in any shard? A shard may give work to others: a failed FLUSH concerns all shards.
 */
static bool any_io_pending(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		if (io_pending(s))
			return true;
	return false;
}

static void freeze(struct dmsc_shard *s, bool frozen)
{
	spin_lock_irq(&s->lock);
	ssdc_freeze(s->engine, frozen);
	spin_unlock_irq(&s->lock);
}

/**
 * dmsc_workers_suspend() - wait for all I/O, and start no more
 * @c: cache without requests, after the flush of its dirty pages
 *
 * Messages may still kick the workers; the frozen engines give them no I/O to start.
 *
 * Context: may sleep.
 */
void dmsc_workers_suspend(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		freeze(s, true);
	/* The requests have ended, but not necessarily the functions that ended them. */
	flush_workqueue(c->copiers);
	/* Passes that began before the freeze may still arm the timer and start I/O. */
	dmsc_workers_finish(c);
	dmsc_for_each_shard(s, c)
		hrtimer_cancel(&s->timer);
	while (any_io_pending(c)) {
		dmsc_for_each_shard(s, c)
			dmsc_worker_kick(s);
		dmsc_workers_finish(c);
		usleep_range(100, 1000);
	}
	/* Let the last pass and the last completion handler return. */
	dmsc_workers_finish(c);
	synchronize_rcu();
}

/**
 * dmsc_workers_resume() - undo dmsc_workers_suspend()
 * @c: cache
 */
void dmsc_workers_resume(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c) {
		freeze(s, false);
		dmsc_worker_kick(s);
	}
}

/**
 * dmsc_workers_finish() - wait until the passes of workers that have begun are over
 * @c: cache
 *
 * Context: may sleep.
 */
void dmsc_workers_finish(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		flush_work(&s->work);
}

static int create_worker(struct dmsc_shard *s, const char *name)
{
	unsigned int nr = s - s->cache->shards;

	INIT_WORK(&s->work, do_work);
	hrtimer_setup(&s->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	if (nr)
		s->wq = alloc_ordered_workqueue("ssdcache%u-%s", WQ_MEM_RECLAIM, nr, name);
	else
		s->wq = alloc_ordered_workqueue("ssdcache-%s", WQ_MEM_RECLAIM, name);
	return s->wq ? 0 : -ENOMEM;
}

/**
 * dmsc_workers_create() - create the workqueues and set up the timers
 * @c: cache
 * @name: name of the device
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_workers_create(struct dmsc_cache *c, const char *name)
{
	struct dmsc_shard *s;

	c->copiers = alloc_workqueue("ssdcache-copy-%s", WQ_UNBOUND | WQ_MEM_RECLAIM,
				     num_possible_cpus(), name);
	if (!c->copiers)
		return -ENOMEM;
	dmsc_for_each_shard(s, c)
		if (create_worker(s, name))
			return -ENOMEM;
	return 0;
}

static void destroy_worker(struct dmsc_shard *s)
{
	if (!s->wq)
		return;
	hrtimer_cancel(&s->timer);
	destroy_workqueue(s->wq);
}

void dmsc_workers_destroy(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	if (c->copiers)
		destroy_workqueue(c->copiers);
	dmsc_for_each_shard(s, c)
		destroy_worker(s);
}
