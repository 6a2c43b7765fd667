// SPDX-License-Identifier: GPL-2.0
/*
 * A timer's signal sets a flag five times a second, so a request costs one look at the flag. Before the
 * first request, nothing looks at the flag: the handler of the signal writes what is done.
 */
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "../common/say.h"
#include "progress.h"

#define INTERVAL_US	200000
#define CLEAR		"\r\033[K"

volatile sig_atomic_t sim_progress_due;

/*
 * doing: what the handler writes, NULL: nothing
 * written: what it has written last
 * visible: there is a line on the terminal
 * requests: how many are run, 0: nothing is run
 */
static struct {
	const char *volatile doing;
	const char *volatile written;
	volatile sig_atomic_t visible;
	size_t requests;
	double start_s;
} progress;

double sim_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/**
 * sim_time_text() - "95 s", "12 min", "7.5 h"
 * @text: result
 * @size: its room
 * @seconds: time
 */
void sim_time_text(char *text, size_t size, double seconds)
{
	if (seconds < 120)
		snprintf(text, size, "%.0f s", seconds);
	else if (seconds < 7200)
		snprintf(text, size, "%.0f min", seconds / 60);
	else
		snprintf(text, size, "%.1f h", seconds / 3600);
}

static void tick(int signal)
{
	const char *doing = progress.doing;
	int error = errno;

	(void)signal;
	sim_progress_due = 1;
	if (doing && doing != progress.written) {
		if (write(STDERR_FILENO, doing, strlen(doing)) > 0)
			progress.visible = 1;
		progress.written = doing;
	}
	errno = error;
}

/* A tick that comes later must not write: another message, or the end of the program, follows. */
static void clear(void)
{
	progress.doing = NULL;
	if (!progress.visible)
		return;
	fputs(CLEAR, stderr);
	fflush(stderr);
	progress.visible = 0;
}

static void set_timer(long interval_us)
{
	struct timeval time = { .tv_usec = interval_us };

	setitimer(ITIMER_REAL, &(struct itimerval) { time, time }, NULL);
}

/**
 * sim_progress_start() - traces are read; show so from now on, if standard error is a terminal
 */
void sim_progress_start(void)
{
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };

	if (!can_redraw(STDERR_FILENO))
		return;
	say_before = clear;
	progress.written = NULL;
	progress.doing = CLEAR "reading the trace";
	sigaction(SIGALRM, &action, NULL);
	set_timer(INTERVAL_US);
}

/**
 * sim_progress_prepare() - the traces are read, and the flash device is made and aged
 */
void sim_progress_prepare(void)
{
	progress.doing = CLEAR "preparing the flash";
}

/**
 * sim_progress_run() - requests are run
 * @requests: how many
 */
void sim_progress_run(size_t requests)
{
	progress.doing = NULL;
	progress.requests = requests;
	progress.start_s = sim_now_s();
	sim_progress_due = progress.visible;
}

/**
 * sim_progress_show() - show how far the run is
 * @done: requests that were started
 */
void sim_progress_show(size_t done)
{
	double spent_s = sim_now_s() - progress.start_s, rate = spent_s > 0 ? done / spent_s : 0;
	char left[32];

	sim_progress_due = 0;
	if (!progress.requests)
		return;
	progress.visible = 1;
	fprintf(stderr, CLEAR "%5.1f %% of %zu request%s", 100.0 * done / progress.requests, progress.requests,
		plural(progress.requests));
	if (done && rate > 0) {
		sim_time_text(left, sizeof(left), (progress.requests - done) / rate);
		fprintf(stderr, ", %.0f per second, %s left", rate, left);
	}
	fflush(stderr);
}

/**
 * sim_progress_end() - remove the line
 */
void sim_progress_end(void)
{
	if (!say_before)
		return;
	clear();
	set_timer(0);
	say_before = NULL;
	sim_progress_due = 0;
	progress.requests = 0;
}
