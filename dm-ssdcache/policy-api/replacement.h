/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of a replacement policy: it chooses which pages to evict and which to flush
 * early.
 *
 *	insert(), adopt() -> page of the policy -> victims(), remove(), pop_hottest()
 *
 * While a page belongs to the policy, it is on exactly one of the policy's lists, and @prev, @next,
 * @list and @weight of its struct ssdc_entry are the policy's to use. All other fields are
 * read-only. The useful fields are @page, @stamp and SSDC_E_DIRTY of @flags.
 *
 * Context of every op except create() and destroy(): the engine's lock, a spinlock, is held.
 * An op must not sleep, allocate memory, start I/O or run long. Defer work that grows with the
 * number of pages to the plug-in's step().
 */
#ifndef SSDC_REPLACEMENT_H
#define SSDC_REPLACEMENT_H

#include "plugin.h"
#include "frame-list.h"
#include "request.h"
#include "view.h"

#define SSDC_BATCH_FRAMES 512
#define SSDC_MAX_WIDTH 16u

struct ssdc_replacement;

/**
 * struct ssdc_batch - pages chosen to leave, or to be flushed, together
 * @nr: number of frames in @frames
 * @width: victims only. How many pages are flushed at a time, up to SSDC_MAX_WIDTH, as a flash chip
 *	would write them into a block of each of its planes; 0: all pages. Pages that are being
 *	flushed already, and padding of clean pages, are not counted
 * @goes_on: early() only. More pages follow in the next call, before any I/O begins
 * @pad_pages: victims only. If not 0: @frames are pages of one aligned block of @pad_pages
 *	pages (2 to SSDC_BATCH_FRAMES), in ascending order. If any of them is dirty, the engine
 *	writes the whole block: clean victims too, and pages that are not cached, which it reads
 *	first
 * @frames: the frames, in the order in which they shall be written
 */
struct ssdc_batch {
	unsigned int nr;
	u32 width;
	u32 pad_pages;
	bool goes_on;
	ssdc_frame_t frames[SSDC_BATCH_FRAMES];
};

/**
 * struct ssdc_replacement_type - a replacement policy
 * @plugin: name, tunables, statistics; must be first
 *
 * @create: optional. Initialise the instance, which is zeroed; its tunables, @entries and
 *	@nr_frames are set. Allocate further memory here. May sleep. Return 0 or -errno with the
 *	reason in @error.
 * @destroy: optional. Free what create() allocated. May sleep.
 * @tuned: optional. A tunable changed while the instance is in use.
 *
 * @request: optional. A host read or write arrived. Called once per request, before the ops on its
 *	pages. The engine then decides page by page, in order: it calls hit(), or it calls victims()
 *	until the page has room, and then insert().
 * @full: optional, for a policy that divides the DRAM tier into parts. A page is about to enter,
 *	which @rq writes or, if @rq is NULL, a read fetches: is its part full? If so, the engine
 *	calls victims() next, which makes room in that part; full() may note the part.
 * @work: the longest time that insert() and hit() take, in looks at another page; 0 means few. The
 *	engine adds these times up over its decisions about the pages of a read, to decide when to
 *	drop its lock
 * @hit_work: the longest time that hit() takes, if it may take longer than insert(). If it may take
 *	longer than the limit of a hold of the lock, each page of a read that hits gets a hold of
 *	its own
 * @clean_work: the longest time that clean() takes, used when the engine notifies the policy of
 *	many pages
 * @long_victims: victims() may look at tens of pages, or name as many. The engine does not call
 *	such a function in a hold of its lock in which it has decided about another page
 *
 * @no_view: victims() does not look at @view, which is NULL
 *
 * @insert: @frame enters the policy as its most recent page. @dirty: written by the host;
 *	otherwise, it is being read from the origin. @rq is the host write. @rq is NULL for a page
 *	that is read; for a dirty victim that a read takes back (its flush may be in flight, so
 *	clean() may follow); for a dirty page that returns because its flush failed; and for a clean
 *	page that returns dirty because a FLUSH of the origin failed. On arrival the entry has
 *	@page, a @stamp newer than all others, SSDC_E_DIRTY in @flags if and only if @dirty, and
 *	@list and @weight 0; @prev and @next are undefined.
 * @hit: optional. @rq reads or writes @frame again. On a write SSDC_E_DIRTY is set before the
 *	call: only the policy's own records say whether the page was clean before. @stamp is new.
 *	If the page is written while its flush is in flight, clean() comes first, as if the flush
 *	had ended. A flush of a sync pass is the exception: the pass does not notify the policy of
 *	a page that is written before its turn. NULL: the policy ignores hits.
 * @clean: optional. @frame was flushed and stays cached; SSDC_E_DIRTY is cleared before the call.
 *	@reason says why it was flushed; a flush for a FUA write counts as SSDC_FLUSH_THROUGH, as
 *	nothing but this write waited for it. The page may be one that early() has chosen. A sync
 *	pass notifies the policy in the order of frame numbers: a page whose turn has not come is
 *	already clean, and has SSDC_E_UNNOTIFIED set. While there are such pages, the engine does
 *	not call early(). NULL: the policy treats clean and dirty pages alike.
 * @remove: @frame leaves for a reason outside the policy: a discard, the message drop_clean, a
 *	failed flush or read, or, during a change of policy, an access that moves it to the new
 *	policy.
 *	Unlink it.
 *
 * @victims: a page is about to enter, and the tier is full. Choose at least 1 and at most @max
 *	frames, unlink them and append them to @batch with ssdc_batch_add(). The engine flushes the
 *	dirty pages together and drops the clean ones. The page enters next: it does not wait for
 *	the flushes. Append nothing only if the policy holds no page. May set @width and @pad_pages
 *	of @batch.
 * @early: optional. The host has been idle for @quiet_us, or the policy is eager, and more than
 *	@early_above pages are dirty. Append up to @max dirty frames to flush now, without unlinking
 *	them; clean() reports success. Return true to be called again at once, if a bound on the
 *	work of one call ended the search, or if @quiet_us has changed. If a batch has tens of
 *	pages, set @goes_on of @batch and choose the other pages in the next call: the lock is
 *	dropped in between, for an instant
 *
 * @adopt: @frame enters the policy as its *least* recent page. When the policy changes, the pages
 *	of the old policy arrive in this way, the most recent first. A page that is accessed
 *	meanwhile arrives at once, and hit() follows. The entry is as for insert(), except that
 *	@stamp is the time of the last access and SSDC_E_DIRTY says whether the page is dirty.
 * @pop_hottest: unlink and return the most recent page, which the new policy adopts next;
 *	SSDC_NO_FRAME if the policy holds none.
 *
 * @check: verify all invariants, O(pages). Return 0, or -EUCLEAN after ssdc_finding() has said in
 *	@finding which list or count is wrong and both values; the caller adds the policy's name.
 *	Only tests call it. See ssdc_lists_check().
 */
struct ssdc_replacement_type {
	struct ssdc_plugin_type plugin;

	int (*create)(struct ssdc_replacement *r, struct ssdc_error *error);
	void (*destroy)(struct ssdc_replacement *r);
	void (*tuned)(struct ssdc_replacement *r);

	void (*request)(struct ssdc_replacement *r, const struct ssdc_host_request *rq);
	bool (*full)(struct ssdc_replacement *r, const struct ssdc_host_request *rq);
	unsigned int work;
	unsigned int hit_work;
	unsigned int clean_work;
	bool long_victims;
	bool no_view;
	void (*insert)(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty);
	void (*hit)(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write);
	void (*clean)(struct ssdc_replacement *r, ssdc_frame_t frame,
		      enum ssdc_flush_reason reason);
	void (*remove)(struct ssdc_replacement *r, ssdc_frame_t frame);

	void (*victims)(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max);
	bool (*early)(struct ssdc_replacement *r, const struct ssdc_view *view,
		      struct ssdc_batch *batch, unsigned int max);

	void (*adopt)(struct ssdc_replacement *r, ssdc_frame_t frame);
	ssdc_frame_t (*pop_hottest)(struct ssdc_replacement *r);

	int (*check)(const struct ssdc_replacement *r, struct ssdc_error *finding);
};

/**
 * struct ssdc_replacement - the first member of every instance
 * @plugin: must be first
 * @entries: the entries of all frames; see ssdc_replacement_entry()
 * @capacity: size of the DRAM tier in pages. @pages may exceed it while flushes fail, as pages
 *	whose flush failed return
 * @nr_frames: number of frames; @pages never exceeds it, and frame numbers are below it
 * @pages: pages that the policy holds; kept by the engine, which counts a page before insert()
 *	and adopt()
 * @early_above: call early() when more than this many pages are dirty; set by the policy,
 *	initially U32_MAX, never
 * @eager: call early() even while the host or the device is busy, again at once after each
 *	batch and after each access that the device completes, until it chooses nothing; set by
 *	the policy
 * @quiet_us: unless @eager, call early() only once the host has been idle for this time or, if it
 *	is longer, for that of the tunable idle_us; set by the policy
 * @surplus: number of pages to evict although there may be room; set by a policy that does not
 *	keep flushed pages, or whose parts have changed in size. While it is not 0, the engine
 *	asks for one batch of victims after each insert() and after each flush of a page that
 *	stays
 */
struct ssdc_replacement {
	struct ssdc_plugin plugin;
	struct ssdc_entry *entries;
	u32 capacity;
	u32 nr_frames;
	u32 pages;
	u32 early_above;
	bool eager;
	u32 quiet_us;
	u32 surplus;
};

static inline const struct ssdc_replacement_type *
ssdc_replacement_ops(const struct ssdc_replacement *r)
{
	return (const struct ssdc_replacement_type *)r->plugin.type;
}

/* The entry of a frame. */
static inline struct ssdc_entry *ssdc_replacement_entry(const struct ssdc_replacement *r,
							ssdc_frame_t frame)
{
	return &r->entries[ssdc_frame_nr(frame)];
}

/**
 * ssdc_replacement_hotter() - the more recently used of two frames
 * @r: instance
 * @a: a frame, or SSDC_NO_FRAME, which is older than any frame
 * @b: likewise
 *
 * Stamps wrap: the answer is right for frames used less than 2^31 accesses apart.
 *
 * Return: @a or @b.
 */
static inline ssdc_frame_t ssdc_replacement_hotter(const struct ssdc_replacement *r,
						   ssdc_frame_t a, ssdc_frame_t b)
{
	if (a == SSDC_NO_FRAME)
		return b;
	if (b == SSDC_NO_FRAME)
		return a;
	return (s32)(ssdc_replacement_entry(r, a)->stamp -
		     ssdc_replacement_entry(r, b)->stamp) >= 0 ? a : b;
}

/* Append @frame; @batch has room for the @max frames that the op was given. */
static inline void ssdc_batch_add(struct ssdc_batch *batch, ssdc_frame_t frame)
{
	batch->frames[batch->nr++] = frame;
}

int ssdc_lists_check(const struct ssdc_replacement *r, const struct ssdc_list *lists,
		     const char *const *names, unsigned int nr, struct ssdc_error *finding);
int ssdc_pages_check(const struct ssdc_replacement *r, u32 pages, struct ssdc_error *finding);

#endif /* SSDC_REPLACEMENT_H */
