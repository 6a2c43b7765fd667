// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "memory.h"
#include "say.h"

static void *checked(void *memory, size_t nr, size_t size)
{
	if (!memory)
		die(TOOL_FAILED, "no memory for %zu times %zu bytes", nr, size);
	return memory;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), 1, size);
}

void *xcalloc(size_t nr, size_t size)
{
	return checked(calloc(nr ? nr : 1, size), nr, size);
}

void *xrealloc(void *memory, size_t nr, size_t size)
{
	return checked(reallocarray(memory, nr ? nr : 1, size), nr, size);
}
