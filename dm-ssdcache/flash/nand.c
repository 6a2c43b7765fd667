// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of commands on dies and channels.
 *
 * A die runs one group of commands at a time: one page per plane, all of the same kind and at the
 * same page number in their blocks, as flash chips require. A channel transfers one page at a time.
 * Host reads go before host writes, and host writes before GC unless GC is urgent. GC's reads and
 * writes of translation pages count as the host's. Running commands are not interrupted. The
 * exception is host reads, which interrupt the operations that the parameter "suspend" names. On a
 * channel, read data go before write data, because a die is blocked until its data are out, but
 * only a limited number of times in a row.
 *
 * With "channel_first writes", write data go before read data. Commands pass transfers, as if they
 * did not use the channel; with "command_wait on", commands that come during a transfer start when
 * the transfer has ended.
 */
#include <linux/kernel.h>
#include "device.h"
#include "events.h"
#include "nand.h"
#include "queues.h"
#include "suspend.h"

static struct ssdf_command *first_of(struct list_head *list)
{
	return list_first_entry_or_null(list, struct ssdf_command, node);
}

static void run_array(struct ssdf_device *f, struct ssdf_die *die, enum ssdf_track track, u64 ns)
{
	die->state = SSDF_ARRAY;
	ssdf_add_event(f, track, ns, &die->end);
}

/* The planes of a group work in parallel, on pages of the same type. */
static void start_array(struct ssdf_device *f, struct ssdf_die *die)
{
	const struct ssdf_command *cmd = list_first_entry(&die->group, struct ssdf_command, node);
	u32 type = f->page_types == 1 ? 0 : cmd->place % f->page_types;
	enum ssdf_track track = ssdf_array_track(cmd->kind, type);

	run_array(f, die, track, f->track_ns[track]);
}

/* A transfer occupies the channel. */
static void set_user(struct ssdf_device *f, struct ssdf_channel *channel, struct ssdf_die *die)
{
	WRITE_ONCE(f->free_channels, f->free_channels & ~channel->bit);
	channel->user = die;
}

/* A transfer has ended. */
static void release(struct ssdf_device *f, struct ssdf_channel *channel)
{
	WRITE_ONCE(f->free_channels, f->free_channels | channel->bit);
	channel->user = NULL;
}

static void start_transfer(struct ssdf_device *f, struct ssdf_channel *channel,
			   struct ssdf_die *die, struct ssdf_command *cmd)
{
	bool whole = cmd->bytes == f->params.page_bytes;
	u64 ns = whole ? f->track_ns[SSDF_TRANSFERS] : ssdf_transfer_ns(&f->params, cmd->bytes);

	set_user(f, channel, die);
	channel->moving = cmd;
	channel->busy_ns += ns;
	ssdf_add_event(f, SSDF_TRANSFERS, ns, &channel->end);
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
	return class == SSDF_WRITES || ssdf_oldest(die, class)->kind == SSDF_PROGRAM;
}

/* The group whose data the die delivers next. */
static struct list_head *outgoing(struct ssdf_die *die)
{
	return list_empty(&die->leaving) ? &die->group : &die->leaving;
}

/* The channel is idle: transfer the next page to program, if a die still wants one. */
static noinline void use_channel_in(struct ssdf_device *f, struct ssdf_channel *channel)
{
	enum ssdf_class class;
	struct ssdf_die *die;

	while ((die = list_first_entry_or_null(&channel->in, struct ssdf_die, bus))) {
		list_del_init(&die->bus);
		class = ssdf_next_class(die);
		if (!may_load(f, die, class))
			continue;	/* a read went first; use_die() queues the die again */
		if (die->state == SSDF_IDLE) {
			die->state = SSDF_IN;
			ssdf_take_group(f, die, class, &die->group);
			start_transfer(f, channel, die, first_of(&die->group));
		} else {
			die->cache = SSDF_LOADING;
			ssdf_take_group(f, die, class, &die->next_group);
			start_transfer(f, channel, die, first_of(&die->next_group));
		}
		return;
	}
}

/* The channel is idle: transfer the next page that the die has read. */
static void use_channel_out(struct ssdf_device *f, struct ssdf_channel *channel,
			    struct ssdf_die *die)
{
	list_del_init(&die->bus);
	start_transfer(f, channel, die, first_of(outgoing(die)));
}

static struct ssdf_die *first_out(struct ssdf_channel *channel)
{
	return list_first_entry_or_null(&channel->out, struct ssdf_die, bus);
}

/*
 * The data of a few dies can keep the channel busy without end. So pages to program get a turn, as
 * the reads of their dies also wait for it.
 */
static __always_inline void use_channel_reads(struct ssdf_device *f, struct ssdf_channel *channel)
{
	struct ssdf_die *die = first_out(channel);

	if (list_empty(&channel->in)) {
		channel->overtaking = 0;
	} else if (!die || channel->overtaking == SSDF_MAX_OVERTAKING) {
		channel->overtaking = 0;
		use_channel_in(f, channel);
		if (channel->user)
			return;
	} else {
		channel->overtaking++;
	}
	if (die)
		use_channel_out(f, channel, die);
}

/*
 * With channel_first writes: pages for many dies can keep the channel busy without end, so read
 * data get a turn.
 */
static void use_channel_writes(struct ssdf_device *f, struct ssdf_channel *channel)
{
	struct ssdf_die *die = first_out(channel);

	if (!die || channel->overtaking < SSDF_MAX_OVERTAKING) {
		use_channel_in(f, channel);
		if (channel->user) {
			channel->overtaking = die ? channel->overtaking + 1 : 0;
			return;
		}
	}
	channel->overtaking = 0;
	if (die)
		use_channel_out(f, channel, die);
}

static inline void use_die(struct ssdf_device *f, struct ssdf_die *die);

/* The commands that have waited for the end of a transfer start in their order. */
static void start_commands(struct ssdf_device *f, struct ssdf_channel *channel)
{
	struct ssdf_die *die;

	channel->starts_commands = true;
	while ((die = list_first_entry_or_null(&channel->commands, struct ssdf_die, command))) {
		list_del_init(&die->command);
		use_die(f, die);
	}
	channel->starts_commands = false;
}

/* As use_channel(), by rules other than the default. */
static noinline void use_channel_otherwise(struct ssdf_device *f, struct ssdf_channel *channel)
{
	start_commands(f, channel);
	if (f->params.channel_first == SSDF_FIRST_WRITES)
		use_channel_writes(f, channel);
	else
		use_channel_reads(f, channel);
}

/* The channel is idle: start the next transfer. */
static void use_channel(struct ssdf_device *f, struct ssdf_channel *channel)
{
	if (unlikely(f->other_turns))
		use_channel_otherwise(f, channel);
	else
		use_channel_reads(f, channel);
}

static void want_channel(struct ssdf_device *f, struct ssdf_die *die, struct list_head *list)
{
	struct ssdf_channel *channel = die->channel;

	list_move_tail(&die->bus, list);
	if (!channel->user && !channel->starts_commands)
		use_channel(f, channel);
}

/* The die has @data for its channel. It was at work, so it does not wait for the channel yet. */
static void want_out(struct ssdf_device *f, struct ssdf_die *die, struct list_head *data)
{
	struct ssdf_channel *channel = die->channel;

	if (channel->user)
		list_add_tail(&die->bus, &channel->out);
	else
		start_transfer(f, channel, die, first_of(data));
}

static void want_page(struct ssdf_device *f, struct ssdf_die *die)
{
	if (list_empty(&die->bus))
		want_channel(f, die, &die->channel->in);
}

/*
 * With command_wait, let the die wait for the end of the transfer that its channel has begun; then
 * start_commands() looks at the die again. Returns false if there is nothing to wait for.
 */
static bool wait_for_transfer(struct ssdf_device *f, struct ssdf_die *die)
{
	if (likely(!f->params.command_wait) || !die->channel->user)
		return false;
	if (list_empty(&die->command))
		list_add_tail(&die->command, &die->channel->commands);
	return true;
}

static void suspend(struct ssdf_device *f, struct ssdf_die *die)
{
	ssdf_cancel_event(f, &die->end);
	ssdf_suspend(f, die);
	ssdf_add_event(f, SSDF_SUSPENSIONS, f->params.suspend_ns, &die->end);
}

/* Are reads waiting that may still go before the suspended group? */
static bool has_reads(const struct ssdf_die *die)
{
	return die->waiting[SSDF_READS] && die->overtaking < SSDF_MAX_OVERTAKING;
}

static void resume(struct ssdf_device *f, struct ssdf_die *die)
{
	run_array(f, die, SSDF_SUSPENSIONS, ssdf_resume(f, die));
	if (may_load(f, die, ssdf_next_class(die)))
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
	ssdf_take_group(f, die, SSDF_READS, &die->group);
	start_array(f, die);
}

/* On a busy die, a read may start during a transfer, or by interrupting an operation. */
static void use_busy_die(struct ssdf_device *f, struct ssdf_die *die)
{
	bool ahead = may_read_ahead(f, die);

	if ((!ahead && !ssdf_may_suspend(f, die)) || wait_for_transfer(f, die))
		return;
	if (ahead)
		read_ahead(f, die);
	else
		suspend(f, die);
}

/*
 * With cache_read: the die has data, and may read the next page meanwhile. If commands wait for
 * transfers, the command for the next page goes first: otherwise, it would wait for the transfer of
 * the die's own data.
 */
static noinline void want_out_and_read(struct ssdf_device *f, struct ssdf_die *die)
{
	bool reads = ssdf_next_class(die) == SSDF_READS;

	if (reads && f->params.command_wait)
		use_busy_die(f, die);
	want_out(f, die, outgoing(die));
	if (reads && !f->params.command_wait)
		use_busy_die(f, die);
}

/* The die has work, and is idle or may do two things at once. */
static noinline void start_work(struct ssdf_device *f, struct ssdf_die *die)
{
	enum ssdf_class class = ssdf_next_class(die);

	if (may_load(f, die, class)) {
		want_page(f, die);
		return;
	}
	if (die->state != SSDF_IDLE) {
		if (class == SSDF_READS)
			use_busy_die(f, die);
		return;
	}
	if (wait_for_transfer(f, die))
		return;
	if (!list_empty(&die->suspended) && !has_reads(die)) {
		resume(f, die);
		return;
	}
	if (class == SSDF_NR_CLASSES)
		return;
	list_del_init(&die->bus);
	ssdf_take_group(f, die, class, &die->group);
	start_array(f, die);
}

/*
 * Start the work that the die can start now. Most dies that are busy, or have just been busy, can
 * start nothing.
 */
static inline void use_die(struct ssdf_device *f, struct ssdf_die *die)
{
	if (die->state != SSDF_IDLE && !f->overlaps)
		return;
	if (ssdf_is_waiting(die) || !list_empty(&die->suspended))
		start_work(f, die);
}

/*
 * Does a host read have to wait for a program, an erase or GC? A die on hold programs the page that
 * is on its way; a die that suspends an operation does so for reads.
 */
static bool is_blocked(const struct ssdf_die *die)
{
	const struct ssdf_command *cmd;

	if (list_empty(&die->group))
		return die->state == SSDF_HOLD;
	cmd = list_first_entry(&die->group, struct ssdf_command, node);
	return cmd->kind != SSDF_READ || cmd->purpose == SSDF_GC || cmd->purpose == SSDF_MAP_UPDATE;
}

/* The die has one command more. */
static void add_load(struct ssdf_device *f, struct ssdf_die *die)
{
	struct ssdf_channel *channel;

	WRITE_ONCE(f->load, f->load + 1);
	WRITE_ONCE(die->load, die->load + 1);
	if (die->load > 1)
		return;
	channel = die->channel;
	WRITE_ONCE(f->idle_dies, f->idle_dies - 1);
	if (!--channel->idle_dies)
		WRITE_ONCE(f->channels_with_idle, f->channels_with_idle & ~channel->bit);
}

/* The die has one command less. */
static void drop_load(struct ssdf_device *f, struct ssdf_die *die)
{
	struct ssdf_channel *channel;

	WRITE_ONCE(f->load, f->load - 1);
	WRITE_ONCE(die->load, die->load - 1);
	if (die->load)
		return;
	channel = die->channel;
	WRITE_ONCE(f->idle_dies, f->idle_dies + 1);
	channel->idle_dies++;
	WRITE_ONCE(f->channels_with_idle, f->channels_with_idle | channel->bit);
}

/* Can the next command of the die start without a look at other commands? */
static bool is_unused(const struct ssdf_die *die)
{
	return die->state == SSDF_IDLE && !ssdf_is_waiting(die) && list_empty(&die->suspended);
}

/* Start the only command of an unused die, or let it wait for the channel. */
static void start_only(struct ssdf_device *f, struct ssdf_die *die, struct ssdf_command *cmd)
{
	struct ssdf_channel *channel = die->channel;

	if ((cmd->kind == SSDF_PROGRAM || f->params.command_wait) && channel->user) {
		ssdf_enqueue(f, die, cmd);
		if (cmd->kind == SSDF_PROGRAM)
			want_page(f, die);
		else
			wait_for_transfer(f, die);
		return;
	}
	die->overtaking = 0;
	list_add_tail(&cmd->node, &die->group);
	if (cmd->kind == SSDF_PROGRAM) {
		die->state = SSDF_IN;
		start_transfer(f, channel, die, cmd);
	} else {
		start_array(f, die);
	}
}

/* Have ssdf_unplug() look at the die, which may have work that can start. */
static void plug(struct ssdf_device *f, struct ssdf_die *die)
{
	if (die->plugged)
		return;
	die->plugged = true;
	die->next_plugged = NULL;
	*f->plug_end = die;
	f->plug_end = &die->next_plugged;
}

/* Queue a command on its die; ssdf_command_done() reports its end. */
void ssdf_queue(struct ssdf_device *f, struct ssdf_command *cmd)
{
	struct ssdf_die *die = f->planes[cmd->plane].die;

	if (cmd->kind == SSDF_READ && cmd->purpose == SSDF_HOST)
		f->stats.blocked_reads += is_blocked(die);
	cmd->waits++;
	add_load(f, die);
	if (!f->plugged) {
		if (is_unused(die)) {
			start_only(f, die, cmd);
			return;
		}
		ssdf_enqueue(f, die, cmd);
		use_die(f, die);
		return;
	}
	plug(f, die);
	if (!die->only && is_unused(die)) {
		die->only = cmd;
		return;
	}
	if (die->only)
		ssdf_enqueue(f, die, die->only);
	die->only = NULL;
	ssdf_enqueue(f, die, cmd);
}

/* Queue commands without starting them, until ssdf_unplug(). */
void ssdf_plug(struct ssdf_device *f)
{
	f->plugged = true;
}

/* Start the dies, in the order in which they got their first command. */
void ssdf_unplug(struct ssdf_device *f)
{
	struct ssdf_command *only;
	struct ssdf_die *die;

	f->plugged = false;
	f->plug_end = &f->plugged_dies;
	for (die = f->plugged_dies; die; die = die->next_plugged) {
		die->plugged = false;
		only = die->only;
		die->only = NULL;
		if (only)
			start_only(f, die, only);
		else
			use_die(f, die);
	}
	f->plugged_dies = NULL;
}

/* GC of the plane goes before host writes, or after them again. */
void ssdf_set_urgent(struct ssdf_device *f, u32 plane, bool urgent)
{
	struct ssdf_die *die = f->planes[plane].die;

	if (f->planes[plane].urgent == urgent)
		return;
	f->planes[plane].urgent = urgent;
	die->urgent_planes += urgent ? 1 : -1;
	use_die(f, die);
}

static __always_inline void finish(struct ssdf_device *f, struct ssdf_die *die,
				   struct ssdf_command *cmd)
{
	list_del_init(&cmd->node);
	drop_load(f, die);
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

/* Inline, like the next functions: only the loop over events calls them. */
static __always_inline void array_event(struct ssdf_device *f, struct ssdf_die *die)
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
		/* Earlier data use the channel, or wait for it already. */
		if (!list_empty(&die->leaving))
			return;
		if (f->params.cache_read)
			want_out_and_read(f, die);
		else
			want_out(f, die, &die->group);
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
static __always_inline void delivered(struct ssdf_device *f, struct ssdf_channel *channel,
				      struct ssdf_die *die)
{
	struct list_head *group = outgoing(die);
	bool cached = group == &die->leaving, last = list_is_singular(group);

	/* finish() may queue a read, whose start moves the rest of the group. */
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
	release(f, channel);
	use_channel(f, channel);
}

/* A page has reached the die. */
static __always_inline void loaded(struct ssdf_device *f, struct ssdf_channel *channel,
				   struct ssdf_die *die)
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
	release(f, channel);
	use_die(f, die);
	if (!channel->user)
		use_channel(f, channel);
}

static __always_inline void channel_event(struct ssdf_device *f, struct ssdf_channel *channel)
{
	struct ssdf_die *die = channel->user;

	if (channel->moving->kind == SSDF_READ)
		delivered(f, channel, die);
	else
		loaded(f, channel, die);
}

static __always_inline void next_event(struct ssdf_device *f)
{
	struct ssdf_event *event = ssdf_take_event(f);

	if (event->track == SSDF_TRANSFERS)
		channel_event(f, container_of(event, struct ssdf_channel, end));
	else
		array_event(f, container_of(event, struct ssdf_die, end));
}

/*
 * Process events that are due by @until_ns, which is before SSDF_NEVER: as many as the caller may
 * still process, but at least one.
 */
void ssdf_nand_events(struct ssdf_device *f, u64 until_ns)
{
	while (ssdf_next_event_ns(f) <= until_ns) {
		next_event(f);
		if (!--f->events_left)
			break;
	}
}
