/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdcache-trace: makes, describes and replays captures of block requests.
 *
 *	main.c		verbs
 *	say.c		messages, memory
 *	load.c		text traces, by the readers of ssdcache-sim
 *	blktrace.c	blktrace's binary output
 *	save.c		captures, compressed if so named
 *	convert.c	the verb "convert"
 *	info.c		the verb "info"
 *	pages.c		info: which pages were touched, and how often again
 *	replay.c	the verb "replay": options and the order of things
 *	device.c	replay: the block device
 *	ring.c		replay: io_uring
 *	feeder.c	replay: the kernel's test module ssdcache-feeder in place of io_uring
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

#define TRACE_SECTOR_BYTES	512u
#define TRACE_PAGE_SECTORS	8u	/* of the pages that "info" counts */

/* Exit codes. */
enum { TRACE_OK, TRACE_FAILED, TRACE_BAD_USAGE };

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

/* Kinds of file. TRACE_ANY: told apart by how they start. */
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

/* Say "ssdcache-trace: …" on stderr; trace_die() then exits with @status. */
void trace_warn(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
void trace_die(int status, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3), __noreturn__));

/* calloc() and realloc() that end the program when there is no memory. */
void *trace_zalloc(size_t nr, size_t size);
void *trace_realloc(void *memory, size_t nr, size_t size);

/* The value of an option, or the end of the program. */
uint64_t trace_number(const char *option, const char *text, uint64_t min, uint64_t max);

int trace_convert(int argc, char **argv);
int trace_info(int argc, char **argv);
int trace_replay(int argc, char **argv);

#endif /* SSDCACHE_TRACE_H */
