/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_SPINLOCK_H
#define SSDC_FUZZ_LINUX_SPINLOCK_H

#include_next <linux/spinlock.h>

void fuzz_wrong(const char *format, ...) __printf(1, 2) __attribute__((__noreturn__));

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->locked = false;
}

static inline void spin_lock(spinlock_t *lock)
{
	if (lock->locked)
		fuzz_wrong("a lock is taken twice");
	lock->locked = true;
}

static inline void spin_unlock(spinlock_t *lock)
{
	if (!lock->locked)
		fuzz_wrong("a lock is released twice");
	lock->locked = false;
}

#define atomic_inc_return(atomic) (++(atomic)->counter)

static inline void spin_lock_irq(spinlock_t *lock)
{
	spin_lock(lock);
}

static inline void spin_unlock_irq(spinlock_t *lock)
{
	spin_unlock(lock);
}

#endif /* SSDC_FUZZ_LINUX_SPINLOCK_H */
