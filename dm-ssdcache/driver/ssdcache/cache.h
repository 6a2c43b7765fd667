/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel driver of the engine. A cache consists of shards, usually of one. A shard is an engine
 * with all that it needs: lock, frames, worker, timer and records of I/O.
 *
 *	target.c	device-mapper callbacks: table, map, suspend, status
 *	table.c		table line and status line
 *	dram.c		memory of the frames, copying
 *	numa.c		the NUMA nodes that memory comes from
 *	holds.c		how long the lock is held
 *	latency.c	latencies of host requests, per CPU
 *	host.c		host bios
 *	discard.c	discards of many regions, which several shards have a part in
 *	shards.c	common to all shards: routing of host bios, FLUSHes of the origin
 *	io.c		reads and writes of the origin
 *	flush.c		the driver's own flushes of all dirty pages
 *	worker.c	the work item and its timer
 *	message.c	dmsetup messages: live changes, actions
 *	auto.h		policies that the cache chooses by itself
 *	policies.c	plug-in types and their modules
 *	caches.c	list of all caches
 *	takeover.c	a reload takes over data of the previous table
 *	reboot.c	flush of all caches before the system goes down
 *	sysfs.c		/sys/block/dm-N/ssdcache
 *	trace.h		tracepoints
 *	../common/	code shared with the ssdflash target
 *
 * Prefixes tell the locking rule:
 *
 *	ssdc_	engine and plug-ins: the caller holds the shard's lock, except where the
 *		kernel-doc says otherwise (create, destroy, registration of plug-in types)
 *	dmsc_	this driver: takes the lock where needed, so call it without the lock
 *		(dmsc_origin() needs none, and may be called with it)
 *	ssdf_	flash model: the caller holds the flash target's lock
 *	dmsf_	driver of the flash target: takes that lock
 *	dms_	code shared by both drivers: takes neither lock
 *
 * Context: the submitter of a host bio carries it as far as possible; a hit is copied and completed
 * there. If no sector of a read is cached, the whole read goes to the origin, and ends where the
 * origin completes it. One work item per shard does everything else: fills, flushes and requests
 * that had to wait. The I/O records belong to that work item and need no lock. The completion
 * handlers of its I/O only queue the work. The work item copies data for a request that had to wait
 * only if nothing else waits meanwhile; other workers do the other copies at the same time.
 *
 * Memory: the I/O path allocates nothing, except for discards of many regions, which are cut if
 * there is no memory. A host bio carries its own record, and the records for I/O to the origin are
 * allocated with the shard. Separate pools keep page I/O, host reads and FLUSHes of the origin from
 * starving each other: if a pool is empty, a request waits for an I/O of the same pool to complete.
 */
#ifndef DMSC_CACHE_H
#define DMSC_CACHE_H

#include <linux/bio.h>
#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../base/holds.h"
#include "../../engine/engine.h"
#include "../../engine/shards.h"
#include "../common/preflush.h"
#include "../common/sysfs-node.h"
#include "auto.h"

#define DM_MSG_PREFIX "ssdcache"

#define DMSC_NR_IOS	(SSDC_PAGE_IOS + SSDC_READ_IOS + SSDC_FLUSH_IOS)
/* Vectors of a bio: a page has one for each 4 KiB at most, whatever PAGE_SIZE is. */
#define DMSC_IO_VECS	(SSDC_IO_BYTES / SSDC_MIN_PAGE_BYTES)

#define DMSC_NO_SECTOR	U64_MAX

struct dmsc_cache;
struct dmsc_discard;
struct dmsc_shard;

/* The I/O of the origin that a host bio needs. */
enum dmsc_needs {
	DMSC_NEEDS_NOTHING,
	DMSC_NEEDS_FORWARD,	/* remapped: a FLUSH or discard; the worker continues it */
	DMSC_NEEDS_SEGMENT,	/* the worker reads the next segment */
	DMSC_NEEDS_FLUSH,	/* the worker flushes the origin */
};

/* The outcome for a request that was carried as far as possible. */
enum dmsc_outcome {
	DMSC_OVER,	/* it completed, or waits until the engine makes it ready */
	DMSC_REMAPPED,	/* the caller submits its bio to the origin */
	DMSC_DEFERRED,	/* the worker continues it */
	DMSC_YIELDED,	/* the worker continues it after its other work */
	DMSC_COPYING,	/* another worker copies @seg and continues it */
};

/**
 * struct dmsc_preflush - of a host bio that is a FLUSH, or a shard's part of it
 * @first: record of the first part, if the FLUSH is part of a write; else NULL. The first part ends
 *	last
 * @of: of the first part: the write
 * @left: of the first part: parts that have not ended
 * @error: of the first part: first error of a part
 * @node: of the first part: link in the cache's preflushes until all parts have arrived
 * @task: of the first part: the task that sends the parts
 */
struct dmsc_preflush {
	struct dmsc_bio *first;
	struct dms_preflush of;
	atomic_t left;
	int error;
	struct list_head node;
	const struct task_struct *task;
};

/**
 * struct dmsc_bio - per-bio data of a host bio; also a shard's part of an internal flush or of a
 *	discard of many regions
 * @rq: the engine's request
 * @bio: host bio; NULL for an internal flush
 * @seg: with DMSC_NEEDS_SEGMENT: the part that the worker reads; else the part to copy
 * @done: link in the shard's done_bios
 * @needs: what the bio waits for
 * @shard: the shard, while @bio is remapped or @copy is queued; always, for a part of a discard
 * @end_io: device-mapper's bi_end_io while @bio is remapped
 * @private: device-mapper's bi_private while @bio is remapped
 * @flush: the internal flush of a part; NULL for a host bio
 * @discard: the same for a part of a discard
 * @copy: a copy that the shard's worker does not do itself
 * @preflush: of a FLUSH of the host
 */
struct dmsc_bio {
	struct ssdc_request rq;
	struct bio *bio;
	struct ssdc_segment seg;
	struct llist_node done;
	enum dmsc_needs needs;
	struct dmsc_shard *shard;
	bio_end_io_t *end_io;
	void *private;
	union {
		struct dmsc_flush *flush;
		struct dmsc_discard *discard;
	};
	union {
		struct work_struct copy;
		struct dmsc_preflush preflush;
	};
};

/**
 * struct dmsc_flush - an internal flush of all dirty pages
 * @completion: completed when all parts have ended; each shard has a part, which is a request
 * @parts: parts that have not ended
 * @refs: one for the waiter, one for the parts
 * @error: result: the first error
 */
struct dmsc_flush {
	struct completion completion;
	atomic_t parts;
	refcount_t refs;
	int error;
};

enum dmsc_io_kind {
	DMSC_IO_PAGE,		/* fills or flushes of pages */
	DMSC_IO_SEGMENT,		/* segment of a host read */
	DMSC_IO_FLUSH,		/* FLUSH of the origin */
};

enum dmsc_pool_id {
	DMSC_POOL_PAGES,
	DMSC_POOL_READS,
	DMSC_POOL_FLUSHES,
	DMSC_NR_POOLS
};

/**
 * struct dmsc_pool - I/O records of one kind
 * @free: unused records
 * @starved: requests waiting for a record
 */
struct dmsc_pool {
	struct list_head free;
	struct list_head starved;
};

/**
 * struct dmsc_origin_io - record of a read or write of the origin
 * @done: link in the shard's done_ios
 * @node: link in @pool->free, or in the shard's staged_ios until submission, or in a list of the
 *	cache's FLUSHes
 * @shard: the shard
 * @parent: host bio, for DMSC_IO_SEGMENT and DMSC_IO_FLUSH
 * @seg: for DMSC_IO_SEGMENT: what is read
 * @pool: pool of the record
 * @kind: what the I/O is for
 * @nr_pages: length of @pages
 * @at: with @one_by_one: the page being retried
 * @one_by_one: the merged I/O failed, and each page is retried alone
 * @took_ns: the time of submission or, after the end, how long the I/O took; 0: not measured
 * @pages: the pages, for DMSC_IO_PAGE
 * @bio: bio for the origin
 * @vecs: vectors of @bio, for DMSC_IO_PAGE
 */
struct dmsc_origin_io {
	struct llist_node done;
	struct list_head node;
	struct dmsc_shard *shard;
	struct dmsc_bio *parent;
	struct ssdc_segment seg;
	struct dmsc_pool *pool;
	enum dmsc_io_kind kind;
	unsigned int nr_pages;
	unsigned int at;
	bool one_by_one;
	u64 took_ns;
	struct ssdc_io pages[SSDC_IO_PAGES];
	struct bio bio;
	struct bio_vec vecs[DMSC_IO_VECS];
};

/**
 * struct dmsc_config - a parsed table line
 * @origin: path or number of the origin
 * @nr_shards: number of shards
 * @numa: enum ssdc_numa
 * @params: everything else
 */
struct dmsc_config {
	const char *origin;
	u64 nr_shards;
	u32 numa;
	struct ssdc_params params;
};

/*
 * An engine and what drives it. The fields that requests read, and the fields that they change, are
 * in separate cache lines.
 */
struct dmsc_shard {
	struct dmsc_cache *cache;	/* changes at a takeover */
	struct ssdc_engine *engine;
	struct ssdc_histogram __percpu *latency[SSDC_NR_OPS];	/* the cache's */
	struct page **frames;		/* pages_per_frame kernel pages each */
	unsigned int pages_per_frame;

	/*
	 * Guards *engine. Reads of the origin end in interrupts, so all other users disable
	 * interrupts.
	 */
	spinlock_t lock ____cacheline_aligned_in_smp;
	u64 held_since_ns;		/* 0: not measured */
	struct ssdc_holds holds;

	unsigned long nr_kernel_pages;
	unsigned long *node_pages;	/* kernel pages of @frames on each NUMA node */
	int node;			/* where its memory comes from; NUMA_NO_NODE: see numa.c */

	struct workqueue_struct *wq;
	struct work_struct work;
	struct hrtimer timer;		/* queues the work when the engine asked for it */
	struct llist_head done_ios;
	struct llist_head done_bios;

	/* Only the worker uses these. */
	struct dmsc_origin_io *ios;
	struct dmsc_pool pools[DMSC_NR_POOLS];
	struct list_head staged_ios;	/* to be submitted after all completions are handled */
	struct list_head yielded;	/* requests whose policy has steps to do, oldest first */
	struct bio_list staged_bios;	/* remapped host bios, to be submitted likewise */
	bool more_ended;		/* completions that were taken have yet to be handled */
	bool have_next;			/* @next was fetched and did not fit into a bio */
	u64 error_sector;		/* sector of the first error; DMSC_NO_SECTOR: of no page */
	struct ssdc_io next;
} ____cacheline_aligned_in_smp;

struct dmsc_cache {
	struct list_head all;		/* link in the list of caches.c */
	struct dm_target *ti;
	struct dm_dev *origin;
	struct dms_sysfs sysfs;	/* attached at the first resume */
	/*
	 * A resume was tried, and no other table has been resumed since; the engines are frozen
	 * before that. Changes with the list of caches locked.
	 */
	bool live;
	bool claimed;			/* by the cache that replaces it: see caches.c */
	bool given_up;			/* by reboot.c, under the lock of caches.c */
	bool refuses_io;		/* data of the previous table are lost; set as @live is */

	/*
	 * A takeover exchanges the shards with those of the previous table. There are no requests
	 * then, and @control and the list of caches are locked: other users hold one of these two
	 * locks.
	 */
	struct dmsc_shard *shards;
	unsigned int nr_shards;
	unsigned int region_shift;
	bool direct;			/* all host bios go to the only shard */
	u32 numa;			/* enum ssdc_numa, of the shards */

	struct ssdc_histogram __percpu *latency[SSDC_NR_OPS];	/* see latency.h */
	struct workqueue_struct *copiers;	/* runs a dmsc_bio's @copy */
	atomic_t first_error;		/* -errno of the engine that had one first, or 0 */
	atomic_t errors_reported;	/* nonzero: the first_error of an engine was logged */
	struct dmsc_auto chooser;

	/*
	 * FLUSHes of the origin, one at a time, and those of the host; unused if there is only one
	 * shard. These fields have cache lines of their own, as every request reads the fields
	 * before them.
	 */
	spinlock_t flush_lock ____cacheline_aligned_in_smp;
	struct dmsc_origin_io *flush;	/* at the origin */
	struct list_head flush_sharers;	/* records of other shards that end with @flush */
	struct list_head flush_waiters;	/* records that share the next one */
	struct list_head preflushes;	/* FLUSHes of writes, until all parts are there */

	/*
	 * Serializes messages and sysfs writes. Plug-ins and tunables change only while it is held.
	 */
	struct mutex control;
	struct ssdc_error last_error;	/* why a message was last refused; guarded by @control */
};

/**
 * struct dmsc_replaced - the plug-ins and the choice that a change has replaced, for dmsc_dispose()
 * @plugins: by kind and shard, or NULL
 * @nr: number of shards
 * @choice: of an earlier "auto", or NULL
 */
struct dmsc_replaced {
	struct ssdc_plugin **plugins[SSDC_NR_KINDS];
	unsigned int nr;
	struct dmsc_choice *choice;
};

#define dmsc_for_each_shard(s, c) \
	for ((s) = (c)->shards; (s) < (c)->shards + (c)->nr_shards; (s)++)

/* table.c */
int dmsc_table_parse(struct dmsc_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error);
int dmsc_table_print(struct dmsc_cache *c, char *buf, size_t size);
int dmsc_status_print(struct dmsc_cache *c, char *buf, size_t size);
const char *dmsc_state_name(struct dmsc_cache *c, char *buf, size_t size);

/* dram.c */
int dmsc_dram_check(const struct ssdc_params *params, unsigned int nr_shards,
		    struct ssdc_error *error);
int dmsc_dram_alloc(struct dmsc_shard *s, const struct ssdc_params *params,
		    struct ssdc_error *error);
void dmsc_dram_free(struct dmsc_shard *s);
void dmsc_dram_copy(struct dmsc_shard *s, struct bio *bio, const struct ssdc_segment *seg);
void dmsc_dram_add_pages(struct dmsc_shard *s, struct bio *bio, const struct ssdc_io *io);

/* numa.c */
int dmsc_numa_register(void);
void dmsc_numa_unregister(void);
void dmsc_numa_place(struct dmsc_cache *c, u32 numa);
int dmsc_frame_node(const struct dmsc_shard *s, int before);
void dmsc_on_node(const struct dmsc_shard *s, void (*function)(void *data), void *data);
ssize_t dmsc_numa_print(struct dmsc_cache *c, char *buf);

/* holds.c */
void dmsc_holds_reset(struct dmsc_cache *c);

/* host.c */
int dmsc_map_bio(struct dmsc_cache *c, struct bio *bio);
void dmsc_forward_ended(struct dmsc_bio *b);
void dmsc_submit_remapped(struct bio *bio);
enum dmsc_outcome dmsc_run_in_worker(struct dmsc_shard *s, struct dmsc_bio *b);
void dmsc_end_request(struct dmsc_shard *s, struct dmsc_bio *b, u64 now_ns);

/* io.c */
int dmsc_io_create(struct dmsc_shard *s);
void dmsc_io_destroy(struct dmsc_shard *s);
void dmsc_io_ended(struct dmsc_origin_io *io);
bool dmsc_finish_ios(struct dmsc_shard *s);
bool dmsc_finish_bios(struct dmsc_shard *s);
bool dmsc_run_ready(struct dmsc_shard *s);
bool dmsc_start_ios(struct dmsc_shard *s);
bool dmsc_has_staged(const struct dmsc_shard *s);

/* shards.c */
int dmsc_shards_create(struct dmsc_cache *c, unsigned int nr, struct ssdc_error *error);
void dmsc_shards_changed(struct dmsc_cache *c);
struct dmsc_shard *dmsc_route(struct dmsc_cache *c, struct bio *bio);
bool dmsc_origin_flush_begins(struct dmsc_origin_io *io);
struct dmsc_origin_io *dmsc_origin_flush_ends(struct dmsc_origin_io *io, int error, bool reported);
void dmsc_host_flush_begins(struct dmsc_cache *c, struct dmsc_bio *b);
void dmsc_host_flush_ends(struct dmsc_bio *b);

/* discard.c */
bool dmsc_narrow_discard(struct dmsc_cache *c, struct bio *bio);
struct dmsc_discard *dmsc_discard_create(struct dmsc_cache *c, struct bio *bio, u64 now_ns);
struct dmsc_bio *dmsc_discard_parts(struct dmsc_discard *d, unsigned int *nr);
bool dmsc_discard_goes_ahead(struct dmsc_bio *part);
void dmsc_discard_forwarded(struct dmsc_discard *d);
void dmsc_discard_part_ended(struct dmsc_bio *part, u64 now_ns);

/* flush.c */
u32 dmsc_dirty_pages(struct dmsc_cache *c);
bool dmsc_is_rewriting(struct dmsc_cache *c);
struct dmsc_flush *dmsc_flush_begin(struct dmsc_cache *c);
void dmsc_flush_part_ended(struct dmsc_bio *part);
int dmsc_flush_end(struct dmsc_flush *flush, bool suspending);
void dmsc_flush_put(struct dmsc_flush *flush);
int dmsc_flush_all(struct dmsc_cache *c, bool suspending);

/* worker.c */
int dmsc_first_error(struct dmsc_cache *c);
int dmsc_workers_create(struct dmsc_cache *c, const char *name);
void dmsc_workers_destroy(struct dmsc_cache *c);
void dmsc_worker_kick(struct dmsc_shard *s);
void dmsc_workers_suspend(struct dmsc_cache *c);
void dmsc_workers_resume(struct dmsc_cache *c);
void dmsc_workers_finish(struct dmsc_cache *c);

/* message.c */
int dmsc_message(struct dmsc_cache *c, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen);
int dmsc_refuse(struct dmsc_cache *c, const struct ssdc_error *error);
int dmsc_set(struct dmsc_cache *c, const char *key, const char *value);
int dmsc_set_plugin(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec);
int dmsc_run_action(struct dmsc_cache *c, const char *action);
struct ssdc_plugin **dmsc_make_plugins(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec,
				       struct ssdc_error *error);
void dmsc_drop_plugins(struct ssdc_plugin **plugins, unsigned int nr);
void dmsc_switch_plugins(struct dmsc_cache *c, struct ssdc_plugin **plugins, const char *spec,
			 struct dmsc_replaced *replaced);
void dmsc_dispose(struct dmsc_cache *c, struct dmsc_replaced *replaced);

/* auto.c; auto.h declares the functions that need no cache */
void dmsc_choice_free(struct dmsc_choice *choice);
int dmsc_auto_set(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec,
		  struct dmsc_replaced *replaced, struct ssdc_error *error);
void dmsc_auto_end(struct dmsc_cache *c, struct dmsc_replaced *replaced);

/* policies.c */
unsigned int dmsc_lock_types(void);
void dmsc_unlock_types(unsigned int noio);
void dmsc_load_type(enum ssdc_kind kind, const char *spec);
int dmsc_pin_type(enum ssdc_kind kind, const char *spec, struct ssdc_error *error);
int dmsc_pin_types(const struct ssdc_params *params, struct ssdc_error *error);
void dmsc_unpin_type(const struct ssdc_plugin_type *type);
void dmsc_unpin_spec(enum ssdc_kind kind, const char *spec);

/* caches.c */
unsigned int dmsc_lock_caches(void);
void dmsc_unlock_caches(unsigned int noio);
struct dmsc_cache *dmsc_next_cache(struct dmsc_cache *c);
void dmsc_caches_add(struct dmsc_cache *c);
void dmsc_caches_remove(struct dmsc_cache *c);
struct dmsc_cache *dmsc_claim_previous(struct dmsc_cache *c);
void dmsc_release_previous(struct dmsc_cache *previous);

/* reboot.c */
int dmsc_reboot_register(void);
void dmsc_reboot_unregister(void);

/* takeover.c */
void dmsc_take_over(struct dmsc_cache *c);

/* sysfs.c */
int dmsc_sysfs_attach(struct dmsc_cache *c);

/* Has any I/O ended that the worker has not looked at? */
static inline bool dmsc_something_ended(const struct dmsc_shard *s)
{
	return !llist_empty(&s->done_ios) || !llist_empty(&s->done_bios);
}

/* Pages of the DRAM tier. The shards have equal parts. */
static inline u32 dmsc_capacity(const struct dmsc_cache *c)
{
	return c->nr_shards * c->shards->engine->tier.capacity;
}

/* Does the cache choose policies by itself? */
static inline bool dmsc_auto_chooses(const struct dmsc_cache *c)
{
	return rcu_access_pointer(c->chooser.choice);
}

/*
 * A request arrives. Inline, as it is only the test of a pointer without a choice, and as most
 * requests are not in the sample of a choice.
 */
static inline void dmsc_auto_feed(struct dmsc_cache *c, struct dmsc_shard *s,
				  const struct ssdc_host_request *host)
{
	bool counted;

	if (unlikely(dmsc_auto_chooses(c)) &&
	    unlikely(!dmsc_auto_pass(&c->chooser, host, &counted)))
		dmsc_auto_feed_choice(s, host, counted);
}

/*
 * Must the time that the origin takes for an I/O be measured? Yes, if the cache has a choice, and
 * if the I/O is not longer than merged I/O of pages: shadows take one time for all pages that start
 * together.
 */
static inline bool dmsc_auto_measures(const struct dmsc_cache *c, u64 nr_sectors)
{
	return unlikely(dmsc_auto_chooses(c)) &&
		nr_sectors <= SSDC_IO_BYTES >> SECTOR_SHIFT;
}

static inline struct block_device *dmsc_origin(const struct dmsc_cache *c)
{
	return c->origin->bdev;
}

#endif /* DMSC_CACHE_H */
