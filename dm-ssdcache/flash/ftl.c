// SPDX-License-Identifier: GPL-2.0
/*
 * Page-mapped flash translation layer: each page write goes to the next free page of
 * an open block and makes the previous copy outdated.
 *
 * States of a block:
 *
 *	free -> open (for host writes or for GC) -> closed -> victim -> free
 *
 * Closed blocks are listed by plane and number of valid pages, so that the block with
 * the fewest is found without a search. Each plane reserves one free block for GC, which
 * is enough to empty any victim. With a medium the reserve is two blocks. A crash can waste
 * the block that GC was filling, and until GC has made another one free, one is left.
 *
 * The FTL reports when a plane may need GC; its callers start GC.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../base/alloc.h"
#include "errors.h"
#include "ftl.h"
#include "stream.h"

/* Wear levelling takes the most worn of this many free blocks. */
#define WORN_LOOKS 64

static struct ssdf_block_info *block_at(const struct ssdf_device *f, ssdf_block_t block)
{
	return &f->blocks[ssdf_block_nr(block)];
}

static ssdf_block_t *closed_list(const struct ssdf_device *f, u32 plane, u32 valid)
{
	return &f->closed[(size_t)plane * (f->params.pages + 1) + valid];
}

static void closed_add(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	struct ssdf_block_info *block = block_at(f, nr);
	ssdf_block_t *list = closed_list(f, plane, block->valid);

	block->closed = true;
	block->prev = SSDF_NO_BLOCK;
	block->next = *list;
	if (*list != SSDF_NO_BLOCK)
		block_at(f, *list)->prev = nr;
	*list = nr;
	f->planes[plane].min_valid = min_t(u32, f->planes[plane].min_valid, block->valid);
}

static void closed_del(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	struct ssdf_block_info *block = block_at(f, nr);

	block->closed = false;
	if (block->prev == SSDF_NO_BLOCK)
		*closed_list(f, plane, block->valid) = block->next;
	else
		block_at(f, block->prev)->next = block->next;
	if (block->next != SSDF_NO_BLOCK)
		block_at(f, block->next)->prev = block->prev;
}

/* Any open block for the host, preferably this one; NULL: none is open. */
static ssdf_block_t *open_host_block(const struct ssdf_device *f, struct ssdf_plane *p,
				     u32 preferred)
{
	u32 i, nr = preferred;

	for (i = 0; i < f->host_blocks; i++) {
		if (p->host_blocks[nr] != SSDF_NO_BLOCK)
			return &p->host_blocks[nr];
		nr = nr + 1 < f->host_blocks ? nr + 1 : 0;
	}
	return NULL;
}

/* Call after each change of the free blocks or of the open host blocks. */
static noinline void update_room(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	bool room = p->nr_free > f->gc_reserve || open_host_block(f, p, 0);

	if (room == p->room)
		return;
	WRITE_ONCE(p->room, room);
	f->planes_with_room += room ? 1 : -1;
}

static void free_add(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	struct ssdf_plane *p = &f->planes[plane];

	block_at(f, nr)->next = SSDF_NO_BLOCK;
	if (p->free_head == SSDF_NO_BLOCK)
		p->free_head = nr;
	else
		block_at(f, p->free_tail)->next = nr;
	p->free_tail = nr;
	p->nr_free++;
	WRITE_ONCE(f->free_blocks, f->free_blocks + 1);
	update_room(f, plane);
}

static ssdf_block_t free_take(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t nr = p->free_head;

	p->free_head = block_at(f, nr)->next;
	p->nr_free--;
	WRITE_ONCE(f->free_blocks, f->free_blocks - 1);
	return nr;
}

/* Move the most worn free block to the head of the free list, for data that stay unchanged. */
static void most_worn_first(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t before = SSDF_NO_BLOCK, nr = p->free_head, next, worn = nr;
	u32 i;

	for (i = 1; i < WORN_LOOKS && nr != p->free_tail; i++, nr = next) {
		next = block_at(f, nr)->next;
		if (block_at(f, next)->erases > block_at(f, worn)->erases) {
			before = nr;
			worn = next;
		}
	}
	if (before == SSDF_NO_BLOCK)
		return;
	block_at(f, before)->next = block_at(f, worn)->next;
	if (p->free_tail == worn)
		p->free_tail = before;
	block_at(f, worn)->next = p->free_head;
	p->free_head = worn;
}

/* The page gets another owner, @lpn. @change: of the number of valid pages, 1 or -1. */
static __always_inline void set_owner(struct ssdf_device *f, ssdf_ppn_t ppn, ssdf_lpn_t lpn,
				      int change)
{
	u32 nr = ssdf_block_of(f, ppn);
	struct ssdf_block_info *block = &f->blocks[nr];
	u32 plane = ssdf_plane_of_block(f, nr);
	bool closed = block->closed;

	if (closed)
		closed_del(f, plane, ssdf_block(nr));
	block->valid += change;
	f->valid_pages += change;
	f->reverse[ssdf_ppn_nr(ppn)] = lpn;
	if (closed)
		closed_add(f, plane, ssdf_block(nr));
}

/* Valid page -> outdated page. */
static noinline void invalidate(struct ssdf_device *f, ssdf_ppn_t ppn)
{
	set_owner(f, ppn, SSDF_NO_LPN, -1);
}

/* Outdated page -> valid page. */
static noinline void validate(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	set_owner(f, ppn, lpn, 1);
}

static __always_inline void map_page(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	ssdf_ppn_t old = f->map[ssdf_lpn_nr(lpn)];

	f->lost_pages -= old == SSDF_LOST;
	f->outdated_plane = f->nr_planes;
	if (ssdf_is_mapped(old)) {
		f->outdated_plane = ssdf_plane_of(f, old);
		invalidate(f, old);
	}
	WRITE_ONCE(f->map[ssdf_lpn_nr(lpn)], ppn);
	validate(f, lpn, ppn);
}

/*
 * Allocate the next page of @open; opens a free block if there is none. Inline, because each write
 * needs it.
 */
static __always_inline ssdf_ppn_t next_page(struct ssdf_device *f, u32 plane,
					    ssdf_block_t *open)
{
	bool opens = *open == SSDF_NO_BLOCK, closes;
	u32 nr, page;

	if (opens)
		*open = free_take(f, plane);
	nr = ssdf_block_nr(*open);
	page = f->blocks[nr].written++;
	closes = page + 1 == f->params.pages;
	if (closes)
		*open = SSDF_NO_BLOCK;
	if (opens || closes)
		update_room(f, plane);
	return ssdf_ppn(nr * f->params.pages + page);
}

static bool has_room(const struct ssdf_device *f, u32 plane)
{
	return f->planes[plane].room;
}

/* Without a block to open, the page goes to a block that is open for other pages. */
static ssdf_ppn_t host_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn, u32 stream)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t *open = &p->host_blocks[stream];
	ssdf_ppn_t ppn;

	if (p->nr_free <= f->gc_reserve)
		open = open_host_block(f, p, stream);
	ppn = next_page(f, plane, open);
	f->host_pages += ssdf_lpn_nr(lpn) < f->nr_lpns;
	if (f->stamps)
		f->stamps[ssdf_block_of(f, ppn)] = f->host_pages;
	f->blocks[ssdf_block_of(f, ppn)].holds = open - p->host_blocks;
	map_page(f, lpn, ppn);
	return ppn;
}

/* A plane of the die with a free page for the host, round robin; nr_planes: none. */
static u32 plane_with_room(struct ssdf_device *f, u32 nr)
{
	struct ssdf_die *die = &f->dies[nr];
	u32 planes = f->params.planes, i, plane;

	for (i = 0; i < planes; i++) {
		plane = nr * planes + (die->turn + i) % planes;
		if (has_room(f, plane)) {
			die->turn = (die->turn + i + 1) % planes;
			return plane;
		}
	}
	return f->nr_planes;
}

static bool die_has_room(const struct ssdf_device *f, u32 die)
{
	u32 plane;

	for (plane = 0; plane < f->params.planes; plane++)
		if (READ_ONCE(f->planes[die * f->params.planes + plane].room))
			return true;
	return false;
}

/*
 * Dynamic allocation: the turn of the least loaded die with room, round robin among equals;
 * nr_dies: no die has room.
 */
static u32 least_loaded(const struct ssdf_device *f)
{
	u32 first = READ_ONCE(f->turn), best = f->nr_dies, best_load = U32_MAX, i;

	for (i = 0; i < f->nr_dies && best_load; i++) {
		u32 turn = first + i < f->nr_dies ? first + i : first + i - f->nr_dies;
		u32 die = ssdf_die_of_turn(f, turn), load = READ_ONCE(f->dies[die].load);

		if (load < best_load && die_has_room(f, die)) {
			best = turn;
			best_load = load;
		}
	}
	return best;
}

static u32 find_plane(struct ssdf_device *f)
{
	u32 turn = f->planes_with_room ? least_loaded(f) : f->nr_dies;

	if (turn == f->nr_dies)
		return f->nr_planes;
	WRITE_ONCE(f->turn, (turn + 1) % f->nr_dies);
	return plane_with_room(f, ssdf_die_of_turn(f, turn));
}

/*
 * Static allocation: can the plane make room for no page, because all its blocks have valid pages
 * only? Possible on a medium that was written with dynamic allocation. Then writes go to any plane,
 * as the pages that they outdate are in other planes, too.
 */
bool ssdf_is_overfull(const struct ssdf_device *f, u32 plane)
{
	return f->media && !has_room(f, plane) && f->planes[plane].victim == SSDF_NO_BLOCK;
}

/*
 * Load of the die that would get a host write with dynamic allocation; U32_MAX: no die has
 * room. Callers that accept a snapshot need no lock.
 */
u32 ssdf_least_load(const struct ssdf_device *f)
{
	u32 turn = least_loaded(f);

	return turn < f->nr_dies ? READ_ONCE(f->dies[ssdf_die_of_turn(f, turn)].load) : U32_MAX;
}

/*
 * Allocate the flash page of a host write: sets the command's plane, lpn, ppn and place. Returns
 * false if no block is free; GC is running then.
 */
bool ssdf_write_page(struct ssdf_device *f, ssdf_lpn_t lpn, struct ssdf_command *cmd)
{
	/* Nearly all devices have one open block for the host. */
	u32 stream = f->host_blocks == 1 ? 0 : ssdf_stream_of(f, lpn, cmd->rq);
	bool any = f->params.allocation != SSDF_STATIC;
	u32 plane = any ? f->nr_planes : ssdf_static_plane(f, lpn);

	if (any || ssdf_is_overfull(f, plane))
		plane = find_plane(f);
	if (plane == f->nr_planes || !has_room(f, plane))
		return false;
	cmd->plane = plane;
	cmd->lpn = lpn;
	cmd->ppn = host_page(f, plane, lpn, stream);
	cmd->place = ssdf_page_in_block(f, cmd->ppn);
	return true;
}

/* The open block for pages of the victim. */
static ssdf_block_t *moved_block(struct ssdf_plane *p)
{
	if (p->levelling)
		return &p->wear_block;
	return p->moves_hot ? &p->gc_hot_block : &p->gc_block;
}

/*
 * Translation pages have blocks of their own. But a victim may have pages of both kinds: if no
 * other block can be opened, the host writes both kinds to one block, and so does GC.
 */
static ssdf_block_t *moved_block_for(const struct ssdf_device *f, struct ssdf_plane *p,
				     ssdf_lpn_t lpn)
{
	ssdf_block_t *block = moved_block(p), *other = &p->gc_map_block;

	if (ssdf_is_translation_page(f, lpn))
		swap(block, other);
	return *block == SSDF_NO_BLOCK && !p->nr_free ? other : block;
}

/*
 * Was the block opened for translation pages? It may hold data, too, and a block that was opened
 * for data may hold translation pages, if no other block could be opened.
 */
bool ssdf_is_map_block(const struct ssdf_device *f, ssdf_block_t nr)
{
	u32 holds = block_at(f, nr)->holds;

	return f->params.map_cache &&
	       (holds == ssdf_map_block(&f->params) || holds == SSDF_MOVED_MAP);
}

/* Always true, except on a medium that does not keep the moves of a block together. */
bool ssdf_gc_has_page(const struct ssdf_device *f, u32 plane)
{
	const struct ssdf_plane *p = &f->planes[plane];

	return *moved_block(&f->planes[plane]) != SSDF_NO_BLOCK ||
	       p->gc_map_block != SSDF_NO_BLOCK || p->nr_free;
}

/* Moved pages keep their time: the block is as old as the youngest of them. */
static void keep_stamp(struct ssdf_device *f, u32 from, ssdf_ppn_t ppn)
{
	u32 to = ssdf_block_of(f, ppn);

	if (f->stamps && (!ssdf_page_in_block(f, ppn) || f->stamps[from] > f->stamps[to]))
		f->stamps[to] = f->stamps[from];
}

/* Allocate a page for data that GC moves within the plane; needs ssdf_gc_has_page(). */
ssdf_ppn_t ssdf_gc_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t *block = moved_block_for(f, p, lpn);
	ssdf_ppn_t ppn;

	if (block == &p->wear_block && *block == SSDF_NO_BLOCK)
		most_worn_first(f, plane);
	ppn = next_page(f, plane, block);
	f->blocks[ssdf_block_of(f, ppn)].holds =
		block == &p->gc_map_block ? SSDF_MOVED_MAP : SSDF_MOVED;
	keep_stamp(f, ssdf_block_of(f, f->map[ssdf_lpn_nr(lpn)]), ppn);
	map_page(f, lpn, ppn);
	return ppn;
}

/*
 * Valid page at @ppn -> lost page. Returns false if the page is elsewhere by now. No check for GC
 * is needed: GC is working on the block of @ppn, or the block is open.
 */
bool ssdf_lose_page(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	if (f->map[ssdf_lpn_nr(lpn)] != ppn)
		return false;
	invalidate(f, ppn);
	WRITE_ONCE(f->map[ssdf_lpn_nr(lpn)], SSDF_LOST);
	f->lost_pages++;
	return true;
}

/* Page whose write to @ppn failed -> page at @old, which has not been erased since. */
void ssdf_unwrite_page(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn, ssdf_ppn_t old)
{
	invalidate(f, ppn);
	WRITE_ONCE(f->map[ssdf_lpn_nr(lpn)], old);
	f->lost_pages += old == SSDF_LOST;
	if (ssdf_is_mapped(old))
		validate(f, lpn, old);
}

/* Discard a page. Returns the plane that lost a valid page and may need GC; nr_planes: none. */
u32 ssdf_trim_page(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(lpn)];

	WRITE_ONCE(f->map[ssdf_lpn_nr(lpn)], SSDF_TRIMMED);
	f->lost_pages -= ppn == SSDF_LOST;
	if (f->media && (ssdf_is_mapped(ppn) || ppn == SSDF_LOST))
		f->media->trimmed(f->media_data, lpn);
	if (!ssdf_is_mapped(ppn))
		return f->nr_planes;
	f->stats.trimmed_pages++;
	invalidate(f, ppn);
	return ssdf_plane_of(f, ppn);
}

/*
 * The program of a page has ended. The last one closes the block: returns true, as GC may
 * take the block now.
 */
bool ssdf_programmed(struct ssdf_device *f, ssdf_ppn_t ppn)
{
	u32 nr = ssdf_block_of(f, ppn);
	struct ssdf_block_info *block = &f->blocks[nr];
	u32 plane = ssdf_plane_of_block(f, nr);

	if (++block->programmed < f->params.pages)
		return false;
	closed_add(f, plane, ssdf_block(nr));
	return true;
}

/* Has the page's program ended? */
static bool is_programmed(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ssdf_page_in_block(f, ppn) < f->blocks[ssdf_block_of(f, ppn)].programmed;
}

/* Does a read of the page need the flash, or does the controller have the data? */
bool ssdf_is_in_flash(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ppn == SSDF_UNMAPPED || (ssdf_is_mapped(ppn) && is_programmed(f, ppn));
}

/*
 * Set the place where a read finds the command's page. A page that was not written since the device
 * was created may still hold older data on the origin. Its read takes as long as if the page had
 * been written in static order.
 */
void ssdf_place_to_read(const struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(cmd->lpn)];
	u32 block;

	if (ssdf_is_mapped(ppn)) {
		block = ssdf_block_of(f, ppn);
		cmd->ppn = ppn;
		cmd->plane = ssdf_plane_of_block(f, block);
		cmd->place = ssdf_ppn_nr(ppn) - block * f->params.pages;
		return;
	}
	cmd->plane = ssdf_static_plane(f, cmd->lpn);
	cmd->place = ssdf_page_in_block(f, ssdf_ppn(reciprocal_divide(ssdf_lpn_nr(cmd->lpn),
								      f->by_planes)));
	cmd->ppn = ssdf_ppn(cmd->plane * f->plane_pages + cmd->place);
}

/* The closed block with the fewest valid pages that frees @worth pages, or SSDF_NO_BLOCK. */
ssdf_block_t ssdf_emptiest(struct ssdf_device *f, u32 plane, u32 worth)
{
	struct ssdf_plane *p = &f->planes[plane];
	ssdf_block_t nr;

	for (; p->min_valid + worth <= f->params.pages; p->min_valid++) {
		nr = *closed_list(f, plane, p->min_valid);
		if (nr != SSDF_NO_BLOCK)
			return nr;
	}
	return SSDF_NO_BLOCK;
}

/* Closed block -> victim. */
void ssdf_take_closed(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	closed_del(f, plane, nr);
}

/* Victim whose valid pages were moved -> free block. */
void ssdf_erased(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	struct ssdf_block_info *block = block_at(f, nr);

	block->written = 0;
	block->programmed = 0;
	free_add(f, plane, nr);
}

static ssdf_ppn_t fill_page(struct ssdf_device *f, u32 plane, ssdf_block_t *open, ssdf_lpn_t lpn)
{
	ssdf_ppn_t ppn = next_page(f, plane, open);
	u32 nr = ssdf_block_of(f, ppn);

	if (lpn != SSDF_NO_LPN) {
		map_page(f, lpn, ppn);
		if (ssdf_is_translation_page(f, lpn))
			f->blocks[nr].holds = ssdf_map_block(&f->params);
	}
	if (++f->blocks[nr].programmed == f->params.pages)
		closed_add(f, plane, ssdf_block(nr));
	return ppn;
}

/* Ageing: fill a page at once; SSDF_NO_LPN: with outdated data. */
void ssdf_fill_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn)
{
	fill_page(f, plane, &f->planes[plane].host_blocks[0], lpn);
}

/* As ssdf_fill_page(), but as if GC had moved the page. */
void ssdf_fill_moved_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn)
{
	ssdf_ppn_t ppn = fill_page(f, plane, &f->planes[plane].gc_block, lpn);

	f->blocks[ssdf_block_of(f, ppn)].holds = SSDF_MOVED;
}

/* Start of a restore: all blocks unknown, all pages empty. */
void ssdf_restore_map(struct ssdf_device *f)
{
	u32 i;

	for (i = 0; i < f->nr_lpns; i++)
		f->map[i] = SSDF_TRIMMED;
	for (i = 0; i < f->nr_planes; i++) {
		f->planes[i].free_head = SSDF_NO_BLOCK;
		f->planes[i].nr_free = 0;
		update_room(f, i);
	}
	WRITE_ONCE(f->free_blocks, 0);
}

/* Make the page that the map names valid. Returns false if the map cannot be true. */
bool ssdf_restore_page(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	ssdf_ppn_t ppn = f->map[ssdf_lpn_nr(lpn)];

	f->lost_pages += ppn == SSDF_LOST;
	if (!ssdf_is_mapped(ppn))
		return true;
	if (f->reverse[ssdf_ppn_nr(ppn)] != SSDF_NO_LPN ||
	    ssdf_page_in_block(f, ppn) >= f->blocks[ssdf_block_of(f, ppn)].written)
		return false;
	f->reverse[ssdf_ppn_nr(ppn)] = lpn;
	f->blocks[ssdf_block_of(f, ppn)].valid++;
	f->valid_pages++;
	return true;
}

/* Unknown block with @written pages -> free, in use, or bad. */
void ssdf_restore_block(struct ssdf_device *f, ssdf_block_t nr, u32 written)
{
	if (written == SSDF_UNUSABLE) {
		block_at(f, nr)->bad = true;
		written = f->params.pages;
	}
	block_at(f, nr)->written = written;
	block_at(f, nr)->programmed = written;
	if (!written)
		free_add(f, ssdf_plane_of_block(f, ssdf_block_nr(nr)), nr);
}

/* Open a partly written block, for GC or for the host. Returns false if both have one. */
static bool reopen(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	struct ssdf_plane *p = &f->planes[plane];

	if (p->gc_block == SSDF_NO_BLOCK) {
		p->gc_block = nr;
		return true;
	}
	if (p->host_blocks[0] != SSDF_NO_BLOCK)
		return false;
	p->host_blocks[0] = nr;
	update_room(f, plane);
	return true;
}

/*
 * All pages of the block are restored: block in use -> open or closed. In a partly written block
 * that is closed, the unwritten pages count as outdated. Such a block without valid pages is always
 * closed: the plane may have no free block, and then that block is the one that GC can erase.
 */
void ssdf_restore_closed(struct ssdf_device *f, ssdf_block_t nr)
{
	u32 plane = ssdf_plane_of_block(f, ssdf_block_nr(nr));
	struct ssdf_block_info *block = block_at(f, nr);

	if (!block->written || block->bad)
		return;
	if (block->written < f->params.pages && block->valid && reopen(f, plane, nr))
		return;
	block->written = f->params.pages;
	block->programmed = f->params.pages;
	closed_add(f, plane, nr);
}

/* All good blocks of the plane are free. */
static void init_plane(struct ssdf_device *f, u32 plane)
{
	struct ssdf_plane *p = &f->planes[plane];
	u32 first = plane * f->params.blocks, i;

	p->free_head = SSDF_NO_BLOCK;
	for (i = 0; i < ARRAY_SIZE(p->host_blocks); i++)
		p->host_blocks[i] = SSDF_NO_BLOCK;
	p->gc_block = SSDF_NO_BLOCK;
	p->gc_hot_block = SSDF_NO_BLOCK;
	p->gc_map_block = SSDF_NO_BLOCK;
	p->wear_block = SSDF_NO_BLOCK;
	p->victim = SSDF_NO_BLOCK;
	p->min_valid = f->params.pages;
	INIT_LIST_HEAD(&p->check);
	for (i = 0; i < SSDF_NR_LANES; i++)
		INIT_LIST_HEAD(&p->stalled[i]);
	for (i = first; i < first + f->params.blocks; i++)
		if (!f->blocks[i].bad)
			free_add(f, plane, ssdf_block(i));
}

/* On failure, ssdf_ftl_destroy() frees what was allocated. May sleep. */
int ssdf_ftl_create(struct ssdf_device *f)
{
	size_t lists = (size_t)f->nr_planes * (f->params.pages + 1), i;
	u32 plane;

	f->map = ssdc_alloc_array(f->nr_lpns + f->nr_map_pages, sizeof(*f->map));
	f->reverse = ssdc_alloc_array(f->nr_pages, sizeof(*f->reverse));
	f->blocks = ssdc_alloc_array(f->nr_blocks, sizeof(*f->blocks));
	if (ssdf_has_stamps(&f->params))
		f->stamps = ssdc_alloc_array(f->nr_blocks, sizeof(*f->stamps));
	f->closed = ssdc_alloc_array(lists, sizeof(*f->closed));
	f->planes = ssdc_alloc_array(f->nr_planes, sizeof(*f->planes));
	f->static_planes = ssdc_alloc_array(f->nr_planes, sizeof(*f->static_planes));
	if (!f->map || !f->reverse || !f->blocks || !f->closed || !f->planes || !f->static_planes ||
	    (ssdf_has_stamps(&f->params) && !f->stamps))
		return -ENOMEM;

	ssdf_mark_bad(f);
	for (i = 0; i < lists; i++)
		f->closed[i] = SSDF_NO_BLOCK;
	for (plane = 0; plane < f->nr_planes; plane++) {
		f->static_planes[plane] = ssdf_die_of_turn(f, plane % f->nr_dies) *
					  f->params.planes + plane / f->nr_dies;
		init_plane(f, plane);
	}
	return 0;
}

void ssdf_ftl_destroy(struct ssdf_device *f)
{
	kvfree(f->static_planes);
	kvfree(f->planes);
	kvfree(f->closed);
	kvfree(f->stamps);
	kvfree(f->blocks);
	kvfree(f->reverse);
	kvfree(f->map);
}

static bool block_ok(const struct ssdf_device *f, u32 nr)
{
	const struct ssdf_block_info *block = &f->blocks[nr];
	u32 page, valid = 0;

	for (page = 0; page < f->params.pages; page++) {
		ssdf_ppn_t ppn = ssdf_ppn(nr * f->params.pages + page);
		ssdf_lpn_t lpn = f->reverse[ssdf_ppn_nr(ppn)];

		if (lpn == SSDF_NO_LPN)
			continue;
		if (page >= block->written || f->map[ssdf_lpn_nr(lpn)] != ppn)
			return false;
		valid++;
	}
	return valid == block->valid && block->programmed <= block->written &&
	       !(block->bad && (block->closed || (block->written && !f->media)));
}

/* Check that the map, the reverse map, the blocks and the lists agree. O(pages). */
int ssdf_ftl_check(const struct ssdf_device *f)
{
	u32 i, plane, valid, pages = 0, lost = 0, closed = 0, listed = 0, nr_free = 0, rooms = 0;
	ssdf_block_t block;

	for (i = 0; i < f->nr_blocks; i++) {
		if (!block_ok(f, i))
			return -EUCLEAN;
		pages += f->blocks[i].valid;
		closed += f->blocks[i].closed;
	}
	for (i = 0; i < f->nr_lpns + f->nr_map_pages; i++) {
		pages -= ssdf_is_mapped(f->map[i]);
		lost += f->map[i] == SSDF_LOST;
	}
	for (plane = 0; plane < f->nr_planes; plane++) {
		for (valid = 0; valid <= f->params.pages; valid++) {
			block = *closed_list(f, plane, valid);
			for (; block != SSDF_NO_BLOCK; block = block_at(f, block)->next) {
				if (block_at(f, block)->valid != valid ||
				    valid < f->planes[plane].min_valid || ++listed > closed)
					return -EUCLEAN;
			}
		}
		nr_free += f->planes[plane].nr_free;
	}
	for (plane = 0; plane < f->nr_planes; plane++)
		rooms += f->planes[plane].nr_free > f->gc_reserve ||
			 open_host_block(f, &f->planes[plane], 0);
	if (rooms != f->planes_with_room || lost != f->lost_pages)
		return -EUCLEAN;
	return pages || listed != closed || nr_free != f->free_blocks ? -EUCLEAN : 0;
}
