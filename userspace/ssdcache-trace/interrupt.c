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

static void set_all(const struct sigaction *action)
{
	size_t i;

	for (i = 0; i < NR(ends); i++)
		if (sigismember(&caught, ends[i]))
			sigaction(ends[i], action, NULL);
}

/*
 * SIGALRM follows each second after the first signal. A signal that comes just before a wait begins does not end the wait; SIGALRM does.
 */
static void again(int number)
{
	(void)number;
	set_all(&end_at_once);
	alarm(1);
}

/* timeout(1) sends its signal twice, and a terminal that closes may send two, so the signals of a second count as one. */
static void ask_for_end(int number)
{
	struct sigaction action = { .sa_handler = again };

	if (came)
		return;
	came = number;
	sigfillset(&action.sa_mask);
	/* Until now, SIGALRM may be from an alarm that was set before the program started. */
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
}

/**
 * interrupt_watch() - let SIGHUP, SIGINT and SIGTERM end the replay, not the program
 *
 * One that comes a second later ends the program. Signals that the user has chosen to ignore (nohup) stay ignored.
 */
void interrupt_watch(void)
{
	/* Without SA_RESTART, so that waits end. */
	struct sigaction action = { .sa_handler = ask_for_end }, before;
	size_t i;

	sigemptyset(&caught);
	for (i = 0; i < NR(ends); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaddset(&caught, ends[i]);
	/* No signal comes while another one is handled. */
	sigfillset(&action.sa_mask);
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
	if (came)
		alarm(0);
	return came;
}
