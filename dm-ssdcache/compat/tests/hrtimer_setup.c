// SPDX-License-Identifier: GPL-2.0
/* Linux 6.13, 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()"). */
#include <linux/hrtimer.h>

void ssdc_probe(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *));

void ssdc_probe(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *))
{
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}
