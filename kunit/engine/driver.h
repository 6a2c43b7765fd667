/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A driver of the engine for tests. Nothing happens by itself: the test calls each step of a
 * request, and each start and end of an I/O.
 *
 * The data of a sector are one number, the version of the write that made them. Versions only
 * grow, which is enough to detect stale, lost and resurrected data. The driver checks, and fails
 * the test otherwise, that
 *
 *	- the engine's invariants hold after each call;
 *	- no write to the origin replaces newer data by older;
 *	- data do not change while they are written to the origin;
 *	- no page I/O and no discard with common sectors are at the origin together;
 *	- a read returns the newest data acknowledged before it arrived, or newer data;
 *	- after a FLUSH or FUA all data that it covers are, and remain, on the origin's media or,
 *	  with protected DRAM, there or dirty in DRAM;
 *	- a refused discard changes nothing.
 */
#ifndef SSDC_KUNIT_DRIVER_H
#define SSDC_KUNIT_DRIVER_H

#include <kunit/test.h>
#include "../../dm-ssdcache/engine/internal.h"

#define TD_FRAMES	16u		/* pages of the DRAM tier */
#define TD_RESERVE	16u		/* further frames */
#define TD_PAGE_SECTORS	8u		/* of td_params() */
#define TD_SECTORS	1024u
#define TD_MAX_IOS	64u
#define TD_START_NS	1000000000ULL
#define TD_TEXT		256u
#define TD_MANY		10000u		/* a loop of more rounds counts as endless */

/**
 * struct td_host - a host request
 * @rq: the engine's part
 * @node: on the driver's list of forwarded requests, if it is one
 * @action: last return value of ssdc_step()
 * @seg: segment of @action
 * @done: SSDC_COMPLETE was returned
 * @version: version of the data that it writes
 * @data: what it read, a version per sector
 * @promise: oldest versions that it may see: per sector of the request, or of the origin for a
 *	FLUSH
 * @cached: of a FLUSH at the origin, and of a write with FUA: the origin's data as it began
 */
struct td_host {
	struct ssdc_request rq;
	struct list_head node;
	enum ssdc_action action;
	struct ssdc_segment seg;
	bool done;
	u32 version;
	u32 *data;
	u32 *promise;
	u32 *cached;
};

/* A page read or write in flight, and its data. */
struct td_io {
	struct ssdc_io io;
	u32 data[SSDC_MAX_PAGE_BYTES >> SSDC_SECTOR_SHIFT];
};

/* A bypassing read in flight. */
struct td_sub {
	struct list_head node;
	struct td_host *host;
	u32 rq_sector;
	u32 nr_sectors;
	u32 data[];
};

/**
 * struct td - a test's engine and the world around it
 * @test: the test
 * @e: the engine
 * @now_ns: current time
 * @version: version of the newest write
 * @sectors: size of the origin
 * @buffers: data of the frames, by buffer
 * @holds: whose data these are: 1 + sector of the origin
 * @origin: data of the origin
 * @media: data of the origin that survive a power failure
 * @lossy: a failed FLUSH loses what the origin had cached
 * @acked: newest acknowledged data, by sector
 * @issued: newest data that a request has begun to write, by sector
 * @discarded: version of the newest discard, by sector
 * @stable: newest data that a FLUSH or FUA with protected DRAM covered, by sector
 * @ios: page reads and writes in flight, in the order of their start
 * @nr_ios: number of @ios
 * @subs: bypassing reads in flight
 * @forwarded: forwarded requests in flight
 * @text_turn: which @text to use next
 * @text: results of td_list() and similar functions
 */
struct td {
	struct kunit *test;
	struct ssdc_engine *e;
	u64 now_ns;
	u32 version;
	u32 sectors;
	u32 *buffers;
	u32 *holds;
	u32 *origin;
	u32 *media;
	bool lossy;
	u32 *acked;
	u32 *issued;
	u32 *discarded;
	u32 *stable;
	struct td_io ios[TD_MAX_IOS];
	unsigned int nr_ios;
	struct list_head subs;
	struct list_head forwarded;
	unsigned int text_turn;
	char text[4][TD_TEXT];
};

/* 16 pages of 4 KiB, 128 pages of origin, lru, read-write, no prefetch, defaults. */
struct ssdc_params td_params(void);
struct td *td_new(struct kunit *test, const struct ssdc_params *params);
struct td *td_simple(struct kunit *test, const char *replacement);
struct td *td_admission(struct kunit *test, const char *admission);
void td_exit(struct kunit *test);

/*
 * Requests. td_begin() only prepares one, td_hold() calls ssdc_step() once, td_step() until it
 * returns another action than SSDC_MORE; the others run the request until it waits or ends.
 */
struct td_host *td_begin(struct td *td, enum ssdc_op op, u64 sector, u64 nr_sectors);
enum ssdc_action td_hold(struct td *td, struct td_host *host);
enum ssdc_action td_step(struct td *td, struct td_host *host);
enum ssdc_action td_run(struct td *td, struct td_host *host);
struct td_host *td_submit(struct td *td, enum ssdc_op op, u64 sector, u64 nr_sectors);
struct td_host *td_write_page(struct td *td, u64 page);
struct td_host *td_read_page(struct td *td, u64 page);
struct td_host *td_fua_page(struct td *td, u64 page);
struct td_host *td_flush(struct td *td);
void td_put(struct td *td, struct td_host *host);
unsigned int td_run_ready(struct td *td);

/* Free frames besides the reserve; negative: so many frames of the reserve are borrowed. */
static inline int td_free_frames(const struct td *td)
{
	return (int)td->e->nr_free - (int)TD_RESERVE;
}

/* I/O of the origin. */
bool td_start_io(struct td *td);
unsigned int td_start_ios(struct td *td);
void td_end_io(struct td *td, unsigned int index, int error);
void td_end_ios(struct td *td, int error);
void td_end_sub(struct td *td, int error);
void td_end_forward(struct td *td, int error);
void td_fail_elsewhere(struct td *td, int error, bool reported);
void td_replace_origin(struct td *td, bool failed);

/* The worker. td_background() runs until nothing is due now, td_settle() until all is at rest. */
u64 td_background(struct td *td);
void td_settle(struct td *td);
void td_check(struct td *td);

/*
 * Short cuts that end at rest. td_fill() writes and td_load() reads pages [first, first + nr), one
 * request each.
 */
void td_fill(struct td *td, u64 first, u32 nr);
void td_load(struct td *td, u64 first, u32 nr);
void td_clean_all(struct td *td);

/* A FLUSH of the driver itself, as before a suspend. Run until a FLUSH is at the origin. */
struct td_host *td_own_flush(struct td *td);
void td_until_flush(struct td *td);

/* I/O in flight writes or reads the page. */
void td_expect_flush(struct td *td, unsigned int index, u64 page,
		     enum ssdc_flush_reason reason);
void td_expect_fill(struct td *td, unsigned int index, u64 page);

/*
 * Lists as text, most recent page first. Pages 0 to 25 are called A to Z, others by number:
 * "C B A", or with td_counted() "C1 B2 A1". td_drain() evicts all pages and prints them in that
 * order; only td_exit() may follow. td_batches() does the same with bars between batches:
 * "A B | C".
 */
const char *td_list(struct td *td, u8 list);
const char *td_counted(struct td *td, u8 list);
const char *td_drain(struct td *td);
const char *td_batches(struct td *td);

/* The error message for @word, up to a colon, as an unknown name of a plug-in. */
const char *td_not_one_of(struct kunit *test, enum ssdc_kind kind, const char *word);

/*
 * A device whose load the test sets: page n maps to unit n modulo @nr; each unit is a channel.
 * @dynamic: a write goes to the unit with the least depth.
 */
#define TD_MAX_UNITS 8u

struct td_device {
	u32 nr;
	bool dynamic;
	u32 depth[TD_MAX_UNITS];
	bool gc[TD_MAX_UNITS];
	u32 stripe_sectors;
	bool collects;
};

void td_set_device(struct td *td, struct td_device *device);

u64 td_core_stat(const struct td *td, const char *name);
u64 td_policy_stat(const struct td *td, const char *name);
u64 td_admission_stat(const struct td *td, const char *name);
u64 td_admission_row(const struct td *td, const char *name, unsigned int i);
u64 td_prefetch_stat(const struct td *td, const char *name);
void td_set(struct td *td, const char *key, const char *value);
void td_set_mode(struct td *td, enum ssdc_durability mode);
struct ssdc_entry *td_entry(struct td *td, u64 page);
bool td_cached(const struct td *td, u64 page);
bool td_dirty(const struct td *td, u64 page);

#define TD_EXPECT_STAT(driver, name, value) do { \
	struct td *_td = (driver); \
	const char *_name = (name); \
	KUNIT_EXPECT_EQ_MSG(_td->test, td_core_stat(_td, _name), (u64)(value), "%s", _name); \
} while (0)

#define TD_EXPECT_POLICY_STAT(driver, name, value) do { \
	struct td *_td = (driver); \
	const char *_name = (name); \
	KUNIT_EXPECT_EQ_MSG(_td->test, td_policy_stat(_td, _name), (u64)(value), "%s", _name); \
} while (0)

#define TD_EXPECT_ADMISSION_STAT(driver, name, value) do { \
	struct td *_td = (driver); \
	const char *_name = (name); \
	KUNIT_EXPECT_EQ_MSG(_td->test, td_admission_stat(_td, _name), (u64)(value), "%s", _name); \
} while (0)

#define TD_EXPECT_PREFETCH_STAT(driver, name, value) do { \
	struct td *_td = (driver); \
	const char *_name = (name); \
	KUNIT_EXPECT_EQ_MSG(_td->test, td_prefetch_stat(_td, _name), (u64)(value), "%s", _name); \
} while (0)

/* The driver is to copy or to read this: sectors of the frame, of the request, their number. */
#define TD_EXPECT_SEG(driver, host, from, at, nr) do { \
	struct kunit *_test = (driver)->test; \
	const struct ssdc_segment *_seg = &(host)->seg; \
	KUNIT_EXPECT_EQ(_test, _seg->frame_sector, from); \
	KUNIT_EXPECT_EQ(_test, _seg->rq_sector, at); \
	KUNIT_EXPECT_EQ(_test, _seg->nr_sectors, nr); \
} while (0)

/* The request completed without an error. */
#define TD_EXPECT_DONE(td, host) do { \
	struct kunit *_test = (td)->test; \
	const struct td_host *_host = (host); \
	KUNIT_EXPECT_TRUE(_test, _host->done); \
	KUNIT_EXPECT_EQ(_test, _host->rq.error, 0); \
} while (0)

#endif /* SSDC_KUNIT_DRIVER_H */
