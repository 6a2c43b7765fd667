// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include "driver.h"

struct bad_params {
	const char *what;
	u64 dram_bytes;
	u64 page_bytes;
	u64 origin_sectors;
	const char *replacement;
	const char *admission;
	const char *prefetch;
	const char *text;	/* NULL: @word is no plug-in of @kind */
	enum ssdc_kind kind;
	const char *word;
};

#define PAGE_RANGE " is not a power of two from 4k to 64k"

static const struct bad_params bad_params[] = {
	{ "page of 0", 65536, 0, 1024, "lru", "read-write", "none", "page: 0" PAGE_RANGE },
	{ "page of 512", 65536, 512, 1024, "lru", "read-write", "none", "page: 512" PAGE_RANGE },
	{ "page of 2k", 65536, 2048, 1024, "lru", "read-write", "none", "page: 2k" PAGE_RANGE },
	{ "page of 128k", 1 << 24, 131072, 1024, "lru", "read-write", "none",
	  "page: 128k" PAGE_RANGE },
	{ "page of 5000", 65536, 5000, 1024, "lru", "read-write", "none", "page: 5000" PAGE_RANGE },
	{ "huge page", 65536, 1ULL << 63, 1024, "lru", "read-write", "none",
	  "page: 8388608t" PAGE_RANGE },
	{ "no dram", 0, 4096, 1024, "lru", "read-write", "none",
	  "dram: 0 is not from 64k (16 pages) to 128g" },
	{ "little dram", 65535, 4096, 1024, "lru", "read-write", "none",
	  "dram: 65535 is not from 64k (16 pages) to 128g" },
	{ "little dram for its pages", 524288, 65536, 1024, "lru", "read-write", "none",
	  "dram: 512k is not from 1m (16 pages) to 2t" },
	{ "much dram", 1ULL << 43, 4096, 1024, "lru", "read-write", "none",
	  "dram: 8t is not from 64k (16 pages) to 128g" },
	{ "most dram", U64_MAX, 4096, 1024, "lru", "read-write", "none",
	  "dram: 18446744073709551615 is not from 64k (16 pages) to 128g" },
	{ "empty origin", 65536, 4096, 0, "lru", "read-write", "none", "origin: is empty" },
	{ "bad replacement", 65536, 4096, 1024, "mru", "read-write", "none",
	  NULL, SSDC_REPLACEMENT, "mru" },
	{ "bad tunable", 65536, 4096, 1024, "cflru:window=0", "read-write", "none",
	  "window: \"0\" is not a number from 1 to 100 percent" },
	{ "bad admission", 65536, 4096, 1024, "lru", "all", "none",
	  NULL, SSDC_ADMISSION, "all" },
	{ "bad prefetch", 65536, 4096, 1024, "lru", "read-write", "all",
	  NULL, SSDC_PREFETCH, "all" },
};

static void bad_desc(const struct bad_params *p, char *desc)
{
	strscpy(desc, p->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_params, bad_desc);

/* Creation fails without a leak: kmemleak checks this in the debug kernel. */
static void engine_refuses_bad_parameters(struct kunit *test)
{
	const struct bad_params *bad = test->param_value;
	struct ssdc_params params = td_params();
	struct ssdc_error error = {};
	struct ssdc_engine *e;

	params.dram_bytes = bad->dram_bytes;
	params.page_bytes = bad->page_bytes;
	params.origin_sectors = bad->origin_sectors;
	params.replacement = bad->replacement;
	params.admission = bad->admission;
	params.prefetch = bad->prefetch;
	e = ssdc_engine_create(&params, &error);
	KUNIT_EXPECT_NULL(test, e);
	KUNIT_EXPECT_STREQ(test, error.text, bad->text ? bad->text :
			   td_not_one_of(test, bad->kind, bad->word));
	ssdc_engine_destroy(e);
}

/* The largest DRAM tier: the usual test guest has too little memory for its entries alone. */
static void engine_says_how_much_memory_it_lacks(struct kunit *test)
{
	u64 entries_bytes = (u64)SSDC_MAX_FRAMES * sizeof(struct ssdc_entry);
	struct ssdc_params params = td_params();
	struct ssdc_error error = {};
	char text[SSDC_ERROR_LEN];
	struct ssdc_engine *e;

	if (totalram_pages() > entries_bytes >> PAGE_SHIFT)
		kunit_skip(test, "the guest has memory for it");
	params.dram_bytes = (u64)SSDC_MAX_FRAMES * params.page_bytes;
	scnprintf(text, sizeof(text),
		  "no memory: %llu bytes are needed to keep track of the DRAM tier",
		  ssdc_engine_bytes(&params));
	e = ssdc_engine_create(&params, &error);
	KUNIT_EXPECT_NULL(test, e);
	KUNIT_EXPECT_STREQ(test, error.text, text);
	ssdc_engine_destroy(e);
}

static void engine_destroy_of_nothing(struct kunit *test)
{
	ssdc_engine_destroy(NULL);
}

static void engine_geometry(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.page_bytes = 16384;
	params.dram_bytes = 100 * 16384 + 16383;
	params.origin_sectors = 12345;
	td = td_new(test, &params);
	KUNIT_EXPECT_EQ(test, td->e->tier.capacity, 100u);
	KUNIT_EXPECT_EQ(test, td->e->tier.page_sectors, 32u);
	KUNIT_EXPECT_EQ(test, td->e->tier.page_shift, 5u);
	KUNIT_EXPECT_EQ(test, td->e->mask_bytes, 4u);
	KUNIT_EXPECT_EQ(test, td->e->nr_free, 164u);
	TD_EXPECT_STAT(td, "reserve_bytes", 64 * params.page_bytes);
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
}

static void engine_metadata_is_small(struct kunit *test)
{
	struct ssdc_params params = { .dram_bytes = 1ULL << 30, .page_bytes = 4096 };
	u64 bytes = ssdc_engine_bytes(&params) - sizeof(struct ssdc_engine);
	struct td *td;

	params = td_params();
	params.dram_bytes = 16384 * params.page_bytes;
	td = td_new(test, &params);
	/* 56 bytes per frame; the reserve adds a sixteenth */
	KUNIT_EXPECT_LE(test, ssdc_page_overhead_bytes(td->e), 60u);
	KUNIT_EXPECT_LE(test, bytes >> 18, 64ULL);
	KUNIT_EXPECT_GE(test, bytes >> 18, (u64)sizeof(struct ssdc_entry));
}

/* A frame per page in small tiers, then 1 MiB, a sixteenth of the pages, 16 MiB. */
static void engine_reserve(struct kunit *test)
{
	static const struct {
		u64 page_bytes;
		u64 pages;
		u64 frames;
	} rows[] = {
		{ 4096, 16, 16 }, { 4096, 256, 256 }, { 4096, 1000, 256 }, { 4096, 4112, 257 },
		{ 4096, 16384, 1024 }, { 4096, 65536, 4096 }, { 4096, 1 << 20, 4096 },
		{ 8192, 200, 128 }, { 8192, 1 << 20, 2048 },
		{ 65536, 16, 16 }, { 65536, 256, 16 }, { 65536, 320, 20 }, { 65536, 1 << 20, 256 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 page_bytes = rows[i].page_bytes;
		struct ssdc_params params = {
			.dram_bytes = rows[i].pages * page_bytes + page_bytes - 1,
			.page_bytes = page_bytes,
		};

		KUNIT_EXPECT_EQ(test, ssdc_nr_frames(&params), rows[i].pages + rows[i].frames);
		params.reserve_bytes = 100 * SSDC_MAX_RESERVE + page_bytes - 1;
		KUNIT_EXPECT_EQ(test, ssdc_nr_frames(&params),
				rows[i].pages + 100 * SSDC_MAX_RESERVE / page_bytes);
		params.reserve_bytes = 1;
		KUNIT_EXPECT_EQ(test, ssdc_nr_frames(&params),
				rows[i].pages + min(rows[i].pages, SSDC_MIN_RESERVE / page_bytes));
	}
}

/* No decision waits while the reserve has a frame, however many victims are being flushed. */
static void engine_reserve_of_any_size(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct ssdc_error error = {};
	unsigned int page;
	struct td *td;

	params.reserve_bytes = ((u64)SSDC_MAX_FRAMES - TD_FRAMES + 1) * params.page_bytes;
	KUNIT_EXPECT_EQ(test, ssdc_params_check(&params, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.text,
			   "reserve: 134217668k is more than 134217664k beside dram");
	params.reserve_bytes = 3 * params.dram_bytes;
	td = td_new(test, &params);
	TD_EXPECT_STAT(td, "reserve_bytes", params.reserve_bytes);
	for (page = 0; page < 4 * TD_FRAMES; page++)
		td_write_page(td, page);
	TD_EXPECT_STAT(td, "evicted_pages", 3 * TD_FRAMES);
	td_write_page(td, page);
	TD_EXPECT_STAT(td, "evicted_pages", 3 * TD_FRAMES);
	td_settle(td);
	TD_EXPECT_STAT(td, "evicted_pages", 3 * TD_FRAMES + 1);
}

static void engine_reset_stats_leaves_levels(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");

	td_fill(td, 0, TD_FRAMES + 3);
	td_load(td, 0, 3);
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "dirty_victims"), 0ULL);
	ssdc_reset_stats(td->e);
	TD_EXPECT_STAT(td, "write_pages", 0);
	TD_EXPECT_STAT(td, "evictions", 0);
	TD_EXPECT_STAT(td, "batch_flushed", 0);
	TD_EXPECT_STAT(td, "used", TD_FRAMES);
	TD_EXPECT_POLICY_STAT(td, "dirty_victims", 0);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_WRITE].count, 0ULL);
	KUNIT_EXPECT_EQ(test, td->e->latency[SSDC_READ].max_ns, 0ULL);
	td_check(td);
	td_load(td, 0, 3);
	TD_EXPECT_STAT(td, "reads", 3);
}

static void engine_reset_stats_with_requests_under_way(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct td_host *read = td_read_page(td, 0);

	ssdc_reset_stats(td->e);
	td_settle(td);
	TD_EXPECT_DONE(td, read);
	TD_EXPECT_STAT(td, "host_inflight", 0);
	TD_EXPECT_STAT(td, "device_inflight", 0);
}

/* The check that all suites rely on finds something and says what. */
static void expect_finding(struct kunit *test, const struct ssdc_engine *e, const char *words)
{
	struct ssdc_error finding;

	KUNIT_EXPECT_EQ(test, ssdc_engine_check(e, &finding), -EUCLEAN);
	KUNIT_EXPECT_STREQ(test, finding.text, words);
}

static void engine_check_names_a_wrong_count(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_engine *e = td->e;

	td_fill(td, 0, 2);
	e->tier.dirty_pages++;
	expect_finding(test, e, "dirty pages: entries show 2, the count is 3");
	e->tier.dirty_pages--;
	e->tier.used_pages--;
	expect_finding(test, e, "used pages: entries show 2, the count is 1");
	e->tier.used_pages++;
	e->replacement->pages++;
	expect_finding(test, e, "pages of the policy: entries show 2, the count is 3");
	e->replacement->pages--;
	td_check(td);
}

static void engine_check_names_a_wrong_frame(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");
	struct ssdc_engine *e = td->e;

	td_fill(td, 0, 2);
	__clear_bit(0, e->dirty_frames);
	expect_finding(test, e,
		       "frame 0 (page 0, flags 0x7): its bit in dirty_frames disagrees with SSDC_E_DIRTY and SSDC_E_UNNOTIFIED");
	__set_bit(0, e->dirty_frames);
	e->entries[0].page = ssdc_page(99);
	expect_finding(test, e, "frame 0 (page 99, flags 0x7): the directory does not find it");
	e->entries[0].page = ssdc_page(0);
	e->entries[1].flags &= ~SSDC_E_POLICY;
	expect_finding(test, e,
		       "frame 1 (page 1, flags 0x5): it belongs to no policy and is neither victim nor prefetched");
	e->entries[1].flags |= SSDC_E_POLICY;
	ssdc_mask_clear(ssdc_dirty_mask(e, ssdc_frame(0)), 0, 8);
	expect_finding(test, e,
		       "frame 0 (page 0, flags 0x7): SSDC_E_DIRTY is set, and no sector is dirty");
	ssdc_mask_set(ssdc_dirty_mask(e, ssdc_frame(0)), 0, 8);
	e->entries[2].pins += 2;
	expect_finding(test, e, "free frame 2 has flags 0x0, 2 pins, prefetched 0");
	e->entries[2].pins--;
	expect_finding(test, e,
		       "frames in use that are no page's and no twin's: entries show 1, the count is 0");
	e->entries[2].pins--;
	e->buffers[2]++;
	expect_finding(test, e, "two frames have the same buffer");
	e->buffers[2]--;
	td_check(td);
}

static void engine_check_names_the_policy_and_its_list(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru");
	struct ssdc_engine *e = td->e;

	td_fill(td, 0, 2);
	e->entries[1].next = SSDC_NO_FRAME;
	expect_finding(test, e,
		       "replacement \"cflru\": list \"dirty\": 1 pages are linked, its count is 2");
	e->entries[1].next = ssdc_frame(0);
	e->entries[0].list = 1;
	expect_finding(test, e,
		       "replacement \"cflru\": list \"dirty\": frame 0 is marked as on list 1, not 2");
	e->entries[0].list = 2;
	td_check(td);
}

static struct kunit_case engine_cases[] = {
	KUNIT_CASE_PARAM(engine_refuses_bad_parameters, bad_gen_params),
	KUNIT_CASE(engine_says_how_much_memory_it_lacks),
	KUNIT_CASE(engine_destroy_of_nothing),
	KUNIT_CASE(engine_geometry),
	KUNIT_CASE(engine_metadata_is_small),
	KUNIT_CASE(engine_reserve),
	KUNIT_CASE(engine_reserve_of_any_size),
	KUNIT_CASE(engine_reset_stats_leaves_levels),
	KUNIT_CASE(engine_reset_stats_with_requests_under_way),
	KUNIT_CASE(engine_check_names_a_wrong_count),
	KUNIT_CASE(engine_check_names_a_wrong_frame),
	KUNIT_CASE(engine_check_names_the_policy_and_its_list),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "ssdcache_engine",
	.exit = td_exit,
	.test_cases = engine_cases,
};

kunit_test_suite(engine_suite);
