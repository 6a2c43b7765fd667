// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/policy-api/frame-list.h"

#define LIST_ID 3
#define NR 8

struct fixture {
	struct ssdc_entry entries[NR];
	struct ssdc_list list;
	struct ssdc_error finding;
	char text[2 * NR + 1];
};

enum { A, B, C, D };

static int frame_list_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned int i;

	if (!f)
		return -ENOMEM;
	for (i = 0; i < NR; i++) {
		f->entries[i].list = LIST_ID;
		f->entries[i].flags = SSDC_E_POLICY;
	}
	ssdc_list_init(&f->list);
	test->priv = f;
	return 0;
}

static void push(struct fixture *f, int frame)
{
	ssdc_list_add_head(f->entries, &f->list, ssdc_frame(frame));
}

static int check(struct fixture *f)
{
	return ssdc_list_check(f->entries, &f->list, LIST_ID, "test", &f->finding);
}

/* check() finds something and says so. */
static void expect_finding(struct kunit *test, const char *words)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, check(f), -EUCLEAN);
	KUNIT_EXPECT_STREQ(test, f->finding.text, words);
}

/* "C B A": from head to tail, having verified the links. */
static const char *text(struct kunit *test)
{
	struct fixture *f = test->priv;
	ssdc_frame_t frame;
	char *at = f->text;

	KUNIT_EXPECT_EQ(test, check(f), 0);
	KUNIT_EXPECT_EQ(test, ssdc_list_empty(&f->list), f->list.head == SSDC_NO_FRAME);
	for (frame = f->list.head; frame != SSDC_NO_FRAME;
	     frame = f->entries[ssdc_frame_nr(frame)].next) {
		if (at != f->text)
			*at++ = ' ';
		*at++ = 'A' + ssdc_frame_nr(frame);
	}
	*at = '\0';
	return f->text;
}

static void frame_list_is_empty_at_first(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, ssdc_list_empty(&f->list));
	KUNIT_EXPECT_STREQ(test, text(test), "");
}

static void frame_list_add_head(struct kunit *test)
{
	push(test->priv, A);
	push(test->priv, B);

	/* should be head -> B -> A -> tail */
	KUNIT_EXPECT_STREQ(test, text(test), "B A");
}

static void frame_list_add_tail(struct kunit *test)
{
	struct fixture *f = test->priv;

	ssdc_list_add_tail(f->entries, &f->list, ssdc_frame(A));
	ssdc_list_add_tail(f->entries, &f->list, ssdc_frame(B));

	/* should be head -> A -> B -> tail */
	KUNIT_EXPECT_STREQ(test, text(test), "A B");
}

static void frame_list_add_before(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	ssdc_list_add_before(f->entries, &f->list, ssdc_frame(C), ssdc_frame(A));
	ssdc_list_add_before(f->entries, &f->list, ssdc_frame(D), ssdc_frame(B));

	/* should be head -> D -> B -> C -> A -> tail */
	KUNIT_EXPECT_STREQ(test, text(test), "D B C A");
}

static void frame_list_del_middle(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	push(f, C);
	ssdc_list_del(f->entries, &f->list, ssdc_frame(B));

	/* should be head -> C -> A -> tail */
	KUNIT_EXPECT_STREQ(test, text(test), "C A");
}

static void frame_list_del_ends(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	push(f, C);
	ssdc_list_del(f->entries, &f->list, ssdc_frame(C));
	ssdc_list_del(f->entries, &f->list, ssdc_frame(A));

	/* should be head -> B -> tail */
	KUNIT_EXPECT_STREQ(test, text(test), "B");
}

static void frame_list_del_last(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	ssdc_list_del(f->entries, &f->list, ssdc_frame(A));
	KUNIT_EXPECT_STREQ(test, text(test), "");
	push(f, B);
	KUNIT_EXPECT_STREQ(test, text(test), "B");
}

static void frame_list_move_head(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	push(f, C);

	/* from the tail: C B A becomes A C B */
	ssdc_list_move_head(f->entries, &f->list, ssdc_frame(A));
	KUNIT_EXPECT_STREQ(test, text(test), "A C B");

	/* from the middle: A C B becomes C A B */
	ssdc_list_move_head(f->entries, &f->list, ssdc_frame(C));
	KUNIT_EXPECT_STREQ(test, text(test), "C A B");

	/* from the head: no change */
	ssdc_list_move_head(f->entries, &f->list, ssdc_frame(C));
	KUNIT_EXPECT_STREQ(test, text(test), "C A B");
}

/* To the same list and to another one, in every number: as if the frames were moved one by one. */
static void frame_list_move_tails(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ssdc_list other;

	push(f, A);
	push(f, B);
	push(f, C);
	ssdc_list_move_tails(f->entries, &f->list, &f->list, ssdc_frame(A), 0);
	KUNIT_EXPECT_STREQ(test, text(test), "C B A");
	ssdc_list_move_tails(f->entries, &f->list, &f->list, ssdc_frame(A), 1);
	KUNIT_EXPECT_STREQ(test, text(test), "A C B");
	ssdc_list_move_tails(f->entries, &f->list, &f->list, ssdc_frame(C), 2);
	KUNIT_EXPECT_STREQ(test, text(test), "C B A");
	ssdc_list_move_tails(f->entries, &f->list, &f->list, ssdc_frame(C), 3);
	KUNIT_EXPECT_STREQ(test, text(test), "C B A");

	ssdc_list_init(&other);
	ssdc_list_move_tails(f->entries, &f->list, &other, ssdc_frame(B), 2);
	KUNIT_EXPECT_STREQ(test, text(test), "C");
	ssdc_list_move_tails(f->entries, &f->list, &other, ssdc_frame(C), 1);
	KUNIT_EXPECT_TRUE(test, ssdc_list_empty(&f->list));
	KUNIT_EXPECT_TRUE(test, f->list.head == SSDC_NO_FRAME && f->list.tail == SSDC_NO_FRAME);
	ssdc_list_move_tails(f->entries, &other, &f->list, ssdc_frame(C), 3);
	KUNIT_EXPECT_STREQ(test, text(test), "C B A");
	KUNIT_EXPECT_TRUE(test, ssdc_list_empty(&other));
}

static void frame_list_pop_tail(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	KUNIT_EXPECT_TRUE(test, ssdc_list_pop_tail(f->entries, &f->list) == ssdc_frame(A));
	KUNIT_EXPECT_STREQ(test, text(test), "B");
	KUNIT_EXPECT_TRUE(test, ssdc_list_pop_tail(f->entries, &f->list) == ssdc_frame(B));
	KUNIT_EXPECT_TRUE(test, ssdc_list_pop_tail(f->entries, &f->list) == SSDC_NO_FRAME);
}

static void frame_list_pop_head(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	KUNIT_EXPECT_TRUE(test, ssdc_list_pop_head(f->entries, &f->list) == ssdc_frame(B));
	KUNIT_EXPECT_STREQ(test, text(test), "A");
	KUNIT_EXPECT_TRUE(test, ssdc_list_pop_head(f->entries, &f->list) == ssdc_frame(A));
	KUNIT_EXPECT_TRUE(test, ssdc_list_pop_head(f->entries, &f->list) == SSDC_NO_FRAME);
}

static void frame_list_check_sees_a_broken_link(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	push(f, C);
	f->entries[B].prev = ssdc_frame(A);
	expect_finding(test,
		       "list \"test\": frame 1 has the previous frame 0 instead of 2 (-1: none)");
	f->entries[B].prev = ssdc_frame(C);
	KUNIT_EXPECT_EQ(test, check(f), 0);
}

static void frame_list_check_sees_a_loop(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	f->entries[A].next = ssdc_frame(B);
	expect_finding(test,
		       "list \"test\": frame 1 has the previous frame -1 instead of 0 (-1: none)");
}

static void frame_list_check_sees_a_foreign_page(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	f->entries[A].list = LIST_ID + 1;
	expect_finding(test, "list \"test\": frame 0 is marked as on list 4, not 3");
	f->entries[A].list = LIST_ID;
	f->entries[A].flags = 0;
	expect_finding(test, "list \"test\": frame 0 has flags 0x0 without SSDC_E_POLICY");
}

static void frame_list_check_sees_a_wrong_count(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	f->list.count = 1;
	expect_finding(test, "list \"test\": more pages are linked than its count 1");
	f->list.count = 3;
	expect_finding(test, "list \"test\": 2 pages are linked, its count is 3");
}

static void frame_list_check_sees_a_wrong_tail(struct kunit *test)
{
	struct fixture *f = test->priv;

	push(f, A);
	push(f, B);
	f->list.tail = ssdc_frame(B);
	expect_finding(test,
		       "list \"test\": the tail is frame 1, the last page is in frame 0 (-1: none)");
}

static struct kunit_case frame_list_cases[] = {
	KUNIT_CASE(frame_list_is_empty_at_first),
	KUNIT_CASE(frame_list_add_head),
	KUNIT_CASE(frame_list_add_tail),
	KUNIT_CASE(frame_list_add_before),
	KUNIT_CASE(frame_list_del_middle),
	KUNIT_CASE(frame_list_del_ends),
	KUNIT_CASE(frame_list_del_last),
	KUNIT_CASE(frame_list_move_head),
	KUNIT_CASE(frame_list_move_tails),
	KUNIT_CASE(frame_list_pop_tail),
	KUNIT_CASE(frame_list_pop_head),
	KUNIT_CASE(frame_list_check_sees_a_broken_link),
	KUNIT_CASE(frame_list_check_sees_a_loop),
	KUNIT_CASE(frame_list_check_sees_a_foreign_page),
	KUNIT_CASE(frame_list_check_sees_a_wrong_count),
	KUNIT_CASE(frame_list_check_sees_a_wrong_tail),
	{}
};

static struct kunit_suite frame_list_suite = {
	.name = "ssdcache_frame_list",
	.init = frame_list_init,
	.test_cases = frame_list_cases,
};

kunit_test_suite(frame_list_suite);
