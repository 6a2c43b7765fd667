// SPDX-License-Identifier: GPL-2.0
/*
 * Many device-mapper requests in one process: to start dmsetup for each would take a test guest minutes.
 *
 * Reads lines "VERB NAME WORDS...":
 *
 *	try NAME TABLE		make the device with this table, and remove it again
 *	create NAME TABLE	make it and leave it
 *	load NAME TABLE		load a table into the inactive slot, and clear that again
 *	remove NAME
 *	message NAME WORDS
 *	status NAME, table NAME, ima NAME
 *
 * and answers each with one line: "ok", or the name of the error, then a tab, then what was asked for, or what
 * device-mapper has said in the kernel log, with " | " in place of line ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BUFFER 65536

static int control, kmsg;
static union {
	struct dm_ioctl dm;
	char bytes[BUFFER];
} request;
static char answer[BUFFER];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* A request for @name, without data yet. */
static void prepare(const char *name, uint32_t flags)
{
	memset(&request.dm, 0, sizeof(request.dm));
	request.dm.version[0] = DM_VERSION_MAJOR;
	request.dm.data_size = sizeof(request);
	request.dm.data_start = sizeof(request.dm);
	request.dm.flags = flags;
	strncpy(request.dm.name, name, sizeof(request.dm.name) - 1);
}

static char *data(void)
{
	return request.bytes + request.dm.data_start;
}

static int simple(const char *name, unsigned long command, uint32_t flags)
{
	prepare(name, flags);
	return ioctl(control, command, &request);
}

/* "START LENGTH TARGET PARAMETERS" */
static int load(const char *name, const char *table)
{
	struct dm_target_spec *spec;
	unsigned long long start, length;
	int at = 0;

	prepare(name, 0);
	spec = (struct dm_target_spec *)data();
	memset(spec, 0, sizeof(*spec));
	if (sscanf(table, "%llu %llu %15s %n", &start, &length, spec->target_type, &at) < 3 || !at) {
		errno = EINVAL;
		return -1;
	}
	spec->sector_start = start;
	spec->length = length;
	request.dm.target_count = 1;
	if (strlen(table + at) >= BUFFER - sizeof(request.dm) - sizeof(*spec) - 8) {
		errno = E2BIG;
		return -1;
	}
	strcpy((char *)(spec + 1), table + at);
	return ioctl(control, DM_TABLE_LOAD, &request);
}

static int create(const char *name, const char *table, bool keep)
{
	int r, error;

	r = simple(name, DM_DEV_CREATE, 0);
	if (r)
		return r;
	r = load(name, table);
	if (!r)
		r = simple(name, DM_DEV_SUSPEND, 0);	/* without a flag: resume */
	error = errno;
	if ((r || !keep) && simple(name, DM_DEV_REMOVE, 0))
		die("remove");
	errno = error;
	return r;
}

static int load_and_clear(const char *name, const char *table)
{
	int r = load(name, table), error = errno;

	if (!r && simple(name, DM_TABLE_CLEAR, 0))
		die("clear");
	errno = error;
	return r;
}

static int message(const char *name, const char *words)
{
	struct dm_target_msg *msg;
	int r;

	prepare(name, 0);
	msg = (struct dm_target_msg *)data();
	msg->sector = 0;
	if (strlen(words) >= BUFFER / 2) {
		errno = E2BIG;
		return -1;
	}
	strcpy(msg->message, words);
	r = ioctl(control, DM_TARGET_MSG, &request);
	if (!r && (request.dm.flags & DM_DATA_OUT_FLAG))
		strcpy(answer, data());
	return r;
}

static int status(const char *name, uint32_t flags)
{
	int r = simple(name, DM_TABLE_STATUS, flags | DM_NOFLUSH_FLAG);
	struct dm_target_spec *spec = (struct dm_target_spec *)data();

	if (r)
		return r;
	if (request.dm.target_count != 1) {
		errno = ENODATA;
		return -1;
	}
	snprintf(answer, sizeof(answer), "%llu %llu %s %s", (unsigned long long)spec->sector_start,
		 (unsigned long long)spec->length, spec->target_type, (char *)(spec + 1));
	return 0;
}

/* What device-mapper has logged since the last call. */
static void read_log(bool wanted)
{
	char record[8192], *text, *end;
	size_t used = 0;
	ssize_t n;

	answer[0] = '\0';
	for (;;) {
		n = read(kmsg, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n < 0)
			return;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!wanted || !text || !strstr(text, "device-mapper"))
			continue;
		end = strchr(text, '\n');
		if (end)
			*end = '\0';
		used += snprintf(answer + used, sizeof(answer) - used, "%s%s", used ? " | " : "", text + 1);
		if (used >= sizeof(answer))
			return;
	}
}

static int run(const char *verb, const char *name, const char *words)
{
	if (!strcmp(verb, "try"))
		return create(name, words, false);
	if (!strcmp(verb, "create"))
		return create(name, words, true);
	if (!strcmp(verb, "load"))
		return load_and_clear(name, words);
	if (!strcmp(verb, "remove"))
		return simple(name, DM_DEV_REMOVE, 0);
	if (!strcmp(verb, "message"))
		return message(name, words);
	if (!strcmp(verb, "status"))
		return status(name, 0);
	if (!strcmp(verb, "table"))
		return status(name, DM_STATUS_TABLE_FLAG);
	if (!strcmp(verb, "ima"))
		return status(name, DM_IMA_MEASUREMENT_FLAG);
	fprintf(stderr, "dm-batch: no such verb: %s\n", verb);
	exit(2);
}

int main(void)
{
	static char line[BUFFER], verb[16], name[64];
	char *c;
	int at;

	control = open("/dev/mapper/control", O_RDWR);
	if (control < 0)
		die("/dev/mapper/control");
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		die("/dev/kmsg");

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%15s %63s %n", verb, name, &at) < 2) {
			fprintf(stderr, "dm-batch: not VERB NAME ...: %s\n", line);
			return 2;
		}
		answer[0] = '\0';
		if (!run(verb, name, line + at)) {
			fputs("ok", stdout);
		} else {
			fputs(strerrorname_np(errno), stdout);
			read_log(true);
		}
		for (c = answer; *c; c++)
			if (*c == '\n')
				*c = '|';
		printf("\t%s\n", answer);
		fflush(stdout);
		read_log(false);
	}
	return 0;
}
