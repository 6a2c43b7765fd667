// SPDX-License-Identifier: GPL-2.0
/*
 * Stands for sysfs: the directories of auto-sysfs.c, and what the driver prints into their files.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "../../dm-ssdcache/driver/ssdcache/cache.h"
#include "fuzz.h"
#include "sysfs-files.h"

static struct dir {
	const char *name;
	const struct dms_dir_type *type;
	unsigned int nr_files;
} dirs[] = { { .name = "auto" }, { .name = "shadow" } };

static struct dir *find_dir(const char *name)
{
	return strcmp(name, dirs[0].name) ? &dirs[1] : &dirs[0];
}

struct dms_dir *dms_dir_find(struct dms_dir *parent, const char *name)
{
	(void)name;
	return parent;
}

int dms_dir_renew(struct dms_dir *parent, const char *name, const struct dms_dir_type *type, const void *shows,
		  unsigned int nr_files)
{
	struct dir *dir = find_dir(name);

	(void)parent;
	(void)shows;
	dir->type = type;
	dir->nr_files = nr_files;
	return 0;
}

void dms_dir_drop(struct dms_dir *parent, const char *name)
{
	(void)parent;
	find_dir(name)->nr_files = 0;
}

static int emit(char *page, int at, const char *format, va_list args)
{
	if (at < 0 || at >= PAGE_SIZE)
		fuzz_wrong("text at %d of a page", at);
	return vscnprintf(page + at, PAGE_SIZE - at, format, args);
}

int sysfs_emit(char *page, const char *format, ...)
{
	va_list args;
	int nr;

	va_start(args, format);
	nr = emit(page, 0, format, args);
	va_end(args);
	return nr;
}

int sysfs_emit_at(char *page, int at, const char *format, ...)
{
	va_list args;
	int nr;

	va_start(args, format);
	nr = emit(page, at, format, args);
	va_end(args);
	return nr;
}

static void read_file(struct dms_sysfs *sysfs, const struct dir *dir, unsigned int index)
{
	char *page = xcalloc(1, PAGE_SIZE);
	struct attribute attr = {};
	ssize_t nr = dir->type->show(sysfs, NULL, index, page);

	dir->type->describe(NULL, index, &attr);
	if (!attr.name || nr < 0 || nr != (ssize_t)strlen(page))
		fuzz_wrong("file %u of %s is not read: %zd", index, dir->name, nr);
	free(page);
}

void sysfs_files_read(struct dms_sysfs *sysfs)
{
	unsigned int i, index;

	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		for (index = 0; index < dirs[i].nr_files; index++)
			read_file(sysfs, &dirs[i], index);
}
