/* SPDX-License-Identifier: GPL-2.0 */
/*
 * With a single thread, locks check that they are held when they should be, and let others run when
 * they are released.
 */
#ifndef SSDC_ZONED_LINUX_SPINLOCK_H
#define SSDC_ZONED_LINUX_SPINLOCK_H

#include <linux/bug.h>
#include <linux/types.h>

typedef struct {
	bool locked;
} spinlock_t;

typedef struct {
	int counter;
} atomic_t;

#define atomic_set(atomic, value)	((atomic)->counter = (value))

#define __acquires(lock)
#define __releases(lock)

void kernel_unlocked(void);

static inline void spin_lock_bh(spinlock_t *lock)
{
	(void)WARN_ON(lock->locked);
	lock->locked = true;
}

static inline void spin_unlock_bh(spinlock_t *lock)
{
	(void)WARN_ON(!lock->locked);
	lock->locked = false;
	kernel_unlocked();
}

#define lockdep_assert_held(lock)	((void)WARN_ON(!(lock)->locked))
#define smp_rmb()			__sync_synchronize()
#define xchg(pointer, value)		__atomic_exchange_n(pointer, value, __ATOMIC_SEQ_CST)
#define cmpxchg(pointer, old, value)	__sync_val_compare_and_swap(pointer, old, value)

#endif /* SSDC_ZONED_LINUX_SPINLOCK_H */
