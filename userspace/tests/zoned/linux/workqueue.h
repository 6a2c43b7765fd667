/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive.c runs queued works in random order; never a work that is already running.
 */
#ifndef SSDC_ZONED_LINUX_WORKQUEUE_H
#define SSDC_ZONED_LINUX_WORKQUEUE_H

#include <linux/list.h>

struct work_struct;
struct workqueue_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	work_func_t function;
	struct workqueue_struct *wq;
	bool running;
	struct list_head node;		/* queued */
};

#define WQ_MEM_RECLAIM	0
#define WQ_UNBOUND	0

#define INIT_WORK(work, f) do {			\
	(work)->function = (f);			\
	INIT_LIST_HEAD(&(work)->node);		\
} while (0)

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active);
void queue_work(struct workqueue_struct *wq, struct work_struct *work);
void flush_work(struct work_struct *work);
void flush_workqueue(struct workqueue_struct *wq);
void destroy_workqueue(struct workqueue_struct *wq);

#endif /* SSDC_ZONED_LINUX_WORKQUEUE_H */
