// SPDX-License-Identifier: GPL-2.0
/* Which shard a sector belongs to, and how a cache is divided. */
#include "driver.h"
#include "../../dm-ssdcache/engine/shards.h"

#define REGIONS 4096u
#define SHIFT ilog2(SSDC_REGION_SECTORS)

static void shards_one_owns_all(struct kunit *test)
{
	u64 sector;

	for (sector = 1; sector; sector <<= 1)
		KUNIT_EXPECT_EQ(test, ssdc_shard_of(sector - 1, SHIFT, 1), 0u);
}

/* Whole regions, and always the same shard. */
static void shards_own_regions(struct kunit *test)
{
	u64 first = 77ULL * SSDC_REGION_SECTORS, last = first + SSDC_REGION_SECTORS - 1;
	u32 nr;

	KUNIT_EXPECT_EQ(test, ssdc_region_left(first, SHIFT), SSDC_REGION_SECTORS);
	KUNIT_EXPECT_EQ(test, ssdc_region_left(first + 8, SHIFT), SSDC_REGION_SECTORS - 8);
	KUNIT_EXPECT_EQ(test, ssdc_region_left(last, SHIFT), 1u);
	for (nr = 1; nr <= SSDC_MAX_SHARDS; nr++) {
		u32 shard = ssdc_shard_of(first, SHIFT, nr);

		KUNIT_EXPECT_LT(test, shard, nr);
		KUNIT_EXPECT_EQ(test, shard, ssdc_shard_of(last, SHIFT, nr));
	}
}

static u32 shard_of_region(u64 region, u32 nr)
{
	return ssdc_shard_of(region << SHIFT, SHIFT, nr);
}

/* Regions side by side, and regions at equal distances, as of strided accesses. */
static void shards_are_even(struct kunit *test)
{
	static const u32 strides[] = { 1, 2, 3, 8, 64, 256, 4096 };
	u32 counts[SSDC_MAX_SHARDS], nr, i, region;

	for (i = 0; i < ARRAY_SIZE(strides); i++)
		for (nr = 1; nr <= SSDC_MAX_SHARDS; nr++) {
			u32 share = REGIONS / nr, shard;

			memset(counts, 0, sizeof(counts));
			for (region = 0; region < REGIONS; region++)
				counts[shard_of_region((u64)region * strides[i], nr)]++;
			for (shard = 0; shard < nr; shard++) {
				KUNIT_EXPECT_GE(test, counts[shard], share * 3 / 4);
				KUNIT_EXPECT_LE(test, counts[shard], share * 5 / 4 + 1);
			}
		}
}

static struct ssdc_params params_of(u64 dram_bytes, u64 page_bytes)
{
	return (struct ssdc_params){ .dram_bytes = dram_bytes, .page_bytes = page_bytes };
}

static void shards_divide_dram(struct kunit *test)
{
	struct ssdc_params params = params_of(1000 * 4096 + 5, 4096);

	ssdc_shards_divide(&params, 1);
	KUNIT_EXPECT_EQ(test, params.dram_bytes, 1000 * 4096ULL);
	ssdc_shards_divide(&params, 7);
	KUNIT_EXPECT_EQ(test, params.dram_bytes, 142 * 4096ULL);
	KUNIT_EXPECT_EQ(test, params.reserve_bytes, 0ULL);
	params = params_of(64ULL << 20, 65536);
	params.reserve_bytes = 8 << 20;
	ssdc_shards_divide(&params, 64);
	KUNIT_EXPECT_EQ(test, params.dram_bytes, 1ULL << 20);
	KUNIT_EXPECT_EQ(test, params.reserve_bytes, 128ULL << 10);
	params.reserve_bytes = 3;
	ssdc_shards_divide(&params, 64);
	KUNIT_EXPECT_EQ(test, params.reserve_bytes, 1ULL);
}

static void shards_numbers_are_checked(struct kunit *test)
{
	struct ssdc_params params = params_of(1 << 20, 4096);
	struct ssdc_error error = {};

	KUNIT_EXPECT_EQ(test, ssdc_shards_check(&params, 1, &error), 0);
	KUNIT_EXPECT_EQ(test, ssdc_shards_check(&params, 16, &error), 0);
	KUNIT_EXPECT_STREQ(test, error.text, "");
	KUNIT_EXPECT_EQ(test, ssdc_shards_check(&params, 17, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.text,
			   "shards: 17 is not from 1 to 16: each needs 16 pages of dram");
	KUNIT_EXPECT_EQ(test, ssdc_shards_check(&params, 0, &error), -EINVAL);
	params.dram_bytes = 1ULL << 40;
	KUNIT_EXPECT_EQ(test, ssdc_shards_check(&params, SSDC_MAX_SHARDS, &error), 0);
	KUNIT_EXPECT_EQ(test, ssdc_shards_check(&params, (1ULL << 32) + 1, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.text, "shards: 4294967297 is not from 1 to 64");
}

static void shards_regions_have_whole_granules(struct kunit *test)
{
	/* In sectors: granule, offset of the first, region. */
	static const u32 rows[][3] = {
		{ 0, 0, 8192 }, { 1, 0, 8192 }, { 8192, 0, 8192 }, { 128, 64, 8192 },
		{ 384, 0, 8192 }, { 16384, 0, 16384 }, { 8192, 8, 32768 }, { 3072, 0, 16384 },
		{ 1U << 23, 0, 1U << 23 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ(test, ssdc_region_for(rows[i][0], rows[i][1]), rows[i][2]);
}

/*
 * Pages written because the last page of the first region leaves. Its block of three pages has two
 * of the next region.
 */
static u64 padded_at_the_end(struct kunit *test, u32 nr_shards, u32 region_sectors)
{
	u64 last = SSDC_REGION_SECTORS / TD_PAGE_SECTORS - 1;
	struct ssdc_params params = td_params();
	unsigned int i;
	struct td *td;
	u64 padded;

	params.origin_sectors = 2 * SSDC_REGION_SECTORS;
	params.replacement = "bplru:block=3,padding=on";
	params.nr_shards = nr_shards;
	params.region_sectors = region_sectors;
	td = td_new(test, &params);
	td_fill(td, last, 1);
	for (i = 0; i < 16; i++)
		td_fill(td, 3 * i, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, last));
	padded = td_core_stat(td, "padded_pages");
	td_exit(test);
	return padded;
}

/* The other shard may have newer data of the pages that would be read and written. */
static void shards_pad_no_pages_of_others(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, ssdc_shard_of(0, SHIFT, 2),
			ssdc_shard_of(SSDC_REGION_SECTORS, SHIFT, 2));
	KUNIT_EXPECT_EQ(test, padded_at_the_end(test, 1, 0), 2ULL);
	KUNIT_EXPECT_EQ(test, padded_at_the_end(test, 2, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, padded_at_the_end(test, 2, 2 * SSDC_REGION_SECTORS), 2ULL);
}

/* None of a discard of few regions; of others those of the first and of the last sector, too. */
static void shards_of_a_discard(struct kunit *test)
{
	const u64 region = SSDC_REGION_SECTORS, few = SSDC_CUT_REGIONS * region;
	u64 all, shards;
	u32 nr;

	KUNIT_EXPECT_EQ(test, ssdc_shards_of_discard(0, few, SHIFT, 4), 0ULL);
	KUNIT_EXPECT_EQ(test, ssdc_shards_of_discard(5 * region, 1, SHIFT, 4), 0ULL);
	KUNIT_EXPECT_EQ(test, ssdc_shards_of_discard(region - 1, few - region + 1, SHIFT, 4), 0ULL);
	for (nr = 2; nr <= SSDC_MAX_SHARDS; nr++) {
		shards = ssdc_shards_of_discard(region - 1, few - region + 2, SHIFT, nr);
		KUNIT_EXPECT_TRUE(test, shards & BIT_ULL(shard_of_region(0, nr)));
		KUNIT_EXPECT_TRUE(test, shards & BIT_ULL(shard_of_region(SSDC_CUT_REGIONS, nr)));
		all = ssdc_shards_of_discard(0, REGIONS * region, SHIFT, nr);
		KUNIT_EXPECT_EQ(test, all, ~0ULL >> (64 - nr));
	}
}

/* Of a discard of many regions, a shard looks only at the pages of its own ones. */
static void shards_discard_their_regions(struct kunit *test)
{
	const u64 pages = SSDC_REGION_SECTORS / TD_PAGE_SECTORS;
	struct ssdc_params params = td_params();
	const u32 nr_shards = 8, regions = 32;
	u32 own = 0, steps = 0, region;
	struct td_host *discard;
	struct td *td;

	params.origin_sectors = regions * SSDC_REGION_SECTORS;
	params.dram_bytes = regions / 2 * pages * params.page_bytes;
	params.nr_shards = nr_shards;
	td = td_new(test, &params);
	for (region = 0; region < regions; region++) {
		if (shard_of_region(region, nr_shards))
			continue;
		own++;
		td_fill(td, region * pages, 2);
		td_fill(td, (region + 1) * pages - 1, 1);
	}
	KUNIT_ASSERT_GE(test, own, 3u);
	TD_EXPECT_STAT(td, "used", 3 * own);
	/* All but the first page of the origin. */
	discard = td_begin(td, SSDC_DISCARD, TD_PAGE_SECTORS,
			   (u64)regions * SSDC_REGION_SECTORS - TD_PAGE_SECTORS);
	while (td_hold(td, discard) != SSDC_FORWARD)
		steps++;
	KUNIT_EXPECT_LE(test, steps, (own * (u32)pages + regions) / SSDC_HOLD_WORK + 8 * own + 8);
	td_settle(td);
	TD_EXPECT_DONE(td, discard);
	TD_EXPECT_STAT(td, "used", 1);
	TD_EXPECT_STAT(td, "dropped_pages", 3 * own - 1);
	td_exit(test);
}

static struct kunit_case shards_cases[] = {
	KUNIT_CASE(shards_one_owns_all),
	KUNIT_CASE(shards_own_regions),
	KUNIT_CASE(shards_are_even),
	KUNIT_CASE(shards_divide_dram),
	KUNIT_CASE(shards_numbers_are_checked),
	KUNIT_CASE(shards_regions_have_whole_granules),
	KUNIT_CASE(shards_pad_no_pages_of_others),
	KUNIT_CASE(shards_of_a_discard),
	KUNIT_CASE(shards_discard_their_regions),
	{}
};

static struct kunit_suite shards_suite = {
	.name = "ssdcache_shards",
	.test_cases = shards_cases,
};

kunit_test_suite(shards_suite);
