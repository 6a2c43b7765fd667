// SPDX-License-Identifier: GPL-2.0
/*
 * Submits many writes at once, with direct I/O, and waits for all of them: in a guest in virtual time, fio takes six seconds to
 * measure its clock.
 *
 *	burst DEVICE NR BYTES [SPAN]	NR writes of BYTES each, one after the other, or in random places of the first SPAN
 *					bytes, the same in each run
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 1024

static void die(const char *what)
{
	fprintf(stderr, "burst: %s: %s\n", what, strerror(errno));
	exit(1);
}

int main(int argc, char **argv)
{
	static struct io_event events[MOST];
	static struct iocb iocbs[MOST], *list[MOST];
	unsigned long nr, bytes, places, i;
	aio_context_t context = 0;
	void *data;
	int fd;

	if (argc < 4 || argc > 5) {
		fputs("usage: burst DEVICE NR BYTES [SPAN]\n", stderr);
		return 2;
	}
	nr = strtoul(argv[2], NULL, 10);
	bytes = strtoul(argv[3], NULL, 10);
	places = argc == 5 ? strtoul(argv[4], NULL, 10) / bytes : 0;
	fd = open(argv[1], O_WRONLY | O_DIRECT);
	if (fd < 0)
		die(argv[1]);
	data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (nr > MOST || data == MAP_FAILED || syscall(SYS_io_setup, MOST, &context))
		die("io_setup");
	memset(data, 0x5a, bytes);
	for (i = 0; i < nr; i++) {
		iocbs[i] = (struct iocb) {
			.aio_lio_opcode = IOCB_CMD_PWRITE,
			.aio_fildes = fd,
			.aio_buf = (unsigned long)data,
			.aio_nbytes = bytes,
			.aio_offset = (places ? random() % places : i) * bytes,
		};
		list[i] = &iocbs[i];
	}
	if (syscall(SYS_io_submit, context, nr, list) != (long)nr)
		die("io_submit");
	if (syscall(SYS_io_getevents, context, nr, nr, events, NULL) != (long)nr)
		die("io_getevents");
	for (i = 0; i < nr; i++) {
		if (events[i].res != (long)bytes) {
			errno = -events[i].res;
			die("a write");
		}
	}
	return 0;
}
