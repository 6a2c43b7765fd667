/* SPDX-License-Identifier: GPL-2.0 */
/* The part of a host request that plug-ins see. */
#ifndef SSDC_REQUEST_H
#define SSDC_REQUEST_H

#include "tier.h"
#include "../base/types.h"

/**
 * struct ssdc_host_request - a host request
 * @id: number in order of arrival
 * @sector: start
 * @nr_sectors: length, up to 2^32 - 1
 * @start_ns: when it arrived
 * @op: operation; plug-ins see only SSDC_READ and SSDC_WRITE
 * @fua: a write that must be on stable media before it completes
 */
struct ssdc_host_request {
	u64 id;
	u64 sector;
	u64 nr_sectors;
	u64 start_ns;
	enum ssdc_op op;
	bool fua;
};

/* How many pages a host request touches. */
static inline u32 ssdc_request_pages(const struct ssdc_tier *tier,
				     const struct ssdc_host_request *rq)
{
	return ((rq->sector + rq->nr_sectors - 1) >> tier->page_shift) -
		(rq->sector >> tier->page_shift) + 1;
}

/* A request may be of any length; a plug-in that visits its pages visits at most this many. */
#define SSDC_VISIT_PAGES 4096u

static inline u32 ssdc_request_visits(const struct ssdc_tier *tier,
				      const struct ssdc_host_request *rq)
{
	u32 pages = ssdc_request_pages(tier, rq);

	return pages < SSDC_VISIT_PAGES ? pages : SSDC_VISIT_PAGES;
}

#endif /* SSDC_REQUEST_H */
