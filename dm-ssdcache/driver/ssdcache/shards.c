// SPDX-License-Identifier: GPL-2.0
/*
 * The parts that the shards of a cache have in common: the routing of host bios to shards, and
 * FLUSHes of the origin and of the host.
 *
 * Host bios are cut at the ends of regions, unless they are discards of many regions (discard.c);
 * device-mapper sends a FLUSH to each shard.
 *
 * FLUSHes reach the origin one by one, as those of an engine do, so that their order is known.
 * Shards that ask for a FLUSH in the meantime share the next one. If a FLUSH fails, all shards
 * learn of the failure before the next FLUSH begins, because the origin may have lost data of all
 * of them.
 */
#include <linux/blkdev.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../common/origin.h"
#include "cache.h"

/**
 * dmsc_shards_create() - allocate the shards of a cache, without engines
 * @c: cache
 * @nr: number of shards
 * @error: reason of a failure
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_shards_create(struct dmsc_cache *c, unsigned int nr, struct ssdc_error *error)
{
	struct dmsc_shard *s;

	spin_lock_init(&c->flush_lock);
	INIT_LIST_HEAD(&c->flush_sharers);
	INIT_LIST_HEAD(&c->flush_waiters);
	INIT_LIST_HEAD(&c->preflushes);
	c->shards = kvcalloc(nr, sizeof(*c->shards), GFP_KERNEL);
	if (!c->shards) {
		scnprintf(error->text, sizeof(error->text), "shards: no memory for %u", nr);
		return -ENOMEM;
	}
	c->nr_shards = nr;
	dmsc_for_each_shard(s, c) {
		s->cache = c;
		spin_lock_init(&s->lock);
	}
	dmsc_shards_changed(c);
	return 0;
}

/**
 * dmsc_shards_changed() - set the fields that depend on the number of shards, or on refuses_io
 * @c: cache without requests
 */
void dmsc_shards_changed(struct dmsc_cache *c)
{
	c->direct = c->nr_shards == 1 && !c->refuses_io;
}

/**
 * dmsc_route() - find the shard of a host bio
 * @c: cache
 * @bio: device-mapper's clone of the bio; cut at the end of its region. Device-mapper sends the
 *	rest again
 *
 * If the origin refuses one part with EAGAIN, the whole bio fails, but ends with its last part: too
 * late for io_uring, as in dmsc_submit_remapped(). So parts lose REQ_NOWAIT. A bio at the start of
 * a region may be such a rest.
 *
 * Context: map() of the target.
 * Return: the shard.
 */
struct dmsc_shard *dmsc_route(struct dmsc_cache *c, struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector;
	bool is_part;
	u32 left;

	if (dms_bio_op(bio) == SSDC_FLUSH)
		return &c->shards[dm_bio_get_target_bio_nr(bio)];
	if (c->nr_shards == 1)
		return c->shards;
	left = ssdc_region_left(sector, c->region_shift);
	is_part = left == 1U << c->region_shift;
	if (bio_sectors(bio) > left) {
		dm_accept_partial_bio(bio, left);
		is_part = true;
	}
	if (is_part)
		bio->bi_opf &= ~REQ_NOWAIT;
	return &c->shards[ssdc_shard_of(sector, c->region_shift, c->nr_shards)];
}

/**
 * dmsc_origin_flush_begins() - a shard asks for a FLUSH of the origin
 * @io: its record
 *
 * Context: worker.
 * Return: true: the caller submits @io; false: it shares the next FLUSH of another shard, and ends
 * like a completed I/O.
 */
bool dmsc_origin_flush_begins(struct dmsc_origin_io *io)
{
	struct dmsc_cache *c = io->shard->cache;
	bool first;

	if (c->nr_shards == 1)
		return true;
	spin_lock_irq(&c->flush_lock);
	first = !c->flush;
	if (first)
		WRITE_ONCE(c->flush, io);
	else
		list_add_tail(&io->node, &c->flush_waiters);
	spin_unlock_irq(&c->flush_lock);
	return first;
}

/* Tell the engines of the other shards of a failed FLUSH, before the next FLUSH begins. */
static void tell_others(struct dmsc_shard *failed, int error, bool reported)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, failed->cache) {
		if (s == failed)
			continue;
		spin_lock_irq(&s->lock);
		ssdc_flush_failed_elsewhere(s->engine, error, reported);
		spin_unlock_irq(&s->lock);
		dmsc_worker_kick(s);
	}
}

/*
 * Give the records back to the workers of their shards, which report their end without an error:
 * the engines have already been told of a failure.
 */
static void end_sharers(struct list_head *sharers)
{
	struct dmsc_origin_io *io, *next;

	list_for_each_entry_safe(io, next, sharers, node) {
		io->bio.bi_status = BLK_STS_OK;
		dmsc_io_ended(io);
	}
}

/**
 * dmsc_origin_flush_ends() - a shard's FLUSH of the origin has ended
 * @io: its record
 * @error: 0 or -errno
 * @reported: the FLUSH is the host's, which learns of @error
 *
 * Context: worker of the shard, before the engine is told.
 * Return: the record of the next FLUSH, perhaps of another shard, which the caller submits, or
 *	NULL.
 */
struct dmsc_origin_io *dmsc_origin_flush_ends(struct dmsc_origin_io *io, int error, bool reported)
{
	struct dmsc_shard *s = io->shard;
	struct dmsc_cache *c = s->cache;
	struct dmsc_origin_io *next;
	LIST_HEAD(sharers);

	/*
	 * The record of a shard that shared a FLUSH is not @flush: its FLUSH was another record's.
	 */
	if (READ_ONCE(c->flush) != io)
		return NULL;
	if (error)
		tell_others(s, error, reported);
	spin_lock_irq(&c->flush_lock);
	list_splice_init(&c->flush_sharers, &sharers);
	list_splice_init(&c->flush_waiters, &c->flush_sharers);
	next = list_first_entry_or_null(&c->flush_sharers, struct dmsc_origin_io, node);
	if (next)
		list_del(&next->node);
	WRITE_ONCE(c->flush, next);
	spin_unlock_irq(&c->flush_lock);
	end_sharers(&sharers);
	return next;
}

/* A FLUSH of the host, or the first part of it, arrives. */
static void first_part_begins(struct dmsc_cache *c, struct dmsc_bio *b)
{
	struct dmsc_preflush *first = &b->preflush;

	first->of = dms_preflush_begins(c->ti, b->bio);
	first->first = first->of.vec ? b : NULL;
	if (!first->first)
		return;
	atomic_set(&first->left, c->nr_shards);
	first->error = 0;
	if (c->nr_shards == 1)
		return;
	first->task = current;
	spin_lock_irq(&c->flush_lock);
	list_add(&first->node, &c->preflushes);
	spin_unlock_irq(&c->flush_lock);
}

/* Part @nr of a FLUSH arrives, which is not the first. */
static void next_part_begins(struct dmsc_cache *c, struct dmsc_bio *b, unsigned int nr)
{
	struct dmsc_preflush *first;

	b->preflush.first = NULL;
	spin_lock_irq(&c->flush_lock);
	list_for_each_entry(first, &c->preflushes, node) {
		if (first->task != current)
			continue;
		b->preflush.first = first->first;
		if (nr == c->nr_shards - 1)
			list_del(&first->node);
		break;
	}
	spin_unlock_irq(&c->flush_lock);
}

/**
 * dmsc_host_flush_begins() - a FLUSH of the host, or a shard's part of it, arrives
 * @c: cache
 * @b: its record
 *
 * Only the first part tells which write the FLUSH is part of (preflush.h). Device-mapper sends all
 * parts of a FLUSH one after the other, from one task.
 *
 * Context: map() of the target.
 */
void dmsc_host_flush_begins(struct dmsc_cache *c, struct dmsc_bio *b)
{
	unsigned int nr = c->nr_shards > 1 ? dm_bio_get_target_bio_nr(b->bio) : 0;

	if (nr)
		next_part_begins(c, b, nr);
	else
		first_part_begins(c, b);
}

/**
 * dmsc_host_flush_ends() - end the bio of dmsc_host_flush_begins()
 * @b: its record; the bio has its status
 *
 * Context: any task.
 */
void dmsc_host_flush_ends(struct dmsc_bio *b)
{
	struct dmsc_bio *first = b->preflush.first;
	struct bio *bio = b->bio;

	if (!first) {
		bio_endio(bio);
		return;
	}
	if (bio->bi_status)
		cmpxchg(&first->preflush.error, 0, blk_status_to_errno(bio->bi_status));
	if (b != first)
		bio_endio(bio);
	if (!atomic_dec_and_test(&first->preflush.left))
		return;
	if (first->preflush.error)
		dms_preflush_failed(&first->preflush.of,
				    errno_to_blk_status(first->preflush.error));
	bio_endio(first->bio);
}
