// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers for the constructors of both targets.
 */
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/string.h>

#include "../../compat/compat.h"
#include "../../base/describe.h"
#include "origin.h"

/*
 * Device-mapper prints ti->error after the constructor has returned, so the text cannot
 * be on its stack. Several texts, used in turn, serve constructors that fail concurrently.
 */
static struct ssdc_error errors[16];
static atomic_t next_error;

/**
 * dms_refuse_table() - set the text that device-mapper prints for a failed constructor
 * @ti: target under construction
 * @error: reason of the failure
 * @r: -errno
 *
 * Context: any.
 * Return: @r.
 */
int dms_refuse_table(struct dm_target *ti, const struct ssdc_error *error, int r)
{
	unsigned int slot = (unsigned int)atomic_inc_return(&next_error) % ARRAY_SIZE(errors);

	errors[slot] = *error;
	ti->error = errors[slot].text;
	return r;
}

/**
 * dms_check_nr_args() - check #args in "<origin> <#args> [<key> <value>]…"
 * @argc: length of @argv, at least 2
 * @argv: words of the table line
 * @error: reason of a failure
 *
 * Return: 0 or -EINVAL.
 */
int dms_check_nr_args(unsigned int argc, char **argv, struct ssdc_error *error)
{
	u64 nr;

	if (!ssdc_parse_u64(argv[1], strlen(argv[1]), &nr) && nr == argc - 2 && nr % 2 == 0)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "#args: \"%.32s\" is not the even number of words that follow (%u do)",
		  argv[1], argc - 2);
	return -EINVAL;
}

/**
 * dms_open_origin() - open the origin of a target
 * @ti: target under construction
 * @path: path or number of the device
 * @zoned: whether a zoned device is accepted
 * @origin: result, to be released with dm_put_device(); set even if the device is
 *	refused, and NULL if it cannot be opened
 * @error: reason of a failure
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dms_open_origin(struct dm_target *ti, const char *path, bool zoned,
		    struct dm_dev **origin, struct ssdc_error *error)
{
	struct block_device *bdev;
	int r;

	r = dm_get_device(ti, path, dm_table_get_mode(ti->table), origin);
	if (r) {
		*origin = NULL;
		scnprintf(error->text, sizeof(error->text),
			  "origin: \"%.64s\" cannot be opened", path);
		return r;
	}
	bdev = (*origin)->bdev;
	if (bdev_is_zoned(bdev) && !zoned) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: \"%.64s\" is a zoned device: put ssdflash or dm-zoned in between",
			  path);
		return -EINVAL;
	}
	/* Acknowledged writes would be lost when they are flushed. */
	if (bdev_read_only(bdev) && (dm_table_get_mode(ti->table) & BLK_OPEN_WRITE)) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: \"%.64s\" is read-only: make it writable, or create with --readonly",
			  path);
		return -EACCES;
	}
	return 0;
}
