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

struct gcar {
	struct ssdc_replacement r;
	struct ssdc_list list;
	u32 candidates;			/* tunable */
	/* statistics */
	u64 passed_over;
	u64 all_collecting;
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
 * Is the page's chip collecting garbage? A dirty page goes to this chip; a clean page would be read
 * from it again.
 */
static bool is_collecting(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	const struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);
	struct ssdc_unit_query query = {
		.sector = ssdc_page_nr(entry->page) << r->plugin.tier->page_shift,
		.write = entry->flags & SSDC_E_DIRTY,
	};

	ssdc_ask_units(r->plugin.tier, &query, 1);
	return query.gc;
}

static void gcar_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct gcar *gcar = to_gcar(r);
	ssdc_frame_t frame = gcar->list.tail;
	u32 passed = 0;

	if (ssdc_list_empty(&gcar->list))
		return;
	while (view->source == SSDC_VIEW_EXACT && passed < gcar->candidates &&
	       frame != SSDC_NO_FRAME && is_collecting(r, frame)) {
		frame = ssdc_replacement_entry(r, frame)->prev;
		passed++;
	}
	if (frame == SSDC_NO_FRAME || passed == gcar->candidates) {
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
	.create = gcar_create,
	.insert = gcar_insert,
	.hit = gcar_hit,
	.remove = gcar_remove,
	.victims = gcar_victims,
	.adopt = gcar_adopt,
	.pop_hottest = gcar_pop_hottest,
	.check = gcar_check,
};
