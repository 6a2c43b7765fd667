// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: submits block requests at given times, from within the kernel.
 *
 * In User-Mode Linux a system call takes more real time than the rest of a request. Here
 * one call submits a thousand requests, and memory does not grow with the length of the
 * trace. ssdcache-feeder.h has the interface.
 *
 * States of a slot:
 *
 *	free --feed_one()--> in flight --request_ended()--> ended --read()--> free
 *
 * Data do not matter: all reads share one buffer, all writes share a buffer of zeroes.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "../../../include/ssdcache-feeder.h"

#define CHUNK_BYTES	(256u << 10)	/* contiguous memory behind one vector */
#define NR_VECS		((SSDC_FEED_MAX_SECTORS << SECTOR_SHIFT) / CHUNK_BYTES)
#define SETTLE_POLL_NS	(200 * NSEC_PER_USEC)
#define SETTLE_MAX_NS	(60 * NSEC_PER_SEC)

static_assert(NR_VECS <= BIO_MAX_VECS);

struct feed;

/**
 * struct slot - room for one request
 * @bio: bio of the request in flight; unused for discards
 * @feed: owner of the slot
 * @node: link in @feed->free or @feed->ended
 * @start_ns: start of the latency
 * @result: result for read()
 */
struct slot {
	struct bio bio;
	struct feed *feed;
	struct list_head node;
	u64 start_ns;
	struct ssdc_feed_result result;
};

/**
 * struct feed - an open file
 * @lock: serializes calls; guards the members up to @slots
 * @device: the block device; NULL before SSDC_FEED_SETUP
 * @settle: file that reads 1 when the next request may start; may be NULL
 * @closed: each request waits for the previous one to end
 * @full: no slot was free when the next request was due
 * @next: number of the next request
 * @slots: all slots
 * @lists_lock: guards the members below it
 * @free: slots without a request
 * @ended: slots with a result for read()
 * @in_flight: number of slots on neither list
 * @changed: woken when a request ends
 */
struct feed {
	struct mutex lock;		/* one call at a time */
	struct file *device;
	struct file *settle;
	bool closed;
	bool full;
	u64 next;
	struct slot *slots;

	spinlock_t lists_lock;		/* also taken by completion handlers */
	struct list_head free;
	struct list_head ended;
	unsigned int in_flight;
	wait_queue_head_t changed;
};

/* Data of all requests; a bio uses as many of the vectors as it needs. */
static struct page *chunks[2];			/* READ, WRITE */
static struct bio_vec vecs[2][NR_VECS];

static struct block_device *feed_bdev(const struct feed *feed)
{
	return I_BDEV(feed->device->f_mapping->host);
}

/* Context: any, including interrupts. */
static void request_ended(struct slot *slot, int error)
{
	struct feed *feed = slot->feed;
	unsigned long flags;

	slot->result.end_ns = ktime_get_ns();
	slot->result.latency_ns = slot->result.end_ns - slot->start_ns;
	slot->result.error = error;
	spin_lock_irqsave(&feed->lists_lock, flags);
	list_add_tail(&slot->node, &feed->ended);
	feed->in_flight--;
	/* Wake under the lock: the feed may be freed as soon as the lock is released. */
	wake_up(&feed->changed);
	spin_unlock_irqrestore(&feed->lists_lock, flags);
}

static void bio_ended(struct bio *bio)
{
	int error = blk_status_to_errno(bio->bi_status);

	bio_uninit(bio);
	request_ended(bio->bi_private, error);
}

static void discard_ended(struct bio *bio)
{
	request_ended(bio->bi_private, blk_status_to_errno(bio->bi_status));
	bio_put(bio);
}

static struct slot *take(struct feed *feed, struct list_head *list)
{
	struct slot *slot;

	spin_lock_irq(&feed->lists_lock);
	slot = list_first_entry_or_null(list, struct slot, node);
	if (slot) {
		list_del(&slot->node);
		feed->in_flight += list == &feed->free;
	}
	spin_unlock_irq(&feed->lists_lock);
	return slot;
}

/* Whether read() need not wait: there is a result, or no request is in flight. */
static bool may_read(struct feed *feed)
{
	bool may;

	spin_lock_irq(&feed->lists_lock);
	may = !list_empty(&feed->ended) || !feed->in_flight;
	spin_unlock_irq(&feed->lists_lock);
	return may;
}

/* Taking the lock waits for the completion handler of the last request. */
static bool is_idle(struct feed *feed)
{
	bool idle;

	spin_lock_irq(&feed->lists_lock);
	idle = !feed->in_flight;
	spin_unlock_irq(&feed->lists_lock);
	return idle;
}

static int sleep_until(u64 time_ns)
{
	ktime_t time = ns_to_ktime(time_ns);

	while (ktime_get_ns() < time_ns) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			return -EINTR;
		}
		schedule_hrtimeout_range(&time, 0, HRTIMER_MODE_ABS);
	}
	return 0;
}

static int wait_settled(struct feed *feed)
{
	u64 now_ns = ktime_get_ns(), give_up_ns = now_ns + SETTLE_MAX_NS;
	ssize_t nr;
	loff_t at;
	char c;
	int r;

	for (;;) {
		at = 0;
		nr = kernel_read(feed->settle, &c, 1, &at);
		if (nr < 0)
			return nr;
		if (nr == 1 && c == '1')
			return 0;
		if (now_ns > give_up_ns)
			return -ETIMEDOUT;
		r = sleep_until(now_ns + SETTLE_POLL_NS);
		if (r)
			return r;
		now_ns = ktime_get_ns();
	}
}

static bool has_data(const struct ssdc_feed_request *request)
{
	return request->op == SSDC_FEED_READ || request->op == SSDC_FEED_WRITE;
}

/* Whether the fields of a request agree with its operation. */
static bool is_request(const struct ssdc_feed_request *request)
{
	bool may_fua = request->op == SSDC_FEED_WRITE;
	bool has_length = request->op != SSDC_FEED_FLUSH;

	return request->op < SSDC_FEED_NR_OPS && request->fua <= may_fua && !request->zero &&
		!!request->nr_sectors == has_length;
}

/* Whether the request is within the device and aligned to its blocks. */
static bool fits(struct feed *feed, const struct ssdc_feed_request *request)
{
	u32 block_sectors = bdev_logical_block_size(feed_bdev(feed)) >> SECTOR_SHIFT;
	u64 nr = bdev_nr_sectors(feed_bdev(feed));

	if (has_data(request) && request->nr_sectors > SSDC_FEED_MAX_SECTORS)
		return false;
	return request->sector <= nr && request->nr_sectors <= nr - request->sector &&
		!((request->sector | request->nr_sectors) & (block_sectors - 1));
}

/* Split like BLKDISCARD. */
static void submit_discard(struct feed *feed, struct slot *slot,
			   const struct ssdc_feed_request *request)
{
	struct bio *bio = NULL;

	__blkdev_issue_discard(feed_bdev(feed), request->sector, request->nr_sectors, GFP_KERNEL,
			       &bio);
	if (!bio) {
		request_ended(slot, -EOPNOTSUPP);
		return;
	}
	bio->bi_private = slot;
	bio->bi_end_io = discard_ended;
	submit_bio(bio);
}

static void submit_other(struct feed *feed, struct slot *slot,
			 const struct ssdc_feed_request *request)
{
	/* The flags of direct I/O and fsync(). */
	static const blk_opf_t opf[SSDC_FEED_NR_OPS] = {
		[SSDC_FEED_READ] = REQ_OP_READ,
		[SSDC_FEED_WRITE] = REQ_OP_WRITE | REQ_SYNC | REQ_IDLE,
		[SSDC_FEED_FLUSH] = REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC,
	};
	struct bio_vec *data = has_data(request) ? vecs[request->op == SSDC_FEED_WRITE] : NULL;
	u32 bytes = request->nr_sectors << SECTOR_SHIFT;
	struct bio *bio = &slot->bio;

	bio_init(bio, feed_bdev(feed), data, data ? NR_VECS : 0,
		 opf[request->op] | (request->fua ? REQ_FUA : 0));
	bio->bi_vcnt = DIV_ROUND_UP(bytes, CHUNK_BYTES);
	bio->bi_iter.bi_size = bytes;
	bio->bi_iter.bi_sector = request->sector;
	bio->bi_private = slot;
	bio->bi_end_io = bio_ended;
	submit_bio(bio);
}

/* Wait for a free slot. -EAGAIN: none becomes free before results are read. */
static int wait_for_slot(struct feed *feed)
{
	bool is_free;

	spin_lock_irq(&feed->lists_lock);
	is_free = !list_empty(&feed->free);
	spin_unlock_irq(&feed->lists_lock);
	if (is_free)
		return 0;
	feed->full = true;
	return wait_event_interruptible(feed->changed, may_read(feed)) ? -EINTR : -EAGAIN;
}

static void submit(struct feed *feed, const struct ssdc_feed_request *request, u64 late_ns)
{
	struct slot *slot = take(feed, &feed->free);

	feed->full = false;
	slot->result.request = *request;
	slot->result.number = feed->next++;
	slot->result.late_ns = late_ns;
	slot->start_ns = request->due_ns ?: ktime_get_ns();
	if (request->op == SSDC_FEED_DISCARD)
		submit_discard(feed, slot, request);
	else
		submit_other(feed, slot, request);
}

/* Submit a request when it is due. Returns -errno if it was not submitted. */
static int feed_one(struct feed *feed, const struct ssdc_feed_request *request)
{
	u64 now_ns, late_ns = 0;
	int r;

	if (!is_request(request) || !fits(feed, request))
		return -EINVAL;
	r = wait_for_slot(feed);
	if (r)
		return r;
	now_ns = ktime_get_ns();
	if (feed->full && request->due_ns && now_ns > request->due_ns)
		late_ns = now_ns - request->due_ns;
	if (feed->settle)
		r = wait_settled(feed);
	if (!r)
		r = sleep_until(request->due_ns);
	if (r)
		return r;
	submit(feed, request, late_ns);
	return 0;
}

/* Closed mode: wait for the request to end, or for a signal. The request counts as submitted. */
static void wait_for_end(struct feed *feed)
{
	if (feed->closed)
		wait_event_interruptible(feed->changed, is_idle(feed));
}

static ssize_t feed_write(struct file *file, const char __user *from, size_t bytes, loff_t *at)
{
	struct feed *feed = file->private_data;
	struct ssdc_feed_request request;
	size_t done = 0;
	int r = 0;

	if (bytes % sizeof(request))
		return -EINVAL;
	if (mutex_lock_interruptible(&feed->lock))
		return -EINTR;
	if (!feed->device)
		r = -ENXIO;
	while (!r && done < bytes) {
		if (copy_from_user(&request, from + done, sizeof(request)))
			r = -EFAULT;
		else
			r = feed_one(feed, &request);
		if (!r) {
			done += sizeof(request);
			wait_for_end(feed);
		}
	}
	mutex_unlock(&feed->lock);
	return done || r == -EAGAIN ? done : r;
}

/* Copy as many results as fit. */
static ssize_t copy_results(struct feed *feed, char __user *to, size_t bytes)
{
	struct slot *slot;
	size_t done = 0;
	bool bad = false;

	while (bytes - done >= sizeof(slot->result) && !bad) {
		slot = take(feed, &feed->ended);
		if (!slot)
			break;
		bad = copy_to_user(to + done, &slot->result, sizeof(slot->result));
		if (!bad)
			done += sizeof(slot->result);
		spin_lock_irq(&feed->lists_lock);
		list_add(&slot->node, bad ? &feed->ended : &feed->free);
		spin_unlock_irq(&feed->lists_lock);
	}
	return bad && !done ? -EFAULT : done;
}

static ssize_t feed_read(struct file *file, char __user *to, size_t bytes, loff_t *at)
{
	struct feed *feed = file->private_data;
	ssize_t r;

	if (bytes < sizeof(struct ssdc_feed_result))
		return -EINVAL;
	if (mutex_lock_interruptible(&feed->lock))
		return -EINTR;
	r = wait_event_interruptible(feed->changed, may_read(feed));
	if (!r)
		r = copy_results(feed, to, bytes);
	mutex_unlock(&feed->lock);
	return r;
}

/* Release what take_files() has taken so far. */
static void put_files(struct feed *feed)
{
	if (feed->settle)
		fput(feed->settle);
	if (feed->device)
		fput(feed->device);
	feed->settle = NULL;
	feed->device = NULL;
}

static const struct file_operations feed_ops;

static int take_files(struct feed *feed, const struct ssdc_feed_setup *setup)
{
	const fmode_t mode = FMODE_READ | FMODE_WRITE;

	feed->device = fget(setup->device);
	if (!feed->device)
		return -EBADF;
	if (!S_ISBLK(file_inode(feed->device)->i_mode))
		return -ENOTBLK;
	if ((feed->device->f_mode & mode) != mode)
		return -EBADF;
	if (setup->settle < 0)
		return 0;
	feed->settle = fget(setup->settle);
	if (!feed->settle)
		return -EBADF;
	/* A feeder that holds a reference to itself would never be released. */
	return feed->settle->f_op == &feed_ops ? -EINVAL : 0;
}

static int set_up(struct feed *feed, const struct ssdc_feed_setup *setup)
{
	u32 i;
	int r;

	if (feed->device)
		return -EBUSY;
	if (!setup->depth || setup->depth > SSDC_FEED_MAX_DEPTH || setup->closed > 1)
		return -EINVAL;
	r = take_files(feed, setup);
	if (!r) {
		feed->slots = kvcalloc(setup->depth, sizeof(*feed->slots), GFP_KERNEL);
		r = feed->slots ? 0 : -ENOMEM;
	}
	if (r) {
		put_files(feed);
		return r;
	}
	feed->closed = setup->closed;
	for (i = 0; i < setup->depth; i++) {
		feed->slots[i].feed = feed;
		list_add_tail(&feed->slots[i].node, &feed->free);
	}
	return 0;
}

static long feed_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct feed *feed = file->private_data;
	struct ssdc_feed_setup setup;
	int r;

	if (command != SSDC_FEED_SETUP)
		return -ENOTTY;
	if (copy_from_user(&setup, (void __user *)argument, sizeof(setup)))
		return -EFAULT;
	if (mutex_lock_interruptible(&feed->lock))
		return -EINTR;
	r = set_up(feed, &setup);
	mutex_unlock(&feed->lock);
	return r;
}

static int feed_open(struct inode *inode, struct file *file)
{
	struct feed *feed;

	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	feed = kzalloc(sizeof(*feed), GFP_KERNEL);
	if (!feed)
		return -ENOMEM;
	mutex_init(&feed->lock);
	spin_lock_init(&feed->lists_lock);
	INIT_LIST_HEAD(&feed->free);
	INIT_LIST_HEAD(&feed->ended);
	init_waitqueue_head(&feed->changed);
	file->private_data = feed;
	return stream_open(inode, file);
}

static int feed_release(struct inode *inode, struct file *file)
{
	struct feed *feed = file->private_data;

	wait_event(feed->changed, is_idle(feed));
	put_files(feed);
	kvfree(feed->slots);
	mutex_destroy(&feed->lock);
	kfree(feed);
	return 0;
}

static const struct file_operations feed_ops = {
	.owner = THIS_MODULE,
	.open = feed_open,
	.release = feed_release,
	.unlocked_ioctl = feed_ioctl,
	.read = feed_read,
	.write = feed_write,
};

static struct miscdevice feed_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = SSDC_FEED_NAME,
	.mode = 0600,
	.fops = &feed_ops,
};

static void free_chunks(void)
{
	unsigned int rw;

	for (rw = READ; rw <= WRITE; rw++)
		if (chunks[rw])
			__free_pages(chunks[rw], get_order(CHUNK_BYTES));
}

static int alloc_chunks(void)
{
	unsigned int rw, i;

	for (rw = READ; rw <= WRITE; rw++) {
		chunks[rw] = alloc_pages(GFP_KERNEL | __GFP_ZERO, get_order(CHUNK_BYTES));
		if (!chunks[rw])
			return -ENOMEM;
		for (i = 0; i < NR_VECS; i++) {
			vecs[rw][i].bv_page = chunks[rw];
			vecs[rw][i].bv_len = CHUNK_BYTES;
		}
	}
	return 0;
}

static int __init feeder_init(void)
{
	int r = alloc_chunks();

	if (!r)
		r = misc_register(&feed_device);
	if (r)
		free_chunks();
	return r;
}

static void __exit feeder_exit(void)
{
	misc_deregister(&feed_device);
	free_chunks();
}

module_init(feeder_init);
module_exit(feeder_exit);

MODULE_DESCRIPTION("Submits the requests of a trace at their times, for tests");
MODULE_AUTHOR("The dm-ssdcache developers");
MODULE_LICENSE("GPL");
