// SPDX-License-Identifier: GPL-2.0
/*
 * The state before the first use: some pages hold data, some hold what is
 * outdated, the rest is free.
 *
 * The same seed gives the same state. In each plane exactly the shares asked for
 * (rounded to pages) are valid and outdated, mixed at random over the blocks that
 * they fill. Which logical pages are valid: those whose place by static
 * allocation is the plane, in an order that jumps about.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "internal.h"

/* xorshift64*: good enough to mix with, and the same everywhere. */
static u32 next_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545F4914F6CDD1DULL) >> 32;
}

static u32 random_below(u64 *state, u32 limit)
{
	return ((u64)next_random(state) * limit) >> 32;
}

static u32 common_divisor(u32 a, u32 b)
{
	while (b) {
		u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A step that visits all of 0 … nr - 1 before it comes back. */
static u32 pick_stride(u32 nr, u64 *state)
{
	u32 stride = nr < 3 ? 1 : 1 + random_below(state, nr - 1);

	while (common_divisor(stride, nr) != 1)
		stride = stride + 1 < nr ? stride + 1 : 1;
	return stride;
}

/* The plane whose turn it is, if any: how many pages of which kind it gets. */
static void begin_plane(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u32 pages = f->params.blocks * f->params.pages;
	u32 lpns = (f->nr_lpns - ageing->turn + f->nr_planes - 1) / f->nr_planes;

	ageing->lpns = lpns;
	ageing->valid = min_t(u32, div_u64((u64)pages * f->params.aged_valid, 100), lpns);
	ageing->outdated = div_u64((u64)pages * f->params.aged_invalid, 100);
	ageing->stride = pick_stride(lpns, &ageing->state);
	ageing->index = random_below(&ageing->state, lpns);
}

static void age_page(struct ssdf_device *f, struct ssdf_ageing *ageing)
{
	u32 plane = ssdf_static_plane(f, ssdf_lpn(ageing->turn)), index = ageing->index;

	if (random_below(&ageing->state, ageing->valid + ageing->outdated) >= ageing->valid) {
		ssdf_fill_page(f, plane, SSDF_NO_LPN);
		ageing->outdated--;
		return;
	}
	ssdf_fill_page(f, plane, ssdf_lpn(index * f->nr_planes + ageing->turn));
	ageing->index = index + ageing->stride < ageing->lpns ? index + ageing->stride :
			index + ageing->stride - ageing->lpns;
	ageing->valid--;
}

/* To be done by ssdf_age(). */
void ssdf_age_begin(struct ssdf_device *f)
{
	struct ssdf_ageing *ageing = &f->ageing;

	if (!f->params.aged_valid && !f->params.aged_invalid) {
		ageing->turn = f->nr_planes;
		return;
	}
	ageing->state = f->params.seed * 0x9E3779B97F4A7C15ULL + 0x9E3779B97F4A7C15ULL;
	if (!ageing->state)
		ageing->state = 1;
	begin_plane(f, ageing);
}

/**
 * ssdf_age() - put a bounded number of pages down that are there before the first use
 * @f: device by ssdf_create(), which is not used before this has returned false
 *
 * GC is not begun: it comes with the first write, as in a device that was switched off.
 *
 * Return: true if there are more: call again.
 */
bool ssdf_age(struct ssdf_device *f)
{
	struct ssdf_ageing *ageing = &f->ageing;
	u32 i;

	for (i = 0; i < SSDF_LONG_STEP && ageing->turn < f->nr_planes; i++) {
		if (ageing->valid + ageing->outdated)
			age_page(f, ageing);
		else if (++ageing->turn < f->nr_planes)
			begin_plane(f, ageing);
	}
	return ageing->turn < f->nr_planes;
}
