// SPDX-License-Identifier: GPL-2.0
/*
 * What the host was promised, cell by cell.
 *
 * Reads. A read may return any change that it can see. A change is out of sight of reads that begin
 * after one of these:
 *
 *	- an acknowledged change that began after the former had ended, ends;
 *	- a read that began after the former had ended, ends, and it returned another change.
 *
 *	A  |-----|
 *	B            |-----|
 *	read                  |---|	A is wrong, B is right
 *	read            |--------|	A and B are right
 *	read                |--------|	B; later reads must not return A
 *
 * A change that failed may or may not have happened: it stays in sight until a newer one replaces
 * it, and puts none out of sight itself.
 *
 * Stable data. If the power was cut now, no cell may have data older than its newest stable change:
 * an acknowledged one that ended before the begin of a FLUSH that succeeded, or one with FUA. The
 * time at which that change began is the cell's floor: a change that ended before it is too old. To
 * know the floor after any FLUSH, a cell keeps for its latest acknowledged changes how many FLUSHes
 * had begun when they ended: their epoch.
 */
#include <stdlib.h>
#include <string.h>
#include "engine-fuzz.h"

struct change {
	u32 start;
	u32 end;
	u32 cell;
	u32 nr;
	bool discard;
	bool unknown;
};

/* A change in sight of reads that begin before @gone. */
struct view {
	u32 change;
	u32 gone;
	u32 back;	/* when a failed FLUSH brought it back, or 0 */
};

/* The latest start of the acknowledged changes of an epoch. */
struct due {
	u32 epoch;
	u32 start;
};

#define OWN_VIEWS	3
#define MAX_DUE		3

struct cell {
	struct view *views;
	struct view own[OWN_VIEWS];
	u16 nr;
	u16 room;
	u8 nr_due;
	bool flips;			/* reads may return either of two changes in turns */
	u32 lost;			/* when a failed FLUSH last lost its data, or 0 */
	u32 floor[NR_KEPT];
	struct due due[MAX_DUE];	/* oldest first */
};

static struct {
	struct cell *cells;
	u32 nr_cells;
	struct change *changes;
	u32 nr_changes;
	u32 room;
	u32 clock;
	u32 epoch;			/* FLUSHes begun */
	u32 kept[NR_KEPT];		/* the latest of these that succeeded */
	struct list_head ops;		/* oldest first */
} p;

/* ---- setup ---- */

/* All earlier requests are over. Change 0 wrote what is on the media now, in all cells. */
void promises_restart(void)
{
	u32 i;

	INIT_LIST_HEAD(&p.ops);
	p.clock = 0;
	p.epoch = 0;
	memset(p.kept, 0, sizeof(p.kept));
	p.nr_changes = 1;
	p.changes[0] = (struct change){ .nr = p.nr_cells };
	for (i = 0; i < p.nr_cells; i++) {
		struct cell *cell = &p.cells[i];

		cell->views[0] = (struct view){ 0, NOT_YET, 0 };
		cell->nr = 1;
		cell->nr_due = 0;
		cell->flips = false;
		cell->lost = 0;
		memset(cell->floor, 0, sizeof(cell->floor));
	}
}

void promises_setup(u32 nr_cells)
{
	u32 i;

	p.nr_cells = nr_cells;
	p.cells = xcalloc(nr_cells, sizeof(*p.cells));
	for (i = 0; i < nr_cells; i++) {
		p.cells[i].views = p.cells[i].own;
		p.cells[i].room = OWN_VIEWS;
	}
	if (!p.room) {
		p.room = 4096;
		p.changes = xmalloc(p.room * sizeof(*p.changes));
	}
	promises_restart();
}

void promises_teardown(void)
{
	u32 i;

	for (i = 0; i < p.nr_cells; i++)
		if (p.cells[i].views != p.cells[i].own)
			free(p.cells[i].views);
	free(p.cells);
}

u32 promises_time(void)
{
	return p.clock;
}

void op_begin(struct op *op)
{
	op->start = ++p.clock;
	list_add_tail(&op->node, &p.ops);
}

void op_end(struct op *op)
{
	list_del(&op->node);
}

/* ---- which changes are in sight ---- */

/* Forget changes that no request in flight can see. */
static void prune(struct cell *cell)
{
	u32 oldest = NOT_YET - 1, i, kept = 0;

	if (!list_empty(&p.ops))
		oldest = list_first_entry(&p.ops, struct op, node)->start;
	for (i = 0; i < cell->nr; i++)
		if (cell->views[i].gone > oldest)
			cell->views[kept++] = cell->views[i];
	cell->nr = kept;
}

static void add_view(struct cell *cell, u32 change)
{
	if (cell->nr > 1)
		prune(cell);
	if (cell->nr == cell->room) {
		struct view *views = xmalloc(2 * cell->room * sizeof(*views));

		memcpy(views, cell->views, cell->nr * sizeof(*views));
		if (cell->views != cell->own)
			free(cell->views);
		cell->views = views;
		cell->room *= 2;
	}
	cell->views[cell->nr++] = (struct view){ change, NOT_YET, 0 };
}

static struct view *find_view(struct cell *cell, u32 change)
{
	u32 i;

	for (i = 0; i < cell->nr; i++)
		if (cell->views[i].change == change)
			return &cell->views[i];
	return NULL;
}

/* Put the changes but @change out of sight that had ended before @start. */
static void supersede(struct cell *cell, u32 change, u32 start)
{
	u32 i;

	for (i = 0; i < cell->nr; i++) {
		struct view *view = &cell->views[i];

		if (view->change != change && p.changes[view->change].end < start &&
		    view->back < start)
			view->gone = min(view->gone, p.clock);
	}
}

/* Without the rule, a discard in progress and one that failed may show anything. */
static bool shows_anything(const struct cell *cell, u32 start)
{
	u32 i;

	if (has_rule(RULE_DISCARD_DATA))
		return false;
	for (i = 0; i < cell->nr; i++) {
		const struct change *change = &p.changes[cell->views[i].change];

		if (change->discard && cell->views[i].gone > start &&
		    (change->end > start || change->unknown))
			return true;
	}
	return false;
}

/* How many changes a read that begins now can see. */
static u32 choices(const struct cell *cell)
{
	u32 i, nr = 0;

	for (i = 0; i < cell->nr; i++)
		nr += cell->views[i].gone == NOT_YET;
	return nr;
}

/* ---- stable data ---- */

static void raise_floor(struct cell *cell, enum kept kept, u32 start)
{
	cell->floor[kept] = max(cell->floor[kept], start);
}

/* Raise the floors for the FLUSHes that have succeeded. */
static void settle_due(struct cell *cell)
{
	u32 i, left = 0;

	for (i = 0; i < cell->nr_due; i++) {
		struct due due = cell->due[i];

		if (due.epoch < p.kept[KEPT_DRAM])
			raise_floor(cell, KEPT_DRAM, due.start);
		if (due.epoch < p.kept[KEPT_MEDIA])
			raise_floor(cell, KEPT_MEDIA, due.start);
		else
			cell->due[left++] = due;
	}
	cell->nr_due = left;
}

static void add_due(struct cell *cell, u32 start)
{
	struct due *last;

	if (cell->nr_due) {
		last = &cell->due[cell->nr_due - 1];
		if (last->epoch == p.epoch) {
			last->start = max(last->start, start);
			return;
		}
		settle_due(cell);
	}
	if (cell->nr_due == MAX_DUE) {
		/* Forget the oldest epoch: a FLUSH that covers it alone is not checked here. */
		cell->due[1].start = max(cell->due[0].start, cell->due[1].start);
		memmove(cell->due, cell->due + 1, (MAX_DUE - 1) * sizeof(*cell->due));
		cell->nr_due--;
	}
	cell->due[cell->nr_due++] = (struct due){ p.epoch, start };
}

/* Nothing is promised to survive a power cut any more. */
static void forget_due(struct cell *cell)
{
	cell->nr_due = 0;
	memset(cell->floor, 0, sizeof(cell->floor));
}

/* A FLUSH begins. Returns its epoch. */
u32 epoch_begin(void)
{
	return ++p.epoch;
}

/* The FLUSH of @epoch succeeded. */
void flush_kept(u32 epoch, enum kept kept)
{
	p.kept[KEPT_DRAM] = max(p.kept[KEPT_DRAM], epoch);
	if (kept == KEPT_MEDIA)
		p.kept[KEPT_MEDIA] = max(p.kept[KEPT_MEDIA], epoch);
}

/* An acknowledged change is stable. */
void change_kept(u32 nr, enum kept kept)
{
	const struct change *change = &p.changes[nr];
	u32 i;

	for (i = change->cell; i < change->cell + change->nr; i++) {
		if (shows_anything(&p.cells[i], change->start))
			continue;
		raise_floor(&p.cells[i], KEPT_DRAM, change->start);
		if (kept == KEPT_MEDIA)
			raise_floor(&p.cells[i], KEPT_MEDIA, change->start);
	}
}

/* DRAM was protected and is volatile: what is in DRAM only is not stable any more. */
void promises_demote(void)
{
	u32 i;

	for (i = 0; i < p.nr_cells; i++) {
		settle_due(&p.cells[i]);
		p.cells[i].floor[KEPT_DRAM] = p.cells[i].floor[KEPT_MEDIA];
	}
	p.kept[KEPT_DRAM] = p.kept[KEPT_MEDIA];
}

/* ---- changes ---- */

static bool is_change(u32 nr, u32 cell)
{
	return nr < p.nr_changes && cell - p.changes[nr].cell < p.changes[nr].nr;
}

/* A write or discard begins. */
u32 change_begin(const struct op *op, u32 cell, u32 nr, bool discard)
{
	u32 i;

	if (p.nr_changes == p.room) {
		p.room *= 2;
		p.changes = xrealloc(p.changes, p.room, sizeof(*p.changes));
	}
	p.changes[p.nr_changes] = (struct change){ op->start, NOT_YET, cell, nr, discard, false };
	for (i = cell; i < cell + nr; i++) {
		add_view(&p.cells[i], p.nr_changes);
		if (discard && !has_rule(RULE_DISCARD_DATA))
			forget_due(&p.cells[i]);
	}
	return p.nr_changes++;
}

void change_end(u32 nr, enum change_end end)
{
	struct change *change = &p.changes[nr];
	u32 i;

	change->end = ++p.clock;
	change->unknown = end == CHANGE_UNKNOWN;
	for (i = change->cell; i < change->cell + change->nr; i++) {
		struct cell *cell = &p.cells[i];

		if (change->discard && !has_rule(RULE_DISCARD_DATA)) {
			forget_due(cell);
			cell->flips = true;
		}
		if (end != CHANGE_ACKED)
			continue;
		supersede(cell, nr, change->start);
		prune(cell);
		cell->flips &= choices(cell) > 1;
		if (cell->lost < change->start &&
		    (change->discard || !shows_anything(cell, change->start)))
			add_due(cell, change->start);
	}
}

/*
 * A failed FLUSH lost a write from the origin's cache, which has @data again; the write need not
 * be in DRAM.
 */
void promise_withdrawn(u32 nr, u64 data)
{
	struct cell *cell = &p.cells[nr];
	unsigned int half;

	settle_due(cell);
	cell->nr_due = 0;
	cell->flips = true;
	cell->lost = p.clock;
	for (half = 0; half < 2; half++, data >>= 32) {
		u32 change = half_of((u32)data, nr);
		struct view *view = find_view(cell, change);

		if (!is_change(change, nr))
			continue;
		if (!view) {
			add_view(cell, change);
			view = find_view(cell, change);
		}
		view->gone = NOT_YET;
		view->back = p.clock;
	}
}

/* ---- checks ---- */

/* For a failure: which changes a cell may have. */
static const char *expected(const struct cell *cell, u32 start)
{
	static char text[256];
	u32 i;
	int at = 0;

	for (i = 0; i < cell->nr; i++)
		if (cell->views[i].gone > start)
			at += scnprintf(text + at, sizeof(text) - at, "%s%u", at ? " or " : "",
					cell->views[i].change);
	return at ? text : "nothing";
}

/* In words: what wrote @data. */
static const char *described(u32 nr, u64 data)
{
	static char text[64];
	u32 low = half_of((u32)data, nr), high = half_of(data >> 32, nr);

	if (!is_change(low, nr) || !is_change(high, nr))
		scnprintf(text, sizeof(text), "data that were never written to it (%llx)", data);
	else if (low != high)
		scnprintf(text, sizeof(text), "parts of changes %u and %u", low, high);
	else
		scnprintf(text, sizeof(text), "change %u", low);
	return text;
}

/* May a request that began at @start see @data? */
/* Is a discard among the changes that a read from @start on can see? */
static bool sees_discard(const struct cell *cell, u32 start)
{
	u32 i;

	for (i = 0; i < cell->nr; i++)
		if (p.changes[cell->views[i].change].discard && cell->views[i].gone > start)
			return true;
	return false;
}

/* The data of a discard stand for those of any other: a host cannot tell them apart. */
static bool is_visible(const struct cell *cell, u32 nr, u32 change, u32 start)
{
	const struct view *view = find_view((struct cell *)cell, change);

	if (view && view->gone > start)
		return true;
	return is_change(change, nr) && p.changes[change].discard && sees_discard(cell, start);
}

static bool is_allowed(u32 nr, u64 data, u32 start)
{
	struct cell *cell = &p.cells[nr];
	u32 low = half_of((u32)data, nr), high = half_of(data >> 32, nr);

	if (low != high && has_rule(RULE_TORN_BLOCK))
		return false;
	return is_visible(cell, nr, low, start) && (low == high || is_visible(cell, nr, high, start));
}

/* Rarely needed part of check_read(). */
static void check_read_cell(const struct op *op, u32 nr, u64 data, u64 id)
{
	struct cell *cell = &p.cells[nr];
	u32 change = half_of((u32)data, nr);
	const struct view *view;

	if (!is_allowed(nr, data, op->start)) {
		if (shows_anything(cell, op->start))
			return;
		fail_at(nr, "read %llu of block %u returned %s instead of %s", id, nr,
			described(nr, data), expected(cell, op->start));
	}
	if (cell->flips || data != data_of(change, nr))
		return;
	/* Later reads must not return what this one could have returned only before. */
	view = find_view(cell, change);
	if (view && view->gone == NOT_YET)
		supersede(cell, change, op->start);
}

/* A read ends. */
void check_read(const struct op *op, u32 nr, u32 count, const u64 *data, u64 id)
{
	++p.clock;
	for (; count; nr++, count--, data++) {
		const struct cell *cell = &p.cells[nr];

		if (cell->nr != 1 || *data != data_of(cell->views[0].change, nr))
			check_read_cell(op, nr, *data, id);
	}
}

/* A read that begins and ends now would return @data. */
void check_now(u32 nr, u64 data, const char *what)
{
	if (!is_allowed(nr, data, p.clock) && !shows_anything(&p.cells[nr], p.clock))
		fail_at(nr, "%s: a read of block %u would have returned %s instead of %s", what, nr,
			described(nr, data), expected(&p.cells[nr], p.clock));
}

/* Did a discard write this? DRAM holds no data of discards. */
bool is_of_discard(u32 nr, u64 data)
{
	u32 change = half_of((u32)data, nr);

	return is_change(change, nr) && p.changes[change].discard;
}

/* Data of another change that a read which begins now may return, or @data. */
u64 promises_other(u32 nr, u64 data)
{
	const struct cell *cell = &p.cells[nr];
	u32 i;

	for (i = 0; i < cell->nr; i++)
		if (cell->views[i].gone == NOT_YET && data_of(cell->views[i].change, nr) != data)
			return data_of(cell->views[i].change, nr);
	return data;
}

static bool is_old(u32 nr, u32 half, u32 floor)
{
	u32 change = half_of(half, nr);

	return !is_change(change, nr) || p.changes[change].end < floor;
}

/* @data are not older than @change. */
void check_not_older(u32 change, u32 nr, u64 data, const char *what)
{
	u32 floor = p.changes[change].start;

	if (is_old(nr, (u32)data, floor) || is_old(nr, data >> 32, floor))
		fail_at(nr, "%s of block %u: the origin has %s, which is older than change %u", what, nr,
			described(nr, data), change);
}

/* A power cut would leave, or has left, @data: stable data must not be lost. */
void check_kept(u32 nr, u64 data, enum kept kept, const char *what)
{
	struct cell *cell = &p.cells[nr];
	u32 floor;

	settle_due(cell);
	floor = cell->floor[kept];
	if (!floor || (!is_old(nr, (u32)data, floor) && !is_old(nr, data >> 32, floor)) ||
	    data == UNSURE || shows_anything(cell, p.clock))
		return;
	fail_at(nr, "%s: a power cut leaves block %u with %s; a change that began at time %u is stable",
		what, nr, described(nr, data), floor);
}
