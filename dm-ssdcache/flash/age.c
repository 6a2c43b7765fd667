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

static void age_plane(struct ssdf_device *f, u32 plane, u32 turn, u64 *state)
{
	u32 pages = f->params.blocks * f->params.pages;
	u32 lpns = (f->nr_lpns - turn + f->nr_planes - 1) / f->nr_planes;
	u32 valid = min_t(u32, div_u64((u64)pages * f->params.aged_valid, 100), lpns);
	u32 outdated = div_u64((u64)pages * f->params.aged_invalid, 100);
	u32 stride = pick_stride(lpns, state);
	u32 index = random_below(state, lpns);

	while (valid + outdated) {
		if (random_below(state, valid + outdated) < valid) {
			ssdf_fill_page(f, plane, ssdf_lpn(index * f->nr_planes + turn));
			index = index + stride < lpns ? index + stride : index + stride - lpns;
			valid--;
		} else {
			ssdf_fill_page(f, plane, SSDF_NO_LPN);
			outdated--;
		}
	}
}

/* GC is not begun: it comes with the first write, as in a device that was switched off. */
void ssdf_age(struct ssdf_device *f)
{
	u64 state = f->params.seed * 0x9E3779B97F4A7C15ULL + 0x9E3779B97F4A7C15ULL;
	u32 turn;

	if (!f->params.aged_valid && !f->params.aged_invalid)
		return;
	if (!state)
		state = 1;
	for (turn = 0; turn < f->nr_planes; turn++)
		age_plane(f, ssdf_static_plane(f, ssdf_lpn(turn)), turn, &state);
}
