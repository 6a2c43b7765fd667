/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_SCHED_SIGNAL_H
#define SSDC_ZONED_LINUX_SCHED_SIGNAL_H

#include <stdbool.h>

#define current NULL

/* Has the process been killed that loads or resumes a table? */
extern bool drive_killed;

static inline bool fatal_signal_pending(const void *task)
{
	(void)task;
	return drive_killed;
}

#endif /* SSDC_ZONED_LINUX_SCHED_SIGNAL_H */
