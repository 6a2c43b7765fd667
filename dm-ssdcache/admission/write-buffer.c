// SPDX-License-Identifier: GPL-2.0
/*
 * Write buffer: only written pages enter DRAM; a read that misses bypasses it.
 *
 * Source	SSDsim [Hu11]; used in [Sha23] and [Lin22], `Baseline` of [Li22]
 */
#include <linux/kernel.h>
#include "../policy-api/admission.h"

struct ssdc_admission_type ssdc_write_buffer = {
	.plugin = {
		.kind = SSDC_ADMISSION,
		.info = {
			.name = "write-buffer",
			.source = "SSDsim [Hu11]; [Sha23], [Lin22]",
			.status = "as published",
			.doc = "only written pages enter; reads that miss bypass DRAM",
			.instance_bytes = sizeof(struct ssdc_admission),
		},
	},
};
