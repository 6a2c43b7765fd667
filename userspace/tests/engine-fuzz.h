/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the rounds of engine-fuzz (engine-fuzz.c) and its random plug-ins and device
 * (fuzz-plugins.c).
 */
#ifndef ENGINE_FUZZ_H
#define ENGINE_FUZZ_H

#include "../../dm-ssdcache/engine/internal.h"
#include "../ssdcache-sim/model.h"
#include "harness.h"

/* A host request. */
struct request {
	struct ssdc_request rq;
	struct sim_op op;
	struct list_head node;
	u64 value;		/* data of a write */
	u64 *buffer;		/* data of a read */
	bool was_volatile;	/* DRAM was volatile ever since the request began */
	bool was_protected;	/* DRAM was protected ever since */
	bool forwarded;		/* a FLUSH: the origin's FLUSH ended ... */
	bool must_fail;		/* ... and it, or an earlier one, failed */
};

/* An I/O or copy in flight. */
enum pending_kind { PAGE_IO, ORIGIN_READ, FORWARD, COPY };

struct pending {
	enum pending_kind kind;
	struct request *request;
	struct ssdc_io io;
	struct ssdc_segment seg;
	bool fails;
	u64 *data;		/* data sampled at the start; RUBBISH: sampled at the end */
	u64 *seen;		/* page write: the frame's data at its start */
};

struct fuzz {
	u64 seed;
	u64 steps;
	bool verbose;
	u64 step;

	struct ssdc_engine *e;
	struct ssdc_params params;
	char specs[SSDC_NR_KINDS][SSDC_SPEC_LEN];
	u64 now_ns;
	u64 wake_ns;
	u32 drop_cursor;

	struct sim_model *model;
	u64 next_value;
	u64 *dram;
	u64 *cache;		/* data a read of the origin returns */
	u64 *media;		/* data that would survive a power failure */

	struct list_head requests;
	unsigned int active;
	struct pending *pending[1024];
	unsigned int nr_pending;
	unsigned int error_percent;
	bool talks;		/* the device reports its state */
	u64 talk;		/* source of made-up reports */
	u64 last_error;		/* when I/O last failed, in the model's time */
	bool unreported;	/* the next host FLUSH must fail: another FLUSH did */
	u64 completed;
	u64 decisions[3];	/* "whim": writes by enum ssdc_write_mode */
	u64 loaded;		/* "wish": pages loaded */
	u64 hits[2];		/* "wish": reads of these, in time and late */
	u64 ends[4];		/* "wish": by enum ssdc_prefetch_end */
};

/* The current round. */
extern struct fuzz f;

/* Reports a failure and how to repeat it, and ends the program. */
void __attribute__((__noreturn__, __format__(__printf__, 1, 2))) fail(const char *format, ...);

/* A device that makes up its reports, an admission scheme and a prefetcher. */
extern const struct ssdc_device_ops talk_ops;
extern struct ssdc_admission_type whim;
extern struct ssdc_prefetch_type wish;

#endif /* ENGINE_FUZZ_H */
