// SPDX-License-Identifier: GPL-2.0
/*
 * Fails each allocation of ssdc_engine_create() in turn, for every replacement policy, admission scheme
 * and prefetcher: creation must fail with a message and leak nothing (the address sanitizer reports
 * leaks at exit).
 */
#include <stdlib.h>
#include <string.h>
#include <linux/slab.h>
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
	return finish();
}
