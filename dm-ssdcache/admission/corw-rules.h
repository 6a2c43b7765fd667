/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What corw-1 … corw-8 and l-corw have in common: the monitor of traffic and
 * locality, and Algorithm 1 of S003, which decides with three thresholds:
 *
 *	a read that misses is cached	if T_r / T_w > tt and Ra_r / Ra_w > rt
 *	a write goes through		if T_w < mean(T_w) and C_r < ct and Ra_w < 0.01
 *	any other write stays dirty
 *
 *	T	traffic of the last interval (0.2 s), reads and writes apart
 *	Ra	re-access ratio, see reaccess.h
 *	C_r	share of the cached pages that is clean, at this moment
 *	mean	over all intervals since the scheme was chosen
 *
 * What the last interval decides is worked out when it ends, in the tick; a
 * request counts itself and compares C_r.
 *
 * Intervals lie on a grid that starts with the first request. The one after the
 * last busy one still ends with a tick, so that no old traffic counts as
 * current; from then on the scheme sleeps, and the intervals that nothing fell
 * into are counted (for the mean) when the next request comes or ends:
 *
 *	requests  x xx  x |  x x    |         |    .    |    .    | x
 *	tick              ^         ^         ^                        ^
 *
 * The paper leaves open: divisions by 0 (a ratio with nothing above is 0, else
 * one with nothing below is infinite), the window of Ra (10 000 requests, the
 * paper's episode), whether the mean includes the current interval (it does),
 * and C_r of an empty cache (0).
 */
#ifndef SSDC_CORW_RULES_H
#define SSDC_CORW_RULES_H

#include <linux/kernel.h>
#include "../engine/engine.h"
#include "reaccess.h"

/**
 * struct ssdc_corw_thresholds - the paper's threshold group
 * @tt: of T_r / T_w
 * @rt: of Ra_r / Ra_w
 * @ct: of C_r, in percent
 */
struct ssdc_corw_thresholds {
	u32 tt;
	u32 rt;
	u32 ct;
};

/**
 * struct ssdc_corw - the start of every instance
 * @a: must be first
 * @period_ms: tunable: length of an interval
 * @rar_window: tunable: requests of half a window of Ra
 * @cold_permille: tunable: bound of Ra_w
 * @wt_sync: tunable: does a write that goes through wait for the origin?
 * @thresholds: in force
 * @reaccess: window of Ra
 * @reading: sectors read in this interval
 * @writing: sectors written in this interval
 * @busy: did anything come or end in this interval?
 * @end_ns: where on the grid the last interval ended; 0: there was none
 * @intervals: that ended, idle ones included
 * @written: sectors written in all of them
 * @read_sectors: T_r of the last interval
 * @write_sectors: T_w of the last interval
 * @reads: Ra_r when it ended
 * @writes: Ra_w when it ended
 * @cache_reads: both conditions of a read that misses hold
 * @quiet_writes: the conditions of a write that goes through hold, but for C_r
 * @mean_writes: statistics from here on: mean(T_w)
 * @read_rar: Ra_r, in millionths
 * @write_rar: Ra_w, likewise
 * @clean: C_r when the last interval ended, in thousandths
 * @ticks: intervals that ended with a decision
 * @caching_ticks: of these, after which reads were cached
 * @through_writes: writes that went through
 */
struct ssdc_corw {
	struct ssdc_admission a;
	u32 period_ms;
	u32 rar_window;
	u32 cold_permille;
	u32 wt_sync;
	struct ssdc_corw_thresholds thresholds;
	struct ssdc_reaccess reaccess;

	u64 reading;
	u64 writing;
	bool busy;
	u64 end_ns;
	u64 intervals;
	u64 written;

	u64 read_sectors;
	u64 write_sectors;
	struct ssdc_reaccess_count reads;
	struct ssdc_reaccess_count writes;
	u32 cache_reads;
	u32 quiet_writes;

	u64 mean_writes;
	u32 read_rar;
	u32 write_rar;
	u32 clean;
	u64 ticks;
	u64 caching_ticks;
	u64 through_writes;
};

/* The bins of Table III. */
enum ssdc_corw_bin { SSDC_CORW_LOW, SSDC_CORW_MID, SSDC_CORW_HIGH, SSDC_CORW_BINS };

/* [0, 10), [10, 100) and [100, inf) of @above / @below. */
static inline enum ssdc_corw_bin ssdc_corw_ratio_bin(u64 above, u64 below)
{
	if (!above || above < 10 * below)
		return SSDC_CORW_LOW;
	return above < 100 * below ? SSDC_CORW_MID : SSDC_CORW_HIGH;
}

/* [0, .33), [.33, .66) and [.66, 1] of @clean / @pages. */
static inline enum ssdc_corw_bin ssdc_corw_clean_bin(u64 clean, u64 pages)
{
	if (!pages || 100 * clean < 33 * pages)
		return SSDC_CORW_LOW;
	return 100 * clean < 66 * pages ? SSDC_CORW_MID : SSDC_CORW_HIGH;
}

static inline u32 ssdc_corw_clean_pages(const struct ssdc_corw *c)
{
	const struct ssdc_engine *e = c->a.plugin.engine;

	return e->used_pages - e->dirty_pages;
}

/* Ops of struct ssdc_admission_type, and parts of them. */
int ssdc_corw_create(struct ssdc_corw *c, struct ssdc_error *error);
void ssdc_corw_destroy(struct ssdc_admission *a);
void ssdc_corw_observe(struct ssdc_admission *a, const struct ssdc_request *rq);
bool ssdc_corw_admit_read(struct ssdc_admission *a, const struct ssdc_request *rq,
			  ssdc_page_t page);
enum ssdc_write_mode ssdc_corw_admit_write(struct ssdc_admission *a,
					   const struct ssdc_request *rq);
int ssdc_corw_check(const struct ssdc_admission *a);

void ssdc_corw_wake(struct ssdc_corw *c, u64 now_ns);
void ssdc_corw_end_interval(struct ssdc_corw *c, u64 now_ns);
void ssdc_corw_decide(struct ssdc_corw *c, struct ssdc_corw_thresholds thresholds);
enum ssdc_corw_bin ssdc_corw_traffic_bin(const struct ssdc_corw *c);
enum ssdc_corw_bin ssdc_corw_locality_bin(const struct ssdc_corw *c);

/* Rows for the tables of a scheme whose instance starts with a struct ssdc_corw. */
#define SSDC_CORW_TUNABLES \
	{ "period_ms", "ms", "length of an interval, after which thresholds are compared anew", \
	  offsetof(struct ssdc_corw, period_ms), 200, 1, 60000, NULL }, \
	{ "rar_window", "requests", "re-accesses count within one to two times as many requests", \
	  offsetof(struct ssdc_corw, rar_window), 10000, 1, 100000, NULL }, \
	{ "cold", "permille", "writes go through only while fewer of them than this are rewrites", \
	  offsetof(struct ssdc_corw, cold_permille), 10, 0, 1000, NULL }, \
	{ "wt_sync", "", "a write that goes through waits for the origin", \
	  offsetof(struct ssdc_corw, wt_sync), 0, 0, 0, ssdc_off_on }

#define SSDC_CORW_STATS \
	SSDC_STAT(struct ssdc_corw, thresholds.tt, "tt", "", SSDC_GAUGE, \
		  "threshold of the traffic ratio in force"), \
	SSDC_STAT(struct ssdc_corw, thresholds.rt, "rt", "", SSDC_GAUGE, \
		  "threshold of the re-access ratios' ratio in force"), \
	SSDC_STAT(struct ssdc_corw, thresholds.ct, "ct", "percent", SSDC_GAUGE, \
		  "threshold of the clean ratio in force"), \
	SSDC_STAT(struct ssdc_corw, read_sectors, "read_traffic", "sectors", SSDC_GAUGE, \
		  "T_r: read in the last interval"), \
	SSDC_STAT(struct ssdc_corw, write_sectors, "write_traffic", "sectors", SSDC_GAUGE, \
		  "T_w: written in the last interval"), \
	SSDC_STAT(struct ssdc_corw, mean_writes, "mean_write_traffic", "sectors", SSDC_GAUGE, \
		  "written per interval, idle ones included, since the scheme was chosen"), \
	SSDC_STAT(struct ssdc_corw, read_rar, "read_rar", "ppm", SSDC_GAUGE, \
		  "Ra_r: page reads that are re-reads"), \
	SSDC_STAT(struct ssdc_corw, write_rar, "write_rar", "ppm", SSDC_GAUGE, \
		  "Ra_w: page writes that are rewrites"), \
	SSDC_STAT(struct ssdc_corw, clean, "clean_ratio", "permille", SSDC_GAUGE, \
		  "C_r: cached pages that were clean when the last interval ended"), \
	SSDC_STAT(struct ssdc_corw, cache_reads, "caching_reads", "", SSDC_GAUGE, \
		  "1: missed pages that are read enter now"), \
	SSDC_STAT(struct ssdc_corw, quiet_writes, "quiet_writes", "", SSDC_GAUGE, \
		  "1: writes go through while less than ct of the cached pages are clean"), \
	SSDC_STAT(struct ssdc_corw, ticks, "ticks", "intervals", SSDC_COUNTER, \
		  "intervals that ended with a decision; none but the first of a pause does"), \
	SSDC_STAT(struct ssdc_corw, caching_ticks, "caching_ticks", "intervals", SSDC_COUNTER, \
		  "of these, after which missed pages that are read entered"), \
	SSDC_STAT(struct ssdc_corw, through_writes, "through_writes", "requests", SSDC_COUNTER, \
		  "writes that went through")

#endif /* SSDC_CORW_RULES_H */
