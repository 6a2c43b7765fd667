/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers on a command line.
 */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number);
bool parse_real(const char *text, double min, double max, double *number);
uint64_t take_number(const char *option, const char *text, uint64_t min, uint64_t max);

#endif /* COMMON_NUMBER_H */
