// SPDX-License-Identifier: GPL-2.0
/* Create, destroy and check dies and channels. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../base/alloc.h"
#include "events.h"
#include "nand-setup.h"

/*
 * All dies and channels are idle. On failure, ssdf_nand_destroy() frees what was allocated. May
 * sleep.
 */
int ssdf_nand_create(struct ssdf_device *f)
{
	u32 i, class;

	f->dies = ssdc_alloc_array(f->nr_dies, sizeof(*f->dies));
	f->channels = ssdc_alloc_array(f->params.channels, sizeof(*f->channels));
	if (!f->dies || !f->channels)
		return -ENOMEM;
	ssdf_events_begin(f);
	for (i = 0; i < f->nr_dies; i++) {
		struct ssdf_die *die = &f->dies[i];

		die->nr = i;
		die->channel = &f->channels[i / (f->params.chips * f->params.dies)];
		die->planes = &f->planes[i * f->params.planes];
		INIT_LIST_HEAD(&die->group);
		INIT_LIST_HEAD(&die->next_group);
		INIT_LIST_HEAD(&die->leaving);
		INIT_LIST_HEAD(&die->suspended);
		INIT_LIST_HEAD(&die->bus);
		INIT_LIST_HEAD(&die->command);
	}
	for (i = 0; i < f->nr_planes; i++) {
		f->planes[i].die = &f->dies[i / f->params.planes];
		f->planes[i].bit = BIT(i % f->params.planes);
		for (class = 0; class < SSDF_NR_CLASSES; class++)
			INIT_LIST_HEAD(&f->planes[i].queues[class]);
	}
	f->plug_end = &f->plugged_dies;
	f->idle_dies = f->nr_dies;
	f->overlaps = f->params.cache_program || f->params.cache_read || f->params.suspend;
	f->other_turns = f->params.command_wait || f->params.channel_first == SSDF_FIRST_WRITES;
	for (i = 0; i < f->params.channels; i++) {
		f->channels[i].bit = 1ULL << i;
		f->free_channels |= f->channels[i].bit;
		f->channels_with_idle |= f->channels[i].bit;
		f->channels[i].idle_dies = f->nr_dies / f->params.channels;
		INIT_LIST_HEAD(&f->channels[i].commands);
		INIT_LIST_HEAD(&f->channels[i].out);
		INIT_LIST_HEAD(&f->channels[i].in);
	}
	return 0;
}

void ssdf_nand_destroy(struct ssdf_device *f)
{
	kvfree(f->channels);
	kvfree(f->dies);
}

/* Recount the loads, the idle dies and the idle channels. */
static bool load_ok(const struct ssdf_device *f)
{
	u32 per_channel = f->nr_dies / f->params.channels, load = 0, idle_dies = 0, idle, i, die;
	u32 idle_channels = 0;

	for (i = 0; i < f->params.channels; i++) {
		idle = 0;
		for (die = i * per_channel; die < (i + 1) * per_channel; die++) {
			load += f->dies[die].load;
			idle += !f->dies[die].load;
		}
		if (idle != f->channels[i].idle_dies)
			return false;
		idle_dies += idle;
		idle_channels += idle && !f->channels[i].user;
	}
	return load == f->load && idle_dies == f->idle_dies &&
	       idle_channels == ssdf_idle_channels(f);
}

/*
 * The pages of a block are programmed in order: a waiting program comes after all programs that
 * have ended.
 */
static bool is_in_order(const struct ssdf_device *f, const struct ssdf_command *cmd)
{
	return cmd->kind != SSDF_PROGRAM || ssdf_page_in_block(f, cmd->ppn) >=
	       f->blocks[ssdf_block_of(f, cmd->ppn)].programmed;
}

/* Recount the commands queued in the planes of a die. */
static bool queues_ok(const struct ssdf_device *f, const struct ssdf_die *die)
{
	const struct ssdf_plane *planes = &f->planes[(die - f->dies) * f->params.planes];
	const struct ssdf_command *cmd;
	u32 class, i, in_plane;

	for (class = 0; class < SSDF_NR_CLASSES; class++) {
		for (i = 0; i < f->params.planes; i++) {
			in_plane = 0;
			list_for_each_entry(cmd, &planes[i].queues[class], node) {
				if (!is_in_order(f, cmd))
					return false;
				in_plane++;
			}
			if (class == SSDF_WRITES && in_plane != planes[i].queued_writes)
				return false;
			if (!in_plane != !(die->waiting[class] & planes[i].bit))
				return false;
		}
	}
	return true;
}

/* States of a busy die that runs no group. */
static bool is_between(const struct ssdf_die *die)
{
	return die->state == SSDF_HOLD || die->state == SSDF_SUSPENDING;
}

/* Is the die suspending an operation, or reading meanwhile? */
static bool is_reading(const struct ssdf_die *die)
{
	const struct ssdf_command *cmd;

	if (list_empty(&die->group))
		return die->state == SSDF_SUSPENDING;
	cmd = list_first_entry(&die->group, struct ssdf_command, node);
	return cmd->kind == SSDF_READ;
}

/* Does the die wait for its channel, to start a command or to transfer? */
static bool waits_for_channel(const struct ssdf_die *die)
{
	return !list_empty(&die->command) || !list_empty(&die->bus);
}

/* A die with work runs it or waits for its channel; an idle channel has no waiting die. */
int ssdf_nand_check(const struct ssdf_device *f)
{
	u32 i;

	for (i = 0; i < f->nr_dies; i++) {
		const struct ssdf_die *die = &f->dies[i];
		bool work = die->waiting[SSDF_READS] || die->waiting[SSDF_WRITES] ||
			    die->waiting[SSDF_GCS];

		if (!queues_ok(f, die))
			return -EUCLEAN;
		if (die->state == SSDF_IDLE && work && !waits_for_channel(die))
			return -EUCLEAN;
		work = !list_empty(&die->group);
		if (die->state == SSDF_IDLE ? work : !work && !is_between(die))
			return -EUCLEAN;
		if (!list_empty(&die->suspended) && !is_reading(die) && list_empty(&die->command))
			return -EUCLEAN;
		if (!list_empty(&die->leaving) && !is_reading(die))
			return -EUCLEAN;
	}
	for (i = 0; i < f->params.channels; i++) {
		const struct ssdf_channel *channel = &f->channels[i];

		if (!channel->user && !(list_empty(&channel->commands) &&
					list_empty(&channel->out) && list_empty(&channel->in)))
			return -EUCLEAN;
	}
	return load_ok(f) && ssdf_events_ok(f) ? 0 : -EUCLEAN;
}
