// SPDX-License-Identifier: GPL-2.0
/*
 * Data of an ssdflash on a zoned origin.
 *
 * The model says what happens, with its lock held; a worker does it. Each command of
 * the model has a slot, with memory for a page and a bio, so that nothing is
 * allocated here.
 *
 *	read	[ fetch ] -> hand out
 *	write	[ fetch or copy what the host does not write ] -> queue of the
 *		stream -> store -> [ finish the zone ]
 *	erase	commit of the log -> nobody reads -> reset
 *
 * What is not in its zone yet is read from the slot that has it: `pending` knows which.
 * A slot that another needs stays until that has its copy.
 *
 * If a write, a reset or the log fails nothing more is written: what the log says stays true.
 *
 * Nothing waits for ever:
 *
 *	a slot for another's data	they are fetched before anything else, and from what is
 *					older: such waits make no circle
 *	a write for those before it	in its stream, which is run when the first of it is
 *					ready and when one has ended
 *	an erase for readers		the worker ends them, and looks at erases after that
 *	an erase, or FLUSH, for a	data land without an erase, a commit, or the model's
 *	commit, that for its data	clock; GC's new place was erased before it was given
 *	the host for the log's room	a commit that begins frees it, see end_epoch()
 *	the worker, for nothing		but the block layer; commits have another workqueue
 *
 * Each list has one who takes from it, and who adds to it queues the work after that. Of a
 * zone one write is under way, so that the block layer's own order of writes (plugging or
 * locking of zones) has nothing to hold up.
 */
#include <linux/hash.h>
#include <linux/highmem.h>
#include <linux/slab.h>

#include "zoned.h"

#define DM_MSG_PREFIX "ssdflash"

#define PENDING_BITS 10

/* Slots told at a time, with the lock held. */
#define PUTS 64

static struct zoned_slot *slot_at(struct ssdf_zoned *z, u32 nr)
{
	return &z->slots[nr];
}

static u32 slot_nr(const struct ssdf_zoned *z, const struct zoned_slot *slot)
{
	return slot - z->slots;
}

static u32 block_of(const struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) / z->pages;
}

static u32 page_in_block(const struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) % z->pages;
}

/* Where a page of the flash is on the origin. */
u64 ssdf_zoned_sector(const struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	const struct zoned_layout *l = &z->layout;
	u64 zone = (u64)l->first + 2 * l->region_zones + block_of(z, ppn);

	return zone * l->zone_sectors +
		(u64)page_in_block(z, ppn) * (z->page_bytes >> SECTOR_SHIFT);
}

static struct zoned_stream *stream_of(struct ssdf_zoned *z, const struct zoned_slot *slot)
{
	u32 plane = block_of(z, slot->ppn) / z->blocks;

	return &z->streams[2 * plane + !slot->rq];
}

static struct hlist_head *bucket(struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	return &z->pending[hash_32(ssdf_ppn_nr(ppn), PENDING_BITS)];
}

static struct zoned_slot *find_pending(struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	struct zoned_slot *slot;

	hlist_for_each_entry(slot, bucket(z, ppn), pending)
		if (slot->ppn == ppn)
			return slot;
	return NULL;
}

/* The part of the page that the slot's request has, in bytes. */
static void part_of(const struct ssdf_zoned *z, const struct zoned_slot *slot, u32 *from,
		    u32 *bytes)
{
	u32 page_sectors = z->page_bytes >> SECTOR_SHIFT;
	u64 start = (u64)ssdf_lpn_nr(slot->lpn) * page_sectors;
	u64 first = max(slot->rq->sector, start);
	u64 end = min(slot->rq->sector + slot->rq->nr_sectors, start + page_sectors);

	*from = (first - start) << SECTOR_SHIFT;
	*bytes = (end - first) << SECTOR_SHIFT;
}

/* Does the slot bring all of its page? GC has it in memory, unless it copies. */
static bool has_all(const struct ssdf_zoned *z, const struct zoned_slot *slot)
{
	u32 from, bytes;

	if (!slot->rq)
		return slot->old == SSDF_UNMAPPED;
	part_of(z, slot, &from, &bytes);
	return bytes == z->page_bytes;
}

/* What the model asks for, with its lock held. */

static struct zoned_slot *new_job(struct ssdf_zoned *z, u32 nr, enum zoned_job job)
{
	struct zoned_slot *slot = slot_at(z, nr);

	lockdep_assert_held(&z->target->lock);
	slot->job = job;
	slot->stage = ZONED_NEW;
	slot->source = NULL;
	slot->ok = true;
	z->busy++;
	return slot;
}

static void do_job(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	list_add_tail(&slot->node, &z->todo);
	queue_work(z->wq, &z->work);
}

/* What is at @ppn must stay there until the slot has it: a slot, or a zone. */
static void pin(struct ssdf_zoned *z, struct zoned_slot *slot, ssdf_ppn_t ppn)
{
	if (!ssdf_is_mapped(ppn))
		return;
	slot->source = find_pending(z, ppn);
	if (slot->source)
		ssdf_media_share(z->target->device, slot_nr(z, slot->source));
	else
		z->readers[block_of(z, ppn)]++;
}

static void zoned_read(void *media, u32 nr, struct ssdf_request *rq, ssdf_lpn_t lpn,
		       ssdf_ppn_t ppn)
{
	struct ssdf_zoned *z = media;
	struct zoned_slot *slot = new_job(z, nr, ZONED_READ);

	slot->rq = rq;
	slot->lpn = lpn;
	slot->ppn = ppn;
	pin(z, slot, ppn);
	do_job(z, slot);
}

static void zoned_write(void *media, u32 nr, struct ssdf_request *rq, ssdf_lpn_t lpn,
			ssdf_ppn_t ppn, ssdf_ppn_t old)
{
	struct ssdf_zoned *z = media;
	struct zoned_slot *slot = new_job(z, nr, ZONED_WRITE);

	slot->rq = rq;
	slot->lpn = lpn;
	slot->ppn = ppn;
	slot->old = old;
	if (!has_all(z, slot))
		pin(z, slot, old);
	hlist_add_head(&slot->pending, bucket(z, ppn));
	slot->epoch = ssdf_zoned_log_add(z, lpn, ppn, true);
	do_job(z, slot);
}

/* First the log has to say that what is in the block is elsewhere, or not wanted. */
static void zoned_erase(void *media, u32 nr, ssdf_ppn_t ppn)
{
	struct ssdf_zoned *z = media;
	struct zoned_slot *slot = new_job(z, nr, ZONED_ERASE);

	slot->rq = NULL;
	slot->ppn = ppn;
	list_add_tail(&slot->node, &z->log.erases);
	ssdf_zoned_log_want(z);
}

static void zoned_trimmed(void *media, ssdf_lpn_t lpn)
{
	ssdf_zoned_log_add(media, lpn, SSDF_TRIMMED, false);
}

static void zoned_flush(void *media, struct ssdf_request *rq)
{
	struct ssdf_zoned *z = media;

	list_add_tail(&rq->node, &z->log.flushes);
	ssdf_zoned_log_want(z);
}

static void zoned_stuck(void *media, u32 plane)
{
	struct ssdf_zoned *z = media;

	DMERR("%s: plane %u has no free block for what garbage collection moves",
	      dm_device_name(dm_table_get_md(z->target->ti->table)), plane);
	ssdf_zoned_fail(z, "garbage collection", -ENOSPC);
}

const struct ssdf_media_ops ssdf_zoned_ops = {
	.read = zoned_read,
	.write = zoned_write,
	.erase = zoned_erase,
	.trimmed = zoned_trimmed,
	.flush = zoned_flush,
	.stuck = zoned_stuck,
};

/* The worker. */

/* The model is to be told that somebody is done with the slot. */
static void put_slot(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	if (!slot->nr_puts++)
		list_add_tail(&slot->puts, &z->puts);
}

/* Caller holds the target's lock. */
static void not_busy(struct ssdf_zoned *z)
{
	lockdep_assert_held(&z->target->lock);
	if (!--z->busy)
		wake_up(&z->idle);
}

/* The slot's job is over. What GC could not do is left as it is: the device has failed. */
static void end_job(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	if (slot->ok || slot->rq)
		put_slot(z, slot);
	spin_lock_bh(&z->target->lock);
	not_busy(z);
	spin_unlock_bh(&z->target->lock);
}

static void bio_ended(struct bio *bio)
{
	struct zoned_slot *slot = container_of(bio, struct zoned_slot, bio);
	struct ssdf_zoned *z = bio->bi_private;

	llist_add(&slot->ended, &z->ended);
	queue_work(z->wq, &z->work);
}

static void start_bio(struct ssdf_zoned *z, struct zoned_slot *slot, blk_opf_t opf, u64 sector,
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

static void copy_host(struct ssdf_zoned *z, struct zoned_slot *slot, bool to_host)
{
	struct bio *bio = ssdf_bio_of(slot->rq);
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

/* Is what is at a place in its zone? It is not if its write failed. */
static bool is_readable(const struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	return page_in_block(z, ppn) < READ_ONCE(z->written[block_of(z, ppn)]);
}

static void unpin_block(struct ssdf_zoned *z, ssdf_ppn_t ppn)
{
	spin_lock_bh(&z->target->lock);
	z->readers[block_of(z, ppn)]--;
	spin_unlock_bh(&z->target->lock);
}

/*
 * Bring what is at a place to the slot's memory. Returns true if it is there, or cannot
 * be had; false if it comes later.
 */
static bool fetch(struct ssdf_zoned *z, struct zoned_slot *slot, ssdf_ppn_t ppn)
{
	u32 from = 0, bytes = z->page_bytes;

	if (slot->stage == ZONED_FETCH) {
		unpin_block(z, ppn);
		slot->ok = !slot->bio.bi_status;
		return true;
	}
	if (slot->source) {
		if (slot->source->stage < ZONED_READY) {
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
		return true;
	}
	if (!is_readable(z, ppn)) {
		unpin_block(z, ppn);
		slot->ok = false;
		return true;
	}
	slot->stage = ZONED_FETCH;
	if (slot->job == ZONED_READ && slot->rq)
		part_of(z, slot, &from, &bytes);
	start_bio(z, slot, REQ_OP_READ, ssdf_zoned_sector(z, ppn) + (from >> SECTOR_SHIFT), from,
		  bytes);
	return false;
}

static void do_read(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	if (!fetch(z, slot, slot->ppn))
		return;
	slot->stage = ZONED_READY;
	if (slot->rq && slot->ok)
		copy_host(z, slot, true);
	if (!slot->rq && !slot->ok)
		ssdf_zoned_fail(z, "read of a page to be moved", -EIO);
	end_job(z, slot);
}

/*
 * The page is in its zone, or will never be. What GC moved has not changed: if it could
 * not be written it is read from the slot from now on, which stays as it is.
 */
static void stored(struct ssdf_zoned *z, struct zoned_slot *slot, bool ok)
{
	struct ssdf_target *f = z->target;
	bool stays = !ok && !slot->rq;

	spin_lock_bh(&f->lock);
	if (!stays)
		hlist_del_init(&slot->pending);
	ssdf_zoned_log_landed(z, slot->epoch);
	not_busy(z);
	spin_unlock_bh(&f->lock);
	if (stays)
		return;
	slot->ok &= ok;
	put_slot(z, slot);
}

/* Has to be done only where a zone has room for less than another page. */
static bool must_finish(const struct ssdf_zoned *z, const struct zoned_slot *slot)
{
	return page_in_block(z, slot->ppn) + 1 == z->pages &&
	       (u64)z->pages * (z->page_bytes >> SECTOR_SHIFT) < z->layout.capacity_sectors;
}

/* Write the first of the stream, if it is ready; all of them fail once the device has. */
static void run_stream(struct ssdf_zoned *z, struct zoned_stream *stream)
{
	struct zoned_slot *slot;

	while (!stream->busy && (slot = list_first_entry_or_null(&stream->queue,
								 struct zoned_slot, queue))) {
		if (slot->stage < ZONED_READY)
			return;
		list_del_init(&slot->queue);
		/* What comes behind cannot be written without it. */
		if (!slot->ok)
			ssdf_zoned_fail(z, "read of the rest of a page", -EIO);
		if (READ_ONCE(z->failed)) {
			stored(z, slot, false);
			continue;
		}
		stream->busy = true;
		slot->stage = ZONED_STORE;
		start_bio(z, slot, REQ_OP_WRITE, ssdf_zoned_sector(z, slot->ppn), 0,
			  z->page_bytes);
	}
}

static void write_ended(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	struct zoned_stream *stream = stream_of(z, slot);
	blk_status_t status = slot->bio.bi_status;

	if (status) {
		ssdf_zoned_fail(z, "write to a zone", blk_status_to_errno(status));
	} else if (slot->stage == ZONED_STORE) {
		WRITE_ONCE(z->written[block_of(z, slot->ppn)], page_in_block(z, slot->ppn) + 1);
		if (must_finish(z, slot)) {
			slot->stage = ZONED_FINISH;
			start_bio(z, slot, REQ_OP_ZONE_FINISH,
				  ssdf_zoned_sector(z, ssdf_ppn(block_of(z, slot->ppn) * z->pages)),
				  0, 0);
			return;
		}
	}
	stream->busy = false;
	slot->stage = ZONED_READY;
	stored(z, slot, !status);
	run_stream(z, stream);
}

static void do_write(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	if (slot->stage >= ZONED_STORE) {
		write_ended(z, slot);
		return;
	}
	if (slot->stage == ZONED_NEW && list_empty(&slot->queue))
		list_add_tail(&slot->queue, &stream_of(z, slot)->queue);
	if (!has_all(z, slot) && !fetch(z, slot, slot->old))
		return;
	if (slot->rq)
		copy_host(z, slot, false);
	slot->stage = ZONED_READY;
	list_splice_tail_init(&slot->dependents, &z->ready);
	run_stream(z, stream_of(z, slot));
}

static bool is_read(struct ssdf_zoned *z, u32 block)
{
	bool read;

	spin_lock_bh(&z->target->lock);
	read = z->readers[block];
	spin_unlock_bh(&z->target->lock);
	return read;
}

static void do_erase(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	u32 block = block_of(z, slot->ppn);

	if (slot->stage == ZONED_NEW) {
		if (READ_ONCE(z->failed)) {
			slot->ok = false;
			end_job(z, slot);
			return;
		}
		if (is_read(z, block)) {
			list_add_tail(&slot->node, &z->waiting_erases);
			return;
		}
		slot->stage = ZONED_STORE;
		WRITE_ONCE(z->written[block], 0);
		start_bio(z, slot, REQ_OP_ZONE_RESET, ssdf_zoned_sector(z, slot->ppn), 0, 0);
		return;
	}
	if (slot->bio.bi_status) {
		slot->ok = false;
		ssdf_zoned_fail(z, "reset of a zone", blk_status_to_errno(slot->bio.bi_status));
	}
	end_job(z, slot);
}

static void go_on(struct ssdf_zoned *z, struct zoned_slot *slot)
{
	switch (slot->job) {
	case ZONED_READ:
		do_read(z, slot);
		break;
	case ZONED_WRITE:
		do_write(z, slot);
		break;
	case ZONED_ERASE:
		do_erase(z, slot);
		break;
	}
}

/* Tell the model what is done. It may ask for more at once, even of the same slot. */
static void tell(struct ssdf_zoned *z)
{
	struct ssdf_target *f = z->target;
	struct zoned_slot *slot;
	u32 nr, i;
	u64 now_ns;
	bool ok;

	while (!list_empty(&z->puts)) {
		now_ns = ssdf_enter(f);
		for (nr = 0; nr < PUTS; nr++) {
			slot = list_first_entry_or_null(&z->puts, struct zoned_slot, puts);
			if (!slot)
				break;
			list_del_init(&slot->puts);
			ok = slot->ok;
			for (i = slot->nr_puts, slot->nr_puts = 0; i; i--)
				ssdf_media_done(f->device, slot_nr(z, slot), ok, now_ns);
		}
		ssdf_leave(f);
	}
}

static void take_work(struct ssdf_zoned *z)
{
	struct llist_node *ended = llist_reverse_order(llist_del_all(&z->ended));
	struct zoned_slot *slot, *next;

	llist_for_each_entry_safe(slot, next, ended, ended)
		list_add_tail(&slot->node, &z->ready);
	spin_lock_bh(&z->target->lock);
	list_splice_tail_init(&z->todo, &z->ready);
	spin_unlock_bh(&z->target->lock);
}

static void do_ready(struct ssdf_zoned *z)
{
	struct zoned_slot *slot;

	while ((slot = list_first_entry_or_null(&z->ready, struct zoned_slot, node))) {
		list_del_init(&slot->node);
		go_on(z, slot);
	}
}

/* What waits to be written will not be, nor what the model would ask for. */
static void take_failure(struct ssdf_zoned *z)
{
	struct ssdf_target *f = z->target;
	u32 i;

	if (!READ_ONCE(z->failed) || z->failure_told)
		return;
	z->failure_told = true;
	for (i = 0; i < 2 * z->nr_planes; i++)
		run_stream(z, &z->streams[i]);
	ssdf_media_fail(f->device, ssdf_enter(f));
	ssdf_zoned_log_want(z);
	ssdf_leave(f);
}

static void do_work(struct work_struct *work)
{
	struct ssdf_zoned *z = container_of(work, struct ssdf_zoned, work);

	take_work(z);
	do_ready(z);
	/* Who read may have been the last. */
	list_splice_tail_init(&z->waiting_erases, &z->ready);
	do_ready(z);
	take_failure(z);
	tell(z);
}

/**
 * ssdf_zoned_erase_now() - what the log says allows erases, or never will
 * @z: medium
 * @erases: slots
 *
 * Context: the target's lock.
 */
void ssdf_zoned_erase_now(struct ssdf_zoned *z, struct list_head *erases)
{
	lockdep_assert_held(&z->target->lock);
	list_splice_tail_init(erases, &z->todo);
	queue_work(z->wq, &z->work);
}

/**
 * ssdf_zoned_fail() - write nothing any more
 * @z: medium
 * @what: failed
 * @error: -errno
 *
 * Context: any, without the target's lock or with it.
 */
void ssdf_zoned_fail(struct ssdf_zoned *z, const char *what, int error)
{
	if (xchg(&z->failed, 1))
		return;
	DMERR("%s: %s failed (%d): read-only from now on; what was flushed is kept",
	      dm_device_name(dm_table_get_md(z->target->ti->table)), what, error);
	queue_work(z->wq, &z->work);
}

static int create_slots(struct ssdf_zoned *z)
{
	u32 i;

	z->nr_slots = ssdf_nr_slots(z->target->device);
	z->slots = kvcalloc(z->nr_slots, sizeof(*z->slots), GFP_KERNEL);
	if (!z->slots)
		return -ENOMEM;
	for (i = 0; i < z->nr_slots; i++) {
		struct zoned_slot *slot = &z->slots[i];

		INIT_LIST_HEAD(&slot->node);
		INIT_LIST_HEAD(&slot->queue);
		INIT_LIST_HEAD(&slot->puts);
		INIT_LIST_HEAD(&slot->dependents);
		INIT_HLIST_NODE(&slot->pending);
		slot->data = alloc_pages_exact(z->page_bytes, GFP_KERNEL | __GFP_NOWARN);
		if (!slot->data)
			return -ENOMEM;
	}
	return 0;
}

/**
 * ssdf_zoned_data_create() - memory for all that can be under way at a time
 * @z: medium, whose geometry is known
 *
 * Return: 0, or -ENOMEM: call ssdf_zoned_data_destroy() even so.
 */
int ssdf_zoned_data_create(struct ssdf_zoned *z)
{
	u32 i;

	INIT_LIST_HEAD(&z->todo);
	INIT_LIST_HEAD(&z->ready);
	INIT_LIST_HEAD(&z->puts);
	INIT_LIST_HEAD(&z->waiting_erases);
	init_llist_head(&z->ended);
	init_waitqueue_head(&z->idle);
	INIT_WORK(&z->work, do_work);
	z->pending = kvcalloc(1 << PENDING_BITS, sizeof(*z->pending), GFP_KERNEL);
	z->readers = kvcalloc(z->nr_blocks, sizeof(*z->readers), GFP_KERNEL);
	z->written = kvcalloc(z->nr_blocks, sizeof(*z->written), GFP_KERNEL);
	z->streams = kvcalloc(z->nr_planes, 2 * sizeof(*z->streams), GFP_KERNEL);
	z->wq = alloc_workqueue("ssdflash", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	z->commit_wq = alloc_workqueue("ssdflash-log", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!z->pending || !z->readers || !z->written || !z->streams || !z->wq || !z->commit_wq)
		return -ENOMEM;
	for (i = 0; i < 2 * z->nr_planes; i++)
		INIT_LIST_HEAD(&z->streams[i].queue);
	return create_slots(z);
}

void ssdf_zoned_data_destroy(struct ssdf_zoned *z)
{
	u32 i;

	/* Each may queue the other. */
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
	kvfree(z->written);
	kvfree(z->readers);
	kvfree(z->pending);
}
