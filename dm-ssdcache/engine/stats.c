// SPDX-License-Identifier: GPL-2.0
/*
 * The engine's own tunables and statistics.
 *
 * Top floor, beside lifecycle.c and check.c: only drivers call it.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "engine.h"
#include "view.h"

static const char *const dram_modes[] = { "volatile", "protected", NULL };

#define TUNABLE(member) offsetof(struct ssdc_core_tunables, member)

const struct ssdc_tunable ssdc_core_tunable_table[] = {
	{ "dram_mode", "", "volatile: FLUSH and FUA reach the origin; protected: DRAM is stable",
	  TUNABLE(dram_mode), SSDC_VOLATILE, 0, 0, dram_modes },
	{ "idle_us", "us", "the device counts as idle this long after the last request ended",
	  TUNABLE(idle_us), 0, 0, 60000000, NULL },
	{ "flush_interval_s", "s", "flush all dirty pages this often; 0: never",
	  TUNABLE(flush_interval_s), 0, 0, 86400, NULL },
	{ "retry_ms", "ms", "first pause after a failed flush; doubles up to 64 times that",
	  TUNABLE(retry_ms), 100, 1, 60000, NULL },
	{ "channels", "", "channels of the origin, for the estimated view",
	  TUNABLE(channels), 4, 1, 1024, NULL },
	{ "dies", "", "dies per chip of the origin, for the estimated view",
	  TUNABLE(dies), 2, 1, 64, NULL },
	{ "alpha_us", "us", "what a page read that hits saves: for saved_us and pattern-plus",
	  TUNABLE(alpha_us), 74, 1, 1000000, NULL },
	{ "beta_us", "us", "what a page write that hits saves: for saved_us and pattern-plus",
	  TUNABLE(beta_us), 1999, 1, 1000000, NULL },
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
		"host discards, zeroing and secure erases"),
	COUNTER(fua_writes, "fua_writes", "requests", "host writes with FUA"),
	COUNTER(read_bytes, "read_bytes", "bytes", "read by the host"),
	COUNTER(write_bytes, "write_bytes", "bytes", "written by the host"),
	COUNTER(read_pages, "read_pages", "pages", "page accesses by host reads"),
	COUNTER(read_hits, "read_hits", "pages", "page reads served from DRAM at once"),
	COUNTER(write_pages, "write_pages", "pages", "page accesses by host writes"),
	COUNTER(write_hits, "write_hits", "pages", "page writes that found the page in DRAM"),
	COUNTER(write_absorbed, "write_absorbed", "pages",
		"page writes that needed no eviction"),
	COUNTER(evictions, "evictions", "batches", "times a policy was asked for victims"),
	COUNTER(evicted_pages, "evicted_pages", "pages", "victims, clean and dirty"),
	COUNTER(evicted_clean, "evicted_clean", "pages", "victims that needed no flush"),
	COUNTER(thrash_events, "thrash_events", "pages",
		"evicted pages that entered again while one within 4 pages had stayed [Sha23]"),
	COUNTER(early_flushes, "early_flushes", "batches", "early-flush batches"),
	COUNTER(flushed_pages[SSDC_FLUSH_EVICT], "batch_flushed", "pages",
		"written to the origin to evict them"),
	COUNTER(flushed_pages[SSDC_FLUSH_EARLY], "early_flushed", "pages",
		"written to the origin because it was idle"),
	COUNTER(flushed_pages[SSDC_FLUSH_FORCED], "forced_flushed", "pages",
		"written to the origin for a FLUSH, FUA, suspend or flush message"),
	COUNTER(flushed_pages[SSDC_FLUSH_PERIODIC], "periodic_flushed", "pages",
		"written to the origin every flush_interval_s"),
	COUNTER(flushed_pages[SSDC_FLUSH_RETRY], "retry_flushed", "pages",
		"written to the origin at a second or later try"),
	COUNTER(flushed_pages[SSDC_FLUSH_PAD], "pad_flushed", "pages",
		"written to the origin to complete a block of victims"),
	COUNTER(padded_pages, "padded_pages", "pages",
		"read from the origin to complete a block of victims"),
	COUNTER(flushed_pages[SSDC_FLUSH_THROUGH], "through_flushed", "pages",
		"written to the origin at once, as admission asked"),
	COUNTER(fills, "fills", "pages", "partly valid pages completed before their flush"),
	COUNTER(admitted_reads, "admitted_reads", "pages", "missed pages read into DRAM"),
	COUNTER(bypassed_reads, "bypassed_reads", "requests",
		"reads sent to the origin past DRAM, counted per contiguous piece"),
	COUNTER(prefetched_pages, "prefetched_pages", "pages",
		"reads begun before the host asked"),
	COUNTER(prefetch_hits, "prefetch_hits", "pages",
		"page reads served from prefetched pages at once; in read_hits, too"),
	COUNTER(prefetch_late_hits, "prefetch_late_hits", "pages",
		"page reads that waited for a prefetched page on its way"),
	COUNTER(prefetch_unused, "prefetch_unused", "pages",
		"prefetched pages that gave way, or were written, before any read of them"),
	COUNTER(prefetch_errors, "prefetch_errors", "pages",
		"prefetched pages that could not be read; in read_errors, too"),
	COUNTER(dropped_pages, "dropped_pages", "pages",
		"dropped from DRAM by discard or drop_clean"),
	COUNTER(sync_passes, "sync_passes", "passes", "runs over all dirty pages"),
	COUNTER(frame_waits, "frame_waits", "waits", "requests that waited for a free frame"),
	COUNTER(page_waits, "page_waits", "waits",
		"requests that waited for a page's fill, flush or copy"),
	COUNTER(views[SSDC_VIEW_EXACT], "exact_views", "times",
		"a policy decided with a view that an ssdflash origin gave"),
	COUNTER(views[SSDC_VIEW_ESTIMATED], "estimated_views", "times",
		"a policy decided with a view estimated from the cache's own I/O"),
	COUNTER(read_errors, "read_errors", "reads", "failed reads of the origin"),
	COUNTER(write_errors, "write_errors", "writes", "failed page writes to the origin"),
	COUNTER(failed_requests, "failed_requests", "requests", "host requests that failed"),
	COUNTER(plugin_steps, "plugin_steps", "steps",
		"bounded pieces of background work that plug-ins did"),
	COUNTER(plugin_step_ns, "plugin_step_ns", "ns",
		"whole background passes with such steps (simulator: with --time-steps only)"),
	GAUGE(tier.used_pages, "used", "pages", "in DRAM now"),
	GAUGE(tier.dirty_pages, "dirty", "pages", "dirty now"),
	GAUGE(flushing_pages, "flushing", "pages", "being written to the origin now"),
	GAUGE(failed_pages, "failed", "pages", "dirty pages whose last flush failed"),
	GAUGE(prefetched.count, "prefetched", "pages", "prefetched pages in DRAM, or on their way"),
	GAUGE(saved_us, "saved_us", "us",
	      "alpha_us for each of read_hits and beta_us for each of write_hits [Li22]"),
	GAUGE(host_inflight, "host_inflight", "requests", "host requests under way"),
	GAUGE(waiting_requests, "waiting", "requests", "host requests that wait now"),
	GAUGE(device_inflight, "device_inflight", "requests", "I/O under way on the origin"),
	GAUGE(view.source, "exact_view", "",
	      "the gauges that follow are 1: given by an ssdflash origin, 0: estimated"),
	GAUGE(view.idle_channels, "idle_channels", "channels", "of the origin that have no work"),
	GAUGE(view.queued, "queued", "commands", "that the units (dies) of the device have to do"),
	GAUGE(view.utilisation, "utilisation", "thousandths",
	      "units (dies) of the device that have something to do"),
};

const unsigned int ssdc_nr_core_stats = ARRAY_SIZE(ssdc_core_stat_table);

static void reset_plugin(struct ssdc_plugin *plugin)
{
	ssdc_stats_reset(plugin->type->info.stats, plugin->type->info.nr_stats, plugin);
}

/**
 * ssdc_update_stats() - bring saved_us and the gauges of the origin up to date
 * @e: engine
 *
 * To be called before they are shown; all others always are.
 */
void ssdc_update_stats(struct ssdc_engine *e)
{
	e->saved_us = e->tunables.alpha_us * e->stats.read_hits +
		e->tunables.beta_us * e->stats.write_hits;
	ssdc_update_view(e);
}

/**
 * ssdc_reset_stats() - zero all counters and histograms, leave the gauges
 * @e: engine
 */
void ssdc_reset_stats(struct ssdc_engine *e)
{
	unsigned int op, kind;

	ssdc_stats_reset(ssdc_core_stat_table, ssdc_nr_core_stats, e);
	for (op = 0; op < SSDC_NR_OPS; op++)
		ssdc_histogram_reset(&e->latency[op]);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		reset_plugin(ssdc_current_plugin(e, kind));
}
