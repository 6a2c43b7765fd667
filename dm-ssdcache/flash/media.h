/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A medium that keeps data where the flash model says: the erase blocks are real,
 * and what the model decides is done there as well.
 *
 *	model			medium
 *	a page is read	->	read()		fetch the data, for the host or for GC
 *	a page gets	->	write()		after the pages before it in its block
 *	its place
 *	a block is	->	erase()		once nobody needs what is in it
 *	erased
 *	data unwanted	->	trimmed()	remember it
 *	FLUSH, FUA	->	flush()		make data, and where they are, durable
 *
 * A command is over when both are done: the model by its clock, the medium when it
 * says so with ssdf_media_done(), ssdf_media_failed() or ssdf_media_flushed(). These
 * must not be called from within the operations.
 *
 * All is called under the lock that guards the device, and must not sleep.
 */
#ifndef SSDF_MEDIA_H
#define SSDF_MEDIA_H

#include "flash.h"

/* A page of the host, a page of the flash, a block of the flash. */
typedef u32 __bitwise ssdf_lpn_t;
typedef u32 __bitwise ssdf_ppn_t;
typedef u32 __bitwise ssdf_block_t;

#define SSDF_NO_LPN	((__force ssdf_lpn_t)U32_MAX)
#define SSDF_NO_BLOCK	((__force ssdf_block_t)U32_MAX)
#define SSDF_UNMAPPED	((__force ssdf_ppn_t)U32_MAX)		/* never written */
#define SSDF_TRIMMED	((__force ssdf_ppn_t)(U32_MAX - 1))	/* discarded, or empty */

/* Typed number -> number. */
static inline u32 ssdf_lpn_nr(ssdf_lpn_t lpn) { return (__force u32)lpn; }
static inline u32 ssdf_ppn_nr(ssdf_ppn_t ppn) { return (__force u32)ppn; }
static inline u32 ssdf_block_nr(ssdf_block_t block) { return (__force u32)block; }
static inline ssdf_lpn_t ssdf_lpn(u32 nr) { return (__force ssdf_lpn_t)nr; }
static inline ssdf_ppn_t ssdf_ppn(u32 nr) { return (__force ssdf_ppn_t)nr; }
static inline ssdf_block_t ssdf_block(u32 nr) { return (__force ssdf_block_t)nr; }

static inline bool ssdf_is_mapped(ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) < ssdf_ppn_nr(SSDF_TRIMMED);
}

struct ssdf_command;

/**
 * struct ssdf_media_ops - what a medium does
 * @read: fetch the data of page @lpn from @ppn, which may be SSDF_TRIMMED: for
 *	the part that request @rq has of it, or for GC, which moves all of it, if NULL
 * @write: keep the data of page @lpn at @ppn. Request @rq has all of it, or a part to
 *	be completed from what is at @old; if NULL GC moves what it has read before, or,
 *	if it has not, what is at @old
 * @erase: erase the block that begins at @ppn
 * @trimmed: what page @lpn held is not wanted any more
 * @flush: all that has ended is to be made durable; ssdf_media_flushed() tells when
 * @stuck: a plane has no page left for what GC has to move
 *
 * @slot: which command it is, below ssdf_nr_slots(); it has one thing to do at a time.
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

/* media.c: what the medium tells the device. */
void ssdf_media_set(struct ssdf_device *f, const struct ssdf_media_ops *ops, void *media);
u32 ssdf_nr_slots(const struct ssdf_device *f);
void ssdf_media_share(struct ssdf_device *f, u32 slot);
void ssdf_media_done(struct ssdf_device *f, u32 slot, bool ok, u64 now_ns);
void ssdf_media_flushed(struct ssdf_device *f, struct ssdf_request *rq, bool ok, u64 now_ns);
void ssdf_media_hold(struct ssdf_device *f, bool hold, u64 now_ns);
void ssdf_media_fail(struct ssdf_device *f, u64 now_ns);

/* restore.c: the state that the medium remembers. */
u32 ssdf_nr_lpns(const struct ssdf_device *f);
ssdf_ppn_t ssdf_map_get(const struct ssdf_device *f, ssdf_lpn_t lpn);
bool ssdf_map_set(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn);
int ssdf_restore(struct ssdf_device *f, u32 (*written)(void *media, ssdf_block_t block), u64 *at);
bool ssdf_is_open(const struct ssdf_device *f, ssdf_block_t block);
void ssdf_start_gc(struct ssdf_device *f, u64 now_ns);

#endif /* SSDF_MEDIA_H */
