/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header: sized integers, defined as in the kernel (u64 is unsigned
 * long long), so that format strings and type checks agree in both builds.
 */
#ifndef SSDC_SHIM_LINUX_TYPES_H
#define SSDC_SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

/* For the system's own headers, such as linux/prctl.h, which get this file, too. */
typedef u8 __u8;
typedef s8 __s8;
typedef u16 __u16;
typedef s16 __s16;
typedef u32 __u32;
typedef s32 __s32;
typedef u64 __u64;
typedef s64 __s64;

typedef u64 sector_t;
typedef unsigned int gfp_t;

/* Annotations for sparse; empty for the compiler. */
#define __bitwise
#define __force

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

struct hlist_node {
	struct hlist_node *next;
	struct hlist_node **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#endif /* SSDC_SHIM_LINUX_TYPES_H */
