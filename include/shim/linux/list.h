/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header: circular doubly linked lists, and lists whose head is
 * one pointer, with the kernel's names and meaning.
 */
#ifndef SSDC_SHIM_LINUX_LIST_H
#define SSDC_SHIM_LINUX_LIST_H

#include <linux/container_of.h>
#include <linux/types.h>

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

/* Link @node between two neighbours. */
static inline void ssdc_shim_link(struct list_head *node, struct list_head *before,
				  struct list_head *after)
{
	node->prev = before;
	node->next = after;
	before->next = node;
	after->prev = node;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	ssdc_shim_link(node, head, head->next);
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	ssdc_shim_link(node, head->prev, head);
}

/* Set the links of @node to NULL, so that reuse crashes. */
static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = NULL;
	node->prev = NULL;
}

static inline void list_del_init(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	INIT_LIST_HEAD(node);
}

static inline void list_move(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add(node, head);
}

static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add_tail(node, head);
}

static inline bool list_is_singular(const struct list_head *list)
{
	return !list_empty(list) && list->next == list->prev;
}

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	list->prev->next = head->next;
	head->next->prev = list->prev;
	head->next = list->next;
	list->next->prev = head;
	INIT_LIST_HEAD(list);
}

static inline void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	list_splice_init(list, head->prev);
}

#define list_entry(node, type, member)		container_of(node, type, member)
#define list_first_entry(list, type, member)	list_entry((list)->next, type, member)
#define list_last_entry(list, type, member)	list_entry((list)->prev, type, member)
#define list_next_entry(at, member) \
	list_entry((at)->member.next, __typeof__(*(at)), member)
#define list_first_entry_or_null(list, type, member) \
	(list_empty(list) ? NULL : list_first_entry(list, type, member))

#define list_for_each_entry(at, list, member)					\
	for (at = list_first_entry(list, __typeof__(*at), member);		\
	     &at->member != (list);						\
	     at = list_next_entry(at, member))

#define list_for_each_entry_reverse(at, list, member)				\
	for (at = list_last_entry(list, __typeof__(*at), member);		\
	     &at->member != (list);						\
	     at = list_entry(at->member.prev, __typeof__(*at), member))

#define list_for_each_entry_safe(at, after, list, member)			\
	for (at = list_first_entry(list, __typeof__(*at), member),		\
	     after = list_next_entry(at, member);				\
	     &at->member != (list);						\
	     at = after, after = list_next_entry(after, member))

static inline void INIT_HLIST_HEAD(struct hlist_head *head)
{
	head->first = NULL;
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
	node->pprev = &head->first;
}

static inline void __hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

static inline void hlist_del(struct hlist_node *node)
{
	__hlist_del(node);
}

#define hlist_entry_safe(ptr, type, member) \
	((ptr) ? container_of(ptr, type, member) : NULL)
#define hlist_for_each_entry(pos, head, member) \
	for (pos = hlist_entry_safe((head)->first, typeof(*(pos)), member); pos; \
	     pos = hlist_entry_safe((pos)->member.next, typeof(*(pos)), member))

#endif /* SSDC_SHIM_LINUX_LIST_H */
