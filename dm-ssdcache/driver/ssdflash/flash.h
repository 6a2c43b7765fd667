/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of the flash model: device-mapper target "ssdflash".
 *
 *	target.c	device-mapper operations
 *	table.c		table line, status
 *	message.c	messages
 *	sysfs.c		/sys/block/dm-N/ssdflash
 *	flash_trace.[ch]	tracepoints
 *	io.c		bios, the timer, queries of an ssdcache on top
 *	zoned/		data on a zoned origin
 *
 * Names tell the locking rule: ssdf_ is the portable model, called with the target's lock
 * held; dmsf_ is this driver, which takes the lock itself unless stated otherwise.
 */
#ifndef DMSF_FLASH_H
#define DMSF_FLASH_H

#include <linux/device-mapper.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../flash/flash.h"
#include "../common/preflush.h"
#include "../common/sysfs-node.h"

struct ssdc_device_ops;

/**
 * struct dmsf_bio - per-bio data
 * @rq: request to the model
 * @pending: the number of parties, the model and the origin, that still work on the bio
 * @end_io: device-mapper's end_io, saved while the origin has the bio
 * @private: device-mapper's private pointer, likewise
 * @preflush: of a FLUSH: the write that it is part of, if any
 */
struct dmsf_bio {
	struct ssdf_request rq;
	atomic_t pending;
	bio_end_io_t *end_io;
	void *private;
	struct dms_preflush preflush;
};

/**
 * struct dmsf_config - a parsed table line
 * @origin: device path or number
 * @profile: NULL: the defaults of the parameter table
 * @profile_name: name or alias of @profile, as the user gave it
 * @params: as given; blocks may be 0
 */
struct dmsf_config {
	const char *origin;
	const struct ssdf_profile *profile;
	const char *profile_name;
	struct ssdf_params params;
};

struct dmsf_target {
	struct dm_target *ti;
	struct dm_dev *origin;
	struct dmsf_config config;
	struct ssdf_params device_params;	/* complete: blocks and pages are set */

	spinlock_t lock;		/* guards *device, armed_ns to suspending; softirqs off */
	struct ssdf_device *device;
	struct dmsf_zoned *zoned;	/* NULL: the origin is not zoned */
	bool read_only;			/* nothing is written to the zoned origin */
	u64 armed_ns;			/* expiry of @timer; SSDF_NEVER: not armed */
	u64 ahead_ns;			/* how far suspends have put the model's clock ahead */
	bool stopped;			/* suspended: do not arm @timer */
	bool suspending;		/* complete requests without waiting for the model */
	struct hrtimer timer;		/* fires in softirq context at the next event */
	struct work_struct skip_work;	/* skips time while @suspending */

	struct list_head live;		/* resumed targets, found by block device; RCU */
	struct list_head claim;		/* targets that own a zoned origin */
	struct list_head started;	/* targets that a resume has given a zoned origin */
	/* The failure of a zoned origin has lost acknowledged writes: the next FLUSH must fail. */
	atomic_t unreported;

	struct dms_sysfs sysfs;	/* attached by the first resume */
	struct mutex control;		/* serialises messages and sysfs writes */
	struct ssdc_error last_error;	/* protected by @control */
};

/* Takes the lock. */
static inline const char *dmsf_state_name(struct dmsf_target *f)
{
	const char *name = "ok";

	spin_lock_bh(&f->lock);
	if (f->read_only)
		name = "read-only";
	else if (ssdf_is_failed(f->device))
		name = "failed";
	else if (f->suspending)
		name = "suspending";
	else if (f->stopped)
		name = "suspended";
	spin_unlock_bh(&f->lock);
	return name;
}

static inline const char *dmsf_profile_name(const struct dmsf_target *f)
{
	return f->config.profile ? f->config.profile_name : "custom";
}

/* table.c */
int dmsf_table_parse(struct dmsf_config *config, unsigned int argc, char **argv,
		     struct ssdc_error *error);
void dmsf_table_print(struct dmsf_target *f, char *buf, size_t size);
void dmsf_status_print(struct dmsf_target *f, char *buf, size_t size);

/* message.c */
int dmsf_message(struct dmsf_target *f, unsigned int argc, char **argv, char *result,
		 unsigned int maxlen);
int dmsf_refuse(struct dmsf_target *f, const struct ssdc_error *error);
int dmsf_action(struct dmsf_target *f, const char *action);

/* sysfs.c */
int dmsf_sysfs_attach(struct dmsf_target *f);

/* flash_trace.c */
extern const struct ssdf_observer_ops dmsf_trace_observer;

/* io.c */
u64 dmsf_now_ns(const struct dmsf_target *f);
u64 dmsf_enter(struct dmsf_target *f);
void dmsf_leave(struct dmsf_target *f);
struct bio *dmsf_bio_of(struct ssdf_request *rq);
bool dmsf_keeps_discards(const struct dmsf_target *f);
int dmsf_map_bio(struct dmsf_target *f, struct bio *bio);
bool dmsf_claim_origin(struct dmsf_target *f);
void dmsf_release_origin(struct dmsf_target *f);
bool dmsf_inherit_loss(struct dmsf_target *f);
void dmsf_forget(struct dmsf_target *f);
void dmsf_timer_create(struct dmsf_target *f);
void dmsf_start(struct dmsf_target *f);
void dmsf_hurry(struct dmsf_target *f, bool hurry);
void dmsf_stop(struct dmsf_target *f);
bool dmsf_params_of(struct block_device *bdev, struct ssdf_params *params);
extern const struct ssdc_device_ops dmsf_device_ops;

/* target.c */
int dmsf_register(void);
void dmsf_unregister(void);

#endif /* DMSF_FLASH_H */
