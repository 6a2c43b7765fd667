// SPDX-License-Identifier: GPL-2.0
/*
 * Appends numbered records to files, one file per FILE_RECORDS records, until it is killed. When a record is on stable
 * media, its number goes to the file of acknowledgements, which must be where a crash does not reach it. After the crash,
 * --check looks for every acknowledged record.
 *
 * Records become stable in turn by fdatasync(), by a synchronous write, and by fsync() of a file that is then renamed; a
 * new name becomes stable by fsync() of the directory.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <sys/uio.h>
#include "crash-format.h"

#define RECORD_BYTES (3 * SECTOR)
#define FILE_RECORDS 40

static const char *directory, *acks_name;

static void make_record(char *record, uint64_t number)
{
	unsigned int i;

	for (i = 0; i < RECORD_BYTES / SECTOR; i++)
		stamp(record + i * SECTOR, i, number);
}

static void sync_directory(void)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd))
		die("%s: %s", directory, strerror(errno));
	close(fd);
}

static void file_name(char *name, size_t size, uint64_t file, const char *suffix)
{
	snprintf(name, size, "%s/ledger.%" PRIu64 "%s", directory, file, suffix);
}

/* The first record of a file is written under another name. */
static int new_file(uint64_t file, const char *record)
{
	char temporary[4096], name[4096];
	int fd;

	file_name(temporary, sizeof(temporary), file, ".new");
	file_name(name, sizeof(name), file, "");
	fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || pwrite(fd, record, RECORD_BYTES, 0) != RECORD_BYTES || fsync(fd) || rename(temporary, name))
		die("%s: %s", name, strerror(errno));
	sync_directory();
	return fd;
}

static void append(int fd, const char *record, uint64_t number)
{
	const struct iovec part = { (void *)record, RECORD_BYTES };
	off_t offset = number % FILE_RECORDS * RECORD_BYTES;
	bool synchronous = number % 3 == 0;

	if (pwritev2(fd, &part, 1, offset, synchronous ? RWF_DSYNC : 0) != RECORD_BYTES ||
	    (!synchronous && fdatasync(fd)))
		die("record %" PRIu64 ": %s", number, strerror(errno));
}

static void __attribute__((__noreturn__)) write_records(void)
{
	int fd = -1, acks = open(acks_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char record[RECORD_BYTES];
	uint64_t number;

	if (acks < 0)
		die("%s: %s", acks_name, strerror(errno));
	for (number = 0; ; number++) {
		make_record(record, number + 1);
		if (number % FILE_RECORDS == 0) {
			if (fd >= 0)
				close(fd);
			fd = new_file(number / FILE_RECORDS, record);
		} else {
			append(fd, record, number);
		}
		if (write(acks, &number, sizeof(number)) != sizeof(number) || fdatasync(acks))
			die("%s: %s", acks_name, strerror(errno));
	}
}

static bool record_is_there(uint64_t number)
{
	char name[4096], want[RECORD_BYTES], record[RECORD_BYTES];
	bool there = false;
	int fd;

	make_record(want, number + 1);
	file_name(name, sizeof(name), number / FILE_RECORDS, "");
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		there = pread(fd, record, RECORD_BYTES, number % FILE_RECORDS * RECORD_BYTES) == RECORD_BYTES &&
			!memcmp(record, want, RECORD_BYTES);
		close(fd);
	}
	return there;
}

static int check_records(void)
{
	uint64_t number, acknowledged = 0, lost = 0;
	FILE *acks = fopen(acks_name, "r");

	if (!acks)
		die("%s: %s", acks_name, strerror(errno));
	while (fread(&number, sizeof(number), 1, acks) == 1) {
		acknowledged++;
		if (record_is_there(number))
			continue;
		if (!lost++)
			printf("lost: record %" PRIu64 "\n", number);
	}
	printf("%" PRIu64 " records, %" PRIu64 " losses\n", acknowledged, lost);
	return lost ? 1 : 0;
}

static const struct option options[] = {
	{ "write", required_argument, NULL, 'w' },
	{ "check", required_argument, NULL, 'c' },
	{ "acks", required_argument, NULL, 'a' },
	{}
};

int main(int argc, char **argv)
{
	bool check = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'w':
		case 'c':
			check = option == 'c';
			directory = optarg;
			break;
		case 'a':
			acks_name = optarg;
			break;
		default:
			directory = NULL;
			optind = argc;
		}
	}
	if (!directory || !acks_name || optind < argc) {
		fputs("usage: crash-ledger --write|--check DIRECTORY --acks FILE\n"
		      "Exit status: 0 every acknowledged record is there, 1 some are lost, 2 cannot run.\n", stderr);
		return 2;
	}
	if (check)
		return check_records();
	write_records();
}
