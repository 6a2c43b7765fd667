/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A medium that stores the data where the flash model puts them: its erase blocks are real,
 * and it carries out each decision of the model.
 *
 *	model			medium
 *	read a page	->	read()		fetch the data, for the host or for GC
 *	allocate a page	->	write()		store them after the block's earlier pages
 *	erase a block	->	erase()		once all its data are stored elsewhere
 *	discard a page	->	trimmed()	remember that
 *	FLUSH, FUA	->	flush()		make the data and the map durable
 *
 * A command ends when both sides are done: the model by its clock, the medium by
 * ssdf_media_done(); ssdf_media_flushed() ends a flush. The medium must not call either
 * of them from within its operations.
 *
 * All functions are called under the device's lock and must not sleep.
 */
#ifndef SSDF_MEDIA_H
#define SSDF_MEDIA_H

#include "flash.h"

/* A logical page, a physical page, a block of the flash. */
typedef u32 __bitwise ssdf_lpn_t;
typedef u32 __bitwise ssdf_ppn_t;
typedef u32 __bitwise ssdf_block_t;

#define SSDF_NO_LPN	((__force ssdf_lpn_t)0)
#define SSDF_NO_BLOCK	((__force ssdf_block_t)U32_MAX)
#define SSDF_UNMAPPED	((__force ssdf_ppn_t)0)		/* never written */
#define SSDF_TRIMMED	((__force ssdf_ppn_t)1)		/* discarded or empty */
#define SSDF_LOST	((__force ssdf_ppn_t)2)		/* was written, cannot be read */

/*
 * Typed number -> number, and back. The typed numbers of pages are complements, so that zeroed
 * memory maps nothing: a new device has not touched its maps, which are 500 MB for a drive of 512
 * GB.
 */
static inline u32 ssdf_lpn_nr(ssdf_lpn_t lpn) { return ~(__force u32)lpn; }
static inline u32 ssdf_ppn_nr(ssdf_ppn_t ppn) { return ~(__force u32)ppn; }
static inline u32 ssdf_block_nr(ssdf_block_t block) { return (__force u32)block; }
static inline ssdf_lpn_t ssdf_lpn(u32 nr) { return (__force ssdf_lpn_t)~nr; }
static inline ssdf_ppn_t ssdf_ppn(u32 nr) { return (__force ssdf_ppn_t)~nr; }
static inline ssdf_block_t ssdf_block(u32 nr) { return (__force ssdf_block_t)nr; }

static inline bool ssdf_is_mapped(ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) < ssdf_ppn_nr(SSDF_LOST);
}

struct ssdf_command;

/**
 * struct ssdf_media_ops - operations of a medium
 * @read: fetch logical page @lpn from @ppn, which may be SSDF_TRIMMED or SSDF_LOST. With @rq,
 *	fetch the part that the request covers; without, fetch the whole page for GC
 * @write: store logical page @lpn at @ppn. With @rq, the request has the data; if it covers
 *	only a part, the rest is at @old, which may be SSDF_TRIMMED or SSDF_LOST. Without
 *	@rq, GC moves the page: the data are those that it read in the same slot or, with
 *	copyback, those at @old
 * @erase: erase the block that starts at @ppn
 * @trimmed: page @lpn was discarded
 * @flush: make everything that has completed durable, then call ssdf_media_flushed()
 * @stuck: GC finds no free page in the plane
 *
 * @slot is the number of the command, less than ssdf_nr_slots(). A slot has one job at a time.
 *
 * A medium that cannot read a page that GC moves, or the rest of a partly written page, calls
 * ssdf_media_lost() and goes on: reads of the page fail until it is written or discarded.
 */
struct ssdf_media_ops {
	void (*read)(void *media, u32 slot, struct ssdf_request *rq, ssdf_lpn_t lpn,
		     ssdf_ppn_t ppn);
	void (*write)(void *media, u32 slot, struct ssdf_request *rq, ssdf_lpn_t lpn,
		      ssdf_ppn_t ppn, ssdf_ppn_t old);
	void (*erase)(void *media, u32 slot, ssdf_ppn_t ppn);
	void (*trimmed)(void *media, ssdf_lpn_t lpn);
	void (*flush)(void *media, struct ssdf_request *rq);
	void (*stuck)(void *media, u32 plane);
};

/* media-events.c */
void ssdf_media_set(struct ssdf_device *f, const struct ssdf_media_ops *ops, void *media);
u32 ssdf_nr_slots(const struct ssdf_device *f);
void ssdf_media_share(struct ssdf_device *f, u32 slot);
void ssdf_media_done(struct ssdf_device *f, u32 slot, bool ok, u64 now_ns);
bool ssdf_media_lost(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn);
void ssdf_media_unwritten(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn, ssdf_ppn_t old);
void ssdf_media_flushed(struct ssdf_device *f, struct ssdf_request *rq, bool ok, u64 now_ns);
void ssdf_media_hold(struct ssdf_device *f, bool hold, u64 now_ns);
void ssdf_media_fail(struct ssdf_device *f, u64 now_ns);

/* restore.c */

/* Instead of a number of written pages: the block may be readable, but is not written or erased. */
#define SSDF_UNUSABLE	U32_MAX

u32 ssdf_nr_lpns(const struct ssdf_device *f);
ssdf_ppn_t ssdf_map_get(const struct ssdf_device *f, ssdf_lpn_t lpn);
bool ssdf_map_set(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn);
int ssdf_restore(struct ssdf_device *f, u32 (*written)(void *media, ssdf_block_t block), u64 *at);
bool ssdf_is_open(const struct ssdf_device *f, ssdf_block_t block);
void ssdf_start_gc(struct ssdf_device *f, u64 now_ns);

#endif /* SSDF_MEDIA_H */
