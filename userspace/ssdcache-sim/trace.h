/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_TRACE_H
#define SSDC_SIM_TRACE_H

#include "../trace/source.h"
#include "sim.h"

/**
 * struct sim_record - one request of a trace
 * @time_ns: time of arrival, from the start of the workload
 * @sector: start
 * @nr_sectors: length
 * @disk: index of the disk
 * @op: enum ssdc_op
 * @fua: a write with FUA
 */
struct sim_record {
	u64 time_ns;
	u64 sector;
	u32 nr_sectors;
	u16 disk;
	u8 op;
	bool fua;
};

/**
 * struct sim_workload - the requests of all traces, in order of time
 * @records: requests
 * @nr: how many
 * @sectors: size of the smallest origin that holds all of them
 * @skipped: bad lines that were skipped
 * @mapped_bytes: @records are a mapped temporary file of this size; 0: they are in memory
 * @fold_sectors: size of an origin to fold all addresses onto; 0: they stay as they are
 */
struct sim_workload {
	struct sim_record *records;
	size_t nr;
	u64 sectors;
	u64 skipped;
	size_t mapped_bytes;
	u64 fold_sectors;
};

/* A request as it is run. Processes share the records, so folding leaves those alone: a change would copy them. */
static inline struct sim_record sim_request(const struct sim_workload *workload, size_t i)
{
	struct sim_record record = workload->records[i];

	if (workload->fold_sectors) {
		record.nr_sectors = min_t(u64, record.nr_sectors, workload->fold_sectors);
		record.sector %= workload->fold_sectors;
		record.sector = min(record.sector, workload->fold_sectors - record.nr_sectors);
	}
	return record;
}

/* Are there several requests, all at the same time? */
static inline bool sim_workload_has_one_time(const struct sim_workload *workload)
{
	return workload->nr > 1 && workload->records[workload->nr - 1].time_ns == workload->records[0].time_ns;
}

void sim_workload_read(struct sim_workload *workload, char **names, int nr_names,
		       const struct trace_plan *plan);
void sim_workload_load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		       double time_scale);
void sim_workload_remark(const struct sim_workload *workload, const struct trace_plan *plan);
void sim_workload_free(struct sim_workload *workload);

#endif /* SSDC_SIM_TRACE_H */
