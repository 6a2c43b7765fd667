/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of rows that a run writes. Whatever ends the run, a signal, too, they end with a whole row: only whole rows are written
 * at once.
 */
#ifndef SSDC_SIM_ROWS_H
#define SSDC_SIM_ROWS_H

#include <stdio.h>
#include <stdio_ext.h>

/* A row has at most ROWS_LONGEST bytes. */
#define ROWS_BUFFER	(64u << 10)
#define ROWS_LONGEST	(16u << 10)

/**
 * struct rows - a file of rows
 * @out: rows are printed to it
 * @name: of the file
 * @buffer: of @out
 */
struct rows {
	FILE *out;
	const char *name;
	char buffer[ROWS_BUFFER];
};

struct rows *rows_open(const char *name);
void rows_write(struct rows *rows);
void rows_close(struct rows *rows);

/* A row ends. Inline: most requests of a log end some. */
static inline void rows_end(struct rows *rows)
{
	if (__fpending(rows->out) > ROWS_BUFFER - ROWS_LONGEST)
		rows_write(rows);
}

#endif /* SSDC_SIM_ROWS_H */
