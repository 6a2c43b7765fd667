// SPDX-License-Identifier: GPL-2.0
/* LIRS, section 3.3 of [Jiang02]: stack S and queue Q, with pruning, page by page. */
#include "reference.h"

struct lirs {
	struct ref ref;
	struct ref_list s;		/* LIR pages, HIR pages and pages that have left; top first */
	struct ref_list lir;		/* most recent first */
	struct ref_list q;		/* the last to leave first */
	struct ref_list left;		/* ghosts, also those that pruning has removed from S */
};

static struct lirs *to_lirs(struct ref *ref)
{
	return (struct lirs *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_lirs(ref)->s);
	ref_list_free(&to_lirs(ref)->lir);
	ref_list_free(&to_lirs(ref)->q);
	ref_list_free(&to_lirs(ref)->left);
}

static size_t most_lir(struct ref *ref)
{
	size_t hir = (u64)ref->frames * ref_tunable(ref, "hir") / 100;

	return ref->frames - (hir ? hir : 1);
}

static void prune(struct lirs *lirs)
{
	while (lirs->lir.nr && !ref_list_has(&lirs->lir, lirs->s.pages[lirs->s.nr - 1]))
		ref_list_pop_tail(&lirs->s);
}

/* The page goes to the top of S, as LIR or HIR. A tunable may have left too many LIR pages. */
static void use(struct lirs *lirs, u64 page, bool is_lir)
{
	unsigned int i;

	ref_list_drop(&lirs->s, page);
	ref_list_drop(&lirs->lir, page);
	ref_list_drop(&lirs->q, page);
	ref_list_add_head(&lirs->s, page);
	ref_list_add_head(is_lir ? &lirs->lir : &lirs->q, page);
	for (i = 0; i < 4 && lirs->lir.nr > most_lir(&lirs->ref); i++) {
		u64 bottom = ref_list_pop_tail(&lirs->lir);

		ref_list_drop(&lirs->s, bottom);
		ref_list_add_head(&lirs->q, bottom);
	}
	prune(lirs);
}

static bool becomes_lir(struct lirs *lirs, u64 page)
{
	return ref_list_has(&lirs->s, page) || lirs->lir.nr < most_lir(&lirs->ref);
}

/* Pages that left are forgotten in the order in which they did, in S and out of it. */
static void forget(struct lirs *lirs, size_t most, unsigned int moves)
{
	while (lirs->left.nr > most && moves--)
		ref_list_drop(&lirs->s, ref_list_pop_tail(&lirs->left));
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct lirs *lirs = to_lirs(ref);

	ref_list_drop(&lirs->left, page);
	use(lirs, page, becomes_lir(lirs, page));
	forget(lirs, (u64)ref->frames * ref_tunable(ref, "ghosts") / 100, 4);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct lirs *lirs = to_lirs(ref);

	use(lirs, page, ref_list_has(&lirs->lir, page) || becomes_lir(lirs, page));
}

static void remove_page(struct ref *ref, u64 page)
{
	struct lirs *lirs = to_lirs(ref);

	ref_list_drop(&lirs->s, page);
	if (!ref_list_drop(&lirs->lir, page))
		ref_list_remove(&lirs->q, page);
	prune(lirs);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct lirs *lirs = to_lirs(ref);
	u64 page;

	if (lirs->q.nr) {
		page = ref_list_pop_tail(&lirs->q);
		if (ref_list_has(&lirs->s, page)) {
			ref_list_drop(&lirs->left, page);
			ref_list_add_head(&lirs->left, page);
			forget(lirs, 2 * (size_t)ref->frames + 64, 1);
		}
	} else if (lirs->lir.nr) {
		page = ref_list_pop_tail(&lirs->lir);
		ref_list_drop(&lirs->s, page);
	} else {
		return;
	}
	prune(lirs);
	ref_list_add_tail(batch, page);
}

static void adopt(struct ref *ref, u64 page)
{
	struct lirs *lirs = to_lirs(ref);

	if (lirs->lir.nr >= most_lir(ref)) {
		ref_list_add_tail(&lirs->q, page);
		return;
	}
	ref_list_add_tail(&lirs->s, page);
	ref_list_add_tail(&lirs->lir, page);
}

static u64 pop_hottest(struct ref *ref)
{
	u64 page = ref_hotter(ref, ref_list_head(&to_lirs(ref)->lir), ref_list_head(&to_lirs(ref)->q));

	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_lirs = {
	.name = "lirs",
	.bytes = sizeof(struct lirs),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
