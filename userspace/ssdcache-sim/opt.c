// SPDX-License-Identifier: GPL-2.0
/*
 * OPT (MIN): the victim is the page whose next use is furthest away.
 *
 * Source	Belady, IBM Systems Journal 5(2) 1966 [Belady66]
 * Cost		O(log64 requests) per access; memory for the future of the whole workload, see
 *		future_bytes
 *
 * Each request of the workload has a list of the cached pages whose next use it is; one more list has
 * the pages never used again. The victim is in the last list that is not empty:
 *
 *	request	   17     18     19    …   90210   never
 *		 [ A ]   [ ]   [ C B ]     [ D ]   [ E F ]  -> F, E, D, B, C, A
 *
 * It exists only in the simulator, which reads the traces before it runs them.
 *
 * With admission write-buffer, where reads do not enter, a use is a write; otherwise it is any access.
 * With one page per request, and if every page that misses enters, no policy has more hits. With requests of
 * several pages another one may have a few more, as victims leave before all pages of the request are looked up;
 * bound_hits is the number that none exceeds. Of requests that arrive together, all count as past when one that had to
 * wait goes on. The fewest misses are neither the fewest writes to flash nor the
 * shortest times.
 *
 * [Sha23] (Fig. 1) modified OPT "by purposely avoiding cache thrashing as much as possible" without
 * further detail. Stand-in: a page that will be used again is spared if a page at most 4 away is
 * cached, because its return would count as thrashing. Up to `avoid_thrashing` pages are tried in the
 * order above. A page never used again cannot return and is not spared.
 */
#include <stdlib.h>
#include <string.h>
#include "number-set.h"
#include "opt.h"

#define NEAR_PAGES 4

struct opt {
	struct ssdc_replacement r;
	struct sim_future future;
	struct ssdc_list *lists;	/* one per record, then the pages never used again */
	struct number_set used;		/* lists that hold pages */
	u32 never;			/* number of the last list */
	u32 next;			/* enum uses */
	u32 avoid_thrashing;
	u64 future_bytes;
	u64 bound_hits;
	u64 never_used;
	u64 spared;
};

enum uses { USES_AUTO, USES_WRITE, USES_ANY };

static const char *const use_words[] = { "auto", "write", "any", NULL };

static struct opt *to_opt(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct opt, r);
}

static void opt_destroy(struct ssdc_replacement *r)
{
	struct opt *opt = to_opt(r);

	sim_future_free(&opt->future);
	number_set_free(&opt->used);
	free(opt->lists);
}

static u64 page_of(const struct opt *opt, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(&opt->r, frame)->page);
}

/* Page on no list -> page on the list of its next use. */
static void link_page(struct opt *opt, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&opt->r, frame);
	u32 next = sim_future_next(&opt->future, page_of(opt, frame));

	entry->weight = min(next, opt->never);
	entry->list = 0;
	ssdc_list_add_head(opt->r.entries, &opt->lists[entry->weight], frame);
	number_set_add(&opt->used, entry->weight);
}

static void unlink_page(struct opt *opt, ssdc_frame_t frame)
{
	struct ssdc_list *list = &opt->lists[ssdc_replacement_entry(&opt->r, frame)->weight];

	ssdc_list_del(opt->r.entries, list, frame);
	if (ssdc_list_empty(list))
		number_set_remove(&opt->used, list - opt->lists);
}

static void opt_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct opt *opt = to_opt(r);

	link_page(opt, frame);
	*sim_future_mark(&opt->future, page_of(opt, frame)) = true;
}

static void opt_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	opt_adopt(r, frame);
}

static void opt_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	unlink_page(to_opt(r), frame);
	link_page(to_opt(r), frame);
}

static void opt_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct opt *opt = to_opt(r);

	unlink_page(opt, frame);
	*sim_future_mark(&opt->future, page_of(opt, frame)) = false;
}

static bool has_neighbour(struct opt *opt, u64 page)
{
	u64 other = page < NEAR_PAGES ? 0 : page - NEAR_PAGES;

	for (; other <= page + NEAR_PAGES; other++) {
		const bool *cached = sim_future_mark(&opt->future, other);

		if (other != page && cached && *cached)
			return true;
	}
	return false;
}

/* The first page in order of eviction whose return would not be thrashing, or @last. */
static ssdc_frame_t spare_neighbours(struct opt *opt, u32 list, ssdc_frame_t last)
{
	ssdc_frame_t frame = last;
	u32 looked;

	for (looked = 0; looked < opt->avoid_thrashing; looked++) {
		if (!has_neighbour(opt, page_of(opt, frame))) {
			opt->spared += looked;
			return frame;
		}
		frame = ssdc_replacement_entry(&opt->r, frame)->prev;
		if (frame != SSDC_NO_FRAME)
			continue;
		list = list ? number_set_highest(&opt->used, list - 1) : NUMBER_SET_NONE;
		if (list == NUMBER_SET_NONE)
			break;
		frame = opt->lists[list].tail;
	}
	return last;
}

static void opt_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct opt *opt = to_opt(r);
	u32 list = number_set_highest(&opt->used, opt->never);
	ssdc_frame_t frame;

	if (list == NUMBER_SET_NONE)
		return;
	frame = opt->lists[list].tail;
	if (list == opt->never)
		opt->never_used++;
	else
		frame = spare_neighbours(opt, list, frame);
	opt_remove(r, frame);
	ssdc_batch_add(batch, frame);
}

/* For a switch of policy, which the simulator never does: any order will do. */
static ssdc_frame_t opt_pop_hottest(struct ssdc_replacement *r)
{
	struct opt *opt = to_opt(r);
	u32 list = number_set_highest(&opt->used, opt->never);
	ssdc_frame_t frame;

	if (list == NUMBER_SET_NONE)
		return SSDC_NO_FRAME;
	frame = opt->lists[list].head;
	opt_remove(r, frame);
	return frame;
}

static int opt_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	const struct opt *opt = to_opt(r);
	u32 list, highest = NUMBER_SET_NONE, pages = 0;
	int result;

	for (list = 0; list <= opt->never; list++) {
		ssdc_frame_t frame = opt->lists[list].head;

		result = ssdc_list_check(r->entries, &opt->lists[list], 0, "same next use",
					 finding);
		if (result)
			return result;
		for (; frame != SSDC_NO_FRAME; frame = ssdc_replacement_entry(r, frame)->next)
			if (ssdc_replacement_entry(r, frame)->weight != list)
				return ssdc_finding(finding,
						    "frame %u is on list %u and marked as on %u",
						    ssdc_frame_nr(frame), list,
						    ssdc_replacement_entry(r, frame)->weight);
		pages += opt->lists[list].count;
		if (opt->lists[list].count)
			highest = list;
		if (number_set_highest(&opt->used, list) != highest)
			return ssdc_finding(finding,
					    "the last list in use up to %u is %d, the set has %d (-1: none)",
					    list, (int)highest,
					    (int)number_set_highest(&opt->used, list));
	}
	return ssdc_pages_check(r, pages, finding);
}

static bool count_reads(const struct ssdc_engine *e, const struct opt *opt)
{
	if (opt->next != USES_AUTO)
		return opt->next == USES_ANY;
	return e->admission->plugin.type != &ssdc_write_buffer.plugin;
}

/**
 * sim_opt_foresee() - read the workload ahead, if the policy is this one
 * @e: engine, empty
 * @workload: what will be run
 * @discard_sectors: discards are narrowed to multiples of it
 *
 * Return: the future, in which the caller must store the number of each record before submitting it;
 * NULL if the policy is not opt. The policy owns it.
 */
struct sim_future *sim_opt_foresee(struct ssdc_engine *e, const struct sim_workload *workload,
				   u32 discard_sectors)
{
	struct opt *opt = to_opt(e->replacement);
	u32 i;

	/* Compare names, not types: --log-decisions replaces the type. */
	if (e->replacement->plugin.type->info.name != sim_opt.plugin.info.name)
		return NULL;
	sim_future_create(&opt->future, workload, e->tier.page_shift, count_reads(e, opt),
			  discard_sectors);
	opt->never = workload->nr;
	opt->lists = xmalloc((opt->never + 1ULL) * sizeof(*opt->lists));
	for (i = 0; i <= opt->never; i++)
		ssdc_list_init(&opt->lists[i]);
	number_set_create(&opt->used, opt->never + 1);
	opt->future_bytes = opt->future.bytes + opt->used.bytes +
			    (opt->never + 1ULL) * sizeof(*opt->lists);
	/* Pages leave when the tier is full; the frames of the reserve hold none that could hit. */
	opt->bound_hits = sim_future_bound(&opt->future, workload, e->tier.page_shift,
					   e->tier.capacity);
	return &opt->future;
}

static const struct ssdc_tunable opt_tunables[] = {
	{ "next", "", "the use that counts; auto: any where reads may enter, else write",
	  offsetof(struct opt, next), USES_AUTO, 0, 0, use_words },
	{ "avoid_thrashing", "pages",
	  "look at so many for one without a cached neighbour ([Sha23] Fig. 1); 0: plain OPT",
	  offsetof(struct opt, avoid_thrashing), 0, 0, 1 << 20, NULL },
};

static const struct ssdc_stat opt_stats[] = {
	SSDC_STAT(struct opt, future_bytes, "future_bytes", "bytes", SSDC_GAUGE,
		  "memory for the next uses of all pages"),
	SSDC_STAT(struct opt, bound_hits, "bound_hits", "pages", SSDC_GAUGE,
		  "page accesses that can hit at most, whatever the policy and the scheme, without prefetching"),
	SSDC_STAT(struct opt, never_used, "never_used", "pages", SSDC_COUNTER,
		  "victims that are never used again"),
	SSDC_STAT(struct opt, spared, "spared", "pages", SSDC_COUNTER,
		  "not taken because of a cached neighbour, though used later than the victim"),
};

struct ssdc_replacement_type sim_opt = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "opt",
			.source = "Belady, IBM Systems Journal 5(2) 1966 [Belady66]; [Sha23] Fig. 1",
			.status = "as published; avoid_thrashing is a stand-in; only in the simulator",
			.doc = "the page whose next use is furthest away",
			.tunables = opt_tunables,
			.nr_tunables = ARRAY_SIZE(opt_tunables),
			.stats = opt_stats,
			.nr_stats = ARRAY_SIZE(opt_stats),
			.instance_bytes = sizeof(struct opt),
			.on_request = true,
		},
	},
	.destroy = opt_destroy,
	.insert = opt_insert,
	.hit = opt_hit,
	.remove = opt_remove,
	.no_view = true,
	.victims = opt_victims,
	.adopt = opt_adopt,
	.pop_hottest = opt_pop_hottest,
	.check = opt_check,
};

/**
 * sim_opt_offer() - from now on, is opt one of the replacement policies, in lists and messages, too?
 * @offered: is it?
 *
 * Policies that do not see the whole run, such as the shadows', are chosen from the others.
 *
 * Return: whether it was one so far; at first it is not.
 */
bool sim_opt_offer(bool offered)
{
	static bool so_far;
	bool before = so_far;

	if (offered && !before && ssdc_type_register(&sim_opt.plugin))
		die(TOOL_FAILED, "internal error: %s cannot be registered", sim_opt.plugin.info.name);
	if (!offered && before)
		ssdc_type_unregister(&sim_opt.plugin);
	so_far = offered;
	return before;
}

/* Is the policy of a spec opt, whether it is offered or not? */
bool sim_opt_is_spec(const char *spec)
{
	size_t len = strcspn(spec, ":");

	return len == strlen(sim_opt.plugin.info.name) && !strncmp(spec, sim_opt.plugin.info.name, len);
}
