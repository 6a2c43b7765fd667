// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a flash device: names, ranges, and whether they fit together.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include "state.h"

static const char *const allocations[] = { "dynamic", "static", NULL };
static const char *const suspends[] = { "none", "program", "erase", "both", NULL };
static const char *const channel_orders[] = { "reads", "writes", NULL };
static const char *const ageings[] = { "shares", "steady", NULL };
static const char *const victim_rules[] = {
	"greedy", "cost-benefit", "d-choices", "fifo", NULL
};

#define PARAM(member, unit, doc, def, min, max) \
	{ #member, unit, doc, offsetof(struct ssdf_params, member), def, min, max, NULL }
#define CHOICE(member, doc, def, words) \
	{ #member, "", doc, offsetof(struct ssdf_params, member), def, 0, 0, words }

#define MAX_NS 1000000000

/* The defaults describe a small TLC drive; a profile replaces all of them. */
const struct ssdc_tunable ssdf_param_table[] = {
	PARAM(channels, "", "independent buses", 8, 1, SSDF_MAX_CHANNELS),
	PARAM(chips, "", "chips per channel", 2, 1, 64),
	PARAM(dies, "", "dies per chip; each does one thing at a time", 2, 1, 16),
	PARAM(planes, "", "planes per die; they do the same thing at the same time", 2, 1, 16),
	PARAM(blocks, "", "blocks per plane; 0: as many as the size of the device needs",
	      0, 0, 1 << 20),
	PARAM(pages, "pages", "pages per block", 256, 2, U16_MAX),
	PARAM(page_bytes, "bytes", "size of a flash page; a power of two", 8192, 512, 65536),
	PARAM(read_ns, "ns", "array read of a page (of the first page type, if there are several)",
	      75000, 1, MAX_NS),
	PARAM(read2_ns, "ns", "array read of the second page type; 0: none",
	      0, 0, MAX_NS),
	PARAM(read3_ns, "ns", "array read of the third page type; 0: none",
	      0, 0, MAX_NS),
	PARAM(read4_ns, "ns", "array read of the fourth page type; 0: none",
	      0, 0, MAX_NS),
	PARAM(program_ns, "ns",
	      "array program of a page (of the first page type, if there are several)",
	      750000, 1, MAX_NS),
	PARAM(program2_ns, "ns", "array program of the second page type; 0: none",
	      0, 0, MAX_NS),
	PARAM(program3_ns, "ns", "array program of the third page type; 0: none",
	      0, 0, MAX_NS),
	PARAM(program4_ns, "ns", "array program of the fourth page type; 0: none",
	      0, 0, MAX_NS),
	PARAM(erase_ns, "ns", "erase of a block", 3800000, 1, MAX_NS),
	PARAM(transfer_ps, "ps", "transfer of a byte over the channel", 3003, 0, 1000000),
	PARAM(command_ns, "ns", "channel time of a transfer's command and address", 0, 0, 1000000),
	PARAM(over_provisioning, "percent", "share of all pages that is hidden from the host",
	      7, 1, 90),
	PARAM(gc_threshold, "percent", "collect in a plane when fewer of its blocks are free",
	      5, 0, 50),
	PARAM(gc_urgent, "percent", "GC goes before host writes when fewer blocks are free",
	      1, 0, 50),
	PARAM(aged_valid, "percent", "share of all pages that holds data before the first use",
	      0, 0, 99),
	PARAM(aged_invalid, "percent", "share of all pages that is outdated before the first use",
	      0, 0, 99),
	PARAM(seed, "", "seed of the state before the first use and of all that is random later",
	      1, 0, U32_MAX),
	CHOICE(allocation, "dynamic: the least loaded die; static: by page number",
	       SSDF_DYNAMIC, allocations),
	CHOICE(multi_plane, "planes of a die work together where kind and page number match",
	       1, ssdc_off_on),
	CHOICE(cache_read, "read the next page while a page is transferred", 0, ssdc_off_on),
	CHOICE(cache_program, "transfer the next page while a page is programmed",
	       0, ssdc_off_on),
	CHOICE(copyback, "GC moves pages inside a die, without the channel", 0, ssdc_off_on),
	CHOICE(suspend, "operations that a host read of the die interrupts",
	       SSDF_SUSPEND_NONE, suspends),
	PARAM(suspend_ns, "ns", "time until a die that suspends an operation can read",
	      0, 0, MAX_NS),
	PARAM(resume_ns, "ns", "time until a die goes on with a suspended operation",
	      0, 0, MAX_NS),
	PARAM(suspend_min_ns, "ns", "do not suspend an operation that takes no longer from now on",
	      0, 0, MAX_NS),
	PARAM(suspend_max, "", "suspend an operation at most so many times", 4, 1, 1000),
	CHOICE(command_wait, "a command waits until its channel has ended the transfer in progress",
	       0, ssdc_off_on),
	CHOICE(channel_first, "what a channel transfers first: data of reads, pages to program",
	       SSDF_FIRST_READS, channel_orders),
	CHOICE(partial_transfer,
	       "of a partly written page, transfer only the new sectors to the die",
	       0, ssdc_off_on),
	CHOICE(gc_victim, "block that GC takes: fewest valid pages; by age, too; of a few; oldest",
	       SSDF_GREEDY, victim_rules),
	PARAM(gc_choices, "blocks", "d-choices: blocks at random to choose from; 1: GC at random",
	      10, 1, 64),
	CHOICE(aged, "shares: by aged_valid, aged_invalid; steady: steady state of random writes",
	       SSDF_SHARES, ageings),
	PARAM(aged_hot, "percent",
	      "aged steady: the first pages, so many, got the other share of writes; 0: none",
	      0, 0, 50),
	PARAM(aged_erases, "erases", "erases of each block before the first use", 0, 0, 100000),
	PARAM(pe_cycles, "erases", "erases that a block endures, for estimates; 0: not known",
	      0, 0, 100000),
	PARAM(wear_threshold, "erases",
	      "move the data of blocks that are so many erases behind in their plane; 0: never",
	      0, 0, 100000),
	PARAM(streams, "", "open blocks of a plane for host writes, by the kernel's write hints",
	      1, 1, SSDF_MAX_STREAMS),
	CHOICE(hot_cold, "pages that are overwritten soon get open blocks of their own", 0,
	       ssdc_off_on),
	PARAM(bad_blocks, "thousandths", "share of each plane's blocks that is never used; by seed",
	      0, 0, 500),
	PARAM(read_retry, "thousandths",
	      "share of reads that are repeated in a block with pe_cycles erases; proportional to these",
	      0, 0, 900),
	PARAM(map_cache, "entries",
	      "mappings that the controller holds, of a map in the flash; 0: it holds the whole map",
	      0, 0, 1 << 26),
};

const unsigned int ssdf_nr_params = ARRAY_SIZE(ssdf_param_table);

/* Begin a message with a word. Returns the length so far. */
static int refuse_word(const char *word, size_t len, const char *what, struct ssdc_error *error)
{
	if (!len)
		return scnprintf(error->text, sizeof(error->text), "'': %s", what);
	return scnprintf(error->text, sizeof(error->text), "%.*s: %s",
			 (int)min_t(size_t, len, 32), word, what);
}

static int refuse_key(const char *key, size_t len, struct ssdc_error *error)
{
	refuse_word(key, len,
		    "ssdflash has no such parameter; it has channels, chips, dies, planes, blocks, pages, page_bytes, read_ns, program_ns, erase_ns, transfer_ps, aged and others, all listed in reference.rst",
		    error);
	return -EINVAL;
}

/**
 * ssdf_params_set() - set one parameter by name
 * @params: parameters to change
 * @key: name, not necessarily terminated
 * @key_len: length of @key
 * @value: text, not necessarily terminated
 * @len: length of @value
 * @error: on failure, names the word and the accepted range
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
	int at = refuse_word(name, len, "no such profile; there are custom ", error);

	ssdf_profiles_list(error->text + at, sizeof(error->text) - at);
	return -EINVAL;
}

/**
 * ssdf_params_base() - the parameters before any key is given
 * @profile: profile; NULL: the defaults of the parameter table
 * @params: result
 *
 * A parameter that the profile leaves out is 0, or has its default where 0 is out of range.
 */
void ssdf_params_base(const struct ssdf_profile *profile, struct ssdf_params *params)
{
	unsigned int i;

	if (!profile) {
		ssdc_tunables_default(ssdf_param_table, ssdf_nr_params, params);
		return;
	}
	*params = profile->params;
	for (i = 0; i < ssdf_nr_params; i++) {
		const struct ssdc_tunable *row = &ssdf_param_table[i];
		u32 *value = ssdc_tunable_at(row, params);

		if (!*value && row->min)
			*value = row->def;
	}
}

/**
 * ssdf_params_parse() - parse "PROFILE", "PROFILE:key=value,…" or "custom:key=value,…"
 * @params: result
 * @spec: the text; "custom" means the defaults of the parameter table
 * @error: on failure, names the word that was refused
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
			refuse_word(key, end - key, "key=value expected", error);
			return -EINVAL;
		}
		r = ssdf_params_set(params, key, value - key, value + 1, end - value - 1, error);
		at = end;
	}
	return r;
}

/* Writes cannot use a fifth of these commands, and reads cannot use another fifth. */
#define COMMANDS_PER_DIE 40
#define MIN_COMMANDS 1280

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
 * ssdf_capacity_sectors() - capacity that the host sees, in sectors
 * @params: with the number of blocks set
 */
u64 ssdf_capacity_sectors(const struct ssdf_params *params)
{
	return nr_lpns(params) * (params->page_bytes >> 9);
}

/* Translation pages per thousand pages. */
static u32 map_permille(const struct ssdf_params *p)
{
	return p->map_cache ? DIV_ROUND_UP(1000, ssdf_map_page_entries(p)) : 0;
}

/* Pages per thousand that have no valid data, bad blocks and translation pages not included. */
static u32 spare_permille(const struct ssdf_params *p)
{
	u32 permille = 10 * p->over_provisioning;

	return permille - min(permille, p->bad_blocks + map_permille(p));
}

/**
 * ssdf_gc_worth_pages() - pages that a block must free to be collected before blocks are short
 * @params: with the number of blocks set
 *
 * Spare blocks that are kept free hold no outdated pages. So the more blocks are kept free, the
 * fewer pages a victim frees; if all spare blocks are kept free, GC moves whole blocks to gain a
 * page. With uniform random writes, greedy GC that keeps hardly any block free finds that at least
 * a share of 2 OP / (1 + OP) of a victim is outdated, where OP is the share of over-provisioning.
 * GC that is not urgent requires this share, which keeps write amplification near (1 + OP) / (2
 * OP). If a gc_threshold would cost more, it is not reached.
 *
 * The number is rounded down, but not by more than a tenth of itself: in blocks of few pages, the
 * victims would free much less than the share.
 *
 * Return: number of pages, at least 1.
 */
u32 ssdf_gc_worth_pages(const struct ssdf_params *params)
{
	u32 permille = spare_permille(params), rest;
	u64 worth = div_u64_rem(2ULL * params->pages * permille, 1000 + permille, &rest);

	return max_t(u32, 1, worth + (10ULL * rest > worth * (1000 + permille)));
}

/**
 * ssdf_nr_commands() - maximum number of host commands in flight
 * @params: geometry
 */
u32 ssdf_nr_commands(const struct ssdf_params *params)
{
	return max_t(u64, MIN_COMMANDS, nr_planes(params) / params->planes * COMMANDS_PER_DIE);
}

/**
 * ssdf_map_entries() - mappings that the controller holds
 * @params: with the number of blocks set, and map_cache
 *
 * Return: the number, limited to the mappings that the device can use: all mappings, and one for
 * each lookup in progress.
 */
u32 ssdf_map_entries(const struct ssdf_params *params)
{
	return min_t(u64, params->map_cache, nr_lpns(params) + ssdf_nr_commands(params));
}

static u64 map_cache_bytes(const struct ssdf_params *p)
{
	u64 pages = ssdf_map_pages(p, nr_lpns(p));

	if (!p->map_cache)
		return 0;
	return pages * (sizeof(ssdf_ppn_t) + 2 * sizeof(u32) + sizeof(bool)) +
		ssdf_nr_commands(p) * (sizeof(struct list_head) + sizeof(ssdf_lpn_t)) +
		(ssdf_map_entries(p) + 2ULL) * sizeof(struct ssdf_map_entry) +
		((u64)sizeof(u32) << ssdf_map_hash_bits(ssdf_map_entries(p))) +
		nr_planes(p) * p->pages * sizeof(u32);
}

/**
 * ssdf_memory_bytes() - memory that ssdf_create() allocates
 * @params: with the number of blocks set
 */
u64 ssdf_memory_bytes(const struct ssdf_params *params)
{
	return nr_lpns(params) * sizeof(ssdf_ppn_t) + nr_pages(params) * sizeof(ssdf_lpn_t) +
		nr_planes(params) * params->blocks * sizeof(struct ssdf_block_info) +
		(ssdf_has_stamps(params) ? nr_planes(params) * params->blocks * sizeof(u64) : 0) +
		nr_planes(params) * (params->pages + 1) * sizeof(ssdf_block_t) +
		nr_planes(params) * (sizeof(struct ssdf_plane) + sizeof(u16)) +
		nr_planes(params) / params->planes * sizeof(struct ssdf_die) +
		params->channels * sizeof(struct ssdf_channel) +
		ssdf_nr_commands(params) * sizeof(struct ssdf_command) +
		SSDF_WEAR_LEVELS * sizeof(u32) + map_cache_bytes(params) +
		sizeof(struct ssdf_device);
}

/**
 * ssdf_params_doubt() - do accepted parameters contradict each other?
 * @params: checked by ssdf_params_check()
 * @doubt: result: which parameters, and the consequence
 *
 * Return: true if they do.
 */
bool ssdf_params_doubt(const struct ssdf_params *params, struct ssdc_error *doubt)
{
	const struct ssdf_params *p = params;

	if (10 * max(p->gc_threshold, p->gc_urgent) < spare_permille(p))
		return false;
	scnprintf(doubt->text, sizeof(doubt->text),
		  "gc_threshold %u, gc_urgent %u: so many blocks cannot stay free with over_provisioning %u%s; unless blocks are short, GC takes blocks with at least %u of %u pages outdated",
		  p->gc_threshold, p->gc_urgent, p->over_provisioning,
		  p->bad_blocks ? ", less the bad blocks" : "", ssdf_gc_worth_pages(p), p->pages);
	return true;
}

/* A write may look at every die, under a lock. */
#define MAX_DIES 1024

/* Limits each map to 2 GiB, and so the time that its creation takes without a pause. */
#define MAX_PAGES (INT_MAX / sizeof(ssdf_lpn_t))

/**
 * ssdf_map_blocks() - blocks of a plane that translation pages fill, if they are spread evenly
 * @params: with the number of blocks set
 */
u32 ssdf_map_blocks(const struct ssdf_params *params)
{
	u64 per_block = nr_planes(params) * params->pages;

	return div64_u64(ssdf_map_pages(params, nr_lpns(params)) + per_block - 1, per_block);
}

/*
 * Blocks of a plane that stay free of host data when the host has written all its pages. Each
 * further open block needs two blocks: itself, and one more that GC keeps free.
 */
static u32 min_spare(const struct ssdf_params *p)
{
	return ssdf_map_blocks(p) + 3 + !!p->wear_threshold + p->hot_cold + !!p->map_cache +
	       2 * (ssdf_host_blocks(p) - 1);
}

/* @permille: pages per thousand, of which the blocks that min_spare() counts are made */
static u32 blocks_for(const struct ssdf_params *p, u64 sectors, u32 permille)
{
	u64 pages = div_u64(sectors + (p->page_bytes >> 9) - 1, p->page_bytes >> 9);
	u64 raw = div_u64(pages * 100 + 99 - p->over_provisioning, 100 - p->over_provisioning);
	u64 per_plane = nr_planes(p) * p->pages;
	u64 blocks = div64_u64(raw + per_plane - 1, per_plane);
	/* The number of blocks is still 0, so min_spare() leaves out the blocks of the map. */
	u32 least = min_spare(p) + !!p->bad_blocks + !!p->map_cache;
	u64 spare;

	/* ssdf_params_check() refuses parameters that leave no such pages. */
	permille = max(permille, 1u);
	spare = div_u64(least * 1000ULL + permille - 1, permille);
	return min_t(u64, max_t(u64, blocks, spare + 1), U32_MAX);
}

/* Percent of all pages that are free before the first use, unless aged is steady. */
static u32 free_percent(const struct ssdf_params *p)
{
	return 100 - min(p->aged_valid + p->aged_invalid, 100u);
}

/* Does the state before the first use leave the free blocks that GC needs? */
static bool leaves_blocks_free(const struct ssdf_params *p)
{
	return p->aged == SSDF_STEADY ||
	       (u64)p->blocks * free_percent(p) / 100 >= min_spare(p) + ssdf_bad_per_plane(p);
}

/* As few blocks as suffice for the size and for GC, also before the first use. */
static u32 choose_blocks(const struct ssdf_params *params, u64 sectors)
{
	u32 permille = 10 * free_percent(params), not_free;
	struct ssdf_params p = *params;

	p.blocks = blocks_for(params, sectors, spare_permille(params));
	not_free = p.bad_blocks + map_permille(&p);
	if (leaves_blocks_free(&p) || permille <= not_free)
		return p.blocks;
	return max(p.blocks, blocks_for(params, sectors, permille - not_free));
}

static int refuse(struct ssdc_error *error, const char *what)
{
	scnprintf(error->text, sizeof(error->text), "%s", what);
	return -EINVAL;
}

/* Number of page types with times of their own; 0: a time is missing in between. */
static u32 nr_types(u32 second_ns, u32 third_ns, u32 fourth_ns)
{
	if ((third_ns && !second_ns) || (fourth_ns && !third_ns))
		return 0;
	return 1 + !!second_ns + !!third_ns + !!fourth_ns;
}

/*
 * A single time applies to all page types. Otherwise, both operations must have the same number of
 * times.
 */
static int check_page_types(const struct ssdf_params *p, struct ssdc_error *error)
{
	u32 reads = nr_types(p->read2_ns, p->read3_ns, p->read4_ns);
	u32 programs = nr_types(p->program2_ns, p->program3_ns, p->program4_ns);

	if (!reads)
		return refuse(error, "read2_ns, read3_ns, read4_ns: each needs the one before it");
	if (!programs)
		return refuse(error,
			      "program2_ns, program3_ns, program4_ns: each needs the one before it");
	if (reads != programs && reads > 1 && programs > 1) {
		scnprintf(error->text, sizeof(error->text),
			  "read2_ns to read4_ns, program2_ns to program4_ns: times of %u page types for reads and of %u for programs; both must have as many, or one of them only one",
			  reads, programs);
		return -EINVAL;
	}
	return 0;
}

static int check_size(const struct ssdf_params *p, struct ssdc_error *error)
{
	if (nr_planes(p) * p->blocks > U32_MAX || nr_pages(p) > MAX_PAGES) {
		scnprintf(error->text, sizeof(error->text),
			  "the geometry has %llu pages; at most %u are possible", nr_pages(p),
			  (u32)MAX_PAGES);
		return -EINVAL;
	}
	if (nr_planes(p) / p->planes > MAX_DIES) {
		scnprintf(error->text, sizeof(error->text),
			  "channels, chips, dies: %llu dies in total; at most %u are possible",
			  nr_planes(p) / p->planes, MAX_DIES);
		return -EINVAL;
	}
	return 0;
}

/* The blocks that the host cannot fill, less the bad ones, must suffice for GC. */
static int check_spare(const struct ssdf_params *p, struct ssdc_error *error)
{
	u64 spare = (u64)p->blocks * p->over_provisioning / 100;
	u32 bad = ssdf_bad_per_plane(p);

	if (bad && p->bad_blocks >= 10 * p->over_provisioning) {
		scnprintf(error->text, sizeof(error->text),
			  "bad_blocks: %u thousandths leave no spare blocks; with over_provisioning %u, it must be less than %u",
			  p->bad_blocks, p->over_provisioning, 10 * p->over_provisioning);
		return -EINVAL;
	}
	if (bad && spare < min_spare(p) + bad) {
		scnprintf(error->text, sizeof(error->text),
			  "bad_blocks, over_provisioning: %u %% of %u blocks per plane, less %u bad ones, are fewer than the %u that garbage collection needs",
			  p->over_provisioning, p->blocks, bad, min_spare(p));
		return -EINVAL;
	}
	if (spare < min_spare(p)) {
		scnprintf(error->text, sizeof(error->text),
			  "blocks, over_provisioning: %u %% of %u blocks per plane are fewer than the %u that garbage collection needs",
			  p->over_provisioning, p->blocks, min_spare(p));
		return -EINVAL;
	}
	return 0;
}

/* The state before the first use. */
static int check_ageing(const struct ssdf_params *p, struct ssdc_error *error)
{
	if (p->aged_hot && p->aged != SSDF_STEADY)
		return refuse(error, "aged_hot: needs aged steady");
	if (!leaves_blocks_free(p)) {
		scnprintf(error->text, sizeof(error->text),
			  "aged_valid, aged_invalid: %u %% + %u %% leave fewer than %u of %u blocks per plane free",
			  p->aged_valid, p->aged_invalid, min_spare(p) + ssdf_bad_per_plane(p),
			  p->blocks);
		return -EINVAL;
	}
	if (p->aged != SSDF_STEADY && p->aged_valid > 100 - p->over_provisioning) {
		scnprintf(error->text, sizeof(error->text),
			  "aged_valid: at most %u %% of the pages belong to the host",
			  100 - p->over_provisioning);
		return -EINVAL;
	}
	return 0;
}

/**
 * ssdf_params_check() - check that the parameters fit together and suffice for a size
 * @params: if blocks is 0, it is set to the number of blocks that @sectors need
 * @sectors: capacity that the host shall see; 0: as large as the geometry allows
 * @error: on failure, says what does not fit
 *
 * Return: 0 or -EINVAL.
 */
int ssdf_params_check(struct ssdf_params *params, u64 sectors, struct ssdc_error *error)
{
	struct ssdf_params *p = params;

	if (p->page_bytes & (p->page_bytes - 1))
		return refuse(error, "page_bytes: must be a power of two from 512 to 65536");
	if (check_page_types(p, error))
		return -EINVAL;
	if (!p->blocks && !sectors)
		return refuse(error, "blocks: must be given, at least 4, as no size is given");
	if (!p->blocks)
		p->blocks = choose_blocks(p, sectors);
	if (check_size(p, error) || check_spare(p, error) || check_ageing(p, error))
		return -EINVAL;
	if (p->map_cache && p->map_cache < ssdf_nr_commands(p)) {
		scnprintf(error->text, sizeof(error->text),
			  "map_cache: must be 0 or from %u, as many as commands can be in flight, to %u",
			  ssdf_nr_commands(p), 1 << 26);
		return -EINVAL;
	}
	if (p->read_retry && !p->pe_cycles)
		return refuse(error, "read_retry: needs pe_cycles, at least 1");
	if (sectors > ssdf_capacity_sectors(p)) {
		scnprintf(error->text, sizeof(error->text),
			  "the flash has %llu sectors for the host (without over_provisioning); %llu are needed",
			  ssdf_capacity_sectors(p), sectors);
		return -EINVAL;
	}
	return 0;
}
