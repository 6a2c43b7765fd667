// SPDX-License-Identifier: GPL-2.0
/*
 * Table lines, messages and values written to sysfs: the driver's own table.c, message.c, policies.c,
 * auto.c and auto-sysfs.c.
 *
 *	line 1		the table line, after the target's name; if its origin is a specification of a flash
 *			device, the origin is such a device
 *	#bytes		requests, one per byte
 *	@FILE value	a value written to a file in /sys/block/dm-N/ssdcache or its params
 *	+NAME		a module is loaded, whose replacement policy has this name
 *	-		the module is unloaded: the next line finds its policy, but cannot use it
 *	=		suspend or resume
 *	>		a new table takes over the engines
 *	words		a message
 *
 * Before a line (also before line 1, except for "&"):
 *
 *	&		work that the line queues waits until after the next line
 *	!N		the N-th allocation of the line, and of work that it queues, fails
 *
 * A refusal has a reason and changes nothing; the printed table line gives the same table line again;
 * the engine's state is consistent after each line; at the end, no memory and no pinned type is left.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../../dm-ssdcache/driver/common/origin.h"
#include "../../dm-ssdcache/driver/ssdcache/cache.h"
#include "../../dm-ssdcache/driver/ssdcache/holds.h"
#include "../../dm-ssdcache/driver/ssdcache/latency.h"
#include "../../dm-ssdcache/driver/ssdflash/flash.h"
#include "../../include/dm-ssdcache-policy.h"
#include "fuzz.h"
#include "sysfs-files.h"

#define MAX_WORDS	64
#define MAX_FRAMES	64
#define ORIGIN_SECTORS	(8 * SSDC_REGION_SECTORS)
#define LINE_BYTES	4096

static u64 now_ns;
static bool logged;			/* something, since this was last set to false */

/* ---- what the driver calls ---- */

u64 ktime_get_ns(void)
{
	return now_ns;
}

void kernel_log(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) >= (int)sizeof(text))
		fuzz_wrong("a message of more than %zu characters", sizeof(text));
	va_end(args);
	logged = true;
}

void dms_node_update(struct dms_sysfs *sysfs)
{
	struct dmsc_cache *c = container_of(sysfs, struct dmsc_cache, sysfs);

	/* It waits for files of the old directories, which may take @control. */
	if (c->control.lock.locked)
		fuzz_wrong("sysfs is updated with @control held");
	dmsc_auto_renew_dirs(NULL, c);
}

/* Shadows run between lines: see run_shadows(). */
static struct work_struct *queued;

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active)
{
	(void)name;
	(void)flags;
	(void)max_active;
	return NULL;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	(void)wq;
}

void queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	(void)wq;
	queued = work;
}

void cancel_work_sync(struct work_struct *work)
{
	if (queued == work)
		queued = NULL;
}

/* The origin, if it is a flash device. */
static struct ssdf_params flash;

bool dmsf_params_of(struct block_device *bdev, struct ssdf_params *params)
{
	if (bdev)
		*params = flash;
	return bdev;
}

bool dmsc_measures_holds;

void dmsc_hold_ended(struct dmsc_shard *s, enum ssdc_holder by)
{
	(void)s;
	(void)by;
}

void dmsc_latency_reset(struct dmsc_cache *c)
{
	(void)c;
}

void dmsc_on_node(const struct dmsc_shard *s, void (*function)(void *data), void *data)
{
	(void)s;
	function(data);
}

void dmsc_holds_reset(struct dmsc_cache *c)
{
	(void)c;
}

int dmsc_first_error(struct dmsc_cache *c)
{
	(void)c;
	return 0;
}

/* The origins of origin.c; no target of this fuzzer opens one. */
unsigned int dm_table_get_mode(void *table)
{
	(void)table;
	return 0;
}

int dm_get_device(struct dm_target *ti, const char *path, unsigned int mode, struct dm_dev **dev)
{
	(void)ti;
	(void)path;
	(void)mode;
	(void)dev;
	return -ENODEV;
}

bool bdev_is_zoned(struct block_device *bdev)
{
	(void)bdev;
	return false;
}

bool bdev_read_only(struct block_device *bdev)
{
	(void)bdev;
	return false;
}

/* ---- a driver without data, whose I/O ends at once ---- */

static void check(const struct dmsc_cache *c)
{
	struct ssdc_error finding;
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		if (ssdc_engine_check(s->engine, &finding))
			fuzz_wrong("%s", finding.text);
}

/* Advance a request. Returns true when it has ended. */
static bool advance(struct ssdc_engine *e, struct ssdc_request *rq)
{
	struct ssdc_segment seg;

	for (;;) {
		switch (ssdc_step(e, rq, now_ns, &seg)) {
		case SSDC_COPY:
		case SSDC_AGAIN:
		case SSDC_MORE:
		case SSDC_YIELD:
			break;
		case SSDC_READ_ORIGIN:
			/* It goes on at once, and so cannot have ended. */
			ssdc_sub_done(e, rq, &seg, 0, now_ns);
			break;
		case SSDC_BYPASS:
			return ssdc_bypass_done(e, rq, 0, now_ns) == SSDC_COMPLETE;
		case SSDC_FORWARD:
		case SSDC_FLUSH_ORIGIN:
			ssdc_forward_done(e, rq, 0);
			return false;
		case SSDC_WAIT:
			return false;
		case SSDC_COMPLETE:
			return true;
		}
	}
}

/* Do all queued work. Returns false if there is none; sets @ended when a request has ended. */
static bool work(struct ssdc_engine *e, bool *ended)
{
	struct ssdc_request *rq;
	struct ssdc_io io;
	bool any = false;

	while ((rq = ssdc_next_ready(e))) {
		*ended |= advance(e, rq);
		any = true;
	}
	while (ssdc_next_io(e, &io)) {
		if (ssdc_io_done(e, &io, 0, now_ns))
			while (ssdc_go_on(e))
				;
		any = true;
	}
	return any;
}

static bool serve(struct ssdc_engine *e)
{
	bool ended = false;
	u64 wake_ns;

	work(e, &ended);
	do {
		now_ns += 1000;
		do {
			wake_ns = ssdc_background(e, now_ns);
		} while (wake_ns == SSDC_GO_ON);
	} while (work(e, &ended) || !wake_ns);
	return ended;
}

void dmsc_worker_kick(struct dmsc_shard *s)
{
	spin_lock(&s->lock);
	serve(s->engine);
	spin_unlock(&s->lock);
}

/* The origin takes @took_ns. */
static void submit(struct dmsc_shard *s, enum ssdc_op op, u64 sector, u64 nr_sectors, bool force, u64 took_ns)
{
	struct ssdc_request rq;

	ssdc_request_init(&rq, op, sector, nr_sectors, now_ns);
	rq.force = force;
	dmsc_auto_feed(s->cache, s, &rq.host);
	spin_lock(&s->lock);
	if (!advance(s->engine, &rq) && !serve(s->engine))
		fuzz_wrong("a %s never ends", ssdc_op_names[op]);
	spin_unlock(&s->lock);
	if (dmsc_auto_measures(s->cache, nr_sectors))
		dmsc_auto_take_time(s->cache, op == SSDC_WRITE, took_ns);
}

/* The cache of the device; a takeover replaces it. */
static struct dmsc_cache *cache;
static bool suspended;

/* How many records of the sample the shadows have run. */
static u32 shadows_done(void)
{
	struct dmsc_choice *choice = dmsc_auto_of(cache);

	return choice ? choice->a->shadows->tail : 0;
}

static void run_shadows(void)
{
	struct work_struct *work = queued;
	u32 done = shadows_done();

	queued = NULL;
	if (!work)
		return;
	work->function(work);
	if (suspended && shadows_done() != done)
		fuzz_wrong("shadows run while the device is suspended");
}

u32 dmsc_dirty_pages(struct dmsc_cache *c)
{
	struct dmsc_shard *s;
	u32 pages = 0;

	dmsc_for_each_shard(s, c)
		pages += s->engine->tier.dirty_pages;
	return pages;
}

/* No FLUSH fails. */
bool dmsc_is_rewriting(struct dmsc_cache *c)
{
	(void)c;
	return false;
}

struct dmsc_flush *dmsc_flush_begin(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		submit(s, SSDC_FLUSH, 0, 0, true, 0);
	return NULL;
}

int dmsc_flush_end(struct dmsc_flush *flush, bool suspending)
{
	(void)flush;
	(void)suspending;
	return 0;
}

static void requests(struct dmsc_cache *c, const char *bytes)
{
	static const enum ssdc_op ops[] = { SSDC_WRITE, SSDC_READ, SSDC_WRITE, SSDC_DISCARD };

	for (; *bytes; bytes++) {
		unsigned int byte = (unsigned char)*bytes;
		u64 sector = byte / 32 * SSDC_REGION_SECTORS + byte / 4 % 8 * 8;
		struct dmsc_shard *s = &c->shards[ssdc_shard_of(sector, c->region_shift, c->nr_shards)];

		now_ns += 100000;
		submit(s, ops[byte % 4], sector, byte % 3 ? 8 : 24, false, (u64)byte << byte % 64);
	}
}

/* ---- a module, whose only plug-in is lru with another name ---- */

extern struct ssdc_replacement_type ssdc_lru;
struct module fuzz_builtin;
static struct module own_module;
static struct ssdc_replacement_type own_type;
static bool loaded;

static void load_module(const char *name)
{
	if (loaded)
		return;
	own_type = ssdc_lru;
	own_type.plugin.info.name = strdup(name);
	logged = false;
	loaded = !ssdc_plugin_register_owned(&own_type.plugin, &own_module);
	if (loaded)
		return;
	if (!logged)
		fuzz_wrong("a plug-in refused without a reason");
	free((void *)own_type.plugin.info.name);
}

static void begin_unload(void)
{
	own_module.going = loaded && !own_module.pins;
}

static void end_unload(void)
{
	if (!own_module.going)
		return;
	ssdc_plugin_unregister(&own_type.plugin);
	free((void *)own_type.plugin.info.name);
	own_module.going = false;
	loaded = false;
}

/* Without caches, no module is in use. */
static void check_modules(void)
{
	begin_unload();
	end_unload();
	if (fuzz_builtin.pins || loaded)
		fuzz_wrong("types stay pinned");
}

/* ---- lines ---- */

static void print(struct dmsc_cache *c, char *line)
{
	if (dmsc_table_print(c, line, LINE_BYTES) != (int)strlen(line))
		fuzz_wrong("wrong length of the table line");
}

static void destroy_engines(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	if (!c->shards)
		return;
	dmsc_for_each_shard(s, c)
		ssdc_engine_destroy(s->engine);
	free(c->shards);
	c->shards = NULL;
	c->nr_shards = 0;
}

/* As destroy() in target.c does. */
static void destroy(struct dmsc_cache *c)
{
	const struct ssdc_plugin_type *types[SSDC_NR_KINDS];
	unsigned int kind;

	dmsc_auto_destroy(c);
	for (kind = 0; c->shards && kind < SSDC_NR_KINDS; kind++)
		types[kind] = ssdc_current_plugin(c->shards->engine, kind)->type;
	while (c->shards && kind--)
		dmsc_unpin_type(types[kind]);
	destroy_engines(c);
}

static bool make_shards(struct dmsc_cache *c, const struct dmsc_config *config, struct ssdc_params *params,
			struct ssdc_error *error)
{
	struct dmsc_shard *s;

	if (ssdc_params_check(params, error) || ssdc_shards_check(params, config->nr_shards, error))
		return false;
	ssdc_shards_divide(params, config->nr_shards);
	params->dram_bytes = min(params->dram_bytes, MAX_FRAMES * params->page_bytes);
	c->shards = xcalloc(config->nr_shards, sizeof(*c->shards));
	c->nr_shards = config->nr_shards;
	c->region_shift = ilog2(SSDC_REGION_SECTORS);
	dmsc_for_each_shard(s, c) {
		s->cache = c;
		params->shard = s - c->shards;
		s->engine = ssdc_engine_create(params, error);
		if (!s->engine)
			return false;
		ssdc_tunables_changed(s->engine, now_ns);
	}
	return true;
}

/* As create_engines() in target.c does. */
static bool make_engines(struct dmsc_cache *c, const struct dmsc_config *config, struct ssdc_params *params,
			 struct ssdc_error *error)
{
	unsigned int kind;

	if (dmsc_pin_types(params, error))
		return false;
	if (make_shards(c, config, params, error))
		return true;
	destroy_engines(c);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++)
		dmsc_unpin_spec(kind, ssdc_params_spec(params, kind));
	return false;
}

/* Make what a table line describes. On failure, the caller destroys @c, too. */
static bool make(struct dmsc_cache *c, const struct dmsc_config *config)
{
	struct ssdc_params params = config->params;
	struct ssdc_error error = {};

	dmsc_auto_init(c);
	params.origin_sectors = ORIGIN_SECTORS;
	if (!dmsc_auto_prepare(c, &params, &error) && make_engines(c, config, &params, &error) &&
	    !dmsc_auto_start(c, &error))
		return true;
	if (!error.text[0])
		fuzz_wrong("params refused without a reason");
	return false;
}

static int parse(struct dmsc_config *config, char *line)
{
	struct ssdc_error error = {};
	char *words[MAX_WORDS];
	int r = dmsc_table_parse(config, fuzz_words(line, words, MAX_WORDS), words, &error);

	if (r && !error.text[0])
		fuzz_wrong("a table refused without a reason");
	return r;
}

/* A cache made from the printed table line prints the same. */
static void check_table(struct dmsc_cache *c)
{
	struct dmsc_cache again = { .ti = c->ti, .origin = c->origin };
	char line[LINE_BYTES], words[LINE_BYTES], second[LINE_BYTES];
	struct dmsc_config config;

	print(c, line);
	strcpy(words, line);
	if (parse(&config, words))
		fuzz_wrong("the printed table is refused: %s", line);
	if (!make(&again, &config))
		fuzz_wrong("the printed table makes no engine: %s", line);
	print(&again, second);
	if (strcmp(line, second))
		fuzz_wrong("printed again, the table differs: %s | %s", line, second);
	destroy(&again);
}

static char *trim(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* As row_store() in sysfs-node.c and the files of sysfs.c do. */
static int store(struct dmsc_cache *c, char *line)
{
	size_t len = strcspn(line, " ");
	struct ssdc_error error = { .text = "too long" };
	char *value = line + len;
	unsigned int kind;

	if (*value)
		*value++ = '\0';
	if (strlen(value) > SSDC_SPEC_LEN)
		return dmsc_refuse(c, &error);
	value = trim(value);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		if (!strcmp(line, ssdc_kind_name(kind))) {
			if (!dmsc_auto_load_types(kind, value))
				dmsc_load_type(kind, value);
			return dmsc_set_plugin(c, kind, value);
		}
	}
	return strcmp(line, "actions") ? dmsc_set(c, line, value) : dmsc_run_action(c, value);
}

static int message(struct dmsc_cache *c, char *line)
{
	char *words[MAX_WORDS], result[256];
	unsigned int nr = fuzz_words(line, words, MAX_WORDS);

	return nr ? dmsc_message(c, nr, words, result, sizeof(result)) : 0;
}

/* The length of a spec in a table line, and where it is; 0: the default. */
static int spec_in(const char *table, unsigned int kind, const char **at)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", ssdc_kind_name(kind));
	*at = strstr(table, word);
	*at = *at ? *at + strlen(word) : "";
	return strcspn(*at, " ");
}

/* A change of one plug-in leaves the others as they are in the table. */
static void check_others(const char *name, const char *before, const char *after)
{
	const char *a, *b;
	unsigned int kind;
	int len;

	for (kind = 0; kind < SSDC_NR_KINDS && strcasecmp(name, ssdc_kind_name(kind)); kind++)
		;
	if (kind == SSDC_NR_KINDS)
		return;
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		len = spec_in(before, kind, &a);
		if (strcasecmp(name, ssdc_kind_name(kind)) &&
		    (spec_in(after, kind, &b) != len || strncmp(a, b, len)))
			fuzz_wrong("a change of %s changes another plug-in: %s | %s", name, before, after);
	}
}

static void change(struct dmsc_cache *c, char *line)
{
	char before[LINE_BYTES], after[LINE_BYTES];
	bool chooses = dmsc_auto_of(c);
	int r;

	print(c, before);
	c->last_error.text[0] = '\0';
	r = *line == '@' ? store(c, line + 1) : message(c, line);
	print(c, after);
	if (r < 0 && !c->last_error.text[0])
		fuzz_wrong("error %d without a reason", r);
	if (r < 0 && strcmp(before, after))
		fuzz_wrong("a refused change took effect: %s | %s", before, after);
	/* At the end of a choice, the scheme that a candidate has named stays. */
	if (!chooses || dmsc_auto_of(c))
		check_others(line + (*line == '@'), before, after);
	dmsc_status_print(c, after, sizeof(after));
}

static void suspend_or_resume(void)
{
	suspended = !suspended;
	if (suspended)
		dmsc_auto_suspend(cache);
	else
		dmsc_auto_resume(cache);
}

static struct dmsc_cache *alloc_cache(struct dm_target *ti, struct dm_dev *origin)
{
	struct dmsc_cache *c = xcalloc(1, sizeof(*c));

	c->ti = ti;
	c->origin = origin;
	return c;
}

static void adopt(struct dmsc_cache *c)
{
	struct dmsc_shard *s;

	dmsc_for_each_shard(s, c)
		s->cache = c;
}

/* As exchange() in takeover.c does. */
static void exchange(struct dmsc_cache *c, struct dmsc_cache *old)
{
	mutex_lock(&old->control);
	mutex_lock(&c->control);
	swap(c->shards, old->shards);
	swap(c->nr_shards, old->nr_shards);
	swap(c->numa, old->numa);
	adopt(c);
	adopt(old);
	dmsc_auto_exchange(c, old);
	mutex_unlock(&c->control);
	mutex_unlock(&old->control);
}

/* The same table is loaded again. */
static void take_over(void)
{
	struct dmsc_cache *old = cache, *c = alloc_cache(old->ti, old->origin);
	struct dmsc_config config;
	char line[LINE_BYTES];

	print(old, line);
	if (parse(&config, line))
		fuzz_wrong("the printed table is refused: %s", line);
	if (make(c, &config)) {
		dmsc_auto_suspend(old);
		exchange(c, old);
		dmsc_auto_resume(c);
		suspended = false;
		cache = c;
		c = old;
	}
	destroy(c);
	free(c);
}

static void one_line(char *line)
{
	switch (*line) {
	case '#':
		if (!suspended)
			requests(cache, line + 1);
		break;
	case '+':
		load_module(line + 1);
		break;
	case '-':
		begin_unload();
		break;
	case '=':
		suspend_or_resume();
		break;
	case '>':
		take_over();
		break;
	default:
		change(cache, line);
	}
}

/* Take "!N" off the start of a line. */
static char *take_failure(char *line)
{
	if (*line == '!')
		ssdc_shim_fail_alloc = strtoul(line + 1, &line, 10);
	return line;
}

static void use(struct fuzz_bytes *bytes)
{
	char *line;

	while ((line = fuzz_line(bytes))) {
		bool waits = *line == '&', going = own_module.going;

		one_line(take_failure(line + waits));
		if (!waits)
			run_shadows();
		ssdc_shim_fail_alloc = 0;
		if (going)
			end_unload();
		dms_node_update(&cache->sysfs);
		sysfs_files_read(&cache->sysfs);
		check(cache);
		free(line);
	}
	end_unload();
	check_table(cache);
}

/* Is the origin of the table line a flash device? */
static bool is_flash(const struct dmsc_config *config)
{
	struct ssdc_error error;

	return !ssdf_params_parse(&flash, config->origin, &error) &&
	       !ssdf_params_check(&flash, ORIGIN_SECTORS, &error);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	static struct dm_dev origin = { .name = "253:0" };
	static struct dm_target ti;
	struct fuzz_bytes bytes = { data, size };
	char *line = fuzz_line(&bytes);
	struct dmsc_config config;
	bool made;

	now_ns = 1000000000;
	suspended = false;
	if (!line)
		return;
	cache = alloc_cache(&ti, &origin);
	if (!parse(&config, take_failure(line))) {
		origin.bdev = is_flash(&config) ? (struct block_device *)&flash : NULL;
		made = make(cache, &config);
		ssdc_shim_fail_alloc = 0;
		if (made) {
			dmsc_auto_resume(cache);
			check_table(cache);
			use(&bytes);
		}
		destroy(cache);
	}
	ssdc_shim_fail_alloc = 0;
	free(line);
	free(cache);
	check_modules();
	fuzz_check_memory();
}

void fuzz_after(void)
{
}
