// SPDX-License-Identifier: GPL-2.0
/*
 * The requests of all traces, read by ../trace, as the engine wants them.
 *
 * Of long traces they are put into a temporary file, which is mapped: the kernel keeps as much of it in
 * memory as there is room for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "trace.h"

#define MEMORY_REQUESTS	(8ULL << 20)
#define BATCH		4096u

_Static_assert(TRACE_MAX_SECTORS == SIM_MAX_SECTORS && TRACE_MAX_NS == SIM_MAX_NS,
	       "what is read can be simulated");
#define SAME_PLACE(member)	(offsetof(struct trace_request, member) == offsetof(struct sim_record, member))

_Static_assert(sizeof(struct trace_request) == sizeof(struct sim_record) && SAME_PLACE(time_ns) &&
	       SAME_PLACE(sector) && SAME_PLACE(nr_sectors) && SAME_PLACE(disk) && SAME_PLACE(op) &&
	       SAME_PLACE(fua) && (int)TRACE_READ == SSDC_READ && (int)TRACE_WRITE == SSDC_WRITE &&
	       (int)TRACE_FLUSH == SSDC_FLUSH && (int)TRACE_DISCARD == SSDC_DISCARD, "a request is a record");

static struct sim_record record_of(const struct trace_request *from)
{
	return (struct sim_record) {
		.time_ns = from->time_ns,
		.sector = from->sector,
		.nr_sectors = from->nr_sectors,
		.disk = from->disk,
		.op = from->op,
		.fua = from->fua,
	};
}

static void take_memory(struct sim_workload *workload, struct trace_source *source)
{
	workload->records = (void *)trace_source_take(source, &workload->nr);
	workload->mapped_bytes = 0;
}

static void __attribute__((__noreturn__)) file_failed(const char *folder)
{
	die(TOOL_FAILED, "%s: cannot hold a temporary file with the requests: %s", folder,
	    strerror(errno));
}

static void write_records(int fd, const char *folder, const struct sim_record *records, size_t nr)
{
	const char *at = (const char *)records;
	size_t left = nr * sizeof(*records);

	while (left) {
		ssize_t done = write(fd, at, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			file_failed(folder);
		at += done;
		left -= done;
	}
}

/* Refuse requests that would fill the disk: others may need it until a write fails. */
static void check_room(int fd, const char *folder, u64 requests, size_t written)
{
	u64 needed = (requests - written) / 1024 * sizeof(struct sim_record);
	struct statvfs disk;
	u64 left;

	if (fstatvfs(fd, &disk) || !disk.f_blocks)
		return;
	left = (u64)disk.f_bfree * disk.f_frsize / 1024;
	if (needed > left)
		die(TOOL_FAILED,
		    "--repeat: %s cannot hold a temporary file with %llu requests: %llu MiB are needed, %llu MiB are free; TMPDIR names another folder",
		    folder, requests, needed / 1024, left / 1024);
}

static void take_file(struct sim_workload *workload, struct trace_source *source)
{
	const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp";
	struct sim_record *batch = xmalloc(BATCH * sizeof(*batch));
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct trace_request request;
	u64 repeated = 0;
	size_t nr = 0;

	if (fd < 0)
		file_failed(folder);
	workload->nr = 0;
	while (trace_source_next(source, &request)) {
		batch[nr++] = record_of(&request);
		workload->nr++;
		if (nr == BATCH) {
			if (!repeated) {
				repeated = trace_source_repeated(source);
				if (repeated)
					check_room(fd, folder, repeated, workload->nr - BATCH);
			}
			write_records(fd, folder, batch, nr);
			nr = 0;
		}
	}
	write_records(fd, folder, batch, nr);
	free(batch);
	workload->mapped_bytes = workload->nr * sizeof(*workload->records);
	if (!workload->nr)
		return;
	/* All cells of a sweep read the same records. */
	workload->records = mmap(NULL, workload->mapped_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (workload->records == MAP_FAILED)
		file_failed(folder);
	madvise(workload->records, workload->mapped_bytes, MADV_SEQUENTIAL);
	close(fd);
}

/**
 * sim_workload_read() - read traces; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @plan: what to take of them
 */
void sim_workload_read(struct sim_workload *workload, char **names, int nr_names,
		       const struct trace_plan *plan)
{
	struct trace_plan keep = *plan;
	struct trace_source *source;

	keep.keep = MEMORY_REQUESTS;
	source = trace_source_open(names, nr_names, &keep);
	if (trace_source_most(source) > MEMORY_REQUESTS)
		take_file(workload, source);
	else
		take_memory(workload, source);
	if (!workload->nr)
		trace_plan_nothing(plan, names, nr_names, trace_source_skipped(source));
	if (!plan->quiet) {
		trace_source_remark(source);
		trace_source_remark_times(source);
	}
	workload->sectors = trace_source_sectors(source);
	workload->skipped = trace_source_skipped(source);
	workload->fold_sectors = 0;
	trace_source_close(source);
}

/**
 * sim_workload_load() - read the first requests of traces; ends the program if one is bad
 * @workload: result
 * @names: of the files
 * @nr_names: how many
 * @limit: how many requests to take
 * @time_scale: factor for times
 */
void sim_workload_load(struct sim_workload *workload, char **names, int nr_names, u64 limit,
		       double time_scale)
{
	struct trace_plan plan = trace_plan_default;

	plan.limit = limit;
	plan.time_scale = time_scale;
	sim_workload_read(workload, names, nr_names, &plan);
}

/**
 * sim_workload_remark() - say so if a run has all requests at once because the trace has one time
 * @workload: the requests
 * @plan: what was taken of the traces
 */
void sim_workload_remark(const struct sim_workload *workload, const struct trace_plan *plan)
{
	if (!plan->order_only && sim_workload_has_one_time(workload))
		warn("all requests of the trace have one time, so each waits for those before it; --depth 16 keeps 16 in flight instead");
}

void sim_workload_free(struct sim_workload *workload)
{
	if (workload->mapped_bytes)
		munmap(workload->records, workload->mapped_bytes);
	else
		free(workload->records);
}
