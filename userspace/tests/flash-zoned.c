// SPDX-License-Identifier: GPL-2.0
/*
 * ssdflash on a zoned drive (driver/ssdflash/zoned/, as the kernel builds it): data, map and
 * log through power failures, I/O errors, suspends and reloads, with requests of all kinds.
 *
 *	flash-zoned [-s SEED] [-r ROUNDS] [-v]	TAP lines
 *
 * Round n of seed s equals round 1 of seed s + n - 1. After a power failure each sector
 * must hold the data that a FLUSH or FUA made durable, or newer data. zoned/drive.c
 * simulates the drive and the kernel, zoned/hosts.c sends the requests, zoned/target.c starts
 * and stops the target, zoned/cases.c has single failures, zoned/damage.c damaged logs,
 * zoned/cuts.c what power failures leave of a log, zoned/limits.c the largest logs, and
 * zoned/worst-cuts.c the power failures that harm garbage collection most.
 */
#include <stdio.h>
#include <stdlib.h>
#include "harness.h"
#include "zoned/lab.h"

#define ROUNDS		12
#define LIVES		12		/* lives per round, each from start to stop */
#define HOSTILE_LIVES	4		/* further lives, with a damaged log */

static u64 round_seed;

static void bail_out(const char *why)
{
	diag("nothing ends the wait for %s", why);
	repeat_with("-r 1 -s %llu", round_seed);
	give_up("ssdflash on a zoned drive");
}

/*
 * Start a target, perhaps with an unreadable sector in the log, or killed by a signal: then a
 * refusal is right, too.
 */
static struct dmsf_target *start_any(void)
{
	u32 bad = rnd(4) ? 0 : rnd(first_data_zone * ZONE_SECTORS);
	struct dmsf_target *f;
	bool killed;

	garbage = false;
	zeroes_failed = 0;
	drive_spoil(bad, bad);
	drive_kill_after(rnd(6) ? 0 : 1 + rnd(rnd(2) ? 4 : 40));
	f = create_target();
	if (f)
		start_target(f);
	killed = drive_is_killed();
	drive_kill_after(0);
	drive_spoil(bad, false);
	if (running || !(bad || killed) || drive_has_failed())
		return f;
	seen.killed += killed;
	seen.unreadable_logs += !killed;
	if (f && f->zoned->state == DMSF_UNREAD && rnd(2)) {
		if (!start_target(f) && !drive_has_failed())
			drive_say("a start cannot be repeated");
		return f;
	}
	if (f)
		destroy_target(f);
	f = create_target();
	if (f)
		start_target(f);
	return f;
}

static void one_life(bool trouble)
{
	struct dmsf_target *f;
	u32 how = trouble ? rnd(6) : 5;

	spoils = trouble && !rnd(3) ? 1 + rnd(200) : 0;
	/* Failures may also hit the start of the target. */
	if (how < 4)
		drive_cut_after(1 + rnd(rnd(3) ? 5000 : 60));
	else if (how < 5 && rnd(2))
		drive_fail_after(1 + rnd(2000));
	else if (how < 5)
		drive_fail_flush_after(1 + rnd(30));
	if (how == 4 && rnd(2))
		drive_cut_after(1 + rnd(4000));
	f = start_any();
	if (f && running == f) {
		use_target(f);
	} else {
		if (!drive_has_failed())
			drive_say("the target does not start");
		if (f)
			destroy_target(f);
		seen.early_cuts += drive_is_off();
	}
	seen.cuts += drive_is_off();
	seen.errors += drive_has_failed() && !drive_is_off();
	drive_power_on();
}

/* Damage the log: it may be refused or accepted, but nothing may break. */
static void hostile_life(void)
{
	struct dmsf_target *f;
	u32 i;

	for (i = 1 + rnd(8); i; i--)
		drive_damage(first_data_zone);
	/* Requests may fail, also during the search for the log. */
	drive_fail_after(1 + rnd(rnd(2) ? 20 : 2000));
	f = create_target();
	spoils = rnd(2) ? 20 : 0;
	log_is_forged = true;
	seen.damaged++;
	if (f && start_target(f)) {
		for (i = 0; i < nr_sectors; i++)
			sectors[i].lasting = UNKNOWN;
		check_all();
		some_requests(500);
	} else {
		seen.refused++;
	}
	if (f)
		destroy_target(f);
	drive_power_on();
}

static const char *one_round(void)
{
	u32 i;

	drive_wrong = NULL;
	drive_seed(round_seed);
	drive_begin_with(round_seed % 3 ? 0 : 2);
	prepare(round_seed);
	drive_begin_with(0);
	for (i = 0; i < LIVES && !drive_wrong; i++)
		one_life(true);
	if (!drive_wrong)
		one_life(false);
	for (i = 0; i < HOSTILE_LIVES && !drive_wrong; i++)
		hostile_life();
	log_is_forged = false;
	free(sectors);
	drive_destroy();
	return drive_wrong;
}

/* Did the rounds cover everything? */
static void check_coverage(u64 rounds)
{
	result(seen.cuts > 3 * rounds, "power failures: %llu", seen.cuts);
	result(seen.early_cuts > 0, "power failures during a start: %llu",
	       seen.early_cuts);
	result(seen.errors > 0, "I/O errors: %llu", seen.errors);
	result(seen.lost_caches > 0, "caches lost by a failed FLUSH: %llu", seen.lost_caches);
	result(seen.lost > 0 && seen.found_lost > 0,
	       "unreadable data: %llu sectors, %llu pages lost, %llu sectors found lost by a start",
	       seen.spoiled, seen.lost, seen.found_lost);
	result(seen.killed > 0, "starts that a signal ends: %llu", seen.killed);
	result(seen.unreadable_logs > 0, "unreadable logs refused: %llu", seen.unreadable_logs);
	result(seen.healed > 0, "unreadable sectors that can be read after a write or discard: %llu",
	       seen.healed);
	result(seen.failed_parts > 0, "writes of parts of unreadable pages that fail: %llu",
	       seen.failed_parts);
	result(seen.collections > 20 * rounds, "blocks collected: %llu", seen.collections);
	result(seen.refused > 0 && seen.refused < seen.damaged, "damaged logs refused: %llu",
	       seen.refused);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1, .rounds = ROUNDS };
	const char *what = NULL;
	u64 i;

	harness_options(&options, "srv", argc, argv);
	drive_verbose = options.verbose;
	kernel_tick = tick;
	kernel_bail_out = bail_out;
	drive_read_failed = note_unreadable;
	drive_cache_lost = cache_lost;
	kernel_hurry(true);
	for (i = 0; i < options.rounds && !what; i++) {
		round_seed = options.seed + i;
		what = one_round();
	}
	if (what) {
		diag("%s", what);
		repeat_with("-r 1 -s %llu", round_seed);
	}
	result(!what, "ssdflash on a zoned drive: %llu requests in %llu rounds from seed %llu",
	       seen.requests, i, options.seed);
	if (!what && options.rounds >= ROUNDS)
		check_coverage(options.rounds);
	check_refusals();
	check_unreadable_log();
	check_failed_checkpoint();
	check_failed_write();
	check_read_beside_failed_write();
	check_reasons();
	check_unusable_zones();
	check_other_geometry();
	check_write_granularity();
	check_other_allocation();
	check_victims_after_cuts();
	check_worst_cuts();
	check_each_bio();
	kernel_hurry(false);
	check_rotten_log();
	check_misplaced_blocks();
	check_changing_log();
	check_rotten_commits();
	check_rotten_old_log();
	check_rotten_older_region();
	check_needed_older_region();
	check_rotten_first_region();
	check_reset_zone();
	check_unreadable_header();
	check_generations();
	check_torn_headers();
	check_lost_headers();
	check_foreign_data();
	check_half_reset_region();
	check_cut_checkpoints();
	check_cut_commits();
	check_busy_commits();
	check_discarded_log();
	check_last_generation();
	check_large_map();
	check_cut_large_maps();
	check_full_epochs();
	return finish();
}
