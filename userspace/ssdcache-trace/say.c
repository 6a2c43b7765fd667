// SPDX-License-Identifier: GPL-2.0
/*
 * Messages on one line, memory, numbers. The sim_*() here are what the readers
 * of ssdcache-sim want of the program they are linked into.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "trace.h"

const char *const trace_op_names[TRACE_NR_OPS] = { "read", "write", "flush", "discard" };

void sim_die(int status, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3), __noreturn__));
void *sim_alloc(size_t size);
void *sim_zalloc(size_t nr, size_t size);
void *sim_realloc(void *memory, size_t nr, size_t size);

static void say(const char *format, va_list args)
{
	fflush(stdout);
	fputs("ssdcache-trace: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void trace_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void trace_die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(status);
}

void sim_die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(status);
}

void *trace_zalloc(size_t nr, size_t size)
{
	void *memory = calloc(nr ? nr : 1, size);

	if (!memory)
		trace_die(TRACE_FAILED, "no memory for %zu times %zu bytes", nr, size);
	return memory;
}

void *trace_realloc(void *memory, size_t nr, size_t size)
{
	memory = reallocarray(memory, nr ? nr : 1, size);
	if (!memory)
		trace_die(TRACE_FAILED, "no memory for %zu times %zu bytes", nr, size);
	return memory;
}

void *sim_alloc(size_t size)
{
	return trace_realloc(NULL, size, 1);
}

void *sim_zalloc(size_t nr, size_t size)
{
	return trace_zalloc(nr, size);
}

void *sim_realloc(void *memory, size_t nr, size_t size)
{
	return trace_realloc(memory, nr, size);
}

/**
 * trace_number() - a whole number on the command line; ends the program if it is none
 * @option: for the message
 * @text: as given
 * @min: smallest that is accepted
 * @max: largest
 */
uint64_t trace_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		trace_die(TRACE_BAD_USAGE,
			  "%s '%s': expected a whole number from %" PRIu64 " to %" PRIu64, option,
			  text, min, max);
	return value;
}
