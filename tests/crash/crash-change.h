/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Live changes for crash-writer: requests to device-mapper, made by a thread of their own while the writer goes on. One
 * change runs at a time. Lines of the file of changes:
 *
 *	message NAME WORDS	send a message
 *	suspend NAME		suspend and resume
 *	reload NAME TABLE	load another table, suspend and resume
 *	fail NAME DEVICE	replace a linear device on DEVICE by one whose writes fail; later undone
 *	protect NAME		message "set dram_mode protected"; later undone
 */
#ifndef CRASH_CHANGE_H
#define CRASH_CHANGE_H

#include <pthread.h>
#include <time.h>
#include "crash-format.h"

#define MAX_CHANGES 64
#define DM_BUFFER 16384

enum change_kind { MESSAGE, SUSPEND, RELOAD, FAIL, PROTECT, NR_CHANGE_KINDS };

static const char *const change_names[NR_CHANGE_KINDS] = { "message", "suspend", "reload", "fail", "protect" };

struct change {
	enum change_kind kind;
	char name[64];
	char text[512];
	uint64_t sectors;	/* FAIL: size of the device */
};

static struct change changes[MAX_CHANGES];
static unsigned int nr_changes;

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	const struct change *change;	/* what is to be done or being done, or NULL */
	bool undo;
	int error;			/* of the last one */
} changer = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

/* Make a request. @payload: what follows the header. Returns 0 or an errno. */
static int dm_request(unsigned long command, const char *name, uint32_t flags, const void *payload, size_t bytes,
		      uint64_t *sectors)
{
	static int control = -1;
	char buffer[DM_BUFFER] = "";
	struct dm_ioctl *dm = (struct dm_ioctl *)buffer;

	if (control < 0)
		control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		die("/dev/mapper/control: %s", strerror(errno));
	dm->version[0] = DM_VERSION_MAJOR;
	dm->data_size = sizeof(buffer);
	dm->data_start = sizeof(*dm);
	dm->flags = flags;
	dm->target_count = command == DM_TABLE_LOAD;
	snprintf(dm->name, sizeof(dm->name), "%s", name);
	memcpy(buffer + sizeof(*dm), payload, bytes);
	if (ioctl(control, command, dm))
		return errno;
	if (sectors)
		*sectors = ((struct dm_target_spec *)(buffer + sizeof(*dm)))->length;
	return 0;
}

static int dm_message(const char *name, const char *text)
{
	char payload[sizeof(struct dm_target_msg) + sizeof(changes[0].text)] = "";

	snprintf(payload + sizeof(struct dm_target_msg), sizeof(changes[0].text), "%s", text);
	return dm_request(DM_TARGET_MSG, name, 0, payload, sizeof(payload), NULL);
}

/* Load the table "0 SECTORS TARGET PARAMETERS". */
static int dm_load(const char *name, uint64_t sectors, const char *target, const char *parameters)
{
	char payload[sizeof(struct dm_target_spec) + sizeof(changes[0].text)] = "";
	struct dm_target_spec *spec = (struct dm_target_spec *)payload;

	spec->length = sectors;
	snprintf(spec->target_type, sizeof(spec->target_type), "%s", target);
	snprintf(payload + sizeof(*spec), sizeof(changes[0].text), "%s", parameters);
	return dm_request(DM_TABLE_LOAD, name, 0, payload, sizeof(payload), NULL);
}

/* Suspend, wait a little, resume. */
static int dm_cycle(const char *name, uint32_t flags)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int error = dm_request(DM_DEV_SUSPEND, name, DM_SUSPEND_FLAG | flags, "", 0, NULL);

	if (error)
		return error;
	nanosleep(&pause, NULL);
	return dm_request(DM_DEV_SUSPEND, name, 0, "", 0, NULL);
}

static int make_reload(const struct change *change)
{
	char target[17], parameters[512];
	uint64_t sectors;
	int error;

	if (sscanf(change->text, "0 %" SCNu64 " %16s %511[^\n]", &sectors, target, parameters) != 3)
		die("\"%s\" is not a table", change->text);
	error = dm_load(change->name, sectors, target, parameters);
	return error ? error : dm_cycle(change->name, DM_SKIP_LOCKFS_FLAG);
}

static int make_fail(const struct change *change, bool undo)
{
	char parameters[600];
	int error;

	snprintf(parameters, sizeof(parameters), undo ? "%s 0" : "%s 0 0 1 1 error_writes", change->text);
	error = dm_load(change->name, change->sectors, undo ? "linear" : "flakey", parameters);
	return error ? error : dm_cycle(change->name, DM_SKIP_LOCKFS_FLAG | DM_NOFLUSH_FLAG);
}

static int make_change(const struct change *change, bool undo)
{
	switch (change->kind) {
	case MESSAGE:
		return dm_message(change->name, change->text);
	case SUSPEND:
		return dm_cycle(change->name, DM_SKIP_LOCKFS_FLAG);
	case RELOAD:
		return make_reload(change);
	case FAIL:
		return make_fail(change, undo);
	default:
		return dm_message(change->name, undo ? "set dram_mode volatile" : "set dram_mode protected");
	}
}

static void *changer_thread(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&changer.lock);
	for (;;) {
		int error;

		while (!changer.change)
			pthread_cond_wait(&changer.wake, &changer.lock);
		pthread_mutex_unlock(&changer.lock);
		error = make_change(changer.change, changer.undo);
		pthread_mutex_lock(&changer.lock);
		changer.error = error;
		changer.change = NULL;
	}
	return NULL;
}

/* Start a change. None may be running. */
static void change_start(const struct change *change, bool undo)
{
	pthread_mutex_lock(&changer.lock);
	changer.change = change;
	changer.undo = undo;
	pthread_cond_signal(&changer.wake);
	pthread_mutex_unlock(&changer.lock);
}

static bool change_running(void)
{
	bool running;

	pthread_mutex_lock(&changer.lock);
	running = changer.change;
	pthread_mutex_unlock(&changer.lock);
	return running;
}

static void read_changes(const char *file_name)
{
	FILE *file = fopen(file_name, "r");
	char line[700], kind[16];

	if (!file)
		die("%s: %s", file_name, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		struct change *change = &changes[nr_changes];

		if (nr_changes == MAX_CHANGES)
			die("%s: more than %u lines", file_name, MAX_CHANGES);
		if (sscanf(line, "%15s %63s %511[^\n]", kind, change->name, change->text) < 2)
			die("%s: \"%s\" is no change", file_name, line);
		while (change->kind < NR_CHANGE_KINDS && strcmp(kind, change_names[change->kind]))
			change->kind++;
		if (change->kind == NR_CHANGE_KINDS)
			die("%s: \"%s\" is no change", file_name, line);
		if (change->kind == FAIL) {
			struct dm_target_spec none = {};
			int error = dm_request(DM_TABLE_STATUS, change->name, DM_STATUS_TABLE_FLAG, &none, 0,
					       &change->sectors);

			if (error)
				die("%s: %s", change->name, strerror(error));
		}
		nr_changes++;
	}
	fclose(file);
	if (pthread_create(&changer.thread, NULL, changer_thread, NULL))
		die("cannot create a thread");
}

#endif /* CRASH_CHANGE_H */
