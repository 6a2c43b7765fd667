/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's interface to drivers. Plug-ins call the functions that policy-api/ declares.
 *
 * The engine is a state machine: it decides, and a driver acts. The driver reports an event, and
 * the engine answers with the next action. The kernel target and ssdcache-sim are two drivers of
 * the same code, so a policy makes the same decisions in both.
 *
 * The path of a write:
 *
 *	driver					engine
 *	ssdc_request_init(), ssdc_step() ---->	page cached, or a frame is free:
 *	    copy host data to seg.frame	<------	    SSDC_COPY
 *	ssdc_step() -------------------------->	copy noted; more pages, or
 *	    complete the bio	<--------------	    SSDC_COMPLETE
 *
 *	the tier is full:
 *	    copy host data	<------	    SSDC_COPY, to a frame of the reserve; flushes of victims
 *						are queued
 *	ssdc_step() -------------------------->	copy noted; the victims are still there
 *	    return		<--------------	    SSDC_WAIT
 *	ssdc_next_io() ----------------------->	    one page write of the batch
 *	    submit it, later ssdc_io_done() -->	frame freed, request made ready
 *	ssdc_next_ready(), ssdc_step() ------->	    SSDC_COMPLETE
 *
 * Other requests differ only in the actions that ssdc_step() returns; early flushes and
 * prefetches, which no request asked for, use only ssdc_next_io() and ssdc_io_done().
 *
 * The driver loops: after each call that may change the engine's state, ssdc_has_work() says
 * whether ssdc_next_ready(), ssdc_next_io() or ssdc_background() has something to do.
 *
 * Context: the driver has one lock per engine, in the kernel a spinlock, and holds it around every
 * call that takes an engine. Such a call never sleeps, allocates memory, starts I/O, reads a clock
 * or copies data. The functions that create and destroy an engine are exceptions: they may sleep,
 * and need no lock. Other exceptions are documented with the function.
 *
 * This header only declares; the kernel-doc is with the functions, and state.h has the data
 * structures. The files form layers: see FLOORS.
 */
#ifndef SSDC_ENGINE_H
#define SSDC_ENGINE_H

#include "state.h"

/* lifecycle.c */
u64 ssdc_nr_frames(const struct ssdc_params *params);
u64 ssdc_engine_bytes(const struct ssdc_params *params);
u64 ssdc_metadata_bytes(const struct ssdc_engine *e);
u32 ssdc_page_overhead_bytes(const struct ssdc_engine *e);
int ssdc_params_check(const struct ssdc_params *params, struct ssdc_error *error);
struct ssdc_engine *ssdc_engine_create(const struct ssdc_params *params,
				       struct ssdc_error *error);
void ssdc_engine_destroy(struct ssdc_engine *e);
u64 ssdc_background(struct ssdc_engine *e, u64 now_ns);
bool ssdc_has_work(const struct ssdc_engine *e);
void ssdc_freeze(struct ssdc_engine *e, bool frozen);
bool ssdc_io_pending(const struct ssdc_engine *e);
bool ssdc_quiescent(const struct ssdc_engine *e);
void ssdc_inherit_errors(struct ssdc_engine *e, const struct ssdc_engine *old);

/* check.c: for tests */
int ssdc_engine_check(const struct ssdc_engine *e, struct ssdc_error *finding);

/* stats.c */
extern const struct ssdc_tunable ssdc_core_tunable_table[];
extern const unsigned int ssdc_nr_core_tunables;
extern const struct ssdc_stat ssdc_core_stat_table[];
extern const unsigned int ssdc_nr_core_stats;
extern const char *const ssdc_op_names[SSDC_NR_OPS];
void ssdc_update_stats(struct ssdc_engine *e);
void ssdc_reset_stats(struct ssdc_engine *e);

/* request.c */
void ssdc_set_instant_copies(struct ssdc_engine *e, bool instant);
enum ssdc_action ssdc_step(struct ssdc_engine *e, struct ssdc_request *rq, u64 now_ns,
			   struct ssdc_segment *seg);
enum ssdc_action ssdc_sub_done(struct ssdc_engine *e, struct ssdc_request *rq,
			       const struct ssdc_segment *seg, int error, u64 now_ns);
enum ssdc_action ssdc_bypass_done(struct ssdc_engine *e, struct ssdc_request *rq, int error,
				  u64 now_ns);
void ssdc_forward_done(struct ssdc_engine *e, struct ssdc_request *rq, int error);

/* stable.c */
void ssdc_flush_failed_elsewhere(struct ssdc_engine *e, int error, bool reported);
void ssdc_origin_replaced(struct ssdc_engine *e, int error, bool failed);

/* discard.c */
bool ssdc_narrow_discard(u64 *sector, u64 *nr_sectors, u32 granule_sectors, u32 offset_sectors);
void ssdc_drop_clean(struct ssdc_engine *e, u32 *cursor);

/* sync.c */
void ssdc_tunables_changed(struct ssdc_engine *e, u64 now_ns);

/* writeback.c */
/* Limits of one I/O of the origin that several pages are merged into. */
#define SSDC_IO_PAGES	16
#define SSDC_IO_BYTES	(128 << 10)
/*
 * Records of I/O that a driver has for each engine; further I/O waits for a free record. The load
 * of the origin, which policies ask for, depends on the number of records. So the kernel's driver
 * and the simulator's have the same number.
 */
#define SSDC_PAGE_IOS	192	/* fills and flushes of pages */
#define SSDC_READ_IOS	64	/* segments of host reads */
#define SSDC_FLUSH_IOS	8	/* FLUSHes of the origin */
bool ssdc_next_io(struct ssdc_engine *e, struct ssdc_io *io);
bool ssdc_io_joins(const struct ssdc_engine *e, const struct ssdc_io *last, unsigned int nr_pages,
		   const struct ssdc_io *io);
bool ssdc_io_done(struct ssdc_engine *e, const struct ssdc_io *io, int error, u64 now_ns);
bool ssdc_go_on(struct ssdc_engine *e);

/* wait.c */
struct ssdc_request *ssdc_next_ready(struct ssdc_engine *e);

/* switch.c */
int ssdc_switch_begin(struct ssdc_engine *e, struct ssdc_replacement *next);
struct ssdc_replacement *ssdc_switch_step(struct ssdc_engine *e);
struct ssdc_plugin *ssdc_switch_other(struct ssdc_engine *e, struct ssdc_plugin *next);

/* view.c */
void ssdc_set_device(struct ssdc_engine *e, const struct ssdc_device_ops *ops, void *device);
void ssdc_device_idles(struct ssdc_engine *e);

/**
 * ssdc_request_init() - prepare a host request for its first ssdc_step()
 * @rq: record, owned by the driver; the engine links it into lists until SSDC_COMPLETE
 * @op: operation
 * @sector: first sector; the range must lie within the origin
 * @nr_sectors: length: 0 for SSDC_FLUSH, else at least 1; less than 2^32 for reads and writes.
 *	Plug-ins and statistics see the whole request; a step works on SSDC_STEP_SECTORS of it
 * @now_ns: time of arrival
 *
 * The driver may set @rq->host.fua or @rq->force afterwards.
 *
 * Context: any, without a lock.
 */
static inline void ssdc_request_init(struct ssdc_request *rq, enum ssdc_op op, u64 sector,
				     u64 nr_sectors, u64 now_ns)
{
	/*
	 * Set field by field, in their order: the compiler joins the stores of neighbours. Clearing
	 * the whole record would add a tenth to the instructions of a hit.
	 */
	rq->host.sector = sector;
	rq->host.nr_sectors = nr_sectors;
	rq->host.start_ns = now_ns;
	rq->host.op = op;
	rq->host.fua = false;
	INIT_LIST_HEAD(&rq->node);
	rq->pos = 0;
	rq->ahead = 0;
	rq->filled = 0;
	rq->subs = 0;
	rq->run = 0;
	rq->grants = 0;
	rq->debts = 0;
	rq->steps = 0;
	rq->left_victims = 0;
	rq->error = 0;
	rq->phase = SSDC_RQ_NEW;
	rq->mode = SSDC_WRITE_BACK;
	rq->force = false;
	rq->served = false;
	rq->parked = false;
	rq->bypass = false;
	rq->entered = false;
	rq->fill_then = 0;
	rq->completes = false;
	rq->admitted = false;
	rq->batches = 0;
	rq->overtaken = 0;
	rq->flushed = false;
	rq->stable = false;
	rq->in_dram = false;
	rq->kept = false;
	rq->held = false;
	rq->discarded = false;
	rq->lone = false;
	rq->pinned = SSDC_NO_FRAME;
	rq->evicted_at = SSDC_NOT_EVICTED;
}

/*
 * As ssdc_has_work(), for a read that bypasses DRAM as a whole, at its beginning and at its end.
 * The answer is nearly always a quick no. An exception is a read that had copied a page before: if
 * a write overtook the copy, and the page has left since, the end of the copy may have freed a
 * victim, and so queued the flush of the next victim.
 */
static inline bool ssdc_bypass_has_work(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return unlikely(e->watched || !rq->lone) && ssdc_has_work(e);
}

/*
 * As ssdc_has_work(), for a request that has ended. A read or write leaves work in a queue or in a
 * batch of victims, or makes a plug-in active. Any other work was there before the request ended.
 */
static inline bool ssdc_end_has_work(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	if (likely(rq->host.op <= SSDC_WRITE && !e->watched && !e->evicts &&
		   !e->replacement->plugin.wants_step && !ssdc_has_queued(e)))
		return false;
	return ssdc_has_work(e);
}

/*
 * As ssdc_has_work(), after ssdc_step() of @rq, which returned @action. A hit looks for work of all
 * kinds only once, at its end.
 */
static inline bool ssdc_step_has_work(const struct ssdc_engine *e, const struct ssdc_request *rq,
				      enum ssdc_action action)
{
	switch (action) {
	case SSDC_COPY:
		return ssdc_has_queued(e);
	case SSDC_MORE:
		return false;
	case SSDC_BYPASS:
		return ssdc_bypass_has_work(e, rq);
	case SSDC_COMPLETE:
		return ssdc_end_has_work(e, rq);
	default:
		return ssdc_has_work(e);
	}
}

#endif /* SSDC_ENGINE_H */
