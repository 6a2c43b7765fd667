// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/base/mask.h"

#define BITS 128

static void mask_set_within_a_byte(struct kunit *test)
{
	u8 mask[2] = {};

	ssdc_mask_set(mask, 2, 3);

	/* should be 00111000 00000000 (bit 0 first) */
	KUNIT_EXPECT_EQ(test, mask[0], 0x1c);
	KUNIT_EXPECT_EQ(test, mask[1], 0x00);
}

static void mask_set_across_bytes(struct kunit *test)
{
	u8 mask[3] = {};

	ssdc_mask_set(mask, 6, 12);

	/* should be 00000011 11111111 11000000 (bit 0 first) */
	KUNIT_EXPECT_EQ(test, mask[0], 0xc0);
	KUNIT_EXPECT_EQ(test, mask[1], 0xff);
	KUNIT_EXPECT_EQ(test, mask[2], 0x03);
}

static void mask_set_stops_at_the_last_byte(struct kunit *test)
{
	u8 mask[3] = { 0, 0, 0x5a };

	ssdc_mask_set(mask, 0, 16);

	KUNIT_EXPECT_EQ(test, mask[0], 0xff);
	KUNIT_EXPECT_EQ(test, mask[1], 0xff);
	KUNIT_EXPECT_EQ(test, mask[2], 0x5a);
}

static void mask_clear_leaves_the_rest(struct kunit *test)
{
	u8 mask[2] = { 0xff, 0xff };

	ssdc_mask_clear(mask, 7, 2);

	/* should be 11111110 01111111 (bit 0 first) */
	KUNIT_EXPECT_EQ(test, mask[0], 0x7f);
	KUNIT_EXPECT_EQ(test, mask[1], 0xfe);
}

static void mask_full_and_any(struct kunit *test)
{
	u8 mask[2] = {};

	KUNIT_EXPECT_FALSE(test, ssdc_mask_any(mask, 0, 16));
	ssdc_mask_set(mask, 5, 6);

	/* now 00000111 11100000 (bit 0 first) */
	KUNIT_EXPECT_TRUE(test, ssdc_mask_full(mask, 5, 6));
	KUNIT_EXPECT_TRUE(test, ssdc_mask_full(mask, 7, 2));
	KUNIT_EXPECT_FALSE(test, ssdc_mask_full(mask, 4, 6));
	KUNIT_EXPECT_FALSE(test, ssdc_mask_full(mask, 5, 7));
	KUNIT_EXPECT_TRUE(test, ssdc_mask_any(mask, 0, 6));
	KUNIT_EXPECT_FALSE(test, ssdc_mask_any(mask, 0, 5));
	KUNIT_EXPECT_FALSE(test, ssdc_mask_any(mask, 11, 5));
}

static void mask_run_of_set_and_clear_bits(struct kunit *test)
{
	u8 mask[2] = {};

	ssdc_mask_set(mask, 3, 8);

	/* runs: 3 clear, 8 set, 5 clear */
	KUNIT_EXPECT_EQ(test, ssdc_mask_run(mask, 0, 16), 3u);
	KUNIT_EXPECT_EQ(test, ssdc_mask_run(mask, 3, 16), 8u);
	KUNIT_EXPECT_EQ(test, ssdc_mask_run(mask, 11, 16), 5u);
	KUNIT_EXPECT_EQ(test, ssdc_mask_run(mask, 3, 7), 4u);
	KUNIT_EXPECT_EQ(test, ssdc_mask_run(mask, 15, 16), 1u);
}

/* Every range of a 64 KiB page, against one bool per sector. */
static void mask_every_range(struct kunit *test)
{
	u32 from, nr, i;

	for (from = 0; from < BITS; from++) {
		for (nr = 1; from + nr <= BITS; nr++) {
			u8 set[BITS / 8] = {}, cleared[BITS / 8];
			bool wrong = false;

			memset(cleared, 0xff, sizeof(cleared));
			ssdc_mask_set(set, from, nr);
			ssdc_mask_clear(cleared, from, nr);
			for (i = 0; i < BITS; i++) {
				bool inside = i >= from && i < from + nr;

				wrong |= ssdc_mask_bit(set, i) != inside;
				wrong |= ssdc_mask_bit(cleared, i) == inside;
			}
			wrong |= !ssdc_mask_full(set, from, nr);
			wrong |= ssdc_mask_any(cleared, from, nr);
			wrong |= ssdc_mask_run(set, from, BITS) != nr;
			if (wrong)
				KUNIT_FAIL(test, "range from %u, length %u", from, nr);
		}
	}
}

/* A glance at a short mask says whether it is full or empty; at a longer one nothing. */
static void mask_at_a_glance(struct kunit *test)
{
	u8 mask[4] = {};
	u32 bytes, bit;

	for (bytes = 1; bytes <= 2; bytes++) {
		memset(mask, 0, sizeof(mask));
		KUNIT_EXPECT_TRUE(test, ssdc_mask_all_empty(mask, bytes));
		for (bit = 0; bit < 8 * bytes; bit++) {
			KUNIT_EXPECT_FALSE(test, ssdc_mask_all_full(mask, bytes));
			ssdc_mask_set(mask, bit, 1);
			KUNIT_EXPECT_FALSE(test, ssdc_mask_all_empty(mask, bytes));
		}
		KUNIT_EXPECT_TRUE(test, ssdc_mask_all_full(mask, bytes));
		KUNIT_EXPECT_EQ(test, mask[bytes], 0);
	}
	ssdc_mask_set(mask, 0, 32);
	KUNIT_EXPECT_FALSE(test, ssdc_mask_all_full(mask, 4));
	ssdc_mask_clear(mask, 0, 32);
	KUNIT_EXPECT_FALSE(test, ssdc_mask_all_empty(mask, 4));
}

static void mask_filled_and_cleared_as_a_whole(struct kunit *test)
{
	u8 mask[17] = {};
	u32 bytes;

	for (bytes = 1; bytes <= 16; bytes *= 2) {
		ssdc_mask_fill(mask, bytes);
		KUNIT_EXPECT_TRUE(test, ssdc_mask_full(mask, 0, 8 * bytes));
		KUNIT_EXPECT_EQ(test, mask[bytes], 0);
		ssdc_mask_zero(mask, bytes);
		KUNIT_EXPECT_FALSE(test, ssdc_mask_any(mask, 0, 8 * bytes));
	}
}

static struct kunit_case mask_cases[] = {
	KUNIT_CASE(mask_set_within_a_byte),
	KUNIT_CASE(mask_set_across_bytes),
	KUNIT_CASE(mask_set_stops_at_the_last_byte),
	KUNIT_CASE(mask_clear_leaves_the_rest),
	KUNIT_CASE(mask_full_and_any),
	KUNIT_CASE(mask_run_of_set_and_clear_bits),
	KUNIT_CASE(mask_every_range),
	KUNIT_CASE(mask_at_a_glance),
	KUNIT_CASE(mask_filled_and_cleared_as_a_whole),
	{}
};

static struct kunit_suite mask_suite = {
	.name = "ssdcache_mask",
	.test_cases = mask_cases,
};

kunit_test_suite(mask_suite);
