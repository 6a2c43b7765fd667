/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A waiter runs other steps until it is woken; a wait that nothing can end is an error.
 */
#ifndef SSDC_ZONED_LINUX_WAIT_H
#define SSDC_ZONED_LINUX_WAIT_H

#include <linux/types.h>

typedef struct {
	u64 wakes;
} wait_queue_head_t;

static inline void init_waitqueue_head(wait_queue_head_t *queue)
{
	queue->wakes = 0;
}

static inline void wake_up(wait_queue_head_t *queue)
{
	queue->wakes++;
}

void drive_wait(const wait_queue_head_t *queue, const char *condition);

#define wait_event(queue, condition) do {		\
	while (!(condition))				\
		drive_wait(&(queue), #condition);	\
} while (0)

#endif /* SSDC_ZONED_LINUX_WAIT_H */
