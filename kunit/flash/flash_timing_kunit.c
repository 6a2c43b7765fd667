// SPDX-License-Identifier: GPL-2.0
/*
 * Closed-form timing: the exact time of each pattern of requests, in ns.
 *
 * R: array read, P: array program, E: erase, M: transfer of a page.
 */
#include "flash_driver.h"

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define E	FD_ERASE_NS
#define M	FD_MOVE_NS

static void flash_timing_one_page(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");

	FD_EXPECT_TIME(fd, fd_write(fd, 0, 1), M + P);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), R + M);
	/* A partial read transfers only its part: 2 of 8 sectors. */
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_READ, 3, 2), R + M / 4);
	/* A page that was not written since creation may still hold data on the origin. */
	FD_EXPECT_TIME(fd, fd_read(fd, 100, 1), R + M);
}

static void flash_timing_channels_work_side_by_side(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");

	FD_EXPECT_TIME(fd, fd_write(fd, 0, FD_CHANNELS), M + P);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, FD_CHANNELS), R + M);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 2 * FD_CHANNELS), 2 * (R + M));
	FD_EXPECT_STAT(fd, "host_reads", 12);
}

/* Pages 0, 4, 8 … share a die. Without a cache register it holds one page at a time. */
static void flash_timing_one_die_in_series(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	struct ssdf_request *last = NULL;
	unsigned int i;

	for (i = 0; i < 5; i++)
		last = fd_write(fd, i * FD_CHANNELS, 1);
	FD_EXPECT_TIME(fd, last, 5 * (M + P));
	for (i = 0; i < 5; i++)
		last = fd_read(fd, i * FD_CHANNELS, 1);
	FD_EXPECT_TIME(fd, last, 5 * (R + M));
}

static void flash_timing_cache_program_overlaps_transfers(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",cache_program=on");
	struct ssdf_request *last = NULL;
	unsigned int i;

	for (i = 0; i < 5; i++)
		last = fd_write(fd, i * FD_CHANNELS, 1);
	FD_EXPECT_TIME(fd, last, M + 5 * P);
}

/* A channel slower than the array: the die waits for each transfer. */
static void flash_timing_cache_program_behind_a_slow_channel(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",cache_program=on,transfer_ps=200000");
	struct ssdf_request *last = NULL;
	unsigned int i;

	for (i = 0; i < 5; i++)
		last = fd_write(fd, i * FD_CHANNELS, 1);
	FD_EXPECT_TIME(fd, last, 5 * 20 * M + P);
}

/*
 * The first program has ended, and the die takes the rest of the next page from the channel. A read
 * waits for that page's program, too.
 */
static void flash_timing_read_finds_a_page_on_its_way(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",cache_program=on,transfer_ps=200000");

	fd_write(fd, 0, 1);
	fd_rest(fd);
	fd_write(fd, FD_CHANNELS, 1);
	fd_write(fd, 2 * FD_CHANNELS, 1);
	fd_advance(fd, 20 * M + P + M);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), 20 * M - P - M + P + R + 20 * M);
	FD_EXPECT_STAT(fd, "blocked_reads", 1);
}

/* Two dies on a channel: transfers are serial, array times overlap. */
static void flash_timing_dies_share_the_channel(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,dies=2");

	FD_EXPECT_TIME(fd, fd_write(fd, 0, 2), 2 * M + P);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 2), R + 2 * M);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 4), R + M + R + 2 * M);
}

static void flash_timing_planes_program_together(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,multi_plane=on");

	FD_EXPECT_TIME(fd, fd_write(fd, 0, 2), 2 * M + P);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 1);
	/* Separate requests can share a group if they wait at the same time. */
	fd_read(fd, 0, 1);
	fd_write(fd, 2, 1);
	FD_EXPECT_TIME(fd, fd_write(fd, 3, 1), R + M + 2 * M + P);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 2);
	/* Third page of one block, third and fourth of the other. */
	FD_EXPECT_TIME(fd, fd_write(fd, 4, 1), M + P);
	FD_EXPECT_TIME(fd, fd_write(fd, 6, 2), M + P + M + P);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 2);
}

static void flash_timing_planes_read_together(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,multi_plane=on");

	fd_write(fd, 0, 4);
	fd_rest(fd);
	/* 0 and 1 are first pages of their blocks, 2 and 3 second ones. */
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 4), R + 2 * M + R + 2 * M);
	FD_EXPECT_STAT(fd, "multi_plane_reads", 2);
}

static void flash_timing_planes_alone(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,multi_plane=off");

	FD_EXPECT_TIME(fd, fd_write(fd, 2, 2), 2 * (M + P));
	FD_EXPECT_STAT(fd, "multi_plane_programs", 0);
}

static void flash_timing_read_overtakes_queued_programs(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	struct ssdf_request *first, *second, *read;

	fd_write(fd, 0, 1);
	fd_rest(fd);
	first = fd_write(fd, 4, 1);
	second = fd_write(fd, 8, 1);
	read = fd_read(fd, 0, 1);
	/* The read waits for the running program, not for the queued one. */
	FD_EXPECT_TIME(fd, read, M + P + R + M);
	FD_EXPECT_TIME(fd, first, M + P);
	FD_EXPECT_TIME(fd, second, 2 * (M + P) + R + M);
	FD_EXPECT_STAT(fd, "blocked_reads", 1);
}

/* Two readers that keep the die busy do not starve a write. */
static void flash_timing_reads_do_not_starve_a_write(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	struct ssdf_request *reads[2], *write;
	unsigned int i, done = 0;

	fd_write(fd, 0, 1);
	fd_rest(fd);
	reads[0] = fd_read(fd, 0, 1);
	reads[1] = fd_read(fd, 0, 1);
	write = fd_write(fd, 4, 1);
	while (!fd_done(write) && done < 100) {
		fd_advance(fd, 1000);
		for (i = 0; i < 2; i++) {
			if (!fd_done(reads[i]))
				continue;
			reads[i] = fd_read(fd, 0, 1);
			done++;
		}
	}
	/* The first read was queued before the write; 16 overtook it. */
	KUNIT_EXPECT_GE(test, done, 16u);
	KUNIT_EXPECT_LE(test, done, 18u);
	fd_rest(fd);
}

/* Read data wait for the current transfer only, and go before the next program. */
static void flash_timing_data_out_goes_before_data_in(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,dies=3,transfer_ps=30000");
	struct ssdf_request *read, *write;

	fd_write(fd, 0, 3);
	fd_rest(fd);
	read = fd_read(fd, 0, 1);		/* die 0: array until R */
	fd_write(fd, 1, 1);			/* die 1: channel until 3 M */
	write = fd_write(fd, 2, 1);		/* die 2: waits for the channel */
	FD_EXPECT_TIME(fd, read, 3 * M + 3 * M);
	FD_EXPECT_TIME(fd, write, 3 * 3 * M + P);
}

static void flash_timing_page_types(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",read2_ns=60000,read3_ns=70000,read4_ns=80000");
	static const u64 ns[] = { R, 60000, 70000, 80000, R };
	unsigned int i;

	fd_write(fd, 0, 20);
	fd_rest(fd);
	for (i = 0; i < ARRAY_SIZE(ns); i++)
		FD_EXPECT_TIME(fd, fd_read(fd, i * FD_CHANNELS, 1), ns[i] + M);
}

static void flash_timing_command_overhead(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",command_ns=700");

	FD_EXPECT_TIME(fd, fd_write(fd, 0, 1), 700 + M + P);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), R + 700 + M);
}

/* A partial write reads the rest of the page, then programs the whole page. */
static void flash_timing_partial_write(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");

	fd_write(fd, 0, 1);
	fd_rest(fd);
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_WRITE, 0, 2), R + M * 3 / 4 + M + P);
	FD_EXPECT_STAT(fd, "merge_reads", 1);
	/* Across a page boundary: two partial pages, on two channels. */
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_WRITE, 12, 8), R + M / 2 + M + P);
	FD_EXPECT_STAT(fd, "merge_reads", 3);
}

static void flash_timing_no_time_at_all(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");

	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_FLUSH, 0, 0), 0);
	/* The page is still in the controller. */
	fd_write(fd, 0, 1);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), 0);
	FD_EXPECT_STAT(fd, "buffered_reads", 1);
	fd_rest(fd);
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_DISCARD, 0, 8), 0);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), 0);
	FD_EXPECT_STAT(fd, "trimmed_reads", 1);
	FD_EXPECT_STAT(fd, "trimmed_pages", 1);
	/* A partial page is not discarded. */
	fd_write(fd, 0, 1);
	fd_rest(fd);
	fd_submit(fd, SSDC_DISCARD, 0, 7);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), R + M);
}

/* Many pages that take no time: the model stops in between, so that the lock can be dropped. */
static void flash_timing_long_read_in_steps(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	struct ssdf_request *rq;

	fd_submit(fd, SSDC_DISCARD, 0, 3000 * FD_PAGE_SECTORS);
	fd_rest(fd);
	rq = fd_read(fd, 0, 3000);
	KUNIT_EXPECT_FALSE(test, fd_done(rq));
	KUNIT_EXPECT_TRUE(test, ssdf_advance(fd->f, fd->now_ns));
	FD_EXPECT_TIME(fd, rq, 0);
	FD_EXPECT_STAT(fd, "trimmed_reads", 3000);
}

/* Requests of 1 to 6 pages, one per 30 us, in both ways to let time pass. */
static void flash_timing_run_is_advance(struct kunit *test)
{
	struct fd *step = fd_new(test, ",gc_threshold=10"), *run = fd_new(test, ",gc_threshold=10");
	u64 until_ns, next_ns;
	u32 i;

	for (i = 0; i < 1500; i++) {
		u64 page = i * 2654435761u % 3000, shift = i % 5;
		enum ssdc_op op = i % 3 ? SSDC_WRITE : SSDC_READ;
		u64 sector = page * FD_PAGE_SECTORS + shift;
		u64 nr = (1 + i % 6) * FD_PAGE_SECTORS - shift;

		fd_submit(step, op, sector, nr);
		fd_advance(step, 30000);
		fd_submit(run, op, sector, nr);
		until_ns = run->now_ns + 30000;
		while ((next_ns = ssdf_next_ns(run->f)) <= until_ns) {
			run->now_ns = ssdf_run(run->f, max(run->now_ns, next_ns), until_ns);
			while (ssdf_next_done(run->f))
				run->nr_done++;
		}
		run->now_ns = until_ns;
	}
	fd_rest(step);
	fd_rest(run);
	KUNIT_EXPECT_GT(test, fd_stat(step, "gc_runs"), 0);
	KUNIT_EXPECT_EQ(test, fd_stat(step, "gc_runs"), fd_stat(run, "gc_runs"));
	for (i = 0; i < 1500; i++)
		KUNIT_EXPECT_EQ(test, step->requests[i].done_ns, run->requests[i].done_ns);
	ssdf_destroy(step->f);
}

/* A request with more pages than commands; a later request waits behind it. */
static void flash_timing_request_of_any_size(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	u64 pages = 2000;
	struct ssdf_request *big = fd_read(fd, 0, pages), *small = fd_read(fd, 3, 1);

	FD_EXPECT_TIME(fd, big, pages / FD_CHANNELS * (R + M));
	KUNIT_EXPECT_TRUE(test, fd_done(small));
	KUNIT_EXPECT_GT(test, fd_time(fd, small), fd_time(fd, big));
}

/* A driver that calls late does not change the times of events. */
static void flash_timing_events_keep_their_time(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	struct ssdf_request *first = fd_write(fd, 0, 1), *second = fd_write(fd, 4, 1);

	fd_advance(fd, 1000000000);
	KUNIT_EXPECT_TRUE(test, fd_done(second));
	FD_EXPECT_TIME(fd, first, M + P);
	FD_EXPECT_TIME(fd, second, 2 * (M + P));
}

/* Pages 0 to 3 go to the first die of each channel, pages 4 to 7 to the second. */
static void flash_timing_view(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",dies=2");
	struct ssdc_view view;

	ssdf_get_view(fd->f, &view);
	KUNIT_EXPECT_EQ(test, view.source, SSDC_VIEW_EXACT);
	KUNIT_EXPECT_EQ(test, view.channels, FD_CHANNELS);
	KUNIT_EXPECT_EQ(test, view.dies, 2u);
	KUNIT_EXPECT_EQ(test, view.units, 8u);
	KUNIT_EXPECT_EQ(test, view.idle_channels, FD_CHANNELS);
	KUNIT_EXPECT_EQ(test, view.idle_units, 8u);
	KUNIT_EXPECT_EQ(test, view.utilisation, 0u);
	fd_write(fd, 0, 1);
	fd_write(fd, 8, 1);
	ssdf_get_view(fd->f, &view);
	KUNIT_EXPECT_EQ(test, view.idle_channels, 3u);
	KUNIT_EXPECT_EQ(test, view.idle_units, 7u);
	KUNIT_EXPECT_EQ(test, view.queued, 2u);
	KUNIT_EXPECT_EQ(test, view.utilisation, 125u);
	/* The transfer is over: the channel is free for its other die. */
	fd_advance(fd, FD_MOVE_NS);
	ssdf_get_view(fd->f, &view);
	KUNIT_EXPECT_EQ(test, view.idle_channels, 4u);
	KUNIT_EXPECT_EQ(test, view.idle_units, 7u);
	fd_rest(fd);
	ssdf_get_view(fd->f, &view);
	KUNIT_EXPECT_EQ(test, view.idle_units, 8u);
	KUNIT_EXPECT_EQ(test, view.queued, 0u);
	KUNIT_EXPECT_EQ(test, ssdf_channel_busy_ns(fd->f, 0, fd->now_ns), 2 * FD_MOVE_NS);
	KUNIT_EXPECT_EQ(test, ssdf_channel_busy_ns(fd->f, 1, fd->now_ns), 0ULL);
}

static struct ssdc_unit_query ask(struct fd *fd, u64 page, bool write)
{
	struct ssdc_unit_query query = { .sector = page * FD_PAGE_SECTORS, .write = write };

	ssdf_ask_units(fd->f, &query, 1);
	return query;
}

#define EXPECT_ANSWER(page, write, the_unit, the_depth) do { \
	struct ssdc_unit_query _query = ask(fd, page, write); \
	KUNIT_EXPECT_EQ(test, _query.unit, the_unit); \
	KUNIT_EXPECT_EQ(test, _query.depth, the_depth); \
} while (0)

/* Static allocation: the page number determines the die. */
static void flash_timing_units_static(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",dies=2");

	fd_write(fd, 5, 1);
	fd_write(fd, 13, 1);
	fd_read(fd, 21, 1);
	EXPECT_ANSWER(5, true, 3u, 3u);
	EXPECT_ANSWER(5, false, 3u, 3u);
	EXPECT_ANSWER(13, true, 3u, 3u);
	EXPECT_ANSWER(1, true, 2u, 0u);
	fd_rest(fd);
	EXPECT_ANSWER(5, true, 3u, 0u);
}

/* Dynamic allocation: a write goes to the least loaded die, a read to the die with the page. */
static void flash_timing_units_dynamic(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",allocation=dynamic");

	/* pages 40 to 43 go to dies 0 to 3, 44 to die 0 */
	fd_write(fd, 40, 3);
	EXPECT_ANSWER(40, true, SSDC_ANY_UNIT, 0u);
	EXPECT_ANSWER(41, false, 1u, 1u);
	fd_write(fd, 43, 2);
	EXPECT_ANSWER(40, true, SSDC_ANY_UNIT, 1u);
	EXPECT_ANSWER(44, false, 0u, 2u);
	EXPECT_ANSWER(43, false, 3u, 1u);
	fd_rest(fd);
	EXPECT_ANSWER(40, true, SSDC_ANY_UNIT, 0u);
}

static struct kunit_case flash_timing_cases[] = {
	KUNIT_CASE(flash_timing_one_page),
	KUNIT_CASE(flash_timing_channels_work_side_by_side),
	KUNIT_CASE(flash_timing_one_die_in_series),
	KUNIT_CASE(flash_timing_cache_program_overlaps_transfers),
	KUNIT_CASE(flash_timing_cache_program_behind_a_slow_channel),
	KUNIT_CASE(flash_timing_read_finds_a_page_on_its_way),
	KUNIT_CASE(flash_timing_dies_share_the_channel),
	KUNIT_CASE(flash_timing_planes_program_together),
	KUNIT_CASE(flash_timing_planes_read_together),
	KUNIT_CASE(flash_timing_planes_alone),
	KUNIT_CASE(flash_timing_read_overtakes_queued_programs),
	KUNIT_CASE(flash_timing_reads_do_not_starve_a_write),
	KUNIT_CASE(flash_timing_data_out_goes_before_data_in),
	KUNIT_CASE(flash_timing_page_types),
	KUNIT_CASE(flash_timing_command_overhead),
	KUNIT_CASE(flash_timing_partial_write),
	KUNIT_CASE(flash_timing_no_time_at_all),
	KUNIT_CASE(flash_timing_long_read_in_steps),
	KUNIT_CASE(flash_timing_run_is_advance),
	KUNIT_CASE(flash_timing_request_of_any_size),
	KUNIT_CASE(flash_timing_events_keep_their_time),
	KUNIT_CASE(flash_timing_view),
	KUNIT_CASE(flash_timing_units_static),
	KUNIT_CASE(flash_timing_units_dynamic),
	{}
};

static struct kunit_suite flash_timing_suite = {
	.name = "ssdcache_flash_timing",
	.exit = fd_exit,
	.test_cases = flash_timing_cases,
};

kunit_test_suite(flash_timing_suite);
