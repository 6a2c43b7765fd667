// SPDX-License-Identifier: GPL-2.0
/* All shadows of an engine: sample requests, run them, count hits. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../base/alloc.h"
#include "replay.h"
#include "shadow.h"

#define WHOLE		(U32_MAX + 1ULL)	/* a threshold that all hashes are below */
#define SMOOTHING	4		/* a window has a weight of a quarter */

#define GAUGE(type, member, unit, doc) \
	SSDC_STAT(struct type, member, #member, unit, SSDC_GAUGE, doc)
#define COUNTER(type, member, unit, doc) \
	SSDC_STAT(struct type, member, #member, unit, SSDC_COUNTER, doc)
#define COUNTED(member, doc) \
	SSDC_STAT(struct ssdc_shadow_stats, counters.member, #member, "pages", SSDC_COUNTER, doc)

const struct ssdc_stat ssdc_shadow_stat_table[] = {
	GAUGE(ssdc_shadow_stats, size_percent, "percent", "size of the tier, of the live one's"),
	GAUGE(ssdc_shadow_stats, rate_ppm, "millionths", "sampled addresses, per million"),
	GAUGE(ssdc_shadow_stats, pages, "pages", "of the shadow's tier: its size times the rate"),
	COUNTER(ssdc_shadow_stats, accesses, "pages", "page accesses"),
	COUNTER(ssdc_shadow_stats, hits, "pages", "of these, to pages in the tier"),
	GAUGE(ssdc_shadow_stats, sampled_ppm, "millionths", "hits per million accesses"),
	GAUGE(ssdc_shadow_stats, hit_ppm, "millionths",
	      "estimate for all requests: corrected by what the live policies have there"),
	GAUGE(ssdc_shadow_stats, window_ppm, "millionths", "estimate for the last whole window"),
	GAUGE(ssdc_shadow_stats, smoothed_ppm, "millionths",
	      "estimate for all windows; each counts for a quarter, those before it for the rest"),
	COUNTER(ssdc_shadow_stats, windows, "windows", "whole windows"),
	COUNTED(read_pages, "page accesses by reads"),
	COUNTED(read_hits, "of these, hits"),
	COUNTED(write_pages, "page accesses by writes"),
	COUNTED(write_hits, "of these, hits"),
	COUNTED(evicted_pages, "victims, clean and dirty"),
	COUNTED(flushed_pages, "flushed for any reason"),
	GAUGE(ssdc_shadow_stats, response_ns, "ns",
	      "mean response of reads and writes, without waits for I/O outside the sample"),
	GAUGE(ssdc_shadow_stats, memory_bytes, "bytes", "memory of the shadow"),
};

const unsigned int ssdc_nr_shadow_stats = ARRAY_SIZE(ssdc_shadow_stat_table);

const struct ssdc_stat ssdc_shadows_stat_table[] = {
	COUNTER(ssdc_shadows_stats, requests, "requests", "of the live engine"),
	COUNTER(ssdc_shadows_stats, accesses, "pages", "page accesses by these"),
	COUNTER(ssdc_shadows_stats, records, "records", "parts of requests in sampled regions"),
	COUNTER(ssdc_shadows_stats, dropped, "records", "lost because the ring was full"),
	GAUGE(ssdc_shadows_stats, queued, "records", "in the ring"),
	GAUGE(ssdc_shadows_stats, memory_bytes, "bytes", "memory of all shadows and the ring"),
};

const unsigned int ssdc_nr_shadows_stats = ARRAY_SIZE(ssdc_shadows_stat_table);

/* ---- sampling ---- */

static bool is_sampled(const struct ssdc_shadows *s, u64 threshold, u64 sector)
{
	return ssdc_shadow_hash(sector >> s->region_shift) < threshold;
}

/*
 * Find the next part of [*sector, @end) that lies in sampled regions; neighbouring regions make one
 * part. Returns its length; 0 if there is none. O(regions).
 */
static u64 next_part(const struct ssdc_shadows *s, u64 threshold, u64 *sector, u64 end)
{
	u64 region = 1ULL << s->region_shift, at = *sector;

	if (threshold == WHOLE)
		return end - at;
	while (at < end && !is_sampled(s, threshold, at))
		at = (at | (region - 1)) + 1;
	*sector = min(at, end);
	while (at < end && is_sampled(s, threshold, at))
		at = (at | (region - 1)) + 1;
	return min(at, end) - *sector;
}

static void append(struct ssdc_shadows *s, const struct ssdc_shadow_record *record)
{
	/* Pairs with next_shadow(): the record in the slot has been read. */
	if (s->head - smp_load_acquire(&s->tail) > s->ring_mask) {
		s->stats.dropped++;
		return;
	}
	s->ring[s->head & s->ring_mask] = *record;
	/* Pairs with the readers of @head: the record is complete. */
	smp_store_release(&s->head, s->head + 1);
	s->stats.records++;
}

/**
 * ssdc_shadows_append() - keep the parts of a request that are in the sample
 * @s: shadows, not NULL
 * @op: operation
 * @sector: start
 * @nr_sectors: length
 * @fua: a write with FUA
 * @now_ns: current time
 *
 * Called by ssdc_shadows_feed() only.
 */
void ssdc_shadows_append(struct ssdc_shadows *s, enum ssdc_op op, u64 sector, u64 nr_sectors,
			 bool fua, u64 now_ns)
{
	struct ssdc_shadow_record record = {
		.time_ns = now_ns > s->start_ns ? now_ns - s->start_ns : 0,
		.sector = sector, .nr_sectors = nr_sectors, .op = op, .fua = fua,
	};
	u64 end = sector + nr_sectors;

	if (op == SSDC_FLUSH || op == SSDC_DISCARD) {
		append(s, &record);
		return;
	}
	while ((record.nr_sectors = next_part(s, s->threshold, &record.sector, end))) {
		append(s, &record);
		record.sector += record.nr_sectors;
	}
}

/* ---- running ---- */

static struct ssdc_shadow_count count_of(const struct ssdc_engine *e)
{
	return (struct ssdc_shadow_count) {
		e->stats.read_pages + e->stats.write_pages,
		e->stats.read_hits + e->stats.write_hits,
	};
}

static u64 ppm(u64 part, u64 whole)
{
	return whole ? div64_u64(part * SSDC_SHADOW_WHOLE, whole) : 0;
}

/* Hits per million accesses from @since on, or since the counters were reset. */
static u64 ppm_since(struct ssdc_shadow_count now, struct ssdc_shadow_count since)
{
	if (now.accesses < since.accesses || now.hits < since.hits)
		since = (struct ssdc_shadow_count) {};
	return ppm(now.hits - since.hits, now.accesses - since.accesses);
}

static bool is_correctable(u64 own, u64 live, u64 reference)
{
	return own + live >= reference && own + live - reference <= SSDC_SHADOW_WHOLE;
}

/* A correction that leaves the range of a ratio is wrong: the sample is the better estimate. */
static u64 corrected(u64 own, u64 live, u64 reference)
{
	return is_correctable(own, live, reference) ? own + live - reference : own;
}

/* The hit ratio of a shadow in the window, corrected as in ssdc_shadows_update(). */
static u64 window_ppm(const struct ssdc_shadows *s, const struct ssdc_shadow *shadow)
{
	const struct ssdc_shadow *reference = &s->shadows[shadow->reference];
	u64 own = ppm_since(count_of(shadow->e), shadow->window);

	if (!s->live)
		return own;
	return corrected(own, ppm_since(count_of(s->live), s->window),
			 ppm_since(count_of(reference->e), reference->window));
}

static void end_window(struct ssdc_shadows *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++) {
		struct ssdc_shadow_stats *stats = &s->shadows[i].stats;

		stats->window_ppm = window_ppm(s, &s->shadows[i]);
		stats->smoothed_ppm = stats->windows ?
			((SMOOTHING - 1) * stats->smoothed_ppm + stats->window_ppm) / SMOOTHING :
			stats->window_ppm;
		stats->windows++;
	}
	for (i = 0; i < s->nr; i++)
		s->shadows[i].window = count_of(s->shadows[i].e);
	if (s->live)
		s->window = count_of(s->live);
	s->window_start = READ_ONCE(s->accesses);
}

/* Begin the next part of the record that this shadow samples. Returns false if there is none. */
static bool begin_part(struct ssdc_shadows *s, struct ssdc_shadow *shadow,
		       const struct ssdc_shadow_record *record)
{
	struct ssdc_shadow_record part;
	u64 end = record->sector + record->nr_sectors;

	if (s->current_done && s->current_done >= record->nr_sectors)
		return false;
	part = *record;
	if (record->op == SSDC_FLUSH || record->op == SSDC_DISCARD) {
		if (s->current_done)
			return false;
		s->current_done = ssdc_shadow_begin(shadow, record);
		return true;
	}
	part.sector += s->current_done;
	part.nr_sectors = next_part(s, shadow->threshold, &part.sector, end);
	if (!part.nr_sectors)
		return false;
	if (ssdc_shadow_begin(shadow, &part))
		s->current_done = part.sector + part.nr_sectors - record->sector;
	return true;
}

/*
 * Do one piece of work on the record for one shadow. Returns false once the shadow is done with it.
 */
static bool step(struct ssdc_shadows *s, struct ssdc_shadow *shadow,
		 const struct ssdc_shadow_record *record)
{
	/* First, the work that is due before the record, and the rest of a part that has begun. */
	if (ssdc_shadow_goes_on(shadow, record->time_ns) &&
	    ssdc_shadow_work(shadow, ssdc_shadow_until(shadow, record->time_ns)))
		return true;
	return begin_part(s, shadow, record);
}

/* The smallest hashes tell for each rate whether its sample has few regions. */
static void note_region(struct ssdc_shadows *s, u32 hash)
{
	u32 at = 0;

	if (s->nr_regions == SSDC_SHADOW_FEW_REGIONS && hash >= s->regions[s->nr_regions - 1])
		return;
	while (at < s->nr_regions && s->regions[at] < hash)
		at++;
	if (at < s->nr_regions && s->regions[at] == hash)
		return;
	if (s->nr_regions < SSDC_SHADOW_FEW_REGIONS)
		s->nr_regions++;
	memmove(&s->regions[at + 1], &s->regions[at],
		(s->nr_regions - 1 - at) * sizeof(s->regions[0]));
	s->regions[at] = hash;
}

static void note_regions(struct ssdc_shadows *s, const struct ssdc_shadow_record *record)
{
	u64 region = record->sector >> s->region_shift;
	u64 last = (record->sector + record->nr_sectors - 1) >> s->region_shift;

	if (record->op == SSDC_FLUSH || record->op == SSDC_DISCARD)
		return;
	for (; region <= last; region++)
		note_region(s, ssdc_shadow_hash(region));
}

static void next_shadow(struct ssdc_shadows *s)
{
	s->current_done = 0;
	if (++s->current_shadow < s->nr)
		return;
	s->current_shadow = 0;
	if (s->nr_references)
		note_regions(s, &s->ring[s->tail & s->ring_mask]);
	/* Pairs with append(), which writes into the slot. */
	smp_store_release(&s->tail, s->tail + 1);
	if (READ_ONCE(s->accesses) - s->window_start >= s->window_pages)
		end_window(s);
}

/**
 * ssdc_shadows_step_to() - run the waiting requests through the shadows, up to a given request
 * @s: shadows, not NULL
 * @head: value of @s->head before that request was fed, read with smp_load_acquire() unless the
 *	caller excludes ssdc_shadows_feed(). With the current value, all requests are run
 * @budget: pieces of work, each about as long as a page access of the live engine; the rest of it
 *	is returned here
 *
 * Context: outside the I/O path; callers exclude each other, and yield between two calls.
 * Return: true if there is more to do.
 */
bool ssdc_shadows_step_to(struct ssdc_shadows *s, u32 head, u32 *budget)
{
	for (; *budget && s->tail != head; --*budget) {
		struct ssdc_shadow *shadow = &s->shadows[s->current_shadow];

		if (!step(s, shadow, &s->ring[s->tail & s->ring_mask]))
			next_shadow(s);
	}
	return s->tail != head;
}

/**
 * ssdc_shadows_step() - run some of the waiting requests through the shadows
 * @s: shadows, not NULL
 * @budget: as for ssdc_shadows_step_to()
 *
 * Context: outside the I/O path; callers exclude each other, and yield between two calls.
 * Return: true if there is more to do.
 */
bool ssdc_shadows_step(struct ssdc_shadows *s, u32 budget)
{
	/* Pairs with append(). */
	return ssdc_shadows_step_to(s, smp_load_acquire(&s->head), &budget);
}

/**
 * ssdc_shadows_set_times() - change the times of the modelled origin
 * @s: shadows, not NULL
 * @read_ns: time of a page read that starts from now on, at most 10 s
 * @write_ns: time of a page write that starts from now on, at most 10 s
 *
 * Context: as for ssdc_shadows_step().
 */
void ssdc_shadows_set_times(struct ssdc_shadows *s, u64 read_ns, u64 write_ns)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		ssdc_shadow_set_times(&s->shadows[i], read_ns, write_ns);
}

/* ---- results ---- */

/**
 * ssdc_shadow_flushed() - pages that a shadow has flushed for any reason
 * @shadow: shadow
 */
u64 ssdc_shadow_flushed(const struct ssdc_shadow *shadow)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < SSDC_NR_FLUSH_REASONS; i++)
		sum += shadow->e->stats.flushed_pages[i];
	return sum;
}

static u64 response_ns(const struct ssdc_engine *e)
{
	const struct ssdc_histogram *read = &e->latency[SSDC_READ];
	const struct ssdc_histogram *write = &e->latency[SSDC_WRITE];
	u64 nr = read->count + write->count, sum_ns = read->sum_ns + write->sum_ns;
	u64 wraps = read->sum_wraps + write->sum_wraps + (sum_ns < read->sum_ns);

	return nr ? ssdc_histogram_mean(wraps, sum_ns, nr) : 0;
}

static struct ssdc_shadow_counters counters_of(const struct ssdc_shadow *shadow)
{
	const struct ssdc_core_stats *core = &shadow->e->stats;

	return (struct ssdc_shadow_counters) {
		.read_pages = core->read_pages,
		.read_hits = core->read_hits,
		.write_pages = core->write_pages,
		.write_hits = core->write_hits,
		.evicted_pages = core->evicted_pages,
		.flushed_pages = ssdc_shadow_flushed(shadow),
	};
}

/* Page accesses and hits up to the last reset of the statistics. */
static struct ssdc_shadow_count at_reset(const struct ssdc_shadow *shadow)
{
	const struct ssdc_shadow_counters *zero = &shadow->zero;

	return (struct ssdc_shadow_count) {
		zero->read_pages + zero->write_pages, zero->read_hits + zero->write_hits,
	};
}

static u64 sampled_ppm(const struct ssdc_shadow *shadow)
{
	return ppm_since(count_of(shadow->e), at_reset(shadow));
}

static void update(const struct ssdc_shadows *s, struct ssdc_shadow *shadow)
{
	const struct ssdc_shadow_counters now = counters_of(shadow), *zero = &shadow->zero;
	u64 reference = sampled_ppm(&s->shadows[shadow->reference]);
	struct ssdc_shadow_stats *stats = &shadow->stats;
	u64 live;

	stats->counters = (struct ssdc_shadow_counters) {
		.read_pages = now.read_pages - zero->read_pages,
		.read_hits = now.read_hits - zero->read_hits,
		.write_pages = now.write_pages - zero->write_pages,
		.write_hits = now.write_hits - zero->write_hits,
		.evicted_pages = now.evicted_pages - zero->evicted_pages,
		.flushed_pages = now.flushed_pages - zero->flushed_pages,
	};
	stats->accesses = stats->counters.read_pages + stats->counters.write_pages;
	stats->hits = stats->counters.read_hits + stats->counters.write_hits;
	stats->sampled_ppm = sampled_ppm(shadow);
	live = s->live ? ppm_since(count_of(s->live), s->start) : reference;
	stats->hit_ppm = corrected(stats->sampled_ppm, live, reference);
	shadow->is_corrected = s->live && is_correctable(stats->sampled_ppm, live, reference);
	stats->response_ns = response_ns(shadow->e);
}

/**
 * ssdc_shadows_update() - bring the statistics of all shadows up to date
 * @s: shadows, not NULL
 *
 * If a sample has too many of the pages that are used most often, it shows too many hits, for all
 * policies alike. The live engine has the hit ratio of the live policies for all requests, and a
 * shadow of the live policies, the reference, has it for the sample. The difference between the two
 * corrects the other shadows: it is a control variate. Where the result would be below 0 or above
 * 1, it is not used, and the estimate is the hit ratio in the sample.
 *
 * Context: as for ssdc_shadows_step(); for exact counts, also no call of ssdc_shadows_feed() at the
 * same time.
 */
void ssdc_shadows_update(struct ssdc_shadows *s)
{
	u32 i;

	s->stats.queued = ssdc_shadows_queued(s);
	for (i = 0; i < s->nr; i++)
		update(s, &s->shadows[i]);
}

/**
 * ssdc_shadows_reset_stats() - zero the counters of each shadow; hit ratios count from here on
 * @s: shadows, not NULL
 *
 * The engines keep their counters, on which the costs of auto/decide.c rest. Records that wait in
 * the ring count later, when they run.
 *
 * Context: as for ssdc_shadows_step().
 */
void ssdc_shadows_reset_stats(struct ssdc_shadows *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++) {
		s->shadows[i].zero = counters_of(&s->shadows[i]);
		s->shadows[i].stats.windows = 0;
	}
	if (s->live)
		s->start = count_of(s->live);
}

/**
 * ssdc_shadow_is_uncertain() - may the estimate of a shadow's hit ratio be far off?
 * @s: shadows with references and a live engine, brought up to date
 * @shadow: one of them
 *
 * The hits of a few regions say little about those of all, and a correction that leaves the range
 * of a ratio shows that they do not. Documentation/shadows.md has the figures.
 *
 * Context: as for ssdc_shadows_update().
 * Return: true if the sample has too few regions, or the correction was not used; false for the
 * live policies and size, unless these have changed, and if all addresses are sampled.
 */
bool ssdc_shadow_is_uncertain(const struct ssdc_shadows *s, const struct ssdc_shadow *shadow)
{
	u32 nr = 0;

	if ((shadow->is_live && s->live) || shadow->threshold == WHOLE)
		return false;
	while (nr < s->nr_regions && s->regions[nr] < shadow->threshold)
		nr++;
	return !shadow->is_corrected || nr < SSDC_SHADOW_FEW_REGIONS;
}

/**
 * ssdc_shadows_attach() - name the live engine, whose hits correct the hits of the shadows
 * @s: shadows, not NULL, that no request has been fed to
 * @live: engine; must exist as long as the shadows
 */
void ssdc_shadows_attach(struct ssdc_shadows *s, const struct ssdc_engine *live)
{
	s->live = live;
	s->start = count_of(live);
	s->window = s->start;
}

/**
 * ssdc_shadows_detach() - the live engine has other policies from now on
 * @s: shadows, not NULL
 *
 * The references keep the policies of before, so they no longer tell how far off the sample is:
 * from now on, the estimates are the hit ratios of the sample.
 *
 * Context: as for ssdc_shadows_step().
 */
void ssdc_shadows_detach(struct ssdc_shadows *s)
{
	s->live = NULL;
}

/* ---- create and destroy ---- */

/**
 * ssdc_shadow_params_check() - are the numbers of shadows valid?
 * @params: parameters of the shadows to be created; ssdc_shadows_create() checks the specs
 * @error: on failure, names the bad value and the valid ones
 *
 * Return: 0 or -EINVAL.
 */
int ssdc_shadow_params_check(const struct ssdc_shadow_params *params, struct ssdc_error *error)
{
	char region[24], page[24];
	u32 i;

	if (!params->nr_candidates || params->nr_candidates > SSDC_SHADOW_MAX_CANDIDATES)
		return ssdc_finding(error, "shadow: %u candidates are not from 1 to %u",
				    params->nr_candidates, SSDC_SHADOW_MAX_CANDIDATES);
	if (!params->nr_sizes || params->nr_sizes > SSDC_SHADOW_MAX_SIZES)
		return ssdc_finding(error, "shadow: %u sizes are not from 1 to %u",
				    params->nr_sizes, SSDC_SHADOW_MAX_SIZES);
	for (i = 0; i < params->nr_sizes; i++)
		if (!params->sizes_percent[i] || params->sizes_percent[i] > 10000)
			return ssdc_finding(error, "shadow: size %u %% is not from 1 to 10000 %%",
					    params->sizes_percent[i]);
	if (!params->rate_ppm || params->rate_ppm > SSDC_SHADOW_WHOLE)
		return ssdc_finding(error, "shadow: rate %u is not from 1 to 1000000 millionths",
				    params->rate_ppm);
	ssdc_print_size(params->region_bytes, region, sizeof(region));
	ssdc_print_size(params->live->page_bytes, page, sizeof(page));
	if (!is_power_of_2(params->region_bytes) || params->region_bytes < params->live->page_bytes)
		return ssdc_finding(error,
				    "shadow: region: %s is not a power of two from %s, a page, to 1g",
				    region, page);
	if (!is_power_of_2(params->ring_records) || params->ring_records > SSDC_SHADOW_MAX_RING)
		return ssdc_finding(error, "shadow: ring %u is not a power of two up to %u",
				    params->ring_records, SSDC_SHADOW_MAX_RING);
	if (!params->window_pages)
		return ssdc_finding(error, "shadow: a window of 0 pages never ends");
	return 0;
}

static u64 pages_of(const struct ssdc_shadow_params *params, u32 percent)
{
	u64 pages = params->live->dram_bytes >> ilog2(params->live->page_bytes);

	return max_t(u64, div_u64(pages * percent, 100), SSDC_MIN_FRAMES);
}

/* A shadow whose tier would be too small has a higher rate. */
static u32 rate_of(const struct ssdc_shadow_params *params, u32 percent)
{
	u64 least = max(params->least_pages, SSDC_MIN_FRAMES), pages = pages_of(params, percent);

	if (pages <= least)
		return SSDC_SHADOW_WHOLE;
	return max_t(u64, params->rate_ppm,
		     div64_u64(least * SSDC_SHADOW_WHOLE + pages - 1, pages));
}

static void set_pages(const struct ssdc_shadow_params *params, u32 percent, u32 rate,
		      struct ssdc_shadow *shadow)
{
	u64 pages = div_u64(pages_of(params, percent) * rate + SSDC_SHADOW_WHOLE / 2,
			    SSDC_SHADOW_WHOLE);

	shadow->threshold = div_u64((u64)rate << 32, SSDC_SHADOW_WHOLE);
	shadow->stats.size_percent = percent;
	shadow->stats.rate_ppm = rate;
	shadow->stats.pages = max_t(u64, pages, SSDC_MIN_FRAMES);
}

/* Copy the specs of all candidates. */
static int copy_specs(struct ssdc_shadows *s, const struct ssdc_shadow_params *params)
{
	size_t bytes = 0;
	char *at;
	u32 i;

	for (i = 0; i < params->nr_candidates; i++)
		bytes += strlen(params->candidates[i].replacement) +
			strlen(params->candidates[i].admission) + 2;
	s->candidates = ssdc_alloc_array(params->nr_candidates, sizeof(*s->candidates));
	s->specs = ssdc_alloc_array(bytes, 1);
	if (!s->candidates || !s->specs)
		return -ENOMEM;
	for (i = 0, at = s->specs; i < params->nr_candidates; i++) {
		size_t replacement = strlen(params->candidates[i].replacement) + 1;
		size_t admission = strlen(params->candidates[i].admission) + 1;

		s->candidates[i].replacement = memcpy(at, params->candidates[i].replacement,
						      replacement);
		at += replacement;
		s->candidates[i].admission = memcpy(at, params->candidates[i].admission, admission);
		at += admission;
	}
	s->nr_candidates = params->nr_candidates;
	s->stats.memory_bytes += bytes + s->nr_candidates * sizeof(*s->candidates);
	return 0;
}

static int create_shadow(struct ssdc_shadows *s, const struct ssdc_shadow_params *params,
			 struct ssdc_error *error)
{
	struct ssdc_shadow *shadow = &s->shadows[s->nr];

	if (ssdc_shadow_init(shadow, params, error)) {
		ssdc_shadow_free(shadow);
		return -EINVAL;
	}
	s->threshold = max(s->threshold, shadow->threshold);
	s->stats.memory_bytes += shadow->stats.memory_bytes;
	s->nr++;
	return 0;
}

/* Find the reference of a shadow, or create one: the live policies and size, at the same rate. */
static int add_reference(struct ssdc_shadows *s, const struct ssdc_shadow_params *params,
			 struct ssdc_shadow *shadow, struct ssdc_error *error)
{
	struct ssdc_shadow *reference;
	u32 i;

	for (i = s->nr - s->nr_references; i < s->nr; i++) {
		if (s->shadows[i].threshold == shadow->threshold) {
			shadow->reference = i;
			return 0;
		}
	}
	reference = &s->shadows[s->nr];
	reference->candidate = params->nr_candidates;
	set_pages(params, 100, shadow->stats.rate_ppm, reference);
	reference->reference = s->nr;
	shadow->reference = s->nr;
	s->nr_references++;
	return create_shadow(s, params, error);
}

/* Without references, the live policies need not be known. */
static bool is_live(const struct ssdc_shadow_params *params, const struct ssdc_shadow *shadow)
{
	const struct ssdc_shadow_candidate *candidate = &params->candidates[shadow->candidate];

	return !params->plain && shadow->stats.size_percent == 100 &&
		!strcmp(candidate->replacement, params->live->replacement) &&
		!strcmp(candidate->admission, params->live->admission);
}

static int create_shadows(struct ssdc_shadows *s, const struct ssdc_shadow_params *params,
			  struct ssdc_error *error)
{
	u32 i, percent, nr = params->nr_candidates * params->nr_sizes;

	/* At most one rate, and so one reference, for each size. */
	s->shadows = ssdc_alloc_array(nr + params->nr_sizes, sizeof(*s->shadows));
	if (!s->shadows)
		return ssdc_finding(error, "no memory: %u shadows", nr);
	for (i = 0; i < nr; i++) {
		percent = params->sizes_percent[i % params->nr_sizes];
		s->shadows[i].candidate = i / params->nr_sizes;
		set_pages(params, percent, rate_of(params, percent), &s->shadows[i]);
		s->shadows[i].is_live = is_live(params, &s->shadows[i]);
		if (create_shadow(s, params, error))
			return -EINVAL;
	}
	for (i = 0; i < nr; i++) {
		s->shadows[i].reference = i;
		if (!params->plain && add_reference(s, params, &s->shadows[i], error))
			return -EINVAL;
	}
	return 0;
}

/**
 * ssdc_shadows_create() - create shadows
 * @params: parameters; the shadows keep no pointer to them
 * @error: on failure, says why in one line
 *
 * Context: may sleep; the lock of the list of types (engine/registry.c).
 * Return: the shadows, owned by the caller; NULL on failure.
 */
struct ssdc_shadows *ssdc_shadows_create(const struct ssdc_shadow_params *params,
					 struct ssdc_error *error)
{
	struct ssdc_shadows *s;

	if (ssdc_shadow_params_check(params, error))
		return NULL;
	s = kvzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		goto no_memory;
	s->page_shift = ilog2(params->live->page_bytes) - SSDC_SECTOR_SHIFT;
	s->region_shift = ilog2(params->region_bytes) - SSDC_SECTOR_SHIFT;
	s->window_pages = params->window_pages;
	s->nr_sizes = params->nr_sizes;
	s->ring_mask = params->ring_records - 1;
	s->ring = ssdc_alloc_array(params->ring_records, sizeof(*s->ring));
	s->stats.memory_bytes = sizeof(*s) + params->ring_records * sizeof(*s->ring);
	if (!s->ring || copy_specs(s, params))
		goto no_memory;
	if (create_shadows(s, params, error)) {
		ssdc_shadows_destroy(s);
		return NULL;
	}
	return s;

no_memory:
	ssdc_shadows_destroy(s);
	ssdc_finding(error, "no memory: a ring of %u records", params->ring_records);
	return NULL;
}

/**
 * ssdc_shadows_destroy() - free shadows
 * @s: shadows or NULL
 *
 * Context: may sleep; the caller has the only reference.
 */
void ssdc_shadows_destroy(struct ssdc_shadows *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->nr; i++)
		ssdc_shadow_free(&s->shadows[i]);
	kvfree(s->shadows);
	kvfree(s->candidates);
	kvfree(s->specs);
	kvfree(s->ring);
	kvfree(s);
}
