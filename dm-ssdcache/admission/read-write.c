// SPDX-License-Identifier: GPL-2.0
/*
 * Read-write: written pages and missed reads enter alike.
 *
 * Source	S002; `Baseline-RB` of S001
 */
#include <linux/kernel.h>
#include "../engine/engine.h"

static bool read_write_admit_read(struct ssdc_admission *a, const struct ssdc_request *rq,
				  ssdc_page_t page)
{
	return true;
}

struct ssdc_admission_type ssdc_read_write = {
	.plugin = {
		.kind = SSDC_ADMISSION,
		.info = {
			.name = "read-write",
			.source = "S002; Baseline-RB of S001",
			.status = "as published",
			.doc = "written and read pages enter",
			.instance_bytes = sizeof(struct ssdc_admission),
		},
	},
	.admit_read = read_write_admit_read,
};
