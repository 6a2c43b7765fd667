/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of a prefetcher: what to bring in before it is asked for, and
 * how much of DRAM that may hold. Ops run under the engine's lock: no sleeping,
 * no allocation; long work goes into the plug-in's step().
 */
#ifndef SSDC_PREFETCH_H
#define SSDC_PREFETCH_H

#include "plugin.h"
#include "types.h"

struct ssdc_request;
struct ssdc_prefetch;

/**
 * struct ssdc_prefetch_type - a prefetcher
 * @plugin: name, tunables, statistics; must be first
 * @observe: optional. Sees each host read and write once, before it is served.
 *	NULL: nothing is ever prefetched.
 */
struct ssdc_prefetch_type {
	struct ssdc_plugin_type plugin;

	void (*observe)(struct ssdc_prefetch *p, const struct ssdc_request *rq);
};

/* The start of every instance. */
struct ssdc_prefetch {
	struct ssdc_plugin plugin;
};

static inline const struct ssdc_prefetch_type *
ssdc_prefetch_type(const struct ssdc_prefetch *p)
{
	return (const struct ssdc_prefetch_type *)p->plugin.type;
}

static inline void ssdc_prefetch_observe(struct ssdc_prefetch *p, const struct ssdc_request *rq)
{
	const struct ssdc_prefetch_type *type = ssdc_prefetch_type(p);

	if (type->observe)
		type->observe(p, rq);
}

/* The built-in prefetchers, one file each in prefetch/. */
extern struct ssdc_prefetch_type ssdc_prefetch_none;

#endif /* SSDC_PREFETCH_H */
