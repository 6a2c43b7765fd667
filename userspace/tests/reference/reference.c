// SPDX-License-Identifier: GPL-2.0
/*
 * Sits between the engine and a policy, like --log-decisions of ssdcache-sim: passes each call
 * on to the policy and to its reference, and compares the answers.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../../dm-ssdcache/engine/internal.h"
#include "reference.h"

static const struct ref_type *const types[] = {
	&ref_fifo,
	&ref_lru,
	&ref_lfu,
	&ref_cflru,
	&ref_cflru_ef,
	&ref_cflru_ef_sc,
	&ref_fab,
	&ref_bplru,
	&ref_vbbms,
	&ref_req_block,
	&ref_vs_batch,
	&ref_vs_batch_plus,
	&ref_co_active,
	&ref_ecr,
	&ref_lcr,
	&ref_mq_ssd,
	&ref_clock,
	&ref_sieve,
	&ref_2q,
	&ref_s3_fifo,
	&ref_arc,
	&ref_lirs,
	&ref_mq,
	&ref_w_tinylfu,
	&ref_ccf_lru,
	&ref_ad_lru,
	&ref_gcar,
	&ref_pud_lru,
	&ref_wow,
	&ref_pr_lru,
	&ref_dulo,
	&ref_freeboard,
};

#define NR_OF(array)	(sizeof(array) / sizeof((array)[0]))
#define MAX_WATCHED	8	/* instances at a time; a change of policy uses two */
#define HISTORY		16
#define CHECK_EVERY	32	/* requests */

/* The page loop of ref_watch_loop(). */
struct loop {
	bool active;
	bool reads_enter;
	bool part_full;			/* the policy's last answer to full() */
	bool write;			/* the request in progress */
	u64 next;			/* its next page */
	u64 end;
	struct ref_list pages;		/* that the policy holds */
};

/* An instance of a policy that is compared with its reference. */
struct watched {
	struct ssdc_replacement *r;
	const struct ssdc_replacement_type *real;
	struct ssdc_replacement_type between;
	struct ref *ref;
	u64 requests;
	struct ref_request rq;
	struct loop loop;
	u32 prefetched;			/* pages, when the wish to flush early was last compared */
};

static struct watched watched[MAX_WATCHED];
static u64 decisions;

/* The most recent events, for the message. */
static char history[HISTORY][48];
static unsigned int history_at;

static void __attribute__((__format__(__printf__, 1, 2))) note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(history[history_at++ % HISTORY], sizeof(history[0]), format, args);
	va_end(args);
}

static void __attribute__((__noreturn__, __format__(__printf__, 2, 3)))
differ(const struct watched *w, const char *format, ...)
{
	char text[HISTORY * (sizeof(history[0]) + 2) + 512];
	va_list args;
	size_t at;
	unsigned int i;

	at = snprintf(text, sizeof(text), "%s: ", w->ref->type->name);
	va_start(args, format);
	at += vsnprintf(text + at, sizeof(text) - at, format, args);
	va_end(args);
	at += snprintf(text + at, sizeof(text) - at, " (decision %llu); before:", decisions);
	for (i = history_at; i < history_at + HISTORY; i++)
		if (history[i % HISTORY][0])
			at += snprintf(text + at, sizeof(text) - at, " %s;",
				       history[i % HISTORY]);
	ref_differs(text);
}

static struct watched *of(const struct ssdc_replacement *r)
{
	unsigned int i;

	for (i = 0; i < MAX_WATCHED; i++)
		if (watched[i].r == r)
			return &watched[i];
	ref_differs("internal error: this policy is not watched");
}

static u64 page_of(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(r, frame)->page);
}

static const struct ref_request *to_pages(struct watched *w, const struct ssdc_host_request *rq)
{
	u32 shift = w->r->plugin.tier->page_shift;

	if (!rq)
		return NULL;
	w->rq.id = rq->id;
	w->rq.first = rq->sector >> shift;
	w->rq.nr = ((rq->sector + rq->nr_sectors - 1) >> shift) - w->rq.first + 1;
	w->rq.sectors = rq->nr_sectors;
	w->rq.write = rq->op == SSDC_WRITE;
	w->rq.time_ns = rq->start_ns;
	return &w->rq;
}

/* Do all of the policy's deferred work at once, as a reference does. */
static void finish_steps(struct watched *w)
{
	struct ssdc_plugin *plugin = &w->r->plugin;

	while (plugin->wants_step)
		plugin->wants_step = w->real->plugin.step(plugin);
}

/* Likewise after a decision of a request. In a page loop, the engine must do so before the next. */
static void finish_decision(struct watched *w)
{
	if (!w->loop.active)
		finish_steps(w);
}

/* ---- the page loop ---- */

/* A read passes the pages up to @page that are not cached and do not enter. */
static void loop_pass(struct watched *w, u64 page)
{
	struct loop *loop = &w->loop;

	while (loop->next < min(page, loop->end) && !loop->write && !loop->reads_enter &&
	       !ref_list_has(&loop->pages, loop->next))
		loop->next++;
}

static void loop_request(struct watched *w, const struct ref_request *rq)
{
	struct loop *loop = &w->loop;

	if (!loop->active)
		return;
	loop_pass(w, loop->end);
	if (loop->next != loop->end)
		differ(w, "page %llu of the last request was left out", loop->next);
	loop->next = rq->first;
	loop->end = rq->first + rq->nr;
	loop->write = rq->write;
}

/* A hit of @page, or @page enters. */
static void loop_use(struct watched *w, u64 page, bool hit)
{
	struct loop *loop = &w->loop;

	if (!loop->active)
		return;
	loop_pass(w, page);
	if (page != loop->next || page >= loop->end)
		differ(w, "page %llu is not the next one, %llu", page, loop->next);
	loop->next++;
	if (hit)
		return;
	if (loop->pages.nr >= w->ref->frames)
		differ(w, "page %llu enters, and the tier is full", page);
	ref_list_add_tail(&loop->pages, page);
	loop->part_full = false;
}

/* Victims are asked for only if the next page needs room, or the policy has a surplus. */
static void loop_victims(struct watched *w, const struct ref_list *victims, u32 surplus)
{
	struct loop *loop = &w->loop;
	size_t i;

	if (!loop->active)
		return;
	if (loop->pages.nr < w->ref->frames && !loop->part_full && !surplus)
		differ(w, "victims are asked for, and there is room");
	loop_pass(w, loop->end);
	if (!surplus &&
	    (loop->next == loop->end || ref_list_has(&loop->pages, loop->next)))
		differ(w, "victims are asked for, and no page enters next");
	for (i = 0; i < victims->nr; i++)
		ref_list_remove(&loop->pages, victims->pages[i]);
	loop->part_full = false;
}

/* ---- the calls ---- */

static void watch_destroy(struct ssdc_replacement *r)
{
	struct watched *w = of(r);

	if (w->real->destroy)
		w->real->destroy(r);
	if (w->ref->type->destroy)
		w->ref->type->destroy(w->ref);
	ref_list_free(&w->loop.pages);
	free(w->ref);
	w->r = NULL;
}

/*
 * The engine asks only a policy that wants to flush early. To be called when both policies have just
 * been: when a prefetched page enters or leaves, neither is.
 */
static void compare_wishes(struct watched *w, const struct ssdc_replacement *r)
{
	w->prefetched = ref_prefetched(w->ref);
	if (w->ref->type->wants_early && w->ref->type->wants_early(w->ref) != !r->early_above)
		differ(w, "early_above is %u, the reference says otherwise", r->early_above);
}

static void watch_tuned(struct ssdc_replacement *r)
{
	struct watched *w = of(r);

	if (w->real->tuned)
		w->real->tuned(r);
	finish_steps(w);
	if (w->ref->type->tuned)
		w->ref->type->tuned(w->ref);
	compare_wishes(w, r);
}

static void watch_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct watched *w = of(r);
	u32 surplus = w->ref->type->surplus ? w->ref->type->surplus(w->ref) : 0;
	struct ssdc_error finding;

	if (r->surplus != surplus)
		differ(w, "surplus is %u, the reference has %u", r->surplus, surplus);
	if (w->requests++ % CHECK_EVERY == 0 && w->real->check(r, &finding))
		differ(w, "check(): %s", finding.text);
	note("request %llu: %c %llu+%llu", rq->id, rq->op == SSDC_WRITE ? 'W' : 'R',
	     to_pages(w, rq)->first, to_pages(w, rq)->nr);
	if (w->real->request)
		w->real->request(r, rq);
	finish_decision(w);
	loop_request(w, to_pages(w, rq));
	if (w->ref->type->request)
		w->ref->type->request(w->ref, to_pages(w, rq));
	if (w->real->request)
		compare_wishes(w, r);
}

static bool watch_full(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct watched *w = of(r);
	bool full = w->real->full(r, rq);

	if (w->ref->type->full(w->ref, to_pages(w, rq)) != full)
		differ(w, "the part is %sfull, the reference says otherwise", full ? "" : "not ");
	w->loop.part_full = full;
	return full;
}

static void watch_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			 const struct ssdc_host_request *rq, bool dirty)
{
	struct watched *w = of(r);

	note("insert %llu", page_of(r, frame));
	loop_use(w, page_of(r, frame), false);
	w->real->insert(r, frame, rq, dirty);
	finish_decision(w);
	w->ref->type->insert(w->ref, page_of(r, frame), to_pages(w, rq), dirty);
	compare_wishes(w, r);
}

static void watch_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool write)
{
	struct watched *w = of(r);

	note("hit %llu", page_of(r, frame));
	loop_use(w, page_of(r, frame), true);
	if (w->real->hit)
		w->real->hit(r, frame, rq, write);
	finish_decision(w);
	if (w->ref->type->hit)
		w->ref->type->hit(w->ref, page_of(r, frame), to_pages(w, rq), write);
	compare_wishes(w, r);
}

static void watch_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
			enum ssdc_flush_reason reason)
{
	struct watched *w = of(r);

	note("clean %llu", page_of(r, frame));
	if (w->real->clean)
		w->real->clean(r, frame, reason);
	finish_steps(w);
	if (w->ref->type->clean)
		w->ref->type->clean(w->ref, page_of(r, frame), reason);
	/* A policy need not look again if it has already moved the page. */
	if (w->prefetched == ref_prefetched(w->ref))
		compare_wishes(w, r);
}

static void watch_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct watched *w = of(r);

	note("remove %llu", page_of(r, frame));
	if (w->loop.active)
		ref_list_remove(&w->loop.pages, page_of(r, frame));
	w->real->remove(r, frame);
	finish_steps(w);
	w->ref->type->remove(w->ref, page_of(r, frame));
	compare_wishes(w, r);
}

/* A policy that has the tunable "width" passes its value on with each batch; others have none. */
static void compare_width(struct watched *w, const struct ssdc_batch *batch)
{
	const struct ssdc_plugin_info *info = &w->real->plugin.info;
	bool has_width = ssdc_tunable_find(info->tunables, info->nr_tunables, "width", 5);
	u32 width = has_width ? ref_tunable(w->ref, "width") : 0;

	if (batch->width != width)
		differ(w, "the batch has width %u, not %u", batch->width, width);
}

static void watch_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			  struct ssdc_batch *batch, unsigned int max)
{
	struct watched *w = of(r);
	struct ref_list expected = {};
	unsigned int i, first = batch->nr;
	u32 surplus = r->surplus;

	w->real->victims(r, view, batch, max);
	finish_decision(w);
	w->ref->type->victims(w->ref, view, &expected);
	loop_victims(w, &expected, surplus);
	decisions++;
	for (i = first; i < batch->nr; i++) {
		note("victim %llu", page_of(r, batch->frames[i]));
		if (i - first >= expected.nr)
			differ(w, "victim %u is page %llu, the reference has none", i - first,
			       page_of(r, batch->frames[i]));
		if (page_of(r, batch->frames[i]) != expected.pages[i - first])
			differ(w, "victim %u is page %llu, the reference has %llu", i - first,
			       page_of(r, batch->frames[i]), expected.pages[i - first]);
	}
	if (batch->nr - first < expected.nr)
		differ(w, "%u victims, the reference has %zu: the next is page %llu",
		       batch->nr - first, expected.nr, expected.pages[batch->nr - first]);
	if (expected.nr)
		compare_width(w, batch);
	ref_list_free(&expected);
	compare_wishes(w, r);
}

/* Do all of the policy's steps at once: a reference has no steps. */
static bool watch_early(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct watched *w = of(r);
	unsigned int i, first = batch->nr;
	bool more;
	u64 page;

	do {
		batch->goes_on = false;
		more = w->real->early(r, view, batch, max - (batch->nr - first));
	} while (more || batch->goes_on);
	finish_steps(w);
	for (i = first; i <= batch->nr && i < first + max; i++) {
		decisions++;
		page = w->ref->type->early ? w->ref->type->early(w->ref, view, i - first) :
					     REF_NO_PAGE;
		if (i < batch->nr)
			note("early flush of %llu", page_of(r, batch->frames[i]));
		if (page != (i < batch->nr ? page_of(r, batch->frames[i]) : REF_NO_PAGE))
			differ(w, "early flush %u of %u: the reference has page %llu", i - first,
			       batch->nr - first, page);
	}
	compare_wishes(w, r);
	return false;
}

static void watch_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct watched *w = of(r);

	note("adopt %llu", page_of(r, frame));
	w->real->adopt(r, frame);
	finish_steps(w);
	w->ref->type->adopt(w->ref, page_of(r, frame));
	compare_wishes(w, r);
}

static ssdc_frame_t watch_pop_hottest(struct ssdc_replacement *r)
{
	struct watched *w = of(r);
	ssdc_frame_t frame = w->real->pop_hottest(r);
	u64 page = w->ref->type->pop_hottest(w->ref);
	u64 popped = frame == SSDC_NO_FRAME ? REF_NO_PAGE : page_of(r, frame);

	finish_steps(w);
	decisions++;
	note("pop %llu", popped);
	if (popped != page)
		differ(w, "page %llu leaves for another policy, the reference says %llu", popped,
		       page);
	return frame;
}

static int watch_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return of(r)->real->check(r, finding);
}

/* ---- for the programs ---- */

/**
 * ref_type_find() - find the reference of a policy
 * @name: name of the policy
 *
 * Return: the reference or NULL.
 */
const struct ref_type *ref_type_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_OF(types); i++)
		if (!strcmp(types[i]->name, name))
			return types[i];
	return NULL;
}

static struct ref *create_ref(const struct ref_type *type, const struct ssdc_replacement *r)
{
	struct ref *ref = xcalloc(1, type->bytes);

	ref->type = type;
	ref->frames = r->capacity;
	ref->page_sectors = r->plugin.tier->page_sectors;
	ref->fast = r;
	if (type->create)
		type->create(ref);
	return ref;
}

/**
 * ref_watch() - compare a policy's decisions until it is destroyed
 * @r: instance without pages
 *
 * Return: false if the policy has no reference.
 */
bool ref_watch(struct ssdc_replacement *r)
{
	const struct ref_type *type = ref_type_find(r->plugin.type->info.name);
	struct watched *w = of(NULL);

	if (!type)
		return false;
	memset(w, 0, sizeof(*w));
	memset(history, 0, sizeof(history));
	w->r = r;
	w->real = ssdc_replacement_ops(r);
	w->ref = create_ref(type, r);
	w->between = *w->real;
	w->between.destroy = watch_destroy;
	w->between.tuned = watch_tuned;
	w->between.request = watch_request;
	w->between.full = w->real->full ? watch_full : NULL;
	w->between.insert = watch_insert;
	w->between.hit = watch_hit;
	w->between.clean = watch_clean;
	w->between.remove = watch_remove;
	w->between.victims = watch_victims;
	w->between.early = w->real->early ? watch_early : NULL;
	w->between.adopt = watch_adopt;
	w->between.pop_hottest = watch_pop_hottest;
	w->between.check = watch_check;
	r->plugin.type = &w->between.plugin;
	return true;
}

/**
 * ref_watch_loop() - expect the decisions of a page loop, too
 * @r: instance that is watched
 * @reads_enter: missed pages of reads enter; otherwise none does
 *
 * The loop that papers on buffers have in mind: for each page of a request, in order: cached, a hit;
 * not cached, victims leave until there is room, and the page enters. So the engine must serve one
 * request after the other, and nothing may fail.
 */
void ref_watch_loop(struct ssdc_replacement *r, bool reads_enter)
{
	of(r)->loop.active = true;
	of(r)->loop.reads_enter = reads_enter;
}

/* Number of decisions compared so far. */
u64 ref_decisions(void)
{
	return decisions;
}

/* ---- for the references ---- */

/* The tunable's current value in the instance being compared. */
u32 ref_tunable(const struct ref *ref, const char *name)
{
	const struct ssdc_plugin_info *info = &ref->fast->plugin.type->info;
	const struct ssdc_tunable *tunable;

	tunable = ssdc_tunable_find(info->tunables, info->nr_tunables, name, strlen(name));
	if (!tunable)
		ref_differs("a reference asks for a tunable that its policy lacks");
	return *ssdc_tunable_at(tunable, (void *)ref->fast);
}

static const struct ssdc_entry *entry_of(const struct ref *ref, u64 page)
{
	const struct ssdc_engine *e = ssdc_tier_engine(ref->fast->plugin.tier);
	ssdc_frame_t frame = ssdc_lookup(e, ssdc_page(page));

	if (frame == SSDC_NO_FRAME)
		ref_differs("a reference asks for a page that is not cached");
	return ssdc_entry_at(e, frame);
}

bool ref_dirty(const struct ref *ref, u64 page)
{
	return entry_of(ref, page)->flags & SSDC_E_DIRTY;
}

/* Is the page being read from the origin? */
bool ref_filling(const struct ref *ref, u64 page)
{
	return entry_of(ref, page)->flags & SSDC_E_FILL;
}

/* The number of the page's last access, modulo 2^32. */
u32 ref_stamp(const struct ref *ref, u64 page)
{
	return entry_of(ref, page)->stamp;
}

/* Number of cached pages that belong to the prefetcher. */
u32 ref_prefetched(const struct ref *ref)
{
	return ssdc_prefetched_pages(ref->fast->plugin.tier);
}

/* The page used more recently; either may be REF_NO_PAGE. */
u64 ref_hotter(const struct ref *ref, u64 page, u64 other)
{
	if (page == REF_NO_PAGE || other == REF_NO_PAGE)
		return page == REF_NO_PAGE ? other : page;
	return (s32)(entry_of(ref, page)->stamp - entry_of(ref, other)->stamp) >= 0 ? page :
										      other;
}

/* The most recently used page among the heads of @nr lists. */
u64 ref_hottest(const struct ref *ref, const struct ref_list *lists, unsigned int nr)
{
	u64 page = REF_NO_PAGE;
	unsigned int i;

	for (i = 0; i < nr; i++)
		page = ref_hotter(ref, ref_list_head(&lists[i]), page);
	return page;
}

/* The unit that an access to the page goes to, and its queue. */
struct ssdc_unit_query ref_chip(const struct ref *ref, u64 page, bool write)
{
	const struct ssdc_tier *tier = ref->fast->plugin.tier;
	struct ssdc_unit_query query = { .sector = page << tier->page_shift, .write = write };

	ssdc_ask_units(tier, &query, 1);
	return query;
}
