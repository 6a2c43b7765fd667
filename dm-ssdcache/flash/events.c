// SPDX-License-Identifier: GPL-2.0
/*
 * The event queue: a queue per kind of work, and a list of the queues, in the order of their first
 * events.
 *
 * Work of the same kind takes the same time, so a new event is nearly always the last of its queue,
 * and changes nothing else. When an event is taken, its queue moves behind a few other queues at
 * most:
 *
 *	read		A 80  C 95
 *	transfer	E 90				next: A
 *	program		B 700  D 760
 *
 * Only transfers of parts of pages, and resumed operations, may have to go before other events of
 * their queue. The last queue in the list has a single event, which never happens.
 */
#include <linux/kernel.h>
#include "events.h"

static bool before(const struct ssdf_event *a, const struct ssdf_event *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->sequence < b->sequence;
}

/* Put a queue with events in its place among the others. */
static void insert_queue(struct ssdf_device *f, struct ssdf_event_queue *queue)
{
	struct ssdf_event_queue **at = &f->next_queue;

	while (before((*at)->first, queue->first))
		at = &(*at)->next;
	queue->next = *at;
	*at = queue;
}

static void remove_queue(struct ssdf_device *f, const struct ssdf_event_queue *queue)
{
	struct ssdf_event_queue **at = &f->next_queue;

	while (*at != queue)
		at = &(*at)->next;
	*at = queue->next;
}

/* Insert an event that is before the last event of its queue. */
static noinline void insert_early(struct ssdf_device *f, struct ssdf_event_queue *queue,
				  struct ssdf_event *event)
{
	struct ssdf_event **at = &queue->first;

	while ((*at)->time_ns <= event->time_ns)
		at = &(*at)->next;
	event->next = *at;
	*at = event;
	if (queue->first != event)
		return;
	remove_queue(f, queue);
	insert_queue(f, queue);
}

/**
 * ssdf_add_event() - add an event that is in no queue
 * @f: device
 * @track: kind of work. If the event is before others of its kind, the function takes time
 *	proportional to their number
 * @delay_ns: time from now
 * @event: of a channel if @track is SSDF_TRANSFERS, else of a die
 */
void ssdf_add_event(struct ssdf_device *f, enum ssdf_track track, u64 delay_ns,
		    struct ssdf_event *event)
{
	struct ssdf_event_queue *queue = &f->event_queues[track];

	event->time_ns = f->clock_ns + delay_ns;
	event->sequence = f->sequence++;
	event->track = track;
	if (queue->first && event->time_ns < queue->last->time_ns) {
		insert_early(f, queue, event);
		return;
	}
	event->next = NULL;
	if (queue->first) {
		queue->last->next = event;
		queue->last = event;
		return;
	}
	queue->first = event;
	queue->last = event;
	insert_queue(f, queue);
}

/**
 * ssdf_cancel_event() - forget an event that is in a queue
 * @f: device
 * @event: event
 *
 * Takes time proportional to the number of events of its kind.
 */
void ssdf_cancel_event(struct ssdf_device *f, struct ssdf_event *event)
{
	struct ssdf_event_queue *queue = &f->event_queues[event->track];
	struct ssdf_event **at, *last = NULL;

	remove_queue(f, queue);
	for (at = &queue->first; *at != event; at = &(*at)->next)
		last = *at;
	*at = event->next;
	if (queue->last == event)
		queue->last = last;
	if (queue->first)
		insert_queue(f, queue);
}

/**
 * ssdf_take_event() - remove the next event, and set the clock to its time
 * @f: device with an event
 *
 * Return: the event.
 */
struct ssdf_event *ssdf_take_event(struct ssdf_device *f)
{
	struct ssdf_event_queue *queue = f->next_queue;
	struct ssdf_event *event = queue->first;

	f->clock_ns = event->time_ns;
	queue->first = event->next;
	f->next_queue = queue->next;
	if (queue->first)
		insert_queue(f, queue);
	return event;
}

/* Initialize the queues: there is no event yet. */
void ssdf_events_begin(struct ssdf_device *f)
{
	f->never = (struct ssdf_event){ .time_ns = SSDF_NEVER };
	f->last_queue.first = &f->never;
	f->next_queue = &f->last_queue;
}

/* Is the queue in order, and does each event know the queue? */
static bool queue_ok(const struct ssdf_device *f, const struct ssdf_event_queue *queue)
{
	const struct ssdf_event *event, *last = NULL;

	for (event = queue->first; event; last = event, event = event->next)
		if (&f->event_queues[event->track] != queue || (last && !before(last, event)))
			return false;
	return !last || last == queue->last;
}

/* For tests: does the list have all queues with events, and no others, in order? */
bool ssdf_events_ok(const struct ssdf_device *f)
{
	const struct ssdf_event_queue *queue, *last = NULL;
	u32 i, used = 0;

	for (i = 0; i < SSDF_NR_TRACKS; i++) {
		if (!queue_ok(f, &f->event_queues[i]))
			return false;
		used += !!f->event_queues[i].first;
	}
	for (queue = f->next_queue; queue != &f->last_queue; last = queue, queue = queue->next)
		if (!used-- || !queue->first || (last && !before(last->first, queue->first)))
			return false;
	return !used;
}
