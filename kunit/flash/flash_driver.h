/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A driver for tests of the flash model: the test submits each request and advances the
 * time. fd_rest() checks all invariants.
 */
#ifndef FLASH_DRIVER_H
#define FLASH_DRIVER_H

#include <kunit/test.h>
#include "../../dm-ssdcache/flash/state.h"

/* Four channels with one die of one plane each; pages go to channels round robin. */
#define FD_SPEC "custom:channels=4,chips=1,dies=1,planes=1,blocks=64,pages=16,page_bytes=4096," \
	"read_ns=50000,program_ns=500000,erase_ns=2000000,transfer_ps=10000," \
	"over_provisioning=10,gc_threshold=0,gc_urgent=0,allocation=static"
#define FD_CHANNELS	4u
#define FD_PAGE_SECTORS	8u
#define FD_READ_NS	50000ULL
#define FD_PROGRAM_NS	500000ULL
#define FD_ERASE_NS	2000000ULL
#define FD_MOVE_NS	40960ULL	/* transfer of a page */

#define FD_MAX_REQUESTS	2048

struct fd {
	struct kunit *test;
	struct ssdf_device *f;
	u64 now_ns;
	struct ssdf_request requests[FD_MAX_REQUESTS];
	u32 nr_requests;
	u32 nr_done;
};

/* @more: ",key=value…", appended to FD_SPEC, or "" */
struct fd *fd_new(struct kunit *test, const char *more);
struct fd *fd_new_spec(struct kunit *test, const char *spec, u64 sectors);
void fd_exit(struct kunit *test);

struct ssdf_request *fd_submit(struct fd *fd, enum ssdc_op op, u64 sector, u64 nr_sectors);
struct ssdf_request *fd_read(struct fd *fd, u64 page, u64 nr);
struct ssdf_request *fd_write(struct fd *fd, u64 page, u64 nr);
void fd_advance(struct fd *fd, u64 ns);
void fd_rest(struct fd *fd);
bool fd_done(const struct ssdf_request *rq);
u64 fd_time(struct fd *fd, const struct ssdf_request *rq);
u64 fd_stat(struct fd *fd, const char *name);

#define FD_EXPECT_TIME(fd, rq, ns) \
	KUNIT_EXPECT_EQ((fd)->test, fd_time(fd, rq), (u64)(ns))
#define FD_EXPECT_STAT(fd, name, value) \
	KUNIT_EXPECT_EQ_MSG((fd)->test, fd_stat(fd, name), (u64)(value), "%s", name)

#endif /* FLASH_DRIVER_H */
