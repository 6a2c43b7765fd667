/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flash model: geometry, NAND timing, page-mapped FTL and garbage collection as a
 * library without I/O. The caller submits requests and passes the time; the model says
 * when each request completes. It moves no data.
 *
 *	ssdf_submit()    request -> one command per flash page
 *	ssdf_advance()   process events up to a time; completed requests are queued
 *	ssdf_next_done() fetch completed requests
 *	ssdf_next_ns()   when to call ssdf_advance() again
 *	ssdf_run()       as ssdf_advance(), for simulated time: go on until a request completes
 *
 * The caller serialises all functions with one lock, except ssdf_create() and
 * ssdf_destroy(), which may sleep, and ssdf_age(). Events keep their own time: a driver
 * that calls late reports completions late but does not change the model's times.
 */
#ifndef SSDF_FLASH_H
#define SSDF_FLASH_H

#include <linux/list.h>
#include "../base/describe.h"
#include "../base/histogram.h"
#include "../base/types.h"
#include "../policy-api/view.h"

#define SSDF_MAX_CHANNELS	64
#define SSDF_MAX_STREAMS	8
#define SSDF_NEVER		U64_MAX

enum ssdf_allocation { SSDF_DYNAMIC, SSDF_STATIC };
enum ssdf_aged { SSDF_SHARES, SSDF_STEADY };
enum ssdf_channel_first { SSDF_FIRST_READS, SSDF_FIRST_WRITES };
enum ssdf_victim_rule { SSDF_GREEDY, SSDF_COST_BENEFIT, SSDF_D_CHOICES, SSDF_FIFO };

/* The operations that host reads suspend: bits. */
enum ssdf_suspend {
	SSDF_SUSPEND_NONE, SSDF_SUSPEND_PROGRAM, SSDF_SUSPEND_ERASE, SSDF_SUSPEND_BOTH,
};

/**
 * struct ssdf_params - geometry, timing and FTL; ssdf_param_table has a row per member
 * @channels: independent buses
 * @chips: chips per channel
 * @dies: dies per chip; a die does one thing at a time
 * @planes: planes per die; they do the same thing at the same time
 * @blocks: blocks per plane; 0: as many as the requested capacity needs
 * @pages: pages per block
 * @page_bytes: size of a flash page
 * @read_ns: array read of the first page type
 * @read2_ns: array read of the second page type, as a flash cell holds several pages; 0: none
 * @read3_ns: array read of the third page type; 0: none
 * @read4_ns: array read of the fourth page type; 0: none
 * @program_ns: array program of the first page type
 * @program2_ns: array program of the second page type; 0: none
 * @program3_ns: array program of the third page type; 0: none
 * @program4_ns: array program of the fourth page type; 0: none
 * @erase_ns: erase of a block
 * @transfer_ps: transfer of a byte over the channel, in picoseconds
 * @command_ns: command and address cycles, which occupy the channel
 * @over_provisioning: percent of all pages that are hidden from the host
 * @gc_threshold: collect when fewer than this percentage of a plane's blocks are free
 * @gc_urgent: GC goes before host writes when fewer than this percentage are free
 * @aged_valid: percent of all pages that hold data before the first use
 * @aged_invalid: percent of all pages that hold outdated data before the first use
 * @seed: seed of the ageing, of victims at random and of errors
 * @allocation: enum ssdf_allocation
 * @multi_plane: planes of a die work together where kind and page number match
 * @cache_read: read the next page while a page is transferred
 * @cache_program: transfer the next page while a page is programmed
 * @copyback: GC moves pages inside a die, without the channel
 * @suspend: enum ssdf_suspend
 * @suspend_ns: time from the suspension of an operation until the die can read
 * @resume_ns: time from the resumption until the operation goes on
 * @suspend_min_ns: an operation is not suspended if its remaining time is no longer than this
 * @suspend_max: maximum number of suspensions of an operation
 * @command_wait: a command waits until its channel has ended the transfer in progress
 * @channel_first: enum ssdf_channel_first: what a channel transfers first
 * @partial_transfer: only the new sectors of a partly written page are transferred to the die
 * @gc_victim: enum ssdf_victim_rule
 * @gc_choices: blocks among which d-choices chooses
 * @aged: enum ssdf_aged
 * @aged_hot: percent of the pages that got (100 - @aged_hot) percent of the writes before the first
 *	use; 0: uniform writes
 * @aged_erases: erases of each block before the first use
 * @pe_cycles: erases that a block endures; 0: not known
 * @wear_threshold: static wear levelling when erases in a plane differ by more; 0: none
 * @streams: open blocks of a plane for host writes, by &ssdf_request.stream
 * @hot_cold: one more open block, for pages that are overwritten soon
 * @bad_blocks: thousandths of each plane's blocks that are never used
 * @read_retry: thousandths of the reads that fail in a block with pe_cycles erases
 * @map_cache: number of mappings that the controller holds, if the map is in the flash; 0: the
 *	controller holds the whole map
 */
struct ssdf_params {
	u32 channels;
	u32 chips;
	u32 dies;
	u32 planes;
	u32 blocks;
	u32 pages;
	u32 page_bytes;
	u32 read_ns;
	u32 read2_ns;
	u32 read3_ns;
	u32 read4_ns;
	u32 program_ns;
	u32 program2_ns;
	u32 program3_ns;
	u32 program4_ns;
	u32 erase_ns;
	u32 transfer_ps;
	u32 command_ns;
	u32 over_provisioning;
	u32 gc_threshold;
	u32 gc_urgent;
	u32 aged_valid;
	u32 aged_invalid;
	u32 seed;
	u32 allocation;
	u32 multi_plane;
	u32 cache_read;
	u32 cache_program;
	u32 copyback;
	u32 suspend;
	u32 suspend_ns;
	u32 resume_ns;
	u32 suspend_min_ns;
	u32 suspend_max;
	u32 command_wait;
	u32 channel_first;
	u32 partial_transfer;
	u32 gc_victim;
	u32 gc_choices;
	u32 aged;
	u32 aged_hot;
	u32 aged_erases;
	u32 pe_cycles;
	u32 wear_threshold;
	u32 streams;
	u32 hot_cold;
	u32 bad_blocks;
	u32 read_retry;
	u32 map_cache;
};

/**
 * struct ssdf_profile - parameters of a published drive
 * @name: key of the paper, or the name of the emulator, in lower case
 * @alias: older name, accepted wherever @name is; NULL: none
 * @source: the paper's table, or the emulator's file
 * @doc: one line
 * @chosen: the parameters that the source leaves open and that were chosen here
 * @params: all parameters
 */
struct ssdf_profile {
	const char *name;
	const char *alias;
	const char *source;
	const char *doc;
	const char *chosen;
	struct ssdf_params params;
};

/**
 * struct ssdf_request - a host request
 * @op: SSDC_READ, SSDC_WRITE, SSDC_DISCARD or SSDC_FLUSH
 * @sector: first sector
 * @nr_sectors: length
 * @start_ns: time of submission
 * @done_ns: time of completion
 * @stream: of a write: data with the same number will probably be overwritten at the same time; 0:
 *	nothing is known
 * @durable: completes only when the data survive a power failure (FLUSH, FUA); set by the
 *	caller, used with a medium only (media.h)
 * @failed: the medium failed
 *
 * The device owns the request from ssdf_submit() until ssdf_next_done() returns it.
 */
struct ssdf_request {
	enum ssdc_op op;
	u64 sector;
	u64 nr_sectors;
	u64 start_ns;
	u64 done_ns;
	u8 stream;
	bool durable;
	bool failed;
	/* private: */
	u64 cursor;			/* sectors that have commands */
	u32 pending;			/* commands in flight */
	struct list_head node;		/* waiting for commands, or done */
};

struct ssdf_stats {
	u64 host_reads;
	u64 host_programs;
	u64 hot_programs;
	u64 stream_programs[SSDF_MAX_STREAMS];
	u64 merge_reads;
	u64 gc_reads;
	u64 gc_programs;
	u64 erases;
	u64 gc_runs;
	u64 wear_runs;
	u64 read_retries;
	u64 map_hits;
	u64 map_misses;
	u64 map_reads;
	u64 map_writes;
	u64 buffered_reads;
	u64 trimmed_reads;
	u64 trimmed_pages;
	u64 blocked_reads;
	u64 stalled_writes;
	u64 multi_plane_reads;
	u64 multi_plane_programs;
	u64 cached_reads;
	u64 suspended_programs;
	u64 suspended_erases;
	u64 host_bytes_read;
	u64 host_bytes_written;
};

/**
 * struct ssdf_observer_ops - callbacks for internal events; all are required
 * @gc_started: garbage collection of a plane has chosen a block with @valid valid pages
 * @erased: a block was erased; @erases counts its erases
 * @stalled: a host write of the page at @sector waits for a free block, or the lookup of the
 *	page does, which evicts a dirty mapping
 *
 * @plane is numbered over the whole device, @block within its plane.
 *
 * Context: the caller's lock; must not sleep or call functions of the device.
 */
struct ssdf_observer_ops {
	void (*gc_started)(void *owner, u32 plane, u32 block, u32 valid);
	void (*erased)(void *owner, u32 plane, u32 block, u32 erases);
	void (*stalled)(void *owner, u64 sector);
};

struct ssdf_device;

extern const struct ssdc_tunable ssdf_param_table[];
extern const unsigned int ssdf_nr_params;
extern const struct ssdf_profile ssdf_profiles[];
extern const unsigned int ssdf_nr_profiles;
extern const struct ssdc_stat ssdf_stat_table[];
extern const unsigned int ssdf_nr_stats;

const struct ssdf_profile *ssdf_profile_find(const char *name, size_t len);
const char *ssdf_profile_given(const struct ssdf_profile *profile, const char *name, size_t len);
size_t ssdf_profiles_list(char *buf, size_t size);
int ssdf_params_parse(struct ssdf_params *params, const char *spec, struct ssdc_error *error);
int ssdf_params_set(struct ssdf_params *params, const char *key, size_t key_len,
		    const char *value, size_t len, struct ssdc_error *error);
void ssdf_params_base(const struct ssdf_profile *profile, struct ssdf_params *params);
bool ssdf_params_doubt(const struct ssdf_params *params, struct ssdc_error *doubt);
int ssdf_params_check(struct ssdf_params *params, u64 sectors, struct ssdc_error *error);
u64 ssdf_capacity_sectors(const struct ssdf_params *params);
u32 ssdf_map_entries(const struct ssdf_params *params);
u32 ssdf_map_blocks(const struct ssdf_params *params);
u32 ssdf_gc_worth_pages(const struct ssdf_params *params);
u32 ssdf_nr_commands(const struct ssdf_params *params);
u64 ssdf_memory_bytes(const struct ssdf_params *params);

struct ssdf_device *ssdf_create(const struct ssdf_params *params, struct ssdc_error *error);
bool ssdf_age(struct ssdf_device *f);
void ssdf_destroy(struct ssdf_device *f);
void ssdf_observe(struct ssdf_device *f, const struct ssdf_observer_ops *ops, void *owner);

void ssdf_expect(const struct ssdf_device *f, u64 sector, u64 nr_sectors);
void ssdf_submit(struct ssdf_device *f, struct ssdf_request *rq, u64 now_ns);
bool ssdf_advance(struct ssdf_device *f, u64 now_ns);
u64 ssdf_run(struct ssdf_device *f, u64 now_ns, u64 until_ns);
u64 ssdf_next_ns(struct ssdf_device *f);
struct ssdf_request *ssdf_next_done(struct ssdf_device *f);
bool ssdf_has_done(const struct ssdf_device *f);

void ssdf_get_view(const struct ssdf_device *f, struct ssdc_view *view);
void ssdf_ask_units(const struct ssdf_device *f, struct ssdc_unit_query *queries, unsigned int nr);
bool ssdf_is_failed(const struct ssdf_device *f);
u32 ssdf_inflight(const struct ssdf_device *f);
bool ssdf_is_quiescent(const struct ssdf_device *f);
void ssdf_update_stats(struct ssdf_device *f, u64 now_ns);
void ssdf_reset_stats(struct ssdf_device *f, u64 now_ns);
const struct ssdc_histogram *ssdf_latency(const struct ssdf_device *f, enum ssdc_op op);
u64 ssdf_channel_busy_ns(const struct ssdf_device *f, u32 channel, u64 now_ns);
int ssdf_check(const struct ssdf_device *f);

#endif /* SSDF_FLASH_H */
