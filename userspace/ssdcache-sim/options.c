// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "describe.h"
#include "options.h"
#include "plugin.h"

static const char help_head[] =
"Usage: ssdcache-sim [OPTION]... TRACE...\n"
"\n"
"Run the cache engine of the device-mapper target \"ssdcache\" over block traces, in\n"
"simulated time. Several traces are one workload: their requests are merged by time.\n"
"TRACE is MSR Cambridge CSV or a capture of this project, plain, .gz or .zst; - is\n"
"standard input.\n"
"\n"
"Cache (the words of a table line; SPEC is NAME or NAME:key=value,key=value):\n"
"  --dram SIZE           bytes with k, m, g or t; default 64m\n"
"  --page SIZE           power of two from 4k to 64k; default 4k\n"
"  --replacement SPEC    default lru; one of%s\n"
"  --admission SPEC      default write-buffer; one of%s\n"
"  --prefetch SPEC       default none; one of%s\n"
"  --no-cache            no cache at all: requests go to the flash device of --flash\n"
"  --plugin FILE         load FILE, a shared object that registers a policy, scheme or\n"
"                        prefetcher, which then has its name in SPECs, --help, --describe and\n"
"                        reports; repeatable. samples/policy shows how to build one\n";

static const char help_tail[] =
"\n"
"Origin:\n"
"  --flash SPEC          a flash device: PROFILE or PROFILE:key=value,…; one of custom\n"
"                        %s\n"
"  --read-us N           without --flash: time of a read, default 75\n"
"  --write-us N          time of a page write or a discard, default 75\n"
"  --flush-us N          time of a FLUSH, default 0 (an origin without write cache)\n"
"  --dram-ns N           time of a copy from or to one page in DRAM, default 0\n"
"  --origin-sectors N    size; default what the traces need, rounded up to 1 MiB\n"
"\n"
"Run:\n"
"  --closed              start a request when everything before it has come to rest,\n"
"                        whatever its time of arrival\n"
"  --limit N             only the first N requests\n"
"  --time-scale X        multiply times of arrival by X\n"
"  --flush-at-end        write all dirty pages to the origin at the end\n"
"  --verify              keep track of data, check each read, and the origin at the end\n"
"                        (implies --flush-at-end)\n"
"\n"
"Output:\n"
"  --json                JSON instead of text\n"
"  --series FILE         values over simulated time as CSV\n"
"  --series-interval-ms N  time between its rows, default 1000\n"
"  --thrash-span N       for thrash_events remember the evictions of N times as many pages\n"
"                        as fit, default 1 as in the kernel, at most 64\n"
"  --speed               say on standard error how much CPU time the run took\n"
"  --time-steps          measure plugin_step_ns, in CPU time: two runs differ in it, and each\n"
"                        step costs two looks at the clock\n"
"  --describe[=FORMAT]   the tables of all plug-ins, tunables and statistics, as json\n"
"                        (default) or rst, or the plug-ins' names, and exit\n"
"  --help, --version\n"
"\n"
"Exit status: 0 success, 1 the run failed (out of memory, --verify found lost data),\n"
"2 bad usage or a bad trace.\n";

static void print_names(enum ssdc_kind kind, char *buf, size_t size)
{
	const struct ssdc_plugin_type *type = NULL;
	size_t at = 0;

	while ((type = ssdc_type_next(kind, type)))
		at += snprintf(buf + at, at < size ? size - at : 0, " %s", type->info.name);
}

static void print_help(void)
{
	char names[SSDC_NR_KINDS][512] = { "", "", "" };
	char profiles[256];
	unsigned int i, kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		print_names(kind, names[kind], sizeof(names[kind]));
	printf(help_head, names[SSDC_REPLACEMENT], names[SSDC_ADMISSION], names[SSDC_PREFETCH]);
	for (i = 0; i < ssdc_nr_core_tunables; i++) {
		const struct ssdc_tunable *tunable = &ssdc_core_tunable_table[i];
		char def[32] = "";

		ssdc_tunable_print(tunable, tunable->def, def, sizeof(def));
		printf("  --%-19s %s (default %s)\n", tunable->name, tunable->doc, def);
	}
	ssdf_profiles_list(profiles, sizeof(profiles));
	printf(help_tail, profiles);
}

static u64 number(const char *option, const char *value, u64 min, u64 max)
{
	u64 result;

	if (ssdc_parse_u64(value, strlen(value), &result) || result < min || result > max)
		sim_die(SIM_BAD_USAGE, "--%s: \"%s\" is not a number from %llu to %llu", option,
			value, min, max);
	return result;
}

static u64 size(const char *option, const char *value)
{
	u64 result;

	if (ssdc_parse_size(value, strlen(value), &result))
		sim_die(SIM_BAD_USAGE,
			"--%s: \"%s\" is not a size: a number with k, m, g or t (binary) or none",
			option, value);
	return result;
}

static double scale(const char *option, const char *value)
{
	char *end;
	double result = strtod(value, &end);

	if (end == value || *end || !(result >= 0 && result <= 1e6))
		sim_die(SIM_BAD_USAGE, "--%s: \"%s\" is not a number from 0 to 1000000", option,
			value);
	return result;
}

#define MAX_US	1000000000ULL
#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL

/* An option without a value. Returns false if it is none. */
static bool take_flag(struct sim_options *o, const char *name)
{
	static const struct {
		const char *name;
		size_t offset;
		bool of_cache;
	} flags[] = {
		{ "no-cache", offsetof(struct sim_options, no_cache), false },
		{ "closed", offsetof(struct sim_options, closed), false },
		{ "json", offsetof(struct sim_options, json), false },
		{ "verify", offsetof(struct sim_options, verify), true },
		{ "flush-at-end", offsetof(struct sim_options, flush_at_end), true },
		{ "speed", offsetof(struct sim_options, speed), false },
		{ "time-steps", offsetof(struct sim_options, time_steps), true },
	};
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!strcmp(name, flags[i].name)) {
			*(bool *)((char *)o + flags[i].offset) = true;
			if (flags[i].of_cache)
				o->cache_option = flags[i].name;
			return true;
		}
	}
	return false;
}

static bool take_tunable(struct sim_options *o, const char *name, const char *value)
{
	const struct ssdc_tunable *tunable;
	struct ssdc_error error;

	tunable = ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, name,
				    strlen(name));
	if (!tunable)
		return false;
	if (value && ssdc_tunable_parse(tunable, value, strlen(value),
					ssdc_tunable_at(tunable, &o->params.tunables), &error))
		sim_die(SIM_BAD_USAGE, "%s", error.text);
	o->cache_option = tunable->name;
	return true;
}

static void flash(struct sim_options *o, const char *spec)
{
	struct ssdc_error error;

	if (ssdf_params_parse(&o->flash, spec, &error))
		sim_die(SIM_BAD_USAGE, "--flash: %s", error.text);
	o->has_flash = true;
}

/* An option with a value. Returns false if there is none of that name; @value NULL only asks. */
static bool take_value(struct sim_options *o, const char *name, const char *value)
{
	/* Those up to NR_OF_CACHE have no meaning without a cache. */
	static const char *const words[] = {
		"dram", "page", "replacement", "admission", "prefetch", "read-us", "write-us",
		"flush-us", "dram-ns", "series", "series-interval-ms", "log-decisions",
		"thrash-span", "flash",
		"origin-sectors", "limit", "time-scale", "plugin",
	};
	enum { DRAM, PAGE, REPLACEMENT, ADMISSION, PREFETCH, READ_US, WRITE_US, FLUSH_US, DRAM_NS,
	       SERIES, SERIES_MS, DECISIONS, SPAN, NR_OF_CACHE, FLASH = NR_OF_CACHE, ORIGIN, LIMIT,
	       SCALE, PLUGIN, NR };
	unsigned int word = 0;

	while (word < NR && strcmp(name, words[word]))
		word++;
	if (word == NR)
		return take_tunable(o, name, value);
	if (!value)
		return true;
	if (word < NR_OF_CACHE)
		o->cache_option = words[word];
	switch (word) {
	case DRAM:
		o->params.dram_bytes = size(name, value);
		break;
	case PAGE:
		o->params.page_bytes = size(name, value);
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
	case FLASH:
		flash(o, value);
		break;
	case READ_US:
		o->read_ns = number(name, value, 0, MAX_US) * NS_PER_US;
		break;
	case WRITE_US:
		o->write_ns = number(name, value, 0, MAX_US) * NS_PER_US;
		break;
	case FLUSH_US:
		o->flush_ns = number(name, value, 0, MAX_US) * NS_PER_US;
		break;
	case DRAM_NS:
		o->dram_ns = number(name, value, 0, MAX_US);
		break;
	case ORIGIN:
		o->params.origin_sectors = number(name, value, 1, 1ULL << 54);
		break;
	case LIMIT:
		o->limit = number(name, value, 1, U64_MAX);
		break;
	case SCALE:
		o->time_scale = scale(name, value);
		break;
	case SERIES:
		o->series = value;
		break;
	case SERIES_MS:
		o->series_ns = number(name, value, 1, MAX_US) * NS_PER_MS;
		break;
	case SPAN:
		o->params.thrash_span = number(name, value, 1, SSDC_MAX_THRASH_SPAN);
		break;
	case DECISIONS:
		o->decisions = value;
		break;
	case PLUGIN:			/* load_plugins() was first */
		break;
	}
	return true;
}

/* --describe[=FORMAT], --help and --version answer and end the program. */
static void answer(const char *name, const char *value)
{
	if (!strcmp(name, "help"))
		print_help();
	else if (!strcmp(name, "version"))
		printf("ssdcache-sim %s\n", SIM_VERSION);
	else if (strcmp(name, "describe"))
		return;
	else if (!value || !strcmp(value, "json"))
		sim_describe_json(stdout);
	else if (!strcmp(value, "rst"))
		sim_describe_rst(stdout);
	else if (!strcmp(value, "names"))
		sim_describe_names(stdout);
	else
		sim_die(SIM_BAD_USAGE, "--describe: \"%s\" is not one of json, rst, names", value);
	exit(fflush(stdout) ? SIM_FAILED : SIM_OK);
}

/* One option, at @argv[0]. Returns how many arguments it took. */
static int take_option(struct sim_options *o, char **argv)
{
	const char *equals = strchr(argv[0], '=');
	size_t len = equals ? (size_t)(equals - argv[0] - 2) : strlen(argv[0]) - 2;
	const char *value = equals ? equals + 1 : NULL;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)len, argv[0] + 2);
	answer(name, value);
	if (!value && take_flag(o, name))
		return 1;
	if (len >= sizeof(name) || !take_value(o, name, NULL))
		sim_die(SIM_BAD_USAGE, "\"%s\" is not an option; --help lists them", argv[0]);
	if (!value && !argv[1])
		sim_die(SIM_BAD_USAGE, "--%s wants a value", name);
	take_value(o, name, value ? value : argv[1]);
	return value ? 1 : 2;
}

/* Before all else, as --help and --describe list what was loaded. */
static void load_plugins(char **argv)
{
	for (; *argv; argv++) {
		if (!strncmp(*argv, "--plugin=", 9))
			sim_plugin_load(*argv + 9);
		else if (!strcmp(*argv, "--plugin") && argv[1])
			sim_plugin_load(*++argv);
	}
}

/* What only means something together, or apart. */
static void check_no_cache(const struct sim_options *o)
{
	if (!o->no_cache)
		return;
	if (!o->has_flash)
		sim_die(SIM_BAD_USAGE, "--no-cache wants a flash device: --flash SPEC");
	if (o->cache_option)
		sim_die(SIM_BAD_USAGE, "--%s has no meaning with --no-cache", o->cache_option);
}

/**
 * sim_options_parse() - read the command line; ends the program if it is not good
 * @o: result
 * @argc: as of main()
 * @argv: as of main(); the names of traces move to its start
 */
void sim_options_parse(struct sim_options *o, int argc, char **argv)
{
	int i = 1;

	*o = (struct sim_options) {
		.params = {
			.dram_bytes = 64ULL << 20,
			.page_bytes = 4096,
			.replacement = "lru",
			.admission = "write-buffer",
			.prefetch = "none",
		},
		.read_ns = 75 * NS_PER_US,
		.write_ns = 75 * NS_PER_US,
		.limit = U64_MAX,
		.time_scale = 1,
		.series_ns = 1000 * NS_PER_MS,
		.traces = argv,
	};
	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &o->params.tunables);
	load_plugins(argv + 1);
	while (i < argc) {
		if (argv[i][0] == '-' && argv[i][1] == '-' && argv[i][2])
			i += take_option(o, argv + i);
		else if (argv[i][0] == '-' && argv[i][1])
			sim_die(SIM_BAD_USAGE, "\"%s\" is not an option; --help lists them",
				argv[i]);
		else
			o->traces[o->nr_traces++] = argv[i++];
	}
	if (!o->nr_traces)
		sim_die(SIM_BAD_USAGE, "no trace given; --help tells how");
	check_no_cache(o);
	o->flush_at_end |= o->verify;
}
