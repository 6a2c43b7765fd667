/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel driver of one engine.
 *
 *	target.c	device-mapper's side: table, map, suspend, status
 *	table.c		table words -> configuration, and back
 *	below.c		what both targets' constructors do alike
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
#ifndef SSDC_CACHE_H
#define SSDC_CACHE_H

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
#define SSDC_PAGE_IOS	192	/* fills and flushes of pages */
#define SSDC_READ_IOS	64	/* pieces of reads */
#define SSDC_FLUSH_IOS	8	/* flushes of the origin */
#define SSDC_NR_IOS	(SSDC_PAGE_IOS + SSDC_READ_IOS + SSDC_FLUSH_IOS)
#define SSDC_IO_PAGES	16	/* pages that one write merges */
#define SSDC_IO_VECS	32	/* kernel pages, likewise */

struct ssdc_cache;

/* What a host bio is waiting for below. */
enum ssdc_below {
	SSDC_BELOW_NOTHING,
	SSDC_BELOW_READ,	/* remapped: a read of which nothing is cached */
	SSDC_BELOW_WHOLE,	/* remapped: FLUSH or discard */
	SSDC_BELOW_PIECE,	/* a read whose next piece the worker has to start */
	SSDC_BELOW_ORIGIN,	/* the worker has to flush the origin for it */
};

/**
 * struct ssdc_bio - per-bio data, or an internal flush
 * @rq: the engine's part
 * @bio: host bio; NULL for an internal flush
 * @iter: of the bio as it came
 * @seg: piece that the worker has to read, with SSDC_BELOW_PIECE
 * @done: on @cache->done_bios
 * @below: what it waits for
 * @end_io: device-mapper's own, while @bio is at the origin
 * @private: likewise
 * @flush: the flush it stands for; NULL for a host bio
 */
struct ssdc_bio {
	struct ssdc_request rq;
	struct bio *bio;
	struct bvec_iter iter;
	struct ssdc_segment seg;
	struct llist_node done;
	enum ssdc_below below;
	bio_end_io_t *end_io;
	void *private;
	struct ssdc_flush *flush;
};

/**
 * struct ssdc_flush - a flush of everything that no host bio asked for
 * @refs: the waiter's and the engine's
 */
struct ssdc_flush {
	struct ssdc_bio bio;
	struct completion completion;
	refcount_t refs;
	int error;
};

enum ssdc_io_kind {
	SSDC_IO_PAGE,		/* fills or flushes of pages */
	SSDC_IO_SUB,		/* piece of a host read */
	SSDC_IO_FLUSH,		/* FLUSH to the origin for @parent */
};

enum ssdc_pool_id {
	SSDC_POOL_PAGES,
	SSDC_POOL_READS,
	SSDC_POOL_FLUSHES,
	SSDC_NR_POOLS
};

/**
 * struct ssdc_pool - records of one sort of I/O
 * @free: those not in use
 * @starved: requests that wait for one
 */
struct ssdc_pool {
	struct list_head free;
	struct list_head starved;
};

/**
 * struct ssdc_bio_io - a read or write of the origin
 * @done: on @cache->done_ios
 * @node: on @pool->free, or on @cache->staged_ios until it is submitted
 * @pool: where it belongs
 * @parent: host bio, for SSDC_IO_SUB and SSDC_IO_FLUSH
 * @seg: which piece, for SSDC_IO_SUB
 * @nr_pages: of @pages
 * @at: the page that is being tried by itself, while @one_by_one
 * @one_by_one: all pages together failed
 */
struct ssdc_bio_io {
	struct llist_node done;
	struct list_head node;
	struct ssdc_cache *cache;
	struct ssdc_bio *parent;
	struct ssdc_segment seg;
	struct ssdc_pool *pool;
	enum ssdc_io_kind kind;
	unsigned int nr_pages;
	unsigned int at;
	bool one_by_one;
	struct ssdc_io pages[SSDC_IO_PAGES];
	struct bio bio;
	struct bio_vec vecs[SSDC_IO_VECS];
};

/**
 * struct ssdc_config - what a table line says
 * @origin: device path or number
 */
struct ssdc_config {
	const char *origin;
	struct ssdc_params params;
};

struct ssdc_cache {
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
	struct ssdc_bio_io *ios;
	struct ssdc_pool pools[SSDC_NR_POOLS];
	struct list_head staged_ios;	/* to be submitted once all that ended is told */
	struct bio_list staged_bios;	/* likewise: host bios on their way to the origin */
	bool have_next;			/* @next was fetched but did not fit a bio */
	struct ssdc_io next;

	struct mutex control;		/* messages, sysfs writes: one change at a time */
	struct ssdc_error last_error;	/* under @control */
};

/* table.c */
int ssdc_table_parse(struct ssdc_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error);
int ssdc_table_print(struct ssdc_cache *c, char *buf, size_t size);
int ssdc_status_print(struct ssdc_cache *c, char *buf, size_t size);
const char *ssdc_state_name(struct ssdc_cache *c, char *buf, size_t size);

/* dram.c */
int ssdc_dram_alloc(struct ssdc_cache *c, const struct ssdc_params *params,
		    struct ssdc_error *error);
void ssdc_dram_free(struct ssdc_cache *c);
void ssdc_dram_copy(struct ssdc_cache *c, struct bio *bio, struct bvec_iter iter,
		    const struct ssdc_segment *seg);
void ssdc_dram_add_pages(struct ssdc_cache *c, struct bio *bio, const struct ssdc_io *io);

/* io.c */
int ssdc_io_create(struct ssdc_cache *c);
void ssdc_io_destroy(struct ssdc_cache *c);
int ssdc_map_bio(struct ssdc_cache *c, struct bio *bio);
bool ssdc_finish_ios(struct ssdc_cache *c);
bool ssdc_finish_bios(struct ssdc_cache *c);
bool ssdc_run_ready(struct ssdc_cache *c);
bool ssdc_start_ios(struct ssdc_cache *c);
int ssdc_flush_all(struct ssdc_cache *c, bool suspending);

/* worker.c */
int ssdc_worker_create(struct ssdc_cache *c, const char *name);
void ssdc_worker_destroy(struct ssdc_cache *c);
void ssdc_worker_kick(struct ssdc_cache *c);
void ssdc_worker_suspend(struct ssdc_cache *c);
void ssdc_worker_resume(struct ssdc_cache *c);

/* message.c */
int ssdc_message(struct ssdc_cache *c, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen);
int ssdc_set(struct ssdc_cache *c, const char *key, const char *value);
int ssdc_set_plugin(struct ssdc_cache *c, enum ssdc_kind kind, const char *spec);
int ssdc_action(struct ssdc_cache *c, const char *action);

/* policies.c */
unsigned int ssdc_lock_types(void);
void ssdc_unlock_types(unsigned int noio);
void ssdc_load_type(enum ssdc_kind kind, const char *spec);
int ssdc_pin_type(enum ssdc_kind kind, const char *spec, struct ssdc_error *error);
int ssdc_pin_types(const struct ssdc_params *params, struct ssdc_error *error);
void ssdc_unpin_type(const struct ssdc_plugin_type *type);
void ssdc_unpin_spec(enum ssdc_kind kind, const char *spec);

/* sysfs.c */
int ssdc_sysfs_attach(struct ssdc_cache *c);

static inline struct block_device *ssdc_origin(const struct ssdc_cache *c)
{
	return c->origin->bdev;
}

#endif /* SSDC_CACHE_H */
