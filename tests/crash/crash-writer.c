// SPDX-License-Identifier: GPL-2.0
/*
 * Writes, reads, flushes and discards a block device at random, with many requests in flight, and knows for each sector
 * which data are right.
 *
 * - Each written sector carries its own number and the number of the request. A read must return, for each sector, the
 *   last request acknowledged before the read began, or a later one.
 * - With --journal, everything that FLUSH and FUA have made durable is recorded. With --mark, each such record comes with
 *   a mark in the log of a log-writes device. crash-replay compares journal and log.
 *
 * Requests in flight never overlap, except reads.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include "../../dm-ssdcache/base/random.h"
#include "crash-format.h"

#define MAX_SECTORS 2048u
#define MAX_DEPTH 64u
#define HANG_SECONDS 60

enum op { READ, WRITE, FUA, FLUSH, DISCARD, NR_OPS };

static const char *const op_names[NR_OPS] = { "read", "write", "FUA write", "FLUSH", "discard" };

struct slot {
	struct iocb iocb;
	enum op op;
	bool busy;
	uint64_t sector;
	uint32_t nr;
	uint64_t seq;
	char *buffer;
	uint64_t *want;			/* READ: requests acknowledged when it began */
	struct record *covered;		/* FLUSH: records that it makes durable */
	size_t nr_covered;
};

static const char *device, *journal_name, *mark_device;
static bool until_error, stopped;
static struct ssdc_random dice;
static uint64_t nr_sectors, max_requests = UINT64_MAX, seed = 1, seconds = UINT64_MAX / 2000000000;
static uint64_t share[NR_OPS] = { [READ] = 30, [FUA] = 2, [FLUSH] = 1, [DISCARD] = 0 };
static unsigned int depth = 16, align = 1, max_nr = MAX_SECTORS;

static int fd;
static aio_context_t context;
static FILE *journal;
static struct slot slots[MAX_DEPTH];
static unsigned int in_flight;
static uint64_t last_seq, marks, counts[NR_OPS];

/* For each sector. */
static uint64_t *issued, *acknowledged, *zeroed;
static uint8_t *changing;

/* Writes acknowledged since the last FLUSH began. */
static struct record *pending;
static size_t nr_pending, room_pending;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void note(enum record_kind kind, uint64_t sector, uint32_t nr, uint64_t seq)
{
	struct record record = { kind, nr, sector, seq };

	if (journal && fwrite(&record, sizeof(record), 1, journal) != 1)
		die("%s: %s", journal_name, strerror(errno));
}

static void mark(void)
{
	char text[24];

	if (!journal)
		return;
	sprintf(text, "%" PRIu64, ++marks);
	if (mark_device)
		send_mark(mark_device, text);
	note(MARK, 0, 0, marks);
}

static void keep_pending(const struct record *record)
{
	if (nr_pending == room_pending) {
		room_pending = room_pending ? 2 * room_pending : 1024;
		pending = realloc(pending, room_pending * sizeof(*pending));
		if (!pending)
			die("no memory");
	}
	pending[nr_pending++] = *record;
}

static bool overlaps(uint64_t sector, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (changing[sector + i])
			return true;
	return false;
}

/* Parts of pages, whole pages, any range, and large ranges; three of four in the first eighth of the device. */
static void choose_range(uint64_t *sector, uint32_t *nr)
{
	uint64_t span = ssdc_random_below(&dice, 4) ? nr_sectors / 8 : nr_sectors;

	switch (ssdc_random_below(&dice, 10)) {
	case 0:
	case 1:
		*nr = 1 + ssdc_random_below(&dice, 7);
		*sector = ssdc_random_below(&dice, span);
		break;
	case 2:
	case 3:
	case 4:
	case 5:
		*nr = 8;
		*sector = ssdc_random_below(&dice, span) / 8 * 8;
		break;
	case 6:
	case 7:
	case 8:
		*nr = 1 + ssdc_random_below(&dice, 128);
		*sector = ssdc_random_below(&dice, span);
		break;
	default:
		*nr = 1 + ssdc_random_below(&dice, ssdc_random_below(&dice, 8) ? 512 : MAX_SECTORS);
		*sector = ssdc_random_below(&dice, span) / 8 * 8;
	}
	*sector -= *sector % align;
	*nr += (align - *nr % align) % align;
	if (*nr > max_nr)
		*nr = max_nr;
	if (*sector + *nr > nr_sectors)
		*nr = nr_sectors - *sector;
}

static enum op choose_op(void)
{
	uint64_t x = ssdc_random_below(&dice, 100);
	enum op op;

	for (op = 0; op < NR_OPS; op++) {
		if (op == WRITE)
			continue;
		if (x < share[op])
			return op;
		x -= share[op];
	}
	return WRITE;
}

static void changed(struct slot *slot)
{
	struct record record = { DURABLE, slot->nr, slot->sector, slot->seq };
	uint32_t i;

	for (i = 0; i < slot->nr; i++) {
		acknowledged[slot->sector + i] = slot->seq;
		changing[slot->sector + i] = 0;
	}
	if (slot->op == FUA) {
		note(DURABLE, slot->sector, slot->nr, slot->seq);
		mark();
	} else {
		keep_pending(&record);
	}
}

static void check_read(const struct slot *slot)
{
	uint32_t i;

	for (i = 0; i < slot->nr; i++) {
		uint64_t sector = slot->sector + i, want = slot->want[i];
		uint64_t seq = stamp_of(slot->buffer + i * SECTOR, sector);

		if (seq == 0 ? zeroed[sector] >= want : seq >= want && seq <= issued[sector])
			continue;
		printf("sector %" PRIu64 ": ", sector);
		if (seq == UINT64_MAX)
			printf("garbage, ");
		else
			printf("data of request %" PRIu64 ", ", seq);
		printf("want %" PRIu64 " to %" PRIu64 " (read of %u sectors at %" PRIu64 ")\n", want,
		       issued[sector], slot->nr, slot->sector);
		exit(1);
	}
}

static void flushed(struct slot *slot)
{
	size_t i;

	for (i = 0; i < slot->nr_covered; i++)
		note(DURABLE, slot->covered[i].sector, slot->covered[i].nr, slot->covered[i].seq);
	free(slot->covered);
	slot->covered = NULL;
	mark();
}

static void ended(struct slot *slot, int64_t result)
{
	int64_t want = slot->op == FLUSH ? 0 : (int64_t)slot->nr * SECTOR;

	if (result != want && until_error && slot->op != READ) {
		/* The request may have taken effect or not. */
		stopped = true;
		slot->busy = false;
		in_flight--;
		return;
	}
	if (result != want) {
		printf("%s of %u sectors at %" PRIu64 ": %s\n", op_names[slot->op], slot->nr, slot->sector,
		       result < 0 ? strerror(-result) : "done in part only");
		exit(1);
	}
	slot->busy = false;
	in_flight--;
	counts[slot->op]++;
	switch (slot->op) {
	case READ:
		check_read(slot);
		break;
	case FLUSH:
		flushed(slot);
		break;
	default:
		changed(slot);
	}
}

static void harvest(unsigned int least)
{
	struct timespec limit = { .tv_sec = HANG_SECONDS };
	struct io_event events[MAX_DEPTH];
	long i, n;

	n = syscall(SYS_io_getevents, context, least, MAX_DEPTH, events, least ? &limit : NULL);
	if (n < 0 && errno != EINTR)
		die("io_getevents: %s", strerror(errno));
	if (n < (long)least && n >= 0) {
		printf("hang: no request has ended for %d s, %u are in flight\n", HANG_SECONDS, in_flight);
		exit(1);
	}
	for (i = 0; i < n; i++)
		ended((struct slot *)(uintptr_t)events[i].data, events[i].res);
}

/* There is no asynchronous discard. Requests in flight continue. */
static void discard(struct slot *slot)
{
	uint64_t range[2] = { slot->sector * SECTOR, (uint64_t)slot->nr * SECTOR };

	if (ioctl(fd, BLKDISCARD, range))
		ended(slot, -errno);
	else
		ended(slot, range[1]);
}

static void submit(struct slot *slot)
{
	struct iocb *iocb = &slot->iocb;

	memset(iocb, 0, sizeof(*iocb));
	iocb->aio_data = (uintptr_t)slot;
	iocb->aio_fildes = fd;
	iocb->aio_buf = (uintptr_t)slot->buffer;
	iocb->aio_nbytes = (uint64_t)slot->nr * SECTOR;
	iocb->aio_offset = slot->sector * SECTOR;
	switch (slot->op) {
	case READ:
		iocb->aio_lio_opcode = IOCB_CMD_PREAD;
		break;
	case FLUSH:
		iocb->aio_lio_opcode = IOCB_CMD_FSYNC;
		iocb->aio_buf = iocb->aio_nbytes = iocb->aio_offset = 0;
		break;
	case FUA:
		/* Unlike a synchronous write, this ends with the FUA write: no FLUSH follows. */
		iocb->aio_rw_flags = RWF_DSYNC;
		/* fallthrough */
	default:
		iocb->aio_lio_opcode = IOCB_CMD_PWRITE;
	}
	if (syscall(SYS_io_submit, context, 1, &iocb) != 1)
		die("io_submit: %s", strerror(errno));
}

/* Returns false if the chosen range overlaps a request in flight. */
static bool start(struct slot *slot)
{
	uint32_t i;

	slot->op = choose_op();
	slot->nr = 0;
	slot->sector = 0;
	if (slot->op != FLUSH)
		choose_range(&slot->sector, &slot->nr);
	if (slot->op != READ && overlaps(slot->sector, slot->nr))
		return false;

	if (slot->op == READ) {
		memcpy(slot->want, acknowledged + slot->sector, slot->nr * sizeof(*slot->want));
	} else if (slot->op == FLUSH) {
		slot->covered = pending;
		slot->nr_covered = nr_pending;
		pending = NULL;
		nr_pending = room_pending = 0;
	} else {
		slot->seq = ++last_seq;
		for (i = 0; i < slot->nr; i++) {
			changing[slot->sector + i] = 1;
			issued[slot->sector + i] = slot->seq;
			if (slot->op == DISCARD)
				zeroed[slot->sector + i] = slot->seq;
			else
				stamp(slot->buffer + i * SECTOR, slot->sector + i, slot->seq);
		}
	}
	slot->busy = true;
	in_flight++;
	if (slot->op == DISCARD) {
		note(ZEROED, slot->sector, slot->nr, slot->seq);
		discard(slot);
	} else {
		submit(slot);
	}
	return true;
}

static void run(void)
{
	uint64_t end_ns = now_ns() + seconds * 1000000000ull, requests = 0;
	unsigned int i;

	while (requests < max_requests && now_ns() < end_ns && !stopped) {
		for (i = 0; i < depth; i++)
			if (!slots[i].busy && !stopped)
				requests += start(&slots[i]);
		harvest(in_flight == depth);
	}
	while (in_flight)
		harvest(1);
}

/* With no request in flight, each sector must have the data acknowledged last. */
static void check_all(void)
{
	struct slot *slot = &slots[0];
	uint64_t sector;

	slot->op = READ;
	for (sector = 0; sector < nr_sectors; sector += slot->nr) {
		slot->sector = sector;
		slot->nr = nr_sectors - sector < MAX_SECTORS ? nr_sectors - sector : MAX_SECTORS;
		memcpy(slot->want, acknowledged + sector, slot->nr * sizeof(*slot->want));
		slot->busy = true;
		in_flight++;
		submit(slot);
		harvest(1);
	}
}

static void prepare(void)
{
	uint64_t bytes;
	unsigned int i;
	int block;

	fd = open(device, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", device, strerror(errno));
	if (ioctl(fd, BLKGETSIZE64, &bytes) || ioctl(fd, BLKSSZGET, &block))
		die("%s: %s", device, strerror(errno));
	if (!nr_sectors || nr_sectors > bytes / SECTOR)
		nr_sectors = bytes / SECTOR;
	align = block / SECTOR;
	nr_sectors -= nr_sectors % align;
	issued = allocate(nr_sectors * sizeof(*issued));
	acknowledged = allocate(nr_sectors * sizeof(*acknowledged));
	zeroed = allocate(nr_sectors * sizeof(*zeroed));
	changing = allocate(nr_sectors);
	for (i = 0; i < depth; i++) {
		slots[i].want = allocate(MAX_SECTORS * sizeof(*slots[i].want));
		slots[i].buffer = aligned_alloc(4096, MAX_SECTORS * SECTOR);
		if (!slots[i].buffer)
			die("no memory");
	}
	if (syscall(SYS_io_setup, MAX_DEPTH, &context))
		die("io_setup: %s", strerror(errno));
	if (journal_name) {
		journal = fopen(journal_name, "w");
		if (!journal)
			die("%s: %s", journal_name, strerror(errno));
	}
}

static const struct option options[] = {
	{ "device", required_argument, NULL, 'D' },
	{ "sectors", required_argument, NULL, 'n' },
	{ "requests", required_argument, NULL, 'r' },
	{ "seconds", required_argument, NULL, 't' },
	{ "depth", required_argument, NULL, 'd' },
	{ "max-sectors", required_argument, NULL, 'x' },
	{ "seed", required_argument, NULL, 's' },
	{ "reads", required_argument, NULL, 'R' },
	{ "fua", required_argument, NULL, 'F' },
	{ "flushes", required_argument, NULL, 'f' },
	{ "discards", required_argument, NULL, 'c' },
	{ "journal", required_argument, NULL, 'j' },
	{ "mark", required_argument, NULL, 'm' },
	{ "until-error", no_argument, NULL, 'e' },
	{}
};

static void usage(void)
{
	fputs("usage: crash-writer --device DEV [--sectors N] [--requests N] [--seconds N] [--depth N]\n"
	      "                    [--max-sectors N] [--seed N] [--journal FILE [--mark LOG-WRITES-DEVICE]]\n"
	      "                    [--reads PERCENT] [--fua PERCENT] [--flushes PERCENT] [--discards PERCENT]\n"
	      "                    [--until-error]\n"
	      "With --until-error, the first failed write counts as the crash, and ends the run.\n"
	      "Exit status: 0 all data were right, 1 some were wrong, 2 cannot run.\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'D':
			device = optarg;
			break;
		case 'n':
			nr_sectors = number("--sectors", optarg);
			break;
		case 'r':
			max_requests = number("--requests", optarg);
			break;
		case 't':
			seconds = number("--seconds", optarg);
			break;
		case 'd':
			depth = number("--depth", optarg);
			break;
		case 'x':
			max_nr = number("--max-sectors", optarg);
			break;
		case 's':
			seed = number("--seed", optarg);
			break;
		case 'R':
			share[READ] = number("--reads", optarg);
			break;
		case 'F':
			share[FUA] = number("--fua", optarg);
			break;
		case 'f':
			share[FLUSH] = number("--flushes", optarg);
			break;
		case 'c':
			share[DISCARD] = number("--discards", optarg);
			break;
		case 'j':
			journal_name = optarg;
			break;
		case 'm':
			mark_device = optarg;
			break;
		case 'e':
			until_error = true;
			break;
		default:
			usage();
		}
	}
	if (!device || optind < argc || !depth || depth > MAX_DEPTH || !max_nr || max_nr > MAX_SECTORS || !seed)
		usage();
	ssdc_random_seed(&dice, seed);
	prepare();
	run();
	if (until_error && !stopped)
		die("%s: no error", device);
	if (!stopped)
		check_all();
	if (journal && fclose(journal))
		die("%s: %s", journal_name, strerror(errno));
	printf("%" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64 " FUA, %" PRIu64 " flushes, %" PRIu64
	       " discards, %" PRIu64 " marks\n", counts[READ], counts[WRITE], counts[FUA], counts[FLUSH],
	       counts[DISCARD], marks);
	return 0;
}
