/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_CONTAINER_OF_H
#define SSDC_SHIM_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif /* SSDC_SHIM_LINUX_CONTAINER_OF_H */
