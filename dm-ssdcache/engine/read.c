// SPDX-License-Identifier: GPL-2.0
/*
 * The decisions of reads.
 *
 *	FETCH	decide about all pages, then queue the fills of those that have entered, so that
 *		they are read in parallel
 *	PAGES	copy the data in DRAM, page by page, and read the rest from the origin
 *
 * If no sector of a read is cached, and none of its pages may enter, the whole read goes to the
 * origin.
 */
#include <linux/kernel.h>
#include "engine.h"
#include "copy.h"
#include "decide.h"
#include "evict.h"
#include "page.h"
#include "read.h"
#include "view.h"
#include "wait.h"

/*
 * Is the page a clean victim? Reads of such a page go to the origin, so that its frame becomes
 * free.
 */
static bool is_leaving(const struct ssdc_entry *entry)
{
	return (entry->flags & (SSDC_E_VICTIM | SSDC_E_DIRTY)) == SSDC_E_VICTIM;
}

/*
 * A page that is not resident enters for a read. @frame is SSDC_NO_FRAME, or the frame of a victim,
 * which returns to the policy. The page's fill is queued at the end of the step. Returns
 * SSDC_COMPLETE when the page has entered, else SSDC_WAIT, SSDC_AGAIN or, if the fills of this step
 * or the rest of a batch come first, SSDC_MORE.
 */
static __always_inline enum ssdc_action fetch(struct ssdc_engine *e, struct ssdc_request *rq,
					      ssdc_page_t page, ssdc_frame_t frame)
{
	bool returns = frame != SSDC_NO_FRAME;
	enum ssdc_action action;
	u32 maps = e->maps;

	ssdc_note_miss(e, rq);
	if (!returns && !ssdc_has_frame(e, rq))
		return rq->entered || ssdc_is_evicting(e) ? SSDC_MORE : ssdc_wait_frame(e, rq);
	action = ssdc_make_room(e, rq, NULL, 1);
	if (unlikely(action != SSDC_COMPLETE))
		return action;
	/* A padded batch may have taken in the page itself, to make room. */
	if (!returns && unlikely(e->maps != maps) && ssdc_lookup(e, page) != SSDC_NO_FRAME)
		return rq->entered ? SSDC_MORE : SSDC_AGAIN;
	ssdc_enter(e, rq, !returns);
	if (returns) {
		ssdc_spare_victim(e, frame);
	} else {
		frame = ssdc_take_frame(e, rq);
		ssdc_map(e, frame, page);
	}
	e->stats.admitted_reads++;
	if (!returns) {
		rq->entered = true;
		ssdc_entry_at(e, frame)->flags |= SSDC_E_UNREAD;
	}
	ssdc_enter_policy(e, frame, NULL, ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY);
	/*
	 * A FLUSH may rely on the victim's flush, which may not have begun: it must still take
	 * place.
	 */
	if (ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY)
		ssdc_want_flush(e, frame, SSDC_FLUSH_EVICT);
	ssdc_evict_surplus(e, rq);
	return SSDC_COMPLETE;
}

/*
 * FETCH cannot go on before the page has changed. The fills of this step come first, and before
 * these the rest of a batch, if any. A rest is left over if the batch made room for a page that may
 * not enter any more.
 */
static enum ssdc_action wait_for_page(struct ssdc_engine *e, struct ssdc_request *rq,
				      ssdc_frame_t frame)
{
	if (!rq->entered)
		return ssdc_wait_page(e, rq, frame);
	if (ssdc_is_evicting(e))
		ssdc_evict_rest(e);
	return SSDC_MORE;
}

/*
 * A read whose pages may enter finds a victim. A victim that is dirty, or whose fill is in flight,
 * returns to the policy, unless the rest of its batch depends on it. In that case the page is
 * copied while it is in DRAM, and leaves.
 *
 * Other clean victims, which are in use, must not return: a failed FLUSH may have lost the written
 * data, and a discard may have dropped the data. The read waits until such a victim has left. It
 * also waits for dirty victims that it evicted itself: the paper's loop would read these pages
 * again, clean.
 */
static noinline enum ssdc_action fetch_victim(struct ssdc_engine *e, struct ssdc_request *rq,
					      ssdc_frame_t frame, ssdc_page_t page)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	bool leaves_alone = ssdc_can_return(entry);

	if (!(entry->flags & (SSDC_E_DIRTY | SSDC_E_FILL)))
		return wait_for_page(e, rq, frame);
	if (ssdc_has_evicted(rq, entry) && ((entry->flags & SSDC_E_DIRTY) || !leaves_alone))
		return wait_for_page(e, rq, frame);
	return leaves_alone ? fetch(e, rq, page, frame) : SSDC_COMPLETE;
}

/*
 * Is the page a hit? @frame has the page, or is SSDC_NO_FRAME. A victim needs room, so it is a
 * miss.
 */
static bool is_hit(const struct ssdc_engine *e, ssdc_frame_t frame)
{
	return frame != SSDC_NO_FRAME && !(ssdc_entry_at(e, frame)->flags & SSDC_E_VICTIM);
}

/*
 * Decide about one page of a read:
 *
 *	cached				-> hit
 *	not cached, may not enter	-> nothing; it is read from the origin later
 *	victim, may not enter		-> nothing; it is copied while it is there
 *	victim, may enter		-> evict if the tier is full, insert; see fetch_victim()
 *	not cached, frame free		-> evict if the tier is full, insert, fill
 *	not cached, no frame free	-> wait for a frame
 *
 * A victim is a miss, even if it is copied at once: no policy has the page. Returns SSDC_COMPLETE
 * when the decision is taken, else SSDC_WAIT, SSDC_AGAIN or SSDC_MORE.
 */
static inline enum ssdc_action fetch_page(struct ssdc_engine *e, struct ssdc_request *rq,
					  ssdc_frame_t frame, struct ssdc_piece piece)
{
	enum ssdc_action action = SSDC_COMPLETE;

	if (is_hit(e, frame)) {
		ssdc_use_page(e, frame, &rq->host,
			      ssdc_has_piece(e, frame, piece));
		/* Another request may have cached the page since it was missed. */
		rq->admitted = false;
		return SSDC_COMPLETE;
	}
	if (ssdc_may_enter(e, rq, piece.page))
		action = frame == SSDC_NO_FRAME ? fetch(e, rq, piece.page, frame) :
						  fetch_victim(e, rq, frame, piece.page);
	if (action == SSDC_COMPLETE) {
		rq->admitted = false;
		e->stats.read_pages++;
	}
	return action;
}

/*
 * Has the page entered without a fill so far? A victim may also be unread, but is not filled for a
 * read.
 */
static bool is_unread(const struct ssdc_entry *entry)
{
	return (entry->flags & (SSDC_E_UNREAD | SSDC_E_VICTIM)) == SSDC_E_UNREAD;
}

/*
 * The decisions of a step are over: queue the fills of the pages that have entered. If a later page
 * of the step has evicted a page that had entered, the evicted page left at once, unread; PAGES
 * reads it from the origin, bypassing DRAM, together with its neighbours. Returns the rest of
 * @work.
 */
static unsigned int queue_fills(struct ssdc_engine *e, struct ssdc_request *rq, unsigned int work)
{
	u64 nr, end;

	if (!rq->entered) {
		rq->filled = rq->ahead;
		return work;
	}
	if (!work)
		return 0;
	nr = ssdc_page_nr(ssdc_page_of(e, rq->host.sector + rq->filled));
	end = ssdc_page_nr(ssdc_page_of(e, rq->host.sector + rq->ahead - 1)) + 1;
	for (; work && nr < end; nr++, work--) {
		ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(nr));

		if (frame != SSDC_NO_FRAME && is_unread(ssdc_entry_at(e, frame)))
			ssdc_start_fill(e, frame);
	}
	rq->entered = nr < end;
	rq->filled = rq->entered ? ssdc_page_sector(e, ssdc_page(nr)) - rq->host.sector : rq->ahead;
	return work;
}

/*
 * The work of a decision about a page, and of an evicted page, in looks at a page. If the page has
 * been evicted before, the decision looks at its neighbours: ssdc_thrash_found().
 */
#define DECISION_WORK	5
#define EVICTION_WORK	4

/* Will the decision about a page take so long that it needs a call of its own? */
static bool takes_long(const struct ssdc_engine *e, bool hit)
{
	if (hit)
		return ssdc_hit_work(e) >= e->hold_work;
	return ssdc_replacement_ops(e->replacement)->long_victims &&
		ssdc_residents(e) >= e->tier.capacity;
}

/*
 * Decide about pages of a read, up to the end of a step: SSDC_STEP_SECTORS, or until the read has
 * to wait or the policy has steps to do. Returns SSDC_COMPLETE at the end of the step: the fills
 * come next, and @fill_then says what ssdc_step() returns after them. Otherwise returns SSDC_MORE
 * if @work is used up, or SSDC_WAIT.
 */
static enum ssdc_action decide(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted,
			       unsigned int *work)
{
	u64 end = ssdc_step_end(rq, rq->filled), evicted = e->stats.evicted_pages;
	unsigned int insert_work = ssdc_replacement_ops(e->replacement)->work;
	unsigned int most = *work, used = 0;
	enum ssdc_action action = SSDC_COMPLETE;

	while (rq->ahead < end) {
		struct ssdc_piece piece = ssdc_piece_at(e, rq, rq->ahead);
		ssdc_frame_t frame = ssdc_lookup(e, piece.page);
		bool hit = is_hit(e, frame);

		if (used >= most || (used && takes_long(e, hit))) {
			*work = 0;
			return SSDC_MORE;
		}
		action = fetch_page(e, rq, frame, piece);
		if (action == SSDC_COMPLETE)
			rq->ahead += piece.nr;
		if (action == SSDC_WAIT) {
			ssdc_note_steps(e, rq, wanted);
			rq->filled = rq->ahead;
			return action;
		}
		/*
		 * A batch is being accounted for: the decision comes after it, and fills after
		 * that.
		 */
		if (action == SSDC_MORE && ssdc_is_evicting(e)) {
			ssdc_note_steps(e, rq, wanted);
			*work = 0;
			return action;
		}
		used += DECISION_WORK + (hit ? ssdc_hit_work(e) : insert_work) +
			EVICTION_WORK * (u32)(e->stats.evicted_pages - evicted);
		evicted = e->stats.evicted_pages;
		if (ssdc_note_steps(e, rq, wanted) || action != SSDC_COMPLETE)
			break;
	}
	*work -= min(used, most);
	rq->fill_then = action == SSDC_MORE ? SSDC_MORE : SSDC_AGAIN;
	return SSDC_COMPLETE;
}

/*
 * FETCH -> PAGES once all pages have been decided about, and the fills of pages that have entered
 * are queued. Before that, returns SSDC_AGAIN after a step, and SSDC_MORE within a step. In
 * between, other requests may come, and find pages that have entered and have no data.
 */
enum ssdc_action ssdc_fetch_pages(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted)
{
	unsigned int work = e->hold_work;
	enum ssdc_action action;

	if (!rq->fill_then) {
		action = decide(e, rq, wanted, &work);
		if (action != SSDC_COMPLETE)
			return action;
	}
	work = queue_fills(e, rq, work);
	if (rq->entered)
		return SSDC_MORE;
	action = rq->fill_then;
	rq->fill_then = 0;
	if (rq->ahead < rq->host.nr_sectors)
		return action;
	rq->phase = SSDC_RQ_PAGES;
	ssdc_return_grants(e, rq);
	return work >= e->hold_work / 2 ? SSDC_AGAIN : SSDC_MORE;
}

/* Read the next @nr sectors from the origin, bypassing DRAM. */
static enum ssdc_action read_origin(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr,
				    struct ssdc_segment *seg)
{
	if (nr == rq->host.nr_sectors)
		return ssdc_bypass(e, rq);
	seg->frame = SSDC_NO_FRAME;
	seg->frame_sector = 0;
	seg->rq_sector = rq->pos;
	seg->nr_sectors = nr;
	ssdc_units_begin(e, rq->host.sector + rq->pos, nr);
	e->device_inflight++;
	e->stats.bypassed_reads++;
	rq->pos += nr;
	rq->run = 0;
	rq->overtaken = 0;
	ssdc_origin_read_begins(e, rq, rq->host.sector + seg->rq_sector, nr);
	return SSDC_READ_ORIGIN;
}

/*
 * Set @run of @rq to the number of sectors from @first, which is at @pos and not cached, to the
 * first cached page, or to the end of the step. If there are many pages, returns false before that,
 * and the next call continues. If other requests have cached pages since the last call, the run is
 * measured anew, and is at most as long as one call can see.
 */
static bool measure_run(const struct ssdc_engine *e, struct ssdc_request *rq,
			struct ssdc_piece first)
{
	bool changed = rq->run && rq->run_maps != e->maps;
	u64 pos = rq->pos + (rq->run && !changed ? rq->run : first.nr);
	u64 end = ssdc_step_end(rq, rq->pos);
	unsigned int pages;

	for (pages = 0; pages < e->hold_work && pos < end; pages++) {
		struct ssdc_piece piece = ssdc_piece_at(e, rq, pos);

		if (ssdc_lookup(e, piece.page) != SSDC_NO_FRAME)
			break;
		pos += piece.nr;
	}
	rq->run = pos - rq->pos;
	rq->run_maps = e->maps;
	return changed || pages < e->hold_work || pos >= end;
}

/*
 * Deal with a page of a read that is not copied as a hit, or with a run of such pages: see
 * ssdc_read_pages().
 */
static enum ssdc_action read_piece(struct ssdc_engine *e, struct ssdc_request *rq,
				   ssdc_frame_t frame, struct ssdc_piece piece,
				   struct ssdc_segment *seg)
{
	struct ssdc_entry *entry;
	const u8 *valid;
	u32 run;

	if (frame == SSDC_NO_FRAME) {
		if (!measure_run(e, rq, piece))
			return SSDC_MORE;
		return read_origin(e, rq, rq->run, seg);
	}
	rq->run = 0;
	entry = ssdc_entry_at(e, frame);
	valid = ssdc_valid_mask(e, frame);
	if (is_leaving(entry))
		return read_origin(e, rq, piece.nr, seg);
	if (entry->pins == SSDC_MAX_PINS ||
	    ((entry->flags & SSDC_E_FILL) && ssdc_mask_all_empty(valid, e->mask_bytes)))
		return ssdc_wait_page(e, rq, frame);
	if (ssdc_mask_full(valid, piece.from, piece.nr))
		return ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
	run = ssdc_mask_run(valid, piece.from, piece.from + piece.nr);
	if (ssdc_mask_bit(valid, piece.from))
		return ssdc_copy(e, rq, frame, piece.from, run, seg);
	if ((entry->flags & SSDC_E_FILL) || entry->writers)
		return ssdc_wait_page(e, rq, frame);
	return read_origin(e, rq, run, seg);
}

/*
 * Deal with one page of a read, or with a run of pages that are not cached:
 *
 *	not cached, or a clean victim	-> read from the origin
 *	too many copies in progress	-> wait for the page
 *	first sectors valid		-> copy these, whatever I/O of the page is in flight
 *	not valid, filled or written	-> wait for the page
 *	not valid otherwise		-> read the missing sectors from the origin
 *
 * If copies take no time, copies all pages up to the first page that is not in DRAM, but at most
 * *@left.
 */
enum ssdc_action ssdc_read_pages(struct ssdc_engine *e, struct ssdc_request *rq,
				 struct ssdc_segment *seg, unsigned int *left)
{
	do {
		struct ssdc_piece piece = ssdc_piece_at(e, rq, rq->pos);
		ssdc_frame_t frame = ssdc_lookup(e, piece.page);

		if (frame == SSDC_NO_FRAME || !ssdc_can_copy_all(e, frame, piece))
			return read_piece(e, rq, frame, piece, seg);
		rq->run = 0;
		ssdc_copy(e, rq, frame, piece.from, piece.nr, seg);
		if (rq->pinned != SSDC_NO_FRAME)
			break;
		--*left;
	} while (*left && rq->pos < rq->host.nr_sectors);
	return SSDC_COPY;
}
