/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, all in one place. The code is written for the newest
 * kernel; this header adds what older kernels lack. SSDC_HAVE_<NAME> is defined if
 * compat/tests/<name>.c compiles with the kernel's own flags. Version numbers are not
 * used, because stable and distribution kernels backport changes.
 */
#ifndef SSDC_COMPAT_H
#define SSDC_COMPAT_H

#include <linux/blkdev.h>
#include <linux/hrtimer.h>
#include <linux/workqueue.h>

/* Linux 6.13 (908a1d775422): hrtimer_setup() sets the function, too. */
#ifndef SSDC_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Linux 6.5 (05bdb9965305): block devices have their own open flags. */
#ifndef SSDC_HAVE_BLK_MODE
#define BLK_OPEN_WRITE FMODE_WRITE
#endif

/* Linux 6.17 (930c2ea566af): workqueues say if items run on the CPU they are queued on. */
#ifndef SSDC_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

/* Linux 6.11 (b1fc937a55f5): the zoned flag is one of the queue features. */
static inline void dms_limits_not_zoned(struct queue_limits *limits)
{
#ifdef SSDC_HAVE_FEAT_ZONED
	limits->features &= ~BLK_FEAT_ZONED;
#else
	limits->zoned = BLK_ZONED_NONE;
#endif
	limits->chunk_sectors = 0;
}

/*
 * Linux 6.9 (44981351d2ea): bios carry the write hint of their file. Returns 0 without a hint, else
 * 1 (short-lived) to 4 (extremely long-lived).
 */
static inline u8 dms_bio_stream(const struct bio *bio)
{
#ifdef SSDC_HAVE_WRITE_HINT
	if (bio->bi_write_hint > WRITE_LIFE_NONE)
		return bio->bi_write_hint - WRITE_LIFE_NONE;
#endif
	return 0;
}

#endif /* SSDC_COMPAT_H */
