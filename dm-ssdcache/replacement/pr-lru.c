// SPDX-License-Identifier: GPL-2.0
/*
 * PR-LRU: of the old pages, the page that is least likely to be used again leaves; clean pages
 * leave first.
 *
 * Source	Yuan et al., IEEE Access 5, 2017 [Yuan17]: the abstract, and a sentence in
 *		[Shin23]. The full text was not available.
 * Cost		O(1) per access, O(candidates) per eviction; 1 byte per page
 *
 *	clean	most recent [ H  G  F | E  C  A ] least recent: candidates
 *	dirty	most recent [ M  L  K | D  B ]	  likewise
 *
 *	PR: E 5, C 1, A 3, D 2, B 4, mean 3: C, A and D are cold; C leaves
 *
 * From the abstract: the victim is chosen by a probability of reference (PR), which is calculated
 * from three variables. From [Shin23]: clean cold pages of a pool of candidates leave first.
 *
 * STAND-IN: the three variables are how often a page was used, the time since its last use, and the
 * mean interval between its uses; time counts the pages accessed. PR = uses / (time + interval),
 * where the interval of a page that was used once is the time. The pool has the `candidates` least
 * recent clean pages and as many dirty ones. A page is cold if its PR is at most the pool's mean.
 * The clean cold page with the lowest PR leaves. If there is none, the page with the lowest PR
 * leaves, which is dirty. Among equals, the least recent page leaves.
 *
 * As dirty pages stay and age, the mean falls, and fewer clean pages are cold: dirty pages do not
 * fill the DRAM tier.
 *
 * A page that a flush has cleaned moves to its place among the clean pages; the search for the
 * place stops after SSDC_STEP_FRAMES pages, so the order of old clean pages is approximate after a
 * FLUSH of many pages.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "../base/alloc.h"
#include "../policy-api/replacement.h"

enum { CLEAN, DIRTY, NR_LISTS };

/* Number of fractional bits of a PR. */
#define PR_SHIFT	32
#define MOST_USES	255
#define MOST_CANDIDATES	32u

/*
 * The candidates of a list: their number, and the one with the lowest PR, the least recent among
 * equals.
 */
struct pool {
	u32 nr;
	u64 lowest;
	ssdc_frame_t frame;
	u32 place;			/* counted from the least recent candidate */
};

/* @weight of an entry is the stamp of the first use. */
struct pr_lru {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	u8 *uses;			/* by frame */
	u32 now;			/* stamp of the newest use */
	/* tunable */
	u32 candidates;
	/* statistics */
	u64 clean_victims;
	u64 dirty_victims;
	u64 passed_over;
};

static struct pr_lru *to_pr(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct pr_lru, r);
}

static int pr_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct pr_lru *pr = to_pr(r);
	unsigned int i;

	for (i = 0; i < NR_LISTS; i++)
		ssdc_list_init(&pr->lists[i]);
	pr->uses = ssdc_alloc_array(r->nr_frames, sizeof(*pr->uses));
	if (pr->uses)
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "pr-lru: no memory: %u bytes are needed to count the uses of pages",
		  r->nr_frames);
	return -ENOMEM;
}

static void pr_destroy(struct ssdc_replacement *r)
{
	kvfree(to_pr(r)->uses);
}

static u8 list_of(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(r, frame)->flags & SSDC_E_DIRTY ? DIRTY : CLEAN;
}

static void first_use(struct pr_lru *pr, ssdc_frame_t frame)
{
	struct ssdc_entry *entry = ssdc_replacement_entry(&pr->r, frame);

	entry->list = list_of(&pr->r, frame);
	entry->weight = entry->stamp;
	pr->uses[ssdc_frame_nr(frame)] = 1;
}

static void pr_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool dirty)
{
	struct pr_lru *pr = to_pr(r);
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	first_use(pr, frame);
	pr->now = entry->stamp;
	ssdc_list_add_head(r->entries, &pr->lists[entry->list], frame);
}

static void pr_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_pr(r)->lists[ssdc_replacement_entry(r, frame)->list], frame);
}

static void pr_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		   const struct ssdc_host_request *rq, bool write)
{
	struct pr_lru *pr = to_pr(r);
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	u8 *uses = &pr->uses[ssdc_frame_nr(frame)];

	pr_remove(r, frame);
	entry->list = list_of(r, frame);
	pr->now = entry->stamp;
	if (*uses < MOST_USES)
		(*uses)++;
	ssdc_list_add_head(r->entries, &pr->lists[entry->list], frame);
}

/* The page keeps its place in the order of use. */
static void pr_clean(struct ssdc_replacement *r, ssdc_frame_t frame, enum ssdc_flush_reason reason)
{
	struct ssdc_list *clean = &to_pr(r)->lists[CLEAN];
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	ssdc_frame_t older = clean->tail, behind = SSDC_NO_FRAME;
	unsigned int steps;

	if (entry->list == CLEAN)
		return;
	pr_remove(r, frame);
	entry->list = CLEAN;
	for (steps = 0; steps < SSDC_STEP_FRAMES && older != SSDC_NO_FRAME; steps++) {
		if (ssdc_replacement_hotter(r, older, frame) == older)
			break;
		behind = older;
		older = ssdc_replacement_entry(r, older)->prev;
	}
	ssdc_list_add_before(r->entries, clean, frame, behind);
}

/*
 * The PR, computed with numerator and denominator multiplied by the number of intervals, so that
 * one division is enough.
 */
static u64 pr_of(const struct pr_lru *pr, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_replacement_entry(&pr->r, frame);
	u64 uses = pr->uses[ssdc_frame_nr(frame)], intervals = uses - 1;
	u64 time = (u64)(u32)(pr->now - entry->stamp) + 1;

	if (!intervals)
		return div64_u64(1ULL << PR_SHIFT, 2 * time);
	return div64_u64((uses * intervals) << PR_SHIFT,
			 time * intervals + (u32)(entry->stamp - entry->weight));
}

/* Returns the sum of the candidates' PR. */
static u64 look_at_candidates(const struct pr_lru *pr, u8 list, struct pool *pool)
{
	ssdc_frame_t frame = pr->lists[list].tail;
	u64 sum = 0;

	*pool = (struct pool){ .lowest = U64_MAX, .frame = SSDC_NO_FRAME };
	while (pool->nr < pr->candidates && frame != SSDC_NO_FRAME) {
		u64 value = pr_of(pr, frame);

		sum += value;
		if (value < pool->lowest) {
			pool->lowest = value;
			pool->frame = frame;
			pool->place = pool->nr;
		}
		pool->nr++;
		frame = ssdc_replacement_entry(&pr->r, frame)->prev;
	}
	return sum;
}

static void pr_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct pr_lru *pr = to_pr(r);
	struct pool pools[NR_LISTS];
	bool has_cold;
	u64 sum;
	u8 list;

	sum = look_at_candidates(pr, CLEAN, &pools[CLEAN]);
	sum += look_at_candidates(pr, DIRTY, &pools[DIRTY]);
	has_cold = pools[CLEAN].nr &&
		   pools[CLEAN].lowest * (pools[CLEAN].nr + pools[DIRTY].nr) <= sum;
	list = has_cold ? CLEAN : DIRTY;
	if (!pools[list].nr)
		return;
	pr->passed_over += pools[list].place;
	if (list == DIRTY)
		pr->dirty_victims++;
	else
		pr->clean_victims++;
	ssdc_list_del(r->entries, &pr->lists[list], pools[list].frame);
	ssdc_batch_add(batch, pools[list].frame);
}

static void pr_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct pr_lru *pr = to_pr(r);
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	if (ssdc_list_empty(&pr->lists[CLEAN]) && ssdc_list_empty(&pr->lists[DIRTY]))
		pr->now = entry->stamp;
	first_use(pr, frame);
	ssdc_list_add_tail(r->entries, &pr->lists[entry->list], frame);
}

static ssdc_frame_t pr_pop_hottest(struct ssdc_replacement *r)
{
	struct pr_lru *pr = to_pr(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, pr->lists[CLEAN].head,
						     pr->lists[DIRTY].head);

	if (frame != SSDC_NO_FRAME)
		pr_remove(r, frame);
	return frame;
}

static int pr_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "clean", "dirty" };
	const struct pr_lru *pr = to_pr(r);
	ssdc_frame_t frame;
	u8 list;

	for (list = 0; list < NR_LISTS; list++) {
		for (frame = pr->lists[list].head; frame != SSDC_NO_FRAME;
		     frame = ssdc_replacement_entry(r, frame)->next) {
			if (list_of(r, frame) != list &&
			    !(ssdc_replacement_entry(r, frame)->flags & SSDC_E_UNNOTIFIED))
				return ssdc_finding(finding, "frame %u is on list \"%s\"",
						    ssdc_frame_nr(frame), names[list]);
			if (!pr->uses[ssdc_frame_nr(frame)])
				return ssdc_finding(finding, "frame %u has no use",
						    ssdc_frame_nr(frame));
		}
	}
	return ssdc_lists_check(r, pr->lists, names, NR_LISTS, finding);
}

static const struct ssdc_tunable pr_tunables[] = {
	{ "candidates", "pages", "limit on the clean pages, and on the dirty ones, considered",
	  offsetof(struct pr_lru, candidates), MOST_CANDIDATES, 1, MOST_CANDIDATES, NULL },
};

static const struct ssdc_stat pr_stats[] = {
	SSDC_STAT(struct pr_lru, lists[CLEAN].count, "clean_list", "pages", SSDC_GAUGE,
		  "clean pages"),
	SSDC_STAT(struct pr_lru, lists[DIRTY].count, "dirty_list", "pages", SSDC_GAUGE,
		  "dirty pages"),
	SSDC_STAT(struct pr_lru, clean_victims, "clean_victims", "pages", SSDC_COUNTER,
		  "clean victims"),
	SSDC_STAT(struct pr_lru, dirty_victims, "dirty_victims", "pages", SSDC_COUNTER,
		  "dirty victims"),
	SSDC_STAT(struct pr_lru, passed_over, "passed_over", "pages", SSDC_COUNTER,
		  "colder pages of the victims' lists that stayed"),
};

struct ssdc_replacement_type ssdc_pr_lru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "pr-lru",
			.source = "Yuan et al., IEEE Access 5, 2017 [Yuan17]",
			.status = "stand-in from abstract: probability, pool, what is cold",
			.doc = "of old pages, the least likely to be used again; clean ones first",
			.tunables = pr_tunables,
			.nr_tunables = ARRAY_SIZE(pr_tunables),
			.stats = pr_stats,
			.nr_stats = ARRAY_SIZE(pr_stats),
			.instance_bytes = sizeof(struct pr_lru),
			.page_bytes = sizeof(u8),
			.on_request = true,
		},
	},
	.create = pr_create,
	.destroy = pr_destroy,
	.insert = pr_insert,
	.hit = pr_hit,
	.clean = pr_clean,
	.clean_work = SSDC_STEP_FRAMES,
	.remove = pr_remove,
	.no_view = true,
	.long_victims = true,
	.victims = pr_victims,
	.adopt = pr_adopt,
	.pop_hottest = pr_pop_hottest,
	.check = pr_check,
};
