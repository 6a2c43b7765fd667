// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles, and parameters that make no device.
 */
#include "flash_driver.h"

static void flash_params_profiles(struct kunit *test)
{
	static const struct {
		const char *name;
		u64 pages;
	} raw[] = {
		/* headlines: 64 GiB, 128 GiB, 8,381,200 pages, 512 GiB, 128 GiB */
		{ "s000", (64ULL << 30) / 8192 },
		{ "s001", (128ULL << 30) / 8192 },
		{ "s002", 8381200 },
		{ "s003", (512ULL << 30) / 8192 },
		{ "s004", (128ULL << 30) / 4096 },
	};
	struct ssdc_error error;
	struct ssdf_params p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(raw); i++) {
		KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, raw[i].name, &error), 0);
		KUNIT_EXPECT_EQ_MSG(test, ssdf_params_check(&p, 0, &error), 0, "%s", error.text);
		KUNIT_EXPECT_EQ(test, (u64)p.channels * p.chips * p.dies * p.planes * p.blocks *
				p.pages, raw[i].pages);
	}
	KUNIT_EXPECT_EQ(test, ssdf_nr_profiles, (unsigned int)ARRAY_SIZE(raw));
}

/* Every member is set by a profile within the range of its row in the table. */
static void flash_params_profiles_in_range(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; i < ssdf_nr_profiles; i++) {
		struct ssdf_params p = ssdf_profiles[i].params;

		for (k = 0; k < ssdf_nr_params; k++) {
			const struct ssdc_tunable *t = &ssdf_param_table[k];
			u32 value = *ssdc_tunable_at(t, &p);

			if (t->words)
				continue;
			KUNIT_EXPECT_GE_MSG(test, value, t->min, "%s", t->name);
			KUNIT_EXPECT_LE_MSG(test, value, t->max, "%s", t->name);
		}
	}
	KUNIT_EXPECT_EQ(test, ssdf_nr_params * sizeof(u32), sizeof(struct ssdf_params));
}

static void flash_params_memory(struct kunit *test)
{
	struct ssdc_error error;
	struct ssdf_params p;

	/* 128 GB with pages of 8 KiB: less than 200 MB. */
	KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, "s001", &error), 0);
	KUNIT_ASSERT_EQ(test, ssdf_params_check(&p, 0, &error), 0);
	KUNIT_EXPECT_LT(test, ssdf_memory_bytes(&p), 200000000ULL);
}

struct refusal {
	const char *spec;
	u64 sectors;
	const char *says;
};

static const struct refusal refusals[] = {
	{ "s005", 0, "s005: no such profile" },
	{ "", 0, "no such profile" },
	{ "s002:colour=3", 0, "colour: ssdflash has no such parameter" },
	{ "s002:channels", 0, "channels: key=value expected" },
	{ "s002:channels=0", 0, "channels" },
	{ "s002:channels=65", 0, "64" },
	{ "s002:channels=4,", 0, "key=value expected" },
	{ "s002:allocation=fast", 0, "dynamic" },
	{ "s002:page_bytes=5000", 0, "power of two" },
	{ "s002:read3_ns=5", 0, "from the first on" },
	{ "custom", 0, "blocks" },
	{ "custom:blocks=10", 0, "garbage collection needs" },
	{ "s002:aged_valid=60,aged_invalid=40", 0, "aged_valid" },
	{ "s002:aged_valid=95", 0, "at most 90 %" },
	{ "s002", 200000000, "are asked for" },
	{ "custom:channels=64,chips=64,dies=16,planes=16,blocks=1000000", 0, "at most" },
	{ "custom:channels=64,chips=64,dies=1,planes=1,blocks=100,pages=2", 0, "4096 dies" },
};

static void flash_params_refused(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct ssdc_error error = {};
		struct ssdf_params p;
		int r = ssdf_params_parse(&p, refusals[i].spec, &error);

		if (!r)
			r = ssdf_params_check(&p, refusals[i].sectors, &error);
		KUNIT_EXPECT_EQ_MSG(test, r, -EINVAL, "%s", refusals[i].spec);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(error.text, refusals[i].says), "%s: %s",
					  refusals[i].spec, error.text);
	}
}

static struct kunit_case flash_params_cases[] = {
	KUNIT_CASE(flash_params_profiles),
	KUNIT_CASE(flash_params_profiles_in_range),
	KUNIT_CASE(flash_params_memory),
	KUNIT_CASE(flash_params_refused),
	{}
};

static struct kunit_suite flash_params_suite = {
	.name = "ssdcache_flash_params",
	.exit = fd_exit,
	.test_cases = flash_params_cases,
};

kunit_test_suite(flash_params_suite);
