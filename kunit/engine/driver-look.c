// SPDX-License-Identifier: GPL-2.0
/* What a test looks at, and what it sets. */
#include <linux/string.h>
#include "driver.h"

void td_expect_flush(struct td *td, unsigned int index, u64 page,
		     enum ssdc_flush_reason reason)
{
	const struct ssdc_io *io = &td->ios[index].io;

	KUNIT_ASSERT_LT(td->test, index, td->nr_ios);
	KUNIT_EXPECT_TRUE(td->test, io->write);
	KUNIT_EXPECT_EQ(td->test, io->sector, page * TD_PAGE_SECTORS);
	KUNIT_EXPECT_EQ(td->test, io->reason, reason);
}

void td_expect_fill(struct td *td, unsigned int index, u64 page)
{
	const struct ssdc_io *io = &td->ios[index].io;

	KUNIT_ASSERT_LT(td->test, index, td->nr_ios);
	KUNIT_EXPECT_FALSE(td->test, io->write);
	KUNIT_EXPECT_EQ(td->test, io->sector, page * TD_PAGE_SECTORS);
}

static char *text_start(struct td *td)
{
	char *text = td->text[td->text_turn++ % ARRAY_SIZE(td->text)];

	text[0] = '\0';
	return text;
}

static int text_page(const struct td *td, char *text, int at, ssdc_frame_t frame, bool count)
{
	const struct ssdc_entry *entry = ssdc_entry_at(td->e, frame);
	u64 page = ssdc_page_nr(entry->page);

	at += scnprintf(text + at, TD_TEXT - at, "%s", at ? " " : "");
	if (page < 26)
		at += scnprintf(text + at, TD_TEXT - at, "%c", 'A' + (int)page);
	else
		at += scnprintf(text + at, TD_TEXT - at, "%llu", page);
	if (count)
		at += scnprintf(text + at, TD_TEXT - at, "%u", entry->weight & ~(1u << 31));
	return at;
}

static const char *list_text(struct td *td, u8 list, bool count)
{
	char *text = text_start(td);
	ssdc_frame_t frame;
	int at = 0;
	u32 i;

	for (i = 0; i < td->e->tier.nr_frames; i++) {
		const struct ssdc_entry *entry = &td->e->entries[i];

		if ((entry->flags & SSDC_E_POLICY) && entry->list == list &&
		    entry->prev == SSDC_NO_FRAME && !ssdc_entry_is_old(td->e, entry))
			break;
	}
	if (i == td->e->tier.nr_frames)
		return text;
	for (frame = ssdc_frame(i); frame != SSDC_NO_FRAME;
	     frame = ssdc_entry_at(td->e, frame)->next)
		at = text_page(td, text, at, frame, count);
	return text;
}

const char *td_list(struct td *td, u8 list)
{
	return list_text(td, list, false);
}

const char *td_counted(struct td *td, u8 list)
{
	return list_text(td, list, true);
}

static const char *drain(struct td *td, const char *separator)
{
	struct ssdc_batch *batch = &td->e->batch;
	char *text = text_start(td);
	unsigned int i;
	int at = 0;

	for (;;) {
		batch->nr = 0;
		ssdc_policy_victims(td->e, batch);
		if (!batch->nr)
			return text;
		at += scnprintf(text + at, TD_TEXT - at, "%s", at ? separator : "");
		for (i = 0; i < batch->nr; i++)
			at = text_page(td, text, at, batch->frames[i], false);
	}
}

const char *td_drain(struct td *td)
{
	return drain(td, "");
}

const char *td_batches(struct td *td)
{
	return drain(td, " |");
}

static bool device_view(void *data, struct ssdc_view *view)
{
	const struct td_device *device = data;
	u32 i;

	view->source = SSDC_VIEW_EXACT;
	view->channels = device->nr;
	view->dies = 1;
	view->units = device->nr;
	view->idle_units = 0;
	view->queued = 0;
	for (i = 0; i < device->nr; i++) {
		view->idle_units += !device->depth[i];
		view->queued += device->depth[i];
	}
	view->idle_channels = view->idle_units;
	view->utilisation = (view->units - view->idle_units) * 1000 / view->units;
	view->stripe_sectors = device->stripe_sectors;
	view->collects = device->collects;
	return true;
}

static u32 least_depth(const struct td_device *device)
{
	u32 least = device->depth[0], i;

	for (i = 1; i < device->nr; i++)
		least = min(least, device->depth[i]);
	return least;
}

static bool device_ask_units(void *data, struct ssdc_unit_query *queries, unsigned int nr)
{
	const struct td_device *device = data;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u32 unit = (u32)(queries[i].sector / TD_PAGE_SECTORS) % device->nr;
		bool any = queries[i].write && device->dynamic;

		queries[i].unit = any ? SSDC_ANY_UNIT : unit;
		queries[i].depth = any ? least_depth(device) : device->depth[unit];
		queries[i].gc = !any && device->gc[unit];
	}
	return true;
}

static const struct ssdc_device_ops device_ops = {
	.view = device_view,
	.ask_units = device_ask_units,
};

void td_set_device(struct td *td, struct td_device *device)
{
	ssdc_set_device(td->e, &device_ops, device);
}

const char *td_not_one_of(struct kunit *test, enum ssdc_kind kind, const char *word)
{
	char *text = kunit_kzalloc(test, SSDC_ERROR_LEN, GFP_KERNEL);
	const struct ssdc_plugin_type *type = NULL;
	int at;

	KUNIT_ASSERT_NOT_NULL(test, text);
	at = scnprintf(text, SSDC_ERROR_LEN, "%s: \"%.*s\" is not one of", ssdc_kind_name(kind),
		       (int)strcspn(word, ":"), word);
	while ((type = ssdc_type_next(kind, type)))
		at += scnprintf(text + at, SSDC_ERROR_LEN - at, " %s", type->info.name);
	return text;
}

static u64 row_of(struct kunit *test, const struct ssdc_stat *table, unsigned int nr,
		  const void *base, const char *name, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(table[i].name, name) && index < ssdc_stat_count(&table[i]))
			return ssdc_stat_read_at(&table[i], base, index);
	KUNIT_FAIL(test, "no statistic %s", name);
	return 0;
}

static u64 stat_of(struct kunit *test, const struct ssdc_stat *table, unsigned int nr,
		   const void *base, const char *name)
{
	return row_of(test, table, nr, base, name, 0);
}

u64 td_core_stat(const struct td *td, const char *name)
{
	return stat_of(td->test, ssdc_core_stat_table, ssdc_nr_core_stats, td->e, name);
}

u64 td_policy_stat(const struct td *td, const char *name)
{
	const struct ssdc_plugin_info *info = &td->e->replacement->plugin.type->info;

	return stat_of(td->test, info->stats, info->nr_stats, td->e->replacement, name);
}

u64 td_admission_row(const struct td *td, const char *name, unsigned int i)
{
	const struct ssdc_plugin_info *info = &td->e->admission->plugin.type->info;

	return row_of(td->test, info->stats, info->nr_stats, td->e->admission, name, i);
}

u64 td_admission_stat(const struct td *td, const char *name)
{
	return td_admission_row(td, name, 0);
}

u64 td_prefetch_stat(const struct td *td, const char *name)
{
	const struct ssdc_plugin_info *info = &td->e->prefetch->plugin.type->info;

	return row_of(td->test, info->stats, info->nr_stats, td->e->prefetch, name, 0);
}

/* Set a tunable of the first plug-in that has it. */
void td_set(struct td *td, const char *key, const char *value)
{
	const struct ssdc_tunable *tunable = NULL;
	struct ssdc_plugin *plugin = NULL;
	struct ssdc_error error = {};
	unsigned int kind;
	int ret;

	for (kind = 0; kind < SSDC_NR_KINDS && !tunable; kind++) {
		plugin = ssdc_current_plugin(td->e, kind);
		tunable = ssdc_tunable_find(plugin->type->info.tunables,
					    plugin->type->info.nr_tunables, key, strlen(key));
	}
	KUNIT_ASSERT_NOT_NULL(td->test, tunable);
	ret = ssdc_tunable_parse(tunable, value, strlen(value), ssdc_tunable_at(tunable, plugin),
				 &error);
	KUNIT_ASSERT_EQ_MSG(td->test, ret, 0, "%s", error.text);
	ssdc_plugin_tuned(plugin);
}

struct ssdc_entry *td_entry(struct td *td, u64 page)
{
	ssdc_frame_t frame = ssdc_lookup(td->e, ssdc_page(page));

	KUNIT_ASSERT_TRUE_MSG(td->test, frame != SSDC_NO_FRAME, "page %llu is not cached", page);
	return ssdc_entry_at(td->e, frame);
}

bool td_cached(const struct td *td, u64 page)
{
	return ssdc_lookup(td->e, ssdc_page(page)) != SSDC_NO_FRAME;
}

bool td_dirty(const struct td *td, u64 page)
{
	ssdc_frame_t frame = ssdc_lookup(td->e, ssdc_page(page));

	return frame != SSDC_NO_FRAME && (ssdc_entry_at(td->e, frame)->flags & SSDC_E_DIRTY);
}
