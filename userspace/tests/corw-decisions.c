// SPDX-License-Identifier: GPL-2.0
/*
 * Compares l-corw and corw-1 … corw-8 with a literal, slow model (corw-model.c), decision by
 * decision: every read that missed, every write, every interval with its state, action, reward
 * and the whole Q-table. Workloads are random, plus real traces if there are any.
 *
 *	corw-decisions [TRACE-FOLDER]
 *
 * The scheme runs in the simulator behind a wrapper type that passes the same events to the
 * model.
 *
 * Everything compared is equal, except for costs: the model computes them in floating point
 * together with an error bound. If the costs of two actions are closer than that, either may be
 * chosen, and the model follows the scheme.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../ssdcache-sim/driver.h"
#include "corw-model.h"
#include "harness.h"

#define RANDOM_REQUESTS	6000
#define LEARNING_RUNS	15
#define FIXED_RUNS	6
#define REAL_REQUESTS	8000

static const char *const real_traces[] = {
	"msr_web0_100k", "msr_src1_10k", "ms_tpcc_small", "umass_financial1_10k",
	"alibaba_cut719_replayed",
};

static const char *const real_specs[] = {
	"l-corw", "l-corw:rar_window=0", "l-corw:rar_window=100",
	"l-corw:rar_window=10,epsilon=100,gamma=50,weight=20", "corw-1:rar_window=10",
	"corw-4:rar_window=0", "corw-8:rar_window=100",
};

static struct ssdc_admission_type spy;
static const struct ssdc_admission_type *real;
static struct ssdc_engine *engine;
static struct model model;
static char difference[256];
static u64 decision;

/* Totals over all runs. */
static struct {
	u64 reads[2];		/* bypassed, cached */
	u64 writes[2];		/* written back, written through */
	u64 ticks;
	u64 close;		/* intervals in which the model preferred another action */
	u64 states[27];
	u64 actions[MODEL_ACTIONS];
} seen;


/* ---- comparison ---- */

/* Only the first difference is reported. */
static void __attribute__((__format__(__printf__, 1, 2))) differ(const char *format, ...)
{
	va_list args;
	int at;

	if (difference[0])
		return;
	at = snprintf(difference, sizeof(difference), "decision %llu, interval %llu: ", decision,
		      model.interval);
	va_start(args, format);
	vsnprintf(difference + at, sizeof(difference) - at, format, args);
	va_end(args);
}

static void wrong(const char *what)
{
	if (what)
		differ("%s", what);
}

static void same(const char *name, double ours, double models)
{
	if (ours != models)
		differ("%s is %.0f, in the model %.17g", name, ours, models);
}

static const struct ssdc_stat *stat_of(const struct ssdc_admission *a, const char *name)
{
	const struct ssdc_plugin_info *info = &a->plugin.type->info;
	unsigned int i;

	for (i = 0; i < info->nr_stats; i++)
		if (!strcmp(info->stats[i].name, name))
			return &info->stats[i];
	die(TOOL_FAILED, "no statistic %s", name);
}

static u64 stat(const struct ssdc_admission *a, const char *name)
{
	return ssdc_stat_read(stat_of(a, name), a);
}

static u32 tunable(const struct ssdc_admission *a, const char *name)
{
	const struct ssdc_plugin_info *info = &a->plugin.type->info;
	const struct ssdc_tunable *found = ssdc_tunable_find(info->tunables, info->nr_tunables,
							     name, strlen(name));

	if (!found)
		die(TOOL_FAILED, "no tunable %s", name);
	return *ssdc_tunable_at(found, (void *)a);
}

/* Count pages independently of the engine's own counts. */
static void count_pages(double *clean, double *pages)
{
	u32 i;

	*clean = 0;
	*pages = 0;
	for (i = 0; i < engine->tier.nr_frames; i++) {
		u16 flags = engine->entries[i].flags;

		if (flags & SSDC_E_MAPPED) {
			*pages += 1;
			*clean += !(flags & SSDC_E_DIRTY);
		}
	}
}

static void compare_costs(const struct ssdc_admission *a)
{
	unsigned int state, i;
	char name[16];

	for (state = 0; state < 27; state++) {
		const double *cost = model.cost[state / 9][state / 3 % 3][state % 3];
		const double *error = model.error[state / 9][state / 3 % 3][state % 3];
		const struct ssdc_stat *row;

		snprintf(name, sizeof(name), "q_%u%u%u", state / 9, state / 3 % 3, state % 3);
		row = stat_of(a, name);
		for (i = 0; i < MODEL_ACTIONS; i++) {
			double ours = ssdc_stat_read_at(row, a, i);

			if (fabs(ours - cost[i]) > error[i])
				differ("%s, action %u: %.0f, in the model %.17g +- %.3g", name,
				       i + 1, ours, cost[i], error[i]);
		}
	}
}

static void compare_learning(const struct ssdc_admission *a)
{
	const int *s = model.state;
	int action = stat(a, "action") - 1;

	same("state", stat(a, "state"), 100 * s[0] + 10 * s[1] + s[2]);
	compare_costs(a);
	if (!model_may_choose(&model, action))
		differ("action %d was chosen", action + 1);
	if (fabs(stat(a, "penalty") - model.penalty) > model.penalty_error)
		differ("the penalty is %llu, in the model %.17g +- %.3g", stat(a, "penalty"),
		       model.penalty, model.penalty_error);
	seen.states[9 * s[0] + 3 * s[1] + s[2]]++;
	seen.actions[action]++;
}

/* In millionths. */
static u64 model_rar(bool write)
{
	u64 accesses = model.accesses[write];

	return accesses ? (u64)model.again[write] * 1000000 / accesses : 0;
}

static void compare_interval(const struct ssdc_admission *a)
{
	const double *group;

	if (model.params.learns)
		compare_learning(a);
	group = model.params.groups[model.action];
	same("T_r", stat(a, "read_traffic"), model.last_traffic[0]);
	same("T_w", stat(a, "write_traffic"), model.last_traffic[1]);
	same("Ra_r", stat(a, "read_rar"), model_rar(false));
	same("Ra_w", stat(a, "write_rar"), model_rar(true));
	same("tt", stat(a, "tt"), group[0]);
	same("rt", stat(a, "rt"), group[1]);
	same("ct", stat(a, "ct") / 100.0, group[2]);
	same("caching of reads", stat(a, "caching_reads"), model_caches_reads(&model));
}

/* ---- the type between the engine and the scheme ---- */

static void seen_request(struct ssdc_admission *a, const struct ssdc_host_request *rq)
{
	u32 shift = engine->tier.page_shift;

	wrong(model_request(&model, rq->start_ns, rq->op == SSDC_WRITE, rq->sector >> shift,
			    (rq->sector + rq->nr_sectors - 1) >> shift, rq->nr_sectors));
	real->observe(a, rq);
}

static bool compared_read(struct ssdc_admission *a, const struct ssdc_host_request *rq,
			  ssdc_page_t page)
{
	bool in = real->admit_read(a, rq, page);

	decision++;
	if (in != model_caches_reads(&model))
		differ("a read is %s", in ? "cached" : "not cached");
	seen.reads[in]++;
	return in;
}

static enum ssdc_write_mode compared_write(struct ssdc_admission *a,
					   const struct ssdc_host_request *rq)
{
	enum ssdc_write_mode through = tunable(a, "wt_sync") ? SSDC_WRITE_SYNC :
							       SSDC_WRITE_THROUGH;
	enum ssdc_write_mode mode = real->admit_write(a, rq);
	double clean, pages;

	decision++;
	count_pages(&clean, &pages);
	if (mode != (model_writes_through(&model, clean, pages) ? through : SSDC_WRITE_BACK))
		differ("a write has mode %d", mode);
	seen.writes[mode != SSDC_WRITE_BACK]++;
	return mode;
}

static void seen_end(struct ssdc_admission *a, const struct ssdc_host_request *rq, u64 now_ns,
		     u64 latency_ns)
{
	wrong(model_ended(&model, now_ns, latency_ns, rq->nr_sectors));
	real->ended(a, rq, now_ns, latency_ns);
}

static void compared_tick(struct ssdc_admission *a, u64 now_ns)
{
	double clean, pages;

	count_pages(&clean, &pages);
	wrong(model_tick(&model, now_ns, clean, pages));
	real->tick(a, now_ns);
	seen.ticks++;
	compare_interval(a);
}

static struct model_params params_of(const struct ssdc_admission *a)
{
	static const double table_2[MODEL_ACTIONS][3] = {
		{ 100, 100, .66 }, { 100, 100, .33 }, { 100, 10, .66 }, { 100, 10, .33 },
		{ 10, 100, .66 }, { 10, 100, .33 }, { 10, 10, .66 }, { 10, 10, .33 },
	};
	static const char *const levels[3][2] = {
		{ "tt_low", "tt_high" }, { "rt_low", "rt_high" }, { "ct_low", "ct_high" },
	};
	const char *name = a->plugin.type->info.name;
	struct model_params params = {
		.learns = !strcmp(name, "l-corw"),
		.period_ns = tunable(a, "period_ms") * 1000000ULL,
		.rar_window = tunable(a, "rar_window"),
		.cold = tunable(a, "cold") / 1000.0,
	};
	int action, i;

	for (action = 0; action < MODEL_ACTIONS; action++) {
		if (!params.learns) {
			memcpy(params.groups[action], table_2[name[5] - '1'], sizeof(table_2[0]));
			continue;
		}
		for (i = 0; i < 3; i++) {
			/* As in Table II: (high, high, high), (high, high, low), ... */
			bool high = table_2[action][i] > (i < 2 ? 10 : .33);

			params.groups[action][i] = tunable(a, levels[i][high]) /
						   (i < 2 ? 1.0 : 100.0);
		}
	}
	if (params.learns) {
		params.lambda = tunable(a, "lambda") / 100.0;
		params.gamma = tunable(a, "gamma") / 100.0;
		params.weight = tunable(a, "weight") / 100.0;
		params.epsilon_permille = tunable(a, "epsilon");
		params.seed = tunable(a, "seed");
	}
	return params;
}

/* Wrap the engine's scheme: compare all its events and answers from now on. */
static void stand_between(void)
{
	struct ssdc_admission *a = engine->admission;
	struct model_params params = params_of(a);

	real = ssdc_admission_ops(a);
	spy = *real;
	spy.observe = seen_request;
	spy.admit_read = compared_read;
	spy.admit_write = compared_write;
	if (real->ended)
		spy.ended = seen_end;
	spy.tick = compared_tick;
	a->plugin.type = &spy.plugin;
	model_init(&model, &params);
	difference[0] = '\0';
	decision = 0;
	compare_interval(a);
}

/* ---- workloads ---- */

static struct sim_options default_options(void)
{
	struct sim_options options = {
		.params = {
			.page_bytes = 4096,
			.replacement = "lru",
			.prefetch = "none",
		},
		.read_ns = 75000,
		.write_ns = 750000,
	};

	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables,
			      &options.params.tunables);
	return options;
}

/* Returns NULL, or a description of the difference. */
static const char *run(struct sim_options *options, const struct sim_workload *workload)
{
	struct ssdf_device *flash = NULL;
	struct ssdc_error error = {};

	options->params.origin_sectors = workload->sectors;
	engine = ssdc_engine_create(&options->params, &error);
	if (engine && options->has_flash)
		flash = ssdf_create(&options->flash, &error);
	if (!engine || (options->has_flash && !flash))
		die(TOOL_FAILED, "%s", error.text);
	while (flash && ssdf_age(flash))
		;
	stand_between();
	sim_drive(engine, flash, options, workload);
	engine->admission->plugin.type = &real->plugin;
	if (ssdc_engine_check(engine, &error))
		differ("ssdc_engine_check(): %s", error.text);
	ssdc_engine_destroy(engine);
	ssdf_destroy(flash);
	seen.close += model.close;
	model_free(&model);
	return difference[0] ? difference : NULL;
}

/*
 * Phases of reads of a few pages, of writes to new or to the same pages, or of a mixture, at
 * rates from a trickle to more than the origin can serve, with pauses. Some workloads keep one
 * mixture: reads that recur, and writes that rarely do.
 */
static void make_workload(struct sim_workload *workload, u32 page_sectors)
{
	u64 ns = below(1000000), hot = below(1000), space = 60000, at = 0, left = 0, gap = 0;
	unsigned int reads = PICK(((unsigned int []){ 50, 92, 99 })), reuse[2] = { 100, 4 };
	bool steady = !below(3);
	size_t i;

	workload->nr = RANDOM_REQUESTS;
	workload->sectors = (space + 300) * page_sectors;
	workload->records = xcalloc(workload->nr, sizeof(*workload->records));
	for (i = 0; i < workload->nr; i++) {
		struct sim_record *record = &workload->records[i];
		u64 page;

		if (!left--) {
			left = 1 + below(500);
			gap = 1000ULL << below(14);
			if (!steady) {
				reads = PICK(((unsigned int []){ 0, 2, 50, 95, 99, 100 }));
				reuse[0] = PICK(((unsigned int []){ 0, 5, 50, 100 }));
				reuse[1] = PICK(((unsigned int []){ 0, 1, 5, 50, 100 }));
			}
			ns += below(3) ? 0 : 1000000ULL << below(14);
		}
		ns += below(2 * gap);
		record->op = below(100) < reads ? SSDC_READ : SSDC_WRITE;
		page = below(100) < reuse[record->op == SSDC_WRITE] ? hot + below(30) : at;
		record->time_ns = ns;
		record->sector = page * page_sectors + (below(4) ? 0 : below(page_sectors));
		record->nr_sectors = below(8) ? 1 + below(page_sectors) : 1 + below(2048);
		at = (at + record->nr_sectors / page_sectors + 1) % space;
		if (below(50) == 0)
			record->op = SSDC_FLUSH;
		record->fua = record->op == SSDC_WRITE && !below(40);
	}
}

/* Policies in turn; their number does not influence the workloads. */
static const char *next_policy(void)
{
	static const struct ssdc_plugin_type *type;

	type = ssdc_type_next(SSDC_REPLACEMENT, type);
	if (!type)
		type = ssdc_type_next(SSDC_REPLACEMENT, NULL);
	return type->info.name;
}

static void make_spec(char *spec, size_t size, const char *name)
{
	int at = scnprintf(spec, size, "%s:period_ms=%u,rar_window=%u,cold=%u", name,
			   PICK(((unsigned int []){ 1, 20, 200, 700 })),
			   PICK(((unsigned int []){ 0, 1, 10, 100, 10000 })),
			   PICK(((unsigned int []){ 0, 10, 300, 1000 })));

	if (!below(3))
		at += scnprintf(spec + at, size - at, ",wt_sync=on");
	if (strcmp(name, "l-corw") || !below(3))
		return;
	at += scnprintf(spec + at, size - at, ",tt_low=%u,tt_high=%u,rt_low=%u,rt_high=%u",
			PICK(((unsigned int []){ 1, 2, 8 })), PICK(((unsigned int []){ 4, 128 })),
			PICK(((unsigned int []){ 1, 2, 16 })), PICK(((unsigned int []){ 4, 64 })));
	at += scnprintf(spec + at, size - at, ",lambda=%u,gamma=%u,weight=%u",
			PICK(((unsigned int []){ 1, 50, 90, 100 })),
			PICK(((unsigned int []){ 0, 10, 90 })),
			PICK(((unsigned int []){ 0, 50, 100 })));
	if (!below(3))
		scnprintf(spec + at, size - at, ",epsilon=%u,seed=%llu",
			  PICK(((unsigned int []){ 1, 100, 1000 })), below(1000));
}

static const char *random_run(const char *name, char *spec, size_t size)
{
	struct sim_options options = default_options();
	struct sim_workload workload = {};
	struct ssdc_error error = {};
	const char *result;

	make_spec(spec, size, name);
	options.params.admission = spec;
	options.params.replacement = next_policy();
	options.params.page_bytes = PICK(((u64 []){ 4096, 8192, 65536 }));
	options.params.dram_bytes = options.params.page_bytes * PICK(((u64 []){ 16, 64, 500 }));
	options.dram_ns = PICK(((u64 []){ 0, 1000 }));
	options.closed = !below(6);
	options.has_flash = !below(4);
	if (options.has_flash && ssdf_params_parse(&options.flash, "s003:blocks=64", &error))
		die(TOOL_FAILED, "%s", error.text);
	make_workload(&workload, options.params.page_bytes >> SSDC_SECTOR_SHIFT);
	result = run(&options, &workload);
	sim_workload_free(&workload);
	return result;
}

static const char *real_run(char *path, const char *spec)
{
	struct sim_options options = default_options();
	struct sim_workload workload = {};
	const char *result;

	sim_workload_load(&workload, &path, 1, REAL_REQUESTS, 1);
	options.params.admission = spec;
	options.params.page_bytes = 8192;
	options.params.dram_bytes = 4 << 20;
	options.dram_ns = 1000;
	result = run(&options, &workload);
	sim_workload_free(&workload);
	return result;
}

/* ---- tests ---- */

static void test_random(const char *name, unsigned int runs)
{
	const char *found = NULL;
	char spec[SSDC_SPEC_LEN];
	unsigned int i;

	for (i = 0; !found && i < runs; i++) {
		ssdc_random_seed(&harness_random, i);
		found = random_run(name, spec, sizeof(spec));
	}
	if (found)
		diag("run %u, %s: %s", i, spec, found);
	result(!found, "%s: %u random workloads, decision by decision", name, runs);
}

static void test_real(const char *folder, const char *name)
{
	const char *found = NULL;
	char path[512];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/%s.csv.gz", folder, name);
	if (access(path, R_OK)) {
		skip("no such file", "%s", name);
		return;
	}
	for (i = 0; !found && i < sizeof(real_specs) / sizeof(real_specs[0]); i++)
		found = real_run(path, real_specs[i]);
	if (found)
		diag("%s: %s", real_specs[i - 1], found);
	result(!found, "%s: l-corw and corw, decision by decision", name);
}

/* The comparison is worthless for cases that never occurred. A few rare states may be missing. */
static void test_variety(void)
{
	unsigned int states = 0, actions = 0, i;


	for (i = 0; i < 27; i++)
		states += !!seen.states[i];
	for (i = 0; i < MODEL_ACTIONS; i++)
		actions += !!seen.actions[i];
	result(seen.reads[0] && seen.reads[1] && seen.writes[0] && seen.writes[1] && states >= 24 &&
	       actions == MODEL_ACTIONS && seen.close * 1000 <= seen.ticks,
	       "reads: %llu bypassed, %llu cached; writes: %llu back, %llu through; %u states, %u actions; %llu of %llu intervals too close to call",
	       seen.reads[0], seen.reads[1], seen.writes[0], seen.writes[1], states, actions,
	       seen.close, seen.ticks);
}

int main(int argc, char **argv)
{
	const struct ssdc_plugin_type *type = NULL;
	struct harness options = {};
	unsigned int i;

	harness_options(&options, "", argc, argv);
	while ((type = ssdc_type_next(SSDC_ADMISSION, type)))
		if (!strcmp(type->info.name, "l-corw"))
			test_random(type->info.name, LEARNING_RUNS);
		else if (!strncmp(type->info.name, "corw-", 5))
			test_random(type->info.name, FIXED_RUNS);
	test_variety();
	for (i = 0; i < sizeof(real_traces) / sizeof(real_traces[0]); i++)
		test_real(options.nr_files ? options.files[0] : "", real_traces[i]);
	return finish();
}
