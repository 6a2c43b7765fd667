/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share: options, random numbers, and results as TAP (Test Anything
 * Protocol), which prove(1) reads.
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <stdbool.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include "../../dm-ssdcache/base/random.h"

/**
 * struct harness - the options of a test program
 * @seed: -s: the first seed
 * @rounds: -r: how many rounds, each with a seed of its own
 * @steps: -n: how long a round is
 * @limit: -l: how many requests to take from a trace
 * @only: -p: the plug-in to test, NULL for all
 * @verbose: -v
 * @rules: --rules: names of rules to check, too
 * @self_test: --self-test
 * @sabotage: --break: name of a rule to break on purpose
 * @files: the words on the command line: traces
 * @nr_files: how many
 */
struct harness {
	u64 seed;
	u64 rounds;
	u64 steps;
	u64 limit;
	const char *only;
	bool verbose;
	const char *rules;
	bool self_test;
	const char *sabotage;
	char **files;
	int nr_files;
};

void harness_options(struct harness *options, const char *letters, int argc, char **argv);

void result(bool good, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
void skip(const char *reason, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));
void diag(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
void repeat_with(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
int finish(void);
void give_up(const char *name) __attribute__((__noreturn__));

/* The generator of the program. */
extern struct ssdc_random harness_random;

/* From 0 to @n - 1. */
static inline u64 below(u64 n)
{
	return ssdc_random_below(&harness_random, n);
}

static inline u64 between(u64 low, u64 high)
{
	return low + below(high - low + 1);
}

static inline bool percent(unsigned int chance)
{
	return below(100) < chance;
}

/* One element of an array. */
#define PICK(array)	((array)[below(ARRAY_SIZE(array))])

#endif /* TESTS_HARNESS_H */
