// SPDX-License-Identifier: GPL-2.0
/* Thrash events: a page returns soon after its eviction, and another one leaves for it. */
#include "driver.h"

/* 0 leaves for 16 and returns while 1 … 4 are cached; 1 leaves for it. */
static void thrash_is_counted(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, TD_FRAMES, 1);
	TD_EXPECT_STAT(td, "thrash_events", 0);
	td_fill(td, 0, 1);
	TD_EXPECT_STAT(td, "evictions", 2);
	TD_EXPECT_STAT(td, "thrash_events", 1);
}

/* A set remembers as many evictions as it has slots, the table as many as there are frames. */
static void thrash_is_forgotten(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	u64 page;

	td_fill(td, 0, TD_FRAMES);
	/* Page 0 leaves; 1 stays, because it is written again and again. 0 evicts one itself. */
	for (page = 50; page < 50 + TD_FRAMES / 2 - 1; page++) {
		td_fill(td, page, 1);
		td_fill(td, 1, 1);
	}
	td_fill(td, 0, 1);
	TD_EXPECT_STAT(td, "thrash_events", 1);
	for (page = 80; page < 80 + TD_FRAMES; page++) {
		td_fill(td, page, 1);
		td_fill(td, 1, 1);
	}
	td_fill(td, 2, 1);
	TD_EXPECT_STAT(td, "thrash_events", 1);
}

/* Looks at the ages of a few frames after an eviction, whatever the size of the reserve. */
static void thrash_ages_few_frames_at_a_time(struct kunit *test)
{
	struct ssdc_params params = td_params();
	const struct ssdc_thrash *t;
	struct ssdc_error error;
	struct ssdc_engine *e;
	u32 i, most = 0, young = 0, frame;

	params.page_bytes = SSDC_MAX_PAGE_BYTES;
	params.dram_bytes = SSDC_MIN_FRAMES * params.page_bytes;
	params.reserve_bytes = 8192 * params.page_bytes;
	e = ssdc_engine_create(&params, &error);
	KUNIT_ASSERT_NOT_NULL(test, e);
	t = &e->thrash;
	for (frame = 0; frame < e->tier.nr_frames; frame++)
		t->entered[frame] = t->now;
	for (i = 0; i < 3 * U16_MAX; i++) {
		u32 hand = t->frame_hand, end;

		ssdc_thrash_evicted(e, ssdc_page(i));
		end = t->frame_hand < hand ? e->tier.nr_frames : t->frame_hand;
		most = max(most, end - hand);
		if (i <= t->memory || i % 997)
			continue;
		/* All have been there for longer than what the table remembers. */
		for (frame = 0; frame < e->tier.nr_frames; frame++)
			young += (u16)(t->now - t->entered[frame]) <= t->memory;
	}
	KUNIT_EXPECT_GT(test, most, 0u);
	KUNIT_EXPECT_LE(test, most, 256u);
	KUNIT_EXPECT_EQ(test, young, 0u);
	ssdc_engine_destroy(e);
}

/* A page that leaves repeatedly is remembered once, and pushes no other out of the table. */
static void thrash_remembers_a_page_once(struct kunit *test)
{
	struct td *td = td_simple(test, "mq-ssd:period_ms=1");
	const struct ssdc_thrash *t = &td->e->thrash;
	u32 i, slot, nr = 0;

	for (i = 0; i < TD_FRAMES - 1; i++) {
		td->now_ns += 2000000;
		td_fill(td, 5, 1);
		td_settle(td);
	}
	TD_EXPECT_STAT(td, "evictions", TD_FRAMES - 1);
	/* Unused slots have no fingerprint. */
	for (i = 0; i < t->nr_sets; i++)
		for (slot = 0; slot < SSDC_SLOTS; slot++)
			nr += !!ssdc_slots_get(&t->sets[i].prints, slot);
	KUNIT_EXPECT_EQ(test, nr, 1u);
}

static struct kunit_case thrash_cases[] = {
	KUNIT_CASE(thrash_is_counted),
	KUNIT_CASE(thrash_is_forgotten),
	KUNIT_CASE(thrash_ages_few_frames_at_a_time),
	KUNIT_CASE(thrash_remembers_a_page_once),
	{}
};

static struct kunit_suite thrash_suite = {
	.name = "ssdcache_thrash",
	.exit = td_exit,
	.test_cases = thrash_cases,
};

kunit_test_suite(thrash_suite);
