/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of a prefetcher: what to bring in before it is asked for, and
 * how much of DRAM that may hold.
 *
 * Prefetched pages are clean and in no replacement policy: they have a partition of
 * their own, kept by the engine in the order of their use (prefetch.c). The prefetcher
 * says how large that may be, is told what it observes and what becomes of its pages,
 * and answers with pages that it wants.
 *
 * Ops run under the engine's lock: no sleeping, no allocation. What they do lies on
 * every request's way, so that long work goes into the plug-in's step().
 *
 * A prefetcher may look at its engine: used_pages, dirty_pages, nr_frames, page_shift,
 * its prefetched list's count, and ask ssdc_page_is_dirty().
 */
#ifndef SSDC_PREFETCH_H
#define SSDC_PREFETCH_H

#include "plugin.h"
#include "../base/types.h"

/* Pages that a prefetcher may want at a time; the oldest gives way to one more. */
#define SSDC_MAX_WANTS 64

struct ssdc_request;
struct ssdc_prefetch;

/**
 * enum ssdc_prefetch_end - how a prefetched page left the partition
 * @SSDC_GAVE_WAY: a page of the replacement policy has its frame
 * @SSDC_REPLACED: another prefetched page has its frame
 * @SSDC_WRITTEN: the host wrote it: it stays, in the replacement policy
 * @SSDC_DROPPED: discarded, dropped by message, or not read because of an error
 */
enum ssdc_prefetch_end {
	SSDC_GAVE_WAY,
	SSDC_REPLACED,
	SSDC_WRITTEN,
	SSDC_DROPPED,
};

/**
 * struct ssdc_prefetch_type - a prefetcher
 * @plugin: name, tunables, statistics; must be first
 *
 * @create: optional. Allocate what the instance needs beyond itself; its
 *	tunables are set. May sleep; the lock is not held. 0 or -errno (@error
 *	then says what was wrong).
 * @destroy: optional. Free what create() allocated. May sleep.
 * @tuned: optional. Called after a tunable changed.
 *
 * @observe: optional. Sees each host read and write once, before it is served. To call
 *	ssdc_prefetch_want(). NULL: nothing is ever prefetched.
 * @loaded: optional. A wanted page is being brought in.
 * @hit: optional. A host read found a prefetched page, for the first time or again;
 *	@late: while it was still on its way. The page may have been brought in for the
 *	prefetcher that was in use before.
 * @left: optional. The page left the partition; @used: a read had found it.
 *
 * @check: optional. Verify all invariants; 0 or -EUCLEAN. For tests.
 */
struct ssdc_prefetch_type {
	struct ssdc_plugin_type plugin;

	int (*create)(struct ssdc_prefetch *p, struct ssdc_error *error);
	void (*destroy)(struct ssdc_prefetch *p);
	void (*tuned)(struct ssdc_prefetch *p);

	void (*observe)(struct ssdc_prefetch *p, const struct ssdc_request *rq);
	void (*loaded)(struct ssdc_prefetch *p, ssdc_page_t page);
	void (*hit)(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late);
	void (*left)(struct ssdc_prefetch *p, ssdc_page_t page, bool used,
		     enum ssdc_prefetch_end end);

	int (*check)(const struct ssdc_prefetch *p);
};

/**
 * struct ssdc_prefetch - the start of every instance
 * @plugin: must be first
 * @pages_max: how many pages the partition may hold, at most half of all frames; kept
 *	by the prefetcher. Below it a page that is brought in may drive out one of the
 *	replacement policy. At it, it takes the frame of the least recently used
 *	prefetched page. Pages beyond it are the first to leave when the replacement
 *	policy needs frames
 * @first_want: index in @wants
 * @nr_wants: of those after it
 * @wants: what to bring in, in that order
 * @wanted: statistic: pages that were wanted
 * @unserved: statistic: of these, not brought in: they were cached, or their turn did not
 *	come, or there was no frame for them
 */
struct ssdc_prefetch {
	struct ssdc_plugin plugin;
	u32 pages_max;
	u32 first_want;
	u32 nr_wants;
	u64 wants[SSDC_MAX_WANTS];
	u64 wanted;
	u64 unserved;
};

static inline const struct ssdc_prefetch_type *
ssdc_prefetch_type(const struct ssdc_prefetch *p)
{
	return (const struct ssdc_prefetch_type *)p->plugin.type;
}

/* Have the page brought in, if it is not cached, when no host read is under way. */
static inline void ssdc_prefetch_want(struct ssdc_prefetch *p, u64 page)
{
	p->wants[(p->first_want + p->nr_wants) % SSDC_MAX_WANTS] = page;
	p->wanted++;
	if (p->nr_wants < SSDC_MAX_WANTS) {
		p->nr_wants++;
		return;
	}
	p->first_want = (p->first_want + 1) % SSDC_MAX_WANTS;
	p->unserved++;
}

static inline void ssdc_prefetch_observe(struct ssdc_prefetch *p, const struct ssdc_request *rq)
{
	if (ssdc_prefetch_type(p)->observe)
		ssdc_prefetch_type(p)->observe(p, rq);
}

/* Rows for the table of a prefetcher. */
#define SSDC_PREFETCH_STATS \
	SSDC_STAT(struct ssdc_prefetch, pages_max, "pages_max", "pages", SSDC_GAUGE, \
		  "that prefetched pages may hold now"), \
	SSDC_STAT(struct ssdc_prefetch, wanted, "wanted", "pages", SSDC_COUNTER, \
		  "that were to be brought in"), \
	SSDC_STAT(struct ssdc_prefetch, unserved, "unserved", "pages", SSDC_COUNTER, \
		  "of these, not brought in: cached by then, or too many, or no frame")

#endif /* SSDC_PREFETCH_H */
