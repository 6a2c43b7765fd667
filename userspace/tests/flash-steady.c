// SPDX-License-Identifier: GPL-2.0
/*
 * "aged=steady": the device starts in the steady state of random writes. Over the next drive write,
 * write amplification has no trend, and is that of a device which was really written.
 *
 *	flash-steady [-s SEED]		TAP lines
 */
#include <math.h>
#include <stdio.h>
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
	{ SMALL "gc_threshold=1,over_provisioning=15,gc_victim=fifo", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=15,gc_victim=d-choices", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=10", 20 },
	{ SMALL "gc_threshold=1,over_provisioning=10,gc_victim=cost-benefit", 10 },
	{ SMALL "gc_threshold=1,over_provisioning=15,map_cache=6000", 0 },
	{ SMALL "gc_threshold=1,over_provisioning=20,map_cache=3000,page_bytes=512", 0 },
};

struct trend {
	double tenth[10];
	double mean;
	double worst;			/* deviation of a tenth */
	double halves;			/* deviation of the second half from the first */
};

static struct trend next_drive_write(struct load *load)
{
	struct trend trend = {};
	double half[2] = {};
	int i;

	for (i = 0; i < 10; i++) {
		trend.tenth[i] = load_churn(load, load->f->nr_lpns / 10);
		half[i / 5] += trend.tenth[i] / 5;
	}
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

/* Write amplification of a device that was filled and written at random four times. */
static double really_written(const char *spec, u32 hot_percent)
{
	struct load load = load_begin(spec);
	double wa;

	load.hot_percent = hot_percent;
	load_fill(&load);
	load_churn(&load, 4ULL * load.f->nr_lpns);
	wa = load_churn(&load, load.f->nr_lpns);
	load_end(&load);
	return wa;
}

static void starts_steady(const char *base, u32 hot_percent)
{
	double written = really_written(base, hot_percent);
	struct trend trend;
	struct load load;
	char spec[256];
	bool all, ok;

	snprintf(spec, sizeof(spec), "%s,aged=steady,aged_hot=%u", base, hot_percent);
	load = load_begin(spec);
	load.hot_percent = hot_percent;
	all = load.f->valid_pages == load.f->nr_lpns + load.f->nr_map_pages && !load.f->max_erases;
	trend = next_drive_write(&load);
	ok = load_end(&load);
	result(ok && all && !has_trend(&trend) && fabs(trend.mean / written - 1) < WRITTEN,
	       "%s: write amplification %.3f, tenths within %.1f %%, halves %+.1f %%; written %.3f (%+.1f %%)",
	       spec, trend.mean, 100 * trend.worst, 100 * trend.halves, written,
	       100 * (trend.mean / written - 1));
}

/* Other states do have a trend. */
static void can_fail(const char *spec)
{
	struct load load = load_begin(spec);
	struct trend trend = next_drive_write(&load);

	load_end(&load);
	result(has_trend(&trend), "%s: write amplification has a trend, halves %+.1f %%", spec,
	       100 * trend.halves);
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
	return finish();
}
