// SPDX-License-Identifier: GPL-2.0
/* Linux 6.11, b1fc937a55f5 ("block: move the zoned flag into the features field"). */
#include <linux/blkdev.h>

void ssdc_probe(struct queue_limits *limits);

void ssdc_probe(struct queue_limits *limits)
{
	limits->features &= ~BLK_FEAT_ZONED;
}
