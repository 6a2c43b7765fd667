// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include "visibility-graph.h"

#define NO_RANK	U32_MAX
#define PENDING	(U32_MAX - 1)	/* among the new pages, without a rank yet */

/* What a step does of each phase: to take a page is less than to compare it with 64. */
#define GATHER_STEP	(4 * SSDC_STEP_FRAMES)
#define SORT_STEP	SSDC_STEP_FRAMES
#define MERGE_STEP	(4 * SSDC_STEP_FRAMES)
#define CONNECT_STEP	SSDC_STEP_FRAMES

/* Frames without a page of the policy that count like one with. */
#define GATHER_FRAMES	1024

static void *alloc_array(size_t nr, size_t bytes)
{
	return kvcalloc(nr, bytes, GFP_KERNEL | __GFP_NOWARN);
}

static bool alloc_copy(struct vg_copy *copy, u32 nr)
{
	u32 i;

	copy->frames = alloc_array(nr, sizeof(*copy->frames));
	copy->counts = alloc_array(nr, sizeof(*copy->counts));
	copy->rows = alloc_array(nr, sizeof(*copy->rows));
	copy->ranks = alloc_array(nr, sizeof(*copy->ranks));
	if (!copy->frames || !copy->counts || !copy->rows || !copy->ranks)
		return false;
	for (i = 0; i < nr; i++)
		copy->ranks[i] = NO_RANK;
	return true;
}

/**
 * visibility_graph_create() - make an empty graph
 * @g: part of the policy's instance, all zero
 * @r: the policy
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM with nothing left behind.
 */
int visibility_graph_create(struct visibility_graph *g, struct ssdc_replacement *r,
			    struct ssdc_error *error)
{
	static_assert(sizeof(struct vg_record) <= sizeof(struct vg_row));
	static_assert(SSDC_MAX_FRAMES < PENDING);

	g->r = r;
	g->held = alloc_array(BITS_TO_LONGS(r->nr_frames), sizeof(long));
	if (g->held && alloc_copy(&g->copies[0], r->nr_frames) &&
	    alloc_copy(&g->copies[1], r->nr_frames))
		return 0;
	visibility_graph_destroy(g);
	scnprintf(error->text, sizeof(error->text),
		  "%s: no memory: %llu bytes are needed for its visibility graph",
		  r->plugin.type->info.name,
		  (unsigned long long)r->nr_frames * VISIBILITY_GRAPH_BYTES);
	return -ENOMEM;
}

/* Context: may sleep. */
void visibility_graph_destroy(struct visibility_graph *g)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(g->copies); i++) {
		kvfree(g->copies[i].frames);
		kvfree(g->copies[i].counts);
		kvfree(g->copies[i].rows);
		kvfree(g->copies[i].ranks);
	}
	kvfree(g->held);
}

/* The copy that is being built. */
static struct vg_copy *next_copy(const struct visibility_graph *g)
{
	return (struct vg_copy *)&g->copies[!g->in_use];
}

static u64 page_of(const struct visibility_graph *g, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(g->r, frame)->page);
}

/**
 * visibility_graph_enter() - a page is the policy's from now on
 * @g: the graph, which it enters when that is built the next time
 * @frame: of the page
 */
void visibility_graph_enter(struct visibility_graph *g, ssdc_frame_t frame)
{
	__set_bit(ssdc_frame_nr(frame), g->held);
}

static void forget(struct vg_copy *copy, u32 frame)
{
	u32 rank = copy->ranks[frame];

	copy->ranks[frame] = NO_RANK;
	if (rank == NO_RANK || rank == PENDING)
		return;
	copy->frames[rank] = SSDC_NO_FRAME;
	copy->gone++;
}

/**
 * visibility_graph_leave() - a page is the policy's no more
 * @g: the graph
 * @frame: of the page
 */
void visibility_graph_leave(struct visibility_graph *g, ssdc_frame_t frame)
{
	struct vg_copy *now = &g->copies[g->in_use];
	u32 nr = ssdc_frame_nr(frame);

	__clear_bit(nr, g->held);
	forget(now, nr);
	g->members = now->nr - now->gone;
	/* What was not gathered yet has the rank of the graph before the one in use. */
	if (g->phase > VG_GATHER || (g->phase == VG_GATHER && nr < g->cursor))
		forget(next_copy(g), nr);
	else
		next_copy(g)->ranks[nr] = NO_RANK;
}

/* ---- building ---- */

static void enter_phase(struct visibility_graph *g, enum vg_phase phase)
{
	g->phase = phase;
	g->cursor = 0;
}

/**
 * visibility_graph_build() - begin to build it anew; after a build that is under way, if any
 * @g: the graph, of which visibility_graph_step() is to be called
 */
void visibility_graph_build(struct visibility_graph *g)
{
	if (g->phase != VG_IDLE) {
		g->again = true;
		return;
	}
	g->again = false;
	g->nr_records = 0;
	g->merged = 0;
	next_copy(g)->nr = 0;
	next_copy(g)->gone = 0;
	enter_phase(g, VG_GATHER);
}

/* The next page: has the graph in use not got it? */
static void gather(struct visibility_graph *g)
{
	struct vg_copy *next = next_copy(g);
	u32 end = min(g->r->nr_frames, g->cursor + GATHER_FRAMES);
	u32 nr = find_next_bit(g->held, end, g->cursor);

	g->cursor = min(nr + 1, end);
	if (nr >= end)
		return;
	next->ranks[nr] = NO_RANK;
	if (visibility_graph_now(g)->ranks[nr] != NO_RANK)
		return;
	next->ranks[nr] = PENDING;
	next->records[g->nr_records].page = page_of(g, ssdc_frame(nr));
	next->records[g->nr_records].frame = nr;
	g->nr_records++;
}

/* Heap sort: let the record at @at sink to its place in the heap of the first @nr. */
static void sink(struct vg_record *records, u32 at, u32 nr)
{
	struct vg_record record = records[at];

	for (;;) {
		u32 child = 2 * at + 1;

		if (child + 1 < nr && records[child + 1].page > records[child].page)
			child++;
		if (child >= nr || records[child].page <= record.page)
			break;
		records[at] = records[child];
		at = child;
	}
	records[at] = record;
}

/* First @nr / 2 times to make the heap, then @nr times to take the last page from it. */
static void sort(struct visibility_graph *g)
{
	struct vg_record *records = next_copy(g)->records;
	u32 nr = g->nr_records, half = nr / 2, at = g->cursor++;

	if (at < half) {
		sink(records, half - 1 - at, nr);
	} else {
		u32 last = nr - 1 - (at - half);

		swap(records[0], records[last]);
		sink(records, 0, last);
	}
}

static void append(struct visibility_graph *g, ssdc_frame_t frame)
{
	struct vg_copy *next = next_copy(g);
	u32 *count = &ssdc_replacement_entry(g->r, frame)->weight;

	next->frames[next->nr] = frame;
	next->counts[next->nr] = min_t(u32, *count, VG_MAX_COUNT);
	next->ranks[ssdc_frame_nr(frame)] = next->nr++;
	if (g->decay)
		*count = max(*count / 2, 1u);
}

/* The next page of the graph in use, or the next new one, whichever comes first. */
static void merge(struct visibility_graph *g)
{
	const struct vg_copy *now = visibility_graph_now(g);
	struct vg_copy *next = next_copy(g);
	bool old = g->merged < now->nr, new = g->cursor < g->nr_records;
	const struct vg_record *record = &next->records[g->cursor];

	if (old && now->frames[g->merged] == SSDC_NO_FRAME) {
		g->merged++;
	} else if (new && next->ranks[record->frame] != PENDING) {
		g->cursor++;
	} else if (!new || (old && page_of(g, now->frames[g->merged]) < record->page)) {
		append(g, now->frames[g->merged++]);
	} else {
		append(g, ssdc_frame(record->frame));
		g->cursor++;
	}
}

static void see(struct vg_copy *copy, u32 a, u32 b)
{
	copy->rows[a].right |= 1ULL << (b - a - 1);
	copy->rows[b].left |= 1ULL << (VG_WINDOW - (b - a));
}

/*
 * Eq. 2, without division: from page @a, the steepest line of sight so far is the one to
 * the last page seen, and the next one to be seen rises above it.
 */
static void look_right(struct vg_copy *copy, u32 a)
{
	u32 end = min(copy->nr, a + VG_WINDOW + 1), last = a + 1, b;
	const u8 *count = copy->counts;

	if (last >= end)
		return;
	see(copy, a, last);
	for (b = last + 1; b < end; b++) {
		if ((count[b] - count[a]) * (int)(last - a) <=
		    (count[last] - count[a]) * (int)(b - a))
			continue;
		see(copy, a, b);
		last = b;
	}
}

/* A rank. Its row and those of the next 64 are empty before anybody looks from it. */
static void connect(struct visibility_graph *g)
{
	static const struct vg_row empty;
	struct vg_copy *next = next_copy(g);
	u32 a = g->cursor++, b;

	for (b = a ? a + VG_WINDOW : 0; b < next->nr && b <= a + VG_WINDOW; b++)
		next->rows[b] = empty;
	look_right(next, a);
}

static void use_next_copy(struct visibility_graph *g)
{
	const struct vg_copy *now;

	g->in_use = !g->in_use;
	now = visibility_graph_now(g);
	g->members = now->nr - now->gone;
	g->builds++;
	enter_phase(g, VG_IDLE);
	if (g->again)
		visibility_graph_build(g);
}

/* One unit of the phase's work; false if there is none left. */
static bool work(struct visibility_graph *g)
{
	switch (g->phase) {
	case VG_GATHER:
		if (g->cursor == g->r->nr_frames)
			return false;
		gather(g);
		return true;
	case VG_SORT:
		if (g->cursor == g->nr_records / 2 + g->nr_records)
			return false;
		sort(g);
		return true;
	case VG_MERGE:
		if (g->cursor == g->nr_records && g->merged == visibility_graph_now(g)->nr)
			return false;
		merge(g);
		return true;
	case VG_CONNECT:
		if (g->cursor == next_copy(g)->nr)
			return false;
		connect(g);
		return true;
	default:
		return false;
	}
}

/**
 * visibility_graph_step() - a bounded piece of building
 * @g: the graph
 *
 * Return: true if there is more to do.
 */
bool visibility_graph_step(struct visibility_graph *g)
{
	static const unsigned int units[] = {
		[VG_IDLE] = 0,
		[VG_GATHER] = GATHER_STEP,
		[VG_SORT] = SORT_STEP,
		[VG_MERGE] = MERGE_STEP,
		[VG_CONNECT] = CONNECT_STEP,
	};
	unsigned int left = units[g->phase];

	if (g->phase == VG_IDLE)
		return false;
	g->steps++;
	while (left && work(g))
		left--;
	if (!left)
		return true;
	if (g->phase == VG_CONNECT)
		use_next_copy(g);
	else
		enter_phase(g, g->phase + 1);
	return g->phase != VG_IDLE;
}

/* ---- looking ---- */

/**
 * vg_walk_begin() - walk over the pages that a page sees
 * @walk: the walk, which holds until the graph is built anew; pages may leave meanwhile
 * @g: the graph
 * @frame: of the page; if the graph does not have it, it sees nothing
 * @gap: pages whose addresses differ by no more are near
 */
void vg_walk_begin(struct vg_walk *walk, const struct visibility_graph *g, ssdc_frame_t frame,
		   u32 gap)
{
	const struct vg_copy *now = visibility_graph_now(g);

	walk->g = g;
	walk->gap = gap;
	walk->page = page_of(g, frame);
	walk->rank = now->ranks[ssdc_frame_nr(frame)];
	walk->row.left = 0;
	walk->row.right = 0;
	if (walk->rank == NO_RANK)
		return;
	walk->count = now->counts[walk->rank];
	walk->row = now->rows[walk->rank];
}

/* The rank that comes next; NO_RANK after the last. */
static u32 next_rank(struct vg_walk *walk)
{
	u32 rank;

	if (walk->row.left) {
		rank = walk->rank - VG_WINDOW + __ffs64(walk->row.left);
		walk->row.left &= walk->row.left - 1;
	} else if (walk->row.right) {
		rank = walk->rank + 1 + __ffs64(walk->row.right);
		walk->row.right &= walk->row.right - 1;
	} else {
		return NO_RANK;
	}
	return rank;
}

/**
 * vg_walk_next() - go on to the next page
 * @walk: the walk, whose frame and type tell which it is
 *
 * Return: false after the last one.
 */
bool vg_walk_next(struct vg_walk *walk)
{
	const struct vg_copy *now = visibility_graph_now(walk->g);
	u32 rank;

	while ((rank = next_rank(walk)) != NO_RANK) {
		u64 page;
		bool near;

		walk->frame = now->frames[rank];
		if (walk->frame == SSDC_NO_FRAME)
			continue;
		page = page_of(walk->g, walk->frame);
		near = (rank < walk->rank ? walk->page - page : page - walk->page) <= walk->gap;
		walk->type = (near ? VG_NEAR_LOWER : VG_FAR_LOWER) |
			     (now->counts[rank] > walk->count);
		return true;
	}
	return false;
}

/* ---- check ---- */

/* The pages of a copy are there, know their ranks, and are in order. */
static bool ranks_ok(const struct visibility_graph *g, const struct vg_copy *copy)
{
	u64 page = 0;
	u32 rank, gone = 0;
	bool first = true;

	for (rank = 0; rank < copy->nr; rank++) {
		ssdc_frame_t frame = copy->frames[rank];

		if (frame == SSDC_NO_FRAME) {
			gone++;
			continue;
		}
		if (!test_bit(ssdc_frame_nr(frame), g->held) ||
		    copy->ranks[ssdc_frame_nr(frame)] != rank ||
		    (!first && page_of(g, frame) <= page))
			return false;
		page = page_of(g, frame);
		first = false;
	}
	return gone == copy->gone;
}

/* Neighbours see each other, seeing is mutual, and nobody sees past the ends. */
static bool rows_ok(const struct vg_copy *copy)
{
	u32 a, b;

	for (a = 0; a < copy->nr; a++) {
		for (b = a + 1; b <= a + VG_WINDOW; b++) {
			bool there = b < copy->nr;
			bool right = copy->rows[a].right >> (b - a - 1) & 1;
			bool left = there && (copy->rows[b].left >> (VG_WINDOW - (b - a)) & 1);

			if (left != right || (b == a + 1 && right != there))
				return false;
		}
		if (a < VG_WINDOW && copy->rows[a].left << a)
			return false;
	}
	return true;
}

/**
 * visibility_graph_check() - verify all invariants
 * @g: the graph
 *
 * Return: 0 or -EUCLEAN.
 */
int visibility_graph_check(const struct visibility_graph *g)
{
	const struct vg_copy *now = visibility_graph_now(g);
	u32 i, known = 0;

	for (i = 0; i < g->r->nr_frames; i++) {
		known += now->ranks[i] != NO_RANK;
		if (!test_bit(i, g->held) &&
		    (now->ranks[i] != NO_RANK || next_copy(g)->ranks[i] != NO_RANK))
			return -EUCLEAN;
	}
	if (known != g->members || now->nr - now->gone != g->members ||
	    !ranks_ok(g, now) || !rows_ok(now))
		return -EUCLEAN;
	if (g->phase >= VG_MERGE && !ranks_ok(g, next_copy(g)))
		return -EUCLEAN;
	return 0;
}
