/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory in one piece, for user space only: the simulator copies the memory of a device as a whole.
 */
#ifndef SSDC_SHIM_ARENA_H
#define SSDC_SHIM_ARENA_H

#include <linux/types.h>

/**
 * struct ssdc_shim_arena - memory that allocations come from
 * @start: zeroed memory; NULL: none
 * @bytes: how much
 * @used: of it
 * @open: allocations come from here as long as there is room
 *
 * kvfree() leaves memory of the arena alone.
 */
struct ssdc_shim_arena {
	char *start;
	size_t bytes;
	size_t used;
	bool open;
};

extern struct ssdc_shim_arena ssdc_shim_arena;

#endif /* SSDC_SHIM_ARENA_H */
