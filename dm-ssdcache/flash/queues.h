/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that wait for their die, and the choice of the next ones. */
#ifndef SSDF_QUEUES_H
#define SSDF_QUEUES_H

#include "state.h"

/*
 * Read groups in a row that may overtake a write or urgent GC, on a die or on its channel; with
 * channel_first writes, groups to program that may overtake data that were read, on the channel.
 */
#define SSDF_MAX_OVERTAKING 16

enum ssdf_class ssdf_next_class(const struct ssdf_die *die);
struct ssdf_command *ssdf_oldest(const struct ssdf_die *die, enum ssdf_class class);
void ssdf_take_group(struct ssdf_device *f, struct ssdf_die *die, enum ssdf_class class,
		     struct list_head *group);
void ssdf_enqueue(struct ssdf_device *f, struct ssdf_die *die, struct ssdf_command *cmd);

static inline bool ssdf_is_waiting(const struct ssdf_die *die)
{
	return die->waiting[SSDF_READS] | die->waiting[SSDF_WRITES] | die->waiting[SSDF_GCS];
}

#endif /* SSDF_QUEUES_H */
