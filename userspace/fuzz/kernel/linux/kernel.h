/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_KERNEL_H
#define SSDC_FUZZ_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <linux/errno.h>

#ifndef READ_ONCE
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#endif

#define READ			0
#define WRITE			1
#define NSEC_PER_USEC		1000L
#define NSEC_PER_SEC		1000000000L

#endif /* SSDC_FUZZ_LINUX_KERNEL_H */
