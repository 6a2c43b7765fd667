// SPDX-License-Identifier: GPL-2.0
/*
 * The visibility graph of [Sha23], section 3.2.1 and Fig. 2, after its text: the drawing was
 * not available. Pages are written, then get the access counts of the example; the last page
 * fills the cache, so the graph is built.
 */
#include "../engine/driver.h"
#include "../../dm-ssdcache/replacement/vs-lists.h"

/* Eq. 2 as printed. */
#define STRICT "vs-batch-plus:touch=off"

/* Pages in ascending order, and their access counts. */
struct building {
	u64 page;
	u32 count;
};

static struct visibility_graph *graph_of(struct td *td)
{
	return &to_vs(td->e->replacement)->graph;
}

static struct td *new_td(struct kunit *test, const char *spec, u32 frames)
{
	struct ssdc_params params = td_params();

	params.replacement = spec;
	params.admission = "write-buffer";
	params.dram_bytes = frames * params.page_bytes;
	params.origin_sectors = max(TD_SECTORS, 8 * frames * TD_PAGE_SECTORS);
	return td_new(test, &params);
}

/* Fill the cache with the pages; there is room for them, and no more. */
static void fill(struct td *td, const struct building *pages, u32 nr)
{
	u32 i;

	KUNIT_ASSERT_EQ(td->test, nr, td->e->tier.capacity);
	/* Write out of address order; the graph sorts them. */
	for (i = 0; i < nr; i++) {
		const struct building *at = &pages[i * 7 % nr];

		TD_EXPECT_DONE(td, td_write_page(td, at->page));
		td_entry(td, at->page)->weight = at->count;
	}
	KUNIT_EXPECT_TRUE(td->test, ssdc_has_work(td->e));
}

static void build(struct td *td, const struct building *pages, u32 nr)
{
	fill(td, pages, nr);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", nr);
}

/* Append the pages that are seen on one side to @text, of which @at bytes are in use. */
static int side_sees(struct td *td, char *text, int at, u32 rank, enum vg_side side)
{
	struct vg_pages all = { ~0ULL, ~0ULL };
	struct vg_pages seen = vg_look(graph_of(td), rank, side, VG_ANY_GAP, all);
	const struct vg_copy *now = visibility_graph_now(graph_of(td));
	u32 first = vg_first_rank(rank, side);
	u64 left = seen.lower | seen.higher;

	while (left) {
		unsigned int higher = !!(left & -left & seen.higher);
		u32 there = vg_next_rank(first, &left), from = min(there, rank);

		if (now->frames[there] == SSDC_NO_FRAME)
			continue;
		at += scnprintf(text + at, TD_TEXT - at, "%s%llu:%u%u", at ? " " : "",
				now->pages[there],
				now->pages[max(there, rank)] - now->pages[from] <= 4, higher);
	}
	return at;
}

/* The pages that a page sees, in order of addresses, with types: "5:11 7:10 18:01". */
static const char *sees(struct td *td, u64 page)
{
	char *text = td->text[td->text_turn++ % ARRAY_SIZE(td->text)];
	u32 rank = vg_rank_of(graph_of(td), ssdc_lookup(td->e, ssdc_page(page)));

	text[0] = '\0';
	if (rank == VG_NO_RANK)
		return text;
	side_sees(td, text, side_sees(td, text, 0, rank, VG_BEFORE), rank, VG_BEHIND);
	return text;
}

static void discard_page(struct td *td, u64 page)
{
	td_submit(td, SSDC_DISCARD, page * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	while (!list_empty(&td->forwarded))
		td_end_forward(td, 0);
	td_run_ready(td);
	KUNIT_ASSERT_FALSE(td->test, td_cached(td, page));
}

/* 16 cached pages; node #6 is page 21. */
static const struct building fig2[] = {
	{ 3, 2 }, { 4, 1 }, { 9, 3 }, { 15, 1 }, { 20, 4 }, { 21, 2 }, { 22, 1 }, { 30, 5 },
	{ 33, 1 }, { 35, 2 }, { 36, 2 }, { 50, 1 }, { 51, 3 }, { 70, 1 }, { 80, 2 }, { 81, 1 },
};

/*
 * Fig. 2: node #6 sees #5 (adjacent, higher), #7 (adjacent, lower) and #8 (not adjacent,
 * higher, over #7).
 */
static void vg_fig2_three_kinds(struct kunit *test)
{
	struct td *td = new_td(test, STRICT, TD_FRAMES);

	build(td, fig2, ARRAY_SIZE(fig2));
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "20:11 22:10 30:01");
}

/* The mirror image; the line from 30 to 50 just touches the top of 36. */
static void vg_fig2_seen_from_the_others(struct kunit *test)
{
	struct td *td = new_td(test, STRICT, TD_FRAMES);

	build(td, fig2, ARRAY_SIZE(fig2));
	KUNIT_EXPECT_STREQ(test, sees(td, 22), "20:11 21:11 30:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 20), "9:00 15:00 21:10 22:10 30:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 30), "20:00 21:00 22:00 33:10 35:00 36:00 51:00");
}

/* Rising, level and falling: pages exactly as high as the line of sight to others. */
static const struct building stairs[] = {
	{ 0, 1 }, { 10, 2 }, { 20, 3 }, { 30, 4 }, { 40, 4 }, { 50, 4 }, { 60, 3 },
	{ 70, 2 }, { 80, 1 }, { 90, 1 }, { 91, 1 }, { 92, 1 }, { 93, 1 }, { 94, 1 },
	{ 95, 1 }, { 96, 1 },
};

/* Eq. 2 is strict (touch=off): a page that just touches the line hides. */
static void vg_equal_slopes_hide(struct kunit *test)
{
	struct td *td = new_td(test, STRICT, TD_FRAMES);

	build(td, stairs, ARRAY_SIZE(stairs));
	KUNIT_EXPECT_STREQ(test, sees(td, 0), "10:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 10), "0:00 20:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 40), "30:00 50:00");
	KUNIT_EXPECT_STREQ(test, sees(td, 93), "50:01 60:01 70:01 92:10 94:10");
}

/*
 * By default (touch=on) it does not: 0 sees the whole rising stairs, and 30 the page behind its
 * equal.
 */
static void vg_equal_slopes_touch(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch-plus", TD_FRAMES);

	build(td, stairs, ARRAY_SIZE(stairs));
	KUNIT_EXPECT_STREQ(test, sees(td, 0), "10:01 20:01 30:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 30), "0:00 10:00 20:00 40:00 50:00");
	KUNIT_EXPECT_STREQ(test, sees(td, 94),
			   "50:01 60:01 70:01 80:00 90:10 91:10 92:10 93:10 95:10 96:10");
}

/* Near means an address gap of at most 4, whatever the distance in ranks. */
static void vg_near_is_a_matter_of_addresses(struct kunit *test)
{
	static const struct building pages[] = {
		{ 0, 1 }, { 4, 2 }, { 9, 3 }, { 10, 1 }, { 11, 1 }, { 12, 1 }, { 13, 9 },
		{ 14, 1 }, { 15, 1 }, { 16, 1 }, { 17, 1 }, { 18, 2 }, { 25, 1 }, { 30, 1 },
		{ 31, 1 }, { 32, 1 },
	};
	struct td *td = new_td(test, STRICT, TD_FRAMES);

	build(td, pages, ARRAY_SIZE(pages));
	KUNIT_EXPECT_STREQ(test, sees(td, 4), "0:10 9:01 13:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 9), "4:00 10:10 11:10 12:10 13:11");
	KUNIT_EXPECT_STREQ(test, sees(td, 18),
			   "13:01 14:10 15:10 16:10 17:10 25:00 30:00 31:00 32:00");
}

/* 64 ranks to either side, and no more. */
static void vg_window_is_64_to_either_side(struct kunit *test)
{
	struct td *td = new_td(test, STRICT, 160);
	struct building *pages = kunit_kcalloc(test, 160, sizeof(*pages), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	for (i = 0; i < 160; i++) {
		pages[i].page = 5 * i;
		pages[i].count = 1;
	}
	pages[16].count = 9;
	pages[144].count = 9;
	build(td, pages, 160);
	KUNIT_EXPECT_STREQ(test, sees(td, 5 * 79), "80:01 390:00 400:00");
	KUNIT_EXPECT_STREQ(test, sees(td, 5 * 80), "80:01 395:00 405:00 720:01");
	KUNIT_EXPECT_STREQ(test, sees(td, 5 * 81), "400:00 410:00 720:01");
}

/* Counts are one byte: a page that is hit more often than 255 times is not higher. */
static void vg_counts_end_at_255(struct kunit *test)
{
	struct building pages[TD_FRAMES];
	struct td *td = new_td(test, STRICT, TD_FRAMES);
	u32 i;

	for (i = 0; i < TD_FRAMES; i++) {
		pages[i].page = 6 * i;
		pages[i].count = 1;
	}
	pages[0].count = 255;
	pages[1].count = 255;
	build(td, pages, TD_FRAMES);
	KUNIT_EXPECT_STREQ(test, sees(td, 0), "6:00");
	td_fill(td, 0, 1);
	KUNIT_EXPECT_EQ(test, td_entry(td, 0)->weight, 255u);
}

/* A page that left is no longer seen, but still hides the pages behind it. */
static void vg_gone_pages_are_not_seen(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch:touch=off", TD_FRAMES);

	build(td, fig2, ARRAY_SIZE(fig2));
	discard_page(td, 20);
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "22:10 30:01");
	discard_page(td, 30);
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "22:10");
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 14);
	td_check(td);
}

/* A page that entered, or came back, is seen only after the next build. */
static void vg_new_pages_see_nobody(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch:touch=off", TD_FRAMES);

	build(td, fig2, ARRAY_SIZE(fig2));
	discard_page(td, 20);
	td_fill(td, 20, 1);
	KUNIT_EXPECT_STREQ(test, sees(td, 20), "");
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "22:10 30:01");
	visibility_graph_build(graph_of(td));
	td->e->replacement->plugin.wants_step = true;
	td_background(td);
	/* It has count 1 now, so 9 becomes visible. */
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "9:01 15:00 20:10 22:10 30:01");
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 16);
}

/* During a build, decisions use the previous graph. */
static void vg_old_graph_is_used_while_the_new_one_is_built(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch:touch=off", TD_FRAMES);
	const char *before;

	build(td, fig2, ARRAY_SIZE(fig2));
	td_entry(td, 22)->weight = 200;
	visibility_graph_build(graph_of(td));
	td->e->replacement->plugin.wants_step = true;
	while (ssdc_step_wanted(td->e)) {
		before = sees(td, 21);
		KUNIT_EXPECT_STREQ(test, before, "20:11 22:10 30:01");
		ssdc_background(td->e, td->now_ns);
		td_check(td);
	}
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "20:11 22:11");
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
}

/* After each step of any phase, one page leaves and another one enters. */
static void vg_pages_come_and_go_while_it_is_built(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch", 160);
	struct building *pages = kunit_kcalloc(test, 160, sizeof(*pages), GFP_KERNEL);
	u32 i, steps = 0;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	for (i = 0; i < 160; i++) {
		pages[i].page = 7 * i;
		pages[i].count = 1 + i * i % 13;
	}
	build(td, pages, 160);
	/* New pages, to be sorted. */
	for (i = 100; i < 140; i++) {
		discard_page(td, 7 * i);
		TD_EXPECT_DONE(td, td_write_page(td, 7 * i + 1));
	}
	visibility_graph_build(graph_of(td));
	td->e->replacement->plugin.wants_step = true;
	while (ssdc_step_wanted(td->e)) {
		discard_page(td, 7 * (10 + 3 * steps));
		ssdc_background(td->e, td->now_ns);
		discard_page(td, 7 * (11 + 3 * steps));
		TD_EXPECT_DONE(td, td_write_page(td, 7 * (10 + 3 * steps)));
		td_check(td);
		steps++;
	}
	KUNIT_EXPECT_GT(test, steps, 4u);
	for (i = 0; i < steps; i++) {
		KUNIT_EXPECT_FALSE(test, td_cached(td, 7 * (11 + 3 * i)));
		KUNIT_EXPECT_TRUE(test, td_cached(td, 7 * (10 + 3 * i)));
	}
	/* Pages that stayed all the time are in the graph. */
	KUNIT_EXPECT_GE(test, td_policy_stat(td, "graph_pages"), (u64)160 - 2 * steps);
}

/* All pages leave before the first build ends. */
static void vg_empty_when_all_have_gone(struct kunit *test)
{
	struct td *td = new_td(test, STRICT, TD_FRAMES);
	unsigned int i;

	fill(td, fig2, ARRAY_SIZE(fig2));
	for (i = 0; i < ARRAY_SIZE(fig2); i++)
		discard_page(td, fig2[i].page);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 0);
	fill(td, fig2, ARRAY_SIZE(fig2));
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 16);
}

/* Pages 2 * first to 2 * (first + nr - 1), each with a count. */
static void fill_even_pages(struct td *td, u32 first, u32 nr)
{
	u32 i;

	for (i = first; i < first + nr; i++)
		TD_EXPECT_DONE(td, td_write_page(td, 2 * i));
}

/*
 * A step takes 256 pages off the stack, counts, places or distributes 1024 records by half of 11
 * bits, or merges 160 pages.
 */
static void vg_steps_are_bounded(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch", 640);

	fill_even_pages(td, 0, 640);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 640);
	TD_EXPECT_POLICY_STAT(td, "rebuild_steps", 3 + 2 * 3 + 4);
	TD_EXPECT_STAT(td, "plugin_steps", td_policy_stat(td, "rebuild_steps"));
}

/* More than half of the pages are new, and others are in the graph: a heap sort of 10 levels. */
static void vg_sorts_without_room(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch:rebuild=10000", 640);
	u64 before;
	u32 i;

	fill_even_pages(td, 0, 640);
	td_background(td);
	before = td_policy_stat(td, "rebuild_steps");
	for (i = 0; i < 600; i++)
		discard_page(td, 2 * i);
	fill_even_pages(td, 640, 600);
	visibility_graph_build(graph_of(td));
	td->e->replacement->plugin.wants_step = true;
	td_background(td);
	td_check(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
	TD_EXPECT_POLICY_STAT(td, "graph_pages", 640);
	/* 600 off the stack, 300 + 600 records that sink, 640 + 600 merged or skipped */
	TD_EXPECT_POLICY_STAT(td, "rebuild_steps",
			      before + 3 + DIV_ROUND_UP(900, 512 / 10 + 1) + 8);
}

/* The write that fills the cache decides about its second page by the graph that it has caused. */
static void vg_is_built_before_the_next_decision(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch-plus", 4096);
	struct td_host *write;

	fill_even_pages(td, 0, 4095);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 0);
	write = td_begin(td, SSDC_WRITE, 8190 * TD_PAGE_SECTORS, 2 * TD_PAGE_SECTORS);
	td_run(td, write);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	/* The victim of the second page sees others. */
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "companions"), 0ULL);
	td_settle(td);
	TD_EXPECT_DONE(td, write);
}

/*
 * As vg_sorts_without_room(): nearly a step per 20 pages, as many as a build can take. The write
 * that causes the build does all of them.
 */
static void vg_longest_build_is_of_one_request(struct kunit *test)
{
	struct td *td = new_td(test, "vs-batch", 4096);
	struct td_host *write;
	u32 i;

	fill_even_pages(td, 0, 4096);
	td_background(td);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	for (i = 0; i < 3600; i++)
		discard_page(td, 2 * i);
	/* One page less than is written between two builds. */
	fill_even_pages(td, 4096, 3600);
	fill_even_pages(td, 4096, 4095 - 3600);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 1);
	write = td_begin(td, SSDC_WRITE, 8192 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	td_run(td, write);
	TD_EXPECT_DONE(td, write);
	TD_EXPECT_POLICY_STAT(td, "rebuilds", 2);
	td_settle(td);
}

static void vg_decay_halves_counts(struct kunit *test)
{
	struct td *td = new_td(test, STRICT ",decay=on", TD_FRAMES);

	build(td, fig2, ARRAY_SIZE(fig2));
	KUNIT_EXPECT_STREQ(test, sees(td, 21), "20:11 22:10 30:01");
	KUNIT_EXPECT_EQ(test, td_entry(td, 30)->weight, 2u);
	KUNIT_EXPECT_EQ(test, td_entry(td, 20)->weight, 2u);
	KUNIT_EXPECT_EQ(test, td_entry(td, 22)->weight, 1u);
}

static struct kunit_case vg_cases[] = {
	KUNIT_CASE(vg_fig2_three_kinds),
	KUNIT_CASE(vg_fig2_seen_from_the_others),
	KUNIT_CASE(vg_equal_slopes_hide),
	KUNIT_CASE(vg_equal_slopes_touch),
	KUNIT_CASE(vg_near_is_a_matter_of_addresses),
	KUNIT_CASE(vg_window_is_64_to_either_side),
	KUNIT_CASE(vg_counts_end_at_255),
	KUNIT_CASE(vg_gone_pages_are_not_seen),
	KUNIT_CASE(vg_new_pages_see_nobody),
	KUNIT_CASE(vg_old_graph_is_used_while_the_new_one_is_built),
	KUNIT_CASE(vg_pages_come_and_go_while_it_is_built),
	KUNIT_CASE(vg_empty_when_all_have_gone),
	KUNIT_CASE(vg_steps_are_bounded),
	KUNIT_CASE(vg_sorts_without_room),
	KUNIT_CASE(vg_is_built_before_the_next_decision),
	KUNIT_CASE(vg_longest_build_is_of_one_request),
	KUNIT_CASE(vg_decay_halves_counts),
	{}
};

static struct kunit_suite vg_suite = {
	.name = "ssdcache_visibility_graph",
	.exit = td_exit,
	.test_cases = vg_cases,
};

kunit_test_suite(vg_suite);
