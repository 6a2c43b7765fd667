// SPDX-License-Identifier: GPL-2.0
/*
 * Before an orderly restart (including kexec), halt or power-off, all caches are flushed. Protected
 * caches are flushed, too, as the DRAM tier does not survive.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>

#include "cache.h"

/*
 * Several rounds: a cache may be the origin of another, in any order on the list, and errors may be
 * transient.
 */
#define ROUNDS		5
#define ROUND_PAUSE_MS	500

#define POLL_MS		50

/*
 * Give up on a cache when none of its pages has been flushed for this time. A command of a disk
 * times out after 30 s, and recovery repeats it.
 */
static unsigned int patience_s = 100;

static int set_patience(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 1, 3600);
}

static const struct kernel_param_ops patience_ops = {
	.set = set_patience,
	.get = param_get_uint,
};

module_param_cb(reboot_patience_s, &patience_ops, &patience_s, 0644);
MODULE_PARM_DESC(reboot_patience_s, "seconds without a flushed page after which an orderly restart gives a cache up, 1 to 3600");

/* The flush of one cache. */
struct reboot_flush {
	struct list_head node;
	struct dmsc_flush *flush;
	struct dmsc_cache *cache;	/* may be freed once @flush has ended */
	u64 pages;			/* pages that the cache has flushed so far */
	u64 most;			/* beyond it, pages were written since: no more time */
	unsigned long give_up;		/* in jiffies, unless @pages changes */
};

static u64 flushed_pages(struct dmsc_cache *c)
{
	struct dmsc_shard *s;
	u64 sum = 0;
	unsigned int i;

	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		for (i = 0; i < SSDC_NR_FLUSH_REASONS; i++)
			sum += s->engine->stats.flushed_pages[i];
		spin_unlock_irq(&s->lock);
	}
	return sum;
}

/*
 * Processes may still run: from now on, the data that they FLUSH reach the origin. Returns the
 * number of frames.
 */
static u64 make_volatile(struct dmsc_cache *c)
{
	struct dmsc_shard *s;
	u64 nr_frames = 0;

	dmsc_for_each_shard(s, c) {
		spin_lock_irq(&s->lock);
		s->engine->tunables.dram_mode = SSDC_VOLATILE;
		nr_frames += s->engine->tier.nr_frames;
		spin_unlock_irq(&s->lock);
	}
	return nr_frames;
}

static void begin_flush(struct dmsc_cache *c, struct list_head *flushes)
{
	struct dmsc_flush *flush;
	struct reboot_flush *f;
	u64 nr_frames;

	if (c->given_up)
		return;
	nr_frames = make_volatile(c);
	flush = dmsc_flush_begin(c);
	if (IS_ERR(flush))
		return;		/* suspended: the suspend has flushed its pages */
	f = kzalloc(sizeof(*f), GFP_NOIO | __GFP_NOFAIL);
	f->flush = flush;
	f->cache = c;
	f->pages = flushed_pages(c);
	f->most = f->pages + 2 * nr_frames;
	f->give_up = jiffies + READ_ONCE(patience_s) * HZ;
	list_add_tail(&f->node, flushes);
}

static void begin_flushes(struct list_head *flushes)
{
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *c = NULL;

	while ((c = dmsc_next_cache(c)))
		begin_flush(c, flushes);
	dmsc_unlock_caches(noio);
}

/* The cache of a flush, or NULL if it has been removed. The list of caches is locked. */
static struct dmsc_cache *cache_of(const struct reboot_flush *f)
{
	struct dmsc_cache *c = NULL;

	while ((c = dmsc_next_cache(c)))
		if (c == f->cache)
			break;
	return c;
}

/* Has the flush ended, and are all pages dirty that a failed FLUSH may have lost? */
static bool is_over(struct reboot_flush *f)
{
	struct dmsc_cache *c;
	unsigned int noio;
	bool over;

	if (!completion_done(&f->flush->completion))
		return false;
	noio = dmsc_lock_caches();
	c = cache_of(f);
	over = !c || !dmsc_is_rewriting(c);
	dmsc_unlock_caches(noio);
	return over;
}

/*
 * Is the origin dead? Flushes of pages that processes keep writing do not count as progress: see
 * @most.
 */
static bool is_stuck(struct reboot_flush *f)
{
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *c = cache_of(f);
	bool stuck;
	u64 pages;

	pages = c ? flushed_pages(c) : f->pages;
	if (pages != f->pages && pages <= f->most)
		f->give_up = jiffies + READ_ONCE(patience_s) * HZ;
	f->pages = pages;
	stuck = time_after(jiffies, f->give_up);
	if (c && stuck)
		c->given_up = true;
	dmsc_unlock_caches(noio);
	return stuck;
}

/*
 * Wait for all flushes. Returns 0 or the error of one. A flush that is given up continues in the
 * background, but later rounds leave its cache out.
 */
static int end_flushes(struct list_head *flushes)
{
	struct reboot_flush *f, *next;
	int r = 0;

	while (!list_empty(flushes)) {
		list_for_each_entry_safe(f, next, flushes, node) {
			if (!is_over(f) && !is_stuck(f))
				continue;
			if (completion_done(&f->flush->completion))
				r = r ? r : f->flush->error;
			list_del(&f->node);
			dmsc_flush_put(f->flush);
			kfree(f);
		}
		if (!list_empty(flushes))
			msleep(POLL_MS);
	}
	return r;
}

/* The dirty pages of all caches that are not given up. */
static u64 dirty_pages(void)
{
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *c = NULL;
	u64 sum = 0;

	while ((c = dmsc_next_cache(c)))
		if (!c->given_up)
			sum += dmsc_dirty_pages(c);
	dmsc_unlock_caches(noio);
	return sum;
}

static int flush_caches(void)
{
	unsigned int round;
	LIST_HEAD(flushes);
	int r;

	for (round = 1; ; round++) {
		begin_flushes(&flushes);
		r = end_flushes(&flushes);
		if (round == ROUNDS || (!r && !dirty_pages()))
			return r;
		if (r)
			msleep(ROUND_PAUSE_MS);
	}
}

/* A suspended cache whose flush failed may have dirty pages, too. */
static void report_dirty(void)
{
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *c = NULL;
	u32 dirty;

	while ((c = dmsc_next_cache(c))) {
		dirty = dmsc_dirty_pages(c);
		if (dirty)
			DMCRIT("%s: reboot: %u dirty pages are left%s",
			       dm_device_name(dm_table_get_md(c->ti->table)), dirty,
			       c->given_up ? ": the origin does not answer" : "");
	}
	dmsc_unlock_caches(noio);
}

static int reboot_notified(struct notifier_block *nb, unsigned long action, void *command)
{
	int r;

	if (action != SYS_RESTART && action != SYS_HALT && action != SYS_POWER_OFF)
		return NOTIFY_DONE;
	r = flush_caches();
	if (r)
		DMCRIT("reboot: not all caches could be flushed (%pe)", ERR_PTR(r));
	report_dirty();
	return NOTIFY_DONE;
}

/* Devices are shut down after the notifiers. md has the same priority; others come later. */
static struct notifier_block reboot_block = {
	.notifier_call = reboot_notified,
	.priority = INT_MAX,
};

/**
 * dmsc_reboot_register() - flush all caches when the system goes down in an orderly way
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsc_reboot_register(void)
{
	return register_reboot_notifier(&reboot_block);
}

void dmsc_reboot_unregister(void)
{
	unregister_reboot_notifier(&reboot_block);
}
