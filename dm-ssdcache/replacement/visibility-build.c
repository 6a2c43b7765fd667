// SPDX-License-Identifier: GPL-2.0
/*
 * Building the visibility graph in bounded steps; see visibility-graph.h.
 */
#include <linux/bitops.h>
#include "visibility-graph.h"

/* Work per step. Gathering or merging a page is cheaper than comparing it with 64 others. */
#define GATHER_STEP	(4 * SSDC_STEP_FRAMES)
#define SORT_STEP	SSDC_STEP_FRAMES
#define MERGE_STEP	(4 * SSDC_STEP_FRAMES)
#define CONNECT_STEP	SSDC_STEP_FRAMES

static void enter_phase(struct visibility_graph *g, enum vg_phase phase)
{
	g->phase = phase;
	g->cursor = 0;
}

/**
 * visibility_graph_build() - start a build, or queue one after the running build
 * @g: the graph; the caller then calls visibility_graph_step() until it returns false
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
	vg_next_copy(g)->nr = 0;
	vg_next_copy(g)->gone = 0;
	enter_phase(g, VG_GATHER);
}

/*
 * Unsorted new pages occupy the end of the new copy. The merged part grows from its start and
 * never reaches them, because each new page and each old page has a frame of its own.
 */
static u32 first_new(const struct visibility_graph *g)
{
	return g->r->nr_frames - g->nr_records;
}

/* Record the next frame's page if the current graph lacks it. */
static void gather(struct visibility_graph *g)
{
	struct vg_copy *next = vg_next_copy(g);
	u32 frame = g->cursor++;

	if (next->ranks[frame] == VG_NO_PAGE)
		return;
	next->ranks[frame] = VG_PENDING;
	if (vg_has_rank(visibility_graph_now(g), frame))
		return;
	g->nr_records++;
	next->frames[first_new(g)] = ssdc_frame(frame);
	next->rows[first_new(g)] = vg_page_of(g, ssdc_frame(frame));
}

/* Page numbers are stored apart, because an entry's page may change once the page left. */
struct records {
	u64 *pages;
	ssdc_frame_t *frames;
};

static struct records records_of(const struct visibility_graph *g)
{
	return (struct records){
		.pages = vg_next_copy(g)->rows + first_new(g),
		.frames = vg_next_copy(g)->frames + first_new(g),
	};
}

static void move_record(const struct records *records, u32 to, u32 from)
{
	records->pages[to] = records->pages[from];
	records->frames[to] = records->frames[from];
}

/*
 * Heap sort: sift the record at @at down in the heap of the first @nr records. The larger children
 * move up, down to a leaf, and then the record climbs from there. It comes from a leaf, so it
 * climbs a step or two, while to compare it on the way down would cost a branch per level that
 * no processor predicts: twice the time.
 */
static void sink(const struct records *records, u32 at, u32 nr)
{
	u64 *pages = records->pages, page = pages[at];
	ssdc_frame_t frame = records->frames[at];
	u32 hole = at, child;

	for (child = 2 * hole + 2; child < nr; child = 2 * hole + 2) {
		child -= pages[child - 1] > pages[child];
		move_record(records, hole, child);
		hole = child;
	}
	if (child == nr) {
		move_record(records, hole, child - 1);
		hole = child - 1;
	}
	while (hole > at && pages[(hole - 1) / 2] < page) {
		move_record(records, hole, (hole - 1) / 2);
		hole = (hole - 1) / 2;
	}
	pages[hole] = page;
	records->frames[hole] = frame;
}

/* One step: @nr / 2 steps build the heap, @nr more extract the largest page. */
static void sort(struct visibility_graph *g)
{
	struct records records = records_of(g);
	u32 nr = g->nr_records, half = nr / 2, at = g->cursor++;

	if (at < half) {
		sink(&records, half - 1 - at, nr);
	} else {
		u32 last = nr - 1 - (at - half);

		swap(records.pages[0], records.pages[last]);
		swap(records.frames[0], records.frames[last]);
		sink(&records, 0, last);
	}
}

static void append(struct visibility_graph *g, struct vg_copy *next, ssdc_frame_t frame)
{
	u32 *count = &ssdc_replacement_entry(g->r, frame)->weight, rank = next->nr++;

	next->frames[rank] = frame;
	next->counts[rank] = min_t(u32, *count, VG_MAX_COUNT);
	next->ranks[ssdc_frame_nr(frame)] = rank;
	if (g->decay)
		*count = max(*count / 2, 1u);
}

/*
 * Up to @units times: append the next page of the current graph or the next new page, whichever is
 * lower, or skip a page that has left. Returns how many are left after the last page.
 */
static unsigned int merge(struct visibility_graph *g, unsigned int units)
{
	const struct vg_copy *now = visibility_graph_now(g);
	struct vg_copy *next = vg_next_copy(g);
	struct records records = records_of(g);
	u32 merged = g->merged, cursor = g->cursor;
	ssdc_frame_t old, new;

	for (; units && (merged < now->nr || cursor < g->nr_records); units--) {
		old = merged < now->nr ? now->frames[merged] : SSDC_NO_FRAME;
		new = cursor < g->nr_records ? records.frames[cursor] : SSDC_NO_FRAME;

		if (merged < now->nr && old == SSDC_NO_FRAME) {
			merged++;
		} else if (new != SSDC_NO_FRAME && next->ranks[ssdc_frame_nr(new)] != VG_PENDING) {
			cursor++;
		} else if (new == SSDC_NO_FRAME ||
			   (old != SSDC_NO_FRAME && vg_page_of(g, old) < records.pages[cursor])) {
			append(g, next, old);
			merged++;
		} else {
			append(g, next, new);
			cursor++;
		}
	}
	g->merged = merged;
	g->cursor = cursor;
	return units;
}

/* A line of sight from page @a: it climbs @rise over @run ranks. */
struct sight {
	u32 a;
	int height;
	int rise;
	int run;
	bool touch;
};

/* Does a page with @count at @rank rise above the line (with @touch: or reach it)? */
static bool rises(const struct sight *sight, u8 count, u32 rank)
{
	int above = (count - sight->height) * sight->run - sight->rise * (int)(rank - sight->a);

	return above + sight->touch > 0;
}

/* The page at @rank is visible: the line leads to its top now. */
static void look_at(struct sight *sight, u8 count, u32 rank, u64 *row)
{
	*row |= 1ULL << (rank % VG_WINDOW);
	sight->rise = count - sight->height;
	sight->run = rank - sight->a;
}

/*
 * Eq. 2 without division: the steepest line from page @a so far leads to the last visible
 * page. The next visible page rises above that line (with @touch: or reaches it). Once the line
 * does not descend, only a page of the skyline can do that: if the line is level, with @touch all
 * pages of the same height up to the next leader, then leaders only, as the line climbs.
 */
static u64 look_behind(const struct visibility_graph *g, u32 a)
{
	const struct vg_copy *copy = vg_next_copy(g);
	const u8 *counts = copy->counts;
	u32 end = min(copy->nr, a + VG_WINDOW + 1), b = a + 1;
	struct sight sight = { .a = a, .height = counts[a], .touch = g->touch };
	u64 row = 0, left, group;

	if (b >= end)
		return 0;
	/* The neighbour is always visible. */
	look_at(&sight, counts[b], b, &row);
	while (sight.rise < 0 && ++b < end)
		if (rises(&sight, counts[b], b))
			look_at(&sight, counts[b], b, &row);
	if (b == end)
		return row;
	/* Page b is higher than all before it, so it leads. */
	group = ~((1ULL << (b - a - 1)) - 1);
	left = g->leaders & group;
	left &= left - 1;
	if (left)
		group &= (left & -left) - 1;
	if (!sight.rise)
		row |= rol64(g->skyline & group, (a + 1) % VG_WINDOW);
	for (; left; left &= left - 1) {
		b = a + 1 + __ffs64(left);
		if (rises(&sight, counts[b], b))
			look_at(&sight, counts[b], b, &row);
	}
	return row;
}

/* Page @a joins the skyline, leads, and hides the pages behind it that are lower. */
static void raise_skyline(struct visibility_graph *g, u32 a)
{
	const u8 *counts = vg_next_copy(g)->counts;
	u64 leaders = g->leaders, lower = 0;

	while (leaders && counts[a + 1 + __ffs64(leaders)] <= counts[a]) {
		lower = leaders;
		leaders &= leaders - 1;
	}
	g->leaders = leaders << 1 | 1;
	/* The last of the former leaders may be as high as page a, and so are those that it led. */
	if (!g->touch)
		g->skyline = g->leaders;
	else if (lower && counts[a + 1 + __ffs64(lower)] == counts[a])
		g->skyline = (g->skyline & ~((lower & -lower) - 1)) << 1 | 1;
	else if (leaders)
		g->skyline = (g->skyline & ~((leaders & -leaders) - 1)) << 1 | 1;
	else
		g->skyline = 1;
}

/*
 * Connect up to @units pages, from the last rank to the first, so that the skyline behind each page
 * is known. Returns how many are left after the last page.
 */
static unsigned int connect(struct visibility_graph *g, unsigned int units)
{
	struct vg_copy *next = vg_next_copy(g);
	u32 rank;

	if (!g->cursor) {
		g->skyline = 0;
		g->leaders = 0;
	}
	for (; units && g->cursor < next->nr; units--) {
		rank = next->nr - ++g->cursor;
		next->rows[rank] = look_behind(g, rank);
		raise_skyline(g, rank);
	}
	return units;
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

/*
 * Do up to @units of the phase's work. Returns how many were left undone, because there is no
 * more.
 */
static unsigned int work(struct visibility_graph *g, unsigned int units)
{
	u32 end;

	switch (g->phase) {
	case VG_GATHER:
		for (end = g->r->nr_frames; units && g->cursor < end; units--)
			gather(g);
		break;
	case VG_SORT:
		for (end = g->nr_records / 2 + g->nr_records; units && g->cursor < end; units--)
			sort(g);
		break;
	case VG_MERGE:
		units = merge(g, units);
		break;
	case VG_CONNECT:
		units = connect(g, units);
		break;
	default:
		break;
	}
	return units;
}

/**
 * visibility_graph_step() - do a bounded step of the build
 * @g: the graph
 *
 * Return: true if more steps are due.
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
	left = work(g, left);
	if (!left)
		return true;
	if (g->phase == VG_CONNECT)
		use_next_copy(g);
	else
		enter_phase(g, g->phase + 1);
	return g->phase != VG_IDLE;
}
