// SPDX-License-Identifier: GPL-2.0
/*
 * Errors as return values: "return fail(...)" reports the error and gives the exit code.
 */
#include <stdio.h>
#include <stdlib.h>
#include "ctl.h"

/**
 * fail() - say on one line what went wrong and what to do
 * @format: as for printf
 *
 * Return: TOOL_FAILED.
 */
int fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
	return TOOL_FAILED;
}

/**
 * usage() - say on one line what is wrong with the command line
 * @format: as for printf
 *
 * If it lists the valid words, it ends with the one that was probably meant.
 *
 * Return: TOOL_BAD_USAGE.
 */
int usage(const char *format, ...)
{
	char *text = NULL, word[64];
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		vwarn(format, args);
	else if (guess_word(text, word, sizeof(word)))
		warn("%s: did you mean '%s'?", text, word);
	else
		warn("%s", text);
	va_end(args);
	free(text);
	return TOOL_BAD_USAGE;
}
