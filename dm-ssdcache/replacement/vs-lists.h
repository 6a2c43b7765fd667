/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common part of VS-Batch and VS-Batch+ ([Sha23], section 3.2.3): four lists, and batch moves
 * of the pages that a hit page sees.
 *
 *	level 0  Hit	   hit pages and new pages
 *	level 1  Hot	   pages that a hit page sees, near or far, of higher count
 *	level 2  Adjacent  pages that a hit page sees near, not higher
 *	level 3  Eviction  the tail is the victim; once empty, all other lists are demoted
 *
 * Until the cache is full for the first time, or again after discards emptied it, new pages
 * enter level 3 (with first=hit: level 0, as later). The first graph is built when the cache
 * is full. A demotion moves all lists down by one level in O(1): lists keep their numbers,
 * and the mapping from numbers to levels shifts.
 *
 * Choices where the paper is silent or contradicts itself:
 *
 * - Alg. 1, line 10 (ori_level <= dst_level) lets pages only move down or stay, against the text
 *   and Fig. 3 and 4. Here they move up, or to the head of their own level. move=literal is line 10
 *   as printed; with move=always, pages move up or down.
 * - The pages that a page sees are visited in the order of addresses.
 * - Lists are demoted when an eviction finds or leaves level 3 empty, not when a hit or a
 *   discard empties it.
 * - A build that finds no page, because the victims of one batch hold all frames, is repeated
 *   once the cache is full. If all pages of a graph have left, nothing is built before the next
 *   build is due.
 * - Eq. 2 is strict: of pages with equal counts, each sees only the next one. Batches then have
 *   half of the 4.1 pages of Fig. 7b. They have as many pages as in Fig. 7b if a page that just
 *   reaches the line does not hide the pages behind it: touch=on, the default.
 * - Pages that entered after the build see nothing until the next build adds them.
 * - Access counts start at 1 when a page enters and stop at 255. decay=on halves them at
 *   each build.
 */
#ifndef SSDC_VS_LISTS_H
#define SSDC_VS_LISTS_H

#include "visibility-graph.h"

enum vs_level { VS_HIT, VS_HOT, VS_ADJACENT, VS_EVICTION, VS_NR_LEVELS };

/* Statistics of batch sizes: 1, 2, ... and this many or more. */
#define VS_SIZES 10

/**
 * struct vs_lists - the start of both policies' instances
 * @r: must be first
 * @graph: graph of the policy's pages
 * @lists: by level
 * @shift: number of demotions; the list at level L has the number L - @shift
 * @filling: the cache has not been full since creation, or since discards emptied it
 * @gap: tunable: largest address difference of a near page
 * @first: tunable: list that pages enter while @filling
 * @move: tunable: which of the pages that a hit page sees are moved
 * @moves: statistic: pages moved to each level by hits
 * @demotions: statistic
 * @sizes: statistic: evictions by batch size
 */
struct vs_lists {
	struct ssdc_replacement r;
	struct visibility_graph graph;
	struct ssdc_list lists[VS_NR_LEVELS];
	u32 shift;
	bool filling;
	/* tunables */
	u32 gap;
	u32 first;
	u32 move;
	/* statistics */
	u64 moves[VS_NR_LEVELS];
	u64 demotions;
	u64 sizes[VS_SIZES];
};

static inline struct vs_lists *to_vs(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct vs_lists, r);
}

/* Number of the list that is now at @level. */
static inline u8 vs_list_at(const struct vs_lists *vs, unsigned int level)
{
	return (level - vs->shift) % VS_NR_LEVELS;
}

/*
 * The marks of pages, with the bits of their levels instead of the bits of the numbers of their
 * lists. The level is the number plus @shift.
 */
static inline struct vg_marks vs_levels(const struct vs_lists *vs, struct vg_marks marks)
{
	u64 add_1 = -(u64)(vs->shift & 1), add_2 = -(u64)(vs->shift >> 1 & 1);

	marks.high ^= add_2 ^ (marks.low & add_1);
	marks.low ^= add_1;
	return marks;
}

int vs_create(struct ssdc_replacement *r, struct ssdc_error *error);
void vs_destroy(struct ssdc_replacement *r);
void vs_insert(struct ssdc_replacement *r, ssdc_frame_t frame, const struct ssdc_host_request *rq,
	       bool dirty);
void vs_hit(struct ssdc_replacement *r, ssdc_frame_t frame, const struct ssdc_host_request *rq,
	    bool write);
void vs_remove(struct ssdc_replacement *r, ssdc_frame_t frame);
void vs_adopt(struct ssdc_replacement *r, ssdc_frame_t frame);
ssdc_frame_t vs_pop_hottest(struct ssdc_replacement *r);
bool vs_step(struct ssdc_plugin *plugin);
int vs_check(const struct ssdc_replacement *r, struct ssdc_error *finding);

void vs_build(struct vs_lists *vs);
ssdc_frame_t vs_victim(struct vs_lists *vs);
void vs_evict(struct vs_lists *vs, ssdc_frame_t frame);
void vs_evicted(struct vs_lists *vs, unsigned int pages);

/* Values of the tunable `first`. */
enum { VS_FIRST_EVICTION, VS_FIRST_HIT };

extern const char *const vs_first_words[];

/* Values of the tunable `move`. */
enum { VS_MOVE_PROMOTE, VS_MOVE_LITERAL, VS_MOVE_ALWAYS };

extern const char *const vs_move_words[];

/* Table rows for @type, whose member @vs is a struct vs_lists. */
#define VS_TUNABLES(type) \
	{ "gap", "pages", "largest address difference of pages that are near each other", \
	  offsetof(type, vs.gap), 4, 1, 64, NULL }, \
	{ "decay", "", "on: halve access counts at each build of the graph", \
	  offsetof(type, vs.graph.decay), 0, 0, 0, ssdc_off_on }, \
	{ "touch", "", "on: a page as high as the line between two others does not hide them", \
	  offsetof(type, vs.graph.touch), 1, 0, 0, ssdc_off_on }, \
	{ "first", "", "list that pages enter until the cache has been full once", \
	  offsetof(type, vs.first), VS_FIRST_EVICTION, 0, 0, vs_first_words }, \
	{ "move", "", "seen pages move: promote: up; literal: down, as in Alg. 1; always: both", \
	  offsetof(type, vs.move), VS_MOVE_PROMOTE, 0, 0, vs_move_words }

#define VS_STATS(type) \
	SSDC_STAT(type, vs.lists[VS_HIT].count, "hit_list", "pages", SSDC_GAUGE, \
		  "pages on the Hit list, level 0"), \
	SSDC_STAT(type, vs.lists[VS_HOT].count, "hot_list", "pages", SSDC_GAUGE, \
		  "pages on the Hot list, level 1"), \
	SSDC_STAT(type, vs.lists[VS_ADJACENT].count, "adjacent_list", "pages", SSDC_GAUGE, \
		  "pages on the Adjacent list, level 2"), \
	SSDC_STAT(type, vs.lists[VS_EVICTION].count, "eviction_list", "pages", SSDC_GAUGE, \
		  "pages on the Eviction list, level 3"), \
	SSDC_STAT(type, vs.moves[VS_HIT], "hit_moves", "pages", SSDC_COUNTER, \
		  "hit pages moved to the Hit list"), \
	SSDC_STAT(type, vs.moves[VS_HOT], "hot_moves", "pages", SSDC_COUNTER, \
		  "pages moved to the Hot list with a hit page"), \
	SSDC_STAT(type, vs.moves[VS_ADJACENT], "adjacent_moves", "pages", SSDC_COUNTER, \
		  "pages moved to the Adjacent list with a hit page"), \
	SSDC_STAT(type, vs.demotions, "demotions", "", SSDC_COUNTER, \
		  "times all lists moved down by one level"), \
	SSDC_STAT_ROW(type, vs.sizes, "eviction_sizes", "batches", SSDC_COUNTER, \
		      "evictions of 1, 2, ... 9 pages, and of 10 or more"), \
	SSDC_STAT(type, vs.graph.builds, "rebuilds", "", SSDC_COUNTER, \
		  "times the graph was built"), \
	SSDC_STAT(type, vs.graph.steps, "rebuild_steps", "steps", SSDC_COUNTER, \
		  "bounded steps of all builds"), \
	SSDC_STAT(type, vs.graph.members, "graph_pages", "pages", SSDC_GAUGE, \
		  "pages of the graph that have not left")

#endif /* SSDC_VS_LISTS_H */
