/* SPDX-License-Identifier: GPL-2.0 */
typedef struct {
	int refs;
} refcount_t;
