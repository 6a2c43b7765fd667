// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "model.h"
#include "sector-map.h"

#define UNDER_WAY U64_MAX

struct change {
	u64 value;
	u64 start;
	u64 end;
	enum sim_end how;
	bool discard;
};

/* The changes of a sector that some request may still see, and some older ones, in the order of their starts. */
struct history {
	struct change *changes;
	u32 nr;
	u32 room;
};

struct sim_model {
	struct sector_map sectors;	/* -> index + 1 in histories */
	struct history *histories;
	size_t nr;
	size_t room;
	u64 clock;
	struct list_head ops;
};

struct sim_model *sim_model_create(void)
{
	struct sim_model *model = xcalloc(1, sizeof(*model));

	INIT_LIST_HEAD(&model->ops);
	return model;
}

void sim_model_destroy(struct sim_model *model)
{
	size_t i;

	if (!model)
		return;
	for (i = 0; i < model->nr; i++)
		free(model->histories[i].changes);
	free(model->histories);
	sector_map_free(&model->sectors);
	free(model);
}

u64 sim_model_time(const struct sim_model *model)
{
	return model->clock;
}

void sim_op_begin(struct sim_model *model, struct sim_op *op)
{
	op->start = ++model->clock;
	list_add_tail(&op->node, &model->ops);
}

void sim_op_end(struct sim_model *model, struct sim_op *op)
{
	(void)model;
	list_del(&op->node);
}

/*
 * A request that began at @start must see something newer than a change that had ended before this time: the last start of the changes
 * that were complete when the request began. 0: there are none.
 */
static u64 outdated_before(const struct history *history, u64 start)
{
	u64 last = 0;
	u32 i;

	for (i = 0; i < history->nr; i++) {
		const struct change *change = &history->changes[i];

		if (change->how == SIM_ACKED && change->end < start)
			last = max(last, change->start);
	}
	return last;
}

/* Forget changes that no request may see any more. */
static void prune(const struct sim_model *model, struct history *history)
{
	u64 oldest = model->clock + 1, before;
	u32 i, kept = 0;

	if (!list_empty(&model->ops))
		oldest = list_first_entry(&model->ops, struct sim_op, node)->start;
	/* The change that outdates most others is outdated by none, and stays. */
	before = outdated_before(history, oldest);
	for (i = 0; i < history->nr; i++)
		if (history->changes[i].end >= before)
			history->changes[kept++] = history->changes[i];
	history->nr = kept;
}

/* The room of a history grows if many changes are left. So each change costs few steps, however many requests are in flight. */
static void make_room(const struct sim_model *model, struct history *history)
{
	prune(model, history);
	if (history->room && 2 * history->nr <= history->room)
		return;
	history->room = history->room ? 2 * history->room : 2;
	history->changes = xrealloc(history->changes, history->room, sizeof(*history->changes));
}

/* A change starts, later than all others. */
static void add(const struct sim_model *model, struct history *history, const struct change *change)
{
	if (history->nr == history->room)
		make_room(model, history);
	history->changes[history->nr++] = *change;
}

/* The index of the first change that started at @start or later. */
static u32 first_from(const struct history *history, u64 start)
{
	u32 low = 0, high = history->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (history->changes[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct history *history_of(struct sim_model *model, u64 sector)
{
	static const struct change nothing = { 0, 0, 0, SIM_ACKED, false };
	u64 *index = sector_map_at(&model->sectors, sector);
	struct history *history;

	if (*index)
		return &model->histories[*index - 1];
	if (model->nr == model->room) {
		model->room = model->room ? 2 * model->room : 1024;
		model->histories = xrealloc(model->histories, model->room, sizeof(*history));
	}
	history = &model->histories[model->nr++];
	*index = model->nr;
	memset(history, 0, sizeof(*history));
	add(model, history, &nothing);
	return history;
}

/**
 * sim_model_change() - a write or discard begins
 * @model: model
 * @op: the request, which began after all whose changes the model knows
 * @sector: start
 * @nr: length
 * @value: new value of the sectors; 0: discarded
 */
void sim_model_change(struct sim_model *model, const struct sim_op *op, u64 sector, u64 nr,
		      u64 value)
{
	struct change change = { value, op->start, UNDER_WAY, SIM_LOST, !value };

	for (; nr; sector++, nr--)
		add(model, history_of(model, sector), &change);
}

/**
 * sim_model_changed() - a write or discard ends
 * @model: model
 * @op: the request
 * @sector: start
 * @nr: length
 * @end: how
 */
void sim_model_changed(struct sim_model *model, const struct sim_op *op, u64 sector, u64 nr,
		       enum sim_end end)
{
	u64 now = ++model->clock;
	u32 i;

	for (; nr; sector++, nr--) {
		struct history *history = history_of(model, sector);

		for (i = first_from(history, op->start); i < history->nr && history->changes[i].start == op->start; i++) {
			history->changes[i].end = now;
			history->changes[i].how = end;
		}
	}
}

/**
 * sim_model_allows() - may a request that ends now see a value in a sector?
 * @model: model
 * @sector: which
 * @value: the value seen
 * @start: start of the request
 */
bool sim_model_allows(const struct sim_model *model, u64 sector, u64 value, u64 start)
{
	u64 index = sector_map_get(&model->sectors, sector);
	const struct history *history;
	u64 before;
	u32 i;

	if (!index)
		return !value;
	history = &model->histories[index - 1];
	before = outdated_before(history, start);
	for (i = 0; i < history->nr; i++) {
		const struct change *change = &history->changes[i];

		if (change->discard && change->end > start)
			return true;
		if ((change->value == value || change->how == SIM_UNKNOWN) && change->end >= before)
			return true;
	}
	return false;
}

/**
 * sim_model_since() - does a value come from a change that had not ended at a time?
 * @model: model
 * @sector: which
 * @value: the value seen
 * @start: the time; not before the start of the oldest request in flight
 */
bool sim_model_since(const struct sim_model *model, u64 sector, u64 value, u64 start)
{
	u64 index = sector_map_get(&model->sectors, sector);
	const struct history *history = index ? &model->histories[index - 1] : NULL;
	u32 i;

	for (i = 0; history && i < history->nr; i++) {
		const struct change *change = &history->changes[i];

		if (change->end > start && (change->value == value || change->discard))
			return true;
	}
	return false;
}

void sim_model_each(const struct sim_model *model, bool (*visit)(void *data, u64 sector),
		    void *data)
{
	sector_map_each(&model->sectors, visit, data);
}
