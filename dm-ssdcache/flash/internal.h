/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a flash device, and what they ask of each other:
 *
 *	device.c	requests -> commands; creation, statistics
 *	ftl.c		which page lies where; blocks and free pages
 *	gc.c		makes blocks free
 *	nand.c		when a command gets its die and its channel
 *	age.c		the state before the first use
 *	media.c		what a medium that holds the data tells
 *	restore.c	the state that it remembers
 *	stats.c		counters, and who is told of events
 *
 *	  request --ftl--> command --nand--> array time, transfers --> done
 *	                      ^ gc: its own commands, one at a time per plane
 */
#ifndef SSDF_INTERNAL_H
#define SSDF_INTERNAL_H

#include "media.h"

enum ssdf_kind {
	SSDF_READ,		/* array, then channel */
	SSDF_PROGRAM,		/* channel, then array */
	SSDF_ERASE,		/* array */
	SSDF_COPYBACK,		/* array: read and program inside the die */
};

enum ssdf_purpose {
	SSDF_HOST,
	SSDF_MERGE,		/* read of what a partial write leaves; becomes its program */
	SSDF_GC,
};

/* One page (or block, for an erase) to be worked on. */
struct ssdf_command {
	struct list_head node;
	struct ssdf_request *rq;	/* NULL for GC */
	enum ssdf_kind kind;
	enum ssdf_purpose purpose;
	u32 plane;
	ssdf_lpn_t lpn;			/* of a program */
	ssdf_ppn_t ppn;			/* of an erase: the block's first */
	u32 bytes;			/* to be transferred */
	u32 slot;			/* which one it is, for the medium */
	u32 waits;			/* those that have to be done with it: NAND, medium */
};

/* A die's queues, in the order in which they are served unless GC is urgent. */
enum ssdf_class { SSDF_READS, SSDF_WRITES, SSDF_GCS, SSDF_NR_CLASSES };

/*
 * What a die does:
 *
 *	IDLE -> ARRAY -> OUT -> IDLE		read
 *	IDLE -> IN -> ARRAY -> IDLE		program
 *	IDLE -> ARRAY -> IDLE			erase, copyback
 *
 * OUT includes waiting for the channel. With cache_program the next group is
 * transferred during ARRAY; HOLD is: programmed, that transfer not over.
 */
enum ssdf_die_state { SSDF_IDLE, SSDF_ARRAY, SSDF_OUT, SSDF_IN, SSDF_HOLD };

/* The second page register of a die (cache_program). */
enum ssdf_cache_state { SSDF_EMPTY, SSDF_LOADING, SSDF_LOADED };

struct ssdf_die {
	u32 channel;
	enum ssdf_die_state state;
	enum ssdf_cache_state cache;
	struct list_head queues[SSDF_NR_CLASSES];
	struct list_head group;		/* commands that are worked on, one per plane */
	struct list_head next_group;	/* in the cache register */
	struct list_head bus;		/* waiting for the channel */
	struct list_head plug;		/* has to be looked at when commands may begin again */
	u32 load;			/* host and GC commands queued or worked on */
	u32 urgent_planes;		/* in which GC may not wait */
	u32 overtaking;			/* groups of reads that went before something since */
	u32 turn;			/* plane that gets the next page */
};

struct ssdf_channel {
	struct ssdf_die *user;		/* whose page is transferred; NULL: idle */
	struct ssdf_command *moving;
	struct list_head out;		/* dies with data to deliver: before those of in */
	struct list_head in;		/* dies that have a page to be programmed */
	u32 idle_dies;			/* with nothing to do */
	u64 busy_ns;
};

struct ssdf_block {
	u16 valid;			/* pages that hold current data */
	u16 written;			/* pages handed out */
	u16 programmed;			/* pages whose program is over */
	u16 closed;			/* in the plane's list of blocks with so many valid */
	ssdf_block_t prev;
	ssdf_block_t next;		/* also: of the free blocks */
	u32 erases;
};

struct ssdf_plane {
	ssdf_block_t free_head;		/* reused in the order in which they became free */
	ssdf_block_t free_tail;
	u32 nr_free;
	ssdf_block_t host_block;	/* being filled with host writes */
	ssdf_block_t gc_block;		/* with pages that GC moves */
	ssdf_block_t victim;		/* being collected */
	u32 victim_page;		/* next page of it to look at */
	u32 min_valid;			/* no closed block has fewer valid pages */
	bool urgent;
	bool room;			/* the host can have a page */
	struct list_head check;		/* on gc_checks */
	struct ssdf_command gc;		/* the one step of GC under way */
};

/* At most one per die (end of its array time) and per channel (of a transfer). */
struct ssdf_event {
	u64 time_ns;
	u64 sequence;
	u32 unit;			/* die, or nr_dies + channel */
};

/* Pages or blocks in one call of what is long, where nobody waits for a lock. */
#define SSDF_LONG_STEP 65536

/* How far ssdf_age() is: what its plane has to get yet. */
struct ssdf_ageing {
	u32 turn;			/* of the plane; nr_planes: done */
	u32 valid;
	u32 outdated;
	u32 lpns;			/* logical pages that it may get */
	u32 index;			/* of these, the next */
	u32 stride;
	u64 state;			/* of the random numbers */
};

struct ssdf_device {
	struct ssdf_params params;
	struct ssdf_ageing ageing;

	/* Derived from the parameters. */
	u32 nr_dies;
	u32 nr_planes;
	u32 nr_blocks;
	u32 nr_pages;
	u32 nr_lpns;
	u32 page_sectors;
	u32 page_types;
	u32 type_read_ns[4];
	u32 gc_below;			/* collect when fewer blocks of a plane are free */
	u32 urgent_below;
	u32 gc_reserve;			/* free blocks of a plane that the host does not get */

	/* Where the data are, if they are where the map says; or NULL. */
	const struct ssdf_media_ops *media;
	void *media_data;
	bool held;			/* the medium can take no host writes and discards now */
	u32 retries;			/* stalled writes to be tried since it can again */
	bool failed;			/* nor ever again */

	/* FTL. */
	ssdf_ppn_t *map;		/* by logical page */
	ssdf_lpn_t *reverse;		/* by physical page; SSDF_NO_LPN: free or outdated */
	struct ssdf_block *blocks;
	ssdf_block_t *closed;		/* lists by plane and valid pages */
	struct ssdf_plane *planes;
	u32 turn;			/* die that is asked first for the next page */
	u32 planes_with_room;
	u32 outdated_plane;		/* of the page that the last write outdated; or nr_planes */

	/* NAND. */
	struct ssdf_die *dies;
	struct ssdf_channel *channels;
	u32 load;			/* of all dies */
	u32 idle_dies;
	bool plugged;			/* commands are queued, none begins */
	struct list_head plugged_dies;
	struct list_head gc_checks;	/* planes that may need GC, to be looked at later */
	struct ssdf_event *events;	/* a heap */
	u32 nr_events;
	u64 sequence;
	u64 clock_ns;			/* of the last event or request */

	/* Requests. */
	struct ssdf_command *commands;
	u32 nr_commands;
	struct list_head free_commands;
	struct list_head waiting;	/* requests that need more commands */
	struct list_head stalled;	/* programs that found no free page */
	struct list_head done;

	struct ssdf_stats stats;
	u64 stats_since_ns;
	u32 write_amplification;	/* thousandths; by ssdf_update_stats() */
	u32 utilisation;		/* of the channels, thousandths */
	u32 max_erases;
	u32 free_blocks;
	u32 valid_pages;
	u32 inflight;
	struct ssdc_histogram latency[SSDC_NR_OPS];

	const struct ssdf_observer_ops *observer;	/* NULL: nobody wants to know */
	void *observer_owner;
};

static inline u32 ssdf_block_of(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) / f->params.pages;
}

static inline u32 ssdf_plane_of(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ssdf_block_of(f, ppn) / f->params.blocks;
}

static inline u32 ssdf_page_in_block(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) % f->params.pages;
}

/* Turn t of striping: over channels first, then chips, then dies. */
static inline u32 ssdf_die_of_turn(const struct ssdf_device *f, u32 turn)
{
	const struct ssdf_params *p = &f->params;
	u32 channel = turn % p->channels;
	u32 chip = turn / p->channels % p->chips;
	u32 die = turn / p->channels / p->chips % p->dies;

	return (channel * p->chips + chip) * p->dies + die;
}

/* Where a page lies by its number alone: over dies first, then planes. */
static inline u32 ssdf_static_plane(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	u32 turn = ssdf_lpn_nr(lpn) % f->nr_planes;

	return ssdf_die_of_turn(f, turn % f->nr_dies) * f->params.planes + turn / f->nr_dies;
}

/* ftl.c */
int ssdf_ftl_create(struct ssdf_device *f);
void ssdf_ftl_destroy(struct ssdf_device *f);
u32 ssdf_least_load(const struct ssdf_device *f);
bool ssdf_write_page(struct ssdf_device *f, ssdf_lpn_t lpn, struct ssdf_command *cmd);
bool ssdf_gc_has_page(const struct ssdf_device *f, u32 plane);
ssdf_ppn_t ssdf_gc_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn);
void ssdf_trim_page(struct ssdf_device *f, ssdf_lpn_t lpn);
void ssdf_programmed(struct ssdf_device *f, ssdf_ppn_t ppn);
bool ssdf_is_programmed(const struct ssdf_device *f, ssdf_ppn_t ppn);
ssdf_block_t ssdf_take_victim(struct ssdf_device *f, u32 plane);
void ssdf_erased(struct ssdf_device *f, u32 plane, ssdf_block_t block);
ssdf_ppn_t ssdf_fill_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn);
void ssdf_restore_map(struct ssdf_device *f);
bool ssdf_restore_page(struct ssdf_device *f, ssdf_lpn_t lpn);
void ssdf_restore_block(struct ssdf_device *f, ssdf_block_t block, u32 written);
void ssdf_restore_closed(struct ssdf_device *f, ssdf_block_t block);
int ssdf_ftl_check(const struct ssdf_device *f);

/* gc.c */
void ssdf_gc_start(struct ssdf_device *f, u32 plane);
void ssdf_gc_step(struct ssdf_device *f, struct ssdf_command *cmd);

/* nand.c */
int ssdf_nand_create(struct ssdf_device *f);
void ssdf_nand_destroy(struct ssdf_device *f);
void ssdf_queue(struct ssdf_device *f, struct ssdf_command *cmd);
void ssdf_plug(struct ssdf_device *f);
void ssdf_unplug(struct ssdf_device *f);
void ssdf_set_urgent(struct ssdf_device *f, u32 plane, bool urgent);
bool ssdf_nand_event(struct ssdf_device *f, u64 until_ns);
int ssdf_nand_check(const struct ssdf_device *f);

/* device.c */
void ssdf_command_done(struct ssdf_device *f, struct ssdf_command *cmd);
void ssdf_retry_stalled(struct ssdf_device *f, u32 plane);
void ssdf_retry_all(struct ssdf_device *f);
void ssdf_fail_stalled(struct ssdf_device *f);
void ssdf_feed(struct ssdf_device *f);
void ssdf_end_request(struct ssdf_device *f, struct ssdf_request *rq);

/* media.c */
void ssdf_media_read(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		     ssdf_ppn_t ppn);
void ssdf_media_write(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		      ssdf_ppn_t old);
void ssdf_media_erase(struct ssdf_device *f, struct ssdf_command *cmd);

/* age.c */
void ssdf_age_begin(struct ssdf_device *f);

/* stats.c */
void ssdf_tell_gc(const struct ssdf_device *f, u32 plane, ssdf_block_t victim);
void ssdf_tell_erased(const struct ssdf_device *f, u32 plane, ssdf_block_t block);
void ssdf_tell_stalled(const struct ssdf_device *f, ssdf_lpn_t lpn);

#endif /* SSDF_INTERNAL_H */
