/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_DEVICE_MAPPER_H
#define SSDC_ZONED_LINUX_DEVICE_MAPPER_H

#include <linux/blkdev.h>

typedef int status_type_t;

struct dm_dev {
	struct block_device *bdev;
};

struct dm_target {
	void *table;
};

static inline void *dm_table_get_md(void *table)
{
	return table;
}

static inline const char *dm_device_name(void *md)
{
	(void)md;
	return "test";
}

void drive_log(const char *format, ...) __printf(1, 2);

#define DMERR(format, ...)		drive_log(format, ##__VA_ARGS__)
#define DMWARN DMERR
#define DMERR_LIMIT(format, ...)	drive_log(format, ##__VA_ARGS__)

#endif /* SSDC_ZONED_LINUX_DEVICE_MAPPER_H */
