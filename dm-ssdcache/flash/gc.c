// SPDX-License-Identifier: GPL-2.0
/*
 * Garbage collection: each plane collects one victim at a time and moves one page at
 * a time, so that a host request waits for at most one step.
 *
 *	start -> read page -> program it elsewhere in the plane -> ... -> erase
 *
 * A step is a command in the die's GC queue, which is served last. When free blocks
 * are so few that the host may soon run out of them, GC goes before host writes.
 *
 * With map_cache, updates of translation pages precede the erase. They may be on other dies, and
 * are queued there like the host's reads and writes.
 */
#include <linux/kernel.h>
#include "ftl.h"
#include "gc.h"
#include "map-cache.h"
#include "media-commands.h"
#include "nand.h"
#include "program.h"
#include "stats.h"
#include "victim.h"
#include "wear.h"

static struct ssdf_command *prepare(struct ssdf_device *f, u32 plane, enum ssdf_kind kind,
				    ssdf_ppn_t ppn)
{
	struct ssdf_command *cmd = &f->planes[plane].gc;

	cmd->rq = NULL;
	cmd->kind = kind;
	cmd->purpose = SSDF_GC;
	cmd->plane = plane;
	cmd->ppn = ppn;
	cmd->place = ssdf_page_in_block(f, ppn);
	cmd->bytes = kind == SSDF_READ || kind == SSDF_PROGRAM ? f->params.page_bytes : 0;
	return cmd;
}

static ssdf_ppn_t victim_page(const struct ssdf_device *f, const struct ssdf_plane *p, u32 page)
{
	return ssdf_ppn(ssdf_block_nr(p->victim) * f->params.pages + page);
}

/*
 * No page to move data to: GC of the plane stops. Possible only if crashes have interrupted GC on a
 * medium that made the moves of a part of a block durable.
 */
static bool is_stuck(struct ssdf_device *f, u32 plane)
{
	if (ssdf_gc_has_page(f, plane))
		return false;
	f->media->stuck(f->media_data, plane);
	return true;
}

static void copy_inside(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn, ssdf_ppn_t old)
{
	struct ssdf_command *cmd;

	if (is_stuck(f, plane))
		return;
	f->stats.gc_reads++;
	f->stats.gc_programs++;
	cmd = prepare(f, plane, SSDF_COPYBACK, ssdf_gc_page(f, plane, lpn));
	ssdf_map_moved(f, plane, lpn);
	ssdf_media_write(f, cmd, lpn, old);
	ssdf_queue(f, cmd);
}

static void read_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	struct ssdf_command *cmd = prepare(f, plane, SSDF_READ, ppn);

	f->stats.gc_reads++;
	ssdf_media_read(f, cmd, lpn, ppn);
	ssdf_queue(f, cmd);
}

static void erase_victim(struct ssdf_device *f, u32 plane)
{
	struct ssdf_command *cmd;

	f->stats.erases++;
	cmd = prepare(f, plane, SSDF_ERASE, victim_page(f, &f->planes[plane], 0));
	ssdf_media_erase(f, cmd);
	ssdf_queue(f, cmd);
}

/*
 * Program a translation page, at the place where a host write would go. If there is no room, the
 * update is put off until the page's next write: GC must not need more pages than it frees.
 */
static bool write_update(struct ssdf_device *f, struct ssdf_command *cmd)
{
	u32 outdated;

	if (!ssdf_write_page(f, cmd->lpn, cmd))
		return false;
	outdated = f->outdated_plane;
	cmd->kind = SSDF_PROGRAM;
	ssdf_map_written(f, cmd->lpn);
	f->stats.map_writes++;
	ssdf_queue(f, cmd);
	ssdf_gc_check(f, cmd->plane);
	/* This check may have moved a page. */
	if (outdated < f->nr_planes)
		ssdf_gc_check(f, outdated);
	return true;
}

/* All pages of the victim were moved: update a translation page. Returns false after the last. */
static bool update_map(struct ssdf_device *f, u32 plane)
{
	struct ssdf_command *cmd;
	ssdf_lpn_t lpn;

	while ((lpn = ssdf_map_next_update(f, plane)) != SSDF_NO_LPN) {
		cmd = prepare(f, plane, SSDF_READ, f->map[ssdf_lpn_nr(lpn)]);
		cmd->purpose = SSDF_MAP_UPDATE;
		cmd->lpn = lpn;
		if (ssdf_is_in_flash(f, cmd->ppn)) {
			ssdf_place_to_read(f, cmd);
			f->stats.map_reads++;
			ssdf_queue(f, cmd);
			return true;
		}
		if (write_update(f, cmd))
			return true;
	}
	return false;
}

/* Read the victim's next valid page, or move it inside the die; after the last, erase it. */
static void next_step(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];

	for (; p->victim_page < f->params.pages; p->victim_page++) {
		ssdf_ppn_t ppn = victim_page(f, p, p->victim_page);
		ssdf_lpn_t lpn = f->reverse[ssdf_ppn_nr(ppn)];

		if (lpn == SSDF_NO_LPN)
			continue;
		if (f->params.copyback)
			copy_inside(f, plane, lpn, ppn);
		else
			read_page(f, plane, lpn, ppn);
		return;
	}
	if (!update_map(f, plane))
		erase_victim(f, plane);
}

/* A page was read: program it elsewhere, unless the host overwrote or discarded it. */
static void move_page(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_ppn_t ppn = victim_page(f, p, p->victim_page++);
	ssdf_lpn_t lpn = f->reverse[ssdf_ppn_nr(ppn)];
	struct ssdf_command *cmd;

	if (lpn == SSDF_NO_LPN) {
		next_step(f, plane);
		return;
	}
	if (is_stuck(f, plane))
		return;
	f->stats.gc_programs++;
	cmd = prepare(f, plane, SSDF_PROGRAM, ssdf_gc_page(f, plane, lpn));
	ssdf_map_moved(f, plane, lpn);
	ssdf_media_write(f, cmd, lpn, SSDF_UNMAPPED);
	ssdf_queue(f, cmd);
}

/* From now on, the plane collects @victim; SSDF_NO_BLOCK: none. */
static void set_victim(struct ssdf_plane *p, ssdf_block_t victim)
{
	u16 others = p->die->collecting & ~p->bit;

	p->victim = victim;
	WRITE_ONCE(p->die->collecting, victim == SSDF_NO_BLOCK ? others : others | p->bit);
}

static void victim_erased(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t victim = p->victim;

	set_victim(p, SSDF_NO_BLOCK);
	ssdf_count_erase(f, plane, victim);
	ssdf_erased(f, plane, victim);
	/*
	 * At most every other block is moved for levelling, as GC has work, too. Erases of blocks
	 * with translation pages do not count: moved data outdate translation pages, so levelling
	 * would cause itself.
	 */
	p->level_due = f->params.wear_threshold && !p->levelling && !ssdf_is_map_block(f, victim);
	p->levelling = false;
	ssdf_gc_check(f, plane);
	ssdf_retry_stalled(f, plane);
}

/*
 * Choose a block: after an erase perhaps one that wear levelling moves, so that the block is used
 * again; otherwise a victim of GC.
 */
static void choose(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];

	if (p->level_due && p->nr_free > f->gc_reserve) {
		p->level_due = false;
		set_victim(p, ssdf_least_worn(f, plane));
		if (p->victim != SSDF_NO_BLOCK) {
			p->levelling = true;
			ssdf_take_closed(f, plane, p->victim);
			f->stats.wear_runs++;
			return;
		}
	}
	set_victim(p, ssdf_choose_victim(f, plane));
	f->stats.gc_runs += p->victim != SSDF_NO_BLOCK;
}

/* The plane may have too few free blocks: start GC if it has. While GC is plugged, look later. */
void ssdf_gc_look(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];

	if (f->gc_plugged) {
		if (list_empty(&p->check))
			list_add_tail(&p->check, &f->gc_checks);
		return;
	}
	ssdf_set_urgent(f, plane, p->nr_free < f->urgent_below);
	if (p->victim != SSDF_NO_BLOCK || f->failed)
		return;
	choose(f, plane);
	if (p->victim == SSDF_NO_BLOCK)
		return;
	p->victim_page = 0;
	ssdf_notify_gc(f, plane, p->victim);
	next_step(f, plane);
}

/* The checks that were deferred while GC was plugged. */
void ssdf_gc_check_deferred(struct ssdf_device *f)
{
	struct ssdf_plane *plane;

	while ((plane = list_first_entry_or_null(&f->gc_checks, struct ssdf_plane, check))) {
		list_del_init(&plane->check);
		ssdf_gc_check(f, plane - f->planes);
	}
}

static void page_moved(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	if (ssdf_programmed(f, cmd->ppn))
		ssdf_gc_check(f, cmd->plane);
	next_step(f, cmd->plane);
}

/* The command of a plane's update has ended. It may have worked on another plane. */
static void go_on_updating(struct ssdf_device *f, struct ssdf_command *cmd)
{
	struct ssdf_plane *p = container_of(cmd, struct ssdf_plane, gc);

	if (cmd->kind == SSDF_READ) {
		if (write_update(f, cmd))
			return;
	} else if (ssdf_programmed(f, cmd->ppn)) {
		ssdf_gc_check(f, cmd->plane);
	}
	next_step(f, p - f->planes);
}

/* A GC step has ended: start the next one. */
void ssdf_gc_step(struct ssdf_device *f, struct ssdf_command *cmd)
{
	u32 plane = cmd->plane;

	if (cmd->purpose == SSDF_MAP_UPDATE) {
		go_on_updating(f, cmd);
		return;
	}
	switch (cmd->kind) {
	case SSDF_READ:
		move_page(f, plane);
		return;
	case SSDF_PROGRAM:
		page_moved(f, cmd);
		return;
	case SSDF_COPYBACK:
		f->planes[plane].victim_page++;
		page_moved(f, cmd);
		return;
	case SSDF_ERASE:
		victim_erased(f, plane);
		return;
	}
}
