// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of host and translation pages. A program that finds no free page is stalled in its lane
 * until a block of its plane becomes free, or the medium accepts writes again.
 */
#include <linux/kernel.h>
#include "ftl.h"
#include "gc.h"
#include "map-cache.h"
#include "media-commands.h"
#include "nand.h"
#include "program.h"
#include "stats.h"

static void count_stream(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	u32 holds = f->host_blocks == 1 ? 0 : f->blocks[ssdf_block_of(f, cmd->ppn)].holds;

	if (holds < f->params.streams)
		f->stats.stream_programs[holds]++;
	else if (holds < f->params.streams + f->params.hot_cold)
		f->stats.hot_programs++;
}

static void count_program(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	if (cmd->purpose == SSDF_MAP_EVICT) {
		f->stats.map_writes++;
		return;
	}
	f->stats.host_programs++;
	count_stream(f, cmd);
}

/* Allocate a page for a program and queue it. Returns false if no block is free. */
static bool try_program(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_ppn_t old = f->map[ssdf_lpn_nr(cmd->lpn)];
	u32 outdated;

	if (f->held || !ssdf_write_page(f, cmd->lpn, cmd))
		return false;
	outdated = f->outdated_plane;
	if (cmd->purpose == SSDF_HOST)
		ssdf_map_changed(f, cmd->lpn);
	count_program(f, cmd);
	ssdf_media_write(f, cmd, cmd->lpn, old);
	ssdf_queue(f, cmd);
	ssdf_gc_check(f, cmd->plane);
	if (outdated < f->nr_planes)
		ssdf_gc_check(f, outdated);
	return true;
}

/*
 * Bytes that a program transfers to the die. The command has read the rest of a partly written
 * page.
 */
static u32 program_bytes(const struct ssdf_device *f, const struct ssdf_command *cmd)
{
	if (unlikely(f->params.partial_transfer) && cmd->purpose == SSDF_MERGE)
		return f->params.page_bytes - cmd->bytes;
	return f->params.page_bytes;
}

/*
 * Where a program waits. With static allocation, each plane has its own list, so that a free block
 * does not cost a search among the programs of all planes. On a medium, a plane may be overfull:
 * its programs go to any plane, so they wait with those of all planes. So do programs that wait for
 * the medium.
 */
static struct list_head *stalled_with(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	enum ssdf_lane lane = ssdf_lane_of(cmd->rq);

	if (f->params.allocation != SSDF_STATIC || f->media || f->held)
		return &f->lanes[lane].stalled;
	return &f->planes[ssdf_static_plane(f, cmd->lpn)].stalled[lane];
}

/* Program the command's page, or stall until a block is free. */
void ssdf_program(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->kind = SSDF_PROGRAM;
	cmd->bytes = program_bytes(f, cmd);
	if (cmd->purpose != SSDF_MAP_EVICT)
		cmd->purpose = SSDF_HOST;
	if (try_program(f, cmd))
		return;
	f->stats.stalled_writes++;
	/* Observers know only the host's pages. */
	ssdf_notify_stalled(f, cmd->purpose == SSDF_MAP_EVICT ? cmd->looks_for : cmd->lpn);
	list_add_tail(&cmd->node, stalled_with(f, cmd));
}

/* May the page be in the plane? */
static bool may_be_in(const struct ssdf_device *f, const struct ssdf_command *cmd, u32 plane)
{
	u32 only;

	if (f->params.allocation != SSDF_STATIC)
		return true;
	only = ssdf_static_plane(f, cmd->lpn);
	return only == plane || ssdf_is_overfull(f, only);
}

/* Retry, in order, the programs that may be in the plane. Returns false once one finds no room. */
static bool retry_list(struct ssdf_device *f, struct list_head *stalled, u32 plane)
{
	struct ssdf_command *cmd, *next;

	list_for_each_entry_safe(cmd, next, stalled, node) {
		if (!may_be_in(f, cmd, plane))
			continue;
		/* A command that finds room moves to its die's queue. */
		list_del_init(&cmd->node);
		if (try_program(f, cmd))
			continue;
		list_add_tail(&cmd->node, &next->node);
		return false;
	}
	return true;
}

static bool retry_lane(struct ssdf_device *f, enum ssdf_lane lane, u32 plane)
{
	return retry_list(f, &f->planes[plane].stalled[lane], plane) &&
	       retry_list(f, &f->lanes[lane].stalled, plane);
}

/* A block of the plane became free: the only event that makes room for stalled programs. */
void ssdf_retry_stalled(struct ssdf_device *f, u32 plane)
{
	if (retry_lane(f, SSDF_READ_LANE, plane))
		retry_lane(f, SSDF_WRITE_LANE, plane);
}

/* The medium accepts writes again: ssdf_try_stalled() retries all stalled programs. */
void ssdf_retry_all(struct ssdf_device *f)
{
	struct ssdf_command *cmd;
	u32 i;

	f->backlog = true;
	for (i = 0; i < SSDF_NR_LANES; i++) {
		f->lanes[i].retries = 0;
		list_for_each_entry(cmd, &f->lanes[i].stalled, node)
			f->lanes[i].retries++;
	}
}

/* Has ssdf_retry_all() asked for retries that have yet to come? */
bool ssdf_has_retries(const struct ssdf_device *f)
{
	return f->lanes[SSDF_READ_LANE].retries || f->lanes[SSDF_WRITE_LANE].retries;
}

/* Retry a bounded number; programs without room go to the tail, which keeps their order. */
static void try_lane(struct ssdf_device *f, struct ssdf_lane_state *lane)
{
	struct ssdf_command *cmd;
	u32 i;

	for (i = 0; i < SSDF_STEP && lane->retries && !f->held; i++) {
		cmd = list_first_entry_or_null(&lane->stalled, struct ssdf_command, node);
		lane->retries = cmd ? lane->retries - 1 : 0;
		if (!cmd)
			return;
		list_del_init(&cmd->node);
		if (!try_program(f, cmd))
			list_add_tail(&cmd->node, &lane->stalled);
	}
}

/* Go on with the retries that ssdf_retry_all() has asked for, a bounded number. */
void ssdf_try_stalled(struct ssdf_device *f)
{
	try_lane(f, &f->lanes[SSDF_READ_LANE]);
	try_lane(f, &f->lanes[SSDF_WRITE_LANE]);
}
