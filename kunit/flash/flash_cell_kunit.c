// SPDX-License-Identifier: GPL-2.0
/*
 * Several bits per cell: each page of a cell takes its own time to read and to program.
 *
 * R: array read, P: array program, M: transfer of a page.
 */
#include "flash_driver.h"

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define M	FD_MOVE_NS

#define TLC_READS	",read2_ns=70000,read3_ns=90000"
#define TLC_PROGRAMS	",program2_ns=900000,program3_ns=2000000"

static const u64 read_ns[] = { R, 70000, 90000, R };
static const u64 program_ns[] = { P, 900000, 2000000, P };

/* Pages 0, 4, 8 … are the pages of a block in order. */
static void flash_cell_programs_by_type(struct kunit *test)
{
	struct fd *fd = fd_new(test, TLC_PROGRAMS);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(program_ns); i++)
		FD_EXPECT_TIME(fd, fd_write(fd, i * FD_CHANNELS, 1), M + program_ns[i]);
	/* One time for all reads. */
	for (i = 0; i < ARRAY_SIZE(program_ns); i++)
		FD_EXPECT_TIME(fd, fd_read(fd, i * FD_CHANNELS, 1), R + M);
}

static void flash_cell_both_by_type(struct kunit *test)
{
	struct fd *fd = fd_new(test, TLC_READS TLC_PROGRAMS);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(program_ns); i++)
		FD_EXPECT_TIME(fd, fd_write(fd, i * FD_CHANNELS, 1), M + program_ns[i]);
	for (i = 0; i < ARRAY_SIZE(read_ns); i++)
		FD_EXPECT_TIME(fd, fd_read(fd, i * FD_CHANNELS, 1), read_ns[i] + M);
}

static void flash_cell_one_program_time(struct kunit *test)
{
	struct fd *fd = fd_new(test, TLC_READS);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(read_ns); i++)
		FD_EXPECT_TIME(fd, fd_write(fd, i * FD_CHANNELS, 1), M + P);
	for (i = 0; i < ARRAY_SIZE(read_ns); i++)
		FD_EXPECT_TIME(fd, fd_read(fd, i * FD_CHANNELS, 1), read_ns[i] + M);
}

/* Planes work together on pages of one number, so on pages of one type. */
static void flash_cell_planes_together(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",channels=1,planes=2" TLC_READS TLC_PROGRAMS);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(program_ns); i++)
		FD_EXPECT_TIME(fd, fd_write(fd, i * 2, 2), 2 * M + program_ns[i]);
	for (i = 0; i < ARRAY_SIZE(read_ns); i++)
		FD_EXPECT_TIME(fd, fd_read(fd, i * 2, 2), read_ns[i] + 2 * M);
	FD_EXPECT_STAT(fd, "multi_plane_programs", ARRAY_SIZE(program_ns));
}

static struct kunit_case flash_cell_cases[] = {
	KUNIT_CASE(flash_cell_programs_by_type),
	KUNIT_CASE(flash_cell_both_by_type),
	KUNIT_CASE(flash_cell_one_program_time),
	KUNIT_CASE(flash_cell_planes_together),
	{}
};

static struct kunit_suite flash_cell_suite = {
	.name = "ssdcache_flash_cell",
	.exit = fd_exit,
	.test_cases = flash_cell_cases,
};

kunit_test_suite(flash_cell_suite);
