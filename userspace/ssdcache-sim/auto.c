// SPDX-License-Identifier: GPL-2.0
/*
 * --replacement auto: a request is run in the shadows, and the policies change if they say so.
 */
#include <string.h>
#include "auto.h"

/**
 * sim_switch_to() - change a policy of an engine; ends the program if that is not possible
 * @e: engine, in which no change is in progress
 * @kind: of the policy
 * @spec: the new policy
 */
void sim_switch_to(struct ssdc_engine *e, enum ssdc_kind kind, const char *spec)
{
	struct ssdc_error error = {};
	struct ssdc_plugin *next = ssdc_plugin_create(kind, spec, &e->tier, &error);
	struct ssdc_replacement *old;

	if (!next)
		die(TOOL_FAILED, "%s", error.text);
	if (kind != SSDC_REPLACEMENT) {
		ssdc_plugin_destroy(ssdc_switch_other(e, next));
		return;
	}
	ssdc_switch_begin(e, (struct ssdc_replacement *)next);
	while (!(old = ssdc_switch_step(e)))
		;
	ssdc_plugin_destroy(&old->plugin);
}

static void obey(struct ssdc_auto *a, struct ssdc_engine *e)
{
	const struct ssdc_shadow_candidate *wanted = ssdc_auto_wanted(a);
	const struct ssdc_shadow_candidate *live = &a->shadows->candidates[a->live];

	if (!wanted)
		return;
	if (strcmp(wanted->replacement, live->replacement))
		sim_switch_to(e, SSDC_REPLACEMENT, wanted->replacement);
	if (strcmp(wanted->admission, live->admission))
		sim_switch_to(e, SSDC_ADMISSION, wanted->admission);
	ssdc_auto_switched(a, true);
}

/**
 * sim_auto_feed() - a request arrived: run it in the shadows, and switch if they say so
 * @a: choice
 * @e: the engine of the run
 * @op: as for ssdc_auto_feed(), like what follows
 * @sector: start
 * @nr_sectors: length
 * @fua: a write with FUA
 * @now_ns: simulated time
 */
void sim_auto_feed(struct ssdc_auto *a, struct ssdc_engine *e, enum ssdc_op op, u64 sector, u64 nr_sectors, bool fua,
		   u64 now_ns)
{
	ssdc_auto_feed(a, op, sector, nr_sectors, fua, now_ns);
	while (ssdc_auto_has_work(a)) {
		ssdc_auto_step(a, UINT_MAX);
		obey(a, e);
	}
}
