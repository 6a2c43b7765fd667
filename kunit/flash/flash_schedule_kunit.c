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

/*
 * Places in blocks go round: plane 1, one page ahead, is not behind by the rest of a block. Plane 0
 * catches up, and both work together, although the writes of plane 1 would suffice for a whole
 * block.
 */
static void flash_schedule_plane_ahead_waits(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2");
	u32 pages = fd->f->params.pages;
	struct ssdf_request *last;

	fd_write(fd, 1, 1);
	fd_rest(fd);
	last = fd_write(fd, 0, 4 * pages);
	FD_EXPECT_TIME(fd, last, M + P + (2 * pages - 1) * (2 * M + P) + M + P);
	FD_EXPECT_STAT(fd, "multi_plane_programs", 2 * pages - 1);
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
	}
}

/*
 * Two dies on a channel; @more has further words. Page 0 is being transferred from die 0: the rest
 * takes @left_ns.
 */
static struct fd *transferring(struct kunit *test, const char *more, u64 left_ns)
{
	char words[128];
	struct fd *fd;

	scnprintf(words, sizeof(words), ",channels=1,chips=2%s", more);
	fd = fd_new(test, words);
	fd_read(fd, 0, 1);
	fd_advance(fd, R + M - left_ns);
	return fd;
}

/* The other die is idle: by default its command passes the transfer. */
static void flash_schedule_command_waits(struct kunit *test)
{
	struct fd *fd = transferring(test, "", M / 4);

	FD_EXPECT_TIME(fd, fd_read(fd, 1, 1), R + M);
	fd_exit(test);
	fd = transferring(test, ",command_wait=on", M / 4);
	FD_EXPECT_TIME(fd, fd_read(fd, 1, 1), M / 4 + R + M);
	/* Nothing to wait for. */
	FD_EXPECT_TIME(fd, fd_read(fd, 1, 1), R + M);
}

/*
 * A device of three dies, with @more words, on which the next write of page 1, on die 1, makes GC
 * erase a block: the page is written again and again, so GC moves nothing.
 */
static struct fd *erase_is_near(struct kunit *test, const char *more)
{
	struct fd *fd;
	char words[128];
	u32 i;

	scnprintf(words, sizeof(words), ",channels=1,chips=3,gc_threshold=50%s", more);
	fd = fd_new(test, words);
	while (!fd_stat(fd, "erases")) {
		fd_write(fd, 1, 1);
		fd_rest(fd);
	}
	for (i = 1; i < fd->f->params.pages; i++)
		fd_write(fd, 1, 1);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "erases", 1);
	return fd;
}

/* An erase is a command, too. */
static void flash_schedule_erase_waits(struct kunit *test)
{
	static const char *const words[] = { "", ",command_wait=on" };
	unsigned int wait;

	for (wait = 0; wait < ARRAY_SIZE(words); wait++) {
		struct fd *fd = erase_is_near(test, words[wait]);
		u64 start_ns = fd->now_ns;

		fd_write(fd, 1, 1);
		/* When the program ends, a quarter of the transfer from die 0 is left. */
		fd_advance(fd, M + P - R - M * 3 / 4);
		fd_read(fd, 0, 1);
		fd_rest(fd);
		FD_EXPECT_STAT(fd, "erases", 2);
		KUNIT_EXPECT_EQ(test, fd->now_ns - start_ns, M + P + wait * M / 4 + FD_ERASE_NS);
		fd_exit(test);
	}
}

/* A write that comes while the erase waits goes before it, but after the data of die 2. */
static void flash_schedule_write_before_a_waiting_erase(struct kunit *test)
{
	struct fd *fd = erase_is_near(test, ",command_wait=on");
	u64 start_ns = fd->now_ns;
	struct ssdf_request *read, *write;

	fd_write(fd, 1, 1);
	fd_advance(fd, M + P - R - M * 3 / 4);
	fd_read(fd, 0, 1);
	read = fd_read(fd, 2, 1);
	fd_advance(fd, R + M * 7 / 8);
	write = fd_write(fd, 1, 1);
	FD_EXPECT_TIME(fd, read, R + 2 * M);
	FD_EXPECT_TIME(fd, write, M / 8 + 2 * M + P);
	FD_EXPECT_STAT(fd, "erases", 2);
	KUNIT_EXPECT_EQ(test, fd->now_ns - start_ns,
			2 * (M + P) + M / 4 + M + FD_ERASE_NS);
}

/* Dies start in the order in which they began to wait, and before the next transfer is chosen. */
static void flash_schedule_commands_wait_in_order(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,chips=5,command_wait=on");
	struct ssdf_request *reads[3], *write;

	fd_read(fd, 0, 1);
	fd_advance(fd, R);
	reads[0] = fd_read(fd, 3, 1);
	write = fd_write(fd, 4, 1);
	reads[1] = fd_read(fd, 1, 1);
	reads[2] = fd_read(fd, 2, 1);
	/* A second command does not move its die. */
	fd_read(fd, 8, 1);
	FD_EXPECT_TIME(fd, write, 2 * M + P);
	FD_EXPECT_TIME(fd, reads[0], M + R + M);
	FD_EXPECT_TIME(fd, reads[1], M + R + 2 * M);
	FD_EXPECT_TIME(fd, reads[2], M + R + 3 * M);
}

/* The command that suspends a program waits for the data of the other die. */
static void flash_schedule_suspension_waits(struct kunit *test)
{
	static const char *const words[] = {
		",channels=1,chips=2,suspend=program",
		",channels=1,chips=2,suspend=program,command_wait=on",
	};
	unsigned int wait;

	for (wait = 0; wait < ARRAY_SIZE(words); wait++) {
		struct fd *fd = fd_new(test, words[wait]);
		struct ssdf_request *read, *write;

		write = fd_write(fd, 0, 1);
		fd_advance(fd, M);
		fd_read(fd, 1, 1);
		fd_advance(fd, R + M * 3 / 4);
		read = fd_read(fd, 2, 1);
		FD_EXPECT_TIME(fd, read, wait * M / 4 + R + M);
		FD_EXPECT_TIME(fd, write, M + P + R + M);
		FD_EXPECT_STAT(fd, "suspended_programs", 1);
		fd_exit(test);
	}
}

/* The other die begins to transfer during the suspension: then the read's command waits. */
static void flash_schedule_read_after_suspension_waits(struct kunit *test)
{
	static const char *const words[] = {
		",channels=1,chips=2,suspend=program,suspend_ns=200",
		",channels=1,chips=2,suspend=program,suspend_ns=200,command_wait=on",
	};
	unsigned int wait;

	for (wait = 0; wait < ARRAY_SIZE(words); wait++) {
		struct fd *fd = fd_new(test, words[wait]);

		fd_write(fd, 0, 1);
		fd_advance(fd, M);
		fd_read(fd, 1, 1);
		fd_advance(fd, R - 100);
		FD_EXPECT_TIME(fd, fd_read(fd, 2, 1), (wait ? 100 + M : 200) + R + M);
		FD_EXPECT_STAT(fd, "suspended_programs", 1);
		fd_exit(test);
	}
}

/*
 * The program goes on when the data of the read have left, and its die wants the next page at once,
 * while data of the other die wait: these go first.
 */
static void flash_schedule_resumption_wants_a_page(struct kunit *test)
{
	static const char words[] =
		",channels=1,chips=2,suspend=program,cache_program=on,command_wait=on";
	struct ssdf_request *read, *writes[2];
	struct fd *fd = fd_new(test, words);

	writes[0] = fd_write(fd, 0, 1);
	fd_advance(fd, M);
	fd_read(fd, 2, 1);
	fd_advance(fd, M / 2);
	read = fd_read(fd, 1, 1);
	writes[1] = fd_write(fd, 4, 1);
	FD_EXPECT_TIME(fd, read, R + M / 2 + M);
	FD_EXPECT_TIME(fd, writes[0], M + R + M + P);
	FD_EXPECT_TIME(fd, writes[1], R + M / 2 + 2 * P);
}

/* A die's own data count, but the command for the next page goes before them. */
static void flash_schedule_cached_read_waits(struct kunit *test)
{
	struct fd *fd = transferring(test, ",cache_read=on", M / 4);

	FD_EXPECT_TIME(fd, fd_read(fd, 2, 1), R + M);
	FD_EXPECT_STAT(fd, "cached_reads", 1);
	fd_exit(test);
	fd = transferring(test, ",cache_read=on,command_wait=on", M / 4);
	FD_EXPECT_TIME(fd, fd_read(fd, 2, 1), M / 4 + R + M);
	FD_EXPECT_STAT(fd, "cached_reads", 0);
	fd_read(fd, 0, 1);
	FD_EXPECT_TIME(fd, fd_read(fd, 2, 1), 2 * R + M);
	FD_EXPECT_STAT(fd, "cached_reads", 1);
}

/* By default the data that die 1 has read go first. */
static void flash_schedule_writes_first(struct kunit *test)
{
	static const char *const words[] = {
		",channels=1,chips=3",
		",channels=1,chips=3,channel_first=writes",
	};
	unsigned int first;

	for (first = 0; first < ARRAY_SIZE(words); first++) {
		struct fd *fd = fd_new(test, words[first]);
		struct ssdf_request *read, *write;

		fd_read(fd, 0, 1);
		read = fd_read(fd, 1, 1);
		fd_advance(fd, R);
		write = fd_write(fd, 2, 1);
		FD_EXPECT_TIME(fd, read, R + (2 + first) * M);
		FD_EXPECT_TIME(fd, write, (2 - first) * M + M + P);
		fd_exit(test);
	}
}

/*
 * While the die reads, two pages to program are transferred; the second is under way when the data
 * are there, and 16 may overtake these, however many wait.
 */
static void flash_schedule_data_behind_writes(struct kunit *test)
{
	static const u32 bursts[] = { 5, 18, 19, 50 };
	struct ssdf_request *read;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct fd *fd = fd_new(test, ",channels=1,chips=60,channel_first=writes");

		read = fd_read(fd, 0, 1);
		for (k = 1; k <= bursts[i]; k++)
			fd_write(fd, k, 1);
		FD_EXPECT_TIME(fd, read, min(bursts[i], 18u) * M + M);
		fd_exit(test);
	}
}

/* Two of eight sectors are written: the other six are read, and only the two reach the die. */
static void flash_schedule_partial_transfer(struct kunit *test)
{
	struct fd *fd = written(test, "", 2);

	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_WRITE, 3, 2), R + M * 6 / 8 + M + P);
	fd_exit(test);
	fd = written(test, ",partial_transfer=on", 2);
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_WRITE, 3, 2), R + M * 6 / 8 + M * 2 / 8 + P);
	/* The die has all of the page when it is read. */
	FD_EXPECT_TIME(fd, fd_read(fd, 0, 1), R + M);
	FD_EXPECT_TIME(fd, fd_write(fd, 0, 1), M + P);
	/* There is nothing to merge with: the controller fills the page. */
	fd_submit(fd, SSDC_DISCARD, FD_PAGE_SECTORS, FD_PAGE_SECTORS);
	FD_EXPECT_TIME(fd, fd_submit(fd, SSDC_WRITE, FD_PAGE_SECTORS, 1), M + P);
}

/* A program that has to wait for room moves as much as one that finds room at once. */
static void flash_schedule_partial_transfer_after_a_stall(struct kunit *test)
{
	struct fd *fd = written(test, ",partial_transfer=on", 1);
	struct ssdf_request *write;

	ssdf_media_hold(fd->f, true, fd->now_ns);
	write = fd_submit(fd, SSDC_WRITE, 3, 2);
	fd_advance(fd, 3 * R);
	FD_EXPECT_STAT(fd, "stalled_writes", 1);
	ssdf_media_hold(fd->f, false, fd->now_ns);
	FD_EXPECT_TIME(fd, write, 3 * R + M * 2 / 8 + P);
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
	KUNIT_CASE(flash_schedule_plane_ahead_waits),
	KUNIT_CASE(flash_schedule_streams_do_not_catch_up),
	KUNIT_CASE(flash_schedule_reads_find_partners),
	KUNIT_CASE(flash_schedule_search_is_bounded),
	KUNIT_CASE(flash_schedule_command_waits),
	KUNIT_CASE(flash_schedule_erase_waits),
	KUNIT_CASE(flash_schedule_write_before_a_waiting_erase),
	KUNIT_CASE(flash_schedule_commands_wait_in_order),
	KUNIT_CASE(flash_schedule_suspension_waits),
	KUNIT_CASE(flash_schedule_read_after_suspension_waits),
	KUNIT_CASE(flash_schedule_resumption_wants_a_page),
	KUNIT_CASE(flash_schedule_cached_read_waits),
	KUNIT_CASE(flash_schedule_writes_first),
	KUNIT_CASE(flash_schedule_data_behind_writes),
	KUNIT_CASE(flash_schedule_partial_transfer),
	KUNIT_CASE(flash_schedule_partial_transfer_after_a_stall),
	{}
};

static struct kunit_suite flash_schedule_suite = {
	.name = "ssdcache_flash_schedule",
	.exit = fd_exit,
	.test_cases = flash_schedule_cases,
};

kunit_test_suite(flash_schedule_suite);
