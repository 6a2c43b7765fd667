// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to the engine of engine-fuzz as a whole: live changes, suspend, reload, power cuts; and
 * what must hold when it is at rest.
 */
#include <stdlib.h>
#include <string.h>
#include "engine-fuzz.h"
#include "reference/reference.h"

/* As in dm-ssdcache/driver/ssdcache/target.c. */
#define SUSPEND_TRIES	5

/* ---- live changes ---- */

unsigned int nr_types(enum ssdc_kind kind)
{
	const struct ssdc_plugin_type *type = NULL;
	unsigned int nr = 0;

	while ((type = ssdc_type_next(kind, type)))
		nr++;
	return nr;
}

static u32 random_value(const struct ssdc_tunable *tunable)
{
	u32 nr = 0;

	if (!tunable->words)
		return toss() ? between(tunable->min, min(tunable->max, tunable->min + 100)) :
				between(tunable->min, tunable->max);
	while (tunable->words[nr])
		nr++;
	return pick(nr);
}

/* The spec of type number @nr of a kind, with some of its tunables. */
static const char *random_spec(enum ssdc_kind kind, unsigned int nr)
{
	const struct ssdc_plugin_type *type = NULL;
	char *spec = f.specs[kind];
	char separator = ':';
	unsigned int i;
	int at;

	do
		type = ssdc_type_next(kind, type);
	while (nr--);
	at = scnprintf(spec, SSDC_SPEC_LEN, "%s", type->info.name);
	for (i = 0; i < type->info.nr_tunables; i++) {
		const struct ssdc_tunable *tunable = &type->info.tunables[i];

		if (percent(60))
			continue;
		at += scnprintf(spec + at, SSDC_SPEC_LEN - at, "%c%s=", separator, tunable->name);
		at += ssdc_tunable_print(tunable, random_value(tunable), spec + at,
					 SSDC_SPEC_LEN - at);
		separator = ',';
	}
	return spec;
}

const char *favourite;

/* The kind of the favourite, and its number among the plug-ins of that kind. */
static enum ssdc_kind favourite_kind;
static unsigned int favourite_number;

/* Choose the plug-in @name as the favourite. Returns false if there is no such plug-in. */
bool choose_favourite(const char *name)
{
	const struct ssdc_plugin_type *type;
	unsigned int kind, nr;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		type = NULL;
		for (nr = 0; (type = ssdc_type_next(kind, type)); nr++) {
			if (strcmp(type->info.name, name))
				continue;
			favourite = type->info.name;
			favourite_kind = kind;
			favourite_number = nr;
			return true;
		}
	}
	return false;
}

static unsigned int random_type(enum ssdc_kind kind)
{
	if (favourite && kind == favourite_kind && percent(70))
		return favourite_number;
	return pick(nr_types(kind));
}

/* Successive seeds go through all combinations of plug-ins. */
void choose_plugins(u64 seed)
{
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		random_spec(kind, seed % nr_types(kind));
		seed /= nr_types(kind);
	}
	if (favourite)
		random_spec(favourite_kind, favourite_number);
}

/* References of "calm" policies allow no live changes, so those are not compared. */
static void watch_random(struct ssdc_replacement *r)
{
	const struct ref_type *type = ref_type_find(r->plugin.type->info.name);

	if (type && !type->calm && toss() && ref_watch(r))
		NOTE0(NO_CELL, 0, "compared with its reference");
}

static struct ssdc_plugin *random_plugin(enum ssdc_kind kind)
{
	const char *spec = random_spec(kind, random_type(kind));
	struct ssdc_error error = {};
	struct ssdc_plugin *plugin = ssdc_plugin_create(kind, spec, &f.e->tier, &error);

	if (!plugin)
		fail("%s %s: %s", ssdc_kind_name(kind), spec, error.text);
	NOTE0(NO_CELL, 0, plugin->type->info.name);
	return plugin;
}

static void switch_step(void)
{
	struct ssdc_replacement *old = ssdc_switch_step(f.e);

	if (old)
		ssdc_plugin_destroy(&old->plugin);
	f.kicked = true;
}

/* Replace a plug-in; or a step of the change of the replacement policy in progress. */
void switch_random(void)
{
	struct ssdc_plugin *old;

	if (f.e->draining) {
		switch_step();
		return;
	}
	if (percent(20)) {
		old = ssdc_switch_other(f.e, random_plugin(SSDC_PREFETCH));
		ssdc_plugin_destroy(old);
	} else if (percent(30)) {
		old = ssdc_switch_other(f.e, random_plugin(SSDC_ADMISSION));
		ssdc_plugin_destroy(old);
	} else {
		struct ssdc_replacement *next =
			(struct ssdc_replacement *)random_plugin(SSDC_REPLACEMENT);

		watch_random(next);
		if (ssdc_switch_begin(f.e, next))
			fail("switch refused");
	}
	f.kicked = true;
}

static void tune_core(const struct ssdc_tunable *tunable, u32 value)
{
	enum kept before = kept_now();
	struct request *request;

	*ssdc_tunable_at(tunable, &f.e->tunables) = value;
	ssdc_tunables_changed(f.e, f.now_ns);
	f.kicked = true;
	if (kept_now() == before)
		return;
	NOTE0(NO_CELL, 0, kept_now() == KEPT_MEDIA ? "DRAM is volatile" : "DRAM is protected");
	if (kept_now() == KEPT_MEDIA)
		promises_demote();
	list_for_each_entry(request, &f.requests, node) {
		request->was_volatile = false;
		request->was_protected = false;
	}
}

/* The other mode of DRAM. */
void change_mode(void)
{
	const struct ssdc_tunable *tunable =
		ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, "dram_mode", 9);

	tune_core(tunable, !f.e->tunables.dram_mode);
}

/* Change a tunable of the engine or of a plug-in. */
void tune_random(void)
{
	struct ssdc_plugin *plugin = ssdc_current_plugin(f.e, pick(SSDC_NR_KINDS));
	const struct ssdc_plugin_info *info = &plugin->type->info;
	const struct ssdc_tunable *tunable = &ssdc_core_tunable_table[pick(ssdc_nr_core_tunables)];

	if (!info->nr_tunables || toss()) {
		tune_core(tunable, random_value(tunable));
		return;
	}
	tunable = &info->tunables[pick(info->nr_tunables)];
	*ssdc_tunable_at(tunable, plugin) = random_value(tunable);
	ssdc_plugin_tuned(plugin);
	f.kicked = true;
}

/* ---- engines ---- */

/* Frames and pages of the next engine, its plug-ins and its tunables. */
void choose_sizes(void)
{
	static const u32 shifts[] = { 0, 0, 0, 1, 1, 2, 3, 4 };
	u64 frames = SSDC_MIN_FRAMES + pick(toss() ? 8 : 48);

	f.params.page_bytes = SSDC_MIN_PAGE_BYTES << PICK(shifts);
	f.params.dram_bytes = frames * f.params.page_bytes + pick(f.params.page_bytes);
	f.params.replacement = f.specs[SSDC_REPLACEMENT];
	f.params.admission = f.specs[SSDC_ADMISSION];
	f.params.prefetch = f.specs[SSDC_PREFETCH];
	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &f.params.tunables);
	f.params.tunables.dram_mode = percent(20);
	f.params.tunables.retry_ms = 1 + pick(50);
}

/*
 * The reserve of a large tier is a sixteenth of it, that of a tier of this test often as large as the
 * tier. A few frames less, before any is used, make the ratio that of large tiers.
 */
static void shrink_reserve(void)
{
	struct ssdc_tier *tier = &f.e->tier;
	u32 least = max(tier->capacity / SSDC_PAGES_PER_RESERVED, 1u);
	u32 nr = pick(tier->nr_frames - tier->capacity - least + 1);

	tier->nr_frames -= nr;
	f.e->nr_free -= nr;
}

void engine_create(void)
{
	struct ssdc_error error = {};
	u64 cells, i;

	f.e = ssdc_engine_create(&f.params, &error);
	if (!f.e)
		fail("create: %s", error.text);
	if (toss())
		shrink_reserve();
	f.e->hold_work = 1 + pick(toss() ? 3 : f.e->hold_work);
	if (toss())
		f.e->pass_limits = (struct ssdc_pass_limits) {
			.step_pages = 1 + pick(8),
			.step_bits = 1 + pick(64),
			.unawaited = 1 + pick(16),
			.fewest = 1 + pick(4),
			.most = 5 + pick(16),
			.usual = 1 + pick(16),
			.unnotified = 1 + pick(8),
		};
	ssdc_set_device(f.e, &talk_ops, NULL);
	watch_random(f.e->replacement);
	ssdc_plugins_changed(f.e);
	ssdc_tunables_changed(f.e, f.now_ns);
	if (kept_now() == KEPT_MEDIA)
		promises_demote();
	f.page_cells = f.e->tier.page_sectors >> f.cell_shift;
	cells = (u64)f.e->tier.nr_frames * f.page_cells;
	f.dram = xmalloc(cells * sizeof(*f.dram));
	for (i = 0; i < cells; i++)
		f.dram[i] = RUBBISH;
	f.written = xcalloc(cells, 1);
	f.drop_cursor = 0;
	f.wake_ns = SSDC_NEVER;
	f.kicked = true;
	NOTE3(NO_CELL, 0, "a new engine: %llu frames of %llu blocks, protected %llu",
	      f.e->tier.nr_frames, f.page_cells, f.params.tunables.dram_mode);
}

void engine_destroy(void)
{
	requests_drop();
	pending_drop();
	ssdc_engine_destroy(f.e);
	f.e = NULL;
	free(f.dram);
	free(f.written);
}

/* Another engine for the same origin. */
static void engine_replace(void)
{
	unsigned int kind;

	engine_destroy();
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		random_spec(kind, random_type(kind));
	choose_sizes();
	engine_create();
}

/* ---- at rest ---- */

void check_engine(void)
{
	struct ssdc_error finding;

	if (ssdc_engine_check(f.e, &finding))
		fail("ssdc_engine_check(): %s", finding.text);
}

static void check_rest(void)
{
	const struct ssdc_engine *e = f.e;

	check_engine();
	if (e->host_reads || e->prefetch_inflight || e->nr_debts || e->granted || e->nr_victims ||
	    e->early_inflight || e->flushing_pages || e->waiting_requests || e->device_inflight ||
	    e->host_inflight)
		fail("at rest, but debts %u granted %u victims %u early %u flushing %u waiting %u device %u host %u",
		     e->nr_debts, e->granted, e->nr_victims, e->early_inflight, e->flushing_pages,
		     e->waiting_requests, e->device_inflight, e->host_inflight);
	if (e->stats.read_hits > e->stats.read_pages ||
	    e->stats.write_hits > e->stats.write_pages ||
	    e->stats.write_absorbed > e->stats.write_pages ||
	    e->stats.prefetch_hits > e->stats.read_hits ||
	    e->stats.evicted_clean > e->stats.evicted_pages)
		fail("statistics contradict each other");
}

static bool is_at_rest(void)
{
	return !f.active && !f.nr_pending && !f.kicked && ssdc_quiescent(f.e);
}

/* No requests arrive until everything has come to rest. */
void drain(void)
{
	while (f.e->draining)
		switch_step();
	wait_until(is_at_rest, "rest");
	check_rest();
}

static bool all_ended(void)
{
	return !f.active;
}

/* A FLUSH of the driver's own. Returns its error. */
static int flush_all(void)
{
	submit(SSDC_FLUSH, 0, 0, true);
	wait_until(all_ended, "a FLUSH of the driver's own");
	return f.forced_error;
}

/* What a read of the cell would return now, at rest. */
static u64 data_now(u32 cell)
{
	u32 sector = (cell << f.cell_shift) & (f.e->tier.page_sectors - 1);
	ssdc_frame_t frame = frame_of_cell(cell);

	if (frame != SSDC_NO_FRAME && ssdc_mask_bit(ssdc_valid_mask(f.e, frame), sector))
		return *frame_cells(frame, sector);
	return origin_cache(cell);
}

/* With errors off, all acknowledged data must reach the media. */
void check_nothing_lost(void)
{
	u32 cell;

	origin_faults(true);
	drain();
	if (flush_all())
		fail("a FLUSH failed with %d although the origin has no errors", f.forced_error);
	drain();
	if (f.e->tier.dirty_pages || f.e->failed_pages)
		fail("%u dirty and %u failed pages after a FLUSH", f.e->tier.dirty_pages,
		     f.e->failed_pages);
	for (cell = 0; cell < f.nr_cells; cell++) {
		check_now(cell, data_now(cell), "at rest");
		check_now(cell, origin_cache(cell), "the origin, after a FLUSH");
		check_kept(cell, origin_media(cell), KEPT_MEDIA, "after a FLUSH");
	}
}

/* ---- suspend and reload ---- */

static bool io_has_ended(void)
{
	return !f.kicked && !f.nr_pending && !ssdc_io_pending(f.e);
}

/* As dmsc_workers_suspend(). */
static void freeze(void)
{
	ssdc_freeze(f.e, true);
	f.wake_ns = SSDC_NEVER;
	f.kicked = true;
	wait_until(io_has_ended, "the I/O of a suspended device");
	if (ssdc_has_work(f.e))
		fail("a suspended device does not come to rest");
}

/* As ssdcache_resume(). */
static void resume(void)
{
	ssdc_tunables_changed(f.e, f.now_ns);
	ssdc_freeze(f.e, false);
	f.kicked = true;
}

/* As ssdcache_presuspend() and ssdcache_postsuspend(). Returns the error of the last FLUSH. */
static int suspend_flushes(void)
{
	unsigned int tries;
	int error = 0;

	submit(SSDC_FLUSH, 0, 0, true);
	drain();
	for (tries = 0; tries < SUSPEND_TRIES; tries++) {
		error = flush_all();
		if (!error)
			break;
		f.now_ns += f.e->tunables.retry_ms * 1000000ULL;
		fire_timer();
	}
	freeze();
	return error;
}

/* Suspend and resume, with live changes between. */
void suspend(void)
{
	unsigned int changes = pick(4);

	NOTE0(NO_CELL, 0, "suspend");
	suspend_flushes();
	for (; changes; changes--) {
		if (toss())
			switch_random();
		else
			tune_random();
		if (toss())
			worker();
	}
	NOTE0(NO_CELL, 0, "resume");
	resume();
}

/*
 * Another engine takes over: another size, other plug-ins. If the origin fails, the new table keeps
 * the old engine, as in takeover.c of the driver.
 */
void reload(void)
{
	struct ssdc_engine old;
	int error = 0;
	u32 cell;

	NOTE0(NO_CELL, 0, "reload");
	if (SABOTAGE(BREAK_RELOAD_DIRTY)) {
		drain();
		freeze();
	} else {
		error = suspend_flushes();
	}
	if (error) {
		f.counts.refused_reloads++;
		if (toss())
			replace_origin();
		resume();
		return;
	}
	for (cell = 0; cell < f.nr_cells; cell++)
		check_now(cell, origin_cache(cell), "after a reload");
	if (!has_rule(RULE_RELOAD_ERROR))
		f.flush_owed = 0;
	f.counts.reloads++;
	/* Only the errors are read, not what the pointers refer to. */
	old = *f.e;
	engine_replace();
	ssdc_inherit_errors(f.e, &old);
}

/* ---- power cuts ---- */

/* The power fails at any moment, and the device starts again with what is left. */
void power_cut(void)
{
	enum kept kept = kept_now();
	u32 cell;

	NOTE0(NO_CELL, 0, "power cut");
	origin_cut_power();
	for (cell = 0; cell < f.nr_cells; cell++)
		check_kept(cell, kept_data(cell, kept), kept, "power cut");
	f.counts.power_cuts++;
	requests_drop();
	promises_restart();
	origin_restart();
	trace_clear();
	f.last_error = 0;
	f.flush_owed = 0;
	f.flush_excuse = 0;
	f.flush_failed = 0;
	engine_replace();
}
