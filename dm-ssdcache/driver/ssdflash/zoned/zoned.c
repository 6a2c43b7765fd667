// SPDX-License-Identifier: GPL-2.0
/*
 * Data of ssdflash on a zoned origin.
 *
 * The model requests jobs under its lock; a worker carries them out. Each command of the
 * model has a slot with a preallocated page and bio, so this file allocates nothing
 * while requests run.
 *
 *	read	[ fetch ] -> copy to the host
 *	write	[ fetch or copy what the host does not write ] -> queue of the
 *		stream -> store -> [ finish the zone ]
 *	erase	commit of the log -> wait for readers -> reset
 *
 * A page that is not in its zone yet is read from the slot that holds it, found through
 * `pending`. The slot stays in use until its dependents have copied the data.
 *
 * After the first failure of a write, a reset or the log, nothing more is written, so the
 * log stays true.
 *
 * If a read fails for GC, or for the rest of a partly written page, the page is lost: the map and
 * the log record the loss, reads of the page fail, and the device goes on. The place that was
 * allocated to a partly written page is filled with zeroes, as a zone has no gaps.
 *
 * Every wait ends:
 *
 *	slot for the data of another	data are fetched before anything else, and only from
 *					older slots, so there is no cycle
 *	write for earlier writes	a stream runs when its first write is ready, and when a
 *	of its stream			write has ended
 *	erase for readers		the worker finishes readers first, then erases
 *	erase or FLUSH for a commit,	data reach their zones without an erase, a commit or
 *	commit for the host's data	the model's clock; GC writes to erased blocks only
 *	host for room in the log	the start of a commit makes room, see end_epoch()
 *	worker				waits for the block layer only; commits run on
 *					another workqueue
 *
 * Each list has one consumer; producers queue the work after adding. Each zone has at most one
 * write in flight, so the block layer's own ordering of writes to a zone (plugging or locking)
 * delays nothing.
 */
#include <linux/hash.h>
#include <linux/highmem.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../../../base/alloc.h"
#include "zoned.h"

#define DM_MSG_PREFIX "ssdflash"

#define PENDING_BITS 10

/* Slots reported per lock hold. */
#define PUTS 64

static struct dmsf_slot *slot_at(struct dmsf_zoned *z, u32 nr)
{
	return &z->slots[nr];
}

static u32 slot_nr(const struct dmsf_zoned *z, const struct dmsf_slot *slot)
{
	return slot - z->slots;
}

static struct dmsf_stream *stream_of(struct dmsf_zoned *z, const struct dmsf_slot *slot)
{
	return &z->streams[2 * dmsf_plane_of(z, slot->ppn) + !slot->rq];
}

static struct hlist_head *bucket(struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	return &z->pending[hash_32(ssdf_ppn_nr(ppn), PENDING_BITS)];
}

static struct dmsf_slot *find_pending(struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	struct dmsf_slot *slot;

	hlist_for_each_entry(slot, bucket(z, ppn), pending)
		if (slot->ppn == ppn)
			return slot;
	return NULL;
}

/* The part of the page that the slot's request covers, in bytes. */
static void part_of(const struct dmsf_zoned *z, const struct dmsf_slot *slot, u32 *from,
		    u32 *bytes)
{
	u32 page_sectors = z->page_bytes >> SECTOR_SHIFT;
	u64 start = (u64)ssdf_lpn_nr(slot->lpn) * page_sectors;
	u64 first = max(slot->rq->sector, start);
	u64 end = min(slot->rq->sector + slot->rq->nr_sectors, start + page_sectors);

	*from = (first - start) << SECTOR_SHIFT;
	*bytes = (end - first) << SECTOR_SHIFT;
}

/* Does the slot have the whole page? GC has read the page before, except with copyback. */
static bool has_all(const struct dmsf_zoned *z, const struct dmsf_slot *slot)
{
	u32 from, bytes;

	if (!slot->rq)
		return slot->old == SSDF_UNMAPPED;
	part_of(z, slot, &from, &bytes);
	return bytes == z->page_bytes;
}

/* Operations of the medium: the model calls them under its lock. */

static struct dmsf_slot *new_job(struct dmsf_zoned *z, u32 nr, enum dmsf_job job)
{
	struct dmsf_slot *slot = slot_at(z, nr);

	lockdep_assert_held(&z->target->lock);
	slot->job = job;
	slot->stage = DMSF_NEW;
	slot->source = NULL;
	slot->ok = true;
	slot->unwritten = false;
	WRITE_ONCE(z->busy, z->busy + 1);
	return slot;
}

static void do_job(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	list_add_tail(&slot->node, &z->todo);
	queue_work(z->wq, &z->work);
}

/* Keep the data of @ppn, in a slot or in a zone, until this slot has copied them. */
static void pin(struct dmsf_zoned *z, struct dmsf_slot *slot, ssdf_ppn_t ppn)
{
	if (!ssdf_is_mapped(ppn))
		return;
	slot->source = find_pending(z, ppn);
	if (slot->source)
		ssdf_media_share(z->target->device, slot_nr(z, slot->source));
	else
		z->readers[dmsf_block_of(z, ppn)]++;
}

static void zoned_read(void *media, u32 nr, struct ssdf_request *rq, ssdf_lpn_t lpn,
		       ssdf_ppn_t ppn)
{
	struct dmsf_zoned *z = media;
	struct dmsf_slot *slot = new_job(z, nr, DMSF_READ);

	slot->rq = rq;
	slot->lpn = lpn;
	slot->ppn = ppn;
	pin(z, slot, ppn);
	do_job(z, slot);
}

static void zoned_write(void *media, u32 nr, struct ssdf_request *rq, ssdf_lpn_t lpn,
			ssdf_ppn_t ppn, ssdf_ppn_t old)
{
	struct dmsf_zoned *z = media;
	struct dmsf_slot *slot = new_job(z, nr, DMSF_WRITE);
	/* The slot has read the page that GC moves, except with copyback. */
	ssdf_ppn_t from = old == SSDF_UNMAPPED ? slot->ppn : old;

	slot->rq = rq;
	slot->lpn = lpn;
	slot->ppn = ppn;
	slot->old = old;
	if (!has_all(z, slot))
		pin(z, slot, old);
	hlist_add_head(&slot->pending, bucket(z, ppn));
	if (rq)
		slot->epoch = dmsf_log_add(z, lpn, ppn, &slot->entry);
	else
		dmsf_log_move(z, lpn, ppn, from);
	do_job(z, slot);
}

/* The log must first record that all data of the block are stored elsewhere or discarded. */
static void zoned_erase(void *media, u32 nr, ssdf_ppn_t ppn)
{
	struct dmsf_zoned *z = media;
	struct dmsf_slot *slot = new_job(z, nr, DMSF_ERASE);

	slot->rq = NULL;
	slot->ppn = ppn;
	list_add_tail(&slot->node, &z->log.erases);
	dmsf_log_want(z);
}

static void zoned_trimmed(void *media, ssdf_lpn_t lpn)
{
	dmsf_log_add(media, lpn, SSDF_TRIMMED, NULL);
}

static void zoned_flush(void *media, struct ssdf_request *rq)
{
	struct dmsf_zoned *z = media;

	list_add_tail(&rq->node, &z->log.flushes);
	dmsf_log_want(z);
}

static void zoned_stuck(void *media, u32 plane)
{
	struct dmsf_zoned *z = media;

	DMERR("%s: plane %u has no free block for the pages that garbage collection moves",
	      dm_device_name(dm_table_get_md(z->target->ti->table)), plane);
	dmsf_zoned_fail(z, "garbage collection", -ENOSPC);
}

const struct ssdf_media_ops dmsf_zoned_ops = {
	.read = zoned_read,
	.write = zoned_write,
	.erase = zoned_erase,
	.trimmed = zoned_trimmed,
	.flush = zoned_flush,
	.stuck = zoned_stuck,
};

/* The worker. */

/* Report one user of the slot to the model as done. */
static void put_slot(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	if (!slot->nr_puts++)
		list_add_tail(&slot->puts, &z->puts);
}

/* Caller holds the target's lock. */
static void not_busy(struct dmsf_zoned *z)
{
	lockdep_assert_held(&z->target->lock);
	WRITE_ONCE(z->busy, z->busy - 1);
	if (!z->busy)
		wake_up(&z->idle);
}

/* A job has ended. A failed GC job is not reported; the device has failed anyway. */
static void end_job(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	if (slot->ok || slot->rq)
		put_slot(z, slot);
	spin_lock_bh(&z->target->lock);
	not_busy(z);
	spin_unlock_bh(&z->target->lock);
}

static void bio_ended(struct bio *bio)
{
	struct dmsf_slot *slot = container_of(bio, struct dmsf_slot, bio);
	struct dmsf_zoned *z = bio->bi_private;

	/* Once the slot is on the list, a running worker may end the last job: keep @z. */
	rcu_read_lock();
	llist_add(&slot->ended, &z->ended);
	queue_work(z->wq, &z->work);
	rcu_read_unlock();
}

static void start_bio(struct dmsf_zoned *z, struct dmsf_slot *slot, blk_opf_t opf, u64 sector,
		      u32 from, u32 bytes)
{
	bio_init(&slot->bio, z->bdev, bytes ? &slot->vec : NULL, bytes ? 1 : 0, opf);
	slot->bio.bi_iter.bi_sector = sector;
	slot->bio.bi_end_io = bio_ended;
	slot->bio.bi_private = z;
	if (bytes)
		__bio_add_page(&slot->bio, virt_to_page(slot->data + from), bytes,
			       offset_in_page(slot->data + from));
	submit_bio_noacct(&slot->bio);
}

static void copy_host(struct dmsf_zoned *z, struct dmsf_slot *slot, bool to_host)
{
	struct bio *bio = dmsf_bio_of(slot->rq);
	struct bvec_iter iter = bio->bi_iter, at;
	struct bio_vec vec;
	u32 from, bytes;
	void *data;
	u64 start;

	part_of(z, slot, &from, &bytes);
	start = (u64)ssdf_lpn_nr(slot->lpn) * (z->page_bytes >> SECTOR_SHIFT) +
		(from >> SECTOR_SHIFT);
	bio_advance_iter(bio, &iter, (start - slot->rq->sector) << SECTOR_SHIFT);
	iter.bi_size = bytes;
	data = slot->data + from;
	__bio_for_each_segment(vec, bio, at, iter) {
		if (to_host)
			memcpy_to_bvec(&vec, data);
		else
			memcpy_from_bvec(data, &vec);
		data += vec.bv_len;
	}
}

/* Is the page in its zone? It is not if its write failed. */
static bool is_readable(const struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	return dmsf_page_in_block(z, ppn) < READ_ONCE(z->written[dmsf_block_of(z, ppn)]);
}

static void unpin_block(struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	spin_lock_bh(&z->target->lock);
	z->readers[dmsf_block_of(z, ppn)]--;
	spin_unlock_bh(&z->target->lock);
}

/*
 * Get the data of @ppn into the slot's page. Returns true when they are there or cannot be
 * read; false if they arrive later.
 */
static bool fetch(struct dmsf_zoned *z, struct dmsf_slot *slot, ssdf_ppn_t ppn)
{
	u32 from = 0, bytes = z->page_bytes;

	if (slot->stage == DMSF_FETCH) {
		unpin_block(z, ppn);
		slot->ok = !slot->bio.bi_status;
		return true;
	}
	if (slot->source) {
		if (slot->source->stage < DMSF_READY) {
			list_add_tail(&slot->node, &slot->source->dependents);
			return false;
		}
		slot->ok = slot->source->ok;
		memcpy(slot->data, slot->source->data, z->page_bytes);
		put_slot(z, slot->source);
		return true;
	}
	if (!ssdf_is_mapped(ppn)) {
		memset(slot->data, 0, z->page_bytes);
		slot->ok = ppn != SSDF_LOST;
		return true;
	}
	if (!is_readable(z, ppn)) {
		unpin_block(z, ppn);
		slot->ok = false;
		return true;
	}
	slot->stage = DMSF_FETCH;
	if (slot->job == DMSF_READ && slot->rq)
		part_of(z, slot, &from, &bytes);
	start_bio(z, slot, REQ_OP_READ, dmsf_zone_sector(z, ppn) + (from >> SECTOR_SHIFT), from,
		  bytes);
	return false;
}

static void report_lost(struct dmsf_zoned *z, const struct dmsf_slot *slot)
{
	DMERR_LIMIT("%s: unreadable page at sector %llu: lost until it is written or discarded",
		    dm_device_name(dm_table_get_md(z->target->ti->table)),
		    (u64)ssdf_lpn_nr(slot->lpn) * (z->page_bytes >> SECTOR_SHIFT));
}

/*
 * GC cannot read a page: valid page -> lost page, so that GC goes on without it. A failed
 * device loses nothing, as the block is not erased.
 */
static void lose_read(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	struct dmsf_target *f = z->target;
	bool lost = false;

	spin_lock_bh(&f->lock);
	slot->ok = !READ_ONCE(z->failed);
	if (slot->ok)
		lost = ssdf_media_lost(f->device, slot->lpn, slot->ppn);
	if (lost)
		dmsf_log_add(z, slot->lpn, SSDF_LOST, NULL);
	spin_unlock_bh(&f->lock);
	if (lost)
		report_lost(z, slot);
}

static void do_read(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	if (!fetch(z, slot, slot->ppn))
		return;
	slot->stage = DMSF_READY;
	if (slot->rq && slot->ok)
		copy_host(z, slot, true);
	if (!slot->rq && !slot->ok)
		lose_read(z, slot);
	end_job(z, slot);
}

/*
 * The place of a page is written, but with zeroes, as its data could not be read. Returns true
 * if the page is lost now; false if it was written or discarded meanwhile.
 */
static bool lose_written(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	bool lost;

	lockdep_assert_held(&z->target->lock);
	if (slot->rq)
		dmsf_log_lose(z, slot->epoch, slot->entry);
	lost = ssdf_media_lost(z->target->device, slot->lpn, slot->ppn);
	if (lost && !slot->rq)
		dmsf_log_add(z, slot->lpn, SSDF_LOST, NULL);
	return lost;
}

/*
 * A write of the host failed, so the page is again at its earlier place. Nothing has erased that
 * place: an erase needs a commit, and that commit waits for this write. The earlier place may
 * belong to a write that is not in its zone either. If that write fails later, the page is again at
 * the place before that.
 */
static void take_back(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	struct ssdf_device *device = z->target->device;
	ssdf_ppn_t ppn = ssdf_map_get(device, slot->lpn);
	struct dmsf_slot *later;

	lockdep_assert_held(&z->target->lock);
	if (ppn == slot->ppn) {
		ssdf_media_unwritten(device, slot->lpn, ppn, slot->old);
		return;
	}
	/* Later writes of the page that have not ended: each knows the place before it. */
	while ((later = find_pending(z, ppn)) && later->old != slot->ppn)
		ppn = later->old;
	if (later)
		later->old = slot->old;
}

/*
 * A page is in its zone, or its write failed. A page that GC moves is still current: if its
 * write fails, the slot stays in use and serves all further reads.
 */
static void stored(struct dmsf_zoned *z, struct dmsf_slot *slot, bool ok)
{
	struct dmsf_target *f = z->target;
	bool stays = !ok && !slot->rq, lost = false;

	spin_lock_bh(&f->lock);
	if (!stays)
		hlist_del_init(&slot->pending);
	if (ok && !slot->ok)
		lost = lose_written(z, slot);
	if (!ok && slot->rq)
		take_back(z, slot);
	if (slot->rq)
		dmsf_log_landed(z, slot->epoch);
	not_busy(z);
	spin_unlock_bh(&f->lock);
	if (lost)
		report_lost(z, slot);
	if (stays)
		return;
	slot->unwritten = !ok;
	put_slot(z, slot);
}

/* Only a zone with leftover space, smaller than a page, must be finished explicitly. */
static bool must_finish(const struct dmsf_zoned *z, const struct dmsf_slot *slot)
{
	return dmsf_page_in_block(z, slot->ppn) + 1 == z->pages &&
	       (u64)z->pages * (z->page_bytes >> SECTOR_SHIFT) < z->layout.capacity_sectors;
}

/* Write the stream's first page if it is ready. After a failure, fail all its writes. */
static void run_stream(struct dmsf_zoned *z, struct dmsf_stream *stream)
{
	struct dmsf_slot *slot;

	while (!stream->busy && (slot = list_first_entry_or_null(&stream->queue,
								 struct dmsf_slot, queue))) {
		if (slot->stage < DMSF_READY)
			return;
		list_del_init(&slot->queue);
		/* Later pages of the zone cannot be written without this one. */
		if (!slot->ok)
			memset(slot->data, 0, z->page_bytes);
		if (READ_ONCE(z->failed)) {
			stored(z, slot, false);
			continue;
		}
		stream->busy = true;
		slot->stage = DMSF_STORE;
		start_bio(z, slot, REQ_OP_WRITE, dmsf_zone_sector(z, slot->ppn), 0,
			  z->page_bytes);
	}
}

static void write_ended(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	struct dmsf_stream *stream = stream_of(z, slot);
	u32 block = dmsf_block_of(z, slot->ppn);
	blk_status_t status = slot->bio.bi_status;

	if (status) {
		dmsf_zoned_fail(z, "write to a zone", blk_status_to_errno(status));
	} else if (slot->stage == DMSF_STORE) {
		WRITE_ONCE(z->written[block], dmsf_page_in_block(z, slot->ppn) + 1);
		if (must_finish(z, slot)) {
			slot->stage = DMSF_FINISH;
			start_bio(z, slot, REQ_OP_ZONE_FINISH,
				  dmsf_zone_sector(z, ssdf_ppn(block * z->pages)), 0, 0);
			return;
		}
	}
	stream->busy = false;
	slot->stage = DMSF_READY;
	stored(z, slot, !status);
	run_stream(z, stream);
}

static void do_write(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	if (slot->stage >= DMSF_STORE) {
		write_ended(z, slot);
		return;
	}
	if (slot->stage == DMSF_NEW && list_empty(&slot->queue))
		list_add_tail(&slot->queue, &stream_of(z, slot)->queue);
	if (!has_all(z, slot) && !fetch(z, slot, slot->old))
		return;
	if (slot->rq)
		copy_host(z, slot, false);
	slot->stage = DMSF_READY;
	list_splice_tail_init(&slot->dependents, &z->ready);
	run_stream(z, stream_of(z, slot));
}

static bool is_read(struct dmsf_zoned *z, u32 block)
{
	bool read;

	spin_lock_bh(&z->target->lock);
	read = z->readers[block];
	spin_unlock_bh(&z->target->lock);
	return read;
}

static void do_erase(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	u32 block = dmsf_block_of(z, slot->ppn);

	if (slot->stage == DMSF_NEW) {
		if (READ_ONCE(z->failed)) {
			slot->ok = false;
			end_job(z, slot);
			return;
		}
		if (is_read(z, block)) {
			list_add_tail(&slot->node, &z->waiting_erases);
			return;
		}
		slot->stage = DMSF_STORE;
		WRITE_ONCE(z->written[block], 0);
		start_bio(z, slot, REQ_OP_ZONE_RESET, dmsf_zone_sector(z, slot->ppn), 0, 0);
		return;
	}
	if (slot->bio.bi_status) {
		slot->ok = false;
		dmsf_zoned_fail(z, "reset of a zone", blk_status_to_errno(slot->bio.bi_status));
	}
	end_job(z, slot);
}

static void go_on(struct dmsf_zoned *z, struct dmsf_slot *slot)
{
	switch (slot->job) {
	case DMSF_READ:
		do_read(z, slot);
		break;
	case DMSF_WRITE:
		do_write(z, slot);
		break;
	case DMSF_ERASE:
		do_erase(z, slot);
		break;
	}
}

/* Report finished slots to the model. It may request new jobs at once, even for the same slot. */
static void report(struct dmsf_zoned *z)
{
	struct dmsf_target *f = z->target;
	struct dmsf_slot *slot;
	u32 nr, i;
	u64 now_ns;
	bool ok;

	while (!list_empty(&z->puts)) {
		now_ns = dmsf_enter(f);
		for (nr = 0; nr < PUTS; nr++) {
			slot = list_first_entry_or_null(&z->puts, struct dmsf_slot, puts);
			if (!slot)
				break;
			list_del_init(&slot->puts);
			ok = slot->ok && !slot->unwritten;
			for (i = slot->nr_puts, slot->nr_puts = 0; i; i--)
				ssdf_media_done(f->device, slot_nr(z, slot), ok, now_ns);
		}
		dmsf_leave(f);
	}
}

static void take_work(struct dmsf_zoned *z)
{
	struct llist_node *ended = llist_reverse_order(llist_del_all(&z->ended));
	struct dmsf_slot *slot, *next;

	llist_for_each_entry_safe(slot, next, ended, ended)
		list_add_tail(&slot->node, &z->ready);
	spin_lock_bh(&z->target->lock);
	list_splice_tail_init(&z->todo, &z->ready);
	spin_unlock_bh(&z->target->lock);
}

static void do_ready(struct dmsf_zoned *z)
{
	struct dmsf_slot *slot;

	while ((slot = list_first_entry_or_null(&z->ready, struct dmsf_slot, node))) {
		list_del_init(&slot->node);
		go_on(z, slot);
	}
}

/* After a failure: fail the queued writes, and all that the model requests later. */
static void take_failure(struct dmsf_zoned *z)
{
	struct dmsf_target *f = z->target;
	u64 now_ns;
	u32 i;

	if (!READ_ONCE(z->failed) || z->failure_reported)
		return;
	z->failure_reported = true;
	for (i = 0; i < 2 * z->nr_planes; i++)
		run_stream(z, &z->streams[i]);
	now_ns = dmsf_enter(f);
	dmsf_log_note_loss(z);
	ssdf_media_fail(f->device, now_ns);
	dmsf_log_want(z);
	dmsf_leave(f);
}

static void do_work(struct work_struct *work)
{
	struct dmsf_zoned *z = container_of(work, struct dmsf_zoned, work);

	take_work(z);
	do_ready(z);
	/* The last reader of a block may be done: retry its erase. */
	list_splice_tail_init(&z->waiting_erases, &z->ready);
	do_ready(z);
	take_failure(z);
	report(z);
}

static int create_slots(struct dmsf_zoned *z)
{
	u32 i;

	z->nr_slots = ssdf_nr_slots(z->target->device);
	z->slots = ssdc_alloc_array(z->nr_slots, sizeof(*z->slots));
	if (!z->slots)
		return -ENOMEM;
	for (i = 0; i < z->nr_slots; i++) {
		struct dmsf_slot *slot = &z->slots[i];

		INIT_LIST_HEAD(&slot->node);
		INIT_LIST_HEAD(&slot->queue);
		INIT_LIST_HEAD(&slot->puts);
		INIT_LIST_HEAD(&slot->dependents);
		INIT_HLIST_NODE(&slot->pending);
		slot->data = alloc_pages_exact(z->page_bytes, SSDC_ALLOC_GFP | __GFP_ZERO);
		if (!slot->data)
			return -ENOMEM;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * dmsf_zoned_data_memory_bytes() - memory that dmsf_zoned_data_create() allocates
 * @params: with the number of blocks set
 */
u64 dmsf_zoned_data_memory_bytes(const struct ssdf_params *params)
{
	u64 planes = (u64)params->channels * params->chips * params->dies * params->planes;
	u64 data_bytes = max_t(u64, params->page_bytes, PAGE_SIZE);
	struct dmsf_zoned *z;

	return (ssdf_nr_commands(params) + planes) * (sizeof(*z->slots) + data_bytes) +
	       planes * params->blocks * (sizeof(*z->readers) + sizeof(*z->written)) +
	       BITS_TO_LONGS(planes * params->blocks) * sizeof(*z->partial) +
	       planes * 2 * sizeof(*z->streams) + (sizeof(*z->pending) << PENDING_BITS);
}

/**
 * dmsf_zoned_data_create() - allocate slots, streams and workqueues
 * @z: medium with known geometry
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -EINTR after a fatal signal; call dmsf_zoned_data_destroy() in any
 * case.
 */
int dmsf_zoned_data_create(struct dmsf_zoned *z)
{
	u32 i;

	INIT_LIST_HEAD(&z->todo);
	INIT_LIST_HEAD(&z->ready);
	INIT_LIST_HEAD(&z->puts);
	INIT_LIST_HEAD(&z->waiting_erases);
	init_llist_head(&z->ended);
	init_waitqueue_head(&z->idle);
	INIT_WORK(&z->work, do_work);
	z->pending = ssdc_alloc_array(1 << PENDING_BITS, sizeof(*z->pending));
	z->readers = ssdc_alloc_array(z->nr_blocks, sizeof(*z->readers));
	z->written = ssdc_alloc_array(z->nr_blocks, sizeof(*z->written));
	z->partial = ssdc_alloc_array(BITS_TO_LONGS(z->nr_blocks), sizeof(*z->partial));
	z->streams = ssdc_alloc_array(2 * (u64)z->nr_planes, sizeof(*z->streams));
	z->wq = alloc_workqueue("ssdflash", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	z->commit_wq = alloc_workqueue("ssdflash-log", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!z->pending || !z->readers || !z->written || !z->partial || !z->streams || !z->wq ||
	    !z->commit_wq)
		return -ENOMEM;
	for (i = 0; i < 2 * z->nr_planes; i++)
		INIT_LIST_HEAD(&z->streams[i].queue);
	return create_slots(z);
}

void dmsf_zoned_data_destroy(struct dmsf_zoned *z)
{
	u32 i;

	/* See bio_ended(). */
	synchronize_rcu();
	/* Each work may queue the other. */
	if (z->wq && z->commit_wq) {
		flush_workqueue(z->commit_wq);
		flush_workqueue(z->wq);
		flush_workqueue(z->commit_wq);
	}
	if (z->commit_wq)
		destroy_workqueue(z->commit_wq);
	if (z->wq)
		destroy_workqueue(z->wq);
	for (i = 0; z->slots && i < z->nr_slots; i++)
		if (z->slots[i].data)
			free_pages_exact(z->slots[i].data, z->page_bytes);
	kvfree(z->slots);
	kvfree(z->streams);
	kvfree(z->partial);
	kvfree(z->written);
	kvfree(z->readers);
	kvfree(z->pending);
}
