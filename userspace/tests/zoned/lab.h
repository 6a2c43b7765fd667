/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdflash on a zoned drive, for its tests: a target, what uses it, and what must be found on it.
 */
#ifndef SSDC_TESTS_ZONED_LAB_H
#define SSDC_TESTS_ZONED_LAB_H

#include "../../../dm-ssdcache/driver/ssdflash/zoned/log.h"
#include "../../../dm-ssdcache/flash/state.h"
#include "kernel.h"

#define HOSTS		40		/* concurrent requests */
#define SECTOR		512
#define VEC_SECTORS	3		/* in a segment of a bio */
#define MAX_SECTORS	100
#define UNKNOWN		U64_MAX

/* What a sector may hold. Requests are numbered in order; discards have odd numbers. */
struct sector {
	u64 current;			/* what a read must find, or UNKNOWN */
	u64 issued;			/* newest request that writes or discards it */
	u64 zeroed;			/* newest request that discards it */
	u64 acked;			/* newest acknowledged request */
	u64 durable;			/* newest request that is durable */
	u64 lasting;			/* data of that request: its number, or 0 */
	u64 spoiled;			/* newest data of its page that became unreadable, or 0 */
	bool may_be_lost;		/* found unreadable after a power failure */
};

struct host {
	struct bio bio;
	struct bio_vec vecs[MAX_SECTORS / VEC_SECTORS + 1];
	struct ssdf_request rq;
	char data[MAX_SECTORS][SECTOR];
	u64 number;
	u64 *snapshot;			/* by sector: @acked when the FLUSH started */
	u32 first;
	u32 nr;
	u32 zeroes_failed;		/* when the request was submitted */
	bool in_flight;
};

/* What has happened. */
struct lab_counts {
	u64 requests;
	u64 cuts;
	u64 early_cuts;			/* while the target starts */
	u64 errors;
	u64 lost_caches;
	u64 collections;
	u64 refused;
	u64 damaged;
	u64 unreadable_logs;
	u64 killed;
	u64 spoiled;
	u64 lost;
	u64 found_lost;
	u64 healed;
	u64 failed_parts;
};

extern struct lab_counts seen;

/* hosts.c: requests, and what they find */
extern struct dmsf_target *running;	/* target that gets requests, or NULL */
extern struct host hosts[HOSTS];
extern struct sector *sectors;
extern u32 nr_sectors, page_sectors, first_data_zone;
extern bool garbage;			/* the drive has lost its cache */
extern u32 zeroes_failed;		/* sectors of zeroes that could not be read */
extern u32 data_failed;		/* sectors of data that could not be read, or will not be */
extern bool log_is_forged;		/* it may call any page lost */
extern u32 spoils;			/* one unreadable sector in so many requests; 0: none */
extern u64 numbers;
extern u32 requests_meanwhile;		/* that hosts still send while a commit runs */

bool tick(void);
u64 number_of(const char *data, u32 sector);
u32 first_discarded(const struct host *host);
u32 end_discarded(const struct host *host);
void submit_request(struct host *host, enum ssdc_op op, u32 first, u32 nr, bool durable);
void submit_write(struct host *host, u32 first, u32 nr);
void submit_discard(struct host *host, u32 first, u32 nr);
void read_now(struct host *host, u32 first, u32 nr);
void flush_now(struct host *host);
void some_requests(u32 nr);
void write_pages(u32 nr);
void write_all(void);
void some_commits(u32 nr);
void wait_for_hosts(void);
void note_unreadable(const char *data);
void cache_lost(void);

/* target.c: tables */
extern struct ssdf_params params;
extern struct ssdc_error refused;	/* why create_target() or start_target() failed */
extern int refusal;			/* likewise, as -errno */
extern bool read_only_tables;		/* create_target() loads them so */

struct dmsf_target *create_target(void);
bool start_target(struct dmsf_target *f);
void stop_target(struct dmsf_target *f);
void destroy_target(struct dmsf_target *f);
void use_target(struct dmsf_target *f);
void settle_all(void);
struct dmsf_target *begin_life(void);
void end_life(struct dmsf_target *f);
void check_all(void);
u32 prepare_drive(const char *spec, u32 nr_zones, u32 capacity_sectors, u32 max_active);
u32 prepare(u64 seed);

/* cases.c */
struct dmsf_target *started_target(u64 seed);
void fill_log(struct dmsf_target *f);
void remove_drive(void);
void check_refusals(void);
void check_unreadable_log(void);
void check_failed_checkpoint(void);
void check_failed_write(void);
void check_read_beside_failed_write(void);
void check_reasons(void);
void check_unusable_zones(void);
void check_other_geometry(void);
void check_write_granularity(void);
void check_other_allocation(void);
void check_victims_after_cuts(void);

/* worst-cuts.c */
void check_worst_cuts(void);
void check_each_bio(void);

/* blocks.c: blocks of the log */

/* The newer region of the log. */
struct log_place {
	u32 region;
	u32 per_zone;			/* blocks */
	u32 map_blocks;
	u32 end;			/* block after the last commit */
};

/* A bit that has changed. */
struct flip {
	char *byte;
	char mask;
};

u32 block_sector(const struct log_place *log, u32 region, u32 block);
struct log_place place_of(const struct dmsf_target *f);
struct log_place removed(struct dmsf_target *f);
struct flip flip_bit(const struct log_place *log, u32 region, u32 block);
void flip_back(const struct flip *flip);
bool starts(bool right);
bool starts_with_power(void);
bool is_refused_as(int error, const char *what);
bool is_refused(const char *what);
bool block_is_refused(const struct log_place *log, u32 block);
void begin_case(void);
void commit_until(struct dmsf_target *f, u32 next_block);
void begin_region(struct dmsf_target *f);
void set_crc(unsigned char *block);
void set_generation(const struct log_place *log, u32 region, u32 block, u64 generation);
void reset_zone(u32 zone);
void finish_zone(u32 zone);
void write_zone(u32 zone, const char *data, u32 nr);

/* damage.c */
void check_rotten_log(void);
void check_misplaced_blocks(void);
void check_changing_log(void);
void check_rotten_commits(void);
void check_rotten_old_log(void);
void check_rotten_older_region(void);
void check_needed_older_region(void);
void check_rotten_first_region(void);
void check_reset_zone(void);
void check_unreadable_header(void);
void check_generations(void);

/* cuts.c: what a power failure leaves */
void check_torn_headers(void);
void check_lost_headers(void);
void check_foreign_data(void);
void check_half_reset_region(void);
void check_cut_checkpoints(void);
void check_cut_commits(void);
void check_busy_commits(void);

/* limits.c */
void check_discarded_log(void);
void check_last_generation(void);
void check_large_map(void);
void check_cut_large_maps(void);
void check_full_epochs(void);

#endif /* SSDC_TESTS_ZONED_LAB_H */
