/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_DEVICE_MAPPER_H
#define SSDC_FUZZ_LINUX_DEVICE_MAPPER_H

#include <linux/blkdev.h>
#include <linux/spinlock.h>

typedef int status_type_t;

struct dm_dev {
	struct block_device *bdev;
	char name[16];
};

struct dm_target {
	void *table;
	char *error;
};

static inline void *dm_table_get_md(void *table)
{
	return table;
}

static inline const char *dm_device_name(void *md)
{
	(void)md;
	return "fuzz";
}

unsigned int dm_table_get_mode(void *table);
int dm_get_device(struct dm_target *ti, const char *path, unsigned int mode, struct dm_dev **dev);

void kernel_log(const char *format, ...) __printf(1, 2);
#define DMERR(format, ...)	kernel_log(format, ##__VA_ARGS__)

u64 ktime_get_ns(void);

#endif /* SSDC_FUZZ_LINUX_DEVICE_MAPPER_H */
