// SPDX-License-Identifier: GPL-2.0
/*
 * The worst that power failures can do to garbage collection of ssdflash on a zoned drive.
 *
 * From one state of the drive, many lives are tried: they differ in their requests, and in the bio
 * at which the power fails. The life that leaves garbage collection the least room is the one that
 * has happened, and the next lives begin from there. No drive may end up without room.
 *
 * Other lives are always the same, and the power fails at each of their bios in turn.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../harness.h"
#include "lab.h"

#define GENERATIONS	24
#define LIVES		24
#define REQUESTS	25		/* before and after the checkpoint of the life that is cut at each bio */
#define BLOCK_PAGES	8		/* of 4 KiB */

/* The drive at a moment with power, and what must be found there. */
struct moment {
	struct drive_copy *drive;
	struct sector *sectors;
	u64 numbers;
};

static struct moment save_moment(void)
{
	struct moment m = { .drive = drive_save(), .numbers = numbers };

	m.sectors = malloc(nr_sectors * sizeof(*sectors));
	memcpy(m.sectors, sectors, nr_sectors * sizeof(*sectors));
	return m;
}

static void return_to(const struct moment *m)
{
	drive_return(m->drive);
	memcpy(sectors, m->sectors, nr_sectors * sizeof(*sectors));
	numbers = m->numbers;
}

static void forget(struct moment *m)
{
	drive_forget(m->drive);
	free(m->sectors);
}

/*
 * What is left for GC of the worst plane, in pages: those that GC can write, less those that it must
 * move to empty the block that is emptied most easily. Blocks without valid pages can be written again.
 */
static int margin(const struct ssdf_device *d, u32 plane)
{
	const struct ssdf_plane *p = &d->planes[plane];
	int left = 0, moves = d->params.pages;
	u32 i;

	for (i = plane * d->params.blocks; i < (plane + 1) * d->params.blocks; i++) {
		const struct ssdf_block_info *block = &d->blocks[i];

		if (!block->valid)
			left += d->params.pages;
		else if (block->closed)
			moves = min(moves, (int)block->valid);
	}
	if (p->gc_block != SSDF_NO_BLOCK && d->blocks[ssdf_block_nr(p->gc_block)].valid)
		left += d->params.pages - d->blocks[ssdf_block_nr(p->gc_block)].written;
	return left - moves;
}

/* Check what a drive holds, without writing to it. Returns the margin of its worst plane. */
static int look(void)
{
	struct dmsf_target *f = create_target();
	int least = INT_MAX;
	u32 plane;

	if (f)
		f->read_only = true;
	if (f && start_target(f)) {
		check_all();
		for (plane = 0; plane < f->device->nr_planes; plane++)
			least = min(least, margin(f->device, plane));
	} else {
		drive_say("the target does not start");
	}
	if (f)
		destroy_target(f);
	return least;
}

/* One life, in which the power fails at the given bio after the start, or of the start. */
static void live_until(u32 bio, bool at_start)
{
	struct dmsf_target *f;

	if (at_start)
		drive_cut_after(bio);
	f = begin_life();
	if (f) {
		if (!at_start)
			drive_cut_after(bio);
		write_pages(200);
	}
	end_life(f);
}

/* The worst of some lives from the same moment. Returns the margin that it leaves. */
static int worst_of(u32 lives, u64 seed)
{
	struct moment now = save_moment(), worst = save_moment();
	int least = INT_MAX, left;
	u32 i;

	for (i = 0; i < lives && !drive_wrong; i++) {
		return_to(&now);
		drive_seed(seed + i);
		live_until(1 + i * 2, !(i % 8));
		left = look();
		if (left >= least)
			continue;
		least = left;
		forget(&worst);
		worst = save_moment();
	}
	if (!drive_wrong)
		return_to(&worst);
	forget(&now);
	forget(&worst);
	return least;
}

static void check_rule(const char *rule, const char *more)
{
	struct dmsf_target *f;
	int least = INT_MAX;
	char spec[400];
	u32 i;

	begin_case();
	drive_seed(5);
	snprintf(spec, sizeof(spec),
		 "custom:channels=1,chips=1,dies=1,planes=2,blocks=0,page_bytes=4096,over_provisioning=20,gc_threshold=20,"
		 "program_ns=5000,read_ns=2000,erase_ns=10000,transfer_ps=100,gc_victim=%s%s", rule, more);
	/* Each plane has just the spare blocks that a table needs. */
	prepare_drive(spec, 86, BLOCK_PAGES * 8, 6);
	f = create_target();
	start_target(f);
	write_all();
	write_pages(1000);
	removed(f);
	for (i = 0; i < GENERATIONS && !drive_wrong; i++)
		least = min(least, worst_of(LIVES, 1 + i * LIVES));
	f = drive_wrong ? NULL : create_target();
	if (f && start_target(f)) {
		write_all();
		removed(f);
	}
	result(!drive_wrong && starts(true), "%s%s: the worst of %u power failures, %u times; a margin of %d pages%s%s",
	       rule, more, LIVES, i, least, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
	remove_drive();
}

/* The same life each time, until the power fails: with a checkpoint and GC, and an orderly end. */
static void same_life(u64 seed, u32 bio)
{
	struct dmsf_target *f;

	drive_seed(seed);
	drive_cut_after(bio);
	f = create_target();
	if (f && start_target(f)) {
		some_requests(REQUESTS);
		begin_region(f);
		some_requests(REQUESTS);
	}
	if (f)
		destroy_target(f);
}

/* After the power failure: what was flushed is there, and the drive can be used. */
static void go_on(u64 seed)
{
	struct dmsf_target *f;

	drive_seed(seed);
	drive_power_on();
	look();
	f = begin_life();
	if (f) {
		some_requests(REQUESTS);
		removed(f);
		look();
	}
}

/* Cut the power at each bio of a life in turn. */
static void check_each_cut(const char *more, u32 capacity_sectors, u64 seed)
{
	struct moment begin;
	struct dmsf_target *f;
	char spec[400];
	u32 bio, cuts = 0;
	bool off = true;

	begin_case();
	drive_seed(seed);
	snprintf(spec, sizeof(spec),
		 "custom:channels=1,chips=1,dies=1,planes=2,blocks=0,page_bytes=4096,over_provisioning=30,gc_threshold=20,"
		 "program_ns=5000,read_ns=2000,erase_ns=10000,transfer_ps=100,%s", more);
	prepare_drive(spec, 70, capacity_sectors, 6);
	f = create_target();
	start_target(f);
	write_all();
	some_requests(300);
	removed(f);
	begin = save_moment();
	for (bio = 1; off && !drive_wrong; bio++) {
		return_to(&begin);
		same_life(seed, bio);
		off = drive_is_off();
		cuts += off;
		if (off)
			go_on(seed + bio);
	}
	forget(&begin);
	result(!drive_wrong && cuts > 100, "%s: power failures at each of %u bios%s%s", more, cuts, drive_wrong ? ": " : "",
	       drive_wrong ? drive_wrong : "");
	remove_drive();
}

void check_each_bio(void)
{
	/* With 8 sectors of leftover space, zones must be finished. */
	check_each_cut("gc_victim=greedy", BLOCK_PAGES * 8, 1);
	check_each_cut("gc_victim=cost-benefit,copyback=on", BLOCK_PAGES * 8, 2);
	check_each_cut("gc_victim=d-choices,allocation=static,cache_program=on", BLOCK_PAGES * 8, 3);
	check_each_cut("gc_victim=fifo,page_bytes=8192", BLOCK_PAGES * 8 + 8, 4);
}

void check_worst_cuts(void)
{
	check_rule("greedy", "");
	check_rule("cost-benefit", ",copyback=on");
	check_rule("d-choices", ",allocation=static");
	check_rule("fifo", "");
}
