/* SPDX-License-Identifier: GPL-2.0 */
/* With a single thread, a pointer is a pointer. */
#ifndef SSDC_FUZZ_LINUX_RCUPDATE_H
#define SSDC_FUZZ_LINUX_RCUPDATE_H

#include_next <linux/rcupdate.h>

#define __rcu
#define lockdep_is_held(lock)			((void)(lock), true)
#define rcu_access_pointer(p)			(p)
#define rcu_dereference(p)			(p)
#define rcu_dereference_protected(p, holds)	((void)(holds), (p))
#define rcu_assign_pointer(p, value)		((p) = (value))
#define RCU_INIT_POINTER(p, value)		((p) = (value))

#endif /* SSDC_FUZZ_LINUX_RCUPDATE_H */
