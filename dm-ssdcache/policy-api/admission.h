/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of an admission scheme: it decides which read pages enter the DRAM tier, and
 * whether a write is written back or through.
 *
 * Context of every op except create() and destroy(): the engine's lock, a spinlock, is held. An op
 * must not sleep, allocate memory or run long. observe(), admit_read(), admit_write() and ended()
 * are on the request path: keep them O(1) per request or page. Put periodic work in tick(), and
 * longer work in the plug-in's step().
 */
#ifndef SSDC_ADMISSION_H
#define SSDC_ADMISSION_H

#include "plugin.h"
#include "request.h"
#include "../base/types.h"

struct ssdc_admission;

/* Pages of a request that a scheme observes in one hold of the engine's lock. */
#define SSDC_OBSERVED_PAGES 16u

/**
 * enum ssdc_write_mode - what happens to a write after it is copied into DRAM
 * @SSDC_WRITE_BACK: its pages stay dirty until the replacement policy flushes or evicts them
 * @SSDC_WRITE_THROUGH: its pages are flushed at once and stay cached, clean
 * @SSDC_WRITE_SYNC: like SSDC_WRITE_THROUGH, and the request completes after the flush
 */
enum ssdc_write_mode {
	SSDC_WRITE_BACK,
	SSDC_WRITE_THROUGH,
	SSDC_WRITE_SYNC,
};

/**
 * struct ssdc_admission_type - an admission scheme
 * @plugin: name, tunables, statistics; must be first
 *
 * @create: optional. Initialise the instance, which is zeroed; its tunables are set. Allocate
 *	further memory here. May sleep. Return 0 or -errno with the reason in @error.
 * @destroy: optional. Free what create() allocated. May sleep.
 * @tuned: optional. A tunable changed while the instance is in use.
 *
 * @observe: optional. A host read or write arrived, at @rq->start_ns. Called once per request,
 *	before all other ops.
 * @observe_pages: optional. Called after @observe, for @nr pages of @rq, at most
 *	SSDC_OBSERVED_PAGES, from page @first on, counted from 0. The calls are repeated until all
 *	ssdc_request_visits() pages of @rq have been passed. Between two calls, calls for other
 *	requests may come; admit_write() of @rq may come before.
 * @admit_read: optional. Return whether @page, which a read missed, enters and is read. Called once
 *	for each missed page; the page may still be in DRAM as a victim. NULL: no page enters.
 * @admit_write: optional. Return the mode of a write. Called once per request, except for FUA
 *	writes to volatile DRAM and while flushes are failing. NULL: SSDC_WRITE_BACK.
 * @ended: optional. A host read or write completed without error, @latency_ns after it arrived.
 *	It may have arrived before this scheme was in use. The caller may be an interrupt handler.
 *
 * @tick: optional. The time @tick_at_ns of the instance has come; the driver may be late. Set
 *	@tick_at_ns to the next time, or to 0.
 *
 * @check: optional. Verify all invariants. Return 0, or -EUCLEAN after ssdc_finding() has said in
 *	@finding what is wrong. Only tests call it.
 */
struct ssdc_admission_type {
	struct ssdc_plugin_type plugin;

	int (*create)(struct ssdc_admission *a, struct ssdc_error *error);
	void (*destroy)(struct ssdc_admission *a);
	void (*tuned)(struct ssdc_admission *a);

	void (*observe)(struct ssdc_admission *a, const struct ssdc_host_request *rq);
	void (*observe_pages)(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			      u32 first, u32 nr);
	bool (*admit_read)(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			   ssdc_page_t page);
	enum ssdc_write_mode (*admit_write)(struct ssdc_admission *a,
					    const struct ssdc_host_request *rq);
	void (*ended)(struct ssdc_admission *a, const struct ssdc_host_request *rq, u64 now_ns,
		      u64 latency_ns);

	void (*tick)(struct ssdc_admission *a, u64 now_ns);

	int (*check)(const struct ssdc_admission *a, struct ssdc_error *finding);
};

/**
 * struct ssdc_admission - the first member of every instance
 * @plugin: must be first
 * @tick_at_ns: when to call tick(), 0: never; the scheme may set it in any op
 */
struct ssdc_admission {
	struct ssdc_plugin plugin;
	u64 tick_at_ns;
};

static inline const struct ssdc_admission_type *
ssdc_admission_ops(const struct ssdc_admission *a)
{
	return (const struct ssdc_admission_type *)a->plugin.type;
}

static inline void ssdc_admission_observe(struct ssdc_admission *a,
					  const struct ssdc_host_request *rq)
{
	if (ssdc_admission_ops(a)->observe)
		ssdc_admission_ops(a)->observe(a, rq);
}

/* May any page of a read enter? */
static inline bool ssdc_admits_reads(const struct ssdc_admission *a)
{
	return ssdc_admission_ops(a)->admit_read;
}

static inline bool ssdc_admit_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
				   ssdc_page_t page)
{
	return ssdc_admission_ops(a)->admit_read(a, rq, page);
}

static inline enum ssdc_write_mode ssdc_admit_write(struct ssdc_admission *a,
						    const struct ssdc_host_request *rq)
{
	if (!ssdc_admission_ops(a)->admit_write)
		return SSDC_WRITE_BACK;
	return ssdc_admission_ops(a)->admit_write(a, rq);
}

static inline void ssdc_admission_ended(struct ssdc_admission *a,
					const struct ssdc_host_request *rq, u64 now_ns,
					u64 latency_ns)
{
	if (ssdc_admission_ops(a)->ended)
		ssdc_admission_ops(a)->ended(a, rq, now_ns, latency_ns);
}

#endif /* SSDC_ADMISSION_H */
