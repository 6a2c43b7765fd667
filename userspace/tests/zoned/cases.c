// SPDX-License-Identifier: GPL-2.0
/*
 * Failures of ssdflash on a zoned drive that random lives seldom meet.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../harness.h"
#include "lab.h"

void remove_drive(void)
{
	free(sectors);
	nr_sectors = 0;
	drive_destroy();
}

/* A target on a random drive. */
struct dmsf_target *started_target(u64 seed)
{
	struct dmsf_target *f;

	drive_seed(seed);
	prepare(seed);
	f = create_target();
	start_target(f);
	return f;
}

static void remove_all(struct dmsf_target *f)
{
	destroy_target(f);
	remove_drive();
}

/* The first sector of a block of the newer or older region of the log. */
static u32 log_sector(bool newest, u32 block)
{
	u32 regions[2] = { 0, first_data_zone / 2 * ZONE_SECTORS };
	u64 generations[2];

	memcpy(&generations[0], drive_data(regions[0]) + 16, sizeof(u64));
	memcpy(&generations[1], drive_data(regions[1]) + 16, sizeof(u64));
	return regions[(generations[1] > generations[0]) == newest] + block * 8;
}

static void check_log(bool start_wanted, bool newest, u32 block)
{
	u32 at = log_sector(newest, block);
	struct dmsf_target *f;
	bool started;

	drive_spoil(at, true);
	refused.text[0] = '\0';
	f = create_target();
	started = f && start_target(f);
	if (started)
		check_all();
	if (f)
		destroy_target(f);
	drive_spoil(at, false);
	result(started == start_wanted && !drive_wrong,
	       "%s with block %u of the %s region of the log unreadable: %s",
	       start_wanted ? "starts" : "is refused", block, newest ? "newer" : "older",
	       drive_wrong ? drive_wrong : refused.text);
}

/* A first start that ends before the target has changed the drive can be repeated. */
static void check_repeated_start(bool signal)
{
	struct dmsf_target *f = create_target();
	u32 at = log_sector(true, 2);
	bool first, again;

	if (signal)
		drive_kill_after(1);
	else
		drive_spoil(at, true);
	first = start_target(f);
	drive_kill_after(0);
	drive_spoil(at, false);
	again = start_target(f);
	if (again)
		check_all();
	destroy_target(f);
	result(!first && again && !drive_wrong, "a start that %s can be repeated%s%s",
	       signal ? "a signal has ended" : "could not read the log",
	       again ? "" : ": ", again ? "" : refused.text);
}

/* Only the newer region of the log is needed, but what it has acknowledged must not be ignored. */
void check_unreadable_log(void)
{
	struct dmsf_target *f;
	u32 i;

	drive_wrong = NULL;
	drive_seed(1);
	spoils = 0;
	prepare(1);
	/* Each start begins a region. */
	for (i = 0; i < 3; i++) {
		f = create_target();
		if (f && start_target(f))
			some_requests(200);
		destroy_target(f);
		settle_all();
	}
	check_log(false, true, 0);
	check_log(false, true, 1);
	check_log(true, false, 0);
	check_log(true, false, 2);
	check_log(false, true, 2);
	check_repeated_start(false);
	check_repeated_start(true);
	remove_drive();
}

/* Write and flush until the next commit starts a region of the log. */
void fill_log(struct dmsf_target *f)
{
	const struct dmsf_log *log = &f->zoned->log;
	u32 entries_per_block = 4032 / 12;

	while (log->next_block + log->capacity / entries_per_block + 1 <= log->region_blocks &&
	       !drive_wrong) {
		some_requests(10);
		wait_for_hosts();
		flush_now(&hosts[0]);
	}
}

/* Whatever write of a checkpoint fails, reads continue, also after a suspend and a resume. */
void check_failed_checkpoint(void)
{
	struct dmsf_target *f;
	u32 n, resumed = 0, failures = 0;

	drive_wrong = NULL;
	spoils = 0;
	for (n = 1; n <= 8 && !drive_wrong; n++) {
		f = started_target(n);
		fill_log(f);
		drive_fail_after(n);
		flush_now(&hosts[0]);
		failures += hosts[0].rq.failed;
		stop_target(f);
		if (start_target(f)) {
			read_now(&hosts[0], 0, page_sectors);
			resumed += !hosts[0].rq.failed;
		}
		remove_all(f);
	}
	result(!drive_wrong && failures >= 6 && resumed == n - 1,
	       "reads continue after a failed checkpoint and a resume: %u of %u, %u failed%s%s",
	       resumed, n - 1, failures, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* Writes of two parts of a page, of which one or both fail: all of the page can be read. */
void check_failed_write(void)
{
	u32 n, failures = 0, both = 0, readable = 0;
	struct dmsf_target *f;

	drive_wrong = NULL;
	spoils = 0;
	for (n = 1; n <= 12 && !drive_wrong; n++) {
		f = started_target(n);
		submit_write(&hosts[0], 0, page_sectors);
		wait_for_hosts();
		/* The first bio reads the rest of the page. */
		drive_fail_after(2);
		submit_write(&hosts[0], n % 4, 1);
		submit_write(&hosts[1], n % 4 + 1, 1);
		wait_for_hosts();
		failures += hosts[0].rq.failed || hosts[1].rq.failed;
		both += hosts[0].rq.failed && hosts[1].rq.failed;
		read_now(&hosts[0], 0, page_sectors);
		readable += !hosts[0].rq.failed;
		remove_all(f);
	}
	result(!drive_wrong && failures == 12 && both > 0 && readable == failures,
	       "reads of a page continue after failed writes of parts of it: %u of %u%s%s",
	       readable, failures, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* A read that waits for the data of a write of another part of its page, while the device fails. */
void check_read_beside_failed_write(void)
{
	u32 n, i, failures = 0, read = 0;
	struct dmsf_target *f;

	drive_wrong = NULL;
	spoils = 0;
	for (n = 1; n <= 128 && !drive_wrong; n++) {
		f = started_target(n);
		submit_write(&hosts[0], 0, page_sectors);
		wait_for_hosts();
		submit_write(&hosts[0], n % 4, 1);
		for (i = 0; i < n % 8; i++)
			kernel_step();
		drive_fail_after(1);
		submit_write(&hosts[1], 5 * page_sectors, page_sectors);
		submit_request(&hosts[2], SSDC_READ, n % 4 + 1, 1, false);
		wait_for_hosts();
		/* Otherwise the drive failed the read of the page. */
		failures += hosts[1].rq.failed && hosts[0].rq.failed;
		read += hosts[1].rq.failed && hosts[0].rq.failed && !hosts[2].rq.failed;
		remove_all(f);
	}
	result(!drive_wrong && failures && read == failures,
	       "reads beside failed writes of other parts of their page: %u of %u%s%s", read, failures,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* Fail each operation of the first start on an empty drive: there is always a reason. */
void check_reasons(void)
{
	struct dmsf_target *f;
	u32 n, failures = 0;

	drive_wrong = NULL;
	for (n = 1; !drive_wrong; n++) {
		drive_create(64, ZONE_SECTORS, 64);
		drive_fail_after(n);
		ssdf_params_parse(&params,
				  "custom:channels=1,chips=1,dies=1,planes=1,blocks=0,page_bytes=4096,over_provisioning=40",
				  &refused);
		f = create_target();
		failures += !f || !start_target(f);
		running = NULL;
		if (f)
			destroy_target(f);
		drive_destroy();
		if (!drive_has_failed())
			break;
	}
	result(!drive_wrong && failures > 4, "errors of a first start have a reason: %u%s%s",
	       failures, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* The refusal names the unsuitable zone. */
static void check_odd(u32 zone, u8 type, u8 cond, u32 capacity, const char *reason)
{
	struct dmsf_target *f;

	drive_create(64, ZONE_SECTORS, 64);
	drive_make_odd(zone, type, cond, capacity);
	ssdf_params_parse(&params, "custom:channels=1,chips=1,dies=1,blocks=0,page_bytes=4096,over_provisioning=40",
			  &refused);
	f = create_target();
	result(!f && !strncmp(refused.text, reason, strlen(reason)), "%s: %u", reason, zone);
	if (f)
		destroy_target(f);
	drive_destroy();
}

void check_refusals(void)
{
	const u8 type = BLK_ZONE_TYPE_SEQWRITE_REQ, empty = BLK_ZONE_COND_EMPTY;

	check_odd(5, type, BLK_ZONE_COND_OFFLINE, ZONE_SECTORS, "origin: zone 5 is offline; the log needs it");
	check_odd(0, type, BLK_ZONE_COND_READONLY, ZONE_SECTORS,
		  "origin: zone 0 is read-only; the log needs it");
	check_odd(63, type, empty, ZONE_SECTORS - 8,
		  "origin: zone 63 is of another capacity; after");
	check_odd(7, BLK_ZONE_TYPE_CONVENTIONAL, empty, ZONE_SECTORS,
		  "origin: zone 7 is conventional; after");
	drive_begin_with(64);
	check_odd(63, BLK_ZONE_TYPE_CONVENTIONAL, BLK_ZONE_COND_NOT_WP, ZONE_SECTORS,
		  "origin: all of its 64 zones are conventional");
	drive_begin_with(0);
}

/* Some lives of a drive with an unusable zone, which nothing may write to. */
static void check_unusable_zone(u64 seed, u8 cond)
{
	struct dmsf_target *f = started_target(seed);
	u32 blocks = f->device_params.blocks, zone, i, kept;

	begin_case();
	write_all();
	some_requests(1000);
	removed(f);
	zone = first_data_zone + rnd(blocks);
	for (i = 0; cond == BLK_ZONE_COND_OFFLINE && i < ZONE_SECTORS; i++)
		note_unreadable(drive_data(zone * ZONE_SECTORS + i));
	kept = drive_zone_sum(zone);
	drive_make_odd(zone, BLK_ZONE_TYPE_SEQWRITE_REQ, cond, cond == BLK_ZONE_COND_OFFLINE ? 0 : ZONE_SECTORS);
	for (i = 0; i < 8 && !drive_wrong; i++) {
		drive_cut_after(i % 2 ? 300 + rnd(2000) : 0);
		f = begin_life();
		if (f) {
			check_all();
			some_requests(1000);
		}
		end_life(f);
	}
	result(!drive_wrong && starts(true) && kept == drive_zone_sum(zone),
	       "a zone that is %s is a bad block: seed %llu%s%s", cond == BLK_ZONE_COND_OFFLINE ? "offline" : "read-only",
	       seed, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
	remove_drive();
}

/* Without enough spare blocks, only a read-only table accepts them. */
static void check_many_unusable(void)
{
	struct dmsf_target *f = started_target(2);
	u32 blocks = f->device_params.blocks, zones = blocks * f->device_params.over_provisioning / 100 - 4, i;
	char what[100];
	bool right;

	begin_case();
	write_all();
	removed(f);
	for (i = 0; i < zones - 1; i++)
		drive_make_odd(first_data_zone + i, BLK_ZONE_TYPE_SEQWRITE_REQ, BLK_ZONE_COND_READONLY, ZONE_SECTORS);
	right = starts(true);
	drive_make_odd(first_data_zone + i, BLK_ZONE_TYPE_SEQWRITE_REQ, BLK_ZONE_COND_READONLY, ZONE_SECTORS);
	snprintf(what, sizeof(what), "origin: %u zones of plane 0 are read-only or offline; of its %u spare blocks, 5 are",
		 zones, zones + 4);
	right &= is_refused_as(-EINVAL, what);
	/* All zones, with those of the log. */
	for (i = 0; i < first_data_zone + blocks; i++)
		drive_make_odd(i, BLK_ZONE_TYPE_SEQWRITE_REQ, BLK_ZONE_COND_READONLY, ZONE_SECTORS);
	read_only_tables = true;
	right &= starts(true);
	read_only_tables = false;
	result(right && !drive_wrong, "too many read-only zones are refused, and can be read%s%s", drive_wrong ? ": " : "",
	       drive_wrong ? drive_wrong : "");
	remove_drive();
}

/* A read-only table reads a log whose zones have turned read-only, whichever region is the newer one. */
static void check_read_only_log(void)
{
	u32 newer[2] = {}, right = 0, zone, seed, capacity;
	struct dmsf_target *f;

	begin_case();
	for (seed = 1; seed <= 16 && !drive_wrong; seed++) {
		f = started_target(seed);
		write_all();
		some_commits(1 + rnd(40));
		capacity = f->zoned->layout.capacity_sectors;
		newer[removed(f).region]++;
		for (zone = 0; zone < first_data_zone; zone++)
			drive_make_odd(zone, BLK_ZONE_TYPE_SEQWRITE_REQ, BLK_ZONE_COND_READONLY, capacity);
		read_only_tables = true;
		f = begin_life();
		if (f)
			check_all();
		end_life(f);
		read_only_tables = false;
		right += !drive_wrong;
		remove_drive();
	}
	result(right == 16 && newer[0] && newer[1], "a read-only table reads a log in read-only zones: %u of 16, %u with region 0%s%s",
	       right, newer[0], drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * The last commit is in a zone of the log that goes offline between the load of a table and its start. Without that commit, the map
 * would be an older one.
 */
static bool is_refused_if_offline(const struct log_place *log)
{
	u32 zone = log->region * first_data_zone / 2 + (log->end - 1) / log->per_zone;
	struct dmsf_target *f;
	bool started;

	refused.text[0] = '\0';
	f = create_target();
	drive_make_odd(zone, BLK_ZONE_TYPE_SEQWRITE_REQ, BLK_ZONE_COND_OFFLINE, 0);
	started = f && start_target(f);
	if (f)
		destroy_target(f);
	if (!started && refusal == -EIO && strstr(refused.text, "the log cannot be read"))
		return true;
	diag("zone %u: %s", zone, started ? "starts" : refused.text);
	return false;
}

static void check_offline_log(void)
{
	u32 right = 0, second = 0, seed;
	struct dmsf_target *f;
	struct log_place log;

	begin_case();
	for (seed = 1; seed <= 16; seed++) {
		f = started_target(seed);
		log = place_of(f);
		if (f->zoned->log.region_blocks > log.per_zone)
			commit_until(f, log.per_zone + 1);
		log = removed(f);
		second += log.end > log.per_zone;
		right += is_refused_if_offline(&log);
		remove_drive();
	}
	result(right == 16 && second && !drive_wrong, "a log that ends in an offline zone is refused: %u of 16, %u with a later zone%s%s",
	       right, second, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

void check_unusable_zones(void)
{
	u64 seed;

	for (seed = 1; seed <= 4; seed++) {
		check_unusable_zone(seed, BLK_ZONE_COND_READONLY);
		check_unusable_zone(seed, BLK_ZONE_COND_OFFLINE);
	}
	check_many_unusable();
	check_read_only_log();
	check_offline_log();
}

/* A table of another geometry would read the map as another one. */
void check_other_geometry(void)
{
	struct dmsf_target *f = started_target(1);
	struct ssdf_params right_params = params, other = params;
	u32 blocks = f->device_params.blocks, right = 0;

	begin_case();
	some_commits(2);
	removed(f);
	other.over_provisioning++;
	params = other;
	right += is_refused_as(-EINVAL, "origin: has an ssdflash with page_bytes");
	other = right_params;
	other.blocks = blocks - 1;
	params = other;
	right += is_refused_as(-EINVAL, "origin: has an ssdflash with page_bytes");
	params = right_params;
	right += starts(true);
	remove_drive();
	result(!drive_wrong && right == 3, "another geometry is refused: %u of 3%s%s", right,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* On a drive that writes @write_bytes at once: is the table refused as @reason says? */
static bool is_refused_on(u32 write_bytes, u32 page_bytes, const char *reason)
{
	struct dmsf_target *f;
	char spec[200];
	bool ok;

	begin_case();
	drive_create(64, ZONE_SECTORS, 64);
	drive_write_in(write_bytes);
	snprintf(spec, sizeof(spec), "custom:channels=1,chips=1,dies=1,planes=1,blocks=0,page_bytes=%u,over_provisioning=40",
		 page_bytes);
	ssdf_params_parse(&params, spec, &refused);
	f = create_target();
	ok = reason ? !f && !strcmp(refused.text, reason) : f && start_target(f) && !drive_wrong;
	if (!ok)
		diag("wanted \"%s\", got \"%s\"", reason ? reason : "", f ? "" : refused.text);
	running = NULL;
	if (f)
		destroy_target(f);
	drive_destroy();
	return ok;
}

/* A disk with sectors of 512 bytes may write 4096 at once: host-managed SMR. */
void check_write_granularity(void)
{
	u32 right = 0;

	right += is_refused_on(4096, 512, "page_bytes: must be a multiple of 4096 bytes, in which the origin's zones are written");
	right += is_refused_on(4096, 2048, "page_bytes: must be a multiple of 4096 bytes, in which the origin's zones are written");
	right += is_refused_on(16384, 16384, "origin: its zones are written in blocks of 16384 bytes; the log has blocks of 4096");
	right += is_refused_on(4096, 4096, NULL);
	right += is_refused_on(512, 512, NULL);
	result(right == 5, "pages and the log are multiples of what the drive writes: %u of 5", right);
}

/* Discard the pages of plane 0, and write them again: plane 1 gets a part of them. */
static void move_to_plane_1(struct dmsf_target *f)
{
	u32 lpn, nr = ssdf_nr_lpns(f->device), first = f->zoned->blocks * f->zoned->pages, n = 0;
	bool *moved = calloc(nr, sizeof(*moved));

	for (lpn = 0; lpn < nr; lpn++) {
		moved[lpn] = ssdf_ppn_nr(ssdf_map_get(f->device, ssdf_lpn(lpn))) < first;
		if (moved[lpn])
			submit_discard(&hosts[0], lpn * page_sectors, page_sectors);
		wait_for_hosts();
	}
	for (lpn = 0; lpn < nr; lpn++) {
		if (!moved[lpn])
			continue;
		n++;
		submit_write(&hosts[0], lpn * page_sectors, page_sectors);
		wait_for_hosts();
	}
	drive_log("%u pages written again", n);
	free(moved);
}

/*
 * With dynamic allocation, a plane may get more pages than its share. With static allocation, that
 * plane is asked for pages that it has no room for, and none of its own pages becomes outdated.
 */
void check_other_allocation(void)
{
	struct dmsf_target *f;
	u32 i;

	begin_case();
	drive_seed(1);
	prepare_drive("custom:channels=2,chips=1,dies=1,planes=1,blocks=0,page_bytes=8192,over_provisioning=20,program_ns=5000,"
		      "read_ns=2000,erase_ns=10000,transfer_ps=100", 64, ZONE_SECTORS, 6);
	f = create_target();
	start_target(f);
	write_all();
	for (i = 0; i < 6; i++)
		move_to_plane_1(f);
	removed(f);
	params.allocation = SSDF_STATIC;
	f = create_target();
	if (f && start_target(f)) {
		write_all();
		write_all();
		removed(f);
	}
	result(!drive_wrong && starts(true), "static allocation after dynamic allocation%s%s", drive_wrong ? ": " : "",
	       drive_wrong ? drive_wrong : "");
	remove_drive();
}

/* Some lives of a full drive, each cut short, often while GC moves pages. */
static void check_short_lives(const char *rule)
{
	struct dmsf_target *f;
	char spec[400];
	u32 i, cuts = 0;

	begin_case();
	drive_seed(3);
	snprintf(spec, sizeof(spec),
		 "custom:channels=1,chips=1,dies=1,planes=2,blocks=0,page_bytes=8192,over_provisioning=40,gc_threshold=20,"
		 "program_ns=5000,read_ns=2000,erase_ns=10000,transfer_ps=100,gc_victim=%s", rule);
	/* Little more than the spare blocks that a table needs. */
	prepare_drive(spec, 2 * 13 + 16, ZONE_SECTORS, 6);
	f = create_target();
	start_target(f);
	write_all();
	removed(f);
	for (i = 0; i < 150 && !drive_wrong; i++) {
		drive_cut_after(1 + rnd(rnd(4) ? 60 : 500));
		f = create_target();
		if (f && start_target(f)) {
			check_all();
			some_requests(300);
		}
		if (f)
			destroy_target(f);
		cuts += drive_is_off();
		if (!drive_is_off())
			settle_all();
		drive_power_on();
	}
	result(!drive_wrong && cuts > 75 && starts(true),
	       "%s: a drive accepts writes after %u power failures%s%s", rule, cuts,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
	remove_drive();
}

/* Whatever GC prefers, power failures do not leave it without a block for the pages it moves. */
void check_victims_after_cuts(void)
{
	check_short_lives("greedy");
	check_short_lives("cost-benefit");
	check_short_lives("d-choices");
	check_short_lives("fifo");
}
