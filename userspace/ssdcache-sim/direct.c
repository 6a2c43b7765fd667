// SPDX-License-Identifier: GPL-2.0
/*
 * --no-cache: requests go straight to the flash device, as with the target "ssdflash" alone.
 *
 * At any one time, completions precede arrivals.
 */
#include <stdlib.h>
#include "device.h"
#include "direct.h"
#include "progress.h"

struct direct {
	struct ssdf_device *flash;
	struct list_head unused;	/* requests free for reuse */
	u64 now_ns;
};

static void take_done(struct direct *d)
{
	struct ssdf_request *rq;

	while ((rq = ssdf_next_done(d->flash)))
		list_add(&rq->node, &d->unused);
}

/* Run until a time; SSDF_NEVER: until the device is idle. */
static void run_until(struct direct *d, u64 until_ns)
{
	u64 next_ns;

	while ((next_ns = ssdf_next_ns(d->flash)) != SSDF_NEVER && next_ns <= until_ns) {
		d->now_ns = sim_checked_ns(ssdf_run(d->flash, max(d->now_ns, next_ns), until_ns));
		take_done(d);
	}
}

static void run_until_depth(struct direct *d, u64 depth)
{
	while (ssdf_inflight(d->flash) >= depth)
		run_until(d, max(d->now_ns, ssdf_next_ns(d->flash)));
}

static struct ssdf_request *new_request(struct direct *d)
{
	struct ssdf_request *rq;

	rq = list_first_entry_or_null(&d->unused, struct ssdf_request, node);
	if (!rq)
		return xcalloc(1, sizeof(*rq));
	list_del(&rq->node);
	return rq;
}

static void submit(struct direct *d, const struct sim_record *record)
{
	struct ssdf_request *rq = new_request(d);

	rq->op = record->op;
	rq->sector = record->sector;
	rq->nr_sectors = record->nr_sectors;
	ssdf_submit(d->flash, rq, d->now_ns);
	take_done(d);
}

static void free_requests(struct direct *d)
{
	struct ssdf_request *rq, *next;

	list_for_each_entry_safe(rq, next, &d->unused, node)
		free(rq);
}

/**
 * sim_drive_direct() - run a workload on a flash device until all requests have ended
 * @flash: device
 * @options: command line
 * @workload: requests; all within the device
 *
 * Return: the simulated time at the end.
 */
u64 sim_drive_direct(struct ssdf_device *flash, const struct sim_options *options,
		     const struct sim_workload *workload)
{
	struct direct d = { .flash = flash, .unused = LIST_HEAD_INIT(d.unused) };
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record record = sim_request(workload, i);

		sim_flash_expect(flash, workload, i + 1);
		sim_progress(i);
		if (options->depth) {
			run_until_depth(&d, options->depth);
		} else if (options->closed) {
			run_until(&d, SSDF_NEVER);
		} else {
			run_until(&d, record.time_ns);
			d.now_ns = max(d.now_ns, record.time_ns);
		}
		submit(&d, &record);
	}
	run_until(&d, SSDF_NEVER);
	free_requests(&d);
	return d.now_ns;
}
