// SPDX-License-Identifier: GPL-2.0
/*
 * Talking to the user: errors on one line, wrapped text, "did you mean".
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "ctl.h"

#define LINE_WIDTH 80

static void say(const char *fmt, va_list args)
{
	fflush(stdout);
	fputs("ssdcachectl: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

/**
 * fail() - say on one line what went wrong and what to do
 * @fmt: as for printf
 *
 * Return: CTL_FAILED.
 */
int fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return CTL_FAILED;
}

/**
 * usage() - say on one line what is wrong with the command line
 * @fmt: as for printf
 *
 * Return: CTL_USAGE.
 */
int usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return CTL_USAGE;
}

/**
 * wrap() - print text in lines of at most LINE_WIDTH, the cursor being at @indent
 * @text: words; a newline starts a new line, a CTL_GLUE is a space to leave in its line
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
			putchar(text[i] == CTL_GLUE ? ' ' : text[i]);
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
			unsigned int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
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
 * Return: one of @words, or NULL when none is close.
 */
const char *nearest(const char *word, const char *const *words, size_t nr)
{
	unsigned int best = 4;
	const char *found = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		unsigned int edits = distance(word, words[i]);

		/* Half of a word changed is another word. */
		if (edits < best && 2 * edits <= strlen(words[i])) {
			best = edits;
			found = words[i];
		}
	}
	return found;
}

/**
 * end_of_output() - make sure that all output was written
 *
 * Return: CTL_OK or CTL_FAILED (a full disk, for instance).
 */
int end_of_output(void)
{
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return fail("cannot write the output: %s", strerror(errno ? errno : EIO));
	return CTL_OK;
}
