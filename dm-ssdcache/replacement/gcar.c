// SPDX-License-Identifier: GPL-2.0
/*
 * GCaR: pages stay while their flash chip collects garbage.
 *
 * Source	Wu et al., ICS 2016 [Wu16], and its journal version: LRU with GCaR
 * Cost		O(1) per access, O(candidates) per eviction; no memory beyond struct ssdc_entry
 *
 *	insert, hit -> head [ F  E  D  C  B  A ] tail
 *	chip collects garbage	     -  +  +
 *				     `-> victim
 *
 * A page's flush, if it is dirty, or the read after its eviction, if it is clean, would wait for
 * the garbage collection. So the victim is the least recent page whose chip is not collecting. If
 * there is no such page among the last `candidates` pages, the victim is the least recent page.
 *
 * The paper looks at all pages. Only an ssdflash origin tells its state: above any other device,
 * this policy is LRU. The chip of a dirty page is known if its place is fixed (allocation=static);
 * a write that may go to any die waits for no die.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

/* Pages that one call asks the device about. */
#define ASKED 16u

struct gcar {
	struct ssdc_replacement r;
	struct ssdc_list list;
	u32 candidates;			/* tunable */
	/* statistics */
	u64 passed_over;
	u64 all_collecting;

	struct ssdc_unit_query queries[ASKED];
};

static struct gcar *to_gcar(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct gcar, r);
}

static int gcar_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_gcar(r)->list);
	return 0;
}

static void gcar_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &to_gcar(r)->list, frame);
}

static void gcar_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool write)
{
	ssdc_list_move_head(r->entries, &to_gcar(r)->list, frame);
}

static void gcar_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_gcar(r)->list, frame);
}

/*
 * Ask which chips collect garbage: those of @frame and of up to @most - 1 pages that are more
 * recent. A dirty page goes to its chip; a clean page would be read from it again. Returns the
 * number of pages.
 */
static u32 ask_chips(struct gcar *gcar, ssdc_frame_t frame, u32 most)
{
	u32 nr = 0;

	while (nr < most && frame != SSDC_NO_FRAME) {
		const struct ssdc_entry *entry = ssdc_replacement_entry(&gcar->r, frame);
		struct ssdc_unit_query *query = &gcar->queries[nr++];

		query->sector = ssdc_page_nr(entry->page) << gcar->r.plugin.tier->page_shift;
		query->write = entry->flags & SSDC_E_DIRTY;
		frame = entry->prev;
	}
	ssdc_ask_units(gcar->r.plugin.tier, gcar->queries, nr);
	return nr;
}

/*
 * The least recent candidate whose chip is not collecting, or SSDC_NO_FRAME. @passed: candidates
 * whose chips are. Mostly, the least recent page is the victim, so ask about this page alone first.
 */
static ssdc_frame_t find_victim(struct gcar *gcar, u32 *passed)
{
	ssdc_frame_t frame = gcar->list.tail;
	u32 nr, i;

	for (*passed = 0; *passed < gcar->candidates && frame != SSDC_NO_FRAME; *passed += nr) {
		nr = ask_chips(gcar, frame,
			       *passed ? min(ASKED, gcar->candidates - *passed) : 1);
		for (i = 0; i < nr && gcar->queries[i].gc; i++)
			frame = ssdc_replacement_entry(&gcar->r, frame)->prev;
		if (i < nr) {
			*passed += i;
			return frame;
		}
	}
	return SSDC_NO_FRAME;
}

static void gcar_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct gcar *gcar = to_gcar(r);
	ssdc_frame_t frame = gcar->list.tail;
	u32 passed = 0;

	if (ssdc_list_empty(&gcar->list))
		return;
	if (view->source == SSDC_VIEW_EXACT)
		frame = find_victim(gcar, &passed);
	if (frame == SSDC_NO_FRAME) {
		frame = gcar->list.tail;
		gcar->all_collecting++;
	} else {
		gcar->passed_over += passed;
	}
	ssdc_list_del(r->entries, &gcar->list, frame);
	ssdc_batch_add(batch, frame);
}

static void gcar_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &to_gcar(r)->list, frame);
}

static ssdc_frame_t gcar_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &to_gcar(r)->list);
}

static int gcar_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[] = { "lru" };

	return ssdc_lists_check(r, &to_gcar(r)->list, names, 1, finding);
}

static const struct ssdc_tunable gcar_tunables[] = {
	{ "candidates", "pages", "limit on the pages considered for one victim",
	  offsetof(struct gcar, candidates), SSDC_STEP_FRAMES, 1, 4096, NULL },
};

static const struct ssdc_stat gcar_stats[] = {
	SSDC_STAT(struct gcar, list.count, "lru_list", "pages", SSDC_GAUGE, "pages on the list"),
	SSDC_STAT(struct gcar, passed_over, "passed_over", "pages", SSDC_COUNTER,
		  "colder pages that stayed while a victim left"),
	SSDC_STAT(struct gcar, all_collecting, "all_collecting", "times", SSDC_COUNTER,
		  "evictions for which the chips of all candidates were collecting garbage"),
};

struct ssdc_replacement_type ssdc_gcar = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "gcar",
			.source = "Wu et al., ICS 2016 [Wu16]",
			.status = "as published, with LRU; looks at `candidates` pages",
			.doc = "LRU that passes over pages of chips that collect garbage",
			.tunables = gcar_tunables,
			.nr_tunables = ARRAY_SIZE(gcar_tunables),
			.stats = gcar_stats,
			.nr_stats = ARRAY_SIZE(gcar_stats),
			.instance_bytes = sizeof(struct gcar),
			.on_request = true,
		},
	},
	.long_victims = true,
	.create = gcar_create,
	.insert = gcar_insert,
	.hit = gcar_hit,
	.remove = gcar_remove,
	.victims = gcar_victims,
	.adopt = gcar_adopt,
	.pop_hottest = gcar_pop_hottest,
	.check = gcar_check,
};
