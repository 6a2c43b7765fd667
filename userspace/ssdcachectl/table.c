// SPDX-License-Identifier: GPL-2.0
/*
 * Table lines: made from options, and changed word by word.
 */
#include <stdio.h>
#include <string.h>
#include "../../dm-ssdcache/engine/shards.h"
#include "catalog.h"
#include "table.h"

#define DEFAULT_DRAM	"64M"
#define MAX_PAIRS	32

struct pair {
	const char *key;
	const char *value;
};

struct pairs {
	unsigned int nr;
	struct pair pair[MAX_PAIRS];
};

/**
 * table_size() - read a size, which may be 0
 * @cmd: the command line
 * @option: the option, for messages
 * @text: as given
 * @bytes: result, 0 on failure
 *
 * Return: TOOL_OK or TOOL_BAD_USAGE (reported).
 */
int table_size(const struct command *cmd, const char *option, const char *text, uint64_t *bytes)
{
	u64 value = 0;
	int code = TOOL_OK;

	if (ssdc_parse_size(text, strlen(text), &value))
		code = usage("%s: --%s: '%s' is not a size: bytes, or with suffix k, m, g or t, such as 64M",
			     cmd->verb->name, option, text);
	*bytes = value;
	return code;
}

/**
 * table_check_dram() - is this a DRAM size that the engine accepts?
 * @cmd: the command line
 * @dram: bytes
 * @page: bytes of a page
 *
 * Return: TOOL_OK or TOOL_BAD_USAGE (reported).
 */
int table_check_dram(const struct command *cmd, uint64_t dram, uint64_t page)
{
	char least[32], most[32];

	if (dram / page >= SSDC_MIN_FRAMES && dram / page <= SSDC_MAX_FRAMES)
		return TOOL_OK;
	ssdc_print_size(page * SSDC_MIN_FRAMES, least, sizeof(least));
	ssdc_print_size(page * SSDC_MAX_FRAMES, most, sizeof(most));
	return usage("%s: --dram: '%s' is not from %s to %s (%u to %u pages)", cmd->verb->name,
		     command_option(cmd, "dram"), least, most, SSDC_MIN_FRAMES, SSDC_MAX_FRAMES);
}

/**
 * table_check_shards() - is this a number of shards that the engine accepts?
 * @cmd: the command line
 * @shards: the number as text
 * @dram: bytes
 * @page: bytes of a page
 *
 * Return: TOOL_OK or TOOL_BAD_USAGE (reported).
 */
int table_check_shards(const struct command *cmd, const char *shards, uint64_t dram, uint64_t page)
{
	const struct ssdc_params params = { .dram_bytes = dram, .page_bytes = page };
	struct ssdc_error error;
	u64 nr;

	if (ssdc_parse_u64(shards, strlen(shards), &nr))
		return usage("%s: --shards: '%s' is not a number from 1 to %u", cmd->verb->name, shards,
			     SSDC_MAX_SHARDS);
	if (ssdc_shards_check(&params, nr, &error))
		return usage("%s: --%s", cmd->verb->name, error.text);
	return TOOL_OK;
}

static int check_page(const struct command *cmd, uint64_t page)
{
	if (page >= SSDC_MIN_PAGE_BYTES && page <= SSDC_MAX_PAGE_BYTES && !(page & (page - 1)))
		return TOOL_OK;
	return usage("%s: --page: '%s' is not a power of two from 4k to 64k", cmd->verb->name,
		     command_option(cmd, "page"));
}

/* Sectors of the new device: all of the origin. */
static int device_sectors(const struct command *cmd, const char *origin, uint64_t *sectors)
{
	const char *size = command_option(cmd, "size");
	uint64_t bytes;
	int code;

	if (size && !command_has(cmd, "dry-run"))
		return usage("%s: --size is only for --dry-run and --profile: a cache is as large as its origin",
			     cmd->verb->name);
	code = size ? table_size(cmd, "size", size, &bytes) : origin_size(cmd, origin, &bytes);
	if (code)
		return code;
	if (size && !bytes)
		return usage("%s: --size: at least 512", cmd->verb->name);
	if (bytes % (1u << SSDC_SECTOR_SHIFT))
		return usage("%s: --size: '%s' is not a multiple of 512", cmd->verb->name, size);
	*sectors = bytes >> SSDC_SECTOR_SHIFT;
	if (!*sectors)
		return fail("%s: the origin %s has no sectors", cmd->verb->name, origin);
	return TOOL_OK;
}

static int add_pair(const struct command *cmd, struct pairs *pairs, const char *key,
		    const char *value)
{
	unsigned int i;

	for (i = 0; i < pairs->nr; i++)
		if (!strcmp(pairs->pair[i].key, key))
			return usage("%s: --set: %s is given twice", cmd->verb->name, key);
	if (pairs->nr == MAX_PAIRS)
		return usage("%s: more than %d settings", cmd->verb->name, MAX_PAIRS);
	pairs->pair[pairs->nr].key = key;
	pairs->pair[pairs->nr].value = value;
	pairs->nr++;
	return TOOL_OK;
}

/* The option of "create" that takes the value of a table line's @key, or NULL. */
static const char *own_option(const char *key, size_t len)
{
	static const char *const names[] = {
		"dram", "page", "shards", "numa", "replacement", "admission", "prefetch", "origin", "profile",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], key, len))
			return names[i];
	return NULL;
}

/* "KEY=VALUE" of a tunable of the core; tunables of a plug-in belong in its spec. */
static int add_setting(const struct command *cmd, struct pairs *pairs, const char *word)
{
	const struct ssdc_tunable *tunable;
	const char *equals = strchr(word, '=');
	char keys[192] = "";
	unsigned int i;
	size_t at = 0;
	int code;

	tunable = equals ? ssdc_tunable_find(ssdc_core_tunable_table, ssdc_nr_core_tunables, word,
					     equals - word) : NULL;
	if (!tunable) {
		const char *option = own_option(word, strcspn(word, "="));

		if (option)
			return usage("%s: --set: '%s': %s is an option of its own: --%s %s", cmd->verb->name, word,
				     option, option, equals && equals[1] ? equals + 1 : "VALUE");
		for (i = 0; i < ssdc_nr_core_tunables && at < sizeof(keys); i++)
			at += snprintf(keys + at, sizeof(keys) - at, " %s",
				       ssdc_core_tunable_table[i].name);
		return usage("%s: --set: '%s' is not KEY=VALUE with a KEY of%s (settings of a policy go into its SPEC)",
			     cmd->verb->name, word, keys);
	}
	code = catalog_check_tunable(cmd, tunable, equals + 1);
	return code ? code : add_pair(cmd, pairs, tunable->name, equals + 1);
}

static int collect_pairs(const struct command *cmd, struct pairs *pairs)
{
	const char *dram = command_option(cmd, "dram"), *page = command_option(cmd, "page");
	const char *shards = command_option(cmd, "shards"), *numa = command_option(cmd, "numa"), *spec;
	uint64_t dram_bytes, page_bytes = SSDC_MIN_PAGE_BYTES;
	unsigned int kind;
	int code, i;

	if (!dram)
		dram = DEFAULT_DRAM;
	code = table_size(cmd, "dram", dram, &dram_bytes);
	if (!code && page) {
		code = table_size(cmd, "page", page, &page_bytes);
		if (!code)
			code = check_page(cmd, page_bytes);
	}
	if (!code)
		code = table_check_dram(cmd, dram_bytes, page_bytes);
	if (!code && shards)
		code = table_check_shards(cmd, shards, dram_bytes, page_bytes);
	if (!code)
		code = add_pair(cmd, pairs, "dram", dram);
	if (!code && page)
		code = add_pair(cmd, pairs, "page", page);
	if (!code && shards)
		code = add_pair(cmd, pairs, "shards", shards);
	if (!code && numa)
		code = catalog_check_tunable(cmd, &ssdc_numa_tunable, numa);
	if (!code && numa)
		code = add_pair(cmd, pairs, "numa", numa);
	for (kind = 0; !code && kind < SSDC_NR_KINDS; kind++) {
		spec = command_option(cmd, ssdc_kind_name((enum ssdc_kind)kind));
		if (!spec)
			continue;
		if (!command_has(cmd, "unchecked"))
			code = catalog_check_spec(cmd, (enum ssdc_kind)kind, spec);
		if (!code)
			code = add_pair(cmd, pairs, ssdc_kind_name((enum ssdc_kind)kind), spec);
	}
	for (i = 0; !code && i < cmd->nr_given; i++)
		if (!strcmp(cmd->given[i].def->name, "set"))
			code = add_setting(cmd, pairs, cmd->given[i].value);
	return code;
}

/**
 * table_check_origin() - can a path be a word of a table line?
 * @cmd: the command line
 * @origin: the path
 *
 * Return: TOOL_OK or TOOL_BAD_USAGE (reported).
 */
int table_check_origin(const struct command *cmd, const char *origin)
{
	if (origin[0] && !origin[strcspn(origin, " \t\n\\")])
		return TOOL_OK;
	return usage("%s: --origin: '%s' cannot be in a table line: use a path without white space and backslash",
		     cmd->verb->name, origin);
}

/**
 * table_from_options() - compose the table of "create"
 * @cmd: the command line
 * @origin: path of the origin
 * @sectors: its size; 0: ask it
 * @table: result
 *
 * Return: TOOL_OK, or another exit code (reported).
 */
int table_from_options(const struct command *cmd, const char *origin, uint64_t sectors,
		       struct devmap_table *table)
{
	struct pairs pairs = { .nr = 0 };
	unsigned int i;
	size_t at;
	int code = collect_pairs(cmd, &pairs);

	if (code)
		return code;
	code = table_check_origin(cmd, origin);
	if (code)
		return code;
	table->start = 0;
	table->length = sectors;
	code = sectors ? TOOL_OK : device_sectors(cmd, origin, &table->length);
	if (code)
		return code;

	at = snprintf(table->params, sizeof(table->params), "%s %u", origin, 2 * pairs.nr);
	for (i = 0; i < pairs.nr && at < sizeof(table->params); i++)
		at += snprintf(table->params + at, sizeof(table->params) - at, " %s %s",
			       pairs.pair[i].key, pairs.pair[i].value);
	if (at >= sizeof(table->params))
		return usage("%s: the table line is too long", cmd->verb->name);
	return TOOL_OK;
}

/* The value that follows @key among the pairs of a table, never empty; NULL if there is none. */
static const char *find_value(const struct devmap_table *table, const char *key, size_t *len)
{
	const char *at = table->params;
	size_t key_len = strlen(key);
	unsigned int word;

	/* Words 0 and 1 are the origin and the number of words; then keys and values. */
	for (word = 0; *at; word++) {
		size_t word_len = strcspn(at, " ");
		const char *next = at + word_len + strspn(at + word_len, " ");

		if (word >= 2 && word % 2 == 0 && word_len == key_len &&
		    !strncmp(at, key, key_len)) {
			*len = strcspn(next, " ");
			return *len ? next : NULL;
		}
		at = next;
	}
	return NULL;
}

/**
 * table_word() - read a value out of a table
 * @table: the table
 * @key: its key
 * @buf: result
 * @size: of @buf
 *
 * Return: false if the key is not there.
 */
bool table_word(const struct devmap_table *table, const char *key, char *buf, size_t size)
{
	size_t len;
	const char *value = find_value(table, key, &len);

	if (value)
		snprintf(buf, size, "%.*s", (int)len, value);
	return value;
}

/**
 * table_set_word() - change a value in a table
 * @table: the table
 * @key: its key
 * @value: the new value
 *
 * Return: false if the key is not there, or the line would be too long.
 */
bool table_set_word(struct devmap_table *table, const char *key, const char *value)
{
	char params[DEVMAP_TABLE_LEN];
	size_t len;
	const char *old = find_value(table, key, &len);

	if (!old || (size_t)snprintf(params, sizeof(params), "%.*s%s%s",
				     (int)(old - table->params), table->params, value,
				     old + len) >= sizeof(params))
		return false;
	memcpy(table->params, params, strlen(params) + 1);
	return true;
}
