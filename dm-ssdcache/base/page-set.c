// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "page-set.h"

/* A slot: what is left of the page's hash, the filling, its marks. */
#define FILLING_SHIFT	SSDC_PAGE_SET_MARKS
#define FILLING_BITS	30
#define HASH_SHIFT	32

#define INDEX_BITS	15

static_assert(SSDC_PAGE_SET_SLOTS == 1u << INDEX_BITS);

static u64 hash_of(u64 page)
{
	return page * 0x9e3779b97f4a7c15ULL;
}

static u32 filling_of(u64 slot)
{
	return (u32)slot >> FILLING_SHIFT;
}

/*
 * The slot of the page, or the one it would take. Never more than half of the slots are
 * in use, so there always is an empty one, and it is near.
 */
static u64 *slot_of(const struct ssdc_page_set *set, u64 page)
{
	u64 hash = hash_of(page);
	u32 at = hash >> (64 - INDEX_BITS);
	u32 rest = hash >> (32 - INDEX_BITS);

	while (filling_of(set->slots[at]) == set->filling && set->slots[at] >> HASH_SHIFT != rest)
		at = (at + 1) % SSDC_PAGE_SET_SLOTS;
	return &set->slots[at];
}

/**
 * ssdc_page_set_has() - is the page in the set, with a mark?
 * @set: set
 * @page: its number
 * @mark: 0 to SSDC_PAGE_SET_MARKS - 1
 */
bool ssdc_page_set_has(const struct ssdc_page_set *set, u64 page, unsigned int mark)
{
	u64 slot = *slot_of(set, page);

	return filling_of(slot) == set->filling && (slot & (1u << mark));
}

/**
 * ssdc_page_set_has_room() - may the page be added?
 * @set: set
 * @page: its number
 *
 * Return: true if it is in the set, or the set is not full.
 */
bool ssdc_page_set_has_room(const struct ssdc_page_set *set, u64 page)
{
	return set->used < SSDC_PAGE_SET_PAGES || filling_of(*slot_of(set, page)) == set->filling;
}

/**
 * ssdc_page_set_add() - put a page in the set, with a mark
 * @set: set that has room for it
 * @page: its number
 * @mark: 0 to SSDC_PAGE_SET_MARKS - 1
 *
 * Return: true if it was in it already, with this mark.
 */
bool ssdc_page_set_add(struct ssdc_page_set *set, u64 page, unsigned int mark)
{
	u64 *slot = slot_of(set, page);
	bool again;

	if (filling_of(*slot) != set->filling) {
		*slot = (hash_of(page) >> (32 - INDEX_BITS) << HASH_SHIFT) |
			((u64)set->filling << FILLING_SHIFT);
		set->used++;
	}
	again = *slot & (1u << mark);
	*slot |= 1u << mark;
	return again;
}

/**
 * ssdc_page_set_empty() - forget all pages
 * @set: set
 *
 * O(1), but for once in a thousand million times: what was filled so long ago must not come
 * to life again.
 */
void ssdc_page_set_empty(struct ssdc_page_set *set)
{
	set->used = 0;
	if (++set->filling >> FILLING_BITS) {
		memset(set->slots, 0, SSDC_PAGE_SET_BYTES);
		set->filling = 1;
	}
}

/**
 * ssdc_page_set_create() - make an empty set
 * @set: all zero
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_page_set_create(struct ssdc_page_set *set)
{
	set->slots = kvcalloc(SSDC_PAGE_SET_SLOTS, sizeof(u64), GFP_KERNEL | __GFP_NOWARN);
	/* No filling has the number 0, which slots of all zero have. */
	set->filling = 1;
	return set->slots ? 0 : -ENOMEM;
}

/**
 * ssdc_page_set_destroy() - free what ssdc_page_set_create() allocated
 * @set: set; harmless if it is all zero
 *
 * Context: may sleep.
 */
void ssdc_page_set_destroy(struct ssdc_page_set *set)
{
	kvfree(set->slots);
	set->slots = NULL;
}
