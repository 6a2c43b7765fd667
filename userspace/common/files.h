/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a program write to a file that it also uses otherwise?
 */
#ifndef COMMON_FILES_H
#define COMMON_FILES_H

#include <stdbool.h>

bool overwrites(const char *output, const char *other);

#endif /* COMMON_FILES_H */
