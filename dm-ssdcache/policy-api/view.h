/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The view of the device: how busy the origin is, and how long an access to a page would queue.
 * A unit is a part that does one thing at a time: a die.
 *
 *		exact				estimated
 *	unit	die, from the FTL's mapping	page number modulo channels * dies
 *	depth	commands queued or executing	page reads and writes of the cache in flight
 *
 * If the origin is an ssdflash device, the view is exact. Otherwise the engine estimates it from
 * its own I/O in flight and the geometry that the tunables "channels" and "dies" declare,
 * assuming pages striped over channels first. Neither counts queued I/O that the cache has not
 * submitted.
 */
#ifndef SSDC_VIEW_H
#define SSDC_VIEW_H

#include <linux/types.h>
#include "tier.h"

#define SSDC_MAX_UNITS	1024u	/* an estimate distinguishes no more units */
#define SSDC_ANY_UNIT	U32_MAX

enum ssdc_view_source {
	SSDC_VIEW_ESTIMATED,	/* from the cache's own I/O in flight */
	SSDC_VIEW_EXACT,	/* from the ssdflash device that is the origin */
};

/**
 * struct ssdc_view - the state of the device at this moment
 * @source: exact or estimated
 * @channels: number of channels
 * @dies: dies per chip
 * @idle_channels: channels without work
 * @units: number of dies in the device
 * @idle_units: dies without work
 * @queued: commands queued or executing, in all dies
 * @utilisation: dies with work, per thousand
 * @stripe_sectors: size of a flash page of each plane, in all; 0 in an estimate
 * @collects: the device collects garbage, or will when it has filled a few more blocks: a write may
 *	wait for a die that collects garbage. False in an estimate
 * @host_inflight: host requests that have not completed
 * @device_inflight: page reads and writes of the cache in flight
 * @dirty: dirty pages whose flush has not begun
 */
struct ssdc_view {
	enum ssdc_view_source source;
	u32 channels;
	u32 dies;
	u32 idle_channels;
	u32 units;
	u32 idle_units;
	u32 queued;
	u32 utilisation;
	u32 stripe_sectors;
	bool collects;
	u32 host_inflight;
	u32 device_inflight;
	u32 dirty;
};

/**
 * struct ssdc_unit_query - what would an access to a page queue behind?
 * @sector: first sector of the page
 * @write: the access is a write, otherwise a read
 * @unit: answer: the unit that would serve it. SSDC_ANY_UNIT: the device allocates dynamically
 *	and gives each write to the least busy unit
 * @depth: answer: commands that this unit has; U32_MAX: no unit can accept a write
 * @gc: answer: this unit is collecting garbage. False for SSDC_ANY_UNIT, and in an estimate
 */
struct ssdc_unit_query {
	u64 sector;
	bool write;
	u32 unit;
	u32 depth;
	bool gc;
};

/**
 * struct ssdc_device_ops - how the engine asks the origin for an exact view
 * @view: fill in all fields except host_inflight, device_inflight and dirty
 * @ask_units: answer @nr queries
 * @always: the device never refuses to answer, and all its views have one source. So the engine
 *	keeps no estimate of the load, which would take four divisions per page, and asks for no
 *	view that is not needed; set before the first I/O
 *
 * The functions return false, having changed nothing, if the device cannot answer now. They run
 * under the engine's lock: they must not sleep, nor take a lock under which the device reports I/O
 * completions to the engine. Their cost must not grow with the number of units, except for writes
 * that may go to any unit.
 */
struct ssdc_device_ops {
	bool (*view)(void *device, struct ssdc_view *view);
	bool (*ask_units)(void *device, struct ssdc_unit_query *queries, unsigned int nr);
	bool always;
};

void ssdc_ask_units(const struct ssdc_tier *tier, struct ssdc_unit_query *queries,
		    unsigned int nr);
u32 ssdc_unit_depth(const struct ssdc_tier *tier, u64 sector, bool write);

#endif /* SSDC_VIEW_H */
