// SPDX-License-Identifier: GPL-2.0
/*
 * BPLRU: flash blocks in order of their last write; what was written sequentially
 * leaves first.
 *
 * Source	Kim & Ahn, FAST 2008, as described in S000 and S004
 * Status	as described there; when a block counts as written sequentially is a
 *		stand-in: all its pages are cached, and were written from the first to
 *		the last one without another of the block in between
 * Cost		O(1) per access, O(256) per eviction; 26 bytes per page
 *
 *	write -> [ C ] [ A ] [ F ] [ B ] [ D ] -> D leaves, all its pages
 *					   ^
 *		a block written sequentially to its end goes here at once
 *
 * A hit by a read does not move a block; a page that was read in does, like one that
 * was written. With padding=on the whole block is written: its pages that are not cached
 * are read first. Padding is for translation layers that map blocks; off by default, as
 * S000 and S004 map pages and report no reads for it.
 *
 * A block goes to one block of the flash (S004), so its pages are written one by one,
 * which is what costs BPLRU its speed there; serial=off writes them side by side.
 */
#include <linux/math64.h>
#include "block-group.h"

struct bplru {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list blocks;
	u32 block;
	u32 serial;
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

/* The group of the frame's page; a new one is at the tail, without pages. */
static u32 get_group(struct bplru *b, ssdc_frame_t frame)
{
	return block_group_get(&b->g, frame, b->block, false, 0);
}

/*
 * How far the block was written in sequence: @note is the page that would come next. The
 * page before it may be written again, as by two requests that have a part of it each.
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

/* A page of the group was written: most recent block, or the first to leave. */
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
			 const struct ssdc_request *rq, bool dirty)
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
		      const struct ssdc_request *rq, bool write)
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
	batch->serial = b->serial;
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

static int bplru_check(const struct ssdc_replacement *r)
{
	return block_groups_check(&to_bplru(r)->g);
}

static const struct ssdc_tunable bplru_tunables[] = {
	FLASH_BLOCK_TUNABLES(struct bplru, block, serial),
	{ "padding", "", "on: write whole blocks, reading what is not cached",
	  offsetof(struct bplru, padding), 0, 0, 0, ssdc_off_on },
};

static const struct ssdc_stat bplru_stats[] = {
	SSDC_STAT(struct bplru, blocks.groups, "blocks", "blocks", SSDC_GAUGE,
		  "blocks of which pages are cached"),
	SSDC_STAT(struct bplru, sequential_blocks, "sequential_blocks", "blocks", SSDC_COUNTER,
		  "blocks written sequentially to their end, which leave first"),
	SSDC_STAT(struct bplru, full_blocks, "full_blocks", "blocks", SSDC_COUNTER,
		  "blocks of which all pages were cached when they left"),
};

struct ssdc_replacement_type ssdc_bplru = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "bplru",
			.source = "Kim & Ahn, FAST 2008",
			.status = "as described in S000, S004; sequential detection is a stand-in",
			.doc = "flash blocks in order of last write; sequential ones leave first",
			.tunables = bplru_tunables,
			.nr_tunables = ARRAY_SIZE(bplru_tunables),
			.stats = bplru_stats,
			.nr_stats = ARRAY_SIZE(bplru_stats),
			.instance_bytes = sizeof(struct bplru),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES,
		},
	},
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
