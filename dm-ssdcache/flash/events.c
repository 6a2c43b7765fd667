// SPDX-License-Identifier: GPL-2.0
/*
 * The event queue: a list per kind of work, in which the next event is first.
 *
 * Work of the same kind takes the same time, so a new event is nearly always the last of its list,
 * and the next event of all is the first of one of few lists:
 *
 *	read		A 80  C 95
 *	program		B 700  D 760		next: A
 *	transfer	E 90
 *
 * Only transfers of parts of pages, and operations that are resumed, may have to go before others.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../base/alloc.h"
#include "events.h"

static bool before(const struct ssdf_event *a, const struct ssdf_event *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->sequence < b->sequence;
}

static struct ssdf_event *next_event(const struct ssdf_device *f)
{
	struct ssdf_event *next = NULL, *first;
	u32 left;

	for (left = f->used_tracks; left; left &= left - 1) {
		first = list_first_entry(&f->tracks[__ffs(left)], struct ssdf_event, node);
		if (!next || before(first, next))
			next = first;
	}
	return next;
}

static void set_next(struct ssdf_device *f, struct ssdf_event *event)
{
	f->next_event = event;
	f->next_ns = event ? event->time_ns : SSDF_NEVER;
}

/**
 * ssdf_add_event() - add the event of a unit that has none
 * @f: device
 * @track: kind of work; an event that is before others of its kind costs time proportional to
 *	their number
 * @delay_ns: time from now
 * @unit: die, or nr_dies + channel
 */
void ssdf_add_event(struct ssdf_device *f, enum ssdf_track track, u64 delay_ns, u32 unit)
{
	struct ssdf_event *event = &f->events[unit], *other;
	struct list_head *list = &f->tracks[track];

	event->time_ns = f->clock_ns + delay_ns;
	event->sequence = f->sequence++;
	event->track = track;
	list_for_each_entry_reverse(other, list, node)
		if (other->time_ns <= event->time_ns)
			break;
	list_add(&event->node, &other->node);
	f->used_tracks |= BIT(track);
	if (event->time_ns < f->next_ns)
		set_next(f, event);
}

static void del_event(struct ssdf_device *f, struct ssdf_event *event)
{
	list_del_init(&event->node);
	if (list_empty(&f->tracks[event->track]))
		f->used_tracks &= ~BIT(event->track);
	if (event == f->next_event)
		set_next(f, next_event(f));
}

/**
 * ssdf_cancel_event() - forget the event of a unit, which has one
 * @f: device
 * @unit: die, or nr_dies + channel
 */
void ssdf_cancel_event(struct ssdf_device *f, u32 unit)
{
	del_event(f, &f->events[unit]);
}

/**
 * ssdf_take_event() - remove the next event, and set the clock to its time
 * @f: device with an event
 *
 * Return: the unit.
 */
u32 ssdf_take_event(struct ssdf_device *f)
{
	struct ssdf_event *event = f->next_event;

	f->clock_ns = event->time_ns;
	del_event(f, event);
	return event - f->events;
}

int ssdf_events_create(struct ssdf_device *f)
{
	u32 nr = f->nr_dies + f->params.channels, i;

	f->next_ns = SSDF_NEVER;
	f->events = ssdc_alloc_array(nr, sizeof(*f->events));
	if (!f->events)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		INIT_LIST_HEAD(&f->events[i].node);
	for (i = 0; i < SSDF_NR_TRACKS; i++)
		INIT_LIST_HEAD(&f->tracks[i]);
	return 0;
}

void ssdf_events_destroy(struct ssdf_device *f)
{
	kvfree(f->events);
}

/* For tests: is each list in order, and does each event know its list? */
bool ssdf_events_ok(const struct ssdf_device *f)
{
	const struct ssdf_event *event, *last;
	u32 i;

	for (i = 0; i < SSDF_NR_TRACKS; i++) {
		if (list_empty(&f->tracks[i]) != !(f->used_tracks & BIT(i)))
			return false;
		last = NULL;
		list_for_each_entry(event, &f->tracks[i], node) {
			if (event->track != i || (last && !before(last, event)))
				return false;
			last = event;
		}
	}
	return f->next_event == next_event(f);
}
