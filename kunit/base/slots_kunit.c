// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/base/random.h"
#include "../../dm-ssdcache/base/slots.h"

static void expect_slots(struct kunit *test, const struct ssdc_slots *slots, const u16 *values)
{
	unsigned int i;

	for (i = 0; i < SSDC_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, ssdc_slots_get(slots, i), values[i]);
}

static void slots_pushed_to_the_front(struct kunit *test)
{
	static const u16 values[] = { 9, 8, 7, 6, 5, 4, 3, 2 };
	struct ssdc_slots slots = {};
	u16 i;

	for (i = 1; i <= 9; i++)
		ssdc_slots_push(&slots, i, SSDC_SLOTS - 1);
	expect_slots(test, &slots, values);
}

/* The slots behind @last stay where they are, as in an array. */
static void slots_pushed_up_to_each(struct kunit *test)
{
	unsigned int last, i;

	for (last = 0; last < SSDC_SLOTS; last++) {
		u16 values[SSDC_SLOTS] = { 0xffff, 0x8000, 1, 0x7fff, 0, 0xfffe, 0x8001, 2 };
		struct ssdc_slots slots = {};

		for (i = SSDC_SLOTS; i > 0; i--)
			ssdc_slots_push(&slots, values[i - 1], SSDC_SLOTS - 1);
		expect_slots(test, &slots, values);
		for (i = last; i > 0; i--)
			values[i] = values[i - 1];
		values[0] = 0xabcd;
		ssdc_slots_push(&slots, 0xabcd, last);
		expect_slots(test, &slots, values);
	}
}

static u16 any_value(struct ssdc_random *random)
{
	return ssdc_random_below(random, 4) * 0x5555 + ssdc_random_below(random, 3) - 1;
}

/* Values that differ in one bit, or by one, are not mistaken for each other. */
static void slots_found_by_value(struct kunit *test)
{
	u16 values[SSDC_SLOTS] = {};
	struct ssdc_slots slots = {};
	struct ssdc_random random;
	u32 round, value, i, expected;

	ssdc_random_seed(&random, 1);
	for (round = 0; round < 2000; round++) {
		value = any_value(&random);
		for (i = SSDC_SLOTS - 1; i > 0; i--)
			values[i] = values[i - 1];
		values[0] = value;
		ssdc_slots_push(&slots, value, SSDC_SLOTS - 1);
		value = any_value(&random);
		for (expected = 0; expected < SSDC_SLOTS && values[expected] != value; expected++)
			;
		KUNIT_EXPECT_EQ(test, ssdc_slots_find(&slots, value), expected);
	}
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(slots_pushed_to_the_front),
	KUNIT_CASE(slots_pushed_up_to_each),
	KUNIT_CASE(slots_found_by_value),
	{}
};

static struct kunit_suite slots_suite = {
	.name = "ssdcache_slots",
	.test_cases = slots_cases,
};

kunit_test_suite(slots_suite);
