// SPDX-License-Identifier: GPL-2.0
/*
 * Copies between the buffers of host requests and frames. The driver copies without the lock;
 * meanwhile, a pin keeps the page in its frame.
 *
 * A read must never return a mix of two writes of a sector. So sectors that are being written are
 * dirty and not valid, and other requests wait for them. A read that is already copying from the
 * page learns of the write, and copies again. The third copy holds up further writes, so that a
 * read does not copy for ever.
 */
#include <linux/kernel.h>
#include "engine.h"
#include "copy.h"
#include "directory.h"
#include "page.h"
#include "wait.h"

/*
 * The last copy of a page ended. Requests wait for the page, or its flush or eviction is decided.
 */
void ssdc_unpinned(struct ssdc_engine *e, ssdc_frame_t frame)
{
	/* Wake first: ssdc_settle() may free the frame. */
	ssdc_wake_page(e, frame, SSDC_UNPINNED, 0);
	ssdc_settle(e, frame);
}

/*
 * New writes of the page wait until the copy of @rq ends. At most one read at a time holds up the
 * writes of a page.
 */
void ssdc_hold_writes(struct ssdc_engine *e, struct ssdc_request *rq, ssdc_frame_t frame)
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
 * The copy of a read ended: find out whether the data changed meanwhile. Even if the read held up
 * writes, a discard may have dropped the page. Several frames share a count of changes, so a read
 * may copy again without need.
 */
void ssdc_check_overtaken(struct ssdc_engine *e, struct ssdc_request *rq)
{
	bool overtaken = rq->overwrites != *ssdc_overwrites(e, rq->pinned);

	if (unlikely(rq->overtaken == SSDC_MAX_OVERTAKEN) && rq->holds) {
		overtaken = ssdc_entry_at(e, rq->pinned)->hold_failed;
		release_writes(e, rq);
	}
	if (likely(!overtaken))
		rq->overtaken = 0;
	else if (rq->overtaken < SSDC_MAX_OVERTAKEN)
		rq->overtaken++;
}
