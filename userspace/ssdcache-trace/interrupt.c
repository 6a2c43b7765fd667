// SPDX-License-Identifier: GPL-2.0
/*
 * A replay that a signal ends: no more requests start, and the results so far are printed.
 */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include "replay.h"

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

static const struct sigaction end_at_once = { .sa_handler = SIG_DFL };

static volatile sig_atomic_t came;
static sigset_t caught;

/*
 * A signal that comes just before a wait begins does not end the wait. So SIGALRM follows each second, which does nothing but end waits.
 */
static void again(int number)
{
	(void)number;
	alarm(1);
}

static void set_all(const struct sigaction *action)
{
	size_t i;

	for (i = 0; i < NR(ends); i++)
		if (sigismember(&caught, ends[i]))
			sigaction(ends[i], action, NULL);
}

static void ask_for_end(int number)
{
	came = number;
	set_all(&end_at_once);
	alarm(1);
}

/**
 * interrupt_watch() - let SIGHUP, SIGINT and SIGTERM end the replay, not the program
 *
 * A second one ends the program. Signals that the user has chosen to ignore (nohup) stay ignored.
 */
void interrupt_watch(void)
{
	/* Without SA_RESTART, so that waits end. */
	struct sigaction action = { .sa_handler = again }, before;
	size_t i;

	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = ask_for_end;
	sigemptyset(&caught);
	for (i = 0; i < NR(ends); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaddset(&caught, ends[i]);
	/* None of them comes while another one is handled. */
	action.sa_mask = caught;
	set_all(&action);
}

/**
 * interrupt_came() - which signal asks for the end of the replay
 *
 * Return: its number; 0: none.
 */
int interrupt_came(void)
{
	return came;
}

/**
 * interrupt_unwatch() - let signals end the program again
 *
 * Return: which one has ended the replay; 0: none.
 */
int interrupt_unwatch(void)
{
	set_all(&end_at_once);
	alarm(0);
	return came;
}
