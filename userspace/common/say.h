/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every tool does alike: exit codes, one-line error messages, wrapped text, --version.
 *
 * Messages go to standard error and start with the name of the program.
 */
#ifndef COMMON_SAY_H
#define COMMON_SAY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes. TOOL_BAD_USAGE: a wrong command line, or a bad trace. */
enum { TOOL_OK, TOOL_FAILED, TOOL_BAD_USAGE };

/* Called before each message; NULL: nothing. For a tool that shows progress on the same terminal. */
extern void (*say_before)(void);

/* What messages are about, such as "FILE, line 3: "; follows the name of the program in each. */
extern const char *say_about;

char *make_printable(char *text);
bool can_redraw(int fd);
void vwarn(const char *format, va_list args);
void warn(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
void die(int status, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3), __noreturn__));

/* A space inside text for wrap() at which no line may break. */
#define WRAP_GLUE '\037'

void wrap(const char *text, int indent);
/* The end of a noun after a number: "1 request", "2 requests". */
static inline const char *plural(unsigned long long nr)
{
	return nr == 1 ? "" : "s";
}

/* What stays as it is although standard output could not be written, for output_failed(); NULL: nothing to speak of. */
extern const char *say_done;

bool guess_word(const char *text, char *word, size_t size);
const char *nearest(const char *word, const char *const *words, size_t nr);
void print_version(void);
void close_file(FILE *file, const char *name);
void output_failed(int error);
void flush_output(void);
bool end_of_output(void);

#endif /* COMMON_SAY_H */
