// SPDX-License-Identifier: GPL-2.0
/*
 * 2Q: a page is worth keeping if it is used again soon after it has left a short queue.
 *
 * Source	Johnson & Shasha, VLDB 1994 [Johnson94], "2Q, full version" (section 4)
 * Cost		O(1) per access; SSDC_GHOST_BYTES per page
 *
 *	not remembered -> [ A1in: first in, first out ] -> victim while longer than `in` percent
 *						 `-> A1out: numbers of pages that left A1in
 *	in A1out -> [ Am: LRU ] -> victim otherwise
 *		       ^ hit
 *
 * A hit in A1in changes nothing: several uses within a short time count as one use.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "ghost-share.h"

enum { A1IN, AM, NR_LISTS };

#define A1OUT 0

struct twoq {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct ssdc_ghosts ghosts;
	/* tunables: percent of the tier */
	u32 in;
	u32 out;
	/* statistics */
	u64 remembered;
};

static struct twoq *to_twoq(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct twoq, r);
}

static int twoq_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct twoq *q = to_twoq(r);

	ssdc_list_init(&q->lists[A1IN]);
	ssdc_list_init(&q->lists[AM]);
	return create_ghosts(r, &q->ghosts, 100, error);
}

static void twoq_destroy(struct ssdc_replacement *r)
{
	ssdc_ghosts_destroy(&to_twoq(r)->ghosts);
}

static void link_head(struct twoq *q, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&q->r, frame)->list = list;
	ssdc_list_add_head(q->r.entries, &q->lists[list], frame);
}

static void twoq_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	struct twoq *q = to_twoq(r);
	bool remembered = take_ghost(&q->ghosts, page_in(r, frame), NULL);

	q->remembered += remembered;
	link_head(q, frame, remembered ? AM : A1IN);
	ssdc_ghost_trim(&q->ghosts, A1OUT, share_of(r, q->out));
}

static void twoq_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool write)
{
	if (ssdc_replacement_entry(r, frame)->list == AM)
		ssdc_list_move_head(r->entries, &to_twoq(r)->lists[AM], frame);
}

static void twoq_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_twoq(r)->lists[ssdc_replacement_entry(r, frame)->list],
		      frame);
}

/*
 * The paper looks for the entering page in A1out before the victim is added to A1out. Here the look
 * comes after that, so A1out is cut to its length only when the page has entered.
 */
static void twoq_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct twoq *q = to_twoq(r);
	ssdc_frame_t frame;

	if (!ssdc_list_empty(&q->lists[AM]) && q->lists[A1IN].count <= share_of(r, q->in)) {
		ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, &q->lists[AM]));
		return;
	}
	frame = ssdc_list_pop_tail(r->entries, &q->lists[A1IN]);
	if (frame == SSDC_NO_FRAME)
		return;
	ssdc_ghost_add(&q->ghosts, A1OUT, page_in(r, frame), 0);
	ssdc_batch_add(batch, frame);
}

static void twoq_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_replacement_entry(r, frame)->list = AM;
	ssdc_list_add_tail(r->entries, &to_twoq(r)->lists[AM], frame);
}

static ssdc_frame_t twoq_pop_hottest(struct ssdc_replacement *r)
{
	struct twoq *q = to_twoq(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, q->lists[AM].head, q->lists[A1IN].head);

	if (frame != SSDC_NO_FRAME)
		twoq_remove(r, frame);
	return frame;
}

static int twoq_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "A1in", "Am" };
	const struct twoq *q = to_twoq(r);
	int result = ssdc_lists_check(r, q->lists, names, NR_LISTS, finding);

	return result ? result : ssdc_ghosts_check(&q->ghosts, finding);
}

static const struct ssdc_tunable twoq_tunables[] = {
	{ "in", "percent", "DRAM share of A1in, the queue of pages used for the first time",
	  offsetof(struct twoq, in), 25, 1, 99, NULL },
	{ "out", "percent", "pages remembered after leaving A1in, of the pages in DRAM",
	  offsetof(struct twoq, out), 50, 1, 100, NULL },
};

static const struct ssdc_stat twoq_stats[] = {
	SSDC_STAT(struct twoq, lists[A1IN].count, "a1in_list", "pages", SSDC_GAUGE,
		  "pages on A1in, used for the first time"),
	SSDC_STAT(struct twoq, lists[AM].count, "am_list", "pages", SSDC_GAUGE,
		  "pages on Am, used again after leaving A1in"),
	SSDC_STAT(struct twoq, ghosts.lists[A1OUT].count, "ghosts", "pages", SSDC_GAUGE,
		  "pages that left A1in and are remembered"),
	SSDC_STAT(struct twoq, remembered, "ghost_hits", "pages", SSDC_COUNTER,
		  "pages that entered while remembered"),
};

struct ssdc_replacement_type ssdc_2q = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "2q",
			.source = "Johnson & Shasha, VLDB 1994 [Johnson94]",
			.status = "as published, full version",
			.doc = "pages used again after leaving a queue are LRU; others leave early",
			.tunables = twoq_tunables,
			.nr_tunables = ARRAY_SIZE(twoq_tunables),
			.stats = twoq_stats,
			.nr_stats = ARRAY_SIZE(twoq_stats),
			.instance_bytes = sizeof(struct twoq),
			.page_bytes = SSDC_GHOST_BYTES,
			.on_request = true,
		},
	},
	.create = twoq_create,
	.destroy = twoq_destroy,
	.insert = twoq_insert,
	.hit = twoq_hit,
	.remove = twoq_remove,
	.no_view = true,
	.victims = twoq_victims,
	.adopt = twoq_adopt,
	.pop_hottest = twoq_pop_hottest,
	.check = twoq_check,
};
