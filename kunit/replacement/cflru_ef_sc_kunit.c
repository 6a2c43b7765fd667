// SPDX-License-Identifier: GPL-2.0
/*
 * The worked figures of [Shin23]. The paper writes a page as L(3,b): page L, write count 3,
 * on the dirty list; here "L3". List a is clean, list b is dirty, SC is the second-chance
 * list.
 */
#include "../engine/driver.h"

/* Lists, as in cflru-ef-sc.c. */
enum { CLEAN, DIRTY, SECOND };

/* Early flush above 4 of 16 pages, one page at a time. */
#define SPEC "cflru-ef-sc:threshold=25,adapt=off,ef_batch=1"

#define PAGE(letter) ((letter) - 'A')

static void write_pages(struct td *td, const char *letters)
{
	for (; *letters; letters++)
		td_fill(td, PAGE(*letters), 1);
}

static void read_pages(struct td *td, const char *letters)
{
	for (; *letters; letters++)
		td_load(td, PAGE(*letters), 1);
}

/* One early flush. */
static void idle_once(struct td *td)
{
	td_background(td);
	td_start_ios(td);
	td_end_ios(td, 0);
}

#define EXPECT_LISTS(clean, dirty, second) do { \
	KUNIT_EXPECT_STREQ(test, td_counted(td, CLEAN), clean); \
	KUNIT_EXPECT_STREQ(test, td_counted(td, DIRTY), dirty); \
	KUNIT_EXPECT_STREQ(test, td_counted(td, SECOND), second); \
} while (0)

static void sc_read_miss_enters_clean_with_count_0(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	read_pages(td, "XY");
	EXPECT_LISTS("Y0 X0", "", "");
}

static void sc_write_miss_enters_dirty_with_count_1(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "XY");
	EXPECT_LISTS("", "Y1 X1", "");
}

/* Fig. 1 (a): a read hit moves Y(0,a) from the tail to the head of the clean list. */
static void sc_fig1a_read_hit_of_a_clean_page(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	read_pages(td, "YXC");
	EXPECT_LISTS("C0 X0 Y0", "", "");
	read_pages(td, "Y");
	EXPECT_LISTS("Y0 C0 X0", "", "");
}

/* Fig. 1 (a), other lists: a read hit changes neither the list nor the write count. */
static void sc_fig1a_read_hit_of_a_dirty_page(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "DEF");
	read_pages(td, "D");
	EXPECT_LISTS("", "D1 F1 E1", "");
}

/* Fig. 1 (b) case (1): a write hit turns C(0,a) into C(1,b). */
static void sc_fig1b_1_write_hit_of_a_clean_page(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	read_pages(td, "CXY");
	write_pages(td, "D");
	EXPECT_LISTS("Y0 X0 C0", "D1", "");
	write_pages(td, "C");
	EXPECT_LISTS("Y0 X0", "C1 D1", "");
}

/* Fig. 1 (b) case (2): a write hit on the dirty list: count + 1, to its head. */
static void sc_fig1b_2_write_hit_of_a_dirty_page(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "DEF");
	write_pages(td, "D");
	EXPECT_LISTS("", "D2 F1 E1", "");
	write_pages(td, "DD");
	EXPECT_LISTS("", "D4 F1 E1", "");
}

/* L3 at the tail of five dirty pages, followed by T1, as in Fig. 2 (b). */
static struct td *fig2b(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "LLLTDEF");
	EXPECT_LISTS("", "F1 E1 D1 T1 L3", "");
	return td;
}

/* Fig. 1 (b) case (3): a write hit on the second-chance list: count + 1, to its head. */
static void sc_fig1b_3_write_hit_of_a_second_chance_page(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "KKLLDEFGH");
	idle_once(td);
	EXPECT_LISTS("D1", "H1 G1 F1 E1", "L1 K1");
	write_pages(td, "K");
	EXPECT_LISTS("D1", "H1 G1 F1 E1", "K2 L1");
	read_pages(td, "L");
	EXPECT_LISTS("D1", "H1 G1 F1 E1", "L1 K2");
}

/* Fig. 2 (a): T(1,b) is flushed at once; T(1,a) becomes the head of the clean list. */
static void sc_fig2a_immediate_early_flush(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	read_pages(td, "Z");
	write_pages(td, "TDEFG");
	EXPECT_LISTS("Z0", "G1 F1 E1 D1 T1", "");
	idle_once(td);
	EXPECT_LISTS("T1 Z0", "G1 F1 E1 D1", "");
	KUNIT_EXPECT_FALSE(test, td_dirty(td, PAGE('T')));
	TD_EXPECT_POLICY_STAT(td, "second_chances", 0);
}

/* Fig. 2 (b): L(3,b) moves to SC with count 1 and stays dirty; T(1,b) is flushed. */
static void sc_fig2b_second_chance(struct kunit *test)
{
	struct td *td = fig2b(test);

	idle_once(td);
	EXPECT_LISTS("T1", "F1 E1 D1", "L1");
	KUNIT_EXPECT_TRUE(test, td_dirty(td, PAGE('L')));
	KUNIT_EXPECT_FALSE(test, td_dirty(td, PAGE('T')));
	TD_EXPECT_POLICY_STAT(td, "second_chances", 1);
	TD_EXPECT_STAT(td, "early_flushed", 1);
}

/* While the flush of T is in flight, reads of T hit, and the policy has T as clean. */
static void sc_fig2b_during_the_flush(struct kunit *test)
{
	struct td *td = fig2b(test);
	struct td_host *read;

	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 1u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, (u64)PAGE('T') * 8);
	read = td_read_page(td, PAGE('T'));
	TD_EXPECT_DONE(td, read);
	KUNIT_EXPECT_STREQ(test, td_counted(td, CLEAN), "T1");
}

/*
 * Fig. 3, adjust_list_size(), runs whenever the dirty list is shorter than SC:
 *
 *	dirty E2 D2 C2 B2 A2		SC -
 *	      E2 D2 C2			   B1 A1
 *	      A1 E2 D2			   C1 B1	A moved back
 *	      B1 A1 E2			   D1 C1	B moved back
 *	      C1 B1 A1			   E1 D1	C moved back
 *	      C1 B1			   E1 D1	A flushed
 */
static void sc_fig3_lists_are_evened_out(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AABBCCDDEE");
	EXPECT_LISTS("", "E2 D2 C2 B2 A2", "");
	idle_once(td);
	EXPECT_LISTS("A1", "C1 B1", "E1 D1");
	TD_EXPECT_POLICY_STAT(td, "second_chances", 5);
	TD_EXPECT_POLICY_STAT(td, "clean_list", 1);
	TD_EXPECT_POLICY_STAT(td, "dirty_list", 2);
	TD_EXPECT_POLICY_STAT(td, "second_chance_list", 2);
}

/* A page not rewritten after its second chance is flushed at the next turn. */
static void sc_second_chance_is_only_one(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AABBCCDDEE");
	td_settle(td);
	EXPECT_LISTS("A1", "C1 B1", "E1 D1");
	write_pages(td, "F");
	EXPECT_LISTS("A1", "F1 C1 B1", "E1 D1");
	/* B leaves, then the lists are balanced */
	td_settle(td);
	EXPECT_LISTS("B1 A1", "F1 C1", "E1 D1");
	write_pages(td, "GH");
	td_settle(td);
	EXPECT_LISTS("F1 C1 B1 A1", "H1 G1", "E1 D1");
}

/* "The write count remains unchanged": a page rewritten after an early flush has count 2. */
static void sc_rewrite_after_early_flush_earns_a_second_chance(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "TDEFG");
	idle_once(td);
	EXPECT_LISTS("T1", "G1 F1 E1 D1", "");
	write_pages(td, "T");
	EXPECT_LISTS("", "T2 G1 F1 E1 D1", "");
	write_pages(td, "DEFG");
	EXPECT_LISTS("", "G2 F2 E2 D2 T2", "");
	idle_once(td);
	KUNIT_EXPECT_EQ(test, td_entry(td, PAGE('T'))->weight & 0x7fffffff, 1u);
	KUNIT_EXPECT_GT(test, td_policy_stat(td, "second_chances"), 0ULL);
}

static void sc_forced_flush_leaves_the_count(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AAB");
	td_clean_all(td);
	EXPECT_LISTS("B1 A2", "", "");
	write_pages(td, "A");
	EXPECT_LISTS("B1", "A3", "");
}

static void sc_forced_flush_of_a_second_chance_page(struct kunit *test)
{
	struct td *td = fig2b(test);

	idle_once(td);
	td_clean_all(td);
	KUNIT_EXPECT_STREQ(test, td_list(td, DIRTY), "");
	KUNIT_EXPECT_STREQ(test, td_list(td, SECOND), "");
	TD_EXPECT_POLICY_STAT(td, "clean_list", 5);
}

/* Victims: clean first, then dirty, then SC, each from its tail. */
static void sc_victim_order(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AABBCCDDEE");
	read_pages(td, "X");
	idle_once(td);
	EXPECT_LISTS("A1 X0", "C1 B1", "E1 D1");
	KUNIT_EXPECT_STREQ(test, td_drain(td), "X A B C D E");
}

static void sc_victim_of_each_list_by_requests(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AABBCCDDEE");
	idle_once(td);
	read_pages(td, "FGHIJKLMNO");
	EXPECT_LISTS("O0 N0 M0 L0 K0 J0 I0 H0 G0 F0 A1", "C1 B1", "E1 D1");
	/* P takes a free frame, then Q evicts A, the tail of clean. */
	read_pages(td, "PQ");
	KUNIT_EXPECT_FALSE(test, td_cached(td, PAGE('A')));
	KUNIT_EXPECT_TRUE(test, td_cached(td, PAGE('F')));
	TD_EXPECT_STAT(td, "evicted_clean", 1);
}

static void sc_count_is_forgotten_on_eviction(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AAA");
	td_submit(td, SSDC_DISCARD, 0, 8);
	td_settle(td);
	write_pages(td, "A");
	EXPECT_LISTS("", "A1", "");
	td_submit(td, SSDC_DISCARD, 0, 8);
	td_settle(td);
	read_pages(td, "A");
	EXPECT_LISTS("A0", "", "");
}

/* Fig. 3 gets stuck if only SC holds dirty pages, so the lists are balanced first. */
static void sc_empty_dirty_list_does_not_stop_early_flush(struct kunit *test)
{
	struct td *td = td_simple(test, SPEC);

	write_pages(td, "AABBCCDDEE");
	idle_once(td);
	EXPECT_LISTS("A1", "C1 B1", "E1 D1");
	td_submit(td, SSDC_DISCARD, PAGE('B') * 8, 16);
	while (!list_empty(&td->forwarded))
		td_end_forward(td, 0);
	td_set(td, "threshold", "0");
	td_run_ready(td);
	EXPECT_LISTS("A1", "", "E1 D1");
	idle_once(td);
	EXPECT_LISTS("D1 A1", "E1", "");
	td_settle(td);
	EXPECT_LISTS("E1 D1 A1", "", "");
}

/* "As many dirty buffers as possible together", with second chances in between. */
static void sc_batch_of_several(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef-sc:threshold=25,adapt=off,ef_batch=3");

	write_pages(td, "LLTDMMEFGHI");
	EXPECT_LISTS("", "I1 H1 G1 F1 E1 M2 D1 T1 L2", "");
	td_background(td);
	/* 9 dirty, 4 allowed: T, D, E in one batch; L and M get a second chance */
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	KUNIT_EXPECT_EQ(test, td->ios[0].io.sector, (u64)PAGE('T') * 8);
	KUNIT_EXPECT_EQ(test, td->ios[1].io.sector, (u64)PAGE('D') * 8);
	KUNIT_EXPECT_EQ(test, td->ios[2].io.sector, (u64)PAGE('E') * 8);
	EXPECT_LISTS("E1 D1 T1", "I1 H1 G1 F1", "M1 L1");
}

/* 300 bytes for each of 16 pages of 4 KiB: two pages less. Victims leave before pages enter. */
static void sc_metadata_are_charged(struct kunit *test)
{
	struct td *td = td_simple(test, "cflru-ef-sc:charge=300");

	td_fill(td, 0, TD_FRAMES - 2);
	TD_EXPECT_STAT(td, "evictions", 0);
	td_load(td, 30, 1);
	TD_EXPECT_STAT(td, "evicted_pages", 1);
	KUNIT_EXPECT_TRUE(test, td_cached(td, 30));
	KUNIT_EXPECT_FALSE(test, td_cached(td, 0));
	td_settle(td);
	TD_EXPECT_STAT(td, "used", TD_FRAMES - 2);
}

/* 200 rewritten pages: early flush works in steps, to bound the time under the lock. */
static void sc_early_flush_goes_in_steps(struct kunit *test)
{
	struct ssdc_params params = td_params();
	struct td *td;
	u32 i;

	params.dram_bytes = 256 * params.page_bytes;
	params.origin_sectors = 256 * TD_PAGE_SECTORS;
	params.replacement = SPEC;
	td = td_new(test, &params);
	for (i = 0; i < 200; i++) {
		td_fill(td, i, 1);
		td_fill(td, i, 1);
	}
	KUNIT_EXPECT_EQ(test, ssdc_background(td->e, td->now_ns), 0ULL);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 0u);
	KUNIT_EXPECT_LE(test, td_policy_stat(td, "second_chances"), (u64)SSDC_STEP_FRAMES);
	td_background(td);
	KUNIT_EXPECT_EQ(test, td_start_ios(td), 1u);
	td_settle(td);
	TD_EXPECT_STAT(td, "dirty", 64);
}

static struct kunit_case sc_cases[] = {
	KUNIT_CASE(sc_read_miss_enters_clean_with_count_0),
	KUNIT_CASE(sc_write_miss_enters_dirty_with_count_1),
	KUNIT_CASE(sc_fig1a_read_hit_of_a_clean_page),
	KUNIT_CASE(sc_fig1a_read_hit_of_a_dirty_page),
	KUNIT_CASE(sc_fig1b_1_write_hit_of_a_clean_page),
	KUNIT_CASE(sc_fig1b_2_write_hit_of_a_dirty_page),
	KUNIT_CASE(sc_fig1b_3_write_hit_of_a_second_chance_page),
	KUNIT_CASE(sc_fig2a_immediate_early_flush),
	KUNIT_CASE(sc_fig2b_second_chance),
	KUNIT_CASE(sc_fig2b_during_the_flush),
	KUNIT_CASE(sc_fig3_lists_are_evened_out),
	KUNIT_CASE(sc_second_chance_is_only_one),
	KUNIT_CASE(sc_rewrite_after_early_flush_earns_a_second_chance),
	KUNIT_CASE(sc_forced_flush_leaves_the_count),
	KUNIT_CASE(sc_forced_flush_of_a_second_chance_page),
	KUNIT_CASE(sc_victim_order),
	KUNIT_CASE(sc_victim_of_each_list_by_requests),
	KUNIT_CASE(sc_count_is_forgotten_on_eviction),
	KUNIT_CASE(sc_empty_dirty_list_does_not_stop_early_flush),
	KUNIT_CASE(sc_batch_of_several),
	KUNIT_CASE(sc_metadata_are_charged),
	KUNIT_CASE(sc_early_flush_goes_in_steps),
	{}
};

static struct kunit_suite sc_suite = {
	.name = "ssdcache_cflru_ef_sc",
	.exit = td_exit,
	.test_cases = sc_cases,
};

kunit_test_suite(sc_suite);
