// SPDX-License-Identifier: GPL-2.0
/*
 * None: no prefetching.
 */
#include <linux/kernel.h>
#include "../policy-api/prefetch.h"

struct ssdc_prefetch_type ssdc_prefetch_none = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "none",
			.source = "baseline of [Li22]",
			.status = "as published",
			.doc = "no prefetching",
			.instance_bytes = sizeof(struct ssdc_prefetch),
		},
	},
};
