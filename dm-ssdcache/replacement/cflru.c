// SPDX-License-Identifier: GPL-2.0
/*
 * CFLRU: clean pages leave first, within a window at the least recent end.
 *
 * Source	Park et al., CASES 2006 [Park06]; window as in [Shin23] ("half or one third")
 * Cost		O(1) per access, no memory beyond struct ssdc_entry
 *
 * The last `window` pages of the LRU order form the clean-first region. The region is kept
 * as two lists, each in order of use, so finding its least recent clean page needs no scan:
 *
 *	insert, hit -> [ working ] -> clean-first [ clean ] -> 1st choice
 *					          [ dirty ] -> 2nd choice
 *
 * A page flushed inside the region moves to its place in the clean list. The search for that
 * place stops after SSDC_STEP_FRAMES pages, so the order of old clean pages is approximate
 * after a flush of everything (FLUSH, which the paper does not cover).
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/replacement.h"

enum { WORKING, CLEAN, DIRTY, NR_LISTS };

/* A changed window takes effect gradually: each access moves this many pages. */
#define MOVES 4

struct cflru {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	u32 window;			/* percent of the DRAM tier */
	u64 clean_victims;
	u64 dirty_victims;
};

static struct cflru *to_cflru(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct cflru, r);
}

static int cflru_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&to_cflru(r)->lists[i]);
	return 0;
}

static void unlink_page(struct cflru *c, ssdc_frame_t frame)
{
	ssdc_list_del(c->r.entries, &c->lists[ssdc_replacement_entry(&c->r, frame)->list], frame);
}

static void link_head(struct cflru *c, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&c->r, frame)->list = list;
	ssdc_list_add_head(c->r.entries, &c->lists[list], frame);
}

static void link_tail(struct cflru *c, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&c->r, frame)->list = list;
	ssdc_list_add_tail(c->r.entries, &c->lists[list], frame);
}

static u8 region_list(const struct cflru *c, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(&c->r, frame)->flags & SSDC_E_DIRTY ? DIRTY : CLEAN;
}

/*
 * Is the page clean but still on the dirty list, as the sync pass that flushed it has not notified
 * the policy yet?
 */
static bool is_unnotified(const struct cflru *c, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(&c->r, frame)->flags & SSDC_E_UNNOTIFIED;
}

static u32 region_pages(const struct cflru *c)
{
	return c->lists[CLEAN].count + c->lists[DIRTY].count;
}

static u32 window_pages(const struct cflru *c)
{
	return div_u64((u64)c->r.capacity * c->window, 100);
}

/* Move the boundary between the working and the clean-first region towards its place. */
static void balance(struct cflru *c)
{
	u32 window = window_pages(c);
	unsigned int moves;
	ssdc_frame_t frame;

	for (moves = 0; moves < MOVES; moves++) {
		if (region_pages(c) < window && !ssdc_list_empty(&c->lists[WORKING])) {
			frame = ssdc_list_pop_tail(c->r.entries, &c->lists[WORKING]);
			link_head(c, frame, region_list(c, frame));
		} else if (region_pages(c) > window) {
			frame = ssdc_replacement_hotter(&c->r, c->lists[CLEAN].head,
							c->lists[DIRTY].head);
			unlink_page(c, frame);
			link_tail(c, frame, WORKING);
		} else {
			return;
		}
	}
}

/*
 * Link an unlinked page as the most recent one. If the working region is empty and the
 * clean-first region has room, balance() would move the page there, so link it there.
 */
static void use(struct cflru *c, ssdc_frame_t frame)
{
	if (ssdc_list_empty(&c->lists[WORKING]) && region_pages(c) < window_pages(c)) {
		link_head(c, frame, region_list(c, frame));
		return;
	}
	link_head(c, frame, WORKING);
	balance(c);
}

static void cflru_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			 const struct ssdc_host_request *rq, bool dirty)
{
	use(to_cflru(r), frame);
}

static void cflru_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool write)
{
	unlink_page(to_cflru(r), frame);
	use(to_cflru(r), frame);
}

/* The page keeps its place in the order of use. */
static void cflru_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
			enum ssdc_flush_reason reason)
{
	struct cflru *c = to_cflru(r);
	ssdc_frame_t older = c->lists[CLEAN].tail, behind = SSDC_NO_FRAME;
	unsigned int steps;

	if (ssdc_replacement_entry(r, frame)->list != DIRTY)
		return;
	ssdc_list_del(r->entries, &c->lists[DIRTY], frame);
	ssdc_replacement_entry(r, frame)->list = CLEAN;
	for (steps = 0; steps < SSDC_STEP_FRAMES && older != SSDC_NO_FRAME; steps++) {
		if (ssdc_replacement_hotter(r, older, frame) == older)
			break;
		behind = older;
		older = ssdc_replacement_entry(r, older)->prev;
	}
	ssdc_list_add_before(r->entries, &c->lists[CLEAN], frame, behind);
}

static void cflru_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_cflru(r), frame);
	balance(to_cflru(r));
}

static void cflru_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			  struct ssdc_batch *batch, unsigned int max)
{
	static const u8 choice[] = { CLEAN, DIRTY, WORKING };
	struct cflru *c = to_cflru(r);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(choice); i++) {
		struct ssdc_list *list = &c->lists[choice[i]];

		if (ssdc_list_empty(list))
			continue;
		if (ssdc_replacement_entry(r, list->tail)->flags & SSDC_E_DIRTY)
			c->dirty_victims++;
		else
			c->clean_victims++;
		ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, list));
		balance(c);
		return;
	}
}

static void cflru_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct cflru *c = to_cflru(r);

	link_tail(c, frame, region_list(c, frame));
	balance(c);
}

static ssdc_frame_t cflru_pop_hottest(struct ssdc_replacement *r)
{
	struct cflru *c = to_cflru(r);
	ssdc_frame_t frame = c->lists[WORKING].head;

	if (frame == SSDC_NO_FRAME)
		frame = ssdc_replacement_hotter(r, c->lists[CLEAN].head, c->lists[DIRTY].head);
	if (frame != SSDC_NO_FRAME)
		unlink_page(c, frame);
	return frame;
}

static int cflru_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "working", "clean", "dirty" };
	const struct cflru *c = to_cflru(r);
	int result = ssdc_lists_check(r, c->lists, names, NR_LISTS, finding);
	ssdc_frame_t frame;
	u32 i;

	if (result)
		return result;
	for (i = CLEAN; i <= DIRTY; i++)
		for (frame = c->lists[i].head; frame != SSDC_NO_FRAME;
		     frame = ssdc_replacement_entry(r, frame)->next)
			if (region_list(c, frame) != i && !is_unnotified(c, frame))
				return ssdc_finding(finding,
						    "frame %u is on list \"%s\", not \"%s\"",
						    ssdc_frame_nr(frame), names[i],
						    names[region_list(c, frame)]);
	return 0;
}

static const struct ssdc_tunable cflru_tunables[] = {
	{ "window", "percent", "DRAM share, at the cold end, in which clean pages leave first",
	  offsetof(struct cflru, window), 50, 1, 100, NULL },
};

static const struct ssdc_stat cflru_stats[] = {
	SSDC_STAT(struct cflru, lists[WORKING].count, "working_list", "pages", SSDC_GAUGE,
		  "pages in the working region"),
	SSDC_STAT(struct cflru, lists[CLEAN].count, "clean_list", "pages", SSDC_GAUGE,
		  "clean pages in the clean-first region"),
	SSDC_STAT(struct cflru, lists[DIRTY].count, "dirty_list", "pages", SSDC_GAUGE,
		  "dirty pages in the clean-first region"),
	SSDC_STAT(struct cflru, clean_victims, "clean_victims", "pages", SSDC_COUNTER,
		  "clean victims"),
	SSDC_STAT(struct cflru, dirty_victims, "dirty_victims", "pages", SSDC_COUNTER,
		  "dirty victims"),
};

struct ssdc_replacement_type ssdc_cflru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "cflru",
			.source = "Park et al., CASES 2006 [Park06]",
			.status = "as published, fixed window; order is approximate after a FLUSH",
			.doc = "clean pages first, within a window at the least recent end",
			.tunables = cflru_tunables,
			.nr_tunables = ARRAY_SIZE(cflru_tunables),
			.stats = cflru_stats,
			.nr_stats = ARRAY_SIZE(cflru_stats),
			.instance_bytes = sizeof(struct cflru),
		},
	},
	.create = cflru_create,
	.insert = cflru_insert,
	.hit = cflru_hit,
	.clean = cflru_clean,
	.clean_work = SSDC_STEP_FRAMES,
	.remove = cflru_remove,
	.no_view = true,
	.victims = cflru_victims,
	.adopt = cflru_adopt,
	.pop_hottest = cflru_pop_hottest,
	.check = cflru_check,
};
