// SPDX-License-Identifier: GPL-2.0
/*
 * blktrace's binary output: one file for each CPU, NAME.blktrace.CPU, records of
 * struct blk_io_trace, each followed by pdu_len bytes. Source: linux/blktrace_api.h.
 *
 * Only queue events (Q) count: they are the requests as submitted, before splits, merges and
 * remaps. A write with PREFLUSH becomes a FLUSH and a write, as in the block layer. blktrace
 * records WRITE_ZEROES as a write.
 *
 * The events of a CPU are in order, those of a pipe are nearly so: a window of events is kept sorted
 * by time, CPU and sequence.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <linux/blktrace_api.h>
#include "../common/memory.h"
#include "reader.h"

#define MAGIC_MASK	0xffffff00u
#define ACTION_MASK	0xffffu
#define KERNEL_MINOR_BITS 20
#define KERNEL_MINORS	(1u << KERNEL_MINOR_BITS)

/* Events of the windows of all files. The fuzzers have fewer. */
#ifndef WINDOW_EVENTS
#define WINDOW_EVENTS	(1u << 20)
#define MIN_WINDOW	(1u << 14)
#endif

/* A queue event, with the keys that order it. */
struct event {
	uint64_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	uint32_t sequence;
	uint16_t category;
	uint16_t cpu;
};

/*
 * The window: [at, nr) are sorted; of these, up to @ready may be taken. Once they are taken, the
 * window is filled again.
 */
struct trace_events {
	struct event *events;
	size_t at;
	size_t ready;
	size_t nr;
	size_t room;
	size_t window;
	bool over;
};

static bool is(const struct event *event, enum blktrace_cat category)
{
	return event->category & category;
}

static bool swapped(uint32_t magic)
{
	return (__builtin_bswap32(magic) & MAGIC_MASK) == BLK_IO_TRACE_MAGIC;
}

static unsigned int blktrace_detect(const uint8_t *bytes, size_t size, bool all)
{
	uint32_t magic;

	(void)all;
	if (size < sizeof(magic))
		return 0;
	memcpy(&magic, bytes, sizeof(magic));
	return (magic & MAGIC_MASK) == BLK_IO_TRACE_MAGIC || swapped(magic);
}

static enum trace_found check_magic(struct trace_reader *r, uint32_t magic)
{
	if ((magic & MAGIC_MASK) == BLK_IO_TRACE_MAGIC) {
		if ((magic & ~MAGIC_MASK) == BLK_IO_TRACE_VERSION)
			return TRACE_REQUEST;
		return trace_bad(r, NULL, "version %u of blktrace's format, expected %u,",
				 magic & ~MAGIC_MASK, BLK_IO_TRACE_VERSION);
	}
	if (swapped(magic))
		return trace_bad(r, NULL, "written on a machine of the other byte order,");
	return trace_bad(r, NULL, "no record of blktrace");
}

static enum trace_found check_event(struct trace_reader *r, const struct blk_io_trace *record)
{
	if (record->sector > TRACE_MAX_SECTORS - trace_sectors_of(record->bytes))
		return trace_bad(r, NULL, "%" PRIu64 " sectors from sector %llu on, expected an end of at most %llu,",
				 trace_sectors_of(record->bytes), (unsigned long long)record->sector,
				 TRACE_MAX_SECTORS);
	if (r->has_device && r->device != record->device)
		return trace_bad(r, NULL, "device %u:%u after device %u:%u: convert one device at a time,",
				 record->device >> KERNEL_MINOR_BITS, record->device % KERNEL_MINORS,
				 r->device >> KERNEL_MINOR_BITS, r->device % KERNEL_MINORS);
	r->has_device = true;
	r->device = record->device;
	return TRACE_REQUEST;
}

/* Skip the data of a record. Returns false at the end of the file. */
static bool skip_data(struct trace_reader *r, size_t size)
{
	size_t got, part;

	for (; size; size -= part) {
		part = size < 4096 ? size : 4096;
		trace_input_record(&r->in, part, &got);
		if (got < part)
			return false;
	}
	return true;
}

static enum trace_found read_record(struct trace_reader *r, struct blk_io_trace *record)
{
	const uint8_t *bytes;
	size_t got;

	bytes = trace_input_record(&r->in, sizeof(*record), &got);
	if (!got)
		return TRACE_END;
	if (got < sizeof(record->magic))
		return trace_bad(r, NULL, "a record that is cut off");
	memcpy(record, bytes, got);
	if (check_magic(r, record->magic) == TRACE_BAD) {
		/* Another may start at the next byte. */
		trace_input_back(&r->in, got - 1);
		return TRACE_BAD;
	}
	if (got < sizeof(*record))
		return trace_bad(r, NULL, "a record that is cut off");
	if (!skip_data(r, record->pdu_len))
		return trace_bad(r, NULL, "a record that is cut off");
	r->in.line++;
	if ((record->action & BLK_TC_ACT(BLK_TC_NOTIFY)) ||
	    (record->action & ACTION_MASK & ~__BLK_TA_CGROUP) != __BLK_TA_QUEUE)
		return TRACE_NOTHING;
	return check_event(r, record);
}

static int earlier(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void add(struct trace_events *events, const struct blk_io_trace *record)
{
	if (events->nr == events->room) {
		events->room = events->room ? 2 * events->room : 1024;
		events->events = xrealloc(events->events, events->room, sizeof(*events->events));
	}
	events->events[events->nr++] = (struct event) {
		.time_ns = record->time,
		.sector = record->sector,
		.bytes = record->bytes,
		.sequence = record->sequence,
		.category = record->action >> BLK_TC_SHIFT,
		.cpu = record->cpu,
	};
}

/* Fill the window and sort it. Only its first half is ready: what follows may be earlier than the rest. */
static enum trace_found fill(struct trace_reader *r, struct trace_events *events)
{
	enum trace_found found = TRACE_NOTHING;
	struct blk_io_trace record;
	bool sorted = true;
	size_t i;

	if (events->at) {
		memmove(events->events, events->events + events->at,
			(events->nr - events->at) * sizeof(*events->events));
		events->nr -= events->at;
		events->at = 0;
		events->ready = 0;
	}
	while (events->nr < 2 * events->window && found != TRACE_END) {
		found = read_record(r, &record);
		if (found == TRACE_BAD)
			return TRACE_BAD;
		if (found == TRACE_REQUEST)
			add(events, &record);
	}
	events->over = found == TRACE_END;
	for (i = 1; sorted && i < events->nr; i++)
		sorted = earlier(&events->events[i - 1], &events->events[i]) <= 0;
	if (!sorted)
		qsort(events->events, events->nr, sizeof(*events->events), earlier);
	events->ready = events->over ? events->nr : events->window;
	return TRACE_REQUEST;
}

static void set_data(const struct event *event, struct trace_request *request)
{
	request->op = is(event, BLK_TC_DISCARD) ? TRACE_DISCARD :
		      is(event, BLK_TC_WRITE) ? TRACE_WRITE : TRACE_READ;
	request->sector = event->sector;
	request->nr_sectors = trace_sectors_of(event->bytes);
	request->fua = request->op == TRACE_WRITE && is(event, BLK_TC_FUA);
}

static enum trace_found take_event(struct trace_reader *r, const struct event *event,
				   struct trace_request *request)
{
	r->tie = event->cpu;
	request->time_ns = event->time_ns;
	if (!is(event, BLK_TC_FLUSH)) {
		if (!event->bytes)
			return TRACE_NOTHING;
		set_data(event, request);
		return TRACE_REQUEST;
	}
	if (event->bytes) {
		r->queued = *request;
		set_data(event, &r->queued);
		r->has_queued = true;
	}
	request->op = TRACE_FLUSH;
	return TRACE_REQUEST;
}

static enum trace_found blktrace_next(struct trace_reader *r, struct trace_request *request)
{
	struct trace_events *events = r->events;

	if (!events) {
		r->events = xcalloc(1, sizeof(*events));
		events = r->events;
		events->window = WINDOW_EVENTS / (r->plan_parts ? r->plan_parts : 1);
		if (events->window < MIN_WINDOW)
			events->window = MIN_WINDOW;
	}
	if (events->at == events->ready) {
		if (events->over)
			return TRACE_END;
		if (fill(r, events) == TRACE_BAD)
			return TRACE_BAD;
		if (!events->nr)
			return TRACE_END;
	}
	return take_event(r, &events->events[events->at++], request);
}

static void blktrace_close(struct trace_reader *r)
{
	if (r->events)
		free(r->events->events);
	free(r->events);
}

/**
 * trace_blktrace_names() - the files NAME.blktrace.*, whatever characters NAME has
 * @name: NAME
 * @names: names are added to this array
 * @nr: how many there are
 *
 * Return: false if there are none.
 */
bool trace_blktrace_names(const char *name, char ***names, size_t *nr)
{
	char *pattern = xmalloc(2 * strlen(name) + sizeof(".blktrace.*")), *at = pattern;
	glob_t found = {};
	size_t i;

	for (; *name; name++) {
		if (strchr("*?[\\", *name))
			*at++ = '\\';
		*at++ = *name;
	}
	strcpy(at, ".blktrace.*");
	if (!glob(pattern, 0, NULL, &found)) {
		*names = xrealloc(*names, *nr + found.gl_pathc, sizeof(**names));
		for (i = 0; i < found.gl_pathc; i++) {
			char *copy = xmalloc(strlen(found.gl_pathv[i]) + 1);

			(*names)[(*nr)++] = strcpy(copy, found.gl_pathv[i]);
		}
	}
	i = found.gl_pathc;
	globfree(&found);
	free(pattern);
	return i;
}

const struct trace_format trace_format_blktrace = {
	.name = "blktrace",
	.title = "binary output of blktrace",
	.wants = "records of struct blk_io_trace",
	.detect = blktrace_detect,
	.next = blktrace_next,
	.close = blktrace_close,
};
