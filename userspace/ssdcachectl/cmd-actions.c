// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl flush, reset, drop-clean
 */
#include "act.h"

static const struct option_def no_options[] = {
	OPTION_END
};

static int run_message(const struct command *cmd, const char *message)
{
	struct device dev;
	int code = act_begin(cmd, &dev);

	return code ? code : act_message(cmd, &dev, message);
}

static int run_flush(const struct command *cmd)
{
	char why[ACT_WHY_LEN];
	struct device dev;
	int code = act_begin(cmd, &dev);

	if (code || !act_flush(&dev, why))
		return code;
	if (!device_there(&dev))
		return fail("flush: %s", why);
	return fail("flush: %s: %s", dev.name, why);
}

static int run_reset(const struct command *cmd)
{
	return run_message(cmd, "reset_stats");
}

static int run_drop_clean(const struct command *cmd)
{
	return run_message(cmd, "drop_clean");
}

const struct verb verb_flush = {
	.name = "flush",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.doc = "Flush all dirty pages and wait until all are written; Ctrl-C stops the wait.",
	.options = no_options,
	.run = run_flush,
};

const struct verb verb_reset = {
	.name = "reset",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.flash = true,
	.doc = "Zero all counters and latency histograms of an ssdcache or an ssdflash.",
	.options = no_options,
	.run = run_reset,
};

const struct verb verb_drop_clean = {
	.name = "drop-clean",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.doc = "Drop all clean pages from DRAM.",
	.options = no_options,
	.run = run_drop_clean,
};
