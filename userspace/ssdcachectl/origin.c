// SPDX-License-Identifier: GPL-2.0
/*
 * The origin: the block device under a cache.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* What is stacked on a block device, "" if nothing is. Returns TOOL_OK or TOOL_FAILED (reported). */
static int find_holder(const struct command *cmd, dev_t device, char *name, size_t size)
{
	struct dirent *entry;
	char path[128];
	DIR *dir;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(device), minor(device));
	dir = opendir(path);
	if (!dir)
		return fail("%s: cannot tell what uses the origin: %s: %s", cmd->verb->name, path, strerror(errno));
	while (!name[0] && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			block_name(entry->d_name, name, size);
	closedir(dir);
	return TOOL_OK;
}

/**
 * origin_claim() - refuse an origin that another device is stacked on: a cache, a logical volume, a RAID
 * @cmd: the command line
 * @origin: path
 * @lock: result, if the origin is free: to be closed when the new device is there
 *
 * device-mapper lets any number of its devices share an origin. A cache and another device would overwrite each other's data.
 * The lock keeps a second call from finding the origin free, too.
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int origin_claim(const struct command *cmd, const char *origin, int *lock)
{
	char holder[256];
	struct stat st;
	int code;

	if (stat(origin, &st))
		return fail("%s: the origin %s: %s", cmd->verb->name, origin, strerror(errno));
	*lock = devmap_lock(st.st_rdev);
	if (*lock < 0)
		return fail("%s: cannot lock the origin %s: %s", cmd->verb->name, origin, strerror(-*lock));
	code = find_holder(cmd, st.st_rdev, holder, sizeof(holder));
	if (!code && !holder[0])
		return TOOL_OK;
	close(*lock);
	return code ? code : fail("%s: the origin %s is already in use by %s", cmd->verb->name, origin, holder);
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
