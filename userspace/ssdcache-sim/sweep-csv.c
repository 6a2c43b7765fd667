// SPDX-License-Identifier: GPL-2.0
/*
 * cells.csv: the results of a sweep as a table, a row for each cell that is done.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sweep.h"

/* Numbers and texts of a row: a column each, named by its path. Arrays are left out. */
static void flatten(json_t *flat, const char *prefix, json_t *object)
{
	const char *key;
	json_t *value;
	char *name;

	json_object_foreach(object, key, value) {
		if (asprintf(&name, "%s%s%s", prefix, *prefix ? "." : "", key) < 0)
			die(TOOL_FAILED, "no memory");
		if (json_is_object(value))
			flatten(flat, name, value);
		else if (!json_is_array(value))
			json_object_set(flat, name, value);
		free(name);
	}
}

/* The values of the options come first. Returns NULL if the cell has no row. */
static json_t *flat_row(const struct sweep *sweep, struct sweep_journal *journal, size_t cell)
{
	json_t *flat, *row = sweep_journal_row(journal, cell), *part;
	const char *key;
	size_t axis;

	if (!row)
		return NULL;
	flat = json_object();
	for (axis = 0; axis < sweep->nr_axes; axis++)
		json_object_set_new(flat, sweep->axes[axis].def->name,
				    json_string(sweep_value(sweep, cell, axis)));
	json_object_foreach(row, key, part) {
		if (json_is_object(part))
			flatten(flat, "", part);
		else
			json_object_set(flat, key, part);
	}
	json_decref(row);
	return flat;
}

static void put_text(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void put_value(FILE *file, const json_t *value)
{
	if (json_is_string(value))
		put_text(file, json_string_value(value));
	else if (json_is_integer(value))
		fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(file, "%.17g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "1" : "0", file);
}

static void put_line(FILE *file, json_t *columns, const json_t *flat)
{
	bool first = true;
	const char *name;
	json_t *unused;

	json_object_foreach(columns, name, unused) {
		if (!first)
			fputc(',', file);
		first = false;
		if (flat)
			put_value(file, json_object_get(flat, name));
		else
			put_text(file, name);
	}
	fputc('\n', file);
}

/* Policies have statistics of their own, so columns are those of all rows; a cell without one is empty. */
static json_t *columns_of(const struct sweep *sweep, struct sweep_journal *journal)
{
	json_t *columns = json_object(), *flat, *value;
	const char *name;
	size_t cell;

	for (cell = 0; cell < sweep->nr_cells; cell++) {
		flat = flat_row(sweep, journal, cell);
		json_object_foreach(flat, name, value)
			if (!json_object_get(columns, name))
				json_object_set_new(columns, name, json_null());
		json_decref(flat);
	}
	return columns;
}

/**
 * sweep_csv_write() - write cells.csv
 * @sweep: sweep
 * @journal: its results, which are read twice
 */
void sweep_csv_write(const struct sweep *sweep, struct sweep_journal *journal)
{
	char *path = sweep_path(sweep, "cells.csv"), *new = sweep_path(sweep, "cells.csv.new");
	json_t *columns = columns_of(sweep, journal), *flat;
	FILE *file = fopen(new, "we");
	size_t cell;

	if (!file)
		die(TOOL_FAILED, "%s: %s", new, strerror(errno));
	put_line(file, columns, NULL);
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		flat = flat_row(sweep, journal, cell);
		if (flat)
			put_line(file, columns, flat);
		json_decref(flat);
	}
	close_file(file, new);
	if (rename(new, path))
		die(TOOL_FAILED, "%s: %s", path, strerror(errno));
	json_decref(columns);
	free(path);
	free(new);
}
