/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_REPORT_H
#define SSDC_SIM_REPORT_H

#include <jansson.h>
#include "options.h"
#include "trace.h"

json_t *sim_json_stats(const struct ssdc_stat *table, unsigned int nr, const void *base);
json_t *sim_json_text(const char *text);
json_t *sim_report_json(const struct ssdc_engine *e, struct ssdf_device *flash,
			const struct sim_options *options, const struct sim_workload *workload,
			u64 simulated_ns, bool histograms);
void sim_report(const struct ssdc_engine *e, struct ssdf_device *flash,
		const struct sim_options *options, const struct sim_workload *workload,
		u64 simulated_ns);

#endif /* SSDC_SIM_REPORT_H */
