// SPDX-License-Identifier: GPL-2.0
/*
 * The worked figures of [Lin22], after its text: the drawings were not available. Fig. 5
 * and 6 use delta = 2. Time is counted in host requests.
 */
#include "../engine/driver.h"

#define SPEC "req-block:delta=2"

/* Only written pages enter, so reads of other pages only advance the time. */
static struct td *new_td(struct kunit *test, const char *spec)
{
	struct ssdc_params params = td_params();

	params.replacement = spec;
	params.admission = "write-buffer";
	return td_new(test, &params);
}

static void write_run(struct td *td, char first, u32 pages)
{
	struct td_host *host = td_submit(td, SSDC_WRITE, (first - 'A') * TD_PAGE_SECTORS,
					 pages * TD_PAGE_SECTORS);

	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

static void read_run(struct td *td, char first, u32 pages)
{
	struct td_host *host = td_submit(td, SSDC_READ, (first - 'A') * TD_PAGE_SECTORS,
					 pages * TD_PAGE_SECTORS);

	td_settle(td);
	TD_EXPECT_DONE(td, host);
}

static void pass_time(struct td *td, u32 requests)
{
	while (requests--)
		td_load(td, 100, 1);
}

#define EXPECT_LIST(list, blocks, pages) do { \
	TD_EXPECT_POLICY_STAT(td, list "_blocks", blocks); \
	TD_EXPECT_POLICY_STAT(td, list "_pages", pages); \
} while (0)

/* Fig. 4: "when a write request arrives, we build a request block by grouping its pages". */
static void rb_fig4_a_block_per_request(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 3);
	write_run(td, 'E', 1);
	write_run(td, 'D', 1);
	EXPECT_LIST("irl", 3, 5);
	EXPECT_LIST("srl", 0, 0);
	EXPECT_LIST("drl", 0, 0);
}

/* Fig. 5 (a): a hit on a large block in IRL moves the hit page to a new block in DRL. */
static void rb_fig5a_large_block_in_irl_is_split(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'K', 4);
	write_run(td, 'L', 1);
	EXPECT_LIST("irl", 1, 3);
	EXPECT_LIST("drl", 1, 1);
	EXPECT_LIST("srl", 0, 0);
	TD_EXPECT_POLICY_STAT(td, "splits", 1);
	TD_EXPECT_POLICY_STAT(td, "upgrades", 0);
}

/* Several hit pages of one request form one block in DRL, "regardless of its size". */
static void rb_fig5a_pages_of_a_request_stay_together(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'K', 5);
	write_run(td, 'L', 3);
	EXPECT_LIST("irl", 1, 2);
	EXPECT_LIST("drl", 1, 3);
	write_run(td, 'A', 4);
	write_run(td, 'B', 1);
	EXPECT_LIST("drl", 2, 4);
	TD_EXPECT_POLICY_STAT(td, "split_pages", 4);
}

/* Fig. 5 (a): the same for a large block in DRL. */
static void rb_fig5a_large_block_in_drl_is_split(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'K', 5);
	write_run(td, 'L', 3);
	EXPECT_LIST("drl", 1, 3);
	read_run(td, 'M', 1);
	EXPECT_LIST("drl", 2, 3);
	EXPECT_LIST("srl", 0, 0);
	TD_EXPECT_POLICY_STAT(td, "splits", 2);
}

/* Fig. 5 (b): the small block with page M moves from IRL to SRL as a whole. */
static void rb_fig5b_small_block_in_irl_is_upgraded(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'M', 2);
	read_run(td, 'M', 1);
	EXPECT_LIST("irl", 0, 0);
	EXPECT_LIST("srl", 1, 2);
	TD_EXPECT_POLICY_STAT(td, "upgrades", 1);
}

/* Fig. 5 (b): the small split-off block with page K+1 moves from DRL to SRL. */
static void rb_fig5b_small_block_in_drl_is_upgraded(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'K', 4);
	write_run(td, 'L', 1);
	EXPECT_LIST("drl", 1, 1);
	write_run(td, 'L', 1);
	EXPECT_LIST("drl", 0, 0);
	EXPECT_LIST("srl", 1, 1);
	EXPECT_LIST("irl", 1, 3);
}

/* A block of delta pages is small, a block of delta + 1 is not. */
static void rb_delta_is_the_largest_small_block(struct kunit *test)
{
	struct td *td = new_td(test, "req-block");

	write_run(td, 'A', 5);
	write_run(td, 'K', 6);
	write_run(td, 'A', 1);
	write_run(td, 'K', 1);
	EXPECT_LIST("srl", 1, 5);
	EXPECT_LIST("irl", 1, 5);
	EXPECT_LIST("drl", 1, 1);
}

/*
 * Fig. 6: the tail of DRL has the lowest frequency. Its pages B C D leave together with
 * A, E and F of their original block, which is still in IRL.
 *
 *	at time 10:	DRL  B C D	1 / (3 * 7)	lowest
 *			IRL  A E F	not the tail
 *			     Z		1 / (1 * 9)	tail
 */
static void rb_fig6_downgraded_merging(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'Z', 1);
	write_run(td, 'A', 6);
	write_run(td, 'B', 3);
	EXPECT_LIST("irl", 2, 4);
	EXPECT_LIST("drl", 1, 3);
	pass_time(td, 7);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "B C D A E F | Z");
	TD_EXPECT_POLICY_STAT(td, "merges", 1);
	TD_EXPECT_POLICY_STAT(td, "merged_pages", 3);
	TD_EXPECT_POLICY_STAT(td, "drl_victims", 1);
	TD_EXPECT_POLICY_STAT(td, "irl_victims", 1);
}

/* Alg. 1, line 12: only "if original block of victim is still in IRL". */
static void rb_no_merging_after_the_original_moved(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'Z', 1);
	write_run(td, 'A', 5);
	write_run(td, 'B', 3);
	/* A E is small now */
	write_run(td, 'A', 1);
	EXPECT_LIST("srl", 1, 2);
	pass_time(td, 10);
	/* at time 14: B C D 1/33, Z 1/13, A E 3/24 */
	KUNIT_EXPECT_STREQ(test, td_batches(td), "B C D | Z | E A");
	TD_EXPECT_POLICY_STAT(td, "merges", 0);
}

/* The original block lost all its pages; its record now serves another block. */
static void rb_no_merging_with_a_block_that_came_later(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'Z', 1);
	write_run(td, 'A', 3);
	write_run(td, 'A', 3);
	EXPECT_LIST("drl", 1, 3);
	EXPECT_LIST("irl", 1, 1);
	write_run(td, 'K', 4);
	pass_time(td, 10);
	/* at time 14: A B C 1/33, Z 1/13, then K L M N 1/40 */
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B C | Z | K L M N");
	TD_EXPECT_POLICY_STAT(td, "merges", 0);
}

/* Only tails are compared: the block in the middle of IRL is the coldest of all. */
static void rb_victims_are_tails(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 1);
	write_run(td, 'F', 6);
	write_run(td, 'P', 1);
	pass_time(td, 3);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A | F G H I J K | P");
}

/* Eq. 1: accesses / (pages * age): 2 / (1 * 25) against 1 / (2 * 1), then 23 / 23. */
static void rb_eq1_old_small_block_against_a_young_large_one(struct kunit *test)
{
	struct td *td = new_td(test, "req-block");
	unsigned int i;

	write_run(td, 'A', 1);
	write_run(td, 'A', 1);
	write_run(td, 'B', 1);
	for (i = 0; i < 21; i++)
		write_run(td, 'B', 1);
	write_run(td, 'C', 2);
	pass_time(td, 1);
	EXPECT_LIST("srl", 2, 2);
	EXPECT_LIST("irl", 1, 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A | C D | B");
}

/* Eq. 1, the opposite case: 1 / (4 * 5) is less than 2 / (1 * 8). */
static void rb_eq1_large_block_against_a_small_one(struct kunit *test)
{
	struct td *td = new_td(test, "req-block");

	write_run(td, 'A', 1);
	write_run(td, 'A', 1);
	pass_time(td, 1);
	write_run(td, 'C', 4);
	pass_time(td, 5);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "C D E F | A");
}

/* Two pages in one request: one access, 2 / (2 * 4) < 1 / 3. */
static void rb_accesses_are_requests(struct kunit *test)
{
	struct td *td = new_td(test, "req-block");

	write_run(td, 'A', 2);
	write_run(td, 'C', 1);
	read_run(td, 'A', 2);
	pass_time(td, 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A B | C");
}

/* Counted by pages it is two accesses: 3 / (2 * 4) > 1 / 3. */
static void rb_accesses_are_pages_if_wanted(struct kunit *test)
{
	struct td *td = new_td(test, "req-block:count=pages");

	write_run(td, 'A', 2);
	write_run(td, 'C', 1);
	read_run(td, 'A', 2);
	pass_time(td, 2);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "C | A B");
}

/* A page that was hit is ten times as old as a new block of four, but not in requests. */
static void rb_age_by_the_clock(struct kunit *test)
{
	static const char *const specs[] = { "req-block", "req-block:clock=time" };
	static const char *const batches[] = { "C D E F | A", "A | C D E F" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		struct td *td = new_td(test, specs[i]);

		write_run(td, 'A', 1);
		write_run(td, 'A', 1);
		td->now_ns += 90000000000ULL;
		write_run(td, 'C', 4);
		td->now_ns += 10000000000ULL;
		pass_time(td, 1);
		KUNIT_EXPECT_STREQ(test, td_batches(td), batches[i]);
		td_exit(test);
	}
}

/* Requests arrive in another order than they have begun in: no block is older for that. */
static void rb_clock_never_goes_back(struct kunit *test)
{
	struct td *td = new_td(test, "req-block:clock=time");
	struct td_host *host;

	write_run(td, 'A', 1);
	td->now_ns += 10000000000ULL;
	host = td_begin(td, SSDC_READ, 0, TD_PAGE_SECTORS);
	td->now_ns += 1000000;
	write_run(td, 'C', 4);
	td_run(td, host);
	td_settle(td);
	TD_EXPECT_DONE(td, host);
	KUNIT_EXPECT_STREQ(test, td_batches(td), "A | C D E F");
}

/* A large block that is rewritten as a whole moves to DRL completely. */
static void rb_rewritten_block_stays_together(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 6);
	write_run(td, 'A', 6);
	EXPECT_LIST("drl", 1, 6);
	EXPECT_LIST("irl", 0, 0);
	EXPECT_LIST("srl", 0, 0);
}

/* By the letter of Alg. 1, the last delta pages count as a small block. */
static void rb_rewritten_block_by_the_letter(struct kunit *test)
{
	struct td *td = new_td(test, "req-block:delta=2,literal=on");

	write_run(td, 'A', 6);
	write_run(td, 'A', 6);
	EXPECT_LIST("drl", 1, 4);
	EXPECT_LIST("srl", 1, 2);
	EXPECT_LIST("irl", 0, 0);
}

/* Small blocks do not grow: a neighbouring page gets a block of its own. */
static void rb_blocks_do_not_grow(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 1);
	write_run(td, 'A', 2);
	EXPECT_LIST("srl", 1, 1);
	EXPECT_LIST("irl", 1, 1);
}

/* The block that the newest request is building is not its victim. */
static void rb_newest_request_does_not_evict_itself(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 8);
	write_run(td, 'I', 7);
	write_run(td, 'Q', 8);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 'I' - 'A'));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 'Q' - 'A'));
	EXPECT_LIST("irl", 2, 15);
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "evicted_pages", 8);
}

/* A request larger than the DRAM tier makes blocks of half the tier; the older one leaves. */
static void rb_request_larger_than_the_cache(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 20);
	EXPECT_LIST("irl", 2, 12);
	KUNIT_EXPECT_FALSE(test, td_cached(td, 7));
	KUNIT_EXPECT_TRUE(test, td_cached(td, 8));
	TD_EXPECT_STAT(td, "evictions", 1);
}

/* A block has at most 256 pages; a longer request has several. */
static void rb_block_of_a_long_request_is_bounded(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;

	params.replacement = "req-block";
	params.dram_bytes = 900 * params.page_bytes;
	params.origin_sectors = 900 * TD_PAGE_SECTORS;
	td = td_new(test, &params);
	td_submit(td, SSDC_WRITE, 0, 256 * TD_PAGE_SECTORS);
	EXPECT_LIST("irl", 1, 256);
	/* shifted by a sector it touches 257 pages: 256 were split off, one is new */
	td_submit(td, SSDC_WRITE, 1, 256 * TD_PAGE_SECTORS);
	EXPECT_LIST("drl", 1, 256);
	EXPECT_LIST("irl", 1, 1);
	td_submit(td, SSDC_WRITE, 300 * TD_PAGE_SECTORS, 600 * TD_PAGE_SECTORS);
	EXPECT_LIST("irl", 4, 601);
}

static void rb_discarded_pages_leave_their_block(struct kunit *test)
{
	struct td *td = new_td(test, SPEC);

	write_run(td, 'A', 4);
	td_submit(td, SSDC_DISCARD, 0, 2 * TD_PAGE_SECTORS);
	td_settle(td);
	EXPECT_LIST("irl", 1, 2);
	write_run(td, 'C', 1);
	EXPECT_LIST("srl", 1, 2);
}

/* Pages read into DRAM form blocks of one page. */
static void rb_pages_read_in_are_blocks_of_one(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	read_run(td, 'A', 4);
	EXPECT_LIST("irl", 4, 4);
	read_run(td, 'A', 1);
	EXPECT_LIST("srl", 1, 1);
}

static struct kunit_case rb_cases[] = {
	KUNIT_CASE(rb_fig4_a_block_per_request),
	KUNIT_CASE(rb_fig5a_large_block_in_irl_is_split),
	KUNIT_CASE(rb_fig5a_pages_of_a_request_stay_together),
	KUNIT_CASE(rb_fig5a_large_block_in_drl_is_split),
	KUNIT_CASE(rb_fig5b_small_block_in_irl_is_upgraded),
	KUNIT_CASE(rb_fig5b_small_block_in_drl_is_upgraded),
	KUNIT_CASE(rb_delta_is_the_largest_small_block),
	KUNIT_CASE(rb_fig6_downgraded_merging),
	KUNIT_CASE(rb_no_merging_after_the_original_moved),
	KUNIT_CASE(rb_no_merging_with_a_block_that_came_later),
	KUNIT_CASE(rb_victims_are_tails),
	KUNIT_CASE(rb_eq1_old_small_block_against_a_young_large_one),
	KUNIT_CASE(rb_eq1_large_block_against_a_small_one),
	KUNIT_CASE(rb_accesses_are_requests),
	KUNIT_CASE(rb_accesses_are_pages_if_wanted),
	KUNIT_CASE(rb_rewritten_block_stays_together),
	KUNIT_CASE(rb_rewritten_block_by_the_letter),
	KUNIT_CASE(rb_blocks_do_not_grow),
	KUNIT_CASE(rb_age_by_the_clock),
	KUNIT_CASE(rb_clock_never_goes_back),
	KUNIT_CASE(rb_newest_request_does_not_evict_itself),
	KUNIT_CASE(rb_request_larger_than_the_cache),
	KUNIT_CASE(rb_block_of_a_long_request_is_bounded),
	KUNIT_CASE(rb_discarded_pages_leave_their_block),
	KUNIT_CASE(rb_pages_read_in_are_blocks_of_one),
	{}
};

static struct kunit_suite rb_suite = {
	.name = "ssdcache_req_block",
	.exit = td_exit,
	.test_cases = rb_cases,
};

kunit_test_suite(rb_suite);
