// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl resize
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "act.h"
#include "kernel.h"
#include "table.h"

#define MAX_TRIES	8

static const struct option_def options[] = {
	{ .name = "dram", .arg = "SIZE", .required = true, .doc = "the new size of the DRAM" },
	OPTION_END
};

static void on_signal(int sig)
{
	(void)sig;	/* the signal only has to end the ioctl with EINTR */
}

/*
 * Without the handler, a signal would end the program before it has resumed the device and dropped the loaded table, which holds the
 * memory of a second tier. Signals that nohup and others have the program ignore stay ignored.
 */
static void catch_signals(void)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal }, before;
	size_t i;

	for (i = 0; i < sizeof(stop) / sizeof(stop[0]); i++)
		if (!sigaction(stop[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(stop[i], &action, NULL);
}

/*
 * Two resizes at a time would use and drop each other's tables, and one could end as if it had resized. Returns a file descriptor,
 * to be closed at the end, or -1 (reported).
 */
static int lock_device(const struct device *dev)
{
	struct devmap_state state;
	int lock = devmap_read_state(dev->name, &state);

	if (lock || !state.exists) {
		fail("resize: %s is gone", dev->name);
		return -1;
	}
	lock = devmap_try_lock(state.device);
	if (lock == -EAGAIN)
		fail("resize: another ssdcachectl is at work on %s: try again when it has ended", dev->name);
	else if (lock < 0)
		fail("resize: cannot lock %s: %s", dev->name, strerror(-lock));
	return lock < 0 ? -1 : lock;
}

/* A table that somebody has loaded, and not resumed yet, would be lost. */
static int check_loaded(const struct device *dev)
{
	struct devmap_state state;

	if (devmap_read_state(dev->name, &state) || !state.inactive_table)
		return TOOL_OK;
	return fail("resize: %s has a table that is loaded but not in use: 'dmsetup resume %s' begins to use it, 'dmsetup clear %s' drops it",
		    dev->name, dev->name, dev->name);
}

/* @was: result: the table in use; @table: result: the same with the new size */
static int new_table(const struct command *cmd, const struct device *dev, struct devmap_table *was, struct devmap_table *table)
{
	const char *dram = command_option(cmd, "dram");
	uint64_t bytes, page = 4096;
	char word[64];
	int error, code;

	error = devmap_read_table(dev->name, was);
	if (error && !device_there(dev))
		return fail("resize: %s is gone", dev->name);
	if (error)
		return fail("resize: cannot read the table of %s: %s", dev->name,
			    strerror(-error));
	*table = *was;
	code = check_loaded(dev);
	if (!code)
		code = table_size(cmd, "dram", dram, &bytes);
	if (!code && table_word(table, "page", word, sizeof(word)))
		code = table_size(cmd, "page", word, &page);
	if (!code)
		code = table_check_dram(cmd, bytes, page);
	if (!code && table_word(table, "shards", word, sizeof(word)))
		code = table_check_shards(cmd, word, bytes, page);
	if (!code && !table_set_word(table, "dram", dram))
		code = fail("resize: the table of %s has no word 'dram': %s", dev->name,
			    table->params);
	return code;
}

static int not_resized(const struct device *dev, const char *why)
{
	if (!device_there(dev))
		return fail("resize: %s is gone", dev->name);
	return fail("resize: %s; %s keeps its old size", why, dev->name);
}

/* Drop the loaded table. Returns false if the device stays suspended. */
static bool resume_as_before(const struct device *dev)
{
	devmap_unload(dev->name);
	return !devmap_resume(dev->name) || !device_there(dev);
}

static int go_on_as_before(const struct device *dev, const char *why)
{
	if (!resume_as_before(dev))
		return fail("resize: %s; try 'dmsetup resume %s'", why, dev->name);
	return not_resized(dev, why);
}

/* Has a setting been changed since the new table was made? The new table would undo that. */
static bool has_changed(const struct device *dev, const struct devmap_table *was)
{
	struct devmap_table now;

	return !devmap_read_table(dev->name, &now) && strcmp(now.params, was->params);
}

static int load(const struct device *dev, const struct devmap_table *table)
{
	char reason[1024], why[ACT_WHY_LEN];
	struct devmap_state state;
	int error, mark;

	error = devmap_read_state(dev->name, &state);
	if (error || !state.exists)
		return fail("resize: %s is gone", dev->name);
	mark = kernel_log_mark();
	error = devmap_load(dev->name, table, state.read_only);
	if (error) {
		kernel_log_reason(mark, CTL_TARGET, reason, sizeof(reason));
		snprintf(why, sizeof(why), "the kernel refused: %.400s", reason[0] ? reason : strerror(-error));
		return not_resized(dev, why);
	}
	if (mark >= 0)
		close(mark);
	return TOOL_OK;
}

/*
 * Activate the loaded table. On failure the device continues with the old one, and also if @was is no longer the table in use;
 * @again is true then.
 */
static int swap(const struct device *dev, const struct devmap_table *was, bool *again)
{
	struct devmap_state state;
	uint64_t dirty;
	int error = devmap_suspend(dev->name);

	*again = false;
	if (error)
		return go_on_as_before(dev, error == -EINTR ? "interrupted" : strerror(-error));
	/* Removing the old table discards its pages, so none may be dirty. */
	if (!device_u64(dev, "stats/dirty", &dirty) || dirty)
		return go_on_as_before(dev, "the dirty pages cannot be written to the origin");
	if (has_changed(dev, was)) {
		*again = resume_as_before(dev);
		return *again ? TOOL_OK : go_on_as_before(dev, "its settings have changed meanwhile");
	}
	if (!devmap_read_state(dev->name, &state) && !state.inactive_table)
		return go_on_as_before(dev, "the table with the new size was dropped by another program");
	error = devmap_resume(dev->name);
	if (!error)
		return TOOL_OK;
	if (!devmap_read_state(dev->name, &state) && state.inactive_table)
		return go_on_as_before(dev, strerror(-error));
	return fail("resize: %s cannot be resumed: %s: try 'dmsetup resume %s'", dev->name,
		    strerror(-error), dev->name);
}

static int resize(const struct command *cmd, const struct device *dev)
{
	struct devmap_table was, table;
	char why[ACT_WHY_LEN];
	int code = new_table(cmd, dev, &was, &table);
	bool again = true;
	int tries;

	if (code)
		return code;
	/* Flush first: it takes longest, shows progress and can be stopped. */
	if (act_flush(dev, why))
		return not_resized(dev, why);
	catch_signals();
	/* The flush, and the one of a suspend, take long enough for somebody to change a setting. */
	for (tries = 0; again && tries < MAX_TRIES; tries++) {
		code = new_table(cmd, dev, &was, &table);
		code = code ? code : load(dev, &table);
		code = code ? code : swap(dev, &was, &again);
		if (code)
			return code;
	}
	return again ? not_resized(dev, "its settings change all the time") : TOOL_OK;
}

static int run(const struct command *cmd)
{
	struct device dev;
	uint64_t bytes;
	int code = table_size(cmd, "dram", command_option(cmd, "dram"), &bytes), lock;

	if (!code)
		code = act_begin(cmd, &dev);
	if (code)
		return code;
	devmap_begin();
	lock = lock_device(&dev);
	code = lock < 0 ? TOOL_FAILED : resize(cmd, &dev);
	if (lock >= 0)
		close(lock);
	devmap_end();
	return code;
}

const struct verb verb_resize = {
	.name = "resize",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.doc = "Give a running cache more or less DRAM.",
	.more = "Dirty pages are flushed first; requests wait during the resize, and none fails. "
		"Settings that are changed meanwhile stay, and a second resize is refused. The statistics start from zero.",
	.options = options,
	.run = run,
};
