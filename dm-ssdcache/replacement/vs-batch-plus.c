// SPDX-License-Identifier: GPL-2.0
/*
 * VS-Batch+: VS-Batch that rebuilds its graph when the graph has aged, and evicts cold neighbours
 * together.
 *
 * Source	Sha et al., ACM TOS 19(3), 2023 [Sha23], sections 3.2 and 3.3, Alg. 1,
 *		Fig. 2 to 4
 * Status	as published; choices where the paper is silent are listed here and in
 *		vs-lists.h
 * Cost		O(128) per hit and per eviction; a build of the graph is O(n), in the
 *		background; 35 bytes per page
 *
 * The graph is rebuilt when more than a fifth of its pages have left. The victim is the tail
 * of the Eviction list. The pages on that list that the victim sees and whose counts are not
 * higher leave with it, up to the number of idle channels:
 *
 *	Eviction	[ 7 ] [ 31 ] [ 40 ] [ 9 ] [ 8 ]	   8 leaves, and those of 7, 9, 31
 *							   and 40 that it sees
 *
 * Choices where the paper is silent or contradicts itself:
 *
 * - A batch has at most as many pages as there are idle channels, but at least one, as the text
 *   says. Taken literally (literal=on), Alg. 1, line 22, allows up to two pages more.
 * - In the text, all visible pages "which have a smaller access count" leave (sections 3.2.4 and
 *   3.3). In Alg. 1, line 22, only pages of type 10 leave, which are near: lower=near. An equal
 *   count counts as a smaller one, as for type 10.
 * - If too many pages qualify, those with the lowest addresses leave.
 * - Pages that a discard drops count as gone, too.
 */
#include "vs-lists.h"

enum { LOWER_NEAR, LOWER_VISIBLE };

struct vs_batch_plus {
	struct vs_lists vs;
	u32 rebuild;
	u32 lower;
	u32 literal;
	u64 companions;
};

static const char *const lower_words[] = { "near", "visible", NULL };

static struct vs_batch_plus *to_vbp(struct ssdc_replacement *r)
{
	return container_of(to_vs(r), struct vs_batch_plus, vs);
}

/* Section 3.2.2: request a rebuild after pages have left; a running build suffices. */
static void build_if_aged(struct vs_batch_plus *vbp)
{
	const struct vg_copy *now = visibility_graph_now(&vbp->vs.graph);

	if ((u64)now->gone * 1000 > (u64)now->nr * vbp->rebuild && !vbp->vs.r.plugin.wants_step)
		vs_build(&vbp->vs);
}

static void vbp_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	vs_remove(r, frame);
	build_if_aged(to_vbp(r));
}

/* Limit on the pages that leave with the victim. */
static unsigned int max_companions(const struct vs_batch_plus *vbp, const struct ssdc_view *view,
				   unsigned int max)
{
	unsigned int pages = view->idle_channels ? view->idle_channels - 1 : 0;

	return min(vbp->literal ? view->idle_channels + 1 : pages, max - 1);
}

/*
 * Add the pages on the Eviction list that a victim of rank @rank sees on one side, in order of
 * addresses, at most @limit. Returns the number of pages added.
 */
static unsigned int add_companions(const struct vs_batch_plus *vbp, u32 rank, enum vg_side side,
				   struct ssdc_batch *batch, unsigned int limit)
{
	const struct vg_copy *now = visibility_graph_now(&vbp->vs.graph);
	u32 gap = vbp->lower == LOWER_VISIBLE ? VG_ANY_GAP : vbp->vs.gap;
	u32 first = vg_first_rank(rank, side);
	struct vg_marks level;
	unsigned int companions = 0;
	u64 left;

	if (!limit)
		return 0;
	level = vs_levels(&vbp->vs, vg_marks_beside(now, rank, side));
	left = level.here & level.high & level.low;
	left = vg_look(&vbp->vs.graph, rank, side, gap, (struct vg_pages){ left, 0 }).lower;
	for (; left && companions < limit; companions++)
		ssdc_batch_add(batch, now->frames[vg_next_rank(first, &left)]);
	return companions;
}

/* Alg. 1, vs_batch_evict(). */
static void vbp_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct vs_batch_plus *vbp = to_vbp(r);
	unsigned int limit = max_companions(vbp, view, max), companions, i;
	ssdc_frame_t frame = vs_victim(&vbp->vs);
	u32 rank;

	if (frame == SSDC_NO_FRAME)
		return;
	rank = vg_rank_of(&vbp->vs.graph, frame);
	if (rank == VG_NO_RANK)
		limit = 0;
	ssdc_batch_add(batch, frame);
	companions = add_companions(vbp, rank, VG_BEFORE, batch, limit);
	companions += add_companions(vbp, rank, VG_BEHIND, batch, limit - companions);
	for (i = batch->nr - companions - 1; i < batch->nr; i++)
		vs_evict(&vbp->vs, batch->frames[i]);
	vbp->companions += companions;
	vs_evicted(&vbp->vs, 1 + companions);
	build_if_aged(vbp);
}

static const struct ssdc_tunable vbp_tunables[] = {
	{ "rebuild", "permille", "share of the graph's pages that may leave before a rebuild",
	  offsetof(struct vs_batch_plus, rebuild), 200, 1, 293, NULL },
	{ "lower", "", "companions of a victim: pages it sees, not higher: near; visible: far too",
	  offsetof(struct vs_batch_plus, lower), LOWER_VISIBLE, 0, 0, lower_words },
	{ "literal", "", "on: up to idle channels + 1 companions, as Alg. 1 is written",
	  offsetof(struct vs_batch_plus, literal), 0, 0, 0, ssdc_off_on },
	VS_TUNABLES(struct vs_batch_plus),
};

static const struct ssdc_stat vbp_stats[] = {
	VS_STATS(struct vs_batch_plus),
	SSDC_STAT(struct vs_batch_plus, companions, "companions", "pages", SSDC_COUNTER,
		  "pages that left with a victim that sees them"),
};

struct ssdc_replacement_type ssdc_vs_batch_plus = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.step = vs_step,
		.info = {
			.name = "vs-batch-plus",
			.source = "Sha et al., ACM TOS 19(3), 2023 [Sha23]",
			.status = "as published; a batch has at most one page per idle channel",
			.doc = "vs-batch whose cold neighbours leave together; its graph ages",
			.tunables = vbp_tunables,
			.nr_tunables = ARRAY_SIZE(vbp_tunables),
			.stats = vbp_stats,
			.nr_stats = ARRAY_SIZE(vbp_stats),
			.instance_bytes = sizeof(struct vs_batch_plus),
			.page_bytes = VISIBILITY_GRAPH_BYTES,
		},
	},
	.create = vs_create,
	.destroy = vs_destroy,
	.hit_work = 2 * VG_WINDOW,
	.long_victims = true,
	.insert = vs_insert,
	.hit = vs_hit,
	.remove = vbp_remove,
	.victims = vbp_victims,
	.adopt = vs_adopt,
	.pop_hottest = vs_pop_hottest,
	.check = vs_check,
};
