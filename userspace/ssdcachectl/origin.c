// SPDX-License-Identifier: GPL-2.0
/*
 * The origin: the block device under a cache.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "sysfs.h"
#include "table.h"

/**
 * origin_size() - size of a block device
 * @cmd: the command line
 * @origin: path
 * @bytes: result
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int origin_size(const struct command *cmd, const char *origin, uint64_t *bytes)
{
	struct stat st;
	int fd = open(origin, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t size = 0;
	int code = TOOL_OK;

	if (fd < 0)
		return fail("%s: cannot open the origin %s: %s%s", cmd->verb->name, origin,
			    strerror(errno), errno == EACCES ? ": run it with sudo" : "");
	if (fstat(fd, &st) || !S_ISBLK(st.st_mode))
		code = fail("%s: the origin %s is not a block device%s", cmd->verb->name, origin,
			    S_ISREG(st.st_mode) ? ": 'losetup -f --show FILE' makes one of a file" : "");
	else if (ioctl(fd, BLKGETSIZE64, &size))
		code = fail("%s: cannot get the size of %s: %s", cmd->verb->name, origin,
			    strerror(errno));
	close(fd);
	*bytes = size;
	return code;
}

/**
 * origin_not_shared() - refuse a second cache over the same origin
 * @cmd: the command line
 * @origin: path
 *
 * device-mapper would allow it, and the caches would overwrite each other's data.
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int origin_not_shared(const struct command *cmd, const char *origin)
{
	char mine[64], other[64];
	struct device *list;
	struct stat st;
	size_t nr, i;
	int code = TOOL_OK;

	if (stat(origin, &st))
		return fail("%s: the origin %s: %s", cmd->verb->name, origin, strerror(errno));
	snprintf(mine, sizeof(mine), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	nr = device_list(cmd, &list);
	for (i = 0; !code && i < nr; i++)
		if (device_text(&list[i], "origin", other, sizeof(other)) && !strcmp(mine, other))
			code = fail("%s: the origin %s is already in use by %s", cmd->verb->name,
				    origin, list[i].name);
	free(list);
	return code;
}

/**
 * origin_in_use() - is a block device open exclusively?
 * @origin: path
 */
bool origin_in_use(const char *origin)
{
	int fd = open(origin, O_RDONLY | O_CLOEXEC | O_EXCL);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EBUSY;
}
