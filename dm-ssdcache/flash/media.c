// SPDX-License-Identifier: GPL-2.0
/*
 * What the device asks of a medium that holds the data, and what that tells.
 *
 * A command waits for the model's clock and for the medium, whichever is later.
 * Without a medium all of this does nothing.
 */
#include <linux/kernel.h>
#include "internal.h"

/* Each plane keeps two free blocks for GC, see ftl.c. */
#define MEDIA_GC_RESERVE 2

/**
 * ssdf_media_set() - the device gets a medium, which holds nothing yet
 * @f: device that was just made, without ageing
 * @ops: what the medium does
 * @media: passed to them
 *
 * To be followed by ssdf_map_set(), and ssdf_restore().
 */
void ssdf_media_set(struct ssdf_device *f, const struct ssdf_media_ops *ops, void *media)
{
	f->media = ops;
	f->media_data = media;
	f->gc_reserve = MEDIA_GC_RESERVE;
	f->gc_below = max(f->gc_below, f->gc_reserve + 1);
	f->urgent_below = max(f->urgent_below, f->gc_reserve + 1);
	ssdf_restore_map(f);
}

/**
 * ssdf_nr_slots() - commands that the medium may have to do at a time
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

/* Fetch what is at @ppn: for the command's request, or to be moved. */
void ssdf_media_read(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		     ssdf_ppn_t ppn)
{
	if (!f->media)
		return;
	cmd->waits++;
	f->media->read(f->media_data, cmd->slot, cmd->rq, lpn, ppn);
}

/* Keep the page at the command's place. */
void ssdf_media_write(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		      ssdf_ppn_t old)
{
	if (!f->media)
		return;
	cmd->waits++;
	f->media->write(f->media_data, cmd->slot, cmd->rq, lpn, cmd->ppn, old);
}

void ssdf_media_erase(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (!f->media)
		return;
	cmd->waits++;
	f->media->erase(f->media_data, cmd->slot, cmd->ppn);
}

/* What follows is not to happen before its time. */
static void set_clock(struct ssdf_device *f, u64 now_ns)
{
	f->clock_ns = max(f->clock_ns, now_ns);
}

/**
 * ssdf_media_share() - somebody else needs what a slot holds
 * @f: device
 * @slot: that the medium has not done yet
 *
 * The slot stays as it is until one more ssdf_media_done().
 */
void ssdf_media_share(struct ssdf_device *f, u32 slot)
{
	command_at(f, slot)->waits++;
}

/**
 * ssdf_media_done() - the medium has done a command
 * @f: device
 * @slot: of the command
 * @ok: or failed: then its request fails. Not for GC, which is to be left as it is
 * @now_ns: current time; ssdf_advance() was called with it and returned false
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
 * ssdf_media_flushed() - the medium has done a flush
 * @f: device
 * @rq: for which
 * @ok: or failed
 * @now_ns: as for ssdf_media_done()
 */
void ssdf_media_flushed(struct ssdf_device *f, struct ssdf_request *rq, bool ok, u64 now_ns)
{
	set_clock(f, now_ns);
	rq->failed |= !ok;
	ssdf_end_request(f, rq);
}

/**
 * ssdf_media_hold() - host writes and discards have to wait, or may go on
 * @f: device
 * @hold: which
 * @now_ns: as for ssdf_media_done()
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
 * ssdf_media_fail() - the medium takes no writes any more
 * @f: device
 * @now_ns: as for ssdf_media_done()
 *
 * Writes, discards and flushes fail from now on, those that wait for a page too.
 */
void ssdf_media_fail(struct ssdf_device *f, u64 now_ns)
{
	if (f->failed)
		return;
	set_clock(f, now_ns);
	f->failed = true;
	ssdf_fail_stalled(f);
	ssdf_feed(f);
}

/**
 * ssdf_is_failed() - has the medium failed?
 * @f: device
 */
bool ssdf_is_failed(const struct ssdf_device *f)
{
	return READ_ONCE(f->failed);
}
