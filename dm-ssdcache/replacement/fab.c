// SPDX-License-Identifier: GPL-2.0
/*
 * FAB: the flash block with the most cached pages leaves as a whole.
 *
 * Source	Jo et al., IEEE TCE 52(2), 2006 [Jo06], as described in [Lin22] ("evicts the
 *		group that holds the largest number of pages") and as simulators implement it
 * Status	as described there; the paper itself was not available
 * Cost		O(1) per access, O(256) per eviction; 26 bytes per page
 *
 * Groups are filed by their number of pages:
 *
 *	1 page   [ D ] [ C ]		<- first page of a block
 *	2 pages  [ A ]			<- a further page
 *	5 pages  [ E ] [ B ]		B leaves: most pages, and the least recently written
 *
 * A written page makes its block the most recent of its size; a read hit does not. The block
 * that the newest request is writing leaves only if there is no other.
 *
 * The paper covers neither discards nor a change of policy. Here a block that loses a page
 * counts as just written; a block that adopts a page counts as written least recently.
 */
#include <linux/errno.h>
#include "block-group.h"

/* Sizes 0 to GROUP_MAX_SPAN; a group has size 0 only until it gets its first page. */
#define NR_SIZES (GROUP_MAX_SPAN + 1)

struct fab {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list sizes[NR_SIZES];
	u32 largest_block;		/* in pages; no group in use is larger */
	u32 writing;			/* group written by the newest request, or NO_GROUP */
	u32 block;
	u32 width;
	u64 full_blocks;
};

static struct fab *to_fab(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct fab, r);
}

static int fab_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct fab *fab = to_fab(r);

	fab->writing = NO_GROUP;
	return block_groups_create(&fab->g, r, fab->sizes, NR_SIZES, true, error);
}

static void fab_destroy(struct ssdc_replacement *r)
{
	block_groups_destroy(&to_fab(r)->g);
}

static u32 size_of(const struct fab *fab, u32 group)
{
	return block_group_at(&fab->g, group)->count;
}

/* The group of @frame's page; a new group is empty, of size 0. */
static u32 get_group(struct fab *fab, ssdc_frame_t frame)
{
	fab->largest_block = max(fab->largest_block, fab->block);
	return block_group_get(&fab->g, frame, fab->block, false, 0);
}

static void fab_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	to_fab(r)->writing = NO_GROUP;
}

static void fab_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	struct fab *fab = to_fab(r);
	u32 group = get_group(fab, frame);

	block_group_add_head(&fab->g, group, frame);
	block_group_move_head(&fab->g, group, size_of(fab, group));
	if (rq)
		fab->writing = group;
}

static void fab_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	struct fab *fab = to_fab(r);
	u32 group = block_group_of(&fab->g, frame);

	if (!write)
		return;
	block_group_touch(&fab->g, frame);
	block_group_move_head(&fab->g, group, size_of(fab, group));
	fab->writing = group;
}

static void fab_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct fab *fab = to_fab(r);
	u32 group = block_group_of(&fab->g, frame);

	if (block_group_del(&fab->g, frame))
		block_group_move_head(&fab->g, group, size_of(fab, group));
	else if (fab->writing == group)
		fab->writing = NO_GROUP;
}

/* The victim group; NO_GROUP only if there is no group at all. */
static u32 largest(const struct fab *fab)
{
	u32 size, group;

	for (size = fab->largest_block; size; size--) {
		group = fab->sizes[size].tail;
		if (group != NO_GROUP && group == fab->writing)
			group = block_group_at(&fab->g, group)->prev;
		if (group != NO_GROUP)
			return group;
	}
	return fab->writing;
}

static void fab_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	struct fab *fab = to_fab(r);
	u32 group = largest(fab);

	if (group == NO_GROUP)
		return;
	if (size_of(fab, group) == block_group_at(&fab->g, group)->span)
		fab->full_blocks++;
	if (group == fab->writing)
		fab->writing = NO_GROUP;
	block_group_take_sorted(&fab->g, group, batch, max);
	batch->width = fab->width;
}

static void fab_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct fab *fab = to_fab(r);
	u32 group = get_group(fab, frame);

	block_group_add_tail(&fab->g, group, frame);
	block_group_move_tail(&fab->g, group, size_of(fab, group));
}

static ssdc_frame_t fab_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = block_groups_hottest(&to_fab(r)->g);

	if (frame != SSDC_NO_FRAME)
		fab_remove(r, frame);
	return frame;
}

static int fab_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	const struct fab *fab = to_fab(r);
	unsigned int size;

	for (size = 0; size < NR_SIZES; size++)
		if (fab->sizes[size].pages != size * fab->sizes[size].groups)
			return ssdc_finding(finding,
					    "the list of groups of %u pages has %u groups and %u pages",
					    size, fab->sizes[size].groups, fab->sizes[size].pages);
	return block_groups_check(&fab->g, finding);
}

static const struct ssdc_tunable fab_tunables[] = {
	FLASH_BLOCK_TUNABLES(struct fab, block, width, 0),
};

static const struct ssdc_stat fab_stats[] = {
	SSDC_STAT(struct fab, g.used, "blocks", "blocks", SSDC_GAUGE,
		  "blocks with cached pages"),
	SSDC_STAT(struct fab, sizes[1].groups, "single_pages", "blocks", SSDC_GAUGE,
		  "blocks with one cached page"),
	SSDC_STAT(struct fab, full_blocks, "full_blocks", "blocks", SSDC_COUNTER,
		  "victim blocks with all their pages cached"),
};

struct ssdc_replacement_type ssdc_fab = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "fab",
			.source = "Jo et al., IEEE TCE 52(2), 2006 [Jo06]",
			.status = "as described in [Lin22]; the paper was not available",
			.doc = "the flash block with most pages leaves as a whole",
			.tunables = fab_tunables,
			.nr_tunables = ARRAY_SIZE(fab_tunables),
			.stats = fab_stats,
			.nr_stats = ARRAY_SIZE(fab_stats),
			.instance_bytes = sizeof(struct fab),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = fab_create,
	.destroy = fab_destroy,
	.request = fab_request,
	.insert = fab_insert,
	.hit = fab_hit,
	.remove = fab_remove,
	.victims = fab_victims,
	.adopt = fab_adopt,
	.pop_hottest = fab_pop_hottest,
	.check = fab_check,
};
