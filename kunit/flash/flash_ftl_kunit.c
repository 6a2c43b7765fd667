// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping, blocks, garbage collection and ageing.
 */
#include "flash_driver.h"

/* One plane of 16 blocks of 4 pages: 51 pages for the host. GC starts at the last free block. */
#define TINY "custom:channels=1,chips=1,dies=1,planes=1,blocks=16,pages=4,page_bytes=4096," \
	"read_ns=50000,program_ns=500000,erase_ns=2000000,transfer_ps=10000," \
	"over_provisioning=20,gc_threshold=0,gc_urgent=0,allocation=static"
#define TINY_PAGES	51u

#define R	FD_READ_NS
#define P	FD_PROGRAM_NS
#define E	FD_ERASE_NS
#define M	FD_MOVE_NS

static u32 rnd(struct ssdc_random *random, u32 below)
{
	return ssdc_random_below(random, below);
}

/* Write pages one at a time. */
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

static void flash_ftl_capacity(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);

	KUNIT_EXPECT_EQ(test, fd->f->nr_lpns, TINY_PAGES);
	KUNIT_EXPECT_EQ(test, ssdf_capacity_sectors(&fd->f->params), TINY_PAGES * 8ULL);
	FD_EXPECT_STAT(fd, "free_blocks", 16);
	FD_EXPECT_STAT(fd, "valid_pages", 0);
}

#define FLAT "custom:channels=4,chips=1,dies=1,planes=1,pages=16,page_bytes=4096"

static void flash_ftl_blocks_for_a_size(struct kunit *test)
{
	/*
	 * 1000 pages plus 7 % over-provisioning are 1076 pages, 270 per plane, about 17 blocks.
	 * But 3 spare blocks at 7 % need more than 42 blocks.
	 */
	struct fd *fd = fd_new_spec(test, FLAT, 8000);

	KUNIT_EXPECT_EQ(test, fd->f->params.blocks, 44u);
	KUNIT_EXPECT_GE(test, ssdf_capacity_sectors(&fd->f->params), 8000ULL);
}

static void flash_ftl_overwrite_outdates(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);

	write_pages(fd, 0, 4);
	FD_EXPECT_STAT(fd, "valid_pages", 4);
	write_pages(fd, 0, 2);
	FD_EXPECT_STAT(fd, "valid_pages", 4);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[0].valid, 2);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[1].valid, 2);
	KUNIT_EXPECT_EQ(test, ssdf_ppn_nr(fd->f->map[0]), 4u);
	KUNIT_EXPECT_EQ(test, ssdf_ppn_nr(fd->f->map[2]), 2u);
	fd_submit(fd, SSDC_DISCARD, 0, 4 * 8);
	FD_EXPECT_STAT(fd, "valid_pages", 0);
	FD_EXPECT_STAT(fd, "trimmed_pages", 4);
}

/* With 14 of 16 blocks full, opening one starts GC, which runs until two are free again. */
static void flash_ftl_gc_takes_the_emptiest(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);

	write_pages(fd, 0, 48);		/* blocks 0 … 11 */
	write_pages(fd, 28, 1);		/* block 7 keeps 3 valid pages, */
	write_pages(fd, 20, 3);		/* block 5 keeps 1, */
	write_pages(fd, 8, 2);		/* block 2 keeps 2 */
	write_pages(fd, 48, 2);		/* blocks 12, 13: 1 + 3 + 2 + 2 pages */
	FD_EXPECT_STAT(fd, "gc_runs", 0);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[5].valid, 1);
	write_pages(fd, 50, 1);		/* opens block 14: one block is free */
	/* Block 5 moves into a new block: one is free again. Block 2 frees another. */
	FD_EXPECT_STAT(fd, "gc_runs", 2);
	FD_EXPECT_STAT(fd, "gc_programs", 1 + 2);
	FD_EXPECT_STAT(fd, "erases", 2);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[5].erases, 1u);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[2].erases, 1u);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[7].erases, 0u);
	FD_EXPECT_STAT(fd, "max_erases", 1);
	FD_EXPECT_STAT(fd, "free_blocks", 2);
}

/* The first page of a write leaves too few free blocks; the victim is chosen after the last one. */
static void flash_ftl_gc_after_the_whole_write(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);
	u32 i;

	write_pages(fd, 0, 48);
	write_pages(fd, 20, 2);		/* block 5 keeps 2 valid pages, */
	for (i = 6; i < 12; i++)
		write_pages(fd, 4 * i, 1);	/* blocks 6 … 11 keep 3 */
	FD_EXPECT_STAT(fd, "gc_runs", 0);
	fd_write(fd, 8, 3);		/* opens block 14; block 2 keeps 1 */
	for (i = 0; i < 1000 && !fd_stat(fd, "erases"); i++)
		fd_advance(fd, 10000);
	/* The erase of the first victim has begun. */
	FD_EXPECT_STAT(fd, "erases", 1);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[2].valid, 0);
	KUNIT_EXPECT_EQ(test, fd->f->blocks[5].valid, 2);
	fd_rest(fd);
}

/* Each valid page of the two victims costs read, out, in and program; each victim an erase. */
static void gc_costs(struct kunit *test, const char *spec, u32 each, u64 gc_ns)
{
	struct fd *fd = fd_new_spec(test, spec, 0);
	struct ssdf_request *write, *read;

	write_pages(fd, 0, 48);
	/* Blocks 0 and 1 keep @each valid pages; blocks 12 and 13 are filled. */
	write_pages(fd, 0, 4 - each);
	write_pages(fd, 4, 4 - each);
	write_pages(fd, 48, 2 * each);
	FD_EXPECT_STAT(fd, "gc_runs", 0);
	fd->nr_requests = 0;
	fd->nr_done = 0;
	write = fd_write(fd, 50, 1);
	FD_EXPECT_TIME(fd, write, M + P);
	FD_EXPECT_STAT(fd, "gc_programs", 2 * each);
	FD_EXPECT_STAT(fd, "gc_reads", 2 * each);
	KUNIT_EXPECT_EQ(test, fd->now_ns - write->done_ns, gc_ns);
	read = fd_read(fd, 30, 1);
	FD_EXPECT_TIME(fd, read, R + M);
	fd_exit(test);
}

static void flash_ftl_gc_cost(struct kunit *test)
{
	/* One empty victim is enough. */
	gc_costs(test, TINY, 0, E);
	gc_costs(test, TINY, 1, 2 * (R + M + M + P) + 2 * E);
	gc_costs(test, TINY ",copyback=on", 1, 2 * (R + P) + 2 * E);
	/* The moved pages become the first and the second of a block; both were last pages. */
	gc_costs(test, TINY ",read2_ns=70000,program2_ns=900000", 1,
		 2 * 70000 + 4 * M + P + 900000 + 2 * E);
}

/* A read waits for the running GC step only. */
static void flash_ftl_read_during_gc(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);
	struct ssdf_request *write, *read;

	write_pages(fd, 0, 48);
	write_pages(fd, 0, 3);
	write_pages(fd, 4, 3);
	write_pages(fd, 48, 2);
	fd->nr_requests = 0;
	fd->nr_done = 0;
	write = fd_write(fd, 50, 1);
	/* The first page was read, its program starts. */
	fd_advance(fd, M + P + R + M + 1);
	KUNIT_EXPECT_TRUE(test, fd_done(write));
	read = fd_read(fd, 30, 1);
	FD_EXPECT_TIME(fd, read, M + P - 1 + R + M);
	FD_EXPECT_STAT(fd, "blocked_reads", 1);
}

/* Each write outdates the oldest page, so blocks become empty without GC moving pages. */
static void flash_ftl_sequential_overwrite(struct kunit *test)
{
	struct fd *fd = fd_new(test, "");
	u32 pages = fd->f->nr_lpns, round;

	for (round = 0; round < 5; round++) {
		fd->nr_requests = 0;
		fd->nr_done = 0;
		fd_submit(fd, SSDC_WRITE, 0, pages * FD_PAGE_SECTORS);
		fd_rest(fd);
	}
	FD_EXPECT_STAT(fd, "host_programs", 5 * pages);
	FD_EXPECT_STAT(fd, "gc_programs", 0);
	FD_EXPECT_STAT(fd, "write_amplification", 1000);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "erases"), 4ULL * 56 * 4);
}

static void flash_ftl_static_allocation(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",chips=2,dies=2,planes=2");
	u32 i, plane;

	fd_write(fd, 0, 40);
	fd_rest(fd);
	/* Channels, then chips, then dies, then planes. */
	for (i = 0; i < 40; i++) {
		plane = ssdf_plane_of(fd->f, fd->f->map[i]);
		KUNIT_EXPECT_EQ(test, (u32)(fd->f->dies[plane / 2].channel - fd->f->channels),
				i % 4);
		KUNIT_EXPECT_EQ(test, plane / 4 % 2, i / 4 % 2);
		KUNIT_EXPECT_EQ(test, plane / 2 % 2, i / 8 % 2);
		KUNIT_EXPECT_EQ(test, plane % 2, i / 16 % 2);
	}
}

/* Dynamic allocation skips busy dies. */
static void flash_ftl_dynamic_allocation(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",allocation=dynamic");
	u32 i;

	fd_write(fd, 0, 4);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, ssdf_plane_of(fd->f, fd->f->map[i]), i);
	fd_rest(fd);
	fd_read(fd, 0, 1);
	fd_read(fd, 1, 1);
	FD_EXPECT_TIME(fd, fd_write(fd, 100, 2), M + P);
	KUNIT_EXPECT_EQ(test, ssdf_plane_of(fd->f, fd->f->map[100]), 2u);
	KUNIT_EXPECT_EQ(test, ssdf_plane_of(fd->f, fd->f->map[101]), 3u);
}

/* The host writes faster than GC frees blocks: writes stall, then continue. */
static void flash_ftl_stall(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);
	struct ssdc_random random = { .state = 88172645463325252ULL };
	u32 round, i;

	for (round = 0; round < 4; round++) {
		fd->nr_requests = 0;
		fd->nr_done = 0;
		for (i = 0; i < 200; i++)
			fd_write(fd, rnd(&random, TINY_PAGES), 1);
		fd_rest(fd);
	}
	KUNIT_EXPECT_GT(test, fd_stat(fd, "stalled_writes"), 0ULL);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "write_amplification"), 1000ULL);
	FD_EXPECT_STAT(fd, "host_programs", 800);
}

/* Events that the observer saw. */
struct seen {
	u32 nr_gc, nr_erased, nr_stalled;
	u32 plane[2], victim[2], valid[2];
	u32 erased_plane, erased[2], erases[2];
	u64 sector;
	u32 moved;			/* valid pages of all victims */
};

static void saw_gc(void *owner, u32 plane, u32 block, u32 valid)
{
	struct seen *seen = owner;
	u32 i = seen->nr_gc++ % 2;

	seen->plane[i] = plane;
	seen->victim[i] = block;
	seen->valid[i] = valid;
	seen->moved += valid;
}

static void saw_erased(void *owner, u32 plane, u32 block, u32 erases)
{
	struct seen *seen = owner;
	u32 i = seen->nr_erased++ % 2;

	seen->erased_plane = plane;
	seen->erased[i] = block;
	seen->erases[i] = erases;
}

static void saw_stalled(void *owner, u64 sector)
{
	struct seen *seen = owner;

	seen->nr_stalled++;
	seen->sector = sector;
}

static const struct ssdf_observer_ops observer = {
	.gc_started = saw_gc,
	.erased = saw_erased,
	.stalled = saw_stalled,
};

/* As flash_ftl_gc_takes_the_emptiest, in the second of two planes. */
static void flash_ftl_observer_sees_gc(struct kunit *test)
{
	static const u32 overwrites[] = { 28, 20, 21, 22, 8, 9, 48, 49 };
	struct fd *fd = fd_new_spec(test, TINY ",channels=2", 0);
	struct seen seen = {};
	u32 i;

	ssdf_observe(fd->f, &observer, &seen);
	for (i = 0; i < 48; i++)
		write_pages(fd, 2 * i + 1, 1);
	for (i = 0; i < ARRAY_SIZE(overwrites); i++)
		write_pages(fd, 2 * overwrites[i] + 1, 1);
	KUNIT_EXPECT_EQ(test, seen.nr_gc, 0u);
	write_pages(fd, 2 * 50 + 1, 1);
	KUNIT_ASSERT_EQ(test, seen.nr_gc, 2u);
	KUNIT_ASSERT_EQ(test, seen.nr_erased, 2u);
	KUNIT_EXPECT_EQ(test, seen.plane[0], 1u);
	KUNIT_EXPECT_EQ(test, seen.plane[1], 1u);
	KUNIT_EXPECT_EQ(test, seen.victim[0], 5u);
	KUNIT_EXPECT_EQ(test, seen.victim[1], 2u);
	KUNIT_EXPECT_EQ(test, seen.valid[0], 1u);
	KUNIT_EXPECT_EQ(test, seen.valid[1], 2u);
	KUNIT_EXPECT_EQ(test, seen.erased_plane, 1u);
	KUNIT_EXPECT_EQ(test, seen.erased[0], 5u);
	KUNIT_EXPECT_EQ(test, seen.erased[1], 2u);
	KUNIT_EXPECT_EQ(test, seen.erases[0], 1u);
	KUNIT_EXPECT_EQ(test, seen.erases[1], 1u);
	KUNIT_EXPECT_EQ(test, seen.nr_stalled, 0u);
}

static void flash_ftl_observer_sees_stalls(struct kunit *test)
{
	struct fd *fd = fd_new_spec(test, TINY, 0);
	struct seen seen = {};
	u64 stalled;
	u32 i;

	ssdf_observe(fd->f, &observer, &seen);
	for (i = 0; !seen.nr_stalled && i < 1000; i++)
		fd_write(fd, i % TINY_PAGES, 1);
	KUNIT_ASSERT_EQ(test, seen.nr_stalled, 1u);
	KUNIT_EXPECT_EQ(test, seen.sector, (i - 1) % TINY_PAGES * 8ULL);
	fd_rest(fd);
	for (i = 0; i < 200; i++)
		fd_write(fd, i * 7 % TINY_PAGES, 1);
	fd_rest(fd);
	FD_EXPECT_STAT(fd, "stalled_writes", seen.nr_stalled);
	FD_EXPECT_STAT(fd, "gc_runs", seen.nr_gc);
	FD_EXPECT_STAT(fd, "erases", seen.nr_erased);
	/* Pages that are overwritten during collection are not moved. */
	KUNIT_EXPECT_GE(test, seen.moved, (u32)fd_stat(fd, "gc_programs"));
	stalled = fd_stat(fd, "stalled_writes");
	ssdf_observe(fd->f, NULL, NULL);
	for (i = 0; i < 200; i++)
		fd_write(fd, i * 7 % TINY_PAGES, 1);
	fd_rest(fd);
	KUNIT_EXPECT_GT(test, fd_stat(fd, "stalled_writes"), stalled);
	KUNIT_EXPECT_EQ(test, seen.nr_stalled, (u32)stalled);
}

static void flash_ftl_aged(struct kunit *test)
{
	struct fd *fd = fd_new(test, ",aged_valid=50,aged_invalid=30,seed=7");
	u32 pages = 64 * 16, i, mapped = 0;

	FD_EXPECT_STAT(fd, "valid_pages", 4 * (pages / 2));
	FD_EXPECT_STAT(fd, "free_blocks", 4 * (64 - 52));
	for (i = 0; i < fd->f->nr_lpns; i++) {
		if (!ssdf_is_mapped(fd->f->map[i]))
			continue;
		mapped++;
		KUNIT_EXPECT_EQ(test, ssdf_plane_of(fd->f, fd->f->map[i]), i % 4);
	}
	KUNIT_EXPECT_EQ(test, mapped, 4 * (pages / 2));
	KUNIT_EXPECT_EQ(test, ssdf_check(fd->f), 0);
	FD_EXPECT_STAT(fd, "host_programs", 0);
	write_pages(fd, 0, 4);
}

/* Equal seeds give equal states, different seeds different states. */
static void flash_ftl_aged_by_seed(struct kunit *test)
{
	struct fd *a = fd_new(test, ",aged_valid=50,aged_invalid=30,seed=7");
	struct fd *b = fd_new(test, ",aged_valid=50,aged_invalid=30,seed=7");
	struct fd *c = fd_new(test, ",aged_valid=50,aged_invalid=30,seed=8");
	size_t bytes = a->f->nr_lpns * sizeof(*a->f->map);

	KUNIT_EXPECT_EQ(test, memcmp(a->f->map, b->f->map, bytes), 0);
	KUNIT_EXPECT_NE(test, memcmp(a->f->map, c->f->map, bytes), 0);
	ssdf_destroy(a->f);
	ssdf_destroy(b->f);
}

struct storm_param {
	const char *name;
	const char *more;
};

static const struct storm_param storm_params[] = {
	{ "static", "" },
	{ "dynamic", ",allocation=dynamic" },
	{ "planes", ",channels=2,dies=2,planes=2,blocks=32,allocation=dynamic" },
	{ "planes static", ",channels=2,dies=2,planes=2,blocks=32" },
	{ "cache program", ",channels=2,planes=2,cache_program=on,allocation=dynamic" },
	{ "cache program, one die", ",channels=1,cache_program=on" },
	{ "copyback", ",channels=2,copyback=on,allocation=dynamic" },
	{ "aged", ",aged_valid=60,aged_invalid=25,gc_threshold=10,gc_urgent=5,allocation=dynamic" },
	{ "suspend", ",channels=2,planes=2,suspend=both,suspend_ns=9000,resume_ns=4000" },
	{ "suspend, cache program", ",dies=2,channels=1,suspend=both,cache_program=on" },
	{ "cache read", ",channels=2,planes=2,cache_read=on,cache_program=on,suspend=erase" },
	{ "slow channel", ",channels=1,dies=4,transfer_ps=100000,allocation=dynamic" },
	{ "commands wait", ",channels=1,dies=4,transfer_ps=100000,command_wait=on" },
	{ "commands wait, cache read",
	  ",channels=1,dies=4,planes=2,cache_read=on,command_wait=on" },
	{ "commands wait, all",
	  ",channels=1,dies=4,cache_read=on,cache_program=on,suspend=both,command_wait=on" },
	{ "writes first", ",channels=1,dies=4,transfer_ps=100000,channel_first=writes" },
	{ "partial transfers",
	  ",channels=1,dies=4,command_wait=on,channel_first=writes,partial_transfer=on" },
};

static void storm_desc(const struct storm_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(storm, storm_params, storm_desc);

/* Random requests of all kinds from a fixed seed; checks all invariants whenever quiescent. */
static void flash_ftl_storm(struct kunit *test)
{
	const struct storm_param *p = test->param_value;
	struct fd *fd = fd_new(test, p->more);
	u64 sectors = fd->f->nr_lpns * (u64)FD_PAGE_SECTORS;
	struct ssdc_random random = { .state = 2463534242ULL };
	u32 round, i;

	for (round = 0; round < 12; round++) {
		fd->nr_requests = 0;
		fd->nr_done = 0;
		for (i = 0; i < 400; i++) {
			static const enum ssdc_op ops[] = { SSDC_READ, SSDC_WRITE, SSDC_WRITE,
							    SSDC_WRITE, SSDC_DISCARD, SSDC_FLUSH };
			enum ssdc_op op = ops[rnd(&random, i % 8 ? 4 : 6)];
			u32 nr = 1 + rnd(&random, op == SSDC_DISCARD ? 20 : 60);
			u64 sector = rnd(&random, sectors - nr);

			if (op == SSDC_FLUSH)
				nr = 0;
			fd_submit(fd, op, sector, nr);
			if (rnd(&random, 3))
				fd_advance(fd, rnd(&random, 2000000));
		}
		fd_rest(fd);
	}
	KUNIT_EXPECT_GT(test, fd_stat(fd, "gc_runs"), 0ULL);
}

static struct kunit_case flash_ftl_cases[] = {
	KUNIT_CASE(flash_ftl_capacity),
	KUNIT_CASE(flash_ftl_blocks_for_a_size),
	KUNIT_CASE(flash_ftl_overwrite_outdates),
	KUNIT_CASE(flash_ftl_gc_takes_the_emptiest),
	KUNIT_CASE(flash_ftl_gc_after_the_whole_write),
	KUNIT_CASE(flash_ftl_gc_cost),
	KUNIT_CASE(flash_ftl_read_during_gc),
	KUNIT_CASE(flash_ftl_sequential_overwrite),
	KUNIT_CASE(flash_ftl_static_allocation),
	KUNIT_CASE(flash_ftl_dynamic_allocation),
	KUNIT_CASE(flash_ftl_stall),
	KUNIT_CASE(flash_ftl_observer_sees_gc),
	KUNIT_CASE(flash_ftl_observer_sees_stalls),
	KUNIT_CASE(flash_ftl_aged),
	KUNIT_CASE(flash_ftl_aged_by_seed),
	KUNIT_CASE_PARAM(flash_ftl_storm, storm_gen_params),
	{}
};

static struct kunit_suite flash_ftl_suite = {
	.name = "ssdcache_flash_ftl",
	.exit = fd_exit,
	.test_cases = flash_ftl_cases,
};

kunit_test_suite(flash_ftl_suite);
