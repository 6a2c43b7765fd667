// SPDX-License-Identifier: GPL-2.0
/*
 * What the constructors of both targets do alike.
 */
#include <linux/blkdev.h>
#include <linux/string.h>

#include "../../compat/compat.h"
#include "../../base/describe.h"
#include "origin.h"

/*
 * ti->error has to outlive the constructor by a moment, in which device-mapper
 * prints it. A few texts in turn serve constructors that fail side by side.
 */
static struct ssdc_error errors[16];
static atomic_t next_error;

/**
 * dms_refuse_table() - have device-mapper print why a constructor fails
 * @ti: target
 * @error: why
 * @r: -errno
 *
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
 * dms_check_nr_args() - "<origin> <#args> [<key> <value>]…": is the number right?
 * @argc: words of the table line
 * @argv: the words; two at least
 * @error: names the word on failure
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
 * dms_open_origin() - open the block device below
 * @ti: target that is being made
 * @path: of the device, or its number
 * @zoned: may it be zoned?
 * @origin: the device, to be given back with dm_put_device(); NULL if it cannot be
 *	opened. It is set if it is refused, too
 * @error: says what is wrong with it
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
			  "origin: \"%.64s\" cannot be opened (%d)", path, r);
		return r;
	}
	bdev = (*origin)->bdev;
	if (bdev_is_zoned(bdev) && !zoned) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: \"%.64s\" is a zoned device: put ssdflash or dm-zoned in between",
			  path);
		return -EINVAL;
	}
	/* Writes would be acknowledged, and lost further down. */
	if (bdev_read_only(bdev) && (dm_table_get_mode(ti->table) & BLK_OPEN_WRITE)) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: \"%.64s\" is read-only: make it writable, or create with --readonly",
			  path);
		return -EACCES;
	}
	return 0;
}
