/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory without the limit of kvcalloc().
 */
#ifndef SSDC_SHIM_LINUX_VMALLOC_H
#define SSDC_SHIM_LINUX_VMALLOC_H

#include <linux/slab.h>

void *__vcalloc(size_t nr, size_t size, gfp_t flags);

#endif /* SSDC_SHIM_LINUX_VMALLOC_H */
