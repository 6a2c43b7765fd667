// SPDX-License-Identifier: GPL-2.0
/*
 * CLOCK and SIEVE: a queue and the counts of its pages. CLOCK's hand takes the oldest page and puts
 * back those that were used; SIEVE's hand leaves pages where they are and stays there itself.
 */
#include "reference.h"

/* Page 0 is the youngest; the hand of SIEVE is a page, REF_NO_PAGE: the oldest. */
struct queue {
	struct ref ref;
	struct ref_list pages;
	struct ref_list counts;		/* of the page at the same place */
	u64 hand;
};

static struct queue *to_queue(struct ref *ref)
{
	return (struct queue *)ref;
}

static void create(struct ref *ref)
{
	to_queue(ref)->hand = REF_NO_PAGE;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_queue(ref)->pages);
	ref_list_free(&to_queue(ref)->counts);
}

static size_t place(const struct queue *q, u64 page)
{
	size_t at;

	for (at = 0; at < q->pages.nr; at++)
		if (q->pages.pages[at] == page)
			return at;
	ref_differs("clock or sieve: a page is not in the queue of the reference");
}

/* If the hand is at the page, it goes on to the next younger one. */
static u64 take(struct queue *q, size_t at)
{
	if (q->pages.pages[at] == q->hand)
		q->hand = at ? q->pages.pages[at - 1] : REF_NO_PAGE;
	ref_list_take(&q->counts, at);
	return ref_list_take(&q->pages, at);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	ref_list_add_head(&to_queue(ref)->pages, page);
	ref_list_add_head(&to_queue(ref)->counts, 0);
}

static void clock_hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct queue *q = to_queue(ref);
	size_t at = place(q, page);

	if (q->counts.pages[at] < (1u << ref_tunable(ref, "bits")) - 1)
		q->counts.pages[at]++;
}

static void sieve_hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	to_queue(ref)->counts.pages[place(to_queue(ref), page)] = 1;
}

static void remove_page(struct ref *ref, u64 page)
{
	take(to_queue(ref), place(to_queue(ref), page));
}

static void clock_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct queue *q = to_queue(ref);
	u32 looks = ref_tunable(ref, "looks");
	u64 page, count;

	if (!q->pages.nr)
		return;
	for (;;) {
		count = q->counts.pages[q->counts.nr - 1];
		page = take(q, q->pages.nr - 1);
		if (!count || !looks--)
			break;
		ref_list_add_head(&q->pages, page);
		ref_list_add_head(&q->counts, count - 1);
	}
	ref_list_add_tail(batch, page);
}

static void sieve_victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct queue *q = to_queue(ref);
	u32 looks = ref_tunable(ref, "looks");
	size_t at;

	if (!q->pages.nr)
		return;
	at = q->hand == REF_NO_PAGE ? q->pages.nr - 1 : place(q, q->hand);
	while (q->counts.pages[at] && looks--) {
		q->counts.pages[at] = 0;
		at = at ? at - 1 : q->pages.nr - 1;
	}
	q->hand = q->pages.pages[at];
	ref_list_add_tail(batch, take(q, at));
}

static void adopt(struct ref *ref, u64 page)
{
	ref_list_add_tail(&to_queue(ref)->pages, page);
	ref_list_add_tail(&to_queue(ref)->counts, 0);
}

static u64 pop_hottest(struct ref *ref)
{
	return to_queue(ref)->pages.nr ? take(to_queue(ref), 0) : REF_NO_PAGE;
}

const struct ref_type ref_clock = {
	.name = "clock",
	.bytes = sizeof(struct queue),
	.create = create,
	.destroy = destroy,
	.insert = insert,
	.hit = clock_hit,
	.remove = remove_page,
	.victims = clock_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};

const struct ref_type ref_sieve = {
	.name = "sieve",
	.bytes = sizeof(struct queue),
	.create = create,
	.destroy = destroy,
	.insert = insert,
	.hit = sieve_hit,
	.remove = remove_page,
	.victims = sieve_victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
