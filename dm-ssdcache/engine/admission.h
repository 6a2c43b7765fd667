/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of an admission scheme: who may enter the DRAM tier. Ops run
 * under the engine's lock: no sleeping, no allocation, O(1).
 */
#ifndef SSDC_ADMISSION_H
#define SSDC_ADMISSION_H

#include "plugin.h"
#include "types.h"

struct ssdc_request;
struct ssdc_admission;

/**
 * struct ssdc_admission_type - an admission scheme
 * @plugin: name, tunables, statistics; must be first
 * @admit_read: may the page, which a read missed, be cached once it was read?
 */
struct ssdc_admission_type {
	struct ssdc_plugin_type plugin;

	bool (*admit_read)(struct ssdc_admission *a, const struct ssdc_request *rq,
			   ssdc_page_t page);
};

/* The start of every instance. */
struct ssdc_admission {
	struct ssdc_plugin plugin;
};

static inline const struct ssdc_admission_type *
ssdc_admission_type(const struct ssdc_admission *a)
{
	return (const struct ssdc_admission_type *)a->plugin.type;
}

static inline bool ssdc_admit_read(struct ssdc_admission *a, const struct ssdc_request *rq,
				   ssdc_page_t page)
{
	return ssdc_admission_type(a)->admit_read(a, rq, page);
}

/* The built-in schemes, one file each in admission/. */
extern struct ssdc_admission_type ssdc_write_buffer, ssdc_read_write;

#endif /* SSDC_ADMISSION_H */
