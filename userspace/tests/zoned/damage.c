// SPDX-License-Identifier: GPL-2.0
/*
 * Readable but wrong blocks in the log of ssdflash on a zoned drive. What was acknowledged must not
 * be lost in silence; what a power failure can leave must start.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../harness.h"
#include "lab.h"

#define BLOCK_SECTORS	DMSF_LOG_BLOCK_SECTORS

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

/* A block that will be wrong, and at which of the model's turns. */
static struct {
	const struct log_place *log;
	u32 block;
	u32 after;
	struct flip flip;
} rot;

static bool rot_later(void)
{
	if (rot.after && !--rot.after)
		rot.flip = flip_bit(rot.log, rot.log->region, rot.block);
	return tick();
}

/* A block is right when the log is searched, and wrong when the map is read from it. */
void check_changing_log(void)
{
	u32 n, right = 0, changed = 0;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	kernel_tick = rot_later;
	for (n = 1; n <= 60 && !drive_wrong; n++) {
		f = started_target(n);
		write_all();
		flush_now(&hosts[0]);
		some_commits(1);
		log = removed(f);
		rot.log = &log;
		rot.block = rnd(log.end - 1);
		rot.after = 1 + rnd(60);
		kernel_slow_down(8);
		if (starts(true)) {
			right++;
		} else if (refusal == -EUCLEAN && !rot.after) {
			changed += !!strstr(refused.text, "has changed");
			flip_back(&rot.flip);
			right += starts(true);
		}
		kernel_slow_down(0);
		rot.after = 0;
		remove_drive();
	}
	kernel_tick = tick;
	result(!drive_wrong && right == n - 1 && changed,
	       "a block that turns wrong during a start is noticed: %u of %u, %u late%s%s", right, n - 1,
	       changed, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* A block has been written where another one was. */
void check_misplaced_blocks(void)
{
	char block[DMSF_LOG_BLOCK_BYTES], what[64];
	u32 n, i, tried = 0, right = 0;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 3 && !drive_wrong; n++) {
		f = started_target(n);
		write_all();
		flush_now(&hosts[0]);
		some_commits(n);
		log = removed(f);
		for (i = 1; i + 2 < log.end; i++, tried++) {
			char *data = (char *)drive_data(block_sector(&log, log.region, i));

			memcpy(block, data, sizeof(block));
			memcpy(data, drive_data(block_sector(&log, log.region, i + 1)), sizeof(block));
			snprintf(what, sizeof(what), "block %u of region %u", i, log.region);
			right += is_refused(what);
			memcpy(data, block, sizeof(block));
		}
		remove_drive();
	}
	result(!drive_wrong && right == tried, "a block in the place of another is noticed: %u of %u%s%s",
	       right, tried, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * All commits of the only region are wrong, or of the newer one, or also its header, or all of it: the
 * write pointers tell that there were some.
 */
void check_rotten_commits(void)
{
	u32 n, i, right = 0, first;
	struct log_place log;
	struct dmsf_target *f;
	char what[64];

	begin_case();
	for (n = 1; n <= 8 && !drive_wrong; n++) {
		f = started_target(n);
		if (n % 4) {
			removed(f);
			f = create_target();
			start_target(f);
		}
		log = place_of(f);
		/* A write pointer tells nothing if its zone is full, and has no valid block. */
		commit_until(f, log.map_blocks + 3 + (n % 4 < 3 ? f->zoned->log.epoch_blocks : 0));
		log = removed(f);
		for (i = n % 4 < 3 ? log.map_blocks + 1 : 1; i < log.end; i++)
			flip_bit(&log, log.region, i);
		first = n % 4 > 1 ? 0 : log.map_blocks + 1;
		if (!first)
			flip_bit(&log, log.region, 0);
		snprintf(what, sizeof(what), "block %u of region %u", first, log.region);
		right += is_refused(what);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1, "wrong commits only are noticed: %u of %u%s%s", right,
	       n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
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
			unsigned char *block = (unsigned char *)drive_data(block_sector(&log, log.region, i));

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

/*
 * The newer region has no commit, as the power has failed when it was begun: the older one is needed,
 * with all its commits.
 */
void check_needed_older_region(void)
{
	u32 n, i, right = 0, tried = 0, sector;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 4 && !drive_wrong; n++) {
		f = started_target(n);
		some_commits(3);
		removed(f);
		f = create_target();
		start_target(f);
		some_commits(3 * n);
		log = removed(f);
		for (i = 0; i < first_data_zone / 2; i++)
			reset_zone(!log.region * first_data_zone / 2 + i);
		write_zone(!log.region * first_data_zone / 2,
			   drive_data(block_sector(&log, log.region, 0)), BLOCK_SECTORS);
		set_generation(&log, !log.region, 0, 3);
		for (i = 0; i + 1 < log.end; i++, tried += 2) {
			right += block_is_refused(&log, i);
			sector = block_sector(&log, log.region, i) + rnd(BLOCK_SECTORS);
			drive_spoil(sector, true);
			right += is_refused_as(-EIO, "the log cannot be read");
			drive_spoil(sector, false);
		}
		right += starts(true);
		tried++;
		remove_drive();
	}
	result(!drive_wrong && right == tried,
	       "damage beside a newer region without a commit is noticed: %u of %u%s%s", right, tried,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
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

/*
 * Nobody knows which region is newer: its header cannot be read any more when the table is resumed,
 * and the search for blocks fails.
 */
void check_unreadable_header(void)
{
	u32 n, right = 0, failures = 0, sector;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	f = started_target(1);
	some_commits(3);
	removed(f);
	f = create_target();
	start_target(f);
	log = removed(f);
	sector = block_sector(&log, log.region, 0);
	for (n = 1; n <= 100 && !drive_wrong; n++) {
		f = create_target();
		drive_spoil(sector, true);
		if (n % 2)
			drive_fail_after(n / 2 + 1);
		else
			drive_kill_after(n / 2);
		right += !start_target(f);
		failures += drive_has_failed() || drive_is_killed();
		destroy_target(f);
		drive_kill_after(0);
		drive_power_on();
		drive_spoil(sector, false);
	}
	right += starts(true);
	remove_drive();
	result(!drive_wrong && right == n && failures > 10,
	       "an unreadable header and a further error are refused: %u of %u, %u errors%s%s", right, n,
	       failures, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
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
		set_generation(&log, log.region, 0, wrong[i]);
		snprintf(what, sizeof(what), "region %u has generation %llu", log.region,
			 (unsigned long long)wrong[i]);
		right += is_refused(what);
	}
	set_generation(&log, log.region, 0, 1);
	right += starts(true);
	remove_drive();
	result(!drive_wrong && right == 4, "generations that no log reaches are refused: %u of 4%s%s",
	       right, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}
