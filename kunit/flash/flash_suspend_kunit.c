// SPDX-License-Identifier: GPL-2.0
/*
 * Host reads that interrupt programs and erases: exact times.
 *
 * R: array read, P: array program, E: erase, M: transfer of a page; S: until a die that suspends
 * an operation can read, G: until the operation goes on.
 */
#include "../../dm-ssdcache/flash/nand-setup.h"
#include "flash_driver.h"

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define E	FD_ERASE_NS
#define M	FD_MOVE_NS
#define S	20000ULL
#define G	5000ULL
#define TIMES	",suspend_ns=20000,resume_ns=5000"

/* One plane of 16 blocks of 4 pages; GC starts at the last free block. */
#define TINY "custom:channels=1,chips=1,dies=1,planes=1,blocks=16,pages=4,page_bytes=4096," \
	"read_ns=50000,program_ns=500000,erase_ns=2000000,transfer_ps=10000," \
	"over_provisioning=20,gc_threshold=0,gc_urgent=0,allocation=static"

/* A device on which page 0 is programmed; pages 0, 4, 8 … share a die. */
static struct fd *written(struct kunit *test, const char *more)
{
	struct fd *fd = fd_new(test, more);

	fd_write(fd, 0, 1);
	fd_rest(fd);
	return fd;
}

static void flash_suspend_off_by_default(struct kunit *test)
{
	struct fd *fd = written(test, "");
	struct ssdf_request *write = fd_write(fd, 4, 1);

	fd_advance(fd, M + 100000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), P - 100000 + R + M);
	FD_EXPECT_TIME(fd, write, M + P);
	FD_EXPECT_STAT(fd, "suspended_programs", 0);
}

static void flash_suspend_program(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=program" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1);

	fd_advance(fd, M + 100000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), S + R + M);
	FD_EXPECT_TIME(fd, write, M + P + S + R + M + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
	FD_EXPECT_STAT(fd, "suspended_erases", 0);
	FD_EXPECT_STAT(fd, "blocked_reads", 1);
}

/* A read that finds the page still on its way to the die interrupts the program at its start. */
static void flash_suspend_program_at_its_start(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=both" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1);

	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), M + S + R + M);
	FD_EXPECT_TIME(fd, write, M + S + R + M + G + P);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

/* Reads that arrive during a suspension share it. */
static void flash_suspend_shared(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=program" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1), *first, *second, *third;

	fd_advance(fd, M + 100000);
	first = fd_read(fd, 0, 1);
	fd_advance(fd, S / 2);
	second = fd_read(fd, 0, 1);
	fd_advance(fd, S / 2 + R);
	third = fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, third, M + 2 * (R + M));
	FD_EXPECT_TIME(fd, second, S / 2 + 2 * (R + M));
	FD_EXPECT_TIME(fd, first, S + R + M);
	FD_EXPECT_TIME(fd, write, M + P + S + 3 * (R + M) + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
	FD_EXPECT_STAT(fd, "blocked_reads", 1);
}

/* The planes of a group go on together. */
static void flash_suspend_planes(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,suspend=both" TIMES);
	struct ssdf_request *write;

	fd_write(fd, 0, 2);
	fd_rest(fd);
	write = fd_write(fd, 2, 2);
	fd_advance(fd, 2 * M + 100000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 2), S + R + 2 * M);
	FD_EXPECT_TIME(fd, write, 2 * M + P + S + R + 2 * M + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 2);
}

/* A program that would end before the die could read runs on. */
static void flash_suspend_not_at_the_end(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=both" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1);

	fd_advance(fd, M + P - S);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), S + R + M);
	FD_EXPECT_TIME(fd, write, M + P);
	FD_EXPECT_STAT(fd, "suspended_programs", 0);
}

static void flash_suspend_min(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=both,suspend_min_ns=150000" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1);

	fd_advance(fd, M + P - 150000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), 150000 + R + M);
	FD_EXPECT_TIME(fd, write, M + P);
	write = fd_write(fd, 8, 1);
	fd_advance(fd, M + P - 150001);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), S + R + M);
	FD_EXPECT_TIME(fd, write, M + P + S + R + M + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

static void flash_suspend_max(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=program,suspend_max=2" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1), *read = NULL;
	unsigned int i;

	fd_advance(fd, M);
	for (i = 0; i < 3; i++) {
		fd_advance(fd, 100000);
		read = fd_read(fd, 0, 1);
		if (i < 2)
			fd_advance(fd, S + R + M + G);
	}
	/* The third waits for the end of the program. */
	FD_EXPECT_TIME(fd, read, P - 300000 + R + M);
	FD_EXPECT_TIME(fd, write, M + P + 2 * (S + R + M + G));
	FD_EXPECT_STAT(fd, "suspended_programs", 2);
	/* The next program counts from 0. */
	write = fd_write(fd, 8, 1);
	fd_advance(fd, M + 100000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), S + R + M);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "suspended_programs", 3);
}

/* A read while the die resumes: the program has not come closer to its end. */
static void flash_suspend_while_resuming(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=program" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1);

	fd_advance(fd, M + 100000);
	fd_read(fd, 0, 1);
	fd_advance(fd, S + R + M + G / 5);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), S + R + M);
	FD_EXPECT_TIME(fd, write, M + P + 2 * (S + R + M) + G / 5 + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 2);
}

/* After 16 reads in a row the program goes on; the read that follows waits. */
static void flash_suspend_not_for_ever(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=program,suspend_max=1" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1), *reads[18];
	unsigned int i;

	fd_advance(fd, M + 100000);
	for (i = 0; i < ARRAY_SIZE(reads); i++)
		reads[i] = fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, reads[15], S + 16 * (R + M));
	FD_EXPECT_TIME(fd, write, M + P + S + 16 * (R + M) + G);
	FD_EXPECT_TIME(fd, reads[17], P - 100000 + S + 18 * (R + M) + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

/* The next suspension of the program serves 16 reads again. */
static void flash_suspend_again_after_many_reads(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=program,suspend_max=2" TIMES);
	struct ssdf_request *write = fd_write(fd, 4, 1), *last = NULL, *next;
	unsigned int i;

	fd_advance(fd, M + 100000);
	for (i = 0; i < 17; i++)
		last = fd_read(fd, 0, 1);
	fd_advance(fd, S + 16 * (R + M) + G + 100000);
	KUNIT_EXPECT_FALSE(test, fd_done(last));
	next = fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, next, S + 2 * (R + M));
	FD_EXPECT_TIME(fd, last, S + 16 * (R + M) + G + 100000 + S + R + M);
	FD_EXPECT_TIME(fd, write, M + P + 2 * (S + G) + 18 * (R + M));
	FD_EXPECT_STAT(fd, "suspended_programs", 2);
}

/* Events of 16 dies and 4 channels, many of them cancelled, stay in the order of their times. */
static void flash_suspend_events_in_order(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",dies=4,suspend=both,suspend_max=100" TIMES);
	struct ssdc_random random = { .state = 2463534242ULL };
	u32 i;

	for (i = 0; i < FD_MAX_REQUESTS; i++) {
		fd_submit(fd, i % 2 ? SSDC_READ : SSDC_WRITE,
			  (u64)ssdc_random_below(&random, fd->f->nr_lpns) * FD_PAGE_SECTORS,
			  FD_PAGE_SECTORS);
		if (ssdf_nand_check(fd->f))
			break;
		fd_advance(fd, ssdc_random_below(&random, 60000));
	}
	KUNIT_EXPECT_EQ(test, i, (u32)FD_MAX_REQUESTS);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "suspended_programs"), 100ULL);
	fd_rest(fd);
}

/*
 * A read gets its command while the event that ends another read is being processed, and cancels
 * the event of the die that programs.
 */
static void flash_suspend_inside_an_event(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",suspend=program" TIMES);
	struct ssdf_request *write, *first, *second;

	fd_write(fd, 0, 2);
	fd_rest(fd);
	fd->f->lane_commands = 1;
	write = fd_write(fd, 5, 1);		/* die 1 */
	first = fd_read(fd, 0, 1);		/* die 0 */
	second = fd_read(fd, 1, 1);		/* die 1, once there is a command */
	FD_EXPECT_TIME(fd, first, R + M);
	KUNIT_EXPECT_EQ(test, ssdf_nand_check(fd->f), 0);
	FD_EXPECT_TIME(fd, second, 2 * (R + M) + S);
	FD_EXPECT_TIME(fd, write, M + P + S + R + M + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

/* Writes and GC do not interrupt; a write that waits follows the suspended one. */
static void flash_suspend_for_reads_only(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=both" TIMES);
	struct ssdf_request *first = fd_write(fd, 4, 1), *second = fd_write(fd, 8, 1);

	fd_advance(fd, M + 100000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), S + R + M);
	FD_EXPECT_TIME(fd, first, M + P + S + R + M + G);
	FD_EXPECT_TIME(fd, second, 2 * (M + P) + S + R + M + G);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

/* The next page is in the cache register, through which read data would have to pass. */
static void flash_suspend_not_with_a_full_cache_register(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=both,cache_program=on" TIMES);
	struct ssdf_request *read;

	fd_write(fd, 4, 1);
	fd_write(fd, 8, 1);
	fd_advance(fd, 2 * M + 100000);
	read = fd_read(fd, 0, 1);
	/* The first program runs to its end, the second is interrupted at its start. */
	FD_EXPECT_TIME(fd, read, P - M - 100000 + S + R + M);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

/* The page that waits for the channel is loaded once the suspended program runs again. */
static void flash_suspend_then_load(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,dies=2,suspend=both,cache_program=on" TIMES);
	struct ssdf_request *first, *other, *second, *read;

	fd_write(fd, 0, 1);
	fd_rest(fd);
	first = fd_write(fd, 2, 1);		/* die 0: channel until M */
	other = fd_write(fd, 1, 1);		/* die 1: channel until 2 M */
	fd_advance(fd, M + 1000);
	second = fd_write(fd, 4, 1);		/* die 0: waits for the channel */
	read = fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, read, S + R + M);
	FD_EXPECT_TIME(fd, other, 2 * M + P);
	FD_EXPECT_TIME(fd, first, M + P + S + R + M + G);
	/* From the end of the first program, without a transfer. */
	FD_EXPECT_TIME(fd, second, P - 1000 + S + R + M + G + P);
	FD_EXPECT_STAT(fd, "suspended_programs", 1);
}

/*
 * Blocks 0 to 11 are full and block 0 is empty of valid pages, so that the last write starts GC
 * with an erase.
 */
static struct fd *erasing(struct kunit *test, const char *spec)
{
	struct fd *fd = fd_new_spec(test, spec, 0);
	u32 i;

	for (i = 0; i < 48; i++)
		fd_write(fd, i, 1);
	for (i = 0; i < 8; i++)
		fd_write(fd, i, 1);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "gc_runs", 0);
	fd_write(fd, 50, 1);
	fd_advance(fd, M + P + 100000);
	FD_EXPECT_STAT(fd, "erases", 1);
	return fd;
}

static void flash_suspend_erase(struct kunit *test)
{
	struct fd *fd = erasing(test, TINY ",suspend=erase" TIMES);
	u64 start_ns = fd->now_ns;

	FD_EXPECT_TIME(fd, fd_read(fd, 30, 1), S + R + M);
	KUNIT_EXPECT_EQ(test, fd->now_ns - start_ns, E - 100000 + S + R + M + G);
	FD_EXPECT_STAT(fd, "suspended_erases", 1);
	FD_EXPECT_STAT(fd, "suspended_programs", 0);
}

static void flash_suspend_program_only(struct kunit *test)
{
	struct fd *fd = erasing(test, TINY ",suspend=program" TIMES);

	FD_EXPECT_TIME(fd, fd_read(fd, 30, 1), E - 100000 + R + M);
	FD_EXPECT_STAT(fd, "suspended_erases", 0);
}

static void flash_suspend_erase_only(struct kunit *test)
{
	struct fd *fd = written(test, ",suspend=erase" TIMES);

	fd_write(fd, 4, 1);
	fd_advance(fd, M + 100000);
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), P - 100000 + R + M);
	FD_EXPECT_STAT(fd, "suspended_programs", 0);
}

static struct kunit_case flash_suspend_cases[] = {
	KUNIT_CASE(flash_suspend_off_by_default),
	KUNIT_CASE(flash_suspend_program),
	KUNIT_CASE(flash_suspend_program_at_its_start),
	KUNIT_CASE(flash_suspend_shared),
	KUNIT_CASE(flash_suspend_planes),
	KUNIT_CASE(flash_suspend_not_at_the_end),
	KUNIT_CASE(flash_suspend_min),
	KUNIT_CASE(flash_suspend_max),
	KUNIT_CASE(flash_suspend_while_resuming),
	KUNIT_CASE(flash_suspend_not_for_ever),
	KUNIT_CASE(flash_suspend_again_after_many_reads),
	KUNIT_CASE(flash_suspend_events_in_order),
	KUNIT_CASE(flash_suspend_inside_an_event),
	KUNIT_CASE(flash_suspend_for_reads_only),
	KUNIT_CASE(flash_suspend_not_with_a_full_cache_register),
	KUNIT_CASE(flash_suspend_then_load),
	KUNIT_CASE(flash_suspend_erase),
	KUNIT_CASE(flash_suspend_program_only),
	KUNIT_CASE(flash_suspend_erase_only),
	{}
};

static struct kunit_suite flash_suspend_suite = {
	.name = "ssdcache_flash_suspend",
	.exit = fd_exit,
	.test_cases = flash_suspend_cases,
};

kunit_test_suite(flash_suspend_suite);
