// SPDX-License-Identifier: GPL-2.0
/*
 * Zones of the origin: the places of pages, synchronous I/O, and reports. Also stops all writes
 * after a failure.
 */
#include <linux/blkdev.h>

#include "zoned.h"

#define DM_MSG_PREFIX "ssdflash"

/**
 * dmsf_zone_sector() - the sector of the origin that holds a physical page
 * @z: medium
 * @ppn: physical page
 */
u64 dmsf_zone_sector(const struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	const struct dmsf_layout *l = &z->layout;
	u64 zone = (u64)l->first + 2 * l->region_zones + dmsf_block_of(z, ppn);

	return zone * l->zone_sectors +
		(u64)dmsf_page_in_block(z, ppn) * (z->page_bytes >> SECTOR_SHIFT);
}

/**
 * dmsf_zone_io() - read, write, reset or finish, and wait for completion
 * @z: medium
 * @opf: operation and flags
 * @sector: sector of the origin
 * @data: buffer from alloc_pages_exact(); NULL: no data
 * @bytes: length of @data
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsf_zone_io(struct dmsf_zoned *z, blk_opf_t opf, u64 sector, void *data, u32 bytes)
{
	struct bio_vec vec;
	struct bio bio;
	int r;

	bio_init(&bio, z->bdev, bytes ? &vec : NULL, bytes ? 1 : 0, opf);
	bio.bi_iter.bi_sector = sector;
	if (bytes)
		__bio_add_page(&bio, virt_to_page(data), bytes, offset_in_page(data));
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/**
 * dmsf_zone_report() - report the state of zones
 * @z: medium
 * @first: first zone, counted from the first one in use
 * @nr: number of zones
 * @cb: called for each zone
 * @data: passed to @cb
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsf_zone_report(struct dmsf_zoned *z, u32 first, u32 nr, report_zones_cb cb, void *data)
{
	int r = blkdev_report_zones(z->bdev, (z->layout.first + first) * z->layout.zone_sectors,
				    nr, cb, data);

	return r < 0 ? r : r == (int)nr ? 0 : -EIO;
}

/**
 * dmsf_zoned_fail() - stop writing for good
 * @z: medium
 * @what: operation that failed, for the kernel log
 * @error: -errno
 *
 * Context: any, with or without the target's lock.
 */
void dmsf_zoned_fail(struct dmsf_zoned *z, const char *what, int error)
{
	if (cmpxchg(&z->failed, 0, error))
		return;
	DMERR("%s: %s failed (%d): read-only from now on; what was flushed is kept",
	      dm_device_name(dm_table_get_md(z->target->ti->table)), what, error);
	queue_work(z->wq, &z->work);
}
