/* SPDX-License-Identifier: GPL-2.0 */
/*
 * holds.c: measures how long a shard's lock is held, if the module parameter "holds" is set. Calls
 * that only read a number or two take the lock directly, and are not counted.
 */
#ifndef DMSC_HOLDS_H
#define DMSC_HOLDS_H

#include <linux/jump_label.h>
#include <linux/ktime.h>

#include "cache.h"

DECLARE_STATIC_KEY_FALSE(dmsc_measures_holds);

void dmsc_hold_ended(struct dmsc_shard *s, enum ssdc_holder by);

/* The lock has just been taken. */
static inline void dmsc_hold_begins(struct dmsc_shard *s)
{
	if (static_branch_unlikely(&dmsc_measures_holds))
		s->held_since_ns = ktime_get_ns();
}

/* The lock is about to be released. */
static inline void dmsc_hold_ends(struct dmsc_shard *s, enum ssdc_holder by)
{
	if (static_branch_unlikely(&dmsc_measures_holds))
		dmsc_hold_ended(s, by);
}

/* Take the lock. Context: interrupts are on. */
static inline void dmsc_lock(struct dmsc_shard *s)
{
	spin_lock_irq(&s->lock);
	dmsc_hold_begins(s);
}

static inline void dmsc_unlock(struct dmsc_shard *s, enum ssdc_holder by)
{
	dmsc_hold_ends(s, by);
	spin_unlock_irq(&s->lock);
}

#endif /* DMSC_HOLDS_H */
