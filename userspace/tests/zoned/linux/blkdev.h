/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_BLKDEV_H
#define SSDC_ZONED_LINUX_BLKDEV_H

#include <linux/bio.h>
#include <linux/bitmap.h>

enum { BLK_ZONE_TYPE_CONVENTIONAL = 1, BLK_ZONE_TYPE_SEQWRITE_REQ };

enum {
	BLK_ZONE_COND_NOT_WP = 0,
	BLK_ZONE_COND_EMPTY = 1,
	BLK_ZONE_COND_IMP_OPEN = 2,
	BLK_ZONE_COND_READONLY = 13,
	BLK_ZONE_COND_FULL = 14,
	BLK_ZONE_COND_OFFLINE = 15,
};

struct blk_zone {
	u64 start;
	u64 len;
	u64 wp;
	u8 type;
	u8 cond;
	u64 capacity;
};

typedef int (*report_zones_cb)(struct blk_zone *zone, unsigned int nr, void *data);

int blkdev_report_zones(struct block_device *bdev, sector_t sector, unsigned int nr,
			report_zones_cb cb, void *data);
sector_t bdev_zone_sectors(struct block_device *bdev);
sector_t bdev_nr_sectors(struct block_device *bdev);
unsigned int bdev_logical_block_size(struct block_device *bdev);
unsigned int bdev_zone_write_granularity(struct block_device *bdev);
unsigned int bdev_max_open_zones(struct block_device *bdev);
unsigned int bdev_max_active_zones(struct block_device *bdev);

#endif /* SSDC_ZONED_LINUX_BLKDEV_H */
