/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shim's list.h, and more of hash lists.
 */
#ifndef SSDC_ZONED_LINUX_LIST_H
#define SSDC_ZONED_LINUX_LIST_H

#include_next <linux/list.h>

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
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

#endif /* SSDC_ZONED_LINUX_LIST_H */
