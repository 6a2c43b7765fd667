/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Re-access ratio: the share of recent page accesses whose page was accessed before, for
 * reads after reads and for writes after writes.
 *
 * "Recent" is a window of two halves. A half ends after a number of requests, or when it has
 * seen SSDC_PAGE_SET_PAGES different pages. Then a new half begins and the older one is
 * forgotten:
 *
 *	forgotten | previous half | current half >  requests
 *	           <------- the window -------->
 *
 * Or the owner forgets both halves at the end of each interval.
 */
#ifndef SSDC_REACCESS_H
#define SSDC_REACCESS_H

#include "../base/describe.h"
#include "../base/page-set.h"

/**
 * struct ssdc_reaccess_count - counts of one half and one direction
 * @pages: page accesses
 * @again: accesses to pages already accessed within the window
 */
struct ssdc_reaccess_count {
	u64 pages;
	u64 again;
};

struct ssdc_reaccess_half {
	struct ssdc_page_set pages;	/* marked 1 if written, 0 if read */
	u32 requests;
	struct ssdc_reaccess_count counts[2];	/* reads, writes */
};

/* The window. */
struct ssdc_reaccess {
	struct ssdc_reaccess_half halves[2];
	unsigned int now;	/* index of the current half */
};

int ssdc_reaccess_create(struct ssdc_reaccess *r);
void ssdc_reaccess_destroy(struct ssdc_reaccess *r);
void ssdc_reaccess_request(struct ssdc_reaccess *r, u32 half_requests);
void ssdc_reaccess_forget(struct ssdc_reaccess *r);
void ssdc_reaccess_page(struct ssdc_reaccess *r, u64 page, bool write);
struct ssdc_reaccess_count ssdc_reaccess_sum(const struct ssdc_reaccess *r, bool write);
int ssdc_reaccess_check(const struct ssdc_reaccess *r, struct ssdc_error *finding);

#endif /* SSDC_REACCESS_H */
