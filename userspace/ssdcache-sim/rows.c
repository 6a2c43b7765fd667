// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "../common/memory.h"
#include "../common/say.h"
#include "rows.h"

/* Open a file for writing; ends the program if that is not possible. */
struct rows *rows_open(const char *name)
{
	FILE *out = fopen(name, "w");
	struct rows *rows;

	if (!out)
		die(TOOL_FAILED, "%s: %s", name, strerror(errno));
	rows = xmalloc(sizeof(*rows));
	rows->out = out;
	rows->name = name;
	setvbuf(out, rows->buffer, _IOFBF, ROWS_BUFFER);
	return rows;
}

/* Write the rows that have ended. A signal that ends the program would cut the write, so it waits. */
void rows_write(struct rows *rows)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (fflush(rows->out))
		die(TOOL_FAILED, "%s: %s", rows->name, strerror(errno));
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void rows_close(struct rows *rows)
{
	rows_write(rows);
	close_file(rows->out, rows->name);
	free(rows);
}
