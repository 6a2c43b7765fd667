// SPDX-License-Identifier: GPL-2.0
/*
 * A map in the flash of which some mappings are cached: exact times.
 *
 * R: array read, P: array program, M: transfer of a page.
 */
#include "../../dm-ssdcache/flash/ftl.h"
#include "../../dm-ssdcache/flash/map-cache.h"
#include "flash_driver.h"

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define M	FD_MOVE_NS

/* 7372 pages: eight translation pages, of which number t is on channel t % 4, like page t. */
#define ON		",blocks=128,map_cache=1280"
#define ENTRIES		1280
#define PER_PAGE	1024

static void flash_map_cache_off_by_default(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");

	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), R + M);
	FD_EXPECT_STAT(fd, "map_misses", 0);
	FD_EXPECT_STAT(fd, "map_reads", 0);
}

static void flash_map_cache_miss_then_hit(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);

	FD_EXPECT_TIME(fd, fd_read(fd, 1, 1), 2 * (R + M));
	FD_EXPECT_TIME(fd, fd_read(fd, 1, 1), R + M);
	FD_EXPECT_TIME(fd, fd_write(fd, 2, 1), R + M + M + P);
	FD_EXPECT_TIME(fd, fd_write(fd, 2, 1), M + P);
	FD_EXPECT_STAT(fd, "map_misses", 2);
	FD_EXPECT_STAT(fd, "map_hits", 2);
	FD_EXPECT_STAT(fd, "map_reads", 2);
	FD_EXPECT_STAT(fd, "map_writes", 0);
}

/* A partial write: its mapping, the rest of the old page, the program. */
static void flash_map_cache_partial_write(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);

	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_WRITE, 0, FD_PAGE_SECTORS / 2),
		       R + M + R + M / 2 + M + P);
	FD_EXPECT_STAT(fd, "merge_reads", 1);
}

/* Pages of one request that miss in one translation page read that once. */
static void flash_map_cache_one_read_for_a_request(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);

	FD_EXPECT_TIME(fd, fd_read(fd, 0, 8), R + M + 2 * (R + M));
	FD_EXPECT_STAT(fd, "map_misses", 8);
	FD_EXPECT_STAT(fd, "map_reads", 1);
	/* The end of one translation page and the start of the next, on two channels at once. */
	FD_EXPECT_TIME(fd, fd_read(fd, PER_PAGE - 4, 8), R + M + 2 * (R + M));
	FD_EXPECT_STAT(fd, "map_reads", 3);
}

/* A request that comes during the read waits for it, and then for the die. */
static void flash_map_cache_one_read_for_two_requests(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);
	struct ssdf_request *first = fd_read(fd, 1, 1), *second;

	fd_advance(fd, R);
	second = fd_read(fd, 2, 1);
	FD_EXPECT_TIME(fd, first, 2 * (R + M));
	FD_EXPECT_TIME(fd, second, M + R + M);
	FD_EXPECT_STAT(fd, "map_misses", 2);
	FD_EXPECT_STAT(fd, "map_reads", 1);
}

/* Planes work together after a lookup as without one. */
static void flash_map_cache_planes(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,blocks=128,map_cache=1280");

	FD_EXPECT_TIME(fd, fd_read(fd, 0, 4), R + M + 2 * (R + 2 * M));
	FD_EXPECT_STAT(fd, "multi_plane_reads", 2);
	FD_EXPECT_TIME(fd, fd_write(fd, 0, 2), 2 * M + P);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 1);
}

/*
 * A dirty victim: when the read has ended, the victim's translation page is read and programmed,
 * with all other dirty mappings.
 */
static void flash_map_cache_batch_update(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);
	u32 page;

	fd_write(fd, 0, ENTRIES);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "map_writes", 0);
	FD_EXPECT_TIME(fd, fd_read(fd, 6 * PER_PAGE + 1, 1), 2 * (R + M));
	for (page = 2; page <= PER_PAGE; page++)
		fd_read(fd, 6 * PER_PAGE + page, 1);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "map_writes", 1);
	/* The next victim has its mapping in translation page 1, which is dirty. */
	FD_EXPECT_TIME(fd, fd_read(fd, 5 * PER_PAGE, 1), 2 * (R + M));
	FD_EXPECT_STAT(fd, "map_writes", 2);
}

/* A translation page that is still being programmed is in the controller. */
static void flash_map_cache_page_in_controller(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);
	u64 reads;

	fd_write(fd, 0, ENTRIES);
	fd_rest(fd);
	reads = fd_stat(fd, "map_reads");
	/* Evicts the mapping of page 0. */
	fd_read(fd, 6 * PER_PAGE, 1);
	/* The read, with its lookup, and the write-back up to its program. */
	fd_advance(fd, 2 * (R + M) + R + M + M);
	/* Page 0 waits for its die, which programs the translation page. */
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), P + R + M);
	FD_EXPECT_STAT(fd, "map_reads", reads + 2);
}

/* The map says that a page was discarded; a cached mapping says so at once. */
static void flash_map_cache_discards(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);

	fd_write(fd, 0, 1);
	fd_rest(fd);
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_DISCARD, 0, 2 * FD_PAGE_SECTORS), 0);
	FD_EXPECT_STAT(fd, "map_misses", 1);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), 0);
	FD_EXPECT_STAT(fd, "map_hits", 1);
	FD_EXPECT_TIME(fd, fd_read(fd, 1, 1), R + M);
	FD_EXPECT_STAT(fd, "map_misses", 2);
	FD_EXPECT_STAT(fd, "trimmed_reads", 2);
	FD_EXPECT_STAT(fd, "host_reads", 0);
}

/* Reads that learn at once that their pages were discarded give back their commands. */
static void flash_map_cache_many_discarded(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON);
	u32 round;

	fd_submit(fd, SSDC_DISCARD, 0, 7372 * FD_PAGE_SECTORS);
	fd_rest(fd);
	for (round = 0; round < 4; round++) {
		fd_read(fd, 0, 7372);
		fd_rest(fd);
	}
	FD_EXPECT_STAT(fd, "trimmed_reads", 4 * 7372);
	FD_EXPECT_STAT(fd, "map_misses", 4 * 7372);
	KUNIT_EXPECT_EQ(test, fd->f->lanes[SSDF_READ_LANE].commands, 0u);
}

/* Blocks and over-provisioning that leave room for the translation pages. */
static void flash_map_cache_room(struct kunit *test)
{
	static const u32 page_bytes[] = { 512, 4096, 65536 };
	struct ssdc_error error;
	struct ssdf_params p;
	u32 i, percent;

	for (i = 0; i < ARRAY_SIZE(page_bytes); i++) {
		for (percent = 1; percent <= 50; percent++) {
			KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, FD_SPEC ON ",blocks=0",
								&error), 0);
			p.page_bytes = page_bytes[i];
			p.over_provisioning = percent;
			KUNIT_EXPECT_EQ_MSG(test, ssdf_params_check(&p, 200000, &error), 0,
					    "%u %%: %s", percent, error.text);
		}
	}
	KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, FD_SPEC ",blocks=64,map_cache=1280", &error),
			0);
	KUNIT_EXPECT_EQ(test, ssdf_params_check(&p, 0, &error), -EINVAL);
}

/* Lookups in progress hold entries: there are as many as commands. */
static void flash_map_cache_too_small(struct kunit *test)
{
	struct ssdc_error error;
	struct ssdf_params p;

	KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, FD_SPEC ",blocks=128,map_cache=1279", &error),
			0);
	KUNIT_EXPECT_EQ(test, ssdf_params_check(&p, 0, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error.text,
			   "map_cache: must be 0 or from 1280, as many as commands can be in flight, to 67108864");
}

#define FULL ",channels=2,planes=2,page_bytes=512,blocks=200,over_provisioning=7,map_cache=1280"

/* A device that holds data everywhere: small writes, reads and discards at random. */
static void flash_map_cache_full_device(struct kunit *test)
{
	struct fd *fd = fd_new(test, FULL);
	struct ssdc_random random = { .state = 88172645463325252ULL };
	u32 lpns = fd->f->nr_lpns, i, op;

	fd_write(fd, 0, lpns);
	fd_rest(fd);
	for (i = 0; i < FD_MAX_REQUESTS - 1; i++) {
		op = ssdc_random_below(&random, 16);
		fd_submit(fd, op < 11 ? SSDC_WRITE : op < 15 ? SSDC_READ : SSDC_DISCARD,
			  ssdc_random_below(&random, lpns - 8), 1 + ssdc_random_below(&random, 8));
		if (i % 64 == 0 && ssdf_check(fd->f))
			break;
		fd_advance(fd, ssdc_random_below(&random, 200000));
	}
	KUNIT_EXPECT_EQ(test, i, (u32)FD_MAX_REQUESTS - 1);
	fd_rest(fd);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "map_writes"), 1000ULL);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "gc_programs"), 1000ULL);
}

/* Wear levelling counts the erases of blocks with data only. Ageing marks the others, too. */
static void flash_map_cache_blocks_of_the_map(struct kunit *test)
{
	struct fd *fd = fd_new(test, ON ",aged_valid=60,aged_invalid=10");
	const struct ssdf_device *f = fd->f;
	u32 lpn, i, block, of_map = 0;

	for (lpn = f->nr_lpns; lpn < f->nr_lpns + f->nr_map_pages; lpn++) {
		block = ssdf_block_of(f, f->map[lpn]);
		KUNIT_EXPECT_TRUE(test, ssdf_is_map_block(f, ssdf_block(block)));
	}
	for (i = 0; i < f->nr_planes * f->params.blocks; i++)
		of_map += ssdf_is_map_block(f, ssdf_block(i));
	KUNIT_EXPECT_LE(test, of_map, f->nr_map_pages);
}

static struct kunit_case flash_map_cache_cases[] = {
	KUNIT_CASE(flash_map_cache_off_by_default),
	KUNIT_CASE(flash_map_cache_miss_then_hit),
	KUNIT_CASE(flash_map_cache_partial_write),
	KUNIT_CASE(flash_map_cache_one_read_for_a_request),
	KUNIT_CASE(flash_map_cache_one_read_for_two_requests),
	KUNIT_CASE(flash_map_cache_planes),
	KUNIT_CASE(flash_map_cache_batch_update),
	KUNIT_CASE(flash_map_cache_page_in_controller),
	KUNIT_CASE(flash_map_cache_discards),
	KUNIT_CASE(flash_map_cache_many_discarded),
	KUNIT_CASE(flash_map_cache_room),
	KUNIT_CASE(flash_map_cache_too_small),
	KUNIT_CASE(flash_map_cache_full_device),
	KUNIT_CASE(flash_map_cache_blocks_of_the_map),
	{}
};

static struct kunit_suite flash_map_cache_suite = {
	.name = "ssdcache_flash_map_cache",
	.exit = fd_exit,
	.test_cases = flash_map_cache_cases,
};

kunit_test_suite(flash_map_cache_suite);
