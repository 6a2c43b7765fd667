// SPDX-License-Identifier: GPL-2.0
/*
 * Which host writes share blocks: by the host's hints (streams), and by how long the page's
 * earlier data lived (hot_cold).
 *
 * hot_cold follows SepBIT [Wang22, section 3]: if a page's earlier data were overwritten soon, its
 * new data will be overwritten soon, too; and data that GC moves are judged by their age. SepBIT
 * remembers the time of each page's write and adapts the limit. This model has only the time of the
 * youngest page in a block, and its limit is half of the mean lifetime. Pages that GC moves never
 * share blocks with those that the host writes, so there are four classes: hot or not, moved or
 * not.
 *
 * GC does not tell streams apart, as in devices whose placement handles are "initially isolated".
 */
#include <linux/kernel.h>
#include "stream.h"

/*
 * Was the block's youngest page written so recently that it will be overwritten soon? Blocks that
 * the device holds at the start, with stamps of 0, count as old.
 */
static bool is_hot(const struct ssdf_device *f, u32 block)
{
	return f->stamps[block] && f->host_pages - f->stamps[block] < f->hot_age;
}

/* The number of the open block for a host write; @rq may be NULL. */
u32 ssdf_stream_of(const struct ssdf_device *f, ssdf_lpn_t lpn, const struct ssdf_request *rq)
{
	u32 stream = rq ? min_t(u32, rq->stream, f->params.streams - 1) : 0;
	ssdf_ppn_t old = f->map[ssdf_lpn_nr(lpn)];

	if (ssdf_is_translation_page(f, lpn))
		return ssdf_map_block(&f->params);
	/* A hint of the host has priority over hot_cold. */
	if (stream || !f->params.hot_cold || !ssdf_is_mapped(old))
		return stream;
	return is_hot(f, ssdf_block_of(f, old)) ? f->params.streams : 0;
}

/* GC takes a block: decide which open block its pages go to. */
void ssdf_stream_collected(struct ssdf_device *f, u32 plane, ssdf_block_t nr)
{
	f->planes[plane].moves_hot = f->params.hot_cold && is_hot(f, ssdf_block_nr(nr));
}
