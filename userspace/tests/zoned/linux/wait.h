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

/* Wait until the queue has been woken more than @seen times. */
void kernel_wait(const wait_queue_head_t *queue, u64 seen, const char *condition);

/* A wake-up while the condition is evaluated counts, as in the kernel. */
#define wait_event(queue, condition) do {			\
	u64 ssdc_seen;						\
								\
	while (ssdc_seen = (queue).wakes, !(condition))		\
		kernel_wait(&(queue), ssdc_seen, #condition);	\
} while (0)

#endif /* SSDC_ZONED_LINUX_WAIT_H */
