// SPDX-License-Identifier: GPL-2.0
/* PR-LRU, as described in dm-ssdcache/replacement/pr-lru.c, with one list in order of use. */
#include <stdlib.h>
#include "reference.h"

/* Of a page that is cached. */
struct used {
	u64 page;
	u32 first;			/* stamp of its first use */
	u32 uses;
};

struct pr {
	struct ref ref;
	struct ref_list order;
	struct used *used;		/* in any order */
	u32 now;
};

static struct pr *to_pr(struct ref *ref)
{
	return (struct pr *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_pr(ref)->order);
	free(to_pr(ref)->used);
}

/* Call before the page leaves the order, or after it has entered. */
static struct used *used(struct pr *pr, u64 page)
{
	size_t i;

	for (i = 0; i < pr->order.nr; i++)
		if (pr->used[i].page == page)
			return &pr->used[i];
	ref_differs("a page is not known");
}

static void first_use(struct pr *pr, u64 page, bool newest)
{
	size_t nr = pr->order.nr;

	if (newest)
		ref_list_add_head(&pr->order, page);
	else
		ref_list_add_tail(&pr->order, page);
	pr->used = xrealloc(pr->used, nr + 1, sizeof(*pr->used));
	pr->used[nr] = (struct used){ .page = page, .first = ref_stamp(&pr->ref, page), .uses = 1 };
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	first_use(to_pr(ref), page, true);
	to_pr(ref)->now = ref_stamp(ref, page);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct pr *pr = to_pr(ref);

	used(pr, page)->uses++;
	ref_list_remove(&pr->order, page);
	ref_list_add_head(&pr->order, page);
	pr->now = ref_stamp(ref, page);
}

static void remove_page(struct ref *ref, u64 page)
{
	struct pr *pr = to_pr(ref);

	*used(pr, page) = pr->used[pr->order.nr - 1];
	ref_list_remove(&pr->order, page);
}

/* uses / (time + interval), the latter being (last - first) / (uses - 1); 32 fractional bits. */
static u64 pr_of(struct pr *pr, u64 page)
{
	u64 time = (u32)(pr->now - ref_stamp(&pr->ref, page)) + 1ULL, one = 1ULL << 32;
	const struct used *of = used(pr, page);
	u64 uses = of->uses > 255 ? 255 : of->uses;

	if (uses == 1)
		return one / (time + time);
	return uses * one * (uses - 1) /
		(time * (uses - 1) + (u32)(ref_stamp(&pr->ref, page) - of->first));
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct pr *pr = to_pr(ref);
	u32 most = ref_tunable(ref, "candidates"), nr[2] = {};
	u64 best[2] = { U64_MAX, U64_MAX }, page[2] = { REF_NO_PAGE, REF_NO_PAGE }, sum = 0;
	size_t i;

	for (i = pr->order.nr; i--; ) {
		bool dirty = ref_dirty(ref, pr->order.pages[i]);
		u64 value;

		if (nr[dirty]++ >= most)
			continue;
		value = pr_of(pr, pr->order.pages[i]);
		sum += value;
		if (value < best[dirty]) {
			best[dirty] = value;
			page[dirty] = pr->order.pages[i];
		}
	}
	if (!pr->order.nr)
		return;
	nr[false] = min(nr[false], most);
	nr[true] = min(nr[true], most);
	i = nr[false] && best[false] * (nr[false] + nr[true]) <= sum ? false : true;
	ref_list_add_tail(batch, page[i]);
	remove_page(ref, page[i]);
}

static void adopt(struct ref *ref, u64 page)
{
	struct pr *pr = to_pr(ref);

	if (!pr->order.nr)
		pr->now = ref_stamp(ref, page);
	first_use(pr, page, false);
}

/* No changes of policy are compared. */
static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_list_head(&to_pr(ref)->order);

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_pr_lru = {
	.name = "pr-lru",
	.bytes = sizeof(struct pr),
	.calm = true,
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
