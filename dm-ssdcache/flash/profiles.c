// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles: the flash devices of published evaluations, the devices that FEMU and NVMeVirt emulate
 * by default, and drives made of published flash chips.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "flash.h"

/* The numbers of the papers; @chosen lists what the papers leave open. */
const struct ssdf_profile ssdf_profiles[] = {
	{
		.name = "sha23",
		.alias = "s000",
		.source = "[Sha23] Table 1 (VS-Batch+, ACM TOS 2023)",
		.doc = "64 GiB QLC, 8 channels of 4 chips",
		.chosen = "over_provisioning 10; the 88 % used pages are outdated, as in SSDsim",
		.params = {
			.channels = 8, .chips = 4, .dies = 1, .planes = 4, .blocks = 256,
			.pages = 256, .page_bytes = 8192,
			.read_ns = 90000, .read2_ns = 120000, .read3_ns = 150000,
			.read4_ns = 180000, .program_ns = 1300000, .erase_ns = 10000000,
			.transfer_ps = 5000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .aged_invalid = 88, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "li22",
		.alias = "s001",
		.source = "[Li22] Table 1 (Pattern+, ACM TOS 2022)",
		.doc = "128 GiB TLC, 64 pages per block",
		.chosen = "8x4x1x2 planes; erase, transfer, GC: [Lin22]; 70 % used pages outdated",
		.params = {
			.channels = 8, .chips = 4, .dies = 1, .planes = 2, .blocks = 4096,
			.pages = 64, .page_bytes = 8192,
			.read_ns = 75000, .program_ns = 2000000, .erase_ns = 15000000,
			.transfer_ps = 10000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .aged_invalid = 70, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "shin23",
		.alias = "s002",
		.source = "[Shin23] section 4 (CFLRU-EF-SC, Micromachines 2023)",
		.doc = "64 GiB, 4 channels of 1 chip with 2 dies",
		.chosen = "over_provisioning 10 and gc_threshold 10, as in SSDsim; no ageing",
		.params = {
			.channels = 4, .chips = 1, .dies = 2, .planes = 2, .blocks = 911,
			.pages = 575, .page_bytes = 8192,
			.read_ns = 45000, .program_ns = 700000, .erase_ns = 4000000,
			.transfer_ps = 25000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "zhou23",
		.alias = "s003",
		.source = "[Zhou23] Table IV (L-CoRW); MQSim's shipped configuration",
		.doc = "512 GiB TLC, 8 channels of 4 chips with 2 dies of 2 planes",
		.chosen = "greedy GC for RGA, whole map in DRAM for DFTL, no Sprinkler; no ageing",
		.params = {
			.channels = 8, .chips = 4, .dies = 2, .planes = 2, .blocks = 2048,
			.pages = 256, .page_bytes = 8192,
			.read_ns = 75000, .program_ns = 750000, .erase_ns = 3800000,
			.transfer_ps = 3003, .over_provisioning = 7, .gc_threshold = 5,
			.gc_urgent = 1, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "lin22",
		.alias = "s004",
		.source = "[Lin22] Table 1 (Req-block, ICPP 2022)",
		.doc = "128 GiB, 8 channels of 2 chips, 4 KiB pages",
		.chosen = "1 die of 1 plane per chip, over_provisioning 10; no ageing",
		.params = {
			.channels = 8, .chips = 2, .dies = 1, .planes = 1, .blocks = 32768,
			.pages = 64, .page_bytes = 4096,
			.read_ns = 75000, .program_ns = 2000000, .erase_ns = 15000000,
			.transfer_ps = 10000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "femu",
		.source = "FEMU, femu-scripts/run-blackbox.sh and hw/femu/bbssd (2026)",
		.doc = "16 GiB, 8 channels of 8 dies, transfers in no time, as FEMU is shipped",
		.chosen = "over_provisioning and GC: 12 GiB in use, 75 and 95 % of lines",
		.params = {
			.channels = 8, .chips = 8, .dies = 1, .planes = 1, .blocks = 256,
			.pages = 256, .page_bytes = 4096,
			.read_ns = 40000, .program_ns = 200000, .erase_ns = 2000000,
			.over_provisioning = 25, .gc_threshold = 25, .gc_urgent = 5,
			.seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "nvmevirt",
		.source = "NVMeVirt, ssd_config.h (SAMSUNG_970PRO), at commit 61c90f7",
		.doc = "512 GiB MLC, 8 channels of 2 dies, pages of 32 KiB: a Samsung 970 Pro",
		.chosen = "128 pages per block; no firmware times; 1 ns per erase for 0",
		.params = {
			.channels = 8, .chips = 2, .dies = 1, .planes = 1, .blocks = 8192,
			.pages = 128, .page_bytes = 32768,
			.read_ns = 30013, .read2_ns = 42013, .program_ns = 185000, .erase_ns = 1,
			.transfer_ps = 1192, .over_provisioning = 7,
			.seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "siau19",
		.source = "[Siau19] (ISSCC 2019)",
		.doc = "1 TB of 512 Gb TLC dies: 4 planes, 56 us, 132 MB/s, 1066 MT/s",
		.chosen = "8 channels of 2 dies, 16 KiB pages; erase as in FEMU's TLC",
		.params = {
			.channels = 8, .chips = 2, .dies = 1, .planes = 4, .blocks = 682,
			.pages = 1536, .page_bytes = 16384,
			.read_ns = 56000, .program_ns = 496485, .erase_ns = 3000000,
			.transfer_ps = 938, .over_provisioning = 7, .gc_threshold = 5,
			.gc_urgent = 1, .seed = 1, .multi_plane = 1,
			.cache_read = 1, .cache_program = 1,
		},
	}, {
		.name = "huh20",
		.source = "[Huh20] (ISSCC 2020); reads, erase: FEMU, nand.h at 19b5500",
		.doc = "1 TB of 1 Tb QLC dies: 30 MB/s; reads of 48 to 228 us by page type",
		.chosen = "4 channels of 2 dies, 4 planes, 16 KiB pages, 800 MT/s",
		.params = {
			.channels = 4, .chips = 2, .dies = 1, .planes = 4, .blocks = 1365,
			.pages = 1536, .page_bytes = 16384,
			.read_ns = 47900, .read2_ns = 76200, .read3_ns = 134600,
			.read4_ns = 228100, .program_ns = 2184533, .erase_ns = 3000000,
			.transfer_ps = 1250, .over_provisioning = 7, .gc_threshold = 5,
			.gc_urgent = 1, .seed = 1, .multi_plane = 1,
			.cache_read = 1, .cache_program = 1,
		},
	},
};

const unsigned int ssdf_nr_profiles = ARRAY_SIZE(ssdf_profiles);

static bool is_name(const char *candidate, const char *name, size_t len)
{
	return candidate && strlen(candidate) == len && !strncmp(candidate, name, len);
}

/**
 * ssdf_profile_find() - look up a profile
 * @name: name or alias, not necessarily terminated
 * @len: length of @name
 *
 * Return: the profile, or NULL.
 */
const struct ssdf_profile *ssdf_profile_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ssdf_nr_profiles; i++)
		if (is_name(ssdf_profiles[i].name, name, len) ||
		    is_name(ssdf_profiles[i].alias, name, len))
			return &ssdf_profiles[i];
	return NULL;
}

/**
 * ssdf_profile_given() - the name or the alias of a profile, whichever the user gave
 * @profile: by ssdf_profile_find()
 * @name: as for ssdf_profile_find()
 * @len: length of @name
 *
 * Return: a string that is valid as long as the module is loaded.
 */
const char *ssdf_profile_given(const struct ssdf_profile *profile, const char *name, size_t len)
{
	return is_name(profile->alias, name, len) ? profile->alias : profile->name;
}

/**
 * ssdf_profiles_list() - print "sha23 li22 ... (aliases s000 s001 ...)"
 * @buf: destination
 * @size: size of @buf
 *
 * Return: number of characters printed.
 */
size_t ssdf_profiles_list(char *buf, size_t size)
{
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < ssdf_nr_profiles; i++)
		at += scnprintf(buf + at, size - at, "%s%s", i ? " " : "", ssdf_profiles[i].name);
	at += scnprintf(buf + at, size - at, " (aliases");
	for (i = 0; i < ssdf_nr_profiles; i++)
		if (ssdf_profiles[i].alias)
			at += scnprintf(buf + at, size - at, " %s", ssdf_profiles[i].alias);
	return at + scnprintf(buf + at, size - at, ")");
}
