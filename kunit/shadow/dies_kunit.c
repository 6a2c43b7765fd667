// SPDX-License-Identifier: GPL-2.0
/*
 * Dies of a shadow: each rule by itself, and all together against the flash model.
 *
 * R: array read, P: array program, M: transfer of a page.
 */
#include "../../dm-ssdcache/base/random.h"
#include "../../dm-ssdcache/shadow/dies.h"
#include "../flash/flash_driver.h"

#define R		FD_READ_NS
#define P		FD_PROGRAM_NS
#define M		FD_MOVE_NS
#define MAX_JOBS	512u
#define COMMANDS	256u
#define MANY_COMMANDS	4096u	/* more than are ever in progress */

struct env {
	struct kunit *test;
	struct ssdc_dies dies;
	u64 now_ns;
	struct ssdc_dies_job jobs[MAX_JOBS];
	u64 end_ns[MAX_JOBS];		/* 0: has not ended */
	u32 nr;
};

/* @dies: in all */
static struct env *begin_with(struct kunit *test, u32 channels, u32 dies, u32 planes, u32 commands)
{
	const struct ssdc_dies_params params = {
		.channels = channels, .dies = dies, .planes = planes,
		.page_sectors = FD_PAGE_SECTORS,
		.read_ns = R, .program_ns = P, .transfer_ns = M, .multi_plane = true,
	};
	struct env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->test = test;
	KUNIT_ASSERT_EQ(test, ssdc_dies_init(&env->dies, &params, commands), 0);
	return env;
}

static struct env *begin(struct kunit *test, u32 channels, u32 dies, u32 planes)
{
	return begin_with(test, channels, dies, planes, COMMANDS);
}

static void end(struct env *env)
{
	ssdc_dies_free(&env->dies);
	kunit_kfree(env->test, env);
}

static u32 submit(struct env *env, bool write, u64 sector, u64 nr_sectors)
{
	struct ssdc_dies_job *job = &env->jobs[env->nr];

	KUNIT_ASSERT_LT(env->test, env->nr, MAX_JOBS);
	job->sector = sector;
	job->nr_sectors = nr_sectors;
	job->write = write;
	ssdc_dies_submit(&env->dies, job, env->now_ns);
	return env->nr++;
}

static u32 read(struct env *env, u64 page, u32 nr)
{
	return submit(env, false, page * FD_PAGE_SECTORS, (u64)nr * FD_PAGE_SECTORS);
}

static u32 write(struct env *env, u64 page, u32 nr)
{
	return submit(env, true, page * FD_PAGE_SECTORS, (u64)nr * FD_PAGE_SECTORS);
}

/* All that happens by @until_ns. */
static void advance(struct env *env, u64 until_ns)
{
	struct ssdc_dies_job *job, *next;
	LIST_HEAD(ended);

	for (;;) {
		while (ssdc_dies_feed(&env->dies, env->now_ns))
			;
		if (ssdc_dies_next_ns(&env->dies) > until_ns)
			break;
		env->now_ns = ssdc_dies_next_ns(&env->dies);
		if (env->now_ns == U64_MAX)
			break;
		ssdc_dies_event(&env->dies, &ended);
		list_for_each_entry_safe(job, next, &ended, node) {
			list_del(&job->node);
			env->end_ns[job - env->jobs] = env->now_ns;
		}
	}
	if (until_ns != U64_MAX - 1)
		env->now_ns = until_ns;
}

static void expect_end(struct env *env, u32 job, u64 ns)
{
	advance(env, U64_MAX - 1);
	KUNIT_EXPECT_EQ(env->test, env->end_ns[job], ns);
}

/* ---- the rules ---- */

static void dies_read_and_program(struct kunit *test)
{
	struct env *env = begin(test, 4, 4, 1);

	expect_end(env, read(env, 0, 1), R + M);
	expect_end(env, write(env, 0, 1), R + M + M + P);
	end(env);
}

/* A part of a page takes its part of the transfer; a partial write reads the rest first. */
static void dies_parts_of_pages(struct kunit *test)
{
	struct env *env = begin(test, 4, 4, 1);

	expect_end(env, submit(env, false, 2, 2), R + M / 4);
	env->now_ns = 0;
	expect_end(env, submit(env, true, 2, 2), R + M * 3 / 4 + M + P);
	end(env);
}

static void dies_of_a_channel_share_it(struct kunit *test)
{
	struct env *env = begin(test, 1, 2, 1);
	u32 reads[2] = { read(env, 0, 1), read(env, 1, 1) }, writes[2];

	expect_end(env, reads[0], R + M);
	expect_end(env, reads[1], R + 2 * M);
	env->now_ns = 0;
	writes[0] = write(env, 0, 1);
	writes[1] = write(env, 0, 1);
	expect_end(env, writes[0], M + P);
	expect_end(env, writes[1], 2 * M + P);
	end(env);
}

/* A read waits for the program that runs, and goes before those that wait. */
static void dies_read_first(struct kunit *test)
{
	struct env *env = begin(test, 1, 1, 1);
	u32 writes = write(env, 0, 3), one;

	advance(env, 1);
	one = read(env, 0, 1);
	expect_end(env, one, M + P + R + M);
	expect_end(env, writes, 3 * (M + P) + R + M);
	end(env);
}

/* Not more than 16 times in a row. */
static void dies_let_writes_have_their_turn(struct kunit *test)
{
	struct env *env = begin(test, 1, 1, 1);
	u32 i, one;

	for (i = 0; i < 100; i++)
		read(env, i, 1);
	one = write(env, 0, 1);
	expect_end(env, one, 17 * (R + M) + M + P);
	end(env);
}

/* Reads of three dies keep their channel busy: 16 of them may overtake the page for the fourth. */
static void dies_let_writes_have_the_channel(struct kunit *test)
{
	struct env *env = begin(test, 1, 4, 1);
	u32 i, one;

	for (i = 0; i < 3 * 50; i++)
		read(env, i / 3 * 4 + i % 3, 1);
	advance(env, R);
	one = write(env, 3, 1);
	expect_end(env, one, R + 17 * M + M + P);
	end(env);
}

static void dies_planes_work_together(struct kunit *test)
{
	struct env *env = begin(test, 1, 1, 2);

	expect_end(env, write(env, 0, 4), 2 * (2 * M + P));
	env->now_ns = 0;
	expect_end(env, read(env, 0, 2), R + 2 * M);
	end(env);

	env = begin(test, 1, 1, 2);
	env->dies.params.multi_plane = false;
	expect_end(env, write(env, 0, 4), 4 * (M + P));
	end(env);
}

/* Writes go where the least work is, reads where the page is. */
static void dies_place_pages(struct kunit *test)
{
	struct env *env = begin(test, 2, 2, 1);
	u32 reads, writes;

	reads = read(env, 0, 1);
	writes = write(env, 0, 1);
	expect_end(env, reads, R + M);
	expect_end(env, writes, M + P);
	end(env);

	env = begin(test, 2, 2, 1);
	env->dies.params.is_static = true;
	read(env, 0, 1);
	writes = write(env, 0, 1);
	expect_end(env, writes, R + M + M + P);
	end(env);

	/* So do writes of parts of pages. */
	env = begin(test, 2, 2, 1);
	env->dies.params.is_static = true;
	submit(env, true, 2, 2);
	writes = submit(env, true, FD_PAGE_SECTORS + 2, 2);
	expect_end(env, writes, R + M * 3 / 4 + M + P);
	end(env);
}

/* A channel is idle if nothing is transferred and one of its dies has nothing to do. */
static void dies_know_idle_channels(struct kunit *test)
{
	struct env *env = begin(test, 2, 4, 1);

	KUNIT_EXPECT_EQ(test, env->dies.idle_channels, 2);
	write(env, 0, 1);
	KUNIT_EXPECT_EQ(test, env->dies.idle_channels, 1);
	KUNIT_EXPECT_EQ(test, env->dies.idle_dies, 3);
	advance(env, M + 1);
	KUNIT_EXPECT_EQ(test, env->dies.idle_channels, 2);
	write(env, 0, 3);
	advance(env, M + P / 2);
	KUNIT_EXPECT_EQ(test, env->dies.idle_channels, 0);
	KUNIT_EXPECT_EQ(test, ssdc_dies_least_load(&env->dies), 1);
	advance(env, U64_MAX - 1);
	KUNIT_EXPECT_EQ(test, env->dies.idle_channels, 2);
	KUNIT_EXPECT_EQ(test, env->dies.load, 0);
	end(env);
}

/* A job of any size needs no more commands than there are, and reads wait for few of them. */
static void dies_have_few_commands(struct kunit *test)
{
	struct env *env = begin(test, 1, 1, 1);
	u32 writes = write(env, 0, 10 * COMMANDS), one;

	while (ssdc_dies_feed(&env->dies, 0))
		;
	KUNIT_EXPECT_EQ(test, env->dies.used[SSDC_DIE_WRITE_LANE], env->dies.lane_commands);
	KUNIT_EXPECT_LT(test, env->dies.lane_commands, COMMANDS);
	one = read(env, 0, 1);
	expect_end(env, one, M + P + R + M);
	expect_end(env, writes, 10 * COMMANDS * (M + P) + R + M);
	end(env);
}

/* ---- against the flash model ---- */

static void compare(struct kunit *test, const char *spec, u32 channels, u32 dies, u32 planes)
{
	struct env *env = begin_with(test, channels, dies, planes, MANY_COMMANDS);
	struct fd *fd = fd_new_spec(test, spec, 1 << 16);
	struct ssdc_random random;
	u32 i;

	ssdc_random_seed(&random, 1);
	for (i = 0; i < MAX_JOBS; i++) {
		/* Bursts, and pauses; the flash model knows where pages are that were written. */
		bool is_write = ssdc_random_below(&random, 2);
		u64 page = (is_write ? 4096 : 0) + ssdc_random_below(&random, 4096);
		u32 nr = 1 + ssdc_random_below(&random, ssdc_random_below(&random, 4) ? 2 : 24);
		u64 ns = ssdc_random_below(&random, 8) ? 0 : ssdc_random_below(&random, 8000000);

		advance(env, env->now_ns + ns);
		fd_advance(fd, ns);
		KUNIT_EXPECT_EQ_MSG(test, env->dies.load, fd->f->load, "%s: job %u", spec, i);
		KUNIT_EXPECT_EQ(test, env->dies.idle_channels, ssdf_idle_channels(fd->f));
		KUNIT_EXPECT_EQ(test, env->dies.idle_dies, fd->f->idle_dies);
		submit(env, is_write, page * FD_PAGE_SECTORS, (u64)nr * FD_PAGE_SECTORS);
		fd_submit(fd, is_write ? SSDC_WRITE : SSDC_READ, page * FD_PAGE_SECTORS,
			  (u64)nr * FD_PAGE_SECTORS);
	}
	advance(env, U64_MAX - 1);
	fd_rest(fd);
	for (i = 0; i < MAX_JOBS; i++)
		KUNIT_EXPECT_EQ_MSG(test, env->end_ns[i], fd->requests[i].done_ns, "job %u", i);
	end(env);
	fd_exit(test);
	test->priv = NULL;
}

#define SPEC "custom:chips=1,pages=512,blocks=64,page_bytes=4096,read_ns=50000,program_ns=500000," \
	"erase_ns=2000000,transfer_ps=10000,over_provisioning=10,gc_threshold=0,gc_urgent=0,"

static void dies_agree_with_the_flash_model(struct kunit *test)
{
	compare(test, SPEC "channels=4,dies=1,planes=1", 4, 4, 1);
	compare(test, SPEC "channels=2,dies=2,planes=1", 2, 4, 1);
	compare(test, SPEC "channels=2,dies=2,planes=2,multi_plane=on", 2, 4, 2);
	compare(test, SPEC "channels=1,dies=8,planes=1", 1, 8, 1);
}

static struct kunit_case dies_cases[] = {
	KUNIT_CASE(dies_read_and_program),
	KUNIT_CASE(dies_parts_of_pages),
	KUNIT_CASE(dies_of_a_channel_share_it),
	KUNIT_CASE(dies_read_first),
	KUNIT_CASE(dies_let_writes_have_their_turn),
	KUNIT_CASE(dies_let_writes_have_the_channel),
	KUNIT_CASE(dies_planes_work_together),
	KUNIT_CASE(dies_place_pages),
	KUNIT_CASE(dies_know_idle_channels),
	KUNIT_CASE(dies_have_few_commands),
	KUNIT_CASE(dies_agree_with_the_flash_model),
	{}
};

static struct kunit_suite dies_suite = {
	.name = "ssdcache_dies",
	.exit = fd_exit,
	.test_cases = dies_cases,
};

kunit_test_suite(dies_suite);
