/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for the constructors of both targets (table line, origin, error text), and for
 * the operations of bios.
 */
#ifndef DMS_ORIGIN_H
#define DMS_ORIGIN_H

#include <linux/bio.h>
#include <linux/device-mapper.h>

#include "../../base/types.h"

struct ssdc_error;

int dms_refuse_table(struct dm_target *ti, const struct ssdc_error *error, int r);
int dms_check_nr_args(unsigned int argc, char **argv, struct ssdc_error *error);
int dms_open_origin(struct dm_target *ti, const char *path, bool zoned,
		    struct dm_dev **origin, struct ssdc_error *error);

/* For TP_printk(). */
#define dms_show_op(op) __print_symbolic(op, { SSDC_READ, "read" }, { SSDC_WRITE, "write" }, \
	{ SSDC_FLUSH, "flush" }, { SSDC_DISCARD, "discard" })

static inline enum ssdc_op dms_bio_op(const struct bio *bio)
{
	/* Most bios are reads or writes. */
	if (likely(bio_op(bio) == REQ_OP_READ))
		return SSDC_READ;
	switch (bio_op(bio)) {
	case REQ_OP_WRITE:
		return bio->bi_iter.bi_size ? SSDC_WRITE : SSDC_FLUSH;
	case REQ_OP_FLUSH:
		return SSDC_FLUSH;
	default:
		return SSDC_DISCARD;
	}
}

#endif /* DMS_ORIGIN_H */
