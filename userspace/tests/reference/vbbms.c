// SPDX-License-Identifier: GPL-2.0
/*
 * VBBMS: virtual blocks of random requests in LRU order, those of sequential requests in FIFO
 * order; by default 3 and 2 parts of the DRAM tier.
 */
#include "reference.h"

enum { RANDOM, SEQUENTIAL, NR_REGIONS };

struct vbbms {
	struct ref ref;
	struct ref_blocks regions[NR_REGIONS];
	unsigned int incoming;		/* region of the newest write, or of the page that enters */
};

static struct vbbms *to_vbbms(struct ref *ref)
{
	return (struct vbbms *)ref;
}

static void destroy(struct ref *ref)
{
	ref_blocks_free(&to_vbbms(ref)->regions[RANDOM]);
	ref_blocks_free(&to_vbbms(ref)->regions[SEQUENTIAL]);
}

static u64 span(const struct ref *ref, unsigned int region)
{
	static const u64 lin22[] = { 3, 4 }, sha23[] = { 8, 6 };
	u64 set = ref_tunable(ref, region == RANDOM ? "random_block" : "sequential_block");

	if (set)
		return set;
	return ref_tunable(ref, "profile") % 2 ? sha23[region] : lin22[region];
}

static unsigned int region_for(const struct ref *ref, const struct ref_request *rq)
{
	u64 from = ref_tunable(ref, "sequential_from");

	return rq->nr > (from ? from : span(ref, SEQUENTIAL)) ? SEQUENTIAL : RANDOM;
}

/* A region's part of the DRAM tier. */
static u64 part(struct ref *ref, unsigned int region)
{
	u64 random = (u64)ref->frames * ref_tunable(ref, "random_share") / 100;

	return region == RANDOM ? random : ref->frames - random;
}

/* Pages that the region has beyond its part. */
static u32 excess(struct ref *ref, unsigned int region)
{
	u64 pages = ref_blocks_pages(&to_vbbms(ref)->regions[region]);

	return pages > part(ref, region) ? pages - part(ref, region) : 0;
}

static u32 surplus(struct ref *ref)
{
	return ref_tunable(ref, "borrow") ? 0 : excess(ref, RANDOM) + excess(ref, SEQUENTIAL);
}

static void request(struct ref *ref, const struct ref_request *rq)
{
	if (rq->write)
		to_vbbms(ref)->incoming = region_for(ref, rq);
}

static bool full(struct ref *ref, const struct ref_request *rq)
{
	unsigned int region = rq ? region_for(ref, rq) : RANDOM;
	u64 pages = ref_blocks_pages(&to_vbbms(ref)->regions[region]);

	if (ref_tunable(ref, "borrow") || !pages || pages < part(ref, region))
		return false;
	to_vbbms(ref)->incoming = region;
	return true;
}

/* Place of the page's block in its region; a new block is inserted at @place. */
static size_t get_block(struct ref *ref, unsigned int region, u64 page, size_t place)
{
	struct ref_blocks *blocks = &to_vbbms(ref)->regions[region];
	u64 size = span(ref, region), first = page - page % size;
	size_t at = ref_blocks_at(blocks, first, size);

	if (at < blocks->nr)
		return at;
	ref_blocks_insert(blocks, place);
	blocks->at[place].first = first;
	blocks->at[place].span = size;
	return place;
}

static void insert(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty)
{
	unsigned int region = rq ? region_for(ref, rq) : RANDOM;
	struct ref_blocks *blocks = &to_vbbms(ref)->regions[region];
	size_t at = get_block(ref, region, page, 0);

	ref_list_add_head(&blocks->at[at].pages, page);
	if (region == RANDOM)
		ref_blocks_move(blocks, at, blocks, 0);
}

static void hit(struct ref *ref, u64 page, const struct ref_request *rq, bool write)
{
	struct ref_blocks *blocks = &to_vbbms(ref)->regions[RANDOM];
	size_t at = ref_blocks_with(blocks, page);

	if (at == blocks->nr)
		return;
	ref_list_remove(&blocks->at[at].pages, page);
	ref_list_add_head(&blocks->at[at].pages, page);
	ref_blocks_move(blocks, at, blocks, 0);
}

static void remove_page(struct ref *ref, u64 page)
{
	struct ref_blocks *blocks = to_vbbms(ref)->regions;
	size_t at = ref_blocks_with(blocks, page);

	if (at == blocks->nr)
		at = ref_blocks_with(++blocks, page);
	if (at == blocks->nr)
		ref_differs("vbbms: a page is in no region of the reference");
	ref_list_remove(&blocks->at[at].pages, page);
	if (!blocks->at[at].pages.nr)
		ref_blocks_drop(blocks, at);
}

static void victims(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch)
{
	struct vbbms *v = to_vbbms(ref);
	unsigned int region = v->incoming;

	if (!v->regions[region].nr)
		region = !region;
	if (excess(ref, SEQUENTIAL))
		region = SEQUENTIAL;
	if (excess(ref, RANDOM))
		region = RANDOM;
	if (!v->regions[region].nr)
		return;
	ref_blocks_evict(&v->regions[region], v->regions[region].nr - 1, batch);
}

static void adopt(struct ref *ref, u64 page)
{
	struct vbbms *v = to_vbbms(ref);
	unsigned int region = ref_blocks_pages(&v->regions[RANDOM]) < part(ref, RANDOM) ? RANDOM :
											    SEQUENTIAL;
	size_t at = get_block(ref, region, page, v->regions[region].nr);

	ref_list_add_tail(&v->regions[region].at[at].pages, page);
}

static u64 pop_hottest(struct ref *ref)
{
	struct vbbms *v = to_vbbms(ref);
	u64 page = REF_NO_PAGE;
	unsigned int region;

	for (region = 0; region < NR_REGIONS; region++)
		if (v->regions[region].nr)
			page = ref_hotter(ref, ref_list_head(&v->regions[region].at[0].pages), page);
	if (page != REF_NO_PAGE)
		remove_page(ref, page);
	return page;
}

const struct ref_type ref_vbbms = {
	.name = "vbbms",
	.bytes = sizeof(struct vbbms),
	.destroy = destroy,
	.request = request,
	.full = full,
	.insert = insert,
	.hit = hit,
	.remove = remove_page,
	.victims = victims,
	.surplus = surplus,
	.adopt = adopt,
	.pop_hottest = pop_hottest,
};
