// SPDX-License-Identifier: GPL-2.0
/*
 * What prevents the removal of a device: mounts, swap, devices stacked on it, processes that have it open.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "sysfs.h"

struct text {
	char *buf;
	size_t size;
	size_t at;
};

/*
 * @number: "MAJOR:MINOR"
 * @kernel, @mapper: the paths of its nodes
 */
struct names {
	char number[32];
	char kernel[64];
	char mapper[160];
};

static void add(struct text *text, const char *what, const char *name)
{
	if (text->at < text->size)
		text->at += snprintf(text->buf + text->at, text->size - text->at, "%s%s %s",
				     text->at ? ", " : "", what, name);
}

/* Blanks and backslashes of paths in /proc are in octal: \040. */
static void unescape(char *path)
{
	unsigned int code;
	char *to = path;
	int len;

	for (; *path; path++)
		if (sscanf(path, "\\%3o%n", &code, &len) == 1) {
			*to++ = code;
			path += len - 1;
		} else {
			*to++ = *path;
		}
	*to = '\0';
}

/* Btrfs has a device number of its own: only the source names the device. */
static bool is_source(const char *source, const char *number)
{
	char of[32];
	struct stat st;

	if (source[0] != '/' || stat(source, &st) || !S_ISBLK(st.st_mode))
		return false;
	snprintf(of, sizeof(of), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return !strcmp(of, number);
}

/* @of: "self" or the number of a process; @where: how the text goes on. Return: whether its mounts have the device */
static bool add_mounts(struct text *text, const struct names *names, const char *of, const char *where)
{
	char path[300], number[32], on[512], source[512], mounted[800];
	char *line = NULL, *rest;
	bool found = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", of);
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		rest = strstr(line, " - ");
		if (!rest || sscanf(line, "%*d %*d %31s %*s %511s", number, on) != 2 ||
		    sscanf(rest, " - %*s %511s", source) != 1)
			continue;
		unescape(on);
		unescape(source);
		if (strcmp(number, names->number) && !is_source(source, names->number))
			continue;
		snprintf(mounted, sizeof(mounted), "%s%s", on, where);
		add(text, "mounted on", mounted);
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

static void add_swap(struct text *text, const struct names *names)
{
	FILE *file = fopen("/proc/swaps", "re");
	char path[512];
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		if (sscanf(line, "%511s", path) == 1 && (!strcmp(path, names->kernel) || !strcmp(path, names->mapper)))
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

/* @process: of this number; @described: result: "fio (process 1234)" */
static void describe(const char *process, char *described, size_t size)
{
	char path[300], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", process);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
	}
	name[strcspn(name, "\n")] = '\0';
	snprintf(described, size, "%s%s(process %s)", name, name[0] ? " " : "", process);
}

static bool has_open(const char *process, const struct names *names)
{
	char path[600], file[300];
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", process);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", process, entry->d_name);
		len = readlink(path, file, sizeof(file) - 1);
		if (len <= 0)
			continue;
		file[len] = '\0';
		found = !strcmp(file, names->kernel) || !strcmp(file, names->mapper);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Processes that have it open; if no mount was found, those whose mounts have it: containers and services see others. */
static void add_processes(struct text *text, const struct names *names, bool mounted)
{
	char name[400], where[500];
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		describe(entry->d_name, name, sizeof(name));
		/* This process has only what its parent has left open. */
		if (strtol(entry->d_name, NULL, 10) != getpid() && has_open(entry->d_name, names))
			add(text, "open in", name);
		snprintf(where, sizeof(where), " as %s sees it", name);
		mounted = mounted || add_mounts(text, names, entry->d_name, where);
	}
	if (dir)
		closedir(dir);
}

/**
 * device_holders() - list what visibly keeps a device open
 * @dev: device
 * @buf: result: "mounted on /mnt, under dm-3, open in fio (process 1234)", "" if nothing was found
 * @size: of @buf
 */
void device_holders(const struct device *dev, char *buf, size_t size)
{
	struct text text = { .buf = buf, .size = size };
	struct names names = {};
	bool mounted;

	buf[0] = '\0';
	device_text(dev, "../dev", names.number, sizeof(names.number));
	snprintf(names.kernel, sizeof(names.kernel), "/dev/%s", dev->kernel);
	snprintf(names.mapper, sizeof(names.mapper), "/dev/mapper/%s", dev->name);
	mounted = add_mounts(&text, &names, "self", "");
	add_swap(&text, &names);
	add_stacked(&text, dev);
	add_processes(&text, &names, mounted);
}
