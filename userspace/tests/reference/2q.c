// SPDX-License-Identifier: GPL-2.0
/* 2Q, full version: reclaimfor() of [Johnson94], with A1out cut when the page has entered. */
#include "reference.h"

enum { A1IN, AM, NR_LISTS };

struct twoq {
	struct ref ref;
	struct ref_list lists[NR_LISTS];
	struct ref_list out;
};

static struct twoq *to_twoq(struct ref *ref)
{
	return (struct twoq *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_twoq(ref)->lists[A1IN]);
	ref_list_free(&to_twoq(ref)->lists[AM]);
	ref_list_free(&to_twoq(ref)->out);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct twoq *q = to_twoq(ref);

	ref_list_add_head(&q->lists[ref_list_drop(&q->out, page) ? AM : A1IN], page);
	ref_ghost_trim(&q->out, (u64)ref->frames * ref_tunable(ref, "out") / 100);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	if (ref_list_drop(&to_twoq(ref)->lists[AM], page))
		ref_list_add_head(&to_twoq(ref)->lists[AM], page);
}

static void remove_page(struct ref *ref, u64 page)
{
	if (!ref_list_drop(&to_twoq(ref)->lists[A1IN], page))
		ref_list_remove(&to_twoq(ref)->lists[AM], page);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct twoq *q = to_twoq(ref);
	u64 page;

	if (q->lists[A1IN].nr > (u64)ref->frames * ref_tunable(ref, "in") / 100 ||
	    (!q->lists[AM].nr && q->lists[A1IN].nr)) {
		page = ref_list_pop_tail(&q->lists[A1IN]);
		ref_ghost_add(ref, &q->out, page, 100);
	} else if (q->lists[AM].nr) {
		page = ref_list_pop_tail(&q->lists[AM]);
	} else {
		return;
	}
	ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_twoq(ref)->lists[AM], page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hottest(ref, to_twoq(ref)->lists, NR_LISTS);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_2q = {
	.name = "2q",
	.bytes = sizeof(struct twoq),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
