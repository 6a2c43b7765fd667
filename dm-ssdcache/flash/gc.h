/* SPDX-License-Identifier: GPL-2.0 */
/* Garbage collection. */
#ifndef SSDF_GC_H
#define SSDF_GC_H

#include "state.h"

void ssdf_gc_look(struct ssdf_device *f, u32 plane);
void ssdf_gc_check_deferred(struct ssdf_device *f);
void ssdf_gc_step(struct ssdf_device *f, struct ssdf_command *cmd);

/*
 * Start GC in the plane if it has too few free blocks and a victim. While GC is plugged, the check
 * is deferred to ssdf_gc_unplug(), so that queued host commands start first. Nearly all planes have
 * enough blocks. While commands are plugged, all checks of a plane share one entry of the list, at
 * the place of the first check, even if the plane had enough blocks at that time.
 */
static inline void ssdf_gc_check(struct ssdf_device *f, u32 plane)
{
	const struct ssdf_plane *p = &f->planes[plane];

	if (f->plugged || p->nr_free < f->gc_below || p->nr_free < f->urgent_below || p->urgent ||
	    p->level_due)
		ssdf_gc_look(f, plane);
}

/* Start GC of the planes that need it; from now on, ssdf_gc_check() starts GC at once. */
static inline void ssdf_gc_unplug(struct ssdf_device *f)
{
	f->gc_plugged = false;
	if (!list_empty(&f->gc_checks))
		ssdf_gc_check_deferred(f);
}

#endif /* SSDF_GC_H */
