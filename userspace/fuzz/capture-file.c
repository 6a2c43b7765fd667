// SPDX-License-Identifier: GPL-2.0
/*
 * The file that "traces" writes a capture to: one in memory, which is written where it is; standard output; or one
 * in a folder, by a new file that replaces it.
 *
 * If the input ends before the capture does, the new file is gone, and an old one is as it was.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "capture-file.h"
#include "fuzz.h"

#define OUT		2
#define OLD_TEXT	"an old file\n"
#define SHARED_MEMORY	"/dev/shm"

enum {
	IN_MEMORY, PLAIN, GZIP, ZSTANDARD, XZ, BZIP2, REFUSED, OUTPUT,
};

static char folder[64];
static char path[128];
static unsigned int kind;
static bool has_old;		/* a file is replaced */
static bool is_written;		/* a capture is begun and has not ended */
static void (*at_exit)(void);

/* ---- what the program does when it ends; exit() only ends the input ---- */

int __real_atexit(void (*function)(void));
int __wrap_atexit(void (*function)(void));

int __wrap_atexit(void (*function)(void))
{
	/* Of the sanitizers. */
	if (!is_written)
		return __real_atexit(function);
	at_exit = function;
	return 0;
}

/* ---- the folder ---- */

static void remove_files(void)
{
	char name[sizeof(folder) + 256];
	DIR *files = opendir(folder);
	struct dirent *entry;

	while (files && (entry = readdir(files))) {
		snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
			unlink(name);
	}
	if (files)
		closedir(files);
}

static void remove_folder(void)
{
	remove_files();
	rmdir(folder);
}

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "%s/ssdcache-fuzz-XXXXXX", access(SHARED_MEMORY, W_OK) ? "/tmp" : SHARED_MEMORY);
	if (!mkdtemp(folder) || __real_atexit(remove_folder))
		abort();
}

static void write_old(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, OLD_TEXT, strlen(OLD_TEXT)) < 0 || close(fd))
		abort();
}

/* Does the file have the old text? */
static bool is_old(void)
{
	char text[sizeof(OLD_TEXT) + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t nr = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return nr == strlen(OLD_TEXT) && !strcmp(text, OLD_TEXT);
}

static unsigned int count_files(void)
{
	DIR *files = opendir(folder);
	unsigned int nr = 0;

	while (readdir(files))
		nr++;
	closedir(files);
	return nr - 2;		/* "." and ".." */
}

/* ---- a capture ---- */

/**
 * capture_file_begin() - a capture will be written
 * @how: 0 in memory, 1 plain, 2 to 5 compressed, 6 a compression that is refused, 7 standard output
 * @replaces: there is a file
 * @suffix: which refused one
 *
 * Return: the name of the file.
 */
const char *capture_file_begin(unsigned int how, bool replaces, unsigned int suffix)
{
	static const char *const suffixes[] = { ".zip", ".7z", ".TAR", ".tgz", ".rar", ".lz4", ".lzma", ".Z" };
	static const char *const names[] = {
		[PLAIN] = "/out", [GZIP] = "/out.gz", [ZSTANDARD] = "/out.ZST", [XZ] = "/out.xz", [BZIP2] = "/out.bz2",
		[REFUSED] = "/out",
	};

	kind = how % (OUTPUT + 1);
	has_old = false;
	is_written = true;
	if (kind == IN_MEMORY) {
		fuzz_file_fill(OUT, "", 0);
		return fuzz_file_name(OUT);
	}
	if (kind == OUTPUT)
		return "-";
	if (!folder[0])
		make_folder();
	remove_files();
	snprintf(path, sizeof(path), "%s%s%s", folder, names[kind],
		 kind == REFUSED ? suffixes[suffix % (sizeof(suffixes) / sizeof(suffixes[0]))] : "");
	has_old = replaces;
	if (has_old)
		write_old();
	return path;
}

/**
 * capture_file_end() - the capture has been written
 *
 * Return: the name of a file that has it.
 */
const char *capture_file_end(void)
{
	is_written = false;
	switch (kind) {
	case OUTPUT:
		fuzz_file_fill(OUT, fuzz_output(), fuzz_output_bytes());
		/* fall through */
	case IN_MEMORY:
		return fuzz_file_name(OUT);
	case REFUSED:
		fuzz_wrong("%s is written", path);
	}
	if (count_files() != 1)
		fuzz_wrong("%u files in place of a capture", count_files());
	return path;
}

bool capture_file_is_compressed(void)
{
	return kind >= GZIP && kind <= BZIP2;
}

/**
 * capture_file_cut() - cut off the end of the capture
 * @where: up to 127: in 128ths of the length; above that: 128 less than the number of bytes that are missing, less one
 */
void capture_file_cut(unsigned int where)
{
	const char *name = capture_file_end();
	struct stat file;
	off_t missing = where - 127;

	if (stat(name, &file))
		abort();
	if (truncate(name, where < 128 ? where * file.st_size / 128 : missing < file.st_size ? file.st_size - missing : 0))
		abort();
}

/* The input has ended, perhaps while a capture was written. */
void capture_file_after(void)
{
	if (!is_written)
		return;
	is_written = false;
	if (at_exit)
		at_exit();
	if (kind == IN_MEMORY || kind == OUTPUT)
		return;
	if (count_files() != has_old)
		fuzz_wrong("an unfinished capture is left");
	if (has_old && !is_old())
		fuzz_wrong("an unfinished capture has changed the file");
}
