// SPDX-License-Identifier: GPL-2.0
/*
 * Write buffer: only written pages enter; a read that misses goes past DRAM.
 *
 * Source	SSDsim; papers S000 and S004, `Baseline` of S001
 */
#include <linux/kernel.h>
#include "../engine/engine.h"

static bool write_buffer_admit_read(struct ssdc_admission *a, const struct ssdc_request *rq,
				    ssdc_page_t page)
{
	return false;
}

struct ssdc_admission_type ssdc_write_buffer = {
	.plugin = {
		.kind = SSDC_ADMISSION,
		.info = {
			.name = "write-buffer",
			.source = "SSDsim; S000, S004",
			.status = "as published",
			.doc = "only written pages enter",
			.instance_bytes = sizeof(struct ssdc_admission),
		},
	},
	.admit_read = write_buffer_admit_read,
};
