/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_ZONED_LINUX_RCUPDATE_H
#define SSDC_ZONED_LINUX_RCUPDATE_H

static inline void rcu_read_lock(void) { }
static inline void rcu_read_unlock(void) { }
static inline void synchronize_rcu(void) { }

#endif /* SSDC_ZONED_LINUX_RCUPDATE_H */
