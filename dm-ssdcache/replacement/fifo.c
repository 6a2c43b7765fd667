// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO: the page that entered first leaves first; hits change nothing.
 *
 * Source	textbook
 * Cost		O(1) per access, no memory beyond struct ssdc_entry
 *
 *	insert -> head [ A B C ... ] tail -> victim
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../policy-api/replacement.h"

struct fifo {
	struct ssdc_replacement r;
	struct ssdc_list list;
};

static int fifo_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&container_of(r, struct fifo, r)->list);
	return 0;
}

static void fifo_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &container_of(r, struct fifo, r)->list, frame);
}

static void fifo_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &container_of(r, struct fifo, r)->list, frame);
}

static void fifo_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	struct fifo *fifo = container_of(r, struct fifo, r);

	if (!ssdc_list_empty(&fifo->list))
		ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, &fifo->list));
}

static void fifo_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &container_of(r, struct fifo, r)->list, frame);
}

static ssdc_frame_t fifo_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &container_of(r, struct fifo, r)->list);
}

static int fifo_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	static const char *const names[] = { "fifo" };

	return ssdc_lists_check(r, &container_of(r, struct fifo, r)->list, names, 1, finding);
}

static const struct ssdc_stat fifo_stats[] = {
	SSDC_STAT(struct fifo, list.count, "fifo_list", "pages", SSDC_GAUGE, "pages on the list"),
};

struct ssdc_replacement_type ssdc_fifo = {
	.plugin = {
		.kind = SSDC_REPLACEMENT,
		.info = {
			.name = "fifo",
			.source = "textbook",
			.status = "as published",
			.doc = "oldest page first, whatever has been used since",
			.stats = fifo_stats,
			.nr_stats = ARRAY_SIZE(fifo_stats),
			.instance_bytes = sizeof(struct fifo),
		},
	},
	.create = fifo_create,
	.insert = fifo_insert,
	.remove = fifo_remove,
	.no_view = true,
	.victims = fifo_victims,
	.adopt = fifo_adopt,
	.pop_hottest = fifo_pop_hottest,
	.check = fifo_check,
};
