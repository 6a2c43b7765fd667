// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that wait for their die in the queues of its planes, and the choice of the next ones.
 *
 * Each plane has a queue for each class. A die knows in which planes commands wait, so that it
 * finds the next ones without a look at empty queues.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include "queues.h"

/* Reads of a plane that are searched for one that can run together with a read of another plane. */
#define PARTNER_LOOK 32

/* The class that reads overtake, a limited number of times in a row; SSDF_NR_CLASSES: none. */
static enum ssdf_class overtaken_class(const struct ssdf_die *die)
{
	if (die->urgent_planes && die->waiting[SSDF_GCS])
		return SSDF_GCS;
	if (die->waiting[SSDF_WRITES])
		return SSDF_WRITES;
	return SSDF_NR_CLASSES;
}

/* The class that the die serves next; SSDF_NR_CLASSES: all queues are empty. */
enum ssdf_class ssdf_next_class(const struct ssdf_die *die)
{
	enum ssdf_class overtaken = overtaken_class(die);

	if (die->waiting[SSDF_READS] &&
	    !(overtaken != SSDF_NR_CLASSES && die->overtaking >= SSDF_MAX_OVERTAKING))
		return SSDF_READS;
	if (overtaken != SSDF_NR_CLASSES)
		return overtaken;
	return die->waiting[SSDF_GCS] ? SSDF_GCS : SSDF_NR_CLASSES;
}

/* The first command of the class in the first plane of @waiting. */
static struct ssdf_command *first_in_queue(struct ssdf_plane *planes, u32 waiting,
					   enum ssdf_class class)
{
	return list_first_entry(&planes[__ffs(waiting)].queues[class], struct ssdf_command, node);
}

/* The command of the class that has waited longest; there is one. */
struct ssdf_command *ssdf_oldest(const struct ssdf_die *die, enum ssdf_class class)
{
	struct ssdf_plane *planes = die->planes;
	u32 waiting = die->waiting[class];
	struct ssdf_command *first = first_in_queue(planes, waiting, class), *cmd;

	while ((waiting &= waiting - 1)) {
		cmd = first_in_queue(planes, waiting, class);
		if (cmd->arrival < first->arrival)
			first = cmd;
	}
	return first;
}

/*
 * Planes that get different numbers of pages fall out of step and cannot program together. Returns
 * the program that goes before @first: the next program of the plane that is furthest behind, if
 * the programs that wait in that plane suffice to catch up. @first waits meanwhile. Places in
 * blocks go round: a plane that is behind by more than half of a block counts as ahead by the rest.
 * Only open blocks for the same kind of pages can be in step. The number of programs is an upper
 * bound, as it includes programs for the plane's other open blocks; with such programs, the planes
 * may stay out of step.
 */
static struct ssdf_command *furthest_behind(const struct ssdf_device *f, const struct ssdf_die *die,
					    struct ssdf_command *first)
{
	struct ssdf_plane *planes = die->planes;
	u32 pages = f->params.pages, place = first->place, most = 0, i, lag;
	u32 holds = f->blocks[ssdf_block_of(f, first->ppn)].holds;
	struct ssdf_command *cmd;

	for (i = 0; i < f->params.planes; i++) {
		cmd = list_first_entry_or_null(&planes[i].queues[SSDF_WRITES],
					       struct ssdf_command, node);
		if (!cmd || f->blocks[ssdf_block_of(f, cmd->ppn)].holds != holds)
			continue;
		lag = place - cmd->place + (place < cmd->place ? pages : 0);
		if (lag > most && lag <= pages / 2 && lag < planes[i].queued_writes) {
			most = lag;
			first = cmd;
		}
	}
	return first;
}

/*
 * A command of the plane that can run together with @first, or NULL. The pages of a block are
 * programmed in order, so only the first command qualifies, except for reads.
 */
static struct ssdf_command *partner(struct ssdf_plane *plane, enum ssdf_class class,
				    const struct ssdf_command *first)
{
	unsigned int looked = 0;
	struct ssdf_command *cmd;

	list_for_each_entry(cmd, &plane->queues[class], node) {
		if (cmd->kind == first->kind &&
		    (cmd->kind == SSDF_ERASE || cmd->place == first->place))
			return cmd;
		if (class != SSDF_READS || ++looked == PARTNER_LOOK)
			break;
	}
	return NULL;
}

static void take(struct ssdf_device *f, struct ssdf_die *die, enum ssdf_class class,
		 struct ssdf_command *cmd, struct list_head *group)
{
	struct ssdf_plane *plane = &f->planes[cmd->plane];

	list_move_tail(&cmd->node, group);
	if (list_empty(&plane->queues[class]))
		die->waiting[class] &= ~plane->bit;
	plane->queued_writes -= class == SSDF_WRITES;
}

/* As ssdf_take_group(), if commands of the class wait in several planes. */
static noinline void take_from_planes(struct ssdf_device *f, struct ssdf_die *die,
				      enum ssdf_class class, struct list_head *group)
{
	struct ssdf_command *first = ssdf_oldest(die, class), *cmd;
	struct ssdf_plane *planes = die->planes;
	unsigned int nr = 1;
	u32 others;

	if (!f->params.multi_plane) {
		take(f, die, class, first, group);
		return;
	}
	if (class == SSDF_WRITES)
		first = furthest_behind(f, die, first);
	take(f, die, class, first, group);
	others = die->waiting[class] & ~f->planes[first->plane].bit;
	for (; others; others &= others - 1) {
		cmd = partner(&planes[__ffs(others)], class, first);
		if (!cmd)
			continue;
		take(f, die, class, cmd, group);
		nr++;
	}
	if (nr == 1)
		return;
	f->stats.multi_plane_reads += first->kind == SSDF_READ;
	f->stats.multi_plane_programs += first->kind == SSDF_PROGRAM;
}

/* Take the next command, of @class, and commands that other planes can run at the same time. */
void ssdf_take_group(struct ssdf_device *f, struct ssdf_die *die, enum ssdf_class class,
		     struct list_head *group)
{
	u32 waiting = die->waiting[class];

	if (class == SSDF_READS &&
	    (overtaken_class(die) != SSDF_NR_CLASSES || !list_empty(&die->suspended)))
		die->overtaking++;
	else
		die->overtaking = 0;
	/* Usually, commands wait in only one plane. */
	if (is_power_of_2(waiting))
		take(f, die, class, first_in_queue(die->planes, waiting, class), group);
	else
		take_from_planes(f, die, class, group);
}

/*
 * GC's updates of translation pages are in the queues of the host's commands. Their programs share
 * blocks with programs of evictions, so both must be in one queue, in one order. Their reads may be
 * on another die, on which GC is not urgent, and which might never get to its GC queue.
 */
static enum ssdf_class class_of(const struct ssdf_command *cmd)
{
	if (cmd->purpose == SSDF_GC)
		return SSDF_GCS;
	return cmd->kind == SSDF_PROGRAM ? SSDF_WRITES : SSDF_READS;
}

/* Add a command to the queue of its plane and class. The caller starts the die. */
void ssdf_enqueue(struct ssdf_device *f, struct ssdf_die *die, struct ssdf_command *cmd)
{
	struct ssdf_plane *plane = &f->planes[cmd->plane];
	enum ssdf_class class = class_of(cmd);

	cmd->arrival = f->arrivals++;
	list_add_tail(&cmd->node, &plane->queues[class]);
	die->waiting[class] |= plane->bit;
	plane->queued_writes += class == SSDF_WRITES;
}
