/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadows: what would the hit ratio be with other policies, and with more or less DRAM?
 *
 * A shadow is an engine without data and without I/O. It runs the code of the policies on those
 * requests of the live engine that go to a hashed sample of the addresses. Its tier is smaller in
 * the same proportion: miniature simulation [Waldspurger17]. The sample consists of whole regions,
 * because policies that use blocks, batches or patterns need neighbouring pages.
 *
 *	driver					shadows
 *	ssdc_shadows_feed() ------------------>	keep the parts in sampled regions, in a ring
 *	ssdc_shadows_pass() ------------------>	count requests that have no such part
 *	ssdc_shadows_step() ------------------>	run some of them through each shadow
 *	ssdc_shadows_update() ---------------->	hit ratios
 *
 * Nothing is allocated after creation. A driver that has no shadows keeps NULL.
 *
 * Context: the ring has one writer and one reader, which need not exclude each other. Callers of
 * ssdc_shadows_feed() and ssdc_shadows_pass() exclude each other. Callers of all other functions
 * that take shadows exclude each other, too. In the kernel, two locks of the driver do this,
 * neither of which is the live engine's. Creation and destruction may sleep and need no lock.
 */
#ifndef SSDC_SHADOW_H
#define SSDC_SHADOW_H

#include <linux/compiler.h>
#include "../engine/engine.h"
#include "dies.h"

#define SSDC_SHADOW_MAX_CANDIDATES	512u		/* 46 policies, each with 11 schemes */
#define SSDC_SHADOW_MAX_SIZES		16u
#define SSDC_SHADOW_MAX_RING		1048576u
#define SSDC_SHADOW_WHOLE		1000000u	/* a rate of all addresses */
#define SSDC_SHADOW_RATE		50000u		/* default of @rate_ppm */
#define SSDC_SHADOW_REGION		(1024u * 1024)	/* default of @region_bytes */
#define SSDC_SHADOW_RING		4096u		/* default of @ring_records */
#define SSDC_SHADOW_PAGES		256u		/* default of @least_pages */
#define SSDC_SHADOW_WINDOW		16384u		/* default of @window_pages */
#define SSDC_SHADOW_FEW_REGIONS		30u		/* a sample of fewer says little */

struct ssdf_params;

/**
 * struct ssdc_shadow_candidate - policies whose hit ratio is to be estimated
 * @replacement: spec
 * @admission: spec
 */
struct ssdc_shadow_candidate {
	const char *replacement;
	const char *admission;
};

/**
 * struct ssdc_shadow_params - parameters of shadows
 * @live: parameters of the live engine; the prefetcher is not used
 * @candidates: an array; the shadows copy the specs
 * @nr_candidates: length of @candidates
 * @sizes_percent: sizes of the tier, in percent of the live tier
 * @nr_sizes: number of sizes
 * @rate_ppm: sampled addresses, per million; SSDC_SHADOW_WHOLE: all
 * @region_bytes: size of the regions that are sampled: a power of two, not smaller than a page
 * @ring_records: requests that wait to be run, a power of two
 * @least_pages: a shadow whose tier would have fewer pages has a higher rate
 * @window_pages: page accesses of the live engine after which a new window begins
 * @read_ns: time of a page read of the origin
 * @write_ns: time of a page write
 * @flush_ns: time of a FLUSH
 * @chips: chips per channel; the tunables of @live have the channels, and the dies per chip
 * @queues: the origin is flash: its units are dies, which work on one page per plane at a time.
 *	Otherwise, units work on any number of pages, and the fields from @planes to @transfer_ns
 *	are not used
 * @planes: planes per die
 * @multi_plane: planes of a die work together
 * @static_places: a write goes to the die that the page number selects; otherwise to the die with
 *	the least work
 * @flash_page_bytes: size of a flash page, to which @read_ns and @write_ns refer
 * @commands: flash pages that can be in progress
 * @transfer_ns: the part of @read_ns and of @write_ns during which the page occupies the channel
 * @closed: let all work for a request end before the next one starts, and ignore times
 * @plain: without references: estimates are not corrected
 */
struct ssdc_shadow_params {
	const struct ssdc_params *live;
	const struct ssdc_shadow_candidate *candidates;
	u32 nr_candidates;
	const u32 *sizes_percent;
	u32 nr_sizes;
	u32 rate_ppm;
	u32 region_bytes;
	u32 ring_records;
	u32 least_pages;
	u32 window_pages;
	u64 read_ns;
	u64 write_ns;
	u64 flush_ns;
	u32 chips;
	bool queues;
	u32 planes;
	bool multi_plane;
	bool static_places;
	u32 flash_page_bytes;
	u32 commands;
	u64 transfer_ns;
	bool closed;
	bool plain;
};

/* A part of a request, or a whole request without data. */
struct ssdc_shadow_record {
	u64 time_ns;
	u64 sector;
	u64 nr_sectors;
	u8 op;			/* enum ssdc_op */
	bool fua;
};

/* Counters of a shadow's engine. */
struct ssdc_shadow_counters {
	u64 read_pages;
	u64 read_hits;
	u64 write_pages;
	u64 write_hits;
	u64 evicted_pages;
	u64 flushed_pages;
};

/*
 * Statistics of one shadow, brought up to date by ssdc_shadows_update(); see
 * ssdc_shadow_stat_table.
 */
struct ssdc_shadow_stats {
	u32 size_percent;
	u32 rate_ppm;
	u32 pages;
	u64 accesses;
	u64 hits;
	u64 sampled_ppm;
	u64 hit_ppm;
	u64 window_ppm;
	u64 smoothed_ppm;
	u64 windows;
	struct ssdc_shadow_counters counters;
	u64 response_ns;
	u64 memory_bytes;
};

/* Statistics of all shadows together; see ssdc_shadows_stat_table. */
struct ssdc_shadows_stats {
	u64 requests;
	u64 accesses;
	u64 records;
	u64 dropped;
	u64 queued;
	u64 memory_bytes;
};

/* A request in progress in a shadow. */
struct ssdc_shadow_request {
	struct ssdc_request rq;
	struct list_head node;		/* free */
};

/* The kind of I/O, which says what ends with its modelled time. */
enum ssdc_shadow_io_kind {
	SSDC_SHADOW_PAGE,
	SSDC_SHADOW_READ,
	SSDC_SHADOW_BYPASS,
	SSDC_SHADOW_FORWARD,
};

struct ssdc_shadow_io {
	/*
	 * The node of @job links free records, or I/O in flight in the order of its end, or belongs
	 * to the dies.
	 */
	struct ssdc_dies_job job;
	u64 end_ns;
	struct ssdc_shadow_io *merged;	/* the next page of the same I/O */
	enum ssdc_shadow_io_kind kind;
	union {
		struct ssdc_io io;
		struct {
			struct ssdc_segment seg;
			struct ssdc_shadow_request *request;
		};
	};
};

/*
 * The modelled origin, which sees only some of the live engine's I/O.
 *
 * Units without queues never make an I/O wait; policies only see whether they are busy. A page
 * keeps a unit busy for its own time divided by the rate, so the units are as busy as those of the
 * live origin.
 *
 * Dies keep true time. Otherwise, the pages of a batch, which are neighbours and so in the sample
 * together, would wait for each other too long, by the inverse of the rate. I/O outside the sample
 * makes nothing wait; see auto/decide.c.
 */
struct ssdc_shadow_origin {
	u64 read_ns;
	u64 write_ns;
	u64 flush_ns;
	bool queues;
	struct ssdc_dies dies;		/* @queues */

	/* From here on, fields that are used without @queues. */
	u64 read_busy_ns;
	u64 write_busy_ns;
	u32 channels;
	u32 dies_per_chip;
	u32 units;
	u64 *busy_until_ns;		/* by unit */
	u64 all_idle_ns;		/* the latest of @busy_until_ns */
};

/* Page accesses, and the number that found their page. */
struct ssdc_shadow_count {
	u64 accesses;
	u64 hits;
};

struct ssdc_shadow {
	struct ssdc_engine *e;
	u32 candidate;
	u64 threshold;			/* regions with smaller hashes are sampled, out of 2^32 */
	u64 now_ns;
	u64 begun_ns;			/* when the last request arrived */
	u64 wake_ns;
	u64 idle_ns;			/* when to ask a policy again that saw too few idle units */
	bool closed;
	bool unsettled;			/* something has happened since the last background work */
	struct ssdc_shadow_origin origin;
	struct ssdc_shadow_request *running;
	struct ssdc_shadow_io *next_page;	/* did not join the previous I/O; starts next */
	struct ssdc_shadow_request *requests;
	struct ssdc_shadow_io *ios;
	struct list_head free_requests;
	struct list_head free_ios;
	struct list_head in_flight;
	u32 reference;			/* the live policies at the same rate */
	bool is_live;			/* has the live policies and size: exact while attached */
	bool is_corrected;		/* see ssdc_shadows_update() */
	struct ssdc_shadow_count window;	/* as the current window began */
	struct ssdc_shadow_counters zero;	/* at the last reset of @stats */
	struct ssdc_shadow_stats stats;
};

struct ssdc_shadows {
	u32 page_shift;
	u32 region_shift;
	u64 threshold;			/* the largest of all shadows */
	u32 window_pages;
	char *specs;
	struct ssdc_shadow_candidate *candidates;	/* point into @specs */
	u32 nr_candidates;
	u32 nr_sizes;
	struct ssdc_shadow *shadows;	/* by candidate, then by size; then the references */
	u32 nr;
	u32 nr_references;		/* at the end of @shadows: see ssdc_shadows_update() */

	const struct ssdc_engine *live;	/* NULL: not known, or has other policies by now */
	struct ssdc_shadow_count start;	/* of @live, when the shadows began, or at a reset */
	struct ssdc_shadow_count window;	/* of @live, when the current window began */
	u32 window_start;		/* @accesses when the current window began */
	u32 accesses;			/* low bits of @stats.accesses, for concurrent readers */

	/* Regions of the sample: their smallest hashes, ascending. Not used without references. */
	u32 regions[SSDC_SHADOW_FEW_REGIONS];
	u32 nr_regions;

	struct ssdc_shadow_record *ring;
	u32 ring_mask;
	u32 head;			/* next to write: ssdc_shadows_feed() alone changes it */
	u32 tail;			/* next to read: ssdc_shadows_step_to() alone changes it */
	bool fed;
	u64 start_ns;			/* of the first request that was fed: the shadows' time 0 */

	u32 current_shadow;		/* runs the record at @tail */
	u64 current_done;		/* sectors of that record which this shadow has begun */
	struct ssdc_shadows_stats stats;	/* @queued by update, the others by feed */
};

/*
 * Slots of a shadow, within these bounds: for I/O, one for each frame, including the reserve; for
 * requests, half as many. With fewer slots, a hit would wait behind requests that wait for a busy
 * origin. If I/O does not wait for other I/O, few slots are enough.
 */
#define SSDC_SHADOW_MIN_REQUESTS	16u
#define SSDC_SHADOW_MIN_IOS		64u
#define SSDC_SHADOW_MAX_SLOTS		4096u
#define SSDC_SHADOW_FEW_SLOTS		256u

extern const struct ssdc_stat ssdc_shadow_stat_table[];
extern const unsigned int ssdc_nr_shadow_stats;
extern const struct ssdc_stat ssdc_shadows_stat_table[];
extern const unsigned int ssdc_nr_shadows_stats;

int ssdc_shadow_params_check(const struct ssdc_shadow_params *params, struct ssdc_error *error);
struct ssdc_shadows *ssdc_shadows_create(const struct ssdc_shadow_params *params,
					 struct ssdc_error *error);
void ssdc_shadow_of_flash(struct ssdc_shadow_params *params, struct ssdc_params *live,
			  const struct ssdf_params *flash);
void ssdc_shadows_destroy(struct ssdc_shadows *s);
void ssdc_shadows_attach(struct ssdc_shadows *s, const struct ssdc_engine *live);
void ssdc_shadows_detach(struct ssdc_shadows *s);
void ssdc_shadows_append(struct ssdc_shadows *s, enum ssdc_op op, u64 sector, u64 nr_sectors,
			 bool fua, u64 now_ns);
bool ssdc_shadows_step(struct ssdc_shadows *s, u32 budget);
bool ssdc_shadows_step_to(struct ssdc_shadows *s, u32 head, u32 *budget);
u64 ssdc_shadow_flushed(const struct ssdc_shadow *shadow);
void ssdc_shadows_set_times(struct ssdc_shadows *s, u64 read_ns, u64 write_ns);
void ssdc_shadows_update(struct ssdc_shadows *s);
void ssdc_shadows_reset_stats(struct ssdc_shadows *s);
bool ssdc_shadow_is_uncertain(const struct ssdc_shadows *s, const struct ssdc_shadow *shadow);

/* Records that wait in the ring. */
static inline u32 ssdc_shadows_queued(const struct ssdc_shadows *s)
{
	return READ_ONCE(s->head) - READ_ONCE(s->tail);
}

/*
 * A well mixed number of 32 bits. The sample at one rate is part of the sample at any higher rate.
 */
static inline u32 ssdc_shadow_hash(u64 region)
{
	region *= 0x9E3779B97F4A7C15ULL;
	region ^= region >> 32;
	region *= 0xD6E8FEB86659FD93ULL;
	return region >> 32;
}

/*
 * Is no part of a request in a sample? The answer is a quick no if the request touches several
 * regions.
 */
static inline bool ssdc_shadow_passes(enum ssdc_op op, u64 sector, u64 nr_sectors, u32 region_shift,
				      u64 threshold)
{
	return (op == SSDC_READ || op == SSDC_WRITE) &&
		!((sector ^ (sector + nr_sectors - 1)) >> region_shift) &&
		ssdc_shadow_hash(sector >> region_shift) >= threshold;
}

/* Pages that a read or write touches. */
static inline u64 ssdc_shadow_accesses(u64 sector, u64 nr_sectors, u32 page_shift)
{
	return ((sector + nr_sectors - 1) >> page_shift) - (sector >> page_shift) + 1;
}

/**
 * ssdc_shadows_pass() - requests of the live engine arrived, and no part of them is in the sample
 * @s: shadows, not NULL
 * @requests: their number; the very first request must be fed
 * @accesses: pages that they touch
 *
 * Context: as for ssdc_shadows_feed().
 */
static inline void ssdc_shadows_pass(struct ssdc_shadows *s, u64 requests, u64 accesses)
{
	s->stats.requests += requests;
	s->stats.accesses += accesses;
	WRITE_ONCE(s->accesses, (u32)s->stats.accesses);
}

/**
 * ssdc_shadows_feed() - a request of the live engine arrived
 * @s: shadows, not NULL
 * @op: operation
 * @sector: start
 * @nr_sectors: length; a discard that the live engine would narrow has been narrowed
 * @fua: a write with FUA
 * @now_ns: current time
 *
 * O(regions that the request touches): one hash for each. A FLUSH or discard is kept whole: a FLUSH
 * concerns all pages, and a discard those that a shadow has. The shadows' clock starts with the
 * first request, so their results do not depend on the time of its arrival. Inline: in the
 * simulator, every request comes here.
 *
 * Context: the I/O path; callers exclude each other.
 */
static inline void ssdc_shadows_feed(struct ssdc_shadows *s, enum ssdc_op op, u64 sector,
				     u64 nr_sectors, bool fua, u64 now_ns)
{
	bool is_data = op == SSDC_READ || op == SSDC_WRITE;

	if (unlikely(!s->fed)) {
		s->fed = true;
		s->start_ns = now_ns;
	}
	ssdc_shadows_pass(s, 1, is_data ? ssdc_shadow_accesses(sector, nr_sectors, s->page_shift) :
					  0);
	if (!ssdc_shadow_passes(op, sector, nr_sectors, s->region_shift, s->threshold))
		ssdc_shadows_append(s, op, sector, nr_sectors, fua, now_ns);
}

#endif /* SSDC_SHADOW_H */
