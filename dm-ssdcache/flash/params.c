// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a flash device, and the profiles of the publications.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include "state.h"

static const char *const allocations[] = { "dynamic", "static", NULL };

#define PARAM(member, unit, doc, def, min, max) \
	{ #member, unit, doc, offsetof(struct ssdf_params, member), def, min, max, NULL }
#define CHOICE(member, doc, def, words) \
	{ #member, "", doc, offsetof(struct ssdf_params, member), def, 0, 0, words }

#define MAX_NS 1000000000

/* The defaults are those of a small TLC drive; profiles replace all of them. */
const struct ssdc_tunable ssdf_param_table[] = {
	PARAM(channels, "", "buses that work independently", 8, 1, SSDF_MAX_CHANNELS),
	PARAM(chips, "", "chips per channel", 2, 1, 64),
	PARAM(dies, "", "dies per chip; each does one thing at a time", 2, 1, 16),
	PARAM(planes, "", "planes per die; they do the same thing at the same time", 2, 1, 16),
	PARAM(blocks, "", "blocks per plane; 0: as many as the size of the device needs",
	      0, 0, 1 << 20),
	PARAM(pages, "pages", "pages per block", 256, 2, U16_MAX),
	PARAM(page_bytes, "bytes", "size of a flash page; a power of two", 8192, 512, 65536),
	PARAM(read_ns, "ns", "array read of a page (of the first type, if there are several)",
	      75000, 1, MAX_NS),
	PARAM(read2_ns, "ns", "array read of the second page type; 0: there is none",
	      0, 0, MAX_NS),
	PARAM(read3_ns, "ns", "array read of the third page type; 0: there is none",
	      0, 0, MAX_NS),
	PARAM(read4_ns, "ns", "array read of the fourth page type; 0: there is none",
	      0, 0, MAX_NS),
	PARAM(program_ns, "ns", "array program of a page", 750000, 1, MAX_NS),
	PARAM(erase_ns, "ns", "erase of a block", 3800000, 1, MAX_NS),
	PARAM(transfer_ps, "ps", "transfer of a byte over the channel", 3003, 0, 1000000),
	PARAM(command_ns, "ns", "channel time of a transfer's command and address", 0, 0, 1000000),
	PARAM(over_provisioning, "percent", "share of all pages that the host does not get",
	      7, 1, 90),
	PARAM(gc_threshold, "percent", "collect in a plane when fewer of its blocks are free",
	      5, 0, 50),
	PARAM(gc_urgent, "percent", "GC goes before host writes when fewer blocks are free",
	      1, 0, 50),
	PARAM(aged_valid, "percent", "share of all pages that hold data before the first use",
	      0, 0, 99),
	PARAM(aged_invalid, "percent", "share of all pages that are outdated before the first use",
	      0, 0, 99),
	PARAM(seed, "", "of the ageing: the same seed gives the same state", 1, 0, U32_MAX),
	CHOICE(allocation, "dynamic: to the least busy die; static: by the page's number",
	       SSDF_DYNAMIC, allocations),
	CHOICE(multi_plane, "planes of a die work on one command where the pages match",
	       1, ssdc_off_on),
	CHOICE(cache_program, "the next page is transferred while a page is programmed",
	       0, ssdc_off_on),
	CHOICE(copyback, "GC moves pages inside a die, without the channel", 0, ssdc_off_on),
};

const unsigned int ssdf_nr_params = ARRAY_SIZE(ssdf_param_table);

/* What the papers say; @chosen lists what they do not. */
const struct ssdf_profile ssdf_profiles[] = {
	{
		.name = "s000",
		.source = "S000 Table 1 (VS-Batch+, ACM TOS 2023)",
		.doc = "64 GiB QLC, 8 channels of 4 chips",
		.chosen = "over_provisioning 10; as in SSDsim, the 88 % used pages are outdated",
		.params = {
			.channels = 8, .chips = 4, .dies = 1, .planes = 4, .blocks = 256,
			.pages = 256, .page_bytes = 8192,
			.read_ns = 90000, .read2_ns = 120000, .read3_ns = 150000,
			.read4_ns = 180000, .program_ns = 1300000, .erase_ns = 10000000,
			.transfer_ps = 5000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .aged_invalid = 88, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "s001",
		.source = "S001 Table 1 (Pattern+, ACM TOS 2022)",
		.doc = "128 GiB TLC, 64 pages per block",
		.chosen = "8x4x1x2 planes; S004's erase, transfer, GC; the 70 % used are outdated",
		.params = {
			.channels = 8, .chips = 4, .dies = 1, .planes = 2, .blocks = 4096,
			.pages = 64, .page_bytes = 8192,
			.read_ns = 75000, .program_ns = 2000000, .erase_ns = 15000000,
			.transfer_ps = 10000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .aged_invalid = 70, .seed = 1, .multi_plane = 1,
		},
	}, {
		.name = "s002",
		.source = "S002 section 4 (CFLRU-EF-SC, Micromachines 2023)",
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
		.name = "s003",
		.source = "S003 Table IV (L-CoRW); MQSim's shipped configuration",
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
		.name = "s004",
		.source = "S004 Table 1 (Req-block, ICPP 2022)",
		.doc = "128 GiB, 8 channels of 2 chips, 4 KiB pages",
		.chosen = "1 die of 1 plane per chip, over_provisioning 10; no ageing",
		.params = {
			.channels = 8, .chips = 2, .dies = 1, .planes = 1, .blocks = 32768,
			.pages = 64, .page_bytes = 4096,
			.read_ns = 75000, .program_ns = 2000000, .erase_ns = 15000000,
			.transfer_ps = 10000, .over_provisioning = 10, .gc_threshold = 10,
			.gc_urgent = 1, .seed = 1, .multi_plane = 1,
		},
	},
};

const unsigned int ssdf_nr_profiles = ARRAY_SIZE(ssdf_profiles);

const struct ssdf_profile *ssdf_profile_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ssdf_nr_profiles; i++)
		if (strlen(ssdf_profiles[i].name) == len &&
		    !strncmp(ssdf_profiles[i].name, name, len))
			return &ssdf_profiles[i];
	return NULL;
}

static int refuse_key(const char *key, size_t len, struct ssdc_error *error)
{
	scnprintf(error->text, sizeof(error->text),
		  "%.*s: ssdflash has no such parameter; it has channels, chips, dies, planes, blocks, pages, page_bytes, read_ns, program_ns, erase_ns, transfer_ps and others: see its documentation",
		  (int)min_t(size_t, len, 32), key);
	return -EINVAL;
}

/**
 * ssdf_params_set() - set one parameter by name
 * @params: where
 * @key: name, not necessarily terminated
 * @key_len: its length
 * @value: text, not necessarily terminated
 * @len: its length
 * @error: names the word and the accepted range on failure
 *
 * Return: 0 or -EINVAL.
 */
int ssdf_params_set(struct ssdf_params *params, const char *key, size_t key_len,
		    const char *value, size_t len, struct ssdc_error *error)
{
	const struct ssdc_tunable *tunable;
	u32 result;
	int r;

	tunable = ssdc_tunable_find(ssdf_param_table, ssdf_nr_params, key, key_len);
	if (!tunable)
		return refuse_key(key, key_len, error);
	r = ssdc_tunable_parse(tunable, value, len, &result, error);
	if (!r)
		*ssdc_tunable_at(tunable, params) = result;
	return r;
}

static int refuse_profile(const char *name, size_t len, struct ssdc_error *error)
{
	int at = scnprintf(error->text, sizeof(error->text), "%.*s: no such profile; there are",
			   (int)min_t(size_t, len, 32), name);
	unsigned int i;

	for (i = 0; i < ssdf_nr_profiles; i++)
		at += scnprintf(error->text + at, sizeof(error->text) - at, "%s %s", i ? "," : "",
				ssdf_profiles[i].name);
	return -EINVAL;
}

/**
 * ssdf_params_base() - what parameters are if nothing else is said
 * @profile: whose; NULL: the defaults of the parameter table
 * @params: result
 */
void ssdf_params_base(const struct ssdf_profile *profile, struct ssdf_params *params)
{
	if (profile)
		*params = profile->params;
	else
		ssdc_tunables_default(ssdf_param_table, ssdf_nr_params, params);
}

/**
 * ssdf_params_parse() - read "PROFILE", "PROFILE:key=value,…" or "custom:key=value,…"
 * @params: result
 * @spec: the word; "custom" stands for the defaults of the parameter table
 * @error: names what was refused
 *
 * Return: 0 or -EINVAL.
 */
int ssdf_params_parse(struct ssdf_params *params, const char *spec, struct ssdc_error *error)
{
	const char *at = strchr(spec, ':');
	size_t len = at ? (size_t)(at - spec) : strlen(spec);
	const struct ssdf_profile *profile = ssdf_profile_find(spec, len);
	int r = 0;

	if (!profile && (len != strlen("custom") || strncmp(spec, "custom", len)))
		return refuse_profile(spec, len, error);
	ssdf_params_base(profile, params);

	while (at && *at && !r) {
		const char *key = at + 1, *end = strchr(key, ','), *value = strchr(key, '=');

		if (!end)
			end = key + strlen(key);
		if (!value || value > end) {
			scnprintf(error->text, sizeof(error->text),
				  "%.*s: key=value expected", (int)min_t(size_t, end - key, 32),
				  key);
			return -EINVAL;
		}
		r = ssdf_params_set(params, key, value - key, value + 1, end - value - 1, error);
		at = end;
	}
	return r;
}

#define COMMANDS_PER_DIE 32
#define MIN_COMMANDS 1024

static u64 nr_planes(const struct ssdf_params *p)
{
	return (u64)p->channels * p->chips * p->dies * p->planes;
}

static u64 nr_pages(const struct ssdf_params *p)
{
	return nr_planes(p) * p->blocks * p->pages;
}

static u64 nr_lpns(const struct ssdf_params *p)
{
	return div_u64(nr_pages(p) * (100 - p->over_provisioning), 100);
}

/**
 * ssdf_capacity_sectors() - what the host gets
 * @params: with the number of blocks set
 */
u64 ssdf_capacity_sectors(const struct ssdf_params *params)
{
	return nr_lpns(params) * (params->page_bytes >> 9);
}

/**
 * ssdf_nr_commands() - commands that can be under way at a time
 * @params: geometry
 */
u32 ssdf_nr_commands(const struct ssdf_params *params)
{
	return max_t(u64, MIN_COMMANDS, nr_planes(params) / params->planes * COMMANDS_PER_DIE);
}

/**
 * ssdf_memory_bytes() - memory that ssdf_create() takes
 * @params: with the number of blocks set
 */
u64 ssdf_memory_bytes(const struct ssdf_params *params)
{
	return nr_lpns(params) * sizeof(ssdf_ppn_t) + nr_pages(params) * sizeof(ssdf_lpn_t) +
		nr_planes(params) * params->blocks * sizeof(struct ssdf_block) +
		nr_planes(params) * (params->pages + 1) * sizeof(ssdf_block_t) +
		nr_planes(params) * sizeof(struct ssdf_plane) +
		nr_planes(params) / params->planes *
			(sizeof(struct ssdf_die) + sizeof(struct ssdf_event)) +
		params->channels * (sizeof(struct ssdf_channel) + sizeof(struct ssdf_event)) +
		ssdf_nr_commands(params) * sizeof(struct ssdf_command) +
		sizeof(struct ssdf_device);
}

/* A write may have to look at all of them, under a lock. */
#define MAX_DIES 1024

/* The kernel makes no array of more than 2 GiB; the reverse map has 4 bytes per page. */
#define MAX_PAGES (INT_MAX / sizeof(ssdf_lpn_t))

/* Blocks of a plane that hold no data of the host, when it has written all of its pages. */
#define MIN_SPARE 3

static u32 blocks_for(const struct ssdf_params *p, u64 sectors)
{
	u64 pages = div_u64(sectors + (p->page_bytes >> 9) - 1, p->page_bytes >> 9);
	u64 raw = div_u64(pages * 100 + 99 - p->over_provisioning, 100 - p->over_provisioning);
	u64 per_plane = nr_planes(p) * p->pages;
	u64 blocks = div64_u64(raw + per_plane - 1, per_plane);
	u64 spare = div_u64(MIN_SPARE * 100 + p->over_provisioning - 1, p->over_provisioning);

	return min_t(u64, max_t(u64, blocks, spare + 1), U32_MAX);
}

static int refuse(struct ssdc_error *error, const char *what)
{
	scnprintf(error->text, sizeof(error->text), "%s", what);
	return -EINVAL;
}

/**
 * ssdf_params_check() - do the parameters make a device of that size?
 * @params: blocks 0 is replaced by what is needed
 * @sectors: that the host shall get; 0: as many as there are
 * @error: says what does not fit
 *
 * Return: 0 or -EINVAL.
 */
int ssdf_params_check(struct ssdf_params *params, u64 sectors, struct ssdc_error *error)
{
	struct ssdf_params *p = params;
	u32 free_percent = 100 - p->aged_valid - p->aged_invalid;

	if (p->page_bytes & (p->page_bytes - 1))
		return refuse(error, "page_bytes: a power of two from 512 to 65536 expected");
	if ((p->read3_ns && !p->read2_ns) || (p->read4_ns && !p->read3_ns))
		return refuse(error, "read2_ns, read3_ns, read4_ns: to be given from the first on");
	if (!p->blocks && !sectors)
		return refuse(error, "blocks: a number from 4 on expected, as no size is given");
	if (!p->blocks)
		p->blocks = blocks_for(p, sectors);
	if (nr_planes(p) * p->blocks > U32_MAX || nr_pages(p) > MAX_PAGES) {
		scnprintf(error->text, sizeof(error->text),
			  "the geometry has %llu pages; at most %u are possible", nr_pages(p),
			  (u32)MAX_PAGES);
		return -EINVAL;
	}
	if (nr_planes(p) / p->planes > MAX_DIES) {
		scnprintf(error->text, sizeof(error->text),
			  "channels, chips, dies: %llu dies in all; at most %u are possible",
			  nr_planes(p) / p->planes, MAX_DIES);
		return -EINVAL;
	}
	if ((u64)p->blocks * p->over_provisioning / 100 < MIN_SPARE) {
		scnprintf(error->text, sizeof(error->text),
			  "blocks, over_provisioning: %u %% of %u blocks per plane are fewer than the %u that garbage collection needs",
			  p->over_provisioning, p->blocks, MIN_SPARE);
		return -EINVAL;
	}
	if (p->aged_valid + p->aged_invalid > 99 ||
	    (u64)p->blocks * free_percent / 100 < MIN_SPARE) {
		scnprintf(error->text, sizeof(error->text),
			  "aged_valid, aged_invalid: %u %% + %u %% leave fewer than %u blocks of %u per plane free",
			  p->aged_valid, p->aged_invalid, MIN_SPARE, p->blocks);
		return -EINVAL;
	}
	if (p->aged_valid > 100 - p->over_provisioning) {
		scnprintf(error->text, sizeof(error->text),
			  "aged_valid: at most %u %% of the pages belong to the host",
			  100 - p->over_provisioning);
		return -EINVAL;
	}
	if (sectors > ssdf_capacity_sectors(p)) {
		scnprintf(error->text, sizeof(error->text),
			  "the flash has %llu sectors for the host (over_provisioning taken off); %llu are asked for",
			  ssdf_capacity_sectors(p), sectors);
		return -EINVAL;
	}
	return 0;
}
