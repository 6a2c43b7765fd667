// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include "sim.h"

void sim_die(int status, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

static void *checked(void *memory)
{
	if (!memory)
		sim_die(SIM_FAILED, "no memory");
	return memory;
}

void *sim_alloc(size_t size)
{
	return checked(malloc(size));
}

void *sim_zalloc(size_t nr, size_t size)
{
	return checked(calloc(nr, size));
}

void *sim_realloc(void *memory, size_t nr, size_t size)
{
	return checked(reallocarray(memory, nr, size));
}

/* Of this program, not of the machine, which others may use, too. */
double sim_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
