// SPDX-License-Identifier: GPL-2.0
/*
 * ECR: the page with the lowest cost of eviction leaves.
 *
 * Source	Chen et al., CCPE 33(15) e5395 (2021) [Chen21]: the abstract, and the
 *		descriptions in [Zhou23] and [Lin22]. The full text was not available.
 * Cost		O(1) per access, O(candidates) per eviction; no memory beyond
 *		struct ssdc_entry
 *
 * A dirty page costs the time that its write waits for its flash chip; a clean page costs
 * nothing. From the abstract: the victim is the page that "causes the shortest waiting time
 * in the corresponding chip queue", found with one list of pages per chip.
 *
 * STAND-IN:
 *
 * - cost = commands queued at the chip, plus the page's own program; 0 for clean pages
 * - The cheapest page always leaves, the least recent one among equals. In the abstract it
 *   leaves only with "a higher probability".
 * - One LRU list replaces the lists per chip. Candidates are the last `candidates` pages, within
 *   the last `window` percent of the list. So the geometry may change, and no young pages of a chip
 *   leave if the chip has no old pages.
 */
#include <linux/errno.h>
#include "cold-end.h"

struct ecr {
	struct ssdc_replacement r;
	struct cold_end cold;
	struct ssdc_unit_query queries[SSDC_STEP_FRAMES];
};

static struct ecr *to_ecr(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct ecr, r);
}

static int ecr_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_ecr(r)->cold.list);
	return 0;
}

static void ecr_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	cold_end_insert(&to_ecr(r)->cold, r, frame);
}

static void ecr_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	ssdc_list_move_head(r->entries, &to_ecr(r)->cold.list, frame);
}

static void ecr_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_ecr(r)->cold.list, frame);
}

/* Prepare queries for the dirty candidates colder than the first clean one, @clean. */
static u32 look(struct ecr *ecr, ssdc_frame_t *clean)
{
	u32 nr, most = cold_end_pages(&ecr->cold);
	ssdc_frame_t frame = ecr->cold.list.tail;

	*clean = SSDC_NO_FRAME;
	for (nr = 0; nr < most; nr++) {
		if (!cold_end_is_dirty(&ecr->r, frame)) {
			*clean = frame;
			break;
		}
		ecr->queries[nr].sector = cold_end_sector(&ecr->r, frame);
		ecr->queries[nr].write = true;
		frame = ssdc_replacement_entry(&ecr->r, frame)->prev;
	}
	return nr;
}

/* The candidate with the shortest queue, the coldest among equals. */
static u32 cheapest(struct ecr *ecr, u32 nr)
{
	u32 best = 0, i;

	ssdc_ask_units(ecr->r.plugin.tier, ecr->queries, nr);
	for (i = 1; i < nr; i++)
		if (ecr->queries[i].depth < ecr->queries[best].depth)
			best = i;
	return best;
}

static void ecr_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct ecr *ecr = to_ecr(r);
	ssdc_frame_t frame;
	u32 nr, best, i;

	if (ssdc_list_empty(&ecr->cold.list))
		return;
	nr = look(ecr, &frame);
	if (frame != SSDC_NO_FRAME) {
		cold_end_take(&ecr->cold, r, batch, frame, nr, 0);
		return;
	}
	best = cheapest(ecr, nr);
	frame = ecr->cold.list.tail;
	for (i = 0; i < best; i++)
		frame = ssdc_replacement_entry(r, frame)->prev;
	cold_end_take(&ecr->cold, r, batch, frame, best, ecr->queries[best].depth);
}

static void ecr_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	cold_end_adopt(&to_ecr(r)->cold, r, frame);
}

static ssdc_frame_t ecr_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &to_ecr(r)->cold.list);
}

static int ecr_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return cold_end_check(&to_ecr(r)->cold, r, finding);
}

static const struct ssdc_tunable ecr_tunables[] = {
	COLD_END_TUNABLES(struct ecr, cold),
};

static const struct ssdc_stat ecr_stats[] = {
	COLD_END_STATS(struct ecr, cold),
};

struct ssdc_replacement_type ssdc_ecr = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "ecr",
			.source = "Chen et al., CCPE 33(15) e5395 (2021) [Chen21]",
			.status = "stand-in from abstract, [Zhou23], [Lin22]: cost, candidates",
			.doc = "near LRU end: a clean page, or the one with the least busy chip",
			.tunables = ecr_tunables,
			.nr_tunables = ARRAY_SIZE(ecr_tunables),
			.stats = ecr_stats,
			.nr_stats = ARRAY_SIZE(ecr_stats),
			.instance_bytes = sizeof(struct ecr),
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = ecr_create,
	.insert = ecr_insert,
	.hit = ecr_hit,
	.remove = ecr_remove,
	.victims = ecr_victims,
	.adopt = ecr_adopt,
	.pop_hottest = ecr_pop_hottest,
	.check = ecr_check,
};
