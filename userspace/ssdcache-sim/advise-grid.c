// SPDX-License-Identifier: GPL-2.0
/*
 * What is compared: all plug-ins but those on request, or those given; sizes of DRAM up to what the requests touch, or those
 * given; on the device given, or on one that is as large as the traces need.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "advise.h"
#include "opt.h"
#include "sector-map.h"

/* The device without --flash: [Shin23], in the steady state of random writes. */
#define ASSUMED_FLASH	"shin23:aged=steady"

/* The same as large as the traces need. */
#define FITTED_FLASH	"shin23:blocks=0,aged=steady"

/* Traces that span more than the device are folded onto it if they touch less than this part of it. */
#define FOLDED_PART	4

/* Sizes of DRAM that are compared, each half of the next, the largest as large as all that is touched. */
#define NR_SIZES	7
#define LEAST_PAGES	64

/* How many ranks a prefetcher is away from none. */
#define PREFETCH_RANK	32

static const struct option_def *find_def(const struct advise *a, const char *name)
{
	const struct option_def *def = a->defs;

	while (def->name && strcmp(def->name, name))
		def++;
	if (!def->name)
		die(TOOL_FAILED, "internal error: no option --%s", name);
	return def;
}

static struct sweep_axis *find_axis(const struct advise *a, const char *name)
{
	size_t i;

	for (i = 0; i < a->sweep.nr_axes; i++)
		if (!strcmp(a->sweep.axes[i].def->name, name))
			return &a->sweep.axes[i];
	return NULL;
}

static bool is_common(const struct advise *a, const char *name)
{
	size_t i;

	for (i = 0; i < a->sweep.nr_common; i++)
		if (!strcmp(a->sweep.common[i].def->name, name))
			return true;
	return false;
}

static bool is_given(const struct advise *a, const char *name)
{
	return find_axis(a, name) || is_common(a, name);
}

/* All plug-ins, or those that are compared without being asked for; but not opt, which no device can have. */
static void add_all(struct advise *a, const struct option_def *def, bool on_request)
{
	struct sweep_axis *axis = sweep_axis_of(&a->sweep, def);
	const struct ssdc_plugin_type *type = NULL;

	while ((type = ssdc_type_next(sim_option_kind(def), type)))
		if (on_request || !type->info.on_request)
			sweep_axis_add(axis, type->info.name);
}

/**
 * advise_take_values() - an option with values; ends the program if they are wrong
 * @a: advice
 * @def: option
 * @list: as given
 */
void advise_take_values(struct advise *a, const struct option_def *def, const char *list)
{
	struct sweep_axis *axis;
	size_t i;

	if (sim_option_kind(def) < SSDC_NR_KINDS && (!strcmp(list, "all") || !strcmp(list, "usual"))) {
		add_all(a, def, !strcmp(list, "all"));
		return;
	}
	axis = sweep_axis_of(&a->sweep, def);
	sweep_axis_add(axis, list);
	for (i = 0; sim_option_kind(def) == SSDC_REPLACEMENT && i < axis->nr; i++)
		if (sim_opt_is_spec(axis->values[i]))
			die(TOOL_BAD_USAGE, "--replacement: opt knows the rest of the trace: it exists in runs and sweeps only");
}

static u64 size_of(const char *value)
{
	u64 size = 0;

	ssdc_parse_size(value, strlen(value), &size);
	return size;
}

static u64 smallest(const struct sweep_axis *axis)
{
	u64 least = U64_MAX;
	size_t i;

	for (i = 0; i < axis->nr; i++)
		least = min(least, size_of(axis->values[i]));
	return least;
}

static int compare_sizes(const void *x, const void *y)
{
	u64 a = size_of(*(char *const *)x), b = size_of(*(char *const *)y);

	return a < b ? -1 : a > b;
}

/* The page of the cache is that of the flash, where it can be. */
static void assume_page(struct advise *a)
{
	const struct sweep_axis *flash = find_axis(a, "flash");
	struct ssdf_params params = { .page_bytes = SSDC_MIN_PAGE_BYTES };
	struct ssdc_error error;
	char text[32];

	if (flash && ssdf_params_parse(&params, flash->values[0], &error))
		die(TOOL_BAD_USAGE, "--flash: %s", error.text);
	ssdc_print_size(clamp_t(u64, params.page_bytes, SSDC_MIN_PAGE_BYTES, SSDC_MAX_PAGE_BYTES), text,
			sizeof(text));
	sweep_axis_add(sweep_axis_of(&a->sweep, find_def(a, "page")), text);
}

/* Fill in the options that the command line leaves out, except those that depend on the requests. */
static void complete(struct advise *a)
{
	static const char *const kinds[] = { "replacement", "admission", "prefetch" };
	size_t i;

	a->assumed_flash = !is_given(a, "flash") && !is_given(a, "read-us") && !is_given(a, "write-us") &&
			   !is_given(a, "flush-us");
	if (a->assumed_flash)
		sweep_axis_add(sweep_axis_of(&a->sweep, find_def(a, "flash")), ASSUMED_FLASH);
	if (!find_axis(a, "page"))
		assume_page(a);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!find_axis(a, kinds[i]))
			add_all(a, find_def(a, kinds[i]), false);
}

static int compare_axes(const void *x, const void *y)
{
	const struct sweep_axis *a = x, *b = y;

	return a->def < b->def ? -1 : a->def > b->def;
}

/* The axis of sizes becomes the last; the others are in the order of the help, however they were given. */
static void place_sizes(struct advise *a)
{
	struct sweep *sweep = &a->sweep;
	struct sweep_axis dram = *find_axis(a, "dram");
	size_t i, to = 0;

	qsort(dram.values, dram.nr, sizeof(*dram.values), compare_sizes);
	qsort(sweep->axes, sweep->nr_axes, sizeof(*sweep->axes), compare_axes);
	for (i = 0; i < sweep->nr_axes; i++)
		if (sweep->axes[i].def != dram.def)
			sweep->axes[to++] = sweep->axes[i];
	sweep->axes[to] = dram;
	a->nr_sizes = dram.nr;
	a->sizes = xcalloc(dram.nr, sizeof(*a->sizes));
	for (i = 0; i < dram.nr; i++)
		a->sizes[i] = size_of(dram.values[i]);
}

static void assume_sizes(struct advise *a)
{
	u64 top = roundup_pow_of_two(max(a->footprint, LEAST_PAGES * a->page_bytes)), size;
	struct sweep_axis *axis;
	char text[32];

	if (find_axis(a, "dram"))
		return;
	axis = sweep_axis_of(&a->sweep, find_def(a, "dram"));
	top = min(top, SSDC_MAX_FRAMES * a->page_bytes);
	for (size = max(top >> (NR_SIZES - 1), LEAST_PAGES * a->page_bytes); size <= top; size *= 2) {
		ssdc_print_size(size, text, sizeof(text));
		sweep_axis_add(axis, text);
	}
}

/* Bytes of the pages that the requests touch, where --fold puts them. */
static u64 footprint_of(const struct advise *a)
{
	const struct sim_workload *workload = &a->sweep.workload;
	u64 page_sectors = a->page_bytes >> SSDC_SECTOR_SHIFT, page, bytes;
	struct sector_map pages = {};
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		if (record.op != SSDC_READ && record.op != SSDC_WRITE)
			continue;
		for (page = record.sector / page_sectors; page * page_sectors < record.sector + record.nr_sectors; page++)
			sector_map_at(&pages, page);
	}
	bytes = pages.nr * a->page_bytes;
	sector_map_free(&pages);
	return bytes;
}

static void look_at_requests(struct advise *a)
{
	const struct sim_workload *workload = &a->sweep.workload;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record *record = &workload->records[i];

		a->reads += record->op == SSDC_READ;
		a->writes += record->op == SSDC_WRITE;
		a->tied += i && record->time_ns == record[-1].time_ns;
	}
	if (!a->reads && !a->writes)
		die(TOOL_BAD_USAGE, "%s: no reads and no writes", a->sweep.traces[0]);
	if (!a->reads && a->goal == ADVISE_READS)
		die(TOOL_BAD_USAGE, "--goal: %s has no reads", a->sweep.traces[0]);
	if (!a->writes && (a->goal == ADVISE_WRITES || a->goal == ADVISE_FLASH_WRITES))
		die(TOOL_BAD_USAGE, "--goal: %s has no writes", a->sweep.traces[0]);
	a->footprint = footprint_of(a);
}

/* Without --flash: a trace that spans more than the device has is folded onto it, or the device grows. */
static void assume_device(struct advise *a)
{
	struct sweep_axis *axis = find_axis(a, "flash");
	struct ssdf_params params;
	struct ssdc_error error;
	u64 sectors;

	if (!a->assumed_flash)
		return;
	if (ssdf_params_parse(&params, axis->values[0], &error))
		die(TOOL_FAILED, "internal error: --flash: %s", error.text);
	sectors = ssdf_capacity_sectors(&params);
	if (a->sweep.workload.sectors <= sectors || is_given(a, "origin-sectors") || is_given(a, "fold"))
		return;
	if (a->footprint >> SSDC_SECTOR_SHIFT <= sectors / FOLDED_PART) {
		a->folded = true;
		sweep_take_common(&a->sweep, find_def(a, "fold"), NULL);
		return;
	}
	sweep_axis_free(axis);
	*axis = (struct sweep_axis) { .def = axis->def };
	sweep_axis_add(axis, FITTED_FLASH);
}

static bool is_word(const struct advise *a, size_t candidate, const char *option, const char *word)
{
	const struct sweep_axis *axis = find_axis(a, option);
	size_t i;

	/* A word that is not there: the first one. */
	for (i = 0; i < axis->nr; i++)
		if (!strcmp(axis->values[i], word))
			return !strcmp(advise_word(a, candidate, option), word);
	return !strcmp(advise_word(a, candidate, option), axis->values[0]);
}

/* lru as it is without further words, to compare with. */
static void find_baseline(struct advise *a)
{
	size_t i;

	for (i = 0; i < a->nr_candidates; i++)
		if (!strcmp(advise_word(a, i, "replacement"), "lru") &&
		    is_word(a, i, "admission", "write-buffer") && is_word(a, i, "prefetch", "none"))
			break;
	a->baseline = i;
}

static void count_cells(struct advise *a)
{
	size_t i;

	a->nr_candidates = 1;
	for (i = 0; i + 1 < a->sweep.nr_axes; i++) {
		a->nr_candidates *= a->sweep.axes[i].nr;
		if (a->nr_candidates > 1000000)
			die(TOOL_BAD_USAGE, "more than 1000000 combinations");
	}
	a->sweep.nr_cells = a->nr_candidates * a->nr_sizes;
	a->cells = xcalloc(a->sweep.nr_cells, sizeof(*a->cells));
}

static void make_device(struct advise *a)
{
	struct ssdc_error error;

	if (sim_size_origin(&a->base, &a->sweep.workload, &error))
		die(TOOL_BAD_USAGE, "%s", error.text);
	if (!a->base.has_flash)
		return;
	if (!a->assumed_flash && !a->quiet && ssdf_params_doubt(&a->base.flash, &error))
		warn("--flash: %s", error.text);
	if (sim_device_make(&a->device, &a->base.flash, NULL, &error))
		die(TOOL_FAILED, "--flash: %s", error.text);
}

/* Says the values in full, as a plain run does. */
static void refuse_several(const struct advise *a, const char *name)
{
	const struct sweep_axis *axis = find_axis(a, name);
	char *list;
	size_t size, i;
	FILE *out;

	if (!axis || axis->nr < 2)
		return;
	out = open_memstream(&list, &size);
	if (!out)
		die(TOOL_FAILED, "no memory");
	for (i = 0; i < axis->nr; i++)
		fprintf(out, "%s%s", i ? "," : "", axis->values[i]);
	if (fclose(out))
		die(TOOL_FAILED, "no memory");
	die(TOOL_BAD_USAGE, "--%s: '%s' is more than one value: 'ssdcache-sim sweep' takes them",
	    name, list);
}

/**
 * advise_check() - find out which plug-ins are compared; ends the program if the command line is wrong
 * @a: advice
 */
void advise_check(struct advise *a)
{
	complete(a);
	sweep_check(&a->sweep, &a->plan);
	/* A value that a sweep would refuse, too, has been named by now. */
	refuse_several(a, "flash");
	refuse_several(a, "depth");
	a->page_bytes = smallest(find_axis(a, "page"));
}

/**
 * advise_load() - read the requests, make the device, find out the rest of what is compared; ends the program if
 * a trace is wrong
 * @a: advice, checked by advise_check()
 */
void advise_load(struct advise *a)
{
	a->plan.quiet = a->quiet;
	sim_workload_read(&a->sweep.workload, a->sweep.traces, a->sweep.nr_traces, &a->plan);
	look_at_requests(a);
	assume_device(a);
	a->words = sweep_cell_options(&a->sweep, 0, &a->base, &a->nr_words);
	make_device(a);
	if (a->base.fold) {
		sim_fold(&a->sweep.workload, a->base.params.origin_sectors);
		a->footprint = footprint_of(a);
	}
	assume_sizes(a);
	place_sizes(a);
	count_cells(a);
	find_baseline(a);
}

/**
 * advise_word() - the value of an option of a candidate
 * @a: advice
 * @candidate: its number
 * @option: the option
 *
 * Return: the value; NULL: the option has none.
 */
const char *advise_word(const struct advise *a, size_t candidate, const char *option)
{
	const struct sweep_axis *axis = find_axis(a, option);

	return axis ? sweep_value(&a->sweep, candidate * a->nr_sizes, axis - a->sweep.axes) : NULL;
}

/* Place of a plug-in among its kind: the simpler come first. */
static size_t place_of(enum ssdc_kind kind, const char *spec)
{
	const struct ssdc_plugin_type *type = NULL;
	size_t place = 0, len = strcspn(spec, ":");

	while ((type = ssdc_type_next(kind, type)) &&
	       (strlen(type->info.name) != len || strncmp(type->info.name, spec, len)))
		place++;
	return place;
}

/**
 * advise_rank() - how far a candidate is from the simplest
 * @a: advice
 * @candidate: its number
 */
size_t advise_rank(const struct advise *a, size_t candidate)
{
	return PREFETCH_RANK * place_of(SSDC_PREFETCH, advise_word(a, candidate, "prefetch")) +
	       place_of(SSDC_REPLACEMENT, advise_word(a, candidate, "replacement")) +
	       place_of(SSDC_ADMISSION, advise_word(a, candidate, "admission"));
}
