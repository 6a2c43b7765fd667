// SPDX-License-Identifier: GPL-2.0
/*
 * Victim rules, the steady state, wear levelling, streams and errors.
 */
#include "../../dm-ssdcache/flash/stream.h"
#include "flash_driver.h"

/* One plane of 16 blocks of 4 pages, as in flash_ftl. */
#define TINY "custom:channels=1,chips=1,dies=1,planes=1,blocks=16,pages=4,page_bytes=4096," \
	"read_ns=50000,program_ns=500000,erase_ns=2000000,transfer_ps=10000," \
	"over_provisioning=20,gc_threshold=0,gc_urgent=0,allocation=static"
#define SMALL ",channels=1,planes=2,blocks=64,gc_threshold=3,over_provisioning=20"

#define R	FD_READ_NS
#define M	FD_MOVE_NS

static void write_pages(struct fd *fd, u64 first, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		fd->nr_requests = 0;
		fd->nr_done = 0;
		fd_write(fd, first + i, 1);
		fd_rest(fd);
	}
}

static void write_random(struct fd *fd, u32 nr, u32 below)
{
	struct ssdc_random random = { .state = 88172645463325252ULL };

	while (nr--)
		write_pages(fd, ssdc_random_below(&random, below), 1);
}

/* Blocks 0 to 13 are full. Block 3 is empty, but young; block 0 has one valid page, and is old. */
static struct fd *victims(struct kunit *test, const char *spec)
{
	struct fd *fd = fd_new_spec(test, spec, 0);

	write_pages(fd, 0, 48);
	write_pages(fd, 0, 3);		/* block 12 */
	write_pages(fd, 12, 4);
	write_pages(fd, 48, 1);		/* block 13 */
	if (fd->f->stamps)
		fd->f->stamps[3] = fd->f->host_pages;
	FD_EXPECT_STAT(fd, "gc_runs", 0);
	return fd;
}

static void flash_gc_greedy(struct kunit *test)
{
	struct fd *fd = victims(test, TINY);

	write_pages(fd, 49, 1);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[3].erases, 1u);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[0].erases, 0u);
}

/* The view says which die collects garbage, and does not once it is done. */
static void flash_gc_is_in_the_view(struct kunit *test)
{
	struct fd *fd = victims(test, TINY);
	struct ssdc_unit_query query = { .sector = 0 };
	bool seen = false;
	u32 i;

	ssdf_ask_units(fd->f, &query, 1);
	KUNIT_EXPECT_FALSE(test, query.gc);
	fd->nr_requests = 0;
	fd->nr_done = 0;
	fd_write(fd, 49, 1);
	for (i = 0; i < 20 && !seen; i++) {
		fd_advance(fd, FD_READ_NS);
		ssdf_ask_units(fd->f, &query, 1);
		seen = query.gc;
	}
	KUNIT_EXPECT_TRUE(test, seen);
	fd_rest(fd);
	ssdf_ask_units(fd->f, &query, 1);
	KUNIT_EXPECT_FALSE(test, query.gc);
}

/* GC begins with one free block. The view says so while two more than that are left, of 16. */
static void flash_gc_is_near(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);
	struct ssdc_view view;

	write_pages(fd, 0, 44);
	FD_EXPECT_STAT(fd, "free_blocks", 5);
	ssdf_get_view(fd->f, &view);
	KUNIT_EXPECT_FALSE(test, view.collects);
	write_pages(fd, 44, 1);
	ssdf_get_view(fd->f, &view);
	KUNIT_EXPECT_TRUE(test, view.collects);
}

/* Block 0: 3 of 4 pages outdated for 56 writes, 3 * 57 / 5 = 34; block 3: 4 * 2 / 4. */
static void flash_gc_cost_benefit(struct kunit *test)
{
	struct fd *fd = victims(test, TINY ",gc_victim=cost-benefit");

	write_pages(fd, 49, 1);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[0].erases, 1u);
}

/* The clock passes 2^32: block 0 was written 2^32 pages ago, block 3 ten. */
static void flash_gc_cost_benefit_of_long_ages(struct kunit *test)
{
	struct fd *fd = victims(test, TINY ",gc_victim=cost-benefit");
	u64 now = (1ULL << 32) + fd->f->stamps[0];

	fd->f->host_pages = now;
	fd->f->stamps[3] = now - 10;
	write_pages(fd, 49, 1);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[0].erases, 1u);
}

/* A page is hot from its write until half of all pages were written, wherever the clock is. */
static void flash_gc_hot_pages_of_all_times(struct kunit *test)
{
	static const u64 starts[] = { 0, U32_MAX - 1ULL, U32_MAX, 1ULL << 32, 1ULL << 40 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		struct fd *fd = fd_new(test, ",hot_cold=on");

		fd->f->host_pages = starts[i];
		write_pages(fd, 0, 1);
		KUNIT_EXPECT_EQ(test, ssdf_stream_of(fd->f, ssdf_lpn(0), NULL), 1u);
		fd->f->host_pages += fd->f->hot_age - 1;
		KUNIT_EXPECT_EQ(test, ssdf_stream_of(fd->f, ssdf_lpn(0), NULL), 1u);
		fd->f->host_pages += 1;
		KUNIT_EXPECT_EQ(test, ssdf_stream_of(fd->f, ssdf_lpn(0), NULL), 0u);
		fd->f->host_pages += (1ULL << 32) - fd->f->hot_age;
		KUNIT_EXPECT_EQ(test, ssdf_stream_of(fd->f, ssdf_lpn(0), NULL), 0u);
		fd_exit(test);
	}
}

/* The oldest, then the next, though it is full of valid pages. */
static void flash_gc_fifo(struct kunit *test)
{
	struct fd *fd = victims(test, TINY ",gc_victim=fifo");

	write_pages(fd, 49, 1);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[0].erases, 1u);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[1].erases, 1u);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[3].erases, 1u);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[4].erases, 0u);
}

/* With many choices, the emptiest of nearly all blocks. */
static void flash_gc_d_choices(struct kunit *test)
{
	struct fd *fd = victims(test, TINY ",gc_victim=d-choices,gc_choices=64");

	write_pages(fd, 49, 1);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[3].erases, 1u);
}

static void flash_gc_steady(struct kunit *test)
{
	struct fd *a = fd_new(test, SMALL ",aged=steady,seed=7");
	struct fd *b = fd_new(test, SMALL ",aged=steady,seed=7");
	struct fd *c = fd_new(test, SMALL ",aged=steady,seed=8");
	size_t bytes = a->f->nr_lpns * sizeof(*a->f->map);

	KUNIT_EXPECT_EQ(test, memcmp(a->f->map, b->f->map, bytes), 0);
	KUNIT_EXPECT_NE(test, memcmp(a->f->map, c->f->map, bytes), 0);
	KUNIT_EXPECT_EQ(test, ssdf_check(a->f), 0);
	FD_EXPECT_STAT(a, "valid_pages", a->f->nr_lpns);
	FD_EXPECT_STAT(a, "host_programs", 0);
	FD_EXPECT_STAT(a, "max_erases", 0);
	/* GC has as little room as after years. */
	KUNIT_EXPECT_LE(test, fd_stat(a, "free_blocks"), 2ULL * 4);
	write_random(a, 200, a->f->nr_lpns);
	KUNIT_EXPECT_GT(test, fd_stat(a, "write_amplification"), 1500ULL);
	ssdf_destroy(a->f);
	ssdf_destroy(b->f);
}

/*
 * The share of blocks with i valid pages is proportional to 1 / i, for i from 42 to 64, as GC takes
 * the others: for 42 to 49, 50 to 57 and 58 to 64, the number of blocks is that of theory, within
 * 20 %.
 */
static void flash_gc_steady_blocks(struct kunit *test)
{
	struct fd *fd = fd_new(test, SMALL ",blocks=256,pages=64,aged=steady,seed=7");
	u32 of_valid[65] = {}, fewest = 42, pages = 64, first, valid, nr, expected, i;

	KUNIT_ASSERT_EQ(test, fd->f->params.pages, pages);
	for (i = 0; i < fd->f->nr_blocks; i++)
		of_valid[fd->f->blocks[i].valid]++;
	for (first = fewest; first <= pages; first += 8) {
		nr = 0;
		expected = 0;
		for (valid = first; valid <= min(pages, first + 7); valid++) {
			nr += of_valid[valid];
			expected += 100 * fd->f->nr_lpns / (pages - fewest + 1) / valid;
		}
		KUNIT_EXPECT_GT(test, 100 * nr, expected * 8 / 10);
		KUNIT_EXPECT_LT(test, 100 * nr, expected * 12 / 10);
	}
	fd_exit(test);
}

/* A third of the pages is overwritten, the rest never. */
static u32 spread_of(struct kunit *test, const char *more)
{
	struct fd *fd = fd_new(test, more);
	u32 i, least = U32_MAX, most = 0;

	write_pages(fd, 0, fd->f->nr_lpns);
	write_random(fd, 12000, fd->f->nr_lpns / 8);
	for (i = 0; i < fd->f->params.blocks; i++) {
		least = min(least, fd->f->blocks[i].erases);
		most = max(most, fd->f->blocks[i].erases);
	}
	KUNIT_EXPECT_EQ(test, ssdf_check(fd->f), 0);
	KUNIT_EXPECT_EQ(test, fd_stat(fd, "wear_runs") > 0, fd->f->params.wear_threshold > 0);
	fd_exit(test);
	return most - least;
}

static void flash_gc_wear_levelling(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, spread_of(test, SMALL), 20u);
	KUNIT_EXPECT_LE(test, spread_of(test, SMALL ",wear_threshold=3"), 6u);
}

static void flash_gc_erases(struct kunit *test)
{
	struct fd *fd = fd_new(test, SMALL ",aged=steady,aged_erases=4,pe_cycles=10");
	u64 sum = 0;
	u32 i;

	FD_EXPECT_STAT(fd, "min_erases", 4);
	FD_EXPECT_STAT(fd, "mean_erases", 4000);
	KUNIT_EXPECT_EQ(test, fd->f->erase_histogram[3], fd->f->nr_blocks);
	write_random(fd, 1000, fd->f->nr_lpns);
	for (i = 0; i < SSDF_ERASE_BUCKETS; i++)
		sum += fd->f->erase_histogram[i];
	KUNIT_EXPECT_EQ(test, sum, (u64)fd->f->nr_blocks);
	KUNIT_EXPECT_EQ(test, fd_stat(fd, "wear"), fd_stat(fd, "max_erases") * 100);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "lifetime_bytes"), 0ULL);
}

/* Pages of two streams are in blocks of their own, in the order of their writes. */
static void flash_gc_streams(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY ",streams=2,blocks=32", 0);
	struct ssdf_request *rq = &fd->requests[0];
	u32 i;

	for (i = 0; i < 16; i++) {
		*rq = (struct ssdf_request) {
			.op = SSDC_WRITE, .sector = i * 8, .nr_sectors = 8, .stream = i % 2,
		};
		ssdf_submit(fd->f, rq, fd->now_ns);
		while (ssdf_next_ns(fd->f) != SSDF_NEVER)
			ssdf_advance(fd->f, ssdf_next_ns(fd->f));
		KUNIT_EXPECT_PTR_EQ(test, ssdf_next_done(fd->f), rq);
	}
	for (i = 2; i < 16; i++)
		KUNIT_EXPECT_EQ(test, ssdf_block_of(fd->f, fd->f->map[i]),
				ssdf_block_of(fd->f, fd->f->map[i % 2]) + i / 8 * 2);
	KUNIT_EXPECT_EQ(test, fd->f->stats.stream_programs[1], 8ULL);
	KUNIT_EXPECT_EQ(test, ssdf_check(fd->f), 0);
}

/* A page that was overwritten soon goes to another block than one that was not. */
static void flash_gc_hot_cold(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY ",hot_cold=on,blocks=40", 0);

	write_pages(fd, 0, 100);
	FD_EXPECT_STAT(fd, "hot_programs", 0);
	write_pages(fd, 99, 1);
	FD_EXPECT_STAT(fd, "hot_programs", 1);
	write_pages(fd, 0, 1);
	FD_EXPECT_STAT(fd, "hot_programs", 1);
	KUNIT_EXPECT_NE(test, ssdf_block_of(fd->f, fd->f->map[99]),
			ssdf_block_of(fd->f, fd->f->map[0]));
}

/* Every read of a worn block is repeated 9 times on average, at most 0.9 fail. */
static void flash_gc_read_retry(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",pe_cycles=10,read_retry=900,aged_erases=100");
	u64 start_ns, retries;

	write_pages(fd, 0, 4);
	start_ns = fd->now_ns;
	while (!fd_stat(fd, "read_retries")) {
		start_ns = fd->now_ns;
		fd->nr_requests = 0;
		fd->nr_done = 0;
		fd_read(fd, 0, 1);
		fd_rest(fd);
	}
	retries = fd_stat(fd, "read_retries");
	KUNIT_EXPECT_EQ(test, fd->now_ns - start_ns, (1 + retries) * (R + M));
}

static void flash_gc_bad_blocks(struct kunit *test)
{
	struct fd *fd = fd_new(test, SMALL ",bad_blocks=100");
	u32 i, bad = 0;

	write_pages(fd, 0, fd->f->nr_lpns);
	write_random(fd, 2000, fd->f->nr_lpns);
	for (i = 0; i < fd->f->nr_blocks; i++) {
		bad += fd->f->blocks[i].bad;
		if (fd->f->blocks[i].bad)
			KUNIT_EXPECT_EQ(test, fd->f->blocks[i].written, 0);
	}
	KUNIT_EXPECT_EQ(test, bad, 2u * 6);
	FD_EXPECT_STAT(fd, "valid_pages", fd->f->nr_lpns);
	KUNIT_EXPECT_EQ(test, ssdf_check(fd->f), 0);
}

static struct kunit_case flash_gc_cases[] = {
	KUNIT_CASE(flash_gc_greedy),
	KUNIT_CASE(flash_gc_is_in_the_view),
	KUNIT_CASE(flash_gc_is_near),
	KUNIT_CASE(flash_gc_cost_benefit),
	KUNIT_CASE(flash_gc_cost_benefit_of_long_ages),
	KUNIT_CASE(flash_gc_hot_pages_of_all_times),
	KUNIT_CASE(flash_gc_fifo),
	KUNIT_CASE(flash_gc_d_choices),
	KUNIT_CASE(flash_gc_steady),
	KUNIT_CASE(flash_gc_steady_blocks),
	KUNIT_CASE(flash_gc_wear_levelling),
	KUNIT_CASE(flash_gc_erases),
	KUNIT_CASE(flash_gc_streams),
	KUNIT_CASE(flash_gc_hot_cold),
	KUNIT_CASE(flash_gc_read_retry),
	KUNIT_CASE(flash_gc_bad_blocks),
	{}
};

static struct kunit_suite flash_gc_suite = {
	.name = "ssdcache_flash_gc",
	.exit = fd_exit,
	.test_cases = flash_gc_cases,
};

kunit_test_suite(flash_gc_suite);
