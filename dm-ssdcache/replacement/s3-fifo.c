// SPDX-License-Identifier: GPL-2.0
/*
 * S3-FIFO: three queues, first in, first out. Most pages leave a small one quickly.
 *
 * Source	Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023 [Yang23],
 *		Algorithm 1; details that it leaves open are as in libCacheSim [Yang20], by the same
 *		authors
 * Cost		O(1) per hit, no list operation; up to `looks` pages per eviction;
 *		SSDC_GHOST_BYTES per page
 *
 *	not remembered -> [ small: `small` percent of DRAM ] -> fewer hits: victim, remembered
 *				 | `promote_hits` hits
 *				 v
 *	remembered ->	  [ main ] -> not used: victim
 *			     ^	 `-> used: count less 1, another round
 *
 * A hit adds 1 to the page's count, which stops at 3. Until the first eviction, pages that find the
 * small queue full enter the main one, as in libCacheSim. After `looks` moves, the next page leaves
 * regardless of its count, because an eviction must not take long.
 */
#include "ghost-share.h"

enum { SMALL, MAIN, NR_LISTS };

#define MOST_USES 3u

struct s3_fifo {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct ssdc_ghosts ghosts;
	bool has_evicted;
	/* tunables */
	u32 small;
	u32 remember;
	u32 promote_hits;
	u32 looks;
	/* statistics */
	u64 remembered;
	u64 promoted;
	u64 spared;
	u64 cut_short;
};

static struct s3_fifo *to_s3(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct s3_fifo, r);
}

static int s3_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct s3_fifo *s3 = to_s3(r);

	ssdc_list_init(&s3->lists[SMALL]);
	ssdc_list_init(&s3->lists[MAIN]);
	return create_ghosts(r, &s3->ghosts, 100, error);
}

static void s3_destroy(struct ssdc_replacement *r)
{
	ssdc_ghosts_destroy(&to_s3(r)->ghosts);
}

static u32 small_pages(const struct s3_fifo *s3)
{
	return max(share_of(&s3->r, s3->small), 1u);
}

/* @weight of an entry is the count. */
static void link_head(struct s3_fifo *s3, ssdc_frame_t frame, u8 list, u32 count)
{
	ssdc_replacement_entry(&s3->r, frame)->list = list;
	ssdc_replacement_entry(&s3->r, frame)->weight = count;
	ssdc_list_add_head(s3->r.entries, &s3->lists[list], frame);
}

static void s3_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	struct s3_fifo *s3 = to_s3(r);
	u8 list = SMALL;

	if (take_ghost(&s3->ghosts, page_in(r, frame), NULL)) {
		s3->remembered++;
		list = MAIN;
	} else if (!s3->has_evicted && s3->lists[SMALL].count >= small_pages(s3)) {
		list = MAIN;
	}
	link_head(s3, frame, list, 0);
	ssdc_ghost_trim(&s3->ghosts, 0, share_of(r, s3->remember));
}

static void s3_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	entry->weight = min(entry->weight + 1, MOST_USES);
}

static void s3_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_s3(r)->lists[ssdc_replacement_entry(r, frame)->list], frame);
}

/* Move pages that were used often enough to the main queue. Returns the first page that was not. */
static ssdc_frame_t leave_small(struct s3_fifo *s3, u32 *looks)
{
	struct ssdc_list *small = &s3->lists[SMALL];
	ssdc_frame_t frame = small->tail, first = frame;
	u32 nr = 0;

	while (frame != SSDC_NO_FRAME) {
		struct ssdc_entry *entry = ssdc_replacement_entry(&s3->r, frame);

		if (entry->weight < s3->promote_hits)
			break;
		if (!*looks) {
			s3->cut_short++;
			break;
		}
		(*looks)--;
		entry->list = MAIN;
		entry->weight = 0;
		first = frame;
		frame = entry->prev;
		nr++;
	}
	s3->promoted += nr;
	ssdc_list_move_tails(s3->r.entries, small, &s3->lists[MAIN], first, nr);
	if (frame != SSDC_NO_FRAME) {
		ssdc_list_del(s3->r.entries, small, frame);
		ssdc_ghost_add(&s3->ghosts, 0, page_in(&s3->r, frame), 0);
	}
	return frame;
}

/* Give another round to pages that were used. Returns the first page that was not. */
static ssdc_frame_t leave_main(struct s3_fifo *s3, u32 looks)
{
	struct ssdc_list *main = &s3->lists[MAIN];
	ssdc_frame_t frame = main->tail, first = frame;
	u32 nr = 0;

	if (ssdc_list_empty(main))
		return SSDC_NO_FRAME;
	for (; looks && ssdc_replacement_entry(&s3->r, frame)->weight; looks--) {
		ssdc_replacement_entry(&s3->r, frame)->weight--;
		s3->spared++;
		first = frame;
		frame = ssdc_replacement_entry(&s3->r, frame)->prev;
		nr++;
		/* A whole round leaves the queue as it was. */
		if (frame == SSDC_NO_FRAME) {
			frame = main->tail;
			nr = 0;
		}
	}
	ssdc_list_move_tails(s3->r.entries, main, main, first, nr);
	s3->cut_short += ssdc_replacement_entry(&s3->r, frame)->weight != 0;
	return ssdc_list_pop_tail(s3->r.entries, main);
}

static void s3_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct s3_fifo *s3 = to_s3(r);
	ssdc_frame_t frame = SSDC_NO_FRAME;
	u32 looks = s3->looks;

	s3->has_evicted = true;
	if (s3->lists[MAIN].count + small_pages(s3) <= r->capacity)
		frame = leave_small(s3, &looks);
	if (frame == SSDC_NO_FRAME)
		frame = leave_main(s3, looks);
	if (frame == SSDC_NO_FRAME)
		frame = leave_small(s3, &looks);
	if (frame != SSDC_NO_FRAME)
		ssdc_batch_add(batch, frame);
}

static void s3_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_replacement_entry(r, frame)->list = MAIN;
	ssdc_list_add_tail(r->entries, &to_s3(r)->lists[MAIN], frame);
}

/* Hits do not change the queues: their youngest pages stand for the most recent ones. */
static ssdc_frame_t s3_pop_hottest(struct ssdc_replacement *r)
{
	struct s3_fifo *s3 = to_s3(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, s3->lists[MAIN].head,
						     s3->lists[SMALL].head);

	if (frame != SSDC_NO_FRAME)
		s3_remove(r, frame);
	return frame;
}

static int s3_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "small", "main" };
	const struct s3_fifo *s3 = to_s3(r);
	int result = ssdc_lists_check(r, s3->lists, names, NR_LISTS, finding);

	return result ? result : ssdc_ghosts_check(&s3->ghosts, finding);
}

static const struct ssdc_tunable s3_tunables[] = {
	{ "small", "percent", "DRAM share of the small queue",
	  offsetof(struct s3_fifo, small), 10, 1, 90, NULL },
	{ "ghosts", "percent", "pages remembered after leaving the small queue, of those in DRAM",
	  offsetof(struct s3_fifo, remember), 90, 0, 100, NULL },
	{ "promote_hits", "hits", "hits after which a page moves from the small queue to the main",
	  offsetof(struct s3_fifo, promote_hits), 2, 1, MOST_USES, NULL },
	{ "looks", "pages", "pages that an eviction may move",
	  offsetof(struct s3_fifo, looks), 256, 1, 4096, NULL },
};

static const struct ssdc_stat s3_stats[] = {
	SSDC_STAT(struct s3_fifo, lists[SMALL].count, "small_list", "pages", SSDC_GAUGE,
		  "pages in the small queue"),
	SSDC_STAT(struct s3_fifo, lists[MAIN].count, "main_list", "pages", SSDC_GAUGE,
		  "pages in the main queue"),
	SSDC_STAT(struct s3_fifo, ghosts.lists[0].count, "ghosts", "pages", SSDC_GAUGE,
		  "pages that left the small queue and are remembered"),
	SSDC_STAT(struct s3_fifo, remembered, "ghost_hits", "pages", SSDC_COUNTER,
		  "pages that entered while remembered"),
	SSDC_STAT(struct s3_fifo, promoted, "promoted", "pages", SSDC_COUNTER,
		  "pages moved from the small to the main queue"),
	SSDC_STAT(struct s3_fifo, spared, "spared", "pages", SSDC_COUNTER,
		  "pages of the main queue given another round"),
	SSDC_STAT(struct s3_fifo, cut_short, "cut_short", "pages", SSDC_COUNTER,
		  "victims that had been used, because of the limit on looks"),
};

struct ssdc_replacement_type ssdc_s3_fifo = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "s3-fifo",
			.source = "Yang et al., SOSP 2023 [Yang23]",
			.status = "as in libCacheSim; an eviction moves at most `looks` pages",
			.doc = "pages not used soon leave a small queue; others have more rounds",
			.tunables = s3_tunables,
			.nr_tunables = ARRAY_SIZE(s3_tunables),
			.stats = s3_stats,
			.nr_stats = ARRAY_SIZE(s3_stats),
			.instance_bytes = sizeof(struct s3_fifo),
			.page_bytes = SSDC_GHOST_BYTES,
			.on_request = true,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = s3_create,
	.destroy = s3_destroy,
	.insert = s3_insert,
	.hit = s3_hit,
	.remove = s3_remove,
	.victims = s3_victims,
	.adopt = s3_adopt,
	.pop_hottest = s3_pop_hottest,
	.check = s3_check,
};
