// SPDX-License-Identifier: GPL-2.0
/*
 * A model of the origin: a device with a volatile cache over media, which uses all freedom that a
 * block device has.
 *
 * - A read or write moves each cell at its start or at its end. So I/O that overlaps takes effect in
 *   any order, cell by cell; the engine must not start I/O whose order matters.
 * - A completed write is in the cache. The device may write any cached cell to the media at any time.
 *   A power cut may write any of them.
 * - A FLUSH makes stable what was in the cache when it began. With FUA a write is stable at its end.
 * - A failed FLUSH, also one of another shard, may lose any writes from the cache; the next one succeeds.
 * - A failed write has reached some of its cells, a failed read spoils its cells, a failed discard has
 *   discarded some cells or, if it is refused, none.
 * - A discard leaves out parts of granules, except WRITE_ZEROES and secure erase.
 */
#include <stdlib.h>
#include <string.h>
#include "engine-fuzz.h"

#define IN_CACHE	1	/* in the list of cells that may differ from the media */
#define BEING_WRITTEN	2	/* a page write is in flight */
#define IGNORED		4	/* BREAK_FLUSH_LOSS: lost, and never written again */
#define LOST_UNTOLD	8	/* lost by a FLUSH that has not ended yet */

static struct {
	u64 *cache;
	u64 *media;
	u8 *flags;
	u32 *cached;		/* cells with IN_CACHE */
	u32 nr_cached;
	u32 nr_cells;
	/* Chances of failure, in parts of 1024. */
	u32 read_errors;
	u32 write_errors;
	u32 flush_errors;
	u32 discard_errors;
	int error;
	u32 bad_cell;		/* a range that cannot be accessed */
	u32 nr_bad;
	const struct pending *failed;	/* a FLUSH that has failed at its start */
	bool doubted;		/* a FLUSH has failed since the last one that succeeded */
} o;

void origin_restart(void)
{
	u32 i;

	for (i = 0; i < o.nr_cells; i++) {
		o.cache[i] = data_of(0, i);
		o.media[i] = data_of(0, i);
		o.flags[i] = 0;
	}
	o.nr_cached = 0;
	o.failed = NULL;
	o.doubted = false;
}

void origin_setup(u32 nr_cells)
{
	memset(&o, 0, sizeof(o));
	o.nr_cells = nr_cells;
	o.cache = xcalloc(nr_cells, sizeof(*o.cache));
	o.media = xcalloc(nr_cells, sizeof(*o.media));
	o.flags = xcalloc(nr_cells, sizeof(*o.flags));
	o.cached = xcalloc(nr_cells, sizeof(*o.cached));
	origin_restart();
}

void origin_teardown(void)
{
	free(o.cache);
	free(o.media);
	free(o.flags);
	free(o.cached);
}

u64 origin_cache(u32 cell)
{
	return o.cache[cell];
}

/* Has a FLUSH failed that has not ended yet? */
bool origin_has_failed(void)
{
	return o.failed;
}

u64 origin_media(u32 cell)
{
	return o.media[cell];
}

/* ---- errors ---- */

/* Choose how the origin fails from now on; @none: not at all. */
void origin_faults(bool none)
{
	static const u32 rates[] = { 10, 50, 300, 1024 };
	static const int errors[] = { -EIO, -EIO, -EIO, -ENODATA, -ETIMEDOUT, -EOPNOTSUPP, -ENOSPC };
	u32 rate = PICK(rates);

	o.read_errors = 0;
	o.write_errors = 0;
	o.flush_errors = 0;
	o.discard_errors = 0;
	o.nr_bad = 0;
	if (none)
		return;
	o.error = PICK(errors);
	switch (pick(8)) {
	case 0:
		o.read_errors = rate;
		break;
	case 1:
		o.write_errors = rate;
		break;
	case 2:
	case 3:
		o.flush_errors = rate;
		break;
	case 4:
		o.discard_errors = rate;
		break;
	case 5:
		o.nr_bad = 1 + pick(20);
		o.bad_cell = pick(o.nr_cells);
		break;
	default:
		o.read_errors = rate;
		o.write_errors = rate;
		o.flush_errors = rate;
		o.discard_errors = rate;
	}
	NOTE3(NO_CELL, 0, "errors: reads %llu, writes %llu, FLUSHes %llu of 1024", o.read_errors,
	      o.write_errors, o.flush_errors);
	NOTE3(o.bad_cell, o.nr_bad, "errors: discards %llu of 1024, %llu bad blocks, code -%llu",
	      o.discard_errors, o.nr_bad, -o.error);
}

static int random_error(const struct pending *pending, u32 rate)
{
	if (rate && chance(rate))
		return o.error;
	if (o.nr_bad && pending->cell < o.bad_cell + o.nr_bad &&
	    o.bad_cell < pending->cell + pending->nr)
		return o.error;
	return 0;
}

/* ---- cache and media ---- */

static void put(u32 cell, u64 data)
{
	o.cache[cell] = data;
	o.flags[cell] &= ~LOST_UNTOLD;
	if (o.flags[cell] & IN_CACHE)
		return;
	o.flags[cell] |= IN_CACHE;
	o.cached[o.nr_cached++] = cell;
}

/* Write the whole cache to the media. */
static void empty_cache(void)
{
	u32 i;

	for (i = 0; i < o.nr_cached; i++) {
		u32 cell = o.cached[i];

		o.media[cell] = o.cache[cell];
		o.flags[cell] &= ~IN_CACHE;
	}
	o.nr_cached = 0;
	o.doubted = false;
}

/* The device writes some cached cells to the media on its own. */
void origin_destage(void)
{
	u32 i, nr;

	if (!o.nr_cached)
		return;
	i = pick(o.nr_cached);
	for (nr = 1 + pick(32); nr && i < o.nr_cached; nr--, i++)
		o.media[o.cached[i]] = o.cache[o.cached[i]];
}

/* Is this cell moved at the start of the I/O? */
static bool is_early(u64 bits, u32 i)
{
	return bits >> (i & 63) & 1;
}

/* Random bits for is_early(); at times all or none. */
static u64 random_bits(void)
{
	u64 bits = ssdc_random_next(&harness_random);

	switch (bits >> 62) {
	case 0:
		return 0;
	case 1:
		return U64_MAX;
	default:
		return ssdc_random_next(&harness_random);
	}
}

/*
 * A cell leaves DRAM after a FLUSH has lost it, and before that FLUSH ends: nobody can know, and
 * reads return the older data.
 */
static void tell_lost(u32 cell)
{
	if (!(o.flags[cell] & LOST_UNTOLD))
		return;
	o.flags[cell] &= ~LOST_UNTOLD;
	promise_withdrawn(cell, o.cache[cell]);
}

/* ---- reads ---- */

static void start_read(struct pending *pending)
{
	u64 bits = random_bits();
	u32 i;

	pending->error = random_error(pending, o.read_errors);
	for (i = 0; i < pending->nr; i++)
		tell_lost(pending->cell + i);
	for (i = 0; i < pending->nr; i++)
		pending->data[i] = is_early(bits, i) ? o.cache[pending->cell + i] : RUBBISH;
}

static void finish_read(struct pending *pending)
{
	u32 i;

	for (i = 0; i < pending->nr; i++) {
		if (pending->error && toss())
			pending->data[i] = RUBBISH;
		else if (pending->data[i] == RUBBISH)
			pending->data[i] = o.cache[pending->cell + i];
		if (SABOTAGE(BREAK_STALE_READ) && chance(20))
			pending->data[i] = o.media[pending->cell + i];
		if (SABOTAGE(BREAK_SETTLED) && chance(100))
			pending->data[i] = promises_other(pending->cell + i, pending->data[i]);
	}
}

/* ---- page writes ---- */

static void start_write(struct pending *pending)
{
	u64 bits = random_bits();
	u32 i;

	pending->error = random_error(pending, o.write_errors);
	for (i = 0; i < pending->nr; i++) {
		u32 cell = pending->cell + i;

		if (o.flags[cell] & BEING_WRITTEN)
			fail_at(cell, "a write of block %u begins while another one is in flight", cell);
		o.flags[cell] |= BEING_WRITTEN;
		if (is_early(bits, i))
			put(cell, pending->data[i]);
	}
}

static void finish_write(struct pending *pending)
{
	bool fua = pending->io.fua && !SABOTAGE(BREAK_FUA_NOTHING);
	u32 i;

	for (i = 0; i < pending->nr; i++) {
		u32 cell = pending->cell + i;

		o.flags[cell] &= ~BEING_WRITTEN;
		if (pending->error && toss())
			continue;
		/* Lost by a FLUSH that failed when this write was in the cache. */
		if (pending->data[i] == LOST) {
			if (ssdc_entry_at(f.e, pending->io.frame)->flags & SSDC_E_VICTIM)
				promise_withdrawn(cell, o.cache[cell]);
			else if (o.failed)
				o.flags[cell] |= LOST_UNTOLD;
			continue;
		}
		if ((SABOTAGE(BREAK_LOSE_WRITE) && chance(20)) || o.flags[cell] & IGNORED) {
			o.cache[cell] = o.media[cell];
			continue;
		}
		put(cell, pending->data[i]);
		if (fua && !pending->error)
			o.media[cell] = pending->data[i];
	}
}

/* ---- discards ---- */

/* Is this cell part of a granule that the discard covers only in part? */
static bool is_left_out(const struct pending *pending, u32 cell)
{
	u32 at = cell + f.granule_cells - f.granule_offset;
	u32 first = cell - at % f.granule_cells;

	if (!pending->request->trims)
		return false;
	return (int)first < (int)pending->cell ||
		first + f.granule_cells > pending->cell + pending->nr;
}

static void discard(const struct pending *pending, u32 cell)
{
	if (!is_left_out(pending, cell))
		put(cell, data_of(pending->request->change, cell));
}

static void start_discard(struct pending *pending)
{
	u64 bits = random_bits();
	u32 i;

	pending->error = random_error(pending, o.discard_errors);
	if (pending->error == -EOPNOTSUPP || SABOTAGE(BREAK_DISCARD_NOTHING))
		return;
	for (i = 0; i < pending->nr; i++)
		if (is_early(bits, i))
			discard(pending, pending->cell + i);
}

static void finish_discard(struct pending *pending)
{
	u32 i;

	if (SABOTAGE(BREAK_DISCARD_NOTHING))
		return;
	for (i = 0; i < pending->nr; i++) {
		if (pending->error && SABOTAGE(BREAK_DISCARD_REFUSED))
			o.cache[pending->cell + i] = o.media[pending->cell + i];
		else if (!pending->error || (pending->error != -EOPNOTSUPP && toss()))
			discard(pending, pending->cell + i);
	}
}

/* ---- FLUSH ---- */

/* Is the newest write of a cell sure to be in DRAM, written by the host and not read again? */
static bool is_in_dram(u32 cell)
{
	ssdc_frame_t frame = frame_of_cell(cell);
	u32 sector = (cell << f.cell_shift) & (f.e->tier.page_sectors - 1);
	u16 flags;

	if (frame == SSDC_NO_FRAME || !ssdc_mask_bit(ssdc_valid_mask(f.e, frame), sector))
		return false;
	flags = ssdc_entry_at(f.e, frame)->flags;
	if ((flags & (SSDC_E_VICTIM | SSDC_E_DIRTY)) == SSDC_E_VICTIM)
		return false;
	return f.written[frame_cells(frame, sector) - f.dram];
}

static bool is_being_read(u32 cell)
{
	u32 i;

	for (i = 0; i < f.nr_pending; i++) {
		const struct pending *pending = f.pending[i];

		if ((pending->kind == ORIGIN_READ || pending->kind == BYPASS) &&
		    cell - pending->cell < pending->nr)
			return true;
	}
	return false;
}

/* The cache loses a write. Returns whether that was the only place with the data. */
static bool lose(u32 cell)
{
	bool in_dram = is_in_dram(cell) && !is_of_discard(cell, o.cache[cell]);

	/* What a read in flight returns when its data are lost is not the engine's concern. */
	if (o.cache[cell] == o.media[cell] || is_being_read(cell))
		return false;
	f.counts.lost_cells++;
	NOTE1(cell, 1, "the origin loses a write; in DRAM: %llu", in_dram);
	o.cache[cell] = o.media[cell];
	if (SABOTAGE(BREAK_FLUSH_LOSS))
		o.flags[cell] |= IGNORED;
	if (!in_dram)
		promise_withdrawn(cell, o.media[cell]);
	else if (o.failed)
		o.flags[cell] |= LOST_UNTOLD;
	return !in_dram;
}

/* Each cached cell is written to the media, or stays in the cache, or is lost. */
static void fail_flush(void)
{
	u32 i, j, left = 0;

	o.doubted = true;
	for (i = 0; i < o.nr_cached; i++) {
		u32 cell = o.cached[i];

		switch (pick(3)) {
		case 0:
			o.media[cell] = o.cache[cell];
			break;
		case 1:
			/* A page write in flight may still change the cell. */
			if (has_rule(RULE_FLUSH_LOSS))
				lose(cell);
			break;
		}
		if (o.cache[cell] != o.media[cell])
			o.cached[left++] = cell;
		else
			o.flags[cell] &= ~IN_CACHE;
	}
	o.nr_cached = left;
	if (!has_rule(RULE_FLUSH_RACE))
		return;
	for (i = 0; i < f.nr_pending; i++) {
		struct pending *pending = f.pending[i];

		if (pending->kind != PAGE_WRITE || pending->io.fua || pending->error || toss())
			continue;
		for (j = 0; j < pending->nr; j++)
			if (toss())
				pending->data[j] = LOST;
	}
}

static void do_flush(const struct pending *pending)
{
	if (pending->shared)
		return;
	if (pending->error)
		fail_flush();
	else if (!SABOTAGE(BREAK_FLUSH_NOTHING))
		empty_cache();
}

static void start_flush(struct pending *pending)
{
	pending->error = random_error(pending, o.flush_errors);
	pending->early = toss();
	pending->shared = false;
	if (pending->early && pending->error)
		o.failed = pending;
	if (pending->early)
		do_flush(pending);
}

/* From now on, the engine knows that it must write again what it has in DRAM. */
static void flush_told(void)
{
	u32 cell;

	o.failed = NULL;
	for (cell = 0; cell < o.nr_cells; cell++) {
		if (!is_in_dram(cell))
			tell_lost(cell);
		o.flags[cell] &= ~LOST_UNTOLD;
	}
}

static void finish_flush(struct pending *pending)
{
	if (!pending->early)
		do_flush(pending);
	if (pending == o.failed)
		flush_told();
}

/*
 * A FLUSH fails that another shard has asked for. FLUSHes reach the origin one by one: that of this
 * shard waits, and takes effect later, or is the one that failed. Returns false if it is not the other
 * shard's turn.
 */
bool origin_fails_elsewhere(void)
{
	u32 i;

	for (i = 0; i < f.nr_pending; i++)
		if (f.pending[i]->kind == ORIGIN_FLUSH && f.pending[i]->early)
			return false;
	for (i = 0; i < f.nr_pending; i++) {
		struct pending *pending = f.pending[i];

		if (pending->kind != ORIGIN_FLUSH || toss())
			continue;
		pending->shared = true;
		pending->error = 0;
	}
	fail_flush();
	flush_told();
	return true;
}

/*
 * Another device takes the place of the origin, with what is on the media; some of what was in the
 * cache got there. Nothing is in flight. Returns whether writes are lost that are not in DRAM, and that
 * no failed FLUSH has put in doubt.
 */
bool origin_replace(void)
{
	bool lost = false, doubted = o.doubted;
	u32 i;

	for (i = 0; i < o.nr_cached; i++) {
		u32 cell = o.cached[i];

		if (toss())
			o.media[cell] = o.cache[cell];
		else
			lost |= lose(cell);
		o.flags[cell] &= ~IN_CACHE;
	}
	o.nr_cached = 0;
	o.doubted = true;
	return lost && !doubted;
}

/* ---- all kinds ---- */

/* I/O begins: @pending has its kind, its range and, for a page write, the data. */
void origin_begin(struct pending *pending)
{
	switch (pending->kind) {
	case PAGE_WRITE:
		start_write(pending);
		break;
	case ORIGIN_DISCARD:
		start_discard(pending);
		break;
	case ORIGIN_FLUSH:
		start_flush(pending);
		break;
	default:
		start_read(pending);
	}
}

/* I/O ends; @pending has the data of a read. */
void origin_end(struct pending *pending)
{
	switch (pending->kind) {
	case PAGE_WRITE:
		finish_write(pending);
		break;
	case ORIGIN_DISCARD:
		finish_discard(pending);
		break;
	case ORIGIN_FLUSH:
		finish_flush(pending);
		break;
	default:
		finish_read(pending);
	}
}

/* BREAK_EARLY_END: a page write that has ended is in flight, after all; and its true end. */
void origin_linger(const struct pending *pending)
{
	u32 i;

	for (i = 0; pending->kind == PAGE_WRITE && i < pending->nr; i++)
		o.flags[pending->cell + i] |= BEING_WRITTEN;
}

void origin_lingered(const struct pending *pending)
{
	u32 i;

	for (i = 0; pending->kind == PAGE_WRITE && i < pending->nr; i++)
		o.flags[pending->cell + i] &= ~BEING_WRITTEN;
}

/*
 * The power fails: any part of the writes and discards in flight takes effect, and any cached cells
 * reach the media.
 */
void origin_cut_power(void)
{
	u32 survive = PICK(((u32 []){ 0, 0, 512, 1024 })), i, j;

	for (i = 0; i < f.nr_pending; i++) {
		struct pending *pending = f.pending[i];

		if ((pending->kind != PAGE_WRITE && pending->kind != ORIGIN_DISCARD) ||
		    pending->reported)
			continue;
		for (j = 0; j < pending->nr; j++) {
			u32 cell = pending->cell + j;

			if (toss())
				continue;
			if (pending->kind == ORIGIN_DISCARD)
				discard(pending, cell);
			else if (pending->data[j] != LOST)
				put(cell, pending->data[j]);
		}
	}
	for (i = 0; i < o.nr_cached; i++)
		if (chance(survive))
			o.media[o.cached[i]] = o.cache[o.cached[i]];
	if (SABOTAGE(BREAK_MEDIA_LOST))
		o.media[pick(o.nr_cells)] = RUBBISH;
}
