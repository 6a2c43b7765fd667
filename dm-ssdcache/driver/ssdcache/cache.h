/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel driver of one engine.
 *
 *	target.c	device-mapper's side: table, map, suspend, status
 *	table.c		table words -> configuration, and back
 *	../common/origin.c	what both targets' constructors do alike
 *	dram.c		memory of the frames, copying
 *	io.c		requests step by step, reads and writes of the origin
 *	worker.c	the workqueue and its timer
 *	message.c	dmsetup messages, live changes
 *	policies.c	plug-ins with their modules; register, unregister
 *	sysfs.c		/sys/block/dm-N/ssdcache, by way of sysfs-node.c
 *	trace.h		tracepoints
 *
 * Context. Host bios are taken as far as they go in the context of who submits
 * them: a hit is copied and completed there. Everything else (fills, flushes,
 * requests that waited) is done by one work item per cache, which is why its
 * I/O records need no lock. Ends of I/O only queue that work.
 *
 * Memory. The I/O path allocates nothing: a host bio carries its own record,
 * and the records for the origin's I/O are made with the cache. They come in
 * pools, so that neither pages nor reads nor flushes of the origin keep the others
 * waiting. What needs a record gets it when an earlier I/O of its pool ends.
 */
#ifndef DMSC_CACHE_H
#define DMSC_CACHE_H

#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../engine/engine.h"
#include "../common/sysfs-node.h"

#define DM_MSG_PREFIX "ssdcache"

/* I/O in flight. */
#define DMSC_PAGE_IOS	192	/* fills and flushes of pages */
#define DMSC_READ_IOS	64	/* pieces of reads */
#define DMSC_FLUSH_IOS	8	/* flushes of the origin */
#define DMSC_NR_IOS	(DMSC_PAGE_IOS + DMSC_READ_IOS + DMSC_FLUSH_IOS)
#define DMSC_IO_PAGES	16	/* pages that one write merges */
#define DMSC_IO_VECS	32	/* kernel pages, likewise */

struct dmsc_cache;

/* What a host bio is waiting for below. */
enum dmsc_needs {
	DMSC_NEEDS_NOTHING,
	DMSC_NEEDS_READ,	/* remapped: a read of which nothing is cached */
	DMSC_NEEDS_FORWARD,	/* remapped: FLUSH or discard */
	DMSC_NEEDS_SEGMENT,	/* a read whose next piece the worker has to start */
	DMSC_NEEDS_FLUSH,	/* the worker has to flush the origin for it */
};

/**
 * struct dmsc_bio - per-bio data, or an internal flush
 * @rq: the engine's part
 * @bio: host bio; NULL for an internal flush
 * @iter: of the bio as it came
 * @seg: piece that the worker has to read, with DMSC_NEEDS_SEGMENT
 * @done: on @cache->done_bios
 * @needs: what it waits for
 * @end_io: device-mapper's own, while @bio is at the origin
 * @private: likewise
 * @flush: the flush it stands for; NULL for a host bio
 */
struct dmsc_bio {
	struct ssdc_request rq;
	struct bio *bio;
	struct bvec_iter iter;
	struct ssdc_segment seg;
	struct llist_node done;
	enum dmsc_needs needs;
	bio_end_io_t *end_io;
	void *private;
	struct dmsc_flush *flush;
};

/**
 * struct dmsc_flush - a flush of everything that no host bio asked for
 * @refs: the waiter's and the engine's
 */
struct dmsc_flush {
	struct dmsc_bio bio;
	struct completion completion;
	refcount_t refs;
	int error;
};

enum dmsc_io_kind {
	DMSC_IO_PAGE,		/* fills or flushes of pages */
	DMSC_IO_SEGMENT,		/* piece of a host read */
	DMSC_IO_FLUSH,		/* FLUSH to the origin for @parent */
};

enum dmsc_pool_id {
	DMSC_POOL_PAGES,
	DMSC_POOL_READS,
	DMSC_POOL_FLUSHES,
	DMSC_NR_POOLS
};

/**
 * struct dmsc_pool - records of one sort of I/O
 * @free: those not in use
 * @starved: requests that wait for one
 */
struct dmsc_pool {
	struct list_head free;
	struct list_head starved;
};

/**
 * struct dmsc_origin_io - a read or write of the origin
 * @done: on @cache->done_ios
 * @node: on @pool->free, or on @cache->staged_ios until it is submitted
 * @pool: where it belongs
 * @parent: host bio, for DMSC_IO_SEGMENT and DMSC_IO_FLUSH
 * @seg: which piece, for DMSC_IO_SEGMENT
 * @nr_pages: of @pages
 * @at: the page that is being tried by itself, while @one_by_one
 * @one_by_one: all pages together failed
 */
struct dmsc_origin_io {
	struct llist_node done;
	struct list_head node;
	struct dmsc_cache *cache;
	struct dmsc_bio *parent;
	struct ssdc_segment seg;
	struct dmsc_pool *pool;
	enum dmsc_io_kind kind;
	unsigned int nr_pages;
	unsigned int at;
	bool one_by_one;
	struct ssdc_io pages[DMSC_IO_PAGES];
	struct bio bio;
	struct bio_vec vecs[DMSC_IO_VECS];
};

/**
 * struct dmsc_config - what a table line says
 * @origin: device path or number
 */
struct dmsc_config {
	const char *origin;
	struct ssdc_params params;
};

struct dmsc_cache {
	struct dm_target *ti;
	struct dm_dev *origin;
	struct dms_sysfs sysfs;	/* attached by the first resume */

	spinlock_t lock;		/* guards *engine; process context only */
	struct ssdc_engine *engine;

	struct page **frames;		/* pages_per_frame kernel pages each */
	unsigned long nr_kernel_pages;
	unsigned int pages_per_frame;

	struct workqueue_struct *wq;
	struct work_struct work;
	struct hrtimer timer;		/* queues the work at a time the engine named */
	struct llist_head done_ios;
	struct llist_head done_bios;

	/* Only the worker touches these. */
	struct dmsc_origin_io *ios;
	struct dmsc_pool pools[DMSC_NR_POOLS];
	struct list_head staged_ios;	/* to be submitted once all that ended is told */
	struct bio_list staged_bios;	/* likewise: host bios on their way to the origin */
	bool have_next;			/* @next was fetched but did not fit a bio */
	struct ssdc_io next;

	struct mutex control;		/* messages, sysfs writes: one change at a time */
	struct ssdc_error last_error;	/* under @control */
};

/* table.c */
int dmsc_table_parse(struct dmsc_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error);
int dmsc_table_print(struct dmsc_cache *c, char *buf, size_t size);
int dmsc_status_print(struct dmsc_cache *c, char *buf, size_t size);
const char *dmsc_state_name(struct dmsc_cache *c, char *buf, size_t size);

/* dram.c */
int dmsc_dram_alloc(struct dmsc_cache *c, const struct ssdc_params *params,
		    struct ssdc_error *error);
void dmsc_dram_free(struct dmsc_cache *c);
void dmsc_dram_copy(struct dmsc_cache *c, struct bio *bio, struct bvec_iter iter,
		    const struct ssdc_segment *seg);
void dmsc_dram_add_pages(struct dmsc_cache *c, struct bio *bio, const struct ssdc_io *io);

/* io.c */
int dmsc_io_create(struct dmsc_cache *c);
void dmsc_io_destroy(struct dmsc_cache *c);
int dmsc_map_bio(struct dmsc_cache *c, struct bio *bio);
bool dmsc_finish_ios(struct dmsc_cache *c);
bool dmsc_finish_bios(struct dmsc_cache *c);
bool dmsc_run_ready(struct dmsc_cache *c);
bool dmsc_start_ios(struct dmsc_cache *c);
int dmsc_flush_all(struct dmsc_cache *c, bool suspending);

/* worker.c */
int dmsc_worker_create(struct dmsc_cache *c, const char *name);
void dmsc_worker_destroy(struct dmsc_cache *c);
void dmsc_worker_kick(struct dmsc_cache *c);
void dmsc_worker_suspend(struct dmsc_cache *c);
void dmsc_worker_resume(struct dmsc_cache *c);

/* message.c */
int dmsc_message(struct dmsc_cache *c, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen);
int dmsc_set(struct dmsc_cache *c, const char *key, const char *value);
int dmsc_set_plugin(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec);
int dmsc_run_action(struct dmsc_cache *c, const char *action);

/* policies.c */
unsigned int dmsc_lock_types(void);
void dmsc_unlock_types(unsigned int noio);
void dmsc_load_type(enum ssdc_kind kind, const char *spec);
int dmsc_pin_type(enum ssdc_kind kind, const char *spec, struct ssdc_error *error);
int dmsc_pin_types(const struct ssdc_params *params, struct ssdc_error *error);
void dmsc_unpin_type(const struct ssdc_plugin_type *type);
void dmsc_unpin_spec(enum ssdc_kind kind, const char *spec);

/* sysfs.c */
int dmsc_sysfs_attach(struct dmsc_cache *c);

static inline struct block_device *dmsc_origin(const struct dmsc_cache *c)
{
	return c->origin->bdev;
}

#endif /* DMSC_CACHE_H */
