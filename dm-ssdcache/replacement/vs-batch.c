// SPDX-License-Identifier: GPL-2.0
/*
 * VS-Batch: pages that a hit page sees in the visibility graph stay cached with it.
 *
 * Source	Sha et al., DATE 2022 [Sha22], as described in [Sha23]
 * Status	stand-in: the victims. [Sha23] says that VS-Batch has no batch evictions; the
 *		abstract of [Sha22], whose text was not available, says that evictions are done
 *		in batches: evict=idle.
 * Cost		O(128) per hit; a build of the graph is O(n), or O(n log n) if most pages are
 *		new, in the background; 35 bytes per page
 *
 * The lists are those of vs-lists.h. The graph is rebuilt each time the host has written as much as
 * the DRAM tier holds. The victim is the tail of the Eviction list; with evict=idle, there are as
 * many victims as idle channels, but at least one.
 */
#include <linux/math64.h>
#include "vs-lists.h"

enum { EVICT_IDLE, EVICT_ONE };

struct vs_batch {
	struct vs_lists vs;
	u64 written;		/* sectors since the last build began */
	u32 rebuild;
	u32 evict;
};

static const char *const evict_words[] = { "idle", "one", NULL };

static struct vs_batch *to_vb(struct ssdc_replacement *r)
{
	return container_of(to_vs(r), struct vs_batch, vs);
}

/* Sectors written between two builds. */
static u64 period(const struct vs_batch *vb)
{
	const struct ssdc_replacement *r = &vb->vs.r;

	return div_u64((u64)r->capacity * r->plugin.tier->page_sectors * vb->rebuild, 100);
}

static void vb_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct vs_batch *vb = to_vb(r);

	if (vb->vs.filling)
		vb->written = 0;
	else if (rq->op == SSDC_WRITE)
		vb->written += rq->nr_sectors;
	if (vb->written < period(vb))
		return;
	vb->written = 0;
	vs_build(&vb->vs);
}

static void vb_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
		       struct ssdc_batch *batch, unsigned int max)
{
	struct vs_batch *vb = to_vb(r);
	unsigned int limit = vb->evict == EVICT_IDLE ? clamp(view->idle_channels, 1u, max) : 1;
	ssdc_frame_t frame = vs_victim(&vb->vs);
	unsigned int pages;

	for (pages = 0; pages < limit && frame != SSDC_NO_FRAME; pages++) {
		ssdc_batch_add(batch, frame);
		vs_evict(&vb->vs, frame);
		frame = vb->vs.lists[VS_EVICTION].tail;
	}
	if (pages)
		vs_evicted(&vb->vs, pages);
}

static const struct ssdc_tunable vb_tunables[] = {
	{ "rebuild", "percent", "of the DRAM tier's size that is written between two builds",
	  offsetof(struct vs_batch, rebuild), 100, 1, 10000, NULL },
	{ "evict", "", "pages per eviction: idle: one per idle channel; one: one",
	  offsetof(struct vs_batch, evict), EVICT_ONE, 0, 0, evict_words },
	VS_TUNABLES(struct vs_batch),
};

static const struct ssdc_stat vb_stats[] = {
	VS_STATS(struct vs_batch),
};

struct ssdc_replacement_type ssdc_vs_batch = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.step = vs_step,
		.info = {
			.name = "vs-batch",
			.source = "Sha et al., DATE 2022 [Sha22]",
			.status = "as described in [Sha23]; stand-in: the victims",
			.doc = "pages that a hit page sees in the visibility graph stay with it",
			.tunables = vb_tunables,
			.nr_tunables = ARRAY_SIZE(vb_tunables),
			.stats = vb_stats,
			.nr_stats = ARRAY_SIZE(vb_stats),
			.instance_bytes = sizeof(struct vs_batch),
			.page_bytes = VISIBILITY_GRAPH_BYTES,
		},
	},
	.create = vs_create,
	.destroy = vs_destroy,
	.request = vb_request,
	.hit_work = 2 * VG_WINDOW,
	.insert = vs_insert,
	.hit = vs_hit,
	.remove = vs_remove,
	.victims = vb_victims,
	.adopt = vs_adopt,
	.pop_hottest = vs_pop_hottest,
	.check = vs_check,
};
