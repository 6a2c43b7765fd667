/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of an admission scheme: who may enter the DRAM tier, and how a
 * write is acknowledged.
 *
 * Context of every op unless it says otherwise: the engine's lock is held, so an
 * op must not sleep, allocate or run long. What @observe, @admit_read,
 * @admit_write and @ended do lies on every request's way: O(1), and O(1) per page.
 * Longer work belongs into @tick, which the driver's worker calls; what is too long for
 * that, into the plug-in's step().
 *
 * A scheme may look at its engine: used_pages, dirty_pages, nr_frames, page_shift.
 */
#ifndef SSDC_ADMISSION_H
#define SSDC_ADMISSION_H

#include "plugin.h"
#include "../base/types.h"

struct ssdc_request;
struct ssdc_admission;

/* What becomes of a write, beyond being copied into DRAM. */
enum ssdc_write_mode {
	SSDC_WRITE_BACK,	/* the page stays dirty until the policy lets it go */
	SSDC_WRITE_THROUGH,	/* it is flushed at once, and stays as a clean page */
	SSDC_WRITE_SYNC,	/* likewise, and the request ends when that is done */
};

/**
 * struct ssdc_admission_type - an admission scheme
 * @plugin: name, tunables, statistics; must be first
 *
 * @create: optional. Allocate what the instance needs beyond itself; its
 *	tunables are set. May sleep; the lock is not held. 0 or -errno (@error
 *	then says what was wrong).
 * @destroy: optional. Free what create() allocated. May sleep.
 * @tuned: optional. Called after a tunable changed.
 *
 * @observe: optional. A host read or write arrived; called once, before any
 *	other op sees it. Its time is @rq->start_ns.
 * @admit_read: may the page, which a read missed, be cached once it was read?
 *	Asked for each page, again if the request had to wait meanwhile.
 * @admit_write: optional. How is this write to be done? Asked once per request.
 *	Not asked for a FUA write of volatile DRAM, which goes through anyway, nor
 *	while flushes fail. NULL: pages are written back.
 * @ended: optional. A host read or write has ended well, @latency_ns after it
 *	came (which may have been before this scheme was chosen).
 *
 * @tick: optional. The time @tick_at_ns of the instance has come, or has gone
 *	by: the driver may be late. To set @tick_at_ns anew, or to 0.
 *
 * @check: optional. Verify all invariants; 0 or -EUCLEAN. For tests.
 */
struct ssdc_admission_type {
	struct ssdc_plugin_type plugin;

	int (*create)(struct ssdc_admission *a, struct ssdc_error *error);
	void (*destroy)(struct ssdc_admission *a);
	void (*tuned)(struct ssdc_admission *a);

	void (*observe)(struct ssdc_admission *a, const struct ssdc_request *rq);
	bool (*admit_read)(struct ssdc_admission *a, const struct ssdc_request *rq,
			   ssdc_page_t page);
	enum ssdc_write_mode (*admit_write)(struct ssdc_admission *a,
					    const struct ssdc_request *rq);
	void (*ended)(struct ssdc_admission *a, const struct ssdc_request *rq, u64 now_ns,
		      u64 latency_ns);

	void (*tick)(struct ssdc_admission *a, u64 now_ns);

	int (*check)(const struct ssdc_admission *a);
};

/**
 * struct ssdc_admission - the start of every instance
 * @plugin: must be first
 * @tick_at_ns: when tick() is to be called, 0: not; kept by the scheme, which may
 *	change it in any op, read by the engine
 */
struct ssdc_admission {
	struct ssdc_plugin plugin;
	u64 tick_at_ns;
};

static inline const struct ssdc_admission_type *
ssdc_admission_type(const struct ssdc_admission *a)
{
	return (const struct ssdc_admission_type *)a->plugin.type;
}

static inline void ssdc_admission_observe(struct ssdc_admission *a, const struct ssdc_request *rq)
{
	if (ssdc_admission_type(a)->observe)
		ssdc_admission_type(a)->observe(a, rq);
}

static inline bool ssdc_admit_read(struct ssdc_admission *a, const struct ssdc_request *rq,
				   ssdc_page_t page)
{
	return ssdc_admission_type(a)->admit_read(a, rq, page);
}

static inline enum ssdc_write_mode ssdc_admit_write(struct ssdc_admission *a,
						    const struct ssdc_request *rq)
{
	if (!ssdc_admission_type(a)->admit_write)
		return SSDC_WRITE_BACK;
	return ssdc_admission_type(a)->admit_write(a, rq);
}

static inline void ssdc_admission_ended(struct ssdc_admission *a, const struct ssdc_request *rq,
					u64 now_ns, u64 latency_ns)
{
	if (ssdc_admission_type(a)->ended)
		ssdc_admission_type(a)->ended(a, rq, now_ns, latency_ns);
}

#endif /* SSDC_ADMISSION_H */
