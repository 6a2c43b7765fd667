/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdcache-trace: makes, describes and replays captures of block requests.
 *
 *	main.c		verbs
 *	load.c		traces, by the readers in ../trace
 *	save.c		captures, compressed if so named
 *	convert.c	the verb "convert"
 *	info.c		the verb "info"
 *	pages.c		info: which pages were touched, how often and when again
 *	counts.c	info: distributions of sizes and of intervals
 *	replay.c	the verb "replay": options and the order of things
 *	device.c	replay: the block device
 *	slots.c		replay: starts requests through io_uring and takes their completions
 *	ring.c		replay: io_uring
 *	feeder.c	replay: the kernel's test module ssdcache-feeder in place of io_uring
 *	account.c	replay: the clock, and what is counted as requests end
 *	interrupt.c	replay: the signals that end a replay, and not its results
 *	discard.c	replay: a thread for discards, which io_uring lacks
 *	pattern.c	replay: what is written
 *	verify.c	replay: whether what is read may be there
 *	latency.c	replay: latencies
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
#include "../trace/source.h"

#define TRACE_PAGE_SECTORS	8u	/* of the pages that "info" counts */

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

void trace_load(struct trace *trace, char **names, int nr_names, const struct trace_plan *plan);
void trace_some_left(const struct trace_source *source, uint64_t nr, char **names, int nr_names,
		     const struct trace_plan *plan);
void trace_free(struct trace *trace);

struct trace_saver;

struct trace_saver *trace_saver_beside(const char *name);
struct trace_saver *trace_saver_in_place(const char *name);
void trace_saver_put(struct trace_saver *saver, const struct trace_request *request);
void trace_saver_close(struct trace_saver *saver);

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
