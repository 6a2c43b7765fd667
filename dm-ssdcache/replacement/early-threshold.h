/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time of early flushes: the threshold of dirty pages of cflru-ef and cflru-ef-sc.
 *
 * Source	[Shin23], section 3.4: the threshold starts at 80 % and is reviewed every 1000
 *		host writes; more evictions of dirty pages lower it, more rewrites of pages
 *		that were flushed early raise it
 *
 * STAND-IN: the equations are only in [Shin20], which was not available. Here the larger of
 * the two counts of a period moves the threshold by `step` points, within 10 to 95 %.
 * `adapt=off` keeps it fixed, which is that paper's variant CFLRU-EF-80.
 *
 * A batch has as many pages as there are "dies in a chip" (section 3.3). With such a batch, most
 * dies of a device with many channels stay idle; ef_dies=device counts all dies.
 *
 * The top bit of a page's weight records that its last flush was an early one. The other
 * bits belong to the policy.
 */
#ifndef SSDC_EARLY_THRESHOLD_H
#define SSDC_EARLY_THRESHOLD_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/replacement.h"

#define EARLY_FLUSHED		0x80000000u
#define LOWEST_PERCENT		10u
#define HIGHEST_PERCENT		95u

/* Values of the tunable `ef_dies`. */
enum { EF_DIES_CHIP, EF_DIES_DEVICE };

static const char *const ef_dies_words[] = { "chip", "device", NULL };

struct early_threshold {
	/* tunables */
	u32 threshold;		/* percent, initial */
	u32 adapt;
	u32 batch;
	u32 dies;
	u32 period;
	u32 step;
	/* state */
	u32 percent;		/* current threshold */
	u32 started_at;		/* value of the tunable that percent started from */
	u32 writes;		/* host writes in this period */
	u32 dirty_victims;	/* in this period */
	u32 rewrites;		/* in this period */
	/* statistics */
	u64 all_dirty_victims;
	u64 all_rewrites;
	u64 raised;
	u64 lowered;
};

#define EARLY_THRESHOLD_TUNABLES(type, member) \
	{ "threshold", "percent", "initial dirty share above which pages are flushed early", \
	  offsetof(type, member.threshold), 80, 0, 100, NULL }, \
	{ "adapt", "", "on: the threshold adapts (stand-in for the equations); off: fixed", \
	  offsetof(type, member.adapt), 1, 0, 0, ssdc_off_on }, \
	{ "ef_batch", "pages", "pages per early flush; 0: one per die that ef_dies counts", \
	  offsetof(type, member.batch), 0, 0, SSDC_BATCH_FRAMES, NULL }, \
	{ "ef_dies", "", "dies that ef_batch=0 counts: chip: of one chip; device: all", \
	  offsetof(type, member.dies), EF_DIES_CHIP, 0, 0, ef_dies_words }, \
	{ "period", "writes", "host writes between two reviews of the threshold", \
	  offsetof(type, member.period), 1000, 1, 1000000000, NULL }, \
	{ "step", "percent", "points by which one review moves the threshold", \
	  offsetof(type, member.step), 5, 1, 50, NULL }

#define EARLY_THRESHOLD_STATS(type, member) \
	SSDC_STAT(type, member.percent, "threshold_now", "percent", SSDC_GAUGE, \
		  "current dirty share above which pages are flushed early"), \
	SSDC_STAT(type, member.all_dirty_victims, "dirty_victims", "pages", SSDC_COUNTER, \
		  "dirty victims"), \
	SSDC_STAT(type, member.all_rewrites, "early_rewrites", "pages", SSDC_COUNTER, \
		  "pages rewritten after an early flush"), \
	SSDC_STAT(type, member.raised, "threshold_raised", "times", SSDC_COUNTER, \
		  "periods with more rewrites than dirty victims"), \
	SSDC_STAT(type, member.lowered, "threshold_lowered", "times", SSDC_COUNTER, \
		  "periods with more dirty victims than rewrites")

/* Translate the percentage into the engine's number of dirty pages. */
static inline void early_threshold_apply(struct early_threshold *t, struct ssdc_replacement *r)
{
	r->early_above = div_u64((u64)r->capacity * t->percent, 100);
}

/* Call at creation and on a tunable change. A new or fixed `threshold` applies at once. */
static inline void early_threshold_tuned(struct early_threshold *t, struct ssdc_replacement *r)
{
	if (!t->adapt || t->started_at != t->threshold)
		t->percent = t->threshold;
	t->started_at = t->threshold;
	early_threshold_apply(t, r);
}

static inline void early_threshold_adapt(struct early_threshold *t, struct ssdc_replacement *r)
{
	if (t->adapt && t->dirty_victims > t->rewrites) {
		if (t->percent > LOWEST_PERCENT)
			t->percent = max(t->percent, LOWEST_PERCENT + t->step) - t->step;
		t->lowered++;
	} else if (t->adapt && t->rewrites > t->dirty_victims) {
		if (t->percent < HIGHEST_PERCENT)
			t->percent = min(t->percent + t->step, HIGHEST_PERCENT);
		t->raised++;
	}
	t->writes = 0;
	t->dirty_victims = 0;
	t->rewrites = 0;
	early_threshold_apply(t, r);
}

/* A host request arrived. */
static inline void early_threshold_request(struct early_threshold *t, struct ssdc_replacement *r,
					   const struct ssdc_host_request *rq)
{
	if (rq->op == SSDC_WRITE && ++t->writes >= t->period)
		early_threshold_adapt(t, r);
}

/* A cached page is written again. */
static inline void early_threshold_rewrite(struct early_threshold *t, struct ssdc_entry *entry)
{
	if (!(entry->weight & EARLY_FLUSHED))
		return;
	entry->weight &= ~EARLY_FLUSHED;
	t->rewrites++;
	t->all_rewrites++;
}

/* A page was flushed and stays. */
static inline void early_threshold_clean(struct ssdc_entry *entry, enum ssdc_flush_reason reason)
{
	if (reason == SSDC_FLUSH_EARLY)
		entry->weight |= EARLY_FLUSHED;
	else
		entry->weight &= ~EARLY_FLUSHED;
}

/* A page was picked as victim. */
static inline void early_threshold_victim(struct early_threshold *t,
					  const struct ssdc_entry *entry)
{
	if (entry->flags & SSDC_E_DIRTY) {
		t->dirty_victims++;
		t->all_dirty_victims++;
	}
}

/* Pages to flush now: those above the threshold, but at most one batch. */
static inline u32 early_threshold_batch(const struct early_threshold *t,
					const struct ssdc_replacement *r,
					const struct ssdc_view *view, unsigned int max)
{
	u32 dies = t->dies == EF_DIES_CHIP ? view->dies : view->channels * view->dies;
	u32 batch = t->batch ? t->batch : dies;

	if (view->dirty <= r->early_above)
		return 0;
	return min(min(batch, view->dirty - r->early_above), max);
}

#endif /* SSDC_EARLY_THRESHOLD_H */
