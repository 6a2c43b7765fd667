/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion of command lines: "TOOL --complete WORD..." prints what the last word may become, one candidate a line. The scripts for
 * the shells only pass on words. Options come from the tool's table, by way of options_begin(); the tool adds verbs, words and
 * values.
 */
#ifndef COMMON_COMPLETE_H
#define COMMON_COMPLETE_H

#include <stdbool.h>
#include "options.h"

/**
 * struct completion - a command line whose last word is being typed
 * @verb: NULL if the tool, or this command line, has none
 * @option: whose value is typed; NULL: a word or an option is
 * @nr_words: words before it that are neither options nor their values, without the verb
 * @words: these words
 * @typed: what is completed: the last word so far, or the rest of that
 * @prefix: the part of the last word before @typed, or NULL
 * @prefix_len: its length
 */
struct completion {
	const char *verb;
	const struct option_def *option;
	int nr_words;
	char **words;
	const char *typed;
	const char *prefix;
	int prefix_len;
};

/* The command line is being completed. */
extern bool completing;

/* Prints further candidates with candidate(); NULL: there are none. */
extern void (*complete_more)(const struct completion *at);

void complete_begin(int *argc, char ***argv);
void complete_options(const char *verb, const struct option_def *defs, int argc, char **argv)
	__attribute__((__noreturn__));
void complete_after(struct completion *at, size_t len);
void candidate(const struct completion *at, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

#endif /* COMMON_COMPLETE_H */
