// SPDX-License-Identifier: GPL-2.0
/*
 * cells.csv: the results of a sweep as a table, a row for each cell that is done.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../common/files.h"
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

/* The table while it is not whole; NULL: there is none. */
static char *unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

/*
 * Create a file beside @target, with the mode of @target and a random name, so that a rename can replace @target. No signal leaves
 * the file behind: those that end a sweep are blocked until the table is written.
 */
static FILE *open_beside(const char *target)
{
	const char *slash = strrchr(target, '/');
	struct stat old;
	u64 random;
	int fd;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random) ||
	    asprintf(&unfinished, "%.*s/.ssdcache-%016llx.new", slash ? (int)(slash - target) : 1, slash ? target : ".",
		     (unsigned long long)random) < 0)
		die(TOOL_FAILED, "no memory");
	fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	atexit(remove_unfinished);
	if (!stat(target, &old) && fchmod(fd, old.st_mode & 0777))
		warn("%s: the new table cannot have the mode of the old one: %s", target, strerror(errno));
	return fdopen(fd, "w");
}

/**
 * sweep_csv_write() - write cells.csv
 * @sweep: sweep
 * @journal: its results, which are read twice
 *
 * A table that is there is replaced by a whole one only. If it is a symbolic link, what that leads to is replaced.
 */
void sweep_csv_write(const struct sweep *sweep, struct sweep_journal *journal)
{
	char *path = sweep_path(sweep, "cells.csv"), *target = behind_links(path);
	json_t *columns = columns_of(sweep, journal), *flat;
	FILE *file = open_beside(target);
	size_t cell;

	if (!file)
		die(TOOL_FAILED, "%s: %s", path, strerror(errno));
	put_line(file, columns, NULL);
	for (cell = 0; cell < sweep->nr_cells; cell++) {
		flat = flat_row(sweep, journal, cell);
		if (flat)
			put_line(file, columns, flat);
		json_decref(flat);
	}
	close_file(file, path);
	if (rename(unfinished, target))
		die(TOOL_FAILED, "%s: %s", path, strerror(errno));
	free(unfinished);
	unfinished = NULL;
	json_decref(columns);
	free(target);
	free(path);
}
