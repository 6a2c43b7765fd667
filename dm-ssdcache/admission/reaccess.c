// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "reaccess.h"

/* A slot: what is left of the page's hash, the half's number, what the page was accessed by. */
#define NUMBER_SHIFT	2
#define NUMBER_BITS	30
#define HASH_SHIFT	32
#define ACCESSED(write)	(1u << (write))

#define INDEX_BITS	15

static_assert(SSDC_REACCESS_SLOTS == 1u << INDEX_BITS);

static u64 hash_of(u64 page)
{
	return page * 0x9e3779b97f4a7c15ULL;
}

static u32 number_of(u64 slot)
{
	return (u32)slot >> NUMBER_SHIFT;
}

/*
 * The slot of the page, or the one it would take. Never more than half of the slots are
 * in use, so there always is an empty one, and it is near.
 */
static u64 *slot_of(const struct ssdc_reaccess_half *half, u64 page)
{
	u64 hash = hash_of(page);
	u32 at = hash >> (64 - INDEX_BITS);
	u32 rest = hash >> (32 - INDEX_BITS);

	while (number_of(half->slots[at]) == half->number &&
	       half->slots[at] >> HASH_SHIFT != rest)
		at = (at + 1) % SSDC_REACCESS_SLOTS;
	return &half->slots[at];
}

static bool was_accessed(const struct ssdc_reaccess_half *half, u64 page, bool write)
{
	u64 slot = *slot_of(half, page);

	return number_of(slot) == half->number && (slot & ACCESSED(write));
}

static void empty(struct ssdc_reaccess_half *half, u32 number)
{
	half->number = number;
	half->used = 0;
	half->requests = 0;
	memset(half->counts, 0, sizeof(half->counts));
}

/* No half has the number 0, which slots of all zero have. */
static void forget_all(struct ssdc_reaccess *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		memset(r->halves[i].slots, 0, SSDC_REACCESS_SLOTS * sizeof(u64));
		empty(&r->halves[i], i + 1);
	}
	r->now = 1;
}

/* The half now becomes the half before; what that was is forgotten. */
static void next_half(struct ssdc_reaccess *r)
{
	u32 number = r->halves[r->now].number + 1;

	/* Slots that were filled a thousand million halves ago must not come to life again. */
	if (number >> NUMBER_BITS) {
		forget_all(r);
		return;
	}
	r->now ^= 1;
	empty(&r->halves[r->now], number);
}

/**
 * ssdc_reaccess_request() - a request came; its pages follow
 * @r: window
 * @half_requests: requests of a half
 */
void ssdc_reaccess_request(struct ssdc_reaccess *r, u32 half_requests)
{
	if (r->halves[r->now].requests >= half_requests)
		next_half(r);
	r->halves[r->now].requests++;
}

/**
 * ssdc_reaccess_page() - a page of the request
 * @r: window
 * @page: its number
 * @write: is it written?
 */
void ssdc_reaccess_page(struct ssdc_reaccess *r, u64 page, bool write)
{
	struct ssdc_reaccess_half *half = &r->halves[r->now];
	u64 *slot = slot_of(half, page);
	bool again;

	if (number_of(*slot) != half->number) {
		if (half->used == SSDC_REACCESS_PAGES) {
			next_half(r);
			half = &r->halves[r->now];
			slot = slot_of(half, page);
		}
		*slot = (hash_of(page) >> (32 - INDEX_BITS) << HASH_SHIFT) |
			((u64)half->number << NUMBER_SHIFT);
		half->used++;
	}
	again = (*slot & ACCESSED(write)) || was_accessed(&r->halves[!r->now], page, write);
	*slot |= ACCESSED(write);
	half->counts[write].pages++;
	half->counts[write].again += again;
}

/**
 * ssdc_reaccess_count() - accesses and re-accesses in the window
 * @r: window
 * @write: of writes, else of reads
 */
struct ssdc_reaccess_count ssdc_reaccess_count(const struct ssdc_reaccess *r, bool write)
{
	const struct ssdc_reaccess_count *a = &r->halves[0].counts[write];
	const struct ssdc_reaccess_count *b = &r->halves[1].counts[write];

	return (struct ssdc_reaccess_count){ a->pages + b->pages, a->again + b->again };
}

/**
 * ssdc_reaccess_create() - make an empty window
 * @r: all zero
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_reaccess_create(struct ssdc_reaccess *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		r->halves[i].slots = kvcalloc(SSDC_REACCESS_SLOTS, sizeof(u64),
					      GFP_KERNEL | __GFP_NOWARN);
		if (!r->halves[i].slots) {
			ssdc_reaccess_destroy(r);
			return -ENOMEM;
		}
	}
	forget_all(r);
	return 0;
}

/**
 * ssdc_reaccess_destroy() - free what ssdc_reaccess_create() allocated
 * @r: window
 *
 * Context: may sleep.
 */
void ssdc_reaccess_destroy(struct ssdc_reaccess *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		kvfree(r->halves[i].slots);
		r->halves[i].slots = NULL;
	}
}

/**
 * ssdc_reaccess_check() - verify the invariants that can be seen without a look at each slot
 * @r: window
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdc_reaccess_check(const struct ssdc_reaccess *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct ssdc_reaccess_half *half = &r->halves[i];

		if (!half->number || half->used > SSDC_REACCESS_PAGES ||
		    half->used > half->counts[0].pages + half->counts[1].pages ||
		    half->counts[0].again > half->counts[0].pages ||
		    half->counts[1].again > half->counts[1].pages)
			return -EUCLEAN;
	}
	return 0;
}
