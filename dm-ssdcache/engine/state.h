/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ground floor: the engine's data structures, and accessors that only read them.
 * Every file of the engine includes this header. FLOORS has the order of the files.
 */
#ifndef SSDC_STATE_H
#define SSDC_STATE_H

#include <linux/container_of.h>
#include <linux/list.h>
#include "../policy-api/replacement.h"
#include "../policy-api/admission.h"
#include "../policy-api/prefetch.h"
#include "../base/histogram.h"

#define SSDC_SECTOR_SHIFT	9
#define SSDC_MIN_PAGE_BYTES	4096u
#define SSDC_MAX_PAGE_BYTES	65536u
#define SSDC_MIN_FRAMES		16u
#define SSDC_MAX_REQUEST_SECTORS 2048u	/* reads and writes: bounds the work of one step */
#define SSDC_WAIT_BUCKETS	64

enum ssdc_durability {
	SSDC_VOLATILE,		/* FLUSH and FUA reach the origin's media */
	SSDC_PROTECTED,		/* DRAM counts as stable: NVRAM or power-loss protection */
};

/**
 * struct ssdc_core_tunables - knobs of the engine itself
 * @dram_mode: enum ssdc_durability
 * @idle_us: the device counts as idle this long after the last host request ended
 * @flush_interval_s: flush all dirty pages this often, 0: never
 * @retry_ms: first pause after a failed flush; doubles up to 64 times that
 * @channels: geometry for the estimated device view
 * @dies: dies per chip, likewise
 *
 * Documented in ssdc_core_tunable_table.
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
};

/* Documented in ssdc_core_stat_table, whose offsets count from struct ssdc_engine. */
struct ssdc_core_stats {
	u64 requests[SSDC_NR_OPS];
	u64 fua_writes;
	u64 read_bytes;
	u64 write_bytes;
	u64 read_pages;
	u64 read_hits;
	u64 write_pages;
	u64 write_hits;
	u64 write_absorbed;
	u64 evictions;
	u64 evicted_pages;
	u64 evicted_clean;
	u64 thrash_events;
	u64 early_flushes;
	u64 flushed_pages[SSDC_NR_FLUSH_REASONS];
	u64 padded_pages;
	u64 fills;
	u64 admitted_reads;
	u64 bypassed_reads;
	u64 prefetched_pages;
	u64 prefetch_hits;
	u64 prefetch_late_hits;
	u64 prefetch_unused;
	u64 prefetch_errors;
	u64 dropped_pages;
	u64 sync_passes;
	u64 frame_waits;
	u64 page_waits;
	u64 views[2];			/* by enum ssdc_view_source */
	u64 read_errors;
	u64 write_errors;
	u64 failed_requests;
	u64 plugin_steps;
	u64 plugin_step_ns;		/* kept by the driver: the engine reads no clock */
};

/* The step that a request has reached; private to the engine. */
enum ssdc_phase {
	SSDC_RQ_NEW,
	SSDC_RQ_FETCH,		/* a read: starting reads of its missed pages */
	SSDC_RQ_PAGES,		/* going through its pages */
	SSDC_RQ_ORIGIN,		/* pages are in DRAM, being written through */
	SSDC_RQ_SYNC,		/* waits for a sync pass */
	SSDC_RQ_DISCARD,	/* a discard: dropping pages */
	SSDC_RQ_FORWARD,	/* to be forwarded to the origin, or in flight there */
	SSDC_RQ_END,
};

/**
 * struct ssdc_request - a host request; part of the driver's own record
 * @host: what plug-ins see of it; must be first
 * @node: on one of the engine's wait lists or its ready list
 * @force: a FLUSH that writes to the origin even when DRAM is protected
 * @error: 0, or the first -errno
 * @phase: private, like all that follows
 */
struct ssdc_request {
	struct ssdc_host_request host;
	struct list_head node;
	bool force;
	int error;

	enum ssdc_phase phase;
	u64 pos;		/* sectors (of a discard: pages or frames) done */
	u64 covers;		/* a flush of the origin: its origin_changes at the start */
	u64 ahead;		/* sectors up to which missed pages are being read */
	u64 wait_page;		/* on a page's wait list: which page */
	u64 evicted_page;	/* page evicted for one of its own, SSDC_NO_PAGE: none */
	ssdc_frame_t pinned;	/* frame of the copy under way */
	u32 copy_sectors;	/* its length */
	u32 subs;		/* page reads from the origin under way for it */
	u32 want;		/* frames it waits for */
	u32 grants;		/* frames set aside for it */
	u32 debt;		/* evictions made for it, not yet charged to a page */
	enum ssdc_write_mode mode;
	bool served;		/* got a frame after waiting: keeps its turn */
	bool parked;		/* waits, on a list or for its subs */
	bool flush_requested;	/* ORIGIN: a flush of each dirty page was requested */
	bool bypass;		/* a read: do not cache the pages it misses */
	bool flushed;		/* ORIGIN: the page it waited for was flushed */
	struct list_head discard_node;	/* on the list of discards in flight */
};

/**
 * enum ssdc_action - what the driver has to do for a request
 * @SSDC_COPY: copy between the host and seg, then ssdc_step()
 * @SSDC_READ_ORIGIN: read seg from the origin into the host's buffer; at once
 *	ssdc_step() again; at the read's end ssdc_sub_done() with the same seg
 * @SSDC_FORWARD: forward the whole request to the origin; at its end ssdc_forward_done()
 * @SSDC_FLUSH_ORIGIN: send an empty FLUSH to the origin; at its end ssdc_forward_done()
 * @SSDC_WAIT: let go: it will come back from ssdc_next_ready()
 * @SSDC_AGAIN: drop the lock, ssdc_step() again (a long discard)
 * @SSDC_COMPLETE: report rq->error to the host; the engine has forgotten the request
 */
enum ssdc_action {
	SSDC_COPY,
	SSDC_READ_ORIGIN,
	SSDC_FORWARD,
	SSDC_FLUSH_ORIGIN,
	SSDC_WAIT,
	SSDC_AGAIN,
	SSDC_COMPLETE,
};

/**
 * struct ssdc_segment - a piece of a request, within one page
 * @frame: SSDC_COPY: the frame
 * @frame_sector: SSDC_COPY: first sector in the frame
 * @rq_sector: first sector, counted from the request's start
 * @nr_sectors: length; SSDC_READ_ORIGIN may span pages
 */
struct ssdc_segment {
	ssdc_frame_t frame;
	u32 frame_sector;
	u32 rq_sector;
	u32 nr_sectors;
};

/**
 * struct ssdc_io - a read or write of (part of) one page on the origin
 * @frame: source or destination
 * @sector: on the origin
 * @frame_sector: first sector in the frame
 * @nr_sectors: length
 * @write: flush, else fill
 * @fua: a flush that has to be on stable media when it ends
 * @reason: of a flush
 */
struct ssdc_io {
	ssdc_frame_t frame;
	u64 sector;
	u32 frame_sector;
	u32 nr_sectors;
	bool write;
	bool fua;
	enum ssdc_flush_reason reason;
};

/* A first-in first-out queue of frames, linked by queue_next. */
struct ssdc_queue {
	ssdc_frame_t head;
	ssdc_frame_t tail;
};

/* A sync pass, one run over all dirty pages; one at a time. Private to sync.c and pass.c. */
struct ssdc_sync_pass {
	bool active;
	bool scanned;			/* every frame was examined */
	enum ssdc_flush_reason reason;
	u32 cursor;			/* next frame to examine */
	u32 pending;			/* SSDC_E_SYNC pages not yet on the origin */
	u32 notified;			/* policies know about clean pages in frames before this */
	u32 unnotified;			/* SSDC_E_UNNOTIFIED pages */
	int error;
	struct list_head requests;	/* FLUSH requests that it serves */
};

/* A page that was evicted. */
struct ssdc_evicted {
	u16 print;			/* its fingerprint */
	u16 time;
};

/* The last evictions. Private to thrash.c. */
struct ssdc_thrash {
	struct ssdc_evicted *slots;
	u16 *entered;			/* when the frame's page entered */
	u32 nr_slots;
	u32 slot_hand;			/* next slot and frame to expire */
	u32 frame_hand;
	u32 grain;			/* log2 of evictions that count as one time */
	u16 memory;			/* how long an eviction is remembered */
	u16 now;
	u64 evicted;			/* pages in all, of which @now is made */
};

/*
 * Page reads and writes under way, by unit and by channel of the declared geometry. A new
 * geometry is taken over when nothing is under way. Private to view.c.
 */
struct ssdc_units {
	u32 nr;
	u32 channels;
	u32 busy;			/* units with something under way */
	u32 busy_channels;
	u32 total;			/* pages, over all units */
	u32 depth[SSDC_MAX_UNITS];
	u32 channel_depth[SSDC_MAX_UNITS];
};

/* Evictions remembered for thrash_events, in multiples of the frames. */
#define SSDC_MAX_THRASH_SPAN	64u

struct ssdc_params {
	u64 dram_bytes;
	u64 page_bytes;
	u64 origin_sectors;
	u32 thrash_span;		/* 0: once; at most SSDC_MAX_THRASH_SPAN */
	const char *replacement;	/* specs */
	const char *admission;
	const char *prefetch;
	struct ssdc_core_tunables tunables;
};

struct ssdc_engine {
	struct ssdc_tier tier;		/* what plug-ins see */

	/* Geometry: fixed from create to destroy. */
	u32 mask_bytes;			/* of one sector mask */
	u32 hash_shift;
	u64 origin_sectors;

	/* Page directory. */
	struct ssdc_entry *entries;
	ssdc_frame_t *buckets;
	u8 *valid;			/* a bit per sector: the frame holds it */
	u8 *dirty;			/* a bit per sector: newer than the origin's */
	unsigned long *dirty_frames;	/* a bit per frame: dirty, or SSDC_E_UNNOTIFIED */
	struct ssdc_queue free;		/* in the order in which they became so */
	u32 nr_free;
	u32 nr_fresh;			/* frames from here on were never used */

	struct ssdc_replacement *replacement;
	struct ssdc_replacement *draining;	/* the policy before, while pages move over */
	u16 generation;			/* SSDC_E_GENERATION as of entries of @replacement */
	struct ssdc_admission *admission;
	struct ssdc_prefetch *prefetch;
	struct ssdc_core_tunables tunables;

	struct ssdc_list prefetched;	/* see prefetch.c */
	u32 prefetch_inflight;		/* of these, reads in flight */
	u64 saved_us;			/* as of ssdc_update_stats() */

	/* The load of the origin: asked from it if it can answer, else counted here. */
	const struct ssdc_device_ops *device_ops;
	void *device;
	struct ssdc_units units;
	struct ssdc_view view;		/* as of the last ssdc_update_view() */

	/* Requests that wait, and those that may go on. */
	struct list_head ready;
	struct list_head frame_waiters;
	struct list_head page_waiters[SSDC_WAIT_BUCKETS];
	struct list_head sync_waiters;
	struct list_head discards;	/* in flight */
	u64 next_id;
	u32 stamp;
	u32 host_inflight;
	u32 host_reads;			/* of these, reads */
	u32 device_inflight;
	u32 early_inflight;
	bool early_declined;		/* not to be asked before something comes or ends */
	u64 last_host_ns;

	/* Write-back. */
	struct ssdc_queue fill_queue;
	struct ssdc_queue flush_queue;
	bool flush_turn;		/* whose turn it is, when both have pages */
	u32 turn_pages;			/* pages it had in this turn */
	struct ssdc_sync_pass pass;
	struct ssdc_batch batch;	/* scratch for the policy's answers */
	u32 wanted;			/* frames that waiting requests need */
	u32 granted;			/* free frames set aside for requests */
	u32 nr_victims;			/* SSDC_E_VICTIM pages, whose frames become free */
	u32 evict_failures;		/* failed victim flushes since the last good one */
	u32 flushing_pages;
	u32 failed_pages;
	u32 waiting_requests;
	u32 plain_writes;		/* page writes under way that are not FUA */
	u64 origin_changes;		/* writes, discards that its cache may hold */
	u64 origin_flushed;		/* as many of them as it was flushed of */
	bool frozen;			/* start no I/O that no request asked for */
	u32 retry_pause_ms;
	u64 retry_at_ns;		/* 0: nothing to retry */
	u64 periodic_at_ns;		/* 0: off */
	u64 tick_seen_ns;		/* when admission wants its tick, as of ssdc_background() */
	int first_error;		/* latched -errno of the first failed flush */

	struct ssdc_thrash thrash;
	struct ssdc_core_stats stats;
	struct ssdc_histogram latency[SSDC_NR_OPS];
};

#define SSDC_NEVER U64_MAX

static inline struct ssdc_entry *ssdc_entry(const struct ssdc_engine *e, ssdc_frame_t frame)
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

/* The plug-in of a kind that is in use. */
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

/* Has a plug-in put off work? It is at rest while the device is suspended. */
static inline bool ssdc_step_wanted(const struct ssdc_engine *e)
{
	return (e->replacement->plugin.wants_step || e->admission->plugin.wants_step ||
		e->prefetch->plugin.wants_step) && !e->frozen;
}

#endif /* SSDC_STATE_H */
