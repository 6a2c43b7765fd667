// SPDX-License-Identifier: GPL-2.0
/*
 * The part of a kernel that driver/ssdflash/zoned/ needs: one thread, which runs works, ends bios and
 * lets time pass, in random order.
 */
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "kernel.h"

/* Limit per life of the target, to detect endless loops. */
#define MAX_STEPS	20000000

struct workqueue_struct {
	int unused;
};

bool (*kernel_tick)(void);
void (*kernel_bail_out)(const char *why);

static LIST_HEAD(works);
static u32 nr_running;			/* works, one within the other */
static bool hurries;
static u32 slow;

void kernel_slow_down(u32 steps)
{
	slow = steps;
}

void submit_bio_noacct(struct bio *bio)
{
	/* Some bios take long. */
	bio->ready = drive_steps + (rnd(8) ? rnd(4) : rnd(1000));
	list_add_tail(&bio->queue, &drive_bios);
}

/* End a random bio that has taken its time, or with @late any random bio. */
static bool end_bio(bool late)
{
	struct bio *bio;
	u32 nr = 0, which;

	list_for_each_entry(bio, &drive_bios, queue)
		nr += late || bio->ready <= drive_steps;
	if (!nr)
		return false;
	which = rnd(nr);
	list_for_each_entry(bio, &drive_bios, queue)
		if ((late || bio->ready <= drive_steps) && !which--)
			break;
	list_del_init(&bio->queue);
	bio->bi_status = drive_serve(bio);
	bio->bi_end_io(bio);
	return true;
}

void kernel_hurry(bool hurry)
{
	hurries = hurry;
}

/*
 * Other processors may do something between two lock holds of a work: bios end, the model's clock
 * advances, hosts go on. Other works do not run, as they might wait for this one.
 */
void kernel_unlocked(void)
{
	static bool inside;
	u32 steps;

	if (inside || !hurries || !nr_running || rnd(4))
		return;
	inside = true;
	for (steps = 1 + rnd(8); steps && !drive_is_off(); steps--)
		if (rnd(2) ? !kernel_tick() : !end_bio(false))
			break;
	inside = false;
}

static bool run_work(void)
{
	struct work_struct *work;
	u32 nr = 0, which;

	list_for_each_entry(work, &works, node)
		nr += !work->running;
	if (!nr)
		return false;
	which = rnd(nr);
	list_for_each_entry(work, &works, node)
		if (!work->running && !which--)
			break;
	list_del_init(&work->node);
	work->running = true;
	nr_running++;
	work->function(work);
	nr_running--;
	work->running = false;
	return true;
}

bool kernel_step(void)
{
	if (++drive_steps > MAX_STEPS)
		kernel_bail_out("the end: too many steps");
	switch (rnd(3)) {
	case 0:
		if (run_work())
			return true;
		break;
	case 1:
		if (end_bio(false))
			return true;
		break;
	default:
		if (kernel_tick())
			return true;
	}
	return run_work() || end_bio(false) || kernel_tick() || end_bio(true);
}

int submit_bio_wait(struct bio *bio)
{
	u32 meanwhile = rnd(6), late = slow ? rnd(slow) : 0;

	while (meanwhile-- && !rnd(3))
		kernel_step();
	while (late-- && !drive_is_off())
		kernel_step();
	return blk_status_to_errno(drive_serve(bio));
}

void kernel_wait(const wait_queue_head_t *queue, u64 seen, const char *condition)
{
	while (queue->wakes == seen)
		if (!kernel_step())
			kernel_bail_out(condition);
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active)
{
	(void)name;
	(void)max_active;
	return kvcalloc(1, sizeof(struct workqueue_struct), flags);
}

void queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	work->wq = wq;
	if (list_empty(&work->node))
		list_add_tail(&work->node, &works);
}

void flush_work(struct work_struct *work)
{
	while (work->running || !list_empty(&work->node))
		if (!kernel_step())
			kernel_bail_out("a work");
}

static bool has_work(const struct workqueue_struct *wq)
{
	const struct work_struct *work;

	list_for_each_entry(work, &works, node)
		if (work->wq == wq)
			return true;
	return false;
}

void flush_workqueue(struct workqueue_struct *wq)
{
	while (has_work(wq))
		if (!kernel_step())
			kernel_bail_out("a workqueue");
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	flush_workqueue(wq);
	kvfree(wq);
}
