/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of page numbers that is emptied in O(1): a hash table whose slots carry the number of the
 * filling, which changes when the set is emptied. A page may be in the set with one or two marks.
 *
 * The set is approximate: pages whose hashes agree in 47 bits count as one page.
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
 * @slots: hash table; see page-set.c
 * @filling: number of the current filling, from 1
 * @used: number of pages in the set
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
