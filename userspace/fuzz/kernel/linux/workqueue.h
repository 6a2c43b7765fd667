/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_WORKQUEUE_H
#define SSDC_FUZZ_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>

void cancel_work_sync(struct work_struct *work);

#endif /* SSDC_FUZZ_LINUX_WORKQUEUE_H */
