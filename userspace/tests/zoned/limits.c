// SPDX-License-Identifier: GPL-2.0
/*
 * The log of ssdflash on a zoned drive at its limits: a map of several zones, epochs without room for
 * another change, the last generation.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../harness.h"
#include "lab.h"

/* Changes of an epoch at which hosts have to wait, and changes per block. */
#define HOST_ENTRIES	8192
#define PER_BLOCK	(DMSF_LOG_PAYLOAD / 12)

/* A region's zone has 15 blocks, so a batch of 16 is never in one zone. The map has 33. */
#define LARGE_MAP	33

static void large_drive(u64 seed)
{
	drive_seed(seed);
	prepare_drive("custom:channels=1,chips=1,dies=1,planes=1,blocks=0,page_bytes=512,over_provisioning=20,read_ns=2000,program_ns=2000,erase_ns=10000,transfer_ps=100",
		      361, 120, 4);
}

static struct dmsf_target *large_target(u64 seed)
{
	struct dmsf_target *f;

	large_drive(seed);
	f = create_target();
	start_target(f);
	return f;
}

/* Everything before the last commit is needed, in whatever zone. */
void check_large_map(void)
{
	static const u32 blocks[] = { 0, 1, 14, 15, 16, 17, 29, 30, 31, 32, 33, 34, 40 };
	u32 i, right = 0;
	struct dmsf_target *f = large_target(1);
	struct log_place log;

	begin_case();
	write_all();
	flush_now(&hosts[0]);
	removed(f);
	f = create_target();
	start_target(f);
	check_all();
	some_commits(10);
	log = removed(f);
	for (i = 0; i < ARRAY_SIZE(blocks); i++)
		right += block_is_refused(&log, blocks[i]);
	right += starts(true);
	remove_drive();
	result(!drive_wrong && right == i + 1 && log.map_blocks == LARGE_MAP && log.per_zone == 15,
	       "a map of %u blocks in zones of %u: %u of %u%s%s", log.map_blocks, log.per_zone, right,
	       i + 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/*
 * Power failures while such a map is written, in the first life and later. (Two in a row on a new
 * drive may be refused, see log.c.)
 */
void check_cut_large_maps(void)
{
	u32 n, right = 0, cuts = 0;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 60 && !drive_wrong; n++) {
		large_drive(n);
		f = create_target();
		if (n % 3) {
			start_target(f);
			some_commits(5);
			begin_region(f);
			if (n % 3 == 2) {
				some_commits(5);
				begin_region(f);
			}
		}
		/* The resets, the header, and the map. */
		drive_cut_after(f->zoned->layout.region_zones + rnd(8));
		if (running)
			flush_now(&hosts[0]);
		else
			start_target(f);
		destroy_target(f);
		cuts += drive_is_off();
		right += starts_with_power();
		remove_drive();
	}
	result(!drive_wrong && right == n - 1 && cuts > 50,
	       "power failures in a map of several zones: %u, %u of %u start%s%s", cuts, right, n - 1,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* What to do during the next checkpoint or commit, and how many changes the epoch had then. */
static struct {
	bool wanted;
	bool beside_commit;		/* not beside a checkpoint */
	bool collecting;		/* garbage collection starts shortly before hosts have to wait */
	u32 cut_after;
	u32 changes;
	u32 moved;			/* pages that GC has moved while hosts had to wait */
} filling;

static struct host *free_host(u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++)
		if (!hosts[i].in_flight)
			return &hosts[i];
	return NULL;
}

/* Discards make many changes quickly; writes use free blocks up, and may have to wait for one. */
static void change(u32 page, bool write)
{
	struct host *writer = free_host(1, HOSTS / 2), *other = free_host(HOSTS / 2, HOSTS);

	if (other)
		submit_discard(other, page, 1);
	if (writer && write)
		submit_write(writer, page + 1, 1);
	kernel_step();
}

static u32 moves(const struct dmsf_zoned *z)
{
	u32 plane, nr = 0;

	for (plane = 0; plane < z->nr_planes; plane++)
		nr += z->log.nr_moves[plane];
	return nr;
}

/* While the log is being written, change pages until hosts have to wait. */
static bool fill_epoch(void)
{
	struct dmsf_log *log = &running->zoned->log;
	u32 page, steps;
	bool late;

	/* A commit takes over the requests that wait for it when its checkpoint is complete. */
	if (!filling.wanted || !running->zoned->commit_work.running ||
	    list_empty(&log->flushes) != filling.beside_commit)
		return tick();
	filling.wanted = false;
	for (page = 0; page < nr_sectors && !running->device->held; page += 2) {
		late = log->nr[log->current_epoch] + 40 > HOST_ENTRIES;
		change(page, filling.collecting ? late : !(page % 32));
	}
	filling.moved = moves(running->zoned);
	for (steps = 0; steps < 3000; steps++)
		kernel_step();
	filling.moved = moves(running->zoned) - filling.moved;
	filling.changes = log->nr[log->current_epoch];
	drive_cut_after(filling.cut_after);
	return true;
}

static bool almost_collecting(const struct dmsf_target *f)
{
	const struct ssdf_plane *plane = &f->device->planes[0];
	ssdf_block_t open = plane->host_blocks[0];

	return plane->nr_free <= f->device->gc_below && open != SSDF_NO_BLOCK &&
	       f->device->blocks[ssdf_block_nr(open)].written + 10U > f->device->params.pages;
}

static void prepare_to_fill(bool beside_commit, bool collecting)
{
	/* So that the model gets a turn beside the log. */
	kernel_slow_down(10);
	memset(&filling, 0, sizeof(filling));
	filling.wanted = true;
	filling.beside_commit = beside_commit;
	filling.collecting = collecting;
	kernel_tick = fill_epoch;
}

/* The newer region will begin with a commit of as many blocks as there can be. */
static struct dmsf_target *full_epoch(u64 seed, bool collecting)
{
	struct dmsf_target *f = large_target(seed);
	u32 i;

	write_all();
	/* Garbage collection starts when the open block is full. */
	for (i = 0; collecting && !almost_collecting(f); i++) {
		submit_write(&hosts[0], i * 7919 % nr_sectors, 1);
		wait_for_hosts();
	}
	flush_now(&hosts[0]);
	begin_region(f);
	prepare_to_fill(false, collecting);
	return f;
}

static void empty_epochs(void)
{
	kernel_tick = tick;
	kernel_slow_down(0);
}

/* The last commit stays the last one. */
static struct log_place crashed(struct dmsf_target *f)
{
	struct log_place log;

	wait_for_hosts();
	empty_epochs();
	log = place_of(f);
	dmsf_zoned_fail(f->zoned, "nothing", -EIO);
	destroy_target(f);
	return log;
}

/* Hosts wait before an epoch is full, and garbage collection does not; all is found. */
static void find_full_epochs(void)
{
	u32 n, right = 0, collected = 0, cuts = 0;
	struct dmsf_target *f;

	for (n = 1; n <= 16 && !drive_wrong; n++) {
		f = full_epoch(n, n % 4 == 1);
		filling.cut_after = n > 2 ? 1 + rnd(12) : 0;
		flush_now(&hosts[0]);
		empty_epochs();
		destroy_target(f);
		cuts += drive_is_off();
		if (!drive_is_off())
			settle_all();
		drive_power_on();
		garbage = false;
		right += filling.changes >= HOST_ENTRIES && starts(true);
		collected += filling.moved > 0;
		remove_drive();
	}
	result(!drive_wrong && right == n - 1 && collected && cuts > 10,
	       "epochs without room: %u power failures, %u beside garbage collection, %u of %u start%s%s",
	       cuts, collected, right, n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

static bool starts_undamaged(void)
{
	return starts(false) || !strstr(refused.text, "the log is damaged");
}

/* In a log of an older driver, the commit was written with up to 15 blocks before it. */
static u32 judge_old_epoch(u32 distance)
{
	struct dmsf_target *f = full_epoch(distance, false);
	struct log_place log;
	unsigned char *block;
	u32 right = 0, bad;

	flush_now(&hosts[0]);
	log = crashed(f);
	block = (unsigned char *)drive_data(block_sector(&log, log.region, log.end - 1));
	memset(block + 40, 0, sizeof(u32));
	set_crc(block);
	bad = log.end - 1 - distance;
	if (distance >= DMSF_LOG_BATCH)
		right += block_is_refused(&log, bad);
	flip_bit(&log, log.region, distance < DMSF_LOG_BATCH ? bad : log.end - 1);
	right += starts_undamaged();
	remove_drive();
	return right;
}

/* Two commits, the second of two blocks, are wrong: there is one block too many for a torn epoch. */
static bool judge_block_too_many(void)
{
	u32 i, first = LARGE_MAP + 1 + HOST_ENTRIES / PER_BLOCK;
	struct dmsf_target *f = full_epoch(1, false);
	struct log_place log;
	char what[64];
	bool ok;

	flush_now(&hosts[0]);
	wait_for_hosts();
	for (i = 0; i <= PER_BLOCK; i++) {
		submit_discard(&hosts[0], 2 * i + 1, 1);
		wait_for_hosts();
	}
	flush_now(&hosts[0]);
	log = crashed(f);
	flip_bit(&log, log.region, first);
	flip_bit(&log, log.region, log.end - 1);
	snprintf(what, sizeof(what), "block %u of region %u", first, log.region);
	ok = log.end == first + 3 && is_refused(what);
	remove_drive();
	return ok;
}

/*
 * The largest commit does not fit into the rest of the region, by one block. With some seeds a commit
 * of two blocks passes that place, which @found does not count.
 */
static bool find_epoch_without_room(u64 seed, u32 *found)
{
	struct dmsf_target *f = large_target(seed);
	const struct dmsf_log *log = &f->zoned->log;
	u32 last = log->region_blocks - log->epoch_blocks, region;
	bool right;

	write_all();
	flush_now(&hosts[0]);
	commit_until(f, last);
	if (log->next_block != last) {
		removed(f);
		remove_drive();
		return false;
	}
	++*found;
	region = log->region;
	submit_discard(&hosts[0], 0, 1);
	wait_for_hosts();
	prepare_to_fill(true, false);
	flush_now(&hosts[0]);
	empty_epochs();
	flush_now(&hosts[0]);
	right = filling.changes >= HOST_ENTRIES && log->region != region;
	removed(f);
	right &= starts(true);
	remove_drive();
	return right;
}

void check_full_epochs(void)
{
	u32 judged, i, right = 0, found = 0;

	begin_case();
	for (i = 1; i <= 12 && found < 4 && !drive_wrong; i++)
		right += find_epoch_without_room(i, &found);
	result(!drive_wrong && right == 4, "a commit does not leave its region: %u of 4%s%s", right,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
	find_full_epochs();
	judged = judge_old_epoch(DMSF_LOG_BATCH - 1) + judge_old_epoch(DMSF_LOG_BATCH) +
		 judge_block_too_many();
	result(!drive_wrong && judged == 4, "blocks that can be torn, and one more: %u of 4%s%s", judged,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* A log may discard every page, and again. */
void check_discarded_log(void)
{
	u32 n, i, at, nr, right = 0;
	struct dmsf_target *f;

	begin_case();
	for (n = 1; n <= 3 && !drive_wrong; n++) {
		f = started_target(n);
		for (i = 0; i < 3; i++) {
			write_all();
			for (at = 0; at < nr_sectors; at += nr) {
				nr = min(nr_sectors - at, page_sectors * (MAX_SECTORS / page_sectors));
				submit_discard(&hosts[0], at, nr);
				wait_for_hosts();
			}
		}
		removed(f);
		right += starts(true);
		remove_drive();
	}
	result(!drive_wrong && right == n - 1, "a log that discards every page is read: %u of %u%s%s",
	       right, n - 1, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

static void set_generations(const struct log_place *log, u64 generation)
{
	u32 i;

	for (i = 0; i < log->end; i++)
		set_generation(log, log->region, i, generation);
}

/* No region may be begun that the next start would refuse. */
void check_last_generation(void)
{
	struct dmsf_target *f = started_target(5);
	u32 right = 0;
	struct log_place log;

	begin_case();
	some_commits(3);
	log = removed(f);
	set_generations(&log, DMSF_LOG_MAX_GENERATION);
	right += is_refused_as(-EIO, "the log cannot be written");
	right += is_refused_as(-EIO, "the log cannot be written");
	set_generations(&log, DMSF_LOG_MAX_GENERATION - 1);
	f = create_target();
	if (f && start_target(f)) {
		some_commits(3);
		log = removed(f);
		right++;
	}
	right += is_refused_as(-EIO, "the log cannot be written");
	set_generations(&log, DMSF_LOG_MAX_GENERATION - 1);
	right += starts(true);
	remove_drive();
	result(!drive_wrong && right == 5, "no region follows the last generation: %u of 5%s%s", right,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}
