// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and erases that let host reads go first (parameter "suspend").
 *
 * nand.c asks whether a die may interrupt its operation, cancels the operation's end, and starts
 * the operation again later; this file keeps the state that the die has to remember meanwhile.
 *
 * A suspended program keeps its data in the die's page register, and the data of the reads pass
 * through the cache register. A die whose cache register holds the next page to program is
 * therefore not suspended. Neither is a copyback, which needs both registers.
 */
#include <linux/kernel.h>
#include "suspend.h"

static bool is_chosen(const struct ssdf_device *f, enum ssdf_kind kind)
{
	switch (kind) {
	case SSDF_PROGRAM:
		return f->params.suspend & SSDF_SUSPEND_PROGRAM;
	case SSDF_ERASE:
		return f->params.suspend & SSDF_SUSPEND_ERASE;
	default:
		return false;
	}
}

/*
 * May a read interrupt the die's array? Not an operation that ends before the die could read, or
 * that has been suspended often enough.
 */
bool ssdf_may_suspend(const struct ssdf_device *f, const struct ssdf_die *die)
{
	const struct ssdf_command *cmd;

	if (die->state != SSDF_ARRAY || die->cache != SSDF_EMPTY)
		return false;
	cmd = list_first_entry(&die->group, struct ssdf_command, node);
	return is_chosen(f, cmd->kind) && die->suspensions < f->params.suspend_max &&
	       die->end.time_ns - f->clock_ns > max(f->params.suspend_ns, f->params.suspend_min_ns);
}

/*
 * Running group -> suspended group. The rest of the array time is remembered. The time of a
 * resumption that is cut short does not count.
 */
void ssdf_suspend(struct ssdf_device *f, struct ssdf_die *die)
{
	u64 left_ns = die->end.time_ns - f->clock_ns;
	const struct ssdf_command *cmd = list_first_entry(&die->group, struct ssdf_command, node);

	f->stats.suspended_programs += cmd->kind == SSDF_PROGRAM;
	f->stats.suspended_erases += cmd->kind == SSDF_ERASE;
	die->left_ns = die->suspensions ? min(die->left_ns, left_ns) : left_ns;
	die->suspensions++;
	list_splice_init(&die->group, &die->suspended);
	die->state = SSDF_SUSPENDING;
}

/* Suspended group -> running group. Returns its array time. */
u64 ssdf_resume(struct ssdf_device *f, struct ssdf_die *die)
{
	list_splice_init(&die->suspended, &die->group);
	die->overtaking = 0;
	return f->params.resume_ns + die->left_ns;
}
