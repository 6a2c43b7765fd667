/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_HRTIMER_H
#define SSDC_ZONED_LINUX_HRTIMER_H

struct hrtimer {
	int unused;
};

#endif /* SSDC_ZONED_LINUX_HRTIMER_H */
