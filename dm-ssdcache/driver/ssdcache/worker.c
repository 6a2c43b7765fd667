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

/* Early flushes, periodic flushes, retries and the background steps of plug-ins. */
static bool background(struct dmsc_cache *c)
{
	struct ssdc_core_stats *stats;
	u64 now_ns, next_ns, steps;
	bool frozen;

	dmsc_lock(c);
	stats = &c->engine->stats;
	now_ns = ktime_get_ns();
	steps = stats->plugin_steps;
	next_ns = ssdc_background(c->engine, now_ns);
	if (stats->plugin_steps != steps)
		stats->plugin_step_ns += ktime_get_ns() - now_ns;
	frozen = c->engine->frozen;
	dmsc_unlock(c, SSDC_HELD_BY_BACKGROUND);

	if (next_ns && next_ns != SSDC_NEVER && !frozen)
		hrtimer_start(&c->timer, ns_to_ktime(next_ns), HRTIMER_MODE_ABS);
	if (!next_ns)
		cond_resched();
	return !next_ns;
}

/**
 * dmsc_first_error() - the first write or FLUSH error of the origin
 * @c: cache
 *
 * Context: any task.
 * Return: -errno; 0 if there was none.
 */
int dmsc_first_error(struct dmsc_cache *c)
{
	int error;

	spin_lock_irq(&c->lock);
	error = c->engine->first_error;
	spin_unlock_irq(&c->lock);
	return error;
}

/* The first error of a table is news; write_errors and flush_errors count those that follow. */
static void report_first_error(struct dmsc_cache *c)
{
	const char *name = dm_device_name(dm_table_get_md(c->ti->table));
	int error = dmsc_first_error(c);

	if (!error)
		return;
	if (c->error_sector != DMSC_NO_SECTOR)
		DMERR("%s: write error of the origin at sector %llu (%d): %s", name,
		      c->error_sector, error, "dirty pages stay in DRAM, repair the origin");
	else
		DMERR("%s: FLUSH error of the origin (%d): %s", name, error,
		      "cached pages are written again, repair the origin");
	c->error_reported = true;
	dm_table_event(c->ti->table);
}

static bool start_work(struct dmsc_cache *c)
{
	bool any = dmsc_run_ready(c);

	return dmsc_start_ios(c) || any;
}

static void do_work(struct work_struct *work)
{
	struct dmsc_cache *c = container_of(work, struct dmsc_cache, work);
	unsigned int pass;

	for (pass = 0; pass < MAX_PASSES; pass++) {
		bool more = dmsc_finish_ios(c);

		if (!c->error_reported)
			report_first_error(c);
		more |= dmsc_finish_bios(c);
		more |= start_work(c);
		/*
		 * A policy that flushes early has to find the device busy with all I/O that is
		 * due. Submission stops for completions, but a stream of them must not keep
		 * retries and ticks waiting.
		 */
		if (dmsc_has_staged(c) && pass < MAX_PASSES - 1)
			continue;
		more |= background(c);
		more |= start_work(c);
		if (!more)
			return;
	}
	queue_work(c->wq, &c->work);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct dmsc_cache *c = container_of(timer, struct dmsc_cache, timer);

	queue_work(c->wq, &c->work);
	return HRTIMER_NORESTART;
}

/**
 * dmsc_worker_kick() - have the worker look at the engine
 * @c: cache
 *
 * Context: any; takes no lock.
 */
void dmsc_worker_kick(struct dmsc_cache *c)
{
	queue_work(c->wq, &c->work);
}

static bool io_pending(struct dmsc_cache *c)
{
	bool pending;

	spin_lock_irq(&c->lock);
	pending = ssdc_io_pending(c->engine);
	spin_unlock_irq(&c->lock);
	return pending;
}

static void freeze(struct dmsc_cache *c, bool frozen)
{
	spin_lock_irq(&c->lock);
	ssdc_freeze(c->engine, frozen);
	spin_unlock_irq(&c->lock);
}

/**
 * dmsc_worker_suspend() - wait for all I/O, and start no more
 * @c: cache without requests, after the flush of its dirty pages
 *
 * Messages may still kick the worker; the frozen engine gives it no I/O to start.
 *
 * Context: may sleep.
 */
void dmsc_worker_suspend(struct dmsc_cache *c)
{
	freeze(c, true);
	/* The requests have ended, but not necessarily the functions that ended them. */
	flush_workqueue(c->copiers);
	/* A pass that began before the freeze may still arm the timer and start I/O. */
	flush_work(&c->work);
	hrtimer_cancel(&c->timer);
	while (io_pending(c)) {
		dmsc_worker_kick(c);
		flush_work(&c->work);
		usleep_range(100, 1000);
	}
	/* Let the last pass and the last completion handler return. */
	flush_work(&c->work);
	synchronize_rcu();
}

/**
 * dmsc_worker_resume() - undo dmsc_worker_suspend()
 * @c: cache
 */
void dmsc_worker_resume(struct dmsc_cache *c)
{
	freeze(c, false);
	dmsc_worker_kick(c);
}

/**
 * dmsc_worker_create() - create the workqueues and set up the timer
 * @c: cache
 * @name: name of the device
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_worker_create(struct dmsc_cache *c, const char *name)
{
	INIT_WORK(&c->work, do_work);
	hrtimer_setup(&c->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	c->wq = alloc_ordered_workqueue("ssdcache-%s", WQ_MEM_RECLAIM, name);
	c->copiers = alloc_workqueue("ssdcache-copy-%s", WQ_UNBOUND | WQ_MEM_RECLAIM,
				     num_possible_cpus(), name);
	return c->wq && c->copiers ? 0 : -ENOMEM;
}

void dmsc_worker_destroy(struct dmsc_cache *c)
{
	if (c->copiers)
		destroy_workqueue(c->copiers);
	if (!c->wq)
		return;
	hrtimer_cancel(&c->timer);
	destroy_workqueue(c->wq);
}
