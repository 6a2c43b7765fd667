// SPDX-License-Identifier: GPL-2.0
/*
 * What power failures leave of the log of ssdflash on a zoned drive must start, with all that was
 * acknowledged. What they cannot leave is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../harness.h"
#include "lab.h"

/* The header that the next region gets. */
static void get_header(const struct log_place *log, char *block)
{
	u64 generation;

	memcpy(block, drive_data(block_sector(log, log->region, 0)), DMSF_LOG_BLOCK_BYTES);
	memcpy(&generation, block + 16, sizeof(generation));
	generation++;
	memcpy(block + 16, &generation, sizeof(generation));
	set_crc((unsigned char *)block);
}

/* Write the first @nr sectors of a header, the last one perhaps as garbage. */
static void tear_header(u32 zone, const char *header, u32 nr, bool wrong)
{
	char data[(DMSF_LOG_BLOCK_SECTORS + 1) * SECTOR] = {};
	u32 last = min(nr, (u32)DMSF_LOG_BLOCK_SECTORS) - 1;

	memcpy(data, header, DMSF_LOG_BLOCK_BYTES);
	if (nr && wrong)
		memset(data + last * SECTOR, 0xdd, SECTOR);
	if (nr)
		write_zone(zone, data, nr);
}

/* Two regions have commits; the older one is reset, its other zones perhaps not. */
static struct log_place begun_again(u32 seed, bool half)
{
	struct dmsf_target *f = started_target(seed);
	struct log_place log;
	u32 zone;

	commit_until(f, 2 * place_of(f).per_zone);
	log = removed(f);
	/* The limit of active zones. */
	if (log.end % log.per_zone)
		finish_zone(log.region * first_data_zone / 2 + log.end / log.per_zone);
	f = create_target();
	start_target(f);
	some_commits(2);
	log = removed(f);
	for (zone = 0; zone < (half ? 1 : first_data_zone / 2); zone++)
		reset_zone(!log.region * first_data_zone / 2 + zone);
	return log;
}

/* An empty drive, and the header that a start would write first. */
static void new_drive(u32 seed, char *header)
{
	struct log_place log = removed(started_target(seed));

	get_header(&log, header);
	remove_drive();
	drive_seed(seed);
	prepare(seed);
}

/* The header of a region has reached the medium in part, on a new drive and later. */
void check_torn_headers(void)
{
	char header[DMSF_LOG_BLOCK_BYTES];
	u32 n, right = 0, tried = 0;
	struct log_place log;

	begin_case();
	for (n = 0; n < 4 * (DMSF_LOG_BLOCK_SECTORS + 1) && !drive_wrong && right == tried; n++) {
		u32 nr = n / 4;

		log = begun_again(n + 1, n % 2);
		get_header(&log, header);
		tear_header(!log.region * first_data_zone / 2, header, nr, n & 2);
		right += starts(true);
		right += starts(true);
		remove_drive();
		tried += 2;
		/* Garbage in the first sector would look like foreign data. */
		if (n % 2 || (nr == 1 && n & 2))
			continue;
		new_drive(n + 1, header);
		tear_header(first_data_zone / 2, header, nr, n & 2);
		right += starts(true);
		remove_drive();
		tried++;
	}
	result(!drive_wrong && right == tried, "torn headers are ignored: %u of %u %s%s", right, tried,
	       drive_wrong ? drive_wrong : "", right < tried ? refused.text : "");
}

/*
 * A header is durable before anything is written after it. But older blocks in other zones show that
 * no commit has followed it.
 */
void check_lost_headers(void)
{
	char header[DMSF_LOG_BLOCK_BYTES], what[64];
	u32 n, right = 0;
	struct log_place log;

	begin_case();
	for (n = 1; n <= 8 && !drive_wrong; n++) {
		log = begun_again(n, n % 2);
		get_header(&log, header);
		tear_header(!log.region * first_data_zone / 2, header, DMSF_LOG_BLOCK_SECTORS + 1, true);
		snprintf(what, sizeof(what), "block 0 of region %u", !log.region);
		right += n % 2 ? starts(true) : is_refused(what);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1, "a wrong header before other data is noticed: %u of %u%s%s",
	       right, n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* The drive holds a zone with other data, of which some look like the very first header. */
void check_foreign_data(void)
{
	const char *what = "1 of its zones hold data that are not from ssdflash";
	char header[DMSF_LOG_BLOCK_BYTES], other[DMSF_LOG_BLOCK_BYTES];
	u32 n, i, right = 0;

	begin_case();
	memset(other, 0xdd, sizeof(other));
	for (n = 1; n <= 3 && !drive_wrong; n++) {
		for (i = 0; i < 5; i++) {
			new_drive(n, header);
			/* In both regions, and where data are. */
			if (i < 3)
				write_zone(i * first_data_zone / 2, other, 1 + rnd(DMSF_LOG_BLOCK_SECTORS));
			else if (i == 3)
				tear_header(first_data_zone / 2, header, DMSF_LOG_BLOCK_SECTORS + 1, true);
			else
				tear_header(n % 2 * first_data_zone, header, 1 + rnd(DMSF_LOG_BLOCK_SECTORS),
					    true);
			right += is_refused_as(-EINVAL, what);
			remove_drive();
		}
	}
	result(!drive_wrong && right == 5 * (n - 1), "other data are refused: %u of %u%s%s", right,
	       5 * (n - 1), drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * Power failures have left a region without a header, with blocks of its last commits, and perhaps
 * of an attempt to begin it that got no commit: all resets but that of its first zone were lost.
 */
void check_half_reset_region(void)
{
	static const u64 wrong[] = { 0, U64_MAX, DMSF_LOG_MAX_GENERATION + 1 };
	u32 n, right = 0, first;
	struct log_place log;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 12 && !drive_wrong; n++) {
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

			/* A block of the map, of the next generation, or of one that cannot be. */
			block[12] = 1;
			set_generation(&log, !log.region, log.per_zone, n < 6 ? 3 : wrong[n / 2 % 3]);
		}
		right += starts(true);
		right += starts(true);
		remove_drive();
	}
	result(!drive_wrong && right == 2 * (n - 1),
	       "a region that is half reset is ignored: %u of %u %s%s", right, 2 * (n - 1),
	       drive_wrong ? drive_wrong : "", right < 2 * (n - 1) ? refused.text : "");
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
		right += starts_with_power();
		remove_drive();
	}
	result(!drive_wrong && right == n - 1 && cuts > 200,
	       "power failures during commits of several blocks: %u, %u of %u start%s%s", cuts, right,
	       n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * The power fails while the log is slow: hosts and garbage collection go on beside checkpoints and
 * commits.
 */
void check_busy_commits(void)
{
	u32 n, i, right = 0, cuts = 0;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 200 && !drive_wrong; n++) {
		f = started_target(n);
		write_all();
		kernel_slow_down(1 + rnd(300));
		requests_meanwhile = 100000;
		for (i = rnd(4); i; i--) {
			begin_region(f);
			some_requests(40);
		}
		drive_cut_after(1 + rnd(1000));
		for (i = 0; i < 40 && !drive_is_off(); i++) {
			begin_region(f);
			some_requests(20);
		}
		requests_meanwhile = 0;
		destroy_target(f);
		kernel_slow_down(0);
		cuts += drive_is_off();
		right += starts_with_power();
		remove_drive();
	}
	result(!drive_wrong && right == n - 1 && cuts > 150,
	       "power failures beside slow commits: %u, %u of %u start%s%s", cuts, right, n - 1,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}
