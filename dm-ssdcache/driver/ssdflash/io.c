// SPDX-License-Identifier: GPL-2.0
/*
 * Bios of "ssdflash": the origin moves the data, the model decides the timing. A bio
 * completes when both are done.
 *
 *	map -> model and origin -> remapped_ended() and the timer, in any order -> end
 *
 * A zoned origin is the model's medium: data are moved when the model requests that, and the model
 * waits for the origin.
 *
 * The model's clock is the kernel's clock plus the time that suspends have skipped. A suspend waits
 * for all requests in flight, which take minutes on a flash device with long queues. So while
 * requests are in flight during a suspend, the model's clock jumps from event to event. Each
 * request takes its time in the model, and the suspend waits for the origin only.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>

#include "../../compat/compat.h"
#include "../../engine/engine.h"
#include "../common/origin.h"
#include "flash_trace.h"
#include "zoned/zoned.h"

/* Jumps of the clock per run of the work. */
#define SKIPS 64

static LIST_HEAD(live_targets);
static LIST_HEAD(claims);
static LIST_HEAD(started_targets);
/* Protects claims, started_targets, and changes of live_targets. */
static DEFINE_SPINLOCK(live_lock);

static struct bio *bio_of(struct dmsf_bio *b)
{
	return dm_bio_from_per_bio_data(b, sizeof(*b));
}

/* The model or the origin is done with a bio; end the bio when both are. */
static void put_bio(struct dmsf_bio *b)
{
	struct bio *bio = bio_of(b);

	if (!atomic_dec_and_test(&b->pending))
		return;
	if (b->rq.failed)
		bio->bi_status = BLK_STS_IOERR;
	if (bio->bi_status && b->rq.op == SSDC_FLUSH)
		dms_preflush_failed(&b->preflush, bio->bi_status);
	bio_endio(bio);
}

/**
 * dmsf_bio_of() - the bio of a request
 * @rq: request submitted by dmsf_map_bio()
 */
struct bio *dmsf_bio_of(struct ssdf_request *rq)
{
	return bio_of(container_of(rq, struct dmsf_bio, rq));
}

/* Context: any, interrupts included. */
static void remapped_ended(struct bio *bio)
{
	struct dmsf_bio *b = dm_per_bio_data(bio, sizeof(*b));

	bio->bi_end_io = b->end_io;
	bio->bi_private = b->private;
	put_bio(b);
}

/* Collect completed requests, to end them without the lock. */
static void take_done(struct dmsf_target *f, struct list_head *done)
{
	struct ssdf_request *rq;

	while ((rq = ssdf_next_done(f->device))) {
		trace_ssdflash_complete(f, rq);
		list_add_tail(&rq->node, done);
	}
}

static void end_done(struct dmsf_target *f, struct list_head *done)
{
	struct ssdf_request *rq, *next;

	list_for_each_entry_safe(rq, next, done, node) {
		/* The host learns of a loss from this FLUSH. */
		if (rq->failed && rq->op == SSDC_FLUSH)
			atomic_set(&f->unreported, 0);
		put_bio(container_of(rq, struct dmsf_bio, rq));
	}
}

/* Caller holds the lock. */
static bool is_skipping(const struct dmsf_target *f)
{
	return f->suspending && !f->stopped && ssdf_inflight(f->device);
}

/**
 * dmsf_now_ns() - current time of the model
 * @f: target
 *
 * Context: the target's lock.
 */
u64 dmsf_now_ns(const struct dmsf_target *f)
{
	return ktime_get_ns() + f->ahead_ns;
}

/*
 * Arm the timer for the next event. Called with the lock held after each change of the
 * model, and by the timer itself, so that the next event always has a timer.
 */
static void arm(struct dmsf_target *f)
{
	u64 next_ns;

	lockdep_assert_held(&f->lock);
	next_ns = f->stopped ? SSDF_NEVER : ssdf_next_ns(f->device);
	if (next_ns == SSDF_NEVER)
		return;
	if (is_skipping(f))
		schedule_work(&f->skip_work);
	if (next_ns == f->armed_ns)
		return;
	f->armed_ns = next_ns;
	/* Events from before the last jump are due already. */
	hrtimer_start(&f->timer, ns_to_ktime(max(next_ns, f->ahead_ns) - f->ahead_ns),
		      HRTIMER_MODE_ABS_SOFT);
}

/* Process all events up to now, dropping the lock between steps. Caller holds the lock. */
static u64 catch_up(struct dmsf_target *f)
{
	u64 now_ns = dmsf_now_ns(f);

	while (ssdf_advance(f->device, now_ns)) {
		spin_unlock_bh(&f->lock);
		spin_lock_bh(&f->lock);
	}
	return now_ns;
}

/**
 * dmsf_enter() - take the lock and bring the model up to date
 * @f: target
 *
 * Context: process or softirq.
 * Return: current time for the model; 0 while the target is stopped.
 */
u64 dmsf_enter(struct dmsf_target *f) __acquires(&f->lock)
{
	spin_lock_bh(&f->lock);
	return f->stopped ? 0 : catch_up(f);
}

/**
 * dmsf_leave() - release the lock of dmsf_enter() and end completed bios
 * @f: target
 */
void dmsf_leave(struct dmsf_target *f) __releases(&f->lock)
{
	LIST_HEAD(done);

	take_done(f, &done);
	arm(f);
	spin_unlock_bh(&f->lock);
	end_done(f, &done);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct dmsf_target *f = container_of(timer, struct dmsf_target, timer);

	dmsf_enter(f);
	f->armed_ns = SSDF_NEVER;
	dmsf_leave(f);
	return HRTIMER_NORESTART;
}

/* Process the next events without waiting for their time. */
static void skip_time(struct work_struct *work)
{
	struct dmsf_target *f = container_of(work, struct dmsf_target, skip_work);
	bool more = true;
	u64 now_ns, next_ns;
	unsigned int i;

	for (i = 0; i < SKIPS && more; i++) {
		now_ns = dmsf_enter(f);
		next_ns = ssdf_next_ns(f->device);
		more = is_skipping(f) && next_ns != SSDF_NEVER;
		if (more && next_ns > now_ns)
			f->ahead_ns += next_ns - now_ns;
		dmsf_leave(f);
	}
}

/**
 * dmsf_keeps_discards() - do discards end in the model?
 * @f: target
 *
 * They are not forwarded to a zoned origin, whose data the model's map places, nor to an origin
 * without discards.
 *
 * Context: any; takes no lock.
 */
bool dmsf_keeps_discards(const struct dmsf_target *f)
{
	return f->zoned || !bdev_max_discard_sectors(f->origin->bdev);
}

static void init_request(const struct dmsf_target *f, struct ssdf_request *rq, struct bio *bio)
{
	rq->op = dms_bio_op(bio);
	rq->sector = rq->op == SSDC_FLUSH ? 0 : dm_target_offset(f->ti, bio->bi_iter.bi_sector);
	rq->nr_sectors = bio_sectors(bio);
	rq->stream = dms_bio_stream(bio);
	rq->durable = rq->op == SSDC_FLUSH || (bio->bi_opf & REQ_FUA);
}

/* Is the bio handled here instead of being forwarded to the origin? */
static bool stays_here(const struct dmsf_target *f, const struct bio *bio)
{
	return f->zoned || (bio_op(bio) == REQ_OP_DISCARD && dmsf_keeps_discards(f));
}

/* Prepare the bio for the origin; remapped_ended() gets it back. */
static void remap(const struct dmsf_target *f, struct dmsf_bio *b, struct bio *bio)
{
	b->end_io = bio->bi_end_io;
	b->private = bio->bi_private;
	bio->bi_end_io = remapped_ended;
	bio_set_dev(bio, f->origin->bdev);
	bio->bi_iter.bi_sector = b->rq.sector;
	/*
	 * The origin could refuse a bio that must not wait, such as one that it has to split. The
	 * bio would end with EAGAIN when the model is done with it, too late for the submitter to
	 * try again: io_uring would report the error to its user.
	 */
	bio->bi_opf &= ~REQ_NOWAIT;
}

/**
 * dmsf_map_bio() - submit a bio to the model and to the origin
 * @f: target
 * @bio: device-mapper's clone, with its sector on the mapped device
 *
 * Context: process.
 * Return: DM_MAPIO_SUBMITTED or DM_MAPIO_REMAPPED.
 */
int dmsf_map_bio(struct dmsf_target *f, struct bio *bio)
{
	struct dmsf_bio *b = dm_per_bio_data(bio, sizeof(*b));
	bool stays = stays_here(f, bio);
	u64 now_ns;

	init_request(f, &b->rq, bio);
	if (b->rq.op == SSDC_FLUSH) {
		b->preflush = dms_preflush_begins(f->ti, bio);
	} else if (b->rq.durable && dms_preflush_fails(f->ti, bio)) {
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (b->rq.op == SSDC_FLUSH && atomic_xchg(&f->unreported, 0)) {
		bio->bi_status = BLK_STS_IOERR;
		dms_preflush_failed(&b->preflush, bio->bi_status);
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	/* All that can be read is on the medium. A cache on top may send a FLUSH all the same. */
	if (f->read_only && b->rq.op == SSDC_FLUSH) {
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	atomic_set(&b->pending, stays ? 1 : 2);
	if (!stays)
		remap(f, b, bio);
	now_ns = dmsf_enter(f);
	trace_ssdflash_request(f, &b->rq);
	ssdf_submit(f->device, &b->rq, now_ns);
	dmsf_leave(f);
	return stays ? DM_MAPIO_SUBMITTED : DM_MAPIO_REMAPPED;
}

/**
 * dmsf_timer_create() - initialise the timer and the lists of a stopped target
 * @f: target
 */
void dmsf_timer_create(struct dmsf_target *f)
{
	f->armed_ns = SSDF_NEVER;
	f->stopped = true;
	INIT_LIST_HEAD(&f->live);
	INIT_LIST_HEAD(&f->claim);
	INIT_LIST_HEAD(&f->started);
	INIT_WORK(&f->skip_work, skip_time);
	hrtimer_setup(&f->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

/**
 * dmsf_start() - start the clock and answer queries of an ssdcache on top
 * @f: target that is being resumed
 *
 * Context: process.
 */
void dmsf_start(struct dmsf_target *f)
{
	u64 now_ns;

	spin_lock_bh(&f->lock);
	f->stopped = false;
	f->suspending = false;
	spin_unlock_bh(&f->lock);
	now_ns = dmsf_enter(f);
	if (f->zoned)
		ssdf_start_gc(f->device, now_ns);
	dmsf_leave(f);
	spin_lock(&live_lock);
	if (list_empty(&f->live))
		list_add_rcu(&f->live, &live_targets);
	spin_unlock(&live_lock);
}

/**
 * dmsf_hurry() - begin, or stop, to complete requests as soon as the origin has done its part
 * @f: target that is about to be suspended, or whose suspend was given up
 * @hurry: true: begin; false: stop
 *
 * Context: process.
 */
void dmsf_hurry(struct dmsf_target *f, bool hurry)
{
	spin_lock_bh(&f->lock);
	f->suspending = hurry;
	/* Arm the timer again, as the clock may have jumped. */
	f->armed_ns = SSDF_NEVER;
	spin_unlock_bh(&f->lock);
	dmsf_enter(f);
	dmsf_leave(f);
}

/**
 * dmsf_stop() - undo dmsf_start() and cancel the timer
 * @f: target whose requests have ended
 *
 * Context: may sleep.
 */
void dmsf_stop(struct dmsf_target *f)
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
	cancel_work_sync(&f->skip_work);
	hrtimer_cancel(&f->timer);
	if (f->zoned)
		dmsf_zoned_stop(f);
	spin_lock_bh(&f->lock);
	f->armed_ns = SSDF_NEVER;
	f->suspending = false;
	spin_unlock_bh(&f->lock);
	dmsf_release_origin(f);
}

/**
 * dmsf_claim_origin() - become the only target that uses the origin
 * @f: target that is about to be resumed
 *
 * dmsf_release_origin() or dmsf_stop() ends the claim.
 *
 * Context: process.
 * Return: false if another target has claimed the origin.
 */
bool dmsf_claim_origin(struct dmsf_target *f)
{
	struct dmsf_target *other;
	bool taken = false;

	spin_lock(&live_lock);
	list_for_each_entry(other, &claims, claim)
		taken |= other != f && other->origin->bdev == f->origin->bdev;
	if (!taken && list_empty(&f->claim))
		list_add(&f->claim, &claims);
	spin_unlock(&live_lock);
	return !taken;
}

/**
 * dmsf_release_origin() - undo dmsf_claim_origin()
 * @f: target
 *
 * Context: process.
 */
void dmsf_release_origin(struct dmsf_target *f)
{
	spin_lock(&live_lock);
	list_del_init(&f->claim);
	spin_unlock(&live_lock);
}

/**
 * dmsf_inherit_loss() - take over the duty to report a loss from the previous table of the device
 * @f: target with a zoned origin, which is about to be resumed
 *
 * The previous table has failed, and has lost acknowledged writes, or has such a duty itself. If no
 * FLUSH has failed since, the first FLUSH of @f fails: it must not succeed as if it covered these
 * writes.
 *
 * Context: process; during the resume, as device-mapper destroys the previous table afterwards.
 * Return: true if there was such a table.
 */
bool dmsf_inherit_loss(struct dmsf_target *f)
{
	struct dmsf_target *other;
	bool lost = false;

	spin_lock(&live_lock);
	list_for_each_entry(other, &started_targets, started)
		if (other != f &&
		    dm_table_get_md(other->ti->table) == dm_table_get_md(f->ti->table))
			lost |= atomic_xchg(&other->unreported, 0);
	if (list_empty(&f->started))
		list_add(&f->started, &started_targets);
	spin_unlock(&live_lock);
	if (lost)
		atomic_set(&f->unreported, 1);
	return lost;
}

/**
 * dmsf_forget() - undo dmsf_inherit_loss(), before the target is freed
 * @f: target
 *
 * Context: process.
 */
void dmsf_forget(struct dmsf_target *f)
{
	spin_lock(&live_lock);
	list_del_init(&f->started);
	spin_unlock(&live_lock);
}

/* The live target of a block device, or NULL. Caller is in an RCU read-side section. */
static struct dmsf_target *find_live(const struct block_device *bdev)
{
	struct dmsf_target *f;

	list_for_each_entry_rcu(f, &live_targets, live)
		if (dm_disk(dm_table_get_md(f->ti->table)) == bdev->bd_disk)
			return f;
	return NULL;
}

/*
 * An ssdcache on top calls these under its own lock; @device is its origin, which may be any block
 * device. They do not take the target's lock, because a snapshot need not be consistent, and
 * because releasing that lock could end bios under the cache's lock.
 */
static bool device_view(void *device, struct ssdc_view *view)
{
	struct dmsf_target *f;

	rcu_read_lock();
	f = find_live(device);
	if (f)
		ssdf_get_view(f->device, view);
	rcu_read_unlock();
	return f;
}

static bool device_ask_units(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	struct dmsf_target *f;

	rcu_read_lock();
	f = find_live(device);
	if (f)
		ssdf_ask_units(f->device, queries, nr);
	rcu_read_unlock();
	return f;
}

/**
 * dmsf_params_of() - the parameters of a flash device
 * @bdev: any block device
 * @params: result
 *
 * Context: any; takes no lock.
 * Return: false if @bdev is not a resumed ssdflash.
 */
bool dmsf_params_of(struct block_device *bdev, struct ssdf_params *params)
{
	struct dmsf_target *f;

	rcu_read_lock();
	f = find_live(bdev);
	if (f)
		*params = f->device_params;
	rcu_read_unlock();
	return f;
}

const struct ssdc_device_ops dmsf_device_ops = {
	.view = device_view,
	.ask_units = device_ask_units,
};
