/* SPDX-License-Identifier: GPL-2.0 */
/* With one CPU, a variable per CPU has one copy. */
#ifndef SSDC_FUZZ_LINUX_PERCPU_H
#define SSDC_FUZZ_LINUX_PERCPU_H

#define __percpu
#define this_cpu_read(variable)		(variable)
#define this_cpu_inc(variable)		((variable)++)
#define this_cpu_add(variable, amount)	((variable) += (amount))

#endif /* SSDC_FUZZ_LINUX_PERCPU_H */
