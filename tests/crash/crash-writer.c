// SPDX-License-Identifier: GPL-2.0
/*
 * Writes, reads, flushes and discards a block device at random, with many requests in flight, and knows for each sector
 * which data are right.
 *
 * - Each written sector carries its own number and the number of the request. A read must return, for each sector, the
 *   last request acknowledged before the read began, or a later one.
 * - With --journal, everything that FLUSH and FUA have made durable is recorded. With --mark, each such record comes with
 *   a mark in the log of a log-writes device. crash-replay compares journal and log.
 * - With --changes, the cache or its origin change meanwhile; see crash-change.h. While DRAM is protected, FLUSH and FUA
 *   make nothing durable. What was acknowledged meanwhile is made durable by the next FLUSH of volatile DRAM. Writes may
 *   fail while the origin's do, and then hold old or new data. Reads must not fail.
 *
 * Requests in flight never overlap, except reads. Writes cover whole logical blocks, so reads find no block with sectors of
 * two requests.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include "../../dm-ssdcache/base/random.h"
#include "crash-change.h"
#include "crash-format.h"

#define MAX_SECTORS 2048u
#define MAX_DEPTH 64u
#define HANG_SECONDS 60
#define MAX_FAILED_FLUSHES 4

enum op { READ, WRITE, FUA, FLUSH, DISCARD, ZERO, NR_OPS };

static const char *const op_names[NR_OPS] = { "read", "write", "FUA write", "FLUSH", "discard", "write of zeroes" };

struct slot {
	struct iocb iocb;
	enum op op;
	bool busy;
	bool promise;			/* FLUSH, FUA: DRAM was volatile all the time */
	bool may_fail;			/* the origin's writes failed at some time */
	uint64_t sector;
	uint32_t nr;
	uint64_t seq;
	char *buffer;
	uint64_t *want;			/* READ: requests acknowledged when it began */
	struct record *covered;		/* FLUSH: records that it makes durable */
	size_t nr_covered;
};

static const char *device, *journal_name, *mark_device, *mark_disk_name, *changes_name;
static bool until_error, stopped, synced;
static struct ssdc_random dice, change_dice;
static uint64_t nr_sectors, max_requests = UINT64_MAX, seed = 1, seconds = UINT64_MAX / 2000000000;
static uint64_t share[NR_OPS] = { [READ] = 30, [FUA] = 2, [FLUSH] = 1, [DISCARD] = 0, [ZERO] = 0 };
static unsigned int depth = 16, align = 1, granule = 1, max_nr = MAX_SECTORS;
static uint64_t change_every = 50;

static int fd, mark_disk;
static off_t mark_offset;
static aio_context_t context;
static FILE *journal;
static struct slot slots[MAX_DEPTH];
static unsigned int in_flight;
static uint64_t last_seq, marks, counts[NR_OPS], failed[NR_OPS];

/* Changes: the one made last, and the one that is to be undone. */
static const struct change *last_change, *outstanding;
static bool undoing;
static uint64_t change_counts[NR_CHANGE_KINDS];
static bool unstable;			/* DRAM may be protected */
static bool failing;			/* the origin's writes may fail */
static unsigned int failed_flushes;	/* in a row, begun since the origin's writes succeed again */
static bool flush_may_fail;		/* none has succeeded since then */

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

/* With --sync, the journal survives a crash of this system. */
static void sync_journal(void)
{
	if (synced && journal && (fflush(journal) || fdatasync(fileno(journal))))
		die("%s: %s", journal_name, strerror(errno));
}

/* Write the number of the mark to the disk below the origin, for a log of all writes to that disk. */
static void write_mark(void)
{
	static char block[4096] __attribute__((__aligned__(4096)));

	stamp(block, MARK_SECTOR, marks);
	if (pwrite(mark_disk, block, SECTOR, mark_offset) != (ssize_t)SECTOR)
		die("%s: %s", mark_disk_name, strerror(errno));
}

static void mark(void)
{
	char text[32];

	if (!journal)
		return;
	sprintf(text, "mark %" PRIu64, ++marks);
	if (mark_disk_name)
		write_mark();
	if (mark_device && dm_message(mark_device, text))
		die("%s for %s: %s", text, mark_device, strerror(errno));
	note(MARK, 0, 0, marks);
	sync_journal();
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

static void release(const struct slot *slot)
{
	memset(changing + slot->sector, 0, slot->nr);
}

static void changed(struct slot *slot)
{
	uint64_t first = slot->sector, end = slot->sector + slot->nr;
	struct record record;

	release(slot);
	if (slot->op == DISCARD) {
		/* The origin may ignore what is no whole granule. */
		first += (granule - first % granule) % granule;
		end -= end % granule;
		if (first >= end)
			return;
	}
	for (uint64_t sector = first; sector < end; sector++)
		acknowledged[sector] = slot->seq;
	record = (struct record){ DURABLE, end - first, first, slot->seq };
	if (slot->op == FUA && slot->promise) {
		note(DURABLE, record.sector, record.nr, record.seq);
		mark();
	} else {
		keep_pending(&record);
	}
}

static uint64_t check_sector(const struct slot *slot, uint32_t i)
{
	uint64_t sector = slot->sector + i, want = slot->want[i];
	uint64_t seq = stamp_of(slot->buffer + i * SECTOR, sector);

	if (seq == 0 ? zeroed[sector] >= want : seq >= want && seq <= issued[sector])
		return seq;
	printf("sector %" PRIu64 ": ", sector);
	if (seq == UINT64_MAX)
		printf("garbage, ");
	else
		printf("data of request %" PRIu64 ", ", seq);
	printf("want %" PRIu64 " to %" PRIu64 " (read of %u sectors at %" PRIu64 ")\n", want, issued[sector],
	       slot->nr, slot->sector);
	exit(1);
}

static void check_read(const struct slot *slot)
{
	uint64_t seq, of_block = 0;
	uint32_t i;

	for (i = 0; i < slot->nr; i++) {
		seq = check_sector(slot, i);
		if (i % align && seq != of_block) {
			printf("torn block: sector %" PRIu64 " has data of request %" PRIu64 ", the one before of %"
			       PRIu64 " (read of %u sectors at %" PRIu64 ")\n", slot->sector + i, seq, of_block,
			       slot->nr, slot->sector);
			exit(1);
		}
		of_block = seq;
	}
}

/* @durable: the FLUSH succeeded, and DRAM was volatile */
static void flushed(struct slot *slot, bool durable)
{
	size_t i;

	for (i = 0; i < slot->nr_covered; i++) {
		if (durable)
			note(DURABLE, slot->covered[i].sector, slot->covered[i].nr, slot->covered[i].seq);
		else
			keep_pending(&slot->covered[i]);
	}
	free(slot->covered);
	slot->covered = NULL;
	if (durable)
		mark();
}

/* A request failed. If it may, it has taken effect or not, sector by sector. */
static bool excused(struct slot *slot)
{
	if (slot->op == FLUSH && flush_may_fail && !slot->may_fail)
		return ++failed_flushes <= MAX_FAILED_FLUSHES;
	return slot->op != READ && slot->may_fail;
}

static void failed_request(struct slot *slot)
{
	failed[slot->op]++;
	if (slot->op == FLUSH)
		flushed(slot, false);
	else
		release(slot);
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
	if (result != want && excused(slot)) {
		slot->busy = false;
		in_flight--;
		failed_request(slot);
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
		if (!slot->may_fail) {
			flush_may_fail = false;
			failed_flushes = 0;
		}
		flushed(slot, slot->promise);
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

/* There are no asynchronous discards and writes of zeroes. Requests in flight continue. */
static void discard(struct slot *slot)
{
	uint64_t range[2] = { slot->sector * SECTOR, (uint64_t)slot->nr * SECTOR };

	if (ioctl(fd, slot->op == ZERO ? BLKZEROOUT : BLKDISCARD, range))
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
static bool start(struct slot *slot, enum op op)
{
	uint32_t i;

	slot->op = op;
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
			if (slot->op == DISCARD || slot->op == ZERO)
				zeroed[slot->sector + i] = slot->seq;
			else
				stamp(slot->buffer + i * SECTOR, slot->sector + i, slot->seq);
		}
	}
	slot->busy = true;
	slot->promise = !unstable;
	slot->may_fail = failing;
	in_flight++;
	if (slot->op == DISCARD || slot->op == ZERO) {
		note(ZEROED, slot->sector, slot->nr, slot->seq);
		sync_journal();
		discard(slot);
	} else {
		submit(slot);
	}
	return true;
}

/* A change begins: note what it means for the requests in flight, and for those to come. */
static void begin_change(const struct change *change, bool undo)
{
	unsigned int i;

	if (!undo && (change->kind == FAIL || change->kind == PROTECT)) {
		outstanding = change;
		failing |= change->kind == FAIL;
		unstable |= change->kind == PROTECT;
		for (i = 0; i < depth; i++) {
			slots[i].may_fail |= failing;
			slots[i].promise &= !unstable;
		}
	}
	change_counts[change->kind]++;
	last_change = change;
	undoing = undo;
	change_start(change, undo);
}

/* The last change is over. */
static void end_change(void)
{
	const struct change *change = last_change;
	unsigned int i;

	if (!change)
		return;
	if (changer.error && !(failing && change->kind == MESSAGE)) {
		printf("%s%s %s %s: %s\n", undoing ? "undo " : "", change_names[change->kind], change->name,
		       change->text, strerror(changer.error));
		exit(1);
	}
	if (undoing) {
		outstanding = NULL;
		if (change->kind == FAIL) {
			/* Requests in flight may still meet pages that have failed. */
			for (i = 0; i < depth; i++)
				slots[i].may_fail = true;
			failing = false;
			flush_may_fail = true;
		} else {
			unstable = false;
		}
	}
	last_change = NULL;
	undoing = false;
}

/*
 * While the origin's writes fail, or DRAM is protected, neither is made a second time, and the change is undone soon. A
 * reload would end protection.
 */
static void maybe_change(void)
{
	const struct change *change;

	if (!nr_changes || change_running())
		return;
	end_change();
	if (ssdc_random_below(&change_dice, change_every))
		return;
	if (outstanding && ssdc_random_below(&change_dice, 4)) {
		begin_change(outstanding, true);
		return;
	}
	change = &changes[ssdc_random_below(&change_dice, nr_changes)];
	switch (change->kind) {
	case RELOAD:
		if (unstable)
			return;
		break;
	case FAIL:
	case PROTECT:
		if (outstanding || ssdc_random_below(&change_dice, 4))
			return;
		break;
	default:
		break;
	}
	begin_change(change, false);
}

static void wait_for_change(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	while (change_running()) {
		nanosleep(&pause, NULL);
		harvest(0);
	}
	end_change();
}

static void end_changes(void)
{
	wait_for_change();
	if (outstanding) {
		begin_change(outstanding, true);
		wait_for_change();
	}
}

static void run(void)
{
	uint64_t end_ns = now_ns() + seconds * 1000000000ull, requests = 0;
	unsigned int i;

	while (requests < max_requests && now_ns() < end_ns && !stopped) {
		for (i = 0; i < depth; i++) {
			if (slots[i].busy || stopped)
				continue;
			maybe_change();
			requests += start(&slots[i], choose_op());
		}
		harvest(in_flight == depth);
	}
	end_changes();
	while (in_flight)
		harvest(1);
}

/* With no request in flight: everything acknowledged becomes durable. */
static void flush_all(void)
{
	uint64_t flushes = counts[FLUSH];

	do {
		start(&slots[0], FLUSH);
		harvest(1);
	} while (counts[FLUSH] == flushes);
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

/* Granularity of discards, in sectors */
static unsigned int discard_granule(void)
{
	struct stat stat;
	char path[128];
	unsigned int bytes = 0;
	FILE *file;

	if (fstat(fd, &stat))
		die("%s: %s", device, strerror(errno));
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/discard_granularity", major(stat.st_rdev),
		 minor(stat.st_rdev));
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%u", &bytes) != 1)
			bytes = 0;
		fclose(file);
	}
	return bytes > SECTOR ? bytes / SECTOR : 1;
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
	granule = discard_granule();
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
	if (changes_name)
		read_changes(changes_name);
	if (mark_disk_name) {
		mark_disk = open(mark_disk_name, O_WRONLY | O_DIRECT | O_CLOEXEC);
		mark_offset = lseek(mark_disk, 0, SEEK_END) - SECTOR;
		if (mark_offset < 0)
			die("%s: %s", mark_disk_name, strerror(errno));
	}
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
	{ "zeroes", required_argument, NULL, 'z' },
	{ "changes", required_argument, NULL, 'C' },
	{ "change-every", required_argument, NULL, 'E' },
	{ "sync", no_argument, NULL, 'S' },
	{ "journal", required_argument, NULL, 'j' },
	{ "mark", required_argument, NULL, 'm' },
	{ "mark-on", required_argument, NULL, 'M' },
	{ "until-error", no_argument, NULL, 'e' },
	{}
};

static void usage(void)
{
	fputs("usage: crash-writer --device DEV [--sectors N] [--requests N] [--seconds N] [--depth N]\n"
	      "                    [--max-sectors N] [--seed N]\n"
	      "                    [--journal FILE [--mark LOG-WRITES-DEVICE] [--mark-on DISK]]\n"
	      "                    [--reads PERCENT] [--fua PERCENT] [--flushes PERCENT] [--discards PERCENT]\n"
	      "                    [--zeroes PERCENT] [--changes FILE [--change-every REQUESTS]] [--sync]\n"
	      "                    [--until-error]\n"
	      "With --mark-on, marks are writes to the last sector of DISK.\n"
	      "With --sync, the journal survives a crash of this system.\n"
	      "With --until-error, the first failed write counts as the crash, and ends the run.\n"
	      "Exit status: 0 all data were right, 1 some were wrong, 2 cannot run.\n", stderr);
	exit(2);
}

static void take_option(int option)
{
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
	case 'z':
		share[ZERO] = number("--zeroes", optarg);
		break;
	case 'C':
		changes_name = optarg;
		break;
	case 'E':
		change_every = number("--change-every", optarg);
		break;
	case 'S':
		synced = true;
		break;
	case 'j':
		journal_name = optarg;
		break;
	case 'm':
		mark_device = optarg;
		break;
	case 'M':
		mark_disk_name = optarg;
		break;
	case 'e':
		until_error = true;
		break;
	default:
		usage();
	}
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		take_option(option);
	if (!device || optind < argc || !depth || depth > MAX_DEPTH || !max_nr || max_nr > MAX_SECTORS || !seed ||
	    !change_every)
		usage();
}

static void report(void)
{
	enum change_kind kind;
	enum op op;

	for (op = 0; op < NR_OPS; op++) {
		printf("%" PRIu64 " %s", counts[op], op_names[op]);
		if (failed[op])
			printf(" (%" PRIu64 " failed)", failed[op]);
		printf(", ");
	}
	for (kind = 0; nr_changes && kind < NR_CHANGE_KINDS; kind++)
		if (change_counts[kind])
			printf("%" PRIu64 " %s, ", change_counts[kind], change_names[kind]);
	printf("%" PRIu64 " marks\n", marks);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	ssdc_random_seed(&dice, seed);
	ssdc_random_seed(&change_dice, ~seed);
	prepare();
	run();
	if (until_error && !stopped)
		die("%s: no error", device);
	if (!stopped) {
		if (journal)
			flush_all();
		check_all();
	}
	if (journal && fclose(journal))
		die("%s: %s", journal_name, strerror(errno));
	report();
	return 0;
}
