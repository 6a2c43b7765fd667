// SPDX-License-Identifier: GPL-2.0
/* Shadows: what is sampled, the ring, bounded steps, and that a whole sample is the live engine. */
#include <kunit/test.h>
#include <linux/string.h>
#include "../../dm-ssdcache/base/random.h"
#include "../../dm-ssdcache/flash/flash.h"
#include "../../dm-ssdcache/shadow/shadow.h"

#define PAGE_SECTORS	8u
#define REGION_SECTORS	128u
#define TIER_PAGES	64u
#define ORIGIN_SECTORS	1048576u
#define ENOUGH		100000u

static const u32 same_size[] = { 100 };
static const u32 two_sizes[] = { 50, 200 };
static const struct ssdc_shadow_candidate lru[] = { { "lru", "read-write" } };

static struct ssdc_params live_params(const char *replacement)
{
	struct ssdc_params params = {
		.dram_bytes = TIER_PAGES * PAGE_SECTORS << SSDC_SECTOR_SHIFT,
		.page_bytes = PAGE_SECTORS << SSDC_SECTOR_SHIFT,
		.origin_sectors = ORIGIN_SECTORS,
		.replacement = replacement,
		.admission = "read-write",
		.prefetch = "none",
	};

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	return params;
}

static struct ssdc_shadow_params shadow_params(const struct ssdc_params *live, u32 rate_ppm)
{
	return (struct ssdc_shadow_params) {
		.live = live,
		.candidates = lru,
		.nr_candidates = 1,
		.sizes_percent = same_size,
		.nr_sizes = 1,
		.rate_ppm = rate_ppm,
		.region_bytes = REGION_SECTORS << SSDC_SECTOR_SHIFT,
		.ring_records = 16,
		.least_pages = SSDC_MIN_FRAMES,
		.window_pages = 1000,
		.chips = 1,
	};
}

static struct ssdc_shadows *create(struct kunit *test, const struct ssdc_shadow_params *params)
{
	struct ssdc_error error = {};
	struct ssdc_shadows *s = ssdc_shadows_create(params, &error);

	KUNIT_ASSERT_NOT_NULL_MSG(test, s, "%s", error.text);
	return s;
}

static struct ssdc_shadows *with_rate(struct kunit *test, u32 rate_ppm)
{
	struct ssdc_params live = live_params("lru");
	struct ssdc_shadow_params params = shadow_params(&live, rate_ppm);

	return create(test, &params);
}

/* The first region from @from on that is sampled, or is not. */
static u64 find_region(const struct ssdc_shadows *s, u64 from, bool sampled)
{
	while ((ssdc_shadow_hash(from) < s->threshold) != sampled)
		from++;
	return from;
}

/* ---- what is sampled ---- */

static void shadow_cuts_at_the_ends_of_sampled_regions(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, 500000);
	u64 region = find_region(s, 1, false), end;
	struct ssdc_shadow_record *record = s->ring;

	/* A region that is not sampled, then some that are, then one that is not. */
	region = find_region(s, region, true);
	end = find_region(s, region, false);
	ssdc_shadows_feed(s, SSDC_WRITE, region * REGION_SECTORS - 3,
			  (end - region) * REGION_SECTORS + 8, true, 77);
	KUNIT_EXPECT_EQ(test, s->stats.records, 1);
	KUNIT_EXPECT_EQ(test, record->sector, region * REGION_SECTORS);
	KUNIT_EXPECT_EQ(test, record->nr_sectors, (end - region) * REGION_SECTORS);
	KUNIT_EXPECT_EQ(test, record->op, SSDC_WRITE);
	KUNIT_EXPECT_TRUE(test, record->fua);
	/* The shadows' clock starts with the first request. */
	KUNIT_EXPECT_EQ(test, record->time_ns, 0);

	/* Inside of a region, the part is the request. */
	ssdc_shadows_feed(s, SSDC_READ, region * REGION_SECTORS + 5, 9, false, 78);
	KUNIT_EXPECT_EQ(test, record[1].sector, region * REGION_SECTORS + 5);
	KUNIT_EXPECT_EQ(test, record[1].nr_sectors, 9);
	KUNIT_EXPECT_EQ(test, record[1].time_ns, 1);

	ssdc_shadows_feed(s, SSDC_READ, end * REGION_SECTORS, REGION_SECTORS, false, 79);
	KUNIT_EXPECT_EQ(test, s->stats.records, 2);
	KUNIT_EXPECT_EQ(test, s->stats.requests, 3);
	ssdc_shadows_destroy(s);
}

static void shadow_cuts_out_regions_between_sampled_ones(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, 500000);
	u64 first = 1, hole, second;

	do {
		first = find_region(s, first + 1, true);
		hole = find_region(s, first, false);
		second = find_region(s, hole, true);
	} while (second - first > 8);
	ssdc_shadows_feed(s, SSDC_READ, first * REGION_SECTORS,
			  (second - first + 1) * REGION_SECTORS, false, 0);
	KUNIT_EXPECT_EQ(test, s->stats.records, 2);
	KUNIT_EXPECT_EQ(test, s->ring[0].nr_sectors, (hole - first) * REGION_SECTORS);
	KUNIT_EXPECT_EQ(test, s->ring[1].sector, second * REGION_SECTORS);
	KUNIT_EXPECT_EQ(test, s->ring[1].nr_sectors, REGION_SECTORS);
	ssdc_shadows_destroy(s);
}

/* A share of all regions, near the rate: five standard deviations of a binomial distribution. */
static void shadow_samples_as_many_regions_as_the_rate_says(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, 250000);
	u32 region, sampled = 0;

	for (region = 0; region < 10000; region++)
		sampled += ssdc_shadow_hash(region) < s->threshold;
	KUNIT_EXPECT_GT(test, sampled, 2500 - 217);
	KUNIT_EXPECT_LT(test, sampled, 2500 + 217);
	ssdc_shadows_destroy(s);
}

static void shadow_of_few_pages_has_a_higher_rate(struct kunit *test)
{
	struct ssdc_params live = live_params("lru");
	struct ssdc_shadow_params params = shadow_params(&live, 50000);
	struct ssdc_shadows *s;

	params.sizes_percent = two_sizes;
	params.nr_sizes = 2;
	s = create(test, &params);
	/* 32 and 128 pages; each shadow has 16. */
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.rate_ppm, 500000);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.pages, 16);
	KUNIT_EXPECT_EQ(test, s->shadows[1].stats.rate_ppm, 125000);
	KUNIT_EXPECT_EQ(test, s->shadows[1].stats.pages, 16);
	/* Two rates, so two references. */
	KUNIT_EXPECT_EQ(test, s->nr, 4);
	KUNIT_EXPECT_EQ(test, s->shadows[s->shadows[0].reference].stats.pages, 32);
	KUNIT_EXPECT_EQ(test, s->threshold, s->shadows[0].threshold);
	ssdc_shadows_destroy(s);
}

/* ---- the ring ---- */

static void shadow_ring_drops_and_counts(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	u32 i;

	for (i = 0; i < 20; i++)
		ssdc_shadows_feed(s, SSDC_READ, i * PAGE_SECTORS, PAGE_SECTORS, false, i);
	KUNIT_EXPECT_EQ(test, s->stats.records, 16);
	KUNIT_EXPECT_EQ(test, s->stats.dropped, 4);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, s->stats.queued, 16);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	ssdc_shadows_feed(s, SSDC_READ, 0, PAGE_SECTORS, false, i);
	KUNIT_EXPECT_EQ(test, s->stats.dropped, 4);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.accesses, 17);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.hits, 1);
	KUNIT_EXPECT_EQ(test, s->stats.queued, 0);
	ssdc_shadows_destroy(s);
}

/* However small the steps, the results are the same. */
static void shadow_steps_are_bounded(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	u32 calls = 0;

	ssdc_shadows_feed(s, SSDC_WRITE, 0, 40 * PAGE_SECTORS, false, 0);
	while (ssdc_shadows_step(s, 1)) {
		const struct ssdc_core_stats *stats = &s->shadows[0].e->stats;

		KUNIT_ASSERT_LE(test, stats->write_pages, ++calls);
	}
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.accesses, 40);
	KUNIT_EXPECT_GT(test, calls, 80);
	ssdc_shadows_destroy(s);
}

/* The memory of all shadows is that of each, the ring, and the names of the candidates. */
static void shadow_memory(struct kunit *test)
{
	struct ssdc_params live = live_params("fifo");
	struct ssdc_shadow_params params = shadow_params(&live, SSDC_SHADOW_WHOLE);
	u64 rest = sizeof(struct ssdc_shadows) + 16 * sizeof(struct ssdc_shadow_record) +
		   sizeof(lru) + sizeof("lru") + sizeof("read-write");
	struct ssdc_shadows *s;
	u32 i;

	params.sizes_percent = two_sizes;
	params.nr_sizes = ARRAY_SIZE(two_sizes);
	s = create(test, &params);
	KUNIT_ASSERT_GT(test, s->nr, 1);
	for (i = 0; i < s->nr; i++) {
		const struct ssdc_shadow *shadow = &s->shadows[i];

		/* at least the engine and the entries of its pages */
		KUNIT_EXPECT_GT(test, shadow->stats.memory_bytes,
				sizeof(*shadow) + sizeof(*shadow->e) +
				shadow->stats.pages * sizeof(struct ssdc_entry) +
				SSDC_SHADOW_MIN_IOS * sizeof(struct ssdc_shadow_io));
		rest += shadow->stats.memory_bytes;
	}
	KUNIT_EXPECT_EQ(test, s->stats.memory_bytes, rest);
	ssdc_shadows_destroy(s);
}

/* ---- requests without an address, or without data ---- */

static void shadow_discards_and_flushes(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	const struct ssdc_engine *e = s->shadows[0].e;

	ssdc_shadows_feed(s, SSDC_WRITE, 0, 4 * PAGE_SECTORS, false, 0);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	KUNIT_EXPECT_EQ(test, e->tier.dirty_pages, 4);
	ssdc_shadows_feed(s, SSDC_FLUSH, 0, 0, false, 1);
	ssdc_shadows_feed(s, SSDC_READ, 0, PAGE_SECTORS, false, 2);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	KUNIT_EXPECT_EQ(test, e->tier.dirty_pages, 0);
	/* The whole origin: one record, however many regions. */
	ssdc_shadows_feed(s, SSDC_DISCARD, 0, ORIGIN_SECTORS, false, 3);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, s->stats.queued, 1);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	KUNIT_EXPECT_EQ(test, e->tier.used_pages, 0);
	KUNIT_EXPECT_EQ(test, e->stats.dropped_pages, 4);
	ssdc_shadows_destroy(s);
}

/* ---- a whole sample is the live engine ---- */

struct flight {
	struct ssdc_request *rq;	/* a bypassing read or forwarded request; NULL: @io */
	struct ssdc_segment seg;
	enum ssdc_action action;
	struct ssdc_io io;
};

/* A driver whose I/O ends at once, in the order in which it starts. */
struct instant {
	struct ssdc_engine *e;
	struct ssdc_request rq;
	struct flight flights[512];
	u32 head;
	u32 tail;
};

static void fly(struct kunit *test, struct instant *d, struct flight flight)
{
	KUNIT_ASSERT_LT(test, d->head - d->tail, ARRAY_SIZE(d->flights));
	d->flights[d->head++ % ARRAY_SIZE(d->flights)] = flight;
}

static void advance(struct kunit *test, struct instant *d)
{
	struct flight flight = { .rq = &d->rq };

	for (;;) {
		flight.action = ssdc_step(d->e, &d->rq, 0, &flight.seg);
		if (flight.action >= SSDC_READ_ORIGIN && flight.action <= SSDC_FLUSH_ORIGIN)
			fly(test, d, flight);
		if (flight.action != SSDC_COPY && flight.action != SSDC_AGAIN &&
		    flight.action != SSDC_MORE && flight.action != SSDC_YIELD &&
		    flight.action != SSDC_READ_ORIGIN)
			return;
	}
}

static bool start_work(struct kunit *test, struct instant *d)
{
	struct flight flight = {};
	bool any = false;

	while (ssdc_next_ready(d->e)) {
		advance(test, d);
		any = true;
	}
	while (ssdc_next_io(d->e, &flight.io)) {
		fly(test, d, flight);
		any = true;
	}
	return any;
}

static void land(struct instant *d)
{
	struct flight *flight = &d->flights[d->tail++ % ARRAY_SIZE(d->flights)];

	if (!flight->rq)
		ssdc_io_done(d->e, &flight->io, 0, 0);
	else if (flight->action == SSDC_READ_ORIGIN)
		ssdc_sub_done(d->e, flight->rq, &flight->seg, 0, 0);
	else if (flight->action == SSDC_BYPASS)
		ssdc_bypass_done(d->e, flight->rq, 0, 0);
	else
		ssdc_forward_done(d->e, flight->rq, 0);
}

static void run_live(struct kunit *test, struct instant *d, enum ssdc_op op, u64 sector, u32 nr)
{
	ssdc_request_init(&d->rq, op, sector, nr, 0);
	advance(test, d);
	do {
		while (start_work(test, d) || d->head != d->tail)
			if (d->head != d->tail)
				land(d);
	} while (!ssdc_background(d->e, 0) || ssdc_has_work(d->e));
}

static void shadow_case_desc(const struct ssdc_plugin_type *const *type, char *desc)
{
	strscpy(desc, (*type)->info.name, KUNIT_PARAM_DESC_SIZE);
}

/* Policies that ask neither for idle time nor for the load of the device. */
static const struct ssdc_plugin_type *const replacements[] = {
	&ssdc_fifo.plugin, &ssdc_lru.plugin, &ssdc_lfu.plugin, &ssdc_cflru.plugin,
	&ssdc_fab.plugin, &ssdc_bplru.plugin, &ssdc_vbbms.plugin, &ssdc_req_block.plugin,
};

KUNIT_ARRAY_PARAM(shadow, replacements, shadow_case_desc);

static void shadow_of_all_addresses_is_the_live_engine(struct kunit *test)
{
	const struct ssdc_plugin_type *const *type = test->param_value;
	const struct ssdc_shadow_candidate candidate = { (*type)->info.name, "read-write" };
	struct ssdc_params live = live_params((*type)->info.name);
	struct ssdc_shadow_params params = shadow_params(&live, SSDC_SHADOW_WHOLE);
	struct instant *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	struct ssdc_error error = {};
	struct ssdc_random random;
	struct ssdc_shadows *s;
	u32 i;

	params.candidates = &candidate;
	params.closed = true;
	KUNIT_ASSERT_NOT_NULL(test, d);
	d->e = ssdc_engine_create(&live, &error);
	KUNIT_ASSERT_NOT_NULL_MSG(test, d->e, "%s", error.text);
	s = create(test, &params);
	ssdc_shadows_attach(s, d->e);
	ssdc_random_seed(&random, 1);
	for (i = 0; i < 3000; i++) {
		enum ssdc_op op = ssdc_random_below(&random, 3) ? SSDC_WRITE : SSDC_READ;
		u64 page = ssdc_random_below(&random, ssdc_random_below(&random, 2) ? 60 : 400);
		u32 nr = 1 + ssdc_random_below(&random, 6 * PAGE_SECTORS);

		run_live(test, d, op, page * PAGE_SECTORS, nr);
		ssdc_shadows_feed(s, op, page * PAGE_SECTORS, nr, false, 0);
		KUNIT_ASSERT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
		KUNIT_ASSERT_EQ(test, s->shadows[0].e->stats.write_hits, d->e->stats.write_hits);
		KUNIT_ASSERT_EQ(test, s->shadows[0].e->stats.read_hits, d->e->stats.read_hits);
		KUNIT_ASSERT_EQ(test, ssdc_engine_check(s->shadows[0].e, &error), 0);
	}
	KUNIT_EXPECT_GT(test, d->e->stats.write_hits, 100);
	KUNIT_EXPECT_GT(test, d->e->stats.evicted_pages, 100);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.counters.evicted_pages,
			d->e->stats.evicted_pages);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.hit_ppm, s->shadows[0].stats.sampled_ppm);
	KUNIT_EXPECT_GT(test, s->shadows[0].stats.windows, 1);
	ssdc_shadows_destroy(s);
	ssdc_engine_destroy(d->e);
}

/* ---- the origin ---- */

/* As many I/Os as the driver would start: only pages that follow each other belong to one. */
static void shadow_joins_pages_as_drivers_do(struct kunit *test)
{
	const struct ssdc_shadow_candidate fab = { "fab", "read-write" };
	struct ssdc_params live = live_params("fab");
	struct ssdc_shadow_params params = shadow_params(&live, SSDC_SHADOW_WHOLE);
	struct ssdc_shadows *s;
	struct list_head *node;
	u32 i, nr = 0;

	params.candidates = &fab;
	params.ring_records = 64;
	params.write_ns = 1000;
	s = create(test, &params);
	/* A block of 33 pages, without its page 1; then other blocks, one more than have room. */
	ssdc_shadows_feed(s, SSDC_WRITE, 0, PAGE_SECTORS, false, 0);
	ssdc_shadows_feed(s, SSDC_WRITE, 2 * PAGE_SECTORS, 2 * SSDC_IO_PAGES * PAGE_SECTORS, false,
			  0);
	for (i = 1; i < TIER_PAGES - 2 * SSDC_IO_PAGES + 1; i++)
		ssdc_shadows_feed(s, SSDC_WRITE, i * 1000 * PAGE_SECTORS, PAGE_SECTORS, false, 0);
	/* Before this one, the I/O starts. */
	ssdc_shadows_feed(s, SSDC_READ, 1000 * PAGE_SECTORS, PAGE_SECTORS, false, 1);
	KUNIT_ASSERT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	KUNIT_EXPECT_EQ(test, s->shadows[0].e->stats.evicted_pages, 2 * SSDC_IO_PAGES + 1);
	list_for_each(node, &s->shadows[0].in_flight)
		nr++;
	KUNIT_EXPECT_EQ(test, nr, 3);
	ssdc_shadows_destroy(s);
}

/*
 * A journal's commit is a FLUSH and a FUA write at the same moment. The write arrives before the
 * FLUSH has started any I/O, so a page that both concern is flushed once.
 */
static void shadow_takes_requests_of_a_moment_together(struct kunit *test)
{
	struct ssdc_params live = live_params("lru");
	struct ssdc_shadow_params params = shadow_params(&live, SSDC_SHADOW_WHOLE);
	struct ssdc_shadows *s;

	params.write_ns = 1000;
	s = create(test, &params);
	ssdc_shadows_feed(s, SSDC_WRITE, 0, PAGE_SECTORS / 2, false, 0);
	ssdc_shadows_feed(s, SSDC_FLUSH, 0, 0, false, 10);
	ssdc_shadows_feed(s, SSDC_WRITE, PAGE_SECTORS / 2, PAGE_SECTORS / 2, true, 10);
	ssdc_shadows_feed(s, SSDC_READ, 0, PAGE_SECTORS, false, 1000000);
	KUNIT_ASSERT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	KUNIT_EXPECT_EQ(test, ssdc_shadow_flushed(&s->shadows[0]), 1);
	KUNIT_EXPECT_EQ(test, s->shadows[0].e->latency[SSDC_WRITE].sum_ns, 1000);
	KUNIT_EXPECT_EQ(test, s->shadows[0].e->tier.dirty_pages, 0);
	ssdc_shadows_destroy(s);
}

/* A policy that flushes to idle units has the whole pause for it, whatever part is sampled. */
static void shadow_flushes_as_units_become_idle(struct kunit *test)
{
	const u32 rates[] = { SSDC_SHADOW_WHOLE, SSDC_SHADOW_WHOLE / 2 };
	const struct ssdc_shadow_candidate candidate = { "co-active", "read-write" };
	struct ssdc_params live = live_params("co-active");
	u32 i;

	live.tunables.channels = 1;
	live.tunables.dies = 1;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct ssdc_shadow_params params = shadow_params(&live, rates[i]);
		struct ssdc_shadows *s;
		u64 sector;

		params.candidates = &candidate;
		params.plain = true;
		params.write_ns = 1000;
		s = create(test, &params);
		sector = find_region(s, 0, true) * REGION_SECTORS;
		/* Of those written once, the older half; at most a quarter of the tier. */
		ssdc_shadows_feed(s, SSDC_WRITE, sector, 8 * PAGE_SECTORS, false, 0);
		ssdc_shadows_feed(s, SSDC_READ, sector, PAGE_SECTORS, false, 1000000);
		KUNIT_ASSERT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
		KUNIT_EXPECT_EQ(test, ssdc_shadow_flushed(&s->shadows[0]), 7);
		ssdc_shadows_destroy(s);
	}
}

static struct ssdc_view view_of(struct kunit *test, struct ssdc_engine *e)
{
	struct ssdc_view view;

	memset(&view, 0xff, sizeof(view));
	KUNIT_ASSERT_TRUE(test, e->device_ops->view(e->device, &view));
	return view;
}

/* What a policy learns about an access to a page. */
static struct ssdc_unit_query ask(struct kunit *test, struct ssdc_engine *e, bool write, u64 page)
{
	struct ssdc_unit_query query = {
		.write = write, .sector = page * PAGE_SECTORS, .gc = true,
	};

	KUNIT_ASSERT_TRUE(test, e->device_ops->ask_units(e->device, &query, 1));
	return query;
}

#define EXPECT_ANSWER(query, its_unit, its_depth) do {		\
	struct ssdc_unit_query its_query = query;		\
								\
	KUNIT_EXPECT_EQ(test, its_query.unit, its_unit);	\
	KUNIT_EXPECT_EQ(test, its_query.depth, its_depth);	\
} while (0)

/* Of four dies on two channels, die 0 has two reads, die 1 has one, and both channels are idle. */
static void shadow_answers_about_dies(struct kunit *test)
{
	u32 is_static;

	for (is_static = 0; is_static < 2; is_static++) {
		struct ssdc_dies_job two_pages = { .nr_sectors = 2 * PAGE_SECTORS };
		struct ssdc_dies_job one_page = { .sector = 4 * PAGE_SECTORS,
						  .nr_sectors = PAGE_SECTORS };
		struct ssdc_params live = live_params("lru");
		struct ssdc_shadow_params params = shadow_params(&live, SSDC_SHADOW_WHOLE);
		struct ssdc_shadows *s;
		struct ssdc_engine *e;
		struct ssdc_view view;

		live.tunables.channels = 2;
		live.tunables.dies = 2;
		params.queues = true;
		params.planes = 1;
		params.flash_page_bytes = PAGE_SECTORS << SSDC_SECTOR_SHIFT;
		params.commands = 64;
		params.read_ns = 1000;
		params.write_ns = 2000;
		params.transfer_ns = 100;
		params.static_places = is_static;
		s = create(test, &params);
		e = s->shadows[0].e;
		ssdc_dies_submit(&s->shadows[0].origin.dies, &two_pages, 0);
		ssdc_dies_submit(&s->shadows[0].origin.dies, &one_page, 0);

		view = view_of(test, e);
		KUNIT_EXPECT_EQ(test, view.source, SSDC_VIEW_EXACT);
		KUNIT_EXPECT_EQ(test, view.channels, 2);
		KUNIT_EXPECT_EQ(test, view.dies, 2);
		KUNIT_EXPECT_EQ(test, view.units, 4);
		KUNIT_EXPECT_EQ(test, view.idle_channels, 2);
		KUNIT_EXPECT_EQ(test, view.idle_units, 2);
		KUNIT_EXPECT_EQ(test, view.queued, 3);
		KUNIT_EXPECT_EQ(test, view.utilisation, 500);
		KUNIT_EXPECT_FALSE(test, view.collects);
		EXPECT_ANSWER(ask(test, e, false, 8), 0, 2);
		EXPECT_ANSWER(ask(test, e, false, 9), 1, 1);
		EXPECT_ANSWER(ask(test, e, false, 10), 2, 0);
		EXPECT_ANSWER(ask(test, e, true, 8), is_static ? 0 : SSDC_ANY_UNIT,
			      is_static ? 2 : 0);
		KUNIT_EXPECT_FALSE(test, ask(test, e, true, 8).gc);
		KUNIT_EXPECT_FALSE(test, ask(test, e, false, 8).gc);
		ssdc_shadows_destroy(s);
	}
}

/* Without queues, of four units on two channels, unit 2 is busy until 100 ns. */
static void shadow_answers_about_units(struct kunit *test)
{
	struct ssdc_params live = live_params("lru");
	struct ssdc_shadow_params params = shadow_params(&live, SSDC_SHADOW_WHOLE / 2);
	struct ssdc_shadows *s;
	struct ssdc_shadow *shadow;
	struct ssdc_view view;

	live.tunables.channels = 2;
	live.tunables.dies = 2;
	s = create(test, &params);
	shadow = &s->shadows[0];
	shadow->origin.busy_until_ns[2] = 100;
	shadow->origin.all_idle_ns = 100;
	shadow->now_ns = 99;
	view = view_of(test, shadow->e);
	KUNIT_EXPECT_EQ(test, view.source, SSDC_VIEW_ESTIMATED);
	KUNIT_EXPECT_EQ(test, view.channels, 2);
	KUNIT_EXPECT_EQ(test, view.dies, 2);
	KUNIT_EXPECT_EQ(test, view.units, 4);
	KUNIT_EXPECT_EQ(test, view.idle_channels, 1);
	KUNIT_EXPECT_EQ(test, view.idle_units, 3);
	KUNIT_EXPECT_EQ(test, view.queued, 1);
	KUNIT_EXPECT_EQ(test, view.utilisation, 250);
	KUNIT_EXPECT_FALSE(test, view.collects);
	EXPECT_ANSWER(ask(test, shadow->e, true, 6), 2, 1);
	EXPECT_ANSWER(ask(test, shadow->e, false, 7), 3, 0);
	KUNIT_EXPECT_FALSE(test, ask(test, shadow->e, false, 7).gc);

	shadow->now_ns = 100;
	view = view_of(test, shadow->e);
	KUNIT_EXPECT_EQ(test, view.idle_channels, 2);
	KUNIT_EXPECT_EQ(test, view.idle_units, 4);
	KUNIT_EXPECT_EQ(test, view.queued, 0);
	KUNIT_EXPECT_EQ(test, view.utilisation, 0);
	EXPECT_ANSWER(ask(test, shadow->e, true, 6), 2, 0);
	ssdc_shadows_destroy(s);
}

/* ---- results ---- */

/* The live engine's counters are set by hand: a million accesses, so many hits. */
static void set_live(struct ssdc_engine *live, u64 hits)
{
	live->stats.read_pages = 1000000;
	live->stats.read_hits = hits;
}

/* An engine with LRU, as with_rate() says of the live one. The caller destroys it. */
static struct ssdc_engine *create_live(struct kunit *test)
{
	struct ssdc_params params = live_params("lru");
	struct ssdc_error error = {};
	struct ssdc_engine *live = ssdc_engine_create(&params, &error);

	KUNIT_ASSERT_NOT_NULL_MSG(test, live, "%s", error.text);
	return live;
}

static void shadow_is_corrected_by_the_live_engine(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	struct ssdc_engine *live = create_live(test);
	struct ssdc_shadow *shadow = &s->shadows[0], *reference = &s->shadows[1];

	ssdc_shadows_attach(s, live);
	shadow->e->stats.read_pages = 1000;
	reference->e->stats.read_pages = 1000;
	shadow->e->stats.read_hits = 500;
	reference->e->stats.read_hits = 400;

	set_live(live, 450000);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.sampled_ppm, 500000);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 550000);
	KUNIT_EXPECT_EQ(test, reference->stats.hit_ppm, 450000);

	KUNIT_EXPECT_TRUE(test, shadow->is_corrected);

	/* A ratio may be 1 or 0, but is neither above 1 nor below 0. */
	set_live(live, 900000);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, SSDC_SHADOW_WHOLE);
	KUNIT_EXPECT_TRUE(test, shadow->is_corrected);
	set_live(live, 900001);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 500000);
	KUNIT_EXPECT_FALSE(test, shadow->is_corrected);
	shadow->e->stats.read_hits = 300;
	set_live(live, 100000);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 0);
	KUNIT_EXPECT_TRUE(test, shadow->is_corrected);
	set_live(live, 99999);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 300000);
	KUNIT_EXPECT_FALSE(test, shadow->is_corrected);
	ssdc_shadows_destroy(s);
	ssdc_engine_destroy(live);
}

/* The live policies have changed: the reference, which has not, corrects nothing. */
static void shadow_is_not_corrected_by_other_policies(struct kunit *test)
{
	const u32 rates[] = { SSDC_SHADOW_WHOLE / 2, SSDC_SHADOW_WHOLE };
	struct ssdc_engine *live = create_live(test);
	u32 i;

	set_live(live, 450000);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct ssdc_shadows *s = with_rate(test, rates[i]);
		struct ssdc_shadow *shadow = &s->shadows[0], *reference = &s->shadows[1];
		bool part = rates[i] < SSDC_SHADOW_WHOLE;

		ssdc_shadows_attach(s, live);
		shadow->e->stats.read_pages = 1000;
		reference->e->stats.read_pages = 1000;
		shadow->e->stats.read_hits = 500;
		ssdc_shadows_detach(s);
		ssdc_shadows_update(s);
		KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 500000);
		KUNIT_EXPECT_FALSE(test, shadow->is_corrected);
		KUNIT_EXPECT_EQ(test, ssdc_shadow_is_uncertain(s, shadow), part);
		ssdc_shadows_destroy(s);
	}
	ssdc_engine_destroy(live);
}

/* Unless all addresses are sampled. */
static void shadow_of_few_regions_is_uncertain(struct kunit *test)
{
	const u32 rates[] = { SSDC_SHADOW_WHOLE / 2, SSDC_SHADOW_WHOLE };
	const u32 sizes[] = { 100, 200 };
	const struct ssdc_shadow_candidate candidates[] = {
		{ "lru", "read-write" }, { "fifo", "read-write" },
	};
	struct ssdc_params params = live_params("lru");
	struct ssdc_engine *live = create_live(test);
	u32 i, nr;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct ssdc_shadow_params own = shadow_params(&params, rates[i]);
		bool whole = rates[i] == SSDC_SHADOW_WHOLE;
		struct ssdc_shadows *s;
		u64 region = 0;

		own.candidates = candidates;
		own.nr_candidates = ARRAY_SIZE(candidates);
		own.sizes_percent = sizes;
		own.nr_sizes = ARRAY_SIZE(sizes);
		s = create(test, &own);
		ssdc_shadows_attach(s, live);
		for (nr = 0; nr <= SSDC_SHADOW_FEW_REGIONS; nr++) {
			bool few = nr < SSDC_SHADOW_FEW_REGIONS && !whole;

			ssdc_shadows_update(s);
			/* The live policies and size, another size, another policy. */
			KUNIT_EXPECT_FALSE(test, ssdc_shadow_is_uncertain(s, &s->shadows[0]));
			KUNIT_EXPECT_EQ(test, ssdc_shadow_is_uncertain(s, &s->shadows[1]), few);
			KUNIT_EXPECT_EQ(test, ssdc_shadow_is_uncertain(s, &s->shadows[2]), few);
			region = find_region(s, region + 1, true);
			/* Twice, and a FLUSH, which is no region's. */
			ssdc_shadows_feed(s, SSDC_WRITE, region * REGION_SECTORS, PAGE_SECTORS,
					  false, 0);
			ssdc_shadows_feed(s, SSDC_WRITE, region * REGION_SECTORS + PAGE_SECTORS,
					  PAGE_SECTORS, false, 0);
			ssdc_shadows_feed(s, SSDC_FLUSH, 0, 0, false, 0);
			KUNIT_ASSERT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
		}
		ssdc_shadows_destroy(s);
	}
	ssdc_engine_destroy(live);
}

/* After a reset, counters and hit ratios are those of the requests since then. */
static void shadow_counts_from_a_reset(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	struct ssdc_shadow *shadow = &s->shadows[0], *reference = &s->shadows[1];
	u32 i;

	for (i = 0; i < 8; i++)
		ssdc_shadows_feed(s, SSDC_WRITE, 0, PAGE_SECTORS, false, i);
	ssdc_shadows_feed(s, SSDC_FLUSH, 0, 0, false, i);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	shadow->stats.windows = 1;
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.write_hits, 7);
	KUNIT_EXPECT_EQ(test, shadow->stats.sampled_ppm, 875000);

	ssdc_shadows_reset_stats(s);
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.accesses, 0);
	KUNIT_EXPECT_EQ(test, shadow->stats.hits, 0);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.write_pages, 0);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.write_hits, 0);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.flushed_pages, 0);
	KUNIT_EXPECT_EQ(test, shadow->stats.sampled_ppm, 0);
	KUNIT_EXPECT_EQ(test, shadow->stats.windows, 0);

	/* The tier stays as it is: the first page is still there. */
	ssdc_shadows_feed(s, SSDC_READ, 0, 4 * PAGE_SECTORS, false, i + 1);
	ssdc_shadows_feed(s, SSDC_WRITE, 0, PAGE_SECTORS, false, i + 2);
	KUNIT_EXPECT_FALSE(test, ssdc_shadows_step(s, ENOUGH));
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.accesses, 5);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.read_pages, 4);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.read_hits, 1);
	KUNIT_EXPECT_EQ(test, shadow->stats.counters.write_hits, 1);
	KUNIT_EXPECT_EQ(test, shadow->stats.sampled_ppm, 400000);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 400000);
	KUNIT_EXPECT_EQ(test, reference->stats.hit_ppm, 400000);
	ssdc_shadows_destroy(s);
}

/* After a reset, a shadow is corrected by the hits that the live engine had since then. */
static void shadow_is_corrected_from_a_reset(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	struct ssdc_engine *live = create_live(test);
	struct ssdc_shadow *shadow = &s->shadows[0], *reference = &s->shadows[1];

	ssdc_shadows_attach(s, live);
	set_live(live, 100000);
	shadow->e->stats.read_pages = 1000;
	reference->e->stats.read_pages = 1000;
	ssdc_shadows_reset_stats(s);

	live->stats.read_pages += 1000;
	live->stats.read_hits += 450;
	shadow->e->stats.read_pages += 1000;
	shadow->e->stats.read_hits += 500;
	reference->e->stats.read_pages += 1000;
	reference->e->stats.read_hits += 400;
	ssdc_shadows_update(s);
	KUNIT_EXPECT_EQ(test, shadow->stats.sampled_ppm, 500000);
	KUNIT_EXPECT_EQ(test, shadow->stats.hit_ppm, 550000);
	KUNIT_EXPECT_EQ(test, reference->stats.hit_ppm, 450000);
	ssdc_shadows_destroy(s);
	ssdc_engine_destroy(live);
}

static void shadow_windows_are_smoothed(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	u32 i;

	/* Misses for a window of 1000 pages, then hits. */
	for (i = 0; i < 2002; i++) {
		ssdc_shadows_feed(s, SSDC_READ, (i < 1001 ? i : 1000) * PAGE_SECTORS, PAGE_SECTORS,
				  false, i);
		while (ssdc_shadows_step(s, 16))
			;
		if (i == 1001)
			KUNIT_EXPECT_EQ(test, s->shadows[0].stats.smoothed_ppm, 0);
	}
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.windows, 2);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.window_ppm, 999000);
	KUNIT_EXPECT_EQ(test, s->shadows[0].stats.smoothed_ppm, 249750);
	ssdc_shadows_destroy(s);
}

/* A busy origin: reads that wait for it do not keep one waiting that hits. */
static void shadow_hits_while_others_wait(struct kunit *test)
{
	struct ssdc_shadows *s = with_rate(test, SSDC_SHADOW_WHOLE);
	const struct ssdc_histogram *reads = &s->shadows[0].e->latency[SSDC_READ];
	u32 i;

	ssdc_shadows_set_times(s, 1000000, 1000000);
	ssdc_shadows_feed(s, SSDC_WRITE, 0, PAGE_SECTORS, false, 0);
	for (i = 1; i < TIER_PAGES; i++) {
		ssdc_shadows_feed(s, SSDC_READ, (u64)i * PAGE_SECTORS, PAGE_SECTORS, false, i);
		while (ssdc_shadows_step(s, ENOUGH))
			;
	}
	KUNIT_EXPECT_EQ(test, reads->count, 0);
	ssdc_shadows_feed(s, SSDC_READ, 0, PAGE_SECTORS, false, TIER_PAGES);
	while (ssdc_shadows_step(s, ENOUGH))
		;
	KUNIT_EXPECT_EQ(test, reads->count, 1);
	KUNIT_EXPECT_EQ(test, reads->sum_ns, 0);
	ssdc_shadows_destroy(s);
}

static void shadow_params_are_checked(struct kunit *test)
{
	const struct ssdc_params live = live_params("lru");
	const struct ssdc_shadow_params good = shadow_params(&live, 50000);
	const u32 no_size[] = { 0 };
	struct ssdc_shadow_params bad[] = { good, good, good, good, good, good, good };
	struct ssdc_error error = {};
	u32 i;

	bad[0].nr_candidates = 0;
	bad[1].nr_sizes = SSDC_SHADOW_MAX_SIZES + 1;
	bad[2].sizes_percent = no_size;
	bad[3].rate_ppm = SSDC_SHADOW_WHOLE + 1;
	bad[4].region_bytes = 2048;
	bad[5].ring_records = 24;
	bad[6].window_pages = 0;
	KUNIT_EXPECT_EQ(test, ssdc_shadow_params_check(&good, &error), 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_NE(test, ssdc_shadow_params_check(&bad[i], &error), 0);
		KUNIT_EXPECT_NULL(test, ssdc_shadows_create(&bad[i], &error));
	}
}

/* ---- shadows of a modelled device ---- */

static void expect_times(struct kunit *test, const char *spec, u64 read_ns, u64 program_ns)
{
	struct ssdc_params live = live_params("lru");
	struct ssdc_shadow_params params = shadow_params(&live, 1000000);
	struct ssdc_error error = {};
	struct ssdf_params flash;

	KUNIT_ASSERT_EQ_MSG(test, ssdf_params_parse(&flash, spec, &error), 0, "%s", error.text);
	KUNIT_ASSERT_EQ_MSG(test, ssdf_params_check(&flash, 2048, &error), 0, "%s", error.text);
	ssdc_shadow_of_flash(&params, &live, &flash);
	KUNIT_EXPECT_EQ_MSG(test, params.read_ns - params.transfer_ns, read_ns, "%s", spec);
	KUNIT_EXPECT_EQ_MSG(test, params.write_ns - params.transfer_ns, program_ns, "%s", spec);
}

/* Times are those of an average page. A single time applies to all page types. */
static void shadow_of_page_types(struct kunit *test)
{
	expect_times(test, "custom:read_ns=1000,program_ns=9000", 1000, 9000);
	expect_times(test, "custom:read_ns=1000,read2_ns=3000,program_ns=9000", 2000, 9000);
	expect_times(test, "custom:read_ns=1000,program_ns=9000,program2_ns=30000", 1000, 19500);
	expect_times(test, "custom:read_ns=1000,read2_ns=3000,program_ns=9000,program2_ns=3000",
		     2000, 6000);
	expect_times(test, "sha23:blocks=0", 135000, 1300000);
	expect_times(test, "nvmevirt:blocks=0", 36013, 185000);
	expect_times(test, "huh20:blocks=0", 121700, 2184533);
}

static void shadow_of_a_flash_device(struct kunit *test)
{
	const struct ssdf_params flash = {
		.channels = 5, .chips = 2, .dies = 3, .planes = 4, .multi_plane = 1,
		.allocation = SSDF_STATIC, .page_bytes = 4096, .command_ns = 300,
		.transfer_ps = 1001, .read_ns = 60000, .program_ns = 600000,
	};
	struct ssdc_params live = live_params("lru");
	struct ssdc_shadow_params params = shadow_params(&live, 1000000);

	params.flush_ns = 7;
	ssdc_shadow_of_flash(&params, &live, &flash);
	KUNIT_EXPECT_EQ(test, params.transfer_ns, 300 + 4100);
	KUNIT_EXPECT_EQ(test, params.read_ns, 4400 + 60000);
	KUNIT_EXPECT_EQ(test, params.write_ns, 4400 + 600000);
	KUNIT_EXPECT_EQ(test, params.flush_ns, 0);
	KUNIT_EXPECT_TRUE(test, params.queues);
	KUNIT_EXPECT_EQ(test, params.chips, 2);
	KUNIT_EXPECT_EQ(test, params.planes, 4);
	KUNIT_EXPECT_TRUE(test, params.multi_plane);
	KUNIT_EXPECT_TRUE(test, params.static_places);
	KUNIT_EXPECT_EQ(test, params.flash_page_bytes, 4096);
	KUNIT_EXPECT_EQ(test, params.commands, ssdf_nr_commands(&flash));
	KUNIT_EXPECT_EQ(test, live.tunables.channels, 5);
	KUNIT_EXPECT_EQ(test, live.tunables.dies, 3);
}

static struct kunit_case shadow_cases[] = {
	KUNIT_CASE(shadow_cuts_at_the_ends_of_sampled_regions),
	KUNIT_CASE(shadow_cuts_out_regions_between_sampled_ones),
	KUNIT_CASE(shadow_samples_as_many_regions_as_the_rate_says),
	KUNIT_CASE(shadow_of_few_pages_has_a_higher_rate),
	KUNIT_CASE(shadow_ring_drops_and_counts),
	KUNIT_CASE(shadow_steps_are_bounded),
	KUNIT_CASE(shadow_memory),
	KUNIT_CASE(shadow_discards_and_flushes),
	KUNIT_CASE_PARAM(shadow_of_all_addresses_is_the_live_engine, shadow_gen_params),
	KUNIT_CASE(shadow_joins_pages_as_drivers_do),
	KUNIT_CASE(shadow_takes_requests_of_a_moment_together),
	KUNIT_CASE(shadow_flushes_as_units_become_idle),
	KUNIT_CASE(shadow_answers_about_dies),
	KUNIT_CASE(shadow_answers_about_units),
	KUNIT_CASE(shadow_is_corrected_by_the_live_engine),
	KUNIT_CASE(shadow_is_not_corrected_by_other_policies),
	KUNIT_CASE(shadow_of_few_regions_is_uncertain),
	KUNIT_CASE(shadow_counts_from_a_reset),
	KUNIT_CASE(shadow_is_corrected_from_a_reset),
	KUNIT_CASE(shadow_windows_are_smoothed),
	KUNIT_CASE(shadow_hits_while_others_wait),
	KUNIT_CASE(shadow_params_are_checked),
	KUNIT_CASE(shadow_of_page_types),
	KUNIT_CASE(shadow_of_a_flash_device),
	{}
};

static struct kunit_suite shadow_suite = {
	.name = "ssdcache_shadow",
	.test_cases = shadow_cases,
};

kunit_test_suite(shadow_suite);
