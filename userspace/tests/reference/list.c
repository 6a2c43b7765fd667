// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "reference.h"

static size_t find(const struct ref_list *list, u64 page)
{
	size_t at;

	for (at = 0; at < list->nr; at++)
		if (list->pages[at] == page)
			break;
	return at;
}

bool ref_list_has(const struct ref_list *list, u64 page)
{
	return find(list, page) < list->nr;
}

/* To place @at: what was there, and behind it, moves one place towards the tail. */
void ref_list_insert(struct ref_list *list, size_t at, u64 page)
{
	if (list->nr == list->room) {
		list->room = 2 * list->room + 16;
		list->pages = sim_realloc(list->pages, list->room, sizeof(*list->pages));
	}
	memmove(&list->pages[at + 1], &list->pages[at], (list->nr - at) * sizeof(page));
	list->pages[at] = page;
	list->nr++;
}

void ref_list_add_head(struct ref_list *list, u64 page)
{
	ref_list_insert(list, 0, page);
}

void ref_list_add_tail(struct ref_list *list, u64 page)
{
	ref_list_insert(list, list->nr, page);
}

/* Unlink and return the page at place @at. */
u64 ref_list_take(struct ref_list *list, size_t at)
{
	u64 page = list->pages[at];

	list->nr--;
	memmove(&list->pages[at], &list->pages[at + 1], (list->nr - at) * sizeof(page));
	return page;
}

/* Unlink @page. Returns false if it is not on the list. */
bool ref_list_drop(struct ref_list *list, u64 page)
{
	size_t at = find(list, page);

	if (at == list->nr)
		return false;
	ref_list_take(list, at);
	return true;
}

void ref_list_remove(struct ref_list *list, u64 page)
{
	if (!ref_list_drop(list, page))
		ref_differs("a page is not where the reference has it");
}

u64 ref_list_head(const struct ref_list *list)
{
	return list->nr ? list->pages[0] : REF_NO_PAGE;
}

u64 ref_list_pop_head(struct ref_list *list)
{
	return list->nr ? ref_list_take(list, 0) : REF_NO_PAGE;
}

u64 ref_list_pop_tail(struct ref_list *list)
{
	return list->nr ? ref_list_take(list, list->nr - 1) : REF_NO_PAGE;
}

void ref_list_free(struct ref_list *list)
{
	free(list->pages);
}
