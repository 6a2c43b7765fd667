// SPDX-License-Identifier: GPL-2.0
/*
 * The errors that preflush.h is about, between the end of the FLUSH and the arrival of its write.
 *
 * The list belongs to no table, because the write may come to the next table of its device. Its
 * length is fixed, because nothing is allocated on the I/O path. In a full list a new error
 * replaces the oldest one: a journal has a few commits in progress at most.
 */
#include <linux/kernel.h>
#include <linux/spinlock.h>

#include "preflush.h"

static struct {
	struct dms_preflush of;		/* of.vec is NULL: unused */
	blk_status_t status;
} failures[64];

static unsigned int nr_failures;	/* in use */
static unsigned int next_failure;
static DEFINE_SPINLOCK(failures_lock);

/**
 * dms_preflush_failed() - remember the error of a FLUSH, if it is part of a write
 * @preflush: the write
 * @status: the error
 *
 * Call this function before the bio of the FLUSH ends.
 *
 * Context: any.
 */
void dms_preflush_failed(const struct dms_preflush *preflush, blk_status_t status)
{
	unsigned long flags;
	unsigned int i;

	if (!preflush->vec)
		return;
	spin_lock_irqsave(&failures_lock, flags);
	i = next_failure++ % ARRAY_SIZE(failures);
	if (!failures[i].of.vec)
		WRITE_ONCE(nr_failures, nr_failures + 1);
	failures[i].of = *preflush;
	failures[i].status = status;
	spin_unlock_irqrestore(&failures_lock, flags);
}

static bool is_same(const struct dms_preflush *a, const struct dms_preflush *b)
{
	return a->md == b->md && a->vec == b->vec;
}

/* Take the error of a write from the list. */
static blk_status_t take_failure(const struct dms_preflush *preflush)
{
	blk_status_t status = BLK_STS_OK;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&failures_lock, flags);
	for (i = 0; i < ARRAY_SIZE(failures); i++) {
		if (!is_same(&failures[i].of, preflush))
			continue;
		status = failures[i].status;
		failures[i].of.vec = NULL;
		WRITE_ONCE(nr_failures, nr_failures - 1);
		break;
	}
	spin_unlock_irqrestore(&failures_lock, flags);
	return status;
}

static struct dms_preflush preflush_of(struct dm_target *ti, const struct bio *bio)
{
	return (struct dms_preflush){
		.md = dm_table_get_md(ti->table),
		.vec = bio->bi_opf & REQ_FUA ? bio->bi_io_vec : NULL,
	};
}

/**
 * dms_preflush_begins() - which write is a FLUSH part of?
 * @ti: target
 * @bio: device-mapper's clone of the FLUSH, as it arrives: an origin may change it
 *
 * An error that is still in the list for the same vectors is that of an earlier write, which never
 * arrived: the table was replaced, or the write was to another device.
 *
 * Context: any.
 * Return: the write, for dms_preflush_failed().
 */
struct dms_preflush dms_preflush_begins(struct dm_target *ti, const struct bio *bio)
{
	struct dms_preflush preflush = preflush_of(ti, bio);

	if (unlikely(READ_ONCE(nr_failures)) && preflush.vec)
		take_failure(&preflush);
	return preflush;
}

/**
 * dms_preflush_fails() - did the FLUSH of a write fail?
 * @ti: target
 * @bio: device-mapper's clone of a write with REQ_FUA, as it arrives
 *
 * Context: any.
 * Return: true if it did: @bio has the error, and the caller ends it.
 */
bool dms_preflush_fails(struct dm_target *ti, struct bio *bio)
{
	struct dms_preflush preflush;
	blk_status_t status;

	if (likely(!READ_ONCE(nr_failures)))
		return false;
	preflush = preflush_of(ti, bio);
	if (!preflush.vec)
		return false;
	status = take_failure(&preflush);
	if (!status)
		return false;
	bio->bi_status = status;
	return true;
}
