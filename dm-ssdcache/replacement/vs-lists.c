// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include "vs-lists.h"

const char *const vs_first_words[] = { "eviction", "hit", NULL };
const char *const vs_move_words[] = { "promote", "literal", "always", NULL };

/**
 * vs_create() - create() of both policies
 * @r: the policy
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int vs_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct vs_lists *vs = to_vs(r);
	unsigned int level;

	static_assert(VS_NR_LEVELS <= VG_LISTS);
	for (level = 0; level < VS_NR_LEVELS; level++)
		ssdc_list_init(&vs->lists[level]);
	vs->filling = true;
	return visibility_graph_create(&vs->graph, r, error);
}

/* Context: may sleep. */
void vs_destroy(struct ssdc_replacement *r)
{
	visibility_graph_destroy(&to_vs(r)->graph);
}

/* ---- lists ---- */

static unsigned int level_of(const struct vs_lists *vs, ssdc_frame_t frame)
{
	return (ssdc_replacement_entry(&vs->r, frame)->list + vs->shift) % VS_NR_LEVELS;
}

/* Move a page to the head of another list, or of its own. @rank: rank of the page in the graph. */
static inline void move(struct vs_lists *vs, ssdc_frame_t frame, u32 rank, unsigned int from,
			unsigned int to)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&vs->r, frame);
	ssdc_frame_t prev = entry->prev, next = entry->next, head = vs->lists[to].head;
	bool first = prev == SSDC_NO_FRAME, last = next == SSDC_NO_FRAME;
	bool empty = head == SSDC_NO_FRAME;

	/* Only one branch for nearly all pages: a hit may move 128 pages. */
	if (likely(!(first | last | empty))) {
		ssdc_replacement_entry(&vs->r, prev)->next = next;
		ssdc_replacement_entry(&vs->r, next)->prev = prev;
		entry->prev = SSDC_NO_FRAME;
		entry->next = head;
		ssdc_replacement_entry(&vs->r, head)->prev = frame;
		vs->lists[to].head = frame;
		vs->lists[from].count--;
		vs->lists[to].count++;
	} else {
		ssdc_list_del(vs->r.entries, &vs->lists[from], frame);
		ssdc_list_add_head(vs->r.entries, &vs->lists[to], frame);
	}
	visibility_graph_move(&vs->graph, frame, rank, entry->list, vs_list_at(vs, to));
	entry->list = vs_list_at(vs, to);
	vs->moves[to]++;
}

static bool is_empty(const struct vs_lists *vs)
{
	unsigned int level;

	for (level = 0; level < VS_NR_LEVELS; level++)
		if (!ssdc_list_empty(&vs->lists[level]))
			return false;
	return true;
}

static void leave(struct vs_lists *vs, ssdc_frame_t frame, unsigned int level)
{
	ssdc_list_del(vs->r.entries, &vs->lists[level], frame);
	visibility_graph_leave(&vs->graph, frame);
}

/* Fig. 4 (b): level 3 is empty; move all other lists down by one level. */
static void demote(struct vs_lists *vs)
{
	struct ssdc_list empty = vs->lists[VS_EVICTION];
	unsigned int level;

	for (level = VS_EVICTION; level > VS_HIT; level--)
		vs->lists[level] = vs->lists[level - 1];
	vs->lists[VS_HIT] = empty;
	vs->shift++;
	vs->demotions++;
}

/* Make level 3 non-empty if there are any pages. */
static void demote_to_fill(struct vs_lists *vs)
{
	while (ssdc_list_empty(&vs->lists[VS_EVICTION]) && !is_empty(vs))
		demote(vs);
}

/* ---- graph ---- */

/**
 * vs_build() - request a build of the graph, in the background
 * @vs: the lists
 */
void vs_build(struct vs_lists *vs)
{
	visibility_graph_build(&vs->graph);
	vs->r.plugin.wants_step = true;
}

/* A step of the build that vs_build() has requested. */
bool vs_step(struct ssdc_plugin *plugin)
{
	return visibility_graph_step(&to_vs((struct ssdc_replacement *)plugin)->graph);
}

/* The cache is full: end the filling stage and request the first graph. */
static void full(struct vs_lists *vs)
{
	if (!vs->filling)
		return;
	vs->filling = false;
	vs_build(vs);
}

/* Did the last build find no page, as all frames held victims, and is no build pending? */
static bool lacks_graph(const struct vs_lists *vs)
{
	return !visibility_graph_now(&vs->graph)->nr && !vs->r.plugin.wants_step;
}

static void enter(struct vs_lists *vs, ssdc_frame_t frame)
{
	ssdc_replacement_entry(&vs->r, frame)->weight = 1;
	visibility_graph_enter(&vs->graph, frame);
	/*
	 * Prefetched pages hold frames, too: if they did not count here, the cache might never
	 * count as full.
	 */
	if (vs->r.pages + ssdc_prefetched_pages(vs->r.plugin.tier) < vs->r.capacity)
		return;
	full(vs);
	if (lacks_graph(vs))
		vs_build(vs);
}

/* ---- events ---- */

/* The page goes to the head of level 0 or, as long as the cache has not been full, of level 3. */
void vs_insert(struct ssdc_replacement *r, ssdc_frame_t frame, const struct ssdc_host_request *rq,
	       bool dirty)
{
	struct vs_lists *vs = to_vs(r);
	bool last = vs->filling && vs->first == VS_FIRST_EVICTION;
	unsigned int level = last ? VS_EVICTION : VS_HIT;

	ssdc_replacement_entry(r, frame)->list = vs_list_at(vs, level);
	ssdc_list_add_head(r->entries, &vs->lists[level], frame);
	enter(vs, frame);
}

/*
 * The pages beside a hit page that move if they are seen (Alg. 1, line 10): pages that are not
 * higher move to level 2, higher pages to level 1. At its own level, a page moves to the head.
 */
static struct vg_pages movable(const struct vs_lists *vs, u32 rank, enum vg_side side)
{
	struct vg_marks marks = vg_marks_beside(visibility_graph_now(&vs->graph), rank, side);
	struct vg_marks level = vs_levels(vs, marks);
	struct vg_pages up = { level.high, level.high | level.low };
	struct vg_pages down = { ~(level.high & level.low), ~level.high };
	u64 may_rise = vs->move != VS_MOVE_LITERAL ? marks.here : 0;
	u64 may_sink = vs->move != VS_MOVE_PROMOTE ? marks.here : 0;

	static_assert(VS_HOT == 1 && VS_ADJACENT == 2);
	return (struct vg_pages){
		.lower = (up.lower & may_rise) | (down.lower & may_sink),
		.higher = (up.higher & may_rise) | (down.higher & may_sink),
	};
}

/* Pages move to a level along with a hit page; see vg_next_rank() for @first. */
static __always_inline void move_pages(struct vs_lists *vs, u32 first, u64 left,
				       unsigned int to)
{
	const ssdc_frame_t *frames = visibility_graph_now(&vs->graph)->frames;

	while (left) {
		u32 rank = vg_next_rank(first, &left);

		move(vs, frames[rank], rank, level_of(vs, frames[rank]), to);
	}
}

/*
 * Alg. 1, vs_batch_move(): move the pages on one side of a hit page that are near and not higher
 * (type 10), and the higher pages (01, 11). Far pages that are not higher (00) stay in their
 * places.
 */
static void move_seen(struct vs_lists *vs, u32 rank, enum vg_side side)
{
	struct vg_pages moving = vg_look(&vs->graph, rank, side, vs->gap, movable(vs, rank, side));

	move_pages(vs, vg_first_rank(rank, side), moving.lower, VS_ADJACENT);
	move_pages(vs, vg_first_rank(rank, side), moving.higher, VS_HOT);
}

/* Fig. 4 (a). */
void vs_hit(struct ssdc_replacement *r, ssdc_frame_t frame, const struct ssdc_host_request *rq,
	    bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	struct vs_lists *vs = to_vs(r);
	u32 rank = vg_rank_of(&vs->graph, frame);

	if (entry->weight < VG_MAX_COUNT)
		entry->weight++;
	move(vs, frame, rank, level_of(vs, frame), VS_HIT);
	if (rank == VG_NO_RANK)
		return;
	move_seen(vs, rank, VG_BEFORE);
	move_seen(vs, rank, VG_BEHIND);
}

void vs_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct vs_lists *vs = to_vs(r);

	leave(vs, frame, level_of(vs, frame));
	if (is_empty(vs))
		vs->filling = true;
}

/**
 * vs_victim() - pick the next victim
 * @vs: the lists
 *
 * Return: the tail of the Eviction list; SSDC_NO_FRAME if there are no pages.
 */
ssdc_frame_t vs_victim(struct vs_lists *vs)
{
	full(vs);
	demote_to_fill(vs);
	return vs->lists[VS_EVICTION].tail;
}

/**
 * vs_evict() - a page of the batch leaves
 * @vs: the lists
 * @frame: the page's frame, on the Eviction list
 */
void vs_evict(struct vs_lists *vs, ssdc_frame_t frame)
{
	leave(vs, frame, VS_EVICTION);
}

/**
 * vs_evicted() - finish a batch
 * @vs: the lists
 * @pages: size of the batch, at least 1
 */
void vs_evicted(struct vs_lists *vs, unsigned int pages)
{
	vs->sizes[min_t(unsigned int, pages, VS_SIZES) - 1]++;
	demote_to_fill(vs);
}

/* The page goes to the tail of level 3, behind those that were adopted before it. */
void vs_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct vs_lists *vs = to_vs(r);

	ssdc_replacement_entry(r, frame)->list = vs_list_at(vs, VS_EVICTION);
	ssdc_list_add_tail(r->entries, &vs->lists[VS_EVICTION], frame);
	enter(vs, frame);
}

/* Lists are only roughly in order of use: take the most recently used of their heads. */
ssdc_frame_t vs_pop_hottest(struct ssdc_replacement *r)
{
	struct vs_lists *vs = to_vs(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int level;

	for (level = 0; level < VS_NR_LEVELS; level++)
		frame = ssdc_replacement_hotter(r, vs->lists[level].head, frame);
	if (frame != SSDC_NO_FRAME)
		leave(vs, frame, level_of(vs, frame));
	return frame;
}

int vs_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[VS_NR_LEVELS] = { "hit", "hot", "adjacent", "eviction" };
	const struct vs_lists *vs = to_vs(r);
	unsigned int level;
	u32 pages = 0;
	int result;

	for (level = 0; level < VS_NR_LEVELS; level++) {
		result = ssdc_list_check(r->entries, &vs->lists[level], vs_list_at(vs, level),
					 names[level], finding);
		if (result)
			return result;
		pages += vs->lists[level].count;
	}
	result = ssdc_pages_check(r, pages, finding);
	return result ? result : visibility_graph_check(&vs->graph, finding);
}
