// SPDX-License-Identifier: GPL-2.0
/*
 * null_blk devices, through configfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "kernel.h"
#include "null-blk.h"

#define POLLS		50
#define POLL_NS		20000000L

static int set(const char *name, const char *attribute, const char *value)
{
	char path[512];
	int fd, error = 0;

	snprintf(path, sizeof(path), NULL_BLK_CONFIG "/%s/%s", name, attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	return error;
}

/* udev or devtmpfs needs a moment. */
static bool wait_for_device(const char *name)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	char path[512];
	struct stat st;
	int polls;

	snprintf(path, sizeof(path), "/dev/%s", name);
	for (polls = 0; polls < POLLS; polls++) {
		if (!stat(path, &st) && S_ISBLK(st.st_mode))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

struct setting {
	const char *attribute;
	uint64_t value;
};

static int set_all(const struct command *cmd, const char *name, const struct setting *settings)
{
	char value[32];
	int error;

	for (; settings->attribute; settings++) {
		snprintf(value, sizeof(value), "%" PRIu64, settings->value);
		error = set(name, settings->attribute, value);
		if (error)
			return fail("%s: null_blk refuses %s %s: %s", cmd->verb->name,
				    settings->attribute, value, strerror(-error));
	}
	return TOOL_OK;
}

static int setup(const struct command *cmd, const char *name, const struct null_blk_size *size)
{
	const struct setting zones[] = {
		{ "zoned", 1 }, { "zone_size", size->zone },
		{ "zone_capacity", size->zone_capacity }, {}
	};
	const struct setting settings[] = {
		{ "memory_backed", 1 }, { "irqmode", 0 }, { "discard", !size->zone },
		{ "hw_queue_depth", 1024 }, { "max_sectors", 2048 }, { "size", size->all },
		{ "power", 1 }, {}
	};
	int code = size->zone ? set_all(cmd, name, zones) : TOOL_OK;

	if (!code)
		code = set_all(cmd, name, settings);
	if (code)
		return code;
	if (!wait_for_device(name))
		return fail("%s: /dev/%s did not appear", cmd->verb->name, name);
	return TOOL_OK;
}

/**
 * null_blk_make() - create a device without latency
 * @cmd: the command line
 * @name: of the device
 * @size: its size; memory is allocated as it is written
 *
 * Return: TOOL_OK; or TOOL_FAILED (reported), with everything made so far removed.
 */
int null_blk_make(const struct command *cmd, const char *name, const struct null_blk_size *size)
{
	char path[512];
	int code;

	if (access(NULL_BLK_CONFIG, F_OK))
		load_module("null_blk", "nr_devices=0");
	snprintf(path, sizeof(path), NULL_BLK_CONFIG "/%s", name);
	if (mkdir(path, 0755)) {
		if (errno == EEXIST)
			return fail("%s: there is a null_blk device %s already: if nothing uses it, 'rmdir %s' removes it",
				    cmd->verb->name, name, path);
		return fail("%s: cannot make the null_blk device %s: %s%s", cmd->verb->name, name,
			    strerror(errno), errno != ENOENT ? "" :
			    ": is configfs mounted on /sys/kernel/config, and module null_blk there?");
	}
	code = setup(cmd, name, size);
	if (code)
		null_blk_remove(name);
	return code;
}

/**
 * null_blk_remove() - remove a device, if there is one
 * @name: of the device
 *
 * Return: 0 or -errno.
 */
int null_blk_remove(const char *name)
{
	char path[512];

	set(name, "power", "0");
	snprintf(path, sizeof(path), NULL_BLK_CONFIG "/%s", name);
	return rmdir(path) && errno != ENOENT ? -errno : 0;
}
