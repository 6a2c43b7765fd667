// SPDX-License-Identifier: GPL-2.0
/*
 * The line that a run shows on a terminal (../ssdcache-sim/progress.c). The test makes the ticks of the timer
 * and sees what each of them writes.
 *
 *	progress-line		TAP lines
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "../common/say.h"
#include "../ssdcache-sim/progress.h"
#include "harness.h"

#define CLEAR	"\r\033[K"
#define READING	CLEAR "reading the trace"
#define MARK	"\001"

/* Standard error is the terminal, of which this is the other end. */
static int screen;
static int messages;

static void open_terminal(void)
{
	int terminal;

	screen = posix_openpt(O_RDWR | O_NOCTTY);
	if (screen < 0 || grantpt(screen) || unlockpt(screen))
		give_up("pseudoterminal");
	terminal = open(ptsname(screen), O_RDWR | O_NOCTTY);
	if (terminal < 0)
		give_up(ptsname(screen));
	messages = dup(STDERR_FILENO);
	dup2(terminal, STDERR_FILENO);
	close(terminal);
}

static void close_terminal(void)
{
	close(screen);
	dup2(messages, STDERR_FILENO);
	close(messages);
}

/* What was written since the last call. The kernel passes it on when it likes, and a mark after it. */
static const char *shown(void)
{
	static char text[4096];
	size_t len = 0;
	ssize_t more;

	if (write(STDERR_FILENO, MARK, 1) != 1)
		give_up("terminal");
	do {
		more = read(screen, text + len, sizeof(text) - len);
		if (more <= 0)
			give_up("terminal");
		len += more;
	} while (text[len - 1] != *MARK);
	text[len - 1] = '\0';
	return text;
}

/* What a tick writes. */
static const char *tick(void)
{
	shown();
	raise(SIGALRM);
	return shown();
}

static bool timer_runs(void)
{
	struct itimerval timer;

	getitimer(ITIMER_REAL, &timer);
	return timer.it_value.tv_sec || timer.it_value.tv_usec;
}

/* The timer would make ticks of its own. */
static void start(void)
{
	const struct itimerval never = {};

	sim_progress_start();
	setitimer(ITIMER_REAL, &never, NULL);
}

static void test_phases(void)
{
	const char *text;

	open_terminal();
	start();
	result(!strcmp(tick(), READING), "a tick says that the trace is read");
	result(!*tick(), "the next tick does not say so again");
	sim_progress_prepare();
	result(!strcmp(tick(), CLEAR "preparing the flash"), "a tick says that the flash is prepared");
	sim_progress_run(200);
	result(!*tick() && sim_progress_due, "while requests are run, a tick sets a flag only");
	sim_progress(50);
	text = shown();
	result(!strncmp(text, CLEAR " 25.0 % of 200 requests", strlen(CLEAR) + 23) && !sim_progress_due,
	       "the next request shows how many were run");
	sim_progress_end();
	result(!strcmp(shown(), CLEAR), "the line is gone at the end");
	close_terminal();
}

static void test_late_ticks(void)
{
	bool reading;

	open_terminal();
	start();
	reading = !strcmp(tick(), READING);
	sim_progress_end();
	result(reading && !*tick(), "a tick after the end writes nothing");
	close_terminal();

	open_terminal();
	start();
	reading = !strcmp(tick(), READING);
	warn("a message");
	result(!strcmp(shown(), CLEAR "progress-line: a message\r\n"), "a message replaces the line");
	result(reading && !*tick(), "a tick after a message writes nothing");
	sim_progress_end();
	close_terminal();
}

static void test_errno(void)
{
	open_terminal();
	start();
	close(screen);
	errno = EAGAIN;
	raise(SIGALRM);
	result(errno == EAGAIN, "errno survives a tick that cannot write");
	sim_progress_end();
	close_terminal();
}

static void test_terminal(const char *kind)
{
	if (kind)
		setenv("TERM", kind, 1);
	else
		unsetenv("TERM");
	open_terminal();
	sim_progress_start();
	result(!timer_runs() && !*shown(), "nothing is shown on a terminal %s%s", kind ? "of the kind " : "of no kind",
	       !kind ? "" : *kind ? kind : "\"\"");
	sim_progress_end();
	close_terminal();
}

int main(void)
{
	setenv("TERM", "xterm", 1);
	test_phases();
	test_late_ticks();
	test_errno();
	test_terminal("dumb");
	test_terminal("");
	test_terminal(NULL);
	return finish();
}
