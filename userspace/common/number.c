// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "number.h"
#include "say.h"

/**
 * parse_number() - read a decimal whole number
 * @text: all of it must be the number: digits, no sign, no suffix
 * @min: smallest accepted
 * @max: largest accepted
 * @number: result, untouched on failure
 *
 * Return: true if @text is such a number.
 */
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		return false;
	*number = value;
	return true;
}

/**
 * parse_real() - read a number that may have a fraction
 * @text: all of it must be the number
 * @min: smallest accepted
 * @max: largest accepted
 * @number: result, untouched on failure
 *
 * Return: true if @text is such a number; "nan" is none.
 */
bool parse_real(const char *text, double min, double max, double *number)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || *end || !(value >= min && value <= max))
		return false;
	*number = value;
	return true;
}

/**
 * take_number() - the value of an option; ends the program if it is no number in the range
 * @option: name without dashes, for the message
 * @text: as given
 * @min: smallest accepted
 * @max: largest accepted
 */
uint64_t take_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	uint64_t number;

	if (!parse_number(text, min, max, &number))
		die(TOOL_BAD_USAGE, "--%s: '%s' is not a number from %" PRIu64 " to %" PRIu64,
		    option, text, min, max);
	return number;
}
