/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdcache-trace: makes, describes and replays captures of block requests.
 *
 *	main.c		verbs
 *	load.c		text traces, by the readers of ssdcache-sim
 *	blktrace.c	blktrace's binary output
 *	save.c		captures, compressed if so named
 *	convert.c	the verb "convert"
 *	info.c		the verb "info"
 *	pages.c		info: which pages were touched, and how often again
 *	replay.c	the verb "replay": options and the order of things
 *	device.c	replay: the block device
 *	slots.c		replay: starts requests through io_uring and takes their completions
 *	ring.c		replay: io_uring
 *	feeder.c	replay: the kernel's test module ssdcache-feeder in place of io_uring
 *	account.c	replay: the clock, and what is counted as requests end
 *	discard.c	replay: a thread for discards, which io_uring lacks
 *	pattern.c	replay: what is written
 *	verify.c	replay: whether what is read may be there
 *	latency.c	replay: latencies
 *
 * load.c sees the stand-ins for kernel headers that the readers are built with, all others
 * see the system's own: this header is where both meet.
 */
#ifndef SSDCACHE_TRACE_H
#define SSDCACHE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../common/memory.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/say.h"

#define TRACE_SECTOR_BYTES	512u
#define TRACE_MAX_SECTORS	(1ULL << 54)	/* where requests may end */
#define TRACE_MAX_NS		(1ULL << 62)	/* between the first and the last request */
#define TRACE_PAGE_SECTORS	8u	/* of the pages that "info" counts */

/**
 * struct trace_request - one request
 * @time_ns: of arrival, from the start of the trace
 * @sector: start
 * @nr_sectors: length, 0 for a FLUSH
 * @op: enum trace_op
 * @fua: a write that must be on stable media before it completes
 */
struct trace_request {
	uint64_t time_ns;
	uint64_t sector;
	uint32_t nr_sectors;
	uint8_t op;
	bool fua;
};

enum trace_op { TRACE_READ, TRACE_WRITE, TRACE_FLUSH, TRACE_DISCARD, TRACE_NR_OPS };

extern const char *const trace_op_names[TRACE_NR_OPS];

/**
 * struct trace - requests in order of time
 * @requests: requests
 * @nr: how many
 * @sectors: end of the last sector used
 */
struct trace {
	struct trace_request *requests;
	size_t nr;
	uint64_t sectors;
};

/* Kinds of file. TRACE_ANY: detected by the start of the file. */
enum trace_kind { TRACE_ANY, TRACE_BLKTRACE, TRACE_MSR, TRACE_CAPTURE, TRACE_NR_KINDS };

extern const char *const trace_kind_names[TRACE_NR_KINDS];

void trace_load(struct trace *trace, char **names, int nr_names, enum trace_kind kind,
		uint64_t limit);
void trace_load_text(struct trace *trace, char **names, int nr_names, enum trace_kind kind,
		     uint64_t limit);
bool trace_is_blktrace(const char *name);
void trace_load_blktrace(struct trace *trace, char **names, int nr_names, uint64_t limit);
void trace_save(const struct trace *trace, const char *name);
void trace_free(struct trace *trace);

/* Requests one after the other, without memory for all of them. */
struct trace_source;

struct trace_source *trace_source_open(char **names, int nr_names, uint64_t limit);
bool trace_source_next(struct trace_source *source, struct trace_request *request);
void trace_source_rewind(struct trace_source *source);
void trace_source_close(struct trace_source *source);

/**
 * struct trace_verb - something ssdcache-trace can do
 * @name: the word
 * @args: the words that follow, as in help
 * @doc: one line, for the overview
 * @more: what --help says before the options
 * @options: ended by OPTION_END
 * @take: takes an option, whose value is NULL if it has none
 * @run: does it, with the files named; returns an exit code
 */
struct trace_verb {
	const char *name;
	const char *args;
	const char *doc;
	const char *more;
	const struct option_def *options;
	void (*take)(const struct option_def *option, const char *value);
	int (*run)(char **names, int nr_names);
};

extern const struct trace_verb trace_verb_convert, trace_verb_info, trace_verb_replay;

#endif /* SSDCACHE_TRACE_H */
