/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's side of the flash model: target "ssdflash".
 *
 *	flash-target.c	device-mapper's side
 *	flash-table.c	table line, status
 *	flash-message.c	messages
 *	flash-sysfs.c	/sys/block/dm-N/ssdflash
 *	flash_trace.[ch]	tracepoints
 *	flash.c		bios, the timer, and what ssdcache above asks
 *	below.c		what it shares with the other target
 *	zoned*.c	data on a zoned origin
 */
#ifndef SSDC_TARGET_FLASH_H
#define SSDC_TARGET_FLASH_H

#include <linux/device-mapper.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "../../flash/flash.h"
#include "../common/sysfs-node.h"

struct ssdc_device_ops;

/**
 * struct ssdf_bio - what a bio needs on its way, in its per-target data
 * @rq: to the model
 * @pending: the model and the origin, as long as they have it
 * @end_io: device-mapper's own, while the origin has the bio
 * @private: likewise
 */
struct ssdf_bio {
	struct ssdf_request rq;
	atomic_t pending;
	bio_end_io_t *end_io;
	void *private;
};

/**
 * struct ssdf_config - what a table line says
 * @origin: device path or number
 * @profile: NULL: the defaults of the parameter table
 * @params: as given; blocks may be 0
 */
struct ssdf_config {
	const char *origin;
	const struct ssdf_profile *profile;
	struct ssdf_params params;
};

struct ssdf_target {
	struct dm_target *ti;
	struct dm_dev *origin;
	struct ssdf_config config;
	struct ssdf_params device_params;	/* with all of them filled in */

	spinlock_t lock;		/* guards *device, armed_ns, stopped; softirqs off */
	struct ssdf_device *device;
	struct ssdf_zoned *zoned;	/* NULL: the origin is not zoned */
	u64 armed_ns;			/* when @timer fires; SSDF_NEVER: it does not */
	bool stopped;			/* suspended: arm it no more */
	struct hrtimer timer;		/* in softirq context, at the time of the next event */

	struct list_head live;		/* resumed ones, for who asks by block device; RCU */
	struct list_head claim;		/* those that have a zoned origin to themselves */

	struct ssdc_sysfs sysfs;	/* attached by the first resume */
	struct mutex control;		/* messages, sysfs writes: one at a time */
	struct ssdc_error last_error;	/* under @control */
};

static inline const char *ssdf_state_name(const struct ssdf_target *f)
{
	if (ssdf_is_failed(f->device))
		return "failed";
	return READ_ONCE(f->stopped) ? "suspended" : "ok";
}

static inline const char *ssdf_profile_name(const struct ssdf_target *f)
{
	return f->config.profile ? f->config.profile->name : "custom";
}

/* flash-table.c */
int ssdf_table_parse(struct ssdf_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error);
void ssdf_table_print(struct ssdf_target *f, char *buf, size_t size);
void ssdf_status_print(struct ssdf_target *f, char *buf, size_t size);

/* flash-message.c */
int ssdf_message(struct ssdf_target *f, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen);
int ssdf_action(struct ssdf_target *f, const char *action);

/* flash-sysfs.c */
int ssdf_sysfs_attach(struct ssdf_target *f);

/* flash_trace.c */
extern const struct ssdf_observer_ops ssdf_trace_observer;

/* flash.c */
u64 ssdf_enter(struct ssdf_target *f);
void ssdf_leave(struct ssdf_target *f);
struct bio *ssdf_bio_of(struct ssdf_request *rq);
int ssdf_map_bio(struct ssdf_target *f, struct bio *bio);
bool ssdf_claim_origin(struct ssdf_target *f);
void ssdf_release_origin(struct ssdf_target *f);
void ssdf_timer_create(struct ssdf_target *f);
void ssdf_start(struct ssdf_target *f);
void ssdf_stop(struct ssdf_target *f);
extern const struct ssdc_device_ops ssdf_device_ops;

/* flash-target.c */
int ssdf_register(void);
void ssdf_unregister(void);

#endif /* SSDC_TARGET_FLASH_H */
