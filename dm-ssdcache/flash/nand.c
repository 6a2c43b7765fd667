// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of commands on dies and channels.
 *
 * A die runs one group of commands at a time: one page per plane, all of the same
 * kind and at the same page number in their blocks, as flash chips require. A channel
 * transfers one page at a time. Host reads go before host writes, and host writes
 * before GC unless GC is urgent. GC's reads and writes of translation pages count as the host's.
 * Running commands are not interrupted, except those that the parameter "suspend" names, by host
 * reads. On a channel, read data go before write data, because a die is blocked until its data are
 * out.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "device.h"
#include "events.h"
#include "nand.h"
#include "suspend.h"

/* Reads of a plane to search for one that can run together with another plane's. */
#define PARTNER_LOOK 32

/* Read groups in a row that may overtake a write or urgent GC. */
#define MAX_OVERTAKING 16

static u32 die_nr(const struct ssdf_device *f, const struct ssdf_die *die)
{
	return die - f->dies;
}

static struct ssdf_channel *channel_of(struct ssdf_device *f, const struct ssdf_die *die)
{
	return &f->channels[die->channel];
}

/* The class that reads overtake, up to MAX_OVERTAKING times in a row; SSDF_NR_CLASSES: none. */
static enum ssdf_class overtaken_class(const struct ssdf_die *die)
{
	if (die->urgent_planes && die->queued[SSDF_GCS])
		return SSDF_GCS;
	if (die->queued[SSDF_WRITES])
		return SSDF_WRITES;
	return SSDF_NR_CLASSES;
}

/* The class that the die serves next; SSDF_NR_CLASSES: all queues are empty. */
static enum ssdf_class next_class(const struct ssdf_die *die)
{
	enum ssdf_class overtaken = overtaken_class(die);

	if (die->queued[SSDF_READS] &&
	    !(overtaken != SSDF_NR_CLASSES && die->overtaking >= MAX_OVERTAKING))
		return SSDF_READS;
	if (overtaken != SSDF_NR_CLASSES)
		return overtaken;
	return die->queued[SSDF_GCS] ? SSDF_GCS : SSDF_NR_CLASSES;
}

static struct ssdf_command *first_of(struct list_head *list)
{
	return list_first_entry_or_null(list, struct ssdf_command, node);
}

static struct ssdf_plane *planes_of(const struct ssdf_device *f, const struct ssdf_die *die)
{
	return &f->planes[die_nr(f, die) * f->params.planes];
}

/* The command of the class that has waited longest; there is one. */
static struct ssdf_command *oldest(const struct ssdf_device *f, const struct ssdf_die *die,
				   enum ssdf_class class)
{
	struct ssdf_plane *planes = planes_of(f, die);
	struct ssdf_command *first = NULL, *cmd;
	u32 i;

	for (i = 0; i < f->params.planes; i++) {
		cmd = first_of(&planes[i].queues[class]);
		if (cmd && (!first || cmd->arrival < first->arrival))
			first = cmd;
	}
	return first;
}

/*
 * Planes that get different numbers of pages fall out of step and cannot program together.
 * Return the program that goes before @first: that of the plane which is furthest behind, if
 * the programs that wait in that plane suffice to catch up. @first waits until then. Only open
 * blocks for the same pages can be in step. The number of programs is an upper bound: it includes
 * those of the plane's other open blocks, and then the planes may stay out of step.
 */
static struct ssdf_command *furthest_behind(const struct ssdf_device *f, const struct ssdf_die *die,
					    struct ssdf_command *first)
{
	struct ssdf_plane *planes = planes_of(f, die);
	u32 pages = f->params.pages, place = first->place, most = 0, i, lag;
	u32 holds = f->blocks[ssdf_block_of(f, first->ppn)].holds;
	struct ssdf_command *cmd;

	for (i = 0; i < f->params.planes; i++) {
		cmd = first_of(&planes[i].queues[SSDF_WRITES]);
		if (!cmd || f->blocks[ssdf_block_of(f, cmd->ppn)].holds != holds)
			continue;
		lag = place - cmd->place + (place < cmd->place ? pages : 0);
		if (lag > most && lag < planes[i].queued_writes) {
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
	list_move_tail(&cmd->node, group);
	die->queued[class]--;
	f->planes[cmd->plane].queued_writes -= class == SSDF_WRITES;
}

/* Take the next command, of @class, and those that other planes can run at the same time. */
static void take_group(struct ssdf_device *f, struct ssdf_die *die, enum ssdf_class class,
		       struct list_head *group)
{
	struct ssdf_command *first = oldest(f, die, class), *cmd;
	struct ssdf_plane *planes = planes_of(f, die);
	unsigned int nr = 1;
	u32 i;

	if (class == SSDF_READS &&
	    (overtaken_class(die) != SSDF_NR_CLASSES || !list_empty(&die->suspended)))
		die->overtaking++;
	else
		die->overtaking = 0;
	/* Most groups are of the only command that waits. */
	if (!f->params.multi_plane || f->params.planes == 1 || die->queued[class] == 1) {
		take(f, die, class, first, group);
		return;
	}
	if (class == SSDF_WRITES)
		first = furthest_behind(f, die, first);
	take(f, die, class, first, group);
	for (i = 0; i < f->params.planes && die->queued[class]; i++) {
		if (&planes[i] == &f->planes[first->plane])
			continue;
		cmd = partner(&planes[i], class, first);
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

static void run_array(struct ssdf_device *f, struct ssdf_die *die, enum ssdf_track track, u64 ns)
{
	die->state = SSDF_ARRAY;
	die->end_ns = f->clock_ns + ns;
	ssdf_add_event(f, track, ns, die_nr(f, die));
}

/* The planes of a group work in parallel, on pages of the same type. */
static void start_array(struct ssdf_device *f, struct ssdf_die *die)
{
	const struct ssdf_command *cmd = first_of(&die->group);
	u32 type = f->page_types == 1 ? 0 : cmd->place % f->page_types;

	switch (cmd->kind) {
	case SSDF_READ:
		run_array(f, die, SSDF_READ_ARRAYS + type, f->type_read_ns[type]);
		break;
	case SSDF_PROGRAM:
		run_array(f, die, SSDF_PROGRAM_ARRAYS + type, f->type_program_ns[type]);
		break;
	case SSDF_COPYBACK:
		run_array(f, die, SSDF_COPYBACK_ARRAYS + type,
			  f->type_read_ns[type] + f->type_program_ns[type]);
		break;
	case SSDF_ERASE:
		run_array(f, die, SSDF_ERASES, f->params.erase_ns);
		break;
	}
}

/* A transfer occupies the channel, or ends (@die NULL). For idle channels see add_load(), too. */
static void set_user(struct ssdf_device *f, struct ssdf_channel *channel, struct ssdf_die *die)
{
	if (channel->idle_dies && !channel->user != !die)
		WRITE_ONCE(f->idle_channels, f->idle_channels + (die ? -1 : 1));
	channel->user = die;
}

static void start_transfer(struct ssdf_device *f, struct ssdf_channel *channel,
			   struct ssdf_die *die, struct ssdf_command *cmd)
{
	bool whole = cmd->bytes == f->params.page_bytes;
	u64 ns = whole ? f->page_transfer_ns : ssdf_transfer_ns(&f->params, cmd->bytes);

	set_user(f, channel, die);
	channel->moving = cmd;
	channel->busy_ns += ns;
	ssdf_add_event(f, whole ? SSDF_TRANSFERS : SSDF_PART_TRANSFERS, ns,
		       f->nr_dies + (channel - f->channels));
}

/* Is the cache register free while the die programs another page? */
static bool has_cache_room(const struct ssdf_device *f, struct ssdf_die *die)
{
	return f->params.cache_program && die->state == SSDF_ARRAY && die->cache == SSDF_EMPTY &&
		first_of(&die->group)->kind == SSDF_PROGRAM;
}

/*
 * Can the die receive a page to program, in its page register or its cache register? @class is the
 * class that the die serves next.
 */
static bool may_load(const struct ssdf_device *f, struct ssdf_die *die, enum ssdf_class class)
{
	if (class == SSDF_READS || class == SSDF_NR_CLASSES)
		return false;
	if (die->state == SSDF_IDLE ? !list_empty(&die->suspended) : !has_cache_room(f, die))
		return false;
	return oldest(f, die, class)->kind == SSDF_PROGRAM;
}

/* The group whose data the die delivers next. */
static struct list_head *outgoing(struct ssdf_die *die)
{
	return list_empty(&die->leaving) ? &die->group : &die->leaving;
}

/* The channel is idle: start the next transfer. */
static void use_channel(struct ssdf_device *f, struct ssdf_channel *channel)
{
	enum ssdf_class class;
	struct ssdf_die *die;

	die = list_first_entry_or_null(&channel->out, struct ssdf_die, bus);
	if (die) {
		list_del_init(&die->bus);
		start_transfer(f, channel, die, first_of(outgoing(die)));
		return;
	}
	while ((die = list_first_entry_or_null(&channel->in, struct ssdf_die, bus))) {
		list_del_init(&die->bus);
		class = next_class(die);
		if (!may_load(f, die, class))
			continue;	/* a read went first; use_die() queues the die again */
		if (die->state == SSDF_IDLE) {
			die->state = SSDF_IN;
			take_group(f, die, class, &die->group);
			start_transfer(f, channel, die, first_of(&die->group));
		} else {
			die->cache = SSDF_LOADING;
			take_group(f, die, class, &die->next_group);
			start_transfer(f, channel, die, first_of(&die->next_group));
		}
		return;
	}
}

static void want_channel(struct ssdf_device *f, struct ssdf_die *die, struct list_head *list)
{
	struct ssdf_channel *channel = channel_of(f, die);

	list_move_tail(&die->bus, list);
	if (!channel->user)
		use_channel(f, channel);
}

static void want_page(struct ssdf_device *f, struct ssdf_die *die)
{
	if (list_empty(&die->bus))
		want_channel(f, die, &channel_of(f, die)->in);
}

static void suspend(struct ssdf_device *f, struct ssdf_die *die)
{
	ssdf_cancel_event(f, die_nr(f, die));
	ssdf_suspend(f, die);
	ssdf_add_event(f, SSDF_SUSPENSIONS, f->params.suspend_ns, die_nr(f, die));
}

/* Do reads wait that the suspended group still lets go first? */
static bool has_reads(const struct ssdf_die *die)
{
	return die->queued[SSDF_READS] && die->overtaking < MAX_OVERTAKING;
}

static void resume(struct ssdf_device *f, struct ssdf_die *die)
{
	run_array(f, die, SSDF_SUSPENSIONS, ssdf_resume(f, die));
	if (may_load(f, die, next_class(die)))
		want_page(f, die);
}

/*
 * Can the die read the next page while data wait for the channel or are being transferred? The
 * cache register must be free for these data. During a suspension the page register is in use.
 */
static bool may_read_ahead(const struct ssdf_device *f, const struct ssdf_die *die)
{
	return f->params.cache_read && die->state == SSDF_OUT && list_empty(&die->leaving) &&
	       list_empty(&die->suspended) && !list_empty(&die->group) &&
	       list_first_entry(&die->group, struct ssdf_command, node)->kind == SSDF_READ;
}

static void read_ahead(struct ssdf_device *f, struct ssdf_die *die)
{
	list_splice_init(&die->group, &die->leaving);
	f->stats.cached_reads++;
	take_group(f, die, SSDF_READS, &die->group);
	start_array(f, die);
}

/* A read may start on a busy die beside a transfer, or by interrupting an operation. */
static void use_busy_die(struct ssdf_device *f, struct ssdf_die *die)
{
	if (may_read_ahead(f, die))
		read_ahead(f, die);
	else if (ssdf_may_suspend(f, die))
		suspend(f, die);
}

/* Start whatever the die can start now. */
static void use_die(struct ssdf_device *f, struct ssdf_die *die)
{
	enum ssdf_class class;

	/* Nothing can start on most dies that are busy. */
	if (die->state != SSDF_IDLE && !f->overlaps)
		return;
	class = next_class(die);
	if (may_load(f, die, class)) {
		want_page(f, die);
		return;
	}
	if (die->state != SSDF_IDLE) {
		if (class == SSDF_READS)
			use_busy_die(f, die);
		return;
	}
	if (!list_empty(&die->suspended) && !has_reads(die)) {
		resume(f, die);
		return;
	}
	if (class == SSDF_NR_CLASSES)
		return;
	list_del_init(&die->bus);
	take_group(f, die, class, &die->group);
	start_array(f, die);
}

/* Start what the die can start, now or in ssdf_unplug(). */
static void look_at_die(struct ssdf_device *f, struct ssdf_die *die)
{
	if (!f->plugged)
		use_die(f, die);
	else if (list_empty(&die->plug))
		list_add_tail(&die->plug, &f->plugged_dies);
}

/* Does a host read have to wait for a program, an erase or GC? */
static bool is_blocked(const struct ssdf_die *die)
{
	const struct ssdf_command *cmd;

	if (list_empty(&die->group))
		return false;
	cmd = list_first_entry(&die->group, struct ssdf_command, node);
	return cmd->kind != SSDF_READ || cmd->purpose == SSDF_GC || cmd->purpose == SSDF_MAP_UPDATE;
}

/* Add (@change 1) or remove (-1) one command of the die. */
static void add_load(struct ssdf_device *f, struct ssdf_die *die, int change)
{
	struct ssdf_channel *channel;
	bool was_idle = !die->load;
	int idle;

	WRITE_ONCE(die->load, die->load + change);
	WRITE_ONCE(f->load, f->load + change);
	idle = !die->load - was_idle;
	if (!idle)
		return;
	channel = channel_of(f, die);
	WRITE_ONCE(f->idle_dies, f->idle_dies + idle);
	/* From no idle die to one, or back. */
	if (!channel->user && channel->idle_dies + (was_idle ? -1 : 0) == 0)
		WRITE_ONCE(f->idle_channels, f->idle_channels + idle);
	channel->idle_dies += idle;
}

/*
 * GC's updates of translation pages are in the queues of the host's commands. Their programs share
 * blocks with those of evictions: one queue, one order. Their reads may be on another die, for
 * which GC is not urgent, and which might never get to its GC queue.
 */
static enum ssdf_class class_of(const struct ssdf_command *cmd)
{
	if (cmd->purpose == SSDF_GC)
		return SSDF_GCS;
	return cmd->kind == SSDF_PROGRAM ? SSDF_WRITES : SSDF_READS;
}

/* Queue a command on its die; ssdf_command_done() reports its end. */
void ssdf_queue(struct ssdf_device *f, struct ssdf_command *cmd)
{
	struct ssdf_die *die = &f->dies[f->planes[cmd->plane].die];
	enum ssdf_class class = class_of(cmd);

	if (cmd->kind == SSDF_READ && cmd->purpose == SSDF_HOST)
		f->stats.blocked_reads += is_blocked(die);
	cmd->waits++;
	cmd->place = ssdf_page_in_block(f, cmd->ppn);
	add_load(f, die, 1);
	cmd->arrival = f->arrivals++;
	list_add_tail(&cmd->node, &f->planes[cmd->plane].queues[class]);
	die->queued[class]++;
	f->planes[cmd->plane].queued_writes += class == SSDF_WRITES;
	look_at_die(f, die);
}

/* Queue commands without starting them, until ssdf_unplug(). */
void ssdf_plug(struct ssdf_device *f)
{
	f->plugged = true;
}

/* Start the dies, in the order in which they got their first command. */
void ssdf_unplug(struct ssdf_device *f)
{
	struct ssdf_die *die;

	f->plugged = false;
	while ((die = list_first_entry_or_null(&f->plugged_dies, struct ssdf_die, plug))) {
		list_del_init(&die->plug);
		use_die(f, die);
	}
}

/* GC of the plane goes before host writes, or after them again. */
void ssdf_set_urgent(struct ssdf_device *f, u32 plane, bool urgent)
{
	struct ssdf_die *die = &f->dies[f->planes[plane].die];

	if (f->planes[plane].urgent == urgent)
		return;
	f->planes[plane].urgent = urgent;
	die->urgent_planes += urgent ? 1 : -1;
	use_die(f, die);
}

static void finish(struct ssdf_device *f, struct ssdf_die *die, struct ssdf_command *cmd)
{
	list_del_init(&cmd->node);
	add_load(f, die, -1);
	ssdf_command_done(f, cmd);
}

/*
 * All commands of a group have ended. Reporting them may queue further commands for this
 * die. The caller keeps the state busy until all are reported, so none of them starts.
 */
static void finish_group(struct ssdf_device *f, struct ssdf_die *die)
{
	LIST_HEAD(group);

	list_splice_init(&die->group, &group);
	while (!list_empty(&group))
		finish(f, die, first_of(&group));
}

/* A program has ended: continue with the group in the cache register, if there is one. */
static void after_program(struct ssdf_device *f, struct ssdf_die *die)
{
	switch (die->cache) {
	case SSDF_EMPTY:
		die->state = SSDF_IDLE;
		break;
	case SSDF_LOADING:
		die->state = SSDF_HOLD;
		break;
	case SSDF_LOADED:
		die->cache = SSDF_EMPTY;
		list_splice_init(&die->next_group, &die->group);
		start_array(f, die);
		break;
	}
}

static void array_event(struct ssdf_device *f, struct ssdf_die *die)
{
	enum ssdf_kind kind;

	if (die->state == SSDF_SUSPENDING) {
		die->state = SSDF_IDLE;
		use_die(f, die);
		return;
	}
	kind = first_of(&die->group)->kind;
	if (kind == SSDF_READ) {
		die->state = SSDF_OUT;
		/* Earlier data have the channel, or wait for the channel already. */
		if (!list_empty(&die->leaving))
			return;
		want_channel(f, die, &channel_of(f, die)->out);
		if (f->params.cache_read && next_class(die) == SSDF_READS)
			use_busy_die(f, die);
		return;
	}
	/* OUT: the die can neither start nor load while the group is reported. */
	die->state = SSDF_OUT;
	die->suspensions = 0;
	finish_group(f, die);
	if (kind == SSDF_PROGRAM)
		after_program(f, die);
	else
		die->state = SSDF_IDLE;
	use_die(f, die);
}

/* A page has reached the controller; the group's next page follows at once. */
static void delivered(struct ssdf_device *f, struct ssdf_channel *channel, struct ssdf_die *die)
{
	struct list_head *group = outgoing(die);
	bool cached = group == &die->leaving, last = list_is_singular(group);

	/* This may queue a read, whose start moves what is left of the group. */
	finish(f, die, channel->moving);
	if (!last) {
		start_transfer(f, channel, die, first_of(outgoing(die)));
		return;
	}
	if (!cached)
		die->state = SSDF_IDLE;
	else if (die->state == SSDF_OUT || !list_empty(&die->leaving))
		list_move_tail(&die->bus, &channel->out);
	use_die(f, die);
	set_user(f, channel, NULL);
	use_channel(f, channel);
}

/* A page has reached the die. */
static void loaded(struct ssdf_device *f, struct ssdf_channel *channel, struct ssdf_die *die)
{
	struct list_head *group = die->cache == SSDF_LOADING ? &die->next_group : &die->group;

	if (channel->moving->node.next != group) {
		start_transfer(f, channel, die, list_next_entry(channel->moving, node));
		return;
	}
	if (die->cache == SSDF_LOADING) {
		die->cache = SSDF_LOADED;
		if (die->state == SSDF_HOLD)
			after_program(f, die);
	} else {
		start_array(f, die);
	}
	set_user(f, channel, NULL);
	use_die(f, die);
	if (!channel->user)
		use_channel(f, channel);
}

static void channel_event(struct ssdf_device *f, struct ssdf_channel *channel)
{
	struct ssdf_die *die = channel->user;

	if (channel->moving->kind == SSDF_READ)
		delivered(f, channel, die);
	else
		loaded(f, channel, die);
}

/* Process the next event if it is due by @until_ns; returns false otherwise. */
bool ssdf_nand_event(struct ssdf_device *f, u64 until_ns)
{
	u32 unit;

	if (f->next_ns > until_ns || !f->next_event)
		return false;
	unit = ssdf_take_event(f);
	if (unit < f->nr_dies)
		array_event(f, &f->dies[unit]);
	else
		channel_event(f, &f->channels[unit - f->nr_dies]);
	return true;
}
