// SPDX-License-Identifier: GPL-2.0
/*
 * BPLRU: flash blocks in order of their last write; sequentially written blocks leave first.
 *
 * Source	Kim & Ahn, FAST 2008 [Kim08], as described in [Sha23] and [Lin22]
 * Status	stand-in: the test for a sequentially written block. It demands that all pages of
 *		the block are cached and were written from first to last, with no other page of the
 *		block in between.
 * Cost		O(1) per access, O(256) per eviction; 26 bytes per page
 *
 *	write -> [ C ] [ A ] [ F ] [ B ] [ D ] -> D leaves with all its pages
 *					   ^
 *		a sequentially written block moves here at once
 *
 * A write, or a page read into DRAM, moves the block to the head; a read hit does not.
 *
 * padding=on reads the pages of a victim block that are not cached and writes the whole block. This
 * saves a block-mapped FTL a merge. It is off by default because [Sha23] and [Lin22] use
 * page-mapped FTLs and report no padding reads.
 *
 * In [Lin22] and [Sha23] a victim block goes to one flash block, "which fails to utilize access
 * parallelism" across channels. If the block is written page by page, BPLRU is slower than LRU on a
 * trace of [Sha23], which no paper reports. The default width, 4, is the number of planes of the
 * chips in [Sha23]; of all widths, it comes nearest to the difference from LRU that [Sha23]
 * reports.
 */
#include <linux/math64.h>
#include "block-group.h"

struct bplru {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list blocks;
	u32 block;
	u32 width;
	u32 padding;
	u64 sequential_blocks;
	u64 full_blocks;
};

static struct bplru *to_bplru(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct bplru, r);
}

static int bplru_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	return block_groups_create(&to_bplru(r)->g, r, &to_bplru(r)->blocks, 1, true, error);
}

static void bplru_destroy(struct ssdc_replacement *r)
{
	block_groups_destroy(&to_bplru(r)->g);
}

/* The group of @frame's page; a new group is empty and at the tail. */
static u32 get_group(struct bplru *b, ssdc_frame_t frame)
{
	return block_group_get(&b->g, frame, b->block, false, 0);
}

/*
 * @note is the next page offset of a sequential write. The previous page may be written
 * again, as by two requests that each cover part of it.
 */
static void note_write(struct block_group *at, ssdc_page_t page)
{
	u32 offset;

	div_u64_rem(ssdc_page_nr(page), at->span, &offset);
	if (offset == at->note || offset + 1 == at->note)
		at->note = offset + 1;
	else
		at->note = !offset;
}

/* Move a written block to the head, or to the tail if it was written sequentially. */
static void written(struct bplru *b, ssdc_frame_t frame)
{
	u32 group = block_group_of(&b->g, frame);
	struct block_group *at = block_group_at(&b->g, group);
	u32 before = at->note;

	note_write(at, ssdc_replacement_entry(&b->r, frame)->page);
	if (at->note == at->span && at->count == at->span) {
		b->sequential_blocks += before != at->note;
		block_group_move_tail(&b->g, group, 0);
	} else {
		block_group_move_head(&b->g, group, 0);
	}
}

static void bplru_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			 const struct ssdc_host_request *rq, bool dirty)
{
	struct bplru *b = to_bplru(r);
	u32 group = get_group(b, frame);

	block_group_add_head(&b->g, group, frame);
	if (rq)
		written(b, frame);
	else
		block_group_move_head(&b->g, group, 0);
}

static void bplru_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		      const struct ssdc_host_request *rq, bool write)
{
	if (!write)
		return;
	block_group_touch(&to_bplru(r)->g, frame);
	written(to_bplru(r), frame);
}

static void bplru_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	block_group_del(&to_bplru(r)->g, frame);
}

static void bplru_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			  struct ssdc_batch *batch, unsigned int max)
{
	struct bplru *b = to_bplru(r);
	u32 group = b->blocks.tail;
	const struct block_group *at;

	if (group == NO_GROUP)
		return;
	at = block_group_at(&b->g, group);
	if (at->count == at->span)
		b->full_blocks++;
	batch->width = b->width;
	batch->pad_pages = b->padding ? at->span : 0;
	block_group_take_sorted(&b->g, group, batch, max);
}

static void bplru_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct bplru *b = to_bplru(r);

	block_group_add_tail(&b->g, get_group(b, frame), frame);
}

static ssdc_frame_t bplru_pop_hottest(struct ssdc_replacement *r)
{
	ssdc_frame_t frame = block_groups_hottest(&to_bplru(r)->g);

	if (frame != SSDC_NO_FRAME)
		bplru_remove(r, frame);
	return frame;
}

static int bplru_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return block_groups_check(&to_bplru(r)->g, finding);
}

static const struct ssdc_tunable bplru_tunables[] = {
	FLASH_BLOCK_TUNABLES(struct bplru, block, width, 4),
	{ "padding", "", "on: write whole blocks; read the pages that are not cached",
	  offsetof(struct bplru, padding), 0, 0, 0, ssdc_off_on },
};

static const struct ssdc_stat bplru_stats[] = {
	SSDC_STAT(struct bplru, blocks.groups, "blocks", "blocks", SSDC_GAUGE,
		  "blocks with cached pages"),
	SSDC_STAT(struct bplru, sequential_blocks, "sequential_blocks", "blocks", SSDC_COUNTER,
		  "sequentially written blocks, which leave first"),
	SSDC_STAT(struct bplru, full_blocks, "full_blocks", "blocks", SSDC_COUNTER,
		  "victim blocks with all their pages cached"),
};

struct ssdc_replacement_type ssdc_bplru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "bplru",
			.source = "Kim & Ahn, FAST 2008 [Kim08]",
			.status = "as in [Sha23], [Lin22]; stand-in: sequential detection",
			.doc = "flash blocks by last write; sequentially written ones leave first",
			.tunables = bplru_tunables,
			.nr_tunables = ARRAY_SIZE(bplru_tunables),
			.stats = bplru_stats,
			.nr_stats = ARRAY_SIZE(bplru_stats),
			.instance_bytes = sizeof(struct bplru),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES,
		},
	},
	.long_victims = true,
	.no_view = true,
	.create = bplru_create,
	.destroy = bplru_destroy,
	.insert = bplru_insert,
	.hit = bplru_hit,
	.remove = bplru_remove,
	.victims = bplru_victims,
	.adopt = bplru_adopt,
	.pop_hottest = bplru_pop_hottest,
	.check = bplru_check,
};
