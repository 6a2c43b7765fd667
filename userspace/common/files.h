/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a link leads to, whether a program writes to a file that it also uses otherwise, folders for files, and
 * standard files that are closed.
 */
#ifndef COMMON_FILES_H
#define COMMON_FILES_H

#include <stdbool.h>

char *behind_links(const char *name);
int check_directory(const char *name);
void hold_standard_files(void);
int make_directories(const char *name);
bool overwrites(const char *output, const char *other);

#endif /* COMMON_FILES_H */
