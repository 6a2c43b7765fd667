// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the map of ssdflash back from its zoned origin (format: log.h).
 *
 * The newer of the regions that have a commit is valid. The map is its checkpoint, with
 * the changes up to its last commit applied in order. Only that region must be readable.
 * An origin with any other data is refused, because they may belong to somebody.
 */
#include <linux/sched/signal.h>

#include "log.h"

/* Read up to @nr blocks into the buffer. Returns how many are valid, or -errno. */
static int read_blocks(struct dmsf_zoned *z, u32 region, u64 generation, u64 number, u32 nr)
{
	u32 i;
	int r;

	if (fatal_signal_pending(current))
		return -EINTR;
	nr = min_t(u64, nr, z->log.region_blocks - number);
	nr = dmsf_log_blocks_here(z, number, nr);
	r = dmsf_zone_io(z, REQ_OP_READ, dmsf_log_sector(z, region, number), z->log.buffer,
			 nr * DMSF_LOG_BLOCK_BYTES);
	if (r)
		return r;
	for (i = 0; i < nr; i++) {
		struct dmsf_log_block *block = dmsf_log_block_at(z, i);

		if (le64_to_cpu(block->magic) != DMSF_LOG_MAGIC ||
		    le64_to_cpu(block->number) != number + i ||
		    (generation && le64_to_cpu(block->generation) != generation) ||
		    le32_to_cpu(block->crc) != dmsf_log_block_crc(block))
			break;
	}
	return i;
}

/* Result of a scan of a region. */
struct region_scan {
	u64 generation;			/* 0: no header, or unknown after an error */
	bool header;			/* @geometry is valid */
	struct dmsf_log_geometry geometry;
	u64 end;			/* block after the last commit; 0: no commit */
	u64 pages;			/* limit of the pages that further entries can name */
	int error;			/* -errno of a failed read */
};

static void scan_block(struct dmsf_zoned *z, struct region_scan *scan, struct dmsf_log_block *block)
{
	u64 number = le64_to_cpu(block->number);
	u32 type = le32_to_cpu(block->type);

	if (!number && type == DMSF_LOG_HEADER) {
		scan->generation = le64_to_cpu(block->generation);
		scan->header = true;
		memcpy(&scan->geometry, block->payload, sizeof(scan->geometry));
	} else if (type == DMSF_LOG_COMMIT && number > z->log.map_blocks) {
		scan->end = number + 1;
	}
}

/* The generation of a region whose header cannot be read: of any further block, or 0. */
static u64 any_generation(struct dmsf_zoned *z, u32 region)
{
	u64 number;
	int nr;

	for (number = 1; number < z->log.region_blocks; number++) {
		nr = read_blocks(z, region, 0, number, 1);
		if (!nr || nr == -EINTR)
			return 0;
		if (nr > 0)
			return le64_to_cpu(dmsf_log_block_at(z, 0)->generation);
	}
	return 0;
}

/* Find the header and the last commit before the first error. */
static void scan_region(struct dmsf_zoned *z, u32 region, bool header_only,
			struct region_scan *scan)
{
	u64 number = 0;
	int nr, i;

	memset(scan, 0, sizeof(*scan));
	while (number < z->log.region_blocks) {
		/* The header alone first: blocks after it may be unreadable. */
		nr = read_blocks(z, region, scan->generation, number,
				 number ? DMSF_LOG_BATCH : 1);
		if (nr < 0)
			scan->error = nr;
		if (nr < 0 && !scan->header)
			scan->generation = any_generation(z, region);
		if (nr <= 0)
			return;
		for (i = 0; i < nr; i++) {
			scan_block(z, scan, dmsf_log_block_at(z, i));
			if (header_only || !scan->generation)
				return;
		}
		number += nr;
	}
}

/*
 * A discard names written pages only, and each entry writes at most one page. So all entries
 * together name at most the pages of the checkpoint plus two per entry; more is damage.
 */
static int take_pages(struct region_scan *scan, u32 nr)
{
	scan->pages += 2;
	if (nr > scan->pages)
		return -EUCLEAN;
	scan->pages -= nr;
	return 0;
}

static int apply_entry(struct dmsf_zoned *z, struct region_scan *scan,
		       const struct dmsf_log_entry *entry)
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

static int apply(struct dmsf_zoned *z, struct region_scan *scan, const struct dmsf_log_block *block)
{
	struct ssdf_device *device = z->target->device;
	const struct dmsf_log_entry *entries = (const void *)block->payload;
	const __le32 *places = (const void *)block->payload;
	u32 i, nr = le32_to_cpu(block->nr), first = le32_to_cpu(block->first);
	int r = 0;

	if (le32_to_cpu(block->type) == DMSF_LOG_MAP) {
		for (i = 0; i < min_t(u32, nr, DMSF_LOG_MAP_PER_BLOCK); i++)
			if (!ssdf_map_set(device, ssdf_lpn(first + i),
					  ssdf_ppn(le32_to_cpu(places[i]))))
				return -EUCLEAN;
		return 0;
	}
	if (le32_to_cpu(block->type) == DMSF_LOG_HEADER)
		return 0;
	for (i = 0; !r && i < min_t(u32, nr, DMSF_LOG_ENTRIES_PER_BLOCK); i++)
		r = apply_entry(z, scan, &entries[i]);
	return r;
}

static int replay(struct dmsf_zoned *z, u32 region, struct region_scan *scan)
{
	u64 number = 0;
	int nr, i, r;

	scan->pages = ssdf_nr_lpns(z->target->device);
	while (number < scan->end) {
		nr = read_blocks(z, region, scan->generation, number, DMSF_LOG_BATCH);
		if (nr <= 0)
			return nr ? nr : -EUCLEAN;
		for (i = 0; i < nr && number + i < scan->end; i++) {
			r = apply(z, scan, dmsf_log_block_at(z, i));
			if (r)
				return r;
		}
		number += nr;
		cond_resched();
	}
	return 0;
}

static int check_geometry(struct dmsf_zoned *z, const struct dmsf_log_geometry *geometry,
			  struct ssdc_error *error)
{
	u32 version = le32_to_cpu(geometry->version);

	if (!version || version > DMSF_LOG_VERSION) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: has an ssdflash of version %u; this driver knows versions 1 to %u",
			  version, DMSF_LOG_VERSION);
		return -EINVAL;
	}
	if (le32_to_cpu(geometry->page_bytes) == z->page_bytes &&
	    le32_to_cpu(geometry->pages) == z->pages &&
	    le32_to_cpu(geometry->blocks) == z->blocks &&
	    le32_to_cpu(geometry->planes) == z->nr_planes &&
	    le32_to_cpu(geometry->lpns) == ssdf_nr_lpns(z->target->device))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "origin: has an ssdflash with page_bytes %u, %u planes of %u blocks of %u pages, %u pages for the host, not %u, %u, %u, %u, %u; reset its zones to start over",
		  le32_to_cpu(geometry->page_bytes), le32_to_cpu(geometry->planes),
		  le32_to_cpu(geometry->blocks), le32_to_cpu(geometry->pages),
		  le32_to_cpu(geometry->lpns), z->page_bytes, z->nr_planes, z->blocks, z->pages,
		  ssdf_nr_lpns(z->target->device));
	return -EINVAL;
}

/* Zones that are not empty although no region has a header. */
struct leftovers {
	u32 nr;
	u32 first_header;		/* zone of the very first header */
	bool torn;			/* that zone has at most a part of the header */
};

static int look_at_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct leftovers *left = data;

	if (zone->cond == BLK_ZONE_COND_EMPTY)
		return 0;
	left->nr++;
	if (nr == left->first_header)
		left->torn = zone->wp - zone->start <= DMSF_LOG_BLOCK_SECTORS;
	return 0;
}

static bool has_magic(struct dmsf_zoned *z, u32 region)
{
	return !dmsf_zone_io(z, REQ_OP_READ, dmsf_log_sector(z, region, 0), z->log.buffer,
			      DMSF_LOG_BLOCK_BYTES) &&
	       le64_to_cpu(dmsf_log_block_at(z, 0)->magic) == DMSF_LOG_MAGIC;
}

/*
 * Without a header in either region, the origin must be empty, except for the very first
 * header torn by a crash. The first checkpoint is in region 1.
 */
static int check_empty(struct dmsf_zoned *z, struct ssdc_error *error)
{
	struct leftovers left = { .first_header = z->layout.region_zones };
	int r = dmsf_zone_report(z, 0, z->layout.nr_zones, look_at_zone, &left);

	if (r < 0) {
		scnprintf(error->text, sizeof(error->text),
			  "origin: its zones cannot be reported (%d)", r);
		return r;
	}
	if (!left.nr || (left.nr == 1 && left.torn && has_magic(z, 1)))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "origin: %u of its zones hold data that are not from ssdflash; reset them to start over",
		  left.nr);
	return -EINVAL;
}

static int refuse_log(int r, struct ssdc_error *error)
{
	scnprintf(error->text, sizeof(error->text), "the log cannot be read (%d)", r);
	return r;
}

/*
 * An error in a region is fatal, unless the other region is known to be newer. A commit after
 * the error may have been acknowledged.
 */
static int check_read(const struct region_scan *scans, struct ssdc_error *error)
{
	u32 region;

	for (region = 0; region < 2; region++) {
		const struct region_scan *scan = &scans[region], *other = &scans[!region];
		bool old = scan->generation && scan->generation < other->generation;

		if (scan->error && (!old || other->error))
			return refuse_log(scan->error, error);
	}
	return 0;
}

/* Is the origin empty, or does it hold an ssdflash of this geometry? */
static int check_regions(struct dmsf_zoned *z, const struct region_scan *scans,
			 struct ssdc_error *error)
{
	u32 region;
	int r = check_read(scans, error);

	for (region = 0; region < 2 && !r; region++)
		if (scans[region].header)
			r = check_geometry(z, &scans[region].geometry, error);
	if (r || scans[0].generation || scans[1].generation)
		return r;
	return check_empty(z, error);
}

/**
 * dmsf_log_probe() - is the origin empty, or does it hold an ssdflash of this geometry?
 * @z: medium
 * @error: reason of a refusal
 *
 * Only reads, as another table may be using the origin.
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsf_log_probe(struct dmsf_zoned *z, struct ssdc_error *error)
{
	struct region_scan scans[2];
	u32 region;

	for (region = 0; region < 2; region++)
		scan_region(z, region, true, &scans[region]);
	return check_regions(z, scans, error);
}

/**
 * dmsf_log_recover() - read the map
 * @z: medium that no other target uses
 * @error: reason of a failure
 *
 * Sets the model's map as of the last commit; call ssdf_restore() next, then
 * dmsf_log_begin(). Checks again what dmsf_log_probe() has checked, as another table may
 * have used the origin since this one was loaded.
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsf_log_recover(struct dmsf_zoned *z, struct ssdc_error *error)
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
	if (r)
		return r;
	/* The region that could be ignored is needed after all, as the newer one has no commit. */
	r = scans[0].error ? scans[0].error : scans[1].error;
	if (r && (scans[best].error || !scans[best].end))
		return refuse_log(r, error);
	/* A new origin, or a crash before the very first commit: nothing was acknowledged. */
	if (!scans[best].end)
		return 0;
	r = replay(z, best, &scans[best]);
	if (r)
		scnprintf(error->text, sizeof(error->text), "the log is damaged (%d)", r);
	return r;
}

/**
 * dmsf_log_check_ours() - is this target still the last one that started a region?
 * @z: medium
 * @error: reason of a failure
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: another target has started a region; another -errno: a read failed.
 */
int dmsf_log_check_ours(struct dmsf_zoned *z, struct ssdc_error *error)
{
	struct region_scan scans[2];
	u32 region;

	for (region = 0; region < 2; region++)
		scan_region(z, region, true, &scans[region]);
	/* The map is in memory, so only the generations matter. */
	for (region = 0; region < 2; region++)
		if (scans[region].error && !scans[region].generation)
			return refuse_log(scans[region].error, error);
	if (max(scans[0].generation, scans[1].generation) == z->log.started)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "origin: another target has written to it; load the table again");
	return -EBUSY;
}
