// SPDX-License-Identifier: GPL-2.0
/*
 * Background steps of plug-ins: each plug-in with deferred work gets one step at a time, and none
 * while the device is suspended.
 */
#include "driver.h"

/* Plug-ins whose steps are counted, and end when the test says so. */
static struct {
	unsigned int made[SSDC_NR_KINDS];
	unsigned int left[SSDC_NR_KINDS];
} script;

static bool script_step(struct ssdc_plugin *plugin)
{
	enum ssdc_kind kind = plugin->type->kind;

	script.made[kind]++;
	return --script.left[kind];
}

static struct ssdc_replacement_type lru;
static struct ssdc_replacement_type policy;
static struct ssdc_admission_type scheme;
static struct ssdc_prefetch_type prefetcher;

/* A new engine with these plug-ins. */
static struct td *new_td(struct kunit *test)
{
	struct td *td = td_simple(test, "lru");

	memset(&script, 0, sizeof(script));
	lru = *ssdc_replacement_ops(td->e->replacement);
	policy = lru;
	scheme = *ssdc_admission_ops(td->e->admission);
	prefetcher = *ssdc_prefetch_ops(td->e->prefetch);
	policy.plugin.step = script_step;
	scheme.plugin.step = script_step;
	prefetcher.plugin.step = script_step;
	td->e->replacement->plugin.type = &policy.plugin;
	td->e->admission->plugin.type = &scheme.plugin;
	td->e->prefetch->plugin.type = &prefetcher.plugin;
	ssdc_plugins_changed(td->e);
	return td;
}

static void want(struct td *td, enum ssdc_kind kind, unsigned int steps)
{
	script.left[kind] = steps;
	ssdc_current_plugin(td->e, kind)->wants_step = true;
}

static void step_nothing_is_called_unasked(struct kunit *test)
{
	struct td *td = new_td(test);

	td_fill(td, 0, 4);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 0u);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_ADMISSION], 0u);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_PREFETCH], 0u);
	TD_EXPECT_STAT(td, "plugin_steps", 0);
}

static void step_is_work_until_it_is_done(struct kunit *test)
{
	struct td *td = new_td(test);
	u64 again;

	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	want(td, SSDC_REPLACEMENT, 3);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_FALSE(test, ssdc_quiescent(td->e));
	again = ssdc_background(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, again, 0ULL);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 1u);
	again = ssdc_background(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, again, 0ULL);
	again = ssdc_background(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, again, SSDC_NEVER);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 3u);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_TRUE(test, ssdc_quiescent(td->e));
	TD_EXPECT_STAT(td, "plugin_steps", 3);
}

static void step_of_each_kind_has_its_turn(struct kunit *test)
{
	struct td *td = new_td(test);

	want(td, SSDC_REPLACEMENT, 100);
	want(td, SSDC_ADMISSION, 2);
	want(td, SSDC_PREFETCH, 1);
	ssdc_background(td->e, td->now_ns);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 1u);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_ADMISSION], 1u);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_PREFETCH], 1u);
	td_background(td);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 100u);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_ADMISSION], 2u);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_PREFETCH], 1u);
	TD_EXPECT_STAT(td, "plugin_steps", 103);
}

/* Requests are served between two steps. */
static void step_holds_no_request_up(struct kunit *test)
{
	struct td *td = new_td(test);

	want(td, SSDC_REPLACEMENT, 2);
	ssdc_background(td->e, td->now_ns);
	TD_EXPECT_DONE(td, td_write_page(td, 1));
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 1u);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 2u);
}

static void step_rests_while_suspended(struct kunit *test)
{
	struct td *td = new_td(test);

	want(td, SSDC_PREFETCH, 2);
	ssdc_freeze(td->e, true);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	KUNIT_EXPECT_EQ(test, td_background(td), SSDC_NEVER);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_PREFETCH], 0u);
	ssdc_freeze(td->e, false);
	KUNIT_EXPECT_TRUE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_PREFETCH], 2u);
}

/* A replaced policy gets no more steps; the new one gets its own. */
static void step_goes_with_its_policy(struct kunit *test)
{
	struct td *td = new_td(test);
	struct ssdc_error error = {};
	struct ssdc_replacement *next, *old;

	td_fill(td, 0, 4);
	want(td, SSDC_REPLACEMENT, 100);
	next = (struct ssdc_replacement *)ssdc_plugin_create(SSDC_REPLACEMENT, "fifo", &td->e->tier,
							     &error);
	KUNIT_ASSERT_NOT_NULL(test, next);
	KUNIT_ASSERT_EQ(test, ssdc_switch_begin(td->e, next), 0);
	KUNIT_EXPECT_FALSE(test, ssdc_has_work(td->e));
	td_background(td);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 0u);
	old = ssdc_switch_step(td->e);
	KUNIT_ASSERT_NOT_NULL(test, old);
	ssdc_plugin_destroy(&old->plugin);
	td_check(td);
}

/* Ops of the policy that make it want steps. */
static void wanting_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool write)
{
	lru.hit(r, frame, rq, write);
	script.left[SSDC_REPLACEMENT] = 2;
	r->plugin.wants_step = true;
}

static void wanting_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			    struct ssdc_batch *batch, unsigned int want)
{
	lru.victims(r, view, batch, want);
	script.left[SSDC_REPLACEMENT] = 1;
	r->plugin.wants_step = true;
}

/* The next decision of a request sees the result of the steps that the last one has caused. */
static void step_of_a_decision_comes_before_the_next(struct kunit *test)
{
	struct td *td = new_td(test);
	struct td_host *write;

	td_fill(td, 0, 2);
	policy.hit = wanting_hit;
	write = td_begin(td, SSDC_WRITE, 0, 2 * TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_YIELD);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_YIELD);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 2u);
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COPY);
	/* After the last decision the steps are background work. */
	KUNIT_EXPECT_EQ(test, td_step(td, write), SSDC_COMPLETE);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 2u);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, script.made[SSDC_REPLACEMENT], 4u);
}

/* Steps of an eviction come before the page enters. Another write caches that page meanwhile. */
static void step_of_an_eviction_for_a_page_that_another_write_caches(struct kunit *test)
{
	struct td *td = new_td(test);
	struct td_host *first, *second, *discard;

	td_fill(td, 0, TD_FRAMES);
	policy.victims = wanting_victims;
	first = td_begin(td, SSDC_WRITE, 20 * TD_PAGE_SECTORS, 2 * TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, first), SSDC_AGAIN);
	policy.victims = lru.victims;
	second = td_write_page(td, 20);
	discard = td_submit(td, SSDC_DISCARD, 5 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	td_end_forward(td, 0);
	td_run_ready(td);
	KUNIT_EXPECT_EQ(test, td_step(td, first), SSDC_YIELD);
	td_run(td, first);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_DONE(td, discard);
	/* The eviction was for page 20, which is a hit; page 21 has evicted none. */
	TD_EXPECT_STAT(td, "evictions", 1);
	TD_EXPECT_STAT(td, "write_hits", 1);
	TD_EXPECT_STAT(td, "write_absorbed", TD_FRAMES + 3);
}

/* Likewise, and another page takes the room: the tier holds no more pages than it has room for. */
static void step_of_an_eviction_whose_room_another_page_takes(struct kunit *test)
{
	struct td *td = new_td(test);
	struct td_host *first, *second;

	td_fill(td, 0, TD_FRAMES);
	policy.victims = wanting_victims;
	first = td_begin(td, SSDC_WRITE, 20 * TD_PAGE_SECTORS, TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(test, td_step(td, first), SSDC_AGAIN);
	second = td_write_page(td, 30);
	TD_EXPECT_STAT(td, "evictions", 1);
	td_run(td, first);
	TD_EXPECT_STAT(td, "evictions", 2);
	td_settle(td);
	TD_EXPECT_DONE(td, first);
	TD_EXPECT_DONE(td, second);
	TD_EXPECT_STAT(td, "used", TD_FRAMES);
}

static bool always_busy(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	script.left[SSDC_REPLACEMENT] = 1;
	r->plugin.wants_step = true;
	return false;
}

/* A policy that wants a step each time the engine asks whether a part is full. */
static void step_without_victims_does_not_hold_a_write(struct kunit *test)
{
	struct td *td = new_td(test);

	policy.full = always_busy;
	TD_EXPECT_DONE(td, td_write_page(td, 0));
}

static struct kunit_case step_cases[] = {
	KUNIT_CASE(step_nothing_is_called_unasked),
	KUNIT_CASE(step_is_work_until_it_is_done),
	KUNIT_CASE(step_of_each_kind_has_its_turn),
	KUNIT_CASE(step_holds_no_request_up),
	KUNIT_CASE(step_rests_while_suspended),
	KUNIT_CASE(step_goes_with_its_policy),
	KUNIT_CASE(step_of_a_decision_comes_before_the_next),
	KUNIT_CASE(step_of_an_eviction_for_a_page_that_another_write_caches),
	KUNIT_CASE(step_of_an_eviction_whose_room_another_page_takes),
	KUNIT_CASE(step_without_victims_does_not_hold_a_write),
	{}
};

static struct kunit_suite step_suite = {
	.name = "ssdcache_step",
	.exit = td_exit,
	.test_cases = step_cases,
};

kunit_test_suite(step_suite);
