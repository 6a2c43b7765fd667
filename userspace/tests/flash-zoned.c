// SPDX-License-Identifier: GPL-2.0
/*
 * ssdflash on a zoned drive (driver/ssdflash/zoned/, as the kernel builds it): data, map and
 * log through power failures, I/O errors, suspends and reloads, with requests of all kinds.
 *
 *	flash-zoned [-s SEED] [-r ROUNDS] [-v]	TAP lines
 *
 * Round n of seed s equals round 1 of seed s + n - 1. After a power failure each sector
 * must hold the data that a FLUSH or FUA made durable, or newer data. zoned/drive.c
 * simulates the drive and the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../dm-ssdcache/driver/ssdflash/zoned/zoned.h"
#include "../../dm-ssdcache/flash/state.h"
#include "harness.h"
#include "zoned/drive.h"

#define ROUNDS		12
#define HOSTS		40		/* concurrent requests */
#define LIVES		12		/* lives per round, each from start to stop */
#define HOSTILE_LIVES	4		/* further lives, with a damaged log */
#define SECTOR		512
#define VEC_SECTORS	3		/* in a segment of a bio */
#define MAX_SECTORS	100
#define WORDS		(SECTOR / sizeof(u64))
#define UNKNOWN		U64_MAX

/* What a sector may hold. Requests are numbered in order; discards have odd numbers. */
struct sector {
	u64 current;			/* what a read must find, or UNKNOWN */
	u64 issued;			/* newest request that writes or discards it */
	u64 zeroed;			/* newest request that discards it */
	u64 acked;			/* newest acknowledged request */
	u64 durable;			/* newest request that is durable */
	u64 lasting;			/* data of that request: its number, or 0 */
	u64 spoiled;			/* newest data of its page that became unreadable, or 0 */
	bool may_be_lost;		/* found unreadable after a power failure */
};

struct host {
	struct bio bio;
	struct bio_vec vecs[MAX_SECTORS / VEC_SECTORS + 1];
	struct ssdf_request rq;
	char data[MAX_SECTORS][SECTOR];
	u64 number;
	u64 *snapshot;			/* by sector: @acked when the FLUSH started */
	u32 first;
	u32 nr;
	u32 zeroes_failed;		/* when the request was submitted */
	bool in_flight;
};

static struct dm_dev dev = { .bdev = &drive };
static struct dm_target ti;
static struct ssdf_params params;
static struct dmsf_target *running;	/* target that gets requests, or NULL */
static struct host hosts[HOSTS];
static struct sector *sectors;
static u32 nr_sectors, page_sectors, first_data_zone;
static bool garbage;			/* the drive has lost its cache */
static u32 zeroes_failed;		/* sectors of zeroes that could not be read */
static u32 spoils;			/* one unreadable sector in so many requests; 0: none */
static u64 now_ns, numbers;
static struct ssdc_error refused;	/* why create_target() failed */
static u64 round_seed;

static struct {
	u64 requests;
	u64 cuts;
	u64 early_cuts;			/* while the target starts */
	u64 errors;
	u64 lost_caches;
	u64 collections;
	u64 refused;
	u64 damaged;
	u64 unreadable_logs;
	u64 killed;
	u64 spoiled;
	u64 lost;
	u64 found_lost;
	u64 healed;
	u64 failed_parts;
} seen;

static void bail_out(const char *why)
{
	diag("nothing ends the wait for %s", why);
	repeat_with("-r 1 -s %llu", round_seed);
	give_up("ssdflash on a zoned drive");
}

/* The part of driver/ssdflash/io.c. */

struct bio *dmsf_bio_of(struct ssdf_request *rq)
{
	return &container_of(rq, struct host, rq)->bio;
}

u64 dmsf_enter(struct dmsf_target *f)
{
	spin_lock_bh(&f->lock);
	if (f->stopped)
		return 0;
	while (ssdf_advance(f->device, now_ns))
		;
	return now_ns;
}

static void end_host(struct host *host);

void dmsf_leave(struct dmsf_target *f)
{
	struct ssdf_request *rq, *next;
	LIST_HEAD(done);

	while ((rq = ssdf_next_done(f->device)))
		list_add_tail(&rq->node, &done);
	spin_unlock_bh(&f->lock);
	list_for_each_entry_safe(rq, next, &done, node)
		end_host(container_of(rq, struct host, rq));
}

/* Advance to the model's next event. */
static bool tick(void)
{
	u64 next_ns;

	if (!running || running->stopped)
		return false;
	next_ns = ssdf_next_ns(running->device);
	if (next_ns == SSDF_NEVER)
		return false;
	now_ns = max(now_ns, next_ns);
	dmsf_enter(running);
	dmsf_leave(running);
	return true;
}

/* Data name the request that wrote them, and the sector. */

static void fill(char *data, u32 sector, u64 number)
{
	u64 words[WORDS];
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		words[i] = i % 2 ? sector : number;
	memcpy(data, words, SECTOR);
}

/* The number of the request that wrote the data; UNKNOWN if none did. */
static u64 number_of(const char *data, u32 sector)
{
	char expected[SECTOR];
	u64 number;

	memcpy(&number, data, sizeof(number));
	if (number)
		fill(expected, sector, number);
	else
		memset(expected, 0, SECTOR);
	return memcmp(data, expected, SECTOR) ? UNKNOWN : number;
}

/* A discard affects the pages that it covers completely. */
static u32 first_discarded(const struct host *host)
{
	return (host->first + page_sectors - 1) / page_sectors * page_sectors;
}

static u32 end_discarded(const struct host *host)
{
	return (host->first + host->nr) / page_sectors * page_sectors;
}

static void acknowledged(struct host *host, u32 from, u32 end, u64 value)
{
	u32 i;

	for (i = first_discarded(host); i < end_discarded(host); i++) {
		seen.healed += sectors[i].spoiled && sectors[i].spoiled < host->number;
		if (sectors[i].spoiled < host->number)
			sectors[i].spoiled = 0;
	}
	for (i = from; i < end; i++) {
		sectors[i].current = value;
		sectors[i].acked = host->number;
		if (!host->snapshot)
			continue;
		sectors[i].durable = host->number;
		sectors[i].lasting = value;
	}
}

/* A FLUSH makes everything durable that was acknowledged when the FLUSH started. */
static void flushed(const struct host *host)
{
	u32 i;

	for (i = 0; i < nr_sectors; i++) {
		struct sector *s = &sectors[i];

		if (host->snapshot[i] <= s->durable)
			continue;
		s->durable = host->snapshot[i];
		s->lasting = s->durable % 2 ? 0 : s->durable;
	}
}

static void check_read(const struct host *host)
{
	u32 i;

	for (i = 0; i < host->nr; i++) {
		u64 want = sectors[host->first + i].current;

		if (garbage || want == UNKNOWN || number_of(host->data[i], host->first + i) == want)
			continue;
		drive_say("a read does not find the last write");
		drive_log("sector %u: found %lld, not %llu", host->first + i,
			  number_of(host->data[i], host->first + i), want);
	}
}

static bool is_lost(const struct host *host)
{
	u32 lpn;

	for (lpn = host->first / page_sectors; lpn <= (host->first + host->nr - 1) / page_sectors; lpn++)
		if (ssdf_map_get(running->device, ssdf_lpn(lpn)) == SSDF_LOST)
			return true;
	return false;
}

/*
 * Reads of unreadable data may fail, and writes of a part of a page that contains some. Reads
 * continue when the device has failed.
 */
static bool may_fail(const struct host *host)
{
	u32 i;

	if (drive_is_off() || (drive_has_failed() && host->rq.op != SSDC_READ))
		return true;
	/* Zeroes do not tell their sector. Their read may have been this one, or one for GC. */
	if (host->rq.op == SSDC_READ &&
	    (zeroes_failed > host->zeroes_failed || (zeroes_failed && is_lost(host))))
		return true;
	for (i = host->first; i < host->first + host->nr; i++) {
		bool part = i < first_discarded(host) || i >= end_discarded(host);

		if (sectors[i].spoiled && (host->rq.op == SSDC_READ ||
					   (host->rq.op == SSDC_WRITE && part)))
			return true;
	}
	return false;
}

static void failed(const struct host *host)
{
	u32 i;

	if (!may_fail(host)) {
		drive_say("a request fails");
		drive_log("operation %d of %u sectors from %u", host->rq.op, host->nr,
			  host->first);
	}
	seen.failed_parts += host->rq.op == SSDC_WRITE && !drive_has_failed();
	for (i = host->first; host->rq.op != SSDC_READ && i < host->first + host->nr; i++)
		sectors[i].current = UNKNOWN;
}

static void end_host(struct host *host)
{
	host->in_flight = false;
	seen.requests++;
	if (host->rq.failed)
		failed(host);
	else if (host->rq.op == SSDC_READ)
		check_read(host);
	else if (host->rq.op == SSDC_WRITE)
		acknowledged(host, host->first, host->first + host->nr, host->number);
	else if (host->rq.op == SSDC_DISCARD)
		acknowledged(host, first_discarded(host), end_discarded(host), 0);
	else
		flushed(host);
	free(host->snapshot);
	host->snapshot = NULL;
}

/* Requests. */

static void set_bio(struct host *host)
{
	u32 i;

	bio_init(&host->bio, &drive, host->vecs, ARRAY_SIZE(host->vecs), 0);
	for (i = 0; i < host->nr; i += VEC_SECTORS)
		__bio_add_page(&host->bio, host->data[i],
			       min(host->nr - i, (u32)VEC_SECTORS) * SECTOR, 0);
}

static void submit(struct host *host, enum ssdc_op op, u32 first, u32 nr, bool durable)
{
	u64 time_ns;

	host->first = first;
	host->nr = nr;
	host->rq = (struct ssdf_request) {
		.op = op, .sector = first, .nr_sectors = nr, .durable = durable,
	};
	set_bio(host);
	host->in_flight = true;
	host->zeroes_failed = zeroes_failed;
	time_ns = dmsf_enter(running);
	ssdf_submit(running->device, &host->rq, time_ns);
	dmsf_leave(running);
}

static bool overlaps(u32 first, u32 nr)
{
	u32 i;

	for (i = 0; i < HOSTS; i++)
		if (hosts[i].in_flight && hosts[i].first < first + nr &&
		    first < hosts[i].first + hosts[i].nr)
			return true;
	return false;
}

static void take_snapshot(struct host *host)
{
	u32 i;

	host->snapshot = calloc(nr_sectors, sizeof(*host->snapshot));
	for (i = 0; i < nr_sectors; i++)
		host->snapshot[i] = sectors[i].acked;
}

/* Record what may be found from now on. */
static void note_issued(struct host *host, enum ssdc_op op, u32 first, u32 nr)
{
	u32 i;

	host->first = first;
	host->nr = nr;
	for (i = 0; op == SSDC_WRITE && i < nr; i++) {
		fill(host->data[i], first + i, host->number);
		sectors[first + i].issued = host->number;
	}
	for (i = first_discarded(host); op == SSDC_DISCARD && i < end_discarded(host); i++) {
		sectors[i].issued = host->number;
		sectors[i].zeroed = host->number;
	}
}

static void submit_write(struct host *host, u32 first, u32 nr)
{
	numbers += 2;
	host->number = numbers;
	note_issued(host, SSDC_WRITE, first, nr);
	submit(host, SSDC_WRITE, first, nr, false);
}

/* Whole pages or parts of them; the first third of the device more often. */
static void submit_any(struct host *host)
{
	u32 kind = rnd(100), first = 0, nr = 0;
	enum ssdc_op op = kind < 60 ? SSDC_WRITE : kind < 80 ? SSDC_READ :
			  kind < 88 ? SSDC_DISCARD : SSDC_FLUSH;
	bool durable = op == SSDC_FLUSH || (op == SSDC_WRITE && !rnd(15));

	if (op != SSDC_FLUSH) {
		nr = rnd(3) ? page_sectors * (1 + rnd(4)) : 1 + rnd(rnd(4) ? 20 : MAX_SECTORS);
		first = rnd(nr_sectors - nr + 1);
		if (rnd(2))
			first = first / page_sectors * page_sectors;
		if (rnd(3))
			first %= nr_sectors / 3;
		if (overlaps(first, nr))
			return;
	}
	numbers += 2;
	host->number = numbers + (op == SSDC_DISCARD);
	note_issued(host, op, first, nr);
	if (durable)
		take_snapshot(host);
	submit(host, op, first, nr, durable);
}

static bool is_data(const char *data)
{
	u64 words[2];

	memcpy(words, data, sizeof(words));
	return words[0] && words[1] < nr_sectors && number_of(data, words[1]) == words[0];
}

/* These data, current or not, cannot be read: nor can the rest of their page once it moves. */
static void note_unreadable(const char *data)
{
	u64 words[2];
	u32 first, i;

	zeroes_failed += !is_data(data);
	if (!is_data(data))
		return;
	memcpy(words, data, sizeof(words));
	first = words[1] / page_sectors * page_sectors;
	for (i = first; i < first + page_sectors; i++) {
		sectors[i].spoiled = max(sectors[i].spoiled, words[0]);
		sectors[i].may_be_lost = true;
	}
}

/* Until the map is read again, data may be garbage that were written before, or moved by GC. */
static void cache_lost(void)
{
	seen.lost_caches++;
	garbage = true;
}

/* Make some sector of the drive unreadable. */
static void spoil(void)
{
	u32 at;
	const char *data = drive_pick(first_data_zone, &at);

	if (!data || !is_data(data))
		return;
	drive_spoil(at, true);
	note_unreadable(data);
	seen.spoiled++;
}

static void some_requests(u32 nr)
{
	struct host *host;
	u32 steps;

	while (nr-- && !drive_wrong && !drive_is_off()) {
		host = &hosts[rnd(HOSTS)];
		if (!host->in_flight)
			submit_any(host);
		if (spoils && !rnd(spoils))
			spoil();
		for (steps = rnd(12); steps; steps--)
			drive_step();
	}
}

static void wait_for_hosts(void)
{
	u32 i;

	for (i = 0; i < HOSTS; i++)
		while (hosts[i].in_flight)
			if (!drive_step())
				bail_out("a request");
}

/* The target. */

static struct dmsf_target *create_target(void)
{
	struct dmsf_target *f = calloc(1, sizeof(*f));
	struct dmsf_layout layout;
	int r;

	f->ti = &ti;
	f->origin = &dev;
	f->stopped = true;
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
	drive_log("%s", refused.text);
	if (!refused.text[0])
		drive_say("a table is refused without a reason");
	dmsf_zoned_destroy(f);
	ssdf_destroy(f->device);
	free(f);
	return NULL;
}

static bool start(struct dmsf_target *f)
{
	struct ssdc_error error = {};
	u64 time_ns;

	if (dmsf_zoned_start(f, &error)) {
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

static void stop(struct dmsf_target *f)
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

static void destroy(struct dmsf_target *f)
{
	stop(f);
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
static void settle_all(void)
{
	u32 i;

	for (i = 0; i < nr_sectors && !drive_has_failed(); i++)
		settle(&sectors[i]);
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

static void read_now(struct host *host, u32 first, u32 nr)
{
	submit(host, SSDC_READ, first, nr, false);
	wait_for_hosts();
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

static void check_all(void)
{
	struct host *host = &hosts[0];
	u32 at, i, nr;

	for (i = 0; i < nr_sectors; i++) {
		sectors[i].current = UNKNOWN;
		sectors[i].acked = sectors[i].durable;
		sectors[i].spoiled = sectors[i].may_be_lost ? numbers : 0;
	}
	for (at = 0; at < nr_sectors && !drive_wrong; at += nr) {
		nr = min(nr_sectors - at, (u32)MAX_SECTORS);
		read_now(host, at, nr);
		for (i = 0; i < nr && !host->rq.failed; i++)
			found(&sectors[at + i], number_of(host->data[i], at + i));
		for (i = first_discarded(host); i < end_discarded(host) && !host->rq.failed; i++) {
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
	stop(next);
	settle_all();
	if (start(f))
		drive_say("a table resumes although another one has used the zones");
	return start(next);
}

/* A new table takes over; the old one is removed later. Returns the new target, or NULL. */
static struct dmsf_target *reload(struct dmsf_target *f)
{
	struct dmsf_target *next = create_target();
	bool ok = next && start(next);

	if (ok)
		some_requests(rnd(3) * 300);
	if (ok && !rnd(3))
		ok = try_again(f, next);
	if (!ok && !drive_has_failed())
		drive_say("no new table can follow a stopped one");
	destroy(f);
	if (!ok && next)
		destroy(next);
	return ok ? next : NULL;
}

/* Suspend, then resume the same table or a new one. Returns the target, or NULL. */
static struct dmsf_target *suspend(struct dmsf_target *f)
{
	bool failed, off;

	stop(f);
	failed = drive_has_failed();
	off = drive_is_off();
	settle_all();
	if (rnd(2) && !drive_has_failed())
		return reload(f);
	if (start(f))
		return f;
	/* Reads of a failed device continue. */
	if (drive_has_failed() == failed && drive_is_off() == off && !off)
		drive_say("a stopped table cannot resume");
	destroy(f);
	return NULL;
}

static void use(struct dmsf_target *f)
{
	u32 left;

	check_all();
	for (left = rnd(12); f && left && !drive_wrong && !drive_is_off(); left--) {
		some_requests(rnd(300));
		if (!rnd(3))
			f = suspend(f);
	}
	if (!f)
		return;
	destroy(f);
	settle_all();
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
		start(f);
	killed = drive_is_killed();
	drive_kill_after(0);
	drive_spoil(bad, false);
	if (running || !(bad || killed) || drive_has_failed())
		return f;
	seen.killed += killed;
	seen.unreadable_logs += !killed;
	if (f && f->zoned->state == DMSF_UNREAD && rnd(2)) {
		if (!start(f) && !drive_has_failed())
			drive_say("a start cannot be repeated");
		return f;
	}
	if (f)
		destroy(f);
	f = create_target();
	if (f)
		start(f);
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
		use(f);
	} else {
		if (!drive_has_failed())
			drive_say("the target does not start");
		if (f)
			destroy(f);
		seen.early_cuts += drive_is_off();
	}
	seen.cuts += drive_is_off();
	seen.errors += drive_has_failed() && !drive_is_off();
	drive_power_on();
}

/* Damage the log: it may be refused or accepted, but nothing may break. */
static void hostile_life(u32 region_zones)
{
	struct dmsf_target *f;
	u32 i;

	for (i = 1 + rnd(8); i; i--)
		drive_damage(2 * region_zones);
	/* Requests may fail, also during the search for the log. */
	drive_fail_after(1 + rnd(rnd(2) ? 20 : 2000));
	f = create_target();
	spoils = rnd(2) ? 20 : 0;
	seen.damaged++;
	if (f && start(f)) {
		for (i = 0; i < nr_sectors; i++)
			sectors[i].lasting = UNKNOWN;
		check_all();
		some_requests(500);
	} else {
		seen.refused++;
	}
	if (f)
		destroy(f);
	drive_power_on();
}

static const char *const geometries[] = {
	"channels=2,chips=1,dies=1,planes=1",
	"channels=1,chips=1,dies=1,planes=2,copyback=on",
	"channels=1,chips=1,dies=1,planes=1,allocation=static",
	"channels=2,chips=1,dies=1,planes=2,cache_program=on",
};

/* Create a random drive. Returns the number of zones of a log region, 0 on failure. */
static u32 prepare(void)
{
	static const u32 planes[] = { 2, 2, 1, 4 };
	u32 which = rnd(ARRAY_SIZE(geometries)), region_zones;
	struct dmsf_target *f;
	char spec[400];

	snprintf(spec, sizeof(spec),
		 "custom:blocks=0,page_bytes=%u,over_provisioning=%u,read_ns=2000,program_ns=%u,erase_ns=%u,"
		 "transfer_ps=100,gc_threshold=%u,%s", 4096 << rnd(2), 46 + rnd(10), 1 + rnd(10000),
		 1 + rnd(50000), rnd(40), geometries[which]);
	drive_log("seed %llu: %s", (unsigned long long)round_seed, spec);
	if (ssdf_params_parse(&params, spec, &refused)) {
		drive_say(refused.text);
		return 0;
	}
	/* Some drives have leftover space in each zone, so zones must be finished. */
	drive_create(16 + planes[which] * (12 + rnd(4)), ZONE_SECTORS - rnd(2) * 8,
		     2 * planes[which] + 2);
	f = create_target();
	if (!f) {
		drive_say("a new drive is refused");
		return 0;
	}
	page_sectors = params.page_bytes / SECTOR;
	nr_sectors = ssdf_nr_lpns(f->device) * page_sectors;
	sectors = calloc(nr_sectors, sizeof(*sectors));
	region_zones = f->zoned->layout.region_zones;
	first_data_zone = 2 * region_zones;
	destroy(f);
	return region_zones;
}

static const char *one_round(void)
{
	u32 region_zones, i;

	drive_wrong = NULL;
	drive_seed(round_seed);
	region_zones = prepare();
	for (i = 0; i < LIVES && !drive_wrong; i++)
		one_life(true);
	if (!drive_wrong)
		one_life(false);
	for (i = 0; i < HOSTILE_LIVES && !drive_wrong; i++)
		hostile_life(region_zones);
	free(sectors);
	drive_destroy();
	return drive_wrong;
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
	started = f && start(f);
	if (started)
		check_all();
	if (f)
		destroy(f);
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
	first = start(f);
	drive_kill_after(0);
	drive_spoil(at, false);
	again = start(f);
	if (again)
		check_all();
	destroy(f);
	result(!first && again && !drive_wrong, "a start that %s can be repeated%s%s",
	       signal ? "a signal has ended" : "could not read the log",
	       again ? "" : ": ", again ? "" : refused.text);
}

/* Only the newer region of the log is needed, but what it has acknowledged must not be ignored. */
static void check_unreadable_log(void)
{
	struct dmsf_target *f;
	u32 i;

	drive_wrong = NULL;
	drive_seed(1);
	spoils = 0;
	prepare();
	/* Each start begins a region. */
	for (i = 0; i < 3; i++) {
		f = create_target();
		if (f && start(f))
			some_requests(200);
		destroy(f);
		settle_all();
	}
	check_log(false, true, 0);
	check_log(false, true, 1);
	check_log(true, false, 0);
	check_log(true, false, 2);
	check_log(false, true, 2);
	check_repeated_start(false);
	check_repeated_start(true);
	free(sectors);
	nr_sectors = 0;
	drive_destroy();
}

static void flush_now(struct host *host)
{
	take_snapshot(host);
	submit(host, SSDC_FLUSH, 0, 0, true);
	wait_for_hosts();
}

/* Write and flush until the next commit starts a region of the log. */
static void fill_log(struct dmsf_target *f)
{
	const struct dmsf_log *log = &f->zoned->log;
	u32 entries_per_block = 4032 / 12;

	while (log->next_block + log->capacity / entries_per_block + 1 <= log->region_blocks) {
		some_requests(10);
		wait_for_hosts();
		flush_now(&hosts[0]);
	}
}

/* Whatever write of a checkpoint fails, reads continue, also after a suspend and a resume. */
static void check_failed_checkpoint(void)
{
	struct dmsf_target *f;
	u32 n, resumed = 0, failures = 0;

	drive_wrong = NULL;
	spoils = 0;
	for (n = 1; n <= 8 && !drive_wrong; n++) {
		drive_seed(n);
		prepare();
		f = create_target();
		start(f);
		fill_log(f);
		drive_fail_after(n);
		flush_now(&hosts[0]);
		failures += hosts[0].rq.failed;
		stop(f);
		if (start(f)) {
			read_now(&hosts[0], 0, page_sectors);
			resumed += !hosts[0].rq.failed;
		}
		destroy(f);
		free(sectors);
		nr_sectors = 0;
		drive_destroy();
	}
	result(!drive_wrong && failures >= 6 && resumed == n - 1,
	       "reads continue after a failed checkpoint and a resume: %u of %u, %u failed%s%s",
	       resumed, n - 1, failures, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* Writes of two parts of a page, of which one or both fail: all of the page can be read. */
static void check_failed_write(void)
{
	u32 n, failures = 0, both = 0, readable = 0;
	struct dmsf_target *f;

	drive_wrong = NULL;
	spoils = 0;
	for (n = 1; n <= 12 && !drive_wrong; n++) {
		drive_seed(n);
		prepare();
		f = create_target();
		start(f);
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
		stop(f);
		destroy(f);
		free(sectors);
		nr_sectors = 0;
		drive_destroy();
	}
	result(!drive_wrong && failures == 12 && both > 0 && readable == failures,
	       "reads of a page continue after failed writes of parts of it: %u of %u%s%s",
	       readable, failures, drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* A read that waits for the data of a write of another part of its page, while the device fails. */
static void check_read_beside_failed_write(void)
{
	u32 n, i, failures = 0, read = 0;
	struct dmsf_target *f;

	drive_wrong = NULL;
	spoils = 0;
	for (n = 1; n <= 128 && !drive_wrong; n++) {
		drive_seed(n);
		prepare();
		f = create_target();
		start(f);
		submit_write(&hosts[0], 0, page_sectors);
		wait_for_hosts();
		submit_write(&hosts[0], n % 4, 1);
		for (i = 0; i < n % 8; i++)
			drive_step();
		drive_fail_after(1);
		submit_write(&hosts[1], 5 * page_sectors, page_sectors);
		submit(&hosts[2], SSDC_READ, n % 4 + 1, 1, false);
		wait_for_hosts();
		/* Otherwise the drive failed the read of the page. */
		failures += hosts[1].rq.failed && hosts[0].rq.failed;
		read += hosts[1].rq.failed && hosts[0].rq.failed && !hosts[2].rq.failed;
		stop(f);
		destroy(f);
		free(sectors);
		nr_sectors = 0;
		drive_destroy();
	}
	result(!drive_wrong && failures && read == failures,
	       "reads beside failed writes of other parts of their page: %u of %u%s%s", read, failures,
	       drive_wrong ? ": " : "", drive_wrong ? drive_wrong : "");
}

/* Fail each operation of the first start on an empty drive: there is always a reason. */
static void check_reasons(void)
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
		failures += !f || !start(f);
		running = NULL;
		if (f)
			destroy(f);
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
	ssdf_params_parse(&params, "custom:channels=1,chips=1,dies=1,blocks=0,page_bytes=4096",
			  &refused);
	f = create_target();
	result(!f && !strncmp(refused.text, reason, strlen(reason)), "%s: %u", reason, zone);
	if (f)
		destroy(f);
	drive_destroy();
}

static void check_refusals(void)
{
	const u8 type = BLK_ZONE_TYPE_SEQWRITE_REQ, empty = BLK_ZONE_COND_EMPTY;

	check_odd(5, type, BLK_ZONE_COND_OFFLINE, ZONE_SECTORS, "origin: zone 5 is offline; after");
	check_odd(0, type, BLK_ZONE_COND_READONLY, ZONE_SECTORS,
		  "origin: zone 0 is read-only; after");
	check_odd(63, type, empty, ZONE_SECTORS - 8,
		  "origin: zone 63 is of another capacity; after");
	check_odd(7, BLK_ZONE_TYPE_CONVENTIONAL, empty, ZONE_SECTORS,
		  "origin: zone 7 is conventional; after");
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
	drive_tick = tick;
	drive_bail_out = bail_out;
	drive_read_failed = note_unreadable;
	drive_cache_lost = cache_lost;
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
	return finish();
}
