// SPDX-License-Identifier: GPL-2.0
/*
 * VBBMS: one region for random and one for sequential requests. Virtual blocks, which are short
 * aligned runs of pages, leave as a whole.
 *
 * Source	Du et al., IEEE TCE 2019 [Du19], as described in [Sha23] and [Lin22]
 * Status	stand-in: a request of more than `sequential_from` pages is sequential
 * Cost		O(1) per access, O(pages of a virtual block) per eviction; 26 bytes per page
 *
 *	random requests     -> [ C ] [ A ] [ F ] -> LRU of virtual blocks	3 parts
 *	sequential requests -> [ E ] [ D ] [ B ] -> FIFO of virtual blocks	2 parts
 *
 * A region that is full evicts one of its own virtual blocks before a page enters it; with
 * borrow=on, only once the DRAM tier is full. A page stays in the region that it entered, whatever
 * requests use it later. Both reads and writes count as uses.
 *
 * In [Lin22], virtual blocks have 3 pages of 4 KiB (random) or 4 (sequential); in [Sha23], 8 pages
 * of 8 KiB (random) or 6 (sequential).
 *
 * Pages that are read into DRAM count as random. Adopted pages enter the random region while
 * it has room, then the sequential one.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include "block-group.h"

enum { RANDOM, SEQUENTIAL, NR_REGIONS };

struct vbbms {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list regions[NR_REGIONS];
	u32 incoming;			/* region of the newest write, or of the page that enters */
	/* tunables */
	u32 profile;
	u32 random_block;
	u32 sequential_block;
	u32 sequential_from;
	u32 random_share;
	u32 borrow;
	/* statistics */
	u64 writes[NR_REGIONS];
	u64 victims[NR_REGIONS];
};

/* The first two words are older names of the last two, in the same order. */
static const char *const profile_words[] = { "s004", "s000", "lin22", "sha23", NULL };

static const u32 profile_blocks[][NR_REGIONS] = {
	{ 3, 4 }, { 8, 6 }, { 3, 4 }, { 8, 6 },
};

static struct vbbms *to_vbbms(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct vbbms, r);
}

/* Size of a region's virtual blocks in pages. */
static u32 span_of(const struct vbbms *v, unsigned int region)
{
	u32 own = region == RANDOM ? v->random_block : v->sequential_block;

	return own ? own : profile_blocks[v->profile][region];
}

/* A region's part of the DRAM tier in pages. */
static u32 room_of(const struct vbbms *v, unsigned int region)
{
	u32 random = div_u64((u64)v->r.capacity * v->random_share, 100);

	return region == RANDOM ? random : v->r.capacity - random;
}

static u32 excess_of(const struct vbbms *v, unsigned int region)
{
	u32 pages = v->regions[region].pages, room = room_of(v, region);

	return pages > room ? pages - room : 0;
}

/* Report the surplus to the engine; call after each change. */
static void count_surplus(struct vbbms *v)
{
	v->r.surplus = v->borrow ? 0 : excess_of(v, RANDOM) + excess_of(v, SEQUENTIAL);
}

static void vbbms_tuned(struct ssdc_replacement *r)
{
	count_surplus(to_vbbms(r));
}

static int vbbms_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct vbbms *v = to_vbbms(r);

	return block_groups_create(&v->g, r, v->regions, NR_REGIONS, true, error);
}

static void vbbms_destroy(struct ssdc_replacement *r)
{
	block_groups_destroy(&to_vbbms(r)->g);
}

static u32 classify(const struct vbbms *v, const struct ssdc_host_request *rq)
{
	u32 from = v->sequential_from ? v->sequential_from : span_of(v, SEQUENTIAL);

	return ssdc_request_pages(v->r.plugin.tier, rq) > from ? SEQUENTIAL : RANDOM;
}

static void vbbms_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct vbbms *v = to_vbbms(r);

	if (rq->op != SSDC_WRITE)
		return;
	v->incoming = classify(v, rq);
	v->writes[v->incoming]++;
}

/* Victims come from the region that the page is about to enter. */
static bool vbbms_full(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	struct vbbms *v = to_vbbms(r);
	u32 region = rq ? classify(v, rq) : RANDOM;

	if (v->borrow || !v->regions[region].pages ||
	    v->regions[region].pages < room_of(v, region))
		return false;
	v->incoming = region;
	return true;
}

static void vbbms_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			 const struct ssdc_host_request *rq, bool dirty)
{
	struct vbbms *v = to_vbbms(r);
	u32 region = rq ? classify(v, rq) : RANDOM;
	u32 group = block_group_get(&v->g, frame, span_of(v, region), region, region);
	bool fresh = !block_group_at(&v->g, group)->count;

	block_group_add_head(&v->g, group, frame);
	if (fresh || region == RANDOM)
		block_group_move_head(&v->g, group, region);
	count_surplus(v);
}

static void vbbms_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool write)
{
	struct vbbms *v = to_vbbms(r);
	u32 group = block_group_of(&v->g, frame);

	if (block_group_at(&v->g, group)->list != RANDOM)
		return;
	block_group_touch(&v->g, frame);
	block_group_move_head(&v->g, group, RANDOM);
}

static void vbbms_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	block_group_del(&to_vbbms(r)->g, frame);
	count_surplus(to_vbbms(r));
}

/*
 * The region that exceeds its part; otherwise the region of the newest write; otherwise the region
 * that has pages.
 */
static u32 victim_region(const struct vbbms *v)
{
	if (excess_of(v, RANDOM))
		return RANDOM;
	if (excess_of(v, SEQUENTIAL))
		return SEQUENTIAL;
	return v->regions[v->incoming].groups ? v->incoming : !v->incoming;
}

static void vbbms_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			  struct ssdc_batch *batch, unsigned int max)
{
	struct vbbms *v = to_vbbms(r);
	u32 region = victim_region(v);
	u32 group = v->regions[region].tail;

	if (group == NO_GROUP)
		return;
	v->victims[region]++;
	block_group_take_sorted(&v->g, group, batch, max);
	count_surplus(v);
}

static void vbbms_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct vbbms *v = to_vbbms(r);
	u32 region = v->regions[RANDOM].pages < room_of(v, RANDOM) ? RANDOM : SEQUENTIAL;
	u32 group = block_group_get(&v->g, frame, span_of(v, region), region, region);

	block_group_add_tail(&v->g, group, frame);
	count_surplus(v);
}

static ssdc_frame_t vbbms_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = block_groups_hottest(&to_vbbms(r)->g);

	if (frame != SSDC_NO_FRAME)
		vbbms_remove(r, frame);
	return frame;
}

static int vbbms_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	const struct vbbms *v = to_vbbms(r);
	u32 surplus = v->borrow ? 0 : excess_of(v, RANDOM) + excess_of(v, SEQUENTIAL);

	if (r->surplus != surplus)
		return ssdc_finding(finding,
				    "the surplus is %u, the regions exceed their shares by %u pages",
				    r->surplus, surplus);
	return block_groups_check(&v->g, finding);
}

static const struct ssdc_tunable vbbms_tunables[] = {
	{ "profile", "", "virtual block sizes of a paper: lin22 or s004: 3, 4; sha23 or s000: 8, 6",
	  offsetof(struct vbbms, profile), 0, 0, 0, profile_words },
	{ "random_block", "pages", "virtual block size of the random region; 0: by profile",
	  offsetof(struct vbbms, random_block), 0, 0, GROUP_MAX_SPAN, NULL },
	{ "sequential_block", "pages", "virtual block size of the sequential region; 0: by profile",
	  offsetof(struct vbbms, sequential_block), 0, 0, GROUP_MAX_SPAN, NULL },
	{ "sequential_from", "pages",
	  "larger requests are sequential (stand-in); 0: size of a sequential virtual block",
	  offsetof(struct vbbms, sequential_from), 0, 0, 65536, NULL },
	{ "random_share", "percent", "share of the DRAM tier for random requests",
	  offsetof(struct vbbms, random_share), 60, 1, 99, NULL },
	{ "borrow", "", "on: a region may use frames that the other region does not need",
	  offsetof(struct vbbms, borrow), 0, 0, 0, ssdc_off_on },
};

static const struct ssdc_stat vbbms_stats[] = {
	SSDC_STAT(struct vbbms, regions[RANDOM].pages, "random_pages", "pages", SSDC_GAUGE,
		  "pages in the random region"),
	SSDC_STAT(struct vbbms, regions[SEQUENTIAL].pages, "sequential_pages", "pages", SSDC_GAUGE,
		  "pages in the sequential region"),
	SSDC_STAT(struct vbbms, regions[RANDOM].groups, "random_blocks", "blocks", SSDC_GAUGE,
		  "virtual blocks in the random region"),
	SSDC_STAT(struct vbbms, regions[SEQUENTIAL].groups, "sequential_blocks", "blocks",
		  SSDC_GAUGE, "virtual blocks in the sequential region"),
	SSDC_STAT(struct vbbms, writes[RANDOM], "random_writes", "requests", SSDC_COUNTER,
		  "writes classified as random"),
	SSDC_STAT(struct vbbms, writes[SEQUENTIAL], "sequential_writes", "requests",
		  SSDC_COUNTER, "writes classified as sequential"),
	SSDC_STAT(struct vbbms, victims[RANDOM], "random_victims", "blocks", SSDC_COUNTER,
		  "virtual blocks evicted from the random region"),
	SSDC_STAT(struct vbbms, victims[SEQUENTIAL], "sequential_victims", "blocks",
		  SSDC_COUNTER, "virtual blocks evicted from the sequential region"),
};

struct ssdc_replacement_type ssdc_vbbms = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "vbbms",
			.source = "Du et al., IEEE TCE 2019 [Du19]",
			.status = "as in [Sha23], [Lin22]; stand-in: sequential detection",
			.doc = "virtual blocks in a random (LRU) and a sequential (FIFO) region",
			.tunables = vbbms_tunables,
			.nr_tunables = ARRAY_SIZE(vbbms_tunables),
			.stats = vbbms_stats,
			.nr_stats = ARRAY_SIZE(vbbms_stats),
			.instance_bytes = sizeof(struct vbbms),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES,
		},
	},
	.create = vbbms_create,
	.destroy = vbbms_destroy,
	.tuned = vbbms_tuned,
	.request = vbbms_request,
	.full = vbbms_full,
	.insert = vbbms_insert,
	.hit = vbbms_hit,
	.remove = vbbms_remove,
	.no_view = true,
	.victims = vbbms_victims,
	.adopt = vbbms_adopt,
	.pop_hottest = vbbms_pop_hottest,
	.check = vbbms_check,
};
