// SPDX-License-Identifier: GPL-2.0
/*
 * What prevents the removal of a device: mounts, swap, devices stacked on it, processes that have it open.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "sysfs.h"

/* A message with more would be hard to read. */
#define MAX_NAMED 8

/*
 * @number: "MAJOR:MINOR" of the device
 * @text: what was found so far
 * @nr: how much was found; @text names MAX_NAMED at most
 */
struct holders {
	char number[32];
	FILE *text;
	unsigned int nr;
};

/* Mount namespaces that were looked at. */
struct spaces {
	uint64_t *inodes;
	size_t nr;
};

static void add(struct holders *holders, const char *what, const char *name, const char *where)
{
	if (holders->nr++ < MAX_NAMED)
		fprintf(holders->text, "%s%s %s%s", holders->nr > 1 ? ", " : "", what, name, where);
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

/*
 * Is a file a node of the device, whatever its name? Containers have names of their own.
 * @path: of a file that /proc shows as @shown; other folders than /dev are left alone, as a network may have to answer for them
 */
static bool is_node(const char *path, const char *shown, const char *number)
{
	char of[32];
	struct stat st;

	if (strncmp(shown, "/dev/", 5) || stat(path, &st) || !S_ISBLK(st.st_mode))
		return false;
	snprintf(of, sizeof(of), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return !strcmp(of, number);
}

/* @of: "self" or the number of a process; @where: how the text goes on. Return: whether its mounts have the device */
static bool add_mounts(struct holders *holders, const char *of, const char *where)
{
	char path[300], number[32], on[4096], source[4096];
	char *line = NULL, *rest;
	bool found = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", of);
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		rest = strstr(line, " - ");
		if (!rest || sscanf(line, "%*d %*d %31s %*s %4095s", number, on) != 2 ||
		    sscanf(rest, " - %*s %4095s", source) != 1)
			continue;
		unescape(on);
		unescape(source);
		/* Btrfs has a device number of its own: only the source names the device. */
		if (strcmp(number, holders->number) && !is_node(source, source, holders->number))
			continue;
		add(holders, "mounted on", on, where);
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

static void add_swap(struct holders *holders)
{
	FILE *file = fopen("/proc/swaps", "re");
	char path[4096];
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0) {
		if (sscanf(line, "%4095s", path) != 1)
			continue;
		unescape(path);
		if (is_node(path, path, holders->number))
			add(holders, "swap on", path, "");
	}
	free(line);
	if (file)
		fclose(file);
}

static void add_stacked(struct holders *holders, const struct device *dev)
{
	char path[600], name[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/holders", dev->block);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		block_name(entry->d_name, name, sizeof(name));
		add(holders, "under", name, "");
	}
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

static bool has_open(const char *process, const char *number)
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
		found = is_node(path, file, number);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Is the mount namespace of a process a new one? There may be a thousand processes for each. */
static bool is_new_space(const char *process, struct spaces *spaces)
{
	uint64_t *inodes;
	char path[300];
	struct stat st;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &st))
		return false;
	for (i = 0; i < spaces->nr; i++)
		if (spaces->inodes[i] == st.st_ino)
			return false;
	inodes = realloc(spaces->inodes, (spaces->nr + 1) * sizeof(*inodes));
	if (inodes) {
		spaces->inodes = inodes;
		inodes[spaces->nr++] = st.st_ino;
	}
	return true;
}

/* Processes that have it open; if no mount was found, those whose mounts have it: containers and services see others. */
static void add_processes(struct holders *holders, bool mounted)
{
	struct spaces spaces = {};
	char name[400], where[500];
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		describe(entry->d_name, name, sizeof(name));
		/* This process has only what its parent has left open. */
		if (strtol(entry->d_name, NULL, 10) != getpid() && has_open(entry->d_name, holders->number))
			add(holders, "open in", name, "");
		snprintf(where, sizeof(where), " as %s sees it", name);
		if (!mounted && is_new_space(entry->d_name, &spaces))
			mounted = add_mounts(holders, entry->d_name, where);
	}
	free(spaces.inodes);
	if (dir)
		closedir(dir);
}

/**
 * device_holders() - list what visibly keeps a device open
 * @dev: device
 *
 * Return: "mounted on /mnt, under other, open in fio (process 1234)", "" if nothing was found, to be freed; NULL: no memory.
 */
char *device_holders(const struct device *dev)
{
	struct holders holders = {};
	char *text = NULL;
	bool mounted;
	size_t size;

	holders.text = open_memstream(&text, &size);
	if (!holders.text)
		return NULL;
	device_text(dev, "../dev", holders.number, sizeof(holders.number));
	mounted = add_mounts(&holders, "self", "");
	add_swap(&holders);
	add_stacked(&holders, dev);
	add_processes(&holders, mounted);
	if (holders.nr > MAX_NAMED)
		fprintf(holders.text, ", and %u more", holders.nr - MAX_NAMED);
	if (fclose(holders.text)) {
		free(text);
		return NULL;
	}
	return text;
}
