// SPDX-License-Identifier: GPL-2.0
/*
 * Create and destroy an engine, do background work, and tell whether there is work or I/O in
 * flight.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../base/alloc.h"
#include "engine.h"
#include "directory.h"
#include "evict.h"
#include "pass.h"
#include "read-ahead.h"
#include "switch.h"
#include "sync.h"
#include "thrash.h"
#include "view.h"
#include "writeback.h"

/* Frames beyond the DRAM tier's pages. */
static u64 reserve(u64 pages, const struct ssdc_params *params)
{
	u32 page_shift = ilog2(params->page_bytes);
	u64 least = min(pages, (u64)SSDC_MIN_RESERVE >> page_shift);
	u64 most = SSDC_MAX_RESERVE >> page_shift;

	if (params->reserve_bytes)
		return max(params->reserve_bytes >> page_shift, least);
	return clamp(pages / SSDC_PAGES_PER_RESERVED, least, most);
}

/**
 * ssdc_nr_frames() - number of frames of a DRAM tier, including the reserve
 * @params: sizes
 *
 * A driver allocates this number of frames; the engine's @tier.nr_frames has the same value.
 *
 * Context: any, without a lock.
 * Return: frames.
 */
u64 ssdc_nr_frames(const struct ssdc_params *params)
{
	u64 pages = params->dram_bytes >> ilog2(params->page_bytes);

	return pages + reserve(pages, params);
}

static u32 mask_bytes(u64 page_bytes)
{
	return page_bytes >> (SSDC_SECTOR_SHIFT + 3);
}

/*
 * A bucket per page of the tier. With the victims that are leaving, the directory has at most two
 * pages per bucket.
 */
static u32 nr_buckets(u64 pages, u64 frames)
{
	return roundup_pow_of_two(max_t(u64, max(pages, frames / 2), SSDC_NEAR_BUCKETS));
}

/* If the origin is overloaded, requests wait for many pages, at most for one per frame. */
static u32 nr_wait_lists(u64 nr_frames)
{
	return clamp_t(u64, roundup_pow_of_two(nr_frames) / SSDC_FRAMES_PER_WAIT_LIST,
		       SSDC_MIN_WAIT_LISTS, SSDC_MAX_WAIT_LISTS);
}

/* Operations whose latencies are counted. */
static u32 nr_latencies(const struct ssdc_params *params)
{
	static_assert(SSDC_READ < 2 && SSDC_WRITE < 2);

	switch (params->latencies) {
	case SSDC_NO_LATENCIES:
		return 0;
	case SSDC_DATA_LATENCIES:
		return 2;
	default:
		return SSDC_NR_OPS;
	}
}

/* Size of the directory, the buffer numbers, the masks and the thrash table. */
static u64 record_bytes(u64 pages, u64 frames, u64 page_bytes)
{
	return frames * (sizeof(struct ssdc_entry) + sizeof(u32)) +
		nr_buckets(pages, frames) * sizeof(ssdc_frame_t) +
		2 * frames * mask_bytes(page_bytes) + frames / 8 + ssdc_thrash_bytes(pages, frames);
}

/**
 * ssdc_engine_bytes() - memory that an engine needs, without the page data and the plug-ins
 * @params: sizes
 *
 * Context: any, without a lock.
 * Return: bytes.
 */
u64 ssdc_engine_bytes(const struct ssdc_params *params)
{
	u64 frames = ssdc_nr_frames(params);
	u64 pages = params->dram_bytes >> ilog2(params->page_bytes);

	return sizeof(struct ssdc_engine) + record_bytes(pages, frames, params->page_bytes) +
		nr_wait_lists(frames) * sizeof(struct list_head) +
		nr_latencies(params) * sizeof(struct ssdc_histogram);
}

/**
 * ssdc_metadata_bytes() - metadata of all pages, including the current policy's
 * @e: engine
 *
 * Return: bytes.
 */
u64 ssdc_metadata_bytes(const struct ssdc_engine *e)
{
	return record_bytes(e->tier.capacity, e->tier.nr_frames,
			    (u64)e->tier.page_sectors << SSDC_SECTOR_SHIFT) +
		(u64)e->tier.nr_frames * e->replacement->plugin.type->info.page_bytes;
}

/**
 * ssdc_page_overhead_bytes() - metadata per page, including the current policy's
 * @e: engine
 *
 * Return: bytes, rounded up.
 */
u32 ssdc_page_overhead_bytes(const struct ssdc_engine *e)
{
	return div_u64(ssdc_metadata_bytes(e) + e->tier.capacity - 1, e->tier.capacity);
}

static int check_spec(enum ssdc_kind kind, const char *spec, struct ssdc_error *error)
{
	struct ssdc_plugin *plugin = ssdc_plugin_create(kind, spec, NULL, error);

	ssdc_plugin_destroy(plugin);
	return plugin ? 0 : -EINVAL;
}

#define SIZE_LEN 24

/* A size as a user may give it, in @buf of SIZE_LEN characters. */
static const char *size_text(u64 bytes, char *buf)
{
	ssdc_print_size(bytes, buf, SIZE_LEN);
	return buf;
}

/**
 * ssdc_params_check() - are the sizes and specs of an engine valid?
 * @params: sizes and specs; @tunables is not checked
 * @error: on failure, names the bad value and the valid ones
 *
 * Context: may sleep; the lock of the list of types (registry.c).
 * Return: 0 or -EINVAL.
 */
int ssdc_params_check(const struct ssdc_params *params, struct ssdc_error *error)
{
	u64 least = SSDC_MIN_FRAMES * params->page_bytes;
	char given[SIZE_LEN], from[SIZE_LEN], to[SIZE_LEN];
	unsigned int kind;
	u64 most;

	if (!is_power_of_2(params->page_bytes) || params->page_bytes < SSDC_MIN_PAGE_BYTES ||
	    params->page_bytes > SSDC_MAX_PAGE_BYTES) {
		scnprintf(error->text, sizeof(error->text),
			  "page: %s is not a power of two from 4k to 64k",
			  size_text(params->page_bytes, given));
		return -EINVAL;
	}
	most = SSDC_MAX_FRAMES * params->page_bytes;
	if (params->dram_bytes < least ||
	    params->dram_bytes >> ilog2(params->page_bytes) > SSDC_MAX_FRAMES) {
		scnprintf(error->text, sizeof(error->text),
			  "dram: %s is not from %s (%u pages) to %s",
			  size_text(params->dram_bytes, given), size_text(least, from),
			  SSDC_MIN_FRAMES, size_text(most, to));
		return -EINVAL;
	}
	most -= min(most, params->dram_bytes);
	if (params->reserve_bytes > most) {
		scnprintf(error->text, sizeof(error->text),
			  "reserve: %s is more than %s beside dram",
			  size_text(params->reserve_bytes, given), size_text(most, to));
		return -EINVAL;
	}
	if (!params->origin_sectors) {
		scnprintf(error->text, sizeof(error->text), "origin: is empty");
		return -EINVAL;
	}
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		if (check_spec(kind, ssdc_params_spec(params, kind), error))
			return -EINVAL;
	return 0;
}

static int alloc_latencies(struct ssdc_engine *e, const struct ssdc_params *params)
{
	e->nr_latencies = nr_latencies(params);
	if (!e->nr_latencies)
		return 0;
	e->latency = ssdc_alloc_array(e->nr_latencies, sizeof(*e->latency));
	return e->latency ? 0 : -ENOMEM;
}

static int alloc_directory(struct ssdc_engine *e, u32 thrash_span)
{
	u32 buckets = nr_buckets(e->tier.capacity, e->tier.nr_frames);
	u32 i;

	e->hold_work = SSDC_HOLD_WORK;
	ssdc_pass_init(e);
	e->nr_wait_lists = nr_wait_lists(e->tier.nr_frames);
	e->entries = ssdc_alloc_array(e->tier.nr_frames, sizeof(*e->entries));
	e->buckets = ssdc_alloc_array(buckets, sizeof(*e->buckets));
	e->buffers = ssdc_alloc_array(e->tier.nr_frames, sizeof(*e->buffers));
	e->valid = ssdc_alloc_array(e->tier.nr_frames, e->mask_bytes);
	e->dirty = ssdc_alloc_array(e->tier.nr_frames, e->mask_bytes);
	e->dirty_frames = ssdc_alloc_array(BITS_TO_LONGS(e->tier.nr_frames), sizeof(long));
	e->page_waiters = ssdc_alloc_array(e->nr_wait_lists, sizeof(*e->page_waiters));
	if (!e->entries || !e->buckets || !e->buffers || !e->valid || !e->dirty ||
	    !e->dirty_frames || !e->page_waiters)
		return -ENOMEM;
	for (i = 0; i < e->tier.nr_frames; i++)
		e->buffers[i] = i;
	for (i = 0; i < buckets; i++)
		e->buckets[i] = SSDC_NO_FRAME;
	for (i = 0; i < e->nr_wait_lists; i++)
		INIT_LIST_HEAD(&e->page_waiters[i]);
	if (ssdc_thrash_alloc(e, thrash_span ? thrash_span : 1))
		return -ENOMEM;
	e->hash_shift = 64 - ilog2(buckets);
	e->nr_free = e->tier.nr_frames;
	return 0;
}

/* On failure, ssdc_engine_destroy() destroys the plug-ins that were created. */
static int create_plugins(struct ssdc_engine *e, const struct ssdc_params *params,
			  struct ssdc_error *error)
{
	e->replacement = (struct ssdc_replacement *)
		ssdc_plugin_create(SSDC_REPLACEMENT, params->replacement, &e->tier, error);
	if (!e->replacement)
		return -EINVAL;
	e->admission = (struct ssdc_admission *)
		ssdc_plugin_create(SSDC_ADMISSION, params->admission, &e->tier, error);
	if (!e->admission)
		return -EINVAL;
	e->prefetch = (struct ssdc_prefetch *)
		ssdc_plugin_create(SSDC_PREFETCH, params->prefetch, &e->tier, error);
	if (!e->prefetch)
		return -EINVAL;
	ssdc_plugins_changed(e);
	return 0;
}

static void init_lists(struct ssdc_engine *e)
{
	INIT_LIST_HEAD(&e->ready);
	INIT_LIST_HEAD(&e->frame_waiters);
	INIT_LIST_HEAD(&e->debtors);
	INIT_LIST_HEAD(&e->sync_waiters);
	INIT_LIST_HEAD(&e->stability.waiters);
	INIT_LIST_HEAD(&e->discards);
	INIT_HLIST_HEAD(&e->origin_reads);
	INIT_LIST_HEAD(&e->read_waiters);
	INIT_LIST_HEAD(&e->discard_waiters);
	INIT_LIST_HEAD(&e->pass.requests);
	ssdc_queue_init(&e->free);
	ssdc_queue_init(&e->fill_queue);
	ssdc_queue_init(&e->flush_queue);
	ssdc_list_init(&e->prefetched);
}

/**
 * ssdc_engine_create() - create an engine
 * @params: sizes, specs and tunables; the engine keeps no pointer to it
 * @error: on failure, says why in one line
 *
 * The driver may call ssdc_set_device() next, and must call ssdc_tunables_changed() to start the
 * periodic flush.
 *
 * Context: may sleep; the lock of the list of types (registry.c).
 * Return: the engine, owned by the caller; NULL on failure.
 */
struct ssdc_engine *ssdc_engine_create(const struct ssdc_params *params, struct ssdc_error *error)
{
	struct ssdc_engine *e;

	if (ssdc_params_check(params, error))
		return NULL;
	e = kvzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		goto no_memory;
	e->tier.page_sectors = params->page_bytes >> SSDC_SECTOR_SHIFT;
	e->tier.page_shift = ilog2(e->tier.page_sectors);
	e->mask_bytes = mask_bytes(params->page_bytes);
	e->tier.capacity = params->dram_bytes >> ilog2(params->page_bytes);
	e->tier.nr_frames = ssdc_nr_frames(params);
	e->reserve_bytes = (e->tier.nr_frames - e->tier.capacity) * params->page_bytes;
	e->origin_sectors = params->origin_sectors;
	e->nr_shards = params->nr_shards ? params->nr_shards : 1;
	e->shard = params->shard;
	e->region_shift = ilog2(params->region_sectors ? params->region_sectors :
				SSDC_REGION_SECTORS);
	e->tunables = params->tunables;
	init_lists(e);
	ssdc_update_view(e);
	if (alloc_latencies(e, params) || alloc_directory(e, params->thrash_span))
		goto no_memory;
	if (create_plugins(e, params, error)) {
		ssdc_engine_destroy(e);
		return NULL;
	}
	return e;

no_memory:
	ssdc_engine_destroy(e);
	scnprintf(error->text, sizeof(error->text),
		  "no memory: %llu bytes are needed to keep track of the DRAM tier",
		  (unsigned long long)ssdc_engine_bytes(params));
	return NULL;
}

/**
 * ssdc_engine_destroy() - free an engine and its plug-ins
 * @e: engine without requests and I/O in flight, or NULL; dirty pages are lost
 *
 * Context: may sleep; the caller has the only reference.
 */
void ssdc_engine_destroy(struct ssdc_engine *e)
{
	if (!e)
		return;
	ssdc_plugin_destroy((struct ssdc_plugin *)e->draining);
	ssdc_plugin_destroy((struct ssdc_plugin *)e->replacement);
	ssdc_plugin_destroy((struct ssdc_plugin *)e->admission);
	ssdc_plugin_destroy((struct ssdc_plugin *)e->prefetch);
	ssdc_thrash_free(e);
	kvfree(e->latency);
	kvfree(e->page_waiters);
	kvfree(e->dirty_frames);
	kvfree(e->dirty);
	kvfree(e->valid);
	kvfree(e->buffers);
	kvfree(e->buckets);
	kvfree(e->entries);
	kvfree(e);
}

/* Call the admission scheme's tick() if it is due. Returns when to call again. */
static u64 admission_tick(struct ssdc_engine *e, u64 now_ns)
{
	struct ssdc_admission *a = e->admission;

	if (a->tick_at_ns && now_ns >= a->tick_at_ns)
		ssdc_admission_ops(a)->tick(a, now_ns);
	e->tick_seen_ns = a->tick_at_ns;
	return a->tick_at_ns ? a->tick_at_ns : SSDC_NEVER;
}

/* Run one background step of each plug-in with deferred work. Returns when to call again. */
static u64 plugin_steps(struct ssdc_engine *e)
{
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS && ssdc_step_wanted(e); kind++) {
		struct ssdc_plugin *plugin = ssdc_current_plugin(e, kind);

		if (!plugin->wants_step)
			continue;
		plugin->wants_step = plugin->type->step(plugin);
		e->stats.plugin_steps++;
	}
	return ssdc_step_wanted(e) ? 0 : SSDC_NEVER;
}

/* Flush early if the policy may. If not, forget the batch in progress. */
static u64 early(struct ssdc_engine *e, u64 now_ns)
{
	if (ssdc_early_wanted(e))
		return ssdc_early(e, now_ns);
	e->early_pages = 0;
	e->early_timed = false;
	return SSDC_NEVER;
}

/* Has ssdc_background() anything to do, now or at a later time? */
static inline bool has_background(const struct ssdc_engine *e)
{
	return ssdc_is_evicting(e) || e->admission->tick_at_ns || !ssdc_sync_rests(e) ||
		ssdc_early_wanted(e) || ssdc_step_wanted(e) || e->excess || e->prefetch->nr_wants;
}

/*
 * Must the tier shrink to its size again? All evictions for that are one step: if pages that cannot
 * be flushed returned in between, a policy could name them for ever.
 */
static bool shrinks(const struct ssdc_engine *e)
{
	return e->excess && !e->frozen;
}

/* There is background work: see ssdc_background(). */
static noinline u64 background(struct ssdc_engine *e, u64 now_ns)
{
	u64 tick_ns, sync_ns, early_ns, step_ns;

	/* Rare: nearly always, the request that needs the room accounts for the rest of a batch. */
	if (ssdc_is_evicting(e)) {
		ssdc_evict_rest(e);
		return shrinks(e) ? SSDC_GO_ON : 0;
	}
	tick_ns = admission_tick(e, now_ns);
	sync_ns = ssdc_sync_rests(e) ? SSDC_NEVER : ssdc_sync_step(e, now_ns);
	if (sync_ns == SSDC_GO_ON)
		return SSDC_GO_ON;
	early_ns = early(e, now_ns);
	if (early_ns == SSDC_GO_ON)
		return SSDC_GO_ON;
	step_ns = plugin_steps(e);

	if (shrinks(e))
		ssdc_evict_excess(e);
	if (e->prefetch->nr_wants && !ssdc_is_evicting(e))
		ssdc_prefetch_step(e);
	if (shrinks(e))
		return SSDC_GO_ON;
	if (ssdc_is_evicting(e))
		return 0;
	return min(min(tick_ns, sync_ns), min(early_ns, step_ns));
}

/**
 * ssdc_background() - do a bounded step of all background work
 * @e: engine
 * @now_ns: current time
 *
 * Background work is sync passes, early flushes, prefetching, and ticks and steps of plug-ins. Call
 * this function after each change of state that ssdc_has_work() reports, and at the time that its
 * last call returned.
 *
 * Return: when to call again, in ns. 0: at once, but drop the lock first. SSDC_NEVER: only after
 * the next event. SSDC_GO_ON: a step is not over; drop the lock for an instant, and call again
 * before any I/O starts.
 */
u64 ssdc_background(struct ssdc_engine *e, u64 now_ns)
{
	if (!has_background(e)) {
		e->tick_seen_ns = 0;
		e->early_pages = 0;
		e->early_timed = false;
		return SSDC_NEVER;
	}
	return background(e, now_ns);
}

/**
 * ssdc_has_work() - is there work for the driver's worker?
 * @e: engine
 *
 * Return: true if ssdc_next_ready(), ssdc_next_io() or ssdc_background() has work now.
 */
bool ssdc_has_work(const struct ssdc_engine *e)
{
	return ssdc_has_queued(e) || ssdc_sync_wants_step(e) || ssdc_early_due(e) ||
		ssdc_prefetch_ready(e) || ssdc_step_wanted(e) ||
		(e->evicts && (ssdc_is_evicting(e) || !e->frozen)) ||
		e->admission->tick_at_ns != e->tick_seen_ns;
}

/**
 * ssdc_freeze() - stop or resume the work that no request asked for, for suspend
 * @e: engine
 * @frozen: true: start no early flush, periodic flush, retry, prefetch or background step; false:
 *	start them again
 *
 * I/O in flight and running sync passes continue: see ssdc_io_pending().
 */
void ssdc_freeze(struct ssdc_engine *e, bool frozen)
{
	e->frozen = frozen;
}

/**
 * ssdc_io_pending() - is any I/O queued or in flight?
 * @e: engine
 *
 * Return: true if ssdc_next_ready() or ssdc_next_io() has work, I/O is in flight, a request of the
 * driver's own is in progress, or pages are being marked for a second write.
 */
bool ssdc_io_pending(const struct ssdc_engine *e)
{
	return ssdc_has_queued(e) || e->device_inflight || e->pass.active || e->own_inflight ||
		!list_empty(&e->sync_waiters) || e->stability.rewriting || ssdc_is_evicting(e);
}

/**
 * ssdc_quiescent() - is the engine at rest?
 * @e: engine
 *
 * Return: true if no request is in progress, no fill or flush is queued or in flight, and none
 * starts before the next request, except by the timers of periodic flush, retry and tick. An early
 * flush that waits for an idle host is yet to come.
 */
bool ssdc_quiescent(const struct ssdc_engine *e)
{
	return !e->host_inflight && !e->device_inflight && !e->pass.active && !ssdc_has_work(e) &&
		!ssdc_early_wanted(e);
}

/**
 * ssdc_inherit_errors() - let an engine report the error that another engine has not reported
 * @e: engine that takes the place of @old
 * @old: engine at rest
 *
 * If a FLUSH failed in @old, and no host FLUSH has reported the error, the next host FLUSH of @e
 * does.
 */
void ssdc_inherit_errors(struct ssdc_engine *e, const struct ssdc_engine *old)
{
	if (!old->stability.unreported)
		return;
	e->stability.unreported = old->stability.unreported;
	e->first_error = old->first_error;
}
