// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of the kernel-header shim that are not inline.
 */
#include <arena.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* Each allocation starts in a cache line of its own. */
#define ARENA_ALIGN 64

unsigned long ssdc_shim_fail_alloc;
unsigned long ssdc_shim_failed_allocs;
struct ssdc_shim_arena ssdc_shim_arena;

/* NULL: the arena is closed or full. */
static void *take_from_arena(size_t nr, size_t size)
{
	struct ssdc_shim_arena *arena = &ssdc_shim_arena;
	size_t bytes;
	void *memory;

	if (!arena->open || __builtin_mul_overflow(nr, size, &bytes) || bytes > arena->bytes)
		return NULL;
	bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	if (bytes > arena->bytes - arena->used)
		return NULL;
	memory = arena->start + arena->used;
	arena->used += bytes;
	return memory;
}

static bool is_in_arena(const void *memory)
{
	const struct ssdc_shim_arena *arena = &ssdc_shim_arena;

	return (uintptr_t)memory - (uintptr_t)arena->start < arena->used;
}

static void *counted(void *memory)
{
	ssdc_shim_failed_allocs += !memory;
	return memory;
}

/* As in the kernel, not for more than INT_MAX bytes. */
void *kvcalloc(size_t nr, size_t size, gfp_t flags)
{
	return size && nr > INT_MAX / size ? counted(NULL) : __vcalloc(nr, size, flags);
}

void *__vcalloc(size_t nr, size_t size, gfp_t flags)
{
	(void)flags;
	if (ssdc_shim_fail_alloc && !--ssdc_shim_fail_alloc)
		return counted(NULL);
	return counted(take_from_arena(nr, size) ?: calloc(nr, size));
}

void kvfree(const void *memory)
{
	if (!is_in_arena(memory))
		free((void *)memory);
}

unsigned long find_next_bit(const unsigned long *map, unsigned long size, unsigned long from)
{
	while (from < size) {
		unsigned long word = map[from / BITS_PER_LONG] >> (from % BITS_PER_LONG);

		if (word) {
			from += __builtin_ctzl(word);
			return from < size ? from : size;
		}
		from = (from / BITS_PER_LONG + 1) * BITS_PER_LONG;
	}
	return size;
}

int vscnprintf(char *buf, size_t size, const char *format, va_list args)
{
	int length;

	if (!size)
		return 0;
	length = vsnprintf(buf, size, format, args);
	return (size_t)length < size ? length : (int)size - 1;
}

int scnprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vscnprintf(buf, size, format, args);
	va_end(args);
	return length;
}

long strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (length == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, length + 1);
	return length;
}

bool ssdc_shim_warn(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: warning: %s\n", file, line, condition);
	abort();
}
