// SPDX-License-Identifier: GPL-2.0
/*
 * The command line: one table of options for the parser and --help.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include "../common/number.h"
#include "../common/options.h"
#include "describe.h"
#include "options.h"
#include "../../dm-ssdcache/engine/shards.h"
#include "../../dm-ssdcache/shadow/shadow.h"
#include "plugin.h"
#include "sweep.h"

#define MAX_US		1000000000ULL
#define MAX_DEPTH	65536
#define MAX_REGION	(1u << 30)
#define NS_PER_US	1000ULL
#define NS_PER_MS	1000000ULL

enum {
	DRAM = 1, PAGE, SHARDS, REPLACEMENT, ADMISSION, PREFETCH, NO_CACHE, PLUGIN, TUNABLE, FLASH, READ_US,
	WRITE_US, FLUSH_US, DRAM_NS, ORIGIN_SECTORS, FOLD, CLOSED, DEPTH, FLUSH_AT_END, VERIFY, JSON,
	SERIES, SERIES_MS, SHADOW, SHADOW_ADMISSION,
	SHADOW_SIZES, SHADOW_RATE, SHADOW_REGION, SHADOW_PAGES, RESERVE, THRASH_SPAN, LOG_DECISIONS, SPEED, TIME_STEPS, DESCRIBE, VERSION,
};
static_assert(VERSION < SIM_FIRST_FREE_OPTION);

/*
 * The options, in the order of the help. sim_options_table() inserts the core tunables after PLUGIN
 * and appends the names of plug-ins or profiles to a @doc that ends in "one of".
 */
static const struct option_def option_table[] = {
	{ "dram", .id = DRAM, .arg = "SIZE", .heading = "Cache (the words of a table line):",
	  .doc = "size of the DRAM; default 64m" },
	{ "page", .id = PAGE, .arg = "SIZE", .doc = "power of two from 4k to 64k; default 4k" },
	{ "shards", .id = SHARDS, .arg = "N",
	  .doc = "so many engines, each with a part of the DRAM and of the addresses (regions of 4 MiB); default 1, at most 64" },
	{ "replacement", .id = REPLACEMENT, .arg = "SPEC",
	  .doc = "replacement policy, or auto; default lru; one of" },
	{ "admission", .id = ADMISSION, .arg = "SPEC",
	  .doc = "admission scheme, or auto; default write-buffer; one of" },
	{ "prefetch", .id = PREFETCH, .arg = "SPEC", .doc = "prefetcher; default none; one of" },
	{ "no-cache", .id = NO_CACHE,
	  .doc = "no cache at all: requests go straight to the flash device of --flash" },
	{ "plugin", .id = PLUGIN, .arg = "FILE", .many = true,
	  .doc = "load a shared object that registers a replacement policy, admission scheme or prefetcher, wherever the option stands; samples/policy shows how to build one; may be given more than once" },

	{ "flash", .id = FLASH, .arg = "SPEC", .heading = "Origin:",
	  .doc = "a flash device: PROFILE or PROFILE:key=value,key=value; one of" },
	{ "read-us", .id = READ_US, .arg = "N",
	  .doc = "without --flash: time of a read; default 75" },
	{ "write-us", .id = WRITE_US, .arg = "N",
	  .doc = "without --flash: time of a page write or a discard; default 75" },
	{ "flush-us", .id = FLUSH_US, .arg = "N",
	  .doc = "without --flash: time of a FLUSH; default 0 (no write cache in the origin)" },
	{ "dram-ns", .id = DRAM_NS, .arg = "N",
	  .doc = "time to copy a request from or to one page in DRAM; default 0" },
	{ "origin-sectors", .id = ORIGIN_SECTORS, .arg = "N",
	  .doc = "size of the origin; default: the end of the traces, rounded up to 1 MiB if the flash device is not smaller" },
	{ "fold", .id = FOLD,
	  .doc = "fold addresses beyond the origin, or the flash device, onto it (modulo its size), instead of refusing the trace" },

	{ "format", .id = TRACE_OPTION_FORMAT, .arg = "NAME", .heading = "Traces:",
	  .doc = TRACE_FORMAT_DOC },
	TRACE_SKIP_BAD_OPTION,
	TRACE_CUT_OPTIONS,
	TRACE_LIMIT_OPTION("run only the first N requests"),
	TRACE_SCALE_OPTION,

	{ "closed", .id = CLOSED, .heading = "Run:",
	  .doc = "closed loop: start each request when all work for those before it is complete, and ignore arrival times" },
	{ "depth", .id = DEPTH, .arg = "N",
	  .doc = "keep N requests in flight: start each when an earlier one completes, and ignore arrival times" },
	{ "flush-at-end", .id = FLUSH_AT_END, .doc = "flush all dirty pages at the end" },
	{ "verify", .id = VERIFY,
	  .doc = "keep track of the data; check every read, and the origin at the end (implies --flush-at-end)" },

	{ "json", .id = JSON, .heading = "Output:", .doc = "print JSON instead of text" },
	{ "series", .id = SERIES, .arg = "FILE",
	  .doc = "write statistics over simulated time as CSV" },
	{ "series-interval-ms", .id = SERIES_MS, .arg = "N",
	  .doc = "simulated time between two rows of --series; default 1000" },
	{ "log-decisions", .id = LOG_DECISIONS, .arg = "FILE",
	  .doc = "log every call of the replacement policy and its answers; ssdcache-sim(1) has the format" },
	{ "shadow", .id = SHADOW, .arg = "SPEC,...",
	  .doc = "estimate the hit ratio of these replacement policies, too, on a sample of the requests; all: of all but opt" },
	{ "shadow-admission", .id = SHADOW_ADMISSION, .arg = "SPEC,...",
	  .doc = "admission schemes of --shadow; default: that of the run" },
	{ "shadow-sizes", .id = SHADOW_SIZES, .arg = "N,...",
	  .doc = "sizes of DRAM of --shadow, in percent of that of the run; default 25,50,100,200,400" },
	{ "shadow-rate", .id = SHADOW_RATE, .arg = "PERCENT",
	  .doc = "part of the addresses that --shadow samples; default 5; more for tiers that would be too small" },
	{ "shadow-region", .id = SHADOW_REGION, .arg = "SIZE",
	  .doc = "addresses are sampled in regions of this size, a power of two up to 1g; default 1m" },
	{ "shadow-pages", .id = SHADOW_PAGES, .arg = "N",
	  .doc = "DRAM of --shadow has at least so many pages, or the rate is raised; default 256" },
	{ "reserve", .id = RESERVE, .arg = "SIZE",
	  .doc = "memory beside --dram for evicted pages until they have been flushed; at least 1m, or --dram; default, as in the kernel: a sixteenth of --dram, 1m to 16m; "
		 "the papers' simulators have no limit" },
	{ "thrash-span", .id = THRASH_SPAN, .arg = "N",
	  .doc = "for thrash_events, remember the evictions of N times as many pages as fit; default 1, as in the kernel; at most 64" },
	{ "speed", .id = SPEED, .doc = "print the CPU time of the run on standard error" },
	{ "time-steps", .id = TIME_STEPS,
	  .doc = "measure plugin_step_ns in CPU time; reading the clock twice per step is slow, and two runs differ in it" },
	{ "describe", .id = DESCRIBE, .arg = "FORMAT", .arg_attached = true,
	  .doc = "print the tables of all plug-ins, tunables and statistics as json (default) or rst, or the plug-ins' names, and exit" },
	{ "version", .letter = 'V', .id = VERSION, .doc = "print the version" },
	OPTION_END
};

/* @doc and the names of all plug-ins of a kind. */
static char *with_types(const char *doc, enum ssdc_kind kind)
{
	const struct ssdc_plugin_type *type = NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(TOOL_FAILED, "no memory");
	fputs(doc, out);
	while ((type = ssdc_type_next(kind, type)))
		fprintf(out, " %s", type->info.name);
	fclose(out);
	return text;
}

static char *with_profiles(const char *doc)
{
	char names[256], *text;

	ssdf_profiles_list(names, sizeof(names));
	if (asprintf(&text, "%s custom %s", doc, names) < 0)
		die(TOOL_FAILED, "no memory");
	return text;
}

static char *tunable_doc(const struct ssdc_tunable *tunable)
{
	char def[32] = "", *text;

	ssdc_tunable_print(tunable, tunable->def, def, sizeof(def));
	if (asprintf(&text, "%s; default %s", tunable->doc, def) < 0)
		die(TOOL_FAILED, "no memory");
	return text;
}

static struct option_def tunable_option(const struct ssdc_tunable *tunable)
{
	return (struct option_def) { .name = tunable->name, .id = TUNABLE, .arg = "VALUE",
				     .doc = tunable_doc(tunable) };
}

/**
 * sim_options_table() - the options of a run
 * @defs: result, SIM_MAX_OPTIONS, to be freed with sim_options_table_free()
 */
void sim_options_table(struct option_def *defs)
{
	const struct option_def *from;
	unsigned int i;

	for (from = option_table; from->name; from++) {
		*defs = *from;
		if (from->id == REPLACEMENT)
			defs->doc = with_types(from->doc, SSDC_REPLACEMENT);
		else if (from->id == ADMISSION)
			defs->doc = with_types(from->doc, SSDC_ADMISSION);
		else if (from->id == PREFETCH)
			defs->doc = with_types(from->doc, SSDC_PREFETCH);
		else if (from->id == FLASH)
			defs->doc = with_profiles(from->doc);
		defs++;
		for (i = 0; from->id == PLUGIN && i < ssdc_nr_core_tunables; i++)
			*defs++ = tunable_option(&ssdc_core_tunable_table[i]);
	}
	*defs = (struct option_def)OPTION_END;
}

void sim_options_table_free(const struct option_def *defs)
{
	for (; defs->name; defs++)
		if (defs->id == TUNABLE || defs->id == FLASH ||
		    (defs->id >= REPLACEMENT && defs->id <= PREFETCH))
			free((char *)defs->doc);
}

static void print_help(const struct option_def *defs)
{
	printf("Usage: ssdcache-sim [OPTION]... TRACE...\n"
	       "       ssdcache-sim sweep [OPTION]... TRACE...\n"
	       "       ssdcache-sim advise [OPTION]... TRACE...\n\n");
	wrap("Runs the cache engine of the device-mapper target \"ssdcache\" over block traces, in "
	     "simulated time. Several traces are merged by time into one workload. TRACE has any "
	     "format of --format, plain or compressed by gzip, Zstandard, xz or bzip2; - is standard "
	     "input.\n\n"
	     "SIZE is in bytes, or with a binary suffix k, m, g or t. SPEC is NAME or "
	     "NAME:key=value,key=value. N is a whole number.\n\n"
	     "With --replacement auto the run chooses its policies, by what their shadows on a sample of the "
	     "requests cost: auto:candidates=A+B/ADMISSION,period=N,memory=N,hysteresis=N,goal=latency, p99 or flash-writes. With "
	     "--admission auto it chooses its admission scheme, with the policy or policies of --replacement.", 0);
	options_help(defs);
	putchar('\n');
	wrap("Exit codes: 0 done, 1 the run failed (out of memory, or --verify found wrong data or a wrong answer of a policy), 2 "
	     "wrong command line or bad trace.", 0);
}

/**
 * sim_option_size() - parse a size; ends the program if it is none
 * @option: its name, for the message
 * @text: not necessarily terminated
 * @len: length of @text
 * @also: what else the option takes, for the message
 */
u64 sim_option_size(const char *option, const char *text, size_t len, const char *also)
{
	u64 result;

	switch (ssdc_parse_size(text, len, &result)) {
	case 0:
		return result;
	case -ERANGE:
		die(TOOL_BAD_USAGE, "--%s: '%.*s' is too large: a size is less than 16777216t", option, (int)len, text);
	default:
		die(TOOL_BAD_USAGE, "--%s: '%.*s' is not a size (bytes, or with suffix k, m, g or t, such as 64m)%s", option,
		    (int)len, text, also);
	}
}

static u64 size(const char *option, const char *value)
{
	return sim_option_size(option, value, strlen(value), "");
}

static void tunable(struct sim_options *o, const char *name, const char *value)
{
	const struct ssdc_tunable *of;
	struct ssdc_error error;

	of = ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, name, strlen(name));
	if (ssdc_tunable_parse(of, value, strlen(value), ssdc_tunable_at(of, &o->params.tunables),
			       &error))
		die(TOOL_BAD_USAGE, "%s", error.text);
}

static void flash(struct sim_options *o, const char *spec)
{
	struct ssdc_error error;

	if (ssdf_params_parse(&o->flash, spec, &error))
		die(TOOL_BAD_USAGE, "--flash: %s", error.text);
	o->has_flash = true;
}

/* Add to a list of values. */
static void add_values(struct sweep_axis **axis, const struct option_def *def, const char *value)
{
	if (!*axis)
		*axis = xcalloc(1, sizeof(**axis));
	(*axis)->def = def;
	sweep_axis_add(*axis, value);
	(*axis)->def = NULL;		/* the table of options goes away */
}

static u32 rate(const char *option, const char *value)
{
	double percent;

	if (!parse_real(value, 1e-4, 100, &percent))
		die(TOOL_BAD_USAGE, "--%s: '%s' is not a number from 0.0001 to 100", option, value);
	return percent * (SSDC_SHADOW_WHOLE / 100);
}

static u32 region(const char *option, const char *value)
{
	u64 bytes = size(option, value);

	if (!is_power_of_2(bytes) || bytes > MAX_REGION)
		die(TOOL_BAD_USAGE, "--%s: '%s' is not a power of two from the size of a page to 1g", option, value);
	return bytes;
}

/* --describe[=FORMAT] prints and ends the program. */
static void __attribute__((__noreturn__)) describe(const char *format)
{
	if (!sim_describe(format ? format : sim_describe_formats[0], stdout))
		die(TOOL_BAD_USAGE, "--describe: '%s' is not one of json, rst, names", format);
	exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
}

/* Does a plain run take several values, too? */
static bool takes_list(const struct option_def *def)
{
	return def->id == SHADOW || def->id == SHADOW_ADMISSION || def->id == SHADOW_SIZES;
}

static void take_option(struct sim_options *o, const struct option_def *def, const char *value)
{
	const char *name = def->name;

	if (trace_plan_take(&o->plan, def, value))
		return;
	if (!takes_list(def) && sweep_axis_is_list(def, value))
		die(TOOL_BAD_USAGE, "--%s: '%s' is more than one value: 'ssdcache-sim sweep' takes them", name, value);
	if (!takes_list(def) && sim_option_kind(def) < SSDC_NR_KINDS)
		sim_option_check_keys(def, value, strlen(value), false);
	switch (def->id) {
	case DRAM:
		o->params.dram_bytes = size(name, value);
		break;
	case PAGE:
		o->params.page_bytes = size(name, value);
		break;
	case SHARDS:
		o->nr_shards = take_number(name, value, 1, SSDC_MAX_SHARDS);
		break;
	case RESERVE:
		o->params.reserve_bytes = size(name, value);
		o->has_reserve = true;
		break;
	case REPLACEMENT:
		o->params.replacement = value;
		break;
	case ADMISSION:
		o->params.admission = value;
		break;
	case PREFETCH:
		o->params.prefetch = value;
		break;
	case NO_CACHE:
		o->no_cache = true;
		break;
	case PLUGIN:			/* loaded by sim_options_load_plugins() */
		break;
	case TUNABLE:
		tunable(o, name, value);
		break;
	case FLASH:
		flash(o, value);
		break;
	case READ_US:
		o->read_ns = take_number(name, value, 0, MAX_US) * NS_PER_US;
		break;
	case WRITE_US:
		o->write_ns = take_number(name, value, 0, MAX_US) * NS_PER_US;
		break;
	case FLUSH_US:
		o->flush_ns = take_number(name, value, 0, MAX_US) * NS_PER_US;
		break;
	case DRAM_NS:
		o->dram_ns = take_number(name, value, 0, MAX_US);
		break;
	case ORIGIN_SECTORS:
		o->params.origin_sectors = take_number(name, value, 1, SIM_MAX_SECTORS);
		break;
	case CLOSED:
		o->closed = true;
		break;
	case FOLD:
		o->fold = true;
		break;
	case DEPTH:
		o->depth = take_number(name, value, 1, MAX_DEPTH);
		break;
	case FLUSH_AT_END:
		o->flush_at_end = true;
		break;
	case VERIFY:
		o->verify = true;
		break;
	case JSON:
		o->json = true;
		break;
	case SERIES:
		o->series = value;
		break;
	case SERIES_MS:
		o->series_ns = take_number(name, value, 1, MAX_US) * NS_PER_MS;
		break;
	case LOG_DECISIONS:
		o->decisions = value;
		break;
	case THRASH_SPAN:
		o->params.thrash_span = take_number(name, value, 1, SSDC_MAX_THRASH_SPAN);
		break;
	case SHADOW:
		add_values(&o->shadow.replacement, def, value);
		break;
	case SHADOW_ADMISSION:
		add_values(&o->shadow.admission, def, value);
		break;
	case SHADOW_SIZES:
		add_values(&o->shadow.sizes, def, value);
		break;
	case SHADOW_RATE:
		o->shadow.rate_ppm = rate(name, value);
		break;
	case SHADOW_REGION:
		o->shadow.region_bytes = region(name, value);
		break;
	case SHADOW_PAGES:
		o->shadow.least_pages = take_number(name, value, 1, SSDC_MAX_FRAMES);
		break;
	case SPEED:
		o->speed = true;
		break;
	case TIME_STEPS:
		o->time_steps = true;
		break;
	case DESCRIBE:
		describe(value);
	case VERSION:
		print_version();
		exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
	}
}

/**
 * sim_option_axis() - the form of an option's values, if a sweep takes several
 * @def: option, of sim_options_table() or not
 */
enum sim_axis sim_option_axis(const struct option_def *def)
{
	switch (def->id) {
	case DRAM:
	case PAGE:
		return SIM_AXIS_SIZES;
	case REPLACEMENT:
	case ADMISSION:
	case PREFETCH:
	case FLASH:
	case SHADOW:
	case SHADOW_ADMISSION:
		return SIM_AXIS_SPECS;
	case TUNABLE:
	case SHARDS:
	case DEPTH:
	case SHADOW_SIZES:
		return SIM_AXIS_VALUES;
	}
	return SIM_AXIS_NONE;
}

/**
 * sim_option_kind() - the kind of plug-in that an option chooses; SSDC_NR_KINDS: none
 * @def: option
 */
enum ssdc_kind sim_option_kind(const struct option_def *def)
{
	switch (def->id) {
	case REPLACEMENT:
	case SHADOW:
		return SSDC_REPLACEMENT;
	case ADMISSION:
	case SHADOW_ADMISSION:
		return SSDC_ADMISSION;
	case PREFETCH:
		return SSDC_PREFETCH;
	}
	return SSDC_NR_KINDS;
}

/* The first of the words "key=value" from @at on that has the key of @word; NULL: none before @word. */
static const char *same_key(const char *at, const char *word)
{
	size_t len = strcspn(word, "=,");

	for (; word[len] == '=' && at < word; at = strchr(at, ',') + 1)
		if (!strncmp(at, word, len + 1))
			return at;
	return NULL;
}

/**
 * sim_option_check_keys() - end the program if a spec has a key twice
 * @def: option that takes specs
 * @spec: "NAME:key=value,key=value", not necessarily terminated
 * @len: its length
 * @list: the option takes several specs here
 *
 * For plug-ins. The kernel's parser takes the last value. On a command line, the writer may have meant two specs. Words of a flash
 * device may follow those that they replace.
 */
void sim_option_check_keys(const struct option_def *def, const char *spec, size_t len, bool list)
{
	char *text = strndup(spec, len), *colon, *word, *comma;
	const char *first;
	int name;

	if (!text)
		die(TOOL_FAILED, "no memory");
	colon = strchr(text, ':');
	for (word = colon ? colon + 1 : NULL; word; word = comma ? comma + 1 : NULL) {
		comma = strchr(word, ',');
		first = same_key(colon + 1, word);
		if (!first)
			continue;
		name = colon - text;
		if (list)
			die(TOOL_BAD_USAGE, "--%s: '%s': %.*s is given twice; for two values write %.*s:%.*s,%.*s:%.*s", def->name, text,
			    (int)strcspn(word, "="), word, name, text, (int)strcspn(first, ","), first, name, text, (int)strcspn(word, ","), word);
		die(TOOL_BAD_USAGE, "--%s: '%s': %.*s is given twice", def->name, text, (int)strcspn(word, "="), word);
	}
	free(text);
}

/**
 * sim_option_is_swept() - has an option a meaning for a sweep?
 * @def: option of sim_options_table()
 *
 * Those that choose the output of one run have none.
 */
bool sim_option_is_swept(const struct option_def *def)
{
	switch (def->id) {
	case JSON:
	case SERIES:
	case SERIES_MS:
	case LOG_DECISIONS:
	case SHADOW:
	case SHADOW_ADMISSION:
	case SHADOW_SIZES:
	case SHADOW_RATE:
	case SHADOW_REGION:
	case SHADOW_PAGES:
	case SPEED:
	case TIME_STEPS:
	case DESCRIBE:
	case VERSION:
		return false;
	}
	return true;
}

bool sim_option_is_plugin(const struct option_def *def)
{
	return def->id == PLUGIN;
}

/**
 * sim_option_use() - what an option is for
 * @def: option of sim_options_table()
 */
enum sim_use sim_option_use(const struct option_def *def)
{
	if (def->id >= TRACE_OPTION_FORMAT && def->id < TRACE_OPTION_LAST)
		return SIM_USE_LOAD;
	switch (def->id) {
	case JSON:
	case SPEED:
	case DESCRIBE:
	case VERSION:
		return SIM_USE_PRINT;
	}
	return SIM_USE_RUN;
}

/* Does an option need a cache? */
static bool is_of_cache(int id)
{
	if (id >= TRACE_OPTION_FORMAT && id < TRACE_OPTION_LAST)
		return false;
	switch (id) {
	case NO_CACHE:
	case PLUGIN:
	case FLASH:
	case ORIGIN_SECTORS:
	case FOLD:
	case CLOSED:
	case DEPTH:
	case JSON:
	case SPEED:
		return false;
	}
	return true;
}

/**
 * sim_options_load_plugins() - load what --plugin names
 * @verb: for messages, or NULL
 * @defs: all options of the command line
 * @argc: as of main(); with a verb, from the verb on
 * @argv: likewise
 *
 * A first pass, because --help and --describe list all plug-ins loaded.
 */
void sim_options_load_plugins(const char *verb, const struct option_def *defs, int argc, char **argv)
{
	struct option_reader reader;
	enum option_found found;
	static bool done;

	/* The command lines of the cells of a sweep name the plug-ins of the sweep. */
	if (done)
		return;
	done = true;
	options_begin(&reader, verb, defs, argc, argv);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		if (found == OPTION_BAD)
			exit(TOOL_BAD_USAGE);
		if (found == OPTION_GIVEN && reader.def->id == PLUGIN)
			sim_plugin_load(reader.value);
	}
	options_end(&reader);
}

/* Remember the last option of each kind that has a meaning only with, or without, others. */
static void note_option(struct sim_options *o, const struct option_def *def)
{
	if (is_of_cache(def->id))
		o->cache_option = def->name;
	switch (def->id) {
	case SHADOW_ADMISSION:
	case SHADOW_SIZES:
		o->shadow_option = def->name;
		break;
	case SHADOW_RATE:
	case SHADOW_REGION:
	case SHADOW_PAGES:
		o->sample_option = def->name;
		break;
	case READ_US:
	case WRITE_US:
	case FLUSH_US:
		o->origin_option = def->name;
		break;
	case SERIES_MS:
		o->interval_option = def->name;
		break;
	case TRACE_OPTION_TIME_SCALE:
		o->times_option = def->name;
		break;
	}
}

/**
 * sim_options_read() - read the command line, but do not check which values go together
 * @o: result
 * @argc: as of main()
 * @argv: as of main(); the names of traces move to its start
 */
void sim_options_read(struct sim_options *o, int argc, char **argv)
{
	struct option_def defs[SIM_MAX_OPTIONS];
	struct option_reader reader;
	enum option_found found;

	*o = (struct sim_options) {
		.params = {
			.dram_bytes = 64ULL << 20,
			.page_bytes = 4096,
			.replacement = "lru",
			.admission = "write-buffer",
			.prefetch = "none",
		},
		.nr_shards = 1,
		.read_ns = 75 * NS_PER_US,
		.write_ns = 75 * NS_PER_US,
		.plan = trace_plan_default,
		.series_ns = 1000 * NS_PER_MS,
		.shadow = {
			.rate_ppm = SSDC_SHADOW_RATE,
			.region_bytes = SSDC_SHADOW_REGION,
			.least_pages = SSDC_SHADOW_PAGES,
		},
		.traces = argv,
	};
	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &o->params.tunables);
	sim_options_table(defs);
	sim_options_load_plugins(NULL, defs, argc, argv);
	sim_options_table_free(defs);
	sim_options_table(defs);
	options_begin(&reader, NULL, defs, argc, argv);
	while ((found = options_next(&reader)) != OPTION_LAST) {
		switch (found) {
		case OPTION_GIVEN:
			take_option(o, reader.def, reader.value);
			note_option(o, reader.def);
			break;
		case OPTION_WORD:
			o->traces[o->nr_traces++] = (char *)reader.value;
			break;
		case OPTION_HELP:
			print_help(defs);
			exit(end_of_output() ? TOOL_OK : TOOL_FAILED);
		default:
			exit(TOOL_BAD_USAGE);
		}
	}
	options_end(&reader);
	if (!o->nr_traces)
		die(TOOL_BAD_USAGE, "no trace given: 'ssdcache-sim --help' shows the usage");
	trace_plan_check(&o->plan);
	sim_options_check(o);
	sim_options_table_free(defs);
	o->flush_at_end |= o->verify;
	if (o->closed || o->depth)
		trace_plan_ignore_times(&o->plan, o->nr_traces);
}

/**
 * sim_options_parse() - read the command line; ends the program if it is wrong
 * @o: result
 * @argc: as of main()
 * @argv: as of main(); the names of traces move to its start
 */
void sim_options_parse(struct sim_options *o, int argc, char **argv)
{
	sim_options_read(o, argc, argv);
	if (o->fold && !o->params.origin_sectors && !(o->has_flash && o->flash.blocks))
		die(TOOL_BAD_USAGE, "--fold needs a size: --origin-sectors, or --flash with blocks");
	sim_options_check_outputs(o);
}
