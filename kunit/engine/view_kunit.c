// SPDX-License-Identifier: GPL-2.0
/*
 * The view of the device: estimated over 4 channels of 2 dies, so that pages 0 to 7 map to units 0
 * to 7, page 8 to unit 0 and so on; or reported by a device that the test plays.
 */
#include "driver.h"

#define UNITS 8u

static struct td *view_td(struct kunit *test)
{
	struct ssdc_params params = td_params();

	params.tunables.channels = 4;
	params.tunables.dies = 2;
	params.admission = "write-buffer";
	return td_new(test, &params);
}

static u32 depth(struct td *td, u64 page)
{
	return ssdc_unit_depth(&td->e->tier, page * TD_PAGE_SECTORS, true);
}

#define EXPECT_VIEW(channels_idle, units_idle, commands, thousandths) do { \
	const struct ssdc_view *_view = ssdc_device_view(td->e); \
	KUNIT_EXPECT_EQ(test, _view->idle_channels, channels_idle); \
	KUNIT_EXPECT_EQ(test, _view->idle_units, units_idle); \
	KUNIT_EXPECT_EQ(test, _view->queued, commands); \
	KUNIT_EXPECT_EQ(test, _view->utilisation, thousandths); \
} while (0)

static void view_of_an_idle_device(struct kunit *test)
{
	struct td *td = view_td(test);
	const struct ssdc_view *view;

	td_fill(td, 0, 5);
	view = ssdc_device_view(td->e);
	KUNIT_EXPECT_EQ(test, view->source, SSDC_VIEW_ESTIMATED);
	KUNIT_EXPECT_EQ(test, view->channels, 4u);
	KUNIT_EXPECT_EQ(test, view->dies, 2u);
	KUNIT_EXPECT_EQ(test, view->units, UNITS);
	KUNIT_EXPECT_EQ(test, view->dirty, 5u);
	KUNIT_EXPECT_EQ(test, view->host_inflight, 0u);
	EXPECT_VIEW(4u, UNITS, 0u, 0u);
}

static void view_counts_flushes_by_unit(struct kunit *test)
{
	struct td *td = view_td(test);

	/* units 0, 1 and 0 again, on channels 0 and 1 */
	td_fill(td, 0, 2);
	td_fill(td, 8, 1);
	td_flush(td);
	td_background(td);
	KUNIT_EXPECT_EQ(test, depth(td, 0), 0u);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 3u);
	KUNIT_EXPECT_EQ(test, depth(td, 0), 2u);
	KUNIT_EXPECT_EQ(test, depth(td, 16), 2u);
	KUNIT_EXPECT_EQ(test, depth(td, 1), 1u);
	KUNIT_EXPECT_EQ(test, depth(td, 4), 0u);
	EXPECT_VIEW(2u, 6u, 3u, 250u);
	KUNIT_EXPECT_EQ(test, td->e->view.dirty, 0u);
	td_end_io(td, 0, 0);
	EXPECT_VIEW(2u, 6u, 2u, 250u);
	td_end_io(td, 0, 0);
	td_settle(td);
	EXPECT_VIEW(4u, UNITS, 0u, 0u);
}

/* A failed flush is no longer in flight. */
static void view_forgets_failed_flushes(struct kunit *test)
{
	struct td *td = view_td(test);

	td_fill(td, 3, 1);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	KUNIT_EXPECT_EQ(test, depth(td, 3), 1u);
	td_end_ios(td, -EIO);
	KUNIT_EXPECT_EQ(test, depth(td, 3), 0u);
}

/* A bypassing read of pages 6 to 8: one page each for units 6, 7 and 0. */
static void view_counts_reads_past_dram(struct kunit *test)
{
	struct td *td = view_td(test);
	struct td_host *read = td_submit(td, SSDC_READ, 6 * TD_PAGE_SECTORS + 1,
					 2 * TD_PAGE_SECTORS);

	KUNIT_EXPECT_FALSE(test, read->done);
	KUNIT_EXPECT_EQ(test, depth(td, 6), 1u);
	KUNIT_EXPECT_EQ(test, depth(td, 7), 1u);
	KUNIT_EXPECT_EQ(test, depth(td, 0), 1u);
	KUNIT_EXPECT_EQ(test, depth(td, 1), 0u);
	EXPECT_VIEW(1u, 5u, 3u, 375u);
	KUNIT_EXPECT_EQ(test, td->e->view.host_inflight, 1u);
	td_end_sub(td, 0);
	td_run_ready(td);
	TD_EXPECT_DONE(td, read);
	EXPECT_VIEW(4u, UNITS, 0u, 0u);
}

/* A new geometry takes effect when nothing is in flight. */
static void view_geometry_changes_at_rest(struct kunit *test)
{
	struct td *td = view_td(test);

	td_fill(td, 0, 1);
	td_fill(td, 9, 1);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	td->e->tunables.channels = 1;
	td->e->tunables.dies = 1;
	KUNIT_EXPECT_EQ(test, depth(td, 2), 0u);
	KUNIT_EXPECT_EQ(test, ssdc_device_view(td->e)->units, UNITS);
	td_settle(td);
	KUNIT_EXPECT_EQ(test, ssdc_device_view(td->e)->units, 1u);
	td_fill(td, 0, 2);
	td_flush(td);
	td_background(td);
	td_start_ios(td);
	KUNIT_EXPECT_EQ(test, depth(td, 5), 2u);
	EXPECT_VIEW(0u, 0u, 2u, 1000u);
	td_settle(td);
}

static void view_of_a_huge_geometry(struct kunit *test)
{
	struct td *td = view_td(test);

	td->e->tunables.channels = 1024;
	td->e->tunables.dies = 64;
	KUNIT_EXPECT_EQ(test, ssdc_device_view(td->e)->units, SSDC_MAX_UNITS);
	KUNIT_EXPECT_EQ(test, depth(td, 100), 0u);
}

/* A device that answers, or temporarily does not. */
struct made_up {
	bool there;
	u32 asked;
};

static bool made_up_view(void *device, struct ssdc_view *view)
{
	const struct made_up *made_up = device;

	if (!made_up->there)
		return false;
	view->source = SSDC_VIEW_EXACT;
	view->channels = 16;
	view->dies = 3;
	view->idle_channels = 7;
	view->units = 96;
	view->idle_units = 24;
	view->queued = 500;
	view->utilisation = 750;
	view->stripe_sectors = 3072;
	view->collects = true;
	return true;
}

static bool made_up_units(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	struct made_up *made_up = device;
	unsigned int i;

	if (!made_up->there)
		return false;
	made_up->asked++;
	for (i = 0; i < nr; i++) {
		queries[i].unit = queries[i].write ? SSDC_ANY_UNIT : 3;
		queries[i].depth = queries[i].sector + queries[i].write;
	}
	return true;
}

static const struct ssdc_device_ops made_up_ops = {
	.view = made_up_view,
	.ask_units = made_up_units,
};

static const struct ssdc_device_ops always_ops = {
	.view = made_up_view,
	.ask_units = made_up_units,
	.always = true,
};

static void view_reported_by_the_device(struct kunit *test)
{
	struct ssdc_unit_query queries[] = {
		{ .sector = 800, .write = true }, { .sector = 16, .write = false },
	};
	struct td *td = view_td(test);
	struct made_up made_up = { .there = true };

	ssdc_set_device(td->e, &made_up_ops, &made_up);
	td_fill(td, 0, 5);
	KUNIT_EXPECT_EQ(test, ssdc_device_view(td->e)->source, SSDC_VIEW_EXACT);
	KUNIT_EXPECT_EQ(test, td->e->view.units, 96u);
	KUNIT_EXPECT_EQ(test, td->e->view.dirty, 5u);
	EXPECT_VIEW(7u, 24u, 500u, 750u);
	ssdc_ask_units(&td->e->tier, queries, 2);
	KUNIT_EXPECT_EQ(test, made_up.asked, 1u);
	KUNIT_EXPECT_EQ(test, queries[0].unit, SSDC_ANY_UNIT);
	KUNIT_EXPECT_EQ(test, queries[0].depth, 801u);
	KUNIT_EXPECT_EQ(test, queries[1].unit, 3u);
	KUNIT_EXPECT_EQ(test, queries[1].depth, 16u);
}

/* No estimate is kept beside a device that always answers. */
static void view_of_a_device_that_always_answers(struct kunit *test)
{
	struct td *td = view_td(test);
	struct made_up made_up = { .there = true };

	ssdc_set_device(td->e, &always_ops, &made_up);
	td_fill(td, 0, 2);
	td_flush(td);
	td_background(td);
	KUNIT_ASSERT_EQ(test, td_start_ios(td), 2u);
	KUNIT_EXPECT_EQ(test, td->e->units.total, 0u);
	EXPECT_VIEW(7u, 24u, 500u, 750u);
	td_end_io(td, 0, 0);
	td_end_io(td, 0, 0);
	td_settle(td);
	td_check(td);
}

/*
 * A policy that uses no view gets none, and the device is not asked. The decision is counted by the
 * source of the device's views.
 */
static void view_that_is_not_used(struct kunit *test)
{
	struct td *td = view_td(test);
	struct made_up made_up = { .there = true };

	KUNIT_ASSERT_TRUE(test, ssdc_replacement_ops(td->e->replacement)->no_view);
	ssdc_set_device(td->e, &always_ops, &made_up);
	memset(&td->e->view.units, 0, sizeof(td->e->view.units));
	td_fill(td, 0, TD_FRAMES + 1);
	TD_EXPECT_STAT(td, "exact_views", 1);
	KUNIT_EXPECT_EQ(test, td->e->view.units, 0u);
	ssdc_set_device(td->e, NULL, NULL);
	td_fill(td, 20, 1);
	TD_EXPECT_STAT(td, "estimated_views", 1);
}

/* The estimate knows the geometry even if no view has been asked for, and no I/O has begun. */
static void view_of_units_before_any_io(struct kunit *test)
{
	struct ssdc_unit_query query = { .sector = 3 * TD_PAGE_SECTORS, .write = true };
	struct td *td = view_td(test);

	ssdc_ask_units(&td->e->tier, &query, 1);
	KUNIT_EXPECT_EQ(test, query.unit, 3u);
	KUNIT_EXPECT_EQ(test, query.depth, 0u);
}

/* Statistics say which kind of view was used, and show the current one. */
static void view_source_in_statistics(struct kunit *test)
{
	struct td *td = view_td(test);
	struct made_up made_up = {};

	ssdc_set_device(td->e, &made_up_ops, &made_up);
	td_fill(td, 0, TD_FRAMES + 1);
	TD_EXPECT_STAT(td, "estimated_views", 1);
	TD_EXPECT_STAT(td, "exact_views", 0);
	ssdc_update_stats(td->e);
	TD_EXPECT_STAT(td, "exact_view", 0);
	TD_EXPECT_STAT(td, "idle_channels", 4);
	made_up.there = true;
	td_fill(td, 20, 2);
	TD_EXPECT_STAT(td, "estimated_views", 1);
	TD_EXPECT_STAT(td, "exact_views", 2);
	made_up.there = false;
	TD_EXPECT_STAT(td, "exact_view", 1);
	TD_EXPECT_STAT(td, "idle_channels", 7);
	TD_EXPECT_STAT(td, "queued", 500);
	TD_EXPECT_STAT(td, "utilisation", 750);
	ssdc_update_stats(td->e);
	TD_EXPECT_STAT(td, "exact_view", 0);
	TD_EXPECT_STAT(td, "utilisation", 0);
	TD_EXPECT_STAT(td, "estimated_views", 1);
}

static struct kunit_case view_cases[] = {
	KUNIT_CASE(view_of_an_idle_device),
	KUNIT_CASE(view_counts_flushes_by_unit),
	KUNIT_CASE(view_forgets_failed_flushes),
	KUNIT_CASE(view_counts_reads_past_dram),
	KUNIT_CASE(view_geometry_changes_at_rest),
	KUNIT_CASE(view_of_a_huge_geometry),
	KUNIT_CASE(view_reported_by_the_device),
	KUNIT_CASE(view_of_a_device_that_always_answers),
	KUNIT_CASE(view_that_is_not_used),
	KUNIT_CASE(view_of_units_before_any_io),
	KUNIT_CASE(view_source_in_statistics),
	{}
};

static struct kunit_suite view_suite = {
	.name = "ssdcache_view",
	.exit = td_exit,
	.test_cases = view_cases,
};

kunit_test_suite(view_suite);
