/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDCACHE_TRACE_PAGES_H
#define SSDCACHE_TRACE_PAGES_H

#include "trace.h"

#define PAGES_FREQUENT	3u		/* accesses that make a page frequent */
#define PAGES_WINDOW_NS	1000000000u

/**
 * struct page_counts - page accesses of a trace
 * @accesses: by reads and writes, indexed by enum trace_op
 * @reused: accesses to pages touched before
 * @footprint: distinct pages read, or written
 * @both: distinct pages touched
 * @overwritten: page writes to pages that were written before
 * @frequent: pages touched PAGES_FREQUENT times or more
 * @frequent_written: of these, pages that were written
 * @windows: pairs of a page and a window of time in which it was touched
 * @again: of these, those whose page is touched in the next window, too
 * @beside: of these, those in whose window another request touches a page beside it
 */
struct page_counts {
	uint64_t accesses[TRACE_NR_OPS];
	uint64_t reused[TRACE_NR_OPS];
	uint64_t footprint[TRACE_NR_OPS];
	uint64_t both;
	uint64_t overwritten;
	uint64_t frequent;
	uint64_t frequent_written;
	uint64_t windows;
	uint64_t again;
	uint64_t beside;
};

struct page_slot;

/**
 * struct page_set - pages touched
 * @counts: result
 * @requests: reads and writes so far
 * @slots: a hash table
 * @nr: pages in it
 * @room: a power of two
 */
struct page_set {
	struct page_counts counts;
	uint64_t requests;
	struct page_slot *slots;
	size_t nr;
	size_t room;
};

void page_set_add(struct page_set *set, const struct trace_request *request);
void page_set_free(struct page_set *set);

#endif /* SSDCACHE_TRACE_PAGES_H */
