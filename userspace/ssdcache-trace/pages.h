/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDCACHE_TRACE_PAGES_H
#define SSDCACHE_TRACE_PAGES_H

#include "trace.h"

/**
 * struct page_counts - page accesses of a trace
 * @accesses: by reads and writes, indexed by enum trace_op
 * @reused: accesses to pages touched before
 * @footprint: distinct pages read, or written
 * @both: distinct pages touched
 * @overwritten: page writes to pages that were written before
 */
struct page_counts {
	uint64_t accesses[TRACE_NR_OPS];
	uint64_t reused[TRACE_NR_OPS];
	uint64_t footprint[TRACE_NR_OPS];
	uint64_t both;
	uint64_t overwritten;
};

void page_counts_take(struct page_counts *counts, const struct trace *trace);

#endif /* SSDCACHE_TRACE_PAGES_H */
