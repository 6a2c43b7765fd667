/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_SCHED_MM_H
#define SSDC_ZONED_LINUX_SCHED_MM_H

static inline unsigned int memalloc_noio_save(void)
{
	return 0;
}

static inline void memalloc_noio_restore(unsigned int flags)
{
	(void)flags;
}

#endif /* SSDC_ZONED_LINUX_SCHED_MM_H */
