/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdflash on a zoned origin: zones are the erase blocks, and data are stored where the
 * model's map says. Each file calls only files further down, except by queueing work:
 *
 *	origin.c	layout of the origin's zones; start and stop
 *	recovery.c	reading the map back
 *	zoned.c		data: moving pages to and from zones
 *	log.c		the map on the medium: checkpoints and a log of changes
 *	zone-io.c	synchronous zone I/O; failure
 *
 * Zones of the origin, from its first sequential zone on:
 *
 *	[ log, region 0 ][ log, region 1 ][ erase blocks of plane 0 ][ plane 1 ] ...
 */
#ifndef DMSF_ZONED_H
#define DMSF_ZONED_H

#include <linux/bio.h>
#include <linux/llist.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../flash.h"
#include "../../../flash/media.h"

#define DMSF_LOG_BLOCK_BYTES		4096
#define DMSF_LOG_BLOCK_SECTORS	(DMSF_LOG_BLOCK_BYTES >> SECTOR_SHIFT)

/**
 * struct dmsf_layout - how the origin's zones are used
 * @zone_sectors: size of a zone, from start to start
 * @capacity_sectors: writable sectors of a zone
 * @first: number of the first zone in use
 * @nr_zones: number of zones in use, from @first on
 * @region_zones: zones of each of the log's two regions
 */
struct dmsf_layout {
	u64 zone_sectors;
	u64 capacity_sectors;
	u32 first;
	u32 nr_zones;
	u32 region_zones;
};

/*
 * The first resume reads the map. A stopped medium never writes, as another target may
 * own the zones by then.
 */
enum dmsf_zoned_state { DMSF_UNREAD, DMSF_IN_USE, DMSF_STOPPED, DMSF_UNUSABLE };

/* The job of a slot, and the progress of that job. */
enum dmsf_job { DMSF_READ, DMSF_WRITE, DMSF_ERASE };
enum dmsf_stage {
	DMSF_NEW,		/* waits for the worker */
	DMSF_FETCH,		/* data are being read from a zone */
	DMSF_READY,		/* data are complete: can be written or returned */
	DMSF_STORE,		/* page is being written, or zone is being reset */
	DMSF_FINISH,		/* last page is written, zone is being finished */
};

/**
 * struct dmsf_slot - a command of the model, with its page of data
 * @bio: I/O to the origin
 * @vec: segment of @bio
 * @data: one page
 * @ended: on the list of ended bios
 * @node: on a list of work, or on @dependents of another slot
 * @queue: on its stream's list of writes, which run in order
 * @pending: in the hash table by @ppn, until the page is in its zone
 * @puts: on the list of slots to report to the model as done
 * @nr_puts: how many times to report it
 * @dependents: slots that wait for @data
 * @source: slot that holds the data to read, or NULL
 * @rq: host request, or NULL for GC
 * @lpn: logical page
 * @ppn: physical page to read or write, or the first one of the block to erase
 * @old: physical page with the rest of a partly written page
 * @job: what to do
 * @stage: progress; owned by the worker
 * @entry: index in the log of @epoch of a host write's change
 * @epoch: epoch of the log that waits for this host write
 * @ok: the job has not failed; of a write: @data are complete, and readers may have them
 * @unwritten: the data of a write did not reach the zone
 */
struct dmsf_slot {
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
	struct dmsf_slot *source;
	struct ssdf_request *rq;
	ssdf_lpn_t lpn;
	ssdf_ppn_t ppn;
	ssdf_ppn_t old;
	enum dmsf_job job;
	enum dmsf_stage stage;
	u32 entry;
	u8 epoch;
	bool ok;
	bool unwritten;
};

/* Writes of a plane, either host or GC: one open zone, and one write in flight. */
struct dmsf_stream {
	struct list_head queue;
	bool busy;
};

/* A change of the map. */
struct dmsf_change {
	u32 lpn;
	u32 ppn;
	u32 nr;				/* discarded pages from lpn on; 1 for a write */
};

/* A page that GC has moved from @old to @ppn, out of a block that is not empty yet. */
struct dmsf_move {
	u32 lpn;
	u32 ppn;
	u32 old;
};

/* Changes since the last commit, and the changes that the current commit writes. */
struct dmsf_log {
	/* Protected by the target's lock. */
	struct dmsf_change *entries[2];
	u32 nr[2];
	u32 inflight[2];		/* writes of the epoch that are not in their zones yet */
	u8 current_epoch;
	bool wanted;			/* a commit was requested */
	struct list_head flushes;	/* requests that wait for a commit */
	struct list_head erases;	/* slots that wait for a commit */
	struct dmsf_move *moves;	/* by plane: pages that have left its victim */
	u32 *nr_moves;			/* by plane */

	/* Owned by commits, which run one at a time. */
	u32 capacity;			/* entries per epoch */
	u32 epoch_blocks;		/* that the commit of an epoch has at most */
	u32 host_entries;		/* entries per epoch at which the host has to wait */
	u32 region;			/* 0 or 1 */
	u64 generation;			/* of the region */
	u64 started;			/* generation of the last header written */
	u64 next_block;			/* next block of the region to write */
	u64 region_blocks;
	u64 map_blocks;			/* blocks of a checkpoint's map */
	void *buffer;
	wait_queue_head_t landed;	/* all data of an epoch are in the zones */
};

struct dmsf_zoned {
	struct dmsf_target *target;
	struct block_device *bdev;
	struct dmsf_layout layout;
	u32 page_bytes;
	u32 pages;			/* per erase block */
	u32 blocks;			/* per plane */
	u32 nr_planes;
	u32 nr_blocks;
	enum dmsf_zoned_state state;

	/* Protected by the target's lock. */
	struct dmsf_slot *slots;
	u32 nr_slots;
	struct hlist_head *pending;
	u32 *readers;			/* by block: slots that read it; an erase waits for them */
	u32 *written;			/* by block: pages in the zone, or SSDF_UNUSABLE */
	unsigned long *partial;		/* by block: neither empty nor full at the start */
	struct list_head todo;
	u32 busy;			/* slots with a job */
	int failed;			/* first -errno, or 0: nothing more is written */
	wait_queue_head_t idle;		/* @busy became 0 */

	/* Owned by the worker. */
	struct llist_head ended;
	struct list_head ready;		/* slots that can continue */
	struct list_head puts;
	struct list_head waiting_erases;
	bool failure_reported;
	struct dmsf_stream *streams;

	/* Commits wait for @work, so one rescuer cannot serve both. */
	struct workqueue_struct *wq;
	struct workqueue_struct *commit_wq;
	struct work_struct work;
	struct work_struct commit_work;
	struct dmsf_log log;
};

/* origin.c */
#ifdef CONFIG_BLK_DEV_ZONED
int dmsf_zoned_layout(struct dmsf_target *f, struct dmsf_layout *layout,
		      struct ssdc_error *error);
u64 dmsf_zoned_memory_bytes(const struct ssdf_params *params);
int dmsf_zoned_create(struct dmsf_target *f, const struct dmsf_layout *layout,
		      struct ssdc_error *error);
int dmsf_zoned_start(struct dmsf_target *f, struct ssdc_error *error);
void dmsf_zoned_stop(struct dmsf_target *f);
void dmsf_zoned_destroy(struct dmsf_target *f);
#else
/* No device is zoned. */
static inline int dmsf_zoned_layout(struct dmsf_target *f, struct dmsf_layout *layout,
				    struct ssdc_error *error) { return -EOPNOTSUPP; }
static inline u64 dmsf_zoned_memory_bytes(const struct ssdf_params *params) { return 0; }
static inline int dmsf_zoned_create(struct dmsf_target *f, const struct dmsf_layout *layout,
				    struct ssdc_error *error) { return -EOPNOTSUPP; }
static inline int dmsf_zoned_start(struct dmsf_target *f, struct ssdc_error *error) { return 0; }
static inline void dmsf_zoned_stop(struct dmsf_target *f) { }
static inline void dmsf_zoned_destroy(struct dmsf_target *f) { }
#endif

/* Memory of a target with these parameters; the number of blocks is set. */
static inline u64 dmsf_memory_bytes(const struct ssdf_params *params, bool zoned)
{
	return ssdf_memory_bytes(params) + (zoned ? dmsf_zoned_memory_bytes(params) : 0);
}

/* Pages that are being moved, and changes that are not in the log. Caller holds the lock. */
static inline void dmsf_zoned_progress(const struct dmsf_zoned *z, u32 *pages, u32 *changes)
{
	*pages = z->busy;
	*changes = z->log.nr[0] + z->log.nr[1];
}

static inline u64 dmsf_zoned_sectors(const struct dmsf_zoned *z)
{
	return (z->layout.first + (u64)z->layout.nr_zones) * z->layout.zone_sectors;
}

static inline u32 dmsf_block_of(const struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) / z->pages;
}

static inline u32 dmsf_plane_of(const struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	return dmsf_block_of(z, ppn) / z->blocks;
}

static inline u32 dmsf_page_in_block(const struct dmsf_zoned *z, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) % z->pages;
}

/* zoned.c */
extern const struct ssdf_media_ops dmsf_zoned_ops;
u64 dmsf_zoned_data_memory_bytes(const struct ssdf_params *params);
int dmsf_zoned_data_create(struct dmsf_zoned *z);
void dmsf_zoned_data_destroy(struct dmsf_zoned *z);

/* log.c */
u32 dmsf_log_region_zones(const struct ssdf_params *params, u64 capacity_sectors);
u64 dmsf_log_memory_bytes(const struct ssdf_params *params);
int dmsf_log_create(struct dmsf_zoned *z, struct ssdc_error *error);
void dmsf_log_destroy(struct dmsf_zoned *z);
u8 dmsf_log_add(struct dmsf_zoned *z, ssdf_lpn_t lpn, ssdf_ppn_t ppn, u32 *data);
void dmsf_log_move(struct dmsf_zoned *z, ssdf_lpn_t lpn, ssdf_ppn_t ppn, ssdf_ppn_t old);
void dmsf_log_lose(struct dmsf_zoned *z, u8 epoch, u32 entry);
void dmsf_log_landed(struct dmsf_zoned *z, u8 epoch);
void dmsf_log_want(struct dmsf_zoned *z);
void dmsf_log_note_loss(struct dmsf_zoned *z);
void dmsf_log_begin(struct dmsf_zoned *z);
void dmsf_log_sync(struct dmsf_zoned *z);

/* recovery.c */
int dmsf_log_probe(struct dmsf_zoned *z, struct ssdc_error *error);
int dmsf_log_recover(struct dmsf_zoned *z, struct ssdc_error *error);
int dmsf_log_check_ours(struct dmsf_zoned *z, struct ssdc_error *error);

/* zone-io.c */
u64 dmsf_zone_sector(const struct dmsf_zoned *z, ssdf_ppn_t ppn);
int dmsf_zone_io(struct dmsf_zoned *z, blk_opf_t opf, u64 sector, void *data, u32 bytes);
int dmsf_zone_report(struct dmsf_zoned *z, u32 first, u32 nr, report_zones_cb cb, void *data);
void dmsf_zoned_fail(struct dmsf_zoned *z, const char *what, int error);

#endif /* DMSF_ZONED_H */
