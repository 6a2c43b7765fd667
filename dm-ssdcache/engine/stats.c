// SPDX-License-Identifier: GPL-2.0
/* The engine's own tunables and statistics; base/describe.h explains the tables. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "engine.h"
#include "view.h"

static const char *const dram_modes[] = { "volatile", "protected", NULL };
static const char *const evict_waits[] = { "batch", "frame", NULL };

#define TUNABLE(member) offsetof(struct ssdc_core_tunables, member)

const struct ssdc_tunable ssdc_core_tunable_table[] = {
	{ "dram_mode", "", "volatile: FLUSH and FUA reach the origin; protected: DRAM is stable",
	  TUNABLE(dram_mode), SSDC_VOLATILE, 0, 0, dram_modes },
	{ "idle_us", "us", "time without host requests after which the device counts as idle",
	  TUNABLE(idle_us), 0, 0, 60000000, NULL },
	{ "flush_interval_s", "s", "flush all dirty pages this often; 0: never",
	  TUNABLE(flush_interval_s), 0, 0, 86400, NULL },
	{ "retry_ms", "ms", "first pause after a failed flush; doubles up to 64 times that",
	  TUNABLE(retry_ms), 100, 1, 60000, NULL },
	{ "channels", "", "channels of the origin, for the estimated view",
	  TUNABLE(channels), 4, 1, 1024, NULL },
	{ "dies", "", "dies per chip of the origin, for the estimated view",
	  TUNABLE(dies), 2, 1, 64, NULL },
	{ "alpha_us", "us", "time that a page read saves if it hits, for saved_us and pattern-plus",
	  TUNABLE(alpha_us), 74, 1, 1000000, NULL },
	{ "beta_us", "us", "time that a page write saves if it hits, for saved_us and pattern-plus",
	  TUNABLE(beta_us), 1999, 1, 1000000, NULL },
	{ "evict_wait", "", "a request waits for all pages that it evicts, or for its frames",
	  TUNABLE(evict_wait), SSDC_WAIT_BATCH, 0, 0, evict_waits },
};

const unsigned int ssdc_nr_core_tunables = ARRAY_SIZE(ssdc_core_tunable_table);

const char *const ssdc_op_names[SSDC_NR_OPS] = {
	[SSDC_READ] = "read",
	[SSDC_WRITE] = "write",
	[SSDC_FLUSH] = "flush",
	[SSDC_DISCARD] = "discard",
};

#define COUNTER(member, name, unit, doc) \
	SSDC_STAT(struct ssdc_engine, stats.member, name, unit, SSDC_COUNTER, doc)
#define GAUGE(member, name, unit, doc) \
	SSDC_STAT(struct ssdc_engine, member, name, unit, SSDC_GAUGE, doc)

const struct ssdc_stat ssdc_core_stat_table[] = {
	COUNTER(requests[SSDC_READ], "reads", "requests", "host reads"),
	COUNTER(requests[SSDC_WRITE], "writes", "requests", "host writes"),
	COUNTER(requests[SSDC_FLUSH], "flushes", "requests", "host FLUSH requests"),
	COUNTER(requests[SSDC_DISCARD], "discards", "requests",
		"host requests to discard, write zeroes or erase securely"),
	COUNTER(fua_writes, "fua_writes", "requests", "host writes with FUA"),
	COUNTER(read_bytes, "read_bytes", "bytes", "read by the host"),
	COUNTER(write_bytes, "write_bytes", "bytes", "written by the host"),
	COUNTER(read_pages, "read_pages", "pages", "page accesses by host reads"),
	COUNTER(read_hits, "read_hits", "pages",
		"page reads served from DRAM at once, but for victims"),
	COUNTER(write_pages, "write_pages", "pages", "page accesses by host writes"),
	COUNTER(write_hits, "write_hits", "pages", "page writes that found their page in DRAM"),
	COUNTER(write_absorbed, "write_absorbed", "pages",
		"page writes for which no eviction was started"),
	COUNTER(evictions, "evictions", "batches", "batches of victims that policies chose"),
	COUNTER(evicted_pages, "evicted_pages", "pages", "victims, clean and dirty"),
	COUNTER(evicted_clean, "evicted_clean", "pages", "victims that needed no flush"),
	COUNTER(thrash_events, "thrash_events", "pages",
		"evicted pages that entered again while a page within 4 pages stayed [Sha23]"),
	COUNTER(early_flushes, "early_flushes", "batches", "early-flush batches"),
	COUNTER(flushed_pages[SSDC_FLUSH_EVICT], "batch_flushed", "pages",
		"flushed for eviction"),
	COUNTER(flushed_pages[SSDC_FLUSH_EARLY], "early_flushed", "pages",
		"flushed early, usually while the device was idle"),
	COUNTER(flushed_pages[SSDC_FLUSH_FORCED], "forced_flushed", "pages",
		"flushed for FLUSH, FUA, suspend or the message flush"),
	COUNTER(flushed_pages[SSDC_FLUSH_PERIODIC], "periodic_flushed", "pages",
		"flushed by the periodic flush (flush_interval_s)"),
	COUNTER(flushed_pages[SSDC_FLUSH_RETRY], "retry_flushed", "pages",
		"flushed by a retry after a failed flush"),
	COUNTER(flushed_pages[SSDC_FLUSH_PAD], "pad_flushed", "pages",
		"written to complete a block of victims"),
	COUNTER(padded_pages, "padded_pages", "pages",
		"read to complete a block of victims"),
	COUNTER(flushed_pages[SSDC_FLUSH_THROUGH], "through_flushed", "pages",
		"written through, as the admission scheme chose"),
	COUNTER(fills, "fills", "pages", "partly valid pages filled before their flush"),
	COUNTER(admitted_reads, "admitted_reads", "pages",
		"missed pages that entered DRAM for a read"),
	COUNTER(bypassed_reads, "bypassed_reads", "requests",
		"reads that bypassed DRAM, one per contiguous range"),
	COUNTER(prefetched_pages, "prefetched_pages", "pages",
		"pages read before the host asked for them"),
	COUNTER(prefetch_hits, "prefetch_hits", "pages",
		"page reads served from prefetched pages at once; also in read_hits"),
	COUNTER(prefetch_late_hits, "prefetch_late_hits", "pages",
		"page reads that waited for a prefetched page in flight"),
	COUNTER(prefetch_unused, "prefetch_unused", "pages",
		"prefetched pages evicted, replaced or written before the host read them"),
	COUNTER(prefetch_errors, "prefetch_errors", "pages",
		"prefetched pages that could not be read; also in read_errors"),
	COUNTER(dropped_pages, "dropped_pages", "pages",
		"dropped from DRAM by discard or drop_clean"),
	COUNTER(sync_passes, "sync_passes", "passes", "sync passes: runs over all dirty pages"),
	COUNTER(frame_waits, "frame_waits", "waits",
		"waits for a free frame, and of requests that end for victims to be flushed"),
	COUNTER(page_waits, "page_waits", "waits",
		"waits for a page's fill, flush or copy, for a discard, or of one for reads"),
	COUNTER(moved_writes, "moved_writes", "pages",
		"page writes that took a free frame, as a flush of the page was in flight"),
	COUNTER(views[SSDC_VIEW_EXACT], "exact_views", "times",
		"decisions of a policy by the view of an ssdflash origin"),
	COUNTER(views[SSDC_VIEW_ESTIMATED], "estimated_views", "times",
		"decisions of a policy by a view estimated from the cache's own I/O"),
	COUNTER(read_errors, "read_errors", "reads", "failed reads of the origin"),
	COUNTER(write_errors, "write_errors", "writes", "failed page writes to the origin"),
	COUNTER(flush_errors, "flush_errors", "requests", "failed FLUSHes of the origin"),
	COUNTER(failed_requests, "failed_requests", "requests", "host requests that failed"),
	COUNTER(plugin_steps, "plugin_steps", "steps",
		"background steps of plug-ins"),
	COUNTER(plugin_step_ns, "plugin_step_ns", "ns",
		"time of background passes with such steps (simulator: only with --time-steps)"),
	GAUGE(reserve_bytes, "reserve_bytes", "bytes",
	      "DRAM besides the tier's, for pages that enter while victims are flushed"),
	GAUGE(tier.used_pages, "used", "pages", "in DRAM now, victims included"),
	GAUGE(tier.dirty_pages, "dirty", "pages", "dirty now"),
	GAUGE(flushing_pages, "flushing", "pages",
	      "being flushed now, and not written since the flush began"),
	GAUGE(failed_pages, "failed", "pages", "dirty pages whose last flush failed"),
	GAUGE(prefetched.count, "prefetched", "pages", "prefetched pages in DRAM or in flight"),
	GAUGE(saved_us, "saved_us", "us",
	      "alpha_us for each of read_hits and beta_us for each of write_hits [Li22]"),
	GAUGE(host_inflight, "host_inflight", "requests", "host requests in progress"),
	GAUGE(waiting_requests, "waiting", "requests", "host requests that wait now"),
	GAUGE(device_inflight, "device_inflight", "requests", "I/O in flight to the origin"),
	GAUGE(view.source, "exact_view", "",
	      "source of the gauges that follow: 1: an ssdflash origin; 0: estimated"),
	GAUGE(view.idle_channels, "idle_channels", "channels", "channels without work"),
	GAUGE(view.queued, "queued", "commands", "queued or executing, in all units (dies)"),
	GAUGE(view.utilisation, "utilisation", "thousandths",
	      "units (dies) with work, per thousand"),
};

const unsigned int ssdc_nr_core_stats = ARRAY_SIZE(ssdc_core_stat_table);
static_assert(ARRAY_SIZE(ssdc_core_stat_table) <= SSDC_MAX_CORE_STATS);

static void reset_plugin(struct ssdc_plugin *plugin)
{
	ssdc_stats_reset(plugin->type->info.stats, plugin->type->info.nr_stats, plugin);
}

/**
 * ssdc_update_stats() - update saved_us and the gauges of the origin
 * @e: engine
 *
 * Call it before statistics are shown. All other statistics are always up to date.
 */
void ssdc_update_stats(struct ssdc_engine *e)
{
	e->saved_us = e->tunables.alpha_us * e->stats.read_hits +
		e->tunables.beta_us * e->stats.write_hits;
	ssdc_update_view(e);
}

/**
 * ssdc_reset_stats() - zero all counters and histograms, also the plug-ins'; leave gauges
 * @e: engine
 */
void ssdc_reset_stats(struct ssdc_engine *e)
{
	unsigned int op, kind;

	ssdc_stats_reset(ssdc_core_stat_table, ssdc_nr_core_stats, e);
	for (op = 0; op < e->nr_latencies; op++)
		ssdc_histogram_reset(&e->latency[op]);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		reset_plugin(ssdc_current_plugin(e, kind));
}
