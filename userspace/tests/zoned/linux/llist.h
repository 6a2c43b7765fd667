/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_LLIST_H
#define SSDC_ZONED_LINUX_LLIST_H

#include <linux/container_of.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

static inline void init_llist_head(struct llist_head *head)
{
	head->first = NULL;
}

static inline bool llist_empty(const struct llist_head *head)
{
	return !head->first;
}

static inline void llist_add(struct llist_node *node, struct llist_head *head)
{
	node->next = head->first;
	head->first = node;
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	struct llist_node *first = head->first;

	head->first = NULL;
	return first;
}

static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *reversed = NULL, *next;

	for (; node; node = next) {
		next = node->next;
		node->next = reversed;
		reversed = node;
	}
	return reversed;
}

#define llist_entry_or_null(node, type, member)	\
	((node) ? container_of(node, type, member) : NULL)

#define llist_for_each_entry_safe(at, after, node, member)				\
	for (at = llist_entry_or_null(node, __typeof__(*at), member);			\
	     at && ((after = llist_entry_or_null(at->member.next, __typeof__(*at), member)), 1); \
	     at = after)

#endif /* SSDC_ZONED_LINUX_LLIST_H */
