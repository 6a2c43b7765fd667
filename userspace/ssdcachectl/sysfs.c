// SPDX-License-Identifier: GPL-2.0
/*
 * Finds and reads ssdcache and ssdflash devices in sysfs, or in a saved copy of it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sysfs.h"

/* All of a file without the newlines at its end; false, with errno, if it cannot be read. */
static bool read_text(const char *path, char *buf, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t len;
	int error;

	buf[0] = '\0';
	if (!file)
		return false;
	errno = 0;
	len = fread(buf, 1, size - 1, file);
	error = ferror(file) ? errno : 0;
	fclose(file);
	while (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	errno = error;
	return !error;
}

/**
 * block_name() - the name of a device-mapper device, the kernel's name of any other
 * @kernel: the kernel's name of a block device
 * @name: result
 * @size: of @name
 */
void block_name(const char *kernel, char *name, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/block/%.255s/dm/name", kernel);
	if (!read_text(path, name, size) || !name[0])
		snprintf(name, size, "%s", kernel);
	make_printable(name);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static const char *root_of(const struct command *cmd)
{
	const char *root = command_option(cmd, "sysfs");

	return root ? root : "/sys";
}

/**
 * sysfs_root_check() - refuse a folder of --sysfs that is not there, which would look like a machine without devices
 * @cmd: may have --sysfs
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int sysfs_root_check(const struct command *cmd)
{
	const char *root = command_option(cmd, "sysfs");
	struct stat st;

	if (!root)
		return TOOL_OK;
	if (stat(root, &st))
		return fail("%s: --sysfs: %s: %s", cmd->verb->name, root, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail("%s: --sysfs: %s: %s", cmd->verb->name, root, strerror(ENOTDIR));
	return TOOL_OK;
}

/**
 * sysfs_devices_check() - refuse a sysfs that cannot be read, which would look like a machine without devices
 * @cmd: may have --sysfs; a saved copy without devices need not have the folder
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int sysfs_devices_check(const struct command *cmd)
{
	DIR *dir;

	if (command_has(cmd, "sysfs"))
		return TOOL_OK;
	dir = opendir("/sys/block");
	if (!dir)
		return fail("%s: cannot read /sys/block: %s%s", cmd->verb->name, strerror(errno),
			    errno == ENOENT ? ": is sysfs mounted on /sys?" : "");
	closedir(dir);
	return TOOL_OK;
}

/**
 * device_target_name() - device-mapper's name of a target
 * @target: DEVICE_CACHE or DEVICE_FLASH
 */
const char *device_target_name(enum device_target target)
{
	return target == DEVICE_FLASH ? "ssdflash" : CTL_TARGET;
}

static void find_target(struct device *dev)
{
	enum device_target target;

	for (target = DEVICE_CACHE; target <= DEVICE_FLASH; target++) {
		snprintf(dev->dir, sizeof(dev->dir), "%s/%s", dev->block,
			 device_target_name(target));
		if (is_folder(dev->dir)) {
			dev->target = target;
			return;
		}
	}
	dev->dir[0] = '\0';
}

/* Fill in a device from the name of its block device; false if device-mapper does not own it. */
static bool device_fill(const char *root, const char *kernel, struct device *dev)
{
	char path[600];

	memset(dev, 0, sizeof(*dev));
	if (strlen(root) + strlen(kernel) + 8 > sizeof(dev->block) ||
	    strlen(kernel) >= sizeof(dev->kernel))
		return false;
	/* Of a saved copy, the folder may have any name. */
	make_printable(strcpy(dev->kernel, kernel));
	snprintf(dev->block, sizeof(dev->block), "%s/block/%s", root, kernel);
	find_target(dev);
	snprintf(path, sizeof(path), "%s/dm/name", dev->block);
	return read_text(path, dev->name, sizeof(dev->name));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct device *)a)->name, ((const struct device *)b)->name);
}

/* Every device of device-mapper, ours or not, sorted by name. */
static size_t list_all(const char *root, struct device **list)
{
	struct device *devices = NULL, *grown;
	struct dirent *entry;
	char path[512];
	size_t nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/block", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		grown = realloc(devices, (nr + 1) * sizeof(*devices));
		if (!grown)
			break;
		devices = grown;
		if (device_fill(root, entry->d_name, &devices[nr]))
			nr++;
	}
	if (dir)
		closedir(dir);
	if (nr)
		qsort(devices, nr, sizeof(*devices), by_name);
	*list = devices;
	return nr;
}

/**
 * device_list() - all ssdcache and ssdflash devices, sorted by name
 * @cmd: may have --sysfs
 * @list: result; the caller frees it
 *
 * Return: how many.
 */
size_t device_list(const struct command *cmd, struct device **list)
{
	size_t nr = list_all(root_of(cmd), list), kept = 0, i;

	for (i = 0; i < nr; i++)
		if ((*list)[i].target != DEVICE_OTHER)
			(*list)[kept++] = (*list)[i];
	return kept;
}

/* The device of that name; @nr if there is none. */
static size_t find_name(const struct device *list, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr && strcmp(list[i].name, name); i++)
		;
	return i;
}

/* The device with that kernel name, dm-N; @nr if there is none. */
static size_t find_kernel(const struct device *list, size_t nr, const char *kernel)
{
	size_t i;

	for (i = 0; i < nr && strcmp(list[i].kernel, kernel); i++)
		;
	return i;
}

/* A path names one device. A plain word such as dm-0 may mean two: the device with that name goes before the one with that kernel name. */
static size_t find_word(const struct device *list, size_t nr, const char *word)
{
	size_t at;

	if (!strncmp(word, "/dev/mapper/", 12))
		return find_name(list, nr, word + 12);
	if (!strncmp(word, "/dev/ssdcache/", 14))
		return find_name(list, nr, word + 14);
	if (!strncmp(word, "/dev/", 5))
		return find_kernel(list, nr, word + 5);
	at = find_name(list, nr, word);
	return at < nr ? at : find_kernel(list, nr, word);
}

/* "no device x: there are a, b" */
static int no_such_device(const struct command *cmd, const char *name)
{
	char names[512] = "";
	struct device *list;
	size_t nr = device_list(cmd, &list), i;
	int at = 0;

	for (i = 0; i < nr && at < (int)sizeof(names); i++)
		at += snprintf(names + at, sizeof(names) - at, "%s%s", i ? ", " : "",
			       list[i].name);
	free(list);
	if (nr)
		return fail("%s: there is no device '%s': there %s %s", cmd->verb->name, name,
			    nr == 1 ? "is" : "are", names);
	return fail("%s: there is no device '%s', nor any other ssdcache or ssdflash device: 'ssdcachectl create' makes one",
		    cmd->verb->name, name);
}

/**
 * device_find() - find the device that the first word of the command names
 * @cmd: its first word is NAME, /dev/mapper/NAME, /dev/ssdcache/NAME, dm-N or /dev/dm-N; may have --sysfs
 * @dev: result; its target is one that the verb accepts
 *
 * Return: TOOL_OK, or TOOL_FAILED when there is none (reported).
 */
int device_find(const struct command *cmd, struct device *dev)
{
	const char *name = cmd->args[0];
	struct device *list;
	size_t nr, i;

	if (sysfs_devices_check(cmd))
		return TOOL_FAILED;
	nr = list_all(root_of(cmd), &list);
	i = find_word(list, nr, name);
	if (i < nr)
		*dev = list[i];
	free(list);
	if (i == nr)
		return no_such_device(cmd, name);
	if (dev->target == DEVICE_OTHER)
		return fail("%s: %s is a device-mapper device but neither an ssdcache nor an ssdflash: 'ssdcachectl list' shows those",
			    cmd->verb->name, dev->name);
	if (dev->target == DEVICE_FLASH && !cmd->verb->flash)
		return fail("%s: %s is an ssdflash: this verb is for an ssdcache only",
			    cmd->verb->name, dev->name);
	return device_schema(dev);
}

/**
 * device_there() - does a device found earlier still exist?
 * @dev: device
 *
 * A device made since the removal may have got the same number, and a table with the same target.
 */
bool device_there(const struct device *dev)
{
	char path[600], name[sizeof(dev->name)];

	snprintf(path, sizeof(path), "%s/dm/name", dev->block);
	return is_folder(dev->dir) && read_text(path, name, sizeof(name)) && !strcmp(name, dev->name);
}

/**
 * device_text() - read an attribute
 * @dev: device
 * @attribute: path in its folder
 * @buf: result, "" on failure
 * @size: of @buf
 *
 * Return: false if it cannot be read.
 */
bool device_text(const struct device *dev, const char *attribute, char *buf, size_t size)
{
	char path[800];

	snprintf(path, sizeof(path), "%s/%s", dev->dir, attribute);
	return read_text(path, buf, size);
}

/**
 * device_files() - names of the attributes in a folder, without its sub-folders
 * @dev: device
 * @folder: path in the device's folder
 * @names: result, sorted, numbers by value; free with free_names()
 *
 * Return: how many.
 */
size_t device_files(const struct device *dev, const char *folder, char ***names)
{
	struct dirent **entries;
	char path[1100];
	struct stat st;
	size_t nr = 0;
	int found, i;

	snprintf(path, sizeof(path), "%s/%s", dev->dir, folder);
	found = scandir(path, &entries, NULL, versionsort);
	if (found < 0)
		found = 0;
	*names = calloc(found + 1, sizeof(**names));
	for (i = 0; i < found; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", dev->dir, folder, entries[i]->d_name);
		if (*names && !stat(path, &st) && S_ISREG(st.st_mode)) {
			(*names)[nr] = strdup(entries[i]->d_name);
			nr += (*names)[nr] != NULL;
		}
		free(entries[i]);
	}
	if (found)
		free(entries);
	return nr;
}

/**
 * free_names() - free what device_files() returned
 * @names: the names
 * @nr: how many
 */
void free_names(char **names, size_t nr)
{
	while (nr)
		free(names[--nr]);
	free(names);
}

/**
 * device_origin() - path of the origin
 * @dev: device
 * @buf: result: "/dev/nullb0", "/dev/mapper/low"; its number if the name is unknown
 * @size: of @buf
 */
void device_origin(const struct device *dev, char *buf, size_t size)
{
	const char *block = strstr(dev->block + strlen(dev->block) - strlen(dev->kernel) - 7,
				   "/block/");
	char number[64], path[700], target[512], name[DEVMAP_NAME_LEN + 1];
	const char *base;
	ssize_t len;

	device_text(dev, "origin", buf, size);
	if (snprintf(number, sizeof(number), "%s", buf) >= (int)sizeof(number) ||
	    strspn(number, "0123456789:") != strlen(number))
		return;
	snprintf(path, sizeof(path), "%.*s/dev/block/%s", (int)(block - dev->block), dev->block,
		 number);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return;
	target[len] = '\0';
	base = strrchr(target, '/');
	strcat(path, "/dm/name");
	if (read_text(path, name, sizeof(name)))
		snprintf(buf, size, "/dev/mapper/%s", name);
	else
		snprintf(buf, size, "/dev/%s", base ? base + 1 : target);
}
