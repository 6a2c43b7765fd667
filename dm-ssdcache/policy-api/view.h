/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cache can know of the device below: how much of it is idle, and what an access
 * of a page would have to wait for. A unit is what does one thing at a time, a die.
 *
 *		exact					estimated
 *	unit	die of the flash, by its map		page number modulo channels * dies
 *	depth	commands queued at or done by it	page reads and writes of the cache
 *
 * An ssdflash below is asked; otherwise the cache's own I/O under way is counted by unit,
 * over the geometry that the tunables `channels` and `dies` declare, as if pages were
 * striped over channels first. I/O that the cache has decided on but not handed down yet
 * is in neither.
 */
#ifndef SSDC_VIEW_H
#define SSDC_VIEW_H

#include <linux/types.h>

#define SSDC_MAX_UNITS	1024u	/* told apart in an estimate */
#define SSDC_ANY_UNIT	U32_MAX

enum ssdc_view_source {
	SSDC_VIEW_ESTIMATED,	/* from the cache's own I/O in flight over the declared geometry */
	SSDC_VIEW_EXACT,	/* told by an ssdflash below */
};

/**
 * struct ssdc_view - what can be known about the device below, at this moment
 * @source: how it is known
 * @channels: channels of the device
 * @dies: dies per chip
 * @idle_channels: channels without work
 * @units: all dies of the device
 * @idle_units: of these, with nothing to do
 * @queued: commands that all units together have to do
 * @utilisation: units that have something to do, in thousandths
 * @host_inflight: host requests that have not completed
 * @device_inflight: page reads and writes under way below
 * @dirty: dirty pages that are not being flushed yet
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
	u32 host_inflight;
	u32 device_inflight;
	u32 dirty;
};

/**
 * struct ssdc_unit_query - what would an access of a page have to wait for?
 * @sector: first sector of the page
 * @write: a write of it, else a read
 * @unit: answer: the unit that would do it; SSDC_ANY_UNIT: the device chooses one for each
 *	write when it comes, the one with the least to do (dynamic allocation)
 * @depth: answer: commands that this unit has to do now; U32_MAX: none can take a write
 */
struct ssdc_unit_query {
	u64 sector;
	bool write;
	u32 unit;
	u32 depth;
};

/**
 * struct ssdc_device_ops - what a device below can tell of itself
 * @view: fill in all but host_inflight, device_inflight and dirty
 * @ask_units: answer @nr queries at once
 *
 * Both return false, and have done nothing, if there is nobody to ask just now. They are
 * called under the engine's lock, may not sleep, and may not take a lock under which an
 * end of I/O is told to the engine: a moment's look without one will do. They take no time
 * in proportion to the units, but for writes that may go to any of them.
 */
struct ssdc_device_ops {
	bool (*view)(void *device, struct ssdc_view *view);
	bool (*ask_units)(void *device, struct ssdc_unit_query *queries, unsigned int nr);
};

#endif /* SSDC_VIEW_H */
