/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache that chooses its policies by itself: "replacement auto", "admission auto". See
 * ../../auto/auto.h.
 *
 *	requests	dmsc_auto_feed(): count them, and keep those in the sample
 *	a work item	runs the shadows, decides, and changes the policies as a message does
 *	messages	begin and end the choice
 *
 * Who owns what:
 *
 *	@lock			the pointer to the choice, and the fields of it that
 *				ssdc_auto_feed() changes. Requests that may be in the sample hold it
 *				for one call; readers of statistics hold it while they add them up
 *	@passed			counts all other requests without a lock, until the period ends,
 *				or somebody with the lock adds them up
 *	@control of the cache	everything else: shadows, their engines, decisions. The work item
 *				holds it for a bounded piece, as a message would
 *	RCU			keeps the choice valid while the end of an I/O reports its time
 *
 * The live engine's lock is not needed, so shadows never make its holds longer. Between requests
 * and shadows there is a ring with one writer and one reader.
 *
 * Suspend and removal cancel a work item that is pending, and wait only for one that runs, which
 * allocates GFP_NOIO: so the work item needs no rescuer. It has a queue of its own, so it holds up
 * neither fills nor flushes.
 */
#ifndef DMSC_AUTO_H
#define DMSC_AUTO_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../auto/auto.h"

struct dms_dir;
struct dmsc_cache;
struct dmsc_shard;

/**
 * struct dmsc_choice - one choice
 * @a: the choice; NULL until it has begun
 * @spec: parsed @text and @admission
 * @text: "auto:...", or the only policy
 * @admission: "auto:...", or the scheme of candidates that name none
 * @pinned: candidates whose types are pinned
 * @measures: times are measured, as the device does not tell its times; times given in @spec take
 *	precedence
 * @took_ns: with @measures: mean times of reads and of writes, in which recent times have more
 *	weight; 0: none was measured. Changed without a lock: one lost time of many does not matter
 */
struct dmsc_choice {
	struct ssdc_auto *a;
	struct ssdc_auto_spec spec;
	char text[SSDC_SPEC_LEN];
	char admission[SSDC_SPEC_LEN];
	unsigned int pinned;
	bool measures;
	atomic64_t took_ns[2];
};

/**
 * struct dmsc_auto - member of a cache
 * @choice: NULL: the policies are fixed. Changes with @control and @lock held, except while the
 *	cache is constructed or destroyed
 * @region_shift: region_shift of the choice's shadows: see ssdc_shadow_passes(). Valid while @most
 *	is not 0
 * @page_shift: page_shift of the choice's shadows, valid like @region_shift
 * @threshold: threshold of the choice's shadows, valid like @region_shift
 * @lock: see the top of this file; inside @control
 * @most: when @passed has this many requests, the period ends or the counts must be added up; 0:
 *	every request must be fed
 * @passed: low half: requests that were not fed, as they are not in the sample; high half: the
 *	pages that these requests touch
 * @work: the work item
 * @stopped: suspended, or not resumed yet: @work does nothing. Guarded by @control
 */
struct dmsc_auto {
	struct dmsc_choice __rcu *choice;
	u32 region_shift;
	u32 page_shift;
	u64 threshold;

	/* The fields that requests change while there is a choice. */
	spinlock_t lock ____cacheline_aligned_in_smp;	/* see the top of this file */
	u32 most;
	atomic64_t passed;
	struct work_struct work;
	bool stopped;
};

/*
 * Count a request if it is not in the sample. Returns false if dmsc_auto_feed_choice() must follow:
 * because the request may be in the sample, or because it was counted and ends the period. While a
 * choice replaces another, a request may be judged by the sample of one choice, or by a mix of
 * both, and counted by the other choice.
 */
static inline bool dmsc_auto_pass(struct dmsc_auto *chooser, const struct ssdc_host_request *host,
				  bool *counted)
{
	/* Pairs with prepare_to_pass(). */
	u32 most = smp_load_acquire(&chooser->most);
	u64 accesses, passed;

	*counted = most && ssdc_shadow_passes(host->op, host->sector, host->nr_sectors,
					      READ_ONCE(chooser->region_shift),
					      READ_ONCE(chooser->threshold));
	if (!*counted)
		return false;
	accesses = ssdc_shadow_accesses(host->sector, host->nr_sectors,
					READ_ONCE(chooser->page_shift));
	passed = atomic64_add_return(accesses << 32 | 1, &chooser->passed);
	return (u32)passed < most;
}

/* auto.c */
int dmsc_auto_register(void);
void dmsc_auto_unregister(void);
void dmsc_auto_init(struct dmsc_cache *c);
int dmsc_auto_prepare(struct dmsc_cache *c, struct ssdc_params *params, struct ssdc_error *error);
int dmsc_auto_start(struct dmsc_cache *c, struct ssdc_error *error);
void dmsc_auto_destroy(struct dmsc_cache *c);
void dmsc_auto_suspend(struct dmsc_cache *c);
void dmsc_auto_resume(struct dmsc_cache *c);
void dmsc_auto_exchange(struct dmsc_cache *c, struct dmsc_cache *old);
struct dmsc_choice *dmsc_auto_of(struct dmsc_cache *c);
bool dmsc_auto_concerns(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec);
bool dmsc_auto_load_types(enum ssdc_kind kind, const char *spec);
void dmsc_auto_reset_stats(struct dmsc_cache *c);
void dmsc_auto_catch_up(struct dmsc_auto *chooser);
void dmsc_auto_take_time(struct dmsc_cache *c, bool write, u64 ns);
void dmsc_auto_feed_choice(struct dmsc_shard *s, const struct ssdc_host_request *host,
			   bool counted);

/* auto-sysfs.c */
ssize_t dmsc_auto_show(struct dmsc_cache *c, enum ssdc_kind kind, char *buf);
int dmsc_auto_renew_dirs(struct dms_dir *root, struct dmsc_cache *c);

#endif /* DMSC_AUTO_H */
