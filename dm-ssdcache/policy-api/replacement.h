/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of a replacement policy: which page leaves, and what goes with it.
 *
 * Context of every op unless it says otherwise: the engine's lock is held, so an
 * op must not sleep, allocate, do I/O, or run long. Work that grows with the
 * number of pages is put off, and done piece by piece in the plug-in's step().
 *
 * A page enters a policy by insert() or adopt() and leaves it by victims(),
 * remove() or pop_hottest(); in between it is on exactly one of its lists. The
 * link fields, @list and @weight of struct ssdc_entry belong to the policy for
 * that time; everything else in the entry is read-only to it.
 */
#ifndef SSDC_REPLACEMENT_H
#define SSDC_REPLACEMENT_H

#include "plugin.h"
#include "frame-list.h"
#include "view.h"

#define SSDC_BATCH_FRAMES 512

struct ssdc_request;
struct ssdc_replacement;

/**
 * struct ssdc_batch - pages picked to be flushed together
 * @nr: how many
 * @serial: victims only: write one after the other, as into one block of a flash chip.
 *	Otherwise all are written side by side
 * @pad_pages: victims only: if not 0, they are pages of one aligned block of so many (2 to
 *	SSDC_BATCH_FRAMES), in ascending order. If one of them is dirty the whole block is
 *	written: clean victims, too, and pages that are not cached, which are read for that
 * @frames: which, in the order in which they shall be written
 */
struct ssdc_batch {
	unsigned int nr;
	bool serial;
	u32 pad_pages;
	ssdc_frame_t frames[SSDC_BATCH_FRAMES];
};

/**
 * struct ssdc_replacement_type - a replacement policy
 * @plugin: name, tunables, statistics; must be first
 *
 * @create: optional. Allocate what the instance needs beyond itself; its
 *	tunables are set and its engine has its frames. May sleep; the lock is
 *	not held. 0 or -errno (@error then says what was wrong).
 * @destroy: optional. Free what create() allocated. May sleep.
 * @tuned: optional. Called after a tunable changed.
 *
 * @insert: @frame enters as the most recent page: written (dirty) by @rq, or
 *	read (clean). @rq is NULL for a page that was read, and for a victim
 *	whose flush failed and that comes back.
 * @request: optional. A host read or write arrived; called once, before its pages.
 * @hit: @frame is read or written again by @rq. A written page's SSDC_E_DIRTY is
 *	already set; the policy's own list tells what it was before. NULL: hits
 *	do not count.
 * @clean: the flush of @frame succeeded and it stays cached; @reason says why
 *	it was flushed. SSDC_E_DIRTY is already gone. NULL: no difference
 *	between clean and dirty. The page may be one that early() has just
 *	picked, or was about to pick. Of pages that a walk (FLUSH, periodic)
 *	writes, a policy hears in the order of their frames; those that wait
 *	for their turn are SSDC_E_UNNOTIFIED, and SSDC_E_DIRTY no longer. early()
 *	is not asked while there are any.
 * @remove: @frame leaves for a reason that is not the policy's (discard,
 *	drop_clean, failed early flush).
 *
 * @victims: pick what leaves to make room for at least one page, at least 1 and
 *	at most @max frames, unlink them and append them to @batch. Dirty ones
 *	are flushed as one batch, clean ones dropped. Nothing appended means
 *	that the policy holds no page. May set @serial and @pad_pages of @batch.
 * @early: optional. The device is idle, or the policy eager: append up to @max dirty
 *	frames that should be flushed now; they stay in the policy, which hears
 *	of success by clean(). Returns true when it wants to be called again at
 *	once, having used up its step.
 *
 * @adopt: @frame enters as the *least* recent page: pages of the policy before
 *	this one arrive most recent first. The entry's weight is whatever that
 *	policy left.
 * @pop_hottest: unlink and return the page that should be adopted first,
 *	SSDC_NO_FRAME when empty.
 *
 * @check: verify all invariants; 0 or -EUCLEAN. For tests, O(pages).
 */
struct ssdc_replacement_type {
	struct ssdc_plugin_type plugin;

	int (*create)(struct ssdc_replacement *r, struct ssdc_error *error);
	void (*destroy)(struct ssdc_replacement *r);
	void (*tuned)(struct ssdc_replacement *r);

	void (*request)(struct ssdc_replacement *r, const struct ssdc_request *rq);
	void (*insert)(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_request *rq, bool dirty);
	void (*hit)(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_request *rq, bool write);
	void (*clean)(struct ssdc_replacement *r, ssdc_frame_t frame,
		      enum ssdc_flush_reason reason);
	void (*remove)(struct ssdc_replacement *r, ssdc_frame_t frame);

	void (*victims)(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max);
	bool (*early)(struct ssdc_replacement *r, const struct ssdc_view *view,
		      struct ssdc_batch *batch, unsigned int max);

	void (*adopt)(struct ssdc_replacement *r, ssdc_frame_t frame);
	ssdc_frame_t (*pop_hottest)(struct ssdc_replacement *r);

	int (*check)(const struct ssdc_replacement *r);
};

/**
 * struct ssdc_replacement - the start of every instance
 * @plugin: must be first
 * @entries: the engine's directory records
 * @nr_frames: size of the DRAM tier in pages
 * @pages: pages the policy holds now, kept by the engine
 * @early_above: early() is wanted once more than this many pages are dirty;
 *	kept by the policy (U32_MAX: never), read by the engine on each request
 * @eager: early() is wanted whatever the host does and the device has to do; kept by the
 *	policy. It is then asked again at once after each batch, and after each end of an
 *	access below, until it picks nothing
 * @surplus: pages that are to leave although frames may be free, for policies that
 *	divide the DRAM tier into parts; kept by the policy. While it is not 0 the engine
 *	asks for one batch of victims after each page that entered, for which the write
 *	that it belongs to waits at its end, and after each flush of a page that stays
 */
struct ssdc_replacement {
	struct ssdc_plugin plugin;
	struct ssdc_entry *entries;
	u32 nr_frames;
	u32 pages;
	u32 early_above;
	bool eager;
	u32 surplus;
};

static inline const struct ssdc_replacement_type *
ssdc_replacement_type(const struct ssdc_replacement *r)
{
	return (const struct ssdc_replacement_type *)r->plugin.type;
}

static inline struct ssdc_entry *ssdc_replacement_entry(const struct ssdc_replacement *r,
							ssdc_frame_t frame)
{
	return &r->entries[ssdc_frame_nr(frame)];
}

/*
 * Of two frames the one used more recently; SSDC_NO_FRAME counts as older than
 * any. Stamps wrap, so this holds for frames less than 2^31 accesses apart.
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

static inline void ssdc_batch_add(struct ssdc_batch *batch, ssdc_frame_t frame)
{
	batch->frames[batch->nr++] = frame;
}

#endif /* SSDC_REPLACEMENT_H */
