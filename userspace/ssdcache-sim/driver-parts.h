/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the simulator's driver share. Each calls those below it only:
 *
 *	driver.c		runs of a workload
 *	driver-requests.c	requests of the workload, cut for the shards
 *	driver-events.c		what happens next, and at one moment
 *	driver-worker.c		what submitters and the worker of a shard do
 *	driver-io.c		I/O at the origin
 */
#ifndef SSDC_SIM_DRIVER_PARTS_H
#define SSDC_SIM_DRIVER_PARTS_H

#include "../../dm-ssdcache/engine/shards.h"
#include "events.h"
#include "image.h"
#include "opt.h"
#include "options.h"
#include "series.h"

struct sim_shard;
struct sim_request;

/* A discard of many regions: a part for each shard that has some of them. As the kernel's dmsc_discard */
struct sim_discard {
	unsigned int nr;
	unsigned int left;		/* parts that have yet to let the discard go ahead */
	struct sim_request *parts[SSDC_MAX_SHARDS];
};

struct sim_request {
	struct ssdc_request rq;
	struct sim_shard *shard;
	struct list_head parts;		/* several shards: of its record, those that have not ended */
	struct sim_discard *discard;	/* that it is a part of, until this is back from the origin; or NULL */
	struct sim_data data;
	struct sim_request *next_free;
};

enum sim_io_kind {
	PAGE_IO,	/* from ssdc_next_io(), adjacent pages merged */
	ORIGIN_READ,	/* SSDC_READ_ORIGIN */
	BYPASS,		/* SSDC_BYPASS */
	FORWARD,	/* SSDC_FORWARD */
	FLUSH,		/* SSDC_FLUSH_ORIGIN; with several shards, SSDC_FORWARD of a FLUSH */
	COPY,		/* SSDC_COPY */
};

struct sim_io {
	enum sim_io_kind kind;
	struct sim_shard *shard;
	struct ssdf_request flash;	/* operation and sectors; to a flash device */
	struct ssdc_io io;
	struct ssdc_segment seg;
	struct sim_request *request;
	struct sim_io *merged;		/* PAGE_IO: the next page of this I/O */
	union {
		struct sim_io *next;	/* in a struct sim_queue */
		struct sim_io *next_free;
	};
};

struct sim_queue {
	struct sim_io *first;
	struct sim_io *last;
};

/* Records of I/O: see SSDC_PAGE_IOS. */
enum sim_pool_kind { PAGE_RECORDS, READ_RECORDS, FLUSH_RECORDS, NR_POOLS };

struct sim_pool {
	unsigned int free;
	struct sim_queue starved;	/* I/O that waits for one */
};

struct sim_shard {
	struct ssdc_engine *e;
	struct sim_image *image;	/* with --verify */
	u64 wake_ns;			/* when to call ssdc_background() */

	/* For the worker: */
	struct sim_queue ended;		/* I/O to report to the engine */
	struct sim_queue handed;	/* FORWARDs that have ended; I/O that submitters' requests need */
	struct list_head yielded;	/* requests that go on after other work */
	struct sim_queue staged_requests;	/* to be sent to the origin as a whole */
	struct sim_queue staged;	/* other I/O to be submitted */
	struct sim_pool pools[NR_POOLS];
	struct sim_io *next;		/* PAGE_IO fetched from the engine, but not staged; or NULL */
	bool due;			/* on the list of the run */
	struct sim_shard *next_due;
};

struct sim {
	struct sim_shard shards[SSDC_MAX_SHARDS];
	unsigned int nr_shards;
	const struct sim_options *options;
	struct ssdf_device *flash;	/* NULL: flat latencies */
	struct sim_events events;
	struct sim_series *series;
	struct sim_future *future;	/* for the policy opt, or NULL */
	u64 now_ns;
	struct sim_request *free_requests;
	struct sim_io *free_ios;

	/* Unused if there is one shard. */
	u32 records_inflight;

	/* The shards with work at this moment. */
	struct sim_shard *first_due;
	struct sim_shard *last_due;

	/* Several shards share FLUSHes of the origin, as in the kernel. */
	struct sim_io *flushing;	/* at the origin */
	struct sim_queue sharers;	/* end with it */
	struct sim_queue waiters;	/* share the next one */
};

#define for_each_shard(s, sim) \
	for ((s) = (sim)->shards; (s) < (sim)->shards + (sim)->nr_shards; (s)++)

static inline void sim_push(struct sim_queue *queue, struct sim_io *io)
{
	io->next = NULL;
	if (queue->first)
		queue->last->next = io;
	else
		queue->first = io;
	queue->last = io;
}

static inline struct sim_io *sim_pop(struct sim_queue *queue)
{
	struct sim_io *io = queue->first;

	if (io)
		queue->first = io->next;
	return io;
}

/* The shard has work at this moment. */
static inline void sim_set_due(struct sim *sim, struct sim_shard *s)
{
	if (s->due)
		return;
	s->due = true;
	s->next_due = NULL;
	if (sim->first_due)
		sim->last_due->next_due = s;
	else
		sim->first_due = s;
	sim->last_due = s;
}

/* driver-io.c */
struct sim_io *sim_new_io(struct sim *sim, struct sim_shard *s, enum sim_io_kind kind, struct sim_request *request);
void sim_start_io(struct sim *sim, struct sim_io *io);
void sim_complete(struct sim *sim, struct sim_request *request);
void sim_hand_out_ended(struct sim *sim);

static inline void sim_put_io(struct sim *sim, struct sim_io *io)
{
	io->next_free = sim->free_ios;
	sim->free_ios = io;
}

/* Has any I/O ended at this moment? */
static inline bool sim_has_ended(const struct sim *sim)
{
	return sim_events_next_ns(&sim->events) <= sim->now_ns ||
		(sim->flash && (ssdf_has_done(sim->flash) || ssdf_next_ns(sim->flash) <= sim->now_ns));
}

/*
 * Give all I/O that has ended at this moment to its shards. Reads that bypass DRAM end here, as in the kernel's
 * interrupts; the shard's worker ends all else.
 */
static inline void sim_hand_out(struct sim *sim)
{
	if (sim_has_ended(sim))
		sim_hand_out_ended(sim);
}

/* driver-worker.c */
void sim_advance(struct sim *sim, struct sim_request *request);
void sim_work(struct sim *sim, struct sim_shard *s);

/* driver-events.c */
void sim_settle_all(struct sim *sim);
void sim_move_to(struct sim *sim, u64 now_ns);
u64 sim_next_ns(struct sim *sim, u64 until_ns);
void sim_next_event(struct sim *sim, u64 at_ns);

/* driver-requests.c */
u32 sim_discard_sectors(const struct sim *sim);
void sim_submit_flush(struct sim *sim);
void sim_submit_record(struct sim *sim, const struct sim_record *record);

#endif /* SSDC_SIM_DRIVER_PARTS_H */
