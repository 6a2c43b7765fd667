// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"
#include "memory-file.h"

#define NR_FILES	2
#define FIRST_FD	100000		/* beyond those of the kernel */

static struct memory_file {
	const char *data;
	size_t size;
	size_t at;
	bool is_open;
} files[NR_FILES];

/* Below a file, so that a search beside it ends at once. */
static const char *const names[NR_FILES] = { "/dev/null/0", "/dev/null/1" };

static struct memory_file *of_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_FILES; i++)
		if (!strcmp(name, names[i]))
			return &files[i];
	return NULL;
}

static struct memory_file *of_fd(int fd)
{
	return fd >= FIRST_FD && fd < FIRST_FD + NR_FILES ? &files[fd - FIRST_FD] : NULL;
}

/**
 * memory_file_fill() - give a file its content; it is closed if an earlier input left it open
 * @number: 0 or 1
 * @data: content, which stays the caller's
 * @size: its length
 */
void memory_file_fill(unsigned int number, const void *data, size_t size)
{
	files[number] = (struct memory_file){ .data = data, .size = size };
}

const char *memory_file_name(unsigned int number)
{
	return names[number];
}

/* An input that ends in order leaves no file open. */
void memory_file_check(void)
{
	unsigned int i;

	for (i = 0; i < NR_FILES; i++)
		if (files[i].is_open)
			fuzz_wrong("memory file %u was left open", i);
}

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
int __real_stat(const char *name, struct stat *stat);
int __wrap_stat(const char *name, struct stat *stat);
int __real_fstat(int fd, struct stat *stat);
int __wrap_fstat(int fd, struct stat *stat);
int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_open(const char *name, int flags, ...)
{
	struct memory_file *file = of_name(name);
	va_list args;
	int mode = 0;

	if (file) {
		if (file->is_open)
			fuzz_wrong("%s is opened twice", name);
		file->is_open = true;
		file->at = 0;
		return FIRST_FD + (file - files);
	}
	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, int);
		va_end(args);
	}
	return __real_open(name, flags, mode);
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	struct memory_file *file = of_fd(fd);
	size_t nr;

	if (!file)
		return __real_read(fd, to, size);
	if (!file->is_open)
		fuzz_wrong("a memory file is read after it was closed");
	nr = file->size - file->at < size ? file->size - file->at : size;
	if (nr)
		memcpy(to, file->data + file->at, nr);
	file->at += nr;
	return nr;
}

/* Only asked whether a file can be read again. */
off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	return of_fd(fd) ? (off_t)of_fd(fd)->at : __real_lseek(fd, offset, whence);
}

int __wrap_stat(const char *name, struct stat *stat)
{
	if (!of_name(name))
		return __real_stat(name, stat);
	memset(stat, 0, sizeof(*stat));
	stat->st_mode = S_IFREG;
	return 0;
}

/* Asked whether two descriptors are of the same file. */
int __wrap_fstat(int fd, struct stat *stat)
{
	if (!of_fd(fd))
		return __real_fstat(fd, stat);
	memset(stat, 0, sizeof(*stat));
	stat->st_mode = S_IFREG;
	stat->st_ino = fd;
	return 0;
}

int __wrap_close(int fd)
{
	struct memory_file *file = of_fd(fd);

	if (!file)
		return __real_close(fd);
	if (!file->is_open)
		fuzz_wrong("a memory file is closed twice");
	file->is_open = false;
	return 0;
}
