// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the map of ssdflash back from its zoned origin (format: log.h).
 *
 * Of the regions that have a commit, the newer one is valid. The map is the checkpoint of that
 * region, with the changes up to its last commit applied in order. Only that region must be
 * readable. The first bad block ends the log, because a crash leaves such blocks. But the blocks
 * after it are searched for proof that the bad block was complete once. With such proof, the start
 * is refused, because commits after the block were acknowledged: see check_damage(). An origin with
 * any other data is refused, because the data may belong to somebody.
 */
#include <linux/sched/signal.h>

#include "log.h"

/* Read up to @nr blocks of one zone into the buffer. Returns how many, or -errno. */
static int read_blocks(struct dmsf_zoned *z, u32 region, u64 number, u32 nr)
{
	int r;

	if (fatal_signal_pending(current))
		return -EINTR;
	nr = min_t(u64, nr, z->log.region_blocks - number);
	nr = dmsf_log_blocks_here(z, number, nr);
	r = dmsf_zone_io(z, REQ_OP_READ, dmsf_log_sector(z, region, number), z->log.buffer,
			 nr * DMSF_LOG_BLOCK_BYTES);
	return r ? r : (int)nr;
}

/* Is block @i of the buffer block @number of a region of this generation? @generation 0: of any. */
static bool is_valid(struct dmsf_zoned *z, u32 i, u64 generation, u64 number)
{
	struct dmsf_log_block *block = dmsf_log_block_at(z, i);

	return le64_to_cpu(block->magic) == DMSF_LOG_MAGIC &&
	       le64_to_cpu(block->number) == number &&
	       (!generation || le64_to_cpu(block->generation) == generation) &&
	       le32_to_cpu(block->crc) == dmsf_log_block_crc(block);
}

static bool is_possible(u64 generation)
{
	return generation && generation <= DMSF_LOG_MAX_GENERATION;
}

/* Result of a scan of a region. */
struct region_scan {
	u64 generation;			/* 0: unknown; without a header, the highest of any block */
	bool header;			/* @geometry is valid */
	bool intact;			/* no bad block so far; false without a header */
	struct dmsf_log_geometry geometry;
	u64 end;			/* block after the last commit before @bad; 0: no commit */
	u64 bad;			/* first block that is missing or wrong */
	u64 begun;			/* end of the blocks that were written, at least in part */
	u64 later;			/* generation of the last commit after @bad; 0: none */
	u64 witness;			/* newest generation that proves damage; 0: none */
	u64 pages;			/* pages that further entries can name at most */
	int error;			/* -errno of a failed read */
};

static void found_bad(struct region_scan *scan, u64 number)
{
	if (scan->intact)
		scan->bad = number;
	scan->intact = false;
}

/*
 * A commit was found after the first bad block. Older drivers wrote a commit together with up to a
 * batch of blocks before it, and a crash may have torn such a write.
 */
static void found_later(struct region_scan *scan, const struct dmsf_log_block *block, u64 number,
			u64 generation)
{
	if (block->alone || scan->later == generation ||
	    (scan->header && number - scan->bad >= DMSF_LOG_BATCH))
		scan->witness = max(scan->witness, generation);
	scan->later = generation;
}

static void scan_block(struct dmsf_zoned *z, struct region_scan *scan, u32 i, u64 number)
{
	struct dmsf_log_block *block = dmsf_log_block_at(z, i);
	u64 generation = le64_to_cpu(block->generation);
	bool commit = le32_to_cpu(block->type) == DMSF_LOG_COMMIT && number > z->log.map_blocks;

	if (!is_valid(z, i, scan->header ? scan->generation : 0, number) ||
	    !is_possible(generation)) {
		found_bad(scan, number);
		return;
	}
	scan->generation = max(scan->generation, generation);
	/* Without a header, it is unknown whether other zones belong to the same region. */
	if (scan->header || number < dmsf_zone_blocks(z->layout.capacity_sectors))
		scan->begun = max(scan->begun, number + 1);
	if (commit && scan->intact)
		scan->end = number + 1;
	else if (commit)
		found_later(scan, block, number, generation);
}

/* A zone of the log. */
struct zone_fill {
	u64 blocks;			/* perhaps written, the last one perhaps in part */
	bool full;			/* the drive may have finished it with fewer blocks */
};

/*
 * The write pointer of an unusable zone is as meaningless as that of a full one. An offline zone
 * must not look empty: the log would seem to end before the zone.
 */
static bool has_no_write_pointer(const struct blk_zone *zone)
{
	return zone->cond == BLK_ZONE_COND_FULL || zone->cond == BLK_ZONE_COND_READONLY ||
	       zone->cond == BLK_ZONE_COND_OFFLINE;
}

static int note_fill(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct zone_fill *fill = data;

	fill->full = has_no_write_pointer(zone);
	if (zone->cond == BLK_ZONE_COND_EMPTY)
		fill->blocks = 0;
	else if (!fill->full)
		fill->blocks = min(fill->blocks, div_u64(zone->wp - zone->start +
							 DMSF_LOG_BLOCK_SECTORS - 1,
							 DMSF_LOG_BLOCK_SECTORS));
	return 0;
}

/* After the first bad block, blocks that cannot be read are left out. */
static int scan_blocks(struct dmsf_zoned *z, u32 region, struct region_scan *scan, u64 number,
		       u64 end)
{
	u64 singly = 0;			/* end of a batch that could not be read at once */
	u32 want;
	int nr, i;

	while (number < end) {
		want = number < singly ? 1 : min_t(u64, DMSF_LOG_BATCH, end - number);
		nr = read_blocks(z, region, number, want);
		if (nr < 0 && (nr == -EINTR || (scan->intact && want == 1)))
			return nr;
		if (nr < 0 && want > 1) {
			singly = number + want;
			continue;
		}
		for (i = 0; i < nr; i++)
			scan_block(z, scan, i, number + i);
		number += max(nr, 1);
		cond_resched();
	}
	return 0;
}

static int scan_zone(struct dmsf_zoned *z, u32 region, u32 zone, struct region_scan *scan)
{
	u64 per_zone = dmsf_zone_blocks(z->layout.capacity_sectors), first = zone * per_zone;
	struct zone_fill fill = { .blocks = per_zone };
	u64 begun = scan->begun;
	int r;

	r = dmsf_zone_report(z, region * z->layout.region_zones + zone, 1, note_fill, &fill);
	if (!r)
		r = scan_blocks(z, region, scan, first, first + fill.blocks);
	if (r)
		return r;
	if (fill.blocks < per_zone)
		found_bad(scan, first + fill.blocks);
	/*
	 * The write pointer counts only if the zone has been written since the header was. The
	 * reset of any other zone may be lost, and such a zone has data of an earlier generation.
	 */
	if (!fill.full && (scan->begun > begun || (!scan->header && !zone)))
		scan->begun = max(scan->begun, first + fill.blocks);
	return 0;
}

/*
 * Find the header, the last commit before the first bad block, and the signs that the bad block is
 * damaged. With @header_only, find only the header or, if the header is unreadable, the generation.
 */
static void scan_region(struct dmsf_zoned *z, u32 region, bool header_only,
			struct region_scan *scan)
{
	const struct dmsf_log_block *block = dmsf_log_block_at(z, 0);
	u32 zone;
	/* Read the header alone first: blocks after it may be unreadable. */
	int r = read_blocks(z, region, 0, 1);

	memset(scan, 0, sizeof(*scan));
	if (r < 0) {
		scan->error = r;
	} else if (is_valid(z, 0, 0, 0) && le32_to_cpu(block->type) == DMSF_LOG_HEADER) {
		scan->generation = le64_to_cpu(block->generation);
		scan->header = true;
		scan->intact = true;
		memcpy(&scan->geometry, block->payload, sizeof(scan->geometry));
	}
	if (r == -EINTR || (header_only && r >= 0) ||
	    (scan->header && !is_possible(scan->generation)))
		return;
	for (zone = 0, r = 0; !r && zone < z->layout.region_zones; zone++)
		r = scan_zone(z, region, zone, scan);
	if (!r)
		return;
	scan->error = r;
	if (!scan->header)
		scan->generation = 0;
}

/*
 * A discard names written pages only, and each entry writes at most one page. So all entries
 * together name at most the pages of the checkpoint plus two per entry. More pages than that are a
 * sign of damage.
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

/* @what follows "block N of region N (sector N)". */
static int refuse_block(const struct dmsf_zoned *z, u32 region, u64 number, const char *what,
			struct ssdc_error *error)
{
	scnprintf(error->text, sizeof(error->text),
		  "the log is damaged: block %llu of region %u (sector %llu of the origin) %s; nothing was changed",
		  number, region, dmsf_log_sector(z, region, number), what);
	return -EUCLEAN;
}

static int refuse_log(int r, struct ssdc_error *error)
{
	scnprintf(error->text, sizeof(error->text), "the log cannot be read (%d)", r);
	return r;
}

static int replay(struct dmsf_zoned *z, u32 region, struct region_scan *scan,
		  struct ssdc_error *error)
{
	u64 number = 0;
	int nr, i;

	scan->pages = ssdf_nr_lpns(z->target->device);
	while (number < scan->end) {
		nr = read_blocks(z, region, number, min_t(u64, DMSF_LOG_BATCH, scan->end - number));
		if (nr < 0)
			return refuse_log(nr, error);
		for (i = 0; i < nr; i++) {
			if (!is_valid(z, i, scan->generation, number + i))
				return refuse_block(z, region, number + i, "has changed", error);
			if (apply(z, scan, dmsf_log_block_at(z, i)))
				return refuse_block(z, region, number + i,
						    "names pages that cannot be", error);
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

/* Zones that are not empty although no region has a commit. */
struct leftovers {
	u32 nr;
	u32 nr_first;			/* those in the region of the very first header */
	u32 first, end;			/* zones of that region */
	bool torn;			/* the first of them has at most a part of the header */
};

static int look_at_zone(struct blk_zone *zone, unsigned int nr, void *data)
{
	struct leftovers *left = data;

	/* What an unusable zone holds, if anything, cannot be told. */
	if (zone->cond == BLK_ZONE_COND_EMPTY || zone->cond == BLK_ZONE_COND_READONLY ||
	    zone->cond == BLK_ZONE_COND_OFFLINE)
		return 0;
	left->nr++;
	left->nr_first += nr >= left->first && nr < left->end;
	if (nr == left->first)
		left->torn = zone->wp - zone->start <= DMSF_LOG_BLOCK_SECTORS;
	return 0;
}

/* The first checkpoint is in region 1. */
static int find_leftovers(struct dmsf_zoned *z, struct leftovers *left, struct ssdc_error *error)
{
	const struct dmsf_layout *l = &z->layout;
	int r;

	*left = (struct leftovers) { .first = l->region_zones, .end = 2 * l->region_zones };
	r = dmsf_zone_report(z, 0, l->nr_zones, look_at_zone, left);
	if (r < 0)
		scnprintf(error->text, sizeof(error->text),
			  "origin: its zones cannot be reported (%d)", r);
	return r;
}

static bool has_magic(struct dmsf_zoned *z, u32 region)
{
	return !dmsf_zone_io(z, REQ_OP_READ, dmsf_log_sector(z, region, 0), z->log.buffer,
			      DMSF_LOG_BLOCK_BYTES) &&
	       le64_to_cpu(dmsf_log_block_at(z, 0)->magic) == DMSF_LOG_MAGIC;
}

/*
 * Without a header in either region, the origin must be empty, except for the very first
 * header torn by a crash.
 */
static int check_empty(struct dmsf_zoned *z, struct ssdc_error *error)
{
	struct leftovers left;
	int r = find_leftovers(z, &left, error);

	if (r < 0)
		return r;
	if (!left.nr || (left.nr == 1 && left.torn && has_magic(z, 1)))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "origin: %u of its zones hold data that are not from ssdflash; reset them to start over",
		  left.nr);
	return -EINVAL;
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
		bool old = scan->generation && other->header &&
			   scan->generation < other->generation;

		if (scan->error && (!old || other->error))
			return refuse_log(scan->error, error);
	}
	return 0;
}

static int check_header(struct dmsf_zoned *z, u32 region, const struct region_scan *scan,
			struct ssdc_error *error)
{
	if (!scan->header)
		return 0;
	if (is_possible(scan->generation))
		return check_geometry(z, &scan->geometry, error);
	scnprintf(error->text, sizeof(error->text),
		  "the log is damaged: region %u has generation %llu; they count from 1, to at most %llu",
		  region, scan->generation, DMSF_LOG_MAX_GENERATION);
	return -EUCLEAN;
}

/* Is the origin empty, or does it hold an ssdflash of this geometry? */
static int check_regions(struct dmsf_zoned *z, const struct region_scan *scans,
			 struct ssdc_error *error)
{
	u32 region;
	int r = check_read(scans, error);

	for (region = 0; region < 2 && !r; region++)
		r = check_header(z, region, &scans[region], error);
	return r;
}

#define LOST_HEADER	"is no header, but was one when later blocks were written"
#define LOST_BLOCK	"is wrong or missing, but was complete when later ones were written"
#define LOST_COMMIT	"is wrong or missing, although there are data in other zones"

/*
 * Tell what a crash leaves from what only damage leaves. When a step of the log has ended, the
 * following is durable:
 *
 *	reset of the region	nothing: each zone is empty, or as it was before
 *	header			the header, and the reset of its zone
 *	map, entries		no more than that: any block may be torn, any reset lost
 *	commit			all blocks before it and all resets, and then the commit itself
 *	entries, commit ...	likewise
 *
 * A region is reset only if the other one has a newer commit, or if it has no commit itself. So
 * each of the following findings proves that a block was complete and is damaged, or that somebody
 * has reset it:
 *
 * - a commit after a bad block, in a region with a header. The commit must have been written
 *   alone, as it may otherwise be what is left of a torn write: see found_later().
 * - more blocks after the last commit, or after the map, than an epoch has: the next commit was
 *   among them. The number of blocks is known from a valid block, or from the write pointer of a
 *   zone with a valid block.
 * - no header, but a commit that is newer than the other region; or anything behind the place of
 *   the header in its zone, unless blocks show that the other region has a newer commit.
 *   Without any header, see check_no_header().
 * - no commit in either region, but data: see check_no_commit().
 *
 * The following findings prove nothing, and the last commit before them is valid:
 *
 * - a bad block that no commit follows, although entries may: the crash has torn their epoch.
 * - no header, and at most a part of it in its place, whatever older blocks the other zones have:
 *   the crash came between the resets and the header.
 * - anything in a region if the other one has a newer commit, as the region may be half reset.
 *
 * If the last commit itself is damaged, it looks like a commit that a crash has torn, and the
 * damage is not noticed.
 */
static int check_damage(struct dmsf_zoned *z, const struct region_scan *scans,
			struct ssdc_error *error)
{
	u32 region;

	for (region = 0; region < 2; region++) {
		const struct region_scan *scan = &scans[region], *other = &scans[!region];
		u64 start = scan->end ? scan->end : z->log.map_blocks + 1;

		if (scan->error ||
		    (scan->generation && other->end && scan->generation < other->generation))
			continue;
		if (scan->header && (scan->witness || scan->begun > start + z->log.epoch_blocks))
			return refuse_block(z, region, scan->bad, LOST_BLOCK, error);
		if (!scan->header && other->header &&
		    (scan->witness > other->generation || scan->begun > 1))
			return refuse_block(z, region, 0, LOST_HEADER, error);
	}
	return 0;
}

/*
 * Neither region has a header: the header of the only region may be damaged, or the origin has
 * other data.
 */
static int check_no_header(struct dmsf_zoned *z, const struct region_scan *scans,
			   struct ssdc_error *error)
{
	u32 region;

	for (region = 0; region < 2; region++)
		if (scans[region].witness || (scans[region].generation && scans[region].begun > 1))
			return refuse_block(z, region, 0, LOST_HEADER, error);
	return check_empty(z, error);
}

/*
 * No region has a commit: a crash during the very first start, when only region 1 is in use.
 * Nothing else is written before the first commit.
 */
static int check_no_commit(struct dmsf_zoned *z, const struct region_scan *scans,
			   struct ssdc_error *error)
{
	/* The older of two regions had a commit when the other one was begun. */
	u32 region = !scans[0].header ||
		     (scans[1].header && scans[1].generation < scans[0].generation);
	struct leftovers left;
	int r = find_leftovers(z, &left, error);

	if (r < 0 || left.nr == left.nr_first)
		return r;
	return refuse_block(z, region, scans[region].bad, LOST_COMMIT, error);
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
	int r;

	for (region = 0; region < 2; region++)
		scan_region(z, region, true, &scans[region]);
	r = check_regions(z, scans, error);
	if (r || scans[0].header || scans[1].header)
		return r;
	for (region = 0; region < 2; region++)
		scan_region(z, region, false, &scans[region]);
	r = check_regions(z, scans, error);
	return r ? r : check_no_header(z, scans, error);
}

/* If the newer region has a commit, only the header of the older region matters. */
static void scan_regions(struct dmsf_zoned *z, struct region_scan *scans)
{
	struct region_scan *newer, *older;
	u32 region;

	for (region = 0; region < 2; region++)
		scan_region(z, region, true, &scans[region]);
	region = scans[1].generation > scans[0].generation;
	newer = &scans[region];
	older = &scans[!region];
	scan_region(z, region, false, newer);
	if (newer->end && older->header && older->generation < newer->generation)
		return;
	scan_region(z, !region, false, older);
}

/* Sets @best to the region to read, or to -1 if none has a commit, so that the origin is new. */
static int choose_region(struct dmsf_zoned *z, const struct region_scan *scans, int *best,
			 struct ssdc_error *error)
{
	int r = check_regions(z, scans, error);

	if (r)
		return r;
	*best = -1;
	if (!scans[0].header && !scans[1].header)
		return check_no_header(z, scans, error);
	r = check_damage(z, scans, error);
	if (r)
		return r;
	if (scans[0].end || scans[1].end)
		*best = scans[1].end &&
			(!scans[0].end || scans[1].generation > scans[0].generation);
	/* The region that could be ignored is needed after all, as the newer one has no commit. */
	r = scans[0].error ? scans[0].error : scans[1].error;
	if (r && (*best < 0 || scans[*best].error))
		return refuse_log(r, error);
	return *best < 0 ? check_no_commit(z, scans, error) : 0;
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
 * Return: 0 or -errno. -EUCLEAN: the data on the origin cannot be the work of a crash.
 */
int dmsf_log_recover(struct dmsf_zoned *z, struct ssdc_error *error)
{
	struct region_scan scans[2];
	int best, r;

	scan_regions(z, scans);
	r = choose_region(z, scans, &best, error);
	if (r)
		return r;
	z->log.region = best > 0;
	z->log.generation = max(scans[0].generation, scans[1].generation);
	/* A new origin, or a crash before the very first commit: nothing was acknowledged. */
	return best < 0 ? 0 : replay(z, best, &scans[best], error);
}

/**
 * dmsf_log_check_ours() - is this target still the last target that started a region?
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
