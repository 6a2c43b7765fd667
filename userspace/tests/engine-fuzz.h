/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of engine-fuzz:
 *
 *	engine-fuzz.c	options, rounds, the next event
 *	fuzz-changes.c	live changes, suspend, reload, power cuts, what must hold at rest
 *	fuzz-driver.c	the driver: requests and copies
 *	fuzz-io.c	the driver: I/O and the worker
 *	fuzz-promises.c	what the host was promised: data that a read may return, data that are stable
 *	fuzz-origin.c	the origin: its cache, its media, its errors
 *	fuzz-plugins.c	a random device, admission scheme and prefetcher
 *	fuzz-rules.c	rules that can be switched, ways to break them, the trace of events
 *
 * Data are modelled in cells. A cell is a logical block of the device, of one or more sectors. Its
 * data are one number, which consists of two halves, so that a torn block can be told from a whole
 * one. Each half says which change (a write or a discard) wrote it, and belongs to one cell only.
 */
#ifndef ENGINE_FUZZ_H
#define ENGINE_FUZZ_H

#include <linux/errno.h>
#include "../../dm-ssdcache/engine/internal.h"
#include "../common/memory.h"
#include "harness.h"

/* ---- rules and trace: fuzz-rules.c ---- */

/* Rules that can be switched off; all others always hold. Documented in fuzz-rules.c. */
enum rule {
	RULE_FLUSH_ERROR,
	RULE_FLUSH_LOSS,
	RULE_FLUSH_RACE,
	RULE_FLUSH_MODE,
	RULE_FUA_MODE,
	RULE_FUA_PROTECTED,
	RULE_DISCARD_OVERLAP,
	RULE_DISCARD_DATA,
	RULE_TORN_BLOCK,
	RULE_RELOAD_ERROR,
	NR_RULES
};

struct rule_def {
	const char *name;
	const char *doc;
	bool on;
};

extern struct rule_def rules[NR_RULES];

static inline bool has_rule(enum rule rule)
{
	return rules[rule].on;
}

/* Ways to break a rule on purpose, so that tests of the model can fail. */
enum sabotage {
	BREAK_NOTHING,
	BREAK_LOSE_WRITE,
	BREAK_STALE_READ,
	BREAK_MISPLACED_COPY,
	BREAK_SHORT_COPY,
	BREAK_REST_COPY,
	BREAK_CHANGED_FRAME,
	BREAK_SETTLED,
	BREAK_FLUSH_NOTHING,
	BREAK_FLUSH_HIDDEN,
	BREAK_FLUSH_FORGOTTEN,
	BREAK_FLUSH_INVENTED,
	BREAK_FLUSH_LOSS,
	BREAK_FLUSH_ELSEWHERE,
	BREAK_REPLACED,
	BREAK_FUA_NOTHING,
	BREAK_FUA_FLUSH,
	BREAK_FUA_PROTECTED,
	BREAK_WRITE_FAILED,
	BREAK_PROTECTED_LOST,
	BREAK_MEDIA_LOST,
	BREAK_SYNC_WRITE,
	BREAK_DISCARD_NOTHING,
	BREAK_DISCARD_GRANULES,
	BREAK_DISCARD_REFUSED,
	BREAK_EARLY_END,
	BREAK_EARLY_DISCARD,
	BREAK_NO_KICK,
	BREAK_RELOAD_DIRTY,
	NR_BREAKS
};

struct sabotage_def {
	const char *name;
	const char *doc;
	enum rule rule;		/* to switch on, or NR_RULES */
	const char *finding;	/* part of the failure's text */
	const char *or_finding;	/* or another one */
};

extern const struct sabotage_def sabotages[NR_BREAKS];
extern enum sabotage sabotage;

void rules_take(const char *names);
void sabotage_take(const char *name);

/* Is this way to break the rules chosen, and now the time? */
#define SABOTAGE(way) __builtin_expect(sabotage == (way), 0)

#define NO_CELL U32_MAX

void note_event(u32 cell, u32 nr, const char *format, u64 a, u64 b, u64 c);
void trace_clear(void);
extern bool trace_verbose;

/*
 * Record an event in cells @cell, @cell + 1, ...; @format has at most three %llu. Printed after a
 * failure or with -v.
 */
#define NOTE3(cell, nr, format, a, b, c) note_event(cell, nr, format, a, b, c)
#define NOTE2(cell, nr, format, a, b) note_event(cell, nr, format, a, b, 0)
#define NOTE1(cell, nr, format, a) note_event(cell, nr, format, a, 0, 0)
#define NOTE0(cell, nr, format) note_event(cell, nr, format, 0, 0, 0)

/* Report a failure, in @cell or NO_CELL, and how to repeat it; end the program. */
void fail_at(u32 cell, const char *format, ...)
	__attribute__((__noreturn__, __format__(__printf__, 2, 3)));

#define fail(...) fail_at(NO_CELL, __VA_ARGS__)

/* ---- random numbers: as in harness.h, without a division ---- */

/* From 0 to @n - 1, @n below 2^32. */
static inline u32 pick(u32 n)
{
	return (ssdc_random_next(&harness_random) >> 32) * n >> 32;
}

/* True in @part of 1024 cases. */
static inline bool chance(u32 part)
{
	return ssdc_random_next(&harness_random) >> 54 < part;
}

static inline bool toss(void)
{
	return ssdc_random_next(&harness_random) >> 63;
}

/* ---- the host's promises: fuzz-promises.c ---- */

/* Logical time: each begin and end of a request has its own. */
#define NOT_YET U32_MAX

/* A request in flight. */
struct op {
	struct list_head node;
	u32 start;
};

/* How a change of data ended. */
enum change_end {
	CHANGE_ACKED,		/* acknowledged: it counts */
	CHANGE_LOST,		/* failed: may or may not have happened, cell by cell */
	CHANGE_UNKNOWN,		/* failed: the cells may hold anything */
};

/* What must survive a power cut: what is on media, or what is in protected DRAM, too. */
enum kept { KEPT_MEDIA, KEPT_DRAM, NR_KEPT };

/* Data that no change wrote; of a page write that a failed FLUSH lost; that may be anything. */
#define RUBBISH	U64_MAX
#define LOST	(U64_MAX - 1)
#define UNSURE	(U64_MAX - 2)

static inline u32 half_of(u32 change, u32 cell)
{
	return change ^ cell * 0x9E3779B1u;
}

/* What @change writes to @cell. */
static inline u64 data_of(u32 change, u32 cell)
{
	return half_of(change, cell) * 0x100000001ULL;
}

void promises_setup(u32 nr_cells);
void promises_restart(void);
void promises_teardown(void);
u32 promises_time(void);
void op_begin(struct op *op);
void op_end(struct op *op);
u32 change_begin(const struct op *op, u32 cell, u32 nr, bool discard);
void change_end(u32 change, enum change_end end);
void check_read(const struct op *op, u32 cell, u32 nr, const u64 *data, u64 id);
void check_now(u32 cell, u64 data, const char *what);
void check_not_older(u32 change, u32 cell, u64 data, const char *what);
u32 epoch_begin(void);
bool is_of_discard(u32 cell, u64 data);
u64 promises_other(u32 cell, u64 data);
void flush_kept(u32 epoch, enum kept kept);
void change_kept(u32 change, enum kept kept);
void promises_demote(void);
void promise_withdrawn(u32 cell, u64 data);
void check_kept(u32 cell, u64 data, enum kept kept, const char *what);

/* ---- the driver: fuzz-driver.c, fuzz-io.c ---- */

struct request {
	struct ssdc_request rq;
	struct op op;
	struct list_head node;	/* in fuzz.requests, or free */
	u32 cell;
	u32 nr;
	u32 change;		/* of a write or discard */
	u32 copied;		/* of a write: cells that were copied to DRAM */
	u32 epoch;		/* of a FLUSH */
	bool trims;		/* a discard that may leave out parts of granules */
	bool flush_failed;	/* its FLUSH of the origin failed */
	bool flush_succeeded;	/* ... or succeeded */
	bool must_fail;		/* a host FLUSH: another FLUSH failed meanwhile */
	bool was_volatile;	/* DRAM was volatile ever since the request began */
	bool was_protected;	/* DRAM was protected ever since */
	u64 *buffer;		/* data of a read */
};

enum pending_kind { PAGE_READ, PAGE_WRITE, ORIGIN_READ, BYPASS, ORIGIN_FLUSH, ORIGIN_DISCARD, COPY,
		    RESUME };

/* I/O in flight, a copy in progress, or a request about to be continued. */
struct pending {
	enum pending_kind kind;
	struct request *request;
	struct ssdc_io io;
	struct ssdc_segment seg;
	u32 cell;
	u32 nr;
	int error;		/* how it will end */
	bool early;		/* a FLUSH that takes effect, or fails, at its start */
	bool shared;		/* a FLUSH that was another shard's, too, and failed */
	bool reported;		/* BREAK_EARLY_*: the engine was told that it ended */
	u64 halves;		/* of a copy: two bits per cell, set: this half was copied */
	u64 *data;		/* read: sampled at the start, or RUBBISH; write: the frame's data */
	u32 room;		/* of @data */
};

#define MAX_ACTIVE	16
#define MAX_PENDING	1024

struct driver_counts {
	u64 requests;
	u64 overlaps;		/* requests that overlap another one in flight, one of them changes data */
	u64 copies_again;
	u64 power_cuts;
	u64 reloads;
	u64 refused_reloads;	/* given up, as dirty pages were left */
	u64 failed_flushes;
	u64 failed_elsewhere;	/* FLUSHes of other shards */
	u64 replaced;		/* origins, by devices without what they had cached */
	u64 failed_discards;
	u64 lost_cells;		/* by failed FLUSHes */
};

struct fuzz {
	u64 seed;
	u64 steps;
	u64 step;

	struct ssdc_engine *e;
	struct ssdc_params params;
	char specs[SSDC_NR_KINDS][SSDC_SPEC_LEN];
	u64 now_ns;
	u64 wake_ns;		/* when the timer of the worker fires */
	bool kicked;		/* the worker is queued */
	struct request *held;	/* the worker is within it, and other CPUs go on */
	bool quiet;		/* no request arrives */
	u32 drop_cursor;

	u32 cell_shift;		/* log2 of a cell's sectors */
	u32 nr_cells;
	u32 page_cells;
	u32 granule_cells;	/* of discards */
	u32 granule_offset;
	u64 *dram;
	u8 *written;		/* by cell of the DRAM: host data since the page entered */

	struct list_head requests;
	unsigned int active;
	struct pending *pending[MAX_PENDING];
	unsigned int nr_pending;
	u32 discards;		/* in flight at the origin */

	/* The contract of failed FLUSHes; times as of fuzz-promises.c. */
	u32 last_error;		/* when I/O last failed */
	u32 flush_failed;	/* when a FLUSH of the origin last failed */
	u32 flush_owed;		/* since when the host's next FLUSH must fail; 0: need not */
	u32 flush_excuse;	/* since when the host's next FLUSH may fail; 0: may not */

	int forced_error;	/* of the driver's last FLUSH */

	bool talks;		/* the device reports its state */
	u64 talk;		/* source of made-up reports */

	struct driver_counts counts;
	u64 decisions[3];	/* "whim": writes by enum ssdc_write_mode */
	u64 loaded;		/* "wish": pages loaded */
	u64 hits[2];		/* "wish": reads of these, in time and late */
	u64 ends[4];		/* "wish": by enum ssdc_prefetch_end */
};

/* The current round. */
extern struct fuzz f;

void requests_setup(void);
void requests_teardown(void);
void requests_drop(void);
void end_copy(struct pending *pending);
bool is_host_flush(const struct request *request);
u64 kept_data(u32 cell, enum kept kept);
enum kept kept_now(void);
void flush_ended(struct request *request, int error);
void fail_elsewhere(void);
void replace_origin(void);
/* The engine has answered SSDC_COMPLETE. */
void complete(struct request *request);
void advance(struct request *request);
void submit(enum ssdc_op op, u32 cell, u32 nr, bool special);
void submit_random(void);

struct pending *get_pending(enum pending_kind kind, struct request *request, u32 cell, u32 nr);
void pending_drop(void);
void pending_teardown(void);
void begin_origin_read(struct request *request, const struct ssdc_segment *seg);
void begin_bypass(struct request *request);
void begin_flush(struct request *request);
void begin_discard(struct request *request);
void end_random(void);
void end_other(const struct request *request, bool no_io);
void worker(void);
void worker_piece(void);
void fire_timer(void);
void wait_until(bool (*done)(void), const char *what);

static inline ssdc_frame_t frame_of_cell(u32 cell)
{
	return ssdc_lookup(f.e, ssdc_page_of(f.e, (u64)cell << f.cell_shift));
}

static inline u64 *buffer_cells(u32 buffer, u32 sector)
{
	return f.dram + (u64)buffer * f.page_cells + (sector >> f.cell_shift);
}

static inline u64 *frame_cells(ssdc_frame_t frame, u32 sector)
{
	return buffer_cells(f.e->buffers[ssdc_frame_nr(frame)], sector);
}

/* ---- the origin: fuzz-origin.c ---- */

void origin_setup(u32 nr_cells);
void origin_restart(void);
void origin_teardown(void);
void origin_faults(bool none);
void origin_begin(struct pending *pending);
void origin_end(struct pending *pending);
void origin_linger(const struct pending *pending);
void origin_lingered(const struct pending *pending);
void origin_destage(void);
void origin_cut_power(void);
u64 origin_cache(u32 cell);
bool origin_has_failed(void);
bool origin_fails_elsewhere(void);
bool origin_replace(void);
u64 origin_media(u32 cell);

/* ---- live changes: fuzz-changes.c ---- */

extern const char *favourite;	/* plug-in that is used most, or NULL */

unsigned int nr_types(enum ssdc_kind kind);
bool choose_favourite(const char *name);
void choose_plugins(u64 seed);
void choose_sizes(void);
void engine_create(void);
void engine_destroy(void);
void switch_random(void);
void tune_random(void);
void change_mode(void);
void drain(void);
void suspend(void);
void reload(void);
void power_cut(void);
void check_engine(void);
void check_nothing_lost(void);

/* ---- fuzz-plugins.c ---- */

/* A device that makes up its reports, an admission scheme and a prefetcher. */
extern const struct ssdc_device_ops talk_ops;
extern struct ssdc_admission_type whim;
extern struct ssdc_prefetch_type wish;

#endif /* ENGINE_FUZZ_H */
