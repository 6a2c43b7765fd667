/* SPDX-License-Identifier: GPL-2.0 */
/* Page writes on a flash device, one at a time; what they cost. */
#ifndef TESTS_FLASH_LOAD_H
#define TESTS_FLASH_LOAD_H

#include "flash-spec.h"
#include "harness.h"

struct load {
	struct ssdf_device *f;
	u64 now_ns;
	/* Of all pages, the first @hot_percent get the other percentage of writes; 0: uniform. */
	u32 hot_percent;
};

static inline struct load load_begin(const char *spec)
{
	struct load load = { .f = flash_from_spec(spec) };

	while (ssdf_age(load.f))
		;
	return load;
}

/* Returns whether the device's invariants hold. */
static inline bool load_end(struct load *load)
{
	bool ok = !ssdf_check(load->f);

	ssdf_destroy(load->f);
	return ok;
}

/* Advance until the device is quiescent. */
static inline void load_rest(struct load *load)
{
	u64 next_ns;

	while ((next_ns = ssdf_next_ns(load->f)) != SSDF_NEVER) {
		load->now_ns = max(load->now_ns, next_ns);
		ssdf_advance(load->f, load->now_ns);
	}
	while (ssdf_next_done(load->f))
		;
}

static inline void load_page(struct load *load, enum ssdc_op op, u32 lpn)
{
	struct ssdf_request rq = {
		.op = op,
		.sector = (u64)lpn * load->f->page_sectors,
		.nr_sectors = load->f->page_sectors,
	};

	ssdf_submit(load->f, &rq, load->now_ns);
	load_rest(load);
}

static inline void load_fill(struct load *load)
{
	u32 lpn;

	for (lpn = 0; lpn < load->f->nr_lpns; lpn++)
		load_page(load, SSDC_WRITE, lpn);
}

static inline u32 load_pick(const struct load *load)
{
	u32 lpns = load->f->nr_lpns, hot = (u64)lpns * load->hot_percent / 100;

	if (!hot)
		return below(lpns);
	return below(100) >= load->hot_percent ? below(hot) : hot + below(lpns - hot);
}

/* Write pages at random. Returns the write amplification meanwhile. */
static inline double load_churn(struct load *load, u64 writes)
{
	const struct ssdf_stats *stats = &load->f->stats;

	ssdf_reset_stats(load->f, load->now_ns);
	while (writes--)
		load_page(load, SSDC_WRITE, load_pick(load));
	return (double)(stats->host_programs + stats->gc_programs + stats->map_writes) /
	       stats->host_programs;
}

#endif /* TESTS_FLASH_LOAD_H */
