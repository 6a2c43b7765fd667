/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors of the FLUSH of a write.
 *
 * Device-mapper splits a write with REQ_PREFLUSH: the target gets a FLUSH and, after its end, the
 * write without REQ_PREFLUSH. Device-mapper forgets the error of that FLUSH (__dm_io_complete() in
 * drivers/md/dm.c). File systems commit their journals with such writes, so an fsync would succeed
 * although its data are not on stable media. Therefore the targets remember the error, and fail the
 * write.
 *
 * The first bio of the FLUSH is device-mapper's clone of the write, without its data: it has the
 * flags, the vectors and the sector of the write. A FLUSH that is not part of a write has no
 * REQ_FUA. Journals set both flags; a write with REQ_PREFLUSH alone is not recognised. Nor is a
 * write that comes through a target that copies the data, such as dm-crypt: that write has vectors
 * of its own.
 */
#ifndef DMS_PREFLUSH_H
#define DMS_PREFLUSH_H

#include <linux/bio.h>
#include <linux/device-mapper.h>

/**
 * struct dms_preflush - the write that a FLUSH is part of
 * @md: mapped device
 * @vec: vectors of the write; NULL: the FLUSH is not part of a write
 * @sector: first sector of the write
 */
struct dms_preflush {
	const struct mapped_device *md;
	const struct bio_vec *vec;
	sector_t sector;
};

/* Call this function when the FLUSH, or the write with FUA, arrives: an origin may change @bio. */
static inline struct dms_preflush dms_preflush_of(struct dm_target *ti, const struct bio *bio)
{
	return (struct dms_preflush){
		.md = dm_table_get_md(ti->table),
		.vec = bio->bi_opf & REQ_FUA ? bio->bi_io_vec : NULL,
		.sector = bio->bi_iter.bi_sector,
	};
}

void dms_preflush_failed(const struct dms_preflush *preflush, blk_status_t status);
bool dms_preflush_fails(struct dm_target *ti, struct bio *bio);

#endif /* DMS_PREFLUSH_H */
