// SPDX-License-Identifier: GPL-2.0
/*
 * Which zones of an origin an ssdflash uses, and how it starts and stops with them.
 *
 * The map is read when the target is resumed for the first time: until then another
 * table of the same device may be writing.
 */
#include <linux/blkdev.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../../common/origin.h"
#include "zoned.h"

/* Blocks of a plane that hold no data of the host: open ones, GC's, and what a crash wastes. */
#define MIN_SPARE 5

/* Zones that the log keeps open: one of each region. */
#define LOG_OPEN 2

/**
 * ssdf_zoned_io() - read, write or reset, and wait for it
 * @z: medium
 * @opf: operation and flags
 * @sector: of the origin
 * @data: from alloc_pages_exact(); NULL if there are none
 * @bytes: of @data
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int ssdf_zoned_io(struct ssdf_zoned *z, blk_opf_t opf, u64 sector, void *data, u32 bytes)
{
	struct bio_vec vec;
	struct bio bio;
	int r;

	bio_init(&bio, z->bdev, bytes ? &vec : NULL, bytes ? 1 : 0, opf);
	bio.bi_iter.bi_sector = sector;
	if (bytes)
		__bio_add_page(&bio, virt_to_page(data), bytes, offset_in_page(data));
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/**
 * ssdf_zoned_report() - look at zones that are used
 * @z: medium
 * @first: of them
 * @nr: how many
 * @cb: called for each
 * @data: passed to it
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int ssdf_zoned_report(struct ssdf_zoned *z, u32 first, u32 nr, report_zones_cb cb, void *data)
{
	int r = blkdev_report_zones(z->bdev, (z->layout.first + first) * z->layout.zone_sectors,
				    nr, cb, data);

	return r < 0 ? r : r == (int)nr ? 0 : -EIO;
}

/* The layout, from here on. */

struct survey {
	struct zoned_layout *layout;
	struct ssdc_error *error;
	u32 seen;
};

static const char *condition_of(const struct blk_zone *zone)
{
	return zone->cond == BLK_ZONE_COND_OFFLINE ? "offline" :
	       zone->cond == BLK_ZONE_COND_READONLY ? "read-only" : NULL;
}

/* Says what is wrong with a zone, and which one it is. */
static int refuse_zone(const struct survey *s, unsigned int nr, const char *what)
{
	scnprintf(s->error->text, sizeof(s->error->text),
		  "origin: zone %u is %s; want sequential zones that can be written, all of one capacity (zone %u: %llu sectors), conventional ones before them only",
		  nr, what, s->layout->first, s->layout->capacity_sectors);
	return -EINVAL;
}

static int survey_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct survey *s = data;

	s->seen++;
	if (zone->type == BLK_ZONE_TYPE_CONVENTIONAL) {
		if (s->layout->nr_zones)
			return refuse_zone(s, nr, "conventional");
		s->layout->first = nr + 1;
		return 0;
	}
	if (!s->layout->nr_zones++)
		s->layout->capacity_sectors = zone->capacity;
	if (condition_of(zone))
		return refuse_zone(s, nr, condition_of(zone));
	if (zone->capacity != s->layout->capacity_sectors)
		return refuse_zone(s, nr, "of another capacity");
	return 0;
}

static int survey_origin(struct ssdf_target *f, struct zoned_layout *layout,
			 struct ssdc_error *error)
{
	struct block_device *bdev = f->origin->bdev;
	struct survey s = { .layout = layout, .error = error };
	u32 nr;
	int r;

	memset(layout, 0, sizeof(*layout));
	error->text[0] = '\0';
	layout->zone_sectors = bdev_zone_sectors(bdev);
	/* A last zone that is smaller is not used. */
	nr = div64_u64(bdev_nr_sectors(bdev), layout->zone_sectors);
	r = blkdev_report_zones(bdev, 0, nr, survey_zone, &s);
	if (r < 0 && error->text[0])
		return r;
	if (r < 0 || s.seen < nr) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: its zones cannot be listed (%d)", r);
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

/* Erase blocks are zones: their pages are not to be chosen. */
static int set_pages(struct ssdf_target *f, const struct zoned_layout *layout,
		     struct ssdc_error *error)
{
	struct ssdf_params *p = &f->device_params, base;
	u32 block_bytes = bdev_logical_block_size(f->origin->bdev);
	u64 pages = div_u64(layout->capacity_sectors << SECTOR_SHIFT, p->page_bytes);

	if (p->page_bytes % block_bytes || block_bytes > ZONED_LOG_BLOCK) {
		scnprintf(error->text, sizeof(error->text),
			  "page_bytes: a multiple of the origin's blocks, of %u bytes (at most %u), expected",
			  block_bytes, ZONED_LOG_BLOCK);
		return -EINVAL;
	}
	/* Or a zone of the log would never be full, and stay active. */
	if (layout->capacity_sectors % ZONED_LOG_SECTORS) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: zones of a multiple of %u sectors expected, not %llu",
			  ZONED_LOG_SECTORS, layout->capacity_sectors);
		return -EINVAL;
	}
	ssdf_params_base(f->config.profile, &base);
	if (p->pages != base.pages && p->pages != pages) {
		scnprintf(error->text, sizeof(error->text),
			  "pages: a zone of the origin has %llu; leave the word out", pages);
		return -EINVAL;
	}
	if (pages < 2 || pages > U16_MAX) {
		scnprintf(error->text, sizeof(error->text),
			  "page_bytes: 2 to %u pages to a zone of %llu sectors expected, not %llu",
			  U16_MAX, layout->capacity_sectors, pages);
		return -EINVAL;
	}
	p->pages = pages;
	return 0;
}

static int set_blocks(struct ssdf_target *f, struct zoned_layout *layout,
		      struct ssdc_error *error)
{
	struct ssdf_params *p = &f->device_params, whole = *p;
	u32 planes = nr_planes(p), most;

	/* The same for all numbers of blocks, so that regions are found again. */
	whole.blocks = layout->nr_zones / planes;
	layout->region_zones = ssdf_zoned_region_zones(&whole, layout->capacity_sectors);
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

static int check_open(struct ssdf_target *f, struct ssdc_error *error)
{
	struct block_device *bdev = f->origin->bdev;
	u32 need = 2 * nr_planes(&f->device_params) + LOG_OPEN;
	u32 limit = min_not_zero(bdev_max_open_zones(bdev), bdev_max_active_zones(bdev));

	if (!limit || need <= limit)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "channels, chips, dies, planes: %u planes keep %u zones open; the origin allows %u",
		  nr_planes(&f->device_params), need, limit);
	return -EINVAL;
}

/**
 * ssdf_zoned_layout() - make the geometry fit a zoned origin
 * @f: target with device_params as given; pages and blocks are set
 * @layout: result
 * @error: says what does not fit
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int ssdf_zoned_layout(struct ssdf_target *f, struct zoned_layout *layout,
		      struct ssdc_error *error)
{
	int r;

	if (f->device_params.aged_valid || f->device_params.aged_invalid) {
		scnprintf(error->text, sizeof(error->text),
			  "aged_valid, aged_invalid: 0 expected, as a zoned origin holds what was written");
		return -EINVAL;
	}
	r = survey_origin(f, layout, error);
	if (!r)
		r = set_pages(f, layout, error);
	if (!r)
		r = set_blocks(f, layout, error);
	return r ? r : check_open(f, error);
}

/**
 * ssdf_zoned_create() - make the medium of a device
 * @f: target whose device was made
 * @layout: by ssdf_zoned_layout()
 * @error: says what failed
 *
 * Nothing is written before ssdf_zoned_start().
 *
 * Context: may sleep.
 * Return: 0, or -errno: call ssdf_zoned_destroy() even so.
 */
int ssdf_zoned_create(struct ssdf_target *f, const struct zoned_layout *layout,
		      struct ssdc_error *error)
{
	const struct ssdf_params *p = &f->device_params;
	struct ssdf_zoned *z = kvzalloc(sizeof(*z), GFP_KERNEL);
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
		r = ssdf_zoned_data_create(z);
	}
	if (r) {
		scnprintf(error->text, sizeof(error->text), "no memory for %llu bytes of buffers",
			  (u64)ssdf_nr_slots(f->device) * p->page_bytes);
		return r;
	}
	r = ssdf_zoned_log_create(z, error);
	return r ? r : ssdf_zoned_log_probe(z, error);
}

void ssdf_zoned_destroy(struct ssdf_target *f)
{
	if (!f->zoned)
		return;
	ssdf_zoned_data_destroy(f->zoned);
	ssdf_zoned_log_destroy(f->zoned);
	kvfree(f->zoned);
}

/* Start. */

struct restart {
	struct ssdf_zoned *z;
	unsigned long *partial;		/* blocks that are neither empty nor full */
};

static int note_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct restart *restart = data;
	struct ssdf_zoned *z = restart->z;
	u32 page_sectors = z->page_bytes >> SECTOR_SHIFT, rest;
	u64 pages = div_u64_rem(zone->wp - zone->start, page_sectors, &rest);

	switch (zone->cond) {
	case BLK_ZONE_COND_EMPTY:
		z->written[nr] = 0;
		return 0;
	case BLK_ZONE_COND_FULL:
		z->written[nr] = z->pages;
		return 0;
	default:
		/* No page fits behind a torn one. */
		z->written[nr] = rest ? z->pages : min_t(u64, z->pages, pages);
		if (z->written[nr])
			__set_bit(nr, restart->partial);
		return 0;
	}
}

static u32 written_pages(void *media, ssdf_block_t block)
{
	struct ssdf_zoned *z = media;

	return z->written[ssdf_block_nr(block)];
}

/* Zones that nothing will be written to need not stay open. */
static int finish_zones(struct ssdf_zoned *z, const unsigned long *partial)
{
	u32 nr;
	int r = 0;

	for_each_set_bit(nr, partial, z->nr_blocks) {
		if (ssdf_is_open(z->target->device, ssdf_block(nr)))
			continue;
		r = ssdf_zoned_io(z, REQ_OP_ZONE_FINISH,
				  ssdf_zoned_sector(z, ssdf_ppn(nr * z->pages)), NULL, 0);
		if (r)
			break;
	}
	return r;
}

static int restore_model(struct ssdf_device *device)
{
	u64 at = 0;
	int r;

	while ((r = ssdf_restore(device, written_pages, &at)) > 0)
		cond_resched();
	return r;
}

static int restore(struct ssdf_zoned *z, unsigned long *partial, struct ssdc_error *error)
{
	struct restart restart = { z, partial };
	int r;

	ssdf_media_set(z->target->device, &ssdf_zoned_ops, z);
	r = ssdf_zoned_log_recover(z, error);
	if (r)
		return r;
	r = ssdf_zoned_report(z, 2 * z->layout.region_zones, z->nr_blocks, note_zone, &restart);
	if (!r)
		r = restore_model(z->target->device);
	if (!r)
		r = finish_zones(z, partial);
	if (r)
		scnprintf(error->text, sizeof(error->text),
			  "what the log says and what the zones hold do not agree (%d)", r);
	return r;
}

static int start(struct ssdf_zoned *z, struct ssdc_error *error)
{
	unsigned long *partial = bitmap_zalloc(z->nr_blocks, GFP_KERNEL);
	int r = -ENOMEM;

	if (partial)
		r = restore(z, partial, error);
	else
		scnprintf(error->text, sizeof(error->text), "no memory");
	bitmap_free(partial);
	if (r)
		return r;
	ssdf_zoned_log_begin(z);
	if (!z->failed)
		return 0;
	scnprintf(error->text, sizeof(error->text), "the log cannot be written");
	return -EIO;
}

/**
 * ssdf_zoned_start() - read the map, if that was not done, and begin a new log
 * @f: target that is to be resumed
 * @error: says what failed
 *
 * Context: may sleep. No other table may use the origin.
 * Return: 0 or -errno; then the target is of no use any more.
 */
int ssdf_zoned_start(struct ssdf_target *f, struct ssdc_error *error)
{
	struct ssdf_zoned *z = f->zoned;
	unsigned int noio;
	int r;

	switch (z->state) {
	case ZONED_UNREAD:
		/* Drivers allocate to list zones; what they reclaim must not be written here. */
		noio = memalloc_noio_save();
		r = start(z, error);
		memalloc_noio_restore(noio);
		z->state = r ? ZONED_UNUSABLE : ZONED_IN_USE;
		return r;
	case ZONED_IN_USE:
	case ZONED_STOPPED:
		r = ssdf_zoned_log_check_ours(z, error);
		if (!r)
			z->state = ZONED_IN_USE;
		else if (r == -EBUSY)
			z->state = ZONED_UNUSABLE;
		return r;
	case ZONED_UNUSABLE:
		break;
	}
	scnprintf(error->text, sizeof(error->text), "load the table again");
	return -EIO;
}

static bool is_quiet(struct ssdf_zoned *z)
{
	const struct zoned_log *log = &z->log;
	bool quiet;

	spin_lock_bh(&z->target->lock);
	quiet = !z->busy && !log->wanted && !log->nr[0] && !log->nr[1];
	spin_unlock_bh(&z->target->lock);
	return quiet;
}

/**
 * ssdf_zoned_stop() - commit what there is, and do nothing any more
 * @f: target without requests, whose clock stands still
 *
 * Context: may sleep.
 */
void ssdf_zoned_stop(struct ssdf_target *f)
{
	struct ssdf_zoned *z = f->zoned;

	if (z->state != ZONED_IN_USE)
		return;
	/*
	 * What ends may let GC take its next step, up to what takes time in the model. The
	 * commit that erases wait for comes first; the worker, on its own queue, does the rest.
	 */
	do {
		ssdf_zoned_log_sync(z);
		wait_event(z->idle, !READ_ONCE(z->busy));
		flush_work(&z->work);
	} while (!is_quiet(z));
	z->state = ZONED_STOPPED;
}
