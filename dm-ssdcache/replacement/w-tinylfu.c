// SPDX-License-Identifier: GPL-2.0
/*
 * W-TinyLFU: a page that leaves a small LRU window stays cached if it has lately been used more
 * often than the page that would leave in its place.
 *
 * Source	Einziger, Friedman & Manes, "TinyLFU: A Highly Efficient Cache Admission Policy",
 *		ACM ToS 13(4), 2017 [Einziger17], section 4; the sketch of its section 3
 * Cost		O(1) per access, with 4 counters to look up; 8 to 16 bytes per page
 *
 *	insert -> [ window: LRU ] -> candidate ---.
 *						   > the less used one: victim
 *	     [ probation ] -> last page ----------'
 *	      | hit     ^ beyond `protected` percent of the two
 *	      v         |
 *	     [ protected ]
 *
 * The candidate that wins enters probation. A sketch counts the uses of all pages that enter or are
 * hit, in DRAM or not: a page has 4 counters of 4 bits, which it shares with other pages. The
 * smallest counter is the count of the page, and only the smallest counters grow. After `sample`
 * uses per page of DRAM all counters are halved, in steps.
 *
 * The paper's doorkeeper, a filter of pages used once that makes the sketch smaller, is left out.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include "../base/alloc.h"
#include "../policy-api/replacement.h"

enum { WINDOW, PROBATION, PROTECTED, NR_LISTS };

/*
 * If a tunable changes a share, this many pages move per insert or hit, until the new share is
 * reached.
 */
#define MOVES 4

#define ROWS		4u
#define COUNTER_BITS	4u
#define COUNTER_MAX	15u
#define HALVED		0x7777777777777777ULL	/* bits left of 16 counters after a shift */

struct w_tinylfu {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	u64 *words;			/* of 16 counters */
	u32 nr_words;			/* a power of two */
	u64 used;			/* uses since the last halving, plus half of earlier ones */
	u32 halved;			/* words halved so far; nr_words: halving is over */
	/* tunables */
	u32 window;
	u32 protected;
	u32 sample;
	/* statistics */
	u64 admitted;
	u64 rejected;
	u64 halvings;
};

static struct w_tinylfu *to_w(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct w_tinylfu, r);
}

static int w_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct w_tinylfu *w = to_w(r);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&w->lists[i]);
	w->nr_words = roundup_pow_of_two(r->capacity);
	w->halved = w->nr_words;
	w->words = ssdc_alloc_array(w->nr_words, sizeof(*w->words));
	if (w->words)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "w-tinylfu: no memory: %llu bytes are needed for the sketch",
		  (unsigned long long)w->nr_words * sizeof(*w->words));
	return -ENOMEM;
}

static void w_destroy(struct ssdc_replacement *r)
{
	kvfree(to_w(r)->words);
}

/* ---- the sketch ---- */

/*
 * The word with the counter of row @row for the page; @shift: position of the counter in the word.
 */
static u64 *counter(const struct w_tinylfu *w, u64 page, u32 row, u32 *shift)
{
	static const u64 seeds[ROWS] = {
		0x9e3779b97f4a7c15ULL, 0xc2b2ae3d27d4eb4fULL,
		0x165667b19e3779f9ULL, 0xd6e8feb86659fd93ULL,
	};
	u64 hash = (page + row + 1) * seeds[row];

	hash = (hash ^ (hash >> 32)) * seeds[0];
	*shift = COUNTER_BITS * (ROWS * (hash >> 62) + row);
	return &w->words[(hash >> 24) & (w->nr_words - 1)];
}

static u32 count_of(const struct w_tinylfu *w, ssdc_frame_t frame)
{
	u64 page = ssdc_page_nr(ssdc_replacement_entry(&w->r, frame)->page);
	u32 row, shift, least = COUNTER_MAX;

	for (row = 0; row < ROWS; row++) {
		u64 *word = counter(w, page, row, &shift);

		least = min(least, (u32)(*word >> shift) & COUNTER_MAX);
	}
	return least;
}

/* The page is used: its smallest counters grow. */
static void count(struct w_tinylfu *w, ssdc_frame_t frame)
{
	u64 page = ssdc_page_nr(ssdc_replacement_entry(&w->r, frame)->page);
	u32 row, shift, least = count_of(w, frame);

	for (row = 0; row < ROWS && least < COUNTER_MAX; row++) {
		u64 *word = counter(w, page, row, &shift);

		if (((*word >> shift) & COUNTER_MAX) == least)
			*word += 1ULL << shift;
	}
	w->used++;
	if (w->used < (u64)w->r.capacity * w->sample || w->halved < w->nr_words)
		return;
	w->used /= 2;
	w->halved = 0;
	w->halvings++;
	w->r.plugin.wants_step = true;
}

static bool w_step(struct ssdc_plugin *plugin)
{
	struct w_tinylfu *w = container_of(plugin, struct w_tinylfu, r.plugin);
	u32 end = min(w->halved + SSDC_STEP_FRAMES, w->nr_words);

	for (; w->halved < end; w->halved++)
		w->words[w->halved] = (w->words[w->halved] >> 1) & HALVED;
	return w->halved < w->nr_words;
}

/* ---- the lists ---- */

static u32 window_pages(const struct w_tinylfu *w)
{
	return max_t(u32, div_u64((u64)w->r.capacity * w->window, 100), 1);
}

static u32 protected_pages(const struct w_tinylfu *w)
{
	return div_u64((u64)(w->r.capacity - window_pages(w)) * w->protected, 100);
}

static void link_head(struct w_tinylfu *w, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&w->r, frame)->list = list;
	ssdc_list_add_head(w->r.entries, &w->lists[list], frame);
}

static void w_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_w(r)->lists[ssdc_replacement_entry(r, frame)->list], frame);
}

/* Pages of @from in excess of @most enter probation. */
static void spill(struct w_tinylfu *w, u8 from, u32 most)
{
	unsigned int i;

	for (i = 0; i < MOVES && w->lists[from].count > most; i++)
		link_head(w, ssdc_list_pop_tail(w->r.entries, &w->lists[from]), PROBATION);
}

static void w_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool dirty)
{
	struct w_tinylfu *w = to_w(r);

	count(w, frame);
	link_head(w, frame, WINDOW);
	spill(w, WINDOW, window_pages(w));
}

static void w_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		  const struct ssdc_host_request *rq, bool write)
{
	struct w_tinylfu *w = to_w(r);
	u8 list = ssdc_replacement_entry(r, frame)->list;

	count(w, frame);
	w_remove(r, frame);
	link_head(w, frame, list == WINDOW ? WINDOW : PROTECTED);
	spill(w, PROTECTED, protected_pages(w));
}

static void w_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		      struct ssdc_batch *batch, unsigned int max)
{
	struct w_tinylfu *w = to_w(r);
	u8 main = ssdc_list_empty(&w->lists[PROBATION]) ? PROTECTED : PROBATION;
	ssdc_frame_t candidate = w->lists[WINDOW].tail, victim = w->lists[main].tail;

	if (candidate == SSDC_NO_FRAME && victim == SSDC_NO_FRAME)
		return;
	if (victim == SSDC_NO_FRAME) {
		victim = candidate;
	} else if (w->lists[WINDOW].count >= window_pages(w)) {
		ssdc_list_del(r->entries, &w->lists[WINDOW], candidate);
		link_head(w, candidate, PROBATION);
		if (count_of(w, candidate) > count_of(w, victim)) {
			w->admitted++;
		} else {
			w->rejected++;
			victim = candidate;
		}
	}
	w_remove(r, victim);
	ssdc_batch_add(batch, victim);
}

static void w_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_replacement_entry(r, frame)->list = PROBATION;
	ssdc_list_add_tail(r->entries, &to_w(r)->lists[PROBATION], frame);
}

static ssdc_frame_t w_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = SSDC_NO_FRAME;
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		frame = ssdc_replacement_hotter(r, to_w(r)->lists[i].head, frame);
	if (frame != SSDC_NO_FRAME)
		w_remove(r, frame);
	return frame;
}

static int w_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "window", "probation", "protected" };
	const struct w_tinylfu *w = to_w(r);

	if (w->halved < w->nr_words && !r->plugin.wants_step)
		return ssdc_finding(finding, "halving stopped after %u of %u words", w->halved,
				    w->nr_words);
	return ssdc_lists_check(r, w->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable w_tunables[] = {
	{ "window", "percent", "DRAM share of the LRU window that pages enter",
	  offsetof(struct w_tinylfu, window), 1, 1, 50, NULL },
	{ "protected", "percent", "share of the other pages that are protected after a hit",
	  offsetof(struct w_tinylfu, protected), 80, 1, 99, NULL },
	{ "sample", "uses", "uses per page of DRAM after which all counts are halved",
	  offsetof(struct w_tinylfu, sample), 10, 1, 1000, NULL },
};

static const struct ssdc_stat w_stats[] = {
	SSDC_STAT(struct w_tinylfu, lists[WINDOW].count, "window_list", "pages", SSDC_GAUGE,
		  "pages in the window"),
	SSDC_STAT(struct w_tinylfu, lists[PROBATION].count, "probation_list", "pages", SSDC_GAUGE,
		  "pages on probation"),
	SSDC_STAT(struct w_tinylfu, lists[PROTECTED].count, "protected_list", "pages", SSDC_GAUGE,
		  "protected pages"),
	SSDC_STAT(struct w_tinylfu, admitted, "admitted", "pages", SSDC_COUNTER,
		  "pages that left the window and stayed, used more often than another"),
	SSDC_STAT(struct w_tinylfu, rejected, "rejected", "pages", SSDC_COUNTER,
		  "pages that left the window and DRAM"),
	SSDC_STAT(struct w_tinylfu, halvings, "halvings", "times", SSDC_COUNTER,
		  "times that all counts were halved"),
};

struct ssdc_replacement_type ssdc_w_tinylfu = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "w-tinylfu",
			.source = "Einziger, Friedman & Manes, ACM ToS 13(4) (2017) [Einziger17]",
			.status = "as published, without the doorkeeper",
			.doc = "of a page leaving a window and another, the less used one first",
			.tunables = w_tunables,
			.nr_tunables = ARRAY_SIZE(w_tunables),
			.stats = w_stats,
			.nr_stats = ARRAY_SIZE(w_stats),
			.instance_bytes = sizeof(struct w_tinylfu),
			.page_bytes = 2 * sizeof(u64),
			.on_request = true,
		},
		.step = w_step,
	},
	.create = w_create,
	.destroy = w_destroy,
	.insert = w_insert,
	.hit = w_hit,
	.remove = w_remove,
	.no_view = true,
	.victims = w_victims,
	.adopt = w_adopt,
	.pop_hottest = w_pop_hottest,
	.check = w_check,
};
