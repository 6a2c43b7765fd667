// SPDX-License-Identifier: GPL-2.0
/*
 * Bios of "ssdflash": the origin moves the data, the model says when. A bio ends
 * with the later of the two.
 *
 *	map -> model, origin -> remapped_ended() and the timer, in any order -> end
 *
 * A zoned origin is the model's medium: it moves the data when the model says so, and the
 * model waits for it.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>

#include "../../compat/compat.h"
#include "../../engine/engine.h"
#include "../common/origin.h"
#include "flash_trace.h"
#include "zoned/zoned.h"

static LIST_HEAD(live_targets);
static LIST_HEAD(claims);
static DEFINE_SPINLOCK(live_lock);	/* guards claims, and changes of live_targets */

static struct bio *bio_of(struct ssdf_bio *b)
{
	return dm_bio_from_per_bio_data(b, sizeof(*b));
}

/* The model, or the origin, is done with a bio; device-mapper hears when both are. */
static void put_bio(struct ssdf_bio *b)
{
	struct bio *bio = bio_of(b);

	if (!atomic_dec_and_test(&b->pending))
		return;
	if (b->rq.failed)
		bio->bi_status = BLK_STS_IOERR;
	bio_endio(bio);
}

struct bio *ssdf_bio_of(struct ssdf_request *rq)
{
	return bio_of(container_of(rq, struct ssdf_bio, rq));
}

/* Context: any, interrupts included. */
static void remapped_ended(struct bio *bio)
{
	struct ssdf_bio *b = dm_per_bio_data(bio, sizeof(*b));

	bio->bi_end_io = b->end_io;
	bio->bi_private = b->private;
	put_bio(b);
}

/* Requests that are over, to be told without the lock. */
static void take_done(struct ssdf_target *f, struct list_head *done)
{
	struct ssdf_request *rq;

	while ((rq = ssdf_next_done(f->device))) {
		trace_ssdflash_complete(f, rq);
		list_add_tail(&rq->node, done);
	}
}

static void tell_done(struct list_head *done)
{
	struct ssdf_request *rq, *next;

	list_for_each_entry_safe(rq, next, done, node)
		put_bio(container_of(rq, struct ssdf_bio, rq));
}

/*
 * Caller holds the lock. Whoever has changed the model comes here in the end, and so does
 * the timer, which is not armed then: the next event always has a timer.
 */
static void arm(struct ssdf_target *f)
{
	u64 next_ns;

	lockdep_assert_held(&f->lock);
	next_ns = f->stopped ? SSDF_NEVER : ssdf_next_ns(f->device);
	if (next_ns == SSDF_NEVER || next_ns == f->armed_ns)
		return;
	f->armed_ns = next_ns;
	hrtimer_start(&f->timer, ns_to_ktime(next_ns), HRTIMER_MODE_ABS_SOFT);
}

/* All that happens by now, in steps between which the lock is free. Caller holds it. */
static u64 catch_up(struct ssdf_target *f)
{
	u64 now_ns = ktime_get_ns();

	while (ssdf_advance(f->device, now_ns)) {
		spin_unlock_bh(&f->lock);
		spin_lock_bh(&f->lock);
	}
	return now_ns;
}

/**
 * ssdf_enter() - take the lock, with the model at the present
 * @f: target
 *
 * Return: current time for the model; 0 while it stands still.
 */
u64 ssdf_enter(struct ssdf_target *f) __acquires(&f->lock)
{
	spin_lock_bh(&f->lock);
	return f->stopped ? 0 : catch_up(f);
}

/**
 * ssdf_leave() - undo ssdf_enter(), and end what is over
 * @f: target
 */
void ssdf_leave(struct ssdf_target *f) __releases(&f->lock)
{
	LIST_HEAD(done);

	take_done(f, &done);
	arm(f);
	spin_unlock_bh(&f->lock);
	tell_done(&done);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct ssdf_target *f = container_of(timer, struct ssdf_target, timer);

	ssdf_enter(f);
	f->armed_ns = SSDF_NEVER;
	ssdf_leave(f);
	return HRTIMER_NORESTART;
}

/* Is this not to be passed on as it is? */
static bool stays_here(const struct ssdf_target *f, const struct bio *bio)
{
	if (f->zoned)
		return true;
	/* The origin may have no use for what the model has. */
	return bio_op(bio) == REQ_OP_DISCARD && !bdev_max_discard_sectors(f->origin->bdev);
}

/**
 * ssdf_map_bio() - take a bio
 * @f: target
 * @bio: clone that device-mapper made, its sector relative to the target
 *
 * Context: process.
 * Return: DM_MAPIO_SUBMITTED or DM_MAPIO_REMAPPED.
 */
int ssdf_map_bio(struct ssdf_target *f, struct bio *bio)
{
	struct ssdf_bio *b = dm_per_bio_data(bio, sizeof(*b));
	bool stays = stays_here(f, bio);
	u64 now_ns;

	b->rq.op = ssdc_bio_op(bio);
	b->rq.sector = b->rq.op == SSDC_FLUSH ? 0 :
		       dm_target_offset(f->ti, bio->bi_iter.bi_sector);
	b->rq.nr_sectors = bio_sectors(bio);
	b->rq.durable = b->rq.op == SSDC_FLUSH || (bio->bi_opf & REQ_FUA);
	atomic_set(&b->pending, stays ? 1 : 2);
	if (!stays) {
		b->end_io = bio->bi_end_io;
		b->private = bio->bi_private;
		bio->bi_end_io = remapped_ended;
		bio_set_dev(bio, f->origin->bdev);
		bio->bi_iter.bi_sector = b->rq.sector;
	}

	now_ns = ssdf_enter(f);
	trace_ssdflash_request(f, &b->rq);
	ssdf_submit(f->device, &b->rq, now_ns);
	ssdf_leave(f);
	return stays ? DM_MAPIO_SUBMITTED : DM_MAPIO_REMAPPED;
}

void ssdf_timer_create(struct ssdf_target *f)
{
	f->armed_ns = SSDF_NEVER;
	f->stopped = true;
	INIT_LIST_HEAD(&f->live);
	INIT_LIST_HEAD(&f->claim);
	hrtimer_setup(&f->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

/**
 * ssdf_start() - let time pass, and let who is above ask
 * @f: target that is being resumed
 */
void ssdf_start(struct ssdf_target *f)
{
	u64 now_ns;

	spin_lock_bh(&f->lock);
	f->stopped = false;
	spin_unlock_bh(&f->lock);
	now_ns = ssdf_enter(f);
	if (f->zoned)
		ssdf_start_gc(f->device, now_ns);
	ssdf_leave(f);
	spin_lock(&live_lock);
	if (list_empty(&f->live))
		list_add_rcu(&f->live, &live_targets);
	spin_unlock(&live_lock);
}

/**
 * ssdf_stop() - undo ssdf_start(); the timer does not run after it
 * @f: target whose requests have ended
 *
 * Context: may sleep.
 */
void ssdf_stop(struct ssdf_target *f)
{
	spin_lock(&live_lock);
	if (!list_empty(&f->live)) {
		list_del_rcu(&f->live);
		spin_unlock(&live_lock);
		synchronize_rcu();
		INIT_LIST_HEAD(&f->live);
	} else {
		spin_unlock(&live_lock);
	}
	spin_lock_bh(&f->lock);
	f->stopped = true;
	spin_unlock_bh(&f->lock);
	hrtimer_cancel(&f->timer);
	f->armed_ns = SSDF_NEVER;
	if (f->zoned)
		ssdf_zoned_stop(f);
	ssdf_release_origin(f);
}

/**
 * ssdf_claim_origin() - be the only target that works with the origin
 * @f: target that is about to be resumed
 *
 * Until ssdf_release_origin(), or ssdf_stop().
 *
 * Return: false if another one has it.
 */
bool ssdf_claim_origin(struct ssdf_target *f)
{
	struct ssdf_target *other;
	bool taken = false;

	spin_lock(&live_lock);
	list_for_each_entry(other, &claims, claim)
		taken |= other != f && other->origin->bdev == f->origin->bdev;
	if (!taken && list_empty(&f->claim))
		list_add(&f->claim, &claims);
	spin_unlock(&live_lock);
	return !taken;
}

void ssdf_release_origin(struct ssdf_target *f)
{
	spin_lock(&live_lock);
	list_del_init(&f->claim);
	spin_unlock(&live_lock);
}

/* The live target that a block device is, or NULL. Caller is in an RCU read section. */
static struct ssdf_target *find_live(const struct block_device *bdev)
{
	struct ssdf_target *f;

	list_for_each_entry_rcu(f, &live_targets, live)
		if (dm_disk(dm_table_get_md(f->ti->table)) == bdev->bd_disk)
			return f;
	return NULL;
}

/*
 * Who is above asks by these, under its own lock. Without the target's: a moment's look need
 * not be consistent, and ends of I/O must not be told under the cache's lock, as they might
 * be when this one is released. @device is the origin of an ssdcache; if it is no ssdflash
 * there is nobody to ask.
 */
static bool device_view(void *device, struct ssdc_view *view)
{
	struct ssdf_target *f;

	rcu_read_lock();
	f = find_live(device);
	if (f)
		ssdf_get_view(f->device, view);
	rcu_read_unlock();
	return f;
}

static bool device_ask_units(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	struct ssdf_target *f;

	rcu_read_lock();
	f = find_live(device);
	if (f)
		ssdf_ask_units(f->device, queries, nr);
	rcu_read_unlock();
	return f;
}

const struct ssdc_device_ops ssdf_device_ops = {
	.view = device_view,
	.ask_units = device_ask_units,
};
