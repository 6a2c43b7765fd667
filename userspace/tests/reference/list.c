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

/* Insert at place @at; pages from there on move one place towards the tail. */
void ref_list_insert(struct ref_list *list, size_t at, u64 page)
{
	if (list->nr == list->room) {
		list->room = 2 * list->room + 16;
		list->pages = xrealloc(list->pages, list->room, sizeof(*list->pages));
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
		ref_differs("a page is not on its list in the reference");
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

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* In ascending order of page numbers. */
void ref_list_sort(struct ref_list *list)
{
	if (list->nr)
		qsort(list->pages, list->nr, sizeof(*list->pages), compare);
}

void ref_list_free(struct ref_list *list)
{
	free(list->pages);
}

/* ---- blocks ---- */

static void insert_block(struct ref_blocks *blocks, size_t at, struct ref_block block)
{
	if (blocks->nr == blocks->room) {
		blocks->room = 2 * blocks->room + 16;
		blocks->at = xrealloc(blocks->at, blocks->room, sizeof(*blocks->at));
	}
	memmove(&blocks->at[at + 1], &blocks->at[at], (blocks->nr - at) * sizeof(block));
	blocks->at[at] = block;
	blocks->nr++;
}

static struct ref_block take_block(struct ref_blocks *blocks, size_t at)
{
	struct ref_block block = blocks->at[at];

	blocks->nr--;
	memmove(&blocks->at[at], &blocks->at[at + 1], (blocks->nr - at) * sizeof(block));
	return block;
}

/* Insert an empty block at place @at. */
struct ref_block *ref_blocks_insert(struct ref_blocks *blocks, size_t at)
{
	static u64 number;
	struct ref_block block = { .number = ++number };

	insert_block(blocks, at, block);
	return &blocks->at[at];
}

/* @place counts in @to after the block was removed. */
void ref_blocks_move(struct ref_blocks *from, size_t at, struct ref_blocks *to, size_t place)
{
	insert_block(to, place, take_block(from, at));
}

void ref_blocks_drop(struct ref_blocks *blocks, size_t at)
{
	struct ref_block block = take_block(blocks, at);

	ref_list_free(&block.pages);
}

/* The block leaves as a whole, its pages in ascending order. */
void ref_blocks_evict(struct ref_blocks *blocks, size_t at, struct ref_list *batch)
{
	const struct ref_list *pages = &blocks->at[at].pages;
	size_t i;

	for (i = 0; i < pages->nr; i++)
		ref_list_add_tail(batch, pages->pages[i]);
	ref_list_sort(batch);
	ref_blocks_drop(blocks, at);
}

/* The place of the block that contains a page. */
size_t ref_blocks_with(const struct ref_blocks *blocks, u64 page)
{
	size_t at;

	for (at = 0; at < blocks->nr; at++)
		if (ref_list_has(&blocks->at[at].pages, page))
			break;
	return at;
}

size_t ref_blocks_at(const struct ref_blocks *blocks, u64 first, u64 span)
{
	size_t at;

	for (at = 0; at < blocks->nr; at++)
		if (blocks->at[at].first == first && blocks->at[at].span == span)
			break;
	return at;
}

size_t ref_blocks_number(const struct ref_blocks *blocks, u64 number)
{
	size_t at;

	for (at = 0; at < blocks->nr; at++)
		if (blocks->at[at].number == number)
			break;
	return at;
}

/* Number of pages in all blocks. */
size_t ref_blocks_pages(const struct ref_blocks *blocks)
{
	size_t at, pages = 0;

	for (at = 0; at < blocks->nr; at++)
		pages += blocks->at[at].pages.nr;
	return pages;
}

void ref_blocks_free(struct ref_blocks *blocks)
{
	while (blocks->nr)
		ref_blocks_drop(blocks, 0);
	free(blocks->at);
}
