// SPDX-License-Identifier: GPL-2.0
/* Linux 6.17, 930c2ea566af ("workqueue: Add new WQ_PERCPU flag"). */
#include <linux/workqueue.h>

unsigned int ssdc_probe(void);

unsigned int ssdc_probe(void)
{
	return WQ_PERCPU;
}
