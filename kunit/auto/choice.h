/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A choice for tests, and the driver that feeds it.
 */
#ifndef KUNIT_AUTO_CHOICE_H
#define KUNIT_AUTO_CHOICE_H

#include <kunit/test.h>
#include "../../dm-ssdcache/auto/auto.h"

#define PAGE_SECTORS	8u
#define TIER_PAGES	16u
#define UNITS		4u
#define READ_NS		100u
#define WRITE_NS	1000u
#define PERIOD		100u
#define RING		1024u		/* requests that wait for the shadows */

struct env {
	struct kunit *test;
	struct ssdc_auto *a;
	u32 budget;			/* of a step */
	bool refuse;			/* make no change */
	u64 now_ns;
};

/* What the driver says of shadows, besides its tier. */
struct driver {
	u32 tier_pages;
	u32 rate_ppm;
	u32 least_pages;
	u32 region_bytes;
};

static const struct driver usual = {
	TIER_PAGES, SSDC_SHADOW_WHOLE, SSDC_MIN_FRAMES, SSDC_SHADOW_REGION,
};

static inline int try_create(struct kunit *test, const char *words, const struct driver *driver,
			     struct ssdc_auto **a)
{
	struct ssdc_auto_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct ssdc_params live = {
		.dram_bytes = (u64)driver->tier_pages * PAGE_SECTORS << SSDC_SECTOR_SHIFT,
		.page_bytes = PAGE_SECTORS << SSDC_SECTOR_SHIFT,
		.origin_sectors = 1 << 20,
		.replacement = "lru",
		.admission = "read-write",
		.prefetch = "none",
	};
	struct ssdc_shadow_params params = {
		.live = &live,
		.rate_ppm = driver->rate_ppm,
		.region_bytes = driver->region_bytes,
		.ring_records = RING,
		.least_pages = driver->least_pages,
		.window_pages = 1000,
		.read_ns = READ_NS,
		.write_ns = WRITE_NS,
		.chips = 1,
		.queues = true,
		.planes = 1,
		.flash_page_bytes = PAGE_SECTORS << SSDC_SECTOR_SHIFT,
		.commands = 64,
	};
	struct ssdc_error error = {};

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &live.tunables);
	live.tunables.channels = UNITS;
	live.tunables.dies = 1;
	KUNIT_ASSERT_EQ(test, ssdc_auto_parse(words, "read-write", spec, &error), 0);
	*a = ssdc_auto_create(spec, &params, &error);
	return *a ? 0 : -EINVAL;
}

static inline struct env begin(struct kunit *test, const char *words)
{
	struct env env = { .test = test, .budget = U32_MAX };

	KUNIT_ASSERT_EQ(test, try_create(test, words, &usual, &env.a), 0);
	return env;
}

/* The driver: run all that waits, and do as the choice says. */
static inline void run(struct env *env)
{
	bool more = true;

	while (more) {
		more = ssdc_auto_step(env->a, env->budget);
		if (ssdc_auto_wanted(env->a)) {
			ssdc_auto_switched(env->a, !env->refuse);
			more = true;
		}
	}
}

static inline void use(struct env *env, enum ssdc_op op, u64 page, u32 nr)
{
	ssdc_auto_feed(env->a, op, page * PAGE_SECTORS, (u64)nr * PAGE_SECTORS, false,
		       env->now_ns);
	run(env);
}

/* Later, when all is idle. */
static inline void read(struct env *env, u64 page)
{
	env->now_ns += 1000000;
	use(env, SSDC_READ, page, 1);
}

#endif /* KUNIT_AUTO_CHOICE_H */
