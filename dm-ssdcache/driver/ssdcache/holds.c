// SPDX-License-Identifier: GPL-2.0
/*
 * How long a cache's lock is held, and by whom: stats/holds/ in sysfs, for those who tune policies,
 * and for reports of stalls.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "holds.h"

DEFINE_STATIC_KEY_FALSE(dmsc_measures_holds);

/* The rest of dmsc_hold_ends(). A hold that began before measuring did is left out. */
void dmsc_hold_ended(struct dmsc_cache *c, enum ssdc_holder by)
{
	if (!c->held_since_ns)
		return;
	ssdc_holds_add(&c->holds, by, ktime_get_ns() - c->held_since_ns);
	c->held_since_ns = 0;
}

/**
 * dmsc_holds_reset() - forget all holds so far
 * @c: cache
 *
 * Context: any task.
 */
void dmsc_holds_reset(struct dmsc_cache *c)
{
	spin_lock_irq(&c->lock);
	memset(&c->holds, 0, sizeof(c->holds));
	c->held_since_ns = 0;
	spin_unlock_irq(&c->lock);
}

static void reset_all(void)
{
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *c = NULL;

	while ((c = dmsc_next_cache(c)))
		dmsc_holds_reset(c);
	dmsc_unlock_caches(noio);
}

static bool holds;

/* Writes are serialized by the kernel. */
static int set_holds(const char *value, const struct kernel_param *kp)
{
	bool before = holds;
	int r = param_set_bool(value, kp);

	if (r || holds == before)
		return r;
	if (holds) {
		reset_all();
		static_branch_enable(&dmsc_measures_holds);
	} else {
		static_branch_disable(&dmsc_measures_holds);
	}
	return 0;
}

static const struct kernel_param_ops holds_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_holds,
	.get = param_get_bool,
};

module_param_cb(holds, &holds_ops, &holds, 0644);
MODULE_PARM_DESC(holds, "measure how long each cache's lock is held; from then on, see stats/holds");
