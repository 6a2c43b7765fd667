/* SPDX-License-Identifier: GPL-2.0 */
/*
 * With a single thread, locks only check that they are not held when taken, and held when released.
 */
#ifndef SSDC_FUZZ_LINUX_MUTEX_H
#define SSDC_FUZZ_LINUX_MUTEX_H

#include <linux/spinlock.h>

struct mutex {
	spinlock_t lock;
};

#define DEFINE_MUTEX(name) struct mutex name

static inline void mutex_lock(struct mutex *mutex)
{
	spin_lock(&mutex->lock);
}

static inline void mutex_unlock(struct mutex *mutex)
{
	spin_unlock(&mutex->lock);
}

#endif /* SSDC_FUZZ_LINUX_MUTEX_H */
