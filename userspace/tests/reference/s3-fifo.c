// SPDX-License-Identifier: GPL-2.0
/* S3-FIFO: Algorithm 1 of [Yang23], with what dm-ssdcache/replacement/s3-fifo.c adds. */
#include "reference.h"

enum { SMALL, MAIN, NR_QUEUES };

struct s3 {
	struct ref ref;
	struct ref_list queues[NR_QUEUES];
	struct ref_list counts[NR_QUEUES];	/* of the page at the same place */
	struct ref_list ghosts;
	bool has_evicted;
};

static struct s3 *to_s3(struct ref *ref)
{
	return (struct s3 *)ref;
}

static void destroy(struct ref *ref)
{
	unsigned int i;

	for (i = 0; i < NR_QUEUES; i++) {
		ref_list_free(&to_s3(ref)->queues[i]);
		ref_list_free(&to_s3(ref)->counts[i]);
	}
	ref_list_free(&to_s3(ref)->ghosts);
}

static void push(struct s3 *s3, unsigned int queue, u64 page, u64 count)
{
	ref_list_add_head(&s3->queues[queue], page);
	ref_list_add_head(&s3->counts[queue], count);
}

static size_t find(struct s3 *s3, u64 page, unsigned int *queue)
{
	size_t at;

	for (*queue = 0; *queue < NR_QUEUES; (*queue)++)
		for (at = 0; at < s3->queues[*queue].nr; at++)
			if (s3->queues[*queue].pages[at] == page)
				return at;
	ref_differs("s3-fifo: a page is in no queue of the reference");
}

static u64 small_size(struct ref *ref)
{
	u64 size = (u64)ref->frames * ref_tunable(ref, "small") / 100;

	return size ? size : 1;
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct s3 *s3 = to_s3(ref);
	bool to_main = ref_list_drop(&s3->ghosts, page) ||
		       (!s3->has_evicted && s3->queues[SMALL].nr >= small_size(ref));

	push(s3, to_main ? MAIN : SMALL, page, 0);
	ref_ghost_trim(&s3->ghosts, (u64)ref->frames * ref_tunable(ref, "ghosts") / 100);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	unsigned int queue;
	size_t at = find(to_s3(ref), page, &queue);

	if (to_s3(ref)->counts[queue].pages[at] < 3)
		to_s3(ref)->counts[queue].pages[at]++;
}

static void remove_page(struct ref *ref, u64 page)
{
	unsigned int queue;
	size_t at = find(to_s3(ref), page, &queue);

	ref_list_take(&to_s3(ref)->queues[queue], at);
	ref_list_take(&to_s3(ref)->counts[queue], at);
}

static u64 evict_small(struct s3 *s3, u32 *looks)
{
	while (s3->queues[SMALL].nr) {
		u64 page = ref_list_pop_tail(&s3->queues[SMALL]);

		if (ref_list_pop_tail(&s3->counts[SMALL]) >= ref_tunable(&s3->ref, "promote_hits") &&
		    *looks) {
			(*looks)--;
			push(s3, MAIN, page, 0);
			continue;
		}
		ref_ghost_add(&s3->ref, &s3->ghosts, page, 100);
		return page;
	}
	return REF_NO_PAGE;
}

static u64 evict_main(struct s3 *s3, u32 looks)
{
	while (s3->queues[MAIN].nr) {
		u64 page = ref_list_pop_tail(&s3->queues[MAIN]);
		u64 count = ref_list_pop_tail(&s3->counts[MAIN]);

		if (!count || !looks--)
			return page;
		push(s3, MAIN, page, count - 1);
	}
	return REF_NO_PAGE;
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct s3 *s3 = to_s3(ref);
	u32 looks = ref_tunable(ref, "looks");
	u64 page = REF_NO_PAGE;

	s3->has_evicted = true;
	if (s3->queues[MAIN].nr <= ref->frames - small_size(ref))
		page = evict_small(s3, &looks);
	if (page == REF_NO_PAGE)
		page = evict_main(s3, looks);
	if (page == REF_NO_PAGE)
		page = evict_small(s3, &looks);
	if (page != REF_NO_PAGE)
		ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_s3(ref)->queues[MAIN], page);
	ref_list_add_tail(&to_s3(ref)->counts[MAIN], 0);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_s3(ref)->queues, NR_QUEUES);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_s3_fifo = {
	.name = "s3-fifo",
	.bytes = sizeof(struct s3),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
