// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes of the origin, and the requests that need them: fills and flushes of pages,
 * pieces of host reads, FLUSHes. All of this runs in the worker, unless noted otherwise.
 */
#include <linux/blkdev.h>
#include <linux/slab.h>

#include "cache.h"
#include "holds.h"
#include "trace.h"

static struct dmsc_origin_io *get_io(struct dmsc_pool *pool)
{
	struct dmsc_origin_io *io;

	io = list_first_entry_or_null(&pool->free, struct dmsc_origin_io, node);
	if (io) {
		list_del(&io->node);
		io->nr_pages = 0;
		io->one_by_one = false;
		io->parent = NULL;
	}
	return io;
}

static void put_io(struct dmsc_origin_io *io)
{
	bio_uninit(&io->bio);
	list_add(&io->node, &io->pool->free);
}

/**
 * dmsc_io_ended() - tell the worker of a record's shard that the I/O has ended
 * @io: the record
 *
 * Context: any, including interrupts.
 */
void dmsc_io_ended(struct dmsc_origin_io *io)
{
	struct dmsc_shard *s = io->shard;

	/* As in dmsc_forward_ended(). */
	rcu_read_lock();
	llist_add(&io->done, &s->done_ios);
	queue_work(s->wq, &s->work);
	rcu_read_unlock();
}

/* Context: interrupt. */
static void bio_ended(struct bio *bio)
{
	struct dmsc_origin_io *io = container_of(bio, struct dmsc_origin_io, bio);

	if (unlikely(io->took_ns))
		io->took_ns = ktime_get_ns() - io->took_ns;
	dmsc_io_ended(io);
}

/* Queue for submit_staged(), in order. */
static void stage(struct dmsc_origin_io *io)
{
	io->bio.bi_end_io = bio_ended;
	list_add_tail(&io->node, &io->shard->staged_ios);
}

static void init_page_bio(struct dmsc_shard *s, struct dmsc_origin_io *io,
			  const struct ssdc_io *page)
{
	blk_opf_t opf = page->write ? REQ_OP_WRITE : REQ_OP_READ;

	/* A request waits for these flushes: mark them like direct writes. */
	if (page->write && (page->reason == SSDC_FLUSH_FORCED || page->reason == SSDC_FLUSH_EVICT ||
			    page->reason == SSDC_FLUSH_PAD))
		opf |= REQ_SYNC | REQ_IDLE;
	if (page->fua)
		opf |= REQ_FUA;
	bio_init(&io->bio, dmsc_origin(s->cache), io->vecs, DMSC_IO_VECS, opf);
	io->bio.bi_iter.bi_sector = page->sector;
}

/* Retry one page of a merged I/O alone. */
static void start_page(struct dmsc_shard *s, struct dmsc_origin_io *io)
{
	const struct ssdc_io *page = &io->pages[io->at];

	bio_uninit(&io->bio);
	init_page_bio(s, io, page);
	dmsc_dram_add_pages(s, &io->bio, page);
	stage(io);
}

/*
 * Get a record, or queue the request behind the requests that wait for a record. A request that
 * waited brings its record as @io.
 */
static struct dmsc_origin_io *io_for(struct dmsc_pool *pool, struct dmsc_bio *b,
				     struct dmsc_origin_io *io)
{
	if (!io && list_empty(&pool->starved))
		io = get_io(pool);
	if (!io)
		list_add_tail(&b->rq.node, &pool->starved);
	return io;
}

/* Read a segment of a host read into the host's own pages. */
static void start_segment(struct dmsc_shard *s, struct dmsc_bio *b, struct dmsc_origin_io *io)
{
	struct bio *parent = b->bio;

	io->kind = DMSC_IO_SEGMENT;
	io->parent = b;
	io->seg = b->seg;
	bio_init(&io->bio, dmsc_origin(s->cache), NULL, 0, REQ_OP_READ);
	io->bio.bi_io_vec = parent->bi_io_vec;
	io->bio.bi_iter = parent->bi_iter;
	bio_set_flag(&io->bio, BIO_CLONED);
	bio_advance(&io->bio, b->seg.rq_sector << SECTOR_SHIFT);
	io->bio.bi_iter.bi_size = b->seg.nr_sectors << SECTOR_SHIFT;
	io->bio.bi_iter.bi_sector = b->rq.host.sector + b->seg.rq_sector;
	stage(io);
}

static void start_origin_flush(struct dmsc_shard *s, struct dmsc_bio *b, struct dmsc_origin_io *io)
{
	io->kind = DMSC_IO_FLUSH;
	io->parent = b;
	bio_init(&io->bio, dmsc_origin(s->cache), NULL, 0, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
	io->bio.bi_end_io = bio_ended;
	if (dmsc_origin_flush_begins(io))
		stage(io);
}

/* Continue a request until it waits or ends. @io: the record that it has waited for, or NULL. */
static void continue_request(struct dmsc_shard *s, struct dmsc_bio *b,
			     struct dmsc_origin_io *io)
{
	for (;;) {
		switch (b->needs) {
		case DMSC_NEEDS_SEGMENT:
			io = io_for(&s->pools[DMSC_POOL_READS], b, io);
			if (!io)
				return;
			b->needs = DMSC_NEEDS_NOTHING;
			start_segment(s, b, io);
			io = NULL;
			break;
		case DMSC_NEEDS_FLUSH:
			io = io_for(&s->pools[DMSC_POOL_FLUSHES], b, io);
			if (!io)
				return;
			/* @b may be freed once the flush was started. */
			b->needs = DMSC_NEEDS_NOTHING;
			start_origin_flush(s, b, io);
			return;
		default:
			break;
		}
		switch (dmsc_run_in_worker(s, b)) {
		case DMSC_REMAPPED:
			bio_list_add(&s->staged_bios, b->bio);
			return;
		case DMSC_YIELDED:
			list_add_tail(&b->rq.node, &s->yielded);
			return;
		case DMSC_OVER:
		case DMSC_COPYING:
			return;
		case DMSC_DEFERRED:
			break;
		}
	}
}

static void finish_page(struct dmsc_shard *s, const struct ssdc_io *page, int error)
{
	int first_error;
	bool more;

	trace_ssdcache_io_done(s->cache, page, error);
	dmsc_lock(s);
	first_error = s->engine->first_error;
	more = ssdc_io_done(s->engine, page, error, ktime_get_ns());
	if (s->engine->first_error != first_error)
		s->error_sector = page->sector;
	dmsc_unlock(s, SSDC_HELD_BY_PAGE_ENDED);
	while (more) {
		dmsc_lock(s);
		more = ssdc_go_on(s->engine);
		dmsc_unlock(s, SSDC_HELD_BY_PAGE_ENDED);
	}
}

/* Whether single pages of a failed I/O may succeed. They cannot if the device is gone. */
static bool may_succeed_in_part(blk_status_t status)
{
	switch (status) {
	case BLK_STS_OK:
	case BLK_STS_TIMEOUT:
	case BLK_STS_TRANSPORT:
	case BLK_STS_OFFLINE:
		return false;
	default:
		return true;
	}
}

/*
 * Complete an I/O of pages. If a bio with several pages failed, each page is retried
 * alone, so that a bad sector fails only its own page. Returns false while the record is
 * in use.
 */
static bool finish_pages(struct dmsc_shard *s, struct dmsc_origin_io *io, int error)
{
	unsigned int i;

	if (may_succeed_in_part(io->bio.bi_status) && io->nr_pages > 1 && !io->one_by_one) {
		io->one_by_one = true;
		io->at = 0;
		start_page(s, io);
		return false;
	}
	if (io->one_by_one) {
		finish_page(s, &io->pages[io->at], error);
		if (++io->at == io->nr_pages)
			return true;
		start_page(s, io);
		return false;
	}
	for (i = 0; i < io->nr_pages; i++)
		finish_page(s, &io->pages[i], error);
	return true;
}

static void finish_bio(struct dmsc_shard *s, struct dmsc_bio *b)
{
	int error;

	if (b->needs != DMSC_NEEDS_FORWARD) {
		continue_request(s, b, NULL);	/* deferred by dmsc_map_bio() */
		return;
	}
	error = blk_status_to_errno(b->bio->bi_status);
	b->needs = DMSC_NEEDS_NOTHING;
	dmsc_lock(s);
	ssdc_forward_done(s->engine, &b->rq, error);
	dmsc_unlock(s, SSDC_HELD_BY_FORWARD_ENDED);
}

/**
 * dmsc_finish_bios() - continue forwarded bios that completed, and deferred bios
 * @s: shard
 *
 * Context: worker.
 * Return: true if there were any.
 */
bool dmsc_finish_bios(struct dmsc_shard *s)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&s->done_bios));
	struct dmsc_bio *b, *next;

	llist_for_each_entry_safe(b, next, list, done) {
		s->more_ended = b->done.next;
		finish_bio(s, b);
	}
	return list;
}

/* Continue requests that waited for a record, as far as there are records. */
static bool serve_starved(struct dmsc_shard *s, struct dmsc_pool *pool)
{
	struct ssdc_request *rq;
	bool any = false;

	while (!list_empty(&pool->free) && !list_empty(&pool->starved)) {
		rq = list_first_entry(&pool->starved, struct ssdc_request, node);
		list_del_init(&rq->node);
		continue_request(s, container_of(rq, struct dmsc_bio, rq), get_io(pool));
		any = true;
	}
	return any;
}

/* Continue a request that has yielded. Returns false if there is none. */
static bool run_yielded(struct dmsc_shard *s)
{
	struct ssdc_request *rq;

	rq = list_first_entry_or_null(&s->yielded, struct ssdc_request, node);
	if (!rq)
		return false;
	list_del_init(&rq->node);
	continue_request(s, container_of(rq, struct dmsc_bio, rq), NULL);
	return true;
}

/**
 * dmsc_run_ready() - continue requests that need not wait any more
 * @s: shard
 *
 * Stops when a request yields; that request goes on first in the next pass of the worker. So the
 * order of the requests does not depend on the number of steps that one of them takes.
 *
 * Context: worker.
 * Return: true if there were any.
 */
bool dmsc_run_ready(struct dmsc_shard *s)
{
	struct ssdc_request *rq;
	bool any;

	any = serve_starved(s, &s->pools[DMSC_POOL_FLUSHES]);
	any |= serve_starved(s, &s->pools[DMSC_POOL_READS]);
	any |= run_yielded(s);
	while (list_empty(&s->yielded)) {
		dmsc_lock(s);
		rq = ssdc_next_ready(s->engine);
		dmsc_unlock(s, SSDC_HELD_BY_NEXT_READY);
		if (!rq)
			return any;
		continue_request(s, container_of(rq, struct dmsc_bio, rq), NULL);
		any = true;
	}
	return any;
}

static bool next_io(struct dmsc_shard *s)
{
	if (s->have_next)
		return true;
	dmsc_lock(s);
	s->have_next = ssdc_next_io(s->engine, &s->next);
	dmsc_unlock(s, SSDC_HELD_BY_NEXT_IO);
	return s->have_next;
}

/* Whether the next page can be merged into the I/O. */
static bool joins(const struct dmsc_shard *s, const struct dmsc_origin_io *io)
{
	return ssdc_io_joins(s->engine, &io->pages[io->nr_pages - 1], io->nr_pages, &s->next);
}

static void add_next(struct dmsc_shard *s, struct dmsc_origin_io *io)
{
	trace_ssdcache_io_start(s->cache, &s->next, 0);
	io->pages[io->nr_pages++] = s->next;
	dmsc_dram_add_pages(s, &io->bio, &s->next);
	s->have_next = false;
}

/* Stage the queued fills and flushes, as far as there are records; merge adjacent pages. */
static void stage_pages(struct dmsc_shard *s)
{
	struct dmsc_pool *pool = &s->pools[DMSC_POOL_PAGES];
	struct dmsc_origin_io *io;

	while (!list_empty(&pool->free) && next_io(s)) {
		io = get_io(pool);
		io->kind = DMSC_IO_PAGE;
		init_page_bio(s, io, &s->next);
		do {
			add_next(s, io);
		} while (next_io(s) && joins(s, io));
		stage(io);
	}
}

/*
 * Submission can block in the device, so stop when an I/O completes: completed requests
 * must not wait for the device. There is no plug, because a plug changes the order that
 * the policy chose (Linux 5.16 to 6.12: last in, first out).
 */
static bool submit_staged(struct dmsc_shard *s)
{
	struct dmsc_origin_io *io;
	struct bio *bio;
	bool any = false;

	while ((bio = bio_list_peek(&s->staged_bios)) && !(any && dmsc_something_ended(s))) {
		bio_list_pop(&s->staged_bios);
		dmsc_submit_remapped(bio);
		any = true;
	}
	while ((io = list_first_entry_or_null(&s->staged_ios, struct dmsc_origin_io, node)) &&
	       !(any && dmsc_something_ended(s))) {
		list_del(&io->node);
		io->took_ns = dmsc_auto_measures(s->cache, 0) ? ktime_get_ns() : 0;
		submit_bio_noacct(&io->bio);
		any = true;
	}
	return any;
}

/**
 * dmsc_start_ios() - submit the fills and flushes that the engine has queued
 * @s: shard
 *
 * Context: worker. May sleep.
 * Return: true if any was submitted; call again then, as there may be more.
 */
bool dmsc_start_ios(struct dmsc_shard *s)
{
	stage_pages(s);
	return submit_staged(s);
}

/**
 * dmsc_has_staged() - whether dmsc_start_ios() left I/O to be submitted after completions
 * @s: shard
 *
 * Context: worker.
 */
bool dmsc_has_staged(const struct dmsc_shard *s)
{
	return !bio_list_empty(&s->staged_bios) || !list_empty(&s->staged_ios);
}

/* The origin has read a segment of a host read. */
static void finish_segment(struct dmsc_shard *s, struct dmsc_origin_io *io, int error)
{
	u64 now_ns = ktime_get_ns();
	enum ssdc_action action;

	dmsc_lock(s);
	action = ssdc_sub_done(s->engine, &io->parent->rq, &io->seg, error, now_ns);
	dmsc_unlock(s, SSDC_HELD_BY_READ_ENDED);
	if (action == SSDC_COMPLETE)
		dmsc_end_request(s, io->parent, now_ns);
}

/* A FLUSH of the origin has ended. The next one may be that of another shard. */
static void finish_flush(struct dmsc_shard *s, struct dmsc_origin_io *io, int error)
{
	struct ssdc_request *rq = &io->parent->rq;
	struct dmsc_origin_io *next;

	next = dmsc_origin_flush_ends(io, error, ssdc_is_host_flush(rq));
	if (next)
		list_add_tail(&next->node, &s->staged_ios);
	dmsc_lock(s);
	ssdc_forward_done(s->engine, rq, error);
	dmsc_unlock(s, SSDC_HELD_BY_FORWARD_ENDED);
}

/* Tell a choice how long the I/O took. */
static noinline void measure(struct dmsc_cache *c, struct dmsc_origin_io *io)
{
	u32 nr_sectors = io->kind == DMSC_IO_SEGMENT ? io->seg.nr_sectors : 0;

	if (io->kind != DMSC_IO_FLUSH && dmsc_auto_measures(c, nr_sectors) && !io->bio.bi_status)
		dmsc_auto_take_time(c, op_is_write(bio_op(&io->bio)), io->took_ns);
}

/* Report a completed I/O to the engine. */
static void finish_io(struct dmsc_shard *s, struct dmsc_origin_io *io)
{
	int error = blk_status_to_errno(io->bio.bi_status);

	if (unlikely(io->took_ns))
		measure(s->cache, io);
	switch (io->kind) {
	case DMSC_IO_PAGE:
		if (!finish_pages(s, io, error))
			return;
		break;
	case DMSC_IO_SEGMENT:
		finish_segment(s, io, error);
		break;
	case DMSC_IO_FLUSH:
		finish_flush(s, io, error);
		break;
	}
	put_io(io);
}

/**
 * dmsc_finish_ios() - report completed reads and writes of the origin to the engine
 * @s: shard
 *
 * The consequences of one completion are decided before the next is reported. The order
 * of decisions then does not depend on how many completions the worker finds at a time,
 * and the counts equal the simulator's. Nothing is submitted here: submission can block.
 *
 * Context: worker.
 * Return: true if there were any.
 */
bool dmsc_finish_ios(struct dmsc_shard *s)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&s->done_ios));
	struct dmsc_origin_io *io, *next;

	llist_for_each_entry_safe(io, next, list, done) {
		s->more_ended = io->done.next;
		finish_io(s, io);
		dmsc_run_ready(s);
		stage_pages(s);
	}
	return list;
}

/**
 * dmsc_io_create() - allocate the records for I/O to the origin
 * @s: shard
 *
 * Context: any task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_io_create(struct dmsc_shard *s)
{
	static const unsigned int sizes[DMSC_NR_POOLS] = {
		SSDC_PAGE_IOS, SSDC_READ_IOS, SSDC_FLUSH_IOS
	};
	struct dmsc_origin_io *io;
	unsigned int id, i;

	init_llist_head(&s->done_ios);
	init_llist_head(&s->done_bios);
	INIT_LIST_HEAD(&s->staged_ios);
	INIT_LIST_HEAD(&s->yielded);
	bio_list_init(&s->staged_bios);
	s->error_sector = DMSC_NO_SECTOR;
	s->ios = kvmalloc_node(array_size(DMSC_NR_IOS, sizeof(*s->ios)), GFP_KERNEL | __GFP_ZERO,
			       s->node);
	if (!s->ios)
		return -ENOMEM;
	io = s->ios;
	for (id = 0; id < DMSC_NR_POOLS; id++) {
		INIT_LIST_HEAD(&s->pools[id].free);
		INIT_LIST_HEAD(&s->pools[id].starved);
		for (i = 0; i < sizes[id]; i++, io++) {
			io->shard = s;
			io->pool = &s->pools[id];
			list_add_tail(&io->node, &io->pool->free);
		}
	}
	return 0;
}

void dmsc_io_destroy(struct dmsc_shard *s)
{
	kvfree(s->ios);
}
