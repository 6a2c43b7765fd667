// SPDX-License-Identifier: GPL-2.0
/*
 * Dies and channels of a modelled flash device: when each command runs. See dies.h for the rules,
 * and ../flash/nand.c for the rules of the whole model.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include "../base/alloc.h"
#include "dies.h"

/* Reads, or groups of reads, in a row that go before a write, on a die or on its channel. */
#define MAX_OVERTAKING	16u
#define PARTNER_LOOK	32u	/* reads that are searched for partners of a read */
#define FEED_PAGES	32u	/* flash pages of jobs per call */

enum die_state {
	IDLE,
	LOADING,		/* data to program are being transferred */
	ARRAY,
	UNLOADING,		/* read data wait for the channel, or are transferred */
};

/* A flash page of a job. */
struct ssdc_die_command {
	struct ssdc_die_command *next;	/* in a queue, a group, or free */
	struct ssdc_dies_job *job;
	u32 place;			/* page number within the plane */
	u16 sectors;			/* to transfer */
	u8 plane;
	bool program:1;
	bool merge:1;			/* a read of the rest of a partly written page */
};

struct queue {
	struct ssdc_die_command *first;
	struct ssdc_die_command *last;
};

/* The end of some work. Of two events at the same time, the one that began first comes first. */
struct event {
	struct list_head node;		/* in a track */
	u64 end_ns;
	u32 sequence;
};

struct ssdc_die {
	struct event event;
	struct list_head bus;		/* in the list of dies that wait for the channel */
	struct ssdc_die_channel *channel;
	struct queue reads;
	struct queue writes;
	struct ssdc_die_command *group;	/* runs */
	struct ssdc_die *next_plugged;
	bool plugged;
	u8 state;
	u8 overtaking;
	u32 load;
	u64 written;			/* pages so far: they fill the planes in turn */
};

struct ssdc_die_channel {
	struct event event;
	struct list_head in;		/* dies that wait for data to program */
	struct list_head out;
	struct ssdc_die *user;
	struct ssdc_die_command *moving;
	u32 overtaking;			/* dies of @out in a row that went before some of @in */
	u32 idle_dies;
};

/* ---- queues and events ---- */

static void push(struct queue *q, struct ssdc_die_command *cmd)
{
	cmd->next = NULL;
	if (q->first)
		q->last->next = cmd;
	else
		q->first = cmd;
	q->last = cmd;
}

static struct ssdc_die_command *pop(struct queue *q)
{
	struct ssdc_die_command *cmd = q->first;

	q->first = cmd->next;
	return cmd;
}

/* Only transfers of parts of pages may end before work that began earlier. */
static void add_event(struct ssdc_dies *d, enum ssdc_die_track track, struct event *event, u64 ns)
{
	struct list_head *at = d->events[track].prev;

	event->end_ns = d->now_ns + ns;
	event->sequence = d->sequence++;
	while (at != &d->events[track] &&
	       list_entry(at, struct event, node)->end_ns > event->end_ns)
		at = at->prev;
	list_add(&event->node, at);
}

static void start_array(struct ssdc_dies *d, struct ssdc_die *die)
{
	bool program = die->group->program;

	die->state = ARRAY;
	if (program)
		add_event(d, SSDC_DIE_PROGRAMS, &die->event, d->params.program_ns);
	else
		add_event(d, SSDC_DIE_READS, &die->event, d->params.read_ns);
}

/* A transfer occupies the channel. For idle channels see add_load() and drop_load(), too. */
static void start_transfer(struct ssdc_dies *d, struct ssdc_die *die, struct ssdc_die_command *cmd)
{
	struct ssdc_die_channel *channel = die->channel;
	u64 ns = d->params.transfer_ns;

	if (cmd->sectors < d->params.page_sectors)
		ns = div_u64(ns * cmd->sectors, d->params.page_sectors);
	if (!channel->user)
		d->idle_channels -= !!channel->idle_dies;
	channel->user = die;
	channel->moving = cmd;
	add_event(d, SSDC_DIE_TRANSFERS, &channel->event, ns);
}

/* ---- load ---- */

static void add_load(struct ssdc_dies *d, struct ssdc_die *die)
{
	struct ssdc_die_channel *channel = die->channel;

	d->load++;
	if (die->load++)
		return;
	d->idle_dies--;
	if (!--channel->idle_dies && !channel->user)
		d->idle_channels--;
}

static void drop_load(struct ssdc_dies *d, struct ssdc_die *die)
{
	struct ssdc_die_channel *channel = die->channel;

	d->load--;
	if (--die->load)
		return;
	d->idle_dies++;
	if (!channel->idle_dies++ && !channel->user)
		d->idle_channels++;
}

/* The die that a write would go to: the least loaded die, in turn among equals. */
static u32 least_loaded(const struct ssdc_dies *d)
{
	u32 i, at = d->turn, best = at;

	for (i = 0; i < d->params.dies && d->dies[best].load; i++) {
		if (d->dies[at].load < d->dies[best].load)
			best = at;
		at = at + 1 < d->params.dies ? at + 1 : 0;
	}
	return best;
}

/**
 * ssdc_dies_least_load() - commands that a write would wait for, unless placement is static
 * @d: dies
 *
 * O(dies).
 */
u32 ssdc_dies_least_load(const struct ssdc_dies *d)
{
	return d->dies[least_loaded(d)].load;
}

/**
 * ssdc_dies_load() - commands of a die, queued or executing
 * @d: dies
 * @die: number of the die, see ssdc_dies_place()
 */
u32 ssdc_dies_load(const struct ssdc_dies *d, u32 die)
{
	return d->dies[die].load;
}

/**
 * ssdc_dies_place() - find the die of a page
 * @d: dies
 * @sector: a sector of the page
 *
 * Return: the number of the die that has the page in static order.
 */
u32 ssdc_dies_place(const struct ssdc_dies *d, u64 sector)
{
	u32 die;

	div_u64_rem(div_u64(sector, d->params.page_sectors), d->params.dies, &die);
	return die;
}

/* ---- dies and channels ---- */

/* Do reads go next? */
static bool is_turn_of_reads(const struct ssdc_die *die)
{
	return die->reads.first && !(die->writes.first && die->overtaking >= MAX_OVERTAKING);
}

/*
 * Move reads that can run together with @first, out of the first reads of the queue, into its
 * group.
 */
static void take_partners(struct queue *reads, struct ssdc_die_command *first)
{
	struct ssdc_die_command **at = &reads->first, *cmd, *last = first, *before = NULL;
	u32 i, planes = 1u << first->plane;

	for (i = 0; i < PARTNER_LOOK && *at; i++) {
		cmd = *at;
		if (cmd->place != first->place || planes & 1u << cmd->plane) {
			before = cmd;
			at = &cmd->next;
			continue;
		}
		planes |= 1u << cmd->plane;
		*at = cmd->next;
		if (reads->last == cmd)
			reads->last = before;
		last->next = cmd;
		last = cmd;
	}
	last->next = NULL;
}

static void take_reads(struct ssdc_dies *d, struct ssdc_die *die)
{
	die->overtaking = die->writes.first ? die->overtaking + 1 : 0;
	die->group = pop(&die->reads);
	die->group->next = NULL;
	if (d->params.multi_plane && die->reads.first)
		take_partners(&die->reads, die->group);
}

static void take_writes(struct ssdc_dies *d, struct ssdc_die *die)
{
	struct ssdc_die_command *last = pop(&die->writes);

	die->overtaking = 0;
	die->group = last;
	while (d->params.multi_plane && die->writes.first &&
	       die->writes.first->place == die->group->place) {
		last->next = pop(&die->writes);
		last = last->next;
	}
	last->next = NULL;
}

static void use_channel(struct ssdc_dies *d, struct ssdc_die_channel *channel)
{
	struct ssdc_die *out = list_first_entry_or_null(&channel->out, struct ssdc_die, bus);
	struct ssdc_die *in = list_first_entry_or_null(&channel->in, struct ssdc_die, bus);

	if (in && (!out || channel->overtaking == MAX_OVERTAKING)) {
		channel->overtaking = 0;
		list_del_init(&in->bus);
		take_writes(d, in);
		in->state = LOADING;
		start_transfer(d, in, in->group);
	} else if (out) {
		channel->overtaking = in ? channel->overtaking + 1 : 0;
		list_del_init(&out->bus);
		start_transfer(d, out, out->group);
	}
}

static void want_channel(struct ssdc_dies *d, struct ssdc_die *die, struct list_head *list)
{
	list_move_tail(&die->bus, list);
	if (!die->channel->user)
		use_channel(d, die->channel);
}

/* Start the work that the die can start now. */
static void use_die(struct ssdc_dies *d, struct ssdc_die *die)
{
	if (die->state != IDLE)
		return;
	if (is_turn_of_reads(die)) {
		list_del_init(&die->bus);
		take_reads(d, die);
		start_array(d, die);
	} else if (die->writes.first && list_empty(&die->bus)) {
		want_channel(d, die, &die->channel->in);
	}
}

/* A transfer has ended, and the channel is not used for the rest of the group. */
static void release(struct ssdc_dies *d, struct ssdc_die_channel *channel)
{
	d->idle_channels += !!channel->idle_dies;
	channel->user = NULL;
	use_channel(d, channel);
}

/* ---- commands ---- */

static void queue_read(struct ssdc_dies *d, struct ssdc_die_command *cmd, u64 page,
		       struct ssdc_die **die)
{
	u32 at, nr = d->params.dies;

	cmd->place = div_u64_rem(page, nr * d->params.planes, &at);
	cmd->plane = at / nr;
	cmd->program = false;
	*die = &d->dies[at % nr];
	push(&(*die)->reads, cmd);
	add_load(d, *die);
}

/* @page counts only in static order, where it selects the die. */
static void queue_program(struct ssdc_dies *d, struct ssdc_die_command *cmd, u64 page,
			  struct ssdc_die **die)
{
	u32 at, plane;

	if (d->params.is_static) {
		div_u64_rem(page, d->params.dies, &at);
	} else {
		at = least_loaded(d);
		d->turn = at + 1 < d->params.dies ? at + 1 : 0;
	}
	*die = &d->dies[at];
	cmd->place = div_u64_rem((*die)->written++, d->params.planes, &plane);
	cmd->plane = plane;
	cmd->sectors = d->params.page_sectors;
	cmd->program = true;
	cmd->merge = false;
	push(&(*die)->writes, cmd);
	add_load(d, *die);
}

static enum ssdc_die_lane lane_of(const struct ssdc_dies_job *job)
{
	return job->write ? SSDC_DIE_WRITE_LANE : SSDC_DIE_READ_LANE;
}

/* Create a command for the next flash page of the job. */
static struct ssdc_die *cut(struct ssdc_dies *d, struct ssdc_dies_job *job)
{
	u32 page_sectors = d->params.page_sectors, from;
	u64 page = div_u64_rem(job->sector, page_sectors, &from);
	u32 sectors = min_t(u64, job->nr_sectors, page_sectors - from);
	struct ssdc_die_command *cmd = d->free;
	struct ssdc_die *die;

	d->free = cmd->next;
	d->used[lane_of(job)]++;
	cmd->job = job;
	job->pending++;
	job->sector += sectors;
	job->nr_sectors -= sectors;
	cmd->merge = job->write && sectors < page_sectors;
	cmd->sectors = cmd->merge ? page_sectors - sectors : sectors;
	if (job->write && !cmd->merge)
		queue_program(d, cmd, page, &die);
	else
		queue_read(d, cmd, page, &die);
	return die;
}

/*
 * Queue commands for the next pages of a job, and start their dies once all are queued, so that
 * planes can work together. Returns true when all pages have a command.
 */
static bool expand(struct ssdc_dies *d, struct ssdc_dies_job *job)
{
	struct ssdc_die *first = NULL, **end = &first, *die;
	u32 i;

	for (i = 0; i < FEED_PAGES && job->nr_sectors && d->free &&
	     d->used[lane_of(job)] < d->lane_commands; i++) {
		die = cut(d, job);
		if (die->plugged)
			continue;
		die->plugged = true;
		die->next_plugged = NULL;
		*end = die;
		end = &die->next_plugged;
	}
	for (die = first; die; die = die->next_plugged) {
		die->plugged = false;
		use_die(d, die);
	}
	return !job->nr_sectors;
}

/**
 * ssdc_dies_submit() - some I/O starts
 * @d: dies
 * @job: its sector, length and direction; the dies own it until it has ended
 * @now_ns: current time; all earlier events have happened
 */
void ssdc_dies_submit(struct ssdc_dies *d, struct ssdc_dies_job *job, u64 now_ns)
{
	struct list_head *waiting = &d->waiting[lane_of(job)];

	d->now_ns = now_ns;
	job->pending = 0;
	if (!list_empty(waiting) || !expand(d, job))
		list_add_tail(&job->node, waiting);
}

/**
 * ssdc_dies_feed() - queue commands for jobs that wait for some
 * @d: dies
 * @now_ns: current time; all earlier events have happened
 *
 * Return: true if a job got a command, so that the caller may look again.
 */
bool ssdc_dies_feed(struct ssdc_dies *d, u64 now_ns)
{
	struct ssdc_dies_job *job;
	u32 lane;

	for (lane = 0; lane < SSDC_DIE_LANES; lane++) {
		job = list_first_entry_or_null(&d->waiting[lane], struct ssdc_dies_job, node);
		if (!job || !d->free || d->used[lane] >= d->lane_commands)
			continue;
		d->now_ns = now_ns;
		if (expand(d, job))
			list_del(&job->node);
		return true;
	}
	return false;
}

/* ---- events ---- */

/* A command has ended, and perhaps its job. */
static void finish(struct ssdc_dies *d, struct ssdc_die *die, struct ssdc_die_command *cmd,
		   struct list_head *ended)
{
	struct ssdc_dies_job *job = cmd->job;
	struct ssdc_die *to;

	drop_load(d, die);
	if (cmd->merge) {
		/* In static order, the program goes to the die from which the rest was read. */
		queue_program(d, cmd, die - d->dies, &to);
		use_die(d, to);
		return;
	}
	d->used[lane_of(job)]--;
	cmd->next = d->free;
	d->free = cmd;
	if (!--job->pending && !job->nr_sectors)
		list_add_tail(&job->node, ended);
}

static void array_event(struct ssdc_dies *d, struct ssdc_die *die, struct list_head *ended)
{
	struct ssdc_die_command *cmd, *next;

	die->state = UNLOADING;
	if (!die->group->program) {
		want_channel(d, die, &die->channel->out);
		return;
	}
	for (cmd = die->group; cmd; cmd = next) {
		next = cmd->next;
		finish(d, die, cmd, ended);
	}
	die->state = IDLE;
	use_die(d, die);
}

static void channel_event(struct ssdc_dies *d, struct ssdc_die_channel *channel,
			  struct list_head *ended)
{
	struct ssdc_die_command *cmd = channel->moving, *next = cmd->next;
	struct ssdc_die *die = channel->user;
	bool program = cmd->program;

	if (!program)
		finish(d, die, cmd, ended);
	if (next) {
		start_transfer(d, die, next);
		return;
	}
	if (program) {
		start_array(d, die);
	} else {
		die->state = IDLE;
		use_die(d, die);
	}
	release(d, channel);
}

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns;
	return (s32)(a->sequence - b->sequence) < 0;
}

/* The track of the next event; SSDC_DIE_TRACKS: nothing happens. */
static enum ssdc_die_track next_track(const struct ssdc_dies *d)
{
	enum ssdc_die_track track, next = SSDC_DIE_TRACKS;
	const struct event *event, *first = NULL;

	for (track = 0; track < SSDC_DIE_TRACKS; track++) {
		if (list_empty(&d->events[track]))
			continue;
		event = list_first_entry(&d->events[track], struct event, node);
		if (!first || is_before(event, first)) {
			first = event;
			next = track;
		}
	}
	return next;
}

static struct event *next_event(const struct ssdc_dies *d, enum ssdc_die_track track)
{
	return list_first_entry(&d->events[track], struct event, node);
}

/**
 * ssdc_dies_next_ns() - when to call ssdc_dies_event()
 * @d: dies
 *
 * Return: a time, or U64_MAX: nothing happens.
 */
u64 ssdc_dies_next_ns(const struct ssdc_dies *d)
{
	enum ssdc_die_track track = next_track(d);

	return track < SSDC_DIE_TRACKS ? next_event(d, track)->end_ns : U64_MAX;
}

/**
 * ssdc_dies_event() - let the next event happen
 * @d: dies; ssdc_dies_next_ns() is not U64_MAX
 * @ended: jobs that have ended are added here
 */
void ssdc_dies_event(struct ssdc_dies *d, struct list_head *ended)
{
	enum ssdc_die_track track = next_track(d);
	struct event *event = next_event(d, track);

	d->now_ns = event->end_ns;
	list_del(&event->node);
	if (track == SSDC_DIE_TRANSFERS)
		channel_event(d, list_entry(event, struct ssdc_die_channel, event), ended);
	else
		array_event(d, list_entry(event, struct ssdc_die, event), ended);
}

/* ---- create and destroy ---- */

/**
 * ssdc_dies_bytes() - memory of dies
 * @d: dies
 */
u64 ssdc_dies_bytes(const struct ssdc_dies *d)
{
	return d->params.dies * sizeof(*d->dies) + d->params.channels * sizeof(*d->channels) +
		d->nr_commands * sizeof(*d->commands);
}

/**
 * ssdc_dies_init() - make idle dies
 * @d: zeroed
 * @params: properties of the dies
 * @nr_commands: flash pages that can be in progress
 *
 * Return: 0 or -ENOMEM; ssdc_dies_free() is to be called on failure, too.
 */
int ssdc_dies_init(struct ssdc_dies *d, const struct ssdc_dies_params *params, u32 nr_commands)
{
	u32 i;

	d->params = *params;
	d->nr_commands = nr_commands;
	d->lane_commands = nr_commands - nr_commands / 5;
	d->dies = ssdc_alloc_array(params->dies, sizeof(*d->dies));
	d->channels = ssdc_alloc_array(params->channels, sizeof(*d->channels));
	d->commands = ssdc_alloc_array(nr_commands, sizeof(*d->commands));
	if (!d->dies || !d->channels || !d->commands)
		return -ENOMEM;
	for (i = 0; i < SSDC_DIE_LANES; i++)
		INIT_LIST_HEAD(&d->waiting[i]);
	for (i = 0; i < SSDC_DIE_TRACKS; i++)
		INIT_LIST_HEAD(&d->events[i]);
	for (i = 0; i < params->channels; i++) {
		INIT_LIST_HEAD(&d->channels[i].in);
		INIT_LIST_HEAD(&d->channels[i].out);
	}
	for (i = 0; i < params->dies; i++) {
		INIT_LIST_HEAD(&d->dies[i].bus);
		d->dies[i].channel = &d->channels[i % params->channels];
		d->dies[i].channel->idle_dies++;
	}
	for (i = 0; i < nr_commands; i++) {
		d->commands[i].next = d->free;
		d->free = &d->commands[i];
	}
	d->idle_dies = params->dies;
	d->idle_channels = min(params->channels, params->dies);
	return 0;
}

/**
 * ssdc_dies_free() - free the memory of dies
 * @d: dies, or zeroed
 */
void ssdc_dies_free(struct ssdc_dies *d)
{
	kvfree(d->dies);
	kvfree(d->channels);
	kvfree(d->commands);
}
