// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of the flash, from a seeded random sequence: blocks that are bad from the start, and
 * reads that the error correction refuses, so that the page is read once more.
 */
#include <linux/kernel.h>
#include "errors.h"

/* Thousandths: however worn a block is, some reads succeed. */
#define MOST_FAIL 900

/* Mark exactly bad_per_plane blocks of each plane; each choice is as likely as any other. */
void ssdf_mark_bad(struct ssdf_device *f)
{
	u32 plane, left, i;

	ssdc_random_seed(&f->error_random, f->params.seed);
	for (plane = 0; plane < f->nr_planes && f->bad_per_plane; plane++) {
		left = f->bad_per_plane;
		for (i = 0; i < f->params.blocks && left; i++) {
			if (ssdf_random_below(&f->error_random, f->params.blocks - i) >= left)
				continue;
			f->blocks[plane * f->params.blocks + i].bad = true;
			left--;
		}
	}
}

/*
 * A read has delivered its page: must it be repeated? The share of failing reads is proportional to
 * the erases of the block and reaches read_retry at pe_cycles. Repeated reads fail as often.
 */
bool ssdf_read_again(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	const struct ssdf_params *p = &f->params;
	u32 all = 1000 * p->pe_cycles;
	u64 fail;

	if (!p->read_retry || cmd->kind != SSDF_READ)
		return false;
	fail = min((u64)p->read_retry * f->blocks[ssdf_block_of(f, cmd->ppn)].erases,
		   (u64)MOST_FAIL * p->pe_cycles);
	if (ssdf_random_below(&f->error_random, all) >= fail)
		return false;
	f->stats.read_retries++;
	return true;
}
