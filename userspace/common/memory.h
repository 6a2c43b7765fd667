/* SPDX-License-Identifier: GPL-2.0 */
/*
 * malloc(), calloc() and realloc() that end the program when memory runs out. The result is
 * never NULL, not even for 0 bytes.
 */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *memory, size_t nr, size_t size);

#endif /* COMMON_MEMORY_H */
