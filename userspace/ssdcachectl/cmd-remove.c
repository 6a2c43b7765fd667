// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl remove
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "act.h"
#include "stack.h"

/* udev and others briefly open a device that changes. */
#define OPEN_POLLS	20
#define OPEN_POLL_NS	100000000L

static const struct option_def options[] = {
	{ .name = "force",
	  .doc = "remove it even if dirty pages cannot be written: their data are lost" },
	OPTION_END
};

static int in_use(const struct device *dev, int open_count)
{
	char *holders = device_holders(dev);

	if (!holders)
		return fail("remove: no memory");
	if (holders[0])
		fail("remove: %s is in use (open count %d: %s): end that first", dev->name, open_count, holders);
	else
		fail("remove: %s is in use (open count %d); no mount, swap, device or process has it open: look for a loop device or an export",
		     dev->name, open_count);
	free(holders);
	return TOOL_FAILED;
}

static int wait_until_closed(const struct device *dev)
{
	const struct timespec pause = { .tv_nsec = OPEN_POLL_NS };
	struct devmap_state state;
	int polls, error;

	for (polls = 0;; polls++) {
		error = devmap_read_state(dev->name, &state);
		if (error)
			return fail("remove: %s: %s", dev->name, strerror(-error));
		if (!state.open_count)
			return TOOL_OK;
		if (polls == OPEN_POLLS)
			return in_use(dev, state.open_count);
		nanosleep(&pause, NULL);
	}
}

static int flush_first(const struct device *dev)
{
	char why[ACT_WHY_LEN];
	int error = act_flush(dev, why);

	if (!error)
		return TOOL_OK;
	if (!device_there(dev))
		return fail("remove: %s", why);
	return fail("remove: %s; %s keeps running%s", why, dev->name,
		    error == -EINTR ? "" : ": 'remove --force' would lose them");
}

/* A suspended device without dirty pages needs no flush, and could do none. */
static bool is_at_rest(const struct device *dev)
{
	struct devmap_state state;
	uint64_t dirty;

	return !devmap_read_state(dev->name, &state) && state.suspended &&
	       device_u64(dev, "stats/dirty", &dirty) && !dirty;
}

/* Remove the cache, and what was made for it. */
static int remove_all(const struct command *cmd, const struct device *dev, const struct stack_made *made)
{
	struct devmap_state state;
	int error = devmap_remove(dev->name);

	if (error == -EBUSY && !devmap_read_state(dev->name, &state) && state.exists)
		return in_use(dev, state.open_count);
	if (error)
		return fail("remove: %s: %s", dev->name, error == -ENXIO ? "it is gone already" : strerror(-error));
	return stack_remove(cmd, dev->name, made);
}

static int run(const struct command *cmd)
{
	struct stack_made made;
	struct device dev;
	sigset_t before;
	int code;

	code = act_begin(cmd, &dev);
	if (code)
		return code;
	devmap_begin();
	stack_find(&dev, &made);
	code = wait_until_closed(&dev);
	if (!code && !command_has(cmd, "force") && !is_at_rest(&dev))
		code = flush_first(&dev);
	if (!code) {
		devmap_hold_signals(&before);
		code = remove_all(cmd, &dev, &made);
		devmap_release_signals(&before);
	}
	devmap_end();
	return code;
}

const struct verb verb_remove = {
	.name = "remove",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.doc = "Flush all dirty pages, then remove the device and those that --profile made for it.",
	.more = "A cache of /etc/ssdcachetab is made again at the next boot; under systemd, remove it by "
		"'systemctl stop ssdcache@NAME'. ssdcachetab(5) has the details.",
	.options = options,
	.run = run,
};
