// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to ssdflash on a zoned drive, and whether each finds what it must.
 */
#include <stdlib.h>
#include <string.h>
#include "lab.h"

#define WORDS		(SECTOR / sizeof(u64))

struct lab_counts seen;
struct dmsf_target *running;
struct host hosts[HOSTS];
struct sector *sectors;
u32 nr_sectors, page_sectors, first_data_zone;
bool garbage;
u32 zeroes_failed;
u32 data_failed;
bool log_is_forged;
u32 spoils;
u64 numbers;

/* Requests that hosts still send while a commit runs. */
u32 requests_meanwhile;

static u64 now_ns;

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

static void submit_any(struct host *host);

/* Any of the hosts but the first, which may wait for that commit. */
static void send_meanwhile(void)
{
	struct host *host = &hosts[1 + rnd(HOSTS - 1)];

	if (!requests_meanwhile || !running->zoned->commit_work.running || host->in_flight ||
	    drive_is_off())
		return;
	requests_meanwhile--;
	submit_any(host);
}

/* Advance to the model's next event. */
bool tick(void)
{
	u64 next_ns;

	if (!running || running->stopped)
		return false;
	send_meanwhile();
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
u64 number_of(const char *data, u32 sector)
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
u32 first_discarded(const struct host *host)
{
	return (host->first + page_sectors - 1) / page_sectors * page_sectors;
}

u32 end_discarded(const struct host *host)
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
	if (log_is_forged && is_lost(host))
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

void submit_request(struct host *host, enum ssdc_op op, u32 first, u32 nr, bool durable)
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

void submit_write(struct host *host, u32 first, u32 nr)
{
	numbers += 2;
	host->number = numbers;
	note_issued(host, SSDC_WRITE, first, nr);
	submit_request(host, SSDC_WRITE, first, nr, false);
}

void submit_discard(struct host *host, u32 first, u32 nr)
{
	numbers += 2;
	host->number = numbers + 1;
	note_issued(host, SSDC_DISCARD, first, nr);
	submit_request(host, SSDC_DISCARD, first, nr, false);
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
	submit_request(host, op, first, nr, durable);
}

static bool is_data(const char *data)
{
	u64 words[2];

	memcpy(words, data, sizeof(words));
	return words[0] && words[1] < nr_sectors && number_of(data, words[1]) == words[0];
}

/* These data, current or not, cannot be read: nor can the rest of their page once it moves. */
void note_unreadable(const char *data)
{
	u64 words[2];
	u32 first, i;

	zeroes_failed += !is_data(data);
	data_failed += is_data(data);
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
void cache_lost(void)
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

void some_requests(u32 nr)
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
			kernel_step();
	}
}

/* Write whole pages anywhere, with a FLUSH now and then, so that a full drive stays full. */
void write_pages(u32 nr)
{
	struct host *host;
	u32 steps, first;

	while (nr-- && !drive_wrong && !drive_is_off()) {
		host = &hosts[rnd(HOSTS)];
		first = rnd(nr_sectors / page_sectors) * page_sectors;
		if (host->in_flight)
			continue;
		if (!rnd(4)) {
			take_snapshot(host);
			submit_request(host, SSDC_FLUSH, 0, 0, true);
		} else if (!overlaps(first, page_sectors)) {
			submit_write(host, first, page_sectors);
		}
		for (steps = rnd(12); steps; steps--)
			kernel_step();
	}
}

void wait_for_hosts(void)
{
	u32 i;

	for (i = 0; i < HOSTS; i++)
		while (hosts[i].in_flight)
			if (!kernel_step())
				kernel_bail_out("a request");
}

/* Changes of all pages; their commit has several blocks. */
void write_all(void)
{
	u32 at, nr;

	for (at = 0; at < nr_sectors; at += nr) {
		nr = min(nr_sectors - at, page_sectors * (MAX_SECTORS / page_sectors));
		submit_write(&hosts[0], at, nr);
		wait_for_hosts();
	}
}

void some_commits(u32 nr)
{
	while (nr--) {
		some_requests(20);
		wait_for_hosts();
		flush_now(&hosts[0]);
	}
}

void read_now(struct host *host, u32 first, u32 nr)
{
	submit_request(host, SSDC_READ, first, nr, false);
	wait_for_hosts();
}

void flush_now(struct host *host)
{
	take_snapshot(host);
	submit_request(host, SSDC_FLUSH, 0, 0, true);
	wait_for_hosts();
}
