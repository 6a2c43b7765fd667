// SPDX-License-Identifier: GPL-2.0
/*
 * Makes calls that /dev/ssdcache-feeder must refuse, and some that it must accept, with a block device of 2048 sectors.
 * Prints a line per call: its description, and the name of the error or the value returned.
 *
 *	feeder-misuse DEVICE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../../include/ssdcache-feeder.h"

#define SECTORS 2048

static int device;
static void *nowhere;	/* inaccessible memory */

static void say(const char *what, long result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerrorname_np(errno));
	else
		printf("%s: %ld\n", what, result);
}

static int open_feeder(void)
{
	int fd = open("/dev/" SSDC_FEED_NAME, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		perror(SSDC_FEED_NAME);
		exit(1);
	}
	return fd;
}

static void set_up(const char *what, struct ssdc_feed_setup setup)
{
	int fd = open_feeder();

	say(what, ioctl(fd, SSDC_FEED_SETUP, &setup));
	close(fd);
}

/* All requests go to one feeder: a refused request must not affect the next. */
static void request(const char *what, struct ssdc_feed_request request)
{
	static int fd = -1;
	const struct ssdc_feed_setup setup = { .device = device, .settle = -1, .depth = 4 };

	if (fd < 0) {
		fd = open_feeder();
		if (ioctl(fd, SSDC_FEED_SETUP, &setup))
			perror("set-up");
	}
	say(what, write(fd, &request, sizeof(request)));
}

static void setups(const char *name)
{
	int file = open("/proc/self/exe", O_RDONLY), reader = open(name, O_RDONLY), fd;
	const struct ssdc_feed_setup good = { .device = device, .settle = -1, .depth = 1 };
	struct ssdc_feed_result result;
	struct ssdc_feed_request any = { .op = SSDC_FEED_FLUSH };

	set_up("no such file", (struct ssdc_feed_setup){ .device = 99, .settle = -1, .depth = 1 });
	set_up("not a block device", (struct ssdc_feed_setup){ .device = file, .settle = -1, .depth = 1 });
	set_up("not open for writing", (struct ssdc_feed_setup){ .device = reader, .settle = -1, .depth = 1 });
	set_up("no such file to settle", (struct ssdc_feed_setup){ .device = device, .settle = 99, .depth = 1 });
	set_up("depth 0", (struct ssdc_feed_setup){ .device = device, .settle = -1 });
	set_up("depth 4097", (struct ssdc_feed_setup){ .device = device, .settle = -1, .depth = 4097 });
	set_up("closed 2", (struct ssdc_feed_setup){ .device = device, .settle = -1, .depth = 1, .closed = 2 });
	fd = open_feeder();
	say("another ioctl", ioctl(fd, SSDC_FEED_SETUP + 1, &good));
	say("itself to settle", ioctl(fd, SSDC_FEED_SETUP,
				      &(struct ssdc_feed_setup){ .device = device, .settle = fd, .depth = 1 }));
	say("a bad address", ioctl(fd, SSDC_FEED_SETUP, nowhere));
	say("write before set-up", write(fd, &any, sizeof(any)));
	say("read before set-up", read(fd, &result, sizeof(result)));
	say("set-up", ioctl(fd, SSDC_FEED_SETUP, &good));
	say("set-up again", ioctl(fd, SSDC_FEED_SETUP, &good));
	say("a part of a request", write(fd, &any, sizeof(any) - 1));
	say("a request at a bad address", write(fd, nowhere, sizeof(any)));
	say("read into too little", read(fd, &result, sizeof(result) - 1));
	say("read of nothing", read(fd, &result, sizeof(result)));
	say("a request", write(fd, &any, sizeof(any)));
	say("another, with no room", write(fd, &any, sizeof(any)));
	say("a result to a bad address", read(fd, nowhere, sizeof(result)));
	say("its result", read(fd, &result, sizeof(result)));
	close(fd);
}

static void requests(void)
{
	request("another operation", (struct ssdc_feed_request){ .op = 4, .nr_sectors = 8 });
	request("a read of nothing", (struct ssdc_feed_request){ .op = SSDC_FEED_READ });
	request("a flush of something", (struct ssdc_feed_request){ .op = SSDC_FEED_FLUSH, .nr_sectors = 8 });
	request("a read with FUA", (struct ssdc_feed_request){ .op = SSDC_FEED_READ, .nr_sectors = 8, .fua = 1 });
	request("FUA 2", (struct ssdc_feed_request){ .op = SSDC_FEED_WRITE, .nr_sectors = 8, .fua = 2 });
	request("not zero", (struct ssdc_feed_request){ .op = SSDC_FEED_READ, .nr_sectors = 8, .zero = 1 });
	request("beyond the end", (struct ssdc_feed_request){ .op = SSDC_FEED_READ, .sector = SECTORS - 7, .nr_sectors = 8 });
	request("far beyond the end", (struct ssdc_feed_request){ .op = SSDC_FEED_READ, .sector = -8ULL, .nr_sectors = 8 });
	request("more than there is", (struct ssdc_feed_request){ .op = SSDC_FEED_DISCARD, .nr_sectors = -1U });
	request("too long", (struct ssdc_feed_request){ .op = SSDC_FEED_READ, .nr_sectors = SSDC_FEED_MAX_SECTORS + 1 });
	request("the last sectors", (struct ssdc_feed_request){ .op = SSDC_FEED_READ, .sector = SECTORS - 8, .nr_sectors = 8 });
}

int main(int argc, char **argv)
{
	if (argc != 2 || (device = open(argv[1], O_RDWR | O_DIRECT)) < 0) {
		perror(argc == 2 ? argv[1] : "usage: feeder-misuse DEVICE");
		return 1;
	}
	nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	setups(argv[1]);
	requests();
	return 0;
}
