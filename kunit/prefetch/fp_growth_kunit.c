// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/prefetch/fp-growth.h"

#define TEXT 512

/* A miner and the sets that it reported, as text: "de:2 ade:2" */
struct miner {
	struct ssdc_fp_growth fp;
	size_t length;
	char text[TEXT];
};

static int fp_init(struct kunit *test)
{
	struct miner *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	test->priv = m;
	return m ? ssdc_fp_create(&m->fp) : -ENOMEM;
}

static void fp_exit(struct kunit *test)
{
	struct miner *m = test->priv;

	if (m)
		ssdc_fp_destroy(&m->fp);
}

static void found(void *context, const struct ssdc_fp_set *set)
{
	struct miner *m = context;
	char letters[SSDC_FP_ELEMENTS + 1] = "";
	u32 i, c, nr = 0;

	/* In alphabetical order. */
	for (c = 'a'; c <= 'z'; c++)
		for (i = 0; i < set->nr; i++)
			if (set->addresses[i] == c)
				letters[nr++] = c;
	m->length += scnprintf(m->text + m->length, TEXT - m->length, "%s%s:%u",
			       m->length ? " " : "", letters, set->support);
}

/* Transactions are words, addresses letters. Returns the number of steps. */
static u32 mine(struct kunit *test, const char *transactions, u32 min_support, u32 max_elements,
		bool brief, u32 units)
{
	struct miner *m = test->priv;
	const struct ssdc_fp_params params = {
		.min_support = min_support, .max_elements = max_elements, .brief = brief,
		.found = found, .context = m,
	};
	u32 transaction = 0, steps = 1;

	m->length = 0;
	m->text[0] = 0;
	ssdc_fp_clear(&m->fp);
	for (; *transactions; transactions++) {
		if (*transactions == ' ')
			transaction++;
		else
			KUNIT_ASSERT_TRUE(test, ssdc_fp_add(&m->fp, transaction, *transactions));
	}
	ssdc_fp_start(&m->fp, &params);
	while (ssdc_fp_step(&m->fp, units))
		steps++;
	return steps;
}

static const char *text(struct kunit *test)
{
	return ((struct miner *)test->priv)->text;
}

/* The ten transactions of Tan, Steinbach, Kumar, which [Li22] cites; sets by last element. */
#define TEXTBOOK "ab bcd acde ade abc abcd a abc abd bce"

static void fp_textbook(struct kunit *test)
{
	mine(test, TEXTBOOK, 2, 10, false, 100000);
	KUNIT_EXPECT_STREQ(test, text(test),
			   "de:2 ade:2 ce:2 ae:2 cd:3 bcd:2 acd:2 bd:3 abd:2 ad:4 bc:5 abc:3 ac:4 ab:5");
}

/* Mining again gives the same sets in the same order. */
static void fp_bounded_steps(struct kunit *test)
{
	char whole[TEXT];
	u32 units;

	mine(test, TEXTBOOK, 2, 10, false, 100000);
	strscpy(whole, text(test), TEXT);
	for (units = 1; units < 40; units += 6) {
		u32 steps = mine(test, TEXTBOOK, 2, 10, false, units);
		u64 work = ((struct miner *)test->priv)->fp.work;

		KUNIT_EXPECT_STREQ(test, text(test), whole);
		/* Reports of sets end steps early, too: at most one step per set. */
		KUNIT_EXPECT_LE(test, (u64)steps, work / units + 1 + 14);
		KUNIT_EXPECT_GE(test, (u64)steps * (units + 15), work);
	}
}

static void fp_support_and_size_limit(struct kunit *test)
{
	mine(test, TEXTBOOK, 4, 10, false, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "ad:4 bc:5 ac:4 ab:5");
	mine(test, TEXTBOOK, 3, 2, false, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "cd:3 bd:3 ad:4 bc:5 ac:4 ab:5");
	mine(test, TEXTBOOK, 9, 10, false, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "");
}

/* ade makes de redundant. It makes ae redundant, too, but only a search would show that. */
static void fp_brief(struct kunit *test)
{
	mine(test, TEXTBOOK, 2, 10, true, 1000);
	KUNIT_EXPECT_STREQ(test, text(test),
			   "ade:2 ce:2 ae:2 cd:3 bcd:2 acd:2 bd:3 abd:2 ad:4 bc:5 abc:3 ac:4 ab:5");
}

static void fp_counted_once_per_transaction(struct kunit *test)
{
	mine(test, "aabba ab", 2, 10, false, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "ab:2");
	mine(test, "aabbaab", 2, 10, false, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "");
}

/* Fourteen addresses that always occur together: a few sets that cover them, not 9 000. */
static void fp_path_in_pieces(struct kunit *test)
{
	mine(test, "abcdefghijklmn abcdefghijklmn", 2, 10, true, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "klmn:2 abcdefghij:2");
	mine(test, "abcdefghijklmn abcdefghij", 1, 10, true, 1000);
	KUNIT_EXPECT_STREQ(test, text(test), "klmn:1 abcdefghij:2");
}

static void fp_nothing(struct kunit *test)
{
	mine(test, "", 1, 10, false, 1);
	KUNIT_EXPECT_STREQ(test, text(test), "");
	mine(test, "a", 1, 10, true, 1);
	KUNIT_EXPECT_STREQ(test, text(test), "");
}

/* A full window rejects accesses; a window of the largest size is mined. */
static void fp_full_window(struct kunit *test)
{
	struct miner *m = test->priv;
	const struct ssdc_fp_params params = {
		.min_support = 2, .max_elements = 2, .found = found, .context = m,
	};
	u32 i;

	ssdc_fp_clear(&m->fp);
	for (i = 0; i < SSDC_FP_ACCESSES; i++)
		KUNIT_ASSERT_TRUE(test, ssdc_fp_add(&m->fp, i / 8, U64_MAX - i));
	KUNIT_EXPECT_FALSE(test, ssdc_fp_add(&m->fp, SSDC_FP_TRANSACTIONS - 1, 1));
	ssdc_fp_start(&m->fp, &params);
	while (ssdc_fp_step(&m->fp, 1000))
		;
	KUNIT_EXPECT_STREQ(test, text(test), "");

	ssdc_fp_clear(&m->fp);
	KUNIT_EXPECT_TRUE(test, ssdc_fp_add(&m->fp, SSDC_FP_TRANSACTIONS - 1, 1));
	KUNIT_EXPECT_FALSE(test, ssdc_fp_add(&m->fp, SSDC_FP_TRANSACTIONS, 1));
}

/* Too many frequent addresses: the most frequent are used; among equals, the first. */
static void fp_most_frequent_items(struct kunit *test)
{
	struct miner *m = test->priv;
	const struct ssdc_fp_params params = {
		.min_support = 2, .max_elements = 2, .found = found, .context = m,
	};
	u32 t, i;

	ssdc_fp_clear(&m->fp);
	for (t = 0; t < 3; t++) {
		for (i = 0; t < 2 && i < SSDC_FP_ITEMS - 2; i++)
			ssdc_fp_add(&m->fp, t, 1000 + i);
		ssdc_fp_add(&m->fp, t, 'a');
		ssdc_fp_add(&m->fp, t, 'z');
		if (t < 2)
			ssdc_fp_add(&m->fp, t, 'q');
	}
	m->length = 0;
	ssdc_fp_start(&m->fp, &params);
	while (ssdc_fp_step(&m->fp, 1000))
		;
	KUNIT_EXPECT_EQ(test, m->fp.sets, (u64)SSDC_FP_ITEMS * (SSDC_FP_ITEMS - 1) / 2);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text(test), "a"));
	KUNIT_EXPECT_NULL(test, strstr(text(test), "q"));
}

static struct kunit_case fp_cases[] = {
	KUNIT_CASE(fp_textbook),
	KUNIT_CASE(fp_bounded_steps),
	KUNIT_CASE(fp_support_and_size_limit),
	KUNIT_CASE(fp_brief),
	KUNIT_CASE(fp_counted_once_per_transaction),
	KUNIT_CASE(fp_path_in_pieces),
	KUNIT_CASE(fp_nothing),
	KUNIT_CASE(fp_full_window),
	KUNIT_CASE(fp_most_frequent_items),
	{}
};

static struct kunit_suite fp_suite = {
	.name = "ssdcache_fp_growth",
	.init = fp_init,
	.exit = fp_exit,
	.test_cases = fp_cases,
};

kunit_test_suite(fp_suite);
