/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of a prefetcher: it names pages to read before the host asks for them, and sets
 * how much DRAM prefetched pages may hold.
 *
 * Prefetched pages are clean and belong to no replacement policy: the engine keeps them in a
 * partition of their own, in LRU order (engine/prefetch.c). The prefetcher observes requests, calls
 * ssdc_prefetch_want() for pages to read, and is notified of events of these pages.
 *
 * Context of every op except create() and destroy(): the engine's lock, a spinlock, is held,
 * and a host request waits. An op must not sleep, allocate memory or run long; put long work
 * in the plug-in's step().
 */
#ifndef SSDC_PREFETCH_H
#define SSDC_PREFETCH_H

#include "plugin.h"
#include "request.h"
#include "../base/types.h"

/* Length of the queue of wanted pages; one more page displaces the oldest. */
#define SSDC_MAX_WANTS 64

struct ssdc_prefetch;

/**
 * enum ssdc_prefetch_end - why a prefetched page left the partition
 * @SSDC_GAVE_WAY: evicted for a page of the replacement policy
 * @SSDC_REPLACED: evicted for another prefetched page
 * @SSDC_WRITTEN: written by the host; it stays cached and moves to the replacement policy
 * @SSDC_DROPPED: discarded, dropped by the message drop_clean, or its read failed
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
 * @create: optional. Initialise the instance, which is zeroed; its tunables are set. Allocate
 *	further memory here. May sleep. Return 0 or -errno with the reason in @error.
 * @destroy: optional. Free what create() allocated. May sleep.
 * @tuned: optional. A tunable changed while the instance is in use.
 *
 * @observe: optional. A host read or write arrived. Called once per request, before it is
 *	served; a place to call ssdc_prefetch_want().
 * @observe_pages: optional. Called after observe(), for pages @first to @first + @nr - 1 of the
 *	request, counted from its first page; @nr is bounded. @last: no more calls follow. Another
 *	place to call ssdc_prefetch_want(). Between two calls, calls for other requests may come.
 * @loaded: optional. The read of a wanted page is queued.
 * @hit: optional. A host read found prefetched @page. @first: for the first time. @late: the
 *	page was still being read. A previous prefetcher may have asked for it.
 * @left: optional. @page left the partition, for the reason @end. @used: a host read had found
 *	it.
 *
 * @check: optional. Verify all invariants. Return 0, or -EUCLEAN after ssdc_finding() has said in
 *	@finding what is wrong. Only tests call it.
 */
struct ssdc_prefetch_type {
	struct ssdc_plugin_type plugin;

	int (*create)(struct ssdc_prefetch *p, struct ssdc_error *error);
	void (*destroy)(struct ssdc_prefetch *p);
	void (*tuned)(struct ssdc_prefetch *p);

	void (*observe)(struct ssdc_prefetch *p, const struct ssdc_host_request *rq);
	void (*observe_pages)(struct ssdc_prefetch *p, const struct ssdc_host_request *rq,
			      u32 first, u32 nr, bool last);
	void (*loaded)(struct ssdc_prefetch *p, ssdc_page_t page);
	void (*hit)(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late);
	void (*left)(struct ssdc_prefetch *p, ssdc_page_t page, bool used,
		     enum ssdc_prefetch_end end);

	int (*check)(const struct ssdc_prefetch *p, struct ssdc_error *finding);
};

/**
 * struct ssdc_prefetch - the first member of every instance
 * @plugin: must be first
 * @pages_max: size of the partition in pages, at most half of the tier; set by the prefetcher at
 *	any time. While the partition is smaller, a new prefetched page may evict a page of the
 *	replacement policy; at this size, it evicts the least recently used prefetched page.
 *	Prefetched pages in excess of this size are the first victims
 * @first_want: index of the oldest page in @wants
 * @nr_wants: number of pages in @wants
 * @wants: queue of pages to read
 * @wanted: statistic: pages that entered the queue
 * @unserved: statistic: pages that left the queue without being read, because they were cached,
 *	were displaced, or found no frame
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
ssdc_prefetch_ops(const struct ssdc_prefetch *p)
{
	return (const struct ssdc_prefetch_type *)p->plugin.type;
}

/**
 * ssdc_prefetch_want() - ask for a page to be read
 * @p: instance
 * @page: number of the page; ignored if it is cached or beyond the origin's end
 *
 * The engine starts the read as soon as no host read is in flight.
 */
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

static inline void ssdc_prefetch_observe(struct ssdc_prefetch *p,
					 const struct ssdc_host_request *rq)
{
	if (ssdc_prefetch_ops(p)->observe)
		ssdc_prefetch_ops(p)->observe(p, rq);
}

/* Rows for the statistics of a prefetcher. */
#define SSDC_PREFETCH_STATS \
	SSDC_STAT(struct ssdc_prefetch, pages_max, "pages_max", "pages", SSDC_GAUGE, \
		  "limit of the partition of prefetched pages now"), \
	SSDC_STAT(struct ssdc_prefetch, wanted, "wanted", "pages", SSDC_COUNTER, \
		  "pages the prefetcher asked for"), \
	SSDC_STAT(struct ssdc_prefetch, unserved, "unserved", "pages", SSDC_COUNTER, \
		  "of these, not read: already cached, too many, or no frame free")

#endif /* SSDC_PREFETCH_H */
