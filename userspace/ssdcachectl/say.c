// SPDX-License-Identifier: GPL-2.0
/*
 * Errors as return values: "return fail(...)" reports the error and gives the exit code.
 */
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
 * Return: TOOL_BAD_USAGE.
 */
int usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
	return TOOL_BAD_USAGE;
}
