// SPDX-License-Identifier: GPL-2.0
/*
 * "aged=steady": the device starts in the steady state of random writes. Over the next drive write,
 * write amplification has no trend, and is that of a device which was really written. Its planes
 * collect at different times, as theirs do.
 *
 *	flash-steady [-s SEED]		TAP lines
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include "flash-load.h"

/* Shares of the mean: a tenth of a drive write, half of one, and the device that was written. */
#define TENTH 0.05
#define HALF 0.02
#define WRITTEN 0.03

#define SMALL "custom:channels=1,chips=1,dies=1,planes=1,blocks=1024,pages=64,page_bytes=4096,"

static const struct {
	const char *spec;
	u32 hot_percent;
} devices[] = {
	{ SMALL "gc_threshold=0,gc_urgent=0,over_provisioning=7", 0 },
	{ SMALL "gc_threshold=2,over_provisioning=28", 0 },
	{ "custom:channels=2,chips=2,dies=1,planes=2,blocks=160,pages=64,over_provisioning=12", 0 },
	{ "custom:channels=2,chips=1,dies=1,planes=2,blocks=256,pages=64,allocation=static", 0 },
	{ "sha23:channels=1,chips=1,blocks=256,pages=64", 0 },
	{ "lin22:channels=1,chips=1,blocks=1024", 0 },
	{ SMALL "pages=8,gc_threshold=0,gc_urgent=0,over_provisioning=35", 0 },
	{ SMALL "pages=16,gc_threshold=0,gc_urgent=0,over_provisioning=18", 0 },
	{ SMALL "pages=36,gc_threshold=0,gc_urgent=0,over_provisioning=25", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=15,gc_victim=fifo", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=15,gc_victim=d-choices", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=10", 20 },
	{ SMALL "gc_threshold=1,over_provisioning=10,gc_victim=cost-benefit", 10 },
	{ SMALL "gc_threshold=1,over_provisioning=24", 2 },
	{ SMALL "gc_threshold=1,over_provisioning=40", 5 },
	{ SMALL "gc_threshold=1,over_provisioning=15,map_cache=6000", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=20,map_cache=3000,page_bytes=512", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=15,map_cache=56000", 0 },
};

/* Chance changes a tenth of one device by a few percent: means of several devices, then. */
#define SEEDS 4

struct trend {
	double tenth[10];		/* mean of SEEDS devices */
	double mean;
	bool ok;			/* all pages valid, no wear, invariants */
	double worst;			/* deviation of a tenth */
	double halves;			/* deviation of the second half from the first */
};

static struct load load_seed(const char *spec, u32 seed)
{
	char seeded[300];

	snprintf(seeded, sizeof(seeded), "%s,seed=%u", spec, seed);
	return load_begin(seeded);
}

static struct trend first_drive_write(const char *spec, u32 hot_percent)
{
	struct trend trend = { .ok = true };
	double half[2] = {};
	u32 seed, i;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct load load = load_seed(spec, seed);

		load.hot_percent = hot_percent;
		trend.ok &= load.f->valid_pages == load.f->nr_lpns + load.f->nr_map_pages &&
			    !load.f->max_erases;
		for (i = 0; i < 10; i++)
			trend.tenth[i] += load_churn(&load, load.f->nr_lpns / 10) / SEEDS;
		trend.ok &= load_end(&load);
	}
	for (i = 0; i < 10; i++)
		half[i / 5] += trend.tenth[i] / 5;
	trend.mean = (half[0] + half[1]) / 2;
	for (i = 0; i < 10; i++)
		trend.worst = fmax(trend.worst, fabs(trend.tenth[i] / trend.mean - 1));
	trend.halves = half[1] / half[0] - 1;
	return trend;
}

static bool has_trend(const struct trend *trend)
{
	return trend->worst > TENTH || fabs(trend->halves) > HALF;
}

/*
 * Write amplification of a device that was filled and written at random four times; with a skew,
 * until there was a write of a cold page for each spare page, too.
 */
static double really_written(const char *spec, u32 hot_percent)
{
	struct load load = load_begin(spec);
	u64 spare = load.f->nr_pages - load.f->nr_lpns;
	double wa;

	load.hot_percent = hot_percent;
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns + (hot_percent ? 100 * spare / hot_percent : 0));
	wa = load_churn(&load, load.f->nr_lpns);
	load_end(&load);
	return wa;
}

static void starts_steady(const char *base, u32 hot_percent)
{
	double written = really_written(base, hot_percent);
	struct trend trend;
	char spec[256];

	snprintf(spec, sizeof(spec), "%s,aged=steady,aged_hot=%u", base, hot_percent);
	trend = first_drive_write(spec, hot_percent);
	result(trend.ok && !has_trend(&trend) && fabs(trend.mean / written - 1) < WRITTEN,
	       "%s: write amplification %.3f, tenths within %.1f %%, halves %+.1f %%; written %.3f (%+.1f %%)",
	       spec, trend.mean, 100 * trend.worst, 100 * trend.halves, written,
	       100 * (trend.mean / written - 1));
}

/* Other states do have a trend. */
static void can_fail(const char *spec)
{
	struct trend trend = first_drive_write(spec, 0);

	result(has_trend(&trend), "%s: write amplification has a trend, halves %+.1f %%", spec,
	       100 * trend.halves);
}

#define PLANES "custom:channels=4,chips=2,dies=1,planes=2,blocks=64,pages=64,over_provisioning=12," \
	       "gc_threshold=0,gc_urgent=0"
#define NR_PLANES	16

/* Lockstep of planes that collect independently is 1, give or take a half. */
#define TOGETHER	2.0
#define INDEPENDENT	0.5

static u32 gc_runs[NR_PLANES];

static void gc_started(void *owner __maybe_unused, u32 plane, u32 block __maybe_unused,
		       u32 valid __maybe_unused)
{
	gc_runs[plane]++;
}

static void erased(void *owner __maybe_unused, u32 plane __maybe_unused,
		   u32 block __maybe_unused, u32 erases __maybe_unused)
{
}

static void stalled(void *owner __maybe_unused, u64 sector __maybe_unused)
{
}

struct variance {
	double sum;
	double squares;
	u32 nr;
};

static void add(struct variance *v, double x)
{
	v->sum += x;
	v->squares += x * x;
	v->nr++;
}

static double variance(const struct variance *v)
{
	double mean = v->sum / v->nr;

	return v->squares / v->nr - mean * mean;
}

/*
 * How much planes collect at the same time, in the next tenth of a drive write: the variance of
 * the device's GC runs in windows of time, by the sum of the planes' variances. It is 1 if planes
 * are independent, their number if all are in step, and less than 1 if they take turns. In a window
 * the host fills a quarter of a block in each plane.
 */
static double lockstep(struct load *load)
{
	static const struct ssdf_observer_ops ops = { gc_started, erased, stalled };
	u32 writes = NR_PLANES * load->f->params.pages / 4, left = load->f->nr_lpns / 10, plane;
	struct variance device = {}, planes[NR_PLANES] = {};
	double sum;

	ssdf_observe(load->f, &ops, NULL);
	for (; left >= writes; left -= writes) {
		memset(gc_runs, 0, sizeof(gc_runs));
		load_churn(load, writes);
		sum = 0;
		for (plane = 0; plane < NR_PLANES; plane++) {
			add(&planes[plane], gc_runs[plane]);
			sum += gc_runs[plane];
		}
		add(&device, sum);
	}
	ssdf_observe(load->f, NULL, NULL);
	sum = 0;
	for (plane = 0; plane < NR_PLANES; plane++)
		sum += variance(&planes[plane]);
	return variance(&device) / sum;
}

/* The mean for several seeds. */
static double mean_lockstep(const char *spec, bool write)
{
	double sum = 0;
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct load load = load_seed(spec, seed);

		if (write) {
			load_fill(&load);
			load_churn(&load, 3ULL * load.f->nr_lpns);
		}
		sum += lockstep(&load);
		load_end(&load);
	}
	return sum / SEEDS;
}

/*
 * With static allocation chance decides how many pages a plane gets, so the planes of a device that
 * is written fall out of step. With dynamic allocation they stay in step as long as each request
 * finds the device idle, as here, but no other use of a device would leave them so.
 */
static void collects_evenly(void)
{
	static const char * const aged[] = {
		PLANES ",multi_plane=off",
		PLANES,
		PLANES ",allocation=static",
		PLANES ",gc_threshold=5",
		PLANES ",gc_victim=fifo",
		PLANES ",over_provisioning=28",
	};
	double written = mean_lockstep(PLANES ",allocation=static", true);
	double filled = mean_lockstep(PLANES, true), is;
	char spec[256];
	unsigned int i;

	result(fabs(written - 1) < INDEPENDENT && filled > NR_PLANES / 2,
	       "GC of %u planes: lockstep %.2f after three drive writes, %.2f if they began in step",
	       NR_PLANES, written, filled);
	for (i = 0; i < ARRAY_SIZE(aged); i++) {
		snprintf(spec, sizeof(spec), "%s,aged=steady", aged[i]);
		is = mean_lockstep(spec, false);
		result(is < TOGETHER * written, "%s: lockstep %.2f", spec, is);
	}
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };
	unsigned int i;

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		starts_steady(devices[i].spec, devices[i].hot_percent);
	can_fail(SMALL "gc_threshold=1,over_provisioning=15,aged_valid=85,aged_invalid=12");
	can_fail(SMALL "gc_threshold=1,over_provisioning=15,aged_valid=70,aged_invalid=25");
	collects_evenly();
	return finish();
}
