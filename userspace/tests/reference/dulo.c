// SPDX-License-Identifier: GPL-2.0
/* DULO, as described in dm-ssdcache/replacement/dulo.c, with keys that only grow. */
#include "reference.h"

enum { KEY };	/* own[] of a sequence */

struct dulo {
	struct ref ref;
	struct ref_list buffer;
	struct ref_blocks bank;		/* oldest first */
	struct ref_blocks sequences;	/* first to enter first; pages by address, descending */
	u64 last_key;
};

static struct dulo *to_dulo(struct ref *ref)
{
	return (struct dulo *)ref;
}

static void destroy(struct ref *ref)
{
	ref_list_free(&to_dulo(ref)->buffer);
	ref_blocks_free(&to_dulo(ref)->bank);
	ref_blocks_free(&to_dulo(ref)->sequences);
}

static size_t share(struct ref *ref, const char *name)
{
	size_t pages = (u64)ref->frames * ref_tunable(ref, name) / 100;

	return pages ? pages : 1;
}

static void add_sequence(struct dulo *dulo, const u64 *pages, size_t nr, size_t at)
{
	struct ref_block *sequence = ref_blocks_insert(&dulo->sequences, at);
	size_t i;

	for (i = 0; i < nr; i++)
		ref_list_add_head(&sequence->pages, pages[i]);
	sequence->own[KEY] = dulo->last_key + 256 / nr;
}

static void form_sequences(struct dulo *dulo)
{
	struct ref_list pages = {};
	size_t i, start = 0;

	ref_blocks_evict(&dulo->bank, 0, &pages);
	ref_list_sort(&pages);
	for (i = 1; i <= pages.nr; i++) {
		if (i < pages.nr && pages.pages[i] == pages.pages[i - 1] + 1)
			continue;
		add_sequence(dulo, &pages.pages[start], i - start, dulo->sequences.nr);
		start = i;
	}
	ref_list_free(&pages);
}

static void enter_bank(struct dulo *dulo, u64 page)
{
	u64 span = ref_tunable(&dulo->ref, "block"), first = page - page % span;
	size_t at = ref_blocks_at(&dulo->bank, first, span);

	if (at == dulo->bank.nr) {
		ref_blocks_insert(&dulo->bank, at);
		dulo->bank.at[at].first = first;
		dulo->bank.at[at].span = span;
	}
	ref_list_add_head(&dulo->bank.at[at].pages, page);
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	struct dulo *dulo = to_dulo(ref);
	unsigned int moves;

	ref_list_add_head(&dulo->buffer, page);
	for (moves = 0; moves < 4 && dulo->buffer.nr > share(ref, "buffer"); moves++)
		enter_bank(dulo, ref_list_pop_tail(&dulo->buffer));
	if (ref_blocks_pages(&dulo->bank) < share(ref, "bank"))
		return;
	while (dulo->bank.nr)
		form_sequences(dulo);
}

static void remove_page(struct ref *ref, u64 page)
{
	struct dulo *dulo = to_dulo(ref);
	struct ref_blocks *from = &dulo->bank;
	size_t at;

	if (ref_list_drop(&dulo->buffer, page))
		return;
	at = ref_blocks_with(from, page);
	if (at == from->nr) {
		from = &dulo->sequences;
		at = ref_blocks_with(from, page);
	}
	ref_list_remove(&from->at[at].pages, page);
	if (!from->at[at].pages.nr)
		ref_blocks_drop(from, at);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	remove_page(ref, page);
	insert(ref, page, rq, write);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct dulo *dulo = to_dulo(ref);
	struct ref_block *at;
	size_t i, best = 0;

	if (!dulo->sequences.nr && dulo->bank.nr)
		form_sequences(dulo);
	at = dulo->sequences.at;
	for (i = 1; i < dulo->sequences.nr; i++)
		if (at[i].own[KEY] < at[best].own[KEY])
			best = i;
	if (dulo->sequences.nr) {
		dulo->last_key = at[best].own[KEY];
		while (at[best].pages.nr)
			ref_list_add_tail(batch, ref_list_pop_tail(&at[best].pages));
		ref_blocks_drop(&dulo->sequences, best);
	} else if (dulo->buffer.nr) {
		ref_list_add_tail(batch, ref_list_pop_tail(&dulo->buffer));
	}
}

static void adopt(struct ref *ref, u64 page)
{
	struct dulo *dulo = to_dulo(ref);

	if (dulo->buffer.nr < share(ref, "buffer"))
		ref_list_add_tail(&dulo->buffer, page);
	else
		add_sequence(dulo, &page, 1, 0);
}

/* Of sequences, the last to enter of those with the highest key. */
static u64 pop_hottest(struct ref *ref)
{
	struct dulo *dulo = to_dulo(ref);
	const struct ref_block *at = dulo->sequences.at;
	u64 page = REF_NO_PAGE;
	size_t i, best = 0;

	for (i = 1; i < dulo->sequences.nr; i++)
		if (at[i].own[KEY] >= at[best].own[KEY])
			best = i;
	if (dulo->buffer.nr)
		page = ref_list_head(&dulo->buffer);
	else if (dulo->bank.nr)
		page = ref_list_head(&dulo->bank.at[dulo->bank.nr - 1].pages);
	else if (dulo->sequences.nr)
		page = ref_list_head(&at[best].pages);
	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_dulo = {
	.name = "dulo",
	.bytes = sizeof(struct dulo),
	.destroy = destroy,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
