/* SPDX-License-Identifier: GPL-2.0 */
/*
 * holds.c: how long a cache's lock is held, if the module parameter holds asks for it. Calls that
 * only read a number or two take the lock directly, and are not counted.
 */
#ifndef DMSC_HOLDS_H
#define DMSC_HOLDS_H

#include <linux/jump_label.h>
#include <linux/ktime.h>

#include "cache.h"

DECLARE_STATIC_KEY_FALSE(dmsc_measures_holds);

void dmsc_hold_ended(struct dmsc_cache *c, enum ssdc_holder by);

/* The lock has just been taken. */
static inline void dmsc_hold_begins(struct dmsc_cache *c)
{
	if (static_branch_unlikely(&dmsc_measures_holds))
		c->held_since_ns = ktime_get_ns();
}

/* The lock is about to be released. */
static inline void dmsc_hold_ends(struct dmsc_cache *c, enum ssdc_holder by)
{
	if (static_branch_unlikely(&dmsc_measures_holds))
		dmsc_hold_ended(c, by);
}

/* Take the lock. Context: interrupts are on. */
static inline void dmsc_lock(struct dmsc_cache *c)
{
	spin_lock_irq(&c->lock);
	dmsc_hold_begins(c);
}

static inline void dmsc_unlock(struct dmsc_cache *c, enum ssdc_holder by)
{
	dmsc_hold_ends(c, by);
	spin_unlock_irq(&c->lock);
}

#endif /* DMSC_HOLDS_H */
