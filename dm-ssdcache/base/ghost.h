/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ghosts: the numbers of pages that have left a cache, in lists, each with a value of the caller's.
 * A hash table finds the ghost of a page; a page has one ghost at most. All memory is allocated at
 * creation.
 *
 *	left just now -> newest [ F  E  D  C  B  A ] oldest -> forgotten
 *				       `-> the page returns: dropped
 */
#ifndef SSDC_GHOST_H
#define SSDC_GHOST_H

#include <linux/limits.h>
#include <linux/types.h>
#include "describe.h"

#define SSDC_NO_GHOST		U32_MAX
#define SSDC_GHOST_LISTS	2u

/* Memory of a ghost, with its part of the hash table. */
#define SSDC_GHOST_BYTES	(sizeof(struct ssdc_ghost) + sizeof(u32))

/* A list that a changed tunable has made too long shrinks by this many ghosts per call. */
#define SSDC_GHOST_MOVES	4u

/**
 * struct ssdc_ghost - a page that has left
 * @page: its number
 * @list: the list that it is on
 * @value: the caller's
 * @chain: next ghost with the same hash; next free one
 * @newer: neighbour on the list; SSDC_NO_GHOST: this is the newest
 * @older: likewise
 */
struct ssdc_ghost {
	u64 page : 56;
	u64 list : 8;
	u32 value;
	u32 chain;
	u32 newer;
	u32 older;
};

struct ssdc_ghost_list {
	u32 newest;
	u32 oldest;
	u32 count;
};

/**
 * struct ssdc_ghosts - all ghosts of an instance
 * @all: the ghosts, used and free
 * @heads: hash table: first ghost of each chain
 * @nr: length of @all and of @heads
 * @free: first free ghost
 * @lists: the lists
 */
struct ssdc_ghosts {
	struct ssdc_ghost *all;
	u32 *heads;
	u32 nr;
	u32 free;
	struct ssdc_ghost_list lists[SSDC_GHOST_LISTS];
};

int ssdc_ghosts_create(struct ssdc_ghosts *ghosts, u32 nr);
void ssdc_ghosts_destroy(struct ssdc_ghosts *ghosts);
u32 ssdc_ghost_find(const struct ssdc_ghosts *ghosts, u64 page);
void ssdc_ghost_add(struct ssdc_ghosts *ghosts, u8 list, u64 page, u32 value);
void ssdc_ghost_drop(struct ssdc_ghosts *ghosts, u32 ghost);
void ssdc_ghost_trim(struct ssdc_ghosts *ghosts, u8 list, u32 most);
int ssdc_ghosts_check(const struct ssdc_ghosts *ghosts, struct ssdc_error *finding);

#endif /* SSDC_GHOST_H */
