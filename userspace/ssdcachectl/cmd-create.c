// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl create
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "devmap.h"
#include "kernel.h"
#include "stack.h"
#include "table.h"

static const char more[] =
	"SIZE is in bytes, or with a binary suffix k, m, g or t. SPEC is NAME or "
	"NAME:key=value,key=value; 'ssdcachectl policies' shows the names and keys. "
	"KEY is a setting of the cache itself: 'ssdcachectl get NAME' shows them.\n"
	"\n"
	"PROFILE is a paper's drive (sha23, li22, shin23, zhou23, lin22; aliases: s000 to s004), "
	"an emulator's (femu, nvmevirt), one of published chips (siau19: TLC, huh20: QLC), or custom, alone or with parameters: shin23 or shin23:channels=8,read_ns=60000. The "
	"cache is then on a flash device with that profile, NAME-flash, which is on --origin or "
	"on a null_blk made for it, whose memory is allocated as it is written. 'remove' removes "
	"all of these.\n"
	"\n"
	"Examples: ssdcachectl create c0 --origin /dev/nullb0 --dram 256M "
	"--replacement cflru-ef-sc:ef_batch=4 --admission read-write\n"
	"ssdcachectl create c1 --profile shin23 --size 8G --dram 32M --page 8k";

static const struct option_def options[] = {
	{ .name = "origin", .arg = "DEV",
	  .doc = "block device to cache" },
	{ .name = "profile", .arg = "PROFILE",
	  .doc = "put a flash device in between; without --origin in memory" },
	{ .name = "zoned",
	  .doc = "with --profile, without --origin: the flash's blocks are zones of that memory" },
	{ .name = "dram", .arg = "SIZE", .doc = "size of the DRAM (64M)" },
	{ .name = "page", .arg = "SIZE", .doc = "cache unit, a power of two from 4k to 64k (4k)" },
	{ .name = "shards", .arg = "N", .doc = "engines, each with a part of the DRAM and of the addresses, for many CPUs (1)" },
	{ .name = "numa", .arg = "WORD", .doc = "NUMA nodes of the memory: interleave, all in turn, or local, one for each shard (interleave)" },
	{ .name = "replacement", .arg = "SPEC", .doc = "replacement policy: which page is evicted (lru)" },
	{ .name = "admission", .arg = "SPEC", .doc = "admission scheme: which pages may enter (write-buffer)" },
	{ .name = "prefetch", .arg = "SPEC", .doc = "prefetcher: which pages are read ahead (none)" },
	{ .name = "set", .arg = "KEY=VALUE", .many = true,
	  .doc = "another setting, such as dram_mode=protected" },
	{ .name = "readonly", .doc = "refuse writes" },
	{ .name = "unchecked",
	  .doc = "let the kernel alone check the specs, for a policy of another module" },
	{ .name = "dry-run", .doc = "print the table line and do nothing" },
	{ .name = "size", .arg = "SIZE",
	  .doc = "with --profile: size of the flash device (that of its origin, or its capacity); with --dry-run: size of an origin that does not exist here" },
	OPTION_END
};

static int check_name(const struct command *cmd)
{
	if (devmap_name_ok(cmd->args[0]))
		return TOOL_OK;
	return usage("create: '%s' is not a name: up to %d letters, digits and # + - . : = @ _, not starting with -",
		     cmd->args[0], DEVMAP_NAME_LEN);
}

/* Is the name free? */
static int check_free(const char *name)
{
	struct devmap_state state;
	int error;

	error = devmap_read_state(name, &state);
	if (error)
		return fail("create: cannot look up %s: %s", name, strerror(-error));
	if (state.exists)
		return fail("create: there is a device %s already: choose another name, or remove it first",
			    name);
	return TOOL_OK;
}

/*
 * The udev rules recognize a cache by the prefix. The number is random because the UUID outlives the name: after a rename,
 * another cache may get that.
 */
static void make_uuid(char *uuid, size_t size)
{
	uint64_t number[2] = {};

	if (getrandom(number, sizeof(number), 0) < 0)
		number[0] = getpid();
	snprintf(uuid, size, "SSDCACHE-PLAIN-%016" PRIx64 "%016" PRIx64, number[0], number[1]);
}

static int make_device(const struct command *cmd, const char *origin, const char *uuid,
		       const struct devmap_table *table)
{
	const char *name = cmd->args[0];
	char plain[DEVMAP_UUID_LEN + 1];
	int mark, error;

	if (!uuid) {
		make_uuid(plain, sizeof(plain));
		uuid = plain;
	}
	mark = kernel_log_mark();
	error = devmap_create(name, uuid, table, command_has(cmd, "readonly"));
	if (error)
		return kernel_refused(cmd, name, CTL_TARGET, origin, error, mark);
	if (mark >= 0)
		close(mark);
	say_done = "what was created stays";
	printf("/dev/mapper/%s\n", name);
	return TOOL_OK;
}

/* The devices to create: a cache, and with --profile the flash device and null_blk under it. */
struct plan {
	bool has_stack;
	struct stack stack;
	const char *origin;		/* of the cache */
	struct devmap_table table;
};

static int make_plan(const struct command *cmd, struct plan *plan)
{
	uint64_t sectors = 0;
	int code = check_name(cmd);

	if (code)
		return code;
	plan->has_stack = command_has(cmd, "profile");
	plan->origin = command_option(cmd, "origin");
	if (command_has(cmd, "zoned") && (!plan->has_stack || plan->origin))
		return usage("create: --zoned is for --profile without --origin");
	if (plan->has_stack) {
		code = stack_plan(cmd, &plan->stack);
		plan->origin = plan->stack.path;
		sectors = plan->stack.table.length;
	} else if (!plan->origin) {
		code = usage("create: --origin DEV is missing, or --profile PROFILE");
	}
	return code ? code : table_from_options(cmd, plan->origin, sectors, &plan->table);
}

static void print_table(const char *target, const struct devmap_table *table)
{
	printf("%" PRIu64 " %" PRIu64 " %s %s\n", table->start, table->length, target,
	       table->params);
}

/* @lock: to be closed when the devices are there; -1: none */
static int check_plan(const struct command *cmd, const struct plan *plan, int *lock)
{
	const char *given = command_option(cmd, "origin");
	int code = check_free(cmd->args[0]);

	*lock = -1;
	if (!code && plan->has_stack)
		code = check_free(plan->stack.flash);
	return !code && given ? origin_claim(cmd, given, lock) : code;
}

static int make_all(const struct command *cmd, const struct plan *plan)
{
	int code = plan->has_stack ? stack_make(cmd, &plan->stack) : TOOL_OK;

	if (code)
		return code;
	code = make_device(cmd, plan->origin, plan->has_stack ? plan->stack.uuid : NULL,
			   &plan->table);
	if (code && plan->has_stack)
		stack_undo(&plan->stack);
	return code;
}

static int carry_out(const struct command *cmd, const struct plan *plan)
{
	sigset_t before;
	int lock, code = check_plan(cmd, plan, &lock);

	if (code)
		return code;
	devmap_hold_signals(&before);
	code = make_all(cmd, plan);
	devmap_release_signals(&before);
	if (lock >= 0)
		close(lock);
	return code;
}

static int run(const struct command *cmd)
{
	struct plan plan;
	int code = make_plan(cmd, &plan);

	if (code)
		return code;
	if (command_has(cmd, "dry-run")) {
		if (plan.has_stack)
			print_table("ssdflash", &plan.stack.table);
		print_table(CTL_TARGET, &plan.table);
		return TOOL_OK;
	}
	code = need_root(cmd);
	if (code)
		return code;
	devmap_begin();
	code = need_module(cmd);
	if (!code)
		code = carry_out(cmd, &plan);
	devmap_end();
	return code;
}

const struct verb verb_create = {
	.name = "create",
	.args = "NAME",
	.min_args = 1,
	.max_args = 1,
	.needs = "--origin DEV",
	.doc = "Create a cache over a block device, or over a paper's flash device; prints its path.",
	.more = more,
	.options = options,
	.run = run,
};
