// SPDX-License-Identifier: GPL-2.0
/*
 * How long the locks of a cache's shards are held, and by whom: stats/holds/ in sysfs, for those
 * who tune policies, and for reports of stalls.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "holds.h"

DEFINE_STATIC_KEY_FALSE(dmsc_measures_holds);

/*
 * The rest of dmsc_hold_ends(). A hold that began before the measurements were switched on is left
 * out.
 */
void dmsc_hold_ended(struct dmsc_shard *s, enum ssdc_holder by)
{
	if (!s->held_since_ns)
		return;
	ssdc_holds_add(&s->holds, by, ktime_get_ns() - s->held_since_ns);
	s->held_since_ns = 0;
}

/**
 * dmsc_holds_reset() - forget all holds so far
 * @c: cache
 *
 * Context: @control, or the list of caches, is locked.
 */
void dmsc_holds_reset(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		memset(&s->holds, 0, sizeof(s->holds));
		s->held_since_ns = 0;
		spin_unlock_irq(&s->lock);
	}
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
