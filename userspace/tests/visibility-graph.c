// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the visibility graph with its definition ([Sha23], eq. 2): each pair of pages at
 * most 64 ranks apart, by all pages between them. Pages enter, leave and
 * change lists before a build and between its steps.
 *
 *	visibility-graph [-s SEED] [-r ROUNDS]
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../dm-ssdcache/replacement/visibility-graph.h"
#include "../ssdcache-sim/sim.h"
#include "harness.h"

#define DEFAULT_ROUNDS	300
#define BUILDS		4	/* per round */
#define MAX_FRAMES	1200	/* more than a step gathers */
static u64 seed;
static struct ssdc_replacement policy;
static struct visibility_graph graph;
static bool held[MAX_FRAMES];
static bool stayed[MAX_FRAMES];		/* present since the build began */
static u64 spread;			/* addresses are less than this */
static u32 highest;			/* highest access count */
static u64 pairs, visible_pairs, steps, disturbed;

static void __attribute__((__noreturn__)) fail(const char *text)
{
	diag("seed %llu: %s", seed, text);
	repeat_with("-r 1 -s %llu", seed);
	give_up("visibility graph");
}

static bool is_cached(u64 page)
{
	u32 i;

	for (i = 0; i < policy.nr_frames; i++)
		if (held[i] && ssdc_page_nr(policy.entries[i].page) == page)
			return true;
	return false;
}

/* Most pages are rarely used. */
static u32 random_count(void)
{
	u32 count = 1;

	while (count < highest && below(3))
		count += below(highest) / 4 + 1;
	return below(2) ? 1 : min_t(u32, count, VG_MAX_COUNT);
}

static void enter(u32 frame)
{
	u64 page;

	do
		page = below(4) ? below(spread) : below(spread / 8 + 1);
	while (is_cached(page));
	policy.entries[frame].page = ssdc_page(page);
	policy.entries[frame].weight = random_count();
	policy.entries[frame].list = below(VG_LISTS);
	held[frame] = true;
	visibility_graph_enter(&graph, ssdc_frame(frame));
}

static void leave(u32 frame)
{
	held[frame] = false;
	stayed[frame] = false;
	visibility_graph_leave(&graph, ssdc_frame(frame));
}

/* A page is used more often than before, or moves to another list. */
static void use(u32 frame)
{
	struct ssdc_entry *entry = &policy.entries[frame];
	u32 list = below(VG_LISTS);

	if (entry->weight < VG_MAX_COUNT && below(2)) {
		entry->weight++;
		return;
	}
	visibility_graph_move(&graph, ssdc_frame(frame), vg_rank_of(&graph, ssdc_frame(frame)),
			      entry->list, list);
	entry->list = list;
}

/* A page enters, leaves, or is used. */
static void change(void)
{
	u32 frame = below(policy.nr_frames);

	if (!held[frame])
		enter(frame);
	else if (below(2))
		leave(frame);
	else
		use(frame);
}

static void check(void)
{
	struct ssdc_error finding;

	if (visibility_graph_check(&graph, &finding))
		fail(finding.text);
}

/* Build the graph; if @restless, with changes between the steps. */
static void build(bool restless)
{
	memcpy(stayed, held, sizeof(stayed));
	visibility_graph_build(&graph);
	while (visibility_graph_step(&graph)) {
		steps++;
		while (restless && below(3)) {
			change();
			disturbed++;
		}
		check();
	}
	check();
}

/* Eq. 2 for all c, multiplied by x_b - x_a. */
static bool visible(const u8 *y, s64 a, s64 b)
{
	s64 c;

	for (c = a + 1; c < b; c++) {
		s64 above = (y[c] - y[b]) * (b - a) - (y[a] - y[b]) * (b - c);

		if (above > 0 || (!above && !graph.touch))
			return false;
	}
	return true;
}

static void compare_members(bool restless)
{
	const struct vg_copy *now = visibility_graph_now(&graph);
	u32 frame, rank;

	for (frame = 0; frame < policy.nr_frames; frame++) {
		bool member = now->ranks[frame] < SSDC_MAX_FRAMES;

		if ((stayed[frame] && !member) || (member && !held[frame]) ||
		    (!restless && member != held[frame]))
			fail("a page is wrongly in the graph, or missing from it");
	}
	for (rank = 0; rank < now->nr && !restless; rank++)
		if (now->counts[rank] != ssdc_replacement_entry(&policy, now->frames[rank])->weight)
			fail("a count is wrong");
}

/* Is @other, at most VG_WINDOW ranks away, seen from @rank and wanted, as bit @bit? */
static bool is_wanted(u32 rank, u32 other, u32 gap, struct vg_pages wanted, u32 bit)
{
	const struct vg_copy *now = visibility_graph_now(&graph);
	u64 page = now->pages[rank], there = now->pages[other];

	pairs++;
	if (!visible(now->counts, min(rank, other), max(rank, other)))
		return false;
	visible_pairs++;
	if (now->counts[other] > now->counts[rank])
		return wanted.higher >> bit & 1;
	if (!(wanted.lower >> bit & 1))
		return false;
	return gap == VG_ANY_GAP || max(there, page) - min(there, page) <= gap;
}

/* Compare what is seen from @rank, on one side, with addresses and counts. */
static void compare_side(u32 rank, enum vg_side side, u32 gap, struct vg_pages wanted)
{
	const struct vg_copy *now = visibility_graph_now(&graph);
	struct vg_pages seen = vg_look(&graph, rank, side, gap, wanted);
	u32 other = side == VG_BEHIND ? rank + 1 : rank > VG_WINDOW ? rank - VG_WINDOW : 0;
	u32 end = side == VG_BEHIND ? min(rank + VG_WINDOW + 1, now->nr) : rank;
	u64 left = seen.lower | seen.higher;
	u32 first = vg_first_rank(rank, side);

	if (seen.lower & seen.higher)
		fail("a page is both higher and not");
	for (; other < end; other++) {
		u64 lowest = left & -left;

		if (!is_wanted(rank, other, gap, wanted, other - first))
			continue;
		if (!left || vg_next_rank(first, &left) != other ||
		    !!(seen.higher & lowest) != (now->counts[other] > now->counts[rank]))
			fail("what is seen differs from the definition");
	}
	if (left)
		fail("more is seen than by the definition");
}

/* Compare the marks of the pages on one side of @rank with the pages that have not left. */
static void compare_marks(u32 rank, enum vg_side side)
{
	const struct vg_copy *now = visibility_graph_now(&graph);
	struct vg_marks marks = vg_marks_beside(now, rank, side);
	u32 first = vg_first_rank(rank, side), bit;

	for (bit = 0; bit < VG_WINDOW; bit++) {
		u32 other = first + bit;
		ssdc_frame_t frame = other < now->nr ? now->frames[other] : SSDC_NO_FRAME;
		u32 list = (marks.high >> bit & 1) << 1 | (marks.low >> bit & 1);

		if ((marks.here >> bit & 1) != (frame != SSDC_NO_FRAME))
			fail("a page is marked as gone that is not, or the other way round");
		if (frame != SSDC_NO_FRAME && list != ssdc_replacement_entry(&policy, frame)->list)
			fail("a page is marked as on another list");
	}
}

/* All pages, none, or some. */
static u64 random_bits(void)
{
	return PICK(((u64 []){ ~0ULL, ~0ULL, 0, ssdc_random_next(&harness_random) }));
}

static struct vg_pages random_pages(void)
{
	return (struct vg_pages){ random_bits(), random_bits() };
}

/* Lower pages at any difference of addresses and near ones, with and without higher pages. */
static void compare_all_neighbours(void)
{
	const struct vg_copy *now = visibility_graph_now(&graph);
	u32 rank, gap = below(8) ? below(8) : below(VG_WINDOW + 1);

	for (rank = 0; rank < now->nr; rank++) {
		compare_side(rank, VG_BEFORE, gap, random_pages());
		compare_side(rank, VG_BEHIND, gap, random_pages());
		compare_side(rank, VG_BEFORE, VG_ANY_GAP, random_pages());
		compare_side(rank, VG_BEHIND, VG_ANY_GAP, random_pages());
		compare_marks(rank, VG_BEFORE);
		compare_marks(rank, VG_BEHIND);
	}
}

static u32 random_size(void)
{
	if (seed % 25 == 0)
		return MAX_FRAMES;
	return PICK(((u32 []){ 1 + below(20), VG_WINDOW + below(4), 60 + below(200), 600 }));
}

static void one_round(void)
{
	struct ssdc_error error = {};
	unsigned int i;
	u32 frame;

	ssdc_random_seed(&harness_random, seed);
	memset(&policy, 0, sizeof(policy));
	memset(&graph, 0, sizeof(graph));
	memset(held, 0, sizeof(held));
	policy.nr_frames = random_size();
	policy.entries = xcalloc(policy.nr_frames, sizeof(*policy.entries));
	spread = PICK(((u64 []){ 2 * policy.nr_frames, 40 * policy.nr_frames, 1ULL << 60 }));
	graph.touch = below(2);
	highest = PICK(((u32 []){ 1, 2, 4, 30, 400 }));
	if (visibility_graph_create(&graph, &policy, &error))
		fail("create");
	for (frame = 0; frame < policy.nr_frames; frame++)
		if (below(8))
			enter(frame);
	for (i = 0; i < BUILDS; i++) {
		bool restless = below(2);

		build(restless);
		compare_members(restless);
		compare_all_neighbours();
		while (below(policy.nr_frames / 2 + 2))
			change();
		check();
		compare_all_neighbours();
	}
	visibility_graph_destroy(&graph);
	free(policy.entries);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = DEFAULT_ROUNDS };

	harness_options(&options, "sr", argc, argv);
	for (seed = options.seed; seed < options.seed + options.rounds; seed++)
		one_round();
	if (!visible_pairs || visible_pairs == pairs || !disturbed)
		fail("the test covered nothing");
	result(true, "visibility graph: %llu of %llu pairs see each other, %llu build steps, %llu changes between steps",
	       visible_pairs, pairs, steps, disturbed);
	return finish();
}
