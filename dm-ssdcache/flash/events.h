/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: the times at which dies and channels end their current work. Each has at most one.
 *
 * Events are in the order of their times; those of the same time are in the order in which they
 * were added.
 */
#ifndef SSDF_EVENTS_H
#define SSDF_EVENTS_H

#include "state.h"

void ssdf_events_begin(struct ssdf_device *f);
void ssdf_add_event(struct ssdf_device *f, enum ssdf_track track, u64 delay_ns,
		    struct ssdf_event *event);
void ssdf_cancel_event(struct ssdf_device *f, struct ssdf_event *event);
struct ssdf_event *ssdf_take_event(struct ssdf_device *f);
bool ssdf_events_ok(const struct ssdf_device *f);

#endif /* SSDF_EVENTS_H */
