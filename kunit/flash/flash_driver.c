// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "flash_driver.h"

struct fd *fd_new_spec(struct kunit *test, const char *spec, u64 sectors)
{
	struct ssdc_error error = {};
	struct ssdf_params params;
	struct fd *fd;

	KUNIT_ASSERT_EQ_MSG(test, ssdf_params_parse(&params, spec, &error), 0, "%s", error.text);
	KUNIT_ASSERT_EQ_MSG(test, ssdf_params_check(&params, sectors, &error), 0, "%s",
			    error.text);
	fd = kunit_kzalloc(test, sizeof(*fd), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fd);
	test->priv = fd;
	fd->test = test;
	fd->f = ssdf_create(&params, &error);
	KUNIT_ASSERT_NOT_NULL_MSG(test, fd->f, "%s", error.text);
	while (ssdf_age(fd->f))
		;
	return fd;
}

struct fd *fd_new(struct kunit *test, const char *more)
{
	char spec[512];

	scnprintf(spec, sizeof(spec), FD_SPEC "%s", more);
	return fd_new_spec(test, spec, 0);
}

void fd_exit(struct kunit *test)
{
	struct fd *fd = test->priv;

	if (fd)
		ssdf_destroy(fd->f);
	/* A case may end its device before the suite does. */
	test->priv = NULL;
}

static void take_done(struct fd *fd)
{
	while (ssdf_next_done(fd->f))
		fd->nr_done++;
}

struct ssdf_request *fd_submit(struct fd *fd, enum ssdc_op op, u64 sector, u64 nr_sectors)
{
	struct ssdf_request *rq = &fd->requests[fd->nr_requests];

	KUNIT_ASSERT_LT(fd->test, fd->nr_requests, FD_MAX_REQUESTS);
	fd->nr_requests++;
	rq->op = op;
	rq->sector = sector;
	rq->nr_sectors = nr_sectors;
	rq->done_ns = SSDF_NEVER;
	while (ssdf_advance(fd->f, fd->now_ns))
		;
	ssdf_submit(fd->f, rq, fd->now_ns);
	take_done(fd);
	return rq;
}

struct ssdf_request *fd_read(struct fd *fd, u64 page, u64 nr)
{
	return fd_submit(fd, SSDC_READ, page * fd->f->page_sectors, nr * fd->f->page_sectors);
}

struct ssdf_request *fd_write(struct fd *fd, u64 page, u64 nr)
{
	return fd_submit(fd, SSDC_WRITE, page * fd->f->page_sectors, nr * fd->f->page_sectors);
}

void fd_advance(struct fd *fd, u64 ns)
{
	fd->now_ns += ns;
	while (ssdf_advance(fd->f, fd->now_ns))
		;
	take_done(fd);
}

/* Advance until the device is quiescent, then check all invariants. */
void fd_rest(struct fd *fd)
{
	u64 next_ns;

	while ((next_ns = ssdf_next_ns(fd->f)) != SSDF_NEVER) {
		fd->now_ns = max(fd->now_ns, next_ns);
		ssdf_advance(fd->f, fd->now_ns);
		take_done(fd);
	}
	KUNIT_EXPECT_EQ(fd->test, fd->nr_done, fd->nr_requests);
	KUNIT_EXPECT_EQ(fd->test, fd->f->inflight, 0u);
	KUNIT_EXPECT_EQ(fd->test, ssdf_check(fd->f), 0);
}

bool fd_done(const struct ssdf_request *rq)
{
	return rq->done_ns != SSDF_NEVER;
}

/* Time that the request took; waits until the device is quiescent. */
u64 fd_time(struct fd *fd, const struct ssdf_request *rq)
{
	if (!fd_done(rq))
		fd_rest(fd);
	return rq->done_ns - rq->start_ns;
}

u64 fd_stat(struct fd *fd, const char *name)
{
	unsigned int i;

	ssdf_update_stats(fd->f, fd->now_ns);
	for (i = 0; i < ssdf_nr_stats; i++)
		if (!strcmp(ssdf_stat_table[i].name, name))
			return ssdc_stat_read(&ssdf_stat_table[i], fd->f);
	KUNIT_FAIL(fd->test, "no statistic %s", name);
	return 0;
}
