// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../dm-ssdcache/version.h"
#include "say.h"

#define LINE_WIDTH 80

void (*say_before)(void);
const char *say_about = "";
const char *say_done;

/**
 * make_printable() - replace control characters, which could move the cursor or end the line
 * @text: text
 *
 * Return: @text.
 */
char *make_printable(char *text)
{
	char *at;

	for (at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == '\177')
			*at = '?';
	return text;
}

/**
 * can_redraw() - whether a line that was written can be erased and written again
 * @fd: descriptor
 *
 * Return: true for a terminal that knows control sequences.
 */
bool can_redraw(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && *kind && strcmp(kind, "dumb");
}

/* Why standard output could not be written before a message. */
static int output_error;

/**
 * flush_output() - write what there is of standard output, before a message; end_of_output() says if some was lost
 */
void flush_output(void)
{
	if (fflush(stdout) && !output_error)
		output_error = errno;
}

/**
 * vwarn() - print a message on one line of standard error
 * @format: as for printf
 * @args: as for vprintf
 *
 * Words in it may come from anywhere: control characters are shown as '?', and an empty name in front as ''.
 */
void vwarn(const char *format, va_list args)
{
	char *text;

	if (say_before)
		say_before();
	flush_output();
	if (vasprintf(&text, format, args) < 0) {
		fprintf(stderr, "%s: no memory\n", program_invocation_short_name);
		return;
	}
	fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, say_about,
		!strncmp(text, ": ", 2) ? "''" : "", make_printable(text));
	free(text);
}

/**
 * warn() - print a message on one line of standard error
 * @format: as for printf
 */
void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
}

/* Words that differ by more edits were not meant; so many letters that a word starts with were. */
#define MAX_EDITS	3
#define LEAST_START	3

/* The longest list of words that is searched, and the longest word. */
#define MAX_WORDS	128
#define MAX_WORD	64

/* What a message refuses, in @word: what is quoted, as in "X: 'word' is not", or what stands before, as in "X: word: no such thing; ". */
static void refused_word(const char *text, char *word, size_t size)
{
	size_t start = strcspn(text, "\"'"), end = strcspn(text, ";");

	if (text[start]) {
		start++;
		end = start + strcspn(text + start, "\"'=");
	} else {
		while (end && strncmp(text + end, ": ", 2))
			end--;
		for (start = end; start && text[start - 1] != ' '; start--)
			;
	}
	snprintf(word, size, "%.*s", (int)(end - start), text + start);
}

/* The list of valid words in a message; NULL: it has none. */
static const char *valid_words(const char *text)
{
	static const char *const before[] = { " is not one of ", "; there are ", "; it has ",
					      " with a key of ", " with a KEY of " };
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		at = strstr(text, before[i]);
		if (at)
			return at + strlen(before[i]);
	}
	return NULL;
}

/**
 * guess_word() - the valid word that was probably meant, of a message that lists them
 * @text: such as "colour: 'gren' is not one of red, green"
 * @word: receives it
 * @size: of @word
 *
 * Return: whether there is one. There is none if the refused word is valid itself: something else
 * is wrong then.
 */
bool guess_word(const char *text, char *word, size_t size)
{
	static const char between[] = " ,)", aliases[] = "(aliases ";
	char words[MAX_WORDS][MAX_WORD], refused[MAX_WORD];
	const char *at = valid_words(text), *list[MAX_WORDS], *found;
	size_t nr = 0, len;

	if (!at)
		return false;
	refused_word(text, refused, sizeof(refused));
	for (at += strspn(at, between); *at && nr < MAX_WORDS; at += strspn(at, between)) {
		if (!strncmp(at, aliases, strlen(aliases)))
			at += strlen(aliases);
		/* A remark about the list, as in "(settings of a policy go into its SPEC)", ends it. */
		if (*at == '(')
			break;
		len = strcspn(at, between);
		snprintf(words[nr], sizeof(words[nr]), "%.*s", (int)len, at);
		if (!strcmp(words[nr], refused))
			return false;
		list[nr] = words[nr];
		nr++;
		at += len;
	}
	found = nearest(refused, list, nr);
	if (found)
		snprintf(word, size, "%s", found);
	return found;
}

/**
 * die() - print a message on one line of standard error and end the program
 * @status: exit code
 * @format: as for printf
 *
 * A message about a wrong command line that lists the valid words ends with the one that was probably meant.
 */
void die(int status, const char *format, ...)
{
	char *text = NULL, word[MAX_WORD];
	va_list args;

	va_start(args, format);
	if (status != TOOL_BAD_USAGE || vasprintf(&text, format, args) < 0)
		vwarn(format, args);
	else if (guess_word(text, word, sizeof(word)))
		warn("%s: did you mean '%s'?", text, word);
	else
		warn("%s", text);
	va_end(args);
	free(text);
	exit(status);
}

/**
 * wrap() - print text in lines of at most LINE_WIDTH, the cursor being at @indent
 * @text: words; a newline starts a new line, a WRAP_GLUE is a space to leave in its line
 * @indent: of the lines after the first
 */
void wrap(const char *text, int indent)
{
	int column = indent;
	bool start = true;
	int i;

	while (*text) {
		int len = strcspn(text, " \n");

		if (!start && column + 1 + len > LINE_WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
			start = true;
		}
		if (!start)
			putchar(' ');
		column += len + !start;
		start = false;
		for (i = 0; i < len; i++)
			putchar(text[i] == WRAP_GLUE ? ' ' : text[i]);
		text += len;
		if (*text == '\n') {
			printf("\n%*s", text[1] && text[1] != '\n' ? indent : 0, "");
			column = indent;
			start = true;
		}
		text += *text != '\0';
	}
	putchar('\n');
}

/* Is one letter the other, be they large or small? */
static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How many letters two words start with in common. */
static size_t common_start(const char *a, const char *b)
{
	size_t len = 0;

	while (a[len] && same(a[len], b[len]))
		len++;
	return len;
}

/* Edits (insert, delete, replace, swap of neighbours) from one short word to another. */
static unsigned int distance(const char *a, const char *b)
{
	enum { MAX = 24 };
	size_t len_a = strnlen(a, MAX), len_b = strnlen(b, MAX);
	unsigned int d[MAX + 1][MAX + 1];
	size_t i, j;

	for (i = 0; i <= len_a; i++)
		d[i][0] = i;
	for (j = 0; j <= len_b; j++)
		d[0][j] = j;
	for (i = 1; i <= len_a; i++) {
		for (j = 1; j <= len_b; j++) {
			unsigned int best = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[len_a][len_b];
}

/**
 * nearest() - the word that was probably meant
 * @word: as typed
 * @words: those that exist
 * @nr: how many
 *
 * The fewest edits decide; among equals, the longest common start. If no word is close, the only one is meant
 * that starts with what was typed.
 *
 * Return: one of @words, or NULL when none is close.
 */
const char *nearest(const char *word, const char *const *words, size_t nr)
{
	const char *found = NULL, *longer = NULL;
	size_t i, len = strlen(word), nr_longer = 0;
	unsigned int best = MAX_EDITS + 1;

	for (i = 0; i < nr; i++) {
		unsigned int edits = distance(word, words[i]);
		size_t start = common_start(word, words[i]);

		if (start == len && len >= LEAST_START) {
			longer = words[i];
			nr_longer++;
		}
		/* More than half of a word changed is another word; so is half, if the first letter is of that. */
		if (2 * edits + !start > strlen(words[i]))
			continue;
		if (edits < best || (edits == best && found && start > common_start(word, found))) {
			best = edits;
			found = words[i];
		}
	}
	return !found && nr_longer == 1 ? longer : found;
}

/**
 * print_version() - answer --version: the name of the program and the release
 */
void print_version(void)
{
	printf("%s %s\n", program_invocation_short_name, SSDC_VERSION);
}

/**
 * close_file() - close a file that was written; ends the program if some of it was lost
 * @file: stream
 * @name: of the file
 */
void close_file(FILE *file, const char *name)
{
	bool lost;

	errno = 0;
	lost = ferror(file);
	if (fclose(file) || lost)
		die(TOOL_FAILED, "%s: %s", name, strerror(errno ? errno : EIO));
}

/**
 * output_failed() - say, once, that standard output could not be written
 * @error: errno
 */
void output_failed(int error)
{
	static bool told;

	if (!told)
		warn("cannot write the output: %s%s%s", strerror(error ? error : EIO), say_done ? "; " : "", say_done ?: "");
	told = true;
}

/**
 * end_of_output() - flush standard output and check that all of it was written
 *
 * Return: false, after a message, if some was lost (a full disk, for instance).
 */
bool end_of_output(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	output_failed(output_error ? output_error : errno);
	return false;
}
