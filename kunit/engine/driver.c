// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/string.h>
#include "driver.h"

struct ssdc_params td_params(void)
{
	struct ssdc_params params = {
		.dram_bytes = TD_FRAMES * 4096,
		.page_bytes = 4096,
		.origin_sectors = TD_SECTORS,
		.replacement = "lru",
		.admission = "read-write",
		.prefetch = "none",
	};

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	return params;
}

static void *alloc(struct kunit *test, size_t nr, size_t size)
{
	void *p = kunit_kcalloc(test, nr, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

struct td *td_new(struct kunit *test, const struct ssdc_params *params)
{
	struct td *td = alloc(test, 1, sizeof(*td));
	struct ssdc_error error = {};
	u32 i;

	/* td_exit() destroys the engine in @priv only. */
	KUNIT_ASSERT_NULL_MSG(test, test->priv, "a test has one engine");
	td->test = test;
	td->now_ns = TD_START_NS;
	td->sectors = params->origin_sectors;
	INIT_LIST_HEAD(&td->subs);
	INIT_LIST_HEAD(&td->forwarded);
	td->e = ssdc_engine_create(params, &error);
	KUNIT_ASSERT_NOT_NULL_MSG(test, td->e, "%s", error.text);
	test->priv = td;
	td->buffers = alloc(test, td->e->tier.nr_frames * td->e->tier.page_sectors, sizeof(u32));
	td->holds = alloc(test, td->e->tier.nr_frames * td->e->tier.page_sectors, sizeof(u32));
	td->origin = alloc(test, td->sectors, sizeof(u32));
	td->media = alloc(test, td->sectors, sizeof(u32));
	td->acked = alloc(test, td->sectors, sizeof(u32));
	td->issued = alloc(test, td->sectors, sizeof(u32));
	td->discarded = alloc(test, td->sectors, sizeof(u32));
	td->stable = alloc(test, td->sectors, sizeof(u32));
	/* The origin starts with data. */
	td->version = 1;
	for (i = 0; i < td->sectors; i++) {
		td->origin[i] = td->version;
		td->media[i] = td->version;
		td->acked[i] = td->version;
		td->issued[i] = td->version;
	}
	ssdc_tunables_changed(td->e, td->now_ns);
	td_check(td);
	return td;
}

struct td *td_simple(struct kunit *test, const char *replacement)
{
	struct ssdc_params params = td_params();

	params.replacement = replacement;
	return td_new(test, &params);
}

struct td *td_admission(struct kunit *test, const char *admission)
{
	struct ssdc_params params = td_params();

	params.admission = admission;
	return td_new(test, &params);
}

void td_exit(struct kunit *test)
{
	struct td *td = test->priv;

	if (td)
		ssdc_engine_destroy(td->e);
	test->priv = NULL;
}

void td_check(struct td *td)
{
	struct ssdc_error finding;

	KUNIT_ASSERT_EQ_MSG(td->test, ssdc_engine_check(td->e, &finding), 0, "%s", finding.text);
}

static u32 *buffer_data(struct td *td, u32 buffer, u32 sector)
{
	return td->buffers + buffer * td->e->tier.page_sectors + sector;
}

static void note_holds(struct td *td, u32 buffer, u32 in_page, u64 sector, u32 nr)
{
	u32 *holds = td->holds + (buffer_data(td, buffer, in_page) - td->buffers);

	while (nr--)
		*holds++ = ++sector;
}

static u32 *frame_data(struct td *td, ssdc_frame_t frame, u32 sector)
{
	return buffer_data(td, td->e->buffers[ssdc_frame_nr(frame)], sector);
}

/* The version of a sector that survives a power failure with protected DRAM. */
static u32 kept(struct td *td, u32 sector)
{
	u32 in_page = sector & (td->e->tier.page_sectors - 1);
	ssdc_frame_t frame = ssdc_lookup(td->e, ssdc_page_of(td->e, sector));
	u32 version = td->media[sector], *data;

	if (frame == SSDC_NO_FRAME)
		return version;
	if (ssdc_has_twin(td->e, frame)) {
		ssdc_frame_t twin = ssdc_twin_of(td->e, frame);

		if (ssdc_mask_bit(ssdc_dirty_mask(td->e, twin), in_page))
			version = max(version, *frame_data(td, twin, in_page));
	}
	if (!ssdc_mask_bit(ssdc_dirty_mask(td->e, frame), in_page))
		return version;
	data = frame_data(td, frame, in_page);
	if (ssdc_mask_bit(ssdc_valid_mask(td->e, frame), in_page))
		return *data;
	/* Until the copy to the frame ends, the frame has older data of the sector, or none. */
	return td->holds[data - td->buffers] == sector + 1 ? max(*data, version) : version;
}

static void check_kept(struct td *td)
{
	u32 i;

	if (td->e->tunables.dram_mode != SSDC_PROTECTED)
		return;
	for (i = 0; i < td->sectors; i++)
		if (td->discarded[i] <= td->stable[i])
			KUNIT_ASSERT_GE_MSG(td->test, kept(td, i), td->stable[i],
					    "sector %u: neither on media nor in DRAM", i);
}

/* Change dram_mode. Data that were stable in DRAM no longer are once DRAM is volatile. */
void td_set_mode(struct td *td, enum ssdc_durability mode)
{
	td->e->tunables.dram_mode = mode;
	memset(td->stable, 0, td->sectors * sizeof(u32));
}

struct td_host *td_begin(struct td *td, enum ssdc_op op, u64 sector, u64 nr_sectors)
{
	u64 covered = op == SSDC_FLUSH ? td->sectors : nr_sectors;
	struct td_host *host = alloc(td->test, 1, sizeof(*host) + 2 * covered * sizeof(u32));
	u32 i;

	KUNIT_ASSERT_LE(td->test, sector + nr_sectors, (u64)td->sectors);
	ssdc_request_init(&host->rq, op, sector, nr_sectors, td->now_ns);
	INIT_LIST_HEAD(&host->node);
	host->data = (u32 *)(host + 1);
	host->promise = host->data + covered;
	memcpy(host->promise, td->acked + sector, covered * sizeof(u32));
	host->version = ++td->version;
	for (i = 0; (op == SSDC_WRITE || op == SSDC_DISCARD) && i < nr_sectors; i++)
		td->issued[sector + i] = host->version;
	/* Until a discard has succeeded, nothing is promised for its range. */
	for (i = 0; op == SSDC_DISCARD && i < nr_sectors; i++) {
		td->discarded[sector + i] = host->version;
		td->acked[sector + i] = 0;
	}
	return host;
}

void td_put(struct td *td, struct td_host *host)
{
	if (host->cached)
		kunit_kfree(td->test, host->cached);
	kunit_kfree(td->test, host);
}

/* Copy what a write does not cover from the twin of its page. */
static void copy_rest(struct td *td, const struct ssdc_segment *seg)
{
	u32 nr = td->e->tier.page_sectors;
	u32 *to = buffer_data(td, seg->buffer, 0), *from = buffer_data(td, seg->rest, 0);

	memcpy(to, from, nr * sizeof(u32));
	memcpy(td->holds + (to - td->buffers), td->holds + (from - td->buffers), nr * sizeof(u32));
}

/* Do the copy of SSDC_COPY. */
static void copy_segment(struct td *td, struct td_host *host)
{
	const struct ssdc_segment *seg = &host->seg;
	u32 *frame = buffer_data(td, seg->buffer, seg->frame_sector);
	u32 i;

	if (seg->rest != SSDC_NO_BUFFER)
		copy_rest(td, seg);
	if (host->rq.host.op == SSDC_WRITE)
		note_holds(td, seg->buffer, seg->frame_sector,
			   host->rq.host.sector + seg->rq_sector, seg->nr_sectors);
	KUNIT_ASSERT_LE(td->test, seg->frame_sector + seg->nr_sectors, td->e->tier.page_sectors);
	KUNIT_ASSERT_LE(td->test, (u64)seg->rq_sector + seg->nr_sectors, host->rq.host.nr_sectors);
	for (i = 0; i < seg->nr_sectors; i++) {
		if (host->rq.host.op == SSDC_WRITE)
			frame[i] = host->version;
		else
			host->data[seg->rq_sector + i] = frame[i];
	}
}

static void start_sub(struct td *td, struct td_host *host)
{
	const struct ssdc_segment *seg = &host->seg;
	struct td_sub *sub = alloc(td->test, 1, sizeof(*sub) + seg->nr_sectors * sizeof(u32));

	sub->host = host;
	sub->rq_sector = seg->rq_sector;
	sub->nr_sectors = seg->nr_sectors;
	memcpy(sub->data, td->origin + host->rq.host.sector + seg->rq_sector,
	       seg->nr_sectors * sizeof(u32));
	list_add_tail(&sub->node, &td->subs);
}

/*
 * A discard failed: older data are promised again. If only the FLUSH behind the discard failed,
 * nothing is promised, and older data may replace those of the discard.
 */
static void undo_discard(struct td *td, const struct td_host *host)
{
	u64 sector = host->rq.host.sector, end = sector + host->rq.host.nr_sectors;
	const u32 *promise = host->promise;

	for (; sector < end; sector++, promise++) {
		if (td->origin[sector] != host->version) {
			td->acked[sector] = max(td->acked[sector], *promise);
			continue;
		}
		td->origin[sector] = 1;
		if (td->media[sector] == host->version)
			td->media[sector] = 1;
	}
}

/* Check what a completed request promises, and note what it acknowledged. */
static void check_outcome(struct td *td, const struct td_host *host)
{
	const struct ssdc_request *rq = &host->rq;
	bool is_volatile = td->e->tunables.dram_mode == SSDC_VOLATILE;
	u64 i;

	if (rq->error && rq->host.op == SSDC_DISCARD)
		undo_discard(td, host);
	if (rq->error)
		return;
	for (i = 0; rq->host.op == SSDC_READ && i < rq->host.nr_sectors; i++) {
		KUNIT_ASSERT_GE_MSG(td->test, host->data[i], host->promise[i],
				    "sector %llu: read stale data", rq->host.sector + i);
		KUNIT_ASSERT_LE(td->test, host->data[i], td->issued[rq->host.sector + i]);
	}
	for (i = 0; rq->host.op == SSDC_FLUSH && (is_volatile || rq->force) && i < td->sectors; i++)
		if (td->discarded[i] < host->version)
			KUNIT_ASSERT_GE_MSG(td->test, td->media[i], host->promise[i],
					    "sector %llu: not on media after FLUSH", i);
	for (i = 0; rq->host.fua && is_volatile && i < rq->host.nr_sectors; i++)
		KUNIT_ASSERT_GE_MSG(td->test, td->media[rq->host.sector + i], host->version,
				    "sector %llu: not on media after FUA", rq->host.sector + i);
	for (i = 0; rq->host.op == SSDC_FLUSH && !is_volatile && i < td->sectors; i++)
		td->stable[i] = max(td->stable[i], host->promise[i]);
	for (i = 0; rq->host.fua && !is_volatile && i < rq->host.nr_sectors; i++)
		td->stable[rq->host.sector + i] = host->version;
	check_kept(td);
	for (i = 0; (rq->host.op == SSDC_WRITE || rq->host.op == SSDC_DISCARD) &&
	     i < rq->host.nr_sectors; i++)
		td->acked[rq->host.sector + i] = max(td->acked[rq->host.sector + i], host->version);
}

static bool overlap(u64 a, u64 nr_a, u64 b, u64 nr_b)
{
	return a < b + nr_b && b < a + nr_a;
}

/* No discard and @io with common sectors may be at the origin: their order is not known. */
static void check_order(struct td *td, const struct ssdc_host_request *discard,
			const struct ssdc_io *io)
{
	KUNIT_ASSERT_FALSE_MSG(td->test, overlap(discard->sector, discard->nr_sectors, io->sector,
						 io->nr_sectors),
			       "page I/O of sector %llu and a discard are at the origin together",
			       io->sector);
}

/* Is the forwarded request the discard itself, not a FLUSH that follows? */
static bool is_discard(const struct td_host *host)
{
	return host->action == SSDC_FORWARD && host->rq.host.op == SSDC_DISCARD;
}

static void forward(struct td *td, struct td_host *host)
{
	unsigned int i;

	if (is_discard(host)) {
		for (i = 0; i < td->nr_ios; i++)
			check_order(td, &host->rq.host, &td->ios[i].io);
	} else {
		host->cached = alloc(td->test, td->sectors, sizeof(u32));
		memcpy(host->cached, td->origin, td->sectors * sizeof(u32));
	}
	list_add_tail(&host->node, &td->forwarded);
}

enum ssdc_action td_hold(struct td *td, struct td_host *host)
{
	KUNIT_ASSERT_FALSE(td->test, host->done);
	if (host->rq.pinned != SSDC_NO_FRAME)
		copy_segment(td, host);
	host->action = ssdc_step(td->e, &host->rq, td->now_ns, &host->seg);
	switch (host->action) {
	case SSDC_BYPASS:
		host->seg = (struct ssdc_segment){
			.frame = SSDC_NO_FRAME,
			.nr_sectors = host->rq.host.nr_sectors,
		};
		fallthrough;
	case SSDC_READ_ORIGIN:
		start_sub(td, host);
		break;
	case SSDC_FLUSH_ORIGIN:
	case SSDC_FORWARD:
		forward(td, host);
		break;
	case SSDC_COMPLETE:
		host->done = true;
		check_outcome(td, host);
		break;
	default:
		break;
	}
	td_check(td);
	return host->action;
}

enum ssdc_action td_step(struct td *td, struct td_host *host)
{
	enum ssdc_action action;
	unsigned int holds = 0;

	do {
		action = td_hold(td, host);
		KUNIT_ASSERT_LT_MSG(td->test, holds++, TD_MANY, "a step does not end");
	} while (action == SSDC_MORE);
	return action;
}

enum ssdc_action td_run(struct td *td, struct td_host *host)
{
	enum ssdc_action action;
	unsigned int steps = 0;

	do {
		action = td_step(td, host);
		KUNIT_ASSERT_LT_MSG(td->test, steps++, TD_MANY, "a request does not end");
	} while (action == SSDC_COPY || action == SSDC_READ_ORIGIN || action == SSDC_AGAIN ||
		 action == SSDC_YIELD);
	return action;
}

struct td_host *td_submit(struct td *td, enum ssdc_op op, u64 sector, u64 nr_sectors)
{
	struct td_host *host = td_begin(td, op, sector, nr_sectors);

	td_run(td, host);
	return host;
}

struct td_host *td_write_page(struct td *td, u64 page)
{
	return td_submit(td, SSDC_WRITE, page << td->e->tier.page_shift, td->e->tier.page_sectors);
}

struct td_host *td_read_page(struct td *td, u64 page)
{
	return td_submit(td, SSDC_READ, page << td->e->tier.page_shift, td->e->tier.page_sectors);
}

struct td_host *td_fua_page(struct td *td, u64 page)
{
	struct td_host *host = td_begin(td, SSDC_WRITE, page << td->e->tier.page_shift,
					td->e->tier.page_sectors);

	host->rq.host.fua = true;
	td_run(td, host);
	return host;
}

struct td_host *td_flush(struct td *td)
{
	return td_submit(td, SSDC_FLUSH, 0, 0);
}

unsigned int td_run_ready(struct td *td)
{
	struct ssdc_request *rq;
	unsigned int nr = 0;

	while ((rq = ssdc_next_ready(td->e))) {
		td_run(td, container_of(rq, struct td_host, rq));
		KUNIT_ASSERT_LT_MSG(td->test, nr++, TD_MANY, "requests do not end");
	}
	return nr;
}

bool td_start_io(struct td *td)
{
	const struct td_host *host;
	struct td_io *slot;
	const u32 *from;
	struct ssdc_io io;

	if (td->nr_ios == TD_MAX_IOS || !ssdc_next_io(td->e, &io))
		return false;
	KUNIT_ASSERT_LE(td->test, io.sector + io.nr_sectors, (u64)td->sectors);
	KUNIT_ASSERT_GT(td->test, io.nr_sectors, 0u);
	list_for_each_entry(host, &td->forwarded, node)
		if (is_discard(host))
			check_order(td, &host->rq.host, &io);
	from = io.write ? buffer_data(td, io.buffer, io.frame_sector) : td->origin + io.sector;
	slot = &td->ios[td->nr_ios++];
	slot->io = io;
	memcpy(slot->data, from, io.nr_sectors * sizeof(u32));
	return true;
}

unsigned int td_start_ios(struct td *td)
{
	unsigned int nr = 0;

	while (td_start_io(td))
		nr++;
	return nr;
}

static void land_write(struct td *td, const struct td_io *slot)
{
	const u32 *frame = buffer_data(td, slot->io.buffer, slot->io.frame_sector);
	u32 i;

	KUNIT_ASSERT_EQ_MSG(td->test,
			    memcmp(frame, slot->data, slot->io.nr_sectors * sizeof(u32)), 0,
			    "data changed during their flush");
	for (i = 0; i < slot->io.nr_sectors; i++) {
		KUNIT_ASSERT_GE_MSG(td->test, slot->data[i], td->origin[slot->io.sector + i],
				    "sector %llu: old data replaced newer", slot->io.sector + i);
		td->origin[slot->io.sector + i] = slot->data[i];
		if (slot->io.fua)
			td->media[slot->io.sector + i] = slot->data[i];
	}
}

void td_end_io(struct td *td, unsigned int index, int error)
{
	struct td_io *slot = &td->ios[index];
	unsigned int steps = 0;
	struct ssdc_io io;
	bool more;

	KUNIT_ASSERT_LT(td->test, index, td->nr_ios);
	io = slot->io;
	if (!error && io.write)
		land_write(td, slot);
	if (!error && !io.write) {
		memcpy(buffer_data(td, io.buffer, io.frame_sector), slot->data,
		       io.nr_sectors * sizeof(u32));
		note_holds(td, io.buffer, io.frame_sector, io.sector, io.nr_sectors);
	}
	td->nr_ios--;
	memmove(slot, slot + 1, (td->nr_ios - index) * sizeof(*slot));
	more = ssdc_io_done(td->e, &io, error, td->now_ns);
	td_check(td);
	while (more) {
		KUNIT_ASSERT_LT_MSG(td->test, steps++, TD_MANY, "a completion does not end");
		more = ssdc_go_on(td->e);
		td_check(td);
	}
	check_kept(td);
}

/* End all page I/O that is in flight now, oldest first. */
void td_end_ios(struct td *td, int error)
{
	unsigned int nr = td->nr_ios;

	while (nr--)
		td_end_io(td, 0, error);
}

/* End the oldest bypassing read. */
void td_end_sub(struct td *td, int error)
{
	struct td_sub *sub = list_first_entry_or_null(&td->subs, struct td_sub, node);
	struct ssdc_segment seg = {};
	enum ssdc_action action;
	struct td_host *host;

	KUNIT_ASSERT_NOT_NULL(td->test, sub);
	host = sub->host;
	seg.rq_sector = sub->rq_sector;
	seg.nr_sectors = sub->nr_sectors;
	list_del(&sub->node);
	if (!error)
		memcpy(host->data + sub->rq_sector, sub->data, sub->nr_sectors * sizeof(u32));
	kunit_kfree(td->test, sub);
	if (host->action == SSDC_BYPASS)
		action = ssdc_bypass_done(td->e, &host->rq, error, td->now_ns);
	else
		action = ssdc_sub_done(td->e, &host->rq, &seg, error, td->now_ns);
	if (action == SSDC_COMPLETE) {
		host->action = SSDC_COMPLETE;
		host->done = true;
		check_outcome(td, host);
	}
	td_check(td);
}

static void end_flush(struct td *td, const struct td_host *host, int error)
{
	u32 i;

	for (i = 0; !error && i < td->sectors; i++)
		td->media[i] = max(td->media[i], host->cached[i]);
	if (error && td->lossy)
		memcpy(td->origin, td->media, td->sectors * sizeof(u32));
}

/* End the oldest forwarded request. */
void td_end_forward(struct td *td, int error)
{
	struct td_host *host = list_first_entry_or_null(&td->forwarded, struct td_host, node);
	u64 i;

	KUNIT_ASSERT_NOT_NULL(td->test, host);
	list_del_init(&host->node);
	for (i = 0; !error && is_discard(host) && i < host->rq.host.nr_sectors; i++)
		td->origin[host->rq.host.sector + i] = host->version;
	if (!is_discard(host))
		end_flush(td, host, error);
	ssdc_forward_done(td->e, &host->rq, error);
	td_check(td);
}

/*
 * A FLUSH of another shard fails. The origin loses what it has cached, and goes on to the FLUSH of
 * this one.
 */
void td_fail_elsewhere(struct td *td, int error, bool reported)
{
	struct td_host *host;

	memcpy(td->origin, td->media, td->sectors * sizeof(u32));
	list_for_each_entry(host, &td->forwarded, node)
		memcpy(host->cached, td->media, td->sectors * sizeof(u32));
	ssdc_flush_failed_elsewhere(td->e, error, reported);
	td_check(td);
}

/* Another device, which has what the origin had on its media, takes the place of the origin. */
void td_replace_origin(struct td *td, bool failed)
{
	memcpy(td->origin, td->media, td->sectors * sizeof(u32));
	ssdc_origin_replaced(td->e, -EIO, failed);
	td_check(td);
}

u64 td_background(struct td *td)
{
	unsigned int steps = 0;
	u64 next_ns;

	do {
		next_ns = ssdc_background(td->e, td->now_ns);
		td_check(td);
		KUNIT_ASSERT_LT_MSG(td->test, steps++, TD_MANY, "background work does not end");
	} while (!next_ns || next_ns == SSDC_GO_ON);
	return next_ns;
}

void td_settle(struct td *td)
{
	unsigned int rounds = 0;
	bool busy;

	do {
		KUNIT_ASSERT_LT_MSG(td->test, rounds++, TD_MANY, "does not come to rest");
		busy = td_run_ready(td);
		td_background(td);
		td_start_ios(td);
		busy |= td->nr_ios;
		td_end_ios(td, 0);
		while (!list_empty(&td->subs)) {
			td_end_sub(td, 0);
			busy = true;
		}
		while (!list_empty(&td->forwarded)) {
			td_end_forward(td, 0);
			busy = true;
		}
	} while (busy || !list_empty(&td->e->ready));
}

struct td_host *td_own_flush(struct td *td)
{
	struct td_host *flush = td_begin(td, SSDC_FLUSH, 0, 0);

	flush->rq.force = true;
	td_run(td, flush);
	return flush;
}

void td_until_flush(struct td *td)
{
	unsigned int rounds = 0;

	while (list_empty(&td->forwarded)) {
		KUNIT_ASSERT_LT(td->test, rounds++, TD_MANY);
		td_background(td);
		td_start_ios(td);
		td_end_ios(td, 0);
		td_run_ready(td);
	}
}

void td_fill(struct td *td, u64 first, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		struct td_host *host = td_write_page(td, first + i);

		if (!host->done)
			td_settle(td);
		TD_EXPECT_DONE(td, host);
		td_put(td, host);
	}
}

void td_load(struct td *td, u64 first, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		struct td_host *host = td_read_page(td, first + i);

		if (!host->done)
			td_settle(td);
		TD_EXPECT_DONE(td, host);
		td_put(td, host);
	}
}

void td_clean_all(struct td *td)
{
	struct td_host *host = td_begin(td, SSDC_FLUSH, 0, 0);

	host->rq.force = td->e->tunables.dram_mode == SSDC_PROTECTED;
	td_run(td, host);
	td_settle(td);
	TD_EXPECT_DONE(td, host);
	KUNIT_ASSERT_EQ(td->test, td->e->tier.dirty_pages, 0u);
}

MODULE_DESCRIPTION("KUnit suites of dm-ssdcache");
MODULE_LICENSE("GPL");
