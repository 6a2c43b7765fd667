/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doubly linked lists of frames. The links are frame numbers in struct ssdc_entry, 8 bytes per
 * page; a page is on at most one list.
 *
 *	head = most recent                      tail = least recent
 *	  A  <->  B  <->  C  <->  D
 *
 * Context: the lock of the engine that owns the entries. Every function is O(1), except
 * ssdc_list_check().
 */
#ifndef SSDC_FRAME_LIST_H
#define SSDC_FRAME_LIST_H

#include "entry.h"
#include "../base/describe.h"

struct ssdc_list {
	ssdc_frame_t head;
	ssdc_frame_t tail;
	u32 count;
};

static inline void ssdc_list_init(struct ssdc_list *list)
{
	list->head = SSDC_NO_FRAME;
	list->tail = SSDC_NO_FRAME;
	list->count = 0;
}

static inline bool ssdc_list_empty(const struct ssdc_list *list)
{
	return !list->count;
}

static inline void ssdc_list_add_head(struct ssdc_entry *entries, struct ssdc_list *list,
				      ssdc_frame_t frame)
{
	struct ssdc_entry *entry = &entries[ssdc_frame_nr(frame)];

	entry->prev = SSDC_NO_FRAME;
	entry->next = list->head;
	if (list->head == SSDC_NO_FRAME)
		list->tail = frame;
	else
		entries[ssdc_frame_nr(list->head)].prev = frame;
	list->head = frame;
	list->count++;
}

/* Link @frame in front of @pos, one step more recent; at the tail if @pos is SSDC_NO_FRAME. */
static inline void ssdc_list_add_before(struct ssdc_entry *entries, struct ssdc_list *list,
					ssdc_frame_t frame, ssdc_frame_t pos)
{
	struct ssdc_entry *entry = &entries[ssdc_frame_nr(frame)];
	ssdc_frame_t prev = pos == SSDC_NO_FRAME ? list->tail : entries[ssdc_frame_nr(pos)].prev;

	entry->prev = prev;
	entry->next = pos;
	if (prev == SSDC_NO_FRAME)
		list->head = frame;
	else
		entries[ssdc_frame_nr(prev)].next = frame;
	if (pos == SSDC_NO_FRAME)
		list->tail = frame;
	else
		entries[ssdc_frame_nr(pos)].prev = frame;
	list->count++;
}

static inline void ssdc_list_add_tail(struct ssdc_entry *entries, struct ssdc_list *list,
				      ssdc_frame_t frame)
{
	ssdc_list_add_before(entries, list, frame, SSDC_NO_FRAME);
}

static inline void ssdc_list_del(struct ssdc_entry *entries, struct ssdc_list *list,
				 ssdc_frame_t frame)
{
	struct ssdc_entry *entry = &entries[ssdc_frame_nr(frame)];

	if (entry->prev == SSDC_NO_FRAME)
		list->head = entry->next;
	else
		entries[ssdc_frame_nr(entry->prev)].next = entry->next;
	if (entry->next == SSDC_NO_FRAME)
		list->tail = entry->prev;
	else
		entries[ssdc_frame_nr(entry->next)].prev = entry->prev;
	list->count--;
}

static inline void ssdc_list_move_head(struct ssdc_entry *entries, struct ssdc_list *list,
				       ssdc_frame_t frame)
{
	if (list->head == frame)
		return;
	ssdc_list_del(entries, list, frame);
	ssdc_list_add_head(entries, list, frame);
}

/*
 * Move the @nr least recent frames of a list to the head of @to, in their order, as if they were
 * moved one by one, the least recent first. @first is the most recent of them. @to may be the same
 * list.
 */
static inline void ssdc_list_move_tails(struct ssdc_entry *entries, struct ssdc_list *from,
					struct ssdc_list *to, ssdc_frame_t first, u32 nr)
{
	ssdc_frame_t last = from->tail, rest;

	if (!nr || (from == to && from->head == first))
		return;
	rest = entries[ssdc_frame_nr(first)].prev;
	from->tail = rest;
	if (rest == SSDC_NO_FRAME)
		from->head = SSDC_NO_FRAME;
	else
		entries[ssdc_frame_nr(rest)].next = SSDC_NO_FRAME;
	from->count -= nr;

	entries[ssdc_frame_nr(first)].prev = SSDC_NO_FRAME;
	entries[ssdc_frame_nr(last)].next = to->head;
	if (to->head == SSDC_NO_FRAME)
		to->tail = last;
	else
		entries[ssdc_frame_nr(to->head)].prev = last;
	to->head = first;
	to->count += nr;
}

/* Unlink and return the least recent frame; SSDC_NO_FRAME if the list is empty. */
static inline ssdc_frame_t ssdc_list_pop_tail(struct ssdc_entry *entries, struct ssdc_list *list)
{
	ssdc_frame_t frame = list->tail, prev;

	if (frame == SSDC_NO_FRAME)
		return frame;
	prev = entries[ssdc_frame_nr(frame)].prev;
	list->tail = prev;
	if (prev == SSDC_NO_FRAME)
		list->head = SSDC_NO_FRAME;
	else
		entries[ssdc_frame_nr(prev)].next = SSDC_NO_FRAME;
	list->count--;
	return frame;
}

/* Unlink and return the most recent frame; SSDC_NO_FRAME if the list is empty. */
static inline ssdc_frame_t ssdc_list_pop_head(struct ssdc_entry *entries, struct ssdc_list *list)
{
	ssdc_frame_t frame = list->head;

	if (frame != SSDC_NO_FRAME)
		ssdc_list_del(entries, list, frame);
	return frame;
}

int ssdc_list_check(const struct ssdc_entry *entries, const struct ssdc_list *list, u8 id,
		    const char *name, struct ssdc_error *finding);

#endif /* SSDC_FRAME_LIST_H */
