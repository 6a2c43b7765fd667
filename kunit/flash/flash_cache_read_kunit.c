// SPDX-License-Identifier: GPL-2.0
/*
 * Reads that start while the data of earlier ones leave the die: exact times.
 *
 * R: array read, P: array program, M: transfer of a page.
 */
#include "../../dm-ssdcache/flash/nand-setup.h"
#include "flash_driver.h"

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define M	FD_MOVE_NS

/* @nr reads of pages of one die at once; the time of the last. */
static u64 reads_of_a_die(struct kunit *test, const char *more, u32 nr)
{
	struct fd *fd = fd_new(test, more);
	struct ssdf_request *last = NULL;
	u64 ns;
	u32 i;

	for (i = 0; i < nr; i++)
		last = fd_read(fd, i * FD_CHANNELS, 1);
	ns = fd_time(fd, last);
	FD_EXPECT_STAT(fd, "cached_reads", fd->f->params.cache_read ? nr - 1 : 0);
	fd_exit(test);
	return ns;
}

static void flash_cache_read_of_one_die(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, reads_of_a_die(test, "", 5), 5 * (R + M));
	KUNIT_EXPECT_EQ(test, reads_of_a_die(test, ",cache_read=on", 5), 5 * R + M);
	/* A channel slower than the array: each read waits for the data before. */
	KUNIT_EXPECT_EQ(test, reads_of_a_die(test, ",cache_read=on,transfer_ps=200000", 5),
			R + 5 * 20 * M);
}

/* A read that arrives during a transfer starts at once. */
static void flash_cache_read_during_a_transfer(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",cache_read=on");
	struct ssdf_request *first = fd_read(fd, 0, 1);

	fd_advance(fd, R + M / 2);
	FD_EXPECT_TIME(fd, fd_read(fd, 4, 1), R + M);
	FD_EXPECT_TIME(fd, first, R + M);
	FD_EXPECT_STAT(fd, "cached_reads", 1);
}

static void flash_cache_read_of_planes(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,cache_read=on");

	FD_EXPECT_TIME(fd, fd_read(fd, 0, 6), R + 6 * M);
	FD_EXPECT_STAT(fd, "multi_plane_reads", 3);
	FD_EXPECT_STAT(fd, "cached_reads", 2);
}

/* The second page of a group is still to be transferred when another read arrives. */
static void flash_cache_read_in_the_middle_of_a_group(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,cache_read=on");
	struct ssdf_request *first = fd_read(fd, 0, 2);

	fd_advance(fd, R + M + M / 2);
	FD_EXPECT_TIME(fd, fd_read(fd, 2, 1), R + M);
	FD_EXPECT_TIME(fd, first, R + 2 * M);
	FD_EXPECT_STAT(fd, "cached_reads", 1);
}

/* Two dies take turns: the channel is never idle after the first array time. */
static void flash_cache_read_of_two_dies(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,dies=2,cache_read=on");

	FD_EXPECT_TIME(fd, fd_read(fd, 0, 8), R + 8 * M);
	FD_EXPECT_STAT(fd, "cached_reads", 6);
}

/*
 * Die 1 has the channel, so data of die 0 fill both registers: the third read starts when those of
 * the first have left.
 */
static void flash_cache_read_two_at_most(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,dies=2,planes=4,cache_read=on");
	struct ssdf_request *first, *second, *third;

	first = fd_read(fd, 1, 7);		/* die 1: 1, 3, 5, 7; die 0: 2, 4, 6 */
	second = fd_read(fd, 8, 1);		/* die 0: array from R to 2 R */
	fd_advance(fd, 2 * R + 1);
	third = fd_read(fd, 16, 1);
	FD_EXPECT_TIME(fd, third, 2 * R + 8 * M - (2 * R + 1));
	FD_EXPECT_TIME(fd, first, R + 7 * M);
	FD_EXPECT_TIME(fd, second, R + 8 * M);
	FD_EXPECT_STAT(fd, "cached_reads", 2);
}

/* A program needs the page register: it waits until all data have left. */
static void flash_cache_read_then_program(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",cache_read=on");
	struct ssdf_request *write;

	fd_read(fd, 0, 1);
	fd_read(fd, 4, 1);
	write = fd_write(fd, 8, 1);
	FD_EXPECT_TIME(fd, write, 2 * R + M + M + P);
	FD_EXPECT_STAT(fd, "cached_reads", 1);
}

/* The page register has the data of the suspended program. */
static void flash_cache_read_not_during_a_suspension(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",cache_read=on,suspend=program");
	struct ssdf_request *write, *last;

	fd_write(fd, 0, 1);
	fd_rest(fd);
	write = fd_write(fd, 4, 1);
	fd_advance(fd, M + 100000);
	fd_read(fd, 0, 1);
	last = fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, last, 2 * (R + M));
	FD_EXPECT_TIME(fd, write, M + P + 2 * (R + M));
	FD_EXPECT_STAT(fd, "cached_reads", 0);
}

#define STORM	",channels=2,dies=2,planes=2,blocks=32,cache_read=on,cache_program=on" \
	",suspend=both,suspend_ns=7000"

/* Reads and writes at random, checked at each step. */
static void flash_cache_read_storm(struct kunit *test)
{
	struct fd *fd = fd_new(test, STORM);
	struct ssdc_random random = { .state = 2463534242ULL };
	u32 i;

	for (i = 0; i < FD_MAX_REQUESTS; i++) {
		u32 nr = 1 + ssdc_random_below(&random, 6);

		fd_submit(fd, i % 16 ? SSDC_READ : SSDC_WRITE,
			  (u64)ssdc_random_below(&random, fd->f->nr_lpns - nr) * FD_PAGE_SECTORS,
			  nr * FD_PAGE_SECTORS);
		if (ssdf_nand_check(fd->f))
			break;
		fd_advance(fd, ssdc_random_below(&random, 60000));
	}
	KUNIT_EXPECT_EQ(test, i, (u32)FD_MAX_REQUESTS);
	fd_rest(fd);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "cached_reads"), 20ULL);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "suspended_programs"), 20ULL);
}

static struct kunit_case flash_cache_read_cases[] = {
	KUNIT_CASE(flash_cache_read_of_one_die),
	KUNIT_CASE(flash_cache_read_during_a_transfer),
	KUNIT_CASE(flash_cache_read_of_planes),
	KUNIT_CASE(flash_cache_read_in_the_middle_of_a_group),
	KUNIT_CASE(flash_cache_read_of_two_dies),
	KUNIT_CASE(flash_cache_read_two_at_most),
	KUNIT_CASE(flash_cache_read_then_program),
	KUNIT_CASE(flash_cache_read_not_during_a_suspension),
	KUNIT_CASE(flash_cache_read_storm),
	{}
};

static struct kunit_suite flash_cache_read_suite = {
	.name = "ssdcache_flash_cache_read",
	.exit = fd_exit,
	.test_cases = flash_cache_read_cases,
};

kunit_test_suite(flash_cache_read_suite);
