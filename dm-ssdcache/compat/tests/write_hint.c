// SPDX-License-Identifier: GPL-2.0
/* Linux 6.9, 44981351d2ea ("block, fs: Restore the per-bio/request data lifetime fields"). */
#include <linux/bio.h>
#include <linux/rw_hint.h>

enum rw_hint ssdc_probe(const struct bio *bio);

enum rw_hint ssdc_probe(const struct bio *bio)
{
	return bio->bi_write_hint > WRITE_LIFE_NONE ? bio->bi_write_hint : WRITE_LIFE_NOT_SET;
}
