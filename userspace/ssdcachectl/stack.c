// SPDX-License-Identifier: GPL-2.0
/*
 * The flash device and the null_blk under a cache created with --profile.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../dm-ssdcache/flash/flash.h"
#include "kernel.h"
#include "stack.h"
#include "table.h"

/*
 * The UUID of a device of a stack is one of these prefixes, of one length, and the name that the cache was created with. The
 * name alone says nothing: another cache may have it now. ssdcachectl 1.0 gave the cache no UUID.
 */
#define CACHE_PREFIX	"SSDCACHE-CACHE-"
#define ORIGIN_PREFIX	"SSDCACHE-STACK-"	/* flash device on --origin */
#define MEMORY_PREFIX	"SSDCACHE-NULLB-"	/* flash device on a null_blk made for it */
#define OLD_PREFIX	"SSDCACHE-FLASH-"	/* flash device of ssdcachectl 1.0 */
#define MEMORY_NAME	"ssdc-"
#define FLASH_TARGET	"ssdflash"

/* Longest names of a cache. libdevmapper cuts a longer UUID, the kernel a longer name of a null_blk. */
#define NAME_LEN	(DEVMAP_UUID_LEN - (sizeof(CACHE_PREFIX) - 1))
#define MEMORY_NAME_LEN	(NULL_BLK_NAME_LEN - (sizeof(MEMORY_NAME) - 1))
#define SECTORS_PER_MIB	2048
#define SECTOR_BYTES	512
#define MIB		(1ULL << 20)

/* Spare blocks per plane that a flash device on zones needs. */
#define ZONED_SPARE	5

static int bad_profile(const struct command *cmd, const struct ssdc_error *error)
{
	return usage("%s: --profile: %s", cmd->verb->name, error->text);
}

static int too_small(const struct command *cmd)
{
	return usage("%s: --size: at least 1m", cmd->verb->name);
}

/* The size given, that of the origin, or the capacity of the flash. */
static int plan_size(const struct command *cmd, struct stack *stack, struct ssdf_params *params)
{
	const char *origin = command_option(cmd, "origin"), *size = command_option(cmd, "size");
	struct ssdc_error error;
	uint64_t bytes = 0;
	int code = TOOL_OK;

	if (size)
		code = table_size(cmd, "size", size, &bytes);
	else if (origin)
		code = origin_size(cmd, origin, &bytes);
	if (code)
		return code;
	if (size && !bytes)
		return too_small(cmd);
	if (ssdf_params_check(params, bytes / SECTOR_BYTES, &error))
		return bad_profile(cmd, &error);
	stack->table.length = bytes ? bytes / SECTOR_BYTES : ssdf_capacity_sectors(params);
	if (!origin)
		stack->table.length -= stack->table.length % SECTORS_PER_MIB;
	return stack->table.length ? TOOL_OK : too_small(cmd);
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* A zone is an erase block. Zones of null_blk are whole MiB, so round the pages of a block up. */
static void plan_zone(struct stack *stack, struct ssdf_params *params)
{
	struct null_blk_size *size = &stack->null_blk_size;

	size->zone_capacity = div_up((uint64_t)params->pages * params->page_bytes, MIB);
	params->pages = size->zone_capacity * MIB / params->page_bytes;
	for (size->zone = 1; size->zone < size->zone_capacity; size->zone *= 2)
		;
}

/*
 * One zone per block, and more than enough for the two regions of the log (zoned/log.c): unused
 * zones occupy no memory. 12 bytes per page exceed two copies of the map, 64 per queued change
 * exceed the changes.
 */
static void plan_zones(struct stack *stack, struct ssdf_params *params, bool chosen)
{
	struct null_blk_size *size = &stack->null_blk_size;
	uint64_t planes = params->channels * params->chips * params->dies * params->planes;
	uint64_t least = div_up(100 * ZONED_SPARE, params->over_provisioning), log;

	if (chosen && params->blocks < least)
		params->blocks = least;
	log = 12 * planes * params->blocks * params->pages + 64 * (8192 + planes * params->pages);
	log = 1 + div_up(log, size->zone_capacity * MIB);
	size->all = (planes * params->blocks + 2 * log) * size->zone;
	snprintf(stack->zone_words, sizeof(stack->zone_words), " pages %u blocks %u",
		 params->pages, params->blocks);
}

static int plan_null_blk(const struct command *cmd, struct stack *stack,
			 struct ssdf_params *params)
{
	bool zoned = command_has(cmd, "zoned"), chosen = !params->blocks;
	int code;

	if (zoned)
		plan_zone(stack, params);
	code = plan_size(cmd, stack, params);
	if (code)
		return code;
	if (zoned)
		plan_zones(stack, params, chosen);
	else
		stack->null_blk_size.all = stack->table.length / SECTORS_PER_MIB;
	return TOOL_OK;
}

/* Does the plan of zones replace a "key=value" of the profile? */
static bool is_replaced(const struct stack *stack, const char *word)
{
	return stack->zone_words[0] && (!strncmp(word, "pages=", 6) || !strncmp(word, "blocks=", 7));
}

/* "NAME:key=value,…" -> "profile NAME key value …", without what the plan of zones replaces */
static int plan_table(const struct command *cmd, struct stack *stack, const char *spec)
{
	char words[DEVMAP_TABLE_LEN];
	size_t len = strcspn(spec, ":"), at = 0;
	bool custom = !strncmp(spec, "custom", len) && len == strlen("custom");
	const char *word = spec + len, *equals;
	unsigned int nr = custom ? 0 : 2;

	words[0] = '\0';
	if (!custom)
		at = snprintf(words, sizeof(words), " profile %.*s", (int)len, spec);
	for (; *word && at < sizeof(words); word += len) {
		len = strcspn(++word, ",");
		if (is_replaced(stack, word))
			continue;
		equals = strchr(word, '=');
		at += snprintf(words + at, sizeof(words) - at, " %.*s %.*s", (int)(equals - word), word,
			       (int)(word + len - equals - 1), equals + 1);
		nr += 2;
	}
	if (stack->zone_words[0])
		nr += 4;
	if (at < sizeof(words))
		at = snprintf(stack->table.params, sizeof(stack->table.params), "%s %u%s%s", stack->origin, nr,
			      words, stack->zone_words);
	if (at >= sizeof(words))
		return usage("%s: --profile is too long", cmd->verb->name);
	return TOOL_OK;
}

static int check_name(const struct command *cmd)
{
	size_t len = strlen(cmd->args[0]);

	if (!command_option(cmd, "origin") && len > MEMORY_NAME_LEN)
		return usage("%s: NAME: at most %zu characters with --profile and without --origin",
			     cmd->verb->name, MEMORY_NAME_LEN);
	if (len > NAME_LEN)
		return usage("%s: NAME: at most %zu characters with --profile", cmd->verb->name,
			     NAME_LEN);
	return TOOL_OK;
}

/**
 * stack_plan() - plan the devices that "create --profile" creates under the cache
 * @cmd: the command line
 * @stack: result
 *
 * Return: TOOL_OK, or another exit code (reported).
 */
int stack_plan(const struct command *cmd, struct stack *stack)
{
	const char *origin = command_option(cmd, "origin"), *spec = command_option(cmd, "profile");
	struct ssdf_params params;
	struct ssdc_error error;
	int code;

	memset(stack, 0, sizeof(*stack));
	stack->name = cmd->args[0];
	code = check_name(cmd);
	if (code)
		return code;
	if (ssdf_params_parse(&params, spec, &error))
		return bad_profile(cmd, &error);
	code = origin ? table_check_origin(cmd, origin) : TOOL_OK;
	if (!code && origin && strlen(origin) >= sizeof(stack->origin))
		code = usage("%s: --origin: longer than %zu characters", cmd->verb->name,
			     sizeof(stack->origin) - 1);
	if (code)
		return code;
	code = plan_null_blk(cmd, stack, &params);
	if (code)
		return code;
	snprintf(stack->flash, sizeof(stack->flash), "%.120s-flash", stack->name);
	snprintf(stack->path, sizeof(stack->path), "/dev/mapper/%.120s-flash", stack->name);
	if (origin) {
		snprintf(stack->origin, sizeof(stack->origin), "%s", origin);
	} else {
		snprintf(stack->null_blk, sizeof(stack->null_blk), MEMORY_NAME "%.120s", stack->name);
		snprintf(stack->origin, sizeof(stack->origin), "/dev/%s", stack->null_blk);
	}
	snprintf(stack->uuid, sizeof(stack->uuid), CACHE_PREFIX "%s", stack->name);
	snprintf(stack->flash_uuid, sizeof(stack->flash_uuid), "%s%s",
		 origin ? ORIGIN_PREFIX : MEMORY_PREFIX, stack->name);
	return plan_table(cmd, stack, spec);
}

static int make_flash(const struct command *cmd, const struct stack *stack)
{
	/* An origin that is given may be read-only, too. */
	bool read_only = command_has(cmd, "readonly") && !stack->null_blk[0];
	int mark = kernel_log_mark(), error;

	error = devmap_create_as(FLASH_TARGET, stack->flash, stack->flash_uuid, &stack->table, read_only);
	if (error)
		return kernel_refused(cmd, stack->flash, FLASH_TARGET, stack->origin, error, mark);
	if (mark >= 0)
		close(mark);
	return TOOL_OK;
}

/**
 * stack_make() - create the devices of stack_plan()
 * @cmd: the command line
 * @stack: the plan
 *
 * Return: TOOL_OK; or TOOL_FAILED (reported), with everything made so far removed.
 */
int stack_make(const struct command *cmd, const struct stack *stack)
{
	int code = TOOL_OK;

	if (stack->null_blk[0])
		code = null_blk_make(cmd, stack->null_blk, &stack->null_blk_size);
	if (code)
		return code;
	code = make_flash(cmd, stack);
	if (code && stack->null_blk[0])
		null_blk_remove(stack->null_blk);
	return code;
}

/**
 * stack_undo() - remove the devices of stack_make()
 * @stack: the plan
 */
void stack_undo(const struct stack *stack)
{
	devmap_remove(stack->flash);
	if (stack->null_blk[0])
		null_blk_remove(stack->null_blk);
}

/* What follows @prefix in a UUID, NULL if the UUID does not begin with it. */
static const char *after(const char *uuid, const char *prefix)
{
	return strncmp(uuid, prefix, strlen(prefix)) ? NULL : uuid + strlen(prefix);
}

/**
 * stack_find() - find the devices made for a cache by stack_make()
 * @cache: the cache, before it is removed
 * @made: result
 *
 * The cache and the flash device may have been renamed. Those of ssdcachectl 1.0 are recognized by
 * the name of the cache.
 */
void stack_find(const struct device *cache, struct stack_made *made)
{
	unsigned int major, minor;
	struct devmap_id flash, own;
	const char *name, *of;
	bool in_memory = true;	/* of ssdcachectl 1.0: perhaps */
	char number[64];

	memset(made, 0, sizeof(*made));
	if (!device_text(cache, "origin", number, sizeof(number)) ||
	    sscanf(number, "%u:%u", &major, &minor) != 2 ||
	    devmap_read_id_at(major, minor, &flash) || devmap_read_id(cache->name, &own))
		return;
	if (own.uuid[0]) {
		name = after(own.uuid, CACHE_PREFIX);
		of = after(flash.uuid, MEMORY_PREFIX);
		if (!of) {
			in_memory = false;
			of = after(flash.uuid, ORIGIN_PREFIX);
		}
	} else {
		name = cache->name;
		of = after(flash.uuid, OLD_PREFIX);
	}
	if (!of || !name || strcmp(of, name))
		return;
	snprintf(made->flash, sizeof(made->flash), "%s", flash.name);
	if (in_memory)
		snprintf(made->null_blk, sizeof(made->null_blk), MEMORY_NAME "%.120s", name);
}

/**
 * stack_remove() - remove the devices made for a cache that was removed
 * @cmd: the command line
 * @name: of the cache
 * @made: from stack_find()
 *
 * Return: TOOL_OK, also if there are none; TOOL_FAILED (reported).
 */
int stack_remove(const struct command *cmd, const char *name, const struct stack_made *made)
{
	int error;

	if (!made->flash[0])
		return TOOL_OK;
	error = devmap_remove(made->flash);
	if (error)
		return fail("%s: %s is removed, but its flash device %s is not: %s: try 'dmsetup remove %s'%s%s%s", cmd->verb->name,
			    name, made->flash, strerror(-error), made->flash, made->null_blk[0] ? ", then 'rmdir " NULL_BLK_CONFIG "/" : "",
			    made->null_blk, made->null_blk[0] ? "'" : "");
	error = made->null_blk[0] ? null_blk_remove(made->null_blk) : 0;
	if (error)
		return fail("%s: %s is removed, but its null_blk %s is not: %s: try 'rmdir " NULL_BLK_CONFIG "/%s'",
			    cmd->verb->name, name, made->null_blk, strerror(-error), made->null_blk);
	return TOOL_OK;
}
