// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/string.h>
#include "reaccess.h"

/* Begin a new half; forget the one before the last. */
static void next_half(struct ssdc_reaccess *r)
{
	struct ssdc_reaccess_half *half;

	r->now ^= 1;
	half = &r->halves[r->now];
	ssdc_page_set_empty(&half->pages);
	half->requests = 0;
	memset(half->counts, 0, sizeof(half->counts));
}

/**
 * ssdc_reaccess_request() - count a request; its pages follow
 * @r: window
 * @half_requests: requests per half
 */
void ssdc_reaccess_request(struct ssdc_reaccess *r, u32 half_requests)
{
	if (r->halves[r->now].requests >= half_requests)
		next_half(r);
	r->halves[r->now].requests++;
}

/**
 * ssdc_reaccess_forget() - begin an empty window
 * @r: window
 */
void ssdc_reaccess_forget(struct ssdc_reaccess *r)
{
	next_half(r);
	next_half(r);
}

/**
 * ssdc_reaccess_page() - count an access to a page of the request
 * @r: window
 * @page: page number
 * @write: a write, else a read
 */
void ssdc_reaccess_page(struct ssdc_reaccess *r, u64 page, bool write)
{
	struct ssdc_reaccess_half *half;
	bool again;

	if (!ssdc_page_set_has_room(&r->halves[r->now].pages, page))
		next_half(r);
	half = &r->halves[r->now];
	again = ssdc_page_set_add(&half->pages, page, write) ||
		ssdc_page_set_has(&r->halves[!r->now].pages, page, write);
	half->counts[write].pages++;
	half->counts[write].again += again;
}

/**
 * ssdc_reaccess_sum() - accesses and re-accesses in the window
 * @r: window
 * @write: count writes, else reads
 */
struct ssdc_reaccess_count ssdc_reaccess_sum(const struct ssdc_reaccess *r, bool write)
{
	const struct ssdc_reaccess_count *a = &r->halves[0].counts[write];
	const struct ssdc_reaccess_count *b = &r->halves[1].counts[write];

	return (struct ssdc_reaccess_count){ a->pages + b->pages, a->again + b->again };
}

/**
 * ssdc_reaccess_create() - allocate an empty window
 * @r: all zero
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ssdc_reaccess_create(struct ssdc_reaccess *r)
{
	if (!ssdc_page_set_create(&r->halves[0].pages) &&
	    !ssdc_page_set_create(&r->halves[1].pages))
		return 0;
	ssdc_reaccess_destroy(r);
	return -ENOMEM;
}

/**
 * ssdc_reaccess_destroy() - free what ssdc_reaccess_create() allocated
 * @r: window
 *
 * Context: may sleep.
 */
void ssdc_reaccess_destroy(struct ssdc_reaccess *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		ssdc_page_set_destroy(&r->halves[i].pages);
}

/**
 * ssdc_reaccess_check() - verify the invariants that need no scan of the sets
 * @r: window
 * @finding: filled in on failure
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdc_reaccess_check(const struct ssdc_reaccess *r, struct ssdc_error *finding)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct ssdc_reaccess_half *half = &r->halves[i];
		const struct ssdc_reaccess_count *reads = &half->counts[0];
		const struct ssdc_reaccess_count *writes = &half->counts[1];

		if (!half->pages.filling || half->pages.used > SSDC_PAGE_SET_PAGES ||
		    half->pages.used > reads->pages + writes->pages)
			return ssdc_finding(finding,
					    "half %u of the window has a set of %u pages (at most %u) after %llu accesses, filling %u",
					    i, half->pages.used, SSDC_PAGE_SET_PAGES,
					    reads->pages + writes->pages, half->pages.filling);
		if (reads->again > reads->pages || writes->again > writes->pages)
			return ssdc_finding(finding,
					    "half %u of the window: of %llu page reads and %llu page writes, %llu and %llu were repeated",
					    i, reads->pages, writes->pages, reads->again,
					    writes->again);
	}
	return 0;
}
