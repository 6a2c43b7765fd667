/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Typed numbers of the engine: a page is not a frame is not a sector.
 *
 * sector   512 bytes of the origin (sector_t)
 * page     the cache unit on the origin: page n covers sectors
 *          [n * page_sectors, (n + 1) * page_sectors)
 * frame    one DRAM slot of a page's size, by index
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
#define SSDC_NO_PAGE	U64_MAX		/* instead of a page's number */

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

/* What a host request asks for. */
enum ssdc_op {
	SSDC_READ,
	SSDC_WRITE,
	SSDC_FLUSH,		/* empty REQ_PREFLUSH */
	SSDC_DISCARD,		/* also WRITE_ZEROES and secure erase */
	SSDC_NR_OPS,
};

/* Why a page is being written to the origin. */
enum ssdc_flush_reason {
	SSDC_FLUSH_EVICT,	/* a victim of replacement ("batch flush") */
	SSDC_FLUSH_EARLY,	/* the device was idle, the policy asked */
	SSDC_FLUSH_FORCED,	/* FLUSH, FUA, suspend, the flush message */
	SSDC_FLUSH_PERIODIC,	/* flush_interval_s went by */
	SSDC_FLUSH_RETRY,	/* an earlier write of it failed */
	SSDC_FLUSH_PAD,		/* completes the block that victims belong to */
	SSDC_FLUSH_THROUGH,	/* admission had its write go through */
	SSDC_NR_FLUSH_REASONS,
};

#endif /* SSDC_TYPES_H */
