// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to a device, and flush, the message that may take long.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../common/say.h"
#include "act.h"
#include "kernel.h"

#define POLL_MS		200
#define GIVE_UP_POLLS	10

/**
 * act_begin() - find the device that a verb changes
 * @cmd: the command line
 * @dev: result
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int act_begin(const struct command *cmd, struct device *dev)
{
	int code = device_find(cmd, dev);

	return code ? code : need_root(cmd);
}

/* Returns false if the device is gone: that reason names it. */
static bool tell_why(const struct device *dev, int error, char *why, size_t size)
{
	char reason[ACT_WHY_LEN];
	const char *at;

	if (error == -ENXIO || !device_there(dev)) {
		snprintf(why, size, "%s is gone", dev->name);
		return false;
	}
	device_reason(dev, reason, sizeof(reason));
	at = strncmp(reason, "flush: ", 7) ? reason : reason + 7;
	snprintf(why, size, "%s", *at ? at : strerror(-error));
	return true;
}

/**
 * act_message() - send a message that returns soon
 * @cmd: the command line
 * @dev: device
 * @message: words
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int act_message(const struct command *cmd, const struct device *dev, const char *message)
{
	char why[ACT_WHY_LEN];
	int error;

	devmap_begin();
	error = devmap_message(dev->name, message);
	devmap_end();
	if (!error)
		return TOOL_OK;
	if (!tell_why(dev, error, why, sizeof(why)))
		return fail("%s: %s", cmd->verb->name, why);
	return fail("%s: %s: %s", cmd->verb->name, dev->name, why);
}

/* The child: the ioctl sleeps until all is flushed, or until a signal kills the child. */
static void flush_and_exit(const struct device *dev, const sigset_t *before)
{
	int error;

	sigprocmask(SIG_SETMASK, before, NULL);
	devmap_begin();
	error = devmap_message(dev->name, "flush");
	devmap_end();
	_exit(-error);
}

static void show_progress(const struct device *dev)
{
	char progress[128];

	if (!can_redraw(STDERR_FILENO) || !device_text(dev, "progress", progress, sizeof(progress)))
		return;
	fprintf(stderr, "\r%s: %s pages\033[K", dev->name, progress);
}

static void end_progress(void)
{
	if (can_redraw(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* Consume the pending signals. Returns true if one of them asks us to stop. */
static bool told_to_stop(const sigset_t *signals, const struct timespec *patience)
{
	int sig = sigtimedwait(signals, NULL, patience);

	return sig > 0 && sig != SIGCHLD;
}

/* Wait for the child; -EINTR if a signal asks us to stop. */
static int wait_for_flush(const struct device *dev, pid_t child, const sigset_t *signals)
{
	const struct timespec poll = { .tv_nsec = POLL_MS * 1000000L }, now = { 0 };
	int stopped = 0, status;

	for (;;) {
		if (waitpid(child, &status, WNOHANG) == child)
			break;
		/* If the kernel cannot stop the flush at once, it continues without us. */
		if (stopped && ++stopped > GIVE_UP_POLLS)
			return -EINTR;
		show_progress(dev);
		if (told_to_stop(signals, &poll) && !stopped) {
			kill(child, SIGTERM);
			stopped = 1;
		}
	}
	/* Ctrl-C reaches the child, too, and may have ended it before we saw it. */
	if (told_to_stop(signals, &now) || told_to_stop(signals, &now) || stopped ||
	    WIFSIGNALED(status))
		return -EINTR;
	return WEXITSTATUS(status) ? -WEXITSTATUS(status) : 0;
}

/**
 * act_flush() - flush all dirty pages, showing progress
 * @dev: device
 * @why: result: why it failed, ACT_WHY_LEN characters
 *
 * SIGINT and SIGTERM end the wait; the device keeps running.
 *
 * Return: 0 or -errno.
 */
int act_flush(const struct device *dev, char *why)
{
	sigset_t signals, before;
	uint64_t dirty;
	pid_t child;
	int error;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &before);
	fflush(stdout);
	child = fork();
	if (!child)
		flush_and_exit(dev, &before);
	error = child < 0 ? -errno : wait_for_flush(dev, child, &signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	end_progress();
	if (error == -EINTR) {
		device_u64(dev, "stats/dirty", &dirty);
		snprintf(why, ACT_WHY_LEN, "interrupted, %" PRIu64 " dirty pages are left", dirty);
		return error;
	}
	if (error)
		tell_why(dev, error, why, ACT_WHY_LEN);
	return error;
}
