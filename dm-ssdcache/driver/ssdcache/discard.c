// SPDX-License-Identifier: GPL-2.0
/*
 * Discards, WRITE_ZEROES and secure erase of many regions, in a cache with several shards.
 *
 * If such a bio were cut at the ends of regions like any other, a discard of 1 TiB would be 262 144
 * discards of the origin. Instead, each shard that has regions in the range gets a part: a request
 * for the whole range, of which the shard's engine drops its own pages. The parts meet twice:
 *
 *	each part lets the discard go ahead -> the last one sends the bio to the origin
 *	the bio is back from the origin -> all parts learn of its result, and end
 *	each part has ended -> the last one ends the bio
 *
 * A part waits only for copies and I/O of its own shard that have begun (engine/discard.c), never
 * for another request. So parts that wait for each other do not block any other discard.
 */
#include <linux/blkdev.h>
#include <linux/slab.h>

#include "../common/origin.h"
#include "cache.h"
#include "latency.h"

/**
 * struct dmsc_discard - a discard with a part in each of several shards
 * @bio: host bio
 * @nr: number of @parts
 * @left: parts that have yet to let the discard go ahead; later, parts that have yet to end
 * @error: first error of a part
 * @parts: one for each shard concerned
 */
struct dmsc_discard {
	struct bio *bio;
	unsigned int nr;
	atomic_t left;
	int error;
	struct dmsc_bio parts[];
};

static bool narrow(const struct dmsc_cache *c, u64 *sector, u64 *nr_sectors)
{
	struct block_device *bdev = dmsc_origin(c);

	return ssdc_narrow_discard(sector, nr_sectors,
				   bdev_discard_granularity(bdev) >> SECTOR_SHIFT,
				   bdev_discard_alignment(bdev) >> SECTOR_SHIFT);
}

/**
 * dmsc_narrow_discard() - trim a discard to whole granules of the origin
 * @c: cache
 * @bio: device-mapper's clone of the bio, after dmsc_route()
 *
 * Context: any.
 * Return: false if nothing is left.
 */
bool dmsc_narrow_discard(struct dmsc_cache *c, struct bio *bio)
{
	u64 first = bio->bi_iter.bi_sector;
	u64 sector = first, nr_sectors = bio_sectors(bio);

	if (!narrow(c, &sector, &nr_sectors))
		return false;
	bio_trim(bio, sector - first, nr_sectors);
	return true;
}

static u64 shards_of(const struct dmsc_cache *c, u64 sector, u64 nr_sectors)
{
	return ssdc_shards_of_discard(sector, nr_sectors, c->region_shift, c->nr_shards);
}

static void init_part(struct dmsc_discard *d, struct dmsc_bio *part, struct dmsc_shard *s,
		      u64 now_ns)
{
	ssdc_request_init(&part->rq, SSDC_DISCARD, d->bio->bi_iter.bi_sector, bio_sectors(d->bio),
			  now_ns);
	part->bio = d->bio;
	part->needs = DMSC_NEEDS_NOTHING;
	part->shard = s;
	part->discard = d;
}

/**
 * dmsc_discard_create() - make the parts of a discard
 * @c: cache with several shards
 * @bio: device-mapper's clone of the bio; on success, trimmed to whole granules of the origin.
 *	dm_accept_partial_bio(), which would cut the bio otherwise, needs it as a whole
 * @now_ns: time of arrival
 *
 * As in dmsc_route(), the bio loses REQ_NOWAIT, as it may be the rest of one that was cut.
 *
 * Context: map() of the target; may sleep, but not if the submitter must not wait.
 * Return: the discard, for dmsc_discard_parts(); NULL: the bio is to be cut at the end of its
 * region, because it has few regions, is no discard, or because there is no memory.
 */
struct dmsc_discard *dmsc_discard_create(struct dmsc_cache *c, struct bio *bio, u64 now_ns)
{
	gfp_t gfp = bio->bi_opf & REQ_NOWAIT ? GFP_NOWAIT : GFP_NOIO | __GFP_NORETRY;
	u64 first = bio->bi_iter.bi_sector;
	u64 sector = first, nr_sectors = bio_sectors(bio), shards;
	struct dmsc_discard *d;
	struct dmsc_shard *s;

	if (dms_bio_op(bio) != SSDC_DISCARD || !shards_of(c, sector, nr_sectors))
		return NULL;
	if (bio_op(bio) == REQ_OP_DISCARD && !narrow(c, &sector, &nr_sectors))
		return NULL;
	shards = shards_of(c, sector, nr_sectors);
	if (!shards)
		return NULL;
	d = kmalloc(struct_size(d, parts, hweight64(shards)), gfp | __GFP_NOWARN);
	if (!d)
		return NULL;
	bio_trim(bio, sector - first, nr_sectors);
	d->bio = bio;
	d->nr = 0;
	d->error = 0;
	dmsc_for_each_shard(s, c)
		if (shards & BIT_ULL(s - c->shards))
			init_part(d, &d->parts[d->nr++], s, now_ns);
	atomic_set(&d->left, d->nr);
	bio->bi_opf &= ~REQ_NOWAIT;
	return d;
}

/**
 * dmsc_discard_parts() - the parts of a discard that has not begun
 * @d: discard; freed at some time after its last part has begun
 * @nr: result: how many parts there are
 */
struct dmsc_bio *dmsc_discard_parts(struct dmsc_discard *d, unsigned int *nr)
{
	*nr = d->nr;
	return d->parts;
}

/**
 * dmsc_discard_goes_ahead() - a part lets the discard go ahead
 * @part: the part, with all that the end of the bio at the origin needs: if it is not the last one,
 *	it may be freed before this function returns
 *
 * Context: any task.
 * Return: true if @part is the last one: the caller sends the bio to the origin.
 */
bool dmsc_discard_goes_ahead(struct dmsc_bio *part)
{
	struct dmsc_discard *d = part->discard;

	if (!atomic_dec_and_test(&d->left))
		return false;
	atomic_set(&d->left, d->nr);
	return true;
}

/**
 * dmsc_discard_forwarded() - the origin has completed the bio of a discard
 * @d: discard
 *
 * Context: any, including interrupts.
 */
void dmsc_discard_forwarded(struct dmsc_discard *d)
{
	unsigned int i, nr = d->nr;

	/* The discard may be freed once its last part has been handed over. */
	for (i = 0; i < nr; i++)
		dmsc_forward_ended(&d->parts[i]);
}

/**
 * dmsc_discard_part_ended() - a part of a discard has ended
 * @part: the part; freed with the last one, which ends the bio
 * @now_ns: current time
 *
 * Context: any task.
 */
void dmsc_discard_part_ended(struct dmsc_bio *part, u64 now_ns)
{
	struct dmsc_discard *d = part->discard;
	struct bio *bio = d->bio;
	int error;

	dmsc_latency_add(part->shard, SSDC_DISCARD, now_ns - part->rq.host.start_ns);
	if (part->rq.error)
		cmpxchg(&d->error, 0, part->rq.error);
	if (!atomic_dec_and_test(&d->left))
		return;
	error = d->error;
	kfree(d);
	bio->bi_status = error ? errno_to_blk_status(error) : BLK_STS_OK;
	bio_endio(bio);
}
