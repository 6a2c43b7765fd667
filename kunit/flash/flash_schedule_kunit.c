// SPDX-License-Identifier: GPL-2.0
/*
 * What waits for what: reads and writes behind bursts of the other, and planes that work together.
 *
 * R: array read, P: array program, M: transfer of a page.
 */
#include "flash_driver.h"

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define M	FD_MOVE_NS

/* A device on which the first @nr pages are programmed. */
static struct fd *written(struct kunit *test, const char *more, u32 nr)
{
	struct fd *fd = fd_new(test, more);

	fd_write(fd, 0, nr);
	fd_rest(fd);
	return fd;
}

/* The commands for writes are all in use: a read waits for the command that its die is running. */
static void flash_schedule_read_behind_writes(struct kunit *test)
{
	static const u32 bursts[] = { 10, 500, 1500 };
	struct ssdf_request *read;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct fd *fd = written(test, "", 1);

		for (k = 0; k < bursts[i]; k++)
			fd_write(fd, 100 + k, 1);
		read = fd_read(fd, 0, 1);
		FD_EXPECT_TIME(fd, read, M + P + R + M);
		fd_exit(test);
		test->priv = NULL;
	}
}

/* The same in one request with more pages than there are commands. */
static void flash_schedule_read_behind_a_long_write(struct kunit *test)
{
	struct fd *fd = written(test, "", 1);
	struct ssdf_request *read;

	fd_write(fd, 100, 3000);
	KUNIT_EXPECT_EQ(test, fd->f->lanes[SSDF_WRITE_LANE].commands, fd->f->lane_commands);
	KUNIT_EXPECT_EQ(test, fd->f->lane_commands, fd->f->nr_commands * 4 / 5);
	read = fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, read, M + P + R + M);
}

/* One read runs and 16 may overtake the write, however many wait. */
static void flash_schedule_write_behind_reads(struct kunit *test)
{
	static const u32 bursts[] = { 100, 500, 2000 };
	struct ssdf_request *write;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct fd *fd = fd_new(test, "");

		for (k = 0; k < bursts[i]; k++)
			fd_read(fd, k, 1);
		write = fd_write(fd, 0, 1);
		FD_EXPECT_TIME(fd, write, 17 * (R + M) + M + P);
		fd_exit(test);
		test->priv = NULL;
	}
}

/*
 * Reads of three dies keep their channel busy without end. One transfer runs and 16 may overtake
 * the page for the fourth die, however many wait.
 */
static void flash_schedule_write_behind_data(struct kunit *test)
{
	static const u32 bursts[] = { 10, 100, 500 };
	struct ssdf_request *write;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct fd *fd = fd_new(test, ",channels=1,chips=4");

		for (k = 0; k < 3 * bursts[i]; k++)
			fd_read(fd, k / 3 * 4 + k % 3, 1);
		fd_advance(fd, R);
		write = fd_write(fd, 3, 1);
		FD_EXPECT_TIME(fd, write, 17 * M + M + P);
		fd_exit(test);
		test->priv = NULL;
	}
}

/* Reads of the write's die wait behind it once 16 have overtaken it, but not for long. */
static void flash_schedule_read_behind_a_write_behind_data(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,chips=4");
	struct ssdf_request *read = NULL;
	unsigned int i;

	for (i = 0; i < 3 * 300; i++)
		fd_read(fd, i / 3 * 4 + i % 3, 1);
	fd_advance(fd, R);
	fd_write(fd, 3, 1);
	/* The last one finds that 16 have overtaken the write. */
	for (i = 0; i < 17; i++)
		read = fd_read(fd, 4 * i + 7, 1);
	fd_rest(fd);
	KUNIT_EXPECT_LT(test, read->done_ns - read->start_ns, fd->now_ns / 4);
}

/* Reads wait for commands behind reads only, writes behind writes, in order of arrival. */
static void flash_schedule_lanes_keep_their_order(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	struct ssdf_request *reads[2], *writes[2];

	reads[0] = fd_read(fd, 0, 2000);
	writes[0] = fd_write(fd, 0, 2000);
	reads[1] = fd_read(fd, 2000, 1);
	writes[1] = fd_write(fd, 2000, 1);
	fd_rest(fd);
	KUNIT_EXPECT_LE(test, reads[0]->done_ns, reads[1]->done_ns);
	KUNIT_EXPECT_LE(test, writes[0]->done_ns, writes[1]->done_ns);
	KUNIT_EXPECT_LT(test, reads[1]->done_ns, writes[0]->done_ns);
}

/*
 * Even pages are in plane 0, odd ones in plane 1. Plane 0 is two pages ahead; a read keeps the die
 * busy while the writes are queued.
 */
static struct fd *out_of_step(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2");

	fd_write(fd, 0, 1);
	fd_write(fd, 2, 1);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 0);
	fd_read(fd, 0, 1);
	fd_write(fd, 4, 1);
	fd_write(fd, 6, 1);
	return fd;
}

/* Enough writes wait in plane 1 to catch up: it goes first, then both work together. */
static void flash_schedule_plane_catches_up(struct kunit *test)
{
	struct fd *fd = out_of_step(test);
	struct ssdf_request *last = NULL;
	unsigned int i;

	for (i = 1; i < 9; i += 2)
		last = fd_write(fd, i, 1);
	FD_EXPECT_TIME(fd, last, R + M + 2 * (M + P) + 2 * (2 * M + P));
	FD_EXPECT_STAT(fd, "multi_plane_programs", 2);
}

/* Too few: the writes that arrived first go first, each alone. */
static void flash_schedule_plane_cannot_catch_up(struct kunit *test)
{
	struct fd *fd = out_of_step(test);
	struct ssdf_request *last;

	fd_write(fd, 1, 1);
	last = fd_write(fd, 3, 1);
	FD_EXPECT_TIME(fd, last, R + M + 4 * (M + P));
	FD_EXPECT_STAT(fd, "multi_plane_programs", 0);
}

/* Open blocks of different streams are never in step: the write that arrived first goes first. */
static void flash_schedule_streams_do_not_catch_up(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2,streams=2");
	struct ssdf_request *first;
	unsigned int i;

	fd_write(fd, 0, 1);
	fd_write(fd, 2, 1);
	fd_rest(fd);
	fd_read(fd, 0, 1);
	first = fd_write(fd, 4, 1);
	for (i = 1; i < 9; i += 2) {
		fd->requests[fd->nr_requests].stream = 1;
		fd_write(fd, i, 1);
	}
	FD_EXPECT_TIME(fd, first, R + M + M + P);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 0);
}

/* Reads of a plane may be taken in any order: each finds the read of the same page number. */
static void flash_schedule_reads_find_partners(struct kunit *test)
{
	struct fd *fd = written(test, ",channels=1,planes=2", 8);
	struct ssdf_request *last = NULL;
	unsigned int i;

	fd_write(fd, 8, 1);
	for (i = 0; i < 8; i += 2)
		fd_read(fd, i, 1);
	for (i = 8; i; i -= 2)
		last = fd_read(fd, i - 1, 1);
	/* Page 1, the last to arrive, goes with page 0. */
	FD_EXPECT_TIME(fd, last, M + P + R + 2 * M);
	KUNIT_EXPECT_EQ(test, fd->now_ns - last->start_ns, M + P + 4 * (R + 2 * M));
	FD_EXPECT_STAT(fd, "multi_plane_reads", 4);
}

/* The search looks at 32 reads of a plane, which bounds the time under the lock. */
static void flash_schedule_search_is_bounded(struct kunit *test)
{
	u32 ahead;

	for (ahead = 31; ahead <= 32; ahead++) {
		struct fd *fd = written(test, ",channels=1,planes=2", 4);
		unsigned int i;

		fd_write(fd, 4, 1);
		fd_read(fd, 0, 1);
		for (i = 0; i < ahead; i++)
			fd_read(fd, 3, 1);
		fd_read(fd, 1, 1);
		fd_rest(fd);
		FD_EXPECT_STAT(fd, "multi_plane_reads", ahead < 32);
		fd_exit(test);
		test->priv = NULL;
	}
}

static struct kunit_case flash_schedule_cases[] = {
	KUNIT_CASE(flash_schedule_read_behind_writes),
	KUNIT_CASE(flash_schedule_read_behind_a_long_write),
	KUNIT_CASE(flash_schedule_write_behind_reads),
	KUNIT_CASE(flash_schedule_write_behind_data),
	KUNIT_CASE(flash_schedule_read_behind_a_write_behind_data),
	KUNIT_CASE(flash_schedule_lanes_keep_their_order),
	KUNIT_CASE(flash_schedule_plane_catches_up),
	KUNIT_CASE(flash_schedule_plane_cannot_catch_up),
	KUNIT_CASE(flash_schedule_streams_do_not_catch_up),
	KUNIT_CASE(flash_schedule_reads_find_partners),
	KUNIT_CASE(flash_schedule_search_is_bounded),
	{}
};

static struct kunit_suite flash_schedule_suite = {
	.name = "ssdcache_flash_schedule",
	.exit = fd_exit,
	.test_cases = flash_schedule_cases,
};

kunit_test_suite(flash_schedule_suite);
