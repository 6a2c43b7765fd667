/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a kernel that driver/ssdflash/zoned/ needs, above the drive.
 */
#ifndef SSDC_TESTS_ZONED_KERNEL_H
#define SSDC_TESTS_ZONED_KERNEL_H

#include "drive.h"

/* Advance to the next event that waits for time to pass; returns false if there is none. */
extern bool (*kernel_tick)(void);

/* Report a hang and exit. */
extern void (*kernel_bail_out)(const char *why);

/* Do one random step of those that are possible. Returns false if there is none. */
bool kernel_step(void);

/* Synchronous bios take up to so many steps longer. */
void kernel_slow_down(u32 steps);

/* When a work releases a lock, the next events may happen at once. */
void kernel_hurry(bool hurry);

#endif /* SSDC_TESTS_ZONED_KERNEL_H */
