// SPDX-License-Identifier: GPL-2.0
/*
 * Fails each allocation of ssdc_engine_create() in turn, for every replacement policy, admission scheme
 * and prefetcher, and each of ssdc_shadows_create(): creation must fail with a message and leak nothing
 * (the address sanitizer reports leaks at exit). The largest tier needs arrays that kvcalloc() refuses.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include "../../dm-ssdcache/base/alloc.h"
#include "../../dm-ssdcache/shadow/shadow.h"
#include "../ssdcache-sim/sim.h"
#include "harness.h"

static bool try_policy(const char *replacement, const char *admission, const char *prefetch)
{
	struct ssdc_params params = {
		.dram_bytes = 1 << 20,
		.page_bytes = 4096,
		.origin_sectors = 1 << 16,
		.replacement = replacement,
		.admission = admission,
		.prefetch = prefetch,
	};
	unsigned long nr;

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	for (nr = 1;; nr++) {
		struct ssdc_error error = {};
		struct ssdc_engine *e;
		bool failed;

		ssdc_shim_fail_alloc = nr;
		e = ssdc_engine_create(&params, &error);
		failed = !ssdc_shim_fail_alloc;
		ssdc_shim_fail_alloc = 0;
		if (!failed) {
			bool good = e && !ssdc_engine_check(e, &error);

			if (!good)
				printf("# %s\n", error.text);
			ssdc_engine_destroy(e);
			return good && nr > 1;
		}
		if (e || !strstr(error.text, "no memory")) {
			diag("allocation %lu failed: %s, message \"%s\"", nr,
			     e ? "created all the same" : "not created", error.text);
			return false;
		}
	}
}

static bool try_shadows(void)
{
	const struct ssdc_shadow_candidate candidates[] = {
		{ "lru", "read-write" }, { "vs-batch-plus", "l-corw" },
	};
	const u32 sizes[] = { 50, 200 };
	struct ssdc_params live = {
		.dram_bytes = 4 << 20,
		.page_bytes = 4096,
		.origin_sectors = 1 << 16,
		.replacement = "lru",
		.admission = "read-write",
		.prefetch = "none",
	};
	struct ssdc_shadow_params params = {
		.live = &live,
		.candidates = candidates,
		.nr_candidates = ARRAY_SIZE(candidates),
		.sizes_percent = sizes,
		.nr_sizes = ARRAY_SIZE(sizes),
		.rate_ppm = SSDC_SHADOW_RATE,
		.region_bytes = SSDC_SHADOW_REGION,
		.ring_records = SSDC_SHADOW_RING,
		.least_pages = 64,
		.window_pages = SSDC_SHADOW_WINDOW,
		.chips = 1,
	};
	unsigned long nr;

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &live.tunables);
	for (nr = 1;; nr++) {
		struct ssdc_error error = {};
		struct ssdc_shadows *s;
		bool failed;

		ssdc_shim_fail_alloc = nr;
		s = ssdc_shadows_create(&params, &error);
		failed = !ssdc_shim_fail_alloc;
		ssdc_shim_fail_alloc = 0;
		if (!failed) {
			ssdc_shadows_destroy(s);
			return s && nr > 1;
		}
		if (s || !strstr(error.text, "no memory")) {
			diag("allocation %lu failed: %s, message \"%s\"", nr,
			     s ? "created all the same" : "not created", error.text);
			return false;
		}
	}
}

/* The largest tier, with a memory of evictions that takes more than INT_MAX bytes, untouched. */
static bool try_largest(void)
{
	struct ssdc_params params = {
		.dram_bytes = (u64)SSDC_MAX_FRAMES * 4096,
		.page_bytes = 4096,
		.origin_sectors = 1 << 16,
		.thrash_span = 1 + INT_MAX / sizeof(struct ssdc_evicted_set) * SSDC_SLOTS / SSDC_MAX_FRAMES,
		.replacement = "lru",
		.admission = "read-write",
		.prefetch = "none",
	};
	struct ssdc_error error = {};
	struct ssdc_engine *e;

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params.tunables);
	e = ssdc_engine_create(&params, &error);
	if (!e)
		diag("%s", error.text);
	ssdc_engine_destroy(e);
	return e;
}

/* An array of @bytes can be used to its end. */
static bool try_array(u64 bytes)
{
	u64 nr = bytes / sizeof(u64);
	u64 *array = ssdc_alloc_array(nr, sizeof(*array));
	bool good = array && !array[nr - 1];

	if (good)
		array[nr - 1] = 1;
	kvfree(array);
	return good;
}

int main(int argc, char **argv)
{
	const struct ssdc_plugin_type *type = NULL;
	struct harness options = {};

	harness_options(&options, "", argc, argv);
	while ((type = ssdc_type_next(SSDC_REPLACEMENT, type)))
		result(try_policy(type->info.name, "read-write", "none"), "out of memory with %s",
		       type->info.name);
	while ((type = ssdc_type_next(SSDC_ADMISSION, type)))
		result(try_policy("lru", type->info.name, "none"), "out of memory with %s",
		       type->info.name);
	while ((type = ssdc_type_next(SSDC_PREFETCH, type)))
		result(try_policy("lru", "read-write", type->info.name), "out of memory with %s",
		       type->info.name);
	result(try_shadows(), "out of memory with shadows");
	result(try_array(INT_MAX - 7ULL), "an array of 2 GiB less 8 bytes");
	result(try_array(INT_MAX + 1ULL), "an array of 2 GiB");
	result(try_largest(), "the largest tier, with an array of more than 2 GiB");
	return finish();
}
