// SPDX-License-Identifier: GPL-2.0
/*
 * A cell: its options, as words of a command line. They stand in the order of the table of options,
 * however the user ordered them.
 */
#include <stdlib.h>
#include <string.h>
#include "auto.h"
#include "sweep.h"

/**
 * sweep_value() - the value of an option in a cell
 * @sweep: sweep
 * @cell: its number
 * @axis: number of the option
 */
const char *sweep_value(const struct sweep *sweep, size_t cell, size_t axis)
{
	size_t i;

	for (i = sweep->nr_axes - 1; i > axis; i--)
		cell /= sweep->axes[i].nr;
	return sweep->axes[axis].values[cell % sweep->axes[axis].nr];
}

static char *word_of(const struct option_def *def, const char *value)
{
	char *word;

	if (asprintf(&word, value ? "--%s=%s" : "--%s", def->name, value) < 0)
		die(TOOL_FAILED, "no memory");
	return word;
}

/*
 * The options of a cell, in the order of the table, of which all definitions are. Those that are given
 * several times, such as --plugin, keep their order.
 */
static struct sweep_option *options_of(const struct sweep *sweep, size_t cell, size_t *nr)
{
	struct sweep_option *all = xcalloc(sweep->nr_common + sweep->nr_axes, sizeof(*all));
	size_t i, at;

	*nr = 0;
	for (i = 0; i < sweep->nr_common + sweep->nr_axes; i++) {
		size_t axis = i - sweep->nr_common;
		struct sweep_option new = i < sweep->nr_common ? sweep->common[i] :
			(struct sweep_option) { sweep->axes[axis].def, sweep_value(sweep, cell, axis) };

		for (at = (*nr)++; at && all[at - 1].def > new.def; at--)
			all[at] = all[at - 1];
		all[at] = new;
	}
	return all;
}

/* The command line of a cell: words to be freed with sweep_free_words(). @nr_options: words before the traces. */
static char **cell_words(const struct sweep *sweep, size_t cell, int *nr, int *nr_options)
{
	size_t nr_all, i;
	struct sweep_option *all = options_of(sweep, cell, &nr_all);
	char **words = xcalloc(nr_all + sweep->nr_traces + 3, sizeof(*words));
	int trace;

	*nr = 0;
	words[(*nr)++] = strdup("ssdcache-sim");
	for (i = 0; i < nr_all; i++)
		words[(*nr)++] = word_of(all[i].def, all[i].value);
	*nr_options = *nr;
	words[(*nr)++] = strdup("--");
	for (trace = 0; trace < sweep->nr_traces; trace++)
		words[(*nr)++] = strdup(sweep->traces[trace]);
	for (trace = 0; trace < *nr; trace++)
		if (!words[trace])
			die(TOOL_FAILED, "no memory");
	free(all);
	return words;
}

void sweep_free_words(char **words, int nr)
{
	while (nr)
		free(words[--nr]);
	free(words);
}

static void put_quoted(FILE *out, const char *word)
{
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\'", out);
		fputc(*word, out);
	}
	fputc('\'', out);
}

static bool is_utf8(const char *word)
{
	json_t *string = json_string(word);

	json_decref(string);
	return string;
}

/* In ASCII, for a JSON string: bash, zsh, ksh and POSIX.1-2024 know this form. */
static void put_escaped(FILE *out, const char *word)
{
	fputs("$'", out);
	for (; *word; word++)
		fprintf(out, *word < ' ' || *word > '~' || *word == '\'' || *word == '\\' ? "\\%03o" : "%c", (unsigned char)*word);
	fputc('\'', out);
}

/* Words as a shell takes them, separated by spaces. Python's shlex, by which pages read them, parts words at \r, too. */
static void put_words(FILE *out, char **words, int from, int to)
{
	int i;

	for (i = from; i < to; i++) {
		if (i > from)
			fputc(' ', out);
		if (words[i][0] && is_utf8(words[i]) && !words[i][strcspn(words[i], " \t\r\n'\"\\$`&|;<>()*?[]#~!{}")])
			fputs(words[i], out);
		else if (!is_utf8(words[i]))
			put_escaped(out, words[i]);
		else
			put_quoted(out, words[i]);
	}
}

static FILE *open_text(char **text)
{
	static size_t size;
	FILE *out = open_memstream(text, &size);

	if (!out)
		die(TOOL_FAILED, "no memory");
	return out;
}

/**
 * sweep_words() - words as a shell takes them
 * @words: words
 * @nr: how many
 *
 * Return: text, to be freed.
 */
char *sweep_words(char **words, int nr)
{
	char *text;
	FILE *out = open_text(&text);

	put_words(out, words, 0, nr);
	fclose(out);
	return text;
}

/**
 * sweep_cell_key() - what makes the result of a cell, besides code and workload
 * @sweep: sweep
 * @cell: its number
 *
 * Options that change how traces are read are not part of it, for the hash of the workload tells.
 *
 * Return: its options, to be freed.
 */
char *sweep_cell_key(const struct sweep *sweep, size_t cell)
{
	size_t nr_all, i;
	struct sweep_option *all = options_of(sweep, cell, &nr_all);
	char **words = xcalloc(nr_all, sizeof(*words)), *text;
	int nr = 0;

	for (i = 0; i < nr_all; i++)
		if (sim_option_use(all[i].def) != SIM_USE_LOAD)
			words[nr++] = word_of(all[i].def, all[i].value);
	text = sweep_words(words, nr);
	sweep_free_words(words, nr);
	free(all);
	return text;
}

static bool ignores_times(char **words, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(words[i], "--closed") || !strncmp(words[i], "--depth=", 8))
			return true;
	return false;
}

/* The options that requests were loaded with, each after a blank, without their scale if the run ignores times. */
static void put_loaded(FILE *out, const char *loaded, bool no_times)
{
	static const char scale[] = "--time-scale=";
	const char *word, *end;

	for (; *loaded; loaded = end) {
		word = loaded + strspn(loaded, " ");
		end = strchrnul(word, ' ');
		if (!no_times || strncmp(word, scale, strlen(scale)))
			fprintf(out, "%s%.*s", word == loaded ? " " : "", (int)(end - loaded), loaded);
	}
}

/**
 * sweep_command() - the command line that runs a cell alone
 * @sweep: sweep
 * @cell: its number
 *
 * Return: text for a shell, to be freed; empty if the requests come from no files.
 */
char *sweep_command(const struct sweep *sweep, size_t cell)
{
	int nr, nr_options;
	char **words = cell_words(sweep, cell, &nr, &nr_options), *text;
	FILE *out = open_text(&text);

	if (!sweep->library || sweep->loaded) {
		put_words(out, words, 0, nr_options);
		if (sweep->loaded)
			put_loaded(out, sweep->loaded, ignores_times(words, nr_options));
		fputc(' ', out);
		put_words(out, words, nr_options, nr);
	}
	fclose(out);
	sweep_free_words(words, nr);
	return text;
}

/* An option that takes several values in a sweep has one in a run, the last one given. */
static void take_run_option(struct sweep *sweep, const struct option_def *def, const char *value)
{
	struct sweep_axis *axis;

	if (sim_option_use(def) == SIM_USE_PRINT)
		return;
	if (sim_option_axis(def) == SIM_AXIS_NONE) {
		sweep_take_common(sweep, def, value);
		return;
	}
	axis = sweep_axis_of(sweep, def);
	sweep_axis_free(axis);
	*axis = (struct sweep_axis) { .def = def };
	sweep_axis_add(axis, value);
}

/**
 * sweep_command_of_run() - the command line of a run, in the form that the rows of a sweep have
 * @argc: as of main(); sim_options_parse() has found no fault in it
 * @argv: likewise; the words stay where they are
 * @library: the requests are those of the library's caller
 * @loaded: with @library: the options that they were loaded with; NULL: they come from no files
 *
 * Options that only print are not part of it.
 *
 * Return: text for a shell, to be freed; empty if the requests come from no files.
 */
char *sweep_command_of_run(int argc, char **argv, bool library, const char *loaded)
{
	struct sweep run = { .library = library, .loaded = loaded, .traces = xcalloc(argc, sizeof(char *)) };
	struct option_def defs[SIM_MAX_OPTIONS];
	char **order = xcalloc(argc + 1, sizeof(*order)), *text;
	struct option_reader reader;
	enum option_found found;
	size_t axis;

	/* The parser moves words. */
	memcpy(order, argv, argc * sizeof(*order));
	sim_options_table(defs);
	options_begin(&reader, NULL, defs, argc, order);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		if (found == OPTION_GIVEN)
			take_run_option(&run, reader.def, reader.value);
		else
			run.traces[run.nr_traces++] = (char *)reader.value;
	}
	options_end(&reader);
	text = sweep_command(&run, 0);
	for (axis = 0; axis < run.nr_axes; axis++)
		sweep_axis_free(&run.axes[axis]);
	free(run.axes);
	free(run.common);
	free(run.traces);
	free(order);
	sim_options_table_free(defs);
	return text;
}

/**
 * sweep_cell_options() - the options of a cell; ends the program if they are wrong
 * @sweep: sweep
 * @cell: its number
 * @options: result; its traces are to be freed
 * @nr: result: number of words
 *
 * Return: words to which @options points, to be freed with sweep_free_words().
 */
char **sweep_cell_options(const struct sweep *sweep, size_t cell, struct sim_options *options, int *nr)
{
	int nr_options;
	char **words = cell_words(sweep, cell, nr, &nr_options), **order = xcalloc(*nr + 1, sizeof(*order));

	/* The parser moves words. */
	memcpy(order, words, *nr * sizeof(*order));
	sim_options_parse(options, *nr, order);
	return words;
}

/* Is a value wrong whatever the other options are? Ends the program with the reason if so. */
static void check_value(const struct option_def *def, const char *value)
{
	char *word = word_of(def, value), *words[] = { "ssdcache-sim", word, "--", "trace", NULL };
	struct sim_options options;
	struct ssdc_error error = {};

	sim_options_read(&options, 4, words);
	if (!options.params.origin_sectors)
		options.params.origin_sectors = 1;
	if (sim_params_check(&options.params, &error))
		die(TOOL_BAD_USAGE, "%s", error.text);
	free(word);
}

static void check_text(const char *text)
{
	if (!is_utf8(text))
		die(TOOL_BAD_USAGE, "sweep: '%s' is not UTF-8, as the rows of a sweep are", text);
}

/**
 * sweep_check() - find what is wrong before hours of work; ends the program if anything is
 * @sweep: sweep
 * @plan: result: what to take of the traces
 *
 * Values that exclude each other make cells that fail.
 */
void sweep_check(const struct sweep *sweep, struct trace_plan *plan)
{
	int nr, nr_options;
	char **words = cell_words(sweep, 0, &nr, &nr_options), **order = xcalloc(nr, sizeof(*order));
	struct sim_options first;
	size_t axis, i;

	for (i = 0; i < (size_t)nr; i++)
		check_text(words[i]);
	for (axis = 0; axis < sweep->nr_axes; axis++) {
		for (i = 0; i < sweep->axes[axis].nr; i++) {
			check_text(sweep->axes[axis].values[i]);
			check_value(sweep->axes[axis].def, sweep->axes[axis].values[i]);
		}
	}
	/* The parser moves words. */
	memcpy(order, words, nr * sizeof(*order));
	sim_options_read(&first, nr, order);
	*plan = first.plan;
	sweep_free_words(words, nr);
	free(order);
}
