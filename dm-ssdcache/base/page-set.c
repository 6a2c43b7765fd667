// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "page-set.h"

/*
 * A slot: 32 bits of the page's hash, the number of the filling, the marks. INDEX_BITS more bits of
 * the hash are the index at which the search for the slot starts.
 */
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
 * The slot of the page, or the empty slot in which to put the page. At most half of the slots are
 * in use, so an empty one is near.
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
 * ssdc_page_set_has() - is a page in the set with a mark?
 * @set: set
 * @page: page number
 * @mark: 0 to SSDC_PAGE_SET_MARKS - 1
 */
bool ssdc_page_set_has(const struct ssdc_page_set *set, u64 page, unsigned int mark)
{
	u64 slot = *slot_of(set, page);

	return filling_of(slot) == set->filling && (slot & (1u << mark));
}

/**
 * ssdc_page_set_has_room() - may a page be added?
 * @set: set
 * @page: page number
 *
 * Return: true if the page is in the set, or the set is not full.
 */
bool ssdc_page_set_has_room(const struct ssdc_page_set *set, u64 page)
{
	return set->used < SSDC_PAGE_SET_PAGES || filling_of(*slot_of(set, page)) == set->filling;
}

/**
 * ssdc_page_set_add() - add a page to the set with a mark
 * @set: set that has room for the page
 * @page: page number
 * @mark: 0 to SSDC_PAGE_SET_MARKS - 1
 *
 * Return: true if the page was in the set with this mark before.
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
 * ssdc_page_set_empty() - remove all pages
 * @set: set
 *
 * O(1), except once in 2^30 calls, when the numbers of fillings start again and all slots must be
 * cleared.
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
 * ssdc_page_set_create() - create an empty set
 * @set: zeroed structure, owned by the caller
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_page_set_create(struct ssdc_page_set *set)
{
	set->slots = kvcalloc(SSDC_PAGE_SET_SLOTS, sizeof(u64), GFP_KERNEL | __GFP_NOWARN);
	/* Zeroed slots belong to filling 0, which does not exist. */
	set->filling = 1;
	return set->slots ? 0 : -ENOMEM;
}

/**
 * ssdc_page_set_destroy() - free what ssdc_page_set_create() allocated
 * @set: set; may be all zero
 *
 * Context: may sleep.
 */
void ssdc_page_set_destroy(struct ssdc_page_set *set)
{
	kvfree(set->slots);
	set->slots = NULL;
}
