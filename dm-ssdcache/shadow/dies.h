/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dies and channels of a modelled flash device: when the I/O of a shadow ends.
 *
 * The rules are a short form of those of the flash model (../flash/). The state of each page and
 * block, such as the place of a page, or whether a block must be collected, is left out, so memory
 * does not depend on the size of the device:
 *
 *	read		array of the die, then transfer over its channel
 *	program		transfer, then array
 *	order		reads of a die go first, 16 times in a row at most; on a channel, data out
 *			of a die go first, also 16 times at most
 *	placement	a read is where the page would be in static order; a write goes to the die
 *			with the least work, unless placement is static
 *	planes		the next programs of a die run together, a page for each plane; so do reads
 *			that were placed side by side
 *
 *	caller				dies
 *	ssdc_dies_submit() -------->	a command per flash page
 *	ssdc_dies_next_ns() ------->	when something happens
 *	ssdc_dies_event() --------->	let it happen; maybe a job has ended
 *
 * Nothing is allocated after ssdc_dies_init().
 */
#ifndef SSDC_SHADOW_DIES_H
#define SSDC_SHADOW_DIES_H

#include <linux/list.h>
#include <linux/types.h>

/* Properties of the dies of a device; all times are for a flash page. */
struct ssdc_dies_params {
	u32 channels;
	u32 dies;			/* in all */
	u32 planes;			/* of a die */
	u32 page_sectors;
	u64 read_ns;			/* array */
	u64 program_ns;			/* array */
	u64 transfer_ns;
	bool multi_plane;
	bool is_static;			/* placement of writes */
};

/* Some I/O. The caller sets the fields that are not private. */
struct ssdc_dies_job {
	struct list_head node;		/* of the caller, or private: waits for commands */
	u64 sector;
	u64 nr_sectors;
	bool write;
	/* private: */
	u32 pending;			/* commands in progress */
};

struct ssdc_die;
struct ssdc_die_channel;
struct ssdc_die_command;

/*
 * Kinds of events: work of the same kind takes the same time, so it ends in the order in which it
 * begins.
 */
enum ssdc_die_track {
	SSDC_DIE_READS,
	SSDC_DIE_PROGRAMS,
	SSDC_DIE_TRANSFERS,
	SSDC_DIE_TRACKS,
};

/* Jobs of the two lanes wait for commands separately, and neither lane takes all commands. */
enum ssdc_die_lane {
	SSDC_DIE_READ_LANE,
	SSDC_DIE_WRITE_LANE,
	SSDC_DIE_LANES,
};

struct ssdc_dies {
	struct ssdc_dies_params params;
	u64 now_ns;
	struct ssdc_die *dies;		/* in the order of placement: over channels first */
	struct ssdc_die_channel *channels;
	struct ssdc_die_command *commands;
	struct ssdc_die_command *free;
	u32 nr_commands;
	u32 lane_commands;		/* most that a lane may use */
	u32 used[SSDC_DIE_LANES];
	struct list_head waiting[SSDC_DIE_LANES];
	struct list_head events[SSDC_DIE_TRACKS];
	u32 sequence;			/* of the next event */
	u32 turn;			/* die that a write goes to, among equals */
	u32 load;			/* commands queued or executing, in all dies */
	u32 idle_dies;
	u32 idle_channels;
};

int ssdc_dies_init(struct ssdc_dies *d, const struct ssdc_dies_params *params, u32 nr_commands);
void ssdc_dies_free(struct ssdc_dies *d);
u64 ssdc_dies_bytes(const struct ssdc_dies *d);
void ssdc_dies_submit(struct ssdc_dies *d, struct ssdc_dies_job *job, u64 now_ns);
bool ssdc_dies_feed(struct ssdc_dies *d, u64 now_ns);
u64 ssdc_dies_next_ns(const struct ssdc_dies *d);
void ssdc_dies_event(struct ssdc_dies *d, struct list_head *ended);
u32 ssdc_dies_least_load(const struct ssdc_dies *d);
u32 ssdc_dies_place(const struct ssdc_dies *d, u64 sector);
u32 ssdc_dies_load(const struct ssdc_dies *d, u32 die);

/* Does a job wait for commands? */
static inline bool ssdc_dies_has_waiting(const struct ssdc_dies *d)
{
	u32 lane;

	for (lane = 0; lane < SSDC_DIE_LANES; lane++)
		if (!list_empty(&d->waiting[lane]))
			return true;
	return false;
}

#endif /* SSDC_SHADOW_DIES_H */
