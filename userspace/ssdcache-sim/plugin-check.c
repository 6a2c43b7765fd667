// SPDX-License-Identifier: GPL-2.0
/*
 * --verify of a replacement policy from a shared object: are its answers what policy-api/replacement.h asks for?
 *
 * The engine trusts the frames that a policy names; a wrong one would overwrite memory, or make requests wait for ever. So the ops
 * of the policy's type are replaced by checks, which call the policy and end the program, with the policy's name and the rule,
 * before the engine uses a wrong answer.
 */
#include <linux/bitops.h>
#include <stdlib.h>
#include "plugin-check.h"
#include "sim.h"

/* A batch with room for a policy that names more frames than it may: many policies append whole groups. */
#define ROOM_BEYOND (1u << 16)

/* A search of early() looks at a page in each call at least. One that is interrupted begins again, but not so often. */
#define MAX_SEARCH 1000000u

/**
 * struct checked - an instance
 * @next: the next one
 * @r: the instance
 * @real: its type's own ops
 * @held: a bit for each frame whose page belongs to the policy
 * @entered: pages that have entered since the last check()
 * @searched: calls of early() in a row that named no frame and asked for another call
 */
struct checked {
	struct checked *next;
	const struct ssdc_replacement *r;
	const struct ssdc_replacement_type *real;
	unsigned long *held;
	u32 entered;
	u32 searched;
};

/* A type whose ops are replaced. */
struct type {
	struct type *next;
	const struct ssdc_replacement_type *patched;
	struct ssdc_replacement_type real;
};

static struct type *types;
static struct checked *instances;

static struct checked *find(const struct ssdc_replacement *r)
{
	struct checked *c = instances;

	while (c->r != r)
		c = c->next;
	return c;
}

static const char *name_of(const struct checked *c)
{
	return c->real->plugin.info.name;
}

#define broken(c, format, ...) die(TOOL_FAILED, "--verify: %s: " format, name_of(c), __VA_ARGS__)

static bool holds(const struct checked *c, ssdc_frame_t frame)
{
	return ssdc_frame_nr(frame) < c->r->nr_frames && test_bit(ssdc_frame_nr(frame), c->held);
}

static void enter(struct checked *c, ssdc_frame_t frame, const char *op)
{
	struct ssdc_error finding;

	__set_bit(ssdc_frame_nr(frame), c->held);
	/* check() looks at all pages: this is one look for each page that enters. */
	if (++c->entered < c->r->pages)
		return;
	c->entered = 0;
	if (c->real->check(c->r, &finding))
		broken(c, "wrong after %s() of frame %u: %s", op, ssdc_frame_nr(frame), finding.text);
}

static void leave(struct checked *c, ssdc_frame_t frame)
{
	__clear_bit(ssdc_frame_nr(frame), c->held);
}

static int check_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	struct type *type = types;
	struct checked *c;
	int result;

	while (&type->patched->plugin != r->plugin.type)
		type = type->next;
	result = type->real.create ? type->real.create(r, error) : 0;
	if (result)
		return result;
	c = xcalloc(1, sizeof(*c));
	c->r = r;
	c->real = &type->real;
	c->held = xcalloc(BITS_TO_LONGS(r->nr_frames), sizeof(*c->held));
	c->next = instances;
	instances = c;
	return 0;
}

static void check_destroy(struct ssdc_replacement *r)
{
	struct checked *c = find(r), **at = &instances;

	if (c->real->destroy)
		c->real->destroy(r);
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c->held);
	free(c);
}

static void check_insert(struct ssdc_replacement *r, ssdc_frame_t frame, const struct ssdc_host_request *rq, bool dirty)
{
	struct checked *c = find(r);

	c->real->insert(r, frame, rq, dirty);
	enter(c, frame, "insert");
}

static void check_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct checked *c = find(r);

	c->real->adopt(r, frame);
	enter(c, frame, "adopt");
}

static void check_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	struct checked *c = find(r);

	c->real->remove(r, frame);
	leave(c, frame);
}

static ssdc_frame_t check_pop_hottest(struct ssdc_replacement *r)
{
	struct checked *c = find(r);
	ssdc_frame_t frame = c->real->pop_hottest(r);

	if (frame == SSDC_NO_FRAME && r->pages)
		broken(c, "pop_hottest() named no frame, and the policy has %u pages", r->pages);
	if (frame == SSDC_NO_FRAME)
		return frame;
	if (!holds(c, frame))
		broken(c, "pop_hottest() named frame %u, which is not one of its pages", ssdc_frame_nr(frame));
	leave(c, frame);
	return frame;
}

/* A copy of a batch, with room for more frames than the policy may name. */
struct wide {
	struct ssdc_batch batch;
	ssdc_frame_t beyond[ROOM_BEYOND];
};

static struct wide *widened(const struct ssdc_batch *batch)
{
	static struct wide wide;

	wide.batch = *batch;
	return &wide;
}

/* The frames from @from on that @op has named. */
static void check_named(const struct checked *c, const char *op, const struct ssdc_batch *batch, unsigned int from,
			unsigned int max)
{
	unsigned int i, j;

	if (batch->nr < from || batch->nr - from > max)
		broken(c, "%s() named %d frames; at most %u are allowed", op, (int)(batch->nr - from), max);
	for (i = from; i < batch->nr; i++) {
		u32 frame = ssdc_frame_nr(batch->frames[i]);

		for (j = from; j < i; j++)
			if (batch->frames[j] == batch->frames[i])
				broken(c, "%s() named frame %u twice", op, frame);
		if (!holds(c, batch->frames[i]))
			broken(c, "%s() named frame %u, which is not one of its pages", op, frame);
	}
}

/* A padded batch has pages of one aligned block, in ascending order. */
static void check_padding(const struct checked *c, const struct ssdc_batch *batch)
{
	const struct ssdc_entry *entries = c->r->entries;
	u64 page, before = 0;
	unsigned int i;

	if (!batch->pad_pages)
		return;
	if (batch->pad_pages < 2 || batch->pad_pages > SSDC_BATCH_FRAMES)
		broken(c, "victims() asked for padding of %u pages; 2 to %u are allowed", batch->pad_pages, SSDC_BATCH_FRAMES);
	for (i = 0; i < batch->nr; i++, before = page) {
		page = ssdc_page_nr(entries[ssdc_frame_nr(batch->frames[i])].page);
		if (i && (page <= before || page / batch->pad_pages != before / batch->pad_pages))
			broken(c, "victims() asked for padding, and page %llu is not behind page %llu in one block of %u", page, before,
			       batch->pad_pages);
	}
}

static void check_victims(struct ssdc_replacement *r, const struct ssdc_view *view, struct ssdc_batch *batch, unsigned int max)
{
	struct ssdc_batch *named = &widened(batch)->batch;
	struct checked *c = find(r);
	unsigned int i, from = batch->nr;

	c->real->victims(r, view, named, max);
	check_named(c, "victims", named, from, max);
	if (named->nr == from && r->pages)
		broken(c, "victims() named no frame, and the policy has %u pages", r->pages);
	check_padding(c, named);
	for (i = from; i < named->nr; i++)
		leave(c, named->frames[i]);
	*batch = *named;
}

static bool check_early(struct ssdc_replacement *r, const struct ssdc_view *view, struct ssdc_batch *batch, unsigned int max)
{
	struct ssdc_batch *named = &widened(batch)->batch;
	struct checked *c = find(r);
	unsigned int i, from = batch->nr;
	bool more = c->real->early(r, view, named, max);

	check_named(c, "early", named, from, max);
	for (i = from; i < named->nr; i++)
		if (!(ssdc_replacement_entry(r, named->frames[i])->flags & SSDC_E_DIRTY))
			broken(c, "early() named frame %u, which is clean", ssdc_frame_nr(named->frames[i]));
	c->searched = (more || named->goes_on) && named->nr == from ? c->searched + 1 : 0;
	if (c->searched > MAX_SEARCH)
		broken(c, "early() asked to be called again %u times in a row and named no frame", MAX_SEARCH);
	*batch = *named;
	return more;
}

/**
 * sim_plugin_check() - check the answers of a type's instances from now on; a wrong one ends the program
 * @type: registered, and without instances; its ops are replaced
 *
 * A type may be given more than once.
 */
void sim_plugin_check(struct ssdc_replacement_type *type)
{
	struct type *checked;

	for (checked = types; checked; checked = checked->next)
		if (checked->patched == type)
			return;
	checked = xcalloc(1, sizeof(*checked));
	checked->patched = type;
	checked->real = *type;
	checked->next = types;
	types = checked;
	type->create = check_create;
	type->destroy = check_destroy;
	type->insert = check_insert;
	type->adopt = check_adopt;
	type->remove = check_remove;
	type->pop_hottest = check_pop_hottest;
	type->victims = check_victims;
	if (type->early)
		type->early = check_early;
}
