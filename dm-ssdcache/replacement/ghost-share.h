/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of 2q, s3-fifo, arc, lirs and mq: they remember pages that have left; their number is
 * a share of the DRAM tier.
 *
 * Ghosts know pages by their numbers. A page that a discard drops leaves no ghost, but a ghost
 * outlives a discard of its page: the policy is not told of pages that are not cached.
 */
#ifndef SSDC_GHOST_SHARE_H
#define SSDC_GHOST_SHARE_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../base/ghost.h"
#include "../policy-api/replacement.h"

/*
 * Ghosts beyond the share: for victims that leave before the page for which they make room enters.
 */
#define GHOST_SLACK 64u

/* @percent of the tier, in pages. */
static inline u32 share_of(const struct ssdc_replacement *r, u32 percent)
{
	return div_u64((u64)r->capacity * percent, 100);
}

static inline u64 page_in(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(r, frame)->page);
}

/* Allocate as many ghosts as @percent of the tier, and the slack. */
static inline int create_ghosts(const struct ssdc_replacement *r, struct ssdc_ghosts *ghosts,
				u32 percent, struct ssdc_error *error)
{
	u64 nr = div_u64((u64)r->capacity * percent, 100) + GHOST_SLACK;

	if (nr < SSDC_NO_GHOST && !ssdc_ghosts_create(ghosts, nr))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "%s: no memory: %llu bytes are needed for the numbers of pages that left",
		  r->plugin.type->info.name, (unsigned long long)nr * SSDC_GHOST_BYTES);
	return -ENOMEM;
}

/* Forget the ghost of @page, which enters. Returns whether it had one; @value: the ghost's. */
static inline bool take_ghost(struct ssdc_ghosts *ghosts, u64 page, u32 *value)
{
	u32 ghost = ssdc_ghost_find(ghosts, page);

	if (ghost == SSDC_NO_GHOST)
		return false;
	if (value)
		*value = ghosts->all[ghost].value;
	ssdc_ghost_drop(ghosts, ghost);
	return true;
}

#endif /* SSDC_GHOST_SHARE_H */
