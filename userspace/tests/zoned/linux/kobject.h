/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_KOBJECT_H
#define SSDC_ZONED_LINUX_KOBJECT_H

struct attribute {
	const char *name;
};

struct kobject {
	int unused;
};

#endif /* SSDC_ZONED_LINUX_KOBJECT_H */
