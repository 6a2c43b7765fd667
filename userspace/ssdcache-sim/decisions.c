// SPDX-License-Identifier: GPL-2.0
/*
 * --log-decisions: the calls of the replacement policy and its answers, one line each, for comparison
 * with a reference:
 *
 *	Q ID OP SECTOR SECTORS	a host request: R or W, first sector, length
 *	H PAGE ID		request ID found the page: a hit; not of a prefetched page, which is not the policy's
 *	I PAGE ID		the page enters, written by request ID; -: it was read, or returns dirty
 *	B PAGES			an answer to the call for victims, which follow
 *	E PAGE			a victim
 *	P PAGES			an answer to the call for pages to flush early, which follow
 *	F PAGE			one of these
 *	C PAGE			the page was flushed and stays
 *	R PAGE			the page leaves for another reason
 *
 * A wrapper of the policy's type writes the log; neither the engine nor the policy notices.
 */
#include "../../dm-ssdcache/engine/switch.h"
#include "decisions.h"
#include "rows.h"

static struct ssdc_replacement_type between;
static const struct ssdc_replacement_type *real;
static struct rows *log_rows;
static FILE *out;

static void log_page(const struct ssdc_replacement *r, char what, ssdc_frame_t frame)
{
	fprintf(out, "%c %llu\n", what, ssdc_page_nr(ssdc_replacement_entry(r, frame)->page));
	rows_end(log_rows);
}

static void log_use(const struct ssdc_replacement *r, char what, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq)
{
	fprintf(out, "%c %llu ", what, ssdc_page_nr(ssdc_replacement_entry(r, frame)->page));
	if (rq)
		fprintf(out, "%llu\n", rq->id);
	else
		fputs("-\n", out);
	rows_end(log_rows);
}

/* The frames of a batch from @from on, if there are any. */
static void log_batch(const struct ssdc_replacement *r, const char *what,
		      const struct ssdc_batch *batch, unsigned int from)
{
	if (batch->nr > from)
		fprintf(out, "%c %u\n", what[0], batch->nr - from);
	for (; from < batch->nr; from++)
		log_page(r, what[1], batch->frames[from]);
}

static void log_request(struct ssdc_replacement *r, const struct ssdc_host_request *rq)
{
	fprintf(out, "Q %llu %c %llu %llu\n", rq->id, rq->op == SSDC_WRITE ? 'W' : 'R',
		rq->sector, rq->nr_sectors);
	rows_end(log_rows);
	if (real->request)
		real->request(r, rq);
}

static void log_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
		       const struct ssdc_host_request *rq, bool dirty)
{
	log_use(r, 'I', frame, rq);
	real->insert(r, frame, rq, dirty);
}

static void log_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		    const struct ssdc_host_request *rq, bool write)
{
	log_use(r, 'H', frame, rq);
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
	log_batch(r, "BE", batch, i);
}

static bool log_early(struct ssdc_replacement *r, const struct ssdc_view *view,
		      struct ssdc_batch *batch, unsigned int max)
{
	unsigned int i = batch->nr;
	bool more = real->early(r, view, batch, max);

	log_batch(r, "PF", batch, i);
	return more;
}

/**
 * sim_decisions_open() - log the decisions of an engine's policy from now on
 * @e: engine
 * @name: name of the file
 */
void sim_decisions_open(struct ssdc_engine *e, const char *name)
{
	log_rows = rows_open(name);
	out = log_rows->out;
	real = ssdc_replacement_ops(e->replacement);
	between = *real;
	between.request = log_request;
	between.insert = log_insert;
	between.hit = log_hit;
	between.clean = log_clean;
	between.remove = log_remove;
	between.victims = log_victims;
	if (real->early)
		between.early = log_early;
	e->replacement->plugin.type = &between.plugin;
	ssdc_plugins_changed(e);
}

void sim_decisions_close(void)
{
	rows_close(log_rows);
}
