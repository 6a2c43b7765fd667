// SPDX-License-Identifier: GPL-2.0
/*
 * LIRS: pages are judged by their inter-reference recency, the number of different pages used
 * between their last two uses. Pages with a low inter-reference recency (LIR) stay; the others are
 * HIR.
 *
 * Source	Jiang & Zhang, SIGMETRICS 2002 [Jiang02], section 3
 * Cost		O(1) per access; 2 * SSDC_GHOST_BYTES per page
 *
 *	stack S, by last use	[ f  H  c  n  h  b  a ]   a: its bottom, the coldest LIR page
 *	LIR pages		[ f     c        b  a ]   used again while in S
 *	queue Q of HIR pages	[ H  y  h  x ] -> victim  x, y: used too long ago for S
 *	left, but still in S: n
 *
 * A page that is used while it is in S becomes LIR, and the bottom of S becomes HIR and goes to the
 * end of Q. "Stack pruning" then removes the HIR pages below the new bottom.
 *
 * S is not a list here. A page is in S if it was last used after the bottom of S; the time of its
 * last use is @weight of its entry, or the value of its ghost. So pruning takes no time, however
 * many pages it removes: @floor is the time of the bottom's last use, and only grows. Times are
 * stamps, which wrap, so S has no page that was last used more than MOST_AGE accesses ago.
 * Otherwise a bottom that is not used for 2^31 accesses would seem newer than all pages used later,
 * and no page would become LIR.
 *
 * The paper does not limit the number of pages that have left but are in S. Here the limit is
 * `ghosts` percent of the pages in DRAM; beyond it, the pages that were evicted first leave S.
 */
#include "ghost-share.h"

enum { LIR, HIR, NR_LISTS };

/*
 * If the share of LIR pages shrinks, this many pages per use become HIR, until the new share is
 * reached.
 */
#define MOVES 4

/* Most accesses since a page in S was last used. */
#define MOST_AGE 0x40000000u

struct lirs {
	struct ssdc_replacement r;
	struct ssdc_list lists[NR_LISTS];
	struct ssdc_ghosts ghosts;
	u32 now;		/* stamp of the newest use */
	u32 floor;		/* last use of the bottom of S, or MOST_AGE before @now */
	bool has_floor;
	/* tunables: percent of the tier */
	u32 hir;
	u32 remember;
	/* statistics */
	u64 promoted;
	u64 demoted;
	u64 remembered;
};

static struct lirs *to_lirs(const struct ssdc_replacement *r)
{
	return container_of((struct ssdc_replacement *)r, struct lirs, r);
}

static int lirs_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct lirs *lirs = to_lirs(r);

	ssdc_list_init(&lirs->lists[LIR]);
	ssdc_list_init(&lirs->lists[HIR]);
	return create_ghosts(r, &lirs->ghosts, 200, error);
}

static void lirs_destroy(struct ssdc_replacement *r)
{
	ssdc_ghosts_destroy(&to_lirs(r)->ghosts);
}

static u32 lir_pages(const struct lirs *lirs)
{
	return lirs->r.capacity - max(share_of(&lirs->r, lirs->hir), 1u);
}

static bool has_room(const struct lirs *lirs)
{
	return lirs->lists[LIR].count < lir_pages(lirs);
}

/* Is a HIR page, or one that has left, in S if it was last used at @stamp? */
static bool in_stack(const struct lirs *lirs, u32 stamp)
{
	return !lirs->has_floor || (s32)(stamp - lirs->floor) > 0;
}

/* Is a use too long ago for S? */
static bool is_too_old(const struct lirs *lirs, u32 stamp)
{
	return lirs->now - stamp > MOST_AGE;
}

/* Set @floor anew, as the bottom of S may have changed, or time has passed. */
static void prune(struct lirs *lirs)
{
	ssdc_frame_t bottom = lirs->lists[LIR].tail;
	u32 stamp;

	if (is_too_old(lirs, lirs->floor))
		lirs->floor = lirs->now - MOST_AGE;
	if (bottom == SSDC_NO_FRAME)
		return;
	stamp = ssdc_replacement_entry(&lirs->r, bottom)->weight;
	if (is_too_old(lirs, stamp) || !in_stack(lirs, stamp))
		return;
	lirs->floor = stamp;
	lirs->has_floor = true;
}

static void link_head(struct lirs *lirs, ssdc_frame_t frame, u8 list)
{
	ssdc_replacement_entry(&lirs->r, frame)->list = list;
	ssdc_list_add_head(lirs->r.entries, &lirs->lists[list], frame);
}

static void unlink_page(struct lirs *lirs, ssdc_frame_t frame)
{
	ssdc_list_del(lirs->r.entries, &lirs->lists[ssdc_replacement_entry(&lirs->r, frame)->list],
		      frame);
}

/* Unlinked page -> top of S. */
static void use(struct lirs *lirs, ssdc_frame_t frame, u8 list)
{
	struct ssdc_list *lir = &lirs->lists[LIR];
	unsigned int i;

	lirs->now = ssdc_replacement_entry(&lirs->r, frame)->stamp;
	ssdc_replacement_entry(&lirs->r, frame)->weight = lirs->now;
	link_head(lirs, frame, list);
	for (i = 0; i < MOVES && lir->count > lir_pages(lirs); i++) {
		link_head(lirs, ssdc_list_pop_tail(lirs->r.entries, lir), HIR);
		lirs->demoted++;
	}
	prune(lirs);
}

static void lirs_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	struct lirs *lirs = to_lirs(r);
	bool remembered;
	u32 stamp;

	remembered = take_ghost(&lirs->ghosts, page_in(r, frame), &stamp) && in_stack(lirs, stamp);
	lirs->remembered += remembered;
	use(lirs, frame, remembered || has_room(lirs) ? LIR : HIR);
	ssdc_ghost_trim(&lirs->ghosts, 0, share_of(r, lirs->remember));
}

static void lirs_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool write)
{
	struct lirs *lirs = to_lirs(r);
	u8 list = ssdc_replacement_entry(r, frame)->list;

	if (list == HIR && (in_stack(lirs, ssdc_replacement_entry(r, frame)->weight) ||
			    has_room(lirs))) {
		lirs->promoted++;
		list = LIR;
	}
	unlink_page(lirs, frame);
	use(lirs, frame, list);
}

static void lirs_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	unlink_page(to_lirs(r), frame);
	prune(to_lirs(r));
}

static void lirs_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct lirs *lirs = to_lirs(r);
	u8 list = ssdc_list_empty(&lirs->lists[HIR]) ? LIR : HIR;
	ssdc_frame_t frame = ssdc_list_pop_tail(r->entries, &lirs->lists[list]);
	u32 stamp;

	if (frame == SSDC_NO_FRAME)
		return;
	stamp = ssdc_replacement_entry(r, frame)->weight;
	if (list == HIR && in_stack(lirs, stamp))
		ssdc_ghost_add(&lirs->ghosts, 0, page_in(r, frame), stamp);
	prune(lirs);
	ssdc_batch_add(batch, frame);
}

/*
 * Adopted pages become LIR pages below all others in S; once there are enough, they become HIR
 * pages that are not in S. @stamp does not tell the place of a page in S: a page that arrives
 * because it is used has the newest stamp.
 */
static void lirs_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct lirs *lirs = to_lirs(r);
	struct ssdc_entry *entry = ssdc_replacement_entry(r, frame);

	/* The first page is the most recent one. */
	if (!lirs->has_floor)
		lirs->now = entry->stamp;
	entry->list = has_room(lirs) ? LIR : HIR;
	entry->weight = lirs->has_floor ? lirs->floor : entry->stamp;
	ssdc_list_add_tail(r->entries, &lirs->lists[entry->list], frame);
	prune(lirs);
}

static ssdc_frame_t lirs_pop_hottest(struct ssdc_replacement *r)
{
	struct lirs *lirs = to_lirs(r);
	ssdc_frame_t frame = ssdc_replacement_hotter(r, lirs->lists[LIR].head,
						     lirs->lists[HIR].head);

	if (frame != SSDC_NO_FRAME)
		lirs_remove(r, frame);
	return frame;
}

static int lirs_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[NR_LISTS] = { "LIR", "HIR" };
	const struct lirs *lirs = to_lirs(r);
	int result = ssdc_lists_check(r, lirs->lists, names, NR_LISTS, finding);

	if (result)
		return result;
	if (lirs->has_floor && is_too_old(lirs, lirs->floor))
		return ssdc_finding(finding, "S reaches back %u accesses, the most is %u",
				    lirs->now - lirs->floor, MOST_AGE);
	return ssdc_ghosts_check(&lirs->ghosts, finding);
}

static const struct ssdc_tunable lirs_tunables[] = {
	{ "hir", "percent", "DRAM share of HIR pages, those whose inter-reference recency is high",
	  offsetof(struct lirs, hir), 1, 1, 50, NULL },
	{ "ghosts", "percent", "pages remembered after leaving, of the pages in DRAM",
	  offsetof(struct lirs, remember), 200, 0, 200, NULL },
};

static const struct ssdc_stat lirs_stats[] = {
	SSDC_STAT(struct lirs, lists[LIR].count, "lir_list", "pages", SSDC_GAUGE, "LIR pages"),
	SSDC_STAT(struct lirs, lists[HIR].count, "hir_list", "pages", SSDC_GAUGE, "HIR pages"),
	SSDC_STAT(struct lirs, ghosts.lists[0].count, "ghosts", "pages", SSDC_GAUGE,
		  "pages that left and are remembered"),
	SSDC_STAT(struct lirs, promoted, "promoted", "pages", SSDC_COUNTER,
		  "HIR pages that a hit made LIR"),
	SSDC_STAT(struct lirs, demoted, "demoted", "pages", SSDC_COUNTER,
		  "LIR pages that became HIR"),
	SSDC_STAT(struct lirs, remembered, "ghost_hits", "pages", SSDC_COUNTER,
		  "pages that entered while remembered, as LIR"),
};

struct ssdc_replacement_type ssdc_lirs = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "lirs",
			.source = "Jiang & Zhang, SIGMETRICS 2002 [Jiang02]",
			.status = "as published; pages remembered are limited",
			.doc = "pages with few other pages between their last two uses stay",
			.tunables = lirs_tunables,
			.nr_tunables = ARRAY_SIZE(lirs_tunables),
			.stats = lirs_stats,
			.nr_stats = ARRAY_SIZE(lirs_stats),
			.instance_bytes = sizeof(struct lirs),
			.page_bytes = 2 * SSDC_GHOST_BYTES,
			.on_request = true,
		},
	},
	.create = lirs_create,
	.destroy = lirs_destroy,
	.insert = lirs_insert,
	.hit = lirs_hit,
	.remove = lirs_remove,
	.no_view = true,
	.victims = lirs_victims,
	.adopt = lirs_adopt,
	.pop_hottest = lirs_pop_hottest,
	.check = lirs_check,
};
