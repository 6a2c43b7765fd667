// SPDX-License-Identifier: GPL-2.0
/*
 * MQ: LRU queues by number of uses; pages that have not been used for a long time move down.
 *
 * Source	Zhou, Philbin & Li, USENIX ATC 2001 [Zhou01], figure 5
 * Cost		O(queues) per access; 4 bytes and 4 * SSDC_GHOST_BYTES per page
 *
 *	queue	3: [ A ]		8 uses and more
 *		2: [ C  B ]		4 to 7
 *		1: [ D ]		2 and 3; not used for `lifetime` accesses: one queue down
 *		0: [ G  F  E ]		1
 *		 the last page of the lowest queue -> victim -> Qout: its number and its uses
 *
 * A page that is in Qout enters with its earlier number of uses plus one.
 */
#include <linux/log2.h>
#include "../base/alloc.h"
#include "ghost-share.h"

#define MOST_QUEUES 16

struct mq {
	struct ssdc_replacement r;
	struct ssdc_list queues[MOST_QUEUES];
	struct ssdc_ghosts ghosts;	/* Qout; the value is the number of uses */
	u32 *uses;			/* by frame */
	u32 now;			/* accesses so far */
	/* tunables */
	u32 nr_queues;
	u32 lifetime;
	u32 out;
	/* statistics */
	u64 expired;
	u64 remembered;
};

static struct mq *to_mq(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct mq, r);
}

static int mq_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct mq *mq = to_mq(r);
	unsigned int i;

	for (i = 0; i < MOST_QUEUES; i++)
		ssdc_list_init(&mq->queues[i]);
	mq->uses = ssdc_alloc_array(r->nr_frames, sizeof(*mq->uses));
	if (mq->uses && !create_ghosts(r, &mq->ghosts, 400, error))
		return 0;
	if (!mq->uses)
		scnprintf(error->text, sizeof(error->text),
			  "mq: no memory: %llu bytes are needed to count the uses of pages",
			  (u64)r->nr_frames * sizeof(*mq->uses));
	kvfree(mq->uses);
	return -ENOMEM;
}

static void mq_destroy(struct ssdc_replacement *r)
{
	ssdc_ghosts_destroy(&to_mq(r)->ghosts);
	kvfree(to_mq(r)->uses);
}

static u32 *uses_of(struct mq *mq, ssdc_frame_t frame)
{
	return &mq->uses[ssdc_frame_nr(frame)];
}

/*
 * @weight of an entry is the number of the access at which the page entered its queue. The access
 * at which it has to leave is not stored, as the tunable @lifetime may change.
 */
static void link_head(struct mq *mq, ssdc_frame_t frame, u8 queue)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&mq->r, frame);

	entry->list = queue;
	entry->weight = mq->now;
	ssdc_list_add_head(mq->r.entries, &mq->queues[queue], frame);
}

static void mq_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_mq(r)->queues[ssdc_replacement_entry(r, frame)->list], frame);
}

/* "Adjust": time passes, and the last page of each queue moves down if its time is over. */
static void adjust(struct mq *mq)
{
	unsigned int i;

	mq->now++;
	for (i = 1; i < MOST_QUEUES; i++) {
		ssdc_frame_t last = mq->queues[i].tail;

		if (last == SSDC_NO_FRAME ||
		    mq->now - ssdc_replacement_entry(&mq->r, last)->weight <= mq->lifetime)
			continue;
		mq_remove(&mq->r, last);
		link_head(mq, last, i - 1);
		mq->expired++;
	}
}

/* Unlinked page -> most recent page of the queue for its number of uses. */
static void use(struct mq *mq, ssdc_frame_t frame, u32 uses)
{
	*uses_of(mq, frame) = uses;
	link_head(mq, frame, min_t(u32, ilog2(uses), mq->nr_queues - 1));
	adjust(mq);
}

static u32 one_more(u32 uses)
{
	return uses == U32_MAX ? uses : uses + 1;
}

static void mq_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	struct mq *mq = to_mq(r);
	u32 uses = 0;

	mq->remembered += take_ghost(&mq->ghosts, page_in(r, frame), &uses);
	use(mq, frame, one_more(uses));
	ssdc_ghost_trim(&mq->ghosts, 0, share_of(r, mq->out));
}

static void mq_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	mq_remove(r, frame);
	use(to_mq(r), frame, one_more(*uses_of(to_mq(r), frame)));
}

/* Qout is cut to its length only when the page for which the victim makes room has entered. */
static void mq_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct mq *mq = to_mq(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < MOST_QUEUES && frame == SSDC_NO_FRAME; i++)
		frame = ssdc_list_pop_tail(r->entries, &mq->queues[i]);
	if (frame == SSDC_NO_FRAME)
		return;
	ssdc_ghost_add(&mq->ghosts, 0, page_in(r, frame), *uses_of(mq, frame));
	ssdc_batch_add(batch, frame);
}

static void mq_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct mq *mq = to_mq(r);

	*uses_of(mq, frame) = 1;
	ssdc_replacement_entry(r, frame)->list = 0;
	ssdc_list_add_tail(r->entries, &mq->queues[0], frame);
}

static ssdc_frame_t mq_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < MOST_QUEUES; i++)
		frame = ssdc_replacement_hotter(r, to_mq(r)->queues[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		mq_remove(r, frame);
	return frame;
}

static int mq_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	const struct mq *mq = to_mq(r);
	int result = ssdc_lists_check(r, mq->queues, NULL, MOST_QUEUES, finding);

	return result ? result : ssdc_ghosts_check(&mq->ghosts, finding);
}

static const struct ssdc_tunable mq_tunables[] = {
	{ "queues", "", "number of queues; a page used 2^n times is in queue n, or the last",
	  offsetof(struct mq, nr_queues), 8, 1, MOST_QUEUES, NULL },
	{ "lifetime", "accesses", "a page not used for so long moves down by a queue",
	  offsetof(struct mq, lifetime), 10000, 1, 1000000000, NULL },
	{ "ghosts", "percent", "pages remembered after leaving, of the pages in DRAM",
	  offsetof(struct mq, out), 400, 0, 400, NULL },
};

static const struct ssdc_stat mq_stats[] = {
	SSDC_STAT(struct mq, queues[0].count, "lowest_queue", "pages", SSDC_GAUGE,
		  "pages in queue 0"),
	SSDC_STAT(struct mq, ghosts.lists[0].count, "ghosts", "pages", SSDC_GAUGE,
		  "pages that left and are remembered"),
	SSDC_STAT(struct mq, expired, "expired", "pages", SSDC_COUNTER,
		  "pages moved down because they were not used for long"),
	SSDC_STAT(struct mq, remembered, "ghost_hits", "pages", SSDC_COUNTER,
		  "pages that entered while remembered"),
};

struct ssdc_replacement_type ssdc_mq = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "mq",
			.source = "Zhou, Philbin & Li, USENIX ATC 2001 [Zhou01]",
			.status = "as published; the lifetime is fixed",
			.doc = "LRU queues by number of uses; pages not used for long move down",
			.tunables = mq_tunables,
			.nr_tunables = ARRAY_SIZE(mq_tunables),
			.stats = mq_stats,
			.nr_stats = ARRAY_SIZE(mq_stats),
			.instance_bytes = sizeof(struct mq),
			.page_bytes = sizeof(u32) + 4 * SSDC_GHOST_BYTES,
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = mq_create,
	.destroy = mq_destroy,
	.insert = mq_insert,
	.hit = mq_hit,
	.remove = mq_remove,
	.victims = mq_victims,
	.adopt = mq_adopt,
	.pop_hottest = mq_pop_hottest,
	.check = mq_check,
};
