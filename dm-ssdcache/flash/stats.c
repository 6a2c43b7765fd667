// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of a flash device, and notification of its observer.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "stats.h"

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct ssdf_device, stats.member, #member, unit, SSDC_COUNTER, doc)
#define GAUGE(member, unit, doc) \
	SSDC_STAT(struct ssdf_device, member, #member, unit, SSDC_GAUGE, doc)

const struct ssdc_stat ssdf_stat_table[] = {
	COUNTER(host_bytes_read, "bytes", "read by the host"),
	COUNTER(host_bytes_written, "bytes", "written by the host"),
	COUNTER(host_reads, "pages", "flash pages read for the host"),
	COUNTER(host_programs, "pages", "flash pages programmed for the host"),
	SSDC_STAT_ROW(struct ssdf_device, stats.stream_programs, "stream_programs", "pages",
		      SSDC_COUNTER, "of these, by stream of the open block"),
	COUNTER(hot_programs, "pages", "of these, to open blocks for hot pages (hot_cold)"),
	COUNTER(merge_reads, "pages", "old pages read to complete partial writes"),
	COUNTER(gc_runs, "blocks", "blocks collected"),
	COUNTER(wear_runs, "blocks", "blocks moved to level wear"),
	COUNTER(gc_reads, "pages", "flash pages read by garbage collection"),
	COUNTER(gc_programs, "pages", "flash pages programmed by garbage collection"),
	COUNTER(erases, "blocks", "blocks erased"),
	COUNTER(read_retries, "pages", "reads that were repeated, as they failed (read_retry)"),
	COUNTER(map_hits, "pages", "mappings that the controller held (map_cache)"),
	COUNTER(map_misses, "pages", "mappings that it had to read"),
	COUNTER(map_reads, "pages", "translation pages read, for the host or for an update"),
	COUNTER(map_writes, "pages", "translation pages programmed, unless GC moved them"),
	COUNTER(buffered_reads, "pages", "reads of pages not yet programmed: they take no time"),
	COUNTER(trimmed_reads, "pages", "reads of discarded pages: they take no time"),
	COUNTER(trimmed_pages, "pages", "discarded pages that held data"),
	COUNTER(blocked_reads, "pages",
		"host reads that found their die programming, erasing or collecting"),
	COUNTER(stalled_writes, "pages", "programs that waited for a free block"),
	COUNTER(multi_plane_reads, "commands", "reads of several planes at once"),
	COUNTER(multi_plane_programs, "commands", "programs of several planes at once"),
	COUNTER(cached_reads, "commands",
		"reads that started while the die's last data were being transferred"),
	COUNTER(suspended_programs, "commands", "programs that a read interrupted"),
	COUNTER(suspended_erases, "commands", "erases that a read interrupted"),
	GAUGE(write_amplification, "thousandths",
	      "flash pages programmed per page programmed for the host"),
	GAUGE(byte_amplification, "thousandths",
	      "bytes programmed per byte written by the host, which counts partial pages, too"),
	GAUGE(utilisation, "thousandths", "share of time in which the channels transferred data"),
	GAUGE(valid_pages, "pages", "flash pages with current data"),
	GAUGE(lost_pages, "pages",
	      "pages whose data could not be read: reads fail until they are written or discarded"),
	GAUGE(free_blocks, "blocks", "erased blocks"),
	GAUGE(min_erases, "erases", "erases of the block with the fewest; at most 8191 is shown"),
	GAUGE(mean_erases, "thousandths", "erases of the mean block"),
	GAUGE(max_erases, "erases", "erases of the block with the most"),
	SSDC_STAT_ROW(struct ssdf_device, erase_histogram, "erase_histogram", "blocks", SSDC_GAUGE,
		      "by number of erases: 0, 1, 2 to 3, 4 to 7, ... 16384 or more"),
	GAUGE(wear, "thousandths", "erases of the block with the most, as a share of pe_cycles"),
	GAUGE(drive_writes, "thousandths", "bytes written by the host per byte of capacity"),
	GAUGE(lifetime_bytes, "bytes",
	      "the host can write so many more until the mean block has pe_cycles erases"),
	GAUGE(inflight, "requests", "in flight"),
};

const unsigned int ssdf_nr_stats = ARRAY_SIZE(ssdf_stat_table);

static u32 thousandths(u64 part, u64 whole)
{
	return whole ? min_t(u64, mul_u64_u64_div_u64(part, 1000, whole), U32_MAX) : 0;
}

static void update_wear(struct ssdf_device *f, u64 programs)
{
	const struct ssdf_params *p = &f->params;
	u64 life = (u64)p->pe_cycles * f->good_blocks;
	u64 cycles = (life - min(life, f->total_erases)) * p->pages;
	/* Bytes in flight are not programmed yet; the quotient must fit. */
	u64 bytes = min(f->stats.host_bytes_written, programs * p->page_bytes);

	f->mean_erases = thousandths(f->total_erases, f->good_blocks);
	f->wear = thousandths(f->max_erases, p->pe_cycles);
	f->drive_writes = thousandths(f->stats.host_bytes_written,
				      (u64)f->nr_lpns * p->page_bytes);
	/* If nothing is known yet, the host writes whole pages, and GC moves none. */
	f->lifetime_bytes = bytes ? mul_u64_u64_div_u64(cycles, bytes, programs) :
				    cycles * p->page_bytes;
}

/* How long the transfer in progress goes on; the channel's busy_ns has the whole transfer. */
static u64 rest_of_transfer(const struct ssdf_channel *channel, u64 now_ns)
{
	return channel->user && channel->end.time_ns > now_ns ? channel->end.time_ns - now_ns : 0;
}

/* Times beyond these 9 years are divided by SSDF_MAX_CHANNELS, so that their sums fit. */
#define LONG_BITS 58

static void update_utilisation(struct ssdf_device *f, u64 now_ns)
{
	u64 busy_ns = 0, all_ns = now_ns - min(now_ns, f->stats_since_ns);
	u32 shift = all_ns >> LONG_BITS ? ilog2(SSDF_MAX_CHANNELS) : 0, i;

	for (i = 0; i < f->params.channels; i++)
		busy_ns += ssdf_channel_busy_ns(f, i, now_ns) >> shift;
	f->utilisation = thousandths(busy_ns, (all_ns >> shift) * f->params.channels);
}

/**
 * ssdf_update_stats() - recompute the gauges that are quotients
 * @f: device
 * @now_ns: current time
 *
 * Call before reading ssdf_stat_table.
 *
 * Context: the caller's lock.
 */
void ssdf_update_stats(struct ssdf_device *f, u64 now_ns)
{
	const struct ssdf_stats *s = &f->stats;
	u64 programs = s->host_programs + s->gc_programs + s->map_writes;

	f->write_amplification = thousandths(programs, s->host_programs);
	f->byte_amplification = thousandths(programs * f->params.page_bytes, s->host_bytes_written);
	update_wear(f, programs);
	update_utilisation(f, now_ns);
}

/**
 * ssdf_reset_stats() - zero all counters and histograms
 * @f: device
 * @now_ns: current time; utilisation counts from it
 *
 * Context: the caller's lock.
 */
void ssdf_reset_stats(struct ssdf_device *f, u64 now_ns)
{
	u32 i;

	ssdc_stats_reset(ssdf_stat_table, ssdf_nr_stats, f);
	for (i = 0; i < SSDC_NR_OPS; i++)
		ssdc_histogram_reset(&f->latency[i]);
	for (i = 0; i < f->params.channels; i++)
		f->channels[i].busy_ns = rest_of_transfer(&f->channels[i], now_ns);
	f->stats_since_ns = now_ns;
}

/**
 * ssdf_latency() - latencies of requests, in ns
 * @f: device
 * @op: operation
 *
 * Context: the caller's lock, also while the histogram is read.
 */
const struct ssdc_histogram *ssdf_latency(const struct ssdf_device *f, enum ssdc_op op)
{
	return &f->latency[op];
}

/**
 * ssdf_channel_busy_ns() - time that a channel spent on transfers since the last reset
 * @f: device
 * @channel: number
 * @now_ns: current time
 *
 * Context: the caller's lock.
 */
u64 ssdf_channel_busy_ns(const struct ssdf_device *f, u32 channel, u64 now_ns)
{
	const struct ssdf_channel *c = &f->channels[channel];

	return c->busy_ns - rest_of_transfer(c, now_ns);
}

/**
 * ssdf_inflight() - requests that have not completed
 * @f: device
 *
 * Context: the caller's lock.
 */
u32 ssdf_inflight(const struct ssdf_device *f)
{
	return f->inflight;
}

/**
 * ssdf_is_quiescent() - is everything done, in the model and on its medium?
 * @f: device
 *
 * Context: the caller's lock; time proportional to the number of planes.
 */
bool ssdf_is_quiescent(const struct ssdf_device *f)
{
	u32 i;

	if (ssdf_next_event_ns(f) != SSDF_NEVER || f->inflight || !list_empty(&f->done))
		return false;
	/* GC stops half-way when the medium fails. */
	for (i = 0; i < f->nr_planes && !f->failed; i++)
		if (f->planes[i].victim != SSDF_NO_BLOCK)
			return false;
	return true;
}

/**
 * ssdf_observe() - set the observer that is notified of events
 * @f: device
 * @ops: the observer; NULL: none
 * @owner: passed to @ops
 *
 * Context: the caller's lock.
 */
void ssdf_observe(struct ssdf_device *f, const struct ssdf_observer_ops *ops, void *owner)
{
	f->observer = ops;
	f->observer_owner = owner;
}

/* GC begins to move the valid pages of @victim. */
void ssdf_notify_gc(const struct ssdf_device *f, u32 plane, ssdf_block_t victim)
{
	u32 nr = ssdf_block_nr(victim);

	if (f->observer)
		f->observer->gc_started(f->observer_owner, plane, nr % f->params.blocks,
					f->blocks[nr].valid);
}

/* The block was erased, and counts this erase. */
void ssdf_notify_erased(const struct ssdf_device *f, u32 plane, ssdf_block_t block)
{
	u32 nr = ssdf_block_nr(block);

	if (f->observer)
		f->observer->erased(f->observer_owner, plane, nr % f->params.blocks,
				    f->blocks[nr].erases);
}

/* The write of a page found no free page, and waits for GC. */
void ssdf_notify_stalled(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	if (f->observer)
		f->observer->stalled(f->observer_owner, (u64)ssdf_lpn_nr(lpn) * f->page_sectors);
}
