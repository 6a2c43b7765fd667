// SPDX-License-Identifier: GPL-2.0
/*
 * What waits for what in the flash model: reads behind bursts of writes, and planes that work
 * together.
 *
 *	flash-schedule [-s SEED]	TAP lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include "flash-spec.h"
#include "harness.h"

#define PAGE_SECTORS 16
#define FOUR_PLANES "custom:channels=8,chips=1,dies=1,planes=4,blocks=64,pages=64"
#define EIGHT_CHIPS "custom:channels=1,chips=8,dies=1,planes=1,blocks=64,pages=64"

static struct ssdf_device *create(const char *spec)
{
	struct ssdf_device *f = flash_from_spec(spec);

	while (ssdf_age(f))
		;
	return f;
}

/* Submit a request for each of @nr pages at random, all at once. */
static struct ssdf_request *burst(struct ssdf_device *f, enum ssdc_op op, u32 nr)
{
	struct ssdf_request *requests = calloc(nr, sizeof(*requests));
	u32 i;

	for (i = 0; i < nr; i++) {
		requests[i].op = op;
		requests[i].sector = below(f->nr_lpns) * PAGE_SECTORS;
		requests[i].nr_sectors = PAGE_SECTORS;
		ssdf_submit(f, &requests[i], 0);
	}
	return requests;
}

static void run_until(struct ssdf_device *f, u64 now_ns)
{
	while (ssdf_next_ns(f) <= now_ns)
		ssdf_advance(f, now_ns);
}

/* Run until the device is quiescent; returns that time. */
static u64 run(struct ssdf_device *f)
{
	u64 now_ns = 0, next_ns;

	while ((next_ns = ssdf_next_ns(f)) != SSDF_NEVER) {
		now_ns = max(now_ns, next_ns);
		ssdf_advance(f, now_ns);
	}
	while (ssdf_next_done(f))
		;
	return now_ns;
}

/* Mean response time of one read per millisecond behind a burst of @nr_writes page writes. */
static double read_behind_us(u32 nr_writes)
{
	struct ssdf_device *f = create(FOUR_PLANES);
	struct ssdf_request *writes = burst(f, SSDC_WRITE, nr_writes);
	struct ssdf_request reads[10];
	double sum_us = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		u64 now_ns = 1000 + i * 1000000ULL;

		run_until(f, now_ns);
		reads[i] = (struct ssdf_request) {
			.op = SSDC_READ,
			.sector = below(f->nr_lpns) * PAGE_SECTORS,
			.nr_sectors = PAGE_SECTORS,
		};
		ssdf_submit(f, &reads[i], now_ns);
	}
	run(f);
	for (i = 0; i < ARRAY_SIZE(reads); i++)
		sum_us += (reads[i].done_ns - reads[i].start_ns) / 1000.0;
	free(writes);
	ssdf_destroy(f);
	return sum_us / ARRAY_SIZE(reads);
}

/* A read waits for the command that its die is running, at most. */
static void reads_pass_writes(void)
{
	static const u32 bursts[] = { 500, 2000, 20000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		double us = read_behind_us(bursts[i]);

		result(us < 1000, "mean read behind a burst of %u page writes: %.0f us",
		       bursts[i], us);
	}
}

/* A write does not wait for more than a few of the reads that take all commands they can get. */
static void write_passes_reads(const char *spec)
{
	struct ssdf_device *f = create(spec);
	struct ssdf_request *reads = burst(f, SSDC_READ, 20000);
	struct ssdf_request write = { .op = SSDC_WRITE, .nr_sectors = PAGE_SECTORS };
	u64 end_ns;

	ssdf_submit(f, &write, 0);
	end_ns = run(f);
	result(write.done_ns < end_ns / 10,
	       "%s: a write behind a burst of 20000 page reads: %.1f of %.1f ms", spec,
	       write.done_ns / 1e6, end_ns / 1e6);
	free(reads);
	ssdf_destroy(f);
}

static void writes_pass_reads(void)
{
	write_passes_reads(FOUR_PLANES);
	/* The data of some of the dies suffice to keep the channel busy. */
	write_passes_reads(EIGHT_CHIPS);
}

static u64 burst_ns(const char *spec, enum ssdc_op op, struct ssdf_stats *stats)
{
	struct ssdf_device *f = create(spec);
	struct ssdf_request *requests = burst(f, op, 20000);
	u64 end_ns = run(f);

	*stats = f->stats;
	result(!ssdf_check(f), "%s: invariants", spec);
	free(requests);
	ssdf_destroy(f);
	return end_ns;
}

/* With static allocation, the planes of a die get different numbers of pages. */
static void planes_keep_step(void)
{
	struct ssdf_stats stats;
	u64 dynamic_ns = burst_ns(FOUR_PLANES ",allocation=dynamic", SSDC_WRITE, &stats);
	u64 static_ns = burst_ns(FOUR_PLANES ",allocation=static", SSDC_WRITE, &stats);

	result(static_ns < dynamic_ns * 1.2,
	       "burst of 20000 page writes: static %.0f ms, dynamic %.0f ms",
	       static_ns / 1e6, dynamic_ns / 1e6);
}

/* Reads of a plane may be taken in any order, so most find partners in the other planes. */
static void planes_read_together(void)
{
	struct ssdf_stats stats;
	u64 ns = burst_ns(FOUR_PLANES, SSDC_READ, &stats);

	result(stats.multi_plane_reads > 5000,
	       "burst of 20000 page reads: %llu groups of several planes, %.0f ms",
	       stats.multi_plane_reads, ns / 1e6);
}

/*
 * Writes, reads and discards of many pages, which need several calls of the model, at @nr moments
 * in 10 ms steps. Each call comes @late_ns late. Returns a digest of all ends.
 */
static u64 ends_of(const char *spec, u64 seed, u64 late_ns)
{
	enum { REQUESTS = 60 };
	struct ssdf_request requests[REQUESTS] = {};
	struct ssdf_device *f = create(spec);
	u64 now_ns = 0, next_ns, digest = 0;
	u32 i;

	ssdc_random_seed(&harness_random, seed);
	for (i = 0; i < REQUESTS; i++) {
		struct ssdf_request *rq = &requests[i];

		rq->op = below(3) ? SSDC_DISCARD : below(3) ? SSDC_WRITE : SSDC_READ;
		rq->nr_sectors = (1 + below(300)) * PAGE_SECTORS;
		rq->sector = below(f->nr_lpns * PAGE_SECTORS - rq->nr_sectors);
		ssdf_submit(f, rq, now_ns);
		now_ns += below(20000000);
		while ((next_ns = ssdf_next_ns(f)) <= now_ns)
			ssdf_advance(f, min(max(next_ns, f->clock_ns) + late_ns, now_ns));
	}
	while ((next_ns = ssdf_next_ns(f)) != SSDF_NEVER)
		ssdf_advance(f, max(next_ns, f->clock_ns) + late_ns);
	while (ssdf_next_done(f))
		;
	for (i = 0; i < REQUESTS; i++)
		digest = digest * 31 + requests[i].done_ns;
	ssdf_destroy(f);
	return digest;
}

/* The model's times do not depend on when its caller finds time to call. */
static void late_calls(void)
{
	static const char *const specs[] = {
		FOUR_PLANES, EIGHT_CHIPS, FOUR_PLANES ",over_provisioning=30,map_cache=2000",
	};
	u32 i, k, same;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		for (k = 0, same = 0; k < 20; k++)
			same += ends_of(specs[i], k, 0) == ends_of(specs[i], k, 5000000);
		result(same == k, "%s: calls that are 5 ms late change the times of %u of %u runs",
		       specs[i], k - same, k);
	}
}

#define MOVE_NS 100000
#define ONE_CHANNEL "custom:chips=1,dies=1,planes=1,blocks=64,pages=64,transfer_ps=0,channels=1," \
	"command_ns=100000"

static void utilisation_is(struct ssdf_device *f, u64 now_ns, u64 busy_ns, u32 permille,
			   const char *when)
{
	ssdf_update_stats(f, now_ns);
	result(ssdf_channel_busy_ns(f, 0, now_ns) == busy_ns && f->utilisation == permille,
	       "%s: the channel was busy for %llu ns, utilisation %u permille", when,
	       ssdf_channel_busy_ns(f, 0, now_ns), f->utilisation);
}

/* A transfer counts as it goes on, and only for the statistics of its time. */
static void transfers_count(void)
{
	struct ssdf_device *f = create(ONE_CHANNEL);
	struct ssdf_request write = { .op = SSDC_WRITE, .nr_sectors = PAGE_SECTORS };

	ssdf_submit(f, &write, 0);
	utilisation_is(f, 1, 1, 1000, "a transfer begins");
	utilisation_is(f, MOVE_NS / 4, MOVE_NS / 4, 1000, "a quarter of a transfer");
	ssdf_reset_stats(f, MOVE_NS / 4);
	utilisation_is(f, MOVE_NS / 4, 0, 0, "reset within the transfer");
	utilisation_is(f, MOVE_NS / 2, MOVE_NS / 4, 1000, "a quarter later");
	run_until(f, MOVE_NS);
	utilisation_is(f, MOVE_NS, MOVE_NS * 3 / 4, 1000, "at the end of the transfer");
	utilisation_is(f, MOVE_NS * 7 / 4, MOVE_NS * 3 / 4, 500, "as long again later");
	run(f);
	ssdf_destroy(f);
}

/* A nearly idle device, after so long a time that the sum over its channels exceeds 2^64 ns. */
static void utilisation_of_years(void)
{
	struct ssdf_device *f = create(ONE_CHANNEL ",channels=64");
	struct ssdf_request write = { .op = SSDC_WRITE, .nr_sectors = PAGE_SECTORS };

	ssdf_submit(f, &write, 0);
	run(f);
	utilisation_is(f, BIT_ULL(58) + 1000, MOVE_NS, 0, "after nine years with 64 channels");
	ssdf_destroy(f);
}

/*
 * With static allocation, a write that finds no free page waits with the writes of its plane, so that
 * a block that becomes free does not cost a search among the writes of all planes.
 */
static void writes_stall_by_plane(void)
{
	struct ssdf_device *f = create("custom:channels=8,chips=1,dies=1,planes=1,blocks=60,pages=4,"
				       "allocation=static,aged=steady");
	struct ssdf_request *writes = burst(f, SSDC_WRITE, 1000);
	u32 plane, nr = 0, strangers = 0;
	struct ssdf_command *cmd;

	for (plane = 0; plane < f->nr_planes; plane++)
		list_for_each_entry(cmd, &f->planes[plane].stalled[SSDF_WRITE_LANE], node) {
			nr++;
			strangers += ssdf_static_plane(f, cmd->lpn) != plane;
		}
	result(nr > 500 && nr == f->stats.stalled_writes && !strangers,
	       "%u of %llu writes without a free page wait with their plane, %u with others", nr,
	       f->stats.stalled_writes, strangers);
	run(f);
	result(!f->inflight && !ssdf_check(f), "all of them end");
	free(writes);
	ssdf_destroy(f);
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	reads_pass_writes();
	writes_pass_reads();
	planes_keep_step();
	planes_read_together();
	late_calls();
	transfers_count();
	utilisation_of_years();
	writes_stall_by_plane();
	return finish();
}
