// SPDX-License-Identifier: GPL-2.0
/*
 * Reports from a medium that keeps the data: ends of commands and flushes, holds, and failure.
 *
 * A command ends when both the model's clock and the medium are done with it.
 */
#include <linux/kernel.h>
#include "device.h"
#include "ftl.h"
#include "program.h"

/* Free blocks that each plane reserves for GC, see ftl.c. */
#define MEDIA_GC_RESERVE 2

/**
 * ssdf_media_set() - attach a medium
 * @f: new device, without ageing
 * @ops: operations of the medium
 * @media: passed to @ops
 *
 * Call ssdf_map_set() for each written page next, then ssdf_restore().
 */
void ssdf_media_set(struct ssdf_device *f, const struct ssdf_media_ops *ops, void *media)
{
	f->media = ops;
	f->media_data = media;
	/* The map may have been written with another allocation. */
	f->spread_pages = 1;
	f->gc_reserve = MEDIA_GC_RESERVE;
	f->gc_below = max(f->gc_below, f->gc_reserve + 1);
	f->urgent_below = max(f->urgent_below, f->gc_reserve + 1);
	f->gc_must_below = max(f->gc_must_below, f->gc_reserve + 1);
	ssdf_restore_map(f);
}

/**
 * ssdf_nr_slots() - how many commands the medium may have in flight
 * @f: device
 */
u32 ssdf_nr_slots(const struct ssdf_device *f)
{
	return f->nr_commands + f->nr_planes;
}

static struct ssdf_command *command_at(struct ssdf_device *f, u32 slot)
{
	return slot < f->nr_commands ? &f->commands[slot] :
				       &f->planes[slot - f->nr_commands].gc;
}

/* Events caused by the medium happen at @now_ns, not earlier. */
static void set_clock(struct ssdf_device *f, u64 now_ns)
{
	f->clock_ns = max(f->clock_ns, now_ns);
}

/**
 * ssdf_media_share() - keep a slot for another user of its data
 * @f: device
 * @slot: slot that the medium has not finished
 *
 * The slot stays in use until one more ssdf_media_done().
 *
 * Context: the caller's lock.
 */
void ssdf_media_share(struct ssdf_device *f, u32 slot)
{
	command_at(f, slot)->waits++;
}

/**
 * ssdf_media_done() - the medium has finished a command
 * @f: device
 * @slot: slot of the command
 * @ok: false: the command's request fails. If a GC command failed for any reason other than
 *	ssdf_media_lost(), do not report its end: its slot stays in use
 * @now_ns: current time; ssdf_advance() was called with it and returned false
 *
 * Context: the caller's lock.
 */
void ssdf_media_done(struct ssdf_device *f, u32 slot, bool ok, u64 now_ns)
{
	struct ssdf_command *cmd = command_at(f, slot);

	set_clock(f, now_ns);
	if (!ok && cmd->rq)
		cmd->rq->failed = true;
	ssdf_command_done(f, cmd);
}

/**
 * ssdf_media_lost() - the data of a page cannot be read
 * @f: device
 * @lpn: logical page
 * @ppn: physical page with its data: a page that GC has read, or a page whose write the medium has
 *	not reported as done
 *
 * Valid page -> lost page, unless the host has overwritten or discarded the page meanwhile.
 *
 * Context: the caller's lock.
 * Return: true if the page is lost now.
 */
bool ssdf_media_lost(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	return ssdf_lose_page(f, lpn, ppn);
}

/**
 * ssdf_media_unwritten() - the write of a page failed: its earlier data are current again
 * @f: device
 * @lpn: logical page, which is at @ppn by the map
 * @ppn: physical page whose write failed
 * @old: earlier place of the page, as passed to the write. Nothing may have erased it since
 *
 * For a medium that has failed: the model must not request further writes.
 *
 * Context: the caller's lock.
 */
void ssdf_media_unwritten(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn, ssdf_ppn_t old)
{
	ssdf_unwrite_page(f, lpn, ppn, old);
}

/**
 * ssdf_media_flushed() - the medium has finished a flush
 * @f: device
 * @rq: request that was flushed
 * @ok: false fails @rq
 * @now_ns: as for ssdf_media_done()
 *
 * Context: the caller's lock.
 */
void ssdf_media_flushed(struct ssdf_device *f, struct ssdf_request *rq, bool ok, u64 now_ns)
{
	set_clock(f, now_ns);
	rq->failed |= !ok;
	ssdf_end_request(f, rq);
}

/**
 * ssdf_media_hold() - hold back host writes and discards, or let them continue
 * @f: device
 * @hold: true: hold them back
 * @now_ns: as for ssdf_media_done()
 *
 * Context: the caller's lock.
 */
void ssdf_media_hold(struct ssdf_device *f, bool hold, u64 now_ns)
{
	if (f->held == hold)
		return;
	f->held = hold;
	if (hold)
		return;
	set_clock(f, now_ns);
	ssdf_retry_all(f);
	ssdf_feed(f);
}

/**
 * ssdf_media_fail() - the medium accepts no writes any more
 * @f: device
 * @now_ns: as for ssdf_media_done()
 *
 * From now on writes, discards and flushes fail, including writes that wait for a page.
 *
 * Context: the caller's lock.
 */
void ssdf_media_fail(struct ssdf_device *f, u64 now_ns)
{
	if (f->failed)
		return;
	set_clock(f, now_ns);
	WRITE_ONCE(f->failed, true);
	ssdf_fail_stalled(f);
	ssdf_feed(f);
}

/**
 * ssdf_is_failed() - has the medium failed?
 * @f: device
 *
 * Context: any.
 */
bool ssdf_is_failed(const struct ssdf_device *f)
{
	return READ_ONCE(f->failed);
}
