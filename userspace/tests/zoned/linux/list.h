/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shim's list.h, and hash lists.
 */
#ifndef SSDC_ZONED_LINUX_LIST_H
#define SSDC_ZONED_LINUX_LIST_H

#include_next <linux/list.h>

struct hlist_node {
	struct hlist_node *next;
	struct hlist_node **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (head->first)
		head->first->pprev = &node->next;
	head->first = node;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (!node->pprev)
		return;
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
	INIT_HLIST_NODE(node);
}

#define hlist_entry_or_null(node, type, member)	\
	((node) ? container_of(node, type, member) : NULL)

#define hlist_for_each_entry(at, head, member)						\
	for (at = hlist_entry_or_null((head)->first, __typeof__(*at), member);		\
	     at;									\
	     at = hlist_entry_or_null(at->member.next, __typeof__(*at), member))

#endif /* SSDC_ZONED_LINUX_LIST_H */
