// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that have left and are remembered: a list, the last to leave first. As in
 * dm-ssdcache/replacement, a list is cut to its length when a page has entered, by at most four
 * pages; 64 more than `percent` of the tier find room meanwhile.
 */
#include "reference.h"

#define SLACK	64
#define MOVES	4

void ref_ghost_add(const struct ref *ref, struct ref_list *ghosts, u64 page, u64 percent)
{
	ref_list_drop(ghosts, page);
	ref_list_add_head(ghosts, page);
	while (ghosts->nr > ref->frames * percent / 100 + SLACK)
		ref_list_pop_tail(ghosts);
}

/* Forgets at most four pages. */
void ref_ghost_trim(struct ref_list *ghosts, u64 most)
{
	unsigned int i;

	for (i = 0; i < MOVES && ghosts->nr > most; i++)
		ref_list_pop_tail(ghosts);
}
