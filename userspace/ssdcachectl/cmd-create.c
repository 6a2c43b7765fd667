// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl create
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "devmap.h"
#include "kernel.h"
#include "table.h"

static const char more[] =
	"SIZE is in bytes, or with a binary suffix k, m, g or t. SPEC is NAME or "
	"NAME:key=value,key=value; 'ssdcachectl policies' shows the names and keys. "
	"KEY is a setting of the cache itself: 'ssdcachectl get NAME' shows them.\n"
	"\n"
	"Example: ssdcachectl create c0 --origin /dev/nullb0 --dram 256M "
	"--replacement cflru-ef-sc:ef_batch=4 --admission read-write";

static const struct option_def options[] = {
	{ .name = "origin", .arg = "DEV", .required = true,
	  .doc = "block device to put the DRAM in front of" },
	{ .name = "dram", .arg = "SIZE", .doc = "size of the DRAM (64M)" },
	{ .name = "page", .arg = "SIZE", .doc = "cache unit, a power of two from 4k to 64k (4k)" },
	{ .name = "replacement", .arg = "SPEC", .doc = "which page leaves (lru)" },
	{ .name = "admission", .arg = "SPEC", .doc = "which page may enter (write-buffer)" },
	{ .name = "prefetch", .arg = "SPEC", .doc = "what is read ahead of need (none)" },
	{ .name = "set", .arg = "KEY=VALUE", .many = true,
	  .doc = "another setting, such as dram_mode=protected" },
	{ .name = "readonly", .doc = "refuse writes" },
	{ .name = "unchecked",
	  .doc = "leave it to the kernel to check the specs: for a policy of your own module that is not known here" },
	{ .name = "dry-run", .doc = "print the table line and do nothing" },
	{ .name = "size", .arg = "SIZE",
	  .doc = "size of the origin, for a --dry-run where it is not at hand" },
	OPTION_END
};

static int check_name(const struct command *cmd)
{
	if (devmap_name_ok(cmd->args[0]))
		return CTL_OK;
	return usage("create: '%s' is not a name: up to %d letters, digits and # + - . : = @ _, not starting with -",
		     cmd->args[0], DEVMAP_NAME_LEN);
}

static int refused(const char *name, const char *origin, int error, int mark)
{
	char reason[1024];

	kernel_log_reason(mark, reason, sizeof(reason));
	if (reason[0])
		return fail("create: the kernel refused %s: %s%s", name, reason,
			    strstr(reason, origin) && origin_in_use(origin) ?
			    ": it is in use" : "");
	return fail("create: the kernel refused %s: %s ('dmesg' may say why)", name,
		    strerror(-error));
}

static int make_device(const struct command *cmd, const struct devmap_table *table)
{
	const char *name = cmd->args[0];
	struct devmap_state state;
	sigset_t stop, before;
	int error, mark;

	error = devmap_state(name, &state);
	if (error)
		return fail("create: cannot ask after %s: %s", name, strerror(-error));
	if (state.exists)
		return fail("create: there is a device %s already: choose another name, or remove it first",
			    name);

	if (origin_not_shared(cmd, command_option(cmd, "origin")))
		return CTL_FAILED;

	/* Stopped between two of its ioctls, libdevmapper would leave half a device. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	mark = kernel_log_mark();
	sigprocmask(SIG_BLOCK, &stop, &before);
	error = devmap_create(name, table, command_has(cmd, "readonly"));
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error)
		return refused(name, command_option(cmd, "origin"), error, mark);
	if (mark >= 0)
		close(mark);
	printf("/dev/mapper/%s\n", name);
	return CTL_OK;
}

static int run(const struct command *cmd)
{
	struct devmap_table table;
	int code = check_name(cmd);

	if (!code)
		code = table_from_options(cmd, &table);
	if (code)
		return code;
	if (command_has(cmd, "dry-run")) {
		printf("%" PRIu64 " %" PRIu64 " %s %s\n", table.start, table.length, CTL_TARGET,
		       table.params);
		return CTL_OK;
	}
	code = need_root(cmd);
	if (code)
		return code;
	devmap_begin();
	code = need_module(cmd);
	if (!code)
		code = make_device(cmd, &table);
	devmap_end();
	return code;
}

const struct verb verb_create = {
	.name = "create",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.doc = "Make a cache of DRAM over a block device; prints its path.",
	.more = more,
	.options = options,
	.run = run,
};
