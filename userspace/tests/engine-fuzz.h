/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine-fuzz: what its round (engine-fuzz.c) shares with the plug-ins and the device below that
 * act by chance (fuzz-plugins.c).
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
	u64 value;		/* of a write */
	u64 *buffer;		/* of a read */
	bool was_volatile;	/* all the time since it began */
	bool was_protected;	/* likewise */
};

/* Something below the engine that has begun and not ended. */
enum pending_kind { PAGE_IO, ORIGIN_READ, BELOW, COPY };

struct pending {
	enum pending_kind kind;
	struct request *request;
	struct ssdc_io io;
	struct ssdc_segment seg;
	bool fails;
	u64 *data;		/* sectors that moved at the start; RUBBISH: not yet */
	u64 *seen;		/* of a page write: the frame's data at its start */
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
	u64 *cache;		/* what the origin answers */
	u64 *media;		/* what it would have after a power failure */

	struct list_head requests;
	unsigned int active;
	struct pending *pending[1024];
	unsigned int nr_pending;
	unsigned int error_percent;
	bool talks;		/* the device below can be asked */
	u64 talk;		/* what it makes up its answers from */
	u64 last_error;		/* logical time */
	u64 completed;
	u64 decisions[3];	/* of "whim": writes by enum ssdc_write_mode */
	u64 loaded;		/* of "wish": pages */
	u64 hits[2];		/* likewise: reads of them, in time and late */
	u64 ends[4];		/* likewise: by enum ssdc_prefetch_end */
};

/* The round that runs. */
extern struct fuzz f;

/* Says how to repeat it, and ends the program. */
void __attribute__((__noreturn__, __format__(__printf__, 1, 2))) fail(const char *format, ...);

/* A device below that makes up what it tells, an admission scheme and a prefetcher. */
extern const struct ssdc_device_ops talk_ops;
extern struct ssdc_admission_type whim;
extern struct ssdc_prefetch_type wish;

#endif /* ENGINE_FUZZ_H */
