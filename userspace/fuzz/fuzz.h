/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share. A target is one file with fuzz_one(); harness.c calls it for each input,
 * from libFuzzer or from replay.c.
 *
 * Programs end on bad input: die() and exit() inside fuzz_one() only end the input. The harness then
 * closes the files and frees the memory that fuzz_one() left.
 */
#ifndef SSDC_FUZZ_H
#define SSDC_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../common/memory.h"

/**
 * fuzz_one() - the target
 * @data: input
 * @size: its length
 */
void fuzz_one(const uint8_t *data, size_t size);

/* Called when an input has ended, however it did. */
void fuzz_after(void);

/* An input being taken apart from its start. At its end all numbers are 0. */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

uint32_t fuzz_number(struct fuzz_bytes *bytes, unsigned int width);
char *fuzz_line(struct fuzz_bytes *bytes);
unsigned int fuzz_words(char *line, char **words, unsigned int max);

/* A file in memory: number 0 to 2. fuzz_file_name() is a path that can be opened again and again. */
void fuzz_file_fill(unsigned int number, const void *data, size_t size);
const char *fuzz_file_name(unsigned int number);

/* What the input has printed so far, terminated; cut off at FUZZ_OUTPUT_BYTES. */
#define FUZZ_OUTPUT_BYTES (4u << 20)
const char *fuzz_output(void);
size_t fuzz_output_bytes(void);

/* The program is run again: forget what it has printed. */
void fuzz_begin_run(void);

/* All memory that the input has allocated must be free. */
void fuzz_check_memory(void);

/* The input has found a defect: print why, and abort. */
void fuzz_wrong(const char *format, ...) __attribute__((__format__(__printf__, 1, 2), __noreturn__));

#endif /* SSDC_FUZZ_H */
