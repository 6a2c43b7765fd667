// SPDX-License-Identifier: GPL-2.0
/*
 * Table line and status line.
 *
 *	ssdcache <origin> <#args> [<key> <value>]…
 *
 *	dram SIZE		size of the DRAM tier, required
 *	page SIZE		cache unit, 4k to 64k
 *	shards N		number of engines, each with an equal part of dram; 1 to 64
 *	numa WORD		interleave or local: the NUMA nodes of the memory, see numa.c
 *	replacement SPEC	NAME[:key=value,…], or auto[:…], see auto.h
 *	admission SPEC
 *	prefetch SPEC
 *	KEY VALUE		any row of ssdc_core_tunable_table
 */
#include <linux/string.h>

#include "../common/origin.h"
#include "cache.h"
#include "holds.h"

#define DEFAULT_PAGE		"4k"

static const char *const default_specs[SSDC_NR_KINDS] = {
	[SSDC_REPLACEMENT] = "lru",
	[SSDC_ADMISSION] = "write-buffer",
	[SSDC_PREFETCH] = "none",
};

static int parse_size(const char *key, const char *value, u64 *bytes, struct ssdc_error *error)
{
	if (!ssdc_parse_size(value, strlen(value), bytes))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "%s: \"%.32s\" is not a size: a number of bytes, or one with k, m, g or t",
		  key, value);
	return -EINVAL;
}

static int parse_spec(const char *value, const char **spec, enum ssdc_kind kind,
		      struct ssdc_error *error)
{
	if (strlen(value) < SSDC_SPEC_LEN) {
		*spec = value;
		return 0;
	}
	scnprintf(error->text, sizeof(error->text), "%s: longer than %u characters",
		  ssdc_kind_name(kind), SSDC_SPEC_LEN - 1);
	return -EINVAL;
}

/* The number is checked when the size of dram is known. */
static int parse_shards(const char *value, u64 *nr, struct ssdc_error *error)
{
	if (!ssdc_parse_u64(value, strlen(value), nr))
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "shards: \"%.32s\" is not a number from 1 to %u", value, SSDC_MAX_SHARDS);
	return -EINVAL;
}

static int unknown_key(const char *key, struct ssdc_error *error)
{
	unsigned int i;
	int at;

	at = scnprintf(error->text, sizeof(error->text),
		       "\"%.32s\" is not one of dram page shards %s replacement admission prefetch",
		       key, ssdc_numa_tunable.name);
	for (i = 0; i < ssdc_nr_core_tunables; i++)
		at += scnprintf(error->text + at, sizeof(error->text) - at, " %s",
				ssdc_core_tunable_table[i].name);
	return -EINVAL;
}

static int parse_pair(struct dmsc_config *config, const char *key, const char *value,
		      struct ssdc_error *error)
{
	struct ssdc_params *params = &config->params;
	const struct ssdc_tunable *tunable;

	if (!strcmp(key, "dram"))
		return parse_size(key, value, &params->dram_bytes, error);
	if (!strcmp(key, "page"))
		return parse_size(key, value, &params->page_bytes, error);
	if (!strcmp(key, "shards"))
		return parse_shards(value, &config->nr_shards, error);
	if (!strcmp(key, ssdc_numa_tunable.name))
		return ssdc_tunable_parse(&ssdc_numa_tunable, value, strlen(value), &config->numa,
					  error);
	if (!strcmp(key, "replacement"))
		return parse_spec(value, &params->replacement, SSDC_REPLACEMENT, error);
	if (!strcmp(key, "admission"))
		return parse_spec(value, &params->admission, SSDC_ADMISSION, error);
	if (!strcmp(key, "prefetch"))
		return parse_spec(value, &params->prefetch, SSDC_PREFETCH, error);
	tunable = ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, key,
				    strlen(key));
	if (!tunable)
		return unknown_key(key, error);
	return ssdc_tunable_parse(tunable, value, strlen(value),
				  ssdc_tunable_at(tunable, &params->tunables), error);
}

/**
 * dmsc_table_parse() - parse a table line
 * @config: result; points into @argv
 * @argc: length of @argv
 * @argv: words after the target's name
 * @error: on failure: the wrong word and what is accepted
 *
 * Return: 0 or -EINVAL.
 */
int dmsc_table_parse(struct dmsc_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error)
{
	struct ssdc_params *params = &config->params;
	bool has_dram = false;
	unsigned int i;
	int r;

	memset(config, 0, sizeof(*config));
	config->nr_shards = 1;
	config->numa = ssdc_numa_tunable.def;
	ssdc_parse_size(DEFAULT_PAGE, strlen(DEFAULT_PAGE), &params->page_bytes);
	params->replacement = default_specs[SSDC_REPLACEMENT];
	params->admission = default_specs[SSDC_ADMISSION];
	params->prefetch = default_specs[SSDC_PREFETCH];
	ssdc_tunables_default(ssdc_core_tunable_table, ssdc_nr_core_tunables, &params->tunables);

	if (argc < 2) {
		scnprintf(error->text, sizeof(error->text),
			  "usage: <origin> <#args> dram <size> [<key> <value>]...");
		return -EINVAL;
	}
	config->origin = argv[0];
	r = dms_check_nr_args(argc, argv, error);
	for (i = 2; !r && i < argc; i += 2) {
		r = parse_pair(config, argv[i], argv[i + 1], error);
		has_dram |= !strcmp(argv[i], "dram");
	}
	if (r)
		return r;
	if (!has_dram) {
		scnprintf(error->text, sizeof(error->text),
			  "dram: missing: give the size of the DRAM tier, such as \"dram 64m\"");
		return -EINVAL;
	}
	return 0;
}

/* A line under construction. */
struct line {
	char *buf;
	size_t size;
	size_t at;
	unsigned int words;
};

static void add_word(struct line *line, const char *word)
{
	line->at += scnprintf(line->buf + line->at, line->size - line->at, " %s", word);
	line->words++;
}

static void add_spec_text(struct line *line, enum ssdc_kind kind, const char *spec)
{
	if (!strcmp(spec, default_specs[kind]))
		return;
	add_word(line, ssdc_kind_name(kind));
	add_word(line, spec);
}

/* With a choice, the table line has the candidates, not the live policies. */
static void add_specs(struct line *line, struct dmsc_cache *c)
{
	struct dmsc_choice *choice = dmsc_auto_of(c);
	char spec[SSDC_SPEC_LEN];
	unsigned int kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		/* The only policy is live, and may have been tuned. */
		if (choice && kind == SSDC_REPLACEMENT && ssdc_auto_is_spec(choice->text)) {
			add_spec_text(line, kind, choice->text);
		} else if (choice && kind == SSDC_ADMISSION) {
			add_spec_text(line, kind, choice->admission);
		} else {
			ssdc_spec_print(ssdc_current_plugin(c->shards->engine, kind), spec,
					sizeof(spec));
			add_spec_text(line, kind, spec);
		}
	}
}

static void add_tunables(struct line *line, struct ssdc_core_tunables *tunables)
{
	char value[16];
	unsigned int i;

	for (i = 0; i < ssdc_nr_core_tunables; i++) {
		const struct ssdc_tunable *tunable = &ssdc_core_tunable_table[i];
		u32 now = *ssdc_tunable_at(tunable, tunables);

		if (now == tunable->def)
			continue;
		ssdc_tunable_print(tunable, now, value, sizeof(value));
		add_word(line, tunable->name);
		add_word(line, value);
	}
}

/**
 * dmsc_table_print() - print the table line that creates the cache as it is now
 * @c: cache
 * @buf: destination
 * @size: size of @buf
 *
 * Words at their defaults are left out.
 *
 * Context: takes @control.
 * Return: characters written.
 */
int dmsc_table_print(struct dmsc_cache *c, char *buf, size_t size)
{
	char words[1024], word[32];
	struct line line = { .buf = words, .size = sizeof(words) };
	struct ssdc_core_tunables tunables;
	struct ssdc_engine *e;
	u64 page_bytes;

	mutex_lock(&c->control);
	e = c->shards->engine;
	page_bytes = (u64)e->tier.page_sectors << SECTOR_SHIFT;
	add_word(&line, "dram");
	ssdc_print_size(page_bytes * dmsc_capacity(c), word, sizeof(word));
	add_word(&line, word);
	ssdc_print_size(page_bytes, word, sizeof(word));
	if (strcmp(word, DEFAULT_PAGE)) {
		add_word(&line, "page");
		add_word(&line, word);
	}
	if (c->nr_shards > 1) {
		scnprintf(word, sizeof(word), "%u", c->nr_shards);
		add_word(&line, "shards");
		add_word(&line, word);
	}
	if (c->numa != ssdc_numa_tunable.def) {
		add_word(&line, ssdc_numa_tunable.name);
		add_word(&line, ssdc_numa_tunable.words[c->numa]);
	}
	add_specs(&line, c);
	spin_lock_irq(&c->shards->lock);
	tunables = e->tunables;
	spin_unlock_irq(&c->shards->lock);
	add_tunables(&line, &tunables);
	mutex_unlock(&c->control);
	return scnprintf(buf, size, "%s %u%s", c->origin->name, line.words, words);
}

/**
 * dmsc_state_name() - print the state: ok, suspended, error:N or lost
 * @c: cache
 * @buf: destination
 * @size: size of @buf
 *
 * Context: any task; @control.
 * Return: @buf.
 */
const char *dmsc_state_name(struct dmsc_cache *c, char *buf, size_t size)
{
	int error = dmsc_first_error(c);
	bool frozen;

	spin_lock_irq(&c->shards->lock);
	frozen = c->shards->engine->frozen;
	spin_unlock_irq(&c->shards->lock);
	if (c->refuses_io)
		scnprintf(buf, size, "lost");
	else if (error)
		scnprintf(buf, size, "error:%d", -error);
	else
		scnprintf(buf, size, "%s", frozen ? "suspended" : "ok");
	return buf;
}

/* The numbers of the status line. */
struct snapshot {
	u32 used_pages;
	u32 dirty_pages;
	u32 failed_pages;
	u32 dram_mode;
	u64 stats[SSDC_MAX_CORE_STATS];
};

static void add_shard(struct snapshot *snap, struct dmsc_shard *s)
{
	struct ssdc_engine *e;
	unsigned int i;

	dmsc_lock(s);
	e = s->engine;
	ssdc_update_stats(e);
	/* Pages in the reserve do not fill the tier; the statistic "used" includes them. */
	snap->used_pages += min(e->tier.used_pages, e->tier.capacity);
	snap->dirty_pages += e->tier.dirty_pages;
	snap->failed_pages += e->failed_pages;
	snap->dram_mode = e->tunables.dram_mode;
	for (i = 0; i < ssdc_nr_core_stats; i++)
		ssdc_stat_merge(&ssdc_core_stat_table[i], e, &snap->stats[i]);
	dmsc_unlock(s, SSDC_HELD_BY_STATISTICS);
}

static void take_snapshot(struct dmsc_cache *c, struct snapshot *snap)
{
	struct dmsc_shard *s;

	memset(snap, 0, sizeof(*snap));
	dmsc_for_each_shard(s, c)
		add_shard(snap, s);
}

/**
 * dmsc_status_print() - print the status line: pairs of key and value
 * @c: cache
 * @buf: destination
 * @size: size of @buf
 *
 * Context: takes @control.
 * Return: characters written.
 */
int dmsc_status_print(struct dmsc_cache *c, char *buf, size_t size)
{
	char spec[SSDC_SPEC_LEN], state[24];
	struct dmsc_choice *choice;
	struct ssdc_engine *e;
	struct snapshot snap;
	unsigned int i;
	int at;

	mutex_lock(&c->control);
	e = c->shards->engine;
	take_snapshot(c, &snap);
	at = scnprintf(buf, size, "schema 1 state %s frames %u used %u dirty %u failed %u",
		       dmsc_state_name(c, state, sizeof(state)), dmsc_capacity(c),
		       snap.used_pages, snap.dirty_pages, snap.failed_pages);
	for (i = 0; i < SSDC_NR_KINDS; i++) {
		ssdc_spec_print(ssdc_current_plugin(e, i), spec, sizeof(spec));
		at += scnprintf(buf + at, size - at, " %s %s", ssdc_kind_name(i), spec);
	}
	choice = dmsc_auto_of(c);
	if (choice && ssdc_auto_is_spec(choice->text))
		at += scnprintf(buf + at, size - at, " auto %s", choice->text);
	if (choice && ssdc_auto_is_spec(choice->admission))
		at += scnprintf(buf + at, size - at, " auto_admission %s", choice->admission);
	at += scnprintf(buf + at, size - at, " dram_mode %s stats",
			ssdc_core_tunable_table[0].words[snap.dram_mode]);
	mutex_unlock(&c->control);
	for (i = 0; i < ssdc_nr_core_stats; i++)
		at += scnprintf(buf + at, size - at, " %s %llu", ssdc_core_stat_table[i].name,
				snap.stats[i]);
	return at;
}
