/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache that chooses its policies by itself: "replacement auto". See ../../auto/auto.h.
 *
 *	requests	dmsc_auto_feed(): count, and keep what is in the sample
 *	a work item	runs the shadows, decides, and changes the policies as a message does
 *	messages	begin and end the choice
 *
 * Who owns what:
 *
 *	@lock of the choice	what ssdc_auto_feed() changes. Requests hold it for one call, and
 *				readers of statistics for as long as it takes to add them up
 *	@control of the cache	everything else: shadows, their engines, decisions. The work item
 *				holds it for a bounded piece, as a message would
 *	RCU			lets a request find the choice, which stays until it is fed
 *
 * The live engine's lock is not needed, so shadows never make its holds longer. Between requests
 * and shadows there is a ring with one writer and one reader.
 *
 * Nothing waits for the work item but suspend and removal, so it needs no rescuer, and it holds up
 * neither fills nor flushes: it has a queue of its own.
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
 * @lock: guards what ssdc_auto_feed() changes
 * @spec: parsed @text
 * @text: "auto:..."
 * @admission: the scheme of candidates that name none
 * @pinned: candidates whose types are pinned
 * @measures: the device does not tell its times, and nor does @spec
 * @took_ns: by @measures: mean times of reads and of writes, recent ones with more weight; 0: there
 *	were none. Changed without a lock: a lost one of many does not matter
 */
struct dmsc_choice {
	struct ssdc_auto *a;
	spinlock_t lock;		/* see the top of this file */
	struct ssdc_auto_spec spec;
	char text[SSDC_SPEC_LEN];
	char admission[SSDC_SPEC_LEN];
	unsigned int pinned;
	bool measures;
	atomic64_t took_ns[2];
};

/**
 * struct dmsc_auto - member of a cache
 * @choice: NULL: the policies are fixed. Changes with @control held
 * @work: the work item
 * @stopped: suspended, or not resumed yet: @work does nothing. Guarded by @control
 */
struct dmsc_auto {
	struct dmsc_choice __rcu *choice;
	struct work_struct work;
	bool stopped;
};

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
void dmsc_auto_take_time(struct dmsc_cache *c, bool write, u64 ns);
void dmsc_auto_feed_choice(struct dmsc_shard *s, const struct ssdc_host_request *host);

/* auto-sysfs.c */
ssize_t dmsc_auto_show(struct dmsc_cache *c, char *buf);
int dmsc_auto_renew_dirs(struct dms_dir *root, struct dmsc_cache *c);

#endif /* DMSC_AUTO_H */
