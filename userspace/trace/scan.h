/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and words in a line, which ends with a null character. All functions advance *@at past
 * what they found, and leave it alone if they return false. Numbers are read eight digits at a time:
 * SCAN_SLACK bytes from the null character on must be there, with whatever in them.
 */
#ifndef TRACE_SCAN_H
#define TRACE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define SCAN_NS_PER_US	1000u
#define SCAN_NS_PER_S	1000000000u

/* Digits that fit into 64 bits, whichever they are. */
#define SCAN_DIGITS 18

/* Bytes that may be read from the end of a line on. */
#define SCAN_SLACK 8

/* The number of these digits. Returns false if it is more than @max, which is at least 9. */
static inline bool scan_long_number(const char *digit, const char *end, uint64_t max, uint64_t *value)
{
	uint64_t number = 0;

	for (; digit < end; digit++) {
		uint8_t unit = *digit - '0';

		if (number > (max - unit) / 10)
			return false;
		number = number * 10 + unit;
	}
	*value = number;
	return true;
}

/* The values of eight digits, a byte each, the first one lowest. */
static inline uint64_t scan_digits(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word ^ 0x3030303030303030ULL;
}

/* Bit 7 of each byte that is no digit; right up to the first one. */
static inline uint64_t scan_others(uint64_t digits)
{
	return ((digits + 0x7676767676767676ULL) | digits) & 0x8080808080808080ULL;
}

/* The number of eight digits. */
static inline uint32_t scan_value(uint64_t digits)
{
	const uint64_t pairs = digits * 10 + (digits >> 8);
	const uint64_t odd = 0x000000ff000000ffULL;

	return ((pairs & odd) * (100 + (1000000ULL << 32)) + (pairs >> 16 & odd) * (1 + (10000ULL << 32))) >> 32;
}

/* A decimal number of at most @max, which is at least 9. */
static inline bool scan_number(const char **at, uint64_t max, uint64_t *value)
{
	static const uint32_t powers[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	const char *digit = *at;
	uint64_t number = 0, word = scan_digits(digit), others;
	unsigned int nr;

	for (; !(others = scan_others(word)); word = scan_digits(digit)) {
		number = number * 100000000 + scan_value(word);
		digit += 8;
	}
	nr = __builtin_ctzll(others) / 8;
	number = number * powers[nr] + scan_value(word << 8 << (56 - 8 * nr));
	digit += nr;
	if (digit - *at > SCAN_DIGITS) {
		if (!scan_long_number(*at, digit, max, &number))
			return false;
	} else if (digit == *at || number > max) {
		return false;
	}
	*at = digit;
	*value = number;
	return true;
}

/* A decimal number of seconds, with a fraction or not, in ns. Further digits are cut off. */
static inline bool scan_seconds(const char **at, uint64_t *ns)
{
	const char *digit = *at;
	uint64_t seconds, part = 0;
	unsigned int unit = SCAN_NS_PER_S;

	if (!scan_number(&digit, UINT64_MAX / SCAN_NS_PER_S - 1, &seconds))
		return false;
	if (*digit == '.') {
		for (digit++; (uint8_t)(*digit - '0') <= 9; digit++) {
			unit /= 10;
			part += unit * (uint8_t)(*digit - '0');
		}
	}
	*at = digit;
	*ns = seconds * SCAN_NS_PER_S + part;
	return true;
}

static inline bool scan_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* One or more spaces or tabs. */
static inline bool scan_space(const char **at)
{
	const char *start = *at;

	while (**at == ' ' || **at == '\t')
		++*at;
	return *at != start;
}

/* The word @word, whatever its case. */
static inline bool scan_word(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncasecmp(*at, word, len))
		return false;
	*at += len;
	return true;
}

/* Characters up to a space, a tab or the end; at least one. Returns how many. */
static inline size_t scan_token(const char **at)
{
	const char *start = *at;

	while (**at && **at != ' ' && **at != '\t')
		++*at;
	return *at - start;
}

/* Is this the end of a field? The end of the line, or a comma, which is passed. */
static inline bool scan_field_end(const char **at)
{
	return !**at || scan_char(at, ',');
}

#endif /* TRACE_SCAN_H */
