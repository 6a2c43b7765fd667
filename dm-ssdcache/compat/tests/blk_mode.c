// SPDX-License-Identifier: GPL-2.0
/* Linux 6.5, 05bdb9965305 ("block: replace fmode_t with a block-specific type for …"). */
#include <linux/blkdev.h>

blk_mode_t ssdc_probe(void);

blk_mode_t ssdc_probe(void)
{
	return BLK_OPEN_WRITE;
}
