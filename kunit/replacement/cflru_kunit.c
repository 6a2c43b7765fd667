// SPDX-License-Identifier: GPL-2.0
#include "../engine/driver.h"

/* Lists as in cflru.c. The default window of 50 percent is 8 of 16 pages. */
enum { WORKING, CLEAN, DIRTY };

static void cflru_fills_the_clean_first_region_first(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, 3);
	td_load(td, 3, 2);

	/* E D C B A, all within the window */
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "E D");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "C B A");
}

static void cflru_region_is_the_least_recent_half(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, 12);

	/* working L K J I | H G F E D C B A */
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "L K J I");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "H G F E D C B A");
	TD_EXPECT_POLICY_STAT(td, "working_list", 4);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 8);
}

static void cflru_hit_moves_to_the_working_region(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, 12);
	td_load(td, 1, 1);

	/* working B L K J | I H G F E D C A */
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "B L K J");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "I H G F E D C A");
}

/* A page joins the clean or the dirty list by its state when it enters the region. */
static void cflru_page_is_filed_when_it_grows_old(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_load(td, 0, 9);
	td_fill(td, 8, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "I");
	td_load(td, 9, 1);
	td_load(td, 0, 1);

	/* working A J | I(dirty) H G F E D C B */
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "A J");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "H G F E D C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "I");
}

/* Dirty A and B are older than clean C, but C leaves. */
static void cflru_clean_page_of_the_region_leaves_first(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, 2);
	td_load(td, 2, 2);
	td_fill(td, 4, 12);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D C");
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "clean_victims", 1);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 0);
}

/* Clean pages exist, but only in the working region. */
static void cflru_clean_page_of_the_working_region_stays(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, 8);
	td_load(td, 8, 8);
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "P O N M L K J I");
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 1);
}

static void cflru_window_of_all_takes_any_clean_page_first(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru:window=100");

	td_fill(td, 0, 15);
	td_load(td, 15, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "");
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 15));
}

/* A third of 16 is 5. */
static void cflru_window_of_a_third(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru:window=33");

	td_fill(td, 0, 5);
	td_load(td, 5, 11);

	/* P ... G F | E D C B A, all dirty */
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "E D C B A");
	td_fill(td, 20, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	/* F has moved into the region and is the only clean page in it */
	td_fill(td, 21, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 5));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
}

/* Without clean pages (write buffer) it is LRU. */
static void cflru_of_dirty_pages_is_lru(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, TD_FRAMES);
	td_fill(td, 3, 1);
	KUNIT_EXPECT_STREQ(test, td_drain(td), "A B C E F G H I J K L M N O P D");
}

/* A flushed page keeps its place in the order of use. */
static void cflru_flushed_page_is_clean_where_it_is(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_load(td, 0, 1);
	td_fill(td, 1, 1);
	td_load(td, 2, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "B");
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "C B A");
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "");
}

static void cflru_window_can_grow(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru:window=25");

	td_fill(td, 0, TD_FRAMES);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 4);
	td_set(td, "window", "75");
	/* each access moves a few pages */
	td_load(td, 15, 1);
	td_check(td);
	td_load(td, 15, 1);
	td_load(td, 15, 1);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 12);
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "P O N M");
	KUNIT_EXPECT_STREQ(test, td_drain(td), "A B C D E F G H I J K L M N O P");
}

static void cflru_window_can_shrink(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru:window=75");

	td_load(td, 0, 8);
	td_fill(td, 8, 8);
	TD_EXPECT_POLICY_STAT(td, "clean_list", 8);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 4);
	td_set(td, "window", "25");
	td_load(td, 15, 1);
	td_load(td, 15, 1);
	td_load(td, 15, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, WORKING), "P O N M L K J I H G F E");
	KUNIT_EXPECT_STREQ(test, td_list(td, CLEAN), "D C B A");
}

/*
 * The model: one list of pages, most recent first. The last `window` pages are searched from
 * the end for a clean one.
 */
struct model {
	u64 pages[TD_FRAMES];
	bool dirty[TD_FRAMES];
	u32 nr;
};

static u32 model_find(const struct model *m, u64 page)
{
	u32 i;

	for (i = 0; i < m->nr && m->pages[i] != page; i++)
		;
	return i;
}

static void model_take(struct model *m, u32 at)
{
	m->nr--;
	memmove(&m->pages[at], &m->pages[at + 1], (m->nr - at) * sizeof(m->pages[0]));
	memmove(&m->dirty[at], &m->dirty[at + 1], (m->nr - at) * sizeof(m->dirty[0]));
}

static void model_push(struct model *m, u64 page, bool dirty)
{
	memmove(&m->pages[1], &m->pages[0], m->nr * sizeof(m->pages[0]));
	memmove(&m->dirty[1], &m->dirty[0], m->nr * sizeof(m->dirty[0]));
	m->pages[0] = page;
	m->dirty[0] = dirty;
	m->nr++;
}

static u32 model_victim(const struct model *m, u32 window)
{
	u32 i;

	for (i = 0; i < min(window, m->nr); i++)
		if (!m->dirty[m->nr - 1 - i])
			return m->nr - 1 - i;
	return m->nr - 1;
}

static void model_access(struct model *m, u64 page, bool write, u32 window)
{
	u32 at = model_find(m, page);
	bool dirty = write;

	if (at < m->nr) {
		dirty |= m->dirty[at];
		model_take(m, at);
	} else if (m->nr == TD_FRAMES) {
		model_take(m, model_victim(m, window));
	}
	model_push(m, page, dirty);
}

static const char *const model_specs[] = {
	"cflru:window=1", "cflru:window=10", "cflru:window=33", "cflru", "cflru:window=90",
	"cflru:window=100",
};

static void model_desc(const char *const *spec, char *desc)
{
	strscpy(desc, *spec, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(model, model_specs, model_desc);

static void cflru_against_a_scan_of_the_window(struct kunit *test)
{
	struct td *td = td_simple(test, *(const char *const *)test->param_value);
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 window, i, j, x = 1;

	KUNIT_ASSERT_NOT_NULL(test, m);
	window = TD_FRAMES * *ssdc_tunable_at(&ssdc_cflru.plugin.info.tunables[0],
					      td->e->replacement) / 100;
	for (i = 0; i < 2000; i++) {
		bool write;
		u64 page;

		x = x * 1664525 + 1013904223;
		page = x >> 27;
		write = x & 0x10000;
		if (write)
			td_fill(td, page, 1);
		else
			td_load(td, page, 1);
		model_access(m, page, write, window);
		if (i % 97 == 96) {
			td_clean_all(td);
			memset(m->dirty, 0, sizeof(m->dirty));
		}
		for (j = 0; j < m->nr; j++)
			KUNIT_ASSERT_TRUE_MSG(test, td_cached(td, m->pages[j]),
					      "step %u: page %llu should not have left", i,
					      m->pages[j]);
		KUNIT_ASSERT_EQ(test, td->e->tier.used_pages, m->nr);
	}
}

static struct kunit_case cflru_cases[] = {
	KUNIT_CASE(cflru_fills_the_clean_first_region_first),
	KUNIT_CASE(cflru_region_is_the_least_recent_half),
	KUNIT_CASE(cflru_hit_moves_to_the_working_region),
	KUNIT_CASE(cflru_page_is_filed_when_it_grows_old),
	KUNIT_CASE(cflru_clean_page_of_the_region_leaves_first),
	KUNIT_CASE(cflru_clean_page_of_the_working_region_stays),
	KUNIT_CASE(cflru_window_of_all_takes_any_clean_page_first),
	KUNIT_CASE(cflru_window_of_a_third),
	KUNIT_CASE(cflru_of_dirty_pages_is_lru),
	KUNIT_CASE(cflru_flushed_page_is_clean_where_it_is),
	KUNIT_CASE(cflru_window_can_grow),
	KUNIT_CASE(cflru_window_can_shrink),
	KUNIT_CASE_PARAM(cflru_against_a_scan_of_the_window, model_gen_params),
	{}
};

static struct kunit_suite cflru_suite = {
	.name = "ssdcache_cflru",
	.exit = td_exit,
	.test_cases = cflru_cases,
};

kunit_test_suite(cflru_suite);
