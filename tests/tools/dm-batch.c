// SPDX-License-Identifier: GPL-2.0
/*
 * Makes many device-mapper requests in one process: starting dmsetup for each takes a test guest minutes.
 *
 * Reads lines "VERB NAME WORDS...":
 *
 *	try NAME TABLE		create a device with this table, and remove it again
 *	create NAME TABLE	create a device
 *	prepare NAME TABLE	create a device, but do not resume it
 *	load NAME TABLE		load a table into the inactive slot, and clear the slot again
 *	reload NAME TABLE	load a table into the inactive slot, for the next resume
 *	clear NAME		clear the inactive slot
 *	rename NAME NEW
 *	set-uuid NAME UUID	give a device that has none a UUID
 *	remove NAME
 *	message NAME WORDS
 *	suspend NAME, resume NAME
 *	status NAME, table NAME, ima NAME
 *	write FILE VALUE	write to a file in sysfs
 *	read PATH		read a file, for example in sysfs
 *	io NAME			write and read a few pages of the second MiB, and flush
 *
 * and prints one line for each: "ok" or the name of the error, a tab, and the text asked for or, after an error, the
 * lines of device-mapper in the kernel log. Line ends become "|".
 *
 * "fail VERB NAME ..." repeats the request with its first allocation failing, then its second, and so on (for try, create
 * and load: allocations while the table is loaded). It ends when no allocation is left, or when allocations fail in
 * device-mapper after the target's constructor. Each line starts with "+" if an allocation failed, else with "-". After
 * each, the requests in parentheses are made without an answer: "fail resume c0 (resume c0;remove c0;prepare c0 TABLE)".
 * "fail/N VERB NAME ..." leaves out all but each N-th allocation.
 *
 * "drought VERB NAME ..." does the same, but all later allocations of the request fail, too: with a single failure,
 * kvmalloc() finds its memory by vmalloc(). /sys/kernel/debug/failslab and fail_page_alloc must be set up to fail always
 * (probability 100) for tasks that ask for it (task-filter).
 *
 * "shaky VERB NAME ..." makes the request with the faults set up in these two directories. "fail", "drought" and "shaky"
 * need a kernel with fault injection.
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

/* Faults for the next request: the n-th allocation, all after that, or those that the kernel is set up for. */
static unsigned int nth;
static bool drought;
static bool shaky;
static bool injected;
static int fail_nth, make_it_fail;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int submit(unsigned long command)
{
	return ioctl(control, command, &request);
}

static void put(int fd, unsigned int number)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", number);

	if (pwrite(fd, text, len, 0) != len)
		die("/proc/self/fail-nth or make-it-fail");
}

/* Between these two, this process must not need memory for anything but its request. */
static void start_faults(void)
{
	if (shaky || drought)
		put(make_it_fail, 1);
	if (nth)
		put(fail_nth, nth);
}

static void end_faults(void)
{
	char text[16] = "";
	int error = errno;

	if (shaky || drought)
		put(make_it_fail, 0);
	if (nth) {
		/* The remaining count is 0 if the fault was injected. */
		if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
			die("/proc/self/fail-nth");
		injected = !atoi(text);
		put(fail_nth, 0);
	}
	errno = error;
}

static int submit_with_faults(unsigned long command)
{
	int r;

	start_faults();
	r = submit(command);
	end_faults();
	return r;
}

/* Start a request for @name. */
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
	return submit(command);
}

static int simple_with_faults(const char *name, unsigned long command, uint32_t flags)
{
	prepare(name, flags);
	return submit_with_faults(command);
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
	return submit_with_faults(DM_TABLE_LOAD);
}

static int prepare_device(const char *name, const char *table)
{
	int r = simple(name, DM_DEV_CREATE, 0);

	return r ? r : load(name, table);
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

/* With DM_UUID_FLAG, @new is a UUID. */
static int rename_device(const char *name, const char *new, uint32_t flags)
{
	prepare(name, flags);
	if (strlen(new) >= BUFFER / 2) {
		errno = E2BIG;
		return -1;
	}
	strcpy(data(), new);
	return submit(DM_DEV_RENAME);
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
	r = submit_with_faults(DM_TARGET_MSG);
	if (!r && (request.dm.flags & DM_DATA_OUT_FLAG))
		strcpy(answer, data());
	return r;
}

static int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY), error;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, value, strlen(value));
	error = n < 0 ? errno : EIO;
	close(fd);
	errno = error;
	return n == (ssize_t)strlen(value) ? 0 : -1;
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

/* The whole file. */
static int read_file(const char *path)
{
	ssize_t n = -1;
	size_t used = 0;
	int fd, error;

	start_faults();
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		do {
			n = read(fd, answer + used, sizeof(answer) - 1 - used);
			used += n > 0 ? n : 0;
		} while (n > 0);
		error = errno;
		close(fd);
		errno = error;
	}
	end_faults();
	answer[n < 0 ? 0 : used] = '\0';
	return n < 0 ? -1 : 0;
}

/* Each call uses other pages. */
static int use(const char *name)
{
	static char page[4096] __attribute__((aligned(4096)));
	static unsigned int at;
	unsigned int i;
	char path[160];
	int fd, r = 0, error;

	snprintf(path, sizeof(path), "/dev/mapper/%s", name);
	fd = open(path, O_RDWR | O_DIRECT);
	if (fd < 0)
		return -1;
	for (i = 0; i < 16 && !r; i++, at++) {
		off_t offset = (1 << 20) + at % 256 * sizeof(page);

		if (i % 4)
			r = pread(fd, page, sizeof(page), offset) != sizeof(page);
		else
			r = pwrite(fd, page, sizeof(page), offset) != sizeof(page);
	}
	r = r || fsync(fd);
	error = errno;
	close(fd);
	errno = error;
	return r ? -1 : 0;
}

/* Read the kernel log since the last call; if @wanted, copy the lines of device-mapper to the answer. */
static void read_log(bool wanted)
{
	char record[8192], *text, *end;
	size_t used = 0;
	ssize_t n;

	if (wanted)
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
	if (!strcmp(verb, "prepare"))
		return prepare_device(name, words);
	if (!strcmp(verb, "load"))
		return load_and_clear(name, words);
	if (!strcmp(verb, "reload"))
		return load(name, words);
	if (!strcmp(verb, "read"))
		return read_file(name);
	if (!strcmp(verb, "io"))
		return use(name);
	if (!strcmp(verb, "clear"))
		return simple(name, DM_TABLE_CLEAR, 0);
	if (!strcmp(verb, "rename"))
		return rename_device(name, words, 0);
	if (!strcmp(verb, "set-uuid"))
		return rename_device(name, words, DM_UUID_FLAG);
	if (!strcmp(verb, "remove"))
		return simple(name, DM_DEV_REMOVE, 0);
	if (!strcmp(verb, "message"))
		return message(name, words);
	if (!strcmp(verb, "suspend"))
		return simple_with_faults(name, DM_DEV_SUSPEND, DM_SUSPEND_FLAG);
	if (!strcmp(verb, "resume"))
		return simple_with_faults(name, DM_DEV_SUSPEND, 0);
	if (!strcmp(verb, "status"))
		return status(name, 0);
	if (!strcmp(verb, "table"))
		return status(name, DM_STATUS_TABLE_FLAG);
	if (!strcmp(verb, "write"))
		return write_file(name, words);
	if (!strcmp(verb, "ima"))
		return status(name, DM_IMA_MEASUREMENT_FLAG);
	fprintf(stderr, "dm-batch: no such verb: %s\n", verb);
	exit(2);
}

/* Process "VERB NAME WORDS". With @quiet, print no answer, but exit on an error. */
static void answer_line(const char *line, bool quiet)
{
	char verb[16], name[120];
	int at = 0, r;
	char *c;

	if (sscanf(line, "%15s %119s %n", verb, name, &at) < 2) {
		fprintf(stderr, "dm-batch: not VERB NAME ...: %s\n", line);
		exit(2);
	}
	answer[0] = '\0';
	injected = false;
	r = run(verb, name, line + at);
	if (quiet && r)
		die(line);
	if (quiet)
		return;
	if (nth)
		putchar(injected ? '+' : '-');
	fputs(r ? strerrorname_np(errno) : "ok", stdout);
	if (r)
		read_log(true);
	for (c = answer; *c; c++)
		if (*c == '\n')
			*c = '|';
	printf("\t%s\n", answer);
	fflush(stdout);
	read_log(false);
}

static void fail_each(char *line, unsigned int step)
{
	char *open = strrchr(line, '('), *rest = NULL, *at;
	unsigned int n;
	bool more = true, with_drought;

	if (open && strchr(open, ')')) {
		*strchr(open, ')') = '\0';
		rest = open + 1;
		*open = '\0';
	}
	for (n = 1; more && n < 10000; n += step) {
		nth = n;
		answer_line(line, false);
		nth = 0;
		with_drought = drought;
		drought = false;
		more = injected && !strstr(answer, "unable to allocate mempools");
		for (at = rest; at && *at; at += strcspn(at, ";"), at += *at == ';') {
			char step[1024];

			snprintf(step, sizeof(step), "%.*s", (int)strcspn(at, ";"), at);
			answer_line(step, true);
		}
		drought = with_drought;
	}
	drought = false;
}

int main(void)
{
	static char line[BUFFER];
	unsigned int step;
	int at;

	control = open("/dev/mapper/control", O_RDWR);
	if (control < 0)
		die("/dev/mapper/control");
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		die("/dev/kmsg");
	/* Without fault injection, -1: no line needs them. */
	fail_nth = open("/proc/self/fail-nth", O_RDWR);
	make_it_fail = open("/proc/self/make-it-fail", O_RDWR);
	memset(&request, 0, sizeof(request));	/* avoid page faults later */
	memset(answer, 0, sizeof(answer));

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		shaky = !strncmp(line, "shaky ", 6);
		drought = !strncmp(line, "drought ", 8);
		if (!strncmp(line, "fail ", 5))
			fail_each(line + 5, 1);
		else if (sscanf(line, "fail/%u %n", &step, &at) == 1 && step)
			fail_each(line + at, step);
		else if (drought)
			fail_each(line + 8, 1);
		else
			answer_line(line + (shaky ? 6 : 0), false);
	}
	return 0;
}
