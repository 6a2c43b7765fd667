// SPDX-License-Identifier: GPL-2.0
/*
 * The device-mapper ioctls, through libdevmapper.
 */
#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "ctl.h"
#include "devmap.h"

/* Locks of names are on bytes of the control node beyond those for the numbers of block devices. */
#define NAME_LOCKS	(1LL << 40)

/* Drop libdevmapper's own messages; the callers' are more specific. */
static void no_log(int level, const char *file, int line, int dm_errno, const char *fmt, ...)
{
	(void)level;
	(void)file;
	(void)line;
	(void)dm_errno;
	(void)fmt;
}

/* Without udevd no cookie is ever answered: let libdevmapper make the nodes. */
static bool udev_answers(void)
{
	return dm_udev_get_sync_support() && !access("/run/udev/control", F_OK);
}

/**
 * devmap_begin() - set up libdevmapper; call once, first
 */
void devmap_begin(void)
{
	dm_log_with_errno_init(no_log);
	dm_set_name_mangling_mode(DM_STRING_MANGLING_NONE);
	if (!udev_answers())
		dm_udev_set_sync_support(0);
}

/**
 * devmap_end() - release libdevmapper; call once, last
 */
void devmap_end(void)
{
	dm_lib_release();
	dm_lib_exit();
}

/**
 * devmap_hold_signals() - let the signals that end the program wait
 * @before: for devmap_release_signals()
 *
 * A stop between two ioctls would leave half a device, or a part of a stack of devices.
 */
void devmap_hold_signals(sigset_t *before)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t signals;
	size_t i;

	sigemptyset(&signals);
	for (i = 0; i < sizeof(stop) / sizeof(stop[0]); i++)
		sigaddset(&signals, stop[i]);
	sigprocmask(SIG_BLOCK, &signals, before);
}

/**
 * devmap_release_signals() - take the signals that have waited
 * @before: from devmap_hold_signals()
 */
void devmap_release_signals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* The lock is on a byte of device-mapper's control node, which only root may open. Nothing is left of the lock if the program ends. */
static int lock_byte(off_t at, int command)
{
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
	char path[512];
	int fd, error;

	snprintf(path, sizeof(path), "%s/control", dm_dir());
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (fcntl(fd, command, &byte)) {
		if (errno == EINTR)
			continue;
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

/**
 * devmap_lock() - wait until no other call of this tool has locked a block device
 * @device: its number
 *
 * Return: a file descriptor, which holds the lock until it is closed; or -errno.
 */
int devmap_lock(dev_t device)
{
	return lock_byte(device, F_OFD_SETLKW);
}

/**
 * devmap_try_lock() - lock a block device unless another call of this tool has locked it
 * @device: its number
 *
 * Return: as devmap_lock(); -EAGAIN if another call holds the lock.
 */
int devmap_try_lock(dev_t device)
{
	return lock_byte(device, F_OFD_SETLK);
}

/**
 * devmap_lock_name() - wait until no other call of this tool has locked a name of a device, which need not be there
 * @name: name
 *
 * A call that locks both a name and a block device locks the name first, so that no two calls wait for each other.
 *
 * Return: as devmap_lock().
 */
int devmap_lock_name(const char *name)
{
	/* FNV-1a. Two names with the same hash wait for each other, which does no harm. */
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return lock_byte(NAME_LOCKS + hash, F_OFD_SETLKW);
}

/* Run a task, wait for udev if @sync, keep the task on success. */
static int run(struct dm_task *task, bool sync)
{
	uint32_t cookie = 0;
	int error = 0;

	if (sync && !dm_task_set_cookie(task, &cookie, 0))
		return -ENOMEM;
	if (!dm_task_run(task)) {
		error = dm_task_get_errno(task);
		error = error ? -error : -EIO;
	}
	if (sync)
		dm_udev_wait(cookie);
	return error;
}

static struct dm_task *new_task(int type, const char *name)
{
	struct dm_task *task = dm_task_create(type);

	if (task && name && !dm_task_set_name(task, name)) {
		dm_task_destroy(task);
		return NULL;
	}
	return task;
}

static int run_simple(int type, const char *name, bool sync)
{
	struct dm_task *task = new_task(type, name);
	int error;

	if (!task)
		return -ENOMEM;
	error = run(task, sync);
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_has_target() - is the target known to the kernel now?
 * @has: the answer
 */
int devmap_has_target(bool *has)
{
	struct dm_task *task = new_task(DM_DEVICE_LIST_VERSIONS, NULL);
	struct dm_versions *at;
	int error;

	*has = false;
	if (!task)
		return -ENOMEM;
	error = run(task, false);
	for (at = error ? NULL : dm_task_get_versions(task); at;
	     at = at->next ? (struct dm_versions *)((char *)at + at->next) : NULL)
		if (!strcmp(at->name, CTL_TARGET))
			*has = true;
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_read_state() - look up a device, which need not exist
 * @name: of the device
 * @state: the answer
 */
int devmap_read_state(const char *name, struct devmap_state *state)
{
	struct dm_task *task = new_task(DM_DEVICE_INFO, name);
	struct dm_info info;
	int error;

	memset(state, 0, sizeof(*state));
	if (!task)
		return -ENOMEM;
	error = run(task, false);
	if (!error && !dm_task_get_info(task, &info))
		error = -EIO;
	dm_task_destroy(task);
	if (error || !info.exists)
		return error == -ENXIO ? 0 : error;
	state->exists = true;
	state->suspended = info.suspended;
	state->live_table = info.live_table;
	state->inactive_table = info.inactive_table;
	state->read_only = info.read_only;
	state->open_count = info.open_count;
	state->device = makedev(info.major, info.minor);
	return 0;
}

/* @uuid may be NULL. */
static int run_table(int type, const char *name, const char *uuid, const char *target,
		     const struct devmap_table *table, bool read_only, bool sync)
{
	struct dm_task *task = new_task(type, name);
	int error = -ENOMEM;

	if (!task)
		return error;
	if ((!read_only || dm_task_set_ro(task)) && (!uuid || dm_task_set_uuid(task, uuid)) &&
	    dm_task_add_target(task, table->start, table->length, target, table->params))
		error = run(task, sync);
	dm_task_destroy(task);
	return error;
}

static int create(const char *name, const char *uuid, const char *target,
		  const struct devmap_table *table, bool read_only)
{
	struct devmap_state state;
	int error = run_table(DM_DEVICE_CREATE, name, uuid, target, table, read_only, true);

	/*
	 * libdevmapper removes the device when the table is refused. If that fails
	 * (udev has it open), a device without a table remains. EBUSY may mean that
	 * another program took the name in between.
	 */
	if (error && error != -EBUSY && !devmap_read_state(name, &state) && state.exists &&
	    !state.live_table && !state.inactive_table)
		devmap_remove(name);
	return error;
}

/**
 * devmap_create() - create a cache and start it
 * @name: of the device, which must not exist
 * @uuid: its UUID, or NULL for none
 * @table: its table
 * @read_only: refuse writes
 *
 * A failure removes everything made so far.
 */
int devmap_create(const char *name, const char *uuid, const struct devmap_table *table,
		  bool read_only)
{
	return create(name, uuid, CTL_TARGET, table, read_only);
}

/**
 * devmap_create_as() - create a device of another target and start it
 * @target: its name
 * @name: of the device, which must not exist
 * @uuid: its UUID
 * @table: its table
 * @read_only: refuse writes
 *
 * A failure removes everything made so far.
 */
int devmap_create_as(const char *target, const char *name, const char *uuid,
		     const struct devmap_table *table, bool read_only)
{
	return create(name, uuid, target, table, read_only);
}

static int read_id(struct dm_task *task, struct devmap_id *id)
{
	struct dm_info info;
	int error = run(task, false);

	if (error)
		return error;
	if (!dm_task_get_info(task, &info) || !info.exists)
		return -ENXIO;
	snprintf(id->name, sizeof(id->name), "%s", dm_task_get_name(task));
	snprintf(id->uuid, sizeof(id->uuid), "%s", dm_task_get_uuid(task));
	return 0;
}

/**
 * devmap_read_id() - read the UUID of a device
 * @name: of the device
 * @id: result
 */
int devmap_read_id(const char *name, struct devmap_id *id)
{
	struct dm_task *task = new_task(DM_DEVICE_INFO, name);
	int error = -ENOMEM;

	if (!task)
		return error;
	error = read_id(task, id);
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_read_id_at() - read the name and the UUID of a device
 * @major: of the block device
 * @minor: of the block device
 * @id: result
 */
int devmap_read_id_at(unsigned int major, unsigned int minor, struct devmap_id *id)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_INFO);
	int error = -ENOMEM;

	if (!task)
		return error;
	if (dm_task_set_major(task, major) && dm_task_set_minor(task, minor))
		error = read_id(task, id);
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_remove() - remove a device; retries for a while if it is busy
 * @name: of the device
 */
int devmap_remove(const char *name)
{
	struct dm_task *task = new_task(DM_DEVICE_REMOVE, name);
	int error = -ENOMEM;

	if (!task)
		return error;
	if (dm_task_retry_remove(task))
		error = run(task, true);
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_read_table() - read the table in use
 * @name: of the device
 * @table: the table
 *
 * Return: 0; -EMEDIUMTYPE if it is not a single ssdcache target; another -errno.
 */
int devmap_read_table(const char *name, struct devmap_table *table)
{
	struct dm_task *task = new_task(DM_DEVICE_TABLE, name);
	char *type = NULL, *params = NULL;
	void *next = NULL;
	int error;

	if (!task)
		return -ENOMEM;
	error = run(task, false);
	if (!error) {
		next = dm_get_next_target(task, NULL, &table->start, &table->length, &type,
					  &params);
		if (next || !type || strcmp(type, CTL_TARGET))
			error = -EMEDIUMTYPE;
		else if ((size_t)snprintf(table->params, sizeof(table->params), "%s", params) >=
			 sizeof(table->params))
			error = -E2BIG;
	}
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_load() - load a table beside the one in use
 * @name: of the device
 * @table: becomes the one in use with the next suspend and resume
 * @read_only: refuse writes
 */
int devmap_load(const char *name, const struct devmap_table *table, bool read_only)
{
	return run_table(DM_DEVICE_RELOAD, name, NULL, CTL_TARGET, table, read_only, false);
}

/**
 * devmap_unload() - drop a loaded table that is not in use
 * @name: of the device
 */
int devmap_unload(const char *name)
{
	return run_simple(DM_DEVICE_CLEAR, name, false);
}

/**
 * devmap_suspend() - wait for the I/O in flight and hold back new I/O
 * @name: of the device
 */
int devmap_suspend(const char *name)
{
	return run_simple(DM_DEVICE_SUSPEND, name, false);
}

/**
 * devmap_resume() - activate the loaded table, if there is one, and let I/O continue
 * @name: of the device
 */
int devmap_resume(const char *name)
{
	return run_simple(DM_DEVICE_RESUME, name, true);
}

/**
 * devmap_message() - send a message to the target
 * @name: of the device
 * @message: words
 */
int devmap_message(const char *name, const char *message)
{
	struct dm_task *task = new_task(DM_DEVICE_TARGET_MSG, name);
	int error = -ENOMEM;

	if (!task)
		return error;
	if (dm_task_set_sector(task, 0) && dm_task_set_message(task, message))
		error = run(task, false);
	dm_task_destroy(task);
	return error;
}

/**
 * devmap_name_ok() - is this a valid device name?
 * @name: the name
 *
 * Only characters that udev and libdevmapper do not escape.
 */
bool devmap_name_ok(const char *name)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "#+-.:=@_";
	size_t len = strlen(name);

	return len && len <= DEVMAP_NAME_LEN && name[0] != '-' && strcmp(name, ".") &&
	       strcmp(name, "..") && strcmp(name, "control") && strspn(name, ok) == len;
}
