// SPDX-License-Identifier: GPL-2.0
/*
 * Building the visibility graph, in bounded steps: see visibility-graph.h.
 */
#include "visibility-graph.h"

/* What a step does of each phase: to take a page is less than to compare it with 64. */
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
	vg_next_copy(g)->nr = 0;
	vg_next_copy(g)->gone = 0;
	enter_phase(g, VG_GATHER);
}

/*
 * The new pages, in no order yet, are the last of the copy: what is merged, one by one, from
 * the start on, stays behind them, as each of them and each old page has a frame of its own.
 */
static u32 first_new(const struct visibility_graph *g)
{
	return g->r->nr_frames - g->nr_records;
}

/* The next frame: has it a page that the graph in use has not got? */
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

/* The new pages, their numbers apart, as these may change when a page leaves. */
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

/* Heap sort: let the record at @at sink to its place in the heap of the first @nr. */
static void sink(const struct records *records, u32 at, u32 nr)
{
	u64 *pages = records->pages, page = pages[at];
	ssdc_frame_t frame = records->frames[at];

	for (;;) {
		u32 child = 2 * at + 1;

		if (child + 1 < nr && pages[child + 1] > pages[child])
			child++;
		if (child >= nr || pages[child] <= page)
			break;
		pages[at] = pages[child];
		records->frames[at] = records->frames[child];
		at = child;
	}
	pages[at] = page;
	records->frames[at] = frame;
}

/* First @nr / 2 times to make the heap, then @nr times to take the last page from it. */
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

static void append(struct visibility_graph *g, ssdc_frame_t frame)
{
	struct vg_copy *next = vg_next_copy(g);
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
	const struct vg_copy *next = vg_next_copy(g);
	struct records records = records_of(g);
	bool old = g->merged < now->nr, new = g->cursor < g->nr_records;
	ssdc_frame_t frame = new ? records.frames[g->cursor] : SSDC_NO_FRAME;

	if (old && now->frames[g->merged] == SSDC_NO_FRAME) {
		g->merged++;
	} else if (new && next->ranks[ssdc_frame_nr(frame)] != VG_PENDING) {
		g->cursor++;
	} else if (!new || (old && vg_page_of(g, now->frames[g->merged]) <
			    records.pages[g->cursor])) {
		append(g, now->frames[g->merged++]);
	} else {
		append(g, frame);
		g->cursor++;
	}
}

/* The highest counts of the blocks that the windows of the next VG_BLOCK ranks touch. */
static void find_highest(struct visibility_graph *g, u32 rank)
{
	const struct vg_copy *copy = vg_next_copy(g);
	u32 last = (rank + VG_BLOCK - 1 + VG_WINDOW) / VG_BLOCK;
	u32 block = rank ? last : 0, i;

	for (; block <= last; block++) {
		u32 end = min(copy->nr, (block + 1) * VG_BLOCK);
		u8 highest = 0;

		for (i = block * VG_BLOCK; i < end; i++)
			highest = max(highest, copy->counts[i]);
		g->highest[block % VG_BLOCKS] = highest;
	}
}

/* A line of sight: from page @a over the steepest point so far, @rise above it after @run. */
struct sight {
	u32 a;
	int height;
	int rise;
	int run;
	bool touch;
};

/* Does a page with @count at @rank rise above the line? With @touch: or end on it. */
static bool rises(const struct sight *sight, u8 count, u32 rank)
{
	int above = (count - sight->height) * sight->run - sight->rise * (int)(rank - sight->a);

	return above > 0 || (!above && sight->touch);
}

/* Are all pages of the block that begins with @rank below the line, even the highest? */
static bool hides_block(const struct visibility_graph *g, const struct sight *sight, u32 rank)
{
	u32 lowest = sight->rise >= 0 ? rank : rank + VG_BLOCK - 1;

	return !rises(sight, g->highest[rank / VG_BLOCK % VG_BLOCKS], lowest);
}

/*
 * Eq. 2, without division: from page @a, the steepest line of sight so far is the one to the
 * last page seen, and the next one to be seen rises above it (with @touch: or ends on it).
 */
static u64 look_behind(const struct visibility_graph *g, u32 a)
{
	const struct vg_copy *copy = vg_next_copy(g);
	u32 end = min(copy->nr, a + VG_WINDOW + 1), b = a + 1;
	struct sight sight = { .a = a, .height = copy->counts[a], .touch = g->touch };
	u64 row = 0;

	while (b < end) {
		if (sight.run && !(b % VG_BLOCK) && hides_block(g, &sight, b)) {
			b += VG_BLOCK;
			continue;
		}
		if (!sight.run || rises(&sight, copy->counts[b], b)) {
			row |= 1ULL << (b % VG_WINDOW);
			sight.rise = copy->counts[b] - sight.height;
			sight.run = b - a;
		}
		b++;
	}
	return row;
}

static void connect(struct visibility_graph *g)
{
	u32 rank = g->cursor++;

	if (!(rank % VG_BLOCK))
		find_highest(g, rank);
	vg_next_copy(g)->rows[rank] = look_behind(g, rank);
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
		if (g->cursor == vg_next_copy(g)->nr)
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
