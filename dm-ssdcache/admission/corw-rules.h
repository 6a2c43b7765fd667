/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common part of corw-1 … corw-8 and l-corw: the monitor of traffic and locality, and
 * Algorithm 1 of [Zhou23], which applies three thresholds:
 *
 *	cache a read that misses	if T_r / T_w > tt and Ra_r / Ra_w > rt
 *	write through			if T_w < mean(T_w) and C_r < ct and Ra_w < 0.01
 *	else write back
 *
 *	T	traffic of the last interval (0.2 s), separately for reads and writes
 *	Ra	re-access ratio, see reaccess.h
 *	C_r	share of the cached pages that are clean, at this moment
 *	mean	over all intervals since the scheme was chosen
 *
 * The tick at the end of an interval evaluates all conditions on the interval. A request
 * only adds to the counts and compares C_r.
 *
 * Intervals form a grid that starts at the first request. The interval after the last busy
 * one still ends with a tick, so that old traffic does not count as current. Then the scheme
 * sleeps; the next request that arrives or ends accounts (for the mean) for the empty
 * intervals since:
 *
 *	requests  x xx  x |  x x    |         |    .    |    .    | x
 *	tick              ^         ^         ^                        ^
 *
 * Choices where the paper is silent: a ratio with numerator 0 is 0, and any other ratio with
 * denominator 0 is infinite; the window of Ra is 10 000 requests, the paper's episode, or with
 * rar_window=0 the interval, as that of T; the mean includes the current interval; C_r of an
 * empty cache is 0.
 */
#ifndef SSDC_CORW_RULES_H
#define SSDC_CORW_RULES_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/admission.h"
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
 * @rar_window: tunable: requests in half a window of Ra; 0: the window is the interval
 * @cold_permille: tunable: bound on Ra_w
 * @wt_sync: tunable: complete a write-through only once the origin has it
 * @thresholds: in force
 * @reaccess: window of Ra
 * @reading: sectors read in this interval
 * @writing: sectors written in this interval
 * @busy: a request arrived or ended in this interval
 * @end_ns: end of the last interval on the grid; 0: none has ended
 * @intervals: intervals that ended, idle ones included
 * @written: sectors written in all of them
 * @read_sectors: T_r of the last interval
 * @write_sectors: T_w of the last interval
 * @reads: Ra_r at its end
 * @writes: Ra_w at its end
 * @cache_reads: both conditions for caching a read hold
 * @quiet_writes: the conditions for writing through, except that on C_r, hold
 * @mean_writes: statistic: mean(T_w)
 * @read_rar: statistic: Ra_r in millionths
 * @write_rar: statistic: Ra_w in millionths
 * @clean: statistic: C_r at the end of the last interval, in thousandths
 * @ticks: statistic: intervals that ended with a decision
 * @caching_ticks: statistic: decisions to cache reads
 * @through_writes: statistic: writes written through
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

/* The bin of @num / @den: [0, 10), [10, 100) or [100, inf). */
static inline enum ssdc_corw_bin ssdc_corw_ratio_bin(u64 num, u64 den)
{
	/* Divisions, as the products may exceed 64 bits. */
	if (!num || div_u64(num, 10) < den)
		return SSDC_CORW_LOW;
	return div_u64(num, 100) < den ? SSDC_CORW_MID : SSDC_CORW_HIGH;
}

/* The bin of @clean / @pages: [0, .33), [.33, .66) or [.66, 1]. */
static inline enum ssdc_corw_bin ssdc_corw_clean_bin(u64 clean, u64 pages)
{
	if (!pages || 100 * clean < 33 * pages)
		return SSDC_CORW_LOW;
	return 100 * clean < 66 * pages ? SSDC_CORW_MID : SSDC_CORW_HIGH;
}

static inline u32 ssdc_corw_clean_pages(const struct ssdc_corw *c)
{
	const struct ssdc_tier *tier = c->a.plugin.tier;

	return tier->used_pages - tier->dirty_pages;
}

/* Ops of struct ssdc_admission_type, and helpers for them. */
int ssdc_corw_create(struct ssdc_corw *c, struct ssdc_error *error);
void ssdc_corw_destroy(struct ssdc_admission *a);
void ssdc_corw_observe(struct ssdc_admission *a, const struct ssdc_host_request *rq);
void ssdc_corw_observe_pages(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			     u32 first, u32 nr);
bool ssdc_corw_admit_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			  ssdc_page_t page);
enum ssdc_write_mode ssdc_corw_admit_write(struct ssdc_admission *a,
					   const struct ssdc_host_request *rq);
int ssdc_corw_check(const struct ssdc_admission *a, struct ssdc_error *finding);

void ssdc_corw_wake(struct ssdc_corw *c, u64 now_ns);
void ssdc_corw_end_interval(struct ssdc_corw *c, u64 now_ns);
void ssdc_corw_decide(struct ssdc_corw *c, struct ssdc_corw_thresholds thresholds);
enum ssdc_corw_bin ssdc_corw_traffic_bin(const struct ssdc_corw *c);
enum ssdc_corw_bin ssdc_corw_locality_bin(const struct ssdc_corw *c);

/* Table rows for a scheme whose instance starts with a struct ssdc_corw. */
#define SSDC_CORW_TUNABLES \
	{ "period_ms", "ms", "length of an interval; thresholds are compared at its end", \
	  offsetof(struct ssdc_corw, period_ms), 200, 1, 60000, NULL }, \
	{ "rar_window", "requests", \
	  "re-accesses count within one to two times as many requests; 0: within the interval", \
	  offsetof(struct ssdc_corw, rar_window), 10000, 0, 100000, NULL }, \
	{ "cold", "permille", "write through only while the share of rewrites is less than this", \
	  offsetof(struct ssdc_corw, cold_permille), 10, 0, 1000, NULL }, \
	{ "wt_sync", "", "on: a write-through completes only once the origin has it", \
	  offsetof(struct ssdc_corw, wt_sync), 0, 0, 0, ssdc_off_on }

#define SSDC_CORW_STATS \
	SSDC_STAT(struct ssdc_corw, thresholds.tt, "tt", "", SSDC_GAUGE, \
		  "threshold of the traffic ratio T_r / T_w in force"), \
	SSDC_STAT(struct ssdc_corw, thresholds.rt, "rt", "", SSDC_GAUGE, \
		  "threshold of the re-access ratio Ra_r / Ra_w in force"), \
	SSDC_STAT(struct ssdc_corw, thresholds.ct, "ct", "percent", SSDC_GAUGE, \
		  "threshold of the clean ratio C_r in force"), \
	SSDC_STAT(struct ssdc_corw, read_sectors, "read_traffic", "sectors", SSDC_GAUGE, \
		  "T_r: sectors read in the last interval"), \
	SSDC_STAT(struct ssdc_corw, write_sectors, "write_traffic", "sectors", SSDC_GAUGE, \
		  "T_w: sectors written in the last interval"), \
	SSDC_STAT(struct ssdc_corw, mean_writes, "mean_write_traffic", "sectors", SSDC_GAUGE, \
		  "mean of T_w over all intervals, idle ones included"), \
	SSDC_STAT(struct ssdc_corw, read_rar, "read_rar", "ppm", SSDC_GAUGE, \
		  "Ra_r: share of page reads that are re-reads"), \
	SSDC_STAT(struct ssdc_corw, write_rar, "write_rar", "ppm", SSDC_GAUGE, \
		  "Ra_w: share of page writes that are rewrites"), \
	SSDC_STAT(struct ssdc_corw, clean, "clean_ratio", "permille", SSDC_GAUGE, \
		  "C_r: share of cached pages that were clean at the end of the last interval"), \
	SSDC_STAT(struct ssdc_corw, cache_reads, "caching_reads", "", SSDC_GAUGE, \
		  "1: reads that miss are cached"), \
	SSDC_STAT(struct ssdc_corw, quiet_writes, "quiet_writes", "", SSDC_GAUGE, \
		  "1: writes are written through while the clean ratio is less than ct"), \
	SSDC_STAT(struct ssdc_corw, ticks, "ticks", "intervals", SSDC_COUNTER, \
		  "intervals that ended with a decision; in a pause only the first does"), \
	SSDC_STAT(struct ssdc_corw, caching_ticks, "caching_ticks", "intervals", SSDC_COUNTER, \
		  "decisions to cache reads that miss"), \
	SSDC_STAT(struct ssdc_corw, through_writes, "through_writes", "requests", SSDC_COUNTER, \
		  "writes written through")

#endif /* SSDC_CORW_RULES_H */
