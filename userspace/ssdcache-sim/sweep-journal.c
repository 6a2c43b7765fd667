// SPDX-License-Identifier: GPL-2.0
/*
 * The results of a sweep, in its directory: cells.jsonl gets a line for each cell as soon as the cell
 * is done, so that a sweep that was ended can go on; cells.csv is made from these lines at the end.
 *
 * A row belongs to a cell if release, workload and options are the same. Rows of other cells stay, so
 * that a sweep can be extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../dm-ssdcache/version.h"
#include "sweep.h"

struct sweep_journal {
	struct sweep *sweep;
	char *path;
	FILE *file;
};

static char *path_of(const struct sweep *sweep, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", sweep->directory, name) < 0)
		die(TOOL_FAILED, "no memory");
	return path;
}

static const char *text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

/* Cells by what makes them different, to find those of the rows. */
static json_t *index_cells(const struct sweep *sweep)
{
	json_t *index = json_object();
	size_t cell;

	for (cell = 0; cell < sweep->nr_cells; cell++) {
		char *options = sweep_cell_key(sweep, cell);

		json_object_set_new(index, options, json_integer(cell));
		free(options);
	}
	return index;
}

static void take_row(struct sweep *sweep, const json_t *index, json_t *row)
{
	json_t *cell = json_object_get(index, text_of(row, "options"));
	json_t **at;

	if (!cell || strcmp(text_of(row, "version"), SSDC_VERSION) ||
	    strcmp(text_of(row, "workload"), sweep->workload_id))
		return;
	at = &sweep->rows[json_integer_value(cell)];
	json_decref(*at);
	*at = json_incref(row);
}

/* Read the rows of former runs. A last line that was cut is removed. */
static void read_rows(struct sweep_journal *journal)
{
	json_t *index = index_cells(journal->sweep), *row;
	unsigned long long number = 0;
	json_error_t error;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	long end = 0;

	while ((len = getline(&line, &room, journal->file)) > 0 && line[len - 1] == '\n') {
		number++;
		row = json_loadb(line, len, 0, &error);
		if (!row)
			die(TOOL_FAILED, "%s:%llu: not a row of a sweep: %s", journal->path, number,
			    error.text);
		take_row(journal->sweep, index, row);
		json_decref(row);
		end += len;
	}
	free(line);
	json_decref(index);
	if (ferror(journal->file) || ftruncate(fileno(journal->file), end) ||
	    fseek(journal->file, end, SEEK_SET))
		die(TOOL_FAILED, "%s: %s", journal->path, strerror(errno));
}

/**
 * sweep_journal_open() - open the results, and take the rows of the cells that are done
 * @sweep: sweep; its rows are filled in
 */
struct sweep_journal *sweep_journal_open(struct sweep *sweep)
{
	struct sweep_journal *journal = xcalloc(1, sizeof(*journal));
	int fd;

	journal->sweep = sweep;
	if (mkdir(sweep->directory, 0777) && errno != EEXIST)
		die(TOOL_FAILED, "%s: %s", sweep->directory, strerror(errno));
	journal->path = path_of(sweep, "cells.jsonl");
	fd = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	journal->file = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!journal->file)
		die(TOOL_FAILED, "%s: %s", journal->path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		die(TOOL_FAILED, "%s: another sweep is writing to this directory", journal->path);
	read_rows(journal);
	return journal;
}

/**
 * sweep_journal_add() - add the row of a cell
 * @journal: results
 * @cell: its number
 * @row: row, kept
 */
void sweep_journal_add(struct sweep_journal *journal, size_t cell, json_t *row)
{
	journal->sweep->rows[cell] = row;
	if (json_dumpf(row, journal->file, JSON_COMPACT | JSON_PRESERVE_ORDER) ||
	    fputc('\n', journal->file) < 0 || fflush(journal->file))
		die(TOOL_FAILED, "%s: %s", journal->path, strerror(errno));
}

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

static json_t *flat_row(const struct sweep *sweep, size_t cell)
{
	json_t *flat = json_object(), *row = sweep->rows[cell], *part;
	const char *key;
	size_t axis;

	for (axis = 0; axis < sweep->nr_axes; axis++)
		json_object_set_new(flat, sweep->axes[axis].def->name,
				    json_string(sweep_value(sweep, cell, axis)));
	json_object_foreach(row, key, part) {
		if (json_is_object(part))
			flatten(flat, "", part);
		else
			json_object_set(flat, key, part);
	}
	return flat;
}

static void put_text(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\n")]) {
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
		fprintf(file, "%.10g", json_real_value(value));
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
static void write_csv(const struct sweep *sweep)
{
	json_t *columns = json_object(), **flat = xcalloc(sweep->nr_cells, sizeof(*flat));
	char *path = path_of(sweep, "cells.csv"), *new = path_of(sweep, "cells.csv.new");
	FILE *file = fopen(new, "we");
	size_t cell;

	if (!file)
		die(TOOL_FAILED, "%s: %s", new, strerror(errno));
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		if (!sweep->rows[cell])
			continue;
		flat[cell] = flat_row(sweep, cell);
		json_object_update_missing(columns, flat[cell]);
	}
	put_line(file, columns, NULL);
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		if (flat[cell])
			put_line(file, columns, flat[cell]);
		json_decref(flat[cell]);
	}
	close_file(file, new);
	if (rename(new, path))
		die(TOOL_FAILED, "%s: %s", path, strerror(errno));
	json_decref(columns);
	free(flat);
	free(path);
	free(new);
}

/**
 * sweep_journal_close() - write cells.csv
 * @journal: results
 */
void sweep_journal_close(struct sweep_journal *journal)
{
	write_csv(journal->sweep);
	close_file(journal->file, journal->path);
	free(journal->path);
	free(journal);
}
