/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of pages, cached or not, that is emptied at once: a hash table whose slots say for
 * which filling they were filled. A page may be in it for two reasons, or marks.
 *
 * Two pages are taken for one if 47 bits of their hashes agree.
 */
#ifndef SSDC_PAGE_SET_H
#define SSDC_PAGE_SET_H

#include <linux/types.h>

#define SSDC_PAGE_SET_PAGES	16384u
#define SSDC_PAGE_SET_SLOTS	(2 * SSDC_PAGE_SET_PAGES)
#define SSDC_PAGE_SET_BYTES	(SSDC_PAGE_SET_SLOTS * sizeof(u64))
#define SSDC_PAGE_SET_MARKS	2u

/**
 * struct ssdc_page_set - a set of pages
 * @slots: what is left of a page's hash, the filling, its marks
 * @filling: counts how often the set was emptied, from 1
 * @used: pages in it
 */
struct ssdc_page_set {
	u64 *slots;
	u32 filling;
	u32 used;
};

int ssdc_page_set_create(struct ssdc_page_set *set);
void ssdc_page_set_destroy(struct ssdc_page_set *set);
void ssdc_page_set_empty(struct ssdc_page_set *set);
bool ssdc_page_set_has(const struct ssdc_page_set *set, u64 page, unsigned int mark);
bool ssdc_page_set_has_room(const struct ssdc_page_set *set, u64 page);
bool ssdc_page_set_add(struct ssdc_page_set *set, u64 page, unsigned int mark);

#endif /* SSDC_PAGE_SET_H */
