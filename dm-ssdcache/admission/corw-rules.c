// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "corw-rules.h"

#define NS_PER_MS 1000000ULL
#define PPM 1000000ULL

static struct ssdc_corw *to_corw(const struct ssdc_admission *a)
{
	return container_of((struct ssdc_admission *)a, struct ssdc_corw, a);
}

static u64 period_ns(const struct ssdc_corw *c)
{
	return c->period_ms * NS_PER_MS;
}

/**
 * ssdc_corw_create() - allocate the monitor
 * @c: instance with its tunables set, otherwise all zero
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_corw_create(struct ssdc_corw *c, struct ssdc_error *error)
{
	int r = ssdc_reaccess_create(&c->reaccess);

	if (r)
		scnprintf(error->text, sizeof(error->text), "%s: no memory",
			  c->a.plugin.type->info.name);
	return r;
}

/**
 * ssdc_corw_destroy() - free the monitor
 * @a: instance
 *
 * Context: may sleep.
 */
void ssdc_corw_destroy(struct ssdc_admission *a)
{
	ssdc_reaccess_destroy(&to_corw(a)->reaccess);
}

/**
 * ssdc_corw_wake() - make the current interval count, because a request arrived or ended
 * @c: instance
 * @now_ns: current time
 */
void ssdc_corw_wake(struct ssdc_corw *c, u64 now_ns)
{
	u64 idle = 0;

	c->busy = true;
	if (c->a.tick_at_ns)
		return;
	if (!c->end_ns)
		c->end_ns = now_ns;
	if (now_ns > c->end_ns)
		idle = div64_u64(now_ns - c->end_ns, period_ns(c));
	c->intervals += idle;
	c->end_ns += idle * period_ns(c);
	c->a.tick_at_ns = c->end_ns + period_ns(c);
}

/* Count the traffic of a request, and the accesses and re-accesses of its pages. */
void ssdc_corw_observe(struct ssdc_admission *a, const struct ssdc_host_request *rq)
{
	struct ssdc_corw *c = to_corw(a);

	ssdc_corw_wake(c, rq->start_ns);
	if (rq->op == SSDC_WRITE)
		c->writing += rq->nr_sectors;
	else
		c->reading += rq->nr_sectors;
	if (c->rar_window)
		ssdc_reaccess_request(&c->reaccess, c->rar_window);
}

/* The observe_pages() of struct ssdc_admission_type. */
void ssdc_corw_observe_pages(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			     u32 first, u32 nr)
{
	struct ssdc_corw *c = to_corw(a);
	u64 page = (rq->sector >> a->plugin.tier->page_shift) + first;

	while (nr--)
		ssdc_reaccess_page(&c->reaccess, page++, rq->op == SSDC_WRITE);
}

static u32 share(u64 part, u64 whole, u32 scale)
{
	return whole ? div64_u64(part * scale, whole) : 0;
}

/**
 * ssdc_corw_end_interval() - end an interval when its tick is due
 * @c: instance
 * @now_ns: current time; intervals that the tick is late by are merged into the ending one
 *
 * Call ssdc_corw_decide() next.
 */
void ssdc_corw_end_interval(struct ssdc_corw *c, u64 now_ns)
{
	u64 late = div64_u64(now_ns - c->a.tick_at_ns, period_ns(c));

	c->end_ns = c->a.tick_at_ns + late * period_ns(c);
	c->a.tick_at_ns = c->busy ? c->end_ns + period_ns(c) : 0;
	c->busy = false;
	c->intervals += 1 + late;
	c->written += c->writing;
	c->read_sectors = c->reading;
	c->write_sectors = c->writing;
	c->reading = 0;
	c->writing = 0;
	c->reads = ssdc_reaccess_sum(&c->reaccess, false);
	c->writes = ssdc_reaccess_sum(&c->reaccess, true);
	if (!c->rar_window)
		ssdc_reaccess_forget(&c->reaccess);

	c->mean_writes = div64_u64(c->written, c->intervals);
	c->read_rar = share(c->reads.again, c->reads.pages, PPM);
	c->write_rar = share(c->writes.again, c->writes.pages, PPM);
	c->clean = share(ssdc_corw_clean_pages(c), c->a.plugin.tier->used_pages, 1000);
	c->ticks++;
}

/*
 * Ra_r / Ra_w as one fraction. Without writes Ra_w is 0. Both terms are less than 2^60: a
 * window has at most 200 000 requests, of which SSDC_VISIT_PAGES pages each are counted.
 */
static void locality(const struct ssdc_corw *c, u64 *num, u64 *den)
{
	*num = c->reads.again * max_t(u64, c->writes.pages, 1);
	*den = c->writes.again * c->reads.pages;
}

/* @num / @den > @threshold, which is at least 1: without the product, which may exceed 64 bits. */
static bool exceeds(u64 num, u64 den, u32 threshold)
{
	return num && div_u64(num - 1, threshold) >= den;
}

/**
 * ssdc_corw_decide() - compare the last interval with thresholds
 * @c: instance
 * @thresholds: in force until the next call
 */
void ssdc_corw_decide(struct ssdc_corw *c, struct ssdc_corw_thresholds thresholds)
{
	u64 num, den;

	locality(c, &num, &den);
	c->thresholds = thresholds;
	c->cache_reads = exceeds(c->read_sectors, c->write_sectors, thresholds.tt) &&
			 exceeds(num, den, thresholds.rt);
	c->caching_ticks += c->cache_reads;
	c->quiet_writes = c->write_sectors * c->intervals < c->written &&
			  c->writes.again * 1000 <
			  c->cold_permille * max_t(u64, c->writes.pages, 1);
}

/**
 * ssdc_corw_traffic_bin() - T_r / T_w of the last interval
 * @c: instance
 */
enum ssdc_corw_bin ssdc_corw_traffic_bin(const struct ssdc_corw *c)
{
	return ssdc_corw_ratio_bin(c->read_sectors, c->write_sectors);
}

/**
 * ssdc_corw_locality_bin() - Ra_r / Ra_w at the end of the last interval
 * @c: instance
 */
enum ssdc_corw_bin ssdc_corw_locality_bin(const struct ssdc_corw *c)
{
	u64 num, den;

	locality(c, &num, &den);
	return ssdc_corw_ratio_bin(num, den);
}

/* Algorithm 1, lines 4 to 7. */
bool ssdc_corw_admit_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			  ssdc_page_t page)
{
	return to_corw(a)->cache_reads;
}

/* Algorithm 1, lines 11 to 14. */
enum ssdc_write_mode ssdc_corw_admit_write(struct ssdc_admission *a,
					   const struct ssdc_host_request *rq)
{
	struct ssdc_corw *c = to_corw(a);
	u64 pages = max(a->plugin.tier->used_pages, 1u);

	if (!c->quiet_writes || 100ULL * ssdc_corw_clean_pages(c) >= c->thresholds.ct * pages)
		return SSDC_WRITE_BACK;
	c->through_writes++;
	return c->wt_sync ? SSDC_WRITE_SYNC : SSDC_WRITE_THROUGH;
}

/**
 * ssdc_corw_check() - verify all invariants
 * @a: instance
 * @finding: filled in on failure
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdc_corw_check(const struct ssdc_admission *a, struct ssdc_error *finding)
{
	const struct ssdc_tier *tier = a->plugin.tier;
	const struct ssdc_corw *c = to_corw(a);

	if (tier->dirty_pages > tier->used_pages)
		return ssdc_finding(finding, "%u of %u pages are dirty", tier->dirty_pages,
				    tier->used_pages);
	/* An interval with traffic must end with a tick. */
	if ((c->busy || c->reading || c->writing) && !a->tick_at_ns)
		return ssdc_finding(finding, "an interval with traffic has no tick");
	if (a->tick_at_ns && a->tick_at_ns <= c->end_ns)
		return ssdc_finding(finding,
				    "the tick at %llu ns is before the interval's end at %llu ns",
				    a->tick_at_ns, c->end_ns);
	return ssdc_reaccess_check(&c->reaccess, finding);
}
