/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that only exist in memory, for programs that open(), read() and close() them: no system calls.
 */
#ifndef SSDC_FUZZ_MEMORY_FILE_H
#define SSDC_FUZZ_MEMORY_FILE_H

#include <stddef.h>

void memory_file_fill(unsigned int number, const void *data, size_t size);
const char *memory_file_name(unsigned int number);
void memory_file_check(void);

#endif /* SSDC_FUZZ_MEMORY_FILE_H */
