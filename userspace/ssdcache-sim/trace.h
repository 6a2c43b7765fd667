/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_TRACE_H
#define SSDC_SIM_TRACE_H

#include "input.h"

/**
 * struct sim_record - one request of a trace
 * @time_ns: time of arrival; once loaded, from the start of the workload
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
 */
struct sim_workload {
	struct sim_record *records;
	size_t nr;
	u64 sectors;
};

struct sim_loader;

/**
 * struct sim_format - a kind of trace file
 * @name: for messages
 * @wants: form of its lines, for messages
 * @starts: is @line the first line of such a file?
 * @read: add the request of @line; ends the program if it is bad
 */
struct sim_format {
	const char *name;
	const char *wants;
	bool (*starts)(const char *line);
	void (*read)(struct sim_loader *loader, const struct sim_input *in, const char *line);
};

extern const struct sim_format sim_format_msr, sim_format_capture;

void sim_workload_load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		       double time_scale);
void sim_workload_load_as(struct sim_workload *workload, char **names, int nr_names, u64 limit,
			  const struct sim_format *format);
void sim_workload_free(struct sim_workload *workload);

/* Reads requests one by one, without memory for all of them. */
struct sim_loader *sim_loader_open(char **names, int nr_names, u64 limit);
void sim_loader_rewind(struct sim_loader *loader);
bool sim_loader_next(struct sim_loader *loader, struct sim_record *record);
void sim_loader_close(struct sim_loader *loader);

/* For the formats. */
u16 sim_loader_disk(struct sim_loader *loader, const struct sim_input *in, const char *name,
		    size_t len);
void sim_loader_add(struct sim_loader *loader, const struct sim_record *record);

/*
 * Read a decimal number at *@at and advance *@at. Returns false if there is none, or if it is above
 * @max, which is at least 9.
 */
static inline bool sim_take_number(const char **at, u64 max, u64 *value)
{
	const char *digit = *at;
	u64 number = 0;

	for (; (u8)(*digit - '0') <= 9; digit++) {
		u8 unit = *digit - '0';

		if (number > (max - unit) / 10)
			return false;
		number = number * 10 + unit;
	}
	if (digit == *at)
		return false;
	*at = digit;
	*value = number;
	return true;
}

/* Advance *@at past the character @c. Returns false if there is another. */
static inline bool sim_take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

#endif /* SSDC_SIM_TRACE_H */
