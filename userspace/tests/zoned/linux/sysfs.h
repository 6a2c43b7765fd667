/* SPDX-License-Identifier: GPL-2.0 */
#include <sys/types.h>
#include <linux/kobject.h>

typedef unsigned short umode_t;
