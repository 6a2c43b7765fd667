// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the longest call into the engine, for which the kernel driver holds its lock, in basic
 * blocks executed, which is the same on every machine.
 *
 * Linked into ssdcache-sim: ld --wrap directs its calls of the engine here, and the engine is built to
 * call __sanitizer_cov_trace_pc() in each basic block. At exit, one line per function of the engine goes
 * to standard error:
 *
 *	longest-call FUNCTION CALLS BLOCKS-OF-THE-LONGEST BLOCKS-IN-ALL
 *
 * ssdc_step() has a line for each operation.
 */
#include "../ssdcache-sim/sim.h"

static u64 blocks;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

struct calls {
	const char *name;
	u64 nr;
	u64 longest;
	u64 total;
};

static void count(struct calls *calls, u64 before)
{
	u64 took = blocks - before;

	calls->nr++;
	calls->total += took;
	calls->longest = max(calls->longest, took);
}

/* The first are those of ssdc_step(), by operation. */
enum { STEP, NEXT_READY = STEP + SSDC_NR_OPS, SUB_DONE, BYPASS_DONE, FORWARD_DONE, NEXT_IO, IO_DONE, GO_ON, BACKGROUND, NR_CALLS };

static struct calls all[NR_CALLS] = {
	[STEP + SSDC_READ] = { .name = "ssdc_step-read" }, [STEP + SSDC_WRITE] = { .name = "ssdc_step-write" },
	[STEP + SSDC_DISCARD] = { .name = "ssdc_step-discard" }, [STEP + SSDC_FLUSH] = { .name = "ssdc_step-flush" },
	[NEXT_READY] = { .name = "ssdc_next_ready" }, { .name = "ssdc_sub_done" },
	{ .name = "ssdc_bypass_done" }, { .name = "ssdc_forward_done" }, { .name = "ssdc_next_io" }, { .name = "ssdc_io_done" },
	{ .name = "ssdc_go_on" },
	{ .name = "ssdc_background" },
};

static void __attribute__((__destructor__)) report(void)
{
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++)
		if (all[i].nr)
			fprintf(stderr, "longest-call %s %llu %llu %llu\n", all[i].name, all[i].nr,
				all[i].longest, all[i].total);
}

#define WRAP(index, type, name, params, args) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params \
	{ \
		u64 before = blocks, at = index; \
		type result = __real_##name args; \
		count(&all[at], before); \
		return result; \
	}

#define WRAP_VOID(index, name, params, args) \
	void __real_##name params; \
	void __wrap_##name params; \
	void __wrap_##name params \
	{ \
		u64 before = blocks; \
		__real_##name args; \
		count(&all[index], before); \
	}

WRAP(STEP + rq->host.op, enum ssdc_action, ssdc_step,
     (struct ssdc_engine *e, struct ssdc_request *rq, u64 now_ns, struct ssdc_segment *seg),
     (e, rq, now_ns, seg))
WRAP(NEXT_READY, struct ssdc_request *, ssdc_next_ready, (struct ssdc_engine *e), (e))
WRAP(SUB_DONE, enum ssdc_action, ssdc_sub_done,
     (struct ssdc_engine *e, struct ssdc_request *rq, const struct ssdc_segment *seg, int error,
      u64 now_ns), (e, rq, seg, error, now_ns))
WRAP(BYPASS_DONE, enum ssdc_action, ssdc_bypass_done,
     (struct ssdc_engine *e, struct ssdc_request *rq, int error, u64 now_ns),
     (e, rq, error, now_ns))
WRAP_VOID(FORWARD_DONE, ssdc_forward_done,
	  (struct ssdc_engine *e, struct ssdc_request *rq, int error), (e, rq, error))
WRAP(NEXT_IO, bool, ssdc_next_io, (struct ssdc_engine *e, struct ssdc_io *io), (e, io))
WRAP(IO_DONE, bool, ssdc_io_done,
     (struct ssdc_engine *e, const struct ssdc_io *io, int error, u64 now_ns),
     (e, io, error, now_ns))
WRAP(GO_ON, bool, ssdc_go_on, (struct ssdc_engine *e), (e))
WRAP(BACKGROUND, u64, ssdc_background, (struct ssdc_engine *e, u64 now_ns), (e, now_ns))

/* In the kernel, copies take time, and each page is a call of its own. */
void __real_ssdc_set_instant_copies(struct ssdc_engine *e, bool instant);
void __wrap_ssdc_set_instant_copies(struct ssdc_engine *e, bool instant);
void __wrap_ssdc_set_instant_copies(struct ssdc_engine *e, bool instant)
{
	(void)instant;
	__real_ssdc_set_instant_copies(e, false);
}
