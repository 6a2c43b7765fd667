// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles, their aliases, and refused parameters.
 */
#include <linux/math64.h>
#include "flash_driver.h"

static void flash_params_profiles(struct kunit *test)
{
	static const struct {
		const char *name;
		u64 pages;
	} raw[] = {
		/* headlines: 64 GiB, 128 GiB, 8,381,200 pages, 512 GiB, 128 GiB */
		{ "sha23", (64ULL << 30) / 8192 },
		{ "li22", (128ULL << 30) / 8192 },
		{ "shin23", 8381200 },
		{ "zhou23", (512ULL << 30) / 8192 },
		{ "lin22", (128ULL << 30) / 4096 },
		/* 16 GiB, 512 GiB; 16 dies of 64 GiB and 8 of 128 GiB, down to whole blocks */
		{ "femu", (16ULL << 30) / 4096 },
		{ "nvmevirt", (512ULL << 30) / 32768 },
		{ "siau19", 16 * ((64ULL << 30) / 4 / (24 << 20)) * 4 * 1536 },
		{ "huh20", 8 * ((128ULL << 30) / 4 / (24 << 20)) * 4 * 1536 },
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

static void flash_params_aliases(struct kunit *test)
{
	static const char *const names[][2] = {
		{ "s000", "sha23" }, { "s001", "li22" }, { "s002", "shin23" },
		{ "s003", "zhou23" }, { "s004", "lin22" },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct ssdf_profile *profile = ssdf_profile_find(names[i][1],
								       strlen(names[i][1]));

		KUNIT_ASSERT_NOT_NULL(test, profile);
		KUNIT_EXPECT_STREQ(test, profile->name, names[i][1]);
		KUNIT_EXPECT_PTR_EQ(test, ssdf_profile_find(names[i][0], 4), profile);
		/* Users see the name that they gave. */
		for (k = 0; k < 2; k++)
			KUNIT_EXPECT_STREQ(test, names[i][k],
					   ssdf_profile_given(profile, names[i][k],
							      strlen(names[i][k])));
	}
	KUNIT_EXPECT_NULL(test, ssdf_profile_find("s00", 3));
	KUNIT_EXPECT_NULL(test, ssdf_profile_find("s0000", 5));
	KUNIT_EXPECT_NULL(test, ssdf_profile_find("", 0));
}

static void flash_params_profiles_listed(struct kunit *test)
{
	char list[160];

	ssdf_profiles_list(list, sizeof(list));
	KUNIT_EXPECT_STREQ(test, list,
			   "sha23 li22 shin23 zhou23 lin22 femu nvmevirt siau19 huh20 (aliases s000 s001 s002 s003 s004)");
}

/* A profile's values, with defaults for what must not be 0, are within the table's ranges. */
static void flash_params_profiles_in_range(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; i < ssdf_nr_profiles; i++) {
		struct ssdf_params p;

		ssdf_params_base(&ssdf_profiles[i], &p);
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

/* Planes together program as fast as the chip's paper says, to a permille. */
static void flash_params_program_throughput(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 mb_per_s;
	} chips[] = { { "siau19", 132 }, { "huh20", 30 } };
	struct ssdc_error error;
	struct ssdf_params p;
	unsigned int i;
	u64 kb_per_s;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, chips[i].name, &error), 0);
		kb_per_s = div_u64((u64)p.planes * p.page_bytes * 1000000, p.program_ns);
		KUNIT_EXPECT_GE(test, kb_per_s, chips[i].mb_per_s * 999ULL);
		KUNIT_EXPECT_LE(test, kb_per_s, chips[i].mb_per_s * 1001ULL);
	}
}

static void flash_params_memory(struct kunit *test)
{
	struct ssdc_error error;
	struct ssdf_params p;

	/* 128 GB with pages of 8 KiB: less than 200 MB. */
	KUNIT_ASSERT_EQ(test, ssdf_params_parse(&p, "li22", &error), 0);
	KUNIT_ASSERT_EQ(test, ssdf_params_check(&p, 0, &error), 0);
	KUNIT_EXPECT_LT(test, ssdf_memory_bytes(&p), 200000000ULL);
}

struct refusal {
	const char *spec;
	u64 sectors;
	const char *says;
};

static const struct refusal refusals[] = {
	{ "s005", 0, "s005: no such profile; there are custom sha23 " },
	{ "", 0, "'': no such profile" },
	{ "shin23:colour=3", 0, "colour: ssdflash has no such parameter" },
	{ "shin23:=3", 0, "'': ssdflash has no such parameter" },
	{ "shin23:channels", 0, "channels: key=value expected" },
	{ "shin23:channels=0", 0, "channels" },
	{ "shin23:channels=65", 0, "64" },
	{ "shin23:channels=4,", 0, "'': key=value expected" },
	{ "shin23:allocation=fast", 0, "dynamic" },
	{ "shin23:page_bytes=5000", 0, "power of two" },
	{ "shin23:read3_ns=5", 0, "each needs the one before it" },
	{ "shin23:program4_ns=5", 0, "program4_ns: each needs the one before it" },
	{ "shin23:read2_ns=5,program2_ns=5,program3_ns=5", 0,
	  "times of 2 page types for reads and of 3 for programs" },
	{ "custom", 0, "blocks" },
	{ "custom:blocks=10", 0, "garbage collection needs" },
	{ "shin23:aged_valid=60,aged_invalid=40", 0, "aged_valid" },
	{ "shin23:aged_valid=95", 0, "at most 90 %" },
	{ "shin23", 200000000, "are needed" },
	{ "custom:channels=64,chips=64,dies=16,planes=16,blocks=1000000", 0, "at most" },
	{ "custom:blocks=100,gc_victim=best", 0, "greedy, cost-benefit, d-choices, fifo" },
	{ "custom:blocks=100,gc_victim=d-choices,gc_choices=65", 0, "64" },
	{ "custom:blocks=100,aged=old", 0, "shares, steady" },
	{ "custom:blocks=100,aged_hot=51", 0, "50" },
	{ "custom:blocks=100,aged_hot=20", 0, "needs aged steady" },
	{ "custom:blocks=100,streams=9", 0, "8" },
	{ "custom:blocks=60,streams=2", 0, "fewer than the 5 that garbage" },
	{ "custom:blocks=45,wear_threshold=9", 0, "fewer than the 4 that garbage" },
	{ "custom:blocks=80,hot_cold=on", 0, "fewer than the 6 that garbage" },
	{ "custom:blocks=100,bad_blocks=50", 0,
	  "bad_blocks, over_provisioning: 7 % of 100 blocks" },
	{ "custom:bad_blocks=70", 1000, "bad_blocks: 70 thousandths leave no spare blocks; "
	  "with over_provisioning 7, it must be less than 70" },
	{ "custom:blocks=100,read_retry=5", 0, "read_retry: needs pe_cycles" },
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
	KUNIT_CASE(flash_params_aliases),
	KUNIT_CASE(flash_params_profiles_listed),
	KUNIT_CASE(flash_params_profiles_in_range),
	KUNIT_CASE(flash_params_program_throughput),
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
