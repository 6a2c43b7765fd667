// SPDX-License-Identifier: GPL-2.0
/*
 * Targets of ssdflash on a zoned drive: created, started, stopped, replaced; and what must be
 * found afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lab.h"

struct ssdf_params params;
struct ssdc_error refused;
int refusal;
bool read_only_tables;

static struct dm_dev dev = { .bdev = &drive };
static struct dm_target ti;

struct dmsf_target *create_target(void)
{
	struct dmsf_target *f = calloc(1, sizeof(*f));
	struct dmsf_layout layout;
	int r;

	f->ti = &ti;
	f->origin = &dev;
	f->stopped = true;
	f->read_only = read_only_tables;
	f->device_params = params;
	f->config.params = params;
	refused.text[0] = '\0';
	r = dmsf_zoned_layout(f, &layout, &refused);
	if (!r)
		r = ssdf_params_check(&f->device_params, 0, &refused);
	if (!r) {
		f->device = ssdf_create(&f->device_params, &refused);
		r = f->device ? dmsf_zoned_create(f, &layout, &refused) : -ENOMEM;
	}
	if (!r)
		return f;
	refusal = r;
	drive_log("%s", refused.text);
	if (!refused.text[0])
		drive_say("a table is refused without a reason");
	dmsf_zoned_destroy(f);
	ssdf_destroy(f->device);
	free(f);
	return NULL;
}

bool start_target(struct dmsf_target *f)
{
	struct ssdc_error error = {};
	u64 time_ns;

	refusal = dmsf_zoned_start(f, &error);
	if (refusal) {
		drive_log("%s", error.text);
		if (!error.text[0])
			drive_say("a start fails without a reason");
		refused = error;
		return false;
	}
	running = f;
	f->stopped = false;
	time_ns = dmsf_enter(f);
	ssdf_start_gc(f->device, time_ns);
	dmsf_leave(f);
	return true;
}

void stop_target(struct dmsf_target *f)
{
	if (running == f) {
		wait_for_hosts();
		running = NULL;
	}
	f->stopped = true;
	dmsf_zoned_stop(f);
	seen.collections += f->device->stats.gc_runs;
	seen.lost += f->device->lost_pages;
	ssdf_reset_stats(f->device, 0);
	/* A target that failed to start never gets requests. */
	if (f->zoned->state == DMSF_STOPPED && ssdf_check(f->device))
		drive_say("the model is inconsistent");
}

void destroy_target(struct dmsf_target *f)
{
	stop_target(f);
	dmsf_zoned_destroy(f);
	ssdf_destroy(f->device);
	free(f);
}

/* The current data become durable. */
static void settle(struct sector *s)
{
	s->lasting = s->current;
	s->acked = numbers + 1;
	s->issued = numbers + 1;
	s->durable = numbers + 1;
	s->may_be_lost = s->spoiled;
}

/* An orderly stop makes everything durable. */
void settle_all(void)
{
	u32 i;

	for (i = 0; i < nr_sectors && !drive_has_failed(); i++)
		settle(&sectors[i]);
}

/* Create and start a target. NULL: it does not start, which is an error if there is power. */
struct dmsf_target *begin_life(void)
{
	struct dmsf_target *f = create_target();

	if (f && start_target(f))
		return f;
	if (!drive_is_off())
		drive_say("the target does not start");
	if (f)
		destroy_target(f);
	return NULL;
}

/* After begin_life(): with power, the end is orderly; without it, what was durable is there when it is back. */
void end_life(struct dmsf_target *f)
{
	if (f)
		destroy_target(f);
	if (!drive_is_off())
		settle_all();
	drive_power_on();
}

static bool may_hold(const struct sector *s, u64 number)
{
	if (number == s->lasting || s->lasting == UNKNOWN)
		return true;
	return number ? number > s->durable && number <= s->issued : s->zeroed > s->durable;
}

/* Data found after a start are durable. */
static void found(struct sector *s, u64 number)
{
	if (garbage)
		return;
	s->current = number;
	if (may_hold(s, number)) {
		settle(s);
		return;
	}
	drive_say("durable data are lost");
	drive_log("found %lld, not %llu of %llu, nor later data up to %llu, nor zeroes of %llu", number,
		  s->lasting, s->durable, s->issued, s->zeroed);
}

/* Sectors of which a read has failed: find out which. */
static void check_each(struct host *host)
{
	u32 end = host->first + host->nr, i;

	for (i = host->first; i < end && !drive_wrong; i++) {
		read_now(host, i, 1);
		if (!host->rq.failed)
			found(&sectors[i], number_of(host->data[0], i));
		else
			seen.found_lost += !drive_has_failed();
	}
}

void check_all(void)
{
	struct host *host = &hosts[0];
	u32 at, i, nr, failures;
	bool readable;

	for (i = 0; i < nr_sectors; i++) {
		sectors[i].current = UNKNOWN;
		sectors[i].acked = sectors[i].durable;
		sectors[i].spoiled = sectors[i].may_be_lost ? numbers : 0;
	}
	for (at = 0; at < nr_sectors && !drive_wrong; at += nr) {
		nr = min(nr_sectors - at, (u32)MAX_SECTORS);
		failures = data_failed;
		read_now(host, at, nr);
		for (i = 0; i < nr && !host->rq.failed; i++)
			found(&sectors[at + i], number_of(host->data[i], at + i));
		/* GC may have lost what the read has found. */
		readable = !host->rq.failed && failures == data_failed;
		for (i = first_discarded(host); i < end_discarded(host) && readable; i++) {
			sectors[i].spoiled = 0;
			sectors[i].may_be_lost = false;
		}
		if (host->rq.failed && !drive_has_failed())
			check_each(host);
	}
}

/* Another target has used the zones: the first one must not resume. */
static bool try_again(struct dmsf_target *f, struct dmsf_target *next)
{
	stop_target(next);
	settle_all();
	if (start_target(f))
		drive_say("a table resumes although another one has used the zones");
	return start_target(next);
}

/* A new table takes over; the old one is removed later. Returns the new target, or NULL. */
static struct dmsf_target *reload_target(struct dmsf_target *f)
{
	struct dmsf_target *next = create_target();
	bool ok = next && start_target(next);

	if (ok)
		some_requests(rnd(3) * 300);
	if (ok && !rnd(3))
		ok = try_again(f, next);
	if (!ok && !drive_has_failed())
		drive_say("no new table can follow a stopped one");
	destroy_target(f);
	if (!ok && next)
		destroy_target(next);
	return ok ? next : NULL;
}

/* Suspend, then resume the same table or a new one. Returns the target, or NULL. */
static struct dmsf_target *suspend_target(struct dmsf_target *f)
{
	bool failed, off;

	stop_target(f);
	failed = drive_has_failed();
	off = drive_is_off();
	settle_all();
	if (rnd(2) && !drive_has_failed())
		return reload_target(f);
	if (start_target(f))
		return f;
	/* Reads of a failed device continue. */
	if (drive_has_failed() == failed && drive_is_off() == off && !off)
		drive_say("a stopped table cannot resume");
	destroy_target(f);
	return NULL;
}

void use_target(struct dmsf_target *f)
{
	u32 left;

	check_all();
	for (left = rnd(12); f && left && !drive_wrong && !drive_is_off(); left--) {
		some_requests(rnd(300));
		if (!rnd(3))
			f = suspend_target(f);
	}
	if (!f)
		return;
	destroy_target(f);
	settle_all();
}

static const char *const geometries[] = {
	"channels=2,chips=1,dies=1,planes=1",
	"channels=1,chips=1,dies=1,planes=2,copyback=on",
	"channels=1,chips=1,dies=1,planes=1,allocation=static",
	"channels=2,chips=1,dies=1,planes=2,cache_program=on",
};

static const char *const victim_rules[] = { "greedy", "cost-benefit", "d-choices", "fifo" };

/* Create a drive. Returns the number of zones of a log region, 0 on failure. */
u32 prepare_drive(const char *spec, u32 nr_zones, u32 capacity_sectors, u32 max_active)
{
	struct dmsf_target *f;
	u32 region_zones;

	if (ssdf_params_parse(&params, spec, &refused)) {
		drive_say(refused.text);
		return 0;
	}
	drive_create(nr_zones, capacity_sectors, max_active);
	f = create_target();
	if (!f) {
		drive_say("a new drive is refused");
		return 0;
	}
	page_sectors = params.page_bytes / SECTOR;
	nr_sectors = ssdf_nr_lpns(f->device) * page_sectors;
	sectors = calloc(nr_sectors, sizeof(*sectors));
	region_zones = f->zoned->layout.region_zones;
	first_data_zone = f->zoned->layout.first + 2 * region_zones;
	destroy_target(f);
	return region_zones;
}

/* Create a random drive, after drive_seed(@seed); likewise. Victim rules take turns. */
u32 prepare(u64 seed)
{
	static const u32 planes[] = { 2, 2, 1, 4 };
	u32 which = rnd(ARRAY_SIZE(geometries)), nr_zones;
	char spec[400];

	snprintf(spec, sizeof(spec),
		 "custom:blocks=0,page_bytes=%u,over_provisioning=%u,read_ns=2000,program_ns=%u,erase_ns=%u,"
		 "transfer_ps=100,gc_threshold=%u,%s,gc_victim=%s", 4096 << rnd(2), 46 + rnd(10), 1 + rnd(10000),
		 1 + rnd(50000), rnd(40), geometries[which], victim_rules[seed % ARRAY_SIZE(victim_rules)]);
	drive_log("seed %llu: %s", (unsigned long long)seed, spec);
	nr_zones = 16 + planes[which] * (12 + rnd(4));
	/* Some drives have leftover space in each zone, so zones must be finished. */
	return prepare_drive(spec, nr_zones, ZONE_SECTORS - rnd(2) * 8, 2 * planes[which] + 2);
}
