// SPDX-License-Identifier: GPL-2.0
/*
 * The map of an ssdflash, read back from its zoned origin (see zoned-log.c).
 *
 * Of the two regions the newer one counts that has a commit. Its map, then the changes in
 * the order in which they happened, up to the last commit, are the map. Whatever else is on
 * an origin is somebody's, and is refused.
 */
#include "log.h"

/* Read up to BATCH blocks to the buffer. Returns how many are what they should be, or -errno. */
static int read_blocks(struct ssdf_zoned *z, u32 region, u64 generation, u64 number)
{
	u32 nr = min_t(u64, BATCH, z->log.region_blocks - number), i;
	int r;

	nr = ssdf_zoned_blocks_here(z, number, nr);
	r = ssdf_zoned_io(z, REQ_OP_READ, ssdf_zoned_log_sector(z, region, number), z->log.buffer,
			  nr * ZONED_LOG_BLOCK);
	if (r)
		return r;
	for (i = 0; i < nr; i++) {
		struct log_block *block = block_at(z, i);

		if (le64_to_cpu(block->magic) != MAGIC ||
		    le64_to_cpu(block->number) != number + i ||
		    (generation && le64_to_cpu(block->generation) != generation) ||
		    le32_to_cpu(block->crc) != ssdf_zoned_block_crc(block))
			break;
	}
	return i;
}

/* What a pass over a region finds. */
struct region_scan {
	u64 generation;			/* 0: there is no header */
	struct log_geometry geometry;
	u64 end;			/* block after the last commit; 0: there is none */
	u64 pages;			/* that entries may still name, or they are not true */
	int error;			/* something could not be read, or cannot be */
};

static void scan_block(struct ssdf_zoned *z, struct region_scan *scan, struct log_block *block)
{
	u64 number = le64_to_cpu(block->number);
	u32 type = le32_to_cpu(block->type);

	if (!number && type == LOG_HEADER) {
		scan->generation = le64_to_cpu(block->generation);
		memcpy(&scan->geometry, block->payload, sizeof(scan->geometry));
	} else if (type == LOG_COMMIT && number > z->log.map_blocks) {
		scan->end = number + 1;
	}
}

/* Is there a header, and where is the last commit? */
static void scan_region(struct ssdf_zoned *z, u32 region, bool header_only,
			struct region_scan *scan)
{
	u64 number = 0;
	int nr, i;

	memset(scan, 0, sizeof(*scan));
	while (number < z->log.region_blocks) {
		nr = read_blocks(z, region, scan->generation, number);
		if (nr < 0)
			scan->error = nr;
		if (nr <= 0)
			return;
		for (i = 0; i < nr; i++) {
			scan_block(z, scan, block_at(z, i));
			if (header_only || !scan->generation)
				return;
		}
		number += nr;
	}
}

/* Only what is somewhere is discarded: so often the pages of all entries can be named. */
static int take_pages(struct region_scan *scan, u32 nr)
{
	scan->pages += 2;
	if (nr > scan->pages)
		return -EUCLEAN;
	scan->pages -= nr;
	return 0;
}

static int apply_entry(struct ssdf_zoned *z, struct region_scan *scan,
		       const struct log_entry *entry)
{
	u32 lpn = le32_to_cpu(entry->lpn), nr = le32_to_cpu(entry->nr), i;
	ssdf_ppn_t ppn = ssdf_ppn(le32_to_cpu(entry->ppn));

	if (take_pages(scan, nr))
		return -EUCLEAN;
	for (i = 0; i < nr; i++)
		if (!ssdf_map_set(z->target->device, ssdf_lpn(lpn + i), ppn))
			return -EUCLEAN;
	cond_resched();
	return 0;
}

static int apply(struct ssdf_zoned *z, struct region_scan *scan, const struct log_block *block)
{
	struct ssdf_device *device = z->target->device;
	const struct log_entry *entries = (const void *)block->payload;
	const __le32 *places = (const void *)block->payload;
	u32 i, nr = le32_to_cpu(block->nr), first = le32_to_cpu(block->first);
	int r = 0;

	if (le32_to_cpu(block->type) == LOG_MAP) {
		for (i = 0; i < min_t(u32, nr, MAP_PER_BLOCK); i++)
			if (!ssdf_map_set(device, ssdf_lpn(first + i),
					  ssdf_ppn(le32_to_cpu(places[i]))))
				return -EUCLEAN;
		return 0;
	}
	if (le32_to_cpu(block->type) == LOG_HEADER)
		return 0;
	for (i = 0; !r && i < min_t(u32, nr, ENTRIES_PER_BLOCK); i++)
		r = apply_entry(z, scan, &entries[i]);
	return r;
}

static int replay(struct ssdf_zoned *z, u32 region, struct region_scan *scan)
{
	u64 number = 0;
	int nr, i, r;

	scan->pages = ssdf_nr_lpns(z->target->device);
	while (number < scan->end) {
		nr = read_blocks(z, region, scan->generation, number);
		if (nr <= 0)
			return nr ? nr : -EUCLEAN;
		for (i = 0; i < nr && number + i < scan->end; i++) {
			r = apply(z, scan, block_at(z, i));
			if (r)
				return r;
		}
		number += nr;
		cond_resched();
	}
	return 0;
}

static int check_geometry(struct ssdf_zoned *z, const struct log_geometry *geometry,
			  struct ssdc_error *error)
{
	if (le32_to_cpu(geometry->version) != VERSION) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: has an ssdflash of version %u; version %u is known",
			  le32_to_cpu(geometry->version), VERSION);
		return -EINVAL;
	}
	if (le32_to_cpu(geometry->page_bytes) == z->page_bytes &&
	    le32_to_cpu(geometry->pages) == z->pages &&
	    le32_to_cpu(geometry->blocks) == z->blocks &&
	    le32_to_cpu(geometry->planes) == z->nr_planes &&
	    le32_to_cpu(geometry->lpns) == ssdf_nr_lpns(z->target->device))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "origin: has an ssdflash with page_bytes %u, %u planes of %u blocks of %u pages, %u pages for the host, not %u, %u, %u, %u, %u; reset its zones to begin anew",
		  le32_to_cpu(geometry->page_bytes), le32_to_cpu(geometry->planes),
		  le32_to_cpu(geometry->blocks), le32_to_cpu(geometry->pages),
		  le32_to_cpu(geometry->lpns), z->page_bytes, z->nr_planes, z->blocks, z->pages,
		  ssdf_nr_lpns(z->target->device));
	return -EINVAL;
}

/* Zones that hold something though no region has a header. */
struct leftovers {
	u32 nr;
	u32 first_header;		/* zone where the first one ever is written */
	bool torn;			/* there is no more than a part of it */
};

static int look_at_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct leftovers *left = data;

	if (zone->cond == BLK_ZONE_COND_EMPTY)
		return 0;
	left->nr++;
	if (nr == left->first_header)
		left->torn = zone->wp - zone->start <= ZONED_LOG_SECTORS;
	return 0;
}

static bool has_magic(struct ssdf_zoned *z, u32 region)
{
	return !ssdf_zoned_io(z, REQ_OP_READ, ssdf_zoned_log_sector(z, region, 0), z->log.buffer,
			      ZONED_LOG_BLOCK) &&
	       le64_to_cpu(block_at(z, 0)->magic) == MAGIC;
}

/*
 * Neither region has a header: then nothing must be on the origin, but for one that a
 * crash has torn. The first checkpoint is in region 1.
 */
static int check_empty(struct ssdf_zoned *z, struct ssdc_error *error)
{
	struct leftovers left = { .first_header = z->layout.region_zones };
	int r = ssdf_zoned_report(z, 0, z->layout.nr_zones, look_at_zone, &left);

	if (r < 0)
		return r;
	if (!left.nr || (left.nr == 1 && left.torn && has_magic(z, 1)))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "origin: %u of its zones hold data that are not an ssdflash's; reset them to begin anew",
		  left.nr);
	return -EINVAL;
}

static int check_read(const struct region_scan *scans, struct ssdc_error *error)
{
	int r = scans[0].error ? scans[0].error : scans[1].error;

	if (r)
		scnprintf(error->text, sizeof(error->text), "the log cannot be read (%d)", r);
	return r;
}

/* Is all that is on the origin an ssdflash's with this geometry? */
static int check_regions(struct ssdf_zoned *z, const struct region_scan *scans,
			 struct ssdc_error *error)
{
	u32 region;
	int r = check_read(scans, error);

	for (region = 0; region < 2 && !r; region++)
		if (scans[region].generation)
			r = check_geometry(z, &scans[region].geometry, error);
	if (r || scans[0].generation || scans[1].generation)
		return r;
	return check_empty(z, error);
}

/**
 * ssdf_zoned_log_probe() - is the origin empty, or does it have an ssdflash like this?
 * @z: medium
 * @error: says why not
 *
 * Only reads, since another table may be using the origin.
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int ssdf_zoned_log_probe(struct ssdf_zoned *z, struct ssdc_error *error)
{
	struct region_scan scans[2];
	u32 region;

	for (region = 0; region < 2; region++)
		scan_region(z, region, true, &scans[region]);
	return check_regions(z, scans, error);
}

/**
 * ssdf_zoned_log_recover() - read the map, and begin a region
 * @z: medium, which nobody else uses
 * @error: says what is wrong
 *
 * The map is set as of the last commit; ssdf_restore() is to follow, and a commit. What
 * ssdf_zoned_log_probe() looked at may be another by now: another table may have been in
 * use since this one was loaded.
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int ssdf_zoned_log_recover(struct ssdf_zoned *z, struct ssdc_error *error)
{
	struct region_scan scans[2];
	u32 region, best;
	int r;

	for (region = 0; region < 2; region++)
		scan_region(z, region, false, &scans[region]);
	best = scans[1].end && (!scans[0].end || scans[1].generation > scans[0].generation);
	z->log.region = best;
	z->log.generation = max(scans[0].generation, scans[1].generation);
	r = check_regions(z, scans, error);
	/* New, or a crash before the first commit ever: nothing was acknowledged. */
	if (r || !scans[best].end)
		return r;
	r = replay(z, best, &scans[best]);
	if (r)
		scnprintf(error->text, sizeof(error->text), "the log is damaged (%d)", r);
	return r;
}

/**
 * ssdf_zoned_log_check_ours() - has nobody else begun a region since?
 * @z: medium
 * @error: says what is wrong
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: somebody has; another -errno: it cannot be read.
 */
int ssdf_zoned_log_check_ours(struct ssdf_zoned *z, struct ssdc_error *error)
{
	struct region_scan scans[2];
	u32 region;
	int r;

	for (region = 0; region < 2; region++)
		scan_region(z, region, true, &scans[region]);
	r = check_read(scans, error);
	if (r || max(scans[0].generation, scans[1].generation) == z->log.generation)
		return r;
	scnprintf(error->text, sizeof(error->text),
		  "origin: was written by another target meanwhile; load the table again");
	return -EBUSY;
}
