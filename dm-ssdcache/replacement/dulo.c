// SPDX-License-Identifier: GPL-2.0
/*
 * DULO, dual locality: of pages used at about the same time, pages whose neighbours can leave with
 * them leave first; single pages stay longer.
 *
 * Source	Jiang et al., FAST 2005 [Jiang05]: the abstract, a page of a book chapter by the
 *		authors, and a sentence in [Sha23]. The full text was not available.
 * Cost		O(1) per access and eviction; steps of some blocks for each sequencing
 *		bank; BLOCK_GROUP_DIRECTORY_BYTES per page, 8 KiB per cache for the lists
 *
 *	insert, hit -> correlation buffer -> sequencing bank	pages of about the same age
 *			[ 5  91  40  7 ]      [ 12 13 60 14 ]
 *						    `- full: becomes sequences
 *
 *	eviction section, by key	[ 12 13 14 ]  [ 60 ]	the lowest key leaves
 *			key		  L + 256/3    L + 256
 *
 * From the chapter: pages enter at the top of a stack. The part at the top, the correlation buffer,
 * has a fixed size. A page that leaves this part at its lower end enters the sequencing bank. Once
 * the bank is full, its pages are made into sequences: runs of pages with neighbouring addresses,
 * or single pages. The sequences enter the eviction section. There, an order by size and recency
 * says which sequence is next to leave: long and old sequences leave first.
 *
 * STAND-IN: the sizes of buffer and bank. The order of sequences is that of the key of
 * GreedyDual-Size, L + 1 / pages, in units of 1/256, where L is the key of the sequence that left
 * last; among equals, the older sequence leaves. A sequence leaves as a whole. It ends at a
 * multiple of `block` pages, so that a step is bounded. A page that is hit leaves its sequence,
 * which keeps its key, and becomes the most recent page. The times of earlier accesses, which the
 * paper keeps in a table, do not count.
 *
 * If the eviction section is empty, the oldest block of the bank becomes sequences. If the bank is
 * empty, too, the least recent page leaves.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include "block-group.h"

/* 1 in units of the keys, so large that the smallest addend, for GROUP_MAX_SPAN pages, is not 0. */
#define ONE		GROUP_MAX_SPAN

/* Work of forming sequences per step; a step may exceed it by one block. */
#define STEP_WORK	160u

/* The keys in use are L to L + ONE, so they differ modulo this number. */
#define NR_KEYS		(2 * ONE)

/*
 * Lists of groups. In the buffer, most recent first, each page is a group of its own. In the bank,
 * oldest first, groups are blocks. From EVICTION on they are sequences, one list per key, oldest
 * first; the pages of a sequence are in descending order.
 */
enum { BUFFER, BANK, EVICTION, NR_LISTS = EVICTION + NR_KEYS };

struct dulo {
	struct ssdc_replacement r;
	struct block_groups g;
	struct group_list lists[NR_LISTS];
	unsigned long keys[BITS_TO_LONGS(NR_KEYS)];	/* the keys that sequences have */
	u32 last_key;					/* L */
	/* tunables */
	u32 block;
	u32 buffer;
	u32 bank;
	/* statistics */
	u32 sequences;
	u64 refills;
	u64 single_victims;
	u64 sequence_victims;
};

static struct dulo *to_dulo(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct dulo, r);
}

static int dulo_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct dulo *dulo = to_dulo(r);

	return block_groups_create(&dulo->g, r, dulo->lists, NR_LISTS, true, error);
}

static void dulo_destroy(struct ssdc_replacement *r)
{
	block_groups_destroy(&to_dulo(r)->g);
}

static u32 share(const struct dulo *dulo, u32 percent)
{
	return max_t(u32, div_u64((u64)dulo->r.capacity * percent, 100), 1);
}

/* ---- the eviction section ---- */

/* A sequence of @count pages enters the section. Returns the list for it. */
static u32 enter_section(struct dulo *dulo, u32 count)
{
	u32 key = dulo->last_key + ONE / count;

	__set_bit(key % NR_KEYS, dulo->keys);
	dulo->sequences++;
	return EVICTION + key % NR_KEYS;
}

/* A sequence has left @list. */
static void leave_section(struct dulo *dulo, u32 list)
{
	dulo->sequences--;
	if (!dulo->lists[list].groups)
		__clear_bit(list - EVICTION, dulo->keys);
}

/* Make a sequence of pages @first to @end - 1 of a block. */
static void form_sequence(struct dulo *dulo, u32 first, u32 end)
{
	u32 group = block_group_new(&dulo->g, enter_section(dulo, end - first));

	block_group_fill(&dulo->g, group, dulo->g.slots + first, end - first);
}

/* Make sequences of the oldest block in the bank. Returns the work, in looks at a page. */
static u32 form_sequences(struct dulo *dulo)
{
	const ssdc_frame_t *slots = dulo->g.slots;
	u32 pages = block_group_at(&dulo->g, dulo->lists[BANK].head)->count;
	u32 span = block_group_dissolve(&dulo->g, dulo->lists[BANK].head);
	u32 first, end;

	for (first = 0; first < span; first = end + 1) {
		for (end = first; end < span && slots[end] != SSDC_NO_FRAME; end++)
			;
		if (end > first)
			form_sequence(dulo, first, end);
	}
	return span + 8 * pages;
}

static bool dulo_step(struct ssdc_plugin *plugin)
{
	struct dulo *dulo = container_of(plugin, struct dulo, r.plugin);
	const struct group_list *bank = &dulo->lists[BANK];
	u32 work = 0;

	while (bank->groups && work < STEP_WORK)
		work += form_sequences(dulo);
	return bank->groups;
}

/* ---- the staging section ---- */

/* Several pages at a time, as the tunable may have changed. */
static void leave_buffer(struct dulo *dulo)
{
	const struct group_list *buffer = &dulo->lists[BUFFER];
	unsigned int moves;

	for (moves = 0; moves < 4 && buffer->groups > share(dulo, dulo->buffer); moves++) {
		ssdc_frame_t frame = block_group_at(&dulo->g, buffer->tail)->head;

		block_group_del(&dulo->g, frame);
		block_group_add_head(&dulo->g, block_group_get(&dulo->g, frame, dulo->block, false,
							       BANK), frame);
	}
	if (dulo->lists[BANK].pages < share(dulo, dulo->bank) || dulo->r.plugin.wants_step)
		return;
	dulo->refills++;
	dulo->r.plugin.wants_step = true;
}

static void enter_buffer(struct dulo *dulo, ssdc_frame_t frame)
{
	u32 group = block_group_new(&dulo->g, BUFFER);

	block_group_add_head(&dulo->g, group, frame);
	block_group_move_head(&dulo->g, group, BUFFER);
	leave_buffer(dulo);
}

static void dulo_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	enter_buffer(to_dulo(r), frame);
}

static void dulo_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct dulo *dulo = to_dulo(r);
	u32 list = block_group_at(&dulo->g, block_group_of(&dulo->g, frame))->list;

	if (!block_group_del(&dulo->g, frame) && list >= EVICTION)
		leave_section(dulo, list);
}

static void dulo_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool write)
{
	dulo_remove(r, frame);
	enter_buffer(to_dulo(r), frame);
}

/* ---- eviction ---- */

/* The list of the sequences with the lowest key, if there are any. */
static u32 lowest(const struct dulo *dulo)
{
	u32 key = find_next_bit(dulo->keys, NR_KEYS, dulo->last_key % NR_KEYS);

	if (key >= NR_KEYS)
		key = find_first_bit(dulo->keys, NR_KEYS);
	return EVICTION + key;
}

static void evict_sequence(struct dulo *dulo, struct ssdc_batch *batch, unsigned int max)
{
	u32 list = lowest(dulo), group = dulo->lists[list].head;
	u32 count = block_group_at(&dulo->g, group)->count;

	dulo->last_key += (list - EVICTION - dulo->last_key) % NR_KEYS;
	if (count == 1)
		dulo->single_victims++;
	else
		dulo->sequence_victims++;
	block_group_take(&dulo->g, group, batch, max);
	if (count <= max)
		leave_section(dulo, list);
}

static void dulo_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct dulo *dulo = to_dulo(r);

	if (!dulo->sequences && dulo->lists[BANK].groups)
		form_sequences(dulo);
	if (dulo->sequences) {
		evict_sequence(dulo, batch, max);
	} else if (dulo->lists[BUFFER].groups) {
		dulo->single_victims++;
		block_group_take(&dulo->g, dulo->lists[BUFFER].tail, batch, max);
	}
}

/*
 * When the buffer is full, adopted pages become sequences of one page, of which the least recent
 * leaves first.
 */
static void dulo_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct dulo *dulo = to_dulo(r);
	u32 group = block_group_new(&dulo->g, BUFFER);

	block_group_add_head(&dulo->g, group, frame);
	if (dulo->lists[BUFFER].groups > share(dulo, dulo->buffer))
		block_group_move_head(&dulo->g, group, enter_section(dulo, 1));
}

/* The page with the highest address of the newest block or sequence. */
static ssdc_frame_t dulo_pop_hottest(struct ssdc_replacement *r)
{
	struct dulo *dulo = to_dulo(r);
	u32 group = dulo->lists[BUFFER].head, above;
	ssdc_frame_t frame;

	if (group == NO_GROUP)
		group = dulo->lists[BANK].tail;
	for (above = ONE + 1; group == NO_GROUP && above--; )
		group = dulo->lists[EVICTION + (dulo->last_key + above) % NR_KEYS].tail;
	if (group == NO_GROUP)
		return SSDC_NO_FRAME;
	frame = block_group_at(&dulo->g, group)->head;
	dulo_remove(r, frame);
	return frame;
}

static int dulo_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	const struct dulo *dulo = to_dulo(r);
	u32 above, key, sequences = 0;

	for (above = 0; above < NR_KEYS; above++) {
		key = (dulo->last_key + above) % NR_KEYS;
		sequences += dulo->lists[EVICTION + key].groups;
		if (test_bit(key, dulo->keys) != !!dulo->lists[EVICTION + key].groups ||
		    (above > ONE && test_bit(key, dulo->keys)))
			return ssdc_finding(finding,
					    "%u sequences have key L + %u, which is marked as %s",
					    dulo->lists[EVICTION + key].groups, above,
					    test_bit(key, dulo->keys) ? "used" : "unused");
	}
	if (sequences != dulo->sequences)
		return ssdc_finding(finding, "there are %u sequences, %u are counted", sequences,
				    dulo->sequences);
	if (dulo->lists[BUFFER].groups != dulo->lists[BUFFER].pages)
		return ssdc_finding(finding, "the buffer has %u pages in %u groups",
				    dulo->lists[BUFFER].pages, dulo->lists[BUFFER].groups);
	return block_groups_check(&dulo->g, finding);
}

static const struct ssdc_tunable dulo_tunables[] = {
	{ "block", "pages", "sequences end at multiples of this; those formed stay",
	  offsetof(struct dulo, block), 64, 2, GROUP_MAX_SPAN, NULL },
	{ "buffer", "percent", "DRAM share of the correlation buffer",
	  offsetof(struct dulo, buffer), 4, 1, 100, NULL },
	{ "bank", "percent", "DRAM share of the sequencing bank when it is full",
	  offsetof(struct dulo, bank), 8, 1, 100, NULL },
};

static const struct ssdc_stat dulo_stats[] = {
	SSDC_STAT(struct dulo, lists[BUFFER].pages, "buffer_pages", "pages", SSDC_GAUGE,
		  "pages in the correlation buffer"),
	SSDC_STAT(struct dulo, lists[BANK].pages, "bank_pages", "pages", SSDC_GAUGE,
		  "pages in the sequencing bank"),
	SSDC_STAT(struct dulo, sequences, "sequences", "sequences", SSDC_GAUGE,
		  "sequences in the eviction section, single pages among them"),
	SSDC_STAT(struct dulo, refills, "refills", "times", SSDC_COUNTER,
		  "times that the bank was full"),
	SSDC_STAT(struct dulo, single_victims, "single_victims", "pages", SSDC_COUNTER,
		  "victims that left alone"),
	SSDC_STAT(struct dulo, sequence_victims, "sequence_victims", "sequences", SSDC_COUNTER,
		  "sequences of several pages that left"),
};

struct ssdc_replacement_type ssdc_dulo = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "dulo",
			.source = "Jiang et al., FAST 2005 [Jiang05]",
			.status = "stand-in from abstract and a chapter: sizes, order, no past",
			.doc = "of pages of about the same age, neighbours leave first, together",
			.tunables = dulo_tunables,
			.nr_tunables = ARRAY_SIZE(dulo_tunables),
			.stats = dulo_stats,
			.nr_stats = ARRAY_SIZE(dulo_stats),
			.instance_bytes = sizeof(struct dulo),
			.page_bytes = BLOCK_GROUP_DIRECTORY_BYTES,
			.on_request = true,
		},
		.step = dulo_step,
	},
	.create = dulo_create,
	.destroy = dulo_destroy,
	.work = 4,
	.insert = dulo_insert,
	.hit = dulo_hit,
	.remove = dulo_remove,
	.no_view = true,
	.long_victims = true,
	.victims = dulo_victims,
	.adopt = dulo_adopt,
	.pop_hottest = dulo_pop_hottest,
	.check = dulo_check,
};
