// SPDX-License-Identifier: GPL-2.0
/*
 * The results of a sweep, in its directory: cells.jsonl gets a line for each cell as soon as the cell
 * is done, so that a sweep that was ended can go on. In memory is only where the row of a cell is.
 *
 * A row belongs to a cell if code, workload and options are the same. Rows of other cells stay, so
 * that a sweep can be extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../common/files.h"
#include "sweep.h"

/* How often to try to lock the results, and the time between two attempts: 5 s in all. */
#define LOCK_TRIES	250
#define LOCK_NS		20000000

/**
 * struct sweep_journal - the results
 * @sweep: sweep
 * @path: name of the file
 * @file: the file
 * @end: its size
 * @others: rows in it that are not of cells of this sweep
 */
struct sweep_journal {
	struct sweep *sweep;
	char *path;
	FILE *file;
	u64 end;
	u64 others;
};

/* To find the cell of a row. */
struct entry {
	u64 hash;
	size_t cell;
};

/**
 * sweep_path() - the name of a file of the results
 * @sweep: sweep
 * @name: in its directory
 */
char *sweep_path(const struct sweep *sweep, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", sweep->directory, name) < 0)
		die(TOOL_FAILED, "no memory");
	return path;
}

static void __attribute__((__noreturn__)) failed(const struct sweep_journal *journal)
{
	die(TOOL_FAILED, "%s: %s", journal->path, strerror(errno));
}

static const char *text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

static int compare(const void *a, const void *b)
{
	u64 first = ((const struct entry *)a)->hash, second = ((const struct entry *)b)->hash;

	return first < second ? -1 : first > second;
}

/* All cells, ordered by the hashes of their options. */
static struct entry *index_cells(const struct sweep *sweep)
{
	struct entry *index = xcalloc(sweep->nr_cells, sizeof(*index));
	size_t cell;

	for (cell = 0; cell < sweep->nr_cells; cell++) {
		char *key = sweep_cell_key(sweep, cell);

		index[cell] = (struct entry) { sweep_hash(SWEEP_HASH, key, strlen(key)), cell };
		free(key);
	}
	qsort(index, sweep->nr_cells, sizeof(*index), compare);
	return index;
}

/* The cell with these options; nr_cells: none. */
static size_t find_cell(const struct sweep *sweep, const struct entry *index, const char *options)
{
	u64 hash = sweep_hash(SWEEP_HASH, options, strlen(options));
	size_t low = 0, high = sweep->nr_cells;
	bool same = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < sweep->nr_cells && index[low].hash == hash; low++) {
		char *key = sweep_cell_key(sweep, index[low].cell);

		same = !strcmp(key, options);
		free(key);
		if (same)
			return index[low].cell;
	}
	return sweep->nr_cells;
}

/* At the end of what was read. */
static void take_row(struct sweep_journal *journal, const struct entry *index, const json_t *row)
{
	struct sweep *sweep = journal->sweep;
	size_t cell = sweep->nr_cells;

	if (!strcmp(text_of(row, "code"), sweep->code_id) && !strcmp(text_of(row, "workload"), sweep->workload_id))
		cell = find_cell(sweep, index, text_of(row, "options"));
	if (cell < sweep->nr_cells)
		sweep->rows[cell] = journal->end + 1;
	else
		journal->others++;
}

/* Read the rows of former runs. A last line that was cut is removed. */
static void read_rows(struct sweep_journal *journal)
{
	struct entry *index = index_cells(journal->sweep);
	unsigned long long number = 0;
	json_error_t error;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	json_t *row;

	while ((len = getline(&line, &room, journal->file)) > 0 && line[len - 1] == '\n') {
		number++;
		row = json_loadb(line, len, 0, &error);
		if (!row)
			die(TOOL_FAILED, "%s:%llu: not a row of a sweep: %s", journal->path, number,
			    error.text);
		take_row(journal, index, row);
		json_decref(row);
		journal->end += len;
	}
	free(line);
	free(index);
	if (ferror(journal->file) || ftruncate(fileno(journal->file), journal->end) ||
	    fseeko(journal->file, journal->end, SEEK_SET))
		failed(journal);
}

/*
 * A device has no end, so reading the rows of former runs would have none; nor can it keep rows. The table is read by the
 * programs that make pages, and opening a FIFO would wait for them.
 */
static void check_regular(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno == ENOENT)
			return;
		die(TOOL_FAILED, "%s: %s", path, strerror(errno));
	}
	if (!S_ISREG(st.st_mode))
		die(TOOL_FAILED, "%s: not a regular file", path);
}

/* A link may lead to another folder. */
static void check_folder(const char *path)
{
	char *place = behind_links(path);
	int error = strcmp(place, path) && access(dirname(place), W_OK | X_OK) ? errno : 0;

	free(place);
	if (error)
		die(TOOL_FAILED, "%s: %s", path, strerror(error));
}

/* Rows are read and written in place. */
static void check_rows(const char *path)
{
	check_regular(path);
	if (access(path, F_OK))
		check_folder(path);
	else if (access(path, R_OK | W_OK))
		die(TOOL_FAILED, "%s: %s", path, strerror(errno));
}

/* The table is replaced. */
static void check_table(const char *path)
{
	check_regular(path);
	check_folder(path);
}

/**
 * sweep_journal_check() - find out whether results can be written, before traces are read; ends the program if not
 * @sweep: sweep
 */
void sweep_journal_check(const struct sweep *sweep)
{
	int error = check_directory(sweep->directory);
	char *path;

	if (error)
		die(TOOL_BAD_USAGE, "--output: %s: %s", sweep->directory, strerror(error));
	path = sweep_path(sweep, "cells.jsonl");
	check_rows(path);
	free(path);
	path = sweep_path(sweep, "cells.csv");
	check_table(path);
	free(path);
}

/* If a sweep is killed just after it has started a cell, the cell keeps the lock until the cell runs, notices that, and ends. */
static void lock(const struct sweep_journal *journal)
{
	const struct timespec moment = { .tv_nsec = LOCK_NS };
	unsigned int left = LOCK_TRIES;

	while (flock(fileno(journal->file), LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			die(TOOL_FAILED, "%s: cannot be locked: %s", journal->path, strerror(errno));
		if (!left--)
			die(TOOL_FAILED, "%s: another sweep is writing to this directory", journal->path);
		nanosleep(&moment, NULL);
	}
}

/**
 * sweep_journal_open() - open the results, and find the rows of the cells that are done
 * @sweep: sweep; its rows are filled in
 */
struct sweep_journal *sweep_journal_open(struct sweep *sweep)
{
	struct sweep_journal *journal = xcalloc(1, sizeof(*journal));
	int error = make_directories(sweep->directory), fd;

	journal->sweep = sweep;
	if (error)
		die(TOOL_FAILED, "%s: %s", sweep->directory, strerror(error));
	journal->path = sweep_path(sweep, "cells.jsonl");
	check_regular(journal->path);
	fd = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	journal->file = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!journal->file)
		failed(journal);
	lock(journal);
	read_rows(journal);
	return journal;
}

/**
 * sweep_journal_add() - add the row of a cell
 * @journal: results
 * @cell: its number
 * @row: JSON in one line, without the end of the line
 * @len: its length
 */
void sweep_journal_add(struct sweep_journal *journal, size_t cell, const char *row, size_t len)
{
	if (fwrite(row, 1, len, journal->file) != len || fputc('\n', journal->file) < 0 ||
	    fflush(journal->file))
		failed(journal);
	journal->sweep->rows[cell] = journal->end + 1;
	journal->end += len + 1;
}

/**
 * sweep_journal_others() - how many rows are not of cells of this sweep
 * @journal: results
 *
 * Their options, their requests or the build of the simulator are others.
 */
u64 sweep_journal_others(const struct sweep_journal *journal)
{
	return journal->others;
}

/**
 * sweep_journal_row() - the row of a cell; none may be added afterwards
 * @journal: results
 * @cell: its number
 *
 * Return: the row, to be released; NULL: there is none.
 */
json_t *sweep_journal_row(struct sweep_journal *journal, size_t cell)
{
	u64 row = journal->sweep->rows[cell];
	json_error_t error;
	json_t *object;

	if (!row)
		return NULL;
	if (fseeko(journal->file, row - 1, SEEK_SET))
		failed(journal);
	object = json_loadf(journal->file, JSON_DISABLE_EOF_CHECK, &error);
	if (!object)
		die(TOOL_FAILED, "%s: not a row of a sweep: %s", journal->path, error.text);
	return object;
}

void sweep_journal_close(struct sweep_journal *journal)
{
	close_file(journal->file, journal->path);
	free(journal->path);
	free(journal);
}
