// SPDX-License-Identifier: GPL-2.0
/*
 * Replays a log of dm-log-writes up to a mark: this gives the device as a crash at that moment would leave it, without
 * anything that no FLUSH or FUA made durable. With the journal of crash-writer, it also checks after each entry of the log
 * that everything acknowledged as durable is there.
 *
 * The log is a superblock, then for each request a block that describes it and its data. The format is the kernel's
 * (drivers/md/dm-log-writes.c, Documentation/admin-guide/device-mapper/log-writes.rst).
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <endian.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include "crash-format.h"

#define LOG_MAGIC 0x6a736677736872ull
#define LOG_VERSION 1
#define LOG_DISCARD 4
#define LOG_MARK 8
#define SHOWN_LOSSES 10

struct log_super {
	uint64_t magic;
	uint64_t version;
	uint64_t nr_entries;
	uint32_t block_bytes;
};

struct log_entry {
	uint64_t sector;	/* this and nr_sectors are in blocks */
	uint64_t nr_sectors;
	uint64_t flags;
	uint64_t data_len;
	char data[];
};

static const char *log_name, *target_name, *checked_name, *journal_name, *until;
static int log_fd;
static struct log_super super;
static char *target;		/* mapping of the device replayed to */
static uint64_t target_bytes;

static FILE *journal;
static uint64_t nr_sectors, *durable, *zeroed;
static uint64_t mark = 0, losses;

static void read_log(void *data, size_t bytes, uint64_t offset)
{
	ssize_t n = pread(log_fd, data, bytes, offset);

	if (n != (ssize_t)bytes)
		die("%s: %s", log_name, n < 0 ? strerror(errno) : "is too short");
}

static void open_log(void)
{
	char block[SECTOR];

	log_fd = open(log_name, O_RDONLY | O_CLOEXEC);
	if (log_fd < 0)
		die("%s: %s", log_name, strerror(errno));
	read_log(block, sizeof(block), 0);
	memcpy(&super, block, sizeof(super));
	super.nr_entries = le64toh(super.nr_entries);
	super.block_bytes = le32toh(super.block_bytes);
	if (le64toh(super.magic) != LOG_MAGIC || le64toh(super.version) != LOG_VERSION)
		die("%s: is no log of dm-log-writes", log_name);
}

static void open_target(const char *name, bool write)
{
	int fd = open(name, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", name, strerror(errno));
	target_bytes = lseek(fd, 0, SEEK_END);
	target = mmap(NULL, target_bytes, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (target == MAP_FAILED)
		die("%s: %s", name, strerror(errno));
	close(fd);
	nr_sectors = target_bytes / SECTOR;
	if (journal) {
		durable = allocate(nr_sectors * sizeof(*durable));
		zeroed = allocate(nr_sectors * sizeof(*zeroed));
	}
}

static void show_loss(uint64_t sector, uint64_t seq, uint64_t entry)
{
	if (losses++ >= SHOWN_LOSSES)
		return;
	printf("lost: mark %" PRIu64 ", log entry %" PRIu64 ", sector %" PRIu64 ": ", mark, entry, sector);
	if (seq == UINT64_MAX)
		printf("garbage");
	else if (seq)
		printf("data of request %" PRIu64, seq);
	else
		printf("zeroes");
	printf(", want request %" PRIu64 " or newer\n", durable[sector]);
}

/* Check that the sectors are at least as new as what was acknowledged as durable. */
static void check(uint64_t first, uint64_t nr, uint64_t entry)
{
	uint64_t sector, seq;

	for (sector = first; sector < first + nr; sector++) {
		seq = stamp_of(target + sector * SECTOR, sector);
		if (seq ? seq == UINT64_MAX || seq < durable[sector] : zeroed[sector] < durable[sector])
			show_loss(sector, seq, entry);
	}
}

/* Read the journal up to and including the next mark. Returns false at its end. */
static bool journal_to_mark(void)
{
	struct record record;
	uint64_t i;

	while (fread(&record, sizeof(record), 1, journal) == 1) {
		if (record.kind == MARK) {
			mark = record.seq;
			return true;
		}
		if (record.sector + record.nr > nr_sectors)
			die("%s: sector %" PRIu64 " is beyond the device", journal_name, record.sector);
		for (i = record.sector; i < record.sector + record.nr; i++) {
			uint64_t *seq = record.kind == DURABLE ? &durable[i] : &zeroed[i];

			if (*seq < record.seq)
				*seq = record.seq;
		}
	}
	return false;
}

/*
 * A discard that was started after a mark may be in the log before the next mark. So discards are read one mark ahead,
 * from a second handle of the journal.
 */
static void discards_ahead(FILE *ahead)
{
	struct record record;
	uint64_t i;

	while (fread(&record, sizeof(record), 1, ahead) == 1 && record.kind != MARK)
		for (i = record.sector; record.kind == ZEROED && i < record.sector + record.nr; i++)
			zeroed[i] = record.seq;
}

static FILE *open_journal(void)
{
	FILE *file = fopen(journal_name, "r");

	if (!file)
		die("%s: %s", journal_name, strerror(errno));
	return file;
}

static void check_mark(FILE *ahead, const char *text, uint64_t entry)
{
	if (!strcmp(text, "dm-log-writes-end"))
		return;
	if (!journal_to_mark())
		die("mark %s is in the log, but not in the journal", text);
	if (strtoull(text, NULL, 10) != mark)
		die("mark %s in the log, %" PRIu64 " in the journal", text, mark);
	discards_ahead(ahead);
	check(0, nr_sectors, entry);
}

/* Apply a request of the log to the target. */
static void apply(const struct log_entry *entry, uint64_t first, uint64_t nr, uint64_t data_at)
{
	if ((first + nr) * SECTOR > target_bytes)
		die("%s: a request of %" PRIu64 " sectors at %" PRIu64 " is beyond %s", log_name, nr, first,
		    target_name);
	if (entry->flags & htole64(LOG_DISCARD))
		memset(target + first * SECTOR, 0, nr * SECTOR);
	else
		read_log(target + first * SECTOR, nr * SECTOR, data_at);
}

/* Returns false if the mark to stop at is not in the log. */
static bool replay(void)
{
	uint64_t at = super.block_bytes, scale = super.block_bytes / SECTOR, i;
	char *block = allocate(super.block_bytes + 1);
	struct log_entry *entry = (struct log_entry *)block;
	FILE *ahead = journal_name ? open_journal() : NULL;

	if (ahead)
		discards_ahead(ahead);
	for (i = 0; i < super.nr_entries; i++) {
		uint64_t first, nr, flags;

		read_log(block, super.block_bytes, at);
		at += super.block_bytes;
		first = le64toh(entry->sector) * scale;
		nr = le64toh(entry->nr_sectors) * scale;
		flags = le64toh(entry->flags);
		if (flags & LOG_MARK) {
			if (until && !strcmp(entry->data, until))
				return true;
			if (journal)
				check_mark(ahead, entry->data, i);
			continue;
		}
		apply(entry, first, nr, at);
		if (!(flags & LOG_DISCARD))
			at += nr * SECTOR;
		if (journal)
			check(first, nr, i);
	}
	return !until;
}

/* Check a device that a crash has left, against the whole journal. */
static int check_device(void)
{
	open_target(checked_name, false);
	while (journal_to_mark())
		;
	if (!mark)
		die("%s: there are no marks", journal_name);
	check(0, nr_sectors, 0);
	printf("%" PRIu64 " marks, %" PRIu64 " losses\n", mark, losses);
	return losses ? 1 : 0;
}

static const struct option options[] = {
	{ "log", required_argument, NULL, 'l' },
	{ "check", required_argument, NULL, 'c' },
	{ "to", required_argument, NULL, 't' },
	{ "until", required_argument, NULL, 'u' },
	{ "journal", required_argument, NULL, 'j' },
	{}
};

static void usage(void)
{
	fputs("usage: crash-replay --log DEV --to DEV [--until MARK | --journal FILE]\n"
	      "       crash-replay --check DEV --journal FILE\n"
	      "Replays the log to --to, which must be all zeroes, up to the mark. With --journal (of\n"
	      "crash-writer), checks it after each entry of the log. --check only reads the device.\n"
	      "Exit status: 0 nothing is lost, 1 something is lost, 2 cannot run or no such mark.\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'l':
			log_name = optarg;
			break;
		case 't':
			target_name = optarg;
			break;
		case 'u':
			until = optarg;
			break;
		case 'j':
			journal_name = optarg;
			break;
		case 'c':
			checked_name = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind < argc || (until && journal_name) || !checked_name == !log_name ||
	    !checked_name == !target_name || (checked_name && !journal_name))
		usage();
	if (journal_name)
		journal = open_journal();
	if (checked_name)
		return check_device();
	open_log();
	open_target(target_name, true);
	if (!replay())
		die("%s: there is no mark %s", log_name, until);
	if (journal && !mark)
		die("%s: there are no marks", log_name);
	if (journal && journal_to_mark())
		die("%s: mark %" PRIu64 " is missing", log_name, mark);
	if (msync(target, target_bytes, MS_SYNC))
		die("%s: %s", target_name, strerror(errno));
	printf("%" PRIu64 " entries, %" PRIu64 " marks, %" PRIu64 " losses\n", super.nr_entries, mark, losses);
	return losses ? 1 : 0;
}
