// SPDX-License-Identifier: GPL-2.0
/*
 * Why the kernel refused a table: device-mapper reports it in the kernel log only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kernel.h"
#include "table.h"

/**
 * kernel_log_mark() - remember the end of the kernel log
 *
 * Return: for kernel_log_reason(); -1 if the log cannot be read.
 */
int kernel_log_mark(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* How specific a line of the log is, for a target such as ssdcache. */
enum rank {
	RANK_NOTHING,
	RANK_CORE,		/* "device-mapper: table: …": device-mapper's own words */
	RANK_TARGET,		/* "device-mapper: ssdcache: …": the target's, of anything */
	RANK_REFUSED,		/* "device-mapper: table: 253:0: ssdcache: …": of a new table */
};

static enum rank rank_of(const char *line, const char *target, const char **words)
{
	static const char core[] = "device-mapper: ";
	const char *at = strstr(line, core), *found;
	char prefix[32];

	if (!at)
		return RANK_NOTHING;
	at += strlen(core);
	snprintf(prefix, sizeof(prefix), "%s: ", target);
	found = strstr(at, prefix);
	*words = found ? found + strlen(prefix) : at;
	if (found)
		return found == at ? RANK_TARGET : RANK_REFUSED;
	return strncmp(at, "table: ", 7) ? RANK_NOTHING : RANK_CORE;
}

/* Newer kernels add the error's number to the target's words: " (-EINVAL)". */
static void strip_number(char *text)
{
	char *at = strrchr(text, ' ');

	if (at && !strncmp(at, " (-", 3))
		*at = '\0';
}

/**
 * kernel_log_reason() - the line that device-mapper logged since the mark
 * @mark: from kernel_log_mark(); closed
 * @target: whose table was refused
 * @buf: result, "" if there is none
 * @size: of @buf
 */
void kernel_log_reason(int mark, const char *target, char *buf, size_t size)
{
	char record[8192];
	enum rank best = RANK_NOTHING;

	buf[0] = '\0';
	while (mark >= 0) {
		ssize_t len = read(mark, record, sizeof(record) - 1);
		const char *words;
		char *line, *end;
		enum rank r;

		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (len <= 0)
			break;
		/* "priority,number,time,flags;text\n KEY=value\n" */
		record[len] = '\0';
		line = strchr(record, ';');
		if (!line)
			continue;
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		r = rank_of(line + 1, target, &words);
		if (r != RANK_NOTHING && r >= best) {
			snprintf(buf, size, "%s", words);
			if (r == RANK_REFUSED)
				strip_number(buf);
			best = r;
		}
	}
	if (mark >= 0)
		close(mark);
}

/**
 * kernel_refused() - report that the kernel refused the table of a new device
 * @cmd: the command line
 * @name: of the device
 * @target: of its table
 * @origin: of its table
 * @error: -errno
 * @mark: from kernel_log_mark(); closed
 *
 * Return: TOOL_FAILED.
 */
int kernel_refused(const struct command *cmd, const char *name, const char *target, const char *origin, int error, int mark)
{
	char reason[1024];

	kernel_log_reason(mark, target, reason, sizeof(reason));
	if (!reason[0])
		return fail("%s: the kernel refused %s: %s ('dmesg' may say why)", cmd->verb->name, name, strerror(-error));
	return fail("%s: the kernel refused %s: %s%s", cmd->verb->name, name, reason,
		    strstr(reason, origin) && origin_in_use(origin) ? ": it is in use" : "");
}
