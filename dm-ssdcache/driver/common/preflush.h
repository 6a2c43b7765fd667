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
 * flags and the vectors of the write. Its sector says nothing, as dm-linear on top does not remap a
 * FLUSH (flush_bypasses_map), or remaps it as if it were for the first piece of the volume. A FLUSH
 * that is not part of a write has no REQ_FUA.
 *
 * These errors stay forgotten:
 *
 *	- of a write with REQ_PREFLUSH alone; journals set both flags;
 *	- of a write that comes through a target that copies the data, such as dm-crypt: the
 *	  write has other vectors than the FLUSH;
 *	- of a write to a volume on several devices, if the cache is not the first of them: only the
 *	  first device gets the clone;
 *	- of a write to a cache with shards, if there was no memory for the bios of the FLUSH at
 *	  once: alloc_multiple_bios() then sends other bios, without the clone.
 */
#ifndef DMS_PREFLUSH_H
#define DMS_PREFLUSH_H

#include <linux/bio.h>
#include <linux/device-mapper.h>

/**
 * struct dms_preflush - the write that a FLUSH is part of
 * @md: mapped device
 * @vec: vectors of the write; NULL: the FLUSH is not part of a write
 */
struct dms_preflush {
	const struct mapped_device *md;
	const struct bio_vec *vec;
};

struct dms_preflush dms_preflush_begins(struct dm_target *ti, const struct bio *bio);
void dms_preflush_failed(const struct dms_preflush *preflush, blk_status_t status);
bool dms_preflush_fails(struct dm_target *ti, struct bio *bio);

#endif /* DMS_PREFLUSH_H */
