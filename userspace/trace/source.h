/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of block traces, of any format, merged and transformed. README.md has an overview.
 */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../common/options.h"

#define TRACE_SECTOR_BYTES	512u
#define TRACE_MAX_SECTORS	(1ULL << 54)	/* where requests may end */
#define TRACE_MAX_NS		(1ULL << 62)	/* between the first and the last request */

/* All formats: the object trace_format_IDENT, and the name on the command line. */
#define TRACE_FORMATS(F)			\
	F(capture, "capture")			\
	F(msr, "msr")				\
	F(alibaba, "alibaba")			\
	F(tencent, "tencent")			\
	F(systor, "systor")			\
	F(spc, "spc")				\
	F(ssdsim, "ssdsim")			\
	F(mqsim, "mqsim")			\
	F(fiu, "fiu")				\
	F(fio, "fio")				\
	F(blktrace, "blktrace")			\
	F(blkparse, "blkparse")			\
	F(oracle_general, "oracleGeneral")	\
	F(libcachesim_csv, "libcachesim-csv")	\
	F(vscsi, "vscsi")

enum trace_op { TRACE_READ, TRACE_WRITE, TRACE_FLUSH, TRACE_DISCARD, TRACE_NR_OPS };

/**
 * struct trace_request - one request
 * @time_ns: of arrival, from the start of the trace
 * @sector: start
 * @nr_sectors: length, 0 for a FLUSH
 * @disk: number of the disk, in order of first appearance
 * @op: enum trace_op
 * @fua: a write that must be on stable media before it completes
 */
struct trace_request {
	uint64_t time_ns;
	uint64_t sector;
	uint32_t nr_sectors;
	uint16_t disk;
	uint8_t op;
	bool fua;
};

struct trace_format;

/**
 * struct trace_plan - what to take of the traces, and what to make of it
 * @format: of all files; NULL: look at each file
 * @skip_bad: skip bad lines, and count them
 * @align: the first request of each file is at time 0
 * @order_only: requests do not wait for their times
 * @no_times: only the order of requests counts, so nothing is said about their times
 * @quiet: say nothing of lines that were skipped, and of times that go back
 * @compact: leave out extents of 1 MiB that no request touches
 * @keep: keep so many requests in memory for the second pass; 0: a default
 * @output: file that is written while the traces are read; NULL: none. If it is one of them, all requests are kept in memory
 * @after_ns: take requests from this time on, which becomes time 0
 * @before_ns: take requests before this time
 * @skip: leave out so many requests
 * @limit: then take so many
 * @repeat: then take the same so many times, one mean interval after the other
 * @time_scale: then multiply times by this
 * @fold_sectors: then fold addresses onto so many sectors; 0: do not
 *
 * TRACE_PLAN_DEFAULT has the values that leave everything as it is.
 */
struct trace_plan {
	const struct trace_format *format;
	bool skip_bad;
	bool align;
	bool order_only;
	bool no_times;
	bool quiet;
	bool compact;
	uint64_t keep;
	const char *output;
	uint64_t after_ns;
	uint64_t before_ns;
	uint64_t skip;
	uint64_t limit;
	uint64_t repeat;
	double time_scale;
	uint64_t fold_sectors;
};

#define TRACE_PLAN_DEFAULT	\
	{ .before_ns = UINT64_MAX, .limit = UINT64_MAX, .repeat = 1, .time_scale = 1 }

extern const struct trace_plan trace_plan_default;

/* Options for a table of struct option_def, with ids from 2000 on. */
enum trace_option {
	TRACE_OPTION_FORMAT = 2000, TRACE_OPTION_SKIP_BAD, TRACE_OPTION_ALIGN, TRACE_OPTION_AFTER,
	TRACE_OPTION_BEFORE, TRACE_OPTION_SKIP, TRACE_OPTION_LIMIT, TRACE_OPTION_REPEAT,
	TRACE_OPTION_TIME_SCALE, TRACE_OPTION_COMPACT, TRACE_OPTION_LAST,
};

#define TRACE_FORMAT_NAME(ident, name)	" " name

#define TRACE_FORMAT_DOC									\
	"what the traces are: any (the default: look at the content of each) or one of"		\
	TRACE_FORMATS(TRACE_FORMAT_NAME)
#define TRACE_FORMAT_OPTION									\
	{ "format", .id = TRACE_OPTION_FORMAT, .arg = "NAME", .doc = TRACE_FORMAT_DOC }
#define TRACE_SKIP_BAD_OPTION									\
	{ "skip-bad", .id = TRACE_OPTION_SKIP_BAD,						\
	  .doc = "skip lines and records that are bad, and say how many" }
#define TRACE_LIMIT_OPTION(what)								\
	{ "limit", .id = TRACE_OPTION_LIMIT, .arg = "N", .doc = what }
#define TRACE_CUT_OPTIONS									\
	{ "after", .id = TRACE_OPTION_AFTER, .arg = "SECONDS",					\
	  .doc = "leave out requests before this time of the trace; times then count from it" }, \
	{ "before", .id = TRACE_OPTION_BEFORE, .arg = "SECONDS",				\
	  .doc = "leave out requests from this time of the trace on" },			\
	{ "skip", .id = TRACE_OPTION_SKIP, .arg = "N",						\
	  .doc = "leave out the first N requests (of those that --after and --before leave)" },	\
	{ "repeat", .id = TRACE_OPTION_REPEAT, .arg = "N",					\
	  .doc = "take all requests (that --limit leaves) N times, each time one mean interval after the last request" }, \
	{ "align", .id = TRACE_OPTION_ALIGN,							\
	  .doc = "when several traces are merged, start each at time 0; otherwise traces of one format share a clock" }, \
	{ "compact", .id = TRACE_OPTION_COMPACT,						\
	  .doc = "leave out all parts of 1 MiB that no read or write touches, so that a device can be as small as what is touched" }
#define TRACE_SCALE_OPTION									\
	{ "time-scale", .id = TRACE_OPTION_TIME_SCALE, .arg = "X",				\
	  .doc = "multiply arrival times by X" }

bool trace_plan_take(struct trace_plan *plan, const struct option_def *option, const char *value);
void trace_plan_check(const struct trace_plan *plan);
void trace_plan_ignore_times(struct trace_plan *plan, int nr_names);
void trace_plan_nothing(const struct trace_plan *plan, char *const *names, int nr_names, uint64_t skipped)
	__attribute__((__noreturn__));
void trace_fold(struct trace_request *request, uint64_t sectors);

const struct trace_format *trace_format_find(const char *name);
const char *trace_format_name(const struct trace_format *format);

struct trace_source;

struct trace_source *trace_source_open(char **names, int nr_names, const struct trace_plan *plan);
bool trace_source_next(struct trace_source *source, struct trace_request *request);
void trace_source_rewind(struct trace_source *source);
uint64_t trace_source_most(const struct trace_source *source);
uint64_t trace_source_repeated(const struct trace_source *source);
uint64_t trace_source_sectors(const struct trace_source *source);
uint64_t trace_source_skipped(const struct trace_source *source);
void trace_source_remark_times(const struct trace_source *source);
uint64_t trace_source_early(const struct trace_source *source, uint64_t *most_ns);
const struct trace_format *trace_source_format(const struct trace_source *source);
struct trace_request *trace_source_take(struct trace_source *source, size_t *nr);
void trace_source_remark(const struct trace_source *source);
void trace_source_close(struct trace_source *source);

#endif /* TRACE_SOURCE_H */
