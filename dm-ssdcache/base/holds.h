/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a lock is held, and by whom. The driver measures, and shows the numbers from the
 * descriptor table.
 */
#ifndef SSDC_HOLDS_H
#define SSDC_HOLDS_H

#include "describe.h"
#include "types.h"

/*
 * The reasons for which a cache's lock is held. The first ones are steps of host requests, by enum
 * ssdc_op.
 */
enum ssdc_holder {
	SSDC_HELD_BY_READ_ENDED = SSDC_NR_OPS,	/* a read of the origin that bypasses DRAM */
	SSDC_HELD_BY_PAGE_ENDED,	/* a fill or a flush of a page */
	SSDC_HELD_BY_FORWARD_ENDED,	/* a FLUSH or a discard at the origin */
	SSDC_HELD_BY_NEXT_READY,
	SSDC_HELD_BY_NEXT_IO,
	SSDC_HELD_BY_BACKGROUND,
	SSDC_HELD_BY_MESSAGE,		/* live changes, drop_clean, reset_stats */
	SSDC_HELD_BY_STATISTICS,	/* copies of statistics, to be shown */
	SSDC_NR_HOLDERS,
};

/* Bucket 0 counts holds of 0 ns, bucket N holds from 2^(N-1) ns on; the last bucket has no end. */
#define SSDC_HOLD_BUCKETS 32

/**
 * struct ssdc_holds - the holds of one lock
 * @count: number of holds
 * @sum_ns: their total length
 * @longest_ns: the longest
 * @longest_by: enum ssdc_holder of the longest
 * @buckets: holds by length
 * @by: number of holds, and the longest hold in ns, by enum ssdc_holder
 */
struct ssdc_holds {
	u64 count;
	u64 sum_ns;
	u64 longest_ns;
	u32 longest_by;
	u64 buckets[SSDC_HOLD_BUCKETS];
	u64 by[SSDC_NR_HOLDERS][2];
};

extern const struct ssdc_stat ssdc_hold_stat_table[];
extern const unsigned int ssdc_nr_hold_stats;

void ssdc_holds_add(struct ssdc_holds *holds, enum ssdc_holder by, u64 ns);
void ssdc_holds_merge(struct ssdc_holds *holds, const struct ssdc_holds *other);
const char *ssdc_holds_longest_by(const struct ssdc_holds *holds);

#endif /* SSDC_HOLDS_H */
