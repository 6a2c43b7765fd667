// SPDX-License-Identifier: GPL-2.0
/*
 * Checks a log of writes, of dm-log-writes or of QEMU's blklogwrites, against the journal of crash-writer: whatever moment
 * power is lost at, what was acknowledged as durable until then must be there. Also makes the image that is left.
 *
 * dm-log-writes logs a write once no volatile cache can hold it any more: when a FLUSH that began after the write has
 * ended, or when the write has ended if it has FUA. So what the log holds up to a mark is on stable media at that moment, and
 * each write that follows may be, in whole, in part or not at all, and in any order. Three checks follow from this:
 *
 * - prefixes: each entry of the log is applied in turn. Each sector must always be as new as was acknowledged.
 * - every subset: promises are made for single logical blocks, and they only grow. So the first check, which looks at each
 *   version of each block that the log holds, is enough for any subset of the writes in any order, as long as a version is
 *   checked against the promises at the time when it is logged or later.
 * - samples: with --samples, random subsets are checked all the same, after each mark: whole writes are left out or
 *   applied in another order, and others only in part. This would find a mistake in the reasoning above.
 *
 * QEMU logs each write when it has ended, and FLUSHes where they end. With --mark-on, such a log is first put into the
 * order of dm-log-writes. Its marks are writes to the last sector of the disk. (A write that ends while a FLUSH is in flight
 * counts as covered by it, although it need not be.)
 *
 * The checks are incremental: an entry costs what it writes, a mark what it promises, and a sample what it might contain.
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
#include "../../dm-ssdcache/base/random.h"
#include "crash-format.h"

#define LOG_MAGIC 0x6a736677736872ull
#define LOG_VERSION 1
#define LOG_FLUSH 1
#define LOG_FUA 2
#define LOG_DISCARD 4
#define LOG_MARK 8
#define SHOWN_LOSSES 10
#define SAMPLED_FLUSHES 2

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

/* An entry of the log in memory. @versions: what it writes, as stamp_of() returns it; NULL for a discard */
struct entry {
	uint64_t sector, nr, flags, data_at;
	uint64_t mark;		/* LOG_MARK: its number, or 0 for a mark of dm-log-writes */
	uint64_t *versions;
};

static const char *log_name, *target_name, *checked_name, *journal_name, *until;
static uint64_t seed = 1, nr_samples, block_sectors = 1;
static bool cut, mark_on;

static int log_fd;
static struct entry *entries;
static uint64_t nr_entries;

static char *target;		/* mapping of the device replayed to, or checked */
static uint64_t target_bytes;

static struct ssdc_random dice;
static FILE *journal;
static uint64_t mark, losses, samples, superseded;

/* For each sector. */
static uint64_t nr_sectors;
static uint64_t *media;		/* what is on stable media */
static uint64_t *durable;	/* the oldest request that may be there */
static uint64_t *by_fua;	/* the number of FLUSHes before media was written by FUA, plus 1 */
static uint64_t *or_else;	/* if not 0, the device may have this request instead; see apply() */

/* A reader of the journal that looks only for discards. @zeroed: for each sector the last discard that was started */
struct discards {
	FILE *file;
	uint64_t mark, *zeroed;
};

/* Ahead of the mark by one mark, and up to the end of a sample */
static struct discards ahead, sampled;

/* The image of a sample: valid where @picked_in is the sample's number */
static uint64_t *picked, *picked_in;

static void read_log(void *data, size_t bytes, uint64_t offset)
{
	ssize_t n = pread(log_fd, data, bytes, offset);

	if (n != (ssize_t)bytes)
		die("%s: %s", log_name, n < 0 ? strerror(errno) : "is too short");
}

static void read_versions(struct entry *entry)
{
	static char *data;
	static uint64_t room;
	uint64_t i;

	if (entry->nr > room) {
		room = entry->nr;
		data = realloc(data, room * SECTOR);
		if (!data)
			die("no memory");
	}
	read_log(data, entry->nr * SECTOR, entry->data_at);
	entry->versions = allocate(entry->nr * sizeof(*entry->versions));
	for (i = 0; i < entry->nr; i++)
		entry->versions[i] = stamp_of(data + i * SECTOR, entry->sector + i);
}

static void load_log(void)
{
	struct log_super super;
	struct log_entry *raw;
	uint64_t at, scale, i;
	char block[SECTOR], *buffer;

	log_fd = open(log_name, O_RDONLY | O_CLOEXEC);
	if (log_fd < 0)
		die("%s: %s", log_name, strerror(errno));
	read_log(block, sizeof(block), 0);
	memcpy(&super, block, sizeof(super));
	if (le64toh(super.magic) != LOG_MAGIC || le64toh(super.version) != LOG_VERSION)
		die("%s: is no log of writes", log_name);
	nr_entries = le64toh(super.nr_entries);
	at = le32toh(super.block_bytes);
	scale = at / SECTOR;
	buffer = allocate(at + 1);
	raw = (struct log_entry *)buffer;
	entries = allocate((nr_entries + 1) * sizeof(*entries));
	for (i = 0; i < nr_entries; i++) {
		struct entry *entry = &entries[i];

		read_log(buffer, scale * SECTOR, at);
		at += scale * SECTOR;
		entry->sector = le64toh(raw->sector) * scale;
		entry->nr = le64toh(raw->nr_sectors) * scale;
		entry->flags = le64toh(raw->flags);
		entry->data_at = at;
		if (entry->flags & LOG_MARK) {
			if (until && !strcmp(raw->data, until)) {
				nr_entries = i;
				break;
			}
			entry->mark = strtoull(raw->data, NULL, 10);
			entry->nr = 0;
			continue;
		}
		if (entry->sector + entry->nr > nr_sectors)
			die("%s: a request of %" PRIu64 " sectors at %" PRIu64 " is beyond the device", log_name,
			    entry->nr, entry->sector);
		if (entry->flags & LOG_DISCARD)
			continue;
		at += entry->nr * SECTOR;
		if (journal)
			read_versions(entry);
	}
	if (until && i == le64toh(super.nr_entries))
		die("%s: there is no mark %s", log_name, until);
	free(buffer);
}

/* Is the entry a mark of crash-writer --mark-on? */
static bool is_mark_on(const struct entry *entry)
{
	char data[SECTOR];

	if (entry->sector != nr_sectors - 1 || entry->nr != 1 || entry->flags & LOG_DISCARD)
		return false;
	read_log(data, sizeof(data), entry->data_at);
	return stamp_of(data, MARK_SECTOR) != UINT64_MAX;
}

static void make_mark(struct entry *entry)
{
	char data[SECTOR];

	read_log(data, sizeof(data), entry->data_at);
	entry->mark = stamp_of(data, MARK_SECTOR);
	entry->flags = LOG_MARK;
	entry->nr = 0;
}

/* Move writes behind the marks before the FLUSH that makes them stable. */
static void order_by_flushes(void)
{
	struct entry *unflushed = allocate((nr_entries + 1) * sizeof(*unflushed));
	uint64_t at, to = 0, nr = 0;

	for (at = 0; at < nr_entries; at++) {
		struct entry entry = entries[at];

		if (is_mark_on(&entry)) {
			make_mark(&entry);
			entries[to++] = entry;
			continue;
		}
		unflushed[nr++] = entry;
		if (entry.flags & LOG_FLUSH) {
			memcpy(entries + to, unflushed, nr * sizeof(entry));
			to += nr;
			nr = 0;
		}
	}
	memcpy(entries + to, unflushed, nr * sizeof(*unflushed));
	free(unflushed);
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
}

static FILE *open_journal(void)
{
	FILE *file = fopen(journal_name, "r");

	if (!file)
		die("%s: %s", journal_name, strerror(errno));
	return file;
}

static void open_discards(struct discards *discards)
{
	discards->file = open_journal();
	discards->zeroed = allocate(nr_sectors * sizeof(*discards->zeroed));
}

static void prepare_checks(void)
{
	media = allocate(nr_sectors * sizeof(*media));
	durable = allocate(nr_sectors * sizeof(*durable));
	by_fua = allocate(nr_sectors * sizeof(*by_fua));
	or_else = allocate(nr_sectors * sizeof(*or_else));
	picked = allocate(nr_sectors * sizeof(*picked));
	picked_in = allocate(nr_sectors * sizeof(*picked_in));
	open_discards(&ahead);
	open_discards(&sampled);
}

static void print_version(uint64_t version)
{
	if (version == UINT64_MAX)
		printf("garbage");
	else if (version)
		printf("data of request %" PRIu64, version);
	else
		printf("zeroes");
}

static void show_loss(const char *what, uint64_t sector, uint64_t version, uint64_t entry)
{
	if (losses++ >= SHOWN_LOSSES)
		return;
	printf("%s: mark %" PRIu64 ", log entry %" PRIu64 ", sector %" PRIu64 ": ", what, mark, entry, sector);
	print_version(version);
	printf(", want request %" PRIu64 " or newer\n", durable[sector]);
}

/* Is the version as new as was acknowledged as durable? */
static bool is_right(const struct discards *discards, uint64_t sector, uint64_t version)
{
	if (!version)
		return discards->zeroed[sector] >= durable[sector];
	return version != UINT64_MAX && version >= durable[sector];
}

static void check_sectors(const char *what, uint64_t first, uint64_t nr, uint64_t entry)
{
	uint64_t sector;

	for (sector = first; sector < first + nr; sector++)
		if (!is_right(&ahead, sector, media[sector]))
			show_loss(what, sector, media[sector], entry);
}

/* All sectors of a logical block are of the same request. */
static void check_torn(const uint64_t *versions, uint64_t first, uint64_t nr, uint64_t entry)
{
	uint64_t i;

	for (i = 1; i < nr; i++) {
		if ((first + i) % block_sectors == 0 || versions[i] == versions[i - 1])
			continue;
		if (losses++ >= SHOWN_LOSSES)
			continue;
		printf("torn: mark %" PRIu64 ", log entry %" PRIu64 ", sector %" PRIu64 ": ", mark, entry, first + i);
		print_version(versions[i]);
		printf(", before it in the same block ");
		print_version(versions[i - 1]);
		printf("\n");
	}
}

static void check_range(const struct record *record)
{
	if (record->sector + record->nr > nr_sectors)
		die("%s: sector %" PRIu64 " is beyond the device", journal_name, record->sector + record->nr - 1);
}

/* A discard that was started after a mark may be in the log before the next mark. */
static void read_discards(struct discards *discards, uint64_t to_mark)
{
	struct record record;
	uint64_t i;

	while (discards->mark < to_mark && fread(&record, sizeof(record), 1, discards->file) == 1) {
		if (record.kind == MARK)
			discards->mark = record.seq;
		if (record.kind != ZEROED)
			continue;
		check_range(&record);
		for (i = record.sector; i < record.sector + record.nr; i++)
			discards->zeroed[i] = record.seq;
	}
}

/* Read the journal up to and including the next mark, and check what it promises. Returns false at its end. */
static bool journal_to_mark(uint64_t entry)
{
	struct record record;
	uint64_t i;

	while (fread(&record, sizeof(record), 1, journal) == 1) {
		if (record.kind == MARK) {
			mark = record.seq;
			return true;
		}
		if (record.kind != DURABLE)
			continue;
		check_range(&record);
		for (i = record.sector; i < record.sector + record.nr; i++)
			if (durable[i] < record.seq)
				durable[i] = record.seq;
		check_sectors("lost", record.sector, record.nr, entry);
	}
	return false;
}

/* What an entry leaves in a sector. */
static uint64_t version_in(const struct entry *entry, uint64_t sector)
{
	return entry->versions ? entry->versions[sector - entry->sector] : 0;
}

/* The end of the sample at @from: the entry after the next FLUSHes, or the end of the log */
static uint64_t sample_end(uint64_t from)
{
	unsigned int flushes = 0;

	while (from < nr_entries && flushes < SAMPLED_FLUSHES)
		flushes += !!(entries[from++].flags & LOG_FLUSH);
	return from;
}

static void pick(const struct entry *entry, bool whole)
{
	uint64_t sector;
	bool in = true;

	for (sector = entry->sector; sector < entry->sector + entry->nr; sector++) {
		if (!whole && (sector == entry->sector || sector % block_sectors == 0))
			in = ssdc_random_below(&dice, 2);
		if (!in)
			continue;
		picked[sector] = version_in(entry, sector);
		picked_in[sector] = samples;
	}
}

/* Check the media after a mark with a random subset of the writes from entry @from to @end, in random order. */
static void check_sample(uint64_t from, uint64_t end)
{
	uint64_t nr = end - from, i, sector;
	uint64_t *order = allocate((nr + 1) * sizeof(*order));

	samples++;
	for (i = 0; i < nr; i++) {
		uint64_t at = ssdc_random_below(&dice, i + 1);

		order[i] = order[at];
		order[at] = from + i;
	}
	for (i = 0; i < nr; i++) {
		uint64_t fate = ssdc_random_below(&dice, 4);

		if (fate)
			pick(&entries[order[i]], fate == 1);
	}
	for (i = from; i < end; i++) {
		for (sector = entries[i].sector; sector < entries[i].sector + entries[i].nr; sector++) {
			if (picked_in[sector] != samples)
				picked[sector] = media[sector];
			else if (!is_right(&sampled, sector, picked[sector]))
				show_loss("lost in a sample", sector, picked[sector], i);
		}
		check_torn(picked + entries[i].sector, entries[i].sector, entries[i].nr, i);
	}
	free(order);
}

/* A mark says that the writer has got this far. */
static void reach_mark(uint64_t at)
{
	uint64_t i, end;

	if (!entries[at].mark)
		return;
	if (!journal_to_mark(at)) {
		/* The writer was killed between the two. */
		if (mark_on)
			return;
		die("mark %" PRIu64 " is in the log, but not in the journal", entries[at].mark);
	}
	if (entries[at].mark != mark)
		die("mark %" PRIu64 " in the log, %" PRIu64 " in the journal", entries[at].mark, mark);
	read_discards(&ahead, mark + 1);
	if (!nr_samples)
		return;
	end = sample_end(at + 1);
	for (i = at; i < end; i++)
		if (entries[i].mark)
			read_discards(&sampled, entries[i].mark + 1);
	for (i = 0; i < nr_samples; i++)
		check_sample(at + 1, end);
}

/*
 * A write with FUA is logged when it has ended, an earlier one without FUA only with the next FLUSH. The log has them in the
 * wrong order if both are for the same sector: the device's cache holds the data of the FUA write then.
 */
static bool is_superseded(uint64_t sector, uint64_t version, uint64_t flushes)
{
	uint64_t newest = version ? version : ahead.zeroed[sector];

	return by_fua[sector] == flushes + 1 && newest < media[sector] && media[sector] != UINT64_MAX;
}

/*
 * Apply an entry and check what it writes.
 *
 * Zeroes do not tell which discard they are of. If one was started before the FUA write that a sector has, and another after
 * it, zeroes that are logged with the next FLUSH may be older or newer than the FUA write: the device has one of the two. The
 * promises allow zeroes then, so the checks go on with these; only the comparison with the device has to know both.
 */
static void apply(uint64_t at, uint64_t flushes)
{
	const struct entry *entry = &entries[at];
	uint64_t sector;

	for (sector = entry->sector; sector < entry->sector + entry->nr; sector++) {
		uint64_t version = version_in(entry, sector);

		if (entry->flags & LOG_FUA) {
			by_fua[sector] = flushes + 1;
			or_else[sector] = 0;
		} else if (is_superseded(sector, version, flushes)) {
			superseded++;
			continue;
		} else if (version || by_fua[sector] != flushes + 1) {
			or_else[sector] = 0;
		} else if (media[sector]) {
			or_else[sector] = media[sector];
		}
		media[sector] = version;
	}
	check_sectors("lost", entry->sector, entry->nr, at);
	check_torn(media + entry->sector, entry->sector, entry->nr, at);
}

static void check_log(void)
{
	uint64_t at, flushes = 0;

	read_discards(&ahead, 1);
	for (at = 0; at < nr_entries; at++) {
		if (entries[at].flags & LOG_MARK)
			reach_mark(at);
		else
			apply(at, flushes);
		flushes += !!(entries[at].flags & LOG_FLUSH);
	}
}

/* The device must hold what the whole log leaves. If not, this program or the log is wrong about the order of writes. */
static void compare_device(void)
{
	uint64_t sector, version;

	for (sector = 0; sector < nr_sectors; sector++) {
		version = stamp_of(target + sector * SECTOR, sector);
		if (version == media[sector] || (version && version == or_else[sector]) || losses++ >= SHOWN_LOSSES)
			continue;
		printf("differs: sector %" PRIu64 ": ", sector);
		print_version(version);
		printf(", the log leaves ");
		print_version(media[sector]);
		printf("\n");
	}
}

/* Check a device that a crash has left, against the whole journal. */
static void check_device(void)
{
	uint64_t sector;

	read_discards(&ahead, UINT64_MAX);
	for (sector = 0; sector < nr_sectors; sector++)
		media[sector] = stamp_of(target + sector * SECTOR, sector);
	while (journal_to_mark(0))
		;
	check_torn(media, 0, nr_sectors, 0);
}

static void write_sectors(const struct entry *entry, uint64_t first, uint64_t nr)
{
	if (entry->flags & LOG_DISCARD)
		memset(target + first * SECTOR, 0, nr * SECTOR);
	else
		read_log(target + first * SECTOR, nr * SECTOR, entry->data_at + (first - entry->sector) * SECTOR);
}

/*
 * Write the image that a power cut leaves on a drive with a volatile cache: all up to the last FLUSH, and of the writes
 * after it any logical blocks.
 */
static void write_image(void)
{
	uint64_t at, flushed = cut ? 0 : nr_entries, sector;

	for (at = 0; at < nr_entries; at++)
		if (cut && entries[at].flags & LOG_FLUSH)
			flushed = at + 1;
	for (at = 0; at < nr_entries; at++) {
		const struct entry *entry = &entries[at];

		if (at < flushed || entry->flags & LOG_FUA) {
			write_sectors(entry, entry->sector, entry->nr);
			continue;
		}
		for (sector = entry->sector; sector < entry->sector + entry->nr; sector += block_sectors)
			if (ssdc_random_below(&dice, 2))
				write_sectors(entry, sector, block_sectors);
	}
	if (msync(target, target_bytes, MS_SYNC))
		die("%s: %s", target_name, strerror(errno));
	printf("%" PRIu64 " entries, %" PRIu64 " after the last FLUSH\n", nr_entries, nr_entries - flushed);
}

static const struct option options[] = {
	{ "log", required_argument, NULL, 'l' },
	{ "check", required_argument, NULL, 'c' },
	{ "to", required_argument, NULL, 't' },
	{ "until", required_argument, NULL, 'u' },
	{ "mark-on", no_argument, NULL, 'm' },
	{ "cut", no_argument, NULL, 'C' },
	{ "journal", required_argument, NULL, 'j' },
	{ "samples", required_argument, NULL, 's' },
	{ "seed", required_argument, NULL, 'S' },
	{ "block", required_argument, NULL, 'b' },
	{}
};

static void usage(void)
{
	fputs("usage: crash-replay --log LOG --check DEV --journal FILE [--samples N]\n"
	      "       crash-replay --log LOG --check IMAGE --mark-on --journal FILE [--samples N]\n"
	      "       crash-replay --check DEV --journal FILE\n"
	      "       crash-replay --log LOG --to DEV [--until MARK | --cut]\n"
	      "The first checks the log: after each entry, and with N random subsets of the writes that\n"
	      "follow each mark; and that DEV is what the log leaves. With --mark-on, the log and the marks are\n"
	      "those of QEMU and of crash-writer --mark-on, and IMAGE only tells the size. The third\n"
	      "checks a device that a crash has left. The last writes to DEV, which must be all zeroes, what the log holds up to the mark;\n"
	      "with --cut what a power cut at its end leaves, if FLUSHes are where they are in the log\n"
	      "(QEMU's blklogwrites).\n"
	      "  --block BYTES   logical block of the device, which must not be torn (512)\n"
	      "  --seed N        for --samples and --cut\n"
	      "Exit status: 0 nothing is lost, 1 something is lost, 2 cannot run or no such mark.\n", stderr);
	exit(2);
}

static void parse(int argc, char **argv)
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
		case 'C':
			cut = true;
			break;
		case 'm':
			mark_on = true;
			break;
		case 'j':
			journal_name = optarg;
			break;
		case 'c':
			checked_name = optarg;
			break;
		case 's':
			nr_samples = number("--samples", optarg);
			break;
		case 'S':
			seed = number("--seed", optarg);
			break;
		case 'b':
			block_sectors = number("--block", optarg) / SECTOR;
			break;
		default:
			usage();
		}
	}
	if (optind < argc || !block_sectors || !checked_name == !target_name || !checked_name != !journal_name ||
	    (target_name && !log_name) || ((until || cut) && !target_name) || (until && cut) ||
	    (mark_on && (!log_name || !journal_name)))
		usage();
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	ssdc_random_seed(&dice, seed);
	open_target(target_name ? target_name : checked_name, target_name);
	if (journal_name) {
		journal = open_journal();
		prepare_checks();
	}
	if (log_name)
		load_log();
	if (target_name) {
		write_image();
		return 0;
	}
	if (mark_on) {
		order_by_flushes();
		check_log();
	} else if (log_name) {
		check_log();
		compare_device();
	} else {
		check_device();
	}
	if (!mark)
		die("%s: there are no marks", journal_name);
	if (log_name && !mark_on && journal_to_mark(nr_entries))
		die("%s: mark %" PRIu64 " is missing", log_name, mark);
	printf("%" PRIu64 " entries, %" PRIu64 " marks, %" PRIu64 " samples, %" PRIu64 " superseded, %" PRIu64
	       " losses\n", nr_entries, mark, samples, superseded, losses);
	return losses ? 1 : 0;
}
