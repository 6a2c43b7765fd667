/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a flash device, shared by the files of this folder:
 *
 *	media-events.c	reports from a medium
 *	restore.c	the state that a medium remembers
 *	view.c		answers to a host about the dies
 *	device.c	requests -> commands; creation
 *	gc.c		garbage collection
 *	wear.c		erases of each block; wear levelling
 *	victim.c	which block garbage collection takes
 *	age.c		the state before the first use
 *	steady.c	ageing to the steady state of random writes
 *	ftl.c		mapping, blocks, free pages
 *	stream.c	which host writes share blocks
 *	map-cache.c	which mappings the controller holds
 *	nand.c		dies and channels: when each command runs
 *	nand-setup.c	creation and checks of dies and channels
 *	queues.c	commands that wait for their die
 *	events.c	the queue of events
 *	suspend.c	programs and erases that let reads go first
 *	media-commands.c  handing commands to a medium
 *	stats.c		counters and observers
 *	errors.c	bad blocks, reads that are repeated
 *	params.c	parameters and their limits
 *	profiles.c	parameters of published drives
 *
 *	  request --ftl--> command --nand--> array time, transfers --> done
 *	                      ^ gc: its own commands, one at a time per plane
 *
 * FLOORS gives the order in which these files may call each other.
 */
#ifndef SSDF_STATE_H
#define SSDF_STATE_H

#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/reciprocal_div.h>
#include "../base/random.h"
#include "media.h"

enum ssdf_kind {
	SSDF_READ,		/* array, then channel */
	SSDF_PROGRAM,		/* channel, then array */
	SSDF_ERASE,		/* array */
	SSDF_COPYBACK,		/* array: read and program inside the die */
};

#define SSDF_NR_KINDS (SSDF_COPYBACK + 1)

enum ssdf_purpose {
	SSDF_HOST,
	SSDF_MERGE,		/* reads the rest of a partly written page; becomes its program */
	SSDF_GC,
	SSDF_MAP_UPDATE,	/* of GC: reads a translation page, then programs it again */
	SSDF_MAP_EVICT,		/* of a host command: the same; @rq is NULL after a read */
	SSDF_MAP_LOOKUP,	/* reads a translation page; then the request's own command */
};

/* Work on one page, or on one block for an erase. */
struct ssdf_command {
	union {
		struct list_head node;
		struct ssdf_command *next_free;
	};
	struct ssdf_request *rq;	/* NULL for GC */
	enum ssdf_kind kind : 8;
	enum ssdf_purpose purpose : 8;
	u16 place;			/* of @ppn in its block */
	u32 plane;
	ssdf_lpn_t lpn;			/* of a program */
	ssdf_lpn_t looks_for;		/* SSDF_MAP_...: host page */
	ssdf_ppn_t ppn;			/* of an erase: first page of the block */
	u32 bytes;			/* to transfer */
	u32 slot;			/* number of the command, for the medium */
	u32 waits;			/* how many of NAND and medium still work on it */
	u64 arrival;			/* place in the order in which commands were queued */
};

/* Queues of a plane, in the order in which their die serves them unless GC is urgent. */
enum ssdf_class { SSDF_READS, SSDF_WRITES, SSDF_GCS, SSDF_NR_CLASSES };

/* Bits of a cell; each bit belongs to another page. */
#define SSDF_MAX_PAGE_TYPES 4

/*
 * Kinds of work, each with a queue of events of its own. Array operations have a queue for each
 * kind of command and each type of page, because their times differ.
 */
enum ssdf_track {
	SSDF_TRANSFERS,			/* of whole pages and of parts */
	SSDF_SUSPENSIONS,		/* and resumed operations */
	SSDF_ARRAYS,			/* see ssdf_array_track() */
	SSDF_NR_TRACKS = SSDF_ARRAYS + SSDF_NR_KINDS * SSDF_MAX_PAGE_TYPES,
};

/* The track of a command's array operation. All arrays that can erase work on one type of page. */
static inline enum ssdf_track ssdf_array_track(enum ssdf_kind kind, u32 page_type)
{
	return SSDF_ARRAYS + kind * SSDF_MAX_PAGE_TYPES + page_type;
}

/* What happens to a die or a channel: see events.c. */
struct ssdf_event {
	u64 time_ns;
	u64 sequence;
	struct ssdf_event *next;	/* in its queue */
	enum ssdf_track track;
};

struct ssdf_event_queue {
	struct ssdf_event *first;
	struct ssdf_event *last;	/* if there is a first */
	struct ssdf_event_queue *next;	/* the queue whose next event is later */
};

/*
 * State of a die:
 *
 *	IDLE -> ARRAY -> OUT -> IDLE		read
 *	IDLE -> IN -> ARRAY -> IDLE		program
 *	IDLE -> ARRAY -> IDLE			erase, copyback
 *	ARRAY -> SUSPENDING -> IDLE -> reads -> IDLE -> ARRAY	suspended program or erase
 *
 * OUT includes the wait for the channel. With cache_program the next group is
 * transferred during ARRAY; in HOLD the program has ended before that transfer. With
 * cache_read, OUT -> ARRAY if another read waits: the data leave from the cache register. A read
 * that ends before they have left stays in OUT until then.
 */
enum ssdf_die_state {
	SSDF_IDLE, SSDF_ARRAY, SSDF_OUT, SSDF_IN, SSDF_HOLD, SSDF_SUSPENDING,
};

/* The second page register of a die, during programs (cache_program). */
enum ssdf_cache_state { SSDF_EMPTY, SSDF_LOADING, SSDF_LOADED };

struct ssdf_die {
	u32 nr;
	struct ssdf_channel *channel;
	struct ssdf_plane *planes;	/* the first of them */
	struct ssdf_event end;		/* end of its array time, or of a suspension */
	enum ssdf_die_state state;
	enum ssdf_cache_state cache;
	u16 waiting[SSDF_NR_CLASSES];	/* planes in whose queues commands wait: their bits */
	u16 collecting;			/* planes that have a @victim: their bits */
	struct list_head group;		/* running commands, one per plane */
	struct list_head next_group;	/* to program, in the cache register */
	struct list_head leaving;	/* read, in the cache register */
	struct list_head suspended;	/* group that waits while the die reads */
	u64 left_ns;			/* array time of the suspended group */
	u32 suspensions;		/* of the program or erase, running or suspended */
	struct list_head bus;		/* waiting for the channel */
	struct list_head command;	/* on its channel's @commands, or empty */
	struct ssdf_die *next_plugged;	/* after this one on plugged_dies */
	bool plugged;			/* on that list */
	struct ssdf_command *only;	/* plugged: that waits, in no queue; or NULL */
	u32 load;			/* commands queued or running */
	u32 urgent_planes;		/* planes in which GC goes before host writes */
	u32 overtaking;			/* read groups in a row that overtook other work */
	u32 turn;			/* plane that gets the next page */
};

struct ssdf_channel {
	u64 bit;			/* of the channel, in the device's sets of channels */
	struct ssdf_die *user;		/* die of the current transfer; NULL: idle */
	struct ssdf_event end;		/* of the transfer */
	struct ssdf_command *moving;
	struct list_head commands;	/* command_wait: dies that wait for the transfer to end */
	bool starts_commands;		/* of @commands; the next transfer is chosen afterwards */
	struct list_head out;		/* dies with data to deliver */
	struct list_head in;		/* dies that wait for a page to program */
	u32 overtaking;			/* in a row, that went before some of the other list */
	u32 idle_dies;			/* dies with no load */
	u64 busy_ns;			/* of transfers, with all of the one in progress */
};

/*
 * Requests wait for commands, and commands for free pages, in two lanes, so that reads overtake
 * everything that waits in the lane of writes. The read lane needs free pages for the dirty
 * mappings that reads evict.
 */
enum ssdf_lane { SSDF_READ_LANE, SSDF_WRITE_LANE, SSDF_NR_LANES };

/* Blocks of pages that GC has moved: data or translation pages. */
#define SSDF_MOVED	0xff
#define SSDF_MOVED_MAP	0xfe

struct ssdf_block_info {
	u16 valid;			/* pages with current data */
	u16 written;			/* pages allocated */
	u16 programmed;			/* pages whose program has ended */
	bool bad : 1;			/* in no list, not used any more */
	bool closed : 1;		/* on the plane's list of blocks with @valid valid pages */
	u8 holds;			/* index in host_blocks, or SSDF_MOVED... */
	ssdf_block_t prev;
	ssdf_block_t next;		/* on that list, or on the list of free blocks */
	u32 erases;
};

struct ssdf_plane {
	/* The fields that each command needs. */
	struct ssdf_die *die;
	u16 bit;			/* of the plane in its die */
	bool urgent;
	bool room;			/* the host can get a page */
	u32 queued_writes;		/* commands in the queue SSDF_WRITES */
	struct list_head queues[SSDF_NR_CLASSES];

	ssdf_block_t free_head;		/* blocks are reused in the order of their erases */
	ssdf_block_t free_tail;
	u32 nr_free;
	ssdf_block_t host_blocks[SSDF_MAX_STREAMS + 2];	/* open: streams, hot pages, map */
	ssdf_block_t gc_block;		/* open block for pages that GC moves */
	ssdf_block_t gc_hot_block;	/* open block for hot pages that GC moves */
	ssdf_block_t gc_map_block;	/* open block for translation pages that GC moves */
	ssdf_block_t wear_block;	/* open block for pages that wear levelling moves */
	ssdf_block_t victim;		/* block being collected */
	bool moves_hot;			/* pages of @victim go to gc_hot_block */
	bool levelling;			/* @victim was taken to level wear */
	bool level_due;			/* a block was erased: look for one that was not */
	u32 victim_page;		/* next page of @victim to look at */
	u32 min_valid;			/* no closed block has fewer valid pages */
	u32 victim_hand;		/* next block for the victim rule to look at */
	u32 wear_hand;			/* next block for wear levelling to look at */
	u32 max_erases;
	struct list_head check;		/* on gc_checks */
	struct ssdf_command gc;		/* the current GC step */
	u32 nr_updates;			/* translation pages to update for @victim */
	/* Static allocation, no medium: programs that found no free page. */
	struct list_head stalled[SSDF_NR_LANES];
};

/* A cached mapping. */
struct ssdf_map_entry {
	u32 lpn;
	u32 hash_next;
	u32 prev;
	u32 next;			/* in a list of the LRU, or in the list of free entries */
	u32 dirty_at;			/* dirty: as many writes as its translation page has had */
	bool is_protected;
};

struct ssdf_map_cache {
	struct ssdf_map_entry *entries;
	u32 nr;
	u32 used;			/* entries in the lists, and lookups in progress */
	u32 nr_protected;
	u32 free;
	u32 *hash;
	u32 hash_bits;
	u32 *writes;			/* of each translation page; wraps */
	bool *outdated;			/* by translation page: mappings not cached have changed */
	u32 *updates;			/* translation pages, nr_updates of each plane */
	u32 *readers;			/* slot of the lookup that reads a translation page */
	struct list_head *followers;	/* by slot: lookups that wait for the same read */
	ssdf_lpn_t *owed;		/* by slot: translation page to write after the read */
};

/* The least number of erases is known up to this number of different values, from 0 on. */
#define SSDF_WEAR_LEVELS 8192

/* Blocks by erases: 0, 1, 2 to 3, 4 to 7, ... */
#define SSDF_ERASE_BUCKETS 16

struct ssdf_lane_state {
	struct list_head waiting;	/* requests that need more commands */
	struct list_head stalled;	/* programs that found no free page, of all planes */
	u32 retries;			/* of @stalled, still to retry after a hold */
	u32 commands;			/* in use */
};

/*
 * Events, discarded pages or retried writes per call: this number bounds the time under the lock.
 */
#define SSDF_STEP 64

/* Pages or blocks per call of a long operation that holds no lock. */
#define SSDF_LONG_STEP 65536

/*
 * Ageing visits logical pages all over the map, and would spend most of its time waiting for
 * entries of the map. So entries are fetched this many pages ahead.
 */
#define SSDF_PAGES_AHEAD 16

/* Progress of ssdf_age(), and the pages that the current plane still gets. */
struct ssdf_ageing {
	u32 turn;			/* of the plane; nr_planes: done */
	u32 valid;
	u32 outdated;
	u32 lpns;			/* logical pages of the plane */
	u32 index;			/* next of these pages */
	u32 soon;			/* the one SSDF_PAGES_AHEAD later */
	u32 stride;
	struct ssdc_random random;
	u64 writes_left;		/* aged steady: page writes before the first use */
	u32 filled;			/* aged steady: next mapping that map_cache may hold */
	u32 blocks_left;		/* aged steady: blocks that the plane still gets */
	u32 pages_left;			/* of the current block */
	u32 valid_left;			/* valid pages left of the current block */
	u32 blocks;			/* aged steady: blocks that the plane gets */
	u32 emptiest;			/* aged steady: each block has more valid pages */
	u32 least;			/* aged steady: valid pages of the next block, at least */
	u32 map_index;			/* like index: next translation page of the plane */
	u32 map_pages;			/* that the plane still gets for them, in whole blocks */
	u32 phase;			/* aged steady: of the first plane's open block */
	u32 open;			/* aged steady: pages left for the host's open block */
	u32 open_moved;			/* aged steady: pages left for GC's open block */
	u64 sum;			/* aged steady: 1 / (emptiest + 1) + ... + 1 / pages */
	u64 part;			/* the terms of @sum before 1 / least */
};

struct ssdf_device {
	struct ssdf_params params;
	struct ssdf_ageing ageing;

	/* Derived from the parameters. */
	u32 nr_dies;
	u32 nr_planes;
	u32 nr_blocks;
	u32 plane_pages;
	u32 nr_pages;
	u32 nr_lpns;			/* of the host; the numbers of translation pages follow */
	u32 nr_map_pages;
	u32 page_sectors;
	u32 sector_bits;		/* log2 of that */
	u32 spread_pages;		/* this many neighbouring pages are on different dies */
	/* Divisors of page numbers: a multiplication takes half of the time of a division. */
	struct reciprocal_value by_pages;
	struct reciprocal_value by_plane_pages;
	struct reciprocal_value by_blocks;
	struct reciprocal_value by_planes;	/* of the device */
	struct reciprocal_value by_dies;
	u32 page_types;
	u64 track_ns[SSDF_NR_TRACKS];	/* of arrays and of transfers of whole pages */
	u32 host_blocks;		/* open blocks of a plane for host writes */
	u32 gc_below;			/* collect when a plane has fewer free blocks */
	u32 urgent_below;
	u32 gc_must_below;		/* with fewer free blocks, any victim is collected */
	u32 gc_worth;			/* with more, a victim must free this many pages */
	u32 gc_reserve;			/* free blocks of a plane that only GC may use */

	/* Medium that keeps the data at their physical pages; or NULL. */
	const struct ssdf_media_ops *media;
	void *media_data;
	bool held;			/* the medium accepts no host writes and discards for now */
	bool failed;			/* the medium accepts no writes any more */

	/* FTL. */
	ssdf_ppn_t *map;		/* by logical page */
	ssdf_lpn_t *reverse;		/* by physical page; SSDF_NO_LPN: free or outdated */
	struct ssdf_block_info *blocks;
	u64 *stamps;			/* by block: host_pages at its youngest data; or NULL */
	ssdf_block_t *closed;		/* list heads, by plane and number of valid pages */
	struct ssdf_plane *planes;
	u16 *static_planes;		/* by the remainder of the page number */
	u32 turn;			/* die that is considered first for the next page */
	u32 planes_with_room;
	u32 outdated_plane;		/* lost a valid page to the last write; or nr_planes */

	struct ssdf_map_cache map_cache;

	/* Errors. */
	struct ssdc_random error_random;
	u32 bad_per_plane;

	/* Wear. */
	u32 *levels;			/* blocks by number of erases */
	u32 erase_histogram[SSDF_ERASE_BUCKETS];
	u64 total_erases;
	u32 good_blocks;

	/* NAND. */
	struct ssdf_die *dies;
	struct ssdf_channel *channels;
	u32 load;			/* of all dies */
	u32 idle_dies;
	u64 free_channels;		/* bits of channels without a transfer */
	u64 channels_with_idle;		/* bits of channels with a die that has no load */
	bool overlaps;			/* a busy die may start or load something */
	bool other_turns;		/* of channels: command_wait, or channel_first=writes */
	bool plugged;			/* commands are queued, none starts */
	bool gc_plugged;		/* GC of no plane starts */
	struct ssdf_die *plugged_dies;	/* dies for ssdf_unplug() to look at */
	struct ssdf_die **plug_end;	/* where the next die is linked */
	struct ssdf_event_queue event_queues[SSDF_NR_TRACKS];	/* by kind */
	struct ssdf_event_queue *next_queue;	/* the queue with the next event */
	struct ssdf_event_queue last_queue;	/* behind all queues that have events */
	struct ssdf_event never;		/* its only event */
	u64 sequence;			/* of events */
	u64 arrivals;			/* of commands */
	u64 clock_ns;			/* time of the last event or request */
	u32 events_left;		/* that this call may process, with the one in progress */
	bool until_done;		/* stop after an event with which a request ends */

	/* GC. */
	struct ssdc_random victim_random;
	u64 host_pages;			/* written by the host: the clock of block ages */
	u32 hot_age;			/* hot pages are overwritten within this many @host_pages */
	struct list_head gc_checks;	/* planes to check for GC after gc_plugged */

	/* Requests. */
	struct ssdf_command *commands;
	u32 nr_commands;
	struct ssdf_command *free_commands;
	u32 lane_commands;		/* most commands in use by each lane */
	struct ssdf_lane_state lanes[SSDF_NR_LANES];
	struct list_head found;		/* commands that can go on, as their mapping was read */
	u32 started;			/* of @found, in this call of the model */
	bool backlog;			/* requests, retries or commands in @found may wait */
	struct list_head done;

	struct ssdf_stats stats;
	u64 stats_since_ns;
	u32 write_amplification;	/* thousandths; by ssdf_update_stats() */
	u32 byte_amplification;		/* thousandths, likewise */
	u32 utilisation;		/* of the channels, thousandths */
	u32 min_erases;
	u32 max_erases;
	u32 mean_erases;		/* thousandths; by ssdf_update_stats() */
	u32 wear;			/* likewise */
	u64 drive_writes;		/* likewise */
	u64 lifetime_bytes;		/* likewise */
	u32 free_blocks;
	u32 valid_pages;
	u32 lost_pages;
	u32 inflight;
	struct ssdc_histogram latency[SSDC_NR_OPS];

	const struct ssdf_observer_ops *observer;	/* may be NULL */
	void *observer_owner;
};

/* A number from 0 to @limit - 1. */
static inline u32 ssdf_random_below(struct ssdc_random *random, u32 limit)
{
	return ((ssdc_random_next(random) >> 32) * limit) >> 32;
}

static inline u32 ssdf_bad_per_plane(const struct ssdf_params *p)
{
	return div_u64((u64)p->blocks * p->bad_blocks, 1000);
}

/* The time of the next event, or SSDF_NEVER. */
static inline u64 ssdf_next_event_ns(const struct ssdf_device *f)
{
	return f->next_queue->first->time_ns;
}

/* Channels without a transfer, and with a die that has no load. A snapshot needs no lock. */
static inline u32 ssdf_idle_channels(const struct ssdf_device *f)
{
	return hweight64(READ_ONCE(f->free_channels) & READ_ONCE(f->channels_with_idle));
}

/*
 * The lane of a request or of its command. A command without a request writes a mapping that a read
 * has evicted.
 */
static inline enum ssdf_lane ssdf_lane_of(const struct ssdf_request *rq)
{
	return !rq || rq->op == SSDC_READ ? SSDF_READ_LANE : SSDF_WRITE_LANE;
}

/* How many blocks of a plane are open for the host. */
static inline u32 ssdf_host_blocks(const struct ssdf_params *p)
{
	return p->streams + p->hot_cold + !!p->map_cache;
}

/* Does anything depend on the age of blocks? */
static inline bool ssdf_has_stamps(const struct ssdf_params *p)
{
	return p->hot_cold || p->gc_victim == SSDF_COST_BENEFIT;
}

/* The open block of a plane for translation pages, in host_blocks. */
static inline u32 ssdf_map_block(const struct ssdf_params *p)
{
	return p->streams + p->hot_cold;
}

/* Mappings in a translation page. */
static inline u32 ssdf_map_page_entries(const struct ssdf_params *p)
{
	return p->page_bytes / sizeof(ssdf_ppn_t);
}

/* Is the logical page a translation page? */
static inline bool ssdf_is_translation_page(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	return ssdf_lpn_nr(lpn) >= f->nr_lpns;
}

/* Translation pages for @lpns logical pages. */
static inline u32 ssdf_map_pages(const struct ssdf_params *p, u64 lpns)
{
	u32 entries = ssdf_map_page_entries(p);

	return p->map_cache ? div_u64(lpns + entries - 1, entries) : 0;
}

static inline u32 ssdf_map_hash_bits(u32 entries)
{
	return ilog2(entries) + 1;
}

/* Time that the transfer of @bytes bytes occupies the channel. */
static inline u64 ssdf_transfer_ns(const struct ssdf_params *p, u32 bytes)
{
	return p->command_ns + div_u64((u64)bytes * p->transfer_ps + 500, 1000);
}

static inline u32 ssdf_block_of(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return reciprocal_divide(ssdf_ppn_nr(ppn), f->by_pages);
}

static inline u32 ssdf_plane_of(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return reciprocal_divide(ssdf_ppn_nr(ppn), f->by_plane_pages);
}

static inline u32 ssdf_plane_of_block(const struct ssdf_device *f, u32 block)
{
	return reciprocal_divide(block, f->by_blocks);
}

static inline u32 ssdf_page_in_block(const struct ssdf_device *f, ssdf_ppn_t ppn)
{
	return ssdf_ppn_nr(ppn) - ssdf_block_of(f, ppn) * f->params.pages;
}

/* Die number @turn in striping order: over channels first, then chips, then dies. */
static inline u32 ssdf_die_of_turn(const struct ssdf_device *f, u32 turn)
{
	const struct ssdf_params *p = &f->params;
	u32 channel = turn % p->channels;
	u32 chip = turn / p->channels % p->chips;
	u32 die = turn / p->channels / p->chips % p->dies;

	return (channel * p->chips + chip) * p->dies + die;
}

/* Static allocation: the plane follows from the page number, over dies first, then planes. */
static inline u32 ssdf_static_plane(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	u32 nr = ssdf_lpn_nr(lpn);

	return f->static_planes[nr - reciprocal_divide(nr, f->by_planes) * f->nr_planes];
}

#endif /* SSDF_STATE_H */
