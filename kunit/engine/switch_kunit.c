// SPDX-License-Identifier: GPL-2.0
/*
 * Change of the replacement policy in use: from every policy to every policy, itself included,
 * with clean, dirty and partly valid pages, and with requests during the change.
 */
#include "driver.h"

/* Policies that order single pages, as expected() knows. */
static const char *const ordered[] = {
	"fifo", "lru", "lfu", "cflru", "cflru-ef", "cflru-ef-sc", "arc", "lirs", "mq",
};

static void ordered_desc(const char *const *name, char *desc)
{
	strscpy(desc, *name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(ordered, ordered, ordered_desc);

#define ANY_replacement(type) &(type).plugin,
#define ANY_admission(type)
#define ANY_prefetch(type)
#define SSDC_BUILTIN(kind, file, type) ANY_##kind(type)
#define SSDC_HELPER(kind, file)
static const struct ssdc_plugin_type *const any[] = {
#include "../../dm-ssdcache/builtin.h"
};

static void any_desc(const struct ssdc_plugin_type *const *type, char *desc)
{
	strscpy(desc, (*type)->info.name, KUNIT_PARAM_DESC_SIZE);
}

/* One test parameter per policy. */
KUNIT_ARRAY_PARAM(any, any, any_desc);

static const struct ssdc_plugin_type *type_param(const struct kunit *test)
{
	return *(const struct ssdc_plugin_type *const *)test->param_value;
}

static bool has_tunable(const struct ssdc_plugin_info *info, const char *name)
{
	return ssdc_tunable_find(info->tunables, info->nr_tunables, name, strlen(name));
}

/* Specs without early flush and serial batches, which are not tested here. */
static const char *spec_of(struct kunit *test, const struct ssdc_plugin_type *type)
{
	char *spec = kunit_kzalloc(test, SSDC_SPEC_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, spec);
	scnprintf(spec, SSDC_SPEC_LEN, "%s%s%s%s%s", type->info.name,
		  has_tunable(&type->info, "threshold") ? ":threshold=100" : "",
		  has_tunable(&type->info, "width") ? ":width=0" : "",
		  has_tunable(&type->info, "clean_max") ? ":clean_max=0" : "",
		  has_tunable(&type->info, "budget") ? ":budget=0" : "");
	return spec;
}

static const char *spec_named(struct kunit *test, const char *name)
{
	return spec_of(test, ssdc_type_find(SSDC_REPLACEMENT, name, strlen(name)));
}

static void begin_switch(struct td *td, const char *spec)
{
	struct ssdc_error error = {};
	struct ssdc_plugin *next;

	next = ssdc_plugin_create(SSDC_REPLACEMENT, spec, &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL_MSG(td->test, next, "%s", error.text);
	KUNIT_ASSERT_EQ(td->test, ssdc_switch_begin(td->e, (struct ssdc_replacement *)next), 0);
	td_check(td);
}

/* Returns the number of steps. */
static unsigned int finish_switch(struct td *td)
{
	struct ssdc_replacement *old;
	unsigned int steps = 0;

	do {
		old = ssdc_switch_step(td->e);
		td_check(td);
		steps++;
	} while (!old);
	ssdc_plugin_destroy(&old->plugin);
	return steps;
}

/*
 * Pages 0 to 15, used in the order 0 1 2 ... 15, then 3, 7 and 11 again; even pages are clean, odd
 * pages dirty, page 5 is partly valid.
 */
static void mix(struct td *td)
{
	u64 page;

	for (page = 0; page < TD_FRAMES; page++) {
		if (!(page & 1))
			td_load(td, page, 1);
		else if (page != 5)
			td_fill(td, page, 1);
		else
			td_submit(td, SSDC_WRITE, page * 8 + 2, 3);
	}
	td_fill(td, 3, 1);
	td_load(td, 7, 1);
	td_load(td, 11, 1);
}

#define BY_USE		"A B C E F G I J K M N O P D H L"
#define BY_ARRIVAL	"A B C D E F G H I J K L M N O P"

/* The order of eviction: clean pages (A, C, ...) of the colder half, then the coldest. */
#define CFLRU_BY_USE	 "A C E G I K M O B F J N P D H L"
#define CFLRU_BY_ARRIVAL "A C E G I K M O B D F H J L N P"

/* All clean ones, then all dirty ones. */
#define CLEAN_DIRTY_BY_USE	"A C E G I K M O B F J N P D H L"
#define CLEAN_DIRTY_BY_ARRIVAL	"A C E G I K M O B D F H J L N P"

/* The order in which pages leave @to when they came from @from. */
static const char *expected(const char *from, const char *to)
{
	bool by_arrival = !strcmp(from, "fifo");

	if (!strcmp(to, "cflru"))
		return by_arrival ? CFLRU_BY_ARRIVAL : CFLRU_BY_USE;
	if (!strncmp(to, "cflru-ef", 8))
		return by_arrival ? CLEAN_DIRTY_BY_ARRIVAL : CLEAN_DIRTY_BY_USE;
	return by_arrival ? BY_ARRIVAL : BY_USE;
}

static void switch_keeps_the_order(struct kunit *test)
{
	const char *from = *(const char *const *)test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ordered); i++) {
		struct td *td = td_simple(test, spec_named(test, from));

		mix(td);
		KUNIT_ASSERT_EQ(test, td->e->tier.used_pages, TD_FRAMES);
		KUNIT_ASSERT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES / 2);
		begin_switch(td, spec_named(test, ordered[i]));
		finish_switch(td);
		KUNIT_EXPECT_PTR_EQ(test, td->e->draining, (struct ssdc_replacement *)NULL);
		KUNIT_EXPECT_EQ(test, td->e->tier.dirty_pages, TD_FRAMES / 2);
		KUNIT_EXPECT_STREQ_MSG(test, td_drain(td), expected(from, ordered[i]), "%s to %s",
				       from, ordered[i]);
		td_exit(test);
	}
}

static void switch_keeps_the_data(struct kunit *test)
{
	const struct ssdc_plugin_type *from = type_param(test), *to = NULL;

	while ((to = ssdc_type_next(SSDC_REPLACEMENT, to))) {
		struct td *td = td_simple(test, spec_of(test, from));

		mix(td);
		begin_switch(td, spec_of(test, to));
		td_load(td, 0, 4);
		finish_switch(td);
		td_load(td, 0, TD_FRAMES);
		TD_EXPECT_STAT(td, "failed_requests", 0);
		/* and all frames can still be evicted */
		td_fill(td, 50, 2 * TD_FRAMES);
		td_load(td, 0, TD_FRAMES);
		td_clean_all(td);
		td_exit(test);
	}
}

/* As spec_of(), with blocks that do not reach from one page of distant_pages() to the next. */
static const char *spec_with_blocks(struct kunit *test, const struct ssdc_plugin_type *type)
{
	const char *spec = spec_of(test, type);
	char *longer = kunit_kzalloc(test, SSDC_SPEC_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, longer);
	if (!has_tunable(&type->info, "block"))
		return spec;
	scnprintf(longer, SSDC_SPEC_LEN, "%s%cblock=8", spec, strchr(spec, ':') ? ',' : ':');
	return longer;
}

/* The order of use is not that of addresses. */
static void distant_pages(struct td *td, bool dirty)
{
	u32 i;

	for (i = 0; i < TD_FRAMES; i++) {
		if (dirty)
			td_fill(td, i * 5 % TD_FRAMES * 8, 1);
		else
			td_load(td, i * 5 % TD_FRAMES * 8, 1);
	}
}

/* wow goes by address. vbbms adopts recent pages into its random region, which it empties first. */
static const char *order_of_distant_pages(const char *policy)
{
	if (!strcmp(policy, "wow"))
		return "A I Q Y 32 40 48 56 64 72 80 88 96 104 112 120";
	if (!strcmp(policy, "vbbms"))
		return "Y 64 104 Q 56 96 I 48 88 A 40 80 120 32 72 112";
	return "A 40 80 120 32 72 112 Y 64 104 Q 56 96 I 48 88";
}

/* Pages that do not differ except in recency leave each policy in the order of recency. */
static void switch_adopts_by_recency(struct kunit *test)
{
	const struct ssdc_plugin_type *to = type_param(test);
	int dirty;

	for (dirty = 0; dirty < 2; dirty++) {
		struct td *td = td_simple(test, "lru");

		distant_pages(td, dirty);
		begin_switch(td, spec_with_blocks(test, to));
		finish_switch(td);
		KUNIT_EXPECT_STREQ(test, td_drain(td), order_of_distant_pages(to->info.name));
		td_exit(test);
	}
}

/* Requests between begin and the last step: hits, misses, evictions, a flush, a discard. */
static void switch_with_requests_meanwhile(struct kunit *test)
{
	const struct ssdc_plugin_type *from = type_param(test), *to = NULL;

	while ((to = ssdc_type_next(SSDC_REPLACEMENT, to))) {
		struct td *td = td_simple(test, spec_of(test, from));

		mix(td);
		begin_switch(td, spec_of(test, to));
		td_fill(td, 2, 2);
		td_load(td, 9, 2);
		td_fill(td, 40, 3);
		td_submit(td, SSDC_DISCARD, 15 * 8, 8);
		td_clean_all(td);
		td_load(td, 60, 2);
		finish_switch(td);
		TD_EXPECT_STAT(td, "failed_requests", 0);
		td_fill(td, 80, 2 * TD_FRAMES);
		td_exit(test);
	}
}

/* A page that is used during the change moves at once, as the most recent page. */
static void switch_hit_moves_the_page_over(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 4);
	begin_switch(td, "lru");
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "");
	td_load(td, 1, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "B");
	td_fill(td, 9, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "J B");
	finish_switch(td);

	/* the others follow, colder than all pages used since */
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "J B D C A");
}

/* fifo treats a page that is used during the change as old, not as new. */
static void switch_hit_does_not_make_a_page_new(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, 4);
	begin_switch(td, "fifo");
	td_fill(td, 9, 1);
	td_load(td, 1, 1);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "J B");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "J B D C A");
}

static void switch_hit_of_a_clean_page_keeps_it_clean(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_load(td, 0, 2);
	td_fill(td, 2, 2);
	begin_switch(td, "cflru-ef-sc");
	td_load(td, 0, 1);
	td_load(td, 2, 1);
	finish_switch(td);

	/* clean A B, dirty C D */
	KUNIT_EXPECT_STREQ(test, td_counted(td, 0), "A0 B0");
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "C1 D1");
}

static void switch_victims_come_from_the_old_policy(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	td_fill(td, 0, TD_FRAMES);
	begin_switch(td, "fifo");
	td_fill(td, 20, 2);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 1));
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "V U");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "V U P O N M L K J I H G F E D C");
}

/* 200 pages move, 16 per step, so that the lock is not held for long. */
static void switch_goes_in_steps(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.dram_bytes = 256 * params.page_bytes;
	params.origin_sectors = 256 * TD_PAGE_SECTORS;
	td = td_new(test, &params);
	td_fill(td, 0, 200);
	begin_switch(td, "cflru");
	KUNIT_EXPECT_NULL(test, ssdc_switch_step(td->e));
	KUNIT_EXPECT_EQ(test, td->e->replacement->pages, 16u);
	KUNIT_EXPECT_EQ(test, td->e->draining->pages, 184u);
	td_load(td, 0, 1);
	KUNIT_EXPECT_EQ(test, td->e->draining->pages, 183u);
	KUNIT_EXPECT_EQ(test, finish_switch(td), 12u);
}

static void switch_of_an_empty_tier(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	begin_switch(td, "cflru-ef-sc");
	KUNIT_EXPECT_EQ(test, finish_switch(td), 1u);
	td_fill(td, 0, 1);
}

static void switch_one_at_a_time(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_error error = {};
	struct ssdc_plugin *third;

	td_fill(td, 0, 4);
	begin_switch(td, "fifo");
	third = ssdc_plugin_create(SSDC_REPLACEMENT, "lfu", &td->e->tier, &error);
	KUNIT_ASSERT_NOT_NULL(test, third);
	KUNIT_EXPECT_EQ(test, ssdc_switch_begin(td->e, (struct ssdc_replacement *)third), -EBUSY);
	ssdc_plugin_destroy(third);
	finish_switch(td);
	begin_switch(td, "lfu");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "D C B A");
}

/* When their I/O ends, pages in flight belong to no policy, or to the old one. */
static void switch_with_io_in_flight(struct kunit *test)
{
	const struct ssdc_plugin_type *from = type_param(test), *to = NULL;

	while ((to = ssdc_type_next(SSDC_REPLACEMENT, to))) {
		struct td *td = td_simple(test, spec_of(test, from));
		struct td_host *write, *read, *flush;

		td_fill(td, 0, TD_FRAMES);
		write = td_submit(td, SSDC_WRITE, 40 * 8, 16);
		read = td_read_page(td, 50);
		flush = td_flush(td);
		td_background(td);
		KUNIT_ASSERT_GT(test, td_start_ios(td), 3u);
		begin_switch(td, spec_of(test, to));
		/* a victim whose flush fails enters the new policy */
		td_end_io(td, 0, -EIO);
		td_end_io(td, 0, 0);
		td_run_ready(td);
		td_start_ios(td);
		finish_switch(td);
		td_end_io(td, 0, -EIO);
		td_settle(td);
		TD_EXPECT_DONE(td, write);
		TD_EXPECT_DONE(td, read);
		KUNIT_EXPECT_TRUE(test, flush->done);
		KUNIT_EXPECT_EQ(test, flush->rq.error, -EIO);
		td_clean_all(td);
		td_load(td, 0, TD_FRAMES);
		td_exit(test);
	}
}

/* A page enters when its read begins, also for policies that merge lists. */
static void switch_order_with_a_late_fill(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef:threshold=100");
	struct td_host *read = td_read_page(td, 0);

	td_start_ios(td);
	td_fill(td, 1, 3);
	td_end_io(td, 0, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);

	/* clean A; dirty D C B; A entered first */
	begin_switch(td, "lru");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "D C B A");
	begin_switch(td, spec_of(test, type_param(test)));
	finish_switch(td);
}

/* A victim that could not be written is the most recent page, also in the next policy. */
static void switch_order_with_a_failed_victim(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");
	struct td_host *write;

	td_fill(td, 0, TD_FRAMES);
	td_load(td, 15, 1);
	write = td_write_page(td, 20);
	td_start_ios(td);
	td_end_io(td, 0, -EIO);
	td_settle(td);
	TD_EXPECT_DONE(td, write);

	/* the flush of A failed after U had entered */
	KUNIT_EXPECT_STREQ(test, td_list(td, 1), "A U O N M L K J I H G F E D C B");
	KUNIT_EXPECT_STREQ(test, td_list(td, 2), "P");
	begin_switch(td, "lru");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, 0), "A U P O N M L K J I H G F E D C B");
}

/* Counts start anew: those of the old policy may mean something else. */
static void switch_starts_counts_anew(struct kunit *test)
{
	struct td *td = td_simple(test, "lfu");

	td_fill(td, 0, 2);
	td_fill(td, 0, 1);
	td_fill(td, 0, 1);
	begin_switch(td, "cflru-ef-sc");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "A1 B1");
	td_fill(td, 0, 1);
	begin_switch(td, "lfu");
	finish_switch(td);
	KUNIT_EXPECT_STREQ(test, td_counted(td, 1), "A1 B1");
}

static struct kunit_case switch_cases[] = {
	KUNIT_CASE_PARAM(switch_keeps_the_order, ordered_gen_params),
	KUNIT_CASE_PARAM(switch_keeps_the_data, any_gen_params),
	KUNIT_CASE_PARAM(switch_adopts_by_recency, any_gen_params),
	KUNIT_CASE_PARAM(switch_with_requests_meanwhile, any_gen_params),
	KUNIT_CASE_PARAM(switch_with_io_in_flight, any_gen_params),
	KUNIT_CASE_PARAM(switch_order_with_a_late_fill, any_gen_params),
	KUNIT_CASE(switch_order_with_a_failed_victim),
	KUNIT_CASE(switch_hit_moves_the_page_over),
	KUNIT_CASE(switch_hit_does_not_make_a_page_new),
	KUNIT_CASE(switch_hit_of_a_clean_page_keeps_it_clean),
	KUNIT_CASE(switch_victims_come_from_the_old_policy),
	KUNIT_CASE(switch_goes_in_steps),
	KUNIT_CASE(switch_of_an_empty_tier),
	KUNIT_CASE(switch_one_at_a_time),
	KUNIT_CASE(switch_starts_counts_anew),
	{}
};

static struct kunit_suite switch_suite = {
	.name = "ssdcache_switch",
	.exit = td_exit,
	.test_cases = switch_cases,
};

kunit_test_suite(switch_suite);
