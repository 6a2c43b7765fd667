// SPDX-License-Identifier: GPL-2.0
/*
 * The map of ssdflash on its zoned origin.
 *
 * Two regions of zones take turns. A region starts with a checkpoint of the whole map,
 * followed by a log of changes:
 *
 *	header, map, map ... map, log, log, commit, commit, log, commit ...
 *
 * A commit makes all earlier writes durable: it waits for the data of its entries, then
 * writes the entries, the last block of them alone with a preflush and FUA. Entries are in the
 * order of the changes, so the last entry for a page is valid. Changes during a commit belong to
 * the next epoch.
 *
 * A checkpoint copies the map while it changes. The commit that follows the checkpoint contains all
 * changes made meanwhile, and only that commit makes the region valid. Recovery applies nothing
 * after the last commit of a region, and starts the other region. But it looks after that commit
 * for signs that a later commit is missing: check_damage() in recovery.c lists what a crash can
 * leave after each of these steps. The header of a region is durable before anything else is
 * written, so if a crash tears the very first header, nothing else is on the origin. (If two starts
 * of a new origin are cut short, and the map has several zones, the map of the first start is
 * refused as foreign data. In that case, nothing has been acknowledged.)
 *
 * A block is erased only after a commit has recorded that its pages are stored elsewhere,
 * so the last commit is valid after a crash, whatever was written later.
 *
 * All moves of a block become durable at once. The pages that GC has moved out of a block enter the
 * log when the block is empty and is to be erased. Until then, commits leave these moves out, and a
 * checkpoint names the old places. So a crash leaves a plane the blocks that GC needs:
 *
 *	In each plane, the last commit names no page of at least one block.
 *
 * Only a commit can change that. The host opens a block only if enough free blocks remain, and a
 * free block has no named page. GC may open the last free block for pages of its victim; one block
 * is enough for a victim. If a commit comes before the last of these pages has moved, it names none
 * of the pages in that block. If the commit comes later, it names no page of the victim, and the
 * erase of the victim makes a free block. A start erases blocks without named pages first, which
 * takes no free page. What a crash does to the zones, whether it tears pages or fills zones, does
 * not matter. But a zone that turns read-only or offline may be that block; the reserve of GC makes
 * up for one of them.
 *
 * A page whose data cannot be read when they have to be moved or completed is lost. The log
 * records that in place of the page's new location, so reads of the page fail after a crash, too.
 */
#include <linux/crc32.h>
#include <linux/slab.h>

#include "../../../base/alloc.h"
#include "../../common/origin.h"
#include "log.h"

#define DM_MSG_PREFIX "ssdflash"

/* Entries per epoch for host writes and discards. */
#define HOST_ENTRIES	8192

/* Places of moved pages that are logged per lock hold. */
#define PLACES_PER_LOCK	256

#define BUFFER_BYTES	(DMSF_LOG_BATCH * DMSF_LOG_BLOCK_BYTES)

static u64 blocks_of_map(u64 lpns)
{
	return div_u64(lpns + DMSF_LOG_MAP_PER_BLOCK - 1, DMSF_LOG_MAP_PER_BLOCK);
}

static u64 epoch_entries(u64 planes, u64 pages)
{
	return HOST_ENTRIES + planes * pages;
}

static u64 blocks_of_entries(u64 entries)
{
	return div_u64(entries, DMSF_LOG_ENTRIES_PER_BLOCK) + 1;
}

/**
 * dmsf_log_region_zones() - zones that each region of the log needs
 * @params: with the number of blocks set
 * @capacity_sectors: of a zone
 *
 * A region has room for a checkpoint, for a log of the same size, and for the largest commits.
 */
u32 dmsf_log_region_zones(const struct ssdf_params *params, u64 capacity_sectors)
{
	u64 lpns = div_u64(ssdf_capacity_sectors(params), params->page_bytes >> SECTOR_SHIFT);
	u64 planes = (u64)params->channels * params->chips * params->dies * params->planes;
	u64 blocks = 1 + 2 * blocks_of_map(lpns) +
		     4 * blocks_of_entries(epoch_entries(planes, params->pages));
	u64 per_zone = dmsf_zone_blocks(capacity_sectors);

	return per_zone ? div64_u64(blocks + per_zone - 1, per_zone) : U32_MAX;
}

/* Changes of the map. Caller holds the target's lock. */

/**
 * dmsf_log_want() - request a commit
 * @z: medium
 *
 * Context: the target's lock.
 */
void dmsf_log_want(struct dmsf_zoned *z)
{
	lockdep_assert_held(&z->target->lock);
	z->log.wanted = true;
	queue_work(z->commit_wq, &z->commit_work);
}

/**
 * dmsf_log_note_loss() - the medium has failed: changes that are not in the log are lost
 * @z: medium
 *
 * Call this function before the model is told of the failure. From then on FLUSHes fail, and report
 * the loss.
 *
 * Context: the target's lock.
 */
void dmsf_log_note_loss(struct dmsf_zoned *z)
{
	lockdep_assert_held(&z->target->lock);
	if (!ssdf_is_failed(z->target->device) && (z->log.nr[0] || z->log.nr[1]))
		atomic_set(&z->target->unreported, 1);
}

/* Consecutive discarded pages share an entry. */
static bool extend(struct dmsf_change *last, ssdf_lpn_t lpn, ssdf_ppn_t ppn)
{
	if (ppn != SSDF_TRIMMED || last->ppn != ssdf_ppn_nr(SSDF_TRIMMED) ||
	    last->lpn + last->nr != ssdf_lpn_nr(lpn))
		return false;
	last->nr++;
	return true;
}

/**
 * dmsf_log_add() - log a change of the map
 * @z: medium
 * @lpn: logical page
 * @ppn: its new physical page
 * @data: the change comes with data; call dmsf_log_landed() when they are written. Result:
 *	index for dmsf_log_lose(). NULL: no data
 *
 * Holds the host when an epoch has too many changes. Room for GC always remains: GC empties
 * at most one block per plane and epoch, because each erase needs a commit.
 *
 * Context: the target's lock.
 * Return: the epoch of the change.
 */
u8 dmsf_log_add(struct dmsf_zoned *z, ssdf_lpn_t lpn, ssdf_ppn_t ppn, u32 *data)
{
	struct dmsf_log *log = &z->log;
	u8 epoch = log->current_epoch;
	struct dmsf_change *entries = log->entries[epoch];
	u32 nr = log->nr[epoch];

	lockdep_assert_held(&z->target->lock);
	if (data) {
		log->inflight[epoch]++;
		*data = nr;
	}
	if (nr && extend(&entries[nr - 1], lpn, ppn))
		return epoch;
	if (WARN_ON_ONCE(nr == log->capacity)) {
		dmsf_zoned_fail(z, "log of changes", -ENOSPC);
		return epoch;
	}
	entries[nr].lpn = ssdf_lpn_nr(lpn);
	entries[nr].ppn = ssdf_ppn_nr(ppn);
	entries[nr].nr = 1;
	log->nr[epoch] = nr + 1;
	if (nr >= log->host_entries / 2)
		dmsf_log_want(z);
	if (nr >= log->host_entries - 1)
		ssdf_media_hold(z->target->device, true, 0);
	return epoch;
}

static struct dmsf_move *moves_of(struct dmsf_zoned *z, u32 plane)
{
	return &z->log.moves[(size_t)plane * z->pages];
}

/* Has the page not been moved, written or discarded again? */
static bool is_current(const struct dmsf_zoned *z, const struct dmsf_move *move)
{
	return ssdf_ppn_nr(ssdf_map_get(z->target->device, ssdf_lpn(move->lpn))) == move->ppn;
}

/**
 * dmsf_log_move() - GC moves a page: log that once its block is to be erased
 * @z: medium
 * @lpn: logical page
 * @ppn: its new physical page
 * @old: its earlier physical page, in the block that GC empties
 *
 * Context: the target's lock.
 */
void dmsf_log_move(struct dmsf_zoned *z, ssdf_lpn_t lpn, ssdf_ppn_t ppn, ssdf_ppn_t old)
{
	u32 plane = dmsf_plane_of(z, ppn), nr = z->log.nr_moves[plane]++;

	lockdep_assert_held(&z->target->lock);
	moves_of(z, plane)[nr] = (struct dmsf_move) {
		.lpn = ssdf_lpn_nr(lpn), .ppn = ssdf_ppn_nr(ppn), .old = ssdf_ppn_nr(old),
	};
}

/* Log the new or the old places of the pages that GC has moved in the plane so far. */
static void log_places(struct dmsf_zoned *z, u32 plane, bool old)
{
	const struct dmsf_move *move = moves_of(z, plane);
	u32 i, nr;

	spin_lock_bh(&z->target->lock);
	nr = z->log.nr_moves[plane];
	for (i = 0; i < nr; i++, move++) {
		if (is_current(z, move))
			dmsf_log_add(z, ssdf_lpn(move->lpn), ssdf_ppn(old ? move->old : move->ppn),
				     NULL);
		if (i % PLACES_PER_LOCK < PLACES_PER_LOCK - 1)
			continue;
		spin_unlock_bh(&z->target->lock);
		cond_resched();
		spin_lock_bh(&z->target->lock);
	}
	spin_unlock_bh(&z->target->lock);
}

/* These blocks are empty, and all moved pages are in their zones: log the pages' places. */
static void log_moved(struct dmsf_zoned *z, const struct list_head *erases)
{
	const struct dmsf_slot *slot;

	list_for_each_entry(slot, erases, node) {
		log_places(z, dmsf_plane_of(z, slot->ppn), false);
		z->log.nr_moves[dmsf_plane_of(z, slot->ppn)] = 0;
	}
}

/*
 * A checkpoint has copied the map with moves that must not be durable yet: log the old places in
 * the epoch that completes the checkpoint. They take the room of the moves of a whole block, as the
 * epoch has no others of that plane. Moves after the checkpoint do no harm.
 */
static void keep_old_places(struct dmsf_zoned *z)
{
	u32 plane;

	for (plane = 0; plane < z->nr_planes; plane++)
		log_places(z, plane, true);
}

/**
 * dmsf_log_lose() - record that the page of a change is lost, as its data could not be read
 * @z: medium
 * @epoch: by dmsf_log_add()
 * @entry: by dmsf_log_add()
 *
 * Call this function before dmsf_log_landed(): until then the change is in memory only.
 *
 * Context: the target's lock.
 */
void dmsf_log_lose(struct dmsf_zoned *z, u8 epoch, u32 entry)
{
	lockdep_assert_held(&z->target->lock);
	/* Without room in the log the device has failed. */
	if (entry < z->log.nr[epoch])
		z->log.entries[epoch][entry].ppn = ssdf_ppn_nr(SSDF_LOST);
}

/**
 * dmsf_log_landed() - the data of a change are in their zone, or their write failed
 * @z: medium
 * @epoch: by dmsf_log_add()
 *
 * Context: the target's lock.
 */
void dmsf_log_landed(struct dmsf_zoned *z, u8 epoch)
{
	lockdep_assert_held(&z->target->lock);
	if (!--z->log.inflight[epoch])
		wake_up(&z->log.landed);
}

/* Blocks of the log. */

/* The CRC that a block must contain. */
u32 dmsf_log_block_crc(struct dmsf_log_block *block)
{
	__le32 crc = block->crc;
	u32 result;

	block->crc = 0;
	result = crc32_le(~0, (u8 *)block, DMSF_LOG_BLOCK_BYTES);
	block->crc = crc;
	return result;
}

/* The sector of the origin that holds block @number of a region. */
u64 dmsf_log_sector(const struct dmsf_zoned *z, u32 region, u64 number)
{
	const struct dmsf_layout *l = &z->layout;
	u64 in_zone, zone = div64_u64_rem(number, dmsf_zone_blocks(l->capacity_sectors), &in_zone);

	return (l->first + region * l->region_zones + zone) * l->zone_sectors +
		in_zone * DMSF_LOG_BLOCK_SECTORS;
}

/* How many of @nr blocks from @number on are in the same zone. */
u32 dmsf_log_blocks_here(const struct dmsf_zoned *z, u64 number, u32 nr)
{
	u64 in_zone, per_zone = dmsf_zone_blocks(z->layout.capacity_sectors);

	div64_u64_rem(number, per_zone, &in_zone);
	return min_t(u64, nr, per_zone - in_zone);
}

static struct dmsf_log_block *begin_block(struct dmsf_zoned *z, u32 at, enum dmsf_log_type type)
{
	struct dmsf_log_block *block = dmsf_log_block_at(z, at);

	memset(block, 0, sizeof(*block));
	block->magic = cpu_to_le64(DMSF_LOG_MAGIC);
	block->type = cpu_to_le32(type);
	block->generation = cpu_to_le64(z->log.generation);
	block->number = cpu_to_le64(z->log.next_block + at);
	return block;
}

static void set_crc(struct dmsf_log_block *block)
{
	block->crc = cpu_to_le32(dmsf_log_block_crc(block));
}

/* Write the first @nr blocks of the buffer; @flags apply to the last bio. */
static int write_blocks(struct dmsf_zoned *z, u32 nr, blk_opf_t flags)
{
	struct dmsf_log *log = &z->log;
	u32 done, here;
	int r = 0;

	for (done = 0; done < nr; done++)
		set_crc(dmsf_log_block_at(z, done));
	for (done = 0; !r && done < nr; done += here) {
		here = dmsf_log_blocks_here(z, log->next_block, nr - done);
		r = dmsf_zone_io(z, REQ_OP_WRITE | (done + here == nr ? flags : 0),
				 dmsf_log_sector(z, log->region, log->next_block),
				 dmsf_log_block_at(z, done), here * DMSF_LOG_BLOCK_BYTES);
		log->next_block += here;
	}
	return r;
}

static int write_header(struct dmsf_zoned *z)
{
	struct dmsf_log_block *block = begin_block(z, 0, DMSF_LOG_HEADER);
	struct dmsf_log_geometry *geometry = (void *)block->payload;

	geometry->version = cpu_to_le32(DMSF_LOG_VERSION);
	geometry->page_bytes = cpu_to_le32(z->page_bytes);
	geometry->pages = cpu_to_le32(z->pages);
	geometry->blocks = cpu_to_le32(z->blocks);
	geometry->planes = cpu_to_le32(z->nr_planes);
	geometry->lpns = cpu_to_le32(ssdf_nr_lpns(z->target->device));
	return write_blocks(z, 1, REQ_FUA);
}

static void fill_map_block(struct dmsf_zoned *z, u32 at, u32 first)
{
	struct ssdf_device *device = z->target->device;
	struct dmsf_log_block *block = begin_block(z, at, DMSF_LOG_MAP);
	__le32 *places = (void *)block->payload;
	u32 i, nr = min_t(u32, DMSF_LOG_MAP_PER_BLOCK, ssdf_nr_lpns(device) - first);

	block->first = cpu_to_le32(first);
	block->nr = cpu_to_le32(nr);
	spin_lock_bh(&z->target->lock);
	for (i = 0; i < nr; i++)
		places[i] = cpu_to_le32(ssdf_ppn_nr(ssdf_map_get(device, ssdf_lpn(first + i))));
	spin_unlock_bh(&z->target->lock);
}

static int write_map(struct dmsf_zoned *z)
{
	u64 done;
	u32 nr, i;
	int r = 0;

	for (done = 0; !r && done < z->log.map_blocks; done += nr) {
		nr = min_t(u64, DMSF_LOG_BATCH, z->log.map_blocks - done);
		for (i = 0; i < nr; i++)
			fill_map_block(z, i, (done + i) * DMSF_LOG_MAP_PER_BLOCK);
		r = write_blocks(z, nr, 0);
	}
	return r;
}

static int reset_region(struct dmsf_zoned *z, u32 region)
{
	const struct dmsf_layout *l = &z->layout;
	u32 i;
	int r = 0;

	for (i = 0; !r && i < l->region_zones; i++)
		r = dmsf_zone_io(z, REQ_OP_ZONE_RESET,
				 (l->first + region * l->region_zones + i) * l->zone_sectors,
				 NULL, 0);
	return r;
}

/* Start the other region. It becomes valid with its first commit. */
static int checkpoint(struct dmsf_zoned *z)
{
	struct dmsf_log *log = &z->log;
	int r;

	/* The next start would refuse a higher generation. */
	if (log->generation >= DMSF_LOG_MAX_GENERATION)
		return -EOVERFLOW;
	r = reset_region(z, !log->region);
	if (r)
		return r;
	log->region = !log->region;
	log->generation++;
	log->next_block = 0;
	r = write_header(z);
	if (r)
		return r;
	log->started = log->generation;
	return write_map(z);
}

static void fill_entries(struct dmsf_log_block *block, const struct dmsf_change *entries, u32 nr)
{
	struct dmsf_log_entry *to = (void *)block->payload;
	u32 i;

	block->nr = cpu_to_le32(nr);
	for (i = 0; i < nr; i++) {
		to[i].lpn = cpu_to_le32(entries[i].lpn);
		to[i].ppn = cpu_to_le32(entries[i].ppn);
		to[i].nr = cpu_to_le32(entries[i].nr);
	}
}

/*
 * The last block, with or without entries, is the commit. It is written alone, because a crash may
 * tear a write anywhere, and the presence of the commit must prove that all blocks before it were
 * durable.
 */
static int write_entries(struct dmsf_zoned *z, const struct dmsf_change *entries, u32 nr)
{
	struct dmsf_log_block *block;
	u32 at = 0;
	int r;

	while (nr > DMSF_LOG_ENTRIES_PER_BLOCK) {
		block = begin_block(z, at++, DMSF_LOG_ENTRIES);
		fill_entries(block, entries, DMSF_LOG_ENTRIES_PER_BLOCK);
		entries += DMSF_LOG_ENTRIES_PER_BLOCK;
		nr -= DMSF_LOG_ENTRIES_PER_BLOCK;
		if (at < DMSF_LOG_BATCH && nr > DMSF_LOG_ENTRIES_PER_BLOCK)
			continue;
		r = write_blocks(z, at, 0);
		if (r)
			return r;
		at = 0;
	}
	/* Not part of the next write: an origin that is a mapped device forgets such errors. */
	r = dmsf_zone_io(z, REQ_OP_WRITE | REQ_PREFLUSH, 0, NULL, 0);
	if (r)
		return r;
	block = begin_block(z, 0, DMSF_LOG_COMMIT);
	block->alone = cpu_to_le32(1);
	fill_entries(block, entries, nr);
	return write_blocks(z, 1, REQ_FUA);
}

/* Commits. */

static bool has_room(const struct dmsf_log *log)
{
	return log->next_block + log->epoch_blocks <= log->region_blocks;
}

/* Send later changes to the other epoch. Caller holds the target's lock. */
static u8 end_epoch(struct dmsf_zoned *z, u64 now_ns)
{
	u8 epoch = z->log.current_epoch;

	lockdep_assert_held(&z->target->lock);
	z->log.current_epoch = !epoch;
	ssdf_media_hold(z->target->device, false, now_ns);
	return epoch;
}

/*
 * Takes the lock, so that the events before the end of the last write are visible: a failure, or a
 * lost page.
 */
static bool has_landed(struct dmsf_zoned *z, u8 epoch)
{
	bool landed;

	spin_lock_bh(&z->target->lock);
	landed = !z->log.inflight[epoch];
	spin_unlock_bh(&z->target->lock);
	return landed;
}

static int write_epoch(struct dmsf_zoned *z, u8 epoch, bool needed)
{
	struct dmsf_log *log = &z->log;

	/* The epoch gets no more changes. The worker wakes us when its last data have landed. */
	wait_event(log->landed, has_landed(z, epoch));
	if (READ_ONCE(z->failed))
		return -EIO;
	return needed || log->nr[epoch] ? write_entries(z, log->entries[epoch], log->nr[epoch]) : 0;
}

/* Pass these erases to the worker: the log allows them, or has failed and never will. */
static void erase_now(struct dmsf_zoned *z, struct list_head *erases)
{
	lockdep_assert_held(&z->target->lock);
	list_splice_tail_init(erases, &z->todo);
	queue_work(z->wq, &z->work);
}

/* Returns false if no commit was requested. */
static bool commit(struct dmsf_zoned *z)
{
	struct dmsf_target *f = z->target;
	struct dmsf_log *log = &z->log;
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

	/* Only this function ends an epoch, so all these places are in one. */
	spin_lock_bh(&f->lock);
	list_splice_init(&log->erases, &erases);
	spin_unlock_bh(&f->lock);
	log_moved(z, &erases);
	if (full)
		keep_old_places(z);

	now_ns = dmsf_enter(f);
	list_splice_init(&log->flushes, &flushes);
	epoch = end_epoch(z, now_ns);
	dmsf_leave(f);

	if (!r)
		r = write_epoch(z, epoch, full);
	if (r)
		dmsf_zoned_fail(z, "write to the log", r);

	now_ns = dmsf_enter(f);
	if (r)
		dmsf_log_note_loss(z);
	log->nr[epoch] = 0;
	list_for_each_entry_safe(rq, next, &flushes, node)
		ssdf_media_flushed(f->device, rq, !r, now_ns);
	erase_now(z, &erases);
	dmsf_leave(f);
	return true;
}

static void commit_work(struct work_struct *work)
{
	struct dmsf_zoned *z = container_of(work, struct dmsf_zoned, commit_work);

	while (commit(z))
		;
}

/**
 * dmsf_log_sync() - commit, and wait for the commit
 * @z: medium without requests
 *
 * Context: may sleep.
 */
void dmsf_log_sync(struct dmsf_zoned *z)
{
	spin_lock_bh(&z->target->lock);
	dmsf_log_want(z);
	spin_unlock_bh(&z->target->lock);
	flush_work(&z->commit_work);
}

/**
 * dmsf_log_begin() - write a checkpoint and a commit
 * @z: medium whose map was read
 *
 * On an error the medium fails.
 *
 * Context: may sleep.
 */
void dmsf_log_begin(struct dmsf_zoned *z)
{
	z->log.next_block = z->log.region_blocks;
	dmsf_log_sync(z);
}

/**
 * dmsf_log_memory_bytes() - memory that dmsf_log_create() allocates
 * @params: with the number of blocks set
 */
u64 dmsf_log_memory_bytes(const struct ssdf_params *params)
{
	u64 planes = (u64)params->channels * params->chips * params->dies * params->planes;

	return BUFFER_BYTES +
	       2 * epoch_entries(planes, params->pages) * sizeof(struct dmsf_change) +
	       planes * params->pages * sizeof(struct dmsf_move) + planes * sizeof(u32);
}

/**
 * dmsf_log_create() - allocate the log
 * @z: medium with its workqueues
 * @error: reason of a failure
 *
 * Context: may sleep.
 * Return: 0 or -errno; call dmsf_log_destroy() in either case.
 */
int dmsf_log_create(struct dmsf_zoned *z, struct ssdc_error *error)
{
	struct dmsf_log *log = &z->log;
	u32 i;

	INIT_LIST_HEAD(&log->flushes);
	INIT_LIST_HEAD(&log->erases);
	init_waitqueue_head(&log->landed);
	INIT_WORK(&z->commit_work, commit_work);
	log->host_entries = HOST_ENTRIES;
	log->capacity = epoch_entries(z->nr_planes, z->pages);
	log->epoch_blocks = blocks_of_entries(log->capacity);
	log->map_blocks = blocks_of_map(ssdf_nr_lpns(z->target->device));
	log->region_blocks = z->layout.region_zones * dmsf_zone_blocks(z->layout.capacity_sectors);
	log->buffer = alloc_pages_exact(BUFFER_BYTES, SSDC_ALLOC_GFP | __GFP_ZERO);
	log->moves = ssdc_alloc_array((u64)z->nr_planes * z->pages, sizeof(*log->moves));
	log->nr_moves = ssdc_alloc_array(z->nr_planes, sizeof(*log->nr_moves));
	for (i = 0; i < 2; i++)
		log->entries[i] = ssdc_alloc_array(log->capacity, sizeof(*log->entries[i]));
	if (log->buffer && log->entries[0] && log->entries[1] && log->moves && log->nr_moves)
		return 0;
	scnprintf(error->text, sizeof(error->text), "no memory for a log of %u changes",
		  2 * log->capacity);
	return -ENOMEM;
}

void dmsf_log_destroy(struct dmsf_zoned *z)
{
	u32 i;

	if (z->log.buffer)
		free_pages_exact(z->log.buffer, BUFFER_BYTES);
	for (i = 0; i < 2; i++)
		kvfree(z->log.entries[i]);
	kvfree(z->log.moves);
	kvfree(z->log.nr_moves);
}
