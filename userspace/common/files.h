/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a link leads to, and whether a program writes to a file that it also uses otherwise.
 */
#ifndef COMMON_FILES_H
#define COMMON_FILES_H

#include <stdbool.h>

char *behind_links(const char *name);
bool overwrites(const char *output, const char *other);

#endif /* COMMON_FILES_H */
