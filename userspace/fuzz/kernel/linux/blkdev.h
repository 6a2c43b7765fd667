/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_BLKDEV_H
#define SSDC_FUZZ_LINUX_BLKDEV_H

#include_next <linux/blkdev.h>

#define BLK_OPEN_WRITE	2
#define BLK_FEAT_ZONED	1

struct queue_limits {
	unsigned int features;
	unsigned int chunk_sectors;
};

bool bdev_is_zoned(struct block_device *bdev);
bool bdev_read_only(struct block_device *bdev);

#endif /* SSDC_FUZZ_LINUX_BLKDEV_H */
