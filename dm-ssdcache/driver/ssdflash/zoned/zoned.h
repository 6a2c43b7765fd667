/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ssdflash on a zoned origin: erase blocks are zones, and data are where the
 * model's map says.
 *
 *	zoned-origin.c	which zones there are and what for; start and stop
 *	zoned.c		data: pages on their way to and from zones
 *	zoned-log.c	the map on the medium: checkpoints, a log
 *	zoned-recovery.c	the map, read back
 *
 * Zones of the origin, from its first sequential one on:
 *
 *	[ log, region 0 ][ log, region 1 ][ erase blocks of plane 0 ][ plane 1 ] ...
 */
#ifndef SSDC_TARGET_ZONED_H
#define SSDC_TARGET_ZONED_H

#include <linux/bio.h>
#include <linux/llist.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../flash.h"
#include "../../../flash/media.h"

#define ZONED_LOG_BLOCK		4096
#define ZONED_LOG_SECTORS	(ZONED_LOG_BLOCK >> SECTOR_SHIFT)

/**
 * struct zoned_layout - how an origin is used
 * @zone_sectors: distance of zones
 * @capacity_sectors: of each zone
 * @first: number of the first zone that is used
 * @nr_zones: from it on
 * @region_zones: zones of each of the log's two regions
 */
struct zoned_layout {
	u64 zone_sectors;
	u64 capacity_sectors;
	u32 first;
	u32 nr_zones;
	u32 region_zones;
};

/*
 * The map is read when the target is resumed for the first time. Once stopped nothing is
 * written, whatever becomes of the target: the zones may be somebody else's by then.
 */
enum zoned_state { ZONED_UNREAD, ZONED_IN_USE, ZONED_STOPPED, ZONED_UNUSABLE };

/* What a slot has to do, and how far it is. */
enum zoned_job { ZONED_READ, ZONED_WRITE, ZONED_ERASE };
enum zoned_stage {
	ZONED_NEW,		/* wait for the worker */
	ZONED_FETCH,		/* what is in a zone is being read */
	ZONED_READY,		/* has what it needs: may be written or handed out */
	ZONED_STORE,		/* is being written, or the zone reset */
	ZONED_FINISH,		/* written as the last of its zone, which is finished */
};

/**
 * struct zoned_slot - a page on its way
 * @bio: to the origin
 * @vec: its data
 * @data: one page
 * @ended: on the list of bios that ended
 * @node: on a list of work, or of who waits for another slot's data
 * @queue: on its stream's list, to be written in this order
 * @pending: by @ppn, while that is not in its zone yet
 * @puts: on the list of those that are to be told as done
 * @nr_puts: how often
 * @dependents: slots that wait for the data
 * @source: slot that has what is to be read, or NULL
 * @rq: host's, or NULL for GC
 * @lpn: page
 * @ppn: to be read, to be written, or first of the block to be erased
 * @old: where the rest of a page is that is written in part
 * @job: what to do
 * @stage: how far it is; the worker's
 * @epoch: of the log, that waits for this write
 * @ok: the job has not failed
 */
struct zoned_slot {
	struct bio bio;
	struct bio_vec vec;
	void *data;
	struct llist_node ended;
	struct list_head node;
	struct list_head queue;
	struct hlist_node pending;
	struct list_head puts;
	u32 nr_puts;
	struct list_head dependents;
	struct zoned_slot *source;
	struct ssdf_request *rq;
	ssdf_lpn_t lpn;
	ssdf_ppn_t ppn;
	ssdf_ppn_t old;
	enum zoned_job job;
	enum zoned_stage stage;
	u8 epoch;
	bool ok;
};

/* Writes of a plane, of the host or of GC: one zone is open for them, and one write under way. */
struct zoned_stream {
	struct list_head queue;
	bool busy;
};

struct zoned_entry {
	u32 lpn;
	u32 ppn;
	u32 nr;				/* pages from lpn on, if they are trimmed; else 1 */
};

/* The map's changes since the last commit, and those of the commit under way. */
struct zoned_log {
	/* The target's lock. */
	struct zoned_entry *entries[2];
	u32 nr[2];
	u32 inflight[2];		/* their data are not all in the zones yet */
	u8 current_epoch;
	bool wanted;			/* a commit, though nobody waits for it */
	struct list_head flushes;	/* requests that wait for a commit */
	struct list_head erases;	/* slots that do */

	/* Commits, which are one at a time. */
	u32 capacity;			/* entries per epoch */
	u32 host_entries;		/* of these, when the host has to wait */
	u32 region;			/* 0 or 1 */
	u64 generation;			/* of the region */
	u64 next_block;			/* of the region, to be written */
	u64 region_blocks;
	u64 map_blocks;			/* of a checkpoint */
	void *buffer;
	wait_queue_head_t landed;	/* an epoch's data are in the zones */
};

struct ssdf_zoned {
	struct ssdf_target *target;
	struct block_device *bdev;
	struct zoned_layout layout;
	u32 page_bytes;
	u32 pages;			/* per erase block */
	u32 blocks;			/* per plane */
	u32 nr_planes;
	u32 nr_blocks;
	enum zoned_state state;

	/* The target's lock. */
	struct zoned_slot *slots;
	u32 nr_slots;
	struct hlist_head *pending;
	u32 *readers;			/* by block: an erase waits for them */
	u32 *written;			/* by block: pages that are in the zone */
	struct list_head todo;
	u32 busy;			/* slots that are not done */
	int failed;
	wait_queue_head_t idle;		/* @busy became 0 */

	/* The worker's. */
	struct llist_head ended;
	struct list_head ready;		/* to be gone on with */
	struct list_head puts;
	struct list_head waiting_erases;
	bool failure_told;
	struct zoned_stream *streams;

	/* Commits wait for what @work does: one rescuer cannot serve both. */
	struct workqueue_struct *wq;
	struct workqueue_struct *commit_wq;
	struct work_struct work;
	struct work_struct commit_work;
	struct zoned_log log;
};

/* zoned-origin.c */
#ifdef CONFIG_BLK_DEV_ZONED
int ssdf_zoned_layout(struct ssdf_target *f, struct zoned_layout *layout,
		      struct ssdc_error *error);
int ssdf_zoned_create(struct ssdf_target *f, const struct zoned_layout *layout,
		      struct ssdc_error *error);
int ssdf_zoned_start(struct ssdf_target *f, struct ssdc_error *error);
void ssdf_zoned_stop(struct ssdf_target *f);
void ssdf_zoned_destroy(struct ssdf_target *f);
#else
/* No device is zoned. */
static inline int ssdf_zoned_layout(struct ssdf_target *f, struct zoned_layout *layout,
				    struct ssdc_error *error) { return -EOPNOTSUPP; }
static inline int ssdf_zoned_create(struct ssdf_target *f, const struct zoned_layout *layout,
				    struct ssdc_error *error) { return -EOPNOTSUPP; }
static inline int ssdf_zoned_start(struct ssdf_target *f, struct ssdc_error *error) { return 0; }
static inline void ssdf_zoned_stop(struct ssdf_target *f) { }
static inline void ssdf_zoned_destroy(struct ssdf_target *f) { }
#endif
int ssdf_zoned_report(struct ssdf_zoned *z, u32 first, u32 nr, report_zones_cb cb, void *data);
int ssdf_zoned_io(struct ssdf_zoned *z, blk_opf_t opf, u64 sector, void *data, u32 bytes);

static inline u64 ssdf_zoned_sectors(const struct ssdf_zoned *z)
{
	return (z->layout.first + (u64)z->layout.nr_zones) * z->layout.zone_sectors;
}

/* zoned.c */
extern const struct ssdf_media_ops ssdf_zoned_ops;
int ssdf_zoned_data_create(struct ssdf_zoned *z);
void ssdf_zoned_data_destroy(struct ssdf_zoned *z);
void ssdf_zoned_fail(struct ssdf_zoned *z, const char *what, int error);
void ssdf_zoned_erase_now(struct ssdf_zoned *z, struct list_head *erases);
u64 ssdf_zoned_sector(const struct ssdf_zoned *z, ssdf_ppn_t ppn);

/* zoned-log.c */
u32 ssdf_zoned_region_zones(const struct ssdf_params *params, u64 capacity_sectors);
int ssdf_zoned_log_create(struct ssdf_zoned *z, struct ssdc_error *error);
void ssdf_zoned_log_destroy(struct ssdf_zoned *z);
u8 ssdf_zoned_log_add(struct ssdf_zoned *z, ssdf_lpn_t lpn, ssdf_ppn_t ppn, bool data);
void ssdf_zoned_log_landed(struct ssdf_zoned *z, u8 epoch);
void ssdf_zoned_log_want(struct ssdf_zoned *z);
void ssdf_zoned_log_begin(struct ssdf_zoned *z);
void ssdf_zoned_log_sync(struct ssdf_zoned *z);

/* zoned-recovery.c */
int ssdf_zoned_log_probe(struct ssdf_zoned *z, struct ssdc_error *error);
int ssdf_zoned_log_recover(struct ssdf_zoned *z, struct ssdc_error *error);
int ssdf_zoned_log_check_ours(struct ssdf_zoned *z, struct ssdc_error *error);

#endif /* SSDC_TARGET_ZONED_H */
