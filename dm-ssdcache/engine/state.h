/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's data structures, and inline functions that only read them.
 *
 * Every file of the engine includes this header. The engine's state has three parts. The directory
 * maps pages to frames; struct ssdc_entry describes a frame and its page. The plug-ins order pages.
 * Lists and queues hold the work: requests that wait or are ready, and pages to fill or to flush.
 *
 * Every function of the engine runs under the driver's lock and never sleeps, unless its
 * comment says otherwise.
 */
#ifndef SSDC_STATE_H
#define SSDC_STATE_H

#include <linux/bitmap.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include "../policy-api/replacement.h"
#include "../policy-api/admission.h"
#include "../policy-api/prefetch.h"
#include "../base/histogram.h"
#include "../base/slots.h"

#define SSDC_SECTOR_SHIFT	9
#define SSDC_MIN_PAGE_BYTES	4096u
#define SSDC_MAX_PAGE_BYTES	65536u
#define SSDC_MIN_FRAMES		16u
#define SSDC_PAGES_PER_RESERVED	16	/* pages of the DRAM tier per frame of the reserve */
#define SSDC_MIN_RESERVE	(1024u * 1024)	/* bytes, but not more than the tier has */
#define SSDC_MAX_RESERVE	(16u * SSDC_MIN_RESERVE)
#define SSDC_STEP_SECTORS	2048u	/* sectors of a read or write per step */
#define SSDC_HOLD_WORK	40u	/* looks at a page that one ssdc_step() may take; see SSDC_MORE */
#define SSDC_WAIT_BUCKETS	64	/* counters of writes that overtook a copy to a reader */
#define SSDC_MIN_WAIT_LISTS	64	/* of requests that wait for a page */
#define SSDC_MAX_WAIT_LISTS	4096
#define SSDC_NEAR_BUCKETS	16	/* adjacent buckets of the page directory; a power of two */
#define SSDC_FRAMES_PER_WAIT_LIST 64
#define SSDC_MAX_CORE_STATS	72u	/* rows of ssdc_core_stat_table, for copies */

enum ssdc_durability {
	SSDC_VOLATILE,		/* FLUSH and FUA reach the origin's media */
	SSDC_PROTECTED,		/* DRAM counts as stable: NVRAM or power-loss protection */
};

enum ssdc_evict_wait {
	SSDC_WAIT_BATCH,	/* a request waits for the pages that it evicts */
	SSDC_WAIT_FRAME,	/* a request waits for a frame of each page that enters */
};

/**
 * struct ssdc_core_tunables - tunables of the engine itself
 * @dram_mode: enum ssdc_durability
 * @idle_us: after the last host request ended, the device counts as idle once this time has passed
 * @flush_interval_s: flush all dirty pages this often; 0: never
 * @retry_ms: first pause after a failed flush; doubles up to 64 times that
 * @channels: channels of the origin, for the estimated view of the device
 * @dies: dies per chip of the origin, also for the estimated view
 * @alpha_us: time that a page read saves if it hits, [Li22]
 * @beta_us: time that a page write saves if it hits, [Li22]
 * @evict_wait: enum ssdc_evict_wait
 *
 * ssdc_core_tunable_table has the ranges and defaults.
 */
struct ssdc_core_tunables {
	u32 dram_mode;
	u32 idle_us;
	u32 flush_interval_s;
	u32 retry_ms;
	u32 channels;
	u32 dies;
	u32 alpha_us;
	u32 beta_us;
	u32 evict_wait;
};

/*
 * Documented in ssdc_core_stat_table. The counters that hits and bypassing reads change are first.
 */
struct ssdc_core_stats {
	u64 requests[SSDC_NR_OPS];
	u64 read_bytes;
	u64 write_bytes;
	u64 read_pages;
	u64 read_hits;
	u64 write_pages;
	u64 write_hits;
	u64 write_absorbed;
	u64 bypassed_reads;
	u64 fua_writes;
	u64 evictions;
	u64 evicted_pages;
	u64 evicted_clean;
	u64 thrash_events;
	u64 early_flushes;
	u64 flushed_pages[SSDC_NR_FLUSH_REASONS];
	u64 padded_pages;
	u64 fills;
	u64 admitted_reads;
	u64 prefetched_pages;
	u64 prefetch_hits;
	u64 prefetch_late_hits;
	u64 prefetch_unused;
	u64 prefetch_errors;
	u64 dropped_pages;
	u64 sync_passes;
	u64 frame_waits;
	u64 page_waits;
	u64 moved_writes;
	u64 views[2];			/* by enum ssdc_view_source */
	u64 read_errors;
	u64 write_errors;
	u64 flush_errors;
	u64 failed_requests;
	u64 plugin_steps;
	u64 plugin_step_ns;		/* added up by the driver, which has the clock */
};

/* The next thing that a request does; private to the engine. */
enum ssdc_phase {
	SSDC_RQ_NEW,
	SSDC_RQ_OBSERVE,	/* long reads and writes: show their pages to the scheme */
	SSDC_RQ_FETCH,		/* a read: queue fills of its missed pages */
	SSDC_RQ_PAGES,		/* copy its pages one by one */
	SSDC_RQ_ORIGIN,		/* a write: its pages are in DRAM and are being flushed */
	SSDC_RQ_SYNC,		/* a FLUSH: wait for a sync pass */
	SSDC_RQ_DISCARD,	/* a discard: drop its clean pages */
	SSDC_RQ_FORWARD,	/* send the request, or a FLUSH, to the origin */
	SSDC_RQ_DROP,		/* a discard that succeeded: drop its dirty sectors */
	SSDC_RQ_RELEASE,	/* a discard: start the flushes that it held back */
	SSDC_RQ_END,
};

#define SSDC_NOT_EVICTED U64_MAX
#define SSDC_NO_BUFFER U32_MAX
#define SSDC_MANY_UNITS U32_MAX

/**
 * struct ssdc_request - a host request, embedded in the driver's own record
 * @host: the part that plug-ins see; must be first
 * @node: on the list that the request waits on, or on the ready list
 * @error: 0, or the first -errno
 * @force: a FLUSH of the driver's own, not counted as a host request, that flushes dirty pages
 *	even when DRAM is protected
 *
 * All other fields are private.
 */
struct ssdc_request {
	struct ssdc_host_request host;
	struct list_head node;

	/* Zero at the beginning; next to each other, so that few instructions clear them. */
	u64 pos;		/* progress in sectors; of a discard, in pages or frames */
	u64 ahead;		/* sectors whose pages FETCH looked up, or ORIGIN had flushed */
	u64 filled;		/* FETCH: sectors of @ahead whose fills are queued */
	u32 subs;		/* SSDC_READ_ORIGIN and SSDC_BYPASS reads in flight */
	u32 run;		/* PAGES: sectors from @pos on whose pages are not cached */
	u32 grants;		/* frames set aside for it */
	u32 debts;		/* victims that have yet to leave before it ends */
	u32 steps;		/* policy steps that it may run before its next decision */
	u32 left_victims;	/* for the page of @evicted_at: victims that must be flushed */
	int error;
	enum ssdc_phase phase;
	enum ssdc_write_mode mode;
	bool force;
	bool served;		/* got a frame after waiting: waits in front next time */
	bool parked;		/* waits on a list, or for its @subs */
	bool bypass;		/* a read: do not cache missed pages */
	bool entered;		/* FETCH: a page beyond @filled has entered */
	u8 fill_then;		/* FETCH: what ssdc_step() returns after the fills; or 0 */
	bool completes;		/* a write: its copy completes the page; see twin.c */
	bool admitted;		/* a read: the page that it waits for has been admitted */
	u8 batches;		/* evicted for the page of @evicted_at, if more must follow */
	u8 overtaken;		/* a read: how often this copy was overtaken; see copy.c */
	bool flushed;		/* ORIGIN: the page it waited for was flushed */
	bool stable;		/* ORIGIN: continue with a FLUSH of the origin */
	bool in_dram;		/* ORIGIN: a flush failed, so data are in protected DRAM only */
	bool kept;		/* a discard: it left dirty sectors, to be dropped at its end */
	bool held;		/* a discard: it held back a flush */
	bool discarded;		/* a discard: it succeeded, a FLUSH of the origin follows */
	bool lone;		/* SSDC_BYPASS: has waited for nothing, nothing waits for it */

	bool calm;		/* the policy wanted no step when the page was missed */
	bool holds;		/* a read overtaken too often: it holds up writes */
	bool awaited;		/* a read with @subs: a discard waits for its end */
	ssdc_frame_t pinned;	/* frame of the copy in progress, or SSDC_NO_FRAME */
	u32 copy_sectors;	/* length of that copy */
	u64 evicted_at;		/* page that it has evicted others for, or SSDC_NOT_EVICTED */
	u64 covers;		/* the engine's origin_changes when its FLUSH began */
	u64 flush_nr;		/* number of the first FLUSH that covers it; 0: none asked for */
	u32 flush_failures;	/* FLUSH and FUA: failed FLUSHes when the request began */
	u32 run_maps;		/* the engine's @maps when the pages of @run were looked up */
	u32 unit;		/* SSDC_BYPASS: the unit of its only page, or SSDC_MANY_UNITS */
	u32 overwrites;		/* a read: the frame's @overwrites when the copy began */
	u32 observed;		/* OBSERVE: pages that the admission scheme has seen */
	u64 bypassed;		/* a read with @subs: a bit per page that was read at the origin */
	u64 reads_before;	/* a discard: it waits for the reads of a page with lower ids */
	u64 wait_page;		/* the page that it waits for */
	union {
		struct list_head range_node;	/* a discard on @discards */
		struct hlist_node read_node;	/* a read with @subs on @origin_reads */
	};
	struct list_head debt_node;	/* on the engine's list of debtors, while @debts is not 0 */
};

/**
 * enum ssdc_action - what the driver must do for a request
 * @SSDC_COPY: copy between the host and seg, then call ssdc_step(); a read may have to copy the
 *	same seg again
 * @SSDC_READ_ORIGIN: start a read of seg from the origin into the host's buffer and call
 *	ssdc_step() without waiting for it; when the read ends, call ssdc_sub_done() with the same
 *	seg, and complete the request if the answer is SSDC_COMPLETE
 * @SSDC_BYPASS: start a read of the whole request from the origin, and do not call ssdc_step();
 *	when the read ends, call ssdc_bypass_done()
 * @SSDC_FORWARD: forward the whole request to the origin; at its end call ssdc_forward_done()
 * @SSDC_FLUSH_ORIGIN: send an empty FLUSH to the origin; at its end call ssdc_forward_done()
 * @SSDC_WAIT: nothing; ssdc_next_ready() returns the request later
 * @SSDC_AGAIN: drop the lock for a moment, then call ssdc_step(); used by long requests
 * @SSDC_MORE: drop the lock for an instant, then call ssdc_step(): the request is within a step.
 *	Start the I/O that the step has caused only when the step is over
 * @SSDC_YIELD: as SSDC_AGAIN, after a step of the policy. Many steps may follow; a worker does its
 *	other work in between
 * @SSDC_COMPLETE: complete the request with rq->error; the engine no longer refers to it
 */
enum ssdc_action {
	SSDC_COPY,
	SSDC_READ_ORIGIN,
	SSDC_BYPASS,
	SSDC_FORWARD,
	SSDC_FLUSH_ORIGIN,
	SSDC_WAIT,
	SSDC_AGAIN,
	SSDC_MORE,
	SSDC_YIELD,
	SSDC_COMPLETE,
};

/**
 * struct ssdc_segment - the part of a request that an action is about
 * @frame: SSDC_COPY: the frame; else SSDC_NO_FRAME
 * @buffer: SSDC_COPY: the buffer of the frame, numbered as the frames are
 * @rest: SSDC_COPY: copy all other sectors of the page from this buffer, too; SSDC_NO_BUFFER: none
 * @frame_sector: SSDC_COPY: first sector in the frame
 * @rq_sector: first sector, counted from the request's start
 * @nr_sectors: length; within one page for SSDC_COPY, may span pages otherwise
 */
struct ssdc_segment {
	ssdc_frame_t frame;
	u32 buffer;
	u32 rest;
	u32 frame_sector;
	u32 rq_sector;
	u32 nr_sectors;
};

/**
 * struct ssdc_io - a read or write of a page, or of part of it, on the origin
 * @frame: the frame of the page
 * @buffer: source or destination: the buffer of the frame as the I/O begins
 * @sector: first sector on the origin
 * @frame_sector: first sector in the frame
 * @nr_sectors: length
 * @write: true for a flush, false for a fill
 * @fua: a flush that must be on stable media when it ends
 * @reason: of a flush
 * @flush_failures: FLUSHes that had failed when the I/O began
 */
struct ssdc_io {
	ssdc_frame_t frame;
	u32 buffer;
	u64 sector;
	u32 frame_sector;
	u32 nr_sectors;
	bool write;
	bool fua;
	enum ssdc_flush_reason reason;
	u32 flush_failures;
};

/* A first-in first-out queue of frames, linked by queue_next. */
struct ssdc_queue {
	ssdc_frame_t head;
	ssdc_frame_t tail;
};

/*
 * A batch of victims that are being accounted for, a bounded number at a time. Private to evict.c;
 * the frames are those of the engine's @batch.
 */
struct ssdc_leaving {
	unsigned int nr;		/* of victims; 0: all are accounted for */
	unsigned int next;		/* the next one */
	u32 stamp;			/* of all of them */
	bool padded;
	bool joined;			/* all must be linked or padded before any leaves */
	bool linked;			/* all are linked or padded */
	u32 width;
	u32 turn;			/* index in @before for the next victim */
	ssdc_frame_t before[SSDC_MAX_WIDTH];
	DECLARE_BITMAP(behind, SSDC_BATCH_FRAMES);	/* victims that wait for another victim */
};

/* Bounds of sync passes; smaller in tests. */
struct ssdc_pass_limits {
	u32 step_pages;			/* pages found per step, or seen per hold of the lock */
	u32 step_bits;			/* of dirty_frames that are searched in one hold */
	u32 unawaited;			/* pages that are queued at a time if no FLUSH waits */
	u32 fewest;			/* the same, while a FLUSH waits: at least ... */
	u32 most;			/* ... and at most */
	u32 usual;			/* the same, if the origin is not an ssdflash device */
	u32 unnotified;			/* with more, policies are notified out of order */
};

/* The sync pass; at most one runs at a time. Private to sync.c and pass.c. */
struct ssdc_sync_pass {
	bool active;
	bool scanned;			/* no frame is left to examine */
	enum ssdc_flush_reason reason;
	u32 cursor;			/* next frame to examine */
	u32 pending;			/* SSDC_E_SYNC pages, queued or in flight */
	u32 width;			/* most of them while a FLUSH waits, on an idle device */
	u32 found;			/* pages found in this step so far */
	u32 notices;			/* most notifications that come before anything else */
	u32 notified;			/* next frame whose policy to notify */
	u32 unnotified;			/* SSDC_E_UNNOTIFIED pages */
	u32 due;			/* @unnotified pages before @cursor; others come later */
	int error;
	struct list_head requests;	/* FLUSH requests that end with this pass */
};

/*
 * The data that are on the origin's stable media. Private to stable.c. FLUSHes are numbered in the
 * order of their beginnings, from 1 on.
 */
struct ssdc_stability {
	u64 begun;			/* number of the newest FLUSH */
	u64 covered;			/* number of the newest one that succeeded */
	bool active;			/* one is at the origin */
	struct list_head waiters;	/* requests that wait for its end */
	u32 failures;			/* FLUSHes that failed */
	int last_error;			/* -errno of the last failure */
	int unreported;			/* -errno for the next host FLUSH, or 0 */
	bool elsewhere;			/* another shard's FLUSH failed while one was active */
	bool rewriting;			/* pages are becoming dirty again */
	u64 failed;			/* number of the newest one that failed */
	u64 doubted;			/* @origin_changes when it failed */
	u64 covered_before;		/* @covered at the first failure of those being handled */
	u32 cursor;			/* next frame to examine */
};

/* The latest evictions of pages whose hash is the same, the newest first. */
struct ssdc_evicted_set {
	struct ssdc_slots prints;	/* fingerprints of the pages */
	struct ssdc_slots times;
};

/* The latest evictions. Private to thrash.c; times are in units of 2^@grain evictions. */
struct ssdc_thrash {
	struct ssdc_evicted_set *sets;
	u16 *entered;			/* by frame: when its page entered */
	u32 nr_sets;
	u32 set_hand;			/* next set to age */
	u32 frame_hand;			/* next frame to age */
	u32 frames_per_call;		/* frames to age per call */
	u32 grain;			/* log2 of the evictions per unit of time */
	u16 memory;			/* evictions older than this do not count */
	u16 now;
	u64 evicted;			/* pages in total; @now is this count in units of time */
};

/*
 * I/O in flight in pages, by unit and by channel of the declared geometry. A changed geometry
 * takes effect when nothing is in flight. Private to view.c.
 */
struct ssdc_units {
	u32 nr;
	u32 channels;
	u32 busy;			/* units with I/O in flight */
	u32 busy_channels;
	u32 total;			/* pages, over all units */
	u32 depth[SSDC_MAX_UNITS];
	u32 channel_depth[SSDC_MAX_UNITS];
};

/* Evictions remembered for thrash_events, in multiples of the tier's pages. */
#define SSDC_MAX_THRASH_SPAN	64u

/* The requests whose latencies an engine counts, in a histogram of 19 KiB for each operation. */
enum ssdc_latencies {
	SSDC_ALL_LATENCIES,
	SSDC_DATA_LATENCIES,	/* reads and writes */
	SSDC_NO_LATENCIES,	/* none: the driver counts them, without the lock */
};

/**
 * struct ssdc_params - parameters from which an engine is created
 * @dram_bytes: size of the DRAM tier; rounded down to whole pages
 * @page_bytes: size of a page, a power of two
 * @origin_sectors: size of the origin
 * @reserve_bytes: size of the reserve: the frames beyond @dram_bytes that hold victims until they
 *	have been flushed, at least SSDC_MIN_RESERVE; 0: a share of the tier. The simulators that
 *	the papers used have no limit
 * @nr_shards: engines that share the origin; 0 means 1
 * @shard: number of this engine among them; it owns the regions for which ssdc_shard_of() is this
 *	number
 * @region_sectors: size of a region, a power of two; 0 means SSDC_REGION_SECTORS
 * @thrash_span: evictions to remember, as a multiple of the tier's pages: at most
 *	SSDC_MAX_THRASH_SPAN; 0 means 1
 * @replacement: spec of the replacement policy, "NAME" or "NAME:key=value,…"
 * @admission: spec of the admission scheme
 * @prefetch: spec of the prefetcher
 * @latencies: the requests whose latencies the engine counts
 * @tunables: initial values
 */
struct ssdc_params {
	u64 dram_bytes;
	u64 page_bytes;
	u64 origin_sectors;
	u64 reserve_bytes;
	u32 nr_shards;
	u32 shard;
	u32 region_sectors;
	u32 thrash_span;
	const char *replacement;
	const char *admission;
	const char *prefetch;
	enum ssdc_latencies latencies;
	struct ssdc_core_tunables tunables;
};

struct ssdc_engine {
	/*
	 * The fields that each hit changes. Together with the first counters of @stats, they take
	 * 128 bytes: two cache lines in the kernel.
	 */
	u64 next_id;
	u64 last_host_ns;
	u32 stamp;
	u32 host_inflight;
	u32 host_reads;			/* the reads of @host_inflight */
	bool early_declined;		/* policy chose nothing; ask after the next event */
	bool early_timed;		/* the driver has a timer, to ask when the host is idle */
	struct ssdc_core_stats stats;

	/* The other fields that each read that bypasses DRAM changes. */
	struct hlist_head origin_reads;	/* requests with reads in flight that bypass DRAM */
	u32 device_inflight;		/* page I/O, bypassing reads, forwarded requests */
	u32 waiting_requests;

	/* Each request reads these fields to see whether there is work: see ssdc_end_has_work(). */
	struct list_head ready;
	struct ssdc_queue fill_queue;
	struct ssdc_queue flush_queue;
	bool evicts;			/* @excess is set, or victims are left in @leaving */
	bool watched;			/* a plug-in may act on requests that use no page */
	bool quick;			/* not @watched, and copies take time */
	u32 nr_latencies;		/* of @latency, of the first operations */

	struct ssdc_tier tier;		/* the part that plug-ins see */

	/* Geometry, constant. */
	u32 mask_bytes;			/* size of one sector mask */
	u32 hash_shift;
	u64 origin_sectors;
	u32 nr_shards;
	u32 shard;
	u32 region_shift;
	u64 reserve_bytes;		/* data of the frames beyond the tier's pages */

	/* Page directory; arrays by frame, except @buckets. */
	struct ssdc_entry *entries;
	ssdc_frame_t *buckets;
	u32 *buffers;			/* where the data of a frame are: see twin.c */
	u8 *valid;			/* a bit per sector: the frame has its data */
	u8 *dirty;			/* a bit per sector: newer than on the origin */
	unsigned long *dirty_frames;	/* a bit per frame: dirty, or SSDC_E_UNNOTIFIED */
	struct ssdc_queue free;		/* oldest first */
	u32 nr_free;
	u32 maps;			/* calls of ssdc_map() */
	u32 hold_work;			/* SSDC_HOLD_WORK; less in tests */
	bool instant_copies;		/* see ssdc_set_instant_copies() */
	u32 nr_fresh;			/* frames from this one on are free, never used */

	struct ssdc_replacement *replacement;
	struct ssdc_replacement *draining;	/* the previous policy, while pages move */
	u16 generation;			/* SSDC_E_GENERATION of @replacement's entries */
	struct ssdc_admission *admission;
	struct ssdc_prefetch *prefetch;
	struct ssdc_core_tunables tunables;

	struct ssdc_list prefetched;	/* the partition, most recent first */
	u32 prefetch_inflight;		/* of @prefetched, pages being read */
	u64 saved_us;			/* as of the last ssdc_update_stats() */

	/* The load of the origin: from @device if it answers, else estimated from @units. */
	const struct ssdc_device_ops *device_ops;
	void *device;
	bool always_answers;		/* @device always answers, so there is no estimate */
	struct ssdc_units units;
	struct ssdc_view view;		/* as of the last ssdc_update_view() */

	/* Requests. */
	struct list_head frame_waiters;
	struct list_head debtors;	/* requests with debts, oldest first */
	struct list_head *page_waiters;	/* lists by page number; their count is a power of two */
	u32 nr_wait_lists;
	u32 overwrites[SSDC_WAIT_BUCKETS];	/* by frame: writes that overtook reads */
	struct list_head sync_waiters;
	struct list_head discards;	/* discards in progress, from first step to end */
	struct list_head discard_waiters;	/* writes to the range of a discard in progress */
	struct list_head read_waiters;	/* discards that wait for some of @origin_reads */
	u32 own_inflight;		/* the driver's own FLUSHes in progress */
	u32 early_inflight;
	u32 early_pages;		/* chosen for this batch so far, if the policy has more */

	/* Write-back. */
	bool flush_turn;		/* with pages in both queues: flushes go first */
	u32 turn_pages;			/* I/Os of the current turn */
	struct ssdc_sync_pass pass;
	struct ssdc_pass_limits pass_limits;	/* ssdc_default_pass_limits */
	struct ssdc_batch batch;	/* scratch: too large for the stack */
	struct ssdc_leaving leaving;	/* victims of @batch not accounted for yet */
	u32 granted;			/* free frames set aside for requests */
	u32 nr_victims;			/* SSDC_E_VICTIM pages; their frames become free soon */
	u32 nr_debts;			/* of all debtors; at most @nr_victims */
	bool excess;			/* there are more sound pages than room: see evict.c */
	u32 evict_failures;		/* failed victim flushes since the last good one */
	u32 flushing_pages;
	u32 nr_twins;			/* frames with older data of pages, in flight */
	u32 failed_pages;
	u32 failed_victims;		/* of @failed_pages, SSDC_E_VICTIM pages */
	u32 plain_writes;		/* page writes in flight without FUA */
	u64 origin_changes;		/* writes and discards that the origin may have cached */
	u64 origin_written;		/* @origin_changes after the last one with volatile DRAM */
	u64 origin_flushed;		/* value of @origin_changes that the last FLUSH covered */
	struct ssdc_stability stability;
	bool frozen;			/* suspended: start no work that no request asked for */
	u32 retry_pause_ms;
	u64 retry_at_ns;		/* 0: nothing to retry */
	u64 periodic_at_ns;		/* 0: off */
	u64 tick_seen_ns;		/* tick_at_ns as of the last ssdc_background() */
	int first_error;		/* latched -errno of the first failed flush or FLUSH */

	struct ssdc_thrash thrash;
	struct ssdc_histogram *latency;	/* by operation */
};

#define SSDC_NEVER U64_MAX
#define SSDC_GO_ON (U64_MAX - 1)	/* ssdc_background(): again at once, before any I/O */

static inline struct ssdc_entry *ssdc_entry_at(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return &e->entries[ssdc_frame_nr(frame)];
}

static inline const char *ssdc_params_spec(const struct ssdc_params *params, enum ssdc_kind kind)
{
	switch (kind) {
	case SSDC_REPLACEMENT:
		return params->replacement;
	case SSDC_ADMISSION:
		return params->admission;
	default:
		return params->prefetch;
	}
}

/* The engine of a DRAM tier. */
static inline struct ssdc_engine *ssdc_tier_engine(const struct ssdc_tier *tier)
{
	return container_of((struct ssdc_tier *)tier, struct ssdc_engine, tier);
}

/* The current plug-in of a kind. */
static inline struct ssdc_plugin *ssdc_current_plugin(const struct ssdc_engine *e,
						      enum ssdc_kind kind)
{
	switch (kind) {
	case SSDC_REPLACEMENT:
		return &e->replacement->plugin;
	case SSDC_ADMISSION:
		return &e->admission->plugin;
	default:
		return &e->prefetch->plugin;
	}
}

/* @watched or @instant_copies has changed. */
static inline void ssdc_renew_quick(struct ssdc_engine *e)
{
	e->quick = !e->watched && !e->instant_copies;
}

/* Does a plug-in have deferred work? Not while the device is suspended. */
static inline bool ssdc_step_wanted(const struct ssdc_engine *e)
{
	return (e->replacement->plugin.wants_step || e->admission->plugin.wants_step ||
		e->prefetch->plugin.wants_step) && !e->frozen;
}

/* Is a batch of victims being accounted for? The next one has to wait. */
static inline bool ssdc_is_evicting(const struct ssdc_engine *e)
{
	return e->leaving.nr;
}

/* Is @rq a FLUSH that the host sent? The driver's own FLUSH and that of a FUA write are not. */
static inline bool ssdc_is_host_flush(const struct ssdc_request *rq)
{
	return rq->host.op == SSDC_FLUSH && !rq->force;
}

/* Is a request ready, or a fill or flush queued? */
static inline bool ssdc_has_queued(const struct ssdc_engine *e)
{
	return !list_empty(&e->ready) || e->fill_queue.head != SSDC_NO_FRAME ||
		e->flush_queue.head != SSDC_NO_FRAME;
}

#endif /* SSDC_STATE_H */
