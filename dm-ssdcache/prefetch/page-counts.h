/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read and write counts of each page in a window: a hash table. A slot carries the number of
 * the window it was filled in, so incrementing the window number empties the table.
 */
#ifndef SSDC_PAGE_COUNTS_H
#define SSDC_PAGE_COUNTS_H

#include "../base/types.h"

#define SSDC_COUNTS_PAGES	4096u
#define SSDC_COUNTS_SLOTS	(2 * SSDC_COUNTS_PAGES)

struct ssdc_page_count {
	u64 page;
	u32 window;
	u16 reads;
	u16 writes;
};

/**
 * struct ssdc_page_counts - the counts of a window
 * @slots: array of SSDC_COUNTS_SLOTS
 * @window: number of the window, from 1
 * @used: slots in use in this window
 */
struct ssdc_page_counts {
	struct ssdc_page_count *slots;
	u32 window;
	u32 used;
};

int ssdc_counts_create(struct ssdc_page_counts *c);
void ssdc_counts_destroy(struct ssdc_page_counts *c);
void ssdc_counts_clear(struct ssdc_page_counts *c);
bool ssdc_counts_add(struct ssdc_page_counts *c, u64 page, bool write);

/* The page in slot @i, or NULL. */
static inline const struct ssdc_page_count *ssdc_counts_at(const struct ssdc_page_counts *c, u32 i)
{
	return c->slots[i].window == c->window ? &c->slots[i] : NULL;
}

#endif /* SSDC_PAGE_COUNTS_H */
