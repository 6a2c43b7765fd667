// SPDX-License-Identifier: GPL-2.0
/*
 * The table of formats.
 */
#include <string.h>
#include "reader.h"

#define ENTRY(ident, name)	&trace_format_##ident,

const struct trace_format *const trace_formats[] = { TRACE_FORMATS(ENTRY) NULL };

/**
 * trace_format_find() - the format with a name
 * @name: as on the command line
 *
 * Return: NULL if there is none.
 */
const struct trace_format *trace_format_find(const char *name)
{
	unsigned int i = 0;

	while (trace_formats[i] && strcmp(trace_formats[i]->name, name))
		i++;
	return trace_formats[i];
}

const char *trace_format_name(const struct trace_format *format)
{
	return format->name;
}
