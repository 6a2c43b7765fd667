// SPDX-License-Identifier: GPL-2.0
/*
 * What prevents the removal of a device: mounts, swap, devices stacked on it.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sysfs.h"

struct text {
	char *buf;
	size_t size;
	size_t at;
};

static void add(struct text *text, const char *what, const char *name)
{
	if (text->at < text->size)
		text->at += snprintf(text->buf + text->at, text->size - text->at, "%s%s %s",
				     text->at ? ", " : "", what, name);
}

static void add_mounts(struct text *text, const char *devnum)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char number[32], where[512];
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		if (sscanf(line, "%*d %*d %31s %*s %511s", number, where) == 2 &&
		    !strcmp(number, devnum))
			add(text, "mounted on", where);
	free(line);
	if (file)
		fclose(file);
}

static void add_swap(struct text *text, const struct device *dev)
{
	FILE *file = fopen("/proc/swaps", "re");
	char path[512], kernel[64], mapper[160];
	char *line = NULL;
	size_t size = 0;

	snprintf(kernel, sizeof(kernel), "/dev/%s", dev->kernel);
	snprintf(mapper, sizeof(mapper), "/dev/mapper/%s", dev->name);
	while (file && getline(&line, &size, file) > 0)
		if (sscanf(line, "%511s", path) == 1 &&
		    (!strcmp(path, kernel) || !strcmp(path, mapper)))
			add(text, "swap on", path);
	free(line);
	if (file)
		fclose(file);
}

static void add_stacked(struct text *text, const struct device *dev)
{
	struct dirent *entry;
	char path[600];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/holders", dev->block);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add(text, "under", entry->d_name);
	if (dir)
		closedir(dir);
}

/**
 * device_holders() - list what visibly keeps a device open
 * @dev: device
 * @buf: result: "mounted on /mnt, under dm-3", "" if nothing was found
 * @size: of @buf
 */
void device_holders(const struct device *dev, char *buf, size_t size)
{
	struct text text = { .buf = buf, .size = size };
	char devnum[32] = "";

	buf[0] = '\0';
	if (device_text(dev, "../dev", devnum, sizeof(devnum)))
		add_mounts(&text, devnum);
	add_swap(&text, dev);
	add_stacked(&text, dev);
}
