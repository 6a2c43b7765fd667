// SPDX-License-Identifier: GPL-2.0
/*
 * The device of a replay, or a file in place of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include "replay.h"

#define MAX_REQUEST_SECTORS	(64u << 11)
#define FILE_BLOCK_BYTES	4096u

static void __attribute__((__noreturn__)) cannot(const struct device *device, const char *what)
{
	die(TOOL_FAILED, "%s: cannot %s: %s", device->name, what, strerror(errno));
}

/**
 * device_open() - open a device exclusively; ends the program if that fails
 * @device: result
 * @name: path
 */
void device_open(struct device *device, const char *name)
{
	unsigned int block_bytes = FILE_BLOCK_BYTES;
	struct stat stat;
	uint64_t bytes;

	memset(device, 0, sizeof(*device));
	device->name = name;
	/* O_EXCL fails for a mounted device, which must not be overwritten. */
	device->fd = open(name, O_RDWR | O_DIRECT | O_CLOEXEC | O_EXCL);
	if (device->fd < 0 && errno == EBUSY)
		die(TOOL_FAILED, "%s: in use: unmount it first", name);
	if (device->fd < 0)
		cannot(device, "open it for direct I/O");
	if (fstat(device->fd, &stat))
		cannot(device, "look at it");
	device->is_file = S_ISREG(stat.st_mode);
	if (device->is_file) {
		bytes = stat.st_size;
	} else {
		if (!S_ISBLK(stat.st_mode))
			die(TOOL_BAD_USAGE, "%s: not a block device", name);
		if (ioctl(device->fd, BLKGETSIZE64, &bytes) ||
		    ioctl(device->fd, BLKSSZGET, &block_bytes))
			cannot(device, "read its size");
	}
	device->block_sectors = block_bytes / TRACE_SECTOR_BYTES;
	/* The end of a file may be a part of a block, which direct I/O cannot reach. */
	device->sectors = bytes / block_bytes * device->block_sectors;
	if (!device->sectors)
		die(TOOL_BAD_USAGE, "%s: has no sectors", name);
}

static void wrap_request(const struct device *device, struct trace_request *request)
{
	request->sector %= device->sectors;
	if (request->sector + request->nr_sectors > device->sectors)
		request->sector = device->sectors - request->nr_sectors;
}

/**
 * device_fit() - make a request fit the device; ends the program if it does not
 * @device: the device
 * @request: request
 * @number: of the request, from 1
 * @wrap: take addresses modulo the size of the device
 */
void device_fit(const struct device *device, struct trace_request *request, uint64_t number,
		bool wrap)
{
	const char *op = trace_op_names[request->op];

	if (request->nr_sectors > device->sectors)
		die(TOOL_BAD_USAGE,
		    "request %" PRIu64 ": a %s of %u sectors, more than the %" PRIu64 " of %s",
		    number, op, request->nr_sectors, device->sectors, device->name);
	if (request->op != TRACE_DISCARD && request->nr_sectors > MAX_REQUEST_SECTORS)
		die(TOOL_BAD_USAGE,
		    "request %" PRIu64 ": a %s of %u sectors: expected at most %u", number,
		    op, request->nr_sectors, MAX_REQUEST_SECTORS);
	if (wrap)
		wrap_request(device, request);
	if (request->sector + request->nr_sectors > device->sectors)
		die(TOOL_BAD_USAGE,
		    "request %" PRIu64 ": a %s at sectors %" PRIu64 " to %" PRIu64 ", but %s has %" PRIu64 ": use a larger device, or --wrap",
		    number, op, request->sector, request->sector + request->nr_sectors - 1,
		    device->name, device->sectors);
	if ((request->sector | request->nr_sectors) & (device->block_sectors - 1))
		die(TOOL_BAD_USAGE,
		    "request %" PRIu64 ": a %s of %u sectors at sector %" PRIu64 ", but %s has blocks of %u sectors: use a device with smaller blocks%s",
		    number, op, request->nr_sectors, request->sector, device->name,
		    device->block_sectors, device->is_file ? ", such as losetup(8) makes of a file" : "");
}

/**
 * device_discard() - discard, and wait for it
 * @device: the device
 * @sector: start
 * @nr_sectors: length
 *
 * Return: 0 or -errno.
 */
int device_discard(const struct device *device, uint64_t sector, uint64_t nr_sectors)
{
	uint64_t range[2] = { sector * TRACE_SECTOR_BYTES, nr_sectors * TRACE_SECTOR_BYTES };
	int error;

	if (device->is_file)
		error = fallocate(device->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, range[0],
				  range[1]);
	else
		error = ioctl(device->fd, BLKDISCARD, range);
	return error ? -errno : 0;
}
