// SPDX-License-Identifier: GPL-2.0
/*
 * Readable but wrong blocks in the log of ssdflash on a zoned drive. What was acknowledged must not
 * be lost in silence; what a power failure can leave must start.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/crc32.h>
#include "../harness.h"
#include "lab.h"

#define BLOCK_SECTORS	DMSF_LOG_BLOCK_SECTORS

/* The newer region of the log. */
struct log_place {
	u32 region;
	u32 per_zone;			/* blocks */
	u32 map_blocks;
	u32 end;			/* block after the last commit */
};

static u32 sector_of(const struct log_place *log, u32 region, u32 block)
{
	u32 zone = region * first_data_zone / 2 + block / log->per_zone;

	return zone * ZONE_SECTORS + block % log->per_zone * BLOCK_SECTORS;
}

static struct log_place place_of(const struct dmsf_target *f)
{
	const struct dmsf_zoned *z = f->zoned;

	return (struct log_place) {
		.region = z->log.region,
		.per_zone = z->layout.capacity_sectors / BLOCK_SECTORS,
		.map_blocks = z->log.map_blocks,
		.end = z->log.next_block,
	};
}

/* An orderly removal. */
static struct log_place removed(struct dmsf_target *f)
{
	struct log_place log;

	stop_target(f);
	log = place_of(f);
	destroy_target(f);
	settle_all();
	return log;
}

/* A bit that has changed. */
struct flip {
	char *byte;
	char mask;
};

static struct flip flip_bit(const struct log_place *log, u32 region, u32 block)
{
	char *data = (char *)drive_data(sector_of(log, region, block));
	struct flip flip = { .byte = data + rnd(BLOCK_SECTORS * SECTOR), .mask = 1 << rnd(8) };

	*flip.byte ^= flip.mask;
	return flip;
}

static void flip_back(const struct flip *flip)
{
	*flip->byte ^= flip->mask;
}

static bool starts(bool right)
{
	struct dmsf_target *f = create_target();
	bool ok = f && start_target(f);

	if (ok && right)
		check_all();
	if (f)
		destroy_target(f);
	if (ok)
		settle_all();
	return ok;
}

/* The start is refused, names what is damaged, and changes nothing. */
static bool is_refused(const char *what)
{
	u32 sum = drive_sum();

	refused.text[0] = '\0';
	if (!starts(false) && refusal == -EUCLEAN && strstr(refused.text, what) && sum == drive_sum())
		return true;
	diag("wanted \"%s\", got \"%s\" (%d)%s", what, refused.text, refusal,
	     sum == drive_sum() ? "" : "; the drive has changed");
	return false;
}

static bool block_is_refused(const struct log_place *log, u32 block)
{
	struct flip flip = flip_bit(log, log->region, block);
	char what[64];
	bool ok;

	snprintf(what, sizeof(what), "block %u of region %u", block, log->region);
	ok = is_refused(what);
	flip_back(&flip);
	return ok;
}

static void begin_case(void)
{
	drive_wrong = NULL;
	spoils = 0;
	garbage = false;
}

/* Changes of all pages; their commit has several blocks. */
static void write_all(void)
{
	u32 at, nr;

	for (at = 0; at < nr_sectors; at += nr) {
		nr = min(nr_sectors - at, page_sectors * (MAX_SECTORS / page_sectors));
		submit_write(&hosts[0], at, nr);
		wait_for_hosts();
	}
}

static void some_commits(u32 nr)
{
	while (nr--) {
		some_requests(20);
		wait_for_hosts();
		flush_now(&hosts[0]);
	}
}

static void commit_until(struct dmsf_target *f, u32 next_block)
{
	while (f->zoned->log.next_block < next_block && !drive_wrong)
		some_commits(1);
}

/* In the first life, or after many regions: any block but the last commit, of which nothing is left. */
void check_rotten_log(void)
{
	u32 n, i, tried = 0, right = 0, lives = 0;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 8 && !drive_wrong && right == tried; n++) {
		f = started_target(n);
		for (i = 0; i < n / 2; i++) {
			fill_log(f);
			some_commits(1);
		}
		write_all();
		flush_now(&hosts[0]);
		some_commits(n);
		log = removed(f);
		for (i = 0; i + 1 < log.end && right == tried; i++, tried++)
			right += block_is_refused(&log, i);
		lives += right == tried && starts(true);
		remove_drive();
	}
	result(!drive_wrong && right == tried && lives == n - 1,
	       "a wrong block before a commit is noticed: %u of %u%s%s", right, tried,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * All commits of the only region are wrong, or of the newer one, or also its header: the write pointers
 * tell that there were some.
 */
void check_rotten_commits(void)
{
	u32 n, i, right = 0, first;
	struct log_place log;
	struct dmsf_target *f;
	char what[64];

	begin_case();
	for (n = 1; n <= 6 && !drive_wrong; n++) {
		f = started_target(n);
		if (n % 3) {
			removed(f);
			f = create_target();
			start_target(f);
		}
		log = place_of(f);
		commit_until(f, log.map_blocks + 3 + f->zoned->log.epoch_blocks);
		log = removed(f);
		for (i = log.map_blocks + 1; i < log.end; i++)
			flip_bit(&log, log.region, i);
		first = n % 3 == 2 ? 0 : log.map_blocks + 1;
		if (!first)
			flip_bit(&log, log.region, 0);
		snprintf(what, sizeof(what), "block %u of region %u", first, log.region);
		right += is_refused(what);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1, "wrong commits only are noticed: %u of %u%s%s", right,
	       n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

static void set_crc(unsigned char *block)
{
	u32 crc;

	memset(block + 8, 0, sizeof(crc));
	crc = crc32_le(~0U, block, DMSF_LOG_BLOCK_BYTES);
	memcpy(block + 8, &crc, sizeof(crc));
}

/*
 * In logs of older drivers, a commit does not tell whether it was written with the blocks before it,
 * up to 16. A crash may have torn these.
 */
void check_rotten_old_log(void)
{
	u32 n, i, right = 0;
	struct dmsf_target *f;
	struct log_place log;
	struct flip flip;

	begin_case();
	for (n = 1; n <= 4 && !drive_wrong; n++) {
		f = started_target(n);
		write_all();
		flush_now(&hosts[0]);
		commit_until(f, f->zoned->log.map_blocks + 30);
		log = removed(f);
		for (i = log.map_blocks + 1; i < log.end; i++) {
			unsigned char *block = (unsigned char *)drive_data(sector_of(&log, log.region, i));

			/* The field `alone` is behind those that every block has. */
			memset(block + 40, 0, sizeof(u32));
			set_crc(block);
		}
		/* Far from the last commit, and before two commits; but with the first of all intact. */
		right += block_is_refused(&log, 0);
		right += block_is_refused(&log, 1);
		right += block_is_refused(&log, log.end - 20);
		right += block_is_refused(&log, log.end - 3);
		/* Only the last commit is after this one, and the zones may tell that it is missing. */
		flip = flip_bit(&log, log.region, log.end - 2);
		right += starts(false) || !strstr(refused.text, "the log is damaged");
		flip_back(&flip);
		remove_drive();
	}
	result(!drive_wrong && right == 5 * (n - 1),
	       "a wrong block of a log by an older driver is noticed if that can be proved: %u of %u%s%s",
	       right, 5 * (n - 1), drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* Nothing in the older region is needed. */
void check_rotten_older_region(void)
{
	u32 n, right = 0, older_end = 0;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	f = started_target(3);
	for (n = 0; n < 40 && !drive_wrong; n++) {
		some_commits(1 + rnd(6));
		log = removed(f);
		/* Often the header or the map. */
		if (older_end)
			flip_bit(&log, !log.region, rnd(2) ? n % 8 % older_end : rnd(older_end));
		older_end = log.end;
		f = create_target();
		if (!f || !start_target(f))
			break;
		check_all();
		right++;
	}
	if (f)
		destroy_target(f);
	remove_drive();
	result(!drive_wrong && right == 40, "a wrong block of the older region is ignored: %u of 40 %s%s",
	       right, drive_wrong ? drive_wrong : "", right < 40 ? refused.text : "");
}

static bool has_data(void)
{
	u32 at, i;

	for (i = 0; i < 1000; i++)
		if (drive_pick(first_data_zone, &at))
			return true;
	return false;
}

/*
 * There is one region only, with one commit, and then data: it is not an empty drive. Without the
 * data, nothing was acknowledged.
 */
void check_rotten_first_region(void)
{
	u32 n, right = 0, empty = 0;
	struct dmsf_target *f;
	struct log_place log;
	struct flip flip;

	begin_case();
	for (n = 1; n <= 8 && !drive_wrong; n++) {
		f = started_target(n);
		log = place_of(f);
		submit_write(&hosts[0], 0, page_sectors);
		wait_for_hosts();
		/* Without a FLUSH, the data are in no commit. */
		drive_cut_after(1);
		submit_write(&hosts[0], 0, page_sectors);
		wait_for_hosts();
		destroy_target(f);
		drive_cut_after(0);
		drive_power_on();
		flip = flip_bit(&log, log.region, log.map_blocks + 1);
		/* The power failure may have left no data. */
		if (has_data()) {
			right += is_refused("region 1");
			flip_back(&flip);
			right += starts(true);
		} else {
			right += 2 * starts(true);
			empty++;
		}
		remove_drive();
	}
	result(!drive_wrong && right == 16 && empty < 8,
	       "a wrong first commit is not a new drive: %u of 16%s%s", right, drive_wrong ? ": " : "",
	       drive_wrong ? drive_wrong : "");
}

static void reset_zone(u32 zone)
{
	struct bio bio;

	bio_init(&bio, &drive, NULL, 0, REQ_OP_ZONE_RESET);
	bio.bi_iter.bi_sector = zone * ZONE_SECTORS;
	submit_bio_wait(&bio);
}

static void reset_log_zones(const struct log_place *log, u32 first, u32 nr)
{
	while (nr--)
		reset_zone(log->region * first_data_zone / 2 + first++);
}

/*
 * Somebody resets a zone of the newer region. Whoever resets all of them gets the older region, which
 * knows all if nothing has changed since.
 */
void check_reset_zone(void)
{
	u32 n, zone, tried = 0, right = 0;
	struct log_place log;
	struct dmsf_target *f;
	char what[64];

	begin_case();
	for (n = 1; n <= 6 && !drive_wrong; n++, tried += 3) {
		f = started_target(n);
		some_commits(3);
		removed(f);
		f = create_target();
		start_target(f);
		log = removed(f);
		right += block_is_refused(&log, 1);
		reset_log_zones(&log, 0, first_data_zone / 2);
		right += starts(true);
		f = create_target();
		start_target(f);
		zone = n % 2;
		commit_until(f, (zone + 2) * log.per_zone);
		log = removed(f);
		reset_log_zones(&log, zone, 1);
		snprintf(what, sizeof(what), "block %u of region %u", zone * log.per_zone, log.region);
		right += is_refused(what);
		remove_drive();
	}
	result(!drive_wrong && right == tried, "a reset zone of the log is noticed: %u of %u%s%s", right,
	       tried, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

static void set_generation(const struct log_place *log, u64 generation)
{
	unsigned char *block = (unsigned char *)drive_data(sector_of(log, log->region, 0));

	memcpy(block + 16, &generation, sizeof(generation));
	set_crc(block);
}

/* The next generation would be 0, or is. */
void check_generations(void)
{
	static const u64 wrong[] = { 0, U64_MAX, U64_MAX / 2 + 1 };
	u32 i, right = 0;
	struct log_place log;
	char what[64];

	begin_case();
	log = removed(started_target(5));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		set_generation(&log, wrong[i]);
		snprintf(what, sizeof(what), "region %u has generation %llu", log.region,
			 (unsigned long long)wrong[i]);
		right += is_refused(what);
	}
	set_generation(&log, 1);
	right += starts(true);
	remove_drive();
	result(!drive_wrong && right == 4, "generations that no log reaches are refused: %u of 4%s%s",
	       right, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * Power failures have left a region without a header, with blocks of its last commits, and perhaps
 * of an attempt to begin it that got no commit: all resets but that of its first zone were lost.
 */
void check_half_reset_region(void)
{
	u32 n, right = 0, first;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 6 && !drive_wrong; n++) {
		f = started_target(n);
		commit_until(f, 3 * place_of(f).per_zone);
		removed(f);
		f = create_target();
		start_target(f);
		some_commits(2);
		log = removed(f);
		first = !log.region * first_data_zone / 2;
		reset_zone(first);
		if (n % 2) {
			char *block = (char *)drive_data((first + 1) * ZONE_SECTORS);
			u64 generation;

			/* A block of the map, of the next generation. */
			block[12] = 1;
			memcpy(&generation, block + 16, sizeof(generation));
			generation += 2;
			memcpy(block + 16, &generation, sizeof(generation));
			set_crc((unsigned char *)block);
		}
		right += starts(true);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1, "a region that is half reset is ignored: %u of %u %s%s",
	       right, n - 1, drive_wrong ? drive_wrong : "", right < n - 1 ? refused.text : "");
}

/* Power failures while a region begins, also the very first one, and again during the next starts. */
void check_cut_checkpoints(void)
{
	u32 n, i, right = 0, cuts = 0;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 120 && !drive_wrong; n++) {
		drive_seed(n);
		prepare(n);
		f = create_target();
		if (n % 3)
			start_target(f);
		if (n % 3 == 2)
			some_commits(2);
		if (n % 3)
			fill_log(f);
		for (i = n % 4 + 1; f && i && !drive_wrong; i--) {
			drive_cut_after(1 + rnd(14));
			if (running)
				flush_now(&hosts[0]);
			else
				start_target(f);
			destroy_target(f);
			cuts += drive_is_off();
			drive_power_on();
			garbage = false;
			f = create_target();
		}
		right += f && start_target(f);
		if (running)
			check_all();
		if (f)
			destroy_target(f);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1 && cuts > 200,
	       "power failures while a region begins: %u, %u of %u start%s%s", cuts, right, n - 1,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* Power failures during a commit of several blocks, before the FLUSH that waits for it completes. */
void check_cut_commits(void)
{
	u32 n, right = 0, cuts = 0;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 400 && !drive_wrong; n++) {
		f = started_target(n);
		write_all();
		drive_cut_after(1 + n % 3);
		flush_now(&hosts[0]);
		destroy_target(f);
		cuts += drive_is_off();
		drive_power_on();
		garbage = false;
		right += starts(true);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1 && cuts > 200,
	       "power failures during commits of several blocks: %u, %u of %u start%s%s", cuts, right,
	       n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}
