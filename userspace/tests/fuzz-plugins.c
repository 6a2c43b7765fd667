// SPDX-License-Identifier: GPL-2.0
/*
 * The random device, the admission scheme "whim" and the prefetcher "wish" of engine-fuzz. They decide
 * at random and check that the engine keeps its side of the contract.
 */
#include "engine-fuzz.h"

/* ---- a device that makes up its reports, and repeats them until its state changes ---- */

static u32 made_up(u64 what, u32 most)
{
	return ((what + f.talk) * 0x9e3779b97f4a7c15ULL >> 40) % (most + 1);
}

static bool talk_view(void *device, struct ssdc_view *view)
{
	(void)device;
	if (!f.talks)
		return false;
	view->source = SSDC_VIEW_EXACT;
	view->channels = 1 + made_up(1, 7);
	view->dies = 1 + made_up(2, 3);
	view->idle_channels = made_up(3, view->channels);
	view->units = view->channels * view->dies * (1 + made_up(4, 3));
	view->idle_units = made_up(5, view->units);
	view->queued = made_up(6, 4 * view->units);
	view->utilisation = (view->units - view->idle_units) * 1000 / view->units;
	view->stripe_sectors = made_up(8, 4 * f.e->tier.page_sectors);
	view->collects = made_up(7, 1);
	return true;
}

static bool talk_units(void *device, struct ssdc_unit_query *queries, unsigned int nr)
{
	u32 units = 1 + made_up(7, 15);
	unsigned int i;

	(void)device;
	for (i = 0; f.talks && i < nr; i++) {
		queries[i].unit = queries[i].sector / f.e->tier.page_sectors % units;
		queries[i].depth = made_up(queries[i].unit, 3) / 2;
		if (queries[i].write && made_up(8, 3) == 0) {
			queries[i].unit = SSDC_ANY_UNIT;
			queries[i].depth = made_up(9, 7) ? made_up(10, 1) : U32_MAX;
		}
	}
	return f.talks;
}

const struct ssdc_device_ops talk_ops = { .view = talk_view, .ask_units = talk_units };

/* ---- a random admission scheme ---- */

struct whim {
	struct ssdc_admission a;
	const struct ssdc_host_request *asked; /* the write of the last admit_write() */
	unsigned int steps;		/* background steps left */
};

static struct whim *to_whim(struct ssdc_admission *a)
{
	return container_of(a, struct whim, a);
}

static void whim_observe(struct ssdc_admission *a, const struct ssdc_host_request *rq)
{
	to_whim(a)->asked = NULL;
	if (rq->op != SSDC_READ && rq->op != SSDC_WRITE)
		fail("admission is notified of a %s", ssdc_op_names[rq->op]);
	if (percent(20))
		a->tick_at_ns = rq->start_ns + below(10000000);
	if (percent(5)) {
		to_whim(a)->steps = between(1, 20);
		a->plugin.wants_step = true;
	}
}

/* Is the page cached, and not about to leave? */
static bool stays(ssdc_page_t page)
{
	ssdc_frame_t frame = ssdc_lookup(f.e, page);

	return frame != SSDC_NO_FRAME && !(ssdc_entry_at(f.e, frame)->flags & SSDC_E_VICTIM);
}

static bool whim_admit_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			    ssdc_page_t page)
{
	(void)a;
	if (rq->op != SSDC_READ || stays(page))
		fail("admit_read() is called for page %llu by a %s", ssdc_page_nr(page),
		     ssdc_op_names[rq->op]);
	return percent(50);
}

static enum ssdc_write_mode whim_admit_write(struct ssdc_admission *a,
					     const struct ssdc_host_request *rq)
{
	enum ssdc_write_mode mode = below(3);

	if (rq->op != SSDC_WRITE || to_whim(a)->asked == rq)
		fail("admit_write() is called twice for write %llu", rq->id);
	if (rq->fua && f.e->tunables.dram_mode == SSDC_VOLATILE)
		fail("admit_write() is called for FUA write %llu", rq->id);
	to_whim(a)->asked = rq;
	f.decisions[mode]++;
	return mode;
}

static void whim_ended(struct ssdc_admission *a, const struct ssdc_host_request *rq, u64 now_ns,
		       u64 latency_ns)
{
	(void)a;
	if (container_of(rq, struct ssdc_request, host)->error ||
	    (rq->op != SSDC_READ && rq->op != SSDC_WRITE) ||
	    now_ns - latency_ns != rq->start_ns)
		fail("admission is notified of the end of %s %llu", ssdc_op_names[rq->op], rq->id);
}

static void whim_tick(struct ssdc_admission *a, u64 now_ns)
{
	if (!a->tick_at_ns || now_ns < a->tick_at_ns || now_ns != f.now_ns)
		fail("tick at %llu, due at %llu", now_ns, a->tick_at_ns);
	a->tick_at_ns = percent(50) ? 0 : now_ns + 1 + below(10000000);
}

static bool whim_step(struct ssdc_plugin *plugin)
{
	struct whim *w = (struct whim *)plugin;

	if (plugin != &f.e->admission->plugin || !w->steps || f.e->frozen)
		fail("a background step that is not due");
	return --w->steps;
}

struct ssdc_admission_type whim = {
	.plugin.kind = SSDC_ADMISSION,
	.plugin.step = whim_step,
	.plugin.info = {
		.name = "whim",
		.source = "this test",
		.status = "as published",
		.doc = "decides at random",
		.instance_bytes = sizeof(struct whim),
	},
	.observe = whim_observe,
	.admit_read = whim_admit_read,
	.admit_write = whim_admit_write,
	.ended = whim_ended,
	.tick = whim_tick,
};

/* ---- a random prefetcher ---- */

struct wish {
	struct ssdc_prefetch p;
	bool replaced;		/* the last notification: a page was replaced */
};

static struct wish *to_wish(struct ssdc_prefetch *p)
{
	return container_of(p, struct wish, p);
}

static u32 random_share(void)
{
	return percent(30) ? 0 : below(f.e->tier.capacity / 2 + 1);
}

static int wish_create(struct ssdc_prefetch *p, struct ssdc_error *error)
{
	(void)error;
	p->pages_max = ssdc_random_next(&harness_random) % (p->plugin.tier->capacity / 2 + 1);
	return 0;
}

/* Mostly pages near the request, some beyond the end. */
static void wish_observe(struct ssdc_prefetch *p, const struct ssdc_host_request *rq)
{
	u32 shift = p->plugin.tier->page_shift;
	u64 page = rq->sector >> shift, nr = below(4) ? below(4) : below(100);

	if (rq->op != SSDC_READ && rq->op != SSDC_WRITE)
		fail("a prefetcher is notified of a %s", ssdc_op_names[rq->op]);
	if (percent(10))
		p->pages_max = random_share();
	while (nr--)
		ssdc_prefetch_want(p, percent(50) ? page + below(10) :
						    below(f.e->origin_sectors) >> shift);
}

static bool is_prefetched(ssdc_page_t page)
{
	ssdc_frame_t frame = ssdc_lookup(f.e, page);

	return frame != SSDC_NO_FRAME && ssdc_entry_at(f.e, frame)->prefetched;
}

static void wish_loaded(struct ssdc_prefetch *p, ssdc_page_t page)
{
	const struct request *request;

	list_for_each_entry(request, &f.requests, node)
		if (request->rq.host.op == SSDC_READ)
			fail("page %llu is prefetched although read %llu is in flight",
			     ssdc_page_nr(page), request->rq.host.id);
	if (f.e->frozen)
		fail("page %llu is prefetched although the device is suspended",
		     ssdc_page_nr(page));
	if (!is_prefetched(page))
		fail("the prefetcher is notified of page %llu too early", ssdc_page_nr(page));
	if (f.e->prefetched.count > p->pages_max && !to_wish(p)->replaced)
		fail("%u prefetched pages, limit %u", f.e->prefetched.count, p->pages_max);
	to_wish(p)->replaced = false;
	f.loaded++;
}

static void wish_hit(struct ssdc_prefetch *p, ssdc_page_t page, bool first, bool late)
{
	(void)p;
	(void)first;
	if (!is_prefetched(page))
		fail("hit of page %llu, which is not prefetched", ssdc_page_nr(page));
	f.hits[late]++;
}

static void wish_left(struct ssdc_prefetch *p, ssdc_page_t page, bool used,
		      enum ssdc_prefetch_end end)
{
	(void)used;
	if (is_prefetched(page))
		fail("page %llu has not left", ssdc_page_nr(page));
	to_wish(p)->replaced = end == SSDC_REPLACED;
	f.ends[end]++;
}

struct ssdc_prefetch_type wish = {
	.plugin.kind = SSDC_PREFETCH,
	.plugin.info = {
		.name = "wish",
		.source = "this test",
		.status = "as published",
		.doc = "prefetches at random",
		.instance_bytes = sizeof(struct wish),
	},
	.create = wish_create,
	.observe = wish_observe,
	.loaded = wish_loaded,
	.hit = wish_hit,
	.left = wish_left,
};
