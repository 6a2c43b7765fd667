// SPDX-License-Identifier: GPL-2.0
/*
 * The map of an ssdflash on its zoned origin.
 *
 * Two regions of zones take turns. A region begins with a checkpoint of the whole map,
 * and goes on with what changed since:
 *
 *	header, map, map ... map, log, log+commit, log+commit ...
 *
 * A commit makes durable what was written before it: it waits for the data of its
 * entries, then writes these, with a flush before them and FUA. Entries are in the order in
 * which the map changed, so that the last one for a page is true. While a commit is
 * under way further changes belong to the next epoch.
 *
 * The map is read for a checkpoint while it changes. All that changes until the
 * checkpoint is written is in the commit that follows it, and only with that the region
 * counts. What lies behind the last commit of a region is not looked at: recovery begins
 * the other region. Its header is durable before anything else: so the first one of all,
 * if a crash has left a part of it, is alone on the origin.
 *
 * A block is erased only when a commit has said that its pages are elsewhere. So what
 * the last commit says is true after a crash, whatever came after.
 *
 * zoned-recovery.c reads it all back.
 */
#include <linux/crc32.h>
#include <linux/slab.h>

#include "../../common/origin.h"
#include "log.h"

#define DM_MSG_PREFIX "ssdflash"

/* Entries of host writes and discards in one epoch. */
#define HOST_ENTRIES	8192

static u64 blocks_of_map(u64 lpns)
{
	return div_u64(lpns + MAP_PER_BLOCK - 1, MAP_PER_BLOCK);
}

static u64 epoch_entries(u64 planes, u64 pages)
{
	return HOST_ENTRIES + planes * pages;
}

static u64 blocks_of_entries(u64 entries)
{
	return div_u64(entries, ENTRIES_PER_BLOCK) + 1;
}

/**
 * ssdf_zoned_region_zones() - zones that each region of the log needs
 * @params: with the number of blocks set
 * @capacity_sectors: of a zone
 *
 * A checkpoint, as much again of log, and the largest commits.
 */
u32 ssdf_zoned_region_zones(const struct ssdf_params *params, u64 capacity_sectors)
{
	u64 lpns = div_u64(ssdf_capacity_sectors(params), params->page_bytes >> SECTOR_SHIFT);
	u64 planes = (u64)params->channels * params->chips * params->dies * params->planes;
	u64 blocks = 1 + 2 * blocks_of_map(lpns) +
		     4 * blocks_of_entries(epoch_entries(planes, params->pages));
	u64 per_zone = zone_blocks(capacity_sectors);

	return per_zone ? div64_u64(blocks + per_zone - 1, per_zone) : U32_MAX;
}

/* What has changed. Caller holds the target's lock. */

/**
 * ssdf_zoned_log_want() - commit soon
 * @z: medium
 *
 * Context: the target's lock.
 */
void ssdf_zoned_log_want(struct ssdf_zoned *z)
{
	lockdep_assert_held(&z->target->lock);
	z->log.wanted = true;
	queue_work(z->commit_wq, &z->commit_work);
}

/* Discarded pages one after the other make one entry. */
static bool extend(struct zoned_entry *last, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	if (ppn != SSDF_TRIMMED || last->ppn != ssdf_ppn_nr(SSDF_TRIMMED) ||
	    last->lpn + last->nr != ssdf_lpn_nr(lpn))
		return false;
	last->nr++;
	return true;
}

/**
 * ssdf_zoned_log_add() - the map has changed
 * @z: medium
 * @lpn: page
 * @ppn: its place now
 * @data: which will be written; ssdf_zoned_log_landed() is to follow
 *
 * The host has to wait while there are too many changes. Room for those of GC is
 * always left: in one epoch it moves at most a block of each plane, because its erase
 * needs a commit.
 *
 * Context: the target's lock.
 * Return: the epoch that the change belongs to.
 */
u8 ssdf_zoned_log_add(struct ssdf_zoned *z, ssdf_lpn_t lpn, ssdf_ppn_t ppn, bool data)
{
	struct zoned_log *log = &z->log;
	u8 epoch = log->current_epoch;
	struct zoned_entry *entries = log->entries[epoch];
	u32 nr = log->nr[epoch];

	lockdep_assert_held(&z->target->lock);
	log->inflight[epoch] += data;
	if (nr && extend(&entries[nr - 1], lpn, ppn))
		return epoch;
	if (WARN_ON_ONCE(nr == log->capacity)) {
		ssdf_zoned_fail(z, "log of changes", -ENOSPC);
		return epoch;
	}
	entries[nr].lpn = ssdf_lpn_nr(lpn);
	entries[nr].ppn = ssdf_ppn_nr(ppn);
	entries[nr].nr = 1;
	log->nr[epoch] = nr + 1;
	if (nr >= log->host_entries / 2)
		ssdf_zoned_log_want(z);
	if (nr >= log->host_entries - 1)
		ssdf_media_hold(z->target->device, true, 0);
	return epoch;
}

/**
 * ssdf_zoned_log_landed() - data are in their zone, or never will be
 * @z: medium
 * @epoch: by ssdf_zoned_log_add()
 *
 * Context: the target's lock.
 */
void ssdf_zoned_log_landed(struct ssdf_zoned *z, u8 epoch)
{
	lockdep_assert_held(&z->target->lock);
	if (!--z->log.inflight[epoch])
		wake_up(&z->log.landed);
}

/* Blocks of the log. */

/* CRC of a block, as it has to be in it. */
u32 ssdf_zoned_block_crc(struct log_block *block)
{
	__le32 crc = block->crc;
	u32 result;

	block->crc = 0;
	result = crc32_le(~0, (u8 *)block, ZONED_LOG_BLOCK);
	block->crc = crc;
	return result;
}

/* Where block @number of a region is, on the origin. */
u64 ssdf_zoned_log_sector(const struct ssdf_zoned *z, u32 region, u64 number)
{
	const struct zoned_layout *l = &z->layout;
	u64 in_zone, zone = div64_u64_rem(number, zone_blocks(l->capacity_sectors), &in_zone);

	return (l->first + region * l->region_zones + zone) * l->zone_sectors +
		in_zone * ZONED_LOG_SECTORS;
}

/* Blocks from @number on that lie in its zone. */
u32 ssdf_zoned_blocks_here(const struct ssdf_zoned *z, u64 number, u32 nr)
{
	u64 in_zone, per_zone = zone_blocks(z->layout.capacity_sectors);

	div64_u64_rem(number, per_zone, &in_zone);
	return min_t(u64, nr, per_zone - in_zone);
}

static struct log_block *begin_block(struct ssdf_zoned *z, u32 at, enum log_type type)
{
	struct log_block *block = block_at(z, at);

	memset(block, 0, sizeof(*block));
	block->magic = cpu_to_le64(MAGIC);
	block->type = cpu_to_le32(type);
	block->generation = cpu_to_le64(z->log.generation);
	block->number = cpu_to_le64(z->log.next_block + at);
	return block;
}

/* Write the first blocks of the buffer; @flags are for the last of them. */
static int write_blocks(struct ssdf_zoned *z, u32 nr, blk_opf_t flags)
{
	struct zoned_log *log = &z->log;
	u32 done, here;
	int r = 0;

	for (done = 0; done < nr; done++)
		block_at(z, done)->crc = cpu_to_le32(ssdf_zoned_block_crc(block_at(z, done)));
	for (done = 0; !r && done < nr; done += here) {
		here = ssdf_zoned_blocks_here(z, log->next_block, nr - done);
		r = ssdf_zoned_io(z, REQ_OP_WRITE | (done + here == nr ? flags : 0),
				  ssdf_zoned_log_sector(z, log->region, log->next_block),
				  block_at(z, done), here * ZONED_LOG_BLOCK);
		log->next_block += here;
	}
	return r;
}

static int write_header(struct ssdf_zoned *z)
{
	struct log_block *block = begin_block(z, 0, LOG_HEADER);
	struct log_geometry *geometry = (void *)block->payload;

	geometry->version = cpu_to_le32(VERSION);
	geometry->page_bytes = cpu_to_le32(z->page_bytes);
	geometry->pages = cpu_to_le32(z->pages);
	geometry->blocks = cpu_to_le32(z->blocks);
	geometry->planes = cpu_to_le32(z->nr_planes);
	geometry->lpns = cpu_to_le32(ssdf_nr_lpns(z->target->device));
	return write_blocks(z, 1, REQ_FUA);
}

static void fill_map_block(struct ssdf_zoned *z, u32 at, u32 first)
{
	struct ssdf_device *device = z->target->device;
	struct log_block *block = begin_block(z, at, LOG_MAP);
	__le32 *places = (void *)block->payload;
	u32 i, nr = min_t(u32, MAP_PER_BLOCK, ssdf_nr_lpns(device) - first);

	block->first = cpu_to_le32(first);
	block->nr = cpu_to_le32(nr);
	spin_lock_bh(&z->target->lock);
	for (i = 0; i < nr; i++)
		places[i] = cpu_to_le32(ssdf_ppn_nr(ssdf_map_get(device, ssdf_lpn(first + i))));
	spin_unlock_bh(&z->target->lock);
}

static int write_map(struct ssdf_zoned *z)
{
	u64 done;
	u32 nr, i;
	int r = 0;

	for (done = 0; !r && done < z->log.map_blocks; done += nr) {
		nr = min_t(u64, BATCH, z->log.map_blocks - done);
		for (i = 0; i < nr; i++)
			fill_map_block(z, i, (done + i) * MAP_PER_BLOCK);
		r = write_blocks(z, nr, 0);
	}
	return r;
}

static int reset_region(struct ssdf_zoned *z, u32 region)
{
	const struct zoned_layout *l = &z->layout;
	u32 i;
	int r = 0;

	for (i = 0; !r && i < l->region_zones; i++)
		r = ssdf_zoned_io(z, REQ_OP_ZONE_RESET,
				  (l->first + region * l->region_zones + i) * l->zone_sectors,
				  NULL, 0);
	return r;
}

/* Begin the other region. It counts from its first commit on. */
static int checkpoint(struct ssdf_zoned *z)
{
	struct zoned_log *log = &z->log;
	int r;

	r = reset_region(z, !log->region);
	if (r)
		return r;
	log->region = !log->region;
	log->generation++;
	log->next_block = 0;
	r = write_header(z);
	return r ? r : write_map(z);
}

static void fill_entries(struct log_block *block, const struct zoned_entry *entries, u32 nr)
{
	struct log_entry *to = (void *)block->payload;
	u32 i;

	block->nr = cpu_to_le32(nr);
	for (i = 0; i < nr; i++) {
		to[i].lpn = cpu_to_le32(entries[i].lpn);
		to[i].ppn = cpu_to_le32(entries[i].ppn);
		to[i].nr = cpu_to_le32(entries[i].nr);
	}
}

/* The last block, with or without entries, is the commit. */
static int write_entries(struct ssdf_zoned *z, const struct zoned_entry *entries, u32 nr)
{
	u32 at = 0, here;
	bool last;
	int r;

	do {
		here = min_t(u32, nr, ENTRIES_PER_BLOCK);
		last = here == nr;
		fill_entries(begin_block(z, at, last ? LOG_COMMIT : LOG_ENTRIES), entries, here);
		entries += here;
		nr -= here;
		if (++at < BATCH && !last)
			continue;
		r = write_blocks(z, at, last ? REQ_PREFLUSH | REQ_FUA : 0);
		if (r)
			return r;
		at = 0;
	} while (!last);
	return 0;
}

/* Commits. */

static bool has_room(const struct zoned_log *log)
{
	return log->next_block + blocks_of_entries(log->capacity) <= log->region_blocks;
}

/* Later changes belong to the other epoch. Caller holds the target's lock. */
static u8 end_epoch(struct ssdf_zoned *z, u64 now_ns)
{
	u8 epoch = z->log.current_epoch;

	lockdep_assert_held(&z->target->lock);
	z->log.current_epoch = !epoch;
	ssdf_media_hold(z->target->device, false, now_ns);
	return epoch;
}

static int write_epoch(struct ssdf_zoned *z, u8 epoch, bool needed)
{
	struct zoned_log *log = &z->log;

	/* No more is added to this epoch. The worker wakes us when the last of it has landed. */
	wait_event(log->landed, !READ_ONCE(log->inflight[epoch]));
	/* What failed has set it before it was counted as landed: xchg() in ssdf_zoned_fail(). */
	smp_rmb();
	if (READ_ONCE(z->failed))
		return -EIO;
	return needed || log->nr[epoch] ? write_entries(z, log->entries[epoch], log->nr[epoch]) : 0;
}

/* Returns false if nobody wants a commit. */
static bool commit(struct ssdf_zoned *z)
{
	struct ssdf_target *f = z->target;
	struct zoned_log *log = &z->log;
	struct ssdf_request *rq, *next;
	LIST_HEAD(flushes);
	LIST_HEAD(erases);
	bool wanted, full = !has_room(log);
	u8 epoch;
	u64 now_ns;
	int r = 0;

	spin_lock_bh(&f->lock);
	wanted = log->wanted;
	log->wanted = false;
	spin_unlock_bh(&f->lock);
	if (!wanted)
		return false;
	if (full && !READ_ONCE(z->failed))
		r = checkpoint(z);

	now_ns = ssdf_enter(f);
	list_splice_init(&log->flushes, &flushes);
	list_splice_init(&log->erases, &erases);
	epoch = end_epoch(z, now_ns);
	ssdf_leave(f);

	if (!r)
		r = write_epoch(z, epoch, full);
	if (r)
		ssdf_zoned_fail(z, "write to the log", r);

	now_ns = ssdf_enter(f);
	log->nr[epoch] = 0;
	list_for_each_entry_safe(rq, next, &flushes, node)
		ssdf_media_flushed(f->device, rq, !r, now_ns);
	ssdf_zoned_erase_now(z, &erases);
	ssdf_leave(f);
	return true;
}

static void commit_work(struct work_struct *work)
{
	struct ssdf_zoned *z = container_of(work, struct ssdf_zoned, commit_work);

	while (commit(z))
		;
}

/**
 * ssdf_zoned_log_sync() - commit, and wait for it
 * @z: medium, of which nothing more is asked
 *
 * Context: may sleep.
 */
void ssdf_zoned_log_sync(struct ssdf_zoned *z)
{
	spin_lock_bh(&z->target->lock);
	ssdf_zoned_log_want(z);
	spin_unlock_bh(&z->target->lock);
	flush_work(&z->commit_work);
}

/**
 * ssdf_zoned_log_begin() - write a checkpoint, and a commit
 * @z: medium whose map was read
 *
 * Context: may sleep. The medium has failed if that fails.
 */
void ssdf_zoned_log_begin(struct ssdf_zoned *z)
{
	z->log.next_block = z->log.region_blocks;
	ssdf_zoned_log_sync(z);
}

/**
 * ssdf_zoned_log_create() - prepare
 * @z: medium, whose workqueue is there
 * @error: says what failed
 *
 * Return: 0, or -errno: call ssdf_zoned_log_destroy() even so.
 */
int ssdf_zoned_log_create(struct ssdf_zoned *z, struct ssdc_error *error)
{
	struct zoned_log *log = &z->log;
	u32 i;

	INIT_LIST_HEAD(&log->flushes);
	INIT_LIST_HEAD(&log->erases);
	init_waitqueue_head(&log->landed);
	INIT_WORK(&z->commit_work, commit_work);
	log->host_entries = HOST_ENTRIES;
	log->capacity = epoch_entries(z->nr_planes, z->pages);
	log->map_blocks = blocks_of_map(ssdf_nr_lpns(z->target->device));
	log->region_blocks = z->layout.region_zones * zone_blocks(z->layout.capacity_sectors);
	log->buffer = alloc_pages_exact(BATCH * ZONED_LOG_BLOCK, GFP_KERNEL);
	for (i = 0; i < 2; i++)
		log->entries[i] = kvcalloc(log->capacity, sizeof(*log->entries[i]), GFP_KERNEL);
	if (log->buffer && log->entries[0] && log->entries[1])
		return 0;
	scnprintf(error->text, sizeof(error->text), "no memory for a log of %u changes",
		  2 * log->capacity);
	return -ENOMEM;
}

void ssdf_zoned_log_destroy(struct ssdf_zoned *z)
{
	u32 i;

	if (z->log.buffer)
		free_pages_exact(z->log.buffer, BATCH * ZONED_LOG_BLOCK);
	for (i = 0; i < 2; i++)
		kvfree(z->log.entries[i]);
}
