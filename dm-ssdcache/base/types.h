/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of numbers, so that a page cannot be mistaken for a frame or a sector (sparse checks this):
 *
 * sector   512 bytes of the origin (sector_t)
 * page     the cache unit on the origin: page n covers sectors
 *          [n * page_sectors, (n + 1) * page_sectors)
 * frame    the place of one page in DRAM, by index
 *
 * Portable: builds in the kernel and, with include/shim, in user space.
 */
#ifndef SSDC_TYPES_H
#define SSDC_TYPES_H

#include <linux/types.h>
#include <linux/limits.h>

typedef u64 __bitwise ssdc_page_t;
typedef u32 __bitwise ssdc_frame_t;

#define SSDC_NO_FRAME	((__force ssdc_frame_t)U32_MAX)
#define SSDC_NO_PAGE	U64_MAX		/* in place of a page number */

static inline u64 ssdc_page_nr(ssdc_page_t page)
{
	return (__force u64)page;
}

static inline ssdc_page_t ssdc_page(u64 nr)
{
	return (__force ssdc_page_t)nr;
}

static inline u32 ssdc_frame_nr(ssdc_frame_t frame)
{
	return (__force u32)frame;
}

static inline ssdc_frame_t ssdc_frame(u32 nr)
{
	return (__force ssdc_frame_t)nr;
}

/* The operation of a host request. */
enum ssdc_op {
	SSDC_READ,
	SSDC_WRITE,
	SSDC_FLUSH,		/* empty REQ_PREFLUSH */
	SSDC_DISCARD,		/* DISCARD, WRITE_ZEROES, secure erase */
	SSDC_NR_OPS,
};

/* Why a page is being written to the origin. */
enum ssdc_flush_reason {
	SSDC_FLUSH_EVICT,	/* a victim; counted as batch_flushed */
	SSDC_FLUSH_EARLY,	/* early flush, chosen by the policy */
	SSDC_FLUSH_FORCED,	/* FLUSH, FUA, suspend, the message flush */
	SSDC_FLUSH_PERIODIC,	/* periodic flush (flush_interval_s) */
	SSDC_FLUSH_RETRY,	/* an earlier flush of the page failed */
	SSDC_FLUSH_PAD,		/* padding: completes a block of victims */
	SSDC_FLUSH_THROUGH,	/* written through, as admission chose */
	SSDC_NR_FLUSH_REASONS,
};

#endif /* SSDC_TYPES_H */
