// SPDX-License-Identifier: GPL-2.0
/* MQ, figure 5 of [Zhou01], with Qout cut when the page has entered. */
#include <stdlib.h>
#include "reference.h"

#define MOST_QUEUES 16

/* A page in DRAM or in Qout. */
struct page_of_mq {
	u64 page;
	u64 uses;
	u64 since;			/* the access at which it entered its queue */
};

struct mq {
	struct ref ref;
	struct ref_list queues[MOST_QUEUES];
	struct ref_list out;
	struct page_of_mq *pages;	/* in any order; those forgotten, too */
	size_t nr;
	u64 now;
};

static struct mq *to_mq(struct ref *ref)
{
	return (struct mq *)ref;
}

static void destroy(struct ref *ref)
{
	unsigned int i;

	for (i = 0; i < MOST_QUEUES; i++)
		ref_list_free(&to_mq(ref)->queues[i]);
	ref_list_free(&to_mq(ref)->out);
	free(to_mq(ref)->pages);
}

static struct page_of_mq *know(struct mq *mq, u64 page)
{
	size_t i;

	for (i = 0; i < mq->nr; i++)
		if (mq->pages[i].page == page)
			return &mq->pages[i];
	mq->pages = xrealloc(mq->pages, mq->nr + 1, sizeof(*mq->pages));
	mq->pages[mq->nr] = (struct page_of_mq) { .page = page };
	return &mq->pages[mq->nr++];
}

static void to_queue(struct mq *mq, u64 page, unsigned int queue)
{
	ref_list_add_head(&mq->queues[queue], page);
	know(mq, page)->since = mq->now;
}

static void adjust(struct mq *mq)
{
	unsigned int i;

	mq->now++;
	for (i = 1; i < MOST_QUEUES; i++) {
		struct ref_list *queue = &mq->queues[i];

		if (queue->nr &&
		    mq->now - know(mq, queue->pages[queue->nr - 1])->since > ref_tunable(&mq->ref, "lifetime"))
			to_queue(mq, ref_list_pop_tail(queue), i - 1);
	}
}

static void use(struct mq *mq, u64 page)
{
	u64 uses = ++know(mq, page)->uses;
	unsigned int queue = 0;

	while (uses > 1 && queue + 1 < ref_tunable(&mq->ref, "queues")) {
		uses /= 2;
		queue++;
	}
	to_queue(mq, page, queue);
	adjust(mq);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct mq *mq = to_mq(ref);

	if (!ref_list_drop(&mq->out, page))
		know(mq, page)->uses = 0;
	use(mq, page);
	ref_ghost_trim(&mq->out, (u64)ref->frames * ref_tunable(ref, "ghosts") / 100);
}

static void remove_page(struct ref *ref, u64 page)
{
	unsigned int i;

	for (i = 0; i + 1 < MOST_QUEUES; i++)
		if (ref_list_drop(&to_mq(ref)->queues[i], page))
			return;
	ref_list_remove(&to_mq(ref)->queues[i], page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	remove_page(ref, page);
	use(to_mq(ref), page);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct mq *mq = to_mq(ref);
	unsigned int i;
	u64 page;

	for (i = 0; i < MOST_QUEUES && !mq->queues[i].nr; i++)
		;
	if (i == MOST_QUEUES)
		return;
	page = ref_list_pop_tail(&mq->queues[i]);
	ref_ghost_add(ref, &mq->out, page, 400);
	ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	know(to_mq(ref), page)->uses = 1;
	ref_list_add_tail(&to_mq(ref)->queues[0], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_mq(ref)->queues, MOST_QUEUES);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_mq = {
	.name = "mq",
	.bytes = sizeof(struct mq),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
