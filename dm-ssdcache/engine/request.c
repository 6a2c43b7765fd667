// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of a host request. ssdc_step() runs it until the driver must act:
 *
 *	read	NEW -> FETCH -> PAGES -> END
 *	write	NEW -> PAGES -> END
 *		NEW -> PAGES -> ORIGIN -> END			write through, waiting
 *		NEW -> PAGES -> ORIGIN -> FORWARD -> END	FUA, volatile DRAM
 *	FLUSH	NEW -> SYNC -> FORWARD -> END
 *	discard	NEW -> DISCARD -> FORWARD (-> FORWARD) -> DROP -> RELEASE -> END
 *
 * FETCH decides about all pages of a read, and then queues the fills of those that have entered,
 * so that they are read in parallel. PAGES copies page by page. ORIGIN waits until the pages of a
 * write are flushed. In each phase the request may wait for a page or a frame (wait.c) and then
 * repeats the step.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"
#include "directory.h"
#include "discard.h"
#include "evict.h"
#include "page.h"
#include "prefetch.h"
#include "stable.h"
#include "switch.h"
#include "sync.h"
#include "thrash.h"
#include "view.h"
#include "wait.h"

/* How often writes may overtake a copy to a reader before they are held up. */
#define MAX_OVERTAKEN 2

/* Pages per step of a policy that works on all pages, at least; see SSDC_STEP_FRAMES. */
#define PAGES_PER_STEP (SSDC_STEP_FRAMES / 2)

/* The part of a request within one page. */
struct piece {
	ssdc_page_t page;
	u32 from;		/* first sector, counted from the page's start */
	u32 nr;
};

static struct piece piece_at(const struct ssdc_engine *e, const struct ssdc_request *rq, u64 pos)
{
	u64 sector = rq->host.sector + pos;
	struct piece piece = {
		.page = ssdc_page_of(e, sector),
		.from = sector & (e->tier.page_sectors - 1),
	};

	piece.nr = min_t(u64, e->tier.page_sectors - piece.from, rq->host.nr_sectors - pos);
	return piece;
}

/**
 * ssdc_request_init() - prepare a host request for its first ssdc_step()
 * @rq: record, owned by the driver; the engine links it into lists until SSDC_COMPLETE
 * @op: operation
 * @sector: first sector; the range must lie within the origin
 * @nr_sectors: length: 0 for SSDC_FLUSH, else at least 1; less than 2^32 for reads and writes.
 *	Plug-ins and statistics see the whole request; a step works on SSDC_STEP_SECTORS of it
 * @now_ns: time of arrival
 *
 * The driver may set @rq->host.fua or @rq->force afterwards.
 *
 * Context: any, without a lock.
 */
void ssdc_request_init(struct ssdc_request *rq, enum ssdc_op op, u64 sector, u64 nr_sectors,
		       u64 now_ns)
{
	/* Field by field: clearing the whole record would add a tenth to a hit's instructions. */
	INIT_LIST_HEAD(&rq->node);
	rq->host.sector = sector;
	rq->host.nr_sectors = nr_sectors;
	rq->host.start_ns = now_ns;
	rq->host.op = op;
	rq->host.fua = false;
	rq->force = false;
	rq->error = 0;
	rq->phase = SSDC_RQ_NEW;
	rq->pos = 0;
	rq->ahead = 0;
	rq->pinned = SSDC_NO_FRAME;
	rq->subs = 0;
	rq->grants = 0;
	rq->debts = 0;
	rq->steps = 0;
	rq->mode = SSDC_WRITE_BACK;
	rq->served = false;
	rq->parked = false;
	rq->bypass = false;
	rq->admitted = false;
	rq->evicted_at = SSDC_NOT_EVICTED;
	rq->left_victims = 0;
	rq->overtaken = 0;
	rq->flushed = false;
	rq->stable = false;
	rq->in_dram = false;
	rq->kept = false;
	rq->held = false;
	rq->discarded = false;
}

/* A host read or write arrived: notify the plug-ins. */
static void observe(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (ssdc_replacement_ops(e->replacement)->request)
		ssdc_replacement_ops(e->replacement)->request(e->replacement, &rq->host);
	ssdc_admission_observe(e->admission, &rq->host);
	ssdc_prefetch_observe(e->prefetch, &rq->host);
}

/* FUA on volatile DRAM bypasses admission; so does every write while flushes are failing. */
static enum ssdc_write_mode write_mode(struct ssdc_engine *e, const struct ssdc_request *rq)
{
	if ((rq->host.fua && e->tunables.dram_mode == SSDC_VOLATILE) || e->retry_at_ns)
		return SSDC_WRITE_BACK;
	return ssdc_admit_write(e->admission, &rq->host);
}

/*
 * If the decision of @rq that has just been taken has made the policy want steps, @rq does these
 * before its next decision: the papers' policies have no steps. Other requests do not wait; as
 * theirs may cause more and more steps, the number is limited to what work on all pages takes.
 */
static inline bool note_steps(const struct ssdc_engine *e, struct ssdc_request *rq, bool wanted)
{
	if (likely(!e->replacement->plugin.wants_step) || wanted)
		return false;
	rq->steps = 16 + e->tier.nr_frames / PAGES_PER_STEP;
	return true;
}

/* NEW -> first phase of the operation. */
static void begin(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted)
{
	enum ssdc_op op = rq->host.op;

	rq->host.id = e->next_id++;
	if (unlikely(rq->force)) {
		e->own_inflight++;
	} else {
		e->stats.requests[op]++;
		e->host_inflight++;
		e->host_reads += op == SSDC_READ;
	}

	if (e->watched && (op == SSDC_READ || op == SSDC_WRITE)) {
		observe(e, rq);
		note_steps(e, rq, wanted);
	}

	e->early_declined = false;
	switch (op) {
	case SSDC_READ:
		e->stats.read_bytes += rq->host.nr_sectors << SSDC_SECTOR_SHIFT;
		rq->phase = SSDC_RQ_FETCH;
		break;
	case SSDC_WRITE:
		e->stats.write_bytes += rq->host.nr_sectors << SSDC_SECTOR_SHIFT;
		e->stats.fua_writes += rq->host.fua;
		if (rq->host.fua)
			ssdc_note_failures(e, rq);
		rq->mode = write_mode(e, rq);
		rq->phase = SSDC_RQ_PAGES;
		break;
	case SSDC_DISCARD:
		rq->reads_before = 0;
		list_add_tail(&rq->range_node, &e->discards);
		rq->phase = SSDC_RQ_DISCARD;
		break;
	case SSDC_FLUSH:
	default:
		ssdc_note_failures(e, rq);
		rq->phase = SSDC_RQ_SYNC;
		break;
	}
}

/* Count the request, of type @op, as ended. The engine no longer refers to it. */
static __always_inline enum ssdc_action complete(struct ssdc_engine *e, struct ssdc_request *rq,
						 enum ssdc_op op, u64 now_ns)
{
	u64 latency_ns = now_ns - rq->host.start_ns;

	if (unlikely(rq->grants | rq->debts)) {
		ssdc_return_grants(e, rq);
		ssdc_forgive_debts(e, rq);
	}
	if (unlikely(rq->force)) {
		e->own_inflight--;
		return SSDC_COMPLETE;
	}
	e->host_inflight--;
	e->host_reads -= op == SSDC_READ;
	e->last_host_ns = now_ns;
	e->early_declined = false;
	ssdc_histogram_add(&e->latency[op], latency_ns);
	if (unlikely(op == SSDC_DISCARD))
		ssdc_discard_over(e, rq);
	if (unlikely(rq->error))
		e->stats.failed_requests += rq->error != -EAGAIN;
	else if (e->watched && (op == SSDC_READ || op == SSDC_WRITE))
		ssdc_admission_ended(e->admission, &rq->host, now_ns, latency_ns);
	return SSDC_COMPLETE;
}

/* Unpin a page after a copy. The last write, or the last copy, wakes waiters and acts on flags. */
static void unpin(struct ssdc_engine *e, ssdc_frame_t frame, bool write)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	entry->pins--;
	if (write)
		entry->writers--;
	if (write ? entry->writers : entry->pins)
		return;
	if (entry->flags & (SSDC_E_VICTIM | SSDC_E_WANT_FLUSH | SSDC_E_WAITED)) {
		/* Wake first: ssdc_settle() may free the frame. */
		ssdc_wake_page(e, frame, SSDC_UNPINNED, 0);
		ssdc_settle(e, frame);
	}
}

/* New writes of the page wait until the copy ends. At most one read at a time holds a page so. */
static void hold_writes(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	rq->holds = !entry->read_held;
	entry->read_held = true;
}

static void release_writes(struct ssdc_engine *e, struct ssdc_request *rq)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, rq->pinned);

	entry->read_held = false;
	entry->hold_failed = false;
	ssdc_wake_page(e, rq->pinned, SSDC_UNPINNED, 0);
}

/*
 * Did the data change while the read copied them? Even if it held up writes, a discard may have
 * dropped the page. The count of changes is common to several frames.
 */
static void check_overtaken(struct ssdc_engine *e, struct ssdc_request *rq)
{
	bool overtaken = rq->overwrites != *ssdc_overwrites(e, rq->pinned);

	if (unlikely(rq->overtaken == MAX_OVERTAKEN) && rq->holds) {
		overtaken = ssdc_entry_at(e, rq->pinned)->hold_failed;
		release_writes(e, rq);
	}
	if (likely(!overtaken))
		rq->overtaken = 0;
	else if (rq->overtaken < MAX_OVERTAKEN)
		rq->overtaken++;
}

/*
 * The copy ended: written sectors become valid, the request advances. A read that was overtaken by
 * a write does not advance, and copies again.
 */
static void copied(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u32 from = (rq->host.sector + rq->pos) & (e->tier.page_sectors - 1);
	ssdc_frame_t frame = rq->pinned;

	if (rq->host.op == SSDC_WRITE)
		ssdc_mask_set(ssdc_valid_mask(e, frame), from, rq->copy_sectors);
	else
		check_overtaken(e, rq);
	rq->pinned = SSDC_NO_FRAME;
	rq->pos += rq->overtaken ? 0 : rq->copy_sectors;
	unpin(e, frame, rq->host.op == SSDC_WRITE);
}

/*
 * Pin @frame and have the driver copy @nr sectors of it, from sector @from on. A read must never
 * return a mix of two writes of a sector. So sectors that are being written are dirty and not
 * valid: other requests wait for them. Reads of the page that are copying already learn of the
 * write, and copy again; lest they do so for ever, the third copy holds up further writes.
 */
static enum ssdc_action copy(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame,
			     u32 from, u32 nr, struct ssdc_segment *seg)
{
	struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (rq->host.op == SSDC_WRITE) {
		ssdc_overtake_reads(e, frame);
		ssdc_mask_clear(ssdc_valid_mask(e, frame), from, nr);
		entry->writers++;
	} else {
		rq->overwrites = *ssdc_overwrites(e, frame);
		if (unlikely(rq->overtaken == MAX_OVERTAKEN))
			hold_writes(e, rq, frame);
	}
	entry->pins++;
	rq->pinned = frame;
	rq->copy_sectors = nr;
	seg->frame = frame;
	seg->frame_sector = from;
	seg->rq_sector = rq->pos;
	seg->nr_sectors = nr;
	return SSDC_COPY;
}

/* Where a step that begins at @pos of the request ends. */
static u64 step_end(const struct ssdc_request *rq, u64 pos)
{
	return min(pos + SSDC_STEP_SECTORS, rq->host.nr_sectors);
}

/* Is any of the sectors being written? These are dirty, and not valid yet. */
static bool is_being_written(const struct ssdc_engine *e, ssdc_frame_t frame, struct piece piece)
{
	u32 i;

	for (i = piece.from; i < piece.from + piece.nr; i++)
		if (ssdc_mask_bit(ssdc_dirty_mask(e, frame), i) &&
		    !ssdc_mask_bit(ssdc_valid_mask(e, frame), i))
			return true;
	return false;
}

/*
 * Must a write of the piece wait? Yes while the page is a victim, while its fill or flush is
 * decided or in flight, while a request waits for the page (overlapping writes could starve that
 * request), while a read holds up writes, while another request writes the same sectors, and while
 * there are as many copies as the entry can count.
 */
static bool is_held(const struct ssdc_engine *e, ssdc_frame_t frame, struct piece piece)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	if (entry->flags & (SSDC_E_FLUSH | SSDC_E_FILL | SSDC_E_VICTIM | SSDC_E_WANT_FLUSH |
			    SSDC_E_WAITED))
		return true;
	return entry->pins && (entry->writers == SSDC_MAX_WRITERS ||
			       entry->pins == SSDC_MAX_PINS || entry->read_held ||
			       (entry->writers && is_being_written(e, frame, piece)));
}

/* If admission chose write through, flush the page as soon as its copy ends. */
static void write_through(struct ssdc_engine *e, const struct ssdc_request *rq, ssdc_frame_t frame)
{
	if (rq->mode != SSDC_WRITE_BACK)
		ssdc_want_flush(e, frame, SSDC_FLUSH_THROUGH);
}

/* A page of @rq is not cached: the steps that its victims cause come before it enters. */
static void miss(const struct ssdc_engine *e, struct ssdc_request *rq)
{
	rq->calm = !e->replacement->plugin.wants_step;
}

/* Is any page of the request left to decide about? */
static bool has_decisions(const struct ssdc_request *rq)
{
	if (rq->host.op == SSDC_READ)
		return rq->phase == SSDC_RQ_FETCH && rq->ahead < rq->host.nr_sectors;
	return rq->pos < rq->host.nr_sectors && !rq->error;
}

/* Do one of these steps, if any is left. Returns false if there is none. */
static bool policy_step(struct ssdc_engine *e, struct ssdc_request *rq)
{
	struct ssdc_plugin *plugin = &e->replacement->plugin;

	if (!plugin->wants_step || e->frozen || !has_decisions(rq))
		rq->steps = 0;
	if (!rq->steps)
		return false;
	rq->steps--;
	plugin->wants_step = plugin->type->step(plugin);
	e->stats.plugin_steps++;
	return true;
}

/* A page enters the policy, written by @host or, if that is NULL, read. */
static void enter_policy(struct ssdc_engine *e, ssdc_frame_t frame,
			 const struct ssdc_host_request *host, bool dirty)
{
	ssdc_policy_insert(e, frame, host, dirty);
	ssdc_thrash_entered(e, frame);
}

/*
 * Page of no policy, with room for it -> most recent, dirty page of the policy, being written.
 * @evicted: the policy was asked for victims.
 */
static enum ssdc_action insert_page(struct ssdc_engine *e, struct ssdc_request *rq,
				    ssdc_frame_t frame, struct piece piece, bool evicted,
				    struct ssdc_segment *seg)
{
	enum ssdc_action action;

	ssdc_set_dirty(e, frame, piece.from, piece.nr);
	enter_policy(e, frame, &rq->host, true);
	action = copy(e, rq, frame, piece.from, piece.nr, seg);
	write_through(e, rq, frame);
	/* Only once the frame is pinned: the page itself may be among the victims. */
	evicted |= ssdc_evict_surplus(e, rq);
	e->stats.write_absorbed += !evicted;
	e->stats.write_pages++;
	return action;
}

/* Page that is not cached -> page being written, or SSDC_WAIT, or SSDC_AGAIN. */
static enum ssdc_action write_miss(struct ssdc_engine *e, struct ssdc_request *rq,
				   struct piece piece, struct ssdc_segment *seg)
{
	ssdc_frame_t frame;
	bool evicted;

	miss(e, rq);
	if (!ssdc_get_frame(e, rq))
		return SSDC_WAIT;
	if (unlikely(ssdc_make_room(e, rq, &rq->host, 1)))
		return SSDC_AGAIN;
	evicted = ssdc_enter(e, rq, 1);
	frame = ssdc_take_frame(e, rq);
	ssdc_map(e, frame, piece.page);
	return insert_page(e, rq, frame, piece, evicted, seg);
}

/* Prefetched page -> page being written. */
static enum ssdc_action write_prefetched(struct ssdc_engine *e, struct ssdc_request *rq,
					 ssdc_frame_t frame, struct piece piece,
					 struct ssdc_segment *seg)
{
	miss(e, rq);
	/* The steps come first; or the page itself has given way. */
	if (ssdc_make_room(e, rq, &rq->host, 0) || !ssdc_entry_at(e, frame)->prefetched)
		return SSDC_AGAIN;
	e->stats.write_hits++;
	ssdc_prefetch_leave(e, frame, true);
	return insert_page(e, rq, frame, piece, ssdc_enter(e, rq, 0), seg);
}

/*
 * One page of a write:
 *
 *	discard in progress		-> wait for its end
 *	cached, no I/O			-> hit, copy
 *	prefetched, no I/O		-> hit, copy; the page enters the policy
 *	cached, fill or flush		-> wait for the page: its data must not change during I/O
 *	victim				-> wait until it has left
 *	not cached, frame free		-> evict if the tier is full, insert, copy
 *	not cached, no frame free	-> wait for a frame
 */
static enum ssdc_action write_page(struct ssdc_engine *e, struct ssdc_request *rq,
				   struct ssdc_segment *seg)
{
	struct piece piece = piece_at(e, rq, rq->pos);
	ssdc_frame_t frame = ssdc_lookup(e, piece.page);
	enum ssdc_action action;

	if (ssdc_discard_covers(e, rq->host.sector + rq->pos, piece.nr))
		return ssdc_wait_discard(e, rq);
	if (frame != SSDC_NO_FRAME) {
		if (is_held(e, frame, piece))
			return ssdc_wait_page(e, rq, frame);
		if (ssdc_entry_at(e, frame)->prefetched)
			return write_prefetched(e, rq, frame, piece, seg);
		e->stats.write_hits++;
		e->stats.write_absorbed++;
		ssdc_set_dirty(e, frame, piece.from, piece.nr);
		ssdc_policy_hit(e, frame, &rq->host, true);
	} else {
		return write_miss(e, rq, piece, seg);
	}
	e->stats.write_pages++;
	action = copy(e, rq, frame, piece.from, piece.nr, seg);
	write_through(e, rq, frame);
	return action;
}

/* May the page enter? The admission scheme is asked once, even if the page waits for a frame. */
static inline bool admit(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_page_t page)
{
	if (!ssdc_admits_reads(e->admission) || rq->bypass ||
	    ssdc_discard_covers(e, ssdc_page_sector(e, page), e->tier.page_sectors))
		return false;
	if (!rq->admitted)
		rq->admitted = ssdc_admit_read(e->admission, &rq->host, page);
	return rq->admitted;
}

/* Is the page a clean victim? Reads of it go to the origin, so that its frame becomes free. */
static bool is_leaving(const struct ssdc_entry *entry)
{
	return (entry->flags & (SSDC_E_VICTIM | SSDC_E_DIRTY)) == SSDC_E_VICTIM;
}

/*
 * A read finds a page of the policy, a hit however many of its sectors are valid, or of the
 * partition. @now: all of the piece is in DRAM.
 */
static inline void use_page(struct ssdc_engine *e, ssdc_frame_t frame,
			    const struct ssdc_host_request *rq, bool now)
{
	e->stats.read_pages++;
	e->stats.read_hits += now;
	if (likely(ssdc_entry_at(e, frame)->flags & SSDC_E_POLICY))
		ssdc_policy_hit(e, frame, rq, false);
	else
		ssdc_prefetch_hit(e, frame);
}

/* Can the piece be copied now, as a hit? */
static bool can_copy_all(const struct ssdc_engine *e, ssdc_frame_t frame, struct piece piece)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);

	return !(entry->flags & SSDC_E_VICTIM) && entry->pins != SSDC_MAX_PINS &&
		ssdc_mask_full(ssdc_valid_mask(e, frame), piece.from, piece.nr);
}

/*
 * A page that is not resident enters, to be read: start_fills() comes next. @frame is
 * SSDC_NO_FRAME or that of a victim, which returns. Returns SSDC_COMPLETE when that is decided,
 * else SSDC_WAIT or SSDC_AGAIN.
 */
static enum ssdc_action fetch(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_page_t page,
			      ssdc_frame_t frame)
{
	bool returns = frame != SSDC_NO_FRAME;

	miss(e, rq);
	if (!returns && !ssdc_get_frame(e, rq))
		return SSDC_WAIT;
	if (unlikely(ssdc_make_room(e, rq, NULL, 1)))
		return SSDC_AGAIN;
	ssdc_enter(e, rq, !returns);
	if (returns) {
		ssdc_spare_victim(e, frame);
	} else {
		frame = ssdc_take_frame(e, rq);
		ssdc_map(e, frame, page);
	}
	e->stats.admitted_reads++;
	enter_policy(e, frame, NULL, ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY);
	/* A FLUSH may count on the flush of the victim, which may not have begun. */
	if (ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY)
		ssdc_want_flush(e, frame, SSDC_FLUSH_EVICT);
	ssdc_evict_surplus(e, rq);
	return SSDC_COMPLETE;
}

/*
 * A read that may enter finds a victim. A dirty one, or one whose fill is in flight, returns; but
 * not if the rest of its batch depends on it: then it is copied while it is there, and leaves.
 * Other clean victims, which are in use, must not return: a failed FLUSH may have lost what was
 * written, and a discard may have dropped the data. The read waits until they have left, as it
 * does for dirty victims of its own, which the paper's loop would read again, clean.
 */
static enum ssdc_action fetch_victim(struct ssdc_engine *e, struct ssdc_request *rq,
				     ssdc_frame_t frame, ssdc_page_t page)
{
	const struct ssdc_entry *entry = ssdc_entry_at(e, frame);
	bool leaves_alone = ssdc_can_return(entry);

	if (!(entry->flags & (SSDC_E_DIRTY | SSDC_E_FILL)))
		return ssdc_wait_page(e, rq, frame);
	if (ssdc_has_evicted(rq, entry) && ((entry->flags & SSDC_E_DIRTY) || !leaves_alone))
		return ssdc_wait_page(e, rq, frame);
	return leaves_alone ? fetch(e, rq, page, frame) : SSDC_COMPLETE;
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
 * when that is decided, else SSDC_WAIT or SSDC_AGAIN.
 */
static inline enum ssdc_action fetch_page(struct ssdc_engine *e, struct ssdc_request *rq,
					  ssdc_frame_t frame, struct piece piece)
{
	enum ssdc_action action = SSDC_COMPLETE;

	if (frame != SSDC_NO_FRAME && !(ssdc_entry_at(e, frame)->flags & SSDC_E_VICTIM)) {
		use_page(e, frame, &rq->host,
			 ssdc_mask_full(ssdc_valid_mask(e, frame), piece.from, piece.nr));
		/* Perhaps the page was missed first, and another request has cached it since. */
		rq->admitted = false;
		return SSDC_COMPLETE;
	}
	if (admit(e, rq, piece.page))
		action = frame == SSDC_NO_FRAME ? fetch(e, rq, piece.page, frame) :
						  fetch_victim(e, rq, frame, piece.page);
	if (action == SSDC_COMPLETE) {
		rq->admitted = false;
		e->stats.read_pages++;
	}
	return action;
}

/*
 * Queue the fills of the pages from @pos on that have entered. A page that a later one of this step
 * has evicted left at once, unread; PAGES reads it past DRAM, together with its neighbours.
 */
static void start_fills(struct ssdc_engine *e, const struct ssdc_request *rq, u64 pos)
{
	while (pos < rq->ahead) {
		struct piece piece = piece_at(e, rq, pos);
		ssdc_frame_t frame = ssdc_lookup(e, piece.page);

		if (frame != SSDC_NO_FRAME && ssdc_is_unread(e, frame))
			ssdc_start_fill(e, frame);
		pos += piece.nr;
	}
}

/*
 * FETCH -> PAGES once all pages have been decided about, and fills of those that have entered are
 * queued; SSDC_AGAIN before that if the request is long, or if the policy has steps to do.
 */
static enum ssdc_action fetch_pages(struct ssdc_engine *e, struct ssdc_request *rq, bool wanted)
{
	u64 first = rq->ahead, end = step_end(rq, first), admitted = e->stats.admitted_reads;
	enum ssdc_action action = SSDC_COMPLETE;

	while (rq->ahead < end) {
		struct piece piece = piece_at(e, rq, rq->ahead);

		action = fetch_page(e, rq, ssdc_lookup(e, piece.page), piece);
		if (action == SSDC_COMPLETE)
			rq->ahead += piece.nr;
		if (note_steps(e, rq, wanted) || action != SSDC_COMPLETE)
			break;
	}
	if (e->stats.admitted_reads != admitted)
		start_fills(e, rq, first);
	if (action != SSDC_COMPLETE)
		return action;
	if (rq->ahead < rq->host.nr_sectors)
		return SSDC_AGAIN;
	rq->phase = SSDC_RQ_PAGES;
	ssdc_return_grants(e, rq);
	return SSDC_AGAIN;
}

/* The origin reads all of @rq, whose pages are not cached. @rq waits for that. */
static inline enum ssdc_action bypass(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 page = ssdc_page_nr(ssdc_page_of(e, rq->host.sector));
	u64 end = rq->host.sector + rq->host.nr_sectors;

	if (likely(page == ssdc_page_nr(ssdc_page_of(e, end - 1))) && ssdc_needs_estimate(e)) {
		ssdc_units_renew(e);
		div_u64_rem(page, e->units.nr, &rq->unit);
		ssdc_unit_begins(&e->units, rq->unit);
	} else {
		rq->unit = SSDC_MANY_UNITS;
		ssdc_units_begin(e, rq->host.sector, rq->host.nr_sectors);
	}
	e->device_inflight++;
	e->stats.bypassed_reads++;
	rq->pos = rq->host.nr_sectors;
	ssdc_whole_read_begins(e, rq);
	ssdc_park(e, rq);
	return SSDC_BYPASS;
}

/* Read the next @nr sectors from the origin, bypassing DRAM. */
static enum ssdc_action read_origin(struct ssdc_engine *e, struct ssdc_request *rq, u32 nr,
				    struct ssdc_segment *seg)
{
	if (nr == rq->host.nr_sectors)
		return bypass(e, rq);
	seg->frame = SSDC_NO_FRAME;
	seg->frame_sector = 0;
	seg->rq_sector = rq->pos;
	seg->nr_sectors = nr;
	ssdc_units_begin(e, rq->host.sector + rq->pos, nr);
	e->device_inflight++;
	e->stats.bypassed_reads++;
	rq->pos += nr;
	rq->overtaken = 0;
	ssdc_origin_read_begins(e, rq, rq->host.sector + seg->rq_sector, nr);
	return SSDC_READ_ORIGIN;
}

/*
 * FETCH. Fast paths: most reads are within one page, and need no second look at it in PAGES if it
 * is a hit, or bypasses DRAM.
 */
static inline enum ssdc_action fetch_or_hit(struct ssdc_engine *e, struct ssdc_request *rq,
					    bool wanted, struct ssdc_segment *seg)
{
	struct piece piece = piece_at(e, rq, 0);
	ssdc_frame_t frame;

	if (piece.nr < rq->host.nr_sectors)
		return fetch_pages(e, rq, wanted);
	frame = ssdc_lookup(e, piece.page);
	if (frame == SSDC_NO_FRAME ? admit(e, rq, piece.page) : !can_copy_all(e, frame, piece))
		return fetch_pages(e, rq, wanted);
	rq->phase = SSDC_RQ_PAGES;
	if (frame == SSDC_NO_FRAME) {
		e->stats.read_pages++;
		if (unlikely(rq->grants))
			ssdc_return_grants(e, rq);
		return bypass(e, rq);
	}
	rq->ahead = piece.nr;
	use_page(e, frame, &rq->host, true);
	return copy(e, rq, frame, piece.from, piece.nr, seg);
}

/*
 * Number of sectors from @first, at @rq->pos and not cached, up to the first page that is, or up
 * to the end of the step.
 */
static u32 missing_run(const struct ssdc_engine *e, const struct ssdc_request *rq,
		       struct piece first)
{
	u64 pos = rq->pos + first.nr, end = step_end(rq, rq->pos);

	while (pos < end) {
		struct piece piece = piece_at(e, rq, pos);

		if (ssdc_lookup(e, piece.page) != SSDC_NO_FRAME)
			break;
		pos += piece.nr;
	}
	return pos - rq->pos;
}

/*
 * One page of a read, or a run of pages that are not cached:
 *
 *	not cached, or a clean victim	-> read from the origin
 *	too many copies in progress	-> wait for the page
 *	first sectors valid		-> copy these, whatever I/O of the page is in flight
 *	not valid, filled or written	-> wait for the page
 *	not valid otherwise		-> read the missing sectors from the origin
 */
static enum ssdc_action read_page(struct ssdc_engine *e, struct ssdc_request *rq,
				  struct ssdc_segment *seg)
{
	struct piece piece = piece_at(e, rq, rq->pos);
	ssdc_frame_t frame = ssdc_lookup(e, piece.page);
	struct ssdc_entry *entry;
	const u8 *valid;
	u32 run;

	if (frame == SSDC_NO_FRAME)
		return read_origin(e, rq, missing_run(e, rq, piece), seg);

	entry = ssdc_entry_at(e, frame);
	valid = ssdc_valid_mask(e, frame);
	if (is_leaving(entry))
		return read_origin(e, rq, piece.nr, seg);
	if (entry->pins == SSDC_MAX_PINS)
		return ssdc_wait_page(e, rq, frame);
	if (ssdc_mask_full(valid, piece.from, piece.nr))
		return copy(e, rq, frame, piece.from, piece.nr, seg);
	run = ssdc_mask_run(valid, piece.from, piece.from + piece.nr);
	if (ssdc_mask_bit(valid, piece.from))
		return copy(e, rq, frame, piece.from, run, seg);
	if ((entry->flags & SSDC_E_FILL) || entry->writers)
		return ssdc_wait_page(e, rq, frame);
	return read_origin(e, rq, run, seg);
}

/*
 * Must a write's data be on the origin's stable media before it completes? If a FLUSH has failed
 * since it began, it must: it then fails.
 */
static bool needs_flush(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return rq->host.fua && (!ssdc_dram_is_stable(e) || ssdc_has_failed_flush(e, rq));
}

/* Must a write's pages be on the origin before it completes? */
static bool waits_for_origin(const struct ssdc_request *rq)
{
	return rq->mode == SSDC_WRITE_SYNC || rq->stable;
}

/* PAGES: the next page; after the last one wait for debts and bypassing reads. */
static enum ssdc_action next_page(struct ssdc_engine *e, struct ssdc_request *rq,
				  struct ssdc_segment *seg)
{
	if (rq->pos < rq->host.nr_sectors && !rq->error)
		return rq->host.op == SSDC_READ ? read_page(e, rq, seg) : write_page(e, rq, seg);
	ssdc_return_grants(e, rq);
	if (rq->debts && rq->error)
		ssdc_forgive_debts(e, rq);
	if (rq->subs || rq->debts) {
		e->stats.frame_waits += rq->debts && !rq->subs;
		ssdc_park(e, rq);
		return SSDC_WAIT;
	}
	rq->stable = needs_flush(e, rq);
	rq->phase = waits_for_origin(rq) ? SSDC_RQ_ORIGIN : SSDC_RQ_END;
	rq->pos = 0;
	rq->ahead = 0;
	return SSDC_AGAIN;
}

/* Has DRAM become volatile since a write left its data there? */
static bool is_exposed(const struct ssdc_engine *e, const struct ssdc_request *rq)
{
	return rq->in_dram && e->tunables.dram_mode == SSDC_VOLATILE && !rq->error;
}

/* Begin phase ORIGIN again. */
static void flush_again(struct ssdc_request *rq)
{
	rq->phase = SSDC_RQ_ORIGIN;
	rq->stable = true;
	rq->in_dram = false;
	rq->flush_nr = 0;
	rq->pos = 0;
	rq->ahead = 0;
}

/* The frame of a piece if its page is dirty, or SSDC_NO_FRAME. */
static ssdc_frame_t dirty_frame(const struct ssdc_engine *e, struct piece piece)
{
	ssdc_frame_t frame = ssdc_lookup(e, piece.page);

	if (frame != SSDC_NO_FRAME && (ssdc_entry_at(e, frame)->flags & SSDC_E_DIRTY))
		return frame;
	return SSDC_NO_FRAME;
}

/* Have all dirty pages of a write flushed side by side. Returns false if pages are left. */
static bool request_flushes(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 end = step_end(rq, rq->ahead);

	while (rq->ahead < end) {
		struct piece piece = piece_at(e, rq, rq->ahead);
		ssdc_frame_t frame = dirty_frame(e, piece);

		if (frame != SSDC_NO_FRAME)
			ssdc_want_flush(e, frame, SSDC_FLUSH_FORCED);
		rq->ahead += piece.nr;
	}
	return rq->ahead == rq->host.nr_sectors;
}

/*
 * ORIGIN: wait until each page of a write was flushed; SSDC_AGAIN before that if the write is long.
 * Then a write through ends, and FUA continues with a FLUSH of the origin (FORWARD). If DRAM has
 * become volatile since the decision, FUA starts again: pages whose flush failed were safe only in
 * protected DRAM.
 */
static enum ssdc_action write_to_origin(struct ssdc_engine *e, struct ssdc_request *rq)
{
	u64 end;

	if (!request_flushes(e, rq))
		return SSDC_AGAIN;
	if (rq->flushed)
		rq->pos += piece_at(e, rq, rq->pos).nr;
	rq->flushed = false;

	end = step_end(rq, rq->pos);
	while (rq->pos < end && !rq->error) {
		struct piece piece = piece_at(e, rq, rq->pos);
		ssdc_frame_t frame = dirty_frame(e, piece);

		if (frame != SSDC_NO_FRAME) {
			ssdc_want_flush(e, frame, SSDC_FLUSH_FORCED);
			return ssdc_wait_page(e, rq, frame);
		}
		rq->pos += piece.nr;
	}
	if (rq->pos < rq->host.nr_sectors && !rq->error)
		return SSDC_AGAIN;
	if (!rq->error && (is_exposed(e, rq) || (!rq->stable && needs_flush(e, rq)))) {
		flush_again(rq);
		return SSDC_AGAIN;
	}
	rq->phase = rq->error || !rq->stable ? SSDC_RQ_END : SSDC_RQ_FORWARD;
	return SSDC_AGAIN;
}

/*
 * SYNC: wait for a sync pass over volatile DRAM. Protected DRAM may keep its dirty pages, but the
 * origin's cache may hold discards, and pages written while DRAM was volatile: the FLUSH is
 * forwarded for these, and after the failure of one. A sync pass, which flushes dirty pages, too,
 * goes first while such a page write is in flight, while pages are found that must be written
 * again, and if a failure has not been reported.
 */
static enum ssdc_action sync(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (e->tunables.dram_mode == SSDC_PROTECTED && !rq->force && !e->plain_writes &&
	    !e->stability.rewriting && !e->stability.unreported) {
		rq->phase = e->origin_changes == e->origin_flushed ? SSDC_RQ_END : SSDC_RQ_FORWARD;
		return SSDC_AGAIN;
	}
	ssdc_park(e, rq);
	ssdc_sync_join(e, rq);
	return SSDC_WAIT;
}

static bool is_at_discard(const struct ssdc_request *rq)
{
	return rq->host.op == SSDC_DISCARD && !rq->discarded;
}

static void set_error(struct ssdc_request *rq, int error)
{
	if (!rq->error)
		rq->error = error;
}

/* FORWARD -> the phase after the FLUSH that @rq asked for. */
static void flushed(struct ssdc_engine *e, struct ssdc_request *rq)
{
	int error = ssdc_flush_result(e, rq);

	rq->phase = SSDC_RQ_END;
	if (rq->host.op == SSDC_DISCARD)
		ssdc_discard_flushed(rq, error);
	set_error(rq, error);
}

/*
 * Forward a discard, or a FLUSH unless another request's covers it. FUA, the driver's own FLUSH,
 * and the FLUSH that follows a discard have no bio to forward: send one.
 */
static enum ssdc_action forward(struct ssdc_engine *e, struct ssdc_request *rq)
{
	if (is_at_discard(rq)) {
		e->device_inflight++;
		return SSDC_FORWARD;
	}
	if (ssdc_is_flushed(e, rq)) {
		flushed(e, rq);
		return SSDC_AGAIN;
	}
	if (e->stability.active) {
		ssdc_wait_flush(e, rq);
		return SSDC_WAIT;
	}
	ssdc_flush_begins(e, rq);
	e->device_inflight++;
	return ssdc_is_host_flush(rq) ? SSDC_FORWARD : SSDC_FLUSH_ORIGIN;
}

/**
 * ssdc_step() - advance a request until the driver must act
 * @e: engine
 * @rq: a new request; one whose SSDC_COPY is done, whose SSDC_READ_ORIGIN was started or that
 *	returned SSDC_AGAIN or SSDC_YIELD; or one from ssdc_next_ready()
 * @now_ns: current time
 * @seg: result: what to copy or read, for SSDC_COPY and SSDC_READ_ORIGIN
 *
 * Return: what the driver must do; see enum ssdc_action. An error of the request is in
 * @rq->error at SSDC_COMPLETE.
 */
enum ssdc_action ssdc_step(struct ssdc_engine *e, struct ssdc_request *rq, u64 now_ns,
			   struct ssdc_segment *seg)
{
	enum ssdc_action action;
	enum ssdc_phase phase;
	bool wanted;

	if (rq->pinned != SSDC_NO_FRAME) {
		copied(e, rq);
		/* Fast path: most requests end here. */
		if (rq->pos == rq->host.nr_sectors && !rq->subs && !rq->host.fua &&
		    rq->mode != SSDC_WRITE_SYNC && !rq->debts)
			return complete(e, rq, rq->host.op, now_ns);
	}
	wanted = e->replacement->plugin.wants_step;
	if (rq->phase == SSDC_RQ_NEW)
		begin(e, rq, wanted);
	for (;;) {
		phase = rq->phase;
		switch (phase) {
		case SSDC_RQ_FETCH:
			if (rq->error) {
				rq->phase = SSDC_RQ_END;
				continue;
			}
			if (unlikely(rq->steps) && policy_step(e, rq))
				return SSDC_YIELD;
			action = fetch_or_hit(e, rq, wanted, seg);
			break;
		case SSDC_RQ_PAGES:
			if (unlikely(rq->steps) && policy_step(e, rq))
				return SSDC_YIELD;
			action = next_page(e, rq, seg);
			note_steps(e, rq, wanted);
			break;
		case SSDC_RQ_ORIGIN:
			action = write_to_origin(e, rq);
			break;
		case SSDC_RQ_SYNC:
			action = sync(e, rq);
			break;
		case SSDC_RQ_DISCARD:
		case SSDC_RQ_DROP:
		case SSDC_RQ_RELEASE:
			action = ssdc_discard_step(e, rq);
			if (action == SSDC_AGAIN)
				return action;
			break;
		case SSDC_RQ_FORWARD:
			action = forward(e, rq);
			break;
		case SSDC_RQ_END:
		default:
			if (is_exposed(e, rq)) {
				flush_again(rq);
				continue;
			}
			return complete(e, rq, rq->host.op, now_ns);
		}
		/* In the same phase, the request is long, and the driver drops the lock. */
		if (action != SSDC_AGAIN || rq->phase == phase)
			return action;
	}
}

static inline void note_read_end(struct ssdc_engine *e, struct ssdc_request *rq, int error)
{
	e->device_inflight--;
	e->early_declined = false;
	if (likely(!error))
		return;
	/* -EAGAIN: the read would have had to wait. That is no error of the origin. */
	e->stats.read_errors += error != -EAGAIN;
	if (!rq->error)
		rq->error = error;
}

/* The last read of the origin ended. That is the end of a request that waits for nothing else. */
static __always_inline enum ssdc_action last_read_ended(struct ssdc_engine *e,
							struct ssdc_request *rq, u64 now_ns)
{
	if (unlikely(!rq->parked || !list_empty(&rq->node)))
		return SSDC_WAIT;
	if (unlikely(rq->debts) && !rq->error) {
		e->stats.frame_waits++;
		return SSDC_WAIT;
	}
	ssdc_unpark(e, rq);
	return complete(e, rq, SSDC_READ, now_ns);
}

/**
 * ssdc_sub_done() - a read of SSDC_READ_ORIGIN ended
 * @e: engine
 * @rq: its request
 * @seg: what was read, as returned by ssdc_step()
 * @error: 0 or -errno; fails the request
 * @now_ns: current time
 *
 * The last read of a request that waits for nothing else ends the request: no ssdc_step() follows.
 *
 * Return: SSDC_COMPLETE: complete the request with rq->error, the engine no longer refers to it;
 * SSDC_WAIT: nothing; after the driver drops the lock, another thread may complete and free @rq.
 */
enum ssdc_action ssdc_sub_done(struct ssdc_engine *e, struct ssdc_request *rq,
			       const struct ssdc_segment *seg, int error, u64 now_ns)
{
	note_read_end(e, rq, error);
	ssdc_units_end(e, rq->host.sector + seg->rq_sector, seg->nr_sectors);
	if (--rq->subs)
		return SSDC_WAIT;
	ssdc_last_read_ends(e, rq);
	return last_read_ended(e, rq, now_ns);
}

/**
 * ssdc_bypass_done() - the read of SSDC_BYPASS ended
 * @e: engine
 * @rq: its request
 * @error: 0 or -errno; fails the request
 * @now_ns: current time
 *
 * Context: the lock. O(pages of @rq); no policy decides, at most an admission scheme's
 * ended() is called, so an interrupt handler may call this.
 * Return: as ssdc_sub_done(). SSDC_WAIT is rare: victims of the request have yet to leave.
 */
enum ssdc_action ssdc_bypass_done(struct ssdc_engine *e, struct ssdc_request *rq, int error,
				  u64 now_ns)
{
	note_read_end(e, rq, error);
	if (likely(rq->unit != SSDC_MANY_UNITS))
		ssdc_unit_ends(&e->units, rq->unit);
	else
		ssdc_units_end(e, rq->host.sector, rq->host.nr_sectors);
	rq->subs = 0;
	ssdc_last_read_ends(e, rq);
	return last_read_ended(e, rq, now_ns);
}

/**
 * ssdc_forward_done() - the I/O of SSDC_FORWARD or SSDC_FLUSH_ORIGIN ended
 * @e: engine
 * @rq: its request; ssdc_next_ready() returns it next
 * @error: 0 or -errno; fails the request
 */
void ssdc_forward_done(struct ssdc_engine *e, struct ssdc_request *rq, int error)
{
	e->device_inflight--;
	if (is_at_discard(rq)) {
		e->origin_changes++;
		if (e->tunables.dram_mode == SSDC_VOLATILE)
			e->origin_written = e->origin_changes;
		ssdc_note_failures(e, rq);
		ssdc_discard_forwarded(e, rq, error);
		set_error(rq, error);
	} else {
		ssdc_flush_ended(e, rq, error);
		flushed(e, rq);
	}
	ssdc_make_ready(e, rq);
}
