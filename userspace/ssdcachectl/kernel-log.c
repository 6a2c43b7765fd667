// SPDX-License-Identifier: GPL-2.0
/*
 * Why the kernel refused a table: device-mapper tells it in the kernel log only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kernel.h"

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

/*
 * How much a line says: first what a refused table is told, "table: 253:0:
 * ssdcache: words (-EINVAL)", then the target's other words, then device-mapper's.
 */
static int rank(const char *line, const char **words)
{
	static const char core[] = "device-mapper: ";
	const char *at = strstr(line, core);
	const char *target;

	if (!at)
		return 0;
	at += strlen(core);
	target = strstr(at, CTL_TARGET ": ");
	if (target) {
		*words = target + strlen(CTL_TARGET ": ");
		return target == at ? 2 : 3;
	}
	*words = at;
	return !strncmp(at, "table: ", 7) ? 1 : 0;
}

/**
 * kernel_log_reason() - the line that device-mapper logged since the mark
 * @mark: from kernel_log_mark(); closed
 * @buf: result, "" if there is none
 * @size: of @buf
 */
void kernel_log_reason(int mark, char *buf, size_t size)
{
	char record[8192];
	int best = 0;

	buf[0] = '\0';
	while (mark >= 0) {
		ssize_t len = read(mark, record, sizeof(record) - 1);
		const char *words;
		char *line, *end;
		int r;

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
		r = rank(line + 1, &words);
		if (r && r >= best) {
			snprintf(buf, size, "%s", words);
			best = r;
		}
	}
	if (mark >= 0)
		close(mark);
}
