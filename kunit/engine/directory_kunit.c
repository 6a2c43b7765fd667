// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

static void map_next(struct td *td, u64 page)
{
	ssdc_map(td->e, ssdc_frame_pop(td->e), ssdc_page(page));
}

static void directory_is_empty_at_first(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	u64 page;

	for (page = 0; page < TD_SECTORS / TD_PAGE_SECTORS; page++)
		KUNIT_EXPECT_FALSE(test, td_cached(td, page));
	KUNIT_EXPECT_EQ(test, td->e->nr_free, TD_FRAMES + TD_RESERVE);
}

static void directory_map_and_find(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	map_next(td, 3);
	map_next(td, 100);
	KUNIT_EXPECT_TRUE(test, ssdc_lookup(td->e, ssdc_page(3)) == ssdc_frame(0));
	KUNIT_EXPECT_TRUE(test, ssdc_lookup(td->e, ssdc_page(100)) == ssdc_frame(1));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 4));
	KUNIT_EXPECT_EQ(test, td->e->tier.used_pages, 2u);
	KUNIT_EXPECT_EQ(test, td->e->nr_free, TD_FRAMES + TD_RESERVE - 2);
}

static void directory_map_starts_empty(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	ssdc_frame_t frame = ssdc_frame_pop(td->e);

	memset(ssdc_valid_mask(td->e, frame), 0xff, td->e->mask_bytes);
	memset(ssdc_dirty_mask(td->e, frame), 0xff, td->e->mask_bytes);
	ssdc_map(td->e, frame, ssdc_page(9));
	KUNIT_EXPECT_FALSE(test, ssdc_mask_any(ssdc_valid_mask(td->e, frame), 0, TD_PAGE_SECTORS));
	KUNIT_EXPECT_FALSE(test, ssdc_mask_any(ssdc_dirty_mask(td->e, frame), 0, TD_PAGE_SECTORS));
	KUNIT_EXPECT_EQ(test, ssdc_entry_at(td->e, frame)->flags,
			SSDC_E_MAPPED | td->e->generation);
}

/* Pages that share a bucket; removed from the middle, the head and the tail of the chain. */
static void directory_chains(struct kunit *test)
{
	static const unsigned int order[] = { 1, 2, 0 };
	struct td *td = td_simple(test, "lru");
	u64 pages[3] = {}, page;
	unsigned int i, j, nr = 0;

	for (page = 0; nr < ARRAY_SIZE(pages); page++)
		if (page * 0x9E3779B97F4A7C15ULL >> td->e->hash_shift == 5)
			pages[nr++] = page;
	for (i = 0; i < nr; i++)
		map_next(td, pages[i]);
	for (i = 0; i < nr; i++) {
		ssdc_frame_t frame = ssdc_lookup(td->e, ssdc_page(pages[order[i]]));

		KUNIT_ASSERT_TRUE(test, frame == ssdc_frame(order[i]));
		ssdc_unmap(td->e, frame);
		ssdc_frame_push(td->e, frame);
		for (j = 0; j <= i; j++)
			KUNIT_EXPECT_FALSE(test, td_cached(td, pages[order[j]]));
		for (; j < nr; j++)
			KUNIT_EXPECT_TRUE(test, td_cached(td, pages[order[j]]));
	}
	td_check(td);
}

/* Page numbers that differ only in their high bits, as on a 2^63 byte origin, still spread. */
static void directory_hash_spreads(struct kunit *test)
{
	static const u64 strides[] = { 1, 2, 8, 16, 256, 4096, 1ULL << 20, 1ULL << 40, 1ULL << 47 };
	struct td *td = td_simple(test, "lru");
	unsigned int i, j, worst;

	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		unsigned int load[TD_FRAMES + TD_RESERVE] = {};

		worst = 0;
		for (j = 0; j < 16 * ARRAY_SIZE(load); j++) {
			u64 hash = j * strides[i] * 0x9E3779B97F4A7C15ULL;

			worst = max(worst, ++load[hash >> td->e->hash_shift]);
		}
		/* 16 would be a perfect spread. */
		KUNIT_EXPECT_LE_MSG(test, worst, 48u, "stride %llu", strides[i]);
	}
}

static void directory_frames_are_reused_first_freed_first(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	u32 i;

	KUNIT_EXPECT_TRUE(test, ssdc_frame_pop(td->e) == ssdc_frame(0));
	KUNIT_EXPECT_TRUE(test, ssdc_frame_pop(td->e) == ssdc_frame(1));
	ssdc_frame_push(td->e, ssdc_frame(1));
	ssdc_frame_push(td->e, ssdc_frame(0));

	/* free, in this order: frames never used, then 1, 0 */
	for (i = 2; i < TD_FRAMES + TD_RESERVE; i++)
		KUNIT_EXPECT_TRUE(test, ssdc_frame_pop(td->e) == ssdc_frame(i));
	KUNIT_EXPECT_TRUE(test, ssdc_frame_pop(td->e) == ssdc_frame(1));
	ssdc_frame_push(td->e, ssdc_frame(5));
	KUNIT_EXPECT_TRUE(test, ssdc_frame_pop(td->e) == ssdc_frame(0));
	KUNIT_EXPECT_TRUE(test, ssdc_frame_pop(td->e) == ssdc_frame(5));
	KUNIT_EXPECT_EQ(test, td->e->nr_free, 0u);
}

static void directory_all_frames_once(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	DECLARE_BITMAP(seen, TD_FRAMES + TD_RESERVE) = {};
	u32 i;

	for (i = 0; i < TD_FRAMES + TD_RESERVE; i++)
		KUNIT_EXPECT_FALSE(test, __test_and_set_bit(ssdc_frame_nr(ssdc_frame_pop(td->e)),
							    seen));
	KUNIT_EXPECT_EQ(test, td->e->nr_free, 0u);
}

static void directory_dirty_and_clean(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	ssdc_frame_t frame = ssdc_frame_pop(td->e);

	ssdc_map(td->e, frame, ssdc_page(1));
	ssdc_set_dirty(td->e, frame, 2, 3);
	ssdc_set_dirty(td->e, frame, 4, 2);
	KUNIT_EXPECT_EQ(test, td->e->tier.dirty_pages, 1u);
	KUNIT_EXPECT_TRUE(test, test_bit(0, td->e->dirty_frames));
	/* should be 00111100 (sector 0 first) */
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, frame), 0x3c);

	ssdc_set_clean(td->e, frame);
	KUNIT_EXPECT_EQ(test, td->e->tier.dirty_pages, 0u);
	KUNIT_EXPECT_FALSE(test, test_bit(0, td->e->dirty_frames));
	KUNIT_EXPECT_EQ(test, *ssdc_dirty_mask(td->e, frame), 0x00);
}

static struct kunit_case directory_cases[] = {
	KUNIT_CASE(directory_is_empty_at_first),
	KUNIT_CASE(directory_map_and_find),
	KUNIT_CASE(directory_map_starts_empty),
	KUNIT_CASE(directory_chains),
	KUNIT_CASE(directory_hash_spreads),
	KUNIT_CASE(directory_frames_are_reused_first_freed_first),
	KUNIT_CASE(directory_all_frames_once),
	KUNIT_CASE(directory_dirty_and_clean),
	{}
};

static struct kunit_suite directory_suite = {
	.name = "ssdcache_directory",
	.exit = td_exit,
	.test_cases = directory_cases,
};

kunit_test_suite(directory_suite);
