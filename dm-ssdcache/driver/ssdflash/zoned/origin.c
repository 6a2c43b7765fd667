// SPDX-License-Identifier: GPL-2.0
/*
 * Layout of a zoned origin; start and stop of the medium.
 *
 * The first resume of the target reads the map: until then another table of the same
 * device may be writing.
 */
#include <linux/blkdev.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../../../base/alloc.h"
#include "../../common/origin.h"
#include "zoned.h"

/* Spare blocks per plane: open blocks, the reserve of GC, and blocks wasted by a crash. */
#define MIN_SPARE 5

#define DM_MSG_PREFIX "ssdflash"

/* Zones that the log keeps open: one per region. */
#define LOG_OPEN_ZONES 2

/* The layout. */

struct survey {
	struct dmsf_layout *layout;
	struct ssdc_error *error;
	bool read_only;			/* the table */
	u32 seen;
	u32 unusable;			/* zones that the table cannot use as it must */
	u32 first_unusable;
	const char *condition;		/* of the first */
	/* Set for count_zone(). */
	u32 blocks;			/* per plane */
	u32 in_plane;			/* of the unusable zones, in the plane of the last zone */
	u32 most;			/* unusable zones of one plane */
	u32 plane;			/* that plane */
};

/* NULL: the table can use the zone. */
static const char *condition_of(const struct survey *s, const struct blk_zone *zone)
{
	return zone->cond == BLK_ZONE_COND_OFFLINE ? "offline" :
	       zone->cond == BLK_ZONE_COND_READONLY && !s->read_only ? "read-only" : NULL;
}

/* Report which zone is unsuitable, and why. */
static int refuse_zone(const struct survey *s, unsigned int nr, const char *what)
{
	scnprintf(s->error->text, sizeof(s->error->text),
		  "origin: zone %u is %s; after the conventional zones, all zones must be sequential and of one capacity (zone %u: %llu sectors)",
		  nr, what, s->layout->first, s->layout->capacity_sectors);
	return -EINVAL;
}

static int survey_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct survey *s = data;

	if (fatal_signal_pending(current))
		return -EINTR;
	s->seen++;
	if (zone->type == BLK_ZONE_TYPE_CONVENTIONAL) {
		if (s->layout->nr_zones)
			return refuse_zone(s, nr, "conventional");
		s->layout->first = nr + 1;
		return 0;
	}
	if (!s->layout->nr_zones++)
		s->layout->capacity_sectors = zone->capacity;
	if (condition_of(s, zone)) {
		if (!s->unusable++) {
			s->first_unusable = nr;
			s->condition = condition_of(s, zone);
		}
		return 0;
	}
	if (zone->capacity != s->layout->capacity_sectors)
		return refuse_zone(s, nr, "of another capacity");
	return 0;
}

static int survey_origin(struct dmsf_target *f, struct survey *s)
{
	struct block_device *bdev = f->origin->bdev;
	struct dmsf_layout *layout = s->layout;
	struct ssdc_error *error = s->error;
	u32 nr;
	int r;

	memset(layout, 0, sizeof(*layout));
	error->text[0] = '\0';
	layout->zone_sectors = bdev_zone_sectors(bdev);
	/* A smaller last zone is not used. */
	nr = div64_u64(bdev_nr_sectors(bdev), layout->zone_sectors);
	r = blkdev_report_zones(bdev, 0, nr, survey_zone, s);
	if (r < 0 && error->text[0])
		return r;
	if (r < 0 || s->seen < nr) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: its zones cannot be reported (%d)", r);
		return r < 0 ? r : -EIO;
	}
	if (layout->nr_zones)
		return 0;
	scnprintf(error->text, sizeof(error->text), "origin: all of its %u zones are conventional",
		  nr);
	return -EINVAL;
}

static u32 nr_planes(const struct ssdf_params *p)
{
	return p->channels * p->chips * p->dies * p->planes;
}

/* Erase blocks are zones, so the zone size decides the pages per block. */
static int set_pages(struct dmsf_target *f, const struct dmsf_layout *layout,
		     struct ssdc_error *error)
{
	struct ssdf_params *p = &f->device_params, base;
	struct block_device *bdev = f->origin->bdev;
	/* Disks with blocks of 512 bytes may write larger ones to their zones. */
	u32 write_bytes = max(bdev_logical_block_size(bdev), bdev_zone_write_granularity(bdev));
	u64 pages = div_u64(layout->capacity_sectors << SECTOR_SHIFT, p->page_bytes);

	if (write_bytes > DMSF_LOG_BLOCK_BYTES) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: its zones are written in blocks of %u bytes; the log has blocks of %u",
			  write_bytes, DMSF_LOG_BLOCK_BYTES);
		return -EINVAL;
	}
	if (p->page_bytes % write_bytes) {
		scnprintf(error->text, sizeof(error->text),
			  "page_bytes: must be a multiple of %u bytes, in which the origin's zones are written",
			  write_bytes);
		return -EINVAL;
	}
	/* Otherwise, a zone of the log would never become full, and would stay active. */
	if (layout->capacity_sectors % DMSF_LOG_BLOCK_SECTORS) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: the zone capacity must be a multiple of %u sectors, not %llu",
			  DMSF_LOG_BLOCK_SECTORS, layout->capacity_sectors);
		return -EINVAL;
	}
	ssdf_params_base(f->config.profile, &base);
	if (p->pages != base.pages && p->pages != pages) {
		scnprintf(error->text, sizeof(error->text),
			  "pages: a zone of the origin has %llu; leave out this key", pages);
		return -EINVAL;
	}
	if (pages < 2 || pages > U16_MAX) {
		scnprintf(error->text, sizeof(error->text),
			  "page_bytes: 2 to %u pages must fit into a zone of %llu sectors, not %llu",
			  U16_MAX, layout->capacity_sectors, pages);
		return -EINVAL;
	}
	p->pages = pages;
	return 0;
}

static int set_blocks(struct dmsf_target *f, struct dmsf_layout *layout,
		      struct ssdc_error *error)
{
	struct ssdf_params *p = &f->device_params, whole = *p;
	u32 planes = nr_planes(p), most;

	/* Independent of the number of blocks in use, so that regions are found again. */
	whole.blocks = layout->nr_zones / planes;
	layout->region_zones = dmsf_log_region_zones(&whole, layout->capacity_sectors);
	most = 2ULL * layout->region_zones >= layout->nr_zones ? 0 :
	       (layout->nr_zones - 2 * layout->region_zones) / planes;
	if (!p->blocks)
		p->blocks = most;
	if (!most || p->blocks > most) {
		scnprintf(error->text, sizeof(error->text),
			  "blocks: %u zones, less 2 x %u for the log, make at most %u blocks for each of %u planes",
			  layout->nr_zones, layout->region_zones, most, planes);
		return -EINVAL;
	}
	if ((u64)p->blocks * p->over_provisioning / 100 < MIN_SPARE) {
		scnprintf(error->text, sizeof(error->text),
			  "blocks, over_provisioning: %u %% of %u blocks per plane are fewer than the %u that a zoned origin needs",
			  p->over_provisioning, p->blocks, MIN_SPARE);
		return -EINVAL;
	}
	return 0;
}

/* The next zone of the planes. */
static int count_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct survey *s = data;

	if (nr % s->blocks == 0)
		s->in_plane = 0;
	s->in_plane += !!condition_of(s, zone);
	if (s->in_plane > s->most) {
		s->most = s->in_plane;
		s->plane = nr / s->blocks;
	}
	return 0;
}

/* Zones that are read-only or offline count as bad blocks, if the log can do without them. */
static int check_unusable(struct dmsf_target *f, struct survey *s)
{
	const struct ssdf_params *p = &f->device_params;
	const struct dmsf_layout *l = s->layout;
	u32 planes_at = l->first + 2 * l->region_zones, nr = nr_planes(p) * p->blocks;
	u32 spare = (u64)p->blocks * p->over_provisioning / 100;
	int r;

	if (!s->unusable)
		return 0;
	if (s->first_unusable < planes_at) {
		scnprintf(s->error->text, sizeof(s->error->text),
			  "origin: zone %u is %s; the log needs it (zones %u to %u)",
			  s->first_unusable, s->condition, l->first, planes_at - 1);
		return -EINVAL;
	}
	s->blocks = p->blocks;
	r = blkdev_report_zones(f->origin->bdev, planes_at * l->zone_sectors, nr, count_zone, s);
	if (r < (int)nr) {
		scnprintf(s->error->text, sizeof(s->error->text),
			  "origin: its zones cannot be reported (%d)", r);
		return r < 0 ? r : -EIO;
	}
	if (!f->read_only && s->most + MIN_SPARE > spare) {
		scnprintf(s->error->text, sizeof(s->error->text),
			  "origin: %u zones of plane %u are read-only or offline; of its %u spare blocks, %u are needed (a read-only table needs none)",
			  s->most, s->plane, spare, MIN_SPARE);
		return -EINVAL;
	}
	DMWARN("%s: %u zones are read-only or offline: nothing is written to them",
	       dm_device_name(dm_table_get_md(f->ti->table)), s->unusable);
	return 0;
}

static int check_open(struct dmsf_target *f, struct ssdc_error *error)
{
	struct block_device *bdev = f->origin->bdev;
	u32 need = 2 * nr_planes(&f->device_params) + LOG_OPEN_ZONES;
	u32 limit = min_not_zero(bdev_max_open_zones(bdev), bdev_max_active_zones(bdev));

	if (!limit || need <= limit)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "channels, chips, dies, planes: %u planes keep %u zones open; the origin allows %u",
		  nr_planes(&f->device_params), need, limit);
	return -EINVAL;
}

/**
 * dmsf_zoned_layout() - fit the geometry to a zoned origin
 * @f: target with device_params as given; sets pages and blocks in them
 * @layout: result
 * @error: on failure, says what does not fit
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsf_zoned_layout(struct dmsf_target *f, struct dmsf_layout *layout,
		      struct ssdc_error *error)
{
	struct survey s = { .layout = layout, .error = error, .read_only = f->read_only };
	int r;

	if (f->device_params.aged_valid || f->device_params.aged_invalid) {
		scnprintf(error->text, sizeof(error->text),
			  "aged_valid, aged_invalid: must be 0, as a zoned origin holds real data");
		return -EINVAL;
	}
	if (f->device_params.streams > 1 || f->device_params.hot_cold) {
		scnprintf(error->text, sizeof(error->text),
			  "streams, hot_cold: must be 1 and off, as planes of a zoned origin keep two zones open");
		return -EINVAL;
	}
	if (f->device_params.bad_blocks || f->device_params.read_retry) {
		scnprintf(error->text, sizeof(error->text),
			  "bad_blocks, read_retry: must be 0, as a zoned origin has errors of its own");
		return -EINVAL;
	}
	if (f->device_params.map_cache) {
		scnprintf(error->text, sizeof(error->text),
			  "map_cache: must be 0, as a zoned origin keeps its map in a log");
		return -EINVAL;
	}
	if (f->device_params.wear_threshold) {
		scnprintf(error->text, sizeof(error->text),
			  "wear_threshold: must be 0, as the log does not record the erases of zones");
		return -EINVAL;
	}
	if (f->device_params.aged == SSDF_STEADY) {
		scnprintf(error->text, sizeof(error->text),
			  "aged: must be \"shares\", as a zoned origin holds real data");
		return -EINVAL;
	}
	r = survey_origin(f, &s);
	if (!r)
		r = set_pages(f, layout, error);
	if (!r)
		r = set_blocks(f, layout, error);
	if (!r)
		r = check_unusable(f, &s);
	return r ? r : check_open(f, error);
}

/**
 * dmsf_zoned_memory_bytes() - memory that the medium needs
 * @params: with the number of blocks set
 */
u64 dmsf_zoned_memory_bytes(const struct ssdf_params *params)
{
	return sizeof(struct dmsf_zoned) + dmsf_zoned_data_memory_bytes(params) +
	       dmsf_log_memory_bytes(params);
}

/**
 * dmsf_zoned_create() - create the medium
 * @f: target with its device
 * @layout: by dmsf_zoned_layout()
 * @error: reason of a failure
 *
 * Writes nothing to the origin; dmsf_zoned_start() does.
 *
 * Context: may sleep.
 * Return: 0 or -errno; call dmsf_zoned_destroy() in either case.
 */
int dmsf_zoned_create(struct dmsf_target *f, const struct dmsf_layout *layout,
		      struct ssdc_error *error)
{
	const struct ssdf_params *p = &f->device_params;
	struct dmsf_zoned *z = ssdc_alloc_array(1, sizeof(*z));
	int r = -ENOMEM;

	if (z) {
		f->zoned = z;
		z->target = f;
		z->bdev = f->origin->bdev;
		z->layout = *layout;
		z->page_bytes = p->page_bytes;
		z->pages = p->pages;
		z->blocks = p->blocks;
		z->nr_planes = nr_planes(p);
		z->nr_blocks = z->nr_planes * z->blocks;
		r = dmsf_zoned_data_create(z);
	}
	if (r == -ENOMEM)
		scnprintf(error->text, sizeof(error->text), "no memory for %llu bytes of buffers",
			  dmsf_zoned_memory_bytes(p));
	if (r)
		return r;
	r = dmsf_log_create(z, error);
	return r ? r : dmsf_log_probe(z, error);
}

void dmsf_zoned_destroy(struct dmsf_target *f)
{
	if (!f->zoned)
		return;
	dmsf_zoned_data_destroy(f->zoned);
	dmsf_log_destroy(f->zoned);
	kvfree(f->zoned);
}

/* Start. */

static int note_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct dmsf_zoned *z = data;
	u32 page_sectors = z->page_bytes >> SECTOR_SHIFT, rest;
	u64 pages = div_u64_rem(zone->wp - zone->start, page_sectors, &rest);

	__clear_bit(nr, z->partial);
	switch (zone->cond) {
	case BLK_ZONE_COND_EMPTY:
		z->written[nr] = 0;
		return 0;
	case BLK_ZONE_COND_FULL:
		z->written[nr] = z->pages;
		return 0;
	case BLK_ZONE_COND_READONLY:
	case BLK_ZONE_COND_OFFLINE:
		z->written[nr] = SSDF_UNUSABLE;
		return 0;
	default:
		/* After a torn page, no further page fits into the zone. */
		z->written[nr] = rest ? z->pages : min_t(u64, z->pages, pages);
		if (z->written[nr])
			__set_bit(nr, z->partial);
		return 0;
	}
}

static u32 written_pages(void *media, ssdf_block_t block)
{
	struct dmsf_zoned *z = media;

	return z->written[ssdf_block_nr(block)];
}

/* Finish zones that get no more writes, so that they do not stay open. */
static int finish_zones(struct dmsf_zoned *z)
{
	u32 nr;
	int r = 0;

	for_each_set_bit(nr, z->partial, z->nr_blocks) {
		if (ssdf_is_open(z->target->device, ssdf_block(nr)))
			continue;
		r = dmsf_zone_io(z, REQ_OP_ZONE_FINISH,
				 dmsf_zone_sector(z, ssdf_ppn(nr * z->pages)), NULL, 0);
		if (r)
			break;
	}
	return r;
}

static int restore_model(struct ssdf_device *device)
{
	u64 at = 0;
	int r;

	while ((r = ssdf_restore(device, written_pages, &at)) > 0) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return r;
}

/* Read the log and the states of the zones. May be repeated after an error. */
static int read_all(struct dmsf_zoned *z, struct ssdc_error *error)
{
	int r;

	ssdf_media_set(z->target->device, &dmsf_zoned_ops, z);
	r = dmsf_log_recover(z, error);
	if (r)
		return r;
	r = dmsf_zone_report(z, 2 * z->layout.region_zones, z->nr_blocks, note_zone, z);
	if (r)
		scnprintf(error->text, sizeof(error->text),
			  "origin: its zones cannot be reported (%d)", r);
	return r;
}

/* The table is read-only: write nothing, neither a zone nor the log, and refuse writes. */
static void start_read_only(struct dmsf_zoned *z)
{
	struct dmsf_target *f = z->target;

	z->log.started = z->log.generation;
	WRITE_ONCE(z->failed, -EROFS);
	z->failure_reported = true;
	ssdf_media_fail(f->device, dmsf_enter(f));
	dmsf_leave(f);
}

static int start(struct dmsf_zoned *z, struct ssdc_error *error)
{
	int r = read_all(z, error);

	if (r)
		return r;
	z->state = DMSF_UNUSABLE;
	r = restore_model(z->target->device);
	if (r) {
		scnprintf(error->text, sizeof(error->text),
			  "the log and the zones do not agree (%d)", r);
		return r;
	}
	if (z->target->read_only) {
		start_read_only(z);
		z->state = DMSF_IN_USE;
		return 0;
	}
	r = finish_zones(z);
	if (r) {
		scnprintf(error->text, sizeof(error->text),
			  "a zone cannot be finished (%d): load the table again, or a read-only one",
			  r);
		return r;
	}
	dmsf_log_begin(z);
	if (READ_ONCE(z->failed)) {
		scnprintf(error->text, sizeof(error->text),
			  "the log cannot be written (%d): load the table again, or a read-only one",
			  READ_ONCE(z->failed));
		return -EIO;
	}
	z->state = DMSF_IN_USE;
	return 0;
}

/**
 * dmsf_zoned_start() - read the map if this is the first start, and start a new log
 * @f: target about to be resumed; no other target may use the origin
 * @error: reason of a failure
 *
 * Context: may sleep.
 * Return: 0 or -errno. After an error the start can be repeated, unless the origin has been
 * changed or the model's state is incomplete: then the table must be loaded again.
 */
int dmsf_zoned_start(struct dmsf_target *f, struct ssdc_error *error)
{
	struct dmsf_zoned *z = f->zoned;
	unsigned int noio;
	int r;

	/* Zone reports allocate memory; reclaim must not write to this device. */
	switch (z->state) {
	case DMSF_UNREAD:
		noio = memalloc_noio_save();
		r = start(z, error);
		memalloc_noio_restore(noio);
		if (r == -EINTR)
			scnprintf(error->text, sizeof(error->text), "interrupted by a signal");
		return r;
	case DMSF_IN_USE:
	case DMSF_STOPPED:
		noio = memalloc_noio_save();
		r = dmsf_log_check_ours(z, error);
		memalloc_noio_restore(noio);
		if (!r)
			z->state = DMSF_IN_USE;
		else if (r == -EBUSY)
			z->state = DMSF_UNUSABLE;
		return r;
	case DMSF_UNUSABLE:
		break;
	}
	scnprintf(error->text, sizeof(error->text), "load the table again");
	return -EIO;
}

static bool is_quiet(struct dmsf_zoned *z)
{
	const struct dmsf_log *log = &z->log;
	bool quiet;

	spin_lock_bh(&z->target->lock);
	quiet = !z->busy && !log->wanted && !log->nr[0] && !log->nr[1];
	spin_unlock_bh(&z->target->lock);
	return quiet;
}

/**
 * dmsf_zoned_stop() - commit all changes and stop all I/O
 * @f: target without requests and with a stopped clock
 *
 * Context: may sleep.
 */
void dmsf_zoned_stop(struct dmsf_target *f)
{
	struct dmsf_zoned *z = f->zoned;

	if (z->state != DMSF_IN_USE)
		return;
	/*
	 * The end of one job may start the next GC step, until a step takes model time, which
	 * stands still. Commit first, as erases wait for that; then wait for the worker.
	 */
	do {
		dmsf_log_sync(z);
		wait_event(z->idle, !READ_ONCE(z->busy));
		flush_work(&z->work);
	} while (!is_quiet(z));
	z->state = DMSF_STOPPED;
}
