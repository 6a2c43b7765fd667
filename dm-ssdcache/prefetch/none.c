// SPDX-License-Identifier: GPL-2.0
/*
 * None: nothing is brought in before it is asked for.
 */
#include <linux/kernel.h>
#include "../engine/engine.h"

struct ssdc_prefetch_type ssdc_prefetch_none = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "none",
			.source = "baseline of S001",
			.status = "as published",
			.doc = "no prefetching",
			.instance_bytes = sizeof(struct ssdc_prefetch),
		},
	},
};
