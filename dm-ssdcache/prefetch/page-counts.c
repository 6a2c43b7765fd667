// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "page-counts.h"

#define SLOT_BITS 13

static_assert(SSDC_COUNTS_SLOTS == 1u << SLOT_BITS);

/**
 * ssdc_counts_create() - allocate an empty window
 * @c: all zero
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_counts_create(struct ssdc_page_counts *c)
{
	c->slots = kvcalloc(SSDC_COUNTS_SLOTS, sizeof(*c->slots), GFP_KERNEL | __GFP_NOWARN);
	c->window = 1;
	return c->slots ? 0 : -ENOMEM;
}

/**
 * ssdc_counts_destroy() - free what ssdc_counts_create() allocated
 * @c: window
 *
 * Context: may sleep.
 */
void ssdc_counts_destroy(struct ssdc_page_counts *c)
{
	kvfree(c->slots);
	c->slots = NULL;
}

/**
 * ssdc_counts_clear() - begin a new window
 * @c: window
 */
void ssdc_counts_clear(struct ssdc_page_counts *c)
{
	c->used = 0;
	if (++c->window)
		return;
	/* The window number wrapped: clear slots that carry old numbers. */
	memset(c->slots, 0, SSDC_COUNTS_SLOTS * sizeof(*c->slots));
	c->window = 1;
}

/**
 * ssdc_counts_add() - count a read or write of a page
 * @c: window
 * @page: page number
 * @write: a write, else a read
 *
 * Return: false if the page is new and the window is full.
 */
bool ssdc_counts_add(struct ssdc_page_counts *c, u64 page, bool write)
{
	u32 at = (page * 0x9e3779b97f4a7c15ULL) >> (64 - SLOT_BITS);
	struct ssdc_page_count *slot = &c->slots[at];

	while (slot->window == c->window && slot->page != page) {
		at = (at + 1) % SSDC_COUNTS_SLOTS;
		slot = &c->slots[at];
	}
	if (slot->window != c->window) {
		if (c->used == SSDC_COUNTS_PAGES)
			return false;
		c->used++;
		*slot = (struct ssdc_page_count) { .page = page, .window = c->window };
	}
	if (write)
		slot->writes += slot->writes < U16_MAX;
	else
		slot->reads += slot->reads < U16_MAX;
	return true;
}
