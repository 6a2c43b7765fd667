/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_CPUMASK_H
#define SSDC_FUZZ_LINUX_CPUMASK_H

#define num_possible_cpus()	1u

#endif /* SSDC_FUZZ_LINUX_CPUMASK_H */
