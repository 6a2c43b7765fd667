// SPDX-License-Identifier: GPL-2.0
/*
 * --log-decisions: the calls of the replacement policy and its answers, one line each, for comparison
 * with a reference:
 *
 *	I PAGE	insert		E PAGE	evicted		C PAGE	clean now
 *	H PAGE	hit		F PAGE	early flush	R PAGE	removed
 *
 * A wrapper of the policy's type writes the log; neither the engine nor the policy notices.
 */
#include <errno.h>
#include <string.h>
#include "decisions.h"

static struct ssdc_replacement_type between;
static const struct ssdc_replacement_type *real;
static FILE *out;

static void log_page(const struct ssdc_replacement *r, char what, ssdc_frame_t frame)
{
	fprintf(out, "%c %llu\n", what, ssdc_page_nr(ssdc_replacement_entry(r, frame)->page));
}

static void log_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	log_page(r, 'I', frame);
	real->insert(r, frame, rq, dirty);
}

static void log_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	log_page(r, 'H', frame);
	if (real->hit)
		real->hit(r, frame, rq, write);
}

static void log_clean(struct ssdc_replacement *r, ssdc_frame_t frame,
		      enum ssdc_flush_reason reason)
{
	log_page(r, 'C', frame);
	if (real->clean)
		real->clean(r, frame, reason);
}

static void log_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	log_page(r, 'R', frame);
	real->remove(r, frame);
}

static void log_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			struct ssdc_batch *batch, unsigned int max)
{
	unsigned int i = batch->nr;

	real->victims(r, view, batch, max);
	for (; i < batch->nr; i++)
		log_page(r, 'E', batch->frames[i]);
}

static bool log_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		      struct ssdc_batch *batch, unsigned int max)
{
	unsigned int i = batch->nr;
	bool more = real->early(r, view, batch, max);

	for (; i < batch->nr; i++)
		log_page(r, 'F', batch->frames[i]);
	return more;
}

/**
 * sim_decisions_open() - log the decisions of an engine's policy from now on
 * @e: engine
 * @name: name of the file
 */
void sim_decisions_open(struct ssdc_engine *e, const char *name)
{
	out = fopen(name, "w");
	if (!out)
		die(TOOL_FAILED, "%s: %s", name, strerror(errno));
	real = ssdc_replacement_ops(e->replacement);
	between = *real;
	between.insert = log_insert;
	between.hit = log_hit;
	between.clean = log_clean;
	between.remove = log_remove;
	between.victims = log_victims;
	if (real->early)
		between.early = log_early;
	e->replacement->plugin.type = &between.plugin;
}

void sim_decisions_close(const char *name)
{
	close_file(out, name);
}
