/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_MUTEX_H
#define SSDC_ZONED_LINUX_MUTEX_H

struct mutex {
	int unused;
};

#endif /* SSDC_ZONED_LINUX_MUTEX_H */
