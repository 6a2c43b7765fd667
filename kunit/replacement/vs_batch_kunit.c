// SPDX-License-Identifier: GPL-2.0
/*
 * VS-Batch and VS-Batch+: the four lists of [Sha23], Fig. 3 and 4 after the text (the drawings
 * were not available), and Alg. 1. Pages are written, then get access counts; the last page
 * fills the cache.
 */
#include "../engine/driver.h"
#include "../../dm-ssdcache/replacement/vs-lists.h"

/* The sight and the companions of Alg. 1; the defaults see farther. */
#define PLUS "vs-batch-plus:lower=near,touch=off"

/*
 * F sees E (near, higher: 11), G (near, lower: 10), and page 30 (far, higher: 01) over G.
 * All other pages are far from each other and were used once.
 */
static const struct {
	u64 page;
	u32 count;
} fig4[TD_FRAMES] = {
	{ 4, 3 }, { 5, 2 }, { 6, 1 }, { 30, 9 }, { 37, 1 }, { 44, 1 }, { 51, 1 }, { 58, 1 },
	{ 65, 1 }, { 72, 1 }, { 79, 1 }, { 86, 1 }, { 93, 1 }, { 100, 1 }, { 107, 1 }, { 114, 1 },
};

#define E 4
#define F 5
#define G 6

static struct td *new_td(struct kunit *test, const char *spec)
{
	struct ssdc_params params = td_params();

	params.replacement = spec;
	params.admission = "write-buffer";
	return td_new(test, &params);
}

/* Put all pages of the figure on the Eviction list, and build the graph. */
static struct td *new_fig4(struct kunit *test, const char *spec)
{
	struct td *td = new_td(test, spec);
	u32 i;

	for (i = 0; i < TD_FRAMES; i++) {
		TD_EXPECT_DONE(td, td_write_page(td, fig4[i].page));
		td_entry(td, fig4[i].page)->weight = fig4[i].count;
	}
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	TD_EXPECT_POLICY_STAT(td, "eviction_list", TD_FRAMES);
	return td;
}

/* The list at a level, most recent page first. */
static const char *level(struct td *td, unsigned int nr)
{
	return td_list(td, (nr - to_vs(td->e->replacement)->shift) % VS_NR_LEVELS);
}

#define EXPECT_LEVELS(hit, hot, adjacent) do { \
	KUNIT_EXPECT_STREQ(test, level(td, VS_HIT), hit); \
	KUNIT_EXPECT_STREQ(test, level(td, VS_HOT), hot); \
	KUNIT_EXPECT_STREQ(test, level(td, VS_ADJACENT), adjacent); \
} while (0)

static void write_page(struct td *td, u64 page)
{
	td_fill(td, page, 1);
	td_settle(td);
}

/* "At the initialization stage all the nodes are linked in the Eviction list". */
static void vs_first_pages_are_on_the_eviction_list(struct kunit *test)
{
	struct td *td = new_td(test, PLUS);

	td_fill(td, 0, 4);
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION), "D C B A");
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 0);
	/* A hit page moves to the Hit list alone: there is no graph yet. */
	td_fill(td, 1, 1);
	EXPECT_LEVELS("B", "", "");
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION), "D C A");
}

/* With first=hit they are on the Hit list, whose tail leaves if no other list has pages. */
static void vs_first_pages_on_the_hit_list(struct kunit *test)
{
	struct td *td = new_td(test, PLUS ",first=hit");

	td_fill(td, 0, 4);
	td_fill(td, 1, 1);
	EXPECT_LEVELS("B D C A", "", "");
	td_fill(td, 4, 13);
	td_settle(td);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 1));
}

/* The graph is built when the cache is full, before any eviction. */
static void vs_first_graph_when_the_cache_is_full(struct kunit *test)
{
	struct td *td = new_td(test, PLUS);

	td_fill(td, 0, 15);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 0);
	td_fill(td, 15, 1);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	TD_EXPECT_STAT(td, "evictions", 0);
}

/* Fig. 4 (a): F11 and F01 move to the Hot list, F10 to the Adjacent list, F to the Hit list. */
static void vs_fig4a_batch_adjustment(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	write_page(td, F);
	EXPECT_LEVELS("F", "30 E", "G");
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION),
			   "114 107 100 93 86 79 72 65 58 51 44 37");
	TD_EXPECT_POLICY_STAT(td, "hit_moves", 1);
	TD_EXPECT_POLICY_STAT(td, "hot_moves", 2);
	TD_EXPECT_POLICY_STAT(td, "adjacent_moves", 1);
	KUNIT_EXPECT_EQ(test, td_entry(td, F)->weight, 3u);
}

/* A read hit does the same. */
static void vs_read_hits_count(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	td_load(td, F, 1);
	EXPECT_LEVELS("F", "30 E", "G");
}

/* Fig. 4 (b): the last page of the Eviction list leaves, all others move down; N is a hit page. */
static void vs_fig4b_demotion(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);
	u64 page;

	/* Hit all pages but one, to leave one on the Eviction list. They are far from all. */
	for (page = 44; page <= 114; page += 7)
		td_load(td, page, 1);
	write_page(td, F);
	EXPECT_LEVELS("F 114 107 100 93 86 79 72 65 58 51 44", "30 E", "G");
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION), "37");
	write_page(td, 'N' - 'A');
	KUNIT_EXPECT_FALSE(test, td_cached(td, 37));
	EXPECT_LEVELS("N", "F 114 107 100 93 86 79 72 65 58 51 44", "30 E");
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION), "G");
	TD_EXPECT_POLICY_STAT(td, "demotions", 1);
}

/* Lists are demoted until the Eviction list has pages. */
static void vs_demotion_past_empty_lists(struct kunit *test)
{
	struct td *td = new_td(test, PLUS);
	u64 page;

	for (page = 0; page < TD_FRAMES; page++)
		td_fill(td, 7 * page, 1);
	for (page = 0; page < TD_FRAMES; page++)
		td_fill(td, 7 * page, 1);
	TD_EXPECT_POLICY_STAT(td, "hit_list", 16);
	write_page(td, 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	TD_EXPECT_POLICY_STAT(td, "demotions", 3);
	TD_EXPECT_POLICY_STAT(td, "hit_list", 1);
	TD_EXPECT_POLICY_STAT(td, "eviction_list", 15);
}

/* Once the cache has been full, new pages enter the Hit list. */
static void vs_new_pages_are_hit_pages(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	write_page(td, 0);
	write_page(td, 1);
	EXPECT_LEVELS("B A", "", "");
}

/* Pages move up, or to the head of their own level, never down. */
static void vs_pages_move_up_only(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	/* E sees F, near and lower, and, over F and G, 30. It does not see G. */
	write_page(td, E);
	EXPECT_LEVELS("E", "30", "F");
	/* For G both are higher: F moves on to the Hot list, then 30 to its head. */
	write_page(td, G);
	EXPECT_LEVELS("G E", "30 F", "");
	/* For E, F is lower, but already on the Hot list. 30 moves to the head again. */
	write_page(td, E);
	EXPECT_LEVELS("E G", "30 F", "");
	write_page(td, F);
	EXPECT_LEVELS("F E G", "30", "");
}

/* Alg. 1, line 10, as printed: pages move down, or to the head of their own level, never up. */
static void vs_pages_move_down_by_the_letter(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS ",move=literal");

	write_page(td, E);
	EXPECT_LEVELS("E", "", "");
	write_page(td, G);
	EXPECT_LEVELS("G E", "", "");
	/* F sees E, near and higher, and G, near and lower. */
	write_page(td, F);
	EXPECT_LEVELS("F", "E", "G");
}

/* move=always: pages move to the level of their type, up or down. */
static void vs_pages_move_both_ways(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS ",move=always");

	write_page(td, E);
	EXPECT_LEVELS("E", "30", "F");
	write_page(td, G);
	EXPECT_LEVELS("G E", "30 F", "");
	write_page(td, E);
	EXPECT_LEVELS("E G", "30", "F");
	write_page(td, F);
	EXPECT_LEVELS("F", "30 E", "G");
}

/* Far pages that are not higher stay where they are. */
static void vs_far_lower_pages_stay(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	write_page(td, 30);
	EXPECT_LEVELS("30", "", "");
}

/* The gap takes effect at once. */
static void vs_gap_is_tunable(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	td_set(td, "gap", "30");
	write_page(td, 30);
	EXPECT_LEVELS("30", "", "58 51 44 37 G F E");
}

/* ---- eviction by VS-Batch+ ---- */

/* The tail leaves with the pages that it sees on its list, near and not higher, by address. */
static void vs_near_lower_pages_leave_together(struct kunit *test)
{
	struct td *td = new_td(test, PLUS);

	td_set(td, "rebuild", "293");
	td_fill(td, 10, 1);
	td_entry(td, 10)->weight = 5;
	td_fill(td, 12, 1);
	td_fill(td, 8, 1);
	td_fill(td, 70, 13);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	write_page(td, 100);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 10));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 8));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 12));
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 3);
	TD_EXPECT_POLICY_STAT(td, "companions", 2);
}

/* Higher pages stay, as do pages on other lists. */
static void vs_higher_pages_do_not_leave_with_it(struct kunit *test)
{
	struct td *td = new_td(test, PLUS);

	td_fill(td, 10, 1);
	td_fill(td, 12, 1);
	td_load(td, 12, 1);
	td_entry(td, 12)->weight = 1;
	td_fill(td, 8, 1);
	td_entry(td, 8)->weight = 2;
	td_fill(td, 70, 13);
	td_settle(td);
	EXPECT_LEVELS("M", "", "");
	write_page(td, 100);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 10));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 8));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 12));
	TD_EXPECT_STAT(td, "evicted_pages", 1);
}

static struct td *batch_of_run(struct kunit *test, const char *spec, u32 channels)
{
	struct td *td = new_td(test, spec);

	td->e->tunables.channels = channels;
	td_fill(td, 4, 1);
	td_entry(td, 4)->weight = 9;
	td_fill(td, 0, 4);
	td_fill(td, 5, 4);
	td_fill(td, 90, 7);
	td_settle(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	write_page(td, 100);
	TD_EXPECT_STAT(td, "evictions", 1);
	return td;
}

/* The victim and the pages with the lowest addresses, one page per idle channel. */
static void vs_batch_is_limited_by_idle_channels(struct kunit *test)
{
	struct td *td = batch_of_run(test, PLUS, 4);

	TD_EXPECT_STAT(td, "evicted_pages", 4);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 4));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 2));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 3));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 5));
}

static void vs_batch_of_one_channel_is_one_page(struct kunit *test)
{
	TD_EXPECT_STAT(batch_of_run(test, PLUS, 1), "evicted_pages", 1);
}

/* Alg. 1, line 22: cnt++ <= idle_chs, in addition to the victim. */
static void vs_batch_by_the_letter(struct kunit *test)
{
	TD_EXPECT_STAT(batch_of_run(test, PLUS ",literal=on", 4), "evicted_pages", 6);
}

/* The victim sees 4 pages on either side. */
static void vs_batch_of_many_channels(struct kunit *test)
{
	struct td *td = batch_of_run(test, PLUS, 16);

	TD_EXPECT_STAT(td, "evicted_pages", 9);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 90));
}

/* "visible from the tail node and have a smaller access count", near or far. */
static void vs_batch_of_visible_pages(struct kunit *test)
{
	struct td *td = batch_of_run(test, "vs-batch-plus", 64);

	TD_EXPECT_STAT(td, "evicted_pages", 16);
}

/* Without idle channels one page leaves. */
static void vs_busy_device_gets_one_page(struct kunit *test)
{
	struct ssdc_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct td *td = new_fig4(test, PLUS);
	struct ssdc_view view = { .channels = 4 };
	struct ssdc_replacement *r = td->e->replacement;

	KUNIT_ASSERT_NOT_NULL(test, batch);
	ssdc_replacement_ops(r)->victims(r, &view, batch, SSDC_BATCH_FRAMES);
	KUNIT_EXPECT_EQ(test, batch->nr, 1u);
}

/* ---- rebuilding ---- */

/* 3 of 16 pages are less than a fifth, 4 are more. */
static void vs_plus_rebuilds_when_a_fifth_has_gone(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);
	u64 page;

	/* F leaves with E, so the second write finds a free frame. */
	for (page = 120; page < 123; page++)
		write_page(td, page);
	TD_EXPECT_STAT(td, "evicted_pages", 3);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 13);
	/* The graph is built before the page that needed the frame enters. */
	write_page(td, 123);
	TD_EXPECT_STAT(td, "evicted_pages", 4);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 15);
}

/* New pages that leave do not age the graph. */
static void vs_plus_counts_pages_of_the_graph_only(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);
	u64 page;

	for (page = 0; page < 2; page++) {
		td_submit(td, SSDC_DISCARD, fig4[page].page * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
		td_settle(td);
	}
	for (page = 120; page < 127; page++) {
		write_page(td, page);
		td_submit(td, SSDC_DISCARD, page * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
		td_settle(td);
	}
	TD_EXPECT_STAT(td, "evictions", 0);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 14);
}

/* VS-Batch rebuilds once as much was written as the cache holds, hits included. */
static void vs_batch_rebuilds_when_as_much_was_written(struct kunit *test)
{
	struct td *td = new_fig4(test, "vs-batch");
	unsigned int i;

	for (i = 0; i < 15; i++)
		write_page(td, F);
	td_load(td, F, 1);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	write_page(td, F);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
	for (i = 0; i < 15; i++)
		write_page(td, F);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
	write_page(td, F);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 3);
}

/* All pages of the graph leave long before 400 % of the cache's size are written. */
static void vs_batch_rebuilds_no_earlier_without_members(struct kunit *test)
{
	struct td *td = new_fig4(test, "vs-batch:rebuild=400");
	unsigned int i;

	for (i = 0; i < TD_FRAMES; i++)
		write_page(td, 8 + i);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 0);
	for (; i < 4 * TD_FRAMES - 1; i++)
		write_page(td, 8 + i % 20);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	write_page(td, 8);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
}

static void vs_batch_period_is_tunable(struct kunit *test)
{
	struct td *td = new_fig4(test, "vs-batch:rebuild=50");
	unsigned int i;

	for (i = 0; i < 8; i++)
		write_page(td, F);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
}

/* With evict=idle VS-Batch evicts tails of the Eviction list, whatever they see. */
static void vs_batch_evicts_tails(struct kunit *test)
{
	struct td *td = new_fig4(test, "vs-batch:evict=idle");

	write_page(td, 120);
	TD_EXPECT_STAT(td, "evicted_pages", 4);
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION), "114 107 100 93 86 79 72 65 58 51 44 37");
}

static void vs_batch_evicts_one(struct kunit *test)
{
	struct td *td = new_fig4(test, "vs-batch");

	write_page(td, 120);
	TD_EXPECT_STAT(td, "evicted_pages", 1);
	KUNIT_EXPECT_FALSE(test, td_cached(td, E));
}

/* ---- the rest ---- */

/* When all pages have left, the policy is in its initial state. */
static void vs_empty_cache_starts_anew(struct kunit *test)
{
	struct td *td = new_fig4(test, PLUS);

	td_submit(td, SSDC_DISCARD, 0, TD_SECTORS);
	td_settle(td);
	TD_EXPECT_STAT(td, "used", 0);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 0);
	td_fill(td, 0, 3);
	EXPECT_LEVELS("", "", "");
	KUNIT_EXPECT_STREQ(test, level(td, VS_EVICTION), "C B A");
}

/* [Sha23], Table 4, has 33 bytes per page for the graph, which is built in place there. */
static void vs_metadata_is_accounted(struct kunit *test)
{
	struct td *td = new_td(test, "lru");
	u64 others = ssdc_metadata_bytes(td->e) + 35 * td->e->tier.nr_frames;

	td_exit(test);
	td = new_td(test, PLUS);
	KUNIT_EXPECT_EQ(test, ssdc_metadata_bytes(td->e), others);
}

static struct kunit_case vs_cases[] = {
	KUNIT_CASE(vs_first_pages_are_on_the_eviction_list),
	KUNIT_CASE(vs_first_pages_on_the_hit_list),
	KUNIT_CASE(vs_first_graph_when_the_cache_is_full),
	KUNIT_CASE(vs_fig4a_batch_adjustment),
	KUNIT_CASE(vs_read_hits_count),
	KUNIT_CASE(vs_fig4b_demotion),
	KUNIT_CASE(vs_demotion_past_empty_lists),
	KUNIT_CASE(vs_new_pages_are_hit_pages),
	KUNIT_CASE(vs_pages_move_up_only),
	KUNIT_CASE(vs_pages_move_down_by_the_letter),
	KUNIT_CASE(vs_pages_move_both_ways),
	KUNIT_CASE(vs_far_lower_pages_stay),
	KUNIT_CASE(vs_gap_is_tunable),
	KUNIT_CASE(vs_near_lower_pages_leave_together),
	KUNIT_CASE(vs_higher_pages_do_not_leave_with_it),
	KUNIT_CASE(vs_batch_is_limited_by_idle_channels),
	KUNIT_CASE(vs_batch_of_one_channel_is_one_page),
	KUNIT_CASE(vs_batch_by_the_letter),
	KUNIT_CASE(vs_batch_of_many_channels),
	KUNIT_CASE(vs_batch_of_visible_pages),
	KUNIT_CASE(vs_busy_device_gets_one_page),
	KUNIT_CASE(vs_plus_rebuilds_when_a_fifth_has_gone),
	KUNIT_CASE(vs_plus_counts_pages_of_the_graph_only),
	KUNIT_CASE(vs_batch_rebuilds_when_as_much_was_written),
	KUNIT_CASE(vs_batch_rebuilds_no_earlier_without_members),
	KUNIT_CASE(vs_batch_period_is_tunable),
	KUNIT_CASE(vs_batch_evicts_tails),
	KUNIT_CASE(vs_batch_evicts_one),
	KUNIT_CASE(vs_empty_cache_starts_anew),
	KUNIT_CASE(vs_metadata_is_accounted),
	{}
};

static struct kunit_suite vs_suite = {
	.name = "ssdcache_vs_batch",
	.exit = td_exit,
	.test_cases = vs_cases,
};

kunit_test_suite(vs_suite);
