// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the KUnit suites (kunit/) in user space: in seconds, without a kernel and, if compiled so, with sanitizers.
 * scripts/lab/kunit.sh runs them in a kernel.
 *
 *	kunit [WORD]...		the suites whose name has one of these words (default: all)
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#include <kunit/test.h>
#include "../common/say.h"
#include "harness.h"

/* CPU time. A case that takes longer hangs. */
#define CASE_SECONDS	600

struct block {
	struct list_head node;
	char data[] __attribute__((__aligned__(16)));
};

static struct kunit_suite *suites;
static char case_name[200];

/**
 * kunit_add_suite() - called before main() for each suite
 * @suite: suite
 */
void kunit_add_suite(struct kunit_suite *suite)
{
	struct kunit_suite **at = &suites;

	/* Programs are linked in any order. */
	while (*at && strcmp((*at)->name, suite->name) < 0)
		at = &(*at)->next;
	suite->next = *at;
	*at = suite;
}

/**
 * kunit_kzalloc() - allocate zeroed memory until the end of the case
 * @test: case
 * @size: bytes
 * @flags: ignored
 *
 * Return: the memory.
 */
void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t flags)
{
	struct block *block = calloc(1, sizeof(*block) + size);

	(void)flags;
	if (!block)
		give_up("out of memory");
	list_add(&block->node, &test->memory);
	return block->data;
}

/**
 * kunit_kfree() - free memory before the end of the case
 * @test: case
 * @memory: from kunit_kzalloc(), or NULL
 */
void kunit_kfree(struct kunit *test, const void *memory)
{
	struct block *block;

	(void)test;
	if (!memory)
		return;
	block = container_of((char (*)[])memory, struct block, data);
	list_del(&block->node);
	free(block);
}

/**
 * kunit_end() - leave the function of the case, or init() of its suite
 * @test: case
 */
void kunit_end(struct kunit *test)
{
	longjmp(test->out, 1);
}

/**
 * kunit_fail() - an expectation or assertion is wrong
 * @test: case
 * @ends: an assertion, after which the case does not go on
 * @file: of the source
 * @line: of the source
 * @expected: expression
 * @format: more, as for printf
 */
void kunit_fail(struct kunit *test, bool ends, const char *file, int line, const char *expected, const char *format, ...)
{
	char more[1000];
	va_list args;
	size_t at;

	if (test->skipped) {
		test->skipped = false;
		test->why[0] = '\0';
	}
	at = strlen(test->why);
	va_start(args, format);
	vsnprintf(more, sizeof(more), format, args);
	va_end(args);
	snprintf(test->why + at, sizeof(test->why) - at, "%s:%d: expected %s: %s\n", strrchr(file, '/') + 1, line, expected, more);
	test->failed = true;
	if (ends)
		kunit_end(test);
}

/**
 * kunit_mark_skipped() - say why the case, or one of its runs, is skipped
 * @test: case; a failure counts more
 * @format: reason, as for printf
 */
void kunit_mark_skipped(struct kunit *test, const char *format, ...)
{
	va_list args;

	if (test->failed)
		return;
	va_start(args, format);
	vsnprintf(test->why, sizeof(test->why), format, args);
	va_end(args);
	test->skipped = true;
}

/* Names the case that crashed or hung, and ends the program. */
static void crashed(int number)
{
	char text[300];
	int length;

	if (number == SIGVTALRM)
		length = snprintf(text, sizeof(text), "Bail out! %s: no end after %d s of CPU\n", case_name, CASE_SECONDS);
	else
		length = snprintf(text, sizeof(text), "Bail out! %s: signal %d (%s)\n", case_name, number, strsignal(number));

	if (write(STDOUT_FILENO, text, length) < 0)
		_exit(TOOL_FAILED);
	_exit(TOOL_FAILED);
}

static void catch_crashes(void)
{
	signal(SIGVTALRM, crashed);
#ifndef __SANITIZE_ADDRESS__
	/* The sanitizer says more. */
	signal(SIGSEGV, crashed);
	signal(SIGBUS, crashed);
	signal(SIGFPE, crashed);
	signal(SIGILL, crashed);
	signal(SIGABRT, crashed);
#endif
}

/* The time in which a debugger stops the program does not count. @seconds: 0: no limit */
static void limit_cpu(time_t seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

/* Run the case once. Its memory is freed whatever happens. */
static void run_once(const struct kunit_suite *suite, const struct kunit_case *this_case, struct kunit *test)
{
	INIT_LIST_HEAD(&test->memory);
	limit_cpu(CASE_SECONDS);
	if (!setjmp(test->out)) {
		if (suite->init && suite->init(test))
			kunit_fail(test, true, __FILE__, __LINE__, "success of init()", "of suite %s", suite->name);
		this_case->run_case(test);
	}
	if (!setjmp(test->out) && suite->exit)
		suite->exit(test);
	limit_cpu(0);
	while (!list_empty(&test->memory))
		kunit_kfree(test, list_first_entry(&test->memory, struct block, node)->data);
}

static void explain(const struct kunit *test, const char *param)
{
	const char *reason = test->why, *end;

	if (*param)
		diag("  with %s:", param);
	for (; (end = strchr(reason, '\n')); reason = end + 1)
		diag("  %.*s", (int)(end - reason), reason);
}

/* Run the case with each of its parameters, or once. One line of TAP: skipped only if all runs are. */
static void run_case(const struct kunit_suite *suite, const struct kunit_case *this_case)
{
	char param[KUNIT_PARAM_DESC_SIZE] = "", failed_param[KUNIT_PARAM_DESC_SIZE] = "";
	struct kunit failed = {}, skipped = {};
	const void *value = NULL;
	bool passed = false;

	snprintf(case_name, sizeof(case_name), "%s.%s", suite->name, this_case->name);
	if (this_case->generate_params)
		value = this_case->generate_params(NULL, param);
	do {
		struct kunit test = { .param_value = value };

		run_once(suite, this_case, &test);
		if (test.skipped)
			skipped = test;
		passed |= !test.skipped && !test.failed;
		if (test.failed && !failed.failed) {
			failed = test;
			strcpy(failed_param, param);
		}
		if (value)
			value = this_case->generate_params(value, param);
	} while (value);
	if (!passed && !failed.failed) {
		skip(skipped.why, "%s", case_name);
		return;
	}
	result(!failed.failed, "%s", case_name);
	if (failed.failed)
		explain(&failed, failed_param);
}

/* Names of policies have "-" where those of suites have "_". */
static bool is_named(const struct kunit_suite *suite, const char *word)
{
	char name[100], *at;

	snprintf(name, sizeof(name), "%s", word);
	for (at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	return strstr(suite->name, name);
}

static void check_word(const char *word)
{
	const struct kunit_suite *suite = suites;

	while (suite && !is_named(suite, word))
		suite = suite->next;
	if (!suite)
		die(TOOL_BAD_USAGE, "no suite has '%s' in its name: expected words such as 'evict' for ssdcache_evict", word);
}

static bool is_wanted(const struct kunit_suite *suite, char **words)
{
	bool all = !*words;

	for (; *words; words++)
		if (is_named(suite, *words))
			return true;
	return all;
}

int main(int argc, char **argv)
{
	const struct kunit_case *this_case;
	const struct kunit_suite *suite;
	int i;

	for (i = 1; i < argc; i++)
		check_word(argv[i]);
	catch_crashes();
	for (suite = suites; suite; suite = suite->next) {
		if (!is_wanted(suite, argv + 1))
			continue;
		for (this_case = suite->test_cases; this_case->run_case; this_case++)
			run_case(suite, this_case);
	}
	return finish();
}
