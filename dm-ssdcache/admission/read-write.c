// SPDX-License-Identifier: GPL-2.0
/*
 * Read-write: written pages and missed reads both enter DRAM.
 *
 * Source	[Shin23]; `Baseline-RB` of [Li22]
 */
#include <linux/kernel.h>
#include "../policy-api/admission.h"

static bool read_write_admit_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
				  ssdc_page_t page)
{
	return true;
}

struct ssdc_admission_type ssdc_read_write = {
	.plugin = {
		.kind = SSDC_ADMISSION,
		.info = {
			.name = "read-write",
			.source = "[Shin23]; Baseline-RB of [Li22]",
			.status = "as published",
			.doc = "written pages and missed reads enter",
			.instance_bytes = sizeof(struct ssdc_admission),
		},
	},
	.admit_read = read_write_admit_read,
};
